//! Takes the members of a bundle one by one and says what they are.
//!
//! A folder's members come in the order of a walk, an archive's in the archive's order; the faults found are those
//! of the first member that has one. Where a signature counts, members pass the guard first. What is known only at
//! the end (roots, wasm entrypoints) is checked by [`BundleReader::finish`].

use std::io::Read;

use lictor_value::image::ImageBuilder;
use lictor_value::json::StreamError;
use lictor_value::{Document, json};

use crate::error::{BundleError, BundleErrorKind};
use crate::guard::{Guard, Trust};
use crate::image_data::ImageData;
use crate::limits::Limits;
use crate::manifest::Manifest;
use crate::meter::{Members, Meter};
use crate::patch::{self, PatchOperation};
use crate::signatures;

/// Reads YAML for those who may not know it; the text of a fault comes without the member's name.
pub type YamlReader = fn(&[u8]) -> Result<Document, String>;

/// Says how a bundle is read.
#[derive(Clone, Debug)]
pub struct Options {
    /// What the bundle may cost.
    pub limits: Limits,
    /// What stands before the names of modules: the folder's own path. Data files are named by it in faults.
    pub folder: String,
    /// Reads `data.yaml`.
    pub yaml: YamlReader,
    /// What a signature counts for.
    pub trust: Trust,
}

/// Is a member that is handed on as it is.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Member {
    /// Path in the bundle, as it was written there.
    pub path: String,
    /// Name for diagnostics: the path behind the folder's.
    pub name: String,
    /// The content.
    pub bytes: Vec<u8>,
}

/// Is a data file, read.
#[derive(Clone, Debug)]
pub struct DataFile {
    /// Path of the member.
    pub member: String,
    /// Where it lands below `data`.
    pub path: Vec<String>,
    /// What it holds.
    pub document: Document,
}

/// Is a bundle whose members were read and whose data keeps to its roots.
///
/// Modules have not been parsed: check their packages with [`Manifest::check_package`].
#[derive(Clone, Debug, Default)]
pub struct Bundle {
    /// The manifest, or its defaults.
    pub manifest: Manifest,
    /// Rego modules.
    pub modules: Vec<Member>,
    /// Data files, in the order they were found.
    pub data: Vec<DataFile>,
    /// Wasm modules.
    pub wasm_modules: Vec<Member>,
    /// Query plans.
    pub plans: Vec<Member>,
    /// What a delta does to data; of another bundle nothing.
    pub patch: Vec<PatchOperation>,
    /// The signatures file; whether it was verified says [`Options::trust`].
    pub signatures: Option<Member>,
}

impl Bundle {
    /// Says whether it changes data that is there already, and has nothing else.
    #[must_use]
    pub fn is_delta(&self) -> bool {
        !self.patch.is_empty()
    }

    /// Refuses a delta that is more than its operations.
    fn check_delta(&self) -> Result<(), BundleError> {
        let found = match () {
            () if !self.data.is_empty() => "data",
            () if !self.modules.is_empty() => "policy",
            () if !self.wasm_modules.is_empty() => "wasm",
            () => return Ok(()),
        };
        let message = format!("delta bundle expected to contain only patch file but {found} files found");
        Err(BundleError::new(BundleErrorKind::Data, message))
    }
}

/// Collects a bundle.
#[derive(Debug)]
pub struct BundleReader {
    options: Options,
    guard: Guard,
    bundle: Bundle,
    manifest_member: Option<String>,
    patch_member: Option<String>,
    meter: Meter,
    /// Where data goes instead of the memory.
    image: Option<ImageData>,
}

impl BundleReader {
    /// Returns a reader without members.
    #[must_use]
    pub fn new(options: Options) -> Self {
        let guard = Guard::new(options.trust.clone());
        let meter = Meter::new(options.limits);
        Self {
            options,
            guard,
            bundle: Bundle::default(),
            manifest_member: None,
            patch_member: None,
            meter,
            image: None,
        }
    }

    /// Puts data into an image and not into memory; [`Self::finish_image`] ends both.
    #[must_use]
    pub fn with_image(mut self, image: ImageBuilder) -> Self {
        self.image = Some(ImageData::new(image));
        self
    }

    /// Takes a member of JSON while it comes, so that its text is never whole in memory.
    fn stream(&mut self, path: &str, content: &mut dyn Read) -> Result<(), BundleError> {
        let mut limited = self.meter.limited(content);
        let read = match &mut self.image {
            Some(image) => image.stream(&data_path(path), &mut limited)?.map(|()| None),
            None => json::stream_document(&mut limited).map(Some),
        };
        let size = limited.size();
        self.meter.count(path, size)?;
        match read {
            Ok(document) => document.map_or(Ok(()), |it| self.add_data(path, it)),
            Err(StreamError::Read(error)) => Err(BundleError::unreadable(&error)),
            Err(StreamError::Json(error)) => Err(self.data_error(path, &error.to_string())),
        }
    }

    /// Takes a member once its signature allows it.
    fn admit(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), BundleError> {
        let name = self.full_name(path);
        let name = name.strip_prefix('/').unwrap_or(&name);
        match self.guard.admit(path, name, bytes, self.options.yaml)? {
            Some(bytes) => self.take(path, bytes),
            None => Ok(()),
        }
    }

    fn take(&mut self, path: &str, bytes: Vec<u8>) -> Result<(), BundleError> {
        let member = |name: String, bytes| Member { path: path.to_owned(), name, bytes };
        match kind_of(path) {
            None | Some(MemberKind::Signatures) => {}
            Some(MemberKind::Module) => self.bundle.modules.push(member(self.full_name(path), bytes)),
            Some(MemberKind::Wasm) => self.bundle.wasm_modules.push(member(self.full_name(path), bytes)),
            Some(MemberKind::Plan) => self.bundle.plans.push(member(self.full_name(path), bytes)),
            Some(MemberKind::Manifest) => self.add_manifest(path, &bytes)?,
            Some(MemberKind::Json) => {
                let document =
                    json::read_document(&bytes).map_err(|it| self.data_error(path, &it.to_string()))?;
                self.add_data(path, document)?;
            }
            Some(MemberKind::Yaml) => {
                let document = (self.options.yaml)(&bytes).map_err(|it| self.data_error(path, &it))?;
                self.add_data(path, document)?;
            }
            Some(MemberKind::Patch) => self.add_patch(path, &bytes)?,
            Some(MemberKind::ManifestProto) => {
                return Err(unsupported(
                    path,
                    "manifests in protobuf form are not supported by this version",
                ));
            }
        }
        Ok(())
    }

    /// Ends reading and checks what the manifest says of the members.
    ///
    /// # Errors
    ///
    /// A signature is missing or names files that are not there, data lies outside of the roots, a wasm entrypoint has
    /// no module, or a delta has more than its operations.
    pub fn finish(mut self) -> Result<Bundle, BundleError> {
        for (path, bytes) in self.guard.finish()? {
            self.take(&path, bytes)?;
        }
        let modules: Vec<String> = self.bundle.wasm_modules.iter().map(|it| it.name.clone()).collect();
        let folder = self.options.folder.clone();
        for entry in &mut self.bundle.manifest.wasm {
            let full = join(&folder, &entry.module);
            if !modules.contains(&entry.module) && modules.contains(&full) {
                entry.module = full;
            }
        }
        if self.bundle.is_delta() {
            self.bundle.check_delta()?;
        }
        self.bundle.manifest.check_wasm(&modules)?;
        for operation in &self.bundle.patch {
            self.bundle.manifest.check_patch(&operation.path)?;
        }
        for file in &self.bundle.data {
            self.bundle.manifest.check_data(&file.path, file.document.root())?;
        }
        Ok(self.bundle)
    }

    /// Ends reading of a bundle whose data went into an image, and returns the image's number of words and root's cell.
    /// What the manifest says of data is still to be checked, with [`Manifest::check_data`].
    ///
    /// # Errors
    ///
    /// As [`Self::finish`], or the file cannot be written.
    pub fn finish_image(mut self) -> Result<(Bundle, (u64, u64)), BundleError> {
        let image = self.image.take();
        let bundle = self.finish()?;
        let end = image.map_or(Ok((0, 0)), ImageData::finish)?;
        Ok((bundle, end))
    }

    fn add_manifest(&mut self, path: &str, bytes: &[u8]) -> Result<(), BundleError> {
        if let Some(first) = &self.manifest_member {
            let message = format!("bundle contains multiple manifest files: {first:?} and {path:?}");
            return Err(BundleError::new(BundleErrorKind::Manifest, message));
        }
        self.manifest_member = Some(path.to_owned());
        self.bundle.manifest = Manifest::read(bytes)?;
        Ok(())
    }

    fn add_patch(&mut self, path: &str, bytes: &[u8]) -> Result<(), BundleError> {
        // OPA takes the last of several without a word; nobody can have meant that.
        if let Some(first) = &self.patch_member {
            let message = format!("bundle contains multiple patch files: {first:?} and {path:?}");
            return Err(BundleError::new(BundleErrorKind::Data, message));
        }
        self.patch_member = Some(path.to_owned());
        self.bundle.patch = patch::read(bytes)?;
        Ok(())
    }

    fn add_data(&mut self, path: &str, document: Document) -> Result<(), BundleError> {
        let below = data_path(path);
        if below.is_empty() && document.root().as_object().is_none() {
            return Err(BundleError::root_not_object(path));
        }
        if let Some(image) = &mut self.image {
            return image.add(&below, &document);
        }
        self.bundle.data.push(DataFile { member: path.to_owned(), path: below, document });
        Ok(())
    }

    fn data_error(&self, path: &str, message: &str) -> BundleError {
        let name = self.full_name(path);
        BundleError::new(BundleErrorKind::Data, format!("bundle load failed on {name}: {message}"))
    }

    fn full_name(&self, path: &str) -> String {
        join(&self.options.folder, path)
    }
}

impl Members for BundleReader {
    fn wants(&self, path: &str) -> bool {
        self.guard.wants_all() || kind_of(path).is_some()
    }

    fn meter(&mut self) -> &mut Meter {
        &mut self.meter
    }

    fn add(&mut self, path: &str, content: &mut dyn Read) -> Result<(), BundleError> {
        if kind_of(path) == Some(MemberKind::Json) && !self.guard.wants_all() {
            return self.stream(path, content);
        }
        let bytes = self.meter.read(path, content)?;
        if kind_of(path) == Some(MemberKind::Signatures) {
            let held = self.guard.unlock(path, &bytes)?;
            self.bundle.signatures = Some(Member { path: path.to_owned(), name: path.to_owned(), bytes });
            return held.into_iter().try_for_each(|(path, bytes)| self.admit(&path, bytes));
        }
        self.admit(path, bytes)
    }
}

fn unsupported(path: &str, message: &str) -> BundleError {
    BundleError::new(BundleErrorKind::Unsupported, format!("bundle load failed on {path}: {message}"))
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum MemberKind {
    Module,
    Json,
    Yaml,
    Manifest,
    ManifestProto,
    Signatures,
    Patch,
    Wasm,
    Plan,
}

fn kind_of(path: &str) -> Option<MemberKind> {
    let base = path.rsplit('/').next().unwrap_or(path);
    Some(match base {
        signatures::FILE_NAME => MemberKind::Signatures,
        _ if path.ends_with(".rego") => MemberKind::Module,
        "policy.wasm" => MemberKind::Wasm,
        "plan.json" | "plan.pb" => MemberKind::Plan,
        patch::FILE_NAME => MemberKind::Patch,
        "data.json" => MemberKind::Json,
        "data.yaml" | "data.yml" => MemberKind::Yaml,
        _ if path.ends_with(".manifest.pb") => MemberKind::ManifestProto,
        _ if path.ends_with(".manifest") => MemberKind::Manifest,
        _ => return None,
    })
}

/// Returns where a data file lands: the folders of its path.
fn data_path(path: &str) -> Vec<String> {
    let folders = path.rsplit_once('/').map_or("", |it| it.0);
    folders.trim_start_matches(['/', '.']).split('/').filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// Joins a folder and a path in it; without a folder the path stays as it is, in `.` its names stand alone.
pub(crate) fn join(folder: &str, path: &str) -> String {
    if folder.is_empty() {
        return path.to_owned();
    }
    let path = path.trim_start_matches('/');
    if folder == "." {
        return path.to_owned();
    }
    format!("{}/{path}", folder.trim_end_matches('/'))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn no_yaml(_: &[u8]) -> Result<Document, String> {
        Err("no YAML here".to_owned())
    }

    fn options() -> Options {
        Options {
            limits: Limits::default(),
            folder: "some/folder".to_owned(),
            yaml: no_yaml,
            trust: Trust::Unchecked,
        }
    }

    fn read(members: &[(&str, &str)]) -> Result<Bundle, BundleError> {
        let mut reader = BundleReader::new(options());
        for (path, text) in members {
            reader.add(path, &mut text.as_bytes())?;
        }
        reader.finish()
    }

    fn fault(members: &[(&str, &str)]) -> String {
        read(members).expect_err("a fault").to_string()
    }

    #[test]
    fn names_in_the_current_folder_stand_alone() {
        assert_eq!(join(".", "/p/x.rego"), "p/x.rego");
        assert_eq!(join("a/", "/p/x.rego"), "a/p/x.rego");
        assert_eq!(join("", "/p/x.rego"), "/p/x.rego");
    }

    #[test]
    fn members_are_told_apart() {
        let bundle = read(&[
            ("/.manifest", r#"{"roots": ["a", "p"]}"#),
            ("/.signatures.json", "{}"),
            ("/a/b/data.json", "1"),
            ("/a/other.json", "no JSON"),
            ("/p/x.rego", "package p"),
            ("/README.md", ""),
            ("/plan.json", "{}"),
        ])
        .expect("a bundle");
        assert_eq!(bundle.modules[0].name, "some/folder/p/x.rego");
        assert_eq!(bundle.modules[0].path, "/p/x.rego");
        assert_eq!(bundle.data[0].path, ["a", "b"]);
        assert!(bundle.signatures.is_some());
        assert_eq!((bundle.data.len(), bundle.plans.len()), (1, 1));
    }

    #[test]
    fn faults_are_those_of_opa() {
        let cases: &[(&[(&str, &str)], &str)] = &[
            (&[("/data.json", "1")], "bundle load failed on /data.json: root value must be object"),
            (&[("/b/data.json", "{")], "bundle load failed on some/folder/b/data.json: unexpected EOF"),
            (&[("/data.yaml", "a")], "bundle load failed on some/folder/data.yaml: no YAML here"),
            (
                &[("/data.json", r#"{"b": 1}"#), ("/.manifest", r#"{"roots": ["a"]}"#)],
                "manifest roots [a] do not permit data at path '/b' (hint: check bundle directory structure)",
            ),
            (
                &[("/.manifest", "{}"), ("/s/.manifest", "{}")],
                r#"bundle contains multiple manifest files: "/.manifest" and "/s/.manifest""#,
            ),
            (
                &[("/.manifest", r#"{"wasm": [{"entrypoint": "a", "module": "/x.wasm"}]}"#)],
                "manifest references wasm module '/x.wasm' but the module file does not exist",
            ),
        ];
        for (members, wanted) in cases {
            assert_eq!(fault(members), *wanted);
        }
    }

    #[test]
    fn deltas_are_nothing_else() {
        let patch = ("/patch.json", r#"{"data": [{"op": "remove", "path": "a/b"}]}"#);
        let only =
            |found: &str| format!("delta bundle expected to contain only patch file but {found} files found");
        assert_eq!(fault(&[patch, ("/a/data.json", "1")]), only("data"));
        assert_eq!(fault(&[patch, ("/x.rego", "package x")]), only("policy"));
        assert_eq!(fault(&[patch, ("/policy.wasm", "")]), only("wasm"));
        assert_eq!(
            fault(&[patch, ("/.manifest", r#"{"roots": ["b"]}"#)]),
            "manifest roots [b] do not permit data patch at path 'a/b'"
        );
        assert_eq!(
            fault(&[patch, ("/s/patch.json", "{}")]),
            r#"bundle contains multiple patch files: "/patch.json" and "/s/patch.json""#
        );
        let bundle = read(&[patch, ("/.manifest", r#"{"roots": ["a"]}"#)]).expect("a delta");
        assert!(bundle.is_delta() && bundle.patch[0].operation == "remove");
        assert!(!read(&[("/patch.json", "{}"), ("/x.rego", "package x")]).expect("a bundle").is_delta());
    }

    #[test]
    fn limits_are_kept() {
        let limits = Limits { member_bytes_max: 4, total_bytes_max: 6, members_max: 2 };
        let mut reader = BundleReader::new(Options { limits, ..options() });
        let error = reader.add("/x.txt", &mut b"12345".as_slice()).expect_err("too large");
        assert_eq!(error.to_string(), "bundle file 'x.txt' size (5 bytes) exceeded max size (4 bytes)");
        let mut reader = BundleReader::new(Options { limits, ..options() });
        reader.add("/x.txt", &mut b"1234".as_slice()).expect("fits");
        assert!(reader.add("/y.txt", &mut b"1234".as_slice()).is_err());
    }
}
