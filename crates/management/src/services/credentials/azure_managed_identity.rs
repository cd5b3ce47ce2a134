//! `azure_managed_identity`: tokens that Azure's metadata service, or that of its App Service, hands out.
//!
//! They are asked for with every request, as OPA does: the service is on the machine and keeps them itself. Which of
//! the two it is, the environment says when nothing is configured.

use std::time::Duration;

use crate::services::answer::Answer;
use crate::services::credentials::Authorization;
use crate::services::fault::FetchError;
use crate::services::fields::Fields;
use crate::services::form;
use crate::services::sender::{Errand, Sender};
use crate::services::world::World;

const ENDPOINT: &str = "http://169.254.169.254/metadata/identity/oauth2/token";
const API_VERSION: &str = "2018-02-01";
const APP_SERVICE_API_VERSION: &str = "2019-08-01";
const RESOURCE: &str = "https://storage.azure.com/";
/// How long the service may take.
const TIME: Duration = Duration::from_secs(5);

/// Whose token, and for what.
#[derive(Clone, Debug)]
pub(crate) struct AzureIdentity {
    endpoint: String,
    api_version: String,
    resource: String,
    object_id: String,
    client_id: String,
    mi_res_id: String,
    use_app_service_msi: bool,
}

impl AzureIdentity {
    /// Reads the credential; the inner fault is one that OPA tells when something is sent.
    pub(crate) fn read(fields: &Fields<'_>, is_oci: bool) -> Result<Result<Self, String>, String> {
        let credential = Self {
            endpoint: fields.text("endpoint")?,
            api_version: fields.text("api_version")?,
            resource: fields.text("resource")?,
            object_id: fields.text("object_id")?,
            client_id: fields.text("client_id")?,
            mi_res_id: fields.text("mi_res_id")?,
            use_app_service_msi: fields.flag("use_app_service_msi")?,
        };
        if is_oci {
            return Ok(Err("azure managed identities auth: OCI service not supported".to_owned()));
        }
        Ok(Ok(credential))
    }

    pub(crate) async fn authorize(
        &self,
        sender: &Sender,
        world: &World,
    ) -> Result<Authorization, FetchError> {
        let token = self.token(sender, world).await.map_err(FetchError::credentials)?;
        Ok(Authorization::header(format!("Bearer {token}")))
    }

    async fn token(&self, sender: &Sender, world: &World) -> Result<String, String> {
        let variable = |name: &str| (world.environment)(name).filter(|it| !it.is_empty());
        let configured = Some(self.endpoint.clone()).filter(|it| !it.is_empty());
        let of_app_service = if configured.is_some() { None } else { variable("IDENTITY_ENDPOINT") };
        let is_app_service = self.use_app_service_msi || of_app_service.is_some();
        let endpoint = configured.or(of_app_service).unwrap_or_else(|| ENDPOINT.to_owned());
        let header = if is_app_service {
            let missing = "azure managed identities auth: IDENTITY_HEADER env var not found";
            ("X-Identity-Header".to_owned(), variable("IDENTITY_HEADER").ok_or(missing)?)
        } else {
            ("Metadata".to_owned(), "true".to_owned())
        };
        let url = format!("{endpoint}?{}", self.query(is_app_service));
        let errand = Errand {
            method: "GET",
            url: url.clone(),
            headers: vec![header],
            time: TIME,
            ..Errand::default()
        };
        let answer = sender.errand(errand).await?;
        let read = Answer::read(&answer.body)?;
        if answer.status_code != 200 {
            let fields = read.fields("azureManagedIdentitiesError")?;
            let (error, description) = (fields.text("error")?, fields.text("error_description")?);
            let code = answer.status_code;
            return Err(format!("{code} {error} retrieving azure token from {url}: {description}"));
        }
        let token = read.fields("azureManagedIdentitiesToken")?.text("access_token")?;
        if token.is_empty() {
            return Err("azure managed identities auth: empty token returned".to_owned());
        }
        Ok(token)
    }

    fn query(&self, is_app_service: bool) -> String {
        let api_version = match self.api_version.as_str() {
            "" if is_app_service => APP_SERVICE_API_VERSION,
            "" => API_VERSION,
            given => given,
        };
        let resource = if self.resource.is_empty() { RESOURCE } else { &self.resource };
        let mut pairs = vec![("api-version", api_version), ("resource", resource)];
        let ids =
            [("object_id", &self.object_id), ("client_id", &self.client_id), ("mi_res_id", &self.mi_res_id)];
        pairs.extend(ids.into_iter().filter(|it| !it.1.is_empty()).map(|it| (it.0, it.1.as_str())));
        form::encoded(&pairs)
    }
}
