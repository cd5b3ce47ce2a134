//! Rules that test one scalar for different constants become a decision by that scalar.
//!
//! A rule is left out where its test is known to fail. That is sound only if nothing before the test can have an effect
//! or an error, so only tests behind look-ups and other tests count. The chosen rules keep their order; tests and
//! look-ups that the decision has answered already are left out of them.

use std::collections::BTreeMap;

use lictor_value::{Document, Kind};

use rustc_hash::FxHashMap;

use crate::ir::{Block, ConstId, Function, Local, Location, Operand, Plan, RuleIdx, Stmt, StmtKind};

/// Fewer rules are tried one by one.
const RULES_MIN: usize = 4;
/// A decision may repeat rules without a test this often, in all.
const GROWTH_MAX: usize = 3;
/// Decisions inside each other, at most.
const DEPTH_MAX: u32 = 6;

pub(super) fn run(plan: &mut Plan) {
    let mut classes = Classes::default();
    classes.learn(&plan.constants);
    for function in &mut plan.functions {
        let Some(range) = rule_range(function) else { continue };
        if range.len() < RULES_MIN {
            continue;
        }
        let rules: Vec<Block> = function.blocks.drain(range.clone()).collect();
        let known: Vec<Tests> =
            rules.iter().map(|it| tests(it, function, &classes, &plan.constants)).collect();
        let all: Vec<usize> = (0..rules.len()).collect();
        let mut decision = Decision {
            rules: &rules,
            known: &known,
            classes: &classes,
            constants: &plan.constants,
            next_local: function.locals,
        };
        let blocks = decision.blocks(&all, &mut Vec::new(), DEPTH_MAX);
        function.locals = decision.next_local;
        function.blocks.splice(range.start..range.start, blocks);
    }
}

/// Returns the blocks that are rules: between the one that makes a container and the default or the return.
fn rule_range(function: &Function) -> Option<std::ops::Range<usize>> {
    let is_make = |it: &Block| {
        matches!(
            it.stmts.as_slice(),
            [Stmt {
                kind: StmtKind::MakeSet { .. } | StmtKind::MakeBag { .. } | StmtKind::MakeObject { .. },
                ..
            }]
        )
    };
    let start = usize::from(function.blocks.first().is_some_and(is_make));
    let end = function.blocks.iter().position(|it| match it.stmts.first().map(|it| &it.kind) {
        Some(StmtKind::IsUndefined { source }) => *source == function.result,
        Some(StmtKind::Return { .. }) => true,
        _ => false,
    })?;
    (start < end).then_some(start..end)
}

/// Where a tested value comes from: a document or argument, and keys.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
struct Path {
    root: Local,
    keys: Vec<ConstId>,
}

/// What a rule does before anything else can happen.
#[derive(Default)]
struct Tests {
    /// Paths with the values that the rule accepts there, as numbers of classes of equal constants, and the statement
    /// that says so.
    tests: Vec<(Path, Vec<u32>, usize)>,
    /// Paths that statements look up, and into what.
    looks: Vec<(Path, Local, usize)>,
}

/// A path whose value is known where a decision led: the local that holds it, and its class unless it is none of the
/// tested ones.
struct Decided {
    path: Path,
    subject: Local,
    class: Option<u32>,
}

/// Constants by equality: one number for all that are equal.
#[derive(Default)]
struct Classes {
    of_text: FxHashMap<(u64, String), u32>,
    of_constant: FxHashMap<ConstId, u32>,
    /// A constant of each class.
    representatives: Vec<ConstId>,
}

impl Classes {
    fn learn(&mut self, constants: &[Document]) {
        for (index, constant) in constants.iter().enumerate() {
            let value = constant.root();
            if value.kind() <= Kind::String {
                let id = ConstId(u32::try_from(index).unwrap_or(u32::MAX));
                self.add(id, constants);
            }
        }
    }

    fn add(&mut self, id: ConstId, constants: &[Document]) -> u32 {
        let Some(constant) = constants.get(id.0 as usize) else { return u32::MAX };
        let value = constant.root();
        // Numbers of one value have many texts: `1` and `1.0`. Their hash stands for them, checked by equality.
        let text = if value.kind() == Kind::Number { String::new() } else { value.to_string() };
        let mut key = (value.hash(), text);
        loop {
            match self.of_text.get(&key) {
                None => {
                    let class = u32::try_from(self.representatives.len()).unwrap_or(u32::MAX);
                    self.representatives.push(id);
                    self.of_text.insert(key, class);
                    self.of_constant.insert(id, class);
                    return class;
                }
                Some(class) => {
                    let other =
                        self.representatives.get(*class as usize).and_then(|it| constants.get(it.0 as usize));
                    if other.is_some_and(|it| it.root() == value) {
                        self.of_constant.insert(id, *class);
                        return *class;
                    }
                    key.1.push('+');
                }
            }
        }
    }
}

/// Returns what the rule tests before anything else can happen.
fn tests(block: &Block, function: &Function, classes: &Classes, constants: &[Document]) -> Tests {
    let mut paths: FxHashMap<Local, Path> = FxHashMap::default();
    paths.insert(Local::INPUT, Path { root: Local::INPUT, keys: Vec::new() });
    for param in &function.params {
        paths.insert(*param, Path { root: *param, keys: Vec::new() });
    }
    let mut found = Tests::default();
    for (at, stmt) in block.stmts.iter().enumerate() {
        match &stmt.kind {
            StmtKind::Dot { source: Operand::Local(source), key: Operand::Const(key), target } => {
                match paths.get(source).cloned() {
                    Some(mut path) => {
                        path.keys.push(*key);
                        found.looks.push((path.clone(), *target, at));
                        paths.insert(*target, path);
                    }
                    None => {
                        paths.remove(target);
                    }
                }
            }
            StmtKind::Assign { source: Operand::Local(source), target } => {
                match paths.get(source).cloned() {
                    Some(path) => paths.insert(*target, path),
                    None => paths.remove(target),
                };
            }
            StmtKind::Equal { a, b } => {
                let pair = match (a, b) {
                    (Operand::Local(local), Operand::Const(value))
                    | (Operand::Const(value), Operand::Local(local)) => {
                        paths.get(local).zip(classes.of_constant.get(value))
                    }
                    _ => None,
                };
                if let Some((path, class)) = pair {
                    found.tests.push((path.clone(), vec![*class], at));
                }
            }
            StmtKind::Member { value: Operand::Local(local), collection: Operand::Const(collection) } => {
                if let Some(path) = paths.get(local)
                    && let Some(values) = members(*collection, classes, constants)
                {
                    found.tests.push((path.clone(), values, at));
                }
            }
            StmtKind::Dot { target, .. } | StmtKind::Assign { target, .. } | StmtKind::Reset { target } => {
                paths.remove(target);
            }
            StmtKind::NotEqual { .. }
            | StmtKind::Compare { .. }
            | StmtKind::Member { .. }
            | StmtKind::IsTrue { .. }
            | StmtKind::IsArray { .. }
            | StmtKind::IsObject { .. }
            | StmtKind::IsSet { .. }
            | StmtKind::IsDefined { .. }
            | StmtKind::EqualParts { .. }
            | StmtKind::Nop => {}
            _ => break,
        }
    }
    found
}

/// Returns the classes of the members of a constant collection, if all are scalars that stand as constants.
fn members(collection: ConstId, classes: &Classes, constants: &[Document]) -> Option<Vec<u32>> {
    let document = constants.get(collection.0 as usize)?;
    let value = document.root();
    let items: Vec<_> = match (value.as_set(), value.as_array()) {
        (Some(set), _) => set.iter().collect(),
        (_, Some(array)) => array.iter().collect(),
        _ => return None,
    };
    let class_of = |it: &lictor_value::Value<'_>| {
        let key = (it.hash(), if it.kind() == Kind::Number { String::new() } else { it.to_string() });
        let class = *classes.of_text.get(&key)?;
        let known = constants.get(classes.representatives.get(class as usize)?.0 as usize)?;
        (known.root() == *it).then_some(class)
    };
    items.iter().map(class_of).collect()
}

struct Decision<'a> {
    rules: &'a [Block],
    known: &'a [Tests],
    classes: &'a Classes,
    constants: &'a [Document],
    next_local: u32,
}

impl Decision<'_> {
    /// Returns blocks that try these rules, by decisions where they pay.
    fn blocks(&mut self, rules: &[usize], decided: &mut Vec<Decided>, depth: u32) -> Vec<Block> {
        let is_worth_it = rules.len() >= RULES_MIN && depth > 0;
        match is_worth_it.then(|| self.best_path(rules, decided)).flatten() {
            Some(path) => vec![self.decide(&path, rules, decided, depth)],
            None => rules.iter().filter_map(|it| self.rest(*it, decided)).collect(),
        }
    }

    /// Returns a rule without what the decisions on the way have answered.
    fn rest(&self, rule: usize, decided: &[Decided]) -> Option<Block> {
        let (mut block, known) = (self.rules.get(rule)?.clone(), self.known.get(rule)?);
        for it in decided {
            // Equal numbers may be told apart by what follows, so their tests stay.
            let Some(class) = it.class.filter(|it| !self.is_number(*it)) else { continue };
            for (_, _, at) in known.tests.iter().filter(|test| test.0 == it.path && test.1.contains(&class)) {
                if let Some(stmt) = block.stmts.get_mut(*at) {
                    stmt.kind = StmtKind::Nop;
                }
            }
            for (_, target, at) in known.looks.iter().filter(|look| look.0 == it.path) {
                if let Some(stmt) = block.stmts.get_mut(*at) {
                    stmt.kind = StmtKind::Assign { source: Operand::Local(it.subject), target: *target };
                }
            }
        }
        block.stmts.retain(|it| !matches!(it.kind, StmtKind::Nop));
        Some(block)
    }

    fn is_number(&self, class: u32) -> bool {
        let id = self.classes.representatives.get(class as usize);
        let constant = id.and_then(|it| self.constants.get(it.0 as usize));
        constant.is_none_or(|it| it.root().kind() == Kind::Number)
    }

    /// Returns the path that tells most rules apart without repeating too many.
    fn best_path(&self, rules: &[usize], decided: &[Decided]) -> Option<Path> {
        let mut values: BTreeMap<&Path, (FxHashMap<u32, usize>, usize)> = BTreeMap::new();
        for rule in rules {
            for (path, classes, _) in &self.known.get(*rule)?.tests {
                let entry = values.entry(path).or_default();
                entry.1 += 1;
                classes.iter().for_each(|it| *entry.0.entry(*it).or_default() += 1);
            }
        }
        let mut best: Option<(usize, &Path)> = None;
        for (path, (counts, tested)) in values {
            let free = rules.len().saturating_sub(tested);
            let size = counts.values().sum::<usize>() + free * (counts.len() + 1);
            let largest = counts.values().max().copied().unwrap_or(0) + free;
            if decided.iter().any(|it| it.path == *path)
                || size > rules.len() * GROWTH_MAX
                || largest == rules.len()
            {
                continue;
            }
            // The fewer rules are left in the worst case, the better; ties go to the smaller path.
            if best.is_none_or(|it| (largest, path) < it) {
                best = Some((largest, path));
            }
        }
        best.map(|it| it.1.clone())
    }

    fn decide(&mut self, path: &Path, rules: &[usize], decided: &mut Vec<Decided>, depth: u32) -> Block {
        let accepted = |it: &Self, rule: usize| -> Option<Vec<u32>> {
            let tests = it.known.get(rule)?.tests.iter().filter(|it| it.0 == *path);
            tests.map(|it| it.1.clone()).reduce(|a, b| a.into_iter().filter(|it| b.contains(it)).collect())
        };
        let wanted: Vec<Option<Vec<u32>>> = rules.iter().map(|it| accepted(self, *it)).collect();
        let mut classes: Vec<u32> = wanted.iter().flatten().flatten().copied().collect();
        classes.sort_unstable();
        classes.dedup();
        let pairs: Vec<(usize, &Option<Vec<u32>>)> = rules.iter().copied().zip(&wanted).collect();
        let mut lists: FxHashMap<u32, Vec<usize>> = FxHashMap::default();
        for class in &classes {
            lists.insert(*class, Vec::new());
        }
        let mut free = Vec::new();
        for (rule, accepted) in &pairs {
            match accepted {
                Some(accepted) => {
                    for class in accepted {
                        if let Some(list) = lists.get_mut(class) {
                            list.push(*rule);
                        }
                    }
                }
                None => {
                    free.push(*rule);
                    lists.values_mut().for_each(|it| it.push(*rule));
                }
            }
        }
        let (looks, subject) = self.look_up(path, rules);
        let mut cases = Vec::new();
        for class in &classes {
            let Some(constant) = self.classes.representatives.get(*class as usize) else { continue };
            decided.push(Decided { path: path.clone(), subject, class: Some(*class) });
            cases
                .push((*constant, self.blocks(&lists.remove(class).unwrap_or_default(), decided, depth - 1)));
            decided.pop();
        }
        decided.push(Decided { path: path.clone(), subject, class: None });
        let otherwise = self.blocks(&free, decided, depth - 1);
        decided.pop();
        let mut block = looks;
        let switch = StmtKind::Switch { subject: Operand::Local(subject), cases, otherwise };
        block.stmts.push(self.stmt(rules, switch));
        block
    }

    /// Returns a statement where the first of these rules stands.
    fn stmt(&self, rules: &[usize], kind: StmtKind) -> Stmt {
        let first = rules.first().and_then(|it| self.rules.get(*it)).and_then(|it| it.stmts.first());
        let (location, rule) =
            first.map_or((Location::default(), RuleIdx::NONE), |it| (it.location, it.rule));
        Stmt { kind, location, rule }
    }

    /// Returns a block that looks the path up, and the local that then holds its value, or is undefined.
    fn look_up(&mut self, path: &Path, rules: &[usize]) -> (Block, Local) {
        let mut subject = path.root;
        let mut block = Block { stmts: Vec::new() };
        if path.keys.is_empty() {
            return (block, subject);
        }
        let target = self.new_local();
        let mut looks = Vec::new();
        for key in &path.keys {
            let (source, key) = (Operand::Local(subject), Operand::Const(*key));
            looks.push(self.stmt(rules, StmtKind::Dot { source, key, target }));
            subject = target;
        }
        // A value on the way must not be taken for the one at the end.
        if path.keys.len() > 1 {
            subject = self.new_local();
            let end = StmtKind::Assign { source: Operand::Local(target), target: subject };
            looks.push(self.stmt(rules, end));
        }
        block.stmts.push(self.stmt(rules, StmtKind::Reset { target: subject }));
        block.stmts.push(self.stmt(rules, StmtKind::Block { blocks: vec![Block { stmts: looks }] }));
        (block, subject)
    }

    fn new_local(&mut self) -> Local {
        self.next_local += 1;
        Local(self.next_local - 1)
    }
}
