//! Types shortened for messages that would be too wide, as OPA shortens them.
//!
//! Two types stand side by side so that the reader sees where they differ: what is equal is dropped or collapsed to
//! its outermost word, an ellipsis says where. Apart from `show` because these rules are about reading, not about types.

use super::{ArrayType, FunctionType, Key, Label, ObjectType, Type, relations::unifies};

const ELLIPSIS: &str = "...";

/// Lines are shortened that are wider.
const LINE_MAX: usize = 80;

/// Types that are not the subject are collapsed if they are wider.
const TYPE_MAX: usize = 32;

/// Types are compared no deeper than this.
const DIFF_DEPTH_MAX: u32 = 8;

/// A type with what the operand is called that it stands for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Named<'t> {
    /// What it is called, if anything.
    pub(crate) label: Option<&'t Label>,
    /// The type.
    pub(crate) ty: &'t Type,
}

impl Named<'_> {
    fn prefixed(&self, text: String) -> String {
        match self.label {
            Some(label) => format!("{}: {text}", label.name),
            None => text,
        }
    }

    fn full(&self) -> String {
        self.prefixed(self.ty.to_string())
    }

    fn elided(&self) -> String {
        // The width of the whole decides, the name counted.
        let full = self.full();
        if width(&full) <= TYPE_MAX { full } else { self.prefixed(collapsed(self.ty, 0)) }
    }
}

fn width(text: &str) -> usize {
    text.chars().count()
}

fn is_wide(lines: &[&str]) -> bool {
    lines.iter().any(|it| width(it) > LINE_MAX)
}

/// Returns the lines that say what operands were given and wanted.
pub(crate) fn argument_lines(have: &[Type], want: &[Named<'_>], variadic: &Type) -> Vec<String> {
    let lines = |have: Vec<String>, want: Vec<String>| {
        vec![format!("have: ({})", have.join(", ")), format!("want: ({})", want.join(", "))]
    };
    let mut want_texts: Vec<String> = want.iter().map(Named::full).collect();
    want_texts.extend(variadic.known().map(|it| format!("{it}{ELLIPSIS}")));
    let full = lines(have.iter().map(Type::to_string).collect(), want_texts);
    if !is_wide(&full.iter().map(String::as_str).collect::<Vec<_>>()) {
        return full;
    }
    let mut have_texts: Vec<String> = have.iter().map(elided).collect();
    let mut want_texts: Vec<String> = want.iter().map(Named::elided).collect();
    let sides = have_texts.iter_mut().zip(&mut want_texts);
    for ((left, right), (have, want)) in sides.zip(have.iter().zip(want)) {
        if unifies(have, want.ty) {
            continue;
        }
        let (a, b) = diff(have, want.ty, 0);
        (*left, *right) = (a, want.prefixed(b));
    }
    want_texts.extend(variadic.known().map(|it| format!("{}{ELLIPSIS}", elided(it))));
    lines(have_texts, want_texts)
}

/// Returns the lines that say which types do not match.
pub(crate) fn match_lines(left: &Type, right: &Type) -> Vec<String> {
    let line = |side: &str, text: &str| format!("{side}: {text}");
    let mut lines = vec![line("left  ", &left.to_string()), line("right ", &right.to_string())];
    if is_wide(&lines.iter().map(String::as_str).collect::<Vec<_>>()) {
        let (a, b) = diff(left, right, 0);
        lines = vec![line("left  ", &a), line("right ", &b)];
    }
    let kind = match (left, right) {
        (Type::Object(_), Type::Object(_)) => "objects",
        (Type::Array(_), Type::Array(_)) => "arrays",
        (Type::Set(_), Type::Set(_)) => "sets",
        _ => return lines,
    };
    lines.push(format!(
        "hint  : both sides are {kind} but their types differ, so they can never be equal \
         (see https://www.openpolicyagent.org/docs/errors/rego-type-error/match-error)"
    ));
    lines
}

/// Returns a type, collapsed unless it is short.
fn elided(ty: &Type) -> String {
    let full = ty.to_string();
    if width(&full) <= TYPE_MAX { full } else { collapsed(ty, 0) }
}

/// Returns a type without what is nested deeper than `depth` levels.
fn collapsed(ty: &Type, depth: u32) -> String {
    let inside = |ty: &Type| match depth.checked_sub(1) {
        Some(depth) => collapsed(ty, depth),
        None => ELLIPSIS.to_owned(),
    };
    match ty {
        Type::Set(set) if !set.of.is_unknown() => format!("set[{}]", inside(&set.of)),
        Type::Array(it) => {
            let fixed = some(depth, it.fixed.iter().map(inside));
            array_text(&fixed, it.rest.known().map(inside).as_deref())
        }
        Type::Object(it) => {
            let fixed = some(depth, it.fixed.iter().map(|(key, ty)| property(key, &inside(ty))));
            let rest = it.rest.as_ref().map(|(key, value)| match depth {
                0 => ELLIPSIS.to_owned(),
                _ => format!("{}: {}", inside(key), inside(value)),
            });
            object_text(&fixed, rest.as_deref())
        }
        Type::Union(it) => union_text(&some(depth, it.of.iter().map(inside))),
        Type::Function(it) => {
            let variadic = it.variadic.known().map(|it| format!("{}{ELLIPSIS}", inside(it)));
            let params = some(depth, it.args.iter().map(inside).chain(variadic));
            let result = it.result.known().map_or_else(|| it.result.to_string(), inside);
            function_text(&params, &result)
        }
        _ => ty.to_string(),
    }
}

/// Returns texts, at depth 0 an ellipsis for all of them.
fn some(depth: u32, texts: impl Iterator<Item = String>) -> Vec<String> {
    let texts: Vec<String> = texts.collect();
    if depth == 0 && !texts.is_empty() { vec![ELLIPSIS.to_owned()] } else { texts }
}

/// Returns both types with what differs.
fn diff(a: &Type, b: &Type, depth: u32) -> (String, String) {
    if depth >= DIFF_DEPTH_MAX || a.is_unknown() || b.is_unknown() || is_written_alike(a, b) {
        return (elided(a), elided(b));
    }
    match (a, b) {
        (Type::Set(x), Type::Set(y)) if !x.of.is_unknown() && !y.of.is_unknown() => {
            let (left, right) = diff(&x.of, &y.of, depth + 1);
            (format!("set[{left}]"), format!("set[{right}]"))
        }
        (Type::Array(x), Type::Array(y)) => diff_arrays((a, x), (b, y), depth),
        (Type::Object(x), Type::Object(y)) => diff_objects(x, y, depth),
        (Type::Union(x), Type::Union(y)) => diff_unions(&x.of, &y.of),
        (Type::Function(x), Type::Function(y)) if x.args.len() == y.args.len() => diff_functions(x, y, depth),
        _ => (elided(a), elided(b)),
    }
}

fn is_written_alike(a: &Type, b: &Type) -> bool {
    a.to_string() == b.to_string()
}

fn diff_arrays((a, x): (&Type, &ArrayType), (b, y): (&Type, &ArrayType), depth: u32) -> (String, String) {
    if x.fixed.len() != y.fixed.len() || x.rest.is_unknown() != y.rest.is_unknown() {
        return (collapsed(a, 1), collapsed(b, 1));
    }
    let pairs = x.fixed.iter().zip(&y.fixed).map(|(a, b)| diff(a, b, depth + 1));
    let (left, right): (Vec<String>, Vec<String>) = pairs.unzip();
    let rest = x.rest.known().map(|it| diff(it, &y.rest, depth + 1));
    let (rest_left, rest_right) = rest.unzip();
    (array_text(&left, rest_left.as_deref()), array_text(&right, rest_right.as_deref()))
}

fn diff_objects(a: &ObjectType, b: &ObjectType, depth: u32) -> (String, String) {
    let (mut left, mut right) = (Vec::new(), Vec::new());
    let mut dropped = false;
    for (key, ty) in &a.fixed {
        match b.fixed.iter().find(|it| it.0 == *key) {
            None => left.push(property(key, &elided(ty))),
            Some((_, other)) if is_written_alike(ty, other) => dropped = true,
            Some((_, other)) => {
                let (x, y) = diff(ty, other, depth + 1);
                left.push(property(key, &x));
                right.push((key, property(key, &y)));
            }
        }
    }
    let only = b.fixed.iter().filter(|(key, _)| !a.fixed.iter().any(|it| it.0 == *key));
    right.extend(only.map(|(key, ty)| (key, property(key, &elided(ty)))));
    right.sort_by(|x, y| x.0.cmp(y.0));
    let mut right: Vec<String> = right.into_iter().map(|it| it.1).collect();
    if dropped {
        left.push(ELLIPSIS.to_owned());
        right.push(ELLIPSIS.to_owned());
    }
    let alone = |it: &(Type, Type)| format!("{}: {}", elided(&it.0), elided(&it.1));
    let (rest_left, rest_right) = match (&a.rest, &b.rest) {
        (Some(x), Some(y)) => {
            let (key_left, key_right) = diff(&x.0, &y.0, depth + 1);
            let (value_left, value_right) = diff(&x.1, &y.1, depth + 1);
            (Some(format!("{key_left}: {value_left}")), Some(format!("{key_right}: {value_right}")))
        }
        (x, y) => (x.as_ref().map(alone), y.as_ref().map(alone)),
    };
    (object_text(&left, rest_left.as_deref()), object_text(&right, rest_right.as_deref()))
}

fn diff_unions(a: &[Type], b: &[Type]) -> (String, String) {
    let has = |all: &[Type], ty: &Type| all.iter().any(|it| is_written_alike(it, ty));
    let mut left: Vec<String> = a.iter().filter(|it| !has(b, it)).map(elided).collect();
    let mut right: Vec<String> = b.iter().filter(|it| !has(a, it)).map(elided).collect();
    if left.len() < a.len() {
        left.push(ELLIPSIS.to_owned());
        right.push(ELLIPSIS.to_owned());
    }
    (union_text(&left), union_text(&right))
}

fn diff_functions(a: &FunctionType, b: &FunctionType, depth: u32) -> (String, String) {
    let pairs = a.args.iter().zip(&b.args).map(|(a, b)| diff(a, b, depth + 1));
    let (mut left, mut right): (Vec<String>, Vec<String>) = pairs.unzip();
    match (a.variadic.known(), b.variadic.known()) {
        (Some(x), Some(y)) => {
            let (x, y) = diff(x, y, depth + 1);
            left.push(format!("{x}{ELLIPSIS}"));
            right.push(format!("{y}{ELLIPSIS}"));
        }
        (x, y) => {
            left.extend(x.map(|it| format!("{}{ELLIPSIS}", elided(it))));
            right.extend(y.map(|it| format!("{}{ELLIPSIS}", elided(it))));
        }
    }
    let (result_left, result_right) = diff(&a.result, &b.result, depth + 1);
    (function_text(&left, &result_left), function_text(&right, &result_right))
}

fn property(key: &Key, value: &str) -> String {
    format!("{key}: {value}")
}

fn array_text(fixed: &[String], rest: Option<&str>) -> String {
    composite_text("array", fixed, rest)
}

fn object_text(fixed: &[String], rest: Option<&str>) -> String {
    composite_text("object", fixed, rest)
}

fn composite_text(name: &str, fixed: &[String], rest: Option<&str>) -> String {
    let mut out = name.to_owned();
    if !fixed.is_empty() {
        out.push_str(&format!("<{}>", fixed.join(", ")));
    }
    if let Some(rest) = rest.filter(|it| !it.is_empty()) {
        out.push_str(&format!("[{rest}]"));
    }
    out
}

fn union_text(of: &[String]) -> String {
    if of.is_empty() { "any".to_owned() } else { format!("any<{}>", of.join(", ")) }
}

fn function_text(args: &[String], result: &str) -> String {
    format!("({}) => {result}", args.join(", "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::types::notation;

    fn ty(text: &str) -> Type {
        notation::ty(text).unwrap().normal()
    }

    #[test]
    fn wide_lines_are_shortened() {
        let narrow = match_lines(&ty("num"), &ty("str"));
        assert_eq!(narrow, ["left  : number", "right : string"]);
        let wide = "{a:num,b:str,c:{x:num,y:num,z:[num,num,num]},d:[str*],eeeeeeeeeeeeeeeeeeee:bool}";
        let lines = match_lines(&ty(wide), &ty(&wide.replace("y:num", "y:str")));
        let want = [
            "left  : object<c: object<y: number, ...>, ...>",
            "right : object<c: object<y: string, ...>, ...>",
        ];
        assert_eq!(lines.get(..2).unwrap(), want);
        assert!(lines.get(2).unwrap().contains("both sides are objects"));
    }

    #[test]
    fn operands_carry_names() {
        let any = ty("str/[any*]/{any:any}/set[any]/num");
        let label = Label { name: "collection".into(), description: Box::default() };
        let want = [Named { label: Some(&label), ty: &any }, Named { label: None, ty: &Type::Number }];
        let lines = argument_lines(&[Type::Number, Type::Unknown], &want, &Type::Unknown);
        assert_eq!(lines, ["have: (number, ???)", "want: (collection: any<...>, number)"]);
    }
}
