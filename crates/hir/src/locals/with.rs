//! `with`: what may be replaced by what.
//!
//! Functions replace functions by name, so names are read here before anything takes them for values.

use lictor_syntax::{Span, ast};

use super::Lowering;
use crate::{
    diagnostics::with as faults,
    draft::{Callee, Head, Ref, Replacement, Target, Term, TermKind, With},
    index::{Index, ROOT},
    types::Declaration,
};

impl<'a> Lowering<'a> {
    pub(crate) fn with(&mut self, with: &'a [ast::With]) -> Vec<With> {
        let mut out = Vec::with_capacity(with.len());
        for it in with {
            if let Some(target) = self.with_target(&it.target) {
                let value = self.with_value(&it.value, &target);
                out.push(With { target, value, span: it.span });
            }
        }
        out
    }

    fn with_target(&mut self, target: &'a ast::Term) -> Option<Target> {
        match &target.kind {
            ast::TermKind::Ref(reference) => self.named_target(target, Some(reference)),
            ast::TermKind::Var(_) => self.named_target(target, None),
            _ => self.bad_target(target.span),
        }
    }

    /// Looks up a target that is a name (`reference` is none) or starts with one.
    fn named_target(&mut self, target: &'a ast::Term, reference: Option<&'a ast::Ref>) -> Option<Target> {
        let parts = reference.map_or(&[][..], |it| it.parts.as_slice());
        let head = reference.map_or(target, |it| &it.head).as_var()?;
        let mut path: Vec<Box<str>> = Vec::new();
        let root = if let Some((root, global)) = self.globals.path_of(head, self.scopes.is_ignored(head)) {
            path.extend(global.into_iter().map(Box::from));
            root
        } else if head != "input" && self.scopes.declared(head).is_some() {
            return self.bad_target(target.span);
        } else {
            head
        };
        for part in parts {
            match part.as_str() {
                Some(text) => path.push(text.into()),
                None => return self.bad_target(target.span),
            }
        }
        match root {
            "input" => Some(Target::Input(path)),
            "data" => self.data_target(path, target.span),
            _ => self.builtin_target(root, &path, target.span),
        }
    }

    fn bad_target(&mut self, span: Span) -> Option<Target> {
        self.found.with_faults.push(faults::bad_target(self.source, span));
        None
    }

    fn data_target(&mut self, path: Vec<Box<str>>, span: Span) -> Option<Target> {
        let index = self.ctx.index;
        if is_below_rule(index, &path) {
            self.found.with_faults.push(faults::partial_replacement(self.source, span));
            return None;
        }
        match function_named(index, path.iter().map(AsRef::as_ref)) {
            Some(callee) => Some(Target::Callee(callee)),
            None => Some(Target::Data(path)),
        }
    }

    fn builtin_target(&mut self, root: &str, path: &[Box<str>], span: Span) -> Option<Target> {
        let mut name = root.to_owned();
        for key in path {
            name.push('.');
            name.push_str(key);
        }
        let Some(at) = self.ctx.options.capabilities.position(&name) else {
            if self.ctx.options.absent.contains(&&*name) {
                let fault = crate::diagnostics::calls::not_available(self.source, span, &name);
                self.found.with_faults.push(fault);
                return None;
            }
            return self.bad_target(span);
        };
        let not_safe = self.why_not_safe(&name);
        let reason = not_safe.or_else(|| self.ctx.options.capabilities.at(at).and_then(why_not_replaced));
        if let Some(reason) = reason {
            self.found.with_faults.push(faults::bad_builtin(self.source, span, &reason));
            return None;
        }
        Some(Target::Callee(Callee::Builtin(at)))
    }

    /// Says why a built-in that must not be called must not be named either.
    fn why_not_safe(&self, name: &str) -> Option<String> {
        let listed = self.ctx.options.unsafe_builtins.iter().any(|it| **it == *name);
        listed.then(|| format!("target must not be unsafe: \"{name}\""))
    }

    fn with_value(&mut self, value: &'a ast::Term, target: &Target) -> Replacement {
        if let Target::Callee(_) = target
            && let Some(callee) = self.function_value(value)
        {
            return Replacement::Callee(callee);
        }
        let term = self.term(value);
        // OPA takes the name of a built-in for a reference, which makes a place of its own for the fault.
        match (term.kind, value.as_var()) {
            (TermKind::Var(var), Some(name)) if self.ctx.options.capabilities.position(name).is_some() => {
                let reference = Ref { head: Head::Var(var), parts: Vec::new() };
                Replacement::Term(Term::new(TermKind::Ref(Box::new(reference)), term.span))
            }
            (kind, _) => Replacement::Term(Term::new(kind, term.span)),
        }
    }

    /// Returns the function that a value names.
    fn function_value(&mut self, value: &'a ast::Term) -> Option<Callee> {
        let (head, parts) = match &value.kind {
            ast::TermKind::Var(name) => (&**name, &[][..]),
            ast::TermKind::Ref(reference) => (reference.head.as_var()?, reference.parts.as_slice()),
            _ => return None,
        };
        if self.scopes.declared(head).is_some() {
            return None;
        }
        let keys: Option<Vec<&str>> = parts.iter().map(ast::Term::as_str).collect();
        let keys = keys?;
        let (root, mut path) =
            self.globals.path_of(head, self.scopes.is_ignored(head)).unwrap_or((head, Vec::new()));
        path.extend(keys);
        if root == "data" {
            return function_named(self.ctx.index, path);
        }
        let mut name = root.to_owned();
        for key in path {
            name.push('.');
            name.push_str(key);
        }
        if self.ctx.options.absent.contains(&&*name) {
            let fault = crate::diagnostics::calls::not_available(self.source, value.span, &name);
            self.found.with_faults.push(fault);
        }
        let found = self.ctx.options.capabilities.position(&name)?;
        if let Some(reason) = self.why_not_safe(&name) {
            self.found.with_faults.push(faults::bad_builtin(self.source, value.span, &reason));
        }
        Some(Callee::Builtin(found))
    }
}

/// Tells whether a path leads into a rule's value.
fn is_below_rule(index: &Index, path: &[Box<str>]) -> bool {
    let mut node = ROOT;
    let Some((_, above)) = path.split_last() else { return false };
    for key in above {
        let Some(child) = index.child(node, key) else { return false };
        if index.node(child).is_some_and(|it| !it.rules.is_empty()) {
            return true;
        }
        node = child;
    }
    false
}

/// Returns a function with arguments at a path.
fn function_named<'p>(index: &Index, path: impl IntoIterator<Item = &'p str>) -> Option<Callee> {
    let node = index.node(index.find(path)?)?;
    let takes_arguments = node.rules.iter().any(|it| index.rule(*it).is_some_and(|it| it.arity() > 0));
    if takes_arguments { node.group.map(Callee::Function) } else { None }
}

fn why_not_replaced(declaration: &Declaration) -> Option<String> {
    let name = &*declaration.name;
    if matches!(name, "eq" | "rego.metadata.chain" | "rego.metadata.rule") {
        return Some(format!("replacement of \"{name}\" invalid"));
    }
    if name.starts_with("internal.") {
        return Some(format!("replacement of internal function \"{name}\" invalid"));
    }
    if declaration.flags.relation {
        return Some("target must not be a relation".to_owned());
    }
    if declaration.result.is_none() {
        return Some("target must not be a void function".to_owned());
    }
    None
}
