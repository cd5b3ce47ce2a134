//! Rules: heads with bodies, `else` branches and further bodies, and default rules.
//!
//! Here is settled which heads of V0 are partial sets. What V1 demands of rules is checked once
//! the whole module is read, in the file on modules.

use crate::{
    ast::{Body, ElseBranch, Expr, ExprKind, Head, Rule, Term, TermKind, is_wildcard},
    parser::cursor::Parser,
    source::Span,
    tokens::Kind,
    visit::{is_ground, place_body, place_term, walk_terms},
};

/// Is what a statement turned out to be.
pub(crate) enum Outcome {
    /// One rule, or several with the same head.
    Rules(Vec<Rule>),
    /// A head with a value and no body, which reads the same as an expression.
    Binding(Box<Expr>),
    /// No rule, or a faulty one.
    None,
}

impl From<Option<Vec<Rule>>> for Outcome {
    fn from(rules: Option<Vec<Rule>>) -> Self {
        rules.map_or(Self::None, Self::Rules)
    }
}

impl Parser<'_> {
    /// Reports a keyword that is used as a rule's name; answers whether it did.
    pub(crate) fn keyword_rule_name(&mut self, after_default: bool) -> bool {
        let next = self.peek().0;
        let names_rule = match (self.tok(), next) {
            (tok, _) if !tok.is_keyword() => false,
            (Kind::Default | Kind::Else | Kind::With | Kind::Null | Kind::True | Kind::False, _) => false,
            _ if after_default => true,
            (Kind::Contains, next) => matches!(next, Kind::If | Kind::Contains),
            (_, Kind::Assign | Kind::Unify) => true,
            (Kind::Package | Kind::Import, next) => next == Kind::LParen,
            (Kind::Not | Kind::LogicalAnd | Kind::LogicalOr, next) => {
                matches!(next, Kind::If | Kind::Contains)
            }
            (_, next) => matches!(next, Kind::If | Kind::Contains | Kind::LParen),
        };
        if names_rule {
            let message = format!("{} keyword cannot be used for rule name", self.tok().name());
            self.error(self.span(), "keyword-rule-name", message);
        }
        names_rule
    }

    /// Parses one rule, with its further bodies as rules of their own.
    pub(crate) fn rules(&mut self) -> Outcome {
        let start = self.span().start;
        self.keyword_as_name();
        let default = self.eat(Kind::Default);
        if default {
            self.keyword_as_name();
        }
        if self.tok() != Kind::Ident {
            if default {
                self.keyword_rule_name(true);
            }
            return Outcome::None;
        }
        let faults = self.fault_count();
        let Some(head) = self.head(default) else {
            return Outcome::None;
        };
        if default {
            let head = head.into_head();
            return head.and_then(|head| self.default_rule(head, start)).into();
        }
        let has_body = matches!(self.tok(), Kind::If | Kind::LBrace);
        if !has_body && self.fault_count() == faults && head.is_binding() && !self.continues_expr() {
            let binding = head.into_binding();
            return binding.map_or(Outcome::None, |expr| Outcome::Binding(Box::new(expr)));
        }
        let head = head.into_head();
        head.and_then(|head| self.rule_after_head(head, start)).into()
    }

    /// Takes a keyword that starts a reference for a name.
    fn keyword_as_name(&mut self) {
        if self.is_keyword_in_ref() && self.ref_follows() {
            self.as_ident();
        }
    }

    fn continues_expr(&self) -> bool {
        matches!(self.tok(), Kind::With | Kind::Semicolon | Kind::LogicalAnd | Kind::LogicalOr)
    }

    fn rule_after_head(&mut self, mut head: Head, start: u32) -> Option<Vec<Rule>> {
        head.has_if = self.tok() == Kind::If;
        let has_key = settle_key(&mut head);
        let body = if head.has_if {
            self.bump();
            Some(self.body_after_if()?)
        } else if self.tok() == Kind::LBrace {
            Some(self.braced_body()?)
        } else if head.contains {
            None
        } else {
            return None;
        };
        let mut rule = Rule {
            default: false,
            head,
            body,
            else_branches: Vec::new(),
            chained: false,
            span: self.since(start),
            annotations: Vec::new(),
        };
        if rule.body.is_none() {
            return Some(vec![rule]);
        }
        if self.tok() == Kind::Else {
            if self.ref_follows() {
                self.as_ident();
            } else {
                rule.else_branches = self.else_branches(&rule.head, has_key)?;
                rule.span = self.since(start);
            }
        }
        self.chained_rules(rule)
    }

    fn braced_body(&mut self) -> Option<Body> {
        self.bump();
        let body = self.body(Kind::RBrace)?;
        self.bump();
        Some(body)
    }

    /// Parses the body behind `if`: one expression or braces. What braces hold is a body if it
    /// reads as a set too.
    fn body_after_if(&mut self) -> Option<Body> {
        let saved = self.save();
        let braced = self.tok() == Kind::LBrace;
        if let Some(expr) = self.literal() {
            let is_set = matches!(&expr.kind, ExprKind::Term(term)
                if matches!(term.kind, TermKind::Set(_)));
            if !(is_set && braced) {
                return Some(vec![expr]);
            }
        }
        if !braced {
            return None;
        }
        self.restore(saved);
        self.braced_body()
    }

    fn chained_rules(&mut self, rule: Rule) -> Option<Vec<Rule>> {
        let mut rules = vec![rule];
        while self.tok() == Kind::LBrace {
            let first = rules.first()?;
            if !first.else_branches.is_empty() {
                self.error(self.span(), "bad-else", "expected else keyword");
                return None;
            }
            let head = first.head.clone();
            let start = self.span().start;
            let body = self.braced_body()?;
            let span = self.since(start);
            let head = self.chained_head(head, span);
            rules.push(Rule {
                default: false,
                head,
                body: Some(body),
                else_branches: Vec::new(),
                chained: true,
                span,
                annotations: Vec::new(),
            });
        }
        Some(rules)
    }

    /// Makes the head of a further body of that of the first.
    fn chained_head(&mut self, mut head: Head, span: Span) -> Head {
        for arg in head.args.iter_mut().flatten() {
            if arg.as_var().is_some_and(is_wildcard) {
                arg.kind = TermKind::Var(self.wildcard());
            }
        }
        head.span = span;
        head.reference.span = span;
        let parts = std::iter::once(&mut head.reference.head).chain(&mut head.reference.parts);
        let rest = head.args.iter_mut().flatten();
        let rest = rest.chain(&mut head.key).chain(&mut head.value);
        for term in parts.chain(rest) {
            place_term(term, span);
        }
        head
    }

    fn else_branches(&mut self, head: &Head, has_key: bool) -> Option<Vec<ElseBranch>> {
        let refused = if !head.reference.parts.iter().all(is_ground) {
            Some("else keyword cannot be used on rules with variables in head")
        } else if has_key {
            Some("else keyword cannot be used on multi-value rules")
        } else {
            None
        };
        if let Some(message) = refused {
            self.error(self.span(), "bad-else", message);
            return None;
        }
        let mut branches = Vec::new();
        while self.tok() == Kind::Else {
            let branch = self.else_branch(head)?;
            let last = branch.body.is_none();
            branches.push(branch);
            if last {
                break;
            }
        }
        Some(branches)
    }

    fn else_branch(&mut self, head: &Head) -> Option<ElseBranch> {
        let start = self.span().start;
        let args = head.args.iter().flatten();
        let wildcards = args.filter(|arg| arg.as_var().is_some_and(is_wildcard)).count();
        let first_wildcard = self.skip_wildcards(wildcards);
        self.bump();
        let mut branch = ElseBranch {
            value: None,
            assign: self.tok() == Kind::Assign,
            has_if: false,
            body: None,
            span: Span::default(),
            first_wildcard,
        };
        match self.tok() {
            Kind::LBrace | Kind::If => {}
            Kind::Assign | Kind::Unify => {
                self.bump();
                branch.value = Some(self.infix_term()?);
            }
            _ => {
                self.unexpected("expected else value term or rule body");
                return None;
            }
        }
        branch.has_if = self.eat(Kind::If);
        if self.tok() == Kind::LBrace {
            branch.body = Some(self.braced_body()?);
        } else if branch.has_if {
            if self.tok() == Kind::Eof {
                self.unexpected("rule body expected");
                return None;
            }
            let mut body = vec![self.literal()?];
            place_body(&mut body, self.since(start));
            branch.body = Some(body);
        }
        branch.span = self.since(start);
        Some(branch)
    }

    fn default_rule(&mut self, head: Head, start: u32) -> Option<Vec<Rule>> {
        let span = Span::new(start, start + 1);
        let plain = head.args.as_ref().is_none_or(Vec::is_empty);
        let valid = match &head.value {
            Some(value) => self.check_default_value(value, span),
            None if head.key.is_none() && (head.reference.parts.len() != 1 || !plain) => true,
            None => {
                let message = "illegal default rule (must have a value)";
                self.error(span, "bad-default-rule", message);
                false
            }
        };
        if !valid || !self.check_default_args(head.args.as_deref().unwrap_or_default(), span) {
            return None;
        }
        Some(vec![Rule {
            default: true,
            head,
            body: None,
            else_branches: Vec::new(),
            chained: false,
            span: self.since(start),
            annotations: Vec::new(),
        }])
    }

    fn check_default_value(&mut self, value: &Term, span: Span) -> bool {
        let mut found = Vec::new();
        walk_terms(value, &mut |term| match term.kind {
            TermKind::Var(_) | TermKind::Ref(_) | TermKind::Call(_) => {
                found.push(term.kind.name());
                false
            }
            TermKind::ArrayCompr(_) | TermKind::SetCompr(_) | TermKind::ObjectCompr(_) => false,
            _ => true,
        });
        for name in &found {
            let message = format!("illegal default rule (value cannot contain {name})");
            self.error(span, "bad-default-rule", message);
        }
        found.is_empty()
    }

    fn check_default_args(&mut self, args: &[Term], span: Span) -> bool {
        let mut seen: Vec<&str> = Vec::new();
        let mut valid = true;
        for arg in args {
            let message = match arg.as_var() {
                None => format!("arguments cannot contain {}", arg.kind.name()),
                Some(name) if seen.contains(&name) => {
                    format!("arguments cannot be repeated {name}")
                }
                Some(name) => {
                    seen.push(name);
                    continue;
                }
            };
            let message = format!("illegal default rule ({message})");
            self.error(span, "bad-default-rule", message);
            valid = false;
        }
        valid
    }
}

/// Moves the key of V0's partial sets out of the reference; answers whether OPA counts the head
/// as one with a key, which cannot have `else`.
fn settle_key(head: &mut Head) -> bool {
    if head.contains {
        return true;
    }
    let is_function = head.args.as_ref().is_some_and(|args| !args.is_empty());
    let [key] = head.reference.parts.as_slice() else {
        return false;
    };
    if is_function {
        return false;
    }
    if head.has_if {
        return !is_ground(key) || matches!(key.kind, TermKind::Ref(_));
    }
    if head.value.is_none() {
        head.key = head.reference.parts.pop();
        head.reference.span = head.reference.head.span;
    }
    true
}
