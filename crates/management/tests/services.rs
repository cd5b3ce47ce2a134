//! Calls to configured services over real connections, on ports that the kernel chooses.
//!
//! The servers are in this process and as faithful as the protocol needs: they read requests off a socket, record
//! them, and answer what the test says. Nothing here waits for a time to pass, but for bodies that must stand still.

#[path = "services/aws.rs"]
mod aws;
#[path = "services/bearer.rs"]
mod bearer;
#[path = "services/bundles.rs"]
mod bundles;
#[path = "services/client_tls.rs"]
mod client_tls;
#[path = "services/metadata.rs"]
mod metadata;
#[path = "services/oauth2.rs"]
mod oauth2;
#[path = "services/oci.rs"]
mod oci;
#[path = "services/peers.rs"]
mod peers;
#[path = "services/plain.rs"]
mod plain;
#[path = "services/server.rs"]
mod server;

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::atomic::{AtomicI64, Ordering};
use std::sync::{Arc, Mutex};

use lictor::document_of_yaml;
use lictor_management::services::{Client, FetchError, Limits, Response, ServiceConfig, World};

/// 2015-08-30T12:36:00Z, the time of Amazon's examples.
const NOW_NS: i64 = 1_440_938_160_000_000_000;

/// The world of a test: its clock stands until the test moves it, its variables are the test's.
#[derive(Clone)]
struct Setting {
    now_ns: Arc<AtomicI64>,
    variables: Arc<Mutex<BTreeMap<String, String>>>,
}

impl Setting {
    fn new() -> Self {
        Self { now_ns: Arc::new(AtomicI64::new(NOW_NS)), variables: Arc::default() }
    }

    fn set(&self, name: &str, value: &str) {
        self.variables.lock().expect("no test fails").insert(name.to_owned(), value.to_owned());
    }

    fn advance(&self, seconds: i64) {
        self.now_ns.fetch_add(seconds * 1_000_000_000, Ordering::Relaxed);
    }

    fn world(&self) -> World {
        let (now_ns, variables) = (Arc::clone(&self.now_ns), Arc::clone(&self.variables));
        World {
            environment: Arc::new(move |name| variables.lock().expect("no test fails").get(name).cloned()),
            clock: Arc::new(move || now_ns.load(Ordering::Relaxed)),
            random: Arc::new(|bytes| bytes.fill(7)),
        }
    }

    /// Returns the client of the one service `s` that a text describes.
    fn client(&self, service: &str) -> Client {
        let document = document_of_yaml(service.as_bytes()).expect("YAML");
        let services = document.root().as_object().and_then(|it| it.get_str("services")).expect("services");
        let keys = document.root().as_object().and_then(|it| it.get_str("keys"));
        let mut services = ServiceConfig::read_all(services, keys).expect("a configuration");
        Client::new(services.pop().expect("a service"), self.world())
    }
}

/// Returns the client of a service whose URL and other fields are given, in a world where nothing happens.
fn client(url: &str, fields: &str) -> Client {
    Setting::new().client(&service(url, fields))
}

fn service(url: &str, fields: &str) -> String {
    format!("services: {{s: {{url: '{url}', {fields}}}}}")
}

/// Runs a call.
fn run<T>(work: impl Future<Output = T>) -> T {
    let runtime = tokio::runtime::Builder::new_multi_thread().worker_threads(1).enable_all().build();
    runtime.expect("a runtime").block_on(work)
}

/// Gets a path and reads the whole answer.
async fn get(client: &Client, path: &str) -> Result<(u16, Vec<u8>), FetchError> {
    let mut response = client.get(path, &[], &Limits::default()).await?;
    let body = response.bytes().await?;
    Ok((response.status(), body))
}

/// Returns what a call fails with.
async fn fault(client: &Client) -> String {
    match client.get("x", &[], &Limits::default()).await {
        Ok(Response { .. }) => "an answer".to_owned(),
        Err(error) => error.to_string(),
    }
}

fn certificate(name: &str) -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR")).join("tests/certificates").join(name)
}
