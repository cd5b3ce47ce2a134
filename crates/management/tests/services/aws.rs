//! `s3_signing`: signatures, and every place that access keys come from.
//!
//! The S3 server is in this process and does with a signature what a real one does: it signs what arrived and
//! compares. That signing itself is right is shown beside it, with the examples of Amazon's manual. The metadata
//! services and the token service are in this process, too, and answer in the form of the real ones.

use std::collections::BTreeMap;
use std::fs;

use lictor::http::Url;
use lictor::http::sigv4::{Credentials, Request as Signed, digest, sign};

use crate::server::{Request, Server, answer, ok};
use crate::{NOW_NS, Setting, client, fault, get, run, service};

/// Answers as S3 does: only if the signature is that of the key `id` with the secret `sesame`.
fn s3(request: &Request) -> Vec<u8> {
    let authorization = request.header("Authorization");
    let Some((_, names)) = authorization.split_once("SignedHeaders=") else {
        return answer("403 Forbidden", "", b"AccessDenied");
    };
    let names: Vec<&str> = names.split(',').next().unwrap_or_default().split(';').collect();
    let own = ["host", "x-amz-date", "x-amz-content-sha256", "x-amz-security-token"];
    let headers: BTreeMap<String, String> = names
        .iter()
        .filter(|it| !own.contains(it))
        .map(|it| ((*it).to_owned(), request.header(it).to_owned()))
        .collect();
    let url = Url::parse(&format!("http://{}{}", request.header("Host"), request.target)).expect("a URL");
    let described = Signed {
        method: &request.method,
        url: &url,
        headers: &headers,
        payload: &digest(b""),
        body_bytes: 0,
        service: "s3",
        time_ns: NOW_NS,
    };
    let credentials = Credentials {
        access_key: "id".to_owned(),
        secret_key: "sesame".to_owned(),
        region: "eu-x".to_owned(),
        session_token: request.header("X-Amz-Security-Token").to_owned(),
    };
    if sign(&described, &credentials).get("Authorization").is_some_and(|it| it == authorization) {
        return ok("yes");
    }
    answer("403 Forbidden", "", b"SignatureDoesNotMatch")
}

fn fields(places: &str) -> String {
    format!("headers: {{X-Own: h}}, credentials: {{s3_signing: {{{places}}}}}")
}

/// Sets the variables of the access key that the server knows.
fn with_keys(setting: &Setting) {
    for (name, value) in
        [("AWS_ACCESS_KEY_ID", "id"), ("AWS_SECRET_ACCESS_KEY", "sesame"), ("AWS_REGION", "eu-x")]
    {
        setting.set(name, value);
    }
}

#[test]
fn keys_of_the_environment_sign() {
    let server = Server::start(s3);
    let setting = Setting::new();
    let client = setting.client(&service(&server.url, &fields("environment_credentials: {}")));
    run(async {
        let prefix = "failed to get aws credentials: all AWS credential providers failed: 1 error occurred: ";
        for name in ["AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_REGION"] {
            assert_eq!(fault(&client).await, format!("{prefix}no {name} set in environment"));
            with_keys(&setting);
            setting.set(if name == "AWS_ACCESS_KEY_ID" { "AWS_SECRET_ACCESS_KEY" } else { "AWS_REGION" }, "");
        }
        with_keys(&setting);
        let wanted = Ok((200, b"yes".to_vec()));
        assert_eq!(get(&client, "bucket/a b/x.tar.gz?versionId=1").await, wanted);
        setting.set("AWS_SECURITY_TOKEN", "lent");
        assert_eq!(get(&client, "bucket/x.tar.gz").await, wanted);
    });
    let last = server.requests().pop().expect("a request");
    assert_eq!(last.header("X-Amz-Security-Token"), "lent");
    assert!(
        last.header("Authorization")
            .contains("host;x-amz-content-sha256;x-amz-date;x-amz-security-token;x-own")
    );
}

#[test]
fn pairs_of_keys_sign_too() {
    let server = Server::start(|_| ok("yes"));
    let setting = Setting::new();
    with_keys(&setting);
    let text = fields("environment_credentials: {}, signature_version: 4a, service: execute-api");
    run(async { get(&setting.client(&service(&server.url, &text)), "x").await.expect("an answer") });
    let request = server.request();
    let start = "AWS4-ECDSA-P256-SHA256 Credential=id/20150830/execute-api/aws4_request, SignedHeaders=";
    assert!(request.header("Authorization").starts_with(start), "{request:?}");
    assert_eq!(request.header("X-Amz-Region-Set"), "*");
}

#[test]
fn profiles_are_read() {
    let server = Server::start(s3);
    let path = std::env::temp_dir().join(format!("lictor-profile-{}", std::process::id()));
    fs::write(
        &path,
        "[default]\naws_access_key_id = id\naws_secret_access_key=sesame\n[half]\naws_access_key_id=id\n",
    )
    .expect("a file");
    let setting = Setting::new();
    setting.set("AWS_SHARED_CREDENTIALS_FILE", &path.display().to_string());
    let with = |fields_: &str| {
        let places = format!("profile_credentials: {{aws_region: eu-x, {fields_}}}");
        setting.client(&service(&server.url, &fields(&places)))
    };
    run(async {
        assert_eq!(get(&with(""), "b/x").await, Ok((200, b"yes".to_vec())));
        let prefix = "failed to get aws credentials: all AWS credential providers failed: 1 error occurred: ";
        let path = path.display();
        for (fields, wanted) in [
            ("profile: none", "failed to get profile: section \"none\" does not exist".to_owned()),
            (
                "profile: half",
                format!(
                    "profile \"half\" in credentials file {path} does not contain \"aws_secret_access_key\""
                ),
            ),
            (
                "path: /nowhere",
                "failed to read credentials file: open /nowhere: no such file or directory".to_owned(),
            ),
        ] {
            assert_eq!(fault(&with(fields)).await, format!("{prefix}{wanted}"));
        }
    });
    fs::remove_file(path).expect("the file");
}

/// Answers as the metadata services of machines and containers do.
fn metadata(request: &Request) -> Vec<u8> {
    let keys = |code: &str| {
        ok(&format!(
            r#"{{{code}"AccessKeyId": "id", "SecretAccessKey": "sesame", "Token": "lent",
            "Expiration": "2015-08-30T13:36:00Z"}}"#
        ))
    };
    match (request.method.as_str(), request.target.as_str()) {
        ("PUT", "/latest/api/token") => ok("session"),
        ("GET", "/latest/meta-data/iam/security-credentials/role")
            if request.header("X-Aws-Ec2-Metadata-Token") == "session" =>
        {
            keys(r#""Code": "Success", "#)
        }
        ("GET", "/latest/meta-data/iam/security-credentials/failed") => ok(r#"{"Code": "Failed"}"#),
        ("GET", "/full") if request.header("Authorization") == "container" => keys(""),
        ("GET", "http://169.254.170.2/relative") => keys(""),
        _ => answer("404 Not Found", "", b""),
    }
}

#[test]
fn metadata_services_lend_keys() {
    let (lender, server) = (Server::start(metadata), Server::start(s3));
    let setting = Setting::new();
    setting.set("AWS_EC2_METADATA_SERVICE_ENDPOINT", &lender.url);
    let with = |setting: &Setting, role: &str| {
        let places = format!("metadata_credentials: {{aws_region: eu-x, iam_role: '{role}'}}");
        setting.client(&service(&server.url, &fields(&places)))
    };
    let yes = Ok((200, b"yes".to_vec()));
    let prefix = "failed to get aws credentials: all AWS credential providers failed: 1 error occurred: ";
    run(async {
        let machine = with(&setting, "role");
        assert_eq!(get(&machine, "b/x").await, yes);
        assert_eq!(get(&machine, "b/x").await, yes);
        assert_eq!(lender.requests().len(), 2, "a token and keys, which are kept");
        setting.advance(55 * 60);
        get(&machine, "b/x").await.expect("an answer");
        assert_eq!(lender.requests().len(), 4, "fetched anew five minutes before they end");
        for (role, wanted) in [
            ("failed", "metadata service query did not succeed: Failed"),
            ("none", "metadata HTTP request returned unexpected status: 404 Not Found"),
            ("", "metadata endpoint cannot be determined from settings and environment"),
        ] {
            assert_eq!(fault(&with(&setting, role)).await, format!("{prefix}{wanted}"));
        }

        let container = Setting::new();
        container.set("AWS_CONTAINER_CREDENTIALS_FULL_URI", &format!("{}/full", lender.url));
        let wanted = format!("{prefix}unable to get ECS metadata authorization token");
        assert_eq!(fault(&with(&container, "")).await, wanted);
        container.set("AWS_CONTAINER_AUTHORIZATION_TOKEN", "container");
        assert_eq!(get(&with(&container, ""), "b/x").await, yes);

        let container = Setting::new();
        container.set("AWS_CONTAINER_CREDENTIALS_RELATIVE_URI", "/relative");
        // The address is the link's own; a proxy stands for it here.
        container.set("HTTP_PROXY", &lender.url);
        assert_eq!(get(&with(&container, ""), "b/x").await, yes);
    });
}

/// Answers as the token service does.
fn sts(request: &Request) -> Vec<u8> {
    let result = match request.body.as_str() {
        "Action=AssumeRoleWithWebIdentity&RoleArn=arn%3Arole&RoleSessionName=open-policy-agent&Version=2011-06-15&WebIdentityToken=web" => {
            "AssumeRoleWithWebIdentityResult"
        }
        "Action=AssumeRole&RoleArn=arn%3Arole&RoleSessionName=me&Version=2011-06-15"
            if request.header("Authorization").contains("Credential=own/20150830/eu-x/sts/aws4_request") =>
        {
            "AssumeRoleResult"
        }
        _ => return answer("403 Forbidden", "", b""),
    };
    ok(&format!(
        "<R xmlns=\"https://sts.amazonaws.com/doc/2011-06-15/\">\n<{result}><Credentials>\
         <SessionToken>lent</SessionToken><SecretAccessKey>sesame</SecretAccessKey>\
         <Expiration>2015-08-30T13:36:00Z</Expiration><AccessKeyId>id</AccessKeyId></Credentials></{result}></R>"
    ))
}

#[test]
fn the_token_service_lends_keys() {
    let (lender, server) = (Server::start(sts), Server::start(s3));
    let path = std::env::temp_dir().join(format!("lictor-web-identity-{}", std::process::id()));
    fs::write(&path, "web").expect("a file");
    let setting = Setting::new();
    setting.set("AWS_ENDPOINT_URL_STS", &lender.url);
    let with = |places: &str| setting.client(&service(&server.url, &fields(places)));
    run(async {
        let identity = with("web_identity_credentials: {aws_region: eu-x}");
        assert_eq!(fault(&identity).await, "no AWS_ROLE_ARN set in environment");
        setting.set("AWS_ROLE_ARN", "arn:role");
        assert_eq!(fault(&identity).await, "no AWS_WEB_IDENTITY_TOKEN_FILE set in environment");
        setting.set("AWS_WEB_IDENTITY_TOKEN_FILE", &path.display().to_string());
        assert_eq!(get(&identity, "b/x").await, Ok((200, b"yes".to_vec())));
        assert_eq!(get(&identity, "b/x").await, Ok((200, b"yes".to_vec())));
        assert_eq!(lender.requests().len(), 1, "keys are kept");

        let role = "assume_role_credentials: {session_name: me, aws_signing: {environment_credentials: {}}}";
        setting.set("AWS_ACCESS_KEY_ID", "own");
        setting.set("AWS_SECRET_ACCESS_KEY", "own-secret");
        setting.set("AWS_REGION", "eu-x");
        assert_eq!(get(&with(role), "b/x").await, Ok((200, b"yes".to_vec())));
        setting.set("AWS_ACCESS_KEY_ID", "another");
        let text = fault(&with(role)).await;
        let wanted = "1 error occurred: STS HTTP request returned unexpected status: 403 Forbidden";
        assert!(text.ends_with(wanted) && !text.contains("own-secret"), "{text}");
    });
    fs::remove_file(path).expect("the file");
}

#[test]
fn places_are_tried_in_order() {
    let server = Server::start(s3);
    let setting = Setting::new();
    let places = "environment_credentials: {}, profile_credentials: {path: /nowhere}";
    let client = setting.client(&service(&server.url, &fields(places)));
    run(async {
        let wanted = "failed to get aws credentials: all AWS credential providers failed: 2 errors occurred:\n\
                      no AWS_ACCESS_KEY_ID set in environment\n\
                      failed to read credentials file: open /nowhere: no such file or directory";
        assert_eq!(fault(&client).await, wanted);
        with_keys(&setting);
        assert_eq!(get(&client, "b/x").await, Ok((200, b"yes".to_vec())));
    });
}

#[test]
fn settings_that_cannot_work_are_told() {
    for (more, places, wanted) in [
        ("", "", "a AWS credential service must be specified when S3 signing is enabled"),
        (
            "",
            "metadata_credentials: {}",
            "at least aws_region must be specified for AWS metadata credential service",
        ),
        (
            "",
            "assume_role_credentials: {}",
            "a AWS signing plugin must be specified when AssumeRole credential provider is enabled",
        ),
        (
            "",
            "assume_role_credentials: {aws_signing: {}}",
            "unsupported AWS signing plugin with AssumeRole credential provider",
        ),
        ("", "sso_credentials: {}", "sso_credentials are not supported by this version of lictor"),
        (
            "",
            "environment_credentials: {}, service: ECR",
            "aws service \"ecr\" must be used with service type \"oci\"",
        ),
        (
            "type: oci, ",
            "environment_credentials: {}, service: s3",
            "failed to pull x: invalid host url http://h: failed to create auth client: \
             cannot use aws service \"s3\" with service type \"oci\"",
        ),
        (
            "",
            "environment_credentials: {}, signature_version: '3'",
            "signature_version must be 4 or 4a, not \"3\"",
        ),
    ] {
        let client = client("http://h", &format!("{more}{}", fields(places)));
        assert_eq!(run(async { fault(&client).await }), wanted, "{places}");
    }
}
