//! `client_tls`: the certificate that a server asks for, from files that change.
//!
//! The server is rustls over a socket: it refuses whoever shows no certificate of the test authority. Certificates
//! and keys in `tests/certificates` were made for these tests and are good for nothing else.

use std::fs;
use std::path::Path;

use rustls::pki_types::CertificateDer;
use rustls::pki_types::pem::PemObject;

use crate::server::{Asks, Server, answer};
use crate::{Setting, certificate, client, fault, get, run, service};

fn closing(_: &crate::server::Request) -> Vec<u8> {
    answer("200 OK", "Connection: close\r\n", b"yes")
}

fn fields(folder: &Path, more: &str) -> String {
    let (folder, authority) = (folder.display(), certificate("authority.pem"));
    format!(
        "tls: {{ca_cert: '{}'}}, credentials: {{client_tls: {{cert: '{folder}/c.pem', \
         private_key: '{folder}/c.key', {more}}}}}",
        authority.display()
    )
}

fn put(folder: &Path, cert: &str, key: &str) {
    fs::copy(certificate(cert), folder.join("c.pem")).expect("a copy");
    fs::copy(certificate(key), folder.join("c.key")).expect("a copy");
}

fn folder(name: &str) -> std::path::PathBuf {
    let folder = std::env::temp_dir().join(format!("lictor-{name}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    folder
}

fn der(name: &str) -> Vec<u8> {
    CertificateDer::from_pem_file(certificate(name)).expect("a certificate").to_vec()
}

#[test]
fn certificates_are_shown_and_read_again() {
    let server = Server::secured(Asks::Certificate, closing);
    let folder = folder("rereads");
    let always = client(&server.url, &fields(&folder, ""));
    let setting = Setting::new();
    let each_minute =
        setting.client(&service(&server.url, &fields(&folder, "cert_reread_interval_seconds: 60")));
    run(async {
        put(&folder, "client.pem", "client.key");
        get(&always, "x").await.expect("the first certificate");
        get(&each_minute, "x").await.expect("the first certificate");
        put(&folder, "client2.pem", "client2.key");
        get(&always, "x").await.expect("the second certificate");
        get(&each_minute, "x").await.expect("the first certificate, still");
        setting.advance(61);
        get(&each_minute, "x").await.expect("the second certificate");
        put(&folder, "client.pem", "client2.key");
        let prefix = format!("Get \"{}/x\": failed to ", server.url);
        let unpaired = "parse public/private key pair: tls: private key does not match public key";
        assert_eq!(fault(&always).await, format!("{prefix}{unpaired}"));
        fs::remove_dir_all(&folder).expect("the folder");
        let missing = format!(
            "read client certificate file: open {}/c.pem: no such file or directory",
            folder.display()
        );
        assert_eq!(fault(&always).await, format!("{prefix}{missing}"));
        get(&each_minute, "x").await.expect("what was read is kept for its time");
    });
    let shown: Vec<_> = server.requests().into_iter().filter_map(|it| it.shown).collect();
    let (first, second) = (der("client.pem"), der("client2.pem"));
    assert_eq!(shown, [&first, &first, &second, &first, &second, &second].map(Clone::clone));
}

#[test]
fn servers_are_verified() {
    let server = Server::secured(Asks::Nothing, closing);
    let authority = certificate("authority.pem");
    let authority = authority.display();
    run(async {
        let trusting = client(&server.url, &format!("tls: {{ca_cert: '{authority}'}}"));
        assert_eq!(get(&trusting, "x").await, Ok((200, b"yes".to_vec())));
        let careless = client(&server.url, "allow_insecure_tls: true");
        assert_eq!(get(&careless, "x").await, Ok((200, b"yes".to_vec())));
        let strict = client(&server.url, "");
        let wanted = "tls: failed to verify certificate: x509: certificate signed by unknown authority";
        assert_eq!(fault(&strict).await, format!("Get \"{}/x\": {wanted}", server.url));
    });
    let old = format!("credentials: {{client_tls: {{cert: a, private_key: b, ca_cert: '{authority}'}}}}");
    let text = run(async { fault(&client(&server.url, &old)).await });
    assert!(
        text.ends_with("failed to read client certificate file: open a: no such file or directory"),
        "{text}"
    );
}

#[test]
fn both_files_are_needed() {
    for (fields, wanted) in [
        ("", "client certificate is needed when client TLS is enabled"),
        ("cert: a", "private key is needed when client TLS is enabled"),
    ] {
        let client = client("https://h", &format!("credentials: {{client_tls: {{{fields}}}}}"));
        assert_eq!(run(async { fault(&client).await }), wanted);
    }
}

#[test]
fn encrypted_keys_need_their_passphrase() {
    let server = Server::secured(Asks::Certificate, closing);
    let folder = folder("passphrase");
    let with = |more: &str| client(&server.url, &fields(&folder, more));
    run(async {
        for key in ["rsa.aes128.key", "rsa.aes192.key", "rsa.aes256.key"] {
            put(&folder, "rsa.pem", key);
            get(&with("private_key_passphrase: sesame"), "x").await.expect(key);
        }
        let prefix = format!("Get \"{}/x\": ", server.url);
        let needed = "client private key passphrase is needed, because the certificate is password encrypted";
        assert_eq!(fault(&with("")).await, format!("{prefix}{needed}"));
        let wrong = fault(&with("private_key_passphrase: sesame2")).await;
        assert!(!wrong.contains("sesame") && wrong != "an answer", "{wrong}");
        put(&folder, "rsa.pem", "rsa.des3.key");
        let des = "x509: DES-EDE3-CBC is not supported, expected AES";
        assert_eq!(fault(&with("private_key_passphrase: sesame")).await, format!("{prefix}{des}"));
        put(&folder, "rsa.pem", "rsa.pem");
        assert!(
            fault(&with(""))
                .await
                .starts_with(&format!("{prefix}failed to parse public/private key pair: tls:"))
        );
        fs::write(folder.join("c.key"), "sesame").expect("a file");
        assert_eq!(fault(&with("")).await, format!("{prefix}PEM data could not be found"));
    });
    fs::remove_dir_all(&folder).expect("the folder");
    let shown = server.requests();
    assert!(shown.len() == 3 && shown.iter().all(|it| it.shown.as_ref() == Some(&der("rsa.pem"))));
}
