//! Policy and data of several bundles beside each other, and of what stands outside of them.
//!
//! A [`ReadyBundle`] is parsed and merged once. A [`Composition`] says which bundles are active and turns changes of
//! them into a [`Step`]: all modules compiled together, and what becomes of the data. Taking a step is its caller's
//! business, who alone knows what else writes data; nothing here is shared between threads or swapped.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use lictor_bundle::{Bundle, BundleError, Manifest, PatchOperation, Roots, check_overlap};
use lictor_store::{BaseData, DataErrorKind, Operation, Patch, Snapshot, Write, WriteError, WriteErrorKind};
use lictor_syntax::ast::{Module, RegoVersion};
use lictor_syntax::printer::package_text;
use lictor_value::{Document, DocumentBuilder};

use crate::engine::{Engine, ParsedModule};
use crate::faults::Faults;
use crate::policy::Policy;

/// Why a bundle cannot be active.
#[derive(Clone, Debug)]
pub enum BundleFault {
    /// Modules are at fault: its own, or they and others together.
    Rego(Faults),
    /// Anything else, in OPA's words.
    Text(String),
}

impl fmt::Display for BundleFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Rego(faults) => faults.fmt(f),
            Self::Text(text) => f.write_str(text),
        }
    }
}

impl std::error::Error for BundleFault {}

impl From<BundleError> for BundleFault {
    fn from(error: BundleError) -> Self {
        Self::Text(error.to_string())
    }
}

impl From<WriteError> for BundleFault {
    fn from(error: WriteError) -> Self {
        Self::Text(error.to_string())
    }
}

/// A bundle whose modules are parsed and whose data is one document, or a delta of one.
#[derive(Debug)]
pub struct ReadyBundle {
    name: String,
    manifest: Manifest,
    etag: String,
    content: Content,
}

#[derive(Debug)]
enum Content {
    Whole { modules: Arc<[ReadyModule]>, data: Document },
    Delta(Vec<PatchOperation>),
}

#[derive(Debug)]
struct ReadyModule {
    version: Option<RegoVersion>,
    parsed: ParsedModule,
}

/// What a composition keeps of a bundle: all but its data, which others may have changed since.
#[derive(Clone, Debug)]
struct Active {
    manifest: Manifest,
    modules: Arc<[ReadyModule]>,
}

impl ReadyBundle {
    /// Returns its name among the bundles.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns what it says of itself.
    #[must_use]
    pub fn manifest(&self) -> &Manifest {
        &self.manifest
    }

    /// Returns what is kept of it once it follows the active bundle of its name.
    fn following(&self, before: Option<&Active>) -> Result<Active, BundleFault> {
        let modules = match (&self.content, before) {
            (Content::Whole { modules, .. }, _) => Arc::clone(modules),
            (Content::Delta(_), None) => Arc::default(),
            (Content::Delta(_), Some(before)) => {
                self.manifest.check_delta(&self.name, &before.manifest)?;
                Arc::clone(&before.modules)
            }
        };
        Ok(Active { manifest: self.manifest.clone(), modules })
    }

    /// Says whether it changes data that is there already, and has nothing else.
    #[must_use]
    pub fn is_delta(&self) -> bool {
        matches!(self.content, Content::Delta(_))
    }
}

/// Says whether nothing needs compiling when one list of modules follows the other.
fn same_modules(a: &[ReadyModule], b: &[ReadyModule]) -> bool {
    let same = |(a, b): (&ReadyModule, &ReadyModule)| {
        let (Some(first), Some(second)) = (&a.parsed.tree, &b.parsed.tree) else { return false };
        let (first, second) = (&first.source, &second.source);
        a.version == b.version && first.name() == second.name() && first.text() == second.text()
    };
    a.len() == b.len() && a.iter().zip(b).all(same)
}

/// One change of what is active.
#[derive(Clone, Debug)]
pub enum BundleChange {
    /// The bundle is active, in the place of the one of its name; of a delta its operations are done.
    Activate(Arc<ReadyBundle>),
    /// The bundle of this name is no longer active.
    Deactivate(String),
}

impl BundleChange {
    /// Returns the name of the bundle.
    #[must_use]
    pub fn name(&self) -> &str {
        match self {
            Self::Activate(bundle) => bundle.name(),
            Self::Deactivate(name) => name,
        }
    }
}

/// What others need to know of a bundle that is active.
#[derive(Clone, Debug)]
pub struct ActiveBundle {
    /// Its name.
    pub name: String,
    /// The bundle's own word for its state.
    pub revision: String,
    /// The paths below `data` that it owns.
    pub roots: Roots,
}

/// What is active: modules of no bundle, and bundles.
#[derive(Clone, Debug)]
pub struct Composition {
    /// Options and capabilities, and the modules of no bundle that is changed here.
    base: Engine,
    /// Bundles that stay as they are; their modules are in the base.
    fixed: Vec<ActiveBundle>,
    bundles: BTreeMap<String, Active>,
}

impl Composition {
    /// Returns a composition of what an engine has, of which a part came from bundles that never change.
    #[must_use]
    pub fn new(mut base: Engine, fixed: Vec<ActiveBundle>) -> Self {
        base.clear_data();
        Self { base, fixed, bundles: BTreeMap::new() }
    }

    /// Returns the bundles that are active.
    #[must_use]
    pub fn active(&self) -> Vec<ActiveBundle> {
        let changing = self.bundles.iter().map(|(name, it)| ActiveBundle {
            name: name.clone(),
            revision: it.manifest.revision.clone(),
            roots: it.manifest.roots.clone(),
        });
        self.fixed.iter().cloned().chain(changing).collect()
    }

    /// Parses and merges a bundle; what it is called among the others, and what its server calls its state, come along.
    ///
    /// # Errors
    /// Modules do not parse or lie outside of the roots, or data files contradict each other.
    pub fn prepare(&self, name: &str, etag: &str, bundle: Bundle) -> Result<ReadyBundle, BundleFault> {
        let content = if bundle.is_delta() {
            Content::Delta(bundle.patch)
        } else {
            Content::Whole { modules: self.modules(&bundle)?.into(), data: merged(&bundle)? }
        };
        let (name, etag) = (name.to_owned(), etag.to_owned());
        Ok(ReadyBundle { name, manifest: bundle.manifest, etag, content })
    }

    fn modules(&self, bundle: &Bundle) -> Result<Vec<ReadyModule>, BundleFault> {
        let mut modules = Vec::with_capacity(bundle.modules.len());
        for member in &bundle.modules {
            let version = bundle.manifest.version_of(&member.path).and_then(version_numbered);
            let parsed = self.base.parse_module(&member.name, &member.bytes, version);
            if !parsed.diagnostics.is_empty() {
                return Err(BundleFault::Rego(Faults::new(parsed.diagnostics)));
            }
            if let Some(module) = &parsed.tree {
                let shown = package_text(&module.package);
                let shown = shown.strip_prefix("package ").unwrap_or(&shown);
                bundle.manifest.check_package(&package_path(module), shown, module.source.name())?;
            }
            modules.push(ReadyModule { version, parsed });
        }
        Ok(modules)
    }

    /// Returns the policy that a bundle makes alone, with its own data and beside no other.
    ///
    /// # Errors
    /// Its modules do not fit together, or it is a delta.
    pub fn alone(&self, bundle: &ReadyBundle) -> Result<Policy, BundleFault> {
        let Content::Whole { modules, data } = &bundle.content else {
            return Err(BundleFault::Text("a delta bundle is nothing alone".to_owned()));
        };
        let mut engine = self.base.clone();
        for module in modules.iter() {
            engine.add_parsed(module.parsed.clone());
        }
        engine.compile_over(data.clone()).map_err(BundleFault::Rego)
    }

    /// Returns the step that all these changes together make. If no module changes, nothing is compiled.
    ///
    /// # Errors
    /// Roots of bundles overlap, or the modules do not fit together.
    pub fn after(&self, changes: &[BundleChange]) -> Result<Step, BundleFault> {
        let mut next = self.clone();
        let mut is_compiled = false;
        let mut cleared: Vec<Roots> = Vec::new();
        for change in changes {
            let before = next.bundles.remove(change.name());
            let active = match change {
                BundleChange::Activate(bundle) => Some(bundle.following(before.as_ref())?),
                BundleChange::Deactivate(_) => None,
            };
            let modules = |it: &Option<Active>| it.as_ref().map(|it| Arc::clone(&it.modules));
            let (old, new) = (modules(&before).unwrap_or_default(), modules(&active).unwrap_or_default());
            is_compiled |= !same_modules(&old, &new);
            if !matches!(change, BundleChange::Activate(it) if it.is_delta()) {
                cleared.extend(before.iter().chain(&active).map(|it| it.manifest.roots.clone()));
            }
            if let Some(active) = active {
                next.bundles.insert(change.name().to_owned(), active);
            }
        }
        next.check_overlap()?;
        is_compiled |= next.drop_modules_below(&cleared);
        let policy = if is_compiled { Some(next.compile()?) } else { None };
        Ok(Step { next, changes: changes.to_vec(), cleared, policy })
    }

    fn check_overlap(&self) -> Result<(), BundleFault> {
        let active = self.active();
        let list: Vec<(&str, &Roots)> = active.iter().map(|it| (it.name.as_str(), &it.roots)).collect();
        Ok(check_overlap(&list)?)
    }

    /// What a bundle owns is the bundle's alone: modules of none that are below its roots go. Says whether any did.
    fn drop_modules_below(&mut self, cleared: &[Roots]) -> bool {
        let is_below = |it: &Module| cleared.iter().any(|roots| roots.contain(&package_path(it)));
        let is_any = self.base.modules().iter().any(is_below);
        if is_any {
            self.base.retain_modules(|it| !is_below(it));
        }
        is_any
    }

    fn compile(&self) -> Result<Policy, BundleFault> {
        let mut engine = self.base.clone();
        for module in self.bundles.values().flat_map(|it| it.modules.iter()) {
            engine.add_parsed(module.parsed.clone());
        }
        engine.compile_over(Document::empty_object()).map_err(BundleFault::Rego)
    }
}

/// Is a change of a composition that was compiled and not yet taken.
#[derive(Debug)]
pub struct Step {
    next: Composition,
    changes: Vec<BundleChange>,
    cleared: Vec<Roots>,
    /// Without data; none if the modules are as before.
    policy: Option<Policy>,
}

impl Step {
    /// Returns the composition behind it.
    #[must_use]
    pub fn composition(&self) -> &Composition {
        &self.next
    }

    /// Ends it and returns the composition behind it.
    #[must_use]
    pub fn into_composition(self) -> Composition {
        self.next
    }

    /// Returns the policy to go on with, without its data; none if the present one stays.
    #[must_use]
    pub fn policy(&self) -> Option<&Policy> {
        self.policy.as_ref()
    }

    /// Returns data with the changes: what was at old and new roots gives way, what is outside of them stays. Nothing
    /// is copied.
    ///
    /// # Errors
    /// Something above a root is no object.
    pub fn data(&self, present: &Snapshot) -> Result<Snapshot, BundleFault> {
        let mut data = present.clone();
        for root in self.cleared.iter().flat_map(Roots::as_slice) {
            data = without(&data, &keys(root))?;
        }
        for change in &self.changes {
            data = without(&data, &place(change.name()))?;
            if let BundleChange::Activate(bundle) = change {
                data = with(&data, bundle)?;
            }
        }
        Ok(data)
    }
}

/// Where policies find what is known of a bundle.
fn place(name: &str) -> Vec<String> {
    ["system", "bundles", name].map(str::to_owned).to_vec()
}

fn keys(root: &str) -> Vec<String> {
    root.split('/').filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

fn without(data: &Snapshot, path: &[String]) -> Result<Snapshot, BundleFault> {
    if path.is_empty() {
        return Ok(Snapshot::empty());
    }
    match data.write(&Write { path: path.to_vec(), operation: Operation::Remove }) {
        Err(error) if error.kind() == WriteErrorKind::NotFound => Ok(data.clone()),
        done => Ok(done?),
    }
}

fn with(data: &Snapshot, bundle: &ReadyBundle) -> Result<Snapshot, BundleFault> {
    let data = match &bundle.content {
        Content::Whole { data: own, .. } => with_roots(data, own, &bundle.manifest.roots)?,
        Content::Delta(operations) => {
            let patches = operations.iter().map(|PatchOperation { operation, path, value }| Patch {
                operation,
                path,
                value,
            });
            data.apply_delta(patches)?
        }
    };
    Ok(data.put(&place(&bundle.name), known(bundle))?)
}

fn with_roots(data: &Snapshot, own: &Document, roots: &Roots) -> Result<Snapshot, BundleFault> {
    let mut data = data.clone();
    for root in roots.as_slice() {
        let path = keys(root);
        let names: Vec<&str> = path.iter().map(String::as_str).collect();
        if let Some(document) = own.below(&names) {
            data = data.put(&path, document)?;
        }
    }
    Ok(data)
}

/// Returns what policies see of a bundle in `data.system.bundles`.
fn known(bundle: &ReadyBundle) -> Document {
    let mut builder = DocumentBuilder::new();
    let manifest = builder.copy(bundle.manifest.document().root());
    let pairs =
        [(builder.string("etag"), builder.string(&bundle.etag)), (builder.string("manifest"), manifest)];
    let whole = builder.object(&pairs);
    builder.finish(whole)
}

/// Merges the data files of a bundle.
pub(crate) fn merged(bundle: &Bundle) -> Result<Document, BundleFault> {
    let mut all = BaseData::new();
    for file in &bundle.data {
        let names: Vec<&str> = file.path.iter().map(String::as_str).collect();
        all.add(&names, file.document.clone()).map_err(|error| match error.kind() {
            DataErrorKind::RootNotObject => BundleError::root_not_object(&file.member),
            _ => BundleError::data_conflict(&file.member, &file.path),
        })?;
    }
    let whole = all.snapshot().map_err(|error| BundleFault::Text(error.to_string()))?;
    Ok(whole.document().clone())
}

fn package_path(module: &Module) -> Vec<&str> {
    module.package.path.iter().filter_map(|it| it.as_str()).collect()
}

fn version_numbered(number: u8) -> Option<RegoVersion> {
    match number {
        0 => Some(RegoVersion::V0),
        1 => Some(RegoVersion::V1),
        2 => Some(RegoVersion::V2),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use lictor_bundle::{DataFile, Member};
    use lictor_value::json::read_document;

    use super::*;
    use crate::{Options, document_of_yaml};

    fn bundle(manifest: &str, modules: &[(&str, &str)], data: &[(&str, &str)]) -> Bundle {
        let member = |it: &(&str, &str)| Member {
            path: it.0.to_owned(),
            name: it.0.to_owned(),
            bytes: it.1.as_bytes().to_vec(),
        };
        let file = |it: &(&str, &str)| DataFile {
            member: format!("{}/data.json", it.0),
            path: keys(it.0),
            document: read_document(it.1.as_bytes()).expect("JSON"),
        };
        Bundle {
            manifest: Manifest::read(manifest.as_bytes()).expect("a manifest"),
            modules: modules.iter().map(member).collect(),
            data: data.iter().map(file).collect(),
            ..Bundle::default()
        }
    }

    /// A composition that takes its steps.
    struct World {
        composition: Composition,
        policy: Policy,
    }

    impl World {
        fn new(data: &str, modules: &[(&str, &str)]) -> Self {
            let mut engine = Engine::new(Options::default());
            let document = document_of_yaml(data.as_bytes()).expect("YAML");
            engine.add_data(&[], &document).expect("data");
            for (name, text) in modules {
                engine.add_module(name, text.as_bytes(), None);
            }
            let policy = engine.compile().expect("a policy");
            Self { composition: Composition::new(engine, Vec::new()), policy }
        }

        fn take(&mut self, changes: &[BundleChange]) -> Result<bool, BundleFault> {
            let step = self.composition.after(changes)?;
            let data = step.data(&Snapshot::new(self.policy.document()))?;
            let is_compiled = step.policy().is_some();
            let policy = step.policy().unwrap_or(&self.policy).with_data(data.document().clone());
            self.policy = policy;
            self.composition = step.into_composition();
            Ok(is_compiled)
        }

        fn activate(&mut self, list: Vec<(&str, Bundle)>) -> Result<bool, BundleFault> {
            let ready = |(name, bundle): (&str, Bundle)| self.composition.prepare(name, "e1", bundle);
            let ready: Vec<ReadyBundle> = list.into_iter().map(ready).collect::<Result<_, _>>()?;
            let changes: Vec<_> = ready.into_iter().map(|it| BundleChange::Activate(Arc::new(it))).collect();
            self.take(&changes)
        }

        fn data(&self) -> String {
            self.policy.data().to_json()
        }
    }

    const KNOWN: &str = r#"{"etag":"e1","manifest":{"revision":"","roots":["a"]}}"#;

    #[test]
    fn data_of_a_bundle_gives_way_and_other_data_stays() {
        let mut world = World::new("{a: {old: 1}, other: 1}", &[]);
        let roots = r#"{"roots": ["a"]}"#;
        let compiled = world.activate(vec![("x", bundle(roots, &[], &[("", r#"{"a": {"n": 1}}"#)]))]);
        assert!(!compiled.expect("fits"), "nothing to compile");
        assert_eq!(
            world.data(),
            format!(r#"{{"a":{{"n":1}},"other":1,"system":{{"bundles":{{"x":{KNOWN}}}}}}}"#)
        );
        world
            .activate(vec![("x", bundle(roots, &[], &[("a/b", "2"), ("a/c", r#"{"d": 3}"#)]))])
            .expect("fits");
        assert!(world.data().starts_with(r#"{"a":{"b":2,"c":{"d":3}},"other":1,"#), "{}", world.data());
        // Files that meet are merged.
        let files = [("a", r#"{"b": {"x": 1}}"#), ("a/b", r#"{"y": 2}"#)];
        world.activate(vec![("x", bundle(roots, &[], &files))]).expect("fits");
        assert!(world.data().starts_with(r#"{"a":{"b":{"x":1,"y":2}},"other":1,"#), "{}", world.data());
        // Old roots are cleared as well as new ones.
        world
            .activate(vec![("x", bundle(r#"{"roots": ["b"]}"#, &[], &[("b", r#"{"x": 1}"#)]))])
            .expect("fits");
        assert!(world.data().starts_with(r#"{"b":{"x":1},"other":1,"#), "{}", world.data());
        world.take(&[BundleChange::Deactivate("x".to_owned())]).expect("fits");
        assert_eq!(world.data(), r#"{"other":1,"system":{"bundles":{}}}"#);
    }

    #[test]
    fn deltas_change_data_and_keep_modules() {
        let mut world = World::new("{}", &[]);
        let roots = r#"{"roots": ["a"]}"#;
        let whole = bundle(roots, &[("p.rego", "package a\nq := data.a.n")], &[("a", r#"{"n": 1}"#)]);
        world.activate(vec![("x", whole)]).expect("fits");
        let delta = |manifest: &str, operation: &str, path: &str| Bundle {
            patch: vec![PatchOperation {
                operation: operation.to_owned(),
                path: path.to_owned(),
                value: read_document(b"2").expect("JSON"),
            }],
            ..bundle(manifest, &[], &[])
        };
        let next = delta(r#"{"roots": ["a"], "revision": "r2"}"#, "upsert", "a/m/k");
        assert!(!world.activate(vec![("x", next)]).expect("fits"), "nothing to compile");
        assert!(world.data().starts_with(r#"{"a":{"m":{"k":2},"n":1},"system":"#), "{}", world.data());
        assert!(world.policy.has_rules(&["a", "q"]));
        assert_eq!(world.composition.active()[0].revision, "r2");
        for (delta, part) in [
            (
                delta(r#"{"roots": ["b"]}"#, "upsert", "b/x"),
                "roots that are different from those in the store",
            ),
            (delta(roots, "remove", "a/z"), "storage_not_found_error"),
        ] {
            let before = world.data();
            let fault = world.activate(vec![("x", delta)]).expect_err(part);
            assert!(fault.to_string().contains(part), "{fault}");
            assert_eq!(world.data(), before);
        }
    }

    #[test]
    fn a_bundle_that_owns_everything_replaces_everything() {
        let mut world = World::new("{a: 1}", &[("base.rego", "package base\np := 1")]);
        world.activate(vec![("x", bundle("{}", &[], &[("", r#"{"n": 1}"#)]))]).expect("fits");
        assert!(world.data().starts_with(r#"{"n":1,"system":"#), "{}", world.data());
        assert!(!world.policy.has_rules(&["base", "p"]), "modules below its root go");
    }

    #[test]
    fn bundles_that_need_each_other_are_compiled_together() {
        let mut world = World::new("{}", &[("base.rego", "package base\np := 1")]);
        let one = || bundle(r#"{"roots": ["a"]}"#, &[("p.rego", "package a\nq := data.b.f(1)")], &[]);
        let two = || bundle(r#"{"roots": ["b"]}"#, &[("p.rego", "package b\nf(x) := x")], &[]);
        let fault = world.activate(vec![("one", one())]).expect_err("no such function");
        assert!(fault.to_string().contains("undefined function data.b.f"), "{fault}");
        assert!(world.activate(vec![("one", one()), ("two", two())]).expect("fits"));
        assert!(world.policy.has_rules(&["a", "q"]) && world.policy.has_rules(&["base", "p"]));
        assert!(!world.activate(vec![("two", two())]).expect("fits"), "the same modules");
        let fault = world.take(&[BundleChange::Deactivate("two".to_owned())]).expect_err("still called");
        assert!(fault.to_string().contains("undefined function data.b.f"), "{fault}");
    }

    #[test]
    fn what_cannot_be_active_is_named() {
        let mut world = World::new("{a: 1}", &[]);
        let fault = |it: Result<bool, BundleFault>| it.expect_err("a fault").to_string();
        let of = |roots: &str, module: &str, data: &[(&str, &str)]| {
            let modules: &[(&str, &str)] = if module.is_empty() { &[] } else { &[("p.rego", module)] };
            bundle(&format!(r#"{{"roots": [{roots}]}}"#), modules, data)
        };
        assert_eq!(
            fault(world.activate(vec![("x", of(r#""b""#, "package c", &[]))])),
            "manifest roots [b] do not permit 'package c' in module 'p.rego'"
        );
        let files = [("b", r#"{"x": 1}"#), ("b/x", "2")];
        assert_eq!(
            fault(world.activate(vec![("x", of(r#""b""#, "", &files))])),
            "bundle load failed on b/x/data.json: failed to insert data file from path b/x"
        );
        assert!(
            fault(world.activate(vec![("x", of(r#""b""#, "package b\np {", &[]))])).contains("parse_error")
        );
        let below = of(r#""a/b""#, "", &[("a/b", "1")]);
        assert_eq!(fault(world.activate(vec![("x", below)])), "storage_write_conflict_error: /a");
        world.activate(vec![("x", of(r#""a""#, "", &[]))]).expect("fits");
        assert_eq!(
            fault(world.activate(vec![("y", of(r#""a/b""#, "", &[]))])),
            "detected overlapping roots in manifests for these bundles: [x, y] (a overlaps a/b)"
        );
    }
}
