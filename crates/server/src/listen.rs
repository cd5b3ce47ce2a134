//! Sockets that several threads accept from: one listener a thread, spread by the kernel.
//!
//! Apart because options of sockets are the system's business. A port that is taken is told before any thread starts.

use std::io;
use std::net::{SocketAddr, TcpListener, ToSocketAddrs as _};

use socket2::{Domain, Protocol, Socket, Type};

/// How many connections may wait to be accepted.
pub(crate) const BACKLOG_MAX: usize = 1_024;

/// Says why an address cannot be listened on.
#[derive(Debug, thiserror::Error)]
#[error("cannot listen on {address}: {reason}")]
pub struct ListenError {
    address: String,
    reason: String,
    #[source]
    source: Option<io::Error>,
}

impl ListenError {
    fn new(address: &str, reason: &str) -> Self {
        Self { address: address.to_owned(), reason: reason.to_owned(), source: None }
    }

    fn of_system(address: &str, error: io::Error) -> Self {
        let reason = match error.kind() {
            io::ErrorKind::AddrInUse => "the port is taken by another program".to_owned(),
            io::ErrorKind::AddrNotAvailable => "the address is not one of this machine".to_owned(),
            io::ErrorKind::PermissionDenied => "permission denied".to_owned(),
            _ => error.to_string(),
        };
        Self { address: address.to_owned(), reason, source: Some(error) }
    }
}

/// Opens as many listeners on an address as there are threads.
pub(crate) fn listeners(
    address: &str,
    threads: usize,
) -> Result<(SocketAddr, Vec<TcpListener>), ListenError> {
    let wanted = resolve(address)?;
    // Another server that shares ports would share this one too: a socket that does not share tells.
    let probe = open(wanted, false).map_err(|error| ListenError::of_system(address, error))?;
    let local = probe.local_addr().map_err(|error| ListenError::of_system(address, error))?;
    drop(probe);
    let opened: io::Result<Vec<TcpListener>> = (0..threads.max(1)).map(|_| open(local, true)).collect();
    Ok((local, opened.map_err(|error| ListenError::of_system(address, error))?))
}

fn open(address: SocketAddr, shared: bool) -> io::Result<TcpListener> {
    let socket = Socket::new(Domain::for_address(address), Type::STREAM, Some(Protocol::TCP))?;
    socket.set_reuse_address(true)?;
    #[cfg(unix)]
    socket.set_reuse_port(shared)?;
    socket.set_nonblocking(true)?;
    socket.bind(&address.into())?;
    socket.listen(i32::try_from(BACKLOG_MAX).unwrap_or(i32::MAX))?;
    Ok(socket.into())
}

fn resolve(address: &str) -> Result<SocketAddr, ListenError> {
    let bare = address.strip_prefix("http://").unwrap_or(address);
    if let Some((scheme, _)) = bare.split_once("://") {
        return Err(ListenError::new(address, &format!("scheme `{scheme}` is not supported")));
    }
    let Some((host, port)) = bare.rsplit_once(':') else {
        return Err(ListenError::new(address, "missing port in address"));
    };
    let port: u16 = port.parse().map_err(|_| ListenError::new(address, "invalid port"))?;
    let host = host.trim_start_matches('[').trim_end_matches(']');
    if host.is_empty() {
        return Ok(SocketAddr::from(([0, 0, 0, 0], port)));
    }
    let found: Vec<SocketAddr> =
        (host, port).to_socket_addrs().map_err(|error| ListenError::of_system(address, error))?.collect();
    let first = found.iter().find(|it| it.is_ipv4()).or_else(|| found.first());
    first.copied().ok_or_else(|| ListenError::new(address, "no such host"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_read() {
        let read = |text: &str| resolve(text).map(|it| it.to_string()).map_err(|it| it.to_string());
        assert_eq!(read("localhost:8181").as_deref(), Ok("127.0.0.1:8181"));
        assert_eq!(read(":1").as_deref(), Ok("0.0.0.0:1"));
        assert_eq!(read("http://[::1]:2").as_deref(), Ok("[::1]:2"));
        assert!(read("unix://x").expect_err("no sockets").contains("scheme `unix` is not supported"));
        assert!(read("127.0.0.1:99999").expect_err("too large").contains("invalid port"));
        assert!(read("127.0.0.1").expect_err("none").contains("missing port"));
    }

    #[test]
    fn taken_port_is_told() {
        let (local, _held) = listeners("127.0.0.1:0", 2).expect("a free port");
        let error = listeners(&local.to_string(), 2).expect_err("the port is taken");
        assert!(error.to_string().ends_with("the port is taken by another program"), "{error}");
    }
}
