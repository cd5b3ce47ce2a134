//! The product as an engine of cases, through its public face.
//!
//! Apart from the adapters of conformance, since here one policy answers many queries and what is compared is the
//! whole answer: the term's text, the JSON text, the error's text. Faults are planted here.

use std::panic::{self, AssertUnwindSafe};
use std::sync::Arc;

use lictor::http::{HttpFault, HttpRequest, HttpResponse, LookupFault};
use lictor::{
    Answer as Decision, CustomBuiltin, Document, Engine, EvalError, Host, Input, Limits, Options, Passes,
    Policy, Query, QueryOptions, RegoVersion, Session, Value, json,
};
use lictor_syntax::ast::Module;
use lictor_vm::Scratch;

use super::faults::{self, Place};
use super::outside;
use super::peer::{self, Answer, Fault, NOW_NS, Outcome, Request};

/// What one evaluation may take.
const LIMITS: Limits = Limits { steps_max: 50_000_000, bytes_max: 256 << 20, depth_max: 10_000 };

/// The world of a case: the clock stands still and prints go nowhere.
#[derive(Debug)]
struct World;

impl Host for World {
    fn now_ns(&self) -> i64 {
        NOW_NS
    }

    fn wants_print(&self) -> bool {
        true
    }

    fn send_http(&self, request: &HttpRequest, ended: &dyn Fn() -> bool) -> Result<HttpResponse, HttpFault> {
        outside::send(request, ended)
    }

    fn lookup_ip(&self, name: &str, ended: &dyn Fn() -> bool) -> Result<Vec<String>, LookupFault> {
        outside::lookup(name, ended)
    }
}

/// The product.
#[derive(Debug)]
pub struct Own {
    session: Session,
    scratch: Scratch,
    fault: Option<faults::Fault>,
}

impl Default for Own {
    fn default() -> Self {
        Self { session: Session::new(Arc::new(World)), scratch: Scratch::new(), fault: None }
    }
}

impl Own {
    /// Returns the product with a fault planted in it.
    #[must_use]
    pub fn spoiled(fault: faults::Fault) -> Self {
        Self { fault: Some(fault), ..Self::default() }
    }

    /// Returns what the product makes of a case, with these passes. A panic is an answer too.
    pub fn ask(&mut self, request: &Request, passes: Passes) -> Answer {
        let changed = match self.fault.map(|it| it.place) {
            Some(Place::Request(change)) => {
                let mut changed = request.clone();
                change(&mut changed);
                Some(changed)
            }
            _ => None,
        };
        let request = changed.as_ref().unwrap_or(request);
        let asked = panic::catch_unwind(AssertUnwindSafe(|| self.decide(request, passes)));
        let mut answer = asked.unwrap_or_else(|cause| {
            let text = cause.downcast_ref::<String>().cloned();
            let text = text.or_else(|| cause.downcast_ref::<&str>().map(|it| (*it).to_owned()));
            self.session = Session::new(Arc::new(World));
            Answer::Refused(vec![fault("panic", text.unwrap_or_default())])
        });
        if let (Some(Place::Answer(change)), Answer::Decided(outcomes)) =
            (self.fault.map(|it| it.place), &mut answer)
        {
            outcomes.iter_mut().for_each(change);
        }
        answer
    }

    fn decide(&mut self, request: &Request, passes: Passes) -> Answer {
        let options = Options {
            strict_builtin_errors: request.strict,
            print: true,
            limits: LIMITS,
            error_limit: 0,
            passes,
            ..Options::default()
        };
        let mut engine = Engine::new(options);
        if let Some(Place::Builtin(name, function)) = self.fault.map(|it| it.place)
            && let Some((_, row)) = lictor_runtime::builtin_named(name)
        {
            let builtin = CustomBuiltin::new(name, row.declaration, function);
            let builtin = CustomBuiltin { impure: row.impure, blocking: row.blocking, ..builtin };
            if let Err(err) = engine.add_builtin(builtin) {
                return Answer::Refused(vec![fault("declaration", err.to_string())]);
            }
        }
        for module in &request.modules {
            let version = if module.v0 { RegoVersion::V0 } else { RegoVersion::V1 };
            engine.add_module(&module.name, module.text.as_bytes(), Some(version));
        }
        if let Err(err) = engine.add_data_json(&[], "data.json", request.data.as_bytes()) {
            return Answer::Refused(vec![fault("data", err.to_string())]);
        }
        match engine.compile() {
            Ok(policy) => Answer::Decided(self.outcomes(request, &policy, engine.modules())),
            Err(faults) => {
                let found = faults.diagnostics().iter().filter(|it| !it.recovered);
                Answer::Refused(found.map(diagnostic).collect())
            }
        }
    }

    fn outcomes(&mut self, request: &Request, policy: &Policy, modules: &[Module]) -> Vec<Outcome> {
        let mut out = Vec::with_capacity(request.decisions());
        for asked in &request.queries {
            if let Some(Place::Plan(change)) = self.fault.map(|it| it.place)
                && !asked.bindings
            {
                let path: Vec<&str> = asked.text.split('.').skip(1).collect();
                let program = faults::plans::program(modules.to_vec(), &path, request.strict, change);
                out.extend(self.planned(request, asked, program.as_ref(), policy));
                continue;
            }
            let prepared = if asked.bindings {
                policy.bindings(&asked.text, &QueryOptions::default())
            } else {
                policy.prepare(&asked.text)
            };
            match prepared {
                Ok(query) => out.extend(asked.inputs.iter().map(|it| self.outcome(&query, it.as_deref()))),
                Err(faults) => {
                    let first = faults.diagnostics().first().map(diagnostic);
                    let refused = Outcome::Error(first.unwrap_or_else(|| fault("none", String::new())));
                    out.extend(asked.inputs.iter().map(|_| refused.clone()));
                }
            }
        }
        out
    }

    /// Answers from a program that was made apart.
    fn planned(
        &mut self,
        request: &Request,
        asked: &peer::Query,
        program: Option<&lictor_vm::Program>,
        policy: &Policy,
    ) -> Vec<Outcome> {
        let path = asked.text.split('.').skip(1).collect::<Vec<_>>().join("/");
        let mut one = |input: Option<&str>| {
            let program = program?;
            let input = input.map(|it| json::read_document(it.as_bytes())).transpose().ok()?;
            let input = input.as_ref().map(Document::root);
            let request = lictor_vm::Request {
                entrypoint: program.entrypoint(&path)?,
                input: input.map_or(lictor_vm::Input::Undefined, lictor_vm::Input::Value),
                data: policy.data(),
                derived: None,
                host: &World,
                limits: LIMITS,
                strict: request.strict,
                allow_net: None,
            };
            let outcome = self.scratch.eval(program, request, decision_outcome);
            Some(outcome.unwrap_or_else(|err| error_outcome(&err)))
        };
        // What cannot be asked is not compared.
        asked.inputs.iter().map(|it| one(it.as_deref()).unwrap_or_else(Outcome::cancelled)).collect()
    }

    fn outcome(&mut self, query: &Query, input: Option<&str>) -> Outcome {
        let input = input.map_or(Input::Undefined, |it| Input::Json(it.as_bytes()));
        let outcome = query.decide(&mut self.session, input, decision_outcome);
        outcome.unwrap_or_else(|err| error_outcome(&err))
    }
}

fn decision_outcome(decision: Decision<'_, '_>) -> Outcome {
    match decision {
        Decision::Value(Some(value)) => value_outcome(value),
        Decision::Value(None) => Outcome::Undefined,
        Decision::Bindings(solutions) => {
            let mut sorted: Vec<Value<'_>> = solutions.to_vec();
            sorted.sort_by(|a, b| lictor_value::compare(*a, *b));
            let all: Vec<Outcome> = sorted.into_iter().map(value_outcome).collect();
            list_outcome(&all)
        }
    }
}

fn error_outcome(err: &EvalError) -> Outcome {
    Outcome::Error(Fault {
        code: err.code().as_str().to_owned(),
        message: err.message().to_owned(),
        file: err.position().map(|it| it.file.clone()).unwrap_or_default(),
        row: err.position().map_or(0, |it| it.row),
    })
}

fn value_outcome(value: Value<'_>) -> Outcome {
    let mut term = Vec::new();
    value.write_shown(&mut term, lictor_runtime::go::unicode::is_print);
    Outcome::Value { term: String::from_utf8_lossy(&term).into_owned(), json: Some(value.to_json()) }
}

/// Returns the list of values.
fn list_outcome(values: &[Outcome]) -> Outcome {
    let text = |json: bool, value: &Outcome| match value {
        Outcome::Value { json: Some(text), .. } if json => text.clone(),
        Outcome::Value { term, .. } => term.clone(),
        Outcome::Undefined | Outcome::Error(_) => String::new(),
    };
    let texts = |json: bool| values.iter().map(|it| text(json, it)).collect::<Vec<_>>();
    Outcome::Value {
        term: format!("[{}]", texts(false).join(", ")),
        json: Some(format!("[{}]", texts(true).join(","))),
    }
}

fn fault(code: &str, message: String) -> Fault {
    Fault { code: code.to_owned(), message, file: String::new(), row: 0 }
}

fn diagnostic(it: &lictor::Diagnostic) -> Fault {
    let row = it.location.as_ref().map_or(0, |it| it.position.row);
    Fault { row, ..fault(it.code, it.message.clone()) }
}
