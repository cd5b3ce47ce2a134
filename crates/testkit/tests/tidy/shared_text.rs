//! Watches that no file here holds a piece of others' test data.
//!
//! The shared conformance cases are Apache-2.0 files of others: they are run in place and never
//! committed. This test takes every module, query and source text of those cases and fails if a file
//! of ours holds 80 characters of one, white space aside. Each text is cut into blocks of 40; any 80
//! characters hold one whole block, so a rolling hash over our files that looks each window up in the
//! set of blocks finds every copy in one pass. Without the shared folder the test says so and passes.

use std::{
    collections::HashMap,
    fs,
    path::{Path, PathBuf},
};

use super::sources;
use crate::root;

const COPIED_MIN: usize = 80;
const BLOCK: usize = COPIED_MIN / 2;
const BASE: u64 = 0x9E37_79B9_7F4A_7C15;
/// Blocks that repeat (padding, tables) are kept this many times; more say nothing new.
const PLACES_MAX: usize = 16;

/// The folder of shared cases: `LICTOR_SHARED`, else `../shared` beside the repository.
fn shared() -> Option<PathBuf> {
    let folder = std::env::var_os("LICTOR_SHARED").map_or_else(|| root().join("../shared"), PathBuf::from);
    folder.join("conformance").is_dir().then_some(folder)
}

/// Reports a test that could not run to the script that counts, which takes it off the passed ones.
fn skip(reason: &str) {
    use std::io::Write as _;
    let Some(log) = std::env::var_os("LICTOR_SKIP_LOG") else {
        return;
    };
    let mut file =
        fs::OpenOptions::new().create(true).append(true).open(log).expect("the skip log can be written");
    writeln!(file, "{reason}").expect("the skip log can be written");
}

#[test]
fn nothing_of_others_is_copied() {
    let Some(folder) = shared() else {
        return skip("nothing_of_others_is_copied: no shared cases beside the repository");
    };
    let mut texts = Vec::new();
    collect(&folder.join("conformance"), &mut texts);
    assert!(texts.len() > 100, "only {} texts below {}", texts.len(), folder.display());
    let index = Index::new(texts.iter().map(|it| squeeze(it)).collect());
    let mut faults = Vec::new();
    for source in sources() {
        if source.path.ends_with("LICENSE") || source.path.ends_with(".lock") {
            continue;
        }
        let plain = squeeze(&source.text);
        let unescaped = squeeze(&unescape(&source.text));
        let copied = index.longest(&plain).or_else(|| index.longest(&unescaped));
        if let Some(copied) = copied {
            faults.push(format!(
                "{}: {} characters: {}",
                source.path,
                copied.len(),
                String::from_utf8_lossy(copied)
            ));
        }
    }
    assert!(faults.is_empty(), "others' text in our files:\n  {}", faults.join("\n  "));
}

/// Gathers the texts of all cases below `folder`: sources inside JSON files, and other files whole.
fn collect(folder: &Path, texts: &mut Vec<String>) {
    for entry in fs::read_dir(folder).expect("the shared folder can be read").flatten() {
        let path = entry.path();
        if path.is_dir() {
            // Plans and recorded exchanges hold no source text.
            if !path.ends_with("ir") && !path.ends_with("rest") {
                collect(&path, texts);
            }
            continue;
        }
        let Ok(text) = fs::read_to_string(&path) else {
            continue;
        };
        match path.extension().and_then(|it| it.to_str()) {
            Some("json" | "jsonl") => text_of_cases(&text, texts),
            // Messages of the peer are facts that ours must equal.
            Some("md" | "error") => (),
            _ => texts.push(text),
        }
    }
}

fn text_of_cases(text: &str, texts: &mut Vec<String>) {
    for document in serde_json::Deserializer::from_str(text).into_iter::<serde_json::Value>() {
        // A number that the reader refuses ends the file early; the modules before it still count.
        let Ok(document) = document else { break };
        match document.get("cases").and_then(|it| it.as_array()) {
            Some(cases) => cases.iter().for_each(|it| text_of_case(it, texts)),
            None => text_of_case(&document, texts),
        }
    }
}

fn text_of_case(case: &serde_json::Value, texts: &mut Vec<String>) {
    for key in ["query", "input_term", "src"] {
        texts.extend(case.get(key).and_then(|it| it.as_str()).map(str::to_owned));
    }
    for module in case.get("modules").and_then(|it| it.as_array()).into_iter().flatten() {
        texts.extend(module.as_str().map(str::to_owned));
    }
}

/// Drops white space, and the lines of tables that a program draws: neither is anyone's text.
fn squeeze(text: &str) -> Vec<u8> {
    let is_text = |it: &char| !it.is_whitespace() && !('\u{2500}'..='\u{257F}').contains(it);
    text.chars().filter(is_text).collect::<String>().into_bytes()
}

/// Undoes the escapes of a quoted string, so that a module inside JSON or YAML is seen too.
fn unescape(text: &str) -> String {
    text.replace("\\n", " ").replace("\\t", " ").replace("\\\"", "\"").replace("\\\\", "\\")
}

/// The blocks of all texts by their hash, with a bitmap before the map for the many misses.
struct Index {
    texts: Vec<Vec<u8>>,
    places: HashMap<u64, Vec<(usize, usize)>>,
    bitmap: Vec<bool>,
}

impl Index {
    fn new(texts: Vec<Vec<u8>>) -> Index {
        let mut index = Index { texts: Vec::new(), places: HashMap::new(), bitmap: vec![false; 1 << 20] };
        for (number, text) in texts.iter().enumerate() {
            for (block, bytes) in text.chunks_exact(BLOCK).enumerate() {
                let hash = bytes.iter().fold(0, |hash, it| push(hash, *it));
                let places = index.places.entry(hash).or_default();
                if places.len() < PLACES_MAX {
                    places.push((number, block * BLOCK));
                }
                index.bitmap[slot(hash)] = true;
            }
        }
        index.texts = texts;
        index
    }

    /// Returns the first piece of `ours` that also stands in a text and is long enough to be a copy.
    fn longest<'a>(&self, ours: &'a [u8]) -> Option<&'a [u8]> {
        let power = (0..BLOCK).fold(1u64, |power, _| power.wrapping_mul(BASE));
        let mut hash = 0;
        for (end, byte) in ours.iter().enumerate() {
            hash = push(hash, *byte);
            if end >= BLOCK {
                hash = hash.wrapping_sub(power.wrapping_mul(u64::from(ours[end - BLOCK]) + 1));
            }
            if end + 1 >= BLOCK && self.bitmap[slot(hash)] {
                let copied = self.copied_at(ours, end + 1 - BLOCK, hash);
                if copied.is_some() {
                    return copied;
                }
            }
        }
        None
    }

    fn copied_at<'a>(&self, ours: &'a [u8], start: usize, hash: u64) -> Option<&'a [u8]> {
        for (number, place) in self.places.get(&hash)? {
            let theirs = &self.texts[*number];
            let before = ours[..start].iter().rev().zip(theirs[..*place].iter().rev());
            let before = before.take_while(|(a, b)| a == b).count();
            let after = ours[start..].iter().zip(&theirs[*place..]).take_while(|(a, b)| a == b).count();
            if before + after >= COPIED_MIN {
                return Some(&ours[start - before..start + after]);
            }
        }
        None
    }
}

fn push(hash: u64, byte: u8) -> u64 {
    hash.wrapping_mul(BASE).wrapping_add(u64::from(byte) + 1)
}

/// The place of a hash in the bitmap: its upper 20 bits.
fn slot(hash: u64) -> usize {
    usize::try_from(hash >> 44).expect("20 bits fit")
}

#[test]
fn a_copy_is_found_wherever_it_starts() {
    let theirs: Vec<u8> =
        (0..400u32).map(|it| b'a' + u8::try_from(it * 7_919 % 1_009 % 26).unwrap()).collect();
    let index = Index::new(vec![theirs.clone()]);
    for start in 0..100 {
        let mut ours = b"something of our own, long enough to stand before a copy of theirs!".to_vec();
        ours.extend_from_slice(&theirs[start..start + COPIED_MIN]);
        ours.extend_from_slice(b"!and after");
        assert_eq!(index.longest(&ours).map(<[u8]>::len), Some(COPIED_MIN), "start {start}");
    }
    let mut short = b"ours".to_vec();
    short.extend_from_slice(&theirs[7..7 + COPIED_MIN - 1]);
    short.push(b'!');
    assert_eq!(index.longest(&short), None);
}
