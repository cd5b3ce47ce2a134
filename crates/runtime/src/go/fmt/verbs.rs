//! One argument under one verb: padding, signs, bases, quoting.
//!
//! Apart from the reading of format strings so that each can be followed alone. A verb that
//! does not fit the argument prints a mark with the argument's type and value.

use num_bigint::{BigInt, Sign};

use crate::go::float::{FloatVerb, format_float};
use crate::go::quote;
use crate::go::unicode::is_print;

use super::Arg;
use super::native::Place;

/// The flags, width and precision of one verb.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Style {
    pub(super) width: Option<usize>,
    pub(super) precision: Option<usize>,
    pub(super) minus: bool,
    pub(super) plus: bool,
    pub(super) sharp: bool,
    pub(super) space: bool,
    pub(super) zero: bool,
    /// `%+v`.
    pub(super) plus_value: bool,
    /// `%#v`.
    pub(super) sharp_value: bool,
}

impl Style {
    /// Gives `#` and `+` the meaning that they have for `%v`.
    pub(super) fn set_value_flags(&mut self) {
        self.sharp_value = std::mem::take(&mut self.sharp);
        self.plus_value = std::mem::take(&mut self.plus);
    }

    pub(super) fn print(&self, arg: &Arg<'_>, verb: char, out: &mut String) {
        self.print_at(arg, verb, Place::Top, out);
    }

    pub(super) fn print_at(&self, arg: &Arg<'_>, verb: char, place: Place, out: &mut String) {
        match (verb, arg) {
            ('T', _) => self.string(arg.type_name(), out),
            ('p', Arg::BigInt(_)) => self.pad("0xc000000000", out),
            ('w', Arg::BigInt(int)) => self.big_fields_mark(int, out),
            (_, Arg::Int(int)) => self.int(*int, verb, out),
            (_, Arg::BigInt(int)) => self.big(int, verb, out),
            (_, Arg::Float(float)) => self.float(*float, verb, out),
            (_, Arg::Str(text)) => self.text(text, verb, out),
            (_, Arg::Native(native)) => self.native(native, verb, place, out),
        }
    }

    pub(super) fn bad_verb(&self, arg: &Arg<'_>, verb: char, out: &mut String) {
        out.push_str("%!");
        out.push(verb);
        out.push('(');
        out.push_str(arg.type_name());
        out.push('=');
        self.print(arg, 'v', out);
        out.push(')');
    }

    fn padding(&self, count: usize, out: &mut String) {
        let fill = if self.zero && !self.minus { '0' } else { ' ' };
        out.extend(std::iter::repeat_n(fill, count));
    }

    pub(super) fn pad(&self, text: &str, out: &mut String) {
        let count = match self.width {
            Some(width) if width > 0 => width.saturating_sub(text.chars().count()),
            _ => 0,
        };
        if self.minus {
            out.push_str(text);
            self.padding(count, out);
        } else {
            self.padding(count, out);
            out.push_str(text);
        }
    }

    fn pad_with_spaces(&self, text: &str, out: &mut String) {
        Self { zero: false, ..*self }.pad(text, out);
    }

    fn string(&self, text: &str, out: &mut String) {
        self.pad(self.cut(text), out);
    }

    /// Shortens a text to the precision, counted in characters.
    fn cut<'t>(&self, text: &'t str) -> &'t str {
        let end = self.precision.and_then(|count| text.char_indices().nth(count));
        end.and_then(|(end, _)| text.get(..end)).unwrap_or(text)
    }

    pub(super) fn text(&self, text: &str, verb: char, out: &mut String) {
        match verb {
            'v' if self.sharp_value => self.quoted(text, out),
            'v' | 's' => self.string(text, out),
            'x' => self.hex_bytes(text, false, out),
            'X' => self.hex_bytes(text, true, out),
            'q' => self.quoted(text, out),
            _ => self.bad_verb(&Arg::Str(text), verb, out),
        }
    }

    fn quoted(&self, text: &str, out: &mut String) {
        let text = self.cut(text);
        let quoted = if self.sharp && quote::can_backquote(text) {
            format!("`{text}`")
        } else if self.plus {
            quote::quote_ascii(text)
        } else {
            quote::quote(text)
        };
        self.pad(&quoted, out);
    }

    fn hex_bytes(&self, text: &str, upper: bool, out: &mut String) {
        let shown = self.precision.unwrap_or(usize::MAX).min(text.len());
        if shown == 0 {
            return self.padding(self.width.unwrap_or(0), out);
        }
        let mark = match (self.sharp, upper) {
            (false, _) => "",
            (true, false) => "0x",
            (true, true) => "0X",
        };
        let mut hex = String::from(mark);
        for (idx, byte) in text.bytes().take(shown).enumerate() {
            if self.space && idx > 0 {
                hex.push(' ');
                hex.push_str(mark);
            }
            hex.push_str(&if upper { format!("{byte:02X}") } else { format!("{byte:02x}") });
        }
        self.pad(&hex, out);
    }

    pub(super) fn int(&self, int: i64, verb: char, out: &mut String) {
        match verb {
            'v' | 'd' => self.digits(Integer::from(int), 10, verb, out),
            'b' => self.digits(Integer::from(int), 2, verb, out),
            'o' | 'O' => self.digits(Integer::from(int), 8, verb, out),
            'x' | 'X' => self.digits(Integer::from(int), 16, verb, out),
            'c' => self.pad(char_of(int).encode_utf8(&mut [0; 4]), out),
            'q' => self.pad(&quote::quote_char(char_of(int), self.plus), out),
            'U' => self.code_point(int, out),
            _ => self.bad_verb(&Arg::Int(int), verb, out),
        }
    }

    fn digits(&self, int: Integer, base: u32, verb: char, out: &mut String) {
        let Integer { negative, magnitude } = int;
        if self.precision == Some(0) && magnitude == 0 {
            let count = self.width.unwrap_or(0);
            return Self { zero: false, ..*self }.padding(count, out);
        }
        let signed = negative || self.plus || self.space;
        let count = match (self.precision, self.width) {
            (Some(precision), _) => precision,
            (None, Some(width)) if self.zero && !self.minus => width.saturating_sub(usize::from(signed)),
            _ => 0,
        };
        let digits = match base {
            2 => format!("{magnitude:b}"),
            8 => format!("{magnitude:o}"),
            16 if verb == 'X' => format!("{magnitude:X}"),
            16 => format!("{magnitude:x}"),
            _ => magnitude.to_string(),
        };
        let zeros = "0".repeat(count.saturating_sub(digits.len()));
        let mark = match (verb, base) {
            ('O', _) if self.sharp && !zeros.starts_with('0') && magnitude != 0 => "0o0",
            ('O', _) => "0o",
            _ if !self.sharp => "",
            ('X', _) => "0X",
            (_, 16) => "0x",
            (_, 2) => "0b",
            (_, 8) if zeros.is_empty() && magnitude != 0 => "0",
            _ => "",
        };
        let sign = sign_text(negative, self.plus, self.space);
        self.pad_with_spaces(&format!("{sign}{mark}{zeros}{digits}"), out);
    }

    fn code_point(&self, int: i64, out: &mut String) {
        let code = int.cast_unsigned();
        let count = self.precision.unwrap_or(4).max(4);
        let digits = format!("{code:X}");
        let zeros = "0".repeat(count.saturating_sub(digits.len()));
        let mut text = format!("U+{zeros}{digits}");
        let shown = u32::try_from(code).ok().and_then(char::from_u32);
        if let Some(c) = shown.filter(|c| self.sharp && is_print(*c)) {
            text.push_str(&format!(" '{c}'"));
        }
        self.pad_with_spaces(&text, out);
    }

    pub(super) fn float(&self, float: f64, verb: char, out: &mut String) {
        let (layout, places) = match verb {
            'v' | 'g' => (FloatVerb::General('e'), None),
            'G' => (FloatVerb::General('E'), None),
            'b' => (FloatVerb::Binary, None),
            'x' => (FloatVerb::Hex(false), None),
            'X' => (FloatVerb::Hex(true), None),
            'f' | 'F' => (FloatVerb::Plain, Some(6)),
            'e' => (FloatVerb::Exponent('e'), Some(6)),
            'E' => (FloatVerb::Exponent('E'), Some(6)),
            _ => return self.bad_verb(&Arg::Float(float), verb, out),
        };
        let places = self.precision.or(places);
        let text = format_float(float, layout, places);
        let negative = text.starts_with('-');
        let mut number = text.trim_start_matches(['-', '+']).to_owned();
        if self.sharp && layout != FloatVerb::Binary && float.is_finite() {
            number = with_point(&number, layout, places);
        }
        let sign = sign_text(negative, self.plus, self.space);
        let width = self.width.unwrap_or(0);
        if !float.is_finite() {
            // Go shows the plus of an infinity like any other sign.
            self.pad_with_spaces(&format!("{sign}{number}"), out);
        } else if self.zero && !self.minus && !sign.is_empty() {
            out.push_str(sign);
            self.padding(width.saturating_sub(number.chars().count() + 1), out);
            out.push_str(&number);
        } else {
            self.pad(&format!("{sign}{number}"), out);
        }
    }

    /// Prints a big integer, whose rules for flags are its own.
    fn big(&self, int: &BigInt, verb: char, out: &mut String) {
        let sharp = self.sharp || self.sharp_value;
        let (base, mark) = match verb {
            'd' | 's' | 'v' => (10, ""),
            'b' => (2, if sharp { "0b" } else { "" }),
            'o' => (8, if sharp { "0" } else { "" }),
            'O' => (8, "0o"),
            'x' => (16, if sharp { "0x" } else { "" }),
            'X' => (16, if sharp { "0X" } else { "" }),
            _ => {
                out.push_str(&format!("%!{verb}(big.Int={int})"));
                return;
            }
        };
        let mut digits = int.magnitude().to_str_radix(base);
        if verb == 'X' {
            digits.make_ascii_uppercase();
        }
        let negative = int.sign() == Sign::Minus;
        let sign = sign_text(negative, self.plus || self.plus_value, self.space);
        let mut zeros = self.precision.unwrap_or(0).saturating_sub(digits.len());
        let len = sign.len() + mark.len() + zeros + digits.len();
        let missing = self.width.unwrap_or(0).saturating_sub(len);
        let (mut left, mut right) = (0, 0);
        if self.minus {
            right = missing;
        } else if self.zero && self.precision.is_none() {
            zeros = missing;
        } else {
            left = missing;
        }
        out.extend(std::iter::repeat_n(' ', left));
        out.push_str(sign);
        out.push_str(mark);
        out.extend(std::iter::repeat_n('0', zeros));
        out.push_str(&digits);
        out.extend(std::iter::repeat_n(' ', right));
    }

    /// Prints what Go prints for `%w` and a big integer: a mark with the fields of its type.
    fn big_fields_mark(&self, int: &BigInt, out: &mut String) {
        let names = self.plus_value || self.sharp_value;
        let name = |name: &'static str| if names { name } else { "" };
        out.push_str("%!w(*big.Int=&");
        out.push_str(if self.sharp_value { "big.Int{" } else { "{" });
        out.push_str(name("neg:"));
        self.pad(if int.sign() == Sign::Minus { "true" } else { "false" }, out);
        out.push_str(if self.sharp_value { ", " } else { " " });
        out.push_str(name("abs:"));
        out.push_str(if self.sharp_value { "big.nat{" } else { "[" });
        for (idx, word) in int.iter_u64_digits().enumerate() {
            if idx > 0 {
                out.push_str(if self.sharp_value { ", " } else { " " });
            }
            let word = Integer { negative: false, magnitude: word };
            let base = if self.sharp_value { 16 } else { 10 };
            Self { sharp: self.sharp_value, ..*self }.digits(word, base, 'v', out);
        }
        out.push_str(if self.sharp_value { "}})" } else { "]})" });
    }
}

/// A sign and a magnitude, so that signed and unsigned integers print alike.
#[derive(Clone, Copy)]
struct Integer {
    negative: bool,
    magnitude: u64,
}

impl From<i64> for Integer {
    fn from(int: i64) -> Self {
        Self { negative: int < 0, magnitude: int.unsigned_abs() }
    }
}

fn sign_text(negative: bool, plus: bool, space: bool) -> &'static str {
    match (negative, plus, space) {
        (true, _, _) => "-",
        (false, true, _) => "+",
        (false, false, true) => " ",
        (false, false, false) => "",
    }
}

/// The character with this code; anything else is the replacement character.
fn char_of(int: i64) -> char {
    let code = u32::try_from(int).ok();
    code.and_then(char::from_u32).unwrap_or(char::REPLACEMENT_CHARACTER)
}

/// Gives an unsigned number the point and the trailing zeros that `#` asks for.
fn with_point(number: &str, layout: FloatVerb, places: Option<usize>) -> String {
    let hex = matches!(layout, FloatVerb::Hex(_));
    let marks: &[char] = if hex { &['p', 'P'] } else { &['e', 'E'] };
    let tail_start = number.find(marks).unwrap_or(number.len());
    let (digits, tail) = number.split_at(tail_start);
    let mut wanted = match layout {
        FloatVerb::General(_) | FloatVerb::Hex(false) => places.unwrap_or(6),
        _ => 0,
    };
    let zero = |c: &char| matches!(c, '0' | '.');
    let significant = digits.chars().skip_while(zero).filter(|c| *c != '.');
    wanted = wanted.saturating_sub(significant.count());
    let mut text = digits.to_owned();
    if !digits.contains('.') {
        if digits == "0" {
            wanted = wanted.saturating_sub(1);
        }
        text.push('.');
    }
    text.extend(std::iter::repeat_n('0', wanted));
    text + tail
}

#[cfg(test)]
mod tests {
    use crate::go::fmt::{Arg, sprintf};

    #[test]
    fn verbs_print_as_go() {
        use Arg::{Float, Int, Str};
        let cases = [
            ("%5d|%-5d|%05d|%+d|% d", vec![Int(7); 5], "    7|7    |00007|+7| 7"),
            ("%x|%X|%#x|%o|%#o|%O|%b|%#b", vec![Int(10); 8], "a|A|0xa|12|012|0o12|1010|0b1010"),
            ("%.3d|%6.3d|%06.3d|%.0d|", vec![Int(-7), Int(-7), Int(-7), Int(0)], "-007|  -007|  -007||"),
            ("%c%q%U%#U", vec![Int(233); 4], "é'é'U+00E9U+00E9 'é'"),
            ("%c%q", vec![Int(-1), Int(39)], "\u{fffd}'\\''"),
            ("%t %s %f", vec![Int(3); 3], "%!t(int64=3) %!s(int64=3) %!f(int64=3)"),
            ("%.2f", vec![Int(2)], "%!f(int64=02)"),
            ("%d", vec![Str("x")], "%!d(string=x)"),
            ("%d", vec![Float(1.5)], "%!d(float64=1.5)"),
            ("%5s|%-5s|%.1s|%05s", vec![Str("éa"); 4], "   éa|éa   |é|000éa"),
            ("%q|%#q|%+q|%#v", vec![Str("aé"); 4], "\"aé\"|`aé`|\"a\\u00e9\"|\"aé\""),
            ("%x|%X|% x|%#x|% #x|%.1x", vec![Str("é"); 6], "c3a9|C3A9|c3 a9|0xc3a9|0xc3 0xa9|c3"),
            (
                "%v %g %e %f %.1f %8.2f|%-8.2f|%08.2f",
                vec![Float(2.5); 8],
                "2.5 2.5 2.500000e+00 2.500000 2.5     2.50|2.50    |00002.50",
            ),
            ("%+.1e|% f|%+08.1f", vec![Float(1.0); 3], "+1.0e+00| 1.000000|+00001.0"),
            ("%#g|%#.3x|%#.0f", vec![Float(1.0); 3], "1.00000|0x1.000p+00|1."),
            ("%T %T %T", vec![Int(1), Float(1.0), Str("")], "int64 float64 string"),
            ("%w %p", vec![Int(1), Str("a")], "%!w(int64=1) %!p(string=a)"),
        ];
        for (format, args, want) in cases {
            assert_eq!(sprintf(format, &args, 1000).as_deref(), Ok(want), "{format}");
        }
    }

    #[test]
    fn big_integers_have_their_own_rules() {
        let big = || Arg::number("-18446744073709551616");
        let cases = [
            ("%25d|", "    -18446744073709551616|"),
            ("%025d|", "-000018446744073709551616|"),
            ("%-25d|", "-18446744073709551616    |"),
            ("%#x", "-0x10000000000000000"),
            ("%w", "%!w(*big.Int=&{true [0 1]})"),
            ("%T", "*big.Int"),
        ];
        for (format, want) in cases {
            assert_eq!(sprintf(format, &[big()], 1000).as_deref(), Ok(want), "{format}");
        }
    }
}
