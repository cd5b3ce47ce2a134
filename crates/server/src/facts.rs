//! What the server is told of what runs beside it: bundles that are kept up to date, and the configuration.
//!
//! A trait, because what runs there sends requests and the server must not know how. Without one nothing is configured.

/// How something is that runs beside the server; OPA's words.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum PluginState {
    /// It has not done yet what it is for.
    NotReady,
    /// It does what it is for.
    Ok,
}

impl PluginState {
    /// Returns OPA's word.
    #[must_use]
    pub fn as_str(self) -> &'static str {
        match self {
            Self::NotReady => "NOT_READY",
            Self::Ok => "OK",
        }
    }
}

/// Answers requests about what runs beside the server; asked on serving threads, so it must not wait.
pub trait Facts: Send + Sync {
    /// Returns what runs, by name, in order.
    fn plugins(&self) -> Vec<(String, PluginState)>;

    /// Returns the bundles that are configured and not active, in order.
    fn bundles_not_activated(&self) -> Vec<String>;

    /// Returns the status as a JSON object; nothing if the configuration does not ask for one.
    fn status_json(&self) -> Option<Vec<u8>>;

    /// Returns the configuration as a JSON object without secrets.
    fn config_json(&self) -> Vec<u8>;
}

/// Is nothing beside the server.
pub(crate) struct Nothing;

impl Facts for Nothing {
    fn plugins(&self) -> Vec<(String, PluginState)> {
        Vec::new()
    }

    fn bundles_not_activated(&self) -> Vec<String> {
        Vec::new()
    }

    fn status_json(&self) -> Option<Vec<u8>> {
        None
    }

    fn config_json(&self) -> Vec<u8> {
        b"{}".to_vec()
    }
}
