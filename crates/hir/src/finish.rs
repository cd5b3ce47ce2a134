//! Draft to tree: the last stage, which changes the form and nothing else.

use lictor_syntax::Span;

use crate::{
    draft::{self, Callee, ComprKind, Head, Replacement, Target},
    tree::{
        self, Call, Compr, Else, Every, Expr, ExprKind, FileId, ObjectCompr, Place, Ref, RefHead, Term,
        TermKind, With, WithTarget,
    },
    types::Capabilities,
};

/// Makes the tree of one file's drafts.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Finish<'a> {
    pub(crate) file: FileId,
    pub(crate) capabilities: &'a Capabilities,
}

impl Finish<'_> {
    pub(crate) fn place(self, span: Span) -> Place {
        Place { file: self.file, span }
    }

    /// Returns the `else` branches of a rule, from the first one on.
    pub(crate) fn else_branches(self, branches: &[draft::Branch]) -> Option<Box<Else>> {
        let (first, rest) = branches.split_first()?;
        Some(Box::new(Else {
            value: self.term(&first.value),
            body: self.body(&first.body),
            else_branch: self.else_branches(rest),
            place: self.place(first.span),
        }))
    }

    pub(crate) fn body(self, body: &[draft::Expr]) -> Vec<Expr> {
        body.iter().map(|it| self.expr(it)).collect()
    }

    fn expr(self, expr: &draft::Expr) -> Expr {
        let place = self.place(expr.span);
        let with = expr.with.iter().map(|it| self.with(it)).collect();
        let kind = match &expr.kind {
            draft::ExprKind::Term(term) => ExprKind::Term(self.term(term)),
            draft::ExprKind::Unify(a, b) => ExprKind::Unify(self.term(a), self.term(b)),
            draft::ExprKind::Call(call) => ExprKind::Call(self.call(call, expr.generated)),
            draft::ExprKind::Every(every) => ExprKind::Every(Box::new(Every {
                key: every.key,
                value: every.value,
                domain: self.term(&every.domain),
                body: self.body(&every.body),
            })),
            draft::ExprKind::Not(operand) => ExprKind::Not(self.body(&operand.body)),
            draft::ExprKind::And(a, b) => ExprKind::And(self.body(&a.body), self.body(&b.body)),
            draft::ExprKind::Or(a, b) => ExprKind::Or(self.body(&a.body), self.body(&b.body)),
        };
        if expr.negated {
            return Expr { kind: ExprKind::Not(vec![Expr { kind, with: Vec::new(), place }]), with, place };
        }
        Expr { kind, with, place }
    }

    fn call(self, call: &draft::Call, has_output: bool) -> Call {
        let (args, output) = match call.args.split_last() {
            Some((last, args)) if has_output => (args, Some(self.term(last))),
            _ => (&call.args[..], None),
        };
        Call {
            callee: self.callee(&call.callee),
            args: args.iter().map(|it| self.term(it)).collect(),
            output,
        }
    }

    fn callee(self, callee: &Callee) -> tree::Callee {
        match callee {
            Callee::Builtin(at) => tree::Callee::Builtin(
                self.capabilities.at(*at).map_or_else(Box::default, |it| it.name.clone()),
            ),
            Callee::Function(group) => tree::Callee::Function(*group),
            // Reported before; the tree is not used then.
            Callee::Unknown(name) => tree::Callee::Builtin(name.clone()),
        }
    }

    fn with(self, with: &draft::With) -> With {
        let target = match (&with.target, &with.value) {
            (Target::Input(path), Replacement::Term(term)) => {
                WithTarget::Input(path.clone(), self.term(term))
            }
            (Target::Data(path), Replacement::Term(term)) => WithTarget::Data(path.clone(), self.term(term)),
            (Target::Callee(of), Replacement::Term(term)) => {
                WithTarget::CalleeValue(self.callee(of), self.term(term))
            }
            (Target::Callee(of), Replacement::Callee(by)) => {
                WithTarget::Callee(self.callee(of), self.callee(by))
            }
            // Only functions are replaced by functions.
            (Target::Input(_) | Target::Data(_), Replacement::Callee(_)) => {
                let term = Term { kind: TermKind::Null, place: self.place(with.span) };
                WithTarget::Input(Vec::new(), term)
            }
        };
        With { target, place: self.place(with.span) }
    }

    pub(crate) fn term(self, term: &draft::Term) -> Term {
        let all = |items: &[draft::Term]| items.iter().map(|it| self.term(it)).collect();
        let kind = match &term.kind {
            draft::TermKind::Null => TermKind::Null,
            draft::TermKind::Bool(it) => TermKind::Bool(*it),
            draft::TermKind::Number(it) => TermKind::Number(it.clone()),
            draft::TermKind::String(it) => TermKind::String(it.clone()),
            draft::TermKind::Var(it) => TermKind::Var(*it),
            draft::TermKind::Ref(it) => TermKind::Ref(self.reference(it)),
            draft::TermKind::Array(items) => TermKind::Array(all(items)),
            draft::TermKind::Set(items) => TermKind::Set(all(items)),
            draft::TermKind::Object(entries) => {
                TermKind::Object(entries.iter().map(|it| (self.term(&it.0), self.term(&it.1))).collect())
            }
            draft::TermKind::Compr(compr) => self.compr(compr),
            // Hoisting leaves none.
            draft::TermKind::Call(_) | draft::TermKind::Template(_) => TermKind::Null,
        };
        Term { kind, place: self.place(term.span) }
    }

    fn compr(self, compr: &draft::Compr) -> TermKind {
        let term = self.term(&compr.term);
        let body = self.body(&compr.body);
        match (compr.kind, &compr.key) {
            (ComprKind::Object, Some(key)) => {
                TermKind::ObjectCompr(Box::new(ObjectCompr { key: self.term(key), value: term, body }))
            }
            (ComprKind::Set, _) => TermKind::SetCompr(Box::new(Compr { term, body })),
            (ComprKind::Array | ComprKind::Object, _) => TermKind::ArrayCompr(Box::new(Compr { term, body })),
        }
    }

    fn reference(self, reference: &draft::Ref) -> Ref {
        let head = match &reference.head {
            Head::Input => RefHead::Input,
            Head::Data => RefHead::Data,
            Head::Var(var) => RefHead::Var(*var),
            // Hoisting leaves none.
            Head::Term(_) => RefHead::Input,
        };
        Ref { head, parts: reference.parts.iter().map(|it| self.term(it)).collect() }
    }
}
