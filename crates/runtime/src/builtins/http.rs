//! `http.send`: a request to another machine, and the answer as a value.
//!
//! Here is the order in which things are looked at, and what equal requests of one evaluation share: one answer, or
//! one fault. Reading the operand is in `request`, shaping the answer in `response`. Sending is the host's.

mod fault;
mod media;
mod request;
mod response;

use lictor_value::{Document, Object, Value};

use crate::builtin::Builtin;
use crate::builtins::http::request::Asked;
use crate::builtins::operands::{Answer, answer, object};
use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};
use crate::http::HttpFault;

pub(crate) use crate::builtins::http::fault::Fault;
pub(crate) use crate::builtins::http::request::REQUEST_KEYS;

/// The rows of this family.
pub(crate) const BUILTINS: &[Builtin] = &[Builtin::blocking("http.send", "{str:any} -> {any:any}", send)];

/// Codes of answers that equal requests of one evaluation share.
const SHARED_CODES: &[u16] = &[200, 203, 204, 206, 300, 301, 404, 405, 410, 414, 501];

fn send<'e>(ctx: Context<'e>, args: &[Value<'e>]) -> Answer<'e> {
    let operand = object(args, 0)?;
    let raises = match operand.get_str("raise_error").map(|it| it.as_bool()) {
        None => true,
        Some(Some(raises)) => raises,
        Some(None) => return Err(BuiltinError::value("invalid value for raise_error field")),
    };
    match response(ctx, operand) {
        Ok(value) => answer(value),
        // A fault that the policy asked to see would be its answer, had the evaluation not ended meanwhile.
        Err(Failure::Ended(_)) if !raises => {
            Err(BuiltinError::new(ErrorKind::HaltCancel, "caller cancelled query execution"))
        }
        Err(Failure::Ended(error)) => Err(error),
        Err(Failure::Fault(fault)) if raises => Err(fault.raised()),
        Err(Failure::Fault(fault)) => answer(fault.as_value(ctx)),
    }
}

/// Why there is no response: the evaluation ends, or something that a policy may see.
enum Failure {
    Ended(BuiltinError),
    Fault(Fault),
}

impl From<Fault> for Failure {
    fn from(fault: Fault) -> Self {
        Self::Fault(fault)
    }
}

fn response<'e>(ctx: Context<'e>, operand: Object<'e>) -> Result<Value<'e>, Failure> {
    request::check_keys(operand).map_err(|it| fault::placed(ctx, &it))?;
    let key = request::key(ctx, operand)?;
    let caches = request::asks_to_keep(operand).map_err(|it| fault::placed(ctx, &it))?;
    let name = format!("http.send {key}");
    match ctx.caches.answers.get(&name) {
        Some(Ok(known)) => return Ok(known.root()),
        Some(Err(fault)) => return Err(Failure::Fault(fault.clone())),
        None => {}
    }
    // A host that keeps answers keeps them with how they are decoded, so that this is looked at before sending.
    let kept = caches.filter(|_| ctx.host.keeps_http());
    let decoding = || request::decoding(operand).map_err(|it| fault::placed(ctx, &it));
    let early = if kept.is_some() { Some(decoding()?) } else { None };
    let keep_fault = |fault: Fault| {
        ctx.caches.answers.push(name.clone(), Err(fault.clone()));
        Failure::Fault(fault)
    };
    let asked = Asked { key, caches: kept };
    let request = request::read(ctx, operand, asked).map_err(|it| keep_fault(fault::placed(ctx, &it)))?;
    let retries_max = request::retries(operand).map_err(|it| keep_fault(Fault::Plain(it)))?;
    let request = crate::http::HttpRequest { retries_max, ..request };
    let sent = ctx.host.send_http(&request, &|| ctx.host.cancelled());
    let response = match sent {
        Ok(response) => response,
        Err(HttpFault::Cancelled(reason)) => {
            let message = format!("http.send: timed out ({reason})");
            return Err(Failure::Ended(BuiltinError::new(ErrorKind::HaltCancel, message)));
        }
        Err(it) => return Err(keep_fault(fault::of_host(ctx, it))),
    };
    let decoding = early.map_or_else(decoding, Ok)?;
    let value =
        response::value(ctx, &response, decoding).map_err(|it| Failure::Fault(fault::placed(ctx, &it)))?;
    if kept.is_some() || SHARED_CODES.contains(&response.status_code) {
        ctx.caches.answers.push(name, Ok(Document::from_value(value)));
    }
    Ok(value)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;

    use lictor_value::{Arena, json};

    use super::*;
    use crate::context::Caches;
    use crate::host::Host;
    use crate::http::{HttpRequest, HttpResponse};

    /// Answers every request with the same and remembers what was asked.
    #[derive(Default)]
    struct Echo {
        status_code: u16,
        asked: Mutex<Vec<HttpRequest>>,
    }

    impl Host for Echo {
        fn send_http(&self, request: &HttpRequest, _: &dyn Fn() -> bool) -> Result<HttpResponse, HttpFault> {
            self.asked.lock().expect("no panic before").push(request.clone());
            if self.status_code == 0 {
                return Err(HttpFault::Cancelled("context deadline exceeded".to_owned()));
            }
            Ok(HttpResponse {
                status: format!("{} X", self.status_code),
                status_code: self.status_code,
                headers: vec![("content-type".to_owned(), vec!["application/json".to_owned()])],
                body: b"[1.50] rest".to_vec(),
            })
        }
    }

    fn call(host: &Echo, requests: &[&str]) -> Vec<Result<String, String>> {
        let (arena, caches) = (Arena::new(), Caches::default());
        let ctx = Context { arena: &arena, host, caches: &caches, allow_net: None };
        let one = |it: &&str| {
            let operand = json::read(it.as_bytes(), &arena).expect("a request");
            match send(ctx, &[operand]) {
                Ok(value) => Ok(value.map_or_else(String::new, Value::to_json)),
                Err(error) => Err(error.to_string()),
            }
        };
        requests.iter().map(one).collect()
    }

    #[test]
    fn equal_requests_of_an_evaluation_are_sent_once() {
        let same = [
            r#"{"method": "get", "url": "http://h/", "headers": {"a": "1", "b": "2"}, "cache_ignored_headers": ["a"]}"#,
            r#"{"url": "http://h/", "method": "get", "headers": {"a": "7", "b": "2"}, "cache_ignored_headers": ["a", "c"]}"#,
        ];
        let host = Echo { status_code: 200, ..Echo::default() };
        let answers = call(&host, &same);
        let wanted = r#"{"body":[1.50],"headers":{"content-type":["application/json"]},"raw_body":"[1.50] rest","status":"200 X","status_code":200}"#;
        assert_eq!(answers, [Ok(wanted.to_owned()), Ok(wanted.to_owned())]);
        assert_eq!(host.asked.lock().expect("no panic").len(), 1);
        let host = Echo { status_code: 500, ..Echo::default() };
        call(&host, &same);
        assert_eq!(host.asked.lock().expect("no panic").len(), 2, "a fault of the server is asked for again");
    }

    #[test]
    fn the_end_of_the_evaluation_is_never_an_answer() {
        let raises = r#"{"method": "get", "url": "http://h/"}"#;
        let does_not = r#"{"method": "get", "url": "http://h/", "raise_error": false}"#;
        let answers = call(&Echo::default(), &[raises, does_not]);
        let wanted = ["http.send: timed out (context deadline exceeded)", "caller cancelled query execution"];
        assert_eq!(answers, wanted.map(|it| Err(it.to_owned())));
    }

    #[test]
    fn headers_are_canonical_and_bodies_json() {
        let host = Echo { status_code: 200, ..Echo::default() };
        let request = r#"{"method": "poSt", "url": "\"http://h/\"", "headers": {"x-a": "1", "X-A": "2", "host": "q"}, "body": {"b": "<", "a": [1.50]}, "timeout": "2s"}"#;
        call(&host, &[request]);
        let asked = host.asked.lock().expect("no panic");
        let sent = asked.first().expect("one was sent");
        assert_eq!((sent.method.as_str(), sent.timeout_ns), ("POST", Some(2_000_000_000)));
        assert_eq!(sent.body, br#"{"a":[1.50],"b":"\u003c"}"#);
        let names: Vec<&str> = sent.headers.iter().map(|it| it.0.as_str()).collect();
        assert_eq!(names, ["Host", "User-Agent", "X-A"]);
        assert_eq!(sent.tls.server_name, "q");
    }
}
