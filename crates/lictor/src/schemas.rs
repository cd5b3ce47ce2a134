//! Schemas of documents, for the type checker.
//!
//! Kept as texts by their names; a schema is read when the checker asks for it. Schemas that stand on another host are
//! fetched by whoever was given for that: nothing here reaches the network.

use std::collections::BTreeMap;
use std::fmt;
use std::sync::Arc;

use lictor_hir::schemas::{SchemaType, Schemas};
use lictor_runtime::json_schema::Schema;

/// Schemas by their paths; that of the input has none. By default names of schemas say nothing.
#[derive(Clone, Default, Debug)]
pub struct SchemaSet {
    /// `None` if names say nothing.
    texts: Option<BTreeMap<Vec<String>, Vec<u8>>>,
    /// Hosts that schemas may be on; `None` is any.
    allow_net: Option<Vec<String>>,
    fetch: Option<Fetch>,
}

/// Reads the text at an address, or says why it cannot.
pub type FetchSchema = dyn Fn(&str) -> Result<Vec<u8>, String> + Send + Sync;

#[derive(Clone)]
struct Fetch(Arc<FetchSchema>);

impl fmt::Debug for Fetch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Fetch")
    }
}

impl SchemaSet {
    /// Returns a set without schemas: each name is one of a schema that is not there.
    #[must_use]
    pub fn new() -> Self {
        Self { texts: Some(BTreeMap::new()), ..Self::default() }
    }

    /// Adds a schema in JSON: that of the input at the empty path, `schema.a.b` at `a`, `b`.
    pub fn add(&mut self, path: &[&str], text: Vec<u8>) {
        self.texts.get_or_insert_default().insert(path.iter().map(|it| (*it).to_owned()).collect(), text);
    }

    /// Sets who reads schemas that others refer to by their address. Without, such a reference is a fault.
    #[must_use]
    pub fn fetching(self, fetch: Arc<FetchSchema>) -> Self {
        Self { fetch: Some(Fetch(fetch)), ..self }
    }

    /// Sets the hosts that schemas may be fetched from.
    pub(crate) fn limited_to(&self, hosts: Option<&[String]>) -> Self {
        Self { allow_net: hosts.map(<[String]>::to_vec), ..self.clone() }
    }

    fn read(&self, text: &[u8]) -> Result<SchemaType, String> {
        let schema = Schema::read(text, &|url| self.fetch(url));
        let schema = schema.map_err(|fault| format!("unable to compile the schema: {fault}"))?;
        schema.to_type().map_err(|fault| format!("type checking: {fault}"))
    }

    fn fetch(&self, url: &str) -> Result<Vec<u8>, String> {
        let host = url.split_once("://").map_or(url, |it| it.1);
        let host = host.split(['/', ':', '?', '#']).next().unwrap_or_default();
        match &self.allow_net {
            Some(hosts) if !hosts.iter().any(|it| it == host) => {
                Err(format!("remote reference loading disabled: {url}"))
            }
            _ => match &self.fetch {
                Some(fetch) => fetch.0(url),
                None => Err(format!("remote reference loading is not supported: {url}")),
            },
        }
    }
}

impl Schemas for SchemaSet {
    fn named(&self, path: &[&str]) -> Option<Result<SchemaType, String>> {
        let key: Vec<String> = path.iter().map(|it| (*it).to_owned()).collect();
        self.texts.as_ref()?.get(&key).map(|it| self.read(it))
    }

    fn has_names(&self) -> bool {
        self.texts.is_some()
    }

    fn inline(&self, text: &str) -> Result<SchemaType, String> {
        self.read(text.as_bytes())
    }
}
