//! Names of artifacts: `registry/repository:tag` and `registry/repository@digest`.
//!
//! Apart because the rules are many. The registry of a name is not where the request goes: that is the service's URL,
//! as in OPA.

use crate::services::oci::Digest;

/// No tag is longer.
const TAG_BYTES_MAX: usize = 128;

/// A name, taken apart.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Reference {
    pub(crate) repository: String,
    /// A tag or a digest.
    pub(crate) reference: String,
}

impl Reference {
    /// Reads a name.
    ///
    /// # Errors
    ///
    /// OPA's text for what is none.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let Some((registry, path)) = text.split_once('/') else {
            return Err("invalid reference: missing registry or repository".to_owned());
        };
        let (repository, reference, is_digest) = match (path.split_once('@'), path.split_once(':')) {
            // A tag beside a digest says nothing more.
            (Some((name, digest)), _) => (name.split(':').next().unwrap_or_default(), digest, true),
            (None, Some((name, tag))) => (name, tag, false),
            (None, None) => (path, "", false),
        };
        if registry.is_empty()
            || registry.bytes().any(|it| !it.is_ascii_graphic() || b"@?#%\"<>".contains(&it))
        {
            return Err(format!("invalid reference: invalid registry {registry:?}"));
        }
        if !is_repository(repository) {
            return Err(format!("invalid reference: invalid repository {repository:?}"));
        }
        if is_digest {
            Digest::parse(reference)
                .map_err(|it| format!("invalid reference: invalid digest {reference:?}: {it}"))?;
        } else if reference.is_empty() {
            return Err(format!("invalid reference: {text:?} has neither tag nor digest"));
        } else if !is_tag(reference) {
            return Err(format!("invalid reference: invalid tag {reference:?}"));
        }
        Ok(Self { repository: repository.to_owned(), reference: reference.to_owned() })
    }
}

/// Says whether each part between slashes is of lower-case words joined by `.`, `_`, `__` or hyphens.
fn is_repository(text: &str) -> bool {
    text.split('/').all(|part| {
        let is_word = |it: u8| it.is_ascii_lowercase() || it.is_ascii_digit();
        let joints = part.split(|it: char| it.is_ascii() && is_word(it as u8)).filter(|it| !it.is_empty());
        let is_joint = |it: &str| matches!(it, "." | "_" | "__") || it.bytes().all(|it| it == b'-');
        let bytes = part.as_bytes();
        let ends = [bytes.first(), bytes.last()];
        ends.iter().all(|it| it.is_some_and(|it| is_word(*it))) && joints.into_iter().all(is_joint)
    })
}

fn is_tag(text: &str) -> bool {
    let is_word = |it: u8| it.is_ascii_alphanumeric() || it == b'_';
    text.len() <= TAG_BYTES_MAX
        && text.bytes().next().is_some_and(is_word)
        && text.bytes().all(|it| is_word(it) || it == b'.' || it == b'-')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_read() {
        let digest = format!("sha256:{}", "0a".repeat(32));
        for (text, repository, reference) in [
            ("ghcr.io/org/policy:1.0", "org/policy", "1.0"),
            ("localhost:5000/a--b/c__d.e:latest", "a--b/c__d.e", "latest"),
            (&format!("r/a@{digest}"), "a", digest.as_str()),
            (&format!("r/a:v1@{digest}"), "a", digest.as_str()),
        ] {
            let wanted = Reference { repository: repository.to_owned(), reference: reference.to_owned() };
            assert_eq!(Reference::parse(text), Ok(wanted));
        }
        for (text, wanted) in [
            ("x", "missing registry or repository"),
            ("/a:b", "invalid registry \"\""),
            ("r/A:b", "invalid repository \"A\""),
            ("r/a..b:c", "invalid repository \"a..b\""),
            ("r/-a:c", "invalid repository \"-a\""),
            ("r/a/../b:c", "invalid repository \"a/../b\""),
            ("r/a", "\"r/a\" has neither tag nor digest"),
            ("r/a:b/c", "invalid tag \"b/c\""),
            ("r/a@sha256:0A", "invalid digest \"sha256:0A\": invalid checksum digest length"),
        ] {
            assert_eq!(Reference::parse(text), Err(format!("invalid reference: {wanted}")), "{text}");
        }
    }
}
