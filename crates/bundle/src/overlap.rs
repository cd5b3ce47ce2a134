//! Bundles that are active together must own different parts of `data`.
//!
//! Apart because it looks at manifests of several bundles, while all else here reads one. The texts are OPA's; what the
//! bundles hold besides their roots does not matter here.

use std::collections::BTreeSet;

use crate::error::{BundleError, BundleErrorKind};
use crate::roots::{Roots, overlap};

/// Refuses bundles, given by name, of which two own the same path.
///
/// # Errors
///
/// Two roots overlap; the text is OPA's and names all bundles and roots that do.
pub fn check_overlap(bundles: &[(&str, &Roots)]) -> Result<(), BundleError> {
    let mut colliding = BTreeSet::new();
    let mut conflicts = BTreeSet::new();
    for (index, (name, roots)) in bundles.iter().enumerate() {
        for (other, others) in bundles.get(index + 1..).unwrap_or(&[]) {
            for (a, b) in pairs(roots, others) {
                colliding.extend([*name, *other]);
                if a == b {
                    conflicts.insert(format!("root {} is in multiple bundles", shown(a)));
                } else {
                    conflicts.insert(nested(a, b));
                }
            }
        }
    }
    if colliding.is_empty() {
        return Ok(());
    }
    let all: Vec<&str> = colliding.into_iter().collect();
    let owners: BTreeSet<&str> =
        bundles.iter().filter(|it| it.1.as_slice().iter().any(String::is_empty)).map(|it| it.0).collect();
    let owners: Vec<&str> = owners.into_iter().collect();
    let message = if owners.is_empty() {
        let conflicts: Vec<String> = conflicts.into_iter().collect();
        format!(
            "detected overlapping roots in manifests for these bundles: [{}] ({})",
            all.join(", "),
            conflicts.join(", ")
        )
    } else {
        format!(
            "bundles [{}] have overlapping roots and cannot be activated simultaneously because bundle(s) [{}] \
             specify empty root paths ('') which overlap with any other bundle root",
            all.join(", "),
            owners.join(", ")
        )
    };
    Err(BundleError::new(BundleErrorKind::Roots, message))
}

fn pairs<'a>(a: &'a Roots, b: &'a Roots) -> impl Iterator<Item = (&'a str, &'a str)> {
    a.as_slice().iter().flat_map(move |first| {
        b.as_slice()
            .iter()
            .filter(move |second| overlap(first, second))
            .map(move |it| (first.as_str(), it.as_str()))
    })
}

fn nested(a: &str, b: &str) -> String {
    let (first, second) = if a < b { (a, b) } else { (b, a) };
    format!("{} overlaps {}", shown(first), shown(second))
}

fn shown(root: &str) -> &str {
    if root.is_empty() { "''" } else { root }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(bundles: &[(&str, &[&str])]) -> String {
        let made: Vec<(&str, Roots)> = bundles
            .iter()
            .map(|it| (it.0, Roots::new(&it.1.iter().map(|it| (*it).to_owned()).collect::<Vec<String>>())))
            .collect();
        let list: Vec<(&str, &Roots)> = made.iter().map(|it| (it.0, &it.1)).collect();
        check_overlap(&list).err().map(|it| it.to_string()).unwrap_or_default()
    }

    #[test]
    fn overlaps_of_bundles_are_named() {
        assert_eq!(check(&[("x", &["a"]), ("y", &["b", "ab"])]), "");
        assert_eq!(
            check(&[("y", &["a/b", "c"]), ("x", &["a", "c"])]),
            "detected overlapping roots in manifests for these bundles: [x, y] \
             (a overlaps a/b, root c is in multiple bundles)"
        );
        assert!(check(&[("y", &[""]), ("x", &["a"])]).contains("because bundle(s) [y] specify empty root"));
    }
}
