//! Strings of each kind: dates, addresses, encodings and so on, most of them valid.
//!
//! Apart because it is a list of small formats. It draws on a generator of numbers alone.

use super::patterns;
use crate::differential::kinds::Text;
use crate::mutate::Random;

/// The words that documents and policies share, so that comparisons hold now and then.
pub(crate) const WORDS: &[&str] =
    &["a", "b", "c", "d", "ab", "abc", "aa", "x", "y", "read", "write", "admin", "user"];

const ODD: &[&str] = &[
    "",
    " ",
    "\u{e9}",
    "\u{4e2d}\u{6587}",
    "\u{1f600}",
    "a\u{301}",
    "Stra\u{df}e",
    "\u{130}I",
    "tab\tnew\nline",
    "quote\"back\\slash",
    "<b>&amp;</b>",
    "\u{0}",
    "\u{7f}",
    "\u{2028}",
    "\u{fffd}",
    "  padded  ",
    "a,b,,c",
    "a/b/c",
    "aaaa",
    "UPPER lower",
    "a string of more than sixteen bytes",
    "{x}",
    "%d",
];

pub(crate) const ZONES: &[&str] = &[
    "UTC",
    "",
    "Europe/Berlin",
    "America/New_York",
    "Asia/Kolkata",
    "Australia/Lord_Howe",
    "America/Sao_Paulo",
    "Pacific/Apia",
    "Africa/Monrovia",
    "Asia/Kathmandu",
];

pub(crate) const LAYOUTS: &[&str] = &[
    "2006-01-02",
    "2006-01-02T15:04:05Z07:00",
    "Jan _2 2006 3:04PM",
    "Monday, 02-Jan-06 15:04:05 MST",
    "02 Jan 06 15:04 -0700",
    "15:04:05.000",
    "2006-002",
    "20060102150405",
    "ANSIC",
    "UnixDate",
    "RubyDate",
    "RFC822",
    "RFC822Z",
    "RFC850",
    "RFC1123",
    "RFC1123Z",
    "RFC3339",
    "RFC3339Nano",
];

/// Returns a string of a kind.
pub(crate) fn text(random: &mut Random, kind: Text) -> String {
    match kind {
        Text::Odd => (random.choose(ODD)).to_owned(),
        Text::Any if random.below(3) == 0 => (random.choose(ODD)).to_owned(),
        Text::Any | Text::Word => (random.choose(WORDS)).to_owned(),
        Text::Numeral => numeral(random),
        Text::Date => date(random),
        Text::Duration => duration(random),
        Text::Zone => (random.choose(ZONES)).to_owned(),
        Text::Cidr => cidr(random),
        Text::Ip => address(random),
        Text::Glob => patterns::glob(random),
        Text::Regex => patterns::regex(random, 3),
        Text::Json => json(random, 3),
        Text::Yaml => yaml(random),
        Text::Semver => semver(random),
        Text::Unit => unit(random, UNITS),
        Text::Bytes => unit(random, BYTE_UNITS),
        Text::Url => url(random),
        Text::Query => query(random),
        Text::Base64 => base64(random, false),
        Text::Base64Url => base64(random, true),
        Text::Hex => hex(random),
        Text::Uuid => uuid(random),
        Text::Path => path(random),
    }
}

fn digits(random: &mut Random, count: usize) -> String {
    (0..count).map(|_| char::from(b'0' + u8::try_from(random.below(10)).unwrap_or(0))).collect()
}

fn numeral(random: &mut Random) -> String {
    match random.below(8) {
        0 => (random.choose(&["1e3", "-0", "1.50", "0xg", "1__0", "abc", "", "--5", "1e", "Inf", "1e400"]))
            .to_owned(),
        1 => format!("-{}", random.below(1000)),
        2 => format!("{}.{}", random.below(100), digits(random, 3)),
        3 => format!("9{}", digits(random, 20)),
        _ => random.below(1000).to_string(),
    }
}

fn date(random: &mut Random) -> String {
    let zone = random.choose(&["Z", "+02:00", "-05:30", "Z", "z", "+00:00"]);
    let fraction = random.choose(&["", "", ".5", ".123456789", ".000"]);
    let (year, month, day) = (1680 + random.below(580), 1 + random.below(12), 1 + random.below(28));
    let (hour, minute, second) = (random.below(24), random.below(60), random.below(60));
    if random.below(20) == 0 {
        return (random.choose(&[
            "2020-02-30T00:00:00Z",
            "2020-13-01T00:00:00Z",
            "today",
            "2016-12-31T23:59:60Z",
        ]))
        .to_owned();
    }
    format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}{fraction}{zone}")
}

fn duration(random: &mut Random) -> String {
    let units = ["ns", "us", "\u{b5}s", "ms", "s", "m", "h", "d", "w", "y"];
    let mut out = (random.choose(&["", "", "", "-", "+"])).to_owned();
    for _ in 0..=random.below(3) {
        let fraction = random.choose(&["", "", ".5", ".25"]);
        out += &format!("{}{fraction}{}", random.below(90), random.choose(&units));
    }
    if random.below(20) == 0 { (random.choose(&["", "1", "h", "1x", "0", "1.h"])).to_owned() } else { out }
}

fn address(random: &mut Random) -> String {
    match random.below(10) {
        0 => {
            (random.choose(&["::1", "2001:db8::1", "fe80::", "::ffff:10.0.0.1", "2001:db8:0:1::"])).to_owned()
        }
        1 => (random.choose(&["10.0.0.256", "10.0.0", "", "a.b.c.d", "010.1.1.1", ":::"])).to_owned(),
        _ => format!("10.{}.{}.{}", random.below(2), random.below(4), random.below(256)),
    }
}

fn cidr(random: &mut Random) -> String {
    match random.below(12) {
        0 => (random.choose(&["2001:db8::/126", "2001:db8::/122", "2001:db8::1/128", "::ffff:10.0.0.0/126"]))
            .to_owned(),
        1 => (random.choose(&["10.0.0.0/33", "10.0.0.0", "10.0.0.0/", "x/8", "10.0.0.0/-1"])).to_owned(),
        _ => format!(
            "10.{}.{}.{}/{}",
            random.below(2),
            random.below(4),
            random.below(256),
            24 + random.below(9)
        ),
    }
}

fn json(random: &mut Random, depth: usize) -> String {
    let scalars =
        ["1", "1.0", "-0", "1e3", "true", "null", "\"a\"", "\"\\u00e9\"", "12345678901234567890", "0.1"];
    if depth == 0 || random.below(3) == 0 {
        return (random.choose(&scalars)).to_owned();
    }
    let count = random.below(4);
    let mut items: Vec<String> = (0..count).map(|_| json(random, depth - 1)).collect();
    if random.below(2) == 0 {
        for item in &mut items {
            *item = format!("\"{}\": {item}", random.choose(WORDS));
        }
        let text = format!("{{{}}}", items.join(", "));
        return if random.below(25) == 0 { text.replace('}', "") } else { text };
    }
    format!("[{}]", items.join(","))
}

const YAML: &[&str] = &[
    "a: 1\nb: [x, y]",
    "- 1\n- two\n- {c: 3}",
    "yes",
    "~",
    "0o17",
    "0x1F",
    "1_000",
    "2001-01-01",
    "a: &x {b: 1}\nc: *x",
    "a: |\n  text\n  more\n",
    "a: >-\n  folded\n  text\n",
    "'single''quote'",
    "\"esc\\u00e9\"",
    "? k\n: v",
    "a: !!str 1",
    "[1, 2",
    "a: b: c",
    "\t- x",
    ".inf",
    "1e3",
    "-0",
    "null: 1",
    "{}",
    "",
    "# nothing",
    "<<: {a: 1}\nb: 2",
    "true: yes",
    "1: one\n1.5: two",
];

fn yaml(random: &mut Random) -> String {
    if random.below(3) == 0 { json(random, 3) } else { (random.choose(YAML)).to_owned() }
}

fn semver(random: &mut Random) -> String {
    let core = format!("{}.{}.{}", random.below(3), random.below(3), random.below(12));
    let before = random.choose(&["", "", "-alpha", "-alpha.1", "-rc.2", "-1", "-0", "-01", "-a-b", "-"]);
    let build = random.choose(&["", "", "", "+build", "+1.2", "+"]);
    match random.below(20) {
        0 => format!("v{core}"),
        1 => core.get(..3).unwrap_or("").to_owned(),
        2 => format!("0{core}"),
        _ => format!("{core}{before}{build}"),
    }
}

const UNITS: &[&str] =
    &["", "m", "k", "K", "M", "G", "T", "P", "E", "Ki", "Mi", "Gi", "Ti", "Pi", "Ei", "x", " "];
const BYTE_UNITS: &[&str] =
    &["", "k", "KB", "kib", "KiB", "MB", "MiB", "g", "GiB", "TB", "Ti", "PB", "eib", "bit", "b"];

fn unit(random: &mut Random, units: &[&'static str]) -> String {
    let number = match random.below(8) {
        0 => (random.choose(&["", "-1", "1e3", "1.", ".5", "\"1\"", "1 0", "1_0"])).to_owned(),
        1..=3 => format!("{}.{}", random.below(100), digits(random, 2)),
        _ => random.below(2000).to_string(),
    };
    format!("{number}{}", random.choose(units))
}

fn url(random: &mut Random) -> String {
    let scheme = random.choose(&["http", "https", "ftp", "mailto", "HTTP"]);
    let host = random.choose(&[
        "example.com",
        "user:pw@h.example:8080",
        "[::1]:80",
        "10.0.0.1",
        "EXAMPLE.com",
        "h%41",
    ]);
    let path = random.choose(&["", "/", "/a/b%20c", "/a/../b", "/\u{e9}", "/%zz"]);
    let rest = random.choose(&["", "?", "?a=b&c=d", "#f", "?q#", "?a=%20+"]);
    match random.below(15) {
        0 => (random.choose(&[
            "",
            "a",
            "//h/p",
            "mailto:a@b",
            "::",
            "http://[::1",
            "a b",
            "1http://x",
            "/p?q",
        ]))
        .to_owned(),
        _ => format!("{scheme}://{host}{path}{rest}"),
    }
}

fn query(random: &mut Random) -> String {
    let pieces = ["a=b", "a=c", "x=1", "y", "z=%20+", "e=%C3%A9", "=", "a=b=c", "%zz=1", "k=%41"];
    let count = random.below(4);
    let pieces: Vec<&str> = (0..count).map(|_| random.choose(&pieces)).collect();
    pieces.join("&")
}

fn base64(random: &mut Random, url: bool) -> String {
    let texts: &[&str] = if url {
        &["YQ", "YQ==", "YWI", "YWI=", "YWJj", "w6k", "Pz8_", "4pyT", "e30", "", "YQ=", "Y", "w6k="]
    } else {
        &[
            "YQ==",
            "YWI=",
            "YWJj",
            "w6k=",
            "4pyT",
            "e30=",
            "",
            "YQ",
            "Y\nQ==",
            "w6k",
            "YR==",
            "aGVsbG8gd29ybGQ=",
        ]
    };
    (random.choose(texts)).to_owned()
}

fn hex(random: &mut Random) -> String {
    (random.choose(&["", "61", "6162", "c3a9", "C3A9", "6", "zz", "007f", "e29c93", "68656c6c6f"])).to_owned()
}

fn uuid(random: &mut Random) -> String {
    (random.choose(&[
        "00000000-0000-0000-0000-000000000000",
        "6ba7b810-9dad-11d1-80b4-00c04fd430c8",
        "f47ac10b-58cc-4372-a567-0e02b2c3d479",
        "urn:uuid:f47ac10b-58cc-4372-a567-0e02b2c3d479",
        "{f47ac10b-58cc-4372-a567-0e02b2c3d479}",
        "f47ac10b58cc4372a5670e02b2c3d479",
        "000003e8-cbb9-21ea-b201-00045a86c8a1",
        "018f3e2a-1b2c-7d3e-8f4a-5b6c7d8e9f00",
        "1ef21d2f-1207-6660-8c4f-419efbd44d48",
        "f47ac10b-58cc-4372-a567",
        "ffffffff-ffff-ffff-ffff-ffffffffffff",
    ]))
    .to_owned()
}

fn path(random: &mut Random) -> String {
    let count = 1 + random.below(3);
    let parts: Vec<&str> = (0..count).map(|_| random.choose(WORDS)).collect();
    parts.join("/")
}
