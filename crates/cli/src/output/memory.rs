//! What `inspect --memory` shows: bytes of documents and of packages, as text and as JSON.
//!
//! Apart because the layout is ours; it gets the report and counts nothing itself.

use lictor::MemoryReport;
use lictor_syntax::printer::is_plain_key;

use crate::output::{json, table};

/// Shows the report as text.
pub(crate) fn as_text(report: &MemoryReport) -> Vec<u8> {
    let mut out = String::from("DATA:\n");
    let mut rows = vec![vec!["data".to_owned(), report.data_bytes.to_string()]];
    rows.extend(report.documents.iter().map(|it| vec![reference(&it.path), it.bytes.to_string()]));
    push(&["DOCUMENT", "BYTES"], rows, &mut out);
    out.push_str("PACKAGES:\n");
    let package = |it: &lictor::PackageMemory| {
        vec![it.path.clone(), it.source_bytes.to_string(), it.program_bytes.to_string()]
    };
    let mut rows: Vec<Vec<String>> = report.packages.iter().map(package).collect();
    rows.push(vec!["(shared)".to_owned(), String::new(), report.shared_bytes.to_string()]);
    push(&["PACKAGE", "TEXT BYTES", "PROGRAM BYTES"], rows, &mut out);
    out.into_bytes()
}

/// Draws a table with its figures to the right.
fn push(header: &[&str], mut rows: Vec<Vec<String>>, out: &mut String) {
    for column in 1..header.len() {
        let cells = || rows.iter().filter_map(|it| it.get(column)).map(String::len);
        let width = cells().chain(header.get(column).map(|it| it.len())).max().unwrap_or(0);
        for cell in rows.iter_mut().filter_map(|it| it.get_mut(column)) {
            *cell = format!("{cell:>width$}");
        }
    }
    let header: Vec<String> = header.iter().map(|it| (*it).to_owned()).collect();
    out.push_str(&table::draw(&header, &rows));
}

fn reference(path: &[String]) -> String {
    path.iter().fold("data".to_owned(), |out, key| {
        if is_plain_key(key) {
            return format!("{out}.{key}");
        }
        let mut quoted = Vec::new();
        json::string(key, &mut quoted);
        format!("{out}[{}]", String::from_utf8_lossy(&quoted))
    })
}

/// Shows the report as JSON.
pub(crate) fn as_json(report: &MemoryReport) -> Vec<u8> {
    let mut out = b"{\"memory\":{".to_vec();
    let number = |name: &str, bytes: u64, out: &mut Vec<u8>| {
        json::key(name, out);
        json::number(bytes, out);
    };
    number("data_bytes", report.data_bytes, &mut out);
    json::key("documents", &mut out);
    out.push(b'[');
    for document in &report.documents {
        json::item(&mut out);
        out.push(b'{');
        json::key("path", &mut out);
        out.push(b'[');
        for key in &document.path {
            json::item(&mut out);
            json::string(key, &mut out);
        }
        out.push(b']');
        number("bytes", document.bytes, &mut out);
        out.push(b'}');
    }
    out.push(b']');
    json::key("packages", &mut out);
    out.push(b'[');
    for package in &report.packages {
        json::item(&mut out);
        out.push(b'{');
        json::key("path", &mut out);
        json::string(&package.path, &mut out);
        number("source_bytes", package.source_bytes, &mut out);
        number("program_bytes", package.program_bytes, &mut out);
        out.push(b'}');
    }
    out.push(b']');
    number("shared_bytes", report.shared_bytes, &mut out);
    out.extend_from_slice(b"}}");
    json::indented(&out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor::{DocumentMemory, PackageMemory};

    #[test]
    fn figures_stand_to_the_right() {
        let document = |path: &[&str], bytes| DocumentMemory {
            path: path.iter().map(|it| (*it).to_owned()).collect(),
            bytes,
        };
        let report = MemoryReport {
            documents: vec![document(&["a"], 900), document(&["a", "b c"], 48)],
            data_bytes: 1_000,
            packages: vec![PackageMemory { path: "data.p".to_owned(), source_bytes: 7, program_bytes: 64 }],
            shared_bytes: 128,
        };
        let wanted = "\
DATA:
┌───────────────┬───────┐
│   DOCUMENT    │ BYTES │
├───────────────┼───────┤
│ data          │  1000 │
│ data.a        │   900 │
│ data.a[\"b c\"] │    48 │
└───────────────┴───────┘
PACKAGES:
┌──────────┬────────────┬───────────────┐
│ PACKAGE  │ TEXT BYTES │ PROGRAM BYTES │
├──────────┼────────────┼───────────────┤
│ data.p   │          7 │            64 │
│ (shared) │            │           128 │
└──────────┴────────────┴───────────────┘
";
        assert_eq!(String::from_utf8_lossy(&as_text(&report)), wanted);
    }
}
