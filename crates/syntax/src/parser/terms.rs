//! Terms: operators by strength, literals, references and calls.
//!
//! A fault on the right of an operator leaves the left operand as the term, so that what follows
//! is still read and its faults are reported too.
//!
//! Functions on the way down are kept from being inlined into each other: their frames would
//! add up, and with them the stack that a level of nesting takes.

use crate::{
    ast::{Call, Callee, InfixOp, Ref, StringLit, StringStyle, Term, TermKind},
    literals::{NumberFault, check_number, unescape},
    parser::cursor::Parser,
    source::Span,
    tokens::{FACTOR, Kind, RELATION},
};

impl Parser<'_> {
    /// Parses a term with operators; `k, v in xs` is one.
    pub(crate) fn infix_term(&mut self) -> Option<Term> {
        self.infix(None, true)
    }

    /// Parses a term with operators inside a list, where a comma ends it.
    pub(crate) fn list_term(&mut self) -> Option<Term> {
        self.infix(None, false)
    }

    /// Goes on with operators after a term of a list that was parsed without them.
    pub(crate) fn list_term_after(&mut self, first: Term) -> Option<Term> {
        self.infix(Some(first), false)
    }

    fn infix(&mut self, first: Option<Term>, comma: bool) -> Option<Term> {
        let outer = self.height;
        if first.is_none() {
            self.height = 0;
        }
        let term = self.membership(first, comma);
        self.height = self.height.max(outer);
        term
    }

    fn membership(&mut self, first: Option<Term>, comma: bool) -> Option<Term> {
        let mut left = self.binary(first, RELATION)?;
        loop {
            if comma && self.tok() == Kind::Comma {
                match self.keyed_membership(left) {
                    Ok(call) if self.tok() == Kind::In => {
                        left = call;
                        continue;
                    }
                    Ok(call) => return Some(call),
                    Err(same) => left = same,
                }
            }
            if self.is_keyword_in_ref() && self.ref_follows() {
                self.as_ident();
            }
            if self.tok() != Kind::In {
                return Some(left);
            }
            let operator = self.span();
            self.bump();
            let height = std::mem::take(&mut self.height);
            let right = self.binary(None, RELATION);
            if !self.higher(height) {
                return None;
            }
            let Some(right) = right else {
                return Some(left);
            };
            left = self.call(InfixOp::In, operator, vec![left, right]);
            if self.tok() != Kind::In {
                return Some(left);
            }
        }
    }

    /// Tries to read `, v in xs` after a key; gives the key back if that is not what follows.
    #[inline(never)]
    fn keyed_membership(&mut self, key: Term) -> Result<Term, Term> {
        let saved = self.save();
        let height = self.height;
        self.bump();
        if let Some(value) = self.binary(None, RELATION)
            && self.tok() == Kind::In
        {
            let operator = self.span();
            self.bump();
            if let Some(collection) = self.binary(None, RELATION)
                && self.higher(height)
            {
                return Ok(self.call(InfixOp::KeyIn, operator, vec![key, value, collection]));
            }
        }
        self.height = height;
        self.restore(saved);
        Err(key)
    }

    /// Parses operators of at least a strength.
    fn binary(&mut self, first: Option<Term>, strength: u8) -> Option<Term> {
        let mut left = match first {
            Some(term) => term,
            None => self.term()?,
        };
        let mut strength_max = FACTOR;
        while let Some((op, at)) = self.tok().infix() {
            if at < strength || at > strength_max {
                break;
            }
            let operator = self.span();
            self.bump();
            let height = std::mem::take(&mut self.height);
            let right = if at == FACTOR { self.term() } else { self.binary(None, at + 1) };
            if !self.higher(height) {
                return None;
            }
            match right {
                // What binds tighter was offered to the right side already.
                Some(right) => {
                    left = self.call(op, operator, vec![left, right]);
                    strength_max = at;
                }
                None => strength_max = at - 1,
            }
        }
        Some(left)
    }

    fn call(&self, op: InfixOp, operator: Span, args: Vec<Term>) -> Term {
        let start = args.first().map_or(operator.start, |arg| arg.span.start);
        let call = Call { callee: Callee::Infix(op, operator), args };
        Term::new(TermKind::Call(Box::new(call)), self.since(start))
    }

    /// Parses a term without operators but a sign.
    pub(crate) fn term(&mut self) -> Option<Term> {
        if !self.enter(1) {
            return None;
        }
        let outer = std::mem::take(&mut self.height);
        let at = self.at();
        let mut term = None;
        if !self.had_no_term() {
            term = self.term_inner();
            if term.is_none() && self.at() == at {
                self.remember_no_term();
            }
        }
        self.forget_no_term(at);
        self.height = self.height.max(outer);
        self.leave(1);
        term
    }

    #[inline(never)]
    fn term_inner(&mut self) -> Option<Term> {
        let logical = matches!(self.tok(), Kind::LogicalAnd | Kind::LogicalOr);
        if logical && self.peek() == (Kind::LParen, true) {
            // A call of the built-in behind `&` or `|`.
            self.as_ident();
        }
        match self.tok() {
            Kind::Minus => return self.signed(),
            Kind::LParen => return self.parenthesized(),
            _ => {}
        }
        let span = self.span();
        let kind = match self.tok() {
            Kind::Null => TermKind::Null,
            Kind::True => TermKind::Bool(true),
            Kind::False => TermKind::Bool(false),
            Kind::Number | Kind::Dot => return self.number(),
            Kind::String => self.string()?,
            Kind::Ident | Kind::Contains => self.var(),
            Kind::LBrack => return self.array(),
            Kind::LBrace => return self.set_or_object(),
            Kind::TemplatePart | Kind::TemplateEnd => return self.template(false),
            Kind::RawTemplatePart | Kind::RawTemplateEnd => return self.template(true),
            _ => {
                self.unexpected("");
                return None;
            }
        };
        self.finish(Term::new(kind, span))
    }

    /// Parses `-x` and `-1`.
    #[inline(never)]
    fn signed(&mut self) -> Option<Term> {
        let sign = self.span();
        if !matches!(self.peek().0, Kind::Ident | Kind::Contains) {
            return self.number();
        }
        self.bump();
        let span = self.span();
        let var = self.var();
        let operand = self.finish(Term::new(var, span))?;
        let zero = Term::new(TermKind::Number("0".into()), sign);
        let call = Call { callee: Callee::Negation(sign), args: vec![zero, operand] };
        self.height += 1;
        Some(Term::new(TermKind::Call(Box::new(call)), self.since(sign.start)))
    }

    #[inline(never)]
    fn parenthesized(&mut self) -> Option<Term> {
        self.bump();
        let mut term = self.infix_term()?;
        if self.tok() != Kind::RParen {
            self.error(self.span(), "unclosed", "non-terminated expression");
            return None;
        }
        term.parens = term.parens.saturating_add(1);
        self.finish(term)
    }

    /// Steps over the last token of a term and reads what is attached to it.
    pub(crate) fn finish(&mut self, head: Term) -> Option<Term> {
        self.bump();
        let attached = matches!(self.tok(), Kind::LParen | Kind::Dot | Kind::LBrack);
        if attached && !self.spaced() {
            return self.reference(head);
        }
        Some(root_document(head))
    }

    /// Parses the current name.
    pub(crate) fn var(&mut self) -> TermKind {
        match self.text() {
            "_" => TermKind::Var(self.wildcard()),
            name => TermKind::Var(name.into()),
        }
    }

    #[inline(never)]
    fn string(&mut self) -> Option<TermKind> {
        let text = self.text();
        let inner = text.get(1..text.len().saturating_sub(1)).unwrap_or_default();
        if text.starts_with('`') {
            return Some(TermKind::String(StringLit { value: inner.into(), style: StringStyle::Raw }));
        }
        let Some(value) = unescape(inner, false) else {
            let message = format!("illegal string literal: {text}");
            self.error(self.span(), "illegal-string", message);
            return None;
        };
        Some(TermKind::String(StringLit { value: value.into(), style: StringStyle::Quoted }))
    }

    #[inline(never)]
    fn number(&mut self) -> Option<Term> {
        let start = self.span().start;
        let mut text = String::new();
        if self.eat(Kind::Minus) {
            text.push('-');
            if !matches!(self.tok(), Kind::Number | Kind::Dot) {
                self.unexpected("expected number");
                return None;
            }
        }
        let mut leading_dot = false;
        if self.eat(Kind::Dot) {
            leading_dot = true;
            text.push('.');
            if self.tok() != Kind::Number {
                self.unexpected("expected number");
                return None;
            }
        }
        let digits = self.text();
        // OPA takes a part of a character that touches the number for one of its digits.
        let touched = self.touches_non_ascii();
        if !leading_dot && (has_leading_zero(digits) || (touched && digits == "0")) {
            self.unexpected("expected number without leading zero");
            return None;
        }
        text.push_str(digits);
        match check_number(&text) {
            Ok(()) if touched => {
                self.unexpected("invalid float");
                return None;
            }
            Ok(()) => {}
            Err(NumberFault::TooBig) => {
                self.error(self.span(), "number-too-big", "number too big");
                return None;
            }
            Err(NumberFault::Invalid) => {
                self.unexpected("invalid float");
                return None;
            }
        }
        let span = Span::new(start, self.span().end);
        self.finish(Term::new(TermKind::Number(text.into()), span))
    }

    /// Parses what is attached to a term: `.name`, `[key]`, `(arguments)`.
    #[inline(never)]
    pub(crate) fn reference(&mut self, head: Term) -> Option<Term> {
        if let Some(name) = not_a_ref_head(&head.kind) {
            let message = format!("illegal ref (head cannot be {name})");
            self.error(head.span, "illegal-ref", message);
        }
        let start = head.span.start;
        let outer = self.height;
        let mut height = 0;
        let base = self.lists.terms.len();
        // The first token may stand apart from a rule's name.
        let mut attached = true;
        loop {
            match self.tok() {
                Kind::Dot | Kind::LBrack if attached => {
                    let part = if self.tok() == Kind::Dot {
                        self.dot_part()
                    } else {
                        self.height = 0;
                        let part = self.bracket_part();
                        height = height.max(self.height);
                        part
                    };
                    let Some(part) = part else {
                        self.lists.terms.truncate(base);
                        return None;
                    };
                    self.lists.terms.push(part);
                }
                tok => {
                    self.height = outer;
                    let higher = self.higher(height);
                    let parts = self.lists.terms_from(base);
                    let reference = Ref { head, parts, span: self.since(start) };
                    if !higher {
                        return None;
                    }
                    if tok == Kind::LParen && attached {
                        return self.call_of(reference);
                    }
                    let span = reference.span;
                    return Some(Term::new(TermKind::Ref(Box::new(reference)), span));
                }
            }
            attached = !self.spaced();
        }
    }

    #[inline(never)]
    fn dot_part(&mut self) -> Option<Term> {
        if self.bump_onto_space() {
            self.unexpected("expected identifier");
            return None;
        }
        if self.tok() != Kind::Ident && !self.is_keyword_in_ref() {
            self.unexpected("expected identifier");
            return None;
        }
        let lit = StringLit { value: self.text().into(), style: StringStyle::Dot };
        let term = Term::new(TermKind::String(lit), self.span());
        self.bump();
        Some(term)
    }

    #[inline(never)]
    fn bracket_part(&mut self) -> Option<Term> {
        self.bump();
        let key = self.infix_term()?;
        if self.tok() != Kind::RBrack {
            self.unexpected("expected [");
            return None;
        }
        self.bump();
        Some(key)
    }

    /// Parses the arguments of a call and what is attached to it.
    #[inline(never)]
    fn call_of(&mut self, function: Ref) -> Option<Term> {
        let start = function.span.start;
        let outer = std::mem::take(&mut self.height);
        self.bump();
        let args = if self.tok() == Kind::RParen { Some(Vec::new()) } else { self.list(Kind::RParen) };
        let args = args?;
        self.bump();
        if !self.higher(outer) {
            return None;
        }
        let constructor = function.parts.is_empty() && function.head.as_var() == Some("set");
        let kind = if constructor && args.is_empty() {
            TermKind::Set(args)
        } else {
            TermKind::Call(Box::new(Call { callee: Callee::Ref(function), args }))
        };
        let term = Term::new(kind, self.since(start));
        let continues = matches!(self.tok(), Kind::Dot | Kind::LBrack) && !self.spaced();
        if continues {
            return self.reference(term);
        }
        Some(term)
    }
}

/// Makes a reference of the variables `input` and `data`.
pub(crate) fn root_document(term: Term) -> Term {
    if !matches!(term.as_var(), Some("input" | "data")) {
        return term;
    }
    let span = term.span;
    let parens = term.parens;
    let reference = Ref { head: Term { parens: 0, ..term }, parts: Vec::new(), span };
    Term { kind: TermKind::Ref(Box::new(reference)), span, parens }
}

fn has_leading_zero(digits: &str) -> bool {
    match digits.as_bytes() {
        [b'0', b'.', ..] | [b'0', b'e' | b'E', _, ..] => false,
        [b'0', _, ..] => true,
        _ => false,
    }
}

/// Returns the kind's name if a reference cannot start with it.
fn not_a_ref_head(kind: &TermKind) -> Option<&'static str> {
    match kind {
        TermKind::Null
        | TermKind::Bool(_)
        | TermKind::Number(_)
        | TermKind::String(_)
        | TermKind::Ref(_)
        | TermKind::Template(_) => Some(kind.name()),
        _ => None,
    }
}
