//! Queries: a body whose variables, and whose expressions' values, are the answer.

use std::sync::Arc;

use lictor_syntax::{Diagnostic, Source, ast};

use crate::{
    Options, builtins_of,
    diagnostics::{Sink, Stage},
    draft::{Call, Expr, ExprKind, Term},
    finish::Finish,
    hoist,
    index::Index,
    locals::Lowering,
    outputs::Vars,
    resolve::{Context, Globals},
    safety::Safety,
    scope::{Scope, generate},
    tree::{FileId, Query, QueryExpression, Var},
};

/// What a query is read in.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Surroundings<'a> {
    pub(crate) index: &'a Index<'a>,
    pub(crate) options: &'a Options<'a>,
    pub(crate) package: &'a [&'a str],
    pub(crate) imports: &'a [ast::Import],
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
    let mut lowering = Lowering::new(ctx, source, &globals);
    lowering.scopes.push(Scope::default());
    let hidden = crate::declared::in_body(body);
    lowering.scopes.ignore(&hidden);
    let (mut draft, expressions) = captured(&mut lowering, body, source);
    // What a query declares is its answer: nothing in it is unused.
    lowering.found.unused.clear();
    lowering.file_faults(&mut sink);
    let mut vars = std::mem::take(&mut lowering.scopes.vars);
    crate::calls::check_body(&draft, ctx, source, &mut sink);
    hoist::query(&mut draft, &mut vars, builtins_of(surroundings.options));
    let mut safety = Safety { source, vars: &vars, faults: Vec::new() };
    safety.body(&mut draft, &Vars::default());
    safety.faults.into_iter().for_each(|it| sink.stop(Stage::BodySafety, it));
    let mut bound = Vars::default();
    for expr in &draft {
        let mut inside = Vars::default();
        crate::outputs::all_of_expr(expr, &mut bound, &mut inside);
    }
    let finish = Finish { file: FileId(u32::MAX), capabilities: surroundings.options.capabilities };
    let names: Vec<Var> =
        vars.iter().map(|it| Var { name: it.name.clone(), generated: it.generated }).collect();
    let mut outputs: Vec<_> = bound
        .into_iter()
        .filter(|it| names.get(it.0 as usize).is_some_and(|var| !var.generated && !var.name.starts_with('$')))
        .collect();
    outputs.sort_by(|a, b| {
        let name = |it: &crate::tree::VarId| names.get(it.0 as usize).map(|var| &*var.name);
        name(a).cmp(&name(b))
    });
    let query =
        Query { body: finish.body(&draft), vars: names, outputs, expressions, source: Arc::clone(source) };
    (query, sink.finish(surroundings.options.error_limit))
}

/// Lowers the expressions and catches the value of each that has one.
fn captured<'a>(
    lowering: &mut Lowering<'a>,
    body: &'a [ast::Expr],
    source: &Source,
) -> (Vec<Expr>, Vec<QueryExpression>) {
    let mut draft = Vec::with_capacity(body.len());
    let mut expressions = Vec::with_capacity(body.len());
    for expr in body {
        let lowered = lowering.statement(expr);
        let position = source.position(expr.span.start);
        let text = source.slice(expr.span).into();
        let mut value = None;
        if let Some(mut lowered) = lowered {
            let term = if lowered.negated { None } else { valued(&mut lowered.kind, expr, lowering) };
            if let Some(term) = term {
                let var = generate(&mut lowering.scopes.vars);
                value = Some(var);
                let capture = Expr { with: lowered.with, ..Expr::capture(var, term) };
                draft.push(Expr { generated: false, span: expr.span, ..capture });
            } else {
                draft.push(lowered);
            }
        }
        expressions.push(QueryExpression { value, text, position: (position.row, position.col) });
    }
    (draft, expressions)
}

/// Takes the term of an expression that has a value.
fn valued(kind: &mut ExprKind, expr: &ast::Expr, lowering: &Lowering<'_>) -> Option<Term> {
    match kind {
        ExprKind::Term(term) => {
            let taken = std::mem::replace(term, Term::new(crate::draft::TermKind::Null, expr.span));
            Some(taken)
        }
        ExprKind::Call(call) => {
            if let crate::draft::Callee::Builtin(at) = call.callee {
                let known = lowering.ctx.options.capabilities.at(at);
                if known.is_some_and(|it| it.result.is_none() || call.args.len() != it.args.len()) {
                    return None;
                }
            }
            let empty = Call { callee: crate::draft::Callee::Builtin(0), args: Vec::new() };
            let taken = std::mem::replace(call, empty);
            Some(Term::new(crate::draft::TermKind::Call(Box::new(taken)), expr.span))
        }
        _ => None,
    }
}
