//! A partial set that is only scanned is not built: the scan's block runs where a member would be added.
//!
//! `some x in s` asks for the members of `s` in order and once each. Where neither shows (the block gives a rule's
//! value or adds to a set), building, sorting and telling members apart is lost work. The set must be made in one place, of
//! items that are scanned there as they are, so that repeated ones are rare; it must not be worth remembering (it
//! reads input, and few scan it). Not under strict built-in errors: leaving early would lose an error behind the first success.

use crate::ir::{Block, Callee, FuncId, Function, Local, Operand, Plan, Stmt, StmtKind};
use crate::passes::Surroundings;
use crate::passes::failing::{Failing, call_places, calls_any};
use crate::passes::order::Scans;
use crate::passes::uses::{Uses, map_locals};

/// So many scans of one set may each run its rules; one if they call built-ins.
const SCANS_MAX: u32 = 2;

pub(super) fn run(plan: &mut Plan, surroundings: &Surroundings<'_>) {
    if surroundings.strict {
        return;
    }
    let failing = surroundings.failing(plan);
    let calls = call_places(plan);
    let of = |index: usize| {
        let id = FuncId(u32::try_from(index).ok()?);
        generator(plan.functions.get(index)?, calls.get(&id).copied()?)
    };
    let generators: Vec<Option<Generator>> = (0..plan.functions.len()).map(of).collect();
    let is_generator = |id: FuncId| generators.get(id.0 as usize).is_some_and(Option::is_some);
    for index in 0..plan.functions.len() {
        let Some(function) = plan.functions.get_mut(index) else { continue };
        let is_pure = function.facts.as_ref().is_some_and(|it| !it.impure);
        if !is_pure || !function.params.is_empty() || !calls_any(function, is_generator) {
            continue;
        }
        let mut blocks = std::mem::take(&mut function.blocks);
        let mut consumer = Consumer {
            uses: Uses::of_blocks(&blocks, function),
            function,
            failing: &failing,
            generators: &generators,
        };
        blocks.iter_mut().for_each(|it| consumer.inline_in(it));
        function.blocks = blocks;
    }
}

/// The rules of a partial set that may run at its scans.
struct Generator {
    blocks: Vec<Block>,
    locals: u32,
    set: Local,
}

fn generator(function: &Function, calls: u32) -> Option<Generator> {
    let facts = function.facts.as_ref()?;
    if !(1..=SCANS_MAX).contains(&calls) || !function.params.is_empty() || facts.impure || !facts.reads_input
    {
        return None;
    }
    let set = function.result;
    let (first, rest) = function.blocks.split_first()?;
    let (last, rules) = rest.split_last()?;
    let makes =
        matches!(first.stmts.as_slice(), [Stmt { kind: StmtKind::MakeSet { target }, .. }] if *target == set);
    let returns =
        matches!(last.stmts.as_slice(), [Stmt { kind: StmtKind::Return { source }, .. }] if *source == set);
    let [rule] = rules else { return None };
    let mut found = Found::default();
    found.look(rule, set, &mut Vec::new());
    let scans_max = if found.builtins { 1 } else { SCANS_MAX };
    let fits = makes && returns && found.adds == 1 && !found.unfit && calls <= scans_max;
    fits.then(|| Generator { blocks: rules.to_vec(), locals: function.locals, set })
}

/// What stands in the rule of a set.
#[derive(Default)]
struct Found {
    adds: usize,
    /// It calls built-ins for each item.
    builtins: bool,
    /// Something forbids to run it elsewhere.
    unfit: bool,
}

impl Found {
    /// `scanned` are the items of the scans around.
    fn look(&mut self, block: &Block, set: Local, scanned: &mut Vec<Local>) {
        for stmt in &block.stmts {
            match &stmt.kind {
                StmtKind::SetAdd { set: target, value } if *target == set => {
                    self.adds += 1;
                    self.unfit |= !matches!(value, Operand::Local(it) if scanned.contains(it));
                    continue;
                }
                StmtKind::Scan { value, block, .. } => {
                    scanned.push(*value);
                    self.look(block, set, scanned);
                    scanned.pop();
                }
                StmtKind::Block { blocks } => blocks.iter().for_each(|it| self.look(it, set, scanned)),
                // A function may conflict, so it is called for every item or for none.
                StmtKind::Call { callee: Callee::Function(_), .. } => self.unfit |= !scanned.is_empty(),
                StmtKind::Call { callee: Callee::Builtin(_), .. } => self.builtins |= !scanned.is_empty(),
                StmtKind::Assign { .. }
                | StmtKind::Dot { .. }
                | StmtKind::Equal { .. }
                | StmtKind::NotEqual { .. }
                | StmtKind::Compare { .. }
                | StmtKind::Member { .. }
                | StmtKind::EqualParts { .. }
                | StmtKind::IsArray { .. }
                | StmtKind::IsObject { .. }
                | StmtKind::IsSet { .. }
                | StmtKind::IsTrue { .. }
                | StmtKind::IsDefined { .. }
                | StmtKind::IsUndefined { .. }
                | StmtKind::Reset { .. }
                | StmtKind::Break { .. }
                | StmtKind::Nop => {}
                _ => self.unfit = true,
            }
            stmt.kind.for_each_read(|it| self.unfit |= it == set);
        }
    }
}

/// A function whose scans are looked at.
struct Consumer<'a> {
    function: &'a mut Function,
    uses: Uses,
    failing: &'a Failing,
    generators: &'a [Option<Generator>],
}

impl Consumer<'_> {
    /// Looks at the statements that run once.
    fn inline_in(&mut self, block: &mut Block) {
        let mut at = 0;
        while at < block.stmts.len() {
            if let Some(stmt) = self.inlined(block.stmts.get(at..at + 2)) {
                block.stmts.splice(at..at + 2, [stmt]);
            } else if let Some(StmtKind::Block { blocks }) = block.stmts.get_mut(at).map(|it| &mut it.kind) {
                blocks.iter_mut().for_each(|it| self.inline_in(it));
            }
            at += 1;
        }
    }

    /// Returns what stands for a call and the scan of what it gave.
    fn inlined(&mut self, pair: Option<&[Stmt]>) -> Option<Stmt> {
        let [call, scan] = pair? else { return None };
        let StmtKind::Call { callee: Callee::Function(id), result, .. } = &call.kind else { return None };
        let StmtKind::Scan { source, key, value, block } = &scan.kind else { return None };
        let generator = self.generators.get(id.0 as usize)?.as_ref()?;
        let scans = Scans { result: self.function.result, uses: &self.uses, failing: self.failing };
        let is_once = self.uses.reads(*result) == 1 && self.uses.writes(*result) == 1;
        if source != result || !is_once || !scans.is_free(block, &[*key, *value]) {
            return None;
        }
        let first = self.function.locals;
        self.function.locals += generator.locals;
        let mut blocks = generator.blocks.clone();
        let body = Body { key: *key, value: *value, block };
        blocks.iter_mut().for_each(|it| body.put(it, generator.set, first));
        Some(Stmt { kind: StmtKind::Block { blocks }, ..scan.clone() })
    }
}

/// What runs for a member.
struct Body<'a> {
    key: Local,
    value: Local,
    block: &'a Block,
}

impl Body<'_> {
    /// Puts it where the members of the set are added, and moves the other registers up.
    fn put(&self, block: &mut Block, set: Local, first: u32) {
        let moved = |it: &mut Local| {
            if *it != Local::INPUT && *it != Local::DATA {
                it.0 += first;
            }
        };
        for stmt in &mut block.stmts {
            let added = match &stmt.kind {
                StmtKind::SetAdd { set: target, value } if *target == set => Some(*value),
                _ => None,
            };
            if let Some(mut source) = added {
                if let Operand::Local(local) = &mut source {
                    moved(local);
                }
                let assign =
                    |target: Local| Stmt { kind: StmtKind::Assign { source, target }, ..stmt.clone() };
                let mut stmts = vec![assign(self.key), assign(self.value)];
                stmts.extend(self.block.stmts.iter().cloned());
                stmt.kind = StmtKind::Block { blocks: vec![Block { stmts }] };
                continue;
            }
            map_locals(&mut stmt.kind, moved);
            stmt.kind.for_each_block_mut(|it| self.put(it, set, first));
        }
    }
}
