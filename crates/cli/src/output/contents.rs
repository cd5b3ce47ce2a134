//! What `inspect` shows of a bundle or file, as text and as JSON.
//!
//! Apart because both layouts are OPA's, down to the order of keys and where long names are cut. It gets what was found
//! and decides nothing.

mod notes;

use std::collections::BTreeMap;

use lictor::{Placed, Query, ReadStep, Reads, Requirements, json as engine_json};
use lictor_bundle::{Bundle, Manifest};
use lictor_syntax::ast::{Term, TermKind};
use lictor_syntax::tree_json::annotation_json;

use crate::output::{json, table};

/// No cell of a table is longer.
const CELL_MAX: usize = 50;

/// Is what was found.
pub(crate) struct Contents<'c> {
    pub(crate) namespaces: BTreeMap<String, Vec<String>>,
    /// None of a single file.
    pub(crate) bundle: Option<&'c Bundle>,
    pub(crate) annotations: Vec<Placed<'c>>,
    pub(crate) requirements: Requirements,
    /// Entrypoints whose reads are told.
    pub(crate) reads: Vec<(String, Query)>,
}

/// Is a step of a block's path, as it is sorted.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) enum Key {
    Null,
    Bool(bool),
    Number(String),
    Text(String),
}

/// Returns the path below `data` of what a block speaks of.
pub(crate) fn path_of(block: &Placed<'_>) -> Vec<Key> {
    let mut path: Vec<Key> = block.module.package.path.iter().filter_map(key).collect();
    if let Some(rule) = block.rule {
        let reference = &rule.head.reference;
        path.extend(reference.head.as_var().map(|it| Key::Text(it.to_owned())));
        path.extend(reference.parts.iter().map_while(key));
    }
    path
}

fn key(term: &Term) -> Option<Key> {
    Some(match &term.kind {
        TermKind::Null => Key::Null,
        TermKind::Bool(value) => Key::Bool(*value),
        TermKind::Number(number) => Key::Number(number.to_string()),
        TermKind::String(text) => Key::Text(text.value.to_string()),
        _ => return None,
    })
}

/// Returns the file and row of what a block stands above.
fn place(block: &Placed<'_>) -> (String, u32, u32) {
    let span = block.rule.map_or(block.module.package.span, |it| it.span);
    let position = block.module.source.position(span.start);
    (block.module.source.name().to_string(), position.row, position.col)
}

/// Shows everything as text.
pub(crate) fn as_text(contents: &Contents<'_>) -> Vec<u8> {
    let mut out = String::new();
    if let Some(bundle) = contents.bundle {
        push_table("MANIFEST:", ["FIELD", "VALUE"], &manifest_rows(&bundle.manifest), &mut out);
    }
    let mut rows = Vec::new();
    for (path, files) in &contents.namespaces {
        for (at, file) in files.iter().enumerate() {
            let path = if at == 0 { path.as_str() } else { "" };
            rows.push(vec![path.to_owned(), shortened(file)]);
        }
    }
    push_table("NAMESPACES:", ["NAMESPACE", "FILE"], &rows, &mut out);
    if !contents.annotations.is_empty() {
        out.push_str("ANNOTATIONS:\n");
        for block in &contents.annotations {
            notes::push(block, &place(block), &mut out);
        }
    }
    for (entrypoint, query) in &contents.reads {
        let rows: Vec<Vec<String>> =
            read_paths(query).into_iter().map(|(root, path)| vec![join(root, &path)]).collect();
        out.push_str(&format!("READS OF {entrypoint}:\n"));
        out.push_str(&table::draw(&["DOCUMENT".to_owned()], &rows));
    }
    out.into_bytes()
}

fn push_table(title: &str, header: [&str; 2], rows: &[Vec<String>], out: &mut String) {
    if rows.is_empty() {
        return;
    }
    out.push_str(title);
    out.push('\n');
    out.push_str(&table::draw(&header.map(str::to_owned), rows));
}

fn manifest_rows(manifest: &Manifest) -> Vec<Vec<String>> {
    let mut rows: Vec<(&str, String)> = Vec::new();
    if let Some(version) = manifest.rego_version {
        rows.push(("Rego Version", version.to_string()));
    }
    if !manifest.revision.is_empty() {
        rows.push(("Revision", cut(&manifest.revision, CELL_MAX)));
    }
    let mut roots: Vec<&String> = manifest.roots.as_slice().iter().collect();
    roots.sort();
    if roots.len() > 1 || roots.first().is_some_and(|it| !it.is_empty()) {
        for (at, root) in roots.into_iter().enumerate() {
            rows.push((if at == 0 { "Roots" } else { "" }, shortened(root)));
        }
    }
    if let Some(metadata) = manifest.metadata.as_ref().filter(|it| it.root().collection_len() != Some(0)) {
        rows.push(("Metadata", cut(&metadata.root().to_json(), CELL_MAX)));
    }
    rows.into_iter().map(|(field, value)| vec![field.to_owned(), value]).collect()
}

/// Returns a text no longer than a width, the end cut off.
fn cut(text: &str, width: usize) -> String {
    if text.len() < width {
        return text.to_owned();
    }
    let mut end = width.saturating_sub(3);
    while !text.is_char_boundary(end) {
        end -= 1;
    }
    format!("{}...", text.get(..end).unwrap_or_default())
}

/// Returns the name of a file with folders in its middle left out if it is long.
fn shortened(name: &str) -> String {
    if name.len() < CELL_MAX {
        return name.to_owned();
    }
    let folders = name.rsplit_once('/').map_or("", |it| it.0).trim_start_matches('/');
    let mut middle = folders.split_once('/').map_or(folders, |it| it.1);
    let free = (CELL_MAX + middle.len()).saturating_sub(name.len() + 3);
    if free > 0 {
        let keep = middle.len().saturating_sub(free);
        middle = middle.get(..keep).unwrap_or_default();
    }
    if middle.len() > 3 { name.replacen(middle, "...", 1) } else { name.to_owned() }
}

/// Shows everything as JSON.
pub(crate) fn as_json(contents: &Contents<'_>) -> Vec<u8> {
    let mut out = b"{".to_vec();
    if let Some(bundle) = contents.bundle {
        json::key("manifest", &mut out);
        write_manifest(&bundle.manifest, &mut out);
    }
    json::key("signatures_config", &mut out);
    let signatures = contents.bundle.and_then(|it| it.signatures.as_ref());
    let signatures = signatures.and_then(|it| engine_json::read_document(&it.bytes).ok());
    match signatures {
        Some(signatures) => signatures.root().write_json(&mut out),
        None => out.extend_from_slice(b"{}"),
    }
    if let Some(bundle) = contents.bundle.filter(|it| !it.wasm_modules.is_empty()) {
        json::key("wasm_modules", &mut out);
        write_wasm(bundle, &mut out);
    }
    if !contents.namespaces.is_empty() {
        json::key("namespaces", &mut out);
        out.push(b'{');
        for (path, files) in &contents.namespaces {
            json::key(path, &mut out);
            write_texts(files, &mut out);
        }
        out.push(b'}');
    }
    if !contents.annotations.is_empty() {
        json::key("annotations", &mut out);
        out.push(b'[');
        for block in &contents.annotations {
            json::item(&mut out);
            write_block(block, &mut out);
        }
        out.push(b']');
    }
    json::key("capabilities", &mut out);
    write_requirements(&contents.requirements, &mut out);
    if !contents.reads.is_empty() {
        write_reads(&contents.reads, &mut out);
    }
    out.push(b'}');
    json::indented(&out)
}

fn write_manifest(manifest: &Manifest, out: &mut Vec<u8>) {
    out.push(b'{');
    json::key("revision", out);
    json::string(&manifest.revision, out);
    json::key("roots", out);
    write_texts(manifest.roots.as_slice(), out);
    if !manifest.wasm.is_empty() {
        json::key("wasm", out);
        out.push(b'[');
        for entry in &manifest.wasm {
            json::item(out);
            out.push(b'{');
            json::key("entrypoint", out);
            json::string(&entry.entrypoint, out);
            json::key("module", out);
            json::string(&entry.module, out);
            out.push(b'}');
        }
        out.push(b']');
    }
    if let Some(version) = manifest.rego_version {
        json::key("rego_version", out);
        json::number(version, out);
    }
    if !manifest.file_rego_versions.is_empty() {
        json::key("file_rego_versions", out);
        out.push(b'{');
        for (pattern, version) in &manifest.file_rego_versions {
            json::key(pattern, out);
            json::number(*version, out);
        }
        out.push(b'}');
    }
    if let Some(metadata) = &manifest.metadata {
        json::key("metadata", out);
        metadata.root().write_json(out);
    }
    out.push(b'}');
}

fn write_wasm(bundle: &Bundle, out: &mut Vec<u8>) {
    out.push(b'[');
    for module in &bundle.wasm_modules {
        json::item(out);
        out.push(b'{');
        json::key("entrypoints", out);
        let own =
            bundle.manifest.wasm.iter().filter(|it| it.module == module.path || it.module == module.name);
        let entrypoints: Vec<String> =
            own.map(|it| format!("data.{}", it.entrypoint.trim_matches('/').replace('/', "."))).collect();
        if entrypoints.is_empty() {
            out.extend_from_slice(b"null");
        } else {
            write_texts(&entrypoints, out);
        }
        json::key("path", out);
        json::string(&module.path, out);
        json::key("url", out);
        json::string(&module.name, out);
        out.push(b'}');
    }
    out.push(b']');
}

fn write_texts(texts: &[String], out: &mut Vec<u8>) {
    out.push(b'[');
    for text in texts {
        json::item(out);
        json::string(text, out);
    }
    out.push(b']');
}

fn write_block(block: &Placed<'_>, out: &mut Vec<u8>) {
    out.push(b'{');
    json::key("annotations", out);
    match annotation_json(block.module, block.annotation) {
        Ok(text) => out.extend_from_slice(text.as_bytes()),
        Err(_) => out.extend_from_slice(b"{}"),
    }
    let (file, row, col) = place(block);
    json::key("location", out);
    json::location(&file, row, col, out);
    json::key("path", out);
    out.push(b'[');
    json::term("var", out, |out| json::string("data", out));
    for key in path_of(block) {
        match key {
            Key::Text(text) => json::term("string", out, |out| json::string(&text, out)),
            Key::Number(number) => json::term("number", out, |out| out.extend_from_slice(number.as_bytes())),
            Key::Bool(value) => {
                json::term("boolean", out, |out| out.extend_from_slice(value.to_string().as_bytes()));
            }
            Key::Null => json::term("null", out, |out| out.extend_from_slice(b"{}")),
        }
    }
    out.extend_from_slice(b"]}");
}

fn write_requirements(requirements: &Requirements, out: &mut Vec<u8>) {
    out.push(b'{');
    if !requirements.builtins.is_empty() {
        json::key("builtins", out);
        out.push(b'[');
        for builtin in &requirements.builtins {
            json::item(out);
            out.extend_from_slice(builtin.as_bytes());
        }
        out.push(b']');
    }
    for (name, list) in
        [("future_keywords", &requirements.future_keywords), ("features", &requirements.features)]
    {
        if !list.is_empty() {
            json::key(name, out);
            write_texts(list, out);
        }
    }
    out.push(b'}');
}

/// Writes what entrypoints can read, each document as its path; `null` stands for any key.
fn write_reads(reads: &[(String, Query)], out: &mut Vec<u8>) {
    json::key("reads", out);
    out.push(b'{');
    for (entrypoint, query) in reads {
        json::key(entrypoint, out);
        out.push(b'[');
        for (root, path) in read_paths(query) {
            json::item(out);
            out.push(b'[');
            json::string(root, out);
            for step in path {
                json::item(out);
                match step {
                    Some(key) => json::string(&key, out),
                    None => out.extend_from_slice(b"null"),
                }
            }
            out.push(b']');
        }
        out.push(b']');
    }
    out.push(b'}');
}

/// Is the root of paths below `data` that somebody else keeps.
const EXTERNAL: &str = "external";

type ReadPath = (&'static str, Vec<Option<String>>);

/// Returns the paths that an entrypoint can read, sorted.
fn read_paths(query: &Query) -> Vec<ReadPath> {
    let mut out = Vec::new();
    let mut add = |root: &'static str, reads: &Reads| {
        reads.for_each(|path, _| {
            let steps = path.iter().map(|it| match it {
                ReadStep::Key(key) => Some(key.to_string()),
                ReadStep::Any => None,
            });
            out.push((root, steps.collect()));
        });
    };
    add("data", &query.reads().data);
    add(EXTERNAL, &query.reads().external);
    add("input", &query.reads().input);
    out.sort();
    out
}

fn join(root: &str, path: &[Option<String>]) -> String {
    let (root, behind) = if root == EXTERNAL { ("data", " (external)") } else { (root, "") };
    let path = path.iter().fold(root.to_owned(), |out, step| match step {
        Some(key) => format!("{out}.{key}"),
        None => format!("{out}[_]"),
    });
    path + behind
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn long_names_are_cut() {
        assert_eq!(cut("abcdef", 6), "abc...");
        assert_eq!(cut("abcde", 6), "abcde");
        let long = "bundle/some/very/long/way/to/a/file/that/is/deep/policy.rego";
        assert_eq!(shortened(long).len(), 50);
        assert!(shortened(long).ends_with("policy.rego"));
    }
}
