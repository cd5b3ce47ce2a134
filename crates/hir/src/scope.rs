//! Scopes of local variables: what a name means at a place of a rule, and whether it may be declared there.
//!
//! Apart from the walk that uses it because these rules are OPA's own and delicate: a name that nobody declared is one
//! variable in the whole branch; a declaration counts from its place on, but hides a rule or import of the same name
//! in the whole body (see [`Scopes::ignore`]). Nothing here reads the tree.

use lictor_syntax::Span;
use rustc_hash::FxHashMap;

use crate::{draft::VarInfo, tree::VarId, varset::VarSet};

/// What names start with that OPA generates, wherever they come from.
pub(crate) const GENERATED: &str = "__local";

/// How a name first occurred in a scope.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Occurrence {
    /// As an argument of the function.
    Argument,
    /// By being used.
    Seen,
    /// Left of `:=`.
    Assigned,
    /// By `some` or `every`.
    Declared,
}

/// Stands for the variable of a name that was read as something else.
const NO_VAR: VarId = VarId(u32::MAX);

#[derive(Clone, Debug)]
pub(crate) struct Local {
    pub(crate) var: VarId,
    pub(crate) occurrence: Occurrence,
    /// How often it occurs, its declaration counted.
    pub(crate) count: u32,
    /// The expression that declared it.
    pub(crate) span: Span,
}

/// A scope: its names with an order, so that faults come out in one.
#[derive(Clone, Debug, Default)]
pub(crate) struct Scope<'a> {
    names: FxHashMap<&'a str, usize>,
    locals: Vec<(&'a str, Local)>,
}

impl<'a> Scope<'a> {
    fn get_mut(&mut self, name: &str) -> Option<&mut Local> {
        // Most scopes hold few names, and comparing them is faster than hashing.
        if self.locals.len() <= 8 {
            return self.locals.iter_mut().find(|(it, _)| *it == name).map(|(_, it)| it);
        }
        let at = *self.names.get(name)?;
        self.locals.get_mut(at).map(|(_, it)| it)
    }

    fn insert(&mut self, name: &'a str, local: Local) {
        if self.locals.len() == 8 {
            self.names = self.locals.iter().enumerate().map(|(at, (name, _))| (*name, at)).collect();
        }
        if self.locals.len() >= 8 {
            self.names.insert(name, self.locals.len());
        }
        self.locals.push((name, local));
    }

    pub(crate) fn locals(&self) -> &[(&'a str, Local)] {
        &self.locals
    }
}

/// All scopes at a place, and the variables of the rule.
#[derive(Debug, Default)]
pub(crate) struct Scopes<'a> {
    pub(crate) vars: Vec<VarInfo>,
    stack: Vec<Scope<'a>>,
    /// Names that nobody declared.
    plain: FxHashMap<&'a str, VarId>,
    /// Those of them in patterns of arguments.
    plain_arguments: FxHashMap<&'a str, VarId>,
    ignored: FxHashMap<&'a str, u32>,
}

impl<'a> Scopes<'a> {
    /// Forgets everything, for the next rule.
    pub(crate) fn restart(&mut self) {
        self.vars.clear();
        self.stack.clear();
        self.plain.clear();
        self.plain_arguments.clear();
        self.ignored.clear();
    }

    pub(crate) fn push(&mut self, scope: Scope<'a>) {
        self.stack.push(scope);
    }

    pub(crate) fn pop(&mut self) -> Scope<'a> {
        self.stack.pop().unwrap_or_default()
    }

    /// Ends the arguments: what is left is the scope that each branch starts with.
    pub(crate) fn end_arguments(&mut self) -> Scope<'a> {
        let all = self.pop();
        let mut arguments = Scope::default();
        for (name, local) in all.locals.into_iter().filter(|(_, it)| it.occurrence == Occurrence::Argument) {
            arguments.insert(name, local);
        }
        self.plain_arguments = self.plain.clone();
        arguments
    }

    /// Starts another branch of the rule, which shares nothing with the ones before but what arguments name.
    pub(crate) fn start_branch(&mut self, arguments: Scope<'a>) {
        self.stack.clear();
        self.stack.push(arguments);
        self.plain.clone_from(&self.plain_arguments);
    }

    /// Makes names hide rules and imports until [`Scopes::heed`].
    pub(crate) fn ignore(&mut self, names: &[&'a str]) {
        for name in names {
            *self.ignored.entry(name).or_insert(0) += 1;
        }
    }

    pub(crate) fn heed(&mut self, names: &[&'a str]) {
        for name in names {
            if let Some(count) = self.ignored.get_mut(name) {
                *count = count.saturating_sub(1);
            }
        }
    }

    pub(crate) fn is_ignored(&self, name: &str) -> bool {
        self.ignored.get(name).is_some_and(|it| *it > 0)
    }

    pub(crate) fn generate(&mut self) -> VarId {
        generate(&mut self.vars)
    }

    /// Says whether a variable was declared, or made for what has no name.
    pub(crate) fn is_declared(&self, var: VarId) -> bool {
        self.vars.get(var.0 as usize).is_some_and(|it| it.declared)
    }

    fn named(&mut self, name: &str, declared: bool) -> VarId {
        let id = VarId(u32::try_from(self.vars.len()).unwrap_or(u32::MAX));
        self.vars.push(VarInfo {
            name: name.into(),
            generated: name.starts_with('$') || name.starts_with(GENERATED),
            declared,
        });
        id
    }

    /// Returns what a name was declared as; not if it was only seen.
    pub(crate) fn declared(&mut self, name: &str) -> Option<VarId> {
        let local = self.stack.iter_mut().rev().find_map(|it| it.get_mut(name))?;
        (local.occurrence != Occurrence::Seen).then_some(local.var)
    }

    /// Returns the variable that a root which stands alone means. Outside of bodies that uses any variable, inside
    /// only one that `some` declared.
    pub(crate) fn use_root(&mut self, name: &str, outside: bool) -> Option<VarId> {
        let local = self.stack.iter_mut().rev().find_map(|it| it.get_mut(name))?;
        if local.occurrence == Occurrence::Seen {
            return None;
        }
        local.count += u32::from(outside || local.occurrence == Occurrence::Declared);
        Some(local.var)
    }

    /// Tells whether a name is declared in the scope of a given depth or one inside of it.
    pub(crate) fn is_declared_within(&mut self, name: &str, depth: usize) -> bool {
        let inner = self.stack.get_mut(depth..).unwrap_or_default();
        let local = inner.iter_mut().rev().find_map(|it| it.get_mut(name));
        local.is_some_and(|it| it.occurrence != Occurrence::Seen)
    }

    /// Returns the variable that a declared name means, and counts the use.
    pub(crate) fn use_declared(&mut self, name: &str) -> Option<VarId> {
        let local = self.stack.iter_mut().rev().find_map(|it| it.get_mut(name))?;
        local.count += 1;
        (local.occurrence != Occurrence::Seen).then_some(local.var)
    }

    /// Returns the variable that a name means.
    pub(crate) fn use_name(&mut self, name: &'a str) -> VarId {
        if let Some(local) = self.stack.iter_mut().rev().find_map(|it| it.get_mut(name)) {
            local.count += 1;
            if local.var != NO_VAR {
                return local.var;
            }
            let var = self.plain(name);
            if let Some(local) = self.stack.iter_mut().rev().find_map(|it| it.get_mut(name)) {
                local.var = var;
            }
            return var;
        }
        let var = self.plain(name);
        let local = Local { var, occurrence: Occurrence::Seen, count: 1, span: Span::default() };
        if let Some(top) = self.stack.last_mut() {
            top.insert(name, local);
        }
        var
    }

    /// Notes that a name was read which is no variable there (`input`, a function), so that it may not be declared
    /// any more.
    pub(crate) fn see(&mut self, name: &'a str) {
        if self.stack.iter_mut().rev().any(|it| it.get_mut(name).is_some()) {
            return;
        }
        let local = Local { var: NO_VAR, occurrence: Occurrence::Seen, count: 1, span: Span::default() };
        if let Some(top) = self.stack.last_mut() {
            top.insert(name, local);
        }
    }

    /// Tells whether the innermost scope saw a name that nobody declared.
    pub(crate) fn is_seen(&mut self, name: &str) -> bool {
        let local = self.stack.last_mut().and_then(|it| it.get_mut(name));
        local.is_some_and(|it| it.occurrence == Occurrence::Seen && it.var != NO_VAR)
    }

    /// Returns the variable of a name that nobody declared.
    pub(crate) fn plain(&mut self, name: &'a str) -> VarId {
        if let Some(var) = self.plain.get(name) {
            return *var;
        }
        let var = self.named(name, false);
        self.plain.insert(name, var);
        var
    }

    /// Returns the variables of names that nobody declared.
    #[expect(clippy::iter_over_hash_type, reason = "a set of bits is the same in any order")]
    pub(crate) fn plain_vars(&self) -> VarSet {
        let mut vars = VarSet::default();
        for var in self.plain.values() {
            vars.insert(*var);
        }
        vars
    }

    /// Declares a name in the innermost scope, or tells how it occurred there before.
    pub(crate) fn declare(
        &mut self,
        name: &'a str,
        occurrence: Occurrence,
        span: Span,
    ) -> Result<VarId, Occurrence> {
        if let Some(found) = self.stack.last_mut().and_then(|it| it.get_mut(name)) {
            return Err(found.occurrence);
        }
        let var = self.named(name, true);
        if let Some(top) = self.stack.last_mut() {
            top.insert(name, Local { var, occurrence, count: 1, span });
        }
        Ok(var)
    }
}

/// Makes a variable that no source names.
pub(crate) fn generate(vars: &mut Vec<VarInfo>) -> VarId {
    let id = VarId(u32::try_from(vars.len()).unwrap_or(u32::MAX));
    vars.push(VarInfo { name: Box::default(), generated: true, declared: true });
    id
}
