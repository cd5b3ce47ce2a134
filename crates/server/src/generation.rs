//! The policy and data that requests see, one generation at a time.
//!
//! A write makes the next generation aside and swaps one pointer; a request sees one from start to end. Reading takes no
//! lock: a thread looks at a number and fetches the generation only when that has changed. Old ones are freed on a
//! thread of their own, once nobody holds them. What may be written is decided by endpoints.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use lictor::{Policy, Snapshot};
use tokio::sync::watch;

/// How long the thread that frees waits before it looks again whether a generation is still in use.
const LOOK_AGAIN: Duration = Duration::from_millis(10);

/// One state of the world.
pub(crate) struct Generation {
    /// Counts from 1.
    number: u64,
    pub(crate) data: Snapshot,
    pub(crate) policy: Policy,
    pub(crate) strict_policy: Policy,
}

impl Generation {
    fn after(&self, data: Snapshot) -> Self {
        let policy = self.policy.with_data(data.document().clone());
        let strict_policy = self.strict_policy.with_data(data.document().clone());
        Self { number: self.number + 1, data, policy, strict_policy }
    }
}

/// The present generation, and the way to the next.
pub(crate) struct Generations {
    current: Mutex<Arc<Generation>>,
    number: AtomicU64,
    /// Held by who writes.
    writing: Mutex<()>,
    changed: watch::Sender<u64>,
    retired: Mutex<Option<Sender<Arc<Generation>>>>,
}

impl Generations {
    pub(crate) fn new(policy: Policy) -> Self {
        let strict_policy = policy.with_strict_builtin_errors(true);
        let data = Snapshot::new(policy.document());
        let first = Generation { number: 1, data, policy, strict_policy };
        Self {
            current: Mutex::new(Arc::new(first)),
            number: AtomicU64::new(1),
            writing: Mutex::default(),
            changed: watch::Sender::new(1),
            retired: Mutex::default(),
        }
    }

    pub(crate) fn current(&self) -> Arc<Generation> {
        Arc::clone(&self.current.lock().unwrap_or_else(PoisonError::into_inner))
    }

    /// Says whether another generation has come.
    pub(crate) fn is_after(&self, generation: &Generation) -> bool {
        self.number.load(Ordering::Acquire) != generation.number
    }

    /// Tells of every change, for threads that hold a generation and have no request.
    pub(crate) fn changes(&self) -> watch::Receiver<u64> {
        self.changed.subscribe()
    }

    /// Writes data: `write` makes the next snapshot of the present generation, or refuses. Writers come one by one.
    pub(crate) fn write<E>(
        &self,
        write: impl FnOnce(&Generation) -> Result<Snapshot, E>,
        check: impl FnOnce(&Policy) -> Result<(), E>,
    ) -> Result<(), E> {
        let guard = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let current = self.current();
        let next = current.after(write(&current)?);
        check(&next.policy)?;
        let number = next.number;
        let old = {
            let mut place = self.current.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *place, Arc::new(next))
        };
        self.number.store(number, Ordering::Release);
        self.changed.send_replace(number);
        drop(current);
        self.retire(old);
        drop(guard);
        Ok(())
    }

    /// Frees a generation elsewhere, after its last user.
    fn retire(&self, old: Arc<Generation>) {
        let mut retired = self.retired.lock().unwrap_or_else(PoisonError::into_inner);
        let sender = retired.get_or_insert_with(|| {
            let (sender, receiver) = mpsc::channel();
            // Without a thread the receiver is gone, and what is sent is freed here.
            drop(thread::Builder::new().name("retired".to_owned()).spawn(move || free(&receiver)));
            sender
        });
        drop(sender.send(old));
    }
}

fn free(retired: &Receiver<Arc<Generation>>) {
    while let Ok(old) = retired.recv() {
        while Arc::strong_count(&old) > 1 {
            thread::sleep(LOOK_AGAIN);
        }
        drop(old);
    }
}
