//! Starts and stops the serving threads.
//!
//! Each thread runs a runtime of its own that no other thread helps. Stopping ends accepting at once, lets requests
//! end for the time of grace, and then drops what is left.

use std::net::{SocketAddr, TcpListener};
use std::rc::Rc;
use std::sync::Arc;
use std::thread::{self, JoinHandle};
use std::time::Duration;

use lictor::bundle::Bundle;
use lictor::{BundleChange, BundleFault, Host, ReadyBundle};
use tokio::net::TcpStream;
use tokio::runtime::Builder;
use tokio::sync::watch;
use tokio::task::{JoinSet, LocalSet};

use crate::config::Config;
use crate::connection;
use crate::core::{Core, Shared, Start};
use crate::facts::Facts;
use crate::listen::{BACKLOG_MAX, ListenError, listeners};
use crate::log::{Field, Level};

/// How long accepting rests after the system refused a connection, for want of files most likely.
const ACCEPT_REST: Duration = Duration::from_millis(50);

/// Is a server that listens and does not serve yet.
pub struct Server {
    shared: Arc<Shared>,
    addresses: Vec<SocketAddr>,
    /// The listeners of each thread.
    listeners: Vec<Vec<TcpListener>>,
    stop: Arc<watch::Sender<bool>>,
}

impl std::fmt::Debug for Server {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Server").field("addresses", &self.addresses).finish_non_exhaustive()
    }
}

/// Stops a server from anywhere.
#[derive(Clone, Debug)]
pub struct Stopper(Arc<watch::Sender<bool>>);

impl Stopper {
    /// Lets the server stop; [`Server::run`] returns once it has.
    pub fn stop(&self) {
        self.0.send_replace(true);
    }
}

/// Changes which bundles are active, from anywhere; requests go on meanwhile.
#[derive(Clone)]
pub struct Activator(Arc<Shared>);

impl std::fmt::Debug for Activator {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Activator").finish_non_exhaustive()
    }
}

impl Activator {
    /// Parses and merges a bundle for [`Self::activate`].
    ///
    /// # Errors
    ///
    /// Its modules do not parse or lie outside of its roots, or its data files contradict each other.
    pub fn prepare(&self, name: &str, etag: &str, bundle: Bundle) -> Result<ReadyBundle, BundleFault> {
        self.0.generations.prepare(name, etag, bundle)
    }

    /// Makes all changes visible at once; until then, and if there is a fault, requests see what was there before.
    ///
    /// # Errors
    ///
    /// Bundles own the same path, modules do not fit together, or data does not fit to what is there.
    pub fn activate(&self, changes: &[BundleChange]) -> Result<(), BundleFault> {
        self.0.generations.activate(changes)
    }
}

impl Server {
    /// Listens on the addresses.
    ///
    /// # Errors
    ///
    /// An address cannot be listened on; the text names it and says why.
    pub fn bind(config: Config, start: Start, host: Arc<dyn Host>) -> Result<Self, ListenError> {
        let threads = config.threads.max(1);
        let mut addresses = Vec::new();
        let mut by_thread: Vec<Vec<TcpListener>> = Vec::new();
        by_thread.resize_with(threads, Vec::new);
        for address in &config.addresses {
            let (local, opened) = listeners(address, threads)?;
            addresses.push(local);
            by_thread.iter_mut().zip(opened).for_each(|(list, listener)| list.push(listener));
        }
        let shared = Arc::new(Shared::new(config, start, host));
        Ok(Self { shared, addresses, listeners: by_thread, stop: Arc::new(watch::Sender::new(false)) })
    }

    /// Returns the addresses that it listens on, with the ports that the kernel chose.
    #[must_use]
    pub fn addresses(&self) -> &[SocketAddr] {
        &self.addresses
    }

    /// Returns what changes the active bundles of the server.
    #[must_use]
    pub fn activator(&self) -> Activator {
        Activator(Arc::clone(&self.shared))
    }

    /// Says who knows what runs beside the server; the first word counts.
    pub fn tell(&self, facts: Arc<dyn Facts>) {
        self.shared.set_facts(facts);
    }

    /// Returns what stops the server.
    #[must_use]
    pub fn stopper(&self) -> Stopper {
        Stopper(Arc::clone(&self.stop))
    }

    /// Lets the server stop when the process is asked to end (SIGINT, SIGTERM).
    ///
    /// # Errors
    ///
    /// The system does not let signals be watched.
    pub fn stop_on_signals(&self) -> std::io::Result<()> {
        let stopper = self.stopper();
        let runtime = Builder::new_current_thread().enable_all().build()?;
        thread::Builder::new().name("signals".to_owned()).spawn(move || {
            runtime.block_on(ended());
            stopper.stop();
        })?;
        Ok(())
    }

    /// Serves until it is stopped.
    ///
    /// # Errors
    ///
    /// A thread cannot be started.
    pub fn run(self) -> std::io::Result<()> {
        let log = self.shared.config.log;
        let addresses: Vec<String> = self.addresses.iter().map(|it| format!("\"{it}\"")).collect();
        let addresses = format!("[{}]", addresses.join(","));
        log.write(Level::Info, "Initializing server.", &[("addrs", Field::Raw(&addresses))]);
        let mut threads: Vec<JoinHandle<()>> = Vec::new();
        for (index, listeners) in self.listeners.into_iter().enumerate() {
            let (shared, stop) = (Arc::clone(&self.shared), self.stop.subscribe());
            let runtime = Builder::new_current_thread().enable_all().build()?;
            let name = format!("core-{index}");
            threads.push(thread::Builder::new().name(name).spawn(move || {
                LocalSet::new().block_on(&runtime, serve_core(shared, listeners, stop));
            })?);
        }
        for thread in threads {
            if thread.join().is_err() {
                // Requests are guarded; what ends a thread is outside of them.
                log.write(Level::Error, "A serving thread ended by a fault of the program.", &[]);
                self.stop.send_replace(true);
            }
        }
        let panics = self.shared.panics().to_string();
        log.write(Level::Info, "Server shutdown.", &[("panics", Field::Raw(&panics))]);
        Ok(())
    }
}

/// Serves the listeners of a thread.
async fn serve_core(shared: Arc<Shared>, listeners: Vec<TcpListener>, mut stop: watch::Receiver<bool>) {
    let grace = shared.config.grace;
    let mut changes = shared.generations.changes();
    let core = Rc::new(Core::new(shared));
    let idle = Rc::clone(&core);
    // Without a request a thread must not keep old data either.
    let following = tokio::task::spawn_local(async move {
        while changes.changed().await.is_ok() {
            idle.refresh();
        }
    });
    let mut accepting = JoinSet::new();
    for listener in listeners {
        accepting.spawn_local(accept(Rc::clone(&core), listener, stop.clone()));
    }
    let _ = stop.wait_for(|it| *it).await;
    let ended = async { while accepting.join_next().await.is_some() {} };
    // What is left after the time of grace is dropped with the runtime.
    let _ = tokio::time::timeout(grace, ended).await;
    following.abort();
}

/// Accepts connections until the server stops, then waits for those that are open.
async fn accept(core: Rc<Core>, listener: TcpListener, mut stop: watch::Receiver<bool>) {
    let Ok(listener) = tokio::net::TcpListener::from_std(listener) else {
        return;
    };
    let mut connections = JoinSet::new();
    let stop_of_server = stop.clone();
    loop {
        tokio::select! {
            accepted = listener.accept() => match accepted {
                Ok((stream, peer)) => open(&core, stream, peer, &stop_of_server, &mut connections),
                Err(error) => {
                    let text = error.to_string();
                    core.shared.config.log.write(Level::Error, "Accept failed.", &[("err", Field::Text(&text))]);
                    tokio::time::sleep(ACCEPT_REST).await;
                }
            },
            Some(_) = connections.join_next() => {}
            _ = stop.wait_for(|it| *it) => break,
        }
    }
    for (stream, peer) in waiting(listener) {
        open(&core, stream, peer, &stop_of_server, &mut connections);
    }
    while connections.join_next().await.is_some() {}
}

fn open(
    core: &Rc<Core>,
    stream: TcpStream,
    peer: SocketAddr,
    stop: &watch::Receiver<bool>,
    connections: &mut JoinSet<()>,
) {
    // Answers are small; waiting for more to send only delays them.
    let _ = stream.set_nodelay(true);
    connections.spawn_local(connection::serve(Rc::clone(core), stream, peer, stop.clone()));
}

/// Closes a listener and returns the connections that the system had taken for it: their clients may have sent
/// requests, and closing them unseen would lose these.
fn waiting(listener: tokio::net::TcpListener) -> Vec<(TcpStream, SocketAddr)> {
    let Ok(listener) = listener.into_std() else { return Vec::new() };
    let accepted = std::iter::from_fn(|| listener.accept().ok()).take(BACKLOG_MAX);
    let adopted = accepted.filter_map(|(stream, peer)| {
        stream.set_nonblocking(true).ok()?;
        Some((TcpStream::from_std(stream).ok()?, peer))
    });
    adopted.collect()
}

/// Waits until the process is asked to end.
async fn ended() {
    #[cfg(unix)]
    {
        use tokio::signal::unix::{SignalKind, signal};
        if let Ok(mut terminate) = signal(SignalKind::terminate()) {
            tokio::select! {
                _ = tokio::signal::ctrl_c() => {}
                _ = terminate.recv() => {}
            }
            return;
        }
    }
    let _ = tokio::signal::ctrl_c().await;
}
