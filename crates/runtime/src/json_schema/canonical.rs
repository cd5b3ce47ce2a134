//! JSON text in which equal values have equal text: numbers as machine floats, written in one way.
//!
//! Apart because `const`, `enum` and `uniqueItems` compare texts, and messages show them. Keys are sorted by whoever
//! writes the text.

use lictor_value::number::{FloatForm, format_f64};

/// Rewrites the numbers of a compact JSON text.
///
/// A number too big for a machine float is an error, as it is for OPA.
pub(super) fn canonical(text: &str) -> Result<String, String> {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let len = match first {
            '"' => string_len(rest),
            '-' | '0'..='9' => rest.find(|it: char| !is_number_char(it)).unwrap_or(rest.len()),
            other => other.len_utf8(),
        };
        let (token, after) = rest.split_at(len);
        if matches!(first, '-' | '0'..='9') {
            out.push_str(&float_text(token)?);
        } else {
            out.push_str(token);
        }
        rest = after;
    }
    Ok(out)
}

fn is_number_char(c: char) -> bool {
    matches!(c, '0'..='9' | '-' | '+' | '.' | 'e' | 'E')
}

/// Returns the length of the string that a text begins with, quotes included.
fn string_len(text: &str) -> usize {
    let mut escaped = false;
    for (at, byte) in text.bytes().enumerate().skip(1) {
        if byte == b'"' && !escaped {
            return at + 1;
        }
        escaped = byte == b'\\' && !escaped;
    }
    text.len()
}

/// Writes a number as Go's JSON encoder writes a float.
fn float_text(number: &str) -> Result<String, String> {
    let float: f64 = number.parse().unwrap_or(f64::INFINITY);
    if !float.is_finite() {
        return Err(format!("json: cannot unmarshal number {number} into Go value of type float64"));
    }
    let magnitude = float.abs();
    if magnitude != 0.0 && !(1e-6..1e21).contains(&magnitude) {
        let text = format_f64(float, FloatForm::Scientific);
        return Ok(text.replace("e-0", "e-"));
    }
    Ok(format_f64(float, FloatForm::Plain))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_one_way() {
        for (text, want) in [
            (r#"{"a1":1.0,"e":[1e2,-0.0,"1.0\"2.0"]}"#, r#"{"a1":1,"e":[100,-0,"1.0\"2.0"]}"#),
            ("1e21", "1e+21"),
            ("0.0000001", "1e-7"),
            ("123456789012345678901", "123456789012345680000"),
            ("true", "true"),
        ] {
            assert_eq!(canonical(text).as_deref(), Ok(want));
        }
        assert!(canonical("[1e999]").is_err());
    }
}
