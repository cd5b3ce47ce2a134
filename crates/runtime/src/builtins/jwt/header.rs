//! The fields of a header that decide how a token is verified.
//!
//! Apart because two kinds of verification read them. Fields that point to keys (`jku`, `jwk`, `x5u`, `x5c`) are
//! not among them: a token never says which key to trust.

use lictor_value::Value;

use crate::error::BuiltinError;

use super::JsonObject;

/// The fields; empty means absent.
#[derive(Default)]
pub(super) struct Header {
    pub(super) alg: String,
    pub(super) kid: String,
    pub(super) cty: String,
    /// Whether a field is declared critical that is not known here.
    has_unknown_critical: bool,
}

impl Header {
    /// Reads the fields, in the order of their names.
    pub(super) fn read(object: JsonObject<'_>) -> Result<Self, BuiltinError> {
        let text = |name: &str| match object.get(name) {
            None => Ok(String::new()),
            Some(value) => match value.as_str() {
                Some(text) => Ok(text.to_owned()),
                None => Err(BuiltinError::value(format!("{name}: must be a string"))),
            },
        };
        let alg = text("alg")?;
        let critical = object.get("crit").map(read_critical).transpose()?.unwrap_or_default();
        let (cty, kid) = (text("cty")?, text("kid")?);
        text("typ")?;
        let known = ["alg", "kid", "typ", "cty", "crit"];
        let has_unknown_critical =
            critical.iter().any(|it| !known.contains(&it.as_str()) && object.get(it).is_some());
        Ok(Self { alg, kid, cty, has_unknown_critical })
    }

    /// Says whether there is an algorithm and nothing critical that is not understood.
    pub(super) fn is_valid(&self) -> bool {
        !self.alg.is_empty() && !self.has_unknown_critical
    }
}

/// The list ends at what is no text, as in OPA.
fn read_critical(value: Value<'_>) -> Result<Vec<String>, BuiltinError> {
    let list = value.as_array().ok_or_else(|| BuiltinError::value("crit: must be a list"))?;
    let names: Vec<String> = list.iter().map_while(|it| it.as_str().map(str::to_owned)).collect();
    if names.is_empty() {
        return Err(BuiltinError::value("crit: must be a nonempty list"));
    }
    Ok(names)
}
