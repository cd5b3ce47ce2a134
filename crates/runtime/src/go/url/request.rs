//! What sending a request needs of its URL: the text of the request line, forms to show, the query's parameters.
//!
//! Apart because no other reader of URLs needs these. Knows nothing of HTTP itself.

use super::{Part, Url, User, unescape};

/// Go reads no more parameters.
const PARAMETERS_MAX: usize = 10_000;

impl Url {
    /// Returns path and query as a request line has them.
    #[must_use]
    pub fn request_uri(&self) -> String {
        let mut out = match self.opaque.as_str() {
            "" => self.escaped_path(),
            opaque if opaque.starts_with("//") => format!("{}:{opaque}", self.scheme),
            opaque => opaque.to_owned(),
        };
        if out.is_empty() {
            out.push('/');
        }
        if self.force_query || !self.raw_query.is_empty() {
            out.push('?');
            out.push_str(&self.raw_query);
        }
        out
    }

    /// Returns the URL as text for people: a password shows as stars.
    #[must_use]
    pub fn redacted(&self) -> String {
        let Some(User { name, password: Some(_) }) = &self.user else { return self.to_string() };
        // Stars are escaped where a password stands, so they take the place of another text.
        const MARK: &str = "0";
        let marked = Some(User { name: name.clone(), password: Some(MARK.as_bytes().to_vec()) });
        let shown = Self { user: marked, ..self.clone() }.to_string();
        shown.replacen(&format!(":{MARK}@"), ":***@", 1)
    }

    /// Returns the URL as text without who asks.
    #[must_use]
    pub fn without_user(&self) -> String {
        Self { user: None, ..self.clone() }.to_string()
    }
}

/// The name and the value of a parameter, both decoded.
pub(crate) type Parameter = (Vec<u8>, Vec<u8>);

/// Reads the parameters of a query in their order.
///
/// # Errors
///
/// Go's text for semicolons, bad escapes and more parameters than it reads.
pub fn parse_query(query: &str) -> Result<Vec<Parameter>, String> {
    if query.bytes().filter(|it| *it == b'&').count() >= PARAMETERS_MAX {
        return Err("number of URL query parameters exceeded limit".to_owned());
    }
    if query.contains(';') {
        return Err("invalid semicolon separator in query".to_owned());
    }
    let parameters = query.split('&').filter(|it| !it.is_empty());
    parameters
        .map(|it| {
            let (key, value) = it.split_once('=').unwrap_or((it, ""));
            Ok((unescape(key, Part::Query)?, unescape(value, Part::Query)?))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_are_shown_and_sent_as_go_does() {
        for (text, shown, sent) in [
            ("http://", "http:", "/"),
            ("HTTP://a", "http://a", "/"),
            ("http:///x", "http:///x", "/x"),
            ("http:x", "http:x", "x"),
            ("http://u:p@h/a b?c d#e f", "http://u:***@h/a%20b?c d#e%20f", "/a%20b?c d"),
            ("http://0:0@h/0:0@", "http://0:***@h/0:0@", "/0:0@"),
            ("http://u@h", "http://u@h", "/"),
            ("http://h/a%2fb", "http://h/a%2fb", "/a%2fb"),
            ("http://h?", "http://h?", "/?"),
            ("a/b", "a/b", "a/b"),
            ("", "", "/"),
        ] {
            let url = Url::parse(text).expect(text);
            assert_eq!((url.redacted().as_str(), url.request_uri().as_str()), (shown, sent), "{text}");
        }
    }
}
