//! The walk over a query: finds what each node is in the schema and calls the rules there.
//!
//! The order of the walk and of the rules decides the order of the faults, which is that of OPA's library. Rules are
//! in `rules`, a file each; they see the pass and the node, and keep what they remember in their own state.

use std::rc::Rc;

use foldhash::{HashMap, HashMapExt, HashSet, HashSetExt};

use crate::graphql::fault::{Fault, Position};
use crate::graphql::limits::{Budget, Limit};
use crate::graphql::rules::{self, Collected, Memory};
use crate::graphql::schema::{Schema, SchemaType};
use crate::graphql::tree::{
    Argument, Directive, Field, FieldDefinition, Fragment, FragmentSpread, InlineFragment, Operation,
    QueryDocument, Selection, Type, Value, ValueKind, VariableDefinition, find,
};

/// Returns the faults of a query.
///
/// # Errors
/// A limit was passed.
pub(crate) fn validate(schema: &Schema, document: &QueryDocument) -> Result<Vec<Fault>, Limit> {
    validate_within(schema, document, Budget::default())
}

fn validate_within(schema: &Schema, document: &QueryDocument, budget: Budget) -> Result<Vec<Fault>, Limit> {
    let mut pass = Pass::new(schema, document, budget);
    for operation in &document.operations {
        pass.operation(operation)?;
    }
    for fragment in &document.fragments {
        pass.fragment(fragment)?;
    }
    Ok(pass.faults)
}

/// What was found out about a field.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct FieldNote<'a> {
    pub(super) definition: Option<&'a FieldDefinition>,
    /// The type that it is a field of.
    pub(super) parent: Option<&'a SchemaType>,
}

/// What is expected where a value stands.
#[derive(Clone, Copy, Default, Debug)]
pub(super) struct Expected<'a> {
    pub(super) ty: Option<&'a Type>,
    /// What the innermost name of the type is.
    pub(super) definition: Option<&'a SchemaType>,
    /// Whether there is a default that is not null.
    pub(super) has_default: bool,
}

/// A directive and what was found out about it.
#[derive(Clone, Copy, Debug)]
pub(super) struct DirectiveUse<'a> {
    pub(super) directive: &'a Directive,
    pub(super) location: &'static str,
}

/// One validation.
#[derive(Debug)]
pub(super) struct Pass<'a> {
    pub(super) schema: &'a Schema,
    pub(super) document: &'a QueryDocument,
    /// The operation of the walk; none in the walk over fragments at the end.
    pub(super) current: Option<&'a Operation>,
    pub(super) budget: Budget,
    pub(super) memory: Memory<'a>,
    fields: Vec<FieldNote<'a>>,
    /// Which spreads the walk has come to.
    spreads: Vec<bool>,
    /// The variables that values name, as of the last operation that holds the value.
    variables: Vec<Option<&'a VariableDefinition>>,
    /// Values with a number that no 64 bits hold.
    overflows: HashSet<usize>,
    /// The variables that the current operation uses, by address.
    used: HashSet<usize>,
    by_name: HashMap<&'a str, &'a VariableDefinition>,
    fragments: HashMap<&'a str, &'a Fragment>,
    /// The fragments entered in this operation.
    entered: HashSet<&'a str>,
    /// What selection sets hold, by their address.
    pub(super) collected: HashMap<usize, Rc<Collected<'a>>>,
    faults: Vec<Fault>,
}

impl<'a> Pass<'a> {
    fn new(schema: &'a Schema, document: &'a QueryDocument, budget: Budget) -> Self {
        let mut fragments = HashMap::new();
        for fragment in &document.fragments {
            fragments.entry(fragment.name.as_str()).or_insert(fragment);
        }
        Self {
            schema,
            document,
            current: None,
            budget,
            memory: Memory::default(),
            fields: vec![FieldNote::default(); document.numbers.fields],
            spreads: vec![false; document.numbers.spreads],
            variables: vec![None; document.numbers.values],
            overflows: HashSet::new(),
            used: HashSet::new(),
            by_name: HashMap::new(),
            fragments,
            entered: HashSet::new(),
            collected: HashMap::new(),
            faults: Vec::new(),
        }
    }

    /// Adds a fault.
    pub(super) fn fault(&mut self, position: Option<Position>, message: String) -> Result<(), Limit> {
        self.budget.spend(1 + message.len() / 16)?;
        self.faults.push(Fault::new(position, message));
        Ok(())
    }

    /// Returns what was found out about a field; nothing before the walk came to it.
    pub(super) fn note(&self, field: &Field) -> FieldNote<'a> {
        self.fields.get(field.number).copied().unwrap_or_default()
    }

    /// Returns a fragment by name.
    pub(super) fn fragment_named(&self, name: &str) -> Option<&'a Fragment> {
        self.fragments.get(name).copied()
    }

    /// Returns the fragment that a spread names; nothing before the walk came to the spread.
    pub(super) fn spread_fragment(&self, spread: &FragmentSpread) -> Option<&'a Fragment> {
        self.spreads.get(spread.number).filter(|it| **it).and_then(|_| self.fragment_named(&spread.name))
    }

    /// Returns the variable that a value names, as of the last operation with it.
    pub(super) fn variable_of(&self, value: &Value) -> Option<&'a VariableDefinition> {
        self.variables.get(value.number).copied().flatten()
    }

    /// Says whether a variable was used in the operation of the walk.
    pub(super) fn is_used(&self, variable: &VariableDefinition) -> bool {
        variable.used || self.used.contains(&address(variable))
    }

    /// Says whether a value holds a number that no 64 bits hold.
    pub(super) fn overflows(&self, value: &Value) -> bool {
        self.overflows.contains(&value.number)
    }

    fn operation(&mut self, operation: &'a Operation) -> Result<(), Limit> {
        self.current = Some(operation);
        self.entered.clear();
        self.used.clear();
        self.by_name.clear();
        for variable in &operation.variables {
            self.budget.spend(1)?;
            self.by_name.entry(variable.variable.as_str()).or_insert(variable);
            rules::on_variable(self, variable)?;
        }
        for variable in &operation.variables {
            if let Some(default) = &variable.default {
                let definition = self.schema.types.get(variable.ty.name());
                self.value(default, Expected { ty: Some(&variable.ty), definition, has_default: false })?;
            }
            self.directives(&variable.directives, "VARIABLE_DEFINITION")?;
        }
        let location = match operation.operation.as_str() {
            "query" | "" => "QUERY",
            "mutation" => "MUTATION",
            "subscription" => "SUBSCRIPTION",
            _ => "",
        };
        self.directives(&operation.directives, location)?;
        self.selections(self.schema.root(&operation.operation), &operation.selections)?;
        rules::on_operation(self, operation)?;
        self.current = None;
        Ok(())
    }

    fn fragment(&mut self, fragment: &'a Fragment) -> Result<(), Limit> {
        self.entered.clear();
        let ty = self.schema.types.get(&fragment.type_condition);
        self.directives(&fragment.directives, "FRAGMENT_DEFINITION")?;
        self.selections(ty, &fragment.selections)?;
        rules::on_fragment(self, fragment)
    }

    fn directives(&mut self, directives: &'a [Directive], location: &'static str) -> Result<(), Limit> {
        for directive in directives {
            let definition = self.schema.directive(&directive.name);
            let expected = definition.map_or(&[][..], |it| &it.arguments);
            self.arguments(&directive.arguments, expected)?;
            rules::on_directive(self, DirectiveUse { directive, location })?;
        }
        rules::on_directives(self, directives)
    }

    fn arguments(&mut self, arguments: &'a [Argument], expected: &'a [FieldDefinition]) -> Result<(), Limit> {
        self.budget.spend(arguments.len().saturating_mul(expected.len()))?;
        for argument in arguments {
            let definition = find(expected, &argument.name);
            let expected = definition.map_or_else(Expected::default, |it| self.expected(it));
            self.value(&argument.value, expected)?;
        }
        Ok(())
    }

    /// Returns what an argument or a field of an input object expects.
    fn expected(&self, definition: &'a FieldDefinition) -> Expected<'a> {
        Expected {
            ty: Some(&definition.ty),
            definition: self.schema.types.get(definition.ty.name()),
            has_default: definition.default.as_ref().is_some_and(|it| it.kind != ValueKind::Null),
        }
    }

    fn value(&mut self, value: &'a Value, expected: Expected<'a>) -> Result<(), Limit> {
        self.budget.enter()?;
        if value.kind == ValueKind::Variable && self.current.is_some() {
            let variable = self.by_name.get(value.raw.as_str()).copied();
            if let Some(note) = self.variables.get_mut(value.number) {
                *note = variable;
            }
            self.used.extend(variable.map(address));
        }
        for child in &value.children {
            let expected = match (value.kind, expected.definition, expected.ty) {
                (ValueKind::Object, Some(definition), _) => {
                    definition.field(&child.name).map_or_else(Expected::default, |it| self.expected(it))
                }
                (ValueKind::List, definition, Some(Type { element: Some(element), .. })) => {
                    Expected { ty: Some(element), definition, has_default: false }
                }
                _ => Expected::default(),
            };
            if matches!(value.kind, ValueKind::Object | ValueKind::List) {
                self.value(&child.value, expected)?;
            }
        }
        if self.is_overflow(value) {
            self.overflows.insert(value.number);
        }
        rules::on_value(self, value, expected)?;
        self.budget.leave();
        Ok(())
    }

    /// Says whether a value, whose children were walked, holds a number that no 64 bits hold.
    fn is_overflow(&self, value: &Value) -> bool {
        match value.kind {
            ValueKind::Variable => {
                let default = self.variable_of(value).and_then(|it| it.default.as_ref());
                default.is_some_and(|it| self.overflows(it))
            }
            ValueKind::Int => value.raw.parse::<i64>().is_err(),
            ValueKind::Float => {
                let digits = value.raw.bytes().any(|it| it.is_ascii_digit());
                value.raw.parse::<f64>().map_or(true, |it| digits && it.is_infinite())
            }
            ValueKind::Boolean => !matches!(
                value.raw.as_str(),
                "true" | "false" | "1" | "t" | "T" | "TRUE" | "True" | "0" | "f" | "F" | "FALSE" | "False"
            ),
            ValueKind::List | ValueKind::Object => value.children.iter().any(|it| self.overflows(&it.value)),
            ValueKind::String | ValueKind::Block | ValueKind::Null | ValueKind::Enum => false,
        }
    }

    fn selections(
        &mut self,
        parent: Option<&'a SchemaType>,
        selections: &'a [Selection],
    ) -> Result<(), Limit> {
        for selection in selections {
            self.budget.enter()?;
            match selection {
                Selection::Field(field) => self.field(parent, field)?,
                Selection::Spread(spread) => self.spread(parent, spread)?,
                Selection::Inline(fragment) => self.inline(parent, fragment)?,
            }
            self.budget.leave();
        }
        Ok(())
    }

    fn field(&mut self, parent: Option<&'a SchemaType>, field: &'a Field) -> Result<(), Limit> {
        let definition = if field.name == self.schema.typename.name {
            Some(&self.schema.typename)
        } else {
            parent.and_then(|it| it.field(&field.name))
        };
        if let Some(note) = self.fields.get_mut(field.number) {
            *note = FieldNote { definition, parent };
        }
        self.arguments(&field.arguments, definition.map_or(&[][..], |it| &it.arguments))?;
        self.directives(&field.directives, "FIELD")?;
        let ty = definition.and_then(|it| self.schema.types.get(it.ty.name()));
        self.selections(ty, &field.selections)?;
        rules::on_field(self, field)
    }

    fn inline(&mut self, parent: Option<&'a SchemaType>, fragment: &'a InlineFragment) -> Result<(), Limit> {
        let named = !fragment.type_condition.is_empty();
        let ty = if named { self.schema.types.get(&fragment.type_condition) } else { parent };
        self.directives(&fragment.directives, "INLINE_FRAGMENT")?;
        self.selections(ty, &fragment.selections)?;
        rules::on_inline_fragment(self, fragment, parent)
    }

    fn spread(&mut self, parent: Option<&'a SchemaType>, spread: &'a FragmentSpread) -> Result<(), Limit> {
        if let Some(known) = self.spreads.get_mut(spread.number) {
            *known = true;
        }
        self.directives(&spread.directives, "FRAGMENT_SPREAD")?;
        // A fragment is walked once an operation, so that cycles end.
        if let Some(fragment) = self.fragment_named(&spread.name)
            && self.entered.insert(fragment.name.as_str())
        {
            let ty = self.schema.types.get(&fragment.type_condition);
            self.directives(&fragment.directives, "FRAGMENT_DEFINITION")?;
            self.selections(ty, &fragment.selections)?;
        }
        rules::on_spread(self, spread, parent)
    }
}

/// Returns where a node is, as its identity.
fn address<T>(node: &T) -> usize {
    std::ptr::from_ref(node).addr()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::graphql::fault::Origin;
    use crate::graphql::parser::{parse_query, parse_schema};

    const SCHEMA: &str = "type Query { a(l: L, s: [String]): Query b: Query } input L { l: L i: Int } type Mutation { m: Int }";

    fn verdict(schema: &str, query: &str) -> Result<usize, Limit> {
        let schema = parse_schema(schema, Origin::Input).expect("a schema");
        let schema = Schema::build(schema).expect("a schema without faults");
        let query = parse_query(query).expect("a query");
        Ok(validate_within(&schema, &query, Budget::of(500_000))?.len())
    }

    /// Repeats what a number makes.
    fn each(count: usize, part: impl Fn(usize) -> String) -> String {
        (0..count).map(part).collect()
    }

    #[test]
    fn work_is_bounded() {
        let nested = |levels: usize| "a{".repeat(levels) + "__typename" + &"}".repeat(levels);
        let chain = |count: usize| {
            let links = each(count, |it| format!("fragment F{it} on Query {{ a {{ ...F{} }} }}", it + 1));
            format!("{{ ...F0 }} {links} fragment F{count} on Query {{ __typename }}")
        };
        // Each fragment holds the next twice, below a field that stands there twice.
        let doubled = |count: usize, inner: &str| {
            let links = each(count, |it| {
                let next = format!("...F{}", it + 1);
                format!("fragment F{it} on Query {{ {} }}", inner.replace("NEXT", &next))
            });
            format!("{{ ...F0 }} {links} fragment F{count} on Query {{ __typename }}")
        };
        let deep_value =
            format!("{{ a(l: {}{{}}{}) {{ __typename }} }}", "{l: ".repeat(190), "}".repeat(190));
        let introspection = {
            let links = each(40, |it| {
                let next = it + 1;
                format!(
                    "fragment T{it} on __Type {{ x: ofType {{ ...T{next} }} y: ofType {{ ...T{next} }} }}"
                )
            });
            format!("{{ __type(name: \"a\") {{ ...T0 }} }} {links} fragment T40 on __Type {{ name }}")
        };
        let many_operations = each(2_000, |it| format!("query Q{it} {{ ...F }}"))
            + &format!("fragment F on Query {{ {} }}", each(500, |it| format!("x{it}: c ")));
        let cases: Vec<(String, Result<usize, Limit>)> = vec![
            (format!("{{ {} }}", nested(190)), Ok(0)),
            (format!("{{ {} {} }}", nested(190), nested(190)), Ok(0)),
            (chain(100), Ok(0)),
            (chain(10_000), Err(Limit::Depth)),
            (doubled(60, "a { NEXT } a { NEXT }"), Ok(0)),
            (doubled(60, "a { b { NEXT } a { NEXT } } a { b { NEXT } a { NEXT } }"), Ok(0)),
            (format!("{{ {} }}", "a { __typename } ".repeat(1_000)), Err(Limit::Steps)),
            (deep_value, Ok(0)),
            (introspection, Err(Limit::Steps)),
            (many_operations, Err(Limit::Steps)),
            (
                "{ ...F } fragment F on Query { a { a { ...F } a { ...F } } a { ...F } }".to_owned(),
                Err(Limit::Depth),
            ),
            (format!("{{ a(s: [{}]) {{ __typename }} }}", "\"x\", ".repeat(50_000)), Ok(0)),
        ];
        for (query, expected) in cases {
            let shown: String = query.chars().take(60).collect();
            assert_eq!(verdict(SCHEMA, &query).map_err(|_| ()), expected.map_err(|_| ()), "{shown}");
        }
    }

    #[test]
    fn names_are_found_by_index() {
        let fields = each(10_000, |it| format!("f{it}: Int "));
        let query = each(10_000, |it| format!("f{it} "));
        assert_eq!(verdict(&format!("type Query {{ {fields} }}"), &format!("{{ {query} }}")), Ok(0));
    }
}
