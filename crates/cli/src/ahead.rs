//! Reads a stream by a thread of its own, some blocks ahead of whoever takes them.
//!
//! Apart because expanding an archive and reading what is in it each want a processor, and the libraries that do it
//! start no threads. What flows through it does not know.

use std::io::{self, Read};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};
use std::thread;

/// Bytes of a block.
const BLOCK_BYTES: usize = 256 * 1024;
/// Blocks that wait at most.
const BLOCKS_MAX: usize = 4;

/// Returns a reader of the same bytes and faults, read ahead where there is a processor for it.
pub(crate) fn read_ahead(stream: Box<dyn Read + Send>) -> Box<dyn Read> {
    if thread::available_parallelism().map_or(1, Into::into) == 1 {
        return stream;
    }
    let (sender, receiver) = sync_channel(BLOCKS_MAX);
    let (empty_sender, empty_receiver) = sync_channel(BLOCKS_MAX);
    let (stream_sender, stream_receiver) = sync_channel(1);
    let run = move || {
        if let Ok(stream) = stream_receiver.recv() {
            send_blocks(stream, &sender, &empty_receiver);
        }
    };
    if thread::Builder::new().name("ahead".to_owned()).spawn(run).is_err() {
        return stream;
    }
    // The thread waits for it, so somebody takes it.
    drop(stream_sender.send(stream));
    Box::new(Ahead { receiver, empty: empty_sender, block: Vec::new(), at: 0 })
}

/// Sends blocks until the end, a fault, or nobody takes them any more. Blocks that were taken come back empty.
fn send_blocks(
    mut stream: Box<dyn Read + Send>,
    sender: &SyncSender<io::Result<Vec<u8>>>,
    empty: &Receiver<Vec<u8>>,
) {
    loop {
        let mut block = empty.try_recv().unwrap_or_else(|_| Vec::with_capacity(BLOCK_BYTES));
        block.clear();
        let read = stream.by_ref().take(BLOCK_BYTES as u64).read_to_end(&mut block);
        let is_last = block.len() < BLOCK_BYTES;
        // What was read before a fault goes first.
        if !block.is_empty() && sender.send(Ok(block)).is_err() {
            return;
        }
        if let Err(error) = read {
            drop(sender.send(Err(error)));
            return;
        }
        if is_last {
            return;
        }
    }
}

struct Ahead {
    receiver: Receiver<io::Result<Vec<u8>>>,
    empty: SyncSender<Vec<u8>>,
    block: Vec<u8>,
    /// What was taken of the block.
    at: usize,
}

impl Read for Ahead {
    fn read(&mut self, to: &mut [u8]) -> io::Result<usize> {
        if self.at == self.block.len() {
            let Ok(block) = self.receiver.recv() else { return Ok(0) };
            let taken = std::mem::replace(&mut self.block, block?);
            self.at = 0;
            // Where there is no room for it, it is freed.
            drop(self.empty.try_send(taken));
        }
        let rest = self.block.get(self.at..).unwrap_or_default();
        let count = rest.len().min(to.len());
        if let (Some(to), Some(from)) = (to.get_mut(..count), rest.get(..count)) {
            to.copy_from_slice(from);
        }
        self.at += count;
        Ok(count)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn all_bytes_come_and_then_the_fault() {
        struct Failing;
        impl Read for Failing {
            fn read(&mut self, _: &mut [u8]) -> io::Result<usize> {
                Err(io::Error::other("broken"))
            }
        }
        let bytes: Vec<u8> = (0..BLOCK_BYTES * 7 + 5).map(|it| it.to_le_bytes()[0]).collect();
        let mut read = Vec::new();
        read_ahead(Box::new(io::Cursor::new(bytes.clone()))).read_to_end(&mut read).expect("read");
        assert!(read == bytes);
        read.clear();
        let failing = io::Cursor::new(bytes.clone()).chain(Failing);
        let error = read_ahead(Box::new(failing)).read_to_end(&mut read).expect_err("a fault");
        assert_eq!((error.to_string().as_str(), read.len()), ("broken", bytes.len()));
    }
}
