//! Queries: a body whose variables, and whose expressions' values, are the answer.
//!
//! A query goes the way of a rule's body. Before its names are looked up, each expression that has a value is made to
//! leave it in a variable. `==` stays a call, for whoever asks `1 == 2` wants to be told `false`.

use std::sync::Arc;

use lictor_syntax::{Diagnostic, Source, ast};

use crate::{
    Options,
    check::{Types, check_query},
    declared,
    diagnostics::{Sink, Stage},
    draft::{Call, Callee, Expr, ExprKind, Head, Operand, Term, TermKind, VarInfo},
    dynamic::Dynamic,
    finish::Finish,
    functions::Functions,
    hoist::Hoist,
    index::Index,
    locals::Lowering,
    outputs, overrides,
    prints::Prints,
    resolve::{Context, Globals},
    safety,
    scope::{Scope, generate},
    templates::Templates,
    tree::{FileId, Query, QueryExpression, Var, VarId},
    vars::{self, View},
    varset::VarSet,
};

/// What a query is read in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    pub(crate) index: &'a Index,
    pub(crate) options: &'a Options<'a>,
    pub(crate) package: &'a [&'a str],
    pub(crate) imports: &'a [ast::Import],
    pub(crate) types: &'a Types,
}

/// Lowers a query.
pub(crate) fn lower(
    body: &[ast::Expr],
    source: &Arc<Source>,
    surroundings: Surroundings<'_>,
) -> (Query, Vec<Diagnostic>) {
    let ctx = Context { index: surroundings.index, options: surroundings.options };
    let globals = Globals::new(surroundings.index, surroundings.package.to_vec(), surroundings.imports);
    let mut sink = Sink::default();
    if ctx.options.strict {
        overrides::in_body(source, body, &mut sink);
    }
    let mut lowering = Lowering::new(ctx, source, &globals);
    lowering.scopes.push(Scope::default());
    lowering.scopes.ignore(&declared::in_body(body));
    let mut expressions = Vec::new();
    let mut draft = statements(&mut lowering, body, source, &mut expressions);
    lowering.check_unused(0);
    for fault in lowering.found.unused.drain(..) {
        sink.stop(Stage::LocalVars, fault);
    }
    let (templates, prints) = (lowering.found.templates, lowering.found.prints);
    lowering.file_faults(&mut sink);
    let mut infos = std::mem::take(&mut lowering.scopes.vars);
    let none = VarSet::default();
    if templates {
        let mut walk = Templates { ctx, source, vars: &mut infos, faults: Vec::new() };
        walk.body(&mut draft, &none);
        walk.faults.into_iter().for_each(|it| sink.stop(Stage::TemplateStrings, it));
    }
    if prints {
        let outside = VarSet::default();
        let mut walk = Prints { ctx, source, vars: &mut infos, outside, faults: Vec::new() };
        walk.whole(&mut draft);
        walk.faults.into_iter().for_each(|it| sink.stop(Stage::PrintCalls, it));
    }
    let mut draft = Hoist { vars: &mut infos }.body(draft);
    let types = Some(surroundings.types);
    Functions { ctx, source, sink: &mut sink, modern: ctx.options.strict, types, closed: 0 }.body(&draft);
    let found = safety::order(ctx, &mut draft, &none);
    for fault in safety::report::report(source, &infos, &found, "") {
        sink.stop(Stage::BodySafety, safety::report::with_near(fault, &globals));
    }
    let draft = Dynamic { vars: &mut infos, equal: None, known: VarSet::default() }.body(draft);
    let expressions = in_order(&draft, expressions);
    let mut bound = VarSet::default();
    vars::in_body(&draft, View::OPEN, &mut bound);
    let finish = Finish { ctx, file: FileId(u32::MAX) };
    let vars = finish.vars(infos);
    let outputs = outputs_of(&bound, &vars);
    let query = Query { body: finish.body(draft), vars, outputs, expressions, source: Arc::clone(source) };
    if !sink.ends_before(Stage::Types) {
        let found = check_query(&query, ctx.options.capabilities, surroundings.types, ctx.index);
        found.into_iter().for_each(|it| sink.stop(Stage::Types, it));
    }
    (query, sink.finish_query(ctx.options.error_limit))
}

/// Returns the variables that the answer shows, in order of their names.
fn outputs_of(bound: &VarSet, vars: &[Var]) -> Vec<VarId> {
    let name = |it: VarId| vars.get(it.0 as usize).map(|var| &*var.name);
    let is_shown = |it: &VarId| vars.get(it.0 as usize).is_some_and(|var| !var.generated);
    let mut outputs: Vec<VarId> = bound.iter().filter(is_shown).collect();
    outputs.sort_by(|a, b| name(*a).cmp(&name(*b)));
    outputs.dedup_by(|a, b| name(*a) == name(*b));
    outputs
}

/// Lowers the expressions and catches the value of each that has one.
fn statements<'a>(
    lowering: &mut Lowering<'a>,
    body: &'a [ast::Expr],
    source: &Source,
    expressions: &mut Vec<QueryExpression>,
) -> Vec<Expr> {
    let mut draft = Vec::with_capacity(body.len() + 1);
    for expr in body {
        let Some(mut lowered) = lowering.statement(expr) else { continue };
        let position = source.position(expr.span.start);
        let text = source.slice(expr.span).into();
        expressions.push(QueryExpression { value: None, text, position: (position.row, position.col) });
        lowered.query = u32::try_from(expressions.len()).unwrap_or(u32::MAX);
        draft.push(lowered);
    }
    let many = body.len() > 1 || draft.iter().any(|it| iterates(lowering.ctx, it));
    let mut captured = Vec::new();
    for (expr, expression) in draft.iter_mut().zip(expressions) {
        expression.value = capture(lowering, expr);
        if let (Some(var), true) = (expression.value, many) {
            let span = expr.span;
            let kept = Expr::new(ExprKind::Term(Term::var(var, span)), span);
            captured.push(Expr { generated: true, ..kept });
        }
    }
    draft.extend(captured);
    draft
}

/// Makes an expression leave its value in a variable, if it has one.
fn capture(lowering: &mut Lowering<'_>, expr: &mut Expr) -> Option<VarId> {
    if expr.negated {
        return None;
    }
    let span = expr.span;
    match &mut expr.kind {
        ExprKind::Term(term) => {
            let var = capturing(&mut lowering.scopes.vars);
            let term = std::mem::replace(term, Term::new(TermKind::Null, span));
            expr.kind = ExprKind::Unify(term, Term::var(var, span));
            Some(var)
        }
        ExprKind::Call(call) if has_result(lowering.ctx, call) => {
            let var = capturing(&mut lowering.scopes.vars);
            call.args.push(Term::var(var, span));
            Some(var)
        }
        _ => None,
    }
}

/// Makes a variable for an expression's value. It has a name, as OPA's has: one that is unsafe is reported as `_`.
fn capturing(vars: &mut Vec<VarInfo>) -> VarId {
    let var = generate(vars);
    if let Some(info) = vars.last_mut() {
        info.name = "$term".into();
    }
    var
}

fn has_result(ctx: Context<'_>, call: &Call) -> bool {
    if outputs::arity(ctx, &call.callee) != Some(call.args.len()) {
        return false;
    }
    match call.callee {
        Callee::Builtin(at) => ctx.options.capabilities.at(at).is_some_and(|it| it.result.is_some()),
        _ => true,
    }
}

/// Tells whether an expression may have several solutions by itself.
fn iterates(ctx: Context<'_>, expr: &Expr) -> bool {
    let body = |operand: &Operand| operand.body.iter().any(|it| iterates(ctx, it));
    let term = |it: &Term| term_iterates(ctx, it);
    match &expr.kind {
        ExprKind::Term(it) => term(it),
        ExprKind::Unify(lhs, rhs) => term(lhs) || term(rhs),
        ExprKind::Call(call) => call_iterates(ctx, call),
        ExprKind::Every(every) => term(&every.domain) || every.body.iter().any(|it| iterates(ctx, it)),
        ExprKind::Not(operand) => body(operand),
        ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => body(lhs) || body(rhs),
    }
}

fn call_iterates(ctx: Context<'_>, call: &Call) -> bool {
    let relation = match call.callee {
        Callee::Builtin(at) => ctx.options.capabilities.at(at).is_some_and(|it| it.flags.relation),
        _ => false,
    };
    relation || call.args.iter().any(|it| term_iterates(ctx, it))
}

fn term_iterates(ctx: Context<'_>, term: &Term) -> bool {
    match &term.kind {
        TermKind::Ref(reference) => {
            let head = match &reference.head {
                Head::Term(head) => term_iterates(ctx, head),
                _ => false,
            };
            head || reference.parts.iter().any(|it| it.as_var().is_some() || term_iterates(ctx, it))
        }
        TermKind::Call(call) => call_iterates(ctx, call),
        TermKind::Array(items) | TermKind::Set(items) => items.iter().any(|it| term_iterates(ctx, it)),
        TermKind::Object(entries) => {
            entries.iter().any(|(key, value)| term_iterates(ctx, key) || term_iterates(ctx, value))
        }
        _ => false,
    }
}

/// Returns the expressions in the order in which they are evaluated, which is how an answer lists them.
fn in_order(draft: &[Expr], expressions: Vec<QueryExpression>) -> Vec<QueryExpression> {
    let mut slots: Vec<Option<QueryExpression>> = expressions.into_iter().map(Some).collect();
    let places = draft.iter().filter_map(|it| (it.query as usize).checked_sub(1));
    places.filter_map(|at| slots.get_mut(at)?.take()).collect()
}
