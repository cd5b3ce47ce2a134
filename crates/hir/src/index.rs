//! All modules' packages and rule heads as one tree of paths: who defines what, before any body is read.
//!
//! Apart because it is what the modules share: once it stands, each module is lowered by itself, and every question
//! across modules (is this name a rule, what is its arity, what is defined below this path) is a look-up here. It is
//! made from heads alone, in one pass, and knows nothing of variables.

use lictor_syntax::ast;
use rustc_hash::FxHashMap;

use crate::{
    show,
    tree::{GroupId, GroupKind, RuleId},
};

/// A node of the tree, by position.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) struct NodeId(pub(crate) u32);

pub(crate) const ROOT: NodeId = NodeId(0);

/// One step of a path. Only strings continue a group's path; other scalars do in OPA's tree alone.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Key<'a> {
    Other(&'a str),
    String(&'a str),
}

#[derive(Debug)]
pub(crate) struct Node<'a> {
    pub(crate) key: Key<'a>,
    pub(crate) parent: NodeId,
    pub(crate) children: Vec<NodeId>,
    /// Rules whose ground path ends here.
    pub(crate) rules: Vec<RuleId>,
    /// Rules of the group here; the same but for heads that hold scalars other than strings.
    members: Vec<RuleId>,
    pub(crate) group: Option<GroupId>,
    /// A rule of the package above starts with this name.
    named: bool,
    /// Modules whose package this is.
    pub(crate) modules: Vec<u32>,
}

/// What the index knows of a rule.
#[derive(Debug)]
pub(crate) struct Entry<'a> {
    pub(crate) module: u32,
    pub(crate) rule: &'a ast::Rule,
    pub(crate) node: NodeId,
    group_node: NodeId,
    /// How many parts of the head's reference the group's path holds.
    pub(crate) names: usize,
    /// The whole head is ground.
    pub(crate) ground: bool,
}

#[derive(Debug)]
pub(crate) struct Index<'a> {
    pub(crate) nodes: Vec<Node<'a>>,
    edges: FxHashMap<(NodeId, Key<'a>), NodeId>,
    pub(crate) rules: Vec<Entry<'a>>,
    /// For each module the position of its first rule in `rules`.
    pub(crate) first_rule: Vec<usize>,
    pub(crate) groups: Vec<GroupEntry>,
}

#[derive(Debug)]
pub(crate) struct GroupEntry {
    pub(crate) node: NodeId,
    pub(crate) kind: GroupKind,
    pub(crate) rules: Vec<RuleId>,
    pub(crate) default: Option<RuleId>,
}

/// Builds the index of modules, which are taken in the order given.
pub(crate) fn build<'a>(modules: &[&'a ast::Module]) -> Index<'a> {
    let root = Node {
        key: Key::String("data"),
        parent: ROOT,
        children: Vec::new(),
        rules: Vec::new(),
        members: Vec::new(),
        group: None,
        modules: Vec::new(),
        named: false,
    };
    let mut index = Index {
        nodes: vec![root],
        edges: FxHashMap::default(),
        rules: Vec::new(),
        first_rule: Vec::new(),
        groups: Vec::new(),
    };
    for (at, module) in modules.iter().enumerate() {
        index.add_module(id_of(at), module);
    }
    index.sort();
    index
}

fn id_of(position: usize) -> u32 {
    u32::try_from(position).unwrap_or(u32::MAX)
}

/// Returns the step that a ground part of a path makes.
pub(crate) fn key_of(term: &ast::Term) -> Option<Key<'_>> {
    match &term.kind {
        ast::TermKind::String(text) => Some(Key::String(&text.value)),
        ast::TermKind::Number(text) => Some(Key::Other(text)),
        ast::TermKind::Bool(true) => Some(Key::Other("true")),
        ast::TermKind::Bool(false) => Some(Key::Other("false")),
        ast::TermKind::Null => Some(Key::Other("null")),
        _ => None,
    }
}

impl<'a> Index<'a> {
    fn add_module(&mut self, at: u32, module: &'a ast::Module) {
        let mut package = ROOT;
        for part in &module.package.path {
            package = self.child_or_new(package, Key::String(part.as_str().unwrap_or_default()));
        }
        if let Some(node) = self.nodes.get_mut(package.0 as usize) {
            node.modules.push(at);
        }
        self.first_rule.push(self.rules.len());
        for rule in &module.rules {
            let name = rule.head.reference.head.as_var().unwrap_or_default();
            self.add_rule(at, package, name, rule);
        }
    }

    fn add_rule(&mut self, module: u32, package: NodeId, name: &'a str, rule: &'a ast::Rule) {
        let mut node = self.child_or_new(package, Key::String(name));
        if let Some(it) = self.nodes.get_mut(node.0 as usize) {
            it.named = true;
        }
        let mut group_node = node;
        let mut names = 0;
        let mut strings = true;
        let mut ground = true;
        for part in &rule.head.reference.parts {
            let Some(key) = key_of(part) else {
                ground = false;
                break;
            };
            node = self.child_or_new(node, key);
            strings &= matches!(key, Key::String(_));
            if strings {
                group_node = node;
                names += 1;
            }
        }
        let id = RuleId(id_of(self.rules.len()));
        self.rules.push(Entry { module, rule, node, group_node, names, ground });
        if let Some(node) = self.nodes.get_mut(node.0 as usize) {
            node.rules.push(id);
        }
        if let Some(node) = self.nodes.get_mut(group_node.0 as usize) {
            node.members.push(id);
        }
    }

    fn child_or_new(&mut self, parent: NodeId, key: Key<'a>) -> NodeId {
        let next = NodeId(id_of(self.nodes.len()));
        let found = *self.edges.entry((parent, key)).or_insert(next);
        if found == next {
            self.nodes.push(Node {
                key,
                parent,
                children: Vec::new(),
                rules: Vec::new(),
                members: Vec::new(),
                group: None,
                modules: Vec::new(),
                named: false,
            });
            if let Some(node) = self.nodes.get_mut(parent.0 as usize) {
                node.children.push(next);
            }
        }
        found
    }

    /// Orders children by key and numbers the groups in order of their paths.
    fn sort(&mut self) {
        for at in 0..self.nodes.len() {
            let mut children =
                self.nodes.get_mut(at).map(|it| std::mem::take(&mut it.children)).unwrap_or_default();
            children.sort_by_key(|it| self.node(*it).map(|it| it.key));
            if let Some(node) = self.nodes.get_mut(at) {
                node.children = children;
            }
        }
        let mut open = vec![ROOT];
        while let Some(id) = open.pop() {
            let Some(node) = self.nodes.get_mut(id.0 as usize) else { continue };
            open.extend(node.children.iter().rev());
            let members = node.members.clone();
            let below =
                |it: &RuleId| self.rule(*it).is_some_and(|it| it.rule.head.reference.parts.len() > it.names);
            if members.iter().any(below) {
                self.absorb(id);
            }
            let Some(node) = self.nodes.get_mut(id.0 as usize) else { continue };
            if !node.members.is_empty() {
                let members = std::mem::take(&mut node.members);
                node.group = Some(GroupId(id_of(self.groups.len())));
                let group = self.group_of_members(id, &members);
                self.groups.push(group);
            }
        }
    }

    /// Takes the rules below a node into its group: a head that ends in variables may define what they define.
    fn absorb(&mut self, top: NodeId) {
        let mut open: Vec<(NodeId, usize)> = vec![(top, 0)];
        let mut taken = Vec::new();
        while let Some((id, depth)) = open.pop() {
            let Some(node) = self.nodes.get_mut(id.0 as usize) else { continue };
            open.extend(node.children.iter().map(|it| (*it, depth + 1)));
            if depth > 0 {
                taken.extend(std::mem::take(&mut node.members).into_iter().map(|it| (it, depth)));
            }
        }
        for (rule, depth) in &taken {
            if let Some(entry) = self.rules.get_mut(rule.0 as usize) {
                entry.group_node = top;
                entry.names = entry.names.saturating_sub(*depth);
            }
        }
        if let Some(node) = self.nodes.get_mut(top.0 as usize) {
            node.members.extend(taken.into_iter().map(|it| it.0));
            node.members.sort_unstable();
        }
    }

    fn group_of_members(&self, node: NodeId, members: &[RuleId]) -> GroupEntry {
        let entries: Vec<_> = members.iter().filter_map(|it| Some((*it, self.rule(*it)?))).collect();
        let default = entries.iter().find(|(_, it)| it.rule.default).map(|(id, _)| *id);
        let arity = entries.iter().map(|(_, it)| it.arity()).max().unwrap_or(0);
        let longer = entries.iter().any(|(_, it)| it.rule.head.reference.parts.len() > it.names);
        let kind = if arity > 0 {
            GroupKind::Function { arity: id_of(arity) }
        } else if longer {
            GroupKind::PartialObject
        } else if entries.iter().any(|(_, it)| it.rule.head.key.is_some()) {
            GroupKind::PartialSet
        } else {
            GroupKind::Complete
        };
        let rules = members.iter().copied().filter(|it| Some(*it) != default).collect();
        GroupEntry { node, kind, rules, default }
    }

    pub(crate) fn node(&self, id: NodeId) -> Option<&Node<'a>> {
        self.nodes.get(id.0 as usize)
    }

    pub(crate) fn rule(&self, id: RuleId) -> Option<&Entry<'a>> {
        self.rules.get(id.0 as usize)
    }

    pub(crate) fn group(&self, id: GroupId) -> Option<&GroupEntry> {
        self.groups.get(id.0 as usize)
    }

    pub(crate) fn child(&self, parent: NodeId, key: &str) -> Option<NodeId> {
        self.edges.get(&(parent, Key::String(key))).copied()
    }

    /// Returns a name as rules of a package start with it.
    pub(crate) fn rule_name(&self, package: NodeId, name: &str) -> Option<&'a str> {
        let node = self.node(self.child(package, name)?).filter(|it| it.named)?;
        Some(node.key.text())
    }

    /// Returns the names that rules of a package start with.
    pub(crate) fn rule_names(&self, package: NodeId) -> impl Iterator<Item = &'a str> {
        let children = self.node(package).map_or(&[][..], |it| it.children.as_slice());
        children.iter().filter_map(|it| self.node(*it)).filter(|it| it.named).map(|it| it.key.text())
    }

    /// Returns the node below another one.
    pub(crate) fn child_at(&self, parent: NodeId, key: Key<'_>) -> Option<NodeId> {
        // The lifetime of a key is that of the map's keys in its signature only.
        self.edges.get(&(parent, key)).copied()
    }

    /// Returns the node at a path.
    pub(crate) fn find<'p>(&self, path: impl IntoIterator<Item = &'p str>) -> Option<NodeId> {
        path.into_iter().try_fold(ROOT, |node, key| self.child(node, key))
    }

    /// Returns the group that a rule belongs to.
    pub(crate) fn group_of_rule(&self, rule: &Entry<'a>) -> GroupId {
        self.node(rule.group_node).and_then(|it| it.group).unwrap_or(GroupId(0))
    }

    /// Returns the path of a node, without `data`.
    pub(crate) fn path(&self, id: NodeId) -> Vec<Key<'a>> {
        let mut out = Vec::new();
        let mut at = id;
        while at != ROOT {
            let Some(node) = self.node(at) else { break };
            out.push(node.key);
            at = node.parent;
        }
        out.reverse();
        out
    }

    /// Returns the path of a group as it is shown.
    pub(crate) fn group_text(&self, group: GroupId) -> String {
        let path = self.group(group).map(|it| self.path(it.node)).unwrap_or_default();
        show::data_path(path.iter().map(Key::text))
    }

    /// Returns a rule's path with all that its head holds.
    pub(crate) fn rule_text(&self, entry: &Entry<'_>) -> String {
        let mut out = String::from("data");
        for key in self.path(entry.node) {
            match key {
                Key::String(text) => show::push_key(text, &mut out),
                Key::Other(text) => {
                    out.push('[');
                    out.push_str(text);
                    out.push(']');
                }
            }
        }
        show::push_parts(entry.parts_behind(), &mut out);
        out
    }

    /// Returns the paths of all functions as they are shown.
    pub(crate) fn function_names(&self) -> impl Iterator<Item = String> {
        (0..)
            .zip(&self.groups)
            .filter(|(_, it)| matches!(it.kind, GroupKind::Function { .. }))
            .map(|(at, _)| self.group_text(GroupId(at)))
    }

    /// Returns the arity of what is called at a group: that of its first rule.
    pub(crate) fn arity(&self, group: GroupId) -> Option<usize> {
        let node = self.node(self.group(group)?.node)?;
        let first = self.rule(*node.rules.first()?)?;
        Some(first.arity())
    }
}

impl<'a> Key<'a> {
    pub(crate) fn text(&self) -> &'a str {
        match self {
            Self::String(text) | Self::Other(text) => text,
        }
    }
}

impl Entry<'_> {
    pub(crate) fn arity(&self) -> usize {
        self.rule.head.args.as_ref().map_or(0, Vec::len)
    }

    /// Returns the parts of the head's reference behind its ground start.
    pub(crate) fn parts_behind(&self) -> &[ast::Term] {
        let parts = &self.rule.head.reference.parts;
        let ground = parts.iter().take_while(|it| key_of(it).is_some()).count();
        parts.get(ground..).unwrap_or_default()
    }

    pub(crate) fn is_set(&self) -> bool {
        self.rule.head.key.is_some()
    }
}
