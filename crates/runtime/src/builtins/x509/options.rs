//! The options of `crypto.x509.parse_and_verify_certificates_with_options`.
//!
//! Apart because each has its own faults; what they mean is the crypto crate's.

use lictor_crypto::x509::{KeyUsage, Options};
use lictor_value::{Kind, Object, Value};

use crate::builtins::operands::{items, written_int};
use crate::context::Context;
use crate::error::BuiltinError;

/// Reads the options; one that is not known is refused.
pub(super) fn read<'e>(ctx: Context<'e>, object: Object<'e>) -> Result<Options, BuiltinError> {
    let fail = |text: &'static str| Err(BuiltinError::value(text));
    let mut options = Options { now_ns: i128::from(ctx.caches.now_ns(ctx.host)), ..Options::default() };
    for (key, value) in object.iter() {
        let Some(name) = key.as_str() else { continue };
        match name {
            "DNSName" => match value.as_str() {
                Some(text) => text.trim_matches('"').clone_into(&mut options.dns_name),
                None => return fail("'DNSName' should be a string"),
            },
            "CurrentTime" if value.kind() != Kind::Number => return fail("'CurrentTime' should be a number"),
            "CurrentTime" => match written_int(value) {
                Some(time) => options.now_ns = i128::from(time),
                None => return fail("'CurrentTime' should be a valid int64 number"),
            },
            // Only a bound of Go's own work; here the work is bounded by sorted sets.
            "MaxConstraintComparisons" if value.kind() != Kind::Number => {
                return fail("'MaxConstraintComparisons' should be a number");
            }
            "MaxConstraintComparisons" if written_int(value).is_none() => {
                return fail("'MaxConstraintComparisons' should be a valid number");
            }
            "MaxConstraintComparisons" => {}
            "KeyUsages" => options.key_usages = read_usages(value)?,
            _ => return fail("invalid key option"),
        }
    }
    Ok(options)
}

/// Members that are no text are passed over.
fn read_usages(value: Value<'_>) -> Result<Vec<KeyUsage>, BuiltinError> {
    let Some(list) = items(value) else {
        return Err(BuiltinError::value("'KeyUsages' should be an Array or Set"));
    };
    let (mut usages, mut invalid) = (Vec::new(), Vec::new());
    for it in list.iter() {
        let Some(name) = it.as_str().map(|it| it.trim_matches('"').to_owned()) else { continue };
        match usage_named(&name) {
            Some(usage) => usages.push(usage),
            None => invalid.push(name),
        }
    }
    if invalid.is_empty() {
        return Ok(usages);
    }
    Err(BuiltinError::value(format!("invalid entries for 'KeyUsages' found: [{}]", invalid.join(" "))))
}

fn usage_named(name: &str) -> Option<KeyUsage> {
    Some(match name.strip_prefix("KeyUsage")? {
        "Any" => KeyUsage::Any,
        "ServerAuth" => KeyUsage::ServerAuth,
        "ClientAuth" => KeyUsage::ClientAuth,
        "CodeSigning" => KeyUsage::CodeSigning,
        "EmailProtection" => KeyUsage::EmailProtection,
        "IPSECEndSystem" => KeyUsage::IpsecEndSystem,
        "IPSECTunnel" => KeyUsage::IpsecTunnel,
        "IPSECUser" => KeyUsage::IpsecUser,
        "TimeStamping" => KeyUsage::TimeStamping,
        "OCSPSigning" => KeyUsage::OcspSigning,
        "MicrosoftServerGatedCrypto" => KeyUsage::MicrosoftServerGatedCrypto,
        "NetscapeServerGatedCrypto" => KeyUsage::NetscapeServerGatedCrypto,
        "MicrosoftCommercialCodeSigning" => KeyUsage::MicrosoftCommercialCodeSigning,
        "MicrosoftKernelCodeSigning" => KeyUsage::MicrosoftKernelCodeSigning,
        _ => return None,
    })
}
