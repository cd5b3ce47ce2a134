//! `s3_signing`: requests signed for Amazon's services, or for those that speak as they do.
//!
//! Where access keys come from is a list of places that are tried in Amazon's order, one file a place; keys that hold
//! for a while are kept until five minutes before they end, and fetched by one at a time. Signing itself is shared
//! with policies (`lictor::http::sigv4`). For registries the keys buy a password instead (`ecr`).

mod ecr;
pub(super) mod kms;
mod metadata;
mod profile;
mod sts;

use std::collections::BTreeMap;
use std::time::Duration;

use lictor::http::sigv4::{self, Credentials};
use lictor::http::{HttpRequest, Url, canonical_header};
use tokio::sync::Mutex;

use crate::services::AGENT;
use crate::services::credentials::Authorization;
use crate::services::credentials::aws::ecr::Password;
use crate::services::credentials::aws::metadata::Metadata;
use crate::services::credentials::aws::profile::Profile;
use crate::services::credentials::aws::sts::{AssumeRole, WebIdentity};
use crate::services::fault::FetchError;
use crate::services::fields::Fields;
use crate::services::secret::Secret;
use crate::services::sender::{Errand, Sender};
use crate::services::world::World;

/// Keys that end sooner are fetched anew.
const LIFE_MIN_NS: i64 = 5 * 60 * 1_000_000_000;

/// How requests are signed, and where keys come from.
#[derive(Clone, Debug)]
pub(crate) struct AwsSigning {
    /// In the order in which they are tried.
    places: Vec<Place>,
    service: String,
    version: Version,
}

/// The version of the signature.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Version {
    /// With the secret key.
    V4,
    /// With a pair of keys, for every region.
    V4a,
}

/// Where access keys come from.
#[derive(Clone, Debug)]
enum Place {
    Environment,
    AssumeRole(Box<AssumeRole>),
    WebIdentity(WebIdentity),
    Profile(Profile),
    Metadata(Metadata),
}

impl AwsSigning {
    /// Reads the credential; the inner fault is one that OPA tells when something is sent.
    pub(crate) fn read(fields: &Fields<'_>, is_oci: bool) -> Result<Result<Self, String>, String> {
        let places = places(fields)?;
        let service = fields.text("service")?.to_lowercase();
        let version = fields.text("signature_version")?;
        Ok(places.and_then(|places| Self::checked(places, service, &version, is_oci)))
    }

    fn checked(places: Vec<Place>, service: String, version: &str, is_oci: bool) -> Result<Self, String> {
        let service = match service.as_str() {
            "" if is_oci => "ecr".to_owned(),
            "" => "s3".to_owned(),
            "ecr" if !is_oci => {
                return Err("aws service \"ecr\" must be used with service type \"oci\"".to_owned());
            }
            other if is_oci && other != "ecr" => {
                return Err(format!("cannot use aws service {other:?} with service type \"oci\""));
            }
            _ => service,
        };
        let version = match version {
            "" | "4" => Version::V4,
            "4a" => Version::V4a,
            other => return Err(format!("signature_version must be 4 or 4a, not {other:?}")),
        };
        Ok(Self { places, service, version })
    }
}

fn places(fields: &Fields<'_>) -> Result<Result<Vec<Place>, String>, String> {
    let mut places = Vec::new();
    if fields.below("environment_credentials", "awsEnvironmentCredentialService")?.is_some() {
        places.push(Ok(Place::Environment));
    }
    if let Some(role) = fields.below("assume_role_credentials", "awsAssumeRoleCredentialService")? {
        places.push(AssumeRole::read(&role)?.map(|it| Place::AssumeRole(Box::new(it))));
    }
    if let Some(identity) = fields.below("web_identity_credentials", "awsWebIdentityCredentialService")? {
        places.push(Ok(Place::WebIdentity(WebIdentity::read(&identity)?)));
    }
    if let Some(profile) = fields.below("profile_credentials", "awsProfileCredentialService")? {
        places.push(Ok(Place::Profile(Profile::read(&profile)?)));
    }
    if let Some(metadata) = fields.below("metadata_credentials", "awsMetadataCredentialService")? {
        let metadata = Metadata::read(&metadata)?;
        let missing = "at least aws_region must be specified for AWS metadata credential service";
        places.push(if metadata.has_region() {
            Ok(Place::Metadata(metadata))
        } else {
            Err(missing.to_owned())
        });
    }
    if fields.below("sso_credentials", "awsSSOCredentialsService")?.is_some() {
        places.push(Err("sso_credentials are not supported by this version of lictor".to_owned()));
    }
    if places.is_empty() {
        return Ok(Err("a AWS credential service must be specified when S3 signing is enabled".to_owned()));
    }
    Ok(places.into_iter().collect())
}

/// Access keys and when they end.
#[derive(Clone)]
struct Keys {
    credentials: Credentials,
    /// Absent if they hold for good.
    expires_ns: Option<i64>,
}

impl Keys {
    fn holds(&self, now_ns: i64) -> bool {
        self.expires_ns.is_none_or(|it| now_ns.saturating_add(LIFE_MIN_NS) < it)
    }

    /// Refuses keys that nothing could be signed with.
    fn checked(self) -> Result<Self, String> {
        if self.credentials.access_key.is_empty() || self.credentials.secret_key.is_empty() {
            return Err("the answer has no access key".to_owned());
        }
        Ok(self)
    }
}

/// The credential at work.
pub(crate) struct Signer {
    signing: AwsSigning,
    /// The host of the service; others, to which a registry may send, get nothing signed.
    host: Vec<u8>,
    sender: Sender,
    /// What each place gave.
    kept: Mutex<Vec<Option<Keys>>>,
    password: Mutex<Option<Password>>,
}

impl Signer {
    pub(crate) fn new(signing: AwsSigning, url: &str, world: &World) -> Self {
        let host = Url::parse(url).map(|it| it.host).unwrap_or_default();
        let kept = Mutex::new(vec![None; signing.places.len()]);
        Self { signing, host, sender: Sender::plain(world), kept, password: Mutex::default() }
    }

    /// Returns what to add to a request.
    pub(crate) async fn authorize(
        &self,
        request: &HttpRequest,
        world: &World,
    ) -> Result<Authorization, FetchError> {
        if request.url.host != self.host {
            return Ok(Authorization::default());
        }
        self.check(world).map_err(FetchError::credentials)?;
        if self.signing.service == "ecr" {
            let password = self.password(world).await.map_err(FetchError::credentials)?;
            return Ok(Authorization::header(format!("Basic {}", password.expose())));
        }
        let credentials = self.credentials(world).await.map_err(FetchError::credentials)?;
        let headers = request.headers.iter().cloned().collect();
        let to_sign =
            ToSign { method: &request.method, url: &request.url, headers: &headers, body: &request.body };
        let added = self.sign(&to_sign, &self.signing.service, &credentials, world);
        Ok(Authorization { headers: added.map_err(FetchError::credentials)? })
    }

    /// Looks at what places need of the environment, whether they will be asked or not.
    fn check(&self, world: &World) -> Result<(), String> {
        for place in &self.signing.places {
            match place {
                Place::AssumeRole(role) => role.check(world)?,
                Place::WebIdentity(identity) => identity.check(world)?,
                Place::Environment | Place::Profile(_) | Place::Metadata(_) => {}
            }
        }
        Ok(())
    }

    /// Returns the keys of the first place that has some.
    async fn credentials(&self, world: &World) -> Result<Credentials, String> {
        // Whoever needs new keys fetches them while others wait here for them.
        let mut kept = self.kept.lock().await;
        let mut faults = Vec::new();
        for (place, kept) in self.signing.places.iter().zip(kept.iter_mut()) {
            if let Some(keys) = kept.as_ref().filter(|it| it.holds((world.clock)())) {
                return Ok(keys.credentials.clone());
            }
            *kept = None;
            match self.ask(place, world).await.and_then(Keys::checked) {
                Ok(keys) => {
                    let credentials = keys.credentials.clone();
                    *kept = keys.expires_ns.map(|_| keys);
                    return Ok(credentials);
                }
                Err(fault) => faults.push(fault),
            }
        }
        let told = match faults.as_slice() {
            [one] => format!("1 error occurred: {one}"),
            several => format!("{} errors occurred:\n{}", several.len(), several.join("\n")),
        };
        Err(format!("failed to get aws credentials: all AWS credential providers failed: {told}"))
    }

    async fn ask(&self, place: &Place, world: &World) -> Result<Keys, String> {
        match place {
            Place::Environment => from_environment(world),
            Place::Profile(profile) => profile.keys(world).await,
            Place::Metadata(metadata) => metadata.keys(&self.sender, world).await,
            Place::WebIdentity(identity) => identity.keys(&self.sender, world).await,
            Place::AssumeRole(role) => role.keys(&self.sender, world).await,
        }
    }

    /// Returns the password of the registry, in base64.
    async fn password(&self, world: &World) -> Result<Secret, String> {
        let mut kept = self.password.lock().await;
        if let Some(password) = kept.as_ref().filter(|it| it.holds((world.clock)())) {
            return Ok(password.encoded.clone());
        }
        *kept = None;
        let credentials = self.credentials(world).await?;
        let password = ecr::password(self, &credentials, world).await;
        let password = password.map_err(|it| format!("ecr: failed to get authorization token: {it}"))?;
        Ok(kept.insert(password).encoded.clone())
    }

    /// Returns the service that requests are signed for.
    fn service(&self) -> &str {
        &self.signing.service
    }

    /// Asks a service of Amazon's own for something, in JSON.
    async fn post(
        &self,
        post: &Post,
        body: String,
        credentials: &Credentials,
        world: &World,
    ) -> Result<Vec<u8>, String> {
        let configured = (world.environment)(post.endpoint).filter(|it| !it.is_empty());
        let usual = || format!("https://{}.{}.amazonaws.com", post.service, credentials.region);
        let url = format!("{}/", configured.unwrap_or_else(usual).trim_end_matches('/'));
        let headers = [
            ("X-Amz-Target", post.target),
            ("Accept-Encoding", "identity"),
            ("Content-Type", "application/x-amz-json-1.1"),
            ("User-Agent", AGENT),
        ];
        let headers = headers.into_iter().map(|it| (it.0.to_owned(), it.1.to_owned())).collect();
        let body = body.into_bytes();
        let to_sign = ToSign { method: "POST", url: &Url::parse(&url)?, headers: &headers, body: &body };
        let added = self.sign(&to_sign, post.service, credentials, world)?;
        let headers = headers.into_iter().chain(added).collect();
        let errand = Errand { method: "POST", url, headers, body, time: post.time };
        body_of(self.sender.errand(errand).await, post.what)
    }

    fn sign(
        &self,
        to_sign: &ToSign<'_>,
        service: &str,
        credentials: &Credentials,
        world: &World,
    ) -> Result<Vec<(String, String)>, String> {
        signed(to_sign, self.signing.version, service, credentials, (world.clock)())
    }
}

/// What one of Amazon's own services is asked for.
struct Post {
    service: &'static str,
    /// The variable that says where it is, if not at its usual address.
    endpoint: &'static str,
    target: &'static str,
    /// What faults call it.
    what: &'static str,
    time: Duration,
}

/// A request before it is signed.
struct ToSign<'a> {
    method: &'a str,
    url: &'a Url,
    headers: &'a BTreeMap<String, String>,
    body: &'a [u8],
}

/// Returns the headers to add, by their canonical names.
fn signed(
    to_sign: &ToSign<'_>,
    version: Version,
    service: &str,
    credentials: &Credentials,
    time_ns: i64,
) -> Result<Vec<(String, String)>, String> {
    let request = sigv4::Request {
        method: to_sign.method,
        url: to_sign.url,
        headers: to_sign.headers,
        payload: &sigv4::digest(to_sign.body),
        body_bytes: to_sign.body.len(),
        service,
        time_ns,
    };
    let added = match version {
        Version::V4 => sigv4::sign(&request, credentials),
        Version::V4a => sigv4::sign_with_pair(&request, credentials)?,
    };
    // The host is that of the URL, which is sent in any case.
    let added = added.into_iter().filter(|it| it.0 != "host");
    Ok(added.map(|(name, value)| (canonical_header(&name), value)).collect())
}

fn from_environment(world: &World) -> Result<Keys, String> {
    let variable = |name: &str| (world.environment)(name).filter(|it| !it.is_empty());
    let needed = |name: &str| variable(name).ok_or_else(|| format!("no {name} set in environment"));
    let credentials = Credentials {
        access_key: needed("AWS_ACCESS_KEY_ID")?,
        secret_key: needed("AWS_SECRET_ACCESS_KEY")?,
        region: needed("AWS_REGION")?,
        session_token: variable("AWS_SESSION_TOKEN")
            .or_else(|| variable("AWS_SECURITY_TOKEN"))
            .unwrap_or_default(),
    };
    Ok(Keys { credentials, expires_ns: None })
}

/// Returns the configured region, or that of the environment.
fn region(configured: &str, world: &World) -> Result<String, String> {
    let found = Some(configured.to_owned()).filter(|it| !it.is_empty());
    let found = found.or_else(|| (world.environment)("AWS_REGION").filter(|it| !it.is_empty()));
    found.ok_or_else(|| "no AWS_REGION set in environment or configuration".to_owned())
}

/// Returns the body of an answer that has the status 200.
fn body_of(answer: Result<lictor::http::HttpResponse, String>, what: &str) -> Result<Vec<u8>, String> {
    let answer = answer.map_err(|it| format!("{what} HTTP request failed: {it}"))?;
    if answer.status_code != 200 {
        return Err(format!("{what} HTTP request returned unexpected status: {}", answer.status));
    }
    Ok(answer.body)
}

/// Reads a time as RFC 3339 has it; what is none ended long ago.
fn time_ns(text: &str) -> i64 {
    let parsed = text.trim().parse::<jiff::Timestamp>().ok();
    parsed.and_then(|it| i64::try_from(it.as_nanosecond()).ok()).unwrap_or(0)
}
