//! What is told of a cycle: the rules on it, and, if a variable may close it, the value that would.
//!
//! Only policies with a cycle come here. The rules on it are drafted anew, because what they say was ordered and moved
//! on long before the cycle was seen.

use lictor_syntax::ast;
use rustc_hash::{FxHashMap, FxHashSet};

use super::origins::{self, Origin};
use crate::{
    dependencies::{self, Reference, Selected, Step, expanded},
    diagnostics::{Sink, Stage, recursion as faults},
    draft::{Rule, Term},
    index::{Entry, Key, key_of},
    resolve::Context,
    show,
    tree::RuleId,
    vars::{self, View},
    varset::VarSet,
};

/// Conditions that a message spells out at most.
const CONDITIONS_MAX: usize = 2;

/// A branch of a rule of the cycle.
type Node = (RuleId, usize);

/// Reports the rules of components with a cycle, in order of their paths, until the limit of faults is reached; `draft`
/// gives a rule's hoisted draft.
pub(crate) fn report(
    ctx: Context<'_>,
    modules: &[&ast::Module],
    cycles: &[Vec<RuleId>],
    draft: &dyn Fn(RuleId) -> Option<Rule>,
    sink: &mut Sink,
) {
    let mut order: Vec<(RuleId, usize)> =
        (0..).zip(cycles).flat_map(|(at, rules)| rules.iter().map(move |it| (*it, at))).collect();
    order.sort_by_cached_key(|(rule, _)| (ctx.index.rule(*rule).map(|it| ctx.index.path(it.node)), *rule));
    let limit = if ctx.options.error_limit > 0 { ctx.options.error_limit } else { usize::MAX };
    order.truncate(limit);
    for (at, rules) in cycles.iter().enumerate().filter(|(at, _)| order.iter().any(|it| it.1 == *at)) {
        let drafts: FxHashMap<RuleId, Rule> =
            rules.iter().filter_map(|it| Some((*it, draft(*it)?))).collect();
        let cycle = Cycle { ctx, modules, rules, drafts: &drafts };
        let edges = cycle.edges();
        for (rule, _) in order.iter().filter(|it| it.1 == at) {
            let branches = drafts.get(rule).map_or(0, |it| it.branches.len());
            for branch in 0..branches {
                cycle.report((*rule, branch), &edges, sink);
            }
        }
    }
}

struct Cycle<'c> {
    ctx: Context<'c>,
    modules: &'c [&'c ast::Module],
    rules: &'c [RuleId],
    drafts: &'c FxHashMap<RuleId, Rule>,
}

/// That one branch may read a rule.
struct Edge<'c> {
    to: RuleId,
    /// The reference behind it, unless one selects the rule whatever its variables are.
    cause: Option<Cause<'c>>,
}

/// A reference that may select a rule.
struct Cause<'c> {
    from: Node,
    at: usize,
    written: Vec<Step<'c>>,
    /// With variables replaced that can be one value only.
    narrowed: Vec<Step<'c>>,
    bound: VarSet,
}

type Edges<'c> = FxHashMap<Node, Vec<Edge<'c>>>;

impl<'c> Cycle<'c> {
    fn edges(&self) -> Edges<'c> {
        let mut out = Edges::default();
        for rule in self.rules {
            let Some(draft) = self.drafts.get(rule) else { continue };
            for (at, branch) in draft.branches.iter().enumerate() {
                let args = if at == 0 { draft.args.as_slice() } else { &[] };
                let known = dependencies::bindings(branch);
                let mut edges: Vec<Edge<'c>> = Vec::new();
                for reference in dependencies::references(self.ctx.index, branch, args) {
                    let all = expanded(&reference, &known);
                    self.add_edges((*rule, at), &reference, &all, &mut edges);
                }
                out.insert((*rule, at), edges);
            }
        }
        out
    }

    fn add_edges(
        &self,
        from: Node,
        reference: &Reference<'c>,
        all: &[Vec<Step<'c>>],
        edges: &mut Vec<Edge<'c>>,
    ) {
        let mut selected = Vec::new();
        for steps in all {
            dependencies::select(self.ctx.index, steps, &mut selected);
        }
        let dynamic = reference.steps.iter().any(|it| matches!(it, Step::Any(_)));
        let narrowed = match all {
            [one] => one,
            _ => &reference.steps,
        };
        let bound = if dynamic { self.bound_before(from, reference.at) } else { VarSet::default() };
        for to in self.rules_of(&selected) {
            let fixed = !dynamic || self.selects(narrowed, to, &bound, None);
            let found = edges.iter_mut().find(|it| it.to == to);
            match found {
                Some(edge) if fixed => edge.cause = None,
                Some(_) => {}
                None => {
                    let cause = Cause {
                        from,
                        at: reference.at,
                        written: reference.steps.clone(),
                        narrowed: narrowed.clone(),
                        bound: bound.clone(),
                    };
                    edges.push(Edge { to, cause: if fixed { None } else { Some(cause) } });
                }
            }
        }
    }

    /// Returns the rules of the cycle among those selected.
    fn rules_of(&self, selected: &[Selected]) -> Vec<RuleId> {
        let index = self.ctx.index;
        let mut out = FxHashSet::default();
        let mut open = Vec::new();
        for it in selected {
            match it {
                Selected::Rule(rule) => drop(out.insert(*rule)),
                Selected::Node(node) => out.extend(index.node(*node).into_iter().flat_map(|it| &it.rules)),
                Selected::Below(node) => open.push(*node),
            }
        }
        while let Some(id) = open.pop() {
            let Some(node) = index.node(id) else { continue };
            out.extend(&node.rules);
            open.extend(&node.children);
        }
        self.rules.iter().copied().filter(|it| out.contains(it)).collect()
    }

    /// Returns the variables that may have a value before an expression.
    fn bound_before(&self, node: Node, at: usize) -> VarSet {
        let mut out = VarSet::default();
        let Some(draft) = self.drafts.get(&node.0) else { return out };
        let Some(branch) = draft.branches.get(node.1) else { return out };
        vars::in_terms(&draft.args, View::ALL, &mut out);
        vars::in_terms(&draft.keys, View::ALL, &mut out);
        vars::in_term(&branch.value, View::ALL, &mut out);
        vars::in_body(branch.body.get(..at).unwrap_or(&branch.body), View::ALL, &mut out);
        out
    }

    /// Tells whether a reference selects a rule whatever its variables are; collects the places of those that matter.
    fn selects(
        &self,
        steps: &[Step<'_>],
        rule: RuleId,
        bound: &VarSet,
        mut places: Option<&mut Vec<usize>>,
    ) -> bool {
        let mut fixed = true;
        for (at, (step, part)) in steps.iter().zip(self.path(rule)).enumerate() {
            let Some(key) = part else { continue };
            match step {
                Step::Any(term) if is_free(term, steps, bound) => {}
                Step::Any(_) => match &mut places {
                    Some(places) => {
                        fixed = false;
                        places.push(at);
                    }
                    None => return false,
                },
                Step::Key(step) if *step == key => {}
                Step::Key(_) | Step::Other => return false,
            }
        }
        fixed
    }

    /// Returns a rule's path below `data`; what is not constant is none.
    fn path(&self, rule: RuleId) -> Vec<Option<Key<'c>>> {
        let Some(entry) = self.ctx.index.rule(rule) else { return Vec::new() };
        let mut out: Vec<Option<Key<'c>>> = self.ctx.index.path(entry.node).into_iter().map(Some).collect();
        out.extend(entry.parts_behind().iter().map(key_of));
        out
    }

    fn report(&self, node: Node, edges: &Edges<'c>, sink: &mut Sink) {
        let Some(entry) = self.ctx.index.rule(node.0) else { return };
        let Some(module) = self.modules.get(entry.module as usize) else { return };
        let span = branch_span(&entry, node.1);
        let name = self.ctx.index.rule_text(&entry);
        let source = &module.source;
        if let Some(path) = self.shortest(node, edges, true) {
            let fault = faults::recursive(source, span, &name, &self.path_text(&path));
            sink.stop(Stage::Recursion, fault);
        } else if let Some(path) = self.shortest(node, edges, false) {
            let cause = self.cause_text(&path, edges);
            let fault = faults::may_be_recursive(source, span, &name, &self.path_text(&path), &cause);
            sink.stop(Stage::Recursion, fault);
        }
    }

    fn path_text(&self, path: &[Node]) -> String {
        let names: Vec<String> = path.iter().map(|(rule, _)| self.name(*rule)).collect();
        names.join(" -> ")
    }

    fn name(&self, rule: RuleId) -> String {
        self.ctx.index.rule(rule).map(|it| self.ctx.index.rule_text(&it)).unwrap_or_default()
    }

    /// Returns a shortest way from a branch back to itself.
    fn shortest(&self, start: Node, edges: &Edges<'c>, only_fixed: bool) -> Option<Vec<Node>> {
        let mut came: FxHashMap<Node, Node> = FxHashMap::default();
        let mut open = std::collections::VecDeque::from([start]);
        while let Some(node) = open.pop_front() {
            for edge in edges.get(&node).into_iter().flatten() {
                if only_fixed && edge.cause.is_some() {
                    continue;
                }
                let branches = self.drafts.get(&edge.to).map_or(0, |it| it.branches.len());
                for next in (0..branches).map(|branch| (edge.to, branch)) {
                    if next == start {
                        return Some(way_back(&came, start, node));
                    }
                    came.entry(next).or_insert_with(|| {
                        open.push_back(next);
                        node
                    });
                }
            }
        }
        None
    }

    /// Says what closes a cycle that a variable may close.
    fn cause_text(&self, path: &[Node], edges: &Edges<'c>) -> String {
        for (at, pair) in path.windows(2).enumerate() {
            let [from, to] = pair else { continue };
            let edge = edges.get(from).and_then(|it| it.iter().find(|it| it.to == to.0));
            if let Some(cause) = edge.and_then(|it| it.cause.as_ref()) {
                return self.one_cause(cause, to.0, at > 0);
            }
        }
        String::new()
    }

    fn one_cause(&self, cause: &Cause<'c>, target: RuleId, name_rule: bool) -> String {
        let Some(draft) = self.drafts.get(&cause.from.0) else { return String::new() };
        let path = self.path(target);
        let shown = cause.written.get(..cause.written.len().min(path.len())).unwrap_or(&cause.written);
        let mut out = format!(" ({}", steps_text(shown, draft));
        if name_rule {
            out.push_str(&format!(" in {}", self.name(cause.from.0)));
        }
        match self.conditions(cause, target, &path, draft) {
            Some(conditions) => {
                out.push_str(&format!(" refers to {} if {}", self.name(target), conditions.join(" and ")));
            }
            None => out.push_str(&format!(" could refer to {}", self.name(target))),
        }
        out.push(')');
        out
    }

    /// Returns what must hold for a reference to select the rule, if that can be said in few words.
    fn conditions(
        &self,
        cause: &Cause<'c>,
        target: RuleId,
        path: &[Option<Key<'_>>],
        draft: &Rule,
    ) -> Option<Vec<String>> {
        let mut places = Vec::new();
        self.selects(&cause.narrowed, target, &cause.bound, Some(&mut places));
        let mut conditions: Vec<(String, String, String)> = Vec::new();
        for at in places {
            let (Some(Step::Any(term)), Some(Some(key))) = (cause.written.get(at), path.get(at)) else {
                return None;
            };
            let term_text = show::draft_term(term, &draft.vars);
            let value = key_text(key);
            match conditions.iter().find(|it| it.0 == term_text) {
                Some(other) if other.1 != value => return None,
                Some(_) => {}
                None => {
                    let note = self.note(cause, term, key, draft)?;
                    conditions.push((term_text, value, note));
                }
            }
        }
        if conditions.is_empty() || conditions.len() > CONDITIONS_MAX {
            return None;
        }
        Some(conditions.into_iter().map(|(term, value, note)| format!("{term} is {value}{note}")).collect())
    }

    /// Says where a term gets its value, or nothing if it cannot be the one wanted.
    fn note(&self, cause: &Cause<'c>, term: &Term, key: &Key<'_>, draft: &Rule) -> Option<String> {
        let Some(var) = term.as_var() else {
            return Some(origins::note_of_reference(term).map_or_else(String::new, |it| format!(" ({it})")));
        };
        let Some(entry) = self.ctx.index.rule(cause.from.0) else { return Some(String::new()) };
        let place = origins::Place { ctx: self.ctx, draft, branch: cause.from.1, at: cause.at, entry };
        let Some(origin) = origins::of_var(place, var) else { return Some(String::new()) };
        if !origin.may_be(key, self.ctx) {
            return None;
        }
        let shown = show::draft_term(term, &draft.vars);
        Some(format!(" ({})", Origin::note(&origin, &shown, &self.name(cause.from.0), draft)))
    }
}

/// Tells whether a variable has no value yet, so that it runs over all keys.
fn is_free(term: &Term, steps: &[Step<'_>], bound: &VarSet) -> bool {
    let Some(var) = term.as_var() else { return false };
    let times =
        steps.iter().filter(|it| matches!(it, Step::Any(other) if other.as_var() == Some(var))).count();
    times == 1 && !bound.contains(var)
}

fn way_back(came: &FxHashMap<Node, Node>, start: Node, last: Node) -> Vec<Node> {
    let mut path = vec![start];
    let mut at = last;
    while at != start {
        path.push(at);
        match came.get(&at) {
            Some(before) => at = *before,
            None => break,
        }
    }
    path.push(start);
    path.reverse();
    path
}

fn branch_span(entry: &Entry<'_>, branch: usize) -> lictor_syntax::Span {
    let other = branch.checked_sub(1).and_then(|it| entry.rule.else_branches.get(it));
    other.map_or(entry.rule.span, |it| it.span)
}

fn key_text(key: &Key<'_>) -> String {
    match key {
        Key::String(text) => {
            let mut out = String::new();
            lictor_syntax::printer::write_quoted(&mut out, text);
            out
        }
        Key::Other(text) => (*text).to_owned(),
    }
}

fn steps_text(steps: &[Step<'_>], draft: &Rule) -> String {
    let mut out = String::from("data");
    for step in steps {
        match step {
            Step::Key(Key::String(text)) => show::push_key(text, &mut out),
            Step::Key(Key::Other(text)) => out.push_str(&format!("[{text}]")),
            Step::Other => out.push_str("[…]"),
            Step::Any(term) => out.push_str(&format!("[{}]", show::draft_term(term, &draft.vars))),
        }
    }
    out
}
