//! The types that the generator aims at.
//!
//! Finer than Rego's: a string knows whether it holds a date or an address, so that built-ins are called with
//! operands that they take, and a number knows whether it is small enough to count with.

use std::rc::Rc;

/// What a number is good for.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Num {
    /// An integer from 0 to 8.
    Small,
    /// An integer that fits 64 bits.
    Int,
    /// Nanoseconds since the epoch within the range of dates.
    Time,
    /// Any number.
    Any,
}

/// What a string holds.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[expect(missing_docs, reason = "the names say what the strings are")]
pub enum Text {
    Any,
    Word,
    Odd,
    Numeral,
    Date,
    Duration,
    Zone,
    Cidr,
    Ip,
    Glob,
    Regex,
    Json,
    Yaml,
    Semver,
    Unit,
    Bytes,
    Url,
    Query,
    Base64,
    Base64Url,
    Hex,
    Uuid,
    Path,
}

/// A type.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub enum Ty {
    /// Anything.
    Any,
    /// Null.
    Null,
    /// A boolean.
    Bool,
    /// A number.
    Num(Num),
    /// A string.
    Str(Text),
    /// An array of any length.
    Array(Rc<Ty>),
    /// An array of these members.
    Tuple(Rc<[Ty]>),
    /// A set.
    Set(Rc<Ty>),
    /// An object of any keys.
    Object(Rc<Ty>, Rc<Ty>),
    /// An object of these keys.
    Record(Rc<[(&'static str, Ty)]>),
}

/// Any number.
pub const NUM: Ty = Ty::Num(Num::Any);
/// A small integer.
pub const SMALL: Ty = Ty::Num(Num::Small);
/// An integer.
pub const INT: Ty = Ty::Num(Num::Int);
/// Any string.
pub const STR: Ty = Ty::Str(Text::Any);
/// A short string of letters.
pub const WORD: Ty = Ty::Str(Text::Word);

impl Ty {
    /// Returns the type of arrays of this type.
    #[must_use]
    pub fn array(self) -> Ty {
        Ty::Array(Rc::new(self))
    }

    /// Returns the type of sets of this type.
    #[must_use]
    pub fn set(self) -> Ty {
        Ty::Set(Rc::new(self))
    }

    /// Returns the type of objects with such values.
    #[must_use]
    pub fn object(key: Ty, value: Ty) -> Ty {
        Ty::Object(Rc::new(key), Rc::new(value))
    }

    /// Says whether a value of this type may stand where another is wanted.
    #[must_use]
    pub fn fits(&self, want: &Ty) -> bool {
        match (self, want) {
            (_, Ty::Any) => true,
            (Ty::Any, _) => false,
            (Ty::Num(have), Ty::Num(want)) => {
                have <= want && (*have != Num::Time || *want == Num::Any) || have == want
            }
            (Ty::Str(have), Ty::Str(want)) => have == want || *want == Text::Any,
            (Ty::Array(have), Ty::Array(want)) | (Ty::Set(have), Ty::Set(want)) => have.fits(want),
            (Ty::Tuple(have), Ty::Array(want)) => have.iter().all(|it| it.fits(want)),
            (Ty::Tuple(have), Ty::Tuple(want)) => {
                have.len() == want.len() && have.iter().zip(want.iter()).all(|(have, want)| have.fits(want))
            }
            (Ty::Object(key, value), Ty::Object(want_key, want_value)) => {
                key.fits(want_key) && value.fits(want_value)
            }
            (Ty::Record(fields), Ty::Object(key, value)) => {
                WORD.fits(key) && fields.iter().all(|it| it.1.fits(value))
            }
            _ => self == want,
        }
    }

    /// Returns the types of keys and values of a collection.
    #[must_use]
    pub fn items(&self) -> Option<(Ty, Ty)> {
        match self {
            Ty::Array(item) => Some((SMALL, (**item).clone())),
            Ty::Tuple(items) => Some((SMALL, join(items.iter()))),
            Ty::Set(item) => Some(((**item).clone(), (**item).clone())),
            Ty::Object(key, value) => Some(((**key).clone(), (**value).clone())),
            Ty::Record(fields) => Some((WORD, join(fields.iter().map(|it| &it.1)))),
            _ => None,
        }
    }

    /// Says whether a value of this type can be in a JSON document.
    #[must_use]
    pub fn is_json(&self) -> bool {
        match self {
            Ty::Set(_) | Ty::Any => false,
            Ty::Array(item) => item.is_json(),
            Ty::Tuple(items) => items.iter().all(Ty::is_json),
            Ty::Object(key, value) => matches!(**key, Ty::Str(_)) && value.is_json(),
            Ty::Record(fields) => fields.iter().all(|it| it.1.is_json()),
            _ => true,
        }
    }
}

/// Returns the one type of all, or any.
fn join<'a>(types: impl Iterator<Item = &'a Ty>) -> Ty {
    let mut types = types.peekable();
    let Some(first) = types.peek().copied() else { return Ty::Any };
    if types.all(|it| it.fits(first)) { first.clone() } else { Ty::Any }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn types_fit_wider_ones() {
        let pair = Ty::Tuple([SMALL, SMALL].into());
        for (have, want, fits) in [
            (SMALL, NUM, true),
            (NUM, SMALL, false),
            (Ty::Num(Num::Time), INT, false),
            (Ty::Num(Num::Time), NUM, true),
            (Ty::Str(Text::Date), STR, true),
            (STR, Ty::Str(Text::Date), false),
            (pair, NUM.array(), true),
            (Ty::object(STR, NUM), Ty::object(Ty::Any, Ty::Any), true),
            (Ty::Any, NUM, false),
        ] {
            assert_eq!(have.fits(&want), fits, "{have:?} {want:?}");
        }
    }
}
