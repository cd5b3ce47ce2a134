//! The life of one bundle: look for a new one, read it, bring it to the server, keep it, wait, and again.
//!
//! A worker ends when it is dropped at any of its waits. Whatever goes wrong is told and tried again; the bundle that
//! was activated last stays.

use std::collections::BTreeMap;
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use bytes::Bytes;
use lictor::bundle::Bundle;
use lictor::{BundleChange, Document, ReadyBundle};
use tokio::sync::Semaphore;
use tokio::task::spawn_blocking;

use super::board::Board;
use super::config::{BundleConfig, Source};
use super::download::{Answer, Arrived, Downloader, with_type};
use super::pace;
use super::persist::Shelf;
use super::queue::Queue;
use super::read::{Look, Reading, look};
use super::status::{Status, Timers, Trouble};
use crate::services::{Client, Random};
use crate::surroundings::{Activate, Clock, Journal, Severity};

/// Requests that a server holds follow each other no faster, whatever the server does.
const HELD_PAUSE: Duration = Duration::from_millis(100);

/// What the log says of bundles of one kind, in OPA's words.
pub(crate) struct Words {
    pub(crate) plugin: &'static str,
    pub(crate) load_failed: &'static str,
    pub(crate) activation_failed: &'static str,
    pub(crate) saving_failed: &'static str,
    pub(crate) activated: &'static str,
    pub(crate) unchanged: &'static str,
    pub(crate) disk_failed: &'static str,
    /// Whether workers are told of that start and end.
    pub(crate) tells_workers: bool,
}

/// What is said of bundles with policies and data.
pub(crate) const BUNDLE: Words = Words {
    plugin: "bundle",
    load_failed: "Bundle load failed",
    activation_failed: "Bundle activation failed",
    saving_failed: "Persisting bundle to disk failed",
    activated: "Bundle loaded and activated successfully.",
    unchanged: "Bundle load skipped, server replied with not modified.",
    disk_failed: "Failed to load bundle from disk",
    tells_workers: true,
};

/// What is said of the bundle with the configuration.
pub(crate) const DISCOVERY: Words = Words {
    plugin: "discovery",
    load_failed: "Discovery download failed",
    activation_failed: "Discovery reconfiguration error occurred",
    saving_failed: "Persisting discovery bundle to disk failed",
    activated: "Discovery update processed successfully.",
    unchanged: "Discovery update skipped, server replied with not modified.",
    disk_failed: "Failed to load discovery bundle from disk",
    tells_workers: false,
};

/// What all workers share.
pub(crate) struct Shared {
    pub(crate) words: &'static Words,
    pub(crate) activate: Arc<dyn Activate>,
    pub(crate) clock: Arc<dyn Clock>,
    pub(crate) random: Random,
    pub(crate) journal: Arc<dyn Journal>,
    pub(crate) shelf: Shelf,
    pub(crate) board: Board,
    pub(crate) queue: Queue,
    /// How many bundles may be in memory at once that are being read.
    pub(crate) reading: Semaphore,
    /// Data that is mapped from snapshots, by the bundle's name.
    pub(crate) mapped: Mutex<BTreeMap<String, Document>>,
}

impl Shared {
    /// Takes back the document of a name that was mapped from a snapshot, if it is such a one.
    fn mapped(&self, name: &str, is_such: impl FnOnce(&Document) -> bool) -> Option<Document> {
        let mut mapped = self.mapped.lock().unwrap_or_else(PoisonError::into_inner);
        is_such(mapped.get(name)?).then(|| mapped.remove(name)).flatten()
    }

    /// Writes a line about a bundle.
    pub(crate) fn log(&self, severity: Severity, name: &str, message: &str) {
        self.journal.write(severity, message, &[("name", name), ("plugin", self.words.plugin)]);
    }
}

/// Where a worker looks.
enum Place {
    Service(Downloader),
    File { path: String, seen: Option<Look> },
}

/// What a look brought.
enum Found {
    Unchanged,
    Archive(Arrived),
    /// The path has changed, and looks like this now.
    Path(String, Look),
}

/// Why a look brought nothing, and which words the log has for it.
struct Failure {
    trouble: Trouble,
    stage: Stage,
}

/// How far a look came.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stage {
    Loading,
    Activating,
    Saving,
}

impl Failure {
    fn load(trouble: impl Into<Trouble>) -> Self {
        Self { trouble: trouble.into(), stage: Stage::Loading }
    }
}

impl From<String> for Trouble {
    fn from(text: String) -> Self {
        Self::Text(text)
    }
}

/// Keeps one bundle up to date.
pub(crate) struct Worker {
    name: String,
    config: BundleConfig,
    place: Place,
    wanted: Arc<AtomicBool>,
    /// A delta could not be kept: what comes after it must not be, until the whole bundle is.
    has_gap: bool,
    shared: Arc<Shared>,
}

impl Worker {
    /// Returns a worker for a bundle; without a client it comes from a file.
    pub(crate) fn new(
        name: &str,
        config: BundleConfig,
        client: Option<Client>,
        wanted: Arc<AtomicBool>,
        shared: Arc<Shared>,
    ) -> Option<Self> {
        let place = match (&config.source, client) {
            (Source::File(path), _) => Place::File { path: path.clone(), seen: None },
            (Source::Service { resource, .. }, Some(client)) => {
                let polling = config.polling.clone();
                Place::Service(Downloader::new(client, resource.clone(), polling, config.size_limit_bytes))
            }
            (Source::Service { .. }, None) => return None,
        };
        Some(Self { name: name.to_owned(), config, place, wanted, has_gap: false, shared })
    }

    /// Looks for bundles until it is dropped.
    pub(crate) async fn run(mut self) {
        let mut failures = 0_u32;
        loop {
            let outcome = self.look().await;
            let max = self.config.polling.max_delay;
            let delay = match outcome {
                Err(()) => pace::after_failure(failures, max, &self.shared.random),
                Ok(()) if self.is_held() => HELD_PAUSE,
                Ok(()) => pace::between(self.config.polling.min_delay, max, &self.shared.random),
            };
            failures = if outcome.is_err() { failures.saturating_add(1) } else { 0 };
            let message = format!("Waiting {delay:?} before next download/retry.");
            self.shared.log(Severity::Debug, &self.name, &message);
            self.shared.clock.sleep(delay).await;
        }
    }

    fn is_held(&self) -> bool {
        matches!(&self.place, Place::Service(downloader) if downloader.is_held())
    }

    /// Goes back to the archive that is kept if the snapshot that stands for it turned out to be damaged. Decisions over it
    /// are errors until then.
    async fn drop_damaged(&mut self) {
        let Some(mapped) = self.shared.mapped(&self.name, |it| it.is_damaged()) else { return };
        drop(mapped);
        self.shared.shelf.drop_snapshot(&self.name);
        self.shared.log(
            Severity::Error,
            &self.name,
            "The snapshot of the bundle is damaged and was dropped.",
        );
        // Deltas that came after it are lost with it.
        self.ask_for_all();
        let (shared, name) = (Arc::clone(&self.shared), self.name.clone());
        let reading = self.reading();
        let read = spawn_blocking(move || {
            let file = shared.shelf.open(&name)?.ok_or_else(|| "no bundle is kept".to_owned())?;
            Ok::<_, Trouble>(shared.activate.prepare(&name, "", reading.archive(file)?)?)
        });
        let outcome = match read.await.map_err(|it| Trouble::Text(it.to_string())).and_then(|it| it) {
            Ok(ready) => {
                let change = BundleChange::Activate(Arc::new(ready));
                self.shared.queue.take(change, Arc::clone(&self.wanted)).await.map_err(Trouble::from)
            }
            Err(trouble) => Err(trouble),
        };
        if let Err(trouble) = outcome {
            let message = format!("{}: {trouble}", self.shared.words.disk_failed);
            self.shared.log(Severity::Error, &self.name, &message);
        }
    }

    fn reading(&self) -> Reading {
        Reading { trust: self.config.trust.clone(), size_limit_bytes: self.config.size_limit_bytes }
    }

    /// Looks once, and tells how that went.
    async fn look(&mut self) -> Result<(), ()> {
        self.drop_damaged().await;
        let mut timers = Timers::new();
        let outcome = self.find(&mut timers).await;
        let found = match outcome {
            Ok(Found::Unchanged) => return self.unchanged(timers),
            Ok(found) => self.take(found, &mut timers).await,
            Err(trouble) => Err(Failure::load(trouble)),
        };
        let Err(failure) = found else { return Ok(()) };
        let words = self.shared.words;
        let what = match failure.stage {
            Stage::Loading => words.load_failed,
            Stage::Activating => words.activation_failed,
            Stage::Saving => words.saving_failed,
        };
        self.shared.log(Severity::Error, &self.name, &format!("{what}: {}", failure.trouble));
        let is_load = failure.stage == Stage::Loading;
        self.update(|status, now_ns| {
            if is_load {
                status.last_request_ns = Some(now_ns);
            }
            status.timers = Some(timers);
            status.trouble = Some(failure.trouble);
        });
        Err(())
    }

    fn update(&self, change: impl FnOnce(&mut Status, i64)) {
        let now_ns = self.shared.clock.now_ns();
        self.shared.board.update(&self.name, |status| change(status, now_ns));
    }

    fn unchanged(&self, timers: Timers) -> Result<(), ()> {
        self.shared.log(Severity::Debug, &self.name, self.shared.words.unchanged);
        self.update(|status, now_ns| {
            status.last_request_ns = Some(now_ns);
            status.last_success_ns = Some(now_ns);
            status.timers = Some(timers);
            status.trouble = None;
        });
        Ok(())
    }

    async fn find(&mut self, timers: &mut Timers) -> Result<Found, Trouble> {
        match &mut self.place {
            Place::Service(downloader) => {
                let start = Instant::now();
                let answer = downloader.ask(self.shared.clock.now_ns()).await;
                timers.insert("bundle_request", nanoseconds(start));
                Ok(match answer? {
                    Answer::Unchanged => Found::Unchanged,
                    Answer::Bundle(arrived) => Found::Archive(arrived),
                })
            }
            Place::File { path, seen } => {
                let at = path.clone();
                let looked = spawn_blocking(move || look(&at)).await.map_err(|it| it.to_string())??;
                if seen.as_ref() == Some(&looked) {
                    return Ok(Found::Unchanged);
                }
                Ok(Found::Path(path.clone(), looked))
            }
        }
    }

    /// Makes what was found active and keeps it.
    async fn take(&mut self, found: Found, timers: &mut Timers) -> Result<(), Failure> {
        let permit = self.shared.reading.acquire().await;
        let start = Instant::now();
        let (etag, size, odd_type, content) = match found {
            Found::Archive(arrived) => {
                let size = u64::try_from(arrived.bytes.len()).unwrap_or(u64::MAX);
                (arrived.etag, size, arrived.odd_type, Content::Archive(arrived.bytes))
            }
            Found::Path(path, look) => (String::new(), 0, None, Content::Path(path, look)),
            Found::Unchanged => return Ok(()),
        };
        let prepared = self.prepare(&content, &etag).await;
        drop(permit);
        timers.insert("rego_load_bundles", nanoseconds(start));
        let (ready, bundle) = prepared.map_err(|trouble| match trouble {
            Trouble::Text(text) => Failure::load(with_type(text, odd_type.as_deref())),
            other => Failure::load(other),
        })?;
        let ready = Arc::new(ready);
        self.update(|status, now_ns| {
            status.last_request_ns = Some(now_ns);
            status.last_success_ns = Some(now_ns);
            status.last_download_ns = Some(now_ns);
            status.kind = kind(&ready);
        });
        let compiling = Instant::now();
        let change = BundleChange::Activate(Arc::clone(&ready));
        let outcome = self.shared.queue.take(change, Arc::clone(&self.wanted)).await;
        timers.insert("rego_module_compile", nanoseconds(compiling));
        if outcome.is_err() && ready.is_delta() {
            // It was made for another state than ours.
            self.ask_for_all();
        }
        outcome.map_err(|fault| Failure { trouble: fault.into(), stage: Stage::Activating })?;
        if !ready.is_delta() {
            self.shared.mapped(&self.name, |_| true);
        }
        if let Content::Archive(bytes) = &content {
            self.keep(&ready, bytes.clone()).await?;
            self.keep_snapshot(bundle).await;
        }
        timers.insert("rego_load_bundles", nanoseconds(start));
        self.activated(content, &ready, &etag);
        if self.has_gap {
            self.ask_for_all();
        }
        self.update(|status, now_ns| {
            status.last_activation_ns = Some(now_ns);
            ready.manifest().revision.clone_into(&mut status.active_revision);
            status.size = size;
            status.trouble = None;
            status.timers = Some(std::mem::take(timers));
        });
        Ok(())
    }

    /// Reads what was found. The bundle as it was read comes along if a snapshot may be kept of it.
    async fn prepare(&self, content: &Content, etag: &str) -> Result<(ReadyBundle, Option<Bundle>), Trouble> {
        let reading = self.reading();
        let (content, name, etag) = (content.clone(), self.name.clone(), etag.to_owned());
        let is_kept = self.config.persist && reading.takes_snapshots();
        let activate = Arc::clone(&self.shared.activate);
        let work = spawn_blocking(move || {
            let bundle = match &content {
                Content::Archive(bytes) => reading.archive(&**bytes)?,
                Content::Path(path, _) => reading.path(path)?,
            };
            let kept = (is_kept && !bundle.is_delta()).then(|| bundle.clone());
            Ok((activate.prepare(&name, &etag, bundle)?, kept))
        });
        work.await.map_err(|it| it.to_string())?
    }

    fn ask_for_all(&mut self) {
        if let Place::Service(downloader) = &mut self.place {
            downloader.forget();
        }
    }

    /// Keeps an archive on disk if it is to be kept: a whole bundle in the place of the last one, a delta behind what it
    /// changes.
    async fn keep(&mut self, ready: &ReadyBundle, bytes: Bytes) -> Result<(), Failure> {
        if !self.config.persist || ready.is_delta() && self.has_gap {
            return Ok(());
        }
        let (shelf, name, is_delta) = (self.shared.shelf.clone(), self.name.clone(), ready.is_delta());
        let save = move || if is_delta { shelf.save_delta(&name, &bytes) } else { shelf.save(&name, &bytes) };
        let saved = spawn_blocking(save).await.unwrap_or_else(|it| Err(it.to_string()));
        self.has_gap = saved.is_err();
        let Err(message) = saved else { return Ok(()) };
        if is_delta {
            // What is kept is older, and whole.
            let text = format!("Failed to save delta bundle to disk: {message}");
            self.shared.log(Severity::Error, &self.name, &text);
            return Ok(());
        }
        let log = |severity, text: &str| self.shared.log(severity, &self.name, text);
        log(Severity::Error, &format!("Failed to save new bundle to disk: {message}"));
        if self.shared.shelf.has(&self.name) {
            log(Severity::Warning, "Older version of activated bundle persisted, ignoring error");
            return Ok(());
        }
        Err(Failure { trouble: Trouble::Text(message), stage: Stage::Saving })
    }

    /// Makes a snapshot of the archive that was kept, for the next start.
    async fn keep_snapshot(&self, bundle: Option<Bundle>) {
        let Some(bundle) = bundle.filter(|_| !self.has_gap) else { return };
        let (shared, name) = (Arc::clone(&self.shared), self.name.clone());
        // Asked now: another archive may be kept before the snapshot is made.
        let Some(source) = shared.shelf.source(&name) else { return };
        let save = move || {
            if let Err(message) = shared.shelf.save_snapshot(&name, &bundle, &source) {
                shared.log(Severity::Warning, &name, &format!("snapshot is not kept: {message}"));
            }
        };
        // A failure is told already; whoever loads the archive next time needs no snapshot.
        drop(spawn_blocking(save).await);
    }

    /// Remembers what is active, so that it is not fetched again.
    fn activated(&mut self, content: Content, ready: &ReadyBundle, etag: &str) {
        match (&mut self.place, content) {
            (Place::Service(downloader), _) => downloader.activated(etag, self.shared.clock.now_ns()),
            (Place::File { seen, .. }, Content::Path(_, look)) => *seen = Some(look),
            (Place::File { .. }, Content::Archive(_)) => {}
        }
        let mut message = self.shared.words.activated.to_owned();
        if !etag.is_empty() {
            message.push_str(&format!(" Etag updated to {etag}."));
        }
        let revision = &ready.manifest().revision;
        self.shared.log(Severity::Debug, &self.name, &format!("Bundle has revision {revision:?}."));
        self.shared.log(Severity::Info, &self.name, &message);
    }
}

/// Is what is read.
#[derive(Clone)]
enum Content {
    Archive(Bytes),
    Path(String, Look),
}

/// Returns what OPA calls a bundle of this kind.
pub(crate) fn kind(ready: &ReadyBundle) -> &'static str {
    if ready.is_delta() { "delta" } else { "snapshot" }
}

pub(crate) fn nanoseconds(start: Instant) -> u64 {
    u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX)
}
