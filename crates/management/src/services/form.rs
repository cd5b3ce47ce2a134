//! Forms as bodies and queries have them: names and values, sorted and escaped as Go does.
//!
//! Apart because several credentials send forms. It knows nothing of what they say.

/// Writes pairs as a form, sorted by name.
pub(crate) fn encoded(pairs: &[(&str, &str)]) -> String {
    let mut sorted: Vec<_> = pairs.to_vec();
    sorted.sort_by_key(|it| it.0);
    let pair = |it: &(&str, &str)| format!("{}={}", escaped(it.0), escaped(it.1));
    sorted.iter().map(pair).collect::<Vec<_>>().join("&")
}

/// Escapes a text as a part of a form.
fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for byte in text.bytes() {
        match byte {
            b' ' => out.push('+'),
            b'-' | b'_' | b'.' | b'~' => out.push(char::from(byte)),
            _ if byte.is_ascii_alphanumeric() => out.push(char::from(byte)),
            _ => out.push_str(&format!("%{byte:02X}")),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    #[test]
    fn forms_are_sorted_and_escaped() {
        let pairs = [("scope", "a b"), ("assertion", "x+/=é"), ("a-b", "~")];
        assert_eq!(super::encoded(&pairs), "a-b=~&assertion=x%2B%2F%3D%C3%A9&scope=a+b");
    }
}
