//! Go's templates.
//!
//! The bytes are the template; the data is the same for all.

use std::collections::BTreeMap;
use std::rc::Rc;

use lictor_runtime::go::template::{Data, Fault, List, Template};

/// So often a template may ask whether to go on.
const QUESTIONS_MAX: u32 = 50;

/// Fills bytes as a template.
///
/// It panics if an error has no text, or a template without actions changes.
pub(super) fn template(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let template = match Template::parse("t", text) {
        Ok(template) => template,
        Err(message) => return assert!(message.starts_with("template: t:"), "{message}"),
    };
    let questions = std::cell::Cell::new(0);
    let meter = |written: usize| {
        questions.set(questions.get() + 1);
        questions.get() < QUESTIONS_MAX && written < 1 << 20
    };
    match template.execute(data(), &meter) {
        Ok(result) => assert!(text.contains("{{") || result == text, "text alone changes"),
        Err(Fault::Failed(message)) => assert!(message.starts_with("template: "), "{message}"),
        Err(Fault::Stopped) => {}
    }
}

fn data() -> Data {
    let text = |it: &str| Data::Str(it.into());
    let list = Data::List(List::new(vec![Data::Number("1".into()), text("a"), Data::Nil]));
    let inner = Data::Map(Rc::new(BTreeMap::from([("k".to_owned(), Data::Bool(true))])));
    Data::Map(Rc::new(BTreeMap::from([
        ("n".to_owned(), Data::Number("5".into())),
        ("s".to_owned(), text("<é>")),
        ("l".to_owned(), list),
        ("m".to_owned(), inner),
    ])))
}
