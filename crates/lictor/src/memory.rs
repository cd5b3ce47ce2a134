//! What a policy's data and rules take in memory, by document and by package.
//!
//! Apart because it walks over everything, which no decision does: ask seldom, and not on a thread that serves. Bytes
//! are counted, not estimated, for what is counted at all: nodes of base data, texts of modules, and programs of
//! prepared entrypoints. Trees of rules, which compile them, are left out.

use lictor_value::{Value, Weigher};
use lictor_vm::Program;

use crate::policy::Policy;

/// Larger documents are told, the rest of a level in one sum.
const DOCUMENTS_MAX: usize = 32;

/// What a policy takes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct MemoryReport {
    /// The largest documents below `data`, largest first. Where one takes most of the data, those below it follow it.
    pub documents: Vec<DocumentMemory>,
    /// Bytes of all data: documents, and what edits left behind until it is gathered.
    pub data_bytes: u64,
    /// The packages that have modules, in the order of their names.
    pub packages: Vec<PackageMemory>,
    /// Bytes that programs take for what is no package's: constants, names, functions made for queries.
    pub shared_bytes: u64,
}

/// What a document takes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub struct DocumentMemory {
    /// Its keys below `data`; one, or two below a document that takes most of the data.
    pub path: Vec<String>,
    /// Its bytes; what several documents share counts for the first of them, in the order of keys.
    pub bytes: u64,
}

/// What a package takes.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct PackageMemory {
    /// Its path, as `data.a.b`.
    pub path: String,
    /// Bytes of the texts of its modules.
    pub source_bytes: u64,
    /// Bytes of its rules in the programs of prepared entrypoints, of which each has its own.
    pub program_bytes: u64,
}

impl Policy {
    /// Tells what data and rules take. It walks over all data once, whatever its size.
    #[must_use]
    pub fn memory(&self) -> MemoryReport {
        let document = self.document();
        let mut report = MemoryReport {
            documents: documents(document.root()),
            data_bytes: document.bytes() as u64,
            packages: self.packages(),
            shared_bytes: 0,
        };
        for query in self.prepared_queries() {
            report.add_program(query.program());
        }
        report
    }

    fn packages(&self) -> Vec<PackageMemory> {
        let mut packages: Vec<PackageMemory> = Vec::new();
        for module in self.modules().iter() {
            let names = module.package.path.iter().filter_map(|it| it.as_str());
            let path = names.fold("data".to_owned(), |path, name| format!("{path}.{name}"));
            let source_bytes = module.source.text().len() as u64;
            match packages.iter_mut().find(|it| it.path == path) {
                Some(known) => known.source_bytes += source_bytes,
                None => packages.push(PackageMemory { path, source_bytes, program_bytes: 0 }),
            }
        }
        packages.sort_by(|a, b| a.path.cmp(&b.path));
        packages
    }
}

impl MemoryReport {
    fn add_program(&mut self, program: &Program) {
        self.shared_bytes += program.shared_bytes() as u64;
        for (name, bytes) in program.function_bytes() {
            // `g0.data.a.b.p`: the group before the path.
            let path = name.split_once('.').map_or("", |it| it.1);
            let of = |package: &PackageMemory| {
                path.strip_prefix(&*package.path).is_some_and(|it| it.is_empty() || it.starts_with('.'))
            };
            let package = self.packages.iter_mut().filter(|it| of(it)).max_by_key(|it| it.path.len());
            match package {
                Some(package) => package.program_bytes += bytes as u64,
                None => self.shared_bytes += bytes as u64,
            }
        }
    }
}

/// A document with the largest ones below it.
struct Root {
    document: DocumentMemory,
    below: Vec<DocumentMemory>,
}

/// Returns the largest documents of one level, and those below one that takes more than half.
fn documents(data: Value<'_>) -> Vec<DocumentMemory> {
    let mut weigher = Weigher::new();
    let mut roots: Vec<Root> = Vec::new();
    let mut all = 0;
    for (key, value) in data.as_object().into_iter().flat_map(|it| it.iter()) {
        let root = weighed(&mut weigher, name(key), value);
        all += root.document.bytes;
        push_large(&mut roots, root, |it| it.document.bytes);
    }
    let mut out = Vec::new();
    for Root { document, below } in roots {
        let dominates = document.bytes > all / 2;
        out.push(document);
        out.extend(below.into_iter().filter(|_| dominates));
    }
    out
}

fn weighed<'d>(weigher: &mut Weigher<'d>, key: String, value: Value<'d>) -> Root {
    let mut below = Vec::new();
    let mut bytes = 0;
    for (inner, value) in value.as_object().into_iter().flat_map(|it| it.iter()) {
        let document = DocumentMemory { path: vec![key.clone(), name(inner)], bytes: weigher.add(value) };
        bytes += document.bytes;
        push_large(&mut below, document, |it| it.bytes);
    }
    // What is left is the object of the keys.
    bytes += weigher.add(value);
    Root { document: DocumentMemory { path: vec![key], bytes }, below }
}

fn name(key: Value<'_>) -> String {
    key.as_str().map(str::to_owned).unwrap_or_default()
}

/// Puts an item in its place by size, and leaves out the smallest of too many.
fn push_large<T>(items: &mut Vec<T>, item: T, bytes: impl Fn(&T) -> u64) {
    let place = items.partition_point(|it| bytes(it) >= bytes(&item));
    if place < DOCUMENTS_MAX {
        items.insert(place, item);
        items.truncate(DOCUMENTS_MAX);
    }
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Options};

    #[test]
    fn documents_and_packages_are_told() {
        let mut engine = Engine::new(Options::default());
        let rows: Vec<String> =
            (0..500).map(|it| format!("\"key number {it}\":\"value number {it}\"")).collect();
        let data = format!(
            r#"{{"small":{{"x":[1,2]}},"none":1,"big":{{"rows":{{{}}},"few":[1]}}}}"#,
            rows.join(",")
        );
        engine.add_data_json(&[], "data.json", data.as_bytes()).expect("JSON");
        engine.add_module("a.rego", b"package a\np if data.big.rows[input.x]\n", None);
        engine.add_module("b.rego", b"package a.b\nq if data.a.p\n", None);
        let policy = engine.compile().expect("a policy");
        policy.prepare("data.a").expect("prepared");
        let report = policy.memory();
        let paths: Vec<String> = report.documents.iter().map(|it| it.path.join(".")).collect();
        assert_eq!(paths, ["big", "big.rows", "big.few", "small", "none"]);
        let bytes: Vec<u64> = report.documents.iter().map(|it| it.bytes).collect();
        assert_eq!(bytes[3..], [7 * 8, 0]);
        assert!(bytes[0] > bytes[1] && bytes[1] > 500 * 40, "{bytes:?}");
        // Beside the documents there are the object of their keys and the first word.
        assert_eq!(bytes[0] + bytes[3] + 9 * 8, report.data_bytes);
        let packages: Vec<(&str, u64)> =
            report.packages.iter().map(|it| (&*it.path, it.source_bytes)).collect();
        assert_eq!(packages, [("data.a", 38), ("data.a.b", 26)]);
        assert!(report.packages.iter().all(|it| it.program_bytes > 0) && report.shared_bytes > 0);
    }
}
