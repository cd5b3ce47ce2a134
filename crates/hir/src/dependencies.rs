//! What a rule may read: the places of the rule tree that its references select.
//!
//! A reference selects the rules on its way and all below its end. A variable in it selects every child, unless the
//! body binds the variable to constants before: then only those. This is what recursion is judged by, and it runs on
//! hoisted bodies in source order, as OPA's does: the order in which variables are known decides what is selected.

use crate::{
    draft::{Branch, Callee, Compr, Expr, ExprKind, Head, Ref, Replacement, Rule, Target, Term, TermKind},
    index::{Index, Key, NodeId, ROOT, key_of},
    tree::{RuleId, VarId},
};

/// Values that one reference is narrowed to at most.
const EXPANDED_MAX: usize = 64;

/// What a reference selects.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Selected {
    /// One rule.
    Rule(RuleId),
    /// The rules at a node.
    Node(NodeId),
    /// All rules at a node and below.
    Below(NodeId),
}

/// One step of a reference below `data`.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Step<'r> {
    Key(Key<'r>),
    /// A constant that no rule's path holds.
    Other,
    /// Not known.
    Any(&'r Term),
}

/// A reference below `data`, as a rule holds it.
#[derive(Debug)]
pub(crate) struct Reference<'r> {
    pub(crate) steps: Vec<Step<'r>>,
    /// The place of the expression in the body, its length for the head.
    pub(crate) at: usize,
}

/// Constants that variables are bound to, with the place of the binding.
pub(crate) type Known<'r> = Vec<(usize, VarId, Vec<&'r Term>)>;

/// Returns what each branch of a rule selects.
pub(crate) fn of_rule(index: &Index, rule: &Rule) -> Vec<Vec<Selected>> {
    let one = |(at, branch): (usize, &Branch)| {
        let mut out = Vec::new();
        let args = if at == 0 { rule.args.as_slice() } else { &[] };
        let known = bindings(branch);
        for reference in references(index, branch, args) {
            if known.is_empty() || !reference.steps.iter().any(|it| matches!(it, Step::Any(_))) {
                select(index, &reference.steps, &mut out);
                continue;
            }
            for steps in expanded(&reference, &known) {
                select(index, &steps, &mut out);
            }
        }
        out.sort_unstable();
        out.dedup();
        out
    };
    rule.branches.iter().enumerate().map(one).collect()
}

/// Collects the references into `data` of a branch.
pub(crate) fn references<'r>(index: &'r Index, branch: &'r Branch, args: &'r [Term]) -> Vec<Reference<'r>> {
    let mut walk = Walk { index, at: 0, out: Vec::new() };
    for (at, expr) in branch.body.iter().enumerate() {
        walk.at = at;
        walk.expr(expr);
    }
    walk.at = branch.body.len();
    walk.terms(args);
    walk.term(&branch.value);
    walk.out
}

struct Walk<'r> {
    index: &'r Index,
    at: usize,
    out: Vec<Reference<'r>>,
}

impl<'r> Walk<'r> {
    fn body(&mut self, body: &'r [Expr]) {
        for expr in body {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &'r Expr) {
        match &expr.kind {
            ExprKind::Term(term) => self.term(term),
            ExprKind::Unify(lhs, rhs) => {
                self.term(lhs);
                self.term(rhs);
            }
            ExprKind::Call(call) => {
                self.callee(&call.callee);
                self.terms(&call.args);
            }
            ExprKind::Every(every) => {
                self.term(&every.domain);
                self.body(&every.body);
            }
            ExprKind::Not(operand) => self.body(&operand.body),
            ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
                self.body(&lhs.body);
                self.body(&rhs.body);
            }
        }
        for with in &expr.with {
            match &with.target {
                Target::Data(path) => {
                    let steps = path.iter().map(|it| Step::Key(Key::String(it))).collect();
                    self.out.push(Reference { steps, at: self.at });
                }
                Target::Callee(callee) => self.callee(callee),
                Target::Input(_) => {}
            }
            match &with.value {
                Replacement::Term(term) => self.term(term),
                Replacement::Callee(callee) => self.callee(callee),
            }
        }
    }

    fn callee(&mut self, callee: &Callee) {
        let Callee::Function(group) = callee else { return };
        let Some(group) = self.index.group(*group) else { return };
        let steps = self.index.path(group.node).into_iter().map(Step::Key).collect();
        self.out.push(Reference { steps, at: self.at });
    }

    fn terms(&mut self, terms: &'r [Term]) {
        for term in terms {
            self.term(term);
        }
    }

    fn term(&mut self, term: &'r Term) {
        match &term.kind {
            TermKind::Ref(reference) => self.reference(reference),
            TermKind::Call(call) => {
                self.callee(&call.callee);
                self.terms(&call.args);
            }
            TermKind::Array(items) | TermKind::Set(items) => self.terms(items),
            TermKind::Object(entries) => {
                for (key, value) in entries {
                    self.term(key);
                    self.term(value);
                }
            }
            TermKind::Compr(compr) => self.compr(compr),
            _ => {}
        }
    }

    fn compr(&mut self, compr: &'r Compr) {
        if let Some(key) = &compr.key {
            self.term(key);
        }
        self.term(&compr.term);
        self.body(&compr.body);
    }

    fn reference(&mut self, reference: &'r Ref) {
        match &reference.head {
            Head::Data => {
                let steps = reference.parts.iter().map(step_of).collect();
                self.out.push(Reference { steps, at: self.at });
            }
            Head::Term(term) => self.term(term),
            Head::Input | Head::Var(_) => {}
        }
        self.terms(&reference.parts);
    }
}

fn step_of(term: &Term) -> Step<'_> {
    match &term.kind {
        TermKind::String(text) => Step::Key(Key::String(text)),
        TermKind::Number(text) => Step::Key(Key::Other(text)),
        TermKind::Bool(true) => Step::Key(Key::Other("true")),
        TermKind::Bool(false) => Step::Key(Key::Other("false")),
        TermKind::Null => Step::Key(Key::Other("null")),
        _ if is_constant(term) => Step::Other,
        _ => Step::Any(term),
    }
}

pub(crate) fn is_constant(term: &Term) -> bool {
    match &term.kind {
        TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_) => true,
        TermKind::Array(items) | TermKind::Set(items) => items.iter().all(is_constant),
        TermKind::Object(entries) => {
            entries.iter().all(|(key, value)| is_constant(key) && is_constant(value))
        }
        _ => false,
    }
}

/// Selects what a path of steps may refer to.
pub(crate) fn select(index: &Index, steps: &[Step<'_>], out: &mut Vec<Selected>) {
    select_below(index, ROOT, steps, out);
}

fn select_below(index: &Index, node: NodeId, steps: &[Step<'_>], out: &mut Vec<Selected>) {
    let Some((step, rest)) = steps.split_first() else {
        out.push(Selected::Below(node));
        return;
    };
    match step {
        Step::Key(key) => {
            if let Some(child) = index.child_at(node, *key) {
                select_at(index, child, rest, out);
                select_below(index, child, rest, out);
            }
        }
        Step::Other => {}
        Step::Any(_) => {
            let children = index.node(node).map_or(&[][..], |it| it.children.as_slice());
            for child in children {
                select_at(index, *child, rest, out);
                select_below(index, *child, rest, out);
            }
        }
    }
}

/// Selects the rules at a node whose heads can go on as the reference does.
fn select_at(index: &Index, node: NodeId, rest: &[Step<'_>], out: &mut Vec<Selected>) {
    let rules = index.node(node).map_or(&[][..], |it| it.rules.as_slice());
    if rules.is_empty() {
        return;
    }
    let fits = |id: &RuleId| index.rule(*id).is_some_and(|it| may_intersect(it.parts_behind(), rest));
    if rest.is_empty() || rules.iter().all(fits) {
        out.push(Selected::Node(node));
    } else {
        out.extend(rules.iter().filter(|it| fits(it)).map(|it| Selected::Rule(*it)));
    }
}

fn may_intersect(parts: &[lictor_syntax::ast::Term], rest: &[Step<'_>]) -> bool {
    parts.iter().zip(rest).all(|(part, step)| match (key_of(part), step) {
        (Some(a), Step::Key(b)) => a == *b,
        (Some(_), Step::Other) => false,
        _ => true,
    })
}

/// Returns the variables that a body binds to constants, in its order.
pub(crate) fn bindings(branch: &Branch) -> Known<'_> {
    let mut known: Known<'_> = Vec::new();
    for (at, expr) in branch.body.iter().enumerate() {
        let ExprKind::Unify(lhs, rhs) = &expr.kind else { continue };
        if expr.negated || !expr.with.is_empty() {
            continue;
        }
        for (side, other) in [(lhs, rhs), (rhs, lhs)] {
            let Some(var) = side.as_var() else { continue };
            let Some(values) = values_of(other, &known, usize::MAX) else { continue };
            if !known.iter().any(|(_, it, _)| *it == var) {
                known.push((at, var, values));
            }
            break;
        }
    }
    known
}

/// Returns the constants that a term can be, by what is known before an expression.
pub(crate) fn values_of<'r>(term: &'r Term, known: &Known<'r>, before: usize) -> Option<Vec<&'r Term>> {
    match &term.kind {
        TermKind::Var(var) => values_of_var(*var, known, before),
        TermKind::Ref(reference) => {
            let Head::Var(head) = &reference.head else { return None };
            let mut values = values_of_var(*head, known, before)?;
            for part in &reference.parts {
                values = members_at(&values, part)?;
                if values.len() > EXPANDED_MAX {
                    return None;
                }
            }
            Some(values)
        }
        _ => is_constant(term).then(|| vec![term]),
    }
}

fn values_of_var<'r>(var: VarId, known: &Known<'r>, before: usize) -> Option<Vec<&'r Term>> {
    let found = known.iter().find(|(at, it, _)| *it == var && *at < before)?;
    Some(found.2.clone())
}

/// Returns what a part selects from constants: one member if it is constant, else all.
fn members_at<'r>(values: &[&'r Term], part: &Term) -> Option<Vec<&'r Term>> {
    let mut out = Vec::new();
    for value in values {
        if is_constant(part) {
            out.extend(member(value, part));
        } else {
            out.extend(members(value)?);
        }
    }
    Some(out)
}

pub(crate) fn members(value: &Term) -> Option<Vec<&Term>> {
    match &value.kind {
        TermKind::Array(items) | TermKind::Set(items) => Some(items.iter().collect()),
        TermKind::Object(entries) => Some(entries.iter().map(|(_, value)| value).collect()),
        _ => None,
    }
}

fn member<'r>(value: &'r Term, key: &Term) -> Option<&'r Term> {
    match (&value.kind, &key.kind) {
        (TermKind::Array(items), TermKind::Number(text)) => items.get(text.parse::<usize>().ok()?),
        (TermKind::Set(items), _) => items.iter().find(|it| same(it, key)),
        (TermKind::Object(entries), _) => {
            entries.iter().rev().find(|(it, _)| same(it, key)).map(|(_, value)| value)
        }
        _ => None,
    }
}

/// Tells whether two constants are written alike.
pub(crate) fn same(a: &Term, b: &Term) -> bool {
    match (&a.kind, &b.kind) {
        (TermKind::Null, TermKind::Null) => true,
        (TermKind::Bool(a), TermKind::Bool(b)) => a == b,
        (TermKind::Number(a), TermKind::Number(b)) | (TermKind::String(a), TermKind::String(b)) => a == b,
        (TermKind::Array(a), TermKind::Array(b)) | (TermKind::Set(a), TermKind::Set(b)) => {
            a.len() == b.len() && a.iter().zip(b).all(|(a, b)| same(a, b))
        }
        _ => false,
    }
}

/// Replaces variables by the constants that they are known to be.
pub(crate) fn expanded<'r>(reference: &Reference<'r>, known: &Known<'r>) -> Vec<Vec<Step<'r>>> {
    let mut out = vec![reference.steps.clone()];
    if known.is_empty() {
        return out;
    }
    for at in 0..reference.steps.len() {
        let Some(Step::Any(term)) = reference.steps.get(at) else { continue };
        let Some(values) = values_of(term, known, reference.at) else { continue };
        if values.is_empty() || out.len() * values.len() > EXPANDED_MAX {
            continue;
        }
        let mut next = Vec::with_capacity(out.len() * values.len());
        for steps in &out {
            for value in &values {
                let mut copy = steps.clone();
                if let Some(step) = copy.get_mut(at) {
                    *step = step_of(value);
                }
                next.push(copy);
            }
        }
        out = next;
    }
    out
}
