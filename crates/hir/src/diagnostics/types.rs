//! What faults of the type checker add to their message: lines for readers, fields for programs.
//!
//! Wording alone, so that a text of OPA's is found by looking for it; who finds the fault and when it is shown is
//! decided elsewhere.

use lictor_syntax::diagnostics::{Detail, Details};

use crate::{
    check::written::Written,
    types::{
        Key, Type,
        detail::value_detail,
        elide::{Named, argument_lines, match_lines},
    },
};

fn field(name: &str, value: Detail) -> (String, Detail) {
    (name.to_owned(), value)
}

/// Says what operands were given and wanted.
pub(crate) fn operands(have: &[Type], want: &[Named<'_>], variadic: &Type) -> Details {
    let mut wanted = Vec::new();
    if !want.is_empty() {
        wanted.push(field("args", Detail::List(want.iter().map(|it| it.ty.labelled(it.label)).collect())));
    }
    wanted.extend(variadic.known().map(|it| field("variadic", it.detail())));
    let fields = vec![
        field("have", Detail::List(have.iter().map(Type::detail).collect())),
        field("want", Detail::Map(wanted)),
    ];
    Details { fields, lines: argument_lines(have, want, variadic) }
}

/// Says which types do not match.
pub(crate) fn mismatch(left: &Type, right: &Type) -> Details {
    let fields = vec![field("a", left.detail()), field("b", right.detail())];
    Details { fields, lines: match_lines(left, right) }
}

/// Says what stands before a part that is looked up in something without parts.
pub(crate) fn no_parts(reference: &Written, at: usize, ty: &Type) -> Details {
    let have = match ty {
        Type::Unknown => "<nil>".to_owned(),
        known => known.to_string(),
    };
    let fields = vec![
        field("ref", reference.parts_detail()),
        field("pos", Detail::Int(i64::try_from(at).unwrap_or(i64::MAX))),
        field("have", ty.detail()),
    ];
    let lines = vec![reference.text(), "^".repeat(reference.prefix(at + 1).len()), format!("have: {have}")];
    Details { fields, lines }
}

/// Says which part selects nothing, and what it could be.
pub(crate) fn no_key(
    reference: &Written,
    at: usize,
    (have, want): (&Type, &Type),
    keys: Option<&[Key]>,
) -> Details {
    let mut fields = vec![
        field("ref", reference.parts_detail()),
        field("pos", Detail::Int(i64::try_from(at).unwrap_or(i64::MAX))),
    ];
    fields.extend(have.known().map(|it| field("have", it.detail())));
    fields.push(field("want", want.detail()));
    let one_of = keys.filter(|it| !it.is_empty());
    fields.push(field(
        "oneOf",
        one_of.map_or(Detail::Null, |it| Detail::List(it.iter().map(value_detail).collect())),
    ));
    let pad = " ".repeat(reference.prefix(at).len() + 1);
    let have = match have.known() {
        Some(have) => format!("{pad}have (type): {have}"),
        None => format!("{pad}have: {}", reference.part_text(at)),
    };
    let want = match (one_of, want.known()) {
        (Some(keys), _) => {
            let keys: Vec<String> = keys.iter().map(Key::to_rego).collect();
            format!("{pad}want (one of): [{}]", keys.join(" "))
        }
        (None, None) => format!("{pad}want (one of): []"),
        (None, Some(want)) => format!("{pad}want (type): {want}"),
    };
    Details { fields, lines: vec![reference.text(), format!("{pad}^"), have, want] }
}
