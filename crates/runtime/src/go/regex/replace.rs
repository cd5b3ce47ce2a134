//! Replacement templates of `regex.replace`: `$1`, `${1}`, `$name`, `${name}`, `$$`.
//!
//! A template is read once into parts, so that expanding it for many matches costs only
//! copying. It knows group names and ranges, not patterns.

use std::ops::Range;

use crate::go::unicode::{is_digit, is_letter};

/// A template read into literal text and group references.
#[derive(Debug)]
pub(super) struct Template<'t> {
    parts: Vec<Part<'t>>,
}

#[derive(Debug, PartialEq, Eq)]
enum Part<'t> {
    Text(&'t str),
    /// The first of these groups that took part; groups may share a name.
    Groups(Vec<usize>),
}

impl<'t> Template<'t> {
    /// Reads a template; what does not form a reference is literal text.
    pub(super) fn parse(template: &'t str, names: &[Option<String>]) -> Self {
        let mut parts = Vec::new();
        let mut rest = template;
        while let Some((before, after)) = rest.split_once('$') {
            parts.push(Part::Text(before));
            if let Some(after) = after.strip_prefix('$') {
                parts.push(Part::Text("$"));
                rest = after;
            } else if let Some((name, after)) = reference(after) {
                parts.push(Part::Groups(groups(name, names)));
                rest = after;
            } else {
                parts.push(Part::Text("$"));
                rest = after;
            }
        }
        parts.push(Part::Text(rest));
        Self { parts }
    }

    /// Appends the template with its references filled in from one match.
    pub(super) fn expand(&self, text: &str, found: &[Option<Range<usize>>], out: &mut String) {
        for part in &self.parts {
            match part {
                Part::Text(literal) => out.push_str(literal),
                Part::Groups(indexes) => {
                    let range = indexes.iter().find_map(|&idx| found.get(idx)?.clone());
                    out.push_str(range.and_then(|range| text.get(range)).unwrap_or(""));
                }
            }
        }
    }
}

/// Splits a `name` or `{name}` off the front, if there is one.
fn reference(text: &str) -> Option<(&str, &str)> {
    let (text, brace) = match text.strip_prefix('{') {
        Some(text) => (text, true),
        None => (text, false),
    };
    let end = text.find(|c| !is_name_char(c)).unwrap_or(text.len());
    let (name, rest) = text.split_at(end);
    let rest = if brace { rest.strip_prefix('}')? } else { rest };
    (!name.is_empty()).then_some((name, rest))
}

fn is_name_char(c: char) -> bool {
    c == '_' || is_letter(c) || is_digit(c)
}

fn groups(name: &str, names: &[Option<String>]) -> Vec<usize> {
    let decimal = name.bytes().all(|b| b.is_ascii_digit());
    if decimal && (name.len() == 1 || !name.starts_with('0')) && name.len() <= 9 {
        return name.parse().into_iter().collect();
    }
    let named = names.iter().enumerate();
    named.filter(|(_, known)| known.as_deref() == Some(name)).map(|(idx, _)| idx).collect()
}
