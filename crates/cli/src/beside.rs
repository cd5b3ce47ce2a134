//! What runs beside a server: bundles that a configuration names are kept up to date.
//!
//! Here the crate that sends requests and the crate that serves meet: each knows a trait of its own, and this is what
//! implements both. It holds no policy and decides nothing.

use std::path::PathBuf;
use std::sync::Arc;

use lictor::bundle::Bundle;
use lictor::{BundleChange, BundleFault, ReadyBundle};
use lictor_management::bundles::Surroundings;
use lictor_management::config::Configuration;
use lictor_management::services::World;
use lictor_management::{Activate, Journal, Manager, Severity, SystemClock};
use lictor_server::{Activator, Facts, Field, Level, Log, PluginState, Server};

use crate::config;
use crate::flags::Parsed;
use crate::host::{LANGUAGE_VERSION, fill_random, now_ns};

/// Where what outlives the process is kept, if nobody says where.
const PERSISTENCE_DIRECTORY: &str = ".opa";

/// Reads the configuration that the command line names.
pub(crate) fn configuration(flags: &Parsed) -> Result<Configuration, String> {
    let variable = |name: &str| std::env::var(name).ok();
    let read = config::document(flags, &variable).and_then(Configuration::read);
    read.map_err(|error| format!("config error: {error}"))
}

/// Starts what the configuration asks for. It stops when what is returned is dropped.
pub(crate) fn start(configuration: Configuration, log: Log, server: &Server) -> Result<Arc<Manager>, String> {
    for option in configuration.unknown_options() {
        log.write(Level::Warning, &format!("unknown configuration option {option:?} encountered"), &[]);
    }
    let surroundings = Surroundings {
        activate: Arc::new(Serving(server.activator())),
        clock: Arc::new(SystemClock),
        random: Arc::new(fill_random),
        journal: Arc::new(Lines(log)),
        persistence_directory: persistence_directory(&configuration)?,
    };
    let world = World {
        environment: Arc::new(|name: &str| std::env::var(name).ok()),
        clock: Arc::new(now_ns),
        random: Arc::new(fill_random),
    };
    let manager = Manager::new(configuration, LANGUAGE_VERSION, surroundings, world);
    let manager = Arc::new(manager.map_err(|error| error.to_string())?);
    server.tell(Arc::new(Told(Arc::clone(&manager))));
    manager.start();
    Ok(manager)
}

fn persistence_directory(configuration: &Configuration) -> Result<PathBuf, String> {
    if let Some(directory) = configuration.persistence_directory() {
        return Ok(PathBuf::from(directory));
    }
    let here = std::env::current_dir().map_err(|error| format!("getwd: {error}"))?;
    Ok(here.join(PERSISTENCE_DIRECTORY))
}

/// Is the server, for who brings bundles.
struct Serving(Activator);

impl Activate for Serving {
    fn prepare(&self, name: &str, etag: &str, bundle: Bundle) -> Result<ReadyBundle, BundleFault> {
        self.0.prepare(name, etag, bundle)
    }

    fn activate(&self, changes: &[BundleChange]) -> Result<(), BundleFault> {
        self.0.activate(changes)
    }
}

/// Is the log, for who works beside the server.
struct Lines(Log);

impl Journal for Lines {
    fn write(&self, severity: Severity, message: &str, fields: &[(&str, &str)]) {
        let level = match severity {
            Severity::Error => Level::Error,
            Severity::Warning => Level::Warning,
            Severity::Info => Level::Info,
            Severity::Debug => Level::Debug,
        };
        let fields: Vec<(&str, Field<'_>)> = fields.iter().map(|it| (it.0, Field::Text(it.1))).collect();
        self.0.write(level, message, &fields);
    }
}

/// Is what runs beside the server, for those who ask the server.
struct Told(Arc<Manager>);

impl Facts for Told {
    fn plugins(&self) -> Vec<(String, PluginState)> {
        let state = |is_ready| if is_ready { PluginState::Ok } else { PluginState::NotReady };
        self.0.plugins().into_iter().map(|it| (it.0, state(it.1))).collect()
    }

    fn bundles_not_activated(&self) -> Vec<String> {
        self.0.bundles_not_activated()
    }

    fn status_json(&self) -> Option<Vec<u8>> {
        self.0.status_json()
    }

    fn config_json(&self) -> Vec<u8> {
        self.0.config_json()
    }
}
