//! Where a reader puts what it read.
//!
//! The one seam between the parser and the homes of values, so that there is one parser. It knows cells and texts,
//! not JSON.

use crate::cell::Cell;

/// A home for values: the arena of a request or the segment of a document.
///
/// Short texts and scalars are cells already. `live` holds every cell that is still in use; a sink may rewrite
/// them when it goes on to another segment. None means that there is no more room.
pub(crate) trait Sink {
    /// Adds a text of more than seven bytes.
    fn text(&mut self, tag: u8, text: &str, live: &mut Vec<Cell>) -> Option<Cell>;

    /// Adds a long text of a known length that is written in place, without a copy beside it.
    fn text_with(
        &mut self,
        tag: u8,
        len: usize,
        write: &mut dyn FnMut(&mut [u8]),
        live: &mut Vec<Cell>,
    ) -> Option<Cell>;

    /// Adds the array of the cells from `start`.
    fn array(&mut self, live: &mut Vec<Cell>, start: usize) -> Option<Cell>;

    /// Adds the object of the pairs of cells from `start`, in any order; of a repeated key the last stays.
    fn object(&mut self, live: &mut Vec<Cell>, start: usize) -> Option<Cell>;
}
