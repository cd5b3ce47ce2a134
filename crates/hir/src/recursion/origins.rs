//! Where a variable of a reference gets its value: said of a cycle that the variable may close.
//!
//! Apart because it only explains a cycle that was found: the cycle itself does not depend on it. It reads bodies that
//! are already ordered.

use crate::{
    dependencies::{is_constant, members},
    draft::{Expr, ExprKind, Head, Ref, Rule, Term, TermKind},
    index::{Entry, Key},
    resolve::Context,
    show,
    tree::VarId,
    types::{Declaration, Type},
};

/// Members of a collection that a message lists at most.
const MEMBERS_MAX: usize = 5;

/// Where a variable gets its value.
pub(crate) enum Origin<'c> {
    Input(&'c Ref),
    Rule(&'c Ref),
    Collection(&'c Term),
    Builtin(&'c Declaration),
    HeadKey,
    HeadArgument,
}

/// A place in a branch of a rule.
#[derive(Clone, Copy)]
pub(crate) struct Place<'c> {
    pub(crate) ctx: Context<'c>,
    pub(crate) draft: &'c Rule,
    pub(crate) branch: usize,
    pub(crate) at: usize,
    pub(crate) entry: Entry<'c>,
}

impl<'c> Place<'c> {
    /// Returns the expressions before the place that always hold and are not in another world.
    fn before(&self) -> impl Iterator<Item = &'c Expr> {
        let body = self.draft.branches.get(self.branch).map_or(&[][..], |it| it.body.as_slice());
        body.get(..self.at).unwrap_or(body).iter().filter(|it| !it.negated && it.with.is_empty())
    }

    /// Returns the first term that a variable is unified with.
    fn binding(&self, var: VarId) -> Option<&'c Term> {
        self.before().find_map(|expr| match &expr.kind {
            ExprKind::Unify(lhs, rhs) if lhs.as_var() == Some(var) => Some(rhs),
            ExprKind::Unify(lhs, rhs) if rhs.as_var() == Some(var) => Some(lhs),
            _ => None,
        })
    }

    /// Returns the built-in whose result a variable is.
    fn builtin(&self, var: VarId) -> Option<&'c Declaration> {
        let found = self.before().filter_map(|expr| {
            let ExprKind::Call(call) = &expr.kind else { return None };
            let crate::draft::Callee::Builtin(at) = call.callee else { return None };
            let declaration = self.ctx.options.capabilities.at(at)?;
            let is_result = call.args.len() == declaration.arity() + 1
                && call.args.last().and_then(Term::as_var) == Some(var);
            is_result.then_some(declaration)
        });
        found.last()
    }

    fn of_head(&self, var: VarId) -> Option<Origin<'c>> {
        let is_it = |it: &Term| it.as_var() == Some(var);
        if self.draft.args.iter().any(is_it) {
            return Some(Origin::HeadArgument);
        }
        let member = self.draft.branches.first().filter(|_| self.entry.is_set()).map(|it| &it.value);
        self.draft.keys.iter().chain(member).any(is_it).then_some(Origin::HeadKey)
    }
}

/// Returns where a variable gets its value, if that is known.
pub(crate) fn of_var(place: Place<'_>, var: VarId) -> Option<Origin<'_>> {
    let mut at = var;
    let steps = place.before().count() + 1;
    for _ in 0..=steps {
        if let Some(declaration) = place.builtin(at) {
            return Some(Origin::Builtin(declaration));
        }
        match place.binding(at).map(|it| &it.kind) {
            Some(TermKind::Var(next)) => {
                at = *next;
                continue;
            }
            Some(TermKind::Ref(reference)) => {
                if let Some(origin) = of_reference(place, reference) {
                    return Some(origin);
                }
            }
            _ => {}
        }
        return place.of_head(at);
    }
    None
}

fn of_reference<'c>(place: Place<'c>, reference: &'c Ref) -> Option<Origin<'c>> {
    match &reference.head {
        Head::Input => Some(Origin::Input(reference)),
        Head::Data => Some(Origin::Rule(reference)),
        Head::Var(var) => {
            let [part] = reference.parts.as_slice() else { return None };
            let mut term = place.binding(*var)?;
            while let Some(next) = term.as_var().and_then(|it| place.binding(it)) {
                if std::ptr::eq(next, term) {
                    return None;
                }
                term = next;
            }
            let fits = !is_constant(part) && is_constant(term) && members(term).is_some();
            fits.then_some(Origin::Collection(term))
        }
        Head::Term(_) => None,
    }
}

/// Says where a term gets its value that is a reference itself.
pub(crate) fn note_of_reference(term: &Term) -> Option<&'static str> {
    match &term.kind {
        TermKind::Ref(reference) if matches!(reference.head, Head::Data) => {
            Some("rule values aren't known at compile time")
        }
        _ => None,
    }
}

impl Origin<'_> {
    /// Tells whether the value can be a key.
    pub(crate) fn may_be(&self, key: &Key<'_>, _ctx: Context<'_>) -> bool {
        match self {
            Self::Collection(term) => members(term).is_none_or(|all| all.iter().any(|it| is_key(it, key))),
            Self::Builtin(declaration) => declaration.result.as_ref().is_none_or(|it| may_be(it, key)),
            _ => true,
        }
    }

    /// Says it in a message about a variable of a rule.
    pub(crate) fn note(&self, var: &str, rule: &str, draft: &Rule) -> String {
        match self {
            Self::Input(reference) => format!("{var} comes from {}", constant_prefix(reference, draft)),
            Self::Rule(reference) => format!(
                "{var} comes from rule {}, whose value isn't known at compile time",
                constant_prefix(reference, draft)
            ),
            Self::Collection(term) => {
                let count = members(term).map_or(0, |it| it.len());
                if count > MEMBERS_MAX {
                    format!("{var} is one of {count} values")
                } else {
                    format!("{var} is one of {}", show::draft_term(term, &draft.vars))
                }
            }
            Self::Builtin(declaration) => format!("{var} is computed by {}", declaration.name),
            Self::HeadKey => format!("{var} is a key of {rule}"),
            Self::HeadArgument => format!("{var} is an argument of {rule}"),
        }
    }
}

fn constant_prefix(reference: &Ref, draft: &Rule) -> String {
    let constant = reference.parts.iter().take_while(|it| is_constant(it)).cloned().collect();
    let head = reference.head.clone();
    show::draft_ref(&Ref { head, parts: constant }, &draft.vars)
}

fn is_key(term: &Term, key: &Key<'_>) -> bool {
    match (&term.kind, key) {
        (TermKind::String(a), Key::String(b)) | (TermKind::Number(a), Key::Other(b)) => **a == **b,
        (TermKind::Bool(a), Key::Other(b)) => a.to_string() == **b,
        (TermKind::Null, Key::Other(b)) => *b == "null",
        _ => false,
    }
}

fn may_be(ty: &Type, key: &Key<'_>) -> bool {
    match (ty, key) {
        (Type::Any, _) | (Type::String, Key::String(_)) => true,
        (Type::Union(all), _) => all.of.iter().any(|it| may_be(it, key)),
        (Type::Null, Key::Other(text)) => *text == "null",
        (Type::Bool, Key::Other(text)) => matches!(*text, "true" | "false"),
        (Type::Number, Key::Other(text)) => !matches!(*text, "true" | "false" | "null"),
        _ => false,
    }
}
