//! What providers answered in one evaluation: documents that are lent to it, and how much was asked.
//!
//! Apart because answers must stay where they are while more come: they stand in blocks that never move. It knows
//! names, not who asked.

use std::cell::{OnceCell, RefCell};
use std::collections::HashMap;

use lictor_value::Document;

/// The first block holds so many answers, each further one twice as many.
const FIRST_BLOCK: usize = 16;
/// More than any limit lets through.
const BLOCKS_MAX: usize = 32;

/// One answer: a document, none, or why it is not known.
pub(crate) type Answer = Result<Option<Document>, String>;

/// The answers of one evaluation.
#[derive(Debug, Default)]
pub(crate) struct Answers {
    places: RefCell<HashMap<String, usize>>,
    blocks: [Block; BLOCKS_MAX],
    /// Documents and bytes that were asked for, by mounted path.
    asked: RefCell<Vec<(usize, usize)>>,
}

type Block = OnceCell<Box<[OnceCell<Answer>]>>;

impl Answers {
    /// Returns what was answered under a name.
    pub(crate) fn get(&self, name: &str) -> Option<&Answer> {
        let (block, at) = place(*self.places.borrow().get(name)?);
        self.blocks.get(block)?.get()?.get(at)?.get()
    }

    /// Keeps an answer; the first under a name stays.
    pub(crate) fn put(&self, name: String, answer: Answer) {
        let mut places = self.places.borrow_mut();
        let number = places.len();
        if places.contains_key(&name) {
            return;
        }
        let (index, at) = place(number);
        let Some(block) = self.blocks.get(index) else { return };
        let cells = block.get_or_init(|| (0..FIRST_BLOCK << index).map(|_| OnceCell::new()).collect());
        if cells.get(at).is_some_and(|it| it.set(answer).is_ok()) {
            places.insert(name, number);
        }
    }

    /// Counts documents that are asked for; if they are too many, says of how many.
    pub(crate) fn take_documents(&self, mount: usize, count: usize, max: usize) -> Result<(), usize> {
        self.with_asked(mount, |asked| {
            let all = asked.0.saturating_add(count);
            if all > max {
                return Err(all);
            }
            asked.0 = all;
            Ok(())
        })
    }

    pub(crate) fn documents_left(&self, mount: usize, max: usize) -> usize {
        self.with_asked(mount, |asked| max.saturating_sub(asked.0))
    }

    /// Counts bytes that came; says whether they are within the limit.
    pub(crate) fn take_bytes(&self, mount: usize, bytes: usize, max: usize) -> bool {
        self.with_asked(mount, |asked| {
            asked.1 = asked.1.saturating_add(bytes);
            asked.1 <= max
        })
    }

    fn with_asked<R>(&self, mount: usize, use_it: impl FnOnce(&mut (usize, usize)) -> R) -> R {
        let mut asked = self.asked.borrow_mut();
        if asked.len() <= mount {
            asked.resize(mount + 1, (0, 0));
        }
        use_it(&mut asked[mount])
    }

    /// Forgets everything.
    pub(crate) fn clear(&mut self) {
        if !self.places.get_mut().is_empty() || !self.asked.get_mut().is_empty() {
            *self = Self::default();
        }
    }
}

/// Returns the block of an answer, and its place there.
fn place(number: usize) -> (usize, usize) {
    let block = (number / FIRST_BLOCK + 1).ilog2() as usize;
    (block, number - FIRST_BLOCK * ((1 << block) - 1))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn answers_stay_where_they_are() {
        let mut answers = Answers::default();
        answers.put("x".to_owned(), Ok(None));
        let first = std::ptr::from_ref(answers.get("x").expect("there"));
        for number in 0..5_000 {
            answers.put(number.to_string(), Err(number.to_string()));
        }
        answers.put("7".to_owned(), Ok(None));
        assert!(
            (0..5_000)
                .all(|it| matches!(answers.get(&it.to_string()), Some(Err(why)) if *why == it.to_string()))
        );
        assert!(std::ptr::eq(first, answers.get("x").expect("there")));
        assert!(answers.take_bytes(0, 3, 3) && !answers.take_bytes(0, 1, 3));
        answers.clear();
        assert!(answers.get("x").is_none() && answers.take_bytes(0, 3, 3));
    }

    #[test]
    fn documents_are_counted_by_mount() {
        let answers = Answers::default();
        assert_eq!(answers.take_documents(1, 3, 4), Ok(()));
        assert_eq!(answers.take_documents(1, 2, 4), Err(5));
        assert_eq!((answers.documents_left(1, 4), answers.documents_left(0, 4)), (1, 4));
    }
}
