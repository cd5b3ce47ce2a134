//! Lists: what arguments, arrays, sets and objects hold, on the lines on which it was written.
//!
//! Members of one row stay on one line. A list of several lines has its brackets on lines of
//! their own and a comma behind each member.

use crate::{
    format::{
        closing::{BRACES, BRACKETS, PARENS},
        terms::terms_of,
        writer::{Flow, Pending, Writer, losing},
    },
    shape::{
        Place, Term,
        visit::{Node, walk_term},
    },
};

/// Is what stands between the commas of a list.
#[derive(Clone, Copy)]
pub(crate) enum Entry<'s, 't> {
    /// An argument; a union in parentheses keeps them.
    Term(&'s Term<'t>),
    /// A member of an array or set; a union stands in parentheses.
    Member(&'s Term<'t>),
    Pair(&'s Term<'t>, &'s Term<'t>),
}

impl<'s, 't> Entry<'s, 't> {
    fn first(&self) -> &'s Term<'t> {
        match self {
            Self::Term(term) | Self::Member(term) | Self::Pair(term, _) => term,
        }
    }
}

/// Tells whether a term is a union.
pub(crate) fn is_union(term: &Term<'_>) -> bool {
    let function = term.call().and_then(<[_]>::first);
    function.and_then(super::refs::ref_name).is_some_and(|name| name == "or")
}

/// Tells whether a term is a variable that a compiler made or has no place, so that rows mean
/// nothing.
pub(crate) fn is_generated(term: &Term<'_>) -> bool {
    !term.place.is_some() || term.var().is_some_and(|name| name.starts_with("__local"))
}

fn has_generated(term: &Term<'_>) -> bool {
    let mut found = false;
    walk_term(term, &mut |node| {
        found |= matches!(node, Node::Term(term) if is_generated(term));
        !found
    });
    found
}

impl<'t, 's> Writer<'t, 's> {
    pub(crate) fn array(&mut self, terms: &'s [Term<'t>], place: Place, pending: Pending) -> Flow {
        self.write("[");
        let entries: Vec<_> = terms.iter().map(Entry::Member).collect();
        let flow = self.list(&entries, place, self.closing_row(place, BRACKETS), pending);
        self.write("]");
        losing(flow)
    }

    pub(crate) fn set(&mut self, members: &'s [Term<'t>], place: Place, pending: Pending) -> Flow {
        if members.is_empty() {
            self.write("set()");
            return losing(self.comments_to(pending, self.closing_row(place, PARENS)));
        }
        self.write("{");
        let entries: Vec<_> = members.iter().map(Entry::Member).collect();
        let flow = self.list(&entries, place, self.closing_row(place, BRACES), pending);
        self.write("}");
        flow
    }

    pub(crate) fn object(
        &mut self,
        pairs: &'s [(Term<'t>, Term<'t>)],
        place: Place,
        pending: Pending,
    ) -> Flow {
        self.write("{");
        let entries: Vec<_> = pairs.iter().map(|(key, value)| Entry::Pair(key, value)).collect();
        let flow = self.list(&entries, place, self.closing_row(place, BRACES), pending);
        self.write("}");
        flow
    }

    /// Writes arguments in parentheses.
    pub(crate) fn arguments(&mut self, args: &'s [Term<'t>], place: Place, pending: Pending) -> Flow {
        self.write("(");
        let flow = self.list(&terms_of(args), place, self.closing_row(place, PARENS), pending);
        self.write(")");
        flow
    }

    /// Writes a list that stands at a place and closes on a row.
    pub(crate) fn list(
        &mut self,
        entries: &[Entry<'s, 't>],
        place: Place,
        close: u32,
        pending: Pending,
    ) -> Flow {
        let lines = self.lines(entries, place.row);
        let mut breaks_first = false;
        if let [line] = lines.as_slice() {
            let between = |row| row > place.row && row < close;
            if let Some(note) = self.left(pending).iter().find(|note| between(note.row)) {
                return Err(self.refuse_comment(*note, pending));
            }
            breaks_first = line.first().is_some_and(|entry| self.begins_below(entry, place));
        }
        let is_multiline = lines.len() > 1 || breaks_first;
        if is_multiline {
            self.start_lines();
        }
        let mut pending = pending;
        for (idx, line) in lines.iter().enumerate() {
            if idx > 0 {
                self.write(",");
                self.end_line();
                self.start_line();
            }
            pending = losing(self.list_line(line, pending))?;
        }
        if is_multiline {
            self.write(",");
            self.end_line();
            pending = losing(self.comments_to(pending, close))?;
            self.down()?;
            self.start_line();
        }
        Ok(pending)
    }

    /// Groups entries by the rows on which they begin; there is at least one group.
    fn lines(&self, entries: &[Entry<'s, 't>], row: u32) -> Vec<Vec<Entry<'s, 't>>> {
        let generated = |entry: &Entry<'s, 't>| match entry {
            Entry::Term(term) | Entry::Member(term) => has_generated(term),
            // Only terms are looked into.
            Entry::Pair(..) => false,
        };
        if self.has_generated && entries.iter().any(generated) {
            return vec![entries.to_vec()];
        }
        let mut sorted = entries.to_vec();
        sorted.sort_by_key(|entry| (entry.first().place.row, entry.first().place.at));
        let mut row = row;
        let mut lines = vec![Vec::new()];
        for (idx, entry) in sorted.into_iter().enumerate() {
            let entry_row = entry.first().place.row;
            if entry_row > row && idx > 0 {
                lines.push(Vec::new());
            }
            row = entry_row;
            if let Some(line) = lines.last_mut() {
                line.push(entry);
            }
        }
        lines
    }

    /// Tells whether a line break stands before a list's first entry.
    fn begins_below(&self, entry: &Entry<'s, 't>, place: Place) -> bool {
        let whole = self.at.text(place.text);
        // What is searched for is found there at the latest.
        let start = entry.first().place.text.start.checked_sub(place.text.start);
        let head = start.and_then(|it| whole.as_bytes().get(..it as usize));
        if head.is_some_and(|it| !it.contains(&b'\n')) {
            return false;
        }
        let first = self.at.text(entry.first().place.text);
        let before = whole.find(first).and_then(|at| whole.get(..at)).unwrap_or_default();
        before.find('\n').is_some_and(|at| at > 0)
    }

    fn list_line(&mut self, line: &[Entry<'s, 't>], pending: Pending) -> Flow {
        let mut pending = pending;
        for (idx, entry) in line.iter().enumerate() {
            if idx > 0 {
                self.write(", ");
            }
            let flow = self.entry(*entry, pending);
            pending = if idx + 1 < line.len() { losing(flow)? } else { flow? };
        }
        Ok(pending)
    }

    fn entry(&mut self, entry: Entry<'s, 't>, pending: Pending) -> Flow {
        match entry {
            Entry::Term(term) => {
                let parens = is_union(term) && self.opens_with_paren(term.place);
                self.grouped(term, parens, pending)
            }
            Entry::Member(term) => self.grouped(term, is_union(term), pending),
            Entry::Pair(key, value) => {
                let pending = self.object_key(key, pending)?;
                self.grouped(value, is_union(value), pending)
            }
        }
    }

    /// Writes an object's key and the colon; a union stands in parentheses.
    pub(crate) fn object_key(&mut self, key: &'s Term<'t>, pending: Pending) -> Flow {
        let parens = is_union(key);
        if parens {
            self.write("(");
        }
        let pending = losing(self.term(key, pending))?;
        if parens {
            self.write(")");
        }
        self.write(": ");
        Ok(pending)
    }

    fn grouped(&mut self, term: &'s Term<'t>, parens: bool, pending: Pending) -> Flow {
        if !parens {
            return self.term(term, pending);
        }
        self.write("(");
        let flow = self.term(term, pending);
        self.write(")");
        flow
    }
}
