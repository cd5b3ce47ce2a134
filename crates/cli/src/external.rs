//! `--external`: parts of `data` that somebody else keeps while a policy is served, for commands that only look at it.
//!
//! Apart because several commands take the flag. Nobody is asked here: a decision that needs such a document fails.

use std::sync::Arc;

use lictor::{Document, Engine, ExternalLimits, Provider, ProviderError};

use crate::flags::Parsed;

/// Has no answer.
struct Elsewhere {
    keys: usize,
}

impl Provider for Elsewhere {
    fn keys(&self) -> usize {
        self.keys
    }

    fn fetch(
        &self,
        _wanted: &[Vec<String>],
        _ended: &dyn Fn() -> bool,
    ) -> Result<Vec<Option<Document>>, ProviderError> {
        Err(ProviderError::new("nobody is asked by this command"))
    }
}

/// Mounts the paths of the flag, and returns their keys.
pub(crate) fn mount(flags: &Parsed, engine: &mut Engine) -> Result<Vec<Vec<String>>, String> {
    flags.list("external").into_iter().map(|text| mount_one(text, engine)).collect()
}

/// Mounts one path: `data.a.b` or `a/b`, behind a colon how many keys name a document.
fn mount_one(text: &str, engine: &mut Engine) -> Result<Vec<String>, String> {
    let (path, keys) = text.split_once(':').unwrap_or((text, "1"));
    let wrong = || format!("--external {text:?} is no path, or has no number of keys behind its colon");
    let keys = keys.parse().ok().filter(|it| *it > 0).ok_or_else(wrong)?;
    let separator = if path.contains('/') { '/' } else { '.' };
    let names: Vec<&str> = path.split(separator).filter(|it| !it.is_empty()).collect();
    let names = names.strip_prefix(&["data"]).unwrap_or(&names);
    engine
        .mount(names, Arc::new(Elsewhere { keys }), ExternalLimits::default())
        .map_err(|error| error.to_string())?;
    Ok(names.iter().map(|it| (*it).to_owned()).collect())
}
