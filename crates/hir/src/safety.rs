//! Bodies in an order in which every variable is bound where it must be, or the faults of those that have none.
//!
//! The order is OPA's: expressions are taken from first to last whenever all their variables are bound or bound by
//! themselves, again and again until none can be taken. What is left is unsafe.

use rustc_hash::FxHashMap;

use lictor_syntax::{Diagnostic, Source, Span};

use crate::{
    diagnostics::safety as faults,
    draft::{Compr, Expr, ExprKind, Replacement, Term, TermKind, VarInfo},
    outputs::{Vars, all_of_expr, closures, of_expr, outer},
    tree::VarId,
};

/// The check of one rule or query.
#[derive(Debug)]
pub(crate) struct Safety<'a> {
    pub(crate) source: &'a Source,
    pub(crate) vars: &'a [VarInfo],
    pub(crate) faults: Vec<Diagnostic>,
}

impl Safety<'_> {
    /// Orders a body whose variables in `bound` are bound from outside; returns what is bound behind it.
    pub(crate) fn body(&mut self, body: &mut Vec<Expr>, bound: &Vars) -> Vars {
        let mut safe = bound.clone();
        let mut waiting: Vec<Waiting> = Vec::with_capacity(body.len());
        let mut outside_all = Vars::default();
        for expr in body.drain(..) {
            let (mut outside, mut inside) = (Vars::default(), Vars::default());
            all_of_expr(&expr, &mut outside, &mut inside);
            outside_all.extend(&outside);
            waiting.push(Waiting { expr, outside, inside });
        }
        // Variables of closures that the body knows must be bound before the closure.
        for it in &mut waiting {
            it.inside.retain(|var| outside_all.contains(var) && !it.outside.contains(var));
        }
        let mut ordered = Vec::with_capacity(waiting.len());
        loop {
            let before = waiting.len();
            let mut left = Vec::new();
            for it in waiting {
                match self.place(it, &mut safe) {
                    Ok(expr) => ordered.push(expr),
                    Err(it) => left.push(it),
                }
            }
            waiting = left;
            if waiting.is_empty() || waiting.len() == before {
                break;
            }
        }
        for it in waiting {
            self.report(&it, &safe);
            ordered.push(it.expr);
        }
        *body = ordered;
        safe
    }

    /// Takes an expression if it is safe now.
    fn place(&mut self, mut it: Waiting, safe: &mut Vars) -> Result<Expr, Waiting> {
        let outputs = of_expr(&it.expr, safe);
        let is_safe = it.outside.iter().all(|var| safe.contains(var) || outputs.contains(var))
            && it.inside.is_subset(safe);
        if !is_safe {
            return Err(it);
        }
        let before = safe.clone();
        safe.extend(outputs);
        self.inner(&mut it.expr, &before, safe);
        Ok(it.expr)
    }

    /// Orders the bodies inside an expression.
    fn inner(&mut self, expr: &mut Expr, before: &Vars, after: &Vars) {
        for with in &mut expr.with {
            if let Replacement::Term(term) = &mut with.value {
                self.term(term, before);
            }
        }
        match &mut expr.kind {
            ExprKind::Term(term) => self.term(term, before),
            ExprKind::Unify(a, b) => {
                self.term(a, before);
                self.term(b, before);
            }
            ExprKind::Call(call) => call.args.iter_mut().for_each(|it| self.term(it, before)),
            ExprKind::Every(every) => {
                self.term(&mut every.domain, before);
                let mut bound = after.clone();
                bound.extend(every.key);
                bound.insert(every.value);
                self.body(&mut every.body, &bound);
            }
            ExprKind::Not(operand) => {
                self.body(&mut operand.body, after);
            }
            ExprKind::And(a, b) | ExprKind::Or(a, b) => {
                self.body(&mut a.body, after);
                self.body(&mut b.body, after);
            }
        }
    }

    fn term(&mut self, term: &mut Term, bound: &Vars) {
        match &mut term.kind {
            TermKind::Compr(compr) => self.compr(compr, bound),
            TermKind::Array(items) | TermKind::Set(items) => {
                items.iter_mut().for_each(|it| self.term(it, bound))
            }
            TermKind::Object(entries) => {
                for (key, value) in entries {
                    self.term(key, bound);
                    self.term(value, bound);
                }
            }
            _ => {}
        }
    }

    fn compr(&mut self, compr: &mut Compr, bound: &Vars) {
        let safe = self.body(&mut compr.body, bound);
        let terms: Vec<Term> = compr.key.iter().chain([&compr.term]).cloned().collect();
        for term in &terms {
            self.head(term, &safe, false);
        }
    }

    /// Reports variables of a head that the body does not bind.
    pub(crate) fn head(&mut self, term: &Term, safe: &Vars, is_rule: bool) {
        let mut found = Vec::new();
        spans(term, &mut found);
        let mut seen = Vars::default();
        for (var, span) in found {
            if safe.contains(&var) || !seen.insert(var) {
                continue;
            }
            let Some(info) = self.vars.get(var.0 as usize) else { continue };
            if info.generated {
                continue;
            }
            let fault = if is_rule {
                faults::unsafe_head_var(self.source, span, &info.name, "")
            } else {
                faults::unsafe_var(self.source, span, &info.name, "")
            };
            self.push(fault);
        }
    }

    fn report(&mut self, it: &Waiting, safe: &Vars) {
        let mut found = Vec::new();
        expr_spans(&it.expr, &mut found);
        let outputs = of_expr(&it.expr, safe);
        let mut named = false;
        let mut seen: FxHashMap<VarId, ()> = FxHashMap::default();
        for (var, span) in found {
            if safe.contains(&var) || outputs.contains(&var) || seen.insert(var, ()).is_some() {
                continue;
            }
            let Some(info) = self.vars.get(var.0 as usize) else { continue };
            if !info.generated {
                named = true;
                self.push(faults::unsafe_var(self.source, span, &info.name, ""));
            }
        }
        for var in &it.inside {
            if let Some(info) = self.vars.get(var.0 as usize)
                && !safe.contains(var)
                && !info.generated
            {
                named = true;
                self.push(faults::unsafe_var(self.source, it.expr.span, &info.name, ""));
            }
        }
        if !named && !it.expr.generated {
            self.push(faults::unsafe_expression(self.source, it.expr.span, ""));
        }
    }

    fn push(&mut self, fault: Diagnostic) {
        let same = |it: &Diagnostic| {
            it.message == fault.message && it.row() == fault.row() && it.col() == fault.col()
        };
        if !self.faults.iter().any(same) {
            self.faults.push(fault);
        }
    }
}

#[derive(Debug)]
struct Waiting {
    expr: Expr,
    /// Variables outside of closures.
    outside: Vars,
    /// Variables of closures that the body uses elsewhere.
    inside: Vars,
}

/// Collects variables outside of closures with their places.
fn spans(term: &Term, out: &mut Vec<(VarId, Span)>) {
    match &term.kind {
        TermKind::Var(var) => out.push((*var, term.span)),
        TermKind::Array(items) | TermKind::Set(items) => items.iter().for_each(|it| spans(it, out)),
        TermKind::Object(entries) => entries.iter().for_each(|it| {
            spans(&it.0, out);
            spans(&it.1, out);
        }),
        TermKind::Ref(reference) => {
            if let crate::draft::Head::Var(var) = reference.head {
                out.push((var, term.span));
            }
            reference.parts.iter().for_each(|it| spans(it, out));
        }
        _ => {
            let mut vars = Vars::default();
            outer(term, &mut vars);
            closures(term, &mut |_| {});
            out.extend(vars.into_iter().map(|it| (it, term.span)));
        }
    }
}

fn expr_spans(expr: &Expr, out: &mut Vec<(VarId, Span)>) {
    match &expr.kind {
        ExprKind::Term(term) => spans(term, out),
        ExprKind::Unify(a, b) => {
            spans(a, out);
            spans(b, out);
        }
        ExprKind::Call(call) => call.args.iter().for_each(|it| spans(it, out)),
        ExprKind::Every(every) => spans(&every.domain, out),
        ExprKind::Not(_) | ExprKind::And(..) | ExprKind::Or(..) => {}
    }
    for with in &expr.with {
        if let Replacement::Term(term) = &with.value {
            spans(term, out);
        }
    }
}
