//! The table of built-ins: one row a built-in, declaration and function together in its family's file.
//!
//! Apart from the families so that engines and the front end see one list, by name or by number. It knows the
//! shape of a row and nothing of what a built-in does.

use std::sync::Arc;

use lictor_value::Value;

use crate::builtins;
use crate::context::Context;
use crate::error::BuiltinError;

/// The function behind a built-in. `Ok(None)` is undefined without an error.
pub type BuiltinFn = for<'e> fn(Context<'e>, &[Value<'e>]) -> Result<Option<Value<'e>>, BuiltinError>;

/// The function behind a built-in of the embedder, which may bring along what it needs.
pub type CustomFn =
    dyn for<'e> Fn(Context<'e>, &[Value<'e>]) -> Result<Option<Value<'e>>, BuiltinError> + Send + Sync;

/// What a program calls.
#[derive(Clone)]
pub enum Callee {
    /// A function of the table.
    Plain(BuiltinFn),
    /// A function of the embedder.
    Custom {
        /// The function.
        function: Arc<CustomFn>,
        /// How many steps of the budget a call takes besides its own.
        cost_steps: u64,
    },
}

impl From<BuiltinFn> for Callee {
    fn from(function: BuiltinFn) -> Self {
        Self::Plain(function)
    }
}

impl std::fmt::Debug for Callee {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Plain(_) => "Plain",
            Self::Custom { .. } => "Custom",
        })
    }
}

/// One row of the table.
#[derive(Clone, Copy, Debug)]
pub struct Builtin {
    /// The name as policies write it.
    pub name: &'static str,
    /// Operand and result types in the notation of `lictor_hir::Capabilities`: `str, [any*] -> str`; operands are
    /// separated by `, `, unions written `num/set[any]`, `...` ends a variadic list, no result is `-> -`.
    pub declaration: &'static str,
    /// The function.
    pub function: BuiltinFn,
    /// Whether equal operands may give different results (time, randomness, the network).
    pub impure: bool,
    /// Whether a call may wait for something outside, so that it must not run where others would wait for it.
    pub blocking: bool,
}

impl Builtin {
    /// Returns a row of a pure built-in.
    #[must_use]
    pub const fn pure(name: &'static str, declaration: &'static str, function: BuiltinFn) -> Self {
        Self { name, declaration, function, impure: false, blocking: false }
    }

    /// Returns a row of a built-in whose answer depends on the world.
    #[must_use]
    pub const fn impure(name: &'static str, declaration: &'static str, function: BuiltinFn) -> Self {
        Self { name, declaration, function, impure: true, blocking: false }
    }

    /// Returns a row of a built-in that waits for something outside; its answer depends on the world.
    #[must_use]
    pub const fn blocking(name: &'static str, declaration: &'static str, function: BuiltinFn) -> Self {
        Self { name, declaration, function, impure: true, blocking: true }
    }
}

/// The number of a built-in in the table.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BuiltinId(pub u32);

/// Returns the row of a built-in.
#[must_use]
pub fn builtin(id: BuiltinId) -> Option<&'static Builtin> {
    builtins::table().get(id.0 as usize).copied()
}

/// Returns a built-in by the name that policies write.
#[must_use]
pub fn builtin_named(name: &str) -> Option<(BuiltinId, &'static Builtin)> {
    let table = builtins::table();
    let found = table.binary_search_by(|it| it.name.cmp(name)).ok()?;
    Some((BuiltinId(u32::try_from(found).ok()?), table.get(found)?))
}
