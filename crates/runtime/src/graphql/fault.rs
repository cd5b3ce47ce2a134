//! What is wrong with a document, and where; the text forms that OPA shows.
//!
//! Apart because readers, schema and rules all report. It knows no document.

use std::fmt;

use crate::graphql::limits::Limit;

/// The text that a position belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) enum Origin {
    /// The caller's text.
    #[default]
    Input,
    /// The definitions that every schema has.
    Prelude,
}

/// A place in a text, counted from 1 in characters. A column may be negative: that of a block string counts back
/// from its last line.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub(crate) struct Position {
    pub(crate) line: i32,
    pub(crate) column: i32,
    pub(crate) origin: Origin,
}

/// One fault.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Fault {
    message: String,
    position: Option<Position>,
}

impl Fault {
    /// Returns a fault at a place, or without one.
    pub(crate) fn new(position: Option<Position>, message: impl Into<String>) -> Self {
        Self { message: message.into(), position }
    }

    /// Returns a fault of a schema: a place that is not known shows as line and column -1.
    pub(crate) fn in_schema(position: Option<Position>, message: impl Into<String>) -> Self {
        let unknown = Position { line: -1, column: -1, origin: Origin::Input };
        Self::new(Some(position.unwrap_or(unknown)), message)
    }
}

impl From<Limit> for Fault {
    fn from(limit: Limit) -> Self {
        Self::new(None, limit.to_string())
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.position.map(|it| it.origin) {
            Some(Origin::Prelude) => "prelude.graphql",
            Some(Origin::Input) | None => "input",
        };
        match self.position {
            Some(it) => write!(f, "{name}:{}:{}: {}", it.line, it.column, self.message),
            None => write!(f, "{name}: {}", self.message),
        }
    }
}

/// Returns a text of faults as OPA shows it: the first place goes to the end where there is one. A full stop goes
/// only if a line break follows, as it does in a list of faults.
pub(crate) fn located(text: &str) -> String {
    let mut parts = text.splitn(4, ':').skip(1);
    let mut number = || parts.next().filter(|it| !it.starts_with('+')).and_then(|it| it.parse::<u64>().ok());
    if let (Some(row), Some(column)) = (number(), number())
        && let Some(message) = parts.next()
    {
        let message = message.trim_start_matches(' ');
        let message = message.strip_suffix(".\n").unwrap_or(message);
        return format!("{message} in GraphQL string at location {row}:{column}");
    }
    format!("GraphQL parse error: {text}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_go_to_the_end() {
        let cases = [
            ("input:1:2: a: b.", "a: b. in GraphQL string at location 1:2"),
            ("input:1:2: a.\ninput:3:4: b.\n", "a.\ninput:3:4: b in GraphQL string at location 1:2"),
            ("input:1:2: a?\n", "a?\n in GraphQL string at location 1:2"),
            ("input:1:-2: a", "GraphQL parse error: input:1:-2: a"),
            ("input: a.\n", "GraphQL parse error: input: a.\n"),
        ];
        for (text, shown) in cases {
            assert_eq!(located(text), shown);
        }
    }
}
