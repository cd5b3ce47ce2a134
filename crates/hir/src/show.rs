//! Rego text of resolved paths for messages.
//!
//! Apart from the printer of syntax because what a name was resolved to is no syntax any more.

use lictor_syntax::{ast, printer};

use crate::{
    draft::{ComprKind, Head, Ref, Term, TermKind, VarInfo},
    tree::VarId,
};

/// Bytes that most paths need at most.
const PATH_BYTES: usize = 48;

/// Writes a key below a root: `.name` where that can be read back, else `["…"]`.
pub(crate) fn push_key(key: &str, out: &mut String) {
    if printer::is_plain_key(key) {
        out.push('.');
        out.push_str(key);
    } else {
        out.push('[');
        printer::write_quoted(out, key);
        out.push(']');
    }
}

/// Returns the text of `data` and a path below it.
pub(crate) fn data_path<'p>(path: impl IntoIterator<Item = &'p str>) -> String {
    let mut out = String::with_capacity(PATH_BYTES);
    out.push_str("data");
    for key in path {
        push_key(key, &mut out);
    }
    out
}

/// Writes the parts of a reference behind its head.
pub(crate) fn push_parts(parts: &[ast::Term], out: &mut String) {
    for part in parts {
        match part.as_str() {
            Some(text) => push_key(text, out),
            None => {
                out.push('[');
                out.push_str(&printer::term_text(part));
                out.push(']');
            }
        }
    }
}

/// Returns the text of a term of a draft.
pub(crate) fn draft_term(term: &Term, vars: &[VarInfo]) -> String {
    let mut out = String::new();
    push_draft(term, vars, &mut out);
    out
}

/// Returns the text of a reference of a draft.
pub(crate) fn draft_ref(reference: &Ref, vars: &[VarInfo]) -> String {
    let mut out = String::new();
    push_draft_ref(reference, vars, &mut out);
    out
}

fn push_draft_ref(reference: &Ref, vars: &[VarInfo], out: &mut String) {
    match &reference.head {
        Head::Input => out.push_str("input"),
        Head::Data => out.push_str("data"),
        Head::Var(var) => push_var(*var, vars, out),
        Head::Term(term) => push_draft(term, vars, out),
    }
    for part in &reference.parts {
        match &part.kind {
            TermKind::String(text) => push_key(text, out),
            _ => {
                out.push('[');
                push_draft(part, vars, out);
                out.push(']');
            }
        }
    }
}

fn push_var(var: VarId, vars: &[VarInfo], out: &mut String) {
    match vars.get(var.0 as usize) {
        Some(info) if ast::is_wildcard(&info.name) => out.push('_'),
        Some(info) if !info.name.is_empty() => out.push_str(&info.name),
        _ => out.push_str(&format!("__local{}__", var.0)),
    }
}

fn push_draft(term: &Term, vars: &[VarInfo], out: &mut String) {
    match &term.kind {
        TermKind::Null => out.push_str("null"),
        TermKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        TermKind::Number(text) => out.push_str(text),
        TermKind::String(text) => printer::write_quoted(out, text),
        TermKind::Var(var) => push_var(*var, vars, out),
        TermKind::Ref(reference) => push_draft_ref(reference, vars, out),
        TermKind::Array(items) => push_list(items, ["[", "]"], vars, out),
        TermKind::Set(items) if items.is_empty() => out.push_str("set()"),
        TermKind::Set(items) => push_list(items, ["{", "}"], vars, out),
        TermKind::Object(entries) => {
            out.push('{');
            for (idx, (key, value)) in entries.iter().enumerate() {
                if idx > 0 {
                    out.push_str(", ");
                }
                push_draft(key, vars, out);
                out.push_str(": ");
                push_draft(value, vars, out);
            }
            out.push('}');
        }
        TermKind::Call(_) => out.push_str("call"),
        TermKind::Compr(compr) => out.push_str(match compr.kind {
            ComprKind::Array => "[…]",
            ComprKind::Set | ComprKind::Object => "{…}",
        }),
        TermKind::Template(_) => out.push_str("$\"…\""),
    }
}

fn push_list(items: &[Term], [open, close]: [&str; 2], vars: &[VarInfo], out: &mut String) {
    out.push_str(open);
    for (idx, item) in items.iter().enumerate() {
        if idx > 0 {
            out.push_str(", ");
        }
        push_draft(item, vars, out);
    }
    out.push_str(close);
}
