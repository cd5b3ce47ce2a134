//! Calls of `rego.metadata`, in whose place comes what they would answer.
//!
//! What a rule's metadata is stands fast when modules are compiled: each branch that asks gets a constant at the start
//! of its body, and each call becomes that variable. Apart from [`crate::annotations`], which finds the blocks, because
//! here is what their fields mean to a policy.

use lictor_syntax::{
    Span,
    ast::{self, Yaml, YamlKind},
    parse_term,
};

use crate::{
    annotations::AnnotationSet,
    draft::{Branch, Call, Callee, Compr, Expr, ExprKind, Operand, Replacement, Rule, Term, TermKind},
    index::{Entry, key_of},
    resolve::Context,
    scope::generate,
    tree::VarId,
};

const CHAIN: &str = "rego.metadata.chain";
const RULE: &str = "rego.metadata.rule";

/// Puts constants in the place of a rule's calls. `at` is the rule's position in its module.
pub(crate) fn replace(
    ctx: Context<'_>,
    set: &AnnotationSet<'_>,
    module: &ast::Module,
    (at, entry): (usize, &Entry<'_>),
    draft: &mut Rule,
) {
    let callee = |name| ctx.options.capabilities.position(name).map(Callee::Builtin);
    let (Some(chain), Some(rule)) = (callee(CHAIN), callee(RULE)) else { return };
    for (number, branch) in draft.branches.iter_mut().enumerate() {
        let mut calls = Calls { chain: &chain, rule: &rule, vars: &mut draft.vars, found: [None; 2] };
        calls.body(&mut branch.body);
        // An `else` has no blocks of its own.
        let own = (number == 0).then_some(at);
        let [chain, rule] = calls.found;
        let subject = Subject { set, module, entry, own };
        if let Some((var, span)) = rule {
            insert(branch, var, subject.rule(span));
        }
        if let Some((var, span)) = chain {
            insert(branch, var, subject.chain(span));
        }
    }
}

fn insert(branch: &mut Branch, var: VarId, value: Term) {
    branch.body.insert(0, Expr::capture(var, value));
}

/// The walk that makes calls into variables.
struct Calls<'r> {
    chain: &'r Callee,
    rule: &'r Callee,
    vars: &'r mut Vec<crate::draft::VarInfo>,
    /// The variables of the chain and of the rule, with the places of the first calls.
    found: [Option<(VarId, Span)>; 2],
}

impl Calls<'_> {
    fn body(&mut self, body: &mut [Expr]) {
        for expr in body {
            self.expr(expr);
        }
    }

    fn expr(&mut self, expr: &mut Expr) {
        for with in &mut expr.with {
            if let Replacement::Term(value) = &mut with.value {
                self.term(value);
            }
        }
        match &mut expr.kind {
            ExprKind::Call(call) => {
                if let Some(var) = self.variable(call, expr.span) {
                    let value = Term::var(var, expr.span);
                    expr.kind = match call.args.pop() {
                        Some(output) => ExprKind::Unify(output, value),
                        None => ExprKind::Term(value),
                    };
                    expr.with.clear();
                    expr.generated = true;
                } else {
                    self.terms(&mut call.args);
                }
            }
            ExprKind::Term(term) => self.term(term),
            ExprKind::Unify(lhs, rhs) => {
                self.term(lhs);
                self.term(rhs);
            }
            ExprKind::Every(every) => {
                self.term(&mut every.domain);
                self.body(&mut every.body);
            }
            ExprKind::Not(operand) => self.operand(operand),
            ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
                self.operand(lhs);
                self.operand(rhs);
            }
        }
    }

    fn operand(&mut self, operand: &mut Operand) {
        self.body(&mut operand.body);
    }

    /// Returns the variable that stands for a call.
    fn variable(&mut self, call: &Call, span: Span) -> Option<VarId> {
        let which = [self.chain, self.rule].iter().position(|it| **it == call.callee)?;
        let slot = self.found.get_mut(which)?;
        let vars = &mut *self.vars;
        // More operands than an output are a fault that others report.
        (call.args.len() <= 1).then(|| slot.get_or_insert_with(|| (generate(vars), span)).0)
    }

    fn terms(&mut self, terms: &mut [Term]) {
        for term in terms {
            self.term(term);
        }
    }

    fn term(&mut self, term: &mut Term) {
        match &mut term.kind {
            TermKind::Ref(reference) => self.terms(&mut reference.parts),
            TermKind::Call(call) => self.terms(&mut call.args),
            TermKind::Array(items) | TermKind::Set(items) => self.terms(items),
            TermKind::Object(entries) => {
                for (key, value) in entries {
                    self.term(key);
                    self.term(value);
                }
            }
            TermKind::Compr(compr) => self.compr(compr),
            _ => {}
        }
    }

    fn compr(&mut self, compr: &mut Compr) {
        self.body(&mut compr.body);
        if let Some(key) = &mut compr.key {
            self.term(key);
        }
        self.term(&mut compr.term);
    }
}

/// What is asked about.
struct Subject<'s, 'a> {
    set: &'s AnnotationSet<'a>,
    module: &'s ast::Module,
    entry: &'s Entry<'s>,
    /// The rule whose own blocks count.
    own: Option<usize>,
}

impl<'a> Subject<'_, 'a> {
    /// Returns the blocks right above the rule, from the farthest to the closest.
    fn own(&self) -> Vec<&'a ast::Annotation> {
        let rule = self.own.and_then(|it| u32::try_from(it).ok());
        let blocks = rule.into_iter().flat_map(|it| self.set.of_rule(self.entry.module as usize, it));
        blocks.map(|it| it.annotation).collect()
    }

    /// Returns the rule's metadata: the block that stands farthest above it.
    fn rule(&self, span: Span) -> Term {
        match self.own().first() {
            Some(block) => annotation(block, span),
            None => object(Vec::new(), span),
        }
    }

    /// Returns the metadata of the rule and of all that it stands in.
    fn chain(&self, span: Span) -> Term {
        let path = rule_path(self.module, self.entry.rule, span);
        let own: Vec<Term> =
            self.own().iter().rev().map(|it| link(path.clone(), Some(annotation(it, span)), span)).collect();
        let mut links = if own.is_empty() { vec![link(path, None, span)] } else { own };
        for block in self.set.around(self.module, self.entry.rule) {
            let path = match block.rule {
                Some(rule) => rule_path(block.module, rule, span),
                None => package_path(block.module, span),
            };
            links.push(link(path, Some(annotation(block.annotation, span)), span));
        }
        Term::new(TermKind::Array(links), span)
    }
}

fn link(path: Vec<Term>, annotation: Option<Term>, span: Span) -> Term {
    let path = ("path", Term::new(TermKind::Array(path), span));
    object([path].into_iter().chain(annotation.map(|it| ("annotations", it))).collect(), span)
}

fn package_path(module: &ast::Module, span: Span) -> Vec<Term> {
    module.package.path.iter().filter_map(|it| Some(text(it.as_str()?, span))).collect()
}

fn rule_path(module: &ast::Module, rule: &ast::Rule, span: Span) -> Vec<Term> {
    let mut path = package_path(module, span);
    path.extend(rule.head.reference.head.as_var().map(|it| text(it, span)));
    let ground = rule.head.reference.parts.iter().take_while(|it| key_of(it).is_some());
    path.extend(ground.map(|it| part(it, span)));
    path
}

/// Returns a ground part of a reference.
fn part(term: &ast::Term, span: Span) -> Term {
    let kind = match &term.kind {
        ast::TermKind::String(it) => TermKind::String(it.value.clone()),
        ast::TermKind::Var(name) => TermKind::String(name.clone()),
        ast::TermKind::Number(it) => TermKind::Number(it.clone()),
        ast::TermKind::Bool(it) => TermKind::Bool(*it),
        _ => TermKind::Null,
    };
    Term::new(kind, span)
}

fn text(value: &str, span: Span) -> Term {
    Term::new(TermKind::String(value.into()), span)
}

fn object(fields: Vec<(&str, Term)>, span: Span) -> Term {
    let entries = fields.into_iter().map(|(name, value)| (text(name, span), value)).collect();
    Term::new(TermKind::Object(entries), span)
}

/// Makes a term of one item of a list.
type Item = fn(&Yaml, Span) -> Term;

/// Returns a block as a policy sees it: fields that hold nothing are left out, as is what it says to partial
/// evaluation.
fn annotation(block: &ast::Annotation, span: Span) -> Term {
    let mut fields = vec![("scope", text(&block.scope, span))];
    if block.entrypoint {
        fields.push(("entrypoint", Term::new(TermKind::Bool(true), span)));
    }
    for name in ["title", "description"] {
        let words = block.field(name).map(scalar_text).filter(|it| !it.is_empty());
        fields.extend(words.map(|it| (name, text(&it, span))));
    }
    let lists: [(&str, Item); 4] = [
        ("organizations", |it, span| text(&scalar_text(it), span)),
        ("related_resources", related),
        ("authors", author),
        ("schemas", schema),
    ];
    for (name, item) in lists {
        if let Some(YamlKind::List(items)) = block.field(name).map(|it| &it.kind).filter(|it| holds(it)) {
            let items = items.iter().map(|it| item(it, span)).collect();
            fields.push((name, Term::new(TermKind::Array(items), span)));
        }
    }
    for name in ["custom", "labels"] {
        if let Some(map) = block.field(name).filter(|it| holds(&it.kind)) {
            fields.push((name, plain(map, span)));
        }
    }
    object(fields, span)
}

fn holds(kind: &YamlKind) -> bool {
    match kind {
        YamlKind::List(items) => !items.is_empty(),
        YamlKind::Map(entries) => !entries.is_empty(),
        _ => false,
    }
}

/// Returns YAML as it stands.
fn plain(yaml: &Yaml, span: Span) -> Term {
    let kind = match &yaml.kind {
        YamlKind::Null => TermKind::Null,
        YamlKind::Bool(value) => TermKind::Bool(*value),
        YamlKind::Number(number) => TermKind::Number(number.clone()),
        YamlKind::String(words) => TermKind::String(words.clone()),
        YamlKind::List(items) => TermKind::Array(items.iter().map(|it| plain(it, span)).collect()),
        YamlKind::Map(entries) => TermKind::Object(
            entries.iter().map(|(key, value)| (text(&scalar_text(key), span), plain(value, span))).collect(),
        ),
    };
    Term::new(kind, span)
}

fn scalar_text(yaml: &Yaml) -> String {
    match &yaml.kind {
        YamlKind::String(words) | YamlKind::Number(words) => words.to_string(),
        YamlKind::Bool(value) => value.to_string(),
        YamlKind::Null | YamlKind::List(_) | YamlKind::Map(_) => String::new(),
    }
}

fn field<'y>(yaml: &'y Yaml, name: &str) -> &'y str {
    yaml.get(name).and_then(Yaml::as_str).unwrap_or_default().trim()
}

fn filled(fields: [(&'static str, &str); 2], span: Span) -> Term {
    let filled = fields.into_iter().filter(|(_, value)| !value.is_empty());
    object(filled.map(|(name, value)| (name, text(value, span))).collect(), span)
}

fn related(yaml: &Yaml, span: Span) -> Term {
    match yaml.as_str() {
        Some(address) => filled([("ref", address), ("description", "")], span),
        None => filled([("ref", field(yaml, "ref")), ("description", field(yaml, "description"))], span),
    }
}

/// Takes an author apart: the last word of a text may be an address.
fn author(yaml: &Yaml, span: Span) -> Term {
    let Some(words) = yaml.as_str() else {
        return filled([("name", field(yaml, "name")), ("email", field(yaml, "email"))], span);
    };
    let mut words: Vec<&str> = words.split_whitespace().collect();
    let address = words.last().and_then(|it| it.strip_prefix('<')?.strip_suffix('>'));
    if address.is_some() {
        words.pop();
    }
    filled([("name", &words.join(" ")), ("email", address.unwrap_or_default())], span)
}

fn schema(yaml: &Yaml, span: Span) -> Term {
    let YamlKind::Map(entries) = &yaml.kind else { return object(Vec::new(), span) };
    let Some((path, schema)) = entries.first() else { return object(Vec::new(), span) };
    let path = ("path", reference(&scalar_text(path), span));
    let schema = match schema.as_str() {
        Some(name) => ("schema", reference(name, span)),
        None => ("definition", plain(schema, span)),
    };
    object(vec![path, schema], span)
}

/// Returns the parts of a reference as an array.
fn reference(written: &str, span: Span) -> Term {
    let options = lictor_syntax::ParseOptions::default();
    let parts = match parse_term(written, &options).tree.map(|it| it.kind) {
        Some(ast::TermKind::Ref(it)) => {
            [&it.head].into_iter().chain(&it.parts).map(|it| part(it, span)).collect()
        }
        Some(ast::TermKind::Var(name)) => vec![text(&name, span)],
        _ => Vec::new(),
    };
    Term::new(TermKind::Array(parts), span)
}
