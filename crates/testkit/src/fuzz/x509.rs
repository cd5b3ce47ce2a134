//! Certificates, requests and keys from any bytes, in every wrapping.
//!
//! What is read must tell where it was read from: its own bytes read again give the same. Chains of whatever was
//! read are judged, which must end.

use lictor_crypto::base64::{Alphabet, Fill, encode};
use lictor_value::{Arena, Value};

use super::calls::{Calls, text};

const BEGIN: &str = "-----BEGIN ";

/// The labels that blocks of bytes are tried under.
const LABELS: [&str; 4] = ["RSA PRIVATE KEY", "EC PRIVATE KEY", "PRIVATE KEY", "CERTIFICATE"];

/// Reads bytes as everything that comes in DER or PEM.
pub(super) fn x509(bytes: &[u8]) {
    let calls = Calls::default();
    let arena = Arena::new();
    let as_base64 = encode(bytes, Alphabet::Standard, Fill::Padded);
    let as_text = String::from_utf8_lossy(bytes).into_owned();
    for whole in [&as_base64, &as_text] {
        for name in [
            "crypto.x509.parse_certificate_request",
            "crypto.parse_private_keys",
            "crypto.x509.parse_rsa_private_key",
            "crypto.x509.parse_and_verify_certificates",
        ] {
            calls.call(name, &[whole], |_| ());
        }
        certificates(&calls, whole);
        calls.call("crypto.x509.parse_keypair", &[whole, whole], |_| ());
    }
    for label in LABELS {
        let block = block(label, &as_base64);
        calls.call("crypto.parse_private_keys", &[&block], |_| ());
        calls.call("io.jwt.verify_es256", &["e30.e30.AA", &block], |_| ());
    }
    let chain = text(&arena, &block("CERTIFICATE", &as_base64).repeat(3));
    let options =
        [("KeyUsages", arena.array(&[text(&arena, "KeyUsageAny")])), ("CurrentTime", arena.int(NOW_NS))];
    let mut pairs: Vec<(Value<'_>, Value<'_>)> =
        options.into_iter().map(|(name, value)| (text(&arena, name), value)).collect();
    let options = arena.object(&mut pairs);
    calls.call_values("crypto.x509.parse_and_verify_certificates_with_options", &[chain, options], |_| ());
}

/// A time at which the certificates among the seeds hold.
const NOW_NS: i64 = 1_767_225_600_000_000_000;

fn block(label: &str, content: &str) -> String {
    format!("{BEGIN}{label}-----\n{content}\n-----END {label}-----\n")
}

/// Reads certificates, and each again from its own bytes.
fn certificates(calls: &Calls, whole: &str) {
    let all = calls.call("crypto.x509.parse_certificates", &[whole], |it| {
        let list = it?.as_array()?;
        let raw = |it: Value<'_>| {
            let raw = it.as_object()?.get_str("Raw")?;
            Some((raw.as_str()?.to_owned(), it.to_json()))
        };
        Some(list.iter().filter_map(raw).collect::<Vec<_>>())
    });
    for (raw, shown) in all.unwrap_or_default() {
        let again = calls.call("crypto.x509.parse_certificates", &[&raw], |it| it.map(|it| it.to_json()));
        assert_eq!(again, Some(format!("[{shown}]")), "a certificate reads back as another");
    }
}
