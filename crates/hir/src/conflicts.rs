//! Rules that cannot stand beside each other: kinds that differ, rules inside of other rules' values, several defaults,
//! packages inside of rules.
//! It reads heads in the index only, before any body matters, and knows nothing of values.

use lictor_syntax::{Source, Span, ast, printer};

use crate::{
    diagnostics::{Sink, Stage, conflicts as faults},
    index::{Entry, Index, Key, Node, NodeId},
    tree::RuleId,
};

/// Reports conflicts among all rules.
pub(crate) fn check(index: &Index, modules: &[&ast::Module], sink: &mut Sink) {
    for node in &index.nodes {
        if !node.rules.is_empty() {
            Check { index, modules, sink }.node(node);
        }
    }
}

struct Check<'c, 'a> {
    index: &'c Index,
    modules: &'c [&'a ast::Module],
    sink: &'c mut Sink,
}

impl<'a> Check<'_, 'a> {
    fn node(&mut self, node: &Node) {
        self.packages(node);
        if let [one] = node.rules.as_slice()
            && node.children.is_empty()
            && self.index.rule(*one).is_some()
        {
            return;
        }
        let rules: Vec<Entry<'_>> = node.rules.iter().filter_map(|it| self.index.rule(*it)).collect();
        let (Some(first), Some(last)) = (rules.first(), rules.last()) else { return };
        let Some((source, span)) = self.place(first) else { return };
        let name = self.index.rule_text(last);
        let inside = self.inside(node, &rules);
        if !inside.is_empty() {
            let fault = faults::rule_inside(source, span, &name, &inside);
            self.sink.stop(Stage::RuleConflicts, fault);
        } else if do_not_fit(&rules) {
            self.sink.stop(Stage::RuleConflicts, faults::kinds(source, span, &name));
        } else {
            self.defaults(&rules, &name);
        }
    }

    fn place(&self, entry: &Entry<'_>) -> Option<(&'a Source, Span)> {
        let module = self.modules.get(entry.module as usize)?;
        Some((&module.source, entry.rule.span))
    }

    /// Returns the rules below a node that must not be there, with their places.
    fn inside(&self, node: &Node, rules: &[Entry<'_>]) -> Vec<(String, String)> {
        if node.children.is_empty() {
            return Vec::new();
        }
        let ground = rules.iter().any(|it| it.ground);
        let mut below: Vec<(Vec<Key<'_>>, Entry<'_>)> = Vec::new();
        let mut open: Vec<NodeId> = node.children.clone();
        while let Some(id) = open.pop() {
            let Some(child) = self.index.node(id) else { continue };
            open.extend(&child.children);
            let entries = child.rules.iter().filter_map(|it| self.index.rule(*it));
            // Below a dynamic head only functions are in the way.
            below.extend(
                entries.filter(|it| ground || it.arity() > 0).map(|it| (self.index.path(it.node), it)),
            );
        }
        below.sort_by(|a, b| a.0.cmp(&b.0));
        let mut out: Vec<(Vec<Key<'_>>, String, String)> = Vec::new();
        for (path, entry) in below {
            let covered = out.iter().any(|(other, text, _)| {
                path.starts_with(other) && (path.len() > other.len() || *text == self.index.rule_text(&entry))
            });
            if let (false, Some((source, span))) = (covered, self.place(&entry)) {
                out.push((path, self.index.rule_text(&entry), location_text(source, span)));
            }
        }
        out.into_iter().map(|(_, text, place)| (text, place)).collect()
    }

    fn defaults(&mut self, rules: &[Entry<'_>], name: &str) {
        let defaults: Vec<&Entry<'_>> = rules.iter().filter(|it| it.rule.default).collect();
        let Some(first) = defaults.first().filter(|_| defaults.len() > 1) else { return };
        let places: Vec<String> = defaults
            .iter()
            .filter_map(|it| self.place(it))
            .map(|(source, span)| location_text(source, span))
            .collect();
        let Some(module) = self.modules.get(first.module as usize) else { return };
        let fault = faults::defaults(&module.source, module.package.span, name, &places.join(", "));
        self.sink.stop(Stage::RuleConflicts, fault);
    }

    /// Reports packages whose path is that of a rule.
    fn packages(&mut self, node: &Node) {
        for id in &node.rules {
            for at in &node.modules {
                self.package(*id, *at);
            }
        }
    }

    fn package(&mut self, id: RuleId, at: u32) {
        let Some(entry) = self.index.rule(id).filter(|it| it.ground) else { return };
        let (Some(module), Some(package)) =
            (self.modules.get(entry.module as usize), self.modules.get(at as usize))
        else {
            return;
        };
        let package = printer::package_text(&package.package);
        let reference = printer::ref_text(&entry.rule.head.reference);
        let place = location_text(&module.source, entry.rule.span);
        let fault = faults::package(&module.source, module.package.span, &package, &reference, &place);
        self.sink.stop(Stage::RuleConflicts, fault);
    }
}

/// Tells whether rules of one path define different things.
fn do_not_fit(rules: &[Entry<'_>]) -> bool {
    let Some(first) = rules.first() else { return false };
    let any = |test: &dyn Fn(&Entry<'_>) -> bool| rules.iter().any(test);
    let complete = any(&|it| !it.is_set() && it.ground);
    let partial = any(&|it| it.is_set() || !it.ground);
    any(&|it| it.is_set() != first.is_set())
        || any(&|it| it.arity() != first.arity())
        || (complete && partial)
        || (any(&|it| it.is_set() && it.ground) && any(&|it| it.is_set() && !it.ground))
}

/// Returns a place as OPA writes it into messages.
pub(crate) fn location_text(source: &Source, span: Span) -> String {
    let position = source.position(span.start);
    if source.name().is_empty() {
        format!("{}:{}", position.row, position.col)
    } else {
        format!("{}:{}", source.name(), position.row)
    }
}
