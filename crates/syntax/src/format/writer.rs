//! The writer's state: the output, the line it is on, and the comments yet to be merged in.
//!
//! Comments are in order of rows, and what is still to be written is always a tail of them, so
//! that steps pass on how many are behind. A comment on the row of something is held until that
//! line of the output ends; when a second one would be held for the same line, the step fails and
//! whoever knows the text round it writes that as it was.

use crate::{
    ast::{self, RegoVersion},
    diagnostics::{Diagnostic, codes},
    format::FormatOptions,
    shape::{Expr, Locator, Module, Place, Term, Value, line_breaks},
    source::Span,
};

/// Is how many comments are behind.
pub(crate) type Pending = usize;

/// Is what a step gives: the comments that are behind, or why it failed.
pub(crate) type Flow = Result<Pending, Stop>;

/// Is a step that failed.
#[derive(Clone, Debug)]
pub(crate) struct Stop {
    pub(crate) fault: Fault,
    /// The comments behind when it failed; `None` if all the rest is lost.
    pub(crate) pending: Option<Pending>,
}

/// Is why a step failed.
#[derive(Clone, Debug)]
pub(crate) enum Fault {
    /// A comment has no line to stand on; whoever meets this keeps the text as it was.
    Comment(String),
    /// The output cannot be right.
    Other(&'static str),
}

impl Stop {
    pub(crate) fn is_comment(&self) -> bool {
        matches!(self.fault, Fault::Comment(_))
    }

    fn message(&self) -> &str {
        match &self.fault {
            Fault::Comment(message) => message,
            Fault::Other(message) => message,
        }
    }
}

/// Is a comment.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Note<'t> {
    pub(crate) row: u32,
    /// Stands at the start of a line.
    leads: bool,
    /// From the `#`, without white space at the end.
    pub(crate) text: &'t str,
    /// Up to the end of the line.
    raw: &'t str,
}

impl Note<'_> {
    /// Tells whether a metadata block begins here.
    fn is_metadata(&self) -> bool {
        let text = self.text.strip_prefix('#').unwrap_or_default();
        self.leads && text.trim_start().starts_with("METADATA")
    }
}

/// Is what a module's versions and imports decide for all of it.
#[derive(Clone, Debug)]
pub(crate) struct Layout {
    /// Partial sets are written with `contains`.
    pub(crate) contains: bool,
    /// Bodies are written after `if`.
    pub(crate) ifs: bool,
    /// Some rule's path needs dots or several brackets, so that all are written that way.
    pub(crate) ref_heads: bool,
    pub(crate) v1: bool,
    pub(crate) v2: bool,
    v2_imported: bool,
    /// Keywords that are imported one by one.
    pub(crate) imported: Vec<String>,
    pub(crate) keywords_in_refs: bool,
}

impl Layout {
    pub(crate) fn new(module: &Module<'_>, options: &FormatOptions) -> Self {
        let v1 = options.version_max > RegoVersion::V0;
        let mut layout = Self {
            contains: v1,
            ifs: v1,
            ref_heads: module.rules.iter().any(needs_ref_head),
            v1,
            v2: options.version_max == RegoVersion::V2,
            v2_imported: false,
            imported: Vec::new(),
            keywords_in_refs: options.keywords_in_refs,
        };
        for import in &module.imports {
            layout.note_import(import);
        }
        layout
    }

    fn note_import(&mut self, import: &crate::shape::Import<'_>) {
        let all = match super::imports::names(import).as_slice() {
            ["rego", "v1"] | ["future", "keywords"] => true,
            ["rego", "v2"] => {
                self.v2_imported = true;
                true
            }
            ["future", "keywords", keyword] => {
                self.contains |= *keyword == "contains";
                self.ifs |= *keyword == "if";
                if import.alias.is_none() {
                    self.imported.push((*keyword).to_owned());
                }
                false
            }
            _ => false,
        };
        self.contains |= all;
        self.ifs |= all;
    }

    /// Tells whether a word is a keyword in the output.
    pub(crate) fn is_keyword(&self, word: &str) -> bool {
        let v1_only = matches!(word, "if" | "contains" | "in" | "every");
        let v2 = self.v2 || self.v2_imported;
        let known = match word {
            "and" | "or" => v2,
            _ if v1_only => self.v1 || v2,
            _ => crate::tokens::is_v1_keyword(word),
        };
        known || (!v2 && self.imported.iter().any(|imported| imported == word))
    }
}

fn needs_ref_head(rule: &crate::shape::Rule<'_>) -> bool {
    let head = &rule.head;
    let is_nested_set = head.reference.len() == 2 && head.key.is_some() && head.value.is_none();
    head.reference.len() > 2 || is_nested_set
}

/// Writes one module.
pub(crate) struct Writer<'t, 's> {
    pub(crate) at: Locator<'t>,
    pub(crate) layout: Layout,
    out: String,
    level: usize,
    pub(crate) inline: bool,
    pub(crate) comments: Vec<Note<'t>>,
    /// The comment that is held until the line ends.
    pub(crate) held: Option<Note<'t>>,
    /// The held comment waits for the line after this one.
    delayed: bool,
    /// What is kept as it was ends a line, so that a comment on its last row goes along.
    pub(crate) keeps_last_comment: bool,
    /// An expression whose terms are to be put in parentheses.
    pub(crate) paren_expr: Option<&'s Expr<'t>>,
    /// A term that is to be put in parentheses.
    pub(crate) paren_term: Option<&'s Term<'t>>,
    pub(crate) found: Vec<Diagnostic>,
    /// Some lists must not go by rows, see [`Needs::generated`](super::prepare::Needs).
    pub(crate) has_generated: bool,
}

/// Is a place in the output to go back to.
pub(crate) struct Mark {
    length: usize,
    level: usize,
    pending: Pending,
}

impl<'t, 's> Writer<'t, 's> {
    pub(crate) fn new(module: &'t ast::Module, layout: Layout, has_generated: bool) -> Self {
        let at = Locator { source: &module.source, comments: &module.comments };
        Self {
            at,
            layout,
            out: String::with_capacity(module.source.text().len()),
            level: 0,
            inline: false,
            comments: module.comments.iter().map(|comment| note(&at, comment.span)).collect(),
            held: None,
            delayed: false,
            keeps_last_comment: false,
            paren_expr: None,
            paren_term: None,
            found: Vec::new(),
            has_generated,
        }
    }

    /// Returns the text, or what was found wrong.
    pub(crate) fn finish(mut self) -> Result<String, Vec<Diagnostic>> {
        if !self.found.is_empty() {
            return Err(self.found);
        }
        if self.out.ends_with('\n') {
            let length = self.out.trim_end_matches('\n').len();
            self.out.truncate(length);
            self.out.push('\n');
        }
        Ok(self.out)
    }

    // Text and lines.

    pub(crate) fn write(&mut self, text: &str) {
        self.out.push_str(text);
    }

    /// Begins a line.
    pub(crate) fn start_line(&mut self) {
        self.inline = true;
        for _ in 0..self.level {
            self.out.push('\t');
        }
    }

    /// Begins a line if none is begun.
    pub(crate) fn ensure_line(&mut self) {
        if !self.inline {
            self.start_line();
        }
    }

    /// Ends a line, with the comment that is held for it.
    pub(crate) fn end_line(&mut self) {
        self.inline = false;
        if !self.delayed
            && let Some(note) = self.held.take()
        {
            self.out.push(' ');
            self.out.push_str(note.text);
        }
        self.delayed = false;
        self.out.push('\n');
    }

    /// Leaves a line empty, after the end of this one.
    pub(crate) fn blank_line(&mut self) {
        if self.inline {
            self.end_line();
        }
        self.out.push('\n');
    }

    pub(crate) fn write_line(&mut self, text: &str) {
        self.ensure_line();
        self.write(text);
        self.end_line();
    }

    /// Ends the line and begins one that is deeper; a comment held now waits for the next.
    pub(crate) fn start_lines(&mut self) {
        self.delayed = true;
        self.end_line();
        self.up();
        self.start_line();
    }

    pub(crate) fn up(&mut self) {
        self.level += 1;
    }

    pub(crate) fn down(&mut self) -> Result<(), Stop> {
        match self.level.checked_sub(1) {
            Some(level) => self.level = level,
            None => return Err(Stop { fault: Fault::Other("negative indentation level"), pending: None }),
        }
        Ok(())
    }

    pub(crate) fn mark(&self, pending: Pending) -> Mark {
        Mark { length: self.out.len(), level: self.level, pending }
    }

    // Comments.

    /// Returns the count at which no comment is left.
    pub(crate) fn none_left(&self) -> Pending {
        self.comments.len()
    }

    /// Returns the comments that are left.
    pub(crate) fn left(&self, pending: Pending) -> &[Note<'t>] {
        self.comments.get(pending..).unwrap_or_default()
    }

    /// Returns how many comments are behind once those above a row are.
    pub(crate) fn above(&self, pending: Pending, row: u32) -> Pending {
        pending + self.left(pending).iter().take_while(|note| note.row < row).count()
    }

    /// Writes the comments above a place, and holds the one on its row.
    pub(crate) fn comments_to(&mut self, pending: Pending, row: u32) -> Flow {
        let above = self.above(pending, row);
        let before = self.comments.get(pending..above).unwrap_or_default().to_vec();
        self.write_comments(&before);
        if before.last().is_some_and(|last| row - last.row > 1) {
            self.blank_line();
        }
        let on_row = self.left(above).iter().take_while(|note| note.row == row).count();
        let last = on_row.checked_sub(1).and_then(|idx| self.comments.get(above + idx)).copied();
        self.hold(last, above + on_row)
    }

    /// Writes comments on lines of their own; a gap between them stays one empty line.
    pub(crate) fn write_comments(&mut self, comments: &[Note<'t>]) {
        let mut in_metadata = false;
        let mut last_row = None;
        for note in comments {
            let gap = last_row.map_or(0, |row| note.row - row);
            if gap > 1 {
                self.blank_line();
                in_metadata = false;
            } else if gap == 1 && in_metadata && note.is_metadata() {
                self.blank_line();
            }
            in_metadata |= note.is_metadata();
            last_row = Some(note.row);
            self.write_line(note.text);
        }
    }

    /// Holds a comment for the end of the line, which may have one already.
    fn hold(&mut self, note: Option<Note<'t>>, pending: Pending) -> Flow {
        match (self.held, note) {
            (_, None) => Ok(pending),
            (None, Some(_)) => {
                self.held = note;
                Ok(pending)
            }
            (Some(held), Some(note)) => {
                self.held = None;
                let message = format!(
                    "unexpected new comment ({}) on line {} because there is already a comment ({}) registered for line {}",
                    cut(note.text),
                    note.row,
                    cut(held.text),
                    held.row
                );
                Err(Stop { fault: Fault::Comment(message), pending: Some(pending) })
            }
        }
    }

    /// Fails since a comment stands where there is no line for it.
    pub(crate) fn refuse_comment(&self, note: Note<'t>, pending: Pending) -> Stop {
        let message = format!(
            "unexpected new comment ({}) on line {} because there is already a comment () registered for line 0",
            cut(note.text),
            note.row
        );
        Stop { fault: Fault::Comment(message), pending: Some(pending) }
    }

    /// Takes a failure for a comment as passed over.
    pub(crate) fn passing_comment(&self, flow: Flow) -> Flow {
        match flow {
            Err(stop) if stop.is_comment() => Ok(stop.pending.unwrap_or(self.none_left())),
            flow => flow,
        }
    }

    /// Notes a failure and goes on; one for a comment is passed over.
    pub(crate) fn settle(&mut self, flow: Flow) -> Pending {
        match flow {
            Ok(pending) => pending,
            Err(stop) => {
                if !stop.is_comment() {
                    self.report(&stop);
                }
                stop.pending.unwrap_or(self.none_left())
            }
        }
    }

    /// Reports a failure as one of no place.
    pub(crate) fn report(&mut self, stop: &Stop) {
        let mut found = Diagnostic::unplaced(codes::FORMAT, "layout", stop.message());
        found.location = Some(crate::diagnostics::Location {
            file: "".into(),
            position: crate::source::Position { row: 0, col: 0 },
        });
        self.found.push(found);
    }

    // Text that stays as it was.

    /// Goes back to a mark and writes the text of a place as it was.
    pub(crate) fn rewrite(&mut self, mark: &Mark, place: Place) -> Flow {
        self.out.truncate(mark.length);
        self.level = mark.level;
        let text = self.at.text(place.text);
        let last_row = place.row + line_breaks(text);
        if !text.is_empty() && self.held.is_some_and(|note| (place.row..=last_row).contains(&note.row)) {
            self.held = None;
        }
        self.write_as_was(place, mark.pending)
    }

    /// Writes the text of a place as it was, and drops the comments in it.
    pub(crate) fn write_as_was(&mut self, place: Place, pending: Pending) -> Flow {
        let text = self.at.text(place.text);
        if text.is_empty() {
            return Err(Stop { fault: Fault::Other("original unformatted text is empty"), pending: None });
        }
        let last_row = place.row + line_breaks(text);
        self.write(text);
        let mut behind = self.above(pending, last_row);
        if self.keeps_last_comment {
            while let Some(note) = self.comments.get(behind).copied().filter(|note| note.row == last_row) {
                self.write(" ");
                self.write(note.raw);
                behind += 1;
            }
        }
        Ok(behind)
    }
}

/// Makes a failure lose all comments that are left.
pub(crate) fn losing(flow: Flow) -> Flow {
    flow.map_err(|stop| Stop { pending: None, ..stop })
}

/// Tells whether something is the very node that was marked.
pub(crate) fn is_same<T>(marked: Option<&T>, node: &T) -> bool {
    marked.is_some_and(|marked| std::ptr::eq(marked, node))
}

/// Tells whether a term is a set in braces or empty.
pub(crate) fn is_set(term: &Term<'_>) -> bool {
    matches!(term.value, Value::Set(_))
}

fn note<'t>(at: &Locator<'t>, span: Span) -> Note<'t> {
    let text = at.source.text().get(span.start as usize..).unwrap_or_default();
    let raw = text.split('\n').next().unwrap_or_default();
    let position = at.source.position(span.start);
    let kept = raw.strip_prefix('#').unwrap_or(raw).trim_end();
    let text = raw.get(..=kept.len()).unwrap_or(raw);
    Note { row: position.row, leads: position.col == 1, text, raw }
}

/// Cuts a text that is too long for a message.
fn cut(text: &str) -> String {
    if text.len() <= 100 {
        return text.to_owned();
    }
    let bytes = text.as_bytes().get(..98).unwrap_or_default();
    format!("{}...", String::from_utf8_lossy(bytes))
}
