//! Temporary lists and texts whose memory is kept between calls, so that warm built-ins do not allocate.
//!
//! Apart because values carry the lifetime of their evaluation while the memory outlives it: an empty list is
//! turned into one of another lifetime by collecting it in place, which keeps its buffer. It knows no built-in.

use std::cell::RefCell;
use std::mem;
use std::ops::{Deref, DerefMut};

use lictor_value::Value;

/// A buffer above this many bytes is given back to the system.
const KEPT_BYTES_MAX: usize = 1 << 20;
/// So many buffers of a kind are kept; built-ins nest no deeper in practice.
const KEPT_BUFFERS_MAX: usize = 8;

/// A value's size, as memory without a lifetime.
type ValueWords = [u64; 2];
/// The same for a pair.
type PairWords = [u64; 4];

/// Lists that wait for use.
#[derive(Debug, Default)]
pub(crate) struct Lists(RefCell<Vec<Vec<ValueWords>>>);

/// Lists of pairs that wait for use.
#[derive(Debug, Default)]
pub(crate) struct PairLists(RefCell<Vec<Vec<PairWords>>>);

/// Texts that wait for use.
#[derive(Debug, Default)]
pub(crate) struct Texts(RefCell<Vec<String>>);

impl Lists {
    pub(crate) fn take<'e>(&'e self) -> List<'e> {
        let buffer = self.0.borrow_mut().pop().unwrap_or_default();
        List { items: convert(buffer, Value::NULL), home: self }
    }
}

impl PairLists {
    pub(crate) fn take<'e>(&'e self) -> Pairs<'e> {
        let buffer = self.0.borrow_mut().pop().unwrap_or_default();
        Pairs { items: convert(buffer, (Value::NULL, Value::NULL)), home: self }
    }
}

impl Texts {
    pub(crate) fn take(&self) -> Text<'_> {
        Text { text: self.0.borrow_mut().pop().unwrap_or_default(), home: self }
    }
}

/// Empties the list and returns its memory as an empty list of another type of the same size.
fn convert<A, B: Copy>(mut list: Vec<A>, filler: B) -> Vec<B> {
    list.clear();
    list.into_iter().map(|_| filler).collect()
}

fn keep<T>(home: &RefCell<Vec<Vec<T>>>, buffer: Vec<T>) {
    let mut kept = home.borrow_mut();
    if buffer.capacity() > 0
        && buffer.capacity() * size_of::<T>() <= KEPT_BYTES_MAX
        && kept.len() < KEPT_BUFFERS_MAX
    {
        kept.push(buffer);
    }
}

/// A list of values in reused memory.
#[derive(Debug)]
pub(crate) struct List<'e> {
    items: Vec<Value<'e>>,
    home: &'e Lists,
}

impl Drop for List<'_> {
    fn drop(&mut self) {
        keep(&self.home.0, convert(mem::take(&mut self.items), [0; 2]));
    }
}

impl<'e> Deref for List<'e> {
    type Target = Vec<Value<'e>>;

    fn deref(&self) -> &Self::Target {
        &self.items
    }
}

impl DerefMut for List<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.items
    }
}

/// A list of pairs of values in reused memory.
#[derive(Debug)]
pub(crate) struct Pairs<'e> {
    items: Vec<(Value<'e>, Value<'e>)>,
    home: &'e PairLists,
}

impl Drop for Pairs<'_> {
    fn drop(&mut self) {
        keep(&self.home.0, convert(mem::take(&mut self.items), [0; 4]));
    }
}

impl<'e> Deref for Pairs<'e> {
    type Target = Vec<(Value<'e>, Value<'e>)>;

    fn deref(&self) -> &Self::Target {
        &self.items
    }
}

impl DerefMut for Pairs<'_> {
    fn deref_mut(&mut self) -> &mut Self::Target {
        &mut self.items
    }
}

/// A text in reused memory.
#[derive(Debug)]
pub(crate) struct Text<'e> {
    text: String,
    home: &'e Texts,
}

impl Drop for Text<'_> {
    fn drop(&mut self) {
        let mut text = mem::take(&mut self.text);
        text.clear();
        let mut kept = self.home.0.borrow_mut();
        if text.capacity() > 0 && text.capacity() <= KEPT_BYTES_MAX && kept.len() < KEPT_BUFFERS_MAX {
            kept.push(text);
        }
    }
}

impl Deref for Text<'_> {
    type Target = String;

    fn deref(&self) -> &String {
        &self.text
    }
}

impl DerefMut for Text<'_> {
    fn deref_mut(&mut self) -> &mut String {
        &mut self.text
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn memory_is_used_again() {
        let lists = Lists::default();
        let pointer = {
            let mut list = lists.take();
            list.extend([Value::TRUE; 100]);
            list.as_ptr() as usize
        };
        let list = lists.take();
        assert!(list.is_empty());
        assert!(list.capacity() >= 100);
        assert_eq!(list.as_ptr() as usize, pointer);
        assert!(lists.take().is_empty(), "a second list while the first is in use");
    }

    #[test]
    fn pairs_and_texts_come_back_empty() {
        let (pairs, texts) = (PairLists::default(), Texts::default());
        pairs.take().push((Value::TRUE, Value::NULL));
        texts.take().push('x');
        assert!(pairs.take().is_empty() && pairs.take().capacity() > 0);
        assert!(texts.take().is_empty() && texts.take().capacity() > 0);
    }
}
