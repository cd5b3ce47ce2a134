//! Calls: does the function exist, and does it take so many arguments?

use lictor_syntax::Source;

use crate::{
    diagnostics::{Sink, Stage, calls as faults},
    draft::{Call, Callee, Compr, Expr, ExprKind, Head, Part, Term, TermKind},
    resolve::Context,
};

/// Checks the calls of a body, before anything is moved.
pub(crate) fn check_body(body: &[Expr], ctx: Context<'_>, source: &Source, sink: &mut Sink) {
    let mut check = Check { ctx, source, sink };
    body.iter().for_each(|it| check.expr(it));
}

/// Checks the calls of a term.
pub(crate) fn check_term(term: &Term, ctx: Context<'_>, source: &Source, sink: &mut Sink) {
    Check { ctx, source, sink }.term(term);
}

struct Check<'c, 'a, 's> {
    ctx: Context<'a>,
    source: &'c Source,
    sink: &'s mut Sink,
}

impl Check<'_, '_, '_> {
    fn expr(&mut self, expr: &Expr) {
        for with in &expr.with {
            if let crate::draft::Replacement::Term(term) = &with.value {
                self.term(term);
            }
        }
        match &expr.kind {
            ExprKind::Term(term) => self.term(term),
            ExprKind::Unify(a, b) => {
                self.term(a);
                self.term(b);
            }
            ExprKind::Call(call) => self.call(call, expr.span, true),
            ExprKind::Every(every) => {
                self.term(&every.domain);
                every.body.iter().for_each(|it| self.expr(it));
            }
            ExprKind::Not(operand) => operand.body.iter().for_each(|it| self.expr(it)),
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                a.body.iter().chain(&b.body).for_each(|it| self.expr(it));
            }
        }
    }

    fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Call(call) => self.call(call, term.span, false),
            TermKind::Array(items) | TermKind::Set(items) => items.iter().for_each(|it| self.term(it)),
            TermKind::Object(entries) => entries.iter().for_each(|it| {
                self.term(&it.0);
                self.term(&it.1);
            }),
            TermKind::Ref(reference) => {
                if let Head::Term(head) = &reference.head {
                    self.term(head);
                }
                reference.parts.iter().for_each(|it| self.term(it));
            }
            TermKind::Compr(compr) => self.compr(compr),
            TermKind::Template(parts) => parts.iter().for_each(|it| match it {
                Part::Text(term) => self.term(term),
                Part::Expr(expr) => self.expr(expr),
            }),
            _ => {}
        }
    }

    fn compr(&mut self, compr: &Compr) {
        compr.body.iter().for_each(|it| self.expr(it));
        compr.key.iter().chain([&compr.term]).for_each(|it| self.term(it));
    }

    fn call(&mut self, call: &Call, span: lictor_syntax::Span, statement: bool) {
        call.args.iter().for_each(|it| self.term(it));
        let have = call.args.len();
        match &call.callee {
            Callee::Unknown(name) => {
                let fault = if self.ctx.options.absent.contains(&&**name) {
                    faults::not_available(self.source, span, name)
                } else {
                    faults::undefined(self.source, span, name, self.near(name))
                };
                self.sink.stop(Stage::UndefinedFunctions, fault);
            }
            Callee::Function(group) => {
                let want = self.ctx.index.arity(*group).unwrap_or(0);
                // A statement may have the output as one more argument.
                if have != want && !(statement && have == want + 1) {
                    let path = self
                        .ctx
                        .index
                        .group(*group)
                        .map(|it| self.ctx.index.path(it.node))
                        .unwrap_or_default();
                    let names = path.iter().map(|it| match it {
                        crate::index::Key::String(it) | crate::index::Key::Other(it) => *it,
                    });
                    let name = crate::show::data_path(names);
                    self.sink.stop(Stage::Types, faults::arity(self.source, span, &name, want, have));
                }
            }
            Callee::Builtin(at) => {
                let Some(known) = self.ctx.options.capabilities.at(*at) else { return };
                let fits = have == known.arity()
                    || known.variadic.is_some() && have >= known.arity()
                    || statement && have == known.arity() + 1;
                if !fits {
                    let fault = faults::arity(self.source, span, &known.name, known.arity(), have);
                    self.sink.stop(Stage::Types, fault);
                }
            }
        }
    }

    fn near(&self, name: &str) -> Option<&str> {
        let close = |it: &&str| {
            let (a, b) = (it.len(), name.len());
            a.abs_diff(b) <= 2 && common(it, name) + 2 >= a.max(b)
        };
        self.ctx.options.capabilities.names().find(close)
    }
}

/// The number of bytes that both texts begin and end with alike.
fn common(a: &str, b: &str) -> usize {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    let start = a.iter().zip(b).take_while(|it| it.0 == it.1).count();
    let rest = a.len().min(b.len()) - start;
    start + a.iter().rev().zip(b.iter().rev()).take(rest).take_while(|it| it.0 == it.1).count()
}
