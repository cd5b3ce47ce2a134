//! JSON Schema of drafts 4, 6 and 7 and the mixture of them that OPA takes where no draft is named.
//!
//! A text is read into nodes (`document`), references are made absolute and collected (`pool`), schemas are read
//! from the nodes keyword by keyword (`read`, with a file a family of keywords), and a value is checked against
//! them (`check`). What is accepted, in which order faults are found and how they are worded are OPA's, whose
//! library accepts more than the standard in places. Knows values, but neither built-ins nor types of policies.

mod array;
mod branch;
mod canonical;
mod check;
mod decimal;
mod document;
mod email;
mod format;
mod meta;
mod number;
mod object;
mod outcome;
mod pool;
mod read;
mod reference;
mod shared;
mod text;
mod types;

pub use check::Halt;
pub use outcome::Failure;

use lictor_value::Value;

/// Asked for the text of a schema that a reference names, which stands elsewhere.
pub type Fetch<'f> = dyn Fn(&str) -> Result<Vec<u8>, String> + 'f;

/// A schema that was read and resolved; immutable.
#[derive(Debug)]
pub struct Schema {
    parts: Vec<read::Part>,
    root: read::PartId,
    /// Whether other documents are part of it.
    is_local: bool,
}

impl Schema {
    /// Reads a schema from JSON text.
    ///
    /// # Errors
    ///
    /// Returns OPA's text for the first fault, or our own where a limit is passed.
    pub fn read(text: &[u8], fetch: &Fetch<'_>) -> Result<Self, String> {
        read::read(text, fetch)
    }

    /// Says whether the text alone decides what the schema is, so that it may be kept.
    #[must_use]
    pub fn is_local(&self) -> bool {
        self.is_local
    }

    /// Checks a JSON value: no sets in it, and no keys but strings. `go_on` is asked from time to time.
    ///
    /// # Errors
    ///
    /// Says why there is no answer.
    pub fn check(&self, value: Value<'_>, go_on: &dyn Fn() -> bool) -> Result<Vec<Failure>, Halt> {
        check::check(self, value, go_on)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_value::json;

    fn no_fetch(url: &str) -> Result<Vec<u8>, String> {
        Err(format!("no {url}"))
    }

    fn check(schema: &str, value: &str) -> Vec<String> {
        let schema = Schema::read(schema.as_bytes(), &no_fetch).expect("a schema");
        let document = json::read_document(value.as_bytes()).expect("a document");
        let failures = schema.check(document.root(), &|| true).expect("an answer");
        failures.iter().map(|it| format!("{} {}: {}", it.kind, it.field, it.description)).collect()
    }

    #[test]
    fn failures_are_worded_as_opa_does() {
        for (schema, value, want) in [
            (
                r#"{"type": "string"}"#,
                "1",
                "invalid_type (Root): Invalid type. Expected: string, given: integer",
            ),
            (r#"{"required": ["a"]}"#, "{}", "required (Root): a is required"),
            (
                r#"{"properties": {"a": {"minimum": 1000000}}}"#,
                r#"{"a": 1}"#,
                "number_gte a: Must be greater than or equal to 1e+06",
            ),
            (r#"{"items": [{}, {"const": 1.0}]}"#, "[0, 2]", "const 1: 1 does not match: 1"),
            (
                r##"{"$ref": "#/definitions/a", "definitions": {"a": false}}"##,
                "1",
                "false (Root): False always fails validation",
            ),
            (r#"{"multipleOf": 0.1}"#, "0.25", "multiple_of (Root): Must be a multiple of 0.1"),
            (r#"{"uniqueItems": true}"#, "[1, 2, 1.0]", "unique (Root): array items[0,2] must be unique"),
        ] {
            assert_eq!(check(schema, value), [want], "{schema}");
        }
        assert!(check(r#"{"multipleOf": 0.1, "format": "date"}"#, "0.7").is_empty());
    }

    #[test]
    fn faults_are_worded_as_opa_does() {
        for (schema, want) in [
            ("[]", "schema is invalid"),
            (
                r#"{"type": "strin"}"#,
                "has a primitive type that is NOT VALID -- given: /strin/ Expected valid values are:[array boolean integer number null object string]",
            ),
            (r##"{"$ref": "#/definitions/a"}"##, "Object has no key 'definitions'"),
            (r#"{"$ref": "other.json"}"#, "Reference /other.json must be canonical"),
            (r#"{"$ref": "http://example.com/x"}"#, "no http://example.com/x"),
            (r#"{"minLength": 1.0}"#, "minLength must be of an integer"),
        ] {
            let fault = Schema::read(schema.as_bytes(), &no_fetch).err();
            assert_eq!(fault.as_deref(), Some(want), "{schema}");
        }
    }

    #[test]
    fn hostile_schemas_end() {
        let schema = Schema::read(br##"{"$ref": "#"}"##, &no_fetch).expect("a schema");
        assert_eq!(schema.check(Value::NULL, &|| true).err(), Some(Halt::TooDeep));
        let mut doubled = r#"{"definitions": {"d0": {"type": "null"}"#.to_owned();
        for it in 1..60 {
            let before = it - 1;
            doubled += &format!(
                r##", "d{it}": {{"allOf": [{{"$ref": "#/definitions/d{before}"}}, {{"$ref": "#/definitions/d{before}"}}]}}"##
            );
        }
        doubled += r##"}, "$ref": "#/definitions/d59"}"##;
        let schema = Schema::read(doubled.as_bytes(), &no_fetch).expect("a schema");
        assert_eq!(schema.check(Value::NULL, &|| true).err(), Some(Halt::TooLong));
        let deep = r#"{"not":"#.repeat(5000) + "{}" + &"}".repeat(5000);
        assert!(Schema::read(deep.as_bytes(), &no_fetch).is_err());
    }
}
