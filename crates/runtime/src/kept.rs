//! A list that only grows while it is shared, so that what it holds can be lent for as long as the list itself.
//!
//! Apart because answers of the network are values of an evaluation: they are kept here, and the evaluation holds
//! them without a copy. It knows nothing of what it keeps.

use std::cell::OnceCell;

/// Things by their key, from the oldest to the newest.
#[derive(Debug)]
pub(crate) struct Kept<T> {
    first: OnceCell<Box<Node<T>>>,
}

#[derive(Debug)]
struct Node<T> {
    key: String,
    thing: T,
    next: OnceCell<Box<Self>>,
}

impl<T> Default for Kept<T> {
    fn default() -> Self {
        Self { first: OnceCell::new() }
    }
}

impl<T> Kept<T> {
    /// Returns what is kept for the key.
    pub(crate) fn get(&self, key: &str) -> Option<&T> {
        let mut place = &self.first;
        while let Some(node) = place.get() {
            if node.key == key {
                return Some(&node.thing);
            }
            place = &node.next;
        }
        None
    }

    /// Keeps a thing and returns it.
    pub(crate) fn push(&self, key: String, thing: T) -> &T {
        let mut place = &self.first;
        while let Some(node) = place.get() {
            place = &node.next;
        }
        &place.get_or_init(|| Box::new(Node { key, thing, next: OnceCell::new() })).thing
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        // One by one: a long chain that drops itself would fill the stack.
        let mut next = self.first.take();
        while let Some(mut node) = next {
            next = node.next.take();
        }
    }
}

impl<T> Drop for Kept<T> {
    fn drop(&mut self) {
        self.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn things_are_found_and_forgotten() {
        let mut kept = Kept::default();
        let one = kept.push("a".to_owned(), 1);
        kept.push("b".to_owned(), 2);
        assert_eq!((*one, kept.get("a"), kept.get("b"), kept.get("c")), (1, Some(&1), Some(&2), None));
        for it in 0..20_000 {
            kept.push(String::new(), it);
        }
        kept.clear();
        assert_eq!(kept.get("a"), None);
    }
}
