//! Tests of numbers as a whole: tables of arithmetic, and properties over
//! random texts. Apart from `number.rs` for its length; what one part does
//! alone is tested at that part's bottom.

use proptest::prelude::*;

use super::*;

fn number(text: &str) -> Number {
    Number::parse(text).expect("the cases are numbers")
}

fn apply(operator: &str, a: &str, b: &str) -> String {
    let (x, y) = (number(a), number(b));
    let result = match operator {
        "+" => x.add(&y),
        "-" => x.sub(&y),
        "*" => x.mul(&y),
        "/" => x.div(&y),
        _ => x.rem(&y),
    };
    result.map_or_else(|fault| fault.to_string(), |number| number.to_text())
}

#[test]
fn arithmetic_is_exact_on_integers_and_64_bits_wide_on_others() {
    let cases = [
        ("0.1", "+", "0.2", "0.3"),
        ("1", "/", "3", "0.33333333333333333334"),
        ("0.33333333333333333334", "*", "3", "1"),
        ("1234567.5", "+", "1", "1.2345685e+06"),
        ("1e-5", "*", "0.1", "1e-06"),
        ("1e2", "+", "1.0", "101"),
        ("9223372036854775807", "+", "1", "9223372036854775808"),
        ("-9223372036854775808", "-", "1", "-9223372036854775809"),
        ("-9223372036854775808", "/", "-1", "9223372036854775808"),
        ("-9223372036854775808", "%", "-1", "0"),
        ("12345678901234567890", "*", "98765432109876543210", "1219326311370217952237463801111263526900"),
        ("7", "/", "2", "3.5"),
        ("6", "/", "-2", "-3"),
        ("0", "/", "-5", "-0"),
        ("-0", "/", "5", "-0"),
        ("-0", "+", "5", "5"),
        ("1.5", "-", "1.5", "0"),
        ("0", "*", "-1.5", "-0"),
        ("1180591620717411303424", "/", "1", "1180591620717411303400"),
        ("-7", "%", "3", "-1"),
        ("10", "%", "18446744073709551616", "10"),
        ("1", "/", "0", "divide by zero"),
        ("1", "/", "0.0", "divide by zero"),
        ("1", "%", "0", "modulo by zero"),
        ("7.5", "%", "2", "modulo on floating-point number"),
        ("1e-2000000000", "+", "1", "1"),
    ];
    for (a, operator, b, expected) in cases {
        assert_eq!(apply(operator, a, b), expected, "{a} {operator} {b}");
    }
}

#[test]
fn rounding_has_the_peer_s_corners() {
    let cases = [
        // text, abs, round, ceil, floor
        ("2.5", "2.5", "3", "3", "2"),
        ("-2.5", "2.5", "-3", "-2", "-3"),
        ("-0.5", "0.5", "-1", "1", "0"),
        ("-0.4", "0.4", "0", "1", "0"),
        ("-0", "0", "0", "0", "0"),
        ("0.49999999999999999999", "0.5", "1", "1", "0"),
        ("-3", "3", "-3", "-3", "-3"),
        (
            "12345678901234567890123",
            "12345678901234567890000",
            "12345678901234567889920",
            "12345678901234567889920",
            "12345678901234567889920",
        ),
    ];
    for (text, abs, round, ceil, floor) in cases {
        let value = number(text);
        let results = [value.abs(), value.round(), value.ceil(), value.floor()];
        let texts = results.map(|it| it.expect("the cases are in range").to_text());
        assert_eq!(texts, [abs, round, ceil, floor], "{text}");
    }
    assert_eq!(number("5").neg(), Ok(Number::Int(-5)));
}

#[test]
fn texts_out_of_range_are_no_numbers() {
    for text in ["1e99999999", "1e-99999999", "1e999999999999999999999", "", "-", "1e", "abc", "1.2.3"] {
        assert_eq!(Number::parse(text), None, "{text}");
    }
    let long = format!("1{}", "0".repeat(1_300_000));
    assert_eq!(Number::parse(&long), None);
}

#[test]
fn growth_ends_in_an_error() {
    let mut value = number("1e-30000");
    let mut big = number("1e30000");
    for _ in 0..8 {
        value = value.mul(&value).unwrap_or(value);
        big = big.mul(&big).unwrap_or(big);
    }
    assert_eq!(value.mul(&value), Err(NumberErrorKind::TooLarge.into()));
    assert_eq!(big.mul(&big), Err(NumberErrorKind::TooLarge.into()));
    assert!(value.to_text().contains("e-"));
}

#[test]
fn sorting_is_by_exact_values() {
    // Each ends in a zero and has the nearest float of many others.
    let mut texts: Vec<String> =
        (0..200).map(|at| format!("0.123456789012345678{}{}", at * 37 % 100, ["0", ""][at % 2])).collect();
    texts.sort_by(|a, b| order_text(a, b));
    assert!(texts.is_sorted_by(|a, b| order_text(a, b).is_le()));
    assert!(texts.windows(2).any(|pair| order_text(&pair[0], &pair[1]).is_lt()));
}

#[test]
fn conversions_fit_or_are_refused() {
    assert_eq!(number("-0.0").to_i64(), Some(0));
    assert_eq!(number("1e3").to_i64(), Some(1000));
    assert_eq!(number("1e30").to_i64(), None);
    assert_eq!(number("0.1").to_f64(), Some(0.1));
    assert_eq!(number("1e400").to_f64(), None);
    assert!(number("1.00").is_integer());
    assert!(!number("1.00000000000000000000001").is_integer());
}

/// Texts of numbers in all usual forms.
fn number_text() -> impl Strategy<Value = String> {
    prop_oneof![
        "-?(0|[1-9][0-9]{0,24})",
        "-?(0|[1-9][0-9]{0,12})\\.[0-9]{1,25}",
        "-?(0|[1-9][0-9]{0,4})(\\.[0-9]{1,5})?[eE][+-]?[0-9]{1,3}",
    ]
}

proptest! {
    #[test]
    fn results_read_back_as_themselves(a in number_text(), b in number_text()) {
        let (x, y) = (number(&a), number(&b));
        for result in [x.add(&y), x.sub(&y), x.mul(&y), x.div(&y), x.rem(&y), x.abs()].into_iter().flatten() {
            let text = result.to_text();
            prop_assert_eq!(Number::parse(&text), Some(result), "{}", text);
        }
    }

    #[test]
    fn small_integers_compute_as_wide_ones(a: i64, b: i64) {
        let (x, y) = (Number::Int(a), Number::Int(b));
        let (wide_x, wide_y) = (i128::from(a), i128::from(b));
        prop_assert_eq!(x.add(&y), Number::from_big((wide_x + wide_y).into()));
        prop_assert_eq!(x.sub(&y), Number::from_big((wide_x - wide_y).into()));
        prop_assert_eq!(x.mul(&y), Number::from_big((wide_x * wide_y).into()));
        if b != 0 {
            prop_assert_eq!(x.rem(&y), Number::from_big((wide_x % wide_y).into()));
        }
    }

    #[test]
    fn the_total_order_is_that_of_differences(a in number_text(), b in number_text()) {
        let order = order_text(&a, &b);
        prop_assert_eq!(order_text(&b, &a), order.reverse());
        let (x, y) = (number(&a), number(&b));
        if let (Some(x), Some(y)) = (x.to_big_int(), y.to_big_int()) {
            prop_assert_eq!(order, x.cmp(&y));
        } else if let Some((x, y)) = text_to_f64(&a).zip(text_to_f64(&b)).filter(|(x, y)| x != y) {
            prop_assert_eq!(order, x.total_cmp(&y));
        }
    }

    #[test]
    fn equal_members_have_equal_keys(a in number_text(), b in number_text()) {
        if same_member(&a, &b) {
            prop_assert_eq!(membership_key(&a), membership_key(&b));
        }
        let longer = if a.contains(['.', 'e', 'E']) { a.clone() } else { format!("{a}.0") };
        prop_assert!(same_member(&a, &longer) || text_to_f64(&a).is_none());
    }

    #[test]
    fn any_text_is_answered(text in "[-+0-9.eExXpP_a]{0,24}", other in number_text()) {
        let _ = Number::parse(&text).map(|it| it.to_text());
        let _ = compare_text(&text, &other);
        let _ = order_text(&other, &text);
        let _ = membership_key(&text);
        let _ = (check_literal(&text), check_json_number(&text), check_numeral(&text));
        let _ = (int_value(&text), canonical_i64(&text), to_f64(&text), format_int(&text, "16"));
    }
}
