//! Capabilities in OPA's JSON.
//!
//! Apart because it is a format: which fields there are, in which order they are written, what is left out when it is
//! empty. Types have their own notation there: `any` with alternatives is a union, `static` and `dynamic` are the fixed
//! and the other members.

use std::fmt;

use lictor_hir::types::{Key, Label};
use lictor_hir::{Declaration, Flags, Type};
use lictor_value::{Value, json};

use super::{Capabilities, Known};

/// Types in files are nested no deeper than this.
const DEPTH_MAX: u32 = 64;

/// Why a file is no capabilities.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct CapabilitiesError {
    reason: String,
}

impl fmt::Display for CapabilitiesError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.reason)
    }
}

impl std::error::Error for CapabilitiesError {}

impl From<&str> for CapabilitiesError {
    fn from(reason: &str) -> Self {
        Self { reason: reason.to_owned() }
    }
}

type Read<T> = Result<T, CapabilitiesError>;

impl Capabilities {
    /// Reads a file of capabilities.
    ///
    /// # Errors
    /// When it is no JSON or has other fields than it should.
    pub fn from_json(bytes: &[u8]) -> Read<Self> {
        let document =
            json::read_document(bytes).map_err(|err| CapabilitiesError { reason: err.to_string() })?;
        let root = document.root();
        if root.as_object().is_none() {
            return Err("capabilities are no object".into());
        }
        let mut out = Self::default();
        for builtin in list(root, "builtins")? {
            out.builtins.push(read_builtin(builtin)?);
        }
        out.future_keywords = texts(root, "future_keywords")?;
        out.features = texts(root, "features")?;
        for version in list(root, "wasm_abi_versions")? {
            let number =
                |name| field(version, name).and_then(Value::as_i64).and_then(|it| u32::try_from(it).ok());
            out.wasm_abi_versions
                .push((number("version").unwrap_or(0), number("minor_version").unwrap_or(0)));
        }
        if field(root, "allow_net").is_some() {
            out.allow_net = Some(texts(root, "allow_net")?);
        }
        Ok(out)
    }

    /// Returns the capabilities as OPA writes them, indented by two blanks.
    #[must_use]
    pub fn to_json(&self) -> Vec<u8> {
        let mut out = String::from("{");
        if !self.builtins.is_empty() {
            key("builtins", &mut out);
            write_list(&self.builtins, &mut out, write_builtin);
        }
        write_texts("future_keywords", &self.future_keywords, &mut out);
        if !self.wasm_abi_versions.is_empty() {
            key("wasm_abi_versions", &mut out);
            write_list(&self.wasm_abi_versions, &mut out, |(version, minor), out| {
                out.push_str(&format!("{{\"version\":{version},\"minor_version\":{minor}}}"));
            });
        }
        write_texts("features", &self.features, &mut out);
        write_texts("allow_net", self.allow_net.as_deref().unwrap_or_default(), &mut out);
        out.push('}');
        json::indented(out.as_bytes())
    }
}

fn field<'e>(value: Value<'e>, name: &str) -> Option<Value<'e>> {
    value.as_object()?.get_str(name).filter(|it| !it.is_null())
}

fn list<'e>(value: Value<'e>, name: &str) -> Read<Vec<Value<'e>>> {
    match field(value, name) {
        None => Ok(Vec::new()),
        Some(found) => match found.as_array() {
            Some(items) => Ok(items.iter().collect()),
            None => Err(CapabilitiesError { reason: format!("`{name}` is no array") }),
        },
    }
}

fn text(value: Value<'_>, name: &str) -> Read<String> {
    match field(value, name) {
        None => Ok(String::new()),
        Some(found) => match found.as_str() {
            Some(text) => Ok(text.to_owned()),
            None => Err(CapabilitiesError { reason: format!("`{name}` is no string") }),
        },
    }
}

fn texts(value: Value<'_>, name: &str) -> Read<Vec<String>> {
    let of = |it: &Value<'_>| it.as_str().map(str::to_owned).ok_or_else(|| "a string is missing".into());
    list(value, name)?.iter().map(of).collect()
}

fn is_set(value: Value<'_>, name: &str) -> bool {
    field(value, name).is_some_and(Value::is_true)
}

fn read_builtin(value: Value<'_>) -> Read<Known> {
    let decl = field(value, "decl").ok_or("a built-in has no declaration")?;
    if text(decl, "type")? != "function" {
        return Err("a built-in is no function".into());
    }
    let mut labels = Vec::new();
    let mut typed = |value: Value<'_>| -> Read<Type> {
        let label =
            Label { name: text(value, "name")?.into(), description: text(value, "description")?.into() };
        labels.push(label);
        read_type(value, 0)
    };
    let args = list(decl, "args")?.into_iter().map(&mut typed).collect::<Read<Vec<Type>>>()?;
    let result = field(decl, "result").map(&mut typed).transpose()?;
    if labels.iter().all(|it| it.name.is_empty()) {
        labels.clear();
    }
    let flags = Flags {
        deprecated: is_set(value, "deprecated"),
        relation: is_set(value, "relation"),
        impure: is_set(value, "nondeterministic"),
    };
    let variadic = field(decl, "variadic").map(|it| read_type(it, 0)).transpose()?;
    Ok(Known {
        declaration: Declaration { name: text(value, "name")?.into(), args, labels, variadic, result, flags },
        description: text(value, "description")?,
        categories: texts(value, "categories")?,
        infix: text(value, "infix")?,
        nondeterministic: flags.impure,
    })
}

fn read_type(value: Value<'_>, depth: u32) -> Read<Type> {
    if depth > DEPTH_MAX {
        return Err("a type is nested too deeply".into());
    }
    let of = |value: Value<'_>, name: &str| {
        field(value, name).map_or(Ok(Type::Unknown), |it| read_type(it, depth + 1))
    };
    let all = |name: &str| -> Read<Vec<Type>> {
        list(value, name)?.into_iter().map(|it| read_type(it, depth + 1)).collect()
    };
    Ok(match text(value, "type")?.as_str() {
        "null" => Type::Null,
        "boolean" => Type::Bool,
        "number" => Type::Number,
        "string" => Type::String,
        "array" => Type::array(all("static")?, of(value, "dynamic")?),
        "set" => Type::set(of(value, "of")?),
        "any" => Type::one_of(all("of")?),
        "object" => {
            let property = |it: Value<'_>| Ok((read_key(it)?, of(it, "value")?));
            let fixed = list(value, "static")?.into_iter().map(property).collect::<Read<Vec<_>>>()?;
            let rest = field(value, "dynamic")
                .map(|it| Ok::<_, CapabilitiesError>((of(it, "key")?, of(it, "value")?)));
            Type::object(fixed, rest.transpose()?)
        }
        "function" => {
            let result = of(value, "result")?;
            Type::function(all("args")?, of(value, "variadic")?, result)
        }
        other => return Err(CapabilitiesError { reason: format!("`{other}` is no type") }),
    })
}

fn read_key(value: Value<'_>) -> Read<Key> {
    let key = value.as_object().and_then(|it| it.get_str("key")).ok_or("a property has no key")?;
    if let Some(text) = key.as_str() {
        return Ok(Key::from(text));
    }
    if let Some(number) = key.number_text() {
        return Ok(Key::Number((*number).into()));
    }
    match key.as_bool() {
        Some(value) => Ok(Key::Bool(value)),
        None if key.is_null() => Ok(Key::Null),
        None => Err("a key is no scalar".into()),
    }
}

fn key(name: &str, out: &mut String) {
    if !out.ends_with('{') {
        out.push(',');
    }
    string(name, out);
    out.push(':');
}

/// Writes a string as Go does for web pages.
fn string(text: &str, out: &mut String) {
    let mut quoted = String::new();
    lictor_syntax::diagnostics::write_json_string(text, &mut quoted);
    for sign in quoted.chars() {
        match sign {
            '<' | '>' | '&' => out.push_str(&format!("\\u{:04x}", u32::from(sign))),
            _ => out.push(sign),
        }
    }
}

fn write_list<T>(items: &[T], out: &mut String, write: impl Fn(&T, &mut String)) {
    out.push('[');
    for (idx, item) in items.iter().enumerate() {
        if idx > 0 {
            out.push(',');
        }
        write(item, out);
    }
    out.push(']');
}

fn write_texts(name: &str, texts: &[String], out: &mut String) {
    if !texts.is_empty() {
        key(name, out);
        write_list(texts, out, |it, out| string(it, out));
    }
}

fn write_builtin(builtin: &Known, out: &mut String) {
    let declaration = &builtin.declaration;
    out.push('{');
    key("name", out);
    string(&declaration.name, out);
    if !builtin.description.is_empty() {
        key("description", out);
        string(&builtin.description, out);
    }
    write_texts("categories", &builtin.categories, out);
    key("decl", out);
    write_declaration(declaration, out);
    if !builtin.infix.is_empty() {
        key("infix", out);
        string(&builtin.infix, out);
    }
    let flags = declaration.flags;
    for (name, is_set) in [
        ("relation", flags.relation),
        ("nondeterministic", builtin.nondeterministic),
        ("deprecated", flags.deprecated),
    ] {
        if is_set {
            key(name, out);
            out.push_str("true");
        }
    }
    out.push('}');
}

/// Returns a declaration as OPA writes it.
pub(crate) fn declaration_json(declaration: &Declaration) -> String {
    let mut out = String::new();
    write_declaration(declaration, &mut out);
    out
}

fn write_declaration(declaration: &Declaration, out: &mut String) {
    out.push('{');
    if !declaration.args.is_empty() {
        key("args", out);
        let args: Vec<_> = declaration.args.iter().enumerate().collect();
        write_list(&args, out, |(at, ty), out| write_type(ty, declaration.label(*at), out));
    }
    if let Some(result) = &declaration.result {
        key("result", out);
        write_type(result, declaration.label(declaration.args.len()), out);
    }
    key("type", out);
    string("function", out);
    if let Some(variadic) = &declaration.variadic {
        key("variadic", out);
        write_type(variadic, None, out);
    }
    out.push('}');
}

/// Writes a type with its fields in order of their names.
fn write_type(ty: &Type, label: Option<&Label>, out: &mut String) {
    out.push('{');
    if let Some(label) = label.filter(|it| !it.description.is_empty()) {
        key("description", out);
        string(&label.description, out);
    }
    match ty {
        Type::Array(array) => {
            if let Some(rest) = array.rest.known() {
                key("dynamic", out);
                write_type(rest, None, out);
            }
        }
        Type::Object(object) => {
            if let Some((keys, values)) = &object.rest {
                key("dynamic", out);
                out.push_str("{\"key\":");
                write_type(keys, None, out);
                out.push_str(",\"value\":");
                write_type(values, None, out);
                out.push('}');
            }
        }
        _ => {}
    }
    if let Some(label) = label {
        key("name", out);
        string(&label.name, out);
    }
    write_members(ty, out);
    key("type", out);
    string(name_of(ty), out);
    out.push('}');
}

fn write_members(ty: &Type, out: &mut String) {
    match ty {
        Type::Union(union) => {
            key("of", out);
            write_list(&union.of, out, |it, out| write_type(it, None, out));
        }
        Type::Set(set) => {
            if let Some(of) = set.of.known() {
                key("of", out);
                write_type(of, None, out);
            }
        }
        Type::Array(array) if !array.fixed.is_empty() => {
            key("static", out);
            write_list(&array.fixed, out, |it, out| write_type(it, None, out));
        }
        Type::Object(object) if !object.fixed.is_empty() => {
            key("static", out);
            write_list(&object.fixed, out, |(name, ty), out| {
                out.push_str("{\"key\":");
                match name {
                    Key::String(text) => string(text, out),
                    other => out.push_str(&other.to_string()),
                }
                out.push_str(",\"value\":");
                write_type(ty, None, out);
                out.push('}');
            });
        }
        _ => {}
    }
}

fn name_of(ty: &Type) -> &'static str {
    match ty {
        Type::Null => "null",
        Type::Bool => "boolean",
        Type::Number => "number",
        Type::String => "string",
        Type::Array(_) => "array",
        Type::Object(_) => "object",
        Type::Set(_) => "set",
        Type::Function(_) => "function",
        Type::Unknown | Type::Any | Type::Union(_) | Type::Recursive(_) => "any",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_syntax::ast::RegoVersion;

    #[test]
    fn what_is_written_is_read_again() {
        for version in [RegoVersion::V0, RegoVersion::V1] {
            let text = Capabilities::current(version).to_json();
            let read = Capabilities::from_json(&text).expect("it was written");
            assert_eq!(read.to_json(), text);
        }
        for bad in ["{", "1", r#"{"builtins": 1}"#, r#"{"builtins": [{"name": "f"}]}"#] {
            assert!(Capabilities::from_json(bad.as_bytes()).is_err(), "{bad}");
        }
    }
}
