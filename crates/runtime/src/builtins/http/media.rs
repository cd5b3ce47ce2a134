//! Media types: whether a body says that it is JSON or YAML.
//!
//! Apart because a header with a fault in its parameters counts as no type at all, as in Go's `mime`; the rules are
//! fiddly and need no values.

use crate::http::{HttpResponse, is_token};

/// How a body is read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Media {
    Json,
    Yaml,
    Other,
}

/// Returns what a response says of its body.
pub(super) fn of_response(response: &HttpResponse) -> Media {
    let header = response.header("content-type").unwrap_or("");
    if is_json(header) {
        return Media::Json;
    }
    let is_yaml = ["application/yaml", "application/x-yaml"].iter().any(|it| header.contains(it));
    if is_yaml { Media::Yaml } else { Media::Other }
}

fn is_json(header: &str) -> bool {
    let (base, parameters) = header.split_at(header.find(';').unwrap_or(header.len()));
    let base = base.trim().to_lowercase();
    let subtype = base.strip_prefix("application/").filter(|it| is_token(it));
    let subtype = subtype.filter(|it| *it == "json" || it.ends_with("+json"));
    subtype.is_some() && has_good_parameters(parameters)
}

/// Says whether parameters can be read: `; name=value` again and again, no name with two values.
fn has_good_parameters(text: &str) -> bool {
    let mut known: Vec<(String, String)> = Vec::new();
    let mut rest = text.trim_start();
    while !rest.is_empty() {
        let Some((name, value, tail)) = parameter(rest) else {
            return rest.trim() == ";";
        };
        if known.iter().any(|it| it.0 == name && it.1 != value) {
            return false;
        }
        known.push((name, value));
        rest = tail.trim_start();
    }
    true
}

fn parameter(text: &str) -> Option<(String, String, &str)> {
    let (name, rest) = token(text.strip_prefix(';')?.trim_start());
    if name.is_empty() {
        return None;
    }
    let rest = rest.trim_start().strip_prefix('=')?.trim_start();
    let (value, tail) = match rest.strip_prefix('"') {
        Some(inside) => quoted(inside)?,
        None => {
            let (value, tail) = token(rest);
            (value.to_owned(), tail)
        }
    };
    if value.is_empty() && tail.len() == rest.len() {
        return None;
    }
    Some((name.to_lowercase(), value, tail))
}

fn token(text: &str) -> (&str, &str) {
    let end = text.find(|it: char| !is_token(it.encode_utf8(&mut [0; 4]))).unwrap_or(text.len());
    text.split_at(end)
}

/// Reads up to the closing quote; a backslash counts only before what must be escaped.
fn quoted(inside: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = inside.char_indices().peekable();
    while let Some((at, it)) = chars.next() {
        match it {
            '"' => return Some((value, inside.get(at + 1..)?)),
            '\r' | '\n' => return None,
            '\\' => match chars.next_if(|(_, next)| "()<>@,;:\\\"/[]?=".contains(*next)) {
                Some((_, escaped)) => value.push(escaped),
                None => value.push('\\'),
            },
            it => value.push(it),
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn json_is_told_as_go_does() {
        for (header, wanted) in [
            ("application/json", true),
            (" Application/Problem+JSON ; charset=utf-8", true),
            ("application/json;", true),
            ("application/json; charset", false),
            ("application/json; a=b; a=c", false),
            ("application/json; a=b; a=b", true),
            (r#"application/json; x="q\"z" "#, true),
            (r#"application/json; x="q"#, false),
            (r#"application/json; x="""#, true),
            ("application/json; x=", false),
            ("application/json, text/plain", false),
            ("text/json", false),
            ("application/jsonp", false),
            ("", false),
        ] {
            assert_eq!(is_json(header), wanted, "{header}");
        }
    }
}
