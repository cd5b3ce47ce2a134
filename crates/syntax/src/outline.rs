//! The tree of a module as an outline: a node a line, deeper ones further right, as `parse` shows.
//!
//! What is left out is what OPA leaves out: keys of heads, what template strings hold. A value is
//! shown as if it were a format of Go's without arguments, for so it is there.

use std::fmt::Write as _;

use crate::{
    ast::{Module, is_wildcard},
    printer::write_quoted,
    shape::{self, Compr, Expr, ExprKind, Head, Operand, Rule, Term, Value},
};

/// Returns the outline of a module that was parsed without fault; comments only if asked for.
#[must_use]
pub fn module_outline(module: &Module, with_comments: bool) -> String {
    let shaped = shape::build_module(module);
    let mut outline = Outline { out: String::new(), depth: 0 };
    outline.node("module", |it| {
        it.node("package", |it| it.reference(&shaped.package.path));
        for import in &shaped.imports {
            it.node("import", |it| {
                it.term(&import.path);
                it.line(import.alias.map_or("", |(alias, _)| alias));
            });
        }
        for rule in &shaped.rules {
            it.rule(rule);
        }
        for _ in &module.annotations {
            it.line("annotations");
        }
        for _ in module.comments.iter().filter(|_| with_comments) {
            it.line("comment");
        }
    });
    outline.out
}

struct Outline {
    out: String,
    depth: usize,
}

impl Outline {
    fn line(&mut self, text: &str) {
        for _ in 0..self.depth {
            self.out.push(' ');
        }
        self.out.push_str(text);
        self.out.push('\n');
    }

    fn node(&mut self, name: &str, inner: impl FnOnce(&mut Self)) {
        self.line(name);
        self.depth += 1;
        inner(self);
        self.depth -= 1;
    }

    fn rule(&mut self, rule: &Rule<'_>) {
        self.node("rule", |it| {
            it.node("head", |it| it.head(&rule.head));
            it.body(&rule.body);
            if let Some(otherwise) = &rule.otherwise {
                it.rule(otherwise);
            }
        });
    }

    fn head(&mut self, head: &Head<'_>) {
        self.reference(&head.reference);
        if !head.args.is_empty() {
            self.node("args", |it| it.terms(&head.args));
        }
        if let Some(value) = &head.value {
            self.term(value);
        }
    }

    fn body(&mut self, body: &[Expr<'_>]) {
        self.node("body", |it| {
            for (idx, expr) in body.iter().enumerate() {
                let negated = if expr.negated { "negated " } else { "" };
                it.node(&format!("expr {negated}index={idx}"), |it| it.expr(expr));
            }
        });
    }

    fn expr(&mut self, expr: &Expr<'_>) {
        match &expr.kind {
            ExprKind::Term(term) => self.term(term),
            ExprKind::Call(terms) => self.terms(terms),
            ExprKind::Some { symbols, .. } => self.node("somedecl", |it| it.terms(symbols)),
            ExprKind::Every(every) => self.node("every", |it| {
                it.terms(every.key.as_slice());
                it.term(&every.value);
                it.term(&every.domain);
                it.body(&every.body);
            }),
            ExprKind::Not(operand) => self.node("not", |it| it.operand(operand)),
            ExprKind::And(logical) => self.node("logicaland", |it| {
                it.operand(&logical.lhs);
                it.operand(&logical.rhs);
            }),
            ExprKind::Or(logical) => self.node("logicalor", |it| {
                it.operand(&logical.lhs);
                it.operand(&logical.rhs);
            }),
        }
        for with in &expr.with {
            self.node("with", |it| {
                it.term(&with.target);
                it.term(&with.value);
            });
        }
    }

    fn operand(&mut self, operand: &Operand<'_>) {
        self.body(&operand.body);
    }

    fn terms(&mut self, terms: &[Term<'_>]) {
        for term in terms {
            self.term(term);
        }
    }

    fn reference(&mut self, parts: &[Term<'_>]) {
        self.node("ref", |it| it.terms(parts));
    }

    fn term(&mut self, term: &Term<'_>) {
        match &term.value {
            Value::Null => self.line("null"),
            Value::Bool(value) => self.line(if *value { "true" } else { "false" }),
            Value::Number(text) => self.line(text),
            Value::String(text) => {
                let mut quoted = String::new();
                write_quoted(&mut quoted, text);
                self.line(&without_arguments(&quoted));
            }
            Value::Var(name) => self.line(if is_wildcard(name) { "_" } else { name }),
            Value::Ref(parts) => self.reference(parts),
            Value::Call(terms) => self.node("call", |it| it.terms(terms)),
            Value::Array(terms) => self.node("array", |it| it.terms(terms)),
            Value::Set(members) => self.node("set", |it| it.terms(members)),
            Value::Object(pairs) => self.node("object", |it| it.pairs(pairs)),
            Value::ArrayCompr(compr) => self.compr("arraycomprehension", compr),
            Value::SetCompr(compr) => self.compr("setcomprehension", compr),
            Value::ObjectCompr(compr) => self.node("objectcomprehension", |it| {
                it.term(&compr.key);
                it.term(&compr.value);
                it.body(&compr.body);
            }),
            Value::Template { .. } => self.line("templatestring"),
        }
    }

    fn compr(&mut self, name: &str, compr: &Compr<'_>) {
        self.node(name, |it| {
            it.term(&compr.term);
            it.body(&compr.body);
        });
    }

    /// Writes pairs; of a key that is there twice OPA shows the last value each time.
    fn pairs(&mut self, pairs: &[(Term<'_>, Term<'_>)]) {
        for (idx, (key, value)) in pairs.iter().enumerate() {
            self.term(key);
            let later = pairs.get(idx + 1..).unwrap_or_default();
            let same = later.iter().take_while(|(other, _)| shape::compare(other, key).is_eq());
            self.term(same.last().map_or(value, |(_, value)| value));
        }
    }
}

/// Returns what Go makes of a format without arguments.
fn without_arguments(format: &str) -> String {
    let mut out = String::new();
    let mut rest = format;
    while let Some((before, after)) = rest.split_once('%') {
        out.push_str(before);
        let flags = after.trim_start_matches(['#', '0', '+', '-', ' ']);
        rest = directive(flags, &mut out);
    }
    out.push_str(rest);
    out
}

/// Reads a directive behind its flags, appends what it gives and returns what follows.
fn directive<'f>(text: &'f str, out: &mut String) -> &'f str {
    let mut indexed = false;
    let mut rest = argument_index(text, &mut indexed);
    if let Some(after) = rest.strip_prefix('*') {
        out.push_str("%!(BADWIDTH)");
        rest = after;
    } else {
        rest = rest.trim_start_matches(|point: char| point.is_ascii_digit());
    }
    if let Some(after) = rest.strip_prefix('.') {
        rest = argument_index(after, &mut indexed);
        if let Some(after) = rest.strip_prefix('*') {
            out.push_str("%!(BADPREC)");
            rest = after;
        } else {
            rest = rest.trim_start_matches(|point: char| point.is_ascii_digit());
        }
    }
    rest = argument_index(rest, &mut indexed);
    let mut chars = rest.chars();
    match chars.next() {
        None => out.push_str("%!(NOVERB)"),
        Some('%') => out.push('%'),
        Some(verb) => {
            let what = if indexed { "BADINDEX" } else { "MISSING" };
            // Writing to a string cannot fail.
            let _ = write!(out, "%!{verb}({what})");
        }
    }
    chars.as_str()
}

/// Skips `[n]`, which names an argument that is not there.
fn argument_index<'f>(text: &'f str, indexed: &mut bool) -> &'f str {
    let Some(inner) = text.strip_prefix('[') else {
        return text;
    };
    *indexed = true;
    match inner.split_once(']') {
        Some((_, after)) => after,
        None => inner,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ParseOptions, parse_module};

    #[test]
    fn modules_have_the_outline_of_opa() {
        let text = "package a\nimport data.b\np.q := {\"%d\": _} if not input.x # c\n";
        let module = parse_module("t", text, &ParseOptions::default()).tree.expect("parses");
        let want = "module\n package\n  ref\n   data\n   \"a\"\n import\n  ref\n   data\n   \"b\"\n  \n rule\n  head\n   ref\n    p\n    \"q\"\n   object\n    \"%!d(MISSING)\"\n    _\n  body\n   expr negated index=0\n    ref\n     input\n     \"x\"\n comment\n";
        assert_eq!(module_outline(&module, true), want);
    }

    #[test]
    fn formats_without_arguments() {
        for (text, want) in [
            ("50%", "50%!(NOVERB)"),
            ("%%x%v", "%x%!v(MISSING)"),
            ("%-5.2fx", "%!f(MISSING)x"),
            ("%[1]d", "%!d(BADINDEX)"),
            ("%*d", "%!(BADWIDTH)%!d(MISSING)"),
            ("%[1].[2]*d", "%!(BADPREC)%!d(BADINDEX)"),
            ("%[", "%!(NOVERB)"),
        ] {
            assert_eq!(without_arguments(text), want);
        }
    }
}
