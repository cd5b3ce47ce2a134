//! The engine through its public face: prepare once, decide from many threads, trace, read sets, `with`.
//!
//! What a program that embeds the engine relies on; the language itself is tested by the corpus. Nothing here looks
//! below the public face.

#[path = "engine/external.rs"]
mod external;

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};

use lictor::{
    Answer, CustomBuiltin, Document, Engine, ErrorCode, Event, EventKind, EventSink, Host, Input, Limits,
    Options, Passes, Policy, QueryOptions, Session, json,
};

fn policy(text: &str, data: &str) -> Policy {
    policy_with(text, data, Options::default())
}

fn policy_with(text: &str, data: &str, options: Options) -> Policy {
    let mut engine = Engine::new(options);
    engine.add_module("test.rego", text.as_bytes(), None);
    engine.add_data_json(&[], "data.json", data.as_bytes()).expect("data");
    engine.compile().expect("a policy without faults")
}

fn decide(policy: &Policy, path: &str, input: &str) -> String {
    let query = policy.prepare(path).expect("a path");
    let mut out = Vec::new();
    match query.decide_json(&mut Session::default(), Input::Json(input.as_bytes()), &mut out) {
        Ok(true) => String::from_utf8_lossy(&out).into_owned(),
        Ok(false) => "undefined".to_owned(),
        Err(err) => err.to_string(),
    }
}

const ROLES: &str = r#"
package roles

default allow := false

allow if {
	some role in data.users[input.user].roles
	some grant in data.grants[role]
	grant == {"action": input.action, "object": input.object}
}

why contains role if some role in data.users[input.user].roles

limits := {"read": 10, "write": 2}

quota := limits[input.action]
"#;

const ROLES_DATA: &str = r#"{
    "users": {"ann": {"roles": ["dev", "ops"]}, "bob": {"roles": []}},
    "grants": {"dev": [{"action": "read", "object": "repo"}], "ops": [{"action": "write", "object": "host"}]}
}"#;

#[test]
fn queries_without_input_answer_again() {
    let policy = policy(ROLES, ROLES_DATA);
    let query = policy.bindings("x := data.grants.dev[_].action", &QueryOptions::default()).expect("a query");
    let mut session = Session::default();
    for _ in 0..3 {
        let mut out = Vec::new();
        let found = query.decide_json(&mut session, Input::Undefined, &mut out).expect("an answer");
        assert!(found);
        assert_eq!(String::from_utf8_lossy(&out), r#"[{"x":"read"}]"#);
    }
}

#[test]
fn documents_are_decided() {
    let policy = policy(ROLES, ROLES_DATA);
    let read = r#"{"user": "ann", "action": "read", "object": "repo"}"#;
    assert_eq!(decide(&policy, "data.roles.allow", read), "true");
    assert_eq!(
        decide(&policy, "roles/allow", r#"{"user": "bob", "action": "read", "object": "repo"}"#),
        "false"
    );
    assert_eq!(decide(&policy, "data.roles.why", read), r#"["dev","ops"]"#);
    assert_eq!(decide(&policy, "data.roles.quota", read), "10");
    assert_eq!(decide(&policy, "data.roles.quota", r#"{"action": "nothing"}"#), "undefined");
    assert_eq!(decide(&policy, "data.users.bob", "{}"), r#"{"roles":[]}"#);
    assert_eq!(decide(&policy, "data.nothing", "{}"), "undefined");
}

#[test]
fn passes_change_no_answer() {
    let inputs = [
        r#"{"user": "ann", "action": "read", "object": "repo"}"#,
        r#"{"user": "ann", "action": "read", "object": "repo", "more": 1}"#,
        r#"{"user": 7, "action": null}"#,
        "[1, 2]",
    ];
    for name in Passes::names() {
        let plain = policy_with(ROLES, ROLES_DATA, Options { passes: Passes::NONE, ..Options::default() });
        let without = policy_with(
            ROLES,
            ROLES_DATA,
            Options { passes: Passes::ALL.without(name), ..Options::default() },
        );
        for input in inputs {
            assert_eq!(decide(&plain, "data.roles", input), decide(&without, "data.roles", input), "{name}");
        }
    }
}

#[test]
fn threads_share_a_query() {
    let policy = policy(ROLES, ROLES_DATA);
    let query = policy.prepare("data.roles.allow").unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            let query = query.clone();
            scope.spawn(move || {
                let mut session = Session::default();
                for _ in 0..1_000 {
                    let input = Input::Json(br#"{"user": "ann", "action": "write", "object": "host"}"#);
                    let mut out = Vec::new();
                    assert!(query.decide_json(&mut session, input, &mut out).unwrap());
                    assert_eq!(out, b"true");
                }
            });
        }
    });
}

#[test]
fn read_set_names_what_is_read() {
    let policy = policy(ROLES, ROLES_DATA);
    let reads = policy.prepare("data.roles.allow").unwrap().reads().to_string();
    for line in ["input.user.**", "input.action.**", "input.object.**", "data.users[*].roles[*].**"] {
        assert!(reads.lines().any(|it| it == line), "{line} in\n{reads}");
    }
    assert!(!reads.contains("input.**"), "{reads}");
}

#[test]
fn what_is_only_compared_is_read_whole() {
    let text =
        "package p\nf(x) := [1 | input.absent] if some _ in [x]\nf(x) := input.list\nq := 1 if z := f(1)";
    let policy = policy(text, "{}");
    assert_eq!(decide(&policy, "data.p.q", r#"{"list": []}"#), "1");
    let error = decide(&policy, "data.p.q", r#"{"list": [2]}"#);
    assert!(error.contains("conflicting values"), "{error}");
}

#[test]
fn input_may_be_text_or_value() {
    let policy = policy(ROLES, ROLES_DATA);
    let query = policy.prepare("data.roles.why").unwrap();
    let document = json::read_document(br#"{"user": "ann"}"#).unwrap();
    let mut session = Session::default();
    let value = query.decide_value(&mut session, Input::Value(document.root())).unwrap();
    let text = query.decide_value(&mut session, Input::Json(br#"{"user": "ann"}"#)).unwrap();
    assert_eq!(value.map(|it| it.root().to_json()), text.map(|it| it.root().to_json()));
    assert!(query.decide_value(&mut session, Input::Json(b"{")).is_err());
    let none = query.decide_value(&mut session, Input::Undefined).unwrap().map(|it| it.root().to_json());
    assert_eq!(none.as_deref(), Some("[]"));
}

#[test]
fn with_replaces_and_restores() {
    let text = r#"
package p

flag if data.on

inner := x if x := data.big.k0007 with data.big.k0007 as "new"

outer := [a, b, c] if {
	a := data.big.k0007 with data.big.k0007 as 1
	b := data.big.k0007
	c := [x | x := flag with data.on as true]
}
"#;
    let entries: Vec<String> = (0..5_000).map(|it| format!(r#""k{it:04}": "v{it}""#)).collect();
    let data = format!(r#"{{"big": {{{}}}}}"#, entries.join(","));
    let policy = policy(text, &data);
    assert_eq!(decide(&policy, "data.p.inner", "{}"), r#""new""#);
    assert_eq!(decide(&policy, "data.p.outer", "{}"), r#"[1,"v7",[true]]"#);
    assert_eq!(decide(&policy, "data.p.flag", "{}"), "undefined");
}

#[test]
fn conflicts_and_limits_are_errors() {
    let conflict = policy("package p\nx := 1 if input.a\nx := 2 if input.b", "{}");
    let text = decide(&conflict, "data.p.x", r#"{"a": true, "b": true}"#);
    let values = "\n  1 at test.rego:2\n  2 at test.rego:3";
    let wanted = "test.rego:3: eval_conflict_error: rule data.p.x produced conflicting values:";
    assert_eq!(text, format!("{wanted}{values}"));

    let limits = Limits { steps_max: 10_000, ..Limits::default() };
    let endless = "package p\nx := count([1 | some a in input; some b in input; some c in input])";
    let policy = policy_with(endless, "{}", Options { limits, ..Options::default() });
    let input = format!("[{}]", vec!["1"; 1_000].join(","));
    let query = policy.prepare("data.p.x").unwrap();
    let error = query.decide(&mut Session::default(), Input::Json(input.as_bytes()), |_| ()).unwrap_err();
    assert_eq!(error.code(), ErrorCode::Cancel);
}

#[derive(Default)]
struct Events(Vec<(EventKind, String, u32)>);

impl EventSink for Events {
    fn event(&mut self, event: &Event<'_>) {
        let row = event.position.as_ref().map_or(0, |it| it.row);
        self.0.push((event.kind, event.rule.to_owned(), row));
    }
}

#[test]
fn trace_tells_what_happens() {
    let policy = policy("package p\n\nx if {\n\ty\n\tinput.a == 1\n}\n\ny if some i in input.list", "{}");
    let query = policy.prepare_traced("data.p.x").unwrap();
    let mut events = Events::default();
    let defined = query
        .trace(&mut Session::default(), Input::Json(br#"{"list": [false, 3], "a": 2}"#), &mut events, |it| {
            matches!(it, Answer::Value(Some(_)))
        })
        .unwrap();
    assert!(!defined);
    let kinds: Vec<EventKind> = events.0.iter().map(|it| it.0).collect();
    assert_eq!(kinds.first(), Some(&EventKind::Enter));
    assert_eq!(kinds.last(), Some(&EventKind::Exit));
    assert!(events.0.iter().any(|it| it.0 == EventKind::Enter && it.1 == "data.p.y"));
    assert!(events.0.iter().any(|it| it.0 == EventKind::Redo), "{:?}", events.0);
    assert!(events.0.contains(&(EventKind::Fail, "data.p.x".to_owned(), 5)), "{:?}", events.0);
}

struct Printer(std::sync::Mutex<Vec<String>>);

impl Host for Printer {
    fn wants_print(&self) -> bool {
        true
    }

    fn print(&self, position: &str, line: &str) {
        self.0.lock().expect("one thread").push(format!("{position}: {line}"));
    }
}

#[test]
fn print_reaches_the_host_with_its_place() {
    let options = Options { print: true, ..Options::default() };
    let policy = policy_with("package p\n\nx if {\n\tprint(\"in\", input.a, input.none)\n}", "{}", options);
    let host = Arc::new(Printer(std::sync::Mutex::new(Vec::new())));
    let mut session = Session::new(Arc::clone(&host) as Arc<dyn Host>);
    let query = policy.prepare("data.p.x").unwrap();
    query.decide(&mut session, Input::Json(br#"{"a": [1]}"#), |_| ()).unwrap();
    assert_eq!(*host.0.lock().unwrap(), ["test.rego:4: in [1] <undefined>"]);
}

#[test]
fn built_ins_of_the_embedder_are_what_they_say() {
    let calls = Arc::new(AtomicU64::new(0));
    let counted = |name: &str| {
        let calls = Arc::clone(&calls);
        CustomBuiltin::new(name, "num -> num", move |ctx, _| {
            calls.fetch_add(1, Ordering::Relaxed);
            Ok(Some(ctx.arena.int(7)))
        })
    };
    let prepared = |builtin: CustomBuiltin| {
        let limits = Limits { steps_max: 10_000, ..Limits::default() };
        let mut engine = Engine::new(Options { limits, ..Options::default() });
        engine.add_builtin(builtin).expect("a declaration");
        engine.add_module("p.rego", b"package p\nx := acme.f(1)\ny := [acme.f(2) | some _ in input]", None);
        let policy = engine.compile().expect("a policy");
        calls.store(0, Ordering::Relaxed);
        let queries = (policy.prepare("data.p.x").expect("x"), policy.prepare("data.p.y").expect("y"));
        let mut session = Session::default();
        for _ in 0..3 {
            let answer = queries.0.decide_value(&mut session, Input::Undefined).expect("decided");
            assert_eq!(answer.expect("defined").root().as_i64(), Some(7));
        }
        (calls.load(Ordering::Relaxed), queries.1)
    };
    let (called, pure) = prepared(counted("acme.f"));
    assert!(called <= 1, "a pure one is evaluated once, {called} times");
    assert!(!pure.may_block());
    let (called, impure) = prepared(CustomBuiltin { impure: true, ..counted("acme.f") });
    assert_eq!(called, 3, "an impure one each time");
    assert!(!impure.may_block());
    for (memoize, wanted) in [(false, 3), (true, 1)] {
        let (_, many) = prepared(CustomBuiltin { impure: true, memoize, ..counted("acme.f") });
        calls.store(0, Ordering::Relaxed);
        let mut session = Session::default();
        for round in 1..3 {
            let answer = many.decide_value(&mut session, Input::Json(b"[1, 2, 3]")).expect("decided");
            assert_eq!(answer.expect("defined").root().to_json(), "[7,7,7]");
            let called = calls.load(Ordering::Relaxed);
            assert_eq!(called, round * wanted, "calls are kept for one evaluation, if at all");
        }
    }
    let (_, blocking) = prepared(CustomBuiltin { impure: true, blocking: true, ..counted("acme.f") });
    assert!(blocking.may_block());
    let (_, costly) = prepared(CustomBuiltin { impure: true, cost_steps: 3_000, ..counted("acme.f") });
    let mut session = Session::default();
    let few = Input::Json(b"[1, 2]");
    assert!(costly.decide_value(&mut session, few).is_ok());
    let many =
        costly.decide_value(&mut session, Input::Json(b"[1, 2, 3, 4, 5]")).expect_err("over the budget");
    assert_eq!(many.code(), ErrorCode::Cancel);
}

#[test]
fn queries_give_bindings_and_expressions() {
    let policy = policy(ROLES, ROLES_DATA);
    let query =
        policy.query("some r in data.users.ann.roles; x := count(r); x > 1", &QueryOptions::default());
    let query = query.unwrap();
    let solutions = query.decide_value(&mut Session::default(), Input::Undefined).unwrap().unwrap();
    let first = solutions.root().as_array().and_then(|it| it.get(0)).map(|it| it.to_json());
    assert_eq!(first.as_deref(), Some(r#"{"bindings":{"r":"dev","x":3},"expressions":[true,true,true]}"#));
    let texts: Vec<&str> = query.expressions().iter().map(|it| it.text.as_str()).collect();
    assert_eq!(texts, ["some r in data.users.ann.roles", "x := count(r)", "x > 1"]);
    assert!(policy.query("x := y", &QueryOptions::default()).is_err());
}

#[test]
fn data_of_several_sources_is_merged() {
    let mut engine = Engine::new(Options::default());
    engine.add_data_json(&[], "a.json", br#"{"a": {"b": 1}}"#).unwrap();
    engine.add_data_json(&["a", "c"], "c.json", b"[2]").unwrap();
    assert!(engine.add_data_json(&["a"], "d.json", br#"{"b": 2}"#).is_err());
    let policy = engine.compile().unwrap();
    assert_eq!(policy.data().to_json(), r#"{"a":{"b":1,"c":[2]}}"#);
    let other = policy.with_data(Document::empty_object());
    assert_eq!(decide(&other, "data.a", "{}"), "undefined");
}

/// What is exported has the declarations of the built-ins that a host must have, and one plan for each entrypoint.
#[test]
fn plans_leave_in_opa_s_form() {
    let text = r#"
package p

q := 1 if input.x

r if q == 1

s contains v if { some v in ["a"]; r }

f(x) := x + q

u := count(s)
"#;
    let policy = policy(text, "{}");
    let keys = |name: &str| vec!["p".to_owned(), name.to_owned()];
    assert_eq!(policy.dependents(&[keys("q")]), [keys("r"), keys("s"), keys("u")]);
    assert_eq!(policy.dependents(&[keys("u")]), Vec::<Vec<String>>::new());
    let named = |name: &str| (format!("p/{name}"), keys(name));
    let plan = policy.plan_json(&[named("u"), named("q")]).expect("a plan");
    let document = json::read_document(plan.as_bytes()).expect("JSON");
    let field = |value: lictor::Value<'_>, name: &str| {
        let found = value.as_object().and_then(|it| it.get_str(name));
        found.map_or_else(String::new, lictor::Value::to_json)
    };
    let root = document.root().as_object().expect("an object");
    let plans = field(root.get_str("plans").expect("plans"), "plans");
    assert!(plans.contains(r#""name":"p/u""#) && plans.contains(r#""name":"p/q""#), "{plans}");
    let builtins = field(root.get_str("static").expect("constants"), "builtin_funcs");
    assert!(builtins.contains(r#""name":"count""#) && builtins.contains(r#""decl":{"args":["#), "{builtins}");
    let error = policy.plan_json(&[named("f")]).expect_err("a function");
    assert!(error.to_string().contains("function data.p.f used as reference"), "{error}");
    let error = policy.plan_json(&[("x".to_owned(), vec!["x".to_owned()])]).expect_err("nothing");
    assert!(error.to_string().ends_with("entrypoint \"x\" does not refer to a rule or policy decision"));
}
