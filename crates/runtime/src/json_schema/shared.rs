//! Keywords for values of any type: `const`, `enum`, `format`.
//!
//! Apart as a family. Values compare by a text in which numbers are machine floats.

use lictor_value::Value;

use super::canonical::canonical;
use super::check::Checker;
use super::document::NodeId;
use super::format::Format;
use super::meta::Draft;
use super::outcome::Outcome;
use super::read::{Place, Reader};

/// What values must be.
#[derive(Debug)]
pub(super) struct Rules {
    constant: Option<String>,
    allowed: Option<Vec<String>>,
    format: Option<(String, Format)>,
}

/// Reads a format, which comes before the other keywords of this family; one that is not known is none.
pub(super) fn format(reader: &Reader<'_>, place: Place) -> Result<Option<(String, Format)>, String> {
    let name = reader.string(place, "format")?;
    Ok(name.and_then(|it| Some((it.to_owned(), Format::named(it)?))))
}

fn text(reader: &Reader<'_>, node: NodeId) -> Result<String, String> {
    let mut out = Vec::new();
    reader.pool.nodes.write(node, &mut out);
    canonical(&String::from_utf8(out).unwrap_or_default())
}

impl Rules {
    pub(super) fn read(
        reader: &Reader<'_>,
        place: Place,
        format: Option<(String, Format)>,
    ) -> Result<Option<Self>, String> {
        let constant = match reader.member(place, "const") {
            Some(node) if place.draft >= Draft::Six => Some(text(reader, node)?),
            _ => None,
        };
        let allowed = match reader.list(place, "enum")? {
            None => None,
            Some(nodes) => {
                let mut allowed = Vec::with_capacity(nodes.len());
                let mut seen = std::collections::HashSet::with_capacity(nodes.len());
                for node in nodes {
                    let text = text(reader, node)?;
                    if !seen.insert(text.clone()) {
                        return Err("enum items must be unique".to_owned());
                    }
                    allowed.push(text);
                }
                Some(allowed)
            }
        };
        let any = constant.is_some() || allowed.is_some() || format.is_some();
        Ok(any.then_some(Self { constant, allowed, format }))
    }

    pub(super) fn check(&self, checker: &Checker<'_, '_>, value: Value<'_>, out: &mut Outcome) {
        if self.constant.is_some() || self.allowed.is_some() {
            match canonical(&value.to_json()) {
                Ok(text) => self.check_text(checker, &text, out),
                Err(fault) => checker.fail(out, "internal", format!("Internal Error {fault}")),
            }
        }
        if let (Some((name, format)), Some(text)) = (&self.format, value.as_str())
            && !format.accepts(text)
        {
            checker.fail(out, "format", format!("Does not match format '{name}'"));
        }
    }

    fn check_text(&self, checker: &Checker<'_, '_>, text: &str, out: &mut Outcome) {
        if let Some(constant) = self.constant.as_ref().filter(|it| *it != text) {
            checker.fail(out, "const", format!("{} does not match: {constant}", checker.field()));
        }
        if let Some(allowed) = self.allowed.as_ref().filter(|it| !it.iter().any(|it| it == text)) {
            let all = allowed.join(", ");
            checker.fail(out, "enum", format!("{} must be one of the following: {all}", checker.field()));
        }
    }
}
