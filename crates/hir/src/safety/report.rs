//! Which of the unsafe variables are named.
//!
//! Apart from the ordering because OPA names some variables and keeps silent on others. It reads what was left over and
//! never changes the order.

use lictor_syntax::{Diagnostic, Source, Span, ast};

use super::Unsafe;
use crate::{
    diagnostics::safety as faults, draft::VarInfo, resolve::Globals, scope::GENERATED, tree::VarId,
    varset::VarSet,
};

/// Makes diagnostics of what is unsafe; `scope` is ` in rule …` or nothing.
pub(crate) fn report(source: &Source, vars: &[VarInfo], found: &[Unsafe], scope: &str) -> Vec<Diagnostic> {
    if found.is_empty() {
        return Vec::new();
    }
    let named = first_places(vars, found);
    let taken = taken_names(vars, found);
    // Left of `:=` a variable is unsafe because something right of it is; that one is worth a report.
    let others = named.iter().any(|(var, _)| !taken.contains(&name_of(vars, *var)));
    let out: Vec<Diagnostic> = named
        .iter()
        .filter(|(var, _)| !(others && taken.contains(&name_of(vars, *var))))
        .map(|(var, span)| faults::unsafe_var(source, *span, shown(vars, *var), scope))
        .collect();
    if out.is_empty() { expressions(source, vars, found, scope) } else { out }
}

/// Returns the named variables with the first expression that needs each, in order of places.
fn first_places(vars: &[VarInfo], found: &[Unsafe]) -> Vec<(VarId, Span)> {
    let mut named: Vec<(VarId, Span)> = Vec::new();
    for it in found {
        for var in it.vars.iter().filter(|it| !name_of(vars, *it).is_empty()) {
            match named.iter_mut().find(|(other, _)| *other == var) {
                Some((_, span)) => *span = (*span).min(it.span),
                None => named.push((var, it.span)),
            }
        }
    }
    named.sort_by_key(|(var, span)| (span.start, var.0));
    named
}

/// Names the rule or import that a variable was probably meant to be.
pub(crate) fn with_near(fault: Diagnostic, globals: &Globals<'_>) -> Diagnostic {
    let name = fault.message.strip_prefix("var ").and_then(|it| it.split(' ').next()).unwrap_or_default();
    match globals.near(name) {
        Some(near) => fault.with_help(format!("did you mean `{near}`?")),
        None => fault,
    }
}

fn taken_names<'v>(vars: &'v [VarInfo], found: &[Unsafe]) -> Vec<&'v str> {
    found.iter().flat_map(|it| it.taken.iter()).map(|it| name_of(vars, it)).collect()
}

/// Reports whole expressions, where all that is unsafe has no name.
fn expressions(source: &Source, vars: &[VarInfo], found: &[Unsafe], scope: &str) -> Vec<Diagnostic> {
    let mut sorted: Vec<&Unsafe> = found.iter().collect();
    sorted.sort_by_key(|it| it.span.start);
    let mut seen = VarSet::default();
    let mut out = Vec::new();
    for it in sorted {
        let mut more = it.vars.clone();
        more.remove_all(&seen);
        if more.iter().any(|var| name_of(vars, var).is_empty()) {
            out.push(faults::unsafe_expression(source, it.span, scope));
        }
        seen.add_all(&it.vars);
    }
    out
}

/// Returns a variable's name; names like OPA's generated ones are none.
fn name_of(vars: &[VarInfo], var: VarId) -> &str {
    let name = vars.get(var.0 as usize).map_or("", |it| &it.name);
    if name.starts_with(GENERATED) { "" } else { name }
}

pub(crate) fn shown(vars: &[VarInfo], var: VarId) -> &str {
    let name = name_of(vars, var);
    if ast::is_wildcard(name) { "_" } else { name }
}
