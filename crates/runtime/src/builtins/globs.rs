//! `regex.globs_match`: whether two glob-like patterns (`.`, `[a-z]`, `*`, `+`, `\`) have a text in common.
//!
//! OPA answers by a search with its own rules, which miss some common texts: a repetition takes at least one token
//! of the other pattern where that ends. The same answers are computed here from the ends of the patterns
//! backwards, so that the time is the product of their lengths.

use lictor_value::Value;

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer_bool, string};
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] =
    &[Builtin::pure("regex.globs_match", "str, str -> bool", globs_match)];

#[derive(Clone, PartialEq, Eq, Debug)]
enum Matcher {
    Character(char),
    Any,
    /// Ranges that are sorted and apart.
    Set(Vec<(char, char)>),
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Repeat {
    Once,
    Plus,
    Star,
}

#[derive(Clone, Debug)]
struct Token {
    matcher: Matcher,
    repeat: Repeat,
}

impl Token {
    fn repeats(&self) -> bool {
        self.repeat != Repeat::Once
    }

    /// Says whether both can match one character.
    fn meets(&self, other: &Self) -> bool {
        match (&self.matcher, &other.matcher) {
            (Matcher::Any, _) | (_, Matcher::Any) => true,
            (Matcher::Character(a), Matcher::Character(b)) => a == b,
            (Matcher::Character(it), Matcher::Set(set)) | (Matcher::Set(set), Matcher::Character(it)) => {
                set.iter().any(|(low, high)| low <= it && it <= high)
            }
            (Matcher::Set(a), Matcher::Set(b)) => {
                a.iter().any(|x| b.iter().any(|y| x.0 <= y.1 && y.0 <= x.1))
            }
        }
    }
}

fn globs_match<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (left, right) = (string(args, 0)?, string(args, 1)?);
    let left = simplified(Reader::new(left).tokens()?);
    let right = simplified(Reader::new(right).tokens()?);
    answer_bool(Search { ctx, left: &left, right: &right }.run()?)
}

/// Joins neighbors that repeat the same.
fn simplified(tokens: Vec<Token>) -> Vec<Token> {
    let mut out: Vec<Token> = Vec::with_capacity(tokens.len());
    for token in tokens {
        match out.last_mut() {
            Some(last) if last.repeats() && token.repeats() && last.matcher == token.matcher => {
                let plus = last.repeat == Repeat::Plus || token.repeat == Repeat::Plus;
                last.repeat = if plus { Repeat::Plus } else { Repeat::Star };
            }
            _ => out.push(token),
        }
    }
    out
}

/// What is known of the rest of both patterns from one pair of positions on. Where both tokens repeat, the search
/// prefers the pattern that it holds as first, so each answer is kept for either.
#[derive(Clone, Copy, Default)]
struct Known {
    /// The rests meet, the left pattern first; or the right one.
    meet: [bool; 2],
    /// The rests meet while the left token goes on repeating; or the right one.
    repeat: [bool; 2],
}

struct Search<'e, 'p> {
    ctx: Context<'e>,
    left: &'p [Token],
    right: &'p [Token],
}

const LEFT: usize = 0;
const RIGHT: usize = 1;

impl Search<'_, '_> {
    fn run(&self) -> Result<bool, BuiltinError> {
        let mut below = vec![Known::default(); self.right.len() + 1];
        let mut row = below.clone();
        for at_left in (0..=self.left.len()).rev() {
            if self.ctx.host.cancelled() {
                return Err(BuiltinError::new(ErrorKind::HaltCancel, "caller cancelled query execution"));
            }
            for at_right in (0..=self.right.len()).rev() {
                let beside = row.get(at_right + 1).copied().unwrap_or_default();
                let down = below.get(at_right).copied().unwrap_or_default();
                let across = below.get(at_right + 1).copied().unwrap_or_default();
                row[at_right] = self.known(at_left, at_right, [down, beside, across]);
            }
            std::mem::swap(&mut row, &mut below);
        }
        Ok(below.first().is_some_and(|it| it.meet[LEFT]))
    }

    /// `down` is a step on in the left pattern, `beside` in the right one, `across` in both.
    fn known(&self, at_left: usize, at_right: usize, [down, beside, across]: [Known; 3]) -> Known {
        let (left, right) = (self.left.get(at_left), self.right.get(at_right));
        let next_left = self.left.get(at_left + 1);
        let next_right = self.right.get(at_right + 1);
        let mut known = Known {
            meet: [left.is_none() && right.is_none(); 2],
            // A repetition may end where the other pattern ends, if it is the last token.
            repeat: [right.is_none() && next_left.is_none(), left.is_none() && next_right.is_none()],
        };
        let (Some(left), Some(right)) = (left, right) else { return known };
        let meets = left.meets(right);
        known.repeat = [
            next_left.is_some_and(|it| it.meets(right)) && down.meet[LEFT] || meets && beside.repeat[LEFT],
            next_right.is_some_and(|it| it.meets(left)) && beside.meet[RIGHT] || meets && down.repeat[RIGHT],
        ];
        let by_left = match left.repeat {
            Repeat::Once => false,
            Repeat::Star => known.repeat[LEFT],
            Repeat::Plus => meets && (beside.repeat[LEFT] || right.repeats() && down.meet[LEFT]),
        };
        let by_right = match right.repeat {
            Repeat::Once => false,
            Repeat::Star => known.repeat[RIGHT],
            Repeat::Plus => meets && (down.repeat[RIGHT] || left.repeats() && beside.meet[RIGHT]),
        };
        known.meet = match (left.repeats(), right.repeats()) {
            (false, false) => [meets && across.meet[LEFT], meets && across.meet[RIGHT]],
            (true, false) => [by_left; 2],
            (false, true) => [by_right; 2],
            (true, true) => [by_left, by_right],
        };
        known
    }
}

/// Reads a pattern; positions in texts of errors count characters.
struct Reader {
    text: String,
    input: Vec<char>,
    at: usize,
}

impl Reader {
    fn new(text: &str) -> Self {
        Self { text: text.to_owned(), input: text.chars().collect(), at: 0 }
    }

    fn fail<T>(&self, at: usize, what: &str) -> Result<T, BuiltinError> {
        Err(BuiltinError::value(format!(
            "input:{}, pos:{at}, {what}: the input provided is invalid",
            self.text
        )))
    }

    /// Returns the next character and whether it was escaped; none at the end.
    fn next(&mut self) -> Result<Option<(char, bool)>, BuiltinError> {
        let Some(first) = self.input.get(self.at).copied() else { return Ok(None) };
        if first != '\\' {
            self.at += 1;
            return Ok(Some((first, false)));
        }
        let Some(second) = self.input.get(self.at + 1).copied() else {
            return self.fail(self.at, "input ends with a \\ (escape) character");
        };
        self.at += 2;
        Ok(Some((second, true)))
    }

    fn tokens(&mut self) -> Result<Vec<Token>, BuiltinError> {
        let mut tokens = Vec::new();
        while let Some((it, escaped)) = self.next()? {
            let matcher = match it {
                '.' if !escaped => Matcher::Any,
                '[' if !escaped => Matcher::Set(self.set()?),
                ']' if !escaped => return self.fail(self.at, "set-close ']' with no preceding '['"),
                '+' | '*' if !escaped => {
                    return self.fail(self.at, &format!("flag '{it}' must be preceded by a non-flag"));
                }
                _ => Matcher::Character(it),
            };
            tokens.push(Token { matcher, repeat: self.repeat()? });
        }
        Ok(tokens)
    }

    fn repeat(&mut self) -> Result<Repeat, BuiltinError> {
        let start = self.at;
        let repeat = match self.next()? {
            Some(('+', false)) => Repeat::Plus,
            Some(('*', false)) => Repeat::Star,
            _ => {
                self.at = start;
                Repeat::Once
            }
        };
        Ok(repeat)
    }

    fn set(&mut self) -> Result<Vec<(char, char)>, BuiltinError> {
        let mut ranges = Vec::new();
        let mut before = None;
        while let Some((it, escaped)) = self.next()? {
            match it {
                ']' if !escaped => return Ok(joined(ranges)),
                '-' if !escaped => {
                    let Some(low) = before.take() else {
                        return self
                            .fail(self.at, "range character '-' must be preceded by a Unicode character");
                    };
                    ranges.push((low, self.range_end(low)?));
                }
                _ => {
                    ranges.push((it, it));
                    before = Some(it);
                }
            }
        }
        self.fail(self.at, "found [ without matching ]")
    }

    fn range_end(&mut self, low: char) -> Result<char, BuiltinError> {
        let missing = "range character '-' must be followed by a Unicode character";
        if self.at + 1 >= self.input.len() {
            return self.fail(self.at, missing);
        }
        let Some((high, escaped)) = self.next()? else { return self.fail(self.at, missing) };
        if !escaped && matches!(high, ']' | '-') {
            return self.fail(self.at, "range character '-' cannot be followed by a special symbol");
        }
        if high < low {
            let what = format!("range is out of order: '{high}' comes before '{low}' in Unicode");
            return self.fail(self.at, &what);
        }
        Ok(high)
    }
}

/// Sorts ranges and joins those that overlap or touch, so that equal sets look equal.
fn joined(mut ranges: Vec<(char, char)>) -> Vec<(char, char)> {
    ranges.sort_unstable();
    let mut out: Vec<(char, char)> = Vec::with_capacity(ranges.len());
    for (low, high) in ranges {
        match out.last_mut() {
            Some(last) if u32::from(low) <= u32::from(last.1) + 1 => last.1 = last.1.max(high),
            _ => out.push((low, high)),
        }
    }
    out
}
