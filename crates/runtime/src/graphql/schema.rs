//! A schema: the types and directives of a document and the prelude, looked up by name.
//!
//! Built once, then shared and never changed. The order of the checks in `schema::*` decides which fault is shown;
//! it is that of OPA's library.

use foldhash::{HashMap, HashMapExt};

use crate::graphql::fault::Fault;
use crate::graphql::limits::Budget;
use crate::graphql::prelude::prelude;
use crate::graphql::tree::{
    DefinitionKind, DirectiveDefinition, FieldDefinition, Named, RootType, SchemaDefinition, SchemaDocument,
    Type, TypeDefinition,
};

mod cycles;
mod definitions;
mod directives;
mod implements;

/// Lists up to this length are searched without an index.
const UNINDEXED_MAX: usize = 8;

/// The number of a type.
pub(crate) type TypeNumber = usize;

/// Where names stand in a list, if it is long.
#[derive(Default, Debug)]
struct Index(HashMap<String, usize>);

impl Index {
    fn new<T: Named>(list: &[T]) -> Self {
        let mut index = HashMap::new();
        if list.len() > UNINDEXED_MAX {
            for (at, item) in list.iter().enumerate() {
                index.entry(item.name().to_owned()).or_insert(at);
            }
        }
        Self(index)
    }

    fn find<'a, T: Named>(&self, list: &'a [T], name: &str) -> Option<&'a T> {
        if list.len() > UNINDEXED_MAX {
            return self.0.get(name).and_then(|it| list.get(*it));
        }
        list.iter().find(|it| it.name() == name)
    }
}

/// A type, its extensions merged.
#[derive(Debug)]
pub(crate) struct SchemaType {
    pub(crate) definition: TypeDefinition,
    fields: Index,
    values: Index,
    /// The types that a value of this one may be, in order; some may be there twice.
    pub(crate) possible: Vec<TypeNumber>,
}

impl SchemaType {
    fn new(definition: TypeDefinition) -> Self {
        Self { definition, fields: Index::default(), values: Index::default(), possible: Vec::new() }
    }

    fn index(&mut self) {
        self.fields = Index::new(&self.definition.fields);
        self.values = Index::new(&self.definition.values);
    }

    /// Returns the name.
    pub(crate) fn name(&self) -> &str {
        &self.definition.name
    }

    /// Returns the kind.
    pub(crate) fn kind(&self) -> &DefinitionKind {
        &self.definition.kind
    }

    /// Returns the first field of that name.
    pub(crate) fn field(&self, name: &str) -> Option<&FieldDefinition> {
        self.fields.find(&self.definition.fields, name)
    }

    /// Says whether an enum has a value.
    pub(crate) fn has_value(&self, name: &str) -> bool {
        self.values.find(&self.definition.values, name).is_some()
    }
}

/// Types by name.
#[derive(Default, Debug)]
pub(crate) struct Types {
    list: Vec<SchemaType>,
    numbers: HashMap<String, TypeNumber>,
}

impl Types {
    fn add(&mut self, definition: TypeDefinition) {
        self.numbers.insert(definition.name.clone(), self.list.len());
        self.list.push(SchemaType::new(definition));
    }

    fn number(&self, name: &str) -> Option<TypeNumber> {
        self.numbers.get(name).copied()
    }

    /// Returns a type by name.
    pub(crate) fn get(&self, name: &str) -> Option<&SchemaType> {
        self.list.get(self.number(name)?)
    }

    /// Returns a type by number.
    pub(crate) fn at(&self, number: TypeNumber) -> Option<&SchemaType> {
        self.list.get(number)
    }

    /// Returns all types in the order of their names.
    pub(crate) fn sorted(&self) -> Vec<&SchemaType> {
        let mut sorted: Vec<&SchemaType> = self.list.iter().collect();
        sorted.sort_by_key(|it| it.name());
        sorted
    }
}

/// A schema that was checked.
#[derive(Debug)]
pub(crate) struct Schema {
    pub(crate) types: Types,
    directives: HashMap<String, DirectiveDefinition>,
    query: Option<TypeNumber>,
    mutation: Option<TypeNumber>,
    subscription: Option<TypeNumber>,
    /// The field `__typename`, which every type has.
    pub(crate) typename: FieldDefinition,
}

impl Schema {
    /// Builds the schema of a document.
    ///
    /// # Errors
    /// The first fault.
    pub(crate) fn build(document: SchemaDocument) -> Result<Self, Fault> {
        let SchemaDocument { schema, schema_extensions, directives, definitions, extensions, .. } = document;
        let mut types = merge_types(definitions, extensions)?;
        gather_possible(&mut types);
        let mut budget = Budget::default();
        let mut built = Self {
            types,
            directives: merge_directives(directives)?,
            query: None,
            mutation: None,
            subscription: None,
            typename: FieldDefinition {
                name: "__typename".to_owned(),
                ty: Type::of("String", false),
                ..FieldDefinition::default()
            },
        };
        if let Some(second) = schema.get(1) {
            let message = "Cannot have multiple schema entry points, consider schema extensions instead.";
            return Err(Fault::in_schema(second.position, message));
        }
        for part in schema.iter().chain(&schema_extensions) {
            built.set_roots(part, &mut budget)?;
        }
        for ty in built.types.sorted() {
            definitions::check(&built, ty, &mut budget)?;
        }
        cycles::check(&built)?;
        directives::check_definitions(&built, &mut budget)?;
        if schema.is_empty() {
            built.infer_roots();
        }
        built.add_introspection();
        Ok(built)
    }

    fn set_roots(&mut self, part: &SchemaDefinition, budget: &mut Budget) -> Result<(), Fault> {
        for root in &part.roots {
            let RootType { operation, ty, .. } = root;
            let Some(number) = self.types.number(ty) else {
                let message = format!("Schema root {operation} refers to a type {ty} that does not exist.");
                return Err(Fault::in_schema(root.position, message));
            };
            match operation.as_str() {
                "query" => self.query = Some(number),
                "mutation" => self.mutation = Some(number),
                "subscription" => self.subscription = Some(number),
                _ => {}
            }
        }
        directives::check(self, &part.directives, &directives::Place::single("SCHEMA"), budget)
    }

    /// Takes types of the usual names as roots.
    fn infer_roots(&mut self) {
        self.query = self.query.or_else(|| self.types.number("Query"));
        self.mutation = self.mutation.or_else(|| self.types.number("Mutation"));
        self.subscription = self.subscription.or_else(|| self.types.number("Subscription"));
    }

    fn add_introspection(&mut self) {
        for ty in &mut self.types.list {
            ty.index();
        }
        let Some(query) = self.query.and_then(|it| self.types.list.get_mut(it)) else { return };
        let field = |name: &str, ty| FieldDefinition { name: name.to_owned(), ty, ..Default::default() };
        query.definition.fields.push(field("__schema", Type::of("__Schema", true)));
        let arguments = vec![field("name", Type::of("String", true))];
        let by_name = field("__type", Type::of("__Type", false));
        query.definition.fields.push(FieldDefinition { arguments, ..by_name });
        query.index();
    }

    /// Returns a directive by name.
    pub(crate) fn directive(&self, name: &str) -> Option<&DirectiveDefinition> {
        self.directives.get(name)
    }

    /// Returns the root of a sort of operation.
    pub(crate) fn root(&self, operation: &str) -> Option<&SchemaType> {
        let number = match operation {
            "query" | "" => self.query,
            "mutation" => self.mutation,
            "subscription" => self.subscription,
            _ => None,
        };
        self.types.at(number?)
    }
}

/// Joins the definitions with those of the prelude, and extensions to what they extend.
fn merge_types(definitions: Vec<TypeDefinition>, extensions: Vec<TypeDefinition>) -> Result<Types, Fault> {
    let mut types = Types::default();
    for definition in prelude().definitions.iter().cloned().chain(definitions) {
        if types.number(&definition.name).is_some() {
            let message = format!("Cannot redeclare type {}.", definition.name);
            return Err(Fault::in_schema(definition.position, message));
        }
        types.add(definition);
    }
    for extension in extensions {
        if types.number(&extension.name).is_none() {
            types.add(TypeDefinition {
                kind: extension.kind.clone(),
                name: extension.name.clone(),
                position: extension.position,
                ..TypeDefinition::default()
            });
        }
        let number = types.number(&extension.name);
        let Some(base) = number.and_then(|it| types.list.get_mut(it)) else { continue };
        extend(&mut base.definition, extension)?;
    }
    for ty in &mut types.list {
        ty.index();
    }
    Ok(types)
}

fn extend(base: &mut TypeDefinition, extension: TypeDefinition) -> Result<(), Fault> {
    if base.kind != extension.kind {
        let message = format!(
            "Cannot extend type {} because the base type is a {}, not {}.",
            extension.name,
            base.kind.shown(),
            extension.kind.shown()
        );
        return Err(Fault::in_schema(extension.position, message));
    }
    base.directives.extend(extension.directives);
    base.interfaces.extend(extension.interfaces);
    base.fields.extend(extension.fields);
    base.types.extend(extension.types);
    base.type_positions.extend(extension.type_positions);
    base.values.extend(extension.values);
    Ok(())
}

/// Notes for each type what values of it may be: itself, the members of a union, what implements an interface.
/// Types that do not exist are left out; the checks find them.
fn gather_possible(types: &mut Types) {
    let mut gathered: Vec<Vec<TypeNumber>> = vec![Vec::new(); types.list.len()];
    for (number, ty) in types.list.iter().enumerate() {
        let definition = &ty.definition;
        let mut note = |at: Option<TypeNumber>, possible: TypeNumber| {
            if let Some(list) = at.and_then(|it| gathered.get_mut(it)) {
                list.push(possible);
            }
        };
        match definition.kind {
            DefinitionKind::Union => {
                for member in definition.types.iter().filter_map(|it| types.number(it)) {
                    note(Some(number), member);
                }
            }
            DefinitionKind::Object | DefinitionKind::InputObject | DefinitionKind::Interface => {
                for interface in &definition.interfaces {
                    note(types.number(interface), number);
                }
                if definition.kind != DefinitionKind::Interface {
                    note(Some(number), number);
                }
            }
            DefinitionKind::Scalar | DefinitionKind::Enum | DefinitionKind::Other(_) => {}
        }
    }
    for (ty, possible) in types.list.iter_mut().zip(gathered) {
        ty.possible = possible;
    }
}

/// Joins the directives with those of the prelude, which a schema may define anew.
fn merge_directives(
    directives: Vec<DirectiveDefinition>,
) -> Result<HashMap<String, DirectiveDefinition>, Fault> {
    let mut merged = HashMap::new();
    for directive in prelude().directives.iter().cloned().chain(directives) {
        let known = ["include", "skip", "deprecated", "specifiedBy", "defer", "oneOf"];
        if merged.contains_key(&directive.name) && !known.contains(&directive.name.as_str()) {
            let message = format!("Cannot redeclare directive {}.", directive.name);
            return Err(Fault::in_schema(directive.position, message));
        }
        merged.insert(directive.name.clone(), directive);
    }
    Ok(merged)
}

/// Refuses names that belong to introspection.
fn check_name(position: Option<crate::graphql::fault::Position>, name: &str) -> Result<(), Fault> {
    if name.starts_with("__") {
        let message = format!(
            "Name \"{name}\" must not begin with \"__\", which is reserved by GraphQL introspection."
        );
        return Err(Fault::in_schema(position, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphql::fault::Origin;
    use crate::graphql::parser::parse_schema;

    fn fault(source: &str) -> String {
        let document = parse_schema(source, Origin::Input).expect("a schema to read");
        Schema::build(document).map_or_else(|it| it.to_string(), |_| "none".to_owned())
    }

    #[test]
    fn faults_have_places() {
        let cases = [
            ("type Query { a: Int }", "none"),
            ("scalar Int", "input:1:8: Cannot redeclare type Int."),
            (
                "extend enum __TypeKind { LIST }",
                "input:1:26: Enum value __TypeKind.LIST can only be defined once.",
            ),
            ("extend type __Type implements A", "prelude.graphql:92:6: Undefined type \"A\"."),
            ("schema { query: A }", "input:1:10: Schema root query refers to a type A that does not exist."),
            (
                "input A { a: B! } input B { b: C! } input C { a: B! }",
                "input:1:29: Cannot reference Input Object \"B\" within itself through a series of non-null fields: \"b.a\".",
            ),
            (
                "union U = A | B | A type A { a: Int } type B { a: Int }",
                "input:1:19: Union type U can only include type A once.",
            ),
            (
                "directive @d(a: Int @d) on ARGUMENT_DEFINITION",
                "input:1:22: Directive d cannot refer to itself.",
            ),
        ];
        for (source, text) in cases {
            assert_eq!(fault(source), text, "{source}");
        }
    }
}
