//! One connection to a Redis server: commands out together, replies in, within a deadline.
//!
//! Apart from what is asked because here is all that touches the socket. Waiting is cut into short turns, so that the
//! end of an evaluation is seen soon; what is left unread by then is never taken for another command's reply, as the
//! connection is closed.

use std::io::{ErrorKind, Read, Write};
use std::net::{TcpStream, ToSocketAddrs};
use std::time::{Duration, Instant};

use super::reply::{Reply, Unread, read};

/// How long a turn of waiting is.
const TURN: Duration = Duration::from_millis(20);
/// So many bytes are read at once.
const READ_BYTES: usize = 64 << 10;

/// When to give up.
pub(super) struct Patience<'p> {
    pub(super) deadline: Instant,
    pub(super) ended: &'p dyn Fn() -> bool,
}

impl Patience<'_> {
    /// Returns how long the next turn may be.
    fn turn(&self) -> Result<Duration, Fault> {
        let left = self.deadline.saturating_duration_since(Instant::now());
        if left.is_zero() || (self.ended)() {
            return Err(Fault::Late);
        }
        Ok(left.min(TURN).max(Duration::from_millis(1)))
    }
}

/// Why there is no reply.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Fault {
    /// There is no connection, or the server has ended it.
    Closed(String),
    /// It did not come in time.
    Late,
    /// What came is no reply, or too long.
    Garbled,
}

/// A connection that is ready for commands.
#[derive(Debug)]
pub(super) struct Connection {
    stream: TcpStream,
    /// What came and is not read yet.
    received: Vec<u8>,
}

impl Connection {
    pub(super) fn open(address: &str, patience: &Patience<'_>) -> Result<Self, Fault> {
        let closed = |error: std::io::Error| Fault::Closed(error.kind().to_string());
        let mut why = Fault::Closed("the name has no address".to_owned());
        for address in address.to_socket_addrs().map_err(closed)? {
            patience.turn()?;
            let left = patience.deadline.saturating_duration_since(Instant::now());
            match TcpStream::connect_timeout(&address, left.max(TURN)) {
                Ok(stream) => {
                    stream.set_nodelay(true).map_err(closed)?;
                    return Ok(Self { stream, received: Vec::new() });
                }
                Err(error) => why = closed(error),
            }
        }
        Err(why)
    }

    /// Sends commands and returns their replies, in order. After a fault the connection is of no use.
    pub(super) fn ask(
        &mut self,
        commands: &[Vec<&[u8]>],
        (text_bytes_max, bytes_max): (usize, usize),
        patience: &Patience<'_>,
    ) -> Result<Vec<Reply>, Fault> {
        self.send(&written(commands), patience)?;
        let mut replies = Vec::new();
        let mut bytes = 0;
        while replies.len() < commands.len() {
            match read(&self.received, text_bytes_max) {
                Ok((reply, len)) => {
                    self.received.drain(..len);
                    bytes += len;
                    replies.push(reply);
                }
                Err(Unread::Wrong) => return Err(Fault::Garbled),
                Err(Unread::Short) if bytes + self.received.len() > bytes_max => return Err(Fault::Garbled),
                Err(Unread::Short) => self.receive(patience)?,
            }
        }
        // More than was asked for cannot be told from what is asked next.
        if self.received.is_empty() { Ok(replies) } else { Err(Fault::Garbled) }
    }

    fn send(&mut self, mut bytes: &[u8], patience: &Patience<'_>) -> Result<(), Fault> {
        while !bytes.is_empty() {
            self.stream.set_write_timeout(Some(patience.turn()?)).map_err(gone)?;
            match self.stream.write(bytes) {
                Ok(0) => return Err(Fault::Closed("connection closed".to_owned())),
                Ok(len) => bytes = bytes.get(len..).unwrap_or_default(),
                Err(error) if is_turn(&error) => {}
                Err(error) => return Err(gone(error)),
            }
        }
        Ok(())
    }

    /// Waits for more bytes. What stands half read is looked at again from its start, so more is taken each time.
    fn receive(&mut self, patience: &Patience<'_>) -> Result<(), Fault> {
        let mut chunk = vec![0; READ_BYTES.max(self.received.len())];
        loop {
            self.stream.set_read_timeout(Some(patience.turn()?)).map_err(gone)?;
            match self.stream.read(&mut chunk) {
                Ok(0) => return Err(Fault::Closed("connection closed".to_owned())),
                Ok(len) => {
                    self.received.extend_from_slice(chunk.get(..len).unwrap_or_default());
                    return Ok(());
                }
                Err(error) if is_turn(&error) => {}
                Err(error) => return Err(gone(error)),
            }
        }
    }
}

#[expect(clippy::needless_pass_by_value, reason = "given to map_err")]
fn gone(error: std::io::Error) -> Fault {
    Fault::Closed(error.kind().to_string())
}

fn is_turn(error: &std::io::Error) -> bool {
    matches!(error.kind(), ErrorKind::WouldBlock | ErrorKind::TimedOut | ErrorKind::Interrupted)
}

/// Returns commands as a server reads them.
fn written(commands: &[Vec<&[u8]>]) -> Vec<u8> {
    let mut out = Vec::new();
    for command in commands {
        out.extend_from_slice(format!("*{}\r\n", command.len()).as_bytes());
        for part in command {
            out.extend_from_slice(format!("${}\r\n", part.len()).as_bytes());
            out.extend_from_slice(part);
            out.extend_from_slice(b"\r\n");
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_carry_any_bytes() {
        let commands: Vec<Vec<&[u8]>> = vec![vec![b"GET", b"a\r\nb"], vec![b"PING"]];
        assert_eq!(written(&commands), b"*2\r\n$3\r\nGET\r\n$4\r\na\r\nb\r\n*1\r\n$4\r\nPING\r\n");
    }
}
