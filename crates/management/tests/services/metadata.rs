//! `gcp_metadata` and `azure_managed_identity`, against metadata services.
//!
//! The services are in this process and check the header that real ones insist on, which keeps others from being sent
//! there by mistake.

use crate::server::{Request, Server, answer, ok};
use crate::{Setting, client, fault, get, run, service};

fn google(request: &Request) -> Vec<u8> {
    if request.header("Metadata-Flavor") != "Google" {
        return answer("403 Forbidden", "", b"");
    }
    match request.target.split_once('?') {
        Some(("/computeMetadata/v1/instance/service-accounts/default/token", "scopes=a,b")) => {
            ok(r#"{"access_token": "access", "expires_in": 60, "token_type": "Bearer"}"#)
        }
        Some(("/id", "audience=https://me")) => ok("identity"),
        Some(("/id", "audience=none")) => ok(""),
        Some(("/id", "audience=bad")) => answer("400 Bad Request", "", b""),
        Some(("/id", _)) => answer("500 Internal Server Error", "", b""),
        _ => answer("404 Not Found", "", b""),
    }
}

#[test]
fn google_hands_out_tokens() {
    let (metadata, server) = (Server::start(google), Server::start(|_| ok("yes")));
    let with = |fields: &str| {
        client(
            &server.url,
            &format!("credentials: {{gcp_metadata: {{endpoint: '{}', {fields}}}}}", metadata.url),
        )
    };
    run(async {
        get(&with("scopes: [a, b]"), "x").await.expect("an answer");
        get(&with("identity_token_path: /id, audience: 'https://me'"), "x").await.expect("an answer");
        for (fields, kind, wanted) in [
            (
                "access_token_path: /no, scopes: [a]",
                "access",
                format!("{}/no?scopes=a 404: not found", metadata.url),
            ),
            (
                "identity_token_path: /id, audience: bad",
                "identity",
                format!("{}/id?audience=bad 400: invalid request", metadata.url),
            ),
            (
                "identity_token_path: /id, audience: x",
                "identity",
                format!("{}/id?audience=x 500: unexpected error", metadata.url),
            ),
        ] {
            let wanted = format!(
                "error retrieving {kind} token from gcp metadata service: error retrieving gcp ID token from {wanted}"
            );
            assert_eq!(fault(&with(fields)).await, wanted);
        }
        let wanted = "error retrieving identity token from gcp metadata service: empty token returned";
        assert_eq!(fault(&with("identity_token_path: /id, audience: none")).await, wanted);
        let wanted = "audience or scopes is required when gcp metadata is enabled";
        assert_eq!(fault(&with("")).await, wanted);
        let wanted = "either audience or scopes can be set, not both, when gcp metadata is enabled";
        assert_eq!(fault(&with("audience: a, scopes: [b]")).await, wanted);
    });
    let used: Vec<String> =
        server.requests().iter().map(|it| it.header("Authorization").to_owned()).collect();
    assert_eq!(used, ["Bearer access", "Bearer identity"]);
}

#[test]
fn azure_hands_out_tokens() {
    let metadata = Server::start(|request| match request.target.as_str() {
        target if target.contains("refuse") => {
            answer("400 Bad Request", "", br#"{"error": "invalid_resource", "error_description": "no"}"#)
        }
        target if target.contains("empty") => ok("{}"),
        _ => ok(r#"{"access_token": "sesame", "expires_in": "60"}"#),
    });
    let server = Server::start(|_| ok("yes"));
    let setting = Setting::new();
    let with = |fields: &str| {
        setting
            .client(&service(&server.url, &format!("credentials: {{azure_managed_identity: {{{fields}}}}}")))
    };
    let endpoint = format!("endpoint: '{}/e'", metadata.url);
    run(async {
        get(&with(&format!("{endpoint}, client_id: c, object_id: o, mi_res_id: m")), "x")
            .await
            .expect("an answer");
        setting.set("IDENTITY_ENDPOINT", &format!("{}/app", metadata.url));
        let missing = "azure managed identities auth: IDENTITY_HEADER env var not found";
        assert_eq!(fault(&with("")).await, missing);
        setting.set("IDENTITY_HEADER", "secret-header");
        get(&with("resource: r"), "x").await.expect("an answer");
        let url = format!("{}/e?api-version=2018-02-01&resource=refuse", metadata.url);
        let wanted = format!("400 invalid_resource retrieving azure token from {url}: no");
        assert_eq!(fault(&with(&format!("{endpoint}, resource: refuse"))).await, wanted);
        let wanted = "azure managed identities auth: empty token returned";
        assert_eq!(fault(&with(&format!("{endpoint}, resource: empty"))).await, wanted);
    });
    let asked = metadata.requests();
    let resource = "https%3A%2F%2Fstorage.azure.com%2F";
    let first = format!("/e?api-version=2018-02-01&client_id=c&mi_res_id=m&object_id=o&resource={resource}");
    assert_eq!((asked[0].target.as_str(), asked[0].header("Metadata")), (first.as_str(), "true"));
    assert_eq!(asked[1].target, "/app?api-version=2019-08-01&resource=r");
    assert_eq!(asked[1].header("X-Identity-Header"), "secret-header");
    assert!(server.requests().iter().all(|it| it.header("Authorization") == "Bearer sesame"));
    let oci = client("http://h", "type: oci, credentials: {azure_managed_identity: {}}");
    let wanted = "failed to pull x: invalid host url http://h: failed to create auth client: \
                  azure managed identities auth: OCI service not supported";
    assert_eq!(run(async { fault(&oci).await }), wanted);
}
