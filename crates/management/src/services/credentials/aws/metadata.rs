//! Access keys that the machine's or the container's metadata service hands out.
//!
//! On a machine (EC2) a token is fetched first, which keeps others from being sent there by mistake; in a container
//! (ECS, EKS) the environment says where to ask and with what.

use std::time::Duration;

use lictor::http::sigv4::Credentials;

use crate::services::answer::Answer;
use crate::services::credentials::aws::{Keys, body_of, time_ns};
use crate::services::fields::Fields;
use crate::services::sender::{Errand, Sender};
use crate::services::world::{World, read_file};

const MACHINE: &str = "http://169.254.169.254";
const KEYS_PATH: &str = "/latest/meta-data/iam/security-credentials/";
const TOKEN_PATH: &str = "/latest/api/token";
const CONTAINER: &str = "http://169.254.170.2";
const RELATIVE_URI: &str = "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI";
const FULL_URI: &str = "AWS_CONTAINER_CREDENTIALS_FULL_URI";
/// Where the machine's service is, if not at its usual address.
const ENDPOINT: &str = "AWS_EC2_METADATA_SERVICE_ENDPOINT";
/// How long the service may take.
const TIME: Duration = Duration::from_secs(10);

/// Whose keys.
#[derive(Clone, Debug)]
pub(super) struct Metadata {
    role: String,
    region: String,
}

impl Metadata {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, String> {
        Ok(Self { role: fields.text("iam_role")?, region: fields.text("aws_region")? })
    }

    pub(super) fn has_region(&self) -> bool {
        !self.region.is_empty()
    }

    /// Returns the same with a region, that of the environment if there is none.
    pub(super) fn with_region(&self, world: &World) -> Result<Self, String> {
        Ok(Self { region: super::region(&self.region, world)?, ..self.clone() })
    }

    pub(super) async fn keys(&self, sender: &Sender, world: &World) -> Result<Keys, String> {
        let url = self.url(world)?;
        let mut headers = Vec::new();
        if (world.environment)(FULL_URI).is_some() {
            headers.push(("Authorization".to_owned(), container_token(world).await?));
        }
        if !is_container(world) {
            headers.push(("X-Aws-Ec2-Metadata-Token".to_owned(), machine_token(sender, world).await?));
        }
        let errand = Errand { method: "GET", url, headers, time: TIME, ..Errand::default() };
        let body = body_of(sender.errand(errand).await, "metadata")?;
        self.read_keys(&body).map_err(|it| match it {
            Unread::Broken(it) => format!("failed to parse credential response from metadata service: {it}"),
            Unread::Refused(code) => format!("metadata service query did not succeed: {code}"),
        })
    }

    fn read_keys(&self, body: &[u8]) -> Result<Keys, Unread> {
        let answer = Answer::read(body)?;
        let fields = answer.fields("metadataPayload")?;
        let code = fields.text("Code")?;
        if !self.role.is_empty() && code != "Success" {
            return Err(Unread::Refused(code));
        }
        let credentials = Credentials {
            access_key: fields.text("AccessKeyId")?,
            secret_key: fields.text("SecretAccessKey")?,
            session_token: fields.text("Token")?,
            region: self.region.clone(),
        };
        Ok(Keys { credentials, expires_ns: Some(time_ns(&fields.text("Expiration")?)) })
    }

    fn url(&self, world: &World) -> Result<String, String> {
        if !self.role.is_empty() {
            return Ok(format!("{}{KEYS_PATH}{}", machine(world), self.role));
        }
        if let Some(path) = (world.environment)(RELATIVE_URI) {
            return Ok(format!("{CONTAINER}{path}"));
        }
        let missing = "metadata endpoint cannot be determined from settings and environment";
        (world.environment)(FULL_URI).ok_or_else(|| missing.to_owned())
    }
}

/// Why there are no keys in an answer.
enum Unread {
    Broken(String),
    Refused(String),
}

impl From<String> for Unread {
    fn from(text: String) -> Self {
        Self::Broken(text)
    }
}

fn machine(world: &World) -> String {
    let configured = (world.environment)(ENDPOINT).filter(|it| !it.is_empty());
    configured.map_or_else(|| MACHINE.to_owned(), |it| it.trim_end_matches('/').to_owned())
}

fn is_container(world: &World) -> bool {
    [RELATIVE_URI, FULL_URI].iter().any(|it| (world.environment)(it).is_some())
}

async fn container_token(world: &World) -> Result<String, String> {
    if let Some(path) = (world.environment)("AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE") {
        let fault = |it| format!("failed to read ECS metadata authorization token from file: {it}");
        let read = read_file(&path).await.map_err(fault)?;
        // A line's end cannot stand in a header.
        return Ok(String::from_utf8_lossy(&read).trim_end().to_owned());
    }
    let missing = "unable to get ECS metadata authorization token";
    (world.environment)("AWS_CONTAINER_AUTHORIZATION_TOKEN").ok_or_else(|| missing.to_owned())
}

async fn machine_token(sender: &Sender, world: &World) -> Result<String, String> {
    let url = format!("{}{TOKEN_PATH}", machine(world));
    let headers = vec![("X-Aws-Ec2-Metadata-Token-Ttl-Seconds".to_owned(), "60".to_owned())];
    let errand = Errand { method: "PUT", url, headers, time: TIME, ..Errand::default() };
    let body = body_of(sender.errand(errand).await, "metadata token")?;
    Ok(String::from_utf8_lossy(&body).into_owned())
}
