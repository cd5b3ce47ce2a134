//! The loop over the structure of a JSON text: one pass, no recursion, values on a stack of cells.
//!
//! A finished array or object takes its items off the stack and leaves its own cell. What a cell refers to is the
//! sink's affair: the arena of a request or the segment of a document.

use crate::cell::{Cell, tag};
use crate::json::error::{Fault, Literal, is_space};
use crate::json::projection::{Projection, WHOLE};
use crate::json::sink::Sink;

/// How deep arrays and objects may nest; Go's limit.
pub(super) const DEPTH_MAX: usize = 10_000;

/// The stacks of a reader, kept from one text to the next.
#[derive(Default, Debug)]
pub(crate) struct Scratch {
    /// The keys and values of all open collections.
    pub(super) cells: Vec<Cell>,
    pub(super) frames: Vec<Frame>,
    /// Where strings with escapes are decoded.
    pub(super) text: Vec<u8>,
}

/// More than this is given back after a large text.
const SCRATCH_ITEMS_MAX: usize = 64 * 1024;

impl Scratch {
    /// Makes ready for the next text.
    pub(crate) fn clear(&mut self) {
        self.cells.clear();
        self.frames.clear();
        self.text.clear();
        self.cells.shrink_to(SCRATCH_ITEMS_MAX);
        self.text.shrink_to(SCRATCH_ITEMS_MAX);
    }
}

/// An open collection in one word: its kind, what is wanted of it, where its items start on the stack.
#[derive(Clone, Copy, Debug)]
pub(super) struct Frame(u64);

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum FrameKind {
    Top,
    Array,
    Object,
}

impl Default for Frame {
    fn default() -> Self {
        Self::TOP
    }
}

impl Frame {
    const TOP: Self = Self(0);

    #[inline]
    pub(super) fn new(kind: FrameKind, node: u32, start: u32) -> Self {
        let kind = match kind {
            FrameKind::Top => 0,
            FrameKind::Array => 1,
            FrameKind::Object => 2,
        };
        Self(kind | u64::from(node) << 2 | u64::from(start) << 32)
    }

    #[inline]
    pub(super) fn kind(self) -> FrameKind {
        match self.0 & 3 {
            0 => FrameKind::Top,
            1 => FrameKind::Array,
            _ => FrameKind::Object,
        }
    }

    /// What is wanted of an array's items, or of an object by key.
    #[inline]
    pub(super) fn node(self) -> u32 {
        (self.0 & 0xffff_ffff) as u32 >> 2
    }

    #[inline]
    fn start(self) -> usize {
        (self.0 >> 32) as usize
    }
}

/// What comes after a finished value.
pub(super) enum Next {
    /// Another value.
    Value,
    /// A collection that is finished by it.
    Closed(Cell),
    /// Nothing: it was the whole.
    End(Cell),
}

/// Reads one text into a sink.
pub(super) struct Parser<'p, S> {
    pub(super) input: &'p [u8],
    pub(super) at: usize,
    pub(super) sink: S,
    pub(super) scratch: &'p mut Scratch,
    pub(super) projection: &'p Projection,
    /// What is wanted of the next value.
    node: u32,
    pub(super) top: Frame,
}

impl<'p, S: Sink> Parser<'p, S> {
    pub(super) fn new(
        input: &'p [u8],
        sink: S,
        scratch: &'p mut Scratch,
        projection: &'p Projection,
    ) -> Self {
        Self { input, at: 0, sink, scratch, projection, node: projection.root(), top: Frame::TOP }
    }

    /// Reads the value that comes next.
    pub(super) fn value(&mut self) -> Result<Cell, Fault> {
        loop {
            let Some(mut cell) = self.begin()? else { continue };
            loop {
                match self.finish(cell)? {
                    Next::Value => break,
                    Next::Closed(closed) => cell = closed,
                    Next::End(cell) => return Ok(cell),
                }
            }
        }
    }

    /// Reads a scalar or opens a collection; none if a value inside it comes next.
    #[inline]
    pub(super) fn begin(&mut self) -> Result<Option<Cell>, Fault> {
        match self.token() {
            b'"' => {
                self.at += 1;
                self.string().map(Some)
            }
            b'{' => self.open_object(),
            b'[' => self.open_array(),
            b'-' | b'0'..=b'9' => self.number().map(Some),
            b't' => self.literal(Literal::True).map(|()| Some(Cell::TRUE)),
            b'f' => self.literal(Literal::False).map(|()| Some(Cell::FALSE)),
            b'n' => self.literal(Literal::Null).map(|()| Some(Cell::NULL)),
            _ => Err(Fault::Value),
        }
    }

    /// Puts a finished value where it belongs.
    #[inline]
    pub(super) fn finish(&mut self, cell: Cell) -> Result<Next, Fault> {
        match self.top.kind() {
            FrameKind::Object => {
                self.scratch.cells.push(cell);
                match self.token() {
                    b',' => {
                        self.at += 1;
                        self.token();
                        self.keys()
                    }
                    b'}' => self.close_object(),
                    _ => Err(Fault::AfterPair),
                }
            }
            FrameKind::Array => {
                self.scratch.cells.push(cell);
                match self.token() {
                    b',' => {
                        self.at += 1;
                        self.node = self.top.node();
                        Ok(Next::Value)
                    }
                    b']' => self.close_array(),
                    _ => Err(Fault::AfterItem),
                }
            }
            FrameKind::Top => Ok(Next::End(cell)),
        }
    }

    fn open_object(&mut self) -> Result<Option<Cell>, Fault> {
        let node = self.node;
        self.open(FrameKind::Object, node)?;
        if self.token() == b'}' {
            return self.close_object().map(Next::closed);
        }
        self.keys().map(Next::closed)
    }

    fn open_array(&mut self) -> Result<Option<Cell>, Fault> {
        let mut node = self.node;
        if node != WHOLE {
            match self.projection.any(node) {
                Some(items) => node = items,
                None => return self.skip_value().map(|()| Some(Cell::reference(tag::ARRAY, 0, 0))),
            }
        }
        self.open(FrameKind::Array, node)?;
        if self.token() == b']' {
            return self.close_array().map(Next::closed);
        }
        self.node = node;
        Ok(None)
    }

    #[inline]
    fn open(&mut self, kind: FrameKind, node: u32) -> Result<(), Fault> {
        if self.scratch.frames.len() >= DEPTH_MAX {
            return Err(Fault::TooDeep);
        }
        let start = u32::try_from(self.scratch.cells.len()).map_err(|_| Fault::TooLarge)?;
        self.at += 1;
        self.scratch.frames.push(self.top);
        self.top = Frame::new(kind, node, start);
        Ok(())
    }

    #[inline]
    fn close_array(&mut self) -> Result<Next, Fault> {
        let cell = self.sink.array(&mut self.scratch.cells, self.top.start()).ok_or(Fault::TooLarge)?;
        self.close(cell)
    }

    #[inline]
    fn close_object(&mut self) -> Result<Next, Fault> {
        let cell = self.sink.object(&mut self.scratch.cells, self.top.start()).ok_or(Fault::TooLarge)?;
        self.close(cell)
    }

    #[inline]
    fn close(&mut self, cell: Cell) -> Result<Next, Fault> {
        self.at += 1;
        self.scratch.cells.truncate(self.top.start());
        // The outermost frame is not on the stack, so there is always one below an open collection.
        self.top = self.scratch.frames.pop().unwrap_or(self.top);
        Ok(Next::Closed(cell))
    }

    /// Reads the next wanted key and its colon; the object may end before one comes.
    #[inline]
    fn keys(&mut self) -> Result<Next, Fault> {
        if self.top.node() != WHOLE {
            return self.wanted_keys();
        }
        let key = self.key()?;
        self.scratch.cells.push(key);
        self.colon()?;
        Ok(Next::Value)
    }

    #[inline]
    fn key(&mut self) -> Result<Cell, Fault> {
        if self.byte() != b'"' {
            return Err(Fault::Key);
        }
        self.at += 1;
        self.string()
    }

    #[inline]
    fn colon(&mut self) -> Result<(), Fault> {
        if self.token() != b':' {
            return Err(Fault::AfterKey);
        }
        self.at += 1;
        Ok(())
    }

    /// As `keys`, with the pairs that are not wanted left out.
    fn wanted_keys(&mut self) -> Result<Next, Fault> {
        loop {
            if self.byte() != b'"' {
                return Err(Fault::Key);
            }
            self.at += 1;
            let wanted = self.wanted_key()?;
            self.colon()?;
            if let Some((key, node)) = wanted {
                self.scratch.cells.push(key);
                self.node = node;
                return Ok(Next::Value);
            }
            self.token();
            self.skip_value()?;
            match self.token() {
                b',' => {
                    self.at += 1;
                    self.token();
                }
                b'}' => return self.close_object(),
                _ => return Err(Fault::AfterPair),
            }
        }
    }

    /// Returns the byte here, 0 at the end.
    #[inline]
    pub(super) fn byte(&self) -> u8 {
        self.input.get(self.at).copied().unwrap_or(0)
    }

    /// Goes on to the next byte that is no white space and returns it, 0 at the end.
    #[inline]
    pub(super) fn token(&mut self) -> u8 {
        let byte = self.byte();
        if byte > b' ' {
            return byte;
        }
        self.token_after_space()
    }

    fn token_after_space(&mut self) -> u8 {
        let rest = self.input.get(self.at..).unwrap_or(&[]);
        self.at += rest.iter().position(|it| !is_space(*it)).unwrap_or(rest.len());
        self.byte()
    }
}

impl Next {
    /// After an opening: the collection if it ended at once, none if a value comes.
    fn closed(self) -> Option<Cell> {
        match self {
            Self::Value => None,
            Self::Closed(cell) | Self::End(cell) => Some(cell),
        }
    }
}
