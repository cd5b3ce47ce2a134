//! Texts of `f64` values in the forms of Go's number formatting.
//!
//! Apart from the texts of numbers because these are for values that passed
//! through a machine float: format verbs and conversions. Shortest digits only;
//! precision is the business of the format verbs themselves.

use super::shortest::{Digits, digits_of_exponent_form, write_general, write_plain, write_scientific};

/// The form of a shortest text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum FloatForm {
    /// `d.ddde±dd`.
    Scientific,
    /// `ddd.ddd`, whatever the magnitude.
    Plain,
    /// Scientific when the decimal exponent is below -4 or above 5.
    General,
}

/// Returns the shortest text that reads back as the same `f64`.
///
/// Infinities and NaN, which no number text becomes, print as `+Inf`, `-Inf`
/// and `NaN`.
#[must_use]
pub fn format_f64(value: f64, form: FloatForm) -> String {
    let mut out = String::with_capacity(24);
    if value.is_nan() {
        return "NaN".to_owned();
    }
    if value.is_infinite() {
        return if value > 0.0 { "+Inf" } else { "-Inf" }.to_owned();
    }
    if value.is_sign_negative() {
        out.push('-');
    }
    let digits = f64_digits(value.abs());
    match form {
        FloatForm::Scientific => write_scientific(&digits, &mut out),
        FloatForm::Plain => write_plain(&digits, &mut out),
        FloatForm::General => write_general(&digits, &mut out),
    }
    out
}

fn f64_digits(magnitude: f64) -> Digits {
    digits_of_exponent_form(&format!("{magnitude:e}"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn shortest_texts_are_go_s() {
        let cases = [
            (0.1, "0.1", "1e-01", "0.1"),
            (1e20, "1e+20", "1e+20", "100000000000000000000"),
            (-1_234_567.5, "-1.2345675e+06", "-1.2345675e+06", "-1234567.5"),
            (-0.0, "-0", "-0e+00", "-0"),
            (5e-324, "5e-324", "5e-324", ""),
        ];
        for (value, general, scientific, plain) in cases {
            assert_eq!(format_f64(value, FloatForm::General), general);
            assert_eq!(format_f64(value, FloatForm::Scientific), scientific);
            if !plain.is_empty() {
                assert_eq!(format_f64(value, FloatForm::Plain), plain);
            }
        }
        assert_eq!(format_f64(f64::NEG_INFINITY, FloatForm::Plain), "-Inf");
        assert_eq!(format_f64(f64::NAN, FloatForm::Plain), "NaN");
    }
}
