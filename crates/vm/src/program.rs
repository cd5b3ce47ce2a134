//! A compiled plan: immutable, shared by all threads.
//!
//! Apart because it is all that threads share. It holds data only; `compile` writes it and `machine` reads it.

use std::collections::HashMap;

use hashbrown::HashTable;
use lictor_plan::{Answer, FuncId, Location};
use lictor_runtime::Callee;
use lictor_value::{Constants, Value};

use crate::op::{Arg, Op, Reg, Target};

/// A plan in the form that the machine runs.
#[derive(Debug)]
pub struct Program {
    pub(crate) constants: Constants,
    pub(crate) ops: Vec<Op>,
    /// Where each instruction comes from.
    pub(crate) locations: Vec<Location>,
    pub(crate) files: Vec<Box<str>>,
    pub(crate) functions: Vec<Code>,
    pub(crate) args: Vec<Arg>,
    pub(crate) builtins: Vec<LinkedBuiltin>,
    pub(crate) switches: Vec<SwitchTable>,
    pub(crate) seeks: Vec<Seek>,
    pub(crate) entrypoints: Vec<(Box<str>, FuncId, Answer)>,
    /// Functions by the path that dynamic calls use.
    pub(crate) dynamic: HashMap<Vec<Box<str>>, u32>,
}

/// A function's code.
#[derive(Clone, Debug)]
pub(crate) struct Code {
    pub(crate) start: u32,
    /// Registers, `input` and `data` included.
    pub(crate) registers: u32,
    /// Those that must be undefined at the start; the others are written before they are read.
    pub(crate) cleared: u32,
    pub(crate) iterators: u32,
    pub(crate) params: Vec<u32>,
    /// Its value depends on data at most, so that one generation needs it once.
    pub(crate) stable: bool,
    /// What it takes in the program's tables.
    pub(crate) bytes: usize,
    pub(crate) name: Box<str>,
}

/// A built-in with its function.
#[derive(Clone, Debug)]
pub(crate) struct LinkedBuiltin {
    pub(crate) name: Box<str>,
    pub(crate) callee: Callee,
    /// Says something to the host or the hook.
    pub(crate) speaks: bool,
    /// Wants to know where it is called.
    pub(crate) placed: bool,
}

/// Where to go for which value.
#[derive(Debug)]
pub(crate) struct SwitchTable {
    pub(crate) subject: Arg,
    pub(crate) cases: HashTable<(u32, Target)>,
    pub(crate) otherwise: Target,
}

/// A scan whose body begins with a test of one field: the entries that fail it are passed over in one instruction.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Seek {
    pub(crate) iterator: u32,
    pub(crate) key: Reg,
    pub(crate) value: Reg,
    /// The key of the field, and where its value goes.
    pub(crate) field: Arg,
    pub(crate) found: Reg,
    /// What the field must equal.
    pub(crate) wanted: Arg,
    /// Where the body goes on behind the test.
    pub(crate) body: Target,
    pub(crate) end: Target,
}

impl SwitchTable {
    #[inline]
    pub(crate) fn find(&self, constants: &Constants, value: Value<'_>) -> Target {
        let found = self.cases.find(value.hash(), |(it, _)| constants.get(*it) == value);
        found.map_or(self.otherwise, |it| it.1)
    }
}

impl Program {
    /// Returns an entrypoint by name: `a/p`, or a query's name.
    #[must_use]
    pub fn entrypoint(&self, name: &str) -> Option<EntrypointId> {
        let found = self.entrypoints.iter().position(|it| &*it.0 == name)?;
        u32::try_from(found).ok().map(EntrypointId)
    }

    /// Returns an entrypoint by its position in the plan.
    #[must_use]
    pub fn entrypoint_at(&self, position: usize) -> Option<EntrypointId> {
        let number = u32::try_from(position).ok()?;
        self.entrypoints.get(position).map(|_| EntrypointId(number))
    }

    /// The number of instructions.
    #[must_use]
    pub fn len(&self) -> usize {
        self.ops.len()
    }

    /// Says whether there is no instruction.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.ops.is_empty()
    }

    /// Returns the bytes that each function takes, with its name.
    pub fn function_bytes(&self) -> impl Iterator<Item = (&str, usize)> {
        self.functions.iter().map(|it| (&*it.name, it.bytes + size_of::<Code>() + it.params.len() * 4))
    }

    /// Returns the bytes that are no function's: constants, names and what finds functions.
    #[must_use]
    pub fn shared_bytes(&self) -> usize {
        let names = self.files.iter().map(|it| it.len()).sum::<usize>()
            + self.builtins.iter().map(|it| it.name.len() + size_of::<LinkedBuiltin>()).sum::<usize>()
            + self.functions.iter().map(|it| it.name.len()).sum::<usize>()
            + self.entrypoints.iter().map(|it| it.0.len() + size_of_val(it)).sum::<usize>();
        let text = |path: &Vec<Box<str>>| path.iter().map(|it| it.len() + size_of_val(it)).sum::<usize>();
        let dynamic = self.dynamic.keys().map(|it| text(it) + size_of::<(Vec<Box<str>>, u32)>());
        self.constants.bytes() + names + dynamic.sum::<usize>()
    }

    /// Returns the bytes of the tables that functions are made of, the cases of switches apart.
    pub(crate) fn table_bytes(&self) -> usize {
        self.ops.len() * size_of::<Op>()
            + self.locations.len() * size_of::<Location>()
            + self.args.len() * size_of::<Arg>()
            + self.switches.len() * size_of::<SwitchTable>()
            + self.seeks.len() * size_of::<Seek>()
    }

    /// The number of functions, which is how many results a generation may keep.
    #[must_use]
    pub fn functions(&self) -> usize {
        self.functions.len()
    }
}

/// An entrypoint of a program, found once and used for every decision.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct EntrypointId(pub(crate) u32);

impl EntrypointId {
    /// Returns the first entrypoint.
    #[must_use]
    pub fn first() -> Self {
        Self(0)
    }
}
