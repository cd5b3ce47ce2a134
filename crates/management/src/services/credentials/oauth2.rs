//! `oauth2`: tokens of an authorization server, for a client's secret, for what it has signed, or for an assertion.
//!
//! A token is kept until shortly before it expires; of callers that need a new one, one fetches it and the others
//! wait. What is signed is in `jwt`. The token endpoint is trusted as the service is, and must speak TLS.

mod jwt;

use std::collections::BTreeMap;
use std::time::Duration;

use lictor::Value;
use tokio::sync::Mutex;

use crate::http::attempt::basic;
use crate::services::answer::Answer;
use crate::services::credentials::Authorization;
use crate::services::credentials::aws::{self, AwsSigning};
use crate::services::credentials::oauth2::jwt::Signer;
use crate::services::fault::FetchError;
use crate::services::fields::Fields;
use crate::services::form;
use crate::services::secret::Secret;
use crate::services::sender::{Errand, Sender};
use crate::services::world::{World, read_file};

/// A token that has less time left is not used any more.
const LIFE_MIN_NS: i64 = 10 * 1_000_000_000;
/// How long the token endpoint may take.
const TIME: Duration = Duration::from_secs(10);
/// No longer part of a refusal is told.
const TOLD_CHARS_MAX: usize = 1_000;

const ASSERTION_TYPE: &str = "urn:ietf:params:oauth:client-assertion-type:jwt-bearer";
const JWT_BEARER: &str = "urn:ietf:params:oauth:grant-type:jwt-bearer";

/// How a client gets tokens.
#[derive(Clone, Debug)]
pub(crate) struct OAuth2 {
    token_url: String,
    client_id: String,
    proof: Proof,
    scopes: Vec<String>,
    additional_headers: BTreeMap<String, Secret>,
    additional_parameters: BTreeMap<String, Secret>,
    /// How to ask Amazon's key service for signatures.
    kms: Option<Box<AwsSigning>>,
}

/// What a client proves itself with.
#[derive(Clone, Debug)]
enum Proof {
    /// The grant is the client's own; its secret goes into a header.
    ClientSecret(Secret),
    /// The grant is the client's own; it signs who it is.
    Signed(Signer),
    /// The grant is the client's own; another has signed who it is.
    Assertion { kind: String, text: Secret, path: String },
    /// The grant is what the client signs.
    Grant(Signer),
}

impl OAuth2 {
    /// Reads the credential; the inner fault is one that OPA tells when something is sent.
    pub(crate) fn read(fields: &Fields<'_>, keys: Option<Value<'_>>) -> Result<Result<Self, String>, String> {
        let given = Given::read(fields)?;
        let scopes = fields.texts("scopes")?;
        let token_url = fields.text("token_url")?;
        let client_id = fields.text("client_id")?;
        let (additional_headers, additional_parameters) =
            (fields.map("additional_headers")?, fields.map("additional_parameters")?);
        let signer = Signer::read(fields, keys, &scopes)?;
        let kms = match fields.below("aws_signing", "awsSigningAuthPlugin")? {
            Some(signing) if given.has_kms => AwsSigning::read(&signing, false)?.map(Box::new).map(Some),
            _ => Ok(None),
        };
        let proof = given.proof(signer, &token_url, &client_id);
        let complete = |(proof, kms)| Self {
            token_url,
            client_id,
            proof,
            scopes,
            additional_headers,
            additional_parameters,
            kms,
        };
        Ok(proof.and_then(|proof| Ok((proof, kms?))).map(complete))
    }

    /// Asks for a token.
    async fn fetch(
        &self,
        sender: &Sender,
        kms: Option<&aws::Signer>,
        world: &World,
    ) -> Result<Token, String> {
        let now_ns = (world.clock)();
        let body = self.body(kms, world, now_ns).await?;
        let mut headers = vec![("Content-Type".to_owned(), "application/x-www-form-urlencoded".to_owned())];
        if let Proof::ClientSecret(secret) = &self.proof {
            let value = basic(self.client_id.as_bytes(), secret.expose().as_bytes());
            headers.push(("Authorization".to_owned(), value));
        }
        headers.extend(self.additional_headers.iter().map(|it| (it.0.clone(), it.1.expose().to_owned())));
        let (url, body) = (self.token_url.clone(), body.into_bytes());
        let answer = sender.errand(Errand { method: "POST", url, headers, body, time: TIME }).await?;
        if answer.status_code != 200 {
            let told = self.without_secrets(&String::from_utf8_lossy(&answer.body));
            return Err(format!("error in response from OAuth2 token endpoint: {told}"));
        }
        let answer = Answer::read(&answer.body)?;
        let fields = answer.fields("tokenEndpointResponse")?;
        let token = fields.secret("access_token")?;
        let seconds = fields.whole("expires_in")?.unwrap_or(0);
        if !fields.text("token_type")?.eq_ignore_ascii_case("bearer") {
            return Err("unknown token type returned from token endpoint".to_owned());
        }
        if token.expose().trim().is_empty() {
            return Err("empty token returned from token endpoint".to_owned());
        }
        let expires_ns = now_ns.saturating_add(seconds.saturating_mul(1_000_000_000));
        Ok(Token { token: Secret::new(token.expose().trim().to_owned()), expires_ns })
    }

    /// Returns the form that asks for a token.
    async fn body(&self, kms: Option<&aws::Signer>, world: &World, now_ns: i64) -> Result<String, String> {
        let scope = self.scopes.join(" ");
        let mut pairs = BTreeMap::new();
        if !scope.is_empty() {
            pairs.insert("scope", scope);
        }
        pairs.extend(self.additional_parameters.iter().map(|it| (it.0.as_str(), it.1.expose().to_owned())));
        let grant = match &self.proof {
            Proof::Grant(signer) => {
                pairs.insert("assertion", signer.sign(kms, world, now_ns).await?);
                JWT_BEARER
            }
            Proof::ClientSecret(_) => "client_credentials",
            Proof::Signed(signer) => {
                self.assert(&mut pairs, ASSERTION_TYPE, signer.sign(kms, world, now_ns).await?);
                "client_credentials"
            }
            Proof::Assertion { kind, text, path } if path.is_empty() => {
                self.assert(&mut pairs, kind, text.expose().to_owned());
                "client_credentials"
            }
            Proof::Assertion { kind, path, .. } => {
                let read = read_file(path).await?;
                self.assert(&mut pairs, kind, String::from_utf8_lossy(&read).trim().to_owned());
                "client_credentials"
            }
        };
        pairs.insert("grant_type", grant.to_owned());
        Ok(form::encoded(&pairs.iter().map(|it| (*it.0, it.1.as_str())).collect::<Vec<_>>()))
    }

    fn assert<'a>(&'a self, pairs: &mut BTreeMap<&'a str, String>, kind: &str, assertion: String) {
        if !self.client_id.is_empty() {
            pairs.insert("client_id", self.client_id.clone());
        }
        pairs.insert("client_assertion_type", kind.to_owned());
        pairs.insert("client_assertion", assertion);
    }

    /// Takes out of a text what a server may have sent back.
    fn without_secrets(&self, text: &str) -> String {
        let mut text = text.to_owned();
        let own = match &self.proof {
            Proof::ClientSecret(secret) | Proof::Assertion { text: secret, .. } => Some(secret),
            Proof::Signed(_) | Proof::Grant(_) => None,
        };
        let others = self.additional_headers.values().chain(self.additional_parameters.values());
        for secret in own.into_iter().chain(others).filter(|it| !it.is_empty()) {
            text = text.replace(secret.expose(), "***");
        }
        text.chars().take(TOLD_CHARS_MAX).collect()
    }
}

/// What a configuration gives as proof, before it is known to fit.
struct Given {
    grant_type: String,
    secret: Secret,
    assertion_type: String,
    assertion: Secret,
    assertion_path: String,
    has_signing_key: bool,
    has_kms: bool,
    has_aws_signing: bool,
    has_vault: bool,
}

impl Given {
    fn read(fields: &Fields<'_>) -> Result<Self, String> {
        Ok(Self {
            grant_type: fields.text("grant_type")?,
            secret: fields.secret("client_secret")?,
            assertion_type: fields.text("client_assertion_type")?,
            assertion: fields.secret("client_assertion")?,
            assertion_path: fields.text("client_assertion_path")?,
            has_signing_key: !fields.text("signing_key")?.is_empty(),
            has_kms: fields.below("aws_kms", "awsKmsKeyConfig")?.is_some(),
            has_aws_signing: fields.below("aws_signing", "awsSigningAuthPlugin")?.is_some(),
            has_vault: fields.below("azure_keyvault", "azureKeyVaultConfig")?.is_some(),
        })
    }

    /// Returns the one proof that was given.
    fn proof(
        self,
        signer: Result<Signer, String>,
        token_url: &str,
        client_id: &str,
    ) -> Result<Proof, String> {
        let is_jwt_bearer = match self.grant_type.as_str() {
            "" | "client_credentials" => false,
            "jwt_bearer" => true,
            _ => return Err("grant_type must be either client_credentials or jwt_bearer".to_owned()),
        };
        let needs_key = is_jwt_bearer || self.has_signing_key;
        if is_jwt_bearer && !self.has_signing_key {
            return Err("signing_key required for jwt_bearer grant type".to_owned());
        }
        let signer = if needs_key { Ok(signer?) } else { signer };
        if !token_url.starts_with("https://") {
            return Err("token_url required to use https scheme".to_owned());
        }
        if is_jwt_bearer { signer.map(Proof::Grant) } else { self.own_proof(signer, client_id) }
    }

    fn own_proof(self, signer: Result<Signer, String>, client_id: &str) -> Result<Proof, String> {
        const KINDS: &str =
            "client_secret, signing_key, aws_kms, azure_keyvault, client_assertion, or client_assertion_path";
        let given = [
            !self.secret.is_empty(),
            self.has_signing_key,
            self.has_kms,
            self.has_vault,
            !self.assertion.is_empty(),
            !self.assertion_path.is_empty(),
        ];
        match given.iter().filter(|it| **it).count() {
            0 => return Err(format!("please provide one of {KINDS} required")),
            1 => {}
            _ => return Err(format!("can only use one of {KINDS}")),
        }
        let needed = match given {
            [true, ..] => "client_secret",
            [_, _, true, ..] if !self.has_aws_signing => {
                return Err("aws_kms and aws_signing required".to_owned());
            }
            [_, true, ..] | [_, _, true, ..] => return signer.map(Proof::Signed),
            [_, _, _, true, ..] => {
                return Err("azure_keyvault is not supported by this version of lictor".to_owned());
            }
            [_, _, _, _, true, _] => "client_assertion",
            _ => "client_assertion_path",
        };
        if client_id.is_empty() {
            return Err(format!("client_id and {needed} required"));
        }
        if !self.secret.is_empty() {
            return Ok(Proof::ClientSecret(self.secret));
        }
        let kind =
            if self.assertion_type.is_empty() { ASSERTION_TYPE.to_owned() } else { self.assertion_type };
        Ok(Proof::Assertion { kind, text: self.assertion, path: self.assertion_path })
    }
}

/// A token and until when it holds.
struct Token {
    token: Secret,
    expires_ns: i64,
}

/// The credential with what it fetched.
pub(crate) struct Tokens {
    oauth2: OAuth2,
    sender: Sender,
    kms: Option<aws::Signer>,
    kept: Mutex<Option<Token>>,
}

impl Tokens {
    pub(crate) fn new(oauth2: OAuth2, sender: Sender, world: &World) -> Self {
        let kms = oauth2.kms.clone().map(|it| aws::Signer::new(*it, "", world));
        Self { oauth2, sender, kms, kept: Mutex::default() }
    }

    pub(crate) async fn authorize(&self, world: &World) -> Result<Authorization, FetchError> {
        // Whoever needs a new token fetches it while others wait here for it.
        let mut kept = self.kept.lock().await;
        let now_ns = (world.clock)();
        if kept.as_ref().is_none_or(|it| it.expires_ns.saturating_sub(now_ns) < LIFE_MIN_NS) {
            *kept = None;
            *kept = Some(
                self.oauth2
                    .fetch(&self.sender, self.kms.as_ref(), world)
                    .await
                    .map_err(FetchError::credentials)?,
            );
        }
        let token = kept.as_ref().map_or("", |it| it.token.expose());
        Ok(Authorization::header(format!("Bearer {token}")))
    }
}
