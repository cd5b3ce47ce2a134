//! OPA's order of nodes, by which sets and objects of the shape are sorted and sets thinned out.
//!
//! Apart from the order of the parser's tree, since bodies are compared here expression by
//! expression as OPA has them. Places do not count.

use std::cmp::Ordering;

use crate::{
    compare::compare_numbers,
    shape::{Expr, ExprKind, Part, Term, Value},
};

/// Orders two terms.
pub(crate) fn compare(a: &Term<'_>, b: &Term<'_>) -> Ordering {
    match (&a.value, &b.value) {
        (Value::Bool(a), Value::Bool(b)) => a.cmp(b),
        (Value::Number(a), Value::Number(b)) => compare_numbers(a, b),
        (Value::String(a), Value::String(b)) => a.cmp(b),
        (Value::Var(a), Value::Var(b)) => a.cmp(b),
        (Value::Ref(a), Value::Ref(b))
        | (Value::Call(a), Value::Call(b))
        | (Value::Array(a), Value::Array(b))
        | (Value::Set(a), Value::Set(b)) => compare_refs(a, b),
        (Value::Object(a), Value::Object(b)) => {
            compare_each(a, b, |a, b| compare(&a.0, &b.0).then_with(|| compare(&a.1, &b.1)))
        }
        (Value::ArrayCompr(a), Value::ArrayCompr(b)) | (Value::SetCompr(a), Value::SetCompr(b)) => {
            compare(&a.term, &b.term).then_with(|| compare_bodies(&a.body, &b.body))
        }
        (Value::ObjectCompr(a), Value::ObjectCompr(b)) => compare(&a.key, &b.key)
            .then_with(|| compare(&a.value, &b.value))
            .then_with(|| compare_bodies(&a.body, &b.body)),
        (Value::Template { parts: a, raw: a_raw }, Value::Template { parts: b, raw: b_raw }) => {
            let shorter = || a.len().cmp(&b.len());
            a_raw.cmp(b_raw).then_with(shorter).then_with(|| compare_each(a, b, compare_parts))
        }
        (a, b) => rank(a).cmp(&rank(b)),
    }
}

fn rank(value: &Value<'_>) -> u8 {
    match value {
        Value::Null => 0,
        Value::Bool(_) => 1,
        Value::Number(_) => 2,
        Value::String(_) => 3,
        Value::Template { .. } => 4,
        Value::Var(_) => 5,
        Value::Ref(_) => 6,
        Value::Array(_) => 7,
        Value::Object(_) => 8,
        Value::Set(_) => 9,
        Value::ArrayCompr(_) => 10,
        Value::ObjectCompr(_) => 11,
        Value::SetCompr(_) => 12,
        Value::Call(_) => 13,
    }
}

fn compare_each<T>(a: &[T], b: &[T], compare: impl Fn(&T, &T) -> Ordering) -> Ordering {
    let each = a.iter().zip(b).map(|(a, b)| compare(a, b));
    let unequal = { each }.find(|order| order.is_ne());
    unequal.unwrap_or_else(|| a.len().cmp(&b.len()))
}

/// Orders lists of terms, such as the parts of references.
fn compare_refs(a: &[Term<'_>], b: &[Term<'_>]) -> Ordering {
    compare_each(a, b, compare)
}

fn compare_parts(a: &Part<'_>, b: &Part<'_>) -> Ordering {
    match (a, b) {
        (Part::Term(a), Part::Term(b)) => compare(a, b),
        (Part::Expr(a), Part::Expr(b)) => compare_exprs(a, b),
        (Part::Term(_), Part::Expr(_)) => Ordering::Less,
        (Part::Expr(_), Part::Term(_)) => Ordering::Greater,
    }
}

fn compare_bodies(a: &[Expr<'_>], b: &[Expr<'_>]) -> Ordering {
    compare_each(a, b, compare_exprs)
}

fn expr_rank(kind: &ExprKind<'_>) -> u8 {
    match kind {
        ExprKind::Some { .. } => 0,
        ExprKind::Term(_) => 1,
        ExprKind::Call(_) => 2,
        ExprKind::Every(_) => 3,
        ExprKind::Not(_) => 4,
        ExprKind::And(_) => 5,
        ExprKind::Or(_) => 6,
    }
}

fn compare_exprs(a: &Expr<'_>, b: &Expr<'_>) -> Ordering {
    expr_rank(&a.kind)
        .cmp(&expr_rank(&b.kind))
        .then_with(|| a.negated.cmp(&b.negated))
        .then_with(|| compare_kinds(&a.kind, &b.kind))
        .then_with(|| {
            compare_each(&a.with, &b.with, |a, b| {
                compare(&a.target, &b.target).then_with(|| compare(&a.value, &b.value))
            })
        })
}

fn compare_kinds(a: &ExprKind<'_>, b: &ExprKind<'_>) -> Ordering {
    match (a, b) {
        (ExprKind::Term(a), ExprKind::Term(b)) => compare(a, b),
        (ExprKind::Call(a), ExprKind::Call(b))
        | (ExprKind::Some { symbols: a, .. }, ExprKind::Some { symbols: b, .. }) => compare_refs(a, b),
        (ExprKind::Every(a), ExprKind::Every(b)) => compare_refs(a.key.as_slice(), b.key.as_slice())
            .then_with(|| compare(&a.value, &b.value))
            .then_with(|| compare(&a.domain, &b.domain))
            .then_with(|| compare_bodies(&a.body, &b.body)),
        (ExprKind::Not(a), ExprKind::Not(b)) => compare_bodies(&a.body, &b.body),
        (ExprKind::And(a), ExprKind::And(b)) | (ExprKind::Or(a), ExprKind::Or(b)) => {
            compare_bodies(&a.lhs.body, &b.lhs.body).then_with(|| compare_bodies(&a.rhs.body, &b.rhs.body))
        }
        _ => Ordering::Equal,
    }
}
