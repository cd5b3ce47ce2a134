//! The JSON reader: both homes of values, the projection, and the way back to text.
//!
//! What one way of reading accepts, every other must accept, with the same value; so must their refusals agree.

use lictor_value::json::{self, JsonErrorKind, Projection, Step};
use lictor_value::{Arena, Value, compare};

/// The paths that the projection is tried with; seeds use these keys.
const PATHS: &[&[Step<'static>]] = &[
    &[Step::Key("a")],
    &[Step::Key("b"), Step::Key("a")],
    &[Step::Key("b"), Step::Any, Step::Key("c")],
    &[Step::Key("a longer key than that"), Step::Any],
    &[Step::Any, Step::Key("d"), Step::Any, Step::Any],
];

/// Reads bytes as JSON in every way.
///
/// It panics if two ways disagree, or a value reads back from its own text as another.
pub(super) fn json(bytes: &[u8]) {
    let arena = Arena::new();
    let read = json::read(bytes, &arena);
    let document = json::read_document(bytes);
    assert_eq!(read.as_ref().err(), document.as_ref().err(), "the two homes disagree");
    projected(bytes, &arena, &read);
    let first = json::read_first(bytes, &arena);
    match (&read, &first) {
        (Ok(read), Ok(first)) => assert!(read == first, "the first value is another"),
        (Err(error), Ok(_)) => {
            assert!(is_behind(error.kind()), "refused, yet its first value is read: {error}")
        }
        (read, Err(error)) => {
            assert_eq!(read.as_ref().err(), Some(error), "the first value alone is refused")
        }
    }
    assert!(read.is_ok() || !json::is_valid(bytes), "valid, but refused");
    let (Ok(value), Ok(document)) = (read, document) else { return };
    assert!(value == document.root(), "the two homes read different values");
    assert!(compare(value, document.root()).is_eq(), "equal values are not in order");
    assert_eq!(value.hash(), document.root().hash(), "equal values hash differently");
    let text = value.to_json();
    assert_eq!(text, document.root().to_json(), "the two homes write different texts");
    round_trip(value, text.as_bytes());
    let mut plain = Vec::new();
    value.write_json_plain(&mut plain);
    round_trip(value, &plain);
}

/// Tells whether an error may lie behind the first value.
fn is_behind(kind: JsonErrorKind) -> bool {
    !matches!(kind, JsonErrorKind::Empty | JsonErrorKind::TooLarge)
}

fn round_trip(value: Value<'_>, text: &[u8]) {
    assert!(json::is_valid(text), "what is written is no JSON");
    let again = json::read_document(text).expect("our own text is JSON");
    assert!(value == again.root(), "a value reads back as another");
    assert_eq!(value.to_json(), again.root().to_json(), "a value writes itself differently the second time");
}

fn projected<'e>(bytes: &[u8], arena: &'e Arena, read: &Result<Value<'e>, json::JsonError>) {
    let mut projection = Projection::nothing();
    for path in PATHS {
        projection.add(path);
        let part = json::read_projected(bytes, arena, &projection);
        assert_eq!(read.as_ref().err(), part.as_ref().err(), "a projection changes what is refused");
        if let (Ok(whole), Ok(part)) = (read, part) {
            check_part(*whole, part, path);
        }
    }
}

/// Checks that a path leads to the same in both, or nowhere in both.
fn check_part(whole: Value<'_>, part: Value<'_>, path: &[Step<'_>]) {
    let Some((step, rest)) = path.split_first() else {
        return assert!(whole == part, "a wanted part is another");
    };
    assert_eq!(whole.kind(), part.kind(), "a collection on the way changed");
    if let (Some(whole), Some(part)) = (whole.as_object(), part.as_object()) {
        for (key, inner) in whole.iter() {
            let wanted = match step {
                Step::Key(name) => key.as_str() == Some(name),
                Step::Any => true,
            };
            if wanted {
                check_part(inner, part.get(key).expect("a wanted key is there"), rest);
            }
        }
        for (key, _) in part.iter() {
            assert!(whole.get(key).is_some(), "a key that the text does not have");
        }
    } else if let (Some(whole), Some(part)) = (whole.as_array(), part.as_array()) {
        if *step == Step::Any {
            assert_eq!(whole.len(), part.len(), "an item of an array is lost");
            for (whole, part) in whole.iter().zip(part.iter()) {
                check_part(whole, part, rest);
            }
        }
    } else {
        assert!(whole == part, "a scalar on the way changed");
    }
}
