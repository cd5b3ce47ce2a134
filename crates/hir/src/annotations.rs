//! The metadata of all modules together: which blocks speak of a rule, from the closest to the farthest.
//!
//! Apart because the parser knows one module, and blocks of packages and documents speak of rules in others. It knows
//! scopes and paths; what the fields of a block mean is asked of [`crate::metadata`] and whoever shows them.

use lictor_syntax::{
    Diagnostic,
    ast::{Annotation, Module, Rule},
    printer,
};
use rustc_hash::FxHashMap;

use crate::{diagnostics::type_error, index::key_of};

/// One block and what it stands above.
#[derive(Clone, Copy, Debug)]
pub struct Placed<'a> {
    /// The module that it stands in.
    pub module: &'a Module,
    /// The rule that it stands above, else it speaks of the package.
    pub rule: Option<&'a Rule>,
    /// The block.
    pub annotation: &'a Annotation,
}

/// All blocks of some modules, by what they speak of.
#[derive(Debug, Default)]
pub struct AnnotationSet<'a> {
    blocks: Vec<Placed<'a>>,
    /// By module and rule.
    by_rule: FxHashMap<(usize, u32), Vec<usize>>,
    by_package: FxHashMap<Vec<String>, usize>,
    /// Those of documents and of packages with all below them, which share one tree in OPA.
    by_path: FxHashMap<Vec<String>, usize>,
}

impl<'a> AnnotationSet<'a> {
    /// Collects the blocks of modules. Of two that speak of the same thing the second is a fault.
    #[must_use]
    pub fn build(modules: &[&'a Module]) -> (Self, Vec<Diagnostic>) {
        let mut set = Self::default();
        let mut faults = Vec::new();
        let mut order: Vec<usize> = (0..modules.len()).filter(|at| has_blocks(modules, *at)).collect();
        order.sort_by(|a, b| name_of(modules, *a).cmp(&name_of(modules, *b)));
        for at in order {
            let Some(module) = modules.get(at) else { continue };
            for annotation in &module.annotations {
                let rule = annotation.rule.and_then(|it| module.rules.get(it as usize));
                if let Err(other) = set.add(at, Placed { module, rule, annotation }) {
                    faults.push(redeclared(module, annotation, &other));
                }
            }
        }
        (set, faults)
    }

    /// Adds a block, or returns the one that spoke of the same before.
    fn add(&mut self, at: usize, block: Placed<'a>) -> Result<(), Placed<'a>> {
        let id = self.blocks.len();
        let package = || package_path(block.module);
        let known = match (&*block.annotation.scope, block.rule, block.annotation.rule) {
            ("rule", Some(_), Some(rule)) => {
                self.by_rule.entry((at, rule)).or_default().push(id);
                None
            }
            ("document", Some(rule), _) => first(&mut self.by_path, document_path(block.module, rule), id),
            ("package", None, _) => first(&mut self.by_package, package(), id),
            ("subpackages", None, _) => first(&mut self.by_path, package(), id),
            _ => return Ok(()),
        };
        self.blocks.push(block);
        match known.and_then(|it| self.blocks.get(it)) {
            Some(other) => Err(*other),
            None => Ok(()),
        }
    }

    /// Returns all blocks, in the order of modules' names and places.
    #[must_use]
    pub fn blocks(&self) -> &[Placed<'a>] {
        &self.blocks
    }

    /// Returns the blocks above one rule, from the farthest to the closest.
    pub(crate) fn of_rule(&self, module: usize, rule: u32) -> impl DoubleEndedIterator<Item = Placed<'a>> {
        let ids = self.by_rule.get(&(module, rule)).map_or(&[][..], Vec::as_slice);
        ids.iter().filter_map(|it| self.blocks.get(*it).copied())
    }

    /// Returns the blocks around a rule: of its document, of its package, of the packages above, the closest first.
    pub(crate) fn around(&self, module: &Module, rule: &Rule) -> Vec<Placed<'a>> {
        let package = package_path(module);
        let document = self.by_path.get(&document_path(module, rule));
        let above = (1..=package.len()).rev().filter_map(|len| self.by_path.get(package.get(..len)?));
        let ids = document.into_iter().chain(self.by_package.get(&package)).chain(above);
        ids.filter_map(|it| self.blocks.get(*it).copied()).collect()
    }
}

/// Notes a block for a path unless there is one already, which is returned then.
fn first(known: &mut FxHashMap<Vec<String>, usize>, path: Vec<String>, id: usize) -> Option<usize> {
    let kept = *known.entry(path).or_insert(id);
    (kept != id).then_some(kept)
}

fn has_blocks(modules: &[&Module], at: usize) -> bool {
    modules.get(at).is_some_and(|it| !it.annotations.is_empty())
}

fn name_of<'m>(modules: &[&'m Module], at: usize) -> Option<&'m str> {
    modules.get(at).map(|it| &**it.source.name())
}

fn redeclared(module: &Module, annotation: &Annotation, other: &Placed<'_>) -> Diagnostic {
    let row = other.module.source.position(other.annotation.span.start).row;
    let place = format!("{}:{row}", other.module.source.name());
    let message = format!("{} annotation redeclared: {place}", annotation.scope);
    type_error(&module.source, annotation.span, "annotation-redeclared", message)
}

fn package_path(module: &Module) -> Vec<String> {
    module.package.path.iter().filter_map(|it| it.as_str().map(str::to_owned)).collect()
}

/// Returns the path of a rule's document up to the first variable. Strings stand as they are, other scalars as Rego
/// writes them behind a character that starts no string there.
fn document_path(module: &Module, rule: &Rule) -> Vec<String> {
    let mut path = package_path(module);
    path.extend(rule.head.reference.head.as_var().map(str::to_owned));
    let ground = rule.head.reference.parts.iter().take_while(|it| key_of(it).is_some());
    path.extend(ground.map(|it| match it.as_str() {
        Some(text) => text.to_owned(),
        None => format!("\0{}", printer::term_text(it)),
    }));
    path
}
