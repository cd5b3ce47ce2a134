//! Networks: `net.*`, with the rules of Go's `net` package.
//!
//! An address is 128 bits, IPv4 in its mapped form, and its family is read off the bits, as Go does.

use std::net::{Ipv4Addr, Ipv6Addr};

use lictor_value::{Document, Kind, Value};

use crate::builtin::Builtin;
use crate::builtins::operands::{Answer, answer, answer_bool, any, items, string};
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};
use crate::http::{LookupFault, check_host};

/// The rows of this family. `net.cidr_overlap` is the old name of `net.cidr_contains`.
pub(crate) const BUILTINS: &[Builtin] = &[
    Builtin::pure("net.cidr_contains", "str, str -> bool", contains),
    Builtin::pure("net.cidr_overlap", "str, str -> bool", contains),
    Builtin::pure("net.cidr_contains_matches", MATCHES_TYPES, contains_matches),
    Builtin::pure("net.cidr_expand", "str -> set[str]", expand),
    Builtin::pure("net.cidr_intersects", "str, str -> bool", intersects),
    Builtin::pure("net.cidr_is_valid", "str -> bool", |_, args| {
        answer_bool(any(args, 0).as_str().is_some_and(|it| Network::parse(it).is_some()))
    }),
    Builtin::blocking("net.lookup_ip_addr", "str -> set[str]", lookup),
    Builtin::pure("net.cidr_merge", "[str*]/set[str] -> set[str]", merge),
];

const MATCHES_TYPES: &str = "str/[str/[any*]*]/{str:str/[any*]}/set[str/[any*]], \
                             str/[str/[any*]*]/{str:str/[any*]}/set[str/[any*]] -> set[[any,any]]";

/// Between so many addresses the host is asked whether the evaluation must end.
const ADDRESSES_BETWEEN_CHECKS: usize = 1 << 10;
/// No block of more addresses is expanded: so many has `10.0.0.0/8`, whose texts take about a gigabyte.
const ADDRESSES_MAX: usize = 1 << 24;

/// An address block; the host bits of `first` are zero unless the block came from an address without a length.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Network {
    first: u128,
    /// How many leading bits of the 128 are fixed.
    fixed: u32,
    /// Whether it was written as IPv4.
    v4: bool,
}

/// The upper 96 bits of a mapped IPv4 address.
const V4_PREFIX: u128 = 0xffff;

fn is_v4(address: u128) -> bool {
    address >> 32 == V4_PREFIX
}

fn from_v4(address: Ipv4Addr) -> u128 {
    V4_PREFIX << 32 | u128::from(u32::from(address))
}

/// Reads an address of either family.
fn parse_address(text: &str) -> Option<(u128, bool)> {
    if let Ok(v4) = text.parse::<Ipv4Addr>() {
        return Some((from_v4(v4), true));
    }
    text.parse::<Ipv6Addr>().ok().map(|it| (u128::from(it), false))
}

fn address_text(address: u128) -> String {
    match u32::try_from(address & 0xffff_ffff) {
        Ok(low) if is_v4(address) => Ipv4Addr::from(low).to_string(),
        _ => Ipv6Addr::from(address).to_string(),
    }
}

/// Returns the mask of the bits that are not fixed.
fn host_bits(fixed: u32) -> u128 {
    u128::MAX.checked_shr(fixed).unwrap_or(0)
}

impl Network {
    fn parse(text: &str) -> Option<Self> {
        let (address, len) = text.split_once('/')?;
        let (address, v4) = parse_address(address)?;
        if len.is_empty() || !len.bytes().all(|it| it.is_ascii_digit()) {
            return None;
        }
        let len: u32 = len.parse().ok()?;
        let fixed = if v4 { len.checked_add(96)? } else { len };
        (fixed <= 128).then(|| Self { first: address & !host_bits(fixed), fixed, v4 })
    }

    fn last(self) -> u128 {
        self.first | host_bits(self.fixed)
    }

    fn holds(self, address: u128) -> bool {
        is_v4(self.first) == is_v4(address) && (self.first ^ address) & !host_bits(self.fixed) == 0
    }

    /// Says whether the other block lies inside; IPv6 blocks may span the mapped IPv4 addresses.
    fn holds_network(self, other: Self) -> bool {
        if !is_v4(self.first) && !is_v4(other.first) {
            return self.fixed <= other.fixed && self.first == other.first & !host_bits(self.fixed);
        }
        self.holds(other.first) && self.holds(other.last())
    }

    fn text(self) -> String {
        let len = if is_v4(self.first) { self.fixed.saturating_sub(96) } else { self.fixed };
        format!("{}/{len}", address_text(self.first))
    }
}

/// Reads an operand that is a block; OPA counts either operand as the first.
fn network(value: Value<'_>) -> Result<Network, BuiltinError> {
    let Some(text) = value.as_str() else {
        return Err(BuiltinError::operand(1, &["string"], value));
    };
    Network::parse(text).ok_or_else(|| BuiltinError::value(format!("invalid CIDR address: {text}")))
}

fn contains<'e>(_: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    answer_bool(holds(any(args, 0), any(args, 1))?)
}

fn holds(whole: Value<'_>, part: Value<'_>) -> Result<bool, BuiltinError> {
    let whole = network(whole)?;
    let Some(text) = part.as_str() else {
        return Err(BuiltinError::operand(1, &["string"], part));
    };
    if let Some((address, _)) = parse_address(text) {
        return Ok(whole.holds(address));
    }
    match Network::parse(text) {
        Some(part) => Ok(whole.holds_network(part)),
        None => Err(BuiltinError::value(format!(
            "not a valid textual representation of an IP address or CIDR: {text}"
        ))),
    }
}

fn intersects<'e>(_: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let (left, right) = (network(any(args, 0))?, network(any(args, 1))?);
    answer_bool(left.holds(right.first) || right.holds(left.first))
}

/// Returns the blocks of an operand with what names them: an index, a key, or themselves.
fn named_blocks<'e>(
    ctx: Context<'e>,
    position: usize,
    value: Value<'e>,
) -> impl Iterator<Item = Result<(Value<'e>, Value<'e>), BuiltinError>> {
    let whole = value.is_string().then_some(Ok((value, value)));
    let by_key = value.as_object().into_iter().flat_map(|it| it.iter());
    let members = value.as_set().into_iter().flat_map(|it| it.iter()).map(|it| (it, it));
    let indexed = (0..)
        .zip(value.as_array().into_iter().flat_map(|it| it.iter()))
        .map(move |(index, it)| (ctx.arena.int(index), it));
    let elements = by_key.chain(members).chain(indexed);
    whole.into_iter().chain(elements.map(move |(name, element)| match block_of(element) {
        Some(block) => Ok((block, name)),
        None => {
            Err(BuiltinError::value(format!("operand {position}: element must be string or non-empty array")))
        }
    }))
}

/// A block is a string, or the first item of an array.
fn block_of(element: Value<'_>) -> Option<Value<'_>> {
    if element.is_string() { Some(element) } else { element.as_array()?.get(0) }
}

fn contains_matches<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let mut found = ctx.list();
    for left in named_blocks(ctx, 1, any(args, 0)) {
        let (whole, left) = left?;
        for right in named_blocks(ctx, 2, any(args, 1)) {
            let (part, right) = right?;
            if holds(whole, part)? {
                found.push(ctx.arena.array(&[left, right]));
            }
        }
    }
    answer(ctx.arena.set(&mut found))
}

fn expand<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    string(args, 0)?;
    let block = network(any(args, 0))?;
    let late = || {
        let message = "net.cidr_expand: timed out before generating all IP addresses";
        BuiltinError::new(ErrorKind::HaltCancel, message)
    };
    let count = usize::try_from(block.last() - block.first).unwrap_or(usize::MAX);
    if count >= ADDRESSES_MAX || !ctx.fits(count) {
        return Err(late());
    }
    let mut list = ctx.list();
    for address in block.first..=block.last() {
        if list.len() % ADDRESSES_BETWEEN_CHECKS == ADDRESSES_BETWEEN_CHECKS - 1 && ctx.host.cancelled() {
            return Err(late());
        }
        list.push(ctx.arena.string(&address_text(address)));
    }
    answer(ctx.arena.set(&mut list))
}

/// Asks the host; one evaluation sees one answer.
fn lookup<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let name = string(args, 0)?;
    check_host(ctx.allow_net, name).map_err(BuiltinError::value)?;
    let key = format!("net.lookup_ip_addr {name}");
    if let Some(Ok(known)) = ctx.caches.answers.get(&key) {
        return answer(known.root());
    }
    match ctx.host.lookup_ip(name, &|| ctx.host.cancelled()) {
        Ok(addresses) => {
            let mut list = ctx.list();
            list.extend(addresses.iter().map(|it| ctx.arena.string(it)));
            let set = ctx.arena.set(&mut list);
            ctx.caches.answers.push(key, Ok(Document::from_value(set)));
            answer(set)
        }
        Err(LookupFault::Failed(text)) => Err(BuiltinError::value(text)),
        Err(LookupFault::Cancelled(text)) => {
            let message = format!("net.lookup_ip_addr: {text}");
            Err(BuiltinError::new(ErrorKind::HaltCancel, message))
        }
    }
}

/// A run of addresses, and the block that it is if nothing was merged into it.
struct Run {
    first: u128,
    last: u128,
    block: Option<Network>,
}

fn merge<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let Some(elements) = items(any(args, 0)) else {
        return Err(BuiltinError::value("operand must be an array"));
    };
    let mut runs = Vec::with_capacity(elements.len());
    for element in elements.iter() {
        let block = block_to_merge(element)?;
        runs.push(Run {
            first: block.first & !host_bits(block.fixed),
            last: block.last(),
            block: Some(block),
        });
    }
    let mut list = ctx.list();
    for run in merged(runs) {
        match run.block {
            Some(block) => list.push(ctx.arena.string(&block.text())),
            None => push_blocks(ctx, &mut list, run.first, run.last),
        }
    }
    answer(ctx.arena.set(&mut list))
}

/// An IPv4 address without a length gets that of its historical class and keeps its host bits.
fn block_to_merge(element: Value<'_>) -> Result<Network, BuiltinError> {
    if element.kind() != Kind::String {
        return Err(BuiltinError::value("element must be string"));
    }
    let Some((address, _)) = element.as_str().and_then(parse_address) else { return network(element) };
    if !is_v4(address) {
        return Err(BuiltinError::value("IPv6 invalid: needs prefix length"));
    }
    let len = match address >> 24 & 0xff {
        0..0x80 => 8,
        0x80..0xc0 => 16,
        _ => 24,
    };
    Ok(Network { first: address, fixed: 96 + len, v4: true })
}

/// Joins runs that overlap or touch.
fn merged(mut runs: Vec<Run>) -> Vec<Run> {
    runs.sort_by_key(|it| (it.last, it.first));
    let mut out: Vec<Run> = Vec::with_capacity(runs.len());
    for run in runs.into_iter().rev() {
        match out.last_mut() {
            Some(above) if before(above.first) <= run.last => {
                above.first = above.first.min(run.first);
                above.block = None;
            }
            _ => out.push(run),
        }
    }
    out
}

/// Returns the address before, within the family.
fn before(address: u128) -> u128 {
    if address == V4_PREFIX << 32 { address } else { address.saturating_sub(1) }
}

/// Appends the fewest blocks that cover a run.
fn push_blocks<'e>(ctx: Context<'e>, list: &mut Vec<Value<'e>>, first: u128, last: u128) {
    let v4 = is_v4(first);
    let mut next = Some(first);
    while let Some(start) = next.filter(|it| *it <= last) {
        let mut fixed = if v4 { 96.max(128 - start.trailing_zeros()) } else { 128 - start.trailing_zeros() };
        while start | host_bits(fixed) > last {
            fixed += 1;
        }
        let block = Network { first: start, fixed, v4 };
        list.push(ctx.arena.string(&block.text()));
        next = block.last().checked_add(1);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_are_read_as_go_does() {
        for (text, want) in [
            ("10.1.2.3/8", Some("10.0.0.0/8")),
            ("10.0.0.0/08", Some("10.0.0.0/8")),
            ("::ffff:10.1.2.3/120", Some("10.1.2.0/24")),
            ("2001:DB8::1/32", Some("2001:db8::/32")),
            ("0.0.0.0/0", Some("0.0.0.0/0")),
            ("::/0", Some("::/0")),
            ("10.0.0.0/33", None),
            ("010.0.0.0/8", None),
            ("fe80::1%eth0/64", None),
            ("10.0.0.0/", None),
            ("10.0.0.0/+8", None),
        ] {
            assert_eq!(Network::parse(text).map(Network::text).as_deref(), want, "{text}");
        }
    }
}
