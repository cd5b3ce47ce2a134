//! Calls of single built-ins, for targets that need no policy.
//!
//! Apart because two targets share it. The clock stands still, and nothing is kept but what built-ins keep.

use std::cell::RefCell;

use lictor_runtime::{Caches, Context, NullHost, builtin_named};
use lictor_value::{Arena, Value, json};

/// What a thread of evaluations keeps.
#[derive(Default)]
pub(super) struct Calls {
    caches: RefCell<Caches>,
}

impl Calls {
    /// Calls a built-in with texts and looks at the answer; an error is no answer.
    pub(super) fn call<T>(
        &self,
        name: &str,
        operands: &[&str],
        look: impl FnOnce(Option<Value<'_>>) -> T,
    ) -> T {
        let arena = Arena::new();
        let operands: Vec<Value<'_>> = operands.iter().map(|it| text(&arena, it)).collect();
        self.call_values(name, &operands, look)
    }

    /// Calls a built-in and looks at the answer; an error is no answer.
    pub(super) fn call_values<T>(
        &self,
        name: &str,
        operands: &[Value<'_>],
        look: impl FnOnce(Option<Value<'_>>) -> T,
    ) -> T {
        let (_, row) = builtin_named(name).expect("the target names a built-in");
        self.caches.borrow_mut().begin();
        let caches = self.caches.borrow();
        let arena = Arena::new();
        let copy =
            |it: &Value<'_>| json::read(it.to_json().as_bytes(), &arena).expect("our own text is JSON");
        let operands: Vec<Value<'_>> = operands.iter().map(copy).collect();
        let ctx = Context { arena: &arena, host: &NullHost, caches: &caches, allow_net: None };
        look((row.function)(ctx, &operands).ok().flatten())
    }
}

/// Returns a text as a value.
pub(super) fn text<'e>(arena: &'e Arena, text: &str) -> Value<'e> {
    arena.string(text)
}
