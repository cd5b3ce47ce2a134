//! What went wrong, in the two forms that commands show: text, and the objects of `errors`.
//!
//! Apart because each command shows faults of policies, evaluations and files alike. It words nothing itself and
//! decides no exit code.

use std::fmt;

use lictor::{Diagnostic, EvalError, QueryExpression};
use lictor_syntax::diagnostics::Detail;

use crate::output::json;

/// Is one thing that went wrong.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// Of a module or query.
    Rego(Diagnostic),
    /// Of an evaluation; with the text at its place, if that is a query.
    Eval(EvalError, Option<String>),
    /// Of files and whatever else has no code.
    Text(String),
}

/// Is a list of faults that ends a command.
pub(crate) type Faults = Vec<Fault>;

impl From<String> for Fault {
    fn from(message: String) -> Self {
        Self::Text(message)
    }
}

/// Makes faults of the engine's.
pub(crate) fn of_policy(faults: &lictor::Faults) -> Faults {
    faults.diagnostics().iter().cloned().map(Fault::Rego).collect()
}

/// Makes a fault of an evaluation of a query with these expressions.
pub(crate) fn of_eval(error: EvalError, expressions: &[QueryExpression]) -> Fault {
    let place = error.position().filter(|it| it.file.is_empty());
    let text = place.and_then(|at| expressions.iter().find(|it| (it.row, it.col) == (at.row, at.col)));
    let text = text.map(|it| it.text.clone());
    Fault::Eval(error, text)
}

/// Returns the text of something that went wrong with files.
pub(crate) fn while_loading(message: String) -> String {
    list_text(&[Fault::Text(message)], " during loading")
}

impl Fault {
    /// Appends the object that stands in `errors`.
    pub(crate) fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        json::key("message", out);
        match self {
            Self::Text(message) => json::string(message, out),
            Self::Eval(error, _) => {
                json::string(error.message(), out);
                json::key("code", out);
                json::string(error.code().as_str(), out);
                if let Some(at) = error.position() {
                    write_location(&at.file, at.row, at.col, out);
                }
            }
            Self::Rego(diagnostic) => {
                json::string(&diagnostic.message, out);
                json::key("code", out);
                json::string(diagnostic.code, out);
                if let Some(location) = &diagnostic.location {
                    write_location(&location.file, diagnostic.row(), diagnostic.col(), out);
                }
                if let Some(details) = &diagnostic.details {
                    json::key("details", out);
                    write_fields(&details.fields, out);
                }
            }
        }
        out.push(b'}');
    }
}

/// Writes an error of an evaluation as the library gives it, the code first.
pub(crate) fn write_error(error: &EvalError, out: &mut Vec<u8>) {
    out.push(b'{');
    json::key("code", out);
    json::string(error.code().as_str(), out);
    json::key("message", out);
    json::string(error.message(), out);
    if let Some(at) = error.position() {
        write_location(&at.file, at.row, at.col, out);
    }
    out.push(b'}');
}

/// Writes the list as the value of `errors`.
pub(crate) fn write_list(faults: &[Fault], out: &mut Vec<u8>) {
    out.push(b'[');
    for fault in faults {
        json::item(out);
        fault.write_json(out);
    }
    out.push(b']');
}

impl fmt::Display for Fault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(message) => f.write_str(message),
            Self::Rego(diagnostic) => diagnostic.fmt(f),
            Self::Eval(error, Some(text)) => {
                write!(f, "{text}: {}: {}", error.code().as_str(), error.message())
            }
            Self::Eval(error, None) => error.fmt(f),
        }
    }
}

/// Returns the text of a list; `when` stands behind `occurred`.
pub(crate) fn list_text(faults: &[Fault], when: &str) -> String {
    match faults {
        [] => "no error(s)".to_owned(),
        [one] => format!("1 error occurred{when}: {one}"),
        many => {
            let lines: Vec<String> = many.iter().map(Fault::to_string).collect();
            format!("{} errors occurred{when}:\n{}", many.len(), lines.join("\n"))
        }
    }
}

fn write_location(file: &str, row: u32, col: u32, out: &mut Vec<u8>) {
    json::key("location", out);
    json::location(file, row, col, out);
}

fn write_fields(fields: &[(String, Detail)], out: &mut Vec<u8>) {
    out.push(b'{');
    for (name, detail) in fields {
        json::key(name, out);
        write_detail(detail, out);
    }
    out.push(b'}');
}

fn write_detail(detail: &Detail, out: &mut Vec<u8>) {
    match detail {
        Detail::Null => out.extend_from_slice(b"null"),
        Detail::Bool(value) => out.extend_from_slice(if *value { b"true" } else { b"false" }),
        Detail::Int(value) => json::number(*value, out),
        Detail::Number(text) => out.extend_from_slice(text.as_bytes()),
        Detail::Text(text) => json::string(text, out),
        Detail::List(items) => {
            out.push(b'[');
            for detail in items {
                json::item(out);
                write_detail(detail, out);
            }
            out.push(b']');
        }
        Detail::Map(fields) => write_fields(fields, out),
    }
}
