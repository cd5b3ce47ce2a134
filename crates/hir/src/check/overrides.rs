//! Schemas of annotations: for one rule they say what documents are.
//!
//! Those of the packages above come first, then those of the package, the document and the rule; later ones win. A
//! path below a document makes a type of which only that path is new.

use std::{cell::RefCell, rc::Rc};

use lictor_syntax::{
    Diagnostic,
    ast::{self, Yaml, YamlKind},
    parse_term,
};
use rustc_hash::FxHashMap;

use crate::{
    annotations::{AnnotationSet, Placed},
    check::{
        Checker,
        documents::{Documents, Root},
        written::Written,
    },
    schemas::{SchemaType, Schemas},
    tree::{Place, Ref, RefHead},
    types::{Key, Type, relations::unwrapped},
};

/// The annotations of all modules, and schemas by their names.
pub(crate) struct Overrides<'a> {
    pub(crate) modules: &'a [&'a ast::Module],
    pub(crate) annotations: &'a AnnotationSet<'a>,
    pub(crate) schemas: Option<&'a dyn Schemas>,
    /// Schemas that were asked for, by their text.
    known: RefCell<FxHashMap<String, SchemaType>>,
    /// Some block speaks of schemas.
    are_there: bool,
}

/// One rule, by its module and position in it; `own` if blocks above it count.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Subject {
    pub(crate) module: usize,
    pub(crate) rule: u32,
    pub(crate) own: bool,
}

/// A path and the schema that it has.
struct Override<'y> {
    /// None if the path leads to no document; the schema must be one all the same.
    place: Option<(Root, Vec<Key>)>,
    schema: &'y Yaml,
}

impl<'a> Overrides<'a> {
    pub(crate) fn new(
        modules: &'a [&'a ast::Module],
        annotations: &'a AnnotationSet<'a>,
        schemas: Option<&'a dyn Schemas>,
    ) -> Self {
        let speaks = |it: &Placed<'_>| it.annotation.field("schemas").is_some();
        let are_there = schemas.is_some() && annotations.blocks().iter().any(speaks);
        Self { modules, annotations, schemas, known: RefCell::default(), are_there }
    }

    /// Tells whether no annotation says anything of schemas.
    pub(crate) fn is_empty(&self) -> bool {
        !self.are_there
    }

    fn of_rule(&self, subject: Subject) -> Vec<Override<'a>> {
        let Some(module) = self.modules.get(subject.module) else { return Vec::new() };
        let Some(rule) = module.rules.get(subject.rule as usize) else { return Vec::new() };
        let mut blocks: Vec<Placed<'a>> = self.annotations.around(module, rule);
        blocks.reverse();
        if subject.own {
            blocks.extend(self.annotations.of_rule(subject.module, subject.rule));
        }
        blocks.iter().flat_map(|it| overrides_in(it.annotation)).collect()
    }

    /// Returns the type of a schema; none if nothing is said.
    fn schema(&self, schema: &Yaml) -> Result<Option<SchemaType>, String> {
        let Some(schemas) = self.schemas else { return Ok(None) };
        let Some(name) = schema.as_str() else {
            let mut text = String::new();
            write_json(schema, &mut text);
            return schemas.inline(&text).map(Some);
        };
        if !schemas.has_names() {
            return Ok(None);
        }
        if let Some(known) = self.known.borrow().get(name) {
            return Ok(Some(known.clone()));
        }
        let path = path_of(name).unwrap_or_default();
        let path: Vec<&str> = path.iter().map(AsRef::as_ref).collect();
        let found =
            schemas.named(&path).ok_or_else(|| format!("undefined schema: {}", shown("schema", &path)))??;
        self.known.borrow_mut().insert(name.to_owned(), found.clone());
        Ok(Some(found))
    }
}

/// Returns what a block says of schemas.
fn overrides_in(annotation: &ast::Annotation) -> impl Iterator<Item = Override<'_>> {
    let items = match annotation.field("schemas").map(|it| &it.kind) {
        Some(YamlKind::List(items)) => items.as_slice(),
        _ => &[],
    };
    items.iter().filter_map(|item| {
        let YamlKind::Map(entries) = &item.kind else { return None };
        let (path, schema) = entries.first()?;
        let term = parse_term(path.as_str()?, &lictor_syntax::ParseOptions::default()).tree?;
        let ast::TermKind::Ref(reference) = term.kind else { return None };
        let root = match reference.head.as_var()? {
            "input" => Some(Root::Input),
            "data" => Some(Root::Data),
            _ => None,
        };
        let path = reference.parts.iter().map(|it| it.as_str().map(Key::from)).collect::<Option<_>>();
        Some(Override { place: root.zip(path), schema })
    })
}

/// Returns the path behind `schema`.
fn path_of(name: &str) -> Option<Vec<Box<str>>> {
    let term = parse_term(name, &lictor_syntax::ParseOptions::default()).tree?;
    match term.kind {
        ast::TermKind::Ref(reference) => {
            reference.parts.iter().map(|it| it.as_str().map(Box::from)).collect()
        }
        _ => Some(Vec::new()),
    }
}

fn shown(head: &str, path: &[&str]) -> String {
    let head = Written::Var(head.to_owned(), head.to_owned());
    let parts = path.iter().map(|it| Written::String((*it).to_owned()));
    Written::Ref(std::iter::once(head).chain(parts).collect()).text()
}

fn write_json(yaml: &Yaml, out: &mut String) {
    let text = |it: &str, out: &mut String| lictor_syntax::diagnostics::write_json_string(it, out);
    match &yaml.kind {
        YamlKind::Null => out.push_str("null"),
        YamlKind::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        YamlKind::Number(number) => out.push_str(number),
        YamlKind::String(string) => text(string, out),
        YamlKind::List(items) => {
            out.push('[');
            for (idx, item) in items.iter().enumerate() {
                if idx > 0 {
                    out.push(',');
                }
                write_json(item, out);
            }
            out.push(']');
        }
        YamlKind::Map(entries) => {
            out.push('{');
            for (idx, (key, value)) in entries.iter().enumerate() {
                if idx > 0 {
                    out.push(',');
                }
                match &key.kind {
                    YamlKind::String(name) | YamlKind::Number(name) => text(name, out),
                    YamlKind::Bool(value) => text(if *value { "true" } else { "false" }, out),
                    _ => text("null", out),
                }
                out.push(':');
                write_json(value, out);
            }
            out.push('}');
        }
    }
}

impl Checker<'_> {
    /// Hides documents by what schemas say of them, and returns the faults of schemas.
    pub(super) fn override_documents(
        &mut self,
        overrides: &Overrides<'_>,
        subject: Subject,
        place: Place,
    ) -> Vec<Diagnostic> {
        let mut faults = Vec::new();
        for it in overrides.of_rule(subject) {
            match overrides.schema(it.schema) {
                Ok(Some(found)) => self.override_document(&it, found.ty),
                Ok(None) => {}
                Err(message) => faults.push(self.diagnostic(place, "schema", message)),
            }
        }
        faults
    }

    fn override_document(&mut self, at: &Override<'_>, ty: Type) {
        let Some((root, path)) = &at.place else { return };
        let head = match root {
            Root::Input => RefHead::Input,
            Root::Data => RefHead::Data,
        };
        let before = self.type_of_ref(&Ref { head, parts: Vec::new() });
        let ty = below(path, &before, ty);
        let mut layer = self.layers.pop().map_or_else(Documents::default, |it| Documents::clone(&it));
        layer.put(*root, std::iter::empty(), ty);
        self.layers.push(Rc::new(layer));
    }
}

/// Returns a type with another one at a path.
fn below(path: &[Key], before: &Type, ty: Type) -> Type {
    let Some((first, rest)) = path.split_first() else { return ty };
    let Type::Object(object) = unwrapped(before) else {
        let open = Some((Type::Any, Type::Any));
        return new_object(path, ty, open.as_ref());
    };
    let mut fixed = object.fixed.clone();
    match fixed.iter_mut().find(|it| it.0 == *first) {
        Some(found) => found.1 = below(rest, &found.1, ty),
        None => {
            if let Type::Object(new) = new_object(path, ty, object.rest.as_ref()) {
                fixed.extend(new.fixed.iter().cloned());
            }
        }
    }
    Type::object(fixed, object.rest.clone())
}

/// Returns objects, one in the other along a path; all of them may hold more.
fn new_object(path: &[Key], ty: Type, rest: Option<&(Type, Type)>) -> Type {
    let wrap = |ty, key: &Key| Type::object(vec![(key.clone(), ty)], rest.cloned());
    path.iter().rev().fold(ty, wrap)
}
