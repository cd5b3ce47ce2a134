//! What is settled on the shape before a line is written: names for wildcards that stand for one
//! value, rows that layout goes by instead of the true ones, and which keywords are used.
//!
//! Apart because writing then never changes a node. It knows nothing of output.

use std::{borrow::Cow, collections::HashMap};

use crate::{
    ast::is_wildcard,
    format::{
        infix::{KEYED_MEMBER, MEMBER},
        lists::is_generated,
        refs::ref_name,
    },
    shape::{Expr, ExprKind, Head, Module, Part, Place, Rule, Term, Value},
    source::Span,
};

/// Is the keywords that a module uses without naming them.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Needs {
    pub(crate) member: bool,
    pub(crate) every: bool,
    pub(crate) not: bool,
    pub(crate) and: bool,
    pub(crate) or: bool,
    /// Some variable was made by a compiler, or some term has no place: rows then say nothing of
    /// the lists that hold it.
    pub(crate) generated: bool,
}

impl Needs {
    /// Returns the names of the keywords.
    pub(crate) fn names(self) -> impl Iterator<Item = &'static str> {
        let all = [
            ("and", self.and),
            ("every", self.every),
            ("in", self.member),
            ("not", self.not),
            ("or", self.or),
        ];
        all.into_iter().filter(|(_, needed)| *needed).map(|(name, _)| name)
    }
}

/// Prepares a module.
pub(crate) fn prepare(module: &mut Module<'_>) -> Needs {
    for rule in &mut module.rules {
        prepare_rule(rule);
        // Names in paths are not looked at.
        visit_terms(&mut rule.head.reference, &mut |node| {
            if let Node::Term(term) = node {
                place_value(term);
            }
        });
    }
    let mut counts = HashMap::new();
    visit_module(module, &mut |node| {
        if let Node::Term(Term { value: Value::Var(name), .. }) = node
            && is_wildcard(name)
        {
            *counts.entry(name.to_string()).or_insert(0_u32) += 1;
        }
    });
    let mut needs = Needs::default();
    visit_module(module, &mut |node| match node {
        Node::Term(term) => {
            needs.generated |= is_generated(term);
            prepare_term(term, &counts);
        }
        Node::Expr(expr) => note_needs(expr, &mut needs),
    });
    needs
}

/// A value behind `else` is laid out as if it began at the `else`.
fn prepare_rule(rule: &mut Rule<'_>) {
    place_implied(&mut rule.head);
    let mut next = rule.otherwise.as_deref_mut();
    while let Some(branch) = next {
        let place = branch.head.place;
        if let Some(value) = &mut branch.head.value {
            value.place = place;
        }
        next = branch.otherwise.as_deref_mut();
    }
}

/// A value that was never written is taken for one in the first row.
fn place_implied(head: &mut Head<'_>) {
    if let Some(value) = &mut head.value
        && !value.place.is_some()
    {
        value.place = Place { at: 0, row: 1, text: Span::default() };
    }
}

fn prepare_term(term: &mut Term<'_>, counts: &HashMap<String, u32>) {
    match &mut term.value {
        Value::Var(name) if counts.get(name.as_ref()).is_some_and(|count| *count > 1) => {
            *name = Cow::Owned(format!("_{}", name.trim_start_matches('$')));
        }
        _ => place_value(term),
    }
}

/// Puts the value of an object comprehension on the row of the brace, where the key is.
fn place_value(term: &mut Term<'_>) {
    let row = term.place.row;
    if let Value::ObjectCompr(compr) = &mut term.value {
        compr.value.place.row = row;
    }
}

fn note_needs(expr: &Expr<'_>, needs: &mut Needs) {
    let is_member = expr.call().and_then(<[_]>::first).and_then(ref_name);
    needs.member |= is_member.is_some_and(|name| name == MEMBER || name == KEYED_MEMBER);
    match &expr.kind {
        ExprKind::Every(_) => needs.every = true,
        ExprKind::Not(_) => needs.not = true,
        ExprKind::And(_) => needs.and = true,
        ExprKind::Or(_) => needs.or = true,
        _ => {}
    }
    needs.not |= expr.negated && expr.is_logical();
}

/// Is a node that a visit shows.
enum Node<'n, 't> {
    Term(&'n mut Term<'t>),
    Expr(&'n mut Expr<'t>),
}

fn visit_module<'t>(module: &mut Module<'t>, visit: &mut impl FnMut(Node<'_, 't>)) {
    for rule in &mut module.rules {
        let mut next = Some(rule);
        while let Some(rule) = next {
            visit_head(&mut rule.head, visit);
            visit_body(&mut rule.body, visit);
            next = rule.otherwise.as_deref_mut();
        }
    }
}

/// Visits a head, not its path.
fn visit_head<'t>(head: &mut Head<'t>, visit: &mut impl FnMut(Node<'_, 't>)) {
    let terms = head.args.iter_mut().chain(&mut head.key).chain(&mut head.value);
    for term in terms {
        visit_term(term, visit);
    }
}

fn visit_body<'t>(body: &mut [Expr<'t>], visit: &mut impl FnMut(Node<'_, 't>)) {
    for expr in body {
        visit_expr(expr, visit);
    }
}

fn visit_terms<'t>(terms: &mut [Term<'t>], visit: &mut impl FnMut(Node<'_, 't>)) {
    for term in terms {
        visit_term(term, visit);
    }
}

fn visit_expr<'t>(expr: &mut Expr<'t>, visit: &mut impl FnMut(Node<'_, 't>)) {
    visit(Node::Expr(expr));
    match &mut expr.kind {
        ExprKind::Term(term) => visit_term(term, visit),
        ExprKind::Call(terms) | ExprKind::Some { symbols: terms, .. } => visit_terms(terms, visit),
        ExprKind::Every(every) => {
            visit_terms(every.key.as_mut_slice(), visit);
            visit_term(&mut every.value, visit);
            visit_term(&mut every.domain, visit);
            visit_body(&mut every.body, visit);
        }
        ExprKind::Not(operand) => visit_body(&mut operand.body, visit),
        ExprKind::And(logical) | ExprKind::Or(logical) => {
            visit_body(&mut logical.lhs.body, visit);
            visit_body(&mut logical.rhs.body, visit);
        }
    }
    for with in &mut expr.with {
        visit_term(&mut with.target, visit);
        visit_term(&mut with.value, visit);
    }
}

fn visit_term<'t>(term: &mut Term<'t>, visit: &mut impl FnMut(Node<'_, 't>)) {
    visit(Node::Term(term));
    match &mut term.value {
        Value::Null | Value::Bool(_) | Value::Number(_) | Value::String(_) | Value::Var(_) => {}
        Value::Ref(terms) | Value::Call(terms) | Value::Array(terms) | Value::Set(terms) => {
            visit_terms(terms, visit);
        }
        Value::Object(pairs) => {
            for (key, value) in pairs {
                visit_term(key, visit);
                visit_term(value, visit);
            }
        }
        Value::ArrayCompr(compr) | Value::SetCompr(compr) => {
            visit_term(&mut compr.term, visit);
            visit_body(&mut compr.body, visit);
        }
        Value::ObjectCompr(compr) => {
            visit_term(&mut compr.key, visit);
            visit_term(&mut compr.value, visit);
            visit_body(&mut compr.body, visit);
        }
        Value::Template { parts, .. } => {
            for part in parts {
                match part {
                    Part::Term(term) => visit_term(term, visit),
                    Part::Expr(expr) => visit_expr(expr, visit),
                }
            }
        }
    }
}
