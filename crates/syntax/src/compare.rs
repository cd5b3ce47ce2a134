//! OPA's order of terms, for the canonical text of sets and objects.
//!
//! Types order before values: null, boolean, number, string, template, variable, reference,
//! array, object, set, the comprehensions, call. Numbers compare by value, of which only digits
//! are looked at: nothing is calculated.

use std::cmp::Ordering;

use crate::{
    ast::{Body, Call, Callee, Expr, ExprKind, Ref, Term, TermKind},
    printer,
};

/// Returns a set's members in order, each once.
pub(crate) fn sorted_members(members: &[Term]) -> Vec<&Term> {
    let mut sorted: Vec<&Term> = members.iter().collect();
    sorted.sort_by(|a, b| compare(a, b));
    sorted.dedup_by(|b, a| compare(a, b).is_eq());
    sorted
}

/// Returns an object's pairs by order of keys; pairs with one key stay as they are written.
pub(crate) fn sorted_pairs(pairs: &[(Term, Term)]) -> Vec<(&Term, &Term)> {
    let mut sorted: Vec<(&Term, &Term)> = pairs.iter().map(|(key, value)| (key, value)).collect();
    sorted.sort_by(|a, b| compare(a.0, b.0));
    sorted
}

/// Returns an object's pairs as the compiler takes them: in order of their keys, and of pairs with one key the first
/// key and the last value. The order shows where keys become equal only when they are evaluated: the last pair wins.
pub fn distinct_pairs(pairs: &[(Term, Term)]) -> impl Iterator<Item = (&Term, &Term)> {
    // The sort is stable, so that pairs with one key are in the order of the source.
    let mut distinct = sorted_pairs(pairs);
    distinct.dedup_by(|next, kept| {
        let is_one = compare(next.0, kept.0).is_eq();
        if is_one {
            kept.1 = next.1;
        }
        is_one
    });
    distinct.into_iter()
}

fn rank(kind: &TermKind) -> u8 {
    match kind {
        TermKind::Null => 0,
        TermKind::Bool(_) => 1,
        TermKind::Number(_) => 2,
        TermKind::String(_) => 3,
        TermKind::Template(_) => 4,
        TermKind::Var(_) => 5,
        TermKind::Ref(_) => 6,
        TermKind::Array(_) => 7,
        TermKind::Object(_) => 8,
        TermKind::Set(_) => 9,
        TermKind::ArrayCompr(_) => 10,
        TermKind::ObjectCompr(_) => 11,
        TermKind::SetCompr(_) => 12,
        TermKind::Call(_) => 13,
    }
}

fn compare(a: &Term, b: &Term) -> Ordering {
    match (&a.kind, &b.kind) {
        (TermKind::Bool(a), TermKind::Bool(b)) => a.cmp(b),
        (TermKind::Number(a), TermKind::Number(b)) => compare_numbers(a, b),
        (TermKind::String(a), TermKind::String(b)) => a.value.cmp(&b.value),
        (TermKind::Var(a), TermKind::Var(b)) => a.cmp(b),
        (TermKind::Ref(a), TermKind::Ref(b)) => compare_refs(a, b),
        (TermKind::Array(a), TermKind::Array(b)) => compare_lists(a, b),
        (TermKind::Object(a), TermKind::Object(b)) => compare_objects(a, b),
        (TermKind::Set(a), TermKind::Set(b)) => {
            let (a, b) = (sorted_members(a), sorted_members(b));
            compare_each(a.into_iter(), b.into_iter())
        }
        (TermKind::ArrayCompr(a), TermKind::ArrayCompr(b))
        | (TermKind::SetCompr(a), TermKind::SetCompr(b)) => {
            compare(&a.term, &b.term).then_with(|| compare_bodies(&a.body, &b.body))
        }
        (TermKind::ObjectCompr(a), TermKind::ObjectCompr(b)) => compare(&a.key, &b.key)
            .then_with(|| compare(&a.value, &b.value))
            .then_with(|| compare_bodies(&a.body, &b.body)),
        (TermKind::Call(a), TermKind::Call(b)) => compare_calls(a, b),
        (TermKind::Template(_), TermKind::Template(_)) => printer::term_text(a).cmp(&printer::term_text(b)),
        (a, b) => rank(a).cmp(&rank(b)),
    }
}

fn compare_each<'t>(
    mut a: impl Iterator<Item = &'t Term>,
    mut b: impl Iterator<Item = &'t Term>,
) -> Ordering {
    loop {
        match (a.next(), b.next()) {
            (None, None) => return Ordering::Equal,
            (None, Some(_)) => return Ordering::Less,
            (Some(_), None) => return Ordering::Greater,
            (Some(a), Some(b)) => match compare(a, b) {
                Ordering::Equal => {}
                unequal => return unequal,
            },
        }
    }
}

fn compare_lists(a: &[Term], b: &[Term]) -> Ordering {
    compare_each(a.iter(), b.iter())
}

fn compare_refs(a: &Ref, b: &Ref) -> Ordering {
    compare(&a.head, &b.head).then_with(|| compare_lists(&a.parts, &b.parts))
}

/// Compares key by key with their values, then by length.
fn compare_objects(a: &[(Term, Term)], b: &[(Term, Term)]) -> Ordering {
    let (a, b) = (sorted_pairs(a), sorted_pairs(b));
    let keys_then_values =
        |(a, b): (&(&Term, &Term), &(&Term, &Term))| compare(a.0, b.0).then_with(|| compare(a.1, b.1));
    let unequal = a.iter().zip(&b).map(keys_then_values).find(|o| o.is_ne());
    unequal.unwrap_or_else(|| a.len().cmp(&b.len()))
}

fn compare_calls(a: &Call, b: &Call) -> Ordering {
    let by_name = match (&a.callee, &b.callee) {
        (Callee::Ref(a), Callee::Ref(b)) => compare_refs(a, b),
        _ => a.name().cmp(&b.name()),
    };
    by_name.then_with(|| compare_lists(&a.args, &b.args))
}

fn compare_bodies(a: &Body, b: &Body) -> Ordering {
    let each = a.iter().zip(b).map(|(a, b)| compare_exprs(a, b));
    let unequal = { each }.find(|o| o.is_ne());
    unequal.unwrap_or_else(|| a.len().cmp(&b.len()))
}

fn expr_rank(expr: &Expr) -> u8 {
    match &expr.kind {
        ExprKind::Some(_) | ExprKind::SomeIn(_) => 0,
        ExprKind::Term(term) if term.as_call().is_none() => 1,
        ExprKind::Term(_) | ExprKind::Assign(_) | ExprKind::Unify(_) => 2,
        ExprKind::Every(_) => 3,
        ExprKind::Not(_) | ExprKind::And(_) | ExprKind::Or(_) => 4,
    }
}

fn compare_exprs(a: &Expr, b: &Expr) -> Ordering {
    expr_rank(a).cmp(&expr_rank(b)).then_with(|| a.negated.cmp(&b.negated)).then_with(|| {
        match (&a.kind, &b.kind) {
            (ExprKind::Term(a), ExprKind::Term(b)) => compare(a, b),
            _ => printer::expr_text(a).cmp(&printer::expr_text(b)),
        }
    })
}

/// Is a number's digits and the place of the first: 0.d1d2… × 10^places. Zero has no digits.
struct Decimal {
    negative: bool,
    digits: Vec<u8>,
    places: i64,
}

impl Decimal {
    fn parse(text: &str) -> Self {
        let negative = text.starts_with('-');
        let unsigned = text.trim_start_matches('-');
        let (mantissa, exponent) = unsigned.split_once(['e', 'E']).unwrap_or((unsigned, "0"));
        let exponent = exponent.parse::<i64>().unwrap_or(0);
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        let mut digits: Vec<u8> = whole.bytes().chain(fraction.bytes()).collect();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        let zeros = digits.iter().take_while(|digit| **digit == b'0').count();
        digits.drain(..zeros);
        let whole = i64::try_from(whole.len()).unwrap_or(i64::MAX);
        let zeros = i64::try_from(zeros).unwrap_or(i64::MAX);
        let places = whole.saturating_sub(zeros).saturating_add(exponent);
        Self {
            negative: negative && !digits.is_empty(),
            places: if digits.is_empty() { i64::MIN } else { places },
            digits,
        }
    }
}

/// Compares two numbers by value.
pub(crate) fn compare_numbers(a: &str, b: &str) -> Ordering {
    if a == b {
        return Ordering::Equal;
    }
    let (a, b) = (Decimal::parse(a), Decimal::parse(b));
    let size = a.places.cmp(&b.places).then_with(|| a.digits.cmp(&b.digits));
    match (a.negative, b.negative) {
        (false, false) => size,
        (true, true) => size.reverse(),
        (true, false) => Ordering::Less,
        (false, true) => Ordering::Greater,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_order_by_value() {
        let sorted = ["-1e3", "-2", "-0", "0.05", "0.5", "1", "9", "10", "1e2"];
        for pair in sorted.windows(2) {
            assert_eq!(compare_numbers(pair[0], pair[1]), Ordering::Less, "{pair:?}");
        }
        for (a, b) in [("1", "1.0"), ("100", "1e2"), ("0", "-0.0")] {
            assert_eq!(compare_numbers(a, b), Ordering::Equal);
        }
    }
}
