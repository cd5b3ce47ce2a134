//! The elements of a layout: which letters and digits stand for a part of the time.
//!
//! Works on bytes, since Go compares and cuts bytes; elements are ASCII, so their ends are
//! character boundaries. Knows nothing of times.

/// A part of the time that a layout asks for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Element {
    LongMonth,
    ShortMonth,
    Month { fixed: bool },
    LongWeekday,
    ShortWeekday,
    Day { fixed: bool },
    SpacedDay,
    YearDay,
    SpacedYearDay,
    Hour,
    Hour12 { fixed: bool },
    Minute { fixed: bool },
    Second { fixed: bool },
    LongYear,
    ShortYear,
    UpperHalf,
    LowerHalf,
    ZoneName,
    Offset(Offset),
    Fraction { trim: bool, digits: usize, comma: bool },
}

/// How an offset from UTC is written.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Offset {
    /// `Z` stands for zero.
    pub(super) zulu: bool,
    pub(super) colon: bool,
    pub(super) minutes: bool,
    pub(super) seconds: bool,
}

/// Finds the first element; returns where it starts and ends.
pub(super) fn next_element(layout: &[u8]) -> Option<(usize, usize, Element)> {
    (0..layout.len()).find_map(|at| {
        let rest = layout.get(at..)?;
        if rest.starts_with(b"_2006") {
            return Some((at + 1, at + 5, Element::LongYear));
        }
        let (len, element) = element_at(rest)?;
        Some((at, at + len, element))
    })
}

fn element_at(rest: &[u8]) -> Option<(usize, Element)> {
    match rest.first()? {
        b'J' | b'M' => word(rest),
        b'0' => zero_digit(rest),
        b'1' if rest.starts_with(b"15") => Some((2, Element::Hour)),
        b'1' => Some((1, Element::Month { fixed: false })),
        b'2' if rest.starts_with(b"2006") => Some((4, Element::LongYear)),
        b'2' => Some((1, Element::Day { fixed: false })),
        b'_' if rest.starts_with(b"_2") => Some((2, Element::SpacedDay)),
        b'_' if rest.starts_with(b"__2") => Some((3, Element::SpacedYearDay)),
        b'3' => Some((1, Element::Hour12 { fixed: false })),
        b'4' => Some((1, Element::Minute { fixed: false })),
        b'5' => Some((1, Element::Second { fixed: false })),
        b'P' if rest.starts_with(b"PM") => Some((2, Element::UpperHalf)),
        b'p' if rest.starts_with(b"pm") => Some((2, Element::LowerHalf)),
        sign @ (b'-' | b'Z') => offset(rest.get(1..)?, *sign == b'Z'),
        b'.' | b',' => fraction(rest),
        _ => None,
    }
}

fn word(rest: &[u8]) -> Option<(usize, Element)> {
    let short = |name: &[u8]| rest.starts_with(name) && !rest.get(3).is_some_and(u8::is_ascii_lowercase);
    if rest.starts_with(b"January") {
        Some((7, Element::LongMonth))
    } else if short(b"Jan") {
        Some((3, Element::ShortMonth))
    } else if rest.starts_with(b"Monday") {
        Some((6, Element::LongWeekday))
    } else if short(b"Mon") {
        Some((3, Element::ShortWeekday))
    } else if rest.starts_with(b"MST") {
        Some((3, Element::ZoneName))
    } else {
        None
    }
}

fn zero_digit(rest: &[u8]) -> Option<(usize, Element)> {
    let element = match rest.get(1)? {
        b'1' => Element::Month { fixed: true },
        b'2' => Element::Day { fixed: true },
        b'3' => Element::Hour12 { fixed: true },
        b'4' => Element::Minute { fixed: true },
        b'5' => Element::Second { fixed: true },
        b'6' => Element::ShortYear,
        b'0' if rest.starts_with(b"002") => return Some((3, Element::YearDay)),
        _ => return None,
    };
    Some((2, element))
}

fn offset(rest: &[u8], zulu: bool) -> Option<(usize, Element)> {
    let styles: [(&[u8], bool, bool, bool); 5] = [
        (b"070000", false, true, true),
        (b"07:00:00", true, true, true),
        (b"0700", false, true, false),
        (b"07:00", true, true, false),
        (b"07", false, false, false),
    ];
    let found = styles.into_iter().find(|(text, ..)| rest.starts_with(text));
    found.map(|(text, colon, minutes, seconds)| {
        (text.len() + 1, Element::Offset(Offset { zulu, colon, minutes, seconds }))
    })
}

fn fraction(rest: &[u8]) -> Option<(usize, Element)> {
    let digit = *rest.get(1).filter(|digit| matches!(digit, b'0' | b'9'))?;
    let digits = rest.iter().skip(1).take_while(|byte| **byte == digit).count();
    if rest.get(1 + digits).is_some_and(u8::is_ascii_digit) {
        return None;
    }
    let comma = rest.first() == Some(&b',');
    // Go keeps the count in twelve bits.
    Some((1 + digits, Element::Fraction { trim: digit == b'9', digits: digits & 0xfff, comma }))
}
