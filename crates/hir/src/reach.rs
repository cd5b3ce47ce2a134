//! What a query may look at: the base documents and the rules, followed from rule to rule.
//!
//! The references of a rule are those in its text with variables replaced by what they were unified with. That is
//! coarser than the read set of a plan, which knows what is evaluated; it is what OPA calls the dependencies of a
//! query, and people compare the two. It evaluates nothing and needs no plan.

use std::collections::{BTreeMap, BTreeSet};

use crate::tree::{
    Callee, Compr, Expr, ExprKind, GroupId, GroupKind, Hir, Query, Ref, RefHead, Rule, RuleId, Term,
    TermKind, VarId, WithTarget,
};

/// So many references may one variable stand for; more are not told.
const JOINED_MAX: usize = 1_000;

/// One step of a path.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Step {
    /// `null`.
    Null,
    /// `true` or `false`.
    Bool(bool),
    /// A number as written.
    Number(Box<str>),
    /// A string.
    String(Box<str>),
    /// Something that is known only when evaluated. Paths that are given out end before it.
    Unknown(VarId),
}

/// A path of documents.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Path {
    /// Whether it is one below `input`, else it is one below `data`.
    pub input: bool,
    /// The steps.
    pub steps: Vec<Step>,
}

/// What a query depends on, sorted.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Reached {
    /// Documents that no rule makes.
    pub base: Vec<Path>,
    /// Documents and functions that rules make.
    pub rules: Vec<Path>,
}

/// Finds what a query depends on.
#[must_use]
pub fn reach(hir: &Hir, query: &Query) -> Reached {
    let mut walk = Reach { tree: RuleTree::of(hir), seen: BTreeSet::new(), base: BTreeSet::new() };
    let mut names = Names { all_used: true, ..Names::default() };
    names.body(hir, &query.body);
    let mut open = walk.take(names.finish());
    let mut rules = BTreeSet::new();
    while let Some(rule) = open.pop() {
        let Some(rule) = hir.rules.get(rule.0 as usize) else { continue };
        rules.insert(path_of(hir, rule));
        let mut names = Names::default();
        names.rule(hir, rule);
        open.extend(walk.take(names.finish()));
    }
    Reached { base: walk.base.into_iter().collect(), rules: rules.into_iter().collect() }
}

/// Finds the documents that depend on the one at a path, at whatever remove; functions are left out, as nobody can ask
/// for one.
#[must_use]
pub fn dependents(hir: &Hir, path: &[&str]) -> Vec<Path> {
    let tree = RuleTree::of(hir);
    let mut users: BTreeMap<u32, Vec<u32>> = BTreeMap::new();
    for (number, rule) in (0..).zip(&hir.rules) {
        let mut names = Names::default();
        names.rule(hir, rule);
        for path in names.finish().into_iter().filter(|it| !it.input) {
            let ground: Vec<Step> =
                path.steps.into_iter().take_while(|it| !matches!(it, Step::Unknown(_))).collect();
            for used in tree.find(&ground) {
                users.entry(used.0).or_default().push(number);
            }
        }
    }
    let steps: Vec<Step> = path.iter().map(|it| Step::String((*it).into())).collect();
    let mut open: Vec<u32> = tree.find(&steps).into_iter().map(|it| it.0).collect();
    let mut seen = BTreeSet::new();
    while let Some(rule) = open.pop() {
        let users = users.get(&rule).into_iter().flatten();
        open.extend(users.filter(|it| seen.insert(**it)));
    }
    let is_function = |rule: &&Rule| {
        let group = hir.groups.get(rule.group.0 as usize);
        group.is_some_and(|it| matches!(it.kind, GroupKind::Function { .. }))
    };
    let rules = seen.into_iter().filter_map(|it| hir.rules.get(it as usize));
    let paths: BTreeSet<Path> = rules.filter(|it| !is_function(it)).map(|it| path_of(hir, it)).collect();
    paths.into_iter().collect()
}

/// Returns the path of a rule up to its first variable.
fn path_of(hir: &Hir, rule: &Rule) -> Path {
    let group = hir.groups.get(rule.group.0 as usize).map_or(&[][..], |it| &it.path);
    let ground = rule.keys.iter().map(step).take_while(|it| !matches!(it, Step::Unknown(_)));
    Path { input: false, steps: group.iter().map(|it| Step::String((**it).into())).chain(ground).collect() }
}

fn step(term: &Term) -> Step {
    match &term.kind {
        TermKind::Null => Step::Null,
        TermKind::Bool(value) => Step::Bool(*value),
        TermKind::Number(text) => Step::Number(text.clone()),
        TermKind::String(text) => Step::String(text.clone()),
        TermKind::Var(var) => Step::Unknown(*var),
        _ => Step::Unknown(VarId(u32::MAX)),
    }
}

/// All rules by their ground paths.
#[derive(Default)]
struct RuleTree {
    rules: Vec<RuleId>,
    children: BTreeMap<Step, RuleTree>,
}

impl RuleTree {
    fn of(hir: &Hir) -> Self {
        let mut tree = Self::default();
        for (number, rule) in (0..).zip(&hir.rules) {
            let mut node = &mut tree;
            for step in path_of(hir, rule).steps {
                node = node.children.entry(step).or_default();
            }
            node.rules.push(RuleId(number));
        }
        tree
    }

    /// Returns the rules at a path, above it, or below it.
    fn find(&self, path: &[Step]) -> Vec<RuleId> {
        let mut node = self;
        let mut above: &[RuleId] = &[];
        for step in path {
            let Some(child) = node.children.get(step) else {
                return above.to_vec();
            };
            node = child;
            if above.is_empty() {
                above = &node.rules;
            }
        }
        let mut found = above.to_vec();
        let mut open = vec![(node, path.is_empty())];
        while let Some((node, is_root)) = open.pop() {
            found.extend(&node.rules);
            let system = Step::String("system".into());
            let children = node.children.iter().filter(|(step, _)| !is_root || **step != system);
            open.extend(children.map(|it| (it.1, false)));
        }
        found
    }
}

struct Reach {
    tree: RuleTree,
    seen: BTreeSet<u32>,
    base: BTreeSet<Path>,
}

impl Reach {
    /// Takes the references of a rule; returns the rules among them that were not met before.
    fn take(&mut self, mut found: Vec<Path>) -> Vec<RuleId> {
        found.sort();
        found.dedup();
        let mut rules = Vec::new();
        let mut last: Option<Path> = None;
        for path in found {
            // Whoever depends on a document depends on all below it.
            if last.as_ref().is_some_and(|it| it.input == path.input && path.steps.starts_with(&it.steps)) {
                continue;
            }
            let ground = path.steps.iter().take_while(|it| !matches!(it, Step::Unknown(_)));
            let ground = Path { input: path.input, steps: ground.cloned().collect() };
            let at = if ground.input { Vec::new() } else { self.tree.find(&ground.steps) };
            if at.is_empty() {
                self.base.insert(ground);
            }
            rules.extend(at.into_iter().filter(|it| self.seen.insert(it.0)));
            last = Some(path);
        }
        rules
    }
}

/// A reference before variables are replaced.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
struct Named {
    head: Head,
    steps: Vec<Step>,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Head {
    Data,
    Input,
    Var(VarId),
}

/// The references of one rule.
#[derive(Default)]
struct Names {
    /// What variables were unified with.
    bound: BTreeMap<VarId, Vec<Named>>,
    /// References of all other places.
    free: Vec<Named>,
    used: BTreeSet<VarId>,
    /// Whether every variable counts as used.
    all_used: bool,
}

impl Names {
    fn rule(&mut self, hir: &Hir, rule: &Rule) {
        for term in rule.keys.iter().chain(&rule.args).chain([&rule.value]) {
            self.term(hir, term);
        }
        self.body(hir, &rule.body);
        let mut branch = rule.else_branch.as_deref();
        while let Some(it) = branch {
            self.term(hir, &it.value);
            self.body(hir, &it.body);
            branch = it.else_branch.as_deref();
        }
    }

    fn body(&mut self, hir: &Hir, body: &[Expr]) {
        for expr in body {
            match &expr.kind {
                ExprKind::Unify(lhs, rhs) if expr.with.is_empty() => self.unify(hir, lhs, rhs),
                _ => self.expr(hir, expr),
            }
        }
    }

    fn unify(&mut self, hir: &Hir, lhs: &Term, rhs: &Term) {
        match (&lhs.kind, &rhs.kind) {
            (TermKind::Var(var), TermKind::Ref(reference))
            | (TermKind::Ref(reference), TermKind::Var(var)) => {
                let named = self.named(hir, reference);
                self.bound.entry(*var).or_default().push(named);
            }
            _ => {
                self.term(hir, lhs);
                self.term(hir, rhs);
            }
        }
    }

    fn exprs(&mut self, hir: &Hir, body: &[Expr]) {
        body.iter().for_each(|it| self.expr(hir, it));
    }

    fn expr(&mut self, hir: &Hir, expr: &Expr) {
        for with in &expr.with {
            self.with(hir, &with.target);
        }
        match &expr.kind {
            ExprKind::Term(term) => self.term(hir, term),
            ExprKind::Unify(lhs, rhs) => {
                self.term(hir, lhs);
                self.term(hir, rhs);
            }
            ExprKind::Call(call) => {
                self.callee(hir, &call.callee);
                call.args.iter().chain(&call.output).for_each(|it| self.term(hir, it));
            }
            ExprKind::Every(every) => {
                self.term(hir, &every.domain);
                self.exprs(hir, &every.body);
            }
            ExprKind::Not(body) => self.exprs(hir, body),
            ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
                self.exprs(hir, lhs);
                self.exprs(hir, rhs);
            }
        }
    }

    fn with(&mut self, hir: &Hir, target: &WithTarget) {
        let named =
            |head, path: &[Box<str>]| Named { head, steps: path.iter().cloned().map(Step::String).collect() };
        match target {
            WithTarget::Input(path, value) => {
                self.free.push(named(Head::Input, path));
                self.term(hir, value);
            }
            WithTarget::Data(path, value) => {
                self.free.push(named(Head::Data, path));
                self.term(hir, value);
            }
            WithTarget::Callee(from, to) => {
                self.callee(hir, from);
                self.callee(hir, to);
            }
            WithTarget::CalleeValue(from, value) => {
                self.callee(hir, from);
                self.term(hir, value);
            }
        }
    }

    fn callee(&mut self, hir: &Hir, callee: &Callee) {
        if let Callee::Function(GroupId(at)) = callee
            && let Some(group) = hir.groups.get(*at as usize)
        {
            debug_assert!(matches!(group.kind, GroupKind::Function { .. }), "what is called is a function");
            let steps = group.path.iter().map(|it| Step::String((**it).into())).collect();
            self.free.push(Named { head: Head::Data, steps });
        }
    }

    fn term(&mut self, hir: &Hir, term: &Term) {
        match &term.kind {
            TermKind::Var(var) => {
                self.used.insert(*var);
            }
            TermKind::Ref(reference) => {
                let named = self.named(hir, reference);
                self.free.push(named);
            }
            TermKind::Array(items) | TermKind::Set(items) => items.iter().for_each(|it| self.term(hir, it)),
            TermKind::Object(entries) => {
                for (key, value) in entries {
                    self.term(hir, key);
                    self.term(hir, value);
                }
            }
            TermKind::ArrayCompr(compr) | TermKind::SetCompr(compr) => self.compr(hir, compr),
            TermKind::ObjectCompr(compr) => {
                self.term(hir, &compr.key);
                self.term(hir, &compr.value);
                self.exprs(hir, &compr.body);
            }
            TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_) => {}
        }
    }

    fn compr(&mut self, hir: &Hir, compr: &Compr) {
        self.term(hir, &compr.term);
        self.exprs(hir, &compr.body);
    }

    fn named(&mut self, hir: &Hir, reference: &Ref) -> Named {
        reference.parts.iter().for_each(|it| self.term(hir, it));
        let head = match reference.head {
            RefHead::Input => Head::Input,
            RefHead::Data => Head::Data,
            RefHead::Var(var) => Head::Var(var),
        };
        Named { head, steps: reference.parts.iter().map(step).collect() }
    }

    /// Replaces variables and returns all paths.
    fn finish(self) -> Vec<Path> {
        let joined = self.joined();
        let mut out = Vec::new();
        for named in &self.free {
            expand(named, &joined, &mut out);
        }
        let is_alias = |var: &VarId, paths: &BTreeSet<Path>| {
            !self.all_used && paths.len() == 1 && !self.used.contains(var)
        };
        for (var, paths) in &joined {
            if !is_alias(var, paths) {
                out.extend(paths.iter().cloned());
            }
        }
        let known = out.len();
        for (_, paths) in joined.iter().filter(|(var, paths)| is_alias(var, paths)) {
            for path in paths {
                let covered = |it: &Path| {
                    it.input == path.input
                        && (it.steps.starts_with(&path.steps) || path.steps.starts_with(&it.steps))
                };
                if !out.get(..known).unwrap_or_default().iter().any(covered) {
                    out.push(path.clone());
                }
            }
        }
        out
    }

    /// Returns the paths that each variable stands for.
    fn joined(&self) -> BTreeMap<VarId, BTreeSet<Path>> {
        let mut joined: BTreeMap<VarId, BTreeSet<Path>> = BTreeMap::new();
        loop {
            let mut changed = false;
            for (var, list) in &self.bound {
                let mut paths = Vec::new();
                list.iter().for_each(|it| expand(it, &joined, &mut paths));
                let known = joined.entry(*var).or_default();
                for path in paths {
                    if known.len() < JOINED_MAX && path.steps.len() < JOINED_MAX {
                        changed |= known.insert(path);
                    }
                }
            }
            if !changed {
                return joined;
            }
        }
    }
}

fn expand(named: &Named, joined: &BTreeMap<VarId, BTreeSet<Path>>, out: &mut Vec<Path>) {
    match named.head {
        Head::Data | Head::Input => {
            out.push(Path { input: named.head == Head::Input, steps: named.steps.clone() });
        }
        Head::Var(var) => {
            for path in joined.get(&var).into_iter().flatten() {
                let steps = path.steps.iter().chain(&named.steps).cloned().collect();
                out.push(Path { input: path.input, steps });
            }
        }
    }
}
