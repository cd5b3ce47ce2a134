//! Which parts of a document are wanted: a trie of paths.
//!
//! The compiler knows what an entrypoint can read; the reader validates the rest without building it. The trie
//! knows nothing of policies.

/// The node of a part that is kept whole.
pub(super) const WHOLE: u32 = 0;
/// The node of a part of which nothing inside is wanted.
pub(super) const NOTHING: u32 = 1;

/// One step of a path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step<'a> {
    /// The value of an object's key.
    Key(&'a str),
    /// Every value of an object, every item of an array.
    Any,
}

/// The paths of a document that are wanted; each keeps the whole part that it leads to.
///
/// A scalar on the way to a wanted part is kept too. An array in the place of an object with named keys becomes
/// empty, so that a reference through it stays undefined.
///
/// ```
/// use lictor_value::{Arena, json::{self, Projection, Step}};
///
/// let mut projection = Projection::nothing();
/// projection.add(&[Step::Key("user"), Step::Key("name")]);
/// let arena = Arena::new();
/// let text = br#"{"user": {"name": "ann", "age": 7}, "path": [1, 2]}"#;
/// let value = json::read_projected(text, &arena, &projection)?;
/// assert_eq!(value.to_json(), r#"{"user":{"name":"ann"}}"#);
/// # Ok::<(), json::JsonError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Projection {
    nodes: Vec<Node>,
    root: u32,
}

#[derive(Clone, Default, Debug)]
pub(super) struct Node {
    /// Named children, each holding what `any` wants as well.
    keys: Vec<(Box<str>, u32)>,
    any: Option<u32>,
}

impl Projection {
    pub(super) const WHOLE: &'static Self = &Self::whole();

    /// Returns the projection that keeps the whole document.
    #[must_use]
    pub const fn whole() -> Self {
        Self { nodes: Vec::new(), root: WHOLE }
    }

    /// Returns the projection that keeps nothing inside the document.
    #[must_use]
    pub fn nothing() -> Self {
        Self { root: NOTHING, ..Self::whole() }
    }

    /// Says whether the whole document is kept.
    #[must_use]
    pub fn is_whole(&self) -> bool {
        self.root == WHOLE
    }

    /// Adds a path; the part that it leads to is kept whole.
    pub fn add(&mut self, path: &[Step<'_>]) {
        self.root = self.with(self.root, path);
    }

    /// Returns the node that wants what `node` does and the path.
    fn with(&mut self, node: u32, path: &[Step<'_>]) -> u32 {
        let Some((step, rest)) = path.split_first() else { return WHOLE };
        if node == WHOLE {
            return WHOLE;
        }
        let mut changed = self.node(node).cloned().unwrap_or_default();
        match step {
            Step::Any => {
                changed.any = Some(self.with(changed.any.unwrap_or(NOTHING), rest));
                for child in &mut changed.keys {
                    child.1 = self.with(child.1, rest);
                }
            }
            Step::Key(key) => match changed.keys.iter().position(|it| *it.0 == **key) {
                Some(at) => changed.keys[at].1 = self.with(changed.keys[at].1, rest),
                None => {
                    let child = self.with(changed.any.unwrap_or(NOTHING), rest);
                    changed.keys.push(((*key).into(), child));
                }
            },
        }
        self.nodes.push(changed);
        // The first node is number 2.
        u32::try_from(self.nodes.len() + 1).expect("fewer nodes than a policy has bytes")
    }

    fn node(&self, node: u32) -> Option<&Node> {
        self.nodes.get((node as usize).checked_sub(2)?)
    }

    pub(super) fn root(&self) -> u32 {
        self.root
    }

    /// Returns what is wanted of a key's value; none if nothing is, not even the value itself.
    pub(super) fn key(&self, node: u32, key: &str) -> Option<u32> {
        let node = self.node(node)?;
        node.keys.iter().find(|it| *it.0 == *key).map(|it| it.1).or(node.any)
    }

    /// Returns what is wanted of each item of an array.
    pub(super) fn any(&self, node: u32) -> Option<u32> {
        self.node(node)?.any
    }
}
