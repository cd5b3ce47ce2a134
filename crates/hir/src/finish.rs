//! Draft to tree: the last step, which only moves.
//!
//! What the tree promises must hold already; a call that is still nested here would be a defect of a stage before.

use lictor_syntax::{Span, ast};

use crate::{
    draft, outputs,
    resolve::Context,
    tree::{
        Call, Callee, Compr, Else, Every, Expr, ExprKind, FileId, GroupId, ObjectCompr, Place, Ref, RefHead,
        Rule, Term, TermKind, Var, With, WithTarget,
    },
};

#[derive(Clone, Copy)]
pub(crate) struct Finish<'a> {
    pub(crate) ctx: Context<'a>,
    pub(crate) file: FileId,
}

impl Finish<'_> {
    pub(crate) fn place(self, span: Span) -> Place {
        Place { file: self.file, span }
    }

    pub(crate) fn vars(self, vars: Vec<draft::VarInfo>) -> Vec<Var> {
        vars.into_iter().map(|it| Var { name: it.name, generated: it.generated }).collect()
    }

    pub(crate) fn else_branches(self, branches: Vec<draft::Branch>) -> Option<Box<Else>> {
        branches.into_iter().rev().fold(None, |next, branch| {
            Some(Box::new(Else {
                value: self.term(branch.value),
                body: self.body(branch.body),
                else_branch: next,
                place: self.place(branch.span),
            }))
        })
    }

    pub(crate) fn terms(self, terms: Vec<draft::Term>) -> Vec<Term> {
        terms.into_iter().map(|it| self.term(it)).collect()
    }

    pub(crate) fn body(self, body: Vec<draft::Expr>) -> Vec<Expr> {
        body.into_iter().map(|it| self.expr(it)).collect()
    }

    fn expr(self, expr: draft::Expr) -> Expr {
        let place = self.place(expr.span);
        let kind = match expr.kind {
            draft::ExprKind::Term(term) => ExprKind::Term(self.term(term)),
            draft::ExprKind::Unify(lhs, rhs) => ExprKind::Unify(self.term(lhs), self.term(rhs)),
            draft::ExprKind::Call(call) => ExprKind::Call(self.call(call)),
            draft::ExprKind::Every(every) => ExprKind::Every(Box::new(Every {
                key: every.key,
                value: every.value,
                domain: self.term(every.domain),
                body: self.body(every.body),
            })),
            draft::ExprKind::Not(operand) => ExprKind::Not(self.body(operand.body)),
            draft::ExprKind::And(lhs, rhs) => ExprKind::And(self.body(lhs.body), self.body(rhs.body)),
            draft::ExprKind::Or(lhs, rhs) => ExprKind::Or(self.body(lhs.body), self.body(rhs.body)),
        };
        let with = expr.with.into_iter().map(|it| self.with(it)).collect();
        if expr.negated {
            let inner = Expr { kind, with: Vec::new(), is_plain_not: false, place };
            return Expr { kind: ExprKind::Not(vec![inner]), with, is_plain_not: true, place };
        }
        Expr { kind, with, is_plain_not: false, place }
    }

    fn call(self, call: draft::Call) -> Call {
        let arity = outputs::arity(self.ctx, &call.callee).unwrap_or(call.args.len());
        let mut args = self.terms(call.args);
        let output = if args.len() > arity { args.pop() } else { None };
        Call { callee: self.callee(call.callee), args, output }
    }

    fn callee(self, callee: draft::Callee) -> Callee {
        match callee {
            draft::Callee::Builtin(at) => {
                let name = self.ctx.options.capabilities.at(at).map(|it| it.name.clone());
                Callee::Builtin(name.unwrap_or_default())
            }
            draft::Callee::Function(group) => Callee::Function(group),
            draft::Callee::Unknown(name) => Callee::Builtin(name),
        }
    }

    fn with(self, with: draft::With) -> With {
        let target = match (with.target, with.value) {
            (draft::Target::Input(path), draft::Replacement::Term(value)) => {
                WithTarget::Input(path, self.term(value))
            }
            (draft::Target::Data(path), draft::Replacement::Term(value)) => {
                WithTarget::Data(path, self.term(value))
            }
            (draft::Target::Callee(callee), draft::Replacement::Term(value)) => {
                WithTarget::CalleeValue(self.callee(callee), self.term(value))
            }
            (draft::Target::Callee(callee), draft::Replacement::Callee(other)) => {
                WithTarget::Callee(self.callee(callee), self.callee(other))
            }
            // Functions are taken for values only where functions are replaced.
            (draft::Target::Input(path), draft::Replacement::Callee(_)) => {
                WithTarget::Input(path, self.null(with.span))
            }
            (draft::Target::Data(path), draft::Replacement::Callee(_)) => {
                WithTarget::Data(path, self.null(with.span))
            }
        };
        With { target, place: self.place(with.span) }
    }

    fn null(self, span: Span) -> Term {
        Term { kind: TermKind::Null, place: self.place(span) }
    }

    pub(crate) fn term(self, term: draft::Term) -> Term {
        let kind = match term.kind {
            draft::TermKind::Bool(value) => TermKind::Bool(value),
            draft::TermKind::Number(text) => TermKind::Number(text),
            draft::TermKind::String(text) => TermKind::String(text),
            draft::TermKind::Var(var) => TermKind::Var(var),
            draft::TermKind::Ref(reference) => self.reference(*reference),
            draft::TermKind::Array(items) => TermKind::Array(self.terms(items)),
            draft::TermKind::Set(items) => TermKind::Set(self.terms(items)),
            draft::TermKind::Object(entries) => TermKind::Object(
                entries.into_iter().map(|(key, value)| (self.term(key), self.term(value))).collect(),
            ),
            draft::TermKind::Compr(compr) => self.compr(*compr),
            draft::TermKind::Null | draft::TermKind::Call(_) | draft::TermKind::Template(_) => TermKind::Null,
        };
        Term { kind, place: self.place(term.span) }
    }

    fn reference(self, reference: draft::Ref) -> TermKind {
        let head = match reference.head {
            draft::Head::Input => RefHead::Input,
            draft::Head::Data => RefHead::Data,
            draft::Head::Var(var) => RefHead::Var(var),
            draft::Head::Term(_) => return TermKind::Null,
        };
        TermKind::Ref(Ref { head, parts: self.terms(reference.parts) })
    }

    fn compr(self, compr: draft::Compr) -> TermKind {
        let term = self.term(compr.term);
        let key = compr.key.map(|it| self.term(it));
        let body = self.body(compr.body);
        match (compr.kind, key) {
            (draft::ComprKind::Object, Some(key)) => {
                TermKind::ObjectCompr(Box::new(ObjectCompr { key, value: term, body }))
            }
            (draft::ComprKind::Set, _) => TermKind::SetCompr(Box::new(Compr { term, body })),
            _ => TermKind::ArrayCompr(Box::new(Compr { term, body })),
        }
    }
}

/// What the tree keeps of a rule besides its terms and bodies.
pub(crate) struct Frame<'a> {
    pub(crate) group: GroupId,
    pub(crate) shown: Box<str>,
    pub(crate) rule: &'a ast::Rule,
}

/// Returns what stands for a rule in a tree with faults, so that the others keep their numbers.
pub(crate) fn unseen(finish: Finish<'_>, group: GroupId, rule: &ast::Rule) -> Rule {
    Rule {
        group,
        keys: Vec::new(),
        contains: false,
        args: Vec::new(),
        value: finish.null(rule.span),
        body: Vec::new(),
        else_branch: None,
        vars: Vec::new(),
        place: finish.place(rule.span),
        head_place: finish.place(rule.head.span),
        shown: Box::default(),
        annotations: Vec::new(),
    }
}

/// Moves a lowered rule into the tree.
pub(crate) fn rule(finish: Finish<'_>, rule: draft::Rule, frame: Frame<'_>) -> Rule {
    let mut branches = rule.branches.into_iter();
    let (value, body) = match branches.next() {
        Some(branch) => (finish.term(branch.value), finish.body(branch.body)),
        None => (finish.null(frame.rule.span), Vec::new()),
    };
    Rule {
        group: frame.group,
        keys: finish.terms(rule.keys),
        contains: rule.contains,
        args: finish.terms(rule.args),
        value,
        body,
        else_branch: finish.else_branches(branches.collect()),
        vars: finish.vars(rule.vars),
        place: finish.place(frame.rule.span),
        head_place: finish.place(frame.rule.head.span),
        shown: frame.shown,
        annotations: frame.rule.annotations.clone(),
    }
}
