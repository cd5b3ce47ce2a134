//! The instructions: flat, with jumps resolved.
//!
//! Apart because the compiler writes them and the machine reads them. Registers are relative to the frame.

use lictor_value::Kind;

/// A register or a constant: the top bit says which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Arg(pub(crate) u32);

impl Arg {
    const CONSTANT: u32 = 1 << 31;

    pub(crate) fn register(number: u32) -> Self {
        Self(number)
    }

    pub(crate) fn constant(number: u32) -> Self {
        Self(number | Self::CONSTANT)
    }

    #[inline]
    pub(crate) fn is_constant(self) -> bool {
        self.0 & Self::CONSTANT != 0
    }

    #[inline]
    pub(crate) fn number(self) -> u32 {
        self.0 & !Self::CONSTANT
    }
}

/// A register of the frame.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Reg(pub(crate) u32);

/// An instruction to go on at; a label's number while compiling.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Target(pub(crate) u32);

/// A run of [`crate::program::Program::args`].
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ArgList {
    pub(crate) start: u32,
    pub(crate) len: u32,
}

/// One instruction. `fail` is where an undefined statement leads.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Op {
    Move {
        source: Arg,
        target: Reg,
    },
    AssignOnce {
        source: Arg,
        target: Reg,
        fail: Target,
    },
    Jump(Target),
    Dot {
        source: Arg,
        key: Arg,
        target: Reg,
        fail: Target,
    },
    /// A look-up that leaves the target undefined where there is nothing.
    Look {
        source: Reg,
        key: Arg,
        target: Reg,
    },
    /// A look-up in base data.
    DotBase {
        source: Arg,
        key: Arg,
        target: Reg,
        fail: Target,
    },
    /// A look-up in an object that may still be being made.
    DotBuilding {
        source: Reg,
        key: Arg,
        target: Reg,
        fail: Target,
    },
    Equal {
        a: Arg,
        b: Arg,
        fail: Target,
    },
    NotEqual {
        a: Arg,
        b: Arg,
        fail: Target,
    },
    IsKind {
        source: Arg,
        kind: Kind,
        fail: Target,
    },
    IsDefined {
        source: Reg,
        fail: Target,
    },
    IsUndefined {
        source: Reg,
        fail: Target,
    },
    IsTrue {
        source: Arg,
        fail: Target,
    },
    Compare {
        op: lictor_plan::Comparison,
        a: Arg,
        b: Arg,
        fail: Target,
    },
    Member {
        value: Arg,
        collection: Arg,
        fail: Target,
    },
    Same {
        a: Arg,
        b: Arg,
        fail: Target,
    },
    Entry {
        source: Reg,
        wanted: Arg,
        entry: (Reg, Reg),
        fail: Target,
    },
    EqualParts {
        source: Arg,
        parts: ArgList,
        fail: Target,
    },
    Len {
        source: Arg,
        target: Reg,
        fail: Target,
    },
    MakeArray {
        target: Reg,
    },
    MakeObject {
        target: Reg,
    },
    MakeSet {
        target: Reg,
    },
    MakeBag {
        target: Reg,
    },
    Append {
        array: Reg,
        value: Arg,
        fail: Target,
    },
    Insert {
        object: Reg,
        key: Arg,
        value: Arg,
        fail: Target,
    },
    InsertOnce {
        object: Reg,
        key: Arg,
        value: Arg,
        fail: Target,
    },
    Add {
        set: Reg,
        value: Arg,
        fail: Target,
    },
    Merge {
        a: Reg,
        b: Reg,
        target: Reg,
        fail: Target,
    },
    /// Makes the container in the register an ordinary value.
    Freeze {
        register: Reg,
    },
    Reset {
        target: Reg,
    },
    ResultAdd {
        value: Reg,
        fail: Target,
    },
    Return {
        source: Reg,
    },
    /// Calls a function without arguments, which is evaluated once.
    CallRule {
        function: u32,
        target: Reg,
        fail: Target,
    },
    CallFunction {
        function: u32,
        args: ArgList,
        target: Reg,
        fail: Target,
    },
    CallBuiltin {
        builtin: u32,
        args: ArgList,
        target: Reg,
        fail: Target,
    },
    CallDynamic {
        path: ArgList,
        args: ArgList,
        target: Reg,
        fail: Target,
    },
    ScanBegin {
        source: Arg,
        iterator: u32,
        end: Target,
    },
    ScanNext {
        iterator: u32,
        key: Reg,
        value: Reg,
        end: Target,
    },
    /// Goes on to the next entry of a scan that passes the test of a [`crate::program::Seek`]. The instructions that do
    /// the same one by one follow, for whoever watches.
    Seek {
        seek: u32,
    },
    /// `data` says which document; the path is a run of constants.
    WithPush {
        data: bool,
        path: ArgList,
        value: Arg,
    },
    WithPop,
    Switch {
        table: u32,
    },
}

impl Op {
    /// Returns where the instruction leads when it is undefined.
    pub(crate) fn fail(&self) -> Option<Target> {
        let mut copy = *self;
        let mut found = None;
        let is_jump = matches!(self, Self::Jump(_) | Self::ScanBegin { .. } | Self::ScanNext { .. });
        copy.retarget(|it| *found.insert(it));
        found.filter(|_| !is_jump)
    }

    /// Replaces the labels by positions.
    pub(crate) fn retarget(&mut self, mut position: impl FnMut(Target) -> Target) {
        match self {
            Self::AssignOnce { fail, .. }
            | Self::Dot { fail, .. }
            | Self::DotBase { fail, .. }
            | Self::DotBuilding { fail, .. }
            | Self::Equal { fail, .. }
            | Self::NotEqual { fail, .. }
            | Self::IsKind { fail, .. }
            | Self::IsDefined { fail, .. }
            | Self::IsUndefined { fail, .. }
            | Self::IsTrue { fail, .. }
            | Self::Compare { fail, .. }
            | Self::Member { fail, .. }
            | Self::Same { fail, .. }
            | Self::Entry { fail, .. }
            | Self::EqualParts { fail, .. }
            | Self::Len { fail, .. }
            | Self::Append { fail, .. }
            | Self::Insert { fail, .. }
            | Self::InsertOnce { fail, .. }
            | Self::Add { fail, .. }
            | Self::Merge { fail, .. }
            | Self::ResultAdd { fail, .. }
            | Self::CallRule { fail, .. }
            | Self::CallFunction { fail, .. }
            | Self::CallBuiltin { fail, .. }
            | Self::CallDynamic { fail, .. } => *fail = position(*fail),
            Self::Jump(target) => *target = position(*target),
            Self::ScanBegin { end, .. } | Self::ScanNext { end, .. } => *end = position(*end),
            Self::Move { .. }
            | Self::WithPush { .. }
            | Self::MakeArray { .. }
            | Self::MakeObject { .. }
            | Self::MakeSet { .. }
            | Self::MakeBag { .. }
            | Self::Freeze { .. }
            | Self::Reset { .. }
            | Self::Return { .. }
            | Self::WithPop
            | Self::Look { .. }
            | Self::Seek { .. }
            | Self::Switch { .. } => {}
        }
    }
}
