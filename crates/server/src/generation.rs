//! The policy and data that requests see, one generation at a time.
//!
//! A write makes the next generation aside and swaps one pointer; a request sees one from start to end. Reading takes no
//! lock: a thread looks at a number and fetches the generation only when that has changed. Old ones are freed on a
//! thread of their own, once nobody holds them. What may be written is decided by endpoints, which bundles are active
//! by whoever holds an [`Activator`]; modules are compiled while data is still written.

use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc::{self, Receiver, Sender};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;
use std::time::Duration;

use lictor::bundle::Bundle;
use lictor::{ActiveBundle, BundleChange, BundleFault, Composition, Policy, ReadyBundle, Snapshot, Step};
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
    /// The bundles that are active, whose documents only they change.
    pub(crate) bundles: Arc<[ActiveBundle]>,
}

impl Generation {
    fn after(&self, data: Snapshot) -> Self {
        let policy = self.policy.with_data(data.document().clone());
        let strict_policy = self.strict_policy.with_data(data.document().clone());
        Self { number: self.number + 1, data, policy, strict_policy, bundles: Arc::clone(&self.bundles) }
    }

    /// Returns the generation behind a step; `strict_policy` is that of the step's policy, if it has one.
    fn after_step(&self, step: &Step, strict_policy: Option<&Policy>) -> Result<Self, BundleFault> {
        let data = step.data(&self.data)?;
        let mut next = self.after(data);
        if let (Some(policy), Some(strict_policy)) = (step.policy(), strict_policy) {
            next.policy = policy.with_data(next.data.document().clone());
            next.strict_policy = strict_policy.with_data(next.data.document().clone());
        }
        next.policy.check_data().map_err(BundleFault::Rego)?;
        next.bundles = step.composition().active().into();
        Ok(next)
    }
}

/// The present generation, and the way to the next.
pub(crate) struct Generations {
    current: Mutex<Arc<Generation>>,
    number: AtomicU64,
    /// Parses bundles by options that never change, beside whoever holds `composition`.
    parser: Composition,
    /// What the present policy is made of; held by who changes that, and locked before `writing`.
    composition: Mutex<Composition>,
    /// Held by who writes, and no longer than that takes.
    writing: Mutex<()>,
    changed: watch::Sender<u64>,
    retired: Mutex<Option<Sender<Arc<Generation>>>>,
}

impl Generations {
    pub(crate) fn new(policy: Policy, composition: Composition) -> Self {
        let strict_policy = policy.with_strict_builtin_errors(true);
        let data = Snapshot::new(policy.document());
        let bundles = composition.active().into();
        let first = Generation { number: 1, data, policy, strict_policy, bundles };
        Self {
            current: Mutex::new(Arc::new(first)),
            number: AtomicU64::new(1),
            parser: composition.clone(),
            composition: Mutex::new(composition),
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
        self.swap(next);
        drop(current);
        drop(guard);
        Ok(())
    }

    /// Prepares a bundle, as the present options for modules have it.
    pub(crate) fn prepare(&self, name: &str, etag: &str, bundle: Bundle) -> Result<ReadyBundle, BundleFault> {
        self.parser.prepare(name, etag, bundle)
    }

    /// Makes all changes of bundles visible at once, or none of them.
    pub(crate) fn activate(&self, changes: &[BundleChange]) -> Result<(), BundleFault> {
        let mut composition = self.composition.lock().unwrap_or_else(PoisonError::into_inner);
        let step = composition.after(changes)?;
        let strict_policy = step.policy().map(|it| it.with_strict_builtin_errors(true));
        if let (Some(policy), Some(strict_policy)) = (step.policy(), &strict_policy) {
            let current = self.current();
            policy.prepare_like(&current.policy);
            strict_policy.prepare_like(&current.strict_policy);
        }
        let guard = self.writing.lock().unwrap_or_else(PoisonError::into_inner);
        let next = self.current().after_step(&step, strict_policy.as_ref())?;
        self.swap(next);
        drop(guard);
        *composition = step.into_composition();
        Ok(())
    }

    /// Puts the next generation in the place of the present one.
    fn swap(&self, next: Generation) {
        let number = next.number;
        let old = {
            let mut place = self.current.lock().unwrap_or_else(PoisonError::into_inner);
            std::mem::replace(&mut *place, Arc::new(next))
        };
        self.number.store(number, Ordering::Release);
        self.changed.send_replace(number);
        self.retire(old);
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
