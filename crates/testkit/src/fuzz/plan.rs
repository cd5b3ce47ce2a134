//! The readers of plans: our text form and OPA's JSON.
//!
//! What is read and verifies prints as itself, goes through OPA's form and back, and runs without harm.

use lictor_plan::{Plan, opa};
use lictor_runtime::NullHost;
use lictor_value::{Document, json};
use lictor_vm::{EntrypointId, Input, Request, Scratch};

use super::LIMITS;

const INPUT: &[u8] =
    br#"{"user": "ann", "roles": ["admin", "dev"], "n": 3, "nested": {"a": [1, {"b": null}]}}"#;

/// Reads bytes as a plan, in OPA's form if they start with a brace.
///
/// It panics if a valid plan prints or goes through OPA's form as something that is no plan.
pub(super) fn plan(bytes: &[u8]) {
    let Ok(text) = std::str::from_utf8(bytes) else { return };
    let plan = if text.trim_start().starts_with('{') {
        opa::import::import(text).map_err(|it| it.to_string())
    } else {
        lictor_plan::parse(text).map_err(|it| it.to_string())
    };
    let plan = match plan {
        Ok(plan) => plan,
        Err(text) => return assert!(!text.is_empty(), "refused without a reason"),
    };
    if let Err(faults) = lictor_plan::verify(&plan) {
        return assert!(!faults.is_empty(), "faulty without a fault");
    }
    let printed = plan.to_string();
    let again = lictor_plan::parse(&printed).expect("our own text is a plan");
    assert_eq!(printed, again.to_string(), "a plan prints as another");
    if let Ok(exported) = opa::export::export(&plan) {
        drop(opa::import::import(&exported).expect("our own export is a plan"));
    }
    run(&plan);
}

/// Runs every entrypoint; an error is as good an end as an answer.
fn run(plan: &Plan) {
    let link = |name: &str| lictor_runtime::builtin_named(name).map(|it| it.1.function);
    let Ok(program) = lictor_vm::compile(plan, link) else { return };
    let input = json::read_document(INPUT).expect("the input is JSON");
    let data = Document::empty_object();
    let mut scratch = Scratch::new();
    for entrypoint in &plan.entrypoints {
        let entrypoint: EntrypointId =
            program.entrypoint(&entrypoint.name).expect("an entrypoint of the plan");
        let request = Request {
            entrypoint,
            input: Input::Value(input.root()),
            data: data.root(),
            derived: None,
            host: &NullHost,
            limits: LIMITS,
            strict: false,
            allow_net: None,
        };
        drop(scratch.eval(&program, request, |_| ()));
    }
}
