//! What policies of a run may reach: a small server on this machine, and what sends requests to it.
//!
//! Both engines ask the same server, whose answers depend on the request alone, so that `http.send` can be compared.
//! It speaks no more of HTTP than the clients of both need. The generator knows its paths and no port.

use std::io::{self, BufRead, BufReader, Read, Write};
use std::net::{TcpListener, TcpStream};
use std::sync::{LazyLock, OnceLock};
use std::thread;

use lictor::http::{HttpFault, HttpRequest, HttpResponse, LookupFault};
use lictor_management::{Options, Outgoing, Patience};

/// What stands for the server's address in a case, so that cases do not depend on the port.
pub const PLACEHOLDER: &str = "http://outside.invalid";
/// A request may be so long.
const REQUEST_BYTES_MAX: u64 = 1 << 20;

static OUTGOING: LazyLock<Outgoing> = LazyLock::new(|| Outgoing::new(Options::default()));

/// Sends a request as the product does.
pub(crate) fn send(request: &HttpRequest, ended: &dyn Fn() -> bool) -> Result<HttpResponse, HttpFault> {
    OUTGOING.send(request, &Patience { deadline: None, cancelled: ended })
}

/// Looks a name up as the product does.
pub(crate) fn lookup(name: &str, ended: &dyn Fn() -> bool) -> Result<Vec<String>, LookupFault> {
    OUTGOING.lookup(name, &Patience { deadline: None, cancelled: ended })
}

/// Returns the server's address; starts it when asked first. Without one, requests go nowhere.
#[must_use]
pub fn address() -> &'static str {
    static ADDRESS: OnceLock<String> = OnceLock::new();
    ADDRESS.get_or_init(|| serve().unwrap_or_else(|_| PLACEHOLDER.to_owned()))
}

fn serve() -> io::Result<String> {
    let listener = TcpListener::bind(("127.0.0.1", 0))?;
    let address = format!("http://{}", listener.local_addr()?);
    thread::Builder::new().name("outside".to_owned()).spawn(move || {
        for stream in listener.incoming().flatten() {
            // A client that leaves early is no matter.
            drop(thread::Builder::new().spawn(move || drop(converse(&stream))));
        }
    })?;
    Ok(address)
}

/// Answers the requests of one connection.
fn converse(stream: &TcpStream) -> io::Result<()> {
    let mut reader = BufReader::new(stream);
    while let Some(asked) = Asked::read(&mut reader)? {
        let mut writer = stream;
        writer.write_all(&answer(&asked))?;
    }
    Ok(())
}

struct Asked {
    method: String,
    path: String,
    marked: String,
    body: Vec<u8>,
}

impl Asked {
    /// Reads a request; none if the client has left.
    fn read(reader: &mut impl BufRead) -> io::Result<Option<Self>> {
        let mut line = String::new();
        if reader.take(REQUEST_BYTES_MAX).read_line(&mut line)? == 0 {
            return Ok(None);
        }
        let mut words = line.split_whitespace().map(str::to_owned);
        let (method, path) = (words.next().unwrap_or_default(), words.next().unwrap_or_default());
        let (mut len, mut marked) = (0, String::new());
        loop {
            let mut line = String::new();
            reader.take(REQUEST_BYTES_MAX).read_line(&mut line)?;
            let Some((name, value)) = line.trim_end().split_once(':') else { break };
            match name.to_ascii_lowercase().as_str() {
                "content-length" => len = value.trim().parse().unwrap_or(0),
                "x-mark" => marked = value.trim().to_owned(),
                _ => {}
            }
        }
        let mut body = Vec::new();
        reader.take(REQUEST_BYTES_MAX.min(len)).read_to_end(&mut body)?;
        Ok(Some(Self { method, path, marked, body }))
    }
}

fn answer(asked: &Asked) -> Vec<u8> {
    let text = |status, kind, body: &str| (status, kind, body.as_bytes().to_vec());
    let (status, kind, body) = match asked.path.split('?').next().unwrap_or_default() {
        "/json" => text("200 OK", "application/json", "{\"a\": [1, 2.50, null], \"k\": \"v\"}"),
        "/yaml" => text("200 OK", "application/yaml", "a: [1, x]\nb: true\n"),
        "/text" => text("200 OK", "text/plain", "plain <text>"),
        "/broken" => text("200 OK", "application/json", "{\"a\": "),
        "/bare" => text("200 OK", "", "{\"k\": 1}"),
        "/echo" => {
            let body = String::from_utf8_lossy(&asked.body);
            let echoed = serde_json::json!([asked.method, asked.path, asked.marked, body]);
            text("200 OK", "application/json", &echoed.to_string())
        }
        "/moved" => text("302 Found", "text/plain", ""),
        "/error" => text("500 Internal Server Error", "application/json", "{\"error\": 1}"),
        _ => text("404 Not Found", "text/plain", "nothing"),
    };
    let mut head = format!("HTTP/1.1 {status}\r\nContent-Length: {}\r\n", body.len());
    if !kind.is_empty() {
        head += &format!("Content-Type: {kind}\r\n");
    }
    if status.starts_with("302") {
        head += "Location: /json\r\n";
    }
    head += "X-Two: a\r\nX-Two: b\r\n\r\n";
    let mut out = head.into_bytes();
    if asked.method != "HEAD" {
        out.extend(body);
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_are_answered_one_after_the_other() {
        let text =
            "POST /echo HTTP/1.1\r\nContent-Length: 2\r\nX-Mark: m\r\n\r\nhiHEAD /json HTTP/1.1\r\n\r\n";
        let mut reader = text.as_bytes();
        let first = Asked::read(&mut reader).unwrap().unwrap();
        assert!(String::from_utf8(answer(&first)).unwrap().ends_with("[\"POST\",\"/echo\",\"m\",\"hi\"]"));
        let second = Asked::read(&mut reader).unwrap().unwrap();
        assert!(String::from_utf8(answer(&second)).unwrap().ends_with("\r\n\r\n"));
        assert!(Asked::read(&mut reader).unwrap().is_none());
    }
}
