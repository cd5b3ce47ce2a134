//! One metadata block as text: title, place, and its lists.
//!
//! Apart because each field has a layout of its own. Fields that hold nothing are left out, lines are cut at the width of
//! a page.

use lictor::Placed;
use lictor_syntax::ast::{Yaml, YamlKind};
use lictor_syntax::printer::{is_plain_key, package_text, ref_text, write_quoted};

use super::{Key, cut, path_of};

/// Lines are no longer.
const PAGE_WIDTH: usize = 80;

/// Appends a block.
pub(super) fn push(block: &Placed<'_>, (file, row, _): &(String, u32, u32), out: &mut String) {
    let annotation = block.annotation;
    let words = |name: &str| annotation.field(name).map(text).unwrap_or_default();
    let title = words("title").trim().to_owned();
    let title = if title.is_empty() { path_text(&path_of(block)) } else { title };
    out.push_str(&format!("{title}\n{}\n\n", "=".repeat(title.len().min(PAGE_WIDTH))));
    let description = words("description");
    if !description.is_empty() {
        out.push_str(&format!("{description}\n\n"));
    }
    let package = package_text(&block.module.package);
    out.push_str(&format!("Package:  {}\n", package.strip_prefix("package ").unwrap_or(&package)));
    if let Some(rule) = block.rule {
        out.push_str(&format!("Rule:     {}\n", ref_text(&rule.head.reference)));
    }
    out.push_str(&format!("Location: {file}:{row}\nScope: {}\n", annotation.scope));
    if annotation.entrypoint {
        out.push_str("Entrypoint: true\n");
    }
    out.push('\n');
    push_lists(block, out);
}

fn push_lists(block: &Placed<'_>, out: &mut String) {
    let items = |name: &str| match block.annotation.field(name).map(|it| &it.kind) {
        Some(YamlKind::List(items)) => items.as_slice(),
        _ => &[],
    };
    let line = |it: &str| it.replace('\n', " ");
    let organizations = items("organizations").iter().map(|it| (String::new(), line(&text(it))));
    push_list("Organizations:", "", organizations.collect(), out);
    let authors = items("authors").iter().map(|it| (String::new(), line(&author(it))));
    push_list("Authors:", "", authors.collect(), out);
    let schemas = items("schemas").iter().map(schema);
    push_list("Schemas:", ": ", schemas.collect(), out);
    let related = items("related_resources").iter().map(related);
    push_list("Related Resources:", " ", related.collect(), out);
    if let Some(YamlKind::Map(entries)) = block.annotation.field("custom").map(|it| &it.kind) {
        let mut custom: Vec<(String, String)> =
            entries.iter().map(|(key, value)| (text(key), json(value))).collect();
        custom.sort();
        push_list("Custom:", ": ", custom, out);
    }
}

/// Appends lines of keys and values, the values below each other.
fn push_list(title: &str, separator: &str, entries: Vec<(String, String)>, out: &mut String) {
    if entries.is_empty() {
        return;
    }
    out.push_str(title);
    out.push('\n');
    let width = entries.iter().map(|it| it.0.len()).max().unwrap_or(0);
    for (key, value) in entries {
        let line = if value.is_empty() {
            format!(" {key}")
        } else {
            format!(" {key}{separator}{}{value}", " ".repeat(width - key.len()))
        };
        out.push_str(&cut(&line, PAGE_WIDTH));
        out.push('\n');
    }
    out.push('\n');
}

fn path_text(path: &[Key]) -> String {
    let mut out = String::new();
    for key in path {
        match key {
            Key::Text(text) if out.is_empty() => out.push_str(text),
            Key::Text(text) if is_plain_key(text) => {
                out.push('.');
                out.push_str(text);
            }
            Key::Text(text) => {
                out.push('[');
                write_quoted(&mut out, text);
                out.push(']');
            }
            Key::Number(number) => out.push_str(&format!("[{number}]")),
            Key::Bool(value) => out.push_str(&format!("[{value}]")),
            Key::Null => out.push_str("[null]"),
        }
    }
    out
}

fn text(yaml: &Yaml) -> String {
    match &yaml.kind {
        YamlKind::String(text) | YamlKind::Number(text) => text.to_string(),
        YamlKind::Bool(value) => value.to_string(),
        YamlKind::Null | YamlKind::List(_) | YamlKind::Map(_) => String::new(),
    }
}

fn field(yaml: &Yaml, name: &str) -> String {
    yaml.get(name).and_then(Yaml::as_str).unwrap_or_default().trim().to_owned()
}

fn author(yaml: &Yaml) -> String {
    if let Some(words) = yaml.as_str() {
        return words.split_whitespace().collect::<Vec<_>>().join(" ");
    }
    match (field(yaml, "name"), field(yaml, "email")) {
        (name, email) if email.is_empty() => name,
        (name, email) if name.is_empty() => format!("<{email}>"),
        (name, email) => format!("{name} <{email}>"),
    }
}

fn related(yaml: &Yaml) -> (String, String) {
    let address = yaml.as_str().map_or_else(|| field(yaml, "ref"), str::to_owned);
    (address.replace('\n', " "), field(yaml, "description"))
}

fn schema(yaml: &Yaml) -> (String, String) {
    let YamlKind::Map(entries) = &yaml.kind else { return (String::new(), String::new()) };
    let Some((path, schema)) = entries.first() else { return (String::new(), String::new()) };
    (text(path), schema.as_str().map_or_else(|| json(schema), str::to_owned))
}

/// Returns YAML as compact JSON with sorted keys.
fn json(yaml: &Yaml) -> String {
    let mut out = Vec::new();
    write_json(yaml, &mut out);
    String::from_utf8_lossy(&out).into_owned()
}

fn write_json(yaml: &Yaml, out: &mut Vec<u8>) {
    match &yaml.kind {
        YamlKind::Null => out.extend_from_slice(b"null"),
        YamlKind::Bool(value) => out.extend_from_slice(value.to_string().as_bytes()),
        YamlKind::Number(number) => out.extend_from_slice(number.as_bytes()),
        YamlKind::String(text) => crate::output::json::string(text, out),
        YamlKind::List(items) => {
            out.push(b'[');
            for item in items {
                crate::output::json::item(out);
                write_json(item, out);
            }
            out.push(b']');
        }
        YamlKind::Map(entries) => {
            let mut entries: Vec<(String, &Yaml)> =
                entries.iter().map(|(key, value)| (text(key), value)).collect();
            entries.sort_by(|a, b| a.0.cmp(&b.0));
            out.push(b'{');
            for (key, value) in entries {
                crate::output::json::key(&key, out);
                write_json(value, out);
            }
            out.push(b'}');
        }
    }
}
