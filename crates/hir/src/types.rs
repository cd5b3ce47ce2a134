//! Types of values: what the checker infers, and what declarations of built-ins and schemas say.
//!
//! A type is cheap to clone: composites are shared. Each composite knows how deep and how large it is and whether all
//! of it is known, so that hostile policies cannot grow types without end: beyond the limits a type is `any`. What types
//! mean to each other is in `relations`, how they are written in `show` and `elide`, declarations in
//! `declarations` and their notation in `notation`.

use std::sync::{Arc, OnceLock, Weak};

pub(crate) mod declarations;
pub(crate) mod detail;
pub(crate) mod elide;
mod key;
mod notation;
pub(crate) mod relations;
mod show;

pub use declarations::{Capabilities, Declaration, DeclarationError, Flags, Label};
pub use key::Key;

/// Types are not nested deeper than this.
const DEPTH_MAX: u16 = 128;

/// Types have no more parts than this, shared ones counted each time.
const WEIGHT_MAX: u32 = 100_000;

/// The type of a value.
#[derive(Clone, Debug, Default)]
pub enum Type {
    /// Not known; as a part of another type: there is none.
    #[default]
    Unknown,
    /// Null.
    Null,
    /// A boolean.
    Bool,
    /// A number.
    Number,
    /// A string.
    String,
    /// An array.
    Array(Arc<ArrayType>),
    /// An object.
    Object(Arc<ObjectType>),
    /// A set.
    Set(Arc<SetType>),
    /// Anything.
    Any,
    /// One of several.
    Union(Arc<UnionType>),
    /// A function.
    Function(Arc<FunctionType>),
    /// A definition of a schema that refers to itself.
    Recursive(Arc<RecursiveType>),
}

/// What composites know of themselves.
#[derive(Clone, Copy, Debug)]
struct Measure {
    depth: u16,
    weight: u32,
    /// No part of it is unknown.
    complete: bool,
}

/// The members of an array.
#[derive(Clone, Debug)]
pub struct ArrayType {
    /// The types of the first members.
    pub fixed: Vec<Type>,
    /// The type of the members after them; unknown if there are none.
    pub rest: Type,
    measure: Measure,
}

/// The properties of an object.
#[derive(Clone, Debug)]
pub struct ObjectType {
    /// The fixed keys with the types of their values, in order of the keys.
    pub fixed: Vec<(Key, Type)>,
    /// The types of the other keys and values.
    pub rest: Option<(Type, Type)>,
    measure: Measure,
}

/// The members of a set.
#[derive(Clone, Debug)]
pub struct SetType {
    /// The type of the members; unknown of the empty set.
    pub of: Type,
    measure: Measure,
}

/// The alternatives of a union.
#[derive(Clone, Debug)]
pub struct UnionType {
    /// The alternatives; in order, except in declarations that were read in another one.
    pub of: Vec<Type>,
    measure: Measure,
}

/// The operands and the result of a function.
#[derive(Clone, Debug)]
pub struct FunctionType {
    /// The types of the operands.
    pub args: Vec<Type>,
    /// The type of any further operands; unknown if there are none.
    pub variadic: Type,
    /// The type of the result; unknown if there is none.
    pub result: Type,
    measure: Measure,
}

/// A definition of a schema that is being defined by itself.
#[derive(Debug)]
pub struct RecursiveType {
    /// The name of the definition.
    pub name: Box<str>,
    target: OnceLock<Weak<Type>>,
}

impl Measure {
    const LEAF: Self = Self { depth: 0, weight: 1, complete: true };

    fn of<'t>(parts: impl IntoIterator<Item = &'t Type>) -> Self {
        let mut out = Self::LEAF;
        for part in parts {
            let other = part.measure();
            out.depth = out.depth.max(other.depth);
            out.weight = out.weight.saturating_add(other.weight);
            out.complete &= other.complete;
        }
        out.depth = out.depth.saturating_add(1);
        out
    }

    fn fits(self) -> bool {
        self.depth <= DEPTH_MAX && self.weight <= WEIGHT_MAX
    }
}

impl Type {
    fn measure(&self) -> Measure {
        match self {
            Self::Unknown => Measure { complete: false, ..Measure::LEAF },
            Self::Array(it) => it.measure,
            Self::Object(it) => it.measure,
            Self::Set(it) => it.measure,
            // What a union holds is known well enough.
            Self::Union(it) => Measure { complete: true, ..it.measure },
            Self::Function(it) => it.measure,
            Self::Null | Self::Bool | Self::Number | Self::String | Self::Any | Self::Recursive(_) => {
                Measure::LEAF
            }
        }
    }

    /// Makes the type of an array.
    #[must_use]
    pub fn array(fixed: Vec<Self>, rest: Self) -> Self {
        let no_rest = matches!(rest, Self::Unknown);
        let measure = Measure::of(fixed.iter().chain((!no_rest).then_some(&rest)));
        if measure.fits() { Self::Array(Arc::new(ArrayType { fixed, rest, measure })) } else { Self::Any }
    }

    /// Makes the type of an object; of properties with one key the last one counts.
    #[must_use]
    pub fn object(mut fixed: Vec<(Key, Self)>, rest: Option<(Self, Self)>) -> Self {
        if !fixed.is_sorted_by(|a, b| a.0 < b.0) {
            fixed.reverse();
            fixed.sort_by(|a, b| a.0.cmp(&b.0));
            fixed.dedup_by(|a, b| a.0 == b.0);
        }
        let parts = fixed.iter().map(|it| &it.1);
        let measure = Measure::of(parts.chain(rest.iter().flat_map(|it| [&it.0, &it.1])));
        if measure.fits() { Self::Object(Arc::new(ObjectType { fixed, rest, measure })) } else { Self::Any }
    }

    /// Makes the type of a set.
    #[must_use]
    pub fn set(of: Self) -> Self {
        let measure = Measure::of([&of]);
        if measure.fits() { Self::Set(Arc::new(SetType { of, measure })) } else { Self::Any }
    }

    /// Makes a union of alternatives; of none it is `any`.
    #[must_use]
    pub fn one_of(of: Vec<Self>) -> Self {
        relations::sorted_union(of)
    }

    /// Joins two types: what either of them may be.
    #[must_use]
    pub fn or(self, other: Self) -> Self {
        relations::or(self, other)
    }

    /// Makes a union of alternatives as they are.
    pub(crate) fn union(of: Vec<Self>) -> Self {
        let measure = Measure::of(&of);
        if of.is_empty() || !measure.fits() {
            return Self::Any;
        }
        Self::Union(Arc::new(UnionType { of, measure }))
    }

    /// Makes the type of a function.
    #[must_use]
    pub fn function(args: Vec<Self>, variadic: Self, result: Self) -> Self {
        let measure = Measure::of(args.iter().chain([&result]));
        if measure.fits() {
            Self::Function(Arc::new(FunctionType { args, variadic, result, measure }))
        } else {
            Self::Any
        }
    }

    /// Makes a definition that refers to itself; see [`RecursiveType::define`].
    #[must_use]
    pub fn recursive(name: &str) -> Arc<RecursiveType> {
        Arc::new(RecursiveType { name: name.into(), target: OnceLock::new() })
    }

    /// Tells whether nothing is known of it.
    #[must_use]
    pub fn is_unknown(&self) -> bool {
        matches!(self, Self::Unknown)
    }

    /// Tells whether no part of it is unknown.
    #[must_use]
    pub fn is_complete(&self) -> bool {
        self.measure().complete
    }

    /// Returns the type, or none if it is unknown.
    #[must_use]
    pub fn known(&self) -> Option<&Self> {
        if self.is_unknown() { None } else { Some(self) }
    }
}

impl RecursiveType {
    /// Says what the definition is. Whoever keeps `target` keeps the definition.
    pub fn define(&self, target: &Arc<Type>) {
        // A definition is given once; a second one would be the same.
        drop(self.target.set(Arc::downgrade(target)));
    }

    /// Returns what it stands for.
    pub(crate) fn unwrap(&self) -> Type {
        let target = self.target.get().and_then(Weak::upgrade);
        target.map_or(Type::Any, |it| Type::clone(&it))
    }
}
