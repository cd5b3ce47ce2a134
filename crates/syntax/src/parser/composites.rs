//! Arrays, objects, sets and comprehensions.
//!
//! What an opening bracket begins shows late: `{a | b}` is a comprehension, `{a | b, c}` a set
//! with a union in it. A comprehension is tried first; brackets where that failed are remembered,
//! so that nested ones are not tried again and again.

use crate::{
    ast::{Compr, ObjectCompr, Term, TermKind},
    parser::cursor::{Parser, Reading},
    source::Span,
    tokens::Kind,
};

impl Parser<'_> {
    /// Parses an array or array comprehension and what is attached to it.
    pub(crate) fn array(&mut self) -> Option<Term> {
        let kind = |parser: &mut Self| parser.array_kind();
        self.bracketed(kind)
    }

    /// Parses a set, object or comprehension and what is attached to it.
    pub(crate) fn set_or_object(&mut self) -> Option<Term> {
        let kind = |parser: &mut Self| parser.set_or_object_kind();
        self.bracketed(kind)
    }

    /// Parses from the opening bracket; `kind` leaves the parser on the closing one.
    fn bracketed(&mut self, kind: impl Fn(&mut Self) -> Option<TermKind>) -> Option<Term> {
        let start = self.span().start;
        let outer = std::mem::take(&mut self.height);
        let kind = kind(self);
        let higher = self.higher(0);
        self.height = self.height.max(outer);
        let kind = kind.filter(|_| higher)?;
        let span = Span::new(start, self.span().end);
        self.finish(Term::new(kind, span))
    }

    #[inline(never)]
    fn array_kind(&mut self) -> Option<TermKind> {
        let bracket = self.at();
        self.bump();
        if self.tok() == Kind::RBrack {
            return Some(TermKind::Array(Vec::new()));
        }
        // A leading comma is allowed, but then there is no comprehension.
        let comprehension = !self.eat(Kind::Comma);
        let saved = self.save();
        let first = self.term()?;
        if self.tok() == Kind::Or && comprehension && self.may_be(bracket, Reading::Comprehension) {
            self.bump();
            if let Some(body) = self.comprehension_body(Kind::RBrack) {
                let compr = Compr { term: first, body };
                return Some(TermKind::ArrayCompr(Box::new(compr)));
            }
            if self.tok() != Kind::Comma {
                return None;
            }
            self.refute(bracket, Reading::Comprehension);
            self.restore(saved);
            return self.list(Kind::RBrack).map(TermKind::Array);
        }
        self.list_after(first, Kind::RBrack).map(TermKind::Array)
    }

    #[inline(never)]
    fn set_or_object_kind(&mut self) -> Option<TermKind> {
        let bracket = self.at();
        self.bump();
        if self.tok() == Kind::RBrace {
            return Some(TermKind::Object(Vec::new()));
        }
        let comprehension = !self.eat(Kind::Comma);
        let saved = self.save();
        let first = self.term()?;
        if self.tok() == Kind::Or && comprehension && self.may_be(bracket, Reading::Comprehension) {
            self.bump();
            if let Some(body) = self.comprehension_body(Kind::RBrace) {
                let compr = Compr { term: first, body };
                return Some(TermKind::SetCompr(Box::new(compr)));
            }
            if self.tok() != Kind::Comma {
                return None;
            }
            self.refute(bracket, Reading::Comprehension);
            self.restore(saved);
            return self.list(Kind::RBrace).map(TermKind::Set);
        }
        let first = match self.tok() {
            Kind::RBrace | Kind::Comma | Kind::Colon => first,
            // After a failed comprehension the rest is a set, with its messages.
            Kind::Or if comprehension => {
                return self.list_after(first, Kind::RBrace).map(TermKind::Set);
            }
            _ => self.list_term_after(first)?,
        };
        match self.tok() {
            Kind::RBrace | Kind::Comma => self.rest_of_list(Kind::RBrace, first).map(TermKind::Set),
            Kind::Colon => self.object(bracket, first, comprehension),
            _ => {
                self.unexpected("non-terminated set");
                None
            }
        }
    }

    /// Parses an object or object comprehension from the colon after the first key.
    #[inline(never)]
    fn object(&mut self, bracket: usize, key: Term, comprehension: bool) -> Option<TermKind> {
        self.bump();
        let saved = self.save();
        let value = self.term()?;
        match self.tok() {
            Kind::RBrace | Kind::Comma => self.rest_of_object(key, value),
            Kind::Or if comprehension && self.may_be(bracket, Reading::Comprehension) => {
                self.bump();
                if let Some(body) = self.comprehension_body(Kind::RBrace) {
                    let compr = ObjectCompr { key, value, body };
                    return Some(TermKind::ObjectCompr(Box::new(compr)));
                }
                self.refute(bracket, Reading::Comprehension);
                self.restore(saved);
                let value = self.list_term()?;
                self.object_after_value(key, value)
            }
            _ => {
                let value = self.list_term_after(value)?;
                self.object_after_value(key, value)
            }
        }
    }

    fn object_after_value(&mut self, key: Term, value: Term) -> Option<TermKind> {
        if matches!(self.tok(), Kind::RBrace | Kind::Comma) {
            return self.rest_of_object(key, value);
        }
        self.unexpected("non-terminated object");
        None
    }

    /// Parses the pairs that follow the first one.
    #[inline(never)]
    fn rest_of_object(&mut self, key: Term, value: Term) -> Option<TermKind> {
        let base = self.lists.terms.len();
        self.lists.terms.extend([key, value]);
        while self.eat(Kind::Comma) {
            if self.tok() == Kind::RBrace {
                break;
            }
            if !self.pair() {
                self.lists.terms.truncate(base);
                return None;
            }
        }
        let mut pairs = Vec::with_capacity((self.lists.terms.len() - base) / 2);
        let mut terms = self.lists.terms.drain(base..);
        while let (Some(key), Some(value)) = (terms.next(), terms.next()) {
            pairs.push((key, value));
        }
        Some(TermKind::Object(pairs))
    }

    /// Parses a pair and looks at what follows it; answers whether all was well.
    fn pair(&mut self) -> bool {
        let Some(key) = self.list_term() else { return false };
        if self.tok() != Kind::Colon {
            self.unexpected("expected \":\"");
            return false;
        }
        self.bump();
        let Some(value) = self.list_term() else { return false };
        self.lists.terms.extend([key, value]);
        let is_fine = matches!(self.tok(), Kind::Comma | Kind::RBrace);
        if !is_fine {
            self.unexpected("expected \",\" or \"}\"");
        }
        is_fine
    }

    /// Parses the rest of a list whose first term was parsed without operators.
    fn list_after(&mut self, first: Term, end: Kind) -> Option<Vec<Term>> {
        let first = match self.tok() {
            tok if tok == end || tok == Kind::Comma => first,
            _ => self.list_term_after(first)?,
        };
        self.rest_of_list(end, first)
    }

    /// Parses terms up to the closing bracket, on which the parser stays.
    pub(crate) fn list(&mut self, end: Kind) -> Option<Vec<Term>> {
        if self.tok() == end {
            return Some(Vec::new());
        }
        let first = self.list_term()?;
        self.rest_of_list(end, first)
    }

    #[inline(never)]
    fn rest_of_list(&mut self, end: Kind, first: Term) -> Option<Vec<Term>> {
        let base = self.lists.terms.len();
        self.lists.terms.push(first);
        while self.tok() != end {
            if !self.eat(Kind::Comma) {
                self.unexpected(&format!("expected \",\" or \"{}\"", end.name()));
                self.lists.terms.truncate(base);
                return None;
            }
            if self.tok() == end {
                break;
            }
            let Some(term) = self.list_term() else {
                self.lists.terms.truncate(base);
                return None;
            };
            self.lists.terms.push(term);
        }
        Some(self.lists.terms_from(base))
    }
}
