//! The REST API over real connections, on a port that the kernel chooses.
//!
//! The client is a socket and text, so that what is asserted is what goes over the wire. Nothing here waits for a
//! time to pass: an answer or the end of a connection is what a test goes on at.

use std::io::{Read as _, Write as _};
use std::net::{SocketAddr, TcpStream};
use std::sync::{Arc, Condvar, Mutex, mpsc};
use std::thread::{self, JoinHandle};
use std::time::Duration;

use flate2::{Compression, write::GzEncoder};
use lictor::bundle::{Bundle, DataFile, Manifest, Member, Roots};
use lictor::{
    ActiveBundle, BuiltinError, BundleChange, BundleFault, Composition, Context, CustomBuiltin, Engine,
    NullHost, Options, Value,
};
use lictor_server::{Activator, Config, Facts, Level, Log, PluginState, Server, Start, Stopper};

const POLICY: &str = r#"
package app

allow if input.user == "ann"

roles contains "admin" if input.user == "ann"

roles contains "<all>"

level[name] := count(name) if some name in ["x", "yy"]

broken := 1 if input.clash

broken := 2 if input.clash

ratio := 1 / input.zero

crash := test.crash(input)

given := [input]
"#;

const MAIN: &str = r#"
package system

main := {"echo": input} if input.ok

health.live if input.plugins_ready
"#;

#[expect(clippy::panic, reason = "what the server must survive")]
fn crash() -> Result<Option<Value<'static>>, BuiltinError> {
    panic!("a test");
}

/// A server that runs until it is dropped.
struct Running {
    address: SocketAddr,
    stopper: Stopper,
    activator: Activator,
    thread: Option<JoinHandle<()>>,
}

impl Running {
    fn start(change: impl FnOnce(&mut Config)) -> Self {
        Self::serve(Self::engine(), Vec::new(), change)
    }

    fn engine() -> Engine {
        let mut engine = Engine::new(Options::default());
        let crash = CustomBuiltin::new("test.crash", "any -> any", |_, _| crash());
        let crash = CustomBuiltin { impure: true, ..crash };
        engine.add_builtin(crash).expect("a built-in");
        engine.add_module("app.rego", POLICY.as_bytes(), None);
        engine.add_module("main.rego", MAIN.as_bytes(), None);
        let data = br#"{"base": {"list": [10, 20], "1": "one", "a/b": {"c d": 7}}}"#;
        engine.add_data_json(&[], "data.json", data).expect("data");
        engine
    }

    fn serve(engine: Engine, bundles: Vec<ActiveBundle>, change: impl FnOnce(&mut Config)) -> Self {
        Self::serve_beside(engine, bundles, None, change)
    }

    fn serve_beside(
        engine: Engine,
        bundles: Vec<ActiveBundle>,
        facts: Option<Arc<dyn Facts>>,
        change: impl FnOnce(&mut Config),
    ) -> Self {
        let policy = engine.compile().expect("a policy");
        let start = Start { policy, composition: Composition::new(engine, bundles) };
        let mut config = Config {
            addresses: vec!["127.0.0.1:0".to_owned()],
            threads: 2,
            grace: Duration::from_secs(5),
            log: Log { level: Level::Error, ..Log::default() },
            ..Config::default()
        };
        change(&mut config);
        let server = Server::bind(config, start, Arc::new(NullHost)).expect("a free port");
        if let Some(facts) = facts {
            server.tell(facts);
        }
        let (address, stopper, activator) = (server.addresses()[0], server.stopper(), server.activator());
        let thread = thread::spawn(move || server.run().expect("served"));
        Self { address, stopper, activator, thread: Some(thread) }
    }

    fn connect(&self) -> TcpStream {
        let stream = TcpStream::connect(self.address).expect("connected");
        stream.set_read_timeout(Some(Duration::from_secs(20))).expect("set");
        stream
    }

    /// Sends a request and returns the status, the headers and the body.
    fn send(&self, method: &str, target: &str, headers: &str, body: &[u8]) -> Answer {
        let mut stream = self.connect();
        write_request(&mut stream, method, target, &format!("connection: close\r\n{headers}"), body);
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("answered");
        Answer::read(&bytes)
    }

    fn get(&self, target: &str) -> Answer {
        self.send("GET", target, "", b"")
    }

    fn post(&self, target: &str, body: &str) -> Answer {
        self.send("POST", target, "", body.as_bytes())
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.stopper.stop();
        if let Some(thread) = self.thread.take() {
            thread.join().expect("ended");
        }
    }
}

fn write_request(stream: &mut TcpStream, method: &str, target: &str, headers: &str, body: &[u8]) {
    let length = body.len();
    let head = format!("{method} {target} HTTP/1.1\r\nhost: x\r\n{headers}content-length: {length}\r\n\r\n");
    stream.write_all(head.as_bytes()).expect("sent");
    stream.write_all(body).expect("sent");
}

struct Answer {
    status: u16,
    head: String,
    body: String,
}

impl Answer {
    fn read(bytes: &[u8]) -> Self {
        let text = String::from_utf8(bytes.to_vec()).expect("UTF-8");
        let (head, body) = text.split_once("\r\n\r\n").expect("a head");
        let status = head.split(' ').nth(1).and_then(|it| it.parse().ok()).expect("a status");
        Self { status, head: head.to_lowercase(), body: body.to_owned() }
    }

    #[track_caller]
    fn is(&self, status: u16, body: &str) {
        assert_eq!((self.status, self.body.as_str()), (status, body));
    }

    #[track_caller]
    fn has(&self, status: u16, part: &str) {
        assert_eq!(self.status, status, "{}", self.body);
        assert!(self.body.contains(part), "{} does not hold {part}", self.body);
    }
}

const MISSING: &str =
    "{\"warning\":{\"code\":\"api_usage_warning\",\"message\":\"'input' key missing from the request\"}}\n";

#[test]
fn documents_are_read() {
    let server = Running::start(|_| {});
    server.post("/v1/data/app/allow", r#"{"input": {"user": "ann"}} ignored"#).is(200, "{\"result\":true}\n");
    server.post("/v1/data/app/allow", r#"{"input": {"user": "bob"}}"#).is(200, "{}\n");
    server.post("/v1/data/app/allow", "").is(200, MISSING);
    server.post("/v1/data/app/allow", r#"{"input": null, "other": [1]}"#).is(200, MISSING);
    server.get("/v1/data/app/roles").is(200, "{\"result\":[\"\\u003call\\u003e\"]}\n");
    server.get("/v1/data/app/allow?input=%7B%22user%22:%22ann%22%7D").is(200, "{\"result\":true}\n");
    server
        .get("/v1/data/app/allow?pretty&input={%22user%22:%22ann%22}")
        .is(200, "{\n  \"result\": true\n}\n");
    server.get("/v1/data/base/list/1").is(200, "{\"result\":20}\n");
    server.get("/v1/data/base/1").is(200, "{\"result\":\"one\"}\n");
    server.get("/v1/data/base/a%2Fb/c%20d").is(200, "{\"result\":7}\n");
    server.get("/v1/data/app/level/yy").is(200, "{\"result\":2}\n");
    server.get("/v1/data/nowhere").is(200, "{}\n");
    let all = server.get("/v1/data/app/roles?metrics&provenance");
    all.has(200, "{\"provenance\":{\"version\":\"\"");
    all.has(200, "\"timer_rego_query_eval_ns\":");
}

#[test]
fn requests_that_make_no_sense_are_refused() {
    let server = Running::start(|config| config.body_bytes_max = 1_000);
    let malformed = "\"message\": \"body contains malformed input document: ";
    server.post("/v1/data/app", r#"{"input":"#).has(400, &format!("{malformed}unexpected EOF\""));
    server.post("/v1/data/app", "[1]").has(400, "cannot unmarshal array into Go value of type types.alias");
    server.get("/v1/data/app?input=").has(400, "parameter contains malformed input document: EOF");
    server.get("/v1/data/app?explain=full").has(400, "parameter 'explain' is not supported");
    server.post("/", "{").has(400, "unexpected parse error for input: body contains malformed");
    let large = format!("{{\"input\": \"{}\"}}", "x".repeat(2_000));
    server.post("/v1/data/app", &large).has(400, "request body too large: 2013 exceeds limit of 1000 bytes");
    server.send("OPTIONS", "/v1/data/app", "", b"1").is(405, "");
    server.send("DELETE", "/health", "", b"").is(405, "Method Not Allowed\n");
    server.get("/nowhere").is(404, "404 page not found\n");
    let moved = server.get("/v1/data/app/?pretty");
    moved.has(301, "Moved Permanently");
    assert!(moved.head.contains("location: /v1/data/app?pretty"), "{}", moved.head);
}

/// Method, path below `/v1/data`, body, and what OPA answers: the status and, of errors, a part of the text.
const WRITES: &[(&str, &str, &str, u16, &str)] = &[
    ("PUT", "/a", r#"{"b": {"c": [1, 2]}, "n": 1}"#, 204, ""),
    ("GET", "/a", "", 200, r#"{"result":{"b":{"c":[1,2]},"n":1}}"#),
    ("PUT", "/a/b/c/0", "9", 204, ""),
    (
        "PUT",
        "/a/b/c/7",
        "9",
        404,
        "resource_conflict\",\n  \"message\": \"storage_write_conflict_error: /a/b/c\"",
    ),
    ("PUT", "/a/n/x/y", "9", 404, "storage_write_conflict_error: /a/n\""),
    ("PUT", "/x/y%2Fz/01", "{} and more", 204, ""),
    ("PUT", "/a", "{", 400, "\"unexpected EOF\""),
    ("PUT", "/a", "", 400, "\"EOF\""),
    ("PUT", "/app/allow", "1", 400, "rego_compile_error: conflicting rule for data path app/allow found"),
    ("PUT", "/app", r#"{"level": {"x": 1}}"#, 400, "conflicting rule for data path app/level found"),
    ("PUT", "/app/other", "1", 204, ""),
    ("PATCH", "/a", r#"[{"op": "add", "path": "b/c/-", "value": 5}]"#, 204, ""),
    (
        "PATCH",
        "/a",
        r#"[{"op": "add", "path": "/b/x~1y", "value": 1}, {"op": "remove", "path": "/n"}]"#,
        204,
        "",
    ),
    ("PATCH", "/a", r#"[{"op": "replace", "path": "/b/c/1", "value": "r"}]"#, 204, ""),
    ("GET", "/a", "", 200, r#"{"result":{"b":{"c":[9,"r",2,5],"x/y":1}}}"#),
    (
        "PATCH",
        "/a",
        r#"[{"op": "add", "path": "q", "value": 1}, {"op": "remove", "path": "/zz"}]"#,
        404,
        "document does not exist",
    ),
    ("GET", "/a/q", "", 200, "{}"),
    (
        "PATCH",
        "/a",
        r#"[{"op": "add", "path": "/b/c/9", "value": 1}]"#,
        404,
        "/a/b/c/9: array index out of range",
    ),
    ("PATCH", "/a", r#"[{"op": "copy", "path": "/b"}]"#, 400, "\"bad patch operation: copy\""),
    ("PATCH", "/a", r#"{"op": 1}"#, 400, "cannot unmarshal object into Go value of type []types.PatchV1"),
    ("PATCH", "/a", r#"[{"op": "add", "path": 1}]"#, 400, "Go struct field PatchV1.path of type string"),
    ("PATCH", "", "null", 204, ""),
    ("DELETE", "/a/b/c/0", "", 204, ""),
    ("DELETE", "/a/b", "", 204, ""),
    ("DELETE", "/a/b", "", 404, "storage_not_found_error: document does not exist"),
    ("DELETE", "", "", 405, ""),
    ("GET", "/a", "", 200, r#"{"result":{}}"#),
    ("PUT", "/owned/here", "1", 400, "path owned/here is owned by bundle \\\"one\\\""),
    ("PATCH", "", r#"[{"op": "add", "path": "/owned", "value": 1}]"#, 400, "path owned is owned by bundle"),
    ("PUT", "", "{}", 400, "can't write to document root with bundle roots configured"),
];

#[test]
fn documents_are_written() {
    let roots = Roots::new(&["owned/here/deep".to_owned()]);
    let owner = ActiveBundle { name: "one".to_owned(), revision: "r1".to_owned(), roots };
    let server = Running::serve(Running::engine(), vec![owner], |_| {});
    for (method, path, body, status, part) in WRITES {
        let answer = server.send(method, &format!("/v1/data{path}"), "", body.as_bytes());
        assert_eq!(answer.status, *status, "{method} {path} {body}: {}", answer.body);
        assert!(answer.body.contains(part), "{method} {path} {body}: {}", answer.body);
    }
    let only_new = "if-none-match: *\r\n";
    server.send("PUT", "/v1/data/a/new", only_new, b"1").is(204, "");
    server.send("PUT", "/v1/data/a/new", only_new, b"2").is(304, "");
    server.get("/v1/data/a/new").is(200, "{\"result\":1}\n");
    server.send("PUT", "/v1/data/a?metrics", "", b"{}").has(200, "timer_rego_input_parse_ns");
}

/// A request sees one generation: two keys that are written together are never seen apart, and no write is lost.
#[test]
fn decisions_see_whole_writes() {
    const WRITERS: usize = 2;
    const WRITES_EACH: usize = 150;
    let server = Running::start(|_| {});
    server.send("PUT", "/v1/data/pair", "", br#"{"x": 0, "y": 0, "log": {}}"#).is(204, "");
    thread::scope(|scope| {
        let writers: Vec<_> = (0..WRITERS)
            .map(|writer| {
                let server = &server;
                scope.spawn(move || {
                    for number in 0..WRITES_EACH {
                        let value = writer * WRITES_EACH + number;
                        let body = format!(
                            r#"[{{"op": "replace", "path": "/x", "value": {value}}},
                                {{"op": "replace", "path": "/y", "value": {value}}},
                                {{"op": "add", "path": "/log/entry {value}", "value": "written by {writer}"}}]"#
                        );
                        server.send("PATCH", "/v1/data/pair", "", body.as_bytes()).is(204, "");
                    }
                })
            })
            .collect();
        while writers.iter().any(|it| !it.is_finished()) {
            let body = server.get("/v1/data/pair").body;
            let number = |name: &str| {
                let text = body.split_once(&format!("\"{name}\":")).expect("a key").1;
                text.chars().take_while(char::is_ascii_digit).collect::<String>()
            };
            assert_eq!(number("x"), number("y"), "{body}");
        }
    });
    let log = server.get("/v1/data/pair/log").body;
    assert_eq!(log.matches("written by").count(), WRITERS * WRITES_EACH);
}

#[test]
fn errors_of_policies_are_not_answers() {
    let server = Running::start(|_| {});
    let clash = server.post("/v1/data/app/broken", r#"{"input": {"clash": true}}"#);
    clash.has(500, "\"message\": \"error(s) occurred while evaluating query\"");
    clash.has(500, "\"code\": \"eval_conflict_error\"");
    let zero = r#"{"input": {"zero": 0}}"#;
    server.post("/v1/data/app/ratio", zero).is(200, "{}\n");
    server.post("/v1/data/app/ratio?strict-builtin-errors", zero).has(500, "div: divide by zero");
}

#[test]
fn default_decision_and_legacy_paths() {
    let server = Running::start(|_| {});
    server.post("/", r#"{"ok": 1}"#).is(200, "{\"echo\":{\"ok\":1}}\n");
    server.post("/", r#"{"no": 1}"#).has(404, "\"message\": \"document undefined: data.system.main\"");
    server.post("/v0/data/app/allow", r#"{"user": "ann"}"#).is(200, "true\n");
    server.post("/v0/data/app/given", "").is(200, "[null]\n");
    server.post("/v0/data/app/nothing", "1").has(404, "document missing: data.app.nothing");
    server.get("/").has(200, "<html>");
}

#[test]
fn health_is_told() {
    let server = Running::start(|_| {});
    server.get("/health").is(200, "{}\n");
    server.send("HEAD", "/health", "", b"").is(200, "");
    server.get("/health/live").is(200, "{}\n");
    server.get("/health/ready").has(500, "health check (data.system.health.ready) was undefined");
}

#[test]
fn bodies_come_in_other_forms() {
    let server = Running::start(|config| config.expanded_bytes_max = 1_000);
    let yaml = server.send(
        "POST",
        "/v1/data/app/allow",
        "content-type: application/yaml\r\n",
        b"input: {user: ann}",
    );
    yaml.is(200, "{\"result\":true}\n");
    let gzip = |text: &[u8]| {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        encoder.write_all(text).expect("written");
        encoder.finish().expect("written")
    };
    let send = |body: &[u8]| server.send("POST", "/v1/data/app/allow", "content-encoding: gzip\r\n", body);
    send(&gzip(br#"{"input": {"user": "ann"}}"#)).is(200, "{\"result\":true}\n");
    send(&gzip(&vec![b' '; 100_000])).has(400, "(server.decoding.gzip.max_length)");
    send(b"no gzip").has(400, "could not decompress the body");
}

#[test]
fn a_fault_of_the_program_denies_and_the_server_goes_on() {
    let server = Running::start(|_| {});
    for _ in 0..3 {
        let crash = server.post("/v1/data/app/crash", r#"{"input": {"user": "ann"}}"#);
        crash.has(500, "\"code\": \"internal_error\"");
        assert!(!crash.body.contains("result"));
        server.post("/v1/data/app/allow", r#"{"input": {"user": "ann"}}"#).is(200, "{\"result\":true}\n");
    }
}

#[test]
fn connections_are_kept_and_requests_queue() {
    let server = Running::start(|_| {});
    let mut stream = server.connect();
    let body = br#"{"input": {"user": "ann"}}"#;
    for _ in 0..50 {
        write_request(&mut stream, "POST", "/v1/data/app/allow", "", body);
    }
    write_request(&mut stream, "GET", "/health", "connection: close\r\n", b"");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("answered");
    assert_eq!(text.matches("{\"result\":true}\n").count(), 50);
}

#[test]
fn many_clients_are_served_at_once() {
    let server = Running::start(|_| {});
    thread::scope(|scope| {
        for _ in 0..8 {
            scope.spawn(|| {
                for user in ["ann", "bob"].repeat(25) {
                    let body = format!("{{\"input\": {{\"user\": \"{user}\"}}}}");
                    let wanted = if user == "ann" { "{\"result\":true}\n" } else { "{}\n" };
                    server.post("/v1/data/app/allow", &body).is(200, wanted);
                }
            });
        }
    });
}

/// Holds decisions up until it is opened.
#[derive(Default)]
struct Gate {
    state: Mutex<GateState>,
    signal: Condvar,
}

#[derive(Default)]
struct GateState {
    is_open: bool,
    arrived: usize,
    left: usize,
}

impl Gate {
    /// Waits as a built-in does, until the gate is open or the evaluation must end.
    fn pass<'e>(&self, ctx: Context<'e>) -> Result<Option<Value<'e>>, BuiltinError> {
        let mut state = self.state.lock().expect("no panic");
        state.arrived += 1;
        self.signal.notify_all();
        while !state.is_open {
            if ctx.host.cancelled() {
                state.left += 1;
                self.signal.notify_all();
                return Ok(None);
            }
            state = self.signal.wait_timeout(state, Duration::from_millis(5)).expect("no panic").0;
        }
        Ok(Some(Value::TRUE))
    }

    fn open(&self) {
        self.state.lock().expect("no panic").is_open = true;
        self.signal.notify_all();
    }

    fn wait_for(&self, done: impl Fn(&GateState) -> bool) {
        let state = self.state.lock().expect("no panic");
        drop(self.signal.wait_while(state, |it| !done(it)).expect("no panic"));
    }
}

#[test]
fn decisions_that_wait_hold_up_no_others() {
    let gate = Arc::new(Gate::default());
    let own = Arc::clone(&gate);
    let waits = CustomBuiltin::new("test.wait", "-> bool", move |ctx, _| own.pass(ctx));
    let waits = CustomBuiltin { impure: true, blocking: true, ..waits };
    let mut engine = Engine::new(Options::default());
    engine.add_builtin(waits).expect("a built-in");
    engine.add_module("a.rego", b"package app\nwaits := test.wait()\nquick := 1\n", None);
    let change = |it: &mut Config| {
        (it.threads, it.waiting_threads_max, it.waiting_requests_max) = (1, 3, 2);
    };
    let server = Running::serve(engine, Vec::new(), change);
    let ask = |target: &str| {
        let mut stream = server.connect();
        write_request(&mut stream, "GET", target, "connection: close\r\n", b"");
        stream
    };
    let read = |mut stream: TcpStream| {
        let mut bytes = Vec::new();
        stream.read_to_end(&mut bytes).expect("answered");
        Answer::read(&bytes)
    };
    let mut waiting: Vec<TcpStream> = Vec::new();
    for arrived in 1..=3 {
        waiting.push(ask("/v1/data/app/waits"));
        gate.wait_for(|it| it.arrived == arrived);
    }
    assert!(server.get("/v1/data/app/quick").body.contains("\"result\":1"));
    // A client that leaves takes its decision along, and its thread is free again.
    drop(waiting.pop());
    gate.wait_for(|it| it.left == 1);
    waiting.push(ask("/v1/data/app/waits"));
    gate.wait_for(|it| it.arrived == 4);
    // Two more may wait for a thread; the others are refused.
    waiting.extend((0..5).map(|_| ask("/v1/data/app/waits")));
    let (sender, answers) = mpsc::channel();
    for stream in waiting {
        let sender = sender.clone();
        thread::spawn(move || sender.send(read(stream)).expect("somebody listens"));
    }
    for _ in 0..3 {
        let refused = answers.recv().expect("answered");
        assert_eq!(refused.status, 503);
        assert!(refused.body.contains("too many requests wait"), "{}", refused.body);
    }
    gate.open();
    for _ in 0..5 {
        let answer = answers.recv().expect("answered");
        assert_eq!(answer.status, 200);
        assert!(answer.body.contains("true"), "{}", answer.body);
    }
}

#[test]
fn stopping_lets_requests_end() {
    let mut server = Running::start(|_| {});
    let mut stream = server.connect();
    // Half a request is under way when the server is told to stop.
    stream
        .write_all(b"POST /v1/data/app/allow HTTP/1.1\r\nhost: x\r\ncontent-length: 26\r\n\r\n{\"input\"")
        .expect("sent");
    // An answer on another connection shows that the server is not just starting.
    server.get("/health").is(200, "{}\n");
    server.stopper.stop();
    stream.write_all(b": {\"user\": \"ann\"}}").expect("sent");
    let mut text = String::new();
    stream.read_to_string(&mut text).expect("answered");
    assert!(text.ends_with("{\"result\":true}\n"), "{text}");
    server.thread.take().expect("running").join().expect("ended");
    assert!(TcpStream::connect(server.address).is_err());
}

/// What runs beside the servers of tests: bundles of which one is not there yet.
struct Beside;

impl Facts for Beside {
    fn plugins(&self) -> Vec<(String, PluginState)> {
        [("bundle", PluginState::NotReady), ("discovery", PluginState::Ok)]
            .map(|it| (it.0.to_owned(), it.1))
            .into()
    }

    fn bundles_not_activated(&self) -> Vec<String> {
        vec!["a".to_owned(), "b".to_owned()]
    }

    fn status_json(&self) -> Option<Vec<u8>> {
        Some(br#"{"labels":{}}"#.to_vec())
    }

    fn config_json(&self) -> Vec<u8> {
        br#"{"default_decision":"/x"}"#.to_vec()
    }
}

#[test]
fn what_runs_beside_is_told() {
    let change = |config: &mut Config| config.default_decision = vec!["app".to_owned(), "given".to_owned()];
    let server = Running::serve_beside(Running::engine(), Vec::new(), Some(Arc::new(Beside)), change);
    server.get("/v1/config").is(200, "{\"result\":{\"default_decision\":\"/x\"}}\n");
    server.get("/v1/status?pretty").is(200, "{\n  \"result\": {\n    \"labels\": {}\n  }\n}\n");
    server.get("/health").is(200, "{}\n");
    let missing = "{\"error\":\"one or more bundles are not activated: a, b\"}\n";
    server.get("/health?bundles").is(500, missing);
    server.get("/health?bundle=true").is(500, missing);
    server.get("/health?plugins").is(500, "{\"error\":\"one or more plugins are not up\"}\n");
    server.get("/health?plugins&exclude-plugin=x&exclude-plugin=bundle").is(200, "{}\n");
    server.get("/health/live").has(500, "data.system.health.live) was undefined");
    server.post("/", "7").is(200, "[7]\n");
}

/// Returns a bundle of one module and one document.
fn bundle(manifest: &str, module: &str, path: &str, data: &str) -> Bundle {
    let member =
        Member { path: "/p.rego".to_owned(), name: "/p.rego".to_owned(), bytes: module.as_bytes().to_vec() };
    let file = DataFile {
        member: format!("/{path}/data.json"),
        path: path.split('/').map(str::to_owned).collect(),
        document: lictor::json::read_document(data.as_bytes()).expect("JSON"),
    };
    Bundle {
        manifest: Manifest::read(manifest.as_bytes()).expect("a manifest"),
        modules: if module.is_empty() { Vec::new() } else { vec![member] },
        data: vec![file],
        ..Bundle::default()
    }
}

impl Running {
    fn activate(&self, bundles: Vec<(&str, Bundle)>) -> Result<(), BundleFault> {
        let ready = |(name, bundle): (&str, Bundle)| self.activator.prepare(name, "\"etag\"", bundle);
        let ready = bundles.into_iter().map(|it| Ok(BundleChange::Activate(Arc::new(ready(it)?))));
        self.activator.activate(&ready.collect::<Result<Vec<_>, BundleFault>>()?)
    }
}

#[test]
fn bundles_are_activated_while_serving() {
    let server = Running::start(|_| {});
    let policy = "package one\n\nsum := data.one.x.n + data.base.list[0]\n";
    let manifest = r#"{"revision": "r1", "roots": ["one"]}"#;
    server.get("/v1/data/one").is(200, "{}\n");
    server.activate(vec![("one", bundle(manifest, policy, "one/x", r#"{"n": 1}"#))]).expect("fits");
    server.get("/v1/data/one/sum").is(200, "{\"result\":11}\n");
    server.get("/v1/data/app/level/x").is(200, "{\"result\":1}\n");
    server.get("/v1/data/one/sum?provenance").has(200, r#""bundles":{"one":{"revision":"r1"}}}"#);
    server.get("/v1/data/system/bundles/one/etag").has(200, r#""\"etag\"""#);
    server.send("PUT", "/v1/data/one/x", "", b"1").has(400, "is owned by bundle");
    server.send("PUT", "/v1/data/base/list/0", "", b"20").is(204, "");
    // Only data changes, and what was written outside of the roots stays.
    server.activate(vec![("one", bundle(manifest, policy, "one/x", r#"{"n": 2}"#))]).expect("fits");
    server.get("/v1/data/one/sum").is(200, "{\"result\":22}\n");
    for (name, made, part) in [
        ("one", bundle(manifest, "package one\n\np := q", "one/x", "3"), "var q is unsafe"),
        ("one", bundle(manifest, policy, "one/sum", "3"), "conflicting rule for data path one/sum found"),
        ("two", bundle(r#"{"roots": ["one/y"]}"#, "", "one/y", "3"), "one overlaps one/y"),
        ("two", bundle(r#"{"roots": ["app/roles"]}"#, "", "app/roles", "3"), "conflicting rule"),
    ] {
        let fault = server.activate(vec![(name, made)]).expect_err(part);
        assert!(fault.to_string().contains(part), "{fault}");
        server.get("/v1/data/one/sum").is(200, "{\"result\":22}\n");
    }
    server.activator.activate(&[BundleChange::Deactivate("one".to_owned())]).expect("fits");
    server.get("/v1/data/one").is(200, "{}\n");
    server.send("PUT", "/v1/data/one", "", b"1").is(204, "");
}

/// Two bundles that are activated together are never seen apart, and no write beside them is lost.
#[test]
fn decisions_see_whole_activations() {
    const ROUNDS: usize = 60;
    let server = Running::start(|_| {});
    let of = |name: &str, number: usize| {
        // Every third round has another policy, so that both ways of activating meet decisions and writes.
        let manifest = format!(r#"{{"revision": "{number}", "roots": ["{name}"]}}"#);
        let module = format!("package {name}\n\np{} := data.{name}.n", number / 3);
        bundle(&manifest, &module, &format!("{name}/n"), &number.to_string())
    };
    let activate = |number| server.activate(vec![("x", of("x", number)), ("y", of("y", number))]);
    activate(0).expect("fits");
    thread::scope(|scope| {
        let activating = scope.spawn(|| (1..ROUNDS).for_each(|it| activate(it).expect("fits")));
        let writing = scope.spawn(|| {
            for number in 0..ROUNDS {
                server.send("PUT", &format!("/v1/data/log/entry{number}"), "", b"1").is(204, "");
            }
        });
        while !activating.is_finished() || !writing.is_finished() {
            let body = server.get("/v1/data?provenance").body;
            let number = |before: &str| {
                let text = body.split_once(before).expect("a key").1;
                text.chars().take_while(char::is_ascii_digit).collect::<String>()
            };
            let x = number(r#""x":{"n":"#);
            assert_eq!(x, number(r#""y":{"n":"#), "{body}");
            assert_eq!(
                x,
                number(
                    r#""provenance":{"version":"","build_commit":"","build_timestamp":"","build_hostname":"","bundles":{"x":{"revision":""#
                ),
                "{body}"
            );
        }
    });
    let log = server.get("/v1/data/log").body;
    assert_eq!(log.matches("entry").count(), ROUNDS, "{log}");
}
