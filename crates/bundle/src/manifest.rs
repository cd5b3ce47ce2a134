//! The `.manifest` member: revision, roots, language versions, wasm entrypoints and free metadata.
//!
//! Absent and `null` fields take their defaults, unknown ones are ignored, and the names of fields match in any
//! case, as OPA has them. Texts of faults are OPA's.

use std::collections::BTreeMap;

use lictor_value::{Arena, Document, DocumentBuilder, Part, Value, json};

use crate::error::{BundleError, BundleErrorKind};
use crate::fields::Fields;
use crate::glob;
use crate::roots::Roots;

/// Is what a bundle says of itself.
#[derive(Clone, Debug, Default)]
pub struct Manifest {
    /// The bundle's own word for its state.
    pub revision: String,
    /// What the bundle owns.
    pub roots: Roots,
    /// Rego's version for modules that no pattern names: 0, 1 or 2.
    pub rego_version: Option<u8>,
    /// Rego's version by patterns on paths in the bundle, in the order of the patterns.
    pub file_rego_versions: BTreeMap<String, u8>,
    /// Entrypoints that a wasm module answers.
    pub wasm: Vec<WasmEntry>,
    /// Free data about the bundle.
    pub metadata: Option<Document>,
}

/// Says which wasm module answers an entrypoint.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct WasmEntry {
    /// Path of the entrypoint below `data`, with slashes.
    pub entrypoint: String,
    /// Name of the member that holds the module.
    pub module: String,
}

impl WasmEntry {
    fn part(&self, builder: &mut DocumentBuilder) -> Part {
        let pairs = vec![
            (builder.string("entrypoint"), builder.string(&self.entrypoint)),
            (builder.string("module"), builder.string(&self.module)),
        ];
        builder.object(&pairs)
    }
}

impl Manifest {
    /// Reads a manifest; whatever follows the JSON object is ignored.
    ///
    /// # Errors
    ///
    /// The text is no JSON object, or a field is of the wrong type, or the roots or versions cannot be.
    pub fn read(bytes: &[u8]) -> Result<Self, BundleError> {
        let arena = Arena::new();
        let value = json::read_first(bytes, &arena).map_err(|it| decode_error(&it.to_string()))?;
        let fields = Fields::new(value, "Manifest").map_err(|it| decode_error(&it))?;
        let mut manifest = Self::of_fields(&fields).map_err(|it| decode_error(&it))?;
        if let Some(version) = fields.integer("rego_version", "int").map_err(|it| decode_error(&it))? {
            manifest.rego_version = Some(checked_version(version, None)?);
        }
        manifest.file_rego_versions = file_versions(&fields)?;
        manifest.check_roots()?;
        Ok(manifest)
    }

    /// Reads what can only be of a wrong type.
    fn of_fields(fields: &Fields<'_>) -> Result<Self, String> {
        let mut manifest = Self { revision: fields.text("revision")?, ..Self::default() };
        if let Some(roots) = fields.texts("roots")? {
            manifest.roots = Roots::new(&roots);
        }
        for entry in fields.items("wasm", "WasmResolver", "wasm.")? {
            let (entrypoint, module) = (entry.text("entrypoint")?, entry.text("module")?);
            manifest.wasm.push(WasmEntry { entrypoint, module });
        }
        if let Some(metadata) = fields.get("metadata") {
            if metadata.as_object().is_none() {
                return Err(fields.mismatch(metadata, "metadata", "map[string]interface {}"));
            }
            manifest.metadata = Some(Document::from_value(metadata));
        }
        Ok(manifest)
    }

    /// Returns the manifest as a document, as policies see it in `data.system.bundles`.
    #[must_use]
    pub fn document(&self) -> Document {
        let mut builder = DocumentBuilder::new();
        let roots: Vec<Part> = self.roots.as_slice().iter().map(|it| builder.string(it)).collect();
        let mut pairs = vec![
            (builder.string("revision"), builder.string(&self.revision)),
            (builder.string("roots"), builder.array(&roots)),
        ];
        if let Some(version) = self.rego_version {
            pairs.push((builder.string("rego_version"), builder.number(&version.to_string())));
        }
        if !self.file_rego_versions.is_empty() {
            let versions = self.file_rego_versions.iter();
            let versions: Vec<(Part, Part)> =
                versions.map(|it| (builder.string(it.0), builder.number(&it.1.to_string()))).collect();
            pairs.push((builder.string("file_rego_versions"), builder.object(&versions)));
        }
        if !self.wasm.is_empty() {
            let entries: Vec<Part> = self.wasm.iter().map(|it| it.part(&mut builder)).collect();
            pairs.push((builder.string("wasm"), builder.array(&entries)));
        }
        if let Some(metadata) = &self.metadata {
            pairs.push((builder.string("metadata"), builder.copy(metadata.root())));
        }
        let root = builder.object(&pairs);
        builder.finish(root)
    }

    /// Returns the text of the member, field by field as OPA writes it.
    #[must_use]
    pub fn to_member(&self) -> Vec<u8> {
        let document = self.document();
        let object = document.root().as_object();
        let mut out = b"{".to_vec();
        for name in ["revision", "roots", "wasm", "rego_version", "file_rego_versions", "metadata"] {
            let Some(value) = object.and_then(|it| it.get_str(name)) else { continue };
            if out.len() > 1 {
                out.push(b',');
            }
            out.extend_from_slice(format!("\"{name}\":").as_bytes());
            value.write_json(&mut out);
        }
        out.extend_from_slice(b"}\n");
        out
    }

    /// Makes one manifest of several bundles' manifests: all that they own. What each says of itself is left out, and
    /// versions of modules are the caller's to say.
    ///
    /// # Errors
    ///
    /// Two bundles own the same, or the same wasm entrypoint.
    pub fn merged(manifests: &[&Self]) -> Result<Self, BundleError> {
        let roots: Vec<String> = manifests.iter().flat_map(|it| it.roots.as_slice()).cloned().collect();
        let wasm: Vec<WasmEntry> = manifests.iter().flat_map(|it| &it.wasm).cloned().collect();
        let modules: Vec<String> = wasm.iter().map(|it| it.module.clone()).collect();
        let merged = Self { roots: Roots::new(&roots), wasm, ..Self::default() };
        merged.check_roots()?;
        merged.check_wasm(&modules)?;
        Ok(merged)
    }

    /// Returns Rego's version for a module by its path in the bundle; `None` leaves it to the caller.
    #[must_use]
    pub fn version_of(&self, path: &str) -> Option<u8> {
        let named = self.file_rego_versions.iter().find(|it| glob::matches(it.0, path));
        named.map(|it| *it.1).or(self.rego_version)
    }

    /// Refuses a module's package that the roots do not own. `package` is its path below `data`, `shown` its
    /// text and `module` the module's name.
    ///
    /// # Errors
    ///
    /// No root owns the package.
    pub fn check_package(&self, package: &[&str], shown: &str, module: &str) -> Result<(), BundleError> {
        if self.roots.contain(package) {
            return Ok(());
        }
        let roots = &self.roots;
        let message = format!("manifest roots {roots} do not permit 'package {shown}' in module '{module}'");
        Err(BundleError::new(BundleErrorKind::Roots, message))
    }

    /// Refuses a data file with anything outside of the roots.
    ///
    /// # Errors
    ///
    /// Something in it is outside.
    pub fn check_data(&self, path: &[String], value: Value<'_>) -> Result<(), BundleError> {
        let path: Vec<&str> = path.iter().map(String::as_str).collect();
        let Some(outside) = self.roots.first_outside(&path, value) else {
            return Ok(());
        };
        let roots = &self.roots;
        let message = format!(
            "manifest roots {roots} do not permit data at path '/{outside}' (hint: check bundle directory structure)"
        );
        Err(BundleError::new(BundleErrorKind::Roots, message))
    }

    /// Refuses an operation of a delta outside of the roots.
    pub(crate) fn check_patch(&self, path: &str) -> Result<(), BundleError> {
        let path = path.trim_matches('/');
        if self.roots.contain_encoded(path) {
            return Ok(());
        }
        let roots = &self.roots;
        let message = format!("manifest roots {roots} do not permit data patch at path '{path}'");
        Err(BundleError::new(BundleErrorKind::Roots, message))
    }

    /// Refuses a delta that owns something else than the bundle of the same name that is active.
    ///
    /// # Errors
    ///
    /// Roots or wasm entrypoints differ.
    pub fn check_delta(&self, name: &str, active: &Self) -> Result<(), BundleError> {
        if self.wasm == active.wasm && self.roots.are_those_of(&active.roots) {
            return Ok(());
        }
        let message = format!(
            "delta bundle '{name}' has wasm resolvers or manifest roots that are different from those in the store"
        );
        Err(BundleError::new(BundleErrorKind::Roots, message))
    }

    /// Refuses entrypoints of wasm modules that are not there, or that the roots do not own.
    pub(crate) fn check_wasm(&self, modules: &[String]) -> Result<(), BundleError> {
        let mut seen: Vec<&str> = Vec::new();
        for entry in &self.wasm {
            let WasmEntry { entrypoint, module } = entry;
            if !modules.contains(module) {
                return Err(manifest_error(format!(
                    "manifest references wasm module '{module}' but the module file does not exist"
                )));
            }
            let path: Vec<&str> = entrypoint.split('/').collect();
            if !self.roots.contain(&path) {
                let roots = &self.roots;
                return Err(manifest_error(format!(
                    "manifest roots {roots} do not permit '{entrypoint}' entrypoint for wasm module '{module}'"
                )));
            }
            if seen.contains(&entrypoint.as_str()) {
                return Err(manifest_error(format!(
                    "entrypoint '{entrypoint}' cannot be used by more than one wasm module"
                )));
            }
            seen.push(entrypoint);
        }
        Ok(())
    }

    fn check_roots(&self) -> Result<(), BundleError> {
        match self.roots.overlapping() {
            None => Ok(()),
            Some((a, b)) => Err(manifest_error(format!("manifest has overlapped roots: '{a}' and '{b}'"))),
        }
    }
}

fn manifest_error(message: String) -> BundleError {
    BundleError::new(BundleErrorKind::Manifest, message)
}

fn decode_error(message: &str) -> BundleError {
    manifest_error(format!("bundle load failed on manifest decode: {message}"))
}

fn checked_version(version: i64, file: Option<&str>) -> Result<u8, BundleError> {
    match u8::try_from(version) {
        Ok(version @ 0..=2) => Ok(version),
        _ => Err(manifest_error(match file {
            None => format!("manifest has unknown rego-version {version}"),
            Some(file) => format!("manifest has unknown rego-version {version} for file '{file}'"),
        })),
    }
}

fn file_versions(fields: &Fields<'_>) -> Result<BTreeMap<String, u8>, BundleError> {
    const NAME: &str = "file_rego_versions";
    let mut versions = BTreeMap::new();
    let Some(value) = fields.get(NAME) else { return Ok(versions) };
    let object =
        value.as_object().ok_or_else(|| decode_error(&fields.mismatch(value, NAME, "map[string]int")))?;
    for (key, version) in object.iter() {
        let key = key.as_str().map(str::to_owned).unwrap_or_default();
        let version = fields.as_integer(version, NAME, "int").map_err(|it| decode_error(&it))?;
        let version = checked_version(version, Some(&key))?;
        versions.insert(key, version);
    }
    Ok(versions)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fault(text: &str) -> String {
        Manifest::read(text.as_bytes()).expect_err("a fault").to_string()
    }

    #[test]
    fn fields_and_defaults() {
        let text = r#"{"Revision": "r7", "roots": ["/a/", "b"], "rego_version": 0,
            "file_rego_versions": {"/a/*.rego": 1, "/*": 2}, "metadata": {"k": 1}, "other": null} rest"#;
        let manifest = Manifest::read(text.as_bytes()).expect("a manifest");
        assert_eq!(manifest.revision, "r7");
        assert_eq!(manifest.roots.to_string(), "[a b]");
        assert_eq!(manifest.version_of("/a/x.rego"), Some(2));
        assert_eq!(manifest.version_of("x"), Some(0));
        let manifest = Manifest::read(br#"{"roots": null}"#).expect("a manifest");
        assert_eq!(manifest.roots, Roots::default());
        assert_eq!(manifest.version_of("/a.rego"), None);
    }

    #[test]
    fn manifest_is_data_too() {
        let text = r#"{"file_rego_versions":{"/x":0},"metadata":{"k":[1]},"rego_version":1,"revision":"r","roots":["a"]}"#;
        let manifest = Manifest::read(text.as_bytes()).expect("a manifest");
        assert_eq!(manifest.document().root().to_json(), text);
        assert_eq!(Manifest::default().document().root().to_json(), r#"{"revision":"","roots":[""]}"#);
    }

    #[test]
    fn faults_are_named() {
        let cases = [
            ("[]", "json: cannot unmarshal array into Go value of type bundle.Manifest"),
            (
                r#"{"roots": "a"}"#,
                "cannot unmarshal string into Go struct field Manifest.roots of type []string",
            ),
            (
                r#"{"rego_version": 1.5}"#,
                "cannot unmarshal number 1.5 into Go struct field Manifest.rego_version",
            ),
            (r#"{"rego_version": 9}"#, "manifest has unknown rego-version 9"),
            (r#"{"file_rego_versions": {"/x": 9}}"#, "manifest has unknown rego-version 9 for file '/x'"),
            (r#"{"roots": ["a", "a/b"]}"#, "manifest has overlapped roots: 'a' and 'a/b'"),
        ];
        for (text, wanted) in cases {
            assert!(fault(text).contains(wanted), "{text}: {}", fault(text));
        }
    }

    #[test]
    fn deltas_own_what_their_bundle_owns() {
        let read = |text: &str| Manifest::read(text.as_bytes()).expect("a manifest");
        let active = read(r#"{"roots": ["a", "b"], "revision": "1"}"#);
        assert!(read(r#"{"roots": ["b", "a"], "revision": "2"}"#).check_delta("x", &active).is_ok());
        let error = read(r#"{"roots": ["a"]}"#).check_delta("x", &active).expect_err("another root");
        assert!(error.to_string().starts_with("delta bundle 'x' has wasm resolvers or manifest roots"));
    }

    #[test]
    fn packages_keep_to_the_roots() {
        let manifest = Manifest::read(br#"{"roots": ["a/b"]}"#).expect("a manifest");
        assert!(manifest.check_package(&["a", "b", "c"], "a.b.c", "x.rego").is_ok());
        let error = manifest.check_package(&["a"], "a", "x.rego").expect_err("outside");
        assert_eq!(error.to_string(), "manifest roots [a/b] do not permit 'package a' in module 'x.rego'");
    }
}
