//! JSON schemas.
//!
//! The first line is the schema, the rest the document.

use lictor_runtime::json_schema::Schema;
use lictor_value::json;

/// So often a check may ask whether to go on.
const QUESTIONS_MAX: u32 = 50;

/// Reads the first line as a schema and checks the rest against it.
///
/// It panics if a fault has no text, or the schema of a draft refuses to be read.
pub(super) fn schema(bytes: &[u8]) {
    let cut = bytes.iter().position(|it| *it == b'\n').unwrap_or(bytes.len());
    let (text, document) = bytes.split_at(cut);
    let fetch = |address: &str| Err(format!("no {address}"));
    let schema = match Schema::read(text, &fetch) {
        Ok(schema) => schema,
        Err(message) => return assert!(!message.is_empty(), "refused without a reason"),
    };
    let Ok(document) = json::read_document(document) else { return };
    let questions = std::cell::Cell::new(0);
    let go_on = || {
        questions.set(questions.get() + 1);
        questions.get() < QUESTIONS_MAX
    };
    if let Ok(failures) = schema.check(document.root(), &go_on) {
        assert!(
            failures.iter().all(|it| !it.field.is_empty() && !it.description.is_empty()),
            "a failure without words"
        );
    }
}
