//! Comprehensions, and the bodies in braces that `every`, `not`, `and` and `or` share with them.
//!
//! Apart because rows decide for all of these alike whether a body stays on the line of its
//! bracket. It knows nothing of rules.

use crate::{
    format::{
        closing::{BRACES, BRACKETS, Pair},
        exprs,
        lists::is_union,
        writer::{Flow, Pending, Stop, Writer, losing},
    },
    shape::{Compr, Expr, ObjectCompr, Place, Term},
};

impl<'t, 's> Writer<'t, 's> {
    pub(crate) fn array_compr(&mut self, compr: &'s Compr<'t>, place: Place, pending: Pending) -> Flow {
        self.write("[");
        let flow = self.compr(&compr.term, &compr.body, BRACKETS, place, pending);
        self.write("]");
        flow
    }

    pub(crate) fn set_compr(&mut self, compr: &'s Compr<'t>, place: Place, pending: Pending) -> Flow {
        self.write("{");
        let flow = self.compr(&compr.term, &compr.body, BRACES, place, pending);
        self.write("}");
        flow
    }

    pub(crate) fn object_compr(
        &mut self,
        compr: &'s ObjectCompr<'t>,
        place: Place,
        pending: Pending,
    ) -> Flow {
        self.write("{");
        let flow = self
            .object_key(&compr.key, pending)
            .and_then(|pending| self.compr(&compr.value, &compr.body, BRACES, place, pending));
        self.write("}");
        flow
    }

    fn compr(
        &mut self,
        term: &'s Term<'t>,
        body: &'s [Expr<'t>],
        pair: Pair,
        place: Place,
        pending: Pending,
    ) -> Flow {
        if term.place.row > place.row {
            self.end_line();
            self.start_line();
        }
        let is_call = term.call().is_some();
        let parens = is_call && (is_union(term) || self.opens_with_paren(term.place));
        let pending = losing(self.term_in(term, parens, pending))?;
        self.write(" |");
        self.braced_body(body, pair, term.place.row, place, pending)
    }

    /// Writes a body up to where its bracket closes: on the same line if it begins on the row
    /// `row` and all of it stands on one, else on lines of its own.
    pub(crate) fn braced_body(
        &mut self,
        body: &'s [Expr<'t>],
        pair: Pair,
        row: u32,
        place: Place,
        pending: Pending,
    ) -> Flow {
        let first_row = body.first().map_or(0, |first| first.place.row);
        let close = self.closing_row(place, pair);
        if first_row > row || self.has_lines(body, row) {
            self.end_line();
            self.up();
            let flow = self.body(body, pending);
            let flow = flow.and_then(|pending| losing(self.comments_to(pending, close)));
            if let Err(stop) = self.down() {
                self.report(&stop);
            }
            self.start_line();
            return flow;
        }
        self.write(" ");
        let mut pending = pending;
        for (idx, expr) in body.iter().enumerate() {
            if idx > 0 {
                self.write("; ");
            }
            pending = self.expr(expr, pending)?;
        }
        losing(self.comments_to(pending, close))
    }

    /// Tells whether expressions begin on more than one row.
    fn has_lines(&self, body: &[Expr<'t>], row: u32) -> bool {
        if self.has_generated && body.iter().any(exprs::has_generated) {
            return false;
        }
        let mut rows: Vec<_> = body.iter().map(|expr| expr.place.row).collect();
        rows.sort_unstable();
        let mut last = row;
        rows.into_iter().enumerate().any(|(idx, row)| {
            let breaks = row > last && idx > 0;
            last = row;
            breaks
        })
    }

    /// Writes a body in braces that stands at a place, with a blank before the closing brace if
    /// its last expression is on the row of the first.
    pub(crate) fn braces(
        &mut self,
        body: &'s [Expr<'t>],
        place: Place,
        pending: Pending,
    ) -> Result<Pending, Stop> {
        if let Some(first) = body.first().filter(|first| exprs::is_union(first)) {
            // A bare union after a brace would be read as a comprehension.
            self.paren_expr = Some(first);
        }
        self.write("{");
        let flow = self.braced_body(body, BRACES, place.row, place, pending);
        let pending = self.passing_comment(flow)?;
        if body.last().is_some_and(|last| last.place.row == place.row) {
            self.write(" ");
        }
        self.write("}");
        Ok(pending)
    }
}
