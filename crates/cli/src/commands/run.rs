//! `lictor run --server`: serves decisions over HTTP.
//!
//! It turns flags into the server's configuration and waits for signals; sockets and requests are the server's. The
//! interactive mode of OPA's command is refused by name.

use std::sync::Arc;
use std::time::Duration;

use lictor::http::{HttpFault, HttpRequest, HttpResponse, LookupFault};
use lictor::{Composition, Engine, Host, Options};
use lictor_bundle::Trust;
use lictor_management::config::ExternalConfig;
use lictor_management::{CacheLimits, Outgoing, Patience, Redis};
use lictor_server::{Config, Server, Start};

use crate::beside;
use crate::commands::Failure;
use crate::fault;
use crate::flags::Parsed;
use crate::host::{self, LANGUAGE_VERSION};
use crate::load::{BundleFault, Loader};
use crate::output::error_line;
use crate::setup;
use crate::signing;
use crate::timers::Timers;
use crate::workers::Threads;

/// Exit code for a server that cannot start.
const FAULT_EXIT: u8 = 1;

pub(crate) fn run(flags: &Parsed) -> Result<u8, Failure> {
    if !flags.is_on("server") {
        return Err(Failure::Usage(
            "the interactive shell is not supported by this version of lictor; use --server".to_owned(),
        ));
    }
    let failed = |message: String| Failure::Text(format!("error: {message}"), FAULT_EXIT);
    let configuration = beside::configuration(flags).map_err(failed)?;
    let config = Config { default_decision: configuration.default_decision(), ..config(flags)? };
    let log = config.log;
    let trust = trust(flags).map_err(failed)?;
    let start = start(flags, trust, configuration.external()).map_err(failed)?;
    let server =
        Server::bind(config, start, Arc::new(World::new())).map_err(|error| failed(error.to_string()))?;
    server.stop_on_signals().map_err(|error| failed(error.to_string()))?;
    let manager = beside::start(configuration, log, &server).map_err(failed)?;
    server.run().map_err(|error| failed(error.to_string()))?;
    drop(manager);
    Ok(0)
}

fn config(flags: &Parsed) -> Result<Config, Failure> {
    let grace = u64::try_from(flags.number("shutdown-grace-period"))
        .map_err(|_| Failure::Usage("specify a --shutdown-grace-period of at least 0".to_owned()))?;
    let mut addresses: Vec<String> = flags.list("addr").into_iter().map(str::to_owned).collect();
    if addresses.is_empty() {
        let default = if flags.is_on("v0-compatible") { ":8181" } else { "localhost:8181" };
        addresses.push(default.to_owned());
    }
    let log = setup::log(flags);
    Ok(Config {
        addresses,
        threads: std::thread::available_parallelism().map_or(1, usize::from),
        grace: Duration::from_secs(grace),
        log,
        build: [
            LANGUAGE_VERSION.to_owned(),
            option_env!("LICTOR_BUILD_COMMIT").unwrap_or_default().to_owned(),
            option_env!("LICTOR_BUILD_TIMESTAMP").unwrap_or_default().to_owned(),
            option_env!("LICTOR_BUILD_HOSTNAME").unwrap_or_default().to_owned(),
        ],
        ..Config::default()
    })
}

/// Returns what signatures of bundles count for.
fn trust(flags: &Parsed) -> Result<Trust, String> {
    let verification = signing::verification(flags)?;
    if verification.is_some() && !flags.is_on("bundle") {
        return Err("enable bundle mode (ie. --bundle) to verify bundle files or directories".to_owned());
    }
    Ok(if flags.is_on("skip-verify") { Trust::Unchecked } else { signing::trust(verification) })
}

/// Returns the policy, and what it is made of.
fn start(flags: &Parsed, trust: Trust, external: &[ExternalConfig]) -> Result<Start, String> {
    let mut engine = Engine::new(Options {
        version: setup::version(flags),
        print: true,
        error_limit: usize::try_from(flags.number("max-errors")).unwrap_or(0),
        workers: Threads::all(),
        ..Options::default()
    });
    for ExternalConfig { path, redis, limits } in external {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let mounted = engine.mount(&path, Arc::new(Redis::new(redis.clone())), *limits);
        mounted.map_err(|error| format!("config error: {error}"))?;
    }
    let ignore = flags.list("ignore");
    let mut timers = Timers::default();
    let mut loader = Loader::new(&mut engine, &mut timers).ignoring(&ignore).trusting(trust);
    let mut files = flags.list("data");
    let paths: Vec<&str> = flags.arguments.iter().map(String::as_str).collect();
    let failed = |fault: BundleFault| {
        let at = match fault {
            BundleFault::Activation(_) | BundleFault::Store(_) => "initialization",
            BundleFault::Load(..) | BundleFault::Path(..) => "load",
        };
        format!("{at} error: {}", fault.text())
    };
    let mut archives = Vec::new();
    if flags.is_on("bundle") {
        loader.load_bundles(&paths).map_err(failed)?;
    } else {
        // Archives are bundles without being called so.
        let others: Vec<&str>;
        (archives, others) = paths.iter().partition(|it| it.ends_with(".tar.gz"));
        files.extend(others);
    }
    let during = " during loading";
    loader
        .load_files(&files)
        .map_err(|faults| format!("load error: {}", fault::list_text(&faults, during)))?;
    if !archives.is_empty() {
        loader.load_bundles(&archives).map_err(failed)?;
    }
    let owners = loader.owners();
    let policy = engine.compile().and_then(|policy| policy.check_data().map(|()| policy));
    let policy = policy.map_err(|faults| format!("initialization error: {faults}"))?;
    Ok(Start { policy, composition: Composition::new(engine, owners) })
}

/// Is the host of a server: there is no deadline but the engine's own limits.
#[derive(Debug)]
struct World {
    outgoing: Outgoing,
}

impl World {
    fn new() -> Self {
        let cache = Some(CacheLimits::default());
        Self { outgoing: Outgoing::new(lictor_management::Options { cache, ..host::outgoing_options() }) }
    }
}

impl Host for World {
    fn now_ns(&self) -> i64 {
        host::now_ns()
    }

    fn fill_random(&self, bytes: &mut [u8]) {
        host::fill_random(bytes);
    }

    fn wants_print(&self) -> bool {
        true
    }

    fn print(&self, position: &str, line: &str) {
        error_line(&format!("{position}: {line}"));
    }

    fn runtime_json(&self) -> String {
        host::runtime_json()
    }

    fn send_http(&self, request: &HttpRequest, ended: &dyn Fn() -> bool) -> Result<HttpResponse, HttpFault> {
        self.outgoing.send(request, &Patience { deadline: None, cancelled: ended })
    }

    fn keeps_http(&self) -> bool {
        self.outgoing.keeps_answers()
    }

    fn lookup_ip(&self, name: &str, ended: &dyn Fn() -> bool) -> Result<Vec<String>, LookupFault> {
        self.outgoing.lookup(name, &Patience { deadline: None, cancelled: ended })
    }
}
