//! Types of values, and what a host can do: the declarations of its built-ins.
//!
//! Apart because declarations come from outside: the table of built-ins lives above this crate and hands its rows in
//! as text, so that nothing here knows a function. The text is a compact notation: `str num bool null any`, `[T*]`
//! for arrays, `[a,b]` for arrays of fixed length, `{k:v}` for objects (a key that is no type is a fixed one),
//! `set[T]`, `a/b` for unions, `T...` for any number of operands, and `-` for no result.

use std::fmt;

use rustc_hash::FxHashMap;

pub(crate) mod detail;

/// The type of a value.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Type {
    /// Anything.
    Any,
    /// Null.
    Null,
    /// A boolean.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array: fixed members, then any number of others.
    Array {
        /// The types of the first members.
        fixed: Vec<Type>,
        /// The type of the members after them.
        rest: Option<Box<Type>>,
    },
    /// A set.
    Set(Box<Type>),
    /// An object: fixed keys, then any number of others.
    Object {
        /// The fixed keys with the types of their values.
        fixed: Vec<(Box<str>, Type)>,
        /// The types of the other keys and values.
        rest: Option<Box<(Type, Type)>>,
    },
    /// One of several.
    Union(Vec<Type>),
}

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

/// The declaration of one built-in.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Declaration {
    /// The name as policies write it.
    pub name: Box<str>,
    /// The types of the operands.
    pub args: Vec<Type>,
    /// The type of any further operands.
    pub variadic: Option<Type>,
    /// The type of the result; none of a built-in that is called for its effect.
    pub result: Option<Type>,
    /// What sets it apart.
    pub flags: Flags,
}

impl Declaration {
    /// Returns the number of operands, those of a variadic built-in not counted.
    #[must_use]
    pub fn arity(&self) -> usize {
        self.args.len()
    }
}

/// The built-ins that a host has.
#[derive(Clone, Debug, Default)]
pub struct Capabilities {
    declarations: Vec<Declaration>,
    by_name: FxHashMap<Box<str>, u32>,
}

impl Capabilities {
    /// Reads declarations: name, notation (`str, [any*] -> str`), flags.
    ///
    /// # Errors
    /// Names the first declaration that is not in the notation.
    pub fn from_declarations<'a>(
        rows: impl IntoIterator<Item = (&'a str, &'a str, Flags)>,
    ) -> Result<Self, DeclarationError> {
        let mut out = Self::default();
        for (name, notation, flags) in rows {
            let (args, variadic, result) = parse_declaration(notation)
                .map_err(|reason| DeclarationError { declaration: format!("{name}: {notation}"), reason })?;
            let at = u32::try_from(out.declarations.len()).unwrap_or(u32::MAX);
            out.by_name.insert(name.into(), at);
            out.declarations.push(Declaration { name: name.into(), args, variadic, result, flags });
        }
        Ok(out)
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

    /// Returns all names, in the order of the declarations.
    pub fn names(&self) -> impl Iterator<Item = &str> {
        self.declarations.iter().map(|it| it.name.as_ref())
    }
}

type Signature = (Vec<Type>, Option<Type>, Option<Type>);

fn parse_declaration(notation: &str) -> Result<Signature, &'static str> {
    let (operands, result) = notation.rsplit_once("->").ok_or("there is no `->`")?;
    let mut args = Vec::new();
    let mut variadic = None;
    let operands = operands.trim();
    if !operands.is_empty() && operands != "-" {
        let mut parser = Notation { rest: operands };
        loop {
            let ty = parser.union()?;
            if parser.take("...") {
                variadic = Some(ty);
            } else {
                args.push(ty);
            }
            if !parser.take(",") {
                break;
            }
        }
        parser.end()?;
    }
    let result = match result.trim() {
        "-" => None,
        text => {
            let mut parser = Notation { rest: text };
            let ty = parser.union()?;
            parser.end()?;
            Some(ty)
        }
    };
    Ok((args, variadic, result))
}

/// What is left of a type's text.
struct Notation<'a> {
    rest: &'a str,
}

impl<'a> Notation<'a> {
    fn take(&mut self, token: &str) -> bool {
        match self.rest.trim_start().strip_prefix(token) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn end(&self) -> Result<(), &'static str> {
        if self.rest.trim().is_empty() { Ok(()) } else { Err("there is more than a type") }
    }

    fn word(&mut self) -> &'a str {
        let text = self.rest.trim_start();
        let end = text.find(|it: char| !(it.is_ascii_alphanumeric() || it == '_')).unwrap_or(text.len());
        let (word, rest) = text.split_at(end);
        self.rest = rest;
        word
    }

    fn union(&mut self) -> Result<Type, &'static str> {
        let first = self.single()?;
        if !self.take("/") {
            return Ok(first);
        }
        let mut all = vec![first, self.single()?];
        while self.take("/") {
            all.push(self.single()?);
        }
        Ok(Type::Union(all))
    }

    fn single(&mut self) -> Result<Type, &'static str> {
        if self.take("[") {
            return self.array();
        }
        if self.take("{") {
            return self.object();
        }
        let word = self.word();
        if word == "set" {
            return self.set();
        }
        scalar(word).ok_or("a type is missing")
    }

    fn set(&mut self) -> Result<Type, &'static str> {
        if !self.take("[") {
            return Err("`[` is missing behind `set`");
        }
        let member = self.union()?;
        if self.take("]") { Ok(Type::Set(Box::new(member))) } else { Err("`]` is missing") }
    }

    fn array(&mut self) -> Result<Type, &'static str> {
        let mut fixed = Vec::new();
        let mut rest = None;
        while !self.take("]") {
            let ty = self.union()?;
            if self.take("*") {
                rest = Some(Box::new(ty));
            } else {
                fixed.push(ty);
            }
            if !self.take(",") && !self.rest.trim_start().starts_with(']') {
                return Err("`]` is missing");
            }
        }
        Ok(Type::Array { fixed, rest })
    }

    fn object(&mut self) -> Result<Type, &'static str> {
        let mut fixed = Vec::new();
        let mut rest = None;
        while !self.take("}") {
            let before = self.rest;
            let word = self.word();
            if scalar(word).is_none() && word != "set" && !word.is_empty() {
                self.colon()?;
                fixed.push((word.into(), self.union()?));
            } else {
                self.rest = before;
                let key = self.union()?;
                self.colon()?;
                rest = Some(Box::new((key, self.union()?)));
            }
            if !self.take(",") && !self.rest.trim_start().starts_with('}') {
                return Err("`}` is missing");
            }
        }
        Ok(Type::Object { fixed, rest })
    }

    fn colon(&mut self) -> Result<(), &'static str> {
        if self.take(":") { Ok(()) } else { Err("`:` is missing") }
    }
}

fn scalar(word: &str) -> Option<Type> {
    Some(match word {
        "any" => Type::Any,
        "null" => Type::Null,
        "bool" => Type::Bool,
        "num" => Type::Number,
        "str" => Type::String,
        _ => return None,
    })
}

impl fmt::Display for Type {
    /// Writes the type as OPA does in its errors.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Any => f.write_str("any"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("boolean"),
            Self::Number => f.write_str("number"),
            Self::String => f.write_str("string"),
            Self::Set(member) => write!(f, "set[{member}]"),
            Self::Array { fixed, rest } => write_array(fixed, rest.as_deref(), f),
            Self::Object { fixed, rest } => write_object(fixed, rest.as_deref(), f),
            Self::Union(all) => {
                f.write_str("any<")?;
                write_list(all, f)?;
                f.write_str(">")
            }
        }
    }
}

fn write_list(all: &[Type], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (idx, ty) in all.iter().enumerate() {
        write!(f, "{}{ty}", if idx > 0 { ", " } else { "" })?;
    }
    Ok(())
}

fn write_array(fixed: &[Type], rest: Option<&Type>, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("array")?;
    if !fixed.is_empty() {
        f.write_str("<")?;
        write_list(fixed, f)?;
        f.write_str(">")?;
    }
    match rest {
        Some(rest) => write!(f, "[{rest}]"),
        None => Ok(()),
    }
}

fn write_object(
    fixed: &[(Box<str>, Type)],
    rest: Option<&(Type, Type)>,
    f: &mut fmt::Formatter<'_>,
) -> fmt::Result {
    f.write_str("object")?;
    if !fixed.is_empty() {
        f.write_str("<")?;
        for (idx, (key, ty)) in fixed.iter().enumerate() {
            write!(f, "{}{key}: {ty}", if idx > 0 { ", " } else { "" })?;
        }
        f.write_str(">")?;
    }
    match rest {
        Some((key, value)) => write!(f, "[{key}: {value}]"),
        None => Ok(()),
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
        ];
        for (name, notation, want) in rows {
            let caps = Capabilities::from_declarations([(name, notation, Flags::default())]).unwrap();
            let all: Vec<String> = caps.get(name).unwrap().args.iter().map(ToString::to_string).collect();
            assert_eq!(all.join(", "), want);
        }
        assert!(Capabilities::from_declarations([("f", "strx -> num", Flags::default())]).is_err());
    }
}
