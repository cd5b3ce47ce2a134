//! Threads for decisions that may wait for something outside, so that no serving thread waits with them.
//!
//! Threads come as they are needed, up to a limit, and go when there is nothing to do; what waits for one is bounded
//! too. Each thread has a core of its own. A client that leaves takes its decision along: the host is told. It knows
//! endpoints as functions and nothing of HTTP.

use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use lictor::Host;
use lictor::http::{HttpFault, HttpRequest, HttpResponse, LookupFault};
use tokio::sync::oneshot;

use crate::connection::guarded;
use crate::core::{Core, Shared};
use crate::log::{Field, Level};
use crate::reply::{Reply, codes};
use crate::request::Request;
use crate::router::Endpoint;

/// A thread with nothing to do ends after this time.
const IDLE: Duration = Duration::from_secs(10);

/// Is the decisions that may wait, and the threads that take them.
#[derive(Default)]
pub(crate) struct Waiting {
    state: Mutex<State>,
    signal: Condvar,
}

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    threads: usize,
    idle: usize,
}

/// Is a request to be answered.
struct Job {
    endpoint: Endpoint,
    request: Request,
    /// Set when nobody waits for the answer any more.
    left: Arc<AtomicBool>,
    reply: oneshot::Sender<Reply>,
}

/// Tells a decision that its client left, when it is dropped.
struct Client(Arc<AtomicBool>);

impl Drop for Client {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
    }
}

/// Answers a request on a thread that may wait.
pub(crate) async fn answer(shared: &Arc<Shared>, endpoint: Endpoint, request: Request) -> Reply {
    let client = Client(Arc::default());
    let (sender, receiver) = oneshot::channel();
    let job = Job { endpoint, request, left: Arc::clone(&client.0), reply: sender };
    if let Err(refusal) = push(shared, job) {
        return refusal;
    }
    let reply = receiver.await;
    drop(client);
    reply.unwrap_or_else(|_| Reply::error(500, codes::INTERNAL, "the request was not answered"))
}

fn lock(waiting: &Waiting) -> MutexGuard<'_, State> {
    waiting.state.lock().unwrap_or_else(PoisonError::into_inner)
}

fn push(shared: &Arc<Shared>, job: Job) -> Result<(), Reply> {
    let busy = || Reply::error(503, codes::INTERNAL, "too many requests wait for something outside");
    let waiting = &shared.waiting;
    let mut state = lock(waiting);
    if state.jobs.len() >= shared.config.waiting_requests_max {
        return Err(busy());
    }
    if state.idle <= state.jobs.len() && state.threads < shared.config.waiting_threads_max {
        let own = Arc::clone(shared);
        let spawned = thread::Builder::new().name("waiting".to_owned()).spawn(move || serve(&own));
        match spawned {
            Ok(_) => state.threads += 1,
            Err(error) if state.threads == 0 => {
                let text = error.to_string();
                shared.config.log.write(
                    Level::Error,
                    "No thread for a request.",
                    &[("err", Field::Text(&text))],
                );
                return Err(busy());
            }
            // Those that are there will get to it.
            Err(_) => {}
        }
    }
    state.jobs.push_back(job);
    drop(state);
    waiting.signal.notify_one();
    Ok(())
}

/// Answers requests until there are none for a while.
fn serve(shared: &Arc<Shared>) {
    let host = Arc::new(Leaving { host: Arc::clone(&shared.host), left: Mutex::default() });
    let core = Core::waiting(Arc::clone(shared), Arc::clone(&host) as Arc<dyn Host>);
    while let Some(job) = next(&shared.waiting) {
        if job.left.load(Ordering::Relaxed) {
            continue;
        }
        *host.left.lock().unwrap_or_else(PoisonError::into_inner) = Arc::clone(&job.left);
        let reply = guarded(&core, job.endpoint, &job.request);
        let unanswered = || Reply::error(500, codes::INTERNAL, "the request was not answered");
        // A client that left does not hear the answer.
        let _ = job.reply.send(reply.unwrap_or_else(|_| unanswered()));
    }
}

fn next(waiting: &Waiting) -> Option<Job> {
    let mut state = lock(waiting);
    loop {
        if let Some(job) = state.jobs.pop_front() {
            return Some(job);
        }
        state.idle += 1;
        let (back, timed) = waiting.signal.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
        state = back;
        state.idle -= 1;
        if timed.timed_out() && state.jobs.is_empty() {
            state.threads -= 1;
            return None;
        }
    }
}

/// Is the server's host, and whether the client of the present decision left.
struct Leaving {
    host: Arc<dyn Host>,
    left: Mutex<Arc<AtomicBool>>,
}

impl Leaving {
    fn has_left(&self) -> bool {
        self.left.lock().unwrap_or_else(PoisonError::into_inner).load(Ordering::Relaxed)
    }
}

impl Host for Leaving {
    fn now_ns(&self) -> i64 {
        self.host.now_ns()
    }

    fn cancelled(&self) -> bool {
        self.has_left() || self.host.cancelled()
    }

    fn fill_random(&self, bytes: &mut [u8]) {
        self.host.fill_random(bytes);
    }

    fn wants_print(&self) -> bool {
        self.host.wants_print()
    }

    fn print(&self, position: &str, line: &str) {
        self.host.print(position, line);
    }

    fn note(&self, message: &str) {
        self.host.note(message);
    }

    fn runtime_json(&self) -> String {
        self.host.runtime_json()
    }

    fn send_http(&self, request: &HttpRequest, ended: &dyn Fn() -> bool) -> Result<HttpResponse, HttpFault> {
        self.host.send_http(request, ended)
    }

    fn keeps_http(&self) -> bool {
        self.host.keeps_http()
    }

    fn lookup_ip(&self, name: &str, ended: &dyn Fn() -> bool) -> Result<Vec<String>, LookupFault> {
        self.host.lookup_ip(name, ended)
    }
}
