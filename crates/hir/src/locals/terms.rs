//! Terms: variables, references, calls, comprehensions, template strings.
//!
//! Apart from statements because it never declares anything: it looks names up and copies the rest. Calls stay where
//! they are.

use lictor_syntax::{Span, ast, distinct_pairs, printer};

use super::Lowering;
use crate::{
    declared,
    diagnostics::{calls, locals as faults},
    draft::{Call, Callee, Compr, ComprKind, Expr, Head, Part, Ref, Term, TermKind},
    scope::Scope,
};

impl<'a> Lowering<'a> {
    pub(crate) fn term(&mut self, term: &'a ast::Term) -> Term {
        let kind = match &term.kind {
            ast::TermKind::Null => TermKind::Null,
            ast::TermKind::Bool(value) => TermKind::Bool(*value),
            ast::TermKind::Number(text) => TermKind::Number(text.clone()),
            ast::TermKind::String(text) => TermKind::String(text.value.clone()),
            ast::TermKind::Var(name) => self.name(name, term.span),
            ast::TermKind::Ref(reference) => self.reference(reference),
            ast::TermKind::Call(call) => TermKind::Call(Box::new(self.nested_call(call, term.span))),
            ast::TermKind::Array(items) => TermKind::Array(self.terms(items)),
            ast::TermKind::Set(items) => TermKind::Set(self.terms(items)),
            ast::TermKind::Object(entries) => self.object(entries),
            ast::TermKind::ArrayCompr(compr) => self.compr(ComprKind::Array, None, &compr.term, &compr.body),
            ast::TermKind::SetCompr(compr) => self.compr(ComprKind::Set, None, &compr.term, &compr.body),
            ast::TermKind::ObjectCompr(compr) => {
                self.compr(ComprKind::Object, Some(&compr.key), &compr.value, &compr.body)
            }
            ast::TermKind::Template(template) => self.template(template),
        };
        Term::new(kind, term.span)
    }

    /// Lowers an object. Of equal keys OPA takes the last in the order of its keys: variables that are declared, what
    /// it computes ahead, references, comprehensions, other variables, and composites last.
    fn object(&mut self, entries: &'a [(ast::Term, ast::Term)]) -> TermKind {
        let pairs = distinct_pairs(entries).map(|(key, value)| (self.term(key), self.term(value)));
        let mut pairs: Vec<(Term, Term)> = pairs.collect();
        pairs.sort_by_key(|it| match &it.0.kind {
            TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_) => (0, None),
            TermKind::Var(var) if self.scopes.is_declared(*var) => (1, Some(*var)),
            TermKind::Call(_) | TermKind::Template(_) => (2, None),
            TermKind::Ref(_) => (3, None),
            TermKind::Compr(_) => (4, None),
            TermKind::Var(var) => (5, Some(*var)),
            TermKind::Array(_) | TermKind::Set(_) | TermKind::Object(_) => (6, None),
        });
        TermKind::Object(pairs)
    }

    fn terms(&mut self, terms: &'a [ast::Term]) -> Vec<Term> {
        terms.iter().map(|it| self.term(it)).collect()
    }

    /// Looks a name up that stands for itself.
    fn name(&mut self, name: &'a str, span: Span) -> TermKind {
        match self.head(name, span) {
            (Head::Var(var), _) => TermKind::Var(var),
            (head, parts) => TermKind::Ref(Box::new(Ref { head, parts })),
        }
    }

    /// Looks up a name that a reference may start with.
    fn head(&mut self, name: &'a str, span: Span) -> (Head, Vec<Term>) {
        if self.globals.has(name)
            && !self.scopes.is_ignored(name)
            && let Some(found) = self.globals.reference(name, span)
        {
            self.scopes.see(if matches!(found.head, Head::Input) { "input" } else { "data" });
            return (found.head, found.parts);
        }
        let root = match name {
            "input" => Head::Input,
            "data" => Head::Data,
            _ => return (Head::Var(self.scopes.use_name(name)), Vec::new()),
        };
        match self.scopes.use_declared(name) {
            Some(var) => (Head::Var(var), Vec::new()),
            None => (root, Vec::new()),
        }
    }

    fn reference(&mut self, reference: &'a ast::Ref) -> TermKind {
        if let (Some(name @ ("input" | "data")), true) = (reference.head.as_var(), reference.parts.is_empty())
            && let Some(var) = self.scopes.use_root(name, self.outside)
        {
            return TermKind::Var(var);
        }
        let (head, mut parts) = match &reference.head.kind {
            ast::TermKind::Var(name) => self.head(name, reference.head.span),
            _ => (Head::Term(self.term(&reference.head)), Vec::new()),
        };
        match head {
            Head::Input if !reference.parts.is_empty() => self.scopes.see("input"),
            Head::Data if !reference.parts.is_empty() => self.scopes.see("data"),
            _ => {}
        }
        if let (Head::Var(var), true) = (&head, reference.parts.is_empty()) {
            return TermKind::Var(*var);
        }
        parts.reserve(reference.parts.len());
        for part in &reference.parts {
            parts.push(self.term(part));
        }
        TermKind::Ref(Box::new(Ref { head, parts }))
    }

    fn nested_call(&mut self, call: &'a ast::Call, span: Span) -> Call {
        if let ast::Callee::Ref(name) = &call.callee
            && let Some(head) = name.head.as_var()
            && self.scopes.is_declared_within(head, usize::from(self.in_head))
        {
            let fault = faults::called_shadowed(self.source, span, &printer::ref_text(name));
            self.found.faults.push(fault);
        }
        let out = self.call_expr(call);
        self.note_call(call, span, true);
        if let Callee::Builtin(at) = out.callee
            && self.ctx.options.capabilities.at(at).is_some_and(|it| it.result.is_none())
        {
            let text = self.shown_call(call, span);
            self.found.void_calls.push(calls::void_value(self.source, span, &text));
        }
        out
    }

    /// Lowers a call that is an expression.
    pub(crate) fn outer_call(&mut self, call: &'a ast::Call, span: Span) -> Call {
        self.note_call(call, span, false);
        self.call_expr(call)
    }

    /// Notes a call by a plain name, which a variable of the body may turn out to hide.
    fn note_call(&mut self, call: &'a ast::Call, span: Span, nested: bool) {
        if let ast::Callee::Ref(name) = &call.callee
            && let Some(head) = name.head.as_var()
            && self.ctx.options.capabilities.position(head).is_some()
        {
            self.found.calls.push((head, span, nested));
        }
    }

    pub(crate) fn call_expr(&mut self, call: &'a ast::Call) -> Call {
        let callee = match &call.callee {
            ast::Callee::Infix(op, _) => self.operator(op.builtin()),
            ast::Callee::Negation(_) => self.operator(ast::InfixOp::Minus.builtin()),
            ast::Callee::Ref(name) => self.callee(name),
        };
        if let Callee::Builtin(at) = callee {
            let name = self.ctx.options.capabilities.at(at).map_or("", |it| &it.name);
            self.found.prints |= name == "print";
            self.found.metadata |= name.starts_with("rego.metadata.");
        }
        Call { callee, args: self.terms(&call.args) }
    }

    fn operator(&self, name: &str) -> Callee {
        let found = self.ctx.options.capabilities.position(name);
        found.map_or_else(|| Callee::Unknown(name.into()), Callee::Builtin)
    }

    pub(crate) fn callee(&mut self, name: &'a ast::Ref) -> Callee {
        let Some(head) = name.head.as_var() else { return Callee::Unknown(printer::ref_text(name).into()) };
        for part in name.parts.iter().filter_map(ast::Term::as_var) {
            self.scopes.use_declared(part);
        }
        if self.scopes.use_declared(head).is_some() {
            return Callee::Unknown(printer::ref_text(name).into());
        }
        let hidden = self.scopes.is_ignored(head);
        if hidden || !self.globals.has(head) {
            self.scopes.see(head);
        }
        self.globals.callee(self.ctx, name, hidden)
    }

    fn compr(
        &mut self,
        kind: ComprKind,
        key: Option<&'a ast::Term>,
        term: &'a ast::Term,
        body: &'a [ast::Expr],
    ) -> TermKind {
        let hidden = declared::in_body(body);
        self.scopes.ignore(&hidden);
        self.scopes.push(Scope::default());
        let unused_before = self.found.unused.len();
        let body = self.body(body);
        let outside = std::mem::replace(&mut self.outside, true);
        let key = key.map(|key| self.term(key));
        let term = self.term(term);
        self.outside = outside;
        self.check_unused(unused_before);
        self.scopes.pop();
        self.scopes.heed(&hidden);
        TermKind::Compr(Box::new(Compr { kind, key, term, body }))
    }

    fn template(&mut self, template: &'a ast::Template) -> TermKind {
        self.found.templates = true;
        let parts = template.parts.iter().map(|part| match part {
            ast::TemplatePart::Text(text) => Part::Text(self.term(text)),
            ast::TemplatePart::Expr(expr) => {
                Part::Expr(self.statement(expr).unwrap_or_else(|| true_expr(expr.span)))
            }
        });
        TermKind::Template(parts.collect())
    }
}

/// Returns an expression that holds.
pub(crate) fn true_expr(span: Span) -> Expr {
    Expr::new(crate::draft::ExprKind::Term(Term::new(TermKind::Bool(true), span)), span)
}
