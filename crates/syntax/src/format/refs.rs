//! References: names behind dots where they may stand there, all else in brackets.
//!
//! Apart because packages, imports, heads and terms all write them. Which words are keywords is
//! the layout's to say.

use std::borrow::Cow;

use crate::{
    format::writer::{Flow, Pending, Writer, losing},
    printer::{is_name, write_quoted},
    shape::{Place, Term, Value},
};

/// Returns a reference's names joined by dots if it is made of names only.
pub(crate) fn ref_name<'n>(function: &'n Term<'_>) -> Option<Cow<'n, str>> {
    let Value::Ref(parts) = &function.value else {
        return None;
    };
    let (head, rest) = parts.split_first()?;
    let head = head.var()?;
    if rest.is_empty() {
        return Some(Cow::Borrowed(head));
    }
    let mut name = head.to_owned();
    for part in rest {
        name.push('.');
        name.push_str(part.string()?);
    }
    Some(Cow::Owned(name))
}

/// Returns a variable as it is written.
pub(crate) fn var_text(name: &str) -> &str {
    if name.starts_with('$') { "_" } else { name }
}

impl<'t, 's> Writer<'t, 's> {
    /// Writes a reference.
    pub(crate) fn reference(&mut self, parts: &'s [Term<'t>], pending: Pending) -> Flow {
        let Some((head, rest)) = parts.split_first() else {
            return Ok(pending);
        };
        let parens = head.call().is_some() && self.opens_with_paren(head.place);
        let mut pending = losing(self.term_in(head, parens, pending))?;
        for part in rest {
            match &part.value {
                Value::String(text) => self.ref_string(text, part.place),
                Value::Var(name) => {
                    self.write("[");
                    self.write(var_text(name));
                    self.write("]");
                }
                _ => pending = self.bracketed(part, pending)?,
            }
        }
        Ok(pending)
    }

    fn bracketed(&mut self, part: &'s Term<'t>, pending: Pending) -> Flow {
        self.write("[");
        let pending = match self.term(part, pending) {
            Err(stop) if stop.is_comment() => {
                // The bracket must not become part of the comment.
                self.write("\n");
                stop.pending.unwrap_or(self.none_left())
            }
            flow => losing(flow)?,
        };
        self.write("]");
        Ok(pending)
    }

    /// Writes a string of a reference.
    pub(crate) fn ref_string(&mut self, text: &str, place: Place) {
        if self.needs_brackets(text, place) {
            let mut quoted = String::new();
            write_quoted(&mut quoted, text);
            self.write("[");
            self.write(&quoted);
            self.write("]");
        } else {
            self.write(".");
            self.write(text);
        }
    }

    fn needs_brackets(&self, text: &str, place: Place) -> bool {
        if !is_name(text) {
            return true;
        }
        self.layout.is_keyword(text)
            && (!self.layout.keywords_in_refs || self.at.text(place.text).starts_with('"'))
    }

    /// Tells whether the text of a node begins with a parenthesis.
    pub(crate) fn opens_with_paren(&self, place: Place) -> bool {
        self.at.text(place.text).starts_with('(')
    }
}
