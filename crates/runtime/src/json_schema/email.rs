//! Whether a text is one mail address, by the rules of Go's `net/mail`.
//!
//! Apart because these are the rules of RFC 5322 with names, comments and groups. Only the verdict is wanted: nothing
//! is kept of what is read.

use super::format::is_ip;

/// Says whether a text is exactly one address, perhaps with a name or alone in a group.
pub(super) fn is_address(text: &str) -> bool {
    let mut reader = Reader { rest: text };
    let Some(count) = reader.addresses(Groups::Allowed) else { return false };
    reader.skip_comments() && reader.rest.is_empty() && count == 1
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Groups {
    Allowed,
    Refused,
}

#[derive(Clone, Copy)]
struct Reader<'t> {
    rest: &'t str,
}

fn is_visible(c: char) -> bool {
    matches!(c, '!'..='~') || !c.is_ascii()
}

fn is_atom_char(c: char) -> bool {
    is_visible(c) && !"()<>[]:;@\\,\"".contains(c)
}

impl Reader<'_> {
    fn peek(&self) -> Option<char> {
        self.rest.chars().next()
    }

    fn consume(&mut self, wanted: char) -> bool {
        match self.rest.strip_prefix(wanted) {
            Some(rest) => {
                self.rest = rest;
                true
            }
            None => false,
        }
    }

    fn skip_spaces(&mut self) {
        self.rest = self.rest.trim_start_matches([' ', '\t']);
    }

    /// Skips spaces and comments; false if a comment has no end.
    fn skip_comments(&mut self) -> bool {
        self.skip_spaces();
        while self.consume('(') {
            if self.comment().is_none() {
                return false;
            }
            self.skip_spaces();
        }
        true
    }

    /// Reads a comment to its end and returns its text.
    fn comment(&mut self) -> Option<String> {
        let mut depth = 1;
        let mut text = String::new();
        let mut chars = self.rest.chars();
        while let Some(c) = chars.next() {
            let mut shown = c;
            match c {
                '\\' if !chars.as_str().is_empty() => shown = chars.next()?,
                '(' => depth += 1,
                ')' => depth -= 1,
                _ => {}
            }
            if depth == 0 {
                self.rest = chars.as_str();
                return Some(text);
            }
            text.push(shown);
        }
        None
    }

    /// Reads an address or a group and returns how many addresses there are.
    fn addresses(&mut self, groups: Groups) -> Option<usize> {
        self.skip_spaces();
        if self.rest.is_empty() {
            return None;
        }
        let start = *self;
        if self.bare_address().is_some() {
            self.skip_spaces();
            if self.consume('(') {
                let comment = self.comment()?;
                let mut words = comment.split([' ', '\t']).filter(|it| !it.is_empty());
                return words.all(is_word).then_some(1);
            }
            return Some(1);
        }
        *self = start;
        if self.peek() != Some('<') {
            self.phrase()?;
        }
        self.skip_spaces();
        if groups == Groups::Allowed && self.consume(':') {
            return self.group();
        }
        if !self.consume('<') {
            return None;
        }
        self.bare_address()?;
        self.consume('>').then_some(1)
    }

    fn group(&mut self) -> Option<usize> {
        self.skip_spaces();
        if self.consume(';') {
            return self.skip_comments().then_some(0);
        }
        let mut count = 0;
        loop {
            self.skip_spaces();
            count += self.addresses(Groups::Refused)?;
            if !self.skip_comments() {
                return None;
            }
            if self.consume(';') {
                return self.skip_comments().then_some(count);
            }
            if !self.consume(',') {
                return None;
            }
        }
    }

    /// Reads `local@domain`.
    fn bare_address(&mut self) -> Option<()> {
        self.skip_spaces();
        match self.peek()? {
            '"' => self.quoted().filter(|it| *it > 0).map(drop)?,
            _ => self.dotted_atom()?,
        }
        if !self.consume('@') {
            return None;
        }
        self.skip_spaces();
        match self.peek()? {
            '[' => self.literal(),
            _ => self.dotted_atom(),
        }
    }

    /// Reads a quoted text and returns how many characters it holds.
    fn quoted(&mut self) -> Option<usize> {
        let mut chars = self.rest.chars();
        chars.next();
        let mut len = 0;
        loop {
            match chars.next()? {
                '"' => {
                    self.rest = chars.as_str();
                    return Some(len);
                }
                '\\' => {
                    chars.next().filter(|it| is_visible(*it) || matches!(it, ' ' | '\t'))?;
                }
                c if is_visible(c) || matches!(c, ' ' | '\t') => {}
                _ => return None,
            }
            len += 1;
        }
    }

    fn atom(&mut self) -> Option<&str> {
        let end = self.rest.find(|it| !is_atom_char(it)).unwrap_or(self.rest.len());
        let (atom, rest) = self.rest.split_at(end);
        self.rest = rest;
        (!atom.is_empty()).then_some(atom)
    }

    fn dotted_atom(&mut self) -> Option<()> {
        let atom = self.atom()?;
        atom.split('.').all(|it| !it.is_empty()).then_some(())
    }

    /// Reads an address in brackets.
    fn literal(&mut self) -> Option<()> {
        let inside = self.rest.strip_prefix('[')?;
        let (text, rest) = inside.split_once(']')?;
        self.rest = rest;
        is_ip(text).then_some(())
    }

    /// Reads the words of a name; a fault after the first one only ends it.
    fn phrase(&mut self) -> Option<()> {
        let mut words = 0;
        loop {
            if words > 0 && !self.skip_comments() {
                return None;
            }
            self.skip_spaces();
            let word = match self.peek() {
                None => return Some(()),
                Some('"') => self.quoted().map(drop),
                Some(_) => self.atom().map(is_word).filter(|it| *it).map(drop),
            };
            if word.is_none() {
                return (words > 0).then_some(());
            }
            words += 1;
        }
    }
}

/// Says whether a word is fine: only an encoded one in a character set that Go does not know is not.
fn is_word(word: &str) -> bool {
    let Some(inside) = word.strip_prefix("=?").and_then(|it| it.strip_suffix("?=")) else { return true };
    if word.len() < 8 || word.matches('?').count() != 4 {
        return true;
    }
    let mut parts = inside.splitn(3, '?');
    let (charset, encoding, text) =
        (parts.next().unwrap_or(""), parts.next().unwrap_or(""), parts.next().unwrap_or(""));
    let known = ["utf-8", "iso-8859-1", "us-ascii"].iter().any(|it| it.eq_ignore_ascii_case(charset));
    charset.is_empty() || known || !is_encoded(encoding, text)
}

/// Says whether a text can be decoded.
fn is_encoded(encoding: &str, text: &str) -> bool {
    match encoding {
        "b" | "B" => {
            let bare = text.trim_end_matches('=');
            let sound = |it: u8| it.is_ascii_alphanumeric() || matches!(it, b'+' | b'/');
            text.len().is_multiple_of(4) && text.len() - bare.len() <= 2 && bare.bytes().all(sound)
        }
        "q" | "Q" => text.split('=').skip(1).all(|it| {
            let mut digits = it.bytes();
            digits.next().is_some_and(|it| it.is_ascii_hexdigit())
                && digits.next().is_some_and(|it| it.is_ascii_hexdigit())
        }),
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_told_from_others() {
        for good in [
            "a@b",
            "a.b+c@d.e",
            "\"a b\"@c",
            "Ann <a@b>",
            "\"Ann, B\" <a@b>",
            "a@[127.0.0.1]",
            "a@b (a (nested) comment)",
            "group: a@b;",
            "é@ü",
            "A B. C <a@b> (x)",
            "=?utf-8?q?x?= <a@b>",
        ] {
            assert!(is_address(good), "{good}");
        }
        for bad in [
            "",
            "a",
            "@b",
            "a@",
            ".a@b",
            "a..b@c",
            "a@b.",
            "a@b c",
            "a@b, c@d",
            "\"\"@b",
            "a@[x]",
            "group:;",
            "a b@c",
            "<a@b",
            "a@b (x",
            "group: a@b, c@d;",
            "=?foo?q?x?= <a@b>",
        ] {
            assert!(!is_address(bad), "{bad}");
        }
    }
}
