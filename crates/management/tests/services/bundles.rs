//! Bundles over real connections: what is asked, what is activated, what stays when something is wrong.
//!
//! The clock is in the test's hand: a worker that waits tells for how long and goes on when the test lets it, so that
//! nothing here waits for a time to pass. Chance comes from a seed.

use std::path::PathBuf;
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use lictor::bundle::{Bundle, write_archive};
use lictor::{
    BundleChange, BundleFault, Composition, Document, Engine, Options, ReadyBundle, Snapshot,
    document_of_yaml,
};
use lictor_management::bundles::Surroundings;
use lictor_management::config::Configuration;
use lictor_management::{Activate, Clock, Journal, Manager, Severity, Sleep};
use tokio::sync::oneshot;

use crate::Setting;
use crate::server::{Request, Server};

/// Longer than anything takes that does not hang.
const PATIENCE: Duration = Duration::from_secs(30);

/// A server's policy and data, which can refuse.
struct World {
    composition: Mutex<Composition>,
    data: Mutex<Snapshot>,
    refuses: Mutex<Option<String>>,
}

impl World {
    fn new() -> Self {
        let composition = Composition::new(Engine::new(Options::default()), Vec::new());
        let (composition, data) = (Mutex::new(composition), Mutex::new(Snapshot::empty()));
        Self { composition, data, refuses: Mutex::default() }
    }

    /// Returns the data at a path below `data`, as JSON.
    fn at(&self, path: &[&str]) -> String {
        let path: Vec<String> = path.iter().map(|it| (*it).to_owned()).collect();
        let data = self.data.lock().expect("no test fails");
        data.get(&path).map_or_else(|| "nothing".to_owned(), |it| it.to_json())
    }
}

impl Activate for World {
    fn prepare(&self, name: &str, etag: &str, bundle: Bundle) -> Result<ReadyBundle, BundleFault> {
        self.composition.lock().expect("no test fails").prepare(name, etag, bundle)
    }

    fn activate(&self, changes: &[BundleChange]) -> Result<(), BundleFault> {
        if let Some(text) = self.refuses.lock().expect("no test fails").clone() {
            return Err(BundleFault::Text(text));
        }
        let mut composition = self.composition.lock().expect("no test fails");
        let step = composition.after(changes)?;
        let mut data = self.data.lock().expect("no test fails");
        *data = step.data(&data)?;
        *composition = step.into_composition();
        Ok(())
    }
}

/// A wait that a worker is in: how long, and what ends it.
type Waiting = (Duration, oneshot::Sender<()>);

struct HandClock(Mutex<Sender<Waiting>>);

impl Clock for HandClock {
    fn now_ns(&self) -> i64 {
        1_500_000_000_000_000_000
    }

    fn sleep(&self, time: Duration) -> Sleep {
        let (wake, woken) = oneshot::channel();
        // The test may be over.
        let _ = self.0.lock().expect("no test fails").send((time, wake));
        Box::pin(async move {
            // Nobody wakes a worker whose test is over.
            if woken.await.is_err() {
                std::future::pending::<()>().await;
            }
        })
    }
}

#[derive(Clone, Default)]
struct Log(Arc<Mutex<Vec<String>>>);

impl Journal for Log {
    fn write(&self, severity: Severity, message: &str, fields: &[(&str, &str)]) {
        if severity <= Severity::Info {
            let name = fields.iter().find(|it| it.0 == "name").map_or("", |it| it.1);
            self.0.lock().expect("no test fails").push(format!("{name}: {message}"));
        }
    }
}

/// A manager with all that it is handed.
struct Running {
    manager: Manager,
    world: Arc<World>,
    waits: Receiver<Waiting>,
    log: Log,
    directory: PathBuf,
}

impl Running {
    /// Starts a manager; bundles are kept in a folder of the test's name.
    fn start(test: &str, configuration: &str) -> Self {
        let directory = std::env::temp_dir().join(format!("lictor-bundles-{test}-{}", std::process::id()));
        Self::start_in(directory, configuration)
    }

    fn start_in(directory: PathBuf, configuration: &str) -> Self {
        let root = document_of_yaml(configuration.as_bytes()).expect("YAML");
        let configuration = Configuration::read(root).expect("a configuration");
        let (sender, waits) = mpsc::channel();
        let (world, log) = (Arc::new(World::new()), Log::default());
        let surroundings = Surroundings {
            activate: Arc::clone(&world) as Arc<dyn Activate>,
            clock: Arc::new(HandClock(Mutex::new(sender))),
            random: Arc::new(|bytes| bytes.fill(0x80)),
            journal: Arc::new(log.clone()),
            persistence_directory: directory.clone(),
        };
        let manager = Manager::new(configuration, "1", surroundings, Setting::new().world());
        let manager = manager.expect("threads");
        manager.start();
        Self { manager, world, waits, log, directory }
    }

    /// Waits until a worker waits, and returns for how long it would; it goes on when the other is dropped or used.
    fn wait(&self) -> Waiting {
        self.waits.recv_timeout(PATIENCE).expect("a worker that waits")
    }

    /// Lets the worker that waits go on, and returns how long the next wait would be.
    fn turn(&self, waiting: Waiting) -> Waiting {
        waiting.1.send(()).expect("a worker");
        self.wait()
    }

    fn status(&self, name: &str) -> Document {
        let status = self.manager.status_json().expect("a status");
        let status = lictor::json::read_document(&status).expect("JSON");
        status.below(&["bundles", name]).expect("a bundle")
    }

    fn told(&self, name: &str, field: &str) -> String {
        self.status(name).root().as_object().and_then(|it| it.get_str(field)).map_or_else(
            || "nothing".to_owned(),
            |it| it.as_str().map_or_else(|| it.to_json(), str::to_owned),
        )
    }

    fn logged(&self, part: &str) -> bool {
        self.log.0.lock().expect("no test fails").iter().any(|it| it.contains(part))
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        // The folder may belong to a test that started twice.
        let _ = std::fs::remove_dir_all(&self.directory);
    }
}

/// Returns an archive with a manifest for the root `a`, one module and `data.a.n`.
fn archive(revision: &str, number: u32) -> Vec<u8> {
    let manifest = format!(r#"{{"roots": ["a"], "revision": "{revision}"}}"#);
    let members = [
        ("/.manifest".to_owned(), manifest.into_bytes()),
        ("/p.rego".to_owned(), b"package a.p\n\nq := data.a.n\n".to_vec()),
        ("/a/data.json".to_owned(), format!(r#"{{"n": {number}}}"#).into_bytes()),
    ];
    packed(&members)
}

fn packed(members: &[(String, Vec<u8>)]) -> Vec<u8> {
    let mut bytes = Vec::new();
    write_archive(members, &mut bytes).expect("an archive");
    bytes
}

fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\n{headers}content-length: {}\r\n\r\n", body.len());
    [head.as_bytes(), body].concat()
}

/// Returns the answer of a server that has a bundle with a tag.
fn tagged(request: &Request, tag: &str, kind: &str, body: &[u8]) -> Vec<u8> {
    let held = request.header("if-none-match").split(", ").any(|it| it == tag);
    if held {
        return answer("304 Not Modified", &format!("etag: {tag}\r\n"), b"");
    }
    answer("200 OK", &format!("etag: {tag}\r\ncontent-type: {kind}\r\n"), body)
}

fn configuration(url: &str, fields: &str) -> String {
    format!(
        "services: {{s: {{url: '{url}'}}}}\nstatus: {{}}\n\
         bundles: {{x: {{resource: b.tar.gz, {fields} polling: {{min_delay_seconds: 10, max_delay_seconds: 20}}}}}}"
    )
}

/// What a server says in its turns, the last one for ever; `None` closes the connection.
type Script = Arc<Mutex<Vec<Vec<u8>>>>;

fn scripted(answers: Vec<Vec<u8>>) -> (Server, Script) {
    let script = Arc::new(Mutex::new(answers));
    let said = Arc::clone(&script);
    let server = Server::start(move |_| {
        let mut answers = said.lock().expect("no test fails");
        if answers.len() > 1 { answers.remove(0) } else { answers.first().cloned().unwrap_or_default() }
    });
    (server, script)
}

#[test]
fn a_new_bundle_is_fetched_once_and_kept() {
    let current = Arc::new(Mutex::new(("\"t1\"", archive("r1", 1))));
    let served = Arc::clone(&current);
    let server = Server::start(move |request| {
        let (tag, body) = served.lock().expect("no test fails").clone();
        tagged(request, tag, "application/gzip", &body)
    });
    let running = Running::start("new", &configuration(&server.url, "persist: true,"));
    let waiting = running.wait();
    let delay = waiting.0.as_secs_f64();
    assert!((10.0..=20.0).contains(&delay), "{delay}");
    assert_eq!(running.world.at(&["a"]), r#"{"n":1}"#);
    assert_eq!(running.world.at(&["system", "bundles", "x", "etag"]), r#""\"t1\"""#);
    assert_eq!(running.told("x", "active_revision"), "r1");
    assert_eq!(running.told("x", "last_successful_activation"), "2017-07-14T02:40:00Z");
    assert!(running.logged("x: Bundle loaded and activated successfully. Etag updated to \"t1\"."));
    let kept = running.directory.join("bundles/x/bundle.tar.gz");
    assert_eq!(std::fs::read(&kept).expect("kept"), archive("r1", 1));
    assert_eq!(running.manager.plugins()[0], ("bundle".to_owned(), true));
    let waiting = running.turn(waiting);
    *current.lock().expect("no test fails") = ("\"t2\"", archive("r2", 2));
    running.turn(waiting);
    assert_eq!(running.world.at(&["a"]), r#"{"n":2}"#);
    assert_eq!(std::fs::read(&kept).expect("kept"), archive("r2", 2));
    let requests = server.requests();
    let tags: Vec<&str> = requests.iter().map(|it| it.header("if-none-match")).collect();
    assert_eq!(tags, ["", "\"t1\"", "\"t1\""]);
    assert!(
        requests.iter().all(|it| it.target == "/b.tar.gz" && it.header("prefer") == "modes=snapshot,delta")
    );
}

#[test]
fn whatever_is_wrong_leaves_the_last_bundle() {
    let good = answer("200 OK", "etag: \"t1\"\r\n", &archive("r1", 1));
    let html = "content-type: text/html\r\n";
    let cut = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n2\r\n\x1f\x8b\r\nno size\r\n".to_vec();
    let broken = {
        let mut bytes = archive("r3", 3);
        bytes.truncate(bytes.len() - 30);
        answer("200 OK", "", &bytes)
    };
    let mut noise = b"\x1f\x8b\x08\0\0\0\0\0\0\x03".to_vec();
    noise.resize(2_000, 7);
    let (server, script) = scripted(vec![good]);
    let running = Running::start("wrong", &configuration(&server.url, "size_limit_bytes: 500,"));
    let mut waiting = running.wait();
    assert_eq!(running.world.at(&["a"]), r#"{"n":1}"#);
    let roots = br#"{"roots": ["a"]}"#.to_vec();
    let of = |members: Vec<(&str, Vec<u8>)>| {
        let members: Vec<(String, Vec<u8>)> = members.into_iter().map(|it| (it.0.to_owned(), it.1)).collect();
        answer("200 OK", "", &packed(&members))
    };
    for (said, message) in [
        (answer("404 Not Found", "", b""), "server replied with Not Found"),
        (answer("503 Service Unavailable", "", b"x"), "server replied with Service Unavailable"),
        (answer("302 Found", "location: /b.tar.gz\r\n", b""), "stopped after 10 redirects"),
        (
            answer("200 OK", html, b"<!DOCTYPE html>"),
            "archive read failed: gzip: invalid header (the server calls it \"text/html\", expected one of [",
        ),
        (answer("200 OK", "", b""), "archive read failed: EOF"),
        (cut, "request failed: invalid chunk size"),
        (broken, "unexpected EOF"),
        (answer("200 OK", "", &noise), "bundle read failed: "),
        (Vec::new(), "EOF"),
        (
            of(vec![("/.manifest", roots.clone()), ("/b/data.json", b"1".to_vec())]),
            "do not permit data at path '/b'",
        ),
        (
            of(vec![("/.manifest", roots.clone()), ("/a/data.json", vec![b' '; 501])]),
            "exceeded max size (500 bytes)",
        ),
        (
            of(vec![("/.manifest", roots), ("/p.rego", b"package a\np if {".to_vec())]),
            "error(s) occurred while compiling module(s)",
        ),
    ] {
        *script.lock().expect("no test fails") = vec![said];
        waiting = running.turn(waiting);
        let told = running.told("x", "message");
        assert!(told.contains(message), "wanted {message}, told {told}");
        assert_eq!(running.told("x", "code"), "bundle_error");
        assert_eq!(running.world.at(&["a"]), r#"{"n":1}"#, "{message}");
        assert_eq!(running.told("x", "active_revision"), "r1");
    }
    assert!(server.requests().iter().skip(1).all(|it| it.header("if-none-match") == "\"t1\""));
    // What cannot be activated is tried again, with the tag of what is active.
    *running.world.refuses.lock().expect("no test fails") = Some("no room".to_owned());
    *script.lock().expect("no test fails") = vec![answer("200 OK", "etag: \"t2\"\r\n", &archive("r2", 2))];
    let waiting = running.turn(waiting);
    assert!(running.logged("x: Bundle activation failed: no room"));
    *running.world.refuses.lock().expect("no test fails") = None;
    running.turn(waiting);
    assert_eq!(running.world.at(&["a"]), r#"{"n":2}"#);
    assert_eq!(running.told("x", "message"), "nothing");
}

#[test]
fn pauses_grow_after_failures_and_end_with_success() {
    let (server, script) = scripted(vec![answer("500 Internal Server Error", "", b"")]);
    let running = Running::start("pauses", &configuration(&server.url, ""));
    let mut waiting = running.wait();
    let mut pauses = vec![waiting.0];
    for _ in 0..14 {
        waiting = running.turn(waiting);
        pauses.push(waiting.0);
    }
    let milliseconds: Vec<u128> = pauses.iter().map(Duration::as_millis).collect();
    assert_eq!(milliseconds.get(..4), Some([0, 160, 256, 409].as_slice()), "{milliseconds:?}");
    assert!(pauses.last().is_some_and(|it| it.as_secs() == 20), "{milliseconds:?}");
    assert_eq!(running.manager.bundles_not_activated(), ["x"]);
    *script.lock().expect("no test fails") = vec![answer("200 OK", "", &archive("r1", 1))];
    waiting = running.turn(waiting);
    assert!(waiting.0.as_secs() >= 10);
    *script.lock().expect("no test fails") = vec![Vec::new()];
    waiting = running.turn(waiting);
    assert_eq!(waiting.0, Duration::ZERO, "the first failure is tried again at once");
    assert_eq!(running.told("x", "last_successful_request"), "2017-07-14T02:40:00Z");
}

#[test]
fn servers_that_hold_requests_are_asked_again_at_once() {
    let kind = Arc::new(Mutex::new("application/vnd.openpolicyagent.bundles"));
    let said = Arc::clone(&kind);
    let server = Server::start(move |request| {
        tagged(request, "\"t1\"", *said.lock().expect("no test fails"), &archive("r1", 1))
    });
    let polling = "polling: {long_polling_timeout_seconds: 7, superseded_etag_ttl_seconds: 60}";
    let text = format!("services: {{s: {{url: '{}'}}}}\nbundles: {{x: {{{polling}}}}}", server.url);
    let running = Running::start("held", &text);
    let waiting = running.wait();
    assert_eq!(waiting.0, Duration::from_millis(100));
    let waiting = running.turn(waiting);
    assert_eq!(
        waiting.0,
        Duration::from_millis(100),
        "a server that held once does so when there is nothing new"
    );
    drop(waiting);
    // One that does not say so is polled.
    *kind.lock().expect("no test fails") = "application/gzip";
    let running = Running::start("held", &text);
    let waiting = running.wait();
    assert!(waiting.0 >= Duration::from_secs(60));
    running.turn(waiting);
    let requests = server.requests();
    let asked: Vec<&str> = requests.iter().map(|it| it.header("prefer")).collect();
    let (held, plain) = ("modes=snapshot,delta;wait=7", "modes=snapshot,delta");
    assert_eq!(asked, [held, held, held, plain]);
    assert_eq!(requests[0].target, "/bundles/x");
}

#[test]
fn what_was_kept_is_served_while_the_service_is_away() {
    let server = Server::start(|request| tagged(request, "\"t1\"", "", &archive("r1", 1)));
    let running = Running::start("kept", &configuration(&server.url, "persist: true,"));
    running.wait();
    let directory = running.directory.with_extension("moved");
    std::fs::rename(&running.directory, &directory).expect("moved");
    drop(running);
    let away = configuration("http://127.0.0.1:1", "persist: true,");
    let running = Running::start_in(directory.clone(), &away);
    assert_eq!(running.world.at(&["a"]), r#"{"n":1}"#, "before anything was asked");
    running.wait();
    assert_eq!(running.told("x", "active_revision"), "r1");
    assert!(
        running
            .told("x", "message")
            .starts_with("request failed: Get \"http://127.0.0.1:1/b.tar.gz\": dial tcp")
    );
    assert_eq!(running.manager.plugins()[0], ("bundle".to_owned(), true));
    // What is damaged is told, and fetched again.
    let moved = directory.with_extension("again");
    std::fs::rename(&directory, &moved).expect("moved");
    let kept = moved.join("bundles/x/bundle.tar.gz");
    std::fs::write(&kept, archive("r1", 1).get(..40).expect("longer")).expect("written");
    let server = Server::start(|request| tagged(request, "\"t1\"", "", &archive("r1", 1)));
    let running = Running::start_in(moved, &configuration(&server.url, "persist: true,"));
    assert!(running.logged("x: Failed to load bundle from disk: bundle read failed"));
    running.wait();
    assert_eq!(running.world.at(&["a"]), r#"{"n":1}"#);
    assert_eq!(server.request().header("if-none-match"), "");
}

/// Returns a delta of the bundle of [`archive`] with one operation.
/// Returns an archive with so much data that a snapshot is made of it.
fn large_archive() -> Vec<u8> {
    let items: Vec<String> = (0..40_000).map(|it| format!("\"a text of some length {it}\"")).collect();
    let members = [
        ("/.manifest".to_owned(), br#"{"roots": ["a"], "revision": "r1"}"#.to_vec()),
        ("/a/data.json".to_owned(), format!(r#"{{"n": 1, "items": [{}]}}"#, items.join(",")).into_bytes()),
    ];
    packed(&members)
}

#[test]
fn a_snapshot_of_what_was_kept_is_mapped_and_dropped_when_it_is_damaged() {
    let server = Server::start(|request| tagged(request, "\"t1\"", "", &large_archive()));
    let running = Running::start("mapped", &configuration(&server.url, "persist: true,"));
    running.wait();
    let items = running.world.at(&["a", "items"]);
    // A server that ends takes its folder along, but not one that has another name by then.
    let moved = |running: Running, name: &str| {
        let next = running.directory.with_extension(name);
        std::fs::rename(&running.directory, &next).expect("moved");
        next
    };
    let away = configuration("http://127.0.0.1:1", "persist: true,");
    // Of an archive that cannot be read only the snapshot is left.
    let next = moved(running, "second");
    let kept = next.join("bundles/x/bundle.tar.gz");
    let whole = std::fs::read(&kept).expect("kept");
    let written = std::fs::metadata(&kept).and_then(|it| it.modified()).expect("a time");
    let overwrite = |path: &std::path::Path, bytes: &[u8]| {
        std::fs::write(path, bytes).expect("written");
        let file = std::fs::File::options().write(true).open(path).expect("opened");
        file.set_modified(written).expect("as if nothing had happened");
    };
    overwrite(&kept, &vec![b'x'; whole.len()]);
    let running = Running::start_in(next, &away);
    assert_eq!(running.world.at(&["a", "items"]), items);
    assert_eq!(running.world.at(&["a", "n"]), "1");
    running.wait();
    // A snapshot with a damaged block is dropped, and the archive stands in for it.
    let next = moved(running, "third");
    let (kept, snapshot) = (next.join("bundles/x/bundle.tar.gz"), next.join("bundles/x/bundle.snapshot"));
    overwrite(&kept, &whole);
    let mut bytes = std::fs::read(&snapshot).expect("kept");
    bytes[100_000] ^= 1;
    std::fs::write(&snapshot, bytes).expect("written");
    let running = Running::start_in(next, &away);
    let waiting = running.wait();
    assert_eq!(running.world.at(&["a", "n"]), "1");
    assert_ne!(running.world.at(&["a", "items"]), items);
    let waiting = running.turn(waiting);
    assert!(running.logged("x: The snapshot of the bundle is damaged and was dropped."));
    assert_eq!(running.world.at(&["a", "items"]), items);
    assert!(!snapshot.exists());
    running.turn(waiting);
}

fn delta(revision: &str, operation: &str) -> Vec<u8> {
    let manifest = format!(r#"{{"roots": ["a"], "revision": "{revision}"}}"#);
    let patch = format!(r#"{{"data": [{operation}]}}"#);
    packed(&[
        ("/.manifest".to_owned(), manifest.into_bytes()),
        ("/patch.json".to_owned(), patch.into_bytes()),
    ])
}

#[test]
fn deltas_are_kept_and_done_again_at_the_start() {
    let of = |tag: &str, body: &[u8]| answer("200 OK", &format!("etag: {tag}\r\n"), body);
    let (server, _) = scripted(vec![
        of("1", &archive("r1", 1)),
        of("2", &delta("r2", r#"{"op": "upsert", "path": "a/m/k", "value": 2}"#)),
        of("3", &delta("r3", r#"{"op": "replace", "path": "a/n", "value": 3}"#)),
        of("4", &delta("r4", r#"{"op": "remove", "path": "a/absent"}"#)),
        answer("304 Not Modified", "", b""),
    ]);
    let running = Running::start("deltas", &configuration(&server.url, "persist: true,"));
    let waiting = running.wait();
    let waiting = running.turn(waiting);
    let waiting = running.turn(waiting);
    assert_eq!(running.world.at(&["a"]), r#"{"m":{"k":2},"n":3}"#);
    assert_eq!(running.told("x", "type"), "delta");
    let waiting = running.turn(waiting);
    assert!(
        running.told("x", "message").contains("storage_not_found_error"),
        "{}",
        running.told("x", "message")
    );
    running.turn(waiting);
    let tags: Vec<String> =
        server.requests().iter().map(|it| it.header("if-none-match").to_owned()).collect();
    assert_eq!(tags, ["", "1", "2", "3", ""], "after a delta that cannot be, all is asked for");
    let directory = running.directory.with_extension("moved");
    std::fs::rename(&running.directory, &directory).expect("moved");
    drop(running);
    let away = configuration("http://127.0.0.1:1", "persist: true,");
    let running = Running::start_in(directory.clone(), &away);
    assert_eq!(running.world.at(&["a"]), r#"{"m":{"k":2},"n":3}"#, "before anything was asked");
    assert_eq!(running.told("x", "active_revision"), "r3");
    let moved = directory.with_extension("again");
    std::fs::rename(&directory, &moved).expect("moved");
    drop(running);
    // A torn end takes the delta with it that it belongs to.
    let chain = moved.join("bundles/x/deltas");
    let bytes = std::fs::read(&chain).expect("kept");
    std::fs::write(&chain, bytes.get(..bytes.len() - 1).expect("longer")).expect("written");
    let server = Server::start(|request| tagged(request, "\"t1\"", "", &archive("r5", 5)));
    let running = Running::start_in(moved, &configuration(&server.url, "persist: true,"));
    assert_eq!(running.world.at(&["a", "m"]), r#"{"k":2}"#);
    running.wait();
    assert_eq!(running.world.at(&["a"]), r#"{"n":5}"#);
    assert_eq!(server.request().header("if-none-match"), "");
    assert!(!running.directory.join("bundles/x/deltas").exists(), "a whole bundle has none");
}

#[test]
fn files_are_read_when_they_change() {
    let folder = std::env::temp_dir().join(format!("lictor-file-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("made");
    let path = folder.join("b.tar.gz");
    let text = format!(
        "status: {{}}\nbundles: {{x: {{resource: 'file://{}'}}, y: {{resource: 'file://{}', trigger: manual}}}}",
        path.display(),
        folder.display()
    );
    let running = Running::start("files", &text);
    let waiting = running.wait();
    assert!(running.told("x", "message").ends_with("b.tar.gz: no such file or directory"));
    std::fs::write(&path, archive("r1", 1)).expect("written");
    let waiting = running.turn(waiting);
    assert_eq!(running.told("x", "active_revision"), "r1");
    let waiting = running.turn(waiting);
    std::fs::write(&path, archive("revision 2", 2)).expect("written");
    running.turn(waiting);
    assert_eq!(running.told("x", "active_revision"), "revision 2");
    assert_eq!(running.world.at(&["a", "n"]), "2");
    assert_eq!(running.manager.bundles_not_activated(), ["y"], "nobody looks for it");
    std::fs::remove_dir_all(folder).expect("removed");
}

/// Returns an archive with one module, whose decision is a configuration.
fn discovered(module: &str) -> Vec<u8> {
    let module = format!("package config\n\n{module}\n");
    packed(&[("/config.rego".to_owned(), module.into_bytes())])
}

#[test]
fn discovered_bundles_come_and_go() {
    let first = "bundles.x := {\"resource\": \"b.tar.gz\", \"polling\": {\"min_delay_seconds\": 10, \"max_delay_seconds\": 20}}";
    let current = Arc::new(Mutex::new(discovered(&format!(
        "{first}\n\nlabels := {{\"a\": \"c\", \"d\": \"${{E}}\"}}"
    ))));
    let served = Arc::clone(&current);
    let server = Server::start(move |request| match request.target.as_str() {
        "/config" => answer("200 OK", "etag: \"c\"\r\n", &served.lock().expect("no test fails")),
        _ => tagged(request, "\"t1\"", "", &archive("r1", 1)),
    });
    let polling = "polling: {min_delay_seconds: 1000, max_delay_seconds: 2000}";
    let text = format!(
        "services: {{s: {{url: '{}'}}}}\nstatus: {{}}\nlabels: {{a: b}}\n\
         discovery: {{resource: config, decision: config, persist: true, {polling}}}",
        server.url
    );
    let running = Running::start("discovery", &text);
    // Two workers wait: that of discovery for longer.
    let pair = |running: &Running| {
        let (one, other) = (running.wait(), running.wait());
        if one.0 > other.0 { (one, other) } else { (other, one) }
    };
    let (discovery, bundle) = pair(&running);
    assert_eq!(running.world.at(&["a"]), r#"{"n":1}"#);
    assert_eq!(bundle.0.as_secs(), 15);
    assert!(running.manager.plugins().iter().all(|it| it.1));
    let config = String::from_utf8(running.manager.config_json()).expect("UTF-8");
    assert!(config.contains(r#""labels":{"a":"b","d":"${E}","#), "{config}");
    assert!(config.contains(r#""resource":"b.tar.gz""#), "{config}");
    // What cannot be acted on changes nothing and is told.
    let mut discovery = discovery;
    for (module, message) in [
        ("bundles.x := {\"service\": \"nobody\"}", "service name \"nobody\" not found"),
        (
            "services.s := {\"url\": \"http://127.0.0.1:1\"}",
            "updates to the discovery service are not allowed",
        ),
        ("decision_logs := {}", "decision_logs is not supported by this version of lictor"),
    ] {
        *current.lock().expect("no test fails") = discovered(module);
        discovery = running.turn(discovery);
        let status = running.manager.status_json().expect("a status");
        let status = String::from_utf8(status).expect("UTF-8");
        let told = status.split_once(r#""discovery":{"name":"discovery""#).expect("a status of discovery").1;
        assert!(told.contains(&message.replace('"', "\\\"")), "{module}: {told}");
        assert!(running.logged("discovery: Discovery reconfiguration error occurred: "));
        assert_eq!(running.world.at(&["a"]), r#"{"n":1}"#);
    }
    // A service that is new, and a bundle that is gone.
    let second =
        "bundles.y := {\"resource\": \"file:///nowhere\"}\n\nservices.t := {\"url\": \"http://127.0.0.1:1\"}";
    *current.lock().expect("no test fails") = discovered(second);
    discovery.1.send(()).expect("a worker");
    let (_, file) = pair(&running);
    assert_eq!(file.0, Duration::ZERO, "it failed once");
    assert_eq!(running.manager.bundles_not_activated(), ["y"]);
    let config = String::from_utf8(running.manager.config_json()).expect("UTF-8");
    assert!(config.contains(r#""t":{"url""#) && !config.contains("b.tar.gz"), "{config}");
    assert!(running.directory.join("bundles/discovery/bundle.tar.gz").exists());
}
