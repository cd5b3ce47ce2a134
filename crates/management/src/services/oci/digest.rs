//! Digests by which registries name what they keep, and the check that bytes are what was asked for.
//!
//! Apart because manifests and layers are checked alike. Bytes are hashed while they pass and not kept.

use std::fmt;

use sha2::{Digest as _, Sha256, Sha512};

/// A digest with its algorithm: `sha256:…`.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Digest {
    algorithm: Algorithm,
    hex: String,
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Algorithm {
    Sha256,
    Sha512,
}

impl Digest {
    /// Reads a digest.
    ///
    /// # Errors
    ///
    /// The text of Go's library for what is none.
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let (name, hex) = text.split_once(':').ok_or("invalid checksum digest format")?;
        let (algorithm, digits) = match name {
            "sha256" => (Algorithm::Sha256, 64),
            "sha512" => (Algorithm::Sha512, 128),
            _ => return Err("unsupported digest algorithm".to_owned()),
        };
        if hex.len() != digits {
            return Err("invalid checksum digest length".to_owned());
        }
        if !hex.bytes().all(|it| matches!(it, b'0'..=b'9' | b'a'..=b'f')) {
            return Err("invalid checksum digest format".to_owned());
        }
        Ok(Self { algorithm, hex: hex.to_owned() })
    }

    /// Returns the digits alone.
    pub(crate) fn hex(&self) -> &str {
        &self.hex
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let name = match self.algorithm {
            Algorithm::Sha256 => "sha256",
            Algorithm::Sha512 => "sha512",
        };
        write!(f, "{name}:{}", self.hex)
    }
}

/// Hashes bytes that pass, and says at their end whether they are the right ones.
pub(crate) struct Check {
    hasher: Hasher,
    wanted: Digest,
    size: Option<u64>,
    seen: u64,
}

enum Hasher {
    Sha256(Sha256),
    Sha512(Box<Sha512>),
}

impl Check {
    pub(crate) fn new(wanted: &Digest, size: Option<u64>) -> Self {
        let hasher = match wanted.algorithm {
            Algorithm::Sha256 => Hasher::Sha256(Sha256::new()),
            Algorithm::Sha512 => Hasher::Sha512(Box::new(Sha512::new())),
        };
        Self { hasher, wanted: wanted.clone(), size, seen: 0 }
    }

    /// Takes bytes; more than there should be are refused at once.
    pub(crate) fn update(&mut self, bytes: &[u8]) -> Result<(), String> {
        self.seen = self.seen.saturating_add(bytes.len() as u64);
        if let Some(size) = self.size.filter(|it| self.seen > *it) {
            return Err(format!("mismatched size: {} has more than {size} bytes", self.wanted));
        }
        match &mut self.hasher {
            Hasher::Sha256(hasher) => hasher.update(bytes),
            Hasher::Sha512(hasher) => hasher.update(bytes),
        }
        Ok(())
    }

    /// Says whether those were all, and the right ones.
    pub(crate) fn finish(self) -> Result<(), String> {
        if let Some(size) = self.size.filter(|it| self.seen != *it) {
            return Err(format!("mismatched size: {} has {} bytes, expected {size}", self.wanted, self.seen));
        }
        let bytes = match self.hasher {
            Hasher::Sha256(hasher) => hasher.finalize().to_vec(),
            Hasher::Sha512(hasher) => hasher.finalize().to_vec(),
        };
        let hex: String = bytes.iter().map(|it| format!("{it:02x}")).collect();
        if hex == self.wanted.hex {
            return Ok(());
        }
        Err(format!("mismatched digest: expected {}, got {hex}", self.wanted))
    }
}
