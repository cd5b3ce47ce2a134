//! Rules that test one scalar for different constants become a decision by that scalar.
//!
//! A rule is left out where its test is known to fail. That is sound only if nothing before the test can have an effect
//! or an error, so only tests behind look-ups and other tests count. The chosen rules keep their order and their tests.

use std::collections::BTreeMap;

use lictor_value::{Document, Kind};

use rustc_hash::FxHashMap;

use crate::ir::{Block, ConstId, Function, Local, Operand, Plan, Stmt, StmtKind};

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
            rules.iter().map(|it| tests(it, function, &mut classes, &plan.constants)).collect();
        let all: Vec<usize> = (0..rules.len()).collect();
        let mut decision =
            Decision { rules: &rules, known: &known, classes: &classes, next_local: function.locals };
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
            [Stmt { kind: StmtKind::MakeSet { .. } | StmtKind::MakeObject { .. }, .. }]
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

/// For each path, the values that the rule accepts: numbers of classes of equal constants.
type Tests = Vec<(Path, Vec<u32>)>;

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
fn tests(block: &Block, function: &Function, classes: &mut Classes, constants: &[Document]) -> Tests {
    let mut paths: FxHashMap<Local, Path> = FxHashMap::default();
    paths.insert(Local::INPUT, Path { root: Local::INPUT, keys: Vec::new() });
    for param in &function.params {
        paths.insert(*param, Path { root: *param, keys: Vec::new() });
    }
    let mut found: Tests = Vec::new();
    for stmt in &block.stmts {
        match &stmt.kind {
            StmtKind::Dot { source: Operand::Local(source), key: Operand::Const(key), target } => {
                match paths.get(source).cloned() {
                    Some(mut path) => {
                        path.keys.push(*key);
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
                    found.push((path.clone(), vec![*class]));
                }
            }
            StmtKind::Member { value: Operand::Local(local), collection: Operand::Const(collection) } => {
                if let Some(path) = paths.get(local)
                    && let Some(values) = members(*collection, classes, constants)
                {
                    found.push((path.clone(), values));
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
    next_local: u32,
}

impl Decision<'_> {
    /// Returns blocks that try these rules, by decisions where they pay.
    fn blocks(&mut self, rules: &[usize], decided: &mut Vec<Path>, depth: u32) -> Vec<Block> {
        let plain = |it: &Self| rules.iter().filter_map(|rule| it.rules.get(*rule).cloned()).collect();
        if rules.len() < RULES_MIN || depth == 0 {
            return plain(self);
        }
        let Some(path) = self.best_path(rules, decided) else { return plain(self) };
        decided.push(path.clone());
        let block = self.decide(&path, rules, decided, depth);
        decided.pop();
        vec![block]
    }

    /// Returns the path that tells most rules apart without repeating too many.
    fn best_path(&self, rules: &[usize], decided: &[Path]) -> Option<Path> {
        let mut values: BTreeMap<&Path, (FxHashMap<u32, usize>, usize)> = BTreeMap::new();
        for rule in rules {
            for (path, classes) in self.known.get(*rule)? {
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
            if decided.contains(path) || size > rules.len() * GROWTH_MAX || largest == rules.len() {
                continue;
            }
            // The fewer rules are left in the worst case, the better; ties go to the smaller path.
            if best.is_none_or(|it| (largest, path) < it) {
                best = Some((largest, path));
            }
        }
        best.map(|it| it.1.clone())
    }

    fn decide(&mut self, path: &Path, rules: &[usize], decided: &mut Vec<Path>, depth: u32) -> Block {
        let accepted = |it: &Self, rule: usize| -> Option<Vec<u32>> {
            let tests = it.known.get(rule)?.iter().filter(|it| it.0 == *path);
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
        let cases = classes
            .iter()
            .filter_map(|class| {
                let constant = *self.classes.representatives.get(*class as usize)?;
                let list = lists.get(class)?.clone();
                Some((constant, self.blocks(&list, decided, depth - 1)))
            })
            .collect();
        let otherwise = self.blocks(&free, decided, depth - 1);
        self.switch(path, rules, cases, otherwise)
    }

    fn switch(
        &mut self,
        path: &Path,
        rules: &[usize],
        cases: Vec<(ConstId, Vec<Block>)>,
        otherwise: Vec<Block>,
    ) -> Block {
        let first = rules.first().and_then(|it| self.rules.get(*it)).and_then(|it| it.stmts.first());
        let (location, rule) = first
            .map_or((crate::ir::Location::default(), crate::ir::RuleIdx::NONE), |it| (it.location, it.rule));
        let stmt = |kind: StmtKind| Stmt { kind, location, rule };
        let mut subject = path.root;
        let mut stmts = Vec::new();
        if !path.keys.is_empty() {
            let target = Local(self.next_local);
            self.next_local += 1;
            let mut looks = Vec::new();
            for key in &path.keys {
                looks.push(stmt(StmtKind::Dot {
                    source: Operand::Local(subject),
                    key: Operand::Const(*key),
                    target,
                }));
                subject = target;
            }
            // A value on the way must not be taken for the one at the end.
            if path.keys.len() > 1 {
                let end = Local(self.next_local);
                self.next_local += 1;
                looks.push(stmt(StmtKind::Assign { source: Operand::Local(target), target: end }));
                subject = end;
            }
            stmts.push(stmt(StmtKind::Reset { target: subject }));
            stmts.push(stmt(StmtKind::Block { blocks: vec![Block { stmts: looks }] }));
        }
        stmts.push(stmt(StmtKind::Switch { subject: Operand::Local(subject), cases, otherwise }));
        Block { stmts }
    }
}
