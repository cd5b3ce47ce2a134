//! Where a policy is collected before it is compiled.
//!
//! The one mutable thing of the crate; what it compiles into never changes again. It reads bytes that it is given and
//! opens no files.

use std::sync::Arc;

use lictor_hir::types::DeclarationError;
use lictor_plan::passes::Passes;
use lictor_store::BaseData;
use lictor_syntax::ast::{Module, RegoVersion};
use lictor_syntax::diagnostics::codes;
use lictor_syntax::{Diagnostic, ParseOptions, parse_module_bytes};
use lictor_value::Document;
use lictor_vm::Limits;

use crate::build::{self, Capabilities, CustomBuiltin};
use crate::data::{self, DataError};
use crate::faults::Faults;
use crate::policy::Policy;

/// How modules are read and decisions are taken.
#[derive(Clone, Debug)]
pub struct Options {
    /// The version of modules that do not come with one.
    pub version: RegoVersion,
    /// Whether strict checks run.
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
}

impl Default for Options {
    fn default() -> Self {
        Self {
            version: RegoVersion::V1,
            strict: false,
            print: false,
            strict_builtin_errors: false,
            error_limit: 10,
            limits: Limits::default(),
            passes: Passes::ALL,
        }
    }
}

/// Parsed modules, shared with the policies made of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Modules {
    pub(crate) list: Vec<Module>,
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
        self.capabilities = Arc::new(Capabilities::with(custom)?);
        Ok(())
    }

    /// Parses a module and returns its faults, which [`Self::compile`] reports too.
    pub fn add_module(&mut self, name: &str, text: &[u8], version: Option<RegoVersion>) -> &[Diagnostic] {
        let options =
            ParseOptions { version: version.unwrap_or(self.options.version), ..ParseOptions::default() };
        let parsed = parse_module_bytes(name, text, &options);
        if parsed.diagnostics.is_empty() {
            Arc::make_mut(&mut self.modules).list.extend(parsed.tree);
        }
        let known = self.diagnostics.len();
        self.diagnostics.extend(parsed.diagnostics);
        self.diagnostics.get(known..).unwrap_or_default()
    }

    /// The modules that parsed.
    #[must_use]
    pub fn modules(&self) -> &[Module] {
        &self.modules.list
    }

    /// Puts a document at a path below `data`; objects that are there already are merged with it.
    ///
    /// # Errors
    /// When both sides have different things at one path, or the root is no object.
    pub fn add_data(&mut self, path: &[&str], document: &Document) -> Result<(), DataError> {
        Ok(self.data.add(path, document.clone())?)
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
        if !self.diagnostics.is_empty() {
            return Err(Faults::new(self.limited(self.diagnostics.clone())));
        }
        let hir = build::check(&self.modules.list, &self.capabilities, &self.options).map_err(Faults::new)?;
        let modules = Arc::clone(&self.modules);
        let data = self.data.snapshot().map_err(|err| {
            Faults::new(vec![Diagnostic::unplaced(codes::COMPILE, "data-key-not-string", err.to_string())])
        })?;
        Ok(Policy::new(
            Arc::new(hir),
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
