//! What runs beside a server, by a configuration: its bundles, discovery, and what is told of them.
//!
//! A [`Manager`] joins the plugins and answers for all of them. A discovered configuration goes under the one that the
//! program was started with. It knows neither who serves nor where that came from.

use std::collections::{BTreeMap, BTreeSet};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lictor::{Document, Value};

use crate::bundles::config::BundlesConfig;
use crate::bundles::worker::DISCOVERY;
use crate::bundles::{Bundles, Surroundings};
use crate::config::Configuration;
use crate::discovery::config::NAME;
use crate::discovery::{Discoverer, joined};
use crate::services::{Client, Random, World};
use crate::surroundings::{Journal, Severity};

/// Runs what a configuration asks for, until it is dropped.
#[derive(Debug)]
pub struct Manager {
    inner: Arc<Inner>,
    /// Fetches the rest of the configuration, if the one at the start asks for it.
    discovery: Option<Bundles>,
}

struct Inner {
    bundles: Bundles,
    world: World,
    journal: Arc<dyn Journal>,
    /// Tells servers apart.
    id: String,
    version: String,
    /// What the program was started with; it goes over whatever is discovered.
    boot: Configuration,
    state: Mutex<State>,
}

impl std::fmt::Debug for Inner {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Inner").field("state", &self.state).finish_non_exhaustive()
    }
}

#[derive(Debug)]
struct State {
    configuration: Configuration,
    labels: Document,
    /// Clients by the names of their services.
    clients: BTreeMap<String, Client>,
}

impl Manager {
    /// Returns a manager that does nothing yet.
    ///
    /// # Errors
    ///
    /// The system has no threads for it.
    pub fn new(
        configuration: Configuration,
        version: &str,
        surroundings: Surroundings,
        world: World,
    ) -> std::io::Result<Self> {
        let id = identifier(&surroundings.random);
        let labels = configuration.labels(&id, version);
        let clients = clients(&configuration, &world, &BTreeMap::new());
        let state = State { configuration: configuration.clone(), labels, clients };
        let inner = Arc::new(Inner {
            bundles: Bundles::new(surroundings.clone())?,
            world,
            journal: Arc::clone(&surroundings.journal),
            id,
            version: version.to_owned(),
            boot: configuration,
            state: Mutex::new(state),
        });
        let discovery = discovery(&inner, surroundings)?;
        Ok(Self { inner, discovery })
    }

    /// Activates what is kept on disk, then starts to look for what is new, and returns.
    pub fn start(&self) {
        let (configuration, clients) = {
            let state = self.inner.lock();
            (state.configuration.clone(), state.clients.clone())
        };
        self.inner.bundles.load_persisted(&configuration.bundles);
        self.inner.bundles.configure(&configuration.bundles, &clients);
        if let (Some(discovery), Some(config)) = (&self.discovery, &configuration.discovery) {
            let config: BundlesConfig = [(NAME.to_owned(), config.bundle.clone())].into();
            discovery.load_persisted(&config);
            discovery.configure(&config, &clients);
        }
    }

    /// Returns the plugins, and whether each is ready, in order.
    #[must_use]
    pub fn plugins(&self) -> Vec<(String, bool)> {
        let state = self.inner.lock();
        let mut plugins = Vec::new();
        if !state.configuration.bundles.is_empty() {
            plugins.push(("bundle".to_owned(), self.inner.bundles.is_ready()));
        }
        plugins.push((NAME.to_owned(), self.discovery.as_ref().is_none_or(Bundles::is_ready)));
        if state.configuration.has_status {
            plugins.push(("status".to_owned(), true));
        }
        plugins
    }

    /// Returns the bundles that are configured and not active.
    #[must_use]
    pub fn bundles_not_activated(&self) -> Vec<String> {
        self.inner.bundles.not_activated()
    }

    /// Returns the configuration as it is shown to those who ask.
    #[must_use]
    pub fn config_json(&self) -> Vec<u8> {
        let state = self.inner.lock();
        state.configuration.shown(&state.labels)
    }

    /// Returns the status as it is shown to those who ask; nothing if the configuration wants none.
    #[must_use]
    pub fn status_json(&self) -> Option<Vec<u8>> {
        let labels = {
            let state = self.inner.lock();
            state.configuration.has_status.then(|| state.labels.root().to_json())?
        };
        let mut out = format!("{{\"labels\":{labels}").into_bytes();
        let bundles = self.inner.bundles.status_json();
        if bundles != b"{}" {
            out.extend_from_slice(b",\"bundles\":");
            out.extend_from_slice(&bundles);
        }
        if let Some(discovery) = &self.discovery {
            out.extend_from_slice(b",\"discovery\":");
            out.extend_from_slice(&discovery.status_of(NAME));
        }
        out.extend_from_slice(b",\"plugins\":{");
        let state = |is_ready: &bool| if *is_ready { "OK" } else { "NOT_READY" };
        let plugins = self.plugins();
        let plugins: Vec<String> =
            plugins.iter().map(|(name, it)| format!("\"{name}\":{{\"state\":\"{}\"}}", state(it))).collect();
        out.extend_from_slice(plugins.join(",").as_bytes());
        out.extend_from_slice(b"}}");
        Some(out)
    }
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Goes on with a discovered configuration, or with the present one if it cannot be.
    fn reconfigure(&self, discovered: &Document) -> Result<(), String> {
        let Some(config) = &self.boot.discovery else { return Ok(()) };
        let configuration =
            Configuration::discovered(joined(discovered, self.boot.root(), config)?, &self.boot)?;
        for option in configuration.unknown_options() {
            let message = format!("unknown configuration option {option:?} encountered");
            self.journal.write(Severity::Warning, &message, &[("plugin", NAME)]);
        }
        let mut state = self.lock();
        let text = |it: Option<Value<'_>>| it.map(|it| it.to_json());
        let is_same =
            |name: &str| text(configuration.service(name)) == text(state.configuration.service(name));
        let kept = state.clients.iter().filter(|it| is_same(it.0)).map(|it| (it.0.clone(), it.1.clone()));
        let kept: BTreeMap<String, Client> = kept.collect();
        let clients = clients(&configuration, &self.world, &kept);
        let changed: BTreeSet<String> =
            clients.keys().filter(|it| !kept.contains_key(*it)).cloned().collect();
        state.labels = configuration.labels(&self.id, &self.version);
        state.clients = clients.clone();
        state.configuration = configuration.clone();
        drop(state);
        self.bundles.configure_anew(&configuration.bundles, &clients, &changed);
        Ok(())
    }
}

/// Returns what fetches the rest of the configuration, if there is to be one.
fn discovery(inner: &Arc<Inner>, surroundings: Surroundings) -> std::io::Result<Option<Bundles>> {
    let Some(config) = &inner.boot.discovery else { return Ok(None) };
    let target = Arc::downgrade(inner);
    let apply = move |discovered: &Document| match target.upgrade() {
        Some(inner) => inner.reconfigure(discovered),
        None => Ok(()),
    };
    let environment = Arc::clone(&inner.world.environment);
    let discoverer = Discoverer::new(config.decision.clone(), environment, Box::new(apply));
    let surroundings = Surroundings { activate: Arc::new(discoverer), ..surroundings };
    Bundles::with_words(surroundings, &DISCOVERY).map(Some)
}

/// Returns a client for each service; those that are kept are not made anew.
fn clients(
    configuration: &Configuration,
    world: &World,
    kept: &BTreeMap<String, Client>,
) -> BTreeMap<String, Client> {
    let client = |it: &crate::services::ServiceConfig| {
        let known = kept.get(it.name()).cloned();
        (it.name().to_owned(), known.unwrap_or_else(|| Client::new(it.clone(), world.clone())))
    };
    configuration.services.iter().map(client).collect()
}

/// Returns a random UUID.
fn identifier(random: &Random) -> String {
    let mut bytes = [0_u8; 16];
    random(&mut bytes);
    bytes[6] = bytes[6] & 0x0f | 0x40;
    bytes[8] = bytes[8] & 0x3f | 0x80;
    let digits: String = bytes.iter().map(|it| format!("{it:02x}")).collect();
    let part = |from: usize, to: usize| digits.get(from..to).unwrap_or_default();
    [part(0, 8), part(8, 12), part(12, 16), part(16, 20), part(20, 32)].join("-")
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;

    #[test]
    fn identifiers_are_uuids() {
        let random: Random = Arc::new(|bytes: &mut [u8]| bytes.fill(0xff));
        assert_eq!(identifier(&random), "ffffffff-ffff-4fff-bfff-ffffffffffff");
    }
}
