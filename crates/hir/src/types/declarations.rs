//! What a host can do: the declarations of its built-ins.
//!
//! Apart because declarations come from outside: the table of built-ins lives above this crate and hands its rows in
//! as text in the notation of `notation`, files of capabilities hand in types. Nothing here knows a function.

use std::fmt;

use rustc_hash::FxHashMap;

use super::{Type, notation, relations};

/// A fault in a declaration.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct DeclarationError {
    /// The declaration.
    pub declaration: String,
    /// What is wrong.
    pub reason: &'static str,
}

impl fmt::Display for DeclarationError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "declaration `{}`: {}", self.declaration, self.reason)
    }
}

impl std::error::Error for DeclarationError {}

/// What sets a built-in apart from an ordinary function.
#[derive(Clone, Copy, PartialEq, Eq, Default, Debug)]
pub struct Flags {
    /// May not be called any more, except from V0 modules that are not checked strictly.
    pub deprecated: bool,
    /// Has many results.
    pub relation: bool,
    /// Depends on the world.
    pub impure: bool,
}

/// What an operand or result is called.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub struct Label {
    /// The name; empty if it has none.
    pub name: Box<str>,
    /// What it is, in words; often empty.
    pub description: Box<str>,
}

/// The declaration of one built-in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The name as policies write it.
    pub name: Box<str>,
    /// The types of the operands.
    pub args: Vec<Type>,
    /// The names of the operands, then that of the result; empty or one for each of them.
    pub labels: Vec<Label>,
    /// The type of any further operands.
    pub variadic: Option<Type>,
    /// The type of the result; none of a built-in that is called for its effect.
    pub result: Option<Type>,
    /// What sets it apart.
    pub flags: Flags,
}

impl Declaration {
    /// Reads a declaration in the notation: `str, [any*] -> str`, or with names `x:num -> y:num`.
    ///
    /// # Errors
    /// Says what is not in the notation.
    pub fn parse(name: &str, notation: &str, flags: Flags) -> Result<Self, DeclarationError> {
        let signature = notation::signature(notation)
            .map_err(|reason| DeclarationError { declaration: format!("{name}: {notation}"), reason })?;
        let (mut labels, args): (Vec<Label>, Vec<Type>) = signature.args.into_iter().unzip();
        let (label, result) = signature.result.unzip();
        labels.extend(label);
        if labels.iter().all(|it| it.name.is_empty()) {
            labels.clear();
        }
        Ok(Self { name: name.into(), args, labels, variadic: signature.variadic, result, flags })
    }

    /// Returns the declaration with the alternatives of unions in order, as files of capabilities have them.
    #[must_use]
    pub fn in_order(self) -> Self {
        let normal = |it: Option<Type>| it.map(|it| it.normal());
        Self {
            args: self.args.iter().map(Type::normal).collect(),
            variadic: normal(self.variadic),
            result: normal(self.result),
            ..self
        }
    }

    /// Returns the number of operands, those of a variadic built-in not counted.
    #[must_use]
    pub fn arity(&self) -> usize {
        self.args.len()
    }

    /// Returns the label of an operand, or of the result behind the operands.
    #[must_use]
    pub fn label(&self, position: usize) -> Option<&Label> {
        self.labels.get(position).filter(|it| !it.name.is_empty())
    }

    fn ty(&self) -> Type {
        let args = self.args.iter().map(Type::normal).collect();
        let normal = |it: &Option<Type>| it.as_ref().map(Type::normal).unwrap_or_default();
        Type::function(args, normal(&self.variadic), normal(&self.result))
    }
}

/// The built-ins that a host has.
#[derive(Clone, Debug, Default)]
pub struct Capabilities {
    declarations: Vec<Declaration>,
    types: Vec<Type>,
    by_name: FxHashMap<Box<str>, u32>,
}

impl Capabilities {
    /// Collects declarations; of several with one name the last one counts.
    #[must_use]
    pub fn new(declarations: Vec<Declaration>) -> Self {
        let by_name = (0_u32..).zip(&declarations).map(|(at, it)| (it.name.clone(), at)).collect();
        let types = declarations.iter().map(Declaration::ty).collect();
        Self { declarations, types, by_name }
    }

    /// Reads declarations: name, notation (`str, [any*] -> str`), flags.
    ///
    /// # Errors
    /// Names the first declaration that is not in the notation.
    pub fn from_declarations<'a>(
        rows: impl IntoIterator<Item = (&'a str, &'a str, Flags)>,
    ) -> Result<Self, DeclarationError> {
        let read = |(name, notation, flags)| Declaration::parse(name, notation, flags);
        Ok(Self::new(rows.into_iter().map(read).collect::<Result<_, _>>()?))
    }

    /// Returns a built-in's declaration.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<&Declaration> {
        self.declarations.get(self.position(name)? as usize)
    }

    pub(crate) fn position(&self, name: &str) -> Option<u32> {
        self.by_name.get(name).copied()
    }

    pub(crate) fn at(&self, position: u32) -> Option<&Declaration> {
        self.declarations.get(position as usize)
    }

    /// Returns a built-in's type.
    pub(crate) fn ty(&self, name: &str) -> Type {
        self.position(name).and_then(|at| self.types.get(at as usize)).cloned().unwrap_or_default()
    }

    /// Returns all names, in the order of the declarations.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.declarations.iter().map(|it| it.name.as_ref())
    }

    /// Returns all declarations.
    #[must_use]
    pub fn declarations(&self) -> &[Declaration] {
        &self.declarations
    }
}

impl Type {
    /// Returns the type with the alternatives of unions in order, as the checker wants them.
    pub(crate) fn normal(&self) -> Self {
        match self {
            Self::Array(it) => Self::array(it.fixed.iter().map(Self::normal).collect(), it.rest.normal()),
            Self::Object(it) => Self::object(
                it.fixed.iter().map(|(key, ty)| (key.clone(), ty.normal())).collect(),
                it.rest.as_ref().map(|(key, value)| (key.normal(), value.normal())),
            ),
            Self::Set(it) => Self::set(it.of.normal()),
            Self::Union(it) => relations::sorted_union(it.of.iter().map(Self::normal).collect()),
            _ => self.clone(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn notation_reads_and_shows() {
        let rows = [
            ("a", "str, [any*]/set[any] -> str", "string, any<array[any], set[any]>"),
            ("b", "[{op:str,path:any,any:any}*] -> any", "array[object<op: string, path: any>[any: any]]"),
            ("c", "num/[num,str] -> [num,num]", "any<number, array<number, string>>"),
            (
                "d",
                "set[[any*]], {any:[any*]/set[any]} -> -",
                "set[array[any]], object[any: any<array[any], set[any]>]",
            ),
            ("e", "-> num", ""),
            ("g", "x:num, y:set[str] -> z:str", "number, set[string]"),
        ];
        for (name, notation, want) in rows {
            let caps = Capabilities::from_declarations([(name, notation, Flags::default())]).unwrap();
            let all: Vec<String> = caps.get(name).unwrap().args.iter().map(ToString::to_string).collect();
            assert_eq!(all.join(", "), want);
        }
        assert!(Capabilities::from_declarations([("f", "strx -> num", Flags::default())]).is_err());
        let named = Declaration::parse("g", "x:num -> z:str", Flags::default()).unwrap();
        assert_eq!(named.label(1).map(|it| &*it.name), Some("z"));
    }
}
