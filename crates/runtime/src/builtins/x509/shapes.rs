//! Certificates, requests and their parts in the shapes of Go's JSON.
//!
//! A list that was never filled shows as null, bytes as base64, a time as text, a number in full. Names and order
//! of fields are Go's; objects sort themselves.

use std::net::{Ipv4Addr, Ipv6Addr};

use lictor_crypto::Oid;
use lictor_crypto::base64::{Alphabet, Fill, encode};
use lictor_crypto::x509::{
    AnyValue, Attribute, Certificate, CertificateRequest, Extension, Name, Names, Network, PolicyOid,
};
use lictor_value::Value;

use crate::context::Context;
use crate::go::url::Url;
use crate::go_text::lossy;

/// Whether the URIs also show as texts, which OPA adds to what Go has.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum UriTexts {
    Added,
    Absent,
}

/// Makes values.
#[derive(Clone, Copy)]
pub(super) struct Shaper<'e>(pub(super) Context<'e>);

impl<'e> Shaper<'e> {
    pub(super) fn text(self, text: &str) -> Value<'e> {
        self.0.arena.string(text)
    }

    pub(super) fn int(self, number: i64) -> Value<'e> {
        self.0.arena.int(number)
    }

    /// A number of any size.
    pub(super) fn number(self, number: &impl ToString) -> Value<'e> {
        self.0.arena.number_text(&number.to_string())
    }

    pub(super) fn bytes(self, bytes: &[u8]) -> Value<'e> {
        self.text(&encode(bytes, Alphabet::Standard, Fill::Padded))
    }

    pub(super) fn list(self, items: impl Iterator<Item = Value<'e>>) -> Value<'e> {
        let mut list = self.0.list();
        list.extend(items);
        self.0.arena.array(&list)
    }

    /// A list that is null where there is nothing in it.
    fn list_or_null(self, items: impl Iterator<Item = Value<'e>>) -> Value<'e> {
        let mut items = items.peekable();
        if items.peek().is_none() { Value::NULL } else { self.list(items) }
    }

    pub(super) fn object(self, fields: &[(&str, Value<'e>)]) -> Value<'e> {
        let mut pairs = self.0.pairs();
        pairs.extend(fields.iter().map(|(name, value)| (self.text(name), *value)));
        self.0.arena.object(&mut pairs)
    }

    fn texts(self, texts: &[String]) -> Value<'e> {
        self.list_or_null(texts.iter().map(|it| self.text(it)))
    }

    fn byte_texts(self, texts: &[Vec<u8>]) -> Value<'e> {
        self.list_or_null(texts.iter().map(|it| self.text(&lossy(it))))
    }

    fn oid(self, oid: &Oid) -> Value<'e> {
        self.list_or_null(oid.0.iter().map(|it| self.int(i64::from(*it))))
    }

    fn policy(self, oid: &PolicyOid) -> Value<'e> {
        self.text(&oid.to_text())
    }

    fn attribute(self, it: &Attribute) -> Value<'e> {
        let value = match &it.value {
            AnyValue::Nothing => Value::NULL,
            AnyValue::Bool(it) => Value::bool(*it),
            AnyValue::Int(it) => self.int(*it),
            AnyValue::Text(it) => self.text(it),
            AnyValue::Octets(it) => self.bytes(it),
            AnyValue::Bits(bytes, len) => {
                let len = self.int(i64::try_from(*len).unwrap_or(i64::MAX));
                self.object(&[("Bytes", self.bytes(bytes)), ("BitLength", len)])
            }
            AnyValue::Oid(it) => self.oid(it),
            AnyValue::Time(it) => self.text(&it.to_text()),
        };
        self.object(&[("Type", self.oid(&it.oid)), ("Value", value)])
    }

    fn attributes(self, list: &[Attribute]) -> Value<'e> {
        self.list_or_null(list.iter().map(|it| self.attribute(it)))
    }

    fn name(self, name: &Name) -> Value<'e> {
        self.object(&[
            ("Country", self.texts(&name.country)),
            ("Organization", self.texts(&name.organization)),
            ("OrganizationalUnit", self.texts(&name.organizational_unit)),
            ("Locality", self.texts(&name.locality)),
            ("Province", self.texts(&name.province)),
            ("StreetAddress", self.texts(&name.street_address)),
            ("PostalCode", self.texts(&name.postal_code)),
            ("SerialNumber", self.text(&name.serial_number)),
            ("CommonName", self.text(&name.common_name)),
            ("Names", self.attributes(&name.names)),
            ("ExtraNames", Value::NULL),
        ])
    }

    fn extensions(self, list: &[Extension]) -> Value<'e> {
        self.list_or_null(list.iter().map(|it| {
            self.object(&[
                ("Id", self.oid(&it.oid)),
                ("Critical", Value::bool(it.critical)),
                ("Value", self.bytes(&it.value)),
            ])
        }))
    }

    fn uri(self, text: &str) -> Value<'e> {
        let uri = Url::parse(text).unwrap_or_default();
        let user = if uri.user.is_some() { Value::empty_object() } else { Value::NULL };
        self.object(&[
            ("Scheme", self.text(&uri.scheme)),
            ("Opaque", self.text(&uri.opaque)),
            ("User", user),
            ("Host", self.text(&lossy(&uri.host))),
            ("Path", self.text(&lossy(&uri.path))),
            ("Fragment", self.text(&lossy(&uri.fragment))),
            ("RawQuery", self.text(&uri.raw_query)),
            ("RawPath", self.text(&uri.raw_path)),
            ("RawFragment", self.text(&uri.raw_fragment)),
            ("ForceQuery", Value::bool(uri.force_query)),
            ("OmitHost", Value::bool(uri.omit_host)),
        ])
    }

    /// The alternative names, each kind a field.
    fn names(self, names: &Names) -> [(&'static str, Value<'e>); 4] {
        [
            ("DNSNames", self.texts(&names.dns)),
            ("EmailAddresses", self.texts(&names.emails)),
            ("IPAddresses", self.list_or_null(names.ips.iter().map(|it| self.text(&address(it))))),
            ("URIs", self.list_or_null(names.uris.iter().map(|it| self.uri(it)))),
        ]
    }

    fn networks(self, networks: &[Network]) -> Value<'e> {
        self.list_or_null(
            networks.iter().map(|it| {
                self.object(&[("IP", self.text(&address(&it.ip))), ("Mask", self.bytes(&it.mask))])
            }),
        )
    }

    pub(super) fn certificates<'c>(
        self,
        certificates: impl Iterator<Item = &'c Certificate>,
        uris: UriTexts,
    ) -> Value<'e> {
        self.list(certificates.map(|it| self.certificate(it, uris)))
    }

    pub(super) fn certificate(self, it: &Certificate, uris: UriTexts) -> Value<'e> {
        let mut fields = self.own_fields(it);
        fields.extend(self.extension_fields(it));
        fields.extend(self.policy_fields(it));
        fields.extend(self.names(&it.names));
        if uris == UriTexts::Added {
            let texts = it.names.uris.iter().map(|it| Url::parse(it).unwrap_or_default().to_string());
            fields.push(("URIStrings", self.list_or_null(texts.map(|it| self.text(&it)))));
        }
        self.object(&fields)
    }

    fn own_fields(self, it: &Certificate) -> Vec<(&'static str, Value<'e>)> {
        vec![
            ("Raw", self.bytes(&it.raw)),
            ("RawTBSCertificate", self.bytes(&it.raw_tbs)),
            ("RawSubjectPublicKeyInfo", self.bytes(&it.raw_spki)),
            ("RawSubject", self.bytes(&it.raw_subject)),
            ("RawIssuer", self.bytes(&it.raw_issuer)),
            ("Signature", self.bytes(&it.signature)),
            ("SignatureAlgorithm", self.int(it.signature_algorithm.number())),
            ("PublicKeyAlgorithm", self.int(it.public_key_algorithm.number())),
            ("PublicKey", it.public_key.as_ref().map_or(Value::NULL, |it| self.public_key(it))),
            ("Version", self.int(it.version)),
            ("SerialNumber", self.number(&it.serial_number)),
            ("Issuer", self.name(&it.issuer)),
            ("Subject", self.name(&it.subject)),
            ("NotBefore", self.text(&it.not_before.to_text())),
            ("NotAfter", self.text(&it.not_after.to_text())),
        ]
    }

    fn extension_fields(self, it: &Certificate) -> Vec<(&'static str, Value<'e>)> {
        let oids = |list: &[Oid]| self.list_or_null(list.iter().map(|it| self.oid(it)));
        let bytes = |it: &Option<Vec<u8>>| it.as_ref().map_or(Value::NULL, |it| self.bytes(it));
        let usages = it.ext_key_usage.iter().map(|it| self.int(*it as i64));
        vec![
            ("KeyUsage", self.int(it.key_usage)),
            ("Extensions", self.extensions(&it.extensions)),
            ("ExtraExtensions", Value::NULL),
            ("UnhandledCriticalExtensions", oids(&it.unhandled_critical_extensions)),
            ("ExtKeyUsage", self.list_or_null(usages)),
            ("UnknownExtKeyUsage", oids(&it.unknown_ext_key_usage)),
            ("BasicConstraintsValid", Value::bool(it.basic_constraints_valid)),
            ("IsCA", Value::bool(it.is_ca)),
            ("MaxPathLen", self.int(it.max_path_len)),
            ("MaxPathLenZero", Value::bool(it.basic_constraints_valid && it.max_path_len == 0)),
            ("SubjectKeyId", bytes(&it.subject_key_id)),
            ("AuthorityKeyId", bytes(&it.authority_key_id)),
            ("OCSPServer", self.byte_texts(&it.ocsp_server)),
            ("IssuingCertificateURL", self.byte_texts(&it.issuing_certificate_url)),
            ("PermittedDNSDomainsCritical", Value::bool(it.name_constraints_critical)),
            ("PermittedDNSDomains", self.texts(&it.permitted.dns)),
            ("ExcludedDNSDomains", self.texts(&it.excluded.dns)),
            ("PermittedIPRanges", self.networks(&it.permitted.ips)),
            ("ExcludedIPRanges", self.networks(&it.excluded.ips)),
            ("PermittedEmailAddresses", self.texts(&it.permitted.emails)),
            ("ExcludedEmailAddresses", self.texts(&it.excluded.emails)),
            ("PermittedURIDomains", self.texts(&it.permitted.uris)),
            ("ExcludedURIDomains", self.texts(&it.excluded.uris)),
            ("CRLDistributionPoints", self.byte_texts(&it.crl_distribution_points)),
        ]
    }

    fn policy_fields(self, it: &Certificate) -> Vec<(&'static str, Value<'e>)> {
        let policies = it.policies.as_deref();
        let small = policies.map(|it| it.iter().filter_map(PolicyOid::small));
        let mappings = it.policy_mappings.iter().map(|(issuer, subject)| {
            let (issuer, subject) = (self.policy(issuer), self.policy(subject));
            self.object(&[("IssuerDomainPolicy", issuer), ("SubjectDomainPolicy", subject)])
        });
        let skip = |it: Option<i64>| self.int(it.unwrap_or(0));
        let zero = |it: Option<i64>| Value::bool(it == Some(0));
        vec![
            // The short identifiers were made as a list, even if it stayed empty.
            ("PolicyIdentifiers", small.map_or(Value::NULL, |it| self.list(it.map(|it| self.oid(&it))))),
            ("Policies", self.list_or_null(policies.unwrap_or(&[]).iter().map(|it| self.policy(it)))),
            ("PolicyMappings", self.list_or_null(mappings)),
            ("InhibitAnyPolicy", skip(it.inhibit_any_policy)),
            ("InhibitAnyPolicyZero", zero(it.inhibit_any_policy)),
            ("InhibitPolicyMapping", skip(it.inhibit_policy_mapping)),
            ("InhibitPolicyMappingZero", zero(it.inhibit_policy_mapping)),
            ("RequireExplicitPolicy", skip(it.require_explicit_policy)),
            ("RequireExplicitPolicyZero", zero(it.require_explicit_policy)),
        ]
    }

    pub(super) fn request(self, it: &CertificateRequest) -> Value<'e> {
        let lists = it.attributes.iter().map(|set| {
            let values =
                self.list(set.values.iter().map(|it| self.list(it.iter().map(|it| self.attribute(it)))));
            self.object(&[("Type", self.oid(&set.oid)), ("Value", values)])
        });
        let mut fields = vec![
            ("Raw", self.bytes(&it.raw)),
            ("RawTBSCertificateRequest", self.bytes(&it.raw_tbs)),
            ("RawSubjectPublicKeyInfo", self.bytes(&it.raw_spki)),
            ("RawSubject", self.bytes(&it.raw_subject)),
            ("Version", self.int(it.version)),
            ("Signature", self.bytes(&it.signature)),
            ("SignatureAlgorithm", self.int(it.signature_algorithm.number())),
            ("PublicKeyAlgorithm", self.int(it.public_key_algorithm.number())),
            ("PublicKey", it.public_key.as_ref().map_or(Value::NULL, |it| self.public_key(it))),
            ("Subject", self.name(&it.subject)),
            ("Attributes", self.list_or_null(lists)),
            ("Extensions", self.extensions(&it.extensions)),
            ("ExtraExtensions", Value::NULL),
        ];
        fields.extend(self.names(&it.names));
        self.object(&fields)
    }
}

/// Writes an address; an IPv4 address in 16 bytes shows in its short form.
fn address(bytes: &[u8]) -> String {
    if let Ok(four) = <[u8; 4]>::try_from(bytes) {
        return Ipv4Addr::from(four).to_string();
    }
    let Ok(sixteen) = <[u8; 16]>::try_from(bytes) else { return String::new() };
    let address = Ipv6Addr::from(sixteen);
    address.to_ipv4_mapped().map_or_else(|| address.to_string(), |it| it.to_string())
}
