//! Patterns of names, as shells and Go's `filepath.Match` have them: `--ignore`, `exclude_files`.
//!
//! `*` takes any characters but slashes, `?` one, brackets one of a class (`[a-z]`, `[^a]`), a backslash the next
//! as it is. Apart from the patterns of manifests, whose stars take slashes too.

/// Says whether a pattern matches a whole name; a pattern that is none matches nothing.
#[must_use]
pub fn name_matches(pattern: &str, name: &str) -> bool {
    let pattern: Vec<char> = pattern.chars().collect();
    let name: Vec<char> = name.chars().collect();
    matches(&pattern, &name)
}

/// Matches by going back to the last `*` only, so that time is bounded by the product of the lengths.
fn matches(pattern: &[char], name: &[char]) -> bool {
    let (mut at, mut rest) = (0, pattern);
    let mut star: Option<(usize, &[char])> = None;
    loop {
        if let Some(('*', behind)) = rest.split_first() {
            star = Some((at, behind));
            rest = behind;
            continue;
        }
        if rest.is_empty() && at == name.len() {
            return true;
        }
        if let Some(behind) = name.get(at).and_then(|it| step(rest, *it)) {
            rest = behind;
            at += 1;
            continue;
        }
        match star {
            Some((from, behind)) if from < name.len() && name.get(from) != Some(&'/') => {
                at = from + 1;
                star = Some((at, behind));
                rest = behind;
            }
            _ => return false,
        }
    }
}

/// Matches one character; returns the pattern behind it.
fn step(pattern: &[char], point: char) -> Option<&[char]> {
    match pattern.split_first()? {
        ('?', rest) => (point != '/').then_some(rest),
        ('[', rest) => class(rest, point),
        ('\\', rest) => rest.split_first().filter(|it| *it.0 == point).map(|it| it.1),
        (only, rest) => (*only == point).then_some(rest),
    }
}

fn class(pattern: &[char], point: char) -> Option<&[char]> {
    let (negated, mut rest) = match pattern.split_first() {
        Some(('^', rest)) => (true, rest),
        _ => (false, pattern),
    };
    let mut hit = false;
    let mut first = true;
    loop {
        if let Some((']', behind)) = rest.split_first()
            && !first
        {
            return (hit != negated).then_some(behind);
        }
        let (low, behind) = class_end(rest)?;
        let (high, behind) = match behind.split_first() {
            Some(('-', behind)) => class_end(behind)?,
            _ => (low, behind),
        };
        hit |= (low..=high).contains(&point);
        rest = behind;
        first = false;
    }
}

fn class_end(pattern: &[char]) -> Option<(char, &[char])> {
    match pattern.split_first()? {
        ('-' | ']', _) => None,
        ('\\', rest) => rest.split_first().map(|it| (*it.0, it.1)),
        (only, rest) => Some((*only, rest)),
    }
}

#[cfg(test)]
mod tests {
    use super::name_matches;

    #[test]
    fn patterns() {
        let cases = [
            (".*", ".git", true),
            (".*", "a.b", false),
            ("*.json", "x.json", true),
            ("*_test.rego", "a_test.rego", true),
            ("a?c", "abc", true),
            ("a[b-d]c", "acc", true),
            ("a[^b-d]c", "acc", false),
            ("a[", "a[", false),
            (r"\*", "*", true),
            ("*a*b*c", "xxaxxbxxc", true),
            ("*a*b*c", "xxaxxbxx", false),
            ("", "", true),
        ];
        for (pattern, name, wanted) in cases {
            assert_eq!(name_matches(pattern, name), wanted, "{pattern} on {name}");
        }
    }
}
