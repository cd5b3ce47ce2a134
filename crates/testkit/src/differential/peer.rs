//! OPA as a resident program: asked through pipes, one frame a policy.
//!
//! The program is that of `crates/testkit/peers/opa`. It outlives cases, so that only its compiler costs. It is
//! started anew when it dies, and the case that killed it is a difference of its own.

use std::collections::BTreeMap;
use std::io::{self, BufReader, BufWriter, Read, Write};
use std::process::{Child, ChildStdin, Command, Stdio};
use std::sync::mpsc::{self, Receiver, RecvTimeoutError};
use std::thread;
use std::time::Duration;

use serde::{Deserialize, Serialize};

use super::generate::{Case, Version};
use super::outside;

/// The time that every case takes place at, in nanoseconds since the epoch.
pub const NOW_NS: i64 = 1_700_000_000_123_456_789;
/// What one evaluation may take.
const BUDGET_MS: u64 = 3_000;
/// What the rest of a case may take: OPA's compiler knows no budget, nor do some of its built-ins.
const PATIENCE_MS: u64 = 20_000;
/// The code of an evaluation that was ended from outside, which is never compared.
pub(super) const CANCELLED: &str = "eval_cancel_error";

/// What an engine makes of a case.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Answer {
    /// The modules are refused.
    Refused(Vec<Fault>),
    /// An outcome for each query and each input in turn.
    Decided(Vec<Outcome>),
}

/// What an evaluation came to.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Outcome {
    /// A value, as a Rego term and as JSON.
    Value {
        /// The term.
        term: String,
        /// The JSON text, if the value can be written as JSON.
        json: Option<String>,
    },
    /// No value.
    Undefined,
    /// An error.
    Error(Fault),
}

/// An error with its code and text.
#[derive(Clone, PartialEq, Eq, Debug, Deserialize)]
pub struct Fault {
    /// The code.
    pub code: String,
    /// The text.
    pub message: String,
    /// The file, if it is known.
    #[serde(default)]
    pub file: String,
    /// The row, if it is known.
    #[serde(default)]
    pub row: u32,
}

/// A case as text, which is what engines are asked.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Request {
    /// The modules.
    pub modules: Vec<Source>,
    /// The base data as JSON.
    pub data: String,
    /// Whether errors of built-ins end evaluations.
    pub strict: bool,
    /// The clock.
    pub now_ns: i64,
    /// What one evaluation may take.
    pub budget_ms: u64,
    /// Whether OPA may use its rule index; it answers alike without, but for faults of the index.
    pub indexing: bool,
    /// Whether errors of built-ins end nothing and are collected instead.
    pub survey: bool,
    /// Whether each rule is asked for instead, without those that give the same document, with the inputs of the first
    /// query.
    pub apart: bool,
    /// Whether OPA evaluates rules in the opposite order.
    pub reversed: bool,
    /// Rows of `docs/compatibility/opa.md`: what they tell of is put right in OPA.
    pub mended: Vec<u8>,
    /// The queries.
    pub queries: Vec<Query>,
}

/// A module as text.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Source {
    /// The name of the file.
    pub name: String,
    /// The text.
    pub text: String,
    /// Whether it is Rego v0.
    pub v0: bool,
}

/// A query with its inputs.
#[derive(Clone, PartialEq, Eq, Debug, Serialize)]
pub struct Query {
    /// A reference, or a query.
    pub text: String,
    /// Whether all bindings of a query are asked for.
    pub bindings: bool,
    /// The inputs as JSON; none stands for no input.
    pub inputs: Vec<Option<String>>,
}

#[derive(Deserialize)]
struct Reply {
    #[serde(default)]
    faults: Vec<Fault>,
    #[serde(default)]
    outcomes: Vec<Verdict>,
    #[serde(default)]
    results: BTreeMap<String, u64>,
}

#[derive(Deserialize)]
struct Verdict {
    term: Option<String>,
    json: Option<String>,
    error: Option<Fault>,
    #[serde(default)]
    errors: Vec<Fault>,
}

impl Request {
    /// Returns a case as text.
    #[must_use]
    pub fn of(case: &Case) -> Self {
        let inputs: Vec<Option<String>> =
            case.inputs.iter().map(|it| it.as_ref().map(|it| it.print())).collect();
        let modules = case.modules.iter().map(|it| Source {
            name: it.name.clone(),
            text: it.tree.print(),
            v0: it.version == Version::V0,
        });
        let queries = case.queries.iter().map(|it| Query {
            text: it.text.clone(),
            bindings: it.bindings,
            inputs: inputs.clone(),
        });
        Self {
            modules: modules.collect(),
            data: case.data.print().replace(outside::PLACEHOLDER, outside::address()),
            strict: case.strict,
            now_ns: NOW_NS,
            budget_ms: BUDGET_MS,
            indexing: true,
            survey: false,
            apart: false,
            reversed: false,
            mended: Vec::new(),
            queries: queries.collect(),
        }
    }

    /// Returns how many decisions are asked for.
    #[must_use]
    pub fn decisions(&self) -> usize {
        self.queries.iter().map(|it| it.inputs.len()).sum()
    }

    /// How long to wait for an answer. That of many slow decisions is not waited for.
    fn patience(&self) -> Duration {
        Duration::from_millis(self.budget_ms + PATIENCE_MS)
    }
}

impl Outcome {
    /// Returns what stands for an answer that there is none of.
    pub(super) fn cancelled() -> Self {
        let (code, message, file) = (CANCELLED.to_owned(), String::new(), String::new());
        Self::Error(Fault { code, message, file, row: 0 })
    }
}

/// The running program.
#[derive(Debug)]
pub struct Peer {
    path: String,
    process: Option<Process>,
}

#[derive(Debug)]
struct Process {
    child: Child,
    input: BufWriter<ChildStdin>,
    /// What a thread reads from the program; it ends with the program.
    replies: Receiver<io::Result<Vec<u8>>>,
}

impl Peer {
    /// Returns the peer of a program, which is started when it is asked first.
    #[must_use]
    pub fn new(path: &str) -> Self {
        Self { path: path.to_owned(), process: None }
    }

    /// Returns what OPA makes of a case. If it makes nothing of it in time, all outcomes are cancelled.
    ///
    /// # Errors
    /// When the program cannot be started or dies.
    pub fn ask(&mut self, request: &Request) -> Result<Answer, String> {
        let frame = serde_json::to_vec(request).map_err(|err| err.to_string())?;
        let Some(reply) = self.exchange(&frame, request.patience())? else {
            return Ok(Answer::Decided(vec![Outcome::cancelled(); request.decisions()]));
        };
        if !reply.faults.is_empty() {
            return Ok(Answer::Refused(reply.faults));
        }
        Ok(Answer::Decided(reply.outcomes.into_iter().map(Verdict::outcome).collect()))
    }

    /// Returns all errors that OPA meets on its way, for each query and input in turn.
    ///
    /// # Errors
    /// When the program cannot be started or dies.
    pub fn survey(&mut self, request: &Request) -> Result<Vec<Vec<Fault>>, String> {
        let request = Request { survey: true, indexing: false, ..request.clone() };
        let frame = serde_json::to_vec(&request).map_err(|err| err.to_string())?;
        let reply = self.exchange(&frame, request.patience())?;
        let outcomes = reply.map(|it| it.outcomes).unwrap_or_default().into_iter();
        Ok(outcomes.map(|it| it.errors.into_iter().chain(it.error).collect()).collect())
    }

    /// Returns how often each built-in gave a result since this was asked last.
    ///
    /// # Errors
    /// When the program cannot be started or dies.
    pub fn results(&mut self) -> Result<BTreeMap<String, u64>, String> {
        let reply = self.exchange(b"{\"stats\":true}", Duration::from_millis(PATIENCE_MS))?;
        Ok(reply.map(|it| it.results).unwrap_or_default())
    }

    /// Returns the reply to a frame; none, and the program is gone, if it takes longer than that.
    fn exchange(&mut self, frame: &[u8], patience: Duration) -> Result<Option<Reply>, String> {
        let process = match &mut self.process {
            Some(process) => process,
            none => none.insert(Process::start(&self.path)?),
        };
        let reply = process.exchange(frame, patience);
        if !matches!(reply, Ok(Some(_))) {
            self.process = None;
        }
        let Some(reply) = reply.map_err(|err| format!("the peer: {err}"))? else { return Ok(None) };
        serde_json::from_slice(&reply).map(Some).map_err(|err| format!("the peer's answer: {err}"))
    }
}

impl Process {
    fn start(path: &str) -> Result<Self, String> {
        let mut child = Command::new(path)
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            // Thousands of frames of Go when it runs out of stack; the case is reported.
            .stderr(Stdio::null())
            .spawn()
            .map_err(|err| format!("cannot start {path}: {err}"))?;
        let (Some(input), Some(output)) = (child.stdin.take(), child.stdout.take()) else {
            return Err("the peer has no pipes".to_owned());
        };
        let (sender, replies) = mpsc::channel();
        let mut output = BufReader::new(output);
        let reading = move || {
            loop {
                let reply = read_frame(&mut output);
                let ended = reply.is_err();
                if sender.send(reply).is_err() || ended {
                    return;
                }
            }
        };
        thread::Builder::new().spawn(reading).map_err(|err| format!("cannot read from {path}: {err}"))?;
        Ok(Self { child, input: BufWriter::new(input), replies })
    }

    fn exchange(&mut self, frame: &[u8], patience: Duration) -> io::Result<Option<Vec<u8>>> {
        let len = u32::try_from(frame.len()).map_err(io::Error::other)?;
        self.input.write_all(&len.to_le_bytes())?;
        self.input.write_all(frame)?;
        self.input.flush()?;
        match self.replies.recv_timeout(patience) {
            Ok(reply) => reply.map(Some),
            Err(RecvTimeoutError::Timeout) => Ok(None),
            Err(RecvTimeoutError::Disconnected) => Err(io::ErrorKind::UnexpectedEof.into()),
        }
    }
}

fn read_frame(output: &mut impl Read) -> io::Result<Vec<u8>> {
    let mut len = [0; 4];
    output.read_exact(&mut len)?;
    let mut reply = vec![0; u32::from_le_bytes(len) as usize];
    output.read_exact(&mut reply)?;
    Ok(reply)
}

impl Drop for Process {
    fn drop(&mut self) {
        // It may have died already.
        drop(self.child.kill());
        drop(self.child.wait());
    }
}

impl Verdict {
    fn outcome(self) -> Outcome {
        match (self.error, self.term) {
            (Some(fault), _) => Outcome::Error(fault),
            (None, Some(term)) => Outcome::Value { term, json: self.json },
            (None, None) => Outcome::Undefined,
        }
    }
}
