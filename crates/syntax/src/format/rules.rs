//! Rules: heads with bodies, one-liners that stay together, `else` beside the brace or below it.
//!
//! Apart because a rule decides by rows whether its body stays on the line; heads and bodies
//! write themselves.

use crate::{
    format::{
        closing::{BRACES, BRACKETS, PARENS},
        exprs::is_set_expr,
        writer::{Flow, Pending, Stop, Writer, losing},
    },
    shape::{Expr, ExprKind, Rule, Value},
};

/// Says whether a rule is one of its own or an `else`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Part {
    Rule,
    Else,
}

/// Tells whether a body is just `true`.
fn is_true(body: &[Expr<'_>]) -> bool {
    match body {
        [only] => {
            let is_true =
                matches!(&only.kind, ExprKind::Term(term) if matches!(term.value, Value::Bool(true)));
            is_true && !only.negated && only.with.is_empty()
        }
        _ => false,
    }
}

impl<'t, 's> Writer<'t, 's> {
    /// Writes rules that follow each other; faults are kept in the writer.
    pub(crate) fn rules(&mut self, rules: &[&'s Rule<'t>], pending: Pending) -> Pending {
        let mut pending = pending;
        for (idx, rule) in rules.iter().enumerate() {
            let flow = self.comments_to(pending, rule.place.row);
            pending = self.settle(flow);
            let flow = self.rule(rule, Part::Rule, pending);
            pending = self.settle(flow);
            let next = rules.get(idx + 1).filter(|_| self.is_one_liner(rule));
            let stays =
                next.is_some_and(|next| self.is_one_liner(next) && next.place.row == rule.place.row + 1);
            if !stays {
                self.blank_line();
            }
        }
        pending
    }

    /// Tells whether a rule is written on one line, so that it may stand right above the next.
    fn is_one_liner(&self, rule: &Rule<'t>) -> bool {
        let wraps = match rule.body.as_slice() {
            [] => false,
            [only] => is_set_expr(only),
            _ => true,
        };
        !wraps && !rule.default && rule.otherwise.is_none() && self.uses_if(rule)
    }

    /// Tells whether `if` stands before a rule's body; a partial set must have `contains` for it.
    fn uses_if(&self, rule: &Rule<'t>) -> bool {
        (self.layout.v1 || self.layout.ifs) && (self.layout.contains || rule.head.value.is_some())
    }

    fn rule(&mut self, rule: &'s Rule<'t>, part: Part, pending: Pending) -> Flow {
        if part == Part::Rule {
            self.start_line();
        }
        if rule.default {
            self.write("default ");
        }
        let has_no_body = rule.body.is_empty() || (is_true(&rule.body) && rule.otherwise.is_none());
        self.keeps_last_comment = has_no_body;
        let head = self.head(rule, part, has_no_body, pending);
        let was_kept = head.is_err();
        let mut pending = losing(self.passing_comment(head))?;
        if has_no_body {
            self.end_line();
            return Ok(pending);
        }
        self.keeps_last_comment = true;
        let uses_if = self.uses_if(rule);
        if uses_if {
            self.write(" if");
            if let [only] = rule.body.as_slice()
                && only.place.row == self.end_row(rule.head.place)
                && !is_set_expr(only)
            {
                return self.inline_body(rule, only, pending);
            }
        }
        if was_kept && pending < self.none_left() {
            self.write(" { ");
        } else {
            self.write(" {");
            self.end_line();
        }
        if uses_if
            && part == Part::Rule
            && let Some(first) = rule.body.first()
        {
            self.guard_leading_union(first);
        }
        self.up();
        let flow = self.body(&rule.body, pending);
        pending = losing(self.passing_comment(flow))?;
        pending = losing(self.comments_to(pending, self.body_close(rule, part)))?;
        self.down()?;
        self.start_line();
        self.write("}");
        self.otherwise(rule, pending)
    }

    fn inline_body(&mut self, rule: &'s Rule<'t>, only: &'s Expr<'t>, pending: Pending) -> Flow {
        self.write(" ");
        let flow = self.expr(only, pending);
        let pending = losing(self.passing_comment(flow))?;
        self.end_line();
        self.otherwise(rule, pending)
    }

    /// Returns the row of the brace that closes a rule's body.
    fn body_close(&self, rule: &Rule<'t>, part: Part) -> u32 {
        if part == Part::Rule && !rule.head.args.is_empty() {
            self.closing_row_behind(rule.place, PARENS)
        } else if rule.head.key.is_some() {
            self.closing_row_behind(rule.place, BRACKETS)
        } else {
            self.closing_row(rule.place, BRACES)
        }
    }

    fn otherwise(&mut self, rule: &'s Rule<'t>, pending: Pending) -> Flow {
        match &rule.otherwise {
            Some(branch) => losing(self.else_branch(rule, branch, pending)),
            None => Ok(pending),
        }
    }

    fn else_branch(
        &mut self,
        rule: &'s Rule<'t>,
        branch: &'s Rule<'t>,
        pending: Pending,
    ) -> Result<Pending, Stop> {
        let was_inline = self.was_inline(rule, branch);
        let has_comment = self.held.is_some()
            || self.left(pending).first().is_some_and(|note| note.row < branch.head.place.row);
        if was_inline && !has_comment {
            self.write(" ");
        } else {
            self.blank_line();
            self.start_line();
        }
        let pending = self.comments_to(pending, branch.head.place.row)?;
        if has_comment && !was_inline {
            // The comments have ended the line.
            self.start_line();
        }
        self.rule(branch, Part::Else, pending)
    }

    /// Tells whether something stood before an `else` on its line.
    fn was_inline(&self, rule: &Rule<'t>, branch: &Rule<'t>) -> bool {
        let rows = branch.place.row - rule.place.row;
        let line = self.at.text(rule.place.text).split('\n').nth(rows as usize);
        rows > 0 && line.is_some_and(|line| !line.trim().starts_with("else"))
    }
}
