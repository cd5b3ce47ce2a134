//! Chains: from a certificate over others to one that is trusted, judged as Go's `Verify` judges.
//!
//! Candidates are tried in Go's order and so often as Go tries them; a chain must hold in time, in use, in length,
//! in policies and in names. The bits of key usage count for signing only.

use std::collections::BTreeSet;

use crate::oid::Oid;

use super::certificate::Certificate;
use super::constraints::names_hold;
use super::extensions::SUBJECT_ALT_NAME;
use super::hostname::names_host;
use super::policies::policies_hold;

/// What a key may be used for; the numbers are Go's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum KeyUsage {
    /// Anything.
    Any = 0,
    /// A server's side of TLS.
    ServerAuth = 1,
    /// A client's side of TLS.
    ClientAuth = 2,
    /// Signing code.
    CodeSigning = 3,
    /// Mail.
    EmailProtection = 4,
    /// An end of IPSEC.
    IpsecEndSystem = 5,
    /// A tunnel of IPSEC.
    IpsecTunnel = 6,
    /// A user of IPSEC.
    IpsecUser = 7,
    /// Time stamps.
    TimeStamping = 8,
    /// Answers about revocation.
    OcspSigning = 9,
    /// Microsoft's strong encryption.
    MicrosoftServerGatedCrypto = 10,
    /// Netscape's strong encryption.
    NetscapeServerGatedCrypto = 11,
    /// Microsoft's commercial code.
    MicrosoftCommercialCodeSigning = 12,
    /// Microsoft's kernel code.
    MicrosoftKernelCodeSigning = 13,
}

impl KeyUsage {
    /// Returns the use that an identifier stands for.
    pub(crate) fn of_oid(oid: &Oid) -> Option<Self> {
        Some(match oid.0.as_slice() {
            [2, 5, 29, 37, 0] => Self::Any,
            [1, 3, 6, 1, 5, 5, 7, 3, 1] => Self::ServerAuth,
            [1, 3, 6, 1, 5, 5, 7, 3, 2] => Self::ClientAuth,
            [1, 3, 6, 1, 5, 5, 7, 3, 3] => Self::CodeSigning,
            [1, 3, 6, 1, 5, 5, 7, 3, 4] => Self::EmailProtection,
            [1, 3, 6, 1, 5, 5, 7, 3, 5] => Self::IpsecEndSystem,
            [1, 3, 6, 1, 5, 5, 7, 3, 6] => Self::IpsecTunnel,
            [1, 3, 6, 1, 5, 5, 7, 3, 7] => Self::IpsecUser,
            [1, 3, 6, 1, 5, 5, 7, 3, 8] => Self::TimeStamping,
            [1, 3, 6, 1, 5, 5, 7, 3, 9] => Self::OcspSigning,
            [1, 3, 6, 1, 4, 1, 311, 10, 3, 3] => Self::MicrosoftServerGatedCrypto,
            [2, 16, 840, 1, 113_730, 4, 1] => Self::NetscapeServerGatedCrypto,
            [1, 3, 6, 1, 4, 1, 311, 2, 1, 22] => Self::MicrosoftCommercialCodeSigning,
            [1, 3, 6, 1, 4, 1, 311, 61, 1, 1] => Self::MicrosoftKernelCodeSigning,
            _ => return None,
        })
    }
}

/// What a chain must hold for.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Options {
    /// The host; none if empty.
    pub dns_name: String,
    /// The time, in nanoseconds since 1970.
    pub now_ns: i128,
    /// Uses of which one must be allowed; a server's if empty.
    pub key_usages: Vec<KeyUsage>,
}

/// Why there is no chain. Policies only see that there is none.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Fault {
    /// Something about the certificate itself: time, extensions, host.
    Leaf,
    /// No way to the root, or none that holds.
    NoChain,
}

/// So many signatures are checked for one chain, at most.
const SIGNATURE_CHECKS_MAX: u32 = 100;
const SIGNS_CERTIFICATES: i64 = 1 << 5;

/// Looks for chains from the leaf to the root; returns the first one that holds, the leaf first.
///
/// # Errors
/// If there is none.
pub fn verify<'a>(
    root: &'a Certificate,
    intermediates: &'a [Certificate],
    leaf: &'a Certificate,
    options: &Options,
) -> Result<Vec<&'a Certificate>, Fault> {
    if !is_valid(leaf, Role::Leaf, &[], options) {
        return Err(Fault::Leaf);
    }
    if !options.dns_name.is_empty() && !names_host(&leaf.names, &options.dns_name) {
        return Err(Fault::Leaf);
    }
    let chains = if root.raw == leaf.raw {
        vec![vec![leaf]]
    } else {
        let mut seen = BTreeSet::new();
        let intermediates = intermediates.iter().filter(|it| seen.insert(it.raw.as_slice())).collect();
        let mut search = Search { root, intermediates, options, checks: 0, chains: Vec::new() };
        search.extend(&[leaf]);
        search.chains
    };
    let usages: &[KeyUsage] =
        if options.key_usages.is_empty() { &[KeyUsage::ServerAuth] } else { &options.key_usages };
    let holds =
        |chain: &Vec<&Certificate>| policies_hold(chain) && allows_usage(chain, usages) && names_hold(chain);
    chains.into_iter().find(holds).ok_or(Fault::NoChain)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Role {
    Leaf,
    Intermediate,
    Root,
}

fn is_valid(it: &Certificate, role: Role, chain: &[&Certificate], options: &Options) -> bool {
    let seconds = |time: super::Time| i128::from(time.unix) * 1_000_000_000;
    let follows = chain.last().is_none_or(|child| child.raw_issuer == it.raw_subject);
    let in_time = options.now_ns >= seconds(it.not_before) && options.now_ns <= seconds(it.not_after);
    let may_sign = role != Role::Intermediate || (it.basic_constraints_valid && it.is_ca);
    // Those between this one and the leaf, which does not count.
    let between = i64::try_from(chain.len()).unwrap_or(i64::MAX) - 1;
    let not_too_long = !it.basic_constraints_valid || it.max_path_len < 0 || between <= it.max_path_len;
    it.unhandled_critical_extensions.is_empty() && follows && in_time && may_sign && not_too_long
}

struct Search<'a, 'o> {
    root: &'a Certificate,
    intermediates: Vec<&'a Certificate>,
    options: &'o Options,
    checks: u32,
    chains: Vec<Vec<&'a Certificate>>,
}

impl<'a> Search<'a, '_> {
    /// Tries every certificate that may have signed the last of the chain. The depth is bounded by the number of
    /// checks, of which each step takes one.
    fn extend(&mut self, chain: &[&'a Certificate]) {
        let Some(child) = chain.last() else { return };
        let root = [self.root];
        let candidates = parents(&root, child).into_iter().map(|it| (it, Role::Root));
        let others = parents(&self.intermediates, child).into_iter().map(|it| (it, Role::Intermediate));
        for (candidate, role) in candidates.chain(others).collect::<Vec<_>>() {
            self.checks += 1;
            if self.checks > SIGNATURE_CHECKS_MAX {
                return;
            }
            if candidate.public_key.is_none()
                || is_in_chain(candidate, chain)
                || !is_signed_by(child, candidate)
                || !is_valid(candidate, role, chain, self.options)
            {
                continue;
            }
            let mut longer = chain.to_vec();
            longer.push(candidate);
            if role == Role::Root { self.chains.push(longer) } else { self.extend(&longer) }
        }
    }
}

/// Returns those whose subject is the issuer, the more likely first by the keys' identifiers.
fn parents<'a>(pool: &[&'a Certificate], child: &Certificate) -> Vec<&'a Certificate> {
    let wanted = child.authority_key_id.as_deref().unwrap_or(&[]);
    let rank = |it: &Certificate| {
        let own = it.subject_key_id.as_deref().unwrap_or(&[]);
        match () {
            () if own == wanted => 0,
            () if own.is_empty() || wanted.is_empty() => 1,
            () => 2,
        }
    };
    let mut found: Vec<&Certificate> =
        pool.iter().copied().filter(|it| it.raw_subject == child.raw_issuer).collect();
    found.sort_by_key(|it| rank(it));
    found
}

/// Says whether the subject with this key and these names is in the chain, under whatever signature.
fn is_in_chain(candidate: &Certificate, chain: &[&Certificate]) -> bool {
    let names = candidate.extension(SUBJECT_ALT_NAME);
    for it in chain {
        if it.raw_subject != candidate.raw_subject || it.raw_spki != candidate.raw_spki {
            continue;
        }
        match (names, it.extension(SUBJECT_ALT_NAME)) {
            (None, None) => return true,
            (Some(a), Some(b)) if a == b => return true,
            (Some(_), Some(_)) => {}
            _ => return false,
        }
    }
    false
}

fn is_signed_by(child: &Certificate, parent: &Certificate) -> bool {
    let says_no_ca = if parent.basic_constraints_valid { !parent.is_ca } else { parent.version == 3 };
    if says_no_ca || (parent.key_usage != 0 && parent.key_usage & SIGNS_CERTIFICATES == 0) {
        return false;
    }
    let Some(key) = &parent.public_key else { return false };
    child.signature_algorithm.verify(key, &child.raw_tbs, &child.signature)
}

/// Says whether one of the uses is allowed by every certificate that limits them.
fn allows_usage(chain: &[&Certificate], usages: &[KeyUsage]) -> bool {
    if usages.contains(&KeyUsage::Any) {
        return true;
    }
    let mut left: Vec<KeyUsage> = usages.to_vec();
    for it in chain.iter().rev() {
        let says_nothing = it.ext_key_usage.is_empty() && it.unknown_ext_key_usage.is_empty();
        if !says_nothing && !it.ext_key_usage.contains(&KeyUsage::Any) {
            left.retain(|usage| it.ext_key_usage.contains(usage));
        }
    }
    !left.is_empty()
}
