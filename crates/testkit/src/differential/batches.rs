//! Random calls of one family in batches: patterns, formats, arithmetic.
//!
//! One policy applies a family's built-ins to all rows of its input, so that what is compared is calls and hardly
//! anything else. A row that gives no value leaves no entry; the texts of errors are not seen here.

use std::collections::BTreeMap;
use std::io::Write;
use std::time::Instant;

use lictor::Passes;

use super::generate::{literals, operands, patterns};
use super::own::Own;
use super::peer::{Answer, NOW_NS, Outcome, Peer, Query, Request, Source};
use crate::json::{self, Json};
use crate::mutate::Random;

/// One row of so many has a long text.
const LONG_ROWS: usize = 100;
/// So many rows are asked at once.
const ROWS: usize = 250;
/// So many differences of a rule are printed.
const SHOWN_MAX: usize = 20;

/// A family.
#[derive(Clone, Copy, Debug)]
pub struct Family {
    /// The name, as the command line has it.
    pub name: &'static str,
    /// A rule each: what is computed of `c`, a row.
    rules: &'static [(&'static str, &'static str)],
    row: fn(&mut Random) -> String,
}

/// All families.
pub const FAMILIES: &[Family] = &[
    Family {
        name: "regex",
        rules: &[
            ("match", "regex.match(c[0], c[1])"),
            ("find", "regex.find_n(c[0], c[1], c[3])"),
            ("submatch", "regex.find_all_string_submatch_n(c[0], c[1], c[3])"),
            ("split", "regex.split(c[0], c[1])"),
            ("replace", "regex.replace(c[1], c[0], c[2])"),
            ("valid", "regex.is_valid(c[0])"),
        ],
        row: regex_row,
    },
    Family {
        name: "glob",
        rules: &[
            ("none", "glob.match(c[0], null, c[1])"),
            ("usual", "glob.match(c[0], [], c[1])"),
            ("given", "glob.match(c[0], c[2], c[1])"),
            ("quoted", "glob.match(glob.quote_meta(c[1]), c[2], c[1])"),
            ("quote", "glob.quote_meta(c[0])"),
        ],
        row: glob_row,
    },
    Family { name: "sprintf", rules: &[("text", "sprintf(c[0], c[1])")], row: sprintf_row },
    Family {
        name: "numbers",
        rules: &[
            ("plus", "c[0] + c[1]"),
            ("minus", "c[0] - c[1]"),
            ("times", "c[0] * c[1]"),
            ("divide", "c[0] / c[1]"),
            ("remainder", "c[0] % c[1]"),
            (
                "compare",
                "[c[0] < c[1], c[0] == c[1], c[0] >= c[1], c[0] in {c[1]}, {c[0], c[1]}, {c[0]: 1, c[1]: 2}]",
            ),
            ("round", "[round(c[0]), ceil(c[0]), floor(c[0]), abs(c[0])]"),
            ("bits", "[bits.and(c[0], c[1]), bits.or(c[0], c[1]), bits.xor(c[0], c[1]), bits.negate(c[0])]"),
            ("format", "[format_int(c[0], b) | some b in [2, 8, 10, 16]]"),
            ("number", "[to_number(c[3]), to_number(c[0])]"),
            (
                "sum",
                "[sum([c[0], c[1]]), product([c[0], c[1]]), max([c[0], c[1]]), min([c[0], c[1]]), sort([c[0], c[1]])]",
            ),
            (
                "text",
                "[json.marshal(c), sprintf(\"%v %d %f %g %s\", [c[0], c[0], c[0], c[0], c[0]]), yaml.marshal(c)]",
            ),
            ("template", "$\"{c[0]} {[c[1]]}\""),
            ("unmarshal", "json.unmarshal(c[2])"),
            ("yaml", "yaml.unmarshal(c[2])"),
            ("units", "$\"{units.parse(c[2])} {units.parse_bytes(c[2])}\""),
        ],
        row: numbers_row,
    },
];

fn list(items: &[String]) -> String {
    format!("[{}]", items.join(", "))
}

fn regex_row(random: &mut Random) -> String {
    let pattern = patterns::regex(random, 3);
    let replacement = patterns::replacement(random);
    let count = random.choose(&["-1", "0", "1", "2", "5"]);
    let is_long = random.below(LONG_ROWS) == 0;
    let text = if is_long { patterns::long_subject(random) } else { patterns::subject(random) };
    let texts = [pattern, text, replacement].map(|it| literals::quote(&it));
    let [pattern, text, replacement] = texts;
    list(&[pattern, text, replacement, count.to_owned()])
}

fn glob_row(random: &mut Random) -> String {
    let is_long = random.below(LONG_ROWS) == 0;
    let (pattern, text) = if is_long { patterns::long_glob(random) } else { short_glob(random) };
    let delimiters = random.choose(&[
        "[\".\"]",
        "[\"/\", \".\"]",
        "[\":\"]",
        "[\"\u{e9}\"]",
        "[\"a\"]",
        "[\"ab\"]",
        "[\"\"]",
    ]);
    list(&[literals::quote(&pattern), literals::quote(&text), delimiters.to_owned()])
}

fn short_glob(random: &mut Random) -> (String, String) {
    let pattern = patterns::glob(random);
    let text = if random.below(6) == 0 { pattern.clone() } else { patterns::glob_subject(random) };
    (pattern, text)
}

fn sprintf_row(random: &mut Random) -> String {
    let (format, count) = operands::sprintf_format(random);
    let args: Vec<String> = (0..count).map(|_| argument(random)).collect();
    list(&[literals::quote(&format), list(&args)])
}

fn argument(random: &mut Random) -> String {
    match random.below(8) {
        0..=2 => number(random),
        3 => random.choose(&["null", "true", "false"]).to_owned(),
        4 => random
            .choose(&["[]", "{}", "[1, \"a\", null]", "{\"a\": {\"b\": [1.0]}}", "[[\"\u{e9}\\n\"]]"])
            .to_owned(),
        5 => random.below(20).to_string(),
        _ => literals::quote(&patterns::subject(random)),
    }
}

/// Returns a number of any kind: an edge, an integer or a fraction of many digits, an exponent.
fn number(random: &mut Random) -> String {
    let digits = |random: &mut Random, most: usize| {
        let count = 1 + random.below(most);
        (0..count).map(|_| char::from(b'0' + u8::try_from(random.below(10)).unwrap_or(0))).collect::<String>()
    };
    let sign = random.choose(&["", "", "", "-"]);
    let first = 1 + random.below(9);
    match random.below(8) {
        0 | 1 => random.choose(literals::EDGES).to_owned(),
        2 => format!("{sign}{}", random.below(20)),
        3 => format!("{sign}{first}{}", digits(random, 40)),
        4 => format!("{sign}{first}.{}", digits(random, 25)),
        5 => format!("{sign}0.{}", digits(random, 30)),
        6 => {
            let exponent = random.below(40);
            let side = random.choose(&["", "-", "+"]);
            format!("{sign}{first}.{}e{side}{exponent}", digits(random, 18))
        }
        _ => format!("{sign}{first}{}.{}", digits(random, 12), digits(random, 6)),
    }
}

fn numbers_row(random: &mut Random) -> String {
    let (first, second) = (number(random), number(random));
    let text = match random.below(4) {
        0 => format!("{}{}", number(random), random.choose(&["k", "Ki", "M", "GiB", "m", "x"])),
        1 => random
            .choose(&[
                "0x10", "1_000", "+1", ".5", "1.", "01", "1e", "Inf", "nan", "0b1", " 1", "1e5000", "--1",
            ])
            .to_owned(),
        _ => number(random),
    };
    // Of a text that is a number to Go and not to JSON, OPA makes one that it cannot write.
    let strict = match random.below(4) {
        0 => random.choose(&["", " 1", "--1", "a", "Inf", "nan", "1e", "1 2", "0xg"]).to_owned(),
        _ => number(random),
    };
    list(&[first, second, literals::quote(&text), literals::quote(&strict)])
}

impl Family {
    /// Compares so many random rows; says whether nothing differed.
    ///
    /// # Errors
    /// When the peer cannot be run or what is found cannot be printed.
    pub fn run(&self, peer: &str, seed: u64, count: u64, out: &mut dyn Write) -> Result<bool, String> {
        let mut peer = Peer::new(peer);
        let mut own = Own::default();
        let mut random = Random::new(seed);
        let (mut rows_done, mut calls, mut values, mut differing) = (0, 0_u64, 0_u64, 0);
        let mut shown: BTreeMap<&str, usize> = BTreeMap::new();
        let began = Instant::now();
        while rows_done < count {
            let rows: Vec<String> = (0..ROWS).map(|_| (self.row)(&mut random)).collect();
            let request = self.request(&rows);
            let (ours, theirs) = (own.ask(&request, Passes::ALL), peer.ask(&request)?);
            for (rule, (ours, theirs)) in
                self.rules.iter().zip(outcomes(&ours)?.iter().zip(outcomes(&theirs)?))
            {
                let (ours, theirs) = (entries(ours)?, entries(theirs)?);
                for (index, row) in rows.iter().enumerate() {
                    let key = index.to_string();
                    let (ours, theirs) = (ours.get(&key), theirs.get(&key));
                    calls += 1;
                    values += u64::from(theirs.is_some());
                    if text(ours) == text(theirs) {
                        continue;
                    }
                    differing += 1;
                    let shown = shown.entry(rule.0).or_default();
                    *shown += 1;
                    if *shown <= SHOWN_MAX {
                        let (ours, theirs) = (text(ours), text(theirs));
                        writeln!(out, "{} {row}\n    own: {ours}\n    opa: {theirs}", rule.1)
                            .map_err(|err| err.to_string())?;
                    }
                }
            }
            rows_done += u64::try_from(ROWS).unwrap_or(0);
        }
        writeln!(
            out,
            "{}: seed {seed}, {rows_done} cases, {calls} calls, {values} with a value, {differing} differ, {:.0} s",
            self.name,
            began.elapsed().as_secs_f64()
        )
        .map_err(|err| err.to_string())?;
        Ok(differing == 0)
    }

    fn request(&self, rows: &[String]) -> Request {
        let rules = self.rules.iter().map(|(name, term)| {
            format!("of_{name}[i] := v if {{\n\tsome i, c in input\n\tv := {term}\n}}\n\n")
        });
        let text = format!("package t\n\n{}", rules.collect::<String>());
        let input = list(rows);
        let queries = self.rules.iter().map(|(name, _)| Query {
            text: format!("data.t.of_{name}"),
            bindings: false,
            inputs: vec![Some(input.clone())],
        });
        Request {
            modules: vec![Source { name: "t.rego".to_owned(), text, v0: false }],
            data: "{}".to_owned(),
            strict: false,
            now_ns: NOW_NS,
            budget_ms: 60_000,
            indexing: true,
            survey: false,
            apart: false,
            reversed: false,
            mended: Vec::new(),
            queries: queries.collect(),
        }
    }
}

fn outcomes(answer: &Answer) -> Result<&[Outcome], String> {
    match answer {
        Answer::Decided(outcomes) => Ok(outcomes),
        Answer::Refused(faults) => Err(format!("the family's policy is refused: {faults:?}")),
    }
}

fn entries(outcome: &Outcome) -> Result<BTreeMap<String, Json>, String> {
    match outcome {
        Outcome::Value { json: Some(text), .. } => match json::parse(text)? {
            Json::Object(members) => Ok(members),
            other => Err(format!("no object: {other}")),
        },
        other => Err(format!("no object: {other:?}")),
    }
}

fn text(value: Option<&Json>) -> String {
    value.map_or_else(|| "undefined".to_owned(), ToString::to_string)
}
