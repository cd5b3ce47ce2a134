//! The compact notation of declarations: text in, types out.
//!
//! `str num bool null any`, `[T*]` for arrays, `[a,b]` for arrays of fixed length, `{k:v}` for objects (a key that is
//! no type is a fixed one), `set[T]`, `a/b` for unions, `T...` for any number of operands, and `-` for no result. An
//! operand or the result may be preceded by its name: `x:num, y:num -> z:num`. Nothing here knows what types mean.

use super::{Key, Type, declarations::Label};

/// Operands, further operands and result, each with its name.
#[derive(Debug, Default)]
pub(super) struct Signature {
    pub(super) args: Vec<(Label, Type)>,
    pub(super) variadic: Option<Type>,
    pub(super) result: Option<(Label, Type)>,
}

/// Reads one type.
#[cfg(test)]
pub(super) fn ty(text: &str) -> Result<Type, &'static str> {
    let mut parser = Notation { rest: text };
    let ty = parser.union()?;
    parser.end()?;
    Ok(ty)
}

/// Reads a declaration.
pub(super) fn signature(notation: &str) -> Result<Signature, &'static str> {
    let (operands, result) = notation.rsplit_once("->").ok_or("there is no `->`")?;
    let mut out = Signature::default();
    let operands = operands.trim();
    if !operands.is_empty() && operands != "-" {
        let mut parser = Notation { rest: operands };
        loop {
            let operand = parser.operand()?;
            if parser.take("...") {
                out.variadic = Some(operand.1);
            } else {
                out.args.push(operand);
            }
            if !parser.take(",") {
                break;
            }
        }
        parser.end()?;
    }
    let result = result.trim();
    if result != "-" {
        let mut parser = Notation { rest: result };
        out.result = Some(parser.operand()?);
        parser.end()?;
    }
    Ok(out)
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

    fn operand(&mut self) -> Result<(Label, Type), &'static str> {
        let before = self.rest;
        let word = self.word();
        if !word.is_empty() && self.take(":") {
            return Ok((Label { name: word.into(), description: Box::default() }, self.union()?));
        }
        self.rest = before;
        Ok((Label::default(), self.union()?))
    }

    fn union(&mut self) -> Result<Type, &'static str> {
        let first = self.single()?;
        if !self.take("/") {
            return Ok(first);
        }
        // A stroke with nothing behind it makes a union of one, which old declarations know.
        let mut all = vec![first];
        while !matches!(self.rest.trim_start().chars().next(), None | Some(',' | ']' | '}' | '*' | '.')) {
            all.push(self.single()?);
            if !self.take("/") {
                break;
            }
        }
        Ok(Type::union(all))
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
        if self.take("]") { Ok(Type::set(member)) } else { Err("`]` is missing") }
    }

    fn array(&mut self) -> Result<Type, &'static str> {
        let mut fixed = Vec::new();
        let mut rest = Type::Unknown;
        while !self.take("]") {
            let ty = self.union()?;
            if self.take("*") {
                rest = ty;
            } else {
                fixed.push(ty);
            }
            if !self.take(",") && !self.rest.trim_start().starts_with(']') {
                return Err("`]` is missing");
            }
        }
        Ok(Type::array(fixed, rest))
    }

    fn object(&mut self) -> Result<Type, &'static str> {
        let mut fixed = Vec::new();
        let mut rest = None;
        while !self.take("}") {
            let before = self.rest;
            let word = self.word();
            if scalar(word).is_none() && word != "set" && !word.is_empty() {
                self.colon()?;
                fixed.push((Key::from(word), self.union()?));
            } else {
                self.rest = before;
                let key = self.union()?;
                self.colon()?;
                rest = Some((key, self.union()?));
            }
            if !self.take(",") && !self.rest.trim_start().starts_with('}') {
                return Err("`}` is missing");
            }
        }
        Ok(Type::object(fixed, rest))
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
