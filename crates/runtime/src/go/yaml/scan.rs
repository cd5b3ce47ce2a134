//! From text to tokens: structure by indentation made explicit, scalars read.
//!
//! Follows the rules of the library that OPA uses (YAML 1.1 with a few leniencies), its look-ahead and its words,
//! because what is accepted and how a fault is told can be observed. `scan/scalar.rs` reads scalars,
//! `scan/tag.rs` directives, anchors and tags. A key is only known for one when its colon comes: until then it is
//! remembered as possible.

mod scalar;
mod tag;

use std::collections::{HashMap, VecDeque};

use super::YamlError;
use super::cursor::{Cursor, Mark, is_blank, is_blank_or_end, is_break, is_break_or_end};

/// Brackets and indentation nest no deeper.
const DEPTH_MAX: usize = 10_000;
/// A key that needs no mark ends within so many characters.
const KEY_CHARS_MAX: usize = 1024;
/// So far ahead a comment is looked for.
const COMMENT_AHEAD_MAX: usize = 512;

/// How a scalar is written.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum ScalarStyle {
    Plain,
    Quoted,
}

#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    StreamEnd,
    Version(u8, u8),
    TagDirective { handle: String, prefix: String },
    DocumentStart,
    DocumentEnd,
    BlockSequenceStart,
    BlockMappingStart,
    BlockEnd,
    FlowSequenceStart,
    FlowSequenceEnd,
    FlowMappingStart,
    FlowMappingEnd,
    BlockEntry,
    FlowEntry,
    Key,
    Value,
    Alias(String),
    Anchor(String),
    Tag { handle: String, suffix: String },
    Scalar(String, ScalarStyle),
}

/// A token with the lines that it starts and ends in, from 0.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub(super) kind: Kind,
    pub(super) line: usize,
    pub(super) end_line: usize,
}

/// A place where a key may have started.
#[derive(Clone, Copy, Debug, Default)]
struct SimpleKey {
    possible: bool,
    /// Whether there must be a key, because the line stands at the indentation of a mapping.
    required: bool,
    token: usize,
    mark: Mark,
}

#[derive(Debug)]
pub(super) struct Scanner<'t> {
    cursor: Cursor<'t>,
    tokens: VecDeque<Token>,
    /// How many tokens were taken.
    taken: usize,
    flow_level: usize,
    /// The column of the block that is open; -1 if none is.
    indent: isize,
    indents: Vec<isize>,
    key_allowed: bool,
    /// One for each level of brackets, and one outside.
    keys: Vec<SimpleKey>,
    keys_by_token: HashMap<usize, usize>,
}

type Scanned<T> = Result<T, YamlError>;

fn signed(column: usize) -> isize {
    isize::try_from(column).unwrap_or(isize::MAX)
}

impl<'t> Scanner<'t> {
    pub(super) fn new(text: &'t str) -> Self {
        Self {
            cursor: Cursor::new(text),
            tokens: VecDeque::new(),
            taken: 0,
            flow_level: 0,
            indent: -1,
            indents: Vec::new(),
            key_allowed: true,
            keys: vec![SimpleKey::default()],
            keys_by_token: HashMap::new(),
        }
    }

    /// Returns the next token without taking it.
    pub(super) fn peek(&mut self) -> Scanned<&Token> {
        self.fetch_more()?;
        self.tokens.front().ok_or_else(|| YamlError::plain("attempted to go past the end of stream"))
    }

    /// Takes the next token.
    pub(super) fn take(&mut self) -> Scanned<Token> {
        self.fetch_more()?;
        self.taken += 1;
        self.tokens.pop_front().ok_or_else(|| YamlError::plain("attempted to go past the end of stream"))
    }

    /// Returns the error of a fault; the line shown is that of what was being read, unless it is the first.
    fn fault<T>(&self, context: Mark, what: &str) -> Scanned<T> {
        let line = if context.line != 0 { context.line } else { self.cursor.mark.line };
        Err(if line == 0 { YamlError::plain(what) } else { YamlError::at(line + 1, what) })
    }

    /// Scans ahead until the first token cannot become a key any more.
    fn fetch_more(&mut self) -> Scanned<()> {
        loop {
            if self.tokens.len() > 2 {
                let Some(key) = self.keys_by_token.get(&self.taken).copied() else { return Ok(()) };
                if !self.is_valid(key)? {
                    return Ok(());
                }
            }
            self.fetch_next()?;
        }
    }

    fn push(&mut self, kind: Kind, start: Mark) {
        let end_line = self.cursor.mark.line;
        self.tokens.push_back(Token { kind, line: start.line, end_line });
    }

    /// Puts a token before one that was scanned already, known by its number.
    fn insert(&mut self, number: usize, kind: Kind, mark: Mark) {
        let at = number.saturating_sub(self.taken).min(self.tokens.len());
        self.tokens.insert(at, Token { kind, line: mark.line, end_line: mark.line });
    }

    fn fetch_next(&mut self) -> Scanned<()> {
        let before = self.cursor.mark;
        self.skip_to_token();
        self.unroll_indent(signed(self.cursor.mark.column), before);
        let Some(c) = self.cursor.peek() else { return self.fetch_stream_end() };
        if self.cursor.mark.column == 0 && c == '%' {
            return self.fetch_directive();
        }
        if self.cursor.at_document_mark(&["---"]) {
            return self.fetch_document_mark(Kind::DocumentStart);
        }
        if self.cursor.at_document_mark(&["..."]) {
            return self.fetch_document_mark(Kind::DocumentEnd);
        }
        self.fetch_content(c)?;
        if self.tokens.back().is_none_or(|it| it.kind != Kind::BlockEntry) {
            self.skip_line_comment();
        }
        Ok(())
    }

    fn fetch_content(&mut self, c: char) -> Scanned<()> {
        let in_flow = self.flow_level > 0;
        let alone = is_blank_or_end(self.cursor.peek_nth(1));
        match c {
            '[' => self.fetch_flow_start(Kind::FlowSequenceStart),
            '{' => self.fetch_flow_start(Kind::FlowMappingStart),
            ']' => self.fetch_flow_end(Kind::FlowSequenceEnd),
            '}' => self.fetch_flow_end(Kind::FlowMappingEnd),
            ',' => self.fetch_flow_entry(),
            '-' if alone => self.fetch_block_entry(),
            '?' if in_flow || alone => self.fetch_key(),
            ':' if in_flow || alone => self.fetch_value(),
            '*' | '&' => self.fetch_anchor(),
            '!' => self.fetch_tag(),
            '|' | '>' if !in_flow => self.fetch_block_scalar(),
            '\'' | '"' => self.fetch_quoted(),
            '-' | '?' | ':' => self.fetch_plain(),
            ' ' | '\t' | '#' | '|' | '>' | '%' | '@' | '`' => {
                self.fault(self.cursor.mark, "found character that cannot start any token")
            }
            c if is_break(c) => self.fault(self.cursor.mark, "found character that cannot start any token"),
            _ => self.fetch_plain(),
        }
    }

    /// Passes blanks, comments and line breaks.
    fn skip_to_token(&mut self) {
        loop {
            let tabs = self.flow_level > 0 || !self.key_allowed;
            self.cursor.skip_all(|it| it == ' ' || (tabs && it == '\t'));
            if self.cursor.is('#') {
                self.skip_comments();
            }
            if self.cursor.skip_line().is_none() {
                return;
            }
            if self.flow_level == 0 {
                self.key_allowed = true;
            }
        }
    }

    /// Passes comments with the blank lines between them, up to the end of the last one's line.
    fn skip_comments(&mut self) {
        loop {
            self.skip_to_line_end();
            // The break itself does not count; only blanks and breaks may follow.
            let mut ahead = self.cursor.rest().chars().skip(1).take(COMMENT_AHEAD_MAX - 1);
            match ahead.find(|it| !is_blank(*it) && !is_break(*it)) {
                Some('#') => {}
                _ => return,
            }
            while !self.cursor.is('#') {
                if self.cursor.skip_line().is_none() {
                    self.cursor.skip();
                }
            }
        }
    }

    /// Passes a comment behind a token.
    fn skip_line_comment(&mut self) {
        if self.cursor.newlines > 0 {
            return;
        }
        let mut ahead = self.cursor.rest().chars().take(COMMENT_AHEAD_MAX);
        if ahead.find(|it| !is_blank(*it)) == Some('#') {
            self.skip_to_line_end();
        }
    }

    fn skip_to_line_end(&mut self) {
        self.cursor.skip_all(|it| !is_break(it));
    }

    /// Says whether a key may still start where it was thought to.
    fn is_valid(&mut self, key: usize) -> Scanned<bool> {
        let now = self.cursor.mark;
        let Some(it) = self.keys.get_mut(key).filter(|it| it.possible) else { return Ok(false) };
        if it.mark.line >= now.line && it.mark.index + KEY_CHARS_MAX >= now.index {
            return Ok(true);
        }
        if it.required {
            let mark = it.mark;
            return self.fault(mark, "could not find expected ':'");
        }
        it.possible = false;
        Ok(false)
    }

    /// Remembers that a key may start here.
    fn save_key(&mut self) -> Scanned<()> {
        let required = self.flow_level == 0 && self.indent == signed(self.cursor.mark.column);
        if !self.key_allowed {
            return Ok(());
        }
        let token = self.taken + self.tokens.len();
        self.remove_key()?;
        let level = self.keys.len().saturating_sub(1);
        if let Some(key) = self.keys.last_mut() {
            *key = SimpleKey { possible: true, required, token, mark: self.cursor.mark };
            self.keys_by_token.insert(token, level);
        }
        Ok(())
    }

    fn remove_key(&mut self) -> Scanned<()> {
        let Some(key) = self.keys.last_mut().filter(|it| it.possible) else { return Ok(()) };
        if key.required {
            let mark = key.mark;
            return self.fault(mark, "could not find expected ':'");
        }
        key.possible = false;
        self.keys_by_token.remove(&key.token);
        Ok(())
    }

    /// Opens a block if the column is beyond the one that is open.
    fn roll_indent(&mut self, column: usize, number: Option<usize>, kind: Kind, mark: Mark) -> Scanned<()> {
        if self.flow_level > 0 || self.indent >= signed(column) {
            return Ok(());
        }
        self.indents.push(self.indent);
        self.indent = signed(column);
        if self.indents.len() > DEPTH_MAX {
            let mark = self.keys.last().map_or(mark, |it| it.mark);
            return self.fault(mark, &format!("exceeded max depth of {DEPTH_MAX}"));
        }
        let number = number.unwrap_or(self.taken + self.tokens.len());
        self.insert(number, kind, mark);
        Ok(())
    }

    /// Closes blocks beyond a column.
    fn unroll_indent(&mut self, column: isize, mark: Mark) {
        if self.flow_level > 0 {
            return;
        }
        while self.indent > column {
            self.tokens.push_back(Token { kind: Kind::BlockEnd, line: mark.line, end_line: mark.line });
            self.indent = self.indents.pop().unwrap_or(-1);
        }
    }

    fn fetch_stream_end(&mut self) -> Scanned<()> {
        if self.cursor.mark.column != 0 {
            self.cursor.mark.column = 0;
            self.cursor.mark.line += 1;
        }
        self.unroll_indent(-1, self.cursor.mark);
        self.remove_key()?;
        self.key_allowed = false;
        self.push(Kind::StreamEnd, self.cursor.mark);
        Ok(())
    }

    fn fetch_document_mark(&mut self, kind: Kind) -> Scanned<()> {
        self.unroll_indent(-1, self.cursor.mark);
        self.remove_key()?;
        self.key_allowed = false;
        let start = self.cursor.mark;
        self.cursor.skip_many(3);
        self.push(kind, start);
        Ok(())
    }

    fn push_indicator(&mut self, kind: Kind) {
        let start = self.cursor.mark;
        self.cursor.skip();
        self.push(kind, start);
    }

    fn fetch_flow_start(&mut self, kind: Kind) -> Scanned<()> {
        self.save_key()?;
        let token = self.taken + self.tokens.len();
        self.keys.push(SimpleKey { token, mark: self.cursor.mark, ..SimpleKey::default() });
        self.flow_level += 1;
        if self.flow_level > DEPTH_MAX {
            return self.fault(self.cursor.mark, &format!("exceeded max depth of {DEPTH_MAX}"));
        }
        self.key_allowed = true;
        self.push_indicator(kind);
        Ok(())
    }

    fn fetch_flow_end(&mut self, kind: Kind) -> Scanned<()> {
        self.remove_key()?;
        if self.flow_level > 0 {
            self.flow_level -= 1;
            if let Some(key) = self.keys.pop() {
                self.keys_by_token.remove(&key.token);
            }
        }
        self.key_allowed = false;
        self.push_indicator(kind);
        Ok(())
    }

    fn fetch_flow_entry(&mut self) -> Scanned<()> {
        self.remove_key()?;
        self.key_allowed = true;
        self.push_indicator(Kind::FlowEntry);
        Ok(())
    }

    /// Opens a block for an entry, a key or a value outside brackets.
    fn open_block(&mut self, kind: Kind, refusal: &str) -> Scanned<()> {
        if self.flow_level > 0 {
            return Ok(());
        }
        if !self.key_allowed {
            return self.fault(self.cursor.mark, refusal);
        }
        self.roll_indent(self.cursor.mark.column, None, kind, self.cursor.mark)
    }

    fn fetch_block_entry(&mut self) -> Scanned<()> {
        let refusal = "block sequence entries are not allowed in this context";
        self.open_block(Kind::BlockSequenceStart, refusal)?;
        self.remove_key()?;
        self.key_allowed = true;
        self.push_indicator(Kind::BlockEntry);
        Ok(())
    }

    fn fetch_key(&mut self) -> Scanned<()> {
        self.open_block(Kind::BlockMappingStart, "mapping keys are not allowed in this context")?;
        self.remove_key()?;
        self.key_allowed = self.flow_level == 0;
        self.push_indicator(Kind::Key);
        Ok(())
    }

    fn fetch_value(&mut self) -> Scanned<()> {
        let level = self.keys.len().saturating_sub(1);
        if self.is_valid(level)?
            && let Some(key) = self.keys.get(level).copied()
        {
            self.insert(key.token, Kind::Key, key.mark);
            self.roll_indent(key.mark.column, Some(key.token), Kind::BlockMappingStart, key.mark)?;
            if let Some(key) = self.keys.get_mut(level) {
                key.possible = false;
            }
            self.keys_by_token.remove(&key.token);
            self.key_allowed = false;
        } else {
            self.open_block(Kind::BlockMappingStart, "mapping values are not allowed in this context")?;
            self.key_allowed = self.flow_level == 0;
        }
        self.push_indicator(Kind::Value);
        Ok(())
    }

    /// Passes blanks and a comment up to the end of the line, where nothing else may stand.
    fn finish_line(&mut self, start: Mark) -> Scanned<()> {
        self.cursor.skip_all(is_blank);
        if self.cursor.is('#') {
            self.skip_to_line_end();
        }
        if !is_break_or_end(self.cursor.peek()) {
            return self.fault(start, "did not find expected comment or line break");
        }
        self.cursor.skip_line();
        Ok(())
    }
}
