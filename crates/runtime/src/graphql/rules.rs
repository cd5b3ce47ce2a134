//! The rules that a query must keep, a file each, and when each is asked.
//!
//! The tables are in the order of the rules' names in OPA's library, which is the order of their faults.

use crate::graphql::limits::Limit;
use crate::graphql::schema::SchemaType;
use crate::graphql::tree::{
    Directive, Field, Fragment, FragmentSpread, InlineFragment, Operation, Value, VariableDefinition,
};
use crate::graphql::validate::{DirectiveUse, Expected, Pass};

mod collect;
mod fields_on_correct_type;
mod fragments_on_composite_types;
mod known_argument_names;
mod known_directives;
mod known_fragment_names;
mod known_root_type;
mod known_type_names;
mod lone_anonymous_operation;
mod max_introspection_depth;
mod no_fragment_cycles;
mod no_undefined_variables;
mod no_unused_fragments;
mod no_unused_variables;
mod overlapping_fields;
mod possible_fragment_spreads;
mod provided_required_arguments;
mod scalar_leafs;
mod single_field_subscriptions;
mod unique_argument_names;
mod unique_directives;
mod unique_fragment_names;
mod unique_input_field_names;
mod unique_operation_names;
mod unique_variable_names;
mod values_of_correct_type;
mod variables_are_input_types;
mod variables_in_allowed_position;

pub(super) use collect::Collected;

type Checked = Result<(), Limit>;

/// What rules remember during a pass.
#[derive(Default, Debug)]
pub(super) struct Memory<'a> {
    known_directives: known_directives::Reported<'a>,
    fragment_cycles: no_fragment_cycles::Visited<'a>,
    unused_fragments: no_unused_fragments::Uses<'a>,
    overlapping: overlapping_fields::Compared<'a>,
    fragment_names: unique_fragment_names::Seen<'a>,
    operation_names: unique_operation_names::Seen<'a>,
}

/// Asks the rules of an operation, after its selections.
pub(super) fn on_operation<'a>(pass: &mut Pass<'a>, operation: &'a Operation) -> Checked {
    known_root_type::operation(pass, operation)?;
    lone_anonymous_operation::operation(pass, operation)?;
    no_unused_variables::operation(pass, operation)?;
    overlapping_fields::operation(pass, operation)?;
    single_field_subscriptions::operation(pass, operation)?;
    unique_operation_names::operation(pass, operation)?;
    unique_variable_names::operation(pass, operation)?;
    variables_are_input_types::operation(pass, operation)
}

/// Asks the rules of a variable.
pub(super) fn on_variable<'a>(pass: &mut Pass<'a>, variable: &'a VariableDefinition) -> Checked {
    known_type_names::variable(pass, variable)
}

/// Asks the rules of a field, after its selections.
pub(super) fn on_field<'a>(pass: &mut Pass<'a>, field: &'a Field) -> Checked {
    fields_on_correct_type::field(pass, field)?;
    known_argument_names::field(pass, field)?;
    max_introspection_depth::field(pass, field)?;
    overlapping_fields::field(pass, field)?;
    provided_required_arguments::field(pass, field)?;
    scalar_leafs::field(pass, field)?;
    unique_argument_names::field(pass, field)
}

/// Asks the rules of a fragment, after its selections.
pub(super) fn on_fragment<'a>(pass: &mut Pass<'a>, fragment: &'a Fragment) -> Checked {
    fragments_on_composite_types::fragment(pass, fragment)?;
    known_type_names::fragment(pass, fragment)?;
    no_fragment_cycles::fragment(pass, fragment)?;
    no_unused_fragments::fragment(pass, fragment)?;
    overlapping_fields::fragment(pass, fragment)?;
    unique_fragment_names::fragment(pass, fragment)
}

/// Asks the rules of an inline fragment, after its selections.
pub(super) fn on_inline_fragment<'a>(
    pass: &mut Pass<'a>,
    fragment: &'a InlineFragment,
    parent: Option<&'a SchemaType>,
) -> Checked {
    fragments_on_composite_types::inline_fragment(pass, fragment)?;
    known_type_names::inline_fragment(pass, fragment)?;
    overlapping_fields::inline_fragment(pass, fragment)?;
    possible_fragment_spreads::inline_fragment(pass, fragment, parent)
}

/// Asks the rules of a spread, after the fragment.
pub(super) fn on_spread<'a>(
    pass: &mut Pass<'a>,
    spread: &'a FragmentSpread,
    parent: Option<&'a SchemaType>,
) -> Checked {
    known_fragment_names::spread(pass, spread)?;
    no_unused_fragments::spread(pass, spread);
    possible_fragment_spreads::spread(pass, spread, parent)
}

/// Asks the rules of a directive, after its arguments.
pub(super) fn on_directive<'a>(pass: &mut Pass<'a>, used: DirectiveUse<'a>) -> Checked {
    known_argument_names::directive(pass, used.directive)?;
    known_directives::directive(pass, used)?;
    provided_required_arguments::directive(pass, used.directive)?;
    unique_argument_names::directive(pass, used.directive)
}

/// Asks the rules of the directives of one place.
pub(super) fn on_directives<'a>(pass: &mut Pass<'a>, directives: &'a [Directive]) -> Checked {
    unique_directives::directives(pass, directives)
}

/// Asks the rules of a value, after its parts.
pub(super) fn on_value<'a>(pass: &mut Pass<'a>, value: &'a Value, expected: Expected<'a>) -> Checked {
    no_undefined_variables::value(pass, value)?;
    unique_input_field_names::value(pass, value)?;
    values_of_correct_type::value(pass, value, expected)?;
    variables_in_allowed_position::value(pass, value, expected)
}
