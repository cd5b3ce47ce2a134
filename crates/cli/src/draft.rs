//! A bundle on its way: what `build` has loaded, before it is an archive.
//!
//! Apart from the command because names, versions and order are OPA's layout and nothing else: modules stand under the
//! paths they were read from, data is one document, the manifest comes last.

use std::collections::BTreeMap;

use lictor::{Capabilities, RegoVersion, Value};
use lictor_bundle::{FileDigest, Manifest, PatchOperation, Signing, patch_member, sign, signatures_file};
use lictor_syntax::ast::Module;
use lictor_syntax::format::{FormatOptions, format_source};

use crate::load::{Collected, input_document, tidy, version_numbered};

/// Is what goes into a bundle beside its data.
pub(crate) struct Draft {
    manifest: Manifest,
    modules: Vec<DraftModule>,
    wasm: Vec<File>,
    plans: Vec<File>,
    /// What a delta does, which has nothing else.
    patch: Vec<PatchOperation>,
}

/// Is a path in the bundle and what stands there.
type File = (String, Vec<u8>);

struct DraftModule {
    /// Its name for faults.
    name: String,
    /// Its path in the bundle.
    path: String,
    bytes: Vec<u8>,
    /// The number of its version of Rego.
    version: u8,
}

impl Draft {
    /// Makes a draft of modules that come from files: they own everything and are of one version.
    pub(crate) fn of_modules(modules: &[Module], version: u8) -> Self {
        let module = |module: &Module| {
            let name = module.source.name().to_string();
            let bytes = module.source.text().as_bytes().to_vec();
            DraftModule { path: member_path(&name), name, bytes, version }
        };
        let manifest = Manifest { rego_version: Some(version), ..Manifest::default() };
        let modules = modules.iter().map(module).collect();
        Self { manifest, modules, wasm: Vec::new(), plans: Vec::new(), patch: Vec::new() }
    }

    /// Makes a draft of bundles. One alone keeps what its manifest says; of several only what they own is kept.
    /// `version` is that of modules whose bundle names none.
    pub(crate) fn of_bundles(mut bundles: Vec<Collected>, version: u8) -> Result<Self, String> {
        for collected in &mut bundles {
            let paths: BTreeMap<String, String> = collected.wasm_paths();
            for entry in &mut collected.bundle.manifest.wasm {
                if let Some(path) = paths.get(&entry.module) {
                    entry.module.clone_from(path);
                }
            }
        }
        let mut patch = Vec::new();
        let mut manifest = match bundles.as_mut_slice() {
            [one] => {
                patch = std::mem::take(&mut one.bundle.patch);
                one.bundle.manifest.clone()
            }
            several if several.iter().any(|it| it.bundle.is_delta()) => {
                return Err("a delta bundle cannot be merged with others".to_owned());
            }
            several => {
                let manifests: Vec<&Manifest> = several.iter().map(|it| &it.bundle.manifest).collect();
                Manifest::merged(&manifests).map_err(|error| error.to_string())?
            }
        };
        let all = manifest.rego_version.unwrap_or(version);
        manifest.rego_version = Some(all);
        manifest.file_rego_versions.clear();
        let mut draft = Self { manifest, modules: Vec::new(), wasm: Vec::new(), plans: Vec::new(), patch };
        for collected in &bundles {
            draft.add(collected, version);
        }
        Ok(draft)
    }

    fn add(&mut self, collected: &Collected, version: u8) {
        let all = self.manifest.rego_version;
        for module in &collected.bundle.modules {
            let version = collected.bundle.manifest.version_of(&module.path).unwrap_or(version);
            let path = member_path(&collected.path_of(module));
            if all != Some(version) {
                self.manifest.file_rego_versions.insert(path.clone(), version);
            }
            let (name, bytes) = (module.name.clone(), module.bytes.clone());
            self.modules.push(DraftModule { name, path, bytes, version });
        }
        for member in &collected.bundle.wasm_modules {
            self.wasm.push((member_path(&collected.path_of(member)), member.bytes.clone()));
        }
        for member in &collected.bundle.plans {
            self.plans.push((member_path(&collected.path_of(member)), member.bytes.clone()));
        }
    }

    /// Adds OPA's plan JSON.
    pub(crate) fn add_plan(&mut self, text: String) {
        self.plans.push(("/plan.json".to_owned(), text.into_bytes()));
    }

    /// Sets the bundle's own word for its state.
    pub(crate) fn set_revision(&mut self, revision: &str) {
        revision.clone_into(&mut self.manifest.revision);
    }

    /// Says how much there is.
    pub(crate) fn summary(&self) -> String {
        let Self { modules, wasm, plans, .. } = self;
        format!("{} modules, {} WebAssembly modules, {} plans", modules.len(), wasm.len(), plans.len())
    }

    /// Formats the modules, each in its version.
    pub(crate) fn format(&mut self, capabilities: Option<&Capabilities>) -> Result<(), String> {
        for module in &mut self.modules {
            let version = version_numbered(module.version).unwrap_or(RegoVersion::V1);
            let mut options = FormatOptions::for_version(version);
            if let Some(capabilities) = capabilities {
                options.templates = capabilities.has_feature("template_strings").then_some(true);
                options.keywords_in_refs = capabilities.has_feature("keywords_in_refs");
            }
            let text = format_source(&module.name, &module.bytes, &options).map_err(|it| it.to_string())?;
            module.bytes = text.into_bytes();
        }
        Ok(())
    }

    /// Returns the members of the archive, in their order.
    pub(crate) fn members(&self, data: Value<'_>, signing: Option<&Signing>) -> Result<Vec<File>, String> {
        if !self.patch.is_empty() {
            return self.delta_members(signing);
        }
        let mut text = Vec::new();
        data.write_json(&mut text);
        text.push(b'\n');
        let data = ("/data.json".to_owned(), text);
        let manifest = ("/.manifest".to_owned(), self.manifest.to_member());
        let modules: Vec<File> = self.modules.iter().map(|it| (it.path.clone(), it.bytes.clone())).collect();
        let signatures = signing.map(|signing| {
            let files = modules.iter().chain([&data]).chain(&self.wasm).chain(&self.plans).chain([&manifest]);
            signature(files, signing)
        });
        let signatures = signatures.transpose()?;
        let mut members = vec![data];
        members.extend(modules);
        members.extend(self.wasm.iter().cloned());
        members.extend(signatures);
        members.extend(self.plans.iter().cloned());
        members.push(manifest);
        let mut paths: Vec<&str> = members.iter().map(|it| it.0.as_str()).collect();
        paths.sort_unstable();
        match paths.windows(2).find(|it| it.first() == it.last()) {
            Some([path, ..]) => Err(format!("several files become {path} in the bundle")),
            _ => Ok(members),
        }
    }
}

impl Draft {
    /// Returns the members of a snapshot's policy: all of a bundle but its data.
    pub(crate) fn policy_members(&self) -> Result<Vec<File>, String> {
        if !self.patch.is_empty() {
            return Err("a delta bundle cannot become a snapshot".to_owned());
        }
        let mut members = self.members(Value::empty_object(), None)?;
        members.retain(|it| it.0 != "/data.json");
        Ok(members)
    }

    fn delta_members(&self, signing: Option<&Signing>) -> Result<Vec<File>, String> {
        if signing.is_some() {
            return Err("delta bundles cannot be signed".to_owned());
        }
        let patch = ("/patch.json".to_owned(), patch_member(&self.patch));
        Ok(vec![patch, ("/.manifest".to_owned(), self.manifest.to_member())])
    }
}

impl Collected {
    /// Returns where wasm modules go, by the names that the manifest has for them.
    fn wasm_paths(&self) -> BTreeMap<String, String> {
        let modules = self.bundle.wasm_modules.iter();
        modules.map(|it| (it.name.clone(), member_path(&self.path_of(it)))).collect()
    }
}

fn signature<'f>(files: impl Iterator<Item = &'f File>, signing: &Signing) -> Result<File, String> {
    let mut digests = Vec::new();
    for (path, bytes) in files {
        let name = path.strip_prefix('/').unwrap_or(path);
        digests.push(FileDigest::new(name, bytes, input_document).map_err(|it| it.to_string())?);
    }
    let token = sign(&digests, signing).map_err(|it| it.to_string())?;
    let plugin = if signing.plugin.is_empty() { "_default" } else { &signing.plugin };
    Ok(("/.signatures.json".to_owned(), signatures_file(&token, plugin)))
}

/// Returns where a file of a path goes: below the bundle's root, wherever the path leads.
fn member_path(path: &str) -> String {
    let tidy = tidy(path);
    let names: Vec<&str> = tidy.split('/').filter(|it| !matches!(*it, "" | "." | "..")).collect();
    format!("/{}", names.join("/"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn members_stay_in_the_bundle() {
        assert_eq!(member_path("./a//b.rego"), "/a/b.rego");
        assert_eq!(member_path("../../a/b.rego"), "/a/b.rego");
        assert_eq!(member_path("/x/../a/b.rego"), "/a/b.rego");
    }
}
