//! Imports: which are added or dropped for the versions of the output, their groups and order.
//!
//! Apart because versions decide here and nowhere else in the layout. Where the groups stand among
//! the rules is for the module.

use std::cmp::Ordering;

use crate::{
    ast::RegoVersion,
    format::{
        FormatOptions,
        prepare::Needs,
        refs::var_text,
        writer::{Flow, Layout, Note, Pending, Writer},
    },
    shape::{Import, Module, Term, Value},
    source::Source,
};

/// Is an import that is to be written.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Entry<'s, 't> {
    /// One of the module.
    Written(&'s Import<'t>),
    /// One that the output needs.
    Added {
        path: [&'static str; 3],
        /// How many parts of the path there are.
        length: usize,
        /// Where the row begins that it is taken to stand on.
        row: u32,
        start: u32,
    },
}

/// Is what statements are ordered by: row, offset, and which goes first on a tie.
pub(crate) type Order = (u32, u32, u8);

impl Entry<'_, '_> {
    /// Returns the row of the import, 1 or one that follows for an added one.
    pub(crate) fn row(&self) -> u32 {
        match self {
            Self::Written(import) => import.place.row,
            Self::Added { row, .. } => *row,
        }
    }

    /// Returns what the import is ordered by; an added one begins its row.
    pub(crate) fn order(&self) -> Order {
        match self {
            Self::Written(import) => (import.place.row, import.place.at, 0),
            Self::Added { row, start, .. } => (*row, *start, 1),
        }
    }

    pub(crate) fn is_added(&self) -> bool {
        matches!(self, Self::Added { .. })
    }

    fn names(&self) -> Vec<&str> {
        match self {
            Self::Written(import) => names(import),
            Self::Added { path, length, .. } => path.iter().take(*length).copied().collect(),
        }
    }

    fn is(&self, path: &[&str]) -> bool {
        self.names() == path
    }

    fn is_future(&self) -> bool {
        self.names().first() == Some(&"future")
    }

    /// Tells whether the import brings in one keyword or all.
    fn brings(&self, keyword: &str) -> bool {
        match self.names().as_slice() {
            ["future", "keywords"] => true,
            ["future", "keywords", one] => *one == keyword || (*one == "every" && keyword == "in"),
            _ => false,
        }
    }
}

/// Returns the parts of an import's path.
pub(crate) fn names<'i>(import: &'i Import<'_>) -> Vec<&'i str> {
    match &import.path.value {
        Value::Ref(parts) => {
            parts.iter().map(|part| part.var().or(part.string()).unwrap_or_default()).collect()
        }
        _ => Vec::new(),
    }
}

const REGO_V1: [&str; 2] = ["rego", "v1"];
const REGO_V2: [&str; 2] = ["rego", "v2"];

/// Returns the imports of the output: those of the module, with what the versions demand added
/// and what they make needless dropped.
pub(crate) fn arrange<'s, 't>(
    module: &'s Module<'t>,
    options: &FormatOptions,
    layout: &Layout,
    needs: Needs,
    source: &Source,
) -> Vec<Entry<'s, 't>> {
    let mut imports: Vec<_> = module.imports.iter().map(Entry::Written).collect();
    if options.version_min == RegoVersion::V2 {
        if options.drop_imports {
            imports.retain(|it| !it.is(&REGO_V1) && !it.is(&REGO_V2) && !it.is_future());
        }
        return imports;
    }
    if options.version_max == RegoVersion::V2 {
        add(&mut imports, ["rego", "v2", ""], 2);
        imports.retain(|it| !it.is(&REGO_V1) && !it.is_future());
    } else {
        arrange_v1(&mut imports, options, layout, needs);
    }
    for import in &mut imports {
        if let Entry::Added { row, start, .. } = import {
            *start = source.row_start(*row);
        }
    }
    imports
}

fn arrange_v1(imports: &mut Vec<Entry<'_, '_>>, options: &FormatOptions, layout: &Layout, needs: Needs) {
    let v2_imported = imports.iter().any(|it| it.is(&REGO_V2));
    if v2_imported || (options.version_min == RegoVersion::V1 && options.drop_imports) {
        imports.retain(|it| !it.is(&REGO_V1));
    } else if options.version_min != options.version_max {
        add(imports, ["rego", "v1", ""], 2);
    }
    let v1_imported = v2_imported || imports.iter().any(|it| it.is(&REGO_V1));
    if options.version_max == RegoVersion::V0 && !v1_imported {
        for keyword in needs.names() {
            add_keyword(imports, keyword);
        }
        return;
    }
    if options.drop_imports || v1_imported {
        imports.retain(|it| !it.is_future());
    } else {
        for keyword in ["and", "contains", "every", "if", "in", "not", "or"] {
            if layout.imported.iter().any(|imported| imported == keyword) {
                add_keyword(imports, keyword);
            }
        }
    }
    if !v2_imported {
        for keyword in needs.names().filter(|it| matches!(*it, "and" | "not" | "or")) {
            add_keyword(imports, keyword);
        }
    }
}

fn add_keyword(imports: &mut Vec<Entry<'_, '_>>, keyword: &'static str) {
    if !imports.iter().any(|it| it.brings(keyword)) {
        add(imports, ["future", "keywords", keyword], 3);
    }
}

/// Adds an import below the last one of its kind, or in the first row.
fn add(imports: &mut Vec<Entry<'_, '_>>, path: [&'static str; 3], length: usize) {
    if imports.iter().any(|it| it.is(path.get(..length).unwrap_or_default())) {
        return;
    }
    let near = imports.iter().filter(|it| it.is_future() || it.is(&REGO_V1));
    let row = near.map(Entry::row).max().unwrap_or(0) + 1;
    imports.push(Entry::Added { path, length, row, start: 0 });
}

impl<'t, 's> Writer<'t, 's> {
    /// Writes imports in groups, each sorted; a comment on an import's row stays behind it.
    pub(crate) fn imports(&mut self, imports: &[Entry<'s, 't>], pending: Pending) -> Flow {
        let beside = self.take_beside(imports, pending);
        let mut pending = 0;
        let mut rest = imports;
        while let Some(length) = group_length(rest) {
            let (group, after) = rest.split_at(length);
            rest = after;
            pending = self.comments_to(pending, group.first().map_or(0, Entry::row))?;
            let mut sorted: Vec<_> = group.iter().collect();
            sorted.sort_by(|a, b| compare(a, b));
            for import in sorted {
                self.start_line();
                self.import(import);
                for (order, note) in &beside {
                    if *order == import.order() {
                        self.write(" ");
                        self.write(note.text);
                    }
                }
                self.end_line();
            }
            self.blank_line();
        }
        Ok(pending)
    }

    /// Takes the comments that stand on the rows of imports out of the list, and returns each
    /// with the place of its import.
    fn take_beside(&mut self, imports: &[Entry<'s, 't>], pending: Pending) -> Vec<(Order, Note<'t>)> {
        let mut beside = Vec::new();
        let mut others = Vec::new();
        for note in self.comments.get(pending..).unwrap_or_default() {
            match imports.iter().find(|import| import.row() == note.row) {
                Some(import) => beside.push((import.order(), *note)),
                None => others.push(*note),
            }
        }
        self.comments = others;
        beside
    }

    fn import(&mut self, import: &Entry<'s, 't>) {
        self.write("import ");
        match import {
            Entry::Written(import) => self.import_path(import),
            Entry::Added { path, length, .. } => {
                let path = path.get(..*length).unwrap_or_default().join(".");
                self.write(&path);
            }
        }
        if let Entry::Written(Import { alias: Some((alias, _)), .. }) = import {
            self.write(" as ");
            self.write(alias);
        }
    }

    fn import_path(&mut self, import: &'s Import<'t>) {
        if import.alias.is_none()
            && let ["future", "keywords", keyword] = names(import).as_slice()
            && let Value::Ref(parts) = &import.path.value
        {
            // Of these only `not` was a keyword from the start.
            let last = parts.last().map_or("", |last| self.at.text(last.place.text));
            let quoted = *keyword == "not" && last.starts_with('"');
            self.write("future.keywords");
            self.write(&if quoted { format!("[\"{keyword}\"]") } else { format!(".{keyword}") });
        } else if let Value::Ref(parts) = &import.path.value {
            self.name_path(parts);
        }
    }

    /// Writes a path that is made of names and strings only.
    pub(crate) fn name_path(&mut self, parts: &'s [Term<'t>]) {
        if let Some((head, rest)) = parts.split_first() {
            self.write(var_text(head.var().or(head.string()).unwrap_or_default()));
            for part in rest {
                self.ref_string(part.string().unwrap_or_default(), part.place);
            }
        }
    }
}

/// Returns how many of the first imports stand together; `None` if there are none.
fn group_length(imports: &[Entry<'_, '_>]) -> Option<usize> {
    let first = imports.first()?;
    let mut row = first.row();
    let mut length = 0;
    for import in imports {
        if import.row().saturating_sub(row) > 1 {
            break;
        }
        row = import.row();
        length += 1;
    }
    Some(length)
}

/// Orders imports by path, then alias.
fn compare(a: &Entry<'_, '_>, b: &Entry<'_, '_>) -> Ordering {
    let alias = |it: &Entry<'_, '_>| match it {
        Entry::Written(Import { alias: Some((alias, _)), .. }) => (*alias).to_owned(),
        _ => String::new(),
    };
    a.names().cmp(&b.names()).then_with(|| alias(a).cmp(&alias(b)))
}
