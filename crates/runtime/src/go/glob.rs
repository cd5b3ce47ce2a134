//! Globs as `glob.match` knows them.
//!
//! `*` and `?` stop at the delimiters, `**` does not, classes are either a list or one
//! range, groups `{a,b}` nest. Patterns are read by `glob/lex.rs` into a small program whose
//! states are all followed at once, so that no pattern makes matching slow; long texts are
//! left to the linear search of regular expressions (`glob/long.rs`). Which patterns
//! are refused, and the error texts, are those of the library that OPA uses. Nothing here
//! knows of values or caches.

mod lex;
mod long;
mod plain;

use std::mem;
use std::sync::OnceLock;

use self::lex::{Class, Lexer, Token};
pub(crate) use self::plain::is_plain_match;
use crate::go::regex::linear::Linear;

/// Following more steps times bytes of the text is left to the linear search; less in tests, so that they meet it.
const WORK_MAX: usize = if cfg!(any(test, fuzzing)) { 1 << 8 } else { 1 << 13 };

/// Says why a pattern was refused; the offset is in bytes.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("glob: syntax error at {offset}: {reason}")]
pub struct GlobError {
    offset: usize,
    reason: &'static str,
}

/// A compiled pattern; matches only whole texts.
#[derive(Debug)]
pub struct Glob {
    delimiters: Box<[char]>,
    /// What every match begins and ends with; for most patterns that settles it.
    prefix: String,
    suffix: String,
    shape: Shape,
}

#[derive(Debug)]
enum Shape {
    /// Only the prefix.
    Exact,
    /// Prefix, one star, suffix; `crosses` if delimiters may stand between.
    OneStar {
        crosses: bool,
    },
    Program(Program),
}

/// Steps that are followed all at once.
#[derive(Debug)]
struct Program {
    steps: Vec<Step>,
    /// For each step, and the end, what is reached from it without reading a character, as bits; none for more
    /// steps than there are bits.
    reached: Option<Vec<u128>>,
    /// For long texts; made for the first one.
    linear: OnceLock<Option<Box<Linear>>>,
}

#[derive(Debug)]
enum Step {
    Char(char),
    /// `?`.
    Any,
    /// `*`, or `**` if it crosses delimiters.
    Star {
        crosses: bool,
    },
    Class(Class),
    /// Goes on at each of these steps.
    Split(Vec<usize>),
    Jump(usize),
}

/// A group that is being read: where its `Split` stands, its branches, the jumps to its end.
struct Group {
    split: usize,
    branches: Vec<usize>,
    jumps: Vec<usize>,
}

impl Glob {
    /// Compiles a pattern; without delimiters `*` and `?` match everything.
    ///
    /// # Errors
    ///
    /// Returns the library's error for a pattern that it refuses.
    pub fn new(pattern: &str, delimiters: &[char]) -> Result<Self, GlobError> {
        let mut steps = parse(pattern)?;
        let mut prefix = String::new();
        let mut suffix = String::new();
        let linear = !steps.iter().any(|step| matches!(step, Step::Split(_)));
        if linear {
            take_ends(&mut steps, &mut prefix, &mut suffix);
        }
        let shape = match steps.as_slice() {
            [] => Shape::Exact,
            [Step::Star { crosses }] => Shape::OneStar { crosses: *crosses },
            _ => Shape::Program(Program::new(steps)),
        };
        Ok(Self { delimiters: delimiters.into(), prefix, suffix, shape })
    }

    /// Says whether the pattern matches the whole text.
    pub fn is_match(&self, text: &str) -> bool {
        let middle = text.strip_prefix(self.prefix.as_str());
        let Some(middle) = middle.and_then(|rest| rest.strip_suffix(self.suffix.as_str())) else {
            return false;
        };
        match &self.shape {
            Shape::Exact => middle.is_empty(),
            Shape::OneStar { crosses: true } => true,
            Shape::OneStar { crosses: false } => !middle.chars().any(|c| self.stops(c)),
            Shape::Program(program) => self.follow(program, middle),
        }
    }

    fn follow(&self, program: &Program, text: &str) -> bool {
        let Program { steps, reached, linear } = program;
        if steps.len().saturating_mul(text.len()) > WORK_MAX {
            let linear = linear.get_or_init(|| long::linear(steps, &self.delimiters).map(Box::new));
            if let Some(found) = linear.as_deref().and_then(|it| it.is_whole_match(text)) {
                return found;
            }
        }
        match reached {
            Some(reached) => self.run_bits(steps, reached, text),
            None => self.run(steps, text),
        }
    }

    fn stops(&self, c: char) -> bool {
        self.delimiters.contains(&c)
    }

    /// As [`Self::run`], with the steps that a match may be at as bits: nothing is allocated.
    fn run_bits(&self, steps: &[Step], reached: &[u128], text: &str) -> bool {
        let from = |at: usize| reached.get(at).copied().unwrap_or(0);
        let mut current = from(0);
        for c in text.chars() {
            let mut next = 0;
            while current != 0 {
                let at = current.trailing_zeros() as usize;
                current &= current - 1;
                next |= match steps.get(at) {
                    Some(Step::Char(want)) if *want == c => from(at + 1),
                    Some(Step::Any) if !self.stops(c) => from(at + 1),
                    Some(Step::Class(class)) if class.contains(c) => from(at + 1),
                    Some(Step::Star { crosses }) if *crosses || !self.stops(c) => from(at),
                    _ => 0,
                };
            }
            if next == 0 {
                return false;
            }
            current = next;
        }
        current >> steps.len() & 1 == 1
    }

    fn run(&self, steps: &[Step], text: &str) -> bool {
        let mut current = States::new(steps.len());
        let mut next = States::new(steps.len());
        current.enter(steps, 0);
        for c in text.chars() {
            for &at in &current.active {
                match steps.get(at) {
                    Some(Step::Char(want)) if *want == c => next.enter(steps, at + 1),
                    Some(Step::Any) if !self.stops(c) => next.enter(steps, at + 1),
                    Some(Step::Class(class)) if class.contains(c) => next.enter(steps, at + 1),
                    Some(Step::Star { crosses }) if *crosses || !self.stops(c) => {
                        next.enter(steps, at);
                    }
                    _ => {}
                }
            }
            mem::swap(&mut current, &mut next);
            next.clear();
            if current.active.is_empty() {
                return false;
            }
        }
        current.active.contains(&steps.len())
    }
}

impl Program {
    fn new(steps: Vec<Step>) -> Self {
        let fits = steps.len() < 128;
        let reached = fits.then(|| {
            (0..=steps.len())
                .map(|at| {
                    let mut states = States::new(steps.len());
                    states.enter(&steps, at);
                    states.active.iter().fold(0, |bits, it| bits | 1 << it)
                })
                .collect()
        });
        Self { steps, reached, linear: OnceLock::new() }
    }
}

/// The steps a match may be at; the end of the program counts as a step.
struct States {
    active: Vec<usize>,
    seen: Vec<bool>,
    pending: Vec<usize>,
}

impl States {
    fn new(len: usize) -> Self {
        Self { active: Vec::new(), seen: vec![false; len + 1], pending: Vec::new() }
    }

    /// Adds a step and all that can be reached from it without reading a character.
    fn enter(&mut self, steps: &[Step], at: usize) {
        self.pending.push(at);
        while let Some(at) = self.pending.pop() {
            match self.seen.get_mut(at) {
                Some(seen) if !*seen => *seen = true,
                _ => continue,
            }
            self.active.push(at);
            match steps.get(at) {
                Some(Step::Star { .. }) => self.pending.push(at + 1),
                Some(Step::Split(targets)) => self.pending.extend(targets),
                Some(Step::Jump(target)) => self.pending.push(*target),
                _ => {}
            }
        }
    }

    fn clear(&mut self) {
        for at in self.active.drain(..) {
            if let Some(seen) = self.seen.get_mut(at) {
                *seen = false;
            }
        }
    }
}

fn parse(pattern: &str) -> Result<Vec<Step>, GlobError> {
    let mut lexer = Lexer::new(pattern);
    let mut steps = Vec::new();
    let mut groups: Vec<Group> = Vec::new();
    loop {
        match lexer.next()? {
            Token::End if groups.is_empty() => return Ok(steps),
            Token::End => return Err(lexer.error("unclosed `{`")),
            Token::Text(text) => steps.extend(text.chars().map(Step::Char)),
            Token::Any => steps.push(Step::Any),
            Token::Star => push_star(&mut steps, false),
            Token::DoubleStar => push_star(&mut steps, true),
            Token::Class(class) => steps.push(Step::Class(class)),
            Token::Open => {
                let split = steps.len();
                steps.push(Step::Split(Vec::new()));
                groups.push(Group { split, branches: vec![split + 1], jumps: Vec::new() });
            }
            Token::Comma => {
                if let Some(group) = groups.last_mut() {
                    group.jumps.push(steps.len());
                    steps.push(Step::Jump(0));
                    group.branches.push(steps.len());
                }
            }
            Token::Close => {
                if let Some(group) = groups.pop() {
                    close_group(&mut steps, group);
                }
            }
        }
    }
}

/// Adds a star; adjacent ones are one, which crosses delimiters if either does.
fn push_star(steps: &mut Vec<Step>, crosses: bool) {
    match steps.last_mut() {
        Some(Step::Star { crosses: last }) => *last |= crosses,
        _ => steps.push(Step::Star { crosses }),
    }
}

fn close_group(steps: &mut Vec<Step>, group: Group) {
    // A jump that ends the last branch keeps a star behind the group from melting into it.
    let end = steps.len() + 1;
    steps.push(Step::Jump(end));
    for jump in group.jumps {
        if let Some(step) = steps.get_mut(jump) {
            *step = Step::Jump(end);
        }
    }
    if let Some(step) = steps.get_mut(group.split) {
        *step = Step::Split(group.branches);
    }
}

/// Moves the literal characters at both ends of a program without groups out of it.
fn take_ends(steps: &mut Vec<Step>, prefix: &mut String, suffix: &mut String) {
    let literal = |step: &Step| match step {
        Step::Char(c) => Some(*c),
        _ => None,
    };
    prefix.extend(steps.iter().map_while(literal));
    steps.drain(..prefix.chars().count());
    let tail: Vec<char> = steps.iter().rev().map_while(literal).collect();
    steps.truncate(steps.len() - tail.len());
    suffix.extend(tail.iter().rev());
}

/// Returns a pattern that matches exactly the text.
pub fn quote_meta(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if r"*?\[]{}".contains(c) {
            out.push('\\');
        }
        out.push(c);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn matches() {
        let dot: &[char] = &['.'];
        let cases: [(&str, &[char], &str, bool); 29] = [
            ("abc", dot, "abc", true),
            ("abc", dot, "abcd", false),
            ("*.com", dot, "shop.com", true),
            ("*.com", dot, "a.shop.com", false),
            ("*.com", &[], "a.shop.com", true),
            ("**.com", dot, "a.shop.com", true),
            ("a**", dot, "a.b.c", true),
            ("a/**/b", &['/'], "a/b", false),
            ("a/**/b", &['/'], "a/x/y/b", true),
            ("a?c", dot, "a.c", false),
            ("a?c", &[], "a.c", true),
            ("?", dot, "é", true),
            ("[a-c]x", dot, "bx", true),
            ("[!a-c]x", dot, "bx", false),
            ("[!a-c]x", dot, ".x", true),
            ("[abc]", dot, "-", false),
            ("[ab-d]", dot, "-", true),
            ("[ab-d]", dot, "c", false),
            ("{a,b*}c", dot, "bxc", true),
            ("{a,b*}c", dot, "c", false),
            ("{,a}b", dot, "b", true),
            ("{a,{b,c}d}e", dot, "cde", true),
            ("a,b", dot, "a,b", true),
            ("a}", dot, "a}", true),
            (r"\*\{\,", dot, "*{,", true),
            ("{}x", dot, "x", true),
            ("*a*a*b", &['/', '.'], "aaab", true),
            ("a*ant", dot, "ant", false),
            ("{*,a}**.", dot, "x.y.", true),
        ];
        for (pattern, delimiters, text, want) in cases {
            let glob = Glob::new(pattern, delimiters).unwrap();
            assert_eq!(glob.is_match(text), want, "{pattern} on {text}");
        }
    }

    #[test]
    fn refusals() {
        let cases = [
            ("{a,b", "glob: syntax error at 4: unclosed `{`"),
            ("[", "glob: syntax error at 1: unexpected end of input"),
            ("[a", "glob: syntax error at 2: unexpected end of input"),
            ("[]", "glob: syntax error at 2: could not parse range"),
            ("[c-a]", "glob: syntax error at 5: range hi character is less than lo"),
            ("[a-bc]", "glob: syntax error at 5: expected close range character"),
            (r"ab\", "glob: syntax error at 3: trailing backslash"),
        ];
        for (pattern, want) in cases {
            assert_eq!(Glob::new(pattern, &[]).unwrap_err().to_string(), want);
        }
    }

    #[test]
    fn hostile_patterns_stay_cheap() {
        let glob = Glob::new(&"{*a,*ca}".repeat(200), &[]).unwrap();
        assert!(!glob.is_match(&"ab".repeat(500)));
        let deep = format!("{}{}", "{a,".repeat(50_000), "}".repeat(50_000));
        assert!(Glob::new(&deep, &[]).unwrap().is_match("a"));
        assert_eq!(quote_meta("a*{b}-[c]"), r"a\*\{b\}-\[c\]");
    }
}
