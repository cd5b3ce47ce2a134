//! The fields of a metadata block: what shape each must have.
//!
//! Messages are those of OPA, which reads a block into Go types; so are the names of the types
//! in them.

use crate::{
    ast::{RegoVersion, TermKind, Yaml, YamlKind},
    parser::{
        ParseOptions,
        metadata::{Block, BlockFault},
        parse_term,
    },
    printer::write_quoted,
};

/// Is the type that a field is read into.
#[derive(Clone, Copy)]
enum Shape {
    Text,
    Flag,
    Texts,
    Anys,
    Maps,
    Map,
}

const FIELDS: [(&str, Shape); 11] = [
    ("scope", Shape::Text),
    ("title", Shape::Text),
    ("entrypoint", Shape::Flag),
    ("description", Shape::Text),
    ("organizations", Shape::Texts),
    ("related_resources", Shape::Anys),
    ("authors", Shape::Anys),
    ("schemas", Shape::Maps),
    ("compile", Shape::Map),
    ("custom", Shape::Map),
    ("labels", Shape::Map),
];

impl Shape {
    fn type_name(self) -> &'static str {
        match self {
            Self::Text => "string",
            Self::Flag => "bool",
            Self::Texts => "[]string",
            Self::Anys => "[]interface {}",
            Self::Maps => "[]map[string]interface {}",
            Self::Map => "map[string]interface {}",
        }
    }
}

/// Checks the fields of a block.
pub(crate) fn check(block: &Block<'_>, yaml: &Yaml) -> Result<(), BlockFault> {
    check_shapes(block, yaml)?;
    let checks = [
        check_related(yaml),
        check_compile(yaml),
        check_schemas(yaml),
        check_authors(yaml),
        check_maps(yaml),
    ];
    for check in checks {
        check.map_err(|message| block.fault(message, block.head.span))?;
    }
    Ok(())
}

fn check_shapes(block: &Block<'_>, yaml: &Yaml) -> Result<(), BlockFault> {
    let mut wrong = Vec::new();
    match &yaml.kind {
        YamlKind::Map(entries) => {
            find_repeated(block, entries, &mut wrong);
            // Go's reader goes no further into a map with a repeated key.
            let unique = wrong.is_empty();
            for (key, value) in entries.iter().filter(|_| unique) {
                let name = key.as_str().unwrap_or_default();
                if let Some((_, shape)) = FIELDS.iter().find(|(field, _)| *field == name) {
                    check_shape(block, value, *shape, &mut wrong);
                }
            }
        }
        YamlKind::Null => {}
        _ => wrong.push(mismatch(block, yaml, "ast.rawAnnotation")),
    }
    let Some((line, _)) = wrong.first() else {
        return Ok(());
    };
    let line = *line;
    let lines: Vec<String> = wrong.into_iter().map(|(_, message)| message).collect();
    let message = format!("yaml: unmarshal errors:\n  {}", lines.join("\n  "));
    Err(block.yaml_fault(message, Some(line)))
}

type Mismatch = (usize, String);

/// Returns the line of a node in the YAML text.
fn line_of(block: &Block<'_>, yaml: &Yaml) -> usize {
    let before = |line: &&crate::ast::Comment| line.span.end < yaml.span.start;
    block.lines.iter().take_while(before).count() + 1
}

fn mismatch(block: &Block<'_>, yaml: &Yaml, wanted: &str) -> Mismatch {
    let line = line_of(block, yaml);
    let (tag, value) = match &yaml.kind {
        YamlKind::Null => ("!!null", Some(String::new())),
        YamlKind::Bool(_) => ("!!bool", Some(source_text(block, yaml))),
        YamlKind::Number(text) if text.contains(['.', 'e', 'E']) => {
            ("!!float", Some(source_text(block, yaml)))
        }
        YamlKind::Number(_) => ("!!int", Some(source_text(block, yaml))),
        YamlKind::String(text) => ("!!str", Some(text.to_string())),
        YamlKind::List(_) => ("!!seq", None),
        YamlKind::Map(_) => ("!!map", None),
    };
    let value = value.map_or(String::new(), |value| {
        if value.len() > 10 {
            let start = value.get(..7).unwrap_or_default();
            format!(" `{start}...`")
        } else {
            format!(" `{value}`")
        }
    });
    let message = format!("line {line}: cannot unmarshal {tag}{value} into {wanted}");
    (line, message)
}

fn source_text(block: &Block<'_>, yaml: &Yaml) -> String {
    block.source.slice(yaml.span).to_owned()
}

fn find_repeated(block: &Block<'_>, entries: &[super::Entry], wrong: &mut Vec<Mismatch>) {
    for (idx, (key, _)) in entries.iter().enumerate() {
        let before = entries.get(..idx).unwrap_or_default();
        let Some((first, _)) = before.iter().find(|(other, _)| other == key) else {
            continue;
        };
        let line = line_of(block, key);
        let mut name = String::new();
        write_quoted(&mut name, &text_of(key));
        let first = line_of(block, first);
        let message = format!("line {line}: mapping key {name} already defined at line {first}");
        wrong.push((line, message));
    }
}

fn check_shape(block: &Block<'_>, value: &Yaml, shape: Shape, wrong: &mut Vec<Mismatch>) {
    let item_shape = match shape {
        Shape::Texts => Some(Shape::Text),
        Shape::Maps => Some(Shape::Map),
        _ => None,
    };
    match (&value.kind, shape) {
        (YamlKind::Null, _)
        | (YamlKind::Bool(_) | YamlKind::Number(_) | YamlKind::String(_), Shape::Text)
        | (YamlKind::Bool(_), Shape::Flag)
        | (YamlKind::Map(_), Shape::Map) => {}
        (YamlKind::String(text), Shape::Flag) if old_bool(text).is_some() => {}
        (YamlKind::List(items), Shape::Texts | Shape::Anys | Shape::Maps) => {
            for item in items {
                if let Some(shape) = item_shape {
                    check_shape(block, item, shape, wrong);
                }
            }
        }
        _ => wrong.push(mismatch(block, value, shape.type_name())),
    }
}

/// Returns the boolean that a word meant in YAML 1.1, which is still one where a boolean must be.
fn old_bool(text: &str) -> Option<bool> {
    match text {
        "y" | "Y" | "yes" | "Yes" | "YES" | "on" | "On" | "ON" => Some(true),
        "n" | "N" | "no" | "No" | "NO" | "off" | "Off" | "OFF" => Some(false),
        _ => None,
    }
}

/// Tells whether a node is true where a boolean must be.
pub(crate) fn is_true(yaml: &Yaml) -> bool {
    match &yaml.kind {
        YamlKind::Bool(value) => *value,
        YamlKind::String(text) => old_bool(text) == Some(true),
        _ => false,
    }
}

/// Returns the text of a scalar.
pub(crate) fn text_of(yaml: &Yaml) -> String {
    match &yaml.kind {
        YamlKind::String(text) | YamlKind::Number(text) => text.to_string(),
        YamlKind::Bool(value) => value.to_string(),
        YamlKind::Null | YamlKind::List(_) | YamlKind::Map(_) => String::new(),
    }
}

fn items<'y>(yaml: &'y Yaml, field: &str) -> &'y [Yaml] {
    match yaml.get(field).map(|value| &value.kind) {
        Some(YamlKind::List(items)) => items,
        _ => &[],
    }
}

/// Returns a node as Go's `%s` shows it.
fn shown(yaml: &Yaml) -> String {
    match &yaml.kind {
        YamlKind::String(text) => text.to_string(),
        YamlKind::Null => "%!s(<nil>)".to_owned(),
        YamlKind::Bool(value) => format!("%!s(bool={value})"),
        YamlKind::Number(text) if text.contains(['.', 'e', 'E']) => {
            format!("%!s(float64={text})")
        }
        YamlKind::Number(text) => format!("%!s(int={text})"),
        YamlKind::List(items) => {
            let items: Vec<String> = items.iter().map(shown).collect();
            format!("[{}]", items.join(" "))
        }
        YamlKind::Map(entries) => {
            let mut pairs: Vec<String> =
                entries.iter().map(|(key, value)| format!("{}:{}", shown(key), shown(value))).collect();
            pairs.sort();
            format!("map[{}]", pairs.join(" "))
        }
    }
}

fn trimmed<'y>(yaml: &'y Yaml, field: &str) -> &'y str {
    let text = yaml.get(field).and_then(Yaml::as_str);
    text.unwrap_or_default().trim()
}

fn check_related(yaml: &Yaml) -> Result<(), String> {
    for item in items(yaml, "related_resources") {
        let fault = match &item.kind {
            YamlKind::String(text) if text.is_empty() => "ref URL may not be empty string".into(),
            YamlKind::String(_) => continue,
            YamlKind::Map(entries) => match bad_key(entries, "") {
                Some(fault) => fault,
                None if !trimmed(item, "ref").is_empty() => continue,
                None => "'ref' value required in object".into(),
            },
            _ => "invalid value type, must be string or map".to_owned(),
        };
        let item = shown(item);
        return Err(format!("invalid related-resource definition {item}: {fault}"));
    }
    Ok(())
}

fn check_authors(yaml: &Yaml) -> Result<(), String> {
    for item in items(yaml, "authors") {
        let fault = match &item.kind {
            YamlKind::String(text) if text.trim().is_empty() => "author is an empty string".into(),
            YamlKind::String(_) => continue,
            YamlKind::Map(entries) => match bad_key(entries, "") {
                Some(fault) => fault,
                None if !(trimmed(item, "name").is_empty() && trimmed(item, "email").is_empty()) => {
                    continue;
                }
                None => "'name' and/or 'email' values required in object".into(),
            },
            _ => "invalid value type, must be string or map".to_owned(),
        };
        return Err(format!("invalid author definition {}: {fault}", shown(item)));
    }
    Ok(())
}

fn check_compile(yaml: &Yaml) -> Result<(), String> {
    let Some(compile) = yaml.get("compile") else {
        return Ok(());
    };
    for unknown in items(compile, "unknowns").iter().filter_map(Yaml::as_str) {
        let fault = match kind_of_term(unknown) {
            Ok(TermKind::Ref(_)) => continue,
            Ok(kind) => format!("expected ref but got {}", kind_text(&kind, unknown)),
            Err(fault) => fault,
        };
        let mut quoted = String::new();
        write_quoted(&mut quoted, unknown);
        return Err(format!("invalid unknowns element {quoted}: {fault}"));
    }
    let Some(mask) = compile.get("mask_rule").and_then(Yaml::as_str) else {
        return Ok(());
    };
    let mut quoted = String::new();
    write_quoted(&mut quoted, mask);
    match kind_of_term(mask) {
        Ok(TermKind::Ref(_) | TermKind::Var(_) | TermKind::String(_)) => Ok(()),
        Ok(_) => Err(format!("invalid mask_rule annotation type {quoted}: string")),
        Err(fault) => Err(format!("invalid mask_rule annotation {quoted}: {fault}")),
    }
}

fn kind_text(kind: &TermKind, written: &str) -> String {
    match kind {
        TermKind::Var(name) => name.to_string(),
        _ => written.to_owned(),
    }
}

/// Returns what kind of term a text is.
fn kind_of_term(text: &str) -> Result<TermKind, String> {
    let options = ParseOptions { version: RegoVersion::V1, annotations: false, ..ParseOptions::default() };
    let parsed = parse_term(text, &options);
    match parsed.tree {
        Some(term) => Ok(term.kind),
        None => {
            let list = crate::diagnostics::list_text(&parsed.diagnostics);
            Err(format!("failed to parse term: {list}"))
        }
    }
}

fn check_schemas(yaml: &Yaml) -> Result<(), String> {
    for item in items(yaml, "schemas") {
        let YamlKind::Map(entries) = &item.kind else {
            continue;
        };
        let Some((key, value)) = entries.first() else {
            return Err("invalid document reference".to_owned());
        };
        let path = text_of(key);
        if !matches!(kind_of_term(&path), Ok(TermKind::Ref(_))) {
            return Err("invalid document reference".to_owned());
        }
        match &value.kind {
            YamlKind::String(text) if is_schema_path(text) => {}
            YamlKind::String(_) => return Err("invalid schema reference".to_owned()),
            YamlKind::Map(_) => {}
            _ => {
                let mut quoted = String::new();
                write_quoted(&mut quoted, &path);
                return Err(format!("invalid schema declaration for path {quoted}"));
            }
        }
    }
    Ok(())
}

fn is_schema_path(text: &str) -> bool {
    match kind_of_term(text) {
        Ok(TermKind::Var(name)) => name.as_ref() == "schema",
        Ok(TermKind::Ref(reference)) => reference.head.as_var() == Some("schema"),
        _ => false,
    }
}

fn check_maps(yaml: &Yaml) -> Result<(), String> {
    for field in ["custom", "labels"] {
        let Some(YamlKind::Map(entries)) = yaml.get(field).map(|value| &value.kind) else {
            continue;
        };
        for (_, value) in entries {
            if let Some(fault) = bad_key_below(value, "") {
                return Err(fault);
            }
        }
    }
    Ok(())
}

fn bad_key_below(value: &Yaml, path: &str) -> Option<String> {
    match &value.kind {
        YamlKind::Map(entries) => bad_key(entries, path),
        YamlKind::List(items) => items.iter().enumerate().find_map(|(idx, item)| {
            let path = joined(path, &idx.to_string());
            bad_key_below(item, &path)
        }),
        _ => None,
    }
}

/// Returns the fault of a map with a key that is no string. A map whose own keys are all strings
/// is not looked into, as in OPA.
fn bad_key(entries: &[super::Entry], path: &str) -> Option<String> {
    let all_text = entries.iter().all(|(key, _)| key.as_str().is_some());
    (!all_text).then(|| format!("invalid map key type(s): {path}"))
}

fn joined(path: &str, part: &str) -> String {
    if path.is_empty() { part.to_owned() } else { format!("{path}/{part}") }
}
