//! The functions that are written as operators: their signs and how many operands they take.
//!
//! Apart because layout, checks and the search for leading braces all ask it. It knows names only,
//! no nodes.

/// Is a function that is written between its operands.
pub(crate) struct Infix {
    pub(crate) symbol: &'static str,
    pub(crate) arity: usize,
    /// The types of its arguments, as messages show them.
    pub(crate) wants: &'static str,
}

const fn two(symbol: &'static str, wants: &'static str) -> Infix {
    Infix { symbol, arity: 2, wants }
}

/// Returns the operator that a function is, by its full name.
pub(crate) fn infix(name: &str) -> Option<Infix> {
    Some(match name {
        "assign" => two(":=", "any,any"),
        "eq" => two("=", "any,any"),
        "equal" => two("==", "any,any"),
        "neq" => two("!=", "any,any"),
        "lt" => two("<", "any,any"),
        "lte" => two("<=", "any,any"),
        "gt" => two(">", "any,any"),
        "gte" => two(">=", "any,any"),
        "plus" => two("+", "number,number"),
        "minus" => two("-", "any<number, set[any]>,any<number, set[any]>"),
        "mul" => two("*", "number,number"),
        "div" => two("/", "number,number"),
        "rem" => two("%", "number,number"),
        "and" => two("&", "set[any],set[any]"),
        "or" => two("|", "set[any],set[any]"),
        MEMBER => two("in", "any,any"),
        KEYED_MEMBER => Infix { symbol: "in", arity: 3, wants: "any,any,any" },
        _ => return None,
    })
}

/// The function behind `x in xs`.
pub(crate) const MEMBER: &str = "internal.member_2";
/// The function behind `k, v in xs`.
pub(crate) const KEYED_MEMBER: &str = "internal.member_3";
