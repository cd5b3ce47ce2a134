//! Heads: path, arguments, key and value.
//!
//! Apart because what of a head is left out (a value that is `true`, the arguments of an `else`)
//! follows rules of its own. It knows nothing of bodies but whether there is one.

use crate::{
    format::{
        rules::Part,
        writer::{Flow, Pending, Writer, losing},
    },
    printer::term_text,
    shape::{Head, Rule, Value},
};

impl<'t, 's> Writer<'t, 's> {
    /// Writes a rule's head; `has_no_body` says that nothing follows it.
    pub(crate) fn head(
        &mut self,
        rule: &'s Rule<'t>,
        part: Part,
        has_no_body: bool,
        pending: Pending,
    ) -> Flow {
        let head = &rule.head;
        let mut pending = pending;
        if part == Part::Else {
            pending = losing(self.comments_to(pending, head.place.row))?;
            self.ensure_line();
            self.write("else");
        } else if self.layout.ref_heads || head.reference.len() == 1 {
            pending = losing(self.reference(&head.reference, pending))?;
        } else if self.has_comment_in_path(head, pending) {
            return losing(self.write_as_was(head.place, pending));
        } else {
            self.old_path(rule);
        }
        if part == Part::Rule && !head.args.is_empty() {
            pending = self.arguments(&head.args, head.place, pending)?;
        }
        if let Some(key) = head.key.as_ref().filter(|_| head.value.is_none()) {
            let (open, close) = if self.layout.contains { (" contains ", "") } else { ("[", "]") };
            self.write(open);
            pending = self.term(key, pending)?;
            self.write(close);
        }
        self.head_value(rule, part, has_no_body, pending)
    }

    fn has_comment_in_path(&self, head: &Head<'t>, pending: Pending) -> bool {
        let row = head.reference.get(1).map(|part| part.place.row);
        self.left(pending).first().is_some_and(|note| Some(note.row) == row)
    }

    /// Writes a path of two as it was written before there were longer ones.
    fn old_path(&mut self, rule: &Rule<'t>) {
        let reference = &rule.source.head.reference;
        let first = term_text(&reference.head);
        let second = reference.parts.first().map(term_text).unwrap_or_default();
        self.write(&format!("{first}[{second}]"));
    }

    fn head_value(&mut self, rule: &'s Rule<'t>, part: Part, has_no_body: bool, pending: Pending) -> Flow {
        let head = &rule.head;
        let Some(value) = &head.value else {
            return Ok(pending);
        };
        let is_true = matches!(value.value, Value::Bool(true));
        if head.key.is_none() && is_true && !has_no_body && !rule.default {
            return Ok(pending);
        }
        let has_args = part == Part::Rule && !head.args.is_empty();
        let is_constant = self.layout.v1 && has_no_body && head.key.is_none() && !has_args;
        if head.value_is_implied && part == Part::Rule && is_true && !is_constant {
            return Ok(pending);
        }
        self.write(if head.assign || self.layout.v1 { " := " } else { " = " });
        self.term(value, pending)
    }
}
