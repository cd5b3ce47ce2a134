//! Names near to one that is not known, as texts of faults propose them.
//!
//! Distance and order are gqlparser's: users compare whole texts. It must not know what the names are of, and it
//! bounds the work on long names.

use crate::graphql::limits::{Budget, Limit};

/// So many names are proposed.
const PROPOSED_MAX: usize = 5;

/// Returns the options near to what was typed, nearest first.
pub(crate) fn near<'a>(
    typed: &str,
    options: impl IntoIterator<Item = &'a str>,
    budget: &mut Budget,
) -> Result<Vec<&'a str>, Limit> {
    let threshold = (typed.len() * 2 / 5 + 1).max(1);
    let lower = lower_case(typed);
    let mut found: Vec<(usize, &str)> = Vec::new();
    for option in options {
        budget.spend(1)?;
        // Names of ASCII, which are most, keep their length in lower case.
        let far = option.is_ascii() && option.len().abs_diff(lower.len()) > threshold;
        if typed == option {
            found.push((0, option));
        } else if !far {
            let option_lower = lower_case(option);
            budget.spend(1 + option_lower.len().saturating_mul(lower.len()) / 16)?;
            // A change of case is one edit.
            let distance = if option_lower == lower { 1 } else { edits(&lower, &option_lower) };
            if distance <= threshold {
                found.push((distance, option));
            }
        }
    }
    found.sort_by_key(|it| it.0);
    Ok(found.into_iter().map(|it| it.1).collect())
}

fn lower_case(text: &str) -> Vec<char> {
    text.chars().flat_map(char::to_lowercase).collect()
}

/// Returns how many characters must be added, dropped or replaced.
fn edits(a: &[char], b: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, from) in a.iter().enumerate() {
        let mut diagonal = index;
        let mut left = index + 1;
        if let Some(first) = row.first_mut() {
            *first = left;
        }
        for (to, cell) in b.iter().zip(row.iter_mut().skip(1)) {
            let here = if from == to { diagonal } else { 1 + diagonal.min(left).min(*cell) };
            diagonal = *cell;
            left = here;
            *cell = here;
        }
    }
    row.last().copied().unwrap_or(0)
}

/// Returns names in quotes as a list with "or".
pub(crate) fn quoted_or(names: &[&str]) -> String {
    let quoted: Vec<String> = names.iter().take(PROPOSED_MAX).map(|it| format!("\"{it}\"")).collect();
    match quoted.as_slice() {
        [] => String::new(),
        [one] => one.clone(),
        [one, two] => format!("{one} or {two}"),
        [before @ .., last] => format!("{}, or {last}", before.join(", ")),
    }
}

/// Returns the question that proposes the names, with a blank before it; nothing without names.
pub(crate) fn question(prefix: &str, names: &[&str]) -> String {
    if names.is_empty() { String::new() } else { format!(" {prefix} {}?", quoted_or(names)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_names_come_nearest_first() {
        let mut budget = Budget::default();
        let names = ["kitten", "Sitting", "sitting", "mitten", "x", "SITTING"];
        let found = near("sitting", names, &mut budget).expect("few steps");
        assert_eq!(found, ["sitting", "Sitting", "SITTING", "kitten", "mitten"]);
        assert_eq!(near("", ["a", "ab", "abc"], &mut budget), Ok(vec!["a"]));
        assert_eq!(edits(&['a', 'b', 'c'], &['b', 'c', 'd', 'e']), 3);
    }

    #[test]
    fn questions_name_five() {
        assert_eq!(question("Did you mean", &["a"]), " Did you mean \"a\"?");
        assert_eq!(quoted_or(&["a", "b"]), "\"a\" or \"b\"");
        assert_eq!(quoted_or(&["a", "b", "c", "d", "e", "f"]), "\"a\", \"b\", \"c\", \"d\", or \"e\"");
    }
}
