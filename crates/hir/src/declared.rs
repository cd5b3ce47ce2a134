//! Names that a body declares, found before it is lowered.
//!
//! Apart because a declaration hides rules and imports in the whole body, before its place too, and because OPA looks
//! for declarations in every part of a body except comprehensions: inside calls, `every`, `not`, `and`, `or` as well.

use lictor_syntax::ast;

/// Returns the names that `:=`, `some` and `some … in` declare in a body.
pub(crate) fn in_body(body: &[ast::Expr]) -> Vec<&str> {
    let mut out = Vec::new();
    for expr in body {
        in_expr(expr, &mut out);
    }
    out
}

fn in_expr<'a>(expr: &'a ast::Expr, out: &mut Vec<&'a str>) {
    match &expr.kind {
        ast::ExprKind::Assign(binding) => pattern_vars(&binding.lhs, out),
        ast::ExprKind::Some(names) => out.extend(names.iter().filter_map(ast::Term::as_var)),
        ast::ExprKind::SomeIn(some) => {
            if let Some(key) = &some.key {
                pattern_vars(key, out);
            }
            pattern_vars(&some.value, out);
        }
        ast::ExprKind::Every(every) => {
            for expr in &every.body {
                in_expr(expr, out);
            }
        }
        ast::ExprKind::Not(operand) => in_operand(operand, out),
        ast::ExprKind::And(both) | ast::ExprKind::Or(both) => {
            in_operand(&both.lhs, out);
            in_operand(&both.rhs, out);
        }
        ast::ExprKind::Term(term) => {
            if let Some(lhs) = assigned_by_name(term) {
                pattern_vars(lhs, out);
            }
        }
        ast::ExprKind::Unify(_) => {}
    }
}

fn in_operand<'a>(operand: &'a ast::Operand, out: &mut Vec<&'a str>) {
    for expr in &operand.body {
        in_expr(expr, out);
    }
}

/// Returns the left side of `assign(x, y)`.
pub(crate) fn assigned_by_name(term: &ast::Term) -> Option<&ast::Term> {
    operands_by_name(term, "assign").map(|(lhs, _)| lhs)
}

/// Returns the operands of a call by name of a built-in that stands for an operator with two of them.
pub(crate) fn operands_by_name<'a>(
    term: &'a ast::Term,
    name: &str,
) -> Option<(&'a ast::Term, &'a ast::Term)> {
    let call = term.as_call()?;
    let ast::Callee::Ref(callee) = &call.callee else { return None };
    if callee.parts.is_empty()
        && callee.head.as_var() == Some(name)
        && let [lhs, rhs] = call.args.as_slice()
    {
        return Some((lhs, rhs));
    }
    None
}

/// Collects all variables in a term, closures included.
pub(crate) fn pattern_vars<'a>(term: &'a ast::Term, out: &mut Vec<&'a str>) {
    match &term.kind {
        ast::TermKind::Var(name) => out.push(name),
        ast::TermKind::Array(items) | ast::TermKind::Set(items) => {
            for item in items {
                pattern_vars(item, out);
            }
        }
        ast::TermKind::Object(entries) => {
            for (key, value) in entries {
                pattern_vars(key, out);
                pattern_vars(value, out);
            }
        }
        ast::TermKind::Ref(reference) => {
            pattern_vars(&reference.head, out);
            for part in &reference.parts {
                pattern_vars(part, out);
            }
        }
        ast::TermKind::Call(call) => {
            for arg in &call.args {
                pattern_vars(arg, out);
            }
        }
        _ => {}
    }
}

/// Collects the variables that a pattern can bind: no heads of references, keys of objects or closures.
pub(crate) fn bound_vars<'a>(term: &'a ast::Term, out: &mut Vec<&'a str>) {
    match &term.kind {
        ast::TermKind::Var(name) => out.push(name),
        ast::TermKind::Array(items) | ast::TermKind::Set(items) => {
            for item in items {
                bound_vars(item, out);
            }
        }
        ast::TermKind::Object(entries) => {
            for (_, value) in entries {
                bound_vars(value, out);
            }
        }
        ast::TermKind::Ref(reference) => {
            for part in &reference.parts {
                bound_vars(part, out);
            }
        }
        ast::TermKind::Call(call) => {
            for arg in &call.args {
                bound_vars(arg, out);
            }
        }
        _ => {}
    }
}
