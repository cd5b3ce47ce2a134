//! Template strings: pieces of text and expressions in braces.
//!
//! The lexer has told the pieces apart; here their escapes are resolved and the expressions are
//! held to what may stand in a template.

use crate::{
    ast::{Expr, ExprKind, StringLit, StringStyle, Template, TemplatePart, Term, TermKind},
    literals::unescape,
    parser::cursor::Parser,
    source::{Span, offset_of},
    tokens::{Kind, Token},
};

impl Parser<'_> {
    /// Parses a template string and what is attached to it.
    #[inline(never)]
    pub(crate) fn template(&mut self, raw: bool) -> Option<Term> {
        if !self.templates {
            let message = "template strings are not supported by current capabilities";
            self.error(self.span(), "bad-template", message);
            return None;
        }
        if !self.enter(1) {
            return None;
        }
        let outer = std::mem::take(&mut self.height);
        let template = self.template_kind(raw);
        let higher = self.higher(0);
        self.height = self.height.max(outer);
        self.leave(1);
        let template = template.filter(|_| higher)?;
        self.finish(template)
    }

    /// Parses up to the closing quote, on which the parser stays.
    fn template_kind(&mut self, raw: bool) -> Option<Term> {
        let start = self.span().start;
        let mut parts = Vec::new();
        let mut commented = Vec::new();
        loop {
            parts.extend(self.template_text(raw)?.map(TemplatePart::Text));
            if matches!(self.tok(), Kind::TemplateEnd | Kind::RawTemplateEnd) {
                break;
            }
            self.bump();
            if self.token().has(Token::COMMENT) {
                commented.push(offset_of(parts.len()));
            }
            parts.push(TemplatePart::Expr(self.template_expr()?));
            self.bump();
        }
        let span = Span::new(start, self.span().end);
        let template = Template { parts, raw, commented };
        Some(Term::new(TermKind::Template(Box::new(template)), span))
    }

    /// Parses a piece of text; an empty one is none.
    #[expect(clippy::option_option, reason = "no text is not a fault")]
    fn template_text(&mut self, raw: bool) -> Option<Option<Term>> {
        let piece = matches!(
            self.tok(),
            Kind::TemplatePart | Kind::TemplateEnd | Kind::RawTemplatePart | Kind::RawTemplateEnd
        );
        if !piece {
            self.error(self.span(), "bad-template", "expected template-string part");
            return None;
        }
        let text = self.text();
        let lead = if self.token().has(Token::CONTINUED) { 0 } else { 2 };
        let inner = text.get(lead..text.len().saturating_sub(1)).unwrap_or_default();
        let value = if raw { Some(inner.replace("\\{", "{")) } else { unescape(inner, true) };
        let Some(value) = value else {
            // The piece is shown with the sign before it, as it was cut out of the text.
            let shown = self.source.slice(Span::new(
                self.span().start + u32::from(lead == 2) - u32::from(lead == 0),
                self.span().end,
            ));
            let message = format!("illegal template-string part: {shown}");
            self.error(self.span(), "bad-template", message);
            return None;
        };
        if value.is_empty() {
            return Some(None);
        }
        let lit = StringLit { value: value.into(), style: StringStyle::Dot };
        Some(Some(Term::new(TermKind::String(lit), self.span())))
    }

    fn template_expr(&mut self) -> Option<Expr> {
        let Some(expr) = self.literal() else {
            self.error(self.span(), "bad-template", "invalid template-string expression");
            return None;
        };
        if let Some(what) = not_in_template(&expr) {
            let message = format!("unexpected {what} in template-string expression");
            self.error(expr.span, "bad-template", message);
            return None;
        }
        if self.tok() != Kind::RBrace {
            let message = "expected } to end template string expression";
            self.error(self.span(), "bad-template", message);
            return None;
        }
        Some(expr)
    }
}

/// Returns what an expression has that cannot stand in a template.
fn not_in_template(expr: &Expr) -> Option<&'static str> {
    if expr.negated {
        return Some("negation ('not')");
    }
    match &expr.kind {
        ExprKind::Unify(_) => Some("unification ('=')"),
        ExprKind::Assign(_) => Some("assignment (':=')"),
        ExprKind::Every(_) => Some("'every'"),
        ExprKind::Some(_) | ExprKind::SomeIn(_) => Some("'some'"),
        ExprKind::Term(term) => match term.as_call()?.name()?.as_str() {
            "eq" => Some("unification ('=')"),
            "assign" => Some("assignment (':=')"),
            _ => None,
        },
        _ => None,
    }
}
