//! Threads for work of the engine that falls into pieces.
//!
//! Apart because the engine starts no threads itself: it takes what is here by a trait. What the work is, it does not
//! know.

use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, OnceLock};

use lictor::Workers;

/// Memory of a thread's stack.
const STACK_BYTES: usize = 16 << 20;

/// As many threads as there are processors, started for each work and gone behind it.
#[derive(Debug, Default)]
pub(crate) struct Threads {
    /// Found out when there is work: asking the system takes longer than a small policy.
    count: OnceLock<usize>,
}

impl Threads {
    /// Returns them as options take them.
    #[expect(clippy::unnecessary_wraps, reason = "options may have none")]
    pub(crate) fn all() -> Option<Arc<dyn Workers>> {
        Some(Arc::new(Self::default()))
    }
}

impl Workers for Threads {
    fn count(&self) -> usize {
        *self.count.get_or_init(|| std::thread::available_parallelism().map_or(1, NonZeroUsize::get))
    }

    fn run(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
        let next = AtomicUsize::new(0);
        let some = || {
            let take = || Some(next.fetch_add(1, Ordering::Relaxed)).filter(|it| *it < pieces);
            std::iter::from_fn(take).for_each(work);
        };
        std::thread::scope(|scope| {
            for _ in 1..self.count().min(pieces) {
                // Without one more thread those that are there do its work.
                let _ = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, some);
            }
            some();
        });
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use super::*;

    #[test]
    fn each_piece_is_done_once() {
        for count in [1, 4] {
            let done = Mutex::new(vec![0; 100]);
            Threads { count: count.into() }.run(100, &|at| done.lock().expect("no thread fails")[at] += 1);
            assert_eq!(done.into_inner().expect("no thread fails"), [1; 100]);
        }
    }
}
