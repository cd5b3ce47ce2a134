//! Times as text, under Go's layouts: a layout shows how the reference time would look.
//!
//! `layout/chunk.rs` finds the elements of a layout, `layout/parse.rs` reads a time under
//! one. Layouts may be given by the names that OPA knows. Instants are nanoseconds since
//! 1970; nothing here knows of values or of the current time.

mod chunk;
mod parse;

use self::chunk::{Element, Offset, next_element};
use super::civil::{Civil, MONTHS};
use super::zone::Zone;

pub use self::parse::{TimeError, parse, parse_rfc3339};

/// The layout that OPA uses if none is given.
pub const RFC3339_NANO: &str = "2006-01-02T15:04:05.999999999Z07:00";
const RFC3339: &str = "2006-01-02T15:04:05Z07:00";

/// Returns the layout that a name stands for to OPA; any other text is a layout itself.
fn named_layout(name: &str) -> &str {
    match name {
        "ANSIC" => "Mon Jan _2 15:04:05 2006",
        "UnixDate" => "Mon Jan _2 15:04:05 MST 2006",
        "RubyDate" => "Mon Jan 02 15:04:05 -0700 2006",
        "RFC822" => "02 Jan 06 15:04 MST",
        "RFC822Z" => "02 Jan 06 15:04 -0700",
        "RFC850" => "Monday, 02-Jan-06 15:04:05 MST",
        "RFC1123" => "Mon, 02 Jan 2006 15:04:05 MST",
        "RFC1123Z" => "Mon, 02 Jan 2006 15:04:05 -0700",
        "RFC3339" => RFC3339,
        "RFC3339Nano" => RFC3339_NANO,
        _ => name,
    }
}

/// Formats an instant as seen in a zone; an empty layout means [`RFC3339_NANO`].
pub fn format(unix_ns: i64, zone: &Zone, layout: &str) -> String {
    let mut rest = if layout.is_empty() { RFC3339_NANO } else { named_layout(layout) };
    let civil = Civil::at(unix_ns, zone);
    let seconds = unix_ns.div_euclid(1_000_000_000);
    let mut out = String::with_capacity(rest.len() + 8);
    while let Some((start, end, element)) = next_element(rest.as_bytes()) {
        out.push_str(rest.get(..start).unwrap_or(""));
        rest = rest.get(end..).unwrap_or("");
        match element {
            Element::Offset(offset) => push_offset(offset, zone.offset(seconds), &mut out),
            Element::ZoneName => out.push_str(&zone.abbreviation(seconds)),
            _ => push_element(element, &civil, &mut out),
        }
    }
    out.push_str(rest);
    out
}

fn push_element(element: Element, civil: &Civil, out: &mut String) {
    let hour12 = (civil.hour + 11) % 12 + 1;
    let afternoon = civil.hour >= 12;
    let month = usize::try_from(civil.month - 1).ok().and_then(|idx| MONTHS.get(idx));
    let month = month.copied().unwrap_or("");
    let (number, width) = match element {
        Element::LongMonth => return out.push_str(month),
        Element::ShortMonth => return out.push_str(month.get(..3).unwrap_or("")),
        Element::LongWeekday => return out.push_str(civil.weekday()),
        Element::ShortWeekday => return out.push_str(civil.weekday().get(..3).unwrap_or("")),
        Element::UpperHalf => return out.push_str(if afternoon { "PM" } else { "AM" }),
        Element::LowerHalf => return out.push_str(if afternoon { "pm" } else { "am" }),
        Element::Fraction { trim, digits, comma } => {
            return push_fraction(civil.nanosecond, trim, digits, comma, out);
        }
        Element::SpacedDay => return out.push_str(&format!("{:2}", civil.day)),
        Element::SpacedYearDay => return out.push_str(&format!("{:3}", civil.year_day())),
        Element::Offset(_) | Element::ZoneName => return,
        Element::LongYear => (civil.year, 4),
        Element::ShortYear => (civil.year.abs() % 100, 2),
        Element::Month { fixed } => (civil.month, fixed_width(fixed)),
        Element::Day { fixed } => (civil.day, fixed_width(fixed)),
        Element::YearDay => (civil.year_day(), 3),
        Element::Hour => (civil.hour, 2),
        Element::Hour12 { fixed } => (hour12, fixed_width(fixed)),
        Element::Minute { fixed } => (civil.minute, fixed_width(fixed)),
        Element::Second { fixed } => (civil.second, fixed_width(fixed)),
    };
    out.push_str(&format!("{number:0width$}"));
}

fn fixed_width(fixed: bool) -> usize {
    if fixed { 2 } else { 1 }
}

fn push_fraction(nanosecond: i64, trim: bool, digits: usize, comma: bool, out: &mut String) {
    if trim && (digits == 0 || nanosecond == 0) {
        return;
    }
    let all = format!("{nanosecond:09}");
    let mut shown = all.get(..digits.min(9)).unwrap_or("");
    if trim {
        shown = shown.trim_end_matches('0');
    }
    if trim && shown.is_empty() {
        return;
    }
    out.push(if comma { ',' } else { '.' });
    out.push_str(shown);
}

fn push_offset(style: Offset, seconds: i64, out: &mut String) {
    if style.zulu && seconds == 0 {
        out.push('Z');
        return;
    }
    let minutes = seconds / 60;
    out.push(if minutes < 0 { '-' } else { '+' });
    let minutes = minutes.abs();
    let colon = if style.colon { ":" } else { "" };
    out.push_str(&format!("{:02}", minutes / 60));
    if style.minutes {
        out.push_str(&format!("{colon}{:02}", minutes % 60));
    }
    if style.seconds {
        // Seconds keep their sign when the minutes hide it, as in Go.
        let rest = if seconds / 60 < 0 { -seconds } else { seconds } % 60;
        out.push_str(&if rest < 0 { format!("{colon}-{:02}", -rest) } else { format!("{colon}{rest:02}") });
    }
}

/// Quotes a text the way Go's `time` package does in its errors.
pub(super) fn quote_time(text: &[u8]) -> String {
    let mut out = String::from('"');
    for &byte in text {
        match byte {
            b'"' | b'\\' => {
                out.push('\\');
                out.push(char::from(byte));
            }
            b' '..=0x7f => out.push(char::from(byte)),
            _ => out.push_str(&format!("\\x{byte:02x}")),
        }
    }
    out.push('"');
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const NS: i64 = 1_707_000_005_006_000_000;

    #[test]
    fn formats_as_go() {
        let berlin = Zone::load("Europe/Berlin").unwrap();
        let cases = [
            ("", "2024-02-03T23:40:05.006+01:00"),
            ("RFC3339", "2024-02-03T23:40:05+01:00"),
            ("RFC850", "Saturday, 03-Feb-24 23:40:05 CET"),
            ("ANSIC", "Sat Feb  3 23:40:05 2024"),
            ("RubyDate", "Sat Feb 03 23:40:05 +0100 2024"),
            ("3:04PM 3:4:5pm", "11:40PM 11:40:5pm"),
            ("002 __2 _2006", "034  34 _2024"),
            (".000 ,999999 .99", ".006 ,006 "),
            ("Z0700 Z07 -07:00:00", "+0100 +01 +01:00:00"),
            ("Janus Monk January", "Janus Monk February"),
            ("é2é", "é3é"),
        ];
        for (layout, want) in cases {
            assert_eq!(format(NS, &berlin, layout), want, "{layout}");
        }
        assert_eq!(format(NS, &Zone::UTC, "15Z07:00 MST"), "22Z UTC");
    }
}
