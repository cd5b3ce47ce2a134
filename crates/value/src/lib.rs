//! Values, numbers and JSON text.
//!
//! One layout of cells serves three homes: the constants of a policy, the base data ([`Document`]) and the
//! arena of an evaluation ([`Arena`]). A [`Value`] is a small `Copy` handle into any of them. The crate knows
//! nothing of policies.

#![deny(clippy::disallowed_methods)]

mod arena;
mod cell;
mod constants;
mod deep;
mod document;
mod edit;
mod gather;
mod hash;
pub mod image;
pub mod json;
mod keys;
mod link;
mod node;
pub mod number;
mod probe;
#[expect(unsafe_code, reason = "the one file of unsafe operations")]
mod raw;
pub mod serde;
mod text;
mod tree;
mod value;
mod weigh;

pub use arena::Arena;
pub use constants::Constants;
pub use document::{Document, DocumentBuilder, Part};
pub use edit::Edit;
pub use node::{Array, Object, ObjectIter, Set};
pub use number::Number;
pub use probe::Probe;
pub use raw::recycle;
pub use text::write_string;
pub use value::{Kind, NumberText, Value, compare};
pub use weigh::Weigher;
