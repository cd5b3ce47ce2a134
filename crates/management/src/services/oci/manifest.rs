//! What manifests say: the layers of an image, or the manifests of an index.
//!
//! Of either only descriptors are read. A manifest with layers is an image, whatever it calls itself, as in OPA.

use lictor::{Object, Value, json};

use crate::services::oci::Digest;

/// The kind of the layer that is a bundle.
pub(crate) const LAYER: &str = "application/vnd.oci.image.layer.v1.tar+gzip";

/// What names a part of a registry.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Descriptor {
    pub(crate) media_type: String,
    pub(crate) digest: Digest,
    /// How many bytes it has, if that was told.
    pub(crate) size: Option<u64>,
}

/// A manifest.
#[derive(PartialEq, Eq, Debug)]
pub(crate) enum Manifest {
    /// Layers.
    Image(Vec<Descriptor>),
    /// Other manifests, without those that only tell of others.
    Index(Vec<Descriptor>),
}

impl Manifest {
    /// Reads a manifest.
    ///
    /// # Errors
    ///
    /// What is wrong with it.
    pub(crate) fn read(body: &[u8]) -> Result<Self, String> {
        let unread = |it: String| format!("unable to unmarshal manifest: {it}");
        let document = json::read_document(body).map_err(|_| unread("no valid JSON".to_owned()))?;
        let root = document.root().as_object().ok_or_else(|| unread("no object".to_owned()))?;
        let layers = descriptors(root, "layers").map_err(unread)?;
        if !layers.is_empty() {
            return Ok(Self::Image(layers.into_iter().map(|it| it.0).collect()));
        }
        let manifests = descriptors(root, "manifests").map_err(unread)?;
        if manifests.is_empty() {
            return Err("no layers in manifest".to_owned());
        }
        let telling = manifests.into_iter().filter(|it| !is_unknown(it.1));
        Ok(Self::Index(telling.map(|it| it.0).collect()))
    }
}

fn descriptors<'e>(object: Object<'e>, name: &str) -> Result<Vec<(Descriptor, Object<'e>)>, String> {
    let Some(list) = object.get_str(name).filter(|it| !it.is_null()) else { return Ok(Vec::new()) };
    let list = list.as_array().ok_or_else(|| format!("{name} is no list"))?;
    list.iter().map(|it| descriptor(it).map_err(|fault| format!("{name}: {fault}"))).collect()
}

fn descriptor(value: Value<'_>) -> Result<(Descriptor, Object<'_>), String> {
    let object = value.as_object().ok_or("no descriptor")?;
    let digest = Digest::parse(&text(object, "digest"))?;
    let size = object.get_str("size").and_then(|it| it.as_i64());
    let size = size.map(|it| u64::try_from(it).map_err(|_| "negative size")).transpose()?;
    Ok((Descriptor { media_type: text(object, "mediaType"), digest, size }, object))
}

fn text(object: Object<'_>, name: &str) -> String {
    object.get_str(name).and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default()
}

/// Says whether a manifest of an index is for no platform: those tell how others were made.
fn is_unknown(entry: Object<'_>) -> bool {
    let platform = entry.get_str("platform").and_then(|it| it.as_object());
    platform.is_some_and(|it| text(it, "os") == "unknown" && text(it, "architecture") == "unknown")
}
