//! Tokens and keys for them: any text as a token, as a key, as a header to sign.
//!
//! Bytes fall at each zero byte into a token, a key to verify with and a header to sign. What is accepted one way
//! must be accepted the other, must decode to the same, and must not be accepted once its payload is another.

use lictor_value::{Arena, Value};

use super::calls::{Calls, text};

/// Keys that seeds are signed with: the algorithms and a public key in JSON, or a secret.
const KEYS: [(&str, &str); 4] = [
    ("HS256", "secret"),
    ("RS256", include_str!("jwt/rsa.json")),
    ("ES256", include_str!("jwt/ec.json")),
    ("EdDSA", include_str!("jwt/ed.json")),
];

/// A time at which nothing in the seeds has expired.
const NOW_NS: i64 = 1_500_000_000_000;

/// Decodes, verifies and signs with made-up texts.
pub(super) fn jwt(bytes: &[u8]) {
    let text = String::from_utf8_lossy(bytes);
    let mut parts = text.split('\0');
    let (token, key, header) = (parts.next(), parts.next(), parts.next());
    let token = token.unwrap_or_default();
    let calls = Calls::default();
    let decoded = calls.call("io.jwt.decode", &[token], |it| it.map(|it| it.to_json()));
    for (algorithm, key) in KEYS {
        let verified = verify(&calls, token, algorithm, key);
        let accepted = decode_verify(&calls, token, algorithm, key);
        if let Some((header, payload)) = &accepted {
            check_accepted(&calls, token, algorithm, key, verified);
            let nested = header.contains("\"cty\"");
            let same = decoded.as_ref().is_some_and(|it| it.starts_with(&format!("[{header},{payload},")));
            assert!(nested || same, "what is verified decodes to something else");
        }
    }
    if let Some(key) = key {
        for name in ["rs256", "ps384", "es512", "eddsa"] {
            calls.call(&format!("io.jwt.verify_{name}"), &[token, key], |_| ());
        }
        calls.call("io.jwt.encode_sign_raw", &[header.unwrap_or(r#"{"alg":"HS256"}"#), "{}", key], |_| ());
    }
}

fn verify(calls: &Calls, token: &str, algorithm: &str, key: &str) -> bool {
    let name = format!("io.jwt.verify_{}", algorithm.to_ascii_lowercase());
    calls.call(&name, &[token, key], |it| it.is_some_and(|it| it.is_true()))
}

/// Returns header and payload as JSON if the token is accepted.
fn decode_verify(calls: &Calls, token: &str, algorithm: &str, key: &str) -> Option<(String, String)> {
    let arena = Arena::new();
    let kind = if algorithm == "HS256" { "secret" } else { "cert" };
    let constraints =
        [("alg", text(&arena, algorithm)), (kind, text(&arena, key)), ("aud", text(&arena, "you"))];
    let mut pairs: Vec<(Value<'_>, Value<'_>)> =
        constraints.into_iter().map(|(name, value)| (text(&arena, name), value)).collect();
    pairs.push((text(&arena, "time"), arena.int(NOW_NS)));
    let constraints = arena.object(&mut pairs);
    calls.call_values("io.jwt.decode_verify", &[text(&arena, token), constraints], |it| {
        let triple = it?.as_array()?;
        let (header, payload) = (triple.get(1)?, triple.get(2)?);
        let accepted = triple.get(0).is_some_and(|it| it.is_true());
        let nothing = header.to_json() == "{}" && payload.to_json() == "{}";
        assert!(accepted || nothing, "something is told of a token that is refused");
        accepted.then(|| (header.to_json(), payload.to_json()))
    })
}

/// Checks a token that was accepted: by the signature alone too, and not with another payload.
fn check_accepted(calls: &Calls, token: &str, algorithm: &str, key: &str, verified: bool) {
    assert!(verified, "a token is accepted whose signature does not hold");
    let (signed, signature) = token.rsplit_once('.').expect("a token has three parts");
    let changed = format!("{signed}AAAA.{signature}");
    assert!(!verify(calls, &changed, algorithm, key), "a signature holds for another payload");
}
