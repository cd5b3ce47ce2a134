//! Formatter cases: a source and, in a file beside it, what formatting it must give.
//!
//! The folder that a source lies in says for which versions it is formatted (`v1`, `v0_to_v1` …).
//! `X.formatted` is the wanted text, byte for byte; `X.formatted_no_keywords_in_refs` the one where
//! references may not have keywords behind dots; `X.error` the whole text of the wanted error, or
//! a source of its own that must be refused, if `X` has a wanted text too.

use std::{
    fs,
    path::{Path, PathBuf},
};

use super::compare::Judged;

/// The name that the wanted errors have for the folder of the cases.
const FOLDER: &str = "testfiles";

/// A version of the language, as formatting knows them.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Version {
    /// Rego as before 1.0.
    V0,
    /// Rego 1.0.
    V1,
    /// Rego 1.0 with `and`, `or` and the new `not`.
    V2,
}

/// A formatter case.
#[derive(Debug, Clone)]
pub struct FormatCase {
    /// Folder and file name of what is wanted.
    pub id: String,
    /// The name of the source, as errors show it.
    pub name: String,
    /// The source.
    pub source: Vec<u8>,
    /// The version that the source is in, and the oldest that the output must be in.
    pub from: Version,
    /// The newest version that the output must be in.
    pub to: Version,
    /// Whether keywords may stand behind dots in references.
    pub keywords_in_refs: bool,
    /// What is wanted.
    pub want: Want,
}

/// What a formatter case wants.
#[derive(Debug, Clone)]
pub enum Want {
    /// This text.
    Text(String),
    /// An error with this text.
    Error(String),
    /// An error.
    AnyError,
}

/// Reads the cases below a folder, in the order of file names.
///
/// # Errors
///
/// Names the file that cannot be read or lies in a folder of no version.
pub fn cases(folder: &Path) -> Result<Vec<FormatCase>, String> {
    let mut found = Vec::new();
    for path in files(folder)? {
        let Some((source, ending)) = split(&path) else { continue };
        let want = match ending.as_str() {
            "error" if beside(&source, "formatted").exists() => Want::AnyError,
            "error" => Want::Error(text(&path)?),
            _ => Want::Text(text(&path)?),
        };
        let source = if matches!(want, Want::AnyError) { path.clone() } else { source };
        let folder = source.parent().and_then(Path::file_name).unwrap_or_default().to_string_lossy();
        let (from, to) = versions(&folder).ok_or_else(|| format!("{}: no version", path.display()))?;
        let file = |path: &Path| path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        found.push(FormatCase {
            id: format!("{folder}/{}", file(&path)),
            name: format!("{FOLDER}/{folder}/{}", file(&source)),
            source: fs::read(&source).map_err(|err| format!("{}: {err}", source.display()))?,
            from,
            to,
            keywords_in_refs: ending != "formatted_no_keywords_in_refs",
            want,
        });
    }
    Ok(found)
}

/// Judges what a formatter gives; formatting that again, which `again` does, must not change it.
///
/// # Errors
///
/// Says what differs.
pub fn judge(
    case: &FormatCase,
    got: &Result<String, String>,
    again: impl FnOnce(&str) -> Result<String, String>,
) -> Judged {
    match (&case.want, got) {
        (Want::AnyError, Err(_)) => Ok(()),
        (Want::Error(want), Err(got)) if want == got => Ok(()),
        (Want::Error(want), Err(got)) => Err(format!("wanted the error\n{want}\ngot\n{got}")),
        (Want::Error(_) | Want::AnyError, Ok(got)) => Err(format!("wanted an error, got\n{got}")),
        (Want::Text(_), Err(got)) => Err(format!("refused: {got}")),
        (Want::Text(want), Ok(got)) if want != got => Err(first_difference(want, got)),
        (Want::Text(want), Ok(_)) => match again(want) {
            Ok(text) if text == *want => Ok(()),
            Ok(text) => Err(format!("a second time: {}", first_difference(want, &text))),
            Err(why) => Err(format!("a second time: {why}")),
        },
    }
}

fn first_difference(want: &str, got: &str) -> String {
    let same = want.lines().zip(got.lines()).take_while(|(want, got)| want == got).count();
    let line =
        |text: &str| text.lines().nth(same).map_or_else(|| "the end".to_owned(), |it| format!("{it:?}"));
    format!("line {}: wanted {}, got {}", same + 1, line(want), line(got))
}

fn versions(folder: &str) -> Option<(Version, Version)> {
    let version = |name: &str| match name {
        "v0" => Some(Version::V0),
        "v1" => Some(Version::V1),
        "v2" => Some(Version::V2),
        _ => None,
    };
    let (from, to) = folder.split_once("_to_").unwrap_or((folder, folder));
    Some((version(from)?, version(to)?))
}

/// Takes the name of a wanted file apart: its source and what it is.
fn split(path: &Path) -> Option<(PathBuf, String)> {
    let ending = path.extension()?.to_str()?.to_owned();
    let known = ["formatted", "formatted_no_keywords_in_refs", "error"];
    let source = path.with_extension("");
    (known.contains(&ending.as_str()) && source.extension()? == "rego").then_some((source, ending))
}

fn beside(source: &Path, ending: &str) -> PathBuf {
    let mut name = source.as_os_str().to_owned();
    name.push(".");
    name.push(ending);
    name.into()
}

fn text(path: &Path) -> Result<String, String> {
    fs::read_to_string(path).map_err(|err| format!("{}: {err}", path.display()))
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let entries = fs::read_dir(folder).map_err(|err| format!("{}: {err}", folder.display()))?;
    let mut found = Vec::new();
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}
