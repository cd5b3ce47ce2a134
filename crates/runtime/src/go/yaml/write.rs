//! Writes values as YAML, in the layout of the library that OPA uses.
//!
//! Block style, two columns a level, keys in natural order (`a2` before `a10`), long lines
//! kept whole. Strings are plain when that reads back as a string, else quoted; those with
//! line breaks are literal blocks. Knows nothing of reading but how plain scalars resolve.

use std::cmp::Ordering;

use crate::go::float::{FloatVerb, format_float};
use crate::go::unicode::{is_digit, is_letter};

use super::scalar::{self, Scalar};
use super::{Yaml, YamlError};

/// How deep a value may nest.
const DEPTH_MAX: usize = 1000;
/// The longest key, in bytes, that is written in front of its value on one line.
const SIMPLE_KEY_BYTES: usize = 128;
/// The longest key that the library reads, in characters of JSON text.
const JSON_KEY_CHARS: usize = 1024;

/// Writes a value as one document.
///
/// # Errors
///
/// Returns an error for what OPA cannot write, since it reads the value back from JSON:
/// control characters that JSON leaves as they are, and keys of more than 1,024 characters.
pub fn write(yaml: &Yaml) -> Result<String, YamlError> {
    let mut writer = Writer { out: String::new(), column: 0, spaced: true, indented: true };
    writer.node(yaml, None, 0)?;
    writer.indent(0);
    Ok(writer.out)
}

/// How a string is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Style {
    Plain,
    Single,
    Double,
    Literal,
}

struct Writer {
    out: String,
    column: usize,
    /// Whether a space or the start of a line stands before the cursor.
    spaced: bool,
    /// Whether only indentation and indicators stand before the cursor.
    indented: bool,
}

impl Writer {
    fn push(&mut self, c: char) {
        self.out.push(c);
        if is_break(c) {
            self.column = 0;
            self.indented = true;
        } else {
            self.column += 1;
        }
    }

    fn indent(&mut self, indent: usize) {
        if !self.indented || self.column > indent || (self.column == indent && !self.spaced) {
            self.push('\n');
        }
        while self.column < indent {
            self.push(' ');
        }
        self.spaced = true;
    }

    /// Writes an indicator that keeps its line open for an indented node if `opens`.
    fn indicator(&mut self, text: &str, needs_space: bool, opens: bool) {
        if needs_space && !self.spaced {
            self.push(' ');
        }
        for c in text.chars() {
            self.push(c);
        }
        self.spaced = false;
        self.indented = self.indented && opens;
    }

    /// Writes a node inside a collection that stands at `indent`, or at the top.
    fn node(&mut self, yaml: &Yaml, indent: Option<usize>, depth: usize) -> Result<(), YamlError> {
        if depth > DEPTH_MAX {
            return Err(YamlError::plain(&format!("exceeded max depth of {DEPTH_MAX}")));
        }
        let inner = indent.map_or(0, |indent| indent + 2);
        let text_indent = indent.map_or(2, |indent| indent + 2);
        match yaml {
            Yaml::Null => self.indicator("null", true, false),
            Yaml::Bool(value) => self.indicator(&value.to_string(), true, false),
            Yaml::Number(text) => match number(text) {
                Some(text) => self.indicator(&text, true, false),
                None => self.string(text, text_indent, false)?,
            },
            Yaml::String(text) => self.string(text, text_indent, false)?,
            Yaml::Array(items) if items.is_empty() => self.indicator("[]", true, false),
            Yaml::Object(entries) if entries.is_empty() => self.indicator("{}", true, false),
            Yaml::Array(items) => {
                for item in items {
                    self.indent(inner);
                    self.indicator("-", true, true);
                    self.node(item, Some(inner), depth + 1)?;
                }
            }
            Yaml::Object(entries) => {
                for (key, value) in natural_order(entries) {
                    self.entry(key, value, inner, depth + 1)?;
                }
            }
        }
        Ok(())
    }

    fn entry(&mut self, key: &str, value: &Yaml, indent: usize, depth: usize) -> Result<(), YamlError> {
        if json_len(key) > JSON_KEY_CHARS {
            return Err(YamlError::plain("did not find expected ',' or '}'"));
        }
        self.indent(indent);
        if key.len() <= SIMPLE_KEY_BYTES && !key.contains(is_break) {
            self.string(key, indent, true)?;
            self.indicator(":", false, false);
        } else {
            self.indicator("?", true, true);
            self.string(key, indent + 2, false)?;
            self.indent(indent);
            self.indicator(":", true, true);
        }
        self.node(value, Some(indent), depth)
    }

    fn string(&mut self, text: &str, indent: usize, is_key: bool) -> Result<(), YamlError> {
        if text.chars().any(is_refused) {
            return Err(YamlError::plain("control characters are not allowed"));
        }
        match style(text, is_key) {
            Style::Plain => self.indicator(text, true, false),
            Style::Single => self.single(text, indent),
            Style::Double => self.indicator(&double(text), true, false),
            Style::Literal => self.literal(text, indent),
        }
        Ok(())
    }

    fn single(&mut self, text: &str, indent: usize) {
        self.indicator("'", true, false);
        let mut broken = false;
        for c in text.chars() {
            if is_break(c) {
                self.push(c);
                broken = true;
                continue;
            }
            if broken && c != ' ' {
                self.indent(indent);
            }
            if c == '\'' {
                self.push(c);
            }
            self.push(c);
            self.indented = false;
            broken = broken && c == ' ';
        }
        self.indicator("'", false, false);
    }

    fn literal(&mut self, text: &str, indent: usize) {
        self.indicator("|", true, false);
        if text.starts_with(|c| c == ' ' || is_break(c)) {
            self.indicator("2", false, false);
        }
        let mut end = text.chars().rev();
        match (end.next().is_some_and(is_break), end.next()) {
            (false, _) => self.indicator("-", false, false),
            (true, None) => self.indicator("+", false, false),
            (true, Some(c)) if is_break(c) => self.indicator("+", false, false),
            (true, Some(_)) => {}
        }
        self.push('\n');
        self.spaced = true;
        let mut broken = true;
        for c in text.chars() {
            if !is_break(c) && broken {
                self.indent(indent);
            }
            self.push(c);
            broken = is_break(c);
            self.indented = broken;
        }
    }
}

/// Returns a number's text in YAML; none if the library takes it for a string.
fn number(text: &str) -> Option<String> {
    match scalar::plain(text) {
        Scalar::Int(value) => Some(value.to_string()),
        Scalar::Uint(value) => Some(value.to_string()),
        Scalar::Float(value) => Some(format_float(value, FloatVerb::General('e'), None)),
        _ => None,
    }
}

/// What the reader of the intermediate JSON does not take.
fn is_refused(c: char) -> bool {
    matches!(c, '\u{7f}'..='\u{84}' | '\u{86}'..='\u{9f}' | '\u{fffe}' | '\u{ffff}')
}

fn is_break(c: char) -> bool {
    matches!(c, '\n' | '\r' | '\u{85}' | '\u{2028}' | '\u{2029}')
}

fn is_printable(c: char) -> bool {
    match c {
        '\n' | ' '..='~' | '\u{a0}'..='\u{d7ff}' => true,
        '\u{e000}'..='\u{fffd}' => c != '\u{feff}',
        _ => false,
    }
}

fn style(text: &str, is_key: bool) -> Style {
    let shape = Shape::of(text);
    let resolves = !matches!(scalar::plain(text), Scalar::Text(_));
    if text.contains('\n') {
        let block = !shape.ends_with_space && !shape.space_break && !shape.special;
        return if block && !is_key { Style::Literal } else { Style::Double };
    }
    if resolves || is_sexagesimal(text) || is_old_bool(text) {
        return Style::Double;
    }
    let single = !(shape.break_space || shape.space_break || shape.tab || shape.special);
    let edges = shape.starts_with_space || shape.ends_with_space || shape.breaks;
    if single && !edges && !shape.indicators {
        Style::Plain
    } else if single {
        Style::Single
    } else {
        Style::Double
    }
}

/// What matters about a text for the ways it can be written.
#[derive(Default)]
struct Shape {
    starts_with_space: bool,
    ends_with_space: bool,
    breaks: bool,
    break_space: bool,
    space_break: bool,
    tab: bool,
    special: bool,
    /// Something in it would mean more than itself.
    indicators: bool,
}

impl Shape {
    fn of(text: &str) -> Self {
        let mut shape = Self {
            starts_with_space: text.starts_with(' '),
            ends_with_space: text.ends_with(' '),
            indicators: text.starts_with("---") || text.starts_with("..."),
            ..Self::default()
        };
        let mut previous = None;
        let mut chars = text.chars().peekable();
        while let Some(c) = chars.next() {
            let blank_follows = chars.peek().is_none_or(|next| matches!(next, ' ' | '\t'));
            let blank_before = previous.is_none_or(|c| matches!(c, ' ' | '\t') || is_break(c));
            shape.indicators |= match c {
                ':' => blank_follows,
                '#' => blank_before,
                '?' | '-' => previous.is_none() && blank_follows,
                ',' | '[' | ']' | '{' | '}' | '&' | '*' | '!' | '|' | '>' | '\'' | '"' | '%' | '@' | '`' => {
                    previous.is_none()
                }
                _ => false,
            };
            shape.tab |= c == '\t';
            shape.special |= c != '\t' && !is_printable(c);
            shape.breaks |= is_break(c);
            shape.break_space |= c == ' ' && previous.is_some_and(is_break);
            shape.space_break |= is_break(c) && previous == Some(' ');
            previous = Some(c);
        }
        shape
    }
}

fn double(text: &str) -> String {
    let mut out = String::from('"');
    // A byte order mark at the start makes the library escape everything behind it.
    let keeps_printable = !text.starts_with('\u{feff}');
    for c in text.chars() {
        let code = u32::from(c);
        let short = match c {
            '\0' => '0',
            '\u{7}' => 'a',
            '\u{8}' => 'b',
            '\t' => 't',
            '\n' => 'n',
            '\u{b}' => 'v',
            '\u{c}' => 'f',
            '\r' => 'r',
            '\u{1b}' => 'e',
            '"' | '\\' => c,
            '\u{85}' => 'N',
            '\u{2028}' => 'L',
            '\u{2029}' => 'P',
            '\u{a0}' if !keeps_printable => '_',
            _ if keeps_printable && is_printable(c) => {
                out.push(c);
                continue;
            }
            _ => {
                out.push_str(&match code {
                    ..=0xff => format!("\\x{code:02X}"),
                    0x100..=0xffff => format!("\\u{code:04X}"),
                    _ => format!("\\U{code:08X}"),
                });
                continue;
            }
        };
        out.push('\\');
        out.push(short);
    }
    out.push('"');
    out
}

/// Words that older readers take for truth values.
fn is_old_bool(text: &str) -> bool {
    matches!(
        text,
        "y" | "Y"
            | "yes"
            | "Yes"
            | "YES"
            | "on"
            | "On"
            | "ON"
            | "n"
            | "N"
            | "no"
            | "No"
            | "NO"
            | "off"
            | "Off"
            | "OFF"
    )
}

/// Numbers to base 60 such as `12:30`, which older readers know.
fn is_sexagesimal(text: &str) -> bool {
    let text = text.strip_prefix(['-', '+']).unwrap_or(text);
    let (whole, fraction) = text.split_once('.').unwrap_or((text, ""));
    let mut parts = whole.split(':');
    let first = parts.next().unwrap_or("");
    let digit_or_mark = |byte: u8| byte.is_ascii_digit() || byte == b'_';
    let minute = |part: &str| match part.as_bytes() {
        [digit] => digit.is_ascii_digit(),
        [tens, digit] => matches!(tens, b'0'..=b'5') && digit.is_ascii_digit(),
        _ => false,
    };
    whole.contains(':')
        && first.starts_with(|c: char| c.is_ascii_digit())
        && first.bytes().all(digit_or_mark)
        && parts.all(minute)
        && fraction.bytes().all(digit_or_mark)
}

/// Returns how many characters the text takes as JSON, quotes included.
fn json_len(text: &str) -> usize {
    let len = |c: char| match c {
        '"' | '\\' | '\u{8}' | '\u{c}' | '\n' | '\r' | '\t' => 2,
        '<' | '>' | '&' | '\u{2028}' | '\u{2029}' | '\0'..='\u{1f}' => 6,
        _ => 1,
    };
    2 + text.chars().map(len).sum::<usize>()
}

/// Sorts entries by key so that numbers inside keys count as numbers. The order is not
/// always transitive, so it is not for the standard sort, which may refuse it.
fn natural_order(entries: &[(String, Yaml)]) -> Vec<(&str, &Yaml)> {
    let mut sorted: Vec<(&str, &Yaml)> = entries.iter().map(|(key, value)| (key.as_str(), value)).collect();
    let mut width = 1;
    while width < sorted.len() {
        sorted = sorted.chunks(width * 2).flat_map(|pair| merge(pair, width)).collect();
        width *= 2;
    }
    sorted
}

fn merge<'e>(pair: &[(&'e str, &'e Yaml)], width: usize) -> Vec<(&'e str, &'e Yaml)> {
    let (left, right) = pair.split_at(width.min(pair.len()));
    let (mut left, mut right) = (left.iter().peekable(), right.iter().peekable());
    let mut out = Vec::with_capacity(pair.len());
    loop {
        let next = match (left.peek(), right.peek()) {
            (Some(a), Some(b)) if natural(b.0, a.0) == Ordering::Less => right.next(),
            (Some(_), _) => left.next(),
            (None, _) => right.next(),
        };
        match next {
            Some(entry) => out.push(*entry),
            None => return out,
        }
    }
}

fn natural(a: &str, b: &str) -> Ordering {
    let (a, b): (Vec<char>, Vec<char>) = (a.chars().collect(), b.chars().collect());
    let same = a.iter().zip(&b).take_while(|(a, b)| a == b).count();
    let (Some(&left), Some(&right)) = (a.get(same), b.get(same)) else {
        return a.len().cmp(&b.len());
    };
    let behind_digit = same > 0 && a.get(same - 1).is_some_and(|c| is_digit(*c));
    match (is_letter(left), is_letter(right)) {
        (true, true) => return left.cmp(&right),
        (true, false) if behind_digit => return Ordering::Less,
        (true, false) => return Ordering::Greater,
        (false, true) if behind_digit => return Ordering::Greater,
        (false, true) => return Ordering::Less,
        (false, false) => {}
    }
    // A zero behind a digit other than zero belongs to a number that has begun already.
    let begun = (left == '0' || right == '0')
        && a.iter().take(same).rev().take_while(|c| is_digit(**c)).any(|c| *c != '0');
    let (a_value, a_len) = digits(&a, same, begun);
    let (b_value, b_len) = digits(&b, same, begun);
    a_value.cmp(&b_value).then(a_len.cmp(&b_len)).then(left.cmp(&right))
}

fn digits(text: &[char], start: usize, begun: bool) -> (i64, usize) {
    let digits = text.iter().skip(start).take_while(|c| is_digit(**c));
    digits.fold((i64::from(begun), 0), |(value, len), c| {
        let digit = i64::from(u32::from(*c)) - i64::from(u32::from('0'));
        (value.wrapping_mul(10).wrapping_add(digit), len + 1)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Yaml {
        Yaml::String(text.to_owned())
    }

    fn check(yaml: &Yaml, want: &str) {
        assert_eq!(write(yaml).as_deref(), Ok(want));
    }

    #[test]
    fn strings_are_quoted_as_needed() {
        let cases = [
            ("a b", "a b"),
            ("", "\"\""),
            ("true", "\"true\""),
            ("yes", "\"yes\""),
            ("12:30", "\"12:30\""),
            ("2023-01-01", "\"2023-01-01\""),
            ("0x1F", "\"0x1F\""),
            ("a: b", "'a: b'"),
            ("it's", "it's"),
            ("'s", "'''s'"),
            ("- a", "'- a'"),
            ("-a", "-a"),
            ("a #b", "'a #b'"),
            (" a", "' a'"),
            ("\t", "\"\\t\""),
            ("\u{1f600}", "\"\\U0001F600\""),
            ("é\u{0}", "\"é\\0\""),
            ("a\u{2028}b", "'a\u{2028}  b'"),
        ];
        for (value, want) in cases {
            check(&text(value), &format!("{want}\n"));
        }
        assert!(write(&text("\u{7f}")).is_err());
    }

    #[test]
    fn lines_become_blocks() {
        check(&text("a\nb"), "|-\n  a\n  b\n");
        check(&text(" a\n\n"), "|2+\n   a\n\n");
        check(&text("a \nb"), "\"a \\nb\"\n");
    }

    #[test]
    fn collections_are_indented() {
        let number = |text: &str| Yaml::Number(text.to_owned());
        let inner = Yaml::Array(vec![number("1"), Yaml::Array(vec![Yaml::Null]), text("x\ny\n")]);
        let entry = |key: &str, value: Yaml| (key.to_owned(), value);
        let outer = Yaml::Object(vec![
            entry("a10", inner.clone()),
            entry("a2", Yaml::Object(vec![])),
            entry(
                "b",
                Yaml::Array(vec![Yaml::Object(vec![
                    entry("c", Yaml::Bool(true)),
                    entry("d", number("1e20")),
                ])]),
            ),
            entry("k\nl", inner),
        ]);
        let want = "\
a2: {}
a10:
  - 1
  - - null
  - |
    x
    y
b:
  - c: true
    d: 1e+20
? |-
  k
  l
: - 1
  - - null
  - |
    x
    y
";
        check(&outer, want);
        assert!(write(&Yaml::Object(vec![entry(&"k".repeat(1023), Yaml::Null)])).is_err());
    }
}
