//! `gcp_metadata`: tokens that Google's metadata service hands to the machines that it runs.
//!
//! They are asked for with every request, as OPA does: the service is on the machine and keeps them itself.

use std::time::Duration;

use crate::services::answer::Answer;
use crate::services::credentials::Authorization;
use crate::services::fault::FetchError;
use crate::services::fields::Fields;
use crate::services::sender::{Errand, Sender};

const ENDPOINT: &str = "http://metadata.google.internal";
const ACCESS_TOKEN_PATH: &str = "/computeMetadata/v1/instance/service-accounts/default/token";
const IDENTITY_TOKEN_PATH: &str = "/computeMetadata/v1/instance/service-accounts/default/identity";
/// How long the service may take.
const TIME: Duration = Duration::from_secs(5);

/// Where tokens are, and for what.
#[derive(Clone, Debug)]
pub(crate) struct GcpMetadata {
    access_token_path: String,
    audience: String,
    endpoint: String,
    identity_token_path: String,
    scopes: Vec<String>,
}

impl GcpMetadata {
    /// Reads the credential; the inner fault is one that OPA tells when something is sent.
    pub(crate) fn read(fields: &Fields<'_>) -> Result<Result<Self, String>, String> {
        let or = |name: &str, default: &str| {
            fields.text(name).map(|it| if it.is_empty() { default.to_owned() } else { it })
        };
        let credential = Self {
            access_token_path: or("access_token_path", ACCESS_TOKEN_PATH)?,
            audience: fields.text("audience")?,
            endpoint: or("endpoint", ENDPOINT)?,
            identity_token_path: or("identity_token_path", IDENTITY_TOKEN_PATH)?,
            scopes: fields.texts("scopes")?,
        };
        let fault = match (credential.audience.is_empty(), credential.scopes.is_empty()) {
            (true, true) => "audience or scopes is required when gcp metadata is enabled",
            (false, false) => "either audience or scopes can be set, not both, when gcp metadata is enabled",
            _ => return Ok(Ok(credential)),
        };
        Ok(Err(fault.to_owned()))
    }

    pub(crate) async fn authorize(&self, sender: &Sender) -> Result<Authorization, FetchError> {
        let (kind, token) = if self.audience.is_empty() {
            ("access", self.access_token(sender).await)
        } else {
            ("identity", self.identity_token(sender).await)
        };
        let token =
            token.and_then(|it| if it.is_empty() { Err("empty token returned".to_owned()) } else { Ok(it) });
        let token = token.map_err(|it| {
            FetchError::credentials(format!("error retrieving {kind} token from gcp metadata service: {it}"))
        })?;
        Ok(Authorization::header(format!("Bearer {token}")))
    }

    async fn access_token(&self, sender: &Sender) -> Result<String, String> {
        let scopes = self.scopes.join(",");
        let body =
            ask(sender, format!("{}{}?scopes={scopes}", self.endpoint, self.access_token_path)).await?;
        Answer::read(&body)?.fields("AccessToken")?.text("access_token")
    }

    async fn identity_token(&self, sender: &Sender) -> Result<String, String> {
        let (endpoint, path, audience) = (&self.endpoint, &self.identity_token_path, &self.audience);
        let body = ask(sender, format!("{endpoint}{path}?audience={audience}")).await?;
        Ok(String::from_utf8_lossy(&body).into_owned())
    }
}

async fn ask(sender: &Sender, url: String) -> Result<Vec<u8>, String> {
    let headers = vec![("Metadata-Flavor".to_owned(), "Google".to_owned())];
    let errand = Errand { method: "GET", url: url.clone(), headers, time: TIME, ..Errand::default() };
    let answer = sender.errand(errand).await?;
    let fault = match answer.status_code {
        200 => return Ok(answer.body),
        400 => "invalid request",
        404 => "not found",
        _ => "unexpected error",
    };
    Err(format!("error retrieving gcp ID token from {url} {}: {fault}", answer.status_code))
}
