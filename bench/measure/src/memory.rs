//! Memory that a JSON document takes once it is read.
//!
//! Apart because the process must not have read anything else before: what it holds at its highest is the figure.
//! Knows nothing of policies.

use std::fs;

use lictor::json;

use crate::{Outcome, usage};

pub(crate) fn measure(file: &str) -> Outcome {
    let text = fs::read(file)?;
    let start = usage::cpu();
    let document = json::read_document(&text)?;
    let taken = usage::cpu() - start;
    let len = text.len();
    drop(text);
    println!(
        "{{\"figure\":\"memory\",\"text_bytes\":{len},\"bytes\":{},\"ms\":{:.0},\"peak_bytes\":{}}}",
        document.bytes(),
        taken.as_secs_f64() * 1e3,
        usage::peak()
    );
    Ok(())
}
