//! What holds whatever the credentials: where requests go, what they carry, how much and how long.
//!
//! Servers are sockets in this process. Those that stay silent are listeners that nobody accepts from.

use std::time::Duration;

use flate2::{Compression, write::GzEncoder};
use lictor_management::services::{FetchErrorKind, Limits, ServiceConfig};
use std::io::Write as _;

use crate::server::{Server, answer, ok};
use crate::{client, fault, get, run, service};

#[test]
fn services_are_read_from_maps_and_lists() {
    let read = |text: &str| {
        let document = lictor::document_of_yaml(text.as_bytes()).expect("YAML");
        let services = ServiceConfig::read_all(document.root(), None)?;
        Ok::<_, String>(services.iter().map(|it| format!("{} {}", it.name(), it.url())).collect::<Vec<_>>())
    };
    assert_eq!(
        read("{a: {url: 'http://x//'}, b: {url: y, name: c}}"),
        Ok(vec!["a http://x".into(), "b y".into()])
    );
    assert_eq!(read("[{name: a, url: 'http://x'}, null]"), Ok(vec!["a http://x".into(), " ".into()]));
    let go = "json: cannot unmarshal";
    for (text, wanted) in [
        ("1", format!("{go} number into Go value of type []json.RawMessage")),
        ("{a: 1}", format!("{go} number into Go value of type rest.Config")),
        ("{a: {url: 1}}", format!("{go} number into Go struct field Config.url of type string")),
        ("{a: {headers: {b: 1}}}", format!("{go} number into Go struct field Config.headers of type string")),
        (
            "{a: {response_header_timeout_seconds: 1.5}}",
            format!(
                "{go} number 1.5 into Go struct field Config.response_header_timeout_seconds of type int64"
            ),
        ),
        (
            "{a: {credentials: {bearer: 1}}}",
            format!("{go} number into Go struct field .credentials.bearer of type rest.bearerAuthPlugin"),
        ),
        (
            "{a: {credentials: {bearer: {token: 1}}}}",
            format!(
                "{go} number into Go struct field bearerAuthPlugin.credentials.bearer.token of type string"
            ),
        ),
    ] {
        assert_eq!(read(text), Err(wanted));
    }
}

#[test]
fn a_call_goes_below_the_url_with_headers() {
    let server = Server::start(|_| ok("yes"));
    let client = client(&format!("{}/base//", server.url), "headers: {x-a: b, user-agent: me}");
    let answer = run(async {
        let headers = [("If-None-Match", "\"e\""), ("X-A", "c")];
        let mut response = client.get("/b/x.tar.gz", &headers, &Limits::default()).await?;
        response.bytes().await.map(|it| (response.status(), it))
    });
    assert_eq!(answer, Ok((200, b"yes".to_vec())));
    let request = server.request();
    assert_eq!((request.method.as_str(), request.target.as_str()), ("GET", "/base/b/x.tar.gz"));
    let seen = ["User-Agent", "X-A", "If-None-Match", "Accept-Encoding"].map(|it| request.header(it));
    assert_eq!(seen, ["me", "c", "\"e\"", "gzip"]);
}

#[test]
fn connections_are_used_again() {
    let server = Server::start(|_| ok("yes"));
    let client = client(&server.url, "");
    run(async {
        for _ in 0..20 {
            get(&client, "x").await.expect("an answer");
        }
    });
    // A connection that is not yet free when the next call begins is left to the one after.
    let connections = server.requests().iter().map(|it| it.connection).max();
    assert!(connections.is_some_and(|it| it < 10), "{connections:?}");
    assert!(server.requests().iter().all(|it| it.header("User-Agent").starts_with("lictor/")));
}

#[test]
fn redirects_end_after_ten_and_take_no_token_elsewhere() {
    let server = Server::start(|_| answer("302 Found", "Location: /x\r\n", b""));
    let text = run(async { fault(&client(&server.url, "")).await });
    assert_eq!(text, format!("Get \"{}/x\": stopped after 10 redirects", server.url));
    assert_eq!(server.requests().len(), 10);

    let other = Server::start(|_| ok("yes"));
    let elsewhere = other.url.replace("127.0.0.1", "localhost");
    let server = Server::start(move |_| {
        answer("307 Temporary Redirect", &format!("Location: {elsewhere}/y\r\n"), b"")
    });
    let client = client(&server.url, "credentials: {bearer: {token: sesame}}");
    assert_eq!(run(async { get(&client, "x").await }), Ok((200, b"yes".to_vec())));
    assert_eq!(server.request().header("Authorization"), "Bearer sesame");
    assert_eq!(other.request().header("Authorization"), "");
}

#[test]
fn bodies_end_at_the_limit() {
    let server = Server::start(|request| match request.target.as_str() {
        "/packed" => {
            let mut packer = GzEncoder::new(Vec::new(), Compression::best());
            packer.write_all(&vec![b'a'; 1 << 20]).expect("memory");
            answer("200 OK", "Content-Encoding: gzip\r\n", &packer.finish().expect("memory"))
        }
        "/cut" => answer("200 OK", "Content-Encoding: gzip\r\n", &[0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 0, 1]),
        _ => answer("200 OK", "", &vec![b'a'; 1 << 20]),
    });
    let client = client(&server.url, "");
    let read = |path: &'static str, body_bytes_max: u64| {
        let limits = Limits { body_bytes_max, ..Limits::default() };
        let client = &client;
        run(async move {
            let mut response = client.get(path, &[], &limits).await?;
            response.bytes().await.map(|it| it.len())
        })
    };
    for path in ["plain", "packed"] {
        assert_eq!(read(path, 1 << 20), Ok(1 << 20), "{path}");
        let error = read(path, (1 << 20) - 1).expect_err("too large");
        assert_eq!(error.to_string(), "the body of the response is larger than 1048575 bytes", "{path}");
        assert_eq!(error.kind(), FetchErrorKind::TooLarge);
    }
    assert_eq!(read("cut", 100).map_err(|it| it.kind()), Err(FetchErrorKind::Content));
}

#[test]
fn bodies_that_are_cut_are_no_bodies() {
    let server =
        Server::start(|_| b"HTTP/1.1 200 OK\r\nContent-Length: 9\r\nConnection: close\r\n\r\nabc".to_vec());
    // The server goes once it has answered a second request with nothing.
    let server_closes = Server::start(|request| match request.connection {
        0 => b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\nabc\r\nx".to_vec(),
        _ => Vec::new(),
    });
    let limits = Limits { idle_time: Duration::from_millis(50), ..Limits::default() };
    let read = |url: &str| {
        let client = client(url, "");
        let limits = limits.clone();
        run(async move {
            let mut response = client.get("x", &[], &limits).await?;
            response.bytes().await
        })
    };
    let error = read(&server.url).expect_err("it stands still");
    assert_eq!(error.kind(), FetchErrorKind::Late);
    let late = "context deadline exceeded (Client.Timeout or context cancellation while reading body)";
    assert_eq!(error.to_string(), late);
    assert!(read(&server_closes.url).is_err());
}

#[test]
fn servers_must_answer_in_time() {
    let silent = std::net::TcpListener::bind("127.0.0.1:0").expect("a port");
    let url = format!("http://{}", silent.local_addr().expect("an address"));
    let client = client(&url, "");
    let fails = |limits: Limits| run(async { client.get("x", &[], &limits).await.map(|it| it.status()) });
    let head_time = Some(Duration::from_millis(20));
    let error = fails(Limits { head_time, ..Limits::default() }).expect_err("silence");
    assert_eq!(error.to_string(), format!("Get \"{url}/x\": net/http: timeout awaiting response headers"));
    let error = fails(Limits { total_time: head_time, ..Limits::default() }).expect_err("silence");
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (FetchErrorKind::Late, "context deadline exceeded")
    );
}

#[test]
fn faults_are_told_when_something_is_sent() {
    for (url, fields, wanted) in [
        (
            "http://u:sesame@127.0.0.1:1",
            "",
            "Get \"http://u:***@127.0.0.1:1/x\": dial tcp 127.0.0.1:1: connect: connection refused",
        ),
        ("http://[::1", "", "parse \"http://[::1\": missing ']' in host"),
        ("", "", "Get \"/x\": unsupported protocol scheme \"\""),
        ("http://h", "tls: {ca_cert: /nowhere}", "open /nowhere: no such file or directory"),
        (
            "http://h",
            "tls: {ca_cert: /dev/null}",
            "unable to parse and append CA certificate to certificate pool",
        ),
        ("http://h", "credentials: {plugin: p}", "auth plugin \"p\" not found"),
        (
            "http://h",
            "credentials: {bearer: {}, client_tls: {}}",
            "a maximum one credential method must be specified",
        ),
    ] {
        assert_eq!(run(async { fault(&client(url, fields)).await }), wanted, "{}", service(url, fields));
    }
}

/// Every secret that a configuration can hold is `sesame` here.
const SECRETS: &str = r#"
keys: {k: {private_key: sesame, algorithm: HS256}}
services:
  h: {headers: {X-Token: sesame}}
  b: {credentials: {bearer: {token: sesame}}}
  c: {credentials: {client_tls: {cert: a, private_key: b, private_key_passphrase: sesame}}}
  o: {credentials: {oauth2: {token_url: "https://h", client_id: a, client_secret: sesame,
      additional_headers: {a: sesame}, additional_parameters: {a: sesame}}}}
  a: {credentials: {oauth2: {token_url: "https://h", client_id: a, client_assertion: sesame}}}
  s: {credentials: {oauth2: {token_url: "https://h", grant_type: jwt_bearer, signing_key: k}}}
  g: {credentials: {gcp_metadata: {audience: a}}}
  z: {credentials: {azure_managed_identity: {}}}
  w: {credentials: {s3_signing: {environment_credentials: {}, profile_credentials: {}}}}
"#;

#[test]
fn secrets_are_not_shown() {
    let document = lictor::document_of_yaml(SECRETS.as_bytes()).expect("YAML");
    let part = |name: &str| document.root().as_object().and_then(|it| it.get_str(name));
    let services =
        ServiceConfig::read_all(part("services").expect("services"), part("keys")).expect("services");
    assert_eq!(services.len(), 9);
    let shown = format!("{services:?}");
    assert!(!shown.contains("sesame") && shown.contains("***"), "{shown}");
}
