//! Distinguished names.
//!
//! Certificates and requests reach them through different readers, with different texts; both end in [`Name`].

use crate::asn1::{AnyValue, bmp_text, is_printable};
use crate::der::{Reader, SEQUENCE, SET};
use crate::oid::Oid;

/// One attribute of a name.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Attribute {
    /// The type.
    pub oid: Oid,
    /// The value.
    pub value: AnyValue,
}

/// A distinguished name: every attribute, and those with a name of their own.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Name {
    /// `C`.
    pub country: Vec<String>,
    /// `O`.
    pub organization: Vec<String>,
    /// `OU`.
    pub organizational_unit: Vec<String>,
    /// `L`.
    pub locality: Vec<String>,
    /// `ST`.
    pub province: Vec<String>,
    /// `STREET`.
    pub street_address: Vec<String>,
    /// `POSTALCODE`.
    pub postal_code: Vec<String>,
    /// `SERIALNUMBER`, the last one.
    pub serial_number: String,
    /// `CN`, the last one.
    pub common_name: String,
    /// All, in order.
    pub names: Vec<Attribute>,
}

impl Name {
    /// Collects attributes.
    pub(crate) fn of(attributes: Vec<Attribute>) -> Self {
        let mut name = Self::default();
        for it in &attributes {
            let (AnyValue::Text(text), [2, 5, 4, kind]) = (&it.value, it.oid.0.as_slice()) else { continue };
            let text = text.clone();
            match kind {
                3 => name.common_name = text,
                5 => name.serial_number = text,
                6 => name.country.push(text),
                7 => name.locality.push(text),
                8 => name.province.push(text),
                9 => name.street_address.push(text),
                10 => name.organization.push(text),
                11 => name.organizational_unit.push(text),
                17 => name.postal_code.push(text),
                _ => {}
            }
        }
        name.names = attributes;
        name
    }
}

/// Reads the name of a certificate.
pub(crate) fn parse_name(full: &[u8]) -> Result<Name, String> {
    let sequence = || "x509: invalid RDNSequence".to_owned();
    let attribute = |what: &str| format!("x509: invalid RDNSequence: invalid attribute{what}");
    let mut names = Reader(full).inside(SEQUENCE).ok_or_else(sequence)?;
    let mut attributes = Vec::new();
    while !names.is_empty() {
        let mut set = names.inside(SET).ok_or_else(sequence)?;
        while !set.is_empty() {
            let mut pair = set.inside(SEQUENCE).ok_or_else(|| attribute(""))?;
            let oid = pair.oid().ok_or_else(|| attribute(" type"))?;
            let value = pair.any().ok_or_else(|| attribute(" value"))?;
            let text =
                string_of(value.tag, value.content).map_err(|it| attribute(&format!(" value: {it}")))?;
            attributes.push(Attribute { oid, value: AnyValue::Text(text) });
        }
    }
    Ok(Name::of(attributes))
}

/// Reads one of the many types of text.
fn string_of(tag: u8, content: &[u8]) -> Result<String, String> {
    let checked = |valid: fn(&u8) -> bool, what: &str| {
        let all = content.iter().all(valid);
        let text = std::str::from_utf8(content).ok().filter(|_| all);
        text.map(str::to_owned).ok_or_else(|| format!("invalid {what}"))
    };
    match tag {
        20 => Ok(content.iter().map(|it| char::from(*it)).collect()),
        19 => checked(|it| is_printable(*it), "PrintableString"),
        12 => checked(|_| true, "UTF-8 string"),
        30 => bmp_text(content).ok_or_else(|| "invalid BMPString".to_owned()),
        22 => checked(u8::is_ascii, "IA5String"),
        18 => checked(|it| it.is_ascii_digit() || *it == b' ', "NumericString"),
        other => Err(format!("unsupported string type: {other}")),
    }
}
