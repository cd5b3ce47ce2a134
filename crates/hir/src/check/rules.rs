//! Rules: the type that each branch gives its document or function, in the order of dependency.
//!
//! The branches of all rules of one name together make its type. A branch with a fault makes it `any`, so that those
//! who use it are not blamed for it.

use std::rc::Rc;

use lictor_syntax::Diagnostic;

use crate::{
    check::{
        Checker, Scene, Sources, Types,
        documents::Root,
        overrides::{Overrides, Subject},
        replaced::Dependents,
    },
    index::Index,
    recursion::Graph,
    tree::{Expr, Hir, Place, RefHead, Rule, RuleId, Term, TermKind},
    types::{Capabilities, Type},
};

/// What rules are checked by.
pub(crate) struct Given<'a> {
    pub(crate) hir: &'a Hir,
    pub(crate) index: &'a Index,
    pub(crate) graph: &'a Graph,
    pub(crate) capabilities: &'a Capabilities,
    pub(crate) overrides: &'a Overrides<'a>,
}

/// One branch of a rule.
struct Branch<'a> {
    rule: &'a Rule,
    value: &'a Term,
    body: &'a [Expr],
    place: Place,
}

/// Checks all rules and returns what they are, and the faults.
pub(crate) fn check(given: &Given<'_>, mut types: Types) -> (Types, Vec<Diagnostic>) {
    let dependents = Dependents::new(given.index, given.graph);
    let sources = Sources { files: &given.hir.sources, query: None };
    let mut found = Vec::new();
    for (id, at) in given.graph.order(given.index, starts(given.hir)) {
        let Some(branch) = branch_of(given.hir, id, at) else { continue };
        let Some(path) = given.index.rule(id).map(|it| given.index.path(it.node)) else { continue };
        let scene =
            Scene { capabilities: given.capabilities, types: &types, sources, dependents: &dependents };
        let group = given.hir.groups.get(branch.rule.group.0 as usize);
        let ground = path.len().saturating_sub(group.map_or(0, |it| it.path.len()));
        let mut checker = Checker::new(scene, &branch.rule.vars, branch.body);
        if !given.overrides.is_empty()
            && let Some(subject) = subject(given, id, at)
        {
            checker.layers.push(Rc::default());
            found.extend(checker.override_documents(given.overrides, subject, branch.place));
        }
        match branch_type(&mut checker, &branch, ground) {
            Ok(Type::Unknown) => {}
            Ok(ty) => types.documents.insert(&path, ty),
            Err(faults) => {
                found.extend(faults);
                types.documents.put(Root::Data, path, Type::Any);
            }
        }
    }
    (types, found)
}

/// Returns the rules in the order of their places.
fn starts(hir: &Hir) -> Vec<RuleId> {
    let file = |it: &RuleId| {
        let rule = hir.rules.get(it.0 as usize)?;
        Some(hir.sources.get(rule.place.file.0 as usize)?.name())
    };
    let count = u32::try_from(hir.rules.len()).unwrap_or(u32::MAX);
    let mut out: Vec<RuleId> = (0..count).map(RuleId).collect();
    out.sort_by(|a, b| file(a).cmp(&file(b)));
    out
}

fn branch_of(hir: &Hir, id: RuleId, at: usize) -> Option<Branch<'_>> {
    let rule = hir.rules.get(id.0 as usize)?;
    let mut branch = Branch { rule, value: &rule.value, body: &rule.body, place: rule.place };
    let mut other = rule.else_branch.as_deref();
    for _ in 0..at {
        let it = other?;
        branch = Branch { rule, value: &it.value, body: &it.body, place: it.place };
        other = it.else_branch.as_deref();
    }
    Some(branch)
}

/// Returns whose annotations count for a branch: those above a rule are not those of its `else`.
fn subject(given: &Given<'_>, id: RuleId, at: usize) -> Option<Subject> {
    let module = given.index.rule(id)?.module as usize;
    let first = *given.index.first_rule.get(module)?;
    let rule = u32::try_from((id.0 as usize).checked_sub(first)?).ok()?;
    Some(Subject { module, rule, own: at == 0 })
}

/// Returns what a branch makes: unknown if that cannot be told, the faults if there are any.
fn branch_type(
    checker: &mut Checker<'_>,
    branch: &Branch<'_>,
    ground: usize,
) -> Result<Type, Vec<Diagnostic>> {
    let rule = branch.rule;
    let faults = checker.body(branch.body);
    if !faults.is_empty() {
        return Err(faults);
    }
    if !rule.args.is_empty() {
        return Ok(checker.function_type(&rule.args, branch.value));
    }
    let value = checker.type_of(branch.value);
    let ty = match value {
        Type::Unknown => return Ok(Type::Unknown),
        ty if rule.contains => Type::set(ty),
        ty => ty,
    };
    // Each part of the path from the first variable on is a level of objects.
    let behind = rule.keys.get(ground..).unwrap_or_default();
    let nested = |ty, key: &Term| {
        let key = checker.type_of(key).known()?.clone();
        Some(Type::object(Vec::new(), Some((key, ty))))
    };
    let mut checked = behind.iter().rev();
    Ok(checked.try_fold(ty, nested).unwrap_or_default())
}

impl Checker<'_> {
    fn function_type(&mut self, args: &[Term], value: &Term) -> Type {
        for arg in args {
            self.open(arg);
        }
        let args = args.iter().map(|it| self.type_of(it)).collect();
        let result = self.type_of(value);
        Type::function(args, Type::Unknown, result)
    }

    /// Lets the variables of an argument be anything of which the body says nothing.
    fn open(&mut self, arg: &Term) {
        match &arg.kind {
            TermKind::Var(var) if self.var(*var).is_unknown() => self.set_var(*var, Type::Any),
            TermKind::Array(items) | TermKind::Set(items) => items.iter().for_each(|it| self.open(it)),
            TermKind::Object(entries) => {
                for (key, value) in entries {
                    self.open(key);
                    self.open(value);
                }
            }
            TermKind::Ref(reference) => {
                if let RefHead::Var(var) = reference.head
                    && self.var(var).is_unknown()
                {
                    self.set_var(var, Type::Any);
                }
                reference.parts.iter().for_each(|it| self.open(it));
            }
            _ => {}
        }
    }
}
