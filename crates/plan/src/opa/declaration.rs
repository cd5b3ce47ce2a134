//! Declarations of built-ins in OPA's JSON, as plans and capability files carry them.
//!
//! Apart because types have a notation of their own there: `any` with alternatives is a union, `static` and `dynamic` are
//! the fixed and the other members. Nothing here knows the table of built-ins.

use lictor_hir::types::{Key, Type};
use lictor_hir::{Capabilities, Declaration};
use serde_json::{Map, Value as Json, json};

use crate::ir::Plan;

/// Fills in the declarations of the built-ins that a plan calls, for the export; those that it carries stay.
pub fn declare_builtins(plan: &mut Plan, capabilities: &Capabilities) {
    for builtin in plan.builtins.iter_mut().filter(|it| it.declaration.is_empty()) {
        if let Some(declaration) = capabilities.get(&builtin.name) {
            builtin.declaration = declaration_json(declaration).to_string().into();
        }
    }
}

/// Returns a declaration as OPA writes it: `{"args":[{"type":"string"}],"result":{"type":"number"},"type":"function"}`.
#[must_use]
pub fn declaration_json(declaration: &Declaration) -> Json {
    let mut out = Map::new();
    if !declaration.args.is_empty() {
        out.insert("args".into(), types(&declaration.args));
    }
    if let Some(result) = &declaration.result {
        out.insert("result".into(), type_json(result));
    }
    out.insert("type".into(), "function".into());
    if let Some(variadic) = &declaration.variadic {
        out.insert("variadic".into(), type_json(variadic));
    }
    Json::Object(out)
}

fn types(types: &[Type]) -> Json {
    types.iter().map(type_json).collect()
}

fn type_json(ty: &Type) -> Json {
    match ty {
        Type::Unknown | Type::Any | Type::Function(_) | Type::Recursive(_) => json!({"type": "any"}),
        Type::Null => json!({"type": "null"}),
        Type::Bool => json!({"type": "boolean"}),
        Type::Number => json!({"type": "number"}),
        Type::String => json!({"type": "string"}),
        Type::Set(set) => json!({"of": type_json(&set.of), "type": "set"}),
        Type::Union(union) => json!({"of": types(&union.of), "type": "any"}),
        Type::Array(array) => {
            let fixed = (!array.fixed.is_empty()).then(|| types(&array.fixed));
            collection("array", array.rest.known().map(type_json), fixed)
        }
        Type::Object(object) => {
            let rest = object.rest.as_ref();
            let rest = rest.map(|it| json!({"key": type_json(&it.0), "value": type_json(&it.1)}));
            let field = |(key, ty): &(Key, Type)| json!({"key": key.to_string(), "value": type_json(ty)});
            let fixed = (!object.fixed.is_empty()).then(|| object.fixed.iter().map(field).collect());
            collection("object", rest, fixed)
        }
    }
}

fn collection(name: &str, dynamic: Option<Json>, fixed: Option<Json>) -> Json {
    let mut out = Map::new();
    if let Some(dynamic) = dynamic {
        out.insert("dynamic".into(), dynamic);
    }
    if let Some(fixed) = fixed {
        out.insert("static".into(), fixed);
    }
    out.insert("type".into(), name.into());
    Json::Object(out)
}

#[cfg(test)]
mod tests {
    use super::*;
    use lictor_hir::Flags;

    #[test]
    fn types_are_written_as_opa_does() {
        let rows = [
            ("f", "str/null, [any*] -> {any:num}", Flags::default()),
            ("g", "set[any], any... -> -", Flags::default()),
            ("h", "-> [[any*],bool]", Flags::default()),
        ];
        let capabilities = Capabilities::from_declarations(rows).expect("the notation is right");
        let text = |name| capabilities.get(name).map(|it| declaration_json(it).to_string());
        let f = r#"{"args":[{"of":[{"type":"string"},{"type":"null"}],"type":"any"},{"dynamic":{"type":"any"},"type":"array"}],"result":{"dynamic":{"key":{"type":"any"},"value":{"type":"number"}},"type":"object"},"type":"function"}"#;
        assert_eq!(text("f").as_deref(), Some(f));
        let g =
            r#"{"args":[{"of":{"type":"any"},"type":"set"}],"type":"function","variadic":{"type":"any"}}"#;
        assert_eq!(text("g").as_deref(), Some(g));
        let h = r#"{"result":{"static":[{"dynamic":{"type":"any"},"type":"array"},{"type":"boolean"}],"type":"array"},"type":"function"}"#;
        assert_eq!(text("h").as_deref(), Some(h));
    }
}
