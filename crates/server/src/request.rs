//! A request as endpoints see it: decoded path, parameters, body.
//!
//! Apart because paths and parameters have OPA's rules of decoding. It holds what was received and decides nothing.

use bytes::Bytes;
use hyper::header::{CONTENT_TYPE, HeaderMap};
use percent_encoding::percent_decode_str;

/// Is a request whose body is there.
#[derive(Debug)]
pub(crate) struct Request {
    /// The path as it was sent.
    pub(crate) path: String,
    /// What stands behind the question mark, as it was sent.
    pub(crate) query: String,
    pub(crate) headers: HeaderMap,
    /// The body, expanded.
    pub(crate) body: Bytes,
}

impl Request {
    /// Returns the keys of the path behind a prefix, decoded; empty ones are left out.
    pub(crate) fn keys_behind(&self, prefix: &str) -> Vec<String> {
        let rest = self.path.strip_prefix(prefix).unwrap_or_default();
        rest.split('/').filter(|it| !it.is_empty()).map(|it| decoded(it, false)).collect()
    }

    /// Returns the first value of a parameter, decoded.
    pub(crate) fn parameter(&self, name: &str) -> Option<String> {
        self.parameters().find(|it| it.0 == name).map(|it| it.1)
    }

    /// Returns all values of a parameter, decoded.
    pub(crate) fn all(&self, name: &str) -> Vec<String> {
        self.parameters().filter(|it| it.0 == name).map(|it| it.1).collect()
    }

    /// Says whether a parameter is there and true, or has no value.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        self.parameters().any(|it| it.0 == name && matches!(it.1.as_str(), "" | "true"))
    }

    fn parameters(&self) -> impl Iterator<Item = (String, String)> {
        self.query.split('&').filter(|it| !it.is_empty()).map(|it| {
            let (name, value) = it.split_once('=').unwrap_or((it, ""));
            (decoded(name, true), decoded(value, true))
        })
    }

    /// Says whether the body is YAML by its own word.
    pub(crate) fn is_yaml(&self) -> bool {
        let content_type = self.headers.get(CONTENT_TYPE).and_then(|it| it.to_str().ok());
        content_type.is_some_and(|it| it.contains("yaml"))
    }
}

fn decoded(text: &str, plus_is_space: bool) -> String {
    let spaced = if plus_is_space { text.replace('+', " ") } else { text.to_owned() };
    percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(path: &str, query: &str) -> Request {
        Request {
            path: path.to_owned(),
            query: query.to_owned(),
            headers: HeaderMap::new(),
            body: Bytes::new(),
        }
    }

    #[test]
    fn keys_are_decoded_one_by_one() {
        assert_eq!(request("/v1/data/a%2Fb/c+d/", "").keys_behind("/v1/data"), ["a/b", "c+d"]);
        assert!(request("/v1/data", "").keys_behind("/v1/data").is_empty());
    }

    #[test]
    fn parameters_are_decoded() {
        let request = request("/", "input=%7B%7D+x&pretty&metrics=false&input=2");
        assert_eq!(request.parameter("input").as_deref(), Some("{} x"));
        assert!(request.is_on("pretty") && !request.is_on("metrics") && !request.is_on("explain"));
    }
}
