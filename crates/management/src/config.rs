//! What configurations say to plugins, read from one document and checked before anything starts.
//!
//! Absent and `null` are the same; fields of another type are refused in Go's words. Where a configuration comes from
//! (files, the command line, discovery) and what stands in it beside this is not known here.

mod external;
pub mod keys;
mod known;
pub(crate) mod whole;

use lictor::{Kind, Value};

pub use external::ExternalConfig;
pub use whole::Configuration;

/// Returns a member that is there and not `null`.
#[must_use]
pub fn member<'e>(value: Value<'e>, name: &str) -> Option<Value<'e>> {
    value.as_object()?.get_str(name).filter(|it| !it.is_null())
}

/// Puts values of the environment in the place of `${NAME}`; what is not set stays.
#[must_use]
pub fn substituted(text: &str, variable: &dyn Fn(&str) -> Option<String>) -> String {
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some((before, behind)) = rest.split_once("${") {
        out.push_str(before);
        match behind.split_once('}').filter(|(name, _)| !name.contains('\n')) {
            Some((name, behind)) => {
                match variable(name) {
                    Some(value) => out.push_str(&value),
                    None => out.push_str(&format!("${{{name}}}")),
                }
                rest = behind;
            }
            None => {
                out.push_str("${");
                rest = behind;
            }
        }
    }
    out.push_str(rest);
    out
}

/// Is an object of a configuration whose fields are read by name.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Fields<'e> {
    value: Value<'e>,
    /// The structure and the way to its fields, as Go names them: `Source.polling`.
    owner: &'static str,
}

impl<'e> Fields<'e> {
    /// Takes an object; `null` has no fields. `ty` is its type in Go.
    pub(crate) fn new(value: Value<'e>, owner: &'static str, ty: &str) -> Result<Self, String> {
        if value.as_object().is_some() || value.is_null() {
            return Ok(Self { value, owner });
        }
        Err(format!("json: cannot unmarshal {} into Go value of type {ty}", kind(value)))
    }

    /// Returns the object of a field; nothing has no fields.
    pub(crate) fn below(&self, name: &str, owner: &'static str, ty: &str) -> Result<Self, String> {
        let value = member(self.value, name).unwrap_or(Value::NULL);
        if value.as_object().is_some() || value.is_null() {
            return Ok(Self { value, owner });
        }
        Err(self.mismatch(name, value, ty))
    }

    /// Says whether a field is there.
    pub(crate) fn has(&self, name: &str) -> bool {
        member(self.value, name).is_some()
    }

    /// Returns a text, empty if it is not there.
    pub(crate) fn text(&self, name: &str) -> Result<String, String> {
        let Some(value) = member(self.value, name) else { return Ok(String::new()) };
        value.as_str().map(str::to_owned).ok_or_else(|| self.mismatch(name, value, "string"))
    }

    /// Returns a truth value, false if it is not there.
    pub(crate) fn flag(&self, name: &str) -> Result<bool, String> {
        let Some(value) = member(self.value, name) else { return Ok(false) };
        value.as_bool().ok_or_else(|| self.mismatch(name, value, "bool"))
    }

    /// Returns a whole number.
    pub(crate) fn whole(&self, name: &str) -> Result<Option<i64>, String> {
        let Some(value) = member(self.value, name) else { return Ok(None) };
        value.as_i64().map(Some).ok_or_else(|| self.mismatch(name, value, "int64"))
    }

    /// Returns a list of texts.
    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let Some(value) = member(self.value, name) else { return Ok(Vec::new()) };
        let items = value.as_array().ok_or_else(|| self.mismatch(name, value, "[]string"))?;
        let text =
            |it: Value<'_>| it.as_str().map(str::to_owned).ok_or_else(|| self.mismatch(name, it, "string"));
        items.iter().map(text).collect()
    }

    fn mismatch(&self, name: &str, value: Value<'_>, wanted: &str) -> String {
        let found = match value.kind() {
            Kind::Number if wanted == "int64" => format!("number {}", value.to_json()),
            _ => kind(value).to_owned(),
        };
        format!("json: cannot unmarshal {found} into Go struct field {}.{name} of type {wanted}", self.owner)
    }
}

/// Returns what Go calls a value of JSON.
pub(crate) fn kind(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Boolean => "bool",
        kind => kind.name(),
    }
}

#[cfg(test)]
mod tests {
    #[test]
    fn variables_are_put_in() {
        let variable = |name: &str| (name == "A").then(|| "x".to_owned());
        assert_eq!(super::substituted("a ${A}${B} ${", &variable), "a x${B} ${");
    }
}
