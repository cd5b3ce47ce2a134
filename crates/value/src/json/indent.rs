//! JSON as Go's encoder indents it: a transformation of compact text.
//!
//! Apart from the writers because an answer is put together from several of them before it is indented. It takes
//! the text on trust: what it is given was written, not received.

/// Returns compact JSON with two spaces of indentation a level, and a line feed at the end.
///
/// The text must be JSON without white space between tokens; empty objects and arrays stay on one line.
#[must_use]
pub fn indented(compact: &[u8]) -> Vec<u8> {
    let mut out = Vec::with_capacity(compact.len() * 2);
    let mut depth = 0_usize;
    let mut at = 0;
    while let Some(byte) = compact.get(at).copied() {
        match byte {
            b'"' => {
                let end = string_end(compact, at);
                out.extend_from_slice(compact.get(at..end).unwrap_or_default());
                at = end;
                continue;
            }
            b'{' | b'[' => {
                out.push(byte);
                if matches!(compact.get(at + 1), Some(b'}' | b']')) {
                    out.extend(compact.get(at + 1));
                    at += 1;
                } else {
                    depth += 1;
                    new_line(&mut out, depth);
                }
            }
            b'}' | b']' => {
                depth = depth.saturating_sub(1);
                new_line(&mut out, depth);
                out.push(byte);
            }
            b',' => {
                out.push(byte);
                new_line(&mut out, depth);
            }
            b':' => out.extend_from_slice(b": "),
            _ => out.push(byte),
        }
        at += 1;
    }
    out.push(b'\n');
    out
}

fn new_line(out: &mut Vec<u8>, depth: usize) {
    out.push(b'\n');
    out.resize(out.len() + depth * 2, b' ');
}

/// Returns the offset behind the string that starts at `start`.
fn string_end(text: &[u8], start: usize) -> usize {
    let mut at = start + 1;
    while let Some(byte) = text.get(at) {
        match byte {
            b'\\' => at += 2,
            b'"' => return at + 1,
            _ => at += 1,
        }
    }
    text.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn indents_as_go_does() {
        let text = indented(br#"{"a":[1,{},[],{"b":"x:,{\"}"}]}"#);
        let wanted =
            "{\n  \"a\": [\n    1,\n    {},\n    [],\n    {\n      \"b\": \"x:,{\\\"}\"\n    }\n  ]\n}\n";
        assert_eq!(String::from_utf8_lossy(&text), wanted);
        assert_eq!(indented(b"{}"), b"{}\n");
        assert_eq!(indented(br#""a\\""#), b"\"a\\\\\"\n");
    }
}
