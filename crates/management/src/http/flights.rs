//! Equal requests at the same time: one goes, the others wait for it.
//!
//! Apart because waiting callers must still notice that their own time is over. Only requests whose answers are kept
//! come here; what the first leaves behind is the cache's concern.

use std::collections::HashMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use crate::waiting::{Patience, Unfinished};

/// The requests under way, by key.
#[derive(Default)]
pub(crate) struct Flights {
    under_way: Mutex<HashMap<Arc<str>, Arc<Flight>>>,
}

#[derive(Default)]
struct Flight {
    landed: Mutex<bool>,
    signal: Condvar,
}

/// A caller's turn. The first of equal requests holds up the others until its turn ends.
pub(crate) enum Turn<'a> {
    First { flights: &'a Flights, key: Arc<str> },
    Later,
}

impl Turn<'_> {
    /// Says whether another request ended just before.
    pub(crate) fn waited(&self) -> bool {
        matches!(self, Self::Later)
    }
}

impl Drop for Turn<'_> {
    fn drop(&mut self) {
        let Self::First { flights, key } = self else { return };
        let flight = lock(&flights.under_way).remove(key);
        if let Some(flight) = flight {
            *lock(&flight.landed) = true;
            flight.signal.notify_all();
        }
    }
}

impl Flights {
    /// Waits while an equal request is under way. Those who waited do not wait again, nor for one another.
    pub(crate) fn join(&self, key: &str, patience: &Patience<'_>) -> Result<Turn<'_>, Unfinished> {
        let mut under_way = lock(&self.under_way);
        let Some(flight) = under_way.get(key).cloned() else {
            let key: Arc<str> = key.into();
            under_way.insert(Arc::clone(&key), Arc::default());
            return Ok(Turn::First { flights: self, key });
        };
        drop(under_way);
        let mut landed = lock(&flight.landed);
        while !*landed {
            if let Some(reason) = patience.ended() {
                return Err(reason);
            }
            let waited = flight.signal.wait_timeout(landed, patience.pause());
            landed = waited.unwrap_or_else(PoisonError::into_inner).0;
        }
        Ok(Turn::Later)
    }
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
