//! Tokens that registries send their callers for: a challenge, the realm that it names, a token for one repository.
//!
//! The service's credentials buy the token. They go only to realms that no registry can misuse: never in the clear if
//! the registry is not, and to no address inside a network that the registry is not at itself.

use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use lictor::http::{HttpRequest, Url};

use crate::services::answer::Answer;
use crate::services::fault::FetchError;
use crate::services::form;
use crate::services::secret::Secret;
use crate::services::sender::{Errand, request};
use crate::services::{Call, headers_of};

/// How long a realm may take.
const TIME: Duration = Duration::from_secs(10);

/// What a registry asks of its callers.
#[derive(PartialEq, Eq, Debug, Default)]
pub(crate) struct Challenge {
    realm: String,
    service: String,
    scope: String,
}

impl Challenge {
    /// Reads a header `WWW-Authenticate`; nothing if it asks for no token.
    pub(crate) fn parse(header: &str) -> Option<Self> {
        let (scheme, mut rest) = header.trim_start().split_once([' ', '\t'])?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return None;
        }
        let mut challenge = Self::default();
        while let Some((name, behind)) = rest.split_once('=') {
            let behind = behind.trim_start();
            let (value, behind) = match behind.strip_prefix('"') {
                Some(quoted) => quoted_value(quoted)?,
                None => {
                    let (value, behind) = behind.split_at(behind.find(',').unwrap_or(behind.len()));
                    (value.trim().to_owned(), behind)
                }
            };
            match name.trim() {
                "realm" => challenge.realm = value,
                "service" => challenge.service = value,
                "scope" => challenge.scope = value,
                _ => {}
            }
            rest = behind.trim_start().trim_start_matches(',');
        }
        Some(challenge).filter(|it| !it.realm.is_empty())
    }

    /// Refuses realms that credentials must not go to.
    fn check(&self, registry: &Url) -> Result<Url, String> {
        let realm = &self.realm;
        let url = Url::parse(realm).map_err(|it| format!("failed to parse bearer realm {realm:?}: {it}"))?;
        match url.scheme.as_str() {
            "https" => {}
            "http" if registry.scheme == "http" => {}
            "http" => {
                return Err(format!(
                    "bearer realm {realm:?} uses http but registry was contacted over https"
                ));
            }
            scheme => return Err(format!("bearer realm {realm:?} uses unsupported scheme {scheme:?}")),
        }
        let host = String::from_utf8_lossy(url.host_and_port().0).into_owned();
        if url.host_and_port().0 != registry.host_and_port().0 && host.parse().is_ok_and(is_inside) {
            return Err(format!(
                "bearer realm host {host:?} is a loopback, link-local, private, or unspecified address"
            ));
        }
        Ok(url)
    }
}

/// Returns what stands before the closing quotation mark, and what stands behind it.
fn quoted_value(text: &str) -> Option<(String, &str)> {
    let mut value = String::new();
    let mut chars = text.char_indices();
    while let Some((at, it)) = chars.next() {
        match it {
            '"' => return Some((value, text.get(at + 1..)?)),
            '\\' => value.push(chars.next()?.1),
            _ => value.push(it),
        }
    }
    None
}

fn is_inside(address: IpAddr) -> bool {
    match address.to_canonical() {
        IpAddr::V4(it) => it.is_loopback() || it.is_private() || it.is_link_local() || it.is_unspecified(),
        IpAddr::V6(it) => {
            it.is_loopback() || it.is_unspecified() || it.is_unique_local() || it.is_unicast_link_local()
        }
    }
}

/// The token that was bought last, and for which repository.
#[derive(Default)]
pub(crate) struct Tokens(Mutex<Option<(String, Secret)>>);

impl Tokens {
    /// Returns the token for a repository, if there is one.
    pub(crate) fn kept(&self, repository: &str) -> Option<Secret> {
        let kept = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        kept.as_ref().filter(|it| it.0 == repository).map(|it| it.1.clone())
    }

    fn keep(&self, token: Option<(String, Secret)>) {
        *self.0.lock().unwrap_or_else(PoisonError::into_inner) = token;
    }

    /// Buys a token with the service's credentials, whatever was kept before.
    pub(crate) async fn fetch(
        &self,
        call: &Call<'_>,
        repository: &str,
        challenged: &HttpRequest,
        challenge: &Challenge,
    ) -> Result<Secret, FetchError> {
        self.keep(None);
        let told = |it: String| {
            FetchError::credentials(format!("{} \"{}\": {it}", challenged.method, challenged.url))
        };
        let realm = challenge.check(&challenged.url).map_err(told)?;
        let mut pairs = vec![("service", challenge.service.as_str()), ("scope", challenge.scope.as_str())];
        pairs.retain(|it| !it.1.is_empty());
        let (query, joint) = (form::encoded(&pairs), if realm.raw_query.is_empty() { "?" } else { "&" });
        let url = if query.is_empty() {
            challenge.realm.clone()
        } else {
            format!("{}{joint}{query}", challenge.realm)
        };
        let parsed = Url::parse(&url).map_err(told)?;
        let mut own = request("GET", parsed, headers_of(&call.inner.config, &[]));
        // Headers of the configuration are the registry's alone.
        own.headers.retain(|it| it.0 == "User-Agent");
        let authorization = call.authorize(&own).await?;
        own.headers.extend(authorization.headers);
        let errand = Errand { method: "GET", url, headers: own.headers, time: TIME, ..Errand::default() };
        let answer = call.inner.sender.errand(errand).await.map_err(told)?;
        if answer.status_code != 200 {
            return Err(told(format!("GET \"{}\": response status code {}", challenge.realm, answer.status)));
        }
        let token = token_of(&answer.body).map_err(told)?;
        self.keep(Some((repository.to_owned(), token.clone())));
        Ok(token)
    }
}

fn token_of(body: &[u8]) -> Result<Secret, String> {
    let answer = Answer::read(body)?;
    let fields = answer.fields("token")?;
    let (access, token) = (fields.secret("access_token")?, fields.secret("token")?);
    let found = [access, token].into_iter().find(|it| !it.is_empty());
    found.ok_or_else(|| "empty token returned".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn challenges_are_read() {
        let read = |text: &str| Challenge::parse(text).map(|it| [it.realm, it.service, it.scope]);
        let some = |it: [&str; 3]| Some(it.map(str::to_owned));
        let whole = r#"Bearer realm="https://a/t?x=1",service="r", scope="repository:a:pull,push""#;
        assert_eq!(read(whole), some(["https://a/t?x=1", "r", "repository:a:pull,push"]));
        assert_eq!(read(r#"bearer error=x , realm="a\"b""#), some(["a\"b", "", ""]));
        for text in ["Basic realm=\"a\"", "Bearer", "Bearer service=a", "Bearer realm=\"a", ""] {
            assert_eq!(read(text), None, "{text}");
        }
    }

    #[test]
    fn realms_are_checked() {
        let check = |registry: &str, realm: &str| {
            let registry = Url::parse(registry).expect("a URL");
            Challenge { realm: realm.to_owned(), ..Challenge::default() }.check(&registry).is_ok()
        };
        assert!(check("https://r", "https://auth.r/t"));
        assert!(check("http://127.0.0.1:1", "http://127.0.0.1:2/t"));
        for realm in [
            "http://auth.r/t",
            "ftp://r",
            "https://169.254.169.254/",
            "https://[::1]/",
            "https://10.0.0.1",
            "::",
        ] {
            assert!(!check("https://r", realm), "{realm}");
        }
        assert!(!check("http://r", "http://127.0.0.1/"));
    }
}
