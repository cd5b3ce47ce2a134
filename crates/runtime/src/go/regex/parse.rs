//! Parser of Go's regular expression syntax (RE2 with Perl extensions).
//!
//! Produces the HIR that the automata crate runs, plus the group names. Which patterns are
//! accepted, and the text of each error, are Go's; the tree itself is ours. Parsing keeps
//! its own stack, so nesting cannot exhaust the call stack, and refuses what would take
//! too much memory. It must not know of searching.

use std::collections::BTreeMap;

use regex_syntax::hir::{ClassUnicode, Dot, Hir, Look};

use super::class::{self, ClassSet};
use super::error::{RegexError, RegexErrorKind as Kind};
use super::node::{HEIGHT_MAX, Node, REPEAT_MAX, Repeat, SIZE_MAX};

/// The greatest number of class ranges that a pattern may expand to.
const RANGES_MAX: usize = 4 << 20;

/// A pattern made ready for the automata crate.
#[derive(Debug)]
pub(super) struct Parsed {
    pub(super) hir: Hir,
    /// Per group of the pattern (0 is the whole match): its name, if it has one.
    pub(super) names: Vec<Option<String>>,
    /// Per group of the pattern: its index in the HIR.
    pub(super) slots: Vec<usize>,
}

/// Parses a pattern as Go's `syntax.Parse(pattern, syntax.Perl)` does.
pub(super) fn parse(pattern: &str) -> Result<Parsed, RegexError> {
    let mut parser = Parser::new(pattern);
    while let Some(c) = parser.peek() {
        parser.item(c)?;
    }
    parser.finish()
}

#[derive(Clone, Copy, Debug, Default)]
struct Flags {
    fold: bool,
    multi_line: bool,
    dot_newline: bool,
    ungreedy: bool,
}

#[derive(Debug)]
enum Piece {
    Text(String),
    Node(Node),
}

/// An open group: what it restores, what it captures, what it holds so far.
#[derive(Debug)]
struct Frame {
    outer_flags: Flags,
    slot: Option<u32>,
    branches: Vec<Node>,
    pieces: Vec<Piece>,
}

impl Frame {
    fn new(outer_flags: Flags, slot: Option<u32>) -> Self {
        Self { outer_flags, slot, branches: Vec::new(), pieces: Vec::new() }
    }
}

struct Parser<'p> {
    pattern: &'p str,
    pos: usize,
    flags: Flags,
    frame: Frame,
    outer: Vec<Frame>,
    /// Where the repetition operator just before `pos` began.
    last_repeat: Option<usize>,
    names: Vec<Option<String>>,
    slots: Vec<usize>,
    slot_count: u32,
    range_count: usize,
    groups: BTreeMap<String, ClassUnicode>,
}

impl<'p> Parser<'p> {
    fn new(pattern: &'p str) -> Self {
        Self {
            pattern,
            pos: 0,
            flags: Flags::default(),
            frame: Frame::new(Flags::default(), None),
            outer: Vec::new(),
            last_repeat: None,
            names: vec![None],
            slots: vec![0],
            slot_count: 0,
            range_count: 0,
            groups: BTreeMap::new(),
        }
    }

    fn rest(&self) -> &'p str {
        self.pattern.get(self.pos..).unwrap_or("")
    }

    fn peek(&self) -> Option<char> {
        self.rest().chars().next()
    }

    fn next(&mut self) -> Option<char> {
        let c = self.peek()?;
        self.pos += c.len_utf8();
        Some(c)
    }

    fn eat(&mut self, text: &str) -> bool {
        let found = self.rest().starts_with(text);
        if found {
            self.pos += text.len();
        }
        found
    }

    fn slice(&self, start: usize, end: usize) -> &'p str {
        self.pattern.get(start..end).unwrap_or("")
    }

    /// An error about the text from `start` up to the current position.
    fn fail<T>(&self, kind: Kind, start: usize) -> Result<T, RegexError> {
        Err(RegexError::new(kind, self.slice(start, self.pos)))
    }

    fn fail_whole<T>(&self, kind: Kind) -> Result<T, RegexError> {
        Err(RegexError::new(kind, self.pattern))
    }

    fn item(&mut self, c: char) -> Result<(), RegexError> {
        let start = self.pos;
        let last_repeat = self.last_repeat.take();
        self.pos += c.len_utf8();
        match c {
            '(' => self.open_group(start)?,
            '|' => self.end_branch()?,
            ')' => self.close_group()?,
            '^' if self.flags.multi_line => self.look(Look::StartLF),
            '^' => self.look(Look::Start),
            '$' if self.flags.multi_line => self.look(Look::EndLF),
            '$' => self.look(Look::End),
            '.' if self.flags.dot_newline => self.push(Node::leaf(Hir::dot(Dot::AnyChar))),
            '.' => self.push(Node::leaf(Hir::dot(Dot::AnyCharExceptLF))),
            '[' => self.class(start)?,
            '*' => self.repeat(start, last_repeat, 0, None, false)?,
            '+' => self.repeat(start, last_repeat, 1, None, false)?,
            '?' => self.repeat(start, last_repeat, 0, Some(1), false)?,
            '{' => self.counted(start, last_repeat)?,
            '\\' => self.escape(start)?,
            _ => self.literal(u32::from(c)),
        }
        Ok(())
    }

    fn push(&mut self, node: Node) {
        self.frame.pieces.push(Piece::Node(node));
    }

    fn look(&mut self, look: Look) {
        self.push(Node::leaf(Hir::look(look)));
    }

    fn literal(&mut self, code: u32) {
        let class = class::single(code, self.flags.fold);
        let mut ranges = class.iter();
        match (ranges.next(), ranges.next()) {
            (Some(range), None) if range.start() == range.end() => match self.frame.pieces.last_mut() {
                Some(Piece::Text(text)) => text.push(range.start()),
                _ => self.frame.pieces.push(Piece::Text(range.start().to_string())),
            },
            _ => self.push(Node::class(class)),
        }
    }

    fn counted(&mut self, start: usize, last_repeat: Option<usize>) -> Result<(), RegexError> {
        let Some((min, max, len)) = repeat_counts(self.rest()) else {
            self.literal(u32::from('{'));
            return Ok(());
        };
        self.pos += len;
        let fits = |n: u32| n <= REPEAT_MAX;
        if !fits(min) || !max.is_none_or(|max| fits(max) && min <= max) {
            return self.fail(Kind::InvalidRepeatSize, start);
        }
        self.repeat(start, last_repeat, min, max, true)
    }

    fn repeat(
        &mut self,
        start: usize,
        last_repeat: Option<usize>,
        min: u32,
        max: Option<u32>,
        counted: bool,
    ) -> Result<(), RegexError> {
        let lazy = self.eat("?");
        if let Some(last) = last_repeat {
            return self.fail(Kind::InvalidRepeatOp, last);
        }
        let Some(target) = self.pop_target() else {
            return self.fail(Kind::MissingRepeatArgument, start);
        };
        let greedy = lazy == self.flags.ungreedy;
        let node = target.repeat(Repeat { min, max, counted, greedy });
        self.check(&node)?;
        let multiplies = counted && (min >= 2 || max.is_some_and(|max| max >= 2));
        if multiplies && node.copies > REPEAT_MAX {
            return self.fail(Kind::InvalidRepeatSize, start);
        }
        self.push(node);
        self.last_repeat = Some(start);
        Ok(())
    }

    /// Takes what a repetition operator applies to: the last node or the last character.
    fn pop_target(&mut self) -> Option<Node> {
        match self.frame.pieces.pop()? {
            Piece::Node(node) => Some(node),
            Piece::Text(mut text) => {
                let last = text.pop()?;
                if !text.is_empty() {
                    self.frame.pieces.push(Piece::Text(text));
                }
                Some(Node::literal(last.encode_utf8(&mut [0; 4])))
            }
        }
    }

    fn check(&self, node: &Node) -> Result<(), RegexError> {
        if node.size > SIZE_MAX || self.range_count > RANGES_MAX {
            return self.fail_whole(Kind::TooLarge);
        }
        if node.height > HEIGHT_MAX {
            return self.fail_whole(Kind::NestingDepth);
        }
        Ok(())
    }

    fn end_branch(&mut self) -> Result<(), RegexError> {
        let pieces = std::mem::take(&mut self.frame.pieces);
        let nodes = pieces.into_iter().map(|piece| match piece {
            Piece::Node(node) => node,
            Piece::Text(text) => Node::literal(&text),
        });
        let node = Node::concat(nodes.collect());
        self.check(&node)?;
        self.frame.branches.push(node);
        Ok(())
    }

    fn end_branches(&mut self) -> Result<Node, RegexError> {
        self.end_branch()?;
        let branches = std::mem::take(&mut self.frame.branches);
        let slot_count = &mut self.slot_count;
        let node = Node::alternate(branches, || {
            *slot_count += 1;
            *slot_count
        });
        self.check(&node)?;
        Ok(node)
    }

    fn close_group(&mut self) -> Result<(), RegexError> {
        let node = self.end_branches()?;
        let Some(outer) = self.outer.pop() else {
            return self.fail_whole(Kind::UnexpectedParen);
        };
        let closed = std::mem::replace(&mut self.frame, outer);
        self.flags = closed.outer_flags;
        let node = match closed.slot {
            Some(slot) => node.capture(slot),
            None => node,
        };
        self.check(&node)?;
        self.push(node);
        Ok(())
    }

    fn finish(mut self) -> Result<Parsed, RegexError> {
        let node = self.end_branches()?;
        if !self.outer.is_empty() {
            return self.fail_whole(Kind::MissingParen);
        }
        Ok(Parsed { hir: node.hir, names: self.names, slots: self.slots })
    }

    fn open_group(&mut self, start: usize) -> Result<(), RegexError> {
        let rest = self.rest();
        if !rest.starts_with('?') {
            self.open_capture(None);
            return Ok(());
        }
        // Go looks for one more byte behind the `<` before it takes it for a name.
        let name_start = if rest.starts_with("?P<") && rest.len() > 3 {
            Some(start + 4)
        } else if rest.starts_with("?<") && rest.len() > 2 {
            Some(start + 3)
        } else {
            None
        };
        match name_start {
            Some(name_start) => self.open_named(start, name_start),
            None => self.open_flags(start),
        }
    }

    fn open_capture(&mut self, name: Option<String>) {
        self.slot_count += 1;
        self.names.push(name);
        self.slots.push(usize::try_from(self.slot_count).unwrap_or(usize::MAX));
        let frame = Frame::new(self.flags, Some(self.slot_count));
        self.outer.push(std::mem::replace(&mut self.frame, frame));
    }

    fn open_named(&mut self, start: usize, name_start: usize) -> Result<(), RegexError> {
        let Some(len) = self.slice(name_start, self.pattern.len()).find('>') else {
            self.pos = self.pattern.len();
            return self.fail(Kind::InvalidNamedCapture, start);
        };
        let name = self.slice(name_start, name_start + len);
        self.pos = name_start + len + 1;
        let word = |c: char| c == '_' || c.is_ascii_alphanumeric();
        if name.is_empty() || !name.chars().all(word) {
            return self.fail(Kind::InvalidNamedCapture, start);
        }
        self.open_capture(Some(name.to_owned()));
        Ok(())
    }

    /// Reads `?flags)` or `?flags:` behind an opening parenthesis.
    fn open_flags(&mut self, start: usize) -> Result<(), RegexError> {
        self.pos += 1;
        let mut flags = self.flags;
        let mut on = true;
        let mut saw_flag = false;
        while let Some(c) = self.next() {
            match c {
                'i' => flags.fold = on,
                'm' => flags.multi_line = on,
                's' => flags.dot_newline = on,
                'U' => flags.ungreedy = on,
                '-' if on => {
                    on = false;
                    saw_flag = false;
                    continue;
                }
                ':' | ')' if on || saw_flag => {
                    if c == ':' {
                        let frame = Frame::new(self.flags, None);
                        self.outer.push(std::mem::replace(&mut self.frame, frame));
                    }
                    self.flags = flags;
                    return Ok(());
                }
                _ => break,
            }
            saw_flag = true;
        }
        self.fail(Kind::InvalidPerlOp, start)
    }

    fn escape(&mut self, start: usize) -> Result<(), RegexError> {
        let Some(c) = self.peek() else {
            return Err(RegexError::new(Kind::TrailingBackslash, ""));
        };
        let look = match c {
            'A' => Some(Look::Start),
            'z' => Some(Look::End),
            'b' => Some(Look::WordAscii),
            'B' => Some(Look::WordAsciiNegate),
            _ => None,
        };
        if let Some(look) = look {
            self.pos += 1;
            self.look(look);
            return Ok(());
        }
        if c == 'Q' {
            self.pos += 1;
            self.quoted();
            return Ok(());
        }
        let mut set = ClassSet::default();
        if self.class_escape(start, &mut set)? {
            let class = self.counted_class(set.finish(false));
            let node = Node::class(class);
            self.check(&node)?;
            self.push(node);
            return Ok(());
        }
        let code = self.char_escape(start)?;
        self.literal(code);
        Ok(())
    }

    fn quoted(&mut self) {
        let (text, len) = match self.rest().split_once(r"\E") {
            Some((text, _)) => (text, text.len() + 2),
            None => (self.rest(), self.rest().len()),
        };
        for c in text.chars() {
            self.literal(u32::from(c));
        }
        self.pos += len;
    }

    fn counted_class(&mut self, class: ClassUnicode) -> ClassUnicode {
        self.range_count += class.ranges().len();
        class
    }

    /// Reads a group escape (`\d`, `\pL`) whose backslash stood at `start`, if it is one.
    fn class_escape(&mut self, start: usize, set: &mut ClassSet) -> Result<bool, RegexError> {
        let Some(c) = self.peek() else {
            return Ok(false);
        };
        if let Some((group, negated)) = class::perl_group(c) {
            self.pos += 1;
            set.push_group(group, negated, self.flags.fold);
            return Ok(true);
        }
        if !matches!(c, 'p' | 'P') {
            return Ok(false);
        }
        self.pos += 1;
        let name = if self.peek() == Some('{') {
            let Some(len) = self.rest().find('}') else {
                self.pos = self.pattern.len();
                return self.fail(Kind::InvalidCharRange, start);
            };
            let name = self.slice(self.pos + 1, self.pos + len);
            self.pos += len + 1;
            name
        } else {
            let name_start = self.pos;
            self.next();
            self.slice(name_start, self.pos)
        };
        let (name, caret) = match name.strip_prefix('^') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let Some(group) = self.unicode_group(name) else {
            return self.fail(Kind::InvalidCharRange, start);
        };
        let fold = self.flags.fold && class::unicode_group_folds(name);
        set.push_group(group, caret != (c == 'P'), fold);
        Ok(true)
    }

    fn unicode_group(&mut self, name: &str) -> Option<ClassUnicode> {
        if let Some(group) = self.groups.get(name) {
            return Some(group.clone());
        }
        let group = class::unicode_group(name)?;
        self.groups.insert(name.to_owned(), group.clone());
        Some(group)
    }

    /// Reads an escape that stands for one character; its backslash stood at `start`.
    fn char_escape(&mut self, start: usize) -> Result<u32, RegexError> {
        let Some(c) = self.next() else {
            return Err(RegexError::new(Kind::TrailingBackslash, ""));
        };
        let code = match c {
            '0' => Some(self.octal(0)),
            '1'..='7' if self.peek().is_some_and(|c| matches!(c, '0'..='7')) => {
                Some(self.octal(u32::from(c) - u32::from('0')))
            }
            'x' => self.hex(),
            'a' => Some(7),
            'f' => Some(12),
            'n' => Some(10),
            'r' => Some(13),
            't' => Some(9),
            'v' => Some(11),
            _ if c.is_ascii() && !c.is_ascii_alphanumeric() => Some(u32::from(c)),
            _ => None,
        };
        match code {
            Some(code) => Ok(code),
            None => self.fail(Kind::InvalidEscape, start),
        }
    }

    fn octal(&mut self, first: u32) -> u32 {
        let mut code = first;
        for _ in 0..2 {
            match self.peek() {
                Some(c @ '0'..='7') => code = code * 8 + u32::from(c) - u32::from('0'),
                _ => break,
            }
            self.pos += 1;
        }
        code
    }

    fn hex(&mut self) -> Option<u32> {
        let first = self.next()?;
        if first != '{' {
            let second = self.next()?;
            return Some(first.to_digit(16)? * 16 + second.to_digit(16)?);
        }
        let mut code = 0;
        let mut empty = true;
        loop {
            let c = self.next()?;
            if c == '}' {
                return (!empty).then_some(code);
            }
            code = code * 16 + c.to_digit(16)?;
            if code > u32::from(char::MAX) {
                return None;
            }
            empty = false;
        }
    }

    /// Reads a bracketed class whose `[` stood at `start`.
    fn class(&mut self, start: usize) -> Result<(), RegexError> {
        let negated = self.eat("^");
        let mut set = ClassSet::default();
        let mut first = true;
        while first || self.peek() != Some(']') {
            first = false;
            if self.posix_item(&mut set)? {
                continue;
            }
            let item_start = self.pos;
            if self.eat("\\") {
                if self.class_escape(item_start, &mut set)? {
                    continue;
                }
                self.pos = item_start;
            }
            self.class_range(start, &mut set)?;
        }
        self.pos += 1;
        let class = self.counted_class(set.finish(negated));
        let node = Node::class(class);
        self.check(&node)?;
        self.push(node);
        Ok(())
    }

    fn class_range(&mut self, start: usize, set: &mut ClassSet) -> Result<(), RegexError> {
        let range_start = self.pos;
        let lo = self.class_char(start)?;
        let mut hi = lo;
        let rest = self.rest();
        if rest.len() >= 2 && rest.starts_with('-') && !rest.starts_with("-]") {
            self.pos += 1;
            hi = self.class_char(start)?;
            if hi < lo {
                return self.fail(Kind::InvalidCharRange, range_start);
            }
        }
        set.push_range(lo, hi, self.flags.fold);
        Ok(())
    }

    fn class_char(&mut self, class_start: usize) -> Result<u32, RegexError> {
        let char_start = self.pos;
        match self.next() {
            None => self.fail(Kind::MissingBracket, class_start),
            Some('\\') => self.char_escape(char_start),
            Some(c) => Ok(u32::from(c)),
        }
    }

    /// Reads `[:name:]` inside a class, if there is one.
    fn posix_item(&mut self, set: &mut ClassSet) -> Result<bool, RegexError> {
        let rest = self.rest();
        if !rest.starts_with("[:") {
            return Ok(false);
        }
        let Some(len) = rest.get(2..).and_then(|tail| tail.find(":]")) else {
            return Ok(false);
        };
        let item_start = self.pos;
        let name = self.slice(self.pos + 2, self.pos + 2 + len);
        self.pos += len + 4;
        let (name, negated) = match name.strip_prefix('^') {
            Some(name) => (name, true),
            None => (name, false),
        };
        let Some(group) = class::posix_group(name) else {
            return self.fail(Kind::InvalidCharRange, item_start);
        };
        set.push_group(group, negated, self.flags.fold);
        Ok(true)
    }
}

/// Reads `n}`, `n,}` or `n,m}` and returns the bounds and the length read. Counts too big
/// to hold saturate, and so are refused as too big later.
fn repeat_counts(text: &str) -> Option<(u32, Option<u32>, usize)> {
    let (min, rest) = repeat_count(text)?;
    let (max, rest) = match rest.strip_prefix(',') {
        None => (Some(min), rest),
        Some(rest) if rest.starts_with('}') => (None, rest),
        Some(rest) => {
            let (max, rest) = repeat_count(rest)?;
            (Some(max), rest)
        }
    };
    let rest = rest.strip_prefix('}')?;
    Some((min, max, text.len() - rest.len()))
}

fn repeat_count(text: &str) -> Option<(u32, &str)> {
    let end = text.find(|c: char| !c.is_ascii_digit()).unwrap_or(text.len());
    let (digits, rest) = text.split_at(end);
    if digits.is_empty() || (digits.len() > 1 && digits.starts_with('0')) {
        return None;
    }
    Some((digits.parse().unwrap_or(u32::MAX), rest))
}
