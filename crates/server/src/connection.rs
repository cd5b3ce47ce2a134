//! One connection: reads requests, runs endpoints behind a guard, writes answers and log lines.
//!
//! The guard is here: an endpoint that panics is answered with 500, counted, and allows nothing. It knows HTTP and no
//! endpoint.

use std::convert::Infallible;
use std::net::SocketAddr;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::rc::Rc;
use std::time::Instant;

use bytes::Bytes;
use http_body_util::Full;
use hyper::body::Incoming;
use hyper::header::{CONTENT_TYPE, HeaderName, HeaderValue};
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Response, StatusCode};
use hyper_util::rt::{TokioIo, TokioTimer};
use tokio::net::TcpStream;
use tokio::sync::watch;

use crate::core::{Core, MayWait};
use crate::log::{Field, Level};
use crate::reply::{Reply, codes};
use crate::request::Request;
use crate::{body, router, waiting};

/// Serves a connection until it ends or the server stops.
pub(crate) async fn serve(
    core: Rc<Core>,
    stream: TcpStream,
    peer: SocketAddr,
    mut stop: watch::Receiver<bool>,
) {
    let config = &core.shared.config;
    let mut builder = http1::Builder::new();
    builder
        .timer(TokioTimer::new())
        .header_read_timeout(config.head_time)
        .max_buf_size(config.head_bytes_max);
    let service = service_fn(|request| {
        let core = Rc::clone(&core);
        async move { Ok::<_, Infallible>(respond(&core, request, peer).await) }
    });
    let mut connection = pin!(builder.serve_connection(TokioIo::new(stream), service));
    // A client that breaks the protocol or goes away is its own concern.
    let ended = tokio::select! {
        // A request that has arrived is answered before the stop is looked at.
        biased;
        _ = connection.as_mut() => true,
        _ = stop.wait_for(|it| *it) => false,
    };
    if !ended {
        connection.as_mut().graceful_shutdown();
        let _ = connection.await;
    }
}

async fn respond(core: &Core, request: hyper::Request<Incoming>, peer: SocketAddr) -> Response<Full<Bytes>> {
    let start = Instant::now();
    let (parts, incoming) = request.into_parts();
    let path = parts.uri.path().to_owned();
    let query = parts.uri.query().unwrap_or_default().to_owned();
    let log = AccessLog {
        core,
        number: core.shared.next_request(),
        peer,
        method: parts.method.as_str().to_owned(),
    };
    let reply = match router::find(&parts.method, &path, &query) {
        Err(reply) => {
            log.received(&path, &query, &[]);
            reply
        }
        Ok(endpoint) => match body::read(incoming, &parts.headers, &core.shared.config).await {
            Err(message) => {
                log.received(&path, &query, &[]);
                Reply::bad_request(&message)
            }
            Ok(body) => {
                log.received(&path, &query, &body);
                let headers = parts.headers;
                let request = Request { path: path.clone(), query, headers, body };
                match guarded(core, endpoint, &request) {
                    Ok(reply) => reply,
                    Err(MayWait) => waiting::answer(&core.shared, endpoint, request).await,
                }
            }
        },
    };
    log.sent(&path, &reply, start);
    into_response(reply)
}

/// Runs an endpoint; whatever it was about to say is forgotten if it panics.
pub(crate) fn guarded(core: &Core, endpoint: router::Endpoint, request: &Request) -> Result<Reply, MayWait> {
    core.refresh();
    if let Ok(reply) = catch_unwind(AssertUnwindSafe(|| endpoint(core, request))) {
        return reply;
    }
    let count = core.shared.count_panic();
    core.renew();
    let count = count.to_string();
    core.shared.config.log.write(
        Level::Error,
        "A request met a fault of the program.",
        &[("panics", Field::Raw(&count)), ("req_path", Field::Text(&request.path))],
    );
    Ok(Reply::error(500, codes::INTERNAL, "the request met a fault of the program; nothing was decided"))
}

fn into_response(reply: Reply) -> Response<Full<Bytes>> {
    let mut response = Response::new(Full::new(Bytes::from(reply.body)));
    *response.status_mut() = StatusCode::from_u16(reply.status).unwrap_or(StatusCode::INTERNAL_SERVER_ERROR);
    let headers = response.headers_mut();
    if let Some(content_type) = reply.content_type {
        headers.insert(CONTENT_TYPE, HeaderValue::from_static(content_type));
    }
    for (name, value) in reply.headers {
        if let Ok(value) = HeaderValue::from_str(&value) {
            headers.insert(HeaderName::from_static(name), value);
        }
    }
    response
}

/// Writes the two lines of a request.
struct AccessLog<'a> {
    core: &'a Core,
    number: u64,
    peer: SocketAddr,
    method: String,
}

impl AccessLog<'_> {
    fn received(&self, path: &str, query: &str, body: &[u8]) {
        let log = &self.core.shared.config.log;
        if !log.takes(Level::Info) {
            return;
        }
        let (number, peer) = (self.number.to_string(), self.peer.to_string());
        let body = String::from_utf8_lossy(body);
        let mut fields = vec![
            ("req_method", Field::Text(&self.method)),
            ("req_path", Field::Text(path)),
            ("client_addr", Field::Text(&peer)),
            ("req_id", Field::Raw(&number)),
        ];
        if log.takes(Level::Debug) {
            fields.push(("req_body", Field::Text(&body)));
            fields.push(("req_params", Field::Text(query)));
        }
        log.write(Level::Info, "Received request.", &fields);
    }

    fn sent(&self, path: &str, reply: &Reply, start: Instant) {
        let log = &self.core.shared.config.log;
        if !log.takes(Level::Info) {
            return;
        }
        let (number, peer) = (self.number.to_string(), self.peer.to_string());
        let (bytes, status) = (reply.body.len().to_string(), reply.status.to_string());
        let milliseconds = (start.elapsed().as_secs_f64() * 1_000.0).to_string();
        let body = String::from_utf8_lossy(&reply.body);
        let mut fields = vec![
            ("resp_bytes", Field::Raw(&bytes)),
            ("resp_duration", Field::Raw(&milliseconds)),
            ("client_addr", Field::Text(&peer)),
            ("req_id", Field::Raw(&number)),
            ("req_method", Field::Text(&self.method)),
            ("req_path", Field::Text(path)),
            ("resp_status", Field::Raw(&status)),
        ];
        if log.takes(Level::Debug) {
            fields.push(("resp_body", Field::Text(&body)));
        }
        log.write(Level::Info, "Sent response.", &fields);
    }
}
