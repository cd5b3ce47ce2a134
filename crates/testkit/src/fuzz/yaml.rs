//! The YAML reader and writer.
//!
//! Whatever is read comes back within the limits of size and depth; what is written from it reads as the same.

use lictor_runtime::go::yaml::{Yaml, parse, write};

/// Reads bytes as YAML.
///
/// It panics if a value that was read is written as a text that does not read as that value.
pub(super) fn yaml(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let value = match parse(text) {
        Ok(value) => value,
        Err(error) => return assert!(!error.to_string().is_empty(), "refused without a reason"),
    };
    // What JSON cannot say the writer may refuse, and it may not lay out what it cannot read back.
    let Ok(written) = write(&value) else { return };
    if !reads_as_another(&value) {
        let again = parse(&written).expect("our own text is YAML");
        assert_eq!(again, value, "a value reads back as another from {written:?}");
    }
}

/// Tells whether there is something that neither we nor OPA write so that it can be read: line ends other than the
/// usual one, marks of byte order, and the key `<<`, which stands bare and so takes in what it holds.
fn reads_as_another(value: &Yaml) -> bool {
    let odd = |text: &str| {
        text.contains(|it: char| it != '\n' && (it.is_control() || "\u{2028}\u{2029}\u{feff}".contains(it)))
    };
    match value {
        Yaml::Null | Yaml::Bool(_) => false,
        // A zero loses its sign.
        Yaml::Number(text) => text == "-0",
        Yaml::String(text) => odd(text),
        Yaml::Array(items) => items.iter().any(reads_as_another),
        Yaml::Object(entries) => {
            entries.iter().any(|(key, value)| key == "<<" || odd(key) || reads_as_another(value))
        }
    }
}
