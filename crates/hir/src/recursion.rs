//! Rules that depend on themselves.
//!
//! The graph has the branches of rules as nodes and, so that a thousand rules that read a thousand others do not make
//! a million edges, the places of the rule tree: a branch leads to the places that it selects, a place to its rules.
//! Only where that graph has a cycle are the edges between rules worked out, for the report: see [`report`].

use crate::{
    dependencies::Selected,
    index::{Index, NodeId},
    tree::RuleId,
};

mod origins;
pub(crate) mod report;

/// What all branches of all rules select.
#[derive(Clone, Debug, Default)]
pub(crate) struct Graph {
    /// Of each rule the position of its first branch.
    first_branch: Vec<u32>,
    /// Of each branch the start of what it selects.
    starts: Vec<u32>,
    selected: Vec<Selected>,
    /// Of each branch its rule.
    rules: Vec<RuleId>,
}

fn id_of(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

impl Graph {
    /// Adds the next rule.
    pub(crate) fn push(&mut self, branches: Vec<Vec<Selected>>) {
        let rule = RuleId(id_of(self.first_branch.len()));
        self.first_branch.push(id_of(self.rules.len()));
        for branch in branches {
            self.starts.push(id_of(self.selected.len()));
            self.selected.extend(branch);
            self.rules.push(rule);
        }
    }

    /// Adds the rules of another graph behind those of this one.
    pub(crate) fn append(&mut self, other: Self) {
        let (rules, branches) = (id_of(self.first_branch.len()), id_of(self.rules.len()));
        let selected = id_of(self.selected.len());
        self.first_branch.extend(other.first_branch.into_iter().map(|it| branches + it));
        self.starts.extend(other.starts.into_iter().map(|it| selected + it));
        self.selected.extend(other.selected);
        self.rules.extend(other.rules.into_iter().map(|it| RuleId(rules + it.0)));
    }

    fn branches_of(&self, rule: RuleId) -> std::ops::Range<u32> {
        let at = rule.0 as usize;
        let all = id_of(self.rules.len());
        let start = self.first_branch.get(at).copied().unwrap_or(all);
        let end = self.first_branch.get(at + 1).copied().unwrap_or(all);
        start..end
    }

    fn selected(&self, branch: u32) -> &[Selected] {
        let at = branch as usize;
        let start = self.starts.get(at).map_or(0, |it| *it as usize);
        let end = self.starts.get(at + 1).map_or(self.selected.len(), |it| *it as usize);
        self.selected.get(start..end).unwrap_or_default()
    }

    /// Calls with each rule and each of what it selects.
    pub(crate) fn each_selection(&self, mut call: impl FnMut(RuleId, Selected)) {
        for (at, rule) in (0_u32..).zip(&self.rules) {
            self.selected(at).iter().for_each(|it| call(*rule, *it));
        }
    }

    /// Appends where the edges of a node of the graph lead: branches come first, then for each place its rules, then
    /// for each place its rules and all below.
    fn edges(&self, index: &Index, at: u32, out: &mut Vec<u32>) {
        let branches = id_of(self.rules.len());
        let nodes = id_of(index.nodes.len());
        if at < branches {
            for selected in self.selected(at) {
                match selected {
                    Selected::Rule(rule) => out.extend(self.branches_of(*rule)),
                    Selected::Node(node) => out.push(branches + node.0),
                    Selected::Below(node) => out.push(branches + nodes + node.0),
                }
            }
            return;
        }
        let place = (at - branches) % nodes.max(1);
        let Some(node) = index.node(NodeId(place)) else { return };
        if at < branches + nodes {
            out.extend(node.rules.iter().flat_map(|rule| self.branches_of(*rule)));
        } else {
            out.push(branches + place);
            out.extend(node.children.iter().map(|it| branches + nodes + it.0));
        }
    }

    fn total(&self, index: &Index) -> u32 {
        id_of(self.rules.len()) + 2 * id_of(index.nodes.len())
    }

    /// Returns all branches (rules with the number of the branch), each behind those that it depends on, else in the
    /// order of the rules given. The graph must have no cycle; one is cut somewhere.
    pub(crate) fn order(&self, index: &Index, rules: Vec<RuleId>) -> Vec<(RuleId, usize)> {
        let mut met = vec![false; self.total(index) as usize];
        let mut out = Vec::with_capacity(self.rules.len());
        let mut edges = Vec::new();
        let mut open: Vec<Step> = Vec::new();
        for start in rules.into_iter().flat_map(|it| self.branches_of(it)) {
            self.meet(index, start, (&mut met, &mut edges, &mut open));
            while let Some(top) = open.last_mut() {
                if let Some(next) = edges.get(top.at).copied() {
                    top.at += 1;
                    self.meet(index, next, (&mut met, &mut edges, &mut open));
                    continue;
                }
                let node = top.node;
                edges.truncate(top.first);
                open.pop();
                if let Some(rule) = self.rules.get(node as usize) {
                    let first = self.branches_of(*rule).start;
                    out.push((*rule, (node - first) as usize));
                }
            }
        }
        out
    }

    fn meet(
        &self,
        index: &Index,
        node: u32,
        (met, edges, open): (&mut [bool], &mut Vec<u32>, &mut Vec<Step>),
    ) {
        match met.get_mut(node as usize) {
            Some(met) if !*met => *met = true,
            _ => return,
        }
        let first = edges.len();
        self.edges(index, node, edges);
        open.push(Step { node, first, at: first });
    }

    /// Returns the rules of branches that may depend on themselves, by component.
    pub(crate) fn cycles(&self, index: &Index) -> Vec<Vec<RuleId>> {
        let total = self.total(index);
        let edges = |at: u32, out: &mut Vec<u32>| self.edges(index, at, out);
        let mut out = Vec::new();
        for component in components(total, &edges) {
            let mut rules: Vec<RuleId> =
                component.iter().filter_map(|at| self.rules.get(*at as usize).copied()).collect();
            rules.sort_unstable();
            rules.dedup();
            if !rules.is_empty() {
                out.push(rules);
            }
        }
        out
    }
}

/// A node whose edges are being followed: they stand at the end of the common list.
struct Step {
    node: u32,
    first: usize,
    at: usize,
}

/// Returns the strongly connected components that hold a cycle.
fn components(total: u32, edges: &impl Fn(u32, &mut Vec<u32>)) -> Vec<Vec<u32>> {
    let mut search = Search {
        order: vec![0; total as usize],
        low: vec![0; total as usize],
        on_stack: vec![false; total as usize],
        next: 1,
        stack: Vec::new(),
        edges: Vec::new(),
        out: Vec::new(),
    };
    let mut open = Vec::new();
    for start in 0..total {
        if search.order_of(start) == 0 {
            search.from(start, edges, &mut open);
        }
    }
    search.out
}

/// Tarjan's search with a stack of its own: paths are as long as policies are deep.
struct Search {
    /// When a node was met, from 1; 0 if not yet.
    order: Vec<u32>,
    low: Vec<u32>,
    on_stack: Vec<bool>,
    next: u32,
    stack: Vec<u32>,
    /// The edges of the nodes whose edges are being followed, one behind the other.
    edges: Vec<u32>,
    out: Vec<Vec<u32>>,
}

impl Search {
    fn order_of(&self, node: u32) -> u32 {
        self.order.get(node as usize).copied().unwrap_or(0)
    }

    fn low_of(&self, node: u32) -> u32 {
        self.low.get(node as usize).copied().unwrap_or(0)
    }

    fn lower(&mut self, node: u32, to: u32) {
        if let Some(low) = self.low.get_mut(node as usize) {
            *low = (*low).min(to);
        }
    }

    fn enter(&mut self, node: u32, edges: &impl Fn(u32, &mut Vec<u32>)) -> Step {
        let at = node as usize;
        for (list, value) in [(&mut self.order, self.next), (&mut self.low, self.next)] {
            if let Some(it) = list.get_mut(at) {
                *it = value;
            }
        }
        self.next += 1;
        self.stack.push(node);
        if let Some(it) = self.on_stack.get_mut(at) {
            *it = true;
        }
        let first = self.edges.len();
        edges(node, &mut self.edges);
        Step { node, first, at: first }
    }

    fn from(&mut self, start: u32, edges: &impl Fn(u32, &mut Vec<u32>), open: &mut Vec<Step>) {
        open.push(self.enter(start, edges));
        while let Some(top) = open.last_mut() {
            let node = top.node;
            if let Some(next) = self.edges.get(top.at).copied() {
                top.at += 1;
                if self.order_of(next) == 0 {
                    open.push(self.enter(next, edges));
                } else if self.on_stack.get(next as usize) == Some(&true) {
                    self.lower(node, self.order_of(next));
                }
                continue;
            }
            let loops = self.edges.get(top.first..).is_some_and(|it| it.contains(&node));
            self.edges.truncate(top.first);
            open.pop();
            if let Some(parent) = open.last() {
                self.lower(parent.node, self.low_of(node));
            }
            if self.low_of(node) == self.order_of(node) {
                self.close(node, loops);
            }
        }
    }

    /// Takes the component of a node, which was met first of it, off the stack.
    fn close(&mut self, node: u32, loops: bool) {
        let first = self.stack.iter().rposition(|it| *it == node).unwrap_or(0);
        for at in self.stack.get(first..).unwrap_or_default() {
            if let Some(it) = self.on_stack.get_mut(*at as usize) {
                *it = false;
            }
        }
        let component = self.stack.split_at(first).1;
        if component.len() > 1 || loops {
            self.out.push(component.iter().rev().copied().collect());
        }
        self.stack.truncate(first);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn components_are_found() {
        let graph: &[&[u32]] = &[&[1], &[2], &[0], &[3], &[0]];
        let mut found = components(5, &|at, out| out.extend(graph[at as usize]));
        found.iter_mut().for_each(|it| it.sort_unstable());
        assert_eq!(found, [vec![0, 1, 2], vec![3]]);
    }
}
