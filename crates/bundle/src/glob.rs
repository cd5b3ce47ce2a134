//! Patterns of `file_rego_versions`: `*` and `?` match any characters, slashes too.
//!
//! Brackets give classes (`[a-z]`, `[!a]`), braces alternatives, a backslash takes the next character as it is.

/// Says whether a pattern matches a whole text; a pattern that is none matches nothing.
pub(crate) fn matches(pattern: &str, text: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let text: Vec<char> = text.chars().collect();
    Matcher { steps: STEPS_MAX }.run(&pattern, &text)
}

/// Patterns come from manifests, so that a hostile one must end.
const STEPS_MAX: u32 = 1_000_000;

struct Matcher {
    steps: u32,
}

impl Matcher {
    fn run(&mut self, pattern: &[char], text: &[char]) -> bool {
        let Some(steps) = self.steps.checked_sub(1) else {
            return false;
        };
        self.steps = steps;
        let Some((first, rest)) = pattern.split_first() else {
            return text.is_empty();
        };
        match first {
            '*' => {
                let rest: &[char] = rest.trim_prefix_of('*');
                (0..=text.len()).any(|at| self.run(rest, text.get(at..).unwrap_or(&[])))
            }
            '{' => self.alternatives(rest, text),
            '\\' => match (rest.split_first(), text.split_first()) {
                (Some((wanted, rest)), Some((point, text))) => wanted == point && self.run(rest, text),
                _ => false,
            },
            _ => match text.split_first() {
                Some((_, text)) if *first == '?' => self.run(rest, text),
                Some((point, text)) if *first == '[' => {
                    class(rest, *point).is_some_and(|(hit, rest)| hit && self.run(rest, text))
                }
                Some((point, text)) => first == point && self.run(rest, text),
                None => false,
            },
        }
    }

    fn alternatives(&mut self, pattern: &[char], text: &[char]) -> bool {
        let Some((choices, rest)) = split_choices(pattern) else {
            return false;
        };
        choices.iter().any(|choice| {
            let whole: Vec<char> = choice.iter().chain(rest).copied().collect();
            self.run(&whole, text)
        })
    }
}

trait TrimPrefix {
    fn trim_prefix_of(&self, point: char) -> &Self;
}

impl TrimPrefix for [char] {
    fn trim_prefix_of(&self, point: char) -> &Self {
        let at = self.iter().position(|it| *it != point).unwrap_or(self.len());
        self.get(at..).unwrap_or(&[])
    }
}

/// Splits `a,b}rest` into its choices and the rest.
fn split_choices(pattern: &[char]) -> Option<(Vec<&[char]>, &[char])> {
    let mut choices = Vec::new();
    let (mut depth, mut start, mut at) = (0_u32, 0, 0);
    while let Some(point) = pattern.get(at) {
        match point {
            '\\' => at += 1,
            '{' => depth += 1,
            ',' if depth == 0 => {
                choices.push(pattern.get(start..at)?);
                start = at + 1;
            }
            '}' if depth == 0 => {
                choices.push(pattern.get(start..at)?);
                return Some((choices, pattern.get(at + 1..)?));
            }
            '}' => depth -= 1,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Reads a class behind its `[`; returns whether it has the character, and what follows.
fn class(pattern: &[char], point: char) -> Option<(bool, &[char])> {
    let (negated, mut rest) = match pattern.split_first() {
        Some(('!', rest)) => (true, rest),
        _ => (false, pattern),
    };
    let mut hit = false;
    loop {
        rest = match rest {
            [']', rest @ ..] => return Some((hit != negated, rest)),
            ['\\', only, rest @ ..] => {
                hit |= *only == point;
                rest
            }
            [low, '-', high, rest @ ..] if *high != ']' => {
                hit |= (*low..=*high).contains(&point);
                rest
            }
            [only, rest @ ..] => {
                hit |= *only == point;
                rest
            }
            [] => return None,
        };
    }
}

#[cfg(test)]
mod tests {
    use super::matches;

    #[test]
    fn patterns() {
        let cases = [
            ("/a.rego", "/a.rego", true),
            ("/a/*", "/a/b/c.rego", true),
            ("*/c.rego", "/a/b/c.rego", true),
            ("/?.rego", "/a.rego", true),
            ("/[a-c].rego", "/b.rego", true),
            ("/[!a-c].rego", "/b.rego", false),
            ("/{a,bc}.rego", "/bc.rego", true),
            ("/{a,bc}.rego", "/b.rego", false),
            (r"/\*", "/*", true),
            (r"/\*", "/a", false),
            ("/[a", "/a", false),
            ("/{a", "/a", false),
            ("", "", true),
        ];
        for (pattern, text, wanted) in cases {
            assert_eq!(matches(pattern, text), wanted, "{pattern} on {text}");
        }
    }

    #[test]
    fn hostile_pattern_ends() {
        assert!(!matches(&"*a".repeat(40), &"a".repeat(39)));
    }
}
