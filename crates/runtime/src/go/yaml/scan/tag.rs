//! Directives, anchors, aliases and tags.
//!
//! Apart because they are made of names and addresses, and have faults of their own.

use super::super::cursor::{Mark, is_blank, is_blank_or_end, is_name};
use super::{Kind, Scanned, Scanner};

impl Scanner<'_> {
    pub(super) fn fetch_directive(&mut self) -> Scanned<()> {
        self.unroll_indent(-1, self.cursor.mark);
        self.remove_key()?;
        self.key_allowed = false;
        let start = self.cursor.mark;
        self.cursor.skip();
        let name = self.name();
        if name.is_empty() {
            return self.fault(start, "could not find expected directive name");
        }
        if !is_blank_or_end(self.cursor.peek()) {
            return self.fault(start, "found unexpected non-alphabetical character");
        }
        let kind = match name.as_str() {
            "YAML" => self.version(start)?,
            "TAG" => self.tag_directive(start)?,
            _ => return self.fault(start, "found unknown directive name"),
        };
        let end_line = self.cursor.mark.line;
        self.finish_line(start)?;
        self.push(kind, start);
        if let Some(token) = self.tokens.back_mut() {
            token.end_line = end_line;
        }
        Ok(())
    }

    fn name(&mut self) -> String {
        let mut name = String::new();
        while self.cursor.peek().is_some_and(is_name) {
            self.cursor.read(&mut name);
        }
        name
    }

    fn version(&mut self, start: Mark) -> Scanned<Kind> {
        self.cursor.skip_all(is_blank);
        let major = self.version_number(start)?;
        if !self.cursor.is('.') {
            return self.fault(start, "did not find expected digit or '.' character");
        }
        self.cursor.skip();
        let minor = self.version_number(start)?;
        Ok(Kind::Version(major, minor))
    }

    fn version_number(&mut self, start: Mark) -> Scanned<u8> {
        let mut digits = String::new();
        while self.cursor.peek().is_some_and(|it| it.is_ascii_digit()) {
            if digits.len() == 2 {
                return self.fault(start, "found extremely long version number");
            }
            self.cursor.read(&mut digits);
        }
        match digits.parse() {
            Ok(number) => Ok(number),
            Err(_) => self.fault(start, "did not find expected version number"),
        }
    }

    fn tag_directive(&mut self, start: Mark) -> Scanned<Kind> {
        self.cursor.skip_all(is_blank);
        let handle = self.handle(start)?;
        if !handle.ends_with('!') {
            return self.fault(start, "did not find expected '!'");
        }
        if !self.cursor.peek().is_some_and(is_blank) {
            return self.fault(start, "did not find expected whitespace");
        }
        self.cursor.skip_all(is_blank);
        let prefix = self.address("", start)?;
        if !is_blank_or_end(self.cursor.peek()) {
            return self.fault(start, "did not find expected whitespace or line break");
        }
        Ok(Kind::TagDirective { handle, prefix })
    }

    pub(super) fn fetch_anchor(&mut self) -> Scanned<()> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.cursor.mark;
        let sign = self.cursor.skip();
        let name = self.name();
        let ends = |it: char| "?:,]}%@`".contains(it);
        let after = self.cursor.peek();
        if name.is_empty() || !(is_blank_or_end(after) || after.is_some_and(ends)) {
            return self.fault(start, "did not find expected alphabetic or numeric character");
        }
        self.push(if sign == Some('*') { Kind::Alias(name) } else { Kind::Anchor(name) }, start);
        Ok(())
    }

    pub(super) fn fetch_tag(&mut self) -> Scanned<()> {
        self.save_key()?;
        self.key_allowed = false;
        let start = self.cursor.mark;
        let (mut handle, mut suffix) = (String::new(), String::new());
        if self.cursor.peek_nth(1) == Some('<') {
            self.cursor.skip();
            self.cursor.skip();
            suffix = self.address("", start)?;
            if !self.cursor.is('>') {
                return self.fault(start, "did not find the expected '>'");
            }
            self.cursor.skip();
        } else {
            let head = self.handle(start)?;
            if head.len() > 1 && head.ends_with('!') {
                suffix = self.address("", start)?;
                handle = head;
            } else {
                suffix.push_str(&self.address(&head, start)?);
                handle.push('!');
                if suffix.is_empty() {
                    std::mem::swap(&mut handle, &mut suffix);
                }
            }
        }
        if !is_blank_or_end(self.cursor.peek()) {
            return self.fault(start, "did not find expected whitespace or line break");
        }
        self.push(Kind::Tag { handle, suffix }, start);
        Ok(())
    }

    /// Reads `!`, `!name` or `!name!`.
    fn handle(&mut self, start: Mark) -> Scanned<String> {
        if !self.cursor.is('!') {
            return self.fault(start, "did not find expected '!'");
        }
        let mut handle = String::new();
        self.cursor.read(&mut handle);
        handle.push_str(&self.name());
        if self.cursor.is('!') {
            self.cursor.read(&mut handle);
        }
        Ok(handle)
    }

    /// Reads an address that perhaps begins with what was taken for a handle.
    fn address(&mut self, head: &str, start: Mark) -> Scanned<String> {
        let mut bytes: Vec<u8> = head.bytes().skip(1).collect();
        let mut any = !head.is_empty();
        while let Some(c) =
            self.cursor.peek().filter(|it| is_name(*it) || ";/?:@&=+$,.!~*'()[]%".contains(*it))
        {
            if c == '%' {
                self.escapes(&mut bytes, start)?;
            } else {
                self.cursor.skip();
                bytes.extend(c.encode_utf8(&mut [0; 4]).bytes());
            }
            any = true;
        }
        if !any {
            return self.fault(start, "did not find expected tag URI");
        }
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    /// Reads the escaped bytes of one character.
    fn escapes(&mut self, bytes: &mut Vec<u8>, start: Mark) -> Scanned<()> {
        let mut left = None;
        while left != Some(0) {
            let digit = |at: usize| self.cursor.peek_nth(at).and_then(|it| it.to_digit(16));
            let octet = match (self.cursor.is('%'), digit(1), digit(2)) {
                (true, Some(high), Some(low)) => u8::try_from(high << 4 | low).unwrap_or(0),
                _ => return self.fault(start, "did not find URI escaped octet"),
            };
            left = match (left, octet) {
                (None, 0..=0x7f) => Some(0),
                (None, 0xc0..=0xdf) => Some(1),
                (None, 0xe0..=0xef) => Some(2),
                (None, 0xf0..=0xf7) => Some(3),
                (None, _) => return self.fault(start, "found an incorrect leading UTF-8 octet"),
                (Some(left), 0x80..=0xbf) => Some(left - 1),
                (Some(_), _) => return self.fault(start, "found an incorrect trailing UTF-8 octet"),
            };
            bytes.push(octet);
            self.cursor.skip_many(3);
        }
        Ok(())
    }
}
