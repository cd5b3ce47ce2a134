//! Calls of the system allocator that warm decisions make, in scenarios as `bench/run` lays them out.
//!
//! Apart because it is the one figure that needs the counting allocator alone: no clock is read here. It must not know
//! what the scenarios decide.

use std::fs;

use lictor::{Document, Engine, Input, Options, Session, json};
use stats_alloc::Region;

use crate::{ALLOCATOR, Outcome};

/// So many inputs are asked, in rounds; the last counts.
const INPUTS: usize = 2_000;
const ROUNDS: usize = 3;

pub(crate) fn measure(folder: &str) -> Outcome {
    let read = |name: &str| fs::read(format!("{folder}/{name}"));
    let meta = json::read_document(&read("meta.json")?)?;
    let query = meta.root().as_object().and_then(|it| it.get_str("query")).ok_or("meta.json names no query")?;
    let mut engine = Engine::new(Options::default());
    engine.add_module("policy.rego", &read("policy.rego")?, None);
    engine.add_data_json(&[], "data.json", &read("data.json")?)?;
    let query = engine.compile()?.prepare(query.as_str().ok_or("the query is no text")?)?;
    let lines = String::from_utf8(read("inputs.jsonl")?)?;
    let texts: Vec<&str> = lines.lines().take(INPUTS).collect();
    let inputs: Result<Vec<Document>, _> = texts.iter().map(|it| json::read_document(it.as_bytes())).collect();
    let inputs = inputs?;
    let expected = String::from_utf8(read("expected.jsonl")?)?;
    let mut session = Session::default();
    let mut out = Vec::with_capacity(1 << 20);
    let mut calls = [0, 0];
    for _ in 0..ROUNDS {
        for (mode, calls) in calls.iter_mut().enumerate() {
            *calls = 0;
            for ((text, input), expected) in texts.iter().zip(&inputs).zip(expected.lines()) {
                out.clear();
                let given = if mode == 0 { Input::Value(input.root()) } else { Input::Json(text.as_bytes()) };
                let region = Region::new(ALLOCATOR);
                query.decide_json(&mut session, given, &mut out)?;
                let change = region.change();
                *calls += change.allocations + change.reallocations;
                check(&out, expected)?;
            }
        }
    }
    let case = folder.rsplit('/').next().unwrap_or(folder);
    println!(
        "{{\"figure\":\"allocations\",\"case\":\"{case}\",\"decisions\":{},\"parsed\":{},\"json\":{}}}",
        inputs.len(),
        calls[0],
        calls[1]
    );
    Ok(())
}

fn check(answer: &[u8], expected: &str) -> Outcome {
    let undefined = answer.is_empty() && expected.is_empty();
    if !undefined && json::read_document(answer)?.root() != json::read_document(expected.as_bytes())?.root() {
        return Err(format!("wrong answer: {}, not {expected}", String::from_utf8_lossy(answer)).into());
    }
    Ok(())
}
