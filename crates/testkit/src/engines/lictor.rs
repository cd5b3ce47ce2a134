//! The product: modules in, solutions out, through its public face.
//!
//! With the passes and without, since both must answer alike. Everything but the working memory is made
//! anew for each case, as a user would.

use std::sync::Arc;

use lictor::{CustomBuiltin, Engine as Builder, Input, Options, QueryOptions, RegoVersion, Session};

use super::{Clock, vm};
use crate::conformance::case::{CompileCase, EvalCase, Fault, ParseCase, Version};
use crate::conformance::format::{self, FormatCase};
use crate::conformance::{Engine, Outcome, Parsed};

/// Runs cases on the VM, from source.
pub(super) struct LictorEngine {
    session: Session,
    options: Options,
}

impl LictorEngine {
    fn decide(&mut self, case: &EvalCase) -> Result<Outcome, String> {
        let options = Options { strict_builtin_errors: case.strict_errors, ..self.options.clone() };
        let mut builder = Builder::new(options);
        let sleep = CustomBuiltin::new("test.sleep", "str -> null", |_, _| Ok(Some(lictor::Value::NULL)));
        let sleep = CustomBuiltin { impure: true, ..sleep };
        builder.add_builtin(sleep).map_err(|err| err.to_string())?;
        add_modules(&mut builder, &case.modules, case.version);
        if let Some(data) = &case.data {
            builder.add_data(&[], &vm::document(data)).map_err(|err| err.to_string())?;
        }
        let policy = builder.compile().map_err(|err| err.to_string())?;
        let query = policy.bindings(&case.query, &QueryOptions::default()).map_err(|err| err.to_string())?;
        let input = vm::input(case)?;
        let input = input.as_ref().map_or(Input::Undefined, |it| Input::Value(it.root()));
        let outcome = query.decide(&mut self.session, input, vm::solutions);
        Ok(outcome.unwrap_or_else(|err| vm::error(&err)))
    }
}

fn add_modules(builder: &mut Builder, modules: &[String], version: Version) {
    for (index, module) in modules.iter().enumerate() {
        let name = format!("test-{index}.rego");
        builder.add_module(&name, module.as_bytes(), Some(rego_version(version)));
    }
}

/// Returns the product's name of a version.
pub(super) fn rego_version(version: Version) -> RegoVersion {
    match version {
        Version::V0 => RegoVersion::V0,
        Version::V0CompatV1 | Version::V1 => RegoVersion::V1,
    }
}

impl Engine for LictorEngine {
    fn eval(&mut self, case: &EvalCase) -> Outcome {
        self.decide(case).unwrap_or_else(Outcome::Refused)
    }

    fn compile(&mut self, case: &CompileCase) -> Vec<Fault> {
        let options =
            Options { strict: case.strict, print: case.keep_print, error_limit: 0, ..self.options.clone() };
        let mut builder = Builder::new(options);
        add_modules(&mut builder, &case.modules, case.version);
        let Err(faults) = builder.compile() else { return Vec::new() };
        faults.diagnostics().iter().map(fault).collect()
    }

    fn parse(&mut self, case: &ParseCase, version: Version) -> Parsed {
        let version = rego_version(version);
        let options = lictor_syntax::ParseOptions { version, ..Default::default() };
        let parsed = lictor_syntax::parse_statements(&case.source, &options);
        let tree = parsed.tree.filter(|_| parsed.diagnostics.is_empty());
        Parsed {
            faults: parsed.diagnostics.iter().take(1).map(fault).collect(),
            statements: tree.as_ref().map(Vec::len),
            printed: tree.map(|it| {
                it.iter().map(|it| lictor_syntax::printer::statement_text(it, RegoVersion::V1)).collect()
            }),
        }
    }

    fn format(&mut self, case: &FormatCase) -> Result<String, String> {
        let options = lictor_syntax::format::FormatOptions {
            parse_version: format_version(case.from),
            version_min: format_version(case.from),
            version_max: format_version(case.to),
            drop_imports: false,
            templates: None,
            keywords_in_refs: case.keywords_in_refs,
        };
        let formatted = lictor_syntax::format::format_source(&case.name, &case.source, &options);
        formatted.map_err(|err| err.to_string())
    }

    fn builtins(&self) -> Option<Vec<String>> {
        Some(lictor_runtime::builtins::table().iter().map(|it| it.name.to_owned()).collect())
    }
}

fn format_version(version: format::Version) -> RegoVersion {
    match version {
        format::Version::V0 => RegoVersion::V0,
        format::Version::V1 => RegoVersion::V1,
        format::Version::V2 => RegoVersion::V2,
    }
}

fn fault(diagnostic: &lictor::Diagnostic) -> Fault {
    Fault {
        module: diagnostic.location.as_ref().map_or_else(String::new, |it| it.file.to_string()),
        code: diagnostic.code.to_owned(),
        row: i64::from(diagnostic.row()),
        col: i64::from(diagnostic.col()),
        message: diagnostic.message.clone(),
    }
}

/// Makes the engine; `plain` runs the plan as it was lowered.
pub(super) fn maker(plain: bool) -> crate::conformance::run::Maker {
    Arc::new(move || {
        let session = Session::new(Arc::new(Clock));
        let mut engine = LictorEngine { session, options: Options::default() };
        if plain {
            engine.options.passes = lictor::Passes::NONE;
        }
        Box::new(engine)
    })
}
