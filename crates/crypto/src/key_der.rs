//! Keys from DER: PKIX public keys, PKCS #1, PKCS #8 and SEC 1 private keys, with Go's messages.
//!
//! Each reader tells of the other forms what Go tells. They judge form and whether the numbers belong together,
//! not whether a key is strong.

use num_bigint::{BigInt, BigUint, Sign};

use crate::asn1::{self, Field, Node, Shape};
use crate::curve::Curve;
use crate::der::{self, Reader};
use crate::key::{
    DsaPublicKey, EcPrivateKey, EcPublicKey, EdwardsKey, Precomputed, PrivateKey, PublicKey, RsaPrivateKey,
    RsaPublicKey,
};
use crate::oid::Oid;
use crate::rsa::check_private;

pub(crate) const RSA: &[u32] = &[1, 2, 840, 113_549, 1, 1, 1];
pub(crate) const DSA: &[u32] = &[1, 2, 840, 10040, 4, 1];
pub(crate) const ECDSA: &[u32] = &[1, 2, 840, 10045, 2, 1];
pub(crate) const ED25519: &[u32] = &[1, 3, 101, 112];
const X25519: &[u32] = &[1, 3, 101, 110];

/// An algorithm with its parameters, unread.
pub(crate) const ALGORITHM: Shape =
    Shape::Struct("AlgorithmIdentifier", &[Field::new(Shape::Oid), Field::optional(Shape::Raw)]);
/// A public key with its algorithm.
pub(crate) const PUBLIC_KEY: Shape =
    Shape::Struct("publicKeyInfo", &[Field::new(ALGORITHM), Field::new(Shape::Bits)]);
const PKCS1_PUBLIC: Shape =
    Shape::Struct("pkcs1PublicKey", &[Field::new(Shape::BigInt), Field::new(Shape::Int)]);
const FURTHER_PRIME: Shape = Shape::Struct(
    "pkcs1AdditionalRSAPrime",
    &[Field::new(Shape::BigInt), Field::new(Shape::BigInt), Field::new(Shape::BigInt)],
);
const PKCS1: Shape = Shape::Struct(
    "pkcs1PrivateKey",
    &[
        Field::new(Shape::Int),
        Field::new(Shape::BigInt),
        Field::new(Shape::Int),
        Field::new(Shape::BigInt),
        Field::new(Shape::BigInt),
        Field::new(Shape::BigInt),
        Field::optional(Shape::BigInt),
        Field::optional(Shape::BigInt),
        Field::optional(Shape::BigInt),
        Field::optional(Shape::List(&FURTHER_PRIME)),
    ],
);
const PKCS8: Shape =
    Shape::Struct("pkcs8", &[Field::new(Shape::Int), Field::new(ALGORITHM), Field::new(Shape::Octets)]);
const SEC1: Shape = Shape::Struct(
    "ecPrivateKey",
    &[
        Field::new(Shape::Int),
        Field::new(Shape::Octets),
        Field::explicit_optional(Shape::Oid, 0),
        Field::explicit_optional(Shape::Bits, 1),
    ],
);

fn is(der: &[u8], shape: Shape) -> bool {
    asn1::read(der, shape).is_ok()
}

fn other_form(function: &str) -> String {
    format!("x509: failed to parse private key (use {function} instead for this key format)")
}

/// Reads a public key with its algorithm.
///
/// # Errors
/// With Go's message.
pub fn parse_pkix(der: &[u8]) -> Result<PublicKey, String> {
    let (node, rest) = asn1::read(der, PUBLIC_KEY).map_err(|it| {
        let pkcs1 = "x509: failed to parse public key (use ParsePKCS1PublicKey instead for this key format)";
        if is(der, PKCS1_PUBLIC) { pkcs1.to_owned() } else { it }
    })?;
    if !rest.is_empty() {
        return Err("x509: trailing data after ASN.1 of public-key".to_owned());
    }
    public_key(&node)
}

/// Reads the key of a structure of the shape of [`PUBLIC_KEY`].
pub(crate) fn public_key(info: &Node<'_>) -> Result<PublicKey, String> {
    let algorithm = info.field(0);
    let data = info.field(1).bits().right_aligned();
    public_key_of(&algorithm.field(0).oid(), algorithm.field(1).bytes(), &data)
}

/// Reads a key of an algorithm and its parameters.
pub(crate) fn public_key_of(algorithm: &Oid, parameters: &[u8], data: &[u8]) -> Result<PublicKey, String> {
    let text = |it: &str| it.to_owned();
    match algorithm.0.as_slice() {
        RSA => rsa_public(parameters, data).map_err(text),
        ECDSA => ec_public(parameters, data).map_err(text),
        ED25519 if !parameters.is_empty() => Err(text("x509: Ed25519 key encoded with illegal parameters")),
        ED25519 if data.len() != 32 => Err(text("x509: wrong Ed25519 public key size")),
        ED25519 => Ok(PublicKey::Ed25519(data.to_vec())),
        X25519 if !parameters.is_empty() => Err(text("x509: X25519 key encoded with illegal parameters")),
        X25519 if data.len() != 32 => Err(text("crypto/ecdh: invalid public key")),
        X25519 => Ok(PublicKey::X25519(data.to_vec())),
        DSA => dsa_public(parameters, data).map_err(text),
        _ => Err(text("x509: unknown public key algorithm")),
    }
}

fn rsa_public(parameters: &[u8], data: &[u8]) -> Result<PublicKey, &'static str> {
    if parameters != [5, 0] {
        return Err("x509: RSA key missing NULL parameters");
    }
    let mut inside = Reader(data).inside(der::SEQUENCE).ok_or("x509: invalid RSA public key")?;
    let n = inside.big_int().ok_or("x509: invalid RSA modulus")?;
    let e = inside.int(der::INTEGER).ok_or("x509: invalid RSA public exponent")?;
    let n = positive(&n).ok_or("x509: RSA modulus is not a positive number")?;
    let e = u64::try_from(e).ok().filter(|it| *it > 0);
    Ok(PublicKey::Rsa(RsaPublicKey { n, e: e.ok_or("x509: RSA public exponent is not a positive number")? }))
}

fn positive(number: &BigInt) -> Option<BigUint> {
    number.to_biguint().filter(|it| *it != BigUint::ZERO)
}

fn ec_public(parameters: &[u8], data: &[u8]) -> Result<PublicKey, &'static str> {
    let oid = Reader(parameters).oid().ok_or("x509: invalid ECDSA parameters")?;
    let curve = Curve::of_oid(&oid.0).ok_or("x509: unsupported elliptic curve")?;
    let Some((4, coordinates)) = data.split_first() else {
        return Err("ecdsa: invalid uncompressed public key");
    };
    if coordinates.len() != 2 * curve.size() {
        return Err(match curve {
            Curve::P224 => "invalid P224 point encoding",
            Curve::P256 => "invalid P256 point encoding",
            Curve::P384 => "invalid P384 point encoding",
            Curve::P521 => "invalid P521 point encoding",
        });
    }
    let (x, y) = coordinates.split_at(curve.size());
    let (x, y) = (BigUint::from_bytes_be(x), BigUint::from_bytes_be(y));
    if !curve.has_point(&x, &y) {
        return Err(curve.point_fault(&x, &y));
    }
    Ok(PublicKey::Ec(EcPublicKey { curve, x, y }))
}

fn dsa_public(parameters: &[u8], data: &[u8]) -> Result<PublicKey, &'static str> {
    let y = Reader(data).big_int().ok_or("x509: invalid DSA public key")?;
    let numbers = Reader(parameters).inside(der::SEQUENCE).and_then(|mut it| {
        let (p, q, g) = (it.big_int()?, it.big_int()?, it.big_int()?);
        Some([p, q, g])
    });
    let [p, q, g] = numbers.ok_or("x509: invalid DSA parameters")?;
    if [&y, &p, &q, &g].iter().any(|it| it.sign() != Sign::Plus) {
        return Err("x509: zero or negative DSA parameter");
    }
    Ok(PublicKey::Dsa(DsaPublicKey { p, q, g, y }))
}

/// Reads an RSA public key that comes without its algorithm.
///
/// # Errors
/// With Go's message.
pub fn parse_pkcs1_public(der: &[u8]) -> Result<RsaPublicKey, String> {
    let (node, rest) = asn1::read(der, PKCS1_PUBLIC).map_err(|it| {
        let pkix = "x509: failed to parse public key (use ParsePKIXPublicKey instead for this key format)";
        if is(der, PUBLIC_KEY) { pkix.to_owned() } else { it }
    })?;
    if !rest.is_empty() {
        return Err("asn1: syntax error: trailing data".to_owned());
    }
    let zero = "x509: public key contains zero or negative value";
    let n = node.field(0).big().and_then(positive).ok_or(zero)?;
    let e = u64::try_from(node.field(1).int()).ok().filter(|it| *it > 0).ok_or(zero)?;
    if e > (1 << 31) - 1 {
        return Err("x509: public key contains large public exponent".to_owned());
    }
    Ok(RsaPublicKey { n, e })
}

/// Reads an RSA private key.
///
/// # Errors
/// With Go's message.
pub fn parse_pkcs1(der: &[u8]) -> Result<RsaPrivateKey, String> {
    let (node, rest) = asn1::read(der, PKCS1).map_err(|it| match () {
        () if is(der, SEC1) => other_form("ParseECPrivateKey"),
        () if is(der, PKCS8) => other_form("ParsePKCS8PrivateKey"),
        () => it,
    })?;
    if !rest.is_empty() {
        return Err("asn1: syntax error: trailing data".to_owned());
    }
    if node.field(0).int() > 1 {
        return Err("x509: unsupported private key version".to_owned());
    }
    let zero = "x509: private key contains zero or negative value";
    let number = |index: usize| node.field(index).big().and_then(positive).ok_or(zero);
    let optional = |index: usize| node.field(index).big().map(|it| positive(it).ok_or(zero)).transpose();
    let (n, d) = (number(1)?, number(3)?);
    let mut primes = vec![number(4)?, number(5)?];
    let precomputed =
        Precomputed { dp: optional(6)?, dq: optional(7)?, qinv: optional(8)?, further: Vec::new() };
    for it in node.field(9).list() {
        let prime = it.field(0).big().and_then(positive);
        primes.push(prime.ok_or("x509: private key contains zero or negative prime")?);
    }
    // A negative exponent is refused as Go does, which only ever looks at its size.
    let e = u64::try_from(node.field(2).int()).unwrap_or(0);
    let key = RsaPrivateKey { public: RsaPublicKey { n, e }, d, primes, precomputed };
    completed(key).map_err(str::to_owned)
}

/// Checks a key and computes what was not given.
fn completed(mut key: RsaPrivateKey) -> Result<RsaPrivateKey, &'static str> {
    check_private(&key)?;
    if let Some(crt) = key.crt() {
        key.precomputed =
            Precomputed { dp: Some(crt.dp), dq: Some(crt.dq), qinv: Some(crt.qinv), further: Vec::new() };
    } else {
        key.precomputed = many_primes(&key)?;
    }
    Ok(key)
}

fn many_primes(key: &RsaPrivateKey) -> Result<Precomputed, &'static str> {
    let one = BigUint::from(1_u8);
    let [p, q, further @ ..] = key.primes.as_slice() else { return Err("crypto/rsa: missing primes") };
    if key.primes.iter().any(|it| *it <= one) {
        return Err("crypto/rsa: prime factor is <= 1");
    }
    let coprime = "crypto/rsa: prime factors are not relatively prime";
    let mut product = p * q;
    let mut rows = Vec::new();
    for prime in further {
        let coefficient = product.modinv(prime).ok_or(coprime)?;
        rows.push([&key.d % (prime - &one), coefficient, product.clone()]);
        product *= prime;
    }
    Ok(Precomputed {
        dp: Some(&key.d % (p - &one)),
        dq: Some(&key.d % (q - &one)),
        qinv: Some(q.modinv(p).ok_or(coprime)?),
        further: rows,
    })
}

/// Reads a private key with its algorithm.
///
/// # Errors
/// With Go's message.
pub fn parse_pkcs8(der: &[u8]) -> Result<PrivateKey, String> {
    let (node, _) = asn1::read(der, PKCS8).map_err(|it| match () {
        () if is(der, SEC1) => other_form("ParseECPrivateKey"),
        () if is(der, PKCS1) => other_form("ParsePKCS1PrivateKey"),
        () => it,
    })?;
    let (algorithm, parameters) = (node.field(1).field(0).oid(), node.field(1).field(1).bytes());
    let inner = node.field(2).bytes();
    match algorithm.0.as_slice() {
        RSA => parse_pkcs1(inner)
            .map(PrivateKey::Rsa)
            .map_err(|it| format!("x509: failed to parse RSA private key embedded in PKCS#8: {it}")),
        ECDSA => {
            let oid = asn1::read(parameters, Shape::Oid).ok().map(|it| it.0.oid());
            parse_ec_of(oid, inner)
                .map(PrivateKey::Ec)
                .map_err(|it| format!("x509: failed to parse EC private key embedded in PKCS#8: {it}"))
        }
        ED25519 => ed25519_private(parameters, inner).map(PrivateKey::Ed25519),
        X25519 => x25519_private(parameters, inner).map(PrivateKey::X25519),
        _ => Err(format!("x509: PKCS#8 wrapping contained private key with unknown algorithm: {algorithm}")),
    }
}

fn ed25519_private(parameters: &[u8], inner: &[u8]) -> Result<EdwardsKey, String> {
    if !parameters.is_empty() {
        return Err("x509: invalid Ed25519 private key parameters".to_owned());
    }
    let (node, _) =
        asn1::read(inner, Shape::Octets).map_err(|it| format!("x509: invalid Ed25519 private key: {it}"))?;
    let seed = node.bytes();
    if seed.len() != 32 {
        return Err(format!("x509: invalid Ed25519 private key length: {}", seed.len()));
    }
    EdwardsKey::ed25519(seed).ok_or_else(|| "no back end for Ed25519".to_owned())
}

fn x25519_private(parameters: &[u8], inner: &[u8]) -> Result<EdwardsKey, String> {
    if !parameters.is_empty() {
        return Err("x509: invalid X25519 private key parameters".to_owned());
    }
    let (node, _) =
        asn1::read(inner, Shape::Octets).map_err(|it| format!("x509: invalid X25519 private key: {it}"))?;
    if node.bytes().len() != 32 {
        return Err("crypto/ecdh: invalid private key size".to_owned());
    }
    EdwardsKey::x25519(node.bytes()).ok_or_else(|| "no back end for X25519".to_owned())
}

/// Reads a private key on a curve that names its curve.
///
/// # Errors
/// With Go's message.
pub fn parse_ec(der: &[u8]) -> Result<EcPrivateKey, String> {
    parse_ec_of(None, der)
}

fn parse_ec_of(curve: Option<Oid>, der: &[u8]) -> Result<EcPrivateKey, String> {
    let (node, _) = asn1::read(der, SEC1).map_err(|it| match () {
        () if is(der, PKCS8) => other_form("ParsePKCS8PrivateKey"),
        () if is(der, PKCS1) => other_form("ParsePKCS1PrivateKey"),
        () => format!("x509: failed to parse EC private key: {it}"),
    })?;
    let version = node.field(0).int();
    if version != 1 {
        return Err(format!("x509: unknown EC private key version {version}"));
    }
    let oid = curve.unwrap_or_else(|| node.field(2).oid());
    let curve = Curve::of_oid(&oid.0).ok_or("x509: unknown elliptic curve")?;
    // Zeros too many or too few before the number are taken.
    let bytes = node.field(1).bytes();
    let extra = bytes.len().saturating_sub(curve.size());
    if bytes.iter().take(extra).any(|it| *it != 0) {
        return Err("x509: invalid private key length".to_owned());
    }
    EcPrivateKey::of_scalar(curve, BigUint::from_bytes_be(bytes))
}
