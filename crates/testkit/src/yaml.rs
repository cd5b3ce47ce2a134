//! YAML for cases of our own: mappings, sequences, scalars, nothing more.
//!
//! It becomes [`Json`], numbers with their text, so that one reader of cases serves both forms. Plain
//! scalars are what JSON would read there, else strings; anchors and tags are refused. The product
//! reads YAML by other rules, those of Go, and has nothing to do with this.

use std::collections::BTreeMap;

use saphyr_parser::{Event, Parser, ScalarStyle};

use crate::json::{Json, Number};

/// Reads one document.
///
/// # Errors
///
/// Says where the text stops being YAML of this kind.
pub fn parse(text: &str) -> Result<Json, String> {
    let mut reader = Reader { events: Parser::new_from_str(text) };
    loop {
        match reader.next()? {
            Event::Nothing | Event::StreamStart | Event::DocumentStart(_) => (),
            first => return reader.value(first),
        }
    }
}

struct Reader<'a> {
    events: Parser<'a, saphyr_parser::StrInput<'a>>,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> Result<Event<'a>, String> {
        match self.events.next() {
            Some(Ok((event, _))) => Ok(event),
            Some(Err(err)) => Err(err.to_string()),
            None => Err("the text ends early".to_owned()),
        }
    }

    fn value(&mut self, first: Event<'a>) -> Result<Json, String> {
        match first {
            Event::Scalar(text, ScalarStyle::Plain, 0, None) => Ok(plain(&text)),
            Event::Scalar(text, _, 0, None) => Ok(Json::String(text.into_owned())),
            Event::SequenceStart(0, None) => {
                let mut items = Vec::new();
                loop {
                    match self.next()? {
                        Event::SequenceEnd => return Ok(Json::Array(items)),
                        event => items.push(self.value(event)?),
                    }
                }
            }
            Event::MappingStart(0, None) => {
                let mut members = BTreeMap::new();
                loop {
                    let key = match self.next()? {
                        Event::MappingEnd => return Ok(Json::Object(members)),
                        Event::Scalar(text, ..) => text.into_owned(),
                        event => return Err(format!("{event:?} is no key")),
                    };
                    let event = self.next()?;
                    members.insert(key, self.value(event)?);
                }
            }
            event => Err(format!("{event:?} is not used in cases")),
        }
    }
}

fn plain(text: &str) -> Json {
    match text {
        "" | "null" | "~" => Json::Null,
        "true" => Json::Bool(true),
        "false" => Json::Bool(false),
        _ => Number::parse(text).map_or_else(|| Json::String(text.to_owned()), Json::Number),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cases_are_read() {
        let text = "# first\na:\n  - note: 'x/y'\n    data: {\"k\": [1.50, null, \"1\"]}\n  - |\n    p\n      q\nb: word\n";
        let wanted = r#"{"a":[{"data":{"k":[1.50,null,"1"]},"note":"x/y"},"p\n  q\n"],"b":"word"}"#;
        assert_eq!(parse(text).unwrap().to_string(), wanted);
        for text in ["a: &x 1", "a: *x", "a: !!str 1", "a: [1", "? [k]\n: v"] {
            assert!(parse(text).is_err(), "{text}");
        }
    }
}
