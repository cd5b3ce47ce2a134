//! `bearer`: a token from the configuration, and one from a file that changes.
//!
//! The server takes any token and records it; that a real one refuses a wrong token is not its part.

use std::fs;

use crate::server::{Server, ok};
use crate::{client, fault, get, run};

#[test]
fn tokens_are_sent() {
    let server = Server::start(|_| ok("yes"));
    let folder = std::env::temp_dir().join(format!("lictor-bearer-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let path = folder.join("token");
    let from_file =
        client(&server.url, &format!("credentials: {{bearer: {{token_path: '{}'}}}}", path.display()));
    run(async {
        let given = client(&server.url, "credentials: {bearer: {token: sesame, scheme: Token}}");
        get(&given, "x").await.expect("an answer");
        for token in ["one\n", "  two\n"] {
            fs::write(&path, token).expect("a file");
            get(&from_file, "x").await.expect("an answer");
        }
        fs::remove_dir_all(&folder).expect("the folder");
        assert_eq!(fault(&from_file).await, format!("open {}: no such file or directory", path.display()));
    });
    let seen: Vec<String> =
        server.requests().iter().map(|it| it.header("Authorization").to_owned()).collect();
    assert_eq!(seen, ["Token sesame", "Bearer one", "Bearer two"]);
}

#[test]
fn one_place_of_the_token_is_enough() {
    let client = client("http://h", "credentials: {bearer: {token: sesame, token_path: /p}}");
    let wanted = "invalid config: specify a value for either the \"token\" or \"token_path\" field";
    assert_eq!(run(async { fault(&client).await }), wanted);
    assert!(!format!("{client:?}").contains("sesame"));
}
