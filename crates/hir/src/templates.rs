//! Template strings become calls of `internal.template_string`, each dynamic piece a set of at most one member.
//!
//! The set makes an undefined piece an empty one instead of making the whole string undefined. What a piece needs from
//! outside must be bound there, which is checked here as long as pieces can be told from what was made of them.

use lictor_syntax::{Diagnostic, Source, Span, ast, visit};

use crate::{
    diagnostics::{calls, locals as faults},
    draft::{
        Call, Callee, Compr, ComprKind, Expr, ExprKind, Head, Part, Ref, Replacement, Term, TermKind, VarInfo,
    },
    index::{Index, ROOT},
    outputs,
    resolve::Context,
    scope::generate,
    vars::{self, View},
    varset::VarSet,
};

/// The walk over one rule's or query's bodies.
pub(crate) struct Templates<'r, 'a> {
    pub(crate) ctx: Context<'a>,
    pub(crate) source: &'a Source,
    pub(crate) vars: &'r mut Vec<VarInfo>,
    pub(crate) faults: Vec<Diagnostic>,
}

impl Templates<'_, '_> {
    /// Rewrites a body and returns what is bound in it.
    pub(crate) fn body(&mut self, body: &mut [Expr], outside: &VarSet) -> VarSet {
        let mut known = outputs::of_written_body(self.ctx, body, outside);
        known.add_all(outside);
        for expr in body {
            self.expr(expr, &known);
        }
        known
    }

    fn expr(&mut self, expr: &mut Expr, known: &VarSet) {
        match &mut expr.kind {
            ExprKind::Term(term) => self.term(term, known),
            ExprKind::Unify(lhs, rhs) => {
                self.term(lhs, known);
                self.term(rhs, known);
            }
            ExprKind::Call(call) => self.terms(&mut call.args, known),
            ExprKind::Every(every) => {
                self.term(&mut every.domain, known);
                let mut inside = known.clone();
                inside.insert(every.value);
                if let Some(key) = every.key {
                    inside.insert(key);
                }
                self.body(&mut every.body, &inside);
            }
            ExprKind::Not(operand) => {
                self.body(&mut operand.body, known);
            }
            ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
                self.body(&mut lhs.body, known);
                self.body(&mut rhs.body, known);
            }
        }
        for with in &mut expr.with {
            if let Replacement::Term(value) = &mut with.value {
                self.term(value, known);
            }
        }
    }

    fn terms(&mut self, terms: &mut [Term], known: &VarSet) {
        for term in terms {
            self.term(term, known);
        }
    }

    pub(crate) fn term(&mut self, term: &mut Term, known: &VarSet) {
        if let TermKind::Template(parts) = &mut term.kind {
            let parts = std::mem::take(parts);
            term.kind = self.template(parts, term.span, known);
        }
        match &mut term.kind {
            TermKind::Ref(reference) => {
                if let Head::Term(head) = &mut reference.head {
                    self.term(head, known);
                }
                self.terms(&mut reference.parts, known);
            }
            TermKind::Call(call) => self.terms(&mut call.args, known),
            TermKind::Array(items) | TermKind::Set(items) => self.terms(items, known),
            TermKind::Object(entries) => {
                for (key, value) in entries {
                    self.term(key, known);
                    self.term(value, known);
                }
            }
            TermKind::Compr(compr) => {
                let inside = self.body(&mut compr.body, known);
                if let Some(key) = &mut compr.key {
                    self.term(key, &inside);
                }
                self.term(&mut compr.term, &inside);
            }
            _ => {}
        }
    }

    fn template(&mut self, parts: Vec<Part>, span: Span, known: &VarSet) -> TermKind {
        let mut pieces: Vec<Term> = parts
            .into_iter()
            .map(|part| match part {
                Part::Text(text) => text,
                Part::Expr(expr) => self.piece(expr, known),
            })
            .collect();
        if pieces.is_empty() {
            pieces.push(Term::new(TermKind::String("".into()), span));
        }
        let name = "internal.template_string";
        let position = self.ctx.options.capabilities.position(name);
        let callee = position.map_or_else(|| Callee::Unknown(name.into()), Callee::Builtin);
        let args = vec![Term::new(TermKind::Array(pieces), span)];
        TermKind::Call(Box::new(Call { callee, args }))
    }

    /// Makes a set of an expression.
    fn piece(&mut self, expr: Expr, known: &VarSet) -> Term {
        let span = expr.span;
        let term = match expr.kind {
            ExprKind::Term(term) => term,
            ExprKind::Call(call) => {
                self.refuse_relation(&call, span);
                Term::new(TermKind::Call(Box::new(call)), span)
            }
            other => {
                self.faults.push(faults::bad_template_part(self.source, span, operand_name(&other)));
                return Term::new(TermKind::Null, span);
            }
        };
        let alone = match &term.kind {
            TermKind::Var(_) => true,
            TermKind::Ref(reference) => is_always_defined(self.ctx.index, reference),
            _ => false,
        };
        if alone {
            return Term::new(TermKind::Set(vec![term]), span);
        }
        self.check_declared(&term, known);
        let var = generate(self.vars);
        let capture = Expr { with: expr.with, generated: false, ..Expr::capture(var, term) };
        let compr =
            Compr { kind: ComprKind::Set, key: None, term: Term::var(var, span), body: vec![capture] };
        Term::new(TermKind::Compr(Box::new(compr)), span)
    }

    fn refuse_relation(&mut self, call: &Call, span: Span) {
        if let Callee::Builtin(at) = call.callee
            && let Some(declaration) = self.ctx.options.capabilities.at(at)
            && declaration.flags.relation
        {
            self.faults.push(calls::relation_in_template(self.source, span, &declaration.name));
        }
    }

    fn check_declared(&mut self, term: &Term, known: &VarSet) {
        let mut open = VarSet::default();
        vars::in_term(term, View::OPEN, &mut open);
        open.remove_all(known);
        for fault in undeclared(self.source, term.span, &open, self.vars) {
            self.faults.push(fault);
        }
    }
}

/// Reports variables that are not bound where they are used.
pub(crate) fn undeclared(source: &Source, span: Span, open: &VarSet, vars: &[VarInfo]) -> Vec<Diagnostic> {
    let mut names: Vec<&str> =
        open.iter().filter_map(|var| vars.get(var.0 as usize)).map(|it| it.name.as_ref()).collect();
    names.sort_unstable();
    names
        .into_iter()
        .map(|name| if ast::is_wildcard(name) { "_" } else { name })
        .map(|name| faults::undeclared(source, span, name))
        .collect()
}

fn operand_name(kind: &ExprKind) -> &'static str {
    match kind {
        ExprKind::And(..) => "*ast.LogicalAnd",
        ExprKind::Or(..) => "*ast.LogicalOr",
        ExprKind::Not(_) => "*ast.Not",
        _ => "*ast.Every",
    }
}

/// Tells whether a reference is a rule that has a value whatever the input.
fn is_always_defined(index: &Index, reference: &Ref) -> bool {
    if !matches!(reference.head, Head::Data) {
        return false;
    }
    let mut node = ROOT;
    for part in &reference.parts {
        let TermKind::String(key) = &part.kind else { return false };
        let Some(child) = index.child(node, key) else { return false };
        node = child;
    }
    let Some(node) = index.node(node) else { return false };
    let mut rules = node.rules.iter().filter_map(|it| index.rule(*it));
    let Some(first) = rules.next() else { return false };
    if first.arity() > 0 {
        return false;
    }
    if first.rule.default || first.is_set() {
        return true;
    }
    match rules.next() {
        None => is_constant(first.rule),
        Some(second) => second.rule.default || rules.any(|it| it.rule.default),
    }
}

fn is_constant(rule: &ast::Rule) -> bool {
    let no_body = match rule.body.as_deref() {
        None => true,
        Some([only]) => {
            matches!(&only.kind, ast::ExprKind::Term(ast::Term { kind: ast::TermKind::Bool(true), .. }))
        }
        Some(_) => false,
    };
    let constant = |value: &ast::Term| match &value.kind {
        ast::TermKind::Array(_) | ast::TermKind::Object(_) | ast::TermKind::Set(_) => visit::is_ground(value),
        kind => !matches!(
            kind,
            ast::TermKind::Ref(_)
                | ast::TermKind::Call(_)
                | ast::TermKind::ArrayCompr(_)
                | ast::TermKind::SetCompr(_)
                | ast::TermKind::ObjectCompr(_)
                | ast::TermKind::Template(_)
        ),
    };
    no_body && rule.head.value.as_ref().is_none_or(constant)
}
