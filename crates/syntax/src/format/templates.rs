//! Template strings: text with its braces escaped, expressions in braces.
//!
//! Apart because comments inside an expression's braces are the only ones that break a string
//! over lines.

use crate::{
    format::writer::{Flow, Pending, Writer},
    printer::write_quoted,
    shape::{Expr, Part, Term, Value},
};

impl<'t, 's> Writer<'t, 's> {
    pub(crate) fn template(&mut self, parts: &'s [Part<'t>], raw: bool, pending: Pending) -> Flow {
        let quote = if raw { "`" } else { "\"" };
        self.write("$");
        self.write(quote);
        let mut pending = pending;
        for (idx, part) in parts.iter().enumerate() {
            match part {
                Part::Term(term) => self.template_text(term, raw),
                Part::Expr(expr) => pending = self.template_expr(expr, parts.get(idx + 1), pending)?,
            }
        }
        self.write(quote);
        Ok(pending)
    }

    fn template_expr(&mut self, expr: &'s Expr<'t>, next: Option<&'s Part<'t>>, pending: Pending) -> Flow {
        let mut pending = pending;
        self.write("{");
        self.up();
        if self.held.is_some() {
            self.end_line();
            self.start_line();
        } else {
            let above = self.above(pending, expr.place.row);
            if above > pending {
                self.write(" ");
                self.inline = true;
                pending = self.write_above(pending, above);
            }
        }
        pending = self.expr(expr, pending)?;
        let next_row = next.map(|part| match part {
            Part::Term(term) => term.place.row,
            Part::Expr(expr) => expr.place.row,
        });
        if let Some(row) = next_row {
            let above = self.above(pending, row);
            if above > pending {
                self.end_line();
                pending = self.write_above(pending, above);
                self.start_line();
            }
        }
        self.write("}");
        self.down()?;
        Ok(pending)
    }

    fn write_above(&mut self, pending: Pending, above: Pending) -> Pending {
        let before = self.comments.get(pending..above).unwrap_or_default().to_vec();
        self.write_comments(&before);
        above
    }

    /// Writes a piece of text; a scalar that stood in braces becomes text.
    fn template_text(&mut self, term: &Term<'t>, raw: bool) {
        match &term.value {
            Value::String(text) if raw => self.write_escaped(text),
            Value::String(text) => {
                let mut quoted = String::new();
                write_quoted(&mut quoted, text);
                let inner = quoted.get(1..quoted.len().saturating_sub(1)).unwrap_or_default();
                self.write_escaped(inner);
            }
            Value::Number(text) => self.write(text),
            Value::Bool(value) => self.write(if *value { "true" } else { "false" }),
            _ => self.write("null"),
        }
    }

    /// Writes text with a backslash before each brace that has none.
    fn write_escaped(&mut self, text: &str) {
        let mut out = String::with_capacity(text.len());
        let mut before = None;
        for point in text.chars() {
            if point == '{' && before != Some('\\') {
                out.push('\\');
            }
            out.push(point);
            before = Some(point);
        }
        self.write(&out);
    }
}
