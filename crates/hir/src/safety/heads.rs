//! Variables of heads that no body binds.
//!
//! Apart because OPA checks heads after bodies and words them differently. It takes what the body binds as given and
//! orders nothing.

use lictor_syntax::{Diagnostic, Source, Span, ast, printer, visit};

use super::report::shown;
use crate::{
    diagnostics::safety as faults,
    draft::{Branch, Term, TermKind, VarInfo},
    tree::VarId,
    vars::{self, View},
    varset::VarSet,
};

/// Returns the variables of a head that its body does not mention, with their places.
pub(crate) fn unsafe_vars(branch: &Branch, keys: &[Term], args: &VarSet) -> Vec<(VarId, Span)> {
    if branch.value.is_scalar() && keys.iter().all(Term::is_scalar) {
        return Vec::new();
    }
    let mut used = Vec::new();
    for term in keys.iter().chain([&branch.value]) {
        collect(term, &mut used);
    }
    let mut known = args.clone();
    vars::in_body(&branch.body, View::OPEN, &mut known);
    used.retain(|(var, _)| !known.contains(*var));
    used.sort_by_key(|(var, span)| (var.0, span.start));
    used.dedup_by_key(|(var, _)| *var);
    used
}

fn collect(term: &Term, out: &mut Vec<(VarId, Span)>) {
    match &term.kind {
        TermKind::Var(var) => out.push((*var, term.span)),
        TermKind::Array(items) | TermKind::Set(items) => {
            for item in items {
                collect(item, out);
            }
        }
        TermKind::Object(entries) => {
            for (key, value) in entries {
                collect(key, out);
                collect(value, out);
            }
        }
        _ => {}
    }
}

/// Makes diagnostics of variables with names.
pub(crate) fn report(
    source: &Source,
    vars: &[VarInfo],
    open: &[(VarId, Span)],
    scope: &str,
) -> Vec<Diagnostic> {
    open.iter()
        .map(|(var, span)| (shown(vars, *var), *span))
        .filter(|(name, _)| !name.is_empty())
        .map(|(name, span)| faults::unsafe_head_var(source, span, name, scope))
        .collect()
}

/// Returns the part of a rule's head that names it.
pub(crate) fn rule_name(rule: &ast::Rule) -> String {
    let reference = &rule.head.reference;
    let ground = reference.parts.iter().take_while(|it| visit::is_ground(it)).cloned().collect();
    printer::ref_text(&ast::Ref { head: reference.head.clone(), parts: ground, span: reference.span })
}

/// Returns the rows that hold rules of more than one name.
pub(crate) fn shared_rows(module: &ast::Module) -> Vec<u32> {
    let mut rows: Vec<(u32, String)> = Vec::new();
    for rule in &module.rules {
        let name = rule_name(rule);
        let spans = [rule.span].into_iter().chain(rule.else_branches.iter().map(|it| it.span));
        rows.extend(spans.map(|span| (module.source.position(span.start).row, name.clone())));
    }
    rows.sort();
    rows.dedup();
    let pairs = rows.iter().zip(rows.iter().skip(1));
    pairs.filter(|(a, b)| a.0 == b.0).map(|(a, _)| a.0).collect()
}
