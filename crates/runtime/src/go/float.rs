//! Go's textual forms of 64-bit floats (`strconv.FormatFloat`).
//!
//! Digits come from the standard library, which rounds exactly; their layout is Go's, which
//! differs in exponents, in when an exponent is used, and in the binary forms.

/// The verb that says how a float is laid out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FloatVerb {
    /// `d.ddde±dd`, with this exponent mark.
    Exponent(char),
    /// `ddd.ddd`.
    Plain,
    /// The shorter of the two above, with this exponent mark.
    General(char),
    /// `0x1.8p+00`; `true` for upper case.
    Hex(bool),
    /// `4503599627370496p-52`.
    Binary,
}

/// No float has more significant digits than this; what follows is zeros.
const DIGITS_MAX: usize = 1100;

/// Decimal digits without trailing zeros, and how many of them stand before the point.
struct Decimal {
    digits: Vec<u8>,
    point: i64,
}

/// Returns the float as text; without precision, with as few digits as identify it.
pub fn format_float(value: f64, verb: FloatVerb, precision: Option<usize>) -> String {
    if value.is_nan() {
        return "NaN".to_owned();
    }
    let sign = if value.is_sign_negative() { "-" } else { "" };
    if value.is_infinite() {
        return if sign.is_empty() { "+Inf".to_owned() } else { "-Inf".to_owned() };
    }
    let value = value.abs();
    let text = match verb {
        FloatVerb::Exponent(mark) => {
            let decimal = Decimal::significant(value, precision.map(|n| n + 1));
            let places = precision.unwrap_or(decimal.digits.len().saturating_sub(1));
            decimal.exponent(places, mark)
        }
        FloatVerb::Plain => match precision {
            Some(places) => plain_places(value, places),
            None => {
                let decimal = Decimal::significant(value, None);
                let places = decimal.places();
                decimal.plain(places)
            }
        },
        FloatVerb::General(mark) => general(value, precision, mark),
        FloatVerb::Hex(upper) => hex(value, precision, upper),
        FloatVerb::Binary => {
            let (mantissa, exponent) = parts(value);
            format!("{mantissa}p{exponent:+}")
        }
    };
    format!("{sign}{text}")
}

/// Returns the float, rounded to 32 bits, as text with as few digits as identify it then.
#[expect(clippy::cast_possible_truncation, reason = "rounding to 32 bits is what is asked for")]
pub fn format_float32(value: f64) -> String {
    let rounded = value as f32;
    // The shortest digits of a 32-bit float are the shortest of a 64-bit one as well.
    let short = rounded.to_string().parse().unwrap_or(f64::from(rounded));
    format_float(short, FloatVerb::General('e'), None)
}

fn plain_places(value: f64, places: usize) -> String {
    let shown = places.min(DIGITS_MAX);
    let mut text = format!("{value:.shown$}");
    text.extend(std::iter::repeat_n('0', places - shown));
    text
}

fn general(value: f64, precision: Option<usize>, mark: char) -> String {
    let wanted = precision.map(|n| n.max(1));
    let decimal = Decimal::significant(value, wanted);
    let count = decimal.digits.len();
    let places = wanted.unwrap_or(count);
    let mut threshold = to_i64(places);
    if threshold > to_i64(count) && to_i64(count) >= decimal.point {
        threshold = to_i64(count);
    }
    if precision.is_none() {
        threshold = 6;
    }
    let exponent = decimal.point - 1;
    if exponent < -4 || exponent >= threshold {
        return decimal.exponent(places.min(count).saturating_sub(1), mark);
    }
    let places = decimal.places();
    decimal.plain(places)
}

impl Decimal {
    /// Rounds to so many significant digits, or to as few as identify the value.
    fn significant(value: f64, count: Option<usize>) -> Self {
        if value == 0.0 {
            return Self { digits: Vec::new(), point: 0 };
        }
        let text = match count {
            Some(count) => format!("{value:.0$e}", count.clamp(1, DIGITS_MAX) - 1),
            None => shortest(value),
        };
        let (digits, exponent) = text.split_once('e').unwrap_or((&text, "0"));
        let mut digits: Vec<u8> = digits.bytes().filter(u8::is_ascii_digit).collect();
        while digits.last() == Some(&b'0') {
            digits.pop();
        }
        Self { digits, point: exponent.parse().unwrap_or(0) + 1 }
    }

    /// How many digits stand behind the point.
    fn places(&self) -> usize {
        usize::try_from(to_i64(self.digits.len()) - self.point).unwrap_or(0)
    }

    fn digit(&self, at: i64) -> char {
        let digit = usize::try_from(at).ok().and_then(|at| self.digits.get(at));
        digit.map_or('0', |digit| char::from(*digit))
    }

    fn exponent(&self, places: usize, mark: char) -> String {
        let mut text = String::from(self.digit(0));
        if places > 0 {
            text.push('.');
            text.extend((1..=to_i64(places)).map(|at| self.digit(at)));
        }
        let exponent = if self.digits.is_empty() { 0 } else { self.point - 1 };
        let sign = if exponent < 0 { '-' } else { '+' };
        text.push_str(&format!("{mark}{sign}{:02}", exponent.abs()));
        text
    }

    fn plain(&self, places: usize) -> String {
        let mut text = String::new();
        if self.point > 0 {
            text.extend((0..self.point).map(|at| self.digit(at)));
        } else {
            text.push('0');
        }
        if places > 0 {
            text.push('.');
            text.extend((0..to_i64(places)).map(|at| self.digit(self.point + at)));
        }
        text
    }
}

/// Returns the shortest text that reads back as the value. Of two equally near texts Go
/// takes the one with the even last digit, which exact rounding to that length gives.
fn shortest(value: f64) -> String {
    let text = format!("{value:e}");
    let count = text.bytes().take_while(|b| *b != b'e').filter(u8::is_ascii_digit).count();
    let even = format!("{value:.0$e}", count.max(1) - 1);
    if even.parse() == Ok(value) { even } else { text }
}

fn to_i64(n: usize) -> i64 {
    i64::try_from(n).unwrap_or(i64::MAX)
}

/// Splits a finite float into an integer mantissa and a power of two.
fn parts(value: f64) -> (u64, i64) {
    let bits = value.to_bits();
    let mantissa = bits & ((1 << 52) - 1);
    let exponent = i64::try_from(bits >> 52 & 0x7ff).unwrap_or(0);
    if exponent == 0 { (mantissa, -1074) } else { (mantissa | 1 << 52, exponent - 1075) }
}

fn hex(value: f64, precision: Option<usize>, upper: bool) -> String {
    let (mantissa, exponent) = parts(value);
    let mut exponent = if mantissa == 0 { 0 } else { exponent + 52 };
    // The leading one goes to bit 60, which leaves fifteen hex digits behind the point.
    let mut mantissa = mantissa << 8;
    while mantissa != 0 && mantissa & 1 << 60 == 0 {
        mantissa <<= 1;
        exponent -= 1;
    }
    if let Some(places) = precision.filter(|places| *places < 15) {
        let shift = 4 * u32::try_from(places).unwrap_or(0);
        let cut = mantissa << shift & ((1 << 60) - 1);
        mantissa >>= 60 - shift;
        if cut | (mantissa & 1) > 1 << 59 {
            mantissa += 1;
        }
        mantissa <<= 60 - shift;
        if mantissa & 1 << 61 != 0 {
            mantissa >>= 1;
            exponent += 1;
        }
    }
    let mut text = format!("0x{}", mantissa >> 60 & 1);
    let digits = format!("{:015x}", mantissa & ((1 << 60) - 1));
    let digits = match precision {
        None => digits.trim_end_matches('0').to_owned(),
        Some(places) => digits.chars().chain(std::iter::repeat('0')).take(places).collect(),
    };
    if !digits.is_empty() {
        text.push('.');
        text.push_str(&digits);
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    text.push_str(&format!("p{sign}{:02}", exponent.abs()));
    if upper { text.to_uppercase() } else { text }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn layouts_are_those_of_go() {
        use FloatVerb::{Binary, Exponent, General, Hex, Plain};
        let cases = [
            (1.0, General('e'), None, "1"),
            (1e20, General('e'), None, "1e+20"),
            (123_456_789.0, General('e'), None, "1.23456789e+08"),
            (1e-5, General('e'), None, "1e-05"),
            (100.0, General('E'), Some(3), "100"),
            (1000.0, General('E'), Some(3), "1E+03"),
            (0.0, General('e'), None, "0"),
            (7_607_655_145_827_597.0 / 4.0, General('e'), None, "1.9019137864568992e+15"),
            (2.5, Plain, Some(0), "2"),
            (0.1, Plain, Some(20), "0.10000000000000000555"),
            (1e21, Plain, None, "1000000000000000000000"),
            (-1.5, Exponent('e'), Some(0), "-2e+00"),
            (1.5, Exponent('E'), None, "1.5E+00"),
            (1.0, Hex(false), None, "0x1p+00"),
            (-0.1, Hex(true), Some(3), "-0X1.99AP-04"),
            (1.0, Binary, None, "4503599627370496p-52"),
            (f64::NAN, Plain, None, "NaN"),
            (f64::INFINITY, Plain, None, "+Inf"),
        ];
        for (value, verb, precision, want) in cases {
            assert_eq!(format_float(value, verb, precision), want, "{value} {verb:?}");
        }
        assert_eq!(format_float(0.5, Plain, Some(5000)).len(), 5002);
    }
}
