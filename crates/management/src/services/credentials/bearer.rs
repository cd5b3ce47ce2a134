//! `bearer`: a token in a header, from the configuration or from a file.
//!
//! A file is read for every request, because whoever writes it replaces it before it expires. For registries the
//! token is encoded as they expect names and passwords.

use lictor_crypto::base64::{Alphabet, Fill, encode};

use crate::services::credentials::Authorization;
use crate::services::fault::FetchError;
use crate::services::fields::Fields;
use crate::services::secret::Secret;
use crate::services::world::read_file;

/// A token, or where it is.
#[derive(Clone, Debug)]
pub(crate) struct Bearer {
    token: Secret,
    token_path: String,
    scheme: String,
    /// Whether the token is sent in base64.
    is_encoded: bool,
}

impl Bearer {
    /// Reads the credential; the inner fault is one that OPA tells when something is sent.
    pub(crate) fn read(fields: &Fields<'_>, is_oci: bool) -> Result<Result<Self, String>, String> {
        let (token, token_path) = (fields.secret("token")?, fields.text("token_path")?);
        let mut scheme = fields.text("scheme")?;
        if scheme.is_empty() {
            "Bearer".clone_into(&mut scheme);
        }
        if !token.is_empty() && !token_path.is_empty() {
            let text =
                "invalid config: specify a value for either the \"token\" or \"token_path\" field".to_owned();
            return Ok(Err(text));
        }
        Ok(Ok(Self { token, token_path, scheme, is_encoded: is_oci }))
    }

    pub(crate) async fn authorize(&self) -> Result<Authorization, FetchError> {
        let read;
        let mut token = self.token.expose();
        if !self.token_path.is_empty() {
            let bytes = read_file(&self.token_path).await.map_err(FetchError::credentials)?;
            read = String::from_utf8_lossy(&bytes).into_owned();
            token = read.trim();
        }
        let encoded;
        if self.is_encoded {
            encoded = encode(token.as_bytes(), Alphabet::Standard, Fill::Padded);
            token = &encoded;
        }
        Ok(Authorization::header(format!("{} {token}", self.scheme)))
    }
}
