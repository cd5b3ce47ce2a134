//! Certificates and requests for them, read as Go reads them, and chains of them, judged as Go judges them.
//!
//! Own code, not a library's: which broken certificates are taken, how they are shown and which chains hold is
//! Go's to say where policies look. Structures are plain; whoever shows them to a policy stands above.

mod certificate;
mod constraints;
mod extensions;
mod hostname;
mod mailbox;
mod name;
mod policies;
mod request;
mod san;
mod signature;
mod time;
mod verify;

pub use crate::asn1::AnyValue;
pub use certificate::{Certificate, PolicyOid, parse_certificate, parse_certificates};
pub use extensions::{Extension, Network, Subtrees};
pub use name::{Attribute, Name};
pub use request::{AttributeSet, CertificateRequest, parse_request};
pub use san::{Names, UriHost};
pub use signature::{PublicKeyAlgorithm, SignatureAlgorithm};
pub use time::Time;
pub use verify::{Fault, KeyUsage, Options, verify};
