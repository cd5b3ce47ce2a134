//! Statements to a module: package first, expressions that are rules, what V1 demands.
//!
//! These checks run over whole statements. OPA makes them only if nothing was wrong before; here
//! some run also after a recovery and are marked so.

use std::sync::Arc;

use crate::{
    ast::{
        Body, Call, Callee, Expr, ExprKind, Head, Import, Module, Package, Ref, RegoVersion, Rule, Statement,
        StringLit, StringStyle, Term, TermKind,
    },
    builtin_names::is_builtin,
    diagnostics::{Diagnostic, Location, codes},
    parser::{ParseOptions, cursor::Parser, metadata, statements::near_keyword_of_body},
    printer,
    source::{Position, Source, Span},
    tokens::is_v1_keyword,
};

/// Makes a module of the statements of a text.
pub(crate) fn assemble(
    mut parser: Parser<'_>,
    statements: Vec<Statement>,
    options: &ParseOptions,
    source: &Arc<Source>,
) -> (Option<Module>, Vec<Diagnostic>) {
    let annotations = if options.annotations { metadata::blocks(&mut parser) } else { Vec::new() };
    let comments = std::mem::take(&mut parser.comments);
    let keywords = parser.keywords;
    let mut diagnostics = parser.into_diagnostics();
    let mut assembly = Assembly {
        source,
        stopped: !diagnostics.is_empty(),
        version_max: options.also.map_or(options.version, |it| it.max(options.version)),
        package: None,
        imports: Vec::new(),
        rules: Vec::new(),
        found: Vec::new(),
    };
    assembly.add(statements);
    assembly.check_rules();
    let Assembly { stopped, version_max, package, imports, rules, mut found, .. } = assembly;
    let mut module = package.map(|package| Module {
        source: Arc::clone(source),
        version: options.version,
        version_max,
        keywords,
        package,
        imports,
        rules: rules.into_iter().map(|(rule, _)| rule).collect(),
        comments,
        annotations,
    });
    if let Some(module) = &mut module
        && !stopped
        && found.is_empty()
    {
        metadata::attach(module, &mut found);
    }
    for diagnostic in &mut found {
        diagnostic.recovered = stopped;
    }
    diagnostics.append(&mut found);
    diagnostics.sort_by_key(|diagnostic| diagnostic.recovered);
    (module, diagnostics)
}

/// Says how a rule was written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    /// With a body, `contains` or `default`.
    Rule,
    /// As an expression.
    Expr,
    /// As a bare path of more than two names.
    Path,
}

struct Assembly<'s> {
    source: &'s Arc<Source>,
    /// The parser has found faults.
    stopped: bool,
    version_max: RegoVersion,
    package: Option<Package>,
    imports: Vec<Import>,
    rules: Vec<(Rule, Written)>,
    found: Vec<Diagnostic>,
}

impl Assembly<'_> {
    fn report(&mut self, span: Span, name: &'static str, message: impl Into<String>) {
        let diagnostic = Diagnostic::new(codes::PARSE, name, self.source, span, message);
        self.found.push(diagnostic);
    }

    fn help(&mut self, help: String) {
        if let Some(last) = self.found.last_mut() {
            last.help = Some(help);
        }
    }

    fn add(&mut self, statements: Vec<Statement>) {
        let imports = statements.iter().filter(|it| matches!(it, Statement::Import(_))).count();
        self.imports.reserve_exact(imports);
        self.rules.reserve_exact(statements.len().saturating_sub(imports + 1));
        if statements.is_empty() && !self.stopped {
            self.report_empty();
        }
        let head_keywords: Vec<_> = statements.iter().map(|s| self.head_keyword(s)).collect();
        for (idx, statement) in statements.into_iter().enumerate() {
            if idx == 0 && !self.stopped && !matches!(statement, Statement::Package(_)) {
                let span = statement_span(&statement);
                self.report(span, "package-expected", "package expected");
                self.help(missing_package_help(&statement));
                continue;
            }
            match statement {
                Statement::Package(package) => self.add_package(package, idx),
                Statement::Import(import) => self.add_import(import),
                Statement::Rule(rule) => self.rules.push((*rule, Written::Rule)),
                Statement::Body(body) => {
                    let here = head_keywords.get(idx..).unwrap_or_default();
                    self.add_body(body, here);
                }
            }
        }
    }

    fn report_empty(&mut self) {
        let mut diagnostic = Diagnostic::unplaced(codes::PARSE, "empty-module", "empty module");
        diagnostic.location =
            Some(Location { file: Arc::clone(self.source.name()), position: Position { row: 0, col: 0 } });
        self.found.push(diagnostic);
    }

    fn add_package(&mut self, package: Package, idx: usize) {
        if idx > 0 {
            self.report(package.span, "unexpected-package", "unexpected package");
        }
        self.package.get_or_insert(package);
    }

    fn add_import(&mut self, import: Import) {
        let names: Vec<&str> = import.path_names().collect();
        let raised = match names.as_slice() {
            ["rego", "v1"] => RegoVersion::V1,
            ["rego", "v2"] => RegoVersion::V2,
            _ => self.version_max,
        };
        self.version_max = self.version_max.max(raised);
        self.imports.push(import);
    }

    /// Adds the rule that an expression is. `head_keywords` are those of this statement and the
    /// following ones.
    fn add_body(&mut self, body: Body, head_keywords: &[Option<(&'static str, u32)>]) {
        let Some(first) = body.first() else {
            return;
        };
        let span = first.span;
        let help = body_help(&first.kind);
        match rule_of_body(body) {
            Ok(rule) => self.rules.push(rule),
            Err(_) if self.stopped => {}
            Err(mut message) => {
                let row = self.source.position(span.start).row;
                let keyword = (self.version_max == RegoVersion::V0)
                    .then(|| missing_keyword(head_keywords, row))
                    .flatten();
                if let Some(keyword) = keyword {
                    let example = match keyword {
                        "if" => "p if { ... }",
                        _ => "p contains x",
                    };
                    message =
                        format!("{message} (hint: `import future.keywords.{keyword}` for `{example}` rules)");
                }
                self.report(span, "not-a-rule", message);
                if let Some(help) = help {
                    self.help(help);
                }
            }
        }
    }

    /// Returns `if` or `contains` if that is all a statement consists of, or the name of the
    /// rule it is, and the statement's row.
    fn head_keyword(&self, statement: &Statement) -> Option<(&'static str, u32)> {
        let (name, span) = match statement {
            Statement::Rule(rule) => {
                let head = &rule.head;
                let named = head.reference.parts.len() < 2;
                (head.reference.head.as_var().filter(|_| named)?, rule.span)
            }
            Statement::Body(body) => match body.as_slice() {
                [only] => match &only.kind {
                    ExprKind::Term(term) => (term.as_var()?, only.span),
                    _ => return None,
                },
                _ => return None,
            },
            _ => return None,
        };
        let keyword = match name {
            "if" => "if",
            "contains" => "contains",
            _ => return None,
        };
        Some((keyword, self.source.position(span.start).row))
    }

    /// Checks what V1 demands of rules.
    fn check_rules(&mut self) {
        if self.version_max < RegoVersion::V1 {
            return;
        }
        let rules = std::mem::take(&mut self.rules);
        for (rule, written) in &rules {
            self.check_rule(rule, *written);
        }
        self.rules = rules;
    }

    fn check_rule(&mut self, rule: &Rule, written: Written) {
        let head = &rule.head;
        let is_function = head.args.as_ref().is_some_and(|args| !args.is_empty());
        let what = if is_function { "function" } else { "rule" };
        let name = head.reference.head.as_var().unwrap_or_default();
        let keyword_name = head.reference.parts.is_empty() && is_v1_keyword(name);
        let span = rule.span;
        let has_body = rule.body.is_some() && !rule.default && written == Written::Rule;
        if keyword_name {
            self.report_keyword_name(name, span);
        }
        if written == Written::Path {
            let message = format!("{what} must have value assignment and/or body declaration");
            self.report(span, "missing-value-or-body", message);
            self.help(format!("write `{} := true`", printer::ref_text(&head.reference)));
        }
        if has_body && !head.has_if {
            self.report_missing_if(what, span);
        }
        if head.key.is_some() && !head.contains {
            let message = "`contains` keyword is required for partial set rules";
            self.report(span, "missing-contains", message);
            if let Some(key) = head.key.as_ref().filter(|_| written == Written::Rule) {
                let key = printer::term_text(key);
                self.help(format!("write `{name} contains {key}`"));
            }
        }
        for branch in &rule.else_branches {
            if keyword_name {
                self.report_keyword_name(name, branch.span);
            }
            if branch.body.is_some() && !branch.has_if {
                self.report_missing_if(what, branch.span);
            }
        }
    }

    fn report_keyword_name(&mut self, name: &str, span: Span) {
        let message = format!("{name} keyword cannot be used for rule name");
        self.report(span, "keyword-rule-name", message);
    }

    fn report_missing_if(&mut self, what: &str, span: Span) {
        let message = format!("`if` keyword is required before {what} body");
        self.report(span, "missing-if", message);
        self.help("write `if` before the opening brace".to_owned());
    }
}

/// Returns what to do about a text that does not begin with a package clause.
fn missing_package_help(first: &Statement) -> String {
    let near = match first {
        Statement::Body(body) => body.first().and_then(|expr| near_keyword_of_body(&expr.kind)),
        _ => None,
    };
    match near {
        Some("package") => "did you mean `package`?".to_owned(),
        _ => "a module begins with `package` and its path".to_owned(),
    }
}

/// Returns what to do about an expression that is no rule.
fn body_help(kind: &ExprKind) -> Option<String> {
    if let Some(near) = near_keyword_of_body(kind) {
        return Some(format!("did you mean `{near}`?"));
    }
    match kind {
        ExprKind::Term(term) => {
            let operator = term.as_var().filter(|name| matches!(*name, "and" | "or"))?;
            Some(format!("`{operator}` is an operator after `import future.keywords.{operator}`"))
        }
        _ => None,
    }
}

/// Returns the keyword whose missing import made a rule fall apart: the statement is it, or the
/// next one on the same row.
fn missing_keyword(here: &[Option<(&'static str, u32)>], row: u32) -> Option<&'static str> {
    match here {
        [Some((keyword, _)), ..] => Some(keyword),
        [None, Some((keyword, next_row)), ..] if *next_row == row => Some(keyword),
        _ => None,
    }
}

fn statement_span(statement: &Statement) -> Span {
    match statement {
        Statement::Package(package) => package.span,
        Statement::Import(import) => import.span,
        Statement::Rule(rule) => rule.span,
        Statement::Body(body) => body.first().map(|expr| expr.span).unwrap_or_default(),
    }
}

/// Makes a rule of a statement that was read as expressions.
fn rule_of_body(body: Body) -> Result<(Rule, Written), String> {
    let mut exprs = body.into_iter();
    match (exprs.next(), exprs.next()) {
        (Some(only), None) => rule_of_expr(only),
        _ => Err("multiple expressions cannot be used for rule head".to_owned()),
    }
}

fn rule_of_expr(expr: Expr) -> Result<(Rule, Written), String> {
    if !expr.with.is_empty() {
        return Err("expressions using with keyword cannot be used for rule head".to_owned());
    }
    if expr.negated {
        return Err("negated expressions cannot be used for rule head".to_owned());
    }
    let span = expr.span;
    match expr.kind {
        ExprKind::Term(term) => rule_of_term(term),
        ExprKind::Assign(binding) => rule_of_binding(binding.lhs, binding.rhs, true, span),
        ExprKind::Unify(binding) => rule_of_binding(binding.lhs, binding.rhs, false, span),
        ExprKind::Some(_) | ExprKind::SomeIn(_) => {
            Err("'some' declarations cannot be used for rule head".to_owned())
        }
        _ => Err("expression cannot be used for rule head".to_owned()),
    }
}

fn rule_of_term(term: Term) -> Result<(Rule, Written), String> {
    let span = term.span;
    match term.kind {
        TermKind::Ref(reference) => {
            let mut reference = *reference;
            if reference.parts.is_empty() {
                return Err("refs cannot be used for rule head".to_owned());
            }
            if reference.head.as_var().is_none() {
                return Err(invalid_head(&reference));
            }
            if reference.parts.len() > 1 {
                return Ok((new_rule(reference, span), Written::Path));
            }
            let key = reference.parts.pop();
            reference.span = reference.head.span;
            let mut rule = new_rule(reference, span);
            rule.head.key = key;
            Ok((rule, Written::Expr))
        }
        TermKind::Call(call) => rule_of_call(*call, span),
        kind => Err(format!("{} cannot be used for rule name", kind.name())),
    }
}

/// Makes a rule of a call: a function that is `true`, or a binding by name.
fn rule_of_call(call: Call, span: Span) -> Result<(Rule, Written), String> {
    let name = call.name().unwrap_or_default();
    if matches!(name.as_str(), "eq" | "assign") {
        let mut args = call.args.into_iter();
        let (Some(lhs), Some(rhs)) = (args.next(), args.next()) else {
            return Err("assignment requires two operands".to_owned());
        };
        return rule_of_binding(lhs, rhs, name == "assign", span);
    }
    if is_builtin(&name) {
        return Err("rule name conflicts with built-in function".to_owned());
    }
    if call.args.is_empty() {
        return Err("rule argument list must take at least one argument".to_owned());
    }
    let Callee::Ref(function) = call.callee else {
        return Err("expression cannot be used for rule head".to_owned());
    };
    if function.head.as_var().is_none() {
        return Err(invalid_head(&function));
    }
    let span = Span::new(function.span.start, span.end);
    let mut rule = new_rule(function, span);
    rule.head.args = Some(call.args);
    Ok((rule, Written::Expr))
}

fn rule_of_binding(lhs: Term, rhs: Term, assign: bool, span: Span) -> Result<(Rule, Written), String> {
    let lhs_span = lhs.span;
    let (reference, args) = match lhs.kind {
        kind @ TermKind::Var(_) => {
            let head = Term { kind, span: lhs_span, parens: lhs.parens };
            (Ref { head, parts: Vec::new(), span: lhs_span }, None)
        }
        TermKind::Ref(reference) => (*reference, None),
        TermKind::Call(call) => match *call {
            Call { callee: Callee::Ref(function), args } if function.head.as_var().is_some() => {
                (function, Some(args))
            }
            Call { callee: Callee::Infix(op, at), args } => (operator_name(op.builtin(), at), Some(args)),
            Call { callee: Callee::Negation(at), args } => (operator_name("minus", at), Some(args)),
            _ => return Err("call cannot be used for rule name".to_owned()),
        },
        kind => return Err(format!("{} cannot be used for rule name", kind.name())),
    };
    if reference.head.as_var().is_none() {
        return Err(invalid_head(&reference));
    }
    let mut rule = new_rule(reference, span);
    rule.head.args = args;
    rule.head.value = Some(rhs);
    rule.head.assign = assign;
    Ok((rule, Written::Expr))
}

/// Makes the name that an operator calls; OPA lets `x + y := z` define a function of that name.
fn operator_name(name: &str, at: Span) -> Ref {
    let mut names = name.split('.');
    let head = Term::new(TermKind::Var(names.next().unwrap_or_default().into()), at);
    let part = |name: &str| {
        let lit = StringLit { value: name.into(), style: StringStyle::Dot };
        Term::new(TermKind::String(lit), at)
    };
    Ref { head, parts: names.map(part).collect(), span: at }
}

fn invalid_head(reference: &Ref) -> String {
    format!("invalid rule head: {}", printer::ref_text(reference))
}

fn new_rule(reference: Ref, span: Span) -> Rule {
    Rule {
        default: false,
        head: Head {
            reference,
            args: None,
            key: None,
            value: None,
            assign: false,
            contains: false,
            has_if: false,
            span,
        },
        body: None,
        else_branches: Vec::new(),
        chained: false,
        span,
        annotations: Vec::new(),
    }
}
