//! Answers that outlive their evaluation, within bounds of real bytes.
//!
//! What is asked for and how long it holds is in the request and in `freshness`; here is what stays. The oldest goes
//! first. It sends nothing.

use std::collections::{BTreeMap, HashMap};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use lictor::http::{HttpCaching, HttpResponse};

use crate::http::freshness::{after, expiry_ns, may_store};

/// Codes whose answers are kept.
const KEPT_CODES: &[u16] = &[200, 203, 204, 206, 300, 301, 404, 405, 410, 414, 501];

/// What an entry takes besides its texts.
const ENTRY_BYTES: usize = 256;

/// How much is kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct CacheLimits {
    /// Bytes of keys, headers and bodies together.
    pub bytes_max: usize,
    /// After so many seconds without it, what is not fresh any more is thrown away; never if 0.
    pub stale_seconds: u32,
}

impl Default for CacheLimits {
    fn default() -> Self {
        Self { bytes_max: 256 << 20, stale_seconds: 0 }
    }
}

/// Kept answers by their keys.
pub(crate) struct Cache {
    limits: CacheLimits,
    kept: Mutex<Kept>,
}

#[derive(Default)]
struct Kept {
    entries: HashMap<Arc<str>, Entry>,
    /// Keys in the order in which they came.
    order: BTreeMap<u64, Arc<str>>,
    next: u64,
    bytes: usize,
    swept_ns: i64,
}

struct Entry {
    answer: HttpResponse,
    expiry_ns: i64,
    number: u64,
    bytes: usize,
}

impl Cache {
    pub(crate) fn new(limits: CacheLimits) -> Self {
        Self { limits, kept: Mutex::default() }
    }

    /// Returns what is kept for a key and still holds.
    pub(crate) fn fresh(&self, key: &str, now_ns: i64) -> Option<HttpResponse> {
        let kept = self.lock();
        let entry = kept.entries.get(key)?;
        (now_ns < entry.expiry_ns).then(|| entry.answer.clone())
    }

    /// Takes out what is kept for a key.
    pub(crate) fn take(&self, key: &str) -> Option<HttpResponse> {
        self.lock().remove(key).map(|it| it.answer)
    }

    /// Keeps an answer if it may be kept.
    pub(crate) fn keep(&self, caching: &HttpCaching, answer: &HttpResponse) {
        let forced = caching.force_seconds > 0;
        if !caching.may_store || !KEPT_CODES.contains(&answer.status_code) || !(forced || may_store(answer)) {
            return;
        }
        if let Ok(expiry_ns) = expiry(caching, answer) {
            self.insert(caching, answer.clone(), expiry_ns);
        }
    }

    /// Keeps an answer for longer, with the headers of the one that said so, and returns it.
    pub(crate) fn renew(
        &self,
        caching: &HttpCaching,
        mut old: HttpResponse,
        news: &HttpResponse,
    ) -> Result<HttpResponse, String> {
        for (name, values) in &news.headers {
            match old.headers.iter_mut().find(|it| it.0 == *name) {
                Some(header) => header.1.clone_from(values),
                None => old.headers.push((name.clone(), values.clone())),
            }
        }
        old.headers.sort();
        let expiry_ns = expiry(caching, news)?;
        self.insert(caching, old.clone(), expiry_ns);
        Ok(old)
    }

    fn insert(&self, caching: &HttpCaching, answer: HttpResponse, expiry_ns: i64) {
        let key: Arc<str> = caching.key.as_str().into();
        let headers: usize =
            answer.headers.iter().map(|it| it.0.len() + it.1.iter().map(String::len).sum::<usize>()).sum();
        let bytes = ENTRY_BYTES + key.len() + answer.status.len() + headers + answer.body.len();
        let mut kept = self.lock();
        kept.remove(&key);
        kept.sweep(caching.now_ns, self.limits.stale_seconds);
        if bytes > self.limits.bytes_max {
            return;
        }
        while kept.bytes + bytes > self.limits.bytes_max {
            let Some(oldest) = kept.order.first_key_value().map(|it| Arc::clone(it.1)) else { break };
            kept.remove(&oldest);
        }
        let number = kept.next;
        kept.next += 1;
        kept.bytes += bytes;
        kept.order.insert(number, Arc::clone(&key));
        kept.entries.insert(key, Entry { answer, expiry_ns, number, bytes });
    }

    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl Kept {
    fn remove(&mut self, key: &str) -> Option<Entry> {
        let entry = self.entries.remove(key)?;
        self.order.remove(&entry.number);
        self.bytes -= entry.bytes;
        Some(entry)
    }

    /// Throws away what is not fresh any more, every so many seconds.
    fn sweep(&mut self, now_ns: i64, every_seconds: u32) {
        let every = i32::try_from(every_seconds).unwrap_or(i32::MAX);
        if every == 0 || now_ns < after(self.swept_ns, every) {
            return;
        }
        self.swept_ns = now_ns;
        let is_stale = |it: &Entry| it.expiry_ns != i64::MIN && it.expiry_ns < now_ns;
        let stale = self.order.values().filter(|it| self.entries.get(*it).is_some_and(is_stale));
        let stale: Vec<Arc<str>> = stale.cloned().collect();
        for key in stale {
            self.remove(&key);
        }
    }
}

fn expiry(caching: &HttpCaching, answer: &HttpResponse) -> Result<i64, String> {
    if caching.force_seconds > 0 {
        return Ok(after(caching.now_ns, caching.force_seconds));
    }
    expiry_ns(answer)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caching(key: &str, now_ns: i64) -> HttpCaching {
        let key = key.to_owned();
        HttpCaching { key, headers: Vec::new(), force_seconds: 1, may_store: true, now_ns }
    }

    fn answer(body: usize) -> HttpResponse {
        let (status, headers) = ("200 OK".to_owned(), Vec::new());
        HttpResponse { status, status_code: 200, headers, body: vec![b'x'; body] }
    }

    #[test]
    fn the_oldest_goes_first() {
        let cache = Cache::new(CacheLimits { bytes_max: 3_000, stale_seconds: 0 });
        for key in ["a", "b", "c"] {
            cache.keep(&caching(key, 0), &answer(1_000));
        }
        let has = |key: &str| cache.fresh(key, 1).is_some();
        assert_eq!([has("a"), has("b"), has("c")], [false, true, true]);
        cache.keep(&caching("d", 0), &answer(3_000));
        assert_eq!([has("b"), has("c"), has("d")], [true, true, false], "too large to be kept at all");
        assert!(cache.lock().bytes <= 3_000);
        cache.keep(&caching("b", 0), &answer(10));
        cache.keep(&caching("c", 0), &answer(10));
        assert_eq!(cache.lock().bytes, 2 * (ENTRY_BYTES + 1 + 6 + 10));
    }

    #[test]
    fn what_is_stale_is_not_given_and_in_the_end_forgotten() {
        let cache = Cache::new(CacheLimits { bytes_max: 1 << 20, stale_seconds: 10 });
        cache.keep(&caching("a", 0), &answer(1));
        assert!(cache.fresh("a", 999_999_999).is_some() && cache.fresh("a", 1_000_000_000).is_none());
        cache.keep(&caching("b", 9_000_000_000), &answer(1));
        assert_eq!(cache.lock().entries.len(), 2);
        cache.keep(&caching("c", 10_500_000_000), &answer(1));
        assert_eq!(cache.lock().entries.len(), 1);
        assert!(cache.take("c").is_some() && cache.take("c").is_none());
    }
}
