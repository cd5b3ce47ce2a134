//! Rego text of syntax for messages: references, calls and the terms in them, as OPA prints them.
//!
//! Apart because messages must print a node as OPA does whatever the source looked like. Not a formatter: one line,
//! no comments.

use std::fmt::Write as _;

use lictor_syntax::{ast, diagnostics::write_json_string};

/// Writes a path below a root: `.name` where that can be read back, else `["…"]`.
pub(crate) fn push_key(key: &str, out: &mut String) {
    if is_name(key) {
        out.push('.');
        out.push_str(key);
    } else {
        out.push('[');
        write_json_string(key, out);
        out.push(']');
    }
}

fn is_name(text: &str) -> bool {
    let mut bytes = text.bytes();
    bytes.next().is_some_and(|it| it.is_ascii_alphabetic() || it == b'_')
        && bytes.all(|it| it.is_ascii_alphanumeric() || it == b'_')
}

/// Returns the text of `data` and a path below it.
pub(crate) fn data_path<'p>(path: impl IntoIterator<Item = &'p str>) -> String {
    let mut out = String::from("data");
    for key in path {
        push_key(key, &mut out);
    }
    out
}

pub(crate) fn reference(reference: &ast::Ref) -> String {
    let mut out = String::new();
    push_ref(reference, &mut out);
    out
}

/// Writes the parts of a reference behind its head.
pub(crate) fn push_parts(parts: &[ast::Term], out: &mut String) {
    for part in parts {
        match part.as_str() {
            Some(text) => push_key(text, out),
            None => {
                out.push('[');
                push_term(part, out);
                out.push(']');
            }
        }
    }
}

pub(crate) fn call(call: &ast::Call) -> String {
    let mut out = String::new();
    push_call(call, &mut out);
    out
}

fn push_ref(reference: &ast::Ref, out: &mut String) {
    push_term(&reference.head, out);
    push_parts(&reference.parts, out);
}

fn push_call(call: &ast::Call, out: &mut String) {
    match &call.callee {
        ast::Callee::Ref(name) => push_ref(name, out),
        _ => out.push_str(&call.name().unwrap_or_default()),
    }
    out.push('(');
    push_list(&call.args, out);
    out.push(')');
}

fn push_list(terms: &[ast::Term], out: &mut String) {
    for (idx, term) in terms.iter().enumerate() {
        if idx > 0 {
            out.push_str(", ");
        }
        push_term(term, out);
    }
}

/// Writes a term; bodies of comprehensions are left out.
pub(crate) fn push_term(term: &ast::Term, out: &mut String) {
    match &term.kind {
        ast::TermKind::Null => out.push_str("null"),
        ast::TermKind::Bool(value) => {
            let _ = write!(out, "{value}");
        }
        ast::TermKind::Number(text) => out.push_str(text),
        ast::TermKind::String(text) => write_json_string(&text.value, out),
        ast::TermKind::Var(name) if ast::is_wildcard(name) => out.push('_'),
        ast::TermKind::Var(name) => out.push_str(name),
        ast::TermKind::Ref(reference) => push_ref(reference, out),
        ast::TermKind::Call(call) => push_call(call, out),
        ast::TermKind::Array(items) => {
            out.push('[');
            push_list(items, out);
            out.push(']');
        }
        ast::TermKind::Set(items) if items.is_empty() => out.push_str("set()"),
        ast::TermKind::Set(items) => {
            out.push('{');
            push_list(items, out);
            out.push('}');
        }
        ast::TermKind::Object(entries) => {
            out.push('{');
            for (idx, (key, value)) in entries.iter().enumerate() {
                if idx > 0 {
                    out.push_str(", ");
                }
                push_term(key, out);
                out.push_str(": ");
                push_term(value, out);
            }
            out.push('}');
        }
        ast::TermKind::ArrayCompr(_) => out.push_str("[…]"),
        ast::TermKind::SetCompr(_) | ast::TermKind::ObjectCompr(_) => out.push_str("{…}"),
        ast::TermKind::Template(_) => out.push_str("$\"…\""),
    }
}
