//! Requests for certificates.
//!
//! Go reads them with its older reader, so names and extensions take another way than in certificates.

use crate::asn1::{self, AnyValue, Field, Node, Shape};
use crate::key::PublicKey;
use crate::key_der::{ALGORITHM, PUBLIC_KEY, public_key};
use crate::oid::Oid;

use super::extensions::{Extension, SUBJECT_ALT_NAME};
use super::name::{Attribute, Name};
use super::san::{Names, UriHost, parse_names};
use super::signature::{PublicKeyAlgorithm, SignatureAlgorithm};

/// A request for a certificate, with everything that Go's has.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CertificateRequest {
    /// All of it.
    pub raw: Vec<u8>,
    /// What is signed.
    pub raw_tbs: Vec<u8>,
    /// The key with its algorithm.
    pub raw_spki: Vec<u8>,
    /// The subject.
    pub raw_subject: Vec<u8>,
    /// The version.
    pub version: i64,
    /// The signature.
    pub signature: Vec<u8>,
    /// What it is made with.
    pub signature_algorithm: SignatureAlgorithm,
    /// What kind of key it is for.
    pub public_key_algorithm: PublicKeyAlgorithm,
    /// The key, unless its kind is not known.
    pub public_key: Option<PublicKey>,
    /// Who asks.
    pub subject: Name,
    /// The attributes that are sets of attributes of names.
    pub attributes: Vec<AttributeSet>,
    /// The extensions that are asked for.
    pub extensions: Vec<Extension>,
    /// The alternative names among them.
    pub names: Names,
}

/// An attribute of a request: a type, and lists of attributes.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct AttributeSet {
    /// The type.
    pub oid: Oid,
    /// The lists.
    pub values: Vec<Vec<Attribute>>,
}

const ATTRIBUTE: Shape =
    Shape::Struct("AttributeTypeAndValue", &[Field::new(Shape::Oid), Field::new(Shape::Any)]);
const NAME: Shape = Shape::Named("RDNSequence", &Shape::Set("RelativeDistinguishedNameSET", &ATTRIBUTE));
const REQUEST: Shape = Shape::Struct(
    "certificateRequest",
    &[
        Field::new(Shape::Struct(
            "tbsCertificateRequest",
            &[
                Field::new(Shape::Int),
                Field::new(Shape::Raw),
                Field::new(PUBLIC_KEY),
                Field::implicit(Shape::List(&Shape::Raw), 0),
            ],
        )),
        Field::new(ALGORITHM),
        Field::new(Shape::Bits),
    ],
);
const ATTRIBUTE_SET: Shape = Shape::Struct(
    "AttributeTypeAndValueSET",
    &[Field::new(Shape::Oid), Field::set(Shape::List(&Shape::List(&ATTRIBUTE)))],
);
const RAW_SET: Shape =
    Shape::Struct("pkcs10Attribute", &[Field::new(Shape::Oid), Field::set(Shape::List(&Shape::Raw))]);
const EXTENSIONS: Shape = Shape::List(&Shape::Struct(
    "Extension",
    &[Field::new(Shape::Oid), Field::optional(Shape::Bool), Field::new(Shape::Octets)],
));

/// Reads a request.
///
/// # Errors
/// With Go's message.
pub fn parse_request(der: &[u8], host_of: UriHost) -> Result<CertificateRequest, String> {
    let (node, rest) = asn1::read(der, REQUEST)?;
    if !rest.is_empty() {
        return Err("asn1: syntax error: trailing data".to_owned());
    }
    let (tbs, algorithm) = (node.field(0), node.field(1));
    let (subject, info, attributes) = (tbs.field(1), tbs.field(2), tbs.field(3).list());
    let public_key_algorithm = PublicKeyAlgorithm::of(&info.field(0).field(0).oid());
    let mut out = CertificateRequest {
        raw: node.bytes().to_vec(),
        raw_tbs: tbs.bytes().to_vec(),
        raw_spki: info.bytes().to_vec(),
        raw_subject: subject.bytes().to_vec(),
        version: tbs.field(0).int(),
        signature: node.field(2).bits().right_aligned(),
        signature_algorithm: SignatureAlgorithm::of(&algorithm.field(0).oid(), algorithm.field(1).bytes()),
        public_key_algorithm,
        attributes: attributes.iter().filter_map(|it| attribute_set(it.bytes())).collect(),
        ..CertificateRequest::default()
    };
    if public_key_algorithm != PublicKeyAlgorithm::Unknown {
        out.public_key = Some(public_key(info)?);
    }
    out.subject = parse_subject(subject.bytes())?;
    out.extensions = requested_extensions(attributes)?;
    for it in &out.extensions {
        if it.oid.is(SUBJECT_ALT_NAME) {
            out.names = parse_names(&it.value, host_of)?;
        }
    }
    Ok(out)
}

fn attribute(node: &Node<'_>) -> Attribute {
    let value = if let Node::Any(value) = node.field(1) { value.clone() } else { AnyValue::Nothing };
    Attribute { oid: node.field(0).oid(), value }
}

fn parse_subject(full: &[u8]) -> Result<Name, String> {
    let (node, rest) = asn1::read(full, NAME)?;
    if !rest.is_empty() {
        return Err("x509: trailing data after X.509 Subject".to_owned());
    }
    Ok(Name::of(node.list().iter().flat_map(Node::list).map(attribute).collect()))
}

/// Attributes of other forms, such as a password, are passed over.
fn attribute_set(full: &[u8]) -> Option<AttributeSet> {
    let (node, rest) = asn1::read(full, ATTRIBUTE_SET).ok()?;
    let lists = node.field(1).list().iter();
    let values = lists.map(|it| it.list().iter().map(attribute).collect()).collect();
    rest.is_empty().then(|| AttributeSet { oid: node.field(0).oid(), values })
}

fn requested_extensions(attributes: &[Node<'_>]) -> Result<Vec<Extension>, String> {
    let mut out: Vec<Extension> = Vec::new();
    let mut seen = std::collections::BTreeSet::new();
    for it in attributes {
        let Ok((node, [])) = asn1::read(it.bytes(), RAW_SET) else { continue };
        let Some(first) = node.field(1).list().first() else { continue };
        if !node.field(0).oid().is(&[1, 2, 840, 113_549, 1, 9, 14]) {
            continue;
        }
        let (list, _) = asn1::read(first.bytes(), EXTENSIONS)?;
        for it in list.list() {
            let (oid, critical) = (it.field(0).oid(), *it.field(1) == Node::Bool(true));
            if !seen.insert(oid.clone()) {
                return Err("x509: certificate request contains duplicate requested extensions".to_owned());
            }
            out.push(Extension { oid, critical, value: it.field(2).bytes().to_vec() });
        }
    }
    Ok(out)
}
