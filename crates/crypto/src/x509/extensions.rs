//! Extensions of certificates: reading each that Go knows into the certificate.
//!
//! An extension that is not known, or not wholly understood, and that is critical is noted as not handled, which
//! makes every verification fail.

use crate::der::{BOOLEAN, INTEGER, OCTET_STRING, OID, Reader, SEQUENCE, constructed, context};
use crate::oid::{self, Oid};
use crate::text::{hex, quote};

use super::certificate::{Certificate, PolicyOid};
use super::mailbox::parse_mailbox;
use super::san::{Pattern, UriHost, ascii, domain_is_valid, parse_names};

/// An extension, unread.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Extension {
    /// Which one.
    pub oid: Oid,
    /// Whether whoever does not know it must refuse.
    pub critical: bool,
    /// Its value.
    pub value: Vec<u8>,
}

/// An address with a mask, both of 4 or of 16 bytes.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct Network {
    /// The address.
    pub ip: Vec<u8>,
    /// The mask.
    pub mask: Vec<u8>,
}

/// The names that a certificate permits or excludes below it.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Subtrees {
    /// Domains.
    pub dns: Vec<String>,
    /// Addresses.
    pub ips: Vec<Network>,
    /// Mail addresses and domains.
    pub emails: Vec<String>,
    /// Domains of URIs.
    pub uris: Vec<String>,
}

pub(crate) const SUBJECT_ALT_NAME: &[u32] = &[2, 5, 29, 17];
pub(crate) const NAME_CONSTRAINTS: &[u32] = &[2, 5, 29, 30];

/// Reads one extension without its value.
pub(crate) fn parse_extension(mut der: Reader<'_>) -> Result<Extension, &'static str> {
    let oid = der.oid().ok_or("x509: malformed extension OID field")?;
    let critical = if der.peek(BOOLEAN) {
        der.boolean().ok_or("x509: malformed extension critical field")?
    } else {
        false
    };
    let value = der.read(OCTET_STRING).ok_or("x509: malformed extension value field")?.to_vec();
    Ok(Extension { oid, critical, value })
}

/// Whether an extension was understood.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Handled {
    Yes,
    No,
}

/// Reads all extensions of a certificate into it.
pub(crate) fn process(out: &mut Certificate, host_of: UriHost) -> Result<(), String> {
    for it in out.extensions.clone() {
        let mut value = Reader(&it.value);
        let handled = match it.oid.0.as_slice() {
            [2, 5, 29, 14] => subject_key_id(out, &it).map(|()| Handled::Yes)?,
            [2, 5, 29, 15] => key_usage(out, value).map(|()| Handled::Yes)?,
            SUBJECT_ALT_NAME => {
                out.names = parse_names(&it.value, host_of)?;
                if out.names.is_empty() { Handled::No } else { Handled::Yes }
            }
            [2, 5, 29, 19] => basic_constraints(out, value).map(|()| Handled::Yes)?,
            NAME_CONSTRAINTS => name_constraints(out, &it)?,
            [2, 5, 29, 31] => distribution_points(out, value).map(|()| Handled::Yes)?,
            [2, 5, 29, 32] => policies(out, value).map(|()| Handled::Yes)?,
            [2, 5, 29, 33] => policy_mappings(out, value).map(|()| Handled::Yes)?,
            [2, 5, 29, 35] => authority_key_id(out, &it).map(|()| Handled::Yes)?,
            [2, 5, 29, 36] => policy_constraints(out, value).map(|()| Handled::Yes)?,
            [2, 5, 29, 37] => extended_key_usage(out, value).map(|()| Handled::Yes)?,
            [2, 5, 29, 54] => {
                let skip = value.int(INTEGER);
                out.inhibit_any_policy = Some(skip.ok_or("x509: invalid inhibit any policy extension")?);
                Handled::Yes
            }
            [1, 3, 6, 1, 5, 5, 7, 1, 1] => information_access(out, &it).map(|()| Handled::Yes)?,
            _ => Handled::No,
        };
        if it.critical && handled == Handled::No {
            out.unhandled_critical_extensions.push(it.oid);
        }
    }
    Ok(())
}

fn subject_key_id(out: &mut Certificate, it: &Extension) -> Result<(), &'static str> {
    if it.critical {
        return Err("x509: subject key identifier incorrectly marked critical");
    }
    let id = Reader(&it.value).read(OCTET_STRING).ok_or("x509: invalid subject key identifier")?;
    out.subject_key_id = Some(id.to_vec());
    Ok(())
}

fn authority_key_id(out: &mut Certificate, it: &Extension) -> Result<(), &'static str> {
    if it.critical {
        return Err("x509: authority key identifier incorrectly marked critical");
    }
    let invalid = "x509: invalid authority key identifier";
    let mut inside = Reader(&it.value).inside(SEQUENCE).ok_or(invalid)?;
    out.authority_key_id =
        if inside.peek(context(0)) { Some(inside.read(context(0)).ok_or(invalid)?.to_vec()) } else { None };
    Ok(())
}

fn key_usage(out: &mut Certificate, mut value: Reader<'_>) -> Result<(), &'static str> {
    let bits = value.bits().ok_or("x509: invalid key usage")?;
    out.key_usage = (0..9_u32).filter(|it| bits.at(*it as usize)).map(|it| 1 << it).sum();
    Ok(())
}

fn basic_constraints(out: &mut Certificate, mut value: Reader<'_>) -> Result<(), &'static str> {
    let invalid = "x509: invalid basic constraints";
    let mut inside = value.inside(SEQUENCE).ok_or(invalid)?;
    out.is_ca = if inside.peek(BOOLEAN) { inside.boolean().ok_or(invalid)? } else { false };
    out.max_path_len = if inside.peek(INTEGER) { inside.length().ok_or(invalid)? } else { -1 };
    out.basic_constraints_valid = true;
    Ok(())
}

fn extended_key_usage(out: &mut Certificate, mut value: Reader<'_>) -> Result<(), &'static str> {
    let invalid = "x509: invalid extended key usages";
    let mut inside = value.inside(SEQUENCE).ok_or(invalid)?;
    while !inside.is_empty() {
        let oid = inside.oid().ok_or(invalid)?;
        match super::verify::KeyUsage::of_oid(&oid) {
            Some(usage) => out.ext_key_usage.push(usage),
            None => out.unknown_ext_key_usage.push(oid),
        }
    }
    Ok(())
}

fn distribution_points(out: &mut Certificate, mut value: Reader<'_>) -> Result<(), &'static str> {
    let invalid = "x509: invalid CRL distribution point";
    let mut points = value.inside(SEQUENCE).ok_or("x509: invalid CRL distribution points")?;
    while !points.is_empty() {
        let mut point = points.inside(SEQUENCE).ok_or(invalid)?;
        let Some(mut name) = point.optional(constructed(0)).ok_or(invalid)? else { continue };
        let mut full = name.inside(constructed(0)).ok_or(invalid)?;
        while full.peek(context(6)) {
            let uri = full.read(context(6)).ok_or(invalid)?;
            out.crl_distribution_points.push(uri.to_vec());
        }
    }
    Ok(())
}

fn information_access(out: &mut Certificate, it: &Extension) -> Result<(), &'static str> {
    if it.critical {
        return Err("x509: authority info access incorrectly marked critical");
    }
    let invalid = "x509: invalid authority info access";
    let mut list = Reader(&it.value).inside(SEQUENCE).ok_or(invalid)?;
    while !list.is_empty() {
        let mut entry = list.inside(SEQUENCE).ok_or(invalid)?;
        let method = entry.oid().ok_or(invalid)?;
        if !entry.peek(context(6)) {
            continue;
        }
        let location = entry.read(context(6)).ok_or(invalid)?.to_vec();
        match method.0.as_slice() {
            [1, 3, 6, 1, 5, 5, 7, 48, 1] => out.ocsp_server.push(location),
            [1, 3, 6, 1, 5, 5, 7, 48, 2] => out.issuing_certificate_url.push(location),
            _ => {}
        }
    }
    Ok(())
}

fn policies(out: &mut Certificate, mut value: Reader<'_>) -> Result<(), &'static str> {
    let invalid = "x509: invalid certificate policies";
    let mut list = value.inside(SEQUENCE).ok_or(invalid)?;
    let mut seen = std::collections::BTreeSet::new();
    let mut policies = Vec::new();
    while !list.is_empty() {
        let content = list.inside(SEQUENCE).and_then(|mut it| it.read(OID)).ok_or(invalid)?;
        if !seen.insert(content) || !is_well_formed(content) {
            return Err(invalid);
        }
        policies.push(PolicyOid(content.to_vec()));
    }
    out.policies = Some(policies);
    Ok(())
}

/// Says whether every number of an identifier is there in full and as short as can be.
fn is_well_formed(content: &[u8]) -> bool {
    let mut at_start = true;
    for byte in content {
        if at_start && *byte == 0x80 {
            return false;
        }
        at_start = byte & 0x80 == 0;
    }
    !content.is_empty() && at_start
}

fn policy_mappings(out: &mut Certificate, mut value: Reader<'_>) -> Result<(), &'static str> {
    let invalid = "x509: invalid policy mappings extension";
    let mut list = value.inside(SEQUENCE).ok_or(invalid)?;
    while !list.is_empty() {
        let mut pair = list.inside(SEQUENCE).ok_or(invalid)?;
        let (issuer, subject) = (pair.read(OID).ok_or(invalid)?, pair.read(OID).ok_or(invalid)?);
        out.policy_mappings.push((PolicyOid(issuer.to_vec()), PolicyOid(subject.to_vec())));
    }
    Ok(())
}

fn policy_constraints(out: &mut Certificate, mut value: Reader<'_>) -> Result<(), &'static str> {
    let invalid = "x509: invalid policy constraints extension";
    let mut inside = value.inside(SEQUENCE).ok_or(invalid)?;
    if inside.peek(context(0)) {
        out.require_explicit_policy = Some(inside.int(context(0)).ok_or(invalid)?);
    }
    if inside.peek(context(1)) {
        out.inhibit_policy_mapping = Some(inside.int(context(1)).ok_or(invalid)?);
    }
    Ok(())
}

fn name_constraints(out: &mut Certificate, it: &Extension) -> Result<Handled, String> {
    let invalid = "x509: invalid NameConstraints extension";
    let mut outer = Reader(&it.value);
    let mut inside = outer.inside(SEQUENCE).filter(|_| outer.is_empty()).ok_or(invalid)?;
    let permitted = inside.optional(constructed(0)).ok_or(invalid)?.unwrap_or_default();
    let excluded = inside.optional(constructed(1)).ok_or(invalid)?.unwrap_or_default();
    if !inside.is_empty() {
        return Err(invalid.to_owned());
    }
    if permitted.is_empty() && excluded.is_empty() {
        return Err("x509: empty name constraints extension".to_owned());
    }
    let mut handled = Handled::Yes;
    out.permitted = subtrees(permitted, &mut handled)?;
    out.excluded = subtrees(excluded, &mut handled)?;
    out.name_constraints_critical = it.critical;
    Ok(handled)
}

fn subtrees(mut list: Reader<'_>, handled: &mut Handled) -> Result<Subtrees, String> {
    let mut out = Subtrees::default();
    while !list.is_empty() {
        let base = list.inside(SEQUENCE).and_then(|mut it| it.any());
        let base = base.ok_or("x509: invalid NameConstraints extension")?;
        match base.tag {
            0x82 => out.dns.push(domain(base.content, "dnsName")?),
            0x81 => out.emails.push(mail_constraint(base.content)?),
            0x86 => out.uris.push(uri_constraint(base.content)?),
            0x87 => out.ips.push(network(base.content)?),
            _ => *handled = Handled::No,
        }
    }
    Ok(out)
}

fn constraint_text(content: &[u8]) -> Result<String, String> {
    let invalid = || {
        format!("x509: invalid constraint value: x509: {} cannot be encoded as an IA5String", quote(content))
    };
    ascii(content).ok_or_else(invalid)
}

fn domain(content: &[u8], what: &str) -> Result<String, String> {
    let text = constraint_text(content)?;
    if domain_is_valid(content, Pattern::Constraint) {
        return Ok(text);
    }
    Err(format!("x509: failed to parse {what} constraint {}", quote(&text)))
}

fn mail_constraint(content: &[u8]) -> Result<String, String> {
    let text = constraint_text(content)?;
    if !text.contains('@') {
        return domain(content, "rfc822Name");
    }
    match parse_mailbox(&text) {
        Some(_) => Ok(text),
        None => Err(format!("x509: failed to parse rfc822Name constraint {}", quote(&text))),
    }
}

fn uri_constraint(content: &[u8]) -> Result<String, String> {
    let text = constraint_text(content)?;
    if text.parse::<std::net::IpAddr>().is_ok() {
        let shown = quote(&text);
        return Err(format!("x509: failed to parse URI constraint {shown}: cannot be IP address"));
    }
    domain(content, "URI")
}

fn network(content: &[u8]) -> Result<Network, String> {
    if !matches!(content.len(), 8 | 32) {
        return Err(format!("x509: IP constraint contained value of length {}", content.len()));
    }
    let (ip, mask) = content.split_at(content.len() / 2);
    // Ones and then zeros.
    let ones: u32 = mask.iter().map(|it| it.count_ones()).sum();
    let leading = mask.iter().take_while(|it| **it == 0xff).count();
    let next = mask.get(leading).map_or(0, |it| it.leading_ones());
    if u32::try_from(leading * 8).map_or(0, |it| it + next) != ones {
        return Err(format!("x509: IP constraint contained invalid mask {}", hex(mask)));
    }
    Ok(Network { ip: ip.to_vec(), mask: mask.to_vec() })
}

impl PolicyOid {
    /// Returns the identifier if all its numbers fit 31 bits.
    #[must_use]
    pub fn small(&self) -> Option<Oid> {
        oid::from_content(&self.0)
    }

    /// Writes the identifier with dots.
    #[must_use]
    pub fn to_text(&self) -> String {
        oid::any_to_text(&self.0)
    }
}
