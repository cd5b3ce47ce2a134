//! What the world decides: the clock, random numbers, UUIDs, the runtime's description.
//!
//! One evaluation sees one answer to one question: answers are kept by question until the evaluation ends. The
//! world itself is the host's.

use lictor_value::{Document, Value};

use crate::builtin::Builtin;
use crate::builtins::json;
use crate::builtins::operands::{Answer, answer, any, int, string};
use crate::context::Context;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::impure("time.now_ns", "-> num", |ctx, _| answer(ctx.arena.int(ctx.caches.now_ns(ctx.host)))),
    Builtin::impure("rand.intn", "str, num -> num", rand_intn),
    Builtin::impure("uuid.rfc4122", "str -> str", uuid_random),
    Builtin::pure("uuid.parse", "str -> {str:any}", uuid_parse),
    Builtin::impure("opa.runtime", "-> {str:any}", |ctx, _| {
        answer(json::read(ctx, &ctx.host.runtime_json())?)
    }),
];

/// Returns what was answered before in this evaluation, or asks and keeps the answer.
fn remembered<'e>(ctx: Context<'e>, key: String, ask: impl FnOnce() -> Value<'e>) -> Value<'e> {
    if let Some(known) = ctx.caches.remembered(&key) {
        let root = known.root();
        return match (root.as_i64(), root.as_str()) {
            (Some(number), _) => ctx.arena.int(number),
            (None, text) => ctx.arena.string(text.unwrap_or("")),
        };
    }
    let value = ask();
    ctx.caches.remember(key, Document::from_value(value));
    value
}

fn rand_intn<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let key = string(args, 0)?;
    let bound = int(args, 1)?.unsigned_abs();
    if bound == 0 {
        return answer(ctx.arena.int(0));
    }
    answer(remembered(ctx, format!("rand.intn {key}-{bound}"), || {
        let mut bytes = [0; 16];
        ctx.host.fill_random(&mut bytes);
        let number = u128::from_le_bytes(bytes) % u128::from(bound);
        ctx.arena.int(i64::try_from(number).unwrap_or(i64::MAX))
    }))
}

fn uuid_random<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    answer(remembered(ctx, format!("uuid.rfc4122 {}", any(args, 0)), || {
        let mut bytes = [0; 16];
        ctx.host.fill_random(&mut bytes);
        bytes[6] = bytes[6] & 0x0f | 0x40;
        bytes[8] = bytes[8] & 0x3f | 0x80;
        ctx.arena.string(&uuid_text(bytes))
    }))
}

fn uuid_text(bytes: [u8; 16]) -> String {
    let hex = u128::from_be_bytes(bytes);
    let mut text = format!("{hex:032x}");
    for at in [8, 13, 18, 23] {
        text.insert(at, '-');
    }
    text
}

/// A text that is no UUID is undefined, not an error.
fn uuid_parse<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    Ok(read_uuid(string(args, 0)?.as_bytes()).map(|it| describe(ctx, it)))
}

/// Reads the forms with dashes, as URN, in any brackets, or of digits alone.
fn read_uuid(text: &[u8]) -> Option<[u8; 16]> {
    const PREFIX: &[u8] = b"urn:uuid:";
    let digits: Vec<u8> = match text.len() {
        32 => text.to_vec(),
        36 => without_dashes(text)?,
        38 => without_dashes(text.get(1..37)?)?,
        45 if text.get(..9)?.eq_ignore_ascii_case(PREFIX) => without_dashes(text.get(9..)?)?,
        _ => return None,
    };
    let mut bytes = [0; 16];
    for (byte, pair) in bytes.iter_mut().zip(digits.chunks(2)) {
        let [high, low] = pair else { return None };
        let digit = |it: u8| char::from(it).to_digit(16).and_then(|it| u8::try_from(it).ok());
        *byte = digit(*high)? << 4 | digit(*low)?;
    }
    Some(bytes)
}

fn without_dashes(text: &[u8]) -> Option<Vec<u8>> {
    let dashes = [8, 13, 18, 23];
    let in_place = dashes.iter().all(|it| text.get(*it) == Some(&b'-'));
    in_place.then(|| (0..).zip(text).filter(|it| !dashes.contains(&it.0)).map(|it| *it.1).collect())
}

fn describe<'e>(ctx: Context<'e>, uuid: [u8; 16]) -> Value<'e> {
    let version = uuid[6] >> 4;
    let variant = match uuid[8] {
        0x80..=0xbf => "RFC4122",
        0xc0..=0xdf => "Microsoft",
        0xe0..=0xff => "Future",
        0..=0x7f => "Reserved",
    };
    let text = |it: &str| ctx.arena.string(it);
    let mut pairs = ctx.pairs();
    pairs.push((text("version"), ctx.arena.int(i64::from(version))));
    pairs.push((text("variant"), text(variant)));
    let [a, b, c, d, e, f, g, h, clock_high, clock_low, node @ ..] = uuid;
    if matches!(version, 1 | 2) {
        let sequence = u16::from_be_bytes([clock_high, clock_low]) & 0x3fff;
        let node_text: Vec<String> = node.iter().map(|it| format!("{it:02x}")).collect();
        pairs.push((text("time"), ctx.arena.int(unix_ns([a, b, c, d, e, f, g, h]))));
        pairs.push((text("nodeid"), text(&node_text.join("-"))));
        pairs.push((text("macvariables"), text(mac_kind(node[0]))));
        pairs.push((text("clocksequence"), ctx.arena.int(i64::from(sequence))));
    }
    if version == 2 {
        let domain = match clock_low {
            0 => "Person".to_owned(),
            1 => "Group".to_owned(),
            2 => "Org".to_owned(),
            other => format!("Domain{other}"),
        };
        pairs.push((text("id"), ctx.arena.int(i64::from(u32::from_be_bytes([a, b, c, d])))));
        pairs.push((text("domain"), text(&domain)));
    }
    ctx.arena.object(&mut pairs)
}

/// Returns the time of a version 1 UUID, which counts 100 ns from 1582, as nanoseconds since 1970.
fn unix_ns([a, b, c, d, e, f, g, h]: [u8; 8]) -> i64 {
    const EPOCH: i64 = 0x01b2_1dd2_1381_4000;
    let ticks = i64::from_be_bytes([g & 0x0f, h, e, f, a, b, c, d]);
    (ticks - EPOCH).wrapping_mul(100)
}

fn mac_kind(first: u8) -> &'static str {
    match first & 3 {
        3 => "local:multicast",
        1 => "global:multicast",
        2 => "local:unicast",
        _ => "global:unicast",
    }
}
