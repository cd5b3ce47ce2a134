//! Whether a certificate names a host.
//!
//! Wildcards count in the first label alone, and only where both texts are proper host names; otherwise the texts
//! must be equal but for case. The common name never counts.

use std::net::IpAddr;

use super::san::Names;

/// Says whether one of the names is that of the host.
pub(crate) fn names_host(names: &Names, host: &str) -> bool {
    let bare = host.strip_prefix('[').and_then(|it| it.strip_suffix(']')).filter(|it| !it.is_empty());
    if let Ok(ip) = bare.unwrap_or(host).parse::<IpAddr>() {
        return names.ips.iter().any(|it| same_address(it, ip));
    }
    let host = host.to_ascii_lowercase();
    let trimmed = host.strip_suffix('.').unwrap_or(&host);
    let proper = is_host(trimmed, Wildcard::Refused);
    names.dns.iter().any(|name| {
        let name = name.to_ascii_lowercase();
        if proper && is_host(&name, Wildcard::First) {
            matches_pattern(&name, trimmed)
        } else {
            !matches!(host.as_str(), "" | ".") && !matches!(name.as_str(), "" | ".") && name == host
        }
    })
}

/// An IPv4 address equals itself written as IPv6.
fn same_address(bytes: &[u8], ip: IpAddr) -> bool {
    let four = <[u8; 4]>::try_from(bytes).map(IpAddr::from);
    let own = four.or_else(|_| <[u8; 16]>::try_from(bytes).map(IpAddr::from));
    own.is_ok_and(|it| it.to_canonical() == ip.to_canonical())
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Wildcard {
    Refused,
    First,
}

fn is_host(host: &str, wildcard: Wildcard) -> bool {
    let in_label =
        |(at, byte): (usize, u8)| byte.is_ascii_alphanumeric() || byte == b'_' || (byte == b'-' && at != 0);
    let label = |(at, label): (usize, &str)| {
        (wildcard == Wildcard::First && at == 0 && label == "*")
            || (!label.is_empty() && label.bytes().enumerate().all(in_label))
    };
    host != "*" && host.split('.').enumerate().all(label)
}

fn matches_pattern(pattern: &str, host: &str) -> bool {
    let (pattern, host): (Vec<&str>, Vec<&str>) = (pattern.split('.').collect(), host.split('.').collect());
    let fits =
        |(at, (pattern, label)): (usize, (&&str, &&str))| pattern == label || (at == 0 && *pattern == "*");
    pattern.len() == host.len() && pattern.iter().zip(&host).enumerate().all(fits)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hosts_are_go_s() {
        let names = Names {
            dns: ["a.example", "*.b.example", "C.example", "x!y"].map(str::to_owned).to_vec(),
            ips: vec![vec![10, 0, 0, 1]],
            ..Names::default()
        };
        let cases = [
            ("a.example", true),
            ("A.EXAMPLE.", true),
            ("x.b.example", true),
            ("x.y.b.example", false),
            ("b.example", false),
            ("c.example", true),
            ("x!y", true),
            ("X!Y", true),
            ("10.0.0.1", true),
            ("[10.0.0.1]", true),
            ("::ffff:10.0.0.1", true),
            ("10.0.0.2", false),
            ("*", false),
            ("", false),
        ];
        for (host, want) in cases {
            assert_eq!(names_host(&names, host), want, "{host}");
        }
    }
}
