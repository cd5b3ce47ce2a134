//! Schemas as types of policies: what the type checker is told of documents that have a schema.
//!
//! Apart because OPA takes less from a schema here than for checking values: kinds, properties, items, and the ways of
//! joining that types can say. Of an object with properties nothing else is taken to be there; `oneOf`, formats and
//! ranges say nothing. Nothing here checks a value.

use std::collections::HashMap;
use std::sync::Arc;

use lictor_hir::Type;
use lictor_hir::schemas::SchemaType;
use lictor_hir::types::{Key, RecursiveType};

use super::Schema;
use super::read::PartId;

/// Types are not taken from deeper inside.
const DEPTH_MAX: usize = 200;

/// Parts are turned into types this often at most: joined ones are turned once more each time.
const PARTS_MAX: usize = 50_000;

impl Schema {
    /// Returns the type of the values that the schema describes.
    ///
    /// # Errors
    /// When schemas are joined that cannot be, in OPA's words.
    pub fn to_type(&self) -> Result<SchemaType, String> {
        let mut maker =
            Maker { schema: self, known: HashMap::new(), kept: Vec::new(), depth: 0, left: PARTS_MAX };
        let ty = maker.part(self.root)?;
        Ok(SchemaType { ty, definitions: maker.kept })
    }
}

/// What a part says, as far as it is taken; joined parts have no part of their own.
#[derive(Clone, Default)]
struct Shape {
    types: Vec<&'static str>,
    properties: Vec<(String, PartId)>,
    items: Vec<PartId>,
    /// There is one schema for all items.
    alike: bool,
    any_of: Vec<PartId>,
    all_of: Vec<PartId>,
}

impl Shape {
    fn is(&self, name: &str) -> bool {
        self.types.contains(&name)
    }

    fn types_text(&self) -> String {
        match self.types.as_slice() {
            [] => "undefined".to_owned(),
            [one] => (*one).to_owned(),
            all => format!("[{}]", all.join(",")),
        }
    }

    /// Adds the kind that its parts imply.
    fn imply(&mut self) {
        let implied = if !self.properties.is_empty() {
            "object"
        } else if !self.items.is_empty() {
            "array"
        } else {
            return;
        };
        if !self.is(implied) {
            self.types.push(implied);
        }
    }
}

/// A definition that was met.
enum Known {
    /// It is being made; what refers to it meanwhile.
    Open(Option<Arc<RecursiveType>>),
    Made(Type),
}

struct Maker<'s> {
    schema: &'s Schema,
    known: HashMap<PartId, Known>,
    kept: Vec<Arc<Type>>,
    depth: usize,
    left: usize,
}

impl Maker<'_> {
    fn part(&mut self, id: PartId) -> Result<Type, String> {
        if self.depth >= DEPTH_MAX || self.left == 0 {
            return Ok(Type::Any);
        }
        self.left -= 1;
        self.depth += 1;
        let made = match self.schema.parts.get(id).and_then(|it| it.target) {
            Some(target) => self.definition(id, target),
            None => self.shape(&self.schema.shape(id)),
        };
        self.depth -= 1;
        made
    }

    /// Makes what a reference leads to, once.
    fn definition(&mut self, id: PartId, target: PartId) -> Result<Type, String> {
        match self.known.get_mut(&target) {
            Some(Known::Made(ty)) => return Ok(ty.clone()),
            Some(Known::Open(waiting)) => {
                let name =
                    self.schema.parts.get(id).and_then(|it| it.reference.as_deref()).unwrap_or_default();
                let waiting = waiting.get_or_insert_with(|| Type::recursive(name));
                return Ok(Type::Recursive(Arc::clone(waiting)));
            }
            None => {}
        }
        self.known.insert(target, Known::Open(None));
        let made = self.part(target)?;
        if let Some(Known::Open(Some(waiting))) = self.known.insert(target, Known::Made(made.clone())) {
            let kept = Arc::new(made.clone());
            waiting.define(&kept);
            self.kept.push(kept);
        }
        Ok(made)
    }

    fn shape(&mut self, shape: &Shape) -> Result<Type, String> {
        if !shape.any_of.is_empty() {
            return self.any_of(shape);
        }
        if !shape.all_of.is_empty() {
            return self.all_of(shape);
        }
        if shape.is("boolean") {
            return Ok(Type::Bool);
        }
        if shape.is("string") {
            return Ok(Type::String);
        }
        if shape.is("integer") || shape.is("number") {
            return Ok(Type::Number);
        }
        let untyped = shape.types.is_empty() || shape.types == ["null"];
        if shape.is("object") || (untyped && !shape.properties.is_empty()) {
            return self.object(shape);
        }
        if shape.is("array") || (untyped && !shape.items.is_empty()) {
            return self.array(shape);
        }
        Ok(Type::Any)
    }

    fn object(&mut self, shape: &Shape) -> Result<Type, String> {
        if shape.properties.is_empty() {
            return Ok(Type::object(Vec::new(), Some((Type::Any, Type::Any))));
        }
        let mut fixed = Vec::with_capacity(shape.properties.len());
        for (name, id) in &shape.properties {
            fixed.push((Key::from(name.as_str()), self.part(*id)?));
        }
        Ok(Type::object(fixed, None))
    }

    fn array(&mut self, shape: &Shape) -> Result<Type, String> {
        match shape.items.as_slice() {
            [] => Ok(Type::array(Vec::new(), Type::Any)),
            [all] if shape.alike => Ok(Type::array(Vec::new(), self.part(*all)?)),
            each => {
                let fixed = each.iter().map(|it| self.part(*it)).collect::<Result<_, _>>()?;
                Ok(Type::array(fixed, Type::Unknown))
            }
        }
    }

    fn any_of(&mut self, shape: &Shape) -> Result<Type, String> {
        let mut all = Type::Unknown;
        if !shape.types.is_empty() {
            let core = self.shape(&Shape { any_of: Vec::new(), ..shape.clone() })?;
            if matches!(&core, Type::Object(it) if !it.fixed.is_empty() && it.rest.is_none()) {
                all = core;
            }
        }
        for id in &shape.any_of {
            all = self.part(*id)?.or(all);
        }
        Ok(all)
    }

    fn all_of(&mut self, shape: &Shape) -> Result<Type, String> {
        let mut parts = Vec::new();
        for id in &shape.all_of {
            let part = self.schema.shape(self.schema.behind(*id));
            let only_alternatives = part.types.is_empty()
                && !part.any_of.is_empty()
                && part.properties.is_empty()
                && part.items.is_empty();
            if !only_alternatives {
                parts.push(part);
            }
        }
        let Some(joined) = self.schema.join(parts)? else { return Ok(Type::Any) };
        if shape.types.is_empty() {
            return self.joined(&joined);
        }
        let both = |name| shape.is(name) && joined.is(name);
        if both("object") || both("array") {
            let joined = self.schema.join(vec![joined, shape.clone()])?.unwrap_or_default();
            return self.joined(&joined);
        }
        if shape.types_text() != joined.types_text() {
            return Err("unable to merge these schemas".to_owned());
        }
        self.joined(&joined)
    }

    fn joined(&mut self, shape: &Shape) -> Result<Type, String> {
        if self.depth >= DEPTH_MAX || self.left == 0 {
            return Ok(Type::Any);
        }
        self.left -= 1;
        self.depth += 1;
        let made = self.shape(shape);
        self.depth -= 1;
        made
    }
}

impl Schema {
    /// Follows references to a part that is none.
    fn behind(&self, id: PartId) -> PartId {
        let mut at = id;
        for _ in 0..DEPTH_MAX {
            match self.parts.get(at).and_then(|it| it.target) {
                Some(target) => at = target,
                None => break,
            }
        }
        at
    }

    fn shape(&self, id: PartId) -> Shape {
        let Some(part) = self.parts.get(id) else { return Shape::default() };
        let (items, alike) = part.array.as_ref().map_or((Vec::new(), false), |it| it.items());
        let (any_of, all_of) = part.branch.as_ref().map_or((&[][..], &[][..]), |it| it.joined());
        Shape {
            types: part.types.clone(),
            properties: part.object.as_ref().map(|it| it.properties().to_vec()).unwrap_or_default(),
            items,
            alike,
            any_of: any_of.to_vec(),
            all_of: all_of.to_vec(),
        }
    }

    /// Joins schemas that must all hold; none of none.
    fn join(&self, mut parts: Vec<Shape>) -> Result<Option<Shape>, String> {
        parts.iter_mut().for_each(Shape::imply);
        let mut parts = parts.into_iter();
        let Some(mut out) = parts.next() else { return Ok(None) };
        for part in parts {
            let (a, b) = (out.types_text(), part.types_text());
            if a != b {
                return Err(format!("unable to merge these schemas: type mismatch: {a} and {b}"));
            }
            if out.is("object") && !out.properties.is_empty() && !part.properties.is_empty() {
                out.properties.extend(part.properties);
            } else if out.is("array") && !out.items.is_empty() && !part.items.is_empty() {
                for (at, id) in part.items.into_iter().enumerate() {
                    let Some(own) = out.items.get(at).copied() else {
                        out.items.push(id);
                        continue;
                    };
                    if self.shape(own).types_text() != self.shape(id).types_text() {
                        return Err("unable to merge these schemas".to_owned());
                    }
                }
            }
        }
        Ok(Some(out))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ty(schema: &str) -> String {
        let schema =
            Schema::read(schema.as_bytes(), &|url: &str| Err(format!("no {url}"))).expect("a schema");
        schema.to_type().map_or_else(|it| it, |it| it.ty.to_string())
    }

    #[test]
    fn schemas_become_types() {
        let rows = [
            ("{}", "any"),
            (r#"{"type": "integer"}"#, "number"),
            (r#"{"type": "object"}"#, "object[any: any]"),
            (r#"{"properties": {"b": {"type": "string"}, "a": {}}}"#, "object<a: any, b: string>"),
            (r#"{"type": "array", "items": {"type": "boolean"}}"#, "array[boolean]"),
            (r#"{"items": [{"type": "boolean"}, {"type": "null"}]}"#, "array<boolean, any>"),
            (r#"{"anyOf": [{"type": "string"}, {"type": "number"}]}"#, "any<number, string>"),
            (
                r#"{"allOf": [{"properties": {"a": {}}}, {"properties": {"b": {"type": "string"}}}]}"#,
                "object<a: any, b: string>",
            ),
            (
                r#"{"allOf": [{"type": "string"}, {"type": "number"}]}"#,
                "unable to merge these schemas: type mismatch: string and number",
            ),
            (
                r##"{"definitions": {"a": {"properties": {"b": {"$ref": "#/definitions/a"}}}}, "$ref": "#/definitions/a"}"##,
                "object<b: recursive(#/definitions/a)>",
            ),
        ];
        for (schema, want) in rows {
            assert_eq!(ty(schema), want, "{schema}");
        }
    }

    #[test]
    fn schemas_that_join_themselves_end() {
        assert_eq!(ty(r##"{"allOf": [{"$ref": "#"}]}"##), "any");
        assert_eq!(ty(r##"{"$ref": "#"}"##), "recursive()");
    }
}
