//! Bodies and expressions: an expression a line, empty lines between them kept as one, modifiers
//! on the line where they stood.
//!
//! Apart because all bodies are written alike, those of rules and those in brackets. It does not
//! know what a body belongs to.

use crate::{
    format::{
        closing::BRACES,
        infix::{KEYED_MEMBER, MEMBER, infix},
        lists::is_generated,
        refs::ref_name,
        writer::{Flow, Pending, Writer, is_same, is_set, losing},
    },
    shape::{
        Every, Expr, ExprKind, Place, Term, With,
        visit::{Node, walk_expr},
    },
};

/// Tells whether an expression has a variable that a compiler made.
pub(crate) fn has_generated(expr: &Expr<'_>) -> bool {
    let mut found = false;
    walk_expr(expr, &mut |node| {
        found |= matches!(node, Node::Term(term) if is_generated(term));
        !found
    });
    found
}

/// Tells whether an expression is a union, which is written with a bare bar.
pub(crate) fn is_union(expr: &Expr<'_>) -> bool {
    expr.call().is_some_and(|terms| terms.len() == 3 && is_named(terms, "or"))
}

fn is_named(terms: &[Term<'_>], name: &str) -> bool {
    terms.first().and_then(ref_name).is_some_and(|found| found == name)
}

/// Tells whether an expression is a set that is not negated.
pub(crate) fn is_set_expr(expr: &Expr<'_>) -> bool {
    matches!(&expr.kind, ExprKind::Term(term) if is_set(term)) && !expr.negated
}

impl<'t, 's> Writer<'t, 's> {
    /// Writes a body, an expression a line.
    pub(crate) fn body(&mut self, body: &'s [Expr<'t>], pending: Pending) -> Flow {
        let first_row = body.first().map_or(0, |first| first.place.row);
        let mut pending = self.comments_to(pending, first_row)?;
        let mut last_row = None;
        for expr in body {
            if last_row.is_some_and(|row| expr.place.row > row + 1) {
                self.blank_line();
            }
            last_row = Some(self.end_row(expr.place));
            self.start_line();
            let flow = self.expr(expr, pending);
            pending = self.settle(flow);
            self.end_line();
        }
        Ok(pending)
    }

    /// Writes an expression.
    pub(crate) fn expr(&mut self, expr: &'s Expr<'t>, pending: Pending) -> Flow {
        let parens = is_same(self.paren_expr, expr);
        if parens {
            self.paren_expr = None;
        }
        let pending = self.comments_to(pending, expr.place.row)?;
        self.ensure_line();
        let grouped =
            expr.negated && (expr.is_logical() || (self.layout.v2 && super::logic::opens_with_brace(expr)));
        if expr.negated {
            self.write("not ");
        }
        let pairs = usize::from(grouped) + usize::from(parens);
        self.write("(".repeat(pairs).as_str());
        let pending = self.expr_kind(expr, pending)?;
        self.write(")".repeat(pairs).as_str());
        self.modifiers(expr, pending)
    }

    fn expr_kind(&mut self, expr: &'s Expr<'t>, pending: Pending) -> Flow {
        match &expr.kind {
            ExprKind::Some { place, symbols } => losing(self.some(*place, symbols, pending)),
            ExprKind::Every(every) => losing(self.every(every, expr.place, pending)),
            ExprKind::Not(operand) => losing(self.not(operand, expr.place, pending)),
            ExprKind::And(_) | ExprKind::Or(_) => losing(self.logical(expr, pending)),
            ExprKind::Call(terms) => self.call_expr(terms, pending),
            ExprKind::Term(term) => self.term(term, pending),
        }
    }

    /// Writes the modifiers of an expression: the first beside it if it was, the others deeper.
    fn modifiers(&mut self, expr: &'s Expr<'t>, pending: Pending) -> Flow {
        let mut rest = expr.with.as_slice();
        let Some((first, others)) = rest.split_first() else {
            return Ok(pending);
        };
        let mut pending = pending;
        let mut row = self.terms_end_row(expr);
        if first.place.row == row {
            pending = self.modifier(first, false, pending)?;
            rest = others;
        }
        let mut indented = false;
        let mut flow = Ok(pending);
        for with in rest {
            let breaks = with.place.row > row;
            if breaks {
                if !indented {
                    self.up();
                    indented = true;
                }
                self.end_line();
                self.start_line();
                row = with.place.row;
            }
            flow = flow.and_then(|pending| self.modifier(with, breaks, pending));
            if flow.is_err() {
                break;
            }
        }
        if indented {
            // The level was raised above.
            let _ = self.down();
        }
        flow
    }

    fn modifier(&mut self, with: &'s With<'t>, on_own_line: bool, pending: Pending) -> Flow {
        let pending = losing(self.comments_to(pending, with.place.row))?;
        self.write(if on_own_line { "with " } else { " with " });
        let pending = losing(self.term(&with.target, pending))?;
        self.write(" as ");
        let flow = self.term(&with.value, pending);
        self.passing_comment(flow)
    }

    fn some(&mut self, place: Place, symbols: &'s [Term<'t>], pending: Pending) -> Flow {
        let mut pending = self.comments_to(pending, place.row)?;
        self.write("some ");
        let mut row = place.row;
        for (idx, symbol) in symbols.iter().enumerate() {
            if let Some((function, args)) = symbol.call().and_then(<[_]>::split_first) {
                let name = ref_name(function).unwrap_or_default();
                pending = self.membership(&name, args, place, false, pending)?;
                continue;
            }
            if symbol.place.row > row {
                self.end_line();
                self.start_line();
                self.write("\t");
                row = symbol.place.row;
            } else if idx > 0 {
                self.write(" ");
            }
            pending = self.term(symbol, pending)?;
            if idx + 1 < symbols.len() {
                self.write(",");
            }
        }
        Ok(pending)
    }

    fn every(&mut self, every: &'s Every<'t>, place: Place, pending: Pending) -> Flow {
        let mut pending = self.comments_to(pending, place.row)?;
        self.write("every ");
        if let Some(key) = &every.key {
            pending = self.term(key, pending)?;
            self.write(", ");
        }
        pending = self.term(&every.value, pending)?;
        self.write(" in ");
        pending = self.term(&every.domain, pending)?;
        self.write(" {");
        let flow = self.braced_body(&every.body, BRACES, place.row, place, pending);
        pending = self.passing_comment(flow)?;
        if let [only] = every.body.as_slice()
            && only.place.row == every.place.row
        {
            self.write(" ");
        }
        self.write("}");
        Ok(pending)
    }

    fn call_expr(&mut self, terms: &'s [Term<'t>], pending: Pending) -> Flow {
        let Some((function, args)) = terms.split_first() else {
            return Ok(pending);
        };
        let name = ref_name(function).unwrap_or_default();
        if matches!(&*name, MEMBER | KEYED_MEMBER) {
            return self.membership(&name, args, function.place, false, pending);
        }
        let Some(found) = infix(&name) else {
            return self.plain_call(function, args, pending);
        };
        let (result, lhs, rhs) = match args {
            [lhs, rhs] => (None, lhs, rhs),
            [lhs, rhs, result] => (Some(result), lhs, rhs),
            _ => {
                self.wrong_arity(&name, args, function.place, &found);
                return self.plain_call(function, args, pending);
            }
        };
        let mut pending = pending;
        if let Some(result) = result {
            pending = losing(self.term(result, pending))?;
            self.write(" = ");
        }
        pending = losing(self.term(lhs, pending))?;
        self.operator(&found);
        let flow = self.term(rhs, pending);
        if result.is_some() { losing(flow) } else { flow }
    }
}
