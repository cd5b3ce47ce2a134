//! The definitions that every schema has: scalars, directives and introspection as the specification words them.
//!
//! A row is a line with its number: a fault of a schema that meddles with these types names the place in the text
//! that OPA's library carries, whose descriptions stand between the rows.

use std::sync::OnceLock;

use crate::graphql::fault::Origin;
use crate::graphql::parser::parse_schema;
use crate::graphql::tree::SchemaDocument;

const LINES: &[(usize, &str)] = &[
    (4, "scalar Int"),
    (7, "scalar Float"),
    (10, "scalar String"),
    (13, "scalar Boolean"),
    (16, "scalar ID"),
    (19, "directive @defer("),
    (21, "  if: Boolean = true,"),
    (23, "  label: String"),
    (24, ") on FRAGMENT_SPREAD | INLINE_FRAGMENT"),
    (29, "directive @include("),
    (31, "  if: Boolean!"),
    (32, ") on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT"),
    (37, "directive @skip("),
    (39, "  if: Boolean!"),
    (40, ") on FIELD | FRAGMENT_SPREAD | INLINE_FRAGMENT"),
    (43, "directive @deprecated("),
    (47, "  reason: String = \"No longer supported\""),
    (48, ") on FIELD_DEFINITION | ARGUMENT_DEFINITION | INPUT_FIELD_DEFINITION | ENUM_VALUE"),
    (51, "directive @specifiedBy("),
    (53, "  url: String!"),
    (54, ") on SCALAR"),
    (59, "directive @oneOf on INPUT_OBJECT"),
    (64, "type __Schema {"),
    (65, "  description: String"),
    (68, "  types: [__Type!]!"),
    (71, "  queryType: __Type!"),
    (76, "  mutationType: __Type"),
    (81, "  subscriptionType: __Type"),
    (84, "  directives: [__Directive!]!"),
    (85, "}"),
    (92, "type __Type {"),
    (93, "  kind: __TypeKind!"),
    (94, "  name: String"),
    (95, "  description: String"),
    (96, "  specifiedByURL: String"),
    (97, "  fields(includeDeprecated: Boolean = false): [__Field!]"),
    (98, "  interfaces: [__Type!]"),
    (99, "  possibleTypes: [__Type!]"),
    (100, "  enumValues(includeDeprecated: Boolean = false): [__EnumValue!]"),
    (101, "  inputFields(includeDeprecated: Boolean = false): [__InputValue!]"),
    (102, "  ofType: __Type"),
    (103, "  isOneOf: Boolean"),
    (104, "}"),
    (107, "enum __TypeKind {"),
    (109, "  SCALAR"),
    (114, "  OBJECT"),
    (119, "  INTERFACE"),
    (122, "  UNION"),
    (125, "  ENUM"),
    (130, "  INPUT_OBJECT"),
    (133, "  LIST"),
    (136, "  NON_NULL"),
    (137, "}"),
    (142, "type __Field {"),
    (143, "  name: String!"),
    (144, "  description: String"),
    (145, "  args(includeDeprecated: Boolean = false): [__InputValue!]!"),
    (146, "  type: __Type!"),
    (147, "  isDeprecated: Boolean!"),
    (148, "  deprecationReason: String"),
    (149, "}"),
    (154, "type __InputValue {"),
    (155, "  name: String!"),
    (156, "  description: String"),
    (157, "  type: __Type!"),
    (162, "  defaultValue: String"),
    (163, "  isDeprecated: Boolean!"),
    (164, "  deprecationReason: String"),
    (165, "}"),
    (170, "type __EnumValue {"),
    (171, "  name: String!"),
    (172, "  description: String"),
    (173, "  isDeprecated: Boolean!"),
    (174, "  deprecationReason: String"),
    (175, "}"),
    (182, "type __Directive {"),
    (183, "  name: String!"),
    (184, "  description: String"),
    (185, "  isRepeatable: Boolean!"),
    (186, "  locations: [__DirectiveLocation!]!"),
    (187, "  args(includeDeprecated: Boolean = false): [__InputValue!]!"),
    (188, "}"),
    (193, "enum __DirectiveLocation {"),
    (195, "  QUERY"),
    (198, "  MUTATION"),
    (201, "  SUBSCRIPTION"),
    (204, "  FIELD"),
    (207, "  FRAGMENT_DEFINITION"),
    (210, "  FRAGMENT_SPREAD"),
    (213, "  INLINE_FRAGMENT"),
    (216, "  VARIABLE_DEFINITION"),
    (219, "  SCHEMA"),
    (222, "  SCALAR"),
    (225, "  OBJECT"),
    (228, "  FIELD_DEFINITION"),
    (231, "  ARGUMENT_DEFINITION"),
    (234, "  INTERFACE"),
    (237, "  UNION"),
    (240, "  ENUM"),
    (243, "  ENUM_VALUE"),
    (246, "  INPUT_OBJECT"),
    (249, "  INPUT_FIELD_DEFINITION"),
    (250, "}"),
];

/// Returns the definitions.
pub(crate) fn prelude() -> &'static SchemaDocument {
    static PRELUDE: OnceLock<SchemaDocument> = OnceLock::new();
    PRELUDE.get_or_init(|| {
        let mut text = String::new();
        let mut line = 1;
        for (number, row) in LINES {
            while line < *number {
                text.push('\n');
                line += 1;
            }
            text.push_str(row);
        }
        parse_schema(&text, Origin::Prelude).expect("the lines are a schema, which a test reads")
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prelude_is_whole() {
        let prelude = prelude();
        assert_eq!((prelude.definitions.len(), prelude.directives.len()), (13, 6));
        let last = prelude.definitions.last().and_then(|it| it.values.last()).map(|it| it.name.as_str());
        assert_eq!(last, Some("INPUT_FIELD_DEFINITION"));
    }
}
