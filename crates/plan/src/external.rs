//! The calls by which a plan asks for external documents, and which paths are mounted.
//!
//! Apart because lowering writes them, the read set knows them and engines link them; policies cannot. The first
//! operand of each is the mounted path, an array of strings.

/// Gives the document of the keys that follow; undefined if there is none.
pub const GET: &str = "internal.external_get";
/// Gives the keys that follow the keys that follow, as an array.
pub const LIST: &str = "internal.external_list";
/// Gives all documents below the keys that follow, as an object.
pub const ALL: &str = "internal.external_all";
/// Announces the documents of which one key runs over a collection: the key's place among the keys, the collection,
/// whether its keys count (else its values), the way from each to the key (an array), and the other keys.
pub const AHEAD: &str = "internal.external_ahead";

/// A mounted path.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct MountedPath {
    /// Keys below `data`.
    pub path: Vec<String>,
    /// How many keys below it name a document, at least one.
    pub keys: usize,
}
