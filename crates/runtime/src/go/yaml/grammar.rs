//! From tokens to nodes: documents, blocks, lists and mappings in brackets.
//!
//! A machine with a stack of its own instead of recursion, because texts nest as deep as they like. Which token may
//! follow which, and how a fault is told, are those of the library that OPA uses.

use super::YamlError;
use super::scan::{Kind, ScalarStyle, Scanner};
use super::tree::{Builder, Properties, Style, Tree};

/// What is read next.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum State {
    FirstDocument,
    NextDocument,
    DocumentContent,
    DocumentEnd,
    BlockNode,
    BlockSequenceStart,
    BlockSequence,
    /// A list that stands at the column of its key.
    IndentlessSequence,
    BlockMappingStart,
    BlockMappingKey,
    BlockMappingValue,
    FlowSequenceStart,
    FlowSequence,
    /// A pair that stands in a list without braces.
    PairKey,
    PairValue,
    PairEnd,
    FlowMappingStart,
    FlowMappingKey,
    FlowMappingValue,
    /// The value of a key that has none.
    FlowMappingNoValue,
    End,
}

/// Where a node may stand, which decides what may begin it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    Block,
    /// Behind a key, where a list needs no indentation.
    BlockOrIndentless,
    Flow,
}

struct Grammar<'t> {
    scanner: Scanner<'t>,
    builder: Builder,
    states: Vec<State>,
    /// The lines in which the open collections began.
    lines: Vec<usize>,
    /// Handles of tags and what they stand for, in the document that is read.
    handles: Vec<(String, String)>,
    first: Option<Tree>,
}

type Parsed<T> = Result<T, YamlError>;

/// Reads the first document of a text, and checks that the rest can be read.
pub(super) fn read(text: &str) -> Parsed<Option<Tree>> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    if text.chars().any(is_forbidden) {
        return Err(YamlError::plain("control characters are not allowed"));
    }
    let mut grammar = Grammar {
        scanner: Scanner::new(text),
        builder: Builder::default(),
        states: Vec::new(),
        lines: Vec::new(),
        handles: Vec::new(),
        first: None,
    };
    let mut state = State::FirstDocument;
    while state != State::End {
        state = grammar.step(state)?;
    }
    Ok(grammar.first)
}

/// Characters that may not stand in YAML, not even quoted.
fn is_forbidden(c: char) -> bool {
    !matches!(
        c,
        '\t' | '\n' | '\r' | '\u{85}' | ' '..='~' | '\u{a0}'..='\u{d7ff}' | '\u{e000}'..='\u{fffd}' | '\u{10000}'..
    )
}

/// Returns the error of a fault; the line shown is that of what was being read, unless it is the first.
fn fault<T>(context: usize, line: usize, what: &str) -> Parsed<T> {
    let line = if context != 0 { context } else { line };
    Err(if line == 0 { YamlError::plain(what) } else { YamlError::at(line, what) })
}

impl Grammar<'_> {
    fn step(&mut self, state: State) -> Parsed<State> {
        match state {
            State::FirstDocument | State::NextDocument => self.document_start(state),
            State::DocumentContent => self.document_content(),
            State::DocumentEnd => self.document_end(),
            State::BlockNode => self.node(Place::Block),
            State::BlockSequenceStart => {
                self.enter()?;
                self.block_sequence()
            }
            State::BlockSequence => self.block_sequence(),
            State::IndentlessSequence => self.indentless_sequence(),
            State::BlockMappingStart => {
                self.enter()?;
                self.block_mapping_key()
            }
            State::BlockMappingKey => self.block_mapping_key(),
            State::BlockMappingValue => self.block_mapping_value(),
            State::FlowSequenceStart => {
                self.enter()?;
                self.flow_sequence(true)
            }
            State::FlowSequence => self.flow_sequence(false),
            State::PairKey => self.pair_key(),
            State::PairValue => self.pair_value(),
            State::PairEnd => {
                self.builder.close();
                Ok(State::FlowSequence)
            }
            State::FlowMappingStart => {
                self.enter()?;
                self.flow_mapping_key(true)
            }
            State::FlowMappingKey => self.flow_mapping_key(false),
            State::FlowMappingValue => self.flow_mapping_value(),
            State::FlowMappingNoValue => {
                let line = self.line()?;
                Ok(self.nothing(line, State::FlowMappingKey))
            }
            State::End => Ok(State::End),
        }
    }

    fn is(&mut self, wanted: &[Kind]) -> Parsed<bool> {
        Ok(wanted.contains(&self.scanner.peek()?.kind))
    }

    fn line(&mut self) -> Parsed<usize> {
        Ok(self.scanner.peek()?.line)
    }

    fn back(&mut self) -> State {
        self.states.pop().unwrap_or(State::End)
    }

    /// Takes the token that opens a collection.
    fn enter(&mut self) -> Parsed<()> {
        let line = self.scanner.take()?.line;
        self.lines.push(line);
        Ok(())
    }

    /// Takes the token that closes a collection.
    fn leave(&mut self) -> Parsed<State> {
        self.scanner.take()?;
        self.lines.pop();
        self.builder.close();
        Ok(self.back())
    }

    /// Refuses the next token inside a collection.
    fn refuse(&mut self, what: &str) -> Parsed<State> {
        let context = self.lines.pop().unwrap_or(0);
        let line = self.line()?;
        fault(context, line, what)
    }

    /// Adds an empty scalar, which is null.
    fn nothing(&mut self, line: usize, next: State) -> State {
        let properties = Properties { line: line + 1, ..Properties::default() };
        self.builder.scalar(String::new(), Style::Plain, properties);
        next
    }

    /// Reads a node and then goes on.
    fn node_then(&mut self, place: Place, next: State) -> Parsed<State> {
        self.states.push(next);
        self.node(place)
    }

    fn document_start(&mut self, state: State) -> Parsed<State> {
        while state == State::NextDocument && self.is(&[Kind::DocumentEnd])? {
            self.scanner.take()?;
        }
        let kind = &self.scanner.peek()?.kind;
        if *kind == Kind::StreamEnd {
            return Ok(State::End);
        }
        let explicit = matches!(kind, Kind::Version(..) | Kind::TagDirective { .. } | Kind::DocumentStart);
        if state == State::FirstDocument && !explicit {
            self.directives()?;
            self.states.push(State::DocumentEnd);
            return Ok(State::BlockNode);
        }
        self.directives()?;
        if !self.is(&[Kind::DocumentStart])? {
            let line = self.line()?;
            return fault(0, line, "did not find expected <document start>");
        }
        self.scanner.take()?;
        self.states.push(State::DocumentEnd);
        Ok(State::DocumentContent)
    }

    fn directives(&mut self) -> Parsed<()> {
        let mut version = false;
        loop {
            let token = self.scanner.peek()?;
            let line = token.line;
            match &token.kind {
                Kind::Version(..) if version => return fault(0, line, "found duplicate %YAML directive"),
                Kind::Version(1, 1) => version = true,
                Kind::Version(..) => return fault(0, line, "found incompatible YAML document"),
                Kind::TagDirective { handle, prefix } => {
                    if self.handles.iter().any(|it| it.0 == *handle) {
                        return fault(0, line, "found duplicate %TAG directive");
                    }
                    self.handles.push((handle.clone(), prefix.clone()));
                }
                _ => break,
            }
            self.scanner.take()?;
        }
        for (handle, prefix) in [("!", "!"), ("!!", "tag:yaml.org,2002:")] {
            if self.handles.iter().all(|it| it.0 != handle) {
                self.handles.push((handle.to_owned(), prefix.to_owned()));
            }
        }
        Ok(())
    }

    fn document_content(&mut self) -> Parsed<State> {
        let token = self.scanner.peek()?;
        let line = token.line;
        match token.kind {
            Kind::Version(..)
            | Kind::TagDirective { .. }
            | Kind::DocumentStart
            | Kind::DocumentEnd
            | Kind::StreamEnd => {
                let next = self.back();
                Ok(self.nothing(line, next))
            }
            _ => self.node(Place::Block),
        }
    }

    fn document_end(&mut self) -> Parsed<State> {
        if self.is(&[Kind::DocumentEnd])? {
            self.scanner.take()?;
        }
        self.handles.clear();
        let tree = self.builder.finish();
        self.first.get_or_insert(tree);
        Ok(State::NextDocument)
    }

    fn node(&mut self, place: Place) -> Parsed<State> {
        let start = self.line()?;
        if let Kind::Alias(name) = &self.scanner.peek()?.kind {
            let name = name.clone();
            self.builder.alias(name, start + 1)?;
            self.scanner.take()?;
            return Ok(self.back());
        }
        let properties = self.properties(start)?;
        let block = place != Place::Flow;
        match &self.scanner.peek()?.kind {
            Kind::BlockEntry if place == Place::BlockOrIndentless => {
                self.builder.open_sequence(properties)?;
                Ok(State::IndentlessSequence)
            }
            Kind::Scalar(..) => self.scalar(properties),
            Kind::FlowSequenceStart => {
                self.builder.open_sequence(properties)?;
                Ok(State::FlowSequenceStart)
            }
            Kind::FlowMappingStart => {
                self.builder.open_mapping(properties)?;
                Ok(State::FlowMappingStart)
            }
            Kind::BlockSequenceStart if block => {
                self.builder.open_sequence(properties)?;
                Ok(State::BlockSequenceStart)
            }
            Kind::BlockMappingStart if block => {
                self.builder.open_mapping(properties)?;
                Ok(State::BlockMappingStart)
            }
            _ if properties.tag.is_some() || properties.anchor.is_some() => {
                self.builder.scalar(String::new(), Style::Plain, properties);
                Ok(self.back())
            }
            _ => {
                let line = self.line()?;
                fault(start, line, "did not find expected node content")
            }
        }
    }

    fn scalar(&mut self, properties: Properties) -> Parsed<State> {
        if let Kind::Scalar(text, style) = self.scanner.take()?.kind {
            let style = if style == ScalarStyle::Plain { Style::Plain } else { Style::Quoted };
            self.builder.scalar(text, style, properties);
        }
        Ok(self.back())
    }

    /// Reads an anchor and a tag, in either order.
    fn properties(&mut self, start: usize) -> Parsed<Properties> {
        let mut properties = Properties { line: start + 1, ..Properties::default() };
        loop {
            let token = self.scanner.peek()?;
            let line = token.line;
            match &token.kind {
                Kind::Anchor(name) if properties.anchor.is_none() => properties.anchor = Some(name.clone()),
                Kind::Tag { handle, suffix } if properties.tag.is_none() => {
                    let (handle, suffix) = (handle.clone(), suffix.clone());
                    let tag = self.resolved(&handle, &suffix);
                    if tag.is_empty() {
                        // What follows the tag is scanned before it is refused.
                        self.scanner.take()?;
                        self.scanner.peek()?;
                        return fault(start, line, "found undefined tag handle");
                    }
                    properties.tag = Some(tag);
                }
                _ => return Ok(properties),
            }
            self.scanner.take()?;
        }
    }

    fn resolved(&self, handle: &str, suffix: &str) -> String {
        if handle.is_empty() {
            return suffix.to_owned();
        }
        let known = self.handles.iter().find(|it| it.0 == handle);
        known.map_or(String::new(), |it| format!("{}{suffix}", it.1))
    }

    fn block_sequence(&mut self) -> Parsed<State> {
        if self.is(&[Kind::BlockEnd])? {
            return self.leave();
        }
        if !self.is(&[Kind::BlockEntry])? {
            return self.refuse("did not find expected '-' indicator");
        }
        let line = self.scanner.take()?.end_line;
        if self.is(&[Kind::BlockEntry, Kind::BlockEnd])? {
            return Ok(self.nothing(line, State::BlockSequence));
        }
        self.node_then(Place::Block, State::BlockSequence)
    }

    fn indentless_sequence(&mut self) -> Parsed<State> {
        if !self.is(&[Kind::BlockEntry])? {
            self.builder.close();
            return Ok(self.back());
        }
        let line = self.scanner.take()?.end_line;
        if self.is(&[Kind::BlockEntry, Kind::Key, Kind::Value, Kind::BlockEnd])? {
            return Ok(self.nothing(line, State::IndentlessSequence));
        }
        self.node_then(Place::Block, State::IndentlessSequence)
    }

    fn block_mapping_key(&mut self) -> Parsed<State> {
        if self.is(&[Kind::BlockEnd])? {
            return self.leave();
        }
        if !self.is(&[Kind::Key])? {
            return self.refuse("did not find expected key");
        }
        let line = self.scanner.take()?.end_line;
        if self.is(&[Kind::Key, Kind::Value, Kind::BlockEnd])? {
            return Ok(self.nothing(line, State::BlockMappingValue));
        }
        self.node_then(Place::BlockOrIndentless, State::BlockMappingValue)
    }

    fn block_mapping_value(&mut self) -> Parsed<State> {
        if !self.is(&[Kind::Value])? {
            let line = self.line()?;
            return Ok(self.nothing(line, State::BlockMappingKey));
        }
        let line = self.scanner.take()?.end_line;
        if self.is(&[Kind::Key, Kind::Value, Kind::BlockEnd])? {
            return Ok(self.nothing(line, State::BlockMappingKey));
        }
        self.node_then(Place::BlockOrIndentless, State::BlockMappingKey)
    }

    fn flow_sequence(&mut self, first: bool) -> Parsed<State> {
        if self.is(&[Kind::FlowSequenceEnd])? {
            return self.leave();
        }
        if !first {
            if !self.is(&[Kind::FlowEntry])? {
                return self.refuse("did not find expected ',' or ']'");
            }
            self.scanner.take()?;
        }
        if self.is(&[Kind::Key])? {
            let line = self.scanner.take()?.line + 1;
            self.builder.open_mapping(Properties { line, ..Properties::default() })?;
            return Ok(State::PairKey);
        }
        if self.is(&[Kind::FlowSequenceEnd])? {
            return self.leave();
        }
        self.node_then(Place::Flow, State::FlowSequence)
    }

    fn pair_key(&mut self) -> Parsed<State> {
        if !self.is(&[Kind::Value, Kind::FlowEntry, Kind::FlowSequenceEnd])? {
            return self.node_then(Place::Flow, State::PairValue);
        }
        // The token behind the missing key is lost, as in the library.
        let line = self.scanner.take()?.end_line;
        Ok(self.nothing(line, State::PairValue))
    }

    fn pair_value(&mut self) -> Parsed<State> {
        let mut line = self.line()?;
        if self.is(&[Kind::Value])? {
            self.scanner.take()?;
            if !self.is(&[Kind::FlowEntry, Kind::FlowSequenceEnd])? {
                return self.node_then(Place::Flow, State::PairEnd);
            }
            line = self.line()?;
        }
        Ok(self.nothing(line, State::PairEnd))
    }

    fn flow_mapping_key(&mut self, first: bool) -> Parsed<State> {
        if self.is(&[Kind::FlowMappingEnd])? {
            return self.leave();
        }
        if !first {
            if !self.is(&[Kind::FlowEntry])? {
                return self.refuse("did not find expected ',' or '}'");
            }
            self.scanner.take()?;
        }
        if self.is(&[Kind::Key])? {
            self.scanner.take()?;
            if self.is(&[Kind::Value, Kind::FlowEntry, Kind::FlowMappingEnd])? {
                let line = self.line()?;
                return Ok(self.nothing(line, State::FlowMappingValue));
            }
            return self.node_then(Place::Flow, State::FlowMappingValue);
        }
        if self.is(&[Kind::FlowMappingEnd])? {
            return self.leave();
        }
        self.node_then(Place::Flow, State::FlowMappingNoValue)
    }

    fn flow_mapping_value(&mut self) -> Parsed<State> {
        let mut line = self.line()?;
        if self.is(&[Kind::Value])? {
            self.scanner.take()?;
            if !self.is(&[Kind::FlowEntry, Kind::FlowMappingEnd])? {
                return self.node_then(Place::Flow, State::FlowMappingKey);
            }
            line = self.line()?;
        }
        Ok(self.nothing(line, State::FlowMappingKey))
    }
}
