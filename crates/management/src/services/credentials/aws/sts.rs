//! Access keys that Amazon's token service (STS) lends: for a token of another, or for keys that one has.
//!
//! Both ask with a form and get XML, of which the four elements that matter are read. Variables of the environment
//! stand in for what is not configured, as OPA has it.

use std::collections::BTreeMap;
use std::time::Duration;

use lictor::http::Url;
use lictor::http::sigv4::Credentials;

use crate::services::credentials::aws::metadata::Metadata;
use crate::services::credentials::aws::profile::Profile;
use crate::services::credentials::aws::{
    Keys, ToSign, Version, body_of, from_environment, region, signed, time_ns,
};
use crate::services::fields::Fields;
use crate::services::form;
use crate::services::sender::{Errand, Sender};
use crate::services::world::{World, read_file};

const SESSION: &str = "open-policy-agent";
const VERSION: &str = "2011-06-15";
const DOMAIN: &str = "amazonaws.com";
/// Where the service is, if not at its usual address.
const ENDPOINT: &str = "AWS_ENDPOINT_URL_STS";
/// How long the service may take.
const TIME: Duration = Duration::from_secs(10);

/// A role that a token of another stands for.
#[derive(Clone, Debug)]
pub(super) struct WebIdentity {
    role: String,
    token_file: String,
    region: String,
    session: String,
    domain: String,
    /// Whether it is there for another role, and its own must be configured.
    is_inner: bool,
}

impl WebIdentity {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, String> {
        Ok(Self {
            role: fields.text("iam_role_arn")?,
            token_file: fields.text("web_identity_token_file")?,
            region: fields.text("aws_region")?,
            session: fields.text("session_name")?,
            domain: fields.text("aws_domain")?,
            is_inner: false,
        })
    }

    pub(super) fn check(&self, world: &World) -> Result<(), String> {
        self.role(world)?;
        self.token_file(world)?;
        region(&self.region, world).map(drop)
    }

    /// Returns the role: the environment's before the configured one, unless it is there for another role.
    fn role(&self, world: &World) -> Result<String, String> {
        if self.is_inner {
            let missing = "RoleArn must be set in configuration for AWS Web Identity signing plugin";
            return some(self.role.clone()).ok_or_else(|| missing.to_owned());
        }
        let found = variable(world, "AWS_ROLE_ARN").or_else(|| some(self.role.clone()));
        found.ok_or_else(|| "no AWS_ROLE_ARN set in environment".to_owned())
    }

    fn token_file(&self, world: &World) -> Result<String, String> {
        let (own, given) = (some(self.token_file.clone()), variable(world, "AWS_WEB_IDENTITY_TOKEN_FILE"));
        let found = if self.is_inner { own.or(given) } else { given.or(own) };
        found.ok_or_else(|| "no AWS_WEB_IDENTITY_TOKEN_FILE set in environment".to_owned())
    }

    pub(super) async fn keys(&self, sender: &Sender, world: &World) -> Result<Keys, String> {
        let (role, region) = (self.role(world)?, region(&self.region, world)?);
        let unreadable = |it| format!("unable to read web token for sts HTTP request: {it}");
        let token = read_file(&self.token_file(world)?).await.map_err(unreadable)?;
        let body = form::encoded(&[
            ("Action", "AssumeRoleWithWebIdentity"),
            ("RoleSessionName", if self.session.is_empty() { SESSION } else { &self.session }),
            ("RoleArn", &role),
            ("WebIdentityToken", &String::from_utf8_lossy(&token)),
            ("Version", VERSION),
        ]);
        let errand = errand(url(&self.domain, &region, world), body);
        let body = body_of(sender.errand(errand).await, "STS")?;
        keys(&body, "AssumeRoleWithWebIdentityResult", region)
    }
}

/// A role that keys of one's own stand for.
#[derive(Clone, Debug)]
pub(super) struct AssumeRole {
    role: String,
    region: String,
    session: String,
    domain: String,
    own: Own,
    version: Version,
}

/// Where one's own keys come from.
#[derive(Clone, Debug)]
enum Own {
    Environment,
    Profile(Profile),
    WebIdentity(WebIdentity),
    Metadata(Metadata),
}

impl AssumeRole {
    /// Reads the place; the inner fault is one that OPA tells when something is sent.
    pub(super) fn read(fields: &Fields<'_>) -> Result<Result<Self, String>, String> {
        let Some(signing) = fields.below("aws_signing", "awsSigningAuthPlugin")? else {
            let text =
                "a AWS signing plugin must be specified when AssumeRole credential provider is enabled";
            return Ok(Err(text.to_owned()));
        };
        let Some(own) = Own::read(&signing)? else {
            return Ok(Err("unsupported AWS signing plugin with AssumeRole credential provider".to_owned()));
        };
        Ok(Ok(Self {
            role: fields.text("iam_role_arn")?,
            region: fields.text("aws_region")?,
            session: fields.text("session_name")?,
            domain: fields.text("aws_domain")?,
            own,
            version: if signing.text("signature_version")? == "4a" { Version::V4a } else { Version::V4 },
        }))
    }

    pub(super) fn check(&self, world: &World) -> Result<(), String> {
        match &self.own {
            Own::Metadata(metadata) => metadata.with_region(world).map(drop)?,
            Own::WebIdentity(identity) => identity.check(world)?,
            Own::Environment | Own::Profile(_) => {}
        }
        region(&self.region, world)?;
        self.role(world).map(drop)
    }

    fn role(&self, world: &World) -> Result<String, String> {
        let found = some(self.role.clone()).or_else(|| variable(world, "AWS_ROLE_ARN"));
        found.ok_or_else(|| "no AWS_ROLE_ARN set in environment or configuration".to_owned())
    }

    pub(super) async fn keys(&self, sender: &Sender, world: &World) -> Result<Keys, String> {
        let (role, region) = (self.role(world)?, region(&self.region, world)?);
        let own = self.own.keys(sender, world).await?.checked()?;
        let body = form::encoded(&[
            ("Action", "AssumeRole"),
            ("RoleSessionName", if self.session.is_empty() { SESSION } else { &self.session }),
            ("RoleArn", &role),
            ("Version", VERSION),
        ]);
        let mut errand = errand(url(&self.domain, &region, world), body);
        let headers: BTreeMap<String, String> = errand.headers.iter().cloned().collect();
        let to_sign =
            ToSign { method: "POST", url: &Url::parse(&errand.url)?, headers: &headers, body: &errand.body };
        errand.headers.extend(signed(&to_sign, self.version, "sts", &own.credentials, (world.clock)())?);
        let body = body_of(sender.errand(errand).await, "STS")?;
        keys(&body, "AssumeRoleResult", region)
    }
}

impl Own {
    fn read(signing: &Fields<'_>) -> Result<Option<Self>, String> {
        if signing.below("environment_credentials", "awsEnvironmentCredentialService")?.is_some() {
            return Ok(Some(Self::Environment));
        }
        if let Some(profile) = signing.below("profile_credentials", "awsProfileCredentialService")? {
            return Ok(Some(Self::Profile(Profile::read(&profile)?)));
        }
        if let Some(identity) =
            signing.below("web_identity_credentials", "awsWebIdentityCredentialService")?
        {
            return Ok(Some(Self::WebIdentity(WebIdentity {
                is_inner: true,
                ..WebIdentity::read(&identity)?
            })));
        }
        let metadata = signing.below("metadata_credentials", "awsMetadataCredentialService")?;
        metadata.map(|it| Metadata::read(&it).map(Self::Metadata)).transpose()
    }

    async fn keys(&self, sender: &Sender, world: &World) -> Result<Keys, String> {
        match self {
            Self::Environment => from_environment(world),
            Self::Profile(profile) => profile.keys(world).await,
            Self::WebIdentity(identity) => identity.keys(sender, world).await,
            Self::Metadata(metadata) => metadata.with_region(world)?.keys(sender, world).await,
        }
    }
}

fn some(text: String) -> Option<String> {
    Some(text).filter(|it| !it.is_empty())
}

fn variable(world: &World, name: &str) -> Option<String> {
    (world.environment)(name).and_then(some)
}

fn url(domain: &str, region: &str, world: &World) -> String {
    if let Some(endpoint) = variable(world, ENDPOINT) {
        return format!("{}/", endpoint.trim_end_matches('/'));
    }
    let domain = some(domain.to_owned()).or_else(|| variable(world, "AWS_DOMAIN"));
    let domain = domain.unwrap_or_else(|| DOMAIN.to_owned());
    format!("https://sts.{}.{}/", region.to_lowercase(), domain.to_lowercase())
}

fn errand(url: String, body: String) -> Errand {
    let headers = vec![("Content-Type".to_owned(), "application/x-www-form-urlencoded".to_owned())];
    Errand { method: "POST", url, headers, body: body.into_bytes(), time: TIME }
}

/// Reads keys out of an answer.
fn keys(body: &[u8], result: &str, region: String) -> Result<Keys, String> {
    let text = String::from_utf8_lossy(body);
    let found = element(&text, result).and_then(|it| element(it, "Credentials"));
    let missing = "failed to parse credential response from STS service: no credentials in it";
    let found = found.ok_or(missing)?;
    let value = |name: &str| element(found, name).map(unescaped).unwrap_or_default();
    let credentials = Credentials {
        access_key: value("AccessKeyId"),
        secret_key: value("SecretAccessKey"),
        session_token: value("SessionToken"),
        region,
    };
    Ok(Keys { credentials, expires_ns: Some(time_ns(&value("Expiration"))) })
}

/// Returns what is inside the first element of a name; the elements that are asked for never hold one another.
fn element<'a>(xml: &'a str, name: &str) -> Option<&'a str> {
    let mut rest = xml;
    loop {
        let (_, behind) = rest.split_once(&format!("<{name}"))?;
        let (attributes, inside) = behind.split_once('>')?;
        if attributes.is_empty() || attributes.starts_with([' ', '\t', '\r', '\n']) {
            return inside.split_once(&format!("</{name}>")).map(|it| it.0);
        }
        rest = behind;
    }
}

fn unescaped(text: &str) -> String {
    let text = text.trim().replace("&lt;", "<").replace("&gt;", ">");
    text.replace("&quot;", "\"").replace("&apos;", "'").replace("&amp;", "&")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn elements_are_found() {
        let xml = "<R xmlns=\"x\"><CredentialsX>n</CredentialsX><Credentials><A>1&amp;lt;</A><B/></Credentials></R>";
        let credentials = element(xml, "R").and_then(|it| element(it, "Credentials"));
        assert_eq!(credentials, Some("<A>1&amp;lt;</A><B/>"));
        assert_eq!(credentials.and_then(|it| element(it, "A")).map(unescaped).as_deref(), Some("1&lt;"));
        assert_eq!(element(xml, "B"), None);
        assert_eq!(element("<A>", "A"), None);
    }
}
