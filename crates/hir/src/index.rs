//! All modules' packages and rule heads as one tree of paths: who defines what, before any body is read.
//!
//! Apart because it is what the modules share: once it stands, each module is lowered by itself, and every question
//! across modules (is this name a rule, what is its arity, what is defined below this path) is a look-up here. It is
//! made from heads alone, in one pass, and knows nothing of variables. It owns what it holds, so that a policy keeps it
//! for its queries, each of which would else pay for all rules.

use std::sync::Arc;

use lictor_syntax::ast;
use rustc_hash::FxHashMap;

use crate::{
    Modules, show,
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

/// A text that steps are made of, by position.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct TextId(u32);

/// A step as it is kept.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
struct Step {
    text: TextId,
    is_string: bool,
}

#[derive(Debug)]
pub(crate) struct Node {
    step: Step,
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

/// Where a rule stands.
#[derive(Debug)]
struct Place {
    module: u32,
    node: NodeId,
    group_node: NodeId,
    names: usize,
    ground: bool,
}

/// What the index knows of a rule.
#[derive(Clone, Copy, Debug)]
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

/// Who defines what in a policy, for its queries.
#[derive(Debug)]
pub struct Index {
    modules: Arc<Modules>,
    pub(crate) nodes: Vec<Node>,
    edges: FxHashMap<(NodeId, Step), NodeId>,
    texts: Vec<Arc<str>>,
    ids: FxHashMap<Arc<str>, TextId>,
    rules: Vec<Place>,
    /// For each module the position of its first rule among all.
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
pub(crate) fn build(modules: &Arc<Modules>) -> Index {
    let mut index = Index {
        modules: Arc::clone(modules),
        nodes: Vec::new(),
        edges: FxHashMap::default(),
        texts: Vec::new(),
        ids: FxHashMap::default(),
        rules: Vec::new(),
        first_rule: Vec::new(),
        groups: Vec::new(),
    };
    let root = index.step_or_new(Key::String("data"));
    index.nodes.push(Node::new(root, ROOT));
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

impl Index {
    fn add_module(&mut self, at: u32, module: &ast::Module) {
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

    fn add_rule(&mut self, module: u32, package: NodeId, name: &str, rule: &ast::Rule) {
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
        self.rules.push(Place { module, node, group_node, names, ground });
        if let Some(node) = self.nodes.get_mut(node.0 as usize) {
            node.rules.push(id);
        }
        if let Some(node) = self.nodes.get_mut(group_node.0 as usize) {
            node.members.push(id);
        }
    }

    fn child_or_new(&mut self, parent: NodeId, key: Key<'_>) -> NodeId {
        let step = self.step_or_new(key);
        let next = NodeId(id_of(self.nodes.len()));
        let found = *self.edges.entry((parent, step)).or_insert(next);
        if found == next {
            self.nodes.push(Node::new(step, parent));
            if let Some(node) = self.nodes.get_mut(parent.0 as usize) {
                node.children.push(next);
            }
        }
        found
    }

    fn step_or_new(&mut self, key: Key<'_>) -> Step {
        let text = key.text();
        let is_string = matches!(key, Key::String(_));
        if let Some(text) = self.ids.get(text) {
            return Step { text: *text, is_string };
        }
        let id = TextId(id_of(self.texts.len()));
        let text: Arc<str> = text.into();
        self.texts.push(Arc::clone(&text));
        self.ids.insert(text, id);
        Step { text: id, is_string }
    }

    /// Returns the last step of a node's path.
    pub(crate) fn key(&self, node: &Node) -> Key<'_> {
        let text = self.texts.get(node.step.text.0 as usize).map_or("", |it| it);
        if node.step.is_string { Key::String(text) } else { Key::Other(text) }
    }

    /// Orders children by key and numbers the groups in order of their paths.
    fn sort(&mut self) {
        for at in 0..self.nodes.len() {
            let mut children =
                self.nodes.get_mut(at).map(|it| std::mem::take(&mut it.children)).unwrap_or_default();
            children.sort_by_key(|it| self.node(*it).map(|it| self.key(it)));
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

    pub(crate) fn node(&self, id: NodeId) -> Option<&Node> {
        self.nodes.get(id.0 as usize)
    }

    pub(crate) fn rule(&self, id: RuleId) -> Option<Entry<'_>> {
        let Place { module, node, group_node, names, ground } = *self.rules.get(id.0 as usize)?;
        let first = *self.first_rule.get(module as usize)?;
        let rule = self.modules.get(module as usize)?.rules.get((id.0 as usize).checked_sub(first)?)?;
        Some(Entry { module, rule, node, group_node, names, ground })
    }

    /// The number of rules.
    pub(crate) fn rule_count(&self) -> usize {
        self.rules.len()
    }

    pub(crate) fn group(&self, id: GroupId) -> Option<&GroupEntry> {
        self.groups.get(id.0 as usize)
    }

    pub(crate) fn child(&self, parent: NodeId, key: &str) -> Option<NodeId> {
        self.child_at(parent, Key::String(key))
    }

    /// Returns a name as rules of a package start with it.
    pub(crate) fn rule_name(&self, package: NodeId, name: &str) -> Option<&str> {
        let node = self.node(self.child(package, name)?).filter(|it| it.named)?;
        Some(self.key(node).text())
    }

    /// Returns the names that rules of a package start with.
    pub(crate) fn rule_names(&self, package: NodeId) -> impl Iterator<Item = &str> {
        let children = self.node(package).map_or(&[][..], |it| it.children.as_slice());
        children.iter().filter_map(|it| self.node(*it)).filter(|it| it.named).map(|it| self.key(it).text())
    }

    /// Returns the node below another one.
    pub(crate) fn child_at(&self, parent: NodeId, key: Key<'_>) -> Option<NodeId> {
        let text = *self.ids.get(key.text())?;
        let step = Step { text, is_string: matches!(key, Key::String(_)) };
        self.edges.get(&(parent, step)).copied()
    }

    /// Returns the node at a path.
    pub(crate) fn find<'p>(&self, path: impl IntoIterator<Item = &'p str>) -> Option<NodeId> {
        path.into_iter().try_fold(ROOT, |node, key| self.child(node, key))
    }

    /// Returns the group that a rule belongs to.
    pub(crate) fn group_of_rule(&self, rule: &Entry<'_>) -> GroupId {
        self.node(rule.group_node).and_then(|it| it.group).unwrap_or(GroupId(0))
    }

    /// Returns the path of a node, without `data`.
    pub(crate) fn path(&self, id: NodeId) -> Vec<Key<'_>> {
        let mut out = Vec::new();
        let mut at = id;
        while at != ROOT {
            let Some(node) = self.node(at) else { break };
            out.push(self.key(node));
            at = node.parent;
        }
        out.reverse();
        out
    }

    /// Returns the texts of a node's path, without `data`.
    pub(crate) fn path_texts(&self, id: NodeId) -> Vec<Arc<str>> {
        let up = std::iter::successors(self.node(id).filter(|_| id != ROOT), |it| {
            self.node(it.parent).filter(|_| it.parent != ROOT)
        });
        let mut out: Vec<Arc<str>> =
            up.filter_map(|it| self.texts.get(it.step.text.0 as usize)).map(Arc::clone).collect();
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

impl Node {
    fn new(step: Step, parent: NodeId) -> Self {
        Self {
            step,
            parent,
            children: Vec::new(),
            rules: Vec::new(),
            members: Vec::new(),
            group: None,
            named: false,
            modules: Vec::new(),
        }
    }
}

impl<'a> Entry<'a> {
    pub(crate) fn arity(&self) -> usize {
        self.rule.head.args.as_ref().map_or(0, Vec::len)
    }

    /// Returns the parts of the head's reference behind its ground start.
    pub(crate) fn parts_behind(&self) -> &'a [ast::Term] {
        let parts = &self.rule.head.reference.parts;
        let ground = parts.iter().take_while(|it| key_of(it).is_some()).count();
        parts.get(ground..).unwrap_or_default()
    }

    pub(crate) fn is_set(&self) -> bool {
        self.rule.head.key.is_some()
    }
}
