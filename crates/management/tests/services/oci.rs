//! Registries of OCI artifacts: references, manifests, indexes, tokens, and bytes that are not what they claim to be.
//!
//! The registry is in this process and speaks the part of the distribution protocol that pulling needs, with the
//! challenge for tokens of public registries. What a real one does is in `peers`.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use lictor_management::services::{Client, FetchError, FetchErrorKind, Limits};
use sha2::{Digest as _, Sha256};

use crate::server::{Request, Server, answer, ok};
use crate::{Setting, client, run, service};

const IMAGE: &str = "application/vnd.oci.image.manifest.v1+json";
const INDEX: &str = "application/vnd.oci.image.index.v1+json";
const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// What a registry keeps.
#[derive(Clone, Default)]
struct Shelf(Arc<Mutex<Kept>>);

/// By target: the kind and the bytes.
type Kept = BTreeMap<String, (String, Vec<u8>)>;

impl Shelf {
    fn put(&self, target: &str, kind: &str, bytes: &[u8]) {
        self.0
            .lock()
            .expect("no test fails")
            .insert(format!("/v2/org/p/{target}"), (kind.to_owned(), bytes.to_vec()));
    }

    /// Keeps a manifest by its digest and returns its descriptor.
    fn put_manifest(&self, kind: &str, text: &str) -> String {
        self.put(&format!("manifests/{}", digest(text.as_bytes())), kind, text.as_bytes());
        descriptor(kind, text.as_bytes())
    }

    /// Keeps a manifest by a tag and by its digest.
    fn tag(&self, tag: &str, kind: &str, text: &str) {
        self.put_manifest(kind, text);
        self.put(&format!("manifests/{tag}"), kind, text.as_bytes());
    }

    /// Keeps a bundle by a tag.
    fn tag_bundle(&self, tag: &str, bytes: &[u8]) {
        self.put(&format!("blobs/{}", digest(bytes)), "application/octet-stream", bytes);
        self.tag(tag, IMAGE, &image(bytes));
    }

    fn answer(&self, request: &Request) -> Vec<u8> {
        let shelf = self.0.lock().expect("no test fails");
        let Some((kind, bytes)) = shelf.get(&request.target) else { return answer("404 Not Found", "", b"") };
        let headers = format!("Content-Type: {kind}\r\nDocker-Content-Digest: {}\r\n", digest(bytes));
        if request.method == "HEAD" {
            let head = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n{headers}\r\n", bytes.len());
            return head.into_bytes();
        }
        answer("200 OK", &headers, bytes)
    }
}

fn hex(bytes: &[u8]) -> String {
    Sha256::digest(bytes).iter().map(|it| format!("{it:02x}")).collect()
}

fn digest(bytes: &[u8]) -> String {
    format!("sha256:{}", hex(bytes))
}

fn descriptor(kind: &str, bytes: &[u8]) -> String {
    format!(r#"{{"mediaType": "{kind}", "digest": "{}", "size": {}}}"#, digest(bytes), bytes.len())
}

/// Returns the manifest of a bundle, which has another layer before it.
fn image(bytes: &[u8]) -> String {
    let other = descriptor("application/vnd.oci.image.layer.v1.tar", b"");
    format!(r#"{{"schemaVersion": 2, "layers": [{other}, {}]}}"#, descriptor(LAYER, bytes))
}

fn index(entries: &[String]) -> String {
    format!(r#"{{"schemaVersion": 2, "manifests": [{}]}}"#, entries.join(","))
}

fn registry() -> (Shelf, Server) {
    let shelf = Shelf::default();
    let kept = shelf.clone();
    (shelf, Server::start(move |request| kept.answer(request)))
}

async fn pull(client: &Client, reference: &str, known: &str) -> Result<(u16, String, Vec<u8>), FetchError> {
    let limits = Limits { body_bytes_max: 1_000, ..Limits::default() };
    let mut response = client.get(reference, &[("If-None-Match", known)], &limits).await?;
    let body = response.bytes().await?;
    Ok((response.status(), response.header("etag").unwrap_or_default().to_owned(), body))
}

#[test]
fn bundles_are_pulled_by_tag_and_by_digest() {
    let (shelf, server) = registry();
    shelf.tag_bundle("one", b"bundle");
    let client = client(&server.url, "type: oci");
    let manifest = digest(image(b"bundle").as_bytes());
    run(async {
        let wanted = Ok((200, hex(b"bundle"), b"bundle".to_vec()));
        assert_eq!(pull(&client, "any.registry/org/p:one", "").await, wanted);
        assert_eq!(pull(&client, &format!("any.registry/org/p@{manifest}"), "").await, wanted);
        let asked = server.requests().len();
        let unchanged = Ok((304, hex(b"bundle"), Vec::new()));
        let known = format!("older, {}", hex(b"bundle"));
        assert_eq!(pull(&client, "any.registry/org/p:one", &known).await, unchanged);
        assert_eq!(server.requests().len(), asked + 1, "one small request where nothing has changed");
        shelf.tag_bundle("one", b"another");
        let changed = Ok((200, hex(b"another"), b"another".to_vec()));
        assert_eq!(pull(&client, "any.registry/org/p:one", &hex(b"bundle")).await, changed);
    });
    let requests = server.requests();
    let seen: Vec<_> = requests.iter().take(3).map(|it| (it.method.as_str(), it.target.clone())).collect();
    let blob = format!("/v2/org/p/blobs/{}", digest(b"bundle"));
    let wanted = [
        ("HEAD", "/v2/org/p/manifests/one".to_owned()),
        ("GET", format!("/v2/org/p/manifests/{manifest}")),
        ("GET", blob),
    ];
    assert_eq!(seen, wanted);
    assert_eq!(requests[1].header("Accept"), IMAGE);
    assert_eq!(requests[2].header("Accept-Encoding"), "identity");
}

#[test]
fn indexes_are_searched() {
    let (shelf, server) = registry();
    shelf.put(&format!("blobs/{}", digest(b"bundle")), "application/octet-stream", b"bundle");
    let bundle = shelf.put_manifest(IMAGE, &image(b"bundle"));
    let none = r#"{"layers": [{"mediaType": "x", "digest": "D", "size": 1}]}"#.replace('D', &digest(b"x"));
    let empty = shelf.put_manifest(IMAGE, &none);
    let attestation = bundle.replace('}', r#", "platform": {"os": "unknown", "architecture": "unknown"}}"#);
    let inner = shelf.put_manifest(INDEX, &index(&[empty.clone(), bundle]));
    shelf.tag("nested", INDEX, &index(&[attestation.clone(), empty.clone(), inner.clone()]));
    shelf.tag("attested", INDEX, &index(&[attestation, empty]));
    let deep = (0..5).fold(inner, |below, _| shelf.put_manifest(INDEX, &index(&[below])));
    shelf.tag("deep", INDEX, &index(&[deep]));
    shelf.tag("none", IMAGE, &none);
    shelf.tag("hollow", IMAGE, "{}");
    let client = client(&server.url, "type: oci");
    run(async {
        assert_eq!(pull(&client, "r/org/p:nested", "").await.map(|it| it.2), Ok(b"bundle".to_vec()));
        for (tag, wanted) in [
            ("attested", "contains a application/vnd.oci.image.layer.v1.tar+gzip layer"),
            ("deep", "is nested more than 4 levels deep"),
            ("none", "failed to pull r/org/p:none: no tarball descriptor found in the layers"),
            ("hollow", "failed to pull r/org/p:hollow: no layers in manifest"),
        ] {
            let text = pull(&client, &format!("r/org/p:{tag}"), "").await.expect_err("no bundle").to_string();
            assert!(text.ends_with(wanted), "{text}");
        }
    });
}

#[test]
fn bytes_that_are_others_are_refused() {
    let (shelf, server) = registry();
    for (tag, bytes) in
        [("altered", b"altere!".as_slice()), ("longer", b"longer and longer"), ("shorter", b"shor")]
    {
        shelf.tag_bundle(tag, tag.as_bytes());
        shelf.put(&format!("blobs/{}", digest(tag.as_bytes())), "x", bytes);
    }
    shelf.tag_bundle("large", &[b'a'; 1_001]);
    shelf.tag_bundle("manifest", b"m");
    shelf.put(&format!("manifests/{}", digest(image(b"m").as_bytes())), IMAGE, image(b"n").as_bytes());
    let client = client(&server.url, "type: oci");
    run(async {
        for (tag, wanted) in [
            ("altered", "mismatched digest: expected sha256:"),
            ("longer", "mismatched size: sha256:"),
            ("shorter", "mismatched size: sha256:"),
            ("manifest", "mismatched size: sha256:"),
        ] {
            let error = pull(&client, &format!("r/org/p:{tag}"), "").await.expect_err(tag);
            assert_eq!(error.kind(), FetchErrorKind::Content, "{error}");
            assert!(error.to_string().contains(wanted) || tag == "manifest", "{error}");
        }
        let error = pull(&client, "r/org/p:large", "").await.expect_err("large");
        assert_eq!(
            error.to_string(),
            "failed to pull r/org/p:large: the layer has 1001 bytes, limit is 1000"
        );
        for (reference, wanted) in [
            (
                "r/org/p:gone",
                format!(
                    "failed to pull r/org/p:gone: download for 'r/org/p:gone' failed: failed to perform \"Resolve\" \
                     on source: HEAD {}/v2/org/p/manifests/gone: 404 Not Found",
                    server.url
                ),
            ),
            (
                "x",
                format!(
                    "failed to pull x: invalid host url {}: failed to parse reference: invalid reference: missing \
                     registry or repository",
                    server.url
                ),
            ),
        ] {
            assert_eq!(pull(&client, reference, "").await.expect_err("none").to_string(), wanted);
        }
    });
}

/// Answers as a registry does that wants tokens, and hands them out itself to who knows a password.
fn guarded(shelf: &Shelf, request: &Request) -> Vec<u8> {
    if let Some(query) = request.target.strip_prefix("/token?") {
        return match (query, request.header("Authorization")) {
            ("scope=repository%3Aorg%2Fp%3Apull&service=r", "Basic dXNlcjpzZXNhbWU=") => {
                ok(r#"{"token": "bought"}"#)
            }
            _ => answer("401 Unauthorized", "", b"sesame"),
        };
    }
    if request.header("Authorization") == "Bearer bought" {
        return shelf.answer(request);
    }
    let realm = format!("http://{}/token", request.header("Host"));
    let challenge = format!(
        "WWW-Authenticate: Bearer realm=\"{realm}\",service=\"r\",scope=\"repository:org/p:pull\"\r\n"
    );
    if request.method == "HEAD" {
        return format!("HTTP/1.1 401 Unauthorized\r\nContent-Length: 2\r\n{challenge}\r\n").into_bytes();
    }
    answer("401 Unauthorized", &challenge, b"{}")
}

#[test]
fn tokens_are_bought_with_credentials() {
    let shelf = Shelf::default();
    shelf.tag_bundle("one", b"bundle");
    let server = Server::start(move |request| guarded(&shelf, request));
    let with = |token: &str| {
        client(
            &server.url,
            &format!("type: oci, credentials: {{bearer: {{scheme: Basic, token: '{token}'}}}}"),
        )
    };
    run(async {
        let client = with("user:sesame");
        assert_eq!(pull(&client, "r/org/p:one", "").await.map(|it| it.2), Ok(b"bundle".to_vec()));
        let bought = server.requests().iter().filter(|it| it.target.starts_with("/token")).count();
        assert_eq!(bought, 1, "one token does for all");
        let error = pull(&with("user:wrong"), "r/org/p:one", "").await.expect_err("a wrong password");
        assert_eq!(error.kind(), FetchErrorKind::Credentials);
        let url = &server.url;
        let wanted = format!(
            "failed to pull r/org/p:one: download for 'r/org/p:one' failed: failed to perform \"Resolve\" on source: \
             HEAD \"{url}/v2/org/p/manifests/one\": GET \"{url}/token\": response status code 401 Unauthorized"
        );
        assert_eq!(error.to_string(), wanted);
    });
}

#[test]
fn layers_may_be_elsewhere_and_credentials_stay() {
    let shelf = Shelf::default();
    shelf.tag_bundle("one", b"bundle");
    let storage = Server::start(|_| ok("bundle"));
    let elsewhere = storage.url.replace("127.0.0.1", "localhost");
    let server = Server::start(move |request| {
        if request.target.contains("/blobs/") {
            return answer("307 Temporary Redirect", &format!("Location: {elsewhere}/b\r\n"), b"");
        }
        shelf.answer(request)
    });
    let client =
        client(&server.url, "type: oci, credentials: {bearer: {scheme: Basic, token: 'user:sesame'}}");
    assert_eq!(run(async { pull(&client, "r/org/p:one", "").await.map(|it| it.2) }), Ok(b"bundle".to_vec()));
    assert!(server.requests().iter().all(|it| it.header("Authorization") == "Basic dXNlcjpzZXNhbWU="));
    assert_eq!(storage.request().header("Authorization"), "");
}

#[test]
fn amazon_s_registry_takes_passwords() {
    let (shelf, server) = registry();
    shelf.tag_bundle("one", b"bundle");
    let ecr = Server::start(|request| {
        if request.header("X-Amz-Target") != "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken" {
            return answer("400 Bad Request", "", b"");
        }
        // Half an hour after the time of these tests.
        ok(r#"{"authorizationData": [{"authorizationToken": "cGFzcw==", "expiresAt": 1440939960.123}]}"#)
    });
    let setting = Setting::new();
    for (name, value) in [
        ("AWS_ACCESS_KEY_ID", "id"),
        ("AWS_SECRET_ACCESS_KEY", "sesame"),
        ("AWS_REGION", "eu-x"),
        ("AWS_ENDPOINT_URL_ECR", ecr.url.as_str()),
    ] {
        setting.set(name, value);
    }
    let text = service(&server.url, "type: oci, credentials: {s3_signing: {environment_credentials: {}}}");
    let client = setting.client(&text);
    run(async {
        for (advance, bought) in [(0, 1), (24 * 60, 1), (2 * 60, 2)] {
            setting.advance(advance);
            assert_eq!(pull(&client, "r/org/p:one", "").await.map(|it| it.2), Ok(b"bundle".to_vec()));
            assert!(ecr.requests().len() >= bought, "a password is kept until five minutes before its end");
            assert!(bought == 2 || ecr.requests().len() == bought, "and not bought again before");
        }
    });
    assert!(server.requests().iter().all(|it| it.header("Authorization") == "Basic cGFzcw=="));
    let asked = ecr.requests().remove(0);
    assert!(
        asked.header("Authorization").contains("Credential=id/20150830/eu-x/ecr/aws4_request"),
        "{asked:?}"
    );
}
