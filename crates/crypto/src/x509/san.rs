//! Alternative names of a subject: host names, addresses, mail addresses and URIs.
//!
//! Reading URIs needs Go's rules of URLs, which stand with the URI built-ins; the caller hands them in.

use crate::der::{Reader, SEQUENCE};
use crate::text::quote;

/// Reads a URI; returns its host, or Go's message.
pub type UriHost = fn(&str) -> Result<Vec<u8>, String>;

/// Alternative names, each kind in order.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Names {
    /// Host names.
    pub dns: Vec<String>,
    /// Mail addresses.
    pub emails: Vec<String>,
    /// Addresses of 4 or 16 bytes.
    pub ips: Vec<Vec<u8>>,
    /// URIs as they are written.
    pub uris: Vec<String>,
    /// The hosts of the URIs.
    pub uri_hosts: Vec<Vec<u8>>,
}

impl Names {
    /// Says whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.dns.is_empty() && self.emails.is_empty() && self.ips.is_empty() && self.uris.is_empty()
    }
}

/// Reads the extension; kinds that are not known are passed over.
pub(crate) fn parse_names(value: &[u8], host_of: UriHost) -> Result<Names, String> {
    let list = Reader(value).inside(SEQUENCE);
    let mut list = list.ok_or("x509: invalid subject alternative names")?;
    let mut names = Names::default();
    while !list.is_empty() {
        let it = list.any().ok_or("x509: invalid subject alternative name")?;
        let text = || ascii(it.content);
        match it.tag ^ 0x80 {
            1 => names.emails.push(text().ok_or("x509: SAN rfc822Name is malformed")?),
            2 => names.dns.push(text().ok_or("x509: SAN dNSName is malformed")?),
            6 => {
                let uri = text().ok_or("x509: SAN uniformResourceIdentifier is malformed")?;
                let fault = |why: &str| format!("x509: cannot parse URI {}: {why}", quote(&uri));
                let host = host_of(&uri).map_err(|it| fault(&it))?;
                if !host.is_empty() && !domain_is_valid(&host, Pattern::Name) {
                    return Err(fault("invalid domain"));
                }
                names.uris.push(uri);
                names.uri_hosts.push(host);
            }
            7 if matches!(it.content.len(), 4 | 16) => names.ips.push(it.content.to_vec()),
            7 => return Err(format!("x509: cannot parse IP address of length {}", it.content.len())),
            _ => {}
        }
    }
    Ok(names)
}

/// Returns bytes as text if they are ASCII.
pub(crate) fn ascii(bytes: &[u8]) -> Option<String> {
    std::str::from_utf8(bytes).ok().filter(|it| it.is_ascii()).map(str::to_owned)
}

/// What a domain is read as.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Pattern {
    /// A name.
    Name,
    /// A constraint on names, which may start with a dot.
    Constraint,
}

/// Says whether a text may be a domain; the empty one may.
pub(crate) fn domain_is_valid(domain: &[u8], pattern: Pattern) -> bool {
    if domain.is_empty() {
        return true;
    }
    let labels = match domain.strip_prefix(b".") {
        Some(rest) if pattern == Pattern::Constraint => rest,
        _ => domain,
    };
    if domain.last() == Some(&b'.') {
        return false;
    }
    labels.split(|it| *it == b'.').all(|it| !it.is_empty() && it.iter().all(u8::is_ascii_graphic))
}
