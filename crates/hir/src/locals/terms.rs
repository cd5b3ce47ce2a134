//! Terms, references and calls: every name is looked up, nothing is moved.

use lictor_syntax::ast;

use super::Lowering;
use crate::{
    diagnostics::{calls, locals as faults},
    draft::{Call, Callee, Compr, ComprKind, Head, Part, Ref, Term, TermKind},
    scope::Scope,
    show,
};

impl<'a> Lowering<'a> {
    pub(crate) fn term(&mut self, term: &'a ast::Term) -> Term {
        let kind = match &term.kind {
            ast::TermKind::Null => TermKind::Null,
            ast::TermKind::Bool(it) => TermKind::Bool(*it),
            ast::TermKind::Number(it) => TermKind::Number(it.clone()),
            ast::TermKind::String(it) => TermKind::String(it.value.clone()),
            ast::TermKind::Var(name) => return self.name(name, term),
            ast::TermKind::Ref(reference) => self.reference(reference),
            ast::TermKind::Call(call) => TermKind::Call(Box::new(self.nested_call(call, term))),
            ast::TermKind::Array(items) => TermKind::Array(items.iter().map(|it| self.term(it)).collect()),
            ast::TermKind::Set(items) => TermKind::Set(items.iter().map(|it| self.term(it)).collect()),
            ast::TermKind::Object(entries) => {
                TermKind::Object(entries.iter().map(|it| (self.term(&it.0), self.term(&it.1))).collect())
            }
            ast::TermKind::ArrayCompr(it) => self.compr(ComprKind::Array, None, &it.term, &it.body),
            ast::TermKind::SetCompr(it) => self.compr(ComprKind::Set, None, &it.term, &it.body),
            ast::TermKind::ObjectCompr(it) => {
                self.compr(ComprKind::Object, Some(&it.key), &it.value, &it.body)
            }
            ast::TermKind::Template(it) => {
                self.found.templates = true;
                TermKind::Template(it.parts.iter().map(|it| self.part(it)).collect())
            }
        };
        Term::new(kind, term.span)
    }

    fn part(&mut self, part: &'a ast::TemplatePart) -> Part {
        match part {
            ast::TemplatePart::Text(text) => Part::Text(self.term(text)),
            ast::TemplatePart::Expr(expr) => {
                let kind = crate::draft::ExprKind::Term(Term::new(TermKind::Null, expr.span));
                let lowered = self.statement(expr);
                Part::Expr(lowered.unwrap_or_else(|| crate::draft::Expr::new(kind, expr.span)))
            }
        }
    }

    fn name(&mut self, name: &'a str, term: &'a ast::Term) -> Term {
        if let Some(var) = self.scopes.use_declared(name) {
            return Term::var(var, term.span);
        }
        if !self.scopes.is_ignored(name)
            && let Some(reference) = self.globals.reference(name, term.span)
        {
            return Term::new(TermKind::Ref(Box::new(reference)), term.span);
        }
        Term::var(self.scopes.use_name(name), term.span)
    }

    fn reference(&mut self, reference: &'a ast::Ref) -> TermKind {
        let mut out = match reference.head.as_var() {
            Some(name) => match self.scopes.use_declared(name) {
                Some(var) => Ref { head: Head::Var(var), parts: Vec::new() },
                None => self.undeclared_head(name, &reference.head),
            },
            None => Ref { head: Head::Term(self.term(&reference.head)), parts: Vec::new() },
        };
        out.parts.extend(reference.parts.iter().map(|it| self.term(it)));
        TermKind::Ref(Box::new(out))
    }

    fn undeclared_head(&mut self, name: &'a str, head: &'a ast::Term) -> Ref {
        if !self.scopes.is_ignored(name)
            && let Some(reference) = self.globals.reference(name, head.span)
        {
            return reference;
        }
        let head = match name {
            "input" => Head::Input,
            "data" => Head::Data,
            _ => Head::Var(self.scopes.use_name(name)),
        };
        Ref { head, parts: Vec::new() }
    }

    fn compr(
        &mut self,
        kind: ComprKind,
        key: Option<&'a ast::Term>,
        term: &'a ast::Term,
        body: &'a [ast::Expr],
    ) -> TermKind {
        let hidden = crate::declared::in_body(body);
        self.scopes.ignore(&hidden);
        self.scopes.push(Scope::default());
        let unused_before = self.found.unused.len();
        let body = self.body(body);
        let key = key.map(|it| self.term(it));
        let term = self.term(term);
        self.check_unused(unused_before);
        self.scopes.pop();
        self.scopes.heed(&hidden);
        TermKind::Compr(Box::new(Compr { kind, key, term, body }))
    }

    fn nested_call(&mut self, call: &'a ast::Call, term: &'a ast::Term) -> Call {
        let lowered = self.call_expr(call);
        if let Callee::Builtin(at) = lowered.callee
            && self.ctx.options.capabilities.at(at).is_some_and(|it| it.result.is_none())
        {
            let text = show::call(call);
            self.found.void_calls.push(calls::void_value(self.source, term.span, &text));
        }
        lowered
    }

    pub(crate) fn call_expr(&mut self, call: &'a ast::Call) -> Call {
        let callee = match &call.callee {
            ast::Callee::Infix(op, _) => self.operator(op.builtin()),
            ast::Callee::Negation(_) => self.operator(ast::InfixOp::Minus.builtin()),
            ast::Callee::Ref(name) => self.callee(name, call),
        };
        let args = call.args.iter().map(|it| self.term(it)).collect();
        Call { callee, args }
    }

    fn operator(&self, name: &str) -> Callee {
        let found = self.ctx.options.capabilities.position(name);
        found.map_or_else(|| Callee::Unknown(name.into()), Callee::Builtin)
    }

    fn callee(&mut self, name: &'a ast::Ref, call: &'a ast::Call) -> Callee {
        let hidden = name.head.as_var().is_some_and(|it| self.scopes.is_ignored(it));
        let shadowed = name.head.as_var().is_some_and(|it| self.scopes.declared(it).is_some());
        if shadowed {
            let text = show::reference(name);
            self.found.faults.push(faults::called_shadowed(self.source, call.callee_span(), &text));
        }
        let callee = self.globals.callee(self.ctx, name, hidden);
        if let Callee::Builtin(at) = callee
            && self.ctx.options.capabilities.at(at).is_some_and(|it| &*it.name == "print")
        {
            self.found.prints = true;
        }
        callee
    }
}
