//! The roots of a manifest: path prefixes below `data` that the bundle owns.
//!
//! A root is a list of keys written with slashes; the empty root owns everything.

use std::collections::BTreeSet;
use std::fmt;

use lictor_value::Value;

/// Is the list of a manifest's roots, without leading and trailing slashes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Roots(Vec<String>);

impl Default for Roots {
    /// Returns the root that owns everything.
    fn default() -> Self {
        Self(vec![String::new()])
    }
}

impl Roots {
    /// Makes roots of texts as a manifest writes them.
    #[must_use]
    pub fn new(roots: &[String]) -> Self {
        Self(roots.iter().map(|it| it.trim_matches('/').to_owned()).collect())
    }

    /// Returns the roots in the manifest's order.
    #[must_use]
    pub fn as_slice(&self) -> &[String] {
        &self.0
    }

    /// Says whether both own the same.
    pub(crate) fn are_those_of(&self, other: &Self) -> bool {
        let sorted = |roots: &Self| roots.0.iter().cloned().collect::<BTreeSet<String>>();
        sorted(self) == sorted(other)
    }

    /// Says whether the path of a delta's operation lies below one of the roots, which OPA looks for before it decodes
    /// keys. Where that would make another key of a root's, the path lies outside.
    pub(crate) fn contain_encoded(&self, path: &str) -> bool {
        let path: Vec<&str> = path.split('/').collect();
        let is_plain = |root: &str| !["%", "~0", "~1"].iter().any(|it| root.contains(it));
        self.0.iter().any(|root| is_plain(root) && is_prefix(root, &path))
    }

    /// Says whether a path lies below one of the roots.
    #[must_use]
    pub fn contain(&self, path: &[&str]) -> bool {
        self.0.iter().any(|root| is_prefix(root, path))
    }

    /// Returns two roots of which one lies below the other.
    #[must_use]
    pub fn overlapping(&self) -> Option<(&str, &str)> {
        self.0.iter().enumerate().find_map(|(index, a)| {
            self.0.get(index + 1..)?.iter().find(|b| overlap(a, b)).map(|b| (a.as_str(), b.as_str()))
        })
    }

    /// Returns the first path in a document at `path` that no root owns, as texts between slashes.
    ///
    /// Objects on the way to a root may stand outside of it; nothing else may.
    #[must_use]
    pub fn first_outside(&self, path: &[&str], value: Value<'_>) -> Option<String> {
        // The document's own path stands for objects with one key each.
        for length in 0..path.len() {
            let above = path.get(..length).unwrap_or(&[]);
            if self.contain(above) {
                return None;
            }
            if !self.leads_to_root(above) {
                return Some(above.join("/"));
            }
        }
        let mut path: Vec<&str> = path.to_vec();
        let mut outside = None;
        self.walk(&mut path, value, &mut outside);
        outside
    }

    fn walk(&self, path: &mut Vec<&str>, value: Value<'_>, outside: &mut Option<String>) {
        if self.contain(path) {
            return;
        }
        let object = value.as_object().filter(|_| self.leads_to_root(path));
        let Some(object) = object else {
            *outside = Some(path.join("/"));
            return;
        };
        for (key, below) in object.iter() {
            // Paths of documents that JSON texts gave have nothing but strings.
            let key = key.as_str().map(str::to_owned).unwrap_or_default();
            let mut longer: Vec<&str> = path.clone();
            longer.push(&key);
            self.walk(&mut longer, below, outside);
            if outside.is_some() {
                return;
            }
        }
    }

    fn leads_to_root(&self, path: &[&str]) -> bool {
        self.0.iter().any(|root| {
            let mut keys = root.split('/');
            path.iter().all(|it| keys.next() == Some(it))
        })
    }
}

impl fmt::Display for Roots {
    /// Writes the list as Go prints it: `[a b/c]`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "[{}]", self.0.join(" "))
    }
}

/// Says whether one root lies below the other, or both are the same.
pub(crate) fn overlap(a: &str, b: &str) -> bool {
    let path_a: Vec<&str> = a.split('/').collect();
    let path_b: Vec<&str> = b.split('/').collect();
    is_prefix(a, &path_b) || is_prefix(b, &path_a)
}

fn is_prefix(root: &str, path: &[&str]) -> bool {
    root.is_empty() || {
        let mut keys = path.iter();
        root.split('/').all(|it| keys.next().is_some_and(|key| *key == it))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_value::json;

    fn roots(list: &[&str]) -> Roots {
        Roots::new(&list.iter().map(|it| (*it).to_owned()).collect::<Vec<String>>())
    }

    #[test]
    fn containment_goes_by_whole_keys() {
        assert!(roots(&["a/b"]).contain(&["a", "b", "c"]));
        assert!(!roots(&["a/b"]).contain(&["a", "bc"]));
        assert!(!roots(&["a/b"]).contain(&["a"]));
        assert!(Roots::default().contain(&[]));
        assert!(!roots(&[]).contain(&["a"]));
    }

    #[test]
    fn encoded_keys_do_not_leave_a_root() {
        assert!(roots(&["a/b"]).contain_encoded("a/b/%20"));
        assert!(!roots(&["a/b"]).contain_encoded("a%2Fb"));
        assert!(!roots(&["a%20b"]).contain_encoded("a%20b/c"));
        assert!(!roots(&["a~1b"]).contain_encoded("a~1b/c"));
        assert!(roots(&["a~b"]).contain_encoded("a~b/c"));
    }

    #[test]
    fn overlaps_are_found() {
        assert_eq!(roots(&["/a/", "b", "a/b"]).overlapping(), Some(("a", "a/b")));
        assert_eq!(roots(&["", "b"]).overlapping(), Some(("", "b")));
        assert_eq!(roots(&["ab", "a"]).overlapping(), None);
    }

    #[test]
    fn data_must_lie_below_roots() {
        let check = |list: &[&str], path: &[&str], text: &str| {
            let document = json::read_document(text.as_bytes()).expect("JSON");
            roots(list).first_outside(path, document.root())
        };
        assert_eq!(check(&["a"], &[], r#"{"a": 1}"#), None);
        assert_eq!(check(&["a/b"], &[], r#"{"a": {"b": 1}}"#), None);
        assert_eq!(check(&["a/b"], &[], r#"{"a": 1}"#).as_deref(), Some("a"));
        assert_eq!(check(&["a/b"], &["a"], r#"{"b": 1, "c": 1}"#).as_deref(), Some("a/c"));
        assert_eq!(check(&["a/b"], &["c", "d"], "{}").as_deref(), Some("c"));
        assert_eq!(check(&["a/b"], &["a", "b", "c"], "1"), None);
    }
}
