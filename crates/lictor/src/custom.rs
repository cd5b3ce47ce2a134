//! Built-ins of the embedder: what they are told the compiler and the machine.
//!
//! Apart because embedders write against it. What a built-in says of itself here decides when it is called: a pure one
//! may be evaluated once while compiling, an impure one never; one that waits keeps its decisions off serving threads.

use std::fmt;
use std::sync::Arc;

use lictor_runtime::{BuiltinError, Context, CustomFn};
use lictor_value::{Arena, Array, Document, Kind, Object, Set, Value};

/// A built-in of the embedder.
///
/// ```
/// use lictor::{CustomBuiltin, Engine, Input, Options, Session};
///
/// // What the function needs it brings along.
/// let prices = std::collections::HashMap::from([("tea".to_owned(), 3)]);
/// let price = CustomBuiltin::new("shop.price", "str -> num", move |ctx, args| {
///     let name = args.first().and_then(|it| it.as_str().map(str::to_owned)).unwrap_or_default();
///     // No price is undefined, not an error.
///     Ok(prices.get(&name).map(|it| ctx.arena.int(*it)))
/// });
/// // The table is another tomorrow, but the same in one decision; a look-up counts as fifty steps of the budget.
/// let price = CustomBuiltin { impure: true, memoize: true, cost_steps: 50, ..price };
///
/// let mut engine = Engine::new(Options::default());
/// engine.add_builtin(price)?;
/// engine.add_module("shop.rego", b"package shop\naffordable if shop.price(input.item) < input.budget", None);
/// let query = engine.compile()?.prepare("data.shop.affordable")?;
/// assert!(!query.may_block());
///
/// let mut answer = Vec::new();
/// let input = Input::Json(br#"{"item": "tea", "budget": 5}"#);
/// query.decide_json(&mut Session::default(), input, &mut answer)?;
/// assert_eq!(answer, b"true");
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone)]
pub struct CustomBuiltin {
    /// The name as policies write it, `acme.lookup`.
    pub name: String,
    /// Operand and result types: `str, [any*] -> bool`; see [`lictor_hir::types`].
    pub declaration: String,
    /// The function.
    pub function: Arc<CustomFn>,
    /// Whether equal operands may give different results.
    pub impure: bool,
    /// Whether a call may wait for something outside; see [`crate::Query::may_block`].
    pub blocking: bool,
    /// How many steps of the budget a call takes besides its own.
    pub cost_steps: u64,
    /// Whether one evaluation asks once for equal operands and keeps the result, so that an impure built-in does not
    /// contradict itself. A kept call takes its steps all the same; an error is not kept.
    pub memoize: bool,
}

impl CustomBuiltin {
    /// Returns a built-in that is pure, waits for nothing and costs no more than a call.
    #[must_use]
    pub fn new(
        name: impl Into<String>,
        declaration: impl Into<String>,
        function: impl for<'e> Fn(Context<'e>, &[Value<'e>]) -> Result<Option<Value<'e>>, BuiltinError>
        + Send
        + Sync
        + 'static,
    ) -> Self {
        Self {
            name: name.into(),
            declaration: declaration.into(),
            function: Arc::new(function),
            impure: false,
            blocking: false,
            cost_steps: 0,
            memoize: false,
        }
    }

    /// Returns what a call runs.
    pub(crate) fn callable(&self) -> Arc<CustomFn> {
        if !self.memoize {
            return Arc::clone(&self.function);
        }
        let (name, function) = (self.name.clone(), Arc::clone(&self.function));
        Self::new("", "", move |ctx, args| remembered(&name, &*function, ctx, args)).function
    }
}

/// Calls a function, unless it was called with these operands before in this evaluation.
fn remembered<'e>(
    name: &str,
    function: &CustomFn,
    ctx: Context<'e>,
    args: &[Value<'e>],
) -> Result<Option<Value<'e>>, BuiltinError> {
    // What stands for one value never begins what stands for others.
    let key = format!("{name}({})", args.iter().map(ToString::to_string).collect::<Vec<_>>().join(","));
    if let Some(known) = ctx.caches.remembered(&key) {
        return Ok(known.root().as_array().and_then(|it| it.get(0)).map(|it| copied(ctx.arena, it)));
    }
    let value = function(ctx, args)?;
    let kept = ctx.arena.array(value.as_slice());
    ctx.caches.remember(key, Document::from_value(kept));
    Ok(value)
}

/// Makes a value anew in an arena.
fn copied<'e>(arena: &'e Arena, value: Value<'_>) -> Value<'e> {
    match value.kind() {
        Kind::Null => Value::NULL,
        Kind::Boolean => Value::bool(value.as_bool().unwrap_or_default()),
        Kind::Number => arena.number_text(value.number_text().as_deref().unwrap_or_default()),
        Kind::String => arena.string(value.as_str().unwrap_or_default()),
        Kind::Array => {
            let items: Vec<Value<'e>> =
                value.as_array().into_iter().flat_map(Array::iter).map(|it| copied(arena, it)).collect();
            arena.array(&items)
        }
        Kind::Set => {
            let mut members: Vec<Value<'e>> =
                value.as_set().into_iter().flat_map(Set::iter).map(|it| copied(arena, it)).collect();
            arena.set(&mut members)
        }
        Kind::Object => {
            let pairs = value.as_object().into_iter().flat_map(Object::iter);
            let mut pairs: Vec<(Value<'e>, Value<'e>)> =
                pairs.map(|(key, value)| (copied(arena, key), copied(arena, value))).collect();
            arena.object(&mut pairs)
        }
    }
}

impl fmt::Debug for CustomBuiltin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("CustomBuiltin")
            .field("name", &self.name)
            .field("declaration", &self.declaration)
            .field("impure", &self.impure)
            .field("blocking", &self.blocking)
            .field("cost_steps", &self.cost_steps)
            .field("memoize", &self.memoize)
            .finish_non_exhaustive()
    }
}
