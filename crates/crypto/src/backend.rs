//! The one door to a library of cryptography. Every function answers nothing where the back end cannot.
//!
//! Apart so that another library can stand beside this one: a back end is a module with these functions. Callers
//! take "nothing" as "not verified" or "cannot sign", so that a missing back end denies.

#[cfg(feature = "aws-lc")]
mod aws_lc;
#[cfg(feature = "aws-lc")]
pub(crate) use aws_lc::{
    aes_cbc_decrypt, digest, ec_public, ecdsa_sign, ecdsa_verify, ed25519_public, ed25519_sign,
    ed25519_verify, hmac, random, rsa_sign, rsa_verify, x25519_public,
};

#[cfg(not(feature = "aws-lc"))]
mod absent;
#[cfg(not(feature = "aws-lc"))]
pub(crate) use absent::{
    aes_cbc_decrypt, digest, ec_public, ecdsa_sign, ecdsa_verify, ed25519_public, ed25519_sign,
    ed25519_verify, hmac, random, rsa_sign, rsa_verify, x25519_public,
};
