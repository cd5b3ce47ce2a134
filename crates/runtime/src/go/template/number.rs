//! Numbers in templates: Go's constants, which are every type that can hold them until one is asked for.
//!
//! Apart because their syntax is Go's: bases, underscores, hexadecimal floats, characters, imaginary parts.

use crate::go::quote::{quote, unquote_code};

/// A constant under all types that can hold it.
#[derive(Clone, Debug)]
pub(super) struct Constant {
    /// As written.
    pub(super) text: String,
    pub(super) int: Option<i64>,
    /// Whether an unsigned integer holds it.
    pub(super) is_uint: bool,
    pub(super) float: Option<f64>,
    pub(super) complex: Option<(f64, f64)>,
}

impl Constant {
    fn nothing(text: &str) -> Self {
        Self { text: text.to_owned(), int: None, is_uint: false, float: None, complex: None }
    }

    /// Reads a character in single quotes.
    pub(super) fn character(text: &str) -> Result<Self, String> {
        let inside = text.strip_prefix('\'').unwrap_or(text);
        let (code, rest) = unquote_code(inside, '\'').ok_or("invalid syntax")?;
        if rest != "'" {
            return Err(format!("malformed character constant: {text}"));
        }
        let float = Some(f64::from(code));
        Ok(Self { int: Some(i64::from(code)), is_uint: true, float, ..Self::nothing(text) })
    }

    /// Reads a pair of a real and an imaginary part.
    pub(super) fn complex(text: &str) -> Result<Self, String> {
        let fault = || "syntax error scanning complex number".to_owned();
        let inside = text.strip_suffix('i').ok_or_else(fault)?;
        let not_exponent = |at: usize| {
            let before = inside.get(..at).and_then(|it| it.chars().next_back());
            !matches!(before, None | Some('e' | 'E' | 'p' | 'P'))
        };
        let mut signs = inside.char_indices().filter(|it| matches!(it.1, '+' | '-') && not_exponent(it.0));
        let (at, _) = signs.next_back().ok_or_else(fault)?;
        let (real, imaginary) = inside.split_at(at);
        let read = |it: &str| parse_float(it).ok_or_else(fault);
        Ok(Self::nothing(text).with_complex(read(real)?, read(imaginary)?))
    }

    fn with_complex(mut self, real: f64, imaginary: f64) -> Self {
        self.complex = Some((real, imaginary));
        if imaginary == 0.0 {
            self.float = Some(real);
            self.int = whole(real);
            self.is_uint = self.int.is_some_and(|it| it >= 0);
        }
        self
    }

    /// Reads a number.
    pub(super) fn number(text: &str) -> Result<Self, String> {
        if let Some(imaginary) = text.strip_suffix('i').and_then(parse_float) {
            return Ok(Self::nothing(text).with_complex(0.0, imaginary));
        }
        let mut constant = Self::nothing(text);
        let magnitude = parse_magnitude(text);
        let unsigned = if text.starts_with(['+', '-']) { None } else { magnitude };
        constant.is_uint = unsigned.is_some();
        constant.int = magnitude.and_then(|it| signed(text, it));
        if constant.int == Some(0) {
            constant.is_uint = true;
        }
        if let Some(int) = constant.int {
            constant.float = Some(rounded(int.unsigned_abs(), int < 0));
        } else if let Some(unsigned) = unsigned {
            constant.float = Some(rounded(unsigned, false));
        } else if let Some(float) = parse_float(text) {
            if !text.contains(['.', 'e', 'E', 'p', 'P']) {
                return Err(format!("integer overflow: {}", quote(text)));
            }
            constant.float = Some(float);
            constant.int = whole(float);
            constant.is_uint = constant.int.is_some_and(|it| it >= 0);
        } else {
            return Err(format!("illegal number syntax: {}", quote(text)));
        }
        Ok(constant)
    }

    /// Says whether the syntax asks for a float where no type is known.
    pub(super) fn is_written_as_float(&self) -> bool {
        let hex = self.text.starts_with("0x") || self.text.starts_with("0X");
        let hex_int = hex && self.text.len() > 2 && !self.text.contains(['p', 'P']);
        self.float.is_some()
            && !hex_int
            && !self.text.starts_with('\'')
            && self.text.contains(['.', 'e', 'E', 'p', 'P'])
    }
}

/// Returns the float that is nearest to an integer.
fn rounded(magnitude: u64, negative: bool) -> f64 {
    let float: f64 = magnitude.to_string().parse().unwrap_or(f64::INFINITY);
    if negative { -float } else { float }
}

/// Returns the integer that a float is exactly.
fn whole(float: f64) -> Option<i64> {
    if float.fract() != 0.0 || float.abs() >= 9_223_372_036_854_775_808.0 {
        return None;
    }
    format!("{float:.0}").parse().ok()
}

fn signed(text: &str, magnitude: u64) -> Option<i64> {
    if text.starts_with('-') { 0_i64.checked_sub_unsigned(magnitude) } else { i64::try_from(magnitude).ok() }
}

/// Reads an integer in the base that its prefix says.
fn parse_magnitude(text: &str) -> Option<u64> {
    let bare = text.strip_prefix(['+', '-']).unwrap_or(text);
    if !underscores_are_sound(text) {
        return None;
    }
    let lower = bare.to_ascii_lowercase();
    let (digits, radix) = match lower.as_bytes() {
        [b'0', b'x', ..] => (lower.get(2..)?, 16),
        [b'0', b'o', ..] => (lower.get(2..)?, 8),
        [b'0', b'b', ..] => (lower.get(2..)?, 2),
        [b'0', _, ..] => (lower.get(1..)?, 8),
        _ => (lower.as_str(), 10),
    };
    let digits = digits.replace('_', "");
    if digits.starts_with(['+', '-']) {
        return None;
    }
    u64::from_str_radix(&digits, radix).ok()
}

/// Says whether every underscore stands between digits or behind the prefix of a base.
fn underscores_are_sound(text: &str) -> bool {
    let bare = text.strip_prefix(['+', '-']).unwrap_or(text);
    let mut chars = bare.chars().peekable();
    let mut before = '^';
    let mut hex = false;
    let lower = bare.to_ascii_lowercase();
    if lower.starts_with("0x") || lower.starts_with("0o") || lower.starts_with("0b") {
        chars.next();
        chars.next();
        before = '0';
        hex = lower.starts_with("0x");
    }
    for c in chars {
        let digit = c.is_ascii_digit() || (hex && c.is_ascii_hexdigit());
        match (c, before) {
            _ if digit => before = '0',
            ('_', '0') => before = '_',
            ('_', _) | (_, '_') => return false,
            _ => before = '!',
        }
    }
    before != '_'
}

/// Reads a float, decimal or hexadecimal; one out of range is none.
fn parse_float(text: &str) -> Option<f64> {
    if !underscores_are_sound(text) {
        return None;
    }
    let text = text.replace('_', "");
    let bare = text.strip_prefix(['+', '-']).unwrap_or(&text);
    if !bare.starts_with(|it: char| it.is_ascii_digit() || it == '.') {
        return None;
    }
    let value = match bare.strip_prefix("0x").or_else(|| bare.strip_prefix("0X")) {
        Some(hex) => parse_hex_float(hex)?,
        None => bare.parse().ok()?,
    };
    let value = if text.starts_with('-') { -value } else { value };
    value.is_finite().then_some(value)
}

fn parse_hex_float(text: &str) -> Option<f64> {
    let (mantissa, exponent) = text.split_once(['p', 'P'])?;
    let (int, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
    if int.is_empty() && fraction.is_empty() {
        return None;
    }
    let exponent: i32 = exponent.parse().ok()?;
    let value = int.chars().chain(fraction.chars()).try_fold(0.0, |sum, it| {
        let digit = it.to_digit(16)?;
        Some(sum * 16.0 + f64::from(digit))
    })?;
    let places = i32::try_from(fraction.len()).ok()?.checked_mul(4)?;
    Some(value * 2_f64.powi(exponent.checked_sub(places)?))
}
