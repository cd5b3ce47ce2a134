//! Signatures with a pair of keys (version 4a), which hold in every region.
//!
//! Apart because the key is derived from the secret one, and because the canonical form is another: the query is
//! sorted and escaped anew, spaces in headers count once. The key is derived for each request, which takes two keyed
//! digests and one multiplication on the curve.

use std::collections::BTreeMap;

use lictor_crypto::Curve;
use lictor_crypto::key::{EcPrivateKey, PrivateKey};
use lictor_crypto::signature::{Algorithm, AnyKey};
use num_bigint::BigUint;

use super::{Credentials, Moment, Request, UNSIGNED_HEADERS, digest, hex, keyed, moment};
use crate::go::url::{Part, escaped, parse_query};
use crate::go_text::lossy;

const ALGORITHM: &str = "AWS4-ECDSA-P256-SHA256";

/// Two less than the order of the curve: no larger number becomes a key.
const ORDER_LESS_TWO: [u8; 32] = [
    0xff, 0xff, 0xff, 0xff, 0x00, 0x00, 0x00, 0x00, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xbc,
    0xe6, 0xfa, 0xad, 0xa7, 0x17, 0x9e, 0x84, 0xf3, 0xb9, 0xca, 0xc2, 0xfc, 0x63, 0x25, 0x4f,
];

/// Returns the headers to add, `Authorization` among them; the others are in lower case.
///
/// # Errors
///
/// If there is no key for these credentials, or none to sign with.
pub fn sign_with_pair(
    request: &Request<'_>,
    credentials: &Credentials,
) -> Result<BTreeMap<String, String>, String> {
    let Moment { date, time } = moment(request.time_ns);
    let mut added = BTreeMap::from([
        ("host".to_owned(), lossy(&request.url.host).into_owned()),
        ("x-amz-content-sha256".to_owned(), request.payload.to_owned()),
        ("x-amz-date".to_owned(), time.clone()),
        ("x-amz-region-set".to_owned(), "*".to_owned()),
    ]);
    if !credentials.session_token.is_empty() {
        added.insert("x-amz-security-token".to_owned(), credentials.session_token.clone());
    }
    let (canonical, names) = canonical_request(request, &added)?;
    let scope = format!("{date}/{}/aws4_request", request.service);
    let to_sign = format!("{ALGORITHM}\n{time}\n{scope}\n{}", digest(canonical.as_bytes()));
    let key = AnyKey::Private(PrivateKey::Ec(derived_key(credentials)?));
    let algorithm = Algorithm::named("ES256").ok_or("no algorithm of this name")?;
    let signature = hex(&as_der(&algorithm.sign(&key, to_sign.as_bytes())?));
    let authorization = format!(
        "{ALGORITHM} Credential={}/{scope}, SignedHeaders={names}, Signature={signature}",
        credentials.access_key
    );
    added.insert("Authorization".to_owned(), authorization);
    Ok(added)
}

fn canonical_request(
    request: &Request<'_>,
    added: &BTreeMap<String, String>,
) -> Result<(String, String), String> {
    let mut signed = added.clone();
    for (name, value) in request.headers {
        let name = name.to_lowercase();
        if !UNSIGNED_HEADERS.contains(&name.as_str()) {
            signed.insert(name, value.split(' ').filter(|it| !it.is_empty()).collect::<Vec<_>>().join(" "));
        }
    }
    if request.body_bytes > 0 {
        signed.insert("content-length".to_owned(), request.body_bytes.to_string());
    }
    let names = signed.keys().map(String::as_str).collect::<Vec<_>>().join(";");
    let path = request.url.escaped_path();
    let path = if path.is_empty() { "/" } else { &path };
    let mut out = format!("{}\n{path}\n{}\n", request.method, query(&request.url.raw_query)?);
    for (name, value) in &signed {
        out.push_str(&format!("{name}:{value}\n"));
    }
    out.push_str(&format!("\n{names}\n{}", request.payload));
    Ok((out, names))
}

/// Returns a query sorted by names and values, with spaces escaped as others are.
fn query(raw: &str) -> Result<String, String> {
    if raw.is_empty() {
        return Ok(String::new());
    }
    let mut pairs = parse_query(raw)?;
    pairs.sort();
    let text = |it: &[u8]| escaped(it, Part::Query).replace('+', "%20");
    Ok(pairs.iter().map(|it| format!("{}={}", text(&it.0), text(&it.1))).collect::<Vec<_>>().join("&"))
}

/// Returns the private key that goes with an access key and its secret (NIST SP 800-108 in counter mode).
fn derived_key(credentials: &Credentials) -> Result<EcPrivateKey, String> {
    let secret = format!("AWS4A{}", credentials.secret_key);
    for counter in 1..=u8::MAX {
        let mut input = 1_u32.to_be_bytes().to_vec();
        input.extend(ALGORITHM.as_bytes());
        input.push(0);
        input.extend(credentials.access_key.as_bytes());
        input.push(counter);
        input.extend(256_u32.to_be_bytes());
        let candidate = keyed(secret.as_bytes(), &input);
        if candidate.as_slice() < ORDER_LESS_TWO.as_slice() {
            return EcPrivateKey::of_scalar(Curve::P256, BigUint::from_bytes_be(&candidate) + 1_u8);
        }
    }
    Err("failed to derive asymmetric key from credentials".to_owned())
}

/// Writes two numbers of equal length as DER has them.
fn as_der(signature: &[u8]) -> Vec<u8> {
    let (r, s) = signature.split_at(signature.len() / 2);
    let numbers = [integer(r), integer(s)].concat();
    [&[0x30, length(&numbers)], numbers.as_slice()].concat()
}

fn integer(number: &[u8]) -> Vec<u8> {
    let zeros = number.iter().take_while(|it| **it == 0).count().min(number.len().saturating_sub(1));
    let digits = number.get(zeros..).unwrap_or(number);
    let sign: &[u8] = if digits.first().is_some_and(|it| *it >= 0x80) { &[0] } else { &[] };
    let digits = [sign, digits].concat();
    [&[0x02, length(&digits)], digits.as_slice()].concat()
}

/// Returns a length below 128, as those of these numbers are.
fn length(bytes: &[u8]) -> u8 {
    u8::try_from(bytes.len()).unwrap_or(0x7f)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::Url;
    use lictor_crypto::signature::ecdsa;

    /// Access keys and the public key that Amazon's own libraries derive from them.
    fn known() -> (Credentials, &'static str) {
        let credentials = Credentials {
            access_key: "AKISORANDOMAASORANDOM".to_owned(),
            secret_key: "q+jcrXGc+0zWN6uzclKVhvMmUsIfRPa4rlRandom".to_owned(),
            ..Credentials::default()
        };
        (credentials, "15d242ceebf8d8169fd6a8b5a746c41140414c3b07579038da06af89190fffcb")
    }

    #[test]
    fn keys_are_derived_as_amazon_derives_them() {
        let (credentials, x) = known();
        let key = derived_key(&credentials).expect("a key");
        assert_eq!(key.public.x.to_str_radix(16), x);
    }

    #[test]
    fn signatures_hold_for_the_derived_key() {
        let (credentials, _) = known();
        let url = Url::parse("https://b.example/a%20b?x=2&b=c+d&x=1").expect("a URL");
        let headers = BTreeMap::from([
            ("X-A".to_owned(), " b   c ".to_owned()),
            ("User-Agent".to_owned(), "me".to_owned()),
        ]);
        let request = Request {
            method: "GET",
            url: &url,
            headers: &headers,
            payload: &digest(b""),
            body_bytes: 0,
            service: "s3",
            time_ns: 1_440_938_160_000_000_000,
        };
        let signed = sign_with_pair(&request, &credentials).expect("a signature");
        let names = "host;x-a;x-amz-content-sha256;x-amz-date;x-amz-region-set";
        let authorization = signed.get("Authorization").expect("a header");
        let start = format!(
            "{ALGORITHM} Credential=AKISORANDOMAASORANDOM/20150830/s3/aws4_request, SignedHeaders={names}, Signature=30"
        );
        assert!(authorization.starts_with(&start), "{authorization}");
        let empty = digest(b"");
        let canonical = format!(
            "GET\n/a%20b\nb=c%20d&x=1&x=2\nhost:b.example\nx-a:b c\nx-amz-content-sha256:{empty}\n\
             x-amz-date:20150830T123600Z\nx-amz-region-set:*\n\n{names}\n{empty}"
        );
        let to_sign = format!(
            "{ALGORITHM}\n20150830T123600Z\n20150830/s3/aws4_request\n{}",
            digest(canonical.as_bytes())
        );
        let der = authorization.split_once("Signature=").expect("a signature").1;
        let public = derived_key(&credentials).expect("a key").public;
        assert!(ecdsa(&public, lictor_crypto::Hash::Sha256, to_sign.as_bytes(), &numbers(der)));
    }

    /// Reads the two numbers of a signature in DER, both of 32 bytes.
    fn numbers(der: &str) -> Vec<u8> {
        let byte = |at: usize| u8::from_str_radix(der.get(at..at + 2).expect("digits"), 16).expect("a byte");
        let bytes: Vec<u8> = (0..der.len()).step_by(2).map(byte).collect();
        let second = 4 + usize::from(bytes[3]);
        let padded = |number: &[u8]| {
            let number = &number[number.len().saturating_sub(32)..];
            [vec![0; 32 - number.len()], number.to_vec()].concat()
        };
        [padded(&bytes[4..second]), padded(&bytes[second + 2..])].concat()
    }
}
