//! Types as OPA writes them in its errors.
//!
//! Apart because whole types are written in several places; those that are too long for a line are shortened by
//! `elide`.

use std::fmt;

use super::{FunctionType, Key, Type};

impl fmt::Display for Type {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unknown => f.write_str("???"),
            Self::Any => f.write_str("any"),
            Self::Null => f.write_str("null"),
            Self::Bool => f.write_str("boolean"),
            Self::Number => f.write_str("number"),
            Self::String => f.write_str("string"),
            Self::Set(set) if set.of.is_unknown() => f.write_str("set"),
            Self::Set(set) => write!(f, "set[{}]", set.of),
            Self::Array(array) => {
                f.write_str("array")?;
                if !array.fixed.is_empty() {
                    f.write_str("<")?;
                    write_list(&array.fixed, f)?;
                    f.write_str(">")?;
                }
                match array.rest.known() {
                    Some(rest) => write!(f, "[{rest}]"),
                    None => Ok(()),
                }
            }
            Self::Object(object) => write_object(&object.fixed, object.rest.as_ref(), f),
            Self::Union(union) => {
                f.write_str("any<")?;
                write_list(&union.of, f)?;
                f.write_str(">")
            }
            Self::Function(function) => write_function(function, f),
            Self::Recursive(it) => write!(f, "recursive({})", it.name),
        }
    }
}

fn write_list(all: &[Type], f: &mut fmt::Formatter<'_>) -> fmt::Result {
    for (idx, ty) in all.iter().enumerate() {
        write!(f, "{}{ty}", if idx > 0 { ", " } else { "" })?;
    }
    Ok(())
}

fn write_object(
    fixed: &[(Key, Type)],
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

fn write_function(function: &FunctionType, f: &mut fmt::Formatter<'_>) -> fmt::Result {
    f.write_str("(")?;
    write_list(&function.args, f)?;
    if let Some(variadic) = function.variadic.known() {
        write!(f, "{}{variadic}...", if function.args.is_empty() { "" } else { ", " })?;
    }
    write!(f, ") => {}", function.result)
}
