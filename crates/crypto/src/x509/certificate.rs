//! Certificates.
//!
//! The order of the checks decides which message a broken certificate gets, and is Go's. Limits: the input's own
//! size; nothing recurses.

use num_bigint::{BigInt, Sign};

use crate::der::{GENERALIZED_TIME, Reader, SEQUENCE, UTC_TIME, constructed, context};
use crate::key::PublicKey;
use crate::key_der::public_key_of;
use crate::oid::Oid;
use crate::text::quote;

use super::extensions::{self, Extension, Subtrees};
use super::name::{Name, parse_name};
use super::san::{Names, UriHost};
use super::signature::{PublicKeyAlgorithm, SignatureAlgorithm};
use super::time::Time;
use super::verify::KeyUsage;

/// A certificate, with everything that Go's has.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Certificate {
    /// All of it.
    pub raw: Vec<u8>,
    /// What is signed.
    pub raw_tbs: Vec<u8>,
    /// The key with its algorithm.
    pub raw_spki: Vec<u8>,
    /// The subject.
    pub raw_subject: Vec<u8>,
    /// The issuer.
    pub raw_issuer: Vec<u8>,
    /// The signature.
    pub signature: Vec<u8>,
    /// What it is made with.
    pub signature_algorithm: SignatureAlgorithm,
    /// What kind of key is certified.
    pub public_key_algorithm: PublicKeyAlgorithm,
    /// The key, unless its kind is not known.
    pub public_key: Option<PublicKey>,
    /// 1 to 3.
    pub version: i64,
    /// The number.
    pub serial_number: BigInt,
    /// Who signed.
    pub issuer: Name,
    /// Whose it is.
    pub subject: Name,
    /// When it begins to hold.
    pub not_before: Time,
    /// When it ceases to hold.
    pub not_after: Time,
    /// Bits of what the key may do; 0 if nothing is said.
    pub key_usage: i64,
    /// All extensions, unread.
    pub extensions: Vec<Extension>,
    /// Critical ones that were not understood.
    pub unhandled_critical_extensions: Vec<Oid>,
    /// What the key may be used for.
    pub ext_key_usage: Vec<KeyUsage>,
    /// The same, by identifiers that are not known.
    pub unknown_ext_key_usage: Vec<Oid>,
    /// Whether the next two fields were in the certificate.
    pub basic_constraints_valid: bool,
    /// Whether it may sign certificates.
    pub is_ca: bool,
    /// How many certificates may stand between; -1 if nothing is said (0 where the extension is missing).
    pub max_path_len: i64,
    /// The key's identifier.
    pub subject_key_id: Option<Vec<u8>>,
    /// The issuer's key's identifier.
    pub authority_key_id: Option<Vec<u8>>,
    /// Where to ask whether it was revoked.
    pub ocsp_server: Vec<Vec<u8>>,
    /// Where the issuer's certificate is.
    pub issuing_certificate_url: Vec<Vec<u8>>,
    /// Alternative names.
    pub names: Names,
    /// Whether the constraints on names are critical.
    pub name_constraints_critical: bool,
    /// The names that are permitted below.
    pub permitted: Subtrees,
    /// The names that are excluded below.
    pub excluded: Subtrees,
    /// Where lists of revoked certificates are.
    pub crl_distribution_points: Vec<Vec<u8>>,
    /// The policies, if the extension is there.
    pub policies: Option<Vec<PolicyOid>>,
    /// Pairs of an issuer's and a subject's policy that count as equal.
    pub policy_mappings: Vec<(PolicyOid, PolicyOid)>,
    /// After how many certificates any policy no longer counts.
    pub inhibit_any_policy: Option<i64>,
    /// After how many certificates policies are no longer mapped.
    pub inhibit_policy_mapping: Option<i64>,
    /// After how many certificates a policy must be named.
    pub require_explicit_policy: Option<i64>,
}

/// The identifier of a policy, as encoded: its numbers may be of any size.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub struct PolicyOid(pub Vec<u8>);

impl Certificate {
    /// Returns an extension's value.
    pub(crate) fn extension(&self, components: &[u32]) -> Option<&[u8]> {
        self.extensions.iter().find(|it| it.oid.is(components)).map(|it| it.value.as_slice())
    }
}

/// Reads one certificate and nothing after it.
///
/// # Errors
/// With Go's message.
pub fn parse_certificate(der: &[u8], host_of: UriHost) -> Result<Certificate, String> {
    let certificate = parse(der, host_of)?;
    if certificate.raw.len() == der.len() { Ok(certificate) } else { Err("x509: trailing data".to_owned()) }
}

/// Reads certificates that follow one another.
///
/// # Errors
/// With Go's message.
pub fn parse_certificates(mut der: &[u8], host_of: UriHost) -> Result<Vec<Certificate>, String> {
    let mut certificates = Vec::new();
    while !der.is_empty() {
        let certificate = parse(der, host_of)?;
        der = der.get(certificate.raw.len()..).unwrap_or(&[]);
        certificates.push(certificate);
    }
    Ok(certificates)
}

fn parse(der: &[u8], host_of: UriHost) -> Result<Certificate, String> {
    let malformed = "x509: malformed certificate";
    let outer = Reader(der).any().filter(|it| it.tag == SEQUENCE).ok_or(malformed)?;
    let mut out = Certificate { raw: outer.full.to_vec(), ..Certificate::default() };
    let mut input = Reader(outer.content);
    let tbs = input.any().filter(|it| it.tag == SEQUENCE).ok_or("x509: malformed tbs certificate")?;
    out.raw_tbs = tbs.full.to_vec();
    let mut tbs = Reader(tbs.content);
    parse_head(&mut out, &mut tbs, &mut input)?;
    parse_parties(&mut out, &mut tbs)?;
    parse_key(&mut out, &mut tbs)?;
    parse_tail(&mut out, tbs, host_of)?;
    out.signature = input.bits().ok_or("x509: malformed signature")?.right_aligned();
    Ok(out)
}

/// Reads version, number and algorithm; the algorithm stands outside too and must be the same.
fn parse_head(out: &mut Certificate, tbs: &mut Reader<'_>, input: &mut Reader<'_>) -> Result<(), String> {
    let version = match tbs.optional(constructed(0)) {
        Some(None) => Some(0),
        Some(Some(mut it)) => it.int(crate::der::INTEGER).filter(|_| it.is_empty()),
        None => None,
    };
    out.version = version.filter(|it| *it >= 0).ok_or("x509: malformed version")?.saturating_add(1);
    if out.version > 3 {
        return Err("x509: invalid version".to_owned());
    }
    out.serial_number = tbs.big_int().ok_or("x509: malformed serial number")?;
    if out.serial_number.sign() == Sign::Minus {
        return Err("x509: negative serial number".to_owned());
    }
    let inner = tbs.read(SEQUENCE).ok_or("x509: malformed signature algorithm identifier")?;
    let outer = input.read(SEQUENCE).ok_or("x509: malformed algorithm identifier")?;
    if inner != outer {
        return Err("x509: inner and outer signature algorithm identifiers don't match".to_owned());
    }
    let (oid, parameters) = parse_algorithm(inner)?;
    out.signature_algorithm = SignatureAlgorithm::of(&oid, parameters);
    Ok(())
}

/// Reads an algorithm's identifier and its parameters, if there are any.
fn parse_algorithm(content: &[u8]) -> Result<(Oid, &[u8]), String> {
    let mut reader = Reader(content);
    let oid = reader.oid().ok_or("x509: malformed OID")?;
    if reader.is_empty() {
        return Ok((oid, &[]));
    }
    let parameters = reader.any().ok_or("x509: malformed parameters")?;
    Ok((oid, parameters.full))
}

fn parse_parties(out: &mut Certificate, tbs: &mut Reader<'_>) -> Result<(), String> {
    out.raw_issuer = tbs.full(SEQUENCE).ok_or("x509: malformed issuer")?.to_vec();
    out.issuer = parse_name(&out.raw_issuer)?;
    let mut validity = tbs.inside(SEQUENCE).ok_or("x509: malformed validity")?;
    out.not_before = parse_time(&mut validity)?;
    out.not_after = parse_time(&mut validity)?;
    out.raw_subject = tbs.full(SEQUENCE).ok_or("x509: malformed issuer")?.to_vec();
    out.subject = parse_name(&out.raw_subject)?;
    Ok(())
}

fn parse_time(reader: &mut Reader<'_>) -> Result<Time, &'static str> {
    if reader.peek(UTC_TIME) {
        reader.read(UTC_TIME).and_then(Time::utc).ok_or("x509: malformed UTCTime")
    } else if reader.peek(GENERALIZED_TIME) {
        reader.read(GENERALIZED_TIME).and_then(Time::generalized).ok_or("x509: malformed GeneralizedTime")
    } else {
        Err("x509: unsupported time format")
    }
}

fn parse_key(out: &mut Certificate, tbs: &mut Reader<'_>) -> Result<(), String> {
    let info = tbs.any().filter(|it| it.tag == SEQUENCE).ok_or("x509: malformed spki")?;
    out.raw_spki = info.full.to_vec();
    let mut info = Reader(info.content);
    let algorithm = info.read(SEQUENCE).ok_or("x509: malformed public key algorithm identifier")?;
    let (oid, parameters) = parse_algorithm(algorithm)?;
    out.public_key_algorithm = PublicKeyAlgorithm::of(&oid);
    let key = info.bits().ok_or("x509: malformed subjectPublicKey")?;
    if out.public_key_algorithm != PublicKeyAlgorithm::Unknown {
        out.public_key = Some(public_key_of(&oid, parameters, &key.right_aligned())?);
    }
    Ok(())
}

/// Reads what later versions added.
fn parse_tail(out: &mut Certificate, mut tbs: Reader<'_>, host_of: UriHost) -> Result<(), String> {
    if out.version > 1 {
        tbs.optional(context(1)).ok_or("x509: malformed issuerUniqueID")?;
        tbs.optional(context(2)).ok_or("x509: malformed subjectUniqueID")?;
    }
    if out.version < 3 {
        return Ok(());
    }
    let malformed = "x509: malformed extensions";
    let Some(mut list) = tbs.optional(constructed(3)).ok_or(malformed)? else { return Ok(()) };
    let mut list = list.inside(SEQUENCE).ok_or(malformed)?;
    let mut seen = std::collections::BTreeSet::new();
    while !list.is_empty() {
        let extension = list.inside(SEQUENCE).ok_or("x509: malformed extension")?;
        let extension = extensions::parse_extension(extension)?;
        if !seen.insert(extension.oid.clone()) {
            let oid = quote(extension.oid.to_string());
            return Err(format!("x509: certificate contains duplicate extension with OID {oid}"));
        }
        out.extensions.push(extension);
    }
    extensions::process(out, host_of)
}
