//! What a write of one key costs in a large document, and a decision after it.
//!
//! Apart because the document is large and what counts is that its size does not matter: each write makes another
//! snapshot and another policy over it, as the server does. Each value that was written is decided on.

use std::time::Instant;

use lictor::{Document, Engine, Input, Options, Session, Snapshot, json};
use stats_alloc::Region;

use crate::{ALLOCATOR, Outcome, usage};

const WRITES: usize = 20_000;
/// Bytes of a record's note: a million records take about 1 GB.
const NOTE_BYTES: usize = 900;
const POLICY: &[u8] = b"package app\n\nlimit := data.users[input.user].limit\n";

pub(crate) fn measure(keys: usize) -> Outcome {
    let mut engine = Engine::new(Options::default());
    engine.add_module("app.rego", POLICY, None);
    let mut policy = engine.compile()?;
    let mut data = Snapshot::new(records(keys)?);
    let bytes = data.document().bytes();
    let (region, began) = (Region::new(ALLOCATOR), usage::cpu());
    let (mut session, mut out) = (Session::default(), Vec::new());
    let (mut worst_ns, mut deciding) = (0, std::time::Duration::ZERO);
    for number in 0..WRITES {
        let user = name(number * 7_919 % keys);
        let started = Instant::now();
        let value = json::read_document(format!("{{\"limit\":{number},\"note\":\"written\"}}").as_bytes())?;
        data = data.put(&["users".to_owned(), user.clone()], value)?;
        policy = policy.with_data(data.document().clone());
        worst_ns = worst_ns.max(started.elapsed().as_nanos());
        let started = usage::cpu();
        out.clear();
        let input = format!("{{\"user\":\"{user}\"}}");
        let query = policy.prepare("data.app.limit")?;
        query.decide_json(&mut session, Input::Json(input.as_bytes()), &mut out)?;
        deciding += usage::cpu() - started;
        if out != number.to_string().as_bytes() {
            return Err(format!("what was written to {user} is not read").into());
        }
    }
    let all = usage::cpu() - began;
    let per_write = |it: std::time::Duration| it.as_secs_f64() * 1e9 / WRITES as f64;
    let change = region.change();
    let kept = change.bytes_allocated.saturating_sub(change.bytes_deallocated) / WRITES;
    println!(
        "{{\"figure\":\"writing\",\"data_bytes\":{bytes},\"writes\":{WRITES},\"write_ns\":{:.0},\"worst_ns\":{worst_ns},\
         \"decide_ns\":{:.0},\"kept_bytes\":{kept}}}",
        per_write(all - deciding),
        per_write(deciding)
    );
    Ok(())
}

fn name(number: usize) -> String {
    format!("user-{number:07}")
}

fn records(keys: usize) -> Result<Document, Box<dyn std::error::Error>> {
    let mut text = "{\"users\":{".to_owned();
    for key in 0..keys {
        let comma = if key == 0 { "" } else { "," };
        let (name, note) = (name(key), key * 7);
        text.push_str(&format!("{comma}\"{name}\":{{\"limit\":0,\"note\":\"{note:0NOTE_BYTES$}\"}}"));
    }
    text.push_str("}}");
    Ok(json::read_document(text.as_bytes())?)
}
