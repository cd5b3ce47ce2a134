//! Keys, signatures and certificates: what tokens and X.509 built-ins stand on.
//!
//! Reading (DER, PEM, keys, certificates) follows Go's standard library byte for byte, error texts included,
//! because what a policy sees must not depend on the engine. Arithmetic that handles secrets is the back end's
//! (`backend`, today aws-lc); without one everything is read and every signature refused. The crate knows neither
//! values nor policies.
#![forbid(unsafe_code)]
#![warn(clippy::disallowed_methods)]

mod asn1;
mod backend;
pub mod base64;
mod curve;
mod der;
mod hash;
pub mod key;
mod key_der;
mod oid;
pub mod pem;
mod rsa;
pub mod signature;
mod text;
pub mod x509;

pub use curve::Curve;
pub use hash::{Hash, hmac};
pub use key_der::{parse_ec, parse_pkcs1, parse_pkcs1_public, parse_pkcs8, parse_pkix};
pub use oid::Oid;
