//! A bounded cache of compiled patterns by their text.
//!
//! Apart because regular expressions and globs share it. It belongs to one thread; the oldest entry goes first.

use std::collections::VecDeque;
use std::sync::Arc;

use foldhash::HashMap;

/// OPA keeps so many of each kind.
const PATTERNS_MAX: usize = 100;

/// Compiled patterns by their text.
#[derive(Debug)]
pub(crate) struct PatternCache<T> {
    compiled: HashMap<Arc<str>, Arc<T>>,
    /// The texts from the oldest to the newest.
    order: VecDeque<Arc<str>>,
}

impl<T> Default for PatternCache<T> {
    fn default() -> Self {
        Self { compiled: HashMap::default(), order: VecDeque::new() }
    }
}

impl<T> PatternCache<T> {
    /// Returns what was compiled for the text, or compiles it; errors are not kept.
    pub(crate) fn get_or_insert<E>(
        &mut self,
        text: &str,
        compile: impl FnOnce() -> Result<T, E>,
    ) -> Result<Arc<T>, E> {
        if let Some(found) = self.get(text) {
            return Ok(found);
        }
        let compiled = Arc::new(compile()?);
        self.insert(text, Arc::clone(&compiled));
        Ok(compiled)
    }

    /// Returns what was compiled for the text.
    pub(crate) fn get(&self, text: &str) -> Option<Arc<T>> {
        self.compiled.get(text).map(Arc::clone)
    }

    /// Keeps what was compiled for the text, which must not be there yet.
    pub(crate) fn insert(&mut self, text: &str, compiled: Arc<T>) {
        if self.order.len() >= PATTERNS_MAX
            && let Some(oldest) = self.order.pop_front()
        {
            self.compiled.remove(&oldest);
        }
        let text: Arc<str> = text.into();
        self.order.push_back(Arc::clone(&text));
        self.compiled.insert(text, compiled);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn oldest_goes_first() {
        let mut cache = PatternCache::default();
        for it in 0..=PATTERNS_MAX {
            let _ = cache.get_or_insert(&it.to_string(), || Ok::<_, ()>(it));
        }
        assert_eq!(cache.compiled.len(), PATTERNS_MAX);
        assert!(!cache.compiled.contains_key("0"));
        let kept = cache.get_or_insert("7", || Err(()));
        assert_eq!(kept.as_deref(), Ok(&7));
        assert_eq!(cache.get_or_insert("none", || Err(())), Err(()));
    }
}
