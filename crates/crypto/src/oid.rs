//! Object identifiers, as numbers and with dots.
//!
//! Apart because two readers of DER make them and everything compares them.

use std::fmt;

/// An object identifier whose components fit 31 bits, as Go requires almost everywhere.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Oid(pub Vec<u32>);

impl Oid {
    /// Says whether these are the components.
    #[must_use]
    pub fn is(&self, components: &[u32]) -> bool {
        self.0 == components
    }
}

impl fmt::Display for Oid {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for (index, it) in self.0.iter().enumerate() {
            write!(f, "{}{it}", if index > 0 { "." } else { "" })?;
        }
        Ok(())
    }
}

/// Splits the first number of an encoded identifier in two, as the encoding packs them.
pub(crate) fn unpack(first: u32) -> [u32; 2] {
    if first < 80 { [first / 40, first % 40] } else { [2, first - 80] }
}

/// Writes the content of an encoded identifier of any magnitude with dots.
pub(crate) fn any_to_text(content: &[u8]) -> String {
    use num_bigint::BigUint;
    let mut out = String::new();
    let mut number = BigUint::ZERO;
    for byte in content {
        number = (number << 7_u8) | BigUint::from(byte & 0x7f);
        if byte & 0x80 != 0 {
            continue;
        }
        match (out.is_empty(), u32::try_from(&number)) {
            (true, Ok(first)) => {
                let [a, b] = unpack(first);
                out = format!("{a}.{b}");
            }
            (true, Err(_)) => out = format!("2.{}", number - 80_u8),
            (false, _) => out += &format!(".{number}"),
        }
        number = BigUint::ZERO;
    }
    out
}

/// Reads the content of an encoded identifier, if all components fit 31 bits.
pub(crate) fn from_content(content: &[u8]) -> Option<Oid> {
    let mut components = Vec::new();
    let mut number = 0_u32;
    for byte in content {
        if number > u32::MAX >> 8 {
            return None;
        }
        number = number << 7 | u32::from(byte & 0x7f);
        if byte & 0x80 == 0 {
            if components.is_empty() {
                components.extend(unpack(number))
            } else {
                components.push(number)
            }
            number = 0;
        }
    }
    Some(Oid(components))
}
