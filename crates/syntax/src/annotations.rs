//! Metadata blocks as data: a YAML tree with places beside the fields that decide on scope.
//!
//! What the fields mean (schemas, labels, entrypoints) is for later stages; the parser checks
//! their shape, with OPA's messages. How blocks are found and read is the parser's.

use crate::source::Span;

/// Is one metadata block.
#[derive(Clone, Debug)]
pub struct Annotation {
    /// `scope`, written or implied: `rule`, `document`, `package` or `subpackages`.
    pub scope: Box<str>,
    /// `entrypoint`.
    pub entrypoint: bool,
    /// The whole block as a [`YamlKind::Map`].
    pub yaml: Yaml,
    /// The rule that it stands above, by position in its module; `None` above a package.
    pub rule: Option<u32>,
    /// From the `#` of the first line to the end of the last.
    pub span: Span,
}

/// Is a YAML node with its place.
#[derive(Clone, Debug)]
pub struct Yaml {
    /// What it is.
    pub kind: YamlKind,
    /// Its place in the file.
    pub span: Span,
}

/// Is what a YAML node may be, by YAML 1.2's core rules.
#[derive(Clone, Debug, PartialEq)]
pub enum YamlKind {
    /// Null.
    Null,
    /// A boolean.
    Bool(bool),
    /// A number as JSON text.
    Number(Box<str>),
    /// A string.
    String(Box<str>),
    /// A sequence.
    List(Vec<Yaml>),
    /// A mapping in source order.
    Map(Vec<(Yaml, Yaml)>),
}

impl PartialEq for Yaml {
    /// Compares what the nodes are, not where.
    fn eq(&self, other: &Self) -> bool {
        self.kind == other.kind
    }
}

impl Annotation {
    /// Returns a field of the block.
    #[must_use]
    pub fn field(&self, name: &str) -> Option<&Yaml> {
        self.yaml.get(name)
    }
}

impl Yaml {
    /// Returns the value under a key if this is a map.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Self> {
        let YamlKind::Map(entries) = &self.kind else {
            return None;
        };
        let found = entries.iter().find(|(name, _)| name.as_str() == Some(key));
        found.map(|(_, value)| value)
    }

    /// Returns the string if this is one.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match &self.kind {
            YamlKind::String(text) => Some(text),
            _ => None,
        }
    }
}
