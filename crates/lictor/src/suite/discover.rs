//! Which rules are tests, and the names that they are told apart by.
//!
//! Apart because names follow OPA's rules alone: the first part of a head's path that starts with `test_` or
//! `todo_test_` is the name, and a second rule of that name becomes `name#01`. It evaluates nothing.

use std::collections::HashMap;
use std::sync::Arc;

use lictor_hir::Modules;
use lictor_syntax::ast::{Module, Ref, Rule, StringLit, StringStyle, Term, TermKind};
use lictor_syntax::printer::{is_plain_key, package_text, write_quoted};

use crate::suite::{Test, TestKind};

const TEST: &str = "test_";
const SKIPPED: &str = "todo_test_";

/// Returns the modules with rules of the same test told apart.
pub(super) fn with_own_names(modules: &Arc<Modules>) -> Arc<Modules> {
    let mut counts: HashMap<Vec<&str>, usize> = HashMap::new();
    let mut renamed: Vec<(usize, usize, usize, usize)> = Vec::new();
    for (at, module) in modules.iter().enumerate() {
        for (rule_at, rule) in module.rules.iter().enumerate() {
            let Some(place) = place_of_name(&rule.head.reference) else { continue };
            let names = names(&rule.head.reference, place);
            if !names.last().is_some_and(|it| it.starts_with(TEST)) {
                continue;
            }
            let path = module.package.path.iter().filter_map(Term::as_str).chain(names).collect();
            let count = counts.entry(path).or_insert(0);
            if *count > 0 {
                renamed.push((at, rule_at, place, *count));
            }
            *count += 1;
        }
    }
    if renamed.is_empty() {
        return Arc::clone(modules);
    }
    let mut own = Modules::clone(modules);
    for (at, rule, place, count) in renamed {
        if let Some(rule) = own.get_mut(at).and_then(|it| it.rules.get_mut(rule)) {
            rename(&mut rule.head.reference, place, count);
        }
    }
    Arc::new(own)
}

/// Returns the tests of modules whose full names are wanted.
pub(super) fn tests(modules: &[Module], wanted: &dyn Fn(&str) -> bool) -> Vec<Test> {
    let mut out = Vec::new();
    for module in modules {
        if !module.rules.iter().any(|it| place_of_name(&it.head.reference).is_some()) {
            continue;
        }
        let package = package_text(&module.package);
        let package = format!("data.{}", package.strip_prefix("package ").unwrap_or(&package));
        let tests = module.rules.iter().filter_map(|rule| test(module, &package, rule, wanted));
        out.extend(tests);
    }
    out
}

fn test(module: &Module, package: &str, rule: &Rule, wanted: &dyn Fn(&str) -> bool) -> Option<Test> {
    let place = place_of_name(&rule.head.reference)?;
    let names = names(&rule.head.reference, place);
    let mut full = package.to_owned();
    let mut shown = String::new();
    for (at, name) in names.iter().enumerate() {
        push_key(name, &mut full);
        if at == 0 { shown.push_str(name) } else { push_key(name, &mut shown) }
    }
    if !wanted(&full) {
        return None;
    }
    let position = module.source.position(rule.span.start);
    let path = module.package.path.iter().filter_map(Term::as_str).chain(names.iter().copied());
    Some(Test {
        package: package.to_owned(),
        name: shown,
        file: module.source.name().to_string(),
        row: position.row,
        col: position.col,
        kind: kind(rule, names.last().copied().unwrap_or_default()),
        path: path.map(str::to_owned).collect(),
    })
}

fn kind(rule: &Rule, name: &str) -> TestKind {
    if name.starts_with(SKIPPED) {
        TestKind::Skipped
    } else if rule.head.args.is_some() {
        TestKind::Function
    } else if rule.head.key.is_none() && rule.head.reference.parts.iter().any(|it| !is_scalar(it)) {
        TestKind::Cases
    } else {
        TestKind::Single
    }
}

fn is_scalar(term: &Term) -> bool {
    matches!(term.kind, TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_))
}

/// Returns the position of a test's name in its head's path; 0 is the rule's own name.
fn place_of_name(reference: &Ref) -> Option<usize> {
    let is_test = |it: &str| it.starts_with(TEST) || it.starts_with(SKIPPED);
    if is_test(reference.head.as_var()?) {
        return Some(0);
    }
    let ground = reference.parts.iter().take_while(|it| is_scalar(it));
    ground.enumerate().find(|(_, it)| it.as_str().is_some_and(is_test)).map(|(at, _)| at + 1)
}

/// Returns the names up to a place.
fn names(reference: &Ref, place: usize) -> Vec<&str> {
    let behind = reference.parts.iter().take(place).filter_map(Term::as_str);
    reference.head.as_var().into_iter().chain(behind).collect()
}

fn rename(reference: &mut Ref, place: usize, count: usize) {
    let Some(before) = place.checked_sub(1) else {
        if let Some(name) = reference.head.as_var() {
            reference.head.kind = TermKind::Var(format!("{name}#{count:02}").into());
        }
        return;
    };
    if let Some(part) = reference.parts.get_mut(before)
        && let Some(name) = part.as_str()
    {
        let value = format!("{name}#{count:02}").into();
        part.kind = TermKind::String(StringLit { value, style: StringStyle::Quoted });
    }
}

fn push_key(key: &str, out: &mut String) {
    if is_plain_key(key) {
        out.push('.');
        out.push_str(key);
    } else {
        out.push('[');
        write_quoted(out, key);
        out.push(']');
    }
}
