//! Certificate policies along a chain (RFC 5280, 6.1, with the graph of RFC 9618).
//!
//! Any policy is welcome to whoever asks, so a chain fails only where a certificate demands that some policy hold
//! and none does, or maps policies in a way that is forbidden. The graph stays small: a node a policy a level.

use std::collections::{BTreeMap, BTreeSet};

use super::certificate::{Certificate, PolicyOid};

/// "Any policy": 2.5.29.32.0.
const ANY: &[u8] = &[0x55, 0x1d, 0x20, 0x00];

/// Says whether the policies of a chain, the leaf first, hold.
pub(crate) fn policies_hold(chain: &[&Certificate]) -> bool {
    let [rest @ .., _root] = chain else { return true };
    let [leaf, ..] = rest else { return true };
    let steps = i64::try_from(rest.len()).unwrap_or(i64::MAX);
    let mut state = State {
        graph: Some(Graph::new()),
        any_left: steps + 1,
        explicit_left: steps + 1,
        mapping_left: steps + 1,
    };
    for (at, it) in rest.iter().enumerate().rev() {
        if !state.step(it, at == 0) {
            return false;
        }
    }
    state.explicit_left = (state.explicit_left - 1).max(0);
    if leaf.require_explicit_policy == Some(0) {
        state.explicit_left = 0;
    }
    state.explicit_left > 0 || state.graph.is_some_and(|it| it.has_valid_policy())
}

struct State {
    /// None once a certificate named no policy.
    graph: Option<Graph>,
    /// How many certificates further "any policy" counts.
    any_left: i64,
    /// How many certificates further no policy is demanded.
    explicit_left: i64,
    /// How many certificates further policies are mapped.
    mapping_left: i64,
}

impl State {
    fn step(&mut self, certificate: &Certificate, is_leaf: bool) -> bool {
        let issued_to_itself = certificate.raw_issuer == certificate.raw_subject;
        let policies = certificate.policies.as_deref().unwrap_or(&[]);
        if policies.is_empty() {
            self.graph = None;
        }
        if self.explicit_left == 0 && self.graph.is_none() {
            return false;
        }
        let any_counts = self.any_left > 0 || (!is_leaf && issued_to_itself);
        if let Some(graph) = &mut self.graph {
            graph.add_level(policies, any_counts);
            let mappings: &[_] = if is_leaf { &[] } else { &certificate.policy_mappings };
            if !mappings.is_empty() && !graph.map(mappings, self.mapping_left > 0) {
                return false;
            }
        }
        if !is_leaf {
            self.count_down(certificate, issued_to_itself);
        }
        true
    }

    fn count_down(&mut self, certificate: &Certificate, issued_to_itself: bool) {
        let lower = |left: &mut i64, limit: Option<i64>| {
            if !issued_to_itself && *left > 0 {
                *left -= 1;
            }
            // Negative limits, which only broken certificates have, say nothing.
            if let Some(limit) = limit.filter(|it| *it >= 0 && it < left) {
                *left = limit;
            }
        };
        lower(&mut self.explicit_left, certificate.require_explicit_policy);
        lower(&mut self.mapping_left, certificate.inhibit_policy_mapping);
        lower(&mut self.any_left, certificate.inhibit_any_policy);
    }
}

/// A policy that may hold at a level.
struct Node {
    /// The policies that count as this one a level further.
    expected: Vec<Vec<u8>>,
    /// Those of the level before that it stands for.
    parents: BTreeSet<Vec<u8>>,
}

/// Levels of policies, the root's first; nodes are named by their policy.
struct Graph {
    levels: Vec<BTreeMap<Vec<u8>, Node>>,
}

impl Graph {
    fn new() -> Self {
        let root = Node { expected: vec![ANY.to_vec()], parents: BTreeSet::new() };
        Self { levels: vec![BTreeMap::from([(ANY.to_vec(), root)])] }
    }

    fn insert(&mut self, policy: &[u8], parents: BTreeSet<Vec<u8>>) {
        let node = Node { expected: vec![policy.to_vec()], parents };
        if let Some(level) = self.levels.last_mut() {
            level.insert(policy.to_vec(), node);
        }
    }

    /// Adds what a certificate names, as far as the level before expects it.
    fn add_level(&mut self, policies: &[PolicyOid], any_counts: bool) {
        let mut expecting: BTreeMap<Vec<u8>, BTreeSet<Vec<u8>>> = BTreeMap::new();
        let before = self.levels.last();
        for (policy, node) in before.into_iter().flatten() {
            for it in &node.expected {
                expecting.entry(it.clone()).or_default().insert(policy.clone());
            }
        }
        let has_any = before.is_some_and(|it| it.contains_key(ANY));
        self.levels.push(BTreeMap::new());
        for PolicyOid(policy) in policies.iter().filter(|it| it.0 != ANY) {
            match expecting.get(policy) {
                Some(parents) => self.insert(policy, parents.clone()),
                None if has_any => self.insert(policy, BTreeSet::from([ANY.to_vec()])),
                None => {}
            }
        }
        if any_counts && policies.iter().any(|it| it.0 == ANY) {
            for (policy, parents) in expecting {
                if self.levels.last().is_some_and(|it| !it.contains_key(&policy)) {
                    self.insert(&policy, parents);
                }
            }
        }
        self.prune();
    }

    /// Replaces policies by those that the subject has for them; false if "any policy" is mapped.
    fn map(&mut self, mappings: &[(PolicyOid, PolicyOid)], allowed: bool) -> bool {
        let mut subjects: BTreeMap<&[u8], Vec<Vec<u8>>> = BTreeMap::new();
        for (PolicyOid(issuer), PolicyOid(subject)) in mappings {
            if !allowed {
                if let Some(level) = self.levels.last_mut() {
                    level.remove(issuer);
                }
            } else if issuer == ANY || subject == ANY {
                return false;
            } else {
                subjects.entry(issuer).or_default().push(subject.clone());
            }
        }
        self.prune();
        let Some(level) = self.levels.last_mut() else { return true };
        for (issuer, expected) in subjects {
            if let Some(node) = level.get_mut(issuer) {
                node.expected = expected;
            } else if level.contains_key(ANY) {
                let parents = BTreeSet::from([ANY.to_vec()]);
                level.insert(issuer.to_vec(), Node { expected, parents });
            }
        }
        true
    }

    /// Drops policies that no policy of the next level stands for; the first and the last level stay.
    fn prune(&mut self) {
        for at in (1..self.levels.len().saturating_sub(1)).rev() {
            let (before, after) = self.levels.split_at_mut(at + 1);
            let (Some(level), Some(next)) = (before.last_mut(), after.first()) else { return };
            let stood_for: BTreeSet<&Vec<u8>> = next.values().flat_map(|it| &it.parents).collect();
            level.retain(|policy, _| stood_for.contains(policy));
        }
    }

    /// Says whether a policy holds to the end: one that stands for "any policy" alone, or that itself.
    fn has_valid_policy(&self) -> bool {
        let under_any = |it: &Node| it.parents.len() == 1 && it.parents.contains(ANY);
        let named = self.levels.iter().flatten().any(|(policy, it)| policy != ANY && under_any(it));
        named || self.levels.last().is_some_and(|it| it.contains_key(ANY))
    }
}
