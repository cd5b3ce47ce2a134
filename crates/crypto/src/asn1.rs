//! A reader of DER by shapes, with the leniency and the messages of Go's older `encoding/asn1`.
//!
//! Go reads keys and requests with that package and certificates with a newer one (`der`); policies see its
//! messages. A shape is data; bytes after what a structure names are taken, as there. What a shape means, and the
//! shapes themselves, are their users'.

use num_bigint::BigInt;

use crate::der::Bits;
use crate::oid::{Oid, unpack};

mod any;
mod header;

pub use any::AnyValue;
pub(crate) use any::{bmp_text, is_printable};
use header::Header;

/// What a field holds.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Shape {
    /// A number of 64 bits.
    Int,
    /// A number of any size.
    BigInt,
    /// `true` or `false`.
    Bool,
    /// An object identifier.
    Oid,
    /// Bits.
    Bits,
    /// Bytes.
    Octets,
    /// An element of any tag, not looked into.
    Raw,
    /// An element of any tag, looked into if it is simple.
    Any,
    /// A structure: its name in Go and its fields.
    Struct(&'static str, &'static [Field]),
    /// A sequence of one shape.
    List(&'static Shape),
    /// The same with a name in Go.
    Named(&'static str, &'static Shape),
    /// A set of one shape: its name in Go and the shape.
    Set(&'static str, &'static Shape),
}

/// A field of a structure.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Field {
    shape: Shape,
    optional: bool,
    tagging: Tagging,
}

#[derive(Clone, Copy, Debug)]
enum Tagging {
    None,
    /// A tag of the context instead of the shape's.
    Implicit(u32),
    /// A tag of the context around the shape's.
    Explicit(u32),
    /// A set instead of a sequence.
    Set,
}

impl Field {
    pub(crate) const fn new(shape: Shape) -> Self {
        Self { shape, optional: false, tagging: Tagging::None }
    }

    pub(crate) const fn optional(shape: Shape) -> Self {
        Self { shape, optional: true, tagging: Tagging::None }
    }

    pub(crate) const fn implicit(shape: Shape, tag: u32) -> Self {
        Self { shape, optional: false, tagging: Tagging::Implicit(tag) }
    }

    pub(crate) const fn explicit(shape: Shape, tag: u32) -> Self {
        Self { shape, optional: false, tagging: Tagging::Explicit(tag) }
    }

    pub(crate) const fn explicit_optional(shape: Shape, tag: u32) -> Self {
        Self { shape, optional: true, tagging: Tagging::Explicit(tag) }
    }

    pub(crate) const fn set(shape: Shape) -> Self {
        Self { shape, optional: false, tagging: Tagging::Set }
    }
}

/// What was read.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) enum Node<'a> {
    /// An optional field that is not there.
    #[default]
    Absent,
    Int(i64),
    Big(BigInt),
    Bool(bool),
    Oid(Oid),
    Bits(Bits<'a>),
    Octets(&'a [u8]),
    /// An element with its header.
    Raw(&'a [u8]),
    Any(AnyValue),
    /// A structure with its header, and its fields.
    Struct(&'a [u8], Vec<Node<'a>>),
    List(Vec<Node<'a>>),
}

impl<'a> Node<'a> {
    pub(crate) fn int(&self) -> i64 {
        if let Self::Int(number) = self { *number } else { 0 }
    }

    pub(crate) fn big(&self) -> Option<&BigInt> {
        if let Self::Big(number) = self { Some(number) } else { None }
    }

    pub(crate) fn oid(&self) -> Oid {
        if let Self::Oid(oid) = self { oid.clone() } else { Oid::default() }
    }

    pub(crate) fn bits(&self) -> Bits<'a> {
        if let Self::Bits(bits) = self { *bits } else { Bits::default() }
    }

    /// The bytes of octets or of a raw element; none if absent.
    pub(crate) fn bytes(&self) -> &'a [u8] {
        if let Self::Octets(bytes) | Self::Raw(bytes) | Self::Struct(bytes, _) = self { bytes } else { &[] }
    }

    pub(crate) fn list(&self) -> &[Node<'a>] {
        if let Self::List(nodes) | Self::Struct(_, nodes) = self { nodes } else { &[] }
    }

    pub(crate) fn field(&self, index: usize) -> &Node<'a> {
        self.list().get(index).unwrap_or(&Node::Absent)
    }
}

/// Reads one element of a shape; returns it and what follows.
///
/// # Errors
/// With Go's message.
pub(crate) fn read(bytes: &[u8], shape: Shape) -> Result<(Node<'_>, &[u8]), String> {
    let (node, offset) = read_field(bytes, 0, &Field::new(shape))?;
    Ok((node, bytes.get(offset..).unwrap_or(&[])))
}

fn syntax<T>(message: &str) -> Result<T, String> {
    Err(format!("asn1: syntax error: {message}"))
}

fn structure<T>(message: &str) -> Result<T, String> {
    Err(format!("asn1: structure error: {message}"))
}

/// Shapes are constants that do not contain themselves, so the depth of the recursion is theirs.
fn read_field<'a>(bytes: &'a [u8], start: usize, field: &Field) -> Result<(Node<'a>, usize), String> {
    let absent = (Node::Absent, start);
    if start == bytes.len() {
        return if field.optional { Ok(absent) } else { syntax("sequence truncated") };
    }
    let (mut header, mut offset) = Header::read(bytes, start)?;
    if matches!(field.shape, Shape::Any) {
        let Some(content) = header.content(bytes, offset) else { return syntax("data truncated") };
        return Ok((Node::Any(AnyValue::read(header, content)?), offset + content.len()));
    }
    if let Tagging::Explicit(tag) = field.tagging {
        if offset == bytes.len() {
            return structure("explicit tag has no child");
        }
        if !header.is_context(tag) || (header.len > 0 && !header.is_compound) {
            let missing = structure("explicitly tagged member didn't match");
            return if field.optional { Ok(absent) } else { missing };
        }
        if header.len == 0 {
            return structure("zero length explicit tag was not an asn1.Flag");
        }
        (header, offset) = Header::read(bytes, offset)?;
    }
    let (expected, compound) = expectation(field);
    let fits = match field.tagging {
        Tagging::Implicit(tag) => header.is_context(tag),
        _ => expected.is_none_or(|it| header.is_universal(it)),
    };
    if !fits || compound.is_some_and(|it| it != header.is_compound) {
        return if field.optional { Ok(absent) } else { mismatch(field, expected, header, offset) };
    }
    let Some(content) = header.content(bytes, offset) else { return syntax("data truncated") };
    let end = offset + content.len();
    let full = bytes.get(start..end).unwrap_or(&[]);
    Ok((read_content(full, content, field.shape)?, end))
}

/// Returns the tag of a field and whether it is made of elements, where that matters.
fn expectation(field: &Field) -> (Option<u32>, Option<bool>) {
    let (tag, compound) = match field.shape {
        Shape::Bool => (1, false),
        Shape::Int | Shape::BigInt => (2, false),
        Shape::Bits => (3, false),
        Shape::Octets => (4, false),
        Shape::Oid => (6, false),
        Shape::Struct(..) | Shape::List(_) | Shape::Named(..) => (16, true),
        Shape::Set(..) => (17, true),
        Shape::Raw | Shape::Any => return (None, None),
    };
    (Some(if matches!(field.tagging, Tagging::Set) { 17 } else { tag }), Some(compound))
}

fn mismatch<T>(field: &Field, expected: Option<u32>, header: Header, offset: usize) -> Result<T, String> {
    let expected = match field.tagging {
        Tagging::Implicit(tag) => i64::from(tag),
        _ => expected.map_or(-1, i64::from),
    };
    let name = match field.shape {
        Shape::Int => "int",
        Shape::Bool => "bool",
        Shape::Oid => "ObjectIdentifier",
        Shape::Bits => "BitString",
        Shape::Raw => "RawValue",
        Shape::Struct(name, _) | Shape::Set(name, _) | Shape::Named(name, _) => name,
        Shape::BigInt | Shape::Octets | Shape::Any | Shape::List(_) => "",
    };
    let set = matches!(field.tagging, Tagging::Set);
    structure(&format!(
        "tags don't match ({expected} vs {header}) {{optional:{} explicit:false application:false private:false \
         defaultValue:<nil> tag:<nil> stringType:0 timeType:0 set:{set} omitEmpty:false}} {name} @{offset}",
        field.optional
    ))
}

fn read_content<'a>(full: &'a [u8], content: &'a [u8], shape: Shape) -> Result<Node<'a>, String> {
    Ok(match shape {
        Shape::Raw | Shape::Any => Node::Raw(full),
        Shape::Int => Node::Int(int_64(content)?),
        Shape::BigInt => Node::Big(BigInt::from_signed_bytes_be(checked_integer(content)?)),
        Shape::Bool => Node::Bool(boolean(content)?),
        Shape::Oid => Node::Oid(object_identifier(content)?),
        Shape::Bits => Node::Bits(bit_string(content)?),
        Shape::Octets => Node::Octets(content),
        Shape::Struct(_, fields) => {
            let mut nodes = Vec::with_capacity(fields.len());
            let mut offset = 0;
            for field in fields {
                let (node, next) = read_field(content, offset, field)?;
                nodes.push(node);
                offset = next;
            }
            Node::Struct(full, nodes)
        }
        Shape::List(shape) | Shape::Set(_, shape) | Shape::Named(_, shape) => {
            Node::List(read_list(content, shape)?)
        }
    })
}

/// The tags are checked of all elements before any is read, which decides between messages.
fn read_list<'a>(bytes: &'a [u8], shape: &Shape) -> Result<Vec<Node<'a>>, String> {
    let field = Field::new(*shape);
    let (tag, compound) = expectation(&field);
    let mut offset = 0;
    while offset < bytes.len() {
        let (header, next) = Header::read(bytes, offset)?;
        if tag.is_some_and(|it| !header.is_universal(it))
            || compound.is_some_and(|it| it != header.is_compound)
        {
            return structure("sequence tag mismatch");
        }
        let Some(content) = header.content(bytes, next) else { return syntax("truncated sequence") };
        offset = next + content.len();
    }
    let (mut nodes, mut offset) = (Vec::new(), 0);
    while offset < bytes.len() {
        let (node, next) = read_field(bytes, offset, &field)?;
        nodes.push(node);
        offset = next;
    }
    Ok(nodes)
}

fn checked_integer(content: &[u8]) -> Result<&[u8], String> {
    if content.is_empty() {
        return structure("empty integer");
    }
    crate::der::checked_integer(content).map_or_else(|| structure("integer not minimally-encoded"), Ok)
}

fn int_64(content: &[u8]) -> Result<i64, String> {
    let number = BigInt::from_signed_bytes_be(checked_integer(content)?);
    i64::try_from(number).or_else(|_| structure("integer too large"))
}

fn boolean(content: &[u8]) -> Result<bool, String> {
    match content {
        [0] => Ok(false),
        [0xff] => Ok(true),
        _ => syntax("invalid boolean"),
    }
}

fn bit_string(content: &[u8]) -> Result<Bits<'_>, String> {
    if content.is_empty() {
        return syntax("zero length BIT STRING");
    }
    Bits::split(content).map_or_else(|| syntax("invalid padding bits in BIT STRING"), Ok)
}

fn object_identifier(content: &[u8]) -> Result<Oid, String> {
    if content.is_empty() {
        return syntax("zero length OBJECT IDENTIFIER");
    }
    let (first, mut offset) = base_128(content, 0)?;
    let mut components = unpack(first).to_vec();
    while offset < content.len() {
        let (component, next) = base_128(content, offset)?;
        components.push(component);
        offset = next;
    }
    Ok(Oid(components))
}

fn base_128(bytes: &[u8], start: usize) -> Result<(u32, usize), String> {
    let mut number = 0_u64;
    for (index, byte) in bytes.iter().enumerate().skip(start) {
        if index == start + 5 {
            return structure("base 128 integer too large");
        }
        if index == start && *byte == 0x80 {
            return syntax("integer is not minimally encoded");
        }
        number = number << 7 | u64::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            let fits = u32::try_from(number).ok().filter(|it| *it <= 0x7fff_ffff);
            return fits.map_or_else(|| structure("base 128 integer too large"), |it| Ok((it, index + 1)));
        }
    }
    syntax("truncated base 128 integer")
}

#[cfg(test)]
mod tests {
    use super::*;

    const PAIR: Shape = Shape::Struct("pair", &[Field::new(Shape::Int), Field::optional(Shape::Octets)]);

    #[test]
    fn messages_are_go_s() {
        let cases: [(&[u8], &str); 6] = [
            (&[], "asn1: syntax error: sequence truncated"),
            (&[0x30, 0x05, 0x02], "asn1: syntax error: data truncated"),
            (&[0x30, 0x80], "asn1: syntax error: indefinite length found (not DER)"),
            (&[0x30, 0x02, 0x02, 0x00], "asn1: structure error: empty integer"),
            (&[0x30, 0x00], "asn1: syntax error: sequence truncated"),
            (
                &[0x02, 0x01, 0x05],
                "asn1: structure error: tags don't match (16 vs {class:0 tag:2 length:1 isCompound:false}) \
                 {optional:false explicit:false application:false private:false defaultValue:<nil> tag:<nil> \
                 stringType:0 timeType:0 set:false omitEmpty:false} pair @2",
            ),
        ];
        for (bytes, want) in cases {
            assert_eq!(read(bytes, PAIR).map(|it| it.0), Err(want.to_owned()), "{bytes:?}");
        }
        let (node, rest) = read(&[0x30, 0x03, 0x02, 0x01, 0x07, 0xff], PAIR).expect("a pair");
        assert_eq!((node.field(0).int(), node.field(1), rest), (7, &Node::Absent, [0xff].as_slice()));
    }
}
