//! Parts that are not wanted: validated as strictly as the others, never built.
//!
//! Apart from `parse` because it has no sink to fill: the same grammar and the same faults on a stack of frames
//! alone. The two are compared on every case of the corpus.

use crate::json::error::{Fault, Literal};
use crate::json::parse::{DEPTH_MAX, Frame, FrameKind, Parser};
use crate::json::sink::Sink;

impl<S: Sink> Parser<'_, S> {
    /// Goes past the value whose first byte stands here.
    pub(super) fn skip_value(&mut self) -> Result<(), Fault> {
        let depth = self.scratch.frames.len();
        loop {
            if self.skip_begin()? {
                continue;
            }
            while self.scratch.frames.len() > depth && !self.skip_next()? {}
            if self.scratch.frames.len() == depth {
                return Ok(());
            }
        }
    }

    /// Goes past a scalar, or into a collection; true if a value inside comes next.
    fn skip_begin(&mut self) -> Result<bool, Fault> {
        match self.token() {
            b'"' => {
                self.at += 1;
                self.skip_string()?;
            }
            b'{' => {
                self.skip_open(FrameKind::Object)?;
                if self.token() != b'}' {
                    self.skip_key()?;
                    return Ok(true);
                }
                self.skip_close();
            }
            b'[' => {
                self.skip_open(FrameKind::Array)?;
                if self.token() != b']' {
                    return Ok(true);
                }
                self.skip_close();
            }
            b'-' | b'0'..=b'9' => self.skip_number()?,
            b't' => self.literal(Literal::True)?,
            b'f' => self.literal(Literal::False)?,
            b'n' => self.literal(Literal::Null)?,
            _ => return Err(Fault::Value),
        }
        Ok(false)
    }

    /// Goes past what follows a value; true if another value comes next, false if the collection ended.
    fn skip_next(&mut self) -> Result<bool, Fault> {
        let object = self.scratch.frames.last().is_some_and(|it| it.kind() == FrameKind::Object);
        match (self.token(), object) {
            (b',', true) => {
                self.at += 1;
                self.token();
                self.skip_key()?;
                Ok(true)
            }
            (b',', false) => {
                self.at += 1;
                Ok(true)
            }
            (b'}', true) | (b']', false) => {
                self.skip_close();
                Ok(false)
            }
            (_, true) => Err(Fault::AfterPair),
            (_, false) => Err(Fault::AfterItem),
        }
    }

    pub(super) fn skip_open(&mut self, kind: FrameKind) -> Result<(), Fault> {
        if self.scratch.frames.len() >= DEPTH_MAX {
            return Err(Fault::TooDeep);
        }
        self.at += 1;
        self.scratch.frames.push(Frame::new(kind, 0, 0));
        Ok(())
    }

    fn skip_close(&mut self) {
        self.at += 1;
        self.scratch.frames.pop();
    }

    /// Goes past a key and its colon.
    pub(super) fn skip_key(&mut self) -> Result<(), Fault> {
        if self.byte() != b'"' {
            return Err(Fault::Key);
        }
        self.at += 1;
        self.skip_string()?;
        if self.token() != b':' {
            return Err(Fault::AfterKey);
        }
        self.at += 1;
        Ok(())
    }
}
