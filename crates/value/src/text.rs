//! Values as text: JSON as Go writes it, and Rego terms.
//!
//! Writers append to a byte buffer, which a caller reuses. They know nothing of where values come from.

mod string;
mod walk;

use std::fmt;

use crate::text::walk::{Format, write};
use crate::value::Value;

pub use string::write_string;

impl Value<'_> {
    /// Appends the value as OPA's JSON: sorted keys, sets as arrays, `<`, `>` and `&` escaped.
    ///
    /// A key that is no string becomes its own JSON text.
    pub fn write_json(self, out: &mut Vec<u8>) {
        write(self, out, Format::Json { html: true });
    }

    /// Appends the value as JSON with `<`, `>` and `&` as they are.
    pub fn write_json_plain(self, out: &mut Vec<u8>) {
        write(self, out, Format::Json { html: false });
    }

    /// Returns the value as OPA's JSON.
    #[must_use]
    pub fn to_json(self) -> String {
        let mut out = Vec::new();
        self.write_json(&mut out);
        String::from_utf8(out).unwrap_or_default()
    }

    /// Appends the value as a Rego term that can be read back: `{"a": {1}}`.
    pub fn write_rego(self, out: &mut Vec<u8>) {
        write(self, out, Format::Rego);
    }

    /// Appends the value as a Rego term as OPA shows it to people: with strings as Go quotes them. The function says
    /// which characters beyond ASCII are printable to Go.
    pub fn write_shown(self, out: &mut Vec<u8>, is_print: fn(char) -> bool) {
        write(self, out, Format::Quoted { is_print });
    }
}

impl fmt::Display for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Vec::new();
        self.write_rego(&mut out);
        f.write_str(&String::from_utf8_lossy(&out))
    }
}

#[cfg(test)]
mod tests {
    use crate::{Arena, Value};

    #[test]
    fn strings_are_escaped_as_go_does() {
        let arena = Arena::new();
        let text = arena.string("<a & \"b\">\u{1}\n\u{2028}\u{e9}\u{7f}");
        assert_eq!(text.to_json(), "\"\\u003ca \\u0026 \\\"b\\\"\\u003e\\u0001\\n\\u2028\u{e9}\u{7f}\"");
    }

    #[test]
    fn terms_are_written_as_rego() {
        let arena = Arena::new();
        let set = arena.set(&mut vec![arena.int(2), arena.int(1)]);
        let object = arena.object(&mut vec![(arena.string("a"), set), (arena.int(1), Value::empty_set())]);
        assert_eq!(object.to_string(), r#"{1: set(), "a": {1, 2}}"#);
        assert_eq!(object.to_json(), r#"{"1":[],"a":[1,2]}"#);
        assert_eq!(Value::empty_object().to_string(), "{}");
        assert_eq!(Value::empty_array().to_json(), "[]");
    }

    #[test]
    fn shown_terms_are_quoted_as_go_does() {
        let arena = Arena::new();
        let text = arena.string("a\"\\\n\u{b}\u{0}\u{7f}\u{e9}\u{ad}\u{e000}\u{1f600}\u{e0001}<");
        let value = arena.array(&[text, Value::empty_set()]);
        let mut out = Vec::new();
        value.write_shown(&mut out, |it| matches!(it, '\u{e9}' | '\u{1f600}'));
        let wanted = r#"["a\"\\\n\v\x00\x7fé\u00ad\ue000😀\U000e0001<", set()]"#;
        assert_eq!(String::from_utf8_lossy(&out), wanted);
    }

    #[test]
    fn composite_keys_become_their_json() {
        let arena = Arena::new();
        let inner = arena.array(&[arena.string("<"), arena.int(1)]);
        let mut pairs = vec![(inner, Value::TRUE), (Value::NULL, inner), (arena.string("null"), inner)];
        let object = arena.object(&mut pairs);
        assert_eq!(
            object.to_json(),
            r#"{"[\"\\u003c\",1]":true,"null":["\u003c",1]}"#,
            "as OPA encodes the key before the object"
        );
        assert_eq!(object.to_string(), r#"{null: ["<", 1], "null": ["<", 1], ["<", 1]: true}"#);
    }

    #[test]
    fn keys_are_sorted_as_texts() {
        let arena = Arena::new();
        let mut pairs: Vec<_> = [9, 10].map(|it| (arena.int(it), arena.int(it))).into();
        pairs.push((arena.string("10"), Value::TRUE));
        pairs.push((arena.string("0"), Value::FALSE));
        assert_eq!(arena.object(&mut pairs).to_json(), r#"{"0":false,"10":true,"9":9}"#);
    }

    #[test]
    fn changed_objects_are_written_merged() {
        let arena = Arena::new();
        let mut pairs: Vec<_> =
            (0..40).map(|it| (arena.string(&format!("k{it:02}")), arena.int(it))).collect();
        let base = arena.object(&mut pairs);
        let changed =
            arena.object_with(base, &[(arena.string("k01"), None), (arena.string("k99"), Some(base))]);
        let text = changed.to_json();
        assert!(text.starts_with(r#"{"k00":0,"k02":2,"#), "{text}");
        assert!(text.ends_with(r#","k39":39}}"#), "{text}");
        assert_eq!(text.matches("k01").count(), 1, "only in the copy below");
    }
}
