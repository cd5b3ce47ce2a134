//! The tree as OPA's canonical text: one line a statement, operators as calls.
//!
//! This is the form in which OPA shows terms in messages and traces: `x + 1` is `plus(x, 1)`,
//! sets and objects are sorted, strings are quoted as Go does. It is not the formatter, which
//! keeps what was written.

use std::fmt::Write as _;

use crate::{
    ast::{
        Body, Call, Callee, ElseBranch, Every, Expr, ExprKind, Import, InfixOp, Logical, Operand, Package,
        Ref, RegoVersion, Rule, SomeIn, Statement, Template, TemplatePart, Term, TermKind, is_wildcard,
    },
    compare::{sorted_members, sorted_pairs},
    tokens::is_v1_keyword,
};

/// Returns the text of a term.
#[must_use]
pub fn term_text(term: &Term) -> String {
    let mut out = String::new();
    write_term(&mut out, term);
    out
}

/// Returns the text of a reference.
#[must_use]
pub fn ref_text(reference: &Ref) -> String {
    let mut out = String::new();
    write_ref(&mut out, reference);
    out
}

/// Returns the text of an expression.
#[must_use]
pub fn expr_text(expr: &Expr) -> String {
    let mut out = String::new();
    write_expr(&mut out, expr);
    out
}

/// Returns the text of a body: its expressions, joined by `; `.
#[must_use]
pub fn body_text(body: &Body) -> String {
    let mut out = String::new();
    write_body(&mut out, body);
    out
}

/// Returns the text of a rule, without its metadata.
#[must_use]
pub fn rule_text(rule: &Rule, version: RegoVersion) -> String {
    let mut out = String::new();
    write_rule(&mut out, rule, version);
    out
}

/// Returns the text of a package clause.
#[must_use]
pub fn package_text(package: &Package) -> String {
    let mut out = "package ".to_owned();
    if let Some((first, rest)) = package.path.split_first() {
        out.push_str(first.as_str().unwrap_or_default());
        write_parts(&mut out, rest);
    }
    out
}

/// Returns the text of an import.
#[must_use]
pub fn import_text(import: &Import) -> String {
    let mut out = "import ".to_owned();
    write_ref(&mut out, &import.path);
    if let Some(alias) = &import.alias {
        out.push_str(" as ");
        out.push_str(&alias.text);
    }
    out
}

/// Returns the text of a statement.
#[must_use]
pub fn statement_text(statement: &Statement, version: RegoVersion) -> String {
    match statement {
        Statement::Package(package) => package_text(package),
        Statement::Import(import) => import_text(import),
        Statement::Rule(rule) => rule_text(rule, version),
        Statement::Body(body) => body_text(body),
    }
}

fn write_rule(out: &mut String, rule: &Rule, version: RegoVersion) {
    let head = &rule.head;
    if rule.default {
        out.push_str("default ");
    }
    write_ref(out, &head.reference);
    let is_function = head.args.as_ref().is_some_and(|args| !args.is_empty());
    if let Some(args) = head.args.as_ref().filter(|_| is_function) {
        write_list(out, "(", args.iter(), ")");
    }
    if let Some(key) = &head.key {
        if version == RegoVersion::V0 && head.reference.parts.is_empty() {
            write_list(out, "[", [key], "]");
        } else {
            out.push_str(" contains ");
            write_term(out, key);
        }
    } else {
        out.push_str(if head.assign { " := " } else { " = " });
        write_value(out, head.value.as_ref());
    }
    if !rule.default {
        write_rule_body(out, rule.body.as_ref(), version);
    }
    for branch in &rule.else_branches {
        write_else(out, branch, version);
    }
}

fn write_value(out: &mut String, value: Option<&Term>) {
    match value {
        Some(value) => write_term(out, value),
        None => out.push_str("true"),
    }
}

fn write_rule_body(out: &mut String, body: Option<&Body>, version: RegoVersion) {
    out.push_str(if version == RegoVersion::V0 { " { " } else { " if { " });
    match body {
        Some(body) => write_body(out, body),
        None => out.push_str("true"),
    }
    out.push_str(" }");
}

fn write_else(out: &mut String, branch: &ElseBranch, version: RegoVersion) {
    out.push_str(" else = ");
    write_value(out, branch.value.as_ref());
    write_rule_body(out, branch.body.as_ref(), version);
}

fn write_body(out: &mut String, body: &Body) {
    for (idx, expr) in body.iter().enumerate() {
        if idx > 0 {
            out.push_str("; ");
        }
        write_expr(out, expr);
    }
}

fn write_expr(out: &mut String, expr: &Expr) {
    if expr.negated {
        out.push_str("not ");
    }
    match &expr.kind {
        ExprKind::Term(term) => write_expr_term(out, term),
        ExprKind::Assign(binding) => {
            write_list(out, "assign(", [&binding.lhs, &binding.rhs], ")");
        }
        ExprKind::Unify(binding) => write_unify(out, &binding.lhs, &binding.rhs),
        ExprKind::Some(vars) => write_list(out, "some ", vars.iter(), ""),
        ExprKind::SomeIn(some) => write_some_in(out, some),
        ExprKind::Every(every) => write_every(out, every),
        ExprKind::Not(operand) => write_not(out, operand),
        ExprKind::And(logical) => write_logical(out, logical, "and"),
        ExprKind::Or(logical) => write_logical(out, logical, "or"),
    }
    for with in &expr.with {
        out.push_str(" with ");
        write_term(out, &with.target);
        out.push_str(" as ");
        write_term(out, &with.value);
    }
}

fn write_unify(out: &mut String, lhs: &Term, rhs: &Term) {
    write_term(out, lhs);
    out.push_str(" = ");
    write_term(out, rhs);
}

/// Writes a term that is an expression; a call of `eq` by name is a unification.
fn write_expr_term(out: &mut String, term: &Term) {
    if let Some(Call { callee: Callee::Ref(function), args }) = term.as_call()
        && function.parts.is_empty()
        && function.head.as_var() == Some("eq")
        && let [lhs, rhs] = args.as_slice()
    {
        return write_unify(out, lhs, rhs);
    }
    write_term(out, term);
}

fn write_some_in(out: &mut String, some: &SomeIn) {
    out.push_str("some ");
    if let Some(key) = &some.key {
        write_term(out, key);
        out.push_str(", ");
    }
    write_term(out, &some.value);
    out.push_str(" in ");
    write_term(out, &some.collection);
}

fn write_every(out: &mut String, every: &Every) {
    out.push_str("every ");
    if let Some(key) = &every.key {
        write_term(out, key);
        out.push_str(", ");
    }
    write_term(out, &every.value);
    out.push_str(" in ");
    write_term(out, &every.domain);
    out.push_str(" { ");
    write_body(out, &every.body);
    out.push_str(" }");
}

fn write_not(out: &mut String, operand: &Operand) {
    let [only] = operand.body.as_slice() else {
        return write_braces(out, "not {", &operand.body, "}");
    };
    if operand.explicit {
        return write_braces(out, "not {", &operand.body, "}");
    }
    let grouped = match &only.kind {
        ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Not(_) => true,
        ExprKind::Term(term) => opens_with_brace(&term.kind),
        _ => false,
    };
    if grouped || !only.with.is_empty() {
        return write_braces(out, "not (", &operand.body, ")");
    }
    write_braces(out, "not ", &operand.body, "");
}

fn write_braces(out: &mut String, open: &str, body: &Body, close: &str) {
    out.push_str(open);
    write_body(out, body);
    out.push_str(close);
}

fn write_logical(out: &mut String, logical: &Logical, op: &str) {
    write_operand(out, &logical.lhs, op, Side::Left);
    let _ = write!(out, " {op} ");
    write_operand(out, &logical.rhs, op, Side::Right);
}

#[derive(Clone, Copy, PartialEq)]
enum Side {
    Left,
    Right,
}

fn write_operand(out: &mut String, operand: &Operand, op: &str, side: Side) {
    let only = match operand.body.as_slice() {
        [only] if !operand.explicit => only,
        _ => return write_braces(out, "{ ", &operand.body, " }"),
    };
    let grouped = match &only.kind {
        _ if !only.with.is_empty() => true,
        ExprKind::Or(_) => op == "and" || side == Side::Right,
        ExprKind::And(_) => op == "and" && side == Side::Right,
        ExprKind::Term(term) => opens_with_brace(&term.kind),
        _ => false,
    };
    let (open, close) = if grouped { ("(", ")") } else { ("", "") };
    write_braces(out, open, &operand.body, close);
}

fn opens_with_brace(kind: &TermKind) -> bool {
    match kind {
        TermKind::Set(members) => !members.is_empty(),
        TermKind::Object(_) | TermKind::SetCompr(_) | TermKind::ObjectCompr(_) => true,
        TermKind::Ref(reference) => opens_with_brace(&reference.head.kind),
        _ => false,
    }
}

fn write_list<'t>(out: &mut String, open: &str, terms: impl IntoIterator<Item = &'t Term>, close: &str) {
    out.push_str(open);
    for (idx, term) in terms.into_iter().enumerate() {
        if idx > 0 {
            out.push_str(", ");
        }
        write_term(out, term);
    }
    out.push_str(close);
}

fn write_term(out: &mut String, term: &Term) {
    match &term.kind {
        TermKind::Null => out.push_str("null"),
        TermKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        TermKind::Number(text) => out.push_str(text),
        TermKind::String(lit) => write_quoted(out, &lit.value),
        TermKind::Var(name) => out.push_str(if is_wildcard(name) { "_" } else { name }),
        TermKind::Ref(reference) => write_ref(out, reference),
        TermKind::Call(call) => write_call(out, call),
        TermKind::Array(terms) => write_list(out, "[", terms.iter(), "]"),
        TermKind::Object(pairs) => write_object(out, pairs),
        TermKind::Set(members) if members.is_empty() => out.push_str("set()"),
        TermKind::Set(members) => write_list(out, "{", sorted_members(members), "}"),
        TermKind::ArrayCompr(compr) => {
            out.push('[');
            write_collected(out, &compr.term);
            write_braces(out, " | ", &compr.body, "]");
        }
        TermKind::SetCompr(compr) => {
            out.push('{');
            write_collected(out, &compr.term);
            write_braces(out, " | ", &compr.body, "}");
        }
        TermKind::ObjectCompr(compr) => {
            out.push('{');
            write_collected(out, &compr.key);
            out.push_str(": ");
            write_collected(out, &compr.value);
            write_braces(out, " | ", &compr.body, "}");
        }
        TermKind::Template(template) => write_template(out, template),
    }
}

fn write_object(out: &mut String, pairs: &[(Term, Term)]) {
    out.push('{');
    for (idx, (key, value)) in sorted_pairs(pairs).into_iter().enumerate() {
        if idx > 0 {
            out.push_str(", ");
        }
        write_term(out, key);
        out.push_str(": ");
        write_term(out, value);
    }
    out.push('}');
}

fn write_call(out: &mut String, call: &Call) {
    match &call.callee {
        Callee::Ref(function) => write_ref(out, function),
        Callee::Infix(op, _) => out.push_str(op.builtin()),
        Callee::Negation(_) => out.push_str(InfixOp::Minus.builtin()),
    }
    write_list(out, "(", &call.args, ")");
}

/// Writes what a comprehension collects: operators stay infix, in parentheses, since a bar
/// would be ambiguous there.
fn write_collected(out: &mut String, term: &Term) {
    if let Some(call) = term.as_call()
        && let [lhs, rhs] = call.args.as_slice()
        && let Some(symbol) = infix_symbol(call)
    {
        out.push('(');
        write_collected(out, lhs);
        let _ = write!(out, " {symbol} ");
        write_collected(out, rhs);
        out.push(')');
        return;
    }
    write_term(out, term);
}

/// Returns the operator of a call, also of one by name.
fn infix_symbol(call: &Call) -> Option<&'static str> {
    Some(match call.name()?.as_str() {
        "plus" => "+",
        "minus" => "-",
        "mul" => "*",
        "div" => "/",
        "rem" => "%",
        "and" => "&",
        "or" => "|",
        "equal" => "==",
        "neq" => "!=",
        "lt" => "<",
        "lte" => "<=",
        "gt" => ">",
        "gte" => ">=",
        "eq" => "=",
        "assign" => ":=",
        _ => return None,
    })
}

fn write_ref(out: &mut String, reference: &Ref) {
    match &reference.head.kind {
        TermKind::String(lit) => out.push_str(&lit.value),
        _ => write_term(out, &reference.head),
    }
    write_parts(out, &reference.parts);
}

fn write_parts(out: &mut String, parts: &[Term]) {
    for part in parts {
        match part.as_str() {
            Some(name) if is_plain_key(name) => {
                out.push('.');
                out.push_str(name);
            }
            Some(key) if !key.chars().any(|point| point == '\\' || point.is_control()) => {
                let _ = write!(out, "[\"{key}\"]");
            }
            _ => write_list(out, "[", [part], "]"),
        }
    }
}

/// Tells whether a key of a reference is shown behind a dot.
#[must_use]
pub fn is_plain_key(text: &str) -> bool {
    is_name(text) && !is_v1_keyword(text)
}

/// Tells whether a text could be a variable's name.
#[must_use]
pub fn is_name(text: &str) -> bool {
    let letter = |byte: u8| byte.is_ascii_alphabetic() || byte == b'_';
    let mut bytes = text.bytes();
    bytes.next().is_some_and(letter) && bytes.all(|byte| letter(byte) || byte.is_ascii_digit())
}

fn write_template(out: &mut String, template: &Template) {
    out.push_str("$\"");
    for part in &template.parts {
        match part {
            TemplatePart::Text(term) => write_template_text(out, term.as_str().unwrap_or_default()),
            TemplatePart::Expr(expr) => match &expr.kind {
                ExprKind::Term(term) => write_template_term(out, term, expr),
                _ => write_template_expr(out, expr),
            },
        }
    }
    out.push('"');
}

/// Writes a term of a template: OPA makes scalars part of the text.
fn write_template_term(out: &mut String, term: &Term, expr: &Expr) {
    match &term.kind {
        TermKind::String(lit) => write_template_text(out, &lit.value),
        TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) => write_term(out, term),
        _ => write_template_expr(out, expr),
    }
}

fn write_template_expr(out: &mut String, expr: &Expr) {
    out.push('{');
    write_expr(out, expr);
    out.push('}');
}

fn write_template_text(out: &mut String, text: &str) {
    let mut quoted = String::new();
    write_quoted(&mut quoted, text);
    let inner = quoted.get(1..quoted.len().saturating_sub(1));
    let mut before = None;
    for point in inner.unwrap_or_default().chars() {
        if point == '{' && before != Some('\\') {
            out.push('\\');
        }
        out.push(point);
        before = Some(point);
    }
}

/// Writes a string in double quotes with Go's escapes.
pub fn write_quoted(out: &mut String, text: &str) {
    out.push('"');
    for point in text.chars() {
        match point {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\u{7}' => out.push_str("\\a"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{b}' => out.push_str("\\v"),
            ' '..='~' => out.push(point),
            '\u{0}'..='\u{7f}' => {
                let _ = write!(out, "\\x{:02x}", u32::from(point));
            }
            _ if is_printable(point) => out.push(point),
            '\u{80}'..='\u{ffff}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(point));
            }
            _ => {
                let _ = write!(out, "\\U{:08x}", u32::from(point));
            }
        }
    }
    out.push('"');
}

/// Tells whether a character beyond ASCII is one that Go prints as it is: a letter, mark,
/// number, punctuation or symbol.
fn is_printable(point: char) -> bool {
    // The standard library escapes the same categories, and marks only at the start of a text.
    let mut text = String::from("a");
    text.push(point);
    text.escape_debug().nth(1) == Some(point)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn strings_are_quoted_as_go_does() {
        let quoted = |text| {
            let mut out = String::new();
            write_quoted(&mut out, text);
            out
        };
        assert_eq!(quoted("a\"\\\n\u{1}\u{7f}"), r#""a\"\\\n\x01\x7f""#);
        assert_eq!(quoted("\u{e9}\u{301}\u{a0}\u{200b}"), "\"\u{e9}\u{301}\\u00a0\\u200b\"");
        assert_eq!(quoted("\u{e0001}"), "\"\\U000e0001\"");
    }
}
