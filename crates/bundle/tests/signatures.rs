//! Bundles with right, wrong and hostile signatures, and what is said of each.
//!
//! One good bundle, and rows that each change one thing of it. The texts are those that OPA 1.22 gives for the same
//! bundle; where it takes one that we refuse, the row says so.

use std::io::Write as _;
use std::sync::Arc;

use flate2::{Compression, write::GzEncoder};
use lictor_bundle::{
    Bundle, BundleError, BundleReader, Digests, Limits, Members as _, Options, Signing, Trust, Verification,
    VerificationKey, read_archive, sign, signatures_file,
};
use lictor_crypto::base64::{Alphabet, Fill, encode};
use lictor_crypto::{Hash, hmac};
use lictor_value::Document;

const MANIFEST_HASH: &str = "a5b4846fef8dc9fe6af946108272f83660b1517cde8c4834e2ae94dca3786b30";
const DATA_HASH: &str = "5041bf1f713df204784353e82f6a4a535931cb64f1f4b4a5aeaffcb720918b22";
const MODULE_HASH: &str = "ef4cde66e31f4c8c417d1cdbd34a9e61eec8d0ce9351487bfaad763ff27c22eb";

/// A public key that hostile tokens take for a secret.
const RSA_PUBLIC: &str = include_str!("keys/rsa.pub");

/// Is a bundle and how it is verified, open to any change.
struct Case {
    members: Vec<(&'static str, String)>,
    header: String,
    files: Vec<String>,
    /// What the payload says beside the files.
    claims: String,
    /// The whole payload, if it is not made of files and claims.
    payload: Option<String>,
    secret: String,
    /// Changes the token.
    token: fn(String) -> String,
    /// Makes the content of the signatures file.
    signatures: fn(&str) -> String,
    verification: Verification,
}

impl Case {
    fn good() -> Self {
        let key =
            VerificationKey { key: "secret".to_owned(), algorithm: "HS256".to_owned(), scope: String::new() };
        let other =
            VerificationKey { key: RSA_PUBLIC.to_owned(), algorithm: "RS256".to_owned(), ..key.clone() };
        Self {
            members: vec![
                ("/.manifest", r#"{"roots":["a","p"]}"#.to_owned()),
                ("/a/data.json", r#"{ "x":1 }"#.to_owned()),
                ("/p/x.rego", "package p\nt := data.a.x\n".to_owned()),
            ],
            header: r#"{"alg":"HS256","typ":"JWT"}"#.to_owned(),
            files: vec![
                file(".manifest", MANIFEST_HASH, "SHA-256"),
                file("a/data.json", DATA_HASH, "SHA-256"),
                file("p/x.rego", MODULE_HASH, "SHA-256"),
            ],
            claims: String::new(),
            payload: None,
            secret: "secret".to_owned(),
            token: |it| it,
            signatures: |token| format!(r#"{{"signatures":["{token}"]}}"#),
            verification: Verification {
                keys: [("default".to_owned(), key), ("rsa".to_owned(), other)].into(),
                key_id: "default".to_owned(),
                ..Verification::default()
            },
        }
    }

    fn token(&self) -> String {
        let payload = self
            .payload
            .clone()
            .unwrap_or_else(|| format!(r#"{{"files":[{}]{}}}"#, self.files.join(","), self.claims));
        let signed = format!("{}.{}", part(self.header.as_bytes()), part(payload.as_bytes()));
        let code = hmac(Hash::Sha256, self.secret.as_bytes(), signed.as_bytes()).expect("a back end");
        (self.token)(format!("{signed}.{}", part(&code)))
    }

    /// Returns all members with the signatures at the end.
    fn signed(&self) -> Vec<(&'static str, String)> {
        let mut members = self.members.clone();
        members.push(("/.signatures.json", (self.signatures)(&self.token())));
        members
    }

    fn read(&self, members: &[(&str, String)]) -> Result<Bundle, BundleError> {
        read_archive(archive(members).as_slice(), options(Trust::Signed(Arc::new(self.verification.clone()))))
    }

    fn member(&mut self, path: &'static str, text: &str) {
        match self.members.iter_mut().find(|it| it.0 == path) {
            Some(member) => text.clone_into(&mut member.1),
            None => self.members.push((path, text.to_owned())),
        }
    }
}

fn file(name: &str, hash: &str, algorithm: &str) -> String {
    format!(r#"{{"name":"{name}","hash":"{hash}","algorithm":"{algorithm}"}}"#)
}

fn part(bytes: &[u8]) -> String {
    encode(bytes, Alphabet::Url, Fill::Raw)
}

#[test]
fn deltas_go_unsigned_where_that_is_said() {
    let members = [
        ("/patch.json", r#"{"data":[{"op":"remove","path":"/a"}]}"#.to_owned()),
        ("/.manifest", r#"{"roots":["a"]}"#.to_owned()),
    ];
    let mut case = Case::good();
    let said = |case: &Case, members: &[(&str, String)]| match case.read(members) {
        Ok(bundle) => format!("delta: {}", bundle.is_delta()),
        Err(error) => error.to_string(),
    };
    assert_eq!(said(&case, &members), "delta bundles do not support signature verification");
    case.verification.unsigned_deltas = true;
    assert_eq!(said(&case, &members), "delta: true");
    // A bundle that only says so must still be signed, and one with more than a delta is none.
    let unsigned = |patch: &str, more: (&'static str, &str)| {
        vec![("/patch.json", patch.to_owned()), (more.0, more.1.to_owned())]
    };
    let bundle = unsigned("{}", ("/a/data.json", "1"));
    assert_eq!(said(&case, &bundle), "bundle missing .signatures.json file");
    let bundle = unsigned(&members[0].1, ("/a.rego", "package a"));
    let only = "delta bundle expected to contain only patch file but policy files found";
    assert_eq!(said(&case, &bundle), only);
}

fn options(trust: Trust) -> Options {
    let yaml = |_: &[u8]| -> Result<Document, String> { Err("no YAML here".to_owned()) };
    Options { limits: Limits::default(), folder: String::new(), yaml, trust }
}

fn archive(members: &[(&str, String)]) -> Vec<u8> {
    let mut builder = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (path, text) in members {
        let mut header = tar::Header::new_gnu();
        header.set_size(text.len() as u64);
        let name = &mut header.as_gnu_mut().expect("a GNU header").name;
        name[..path.len()].copy_from_slice(path.as_bytes());
        header.set_cksum();
        builder.append(&header, text.as_bytes()).expect("written");
    }
    let mut out = builder.into_inner().expect("written");
    out.flush().expect("written");
    out.finish().expect("written")
}

type Row = (&'static str, fn(&mut Case), &'static str);

fn check(rows: &[Row]) {
    for (name, change, wanted) in rows {
        let mut case = Case::good();
        change(&mut case);
        let mut members = case.signed();
        let said = |members: &[(&str, String)]| match case.read(members) {
            Ok(_) => "taken".to_owned(),
            Err(error) => error.to_string(),
        };
        assert_eq!(said(&members), *wanted, "{name}");
        // Where the signature stands changes nothing.
        members.rotate_right(1);
        assert_eq!(said(&members), *wanted, "{name}, signature first");
    }
}

#[test]
fn what_is_right_is_taken() {
    check(RIGHT);
}

const RIGHT: &[Row] = &[
    ("untouched", |_| {}, "taken"),
    ("layout of JSON", |it| it.member("/a/data.json", "{\n\t\"x\": 1\n}"), "taken"),
    (
        "digest in capitals",
        |it| it.files[0] = file(".manifest", &MANIFEST_HASH.to_uppercase(), "SHA-256"),
        "taken",
    ),
    (
        "plugin by its name",
        |it| it.signatures = |token| format!(r#"{{"signatures":["{token}"],"plugin":"_default"}}"#),
        "taken",
    ),
    (
        "identifier that does not count",
        |it| it.header = r#"{"alg":"HS256","kid":"other"}"#.to_owned(),
        "taken",
    ),
    (
        "key named by the header",
        |it| {
            it.verification.key_id.clear();
            it.header = r#"{"alg":"HS256","kid":"default"}"#.to_owned();
        },
        "taken",
    ),
    (
        "key named by the payload",
        |it| {
            it.verification.key_id.clear();
            it.claims = r#","keyid":"default""#.to_owned();
        },
        "taken",
    ),
    (
        "scope as wanted",
        |it| {
            it.claims = r#","scope":"write""#.to_owned();
            "write".clone_into(&mut it.verification.scope);
        },
        "taken",
    ),
    (
        "scope of the key",
        |it| {
            it.claims = r#","scope":"write""#.to_owned();
            let key = it.verification.keys.get_mut("default").expect("the key");
            "write".clone_into(&mut key.scope);
        },
        "taken",
    ),
    (
        "excluded file",
        |it| {
            it.member("/d/readme.txt", "x");
            it.verification.exclude = vec!["*/*.txt".to_owned()];
        },
        "taken",
    ),
    (
        "excluded file that was signed",
        |it| {
            it.member("/p/x.rego", "package p");
            it.verification.exclude = vec!["p/x.rego".to_owned()];
        },
        "taken",
    ),
    ("claims nobody asks for", |it| it.claims = r#","iat":1,"iss":"us","more":[]"#.to_owned(), "taken"),
];

#[test]
fn signature_files_must_be_whole() {
    check(SIGNATURE_FILES);
}

const SIGNATURE_FILES: &[Row] = &[
    (
        "no signatures",
        |it| it.signatures = |_| r#"{"signatures":[]}"#.to_owned(),
        ".signatures.json: missing JWT (expected exactly one)",
    ),
    (
        "two signatures",
        |it| it.signatures = |token| format!(r#"{{"signatures":["{token}","{token}"]}}"#),
        ".signatures.json: multiple JWTs not supported (expected exactly one)",
    ),
    (
        "null",
        |it| it.signatures = |_| r#"{"signatures":null}"#.to_owned(),
        "bundle missing .signatures.json file",
    ),
    ("empty object", |it| it.signatures = |_| "{}".to_owned(), "bundle missing .signatures.json file"),
    (
        "plugin alone",
        |it| it.signatures = |_| r#"{"plugin":"_default"}"#.to_owned(),
        ".signatures.json: missing JWT (expected exactly one)",
    ),
    (
        "other plugin",
        |it| it.signatures = |token| format!(r#"{{"signatures":["{token}"],"plugin":"x"}}"#),
        "no verifier exists under id x",
    ),
    (
        "plugin of another type",
        |it| it.signatures = |token| format!(r#"{{"signatures":["{token}"],"plugin":7}}"#),
        "bundle load failed on signatures decode: json: cannot unmarshal number into Go struct field SignaturesConfig.plugin of type string",
    ),
    (
        "array",
        |it| it.signatures = |_| "[]".to_owned(),
        "bundle load failed on signatures decode: json: cannot unmarshal array into Go value of type bundle.SignaturesConfig",
    ),
    (
        "no JSON",
        |it| it.signatures = |_| "xx".to_owned(),
        "bundle load failed on signatures decode: invalid character 'x' looking for beginning of value",
    ),
    ("empty", |it| it.signatures = |_| String::new(), "bundle load failed on signatures decode: EOF"),
    (
        "cut",
        |it| it.signatures = |token| format!(r#"{{"signatures":["{token}"#),
        "bundle load failed on signatures decode: unexpected EOF",
    ),
    (
        "number",
        |it| it.signatures = |_| r#"{"signatures":[7]}"#.to_owned(),
        "bundle load failed on signatures decode: json: cannot unmarshal number into Go struct field SignaturesConfig.signatures of type string",
    ),
    (
        "null among signatures",
        |it| it.signatures = |_| r#"{"signatures":[null]}"#.to_owned(),
        "failed to split compact JWT: jwsbb: invalid number of segments",
    ),
    (
        "text",
        |it| it.signatures = |token| format!(r#"{{"signatures":"{token}"}}"#),
        "bundle load failed on signatures decode: json: cannot unmarshal string into Go struct field SignaturesConfig.signatures of type []string",
    ),
    (
        "cut signature and no key of that name",
        |it| "x".clone_into(&mut it.verification.key_id),
        "verification key corresponding to ID x not found",
    ),
];

#[test]
fn tokens_must_be_whole() {
    check(TOKENS);
}

const TOKENS: &[Row] = &[
    (
        "two parts",
        |it| it.token = |token| token.rsplit_once('.').expect("parts").0.to_owned(),
        "failed to split compact JWT: jwsbb: invalid number of segments",
    ),
    (
        "four parts",
        |it| it.token = |token| token + ".x",
        "failed to split compact JWT: jwsbb: invalid number of segments",
    ),
    (
        "empty",
        |it| it.token = |_| String::new(),
        "failed to split compact JWT: jwsbb: invalid number of segments",
    ),
    ("empty parts", |it| it.token = |_| "..".to_owned(), "unexpected end of JSON input"),
    (
        "no signature",
        |it| it.token = |token| format!("{}.", token.rsplit_once('.').expect("parts").0),
        "failed to verify JWT signature: invalid HMAC signature",
    ),
    (
        "short signature",
        |it| it.token = |token| token.split_at(token.len() - 4).0.to_owned(),
        "failed to verify JWT signature: invalid HMAC signature",
    ),
    (
        "other base64",
        |it| it.token = |token| format!("{}.++//", token.rsplit_once('.').expect("parts").0),
        "failed to base64 decode JWT signature: illegal base64 data at input byte 0",
    ),
    (
        "padded payload",
        |it| it.token = |token| token.replacen('.', "=.", 2).replacen("=.", ".", 1),
        "failed to base64 decode JWT payload: illegal base64 data at input byte 484",
    ),
    (
        "line end",
        |it| {
            it.token = |token| {
                let (before, behind) = token.split_at(token.len() - 4);
                format!("{before}\\n{behind}")
            }
        },
        "failed to base64 decode JWT signature: illegal base64 data at input byte 39",
    ),
    (
        "payload of another type",
        |it| it.payload = Some("[]".to_owned()),
        "json: cannot unmarshal array into Go value of type bundle.DecodedSignature",
    ),
    (
        "text as payload",
        |it| it.payload = Some(r#""x""#.to_owned()),
        "json: cannot unmarshal string into Go value of type bundle.DecodedSignature",
    ),
    (
        "null as payload",
        |it| it.payload = Some("null".to_owned()),
        "file .manifest not included in bundle signature",
    ),
    ("no payload", |it| it.payload = Some(String::new()), "unexpected end of JSON input"),
    ("cut payload", |it| it.payload = Some(r#"{"files":["#.to_owned()), "unexpected end of JSON input"),
    (
        "identifier of another type",
        |it| it.claims = r#","keyid":3"#.to_owned(),
        "json: cannot unmarshal number into Go struct field DecodedSignature.keyid of type string",
    ),
    (
        "scope of another type",
        |it| it.claims = r#","scope":1"#.to_owned(),
        "json: cannot unmarshal number into Go struct field DecodedSignature.scope of type string",
    ),
    (
        "time of another type",
        |it| it.claims = r#","iat":"x""#.to_owned(),
        "json: cannot unmarshal string into Go struct field DecodedSignature.iat of type int64",
    ),
    (
        "time with a fraction",
        |it| it.claims = r#","iat":1.5"#.to_owned(),
        "json: cannot unmarshal number 1.5 into Go struct field DecodedSignature.iat of type int64",
    ),
    (
        "issuer of another type",
        |it| it.claims = r#","iss":1"#.to_owned(),
        "json: cannot unmarshal number into Go struct field DecodedSignature.iss of type string",
    ),
];

#[test]
fn algorithms_are_the_key_s() {
    check(ALGORITHMS);
}

/// OPA reads no more of the header than `kid`, and that only if nobody says which key counts.
const ALGORITHMS: &[Row] = &[
    (
        "none",
        |it| it.header = r#"{"alg":"none"}"#.to_owned(),
        "signature names algorithm `none`, the key is for `HS256`",
    ),
    (
        "None",
        |it| it.header = r#"{"alg":"None"}"#.to_owned(),
        "signature names algorithm `None`, the key is for `HS256`",
    ),
    (
        "NONE",
        |it| it.header = r#"{"alg":"NONE"}"#.to_owned(),
        "signature names algorithm `NONE`, the key is for `HS256`",
    ),
    (
        "nOnE",
        |it| it.header = r#"{"alg":"nOnE"}"#.to_owned(),
        "signature names algorithm `nOnE`, the key is for `HS256`",
    ),
    (
        "none without a signature",
        |it| {
            it.header = r#"{"alg":"none"}"#.to_owned();
            it.token = |token| format!("{}.", token.rsplit_once('.').expect("parts").0);
        },
        "failed to verify JWT signature: invalid HMAC signature",
    ),
    (
        "other letters",
        |it| it.header = r#"{"alg":"hs256"}"#.to_owned(),
        "signature names algorithm `hs256`, the key is for `HS256`",
    ),
    (
        "other algorithm",
        |it| it.header = r#"{"alg":"RS256"}"#.to_owned(),
        "signature names algorithm `RS256`, the key is for `HS256`",
    ),
    (
        "no algorithm",
        |it| it.header = "{}".to_owned(),
        "signature names no algorithm, the key is for `HS256`",
    ),
    (
        "algorithm of another type",
        |it| it.header = r#"{"alg":["HS256"]}"#.to_owned(),
        "signature names no algorithm, the key is for `HS256`",
    ),
    (
        "the last of two",
        |it| it.header = r#"{"alg":"HS256","alg":"none"}"#.to_owned(),
        "signature names algorithm `none`, the key is for `HS256`",
    ),
    (
        "critical parameters",
        |it| it.header = r#"{"alg":"HS256","crit":["x"]}"#.to_owned(),
        "signature header has critical parameters, which are not supported",
    ),
    (
        "unencoded payload",
        |it| it.header = r#"{"alg":"HS256","b64":false}"#.to_owned(),
        "signature header has critical parameters, which are not supported",
    ),
    ("header of another type", |it| it.header = "[]".to_owned(), "signature header is no object"),
    ("cut header", |it| it.header = "{".to_owned(), "cannot parse JSON: unexpected EOF"),
    (
        "public key taken for a secret",
        |it| {
            "rsa".clone_into(&mut it.verification.key_id);
            RSA_PUBLIC.clone_into(&mut it.secret);
        },
        "failed to verify JWT signature: crypto/rsa: verification error",
    ),
    (
        "public key taken for a secret, named by the token",
        |it| {
            it.verification.key_id.clear();
            it.header = r#"{"alg":"HS256","kid":"rsa"}"#.to_owned();
            RSA_PUBLIC.clone_into(&mut it.secret);
        },
        "failed to verify JWT signature: crypto/rsa: verification error",
    ),
    (
        "other secret",
        |it| "other".clone_into(&mut it.secret),
        "failed to verify JWT signature: invalid HMAC signature",
    ),
    ("empty secret", |it| it.secret.clear(), "failed to verify JWT signature: invalid HMAC signature"),
    (
        "key for another length",
        |it| key_of(it, "secret", "HS512"),
        "failed to verify JWT signature: invalid HMAC signature",
    ),
    ("key for none", |it| key_of(it, "secret", "none"), "unknown signature algorithm: none"),
    (
        "key for an algorithm in other letters",
        |it| key_of(it, "secret", "hs256"),
        "unknown signature algorithm: hs256",
    ),
    (
        "secret where a key in PEM must be",
        |it| key_of(it, "secret", "RS256"),
        "failed to parse PEM block containing the key",
    ),
    (
        "RSA key for a curve",
        |it| key_of(it, RSA_PUBLIC, "ES256"),
        "failed to verify JWT signature: invalid ECDSA signature",
    ),
    ("no key named", |it| it.verification.key_id.clear(), "verification key ID is empty"),
    (
        "unknown key named by the header",
        |it| {
            it.verification.key_id.clear();
            it.header = r#"{"alg":"HS256","kid":"x"}"#.to_owned();
        },
        "verification key corresponding to ID x not found",
    ),
    (
        "identifier of another type",
        |it| {
            it.verification.key_id.clear();
            it.header = r#"{"alg":"HS256","kid":7}"#.to_owned();
        },
        "failed to extract key ID from headers: value doesn't contain string; it contains number",
    ),
];

fn key_of(case: &mut Case, text: &str, algorithm: &str) {
    let key = VerificationKey { key: text.to_owned(), algorithm: algorithm.to_owned(), scope: String::new() };
    case.verification.keys.insert("default".to_owned(), key);
}

#[test]
fn files_must_be_those_that_were_signed() {
    check(FILES);
}

const FILES: &[Row] = &[
    (
        "changed data",
        |it| it.member("/a/data.json", r#"{"x":2}"#),
        "a/data.json: digest mismatch (want: 5041bf1f713df204784353e82f6a4a535931cb64f1f4b4a5aeaffcb720918b22, got: 5e2b030a4a0f1582d78c0fd9924511cd6b1f2df9879e574f5ea1406c94052418)",
    ),
    (
        "changed module",
        |it| it.member("/p/x.rego", "package p\nt := data.a.x\n\n"),
        "p/x.rego: digest mismatch (want: ef4cde66e31f4c8c417d1cdbd34a9e61eec8d0ce9351487bfaad763ff27c22eb, got: 5fccdb1b34775c77e2b19ee099330b5a3081f62dcc2ff83a1ee57c908321ef45)",
    ),
    ("broken data", |it| it.member("/a/data.json", "{"), "no YAML here"),
    (
        "one more module",
        |it| it.member("/p/y.rego", "package p"),
        "file p/y.rego not included in bundle signature",
    ),
    (
        "one more file that is not read",
        |it| it.member("/readme.txt", "x"),
        "file readme.txt not included in bundle signature",
    ),
    (
        "file that looks like signatures",
        |it| it.member("/foosignatures.json", "{}"),
        "file foosignatures.json not included in bundle signature",
    ),
    (
        "member twice",
        |it| it.members.push(("/a/data.json", r#"{"x":1}"#.to_owned())),
        "file a/data.json not included in bundle signature",
    ),
    (
        "delta bundle",
        |it| it.member("/patch.json", r#"{"data":[{"op":"remove","path":"/a"}]}"#),
        "delta bundles do not support signature verification",
    ),
    (
        "missing module",
        |it| {
            it.members.pop();
        },
        "file(s) [p/x.rego] specified in bundle signatures but not found in the target bundle",
    ),
    (
        "missing files",
        |it| {
            it.members.clear();
        },
        "file(s) [.manifest a/data.json p/x.rego] specified in bundle signatures but not found in the target bundle",
    ),
    ("no files", |it| it.payload = Some("{}".to_owned()), "file .manifest not included in bundle signature"),
    (
        "files are null",
        |it| it.payload = Some(r#"{"files":null}"#.to_owned()),
        "file .manifest not included in bundle signature",
    ),
    (
        "files are no list",
        |it| it.payload = Some(r#"{"files":{}}"#.to_owned()),
        "json: cannot unmarshal object into Go struct field DecodedSignature.files of type []bundle.FileInfo",
    ),
    (
        "file is a text",
        |it| it.files[0] = r#""a""#.to_owned(),
        "json: cannot unmarshal string into Go struct field DecodedSignature.files of type bundle.FileInfo",
    ),
    (
        "name is a number",
        |it| it.files[0] = r#"{"name":7}"#.to_owned(),
        "json: cannot unmarshal number into Go struct field FileInfo.files.name of type string",
    ),
    // OPA says that `.manifest` is not included.
    ("file is null", |it| it.files[0] = "null".to_owned(), "signature names a file without a name"),
    ("no name", |it| it.files[0] = r#"{"hash":"00"}"#.to_owned(), "signature names a file without a name"),
    (
        "slash before the name",
        |it| it.files[0] = file("/.manifest", MANIFEST_HASH, "SHA-256"),
        "file .manifest not included in bundle signature",
    ),
    (
        "dot before the name",
        |it| it.files[0] = file("./.manifest", MANIFEST_HASH, "SHA-256"),
        "file .manifest not included in bundle signature",
    ),
    // OPA takes the last of two.
    (
        "file named twice",
        |it| it.files.push(file("a/data.json", DATA_HASH, "SHA-256")),
        "signature names file a/data.json more than once",
    ),
    (
        "file named twice, wrong first",
        |it| it.files.insert(0, file("a/data.json", "00", "SHA-256")),
        "signature names file a/data.json more than once",
    ),
    (
        "no digest",
        |it| it.files[0] = r#"{"name":".manifest","algorithm":"SHA-256"}"#.to_owned(),
        ".manifest: digest mismatch (want: , got: a5b4846fef8dc9fe6af946108272f83660b1517cde8c4834e2ae94dca3786b30)",
    ),
    (
        "short digest",
        |it| it.files[0] = file(".manifest", &"a5".repeat(31), "SHA-256"),
        ".manifest: digest mismatch (want: a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5a5, got: a5b4846fef8dc9fe6af946108272f83660b1517cde8c4834e2ae94dca3786b30)",
    ),
    (
        "odd digest",
        |it| it.files[0] = file(".manifest", &"a".repeat(63), "SHA-256"),
        "encoding/hex: odd length hex string",
    ),
    (
        "digest that is none",
        |it| it.files[0] = file(".manifest", "zz", "SHA-256"),
        "encoding/hex: invalid byte: U+007A 'z'",
    ),
    (
        "no function",
        |it| it.files[0] = file(".manifest", MANIFEST_HASH, ""),
        "no hashing algorithm provided for file .manifest",
    ),
    (
        "function in other letters",
        |it| it.files[0] = file(".manifest", MANIFEST_HASH, "sha-256"),
        "unsupported hashing algorithm: sha-256",
    ),
    (
        "function without its dash",
        |it| it.files[0] = file(".manifest", MANIFEST_HASH, "SHA256"),
        "unsupported hashing algorithm: SHA256",
    ),
    (
        "function with a slash",
        |it| it.files[0] = file(".manifest", MANIFEST_HASH, "SHA-512/256"),
        "unsupported hashing algorithm: SHA-512/256",
    ),
    (
        "function that is none",
        |it| it.files[0] = file(".manifest", MANIFEST_HASH, "CRC32"),
        "unsupported hashing algorithm: CRC32",
    ),
    (
        "digest of another function",
        |it| it.files[0] = file(".manifest", MANIFEST_HASH, "SHA-512-256"),
        ".manifest: digest mismatch (want: a5b4846fef8dc9fe6af946108272f83660b1517cde8c4834e2ae94dca3786b30, got: bc5af25967e545dab9089385dd602c1a81f33ebbfb0555a84e77573a07e331f6)",
    ),
    ("scope nobody asked for", |it| it.claims = r#","scope":"write""#.to_owned(), "scope mismatch"),
    ("no scope", |it| "write".clone_into(&mut it.verification.scope), "scope mismatch"),
    (
        "scope in other letters",
        |it| {
            it.claims = r#","scope":"Write""#.to_owned();
            "write".clone_into(&mut it.verification.scope);
        },
        "scope mismatch",
    ),
    (
        "pattern does not take slashes",
        |it| {
            it.member("/d/readme.txt", "x");
            it.verification.exclude = vec!["*.txt".to_owned()];
        },
        "file d/readme.txt not included in bundle signature",
    ),
    (
        "pattern that is none",
        |it| {
            it.member("/readme.txt", "x");
            it.verification.exclude = vec!["[".to_owned()];
        },
        "file readme.txt not included in bundle signature",
    ),
];

#[test]
fn signatures_stand_once() {
    let case = Case::good();
    assert_eq!(
        case.read(&case.members).expect_err("unsigned").to_string(),
        "bundle missing .signatures.json file"
    );
    let mut members = case.signed();
    members.push(("/a/.signatures.json", "{}".to_owned()));
    assert_eq!(
        case.read(&members).expect_err("twice").to_string(),
        r#"bundle contains multiple signatures files: "/.signatures.json" and "/a/.signatures.json""#
    );
}

#[test]
fn without_a_key_signed_bundles_are_refused() {
    let case = Case::good();
    let read = |members: &[(&str, String)], trust| read_archive(archive(members).as_slice(), options(trust));
    let error = read(&case.signed(), Trust::Unsigned).expect_err("signed");
    assert_eq!(error.to_string(), "verification key not provided");
    assert!(read(&case.members, Trust::Unsigned).is_ok());
    assert!(read(&case.signed(), Trust::Unchecked).is_ok());
}

#[test]
fn optional_signatures_count_if_they_are_there() {
    let mut case = Case::good();
    case.verification.optional = true;
    assert_eq!(case.read(&case.members).expect("unsigned").modules.len(), 1);
    assert!(case.read(&case.signed()).is_ok());
    case.member("/p/x.rego", "package p");
    assert!(case.read(&case.signed()).is_err());
}

/// Whoever signs with a private key is verified with the public one in any of its forms, and with no other.
#[test]
fn keys_are_read_in_every_form() {
    const RSA: &str = include_str!("keys/rsa.key");
    const P256: &str = include_str!("keys/p256.key");
    let rsa = [RSA_PUBLIC, include_str!("keys/rsa-pkcs1.pub"), include_str!("keys/rsa.crt"), RSA];
    let p256 = [include_str!("keys/p256.pub"), P256];
    for algorithm in ["RS256", "RS384", "RS512", "PS256", "PS384", "PS512"] {
        rsa.iter().for_each(|public| check_pair(algorithm, RSA, public));
    }
    for algorithm in ["ES256", "ES384", "ES512"] {
        p256.iter().for_each(|public| check_pair(algorithm, P256, public));
    }
    for algorithm in ["HS256", "HS384", "HS512"] {
        check_pair(algorithm, "a secret", "a secret");
    }
    let signing = |key: &str, algorithm: &str| Signing {
        key: key.to_owned(),
        algorithm: algorithm.to_owned(),
        ..Signing::default()
    };
    let fault = |key: &str, algorithm: &str| {
        sign(&[], &signing(key, algorithm)).expect_err("no signature").to_string()
    };
    assert_eq!(fault(P256, "RS256"), "failed to sign payload with RS256: key of another kind");
    assert_eq!(fault(RSA_PUBLIC, "RS256"), "unsupported key type: PUBLIC KEY");
    assert_eq!(fault("secret", "ES256"), "failed to parse PEM block containing the key");
    assert_eq!(fault("secret", "none"), "unknown signature algorithm: none");
}

fn check_pair(algorithm: &str, private: &str, public: &str) {
    let mut case = Case::good();
    let mut digests = Digests::new("", Limits::default(), options(Trust::Unchecked).yaml);
    for (path, text) in &case.members {
        digests.add(path, &mut text.as_bytes()).expect("a digest");
    }
    let (key, algorithm) = (private.to_owned(), algorithm.to_owned());
    let signing = Signing { key, algorithm: algorithm.clone(), ..Signing::default() };
    let token = sign(&digests.into_files(), &signing).expect("signed");
    let text = String::from_utf8(signatures_file(&token, "_default")).expect("text");
    let mut members = case.members.clone();
    members.push(("/.signatures.json", text));
    key_of(&mut case, public, &algorithm);
    assert!(case.read(&members).is_ok(), "{algorithm} with {public}");
    for other in ["RS256", "PS256", "ES256", "HS256"] {
        if other != algorithm {
            key_of(&mut case, public, other);
            assert!(case.read(&members).is_err(), "{algorithm} read as {other}");
        }
    }
}

/// In a folder, names start with the folder's path; what is held must be read as if it had come by itself.
#[test]
fn folders_are_named_by_their_path() {
    let mut case = Case::good();
    case.files = vec![
        file("some/dir/.manifest", MANIFEST_HASH, "SHA-256"),
        file("some/dir/a/data.json", DATA_HASH, "SHA-256"),
        file("some/dir/p/x.rego", MODULE_HASH, "SHA-256"),
    ];
    for folder in ["some/dir", "/some/dir/"] {
        let trust = Trust::Signed(Arc::new(case.verification.clone()));
        let mut reader = BundleReader::new(Options { folder: folder.to_owned(), ..options(trust) });
        for (path, text) in case.signed() {
            reader.add(path, &mut text.as_bytes()).expect("taken");
        }
        let bundle = reader.finish().expect("a bundle");
        assert_eq!(bundle.manifest.roots.to_string(), "[a p]");
        assert_eq!((bundle.data.len(), bundle.modules.len()), (1, 1));
    }
}

/// Every cut of a signed archive is refused, and every changed byte of a member.
#[test]
fn changed_bytes_are_seen() {
    let case = Case::good();
    let members = case.signed();
    let whole = archive(&members);
    let trust = Trust::Signed(Arc::new(case.verification.clone()));
    for length in 0..whole.len() {
        assert!(read_archive(&whole[..length], options(trust.clone())).is_err(), "cut at {length}");
    }
    for member in [2, 3] {
        for at in 0..members[member].1.len() {
            let mut changed = members.clone();
            let mut bytes = changed[member].1.clone().into_bytes();
            bytes[at] ^= 1;
            let Ok(text) = String::from_utf8(bytes) else { continue };
            changed[member].1 = text;
            let read = case.read(&changed);
            // The last character of base64 has bits that say nothing, and fields are found in any case.
            let says_the_same =
                member == 3 && read.as_ref().is_ok_and(|it| it.modules[0].bytes == members[2].1.as_bytes());
            assert!(read.is_err() || says_the_same, "byte {at} of member {member}");
        }
    }
}
