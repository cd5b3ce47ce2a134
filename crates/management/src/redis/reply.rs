//! Replies of a Redis server (RESP2), read from bytes as they come.
//!
//! Apart because they come from a stranger: lengths in them are believed only as far as bytes have arrived, and what
//! is too long, too deep or no reply at all ends the connection. It knows no command.

/// A reply may hold so many items, all levels together.
const ITEMS_MAX: usize = 1 << 20;
/// Arrays stand in each other no deeper.
const DEPTH_MAX: usize = 4;
/// A line (a number, a status, an error) is no longer.
const LINE_BYTES_MAX: usize = 64 << 10;

/// What a server says.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum Reply {
    /// A word like `OK`, or the name of a type.
    Status(String),
    /// An error: its first word says which.
    Error(String),
    Number(i64),
    Text(Vec<u8>),
    List(Vec<Reply>),
    /// Nothing is there.
    Nothing,
}

/// Why bytes are no reply.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Unread {
    /// More bytes must come.
    Short,
    /// No bytes that may follow make it one.
    Wrong,
}

/// Reads the first reply of some bytes; returns it with its length. No text in it is longer than `text_bytes_max`.
pub(super) fn read(bytes: &[u8], text_bytes_max: usize) -> Result<(Reply, usize), Unread> {
    let mut reader = Reader { bytes, at: 0, items_left: ITEMS_MAX, text_bytes_max };
    let reply = reader.reply(0)?;
    Ok((reply, reader.at))
}

struct Reader<'b> {
    bytes: &'b [u8],
    at: usize,
    items_left: usize,
    text_bytes_max: usize,
}

impl Reader<'_> {
    fn reply(&mut self, depth: usize) -> Result<Reply, Unread> {
        self.items_left = self.items_left.checked_sub(1).ok_or(Unread::Wrong)?;
        let kind = *self.bytes.get(self.at).ok_or(Unread::Short)?;
        self.at += 1;
        let line = self.line()?;
        Ok(match kind {
            b'+' => Reply::Status(line),
            b'-' => Reply::Error(line),
            b':' => Reply::Number(line.parse().map_err(|_| Unread::Wrong)?),
            b'$' => match length(&line)? {
                None => Reply::Nothing,
                Some(len) => Reply::Text(self.text(len)?),
            },
            b'*' => match length(&line)? {
                None => Reply::Nothing,
                Some(_) if depth >= DEPTH_MAX => return Err(Unread::Wrong),
                Some(len) if len > self.items_left => return Err(Unread::Wrong),
                Some(len) => {
                    // The list grows as items come, whatever the server says of its length.
                    let items = (0..len).map(|_| self.reply(depth + 1));
                    Reply::List(items.collect::<Result<_, _>>()?)
                }
            },
            _ => return Err(Unread::Wrong),
        })
    }

    /// Returns the text up to the next end of a line.
    fn line(&mut self) -> Result<String, Unread> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let Some(end) = rest.iter().take(LINE_BYTES_MAX).position(|it| *it == b'\r') else {
            return Err(if rest.len() >= LINE_BYTES_MAX { Unread::Wrong } else { Unread::Short });
        };
        match rest.get(end + 1) {
            None => return Err(Unread::Short),
            Some(b'\n') => {}
            Some(_) => return Err(Unread::Wrong),
        }
        self.at += end + 2;
        let line = rest.get(..end).unwrap_or_default();
        Ok(String::from_utf8_lossy(line).into_owned())
    }

    fn text(&mut self, len: usize) -> Result<Vec<u8>, Unread> {
        if len > self.text_bytes_max {
            return Err(Unread::Wrong);
        }
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let (Some(text), Some(end)) = (rest.get(..len), rest.get(len..len + 2)) else {
            return Err(Unread::Short);
        };
        if end != b"\r\n" {
            return Err(Unread::Wrong);
        }
        self.at += len + 2;
        Ok(text.to_vec())
    }
}

/// Reads a length; none is -1.
fn length(line: &str) -> Result<Option<usize>, Unread> {
    if line == "-1" {
        return Ok(None);
    }
    line.parse().map(Some).map_err(|_| Unread::Wrong)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn text(text: &str) -> Reply {
        Reply::Text(text.as_bytes().to_vec())
    }

    #[test]
    fn replies_are_read_whole_or_not() {
        let cases = [
            ("+OK\r\n", Reply::Status("OK".to_owned())),
            ("-WRONGTYPE no\r\n", Reply::Error("WRONGTYPE no".to_owned())),
            (":-7\r\n", Reply::Number(-7)),
            ("$3\r\na\r\n\r\n", text("a\r\n")),
            ("$-1\r\n", Reply::Nothing),
            ("*-1\r\n", Reply::Nothing),
            (
                "*2\r\n$1\r\nx\r\n*1\r\n:1\r\n",
                Reply::List(vec![text("x"), Reply::List(vec![Reply::Number(1)])]),
            ),
        ];
        for (bytes, wanted) in cases {
            assert_eq!(read(bytes.as_bytes(), 100), Ok((wanted, bytes.len())), "{bytes:?}");
            for end in 0..bytes.len() {
                assert_eq!(read(&bytes.as_bytes()[..end], 100), Err(Unread::Short), "{bytes:?} {end}");
            }
        }
    }

    #[test]
    fn what_is_no_reply_is_refused() {
        let deep = "*1\r\n".repeat(6);
        let long = "+".to_owned() + &"x".repeat(LINE_BYTES_MAX);
        for bytes in [
            "x\r\n",
            "+a\rb",
            "$x\r\n",
            "$-2\r\n",
            "$101\r\n",
            "$99999999999999999999\r\n",
            "$1\r\nabc",
            "*9999999999\r\n",
            ":one\r\n",
            &deep,
            &long,
        ] {
            assert_eq!(read(bytes.as_bytes(), 100), Err(Unread::Wrong), "{bytes:.40}");
        }
    }
}
