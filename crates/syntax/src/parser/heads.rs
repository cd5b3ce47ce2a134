//! Rule heads: name, path, arguments, key and value.
//!
//! A head is first read raw, since only what follows tells whether it begins a rule, and of which
//! kind. A name with a value and no body reads the same as an expression and is handed on as one.

use crate::{
    ast::{Binding, Call, Callee, Expr, ExprKind, Head, Ref, Term, TermKind},
    parser::{cursor::Parser, expressions::expr, terms::root_document},
    printer,
    source::Span,
    tokens::Kind,
};

/// Is a head as it was read, before it is known what kind of rule it begins.
pub(crate) struct RawHead {
    /// The reference or call before the operator.
    term: Term,
    /// No white space stands where an expression could not have it.
    tight: bool,
    pub(crate) key: Option<Term>,
    pub(crate) value: Option<Term>,
    operator: Span,
    assign: bool,
    pub(crate) contains: bool,
    span: Span,
}

impl RawHead {
    /// Makes the head of a rule; `None` if the term names no rule.
    pub(crate) fn into_head(self) -> Option<Head> {
        let span = self.term.span;
        let (reference, args) = match self.term.kind {
            TermKind::Ref(reference) => (*reference, None),
            TermKind::Call(call) => match *call {
                Call { callee: Callee::Ref(reference), args } => (reference, Some(args)),
                _ => return None,
            },
            kind @ TermKind::Var(_) => (Ref { head: Term::new(kind, span), parts: Vec::new(), span }, None),
            _ => return None,
        };
        Some(Head {
            reference,
            args,
            key: self.key,
            value: self.value,
            assign: self.assign,
            contains: self.contains,
            has_if: false,
            span: self.span,
        })
    }

    /// Tells whether the head would read the same as an expression `lhs := rhs`.
    pub(crate) fn is_binding(&self) -> bool {
        self.tight && !self.contains && self.value.is_some()
    }

    /// Makes the expression `lhs := rhs` or `lhs = rhs`; see [`RawHead::is_binding`].
    pub(crate) fn into_binding(self) -> Option<Expr> {
        let binding = Box::new(Binding { lhs: self.term, rhs: self.value?, operator: self.operator });
        let kind = if self.assign { ExprKind::Assign(binding) } else { ExprKind::Unify(binding) };
        Some(expr(kind, self.span))
    }
}

impl Parser<'_> {
    /// Parses a head up to where `if`, a body or the next statement stands.
    pub(crate) fn head(&mut self, default: bool) -> Option<RawHead> {
        let start = self.span();
        let var = self.var();
        let Some((term, tight)) = self.head_path(Term::new(var, start)) else {
            self.unexpected("expected rule head name");
            return None;
        };
        if !self.names_rule(&term) {
            return None;
        }
        let mut head = RawHead {
            term,
            tight,
            key: None,
            value: None,
            operator: self.span(),
            assign: self.tok() == Kind::Assign,
            contains: self.tok() == Kind::Contains,
            span: start,
        };
        match self.tok() {
            Kind::Contains => head.key = self.head_key(&head.term),
            Kind::Unify => {
                self.bump();
                head.value = self.infix_term();
                if head.value.is_none() {
                    let name = name_text(&head.term);
                    self.unexpected(&format!(
                        "expected rule value term (e.g., {name}[<nil>] = <VALUE> {{ ... }})"
                    ));
                }
            }
            Kind::Assign => head.value = self.head_value(&head.term, default),
            _ => {}
        }
        head.span = self.since(start.start);
        Some(head)
    }

    /// Parses what follows a rule's name and tells whether nothing stood between.
    fn head_path(&mut self, name: Term) -> Option<(Term, bool)> {
        self.bump();
        let tight = !self.spaced();
        if tight && self.tok().infix().is_some() {
            self.unexpected("");
        }
        if matches!(self.tok(), Kind::LParen | Kind::Dot | Kind::LBrack) {
            return self.reference(name).map(|term| (term, tight));
        }
        Some((root_document(name), true))
    }

    /// Tells whether a term names a rule; reports one that nearly does.
    fn names_rule(&mut self, term: &Term) -> bool {
        let TermKind::Call(call) = &term.kind else {
            return match &term.kind {
                TermKind::Var(_) => true,
                TermKind::Ref(reference) => reference.head.as_var().is_some(),
                _ => false,
            };
        };
        let Callee::Ref(function) = &call.callee else {
            return false;
        };
        let named = function.head.as_var().is_some();
        if !named {
            let text = printer::ref_text(function);
            self.unexpected(&format!("rule head ref {text} invalid"));
        }
        named
    }

    fn head_key(&mut self, term: &Term) -> Option<Term> {
        if matches!(term.kind, TermKind::Call(_)) {
            let name = name_text(term);
            self.unexpected(&format!(
                "the contains keyword can only be used with multi-value rule definitions (e.g., {name} contains <VALUE> {{ ... }})"
            ));
        }
        self.bump();
        let key = self.infix_term();
        if key.is_none() {
            let name = name_text(term);
            self.unexpected(&format!("expected rule key term (e.g., {name} contains <VALUE> {{ ... }})"));
        }
        key
    }

    fn head_value(&mut self, term: &Term, default: bool) -> Option<Term> {
        self.bump();
        let value = self.infix_term();
        if value.is_none() {
            let name = name_text(term);
            let is_function = term.as_call().is_some_and(|call| !call.args.is_empty());
            let note = if is_function {
                format!("expected function value term (e.g., {name}(...) := <VALUE> {{ ... }})")
            } else if default {
                format!("expected default rule value term (e.g., default {name} := <VALUE>)")
            } else {
                format!("expected rule value term (e.g., {name} := <VALUE> {{ ... }})")
            };
            self.unexpected(&note);
        }
        value
    }
}

/// Returns the text of the rule's name and path.
fn name_text(term: &Term) -> String {
    match &term.kind {
        TermKind::Call(call) => match &call.callee {
            Callee::Ref(function) => printer::ref_text(function),
            _ => String::new(),
        },
        _ => printer::term_text(term),
    }
}
