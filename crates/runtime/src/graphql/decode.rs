//! From an object of a caller's to a tree, as Go reads JSON into the library's structures.
//!
//! Names of members are found without regard to case, except in the structures that read themselves (operations,
//! fragments, selections). Members that only validation fills are passed over. A null is as good as nothing. The
//! texts of faults are Go's.

use lictor_value::{Kind, Value};

use crate::graphql::fault::{Origin, Position};
use crate::graphql::limits::NESTING_MAX;
use crate::graphql::tree::{Comments, Numbers, QueryDocument, SchemaDocument};

mod executable;
mod shared;
mod system;

/// Why an object is no tree.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum DecodeError {
    /// A member of another type than its structure's.
    Mismatch(Mismatch),
    /// Deeper than is read.
    Depth,
    /// A part that no text could have made, and what is wrong with it.
    Incomplete(&'static str),
}

/// A member of another type than its structure's.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Mismatch {
    found: String,
    expected: &'static str,
    structure: Option<&'static str>,
    /// The members from the outside in.
    path: Vec<&'static str>,
}

impl std::fmt::Display for DecodeError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Mismatch(Mismatch { found, expected, structure, path }) => {
                write!(f, "json: cannot unmarshal {found} into Go ")?;
                match structure {
                    None => f.write_str("value")?,
                    Some(structure) => write!(f, "struct field {structure}.{}", path.join("."))?,
                }
                write!(f, " of type {expected}")
            }
            Self::Depth => write!(f, "document is nested deeper than {NESTING_MAX} levels"),
            Self::Incomplete(what) => f.write_str(what),
        }
    }
}

type Decoded<T> = Result<T, DecodeError>;

/// Reads a query document.
///
/// # Errors
/// The value is no such tree.
pub(crate) fn query_document(value: Value<'_>) -> Decoded<QueryDocument> {
    let mut decoder = Decoder::default();
    let mut document = decoder.query_document(value)?;
    document.numbers = decoder.numbers;
    if decoder.value_missing {
        return Err(DecodeError::Incomplete("argument, item or field without a value"));
    }
    Ok(document)
}

/// Reads a schema document.
///
/// # Errors
/// The value is no such tree.
pub(crate) fn schema_document(value: Value<'_>) -> Decoded<SchemaDocument> {
    Decoder::default().schema_document(value)
}

/// The state of reading.
#[derive(Default, Debug)]
struct Decoder {
    depth: u32,
    numbers: Numbers,
    /// Whether a value was missing; in a schema none is looked at.
    value_missing: bool,
}

impl Decoder {
    /// Runs a part one level down.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Decoded<T>) -> Decoded<T> {
        if self.depth >= NESTING_MAX {
            return Err(DecodeError::Depth);
        }
        self.depth += 1;
        let decoded = part(self);
        self.depth -= 1;
        decoded
    }
}

/// A structure.
#[derive(Clone, Copy, Debug)]
struct Shape {
    name: &'static str,
    go_type: &'static str,
    members: &'static [&'static str],
    reading: Reading,
}

/// How a structure finds its members.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Reading {
    /// Without regard to case; faults name the way to the member.
    Usual,
    /// By their very names; faults name no way inside.
    Own,
}

impl Shape {
    const fn usual(name: &'static str, go_type: &'static str, members: &'static [&'static str]) -> Self {
        Self { name, go_type, members, reading: Reading::Usual }
    }

    const fn own(members: &'static [&'static str]) -> Self {
        Self { name: "", go_type: "map[string]json.RawMessage", members, reading: Reading::Own }
    }

    /// Calls the function with each member that the structure knows, under its very name.
    fn read<'e>(
        &self,
        value: Value<'e>,
        mut member: impl FnMut(&'static str, Value<'e>) -> Decoded<()>,
    ) -> Decoded<()> {
        let Some(object) = value.as_object() else {
            return if value.is_null() { Ok(()) } else { mismatch(value, self.go_type) };
        };
        for (key, value) in object.iter() {
            let Some(name) = key.as_str().and_then(|it| self.member(it)) else { continue };
            member(name, value).map_err(|it| self.inside(it, name))?;
        }
        Ok(())
    }

    fn member(&self, key: &str) -> Option<&'static str> {
        let same = |it: &&&'static str| match self.reading {
            Reading::Own => **it == key,
            Reading::Usual => same_folded(it, key),
        };
        self.members.iter().find(same).copied()
    }

    fn inside(&self, error: DecodeError, member: &'static str) -> DecodeError {
        let DecodeError::Mismatch(mut mismatch) = error else { return error };
        match self.reading {
            // The innermost usual structure is named, but a structure that reads itself hides what is inside.
            Reading::Usual => {
                mismatch.structure.get_or_insert(self.name);
                mismatch.path.insert(0, member);
            }
            Reading::Own => mismatch.structure = None,
        }
        DecodeError::Mismatch(mismatch)
    }
}

/// Compares names as Go does: two letters beyond ASCII fold to letters of ASCII.
fn same_folded(name: &str, key: &str) -> bool {
    let fold = |it: char| match it {
        '\u{17f}' => 's',
        '\u{212a}' => 'k',
        it => it.to_ascii_lowercase(),
    };
    name.len() <= key.len() && name.chars().map(fold).eq(key.chars().map(fold))
}

fn mismatch<T>(value: Value<'_>, expected: &'static str) -> Decoded<T> {
    let found = match value.kind() {
        Kind::Null => "null",
        Kind::Boolean => "bool",
        Kind::Number => "number",
        Kind::String => "string",
        Kind::Array | Kind::Set => "array",
        Kind::Object => "object",
    };
    mismatch_of(found.to_owned(), expected)
}

fn mismatch_of<T>(found: String, expected: &'static str) -> Decoded<T> {
    Err(DecodeError::Mismatch(Mismatch { found, expected, structure: None, path: Vec::new() }))
}

fn set_text(out: &mut String, value: Value<'_>, go_type: &'static str) -> Decoded<()> {
    match value.as_str() {
        Some(text) => text.clone_into(out),
        None if value.is_null() => {}
        None => return mismatch(value, go_type),
    }
    Ok(())
}

fn set_bool(out: &mut bool, value: Value<'_>) -> Decoded<()> {
    match value.as_bool() {
        Some(it) => *out = it,
        None if value.is_null() => {}
        None => return mismatch(value, "bool"),
    }
    Ok(())
}

fn set_int(out: &mut i64, value: Value<'_>, go_type: &'static str) -> Decoded<()> {
    match value.number_text() {
        Some(text) => match text.parse::<i64>() {
            Ok(number) => *out = number,
            Err(_) => return mismatch_of(format!("number {}", &*text), go_type),
        },
        None if value.is_null() => {}
        None => return mismatch(value, go_type),
    }
    Ok(())
}

/// Reads a list of what is not null.
fn set_list<'e, T>(
    out: &mut Vec<T>,
    value: Value<'e>,
    go_type: &'static str,
    mut item: impl FnMut(Value<'e>) -> Decoded<T>,
) -> Decoded<()> {
    out.clear();
    if value.is_null() {
        return Ok(());
    }
    let Some(items) = crate::builtins::operands::items(value) else { return mismatch(value, go_type) };
    for value in items.iter() {
        if value.is_null() {
            return Err(DecodeError::Incomplete("null in a list of a tree"));
        }
        out.push(item(value)?);
    }
    Ok(())
}

fn set_comments(out: &mut Comments, value: Value<'_>) -> Decoded<()> {
    const GROUP: Shape = Shape::usual("CommentGroup", "ast.CommentGroup", &["List"]);
    const COMMENT: Shape = Shape::usual("Comment", "ast.Comment", &["Value"]);
    out.clear();
    GROUP.read(value, |_, list| {
        set_list(out, list, "[]*ast.Comment", |it| {
            let mut text = String::new();
            COMMENT.read(it, |_, value| set_text(&mut text, value, "string"))?;
            Ok(text)
        })
    })
}

fn set_position(out: &mut Option<Position>, value: Value<'_>) -> Decoded<()> {
    const POSITION: Shape = Shape::usual("Position", "ast.Position", &["Line", "Column"]);
    *out = None;
    if value.is_null() {
        return Ok(());
    }
    let (mut line, mut column) = (0, 0);
    POSITION.read(value, |name, value| match name {
        "Line" => set_int(&mut line, value, "int"),
        _ => set_int(&mut column, value, "int"),
    })?;
    let bounded = |it: i64| i32::try_from(it).unwrap_or(i32::MAX);
    *out = Some(Position { line: bounded(line), column: bounded(column), origin: Origin::Input });
    Ok(())
}

#[cfg(test)]
mod tests {
    use lictor_value::json;

    use super::*;

    #[test]
    fn faults_are_go_s() {
        let cases = [
            (r#"{"Operations": 1}"#, "number", "QueryDocument.Operations of type ast.OperationList"),
            (r#"{"operations": [{"Name": 1}]}"#, "number", "QueryDocument.Operations of type string"),
            (
                r#"{"Operations": [{"VariableDefinitions": [{"Type": {"Elem": {"NonNull": ""}}}]}]}"#,
                "string",
                "QueryDocument.Operations.Type.Elem.NonNull of type bool",
            ),
        ];
        for (text, found, place) in cases {
            let document = json::read_document(text.as_bytes()).expect("JSON");
            let error = query_document(document.root()).map(drop).map_err(|it| it.to_string());
            let wanted = format!("json: cannot unmarshal {found} into Go struct field {place}");
            assert_eq!(error, Err(wanted), "{text}");
        }
    }

    #[test]
    fn names_fold_as_in_go() {
        assert!(same_folded("Locations", "lOCATIONſ") && same_folded("Kind", "\u{212a}ind"));
        assert!(!same_folded("Kind", "Kin") && !same_folded("Kind", "Kinds"));
    }
}
