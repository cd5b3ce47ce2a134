//! What a newer version refuses, for modules that are to be written for it.
//!
//! What the formatter itself brings in line (`if`, `contains`, bodies) is not looked at. It only
//! reads the shape and lays nothing out.

use crate::{
    ast::{self, RegoVersion},
    builtin_names::is_deprecated,
    diagnostics::{Diagnostic, codes},
    format::{FormatOptions, refs::ref_name},
    printer::import_text,
    shape::{
        Expr, Module, Place, Rule, Term, Value,
        visit::{Node, walk_rule, walk_terms},
    },
    source::Span,
    tokens::{is_v1_keyword, is_v2_keyword},
};

/// Returns what keeps a module from being written for the versions asked for.
pub(crate) fn check(module: &ast::Module, shaped: &Module<'_>, options: &FormatOptions) -> Vec<Diagnostic> {
    let mut found = Found { module, list: Vec::new() };
    if options.version_max == RegoVersion::V0 {
        return found.list;
    }
    found.duplicate_imports();
    for rule in &shaped.rules {
        found.root_documents(rule);
    }
    for rule in &shaped.rules {
        walk_rule(rule, &mut |node| {
            if let Node::Expr(expr) = node {
                found.root_variable(expr);
            }
            true
        });
    }
    for rule in &shaped.rules {
        found.deprecated_of_rule(rule);
    }
    for rule in &shaped.rules {
        found.keyword_name(rule, is_v1_keyword);
    }
    if options.version_max == RegoVersion::V2 {
        for rule in &shaped.rules {
            found.keyword_name(rule, is_v2_keyword);
            found.keyword_variables(rule);
        }
    }
    found.list
}

struct Found<'m> {
    module: &'m ast::Module,
    list: Vec<Diagnostic>,
}

fn is_root(name: &str) -> bool {
    matches!(name, "input" | "data")
}

impl Found<'_> {
    fn add(&mut self, code: &'static str, name: &'static str, place: Place, message: String) {
        let span = Span::new(place.at, place.text.end.max(place.at));
        self.list.push(Diagnostic::new(code, name, &self.module.source, span, message));
    }

    fn duplicate_imports(&mut self) {
        let mut seen: Vec<&ast::Import> = Vec::new();
        let mut found = Vec::new();
        for import in &self.module.imports {
            match seen.iter().find(|first| first.name() == import.name()) {
                Some(first) => {
                    let message = format!("import must not shadow {}", import_text(first));
                    let source = &self.module.source;
                    let span = import.span;
                    found.push(Diagnostic::new(codes::COMPILE, "duplicate-import", source, span, message));
                }
                None => seen.push(import),
            }
        }
        self.list.append(&mut found);
    }

    fn root_documents(&mut self, rule: &Rule<'_>) {
        let name = rule.head.reference.first().and_then(Term::var).unwrap_or_default();
        if is_root(name) {
            let message = format!("rules must not shadow {name} (use a different rule name)");
            self.add(codes::COMPILE, "shadowed-root", rule.place, message);
        }
        for arg in &rule.head.args {
            if let Value::Ref(parts) = &arg.value
                && let [only] = parts.as_slice()
                && let Some(name) = only.var().filter(|name| is_root(name))
            {
                let message = format!("args must not shadow {name} (use a different variable name)");
                self.add(codes::COMPILE, "shadowed-root", arg.place, message);
            }
        }
    }

    fn root_variable(&mut self, expr: &Expr<'_>) {
        let Some([function, first, ..]) = expr.call() else {
            return;
        };
        let name = ref_name(first).filter(|name| is_root(name));
        if let Some(name) = name.filter(|_| ref_name(function).as_deref() == Some("assign")) {
            let message = format!("variables must not shadow {name} (use a different variable name)");
            self.add(codes::COMPILE, "shadowed-root", expr.place, message);
        }
    }

    fn deprecated_of_rule(&mut self, rule: &Rule<'_>) {
        let mut visit = |node: Node<'_, '_>| {
            match node {
                Node::Expr(expr) => self.deprecated(expr.call().and_then(<[_]>::first), expr.place),
                Node::Term(term) => {
                    let function = term.call().and_then(<[_]>::first);
                    self.deprecated(function, function.map_or(term.place, |function| function.place));
                }
                Node::Function => {}
            }
            true
        };
        walk_terms(&rule.head.reference, &mut visit);
        walk_rule(rule, &mut visit);
    }

    fn deprecated(&mut self, function: Option<&Term<'_>>, place: Place) {
        if let Some(name) = function.and_then(ref_name).filter(|name| is_deprecated(name)) {
            let message = format!("deprecated built-in function calls in expression: {name}");
            self.add(codes::TYPE, "deprecated-builtin", place, message);
        }
    }

    fn keyword_name(&mut self, rule: &Rule<'_>, is_keyword: fn(&str) -> bool) {
        let name = rule.head.name.unwrap_or_default();
        if rule.head.reference.len() < 2 && is_keyword(name) {
            let message = format!("{name} keyword cannot be used for rule name");
            self.add(codes::PARSE, "keyword-rule-name", rule.place, message);
        }
    }

    fn keyword_variables(&mut self, rule: &Rule<'_>) {
        let mut vars: Vec<(String, Place)> = Vec::new();
        let mut visit = |node: Node<'_, '_>| {
            match node {
                Node::Term(term) => {
                    let name = term.var().filter(|name| is_v2_keyword(name));
                    if let Some(name) = name.filter(|_| !vars.iter().any(|(_, place)| *place == term.place)) {
                        vars.push((name.to_owned(), term.place));
                    }
                }
                // The built-ins behind `&` and `|` have these names.
                Node::Function => return false,
                Node::Expr(_) => {}
            }
            true
        };
        walk_terms(rule.head.reference.get(1..).unwrap_or_default(), &mut visit);
        walk_rule(rule, &mut visit);
        for (name, place) in vars {
            let message = format!("{name} keyword cannot be used for variable name");
            self.add(codes::PARSE, "keyword-variable", place, message);
        }
    }
}
