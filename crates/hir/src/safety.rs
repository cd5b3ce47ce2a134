//! Orders bodies so that every variable is bound where it must be, and reports those that cannot be.
//!
//! An expression goes to the end of the ordered body as soon as all it needs is bound; of several in their source
//! order. Then the closures are ordered, each knowing what stands before it. What is left over is unsafe. The rules,
//! odd ones included, are OPA's: which programs are refused depends on them.

use lictor_syntax::Span;

use crate::{
    draft::{Compr, Expr, ExprKind, Head, Operand, Replacement, Term, TermKind},
    outputs,
    resolve::Context,
    unify,
    vars::{self, View},
    varset::VarSet,
};

pub(crate) mod heads;
pub(crate) mod report;

/// Variables that are unsafe, with the expression that needs them.
#[derive(Debug)]
pub(crate) struct Unsafe {
    pub(crate) span: Span,
    pub(crate) vars: VarSet,
    /// The variables left of `:=` if it is one.
    pub(crate) taken: VarSet,
}

/// Orders a body and returns what is unsafe in it.
pub(crate) fn order(ctx: Context<'_>, body: &mut Vec<Expr>, outside: &VarSet) -> Vec<Unsafe> {
    let mut open = VarSet::default();
    for expr in body.iter() {
        open_vars(ctx, expr, &mut open);
    }
    let mut known = open.clone();
    known.keep_all(outside);
    let mut found: Vec<Unsafe> = Vec::new();
    if is_ordered(ctx, body, &open, outside, &known) {
        order_closures(ctx, body, outside, &mut found);
        return found;
    }
    let mut items: Vec<Item> = std::mem::take(body)
        .into_iter()
        .map(|expr| {
            let (missing, closed) = needs(ctx, &expr, &open, outside, &known);
            let mut relevant = VarSet::default();
            vars::in_expr(&expr, View::ALL, &mut relevant);
            Item { expr: Some(expr), missing, closed, relevant, tried: None }
        })
        .collect();
    let mut ordered = Vec::with_capacity(items.len());
    loop {
        let before = ordered.len();
        for item in &mut items {
            schedule(ctx, item, &mut known, &mut ordered);
        }
        if ordered.len() == before {
            break;
        }
    }
    for item in &items {
        if let Some(expr) = &item.expr {
            add_unsafe(&mut found, expr, &item.missing);
        }
    }
    order_closures(ctx, &mut ordered, outside, &mut found);
    // What could not be placed is kept: whoever reports a fault still wants the whole body.
    ordered.extend(items.into_iter().filter_map(|it| it.expr));
    *body = ordered;
    found
}

/// Tells whether all that each expression needs is bound before it: most bodies are written so.
fn is_ordered(ctx: Context<'_>, body: &[Expr], open: &VarSet, outside: &VarSet, known: &VarSet) -> bool {
    let mut known_here = known.clone();
    body.iter().all(|expr| {
        let (mut missing, closed) = needs(ctx, expr, open, outside, known);
        let bound = outputs::of_expr(ctx, expr, &known_here);
        if !closed.is_empty() {
            if closed == bound {
                return false;
            }
            missing = closed;
        }
        missing.remove_all(&bound);
        let fits = missing.is_subset(&known_here);
        known_here.add_all(&bound);
        fits
    })
}

/// Returns the variables that an expression needs, and those of the body that its closures need.
fn needs(ctx: Context<'_>, expr: &Expr, open: &VarSet, outside: &VarSet, known: &VarSet) -> (VarSet, VarSet) {
    let mut missing = VarSet::default();
    open_vars(ctx, expr, &mut missing);
    missing.remove_all(known);
    let mut closed = VarSet::default();
    vars::in_closures(expr, &mut closed);
    closed.keep_all(open);
    closed.remove_all(outside);
    (missing, closed)
}

/// An expression that waits for its place.
struct Item {
    expr: Option<Expr>,
    missing: VarSet,
    /// Variables of the body that its closures need.
    closed: VarSet,
    /// All its variables: once none of them is newly bound, trying again is in vain.
    relevant: VarSet,
    /// How many of them were bound when it was last tried.
    tried: Option<u32>,
}

fn schedule(ctx: Context<'_>, item: &mut Item, known: &mut VarSet, ordered: &mut Vec<Expr>) {
    let Some(expr) = &item.expr else { return };
    let now = item.relevant.common(known);
    if item.tried.replace(now) == Some(now) {
        return;
    }
    let bound = outputs::of_expr(ctx, expr, known);
    if !item.closed.is_empty() {
        // A closure that needs just what its expression binds would feed itself.
        if item.closed == bound {
            return;
        }
        item.missing = item.closed.clone();
    }
    item.missing.remove_all(&bound);
    item.missing.remove_all(known);
    if item.missing.is_empty() {
        ordered.extend(item.expr.take());
        known.add_all(&bound);
    }
}

fn add_unsafe(found: &mut Vec<Unsafe>, expr: &Expr, vars: &VarSet) {
    if vars.is_empty() {
        return;
    }
    let mut taken = VarSet::default();
    if let (ExprKind::Unify(lhs, _), true) = (&expr.kind, expr.assigned) {
        vars::in_term(lhs, View::ALL, &mut taken);
    }
    found.push(Unsafe { span: expr.span, vars: vars.clone(), taken });
}

/// Collects the variables that must be bound before an expression: those outside of closures, and those that the
/// implicit operands of `not`, `and`, `or` do not bind themselves.
fn open_vars(ctx: Context<'_>, expr: &Expr, out: &mut VarSet) {
    match &expr.kind {
        ExprKind::Not(operand) => open_operand(ctx, operand, out),
        ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
            open_operand(ctx, lhs, out);
            open_operand(ctx, rhs, out);
        }
        _ => return vars::in_expr(expr, View::OPEN, out),
    }
    vars::in_with(expr, View::OPEN, out);
}

fn open_operand(ctx: Context<'_>, operand: &Operand, out: &mut VarSet) {
    if operand.explicit {
        return;
    }
    let mut once = VarSet::default();
    let mut twice = VarSet::default();
    for expr in &operand.body {
        let mut here = VarSet::default();
        vars::in_expr(expr, View::OPEN, &mut here);
        for var in here.iter() {
            if once.contains(var) {
                twice.insert(var);
            }
        }
        once.add_all(&here);
    }
    if operand.body.len() > 1 {
        // What one expression binds and another one uses is the operand's own.
        let mut own = bound_in_operand(ctx, &operand.body, &once);
        own.keep_all(&twice);
        once.remove_all(&own);
    }
    out.add_all(&once);
}

fn bound_in_operand(ctx: Context<'_>, body: &[Expr], all: &VarSet) -> VarSet {
    let mut known = all.clone();
    for expr in body {
        if let ExprKind::Unify(lhs, rhs) = &expr.kind {
            for var in [lhs.as_var(), rhs.as_var()].into_iter().flatten() {
                known.remove(var);
            }
        }
    }
    let mut bound = VarSet::default();
    loop {
        let before = bound.clone();
        for expr in body {
            if let ExprKind::Unify(lhs, rhs) = &expr.kind {
                let mut more = unify::unified(&known, lhs, rhs);
                more.remove_all(&known);
                bound.add_all(&more);
                known.add_all(&more);
            }
        }
        if bound == before {
            break;
        }
    }
    for expr in body {
        if let ExprKind::Call(call) = &expr.kind
            && let Some(arity) = outputs::arity(ctx, &call.callee)
            && let Some(outputs) = call.args.get(arity..)
        {
            vars::in_terms(outputs, View::OUTPUT, &mut bound);
        }
    }
    bound
}

fn order_closures(ctx: Context<'_>, body: &mut [Expr], outside: &VarSet, found: &mut Vec<Unsafe>) {
    let mut known = outside.clone();
    for expr in body {
        let mut closures = Closures { ctx, known: &mut known, found, span: expr.span };
        closures.expr(expr);
        open_vars(ctx, expr, &mut known);
    }
}

/// The walk through the closures of one expression.
struct Closures<'a, 'w> {
    ctx: Context<'a>,
    known: &'w mut VarSet,
    found: &'w mut Vec<Unsafe>,
    span: Span,
}

impl Closures<'_, '_> {
    fn expr(&mut self, expr: &mut Expr) {
        match &mut expr.kind {
            ExprKind::Term(term) => self.term(term),
            ExprKind::Unify(lhs, rhs) => {
                self.term(lhs);
                self.term(rhs);
            }
            ExprKind::Call(call) => self.terms(&mut call.args),
            ExprKind::Every(every) => {
                self.known.insert(every.value);
                if let Some(key) = every.key {
                    self.known.insert(key);
                }
                self.body(&mut every.body, &VarSet::default());
            }
            ExprKind::Not(operand) => self.body(&mut operand.body, &VarSet::default()),
            ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
                self.body(&mut lhs.body, &VarSet::default());
                self.body(&mut rhs.body, &VarSet::default());
            }
        }
        if matches!(expr.kind, ExprKind::Term(_) | ExprKind::Unify(..) | ExprKind::Call(_)) {
            for with in &mut expr.with {
                if let Replacement::Term(value) = &mut with.value {
                    self.term(value);
                }
            }
        }
    }

    fn terms(&mut self, terms: &mut [Term]) {
        for term in terms {
            self.term(term);
        }
    }

    fn term(&mut self, term: &mut Term) {
        match &mut term.kind {
            TermKind::Ref(reference) => {
                if let Head::Term(head) = &mut reference.head {
                    self.term(head);
                }
                self.terms(&mut reference.parts);
            }
            TermKind::Call(call) => self.terms(&mut call.args),
            TermKind::Array(items) | TermKind::Set(items) => self.terms(items),
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

    fn compr(&mut self, compr: &mut Compr) {
        let mut collected = VarSet::default();
        if let Some(key) = &compr.key {
            vars::in_term(key, View::ALL, &mut collected);
        }
        vars::in_term(&compr.term, View::ALL, &mut collected);
        self.body(&mut compr.body, &collected);
    }

    /// Orders a closure's body; `collected` must occur in it or outside.
    fn body(&mut self, body: &mut Vec<Expr>, collected: &VarSet) {
        if !collected.is_empty() {
            let mut present = self.known.clone();
            for expr in body.iter() {
                open_vars(self.ctx, expr, &mut present);
            }
            let mut missing = collected.clone();
            missing.remove_all(&present);
            if !missing.is_empty() {
                self.found.push(Unsafe { span: self.span, vars: missing, taken: VarSet::default() });
            }
        }
        let found = order(self.ctx, body, self.known);
        self.found.extend(found);
    }
}
