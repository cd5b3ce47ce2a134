//! The parser's state: where it is, what it has found wrong, and how it goes back.
//!
//! Moving onto a faulty token reports its faults; going back to a saved place forgets what was
//! reported since. A hint is held until the next fault, whose message it joins, as in OPA.

use std::{collections::HashSet, fmt::Write as _};

use crate::{
    ast::{Comment, Expr, Keywords, RegoVersion, Term, With},
    diagnostics::{Detail, Details, Diagnostic, Location, codes},
    lexer::{Lexed, lex},
    parser::{Language, ParseOptions},
    source::{Position, Source, Span, offset_of},
    tokens::{Kind, Token, gate},
};

/// Says how often a token may be read on average. Ambiguous brackets are read again, nested ones
/// again and again; what is known of them is remembered, and this is for the case that it is not.
const STEPS_PER_TOKEN: usize = 16;

/// Says how many steps a short text may take.
const STEPS_BASE: usize = 1_000_000;

/// Is the parser of one text.
pub(crate) struct Parser<'s> {
    pub(crate) source: &'s Source,
    tokens: Vec<Token>,
    faults: Vec<(u32, &'static str)>,
    pub(crate) comments: Vec<Comment>,
    pub(crate) version: RegoVersion,
    /// Template strings are part of the language.
    pub(crate) templates: bool,
    pub(crate) language: Language,
    /// Keywords that are on here.
    pub(crate) keywords: Keywords,
    /// The path of an import is being read.
    importing: bool,
    at: usize,
    tok: Kind,
    wildcards: u32,
    hints: Vec<String>,
    found: Vec<Fault>,
    pub(crate) depth: u32,
    pub(crate) depth_max: u32,
    /// Height of the highest tree built since it was last set to 0; see [`Parser::higher`].
    pub(crate) height: u32,
    /// Where the parser first had to stop and recover.
    pub(crate) stopped_at: Option<u32>,
    /// How many faults there were when the parser last recovered.
    pub(crate) fault_base: usize,
    /// Tokens at which no term began, with the message; see [`Parser::had_no_term`].
    no_terms: Vec<(usize, Span, String)>,
    /// Brackets by token index with readings of them that have failed.
    refuted: HashSet<(usize, Reading)>,
    /// How many more tokens may be stepped onto, those read again included.
    steps_left: usize,
    /// Members of lists that are being read, those of inner ones behind those of outer ones.
    pub(crate) lists: Lists,
}

/// Is where members of lists wait until their list ends and gets just the memory that it needs. Whoever puts members
/// here takes them away again, also after a fault.
#[derive(Default)]
pub(crate) struct Lists {
    pub(crate) terms: Vec<Term>,
    pub(crate) exprs: Vec<Expr>,
    pub(crate) withs: Vec<With>,
}

impl Lists {
    /// Takes the terms from a place on off.
    pub(crate) fn terms_from(&mut self, start: usize) -> Vec<Term> {
        self.terms.drain(start.min(self.terms.len())..).collect()
    }
}

/// Is what an opening bracket may begin, apart from a plain term.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub(crate) enum Reading {
    Comprehension,
    /// A body that is the first operand of `and` or `or`.
    LeadingOperand,
    /// A group of operands where an operand must stand, or where a term may too.
    Group {
        is_operand: bool,
    },
}

/// Is a place to go back to.
pub(crate) struct Saved {
    at: usize,
    tok: Kind,
    wildcards: u32,
    hints: Vec<String>,
    found: usize,
}

/// Is a fault that may yet be forgotten, when the parser goes back and reads otherwise.
pub(crate) struct Fault {
    span: Span,
    name: &'static str,
    message: String,
    help: Option<String>,
    recovered: bool,
}

impl<'s> Parser<'s> {
    pub(crate) fn new(source: &'s Source, options: &ParseOptions) -> Self {
        let Lexed { tokens, comments, faults } = lex(source);
        let of_version = match options.version {
            RegoVersion::V0 => Keywords::default(),
            RegoVersion::V1 => Keywords::V1,
            RegoVersion::V2 => Keywords::ALL,
        };
        let mut parser = Self {
            source,
            tokens,
            faults,
            comments,
            version: options.version,
            templates: options.templates.unwrap_or(options.version > RegoVersion::V0),
            language: options.language,
            keywords: of_version.with(options.keywords),
            importing: false,
            at: 0,
            tok: Kind::Eof,
            wildcards: 0,
            hints: Vec::new(),
            found: Vec::new(),
            depth: 0,
            depth_max: options.depth_max,
            height: 0,
            stopped_at: None,
            fault_base: 0,
            no_terms: Vec::new(),
            refuted: HashSet::new(),
            steps_left: 0,
            lists: Lists::default(),
        };
        parser.steps_left = parser.tokens.len().saturating_mul(STEPS_PER_TOKEN) + STEPS_BASE;
        parser.load();
        parser
    }

    pub(crate) fn into_diagnostics(self) -> Vec<Diagnostic> {
        let source = self.source;
        let mut found = self.found;
        if self.steps_left == 0 {
            found.push(Fault {
                span: Span::default(),
                name: "too-ambiguous",
                message: "text nests ambiguous brackets so that reading it takes too many steps".to_owned(),
                help: Some("give the inner brackets names of their own".to_owned()),
                recovered: false,
            });
        }
        let found = found.into_iter();
        found.map(|fault| diagnostic(source, fault)).collect()
    }

    /// Remembers that a reading of the bracket of an index has failed.
    pub(crate) fn refute(&mut self, bracket: usize, reading: Reading) {
        self.refuted.insert((bracket, reading));
    }

    /// Tells whether a reading of the bracket of an index has not failed yet.
    pub(crate) fn may_be(&self, bracket: usize, reading: Reading) -> bool {
        self.refuted.is_empty() || !self.refuted.contains(&(bracket, reading))
    }

    /// Returns how many faults were found.
    pub(crate) fn fault_count(&self) -> usize {
        self.found.len()
    }

    /// Marks all faults after the first `count` as found after recovery.
    pub(crate) fn mark_recovered(&mut self, count: usize) {
        for fault in self.found.iter_mut().skip(count) {
            fault.recovered = true;
        }
    }

    // Looking.

    /// Returns the kind of the current token.
    pub(crate) fn tok(&self) -> Kind {
        self.tok
    }

    /// Returns the index of the current token.
    pub(crate) fn at(&self) -> usize {
        self.at
    }

    /// Returns the current token; past the end it is the last, which is the end.
    pub(crate) fn token(&self) -> Token {
        let token = self.tokens.get(self.at).or(self.tokens.last());
        token.copied().unwrap_or(Token { start: 0, end: 0, kind: Kind::Eof, flags: 0 })
    }

    /// Returns the place of the current token.
    pub(crate) fn span(&self) -> Span {
        if self.tok == Kind::Space {
            return self.space_span();
        }
        let token = self.token();
        Span::new(token.start, token.end)
    }

    /// Returns the text of the current token.
    pub(crate) fn text(&self) -> &'s str {
        self.source.slice(self.span())
    }

    /// Returns the end of the token before the current one.
    pub(crate) fn last_end(&self) -> u32 {
        let before = self.at.checked_sub(1).and_then(|at| self.tokens.get(at));
        before.map_or(0, |token| token.end)
    }

    /// Returns the text of the token of an index.
    pub(crate) fn text_at(&self, at: usize) -> &'s str {
        let span = self.tokens.get(at).map(|token| Span::new(token.start, token.end));
        span.map_or("", |span| self.source.slice(span))
    }

    /// Returns the span from `start` to the end of the token before the current one.
    pub(crate) fn since(&self, start: u32) -> Span {
        Span::new(start, self.last_end())
    }

    /// Tells whether white space or a comment stands before the current token.
    pub(crate) fn spaced(&self) -> bool {
        self.token().has(Token::SPACE)
    }

    /// Tells whether a line break stands before the current token.
    pub(crate) fn on_new_line(&self) -> bool {
        self.token().has(Token::NEWLINE)
    }

    /// Returns the kind of the token after the current one and whether they touch.
    pub(crate) fn peek(&self) -> (Kind, bool) {
        let next = self.tokens.get(self.at + 1);
        next.map_or((Kind::Eof, false), |token| (self.effective(*token), !token.has(Token::SPACE)))
    }

    /// Tells whether the next token touches the current one and continues a reference.
    pub(crate) fn ref_follows(&self) -> bool {
        matches!(self.peek(), (Kind::Dot | Kind::LBrack, true))
    }

    fn effective(&self, token: Token) -> Kind {
        if self.importing && token.kind == Kind::Not {
            return Kind::Ident;
        }
        match gate(token.kind) {
            Some(needed) if !self.keywords.has(needed) => Kind::Ident,
            _ => token.kind,
        }
    }

    // Moving.

    /// Steps onto the next token.
    pub(crate) fn bump(&mut self) {
        if self.steps_left == 0 {
            return self.give_up();
        }
        self.steps_left -= 1;
        if self.tok != Kind::Space && self.at + 1 < self.tokens.len() {
            self.at += 1;
        }
        self.load();
    }

    /// Goes to the end for good; see [`Parser::into_diagnostics`].
    fn give_up(&mut self) {
        self.at = self.tokens.len().saturating_sub(1);
        self.tok = Kind::Eof;
    }

    /// Steps onto the next token if the current one is of this kind.
    pub(crate) fn eat(&mut self, kind: Kind) -> bool {
        let found = self.tok == kind;
        if found {
            self.bump();
        }
        found
    }

    fn load(&mut self) {
        self.tok = self.effective(self.token());
        if self.tok == Kind::Illegal && !self.faults.is_empty() {
            self.report_lexical();
        }
    }

    fn report_lexical(&mut self) {
        let at = offset_of(self.at);
        let first = self.faults.partition_point(|(token, _)| *token < at);
        let here = |(token, fault): &(u32, &'static str)| (*token == at).then_some(*fault);
        let faults = self.faults.get(first..).unwrap_or_default();
        let faults: Vec<_> = faults.iter().map_while(here).collect();
        for fault in faults {
            self.error(self.span(), "lexical", fault);
        }
    }

    /// Takes the current keyword for a plain name.
    pub(crate) fn as_ident(&mut self) {
        self.tok = Kind::Ident;
    }

    /// Looks at the current token again after keywords were switched on.
    pub(crate) fn reclassify(&mut self) {
        if self.tok == Kind::Ident {
            self.tok = self.effective(self.token());
        }
    }

    pub(crate) fn save(&self) -> Saved {
        Saved {
            at: self.at,
            tok: self.tok,
            wildcards: self.wildcards,
            hints: self.hints.clone(),
            found: self.found.len(),
        }
    }

    pub(crate) fn restore(&mut self, saved: Saved) {
        self.at = saved.at;
        self.tok = saved.tok;
        self.wildcards = saved.wildcards;
        self.hints = saved.hints;
        self.found.truncate(saved.found);
        if self.steps_left == 0 {
            self.give_up();
        }
    }

    /// Goes back as [`Parser::restore`] and returns what brings the faults found since back.
    pub(crate) fn restore_keeping(&mut self, saved: Saved) -> (Saved, Vec<Fault>) {
        let failed = self.save();
        let since = saved.found.min(self.found.len());
        let found = self.found.split_off(since);
        self.restore(saved);
        (failed, found)
    }

    /// Undoes [`Parser::restore_keeping`].
    pub(crate) fn return_to(&mut self, (failed, found): (Saved, Vec<Fault>)) {
        self.found.truncate(failed.found - found.len());
        self.found.extend(found);
        self.restore(failed);
    }

    /// Makes a new name for a `_`.
    pub(crate) fn wildcard(&mut self) -> Box<str> {
        let name = format!("${}", self.wildcards);
        self.wildcards += 1;
        name.into()
    }

    /// Leaves out the names of some wildcards; returns the number of the first.
    pub(crate) fn skip_wildcards(&mut self, count: usize) -> u32 {
        let first = self.wildcards;
        self.wildcards = first.saturating_add(offset_of(count));
        first
    }

    /// Skips to the next token that starts a line and looks like the start of a statement, at
    /// least to one behind the token `start`.
    pub(crate) fn skip_to_statement(&mut self, start: usize) {
        let from = self.at.max(start + 1);
        let starts = |(_, token): &(usize, &Token)| {
            let may_start = token.kind == Kind::Ident || token.kind.is_keyword();
            may_start && self.at_line_start(token.start)
        };
        let mut ahead = self.tokens.iter().enumerate().skip(from);
        let found = ahead.find(starts);
        self.at = found.map_or(self.tokens.len().saturating_sub(1), |(idx, _)| idx);
        self.hints.clear();
        self.load();
    }

    /// Returns the innermost bracket that is open at the end of the text.
    pub(crate) fn last_unclosed(&self) -> Option<(&'static str, Position)> {
        let mut open: Vec<Token> = Vec::new();
        for token in &self.tokens {
            match token.kind {
                Kind::LBrack | Kind::LBrace | Kind::LParen => open.push(*token),
                Kind::RBrack | Kind::RBrace | Kind::RParen => drop(open.pop()),
                _ => {}
            }
        }
        let last = open.last()?;
        Some((last.kind.name(), self.source.position(last.start)))
    }

    fn at_line_start(&self, offset: u32) -> bool {
        let before = (offset as usize).checked_sub(1);
        before.and_then(|at| self.source.text().as_bytes().get(at)) == Some(&b'\n')
    }

    // Depth.

    /// Goes `levels` down; answers whether that is allowed. Each success needs a
    /// [`Parser::leave`] with the same number, which says how much stack the step takes.
    pub(crate) fn enter(&mut self, levels: u32) -> bool {
        if self.depth + levels > self.depth_max {
            self.too_deep();
            return false;
        }
        self.depth += levels;
        true
    }

    pub(crate) fn leave(&mut self, levels: u32) {
        self.depth -= levels;
    }

    /// Notes that a tree was built on top of the highest one since `height` was 0 and of those
    /// whose height is given; answers whether that is allowed. A chain of operators grows a tree
    /// without taking the parser down, so that trees may be twice as high as the parser goes deep.
    pub(crate) fn higher(&mut self, other: u32) -> bool {
        self.height = self.height.max(other) + 1;
        if self.depth.saturating_add(self.height) > self.depth_max.saturating_mul(2) {
            self.too_deep();
            return false;
        }
        true
    }

    fn too_deep(&mut self) {
        self.error(self.span(), "nesting-limit", "max parsing recursion depth exceeded");
    }

    // Reporting.

    pub(crate) fn hint(&mut self, hint: impl Into<String>) {
        self.hints.push(hint.into());
    }

    pub(crate) fn has_hints(&self) -> bool {
        !self.hints.is_empty()
    }

    /// Reports a fault; hints given before join its message.
    pub(crate) fn error(&mut self, span: Span, name: &'static str, message: impl Into<String>) {
        let mut message = message.into();
        let hints = std::mem::take(&mut self.hints);
        if !hints.is_empty() {
            let word = if hints.len() == 1 { "hint" } else { "hints" };
            // Writing to a string cannot fail.
            let _ = write!(message, " ({word}: {})", hints.join(", "));
        }
        self.found.push(Fault { span, name, message, help: None, recovered: false });
    }

    /// Adds help to the last fault.
    pub(crate) fn help(&mut self, help: impl Into<String>) {
        if let Some(last) = self.found.last_mut() {
            last.help = Some(help.into());
        }
    }

    /// Reports that the current token cannot stand here.
    pub(crate) fn unexpected(&mut self, note: &str) {
        if self.tok == Kind::Illegal {
            self.error(self.span(), "illegal-token", "illegal token");
            return;
        }
        let word = if self.tok.is_keyword() { "keyword" } else { "token" };
        // Many such faults are forgotten again, when the parser goes back and reads otherwise.
        let mut message = ["unexpected ", self.tok.name(), " ", word].concat();
        if !note.is_empty() {
            message = [&message, ": ", note].concat();
        }
        self.error(self.span(), "unexpected-token", message);
    }

    /// Remembers that no term began at the current token, as was reported last.
    pub(crate) fn remember_no_term(&mut self) {
        let at = self.at;
        self.no_terms.retain(|(known, ..)| *known != at);
        let last = self.found.last().map(|fault| (at, fault.span, fault.message.clone()));
        self.no_terms.extend(last);
    }

    /// Tells whether no term began here when one was last tried, which OPA remembers even if
    /// the token could be read as a name now; sees to it that the fault is reported once.
    pub(crate) fn had_no_term(&mut self) -> bool {
        let known = self.no_terms.iter().find(|(at, ..)| *at == self.at);
        let Some((_, span, message)) = known.cloned() else {
            return false;
        };
        let last = self.found.last();
        if last.is_none_or(|last| last.span != span || last.message != message) {
            self.error(span, "unexpected-token", message);
        }
        true
    }

    /// Runs a trial in which all keywords are on; `not` keeps the meaning that it has.
    pub(crate) fn with_all_keywords<T>(&mut self, trial: impl FnOnce(&mut Self) -> T) -> T {
        let all = Keywords::ALL.without(Keywords::NOT).with(self.keywords);
        let keywords = std::mem::replace(&mut self.keywords, all);
        let refuted = std::mem::take(&mut self.refuted);
        let no_terms = std::mem::take(&mut self.no_terms);
        let answer = trial(self);
        self.keywords = keywords;
        self.refuted = refuted;
        self.no_terms = no_terms;
        answer
    }

    /// Runs a step in which no keyword is one that can be imported.
    pub(crate) fn without_imports<T>(&mut self, step: impl FnOnce(&mut Self) -> T) -> T {
        let keywords = std::mem::take(&mut self.keywords);
        self.importing = true;
        let answer = step(self);
        self.importing = false;
        self.keywords = keywords;
        answer
    }

    /// Forgets where no term began, once a term is done that began before.
    pub(crate) fn forget_no_term(&mut self, done: usize) {
        self.no_terms.retain(|(at, ..)| *at <= done);
    }

    /// Steps onto the next token, or onto the white space before it, where a token must follow
    /// at once; answers whether there is white space.
    pub(crate) fn bump_onto_space(&mut self) -> bool {
        let next = self.tokens.get(self.at + 1);
        let spaced = next.is_some_and(|token| token.has(Token::SPACE));
        if spaced {
            self.at += 1;
            self.tok = Kind::Space;
        } else {
            self.bump();
        }
        spaced
    }

    /// Tells whether a character beyond ASCII follows the current token at once.
    pub(crate) fn touches_non_ascii(&self) -> bool {
        let next = self.source.text().as_bytes().get(self.token().end as usize);
        next.is_some_and(|byte| !byte.is_ascii())
    }

    /// Returns the place of the white space before the current token.
    fn space_span(&self) -> Span {
        let bytes = self.source.text().as_bytes();
        let mut at = self.last_end() as usize;
        if bytes.get(at) == Some(&b'#') {
            let rest = bytes.get(at..).unwrap_or_default();
            at += rest.iter().take_while(|byte| **byte != b'\n').count();
        }
        let at = offset_of(at);
        Span::new(at, at + 1)
    }
}

fn diagnostic(source: &Source, fault: Fault) -> Diagnostic {
    let Fault { span, name, message, help, recovered } = fault;
    Diagnostic {
        location: Some(Location { file: source.name().clone(), position: position(source, span.start) }),
        details: Some(line_details(source, span.start)),
        help,
        recovered,
        ..Diagnostic::new(codes::PARSE, name, source, span, message)
    }
}

/// Returns the place of an offset as OPA's lexer counts: at the end of the text that of the last
/// character, and a line break stands in the line that it begins.
fn position(source: &Source, offset: u32) -> Position {
    let mut position = source.position(offset);
    match source.text().as_bytes().get(offset as usize) {
        None => position.col = position.col.saturating_sub(1),
        Some(b'\n') => {
            position = Position { row: position.row + 1, col: 0 };
        }
        Some(_) => {}
    }
    position
}

/// Returns OPA's details of a parse error: the line and the index in it of the fault, or of
/// what stands before the white space there.
fn line_details(source: &Source, offset: u32) -> Details {
    let bytes = source.text().as_bytes();
    let space = |byte: &u8| matches!(byte, 9..=13 | b' ' | 0x85 | 0xa0);
    let line_break = |byte: &u8| matches!(byte, b'\r' | b'\n');
    let mut at = (offset as usize).min(bytes.len().saturating_sub(1));
    while at > 0 && bytes.get(at).is_some_and(space) {
        at -= 1;
    }
    let before = bytes.get(..at).unwrap_or_default();
    let mut begin = before.iter().rposition(line_break).map_or(0, |idx| idx + 1);
    if bytes.get(at).is_some_and(line_break) {
        begin = at + 1;
    }
    let rest = bytes.get(at..).unwrap_or_default();
    let end = at + rest.iter().position(line_break).unwrap_or(rest.len());
    let begin = begin.min(end);
    let line = String::from_utf8_lossy(bytes.get(begin..end).unwrap_or_default()).into_owned();
    let line = if source.has_invalid() { line.replace('\u{1a}', "\u{fffd}") } else { line };
    let idx = at.saturating_sub(begin);
    let shown = line.trim_start_matches('\t');
    let indent = idx.saturating_sub(line.len() - shown.len());
    Details {
        lines: vec![shown.to_owned(), format!("{}^", " ".repeat(indent))],
        fields: vec![
            ("line".to_owned(), Detail::Text(line)),
            ("idx".to_owned(), Detail::Int(i64::try_from(idx).unwrap_or(i64::MAX))),
        ],
    }
}
