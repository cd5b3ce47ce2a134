//! Rules and base data that claim the same path.
//!
//! While deciding, a rule hides the data at its path. Whoever loads both from files wants to be told instead, as
//! OPA's commands tell; a library that puts data below rules on purpose does not, so this is asked for.

use lictor_syntax::Diagnostic;
use lictor_syntax::ast::{Module, Rule};
use lictor_syntax::diagnostics::codes;
use lictor_value::Value;

/// Returns a fault for each path at which a rule stands and data, too.
pub(crate) fn data_conflicts<'m>(
    modules: impl IntoIterator<Item = &'m Module>,
    data: Value<'_>,
) -> Vec<Diagnostic> {
    if data.as_object().is_some_and(|it| it.is_empty()) {
        return Vec::new();
    }
    let mut seen: Vec<Vec<&str>> = Vec::new();
    let mut found = Vec::new();
    for module in modules {
        for rule in &module.rules {
            let Some(path) = rule_path(module, rule).filter(|it| !seen.contains(it) && claims(data, it))
            else {
                continue;
            };
            let message = format!("conflicting rule for data path {} found", path.join("/"));
            let fault = Diagnostic::new(codes::COMPILE, "rule-over-data", &module.source, rule.span, message);
            found.push(fault);
            seen.push(path);
        }
    }
    found
}

/// Returns the keys of a rule up to the first that is known only while deciding; none if a key before is no string.
fn rule_path<'a>(module: &'a Module, rule: &'a Rule) -> Option<Vec<&'a str>> {
    let mut path: Vec<&str> = module.package.path.iter().map(|it| it.as_str()).collect::<Option<_>>()?;
    path.push(rule.head.reference.head.as_var()?);
    for part in &rule.head.reference.parts {
        match part.as_str() {
            Some(key) => path.push(key),
            None if part.as_var().is_some() => break,
            None => return None,
        }
    }
    Some(path)
}

/// Says whether data has something at a path, or something above it that nothing can be below of.
pub(crate) fn claims(data: Value<'_>, path: &[&str]) -> bool {
    let mut value = data;
    for key in path {
        let Some(object) = value.as_object() else {
            return true;
        };
        let Some(below) = object.get_str(key) else {
            return false;
        };
        value = below;
    }
    true
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Options};

    fn check(data: &str) -> Vec<String> {
        let mut engine = Engine::new(Options::default());
        engine.add_module(
            "p.rego",
            b"package a\n\nq := 1\n\nr.s[x] := x if some x in [1]\n\nf(x) := x",
            None,
        );
        engine.add_data_json(&[], "data.json", data.as_bytes()).expect("data");
        let policy = engine.compile().expect("a policy");
        let faults = policy.check_data().err();
        faults.iter().flat_map(|it| it.diagnostics()).map(ToString::to_string).collect()
    }

    #[test]
    fn claims_on_one_path_are_told() {
        assert!(check(r#"{"a": {"r": {"t": 1}}}"#).is_empty());
        assert_eq!(
            check(r#"{"a": {"q": null, "r": {"s": {}}, "f": 1}}"#),
            [
                "p.rego:3: rego_compile_error: conflicting rule for data path a/q found",
                "p.rego:5: rego_compile_error: conflicting rule for data path a/r/s found",
                "p.rego:7: rego_compile_error: conflicting rule for data path a/f found",
            ]
        );
        assert_eq!(check(r#"{"a": 1}"#).len(), 3);
    }
}
