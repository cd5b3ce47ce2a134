//! What a configuration says of services, read and checked.
//!
//! Reading tells faults of types at once, as OPA does when it starts. Faults of credentials are kept with the
//! service and are the answer to every call, as in OPA, so that one wrong service does not keep others from working.

use std::collections::BTreeMap;
use std::time::Duration;

use lictor::Value;

use crate::services::credentials::CredentialConfig;
use crate::services::fields::{Fields, kind};
use crate::services::secret::Secret;

/// How long a server may take to the head of its answer.
const HEAD_SECONDS: i64 = 10;

/// What a configuration says of one service.
#[derive(Clone, Debug)]
pub struct ServiceConfig {
    name: String,
    url: String,
    headers: BTreeMap<String, Secret>,
    head_time: Duration,
    pub(crate) ca_cert: String,
    pub(crate) system_ca_required: bool,
    pub(crate) allow_insecure_tls: bool,
    pub(crate) is_oci: bool,
    pub(crate) credentials: CredentialConfig,
}

impl ServiceConfig {
    /// Reads `services`, a map by name or a list of services with names, with the `keys` that credentials may sign
    /// with.
    ///
    /// # Errors
    ///
    /// OPA's text for what is of a wrong type.
    pub fn read_all(services: Value<'_>, keys: Option<Value<'_>>) -> Result<Vec<Self>, String> {
        if let Some(list) = services.as_array() {
            return list.iter().map(|it| Self::read(it, None, keys)).collect();
        }
        if let Some(map) = services.as_object() {
            let named = |(name, it): (Value<'_>, Value<'_>)| Self::read(it, name.as_str(), keys);
            return map.iter().map(named).collect();
        }
        if services.is_null() {
            return Ok(Vec::new());
        }
        let kind = kind(services);
        Err(format!("json: cannot unmarshal {kind} into Go value of type []json.RawMessage"))
    }

    fn read(service: Value<'_>, name: Option<&str>, keys: Option<Value<'_>>) -> Result<Self, String> {
        let fields = Fields::outermost(service, "Config")?;
        let own_name = fields.text("name")?;
        let head_seconds = fields.whole("response_header_timeout_seconds")?.unwrap_or(HEAD_SECONDS);
        let tls = fields.below("tls", "serverTLSConfig")?;
        let is_oci = fields.text("type")? == "oci";
        Ok(Self {
            name: name.map_or(own_name, str::to_owned),
            url: fields.text("url")?.trim_end_matches('/').to_owned(),
            headers: fields.map("headers")?,
            head_time: Duration::from_secs(u64::try_from(head_seconds).unwrap_or(0)),
            ca_cert: tls.as_ref().map_or(Ok(String::new()), |it| it.text("ca_cert"))?,
            system_ca_required: tls.as_ref().map_or(Ok(false), |it| it.flag("system_ca_required"))?,
            allow_insecure_tls: fields.flag("allow_insecure_tls")?,
            is_oci,
            credentials: CredentialConfig::read(&fields, is_oci, keys)?,
        })
    }

    /// Returns the name of the service.
    #[must_use]
    pub fn name(&self) -> &str {
        &self.name
    }

    /// Returns the URL that paths stand below, without a slash at its end.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Says whether the service is a registry of OCI artifacts.
    #[must_use]
    pub fn is_oci(&self) -> bool {
        self.is_oci
    }

    /// Returns how long a server may take to the head of its answer; 0 means no limit.
    #[must_use]
    pub fn head_time(&self) -> Duration {
        self.head_time
    }

    pub(crate) fn headers(&self) -> &BTreeMap<String, Secret> {
        &self.headers
    }
}
