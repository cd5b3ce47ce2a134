//! Mail addresses as certificates may name them.
//!
//! Apart because their grammar is old and odd; the rest needs only the two halves.

use super::san::{Pattern, domain_is_valid};

/// The two halves of an address.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(crate) struct Mailbox {
    pub(crate) local: Vec<u8>,
    pub(crate) domain: String,
}

/// Splits an address; escapes and quotes before the `@` are undone.
pub(crate) fn parse_mailbox(text: &str) -> Option<Mailbox> {
    let bytes = text.as_bytes();
    let (local, rest) = match bytes.strip_prefix(b"\"") {
        Some(quoted) => parse_quoted(quoted)?,
        None => parse_plain(bytes)?,
    };
    let domain = rest.strip_prefix(b"@")?;
    if !domain.is_empty() && !domain_is_valid(domain, Pattern::Name) {
        return None;
    }
    Some(Mailbox { local, domain: String::from_utf8(domain.to_vec()).ok()? })
}

fn parse_quoted(mut rest: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut local = Vec::new();
    loop {
        let (byte, after) = rest.split_first()?;
        rest = after;
        match byte {
            b'"' => return Some((local, rest)),
            b'\\' => {
                let (escaped, after) = rest.split_first()?;
                if !matches!(escaped, 1..=9 | 11 | 12 | 14..=127) {
                    return None;
                }
                local.push(*escaped);
                rest = after;
            }
            1..=8 | 11 | 12 | 14..=33 | 35..=91 | 93..=127 => local.push(*byte),
            _ => return None,
        }
    }
}

fn parse_plain(mut rest: &[u8]) -> Option<(Vec<u8>, &[u8])> {
    let mut local = Vec::new();
    while let Some((byte, after)) = rest.split_first() {
        if *byte == b'\\' {
            let (escaped, after) = after.split_first()?;
            local.push(*escaped);
            rest = after;
        } else if byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~.".contains(byte) {
            local.push(*byte);
            rest = after;
        } else {
            break;
        }
    }
    let dots = local.first() == Some(&b'.') || local.last() == Some(&b'.');
    if local.is_empty() || dots || local.windows(2).any(|it| it == b"..") {
        return None;
    }
    Some((local, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_split() {
        let cases = [
            ("a@b.c", Some(("a", "b.c"))),
            ("\"a b\"@c", Some(("a b", "c"))),
            ("a\\@b@c", Some(("a@b", "c"))),
            ("a..b@c", None),
            (".a@b", None),
            ("a@b.", None),
            ("a", None),
            ("@b", None),
        ];
        for (text, want) in cases {
            let got = parse_mailbox(text);
            let want = want.map(|it| Mailbox { local: it.0.as_bytes().to_vec(), domain: it.1.to_owned() });
            assert_eq!(got, want, "{text}");
        }
    }
}
