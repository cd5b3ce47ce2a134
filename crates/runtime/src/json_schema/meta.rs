//! The schemas of schemas, which references may name and which are never fetched.
//!
//! Apart because they are tables: for each keyword what its value must be. The text is put together from them.

use std::fmt::Write;

/// The drafts that can be named.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Draft {
    Four,
    Six,
    Seven,
    /// What all of them know, for schemas that name none.
    Mixed,
}

const URLS: [(Draft, &str); 3] = [
    (Draft::Four, "http://json-schema.org/draft-04/schema"),
    (Draft::Six, "http://json-schema.org/draft-06/schema"),
    (Draft::Seven, "http://json-schema.org/draft-07/schema"),
];

/// Returns the draft that a URL without its empty fragment names.
pub(super) fn draft_named(url: &str) -> Option<Draft> {
    URLS.iter().find(|it| it.1 == url).map(|it| it.0)
}

const SCHEMA: &str = r##"{"$ref":"#"}"##;
const SCHEMAS: &str = r##"{"$ref":"#/definitions/schemaArray"}"##;
const SCHEMA_MAP: &str = r##"{"type":"object","additionalProperties":{"$ref":"#"}}"##;
const COUNT: &str = r##"{"$ref":"#/definitions/count"}"##;
/// A count that is 0 where absent; failures of it are told twice.
const COUNT_FROM_0: &str = r##"{"$ref":"#/definitions/countFrom0"}"##;
const STRINGS: &str = r##"{"$ref":"#/definitions/stringArray"}"##;
const STRING: &str = r#"{"type":"string"}"#;
const NUMBER: &str = r#"{"type":"number"}"#;
const BOOLEAN: &str = r#"{"type":"boolean"}"#;
const ANY: &str = "{}";

/// Keywords that mean the same in every draft.
const SHARED: [(&str, &str); 23] = [
    ("title", STRING),
    ("description", STRING),
    ("default", ANY),
    ("maximum", NUMBER),
    ("minimum", NUMBER),
    ("maxLength", COUNT),
    ("minLength", COUNT_FROM_0),
    ("pattern", r#"{"type":"string","format":"regex"}"#),
    ("items", r##"{"anyOf":[{"$ref":"#"},{"$ref":"#/definitions/schemaArray"}]}"##),
    ("maxItems", COUNT),
    ("minItems", COUNT_FROM_0),
    ("uniqueItems", BOOLEAN),
    ("maxProperties", COUNT),
    ("minProperties", COUNT_FROM_0),
    ("required", STRINGS),
    ("definitions", SCHEMA_MAP),
    ("properties", SCHEMA_MAP),
    ("format", STRING),
    ("allOf", SCHEMAS),
    ("anyOf", SCHEMAS),
    ("oneOf", SCHEMAS),
    ("not", SCHEMA),
    (
        "dependencies",
        r##"{"type":"object","additionalProperties":{"anyOf":[{"$ref":"#"},{"$ref":"#/definitions/stringArray"}]}}"##,
    ),
];

const SCHEMA_OR_BOOLEAN: &str = r##"{"anyOf":[{"type":"boolean"},{"$ref":"#"}]}"##;

/// Keywords of draft 4 alone.
const FOUR: [(&str, &str); 8] = [
    ("$schema", STRING),
    ("id", STRING),
    ("multipleOf", r#"{"type":"number","minimum":0,"exclusiveMinimum":true}"#),
    ("exclusiveMaximum", BOOLEAN),
    ("exclusiveMinimum", BOOLEAN),
    ("additionalItems", SCHEMA_OR_BOOLEAN),
    ("additionalProperties", SCHEMA_OR_BOOLEAN),
    ("patternProperties", SCHEMA_MAP),
];

const URI_REFERENCE: &str = r#"{"type":"string","format":"uri-reference"}"#;

/// Keywords from draft 6 on.
const SIX: [(&str, &str); 12] = [
    ("$schema", r#"{"type":"string","format":"uri"}"#),
    ("$id", URI_REFERENCE),
    ("$ref", URI_REFERENCE),
    ("examples", r#"{"type":"array"}"#),
    ("multipleOf", r#"{"type":"number","exclusiveMinimum":0}"#),
    ("exclusiveMaximum", NUMBER),
    ("exclusiveMinimum", NUMBER),
    ("additionalItems", SCHEMA),
    ("contains", SCHEMA),
    ("additionalProperties", SCHEMA),
    ("propertyNames", SCHEMA),
    ("const", ANY),
];

/// Keywords of draft 7.
const SEVEN: [(&str, &str); 7] = [
    ("$comment", STRING),
    ("readOnly", BOOLEAN),
    ("contentMediaType", STRING),
    ("contentEncoding", STRING),
    ("if", SCHEMA),
    ("then", SCHEMA),
    ("else", SCHEMA),
];

const NAMED_PATTERNS: &str =
    r##"{"type":"object","additionalProperties":{"$ref":"#"},"propertyNames":{"format":"regex"}}"##;

/// Returns the schema of the schemas of a draft, if the URL names one.
pub(super) fn schema_at(url: &str) -> Option<String> {
    let draft = draft_named(url)?;
    let mut properties: Vec<(&str, &str)> = SHARED.to_vec();
    match draft {
        Draft::Four => properties.extend(FOUR),
        Draft::Six => properties.extend(SIX),
        Draft::Seven | Draft::Mixed => properties.extend(SIX.iter().chain(&SEVEN)),
    }
    properties.push(("patternProperties", if draft == Draft::Seven { NAMED_PATTERNS } else { SCHEMA_MAP }));
    properties.push(("enum", r#"{"type":"array","minItems":1,"uniqueItems":true}"#));
    let types = r##"{"anyOf":[{"$ref":"#/definitions/types"},{"type":"array","items":{"$ref":"#/definitions/types"},"minItems":1,"uniqueItems":true}]}"##;
    properties.push(("type", types));
    properties.sort_unstable();
    properties.dedup_by_key(|it| it.0);
    let four = draft == Draft::Four;
    let id = if four { "id" } else { "$id" };
    let own = if four { r#""object""# } else { r#"["object","boolean"]"# };
    let least = if four { r#","minItems":1"# } else { "" };
    let mut out = format!(
        r##"{{"{id}":"{url}#","$schema":"{url}#","type":{own},"definitions":{{"schemaArray":{{"type":"array","minItems":1,"items":{SCHEMA}}},"count":{{"type":"integer","minimum":0}},"countFrom0":{{"allOf":[{COUNT},{{}}]}},"types":{{"enum":["array","boolean","integer","null","number","object","string"]}},"stringArray":{{"type":"array","items":{STRING}{least},"uniqueItems":true}}}},"properties":{{"##
    );
    for (index, (keyword, value)) in properties.iter().enumerate() {
        let comma = if index > 0 { "," } else { "" };
        // Writing into a text cannot fail.
        let _ = write!(out, r#"{comma}"{keyword}":{value}"#);
    }
    out.push('}');
    if four {
        out.push_str(r#","dependencies":{"exclusiveMaximum":["maximum"],"exclusiveMinimum":["minimum"]}"#);
    }
    out.push('}');
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_is_json_and_a_schema_of_itself() {
        for (_, url) in URLS {
            let text = schema_at(url).expect("a schema");
            let fetch = |_: &str| Err("nothing is fetched".to_owned());
            let schema = crate::json_schema::Schema::read(text.as_bytes(), &fetch).expect("a schema");
            let document = lictor_value::json::read_document(text.as_bytes()).expect("JSON");
            assert_eq!(schema.check(document.root(), &|| true).map(|it| it.len()), Ok(0), "{url}");
        }
    }
}
