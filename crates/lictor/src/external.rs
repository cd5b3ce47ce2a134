//! Mounting: parts of `data` that a provider of the embedder keeps.
//!
//! Apart because what may stand beside a mounted path is decided here: nothing. Rules and base documents at, above or
//! below it are refused, since nobody could say which of them a reference means. Asking is `lictor_runtime`'s.

use std::sync::Arc;

use lictor_plan::external::MountedPath;
use lictor_plan::{Lowering, Plan};
use lictor_runtime::{ExternalLimits, Mount, Provider};
use lictor_syntax::Diagnostic;
use lictor_syntax::ast::{Module, Rule};
use lictor_syntax::diagnostics::codes;
use lictor_value::Value;

use crate::build::Capabilities;
use crate::conflicts::claims;
use crate::engine::Engine;
use crate::faults::Faults;

/// Paths below which a policy may have documents that somebody else keeps.
const MOUNTS_MAX: usize = 64;
/// The name below `data` that holds the host's own documents.
const SYSTEM: &str = "system";

/// Why a path cannot be mounted.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct MountError {
    message: String,
}

impl Engine {
    /// Lets a provider keep what is below a path of `data`, as if it were base data: `data.ext.users[id].name` asks
    /// the provider of `ext` for `users`, `id` (if two keys name a document) and looks `name` up in what it gets.
    ///
    /// A document is asked for once a decision, and those of a loop together. A key that is not known when it is
    /// needed runs over what the provider lists. Whatever goes wrong (no answer, a limit, a provider that cannot list)
    /// ends the decision as an error. What rules read this way is in [`crate::ReadSet::external`], and such a query may
    /// block ([`crate::Query::may_block`]). `with` can replace the mounted path as a whole, or what holds it.
    ///
    /// ```
    /// use lictor::{Document, Engine, ExternalLimits, Input, Options, Provider, ProviderError, Session, json};
    ///
    /// struct Users;
    ///
    /// impl Provider for Users {
    ///     fn fetch(
    ///         &self,
    ///         wanted: &[Vec<String>],
    ///         _ended: &dyn Fn() -> bool,
    ///     ) -> Result<Vec<Option<Document>>, ProviderError> {
    ///         let read = |text: &str| json::read_document(text.as_bytes()).ok();
    ///         Ok(wanted.iter().map(|it| if it[0] == "ann" { read(r#"{"admin": true}"#) } else { None }).collect())
    ///     }
    /// }
    ///
    /// let mut engine = Engine::new(Options::default());
    /// engine.mount(&["ext", "users"], std::sync::Arc::new(Users), ExternalLimits::default())?;
    /// engine.add_module("p.rego", b"package p\nallow if data.ext.users[input.user].admin", None);
    /// let query = engine.compile()?.prepare("data.p.allow")?;
    ///
    /// let mut answer = Vec::new();
    /// query.decide_json(&mut Session::default(), Input::Json(br#"{"user": "ann"}"#), &mut answer)?;
    /// assert_eq!(answer, b"true");
    /// # Ok::<(), Box<dyn std::error::Error>>(())
    /// ```
    ///
    /// # Errors
    /// The path is empty or below `system`, or lies above or below one that is mounted, or there are too many.
    pub fn mount(
        &mut self,
        path: &[&str],
        provider: Arc<dyn Provider>,
        limits: ExternalLimits,
    ) -> Result<(), MountError> {
        let refuse = |message: String| Err(MountError { message });
        let path: Vec<String> = path.iter().map(|it| (*it).to_owned()).collect();
        if path.is_empty() || path.first().is_some_and(|it| it == SYSTEM) {
            return refuse(format!("`{}` cannot be mounted", reference(&path)));
        }
        let mounts = self.capabilities().mounts();
        if let Some(other) = mounts.iter().find(|it| meet(&it.path, &path)) {
            let (path, other) = (reference(&path), reference(&other.path));
            return refuse(format!("`{path}` cannot be mounted beside `{other}`"));
        }
        if mounts.len() >= MOUNTS_MAX {
            return refuse(format!("{} paths mounted, limit is {MOUNTS_MAX}", mounts.len() + 1));
        }
        let mount = Mount { path, provider, limits };
        let mounts = mounts.iter().cloned().chain([mount]).collect();
        self.set_mounts(mounts);
        Ok(())
    }
}

/// Says whether one path leads to or through the other.
fn meet(a: &[String], b: &[String]) -> bool {
    a.iter().zip(b).all(|(a, b)| a == b)
}

/// Returns a path as Rego writes it.
fn reference(path: &[String]) -> String {
    path.iter().fold("data".to_owned(), |out, key| {
        if lictor_syntax::printer::is_plain_key(key) {
            return format!("{out}.{key}");
        }
        let mut quoted = Vec::new();
        lictor_value::write_string(key, &mut quoted, false);
        format!("{out}[{}]", String::from_utf8_lossy(&quoted))
    })
}

/// Returns what lowering must know of mounted paths.
pub(crate) fn mounted(capabilities: &Capabilities) -> Vec<MountedPath> {
    let mounts = capabilities.mounts().iter();
    mounts.map(|it| MountedPath { path: it.path.clone(), keys: it.provider.keys() }).collect()
}

/// Returns a fault for each rule that stands at, above or below a mounted path.
pub(crate) fn rule_conflicts<'m>(
    capabilities: &Capabilities,
    modules: impl IntoIterator<Item = &'m Module>,
) -> Vec<Diagnostic> {
    let mut found = Vec::new();
    if capabilities.mounts().is_empty() {
        return found;
    }
    for module in modules {
        for rule in &module.rules {
            let path = names(module, rule);
            let meets = |it: &&Mount| it.path.iter().zip(&path).all(|(a, b)| a == b);
            if let Some(mount) = capabilities.mounts().iter().find(meets) {
                let message = format!("rule conflicts with external documents at {}", reference(&mount.path));
                let name = "rule-at-external";
                found.push(Diagnostic::new(codes::COMPILE, name, &module.source, rule.span, message));
            }
        }
    }
    found
}

/// Returns the keys of a rule up to the first that is no string.
fn names<'a>(module: &'a Module, rule: &'a Rule) -> Vec<&'a str> {
    let package = module.package.path.iter().map(|it| it.as_str());
    let head = &rule.head.reference;
    let own = [head.head.as_var()].into_iter().chain(head.parts.iter().map(|it| it.as_str()));
    package.chain(own).map_while(|it| it).collect()
}

/// Returns a fault for each mounted path at which base data has something, or above which it has no object.
pub(crate) fn data_conflicts(capabilities: &Capabilities, data: Value<'_>) -> Vec<Diagnostic> {
    let claimed = capabilities.mounts().iter().filter(|it| {
        let path: Vec<&str> = it.path.iter().map(String::as_str).collect();
        claims(data, &path)
    });
    let fault = |mount: &Mount| {
        let message =
            format!("base document conflicts with external documents at {}", reference(&mount.path));
        Diagnostic::unplaced(codes::COMPILE, "data-at-external", message)
    };
    claimed.map(fault).collect()
}

/// Ends lowering, and refuses a plan in which `with` replaces a part of a mounted path.
pub(crate) fn into_plan(lowering: Lowering) -> Result<Plan, Faults> {
    let fault = |path: &str| {
        let message = format!("with cannot replace a part of external documents; replace {path}");
        Diagnostic::unplaced(codes::COMPILE, "with-in-external", message)
    };
    let refused: Vec<Diagnostic> = lowering.partly_replaced().map(fault).collect();
    if refused.is_empty() { Ok(lowering.into_plan()) } else { Err(Faults::new(refused)) }
}
