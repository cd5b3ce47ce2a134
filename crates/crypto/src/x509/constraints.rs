//! Constraints on names: whether what certificates of a chain are named is permitted by those above them.
//!
//! Each certificate's constraints count for the names of all certificates below. Sorted sets keep a hostile chain
//! cheap, as in Go, whose answers in odd cases come from that search and are kept.

use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};

use super::certificate::Certificate;
use super::extensions::{NAME_CONSTRAINTS, Network, SUBJECT_ALT_NAME, Subtrees};
use super::mailbox::{Mailbox, parse_mailbox};
use super::san::{Pattern, domain_is_valid};

/// Says whether every name in the chain is permitted and none is excluded.
pub(crate) fn names_hold(chain: &[&Certificate]) -> bool {
    let constraints: Vec<(usize, [Set; 2])> = chain
        .iter()
        .enumerate()
        .filter(|(_, it)| it.extension(NAME_CONSTRAINTS).is_some())
        .map(|(at, it)| {
            (at, [Set::new(&it.permitted, Kind::Permitted), Set::new(&it.excluded, Kind::Excluded)])
        })
        .collect();
    for (at, it) in chain.iter().enumerate() {
        let above: Vec<&[Set; 2]> = constraints.iter().filter(|it| it.0 > at).map(|it| &it.1).collect();
        if above.is_empty() {
            return true;
        }
        if it.extension(SUBJECT_ALT_NAME).is_none() {
            continue;
        }
        let Some(names) = Names::of(it) else { return false };
        if !above.iter().all(|[permitted, excluded]| names.hold(permitted, excluded)) {
            return false;
        }
    }
    true
}

/// The names of a certificate in the form in which they are compared.
struct Names<'a> {
    dns: &'a [String],
    ips: &'a [Vec<u8>],
    uris: Vec<String>,
    emails: Vec<Mailbox>,
}

impl<'a> Names<'a> {
    /// Nothing if there is a name that cannot be compared.
    fn of(certificate: &'a Certificate) -> Option<Self> {
        let names = &certificate.names;
        let uris = names.uri_hosts.iter().map(|it| uri_domain(it)).collect::<Option<Vec<_>>>()?;
        let mailbox = |text: &String| {
            let mut mailbox = parse_mailbox(text)?;
            mailbox.domain = mailbox.domain.to_ascii_lowercase();
            Some(mailbox)
        };
        let emails = names.emails.iter().map(mailbox).collect::<Option<Vec<_>>>()?;
        Some(Self { dns: &names.dns, ips: &names.ips, uris, emails })
    }

    fn hold(&self, permitted: &Set, excluded: &Set) -> bool {
        let valid = |it: &String| domain_is_valid(it.as_bytes(), Pattern::Name);
        let fits = |permitted: Option<bool>, excluded: Option<bool>| {
            permitted.unwrap_or(true) && !excluded.unwrap_or(false)
        };
        self.ips.iter().all(|it| fits(permitted.has_ip(it), excluded.has_ip(it)))
            && self.dns.iter().all(|it| valid(it) && fits(permitted.dns.has(it), excluded.dns.has(it)))
            && self.uris.iter().all(|it| valid(it) && fits(permitted.uris.has(it), excluded.uris.has(it)))
            && self
                .emails
                .iter()
                .all(|it| valid(&it.domain) && fits(permitted.has_email(it), excluded.has_email(it)))
    }
}

/// Returns the host of a URI without its port; addresses and missing hosts cannot be compared.
fn uri_domain(host: &[u8]) -> Option<String> {
    let host = String::from_utf8_lossy(host).to_ascii_lowercase();
    if host.is_empty() || host.ends_with(']') {
        return None;
    }
    let domain = match host.split_once(':') {
        None => host.as_str(),
        Some((name, port)) if !port.contains(':') && !host.contains(['[', ']']) => name,
        Some(_) => return None,
    };
    if domain.parse::<std::net::IpAddr>().is_ok() { None } else { Some(domain.to_owned()) }
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    Permitted,
    Excluded,
}

/// What a certificate permits, or excludes. A kind of name that it does not speak of answers nothing.
struct Set {
    ips: Option<[Vec<Network>; 2]>,
    dns: Domains,
    uris: Domains,
    emails: Option<BTreeSet<Mailbox>>,
    email_domains: Domains,
}

impl Set {
    fn new(subtrees: &Subtrees, kind: Kind) -> Self {
        let of_len = |len: usize| {
            let networks = subtrees.ips.iter().filter(|it| it.ip.len() == len).cloned().collect();
            sort_and_prune(networks, Network::cmp, is_subnet)
        };
        let (full, domains): (Vec<&String>, Vec<&String>) =
            subtrees.emails.iter().partition(|it| it.contains('@'));
        let mailboxes = full.into_iter().filter_map(|it| parse_mailbox(it)).map(|mut it| {
            it.domain = it.domain.to_ascii_lowercase();
            it
        });
        let domains: Vec<String> = domains.into_iter().cloned().collect();
        Self {
            ips: (!subtrees.ips.is_empty()).then(|| [of_len(4), of_len(16)]),
            dns: Domains::new(&subtrees.dns, kind),
            uris: Domains::new(&subtrees.uris, kind),
            emails: (!subtrees.emails.is_empty()).then(|| mailboxes.collect()),
            email_domains: Domains::new(&domains, kind),
        }
    }

    fn has_ip(&self, ip: &[u8]) -> Option<bool> {
        let [four, sixteen] = self.ips.as_ref()?;
        let networks = if ip.len() == 4 { four } else { sixteen };
        Some(search(networks, |it| it.ip.as_slice().cmp(ip), |it| contains(it, ip)))
    }

    fn has_email(&self, mailbox: &Mailbox) -> Option<bool> {
        let full = self.emails.as_ref()?.contains(mailbox);
        Some(full || self.email_domains.has(&mailbox.domain).unwrap_or(false))
    }
}

fn contains(network: &Network, ip: &[u8]) -> bool {
    network.ip.len() == ip.len()
        && network.ip.iter().zip(&network.mask).zip(ip).all(|((own, mask), it)| own & mask == it & mask)
}

fn is_subnet(outer: &Network, inner: &Network) -> bool {
    let last: Vec<u8> = inner.ip.iter().zip(&inner.mask).map(|(ip, mask)| ip | !mask).collect();
    contains(outer, &inner.ip) && contains(outer, &last)
}

/// Domains that are permitted or excluded, with all below them.
#[derive(Default)]
struct Domains {
    any: bool,
    all: bool,
    sorted: Vec<String>,
    /// Excluded domains by what follows their first label: a wildcard there would cover them.
    below: BTreeMap<String, String>,
}

impl Domains {
    fn new(domains: &[String], kind: Kind) -> Self {
        if domains.is_empty() {
            return Self::default();
        }
        if domains.iter().any(String::is_empty) {
            return Self { any: true, all: true, ..Self::default() };
        }
        let sorted = sort_and_prune(domains.to_vec(), |a, b| from_the_end(a, b), |a, b| covers(a, b));
        let mut below = BTreeMap::new();
        if kind == Kind::Excluded {
            for it in &sorted {
                let lower = it.to_ascii_lowercase();
                if let Some(dot) = lower.find('.') {
                    below.insert(lower.get(dot..).unwrap_or("").to_owned(), lower.clone());
                }
            }
        }
        Self { any: true, all: false, sorted, below }
    }

    /// Says whether a name is one of these domains or below one; nothing if there are none.
    fn has(&self, name: &str) -> Option<bool> {
        if !self.any {
            return None;
        }
        if self.all || search(&self.sorted, |it| from_the_end(it, name), |it| covers(it, name)) {
            return Some(true);
        }
        let lower = name.to_ascii_lowercase();
        let parent = lower.find('.').and_then(|it| lower.get(it..)).unwrap_or("");
        Some(lower.starts_with('*') && self.below.contains_key(parent))
    }
}

/// Says whether a domain covers a name: whole labels of its end, and more than them after a leading dot.
fn covers(domain: &str, name: &str) -> bool {
    let (domain, name) = (domain.as_bytes(), name.as_bytes());
    let Some(before) = name.len().checked_sub(domain.len()) else { return false };
    let (start, end) = name.split_at(before);
    end.eq_ignore_ascii_case(domain)
        && (domain.first() == Some(&b'.') || start.last().is_none_or(|it| *it == b'.'))
}

/// Orders domains from their ends; a dot comes first so that a domain stands before all that it covers.
fn from_the_end(a: &str, b: &str) -> Ordering {
    let key = |it: &u8| if *it == b'.' { 0 } else { it.to_ascii_lowercase() };
    a.as_bytes().iter().rev().map(key).cmp(b.as_bytes().iter().rev().map(key))
}

/// Sorts and drops what the one before covers.
fn sort_and_prune<T>(mut items: Vec<T>, order: fn(&T, &T) -> Ordering, covers: fn(&T, &T) -> bool) -> Vec<T> {
    items.sort_by(order);
    let mut kept: Vec<T> = Vec::with_capacity(items.len());
    for it in items {
        if kept.last().is_none_or(|before| !covers(before, &it)) {
            kept.push(it);
        }
    }
    kept
}

/// Looks for an equal item, or one that matches just before where it would stand.
fn search<T>(items: &[T], order: impl Fn(&T) -> Ordering, matches: impl Fn(&T) -> bool) -> bool {
    match items.binary_search_by(order) {
        Ok(_) => true,
        Err(at) => items.get(at.saturating_sub(1)).is_some_and(matches),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn domains_cover_labels() {
        let set = |kind| {
            let domains = ["b.example", ".c.example", "deep.b.example", "x.w.example"].map(str::to_owned);
            Domains::new(&domains, kind)
        };
        let cases = [
            ("b.example", true, true),
            ("a.B.example", true, true),
            ("ab.example", false, false),
            ("c.example", false, false),
            ("a.c.example", true, true),
            ("*.w.example", false, true),
            ("example", false, false),
        ];
        for (name, permitted, excluded) in cases {
            assert_eq!(set(Kind::Permitted).has(name), Some(permitted), "{name}");
            assert_eq!(set(Kind::Excluded).has(name), Some(excluded), "{name}");
        }
        assert_eq!(Domains::new(&[], Kind::Permitted).has("a"), None);
    }

    #[test]
    fn ports_are_no_names() {
        let cases =
            [("a.b", Some("a.b")), ("A:1", Some("a")), ("", None), ("10.0.0.1", None), ("a:1:2", None)];
        for (host, want) in cases {
            assert_eq!(uri_domain(host.as_bytes()).as_deref(), want, "{host}");
        }
    }
}
