//! What credentials ask of the world, handed in by whoever has one.
//!
//! Apart so that tests hold the clock. Files are not here: the crate reads those that a configuration names itself.

use std::fmt;
use std::sync::Arc;

use tokio::task::spawn_blocking;

use crate::http::tls;
use crate::outgoing::Environment;

/// Returns nanoseconds since the epoch.
pub type Clock = Arc<dyn Fn() -> i64 + Send + Sync>;

/// Fills bytes with what nobody can guess.
pub type Random = Arc<dyn Fn(&mut [u8]) + Send + Sync>;

/// The world as credentials see it.
#[derive(Clone)]
pub struct World {
    /// Where proxies and credentials are found by name.
    pub environment: Environment,
    /// What time it is.
    pub clock: Clock,
    /// Where identifiers of tokens come from.
    pub random: Random,
}

impl fmt::Debug for World {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("World").finish_non_exhaustive()
    }
}

/// Reads a file that a configuration names, without holding up others.
///
/// # Errors
///
/// Go's text.
pub(crate) async fn read_file(path: &str) -> Result<Vec<u8>, String> {
    let path = path.to_owned();
    spawn_blocking(move || tls::file(&path)).await.map_err(|it| it.to_string())?
}
