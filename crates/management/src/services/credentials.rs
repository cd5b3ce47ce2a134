//! What proves to a service who asks: at most one kind of credential a service, one file a kind.
//!
//! A [`CredentialConfig`] is what was configured; a [`Credential`] also keeps what it fetched. What can be told to be
//! wrong without the world is told with OPA's text at every call; it never becomes a call without credentials.

mod aws;
mod azure_managed_identity;
mod bearer;
pub(crate) mod client_tls;
mod gcp_metadata;
mod oauth2;

use std::sync::Arc;

use lictor::Value;
use lictor::http::HttpRequest;

use crate::services::config::ServiceConfig;
use crate::services::credentials::aws::{AwsSigning, Signer};
use crate::services::credentials::azure_managed_identity::AzureIdentity;
use crate::services::credentials::bearer::Bearer;
use crate::services::credentials::client_tls::Certificate;
use crate::services::credentials::gcp_metadata::GcpMetadata;
use crate::services::credentials::oauth2::{OAuth2, Tokens};
use crate::services::fault::FetchError;
use crate::services::fields::Fields;
use crate::services::sender::Sender;
use crate::services::tls;
use crate::services::world::World;

/// What a configuration says of credentials.
#[derive(Clone, Debug)]
pub(crate) enum CredentialConfig {
    /// Nobody needs to know who asks.
    Anonymous,
    /// A token in a header.
    Bearer(Bearer),
    /// A certificate of TLS.
    ClientTls(Arc<Certificate>),
    /// Tokens of an authorization server.
    OAuth2(Box<OAuth2>),
    /// Signatures for Amazon's services.
    Aws(Box<AwsSigning>),
    /// Tokens of Google's metadata service.
    Gcp(Box<GcpMetadata>),
    /// Tokens of Azure's metadata service.
    Azure(Box<AzureIdentity>),
    /// What was configured cannot work; the text says why.
    Faulty(String),
}

impl CredentialConfig {
    /// Reads `credentials` of a service.
    ///
    /// # Errors
    ///
    /// OPA's text for what is of a wrong type.
    pub(crate) fn read(service: &Fields<'_>, is_oci: bool, keys: Option<Value<'_>>) -> Result<Self, String> {
        let Some(fields) = service.below("credentials", "")? else { return Ok(Self::Anonymous) };
        let plugin = fields.text("plugin")?;
        if !plugin.is_empty() {
            return Ok(Self::Faulty(format!("auth plugin {plugin:?} not found")));
        }
        let mut found = Vec::new();
        if let Some(bearer) = fields.below("bearer", "bearerAuthPlugin")? {
            found.push(Bearer::read(&bearer, is_oci)?.map_or_else(Self::Faulty, Self::Bearer));
        }
        if let Some(certificate) = fields.below("client_tls", "clientTLSAuthPlugin")? {
            let certificate = Certificate::read(&certificate)?;
            found.push(certificate.map_or_else(Self::Faulty, |it| Self::ClientTls(Arc::new(it))));
        }
        if let Some(oauth2) = fields.below("oauth2", "oauth2ClientCredentialsAuthPlugin")? {
            found.push(
                OAuth2::read(&oauth2, keys)?.map_or_else(Self::Faulty, |it| Self::OAuth2(Box::new(it))),
            );
        }
        if let Some(gcp) = fields.below("gcp_metadata", "gcpMetadataAuthPlugin")? {
            found.push(GcpMetadata::read(&gcp)?.map_or_else(Self::Faulty, |it| Self::Gcp(Box::new(it))));
        }
        if let Some(azure) = fields.below("azure_managed_identity", "azureManagedIdentitiesAuthPlugin")? {
            let azure = AzureIdentity::read(&azure, is_oci)?;
            found.push(azure.map_or_else(Self::Faulty, |it| Self::Azure(Box::new(it))));
        }
        if let Some(aws) = fields.below("s3_signing", "awsSigningAuthPlugin")? {
            found.push(
                AwsSigning::read(&aws, is_oci)?.map_or_else(Self::Faulty, |it| Self::Aws(Box::new(it))),
            );
        }
        if found.len() > 1 {
            return Ok(Self::Faulty("a maximum one credential method must be specified".to_owned()));
        }
        Ok(found.pop().unwrap_or(Self::Anonymous))
    }
}

/// Headers that prove who asks.
#[derive(Default)]
pub(crate) struct Authorization {
    /// By their canonical names.
    pub(crate) headers: Vec<(String, String)>,
}

impl Authorization {
    /// Returns the header `Authorization` alone.
    pub(crate) fn header(value: String) -> Self {
        Self { headers: vec![("Authorization".to_owned(), value)] }
    }

    /// Returns the names of the headers, which no other place may see.
    pub(crate) fn private_names(&self) -> Vec<String> {
        self.headers.iter().map(|it| it.0.clone()).collect()
    }
}

/// A credential at work.
pub(crate) enum Credential {
    /// Nothing is added to a request.
    Silent,
    Bearer(Bearer),
    OAuth2(Box<Tokens>),
    Aws(Box<Signer>),
    Gcp(Box<GcpMetadata>, Sender),
    Azure(Box<AzureIdentity>, Sender),
    Faulty(String),
}

impl Credential {
    pub(crate) fn new(config: &ServiceConfig, world: &World) -> Self {
        match config.credentials.clone() {
            CredentialConfig::Anonymous | CredentialConfig::ClientTls(_) => Self::Silent,
            CredentialConfig::Bearer(bearer) => Self::Bearer(bearer),
            CredentialConfig::OAuth2(oauth2) => {
                Self::OAuth2(Box::new(Tokens::new(*oauth2, tls::token_sender(config, world), world)))
            }
            CredentialConfig::Aws(aws) => Self::Aws(Box::new(Signer::new(*aws, config.url(), world))),
            CredentialConfig::Gcp(gcp) => Self::Gcp(gcp, Sender::plain(world)),
            CredentialConfig::Azure(azure) => Self::Azure(azure, Sender::plain(world)),
            CredentialConfig::Faulty(text) => Self::Faulty(text),
        }
    }

    /// Returns what is wrong with it, whatever it is for.
    pub(crate) fn fault(&self) -> Option<&str> {
        if let Self::Faulty(text) = self { Some(text) } else { None }
    }

    /// Returns what to add to a request.
    pub(crate) async fn authorize(
        &self,
        request: &HttpRequest,
        world: &World,
    ) -> Result<Authorization, FetchError> {
        match self {
            Self::Silent => Ok(Authorization::default()),
            Self::Bearer(bearer) => bearer.authorize().await,
            Self::OAuth2(tokens) => tokens.authorize(world).await,
            Self::Aws(signer) => signer.authorize(request, world).await,
            Self::Gcp(gcp, sender) => gcp.authorize(sender).await,
            Self::Azure(azure, sender) => azure.authorize(sender, world).await,
            Self::Faulty(text) => Err(FetchError::configuration(text.clone())),
        }
    }
}
