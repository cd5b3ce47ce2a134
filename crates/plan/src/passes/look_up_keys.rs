//! A partial document of which one key is asked is not built: its rules look for that key alone.
//!
//! `data.p.s[x]`, `x in s` and `obj[k]`, with the key known, call a copy of the rules that takes the key. Where
//! a rule scans a collection for the keys themselves, the scan becomes a look-up. Taken are documents that read input (others are
//! computed once for all decisions) and of which nothing else is asked, by rules that run once. What is no longer evaluated must
//! not have failed; an object is taken only if none of its keys can be given twice.

use rustc_hash::FxHashMap;

use crate::ir::{Block, Callee, FuncId, Function, Local, Operand, Plan, Stmt, StmtKind};
use crate::passes::Surroundings;
use crate::passes::failing::{Failing, calls, calls_any};
use crate::passes::uses::{Uses, map_locals};

/// So many keys may be asked for before building the document is better.
const KEYS_MAX: u32 = 2;

pub(super) fn run(plan: &mut Plan, surroundings: &Surroundings<'_>) {
    let failing = surroundings.failing(plan);
    let mut asked: FxHashMap<FuncId, u32> = FxHashMap::default();
    let documents: Vec<bool> =
        plan.functions.iter().map(|it| it.params.is_empty() && parts(it).is_some()).collect();
    let is_document = |id: FuncId| documents.get(id.0 as usize).copied().unwrap_or(false);
    let asks_any = |it: &&Function| it.params.is_empty() && calls_any(it, is_document);
    for function in plan.functions.iter().filter(asks_any) {
        let uses = Uses::of(function);
        function
            .blocks
            .iter()
            .for_each(|it| find(it, &uses, &mut |_, id| *asked.entry(id).or_default() += 1));
    }
    let calls = calls(plan);
    let mut wanted: Vec<FuncId> = asked
        .into_iter()
        .filter(|(id, count)| *count <= KEYS_MAX && calls.get(id) == Some(count))
        .map(|it| it.0)
        .filter(|it| plan.functions.get(it.0 as usize).is_some_and(|function| fits(function, &failing)))
        .collect();
    wanted.sort_unstable();
    let first = plan.functions.len();
    let made: FxHashMap<FuncId, FuncId> = (first..)
        .zip(&wanted)
        .map(|(number, document)| (*document, FuncId(u32::try_from(number).unwrap_or(u32::MAX))))
        .collect();
    let is_made = |id: FuncId| made.contains_key(&id);
    for function in plan.functions.iter_mut().filter(|it| it.params.is_empty() && calls_any(it, is_made)) {
        let uses = Uses::of(function);
        function.blocks.iter_mut().for_each(|it| ask(it, &uses, &made));
    }
    for document in wanted {
        let Some(function) = plan.functions.get(document.0 as usize) else { continue };
        plan.functions.push(by_key(function));
    }
}

/// A statement that asks a document for one key: where the key is, and where the answer goes, if it goes anywhere.
fn question(kind: &StmtKind, document: Local) -> Option<(Operand, Option<Local>)> {
    match kind {
        StmtKind::Dot { source: Operand::Local(source), key, target } if *source == document => {
            (*key != Operand::Local(document)).then_some((*key, Some(*target)))
        }
        StmtKind::Member { value, collection: Operand::Local(source) } if *source == document => {
            (*value != Operand::Local(document)).then_some((*value, None))
        }
        _ => None,
    }
}

/// Calls back with each call, outside of scans, of what is then only asked for a key.
fn find(block: &Block, uses: &Uses, found: &mut impl FnMut(Local, FuncId)) {
    for (index, stmt) in block.stmts.iter().enumerate() {
        if let StmtKind::Call { callee: Callee::Function(id), args, result } = &stmt.kind {
            let rest = block.stmts.get(index + 1..).unwrap_or_default();
            let is_once = args.is_empty() && uses.reads(*result) == 1 && uses.writes(*result) == 1;
            if is_once && asks(rest, *result) {
                found(*result, *id);
            }
        }
        match &stmt.kind {
            StmtKind::Block { blocks } => blocks.iter().for_each(|it| find(it, uses, found)),
            StmtKind::Not { block } => find(block, uses, found),
            _ => {}
        }
    }
}

/// Says whether a question stands here or in a block that runs at most once.
fn asks(stmts: &[Stmt], document: Local) -> bool {
    stmts.iter().any(|stmt| match &stmt.kind {
        StmtKind::Block { blocks } => blocks.iter().any(|it| asks(&it.stmts, document)),
        StmtKind::Not { block } => asks(&block.stmts, document),
        kind => question(kind, document).is_some(),
    })
}

/// Says whether the rules of a document can look for one key.
fn fits(function: &Function, failing: &Failing) -> bool {
    let Some((first, rules)) = parts(function) else { return false };
    let is_object = matches!(first, StmtKind::MakeObject { .. });
    let facts = function.facts.as_deref();
    let reads_input = facts.is_some_and(|it| it.reads_input && !it.impure);
    let document = function.result;
    let mut gives = Gives::default();
    rules.iter().for_each(|it| gives.look(it, document, &mut Vec::new()));
    let is_unique = !is_object || gives.count == 1 && gives.by_scan;
    let fails = || rules.iter().any(|it| failing.block_but_for(it, document));
    function.params.is_empty() && reads_input && !gives.unfit && gives.count > 0 && is_unique && !fails()
}

/// Returns the statement that makes the document, and the rules.
fn parts(function: &Function) -> Option<(&StmtKind, &[Block])> {
    let [first, rules @ .., last] = function.blocks.as_slice() else { return None };
    let [Stmt { kind: make, .. }] = first.stmts.as_slice() else { return None };
    let makes = matches!(make, StmtKind::MakeSet { target } | StmtKind::MakeObject { target } if *target == function.result);
    let returns = matches!(last.stmts.as_slice(), [Stmt { kind: StmtKind::Return { source }, .. }] if *source == function.result);
    (makes && returns).then_some((make, rules))
}

/// How rules give members or keys.
#[derive(Default)]
struct Gives {
    count: u32,
    /// By the key of the only scan around.
    by_scan: bool,
    /// The document is used in another way.
    unfit: bool,
}

impl Gives {
    fn look(&mut self, block: &Block, document: Local, scans: &mut Vec<Local>) {
        for stmt in &block.stmts {
            match given(&stmt.kind, document) {
                Some((key, value)) => {
                    self.count += 1;
                    self.by_scan =
                        matches!((key, scans.as_slice()), (Operand::Local(key), [only]) if key == *only);
                    self.unfit |= [key, value].contains(&Operand::Local(document));
                }
                None => {
                    stmt.kind.for_each_read(|it| self.unfit |= it == document);
                    stmt.kind.for_each_write(|it| self.unfit |= it == document);
                    // What a `with` replaces may be what the key was computed of.
                    self.unfit |= matches!(
                        stmt.kind,
                        StmtKind::Return { .. } | StmtKind::ResultSetAdd { .. } | StmtKind::With { .. }
                    );
                }
            }
            if let StmtKind::Scan { key, block, .. } = &stmt.kind {
                scans.push(*key);
                self.look(block, document, scans);
                scans.pop();
            } else {
                stmt.kind.for_each_block(|it| self.look(it, document, scans));
            }
        }
    }
}

/// Returns the key and the value that a statement gives the document; a member is both.
fn given(kind: &StmtKind, document: Local) -> Option<(Operand, Operand)> {
    match kind {
        StmtKind::SetAdd { set, value } if *set == document => Some((*value, *value)),
        StmtKind::ObjectInsertOnce { object, key, value } if *object == document => Some((*key, *value)),
        _ => None,
    }
}

/// Puts the questions in the place of the calls.
fn ask(block: &mut Block, uses: &Uses, made: &FxHashMap<FuncId, FuncId>) {
    let mut found: Vec<(Local, FuncId)> = Vec::new();
    find(block, uses, &mut |document, id| found.extend(made.get(&id).map(|it| (document, *it))));
    for (document, by_key) in found {
        replace(block, document, by_key);
    }
}

fn replace(block: &mut Block, document: Local, by_key: FuncId) {
    for stmt in &mut block.stmts {
        match &stmt.kind {
            StmtKind::Call { result, .. } if *result == document => stmt.kind = StmtKind::Nop,
            kind => {
                if let Some((key, target)) = question(kind, document) {
                    let callee = Callee::Function(by_key);
                    let result = target.unwrap_or(document);
                    stmt.kind = StmtKind::Call { callee, args: vec![key], result };
                }
            }
        }
        stmt.kind.for_each_block_mut(|it| replace(it, document, by_key));
    }
    block.stmts.retain(|it| it.kind != StmtKind::Nop);
}

/// Returns the function of a key that gives what the document has there.
fn by_key(function: &Function) -> Function {
    let mut made = function.clone();
    let (wanted, result) = (Local(function.locals), Local(function.locals + 1));
    made.name = format!("{}[]", function.name).into();
    made.path = Vec::new();
    made.locals += 2;
    made.params = vec![wanted];
    made.result = result;
    made.blocks.remove(0);
    let last = made.blocks.pop();
    let rewrite = ByKey { document: function.result, wanted, result };
    made.blocks.iter_mut().for_each(|it| rewrite.block(it, 1));
    let rules = std::mem::take(&mut made.blocks);
    if let Some(mut last) = last {
        let stmt = last.stmts.first().cloned();
        last.stmts.iter_mut().for_each(|it| map_locals(&mut it.kind, |local| *local = result));
        let first = stmt.map(|it| Stmt { kind: StmtKind::Block { blocks: rules }, ..it });
        made.blocks = vec![Block { stmts: first.into_iter().collect() }, last];
    }
    made
}

struct ByKey {
    document: Local,
    wanted: Local,
    result: Local,
}

impl ByKey {
    /// `depth` counts the blocks up to the one that holds the rules.
    fn block(&self, block: &mut Block, depth: u32) {
        let mut stmts = Vec::with_capacity(block.stmts.len() + 2);
        for mut stmt in block.stmts.drain(..) {
            if let Some((key, value)) = given(&stmt.kind, self.document) {
                let wanted = Operand::Local(self.wanted);
                // A set answers with what it was asked, as equal members may be written otherwise.
                let source = if matches!(stmt.kind, StmtKind::SetAdd { .. }) { wanted } else { value };
                let found = StmtKind::Assign { source, target: self.result };
                for kind in [StmtKind::Same { a: key, b: wanted }, found, StmtKind::Break { depth }] {
                    stmts.push(Stmt { kind, ..stmt.clone() });
                }
                continue;
            }
            if let Some(kind) = self.look_up(&mut stmt.kind) {
                stmt.kind = kind;
            }
            stmt.kind.for_each_block_mut(|it| self.block(it, depth + 1));
            stmts.push(stmt);
        }
        block.stmts = stmts;
    }

    /// Returns what stands for a scan whose keys are the keys of the document.
    fn look_up(&self, kind: &mut StmtKind) -> Option<StmtKind> {
        let StmtKind::Scan { source, key, value, block } = kind else { return None };
        if !gives_key(block, self.document, *key) {
            return None;
        }
        let entry = StmtKind::Entry {
            source: *source,
            wanted: Operand::Local(self.wanted),
            key: *key,
            value: *value,
        };
        let location = block.stmts.first()?.clone();
        let mut block = std::mem::take(block);
        block.stmts.insert(0, Stmt { kind: entry, ..location });
        Some(StmtKind::Block { blocks: vec![block] })
    }
}

/// Says whether all that the block gives the document stands under the key.
fn gives_key(block: &Block, document: Local, key: Local) -> bool {
    let (mut count, mut is_key) = (0, true);
    each(block, &mut |stmt| {
        if let Some((given, _)) = given(&stmt.kind, document) {
            count += 1;
            is_key &= given == Operand::Local(key);
        }
        stmt.kind.for_each_write(|it| is_key &= it != key);
    });
    count > 0 && is_key
}

fn each(block: &Block, see: &mut impl FnMut(&Stmt)) {
    for stmt in &block.stmts {
        see(stmt);
        stmt.kind.for_each_block(|it| each(it, see));
    }
}
