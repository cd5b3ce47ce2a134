//! Operands of built-ins for tokens, certificates and signed requests.
//!
//! The keys are made for tests alone and stand in `differential/keys`; a policy that uses one finds it below
//! `data.keys`, so that its text stays short.

use super::literals::{Home, quote};
use super::operands::raw;
use super::{Generator, texts};
use crate::differential::kinds::{Ty, WORD};
use crate::differential::tree::{Node, Role};

/// The names of keys below `data.keys`, with their texts; those that end in `jwk` are JSON.
const KEYS: &[(&str, &str)] = &[
    ("rsa_jwk", include_str!("../keys/rsa.jwk")),
    ("rsa_pem", include_str!("../keys/rsa.pem")),
    ("rsa_key", include_str!("../keys/rsa.key")),
    ("rsa1_key", include_str!("../keys/rsa1.key")),
    ("p256_jwk", include_str!("../keys/p256.jwk")),
    ("p256_pem", include_str!("../keys/p256.pem")),
    ("p256_key", include_str!("../keys/p256.key")),
    ("p384_jwk", include_str!("../keys/p384.jwk")),
    ("p384_pem", include_str!("../keys/p384.pem")),
    ("p521_jwk", include_str!("../keys/p521.jwk")),
    ("p521_pem", include_str!("../keys/p521.pem")),
    ("ed_jwk", include_str!("../keys/ed.jwk")),
    ("ed_pem", include_str!("../keys/ed.pem")),
    ("root_crt", include_str!("../keys/root.crt")),
    ("leaf_crt", include_str!("../keys/leaf.crt")),
    ("leaf_csr", include_str!("../keys/leaf.csr")),
    ("hs_jwk", "{\"kty\": \"oct\", \"k\": \"c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0\"}"),
    ("hs_secret", "secret-secret-secret-secret"),
];

const ALGORITHMS: &[&str] = &[
    "HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "PS256", "PS384", "PS512", "ES256", "ES384",
    "ES512", "EdDSA",
];

const SCHEMAS: &[&str] = &[
    "{}",
    "{\"type\": \"object\"}",
    "{\"type\": \"object\", \"required\": [\"a\"]}",
    "{\"type\": \"object\", \"properties\": {\"a\": {\"type\": \"integer\", \"minimum\": 2}}, \"additionalProperties\": false}",
    "{\"properties\": {\"a\": {\"enum\": [1, \"x\"]}, \"b\": {\"minLength\": 2, \"pattern\": \"^[a-c]+$\"}}}",
    "{\"anyOf\": [{\"required\": [\"a\"]}, {\"required\": [\"b\"]}]}",
    "{\"oneOf\": [{\"type\": \"object\"}, {\"maxProperties\": 1}]}",
    "{\"not\": {\"required\": [\"x\"]}}",
    "{\"properties\": {\"a\": {\"type\": \"array\", \"items\": {\"type\": \"string\"}, \"uniqueItems\": true, \"maxItems\": 2}}}",
    "{\"definitions\": {\"n\": {\"type\": \"number\", \"multipleOf\": 2}}, \"properties\": {\"a\": {\"$ref\": \"#/definitions/n\"}}}",
    "{\"if\": {\"required\": [\"a\"]}, \"then\": {\"required\": [\"b\"]}, \"else\": {\"maxProperties\": 0}}",
    "{\"type\": \"wrong\"}",
    "{\"properties\": 1}",
    "{\"minimum\": \"a\"}",
];

const SDL: &[&str] = &[
    "type Query { a(x: Int!): String b: [B!] } type B { c: ID d: E } enum E { X Y }",
    "type Query { a: String } interface I { n: Int } type T implements I { n: Int }",
    "schema { query: Q } type Q { u: U } union U = A | B type A { x: Int } type B { y: Float }",
    "type Query { a(i: In): Boolean } input In { k: String = \"v\", l: [Int] } scalar Date directive @d on FIELD",
    "type Query { a: Missing }",
    "type Query {",
    "",
];

const GRAPHQL: &[&str] = &[
    "{ a(x: 1) }",
    "query Q($v: Int!) { a(x: $v) b { c d } }",
    "{ b { ...F } } fragment F on B { c }",
    "{ a }",
    "{ nope }",
    "query { a(x: \"s\") @include(if: true) }",
    "{ u { ... on A { x } ... on B { y } } }",
    "mutation { a }",
    "{ a(i: {k: \"w\", l: [1, 2]}) }",
    "{",
    "",
];

const MODULES: &[&str] = &[
    "package a\np := 1",
    "package a.b\nimport data.x as y\np contains v if some v in y",
    "package a\n# METADATA\n# title: t\ndefault f(_) := 2\nf(x) := x + 1 if { not x == 3 } else := 4",
    "package a\np if every k, v in input.o { k == v }",
    "package a\np[x].y := $\"a{x}\" if x := input[_] with data.q as {1, 2}",
    "package",
    "p := 1",
];

impl Generator {
    /// Returns the members of the data that policies of these texts refer to.
    pub(super) fn keys_of(source: &str) -> Vec<Node> {
        let used = KEYS.iter().filter(|it| source.contains(&format!("data.keys.{}", it.0)));
        used.map(|(name, text)| {
            let value = if name.ends_with("jwk") { (*text).trim().to_owned() } else { quote(text) };
            Node::plain("").text(format!("\"{name}\": ")).one(Node::new("", Role::Json).text(value))
        })
        .collect()
    }

    /// Returns the operands of a built-in of these families; none of another.
    pub(super) fn secret_operands(&mut self, name: &str) -> Option<Vec<Node>> {
        if let Some(algorithm) = name.strip_prefix("io.jwt.verify_") {
            return Some(self.verified(algorithm));
        }
        let key = |text: &str| raw(format!("data.keys.{text}"));
        Some(match name {
            "io.jwt.decode" => vec![self.token()],
            "io.jwt.decode_verify" => vec![self.token(), self.constraints()],
            "io.jwt.encode_sign" => self.signed("HS256"),
            "io.jwt.encode_sign_raw" => {
                let head = self.random.choose(&[
                    "{\"alg\":\"HS256\"}",
                    "{\"alg\":\"HS512\",\"typ\":\"JWT\"}",
                    "{\"alg\":1}",
                    "x",
                ]);
                let body = self.random.choose(&["{\"a\": 1}", "{}", "plain", "{\"exp\": 1}"]);
                vec![
                    self.string(head, Home::Rego),
                    self.string(body, Home::Rego),
                    raw("json.marshal(data.keys.hs_jwk)"),
                ]
            }
            "crypto.x509.parse_certificates" => {
                vec![key(self.random.choose(&["root_crt", "leaf_crt", "leaf_crt", "rsa_pem"]))]
            }
            "crypto.x509.parse_certificate_request" => {
                vec![key(self.random.choose(&["leaf_csr", "leaf_csr", "leaf_crt"]))]
            }
            "crypto.x509.parse_keypair" => {
                let (cert, private) = *self.random.pick(&[
                    ("leaf_crt", "p256_key"),
                    ("root_crt", "rsa_key"),
                    ("leaf_crt", "rsa_key"),
                ]);
                vec![key(cert), key(private)]
            }
            "crypto.x509.parse_rsa_private_key" => {
                vec![key(self.random.choose(&["rsa_key", "rsa1_key", "p256_key"]))]
            }
            "crypto.parse_private_keys" => {
                vec![key(self.random.choose(&["rsa_key", "p256_key", "rsa1_key", "leaf_crt"]))]
            }
            "crypto.x509.parse_and_verify_certificates" => vec![self.chain()],
            "crypto.x509.parse_and_verify_certificates_with_options" => {
                let options = self.random.choose(&[
                    "{}",
                    "{\"DNSName\": \"leaf.example\"}",
                    "{\"DNSName\": \"other.example\"}",
                    "{\"CurrentTime\": 1000000000}",
                    "{\"KeyUsages\": [\"KeyUsageAny\"]}",
                    "{\"MaxConstraintComparisons\": 5, \"CurrentTime\": 1700000000000000000}",
                ]);
                vec![self.chain(), raw(options)]
            }
            "providers.aws.sign_req" => self.aws_request(),
            "json.match_schema" => vec![self.schema_subject(), self.schema(SCHEMAS)],
            "json.verify_schema" => vec![self.schema(SCHEMAS)],
            "graphql.parse_schema" | "graphql.schema_is_valid" => vec![self.one_of(SDL)],
            "graphql.parse_query" => vec![self.one_of(GRAPHQL)],
            "graphql.is_valid" | "graphql.parse" | "graphql.parse_and_verify" => {
                vec![self.one_of(GRAPHQL), self.one_of(SDL)]
            }
            "rego.parse_module" => vec![raw("\"m.rego\""), self.one_of(MODULES)],
            _ => return None,
        })
    }

    fn schema(&mut self, texts: &[&'static str]) -> Node {
        let text = self.random.choose(texts);
        if self.chance(30) { self.string(text, Home::Rego) } else { raw(text) }
    }

    fn schema_subject(&mut self) -> Node {
        match self.random.below(4) {
            0 => self.term(&Ty::object(WORD, Ty::Any), 1),
            1 => raw(self.random.choose(&[
                "{\"a\": 1}",
                "{\"a\": 3, \"b\": \"abc\"}",
                "{\"b\": \"d\", \"x\": 1}",
                "{}",
            ])),
            2 => raw(self.random.choose(&[
                "{\"a\": [\"x\", \"x\", 1]}",
                "{\"a\": \"x\", \"b\": \"c\"}",
                "{\"a\": 1.5}",
            ])),
            _ => raw(self.random.choose(&["\"{}\"", "\"[1]\"", "\"{\\\"a\\\": null}\"", "\"{\""])),
        }
    }

    fn chain(&mut self) -> Node {
        raw(self.random.choose(&[
            "concat(\"\", [data.keys.root_crt, data.keys.leaf_crt])",
            "concat(\"\", [data.keys.leaf_crt, data.keys.root_crt])",
            "data.keys.leaf_crt",
            "concat(\"\", [data.keys.root_crt, data.keys.root_crt])",
        ]))
    }

    /// Returns the three operands that sign with an algorithm.
    fn signed(&mut self, algorithm: &str) -> Vec<Node> {
        let key = match algorithm.get(..2) {
            Some("HS") => "hs_jwk",
            Some("RS" | "PS") => "rsa_jwk",
            Some("Ed") => "ed_jwk",
            _ => match algorithm {
                "ES256" => "p256_jwk",
                "ES384" => "p384_jwk",
                _ => "p521_jwk",
            },
        };
        let more = self.random.choose(&[
            "",
            ", \"typ\": \"JWT\"",
            ", \"kid\": \"k\"",
            ", \"typ\": \"text/plain\"",
            ", \"cty\": \"x\"",
        ]);
        let claims = self.random.choose(&[
            "\"iss\": \"a\"",
            "\"aud\": \"x\", \"exp\": 9000000000",
            "\"aud\": [\"x\", \"y\"], \"iss\": \"a\"",
            "\"exp\": 1",
            "\"nbf\": 9000000000",
            "\"sub\": \"\u{e9}<\", \"n\": 1.0",
        ]);
        let value = self.leaf(&WORD);
        vec![
            raw(format!("{{\"alg\": \"{algorithm}\"{more}}}")),
            Node::term("").text(format!("{{{claims}, \"v\": ")).one(value).text("}"),
            raw(format!("data.keys.{key}")),
        ]
    }

    /// Returns a token whose text is the same at every signing.
    fn token(&mut self) -> Node {
        if self.chance(15) {
            return self.one_of(&[
                "",
                "a.b",
                "a.b.c",
                "eyJhbGciOiJub25lIn0.e30.",
                "eyJhbGciOiJIUzI1NiJ9.e30.AA",
                "e30.e30.e30",
                "....",
            ]);
        }
        let algorithm = self.random.choose(&["HS256", "HS384", "HS512", "RS256", "RS384", "RS512", "EdDSA"]);
        self.encoded(algorithm)
    }

    fn encoded(&mut self, algorithm: &str) -> Node {
        let operands = self.signed(algorithm);
        Node::term("").text("io.jwt.encode_sign(").many_least(", ", 3, operands).text(")")
    }

    fn verified(&mut self, algorithm: &str) -> Vec<Node> {
        let wanted =
            ALGORITHMS.iter().find(|it| it.eq_ignore_ascii_case(algorithm)).copied().unwrap_or("HS256");
        let algorithm = if self.chance(80) { wanted } else { self.random.choose(ALGORITHMS) };
        let token = if self.chance(90) { self.encoded(algorithm) } else { self.token() };
        let key = match wanted.get(..2) {
            Some("HS") => {
                self.random.choose(&["\"secret-secret-secret-secret\"", "data.keys.hs_secret", "\"other\""])
            }
            Some("RS" | "PS") => self.random.choose(&[
                "data.keys.rsa_pem",
                "json.marshal(data.keys.rsa_jwk)",
                "data.keys.root_crt",
                "data.keys.p256_pem",
            ]),
            Some("Ed") => self.random.choose(&[
                "data.keys.ed_pem",
                "json.marshal({\"keys\": [data.keys.ed_jwk]})",
                "data.keys.rsa_pem",
            ]),
            _ => self.random.choose(match wanted {
                "ES256" => &[
                    "data.keys.p256_pem",
                    "json.marshal(data.keys.p256_jwk)",
                    "data.keys.leaf_crt",
                    "data.keys.p384_pem",
                ],
                "ES384" => &[
                    "data.keys.p384_pem",
                    "json.marshal({\"keys\": [data.keys.rsa_jwk, data.keys.p384_jwk]})",
                ],
                _ => &["data.keys.p521_pem", "json.marshal(data.keys.p521_jwk)", "\"\""],
            }),
        };
        // What signs with `hs_jwk` signs with the secret that `hs_secret` spells.
        vec![token, raw(key)]
    }

    fn constraints(&mut self) -> Node {
        let key = self.random.choose(&[
            "\"secret\": data.keys.hs_secret",
            "\"cert\": data.keys.rsa_pem",
            "\"cert\": json.marshal({\"keys\": [data.keys.rsa_jwk, data.keys.ed_jwk]})",
            "\"cert\": data.keys.ed_pem",
            "\"secret\": \"no\"",
        ]);
        let more = self.random.choose(&[
            "",
            ", \"iss\": \"a\"",
            ", \"aud\": \"x\"",
            ", \"alg\": \"HS256\"",
            ", \"time\": 5",
            ", \"nope\": 1",
        ]);
        raw(format!("{{{key}{more}}}"))
    }

    fn aws_request(&mut self) -> Vec<Node> {
        let method = self.random.choose(&["GET", "POST", "put"]);
        let path = self.random.choose(&["", "/", "/a%20b/c?x=1&y=2", "/\u{e9}?b=2&a=1", "/a/../b", "?q"]);
        let more = match self.random.below(4) {
            0 => ", \"raw_body\": \"text\"".to_owned(),
            1 => format!(
                ", \"body\": {{\"b\": \"<&>\", \"a\": [1, 2.5, \"{}\"]}}",
                self.random.choose(texts::WORDS)
            ),
            2 => ", \"headers\": {\"X-A\": \"v\", \"Content-Type\": \"text/plain\"}".to_owned(),
            _ => String::new(),
        };
        let service = self.random.choose(&["s3", "execute-api", "glacier"]);
        let extra = self.random.choose(&[
            "",
            "",
            ", \"aws_session_token\": \"t\"",
            ", \"disable_payload_signing\": true",
            ", \"nope\": 1",
        ]);
        vec![
            raw(format!("{{\"method\": \"{method}\", \"url\": \"https://h.example.com{path}\"{more}}}")),
            raw(format!(
                "{{\"aws_access_key\": \"AK\", \"aws_secret_access_key\": \"SK\", \"aws_region\": \"eu\", \"aws_service\": \"{service}\"{extra}}}"
            )),
            raw("1700000000123456789"),
        ]
    }
}
