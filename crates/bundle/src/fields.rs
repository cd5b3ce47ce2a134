//! Fields of JSON objects with a known shape, read as Go reads them into a structure.
//!
//! Absent and `null` fields take their defaults, unknown ones are ignored, and names match in any case. A field of
//! another type is refused in the words of Go's reader, which names the structure; callers put before it what they
//! were reading.

use lictor_value::{Kind, Value};

/// Is an object that is read field by field.
pub(crate) struct Fields<'e> {
    value: Value<'e>,
    /// Name of the structure in Go.
    owner: &'static str,
    /// Names of the fields on the way to it, each with a dot behind.
    path: &'static str,
}

impl<'e> Fields<'e> {
    /// Takes a whole text's value; `null` has no fields.
    pub(crate) fn new(value: Value<'e>, owner: &'static str) -> Result<Self, String> {
        if value.is_null() || value.as_object().is_some() {
            return Ok(Self { value, owner, path: "" });
        }
        let kind = go_kind(value);
        Err(format!("json: cannot unmarshal {kind} into Go value of type bundle.{owner}"))
    }

    /// Returns a field that is there and not `null`; exact names go before those in another case.
    pub(crate) fn get(&self, name: &str) -> Option<Value<'e>> {
        let object = self.value.as_object()?;
        let folded = || {
            object
                .iter()
                .find(|it| it.0.as_str().is_some_and(|key| key.eq_ignore_ascii_case(name)))
                .map(|it| it.1)
        };
        object.get_str(name).or_else(folded).filter(|it| !it.is_null())
    }

    /// Returns a text, empty if it is not there.
    pub(crate) fn text(&self, name: &str) -> Result<String, String> {
        self.get(name).map_or(Ok(String::new()), |it| self.as_text(it, name))
    }

    /// Returns the texts of a list.
    pub(crate) fn texts(&self, name: &str) -> Result<Option<Vec<String>>, String> {
        let Some(value) = self.get(name) else { return Ok(None) };
        let items = value.as_array().ok_or_else(|| self.mismatch(value, name, "[]string"))?;
        let text = |it: Value<'_>| if it.is_null() { Ok(String::new()) } else { self.as_text(it, name) };
        items.iter().map(text).collect::<Result<_, _>>().map(Some)
    }

    /// Returns a whole number; `wanted` is its type in Go.
    pub(crate) fn integer(&self, name: &str, wanted: &str) -> Result<Option<i64>, String> {
        self.get(name).map(|it| self.as_integer(it, name, wanted)).transpose()
    }

    /// Returns the whole number that a value is.
    pub(crate) fn as_integer(&self, value: Value<'_>, name: &str, wanted: &str) -> Result<i64, String> {
        if let (Some(text), None) = (value.number_text(), value.as_i64()) {
            let Self { owner, path, .. } = self;
            let text = &*text;
            return Err(format!(
                "json: cannot unmarshal number {text} into Go struct field {owner}.{path}{name} of type {wanted}"
            ));
        }
        value.as_i64().ok_or_else(|| self.mismatch(value, name, wanted))
    }

    /// Returns the objects of a list; `owner` is what they are in Go, and `path` the field's name with a dot.
    pub(crate) fn items(
        &self,
        name: &str,
        owner: &'static str,
        path: &'static str,
    ) -> Result<Vec<Self>, String> {
        let Some(value) = self.get(name) else { return Ok(Vec::new()) };
        let items =
            value.as_array().ok_or_else(|| self.mismatch(value, name, &format!("[]bundle.{owner}")))?;
        let item = |value: Value<'e>| {
            if value.is_null() || value.as_object().is_some() {
                return Ok(Self { value, owner, path });
            }
            Err(self.mismatch(value, name, &format!("bundle.{owner}")))
        };
        items.iter().map(item).collect()
    }

    /// Returns the text of the fault of a field with another type.
    pub(crate) fn mismatch(&self, value: Value<'_>, name: &str, wanted: &str) -> String {
        let kind = go_kind(value);
        let Self { owner, path, .. } = self;
        format!("json: cannot unmarshal {kind} into Go struct field {owner}.{path}{name} of type {wanted}")
    }

    fn as_text(&self, value: Value<'_>, name: &str) -> Result<String, String> {
        value.as_str().map(str::to_owned).ok_or_else(|| self.mismatch(value, name, "string"))
    }
}

/// Returns the word of Go's JSON reader for a value's type.
fn go_kind(value: Value<'_>) -> &'static str {
    match value.kind() {
        Kind::Boolean => "bool",
        kind => kind.name(),
    }
}
