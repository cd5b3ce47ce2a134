//! The texts of `--help`: a command's usage and its flags, from the table.
//!
//! Apart because it is layout alone: widths and order as Go's flag library prints them. It must not know what a flag
//! does.

use std::fmt::Write as _;

use super::{Flag, Kind};

/// Flags that are taken and no longer shown, as by OPA.
const HIDDEN: &[&str] = &["v1-compatible", "rego-v1"];

/// Returns the usage and the flags of a command; flags that are not there yet are left out.
pub(crate) fn usage(line: &str, flags: &[Flag]) -> String {
    let mut rows: Vec<(String, String)> =
        flags.iter().filter(|it| it.kind != Kind::Absent && !HIDDEN.contains(&it.name)).map(row).collect();
    let command = line.split(' ').next().unwrap_or_default();
    rows.push(("  -h, --help".to_owned(), format!("help for {command}")));
    rows.sort_by(|a, b| sort_key(&a.0).cmp(sort_key(&b.0)));
    let width = rows.iter().map(|it| it.0.chars().count()).max().unwrap_or(0);
    let mut out = format!("Usage:\n  lictor {line}\n\nFlags:\n");
    for (left, right) in rows {
        // Writing to a string cannot fail.
        let _ = writeln!(out, "{left:width$}   {right}");
    }
    out
}

fn row(flag: &Flag) -> (String, String) {
    let mut left = match flag.short {
        Some(letter) => format!("  -{letter}, --{}", flag.name),
        None => format!("      --{}", flag.name),
    };
    let mut right = flag.help.to_owned();
    match flag.kind {
        Kind::Switch | Kind::Absent => {}
        Kind::On => right.push_str(" (default true)"),
        Kind::Text(default) => {
            left.push_str(" string");
            if !default.is_empty() {
                let _ = write!(right, " (default {default:?})");
            }
        }
        Kind::List => left.push_str(" string"),
        Kind::CommaList => left.push_str(" strings"),
        Kind::Number(default) => {
            left.push_str(" int");
            if default != 0 {
                let _ = write!(right, " (default {default})");
            }
        }
        Kind::Time => left.push_str(" duration"),
        Kind::Choice(words) => {
            let _ = write!(left, " {{{}}}", words.join(","));
            let _ = write!(right, " (default {})", words.first().copied().unwrap_or_default());
        }
        Kind::ChoiceOr(default, words) => {
            let _ = write!(left, " {{{}}}", words.join(","));
            let _ = write!(right, " (default {default})");
        }
    }
    (left, right)
}

fn sort_key(left: &str) -> &str {
    left.split_once("--").map_or(left, |it| it.1)
}
