//! Go's character tables (Unicode 15.0) where text functions ask for them.
//!
//! Apart from the regex classes, whose tables it borrows, because quoting and templates
//! need single-character questions answered fast.

use std::sync::LazyLock;

use regex_syntax::hir::ClassUnicode;

use super::regex::class::unicode_group;

fn group(names: &[&str]) -> ClassUnicode {
    let mut all = ClassUnicode::empty();
    for name in names {
        if let Some(class) = unicode_group(name) {
            all.union(&class);
        }
    }
    all
}

fn has(class: &ClassUnicode, c: char) -> bool {
    let ranges = class.ranges();
    let after = ranges.partition_point(|range| range.end() < c);
    ranges.get(after).is_some_and(|range| range.start() <= c)
}

/// Says whether Go's `strconv.IsPrint` holds: letters, marks, numbers, punctuation, symbols
/// and the ASCII space.
pub fn is_print(c: char) -> bool {
    static PRINT: LazyLock<ClassUnicode> = LazyLock::new(|| group(&["L", "M", "N", "P", "S"]));
    if c.is_ascii() { matches!(c, ' '..='~') } else { has(&PRINT, c) }
}

/// Says whether the character is a letter to Go.
pub fn is_letter(c: char) -> bool {
    static LETTERS: LazyLock<ClassUnicode> = LazyLock::new(|| group(&["L"]));
    if c.is_ascii() { c.is_ascii_alphabetic() } else { has(&LETTERS, c) }
}

/// Says whether the character is a decimal digit to Go.
pub fn is_digit(c: char) -> bool {
    static DIGITS: LazyLock<ClassUnicode> = LazyLock::new(|| group(&["Nd"]));
    if c.is_ascii() { c.is_ascii_digit() } else { has(&DIGITS, c) }
}
