//! Calls of functions that do not exist or are deprecated, and calls with the wrong number of arguments.
//!
//! It runs on drafts whose calls are still nested, so that each is reported once and at its own place. Types of
//! arguments are not its business.

use lictor_syntax::{Source, Span};

use crate::{
    check::Types,
    diagnostics::{Sink, Stage, calls as faults, types as type_faults},
    draft::{Call, Callee, Compr, Expr, ExprKind, Head, Replacement, Rule, Term, TermKind},
    index::Key,
    near::nearest,
    outputs,
    resolve::Context,
    types::{Key as ObjectKey, Type, elide::Named, relations::or},
};

/// The walk over one rule's or query's bodies.
pub(crate) struct Functions<'r, 'a> {
    pub(crate) ctx: Context<'a>,
    pub(crate) source: &'a Source,
    pub(crate) sink: &'r mut Sink,
    /// Refuse deprecated built-ins.
    pub(crate) modern: bool,
    /// The types of the policy, if they are known: then its functions are shown as built-ins are.
    pub(crate) types: Option<&'a Types>,
    /// How many bodies are open that OPA does not look into when it lists what a policy needs.
    pub(crate) closed: u32,
}

impl Functions<'_, '_> {
    pub(crate) fn rule(&mut self, rule: &Rule) {
        for branch in &rule.branches {
            self.body(&branch.body);
        }
    }

    pub(crate) fn body(&mut self, body: &[Expr]) {
        for expr in body {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &Expr) {
        match &expr.kind {
            ExprKind::Term(term) => self.term(term),
            ExprKind::Unify(lhs, rhs) => {
                self.term(lhs);
                self.term(rhs);
            }
            ExprKind::Call(call) => {
                if !self.call(expr, call) {
                    return;
                }
                for arg in &call.args {
                    self.term(arg);
                }
            }
            ExprKind::Every(every) => {
                self.term(&every.domain);
                self.closed_body(&every.body);
            }
            ExprKind::Not(operand) => self.closed_body(&operand.body),
            ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
                self.closed_body(&lhs.body);
                self.closed_body(&rhs.body);
            }
        }
        for with in &expr.with {
            if let Replacement::Term(value) = &with.value {
                self.term(value);
            }
        }
    }

    fn closed_body(&mut self, body: &[Expr]) {
        self.closed += 1;
        self.body(body);
        self.closed -= 1;
    }

    fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Ref(reference) => {
                if let Head::Term(head) = &reference.head {
                    self.term(head);
                }
                for part in &reference.parts {
                    self.term(part);
                }
            }
            TermKind::Array(items) | TermKind::Set(items) => {
                for item in items {
                    self.term(item);
                }
            }
            TermKind::Object(entries) => {
                for (key, value) in entries {
                    self.term(key);
                    self.term(value);
                }
            }
            TermKind::Compr(compr) => self.compr(compr),
            _ => {}
        }
    }

    fn compr(&mut self, compr: &Compr) {
        self.body(&compr.body);
    }

    /// Checks a call; a false one is not looked into.
    fn call(&mut self, expr: &Expr, call: &Call) -> bool {
        let Some(arity) = outputs::arity(self.ctx, &call.callee) else {
            self.unknown(&call.callee, expr.span);
            return false;
        };
        let have = call.args.len();
        let fits = if expr.generated { have == arity + 1 } else { have == arity || have == arity + 1 };
        if fits {
            self.check_allowed(&call.callee, expr.span);
            return true;
        }
        let given = if expr.generated { have.saturating_sub(1) } else { have };
        match &call.callee {
            Callee::Function(group) => {
                let name = self.ctx.index.group_text(*group);
                let path: Vec<&str> = self
                    .ctx
                    .index
                    .group(*group)
                    .map(|it| self.ctx.index.path(it.node))
                    .unwrap_or_default()
                    .iter()
                    .map(Key::text)
                    .collect();
                if let Some(Type::Function(function)) = self.types.and_then(|it| it.of_path(&path)) {
                    let want: Vec<Named<'_>> =
                        function.args.iter().map(|ty| Named { label: None, ty }).collect();
                    return self.mismatch(&name, &want, call, expr.span);
                }
                let fault = faults::arity(self.source, expr.span, &name, arity, given);
                self.sink.stop(Stage::UndefinedFunctions, fault);
            }
            Callee::Builtin(at) => self.builtin(*at, call, expr.span),
            Callee::Unknown(_) => {}
        }
        false
    }

    fn check_allowed(&mut self, callee: &Callee, span: Span) {
        let Callee::Builtin(at) = callee else { return };
        let Some(declaration) = self.ctx.options.capabilities.at(*at) else { return };
        if self.ctx.options.unsafe_builtins.iter().any(|it| **it == *declaration.name) {
            let fault = faults::not_safe(self.source, span, &declaration.name);
            self.sink.go_on(Stage::UnsafeBuiltins, fault);
        }
        if declaration.flags.deprecated && self.closed == 0 {
            self.sink.needs_deprecated();
        }
        if self.modern && declaration.flags.deprecated {
            let fault = faults::deprecated(self.source, span, &declaration.name);
            self.sink.go_on(Stage::DeprecatedBuiltins, fault);
        }
    }

    fn unknown(&mut self, callee: &Callee, span: Span) {
        let Callee::Unknown(name) = callee else { return };
        let fault = if self.ctx.options.absent.contains(&&**name) {
            faults::not_available(self.source, span, name)
        } else {
            faults::undefined(self.source, span, name, self.near(name).as_deref())
        };
        self.sink.stop(Stage::UndefinedFunctions, fault);
    }

    /// Returns the function whose name is nearest to a wrong one.
    fn near(&self, name: &str) -> Option<String> {
        let builtins = self.ctx.options.capabilities.names().map(str::to_owned);
        nearest(name, builtins.chain(self.ctx.index.function_names()))
    }

    fn builtin(&mut self, at: u32, call: &Call, span: Span) {
        let Some(declaration) = self.ctx.options.capabilities.at(at) else { return };
        let args: Vec<Type> = declaration.args.iter().map(Type::normal).collect();
        let named = |(at, ty)| Named { label: declaration.label(at), ty };
        let want: Vec<Named<'_>> = args.iter().enumerate().map(named).collect();
        self.mismatch(&declaration.name, &want, call, span);
    }

    /// Reports a call with the types that are given and wanted; it is not looked into.
    fn mismatch(&mut self, name: &str, want: &[Named<'_>], call: &Call, span: Span) -> bool {
        let have: Vec<Type> = call.args.iter().map(of_literal).collect();
        let details = type_faults::operands(&have, want, &Type::Unknown);
        let fault = faults::builtin_arity(self.source, span, name, details);
        self.sink.stop(Stage::UndefinedFunctions, fault);
        false
    }
}

/// Returns the type that a term has by itself, without what variables are.
fn of_literal(term: &Term) -> Type {
    let all = |items: &[Term]| items.iter().map(of_literal).collect::<Vec<_>>();
    match &term.kind {
        TermKind::Null => Type::Null,
        TermKind::Bool(_) => Type::Bool,
        TermKind::Number(_) => Type::Number,
        TermKind::String(_) | TermKind::Template(_) => Type::String,
        TermKind::Ref(reference) => match reference.head {
            Head::Input | Head::Data => Type::Any,
            Head::Var(_) | Head::Term(_) => Type::Unknown,
        },
        TermKind::Array(items) => Type::array(all(items), Type::Unknown),
        TermKind::Set(items) => Type::set(all(items).into_iter().fold(Type::Unknown, or)),
        TermKind::Object(entries) => of_object(entries),
        TermKind::Var(_) | TermKind::Call(_) | TermKind::Compr(_) => Type::Unknown,
    }
}

fn of_object(entries: &[(Term, Term)]) -> Type {
    let mut fixed = Vec::new();
    let mut rest = None;
    for (key, value) in entries {
        let value = of_literal(value);
        match &key.kind {
            TermKind::Null => fixed.push((ObjectKey::Null, value)),
            TermKind::Bool(it) => fixed.push((ObjectKey::Bool(*it), value)),
            TermKind::Number(text) => fixed.push((ObjectKey::Number(text.clone()), value)),
            TermKind::String(text) => fixed.push((ObjectKey::String(text.clone()), value)),
            _ => rest = Some((of_literal(key), value)),
        }
    }
    Type::object(fixed, rest)
}
