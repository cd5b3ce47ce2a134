//! Where a policy is collected before it is compiled.
//!
//! The one mutable thing of the crate; what it compiles into never changes again. It reads bytes that it is given and
//! opens no files.

use std::sync::Arc;

use lictor_hir::types::DeclarationError;
use lictor_hir::{Modules, Workers};
use lictor_plan::passes::Passes;
use lictor_runtime::Mount;
use lictor_store::{BaseData, Patch, WriteError};
use lictor_syntax::ast::{Module, RegoVersion};
use lictor_syntax::diagnostics::codes;
use lictor_syntax::{Diagnostic, ParseOptions, parse_module_bytes};
use lictor_value::Document;
use lictor_vm::Limits;

use crate::build::{self, Capabilities, Checked};
use crate::custom::CustomBuiltin;
use crate::data::{self, DataError};
use crate::external;
use crate::faults::Faults;
use crate::policy::Policy;
use crate::schemas::SchemaSet;

/// How modules are read and decisions are taken.
#[derive(Clone, Debug)]
pub struct Options {
    /// The version of modules that do not come with one.
    pub version: RegoVersion,
    /// A later version that those modules must do for as well.
    pub also: Option<RegoVersion>,
    /// Whether strict checks run on modules.
    pub strict: bool,
    /// Whether calls of `print` are kept.
    pub print: bool,
    /// Whether an error of a built-in ends the decision instead of being undefined.
    pub strict_builtin_errors: bool,
    /// How many faults are reported, 0 for all.
    pub error_limit: usize,
    /// The budget of a decision.
    pub limits: Limits,
    /// Which optimizations run.
    pub passes: Passes,
    /// Schemas that the type checker knows documents by.
    pub schemas: Arc<SchemaSet>,
    /// Built-ins that policies may not call.
    pub unsafe_builtins: Arc<[String]>,
    /// The hosts that built-ins may ask; all if absent.
    pub allow_net: Option<Arc<[String]>>,
    /// Who compiles modules; without them the caller does.
    pub workers: Option<Arc<dyn Workers>>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            version: RegoVersion::V1,
            also: None,
            strict: false,
            print: false,
            strict_builtin_errors: false,
            error_limit: 10,
            limits: Limits::default(),
            passes: Passes::ALL,
            schemas: Arc::default(),
            unsafe_builtins: Arc::default(),
            allow_net: None,
            workers: None,
        }
    }
}

/// A module that was parsed for an engine, which may not have it yet.
#[derive(Clone, Debug)]
pub struct ParsedModule {
    pub(crate) tree: Option<Module>,
    pub(crate) diagnostics: Vec<Diagnostic>,
}

/// Collects modules and data for a policy.
#[derive(Clone, Debug)]
pub struct Engine {
    options: Options,
    modules: Arc<Modules>,
    diagnostics: Vec<Diagnostic>,
    data: BaseData,
    capabilities: Arc<Capabilities>,
}

impl Engine {
    /// Returns an engine without modules and data.
    #[must_use]
    pub fn new(options: Options) -> Self {
        Self {
            options,
            modules: Arc::default(),
            diagnostics: Vec::new(),
            data: BaseData::new(),
            capabilities: Capabilities::standard(),
        }
    }

    /// Adds a built-in; one of the same name gives way.
    ///
    /// # Errors
    /// When the declaration is not in the notation.
    pub fn add_builtin(&mut self, builtin: CustomBuiltin) -> Result<(), DeclarationError> {
        let mut custom = self.capabilities.custom().to_vec();
        custom.push(builtin);
        let made = match self.capabilities.given() {
            Some(given) => Capabilities::of(given, custom)?,
            None => Capabilities::with(custom)?,
        };
        self.capabilities = Arc::new(made.mounting(Arc::clone(self.capabilities.mounts())));
        Ok(())
    }

    /// Sets what policies may use; what was added with [`Self::add_builtin`] stays.
    ///
    /// # Errors
    /// When the declaration of an added built-in is not in the notation, which was found before.
    pub fn set_capabilities(&mut self, given: &crate::Capabilities) -> Result<(), DeclarationError> {
        let custom = self.capabilities.custom().to_vec();
        let made = Capabilities::of(given, custom)?;
        self.capabilities = Arc::new(made.mounting(Arc::clone(self.capabilities.mounts())));
        self.options.allow_net = given.allow_net().map(Into::into);
        self.options.schemas = Arc::new(self.options.schemas.limited_to(given.allow_net()));
        Ok(())
    }

    /// Returns how texts of a version are parsed, by what policies may use.
    ///
    /// # Errors
    /// When the capabilities do not allow the version.
    pub fn parse_options(&self, version: RegoVersion) -> Result<ParseOptions, Faults> {
        self.capabilities.parse_options(version)
    }

    /// Parses a module and returns its faults, which [`Self::compile`] reports too.
    pub fn add_module(&mut self, name: &str, text: &[u8], version: Option<RegoVersion>) -> &[Diagnostic] {
        let parsed = self.parse_module(name, text, version);
        self.add_parsed(parsed)
    }

    /// Parses a module for [`Self::add_parsed`], so that threads can share the parsing of many modules.
    #[must_use]
    pub fn parse_module(&self, name: &str, text: &[u8], version: Option<RegoVersion>) -> ParsedModule {
        let options = match self.parse_options(version.unwrap_or(self.options.version)) {
            Ok(options) if version.is_none() => ParseOptions { also: self.options.also, ..options },
            Ok(options) => options,
            Err(fault) => {
                return ParsedModule { tree: None, diagnostics: fault.diagnostics().to_vec() };
            }
        };
        let parsed = parse_module_bytes(name, text, &options);
        let tree = parsed.tree.filter(|_| parsed.diagnostics.is_empty());
        ParsedModule { tree, diagnostics: parsed.diagnostics }
    }

    /// Adds a module that [`Self::parse_module`] parsed, and returns its faults as [`Self::add_module`] does.
    pub fn add_parsed(&mut self, parsed: ParsedModule) -> &[Diagnostic] {
        if let Some(module) = parsed.tree {
            // Rules of one document are tried in the order of their modules' names, as OPA does.
            let list = Arc::make_mut(&mut self.modules);
            let name = module.source.name();
            let place = list.partition_point(|it| it.source.name() <= name);
            list.insert(place, module);
        }
        let known = self.diagnostics.len();
        self.diagnostics.extend(parsed.diagnostics);
        self.diagnostics.get(known..).unwrap_or_default()
    }

    /// Returns the module of a name, if one was added and parsed; the last of several.
    #[must_use]
    pub fn module(&self, name: &str) -> Option<&Module> {
        let behind = self.modules.partition_point(|it| **it.source.name() <= *name);
        let module = self.modules.get(behind.checked_sub(1)?)?;
        (**module.source.name() == *name).then_some(module)
    }

    /// Returns the modules that parsed, in the order of their names.
    #[must_use]
    pub fn modules(&self) -> &[Module] {
        &self.modules
    }

    /// Puts a document at a path below `data`; objects that are there already are merged with it.
    ///
    /// # Errors
    /// When both sides have different things at one path, or the root is no object.
    pub fn add_data(&mut self, path: &[&str], document: &Document) -> Result<(), DataError> {
        Ok(self.data.add(path, document.clone())?)
    }

    /// Takes away the document at a path below `data`, as a bundle does with what its roots own.
    pub fn remove_data(&mut self, path: &[&str]) {
        self.data.remove(path);
    }

    /// Does the operations of a delta bundle to the data that is there, all or nothing.
    ///
    /// # Errors
    /// One of them cannot be done; see [`crate::Snapshot::apply_delta`].
    pub fn apply_delta<'p>(&mut self, delta: impl IntoIterator<Item = Patch<'p>>) -> Result<(), WriteError> {
        self.data.apply_delta(delta)
    }

    /// Reads JSON and puts it at a path; the name is for messages.
    ///
    /// # Errors
    /// When it is no JSON; else as [`Self::add_data`].
    pub fn add_data_json(&mut self, path: &[&str], name: &str, bytes: &[u8]) -> Result<(), DataError> {
        self.add_data(path, &data::read_json(name, bytes)?)
    }

    /// Reads YAML and puts it at a path; the name is for messages.
    ///
    /// # Errors
    /// When it is no YAML; else as [`Self::add_data`].
    pub fn add_data_yaml(&mut self, path: &[&str], name: &str, bytes: &[u8]) -> Result<(), DataError> {
        self.add_data(path, &data::read_yaml(name, bytes)?)
    }

    /// Compiles everything into a policy.
    ///
    /// # Errors
    /// The faults of the modules, all stages together as OPA reports them.
    pub fn compile(&self) -> Result<Policy, Faults> {
        self.check_parsed()?;
        let checked = build::check(&self.modules, &self.capabilities, &self.options).map_err(Faults::new)?;
        self.policy_of(checked, Arc::clone(&self.modules))
    }

    /// Compiles the modules into a policy over a document, which stands in the place of the engine's data.
    ///
    /// # Errors
    /// As [`Self::compile`].
    pub fn compile_over(&self, data: Document) -> Result<Policy, Faults> {
        self.check_parsed()?;
        let checked = build::check(&self.modules, &self.capabilities, &self.options).map_err(Faults::new)?;
        let capabilities = Arc::clone(&self.capabilities);
        Ok(Policy::new(checked, Arc::clone(&self.modules), data, capabilities, self.options.clone()))
    }

    /// Leaves out the modules that `keep` does not want.
    pub fn retain_modules(&mut self, keep: impl FnMut(&Module) -> bool) {
        Arc::make_mut(&mut self.modules).retain(keep);
    }

    /// Forgets the data, which a policy that was compiled keeps.
    pub fn clear_data(&mut self) {
        self.data = BaseData::new();
    }

    /// Refuses to go on with modules that did not parse, or that have rules where external documents are.
    pub(crate) fn check_parsed(&self) -> Result<(), Faults> {
        if self.diagnostics.is_empty() {
            let conflicts = external::rule_conflicts(&self.capabilities, self.modules.iter());
            return if conflicts.is_empty() { Ok(()) } else { Err(Faults::new(self.limited(conflicts))) };
        }
        Err(Faults::new(self.limited(self.diagnostics.clone())))
    }

    pub(crate) fn shared_modules(&self) -> &Arc<Modules> {
        &self.modules
    }

    pub(crate) fn capabilities(&self) -> &Capabilities {
        &self.capabilities
    }

    pub(crate) fn set_mounts(&mut self, mounts: Arc<[Mount]>) {
        self.capabilities = Arc::new(Capabilities::clone(&self.capabilities).mounting(mounts));
    }

    pub(crate) fn options(&self) -> &Options {
        &self.options
    }

    /// Makes a policy of modules that were checked.
    pub(crate) fn policy_of(&self, checked: Checked, modules: Arc<Modules>) -> Result<Policy, Faults> {
        let data = self.data.snapshot().map_err(|err| {
            Faults::new(vec![Diagnostic::unplaced(codes::COMPILE, "data-key-not-string", err.to_string())])
        })?;
        let conflicts = external::data_conflicts(&self.capabilities, data.root());
        if !conflicts.is_empty() {
            return Err(Faults::new(conflicts));
        }
        Ok(Policy::new(
            checked,
            modules,
            data.document().clone(),
            Arc::clone(&self.capabilities),
            self.options.clone(),
        ))
    }

    fn limited(&self, mut diagnostics: Vec<Diagnostic>) -> Vec<Diagnostic> {
        if self.options.error_limit > 0 {
            diagnostics.truncate(self.options.error_limit);
        }
        diagnostics
    }
}
