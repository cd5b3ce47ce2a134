//! `discovery` of a configuration: where the rest of the configuration comes from.
//!
//! It is downloaded as bundles are, so that most of it is what a bundle's configuration is. Texts of faults are OPA's.

use lictor::Value;
use lictor::bundle::Trust;

use crate::bundles::config::{BundleConfig, Source, polling};
use crate::config::keys::{self, Keys};
use crate::config::{Fields, member};

/// What OPA calls the plugin, and the folder where its bundle is kept.
pub(crate) const NAME: &str = "discovery";
/// Where bundles stand below a service's address in the older form.
const PREFIX: &str = "bundles";
/// How large one file may be.
const SIZE_LIMIT_BYTES: u64 = 1 << 30;

/// What a configuration says of discovery.
#[derive(Clone, Debug)]
pub(crate) struct DiscoveryConfig {
    /// Where the bundle comes from.
    pub(crate) bundle: BundleConfig,
    /// The service that it comes from.
    pub(crate) service: String,
    /// The keys below `data` of the decision that is the configuration.
    pub(crate) decision: Vec<String>,
    /// Whether keys of the boot configuration verify the bundle.
    pub(crate) is_verified: bool,
}

/// Reads `discovery` of a configuration that has these services.
pub(crate) fn read(
    root: Value<'_>,
    services: &[&str],
    keys: &Keys,
) -> Result<Option<DiscoveryConfig>, String> {
    let Some(value) = member(root, NAME) else { return Ok(None) };
    let fields = Fields::new(value, "Config", "discovery.Config")?;
    let (resource, name) = (fields.text("resource")?, fields.text("name")?);
    if resource.is_empty() && name.is_empty() {
        return Err("missing required discovery.resource field".to_owned());
    }
    let invalid = |text: String| format!("invalid configuration for discovery service: {text}");
    let trust = keys::trust(value, keys).map_err(invalid)?;
    let resource = if resource.is_empty() {
        let prefix = if fields.has("prefix") { fields.text("prefix")? } else { PREFIX.to_owned() };
        format!("{}/{}", prefix.trim_matches('/'), name.trim_matches('/'))
    } else {
        resource
    };
    let service = service(&fields.text("service")?, services).map_err(invalid)?;
    let decision = fields.text("decision")?;
    let decision = if decision.is_empty() { name } else { decision };
    let bundle = BundleConfig {
        source: Source::Service { service: service.clone(), resource },
        polling: polling(&fields, "Config.polling")??,
        persist: fields.flag("persist")?,
        trust,
        size_limit_bytes: SIZE_LIMIT_BYTES,
    };
    let is_verified = matches!(bundle.trust, Trust::Signed(_));
    let decision = decision.split(['/', '.']).filter(|it| !it.is_empty()).map(str::to_owned).collect();
    Ok(Some(DiscoveryConfig { bundle, service, decision, is_verified }))
}

fn service(name: &str, services: &[&str]) -> Result<String, String> {
    match services {
        [only] if name.is_empty() => Ok((*only).to_owned()),
        _ if name.is_empty() => Err("more than one service is defined".to_owned()),
        _ if services.contains(&name) => Ok(name.to_owned()),
        _ => Err(format!("service name {name:?} not found")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read_text(text: &str) -> Result<Option<DiscoveryConfig>, String> {
        let root = lictor::document_of_yaml(text.as_bytes()).expect("YAML");
        read(root.root(), &["one"], &keys::keys(root.root())?)
    }

    #[test]
    fn both_forms_are_read() {
        let config = read_text("discovery: {resource: /a/b, decision: x/y, persist: true}").expect("fine");
        let config = config.expect("there");
        assert_eq!(config.decision, ["x", "y"]);
        let source = Source::Service { service: "one".to_owned(), resource: "/a/b".to_owned() };
        assert_eq!((config.bundle.source, config.bundle.persist), (source, true));
        let config = read_text("discovery: {name: /x/, prefix: /p/}").expect("fine").expect("there");
        assert_eq!(config.decision, ["x"]);
        assert!(matches!(config.bundle.source, Source::Service { resource, .. } if resource == "p/x"));
        assert!(read_text("{}").expect("fine").is_none());
        let fault = |text: &str| read_text(text).expect_err("a fault");
        assert_eq!(fault("discovery: {}"), "missing required discovery.resource field");
        assert_eq!(
            fault("discovery: {resource: x, service: y}"),
            "invalid configuration for discovery service: service name \"y\" not found"
        );
    }
}
