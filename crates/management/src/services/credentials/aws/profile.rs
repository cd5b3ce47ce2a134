//! Access keys of a profile in the credentials file of Amazon's tools.
//!
//! The file is read for each request: whoever writes it replaces keys before they end. Of its format sections and
//! pairs are read, which is all that the tools write.

use crate::services::credentials::aws::{Keys, region};
use crate::services::fields::Fields;
use crate::services::world::{World, read_file};
use lictor::http::sigv4::Credentials;

/// A profile and where it is.
#[derive(Clone, Debug)]
pub(super) struct Profile {
    path: String,
    profile: String,
    region: String,
}

impl Profile {
    pub(super) fn read(fields: &Fields<'_>) -> Result<Self, String> {
        Ok(Self {
            path: fields.text("path")?,
            profile: fields.text("profile")?,
            region: fields.text("aws_region")?,
        })
    }

    pub(super) async fn keys(&self, world: &World) -> Result<Keys, String> {
        let path = self.path(world)?;
        let variable = (world.environment)("AWS_PROFILE").filter(|it| !it.is_empty());
        let configured = Some(self.profile.clone()).filter(|it| !it.is_empty());
        let profile = configured.or(variable).unwrap_or_else(|| "default".to_owned());
        let file = read_file(&path).await.map_err(|it| format!("failed to read credentials file: {it}"))?;
        let text = String::from_utf8_lossy(&file);
        let section = section(&text, &profile)
            .ok_or_else(|| format!("failed to get profile: section {profile:?} does not exist"))?;
        let value = |name: &str| section.iter().rev().find(|it| it.0 == name).map_or("", |it| it.1);
        let needed = |name: &str| match value(name) {
            "" => {
                Err(format!("profile \"{profile}\" in credentials file {path} does not contain \"{name}\""))
            }
            found => Ok(found.to_owned()),
        };
        let credentials = Credentials {
            access_key: needed("aws_access_key_id")?,
            secret_key: needed("aws_secret_access_key")?,
            session_token: value("aws_session_token").to_owned(),
            region: region(&self.region, world)?,
        };
        Ok(Keys { credentials, expires_ns: None })
    }

    fn path(&self, world: &World) -> Result<String, String> {
        let variable = |name: &str| (world.environment)(name).filter(|it| !it.is_empty());
        if !self.path.is_empty() {
            return Ok(self.path.clone());
        }
        if let Some(path) = variable("AWS_SHARED_CREDENTIALS_FILE") {
            return Ok(path);
        }
        let home = variable("HOME").ok_or("user home directory not found: $HOME is not defined")?;
        Ok(format!("{home}/.aws/credentials"))
    }
}

/// Returns the pairs of a section, if it is there.
fn section<'a>(text: &'a str, name: &str) -> Option<Vec<(&'a str, &'a str)>> {
    let mut pairs = None;
    let mut is_inside = false;
    for line in text.lines().map(str::trim) {
        if let Some(found) = line.strip_prefix('[').and_then(|it| it.strip_suffix(']')) {
            is_inside = found.trim() == name;
            if is_inside {
                pairs.get_or_insert_with(Vec::new);
            }
        } else if is_inside
            && !line.starts_with(['#', ';'])
            && let Some((key, value)) = line.split_once('=')
            && let Some(pairs) = &mut pairs
        {
            pairs.push((key.trim(), value.trim()));
        }
    }
    pairs
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sections_are_found() {
        let text = "x = 0\n[a]\nx = 1\n# x = 2\n[ b ]\nx=3 = 4\n; y\n[a]\ny =5\n[c]";
        assert_eq!(section(text, "a"), Some(vec![("x", "1"), ("y", "5")]));
        assert_eq!(section(text, "b"), Some(vec![("x", "3 = 4")]));
        assert_eq!(section(text, "c"), Some(vec![]));
        assert_eq!(section(text, "d"), None);
    }
}
