//! Numbers and the three words.
//!
//! A number keeps its text unless it is a small integer in its shortest form; what a number is worth is decided in
//! `number`, never here, so no exponent is ever expanded.

use crate::cell::{Cell, tag};
use crate::json::error::{Fault, Literal};
use crate::json::parse::Parser;
use crate::json::sink::Sink;

/// This many digits fit 64 bits whatever they are.
const DIGITS_MAX: usize = 18;

/// Where an integer's digits end, and what they say if they are few.
struct Digits {
    negative: bool,
    count: usize,
    value: u64,
}

impl<S: Sink> Parser<'_, S> {
    /// Reads a number, which keeps its text unless it is a small integer in its shortest form.
    #[inline]
    pub(super) fn number(&mut self) -> Result<Cell, Fault> {
        let start = self.at;
        let digits = self.integer()?;
        let fraction = matches!(self.byte(), b'.' | b'e' | b'E');
        if !fraction && digits.count <= DIGITS_MAX {
            let value = digits.value.cast_signed();
            let signed = if digits.negative { -value } else { value };
            if let Some(cell) = Cell::int(signed)
                && !(digits.negative && value == 0)
            {
                return Ok(cell);
            }
        }
        self.number_text(start, fraction)
    }

    #[inline]
    fn integer(&mut self) -> Result<Digits, Fault> {
        let negative = self.byte() == b'-';
        self.at += usize::from(negative);
        let rest = self.input.get(self.at..).unwrap_or(&[]);
        let (mut count, mut value) = (0, 0u64);
        for byte in rest {
            let digit = byte.wrapping_sub(b'0');
            if digit > 9 {
                break;
            }
            value = value.wrapping_mul(10).wrapping_add(u64::from(digit));
            count += 1;
        }
        if count == 0 {
            return Err(Fault::InNumber);
        }
        if rest.first() == Some(&b'0') {
            // What follows a leading zero is no longer the number.
            (count, value) = (1, 0);
        }
        self.at += count;
        Ok(Digits { negative, count, value })
    }

    fn number_text(&mut self, start: usize, fraction: bool) -> Result<Cell, Fault> {
        if fraction {
            self.skip_fraction()?;
        }
        let text = self.input.get(start..self.at).unwrap_or(&[]);
        if let Some(cell) = Cell::inline(tag::NUMBER, text) {
            return Ok(cell);
        }
        // Digits, signs, a point and an `e`: always text.
        let text = std::str::from_utf8(text).unwrap_or("0");
        self.sink.text(tag::NUMBER_REF, text, &mut self.scratch.cells).ok_or(Fault::TooLarge)
    }

    /// Goes to the end of a number.
    pub(super) fn skip_number(&mut self) -> Result<(), Fault> {
        self.integer()?;
        self.skip_fraction()
    }

    fn skip_fraction(&mut self) -> Result<(), Fault> {
        if self.byte() == b'.' {
            self.at += 1;
            self.skip_digits(Fault::AfterPoint)?;
        }
        if matches!(self.byte(), b'e' | b'E') {
            self.at += 1;
            self.at += usize::from(matches!(self.byte(), b'+' | b'-'));
            self.skip_digits(Fault::InExponent)?;
        }
        Ok(())
    }

    fn skip_digits(&mut self, fault: Fault) -> Result<(), Fault> {
        let rest = self.input.get(self.at..).unwrap_or(&[]);
        let count = rest.iter().position(|it| !it.is_ascii_digit()).unwrap_or(rest.len());
        self.at += count;
        if count == 0 { Err(fault) } else { Ok(()) }
    }

    /// Reads a word whose first byte stands here.
    #[inline]
    pub(super) fn literal(&mut self, literal: Literal) -> Result<(), Fault> {
        let text = literal.text().as_bytes();
        if self.input.get(self.at..).is_some_and(|it| it.starts_with(text)) {
            self.at += text.len();
            return Ok(());
        }
        self.literal_fault(literal)
    }

    #[cold]
    fn literal_fault(&mut self, literal: Literal) -> Result<(), Fault> {
        let rest = self.input.get(self.at..).unwrap_or(&[]);
        let text = literal.text().bytes();
        let same = rest.iter().zip(text).take_while(|it| *it.0 == it.1).count();
        self.at += same;
        Err(Fault::InLiteral(literal, same.to_le_bytes()[0]))
    }
}
