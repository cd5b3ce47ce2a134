//! JSON that is extreme: deep, long numbers, long strings. Time, and memory beside the text's size.
//!
//! Apart because these texts are what a hostile client sends, not what data looks like. Memory is counted from where it
//! stood before each text; a refusal is an answer too, if it is quick.

use lictor::json;

use crate::{Outcome, usage};

pub(crate) fn measure() -> Outcome {
    one("arrays nested 10^6 deep", format!("{}{}", "[".repeat(1_000_000), "]".repeat(1_000_000)))?;
    one("objects nested 10^6 deep", format!("{}1{}", "{\"a\":".repeat(1_000_000), "}".repeat(1_000_000)))?;
    one("a number of 10^6 digits", "7".repeat(1_000_000))?;
    one("a fraction of 10^6 digits", format!("0.{}", "7".repeat(1_000_000)))?;
    one("a string of 100 MB", format!("\"{}\"", "x".repeat(100_000_000)))?;
    one("a string of 100 MB in escapes", format!("\"{}\"", "\\u00e9".repeat(100_000_000 / 6)))
}

fn one(name: &str, text: String) -> Outcome {
    usage::forget_peak();
    let before = usage::peak();
    let start = usage::cpu();
    let read = json::read_document(text.as_bytes());
    let taken = usage::cpu() - start;
    let added = usage::peak().saturating_sub(before);
    println!(
        "{{\"figure\":\"reading\",\"case\":\"{name}\",\"text_bytes\":{},\"read\":{},\"ms\":{:.1},\"added_bytes\":{added}}}",
        text.len(),
        read.is_ok(),
        taken.as_secs_f64() * 1e3
    );
    Ok(())
}
