//! Modules and rules in OPA's shape.
//!
//! How a rule was written decides where OPA says it stands: a rule with a body stands where its
//! name and body do, one that was read as an expression where that expression does, a further
//! body of a rule at the braces with all of its head but the path.

use std::borrow::Cow;

use crate::{
    ast::{self, ElseBranch, Head as AstHead, TermKind, is_wildcard},
    shape::{
        Expr, ExprKind, Head, Import, Locator, Module, Package, Place, Rule, Term, Value, exprs::Builder,
    },
    source::Span,
    visit::is_ground,
};

/// Shapes a module.
pub(crate) fn build_module(module: &ast::Module) -> Module<'_> {
    let at = Locator { source: &module.source, comments: &module.comments };
    let builder = Builder { at, fixed: None };
    let mut rules = Vec::with_capacity(module.rules.len());
    let mut first = None;
    for rule in &module.rules {
        if !rule.chained {
            first = Some(rule);
        }
        rules.push(builder.rule(rule, first.unwrap_or(rule)));
    }
    Module {
        package: builder.package(&module.package),
        imports: module.imports.iter().map(|import| builder.import(import)).collect(),
        rules,
    }
}

/// Says how a rule was written.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Written {
    Default,
    /// With a body or `contains`.
    Rule,
    /// As an expression that binds a name, path or call.
    Binding,
    /// As a path that is to be `true`.
    Path,
    /// As a path with a member.
    Member,
    /// As a call that is to be `true`.
    Call,
}

fn written(rule: &ast::Rule) -> Written {
    let head = &rule.head;
    if rule.default {
        Written::Default
    } else if rule.body.is_some() || head.contains {
        Written::Rule
    } else if head.value.is_some() {
        Written::Binding
    } else if has_args(head) {
        Written::Call
    } else if head.key.is_some() {
        Written::Member
    } else {
        Written::Path
    }
}

fn has_args(head: &AstHead) -> bool {
    head.args.as_ref().is_some_and(|args| !args.is_empty())
}

impl<'t> Builder<'t> {
    fn package(&self, package: &'t ast::Package) -> Package<'t> {
        let mut path = self.terms(&package.path);
        if let Some(first) = path.first() {
            let place = first.place;
            path.insert(0, Term { place, value: Value::Var(Cow::Borrowed("data")) });
        }
        Package { place: self.word(package.span.start, "package"), path }
    }

    fn import(&self, import: &'t ast::Import) -> Import<'t> {
        let text = Span::new(import.path.span.start, import.path.span.end);
        let mut parts = self.reference(&import.path);
        let place = self.at.place(text);
        if let [only] = parts.as_mut_slice() {
            only.place = place;
        }
        Import {
            place: self.word(import.span.start, "import"),
            path: Term { place, value: Value::Ref(parts) },
            alias: import.alias.as_ref().map(|alias| (alias.text.as_ref(), self.at.place(alias.span))),
        }
    }

    /// Returns the place of a word that stands at an offset.
    fn word(&self, start: u32, word: &str) -> Place {
        let length = u32::try_from(word.len()).unwrap_or(0);
        self.at.place(Span::new(start, start + length))
    }

    fn rule(&self, rule: &'t ast::Rule, first: &'t ast::Rule) -> Rule<'t> {
        let place = self.rule_place(rule);
        let head = if rule.chained {
            let fixed = self.all_at(place);
            Head { value_is_implied: true, ..fixed.head(rule, place, self.reference(&first.head.reference)) }
        } else {
            let at = if written(rule) == Written::Rule { self.at.place(rule.head.span) } else { place };
            let at = if rule.default { self.at.place(rule.head.span) } else { at };
            let mut reference = self.reference(&rule.head.reference);
            if let [only] = reference.as_mut_slice()
                && written(rule) == Written::Binding
                && matches!(only.var(), Some("input" | "data"))
            {
                only.place.text = self.at.widen_statement(only.place.text);
            }
            self.head(rule, at, reference)
        };
        let body = match &rule.body {
            Some(body) => self.body(body),
            None => true_body(self.implied_body_place(rule, &head)),
        };
        let otherwise = self.otherwise(rule, &rule.else_branches);
        Rule { place, default: rule.default, head, body, otherwise, source: rule }
    }

    fn rule_place(&self, rule: &'t ast::Rule) -> Place {
        match written(rule) {
            Written::Default => self.word(rule.span.start, "default"),
            Written::Rule if rule.body.is_none() => self.at.place(rule.head.span),
            Written::Call => self.at.function(&rule.head.reference),
            Written::Path | Written::Member => {
                let start = self.at.ref_start(&rule.head.reference.head);
                let whole = self.at.widen_statement(rule.span);
                let text = if whole == rule.span { Span::new(start, whole.end) } else { whole };
                self.at.place_at(rule.span.start, text)
            }
            _ => self.at.place(rule.span),
        }
    }

    /// Returns the place of a body that was not written.
    fn implied_body_place(&self, rule: &'t ast::Rule, head: &Head<'t>) -> Place {
        match written(rule) {
            Written::Rule => self.at.place(rule.head.reference.head.span),
            Written::Binding => head.value.as_ref().map_or(head.place, |value| value.place),
            Written::Default => self.word(rule.span.start, "default"),
            _ => head.place,
        }
    }

    fn head(&self, rule: &'t ast::Rule, place: Place, reference: Vec<Term<'t>>) -> Head<'t> {
        let head = &rule.head;
        let value_is_implied = implies_value_at_head(rule);
        let value = match &head.value {
            Some(value) => Some(self.term(value)),
            None if head.key.is_some() => None,
            None => {
                let at = if value_is_implied { place } else { Place::NONE };
                Some(Term { place: self.placed(|_| at), value: Value::Bool(true) })
            }
        };
        Head {
            place,
            name: name(rule),
            reference,
            args: self.terms(head.args.as_deref().unwrap_or_default()),
            key: key(rule).map(|key| self.term(key)),
            value,
            assign: head.assign,
            value_is_implied,
        }
    }

    /// Shapes the branches of an `else`, each inside the one before.
    fn otherwise(&self, rule: &'t ast::Rule, branches: &'t [ElseBranch]) -> Option<Box<Rule<'t>>> {
        let end = branches.last()?.span.end;
        let mut inner = None;
        for branch in branches.iter().rev() {
            let place = self.at.place(Span::new(branch.span.start, end));
            let body = match &branch.body {
                Some(body) if is_placed(branch, body) => self.all_at(place).body(body),
                Some(body) => self.body(body),
                None => true_body(place),
            };
            let head = self.else_head(rule, branch);
            let shaped = Rule { place, default: false, head, body, otherwise: inner, source: rule };
            inner = Some(Box::new(shaped));
        }
        inner
    }

    fn else_head(&self, rule: &'t ast::Rule, branch: &'t ElseBranch) -> Head<'t> {
        let value = branch.value.as_ref().map(|value| self.term(value));
        let start = branch.span.start;
        let place = match &branch.value {
            Some(value) => {
                let end = self.at.widen_end(value.span.end, value.parens);
                self.at.place(Span::new(start, end))
            }
            None => self.word(start, "else"),
        };
        let mut args = self.terms(rule.head.args.as_deref().unwrap_or_default());
        let mut next = branch.first_wildcard;
        for arg in &mut args {
            if arg.var().is_some_and(is_wildcard) {
                arg.value = Value::Var(Cow::Owned(format!("${next}")));
                next += 1;
            }
        }
        Head {
            place,
            name: name(rule),
            reference: self.reference(&rule.head.reference),
            args,
            key: key(rule).map(|key| self.term(key)),
            assign: if value.is_some() { branch.assign } else { rule.head.assign },
            value: value.or(Some(Term { place: Place::NONE, value: Value::Bool(true) })),
            value_is_implied: false,
        }
    }
}

/// Tells whether the body of an `else` was moved to where the `else` stands.
fn is_placed(branch: &ElseBranch, body: &[ast::Expr]) -> bool {
    body.first().is_some_and(|first| first.span.start == branch.span.start)
}

/// Makes the body that a rule without one has.
fn true_body<'t>(place: Place) -> Vec<Expr<'t>> {
    let kind = ExprKind::Term(Term { place, value: Value::Bool(true) });
    vec![Expr { place, kind, negated: false, with: Vec::new(), generated: true }]
}

/// Tells whether OPA gives a value that was not written the place of the head.
fn implies_value_at_head(rule: &ast::Rule) -> bool {
    let head = &rule.head;
    let is_pair = head.reference.parts.len() == 1 && !has_args(head);
    match written(rule) {
        _ if head.value.is_some() => false,
        Written::Path | Written::Call => true,
        Written::Rule => head.has_if && !head.contains && is_pair,
        _ => false,
    }
}

/// Returns the name that OPA notes beside the path: of a path of two only in old forms.
fn name(rule: &ast::Rule) -> Option<&str> {
    let head = &rule.head;
    let named = match head.reference.parts.len() {
        0 => true,
        1 => match written(rule) {
            Written::Rule if head.contains => false,
            Written::Rule if head.has_if => head.value.is_some() || has_args(head),
            Written::Rule => !has_args(head),
            Written::Binding => !has_args(head),
            _ => false,
        },
        _ => false,
    };
    head.reference.head.as_var().filter(|_| named)
}

/// Returns the key: the member of a partial set, and in a path of two the second part.
fn key(rule: &ast::Rule) -> Option<&ast::Term> {
    let head = &rule.head;
    if head.key.is_some() {
        return head.key.as_ref();
    }
    let [part] = head.reference.parts.as_slice() else {
        return None;
    };
    let is_key = match written(rule) {
        _ if has_args(head) => false,
        Written::Rule if head.has_if => !is_ground(part) || matches!(part.kind, TermKind::Ref(_)),
        Written::Rule | Written::Binding => true,
        _ => false,
    };
    Some(part).filter(|_| is_key)
}
