//! Fields of a configuration by their names, with Go's texts for those of a wrong type.
//!
//! Apart because every credential reads its own. What is absent or null is as if it were empty, as in Go.

use std::collections::BTreeMap;

use lictor::{Kind, Object, Value};

use crate::services::secret::Secret;

/// An object of the configuration.
pub(crate) struct Fields<'e> {
    object: Option<Object<'e>>,
    /// The type that Go has for it.
    owner: &'static str,
    /// Where it stands below the outermost: `credentials.bearer.`
    path: String,
}

impl<'e> Fields<'e> {
    /// Takes a value as the outermost object.
    pub(crate) fn outermost(value: Value<'e>, owner: &'static str) -> Result<Self, String> {
        let object = value.as_object();
        if object.is_none() && !value.is_null() {
            return Err(format!("json: cannot unmarshal {} into Go value of type rest.{owner}", kind(value)));
        }
        Ok(Self { object, owner, path: String::new() })
    }

    fn get(&self, name: &str) -> Option<Value<'e>> {
        self.object.and_then(|it| it.get_str(name)).filter(|it| !it.is_null())
    }

    fn wrong(&self, name: &str, found: &str, wanted: &str) -> String {
        let (owner, path) = (self.owner, &self.path);
        format!("json: cannot unmarshal {found} into Go struct field {owner}.{path}{name} of type {wanted}")
    }

    /// Returns a text, empty if it is absent.
    pub(crate) fn text(&self, name: &str) -> Result<String, String> {
        match self.get(name) {
            None => Ok(String::new()),
            Some(value) => self.text_of(name, value),
        }
    }

    fn text_of(&self, name: &str, value: Value<'e>) -> Result<String, String> {
        value.as_str().map(str::to_owned).ok_or_else(|| self.wrong(name, kind(value), "string"))
    }

    /// Returns a text that nobody may see.
    pub(crate) fn secret(&self, name: &str) -> Result<Secret, String> {
        self.text(name).map(Secret::new)
    }

    pub(crate) fn flag(&self, name: &str) -> Result<bool, String> {
        match self.get(name) {
            None => Ok(false),
            Some(value) => value.as_bool().ok_or_else(|| self.wrong(name, kind(value), "bool")),
        }
    }

    /// Returns a whole number.
    pub(crate) fn whole(&self, name: &str) -> Result<Option<i64>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let found = if value.kind() == Kind::Number {
            format!("number {}", value.to_json())
        } else {
            kind(value).to_owned()
        };
        value.as_i64().map(Some).ok_or_else(|| self.wrong(name, &found, "int64"))
    }

    pub(crate) fn texts(&self, name: &str) -> Result<Vec<String>, String> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let items = value.as_array().ok_or_else(|| self.wrong(name, kind(value), "[]string"))?;
        items.iter().map(|it| self.text_of(name, it)).collect()
    }

    /// Returns texts by name. They may be secrets.
    pub(crate) fn map(&self, name: &str) -> Result<BTreeMap<String, Secret>, String> {
        let Some(value) = self.get(name) else { return Ok(BTreeMap::new()) };
        let pairs = value.as_object().ok_or_else(|| self.wrong(name, kind(value), "map[string]string"))?;
        let pair = |(key, value): (Value<'e>, Value<'e>)| {
            Ok((key.as_str().unwrap_or_default().to_owned(), Secret::new(self.text_of(name, value)?)))
        };
        pairs.iter().map(pair).collect()
    }

    /// Returns values by name, as JSON.
    pub(crate) fn json_map(&self, name: &str) -> Result<BTreeMap<String, String>, String> {
        let Some(value) = self.get(name) else { return Ok(BTreeMap::new()) };
        let pairs =
            value.as_object().ok_or_else(|| self.wrong(name, kind(value), "map[string]interface {}"))?;
        let pair = |(key, value): (Value<'e>, Value<'e>)| Some((key.as_str()?.to_owned(), value.to_json()));
        Ok(pairs.iter().filter_map(pair).collect())
    }

    /// Returns an object below; nothing if it is absent.
    pub(crate) fn below(&self, name: &str, owner: &'static str) -> Result<Option<Self>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let wanted = if owner.is_empty() { "struct".to_owned() } else { format!("rest.{owner}") };
        let object = value.as_object().ok_or_else(|| self.wrong(name, kind(value), &wanted))?;
        Ok(Some(Self { object: Some(object), owner, path: format!("{}{name}.", self.path) }))
    }
}

/// Returns what Go calls a value of JSON.
pub(crate) fn kind(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Null => "null",
        Kind::Boolean => "bool",
        Kind::Number => "number",
        Kind::String => "string",
        Kind::Array | Kind::Set => "array",
        Kind::Object => "object",
    }
}
