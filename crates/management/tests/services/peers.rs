//! Real servers: an S3-compatible one (`versitygw`) and a registry (`registry` of the distribution project).
//!
//! Each test starts its server from the search path, on a port that the kernel gave, and stops it. One that is not
//! installed is told of in one line, and the doubles in the other files stand for it.

use std::fs;
use std::io::{BufRead as _, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant, SystemTime};

use lictor_management::services::Limits;
use sha2::{Digest as _, Sha256};

use crate::{NOW_NS, Setting, get, run, service};

/// How long a server may take to begin.
const START: Duration = Duration::from_secs(20);

/// A server that is stopped when the test ends.
struct Peer {
    child: Child,
    folder: PathBuf,
    address: String,
}

impl Drop for Peer {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
        let _ = fs::remove_dir_all(&self.folder);
    }
}

/// Starts a program with an address and a folder; nothing if it is not installed.
fn start(program: &str, command: impl FnOnce(&mut Command, &str, &Path)) -> Option<Peer> {
    let paths = std::env::var_os("PATH").unwrap_or_default();
    let Some(path) = std::env::split_paths(&paths).map(|it| it.join(program)).find(|it| it.is_file()) else {
        let _ = writeln!(std::io::stderr(), "peer {program} is not installed; a double stands for it");
        return None;
    };
    let folder = std::env::temp_dir().join(format!("lictor-{program}-{}", std::process::id()));
    fs::create_dir_all(&folder).expect("a folder");
    let address =
        TcpListener::bind("127.0.0.1:0").and_then(|it| it.local_addr()).expect("a port").to_string();
    let mut started = Command::new(path);
    command(&mut started, &address, &folder);
    let child = started.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn();
    let peer = Peer { child: child.expect("the peer starts"), folder, address };
    let until = Instant::now() + START;
    while TcpStream::connect(&peer.address).is_err() {
        assert!(Instant::now() < until, "{program} does not begin");
        std::thread::yield_now();
    }
    Some(peer)
}

/// Returns a world whose clock is right: real servers look at theirs.
fn today() -> Setting {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH).expect("a time after 1970");
    let setting = Setting::new();
    setting.advance(i64::try_from(since.as_secs()).expect("a time") - NOW_NS / 1_000_000_000);
    setting
}

#[test]
fn an_s3_server_takes_signatures() {
    let peer = start("versitygw", |command, address, folder| {
        fs::create_dir_all(folder.join("bucket/a b")).expect("a folder");
        let file = folder.join("bucket/a b/x.tar.gz");
        fs::write(&file, "bundle").expect("a file");
        // A whole second: headers have no parts of one.
        let file = fs::File::options().write(true).open(file).expect("the file");
        file.set_modified(SystemTime::UNIX_EPOCH + Duration::from_secs(1_000_000_000)).expect("a time");
        command.args(["--port", address, "--region", "eu-x", "posix"]).arg(folder);
        command.env("ROOT_ACCESS_KEY", "id").env("ROOT_SECRET_KEY", "sesame");
    });
    let Some(peer) = peer else { return };
    let url = format!("http://{}/bucket", peer.address);
    let setting = today();
    for (name, value) in
        [("AWS_ACCESS_KEY_ID", "id"), ("AWS_SECRET_ACCESS_KEY", "sesame"), ("AWS_REGION", "eu-x")]
    {
        setting.set(name, value);
    }
    let client = setting.client(&service(&url, "credentials: {s3_signing: {environment_credentials: {}}}"));
    run(async {
        assert_eq!(get(&client, "a%20b/x.tar.gz").await, Ok((200, b"bundle".to_vec())));
        let first = client.get("a%20b/x.tar.gz", &[], &Limits::default()).await.expect("an answer");
        let time = first.header("last-modified").expect("a time").to_owned();
        let headers = [("If-Modified-Since", time.as_str()), ("Prefer", "modes=snapshot,delta")];
        let second = client.get("a%20b/x.tar.gz", &headers, &Limits::default()).await.expect("an answer");
        assert_eq!(second.status(), 304);
        setting.set("AWS_SECRET_ACCESS_KEY", "wrong");
        assert_eq!(get(&client, "a%20b/x.tar.gz").await.map(|it| it.0), Ok(403));
    });
}

/// Sends one request as it is written and returns the code and the headers of the answer.
fn send(address: &str, head: &str, body: &[u8]) -> (String, String) {
    let mut stream = TcpStream::connect(address).expect("a connection");
    let head =
        format!("{head}\r\nHost: {address}\r\nConnection: close\r\nContent-Length: {}\r\n\r\n", body.len());
    stream.write_all(&[head.as_bytes(), body].concat()).expect("a request");
    let mut answer = String::new();
    let mut reader = std::io::BufReader::new(stream);
    reader.read_line(&mut answer).expect("a status");
    let mut rest = String::new();
    reader.read_to_string(&mut rest).expect("headers");
    (answer.split(' ').nth(1).unwrap_or_default().to_owned(), rest)
}

#[test]
fn a_registry_hands_out_bundles() {
    let peer = start("registry", |command, address, folder| {
        let config = folder.join("config.yml");
        let text = format!(
            "version: 0.1\nstorage: {{filesystem: {{rootdirectory: '{}'}}}}\nhttp: {{addr: '{address}'}}\n",
            folder.join("data").display()
        );
        fs::write(&config, text).expect("a file");
        command.arg("serve").arg(config).env("OTEL_TRACES_EXPORTER", "none");
    });
    let Some(peer) = peer else { return };
    let digest = |bytes: &[u8]| {
        format!("sha256:{}", Sha256::digest(bytes).iter().map(|it| format!("{it:02x}")).collect::<String>())
    };
    for blob in [b"bundle".as_slice(), b"{}"] {
        let (status, headers) = send(&peer.address, "POST /v2/org/p/blobs/uploads/ HTTP/1.1", b"");
        assert_eq!(status, "202", "{headers}");
        let location = headers.lines().find_map(|it| it.strip_prefix("Location: ")).expect("a place").trim();
        let target = location.strip_prefix(&format!("http://{}", peer.address)).unwrap_or(location);
        let head = format!("PUT {target}&digest={} HTTP/1.1", digest(blob));
        assert_eq!(send(&peer.address, &head, blob).0, "201");
    }
    let descriptor = |kind: &str, bytes: &[u8]| {
        format!(
            r#"{{"mediaType": "application/vnd.oci.image.{kind}", "digest": "{}", "size": {}}}"#,
            digest(bytes),
            bytes.len()
        )
    };
    let kind = "application/vnd.oci.image.manifest.v1+json";
    let manifest = format!(
        r#"{{"schemaVersion": 2, "mediaType": "{kind}", "config": {}, "layers": [{}]}}"#,
        descriptor("config.v1+json", b"{}"),
        descriptor("layer.v1.tar+gzip", b"bundle")
    );
    let head = format!("PUT /v2/org/p/manifests/one HTTP/1.1\r\nContent-Type: {kind}");
    assert_eq!(send(&peer.address, &head, manifest.as_bytes()).0, "201");

    let client = today().client(&service(&format!("http://{}", peer.address), "type: oci"));
    run(async {
        let mut response = client.get("r/org/p:one", &[], &Limits::default()).await.expect("an answer");
        assert_eq!(response.bytes().await, Ok(b"bundle".to_vec()));
        let etag = response.header("etag").expect("a digest").to_owned();
        assert_eq!(format!("sha256:{etag}"), digest(b"bundle"));
        let again = client.get("r/org/p:one", &[("If-None-Match", &etag)], &Limits::default()).await;
        assert_eq!(again.expect("an answer").status(), 304);
        let missing = client.get("r/org/p:two", &[], &Limits::default()).await.expect_err("no such tag");
        assert!(missing.to_string().ends_with("404 Not Found"), "{missing}");
    });
}
