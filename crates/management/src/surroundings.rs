//! What plugins are handed of the world: a clock, a log, and who makes bundles visible.
//!
//! Traits, so that tests hold the clock and read the log, and so that this crate need not know who serves.

use std::pin::Pin;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use lictor::bundle::Bundle;
use lictor::{BundleChange, BundleFault, ReadyBundle};

/// A wait that can be given up.
pub type Sleep = Pin<Box<dyn Future<Output = ()> + Send>>;

/// Tells the time and lets it pass.
pub trait Clock: Send + Sync {
    /// Returns nanoseconds since the epoch.
    fn now_ns(&self) -> i64;

    /// Returns what is over after this time.
    fn sleep(&self, time: Duration) -> Sleep;
}

/// The clock of the system.
#[derive(Clone, Copy, Debug, Default)]
pub struct SystemClock;

impl Clock for SystemClock {
    fn now_ns(&self) -> i64 {
        let since = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default();
        i64::try_from(since.as_nanos()).unwrap_or(i64::MAX)
    }

    fn sleep(&self, time: Duration) -> Sleep {
        Box::pin(tokio::time::sleep(time))
    }
}

/// Says how much a line of the log matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum Severity {
    /// Whoever runs the program must look.
    Error,
    /// Something is not as it should be, and the program goes on.
    Warning,
    /// What the program does.
    Info,
    /// What it does, in detail.
    Debug,
}

/// Takes lines of the log.
pub trait Journal: Send + Sync {
    /// Writes a line with fields that are texts.
    fn write(&self, severity: Severity, message: &str, fields: &[(&str, &str)]);
}

/// Makes bundles visible to requests; implemented by whoever serves.
pub trait Activate: Send + Sync {
    /// Parses and merges a bundle.
    ///
    /// # Errors
    ///
    /// What is wrong with the bundle alone.
    fn prepare(&self, name: &str, etag: &str, bundle: Bundle) -> Result<ReadyBundle, BundleFault>;

    /// Makes all changes visible at once, or none.
    ///
    /// # Errors
    ///
    /// Why they cannot be; what was visible before still is.
    fn activate(&self, changes: &[BundleChange]) -> Result<(), BundleFault>;
}
