//! Top-level texts of a JSON object, read as OPA's library reads the header that it is to sign.
//!
//! That reader takes things that are no JSON, takes the first of repeated keys, and has words of its own for
//! faults. It decides which algorithm signs, so it is followed closely; nothing else is read with it.

use crate::go_text::quote;

/// Deeper values are refused.
const DEPTH_MAX: u32 = 300;

/// The fields of the object, or why there are none.
pub(super) struct Fields<'a>(Result<Vec<(&'a str, Field<'a>)>, String>);

/// A value, as far as it matters.
#[derive(Clone, Copy)]
enum Field<'a> {
    Text(&'a str),
    Other(&'static str),
}

impl<'a> Fields<'a> {
    /// Reads a text; the fault is told when a field is asked for.
    pub(super) fn read(text: &'a str) -> Self {
        Self(Self::parse(text))
    }

    fn parse(text: &'a str) -> Result<Vec<(&'a str, Field<'a>)>, String> {
        let mut reader = Reader { rest: text };
        reader.skip_space();
        let mut fields = Vec::new();
        if let Err(fault) = reader.value(0, Some(&mut fields)) {
            return Err(format!(
                "cannot parse JSON: {fault}; unparsed tail: {}",
                quote(shortened(reader.rest))
            ));
        }
        reader.skip_space();
        if reader.rest.is_empty() {
            return Ok(fields);
        }
        Err(format!("unexpected tail: {}", quote(shortened(reader.rest))))
    }

    fn get(&self, name: &str) -> Result<Option<Field<'a>>, String> {
        let fields = self.0.as_ref().map_err(Clone::clone)?;
        let plain = fields.iter().find(|it| it.0 == name);
        let found = plain.or_else(|| fields.iter().find(|it| unescaped(it.0) == name));
        Ok(found.map(|it| it.1))
    }

    /// Says whether there is a field of this name.
    pub(super) fn has(&self, name: &str) -> bool {
        matches!(self.get(name), Ok(Some(_)))
    }

    /// Returns the text of a field.
    pub(super) fn text(&self, name: &str) -> Result<String, String> {
        match self.get(name)? {
            Some(Field::Text(text)) => Ok(unescaped(text)),
            Some(Field::Other(kind)) => Err(format!("value doesn't contain string; it contains {kind}")),
            None => Err(format!("jwsbb: header \"{name}\" not found")),
        }
    }
}

/// Cuts the middle out of a long text.
fn shortened(text: &str) -> String {
    const LEN_MAX: usize = 80;
    if text.len() <= LEN_MAX {
        return text.to_owned();
    }
    let bytes = text.as_bytes();
    let (start, end) = (bytes.get(..40).unwrap_or(bytes), bytes.get(bytes.len() - 40..).unwrap_or(bytes));
    format!("{}...{}", String::from_utf8_lossy(start), String::from_utf8_lossy(end))
}

struct Reader<'a> {
    rest: &'a str,
}

impl<'a> Reader<'a> {
    fn skip_space(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\n', '\t', '\r']);
    }

    /// Moves on by so many bytes; returns them.
    fn take(&mut self, len: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at_checked(len).unwrap_or((self.rest, ""));
        self.rest = rest;
        taken
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest.starts_with(text);
        if found {
            self.take(text.len());
        }
        found
    }

    fn value(
        &mut self,
        depth: u32,
        fields: Option<&mut Vec<(&'a str, Field<'a>)>>,
    ) -> Result<Field<'a>, String> {
        let Some(first) = self.rest.chars().next() else {
            return Err("cannot parse empty string".to_owned());
        };
        if depth >= DEPTH_MAX {
            return Err(format!("too big depth for the nested JSON; it exceeds {DEPTH_MAX}"));
        }
        let unexpected = |rest: &str| Err(format!("unexpected value found: {}", quote(rest)));
        match first {
            '{' => {
                self.take(1);
                self.object(depth + 1, fields).map_err(|it| format!("cannot parse object: {it}"))?;
                Ok(Field::Other("object"))
            }
            '[' => {
                self.take(1);
                self.array(depth + 1).map_err(|it| format!("cannot parse array: {it}"))?;
                Ok(Field::Other("array"))
            }
            '"' => {
                self.take(1);
                self.string().map(Field::Text).map_err(|it| format!("cannot parse string: {it}"))
            }
            't' if self.eat("true") => Ok(Field::Other("true")),
            'f' if self.eat("false") => Ok(Field::Other("false")),
            'n' if self.eat("null") => Ok(Field::Other("null")),
            'n' if self.eat_word("nan") => Ok(Field::Other("number")),
            't' | 'f' | 'n' => unexpected(self.rest),
            _ => self.number().map_err(|it| format!("cannot parse number: {it}")),
        }
    }

    fn eat_word(&mut self, word: &str) -> bool {
        let found = self.rest.get(..word.len()).is_some_and(|it| it.eq_ignore_ascii_case(word));
        if found {
            self.take(word.len());
        }
        found
    }

    fn number(&mut self) -> Result<Field<'a>, String> {
        let in_number = |it: u8| it.is_ascii_digit() || b".-eE+".contains(&it);
        let len = self.rest.bytes().take_while(|it| in_number(*it)).count();
        let signed = len == 1 && self.rest.starts_with(['-', '+']);
        if len < self.rest.len() && (len == 0 || signed) {
            let fault = format!("unexpected char: {}", quote(self.rest.as_bytes().get(..1).unwrap_or(&[])));
            let whole = self.rest;
            self.take(len);
            if !self.eat_word("inf") && !self.eat_word("nan") {
                self.rest = whole;
                return Err(fault);
            }
            return Ok(Field::Other("number"));
        }
        self.take(len);
        Ok(Field::Other("number"))
    }

    /// Reads up to the next quote without an odd number of backslashes before it.
    fn string(&mut self) -> Result<&'a str, String> {
        let bytes = self.rest.as_bytes();
        let mut escapes = 0;
        for (at, byte) in bytes.iter().enumerate() {
            match byte {
                b'"' if escapes % 2 == 0 => {
                    let text = self.take(at);
                    self.take(1);
                    return Ok(text);
                }
                b'\\' => escapes += 1,
                _ => escapes = 0,
            }
        }
        self.rest = "";
        Err("missing closing '\"'".to_owned())
    }

    fn array(&mut self, depth: u32) -> Result<(), String> {
        self.skip_space();
        if self.rest.is_empty() {
            return Err("missing ']'".to_owned());
        }
        if self.eat("]") {
            return Ok(());
        }
        loop {
            self.skip_space();
            self.value(depth, None).map_err(|it| format!("cannot parse array value: {it}"))?;
            self.skip_space();
            match self.rest.chars().next() {
                None => return Err("unexpected end of array".to_owned()),
                Some(',') => self.take(1),
                Some(']') => {
                    self.take(1);
                    return Ok(());
                }
                Some(_) => return Err("missing ',' after array value".to_owned()),
            };
        }
    }

    fn object(
        &mut self,
        depth: u32,
        mut fields: Option<&mut Vec<(&'a str, Field<'a>)>>,
    ) -> Result<(), String> {
        self.skip_space();
        if self.rest.is_empty() {
            return Err("missing '}'".to_owned());
        }
        if self.eat("}") {
            return Ok(());
        }
        loop {
            self.skip_space();
            if !self.eat("\"") {
                return Err("cannot find opening '\"\" for object key".to_owned());
            }
            let key = self.string().map_err(|it| format!("cannot parse object key: {it}"))?;
            self.skip_space();
            if !self.eat(":") {
                return Err("missing ':' after object key".to_owned());
            }
            self.skip_space();
            let value = self.value(depth, None).map_err(|it| format!("cannot parse object value: {it}"))?;
            if let Some(fields) = fields.as_deref_mut() {
                fields.push((key, value));
            }
            self.skip_space();
            match self.rest.chars().next() {
                None => return Err("unexpected end of object".to_owned()),
                Some(',') => self.take(1),
                Some('}') => {
                    self.take(1);
                    return Ok(());
                }
                Some(_) => return Err("missing ',' after object value".to_owned()),
            };
        }
    }
}

/// Undoes escapes; those that are none stay as they are.
fn unescaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, after)) = rest.split_once('\\') {
        out.push_str(before);
        let mut chars = after.chars();
        let plain = match chars.next() {
            Some(it @ ('"' | '\\' | '/')) => it,
            Some('b') => '\u{8}',
            Some('f') => '\u{c}',
            Some('n') => '\n',
            Some('r') => '\r',
            Some('t') => '\t',
            Some('u') => {
                let (decoded, used) = code_point(chars.as_str());
                out.push_str(&decoded);
                rest = chars.as_str().get(used..).unwrap_or("");
                continue;
            }
            Some(other) => {
                out.push('\\');
                other
            }
            None => break,
        };
        out.push(plain);
        rest = chars.as_str();
    }
    out.push_str(rest);
    out
}

/// Decodes what follows `\u`; returns it and how many bytes it took.
fn code_point(text: &str) -> (String, usize) {
    let hex = |at: usize| text.get(at..at + 4).and_then(|it| u32::from_str_radix(it, 16).ok());
    let Some(first) = hex(0) else { return ("\\u".to_owned(), 0) };
    if let Some(it) = char::from_u32(first) {
        return (it.to_string(), 4);
    }
    let second = text.get(4..6).filter(|it| *it == "\\u").and_then(|_| hex(6));
    match second {
        None => (format!("\\u{}", text.get(..4).unwrap_or("")), 4),
        Some(second) => {
            let pair = [first, second].map(|it| u16::try_from(it).unwrap_or(0));
            (String::from_utf16(&pair).unwrap_or_else(|_| "\u{fffd}".to_owned()), 10)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_repeated_keys_counts() {
        let cases = [
            (r#"{"alg": "a", "alg": "b"}"#, Ok("a")),
            (r#"{"\u0061lg": "b"}"#, Ok("b")),
            (r#"{"x": [1, {"alg": "c"}, nan, -inf], "alg": "d\n"}"#, Ok("d\n")),
            ("{}", Err(r#"jwsbb: header "alg" not found"#)),
            ("", Err(r#"cannot parse JSON: cannot parse empty string; unparsed tail: """#)),
            (r#"{"alg": 1}"#, Err("value doesn't contain string; it contains number")),
            (
                r#"{"alg" 1}"#,
                Err(
                    r#"cannot parse JSON: cannot parse object: missing ':' after object key; unparsed tail: "1}""#,
                ),
            ),
            ("{} x", Err(r#"unexpected tail: "x""#)),
        ];
        for (text, want) in cases {
            let got = Fields::read(text).text("alg");
            assert_eq!(got.as_deref().map_err(String::as_str), want, "{text}");
        }
    }
}
