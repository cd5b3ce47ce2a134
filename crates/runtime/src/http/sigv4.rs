//! Amazon's signatures of requests, version 4: what is signed, and the headers that carry it.
//!
//! Apart because policies ask for signatures (`providers.aws.sign_req`) and services are called with them, and both
//! must agree. It only describes requests: nothing is sent, and the time is told. The secret key leaves this file as
//! a keyed digest alone. Signatures with a pair of keys are in `sigv4/pair.rs`.

mod pair;

use std::collections::BTreeMap;
use std::fmt;

use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};

use crate::go::civil::Civil;
use crate::go::zone::Zone;
use crate::go_text::lossy;
use crate::http::Url;

pub use pair::sign_with_pair;

/// Headers that may change on the way and are therefore not signed.
const UNSIGNED_HEADERS: [&str; 3] = ["authorization", "user-agent", "x-amzn-trace-id"];

/// Stands in the place of a body's digest where the body is not signed.
pub const UNSIGNED_PAYLOAD: &str = "UNSIGNED-PAYLOAD";

/// Who signs.
#[derive(Clone, PartialEq, Eq, Default)]
pub struct Credentials {
    /// Names the secret key.
    pub access_key: String,
    /// Signs.
    pub secret_key: String,
    /// The region that the request is for.
    pub region: String,
    /// Goes with keys that hold for a while; empty for others.
    pub session_token: String,
}

impl fmt::Debug for Credentials {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Credentials").field("region", &self.region).finish_non_exhaustive()
    }
}

/// What of a request is signed.
#[derive(Debug)]
pub struct Request<'a> {
    /// The method, upper case.
    pub method: &'a str,
    /// Where to.
    pub url: &'a Url,
    /// The headers that it has already.
    pub headers: &'a BTreeMap<String, String>,
    /// The digest of the body as [`digest`] writes it, or [`UNSIGNED_PAYLOAD`].
    pub payload: &'a str,
    /// How long the body is.
    pub body_bytes: usize,
    /// The service that it is for: `s3`, `sts`.
    pub service: &'a str,
    /// When, in nanoseconds since the epoch.
    pub time_ns: i64,
}

/// Returns the headers to add, `Authorization` among them; the others are in lower case.
#[must_use]
pub fn sign(request: &Request<'_>, credentials: &Credentials) -> BTreeMap<String, String> {
    let Moment { date, time } = moment(request.time_ns);
    let mut added = BTreeMap::from([
        ("host".to_owned(), lossy(&request.url.host).into_owned()),
        ("x-amz-date".to_owned(), time.clone()),
    ]);
    if matches!(request.service, "s3" | "glacier") {
        added.insert("x-amz-content-sha256".to_owned(), request.payload.to_owned());
    }
    if !credentials.session_token.is_empty() {
        added.insert("x-amz-security-token".to_owned(), credentials.session_token.clone());
    }
    let (canonical, names) = canonical_request(request, &added);
    let scope = format!("{date}/{}/{}/aws4_request", credentials.region, request.service);
    let to_sign = format!("AWS4-HMAC-SHA256\n{time}\n{scope}\n{}", digest(&canonical));
    let mut key = keyed(format!("AWS4{}", credentials.secret_key).as_bytes(), date.as_bytes());
    for part in [credentials.region.as_str(), request.service, "aws4_request"] {
        key = keyed(&key, part.as_bytes());
    }
    let signature = hex(&keyed(&key, to_sign.as_bytes()));
    let authorization = format!(
        "AWS4-HMAC-SHA256 Credential={}/{scope},SignedHeaders={names},Signature={signature}",
        credentials.access_key
    );
    added.insert("Authorization".to_owned(), authorization);
    added
}

/// Returns the request in the form that is signed, and the names of the headers in it.
fn canonical_request(request: &Request<'_>, added: &BTreeMap<String, String>) -> (Vec<u8>, String) {
    let host = &request.url.host;
    let mut signed: BTreeMap<String, &[u8]> =
        added.iter().map(|(name, value)| (name.clone(), value.as_bytes())).collect();
    // The host is signed byte for byte, though shown as text.
    signed.insert("host".to_owned(), host);
    for (name, value) in request.headers {
        let name = name.to_lowercase();
        if !UNSIGNED_HEADERS.contains(&name.as_str()) {
            signed.insert(name, value.as_bytes());
        }
    }
    let names = signed.keys().map(String::as_str).collect::<Vec<_>>().join(";");
    let url = &request.url;
    let mut out = format!("{}\n{}\n{}\n", request.method, url.escaped_path(), url.raw_query).into_bytes();
    for (name, value) in signed {
        out.extend(name.as_bytes());
        out.push(b':');
        out.extend(value);
        out.push(b'\n');
    }
    out.extend(format!("\n{names}\n{}", request.payload).as_bytes());
    (out, names)
}

/// A time as signatures write it.
struct Moment {
    date: String,
    time: String,
}

fn moment(time_ns: i64) -> Moment {
    let time = Civil::at(time_ns, &Zone::UTC);
    let date = format!("{:04}{:02}{:02}", time.year, time.month, time.day);
    Moment { time: format!("{date}T{:02}{:02}{:02}Z", time.hour, time.minute, time.second), date }
}

/// Returns the digest of a body as signatures have it.
#[must_use]
pub fn digest(bytes: &[u8]) -> String {
    hex(&Sha256::digest(bytes))
}

fn keyed(key: &[u8], message: &[u8]) -> Vec<u8> {
    // A key of any length is taken.
    let Ok(mut mac) = <Hmac<Sha256> as KeyInit>::new_from_slice(key) else { return Vec::new() };
    mac.update(message);
    mac.finalize().into_bytes().to_vec()
}

fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|it| format!("{it:02x}")).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Method, target, headers, body, signature.
    type Example<'a> = (&'a str, &'a str, &'a [(&'a str, &'a str)], &'a [u8], &'a str);

    /// The examples of Amazon's manual for S3, whose signatures it gives.
    #[test]
    fn examples_of_the_manual_are_signed() {
        let credentials = Credentials {
            access_key: "AKIAIOSFODNN7EXAMPLE".to_owned(),
            secret_key: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY".to_owned(),
            region: "us-east-1".to_owned(),
            session_token: String::new(),
        };
        let cases: [Example<'_>; 4] = [
            (
                "GET",
                "/test.txt",
                &[("Range", "bytes=0-9")],
                b"",
                "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
            ),
            (
                "PUT",
                "/test%24file.text",
                &[("Date", "Fri, 24 May 2013 00:00:00 GMT"), ("x-amz-storage-class", "REDUCED_REDUNDANCY")],
                b"Welcome to Amazon S3.",
                "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
            ),
            (
                "GET",
                "/?lifecycle=",
                &[],
                b"",
                "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
            ),
            (
                "GET",
                "/?max-keys=2&prefix=J",
                &[],
                b"",
                "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
            ),
        ];
        for (method, target, headers, body, signature) in cases {
            let url = Url::parse(&format!("https://examplebucket.s3.amazonaws.com{target}")).expect("a URL");
            let headers = headers.iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
            let request = Request {
                method,
                url: &url,
                headers: &headers,
                payload: &digest(body),
                body_bytes: body.len(),
                service: "s3",
                // 2013-05-24T00:00:00Z
                time_ns: 1_369_353_600_000_000_000,
            };
            let signed = sign(&request, &credentials);
            let authorization = signed.get("Authorization").expect("a signature");
            assert!(authorization.ends_with(&format!("Signature={signature}")), "{target}: {authorization}");
        }
        assert!(!format!("{credentials:?}").contains("wJalr"));
    }
}
