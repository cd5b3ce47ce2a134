//! Names and their addresses, as the system knows them, with Go's rules for what is a name at all.
//!
//! Apart because both requests and `net.lookup_ip_addr` need it. It opens no connection.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr};

/// Where the system's settings for names stand.
const SETTINGS: &str = "/etc/resolv.conf";
const DNS_PORT: u16 = 53;

/// Longer names are none.
const NAME_BYTES_MAX: usize = 254;
/// A part between dots is no longer.
const LABEL_BYTES_MAX: usize = 63;

/// Answers where the system need not be asked: for addresses, and texts that are no names.
pub(crate) fn without_system(name: &str) -> Option<Result<Vec<String>, String>> {
    // Go writes what is IPv4 as IPv4, however it was written.
    if let Ok(address) = name.parse::<IpAddr>() {
        return Some(Ok(vec![address.to_canonical().to_string()]));
    }
    if let Some((address, zone)) = name.split_once('%')
        && let Ok(address) = address.parse::<Ipv6Addr>()
        && !zone.is_empty()
    {
        return Some(Ok(vec![format!("{}%{zone}", address.to_canonical())]));
    }
    (!is_name(name)).then(|| Err(not_found(name)))
}

/// Asks the system.
pub(crate) async fn addresses(name: &str) -> Result<Vec<IpAddr>, String> {
    let Ok(found) = tokio::net::lookup_host((name, 0)).await else {
        return Err(not_found_by_server(name).await);
    };
    let mut addresses: Vec<IpAddr> = Vec::new();
    for address in found.map(|it| it.ip()) {
        if !addresses.contains(&address) {
            addresses.push(address);
        }
    }
    if addresses.is_empty() { Err(not_found_by_server(name).await) } else { Ok(addresses) }
}

/// Returns Go's text, which names the server that was asked.
async fn not_found_by_server(name: &str) -> String {
    let settings = tokio::task::spawn_blocking(|| std::fs::read_to_string(SETTINGS)).await;
    let settings = settings.ok().and_then(Result::ok).unwrap_or_default();
    let servers = settings.lines().filter_map(|it| it.trim().strip_prefix("nameserver"));
    let server = servers.filter_map(|it| it.split_whitespace().next()?.parse::<IpAddr>().ok()).next();
    let server = SocketAddr::new(server.unwrap_or(IpAddr::V4(Ipv4Addr::LOCALHOST)), DNS_PORT);
    format!("lookup {name} on {server}: no such host")
}

fn not_found(name: &str) -> String {
    format!("lookup {name}: no such host")
}

/// Says whether a text could be the name of a host; not all of it may be digits.
fn is_name(text: &str) -> bool {
    if text == "." {
        return true;
    }
    let bare = text.strip_suffix('.').unwrap_or(text);
    let is_label = |it: &str| {
        let inner = it.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-');
        inner && !it.is_empty() && it.len() <= LABEL_BYTES_MAX && !it.starts_with('-') && !it.ends_with('-')
    };
    text.len() <= NAME_BYTES_MAX
        && bare.split('.').all(is_label)
        && bare.bytes().any(|it| it.is_ascii_alphabetic() || it == b'_' || it == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_told_from_other_texts() {
        let known = |name: &str| without_system(name).map(|it| it.unwrap_or_else(|fault| vec![fault]));
        let one = |it: &str| Some(vec![it.to_owned()]);
        assert_eq!(known("localhost"), None);
        assert_eq!(known("a-b.example."), None);
        assert_eq!(known("10.0.0.1"), one("10.0.0.1"));
        assert_eq!(known("2001:DB8::1"), one("2001:db8::1"));
        assert_eq!(known("fe80:0::1%lo"), one("fe80::1%lo"));
        assert_eq!(known("::ffff:1.2.3.4"), one("1.2.3.4"));
        assert_eq!(known("::1.2.3.4"), one("::102:304"));
        for bad in ["", "127.1", "a b", "-a", "a..b", "127.0.0.1.", "é", "fe80::1%"] {
            assert_eq!(known(bad), one(&format!("lookup {bad}: no such host")), "{bad}");
        }
    }
}
