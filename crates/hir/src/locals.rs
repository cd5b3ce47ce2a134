//! Syntax to draft: names become variables, references and functions.
//!
//! The first stage that reads bodies. It looks every name up, in the order in which OPA does (a declaration counts
//! from its place on; what stands right of `:=` is read before what stands left), and copies the rest as it stands:
//! calls stay nested, bodies keep their order. Terms are in [`terms`], declarations in [`statements`].

use lictor_syntax::{Diagnostic, Source, Span, ast};

use crate::{
    declared,
    diagnostics::{Sink, Stage, locals as faults, names},
    draft::{Branch, Expr, ExprKind, Head, Ref, Rule, Term, TermKind},
    index::Entry,
    resolve::{Context, Globals},
    scope::{Occurrence, Scope, Scopes},
};

mod shown;
mod statements;
mod terms;
mod with;

/// The walk over one module's or query's rules.
#[derive(Debug)]
pub(crate) struct Lowering<'a> {
    pub(crate) ctx: Context<'a>,
    pub(crate) source: &'a Source,
    pub(crate) globals: &'a Globals<'a>,
    pub(crate) scopes: Scopes<'a>,
    pub(crate) found: Found<'a>,
    /// The walk is in a head, whose calls OPA does not compare with the body's variables.
    in_head: bool,
    /// The walk is in a head or in what a comprehension collects.
    outside: bool,
}

/// What came up while a rule was walked.
#[derive(Debug, Default)]
pub(crate) struct Found<'a> {
    /// Calls by a plain name of a built-in: name, place, whether inside of a term.
    pub(crate) calls: Vec<(&'a str, Span, bool)>,
    /// Calls of functions that variables hide.
    pub(crate) undefined: Vec<Diagnostic>,
    /// Faults of names, which end the compilation.
    pub(crate) faults: Vec<Diagnostic>,
    /// Variables that nothing uses, which do not.
    pub(crate) unused: Vec<Diagnostic>,
    /// Void calls in terms.
    pub(crate) void_calls: Vec<Diagnostic>,
    /// A template string is in it.
    pub(crate) templates: bool,
    /// A call of `print` is in it.
    pub(crate) prints: bool,
    /// A call of `rego.metadata` is in it.
    pub(crate) metadata: bool,
    /// A `with` is in it.
    pub(crate) with_faults: Vec<Diagnostic>,
}

impl<'a> Lowering<'a> {
    pub(crate) fn new(ctx: Context<'a>, source: &'a Source, globals: &'a Globals<'a>) -> Self {
        Self {
            ctx,
            source,
            globals,
            scopes: Scopes::default(),
            found: Found::default(),
            in_head: false,
            outside: false,
        }
    }

    /// Lowers a rule with its `else` branches.
    pub(crate) fn rule(&mut self, entry: &Entry<'a>, sink: &mut Sink) -> Rule {
        let rule = entry.rule;
        self.scopes.restart();
        self.scopes.push(Scope::default());
        let mut argument_names = Vec::new();
        let args = self.arguments(rule, &mut argument_names, sink);
        let arguments = self.scopes.end_arguments();
        let mut used: Vec<&str> = Vec::new();
        self.scopes.start_branch(arguments.clone());
        let mut keys = Vec::new();
        let mut branches = Vec::with_capacity(1 + rule.else_branches.len());
        let body = rule.body.as_deref().unwrap_or_default();
        let mut hidden = declared::in_body(body);
        hidden.extend(&argument_names);
        self.scopes.ignore(&hidden);
        let main = self.branch(body, rule.head.span, |this, body| {
            keys = this.head_keys(&rule.head.reference, entry.names, body);
            this.head_value(&rule.head)
        });
        self.scopes.heed(&hidden);
        branches.push(Branch { span: rule.span, ..main });
        self.note_used_arguments(&mut used);
        for other in &rule.else_branches {
            self.scopes.start_branch(arguments.clone());
            let body = other.body.as_deref().unwrap_or_default();
            let mut hidden = declared::in_body(body);
            hidden.extend(&argument_names);
            self.scopes.ignore(&hidden);
            let branch = self.branch(body, other.span, |this, _| match &other.value {
                Some(value) => this.term(value),
                None => Term::new(TermKind::Bool(true), other.span),
            });
            self.scopes.heed(&hidden);
            branches.push(Branch { span: other.span, ..branch });
            self.note_used_arguments(&mut used);
        }
        self.check_unused_arguments(rule, &arguments, &used, sink);
        let vars = std::mem::take(&mut self.scopes.vars);
        Rule { keys, contains: entry.is_set(), args, branches, vars }
    }

    fn branch(
        &mut self,
        body: &'a [ast::Expr],
        span: Span,
        head: impl FnOnce(&mut Self, &mut Vec<Expr>) -> Term,
    ) -> Branch {
        let unused_before = self.found.unused.len();
        let mut out = self.body(body);
        (self.in_head, self.outside) = (true, true);
        let value = head(self, &mut out);
        (self.in_head, self.outside) = (false, false);
        self.check_unused(unused_before);
        self.check_hidden_builtins();
        Branch { value, body: out, span }
    }

    /// Reports calls of built-ins whose name is that of a variable of the body.
    fn check_hidden_builtins(&mut self) {
        for (name, span, nested) in std::mem::take(&mut self.found.calls) {
            if !self.scopes.is_seen(name) {
                continue;
            }
            if nested {
                self.found.faults.push(faults::called_shadowed(self.source, span, name));
            } else {
                let fault = crate::diagnostics::calls::undefined(self.source, span, name, None);
                self.found.undefined.push(fault);
            }
        }
    }

    fn head_value(&mut self, head: &'a ast::Head) -> Term {
        match head.key.as_ref().or(head.value.as_ref()) {
            Some(term) => self.term(term),
            None => Term::new(TermKind::Bool(true), head.span),
        }
    }

    /// Lowers the part of the head's path that is not the group's; what must be evaluated goes to the body.
    fn head_keys(&mut self, reference: &'a ast::Ref, names: usize, body: &mut Vec<Expr>) -> Vec<Term> {
        let mut keys = Vec::new();
        for part in reference.parts.iter().skip(names) {
            let term = self.term(part);
            if term.is_scalar() || term.as_var().is_some() {
                keys.push(term);
                continue;
            }
            let var = self.scopes.generate();
            keys.push(Term::var(var, term.span));
            body.push(Expr::capture(var, term));
        }
        keys
    }

    fn arguments(&mut self, rule: &'a ast::Rule, names: &mut Vec<&'a str>, sink: &mut Sink) -> Vec<Term> {
        let args = rule.head.args.as_deref().unwrap_or_default();
        for arg in args {
            declared_by_argument(arg, names);
        }
        if let Some(name) = args.iter().find_map(root_in_argument) {
            let fault = names::shadowing_argument(self.source, rule.span, name);
            sink.stop(Stage::ResolveRefs, fault);
        }
        args.iter().map(|arg| self.argument(arg)).collect()
    }

    fn argument(&mut self, arg: &'a ast::Term) -> Term {
        let kind = match &arg.kind {
            ast::TermKind::Var(name) => TermKind::Var(self.argument_var(name)),
            ast::TermKind::Array(items) => {
                TermKind::Array(items.iter().map(|it| self.argument(it)).collect())
            }
            ast::TermKind::Object(entries) => TermKind::Object(
                entries.iter().map(|(key, value)| (self.term(key), self.argument(value))).collect(),
            ),
            ast::TermKind::Ref(reference) => match reference.head.as_var() {
                Some(name) => {
                    let head = Head::Var(self.argument_var(name));
                    let parts = reference.parts.iter().map(|it| self.argument(it)).collect();
                    TermKind::Ref(Box::new(Ref { head, parts }))
                }
                None => return self.term(arg),
            },
            ast::TermKind::Call(_) => {
                self.found.faults.push(faults::call_in_arguments(self.source, arg.span));
                TermKind::Null
            }
            _ => return self.term(arg),
        };
        Term::new(kind, arg.span)
    }

    fn argument_var(&mut self, name: &'a str) -> crate::tree::VarId {
        if let Some(var) = self.scopes.use_declared(name) {
            return var;
        }
        match self.scopes.declare(name, Occurrence::Argument, Span::default()) {
            Ok(var) => var,
            Err(_) => self.scopes.generate(),
        }
    }

    /// Notes arguments that the branch just lowered uses.
    fn note_used_arguments(&mut self, used: &mut Vec<&'a str>) {
        let scope = self.scopes.pop();
        let used_now = scope
            .locals()
            .iter()
            .filter(|(_, local)| local.occurrence == Occurrence::Argument && local.count > 1)
            .map(|(name, _)| *name);
        used.extend(used_now);
    }

    fn check_unused_arguments(
        &self,
        rule: &ast::Rule,
        arguments: &Scope<'a>,
        used: &[&str],
        sink: &mut Sink,
    ) {
        if !self.ctx.options.strict {
            return;
        }
        for (name, _) in arguments.locals() {
            if !ast::is_wildcard(name) && !used.contains(name) {
                let fault = faults::unused_argument(self.source, rule.head.span, name);
                sink.go_on(Stage::LocalVars, fault);
            }
        }
    }

    /// Hands over what the last rule had.
    pub(crate) fn file_faults(&mut self, sink: &mut Sink) {
        for fault in self.found.faults.drain(..) {
            sink.stop(Stage::LocalVars, fault);
        }
        for fault in self.found.unused.drain(..) {
            sink.go_on(Stage::LocalVars, fault);
        }
        for fault in self.found.void_calls.drain(..) {
            sink.stop(Stage::VoidCalls, fault);
        }
        for fault in self.found.undefined.drain(..) {
            sink.stop(Stage::UndefinedFunctions, fault);
        }
        for fault in self.found.with_faults.drain(..) {
            sink.stop(Stage::WithValues, fault);
        }
    }

    /// Lowers a body in the innermost scope.
    pub(crate) fn body(&mut self, body: &'a [ast::Expr]) -> Vec<Expr> {
        let outside = std::mem::replace(&mut self.outside, false);
        let mut out = Vec::with_capacity(body.len() + 1);
        for expr in body {
            if let Some(expr) = self.statement(expr) {
                out.push(expr);
            }
        }
        self.outside = outside;
        out
    }

    /// Reports variables of the innermost scope that nothing uses.
    ///
    /// OPA reports one scope of a branch only, the first to be finished.
    pub(crate) fn check_unused(&mut self, unused_before: usize) {
        if !self.found.faults.is_empty() || self.found.unused.len() > unused_before {
            return;
        }
        let scope = self.scopes.pop();
        let of = |occurrence: Occurrence| {
            scope.locals().iter().filter(move |(_, local)| local.occurrence == occurrence && local.count <= 1)
        };
        if self.ctx.options.strict {
            for (name, local) in of(Occurrence::Assigned).filter(|(name, _)| !ast::is_wildcard(name)) {
                self.found.unused.push(faults::unused_assigned(self.source, local.span, name));
            }
        }
        if self.found.unused.len() == unused_before {
            for (name, local) in of(Occurrence::Declared) {
                self.found.unused.push(faults::unused_declared(self.source, local.span, name));
            }
        }
        self.scopes.push(scope);
    }
}

/// Returns the first root that stands alone in an argument.
fn root_in_argument(arg: &ast::Term) -> Option<&str> {
    match &arg.kind {
        ast::TermKind::Ref(reference) if reference.parts.is_empty() => {
            reference.head.as_var().filter(|it| matches!(*it, "input" | "data"))
        }
        ast::TermKind::Ref(reference) => reference.parts.iter().find_map(root_in_argument),
        ast::TermKind::Array(items) => items.iter().find_map(root_in_argument),
        ast::TermKind::Object(entries) => entries.iter().find_map(|(_, value)| root_in_argument(value)),
        _ => None,
    }
}

/// Collects the names in arguments that hide rules and imports.
fn declared_by_argument<'a>(arg: &'a ast::Term, out: &mut Vec<&'a str>) {
    match &arg.kind {
        ast::TermKind::Var(name) => out.push(name),
        ast::TermKind::Array(items) => {
            for item in items {
                declared_by_argument(item, out);
            }
        }
        ast::TermKind::Object(entries) => {
            for (_, value) in entries {
                declared_by_argument(value, out);
            }
        }
        ast::TermKind::Ref(reference) => {
            out.extend(reference.head.as_var());
            for part in &reference.parts {
                declared_by_argument(part, out);
            }
        }
        _ => {}
    }
}

/// Returns what an expression is a term of.
pub(crate) fn plain_expr(kind: ExprKind, expr: &ast::Expr) -> Expr {
    Expr { negated: expr.negated, ..Expr::new(kind, expr.span) }
}
