//! YAML text as a tree of nodes, before scalars are resolved for good.
//!
//! Built from the parser crate's events without recursion. `normalize` does to the tree
//! what OPA does: dates become strings, repeated merge keys become one, the last of equal
//! keys wins.

use std::borrow::Cow;
use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, ScanError, Tag};

use super::YamlError;
use super::scalar;

/// How deep a document may nest.
const DEPTH_MAX: usize = 1000;

/// The index of a node in its tree.
pub(super) type NodeId = usize;

/// One node of a document.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) kind: Kind,
    /// The tag in its short form (`!!int`); for plain scalars without a tag, what they
    /// resolve to.
    pub(super) tag: String,
    pub(super) style: Style,
    pub(super) line: usize,
}

#[derive(Debug)]
pub(super) enum Kind {
    Scalar(String),
    Sequence(Vec<NodeId>),
    Mapping(Vec<(NodeId, NodeId)>),
    Alias { target: NodeId, name: String },
}

/// How a node was written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Style {
    Plain,
    Quoted,
    Tagged,
}

/// A document.
#[derive(Debug, Default)]
pub(super) struct Tree {
    pub(super) nodes: Vec<Node>,
    pub(super) root: NodeId,
}

/// Reads the first document of a text, and checks that the rest can be read.
pub(super) fn read(text: &str) -> Result<Option<Tree>, YamlError> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.chars().any(is_forbidden) {
        return Err(YamlError::plain("control characters are not allowed"));
    }
    check_directives(text)?;
    check_start(text)?;
    // The library gives a block scalar a line break at the end only if there is one.
    let open_end = if text.ends_with(['\n', '\r']) { usize::MAX } else { text.chars().count() };
    let mut first = None;
    let mut builder = Builder::default();
    for event in Parser::new_from_str(text) {
        let (event, span) = event.map_err(|err| scan_error(text, &err))?;
        if event == Event::DocumentEnd {
            let tree = std::mem::take(&mut builder).tree;
            first.get_or_insert(tree);
        } else {
            let event = if span.end.index() >= open_end { without_break(event) } else { event };
            builder.event(event, span.start.line(), |target| {
                let name = name_at(text, span.start.index());
                Kind::Alias { target, name }
            })?;
        }
    }
    Ok(first)
}

/// Refuses directives that the library refuses, such as `%YAML 1.2`.
fn check_directives(text: &str) -> Result<(), YamlError> {
    for (idx, line) in text.lines().enumerate() {
        let refuse = |fault| Err(YamlError::at(idx + 1, fault));
        match line.split_ascii_whitespace().collect::<Vec<_>>().as_slice() {
            _ if !line.starts_with(['%', '#']) && !line.trim().is_empty() => return Ok(()),
            ["%YAML", version, ..] if *version != "1.1" => {
                return refuse("found incompatible YAML document");
            }
            ["%YAML" | "%TAG", ..] => {}
            [name, ..] if name.starts_with('%') => return refuse("found unknown directive name"),
            _ => {}
        }
    }
    Ok(())
}

fn without_break(event: Event<'_>) -> Event<'_> {
    match event {
        Event::Scalar(text, style @ (ScalarStyle::Literal | ScalarStyle::Folded), anchor, tag) => {
            let cut = text.strip_suffix('\n').map(str::to_owned);
            Event::Scalar(cut.map_or(text, Cow::Owned), style, anchor, tag)
        }
        other => other,
    }
}

/// Characters that may not stand in YAML, not even quoted.
fn is_forbidden(c: char) -> bool {
    match c {
        '\t' | '\n' | '\r' | '\u{85}' => false,
        ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{10000}'.. => false,
        '\u{e000}'..='\u{fffd}' => c == '\u{feff}',
        _ => true,
    }
}

/// The library's words for a character out of place.
const NO_TOKEN: &str = "found character that cannot start any token";

/// Refuses a tab before the first token, which the parser that is used here skips.
fn check_start(text: &str) -> Result<(), YamlError> {
    let content = text.trim_start_matches([' ', '\n', '\r']);
    if !content.starts_with('\t') {
        return Ok(());
    }
    match text.get(..text.len() - content.len()).map_or(0, |it| it.matches('\n').count()) {
        0 => Err(YamlError::plain(NO_TOKEN)),
        line => Err(YamlError::at(line + 1, NO_TOKEN)),
    }
}

fn scan_error(text: &str, err: &ScanError) -> YamlError {
    let info = err.info();
    if info.ends_with("found unknown anchor") {
        let name = name_at(text, err.marker().index());
        return YamlError::plain(&format!("unknown anchor '{name}' referenced"));
    }
    // The library names the fault, not what was being read.
    let info = info.rsplit_once(", ").map_or(info, |(_, fault)| fault);
    let (fault, stage) = known_fault(info);
    // Lines count from 0 here, and line 0 is not shown.
    let line = err.marker().line().saturating_sub(1);
    let line = match stage {
        Stage::Scanner if line > 0 => line + 1,
        Stage::Flow => Some(unclosed_line(text)).filter(|it| *it > 0).unwrap_or(line),
        Stage::Scanner | Stage::Parser => line,
    };
    if line == 0 { YamlError::plain(fault) } else { YamlError::at(line, fault) }
}

/// Where the library finds a fault, which decides the line that it shows.
#[derive(Clone, Copy)]
enum Stage {
    Scanner,
    Parser,
    /// In a list or mapping in brackets: the line of the bracket is shown.
    Flow,
}

/// Returns the library's words for a fault of the parser that is used here.
fn known_fault(info: &str) -> (&str, Stage) {
    match info {
        "expected ',' or ']'" => ("did not find expected ',' or ']'", Stage::Flow),
        "did not find expected ',' or '}'" => (info, Stage::Flow),
        "misplaced bracket" => ("did not find expected node content", Stage::Parser),
        // The parser stands one line further on.
        "simple key expected" => ("could not find expected ':'", Stage::Parser),
        "did not find expected hexadecimal number" => {
            ("did not find expected hexdecimal number", Stage::Scanner)
        }
        _ if info.starts_with("unexpected character: ") || info.starts_with("tabs disallowed") => {
            (NO_TOKEN, Stage::Scanner)
        }
        _ if info.starts_with("did not find expected '-'")
            || info.starts_with("did not find expected key")
            || info.starts_with("did not find expected node")
            || info.starts_with("did not find expected <") =>
        {
            (info, Stage::Parser)
        }
        _ => (info, Stage::Scanner),
    }
}

/// Returns the line, from 0, of the innermost bracket that is open at the end of a text.
fn unclosed_line(text: &str) -> usize {
    let mut open = Vec::new();
    let mut quote = None;
    for (line, line_text) in text.lines().enumerate() {
        for c in line_text.chars() {
            match (quote, c) {
                (Some(mark), _) if mark == c => quote = None,
                (None, '\'' | '"') => quote = Some(c),
                (None, '[' | '{') => open.push(line),
                (None, ']' | '}') => {
                    open.pop();
                }
                _ => {}
            }
        }
    }
    open.pop().unwrap_or(0)
}

/// Returns the name behind the `*` of an alias that stands at a character index.
fn name_at(text: &str, index: usize) -> String {
    let name = text.chars().skip(index + 1);
    name.take_while(|c| !c.is_whitespace() && !matches!(c, ',' | '[' | ']' | '{' | '}')).collect()
}

/// A collection whose end has not been seen.
struct Open {
    id: NodeId,
    children: Vec<NodeId>,
}

#[derive(Default)]
struct Builder {
    tree: Tree,
    open: Vec<Open>,
    anchors: HashMap<usize, NodeId>,
}

impl Builder {
    fn event(
        &mut self,
        event: Event<'_>,
        line: usize,
        alias: impl FnOnce(NodeId) -> Kind,
    ) -> Result<(), YamlError> {
        match event {
            Event::Scalar(text, style, anchor, tag) => {
                let style = if style == ScalarStyle::Plain { Style::Plain } else { Style::Quoted };
                let tag = tag.as_deref().and_then(short_tag);
                self.scalar(text.into_owned(), style, tag, line, anchor);
            }
            Event::SequenceStart(anchor, tag) => {
                self.open(Kind::Sequence(Vec::new()), "!!seq", tag.as_deref(), line, anchor)?;
            }
            Event::MappingStart(anchor, tag) => {
                self.open(Kind::Mapping(Vec::new()), "!!map", tag.as_deref(), line, anchor)?;
            }
            Event::SequenceEnd | Event::MappingEnd => self.close(),
            Event::Alias(anchor) => {
                let target = self.anchors.get(&anchor).copied();
                let target = target.ok_or_else(|| YamlError::plain("unknown anchor referenced"))?;
                self.add(alias(target), String::new(), Style::Plain, line, 0);
            }
            _ => {}
        }
        Ok(())
    }

    fn scalar(&mut self, text: String, style: Style, tag: Option<String>, line: usize, anchor: usize) {
        let (tag, style) = match tag {
            Some(tag) => (tag, Style::Tagged),
            None if style == Style::Quoted => ("!!str".to_owned(), style),
            None if text == "<<" => ("!!merge".to_owned(), style),
            None => (scalar::plain_tag(&text).to_owned(), style),
        };
        self.add(Kind::Scalar(text), tag, style, line, anchor);
    }

    fn open(
        &mut self,
        kind: Kind,
        default_tag: &str,
        tag: Option<&Tag>,
        line: usize,
        anchor: usize,
    ) -> Result<(), YamlError> {
        if self.open.len() >= DEPTH_MAX {
            return Err(YamlError::at(line, &format!("exceeded max depth of {DEPTH_MAX}")));
        }
        let (tag, style) = match tag.and_then(short_tag) {
            Some(tag) => (tag, Style::Tagged),
            None => (default_tag.to_owned(), Style::Plain),
        };
        let id = self.add(kind, tag, style, line, anchor);
        self.open.push(Open { id, children: Vec::new() });
        Ok(())
    }

    fn add(&mut self, kind: Kind, tag: String, style: Style, line: usize, anchor: usize) -> NodeId {
        let id = self.tree.nodes.len();
        self.tree.nodes.push(Node { kind, tag, style, line });
        if anchor != 0 {
            self.anchors.insert(anchor, id);
        }
        match self.open.last_mut() {
            Some(open) => open.children.push(id),
            None => self.tree.root = id,
        }
        id
    }

    fn close(&mut self) {
        let Some(open) = self.open.pop() else {
            return;
        };
        match self.tree.nodes.get_mut(open.id).map(|node| &mut node.kind) {
            Some(Kind::Sequence(items)) => *items = open.children,
            Some(Kind::Mapping(pairs)) => {
                let pair = |pair: &[NodeId]| match pair {
                    [key, value] => Some((*key, *value)),
                    _ => None,
                };
                *pairs = open.children.chunks(2).filter_map(pair).collect();
            }
            _ => {}
        }
    }
}

/// Returns the short form of a tag; none for the tag `!`, which says nothing.
fn short_tag(tag: &Tag) -> Option<String> {
    let long = format!("{}{}", tag.handle, tag.suffix);
    if long.is_empty() || long == "!" {
        return None;
    }
    Some(match long.strip_prefix("tag:yaml.org,2002:") {
        Some(name) => format!("!!{name}"),
        None => long,
    })
}

impl Tree {
    /// Rewrites what OPA rewrites before it decodes a document.
    pub(super) fn normalize(&mut self) {
        for id in 0..self.nodes.len() {
            if let Some(Node { kind: Kind::Mapping(pairs), .. }) = self.nodes.get_mut(id) {
                let pairs = std::mem::take(pairs);
                let pairs = self.join_merges(pairs);
                let pairs = self.last_of_equal_keys(pairs);
                if let Some(node) = self.nodes.get_mut(id) {
                    node.kind = Kind::Mapping(pairs);
                }
            }
        }
        for node in &mut self.nodes {
            if node.tag == "!!timestamp" && node.style == Style::Plain {
                "!!str".clone_into(&mut node.tag);
            }
        }
    }

    fn is_merge(&self, id: NodeId) -> bool {
        self.nodes.get(id).is_some_and(|node| matches!(node.kind, Kind::Scalar(_)) && node.tag == "!!merge")
    }

    /// Makes repeated merge keys one, with a sequence of what they merge.
    fn join_merges(&mut self, pairs: Vec<(NodeId, NodeId)>) -> Vec<(NodeId, NodeId)> {
        let merges = pairs.iter().filter(|(key, _)| self.is_merge(*key));
        let values: Vec<NodeId> = merges.map(|(_, value)| *value).collect();
        if values.is_empty() {
            return pairs;
        }
        let mut sources = Vec::new();
        for value in values {
            match self.nodes.get(value).map(|node| &node.kind) {
                Some(Kind::Sequence(items)) => sources.extend(items),
                _ => sources.push(value),
            }
        }
        if sources.len() < 2 {
            return pairs;
        }
        let joined = self.nodes.len();
        self.nodes.push(Node {
            kind: Kind::Sequence(sources),
            tag: "!!seq".to_owned(),
            style: Style::Plain,
            line: 0,
        });
        let mut seen = false;
        let mut out = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            if !self.is_merge(key) {
                out.push((key, value));
            } else if !std::mem::replace(&mut seen, true) {
                out.push((key, joined));
            }
        }
        out
    }

    /// Keeps the first of equal scalar keys with the value of the last.
    fn last_of_equal_keys(&self, pairs: Vec<(NodeId, NodeId)>) -> Vec<(NodeId, NodeId)> {
        let mut places: HashMap<String, usize> = HashMap::new();
        let mut out: Vec<(NodeId, NodeId)> = Vec::with_capacity(pairs.len());
        for (key, value) in pairs {
            let name = self.nodes.get(key).filter(|_| !self.is_merge(key));
            let name = name.and_then(|node| scalar::resolve(node).ok()?.key_text());
            let place = name.and_then(|name| {
                let next = out.len();
                let place = *places.entry(name).or_insert(next);
                (place < next).then_some(place)
            });
            match place.and_then(|place| out.get_mut(place)) {
                Some(pair) => pair.1 = value,
                None => out.push((key, value)),
            }
        }
        out
    }
}
