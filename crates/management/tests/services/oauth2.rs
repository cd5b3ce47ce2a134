//! `oauth2` in its four forms, against an authorization server over TLS.
//!
//! The server is in this process: it records the forms that it gets and answers tokens that count up. Signatures are
//! verified here with the public half of the key.

use std::fs;

use lictor_crypto::base64::{Alphabet, Fill, decode, encode};
use lictor_crypto::parse_pkcs8;
use lictor_crypto::pem::next_block;
use lictor_crypto::signature::{Algorithm, AnyKey};
use tokio::task::JoinSet;

use crate::server::{Asks, Request, Server, answer, ok};
use crate::{NOW_NS, Setting, certificate, client, fault, get, run};

/// Starts an authorization server whose tokens hold for a minute.
fn authorization_server() -> Server {
    let count = std::sync::atomic::AtomicUsize::new(0);
    Server::secured(Asks::Nothing, move |_| {
        let number = count.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        ok(&format!(r#"{{"access_token": " token{number} ", "token_type": "bearer", "expires_in": 60}}"#))
    })
}

/// Returns the configuration of a service with an authorization server.
fn service(url: &str, token_url: &str, fields: &str) -> String {
    let key = fs::read_to_string(certificate("client.key")).expect("a key").replace('\n', "\\n");
    format!(
        "keys: {{k: {{private_key: \"{key}\", algorithm: ES256}}, h: {{private_key: sesame, algorithm: HS256}}}}\n\
         services: {{s: {{url: '{url}', tls: {{ca_cert: '{}'}}, \
         credentials: {{oauth2: {{token_url: '{token_url}/token', {fields}}}}}}}}}",
        certificate("authority.pem").display()
    )
}

fn form(request: &Request) -> Vec<(&str, &str)> {
    request.body.split('&').filter_map(|it| it.split_once('=')).collect()
}

/// Returns the header and the claims of a token whose signature holds.
fn verified(token: &str) -> (String, String) {
    let text = fs::read(certificate("client.key")).expect("a key");
    let key = parse_pkcs8(&next_block(&text).expect("PEM").0.bytes).expect("a key").public();
    let (signed, signature) = token.rsplit_once('.').expect("a token");
    let raw = |it: &str| decode(it.as_bytes(), Alphabet::Url, Fill::Raw).expect("base64");
    let holds = Algorithm::named("ES256").expect("ES256");
    assert!(holds.verify(&AnyKey::Public(key), signed.as_bytes(), &raw(signature)));
    let (header, claims) = signed.split_once('.').expect("a token");
    let text = |it: &str| String::from_utf8(raw(it)).expect("text");
    (text(header), text(claims))
}

#[test]
fn tokens_for_secrets_are_kept_until_they_expire() {
    let (tokens, server) = (authorization_server(), Server::start(|_| ok("yes")));
    let fields = "client_id: me, client_secret: sesame, scopes: [a, b], additional_headers: {X-H: h}, \
                  additional_parameters: {resource: 'r s'}";
    let setting = Setting::new();
    let client = setting.client(&service(&server.url, &tokens.url, fields));
    run(async {
        let mut calls = JoinSet::new();
        for _ in 0..8 {
            let client = client.clone();
            calls.spawn(async move { get(&client, "x").await });
        }
        assert!(calls.join_all().await.iter().all(Result::is_ok));
        setting.advance(50);
        get(&client, "x").await.expect("the token has ten seconds left");
        setting.advance(1);
        get(&client, "x").await.expect("another token");
    });
    let used: Vec<String> =
        server.requests().iter().map(|it| it.header("Authorization").to_owned()).collect();
    assert_eq!(used, [vec!["Bearer token0"; 9], vec!["Bearer token1"]].concat());
    let asked = tokens.requests();
    assert_eq!(asked.len(), 2);
    let first = asked.first().expect("a request");
    assert_eq!((first.method.as_str(), first.target.as_str()), ("POST", "/token"));
    assert_eq!(first.body, "grant_type=client_credentials&resource=r+s&scope=a+b");
    let headers = ["Authorization", "X-H", "Content-Type"].map(|it| first.header(it));
    assert_eq!(headers, ["Basic bWU6c2VzYW1l", "h", "application/x-www-form-urlencoded"]);
}

#[test]
fn clients_sign_who_they_are() {
    let (tokens, server) = (authorization_server(), Server::start(|_| ok("yes")));
    let claims = "signing_key: k, thumbprint: 0a0b, include_jti_claim: true, scopes: [a], \
                  additional_claims: {sub: me, exp: 7, nested: {x: [1]}}";
    run(async {
        for grant in ["client_id: me", "grant_type: jwt_bearer"] {
            let client =
                Setting::new().client(&service(&server.url, &tokens.url, &format!("{grant}, {claims}")));
            get(&client, "x").await.expect("an answer");
        }
    });
    let asked = tokens.requests();
    let (own, grant) = (form(&asked[0]), form(&asked[1]));
    let jwt =
        |form: &[(&str, &str)], name: &str| verified(form.iter().find(|it| it.0 == name).expect("a token").1);
    let (header, claims) = jwt(&own, "client_assertion");
    assert_eq!(header, r#"{"alg":"ES256","typ":"JWT","x5t":"Cgs="}"#);
    let iat = NOW_NS / 1_000_000_000;
    let jti = "07070707-0707-4707-8707-070707070707";
    let wanted =
        format!(r#"{{"exp":7,"iat":{iat},"jti":"{jti}","nested":{{"x":[1]}},"scope":"a","sub":"me"}}"#);
    assert_eq!(claims, wanted);
    assert_eq!(jwt(&grant, "assertion"), (header, wanted));
    let names = |form: &[(&str, &str)]| form.iter().map(|it| it.0.to_owned()).collect::<Vec<_>>();
    let own_names = ["client_assertion", "client_assertion_type", "client_id", "grant_type", "scope"];
    assert_eq!(names(&own), own_names);
    assert_eq!(own[1].1, "urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer");
    assert_eq!(names(&grant), ["assertion", "grant_type", "scope"]);
    assert_eq!(grant[1].1, "urn%3Aietf%3Aparams%3Aoauth%3Agrant-type%3Ajwt-bearer");
}

#[test]
fn assertions_of_others_are_passed_on() {
    let (tokens, server) = (authorization_server(), Server::start(|_| ok("yes")));
    let path = std::env::temp_dir().join(format!("lictor-assertion-{}", std::process::id()));
    fs::write(&path, " from-file\n").expect("a file");
    run(async {
        for assertion in [
            "client_assertion: given, client_assertion_type: t".to_owned(),
            format!("client_assertion_path: '{}'", path.display()),
        ] {
            let fields = format!("client_id: me, {assertion}");
            let client = Setting::new().client(&service(&server.url, &tokens.url, &fields));
            get(&client, "x").await.expect("an answer");
        }
    });
    fs::remove_file(&path).expect("the file");
    let bodies: Vec<String> = tokens.requests().into_iter().map(|it| it.body).collect();
    assert_eq!(
        bodies[0],
        "client_assertion=given&client_assertion_type=t&client_id=me&grant_type=client_credentials"
    );
    assert!(bodies[1].starts_with("client_assertion=from-file&client_assertion_type=urn"), "{}", bodies[1]);
}

#[test]
fn what_an_endpoint_refuses_is_told_without_secrets() {
    let tokens = Server::secured(Asks::Nothing, |request| match request.header("X-Case") {
        "refuse" => answer("401 Unauthorized", "", b"no: sesame opens nothing"),
        "kind" => ok(r#"{"access_token": "sesame", "token_type": "mac"}"#),
        "type" => ok(r#"{"access_token": "sesame", "token_type": "bearer", "expires_in": "60"}"#),
        "empty" => ok(r#"{"token_type": "bearer"}"#),
        "redirect" => answer("307 Temporary Redirect", "Location: /elsewhere\r\n", b""),
        _ => ok("sesame"),
    });
    run(async {
        for (case, wanted) in [
            ("refuse", "error in response from OAuth2 token endpoint: no: *** opens nothing"),
            ("kind", "unknown token type returned from token endpoint"),
            (
                "type",
                "json: cannot unmarshal string into Go struct field tokenEndpointResponse.expires_in of type int64",
            ),
            ("empty", "empty token returned from token endpoint"),
            ("redirect", "error in response from OAuth2 token endpoint: "),
            ("text", "the answer is no valid JSON"),
        ] {
            let fields =
                format!("client_id: me, client_secret: sesame, additional_headers: {{X-Case: {case}}}");
            let client = Setting::new().client(&service("http://127.0.0.1:1", &tokens.url, &fields));
            assert_eq!(fault(&client).await, wanted);
            assert!(!format!("{client:?}").contains("sesame"));
        }
    });
    assert!(tokens.requests().iter().all(|it| it.target == "/token"));
}

#[test]
fn configurations_that_cannot_work_are_told() {
    let kinds =
        "client_secret, signing_key, aws_kms, azure_keyvault, client_assertion, or client_assertion_path";
    for (fields, wanted) in [
        ("grant_type: x", "grant_type must be either client_credentials or jwt_bearer"),
        ("grant_type: jwt_bearer", "signing_key required for jwt_bearer grant type"),
        ("signing_key: none", "signing_key refers to non-existent key"),
        ("signing_key: public", "referenced signing_key does not include a private key"),
        ("signing_key: bad", "failed to decode PEM key"),
        ("token_url: 'http://h', client_id: a, client_secret: b", "token_url required to use https scheme"),
        ("", &format!("please provide one of {kinds} required")),
        ("azure_keyvault: {key: a}", "azure_keyvault is not supported by this version of lictor"),
        ("client_secret: a, client_assertion: b", &format!("can only use one of {kinds}")),
        ("client_secret: sesame", "client_id and client_secret required"),
        ("client_assertion: sesame", "client_id and client_assertion required"),
        ("client_assertion_path: a", "client_id and client_assertion_path required"),
    ] {
        let text = format!(
            "keys: {{public: {{key: a}}, bad: {{private_key: sesame}}}}\n\
             services: {{s: {{url: 'http://h', credentials: {{oauth2: {{{}{fields}}}}}}}}}",
            if fields.contains("token_url") { "" } else { "token_url: 'https://h', " }
        );
        let client = Setting::new().client(&text);
        assert_eq!(run(async { fault(&client).await }), wanted, "{fields}");
    }
    let plain = client(
        "http://h",
        "credentials: {oauth2: {token_url: 'https://127.0.0.1:1', client_id: a, client_secret: b}}",
    );
    let wanted = "Post \"https://127.0.0.1:1\": dial tcp 127.0.0.1:1: connect: connection refused";
    assert_eq!(run(async { fault(&plain).await }), wanted);
}

/// Signs as Amazon's key service does: the digest that it gets, with the key of these tests, in DER.
fn key_service(request: &Request) -> Vec<u8> {
    let wanted = ["TrentService.Sign", "application/x-amz-json-1.1"];
    if [request.header("X-Amz-Target"), request.header("Content-Type")] != wanted {
        return answer("400 Bad Request", "", b"");
    }
    let body = lictor::json::read_document(request.body.as_bytes()).expect("JSON");
    let text = |name: &str| {
        body.root().as_object().and_then(|it| it.get_str(name)).and_then(|it| it.as_str().map(str::to_owned))
    };
    assert_eq!(text("KeyId").as_deref(), Some("arn:\"key\""));
    assert_eq!(text("MessageType").as_deref(), Some("DIGEST"));
    assert_eq!(text("SigningAlgorithm").as_deref(), Some("ECDSA_SHA_256"));
    let digest = decode(text("Message").expect("a digest").as_bytes(), Alphabet::Standard, Fill::Padded);
    assert_eq!(digest.expect("base64").len(), 32);
    // The numbers 1 and 2^255, whose first byte needs a zero before it.
    let second = [&[0x02, 33, 0, 0x80][..], &[0; 31]].concat();
    let der = [&[0x30, 38, 0x02, 1, 1], second.as_slice()].concat();
    let signature = encode(&der, Alphabet::Standard, Fill::Padded);
    ok(&format!(r#"{{"KeyId": "k", "Signature": "{signature}", "SigningAlgorithm": "ECDSA_SHA_256"}}"#))
}

#[test]
fn amazon_s_key_service_signs() {
    let (tokens, server) = (authorization_server(), Server::start(|_| ok("yes")));
    let kms = Server::start(key_service);
    let setting = Setting::new();
    for (name, value) in [
        ("AWS_ACCESS_KEY_ID", "id"),
        ("AWS_SECRET_ACCESS_KEY", "sesame"),
        ("AWS_REGION", "eu-x"),
        ("AWS_ENDPOINT_URL_KMS", kms.url.as_str()),
    ] {
        setting.set(name, value);
    }
    let with = |more: &str| {
        let key = "aws_kms: {name: 'arn:\"key\"', algorithm: ECDSA_SHA_256}";
        setting.client(&service(&server.url, &tokens.url, &format!("{key}{more}")))
    };
    let signing = ", aws_signing: {service: kms, environment_credentials: {}}";
    run(async {
        get(&with(signing), "x").await.expect("an answer");
        assert_eq!(fault(&with("")).await, "aws_kms and aws_signing required");
        let wrong = with(", aws_signing: {environment_credentials: {}}");
        assert_eq!(fault(&wrong).await, "cannot use SignDigest with aws service \"s3\"");
        setting.set("AWS_ENDPOINT_URL_KMS", &server.url);
        let text = fault(&with(signing)).await;
        assert!(text.starts_with("kms: failed to sign digest: "), "{text}");
        let odd =
            "aws_kms: {name: k, algorithm: RSA}, aws_signing: {service: kms, environment_credentials: {}}";
        let odd = setting.client(&service(&server.url, &tokens.url, odd));
        assert_eq!(fault(&odd).await, "unsupported sign algorithm RSA");
    });
    assert!(kms.request().header("Authorization").contains("Credential=id/20150830/eu-x/kms/aws4_request"));
    let request = tokens.request();
    let assertion =
        form(&request).iter().find(|it| it.0 == "client_assertion").expect("an assertion").1.to_owned();
    let signature = assertion.rsplit_once('.').expect("a token").1;
    let signature = decode(signature.as_bytes(), Alphabet::Url, Fill::Raw).expect("base64");
    assert_eq!((signature.len(), signature[31], signature[32]), (64, 1, 0x80));
}
