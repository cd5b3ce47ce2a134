//! What runs beside a server, by a configuration: its bundles, and what is told of them.
//!
//! A [`Manager`] joins the plugins and answers for all of them. It knows neither who serves nor where a configuration
//! comes from.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use lictor::Document;

use crate::bundles::{Bundles, Surroundings};
use crate::config::Configuration;
use crate::services::{Client, Random, World};

/// Runs what a configuration asks for, until it is dropped.
#[derive(Debug)]
pub struct Manager {
    bundles: Bundles,
    state: Mutex<State>,
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
        world: &World,
    ) -> std::io::Result<Self> {
        let labels = configuration.labels(&identifier(&surroundings.random), version);
        let clients = clients(&configuration, world);
        let bundles = Bundles::new(surroundings)?;
        let state = Mutex::new(State { configuration, labels, clients });
        Ok(Self { bundles, state })
    }

    /// Activates what is kept on disk, then starts to look for what is new, and returns.
    pub fn start(&self) {
        let state = self.lock();
        self.bundles.load_persisted(&state.configuration.bundles);
        self.bundles.configure(&state.configuration.bundles, &state.clients);
    }

    /// Returns the plugins, and whether each is ready, in order.
    #[must_use]
    pub fn plugins(&self) -> Vec<(String, bool)> {
        let state = self.lock();
        let mut plugins = Vec::new();
        if !state.configuration.bundles.is_empty() {
            plugins.push(("bundle".to_owned(), self.bundles.is_ready()));
        }
        plugins.push(("discovery".to_owned(), true));
        if state.configuration.has_status {
            plugins.push(("status".to_owned(), true));
        }
        plugins
    }

    /// Returns the bundles that are configured and not active.
    #[must_use]
    pub fn bundles_not_activated(&self) -> Vec<String> {
        self.bundles.not_activated()
    }

    /// Returns the configuration as it is shown to those who ask.
    #[must_use]
    pub fn config_json(&self) -> Vec<u8> {
        let state = self.lock();
        state.configuration.shown(&state.labels)
    }

    /// Returns the status as it is shown to those who ask; nothing if the configuration wants none.
    #[must_use]
    pub fn status_json(&self) -> Option<Vec<u8>> {
        let labels = {
            let state = self.lock();
            state.configuration.has_status.then(|| state.labels.root().to_json())?
        };
        let mut out = format!("{{\"labels\":{labels}").into_bytes();
        let bundles = self.bundles.status_json();
        if bundles != b"{}" {
            out.extend_from_slice(b",\"bundles\":");
            out.extend_from_slice(&bundles);
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

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

fn clients(configuration: &Configuration, world: &World) -> BTreeMap<String, Client> {
    let client =
        |it: &crate::services::ServiceConfig| (it.name().to_owned(), Client::new(it.clone(), world.clone()));
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
