//! Who does work that falls into independent pieces.
//!
//! Apart because nothing here starts threads: whoever has some hands them in, and without them the caller does one
//! piece after the other. It knows nothing of what the work is.

use std::{fmt::Debug, ops::Range, sync::OnceLock};

/// Does pieces of work, perhaps on several threads.
pub trait Workers: Debug + Send + Sync {
    /// Returns how many pieces are done at a time.
    fn count(&self) -> usize;

    /// Calls `work` with each number below `pieces`, in any order, and returns when all are done.
    fn run(&self, pieces: usize, work: &(dyn Fn(usize) + Sync));
}

/// Pieces for each worker, so that those who are done early find another one.
const PIECES_EACH: usize = 8;

/// Works on parts of a list of things, each at least so long, and returns what came of them in their order.
pub(crate) fn map_parts<R: Send + Sync>(
    workers: Option<&dyn Workers>,
    (count, part_min): (usize, usize),
    work: &(dyn Fn(Range<usize>) -> R + Sync),
) -> Vec<R> {
    let Some(workers) = workers.filter(|it| count > part_min && it.count() > 1) else {
        return vec![work(0..count)];
    };
    let size = (count / workers.count() / PIECES_EACH).max(part_min);
    let part = |at: usize| at * size..count.min((at + 1) * size);
    let done: Vec<OnceLock<R>> = (0..count.div_ceil(size)).map(|_| OnceLock::new()).collect();
    workers.run(done.len(), &|at| {
        if let Some(place) = done.get(at) {
            place.get_or_init(|| work(part(at)));
        }
    });
    // Nothing is left out, whatever the workers did.
    let all = done.into_iter().enumerate();
    all.map(|(at, it)| it.into_inner().unwrap_or_else(|| work(part(at)))).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Does the last pieces first, and leaves one out.
    #[derive(Debug)]
    struct Backwards;

    impl Workers for Backwards {
        fn count(&self) -> usize {
            2
        }

        fn run(&self, pieces: usize, work: &(dyn Fn(usize) + Sync)) {
            (1..pieces).rev().for_each(work);
        }
    }

    #[test]
    fn parts_come_in_order_and_none_is_missing() {
        for count in [0, 1, 3, 4, 100, 101] {
            let parts = map_parts(Some(&Backwards), (count, 3), &|part| part);
            assert!(parts.iter().cloned().flatten().eq(0..count), "{parts:?}");
            let alone = map_parts(None, (count, 3), &|part| part);
            assert!(alone.len() == 1 && alone.into_iter().flatten().eq(0..count));
        }
    }
}
