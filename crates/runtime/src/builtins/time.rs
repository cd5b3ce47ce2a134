//! `time.*`, over the calendar, zones, layouts and durations in `go`. The clock stands in `world`.
//!
//! A time is a number of nanoseconds since 1970, or an array of that, a zone and perhaps a layout.

use std::sync::Arc;

use lictor_value::{Kind, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, any, int, string};
use crate::context::Context;
use crate::error::BuiltinError;
use crate::go::civil::{self, Civil};
use crate::go::duration::parse_duration;
use crate::go::layout;
use crate::go::zone::Zone;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("time.parse_ns", "str, str -> num", |ctx, args| {
        parsed(ctx, layout::parse(string(args, 0)?, string(args, 1)?))
    }),
    Builtin::pure("time.parse_rfc3339_ns", "str -> num", |ctx, args| {
        parsed(ctx, layout::parse_rfc3339(string(args, 0)?))
    }),
    Builtin::pure("time.parse_duration_ns", "str -> num", |ctx, args| {
        parsed(ctx, parse_duration(string(args, 0)?))
    }),
    Builtin::pure("time.format", "num/[num,str]/[num,str,str] -> str", |ctx, args| {
        let time = Time::read(ctx, any(args, 0))?;
        let layout = time.layout.as_ref().and_then(|it| it.as_str()).unwrap_or("");
        answer(ctx.arena.string(&layout::format(time.ns, &time.zone, layout)))
    }),
    Builtin::pure("time.date", "num/[num,str] -> [num,num,num]", |ctx, args| {
        let civil = Time::read(ctx, any(args, 0))?.civil();
        answer(numbers(ctx, &[civil.year, civil.month, civil.day]))
    }),
    Builtin::pure("time.clock", "num/[num,str] -> [num,num,num]", |ctx, args| {
        let civil = Time::read(ctx, any(args, 0))?.civil();
        answer(numbers(ctx, &[civil.hour, civil.minute, civil.second]))
    }),
    Builtin::pure("time.weekday", "num/[num,str] -> str", |ctx, args| {
        answer(ctx.arena.string(Time::read(ctx, any(args, 0))?.civil().weekday()))
    }),
    Builtin::pure("time.add_date", "num, num, num, num -> num", add_date),
    Builtin::pure("time.diff", "num/[num,str], num/[num,str] -> [num,num,num,num,num,num]", diff),
];

/// An instant, how it is to be seen, and how to be written.
struct Time<'e> {
    ns: i64,
    zone: Arc<Zone>,
    layout: Option<Value<'e>>,
}

impl<'e> Time<'e> {
    /// Reads an operand; OPA counts every one as the first.
    fn read(ctx: Context<'e>, value: Value<'e>) -> Result<Self, BuiltinError> {
        let (number, zone, layout) = match (value.kind(), value.as_array()) {
            (Kind::Number, _) => (value, None, None),
            (_, Some(array)) if !array.is_empty() => {
                (array.get(0).unwrap_or(Value::NULL), array.get(1), array.get(2))
            }
            _ => {
                let expected = "either number (ns) or [number (ns), string (tz)]";
                return Err(BuiltinError::operand(1, &[expected], value));
            }
        };
        if number.kind() != Kind::Number {
            return Err(BuiltinError::operand(1, &["number"], number));
        }
        let zone = zone_named(ctx, zone)?;
        if let Some(layout) = layout.filter(|it| !it.is_string()) {
            return Err(BuiltinError::operand(1, &["string"], layout));
        }
        match number.as_number().and_then(|it| it.to_i64()) {
            Some(ns) => Ok(Self { ns, zone, layout }),
            None => Err(BuiltinError::value("timestamp too big")),
        }
    }

    fn civil(&self) -> Civil {
        Civil::at(self.ns, &self.zone)
    }
}

fn zone_named(ctx: Context<'_>, name: Option<Value<'_>>) -> Result<Arc<Zone>, BuiltinError> {
    let Some(name) = name else { return zone(ctx, "") };
    match name.as_str() {
        Some(name) => zone(ctx, name),
        None => Err(BuiltinError::operand(1, &["string"], name)),
    }
}

fn zone(ctx: Context<'_>, name: &str) -> Result<Arc<Zone>, BuiltinError> {
    let mut zones = ctx.caches.zones.borrow_mut();
    zones.get_or_insert(name, || Zone::load(name)).map_err(|it| BuiltinError::value(it.to_string()))
}

fn parsed<'e>(ctx: Context<'e>, result: Result<i64, impl ToString>) -> Answer<'e> {
    match result {
        Ok(ns) => answer(ctx.arena.int(ns)),
        Err(error) => Err(BuiltinError::value(error.to_string())),
    }
}

fn numbers<'e>(ctx: Context<'e>, numbers: &[i64]) -> Value<'e> {
    let mut list = ctx.list();
    list.extend(numbers.iter().map(|it| ctx.arena.int(*it)));
    ctx.arena.array(&list)
}

fn add_date<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let time = Time::read(ctx, any(args, 0))?;
    let (years, months, days) = (int(args, 1)?, int(args, 2)?, int(args, 3)?);
    parsed(ctx, civil::add_date(time.ns, &time.zone, years, months, days))
}

/// The second time is seen in the zone of the first.
fn diff<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (first, second) = (Time::read(ctx, any(args, 0))?, Time::read(ctx, any(args, 1))?);
    answer(numbers(ctx, &civil::diff(first.ns, second.ns, &first.zone)))
}
