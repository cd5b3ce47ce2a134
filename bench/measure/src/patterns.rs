//! Patterns that ruin engines which turn back, or count, each on 1 MB of text: time with reading the pattern.
//!
//! Kinds: nested repetitions, alternatives that overlap, large counted repetitions, chains of `.*`, classes of Unicode,
//! matches that are only settled at the end of the text, and the like for globs.

use lictor::{Engine, Input, Options, Policy, Session, json};

use crate::{Outcome, usage};

const BYTES: usize = 1_000_000;
const POLICY: &[u8] = b"package app

match := regex.match(input.pattern, input.text)

find_n := count(regex.find_n(input.pattern, input.text, -1))

find_all_string_submatch_n := count(regex.find_all_string_submatch_n(input.pattern, input.text, -1))

replace := count(regex.replace(input.text, input.pattern, \"<$0>\"))

split := count(regex.split(input.pattern, input.text))

match_glob := glob.match(input.pattern, [\"/\"], input.text)
";
const OPERATIONS: [&str; 5] = ["match", "find_n", "find_all_string_submatch_n", "replace", "split"];

pub(crate) fn measure() -> Outcome {
    let mut engine = Engine::new(Options::default());
    engine.add_module("app.rego", POLICY, None);
    let policy = engine.compile()?;
    for (name, pattern, text) in regexes() {
        for operation in OPERATIONS {
            one(&policy, operation, name, &pattern, &text)?;
        }
    }
    globs().iter().try_for_each(|(name, pattern, text)| one(&policy, "match_glob", name, pattern, text))
}

fn one(policy: &Policy, operation: &str, name: &str, pattern: &str, text: &str) -> Outcome {
    let query = policy.prepare(&format!("data.app.{operation}"))?;
    let input = format!("{{\"pattern\":{},\"text\":{}}}", quoted(pattern), quoted(text));
    let input = json::read_document(input.as_bytes())?;
    let mut least = f64::MAX;
    let mut out = Vec::new();
    for _ in 0..3 {
        // A new session knows no pattern.
        let mut session = Session::default();
        out.clear();
        let start = usage::cpu();
        query.decide_json(&mut session, Input::Value(input.root()), &mut out)?;
        least = least.min((usage::cpu() - start).as_secs_f64() * 1e3);
    }
    let answer = String::from_utf8_lossy(&out);
    println!(
        "{{\"figure\":\"patterns\",\"case\":\"{name}\",\"operation\":\"{operation}\",\"answer\":{answer},\"ms\":{least:.2}}}"
    );
    Ok(())
}

fn quoted(text: &str) -> String {
    let escaped = text.replace('\\', "\\\\").replace('"', "\\\"").replace('\n', "\\n");
    format!("\"{escaped}\"")
}

type Case = (&'static str, String, String);

fn regexes() -> Vec<Case> {
    let a = || "a".repeat(BYTES);
    let not_quite = || format!("{}!", "a".repeat(BYTES - 1));
    let letters = || random(&["a", "b"]);
    let points = || random(&["é", "λ", "日", "ß", "a", "\u{1f600}"]);
    let words = || random(&["foo ", "bar", "12", "-", "\n", "x=y ", "\"", "<a>"]);
    let case = |name, pattern: &str, text: String| (name, pattern.to_owned(), text);
    vec![
        case("nested plus", "(a+)+$", not_quite()),
        case("nested star", "^(a*)*b$", not_quite()),
        case("nested classes", "^(([a-z])+.)+[A-Z]([a-z])+$", a()),
        case("empty turns", "((a*)*)*$", not_quite()),
        case("alternatives alike", "^(a|a)*$", not_quite()),
        case("alternatives that overlap", "(ab|a|b|ba)*c", "ab".repeat(BYTES / 2)),
        case("mail address", r"^([a-zA-Z0-9])(([\-.]|[_]+)?([a-zA-Z0-9]+))*(@){1}[a-z0-9]+[.]{1}[a-z]{2,3}$", not_quite()),
        case("turning back", "(x+x+)+y", "x".repeat(BYTES)),
        case("optional ones", &format!("{}{}", "a?".repeat(300), "a".repeat(300)), a()),
        case("counted", "a{0,1000}b", a()),
        case("counted at the end", "a{1000}$", not_quite()),
        case("counted in counted", "(a{0,30}){30}b", a()),
        case("counted, each state new", "a[ab]{100}c", letters()),
        case("counted far, each state new", "a[ab]{900}c", letters()),
        case("chain of stars", "a.*a.*a.*a.*x", a()),
        case("chain of lazy stars", "a.*?a.*?a.*?a.*?x", letters()),
        case("settled at the end", "a.*b|a", a()),
        case("settled at the end, class", "<[^>]*>|<", "<".repeat(BYTES)),
        case("settled at the end, lazy", "a(.*?)x|a", letters()),
        case("comments never closed", r"/\*.*?\*/|/\*", "/* bbb".repeat(BYTES / 6)),
        case("strings never closed", r#""(?:[^"\\]|\\.)*"|\\"#, "\\\"".repeat(BYTES / 2)),
        case("blanks before the end", r"\s+$", format!("{}x", " ".repeat(BYTES))),
        case("classes of Unicode", r"(\pL+)*\pN", points()),
        case("classes of Unicode, counted", r"[\pL\pS]{1,500}x", points()),
        case("classes of Unicode, counted twice", r"([^\pL]{0,50}\pL){20}\d", points()),
        case("letters in any case", "(?i)(é|λ|ß)+日+x", points()),
        case("words", r"(\b\w+\b\s*)+$", words()),
        case("tags", r"<(\w+)[^>]*>(.*?)</(\w+)>", words()),
        case("lines", r"(?m)^(\s*\w*\s*)*$", words()),
    ]
}

fn globs() -> Vec<Case> {
    let a = || "a".repeat(BYTES);
    vec![
        ("stars", "*a*a*a*a*a*a*b".to_owned(), a()),
        ("many stars", format!("{}b", "*a".repeat(60)), a()),
        ("groups of stars", format!("{}b", "{*a,*ca}".repeat(12)), a()),
        ("groups of stars, 30", format!("[b]{}**", "{*a,*ca}".repeat(30)), a()),
        ("groups of stars, 300", format!("[b]{}**", "{*a,*ca}".repeat(300)), random(&["a", "b", "ca"])),
        ("groups, each state new", format!("[c]*{}a**", "{a,ba}".repeat(300)), random(&["a", "b"])),
        ("mixed groups, each state new", format!("[c]*{}a**", "{a,ba,?b,[ab]a?}".repeat(300)), random(&["a", "b"])),
        ("questions, each state new", format!("[c]*{}a**", "?".repeat(900)), random(&["a", "b"])),
        ("crossing stars", "**a**a**a**c".to_owned(), random(&["a", "b"])),
        ("classes", "*[a-z]*[a-z]*[!b]?*?*?*z".to_owned(), a()),
    ]
}

/// A text of these pieces, from a fixed seed.
fn random(pieces: &[&str]) -> String {
    let mut seed = 88_172_645_463_325_252_u64;
    let mut out = String::new();
    while out.len() < BYTES {
        seed ^= seed << 13;
        seed ^= seed >> 7;
        seed ^= seed << 17;
        let index = usize::try_from(seed >> 33).unwrap_or(0) % pieces.len();
        out.push_str(pieces.get(index).copied().unwrap_or_default());
    }
    out
}
