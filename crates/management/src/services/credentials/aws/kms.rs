//! Signatures by a key that Amazon's key service (KMS) keeps: it gets a digest and gives two numbers.
//!
//! Apart because the key never comes here. The numbers come in DER and are needed as tokens have them, one after the
//! other at the full length of the curve.

use std::time::Duration;

use lictor_crypto::base64::{Alphabet, Fill, decode, encode};
use sha2::{Digest, Sha256, Sha384, Sha512};

use crate::services::answer::Answer;
use crate::services::credentials::aws::{Post, Signer};
use crate::services::world::World;

const TARGET: &str = "TrentService.Sign";
/// Where the service is, if not at its usual address.
const ENDPOINT: &str = "AWS_ENDPOINT_URL_KMS";
/// How long the service may take.
const TIME: Duration = Duration::from_secs(10);

/// Which key, and how it signs.
#[derive(Clone, Debug)]
pub(crate) struct KmsKey {
    /// Its name in JSON.
    name: String,
    algorithm: Algorithm,
}

#[derive(Clone, Copy, Debug)]
enum Algorithm {
    Sha256,
    Sha384,
    Sha512,
}

impl Algorithm {
    /// Returns Amazon's name, that of tokens, and how many bytes a number of a signature has.
    fn names(self) -> (&'static str, &'static str, usize) {
        match self {
            Self::Sha256 => ("ECDSA_SHA_256", "ES256", 32),
            Self::Sha384 => ("ECDSA_SHA_384", "ES384", 48),
            Self::Sha512 => ("ECDSA_SHA_512", "ES512", 66),
        }
    }

    fn digest(self, message: &[u8]) -> Vec<u8> {
        match self {
            Self::Sha256 => Sha256::digest(message).to_vec(),
            Self::Sha384 => Sha384::digest(message).to_vec(),
            Self::Sha512 => Sha512::digest(message).to_vec(),
        }
    }
}

impl KmsKey {
    /// Returns the key of a name, which is given as JSON has it.
    pub(crate) fn new(name: String, algorithm: &str) -> Result<Self, String> {
        let known = [Algorithm::Sha256, Algorithm::Sha384, Algorithm::Sha512];
        let found = known.into_iter().find(|it| it.names().0 == algorithm);
        let algorithm = found.ok_or_else(|| format!("unsupported sign algorithm {algorithm}"))?;
        Ok(Self { name, algorithm })
    }

    /// Returns the name of the algorithm as tokens have it.
    pub(crate) fn token_algorithm(&self) -> &'static str {
        self.algorithm.names().1
    }

    /// Returns the signature of a message, as tokens have it.
    pub(crate) async fn sign(
        &self,
        signer: &Signer,
        message: &[u8],
        world: &World,
    ) -> Result<Vec<u8>, String> {
        if signer.service() != "kms" {
            return Err(format!("cannot use SignDigest with aws service {:?}", signer.service()));
        }
        let (algorithm, _, number_bytes) = self.algorithm.names();
        let digest = encode(&self.algorithm.digest(message), Alphabet::Standard, Fill::Padded);
        let body = format!(
            r#"{{"KeyId":{},"Message":"{digest}","MessageType":"DIGEST","SigningAlgorithm":"{algorithm}"}}"#,
            self.name
        );
        let credentials = signer.credentials(world).await?;
        let post =
            Post { service: "kms", endpoint: ENDPOINT, target: TARGET, what: "kms sign digest", time: TIME };
        let answer = signer.post(&post, body, &credentials, world).await;
        let read = answer.and_then(|it| Answer::read(&it)?.fields("KMSSignResponse")?.text("Signature"));
        let signature = read.map_err(|it| format!("kms: failed to sign digest: {it}"))?;
        let der =
            decode(signature.as_bytes(), Alphabet::Standard, Fill::Padded).map_err(|it| it.to_string())?;
        numbers(&der, number_bytes).ok_or_else(|| "failed to read points from der".to_owned())
    }
}

/// Returns the two numbers of a signature in DER, each at its full length.
fn numbers(der: &[u8], number_bytes: usize) -> Option<Vec<u8>> {
    let (inside, rest) = element(der, 0x30)?;
    let (r, behind) = element(inside, 0x02)?;
    let (s, end) = element(behind, 0x02)?;
    if !rest.is_empty() || !end.is_empty() {
        return None;
    }
    Some([padded(r, number_bytes)?, padded(s, number_bytes)?].concat())
}

fn padded(number: &[u8], number_bytes: usize) -> Option<Vec<u8>> {
    let zeros = number.iter().take_while(|it| **it == 0).count();
    let digits = number.get(zeros..)?;
    let missing = number_bytes.checked_sub(digits.len())?;
    Some([vec![0; missing], digits.to_vec()].concat())
}

/// Returns the contents of an element of the kind, and what follows; signatures are short.
fn element(bytes: &[u8], kind: u8) -> Option<(&[u8], &[u8])> {
    let (len, start) = match bytes {
        [found, 0x81, len, ..] if *found == kind => (usize::from(*len), 3),
        [found, len, ..] if *found == kind && *len < 0x80 => (usize::from(*len), 2),
        _ => return None,
    };
    bytes.get(start..)?.split_at_checked(len)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_taken_out_of_der() {
        assert_eq!(numbers(&[0x30, 7, 2, 2, 0, 0x80, 2, 1, 5], 2), Some(vec![0, 0x80, 0, 5]));
        assert_eq!(numbers(&[0x30, 0x81, 6, 2, 1, 1, 2, 1, 5], 1), Some(vec![1, 5]));
        for broken in [&[][..], &[0x30, 7, 2, 2, 0], &[0x30, 3, 2, 1, 1], &[0x30, 8, 2, 2, 1, 1, 2, 2, 1, 1]]
        {
            assert_eq!(numbers(broken, 1), None, "{broken:?}");
        }
    }
}
