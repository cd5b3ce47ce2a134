//! The tree of documents that rules define: packages and groups by their path.
//!
//! Apart because references, extents and replaced documents all walk it. It knows paths and groups only; what hides
//! a node is the business of `generation`.

use std::sync::Arc;

use lictor_hir::tree as hir;
use rustc_hash::FxHashMap;

use super::number_of;
use crate::external::MountedPath;

/// A node, by position in [`Tree::nodes`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(super) struct NodeId(u32);

/// The tree below `data`.
#[derive(Debug)]
pub(super) struct Tree {
    nodes: Vec<Node>,
    /// The groups below another one, whose rules define parts of its object: by that one, with the names between.
    parts: FxHashMap<hir::GroupId, Vec<Part>>,
}

/// A group below another one, and the names between.
pub(super) type Part = (hir::GroupId, Vec<Arc<str>>);

#[derive(Debug, Default)]
struct Node {
    parent: Option<(NodeId, Arc<str>)>,
    /// Sorted by name.
    children: Vec<(Arc<str>, NodeId)>,
    group: Option<hir::GroupId>,
    function: bool,
    /// Of a mounted path: how many keys below it name a document.
    external: Option<usize>,
}

impl Tree {
    /// The node of `data` itself.
    pub(super) const ROOT: NodeId = NodeId(0);

    /// Builds the tree of all groups and packages.
    pub(super) fn new(hir: &hir::Hir, mounted: &[MountedPath]) -> Self {
        let mut tree = Self { nodes: vec![Node::default()], parts: FxHashMap::default() };
        for (group, index) in hir.groups.iter().zip(0u32..) {
            let id = hir::GroupId(index);
            let function = matches!(group.kind, hir::GroupKind::Function { .. });
            match tree.insert(&group.path) {
                Ok(node) => {
                    let slot = &mut tree.nodes[node.0 as usize];
                    slot.group = Some(id);
                    slot.function = function;
                }
                // A function is no part of a document.
                Err(_) if function => {}
                Err((above, names)) => {
                    tree.parts.entry(above).or_default().push((id, names.to_vec()));
                }
            }
        }
        for package in &hir.packages {
            // Below a group it adds nothing by itself.
            let _ = tree.insert(package);
        }
        for MountedPath { path, keys } in mounted {
            let path: Vec<Arc<str>> = path.iter().map(|it| it.as_str().into()).collect();
            // Rules above or below are refused before.
            if let Ok(node) = tree.insert(&path) {
                tree.nodes[node.0 as usize].external = Some((*keys).max(1));
            }
        }
        tree
    }

    /// Returns the node of a path, or the group that stands above it with the names from there on.
    ///
    /// Groups come in order of their paths, so the upper one is there first.
    fn insert<'p>(&mut self, path: &'p [Arc<str>]) -> Result<NodeId, (hir::GroupId, &'p [Arc<str>])> {
        let mut node = Self::ROOT;
        for (index, name) in path.iter().enumerate() {
            if let Some(group) = self.group(node) {
                return Err((group, path.get(index..).unwrap_or_default()));
            }
            let children = &self.nodes[node.0 as usize].children;
            node = match children.binary_search_by(|it| it.0.as_ref().cmp(name)) {
                Ok(at) => children[at].1,
                Err(at) => {
                    let child = NodeId(number_of(self.nodes.len()));
                    self.nodes.push(Node { parent: Some((node, name.clone())), ..Node::default() });
                    self.nodes[node.0 as usize].children.insert(at, (name.clone(), child));
                    child
                }
            };
        }
        Ok(node)
    }

    /// Returns the groups whose rules define parts of a group's object, with the names that lead to them.
    pub(super) fn parts(&self, group: hir::GroupId) -> &[Part] {
        self.parts.get(&group).map_or(&[], Vec::as_slice)
    }

    /// Returns the child of a name.
    pub(super) fn child(&self, node: NodeId, name: &str) -> Option<NodeId> {
        let children = &self.nodes[node.0 as usize].children;
        children.binary_search_by(|it| it.0.as_ref().cmp(name)).ok().map(|at| children[at].1)
    }

    /// Returns the children in order of their names.
    pub(super) fn children(&self, node: NodeId) -> &[(Arc<str>, NodeId)] {
        &self.nodes[node.0 as usize].children
    }

    /// Returns the node of a path.
    pub(super) fn find<'a>(&self, mut path: impl Iterator<Item = &'a str>) -> Option<NodeId> {
        path.try_fold(Self::ROOT, |node, name| self.child(node, name))
    }

    /// Returns the group that the node stands for.
    pub(super) fn group(&self, node: NodeId) -> Option<hir::GroupId> {
        self.nodes[node.0 as usize].group
    }

    /// Returns how many keys below the node name a document, if somebody else keeps what is below it.
    pub(super) fn external(&self, node: NodeId) -> Option<usize> {
        self.nodes[node.0 as usize].external
    }

    /// Says whether somebody else keeps what is below a part of a path, and how it is written.
    pub(super) fn external_above<'a>(&self, path: impl Iterator<Item = &'a str>) -> Option<String> {
        let mut node = Self::ROOT;
        for name in path {
            if self.external(node).is_some() {
                return Some(shown(&self.path(node)));
            }
            node = self.child(node, name)?;
        }
        None
    }

    /// Says whether the node is a function, which is no document.
    pub(super) fn is_function(&self, node: NodeId) -> bool {
        self.nodes[node.0 as usize].function
    }

    /// Returns the names from `data` to the node.
    pub(super) fn path(&self, mut node: NodeId) -> Vec<Arc<str>> {
        let mut path = Vec::new();
        while let Some((parent, name)) = &self.nodes[node.0 as usize].parent {
            path.push(name.clone());
            node = *parent;
        }
        path.reverse();
        path
    }
}

/// Bytes that most paths need at most.
const SHOWN_BYTES: usize = 48;

/// Returns a path as Rego writes it: `data.a["b-c"]`.
pub(super) fn shown(path: &[Arc<str>]) -> String {
    let mut out = String::with_capacity(SHOWN_BYTES);
    out.push_str("data");
    for name in path {
        let mut chars = name.chars();
        let plain = chars.next().is_some_and(|it| it.is_ascii_alphabetic() || it == '_')
            && chars.all(|it| it.is_ascii_alphanumeric() || it == '_');
        if plain {
            out.push('.');
            out.push_str(name);
        } else {
            out.push('[');
            let mut quoted = Vec::new();
            lictor_value::write_string(name, &mut quoted, false);
            out.push_str(&String::from_utf8_lossy(&quoted));
            out.push(']');
        }
    }
    out
}
