//! External documents through the public face: what is asked for, when, and what happens when it fails.
//!
//! A provider of the tests answers from a table and notes what it was asked. Every case runs with passes and without.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex};

use lictor::{
    Document, Engine, ExternalLimits, Input, Options, Passes, Policy, Provider, ProviderError, QueryOptions,
    Session, json,
};

/// Answers from a table by keys joined with slashes; `broken` is the key that fails.
#[derive(Default)]
struct Table {
    keys: usize,
    lists: bool,
    documents: BTreeMap<String, &'static str>,
    asked: Mutex<Vec<String>>,
}

impl Table {
    fn note(&self, what: String) {
        self.asked.lock().expect("no panic before").push(what);
    }
}

impl Provider for Table {
    fn keys(&self) -> usize {
        self.keys
    }

    fn fetch(
        &self,
        wanted: &[Vec<String>],
        ended: &dyn Fn() -> bool,
    ) -> Result<Vec<Option<Document>>, ProviderError> {
        let names: Vec<String> = wanted.iter().map(|it| it.join("/")).collect();
        self.note(names.join(" "));
        if ended() || names.iter().any(|it| it.ends_with("broken")) {
            return Err(ProviderError::new("connection refused"));
        }
        let read = |text: &&str| json::read_document(text.as_bytes()).expect("JSON");
        Ok(names.iter().map(|it| self.documents.get(it).map(read)).collect())
    }

    fn list(
        &self,
        above: &[String],
        _keys_max: usize,
        _ended: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, ProviderError> {
        self.note(format!("list {}", above.join("/")));
        if !self.lists {
            return Err(ProviderError::new("cannot be listed"));
        }
        let below = |name: &String| name.split('/').nth(above.len()).map(str::to_owned);
        Ok(self.documents.keys().filter(|it| it.starts_with(&above.join("/"))).filter_map(below).collect())
    }
}

fn users() -> Table {
    let documents = [
        ("users/ann", r#"{"name":"Ann","roles":["admin"]}"#),
        ("users/bob", r#"{"name":"Bob","roles":[]}"#),
        ("teams/red", r#"["ann","bob"]"#),
    ];
    let documents = documents.into_iter().map(|(name, text)| (name.to_owned(), text)).collect();
    Table { keys: 2, documents, ..Table::default() }
}

fn engine(table: &Arc<Table>, limits: ExternalLimits, passes: Passes) -> Engine {
    let mut engine = Engine::new(Options { passes, ..Options::default() });
    engine.mount(&["ext"], Arc::clone(table) as Arc<dyn Provider>, limits).expect("mounted");
    engine
}

fn decide(policy: &Policy, query: &str, input: &str) -> String {
    let query = match policy.bindings(query, &QueryOptions::default()) {
        Ok(query) => query,
        Err(faults) => return faults.to_string(),
    };
    let mut out = Vec::new();
    match query.decide_json(&mut Session::default(), Input::Json(input.as_bytes()), &mut out) {
        Ok(true) => String::from_utf8_lossy(&out).into_owned(),
        Ok(false) => "undefined".to_owned(),
        Err(error) => error.to_string(),
    }
}

/// Asks a query of a module, and compares the answer and what the provider was asked.
fn check(table: Table, module: &str, (query, input): (&str, &str), (answer, asked): (&str, &[&str])) {
    let table = Arc::new(table);
    for passes in [Passes::ALL, Passes::NONE] {
        let mut engine = engine(&table, ExternalLimits::default(), passes);
        engine.add_module("p.rego", format!("package p\n{module}").as_bytes(), None);
        engine.add_data_json(&["own"], "own.json", br#"{"x":1}"#).expect("JSON");
        let policy = engine.compile().expect("a policy");
        let said = decide(&policy, query, input);
        // Where it was is not the question.
        let said = said.find("eval_internal_error").and_then(|at| said.get(at..)).unwrap_or(&said);
        assert_eq!(said, answer, "{query}");
        let noted = std::mem::take(&mut *table.asked.lock().expect("no panic before"));
        assert_eq!(noted, asked, "{query}");
    }
}

#[test]
fn documents_are_asked_for_once() {
    let module = r"
        name := data.ext.users[input.id].name
        again if data.ext.users[input.id].roles[_] == name
        all := {it | it := data.ext.users[input.id].roles[_]}
    ";
    let asked = &["users/ann"][..];
    let input = r#"{"id":"ann"}"#;
    check(
        users(),
        module,
        ("x := data.p.name; y := data.p.all", input),
        (r#"[{"x":"Ann","y":["admin"]}]"#, asked),
    );
    check(users(), module, ("x := data.p", input), (r#"[{"x":{"all":["admin"],"name":"Ann"}}]"#, asked));
    // One that is not there is undefined, and that is known, too.
    let input = r#"{"id":"eve"}"#;
    check(users(), module, ("not data.p.name; not data.p.again", input), ("[{}]", &["users/eve"]));
    check(users(), module, ("data.ext.users[1]", "{}"), ("undefined", &[]));
    check(users(), "", ("x := data.ext.teams.red[1]", "{}"), (r#"[{"x":"bob"}]"#, &["teams/red"]));
    check(users(), "", ("x := data.own", "{}"), (r#"[{"x":{"x":1}}]"#, &[]));
}

#[test]
fn documents_of_a_loop_are_asked_for_together() {
    let module = r#"
        names := {it | some id in input.ids; it := data.ext.users[id].name}
        owners := [it | some file in input.files; it := data.ext[file.kind][file.owner.id].name]
        kept := {id | some id, _ in input.by; "admin" in data.ext.users[id].roles}
        team := {it | some id in data.ext.teams[input.team]; it := data.ext.users[id].name}
    "#;
    let one = |query: &str| format!("x := data.p.{query}");
    let input = r#"{"ids":["bob","ann","bob",7]}"#;
    check(users(), module, (&one("names"), input), (r#"[{"x":["Ann","Bob"]}]"#, &["users/ann users/bob"]));
    let input = r#"{"by":{"ann":1,"eve":2}}"#;
    check(users(), module, (&one("kept"), input), (r#"[{"x":["ann"]}]"#, &["users/ann users/eve"]));
    let input = r#"{"team":"red"}"#;
    let asked = &["teams/red", "users/ann users/bob"];
    check(users(), module, (&one("team"), input), (r#"[{"x":["Ann","Bob"]}]"#, asked));
    // Two keys of an item: each is asked for when it is needed.
    let input = r#"{"files":[{"kind":"users","owner":{"id":"ann"}}]}"#;
    check(users(), module, (&one("owners"), input), (r#"[{"x":["Ann"]}]"#, &["users/ann"]));
    check(users(), module, (&one("names"), "{}"), (r#"[{"x":[]}]"#, &[]));
    // What fails when it is asked ahead is asked for again by who needs it.
    let module = r#"one if { some id in ["ann", "broken"]; id == "ann"; data.ext.users[id].name }"#;
    check(users(), module, ("data.p.one", "{}"), ("[{}]", &["users/ann users/broken", "users/ann"]));
}

#[test]
fn failures_end_the_decision() {
    let module = r"
        default allow := true
        allow := false if data.ext.users[input.id].banned
        not_listed if not data.ext.users.broken
    ";
    let failed = |id: &str, why: &str| format!("eval_internal_error: external document data.ext{id}: {why}");
    let broken = failed(".users.broken", "connection refused");
    let input = r#"{"id":"broken"}"#;
    check(users(), module, ("data.p.allow", input), (&broken, &["users/broken"]));
    check(users(), module, ("data.p.not_listed", input), (&broken, &["users/broken"]));
    let listed = |id: &str| failed(id, "cannot be listed");
    check(users(), "", ("data.ext.users[x]", "{}"), (&listed(".users"), &["list users"]));
    check(users(), "", ("x := data.ext", "{}"), (&listed(""), &["list "]));
    check(users(), "", ("x := data", "{}"), (&listed(""), &["list "]));
    check(users(), "", ("data[x].users", "{}"), (&listed(".users"), &["list users"]));
}

#[test]
fn providers_that_list_are_run_over() {
    let lists = || Table { lists: true, ..users() };
    let asked = &["list users", "users/ann users/bob"];
    let found = r#"[{"id":"ann","n":"Ann"},{"id":"bob","n":"Bob"}]"#;
    check(lists(), "", ("data.ext.users[id].name = n", "{}"), (found, asked));
    check(lists(), "", ("x := count(data.ext.users)", "{}"), (r#"[{"x":2}]"#, asked));
    let whole = r#"[{"x":{"teams":{"red":["ann","bob"]},"users":{"ann":{"name":"Ann","roles":["admin"]},"bob":{"name":"Bob","roles":[]}}}}]"#;
    let asked = &["list ", "list teams", "teams/red", "list users", "users/ann users/bob"];
    check(lists(), "", ("x := data.ext", "{}"), (whole, asked));
}

#[test]
fn paths_that_are_known_late_lead_there_too() {
    let input = r#"{"d":"ext","k":"users","id":"bob"}"#;
    let module = "q := 1";
    let query = "x := data[input.d][input.k][input.id].name";
    check(users(), module, (query, input), (r#"[{"x":"Bob"}]"#, &["users/bob"]));
    let input = r#"{"d":"own"}"#;
    check(users(), module, ("x := data[input.d].x", input), (r#"[{"x":1}]"#, &[]));
}

#[test]
fn with_replaces_mounted_paths_as_a_whole() {
    let module = "name := data.ext.users[input.id].name";
    let input = r#"{"id":"ann"}"#;
    let mock = r#"x := data.p.name with data.ext as {"users": {"ann": {"name": "Mock"}}}"#;
    check(users(), module, (mock, input), (r#"[{"x":"Mock"}]"#, &[]));
    check(users(), module, ("not data.p.name with data as {}", input), ("[{}]", &[]));
    let part = r#"data.p.name with data.ext.users as {"ann": {"name": "Mock"}}"#;
    let refused = "1 error occurred: rego_compile_error: with cannot replace a part of external documents; replace data.ext";
    check(users(), module, (part, input), (refused, &[]));
}

#[test]
fn limits_are_kept() {
    let table = Arc::new(users());
    let said = |limits: ExternalLimits, query: &str| {
        let policy = engine(&table, limits, Passes::ALL).compile().expect("a policy");
        decide(&policy, query, "{}")
    };
    let both = "data.ext.users.ann; data.ext.users.bob";
    let few = ExternalLimits { documents_max: 1, ..ExternalLimits::default() };
    assert!(said(few, both).contains("2 documents asked for, limit is 1"), "{}", said(few, both));
    let small = ExternalLimits { bytes_max: 100, ..ExternalLimits::default() };
    assert!(said(small, both).contains("documents take more than 100 bytes"), "{}", said(small, both));
    // A loop over more than fits into one question asks for as many as do.
    let batches = ExternalLimits { batch_max: 1, ..ExternalLimits::default() };
    let query = r#"x := count({id | some id in ["ann", "bob"]; data.ext.users[id].name})"#;
    assert_eq!(said(batches, query), r#"[{"x":2}]"#);
}

#[test]
fn nothing_else_stands_there() {
    let table = Arc::new(users());
    let faults = |module: &str, data: &str| {
        let mut engine = engine(&table, ExternalLimits::default(), Passes::ALL);
        engine.add_module("p.rego", module.as_bytes(), None);
        engine.add_data_json(&[], "data.json", data.as_bytes()).expect("JSON");
        engine.compile().err().map(|it| it.to_string()).unwrap_or_default()
    };
    let rule = "rego_compile_error: rule conflicts with external documents at data.ext";
    assert_eq!(faults("package ext\nusers := 1", "{}"), format!("1 error occurred: p.rego:2: {rule}"));
    assert!(faults("package ext.users.ann\nx := 1", "{}").contains(rule));
    assert!(faults("package p\nx := 1", r#"{"ext":{"users":{}}}"#).contains("base document conflicts"));
    assert_eq!(faults("package p\nx := 1", r#"{"own":{}}"#), "");
    let mut engine = engine(&table, ExternalLimits::default(), Passes::ALL);
    for (path, wanted) in [
        (&["ext", "users"][..], "`data.ext.users` cannot be mounted beside `data.ext`"),
        (&[], "`data` cannot be mounted"),
        (&["system", "x"], "`data.system.x` cannot be mounted"),
    ] {
        let provider = Arc::clone(&table) as Arc<dyn Provider>;
        let error = engine.mount(path, provider, ExternalLimits::default()).expect_err("refused");
        assert_eq!(error.to_string(), wanted);
    }
    // What is written later is refused by who writes.
    let policy = engine.compile().expect("a policy");
    let data = json::read_document(br#"{"ext":1}"#).expect("JSON");
    assert!(policy.with_data(data).check_data().is_err());
}

#[test]
fn reads_are_told() {
    let table = Arc::new(users());
    let mut engine = engine(&table, ExternalLimits::default(), Passes::ALL);
    let text = b"package p\nx if data.ext.users[input.id].name == data.own.y\nz := data.ext.teams.red";
    engine.add_module("p.rego", text, None);
    let policy = engine.compile().expect("a policy");
    let query = policy.prepare("data.p").expect("prepared");
    let told = query.reads().to_string();
    let wanted =
        "external data.ext.teams.red.**\nexternal data.ext.users[*].name.**\ninternal.external_get()\n";
    assert!(told.ends_with(wanted) && told.contains("data.own.y"), "{told}");
    assert!(query.may_block());
    let error = policy.plan_json(&[("p".to_owned(), vec!["p".to_owned()])]).expect_err("no plan");
    assert!(error.to_string().contains("external documents"), "{error}");
}
