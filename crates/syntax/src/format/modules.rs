//! The module as a whole: package, then imports and rules as they follow each other.
//!
//! Apart because it alone knows the order of statements; what a statement looks like is for the
//! files beside it.

use crate::{
    format::{
        imports::{Entry, Order},
        writer::{Flow, Pending, Writer},
    },
    shape::{Module, Package, Rule},
};

/// Is an import or rule.
#[derive(Clone, Copy)]
enum Statement<'s, 't> {
    Import(Entry<'s, 't>),
    Rule(&'s Rule<'t>),
}

impl Statement<'_, '_> {
    fn order(&self) -> Order {
        match self {
            Self::Import(import) => import.order(),
            Self::Rule(rule) => (rule.place.row, rule.place.at, 2),
        }
    }
}

impl<'t, 's> Writer<'t, 's> {
    /// Writes a module; faults are kept in the writer.
    pub(crate) fn module(&mut self, module: &'s Module<'t>, imports: Vec<Entry<'s, 't>>) {
        match self.statements(module, imports) {
            Ok(pending) => self.last_comments(pending),
            Err(stop) => self.report(&stop),
        }
    }

    fn last_comments(&mut self, pending: Pending) {
        let rest = self.left(pending).to_vec();
        for note in &rest {
            self.write_line(note.text);
        }
        if !rest.is_empty() {
            self.write("\n");
        }
    }

    fn statements(&mut self, module: &'s Module<'t>, imports: Vec<Entry<'s, 't>>) -> Flow {
        let mut statements: Vec<_> = imports.into_iter().map(Statement::Import).collect();
        statements.extend(module.rules.iter().map(Statement::Rule));
        statements.sort_by_key(Statement::order);
        let added = take_late_imports(&mut statements);
        let mut pending = self.package(&module.package)?;
        pending = self.imports(&added, pending)?;
        let mut rest = statements.as_slice();
        while !rest.is_empty() {
            let imports: Vec<_> = rest.iter().map_while(as_import).collect();
            rest = rest.get(imports.len()..).unwrap_or_default();
            pending = self.imports(&imports, pending)?;
            let rules: Vec<_> = rest.iter().map_while(as_rule).collect();
            rest = rest.get(rules.len()..).unwrap_or_default();
            pending = self.rules(&rules, pending);
        }
        Ok(pending)
    }

    fn package(&mut self, package: &'s Package<'t>) -> Flow {
        let pending = self.comments_to(0, package.place.row)?;
        self.start_line();
        self.write("package ");
        self.name_path(package.path.get(1..).unwrap_or_default());
        self.blank_line();
        Ok(pending)
    }
}

fn as_import<'s, 't>(statement: &Statement<'s, 't>) -> Option<Entry<'s, 't>> {
    match statement {
        Statement::Import(import) => Some(*import),
        Statement::Rule(_) => None,
    }
}

fn as_rule<'s, 't>(statement: &Statement<'s, 't>) -> Option<&'s Rule<'t>> {
    match statement {
        Statement::Rule(rule) => Some(rule),
        Statement::Import(_) => None,
    }
}

/// Takes the added imports out if one would come after a rule, where it has no effect.
fn take_late_imports<'s, 't>(statements: &mut Vec<Statement<'s, 't>>) -> Vec<Entry<'s, 't>> {
    let is_added = |statement: &Statement<'s, 't>| as_import(statement).filter(Entry::is_added);
    let first_rule = statements.iter().find_map(as_rule).map(|rule| rule.place.row);
    let last_added = statements.iter().filter_map(is_added).map(|import| import.row()).max();
    let is_late = matches!((first_rule, last_added), (Some(rule), Some(added)) if added >= rule);
    if !is_late {
        return Vec::new();
    }
    let added = statements.iter().filter_map(is_added).collect();
    statements.retain(|statement| is_added(statement).is_none());
    added
}
