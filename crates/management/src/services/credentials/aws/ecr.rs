//! The password of Amazon's registry (ECR), which access keys buy.
//!
//! Apart because it is the one credential of Amazon's that is no signature. A password holds for hours and is kept
//! until five minutes before it ends.

use std::time::Duration;

use lictor::http::sigv4::Credentials;
use lictor::json;

use crate::services::credentials::aws::{LIFE_MIN_NS, Post, Signer};
use crate::services::secret::Secret;
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
    let what = "ecr get authorization token";
    let post = Post { service: "ecr", endpoint: ENDPOINT, target: TARGET, what, time: TIME };
    read(&signer.post(&post, "{}".to_owned(), credentials, world).await?)
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
