//! Makes connections: straight, through a proxy, or over a unix socket, with TLS where the scheme asks for it.
//!
//! The client's pool calls it when it has no connection to use again. Which proxy and which TLS settings hold was
//! decided before.

use std::io;
use std::net::{IpAddr, SocketAddr};
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};

use hyper::Uri;
use hyper_util::rt::TokioIo;
use lictor::http::Url;
use rustls::ClientConfig;
use rustls::pki_types::ServerName;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpStream, UnixStream};
use tokio::task::spawn_blocking;
use tokio_rustls::TlsConnector;

use crate::http::attempt::basic;
use crate::http::fault::{LineFault, system_text};
use crate::http::line::{Line, Link, Stream};
use crate::http::proxies::Proxies;
use crate::names;

/// The most that a proxy may say before it lets a connection through.
const PROXY_HEAD_BYTES_MAX: usize = 16 << 10;

/// Where a connection gets its settings of TLS from.
#[derive(Clone)]
pub(crate) enum TlsSource {
    /// They stay.
    Fixed(Arc<ClientConfig>),
    /// They are looked up for each connection, because files may have changed. It may read files.
    Read(Arc<ReadTls>),
}

/// Reads settings of TLS, or says why there are none.
pub(crate) type ReadTls = dyn Fn() -> Result<Arc<ClientConfig>, String> + Send + Sync;

impl TlsSource {
    async fn config(&self) -> io::Result<Arc<ClientConfig>> {
        let read = match self {
            Self::Fixed(config) => return Ok(Arc::clone(config)),
            Self::Read(read) => Arc::clone(read),
        };
        let read = spawn_blocking(move || read()).await;
        read.map_err(|_| failed("tls: settings could not be read"))?.map_err(failed)
    }
}

/// Makes connections of one kind.
#[derive(Clone)]
pub(crate) struct Connector {
    pub(crate) tls: TlsSource,
    /// The name that servers must have; that of the URL if absent.
    pub(crate) server_name: Option<Arc<str>>,
    /// The unix socket to use, whatever the URL says.
    pub(crate) socket: Option<Arc<str>>,
    pub(crate) proxies: Arc<Proxies>,
}

impl tower_service::Service<Uri> for Connector {
    type Response = TokioIo<Link>;
    type Error = io::Error;
    type Future = Pin<Box<dyn Future<Output = io::Result<Self::Response>> + Send>>;

    fn poll_ready(&mut self, _: &mut Context<'_>) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }

    fn call(&mut self, uri: Uri) -> Self::Future {
        let connector = self.clone();
        Box::pin(async move { connector.connect(&uri).await.map(TokioIo::new) })
    }
}

fn failed(text: impl Into<String>) -> io::Error {
    io::Error::other(LineFault(text.into()))
}

impl Connector {
    async fn connect(&self, uri: &Uri) -> io::Result<Link> {
        let host = uri.host().unwrap_or("").trim_start_matches('[').trim_end_matches(']').to_owned();
        let is_https = uri.scheme_str() == Some("https");
        let port = uri.port_u16().unwrap_or(if is_https { 443 } else { 80 });
        let proxy = match &self.socket {
            Some(_) => None,
            None => self.proxies.proxy_for(is_https, &host, port),
        };
        let mut is_proxied = false;
        let stream: Box<dyn Stream> = match (&self.socket, proxy) {
            (Some(path), _) => Box::new(unix(path).await?),
            (None, None) => Box::new(tcp(&host, port).await?),
            (None, Some(proxy)) => {
                is_proxied = !is_https;
                let tunnel = is_https.then(|| authority(&host, port));
                self.through(proxy, tunnel).await.map_err(|it| failed(format!("proxyconnect tcp: {it}")))?
            }
        };
        let stream = if is_https { self.secured(stream, &host).await? } else { stream };
        Ok(Link { stream, is_proxied })
    }

    async fn secured(&self, stream: Box<dyn Stream>, host: &str) -> io::Result<Box<dyn Stream>> {
        let name = self.server_name.as_deref().unwrap_or(host);
        let name = ServerName::try_from(name.to_owned())
            .map_err(|_| failed(format!("tls: {name:?} is no name of a server")))?;
        let secured = TlsConnector::from(self.tls.config().await?).connect(name, stream).await?;
        Ok(Box::new(secured))
    }

    /// Connects to a proxy and has it connect further.
    async fn through(&self, proxy: &Url, tunnel: Option<String>) -> io::Result<Box<dyn Stream>> {
        let (host, port) = proxy.host_and_port();
        let host = String::from_utf8_lossy(host).into_owned();
        let is_https = proxy.scheme == "https";
        if !is_https && proxy.scheme != "http" {
            return Err(failed(format!("proxies of the scheme {:?} are not supported", proxy.scheme)));
        }
        let port = std::str::from_utf8(port).ok().and_then(|it| it.parse().ok());
        let line = tcp(&host, port.unwrap_or(if is_https { 443 } else { 80 })).await?;
        let mut stream: Box<dyn Stream> = Box::new(line);
        if is_https {
            stream = self.secured(stream, &host).await?;
        }
        if let Some(target) = tunnel {
            open_tunnel(&mut stream, proxy, &target).await?;
        }
        Ok(stream)
    }
}

fn authority(host: &str, port: u16) -> String {
    if host.contains(':') { format!("[{host}]:{port}") } else { format!("{host}:{port}") }
}

async fn tcp(host: &str, port: u16) -> io::Result<Line> {
    let addresses = match host.parse::<IpAddr>() {
        Ok(address) => vec![address],
        Err(_) => match names::without_system(host) {
            Some(Err(text)) => return Err(failed(format!("dial tcp: {text}"))),
            _ => names::addresses(host).await.map_err(|it| failed(format!("dial tcp: {it}")))?,
        },
    };
    let mut first = None;
    for address in addresses {
        let address = SocketAddr::new(address, port);
        match TcpStream::connect(address).await {
            Ok(stream) => {
                // Requests are small; waiting for more to send only delays them.
                let _ = stream.set_nodelay(true);
                let local = stream.local_addr().map_or_else(|_| String::new(), |it| it.to_string());
                return Ok(Line::new(Box::new(stream), format!("tcp {local}->{address}")));
            }
            Err(error) => {
                let text = format!("dial tcp {address}: connect: {}", system_text(&error));
                first = first.or(Some(failed(text)));
            }
        }
    }
    Err(first.unwrap_or_else(|| failed(format!("dial tcp: lookup {host}: no such host"))))
}

async fn unix(path: &str) -> io::Result<Line> {
    if path.is_empty() {
        return Err(failed("dial unix: missing address"));
    }
    let stream = UnixStream::connect(path)
        .await
        .map_err(|it| failed(format!("dial unix {path}: connect: {}", system_text(&it))))?;
    Ok(Line::new(Box::new(stream), format!("unix @->{path}")))
}

/// Asks a proxy for a connection to the target.
async fn open_tunnel(stream: &mut Box<dyn Stream>, proxy: &Url, target: &str) -> io::Result<()> {
    let mut request =
        format!("CONNECT {target} HTTP/1.1\r\nHost: {target}\r\nUser-Agent: Go-http-client/1.1\r\n");
    request.push_str(
        &proxy_authorization(proxy).map(|it| format!("Proxy-Authorization: {it}\r\n")).unwrap_or_default(),
    );
    request.push_str("\r\n");
    stream.write_all(request.as_bytes()).await?;
    stream.flush().await?;
    let mut head = Vec::new();
    while !head.ends_with(b"\r\n\r\n") {
        if head.len() >= PROXY_HEAD_BYTES_MAX {
            return Err(failed("the answer of the proxy is too long"));
        }
        head.push(stream.read_u8().await.map_err(|_| failed("EOF"))?);
    }
    let head = String::from_utf8_lossy(&head);
    let status = head.lines().next().and_then(|it| it.split_once(' ')).map_or("", |it| it.1);
    match status.split_once(' ') {
        Some(("200", _)) => Ok(()),
        Some((_, text)) => Err(failed(text)),
        None if status == "200" => Ok(()),
        None => Err(failed("unknown status code")),
    }
}

/// Returns what tells a proxy who asks.
pub(crate) fn proxy_authorization(proxy: &Url) -> Option<String> {
    proxy.user.as_ref().map(|it| basic(&it.name, it.password.as_deref().unwrap_or_default()))
}
