//! Calls: whether the operands fit what the function takes.
//!
//! The result counts as one more operand. `in` is told apart, since what it may find depends on the collection.

use lictor_syntax::Diagnostic;

use crate::{
    check::{Checker, Fault, documents::Root, matching::Take},
    diagnostics::types as faults,
    show,
    tree::{Call, Callee, Place, Term},
    types::{
        FunctionType, Type,
        elide::Named,
        relations::{keys, unifies, values},
    },
};

impl Checker<'_> {
    /// Checks a call.
    pub(super) fn call(&mut self, call: &Call, place: Place) -> Option<Fault> {
        if let Callee::Builtin(name) = &call.callee {
            let with_key = match &**name {
                "internal.member_2" => Some(false),
                "internal.member_3" => Some(true),
                _ => None,
            };
            if let Some(with_key) = with_key
                && let Some(fault) = self.member(call, place, usize::from(with_key))
            {
                return Some(fault);
            }
        }
        let is_rule = matches!(call.callee, Callee::Function(_));
        let function = match self.callee_type(&call.callee) {
            _ if self.is_value(&call.callee) => return Some(self.undefined_function(call, place)),
            Type::Function(function) => function,
            // A fault in a clause is told once, but the clause behind it takes the type away.
            Type::Unknown if is_rule => return Some(self.undefined_function(call, place)),
            _ => return None,
        };
        let args: Vec<&Term> = call.args.iter().chain(&call.output).collect();
        let have: Vec<Type> = args.iter().map(|it| self.type_of(it)).collect();
        let count = function.args.len() + usize::from(!function.result.is_unknown());
        // The result of `=` is not asked for.
        let is_unify = is_unify(&call.callee);
        if (args.len() > count || (is_unify && args.len() > function.args.len()))
            && function.variadic.is_unknown()
        {
            return Some(self.argument_fault(call, place, "too many arguments", &have));
        }
        if args.len() < function.args.len() {
            return Some(self.argument_fault(call, place, "too few arguments", &have));
        }
        for (at, arg) in args.iter().enumerate() {
            let want = operand(&function, at);
            let given = have.get(at).unwrap_or(&Type::Unknown);
            if given.is_complete() && !unifies(given, want) {
                return Some(self.argument_fault(call, place, "invalid argument(s)", &have));
            }
            if !self.infer(arg, want, Take::All) {
                let have: Vec<Type> = args.iter().map(|it| self.type_of(it)).collect();
                return Some(self.argument_fault(call, place, "invalid argument(s)", &have));
            }
        }
        None
    }

    fn is_value(&self, callee: &Callee) -> bool {
        matches!(callee, Callee::Function(group) if self.scene.dependents.is_value(*group))
    }

    fn undefined_function(&self, call: &Call, place: Place) -> Fault {
        let message = format!("undefined function {}", self.callee_name(&call.callee));
        Fault { diagnostic: self.diagnostic(place, "undefined-function", message), unknown: false }
    }

    /// Checks that what `in` searches for can be in the collection.
    fn member(&mut self, call: &Call, place: Place, keyed: usize) -> Option<Fault> {
        let collection = self.type_of(call.args.get(keyed + 1)?);
        let found = values(&collection);
        if found.is_unknown() {
            return None;
        }
        if keyed == 1
            && let Some(fault) = self.member_operand(call.args.first()?, &keys(&collection), place)
        {
            return Some(fault);
        }
        self.member_operand(call.args.get(keyed)?, &found, place)
    }

    fn member_operand(&mut self, term: &Term, ty: &Type, place: Place) -> Option<Fault> {
        if !ty.is_complete() {
            return None;
        }
        let have = self.type_of(term);
        if (have.is_complete() && !unifies(&have, ty)) || !self.infer(term, ty, Take::All) {
            return Some(self.match_fault(place, &have, ty));
        }
        None
    }

    /// Returns the type of what is called; none of a function that may be replaced by whatever.
    pub(super) fn callee_type(&self, callee: &Callee) -> Type {
        match callee {
            Callee::Builtin(name) => self.scene.capabilities.ty(name),
            Callee::Function(group) => {
                let path = self.scene.dependents.path(*group);
                let layers = self.layers.iter().rev().map(AsRef::as_ref).chain([&self.scene.types.documents]);
                for layer in layers {
                    let start = layer.root(Root::Data);
                    let node = start.and_then(|start| {
                        path.iter().try_fold(start, |node, name| layer.child_named(node, name))
                    });
                    if let Some(node) = node {
                        return layer.value(node).clone();
                    }
                }
                Type::Unknown
            }
        }
    }

    pub(super) fn callee_name(&self, callee: &Callee) -> String {
        match callee {
            Callee::Builtin(name) => name.to_string(),
            Callee::Function(group) => show::data_path(self.scene.dependents.path(*group)),
        }
    }

    fn argument_fault(&self, call: &Call, place: Place, what: &str, have: &[Type]) -> Fault {
        let message = format!("{}: {what}", self.callee_name(&call.callee));
        let diagnostic = self.diagnostic(place, "wrong-arguments", message);
        let diagnostic = match self.callee_type(&call.callee) {
            Type::Function(function) => {
                let with_result = !is_unify(&call.callee);
                self.with_operands(diagnostic, &call.callee, have, &function, with_result)
            }
            _ => diagnostic,
        };
        Fault { diagnostic, unknown: have.iter().any(|it| !it.is_complete()) }
    }

    /// Adds what operands were given and wanted.
    pub(super) fn with_operands(
        &self,
        diagnostic: Diagnostic,
        callee: &Callee,
        have: &[Type],
        function: &FunctionType,
        with_result: bool,
    ) -> Diagnostic {
        let declaration = match callee {
            Callee::Builtin(name) => self.scene.capabilities.get(name),
            Callee::Function(_) => None,
        };
        let result = function.result.known().filter(|_| with_result);
        let want: Vec<Named<'_>> = function
            .args
            .iter()
            .chain(result)
            .enumerate()
            .map(|(at, ty)| Named { label: declaration.and_then(|it| it.label(at)), ty })
            .collect();
        diagnostic.with_details(faults::operands(have, &want, &function.variadic))
    }

    pub(super) fn match_fault(&self, place: Place, left: &Type, right: &Type) -> Fault {
        let diagnostic = self.diagnostic(place, "match-error", "match error".to_owned());
        let unknown = !left.is_complete() || !right.is_complete();
        Fault { diagnostic: diagnostic.with_details(faults::mismatch(left, right)), unknown }
    }
}

fn is_unify(callee: &Callee) -> bool {
    matches!(callee, Callee::Builtin(name) if &**name == "eq")
}

/// Returns what a function takes at a position; the result is taken behind the operands.
fn operand(function: &FunctionType, at: usize) -> &Type {
    match function.args.get(at) {
        Some(ty) => ty,
        None if at == function.args.len() && !function.result.is_unknown() => &function.result,
        None => &function.variadic,
    }
}
