//! Answers before they become HTTP, and OPA's shapes of errors.
//!
//! Apart so that endpoints return values and one file turns them into status and bytes. It knows OPA's error objects
//! and no policy.

use lictor::EvalError;
use lictor_value::{json, write_string};

/// Is the content type of nearly everything.
pub(crate) const JSON: &str = "application/json";

/// Is an answer.
#[derive(Clone, Debug)]
pub(crate) struct Reply {
    pub(crate) status: u16,
    pub(crate) content_type: Option<&'static str>,
    pub(crate) headers: Vec<(&'static str, String)>,
    pub(crate) body: Vec<u8>,
}

/// Codes of errors as OPA names them.
pub(crate) mod codes {
    /// The request cannot be understood.
    pub(crate) const INVALID_PARAMETER: &str = "invalid_parameter";
    /// The policy or the server is at fault.
    pub(crate) const INTERNAL: &str = "internal_error";
    /// There is no such document or policy.
    pub(crate) const NOT_FOUND: &str = "resource_not_found";
    /// A document cannot be where it should be written.
    pub(crate) const CONFLICT: &str = "resource_conflict";
    /// The document is undefined, where that is an error.
    pub(crate) const UNDEFINED: &str = "undefined_document";
}

impl Reply {
    /// Answers with JSON.
    pub(crate) fn json(body: Vec<u8>) -> Self {
        Self { status: 200, content_type: Some(JSON), headers: Vec::new(), body }
    }

    /// Answers with a status and nothing else.
    pub(crate) fn empty(status: u16) -> Self {
        Self { status, content_type: None, headers: Vec::new(), body: Vec::new() }
    }

    /// Answers with text, which a browser must not take for something else.
    pub(crate) fn text(status: u16, text: &str) -> Self {
        let headers = vec![("x-content-type-options", "nosniff".to_owned())];
        let content_type = Some("text/plain; charset=utf-8");
        Self { status, content_type, headers, body: format!("{text}\n").into_bytes() }
    }

    /// Adds a header.
    pub(crate) fn with_header(mut self, name: &'static str, value: String) -> Self {
        self.headers.push((name, value));
        self
    }

    /// Answers with an error.
    pub(crate) fn error(status: u16, code: &str, message: &str) -> Self {
        Self { status, ..Self::json(error_body(code, message, |_| {})) }
    }

    /// Refuses a request.
    pub(crate) fn bad_request(message: &str) -> Self {
        Self::error(400, codes::INVALID_PARAMETER, message)
    }

    /// Answers with the error of an evaluation.
    pub(crate) fn of_eval(error: &EvalError) -> Self {
        let body = error_body(codes::INTERNAL, "error(s) occurred while evaluating query", |out| {
            let at = error.position().map(|it| (it.file.as_str(), it.row, it.col));
            write_item(error.code().as_str(), error.message(), at, out);
        });
        Self { status: 500, ..Self::json(body) }
    }

    /// Answers with faults of a policy, as text in the message.
    pub(crate) fn of_policy(faults: &lictor::Faults) -> Self {
        Self::error(500, codes::INTERNAL, &faults.to_string())
    }
}

/// Writes `{"code", "message", "errors"}`, indented; `items` appends the objects of `errors`.
fn error_body(code: &str, message: &str, items: impl FnOnce(&mut Vec<u8>)) -> Vec<u8> {
    let mut out = b"{\"code\":".to_vec();
    write_string(code, &mut out, true);
    out.extend_from_slice(b",\"message\":");
    write_string(message, &mut out, true);
    let end = out.len();
    out.extend_from_slice(b",\"errors\":[");
    let start = out.len();
    items(&mut out);
    if out.len() == start {
        out.truncate(end);
    } else {
        out.push(b']');
    }
    out.push(b'}');
    json::indented(&out)
}

fn write_item(code: &str, message: &str, at: Option<(&str, u32, u32)>, out: &mut Vec<u8>) {
    out.extend_from_slice(b"{\"code\":");
    write_string(code, out, true);
    out.extend_from_slice(b",\"message\":");
    write_string(message, out, true);
    if let Some((file, row, col)) = at {
        out.extend_from_slice(b",\"location\":{\"file\":");
        write_string(file, out, true);
        out.extend_from_slice(format!(",\"row\":{row},\"col\":{col}}}").as_bytes());
    }
    out.push(b'}');
}
