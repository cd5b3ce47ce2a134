//! Nodes: rules, expressions and terms, key by key in Go's order.
//!
//! Apart from metadata blocks, which are data with a form of their own. Which nodes OPA writes by
//! hand shows in its message for a number that cannot be written, so that they are kept on a list.

use crate::{
    ast::Module,
    shape::{self, Expr, ExprKind, Import, Logical, Operand, Part, Place, Rule, Term, Value, With},
    source::{Position, Source, Span},
    tree_json::{TreeError, TreeOptions, text},
};

/// Writes the JSON of one module.
pub(crate) struct Writer<'m> {
    pub(crate) out: String,
    pub(crate) source: &'m Source,
    pub(crate) options: TreeOptions,
    /// The types of the nodes that are open, as OPA names them.
    open: Vec<&'static str>,
    error: Option<TreeError>,
}

impl<'m> Writer<'m> {
    pub(crate) fn new(source: &'m Source, options: TreeOptions) -> Self {
        Self { out: String::new(), source, options, open: Vec::new(), error: None }
    }

    pub(crate) fn finish(self) -> Result<String, TreeError> {
        match self.error {
            Some(error) => Err(error),
            None => Ok(self.out),
        }
    }

    // Parts of objects and arrays.

    pub(crate) fn key(&mut self, name: &str) {
        if !self.out.ends_with('{') {
            self.out.push(',');
        }
        text::string(&mut self.out, name);
        self.out.push(':');
    }

    fn flag(&mut self, name: &str, value: bool) {
        if value {
            self.key(name);
            self.out.push_str("true");
        }
    }

    /// Writes an object with what `fields` writes; `ty` is OPA's type of the node.
    fn node(&mut self, ty: &'static str, fields: impl FnOnce(&mut Self)) {
        self.open.push(ty);
        self.out.push('{');
        fields(self);
        self.out.push('}');
        self.open.pop();
    }

    pub(crate) fn list<T>(&mut self, items: &[T], mut item: impl FnMut(&mut Self, &T)) {
        self.out.push('[');
        for (idx, it) in items.iter().enumerate() {
            if idx > 0 {
                self.out.push(',');
            }
            item(self, it);
        }
        self.out.push(']');
    }

    /// Writes a place if places are asked for.
    pub(crate) fn location(&mut self, place: Place) {
        if self.options.locations && place.is_some() {
            self.key("location");
            self.place(place.at, self.source.slice(place.text));
        }
    }

    /// Writes a place with its text, which is left out where there is none.
    pub(crate) fn place(&mut self, at: u32, piece: &str) {
        let mut position = self.source.position(at);
        if self.source.text().as_bytes().get(at as usize) == Some(&b'\n') {
            // A line break stands in the row that it begins, as OPA's lexer counts.
            position = Position { row: position.row + 1, col: 0 };
        }
        self.out.push_str("{\"file\":");
        text::string(&mut self.out, self.source.name());
        self.out.push_str(&format!(",\"row\":{},\"col\":{}", position.row, position.col));
        if self.options.locations && !piece.is_empty() {
            self.out.push_str(",\"text\":");
            text::base64(&mut self.out, piece.as_bytes());
        }
        self.out.push('}');
    }

    // Statements.

    pub(crate) fn module(&mut self, module: &Module, shaped: &shape::Module<'_>) {
        self.out.push('{');
        self.key("package");
        self.node("*ast.Package", |it| {
            it.location(shaped.package.place);
            it.key("path");
            it.terms(&shaped.package.path);
        });
        if !shaped.imports.is_empty() {
            self.key("imports");
            self.list(&shaped.imports, Self::import);
        }
        if !module.annotations.is_empty() {
            self.key("annotations");
            self.list(&module.annotations, Self::annotation);
        }
        if !shaped.rules.is_empty() {
            self.key("rules");
            self.list(&shaped.rules, |it, rule| it.rule(rule, module));
        }
        if self.options.comments && !module.comments.is_empty() {
            self.comments(module);
        }
        self.out.push('}');
    }

    fn import(&mut self, import: &Import<'_>) {
        self.node("*ast.Import", |it| {
            if let Some((alias, place)) = import.alias {
                it.key("alias");
                text::string(&mut it.out, alias);
                if it.options.locations {
                    it.key("alias_location");
                    it.place(place.at, it.source.slice(place.text));
                }
            }
            it.location(import.place);
            it.key("path");
            it.term(&import.path);
        });
    }

    fn comments(&mut self, module: &Module) {
        self.key("comments");
        let blocks = &module.annotations;
        self.list(&module.comments, |it, comment| {
            let rest = it.source.text().get(comment.span.start as usize..).unwrap_or_default();
            let line = rest.split('\n').next().unwrap_or_default();
            it.out.push_str("{\"Text\":");
            let body = line.strip_prefix('#').unwrap_or_default();
            text::base64(&mut it.out, without_returns(body).as_bytes());
            it.out.push_str(",\"Location\":");
            // The first line of a metadata block stands for all of it.
            let block = blocks.iter().find(|block| block.span.start == comment.span.start);
            match block {
                Some(block) => {
                    let text = it.block_text(block.span);
                    it.place(comment.span.start, &text);
                }
                None => it.place(comment.span.start, line),
            }
            it.out.push('}');
        });
    }

    /// Returns the text that OPA makes of a metadata block.
    pub(crate) fn block_text(&self, span: Span) -> String {
        let mut lines = self.source.slice(span).lines();
        lines.next();
        let mut out = "# METADATA\n".to_owned();
        for (idx, line) in lines.enumerate() {
            let line = line.strip_prefix('#').unwrap_or(line);
            if idx > 0 {
                out.push('\n');
            }
            out.push_str("# ");
            out.push_str(line.strip_prefix(' ').unwrap_or(line));
        }
        out
    }

    fn rule(&mut self, rule: &Rule<'_>, module: &Module) {
        self.node("*ast.Rule", |it| {
            let is_branch = rule.place.at != rule.source.span.start && !rule.default;
            let annotations: Vec<_> = rule.source.annotations.iter().collect();
            if !annotations.is_empty() && !is_branch {
                it.key("annotations");
                it.list(&annotations, |it, idx| {
                    if let Some(annotation) = module.annotations.get(**idx as usize) {
                        it.annotation(annotation);
                    }
                });
            }
            it.key("body");
            it.body(&rule.body);
            it.flag("default", rule.default);
            if let Some(otherwise) = &rule.otherwise {
                it.key("else");
                it.rule(otherwise, module);
            }
            it.key("head");
            it.head(&rule.head);
            it.location(rule.place);
        });
    }

    fn head(&mut self, head: &shape::Head<'_>) {
        self.node("*ast.Head", |it| {
            if let Some(name) = head.name {
                it.key("name");
                text::string(&mut it.out, name);
            }
            if !head.args.is_empty() {
                it.key("args");
                it.terms(&head.args);
            }
            for (name, term) in [("key", &head.key), ("value", &head.value)] {
                if let Some(term) = term {
                    it.key(name);
                    it.term(term);
                }
            }
            it.flag("assign", head.assign);
            it.key("ref");
            it.terms(&head.reference);
            it.location(head.place);
        });
    }

    // Expressions.

    fn body(&mut self, body: &[Expr<'_>]) {
        self.open.push("ast.Body");
        self.out.push('[');
        for (idx, expr) in body.iter().enumerate() {
            if idx > 0 {
                self.out.push(',');
            }
            self.expr(expr, idx);
        }
        self.out.push(']');
        self.open.pop();
    }

    fn expr(&mut self, expr: &Expr<'_>, idx: usize) {
        self.node("*ast.Expr", |it| {
            it.flag("generated", expr.generated);
            it.key("index");
            it.out.push_str(&idx.to_string());
            it.location(expr.place);
            it.flag("negated", expr.negated);
            it.key("terms");
            it.expr_kind(&expr.kind);
            if !expr.with.is_empty() {
                it.key("with");
                it.list(&expr.with, Self::with);
            }
        });
    }

    fn with(&mut self, with: &With<'_>) {
        self.node("*ast.With", |it| {
            it.location(with.place);
            it.key("target");
            it.term(&with.target);
            it.key("value");
            it.term(&with.value);
        });
    }

    fn expr_kind(&mut self, kind: &ExprKind<'_>) {
        match kind {
            ExprKind::Term(term) => self.term(term),
            ExprKind::Call(terms) => self.terms(terms),
            ExprKind::Some { place, symbols } => self.node("*ast.SomeDecl", |it| {
                it.location(*place);
                it.key("symbols");
                it.terms(symbols);
            }),
            ExprKind::Every(every) => self.node("*ast.Every", |it| {
                it.key("body");
                it.body(&every.body);
                it.key("domain");
                it.term(&every.domain);
                it.key("key");
                match &every.key {
                    Some(key) => it.term(key),
                    None => it.out.push_str("null"),
                }
                it.location(every.place);
                it.key("value");
                it.term(&every.value);
            }),
            ExprKind::Not(operand) => self.not(operand),
            ExprKind::And(logical) => self.logical("*ast.LogicalAnd", logical, "and"),
            ExprKind::Or(logical) => self.logical("*ast.LogicalOr", logical, "or"),
        }
    }

    fn not(&mut self, operand: &Operand<'_>) {
        self.node("*ast.Not", |it| {
            it.key("body");
            it.body(&operand.body);
            it.key("explicit_body");
            it.out.push_str(if operand.explicit { "true" } else { "false" });
            it.key("type");
            it.out.push_str("\"not\"");
        });
    }

    fn logical(&mut self, ty: &'static str, logical: &Logical<'_>, name: &str) {
        self.node(ty, |it| {
            it.flag("explicit_lhs", logical.lhs.explicit);
            it.flag("explicit_rhs", logical.rhs.explicit);
            it.key("lhs");
            it.body(&logical.lhs.body);
            it.key("rhs");
            it.body(&logical.rhs.body);
            it.key("type");
            text::string(&mut it.out, name);
        });
    }

    // Terms.

    pub(crate) fn terms(&mut self, terms: &[Term<'_>]) {
        self.list(terms, Self::term);
    }

    pub(crate) fn term(&mut self, term: &Term<'_>) {
        self.node("*ast.Term", |it| {
            it.location(term.place);
            it.key("type");
            text::string(&mut it.out, term.value.name());
            it.key("value");
            it.value(&term.value);
        });
    }

    fn value(&mut self, value: &Value<'_>) {
        match value {
            Value::Null => self.out.push_str("{}"),
            Value::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            Value::Number(number) => self.number(number),
            Value::String(string) => text::string(&mut self.out, string),
            Value::Var(name) => text::string(&mut self.out, name),
            Value::Ref(terms) | Value::Call(terms) => self.terms(terms),
            Value::Array(terms) => self.collection("*ast.Array", terms),
            Value::Set(terms) => self.collection("*ast.set", terms),
            Value::Object(pairs) => {
                self.open.push("*ast.object");
                self.list(pairs, |it, (key, value)| {
                    it.out.push('[');
                    it.term(key);
                    it.out.push(',');
                    it.term(value);
                    it.out.push(']');
                });
                self.open.pop();
            }
            Value::ArrayCompr(compr) | Value::SetCompr(compr) => {
                self.out.push_str("{\"term\":");
                self.term(&compr.term);
                self.key("body");
                self.body(&compr.body);
                self.out.push('}');
            }
            Value::ObjectCompr(compr) => {
                self.out.push_str("{\"key\":");
                self.term(&compr.key);
                self.key("value");
                self.term(&compr.value);
                self.key("body");
                self.body(&compr.body);
                self.out.push('}');
            }
            Value::Template { parts, raw } => self.template(parts, *raw),
        }
    }

    fn collection(&mut self, ty: &'static str, terms: &[Term<'_>]) {
        self.open.push(ty);
        self.terms(terms);
        self.open.pop();
    }

    fn template(&mut self, parts: &[Part<'_>], raw: bool) {
        self.out.push_str("{\"parts\":");
        if parts.is_empty() {
            self.out.push_str("null");
        } else {
            self.list(parts, |it, part| match part {
                Part::Term(term) => it.term(term),
                Part::Expr(expr) => it.expr(expr, 0),
            });
        }
        self.key("multi_line");
        self.out.push_str(if raw { "true" } else { "false" });
        self.out.push('}');
    }

    fn number(&mut self, number: &str) {
        if text::is_number(number) {
            return self.out.push_str(number);
        }
        if self.error.is_none() {
            let types = self.open.iter().chain(&["ast.Number"]);
            let callers: String =
                types.map(|ty| format!("json: error calling MarshalJSON for type {ty}: ")).collect();
            self.error = Some(TreeError(format!("{callers}json: invalid number literal \"{number}\"")));
        }
    }
}

/// Takes off the carriage returns at the end of a comment, but for one that is its only character
/// beside others, as OPA does.
fn without_returns(text: &str) -> &str {
    if text == "\r" {
        return "";
    }
    let mut text = text;
    while text.len() > 1
        && let Some(shorter) = text.strip_suffix('\r')
    {
        text = shorter;
    }
    text
}
