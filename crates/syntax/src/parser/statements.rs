//! The list of statements of a text, and how the parser goes on after a fault.
//!
//! Each statement is tried as package clause, import, rule and expressions in turn. OPA stops at
//! the first that is none of them; in a module this parser looks for the next line that may
//! start a statement, and marks what it finds wrong from there on.

use crate::{
    ast::{ExprKind, Statement},
    parser::{cursor::Parser, expressions::Until, rules::Outcome},
    tokens::Kind,
};

/// Says what a text is parsed as.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Goal {
    /// A module: after a fault the parser looks for more.
    Module,
    /// Any statements.
    Statements,
    /// Expressions only.
    Query,
}

/// Says after how many faults the parser looks for no more.
const FAULTS_MAX: usize = 100;

impl Parser<'_> {
    /// Parses statements up to the end, or up to the first fault that cannot be passed over.
    pub(crate) fn statements(&mut self, goal: Goal) -> Vec<Statement> {
        let mut statements = Vec::new();
        let mut first_stop = None;
        while self.tok() != Kind::Eof {
            self.height = 0;
            let start = self.at();
            if self.statement(goal, &mut statements) {
                continue;
            }
            self.suggest_keyword(start);
            self.suggest_closing();
            first_stop.get_or_insert(self.fault_count());
            self.stopped_at.get_or_insert(self.span().start);
            if goal != Goal::Module || self.fault_count() >= FAULTS_MAX {
                break;
            }
            self.skip_to_statement(start);
            self.fault_base = self.fault_count();
        }
        if let Some(count) = first_stop {
            self.mark_recovered(count);
        }
        statements
    }

    /// Parses one statement; answers whether the parser can go on behind it.
    fn statement(&mut self, goal: Goal, out: &mut Vec<Statement>) -> bool {
        if goal != Goal::Query && self.keyword_rule_name(false) {
            return false;
        }
        let is_path_keyword = matches!(self.tok(), Kind::Package | Kind::Import);
        if is_path_keyword && self.ref_follows() && self.fault_count() > self.fault_base {
            return false;
        }
        match self.tok() {
            Kind::Package if !self.ref_follows() => {
                let Some(package) = self.package() else {
                    return false;
                };
                if self.trailing_minus() {
                    return false;
                }
                out.push(Statement::Package(package));
                return true;
            }
            Kind::Import if !self.ref_follows() => {
                let Some(import) = self.import() else {
                    return false;
                };
                if self.trailing_minus() {
                    return false;
                }
                self.apply_import(&import);
                out.push(Statement::Import(import));
                return true;
            }
            _ => {}
        }
        if goal != Goal::Query {
            let saved = self.save();
            let outcome = self.rules();
            if let Outcome::Rules(rules) = outcome {
                out.extend(rules.into_iter().map(|rule| Statement::Rule(Box::new(rule))));
                return true;
            }
            // The fault may also lie before, where the parser could go on.
            if self.fault_count() > self.fault_base {
                return false;
            }
            if let Outcome::Binding(expr) = outcome {
                out.push(Statement::Body(vec![*expr]));
                return true;
            }
            self.restore(saved);
        }
        let Some(body) = self.query(Until::Statement) else {
            return false;
        };
        out.push(Statement::Body(body));
        true
    }

    /// Refuses a minus behind a path, which would be read as a sign of what follows.
    fn trailing_minus(&mut self) -> bool {
        let found = self.tok() == Kind::Minus;
        if found {
            self.unexpected("");
        }
        found
    }

    /// Adds help to the last fault if it is that the text ends too early.
    fn suggest_closing(&mut self) {
        if self.tok() != Kind::Eof {
            return;
        }
        if let Some((sign, at)) = self.last_unclosed() {
            let (row, col) = (at.row, at.col);
            self.help(format!("`{sign}` in row {row}, column {col}, is not closed"));
        }
    }

    /// Adds help to the last fault if the statement began with a word near a keyword.
    fn suggest_keyword(&mut self, start: usize) {
        if let Some(keyword) = near_keyword(self.text_at(start)) {
            self.help(format!("did you mean `{keyword}`?"));
        }
    }
}

/// Returns the keyword that a word at the start of a statement was probably meant to be.
pub(crate) fn near_keyword(word: &str) -> Option<&'static str> {
    let candidates = ["package", "import", "default", "else"];
    let near = |keyword: &&str| *keyword != word && is_one_edit(word, keyword);
    candidates.into_iter().find(near)
}

/// Returns the keyword that a body that cannot be a rule was probably meant to start with.
pub(crate) fn near_keyword_of_body(kind: &ExprKind) -> Option<&'static str> {
    match kind {
        ExprKind::Term(term) => near_keyword(term.as_var()?),
        _ => None,
    }
}

/// Tells whether two words differ by one letter added, left out, replaced or swapped.
fn is_one_edit(a: &str, b: &str) -> bool {
    let (a, b) = (a.as_bytes(), b.as_bytes());
    if a.len().abs_diff(b.len()) > 1 || a.len() < 3 {
        return false;
    }
    let same = a.iter().zip(b).take_while(|(x, y)| x == y).count();
    let (a, b) = (a.get(same..).unwrap_or_default(), b.get(same..).unwrap_or_default());
    let rest = |bytes: &'_ [u8], from: usize| bytes.get(from..).unwrap_or_default().to_vec();
    let swapped = matches!((a, b), ([p, q, x @ ..], [r, s, y @ ..]) if p == s && q == r && x == y);
    swapped || rest(a, 1) == rest(b, 1) || rest(a, 1) == rest(b, 0) || rest(a, 0) == rest(b, 1)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words() {
        for (word, want) in [
            ("improt", Some("import")),
            ("imports", Some("import")),
            ("packge", Some("package")),
            ("defualt", Some("default")),
            ("import", None),
            ("allow", None),
        ] {
            assert_eq!(near_keyword(word), want, "{word}");
        }
    }
}
