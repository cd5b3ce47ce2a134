//! What a serving thread owns, and what all of them share.
//!
//! A thread prepares what it is asked for on its own and keeps it, so that a decision meets no lock. Its memory is
//! thrown away after a panic: nobody knows what it holds.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

use lictor::{Composition, Faults, Host, Policy, Query, Session};

use crate::config::Config;
use crate::facts::{Facts, Nothing, PluginState};
use crate::generation::{Generation, Generations};
use crate::waiting::Waiting;

/// How many paths a thread keeps prepared.
const PREPARED_MAX: usize = 1_024;

/// Is what a server starts from.
#[derive(Debug)]
pub struct Start {
    /// The policy, with its data.
    pub policy: Policy,
    /// What the policy is made of, and with which it may be made anew.
    pub composition: Composition,
}

/// Is what all threads share.
pub(crate) struct Shared {
    pub(crate) config: Config,
    pub(crate) generations: Generations,
    pub(crate) host: Arc<dyn Host>,
    pub(crate) waiting: Waiting,
    facts: OnceLock<Arc<dyn Facts>>,
    /// Everything beside the server was as it should be at one time.
    were_plugins_ready: AtomicBool,
    requests: AtomicU64,
    panics: AtomicU64,
}

impl Shared {
    pub(crate) fn new(config: Config, start: Start, host: Arc<dyn Host>) -> Self {
        let generations = Generations::new(start.policy, start.composition);
        let (requests, panics) = (AtomicU64::new(0), AtomicU64::new(0));
        let (facts, were_plugins_ready) = (OnceLock::new(), AtomicBool::new(false));
        let waiting = Waiting::default();
        Self { config, generations, host, waiting, facts, were_plugins_ready, requests, panics }
    }

    /// Returns who knows what runs beside the server.
    pub(crate) fn facts(&self) -> &dyn Facts {
        self.facts.get().map_or(&Nothing, |it| &**it)
    }

    /// Says who knows what runs beside the server; the first word counts.
    pub(crate) fn set_facts(&self, facts: Arc<dyn Facts>) {
        drop(self.facts.set(facts));
    }

    /// Says whether all plugins of a list are as they should be, or all were at one time.
    pub(crate) fn plugins_ready(&self, plugins: &[(String, PluginState)]) -> bool {
        if plugins.iter().all(|it| it.1 == PluginState::Ok) {
            self.were_plugins_ready.store(true, Ordering::Relaxed);
        }
        self.were_plugins_ready.load(Ordering::Relaxed)
    }

    /// Returns the number of a new request, from 1.
    pub(crate) fn next_request(&self) -> u64 {
        self.requests.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Counts a request that panicked and returns how many did.
    pub(crate) fn count_panic(&self) -> u64 {
        self.panics.fetch_add(1, Ordering::Relaxed) + 1
    }

    /// Returns how many requests panicked.
    pub(crate) fn panics(&self) -> u64 {
        self.panics.load(Ordering::Relaxed)
    }
}

/// Is what a thread has prepared, by path and whether built-in errors are fatal.
type Prepared = HashMap<(bool, Box<str>), Rc<Target>>;

/// Is what one thread owns.
pub(crate) struct Core {
    pub(crate) shared: Arc<Shared>,
    host: Arc<dyn Host>,
    /// Whether nobody else waits when a decision does.
    may_wait: bool,
    session: RefCell<Session>,
    generation: RefCell<Arc<Generation>>,
    /// Prepared for that generation.
    prepared: RefCell<Prepared>,
}

/// Says that a decision may wait and must be taken elsewhere.
#[derive(Clone, Copy, Debug)]
pub(crate) struct MayWait;

/// Is a path, prepared.
pub(crate) struct Target {
    pub(crate) query: Query,
    /// Keys that lead on from the query's value: those from the first whole number on.
    pub(crate) rest: Vec<String>,
}

impl Core {
    pub(crate) fn new(shared: Arc<Shared>) -> Self {
        let host = Arc::clone(&shared.host);
        Self { may_wait: false, ..Self::waiting(shared, host) }
    }

    /// Returns the core of a thread that may wait for something outside.
    pub(crate) fn waiting(shared: Arc<Shared>, host: Arc<dyn Host>) -> Self {
        let session = RefCell::new(Session::new(Arc::clone(&host)));
        let generation = RefCell::new(shared.generations.current());
        Self { shared, host, may_wait: true, session, generation, prepared: RefCell::default() }
    }

    /// Refuses to take a decision here that others would have to wait for.
    pub(crate) fn check_waiting(&self, query: &Query) -> Result<(), MayWait> {
        if query.may_block() && !self.may_wait { Err(MayWait) } else { Ok(()) }
    }

    /// Refuses to do here what others would have to wait for.
    pub(crate) fn must_wait(&self) -> Result<(), MayWait> {
        if self.may_wait { Ok(()) } else { Err(MayWait) }
    }

    /// Goes on to the present generation; done between requests, so that each sees one.
    pub(crate) fn refresh(&self) {
        if self.shared.generations.is_after(&self.generation.borrow()) {
            // What was prepared holds the old data: it goes first, so that this thread is never the last to hold them.
            self.prepared.take();
            self.generation.replace(self.shared.generations.current());
        }
    }

    /// Returns the generation of this request.
    pub(crate) fn generation(&self) -> Arc<Generation> {
        Arc::clone(&self.generation.borrow())
    }

    /// Lends the thread's memory to a decision.
    pub(crate) fn with_session<R>(&self, work: impl FnOnce(&mut Session) -> R) -> R {
        work(&mut self.session.borrow_mut())
    }

    /// Gives the thread new memory.
    pub(crate) fn renew(&self) {
        self.session.replace(Session::new(Arc::clone(&self.host)));
        self.prepared.take();
    }

    /// Returns the document at a path below `data`; also whether it was prepared before. `path` is what it is known
    /// by, `keys` takes it apart.
    pub(crate) fn target(
        &self,
        path: &str,
        strict: bool,
        keys: impl FnOnce() -> Vec<String>,
    ) -> Result<(Rc<Target>, bool), Faults> {
        let name: (bool, Box<str>) = (strict, path.into());
        if let Some(known) = self.prepared.borrow().get(&name) {
            return Ok((Rc::clone(known), true));
        }
        let mut keys = keys();
        // A whole number may be an index, which no document's name is.
        let whole = keys.iter().position(|it| it.parse::<i64>().is_ok()).unwrap_or(keys.len());
        let rest = keys.split_off(whole);
        let keys: Vec<&str> = keys.iter().map(String::as_str).collect();
        let generation = self.generation.borrow();
        let policy = if strict { &generation.strict_policy } else { &generation.policy };
        let target = Rc::new(Target { query: policy.prepare_keys(&keys)?, rest });
        let mut prepared = self.prepared.borrow_mut();
        if prepared.len() >= PREPARED_MAX {
            prepared.clear();
        }
        prepared.insert(name, Rc::clone(&target));
        Ok((target, false))
    }
}
