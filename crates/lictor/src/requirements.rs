//! What modules need of whoever runs them: built-ins and features, as capability files list them.
//!
//! Apart because the list follows OPA's habits: built-ins are those that its type checker meets when the modules have
//! been rewritten, and those that rewriting took away. It needs no data and evaluates nothing.

use std::collections::BTreeSet;

use lictor_hir::tree::{Callee, Expr, ExprKind, Hir, Rule, Term, TermKind};
use lictor_plan::opa::declaration_json;
use lictor_syntax::ast::{self, InfixOp, Module, RegoVersion};
use lictor_syntax::visit::walk_expr;

use crate::build::{self, Capabilities};
use crate::capabilities::{INFIX, NONDETERMINISTIC};
use crate::engine::Engine;
use crate::faults::Faults;

/// The keywords that `import future.keywords` brings to modules of v0.
const FUTURE_KEYWORDS: [&str; 4] = ["contains", "every", "if", "in"];

/// What modules need.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Requirements {
    /// Each built-in as a JSON object, sorted by name.
    pub builtins: Vec<String>,
    /// Keywords that were imported, sorted.
    pub future_keywords: Vec<String>,
    /// Features of the language, sorted.
    pub features: Vec<String>,
}

impl Engine {
    /// Finds what the modules need. Calls of functions that nobody knows are no fault here, nor are unsafe variables of
    /// bodies: a module may be asked alone.
    ///
    /// # Errors
    /// The other faults of the modules.
    pub fn requirements(&self) -> Result<Requirements, Faults> {
        self.check_parsed()?;
        let modules = self.modules();
        let checked = build::check_known(self.shared_modules(), self.capabilities(), self.options())
            .map_err(Faults::new)?;
        let mut used = Used::default();
        used.hir(&checked.hir);
        for module in modules {
            used.module(module);
        }
        let capabilities = self.capabilities();
        let builtins = used.builtins.iter().filter_map(|it| builtin_json(it, capabilities)).collect();
        let (future_keywords, features) = (sorted(&used.keywords), sorted(&used.features));
        Ok(Requirements { builtins, future_keywords, features })
    }
}

fn sorted(names: &BTreeSet<&'static str>) -> Vec<String> {
    names.iter().map(|it| (*it).to_owned()).collect()
}

fn builtin_json(name: &str, capabilities: &Capabilities) -> Option<String> {
    let declaration = capabilities.declaration(name)?;
    let mut out = format!("{{\"name\":\"{name}\",\"decl\":{}", declaration_json(declaration));
    if let Some((_, infix)) = INFIX.iter().find(|it| it.0 == name) {
        let mut quoted = Vec::new();
        lictor_value::write_string(infix, &mut quoted, true);
        out.push_str(&format!(",\"infix\":{}", String::from_utf8_lossy(&quoted)));
    }
    if name == "walk" {
        out.push_str(",\"relation\":true");
    }
    if declaration.flags.deprecated {
        out.push_str(",\"deprecated\":true");
    }
    if NONDETERMINISTIC.contains(&name) {
        out.push_str(",\"nondeterministic\":true");
    }
    out.push('}');
    Some(out)
}

#[derive(Default)]
struct Used<'a> {
    builtins: BTreeSet<&'a str>,
    keywords: BTreeSet<&'static str>,
    features: BTreeSet<&'static str>,
}

impl<'a> Used<'a> {
    fn hir(&mut self, hir: &'a Hir) {
        for rule in &hir.rules {
            self.rule(rule);
        }
    }

    fn rule(&mut self, rule: &'a Rule) {
        self.terms(rule.keys.iter().chain(&rule.args).chain([&rule.value]));
        self.exprs(&rule.body);
        let mut branch = rule.else_branch.as_deref();
        while let Some(it) = branch {
            self.terms([&it.value]);
            self.exprs(&it.body);
            branch = it.else_branch.as_deref();
        }
    }

    fn exprs(&mut self, body: &'a [Expr]) {
        for expr in body {
            match &expr.kind {
                ExprKind::Call(call) => {
                    if let Callee::Builtin(name) = &call.callee {
                        self.builtins.insert(name);
                    }
                    self.terms(call.args.iter().chain(&call.output));
                }
                ExprKind::Unify(lhs, rhs) => {
                    self.builtins.insert("eq");
                    self.terms([lhs, rhs]);
                }
                ExprKind::Term(term) => self.terms([term]),
                ExprKind::Not(body) if expr.is_plain_not => self.exprs(body),
                // OPA does not look into these.
                ExprKind::Every(every) => self.terms([&every.domain]),
                ExprKind::Not(_) | ExprKind::And(..) | ExprKind::Or(..) => {}
            }
        }
    }

    fn terms(&mut self, terms: impl IntoIterator<Item = &'a Term>) {
        for term in terms {
            match &term.kind {
                TermKind::Array(items) | TermKind::Set(items) => self.terms(items),
                TermKind::Object(entries) => {
                    for (key, value) in entries {
                        self.terms([key, value]);
                    }
                }
                TermKind::ArrayCompr(compr) | TermKind::SetCompr(compr) => {
                    self.terms([&compr.term]);
                    self.exprs(&compr.body);
                }
                TermKind::ObjectCompr(compr) => {
                    self.terms([&compr.key, &compr.value]);
                    self.exprs(&compr.body);
                }
                _ => {}
            }
        }
    }

    /// Notes what lowering takes away.
    fn module(&mut self, module: &'a Module) {
        match module.version {
            RegoVersion::V0 => self.old_module(module),
            RegoVersion::V1 => {
                self.features.insert("rego_v1");
            }
            RegoVersion::V2 => {
                self.features.insert("rego_v2");
            }
        }
        for import in &module.imports {
            self.import(module, import);
        }
        for rule in &module.rules {
            let others = rule.else_branches.iter().filter_map(|it| it.body.as_ref());
            for body in rule.body.iter().chain(others) {
                self.written(body);
            }
        }
    }

    fn old_module(&mut self, module: &Module) {
        for rule in &module.rules {
            let parts = &rule.head.reference.parts;
            if parts.len() >= 2 {
                let dynamic = parts.iter().any(|it| it.as_str().is_none());
                self.features.insert(if dynamic {
                    "rule_head_refs"
                } else {
                    "rule_head_ref_string_prefixes"
                });
            }
        }
    }

    fn import(&mut self, module: &Module, import: &ast::Import) {
        let path: Vec<&str> = import.path_names().collect();
        match path.as_slice() {
            ["rego", "v1"] if module.version < RegoVersion::V1 => {
                self.features.insert("rego_v1_import");
            }
            ["rego", "v2"] if module.version < RegoVersion::V2 => {
                self.features.insert("rego_v2_import");
            }
            ["future", "keywords", rest @ ..] if module.version == RegoVersion::V0 => {
                let named = FUTURE_KEYWORDS.iter().filter(|it| rest.first().is_none_or(|name| name == *it));
                self.keywords.extend(named);
            }
            _ => {}
        }
    }

    fn written(&mut self, body: &'a [ast::Expr]) {
        self.statements(body);
        for expr in body {
            walk_expr(expr, &mut |term| {
                self.written_term(term);
                true
            });
        }
    }

    fn written_term(&mut self, term: &'a ast::Term) {
        match &term.kind {
            ast::TermKind::Call(call) => match &call.callee {
                ast::Callee::Infix(InfixOp::Equal, _) => {
                    self.builtins.insert("equal");
                }
                ast::Callee::Ref(name) if name.parts.is_empty() && name.head.as_var() == Some("print") => {
                    self.builtins.insert("print");
                }
                _ => {}
            },
            ast::TermKind::ArrayCompr(compr) | ast::TermKind::SetCompr(compr) => self.statements(&compr.body),
            ast::TermKind::ObjectCompr(compr) => self.statements(&compr.body),
            ast::TermKind::Template(_) => {
                self.builtins.insert("internal.template_string");
                self.features.insert("template_strings");
            }
            _ => {}
        }
    }

    /// Notes assignments among expressions, those in closures included.
    fn statements(&mut self, body: &'a [ast::Expr]) {
        for expr in body {
            match &expr.kind {
                ast::ExprKind::Assign(_) => {
                    self.builtins.insert("assign");
                }
                ast::ExprKind::Every(every) => self.statements(&every.body),
                ast::ExprKind::Not(operand) => self.statements(&operand.body),
                ast::ExprKind::And(both) | ast::ExprKind::Or(both) => {
                    self.statements(&both.lhs.body);
                    self.statements(&both.rhs.body);
                }
                _ => {}
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Engine, Options};

    #[test]
    fn built_ins_and_features_are_told() {
        let mut engine = Engine::new(Options::default());
        let text = "package p\nq if { x := input.a; x == 1; $\"{x}\" == \"a\" }\nr if input.b in {1}\n";
        engine.add_module("p.rego", text.as_bytes(), None);
        let found = engine.requirements().expect("fine");
        let name = |it: &String| it.split('"').nth(3).unwrap_or_default().to_owned();
        let names: Vec<String> = found.builtins.iter().map(name).collect();
        assert_eq!(names, ["assign", "eq", "equal", "internal.member_2", "internal.template_string"]);
        assert_eq!(found.features, ["rego_v1", "template_strings"]);
    }

    #[test]
    fn what_is_deprecated_says_so() {
        let mut engine = Engine::new(Options::default());
        engine.add_module("p.rego", b"package p\np { any([true]) }\n", Some(crate::RegoVersion::V0));
        let found = engine.requirements().expect("fine");
        assert!(found.builtins.iter().any(|it| it.ends_with(",\"deprecated\":true}")), "{found:?}");
    }
}
