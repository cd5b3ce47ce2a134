//! What a built-in gets besides its operands: where results are made, the world, and memory that is kept.
//!
//! Apart because engines make it once an evaluation and pass it by copy. It bounds what built-ins may gather
//! before the arena can, and knows no single built-in.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use lictor_value::{Arena, Document, Value};

use crate::builtins::http::Fault;
use crate::builtins::jwt::keys::KeySet;
use crate::error::{BuiltinError, ErrorKind};
use crate::external::Answers;
use crate::go::glob::Glob;
use crate::go::regex::Regex;
use crate::go::unicode::is_print;
use crate::go::zone::Zone;
use crate::graphql::RecentSchemas;
use crate::host::Host;
use crate::json_schema::Schema;
use crate::kept::Kept;
use crate::pattern_cache::PatternCache;
use crate::scratch::{List, Lists, PairLists, Pairs, Text, Texts};

/// So many values fit in one collection.
const VALUES_MAX: usize = 1 << 26;
/// Texts up to this length are not checked against the limit of bytes before they are made.
const TEXT_BYTES_FREE: usize = 1 << 16;
/// So many cases may one test try.
const CASES_MAX: usize = 1 << 20;
/// No text is longer.
const TEXT_BYTES_MAX: usize = 1 << 30;

/// The surroundings of a call.
#[derive(Clone, Copy)]
pub struct Context<'e> {
    /// Where results are made.
    pub arena: &'e Arena,
    /// The world.
    pub host: &'e dyn Host,
    /// What outlives the call, and partly the evaluation.
    pub caches: &'e Caches,
    /// The hosts that built-ins may ask; all if absent.
    pub allow_net: Option<&'e [String]>,
}

impl<'e> Context<'e> {
    /// Returns an empty list to fill, whose memory is used again.
    pub(crate) fn list(&self) -> List<'e> {
        self.caches.lists.take()
    }

    /// Returns an empty list of pairs to fill, whose memory is used again.
    pub(crate) fn pairs(&self) -> Pairs<'e> {
        self.caches.pair_lists.take()
    }

    /// Returns an empty text to fill, whose memory is used again.
    pub(crate) fn text(&self) -> Text<'e> {
        self.caches.texts.take()
    }
}

impl<'e> Context<'e> {
    /// Appends a value as a Rego term.
    pub(crate) fn push_rego(&self, out: &mut String, value: Value<'e>) {
        out.push_str(&self.written(|bytes| value.write_shown(bytes, is_print)));
    }

    /// Returns a value as JSON text.
    pub(crate) fn json_text(&self, value: Value<'e>) -> Text<'e> {
        self.written(|bytes| value.write_json(bytes))
    }

    fn written(&self, write: impl FnOnce(&mut Vec<u8>)) -> Text<'e> {
        let mut text = self.text();
        let mut bytes = std::mem::take(&mut *text).into_bytes();
        write(&mut bytes);
        *text = String::from_utf8(bytes).unwrap_or_default();
        text
    }

    /// Fails once a text that is being made is longer than what may be kept of it.
    #[inline]
    pub(crate) fn check_text(&self, bytes: usize) -> Result<(), BuiltinError> {
        if bytes <= TEXT_BYTES_FREE { Ok(()) } else { self.check_long_text(bytes) }
    }

    #[cold]
    fn check_long_text(&self, bytes: usize) -> Result<(), BuiltinError> {
        if bytes <= TEXT_BYTES_MAX && self.arena.has_room(bytes) && !self.host.cancelled() {
            return Ok(());
        }
        Err(BuiltinError::new(ErrorKind::HaltCancel, "text is longer than the evaluation may keep"))
    }

    /// Says whether so many more values would stay within the limit of bytes.
    pub(crate) fn fits(&self, values: usize) -> bool {
        values < VALUES_MAX && self.arena.has_room(values.saturating_mul(size_of::<Value<'_>>()))
    }
}

impl std::fmt::Debug for Context<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Context").finish_non_exhaustive()
    }
}

/// Memory of built-ins that belongs to one thread's scratch.
#[derive(Debug, Default)]
pub struct Caches {
    /// Compiled patterns; kept between evaluations, bounded.
    pub(crate) regexes: RefCell<PatternCache<Regex>>,
    /// Compiled globs; kept between evaluations, bounded.
    pub(crate) globs: RefCell<PatternCache<Glob>>,
    /// Keys to verify with by the text they come from; kept between evaluations, bounded.
    pub(crate) keys: RefCell<PatternCache<KeySet>>,
    /// Time zones by name; kept between evaluations, bounded.
    pub(crate) zones: RefCell<PatternCache<Zone>>,
    /// JSON schemas by their text; kept between evaluations, bounded.
    pub(crate) schemas: RefCell<PatternCache<Schema>>,
    /// GraphQL schemas by their text; kept between evaluations, bounded.
    pub(crate) graphql_schemas: RefCell<RecentSchemas>,
    lists: Lists,
    pair_lists: PairLists,
    texts: Texts,
    /// Where the call stands, for `print`; empty unless the engine says so.
    position: RefCell<String>,
    /// The clock, read once an evaluation.
    now_ns: RefCell<Option<i64>>,
    /// Results of impure built-ins by name and arguments, so that one evaluation sees one answer.
    memo: RefCell<HashMap<String, Arc<Document>>>,
    /// The cases that a test said it tries, as paths; none if nobody asks.
    cases: RefCell<Option<Vec<Vec<String>>>>,
    /// Answers of the network by built-in and question, lent to the evaluation.
    pub(crate) answers: Kept<Result<Document, Fault>>,
    /// Answers of those who keep external documents, lent to the evaluation.
    pub(crate) external: Answers,
}

impl Caches {
    /// Forgets what must not outlive an evaluation.
    pub fn begin(&mut self) {
        *self.now_ns.get_mut() = None;
        self.answers.clear();
        self.external.clear();
        let memo = self.memo.get_mut();
        if !memo.is_empty() {
            memo.clear();
        }
    }

    /// Asks that the next evaluations note the cases of tests; forgets those that were noted.
    pub fn collect_cases(&self) {
        *self.cases.borrow_mut() = Some(Vec::new());
    }

    /// Returns the cases that were noted and goes on without noting.
    #[must_use]
    pub fn take_cases(&self) -> Vec<Vec<String>> {
        self.cases.borrow_mut().take().unwrap_or_default()
    }

    /// Notes a case of a test if somebody asks.
    pub(crate) fn note_case(
        &self,
        case: impl FnOnce() -> Result<Vec<String>, BuiltinError>,
    ) -> Result<(), BuiltinError> {
        let mut cases = self.cases.borrow_mut();
        let Some(cases) = cases.as_mut() else { return Ok(()) };
        if cases.len() >= CASES_MAX {
            return Err(BuiltinError::new(ErrorKind::HaltCancel, "test has too many cases"));
        }
        cases.push(case()?);
        Ok(())
    }

    /// Says where the next call of `print` stands (`file:row`).
    pub fn set_position(&self, position: &str) {
        let mut own = self.position.borrow_mut();
        own.clear();
        own.push_str(position);
    }

    /// Calls the function with where the call of `print` stands.
    pub(crate) fn with_position(&self, use_it: impl FnOnce(&str)) {
        use_it(&self.position.borrow());
    }

    /// Returns the time of this evaluation, the same at every call.
    pub fn now_ns(&self, host: &dyn Host) -> i64 {
        *self.now_ns.borrow_mut().get_or_insert_with(|| host.now_ns())
    }

    /// Returns what an impure built-in answered before in this evaluation for the key.
    #[must_use]
    pub fn remembered(&self, key: &str) -> Option<Arc<Document>> {
        self.memo.borrow().get(key).cloned()
    }

    /// Keeps the answer of an impure built-in for this evaluation.
    pub fn remember(&self, key: String, answer: Document) {
        self.memo.borrow_mut().insert(key, Arc::new(answer));
    }
}
