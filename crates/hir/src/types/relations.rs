//! What types mean to each other: order, union, what can be selected from them.
//!
//! Apart because these are the operations that all judgements share; they follow OPA's, down to which of two nearly
//! equal types wins, since messages show the outcome. Nothing here knows terms or scopes.

use std::{cmp::Ordering, sync::Arc};

use super::{ArrayType, FunctionType, Key, ObjectType, Type, UnionType};

/// Recursive definitions are looked through no deeper than this when they are compared.
const COMPARED_MAX: u32 = 256;

/// Orders types.
pub(crate) fn compare(a: &Type, b: &Type) -> Ordering {
    compare_at(a, b, 0)
}

fn compare_at(a: &Type, b: &Type, depth: u32) -> Ordering {
    if depth > COMPARED_MAX {
        return Ordering::Equal;
    }
    match (a, b) {
        (Type::Recursive(x), Type::Recursive(y)) if Arc::ptr_eq(x, y) => Ordering::Equal,
        (Type::Recursive(x), _) => compare_at(&x.unwrap(), b, depth + 1),
        (_, Type::Recursive(y)) => compare_at(a, &y.unwrap(), depth + 1),
        (Type::Array(x), Type::Array(y)) => {
            if Arc::ptr_eq(x, y) {
                return Ordering::Equal;
            }
            let rest = compare_known(&x.rest, &y.rest, depth);
            rest.then_with(|| compare_lists(&x.fixed, &y.fixed, depth))
        }
        (Type::Object(x), Type::Object(y)) => {
            if Arc::ptr_eq(x, y) {
                Ordering::Equal
            } else {
                compare_objects(x, y, depth)
            }
        }
        (Type::Set(x), Type::Set(y)) => {
            if Arc::ptr_eq(x, y) {
                return Ordering::Equal;
            }
            compare_at(&x.of, &y.of, depth + 1)
        }
        (Type::Union(x), Type::Union(y)) => compare_lists(&x.of, &y.of, depth),
        (Type::Any, Type::Union(_)) => Ordering::Less,
        (Type::Union(_), Type::Any) => Ordering::Greater,
        (Type::Function(x), Type::Function(y)) => compare_functions(x, y, depth),
        _ => rank(a).cmp(&rank(b)),
    }
}

/// Orders what may be missing; none comes first.
fn compare_known(a: &Type, b: &Type, depth: u32) -> Ordering {
    compare_at(a, b, depth + 1)
}

fn compare_lists(a: &[Type], b: &[Type], depth: u32) -> Ordering {
    let first = a.iter().zip(b).map(|(x, y)| compare_at(x, y, depth + 1)).find(|it| it.is_ne());
    first.unwrap_or_else(|| a.len().cmp(&b.len()))
}

fn compare_objects(a: &ObjectType, b: &ObjectType, depth: u32) -> Ordering {
    let rest = match (&a.rest, &b.rest) {
        (Some(x), Some(y)) => {
            compare_at(&x.0, &y.0, depth + 1).then_with(|| compare_at(&x.1, &y.1, depth + 1))
        }
        (x, y) => x.is_some().cmp(&y.is_some()),
    };
    let fixed = || {
        let pairs = a.fixed.iter().zip(&b.fixed);
        let first = pairs.map(|(x, y)| x.0.cmp(&y.0).then_with(|| compare_at(&x.1, &y.1, depth + 1)));
        first.into_iter().find(|it| it.is_ne()).unwrap_or_else(|| a.fixed.len().cmp(&b.fixed.len()))
    };
    rest.then_with(fixed)
}

fn compare_functions(a: &FunctionType, b: &FunctionType, depth: u32) -> Ordering {
    let args = || compare_lists(&a.args, &b.args, depth);
    a.args
        .len()
        .cmp(&b.args.len())
        .then_with(args)
        .then_with(|| compare_at(&a.result, &b.result, depth + 1))
        .then_with(|| compare_at(&a.variadic, &b.variadic, depth + 1))
}

fn rank(ty: &Type) -> u8 {
    match ty {
        Type::Unknown => 0,
        Type::Null => 1,
        Type::Bool => 2,
        Type::Number => 3,
        Type::String => 4,
        Type::Array(_) => 5,
        Type::Object(_) => 6,
        Type::Set(_) => 7,
        Type::Any | Type::Union(_) | Type::Recursive(_) => 8,
        Type::Function(_) => 9,
    }
}

/// Tells whether types are the same.
pub(crate) fn same(a: &Type, b: &Type) -> bool {
    compare(a, b).is_eq()
}

/// Tells whether `a` holds all of `b`, as far as that is seen at once.
fn contains(a: &Type, b: &Type) -> bool {
    match a {
        Type::Any => !matches!(b, Type::Function(_)),
        Type::Union(union) => union_contains(union, b),
        _ => same(a, b),
    }
}

fn union_contains(union: &UnionType, ty: &Type) -> bool {
    union.of.binary_search_by(|it| compare(it, ty)).is_ok()
}

/// Returns the union of two types.
pub(crate) fn or(a: Type, b: Type) -> Type {
    match (a, b) {
        (Type::Unknown, it) | (it, Type::Unknown) => it,
        (Type::Function(a), Type::Function(b)) => or_functions(&a, &b),
        (Type::Function(_), _) | (_, Type::Function(_)) => Type::Unknown,
        (Type::Any, _) | (_, Type::Any) => Type::Any,
        (Type::Union(a), Type::Union(b)) => {
            let mut of = a.of.clone();
            of.extend(b.of.iter().cloned());
            sorted_union(of)
        }
        (Type::Union(union), other) | (other, Type::Union(union)) => {
            match union.of.binary_search_by(|it| compare(it, &other)) {
                Ok(_) => Type::Union(union),
                Err(at) => {
                    let mut of = union.of.clone();
                    of.insert(at, other);
                    Type::union(of)
                }
            }
        }
        (a, b) => match compare(&a, &b) {
            Ordering::Equal => a,
            Ordering::Less => Type::union(vec![a, b]),
            Ordering::Greater => Type::union(vec![b, a]),
        },
    }
}

/// Makes a union of alternatives in any order.
pub(crate) fn sorted_union(mut of: Vec<Type>) -> Type {
    of.sort_by(compare);
    of.dedup_by(|a, b| same(a, b));
    Type::union(of)
}

/// Functions that take different numbers of operands leave a function of which nothing is known, which is the same as
/// no value and gives way to the next function.
fn or_functions(a: &Arc<FunctionType>, b: &Arc<FunctionType>) -> Type {
    match (is_void(a), is_void(b)) {
        (true, _) => return Type::Function(Arc::clone(b)),
        (_, true) => return Type::Function(Arc::clone(a)),
        _ => {}
    }
    if a.args.len() != b.args.len() || a.variadic.is_unknown() != b.variadic.is_unknown() {
        return Type::function(Vec::new(), Type::Unknown, Type::Unknown);
    }
    let args = a.args.iter().zip(&b.args).map(|(x, y)| or(x.clone(), y.clone())).collect();
    let variadic = or(a.variadic.clone(), b.variadic.clone());
    Type::function(args, variadic, or(a.result.clone(), b.result.clone()))
}

fn is_void(function: &FunctionType) -> bool {
    function.args.is_empty() && function.variadic.is_unknown() && function.result.is_unknown()
}

/// Returns the type of what a constant selects; unknown if it selects nothing.
pub(crate) fn select(ty: &Type, key: &Key) -> Type {
    match ty {
        Type::Array(array) => match key {
            Key::Number(text) => text.parse().map_or(Type::Unknown, |at| array.select(at)),
            _ => Type::Unknown,
        },
        Type::Object(object) => object.select(key),
        Type::Set(set) => {
            let found = key.ty();
            if same(&set.of, &found) || (is_any(&set.of) && contains(&set.of, &found)) {
                found
            } else {
                Type::Unknown
            }
        }
        Type::Any => Type::Any,
        Type::Union(union) => union.of.iter().fold(Type::Unknown, |all, it| or(select(it, key), all)),
        Type::Recursive(it) => match it.unwrap() {
            Type::Recursive(_) => Type::Unknown,
            target => select(&target, key),
        },
        _ => Type::Unknown,
    }
}

fn is_any(ty: &Type) -> bool {
    matches!(ty, Type::Any | Type::Union(_))
}

impl ArrayType {
    /// Returns the type of the member at a position.
    pub(crate) fn select(&self, at: usize) -> Type {
        self.fixed.get(at).unwrap_or(&self.rest).clone()
    }
}

impl ObjectType {
    /// Returns the type of the property of a name.
    pub(crate) fn select(&self, key: &Key) -> Type {
        if let Ok(at) = self.fixed.binary_search_by(|it| it.0.cmp(key)) {
            return self.fixed.get(at).map_or(Type::Unknown, |it| it.1.clone());
        }
        match &self.rest {
            Some((keys, value)) if contains(keys, &key.ty()) => value.clone(),
            _ => Type::Unknown,
        }
    }

    /// Returns the type of the values of the keys that are not fixed.
    pub(crate) fn rest_value(&self) -> Type {
        self.rest.as_ref().map_or(Type::Unknown, |it| it.1.clone())
    }

    /// Tells whether no object but the empty one is of this type.
    pub(crate) fn is_empty(&self) -> bool {
        self.fixed.is_empty() && self.rest.is_none()
    }
}

/// Returns the type of the keys that a collection has; unknown if there are none.
pub(crate) fn keys(ty: &Type) -> Type {
    match ty {
        Type::Array(_) => Type::Number,
        Type::Object(object) => {
            // Keys are mostly strings, and in order: equal types stand together.
            let mut out = Type::Unknown;
            let mut last = Type::Unknown;
            for (key, _) in &object.fixed {
                let ty = key.ty();
                if !same(&ty, &last) {
                    out = or(out, ty.clone());
                    last = ty;
                }
            }
            match &object.rest {
                Some((keys, _)) => or(out, keys.clone()),
                None => out,
            }
        }
        Type::Set(set) => set.of.clone(),
        Type::Any => Type::Any,
        Type::Union(union) => union.of.iter().fold(Type::Unknown, |all, it| or(keys(it), all)),
        Type::Recursive(it) => match it.unwrap() {
            Type::Recursive(_) => Type::Unknown,
            target => keys(&target),
        },
        _ => Type::Unknown,
    }
}

/// Returns the type of the values that a collection has; unknown if there are none.
pub(crate) fn values(ty: &Type) -> Type {
    match ty {
        Type::Array(array) => or_all(array.fixed.iter().chain([&array.rest])),
        Type::Object(object) => {
            let rest = object.rest.as_ref().map(|it| &it.1);
            or_all(object.fixed.iter().map(|it| &it.1).chain(rest))
        }
        Type::Set(set) => set.of.clone(),
        Type::Any => Type::Any,
        Type::Union(union) => union.of.iter().fold(Type::Unknown, |all, it| or(values(it), all)),
        Type::Recursive(it) => match it.unwrap() {
            Type::Recursive(_) => Type::Unknown,
            target => values(&target),
        },
        _ => Type::Unknown,
    }
}

/// Returns the union of many types; linear where one by one would be quadratic.
pub(crate) fn or_all<'t>(types: impl Iterator<Item = &'t Type> + Clone) -> Type {
    let has_function = types.clone().any(is_function);
    if types.clone().any(|it| matches!(it, Type::Any)) && !has_function {
        return Type::Any;
    }
    let mut few = types.clone();
    let is_few = types.take(5).count() < 5;
    if has_function || is_few {
        return few.try_fold(Type::Unknown, |all, it| Some(or(all, it.clone()))).unwrap_or_default();
    }
    let mut of: Vec<Type> = Vec::new();
    for ty in few.filter(|it| !it.is_unknown()) {
        match ty {
            Type::Union(union) => of.extend(union.of.iter().cloned()),
            _ => of.push(ty.clone()),
        }
    }
    of.sort_by(compare);
    of.dedup_by(|a, b| same(a, b));
    match of.len() {
        0 => Type::Unknown,
        1 => of.pop().unwrap_or_default(),
        _ => Type::union(of),
    }
}

fn is_function(ty: &Type) -> bool {
    matches!(ty, Type::Function(_))
}

/// Looks through the names of definitions.
pub(crate) fn unwrapped(ty: &Type) -> Type {
    match ty {
        Type::Recursive(it) => it.unwrap(),
        _ => ty.clone(),
    }
}

/// Tells whether a collection of this type holds nothing.
pub(crate) fn is_empty_collection(ty: &Type) -> bool {
    match ty {
        Type::Object(object) => object.is_empty(),
        Type::Array(array) => array.fixed.is_empty() && array.rest.is_unknown(),
        Type::Set(set) => set.of.is_unknown(),
        Type::Recursive(it) => match it.unwrap() {
            Type::Recursive(_) => false,
            target => is_empty_collection(&target),
        },
        _ => false,
    }
}

/// Tells whether a value can be of both types.
pub(crate) fn unifies(a: &Type, b: &Type) -> bool {
    unifies_at(a, b, 0)
}

fn unifies_at(a: &Type, b: &Type, depth: u32) -> bool {
    if a.is_unknown() || b.is_unknown() {
        return false;
    }
    if depth > COMPARED_MAX {
        return true;
    }
    match (a, b) {
        (Type::Recursive(x), Type::Recursive(y)) if Arc::ptr_eq(x, y) => true,
        (Type::Recursive(x), _) => unifies_at(&x.unwrap(), b, depth + 1),
        (_, Type::Recursive(y)) => unifies_at(a, &y.unwrap(), depth + 1),
        (Type::Any, other) | (other, Type::Any) => !is_function(other),
        (Type::Union(x), Type::Union(y)) => {
            x.of.iter().any(|it| unifies_at(it, b, depth + 1))
                || y.of.iter().any(|it| unifies_at(it, a, depth + 1))
        }
        (Type::Union(union), other) | (other, Type::Union(union)) => {
            !is_function(other) && union.of.iter().any(|it| unifies_at(it, other, depth + 1))
        }
        (Type::Array(x), Type::Array(y)) => {
            Arc::ptr_eq(x, y) && x.measure.complete || unifies_arrays(x, y, depth)
        }
        (Type::Object(x), Type::Object(y)) => {
            Arc::ptr_eq(x, y) && x.measure.complete || unifies_objects(x, y, depth)
        }
        (Type::Set(x), Type::Set(y)) => {
            x.of.is_unknown() || y.of.is_unknown() || unifies_at(&x.of, &y.of, depth + 1)
        }
        (Type::Function(x), Type::Function(y)) => {
            x.args.len() == y.args.len()
                && x.args.iter().zip(&y.args).all(|(a, b)| unifies_at(a, b, depth + 1))
        }
        _ => rank(a) == rank(b),
    }
}

fn unifies_arrays(a: &ArrayType, b: &ArrayType, depth: u32) -> bool {
    let fixed = |a: &ArrayType, b: &ArrayType| {
        a.fixed.iter().enumerate().all(|(at, it)| unifies_at(it, &b.select(at), depth + 1))
    };
    let rest = || a.rest.is_unknown() || b.rest.is_unknown() || unifies_at(&a.rest, &b.rest, depth + 1);
    fixed(a, b) && fixed(b, a) && rest()
}

fn unifies_objects(a: &ObjectType, b: &ObjectType, depth: u32) -> bool {
    let open = !a.rest_value().is_unknown() || !b.rest_value().is_unknown();
    let fixed = |a: &ObjectType, b: &ObjectType| {
        a.fixed.iter().all(|(key, ty)| match b.select(key) {
            Type::Unknown => open,
            other => unifies_at(ty, &other, depth + 1),
        })
    };
    let rest = || match (a.rest_value(), b.rest_value()) {
        (Type::Unknown, _) | (_, Type::Unknown) => true,
        (x, y) => unifies_at(&x, &y, depth + 1),
    };
    fixed(a, b) && fixed(b, a) && rest()
}

impl PartialEq for Type {
    fn eq(&self, other: &Self) -> bool {
        same(self, other)
    }
}

impl Eq for Type {}
