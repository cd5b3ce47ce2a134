//! Base documents: reading them, and the errors of those that cannot be taken.
//!
//! Apart because sources of data have formats and names that policies do not know. Merging is the store's; here are
//! only readers.

use lictor_runtime::go::yaml::{self, Yaml};
use lictor_value::{Document, DocumentBuilder, Part, json};

pub use lictor_store::DataErrorKind;

/// Why base data cannot be taken.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct DataError {
    message: String,
    refusal: Option<lictor_store::DataError>,
}

impl DataError {
    fn unreadable(name: &str, why: &impl std::fmt::Display) -> Self {
        Self { message: format!("{name}: {why}"), refusal: None }
    }

    /// What is wrong with a document that was read and does not fit; none if it could not be read.
    #[must_use]
    pub fn kind(&self) -> Option<DataErrorKind> {
        self.refusal.as_ref().map(lictor_store::DataError::kind)
    }

    /// The keys below `data` at which a document does not fit.
    #[must_use]
    pub fn path(&self) -> &[String] {
        self.refusal.as_ref().map_or(&[], |it| it.path())
    }

    /// The place at which a document does not fit, as Rego writes it: `data.a["b c"]`.
    #[must_use]
    pub fn reference(&self) -> Option<String> {
        self.refusal.as_ref().map(lictor_store::DataError::reference)
    }
}

impl From<lictor_store::DataError> for DataError {
    fn from(refusal: lictor_store::DataError) -> Self {
        Self { message: refusal.to_string(), refusal: Some(refusal) }
    }
}

/// Reads JSON.
pub(crate) fn read_json(name: &str, bytes: &[u8]) -> Result<Document, DataError> {
    json::read_document(bytes).map_err(|err| DataError::unreadable(name, &err))
}

/// Reads YAML, of which only one document is taken.
pub(crate) fn read_yaml(name: &str, bytes: &[u8]) -> Result<Document, DataError> {
    document_of_yaml(bytes).map_err(|err| DataError::unreadable(name, &err))
}

/// Reads YAML as policies read it, of which only the first document is taken. Bytes that are no UTF-8 become
/// U+FFFD.
///
/// # Errors
/// The fault of the text, with its line.
pub fn document_of_yaml(bytes: &[u8]) -> Result<Document, String> {
    let tree = yaml::parse(&String::from_utf8_lossy(bytes)).map_err(|err| err.to_string())?;
    let mut builder = DocumentBuilder::new();
    let root = part(&tree, &mut builder);
    Ok(builder.finish(root))
}

fn part(tree: &Yaml, builder: &mut DocumentBuilder) -> Part {
    match tree {
        Yaml::Null => builder.null(),
        Yaml::Bool(value) => builder.bool(*value),
        Yaml::Number(text) => builder.number(text),
        Yaml::String(text) => builder.string(text),
        Yaml::Array(items) => {
            let items: Vec<Part> = items.iter().map(|it| part(it, builder)).collect();
            builder.array(&items)
        }
        Yaml::Object(entries) => {
            let pairs: Vec<(Part, Part)> =
                entries.iter().map(|(key, value)| (builder.string(key), part(value, builder))).collect();
            builder.object(&pairs)
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{DataErrorKind, Engine, Options};

    #[test]
    fn yaml_is_read() {
        let document = crate::document_of_yaml(b"a: &x [1, 2.50, yes]\nb: *x\nc: {d: ~}\n").expect("YAML");
        assert_eq!(document.root().to_json(), r#"{"a":[1,2.5,"yes"],"b":[1,2.5,"yes"],"c":{"d":null}}"#);
        assert!(crate::document_of_yaml(b"a: [").is_err());
    }

    #[test]
    fn documents_that_do_not_fit_name_their_place() {
        let mut engine = Engine::new(Options::default());
        engine.add_data_json(&["a"], "x.json", b"[1]").expect("fits");
        let error = engine.add_data_json(&["a", "b"], "y.json", b"1").expect_err("no object above");
        assert_eq!(error.kind(), Some(DataErrorKind::Conflict));
        assert_eq!(error.reference().as_deref(), Some("data.a"));
        let error = engine.add_data_json(&[], "z.json", b"{").expect_err("no JSON");
        assert_eq!(error.to_string(), "z.json: unexpected EOF");
        let policy = engine.compile().expect("no modules");
        assert_eq!(policy.data().to_json(), r#"{"a":[1]}"#);
    }
}
