//! `not`, `and` and `or`: chains on one level, parentheses where they are needed to be read back
//! as the same expression.
//!
//! Apart because operands may be bodies in braces, and braces must not be taken for a value or a
//! comprehension.

use crate::{
    format::{
        closing::BRACES,
        infix::infix,
        lists,
        refs::ref_name,
        writer::{Flow, Pending, Writer},
    },
    shape::{Expr, ExprKind, Logical, Operand, Place, Term, Value, line_breaks},
    source::{Span, offset_of},
};

/// Is an operand of a chain.
struct Link<'s, 't> {
    body: &'s [Expr<'t>],
    /// Where its brace opens, if it is written in braces.
    brace: Option<Place>,
    parens: bool,
}

/// Is an operator of a chain with what follows it.
struct Step<'s, 't> {
    operator: &'static str,
    rhs: Link<'s, 't>,
    /// The row on which all to the left of the operator ends.
    end_row: u32,
}

/// Is the side of an operator on which an operand stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Side {
    Left,
    Right,
}

/// Tells whether an expression is written with a brace first, which is read as a body where an
/// operand must stand.
pub(crate) fn opens_with_brace(expr: &Expr<'_>) -> bool {
    match &expr.kind {
        ExprKind::Term(term) => term_opens_with_brace(term),
        ExprKind::Call(terms) => leading_operand(terms, true).is_some_and(term_opens_with_brace),
        _ => false,
    }
}

fn term_opens_with_brace(term: &Term<'_>) -> bool {
    match &term.value {
        Value::Set(members) => !members.is_empty(),
        Value::Object(_) | Value::SetCompr(_) | Value::ObjectCompr(_) => true,
        Value::Ref(parts) => parts.first().is_some_and(term_opens_with_brace),
        Value::Call(terms) => leading_operand(terms, false).is_some_and(term_opens_with_brace),
        _ => false,
    }
}

/// Returns the operand that an operator's call is written with first: the result, if it is
/// called with one, else the left side.
fn leading_operand<'s, 't>(terms: &'s [Term<'t>], with_result: bool) -> Option<&'s Term<'t>> {
    let (function, args) = terms.split_first()?;
    let arity = infix(&ref_name(function)?)?.arity;
    if args.len() == arity {
        return args.first();
    }
    args.last().filter(|_| with_result && args.len() == arity + 1)
}

fn parts<'s, 't>(expr: &'s Expr<'t>) -> Option<(&'static str, &'s Logical<'t>)> {
    match &expr.kind {
        ExprKind::And(logical) => Some(("and", logical)),
        ExprKind::Or(logical) => Some(("or", logical)),
        _ => None,
    }
}

/// Tells whether an operand without braces must stand in parentheses.
fn needs_parens(expr: &Expr<'_>, operator: &str, side: Side) -> bool {
    if !expr.with.is_empty() {
        return true;
    }
    match &expr.kind {
        ExprKind::Or(_) => operator == "and" || side == Side::Right,
        ExprKind::And(_) => operator == "and" && side == Side::Right,
        _ => opens_with_brace(expr),
    }
}

impl<'t, 's> Writer<'t, 's> {
    pub(crate) fn not(&mut self, operand: &'s Operand<'t>, place: Place, pending: Pending) -> Flow {
        let pending = self.comments_to(pending, place.row)?;
        self.write("not ");
        let only = match operand.body.as_slice() {
            [only] if !operand.explicit => only,
            body => return self.braces(body, place, pending),
        };
        let parens = !only.with.is_empty()
            || only.is_logical()
            || matches!(only.kind, ExprKind::Not(_))
            || opens_with_brace(only);
        if parens {
            self.write("(");
        }
        let flow = self.expr(only, pending);
        let pending = self.passing_comment(flow)?;
        if parens {
            self.write(")");
        }
        Ok(pending)
    }

    /// Writes a chain of `and` and `or`; lines in it are one level deeper.
    pub(crate) fn logical(&mut self, expr: &'s Expr<'t>, pending: Pending) -> Flow {
        let Some((first, steps)) = self.chain(expr) else {
            return Ok(pending);
        };
        let mut flow = self.operand(&first, pending);
        let mut indented = false;
        for step in &steps {
            flow = self.passing_comment(flow);
            let Ok(pending) = flow else {
                break;
            };
            self.write(" ");
            self.write(step.operator);
            if breaks_line(step) {
                if !indented {
                    self.up();
                    indented = true;
                }
                self.end_line();
                self.start_line();
            } else {
                self.write(" ");
            }
            flow = self.operand(&step.rhs, pending);
        }
        if indented {
            // The level was raised above.
            let _ = self.down();
        }
        self.passing_comment(flow)
    }

    fn operand(&mut self, link: &Link<'s, 't>, pending: Pending) -> Flow {
        let Some(brace) = link.brace else {
            let Some(only) = link.body.first() else {
                return Ok(pending);
            };
            if link.parens {
                self.write("(");
            }
            let flow = self.expr(only, pending);
            if link.parens {
                self.write(")");
            }
            return flow;
        };
        if link.body.is_empty() {
            self.write("{}");
            return Ok(pending);
        }
        self.braces(link.body, brace, pending)
    }

    /// Takes a chain apart: its first operand and the operators in order.
    fn chain(&self, expr: &'s Expr<'t>) -> Option<(Link<'s, 't>, Vec<Step<'s, 't>>)> {
        let mut steps = Vec::new();
        let mut expr = expr;
        loop {
            let (operator, logical) = parts(expr)?;
            let rhs = self.link(&logical.rhs, operator, Side::Right, expr.place);
            match logical.lhs.body.as_slice() {
                [inner]
                    if !logical.lhs.explicit
                        && inner.is_logical()
                        && !needs_parens(inner, operator, Side::Left) =>
                {
                    let end_row = self.body_end_row(&logical.lhs.body);
                    steps.push(Step { operator, rhs, end_row });
                    expr = inner;
                }
                _ => {
                    let first = self.link(&logical.lhs, operator, Side::Left, expr.place);
                    let end_row = self.link_end_row(&first);
                    steps.push(Step { operator, rhs, end_row });
                    steps.reverse();
                    return Some((first, steps));
                }
            }
        }
    }

    fn link(&self, operand: &'s Operand<'t>, operator: &str, side: Side, whole: Place) -> Link<'s, 't> {
        match operand.body.as_slice() {
            [only] if !operand.explicit => {
                Link { body: &operand.body, brace: None, parens: needs_parens(only, operator, side) }
            }
            body => Link { body, brace: Some(self.brace_before(body, whole)), parens: false },
        }
    }

    /// Returns the place of the brace before a body in an operator's text.
    fn brace_before(&self, body: &[Expr<'t>], whole: Place) -> Place {
        let Some(first) = body.first() else {
            return whole;
        };
        let text = self.at.text(whole.text);
        let length = (first.place.at.saturating_sub(whole.at) as usize).min(text.len());
        let before = text.get(..length).unwrap_or_default();
        let Some(idx) = before.rfind('{') else {
            return whole;
        };
        let rows = line_breaks(before.get(..idx).unwrap_or_default());
        let start = whole.text.start + offset_of(idx);
        Place { at: whole.at + offset_of(idx), row: whole.row + rows, text: Span::new(start, whole.text.end) }
    }

    fn link_end_row(&self, link: &Link<'s, 't>) -> u32 {
        let row = link.brace.map_or(0, |brace| self.closing_row(brace, BRACES));
        if row > 0 { row } else { self.body_end_row(link.body) }
    }

    /// Puts the union that an expression is written with first in parentheses: after a brace it
    /// would be read as a comprehension.
    pub(crate) fn guard_leading_union(&mut self, expr: &'s Expr<'t>) {
        if expr.negated {
            return;
        }
        if expr.is_logical() {
            if let Some((first, _)) = self.chain(expr)
                && first.brace.is_none()
                && !first.parens
                && let Some(only) = first.body.first()
            {
                self.guard_leading_union(only);
            }
            return;
        }
        if super::exprs::is_union(expr) {
            self.paren_expr = Some(expr);
            return;
        }
        let leading = expr.call().and_then(|terms| leading_operand(terms, true));
        if let Some(leading) = leading.filter(|term| lists::is_union(term)) {
            self.paren_term = Some(leading);
        }
    }
}

fn breaks_line(step: &Step<'_, '_>) -> bool {
    let start = match step.rhs.brace {
        Some(brace) => brace.row,
        None => step.rhs.body.first().map_or(0, |first| first.place.row),
    };
    start > step.end_row
}
