//! Brings bundles that are ready to whoever serves: those that came while one activation ran go together.
//!
//! Compiling costs what all modules cost, so that many bundles at once must not be compiled one by one. If they do not
//! fit together each is tried alone, as one bad bundle must not keep others from serving.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use lictor::{BundleChange, BundleFault};
use tokio::sync::{mpsc, oneshot};
use tokio::task::spawn_blocking;

use crate::surroundings::Activate;

/// Is a change that waits, and who wants to know.
struct Waiting {
    change: BundleChange,
    /// Says no once nobody wants the change any more.
    wanted: Arc<AtomicBool>,
    reply: oneshot::Sender<Result<(), BundleFault>>,
}

/// Takes changes from anywhere.
#[derive(Clone)]
pub(crate) struct Queue(mpsc::UnboundedSender<Waiting>);

impl Queue {
    /// Returns a queue and starts what empties it, on the runtime that this is called on.
    pub(crate) fn start(activate: Arc<dyn Activate>) -> Self {
        let (sender, receiver) = mpsc::unbounded_channel();
        tokio::spawn(empty(receiver, activate));
        Self(sender)
    }

    /// Returns once the change is visible, or cannot be.
    pub(crate) async fn take(
        &self,
        change: BundleChange,
        wanted: Arc<AtomicBool>,
    ) -> Result<(), BundleFault> {
        let stopped = || BundleFault::Text("the server is stopping".to_owned());
        let (reply, receiver) = oneshot::channel();
        self.0.send(Waiting { change, wanted, reply }).map_err(|_| stopped())?;
        receiver.await.unwrap_or_else(|_| Err(stopped()))
    }
}

async fn empty(mut receiver: mpsc::UnboundedReceiver<Waiting>, activate: Arc<dyn Activate>) {
    while let Some(first) = receiver.recv().await {
        let mut together = vec![first];
        while let Ok(more) = receiver.try_recv() {
            together.push(more);
        }
        together.retain(|it| it.wanted.load(Ordering::Acquire));
        let changes: Vec<BundleChange> = together.iter().map(|it| it.change.clone()).collect();
        let activate = Arc::clone(&activate);
        let outcomes = spawn_blocking(move || take_all(&*activate, &changes)).await.unwrap_or_default();
        for (waiting, outcome) in together.into_iter().zip(outcomes) {
            // Whoever asked may have gone.
            let _ = waiting.reply.send(outcome);
        }
    }
}

/// Makes changes visible, all at once if they fit together, else as many as do.
pub(crate) fn take_all(activate: &dyn Activate, changes: &[BundleChange]) -> Vec<Result<(), BundleFault>> {
    if changes.is_empty() {
        return Vec::new();
    }
    let together = activate.activate(changes);
    if changes.len() <= 1 || together.is_ok() {
        return changes.iter().map(|_| together.clone()).collect();
    }
    let mut outcomes: Vec<Result<(), BundleFault>> = changes.iter().map(|_| together.clone()).collect();
    loop {
        // One that failed may have waited for another.
        let mut is_better = false;
        for (change, outcome) in changes.iter().zip(&mut outcomes).filter(|it| it.1.is_err()) {
            *outcome = activate.activate(std::slice::from_ref(change));
            is_better |= outcome.is_ok();
        }
        if !is_better || outcomes.iter().all(Result::is_ok) {
            return outcomes;
        }
    }
}
