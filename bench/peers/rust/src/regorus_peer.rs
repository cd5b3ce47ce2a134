//! regorus by its two engines: the interpreter behind `eval_rule`, and the RVM.
//!
//! Both are prepared once and asked many times, as their documentation and benches do: a parsed input
//! is a `regorus::Value` made before, and setting it clones a counted pointer.

use std::{cell::RefCell, hint::black_box, rc::Rc, str::from_utf8};

use regorus::{Engine, Value, languages::rego::compiler::Compiler, rvm::vm::RegoVM};

use crate::harness::{Prepared, Scenario, timed};

type Made = Result<Option<Prepared>, String>;

fn text(bytes: &[u8]) -> &str {
    from_utf8(bytes).expect("scenario files are UTF-8")
}

fn engine(scenario: &Scenario) -> Result<Engine, String> {
    let mut engine = Engine::new();
    engine.add_policy("policy.rego".to_owned(), scenario.policy.clone()).map_err(|it| it.to_string())?;
    engine.add_data_json(text(scenario.data)).map_err(|it| it.to_string())?;
    Ok(engine)
}

fn inputs(scenario: &Scenario) -> Vec<Value> {
    scenario.inputs.iter().map(|it| Value::from_json_str(text(it)).expect("inputs are JSON")).collect()
}

/// Puts an evaluation that may be asked both ways behind the two closures.
fn prepared(scenario: &Scenario, prep_ms: f64, eval: impl FnMut(Value) -> Value + 'static) -> Prepared {
    let inputs = inputs(scenario);
    let eval = Rc::new(RefCell::new(eval));
    let other = Rc::clone(&eval);
    Prepared {
        prep_ms,
        parsed: Box::new(move |place| {
            black_box((eval.borrow_mut())(inputs[place].clone()));
        }),
        json: Box::new(move |input, out| {
            let input = Value::from_json_str(text(input)).expect("inputs are JSON");
            let answer = (other.borrow_mut())(input);
            if answer != Value::Undefined {
                serde_json::to_writer(out, &answer).expect("an answer can be written");
            }
        }),
    }
}

pub fn interpreter(scenario: &Scenario) -> Made {
    let query = scenario.query.clone();
    let (engine, prep_ms) = timed(|| {
        let mut engine = engine(scenario)?;
        engine.set_input(Value::new_object());
        // The first question makes the engine prepare itself.
        engine.eval_rule(query.clone()).map_err(|it| it.to_string())?;
        Ok::<_, String>(engine)
    });
    let mut engine = engine?;
    Ok(Some(prepared(scenario, prep_ms, move |input| {
        engine.set_input(input);
        engine.eval_rule(query.clone()).unwrap_or(Value::Undefined)
    })))
}

pub fn rvm(scenario: &Scenario) -> Made {
    let (vm, prep_ms) = timed(|| {
        let mut engine = engine(scenario)?;
        let policy =
            engine.compile_with_entrypoint(&scenario.query.as_str().into()).map_err(|it| it.to_string())?;
        let program =
            Compiler::compile_from_policy(&policy, &[&scenario.query]).map_err(|it| it.to_string())?;
        let mut vm = RegoVM::new_with_policy(policy);
        vm.load_program(program);
        vm.set_max_instructions(usize::MAX);
        vm.set_data(engine.get_data()).map_err(|it| it.to_string())?;
        Ok::<_, String>(vm)
    });
    let mut vm = vm?;
    Ok(Some(prepared(scenario, prep_ms, move |input| {
        vm.set_input(input);
        vm.execute().unwrap_or(Value::Undefined)
    })))
}
