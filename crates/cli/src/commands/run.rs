//! `lictor run --server`: serves decisions.
use crate::commands::Failure;
use crate::flags::Parsed;
pub(crate) fn run(_: &Parsed) -> Result<u8, Failure> {
    Ok(0)
}
