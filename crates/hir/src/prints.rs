//! `print`: erased, or made to show undefined operands.
//!
//! Where printing is on, each operand becomes a set of at most one member, so that an undefined one does not end the
//! body; what it needs must be bound before. Where it is off nothing of the call is left.

use lictor_syntax::{Diagnostic, Source};

use crate::{
    draft::{Call, Callee, Compr, ComprKind, Expr, ExprKind, Head, Replacement, Term, TermKind, VarInfo},
    outputs,
    resolve::Context,
    scope::generate,
    templates::undeclared,
    vars::{self, View},
    varset::VarSet,
};

/// The walk over one rule's or query's bodies.
pub(crate) struct Prints<'r, 'a> {
    pub(crate) ctx: Context<'a>,
    pub(crate) source: &'a Source,
    pub(crate) vars: &'r mut Vec<VarInfo>,
    /// What is bound round the whole body. Prints in what a comprehension is made of, and in what `every` goes over, see
    /// no more than this: OPA comes to them apart from the bodies round them.
    pub(crate) outside: VarSet,
    pub(crate) faults: Vec<Diagnostic>,
}

impl Prints<'_, '_> {
    /// Erases or rewrites the calls of a body and of all closures in it.
    pub(crate) fn whole(&mut self, body: &mut Vec<Expr>) {
        let outside = self.outside.clone();
        self.body(body, &outside);
    }

    /// Does the same in the value of a head.
    pub(crate) fn value(&mut self, term: &mut Term) {
        let outside = self.outside.clone();
        self.term(term, &outside);
    }

    fn body(&mut self, body: &mut Vec<Expr>, outside: &VarSet) {
        let on = self.ctx.options.print;
        if !on {
            let print = self.ctx.options.capabilities.position("print");
            body.retain(|expr| !is_print(expr, print));
        }
        let mut known = outside.clone();
        // OPA takes whatever was declared further up for bound; if it is not, another check tells.
        let mut declared = VarSet::default();
        for expr in body.iter_mut() {
            self.closures(expr, &known);
            if on && is_print(expr, self.ctx.options.capabilities.position("print")) {
                let mut bound = known.clone();
                bound.add_all(&declared);
                self.rewrite(expr, &bound);
            }
            if on {
                let mut all = VarSet::default();
                vars::in_expr(expr, View::ALL, &mut all);
                for var in all.iter().filter(|it| self.vars.get(it.0 as usize).is_some_and(|it| it.declared))
                {
                    declared.insert(var);
                }
            }
            let more = outputs::of_written(self.ctx, expr, &known);
            known.add_all(&more);
        }
    }

    fn closures(&mut self, expr: &mut Expr, known: &VarSet) {
        match &mut expr.kind {
            ExprKind::Term(term) => self.term(term, known),
            ExprKind::Unify(lhs, rhs) => {
                self.term(lhs, known);
                self.term(rhs, known);
            }
            ExprKind::Call(call) => self.terms(&mut call.args, known),
            ExprKind::Every(every) => {
                self.value(&mut every.domain);
                let mut inside = known.clone();
                inside.insert(every.value);
                if let Some(key) = every.key {
                    inside.insert(key);
                }
                self.body(&mut every.body, &inside);
            }
            ExprKind::Not(operand) => self.body(&mut operand.body, known),
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

    fn term(&mut self, term: &mut Term, known: &VarSet) {
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
                self.body(&mut compr.body, known);
                if let Some(key) = &mut compr.key {
                    self.value(key);
                }
                self.value(&mut compr.term);
            }
            _ => {}
        }
    }

    fn rewrite(&mut self, expr: &mut Expr, known: &VarSet) {
        let span = expr.span;
        let ExprKind::Call(call) = &mut expr.kind else { return };
        let args = std::mem::take(&mut call.args);
        let mut sets = Vec::with_capacity(args.len());
        for arg in args {
            let mut open = VarSet::default();
            vars::in_term(&arg, View::OPEN, &mut open);
            open.remove_all(known);
            self.faults.extend(undeclared(self.source, arg.span, &open, self.vars));
            let at = arg.span;
            let var = generate(self.vars);
            let capture = Expr { generated: false, ..Expr::capture(var, arg) };
            let compr =
                Compr { kind: ComprKind::Set, key: None, term: Term::var(var, at), body: vec![capture] };
            sets.push(Term::new(TermKind::Compr(Box::new(compr)), at));
        }
        let name = "internal.print";
        let position = self.ctx.options.capabilities.position(name);
        let callee = position.map_or_else(|| Callee::Unknown(name.into()), Callee::Builtin);
        let args = vec![Term::new(TermKind::Array(sets), span)];
        *expr = Expr { query: expr.query, ..Expr::new(ExprKind::Call(Call { callee, args }), span) };
    }
}

fn is_print(expr: &Expr, print: Option<u32>) -> bool {
    match &expr.kind {
        ExprKind::Call(call) => print.is_some_and(|print| call.callee == Callee::Builtin(print)),
        _ => false,
    }
}
