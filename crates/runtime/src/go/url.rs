//! URLs as Go's `net/url` reads, prints and resolves them.
//!
//! `url.rs` holds the parts and what is done with them, `url/authority.rs` reads hosts, `url/escape.rs` escapes,
//! `url/request.rs` has what sending a request needs.
//! Rules and error texts are Go's, which are not those of browsers. Knows nothing of values.

mod authority;
mod escape;
mod request;

use std::fmt;

use crate::go_text::quote;

pub use authority::User;
pub use escape::{Part, escape, escaped, unescape};
pub use request::parse_query;

/// A URL or a reference; parts that are absent are empty.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Url {
    /// The scheme in lower case.
    pub scheme: String,
    /// What follows a scheme where it does not begin with a slash, as written.
    pub opaque: String,
    /// The user.
    pub user: Option<User>,
    /// The host and perhaps port, unescaped.
    pub host: Vec<u8>,
    /// The path, unescaped.
    pub path: Vec<u8>,
    /// The path as written where escaping it anew would give another, else empty.
    pub raw_path: String,
    /// The query as written, without its `?`.
    pub raw_query: String,
    /// The fragment, unescaped.
    pub fragment: Vec<u8>,
    /// The fragment as written where escaping it anew would give another, else empty.
    pub raw_fragment: String,
    /// Whether a `?` stands there though the query is empty.
    pub force_query: bool,
    /// Whether a path follows the scheme at once.
    pub omit_host: bool,
}

impl Url {
    /// Reads a URL or a reference.
    ///
    /// # Errors
    ///
    /// Returns Go's text, which begins with `parse "…": `.
    pub fn parse(text: &str) -> Result<Self, String> {
        let (before, fragment) = text.split_once('#').unwrap_or((text, ""));
        let mut url =
            Self::parse_before_fragment(before).map_err(|it| format!("parse {}: {it}", quote(before)))?;
        if !fragment.is_empty() {
            url.set_fragment(fragment).map_err(|it| format!("parse {}: {it}", quote(text)))?;
        }
        Ok(url)
    }

    fn parse_before_fragment(text: &str) -> Result<Self, String> {
        if text.bytes().any(|it| it < b' ' || it == 0x7f) {
            return Err("net/url: invalid control character in URL".to_owned());
        }
        let mut url = Self::default();
        if text == "*" {
            url.path = b"*".to_vec();
            return Ok(url);
        }
        let (scheme, rest) = split_scheme(text)?;
        url.scheme = scheme.to_ascii_lowercase();
        let (rest, query) = rest.split_once('?').map_or((rest, None), |it| (it.0, Some(it.1)));
        url.force_query = query == Some("");
        url.raw_query = query.unwrap_or("").to_owned();
        if !rest.starts_with('/') {
            if !scheme.is_empty() {
                rest.clone_into(&mut url.opaque);
                return Ok(url);
            }
            if rest.split('/').next().is_some_and(|it| it.contains(':')) {
                return Err("first path segment in URL cannot contain colon".to_owned());
            }
        }
        let authority = rest.strip_prefix("//").filter(|it| !scheme.is_empty() || !it.starts_with('/'));
        let path = match authority {
            None => {
                url.omit_host = !scheme.is_empty();
                rest
            }
            Some(after) => {
                let (authority, path) = after.split_at(after.find('/').unwrap_or(after.len()));
                (url.user, url.host) = authority::parse(&url.scheme, authority)?;
                path
            }
        };
        url.set_path(path)?;
        Ok(url)
    }

    fn set_path(&mut self, path: &str) -> Result<(), String> {
        self.path = unescape(path, Part::Path)?;
        self.raw_path = written_otherwise(&self.path, path, Part::Path);
        Ok(())
    }

    fn set_fragment(&mut self, fragment: &str) -> Result<(), String> {
        self.fragment = unescape(fragment, Part::Fragment)?;
        self.raw_fragment = written_otherwise(&self.fragment, fragment, Part::Fragment);
        Ok(())
    }

    /// Takes the fragment away; how it was written stays, as in Go.
    pub fn drop_fragment(&mut self) {
        self.fragment.clear();
    }

    /// Returns the host without brackets, and the port.
    #[must_use]
    pub fn host_and_port(&self) -> (&[u8], &[u8]) {
        authority::split_port(&self.host)
    }

    /// Returns the path in its escaped form, as written if that is possible.
    #[must_use]
    pub fn escaped_path(&self) -> String {
        as_written(&self.path, &self.raw_path, Part::Path)
    }

    /// Resolves a reference that stands in a document with this URL.
    #[must_use]
    pub fn resolve(&self, reference: &Self) -> Self {
        let mut url = reference.clone();
        if reference.scheme.is_empty() {
            self.scheme.clone_into(&mut url.scheme);
        }
        let takes_path = |mut url: Self, path: &str| {
            // The path comes from escaped forms, so it can be read; if not, Go keeps what was there too.
            drop(url.set_path(path));
            url
        };
        if !reference.scheme.is_empty() || !reference.host.is_empty() || reference.user.is_some() {
            return takes_path(url, &resolve_path(&reference.escaped_path(), ""));
        }
        let without_authority = |mut url: Self| {
            url.user = None;
            url.host.clear();
            url.path.clear();
            url
        };
        if !reference.opaque.is_empty() {
            return without_authority(url);
        }
        if reference.path.is_empty() && !reference.force_query && reference.raw_query.is_empty() {
            self.raw_query.clone_into(&mut url.raw_query);
            if reference.fragment.is_empty() {
                self.fragment.clone_into(&mut url.fragment);
                self.raw_fragment.clone_into(&mut url.raw_fragment);
            }
        }
        if reference.path.is_empty() && !self.opaque.is_empty() {
            self.opaque.clone_into(&mut url.opaque);
            return without_authority(url);
        }
        self.host.clone_into(&mut url.host);
        self.user.clone_into(&mut url.user);
        takes_path(url, &resolve_path(&self.escaped_path(), &reference.escaped_path()))
    }
}

/// Returns the written form of a part if escaping its bytes anew gives another.
fn written_otherwise(bytes: &[u8], written: &str, part: Part) -> String {
    if escaped(bytes, part) == written { String::new() } else { written.to_owned() }
}

/// Returns the written form if it is sound and still means the bytes, else escapes them.
fn as_written(bytes: &[u8], written: &str, part: Part) -> String {
    let means = |it: &str| unescape(it, part).is_ok_and(|it| it == bytes);
    if !written.is_empty() && escape::is_escaped(written, part) && means(written) {
        return written.to_owned();
    }
    if part == Part::Path && bytes == b"*" { "*".to_owned() } else { escaped(bytes, part) }
}

fn split_scheme(text: &str) -> Result<(&str, &str), String> {
    for (at, byte) in text.bytes().enumerate() {
        match byte {
            b'a'..=b'z' | b'A'..=b'Z' => {}
            b'0'..=b'9' | b'+' | b'-' | b'.' if at > 0 => {}
            b':' if at == 0 => return Err("missing protocol scheme".to_owned()),
            b':' => return Ok(text.split_once(':').unwrap_or(("", text))),
            _ => break,
        }
    }
    Ok(("", text))
}

/// Applies a reference's path to a base path; the segments `.` and `..` fall away.
fn resolve_path(base: &str, reference: &str) -> String {
    let full = if reference.is_empty() {
        base.to_owned()
    } else if reference.starts_with('/') {
        reference.to_owned()
    } else {
        let folder = base.rfind('/').and_then(|it| base.get(..=it)).unwrap_or("");
        format!("{folder}{reference}")
    };
    if full.is_empty() {
        return full;
    }
    let mut out = String::from("/");
    let mut last = "";
    // Whether the next segment follows the leading slash at once.
    let mut first = true;
    for segment in full.split('/') {
        last = segment;
        match segment {
            "." => first = false,
            ".." => {
                let cut = out.rfind('/').unwrap_or(0).max(1);
                out.truncate(cut);
                first = out.len() == 1;
            }
            _ => {
                if !first {
                    out.push('/');
                }
                out.push_str(segment);
                first = false;
            }
        }
    }
    if matches!(last, "." | "..") {
        out.push('/');
    }
    // The leading slash is there twice when the path had one of its own.
    if out.starts_with("//") { out.split_off(1) } else { out }
}

impl fmt::Display for Url {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if !self.scheme.is_empty() {
            write!(f, "{}:", self.scheme)?;
        }
        if self.opaque.is_empty() {
            self.write_hierarchy(f)?;
        } else {
            f.write_str(&self.opaque)?;
        }
        if self.force_query || !self.raw_query.is_empty() {
            write!(f, "?{}", self.raw_query)?;
        }
        if !self.fragment.is_empty() {
            write!(f, "#{}", as_written(&self.fragment, &self.raw_fragment, Part::Fragment))?;
        }
        Ok(())
    }
}

impl Url {
    fn write_hierarchy(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let has_authority = !self.host.is_empty() || self.user.is_some();
        let path = self.escaped_path();
        let mut bare = self.scheme.is_empty();
        if has_authority || (!self.scheme.is_empty() && !self.omit_host && !self.path.is_empty()) {
            f.write_str("//")?;
            bare = false;
            if let Some(user) = &self.user {
                f.write_str(&escaped(&user.name, Part::UserPassword))?;
                if let Some(password) = &user.password {
                    write!(f, ":{}", escaped(password, Part::UserPassword))?;
                }
                f.write_str("@")?;
            }
            f.write_str(&escaped(&self.host, Part::Host))?;
        }
        if !path.is_empty() && !path.starts_with('/') && !self.host.is_empty() {
            f.write_str("/")?;
        }
        // A colon in the first segment would read as the end of a scheme.
        if bare && path.split('/').next().is_some_and(|it| it.contains(':')) {
            f.write_str("./")?;
        }
        f.write_str(&path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn urls_print_as_they_were_read() {
        for text in [
            "http://user:p%40ss@example.com:8080/a%2Fb/c?q=1&r#frag",
            "mailto:someone@example.com",
            "//host/path",
            "/a/b",
            "a/b?",
            "#/definitions/a",
            "",
            "file:///etc/x",
            "file:/etc/x",
            "http://[fe80::1%25en0]:80/",
            "*",
        ] {
            let url = Url::parse(text).expect(text);
            assert_eq!(url.to_string(), text);
        }
    }

    #[test]
    fn references_resolve_as_in_the_standard() {
        for (base, reference, want) in [
            ("http://a/b/c/d;p?q", "g", "http://a/b/c/g"),
            ("http://a/b/c/d;p?q", "./g/", "http://a/b/c/g/"),
            ("http://a/b/c/d;p?q", "/g", "http://a/g"),
            ("http://a/b/c/d;p?q", "//g", "http://g"),
            ("http://a/b/c/d;p?q", "?y", "http://a/b/c/d;p?y"),
            ("http://a/b/c/d;p?q", "#s", "http://a/b/c/d;p?q#s"),
            ("http://a/b/c/d;p?q", "../../../g", "http://a/g"),
            ("http://a/b/c/d;p?q", "..", "http://a/b/"),
            ("http://a/b/c/d;p?q", "", "http://a/b/c/d;p?q"),
            ("", "#/x", "#/x"),
            ("", "item.json", "/item.json"),
            ("#", "other#frag", "/other#frag"),
            ("mailto:x", "#f", "mailto:x#f"),
            ("http://a/b", "x/..//c", "http://a/c"),
        ] {
            let base = Url::parse(base).expect("a base");
            let got = base.resolve(&Url::parse(reference).expect("a reference"));
            assert_eq!(got.to_string(), want, "{reference}");
        }
    }

    #[test]
    fn faults_have_go_s_texts() {
        for (text, want) in [
            (":x", "parse \":x\": missing protocol scheme"),
            ("a:b/c:d", ""),
            ("1a:b", "parse \"1a:b\": first path segment in URL cannot contain colon"),
            ("http://a b/", "parse \"http://a b/\": invalid character \" \" in host name"),
            ("/%zz", "parse \"/%zz\": invalid URL escape \"%zz\""),
            ("http://h:x/", "parse \"http://h:x/\": invalid port \":x\" after host"),
            ("http://[::1", "parse \"http://[::1\": missing ']' in host"),
            ("#%", "parse \"#%\": invalid URL escape \"%\""),
        ] {
            assert_eq!(Url::parse(text).err().unwrap_or_default(), want, "{text}");
        }
    }
}
