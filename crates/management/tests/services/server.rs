//! A server for one test: it reads requests as HTTP/1.1 has them, keeps connections, and answers what it is told.
//!
//! Apart because every test of a credential needs one. With TLS it asks for a certificate of the test authority if
//! the test wants that.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{Arc, Mutex};
use std::thread;

use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use rustls::server::WebPkiClientVerifier;
use rustls::{RootCertStore, ServerConfig, ServerConnection, StreamOwned};

use crate::certificate;

/// A request as it arrived.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub(crate) method: String,
    pub(crate) target: String,
    pub(crate) headers: Vec<(String, String)>,
    pub(crate) body: String,
    /// Which connection it came on, counted from 0.
    pub(crate) connection: usize,
    /// The certificate that the client showed.
    pub(crate) shown: Option<Vec<u8>>,
}

impl Request {
    /// Returns a header by its name in any case, empty if it is absent.
    pub(crate) fn header(&self, name: &str) -> &str {
        self.headers.iter().find(|it| it.0.eq_ignore_ascii_case(name)).map_or("", |it| it.1.as_str())
    }
}

/// What a server says to a request: the whole text of an answer; the connection is closed after an empty one.
type Answer = dyn Fn(&Request) -> Vec<u8> + Send + Sync;

/// A server that runs until the test's process ends.
pub(crate) struct Server {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<Request>>>,
}

impl Server {
    pub(crate) fn start(answer: impl Fn(&Request) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::listen(None, Arc::new(answer))
    }

    /// Starts a server that speaks TLS.
    pub(crate) fn secured(asks: Asks, answer: impl Fn(&Request) -> Vec<u8> + Send + Sync + 'static) -> Self {
        Self::listen(Some(tls(asks)), Arc::new(answer))
    }

    fn listen(tls: Option<Arc<ServerConfig>>, answer: Arc<Answer>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").expect("a port");
        let scheme = if tls.is_some() { "https" } else { "http" };
        let url = format!("{scheme}://{}", listener.local_addr().expect("an address"));
        let requests: Arc<Mutex<Vec<Request>>> = Arc::default();
        let seen = Arc::clone(&requests);
        thread::spawn(move || {
            for (connection, stream) in listener.incoming().flatten().enumerate() {
                let (answer, seen, tls) = (Arc::clone(&answer), Arc::clone(&seen), tls.clone());
                thread::spawn(move || serve(stream, tls, connection, &answer, &seen));
            }
        });
        Self { url, requests }
    }

    /// Returns what arrived so far.
    pub(crate) fn requests(&self) -> Vec<Request> {
        self.requests.lock().expect("no test fails").clone()
    }

    /// Returns the only request that arrived.
    pub(crate) fn request(&self) -> Request {
        let mut requests = self.requests();
        assert_eq!(requests.len(), 1, "{requests:?}");
        requests.remove(0)
    }
}

/// What a server asks of who connects.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Asks {
    Nothing,
    Certificate,
}

fn tls(asks: Asks) -> Arc<ServerConfig> {
    let read = |name: &str| CertificateDer::from_pem_file(certificate(name)).expect("a certificate");
    let key = PrivateKeyDer::from_pem_file(certificate("server.key")).expect("a key");
    let provider = Arc::new(rustls::crypto::aws_lc_rs::default_provider());
    let builder = ServerConfig::builder_with_provider(Arc::clone(&provider))
        .with_safe_default_protocol_versions()
        .expect("versions");
    let builder = match asks {
        Asks::Nothing => builder.with_no_client_auth(),
        Asks::Certificate => {
            let mut roots = RootCertStore::empty();
            roots.add(read("authority.pem")).expect("a root");
            let verifier = WebPkiClientVerifier::builder_with_provider(Arc::new(roots), provider);
            builder.with_client_cert_verifier(verifier.build().expect("a verifier"))
        }
    };
    Arc::new(builder.with_single_cert(vec![read("server.pem")], key).expect("a pair"))
}

trait Stream: Read + Write {}

impl<T: Read + Write> Stream for T {}

fn serve(
    mut tcp: TcpStream,
    tls: Option<Arc<ServerConfig>>,
    connection: usize,
    answer: &Arc<Answer>,
    seen: &Mutex<Vec<Request>>,
) {
    let mut shown = None;
    let stream: Box<dyn Stream> = match tls {
        None => Box::new(tcp),
        Some(config) => {
            let mut session = ServerConnection::new(config).expect("a session");
            if session.complete_io(&mut tcp).is_err() {
                return;
            }
            shown = session.peer_certificates().and_then(|it| it.first()).map(|it| it.to_vec());
            Box::new(StreamOwned::new(session, tcp))
        }
    };
    let mut stream = BufReader::new(stream);
    while let Some(mut request) = read(&mut stream) {
        request.connection = connection;
        request.shown = shown.clone();
        seen.lock().expect("no test fails").push(request.clone());
        let answer = answer(&request);
        if answer.is_empty() || stream.get_mut().write_all(&answer).is_err() {
            return;
        }
        let _ = stream.get_mut().flush();
    }
}

fn read(stream: &mut impl BufRead) -> Option<Request> {
    let mut line = String::new();
    stream.read_line(&mut line).ok()?;
    let mut words = line.split_whitespace();
    let (method, target) = (words.next()?.to_owned(), words.next()?.to_owned());
    let mut headers = Vec::new();
    loop {
        let mut line = String::new();
        stream.read_line(&mut line).ok()?;
        let Some((name, value)) = line.split_once(':') else { break };
        headers.push((name.to_owned(), value.trim().to_owned()));
    }
    let mut request = Request { method, target, headers, body: String::new(), connection: 0, shown: None };
    let length = request.header("Content-Length").parse().unwrap_or(0);
    let mut body = vec![0; length];
    stream.read_exact(&mut body).ok()?;
    request.body = String::from_utf8_lossy(&body).into_owned();
    Some(request)
}

/// Returns an answer with a body.
pub(crate) fn answer(status: &str, headers: &str, body: &[u8]) -> Vec<u8> {
    let head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n{headers}\r\n", body.len());
    [head.as_bytes(), body].concat()
}

pub(crate) fn ok(body: &str) -> Vec<u8> {
    answer("200 OK", "", body.as_bytes())
}
