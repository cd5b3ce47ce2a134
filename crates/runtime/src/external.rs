//! External documents: parts of `data` that somebody else keeps, asked for while deciding.
//!
//! Apart from built-ins because policies do not call them: a reference below a mounted path becomes a call of
//! [`ExternalCall`]. What was answered is kept for one evaluation, so that a decision does not contradict itself.
//! Failures end the evaluation, whatever it may do about errors of built-ins: an answer that is missing by accident
//! must never look like one that is not there.

mod answers;

use std::fmt;
use std::sync::Arc;

use lictor_syntax::printer::is_plain_key;
use lictor_value::{Document, Value, write_string};

use crate::context::Context;
use crate::error::{BuiltinError, ErrorKind};

pub(crate) use answers::Answers;

/// Who keeps the documents below a mounted path.
///
/// It is asked from many threads at once, and must come back soon after `ended` says that the evaluation must end.
pub trait Provider: Send + Sync {
    /// How many keys below the mounted path name a document; what follows is looked up in it.
    fn keys(&self) -> usize {
        1
    }

    /// Returns a document for each list of keys, in their order; none where there is none.
    ///
    /// # Errors
    ///
    /// Why there is no answer. The text is shown to who asked for the decision: no secrets.
    fn fetch(
        &self,
        wanted: &[Vec<String>],
        ended: &dyn Fn() -> bool,
    ) -> Result<Vec<Option<Document>>, ProviderError>;

    /// Returns the keys that follow the given ones, fewer than [`Self::keys`], in any order; `keys_max` at most are of
    /// use, and more are refused.
    ///
    /// # Errors
    ///
    /// Why there is no answer. A provider that cannot list refuses all.
    fn list(
        &self,
        _above: &[String],
        _keys_max: usize,
        _ended: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, ProviderError> {
        Err(ProviderError::new("cannot be listed"))
    }
}

/// Why a provider has no answer.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ProviderError {
    message: String,
}

impl ProviderError {
    /// Returns an error of a text that may be shown to anybody.
    #[must_use]
    pub fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// What one evaluation may ask of one mounted path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct ExternalLimits {
    /// Documents, those that are not there included.
    pub documents_max: usize,
    /// Bytes of all documents together.
    pub bytes_max: usize,
    /// Documents that are asked for at once.
    pub batch_max: usize,
}

impl Default for ExternalLimits {
    fn default() -> Self {
        Self { documents_max: 10_000, bytes_max: 64 << 20, batch_max: 1_000 }
    }
}

/// A part of `data` that a provider keeps.
#[derive(Clone)]
pub struct Mount {
    /// Keys below `data`.
    pub path: Vec<String>,
    /// Who keeps it.
    pub provider: Arc<dyn Provider>,
    /// What one evaluation may ask.
    pub limits: ExternalLimits,
}

impl fmt::Debug for Mount {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("Mount")
            .field("path", &self.path)
            .field("limits", &self.limits)
            .finish_non_exhaustive()
    }
}

/// What a plan asks of mounted paths. The first operand is always the path, an array of strings.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum ExternalCall {
    /// The document of the keys that follow; undefined if there is none.
    Get,
    /// The keys that follow the ones that follow, as an array in order.
    List,
    /// All documents below the keys that follow, as an object.
    All,
    /// Asks ahead for the documents of which one key runs over a collection: its place among the keys (a number), the
    /// collection, whether its keys count (else its values), the way from each to the key (an array), the other keys.
    Ahead,
}

impl ExternalCall {
    /// Does what is asked, with one of the mounted paths.
    ///
    /// # Errors
    ///
    /// The provider has no answer, or a limit is passed: both end the evaluation.
    pub fn run<'e>(
        self,
        mounts: &[Mount],
        ctx: Context<'e>,
        args: &[Value<'e>],
    ) -> Result<Option<Value<'e>>, BuiltinError> {
        let (path, keys) = args.split_first().ok_or_else(|| internal("external call without a path"))?;
        let place = mounts.iter().position(|it| same_path(&it.path, *path));
        let place = place.ok_or_else(|| internal("external call of a path that is not mounted"))?;
        let asked = Asked { mount: &mounts[place], place, ctx };
        match self {
            Self::Get => asked.get(keys),
            Self::List => asked.list(keys),
            Self::All => asked.all(keys),
            Self::Ahead => {
                asked.ahead(keys);
                Ok(Some(Value::TRUE))
            }
        }
    }
}

fn internal(message: &'static str) -> BuiltinError {
    BuiltinError::new(ErrorKind::HaltInternal, message)
}

fn same_path(path: &[String], value: Value<'_>) -> bool {
    let Some(array) = value.as_array() else { return false };
    array.len() == path.len() && array.iter().zip(path).all(|(a, b)| a.as_str() == Some(b))
}

/// A mounted path that is asked in an evaluation.
struct Asked<'e, 'm> {
    mount: &'m Mount,
    /// Its number among the mounted paths.
    place: usize,
    ctx: Context<'e>,
}

impl<'e> Asked<'e, '_> {
    fn get(&self, keys: &[Value<'e>]) -> Result<Option<Value<'e>>, BuiltinError> {
        // Keys of documents are strings; another value finds nothing.
        let Some(keys) = texts(keys) else { return Ok(None) };
        let name = self.name('d', &keys);
        if self.answers().get(&name).is_none() {
            let asked = self.fetch(std::slice::from_ref(&keys));
            asked.unwrap_or_else(|why| self.answers().put(name.clone(), Err(why)));
        }
        match self.answers().get(&name) {
            Some(Ok(found)) => Ok(found.as_ref().map(Document::root)),
            Some(Err(why)) => Err(self.failed(&keys, why)),
            None => Err(self.failed(&keys, "has no answer")),
        }
    }

    /// Asks for documents and keeps the answers.
    fn fetch(&self, wanted: &[Vec<String>]) -> Result<(), String> {
        let limits = &self.mount.limits;
        let ended = || self.ctx.host.cancelled();
        self.answers()
            .take_documents(self.place, wanted.len(), limits.documents_max)
            .map_err(|given| format!("{given} documents asked for, limit is {}", limits.documents_max))?;
        let found = self.mount.provider.fetch(wanted, &ended).map_err(|error| error.to_string())?;
        if found.len() != wanted.len() {
            return Err(format!("{} documents asked for, {} came", wanted.len(), found.len()));
        }
        for (keys, document) in wanted.iter().zip(found) {
            let bytes = document.as_ref().map_or(0, Document::bytes);
            if !self.answers().take_bytes(self.place, bytes, limits.bytes_max) {
                return Err(format!("documents take more than {} bytes", limits.bytes_max));
            }
            self.answers().put(self.name('d', keys), Ok(document));
        }
        Ok(())
    }

    fn list(&self, above: &[Value<'e>]) -> Result<Option<Value<'e>>, BuiltinError> {
        let Some(above) = texts(above) else { return Ok(Some(Value::empty_array())) };
        let names = self.names(&above)?;
        let names: Vec<Value<'e>> = names.iter().map(|it| self.ctx.arena.string(it)).collect();
        Ok(Some(self.ctx.arena.array(&names)))
    }

    /// Returns the keys that follow, sorted; asks once an evaluation.
    fn names(&self, above: &[String]) -> Result<Vec<String>, BuiltinError> {
        let name = self.name('l', above);
        if self.answers().get(&name).is_none() {
            self.answers().put(name.clone(), self.ask_names(above).map(Some));
        }
        let texts = |list: &Document| {
            let items = list.root().as_array();
            items
                .into_iter()
                .flat_map(|it| it.iter())
                .filter_map(|it| it.as_str().map(str::to_owned))
                .collect()
        };
        match self.answers().get(&name) {
            Some(Ok(list)) => Ok(list.as_ref().map(texts).unwrap_or_default()),
            Some(Err(why)) => Err(self.failed(above, why)),
            None => Err(self.failed(above, "has no answer")),
        }
    }

    fn ask_names(&self, above: &[String]) -> Result<Document, String> {
        let limits = &self.mount.limits;
        let ended = || self.ctx.host.cancelled();
        let mut names = self
            .mount
            .provider
            .list(above, limits.documents_max, &ended)
            .map_err(|error| error.to_string())?;
        names.sort_unstable();
        names.dedup();
        if names.len() > limits.documents_max {
            return Err(format!("has {} keys, limit is {}", names.len(), limits.documents_max));
        }
        let mut builder = lictor_value::DocumentBuilder::new();
        let parts: Vec<_> = names.iter().map(|it| builder.string(it)).collect();
        let list = builder.array(&parts);
        let list = builder.finish(list);
        if !self.answers().take_bytes(self.place, list.bytes(), limits.bytes_max) {
            return Err(format!("keys take more than {} bytes", limits.bytes_max));
        }
        Ok(list)
    }

    fn all(&self, above: &[Value<'e>]) -> Result<Option<Value<'e>>, BuiltinError> {
        let Some(above) = texts(above) else { return Ok(None) };
        self.all_below(&above).map(Some)
    }

    /// Makes the object of all documents below keys, level by level.
    fn all_below(&self, above: &[String]) -> Result<Value<'e>, BuiltinError> {
        let names = self.names(above)?;
        let below = |name: &String| above.iter().chain([name]).cloned().collect::<Vec<String>>();
        let lists: Vec<Vec<String>> = names.iter().map(below).collect();
        let is_last = above.len() + 1 >= self.mount.provider.keys();
        if is_last {
            self.fetch_unknown(&lists);
        }
        let mut pairs = Vec::with_capacity(names.len());
        for (name, keys) in names.iter().zip(lists) {
            let value = if is_last {
                let keys: Vec<Value<'e>> = keys.iter().map(|it| self.ctx.arena.string(it)).collect();
                self.get(&keys)?
            } else {
                Some(self.all_below(&keys)?)
            };
            // What went since it was listed is not there.
            pairs.extend(value.map(|it| (self.ctx.arena.string(name), it)));
        }
        Ok(self.ctx.arena.object(&mut pairs))
    }

    /// Asks for what is not known yet, as many at once as may be. What fails together may do alone, so that a failure is
    /// that of who needs the document.
    fn fetch_unknown(&self, wanted: &[Vec<String>]) {
        let unknown = |keys: &&Vec<String>| self.answers().get(&self.name('d', keys)).is_none();
        let unknown: Vec<Vec<String>> = wanted.iter().filter(unknown).cloned().collect();
        for batch in unknown.chunks(self.mount.limits.batch_max.max(1)) {
            if self.fetch(batch).is_err() {
                return;
            }
        }
    }

    /// Asks for documents that will probably be asked for. It never fails: who asks for one gets its failure.
    fn ahead(&self, args: &[Value<'e>]) {
        let [hole, collection, of_keys, way, others @ ..] = args else { return };
        let (Some(hole), Some(others)) = (hole.as_index(), texts(others)) else { return };
        if hole > others.len() {
            return;
        }
        let mut wanted: Vec<Vec<String>> = Vec::new();
        let mut add = |key: Option<Value<'e>>| {
            if let Some(key) = key.and_then(|it| it.as_str().map(str::to_owned)) {
                let mut keys = others.clone();
                keys.insert(hole, key);
                wanted.push(keys);
            }
            wanted.len() < self.mount.limits.batch_max
        };
        let at =
            |item: Value<'e>| way.as_array().into_iter().flat_map(|it| it.iter()).try_fold(item, Value::dot);
        let mut items = items(*collection, of_keys.is_true());
        while items.next().is_some_and(|it| add(at(it))) {}
        wanted.sort_unstable();
        wanted.dedup();
        // One alone is asked for by who needs it, and more than may be asked for would fail all.
        let left = self.answers().documents_left(self.place, self.mount.limits.documents_max);
        if wanted.len() > 1 && wanted.len() <= left {
            self.fetch_unknown(&wanted);
        }
    }

    fn answers(&self) -> &'e Answers {
        &self.ctx.caches.external
    }

    /// Returns what answers are kept by: no two lists of keys have the same.
    fn name(&self, kind: char, keys: &[String]) -> String {
        keys.iter().fold(format!("{kind}{}", self.place), |name, key| format!("{name}/{}:{key}", key.len()))
    }

    fn failed(&self, keys: &[String], why: &str) -> BuiltinError {
        if self.ctx.host.cancelled() {
            return BuiltinError::new(ErrorKind::HaltCancel, "caller cancelled query execution");
        }
        let shown = self.mount.path.iter().chain(keys).fold("data".to_owned(), |shown, key| {
            if is_plain_key(key) {
                return format!("{shown}.{key}");
            }
            let mut quoted = Vec::new();
            write_string(key, &mut quoted, false);
            format!("{shown}[{}]", String::from_utf8_lossy(&quoted))
        });
        BuiltinError::new(ErrorKind::HaltInternal, format!("external document {shown}: {why}"))
    }
}

fn texts(values: &[Value<'_>]) -> Option<Vec<String>> {
    values.iter().map(|it| it.as_str().map(str::to_owned)).collect()
}

/// Returns what a scan of a collection gives: its values, or its keys.
fn items<'e>(collection: Value<'e>, of_keys: bool) -> Box<dyn Iterator<Item = Value<'e>> + 'e> {
    if let Some(object) = collection.as_object() {
        return Box::new(object.iter().map(move |(key, value)| if of_keys { key } else { value }));
    }
    if let Some(set) = collection.as_set() {
        return Box::new(set.iter());
    }
    match collection.as_array() {
        Some(array) if !of_keys => Box::new(array.iter()),
        _ => Box::new(std::iter::empty()),
    }
}
