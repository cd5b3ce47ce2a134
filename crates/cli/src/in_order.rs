//! Work on many things by several threads, whose results are taken in the order of the things.
//!
//! Apart because formatting, and whatever else goes through files one by one, wants all processors and an output
//! that does not show it. It knows nothing of files; what is done and what becomes of the results is handed in.

use std::collections::BTreeMap;
use std::num::NonZeroUsize;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

/// Things that a thread takes at once.
const CHUNK: usize = 16;
/// Chunks that may wait to be taken before threads wait too.
const WAITING_MAX: usize = 64;
/// Memory of a thread's stack.
const STACK_BYTES: usize = 16 << 20;

/// Does the work on each item and hands the results on in order, until one is answered with a fault.
pub(crate) fn map_in_order<T: Sync, R: Send, F>(
    items: &[T],
    work: impl Fn(&T) -> R + Sync,
    mut take: impl FnMut(R) -> Result<(), F>,
) -> Result<(), F> {
    let queue = Queue { items, work, next: AtomicUsize::new(0) };
    let chunks = items.len().div_ceil(CHUNK);
    // Few things are done before the system has told how many processors there are.
    let processors = (chunks > 1).then(|| std::thread::available_parallelism().ok()).flatten();
    let threads = processors.map_or(1, NonZeroUsize::get).min(chunks);
    let (sender, receiver) = sync_channel(WAITING_MAX);
    std::thread::scope(|scope| {
        for _ in 1..threads {
            let (sender, queue) = (sender.clone(), &queue);
            let run = move || queue.send_all(&sender);
            // Without one more thread those that are there do its work.
            let _ = std::thread::Builder::new().stack_size(STACK_BYTES).spawn_scoped(scope, run);
        }
        drop(sender);
        // It goes when this ends, and with it the threads that would still send.
        let receiver = receiver;
        let taken = queue.take_all(&receiver, &mut take);
        queue.next.store(items.len(), Ordering::Relaxed);
        taken
    })
}

struct Queue<'i, T, W> {
    items: &'i [T],
    work: W,
    /// The first item that nobody has begun.
    next: AtomicUsize,
}

impl<T, R, W: Fn(&T) -> R> Queue<'_, T, W> {
    /// Works on the next chunk, and tells where it begins; none if all are begun.
    fn chunk(&self) -> Option<(usize, Vec<R>)> {
        let start = self.next.fetch_add(CHUNK, Ordering::Relaxed);
        let end = self.items.len().min(start.saturating_add(CHUNK));
        let items = self.items.get(start..end).filter(|it| !it.is_empty())?;
        Some((start, items.iter().map(&self.work).collect()))
    }

    fn send_all(&self, sender: &SyncSender<(usize, Vec<R>)>) {
        while let Some(chunk) = self.chunk() {
            if sender.send(chunk).is_err() {
                return;
            }
        }
    }

    /// Works too, and takes what is there of all threads between chunks.
    fn take_all<F>(
        &self,
        receiver: &Receiver<(usize, Vec<R>)>,
        take: &mut impl FnMut(R) -> Result<(), F>,
    ) -> Result<(), F> {
        let mut waiting = BTreeMap::new();
        let mut at = 0;
        while at < self.items.len() {
            match self.chunk() {
                Some((start, results)) => {
                    waiting.insert(start, results);
                    waiting.extend(receiver.try_iter());
                }
                None => waiting.extend(receiver.recv()),
            }
            while let Some(results) = waiting.remove(&at) {
                at += results.len();
                results.into_iter().try_for_each(&mut *take)?;
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_come_in_order_until_a_fault() {
        let items: Vec<usize> = (0..1000).collect();
        let mut taken = Vec::new();
        let mut take = |it: usize| {
            taken.push(it);
            if it == 1500 { Err(it) } else { Ok(()) }
        };
        assert_eq!(map_in_order(&items, |it| it * 2, &mut take), Err(1500));
        assert_eq!(map_in_order(&items, |it| it + 4000, &mut take), Ok(()));
        assert!(taken.into_iter().eq((0..=750).map(|it| it * 2).chain(4000..5000)));
        assert_eq!(map_in_order(&[], |(): &()| (), |()| Err(())), Ok(()));
    }
}
