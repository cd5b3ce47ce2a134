//! Kills a server while bundles are swapped and kept on disk.
//!
//! A service in this process has another bundle at every request. The server fetches without a pause and keeps what
//! it activated. It is killed at a time that the seed says, and started again while the service is away: then it must
//! answer from a whole bundle, none older than the last that was known to be kept. Data, rule and revision of a
//! bundle say the same number, so that a mixture shows.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::path::Path;
use std::process::{Child, ChildStderr, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use std::{fs, thread};

use lictor::bundle::write_archive;
use lictor_testkit::mutate::Random;

use crate::{Options, members};

/// Nothing takes longer that does not hang.
const PATIENCE: Duration = Duration::from_secs(60);
/// A server is killed at most so long after it has activated a bundle.
const DELAY_US_MAX: usize = 40_000;
/// Kills as often as the options say; the closing line comes back, and whether nothing failed.
pub(crate) fn run(options: &Options) -> Result<(String, bool), String> {
    let service = Service::start().map_err(|it| it.to_string())?;
    fs::create_dir_all(&options.folder).map_err(|it| it.to_string())?;
    let config = options.folder.join("config.yaml");
    fs::write(&config, configuration(&service, &options.folder)).map_err(|it| it.to_string())?;
    let (start, mut kills, mut failed) = (Instant::now(), 0, 0);
    let mut slowest = Duration::ZERO;
    let mut server = Server::start(&options.program, &config)?;
    // An earlier run may have left a bundle behind.
    let mut kept = server.number().unwrap_or(0);
    service.number.store(kept, Ordering::Release);
    for round in options.start..options.start.saturating_add(options.count) {
        if start.elapsed().as_secs() >= options.seconds {
            break;
        }
        service.is_away.store(false, Ordering::Release);
        let next = server.wait_for(kept)?;
        let mut random = Random::new(options.seed.wrapping_mul(1 << 32).wrapping_add(round));
        thread::sleep(Duration::from_micros(random.below(DELAY_US_MAX) as u64));
        server.kill()?;
        kills += 1;
        service.is_away.store(true, Ordering::Release);
        let restarted = Instant::now();
        server = Server::start(&options.program, &config)?;
        slowest = slowest.max(restarted.elapsed());
        match server.number() {
            Ok(number) if number >= next && number <= service.last() => kept = number,
            found => {
                failed += 1;
                let last = service.last();
                let line =
                    format!("round {round}: wanted a whole bundle from {next} to {last}, found {found:?}");
                drop(writeln!(io::stderr(), "{line}"));
                kept = service.last();
            }
        }
    }
    server.kill()?;
    let (seed, slowest) = (options.seed, slowest.as_millis());
    let line = format!("seed {seed}: {kills} kills, {failed} failed, slowest start {slowest} ms");
    Ok((line, failed == 0))
}

fn configuration(service: &Service, folder: &Path) -> String {
    let persistence = folder.join("kept");
    format!(
        "services: {{s: {{url: 'http://127.0.0.1:{}'}}}}\npersistence_directory: '{}'\nbundles:\n  \
         k: {{resource: k.tar.gz, persist: true, polling: {{min_delay_seconds: 0, max_delay_seconds: 0}}}}\n",
        service.port,
        persistence.display()
    )
}

/// A service with a new bundle at every request.
struct Service {
    port: u16,
    number: Arc<AtomicU64>,
    is_away: Arc<AtomicBool>,
}

impl Service {
    fn start() -> io::Result<Self> {
        let listener = TcpListener::bind("127.0.0.1:0")?;
        let port = listener.local_addr()?.port();
        let (number, is_away) = (Arc::new(AtomicU64::new(0)), Arc::new(AtomicBool::new(true)));
        let (counter, away) = (Arc::clone(&number), Arc::clone(&is_away));
        thread::spawn(move || {
            for stream in listener.incoming().flatten() {
                let away = away.load(Ordering::Acquire);
                // A client that was killed is its own concern.
                drop(answer(stream, || (!away).then(|| counter.fetch_add(1, Ordering::AcqRel) + 1)));
            }
        });
        Ok(Self { port, number, is_away })
    }

    /// Returns the number of the newest bundle.
    fn last(&self) -> u64 {
        self.number.load(Ordering::Acquire)
    }
}

/// Answers a request with the bundle of the next number, if there is one.
fn answer(mut stream: TcpStream, next: impl FnOnce() -> Option<u64>) -> io::Result<()> {
    let mut lines = BufReader::new(stream.try_clone()?).lines();
    while lines.next().transpose()?.is_some_and(|it| !it.is_empty()) {}
    let (status, body) = match next() {
        Some(number) => ("200 OK", bundle(number)?),
        None => ("503 Service Unavailable", Vec::new()),
    };
    let length = body.len();
    let head = format!("HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {length}\r\n\r\n");
    stream.write_all(&[head.as_bytes(), &body].concat())
}

fn bundle(number: u64) -> io::Result<Vec<u8>> {
    let members = members(number).map(|(path, text)| (path.to_owned(), text.into_bytes()));
    let mut archive = Vec::new();
    write_archive(&members, &mut archive)?;
    Ok(archive)
}

/// A server that runs.
struct Server {
    child: Child,
    address: String,
}

impl Server {
    /// Starts a server and returns once it answers.
    fn start(program: &Path, config: &Path) -> Result<Self, String> {
        let mut command = Command::new(program);
        command.args(["run", "--server", "--addr", "127.0.0.1:0", "--config-file"]).arg(config);
        let mut child = command
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::piped())
            .spawn()
            .map_err(|it| format!("cannot start {}: {it}", program.display()))?;
        let output = child.stderr.take().ok_or("the server has no pipe")?;
        let address = address(output)?;
        let server = Self { child, address };
        server.get("/health")?;
        Ok(server)
    }

    /// Kills the server as a system that fails does: it has no say in it.
    fn kill(&mut self) -> Result<(), String> {
        self.child.kill().and_then(|()| self.child.wait()).map(drop).map_err(|it| it.to_string())
    }

    /// Waits until a later bundle than this one was activated and kept, and returns its number: it is kept once there
    /// is another one, which is not asked for before.
    fn wait_for(&self, after: u64) -> Result<u64, String> {
        let start = Instant::now();
        let mut seen = None;
        loop {
            match (self.number(), seen) {
                (Ok(number), Some(seen)) if number > seen => return Ok(seen),
                (Ok(number), None) if number > after => seen = Some(number),
                _ if start.elapsed() > PATIENCE => return Err(format!("no bundle came after {after}")),
                _ => thread::sleep(Duration::from_millis(2)),
            }
        }
    }

    /// Returns the number of the bundle that is active, if everything of it says the same.
    fn number(&self) -> Result<u64, String> {
        let body = self.get("/v1/data?provenance")?;
        let fields = ["\"first\":", "\"last\":", "\"number\":", "\"k\":{\"revision\":\""];
        let numbers: Vec<Option<u64>> = fields.iter().map(|it| behind(&body, it)).collect();
        match numbers.as_slice() {
            [Some(first), rest @ ..] if rest.iter().all(|it| *it == Some(*first)) => Ok(*first),
            _ => Err(format!("numbers {numbers:?}")),
        }
    }

    fn get(&self, target: &str) -> Result<String, String> {
        let ask = || {
            let mut stream = TcpStream::connect(&self.address)?;
            stream.set_read_timeout(Some(PATIENCE))?;
            stream.write_all(
                format!("GET {target} HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n").as_bytes(),
            )?;
            let mut text = String::new();
            stream.read_to_string(&mut text).map(|_| text)
        };
        ask().map_err(|it: io::Error| format!("{target}: {it}"))
    }
}

/// Returns the number behind a text.
fn behind(body: &str, before: &str) -> Option<u64> {
    let digits: String = body.split_once(before)?.1.chars().take_while(char::is_ascii_digit).collect();
    digits.parse().ok()
}

/// Reads the log up to the line with the address, and lets a thread take the rest.
fn address(output: ChildStderr) -> Result<String, String> {
    let mut lines = BufReader::new(output);
    let mut line = String::new();
    loop {
        line.clear();
        if lines.read_line(&mut line).map_err(|it| it.to_string())? == 0 {
            return Err("the server ended before it served".to_owned());
        }
        if let Some((address, _)) = line.split_once("{\"addrs\":[\"").and_then(|it| it.1.split_once('"')) {
            let address = address.to_owned();
            thread::spawn(move || io::copy(&mut lines, &mut io::sink()));
            return Ok(address);
        }
    }
}
