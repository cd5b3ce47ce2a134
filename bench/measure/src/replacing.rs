//! What `with` costs over a large document: decisions with and without it, beside each other.
//!
//! Apart because the document is large and the difference of two figures is wanted, not either of them: both are taken
//! in turns. Counts allocations too, as nothing may be copied.

use lictor::{Engine, Input, Options, Session, json};
use stats_alloc::Region;

use crate::{ALLOCATOR, Outcome, usage};

const KEYS: usize = 1_000_000;
const POLICY: &[u8] = b"package app

plain if lookup == 7

with_data if lookup == 8 with data.users.u000007 as {\"limit\": 8}

with_input if lookup == 9 with input as {\"user\": \"u000009\"}

lookup := data.users[input.user].limit
";

pub(crate) fn measure() -> Outcome {
    let mut text = "{\"users\":{".to_owned();
    for key in 0..KEYS {
        let comma = if key == 0 { "" } else { "," };
        text.push_str(&format!("{comma}\"u{key:06}\":{{\"limit\":{key},\"note\":\"{:060}\"}}", key * 7));
    }
    text.push_str("}}");
    let bytes = text.len();
    let mut engine = Engine::new(Options::default());
    engine.add_module("app.rego", POLICY, None);
    engine.add_data_json(&[], "data.json", text.as_bytes())?;
    drop(text);
    let policy = engine.compile()?;
    let input = json::read_document(br#"{"user":"u000007"}"#)?;
    let mut session = Session::default();
    let mut figures = Vec::new();
    for rule in ["plain", "with_data", "with_input"] {
        let query = policy.prepare(&format!("data.app.{rule}"))?;
        let mut out = Vec::with_capacity(64);
        let mut decide = || {
            out.clear();
            query.decide_json(&mut session, Input::Value(input.root()), &mut out).is_ok_and(|_| out == b"true")
        };
        if !decide() {
            return Err(format!("{rule} does not hold").into());
        }
        let mut right = true;
        let ns = usage::least_ns(9, 20_000, || right &= decide());
        let region = Region::new(ALLOCATOR);
        right &= decide();
        let allocated = region.change().bytes_allocated;
        if !right {
            return Err(format!("{rule} does not hold each time").into());
        }
        figures.push(format!("\"{rule}_ns\":{ns:.0},\"{rule}_allocated\":{allocated}"));
    }
    println!("{{\"figure\":\"replacing\",\"data_bytes\":{bytes},{}}}", figures.join(","));
    Ok(())
}
