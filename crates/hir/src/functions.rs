//! Calls of functions that do not exist or are deprecated, and calls with the wrong number of arguments.
//!
//! It runs on drafts whose calls are still nested, so that each is reported once and at its own place. Types of
//! arguments are not its business.

use lictor_syntax::{Source, Span, diagnostics::Detail};

use crate::{
    diagnostics::{Sink, Stage, calls as faults},
    draft::{Call, Callee, Compr, Expr, ExprKind, Head, Ref, Replacement, Rule, Term, TermKind},
    index::ROOT,
    near::nearest,
    outputs,
    resolve::Context,
    tree::GroupKind,
    types::{Type, detail::of_literal},
};

/// The walk over one rule's or query's bodies.
pub(crate) struct Functions<'r, 'a> {
    pub(crate) ctx: Context<'a>,
    pub(crate) source: &'a Source,
    pub(crate) sink: &'r mut Sink,
    /// Refuse deprecated built-ins.
    pub(crate) modern: bool,
    /// The types of the policy's functions are known, so that they are shown as those of built-ins are.
    pub(crate) typed: bool,
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
                self.body(&every.body);
            }
            ExprKind::Not(operand) => self.body(&operand.body),
            ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
                self.body(&lhs.body);
                self.body(&rhs.body);
            }
        }
        for with in &expr.with {
            if let Replacement::Term(value) = &with.value {
                self.term(value);
            }
        }
    }

    fn term(&mut self, term: &Term) {
        match &term.kind {
            TermKind::Ref(reference) => {
                self.check_value(reference, term.span);
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

    /// Refuses a function where a value is wanted.
    fn check_value(&mut self, reference: &Ref, span: Span) {
        if !matches!(reference.head, Head::Data) || reference.parts.len() < 2 {
            return;
        }
        let index = self.ctx.index;
        let node = reference.parts.iter().try_fold(ROOT, |node, part| match &part.kind {
            TermKind::String(key) => index.child(node, key),
            _ => None,
        });
        let Some(group) = node.and_then(|it| index.node(it)).and_then(|it| it.group) else { return };
        let is_function = index.group(group).is_some_and(|it| matches!(it.kind, GroupKind::Function { .. }));
        if is_function {
            let fault = faults::function_as_value(self.source, span, &index.group_text(group));
            self.sink.go_on(Stage::Types, fault);
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
            self.check_deprecated(&call.callee, expr.span);
            return true;
        }
        let given = if expr.generated { have.saturating_sub(1) } else { have };
        match &call.callee {
            Callee::Function(group) if self.typed => {
                let name = self.ctx.index.group_text(*group);
                self.mismatch(&name, &vec![Type::Any; arity], call, expr.span);
            }
            Callee::Function(group) => {
                let name = self.ctx.index.group_text(*group);
                let fault = faults::arity(self.source, expr.span, &name, arity, given);
                self.sink.stop(Stage::UndefinedFunctions, fault);
            }
            Callee::Builtin(at) => self.builtin(*at, call, expr.span),
            Callee::Unknown(_) => {}
        }
        false
    }

    fn check_deprecated(&mut self, callee: &Callee, span: Span) {
        let Callee::Builtin(at) = callee else { return };
        let Some(declaration) = self.ctx.options.capabilities.at(*at) else { return };
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
        if let Some(declaration) = self.ctx.options.capabilities.at(at) {
            self.mismatch(&declaration.name, &declaration.args, call, span);
        }
    }

    /// Reports a call with the types that are given and wanted.
    fn mismatch(&mut self, name: &str, args: &[Type], call: &Call, span: Span) {
        let have: Vec<Option<Type>> = call.args.iter().map(of_literal).collect();
        let shown = have.iter().map(|it| it.as_ref().map_or_else(|| "???".to_owned(), ToString::to_string));
        let shown: Vec<String> = shown.collect();
        let want: Vec<String> = args.iter().map(ToString::to_string).collect();
        let texts = [format!("({})", shown.join(", ")), format!("({})", want.join(", "))];
        let have = have.iter().map(|it| it.as_ref().map_or(Detail::Null, Type::detail)).collect();
        let want = args.iter().map(Type::detail).collect();
        let fault = faults::builtin_arity(self.source, span, name, (have, want), texts);
        self.sink.stop(Stage::UndefinedFunctions, fault);
    }
}
