//! Bundles of a configuration: downloaded, watched, activated, kept on disk, and told of.
//!
//! [`Bundles`] holds a small runtime with a worker a bundle (`worker`); what a service is asked and answers is in
//! `download`, what is on disk in `persist` and `read`. Bundles that are ready go through one `queue` to whoever
//! serves, which is known here as [`Activate`] alone. Nothing here decides what a configuration is or where it comes
//! from.

mod board;
mod chain;
pub mod config;
mod download;
mod pace;
mod persist;
mod queue;
mod read;
mod status;
pub(crate) mod worker;

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lictor::BundleChange;
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use tokio::task::AbortHandle;

use crate::services::{Client, Random};
use crate::surroundings::{Activate, Clock, Journal, Severity};

use board::Board;
use config::{BundleConfig, BundlesConfig, Source};
use persist::Shelf;
use queue::{Queue, take_all};
use read::Reading;
use status::Trouble;
use worker::{Shared, Words, Worker, kind};

/// Threads that drive downloads; they never block.
const THREADS: usize = 2;
/// Bundles that are read at the same time.
const READING_MAX: usize = 4;

/// What the plugin is handed.
#[derive(Clone)]
pub struct Surroundings {
    /// Makes bundles visible.
    pub activate: Arc<dyn Activate>,
    /// Tells the time.
    pub clock: Arc<dyn Clock>,
    /// Fills bytes with chance.
    pub random: Random,
    /// Takes lines of the log.
    pub journal: Arc<dyn Journal>,
    /// Where what outlives the process is kept.
    pub persistence_directory: PathBuf,
}

impl fmt::Debug for Surroundings {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Surroundings")
            .field("persistence_directory", &self.persistence_directory)
            .finish_non_exhaustive()
    }
}

/// Keeps the bundles of a configuration up to date, until it is dropped.
pub struct Bundles {
    shared: Arc<Shared>,
    running: Mutex<BTreeMap<String, Running>>,
    runtime: Option<Runtime>,
}

/// Is a bundle with its worker.
struct Running {
    config: BundleConfig,
    wanted: Arc<AtomicBool>,
    /// Absent if nobody looks for new ones.
    worker: Option<AbortHandle>,
}

impl fmt::Debug for Bundles {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Bundles").finish_non_exhaustive()
    }
}

impl Bundles {
    /// Returns a plugin without bundles.
    ///
    /// # Errors
    ///
    /// The system has no threads for it.
    pub fn new(surroundings: Surroundings) -> std::io::Result<Self> {
        Self::with_words(surroundings, &worker::BUNDLE)
    }

    /// Returns a plugin whose log has these words.
    pub(crate) fn with_words(surroundings: Surroundings, words: &'static Words) -> std::io::Result<Self> {
        let mut builder = Builder::new_multi_thread();
        builder.worker_threads(THREADS).thread_name("bundles").enable_all();
        let runtime = builder.build()?;
        let guard = runtime.enter();
        let queue = Queue::start(Arc::clone(&surroundings.activate));
        drop(guard);
        let shared = Shared {
            words,
            activate: surroundings.activate,
            clock: surroundings.clock,
            random: surroundings.random,
            journal: surroundings.journal,
            shelf: Shelf::below(&surroundings.persistence_directory),
            mapped: Mutex::default(),
            board: Board::default(),
            queue,
            reading: Semaphore::new(READING_MAX),
        };
        Ok(Self { shared: Arc::new(shared), running: Mutex::default(), runtime: Some(runtime) })
    }

    /// Activates what is kept of these bundles on disk, and returns when that is done; to be called once, before
    /// [`Self::configure`].
    pub fn load_persisted(&self, config: &BundlesConfig) {
        let shared = &self.shared;
        let mut changes = Vec::new();
        for (name, bundle) in config.iter().filter(|it| is_kept(it.1)) {
            shared.board.add(name);
            match self.read_persisted(name, bundle) {
                Ok(None) => {}
                Ok(Some(change)) => changes.push(change),
                Err(trouble) => {
                    shared.log(Severity::Error, name, &format!("{}: {trouble}", shared.words.disk_failed));
                    shared.board.update(name, |status| status.trouble = Some(trouble));
                }
            }
        }
        let outcomes = take_all(&*shared.activate, &changes);
        for (change, outcome) in changes.iter().zip(outcomes) {
            let BundleChange::Activate(ready) = change else { continue };
            let now_ns = shared.clock.now_ns();
            match outcome {
                Ok(()) => {
                    let message = "Bundle loaded from disk and activated successfully.";
                    shared.log(Severity::Debug, ready.name(), message);
                    shared.board.update(ready.name(), |status| {
                        status.kind = kind(ready);
                        status.last_activation_ns = Some(now_ns);
                        ready.manifest().revision.clone_into(&mut status.active_revision);
                    });
                    if let Some(bundle) = config.get(ready.name()) {
                        self.replay(ready.name(), bundle);
                    }
                }
                Err(fault) => {
                    shared.log(
                        Severity::Error,
                        ready.name(),
                        &format!("{}: {fault}", shared.words.activation_failed),
                    );
                    shared.board.update(ready.name(), |status| status.trouble = Some(fault.into()));
                }
            }
        }
    }

    /// Activates the deltas that were kept since a bundle, up to the first that cannot be; that and all behind it are
    /// forgotten. The whole bundle is asked for next in any case.
    fn replay(&self, name: &str, config: &BundleConfig) {
        let shared = &self.shared;
        let failed = |message: &str| {
            shared.log(Severity::Error, name, &format!("{}: {message}", shared.words.disk_failed));
        };
        let deltas = match shared.shelf.deltas(name) {
            Ok(deltas) => deltas,
            Err(message) => return failed(&message),
        };
        for (count, delta) in deltas.iter().enumerate() {
            if let Err(trouble) = self.replay_one(name, config, delta) {
                failed(&trouble.to_string());
                if let Err(message) = shared.shelf.cut_deltas(name, count) {
                    failed(&message);
                }
                return;
            }
        }
    }

    fn replay_one(&self, name: &str, config: &BundleConfig, delta: &[u8]) -> Result<(), Trouble> {
        let reading = Reading { trust: config.trust.clone(), size_limit_bytes: config.size_limit_bytes };
        let ready = Arc::new(self.shared.activate.prepare(name, "", reading.archive(delta)?)?);
        if !ready.is_delta() {
            return Err(Trouble::Text("a whole bundle is kept among deltas".to_owned()));
        }
        self.shared.activate.activate(&[BundleChange::Activate(Arc::clone(&ready))])?;
        self.shared.board.update(name, |status| {
            status.kind = kind(&ready);
            ready.manifest().revision.clone_into(&mut status.active_revision);
        });
        Ok(())
    }

    fn read_persisted(&self, name: &str, config: &BundleConfig) -> Result<Option<BundleChange>, Trouble> {
        let Some(file) = self.shared.shelf.open(name)? else { return Ok(None) };
        let reading = Reading { trust: config.trust.clone(), size_limit_bytes: config.size_limit_bytes };
        let snapshot = self.shared.shelf.open_snapshot(name).filter(|_| reading.takes_snapshots());
        let bundle = match snapshot.map(|it| reading.snapshot(&it)) {
            Some(Ok(bundle)) => {
                let mut mapped = self.shared.mapped.lock().unwrap_or_else(PoisonError::into_inner);
                mapped.extend(bundle.data.first().map(|it| (name.to_owned(), it.document.clone())));
                bundle
            }
            // Whatever is wrong with it, the archive is there.
            Some(Err(message)) => {
                self.shared.shelf.drop_snapshot(name);
                self.shared.log(Severity::Warning, name, &message);
                reading.archive(file)?
            }
            None => reading.archive(file)?,
        };
        let ready = self.shared.activate.prepare(name, "", bundle)?;
        Ok(Some(BundleChange::Activate(Arc::new(ready))))
    }

    /// Goes on with these bundles: new ones are started, changed ones started anew, and those that are not among them
    /// stopped and deactivated. `clients` has a client for each service that is named.
    pub fn configure(&self, config: &BundlesConfig, clients: &BTreeMap<String, Client>) {
        self.configure_anew(config, clients, &BTreeSet::new());
    }

    /// Does the same, and starts bundles anew that come from one of these services.
    pub(crate) fn configure_anew(
        &self,
        config: &BundlesConfig,
        clients: &BTreeMap<String, Client>,
        changed: &BTreeSet<String>,
    ) {
        let mut running = self.lock();
        let gone: Vec<String> = running.keys().filter(|it| !config.contains_key(*it)).cloned().collect();
        for name in gone {
            let message = "Bundle loader configuration removed. Stopping bundle loader.";
            self.shared.log(Severity::Info, &name, message);
            if let Some(old) = running.remove(&name) {
                old.stop();
            }
            self.shared.board.remove(&name);
            self.deactivate(name);
        }
        for (name, bundle) in config {
            let message = match running.get(name) {
                Some(old) if old.config == *bundle && !comes_from(bundle, changed) => continue,
                Some(old) => {
                    old.stop();
                    "Bundle loader configuration changed. Restarting bundle loader."
                }
                None => "Starting bundle loader.",
            };
            if self.shared.words.tells_workers {
                self.shared.log(Severity::Info, name, message);
            }
            running.insert(name.clone(), self.start(name, bundle, clients));
        }
    }

    /// Starts the worker of a bundle.
    fn start(&self, name: &str, config: &BundleConfig, clients: &BTreeMap<String, Client>) -> Running {
        if matches!(&config.trust, lictor::bundle::Trust::Signed(it) if it.optional) {
            self.shared.log(Severity::Warning, name, OPTIONAL_SIGNATURE);
        }
        self.shared.board.add(name);
        let wanted = Arc::new(AtomicBool::new(true));
        let client = match &config.source {
            Source::Service { service, .. } => clients.get(service).cloned(),
            Source::File(_) => None,
        };
        let shared = Arc::clone(&self.shared);
        let worker = Worker::new(name, config.clone(), client, Arc::clone(&wanted), shared);
        let worker = worker.filter(|_| !config.polling.is_manual);
        let worker =
            worker.zip(self.runtime.as_ref()).map(|(it, runtime)| runtime.spawn(it.run()).abort_handle());
        Running { config: config.clone(), wanted, worker }
    }

    /// Takes a bundle away from whoever serves. If others need it, it stays and that is told.
    fn deactivate(&self, name: String) {
        let Some(runtime) = &self.runtime else { return };
        let shared = Arc::clone(&self.shared);
        runtime.spawn(async move {
            let change = BundleChange::Deactivate(name.clone());
            if let Err(fault) = shared.queue.take(change, Arc::new(AtomicBool::new(true))).await {
                shared.log(Severity::Error, &name, &format!("Failed to deactivate bundle: {fault}"));
            }
        });
    }

    /// Returns the names of bundles that are not active, in order.
    #[must_use]
    pub fn not_activated(&self) -> Vec<String> {
        self.shared.board.not_activated()
    }

    /// Says whether all bundles were active at one time.
    #[must_use]
    pub fn is_ready(&self) -> bool {
        self.shared.board.is_ready()
    }

    /// Returns what is known of the bundles, as the object that OPA's status has for them.
    #[must_use]
    pub fn status_json(&self) -> Vec<u8> {
        self.shared.board.json()
    }

    /// Returns what is known of one bundle, as an object.
    pub(crate) fn status_of(&self, name: &str) -> Vec<u8> {
        self.shared.board.json_of(name)
    }

    fn lock(&self) -> MutexGuard<'_, BTreeMap<String, Running>> {
        self.running.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Running {
    /// Ends the worker; what it has under way is not activated any more.
    fn stop(&self) {
        self.wanted.store(false, Ordering::Release);
        if let Some(worker) = &self.worker {
            worker.abort();
        }
    }
}

impl Drop for Bundles {
    fn drop(&mut self) {
        // Whoever drops this may itself be on a runtime, where waiting for threads is not allowed.
        if let Some(runtime) = self.runtime.take() {
            runtime.shutdown_background();
        }
    }
}

/// What is told of bundles whose signature need not be there.
const OPTIONAL_SIGNATURE: &str = "Keys are configured but no \"signing\" block is set for this bundle: a signature is \
     verified when present, but a bundle without a .signatures.json file is accepted. Add a \"signing\" block to \
     require signatures.";

/// Says whether a bundle comes from one of these services.
fn comes_from(config: &BundleConfig, services: &BTreeSet<String>) -> bool {
    matches!(&config.source, Source::Service { service, .. } if services.contains(service))
}

/// Says whether a bundle is kept on disk by us.
fn is_kept(config: &BundleConfig) -> bool {
    config.persist && matches!(config.source, Source::Service { .. })
}
