//! How a synchronous caller waits for work on the runtime, and when it stops waiting.
//!
//! Apart because requests, look-ups and callers that wait for one another all end in the same way: when the
//! evaluation's time is over or its caller has left. It knows nothing of what is waited for.

use std::sync::mpsc::{self, RecvTimeoutError};
use std::time::{Duration, Instant};

use tokio::runtime::Handle;

/// A caller that waits asks this often whether it must stop.
const ASKED_EVERY: Duration = Duration::from_millis(20);

/// Says for how long an evaluation may wait.
pub struct Patience<'a> {
    /// When its time is over.
    pub deadline: Option<Instant>,
    /// Whether it must end for another reason.
    pub cancelled: &'a dyn Fn() -> bool,
}

impl std::fmt::Debug for Patience<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Patience").field("deadline", &self.deadline).finish_non_exhaustive()
    }
}

/// Why a caller got nothing.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Unfinished {
    /// The time of the evaluation is over.
    Late,
    /// The evaluation must end.
    Cancelled,
    /// The work ended by a fault of the program.
    Broken,
}

impl Unfinished {
    /// Returns Go's words.
    pub(crate) fn text(self) -> &'static str {
        match self {
            Self::Late => "context deadline exceeded",
            Self::Cancelled => "context canceled",
            Self::Broken => "the request met a fault of the program",
        }
    }
}

impl Patience<'_> {
    /// Says whether the caller must stop.
    pub(crate) fn ended(&self) -> Option<Unfinished> {
        if self.deadline.is_some_and(|it| Instant::now() >= it) {
            return Some(Unfinished::Late);
        }
        (self.cancelled)().then_some(Unfinished::Cancelled)
    }

    /// Returns how long to wait before the next question.
    pub(crate) fn pause(&self) -> Duration {
        let left = self.deadline.map(|it| it.saturating_duration_since(Instant::now()));
        left.unwrap_or(ASKED_EVERY).min(ASKED_EVERY)
    }

    /// Runs work on the runtime and waits for it; work that nobody waits for any more is dropped.
    pub(crate) fn wait<T: Send + 'static>(
        &self,
        runtime: &Handle,
        work: impl Future<Output = T> + Send + 'static,
    ) -> Result<T, Unfinished> {
        let (sender, receiver) = mpsc::sync_channel(1);
        let task = runtime.spawn(async move {
            // The receiver may have gone; then nobody wants the answer.
            let _ = sender.send(work.await);
        });
        loop {
            match receiver.recv_timeout(self.pause()) {
                Ok(done) => return Ok(done),
                Err(RecvTimeoutError::Disconnected) => return Err(Unfinished::Broken),
                Err(RecvTimeoutError::Timeout) => {
                    if let Some(reason) = self.ended() {
                        task.abort();
                        return Err(reason);
                    }
                }
            }
        }
    }
}
