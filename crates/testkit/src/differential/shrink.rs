//! Makes the case of a difference small: fewer queries, modules, rules, statements, terms and data.
//!
//! Knows trees and their roles, not Rego. A smaller case is kept if the caller says that the difference is still
//! there; one that no longer compiles has another difference or none.

use super::generate::Case;
use super::tree::{Node, Part, Role};

/// So many trials at most.
const TRIALS_MAX: usize = 3_000;
/// What stands in for a term.
const TERMS: &[&str] = &["\"a\"", "[]", "input"];
/// What stands in for a document.
const DOCUMENTS: &[&str] = &["1", "\"a\"", "{}"];

/// Returns the smallest case found for which the function says yes.
pub fn shrink(case: Case, holds: &mut dyn FnMut(&Case) -> bool) -> Case {
    let mut shrinker = Shrinker { case, holds, trials: 0 };
    shrinker.queries();
    loop {
        let before = shrinker.case.clone();
        shrinker.modules();
        for tree in 0..shrinker.trees() {
            shrinker.lists(tree);
            shrinker.terms(tree);
        }
        if same(&before, &shrinker.case) || shrinker.trials >= TRIALS_MAX {
            return shrinker.case;
        }
    }
}

fn same(a: &Case, b: &Case) -> bool {
    let modules = |case: &Case| case.modules.iter().map(|it| it.tree.print()).collect::<Vec<_>>();
    modules(a) == modules(b) && a.data == b.data && a.inputs == b.inputs && a.queries == b.queries
}

struct Shrinker<'a> {
    case: Case,
    holds: &'a mut dyn FnMut(&Case) -> bool,
    trials: usize,
}

impl Shrinker<'_> {
    fn attempt(&mut self, change: impl FnOnce(&mut Case)) -> bool {
        if self.trials >= TRIALS_MAX {
            return false;
        }
        self.trials += 1;
        let mut smaller = self.case.clone();
        change(&mut smaller);
        let holds = (self.holds)(&smaller);
        if holds {
            self.case = smaller;
        }
        holds
    }

    /// Keeps one query and one input if that is enough.
    fn queries(&mut self) {
        for index in 0..self.case.queries.len() {
            if self.attempt(|it| it.queries = it.queries.drain(index..=index).collect()) {
                break;
            }
        }
        for index in 0..self.case.inputs.len() {
            if self.attempt(|it| it.inputs = it.inputs.drain(index..=index).collect()) {
                break;
            }
        }
        self.attempt(|it| it.inputs = vec![None]);
        self.attempt(|it| it.strict = false);
    }

    fn modules(&mut self) {
        for index in (0..self.case.modules.len()).rev() {
            self.attempt(|it| {
                it.modules.remove(index);
            });
        }
    }

    fn trees(&self) -> usize {
        self.case.modules.len() + 1 + self.case.inputs.iter().flatten().count()
    }

    fn size(&mut self, tree: usize) -> usize {
        tree_of(&mut self.case, tree).map_or(0, |it| it.size())
    }

    /// Takes nodes out of lists, the outermost first, half of a list at once where that works.
    fn lists(&mut self, tree: usize) {
        let mut number = 0;
        while number < self.size(tree) {
            let mut length = 0;
            edit(&mut self.case, tree, number, &mut |it| length = list_length(it));
            let mut chunk = length;
            while chunk > 0 {
                let mut at = 0;
                while at < length {
                    let removed =
                        self.attempt(|case| edit(case, tree, number, &mut |it| remove(it, at, chunk)));
                    let mut left = 0;
                    edit(&mut self.case, tree, number, &mut |it| left = list_length(it));
                    at += if removed && left < length { 0 } else { chunk };
                    length = left;
                }
                chunk /= 2;
            }
            number += 1;
        }
    }

    /// Replaces terms by what they hold or by constants.
    fn terms(&mut self, tree: usize) {
        let mut number = 0;
        while number < self.size(tree) {
            let mut choices = Vec::new();
            edit(&mut self.case, tree, number, &mut |it| choices = replacements(it));
            for choice in choices {
                if self.attempt(|case| edit(case, tree, number, &mut |it| *it = choice.clone())) {
                    break;
                }
            }
            number += 1;
        }
    }
}

fn tree_of(case: &mut Case, tree: usize) -> Option<&mut Node> {
    let modules = case.modules.len();
    match tree.checked_sub(modules) {
        None => case.modules.get_mut(tree).map(|it| &mut it.tree),
        Some(0) => Some(&mut case.data),
        Some(input) => case.inputs.iter_mut().flatten().nth(input - 1),
    }
}

fn edit(case: &mut Case, tree: usize, number: usize, change: &mut dyn FnMut(&mut Node)) {
    if let Some(node) = tree_of(case, tree) {
        node.edit(number, change);
    }
}

fn list_length(node: &Node) -> usize {
    let lists = node.parts.iter().map(|it| if let Part::Many(it) = it { it.items.len() } else { 0 });
    lists.sum()
}

/// Removes a run of items, counted through the lists of a node, as far as they may go.
fn remove(node: &mut Node, at: usize, count: usize) {
    let mut passed = 0;
    for part in &mut node.parts {
        let Part::Many(many) = part else { continue };
        let length = many.items.len();
        let range = at.saturating_sub(passed).min(length)..(at + count).saturating_sub(passed).min(length);
        passed += length;
        let removable = range.len().min(length.saturating_sub(many.least));
        many.items.drain(range.start..range.start + removable);
    }
}

/// Returns what may stand in place of a node, each shorter than it.
fn replacements(node: &Node) -> Vec<Node> {
    let constants = match node.role {
        Role::Plain => return Vec::new(),
        Role::Term => TERMS,
        Role::Json => DOCUMENTS,
    };
    let text = node.print();
    let mut out: Vec<Node> = Vec::new();
    let shorter = constants.iter().filter(|it| it.len() < text.len());
    out.extend(shorter.map(|it| Node::new("", node.role).text(*it)));
    let mut inner = Vec::new();
    node.visit(&mut |it| {
        if it.role == node.role {
            inner.push(it.clone());
        }
    });
    out.extend(inner.into_iter().skip(1).take(8));
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::differential::generate::{Module, Question, Version};

    #[test]
    fn what_does_not_matter_goes() {
        let item = |text: &str| Node::term("").text(text);
        let rule = |text: &str| {
            Node::plain("").text("p = ").one(Node::term("").text("f(").one(item(text)).text(")"))
        };
        let tree = Node::plain("").text("package t\n").many("\n", vec![rule("12"), rule("345"), rule("678")]);
        let case = Case {
            modules: vec![Module { name: "m".to_owned(), version: Version::V1, tree }],
            data: Node::plain("").text("{").many(", ", vec![Node::plain("").text("\"a\": 1")]).text("}"),
            inputs: vec![None, None],
            queries: vec![Question { text: "data.t.p".to_owned(), bindings: false }; 2],
            strict: true,
        };
        let small = shrink(case, &mut |it| it.modules.iter().any(|it| it.tree.print().contains("345")));
        assert_eq!(small.modules[0].tree.print(), "package t\np = 345");
        assert_eq!(small.data.print(), "{}");
        assert_eq!((small.inputs.len(), small.queries.len(), small.strict), (1, 1, false));
    }
}
