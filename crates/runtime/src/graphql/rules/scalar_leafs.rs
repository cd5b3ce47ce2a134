//! A field has selections if and only if its type has fields.
//!
//! The specification's rule "Leaf Field Selections" (§5.3.3, edition of October 2021). Its two halves have texts of
//! their own.

use crate::graphql::rules::Checked;
use crate::graphql::tree::Field;
use crate::graphql::validate::Pass;

pub(super) fn field<'a>(pass: &mut Pass<'a>, field: &'a Field) -> Checked {
    let Some(definition) = pass.note(field).definition else { return Ok(()) };
    let Some(ty) = pass.schema.types.get(definition.ty.name()) else { return Ok(()) };
    let name = &field.name;
    let message = match (ty.kind().is_leaf(), field.selections.is_empty()) {
        (true, false) => {
            let ty = ty.name();
            format!("Field \"{name}\" must not have a selection since type \"{ty}\" has no subfields.")
        }
        (false, true) => {
            let ty = &definition.ty;
            let fault = format!("Field \"{name}\" of type \"{ty}\" must have a selection of subfields.");
            format!("{fault} Did you mean \"{name} {{ ... }}\"?")
        }
        _ => return Ok(()),
    };
    pass.fault(field.position, message)
}
