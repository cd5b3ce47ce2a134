//! What is known of all bundles, for whoever asks.
//!
//! Workers write here and requests read; a lock is held for as long as a line takes to copy.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::status::{Status, string};

/// The status of every configured bundle.
#[derive(Debug, Default)]
pub(crate) struct Board(Mutex<State>);

#[derive(Debug, Default)]
struct State {
    statuses: BTreeMap<String, Status>,
    /// All bundles of the present configuration were active once.
    is_ready: bool,
}

impl Board {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Begins to tell of a bundle; what was known of one of its name stays.
    pub(crate) fn add(&self, name: &str) {
        let mut state = self.lock();
        state.statuses.entry(name.to_owned()).or_default();
        state.is_ready = false;
    }

    /// Forgets a bundle.
    pub(crate) fn remove(&self, name: &str) {
        let mut state = self.lock();
        state.statuses.remove(name);
        state.is_ready |= state.statuses.values().all(Status::is_activated);
    }

    /// Changes what is told of a bundle, if it is still told of.
    pub(crate) fn update(&self, name: &str, change: impl FnOnce(&mut Status)) {
        let mut state = self.lock();
        if let Some(status) = state.statuses.get_mut(name) {
            change(status);
        }
        state.is_ready |= state.statuses.values().all(Status::is_activated);
    }

    /// Says whether all bundles were active at one time.
    pub(crate) fn is_ready(&self) -> bool {
        let state = self.lock();
        state.is_ready || state.statuses.is_empty()
    }

    /// Returns the bundles that are not active.
    pub(crate) fn not_activated(&self) -> Vec<String> {
        let state = self.lock();
        state.statuses.iter().filter(|it| !it.1.is_activated()).map(|it| it.0.clone()).collect()
    }

    /// Returns the object of one; one without times if nothing is known of it.
    pub(crate) fn json_of(&self, name: &str) -> Vec<u8> {
        let mut out = Vec::new();
        let state = self.lock();
        state.statuses.get(name).unwrap_or(&Status::default()).write_json(name, &mut out);
        out
    }

    /// Returns the object of all, by name.
    pub(crate) fn json(&self) -> Vec<u8> {
        let state = self.lock();
        let mut out = b"{".to_vec();
        for (index, (name, status)) in state.statuses.iter().enumerate() {
            if index > 0 {
                out.push(b',');
            }
            string(name, &mut out);
            out.push(b':');
            status.write_json(name, &mut out);
        }
        out.push(b'}');
        out
    }
}
