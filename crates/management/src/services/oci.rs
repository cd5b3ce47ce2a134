//! Bundles in registries of OCI artifacts: from a reference to the layer that is the bundle.
//!
//! A tag is resolved, the manifest of its digest read (of an index, the first that has a bundle), and the layer's
//! bytes are handed on while they arrive. What is fetched by a digest is checked against it. The manifest that was
//! read last is remembered, so that asking for what has not changed is one small request. Tokens are in `token`,
//! names in `reference`, what manifests say in `manifest`.

mod digest;
mod manifest;
mod reference;
mod token;

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use lictor::http::Url;

use crate::http::attempt::Opened;
use crate::services::credentials::Authorization;
use crate::services::fault::{FetchError, FetchErrorKind};
use crate::services::oci::manifest::{Descriptor, LAYER, Manifest};
use crate::services::oci::reference::Reference;
use crate::services::oci::token::Tokens;
use crate::services::response::Response;
use crate::services::sender::request;
use crate::services::{Call, headers_of};

pub(crate) use digest::{Check, Digest};

/// What manifests may be.
const MANIFESTS: &str = "application/vnd.oci.image.manifest.v1+json, application/vnd.oci.image.index.v1+json, \
                         application/vnd.docker.distribution.manifest.v2+json, \
                         application/vnd.docker.distribution.manifest.list.v2+json, */*";
/// No manifest is larger.
const MANIFEST_BYTES_MAX: u64 = 4 << 20;
/// How deep an index may stand in others.
const INDEX_DEPTH_MAX: usize = 4;
/// How many manifests of an index are looked into.
const MANIFESTS_MAX: usize = 100;

/// What is remembered of a registry.
#[derive(Default)]
pub(crate) struct Registry {
    tokens: Tokens,
    last: Mutex<Option<Resolved>>,
}

/// What a manifest said.
#[derive(Clone)]
struct Resolved {
    repository: String,
    manifest: Digest,
    layer: Descriptor,
}

/// Gets the bundle that a reference names; if it is the one of this digest, the answer is 304.
pub(crate) async fn pull(call: &Call<'_>, text: &str, known: Option<&str>) -> Result<Response, FetchError> {
    let failed = |it: FetchError| it.within(&format!("failed to pull {text}"));
    let refused = |it: String| {
        let text = format!("invalid host url {}: {it}", call.inner.config.url());
        failed(FetchError::configuration(text))
    };
    if let Some(fault) = call.inner.credential.fault() {
        return Err(refused(format!("failed to create auth client: {fault}")));
    }
    let reference =
        Reference::parse(text).map_err(|it| refused(format!("failed to parse reference: {it}")))?;
    let pull = Pull { call, reference, text };
    let layer = pull.layer().await.map_err(failed)?;
    let etag = layer.digest.hex().to_owned();
    let mut known = known.unwrap_or_default().split(',').map(|it| it.trim().trim_matches('"'));
    if known.any(|it| it == etag) {
        return Ok(Response::unchanged(&etag));
    }
    pull.blob(&layer, &etag).await.map_err(failed)
}

/// One download.
struct Pull<'a> {
    call: &'a Call<'a>,
    reference: Reference,
    text: &'a str,
}

impl Pull<'_> {
    /// Returns the layer that is the bundle.
    async fn layer(&self) -> Result<Descriptor, FetchError> {
        let manifest = self.resolve().await.map_err(|it| self.copying(it, "Resolve"))?;
        let remembered = &self.call.inner.registry.last;
        let last = remembered.lock().unwrap_or_else(PoisonError::into_inner).clone();
        let repository = &self.reference.repository;
        if let Some(last) = last.filter(|it| it.repository == *repository && it.manifest == manifest.digest) {
            return Ok(last.layer);
        }
        let layer = self.find_layer(manifest.clone()).await?;
        let found =
            Resolved { repository: repository.clone(), manifest: manifest.digest, layer: layer.clone() };
        *remembered.lock().unwrap_or_else(PoisonError::into_inner) = Some(found);
        Ok(layer)
    }

    fn copying(&self, error: FetchError, what: &str) -> FetchError {
        error.within(&format!("download for '{}' failed: failed to perform {what:?} on source", self.text))
    }

    /// Asks which manifest the reference means now.
    async fn resolve(&self) -> Result<Descriptor, FetchError> {
        let opened = self.ask("HEAD", &format!("manifests/{}", self.reference.reference), MANIFESTS).await?;
        let header = |name: &str| opened.response.headers().get(name).and_then(|it| it.to_str().ok());
        let digest = header("docker-content-digest").unwrap_or_default();
        if digest.is_empty() {
            return Err(content("missing Docker-Content-Digest header in response"));
        }
        let digest =
            Digest::parse(digest).map_err(|it| content(format!("invalid digest {digest:?}: {it}")))?;
        if self.reference.reference.contains(':') && self.reference.reference != digest.to_string() {
            let asked = &self.reference.reference;
            return Err(content(format!("mismatched digest: asked for {asked}, got {digest}")));
        }
        let media_type = header("content-type").unwrap_or_default().to_owned();
        Ok(Descriptor { media_type, digest, size: None })
    }

    /// Looks for the bundle in a manifest, or in those of an index.
    async fn find_layer(&self, first: Descriptor) -> Result<Descriptor, FetchError> {
        let mut seen = BTreeSet::from([first.digest.to_string()]);
        let root = first.digest.clone();
        // The next one to look into is the last of the list.
        let mut open = vec![(first, 0)];
        let mut fault = None;
        while let Some((descriptor, depth)) = open.pop() {
            match self.manifest(&descriptor).await? {
                Manifest::Image(layers) => match layers.into_iter().find(|it| it.media_type == LAYER) {
                    Some(layer) => return Ok(layer),
                    None if depth == 0 => return Err(content("no tarball descriptor found in the layers")),
                    None => {}
                },
                Manifest::Index(_) if depth >= INDEX_DEPTH_MAX => {
                    let digest = &descriptor.digest;
                    let text =
                        format!("image index \"{digest}\" is nested more than {INDEX_DEPTH_MAX} levels deep");
                    fault = Some(content(text));
                }
                Manifest::Index(entries) => {
                    let new = entries.into_iter().filter(|it| seen.insert(it.digest.to_string()));
                    let mut new: Vec<_> = new.map(|it| (it, depth + 1)).collect();
                    new.reverse();
                    open.extend(new);
                }
            }
            if seen.len() > MANIFESTS_MAX {
                return Err(content(format!(
                    "image index \"{root}\" has more than {MANIFESTS_MAX} manifests"
                )));
            }
        }
        let none = || content(format!("no manifest in image index \"{root}\" contains a {LAYER} layer"));
        Err(fault.unwrap_or_else(none))
    }

    async fn manifest(&self, descriptor: &Descriptor) -> Result<Manifest, FetchError> {
        let fetching = |it| self.copying(it, "Fetch");
        let path = format!("manifests/{}", descriptor.digest);
        let opened = self.ask("GET", &path, &descriptor.media_type).await.map_err(fetching)?;
        let mut limits = self.call.limits.clone();
        limits.body_bytes_max = MANIFEST_BYTES_MAX;
        let check = Check::new(&descriptor.digest, descriptor.size);
        let mut response = Response::new(opened, &limits, self.call.deadline).checked(check);
        let body = response.bytes().await.map_err(fetching)?;
        Manifest::read(&body).map_err(content)
    }

    /// Opens the bytes of a layer; they are checked while they are read.
    async fn blob(&self, layer: &Descriptor, etag: &str) -> Result<Response, FetchError> {
        let bytes_max = self.call.limits.body_bytes_max;
        if let Some(size) = layer.size.filter(|it| *it > bytes_max) {
            let text = format!("the layer has {size} bytes, limit is {bytes_max}");
            return Err(FetchError::new(FetchErrorKind::TooLarge, text));
        }
        let opened = self.ask("GET", &format!("blobs/{}", layer.digest), "").await;
        let opened = opened.map_err(|it| self.copying(it, "Fetch"))?;
        let check = Check::new(&layer.digest, layer.size);
        Ok(Response::new(opened, self.call.limits, self.call.deadline).checked(check).with_etag(etag))
    }

    /// Asks the registry, with a token if it wants one.
    async fn ask(&self, method: &str, path: &str, accept: &str) -> Result<Opened, FetchError> {
        let config = &self.call.inner.config;
        let base = Url::parse(config.url()).map_err(FetchError::configuration)?;
        let scheme = if base.scheme == "http" { "http" } else { "https" };
        let host = String::from_utf8_lossy(&base.host);
        let url = format!("{scheme}://{host}/v2/{}/{path}", self.reference.repository);
        let parsed = Url::parse(&url).map_err(FetchError::configuration)?;
        // Bytes that are checked must arrive as they are kept.
        let headers = [("Accept", accept), ("Accept-Encoding", "identity")];
        let headers: Vec<_> = headers.into_iter().filter(|it| !it.1.is_empty()).collect();
        let unsigned = request(method, parsed, headers_of(config, &headers));
        let tokens = &self.call.inner.registry.tokens;
        let authorization = match tokens.kept(&self.reference.repository) {
            Some(token) => Authorization::header(format!("Bearer {}", token.expose())),
            None => self.call.authorize(&unsigned).await?,
        };
        let mut opened = self.call.open(unsigned.clone(), authorization).await?;
        if opened.response.status() == 401 && !opened.is_redirected {
            let challenge = opened.response.headers().get("www-authenticate").and_then(|it| it.to_str().ok());
            if let Some(challenge) = challenge.and_then(token::Challenge::parse) {
                let token =
                    tokens.fetch(self.call, &self.reference.repository, &unsigned, &challenge).await?;
                let authorization = Authorization::header(format!("Bearer {}", token.expose()));
                opened = self.call.open(unsigned, authorization).await?;
            }
        }
        let status = opened.response.status();
        if status != 200 {
            let words = status.canonical_reason().unwrap_or_default();
            let text = format!("{method} {url}: {} {words}", status.as_u16());
            return Err(FetchError::new(FetchErrorKind::Network, text.trim_end()));
        }
        Ok(opened)
    }
}

fn content(text: impl Into<String>) -> FetchError {
    FetchError::new(FetchErrorKind::Content, text)
}
