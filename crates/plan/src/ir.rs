//! The one IR: functions of structured blocks over registers.
//!
//! Apart because every engine and target reads it. Lowering makes a plan of the statements that OPA's plan knows too
//! (so that it can be exported before the passes run); the passes add the statements under "made by passes". It
//! decides nothing and evaluates nothing.
//!
//! **Meaning.** A register holds a value or is undefined. A statement whose operand is undefined (`Assign` and `With` apart), or that says
//! "undefined if", ends its *current block*: control goes on after the statement that owns that block (for a list of
//! blocks: with the next one). `Break { depth: 0 }` does the same; `Break { depth: n }` ends the n-th block further
//! out. Blocks of `Block`, `Not`, `With`, `Scan` and of a function count one level each. Register 0 is `input`,
//! register 1 is `data` in every function; calls pass both on by themselves and only `With` changes them.

use std::sync::Arc;

use lictor_value::Document;

/// A function, by position in [`Plan::functions`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct FuncId(pub u32);

/// A constant, by position in [`Plan::constants`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct ConstId(pub u32);

/// A built-in that the plan calls, by position in [`Plan::builtins`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct BuiltinRef(pub u32);

/// A register of a function.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Local(pub u32);

impl Local {
    /// The input document.
    pub const INPUT: Self = Self(0);
    /// The base documents.
    pub const DATA: Self = Self(1);
    /// The first register that a function may use as it likes.
    pub const FIRST_FREE: Self = Self(2);
}

/// What a statement reads.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Operand {
    /// A register.
    Local(Local),
    /// A constant.
    Const(ConstId),
}

/// A compiled policy before it is turned into an engine's code.
#[derive(Clone, Debug, Default)]
pub struct Plan {
    /// The values that are known.
    pub constants: Vec<Document>,
    /// The built-ins that are called.
    pub builtins: Vec<BuiltinDecl>,
    /// The files that locations name.
    pub files: Vec<Box<str>>,
    /// The rules that statements name.
    pub rules: Vec<RuleInfo>,
    /// The functions; an argument-less one is the document of a rule and is evaluated once.
    pub functions: Vec<Function>,
    /// What can be asked for.
    pub entrypoints: Vec<Entrypoint>,
}

/// A built-in that the plan calls.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct BuiltinDecl {
    /// The name as policies write it.
    pub name: Box<str>,
    /// OPA's type declaration as JSON text, for the export; empty if it is not known.
    pub declaration: Box<str>,
}

/// A rule, for events and messages.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct RuleInfo {
    /// The path as it is shown: `data.a.p`.
    pub path: Box<str>,
    /// Where it stands.
    pub location: Location,
}

/// A rule, by position in [`Plan::rules`].
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct RuleIdx(pub u32);

impl RuleIdx {
    /// Of statements that belong to no rule.
    pub const NONE: Self = Self(u32::MAX);
}

/// What can be asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Entrypoint {
    /// `a/p` of the document `data.a.p`, or the name of a query.
    pub name: Box<str>,
    /// The function without arguments that answers.
    pub function: FuncId,
    /// How it answers.
    pub answer: Answer,
}

/// How an entrypoint answers.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Answer {
    /// The function returns the value, or is undefined.
    Value,
    /// The function adds an object of bindings for each solution by [`StmtKind::ResultSetAdd`].
    Bindings,
}

/// A function.
#[derive(Clone, Debug)]
pub struct Function {
    /// A unique name, as OPA gives: `g0.data.a.p`.
    pub name: Box<str>,
    /// What [`StmtKind::CallDynamic`] finds it by: `["g0", "a", "p"]`; empty if it cannot be found.
    pub path: Vec<Box<str>>,
    /// The registers of the arguments, `input` and `data` apart.
    pub params: Vec<Local>,
    /// The register whose value `Return` gives by convention.
    pub result: Local,
    /// How many registers there are, 0 and 1 included.
    pub locals: u32,
    /// Run one after another until `Return`.
    pub blocks: Vec<Block>,
    /// What is known about it; filled by the passes' analysis, `None` before.
    pub facts: Option<Arc<Facts>>,
}

/// What a function needs, for what may be computed ahead.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Facts {
    /// It or something it calls reads `input`.
    pub reads_input: bool,
    /// It or something it calls reads `data`.
    pub reads_data: bool,
    /// It or something it calls calls an impure built-in, or one with effects (`print`).
    pub impure: bool,
}

/// Statements in order.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Block {
    /// The statements.
    pub stmts: Vec<Stmt>,
}

/// One statement.
#[derive(Clone, PartialEq, Debug)]
pub struct Stmt {
    /// What it does.
    pub kind: StmtKind,
    /// Where it comes from.
    pub location: Location,
    /// The rule that it belongs to.
    pub rule: RuleIdx,
}

/// A place in a source file: rows and columns from 1, 0 if unknown.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub struct Location {
    /// Position in [`Plan::files`].
    pub file: u32,
    /// First row.
    pub row: u32,
    /// First column.
    pub col: u32,
    /// Row of the end.
    pub end_row: u32,
    /// Column after the end.
    pub end_col: u32,
}

/// What is called.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Callee {
    /// A built-in.
    Builtin(BuiltinRef),
    /// A function of the plan.
    Function(FuncId),
}

/// What a statement does.
#[derive(Clone, PartialEq, Debug)]
pub enum StmtKind {
    /// Appends to the array being made.
    ArrayAppend {
        /// Made by `MakeArray`.
        array: Local,
        /// The item.
        value: Operand,
    },
    /// Copies; the target becomes undefined if the source is. Never undefined itself.
    Assign {
        /// From.
        source: Operand,
        /// To.
        target: Local,
    },
    /// Copies unless the target holds a different value, which is a conflict of complete rules.
    AssignOnce {
        /// From.
        source: Operand,
        /// To.
        target: Local,
    },
    /// Runs blocks in order; never undefined itself.
    Block {
        /// The blocks.
        blocks: Vec<Block>,
    },
    /// Leaves a block.
    Break {
        /// 0 is the current block.
        depth: u32,
    },
    /// Calls; undefined if the result is, or if a built-in fails outside strict mode.
    Call {
        /// What is called.
        callee: Callee,
        /// Its arguments.
        args: Vec<Operand>,
        /// Where the result goes.
        result: Local,
    },
    /// Calls the function of a path; undefined if there is none.
    CallDynamic {
        /// Compared with [`Function::path`].
        path: Vec<Operand>,
        /// Its arguments.
        args: Vec<Local>,
        /// Where the result goes.
        result: Local,
    },
    /// Looks a key up; undefined if it is absent. In a set, the member itself.
    Dot {
        /// The collection.
        source: Operand,
        /// The key.
        key: Operand,
        /// Where the value goes.
        target: Local,
    },
    /// Undefined if the operands differ.
    Equal {
        /// One side.
        a: Operand,
        /// The other.
        b: Operand,
    },
    /// Undefined if the operands are equal.
    NotEqual {
        /// One side.
        a: Operand,
        /// The other.
        b: Operand,
    },
    /// Undefined if the operand is no array.
    IsArray {
        /// What is tested.
        source: Operand,
    },
    /// Undefined if the operand is no object.
    IsObject {
        /// What is tested.
        source: Operand,
    },
    /// Undefined if the operand is no set.
    IsSet {
        /// What is tested.
        source: Operand,
    },
    /// Undefined if the register is undefined.
    IsDefined {
        /// What is tested.
        source: Local,
    },
    /// Undefined if the register is defined.
    IsUndefined {
        /// What is tested.
        source: Local,
    },
    /// Gives the number of items.
    Len {
        /// A collection.
        source: Operand,
        /// Where the number goes.
        target: Local,
    },
    /// Makes an empty array to append to.
    MakeArray {
        /// How many items are expected.
        capacity: u32,
        /// Where it goes.
        target: Local,
    },
    /// Makes an empty object to insert into.
    MakeObject {
        /// Where it goes.
        target: Local,
    },
    /// Makes an empty set to add to.
    MakeSet {
        /// Where it goes.
        target: Local,
    },
    /// Does nothing.
    Nop,
    /// Undefined if the block runs to its end.
    Not {
        /// The block.
        block: Block,
    },
    /// Sets a key, whatever was there. The object may stand in another one that is being made.
    ObjectInsert {
        /// Made by `MakeObject`.
        object: Local,
        /// The key.
        key: Operand,
        /// The value.
        value: Operand,
    },
    /// Sets a key; another value there is a conflict.
    ObjectInsertOnce {
        /// Made by `MakeObject`.
        object: Local,
        /// The key.
        key: Operand,
        /// The value.
        value: Operand,
    },
    /// Merges two objects, below equal keys too; elsewhere `a` wins.
    ObjectMerge {
        /// Wins.
        a: Local,
        /// Loses.
        b: Local,
        /// Where the result goes.
        target: Local,
    },
    /// Makes a register undefined.
    Reset {
        /// The register.
        target: Local,
    },
    /// Adds a solution to the answer.
    ResultSetAdd {
        /// An object of bindings.
        value: Local,
    },
    /// Ends the function; it is undefined if the register is.
    Return {
        /// The result.
        source: Local,
    },
    /// Runs the block for each item of an array, entry of an object or member of a set, in order. Never undefined.
    Scan {
        /// The collection; anything else has no items.
        source: Local,
        /// Gets the index, key or member.
        key: Local,
        /// Gets the item, value or member.
        value: Local,
        /// What is run; its end and its being undefined both lead to the next item.
        block: Block,
    },
    /// Adds a member to the set being made.
    SetAdd {
        /// Made by `MakeSet`.
        set: Local,
        /// The member.
        value: Operand,
    },
    /// Runs the block with a document changed at a path; undefined if the block does not run to its end.
    With {
        /// [`Local::INPUT`] or [`Local::DATA`].
        document: Local,
        /// String keys; empty replaces the whole.
        path: Vec<ConstId>,
        /// What stands there meanwhile; an undefined one makes the whole document undefined.
        value: Operand,
        /// The block.
        block: Block,
    },

    // Made by passes.
    /// Chooses by the value of an operand; runs the blocks of the case in order, as `Block` does.
    Switch {
        /// What is looked at; undefined chooses `otherwise`.
        subject: Operand,
        /// Constants, all different by equality, and what is run for each.
        cases: Vec<(ConstId, Vec<Block>)>,
        /// What is run for any other value.
        otherwise: Vec<Block>,
    },
    /// Undefined unless the collection has the value (an item, a value, a member), as `in` says.
    Member {
        /// What is looked for.
        value: Operand,
        /// Where.
        collection: Operand,
    },
    /// Makes an array that `SetAdd` adds to unless it has the member: a set without its order.
    MakeBag {
        /// Where it goes.
        target: Local,
    },
    /// Undefined unless both are one member of a set, or one key of an object: stricter than `Equal` for numbers beyond
    /// 64-bit floats.
    Same {
        /// One side.
        a: Operand,
        /// The other.
        b: Operand,
    },
    /// What a scan would give for one key: undefined if the collection has none that is the same.
    Entry {
        /// The collection.
        source: Local,
        /// The key, index or member that is looked for.
        wanted: Operand,
        /// Gets the key as the collection has it.
        key: Local,
        /// Gets the item, value or member.
        value: Local,
    },
    /// Undefined if the operand is undefined or `false`.
    IsTrue {
        /// What is tested.
        source: Operand,
    },
    /// Undefined unless the comparison holds.
    Compare {
        /// Which.
        op: Comparison,
        /// Left.
        a: Operand,
        /// Right.
        b: Operand,
    },
    /// Undefined unless the operand is an object of just these keys (or an array of as many items), each with an
    /// equal value: the equality with a composite that is not built.
    EqualParts {
        /// What is taken apart.
        source: Operand,
        /// Keys in order, with what they must hold.
        parts: Vec<(ConstId, Operand)>,
    },
}

/// A test of two values: by Rego's order, or of texts, which fails for anything that is not a string.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub enum Comparison {
    /// `<`
    Less,
    /// `<=`
    LessOrEqual,
    /// `>`
    Greater,
    /// `>=`
    GreaterOrEqual,
    /// The left text starts with the right one.
    StartsWith,
    /// The left text ends with the right one.
    EndsWith,
    /// The left text has the right one in it.
    Contains,
}
