//! Which proxy a request goes through: the variables that Go reads, by its rules.
//!
//! They are read once. Loopback addresses and `localhost` never go through one.

use std::net::IpAddr;

use lictor::http::Url;

use crate::outgoing::Environment;

/// The proxies of the environment.
#[derive(Debug, Default)]
pub(crate) struct Proxies {
    http: Option<Url>,
    https: Option<Url>,
    exceptions: Vec<Exception>,
}

/// What does not go through a proxy.
#[derive(Debug)]
enum Exception {
    Everything,
    /// The first address and how many bits count.
    Block(IpAddr, u8),
    Address(IpAddr, Option<u16>),
    /// `.example.org`, and whether the name without the dot counts too.
    Domain {
        suffix: String,
        itself: bool,
        port: Option<u16>,
    },
}

impl Proxies {
    /// Reads the environment.
    pub(crate) fn read(environment: &Environment) -> Self {
        let find = |upper: &str| {
            let lower = || environment(&upper.to_lowercase()).filter(|it| !it.is_empty());
            environment(upper).filter(|it| !it.is_empty()).or_else(lower)
        };
        // In a CGI program HTTP_PROXY is a header of the request.
        let is_cgi = environment("REQUEST_METHOD").is_some_and(|it| !it.is_empty());
        let http = if is_cgi { None } else { find("HTTP_PROXY") };
        let exceptions = find("NO_PROXY").unwrap_or_default();
        Self {
            http: http.as_deref().and_then(proxy),
            https: find("HTTPS_PROXY").as_deref().and_then(proxy),
            exceptions: exceptions.split(',').filter_map(|it| exception(&it.trim().to_lowercase())).collect(),
        }
    }

    /// Returns the proxy for a place, if there is one.
    pub(crate) fn proxy_for(&self, is_https: bool, host: &str, port: u16) -> Option<&Url> {
        let proxy = if is_https { &self.https } else { &self.http };
        let proxy = proxy.as_ref()?;
        let host = host.to_lowercase();
        let address = host.parse::<IpAddr>().ok();
        if host == "localhost" || address.is_some_and(|it| it.to_canonical().is_loopback()) {
            return None;
        }
        let is_excepted = self.exceptions.iter().any(|it| it.covers(&host, address, port));
        (!is_excepted).then_some(proxy)
    }
}

fn proxy(text: &str) -> Option<Url> {
    let parsed = Url::parse(text).ok().filter(|it| !it.scheme.is_empty() && !it.host.is_empty());
    parsed.or_else(|| Url::parse(&format!("http://{text}")).ok())
}

fn exception(text: &str) -> Option<Exception> {
    if text == "*" {
        return Some(Exception::Everything);
    }
    if let Some((address, bits)) = text.split_once('/')
        && let (Ok(address), Ok(bits)) = (address.parse::<IpAddr>(), bits.parse::<u8>())
        && bits <= if address.is_ipv4() { 32 } else { 128 }
    {
        return Some(Exception::Block(address, bits));
    }
    if let Ok(address) = text.trim_matches(['[', ']']).parse() {
        return Some(Exception::Address(address, None));
    }
    let (host, port) = match text.rsplit_once(':') {
        Some((host, port)) if !host.contains(':') || host.ends_with(']') => (host, port.parse().ok()),
        _ => (text, None),
    };
    if let Ok(address) = host.trim_matches(['[', ']']).parse() {
        return Some(Exception::Address(address, port));
    }
    let host = if host.starts_with("*.") { host.get(1..)? } else { host };
    match host {
        "" => None,
        host if host.starts_with('.') => {
            Some(Exception::Domain { suffix: host.to_owned(), itself: false, port })
        }
        host => Some(Exception::Domain { suffix: format!(".{host}"), itself: true, port }),
    }
}

impl Exception {
    fn covers(&self, host: &str, address: Option<IpAddr>, at: u16) -> bool {
        match self {
            Self::Everything => true,
            Self::Block(first, bits) => address.is_some_and(|it| is_in_block(it, *first, *bits)),
            Self::Address(own, port) => address == Some(*own) && port.is_none_or(|it| it == at),
            Self::Domain { suffix, itself, port } => {
                let named = host.ends_with(suffix) || (*itself && suffix.get(1..) == Some(host));
                address.is_none() && named && port.is_none_or(|it| it == at)
            }
        }
    }
}

fn is_in_block(address: IpAddr, first: IpAddr, bits: u8) -> bool {
    let word = |it: IpAddr| match it {
        IpAddr::V4(it) => u128::from(u32::from(it)) << 96,
        IpAddr::V6(it) => u128::from(it),
    };
    let mask = u128::MAX.checked_shl(128 - u32::from(bits)).unwrap_or(0);
    address.is_ipv4() == first.is_ipv4() && (word(address) ^ word(first)) & mask == 0
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn places_find_their_proxy() {
        let environment: Environment = Arc::new(|name| {
            let value = match name {
                "HTTP_PROXY" => "proxy:3128",
                "https_proxy" => "https://secure.proxy",
                "no_proxy" => {
                    "10.0.0.0/8, example.org,.sub.test:8080, *.star.test, 192.0.2.7:81,[2001:db8::1]"
                }
                _ => return None,
            };
            Some(value.to_owned())
        });
        let proxies = Proxies::read(&environment);
        let http = |host: &str, port| proxies.proxy_for(false, host, port).map(Url::redacted);
        assert_eq!(http("other.test", 80).as_deref(), Some("http://proxy:3128"));
        assert_eq!(
            proxies.proxy_for(true, "other.test", 443).map(Url::redacted).as_deref(),
            Some("https://secure.proxy")
        );
        for (host, port) in [
            ("localhost", 80),
            ("127.9.9.9", 80),
            ("::1", 80),
            ("10.1.2.3", 80),
            ("example.org", 80),
            ("a.EXAMPLE.org", 80),
            ("x.sub.test", 8080),
            ("x.star.test", 80),
            ("192.0.2.7", 81),
            ("2001:db8::1", 80),
        ] {
            assert_eq!(http(host, port), None, "{host}");
        }
        for (host, port) in
            [("11.1.2.3", 80), ("sub.test", 8080), ("x.sub.test", 80), ("star.test", 80), ("192.0.2.7", 80)]
        {
            assert!(http(host, port).is_some(), "{host}");
        }
    }
}
