//! Runs the sessions of `corpus/cli`: command lines with what they must print.
//!
//! A session is a text file. Lines from `$ lictor …` on are commands with what they write to the standard output;
//! lines that start with `2> ` are what they write to the standard error, and `[n]` is the exit code, 0 if there is
//! none. `<file` gives the standard input. Behind `-- name --` stands the content of a file. Times and the like are
//! written as `N`. With `LICTOR_BLESS=1` the sessions are rewritten to what the binary says.

use std::fmt::Write as _;
use std::fs;
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

const SESSIONS: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/../../corpus/cli");

#[test]
fn sessions_go_as_recorded() {
    let mut names: Vec<PathBuf> = fs::read_dir(SESSIONS)
        .expect("the folder of sessions")
        .map(|it| it.expect("an entry").path())
        .filter(|it| it.extension().is_some_and(|it| it == "session"))
        .collect();
    names.sort();
    assert!(!names.is_empty(), "there are sessions");
    let bless = std::env::var_os("LICTOR_BLESS").is_some();
    let mut wrong = Vec::new();
    for name in names {
        let text = fs::read_to_string(&name).expect("a session");
        let said = replay(&text);
        if bless {
            fs::write(&name, &said).expect("rewritten");
        } else if said != text {
            wrong.push(format!("{}:\n{}", name.display(), difference(&text, &said)));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn endless_query_ends_in_time() {
    let query = "numbers.range(1, 500)[a] + numbers.range(1, 500)[b] + numbers.range(1, 500)[c] < 0";
    let output = Command::new(env!("CARGO_BIN_EXE_lictor"))
        .args(["eval", "--timeout", "50ms", "--format", "raw", query])
        .output()
        .expect("ended");
    assert_eq!(output.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&output.stderr).contains("eval_cancel_error: "));
}

/// Runs the commands of a session and returns it with what they say.
fn replay(text: &str) -> String {
    let (script, files) = split(text);
    let folder = Folder::new();
    for (name, content) in &files {
        let path = folder.0.join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("made");
        fs::write(path, content).expect("written");
    }
    let mut out = String::new();
    let mut lines = script.lines().peekable();
    while let Some(line) = lines.next() {
        out.push_str(line);
        out.push('\n');
        if let Some(command) = line.strip_prefix("$ lictor") {
            out.push_str(&run(command, &folder.0));
            // What was recorded ends before the next command or remark.
            while lines.peek().is_some_and(|it| !it.starts_with("$ ") && !it.starts_with("# ")) {
                lines.next();
            }
        }
    }
    for (name, content) in files {
        let _ = write!(out, "-- {name} --\n{content}");
    }
    out
}

fn split(text: &str) -> (String, Vec<(String, String)>) {
    let mut script = String::new();
    let mut files: Vec<(String, String)> = Vec::new();
    for line in text.split_inclusive('\n') {
        let name = line.trim_end().strip_prefix("-- ").and_then(|it| it.strip_suffix(" --"));
        match (name, files.last_mut()) {
            (Some(name), _) => files.push((name.to_owned(), String::new())),
            (None, Some(file)) => file.1.push_str(line),
            (None, None) => script.push_str(line),
        }
    }
    (script, files)
}

fn run(line: &str, folder: &Path) -> String {
    let mut arguments = words(line);
    let input = arguments.iter().position(|it| it.starts_with('<')).map(|at| arguments.remove(at));
    let mut child = Command::new(env!("CARGO_BIN_EXE_lictor"))
        .args(&arguments)
        .current_dir(folder)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("started");
    let input = input.map(|it| folder.join(it.trim_start_matches('<')));
    let bytes = input.map(|it| fs::read(it).expect("the input")).unwrap_or_default();
    // A command that does not read its input may have ended.
    let _ = child.stdin.take().expect("piped").write_all(&bytes);
    let output = child.wait_with_output().expect("ended");
    let mut said = masked(&String::from_utf8_lossy(&output.stdout));
    for line in masked(&String::from_utf8_lossy(&output.stderr)).lines() {
        let _ = writeln!(said, "{}", format!("2> {line}").trim_end());
        // What follows is the table of flags.
        if line == "Usage:" {
            break;
        }
    }
    match output.status.code() {
        Some(0) => {}
        code => {
            let _ = writeln!(said, "[{}]", code.expect("no signal"));
        }
    }
    said
}

/// Splits a command line at spaces, but not within single quotes.
fn words(line: &str) -> Vec<String> {
    let mut words = Vec::new();
    let (mut word, mut quoted, mut started) = (String::new(), false, false);
    for point in line.chars() {
        match point {
            '\'' => {
                quoted = !quoted;
                started = true;
            }
            ' ' if !quoted => {
                if started {
                    words.push(std::mem::take(&mut word));
                }
                started = false;
            }
            _ => {
                word.push(point);
                started = true;
            }
        }
    }
    if started {
        words.push(word);
    }
    words
}

/// Writes `N` for times and identifiers: what follows the name of a timer, and what stands behind the verdict on a test.
fn masked(text: &str) -> String {
    const VERDICTS: [&str; 3] = [": PASS (", ": FAIL (", ": ERROR ("];
    let mut out = String::new();
    for line in text.split_inclusive('\n') {
        if let Some((_, rest)) = line.strip_prefix("time=\"").and_then(|it| it.split_once('"')) {
            out.push_str("time=\"N\"");
            out.push_str(rest);
            continue;
        }
        let id = line.find("\"decision_id\": \"").or_else(|| line.find("\"time\":\""));
        if let Some(at) = id {
            out.push_str(&masked_id(line, at));
            continue;
        }
        let varying = ["_ns\": ", "\"duration\": ", "\"program_bytes\": ", "\"shared_bytes\": "];
        let timer = varying.iter().find_map(|it| Some(line.find(it)? + it.len()));
        let verdict = VERDICTS.iter().find_map(|it| Some(line.find(it)? + it.len()));
        match (timer, verdict) {
            (Some(at), _) if line.trim_end().ends_with(|it: char| it.is_ascii_digit() || it == ',') => {
                let (name, rest) = line.split_at(at);
                out.push_str(name);
                out.push('N');
                out.extend(rest.chars().filter(|it| !it.is_ascii_digit()));
            }
            (_, Some(at)) => {
                let (name, _) = line.split_at(at);
                out.push_str(name);
                out.push_str("N)\n");
            }
            _ => out.push_str(line),
        }
    }
    out
}

/// Writes `N` for a quoted value; `at` is where its name starts.
fn masked_id(line: &str, at: usize) -> String {
    let mut parts: Vec<&str> = line.split('"').collect();
    let before = line.get(..at).map_or(0, |it| it.matches('"').count());
    if let Some(value) = parts.get_mut(before + 3) {
        *value = "N";
    }
    parts.join("\"")
}

fn difference(wanted: &str, said: &str) -> String {
    let at = wanted.lines().zip(said.lines()).position(|it| it.0 != it.1);
    let at = at.unwrap_or(wanted.lines().count().min(said.lines().count()));
    let show = |text: &str| text.lines().skip(at.saturating_sub(3)).take(10).collect::<Vec<_>>().join("\n");
    format!("line {}, recorded:\n{}\nsaid:\n{}", at + 1, show(wanted), show(said))
}

/// A folder of its own for a session, removed at the end.
struct Folder(PathBuf);

impl Folder {
    fn new() -> Self {
        use std::sync::atomic::{AtomicU32, Ordering};
        static NUMBER: AtomicU32 = AtomicU32::new(0);
        let number = NUMBER.fetch_add(1, Ordering::Relaxed);
        let path = std::env::temp_dir().join(format!("lictor-session-{}-{number}", std::process::id()));
        fs::create_dir_all(&path).expect("made");
        Self(path)
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}
