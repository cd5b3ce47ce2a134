//! Who and where: the user, host and port of a URL.
//!
//! Apart because hosts have rules of their own: literal addresses, zones, ports. Knows nothing of the other parts.

use std::fmt;

use super::escape::{Part, unescape};
use crate::go::address::{Family, parse_address};
use crate::go_text::{lossy, quote};

/// A user's name and perhaps password, unescaped.
#[derive(Clone, PartialEq, Eq)]
pub struct User {
    /// The name.
    pub name: Vec<u8>,
    /// The password.
    pub password: Option<Vec<u8>>,
}

impl fmt::Debug for User {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Passwords do not show by mistake.
        f.debug_struct("User").finish_non_exhaustive()
    }
}

/// Reads what stands between `//` and the path.
pub(super) fn parse(scheme: &str, authority: &str) -> Result<(Option<User>, Vec<u8>), String> {
    let Some((user, host)) = authority.rsplit_once('@') else {
        return Ok((None, parse_host(scheme, authority)?));
    };
    let host = parse_host(scheme, host)?;
    let in_user = |it: char| it.is_ascii_alphanumeric() || "-._:~!$&'()*+,;=%@".contains(it);
    if !user.chars().all(in_user) {
        return Err("net/url: invalid userinfo".to_owned());
    }
    let (name, password) = user.split_once(':').map_or((user, None), |it| (it.0, Some(it.1)));
    let name = unescape(name, Part::UserPassword)?;
    let password = password.map(|it| unescape(it, Part::UserPassword)).transpose()?;
    Ok((Some(User { name, password }), host))
}

/// Says whether this is nothing, or a colon and perhaps digits.
fn is_port(colon_port: &[u8]) -> bool {
    match colon_port.split_first() {
        None => true,
        Some((colon, digits)) => *colon == b':' && digits.iter().all(u8::is_ascii_digit),
    }
}

fn check_port(colon_port: &str) -> Result<(), String> {
    if is_port(colon_port.as_bytes()) {
        return Ok(());
    }
    Err(format!("invalid port {} after host", quote(colon_port)))
}

fn parse_host(scheme: &str, host: &str) -> Result<Vec<u8>, String> {
    match host.rfind('[') {
        Some(0) => return parse_literal(host),
        Some(_) => return Err("invalid IP-literal".to_owned()),
        None => {}
    }
    if let (Some(first), Some(last)) = (host.find(':'), host.rfind(':')) {
        let colon = if matches!(scheme, "http" | "https") { first } else { last };
        check_port(host.get(colon..).unwrap_or(""))?;
    }
    unescape(host, Part::Host)
}

/// Reads an IPv6 address in brackets, perhaps with a zone.
fn parse_literal(host: &str) -> Result<Vec<u8>, String> {
    let Some((inside, colon_port)) = host.strip_prefix('[').and_then(|it| it.rsplit_once(']')) else {
        return Err("missing ']' in host".to_owned());
    };
    check_port(colon_port)?;
    let (address, zone) = inside.split_at(inside.find("%25").unwrap_or(inside.len()));
    let mut name = unescape(address, Part::Host)?;
    name.extend(unescape(zone, Part::Zone)?);
    check_literal(&lossy(&name))?;
    let mut out = vec![b'['];
    out.extend(name);
    out.push(b']');
    out.extend(colon_port.bytes());
    Ok(out)
}

fn check_literal(name: &str) -> Result<(), String> {
    match parse_address(name) {
        Ok(Family::V6) => Ok(()),
        Ok(Family::V4) => Err("invalid IP-literal".to_owned()),
        Err(fault) => Err(format!("invalid host: {fault}")),
    }
}

/// Splits a host from its port; the brackets of an address fall away.
pub(super) fn split_port(host: &[u8]) -> (&[u8], &[u8]) {
    let colon = host.iter().rposition(|it| *it == b':').unwrap_or(host.len());
    let (name, port) = match host.split_at(colon) {
        (name, [_, port @ ..]) if port.iter().all(u8::is_ascii_digit) => (name, port),
        _ => (host, [].as_slice()),
    };
    let bare = name.strip_prefix(b"[").and_then(|it| it.strip_suffix(b"]"));
    (bare.unwrap_or(name), port)
}
