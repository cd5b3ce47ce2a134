//! Which options a configuration may have, to tell of those that mean nothing.
//!
//! A table of paths; `*` stands for any name. Below an option that ends in `**` anything may stand, as others read it.

use lictor::Value;

/// Options by their paths.
const KNOWN: &[&str] = &[
    "bundle.name",
    "bundle.polling.**",
    "bundle.prefix",
    "bundle.service",
    "bundle.trigger",
    "bundles.*.persist",
    "bundles.*.polling.long_polling_timeout_seconds",
    "bundles.*.polling.max_delay_seconds",
    "bundles.*.polling.min_delay_seconds",
    "bundles.*.polling.superseded_etag_ttl_seconds",
    "bundles.*.resource",
    "bundles.*.service",
    "bundles.*.signing.allow_unsigned_delta_bundles",
    "bundles.*.signing.exclude_files",
    "bundles.*.signing.keyid",
    "bundles.*.signing.scope",
    "bundles.*.size_limit_bytes",
    "bundles.*.trigger",
    "default_authorization_decision",
    "default_decision",
    "discovery.decision",
    "discovery.name",
    "discovery.persist",
    "discovery.polling.**",
    "discovery.prefix",
    "discovery.resource",
    "discovery.service",
    "discovery.signing.**",
    "discovery.trigger",
    "keys.*.algorithm",
    "keys.*.key",
    "keys.*.private_key",
    "keys.*.scope",
    "labels.**",
    "persistence_directory",
    "plugins.**",
    "services.**",
    "status.console",
    "status.trigger",
];

/// Returns the paths of options that mean nothing, in order.
pub(crate) fn unknown(root: Value<'_>) -> Vec<String> {
    let mut found = Vec::new();
    walk(root, &mut Vec::new(), &mut found);
    found
}

fn walk(value: Value<'_>, path: &mut Vec<String>, found: &mut Vec<String>) {
    let Some(object) = value.as_object() else { return };
    for (key, below) in object.iter() {
        path.push(key.as_str().unwrap_or_default().to_owned());
        match matching(path) {
            Match::Nothing => found.push(path.join(".")),
            Match::Above => walk(below, path, found),
            Match::Whole => {}
        }
        path.pop();
    }
}

enum Match {
    /// No option begins so.
    Nothing,
    /// Options stand below it.
    Above,
    /// It is one.
    Whole,
}

fn matching(path: &[String]) -> Match {
    let mut is_above = false;
    for known in KNOWN {
        let mut steps = known.split('.');
        let mut here = path.iter();
        let fits = here.by_ref().all(|key| match steps.next() {
            Some("**") => true,
            Some(step) => step == "*" || step == key,
            None => false,
        });
        if fits {
            match steps.next() {
                None | Some("**") => return Match::Whole,
                Some(_) => is_above = true,
            }
        }
    }
    if is_above { Match::Above } else { Match::Nothing }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_that_mean_nothing_are_found() {
        let text = "
bundles: {b: {resource: x, bar: 1, polling: {min: 1}}}
labels: {any: thing}
services: [{name: s, url: u}]
foo: {bar: 1}
";
        let root = lictor::document_of_yaml(text.as_bytes()).expect("YAML");
        assert_eq!(unknown(root.root()), ["bundles.b.bar", "bundles.b.polling.min", "foo"]);
    }
}
