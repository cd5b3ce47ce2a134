//! Go's `fmt.Sprintf` for the argument types that policies can pass.
//!
//! `fmt.rs` reads the format string and picks arguments; `fmt/verbs.rs` prints one argument
//! under one verb, `fmt/native.rs` those that only templates have. Wrong verbs, missing and surplus arguments do not fail: they print marks
//! such as `%!d(string=x)`, as in Go. The caller turns values into [`Arg`]s: numbers through
//! [`Arg::number`], strings as they are, all else as its Rego text. Knows nothing of values.

mod native;
mod verbs;

use std::fmt;

use num_bigint::BigInt;

pub use self::native::Native;
use self::verbs::Style;

/// An argument, as the Go type that OPA makes of a value.
#[derive(Clone, Debug, PartialEq)]
pub enum Arg<'a> {
    /// `int64`.
    Int(i64),
    /// `*big.Int`.
    BigInt(BigInt),
    /// `float64`.
    Float(f64),
    /// `string`: also composites as Rego text, and numbers beyond the range of floats.
    Str(&'a str),
    /// What only templates pass.
    Native(Native<'a>),
}

impl<'a> Arg<'a> {
    /// Makes the argument that OPA makes of a number with this text.
    pub fn number(text: &'a str) -> Self {
        if text.contains(['.', 'e', 'E']) {
            return match text.parse::<f64>() {
                Ok(float) if float.is_finite() => Self::Float(float),
                _ => Self::Str(text),
            };
        }
        if let Ok(int) = text.parse() {
            return Self::Int(int);
        }
        text.parse().map_or(Self::Str(text), Self::BigInt)
    }

    /// Returns the name of the Go type.
    pub fn type_name(&self) -> &'static str {
        match self {
            Self::Int(_) => "int64",
            Self::BigInt(_) => "*big.Int",
            Self::Float(_) => "float64",
            Self::Str(_) => "string",
            Self::Native(native) => native.type_name(),
        }
    }
}

/// Says that the result would be longer than the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TooLong;

impl fmt::Display for TooLong {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("formatted text is too long")
    }
}

impl std::error::Error for TooLong {}

/// The greatest width, precision or argument number Go reads.
const COUNT_MAX: i64 = 1_000_000;

/// Formats the arguments as Go's `fmt.Sprintf` does.
///
/// # Errors
///
/// Returns [`TooLong`] once the result is longer than `bytes_max`.
pub fn sprintf(format: &str, args: &[Arg<'_>], bytes_max: usize) -> Result<String, TooLong> {
    let mut printer = Printer {
        format,
        pos: 0,
        args,
        next_arg: 0,
        reordered: false,
        after_index: false,
        index_is_good: true,
        out: String::with_capacity(format.len()),
    };
    while let Some((text, _)) = printer.rest().split_once('%') {
        printer.out.push_str(text);
        printer.pos += text.len() + 1;
        printer.verb();
        if printer.out.len() > bytes_max {
            return Err(TooLong);
        }
    }
    let tail = printer.rest();
    printer.out.push_str(tail);
    printer.surplus();
    if printer.out.len() > bytes_max { Err(TooLong) } else { Ok(printer.out) }
}

/// Prints the arguments as Go's `fmt.Sprint` does: a space between two that are both no text.
#[must_use]
pub fn sprint(args: &[Arg<'_>]) -> String {
    let is_text = |it: &Arg<'_>| match it {
        Arg::Str(_) => true,
        Arg::Native(native) => native.is_text(),
        Arg::Int(_) | Arg::BigInt(_) | Arg::Float(_) => false,
    };
    let mut out = String::new();
    let mut before_is_text = true;
    for arg in args {
        let text = is_text(arg);
        if !before_is_text && !text {
            out.push(' ');
        }
        before_is_text = text;
        Style::default().print(arg, 'v', &mut out);
    }
    out
}

/// Prints the arguments as Go's `fmt.Sprintln` does.
#[must_use]
pub fn sprintln(args: &[Arg<'_>]) -> String {
    let mut out = String::new();
    for (idx, arg) in args.iter().enumerate() {
        if idx > 0 {
            out.push(' ');
        }
        Style::default().print(arg, 'v', &mut out);
    }
    out.push('\n');
    out
}

struct Printer<'f, 'a> {
    format: &'f str,
    pos: usize,
    args: &'f [Arg<'a>],
    next_arg: usize,
    /// Whether an explicit index was seen; then surplus arguments are not reported.
    reordered: bool,
    /// Whether the item before in this verb was an index such as `[3]`.
    after_index: bool,
    index_is_good: bool,
    out: String,
}

impl<'f> Printer<'f, '_> {
    fn rest(&self) -> &'f str {
        self.format.get(self.pos..).unwrap_or("")
    }

    fn at(&self, byte: u8) -> bool {
        self.format.as_bytes().get(self.pos) == Some(&byte)
    }

    /// Reads and prints one verb behind its `%`.
    fn verb(&mut self) {
        self.index_is_good = true;
        let mut style = self.flags();
        self.argument_index();
        self.width(&mut style);
        self.precision(&mut style);
        if !self.after_index {
            self.argument_index();
        }
        let Some(verb) = self.rest().chars().next() else {
            self.out.push_str("%!(NOVERB)");
            return;
        };
        self.pos += verb.len_utf8();
        if verb == '%' {
            self.out.push('%');
        } else if !self.index_is_good {
            self.mark(verb, "(BADINDEX)");
        } else if let Some(arg) = self.args.get(self.next_arg) {
            if matches!(verb, 'v' | 'w') {
                style.set_value_flags();
            }
            style.print(arg, verb, &mut self.out);
            self.next_arg += 1;
        } else {
            self.mark(verb, "(MISSING)");
        }
    }

    fn mark(&mut self, verb: char, text: &str) {
        self.out.push_str("%!");
        self.out.push(verb);
        self.out.push_str(text);
    }

    fn flags(&mut self) -> Style {
        let mut style = Style::default();
        for byte in self.rest().bytes() {
            match byte {
                b'#' => style.sharp = true,
                b'0' => style.zero = true,
                b'+' => style.plus = true,
                b'-' => style.minus = true,
                b' ' => style.space = true,
                _ => break,
            }
            self.pos += 1;
        }
        style
    }

    fn width(&mut self, style: &mut Style) {
        if self.at(b'*') {
            self.pos += 1;
            let width = self.count_from_argument();
            if width.is_none() {
                self.out.push_str("%!(BADWIDTH)");
            }
            if width.is_some_and(|width| width < 0) {
                style.minus = true;
                style.zero = false;
            }
            style.width = width.and_then(|width| usize::try_from(width.unsigned_abs()).ok());
            self.after_index = false;
            return;
        }
        style.width = self.count(self.format.len());
        if self.after_index && style.width.is_some() {
            self.index_is_good = false;
        }
    }

    fn precision(&mut self, style: &mut Style) {
        // A point at the very end is taken for the verb.
        if !self.at(b'.') || self.pos + 1 >= self.format.len() {
            return;
        }
        self.pos += 1;
        if self.after_index {
            self.index_is_good = false;
        }
        self.argument_index();
        if self.at(b'*') {
            self.pos += 1;
            let precision = self.count_from_argument();
            style.precision = precision.and_then(|precision| usize::try_from(precision).ok());
            if style.precision.is_none() {
                self.out.push_str("%!(BADPREC)");
            }
            self.after_index = false;
        } else {
            style.precision = Some(self.count(self.format.len()).unwrap_or(0));
        }
    }

    /// Reads a decimal number that must end before `end`; one too big to be meant skips to
    /// `end`.
    fn count(&mut self, end: usize) -> Option<usize> {
        let mut number: i64 = 0;
        let mut found = false;
        while self.pos < end {
            let digit = match self.format.as_bytes().get(self.pos) {
                Some(digit @ b'0'..=b'9') => digit - b'0',
                _ => break,
            };
            if number > COUNT_MAX {
                self.pos = end;
                return None;
            }
            number = number * 10 + i64::from(digit);
            found = true;
            self.pos += 1;
        }
        if found { usize::try_from(number).ok() } else { None }
    }

    fn count_from_argument(&mut self) -> Option<i64> {
        let arg = self.args.get(self.next_arg)?;
        self.next_arg += 1;
        match arg {
            Arg::Int(int) | Arg::Native(Native::Int(int)) if (-COUNT_MAX..=COUNT_MAX).contains(int) => {
                Some(*int)
            }
            Arg::Native(Native::Byte(byte)) => Some(i64::from(*byte)),
            _ => None,
        }
    }

    /// Reads an explicit index such as `[3]`, if there is one.
    fn argument_index(&mut self) {
        self.after_index = false;
        if !self.at(b'[') {
            return;
        }
        self.reordered = true;
        let start = self.pos;
        let rest = self.rest();
        let close = if rest.len() < 3 { None } else { rest.find(']') };
        let Some(close) = close else {
            self.pos = start + 1;
            self.index_is_good = false;
            return;
        };
        self.pos = start + 1;
        let number = self.count(start + close);
        let whole = self.pos == start + close;
        self.pos = start + close + 1;
        let Some(number) = number.filter(|_| whole) else {
            self.index_is_good = false;
            return;
        };
        self.after_index = true;
        match number.checked_sub(1) {
            Some(index) if index < self.args.len() => self.next_arg = index,
            _ => self.index_is_good = false,
        }
    }

    fn surplus(&mut self) {
        let args = self.args.get(self.next_arg..).unwrap_or(&[]);
        if self.reordered || args.is_empty() {
            return;
        }
        self.out.push_str("%!(EXTRA ");
        for (idx, arg) in args.iter().enumerate() {
            if idx > 0 {
                self.out.push_str(", ");
            }
            self.out.push_str(arg.type_name());
            if *arg != Arg::Native(Native::Nil) {
                self.out.push('=');
                Style::default().print(arg, 'v', &mut self.out);
            }
        }
        self.out.push(')');
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(format: &str, args: &[Arg<'_>], want: &str) {
        assert_eq!(sprintf(format, args, 1 << 20).as_deref(), Ok(want), "{format}");
    }

    #[test]
    fn picks_arguments_as_go() {
        use Arg::{Int, Str};
        let three = [Int(1), Int(2), Int(3)];
        check("%d-%d", &three[..2], "1-2");
        check("100%%", &[], "100%");
        check("%d", &[], "%!d(MISSING)");
        check("a", &[Int(1), Str("x")], "a%!(EXTRA int64=1, string=x)");
        check("%[3]d %[1]d %d", &three, "3 1 2");
        check("%[4]d", &three, "%!d(BADINDEX)");
        check("%[x]d", &three, "%!d(BADINDEX)");
        check("%[1]*d|", &[Int(4), Int(7)], "   7|");
        check("%*d", &[Str("x"), Int(7)], "%!(BADWIDTH)7");
        check("%-*d|%*d|", &[Int(3), Int(7), Int(-3), Int(8)], "7  |8  |");
        check("%.*f", &[Int(1), Arg::Float(0.25)], "0.2");
        check("%.*d", &[Int(-1), Int(5)], "%!(BADPREC)5");
        check("%", &[], "%!(NOVERB)");
        check("%.", &[Int(1)], "%!.(int64=1)");
        check("%é", &[Int(1)], "%!é(int64=1)");
        check("%99999999d", &[Int(1)], "%!(NOVERB)%!(EXTRA int64=1)");
        check("%[2]3d", &three, "%!d(BADINDEX)");
    }

    #[test]
    fn numbers_become_the_types_of_opa() {
        assert_eq!(Arg::number("1.0"), Arg::Float(1.0));
        assert_eq!(Arg::number("1e999"), Arg::Str("1e999"));
        assert_eq!(Arg::number("-9223372036854775808"), Arg::Int(i64::MIN));
        let big = Arg::number("9223372036854775808");
        check(
            "%d %v %x %s %q",
            &[big.clone(), big.clone(), big.clone(), big.clone(), big],
            "9223372036854775808 9223372036854775808 8000000000000000 9223372036854775808 \
             %!q(big.Int=9223372036854775808)",
        );
    }

    #[test]
    fn long_results_are_refused() {
        let long = sprintf("%1000000d%1000000d", &[Arg::Int(1), Arg::Int(2)], 1 << 20);
        assert!(long.is_err());
        // Rust's own formatting stops at 65,535.
        for format in ["%.99999U", "%.99999x", "%.99999f", "%.99999d", "%099999v", "%.99999e"] {
            for arg in [Arg::Int(7), Arg::Float(0.5), Arg::number("18446744073709551616")] {
                assert!(sprintf(format, &[arg], 1 << 20).is_ok(), "{format}");
            }
        }
    }
}
