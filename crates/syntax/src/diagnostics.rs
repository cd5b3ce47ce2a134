//! Faults in a user's policy as values, and the forms in which they are shown.
//!
//! Every stage up to the compiler answers with a list of [`Diagnostic`]s. The code and message are
//! OPA's; the kebab-case name is ours and stable; help is ours and stands beside the message,
//! never in it. The text forms (`file:row: code: message`, `N errors occurred:`) and the JSON
//! form are the ones that OPA's users and tools read.
//!
//! Nothing here knows the grammar; stages above make their diagnostics with the same type.

use std::{
    fmt::{self, Write as _},
    sync::Arc,
};

use crate::source::{Position, Source, Span};

/// Codes as OPA names them.
pub mod codes {
    /// The text is not Rego.
    pub const PARSE: &str = "rego_parse_error";
    /// The module cannot be compiled.
    pub const COMPILE: &str = "rego_compile_error";
    /// Types or arities do not fit.
    pub const TYPE: &str = "rego_type_error";
    /// A variable is never bound.
    pub const UNSAFE_VAR: &str = "rego_unsafe_var_error";
    /// A rule depends on itself.
    pub const RECURSION: &str = "rego_recursion_error";
    /// The text cannot be formatted.
    pub const FORMAT: &str = "rego_format_error";
}

/// Is where a diagnostic points: the file's name and the place in it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Location {
    /// Name of the file, empty for a query.
    pub file: Arc<str>,
    /// Row and column of the span's start.
    pub position: Position,
}

/// Is one fault found in a policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// OPA's code, one of [`codes`].
    pub code: &'static str,
    /// Our stable kebab-case name of the kind of fault.
    pub name: &'static str,
    /// OPA's message, hints of OPA's included.
    pub message: String,
    /// Where it is; `None` for a fault of no single place.
    pub location: Option<Location>,
    /// The bytes that it is about, in the file of `location`.
    pub span: Span,
    /// What to do about it, when we know better than the message says.
    pub help: Option<String>,
    /// What OPA adds below the message or in the `details` field.
    pub details: Option<Details>,
    /// Was found after the parser had recovered from an earlier fault, where OPA stops.
    pub recovered: bool,
}

/// Is what OPA adds to an error: named fields for JSON and lines for text.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Details {
    /// Fields of the JSON object, in the order they are written.
    pub fields: Vec<(String, Detail)>,
    /// Lines of the text form, without indentation.
    pub lines: Vec<String>,
}

/// Is a value in [`Details`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detail {
    /// JSON null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// Any other number, as JSON text.
    Number(String),
    /// A string.
    Text(String),
    /// An array.
    List(Vec<Detail>),
    /// An object.
    Map(Vec<(String, Detail)>),
}

impl Diagnostic {
    /// Makes a diagnostic that points at the start of `span` in `source`.
    #[must_use]
    pub fn new(
        code: &'static str,
        name: &'static str,
        source: &Source,
        span: Span,
        message: impl Into<String>,
    ) -> Self {
        let location = Location { file: Arc::clone(source.name()), position: source.position(span.start) };
        Self { location: Some(location), span, ..Self::unplaced(code, name, message) }
    }

    /// Makes a diagnostic that has no place in a file.
    #[must_use]
    pub fn unplaced(code: &'static str, name: &'static str, message: impl Into<String>) -> Self {
        Self {
            code,
            name,
            message: message.into(),
            location: None,
            span: Span::default(),
            help: None,
            details: None,
            recovered: false,
        }
    }

    /// Adds help.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Self {
        self.help = Some(help.into());
        self
    }

    /// Adds details.
    #[must_use]
    pub fn with_details(mut self, details: Details) -> Self {
        self.details = Some(details);
        self
    }

    /// Returns the row, 0 if there is no place.
    #[must_use]
    pub fn row(&self) -> u32 {
        self.location.as_ref().map_or(0, |at| at.position.row)
    }

    /// Returns the column, 0 if there is no place.
    #[must_use]
    pub fn col(&self) -> u32 {
        self.location.as_ref().map_or(0, |at| at.position.col)
    }

    /// Writes OPA's JSON object: `message`, `code`, `location`, `details`.
    pub fn write_json(&self, out: &mut String) {
        out.push_str("{\"message\":");
        write_json_string(&self.message, out);
        out.push_str(",\"code\":");
        write_json_string(self.code, out);
        if let Some(location) = &self.location {
            out.push_str(",\"location\":{\"file\":");
            write_json_string(&location.file, out);
            let Position { row, col } = location.position;
            // Writing to a string cannot fail.
            let _ = write!(out, ",\"row\":{row},\"col\":{col}}}");
        }
        if let Some(details) = &self.details {
            out.push_str(",\"details\":");
            write_json_fields(&details.fields, out);
        }
        out.push('}');
    }
}

impl fmt::Display for Diagnostic {
    /// Writes `file:row: code: message` (`row:col: …` without a file), then the detail lines.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(location) = &self.location {
            let Position { row, col } = location.position;
            if location.file.is_empty() {
                write!(f, "{row}:{col}: ")?;
            } else {
                write!(f, "{}:{row}: ", location.file)?;
            }
        }
        write!(f, "{}: {}", self.code, self.message)?;
        for line in self.details.iter().flat_map(|details| &details.lines) {
            write!(f, "\n\t{line}")?;
        }
        Ok(())
    }
}

/// Returns OPA's text for a list: one is introduced by `1 error occurred: `, several stand one
/// a line below `N errors occurred:`.
#[must_use]
pub fn list_text(diagnostics: &[Diagnostic]) -> String {
    match diagnostics {
        [] => "no error(s)".to_owned(),
        [one] => format!("1 error occurred: {one}"),
        many => {
            let mut out = format!("{} errors occurred:", many.len());
            for diagnostic in many {
                // Writing to a string cannot fail.
                let _ = write!(out, "\n{diagnostic}");
            }
            out
        }
    }
}

/// Returns the JSON array of [`Diagnostic::write_json`] objects.
#[must_use]
pub fn list_json(diagnostics: &[Diagnostic]) -> String {
    let mut out = String::from("[");
    for (idx, diagnostic) in diagnostics.iter().enumerate() {
        if idx > 0 {
            out.push(',');
        }
        diagnostic.write_json(&mut out);
    }
    out.push(']');
    out
}

fn write_json_fields(fields: &[(String, Detail)], out: &mut String) {
    out.push('{');
    for (idx, (key, value)) in fields.iter().enumerate() {
        if idx > 0 {
            out.push(',');
        }
        write_json_string(key, out);
        out.push(':');
        write_json_detail(value, out);
    }
    out.push('}');
}

fn write_json_detail(detail: &Detail, out: &mut String) {
    match detail {
        Detail::Null => out.push_str("null"),
        Detail::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Detail::Int(value) => {
            let _ = write!(out, "{value}");
        }
        Detail::Number(text) => out.push_str(text),
        Detail::Text(text) => write_json_string(text, out),
        Detail::List(items) => {
            out.push('[');
            for (idx, item) in items.iter().enumerate() {
                if idx > 0 {
                    out.push(',');
                }
                write_json_detail(item, out);
            }
            out.push(']');
        }
        Detail::Map(fields) => write_json_fields(fields, out),
    }
}

/// Writes a JSON string as Go's encoder does with HTML escaping off.
pub fn write_json_string(text: &str, out: &mut String) {
    out.push('"');
    for point in text.chars() {
        match point {
            '"' => out.push_str("\\\""),
            '\\' => out.push_str("\\\\"),
            '\n' => out.push_str("\\n"),
            '\r' => out.push_str("\\r"),
            '\t' => out.push_str("\\t"),
            '\u{8}' => out.push_str("\\b"),
            '\u{c}' => out.push_str("\\f"),
            '\u{0}'..='\u{1f}' | '\u{2028}' | '\u{2029}' => {
                let _ = write!(out, "\\u{:04x}", u32::from(point));
            }
            _ => out.push(point),
        }
    }
    out.push('"');
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_and_json_forms() {
        let source = Source::new("p.rego", "package p\n x");
        let one = Diagnostic::new(codes::PARSE, "test", &source, Span::new(11, 12), "bad \"x\"");
        assert_eq!(one.to_string(), "p.rego:2: rego_parse_error: bad \"x\"");
        assert_eq!(
            list_json(std::slice::from_ref(&one)),
            r#"[{"message":"bad \"x\"","code":"rego_parse_error","location":{"file":"p.rego","row":2,"col":2}}]"#
        );
        assert!(list_text(&[one.clone(), one]).starts_with("2 errors occurred:\np.rego:2: "));
    }
}
