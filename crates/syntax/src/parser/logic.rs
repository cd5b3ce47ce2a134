//! Operands of `and`, `or` and the new `not`: braces are bodies, parentheses group.
//!
//! Braces and parentheses are ambiguous with sets, objects and terms, so that both readings are
//! tried; what may look like either is refused with a hint how to write it.

use crate::{
    ast::{Body, Callee, Expr, ExprKind, InfixOp, Keywords, Logical, Operand, Term, TermKind},
    builtin_names::is_void,
    parser::{
        cursor::{Parser, Reading},
        expressions::{expr, implicit},
    },
    source::Span,
    tokens::Kind,
};

/// Is a parenthesised group: the operand and its place, or nothing after a fault.
type Group = Option<(Operand, Span)>;

impl Parser<'_> {
    /// Tells whether `and` or `or` is on.
    fn logical(&self) -> bool {
        self.keywords.has(Keywords::AND) || self.keywords.has(Keywords::OR)
    }

    fn at_logical(&self) -> bool {
        matches!(self.tok(), Kind::LogicalAnd | Kind::LogicalOr)
    }

    /// Reads an expression that begins with a bracketed operand; `None` if this one does not.
    #[expect(clippy::option_option, reason = "outer: was it one; inner: was it faultless")]
    #[inline(never)]
    pub(crate) fn leading_operand(&mut self) -> Option<Option<Expr>> {
        if !self.logical() {
            return None;
        }
        match self.tok() {
            Kind::LBrace => self.leading_braces(),
            Kind::LParen => {
                let group = self.logical_group(false, "")?;
                Some(group.and_then(|(operand, span)| self.logical_tail(operand, span)))
            }
            _ => None,
        }
    }

    #[expect(clippy::option_option, reason = "outer: was it one; inner: was it faultless")]
    fn leading_braces(&mut self) -> Option<Option<Expr>> {
        let bracket = self.at();
        if !self.may_be(bracket, Reading::LeadingOperand) {
            return None;
        }
        let saved = self.save();
        let brace = self.span();
        self.bump();
        if let Some(body) = self.body(Kind::RBrace) {
            self.bump();
            if self.at_logical() {
                if is_ambiguous_union(&body, self.source.text()) {
                    self.ambiguous_union(brace, &body, "");
                    return Some(None);
                }
                let operand = Operand { body, explicit: true };
                let chain = self.logical_or_chain(operand, brace);
                return Some(chain.and_then(|chain| self.attach_with(chain)));
            }
        }
        self.refute(bracket, Reading::LeadingOperand);
        self.restore(saved);
        None
    }

    /// Goes on after an operand: with a chain if `and` or `or` follows, then with modifiers.
    #[inline(never)]
    pub(crate) fn logical_tail(&mut self, operand: Operand, span: Span) -> Option<Expr> {
        if self.at_logical() {
            let chain = self.logical_or_chain(operand, span)?;
            return self.attach_with(chain);
        }
        // Several expressions in one operand stand in braces, and braces precede an operator.
        let first = operand.body.into_iter().next()?;
        self.attach_with(first)
    }

    /// Parses a chain of `or`s after its first operand; `and`s bind tighter.
    pub(crate) fn logical_or_chain(&mut self, lhs: Operand, span: Span) -> Option<Expr> {
        if !self.enter(1) {
            return None;
        }
        let chain = self.or_chain(lhs, span);
        self.leave(1);
        chain
    }

    fn or_chain(&mut self, mut lhs: Operand, span: Span) -> Option<Expr> {
        if self.tok() == Kind::LogicalAnd {
            lhs = implicit(self.and_chain(lhs, span)?);
        }
        while self.tok() == Kind::LogicalOr {
            self.bump();
            let (mut rhs, rhs_span) = self.operand(Some("or"))?;
            if self.tok() == Kind::LogicalAnd {
                rhs = implicit(self.and_chain(rhs, rhs_span)?);
            }
            self.check_void(&lhs.body, "or");
            self.check_void(&rhs.body, "or");
            lhs = self.joined(ExprKind::Or, lhs, rhs, span)?;
        }
        lhs.body.into_iter().next()
    }

    fn and_chain(&mut self, mut lhs: Operand, span: Span) -> Option<Expr> {
        while self.tok() == Kind::LogicalAnd {
            self.bump();
            let (rhs, _) = self.operand(Some("and"))?;
            self.check_void(&lhs.body, "and");
            self.check_void(&rhs.body, "and");
            lhs = self.joined(ExprKind::And, lhs, rhs, span)?;
        }
        lhs.body.into_iter().next()
    }

    fn joined(
        &mut self,
        kind: impl FnOnce(Box<Logical>) -> ExprKind,
        lhs: Operand,
        rhs: Operand,
        span: Span,
    ) -> Option<Operand> {
        if !self.higher(0) {
            return None;
        }
        let logical = Box::new(Logical { lhs, rhs });
        Some(implicit(expr(kind(logical), self.since(span.start))))
    }

    /// Parses one operand. `op` is the operator it belongs to, `None` while it is not known
    /// whether there is one.
    fn operand(&mut self, op: Option<&str>) -> Option<(Operand, Span)> {
        if self.tok() == Kind::LBrace {
            return self.braced_operand(op);
        }
        let not = self.eat_not();
        let new_not = self.keywords.has(Keywords::NOT);
        if let Some(not) = not
            && new_not
            && self.tok() == Kind::LBrace
        {
            let negation = self.not_body(not)?;
            let span = negation.span;
            return Some((implicit(negation), span));
        }
        let may_group = self.logical() && (not.is_none() || new_not);
        if self.tok() == Kind::LParen && may_group {
            let prefix = if not.is_some() { "not " } else { "" };
            if let Some(group) = self.logical_group(true, prefix) {
                let (operand, span) = group?;
                let Some(not) = not else {
                    return Some((operand, span));
                };
                let span = self.since(not.start);
                let negation = expr(ExprKind::Not(Box::new(operand)), span);
                return Some((implicit(negation), span));
            }
        }
        let start = self.span().start;
        let kind = self.expr_kind()?;
        let inner = expr(kind, self.since(start));
        let negated = self.negate(inner, not);
        let span = negated.span;
        Some((implicit(negated), span))
    }

    fn braced_operand(&mut self, op: Option<&str>) -> Option<(Operand, Span)> {
        let brace = self.span();
        let saved = self.save();
        self.bump();
        let empty = self.tok() == Kind::RBrace;
        let Some(body) = self.body(Kind::RBrace) else {
            let op = op.filter(|_| !empty)?;
            let failed = self.restore_keeping(saved);
            // The braces may hold a value, and the operand may go on behind them.
            if self.infix_term().is_some() {
                self.brace_led(self.since(brace.start), op);
                return None;
            }
            self.return_to(failed);
            return None;
        };
        self.bump();
        if is_ambiguous_union(&body, self.source.text()) {
            self.ambiguous_union(brace, &body, "");
        }
        let operand = Operand { body, explicit: true };
        Some((operand, brace))
    }

    /// Parses `{ body }` after a `not`.
    pub(crate) fn not_body(&mut self, not: Span) -> Option<Expr> {
        let brace = self.span();
        let saved = self.save();
        self.bump();
        let empty = self.tok() == Kind::RBrace;
        let Some(body) = self.body(Kind::RBrace) else {
            if empty {
                return None;
            }
            let failed = self.restore_keeping(saved);
            if let Some(term) = self.infix_term() {
                self.body_needed(self.since(brace.start), &term, "not ");
                return None;
            }
            self.return_to(failed);
            return None;
        };
        self.bump();
        if is_ambiguous_union(&body, self.source.text()) {
            self.ambiguous_union(brace, &body, "not ");
            return None;
        }
        let operand = Operand { body, explicit: true };
        let span = self.since(not.start);
        Some(expr(ExprKind::Not(Box::new(operand)), span))
    }

    /// Tries to read parentheses as a group of operands; `None` if they hold a term. With
    /// `is_operand` they stand where an operand must.
    pub(crate) fn logical_group(&mut self, is_operand: bool, prefix: &str) -> Option<Group> {
        let (bracket, reading) = (self.at(), Reading::Group { is_operand });
        if !self.may_be(bracket, reading) {
            return None;
        }
        if !self.enter(1) {
            return Some(None);
        }
        let group = self.group(is_operand, prefix);
        self.leave(1);
        if group.is_none() {
            self.refute(bracket, reading);
        }
        group
    }

    fn group(&mut self, is_operand: bool, prefix: &str) -> Option<Group> {
        let saved = self.save();
        let open = self.span();
        self.bump();
        if self.tok() == Kind::RParen {
            if is_operand {
                self.error(open, "bad-operand", "empty parenthesized group");
                return Some(None);
            }
            self.restore(saved);
            return None;
        }
        let Some((operand, span)) = self.operand(None) else {
            self.restore(saved);
            return None;
        };
        if self.at_logical() {
            let chain = self.logical_or_chain(operand, span);
            let chain = chain.and_then(|chain| self.attach_with(chain));
            return Some(chain.and_then(|chain| self.close_group(implicit(chain), open)));
        }
        if self.tok() == Kind::With && !operand.explicit {
            return self.group_with(operand, open, is_operand, saved);
        }
        if operand.explicit {
            return self.group_of_braces(self.since(span.start), open, prefix, saved);
        }
        if is_group_operand(&operand.body) {
            return Some(self.close_group(operand, open));
        }
        self.restore(saved);
        None
    }

    fn close_group(&mut self, operand: Operand, open: Span) -> Group {
        if self.tok() != Kind::RParen {
            let message = "expected ) to close parenthesized group";
            self.error(self.span(), "unclosed", message);
            return None;
        }
        self.bump();
        Some((operand, self.since(open.start)))
    }

    /// Reads `(operand with …)`.
    fn group_with(
        &mut self,
        mut operand: Operand,
        open: Span,
        is_operand: bool,
        saved: crate::parser::cursor::Saved,
    ) -> Option<Group> {
        let with = self.span();
        let Some(modifiers) = self.with_modifiers() else {
            return Some(None);
        };
        if let Some(first) = operand.body.first_mut() {
            first.with = modifiers;
        }
        if self.at_logical() {
            self.with_on_operand(with);
            return Some(None);
        }
        let Some(group) = self.close_group(operand, open) else {
            return Some(None);
        };
        if is_operand || self.at_logical() {
            return Some(Some(group));
        }
        self.restore(saved);
        None
    }

    /// Decides on `({ … })`: the braces must be a value.
    fn group_of_braces(
        &mut self,
        braces: Span,
        open: Span,
        prefix: &str,
        saved: crate::parser::cursor::Saved,
    ) -> Option<Group> {
        self.restore(saved);
        let probe = self.save();
        self.bump();
        let is_term = self.term().is_some();
        self.restore(probe);
        if is_term {
            return None;
        }
        let text = self.source.slice(braces);
        self.hint(format!("drop the parens to keep the body: `{prefix}{text}`"));
        let message = "`(...)` in an operand position cannot contain a body";
        self.error(open, "bad-operand", message);
        Some(None)
    }

    // Reports.

    pub(crate) fn with_on_operand(&mut self, with: Span) {
        let op = self.tok().name();
        self.hint(format!(
            "Wrap the operand in `(...)` or `{{...}}` to scope, or move `with` after the `{op}` expression to apply it to the whole expression"
        ));
        let message = format!("`with` modifier is not allowed on operand of `{op}`");
        self.error(with, "bad-operand", message);
    }

    /// Reports an operand that begins with a brace but is a value.
    pub(crate) fn brace_led_expr(&mut self, expr: &Expr) {
        let empty = matches!(&expr.kind, ExprKind::Term(term)
            if matches!(&term.kind, TermKind::Object(pairs) if pairs.is_empty()));
        if empty && expr.with.is_empty() {
            self.error(expr.span, "empty-body", "found empty body");
            return;
        }
        self.brace_led(expr.span, self.tok().name());
    }

    fn brace_led(&mut self, operand: Span, op: &str) {
        let text = self.source.slice(operand);
        self.hint(format!("wrap the operand to keep the value: `({text}) {op} ...`"));
        let message = format!("operand of `{op}` cannot begin with `{{` unless the braces hold a body");
        self.error(operand, "bad-operand", message);
    }

    fn body_needed(&mut self, operand: Span, term: &Term, prefix: &str) {
        let text = self.source.slice(operand);
        self.hint(format!(
            "write `{prefix}({text})` to negate the value, or `{prefix}{{{text}}}` for a body holding it"
        ));
        let message = format!(
            "`{{...}}` in an operand position must contain expression(s), got: {}",
            brace_led_kind(term).name()
        );
        self.error(operand, "bad-operand", message);
    }

    fn ambiguous_union(&mut self, brace: Span, body: &Body, prefix: &str) {
        let braces = self.source.slice(self.since(brace.start));
        let mut union = braces.to_owned();
        if let Some(first) = body.first() {
            let from = first.span.start.saturating_sub(brace.start) as usize;
            let to = first.span.end.saturating_sub(brace.start) as usize;
            if let (Some(before), Some(text), Some(after)) =
                (braces.get(..from), braces.get(from..to), braces.get(to..))
                && from > 0
            {
                union = format!("{before}({text}){after}");
            }
        }
        self.hint(format!(
            "write `{prefix}({braces})` for the comprehension, or `{prefix}{union}` for the set union"
        ));
        let message = "ambiguous `{ ... | ... }` operand: read as a body holding a set-union expression, not as a comprehension";
        self.error(brace, "bad-operand", message);
    }

    /// Reports an operand that only calls built-ins without a value.
    fn check_void(&mut self, body: &Body, op: &str) {
        let mut first = None;
        for expr in body {
            let name = match &expr.kind {
                ExprKind::Term(term) if !expr.negated => term.as_call().and_then(|c| c.name()),
                _ => None,
            };
            let Some(name) = name.filter(|name| is_void(name)) else {
                return;
            };
            first.get_or_insert((name, expr.span));
        }
        let Some((name, span)) = first else {
            return;
        };
        self.hint(format!(
            "`{name}` produces no value and always succeeds, so the operand can never fail; move it out of the operand, or add an expression that can fail"
        ));
        let message = format!("operand of `{op}` cannot consist only of calls to `{name}`");
        self.error(span, "bad-operand", message);
    }
}

/// Tells whether a body's first expression is a bare union, so that its braces look like a set
/// comprehension.
fn is_ambiguous_union(body: &Body, text: &str) -> bool {
    let Some(first) = body.first() else {
        return false;
    };
    let ExprKind::Term(term) = &first.kind else {
        return false;
    };
    let is_union = term.as_call().is_some_and(|call| matches!(call.callee, Callee::Infix(InfixOp::Or, _)));
    let written = text.get(first.span.start as usize..first.span.end as usize);
    is_union && !written.unwrap_or_default().trim_start().starts_with('(')
}

/// Tells whether an operand is one that parentheses may group: a chain or a negation.
fn is_group_operand(body: &Body) -> bool {
    let [only] = body.as_slice() else {
        return false;
    };
    let logical = matches!(only.kind, ExprKind::And(_) | ExprKind::Or(_) | ExprKind::Not(_));
    logical || only.negated
}

/// Returns what the leading brace of a term opens: that of an infix call is its left operand's.
fn brace_led_kind(term: &Term) -> &TermKind {
    match term.as_call() {
        Some(call) if !matches!(call.callee, Callee::Ref(_)) => {
            call.args.first().map_or(&term.kind, brace_led_kind)
        }
        _ => &term.kind,
    }
}
