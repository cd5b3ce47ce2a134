//! What a block string says: its text without the common indent and the blank lines around.
//!
//! Apart from the scanner because the rule works on the whole text (§2.9.4, `BlockStringValue`), not on one line at a
//! time. It knows neither tokens nor trees.

/// Returns the text of a block string from what stands between its quotes.
pub(crate) fn dedent(raw: &str) -> String {
    let mut lines: Vec<&str> = raw.split('\n').collect();
    // The first line counts for the indent but keeps its own.
    let common = lines.iter().filter_map(|it| indent(it)).min();
    if let Some(common) = common {
        for line in lines.iter_mut().skip(1) {
            *line = line.get(common..).unwrap_or("");
        }
    }
    let Some(first) = lines.iter().position(|it| indent(it).is_some()) else { return String::new() };
    let last = lines.iter().rposition(|it| indent(it).is_some()).unwrap_or(first);
    lines.get(first..=last).unwrap_or(&[]).join("\n")
}

/// Returns how many blanks a line begins with, unless it is blank.
fn indent(line: &str) -> Option<usize> {
    line.bytes().position(|it| it != b' ' && it != b'\t')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_go() {
        let cases = [
            ("", ""),
            (" \n\t\n ", ""),
            ("one", "one"),
            ("\n   a\n     b\n\n   c\n  ", "a\n  b\n\nc"),
            ("a\n  b", "a\n  b"),
            ("   a\n  b\n \n    c  ", "   a\nb\n\n  c  "),
        ];
        for (raw, text) in cases {
            assert_eq!(dedent(raw), text, "{raw:?}");
        }
    }
}
