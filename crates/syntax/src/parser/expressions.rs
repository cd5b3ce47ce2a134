//! Bodies and expressions: `some`, `every`, `not`, `with`, `:=` and `=`.
//!
//! What `and`, `or` and the new `not` add is in the file beside this one.

use crate::{
    ast::{
        Binding, Body, Call, Callee, Every, Expr, ExprKind, InfixOp, Keywords, Operand, SomeIn, Term,
        TermKind, With,
    },
    parser::cursor::Parser,
    source::Span,
    tokens::Kind,
};

/// Says where a list of expressions ends.
#[derive(Clone, Copy, PartialEq)]
pub(crate) enum Until {
    /// At a closing brace of a body.
    Closing(Kind),
    /// At a closing bracket of what may be no comprehension after all.
    Comprehension(Kind),
    /// After the first expression that no semicolon follows.
    Statement,
}

impl Parser<'_> {
    /// Parses a body up to the closing bracket, on which the parser stays.
    pub(crate) fn body(&mut self, end: Kind) -> Option<Body> {
        self.body_until(Until::Closing(end))
    }

    /// Parses the body of what may be a comprehension, as [`Parser::body`] does.
    pub(crate) fn comprehension_body(&mut self, end: Kind) -> Option<Body> {
        self.body_until(Until::Comprehension(end))
    }

    fn body_until(&mut self, until: Until) -> Option<Body> {
        if !self.enter(2) {
            return None;
        }
        let body = self.query(until);
        self.leave(2);
        body
    }

    /// Parses expressions.
    pub(crate) fn query(&mut self, until: Until) -> Option<Body> {
        let end = match until {
            Until::Closing(end) | Until::Comprehension(end) => end,
            Until::Statement => Kind::Eof,
        };
        if self.tok() == end {
            self.error(self.span(), "empty-body", "found empty body");
            return None;
        }
        let base = self.lists.exprs.len();
        let is_fine = self.exprs(until, end);
        let body = if is_fine { Some(self.lists.exprs.drain(base..).collect()) } else { None };
        self.lists.exprs.truncate(base);
        body
    }

    /// Parses expressions onto the list of them; answers whether all was well.
    fn exprs(&mut self, until: Until, end: Kind) -> bool {
        loop {
            let Some(expr) = self.literal() else { return false };
            self.lists.exprs.push(expr);
            if self.eat(Kind::Semicolon) {
                continue;
            }
            if self.tok() == end || until == Until::Statement {
                return true;
            }
            if !self.on_new_line() {
                if self.fault_count() == self.fault_base {
                    // At a comma brackets are read as a list, and the fault is forgotten.
                    let forgotten = self.tok() == Kind::Comma && matches!(until, Until::Comprehension(_));
                    if !forgotten {
                        self.hint_missing_infix();
                    }
                    let note = format!("expected \\n or ; or {}", end.name());
                    self.unexpected(&note);
                }
                return false;
            }
        }
    }

    /// Parses one expression.
    pub(crate) fn literal(&mut self) -> Option<Expr> {
        let start = self.span().start;
        let mut expr = self.literal_inner()?;
        expr.span = self.since(start);
        if let ExprKind::Not(operand) = &mut expr.kind
            && !operand.explicit
        {
            for inner in &mut operand.body {
                inner.span = expr.span;
            }
        }
        Some(expr)
    }

    fn literal_inner(&mut self) -> Option<Expr> {
        if let Some(parsed) = self.leading_operand() {
            return parsed;
        }
        if self.is_keyword_in_ref() && self.ref_follows() {
            self.as_ident();
            return self.plain_expr(None);
        }
        let not = self.eat_not();
        if let Some(not) = not
            && self.keywords.has(Keywords::NOT)
            && self.tok() == Kind::LBrace
        {
            let negation = self.not_body(not)?;
            let span = negation.span;
            let operand = implicit(negation);
            return self.logical_tail(operand, span);
        }
        match self.tok() {
            Kind::Some if not.is_some() => {
                self.unexpected("illegal negation of 'some'");
                None
            }
            Kind::Every if not.is_some() => {
                self.unexpected("illegal negation of 'every'");
                None
            }
            Kind::Some => self.some(),
            Kind::Every => self.every(),
            _ => self.plain_expr(not),
        }
    }

    /// Steps over a `not` that is no name and returns its place.
    pub(crate) fn eat_not(&mut self) -> Option<Span> {
        let not = self.span();
        let found = self.tok() == Kind::Not && !self.ref_follows();
        if found {
            self.bump();
        }
        found.then_some(not)
    }

    /// Parses an expression with its modifiers and, if `and` or `or` follows, the whole chain.
    #[inline(never)]
    fn plain_expr(&mut self, not: Option<Span>) -> Option<Expr> {
        let saved = self.save();
        let start = self.span().start;
        if let Some(not) = not
            && self.keywords.has(Keywords::NOT)
            && self.tok() == Kind::LParen
            && let Some(group) = self.logical_group(true, "not ")
        {
            let (operand, _) = group?;
            let span = self.since(not.start);
            let negation = expr(ExprKind::Not(Box::new(operand)), span);
            return self.logical_tail(implicit(negation), span);
        }
        let kind = self.expr_kind()?;
        let mut expr = expr(kind, self.since(start));
        let with_at = (self.tok() == Kind::With).then(|| self.span());
        if with_at.is_some() {
            expr.with = self.with_modifiers()?;
            expr.span = self.since(start);
        }
        self.hint_missing_every(&expr, saved);
        let mut expr = self.negate(expr, not);
        if !matches!(self.tok(), Kind::LogicalAnd | Kind::LogicalOr) {
            return Some(expr);
        }
        if let Some(at) = with_at {
            self.with_on_operand(at);
            return None;
        }
        if not.is_none() {
            expr.span = self.since(start);
            if self.source.slice(expr.span).starts_with('{') {
                self.brace_led_expr(&expr);
                return None;
            }
        }
        let span = expr.span;
        let chain = self.logical_or_chain(implicit(expr), span)?;
        self.attach_with(chain)
    }

    /// Puts a `not` before an expression, in the way that is on.
    #[inline(never)]
    pub(crate) fn negate(&self, mut inner: Expr, not: Option<Span>) -> Expr {
        let Some(not) = not else {
            return inner;
        };
        if !self.keywords.has(Keywords::NOT) {
            inner.negated = true;
            return inner;
        }
        let span = self.since(not.start);
        let with = std::mem::take(&mut inner.with);
        let mut outer = expr(ExprKind::Not(Box::new(implicit(inner))), span);
        outer.with = with;
        outer
    }

    /// Parses a term, `lhs := rhs` or `lhs = rhs`.
    #[inline(never)]
    pub(crate) fn expr_kind(&mut self) -> Option<ExprKind> {
        let lhs = self.infix_term()?;
        let tok = self.tok();
        if !matches!(tok, Kind::Assign | Kind::Unify) {
            return Some(ExprKind::Term(lhs));
        }
        let operator = self.span();
        self.bump();
        let rhs = self.infix_term()?;
        let binding = Box::new(Binding { lhs, rhs, operator });
        Some(match tok {
            Kind::Assign => ExprKind::Assign(binding),
            _ => ExprKind::Unify(binding),
        })
    }

    /// Parses the `with` modifiers; the parser stands on the first.
    #[inline(never)]
    pub(crate) fn with_modifiers(&mut self) -> Option<Vec<With>> {
        let base = self.lists.withs.len();
        while self.tok() == Kind::With {
            let Some(with) = self.with_modifier() else {
                self.lists.withs.truncate(base);
                return None;
            };
            self.lists.withs.push(with);
        }
        Some(self.lists.withs.drain(base..).collect())
    }

    fn with_modifier(&mut self) -> Option<With> {
        let start = self.span().start;
        self.bump();
        if self.tok() != Kind::Ident {
            self.unexpected("expected ident");
            return None;
        }
        let target = self.term()?;
        if !matches!(target.kind, TermKind::Ref(_) | TermKind::Var(_)) {
            self.unexpected("expected with target path");
        }
        if self.tok() != Kind::As {
            self.unexpected("expected as keyword");
            return None;
        }
        self.bump();
        let value = self.infix_term()?;
        Some(With { target, value, span: self.since(start) })
    }

    /// Adds `with` modifiers to an expression if any follow.
    pub(crate) fn attach_with(&mut self, mut expr: Expr) -> Option<Expr> {
        if self.tok() == Kind::With {
            expr.with = self.with_modifiers()?;
        }
        Some(expr)
    }

    #[inline(never)]
    fn some(&mut self) -> Option<Expr> {
        let some = self.span();
        let saved = self.save();
        self.bump();
        if let Some(term) = self.infix_term()
            && matches!(term.kind, TermKind::Call(_))
        {
            let Some(domain) = some_in(term) else {
                self.unexpected("expected `x in xs` or `x, y in xs` expression");
                return None;
            };
            let domain = self.checked_domain(domain)?;
            let expr = expr(ExprKind::SomeIn(Box::new(domain)), some);
            return self.attach_with(expr);
        }
        self.restore(saved);
        self.hint_missing_in();
        let mut vars = Vec::new();
        loop {
            self.bump();
            if self.tok() != Kind::Ident {
                self.unexpected("expected var");
                return None;
            }
            let span = self.span();
            let var = self.var();
            vars.push(Term::new(var, span));
            self.bump();
            if self.tok() != Kind::Comma {
                return Some(expr(ExprKind::Some(vars), some));
            }
        }
    }

    /// Reports a domain with the wrong number of parts, which only a call by name can have.
    fn checked_domain(&mut self, domain: Result<SomeIn, ()>) -> Option<SomeIn> {
        if domain.is_err() {
            self.unexpected("illegal domain");
        }
        domain.ok()
    }

    #[inline(never)]
    pub(crate) fn every(&mut self) -> Option<Expr> {
        const SHAPE: &str = "expected `x[, y] in xs { ... }` expression";
        let every = self.span();
        self.bump();
        let Some(domain) = some_in(self.infix_term()?) else {
            self.unexpected(SHAPE);
            return None;
        };
        let SomeIn { key, value, collection, .. } = self.checked_domain(domain)?;
        if key.as_ref().is_some_and(|key| key.as_var().is_none()) {
            self.unexpected("expected key to be a variable");
            return None;
        }
        if value.as_var().is_none() {
            self.unexpected("expected value to be a variable");
            return None;
        }
        if self.tok() != Kind::LBrace {
            self.unexpected("missing body");
            return None;
        }
        self.bump();
        let body = self.body(Kind::RBrace)?;
        self.bump();
        let every_expr = Every { key, value, domain: collection, body };
        self.attach_with(expr(ExprKind::Every(Box::new(every_expr)), every))
    }

    // Hints that an import is missing.

    #[inline(never)]
    fn hint_missing_every(&mut self, expr: &Expr, saved: crate::parser::cursor::Saved) {
        use crate::ast::RegoVersion;
        let ExprKind::Term(term) = &expr.kind else {
            return;
        };
        if self.version != RegoVersion::V0 || term.as_var() != Some("every") {
            return;
        }
        let here = self.restore_keeping(saved);
        let is_every = self.with_all_keywords(|parser| parser.every().is_some());
        self.return_to(here);
        if is_every {
            self.hint("`import future.keywords.every` for `every x in xs { ... }` expressions");
        }
    }

    fn hint_missing_in(&mut self) {
        use crate::ast::RegoVersion;
        if self.version != RegoVersion::V0 {
            return;
        }
        let saved = self.save();
        self.bump();
        let is_in = self.with_all_keywords(Self::parses_membership);
        self.restore(saved);
        if is_in {
            self.hint("`import future.keywords.in` for `some x in xs` expressions");
        }
    }

    #[inline(never)]
    fn hint_missing_infix(&mut self) {
        if self.has_hints() {
            return;
        }
        let keyword = match self.tok() {
            // OPA takes a part of a character that touches the word for one of its letters.
            Kind::Ident if self.touches_non_ascii() => return,
            Kind::Ident => self.text(),
            Kind::Comma => {
                let saved = self.save();
                self.bump();
                let is_in = self.with_all_keywords(Self::parses_membership);
                self.restore(saved);
                if !is_in {
                    return;
                }
                "in"
            }
            _ => return,
        };
        let example = match keyword {
            "in" => "x in xs",
            "and" => "x and y",
            "or" => "x or y",
            _ => return,
        };
        self.hint(format!("`import future.keywords.{keyword}` for `{example}` expressions"));
    }

    fn parses_membership(&mut self) -> bool {
        let term = self.infix_term();
        term.is_some_and(|term| matches!(some_in(term), Some(Ok(_) | Err(()))))
    }
}

/// Makes an expression without modifiers.
pub(crate) fn expr(kind: ExprKind, span: Span) -> Expr {
    Expr { kind, negated: false, with: Vec::new(), span }
}

/// Makes an operand without braces.
pub(crate) fn implicit(expr: Expr) -> Operand {
    Operand { body: vec![expr], explicit: false }
}

/// Takes a membership apart; `None` if the term is no membership, an error inside if it calls
/// the built-in by name with the wrong number of arguments.
fn some_in(term: Term) -> Option<Result<SomeIn, ()>> {
    let span = term.span;
    let TermKind::Call(call) = term.kind else {
        return None;
    };
    let Call { callee, args } = *call;
    let arity = match callee {
        Callee::Infix(InfixOp::In, _) => 2,
        Callee::Infix(InfixOp::KeyIn, _) => 3,
        Callee::Ref(name) => match name.dotted()?.as_str() {
            "internal.member_2" => 2,
            "internal.member_3" => 3,
            _ => return None,
        },
        _ => return None,
    };
    if args.len() != arity {
        return Some(Err(()));
    }
    let mut args = args.into_iter();
    let key = if arity == 3 { args.next() } else { None };
    let (value, collection) = (args.next()?, args.next()?);
    Some(Ok(SomeIn { key, value, collection, span }))
}
