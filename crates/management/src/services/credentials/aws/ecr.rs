//! The password of Amazon's registry (ECR), which access keys buy.
//!
//! Apart because it is the one credential of Amazon's that is no signature. A password holds for hours and is kept
//! until five minutes before it ends.

use std::collections::BTreeMap;
use std::time::Duration;

use lictor::http::Url;
use lictor::http::sigv4::Credentials;
use lictor::json;

use crate::services::AGENT;
use crate::services::credentials::aws::{LIFE_MIN_NS, Signer, ToSign, body_of};
use crate::services::secret::Secret;
use crate::services::sender::Errand;
use crate::services::world::World;

const TARGET: &str = "AmazonEC2ContainerRegistry_V20150921.GetAuthorizationToken";
/// Where the service is, if not at its usual address.
const ENDPOINT: &str = "AWS_ENDPOINT_URL_ECR";
/// How long the service may take.
const TIME: Duration = Duration::from_secs(10);

/// A name and a password in base64, and when they end.
pub(super) struct Password {
    pub(super) encoded: Secret,
    expires_ns: i64,
}

impl Password {
    pub(super) fn holds(&self, now_ns: i64) -> bool {
        now_ns.saturating_add(LIFE_MIN_NS) <= self.expires_ns
    }
}

/// Asks for a password.
pub(super) async fn password(
    signer: &Signer,
    credentials: &Credentials,
    world: &World,
) -> Result<Password, String> {
    let configured = (world.environment)(ENDPOINT).filter(|it| !it.is_empty());
    let usual = || format!("https://ecr.{}.amazonaws.com", credentials.region);
    let url = format!("{}/", configured.unwrap_or_else(usual).trim_end_matches('/'));
    let headers = BTreeMap::from(
        [
            ("X-Amz-Target", TARGET),
            ("Accept-Encoding", "identity"),
            ("Content-Type", "application/x-amz-json-1.1"),
            ("User-Agent", AGENT),
        ]
        .map(|it| (it.0.to_owned(), it.1.to_owned())),
    );
    let body = b"{}".to_vec();
    let to_sign = ToSign { method: "POST", url: &Url::parse(&url)?, headers: &headers, body: &body };
    let added = signer.sign(&to_sign, "ecr", credentials, world)?;
    let headers = headers.into_iter().chain(added).collect();
    let errand = Errand { method: "POST", url, headers, body, time: TIME };
    read(&body_of(signer.sender.errand(errand).await, "ecr get authorization token")?)
}

fn read(body: &[u8]) -> Result<Password, String> {
    let broken = || "failed to unmarshal response: no list of tokens".to_owned();
    let document = json::read_document(body).map_err(|_| broken())?;
    let tokens = document.root().as_object().and_then(|it| it.get_str("authorizationData"));
    let tokens = tokens.and_then(|it| it.as_array()).ok_or_else(broken)?;
    let first = tokens.iter().next().and_then(|it| it.as_object()).ok_or("empty authorization data")?;
    let token = first.get_str("authorizationToken").and_then(|it| it.as_str().map(str::to_owned));
    let token = token.filter(|it| !it.is_empty()).ok_or("empty authorization data")?;
    let expires = first.get_str("expiresAt").map(|it| it.to_json()).unwrap_or_default();
    let seconds = expires.parse::<f64>().map_err(|_| "failed to parse expiresAt: not a float")?;
    let since = Duration::try_from_secs_f64(seconds).map_err(|_| "failed to parse expiresAt: not a time")?;
    let expires_ns = i64::try_from(since.as_nanos()).unwrap_or(i64::MAX);
    Ok(Password { encoded: Secret::new(token), expires_ns })
}
