//! What a built-in gets besides its operands.

use std::cell::RefCell;
use std::collections::HashMap;
use std::sync::Arc;

use lictor_value::{Arena, Document};

use crate::builtins::regex::RegexCache;
use crate::host::Host;

/// The surroundings of a call.
#[derive(Clone, Copy)]
pub struct Context<'e> {
    /// Where results are made.
    pub arena: &'e Arena,
    /// The world.
    pub host: &'e dyn Host,
    /// What outlives the call, and partly the evaluation.
    pub caches: &'e Caches,
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
    pub regexes: RefCell<RegexCache>,
    /// The clock, read once an evaluation.
    now_ns: RefCell<Option<i64>>,
    /// Results of impure built-ins by name and arguments, so that one evaluation sees one answer.
    memo: RefCell<HashMap<String, Arc<Document>>>,
}

impl Caches {
    /// Forgets what must not outlive an evaluation.
    pub fn begin(&self) {
        *self.now_ns.borrow_mut() = None;
        let mut memo = self.memo.borrow_mut();
        if !memo.is_empty() {
            memo.clear();
        }
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
