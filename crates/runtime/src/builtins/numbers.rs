//! Arithmetic, sums, ranges, bits, and numbers from other values; the computing is `lictor_value::number`'s.
//!
//! `-` is also the difference of sets.

use lictor_value::number::{
    self, IntegerRange, NumberError, NumberErrorKind, NumeralFault, Product, Sum, check_json_number,
    check_numeral,
};
use lictor_value::{Kind, Number, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, Items, answer, any, collection, number, string};
use crate::builtins::sets::difference;
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};
use crate::go_text::quote;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("plus", "num, num -> num", |ctx, args| {
        small(ctx, args, i64::checked_add).unwrap_or_else(|| binary(ctx, args, Number::add))
    }),
    Builtin::pure("minus", "num/set[any], num/set[any] -> num/set[any]", minus),
    Builtin::pure("mul", "num, num -> num", |ctx, args| {
        small(ctx, args, i64::checked_mul).unwrap_or_else(|| binary(ctx, args, Number::mul))
    }),
    Builtin::pure("div", "num, num -> num", |ctx, args| binary(ctx, args, Number::div)),
    Builtin::pure("rem", "num, num -> num", |ctx, args| binary(ctx, args, Number::rem)),
    Builtin::pure("abs", "num -> num", |ctx, args| unary(ctx, args, Number::abs)),
    Builtin::pure("round", "num -> num", |ctx, args| unary(ctx, args, Number::round)),
    Builtin::pure("ceil", "num -> num", |ctx, args| unary(ctx, args, Number::ceil)),
    Builtin::pure("floor", "num -> num", |ctx, args| unary(ctx, args, Number::floor)),
    Builtin::pure("sum", "[num*]/set[num] -> num", sum),
    Builtin::pure("product", "[num*]/set[num] -> num", product),
    Builtin::pure("numbers.range", "num, num -> [num*]", range),
    Builtin::pure("numbers.range_step", "num, num, num -> [num*]", range_step),
    Builtin::pure("bits.and", "num, num -> num", |ctx, args| bits(ctx, args, number::bits_and)),
    Builtin::pure("bits.or", "num, num -> num", |ctx, args| bits(ctx, args, number::bits_or)),
    Builtin::pure("bits.xor", "num, num -> num", |ctx, args| bits(ctx, args, number::bits_xor)),
    Builtin::pure("bits.lsh", "num, num -> num", |ctx, args| bits(ctx, args, number::bits_lsh)),
    Builtin::pure("bits.rsh", "num, num -> num", |ctx, args| bits(ctx, args, number::bits_rsh)),
    Builtin::pure("bits.negate", "num -> num", |ctx, args| {
        computed(ctx, number::bits_negate(&integer(args, 0)?))
    }),
    Builtin::pure("format_int", "num, num -> str", format_int),
    Builtin::pure("to_number", "null/bool/num/str -> num", to_number),
];

/// Between so many numbers of a range the host is asked whether the evaluation must end.
const NUMBERS_BETWEEN_CHECKS: usize = 1 << 12;

fn fault(error: NumberError) -> BuiltinError {
    let kind = if error.is_operand_fault() { ErrorKind::Type } else { ErrorKind::Value };
    match error.kind() {
        NumberErrorKind::DivideByZero => BuiltinError::new(kind, "divide by zero"),
        NumberErrorKind::ModuloByZero => BuiltinError::new(kind, "modulo by zero"),
        _ => BuiltinError::new(kind, error.to_string()),
    }
}

fn computed<'e>(ctx: Context<'e>, result: Result<Number, NumberError>) -> Answer<'e> {
    match result {
        Ok(Number::Int(value)) => answer(ctx.arena.int(value)),
        Ok(other) => {
            let mut text = ctx.text();
            other.write_text(&mut text);
            answer(ctx.arena.number_text(&text))
        }
        Err(error) => Err(fault(error)),
    }
}

/// Computes on integers that stand in their handles; none for other operands.
#[inline]
fn small<'e>(
    ctx: Context<'e>,
    args: &[Value<'e>],
    operation: fn(i64, i64) -> Option<i64>,
) -> Option<Answer<'e>> {
    let [left, right] = args else { return None };
    operation(left.as_i64()?, right.as_i64()?).map(|it| answer(ctx.arena.int(it)))
}

fn binary<'e>(
    ctx: Context<'e>,
    args: &[Value<'e>],
    operation: fn(&Number, &Number) -> Result<Number, NumberError>,
) -> Answer<'e> {
    let (left, right) = (number(args, 0)?, number(args, 1)?);
    computed(ctx, operation(&left, &right))
}

fn unary<'e>(
    ctx: Context<'e>,
    args: &[Value<'e>],
    operation: fn(&Number) -> Result<Number, NumberError>,
) -> Answer<'e> {
    computed(ctx, operation(&number(args, 0)?))
}

fn minus<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    if let Some(found) = small(ctx, args, i64::checked_sub) {
        return found;
    }
    let (left, right) = (any(args, 0), any(args, 1));
    match (left.kind(), right.kind()) {
        (Kind::Number, Kind::Number) => binary(ctx, args, Number::sub),
        (Kind::Set, Kind::Set) => {
            let (Some(left), Some(right)) = (left.as_set(), right.as_set()) else { return Ok(None) };
            answer(difference(ctx, left, right))
        }
        (Kind::Number, _) => Err(BuiltinError::operand(2, &["number"], right)),
        (Kind::Set, Kind::Number) => Err(BuiltinError::operand(2, &["set"], right)),
        (Kind::Set, _) => Err(BuiltinError::operand(2, &["number"], right)),
        _ => Err(BuiltinError::operand(1, &["number", "set"], left)),
    }
}

/// Calls the function with each number of a collection.
fn for_each_number<'e>(
    args: &[Value<'e>],
    mut take: impl FnMut(&Number) -> Result<(), NumberError>,
) -> Result<(), BuiltinError> {
    let items: Items<'e> = collection(args, 0, &["set", "array"])?;
    for item in items.iter() {
        if item.kind() != Kind::Number {
            return Err(BuiltinError::element(1, items.kind(), &["number"], item.kind()));
        }
        let number = item.as_number().ok_or_else(|| fault(NumberErrorKind::TooLarge.into()))?;
        take(&number).map_err(fault)?;
    }
    Ok(())
}

/// Sums integers while they and the sum fit.
fn small_sum<'e>(mut items: impl Iterator<Item = Value<'e>>) -> Option<i64> {
    items.try_fold(0_i64, |sum, it| sum.checked_add(it.as_i64()?))
}

fn sum<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let small = match collection(args, 0, &["set", "array"])? {
        Items::Array(array) => small_sum(array.iter()),
        Items::Set(set) => small_sum(set.iter()),
    };
    if let Some(sum) = small {
        return answer(ctx.arena.int(sum));
    }
    let mut sum = Sum::default();
    for_each_number(args, |it| sum.push(it))?;
    computed(ctx, sum.finish())
}

fn product<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let mut product = Product::default();
    for_each_number(args, |it| product.push(it))?;
    computed(ctx, product.finish())
}

/// Returns an operand that is to be an integer; whether it is one is checked by who computes with it.
fn integer(args: &[Value<'_>], index: usize) -> Result<Number, BuiltinError> {
    let value = any(args, index);
    if value.kind() != Kind::Number {
        return Err(BuiltinError::operand(index + 1, &["integer"], value));
    }
    let not_integer =
        || fault(NumberErrorKind::NotInteger(u8::try_from(index + 1).unwrap_or(u8::MAX)).into());
    value.as_number().filter(Number::is_integer).ok_or_else(not_integer)
}

fn bits<'e>(
    ctx: Context<'e>,
    args: &[Value<'e>],
    operation: fn(&Number, &Number) -> Result<Number, NumberError>,
) -> Answer<'e> {
    let (left, right) = (integer(args, 0)?, integer(args, 1)?);
    computed(ctx, operation(&left, &right))
}

fn range<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (first, last) = (integer(args, 0)?, integer(args, 1)?);
    numbers(ctx, "numbers.range", IntegerRange::new(&first, &last, &Number::Int(1)))
}

fn range_step<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (first, last, step) = (integer(args, 0)?, integer(args, 1)?, integer(args, 2)?);
    numbers(ctx, "numbers.range_step", IntegerRange::new(&first, &last, &step))
}

fn numbers<'e>(ctx: Context<'e>, name: &str, range: Result<IntegerRange, NumberError>) -> Answer<'e> {
    let range = range.map_err(|it| BuiltinError::value(format!("{name}: {it}")))?;
    let late = || {
        let message = format!("{name}: timed out before generating all numbers in range");
        BuiltinError::new(ErrorKind::HaltCancel, message)
    };
    if !ctx.fits(range.size_hint().0) {
        return Err(late());
    }
    let mut list = ctx.list();
    for number in range {
        if list.len() % NUMBERS_BETWEEN_CHECKS == NUMBERS_BETWEEN_CHECKS - 1 && ctx.host.cancelled() {
            return Err(late());
        }
        list.push(ctx.arena.number(&number));
    }
    answer(ctx.arena.array(&list))
}

fn format_int<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    for index in [0, 1] {
        if any(args, index).kind() != Kind::Number {
            return Err(BuiltinError::operand(index + 1, &["number"], any(args, index)));
        }
    }
    let (value, base) = (any(args, 0), any(args, 1));
    let (Some(text), Some(base)) = (value.number_text(), base.number_text()) else { return Ok(None) };
    let formatted = number::format_int(&text, &base).map_err(fault)?;
    answer(ctx.arena.string(&formatted))
}

fn to_number<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let value = any(args, 0);
    match value.kind() {
        Kind::Null => answer(ctx.arena.int(0)),
        Kind::Boolean => answer(ctx.arena.int(i64::from(value.is_true()))),
        Kind::Number => answer(value),
        Kind::String => parse(ctx, string(args, 0)?, value),
        Kind::Array | Kind::Object | Kind::Set => {
            Err(BuiltinError::operand(1, &["null", "boolean", "number", "string"], value))
        }
    }
}

/// Reads a number as Go reads a float; a JSON number keeps its text.
fn parse<'e>(ctx: Context<'e>, text: &str, value: Value<'e>) -> Answer<'e> {
    let unsigned = text.trim_start_matches(['+', '-']);
    if ["inf", "infinity", "nan"].iter().any(|it| unsigned.eq_ignore_ascii_case(it)) {
        return Err(BuiltinError::operand(1, &["valid number string"], value));
    }
    check_numeral(text).map_err(|it| {
        let what = match it {
            NumeralFault::Syntax => "invalid syntax",
            NumeralFault::Range => "value out of range",
        };
        BuiltinError::value(format!("strconv.ParseFloat: parsing {}: {what}", quote(text)))
    })?;
    check_json_number(text).map_err(|it| BuiltinError::value(format!("invalid number: {it}")))?;
    if is_json_number(text) {
        return answer(ctx.arena.number_text(text));
    }
    // Go's other forms (`+5`, `0x1p3`, `1_0`) cannot be written as JSON, so the number is computed.
    computed(ctx, Number::parse(text).ok_or_else(|| NumberErrorKind::TooLarge.into()))
}

fn is_json_number(text: &str) -> bool {
    let digits = |it: &str| !it.is_empty() && it.bytes().all(|byte| byte.is_ascii_digit());
    let unsigned = text.strip_prefix('-').unwrap_or(text);
    let (mantissa, exponent) = match unsigned.split_once(['e', 'E']) {
        Some((mantissa, exponent)) => (mantissa, Some(exponent)),
        None => (unsigned, None),
    };
    let (whole, fraction) = match mantissa.split_once('.') {
        Some((whole, fraction)) => (whole, Some(fraction)),
        None => (mantissa, None),
    };
    digits(whole)
        && (whole == "0" || !whole.starts_with('0'))
        && fraction.is_none_or(digits)
        && exponent.is_none_or(|it| digits(it.strip_prefix(['+', '-']).unwrap_or(it)))
}

#[cfg(test)]
mod tests {
    use super::is_json_number;

    #[test]
    fn json_numbers_are_told_from_go_s() {
        for text in ["0", "-0", "1.50", "1e3", "1E+3", "-1.0e-2"] {
            assert!(is_json_number(text), "{text}");
        }
        for text in ["", "-", "+5", ".5", "5.", "010", "1_0", "0x1p2", "1e", "1e+", "1.e3"] {
            assert!(!is_json_number(text), "{text}");
        }
    }
}
