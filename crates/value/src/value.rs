//! The handle of a value: a small `Copy` pair of a cell and the segment that its reference leads into.
//!
//! Apart because it is what everybody uses; where values live is `arena`'s and `document`'s.

use std::cmp::Ordering;
use std::fmt;
use std::hash::{Hash, Hasher};
use std::marker::PhantomData;

use crate::arena::Place;
use crate::cell::{Cell, tag};
use crate::deep;
use crate::hash;
use crate::node::{Array, Object, Set};
use crate::number::{self, Number, int_value};
use crate::raw::{Segment, inline_text};

/// A Rego value that lives as long as its evaluation (`'e`).
///
/// Equality, order and hash are Rego's: `1` equals `1.0`, types are ordered null, boolean, number, string, array,
/// object, set. Undefined is `None`, never a value.
#[derive(Clone, Copy)]
pub struct Value<'e> {
    pub(crate) cell: Cell,
    pub(crate) segment: &'e Segment,
    /// Handles stay on their thread: the arena behind them is not shared.
    pub(crate) thread: PhantomData<*const ()>,
}

/// The type of a value, in Rego's order of types.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum Kind {
    /// `null`.
    Null,
    /// `true` or `false`.
    Boolean,
    /// A number of any size.
    Number,
    /// A string.
    String,
    /// An array.
    Array,
    /// An object.
    Object,
    /// A set.
    Set,
}

impl Kind {
    /// Returns the name that OPA uses in texts: `null`, `boolean`, `number` …
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Null => "null",
            Self::Boolean => "boolean",
            Self::Number => "number",
            Self::String => "string",
            Self::Array => "array",
            Self::Object => "object",
            Self::Set => "set",
        }
    }
}

impl Value<'static> {
    /// `null`.
    pub const NULL: Self = Self::constant(Cell::NULL);
    /// `true`.
    pub const TRUE: Self = Self::constant(Cell::TRUE);
    /// `false`.
    pub const FALSE: Self = Self::constant(Cell::FALSE);

    const fn constant(cell: Cell) -> Self {
        Self { cell, segment: NO_SEGMENT, thread: PhantomData }
    }
}

const NO_SEGMENT: &Segment = Segment::empty();

impl<'e> Value<'e> {
    #[inline]
    pub(crate) const fn inline(cell: Cell) -> Self {
        Self { cell, segment: NO_SEGMENT, thread: PhantomData }
    }

    /// The empty collection of a tag.
    pub(crate) const fn empty(tag: u8) -> Self {
        Self::inline(Cell::reference(tag, 0, 0))
    }

    #[inline]
    pub(crate) fn reference(tag: u8, place: Place<'e>) -> Self {
        Self::at(tag, place.segment, place.at)
    }

    #[inline]
    pub(crate) fn at(tag: u8, segment: &'e Segment, at: u32) -> Self {
        Self { cell: Cell::reference(tag, 0, at), segment, thread: PhantomData }
    }

    /// Reads a cell that stands in a segment.
    #[inline]
    pub(crate) fn load(segment: &'e Segment, cell: Cell) -> Self {
        if !cell.is_reference() {
            return Self::inline(cell);
        }
        let home = segment.linked(cell.segment());
        Self { cell: cell.with_segment(0), segment: home, thread: PhantomData }
    }

    /// Returns `true` or `false`.
    #[inline]
    #[must_use]
    pub fn bool(value: bool) -> Self {
        Self::inline(if value { Cell::TRUE } else { Cell::FALSE })
    }

    /// Returns a small integer without an arena; none beyond 56 bits.
    #[inline]
    #[must_use]
    pub fn small_int(value: i64) -> Option<Self> {
        Cell::int(value).map(Self::inline)
    }

    /// Returns a string of at most 7 bytes without an arena.
    #[must_use]
    pub fn short_string(text: &str) -> Option<Self> {
        Cell::inline(tag::STRING, text.as_bytes()).map(Self::inline)
    }

    /// Returns a mark that an engine may keep in a register beside values: no value, and never to be stored.
    #[inline]
    #[must_use]
    pub fn handle(number: u32) -> Self {
        Self::inline(Cell(u64::from(number) << 32 | u64::from(tag::HANDLE)))
    }

    /// Returns the number of a mark made by [`Self::handle`].
    #[inline]
    #[must_use]
    pub fn as_handle(self) -> Option<u32> {
        (self.cell.tag() == tag::HANDLE).then(|| self.cell.offset())
    }

    /// Returns an empty array.
    #[must_use]
    pub fn empty_array() -> Self {
        Self::empty(tag::ARRAY)
    }

    /// Returns an empty object.
    #[must_use]
    pub fn empty_object() -> Self {
        Self::empty(tag::OBJECT)
    }

    /// Returns an empty set.
    #[must_use]
    pub fn empty_set() -> Self {
        Self::empty(tag::SET)
    }

    /// Returns the type.
    #[inline]
    #[must_use]
    pub fn kind(self) -> Kind {
        match self.cell.tag() {
            tag::NULL | tag::REMOVED => Kind::Null,
            tag::FALSE | tag::TRUE => Kind::Boolean,
            tag::INT | tag::NUMBER_REF => Kind::Number,
            tag::STRING_REF => Kind::String,
            tag::ARRAY => Kind::Array,
            tag::OBJECT => Kind::Object,
            tag::SET => Kind::Set,
            it if it & 0xf8 == tag::STRING => Kind::String,
            it if it & 0xf8 == tag::NUMBER => Kind::Number,
            _ => Kind::Null,
        }
    }

    /// Says whether this is `null`.
    #[inline]
    #[must_use]
    pub fn is_null(self) -> bool {
        self.cell == Cell::NULL
    }

    /// Says whether this is `false`.
    #[inline]
    #[must_use]
    pub fn is_false(self) -> bool {
        self.cell == Cell::FALSE
    }

    /// Says whether this is `true`.
    #[inline]
    #[must_use]
    pub fn is_true(self) -> bool {
        self.cell == Cell::TRUE
    }

    /// Says whether this is a string.
    #[inline]
    #[must_use]
    pub fn is_string(self) -> bool {
        self.cell.is_string()
    }

    /// Returns the boolean.
    #[must_use]
    pub fn as_bool(self) -> Option<bool> {
        match self.cell {
            Cell::TRUE => Some(true),
            Cell::FALSE => Some(false),
            _ => None,
        }
    }

    /// Returns the string; a short one stands in the handle itself, so the borrow is of the handle.
    #[inline]
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        self.cell.is_string().then(|| self.text_at())
    }

    /// The text of a string or a number that is no inline integer.
    #[inline]
    pub(crate) fn text_at(&self) -> &str {
        if self.cell.is_reference() { self.segment.text(self.cell.offset()) } else { inline_text(&self.cell) }
    }

    /// Says whether the texts of two references are the same.
    #[inline]
    pub(crate) fn same_text(self, other: Value<'_>) -> bool {
        let (at, other_at) = (self.cell.offset(), other.cell.offset());
        at == other_at && std::ptr::eq(self.segment, other.segment)
            || self.segment.same_text(at, other.segment, other_at)
    }

    /// Returns the integer if the number is written as one and fits 64 bits (`1.0` and `1e3` are not).
    #[inline]
    #[must_use]
    pub fn as_i64(self) -> Option<i64> {
        if self.cell.tag() == tag::INT {
            return Some(self.cell.as_int());
        }
        (self.kind() == Kind::Number).then(|| self.text_at().parse().ok()).flatten()
    }

    /// Returns the number for arithmetic.
    #[must_use]
    pub fn as_number(self) -> Option<Number> {
        if self.cell.tag() == tag::INT {
            return Some(Number::Int(self.cell.as_int()));
        }
        (self.kind() == Kind::Number).then(|| Number::parse(self.text_at())).flatten()
    }

    /// Returns the text of a number as it was written or computed.
    #[must_use]
    pub fn number_text(&self) -> Option<NumberText<'_>> {
        if self.cell.tag() == tag::INT {
            return Some(NumberText::of_int(self.cell.as_int()));
        }
        (self.kind() == Kind::Number).then(|| NumberText(Text::Borrowed(self.text_at())))
    }

    /// Returns the array.
    #[inline]
    #[must_use]
    pub fn as_array(self) -> Option<Array<'e>> {
        (self.cell.tag() == tag::ARRAY).then(|| Array::new(self.segment, self.cell.offset()))
    }

    /// Returns the set.
    #[inline]
    #[must_use]
    pub fn as_set(self) -> Option<Set<'e>> {
        (self.cell.tag() == tag::SET).then(|| Set::new(self.segment, self.cell.offset()))
    }

    /// Returns the object.
    #[inline]
    #[must_use]
    pub fn as_object(self) -> Option<Object<'e>> {
        (self.cell.tag() == tag::OBJECT).then(|| Object::new(self.segment, self.cell.offset()))
    }

    /// Looks a key up as a Rego reference does: an index, an object's key, a member of a set; else undefined.
    #[inline]
    #[must_use]
    pub fn dot(self, key: Value<'e>) -> Option<Self> {
        if self.cell.tag() == tag::OBJECT && key.cell.is_string() {
            return crate::node::field(self.segment, self.cell.offset(), key);
        }
        self.dot_other(key)
    }

    fn dot_other(self, key: Value<'e>) -> Option<Self> {
        match self.cell.tag() {
            tag::OBJECT => self.as_object()?.get(key),
            tag::ARRAY => self.as_array()?.get(key.as_index()?),
            // What was asked with, not the member: they are equal but may be written otherwise, as `1` and `1.0` are.
            tag::SET => self.as_set()?.get(key).map(|_| key),
            _ => None,
        }
    }

    /// Returns the position that a number names in an array: `1.0` names 1, `1e0` names none, though it is equal.
    #[must_use]
    pub fn as_index(self) -> Option<usize> {
        if self.cell.tag() == tag::INT {
            return usize::try_from(self.cell.as_int()).ok();
        }
        int_value(&self.number_text()?).and_then(|it| usize::try_from(it).ok())
    }

    /// Returns how many items, keys or members a collection has.
    #[inline]
    #[must_use]
    pub fn collection_len(self) -> Option<usize> {
        match self.cell.tag() {
            tag::OBJECT => self.as_object().map(Object::len),
            tag::ARRAY => self.as_array().map(Array::len),
            tag::SET => self.as_set().map(Set::len),
            _ => None,
        }
    }

    /// Says whether both handles lead to the same place, which is cheap and implies equality.
    #[inline]
    #[must_use]
    pub fn is_same(self, other: Value<'_>) -> bool {
        self.cell == other.cell && (!self.cell.is_reference() || std::ptr::eq(self.segment, other.segment))
    }

    /// Says whether both are one member of a set or one key of an object: equal, and of the same hash of OPA's.
    ///
    /// Differs from `==` only for numbers beyond the range of a 64-bit float.
    #[inline]
    #[must_use]
    pub fn same_member(self, other: Value<'_>) -> bool {
        if self.is_same(other) {
            return true;
        }
        match (self.kind(), other.kind()) {
            (Kind::Number, Kind::Number) => {
                self == other
                    && number::same_member(&self.number_text_or_empty(), &other.number_text_or_empty())
            }
            (Kind::Array | Kind::Object | Kind::Set, _) => self.same_composite(other),
            (a, b) => a == b && self == other,
        }
    }

    fn same_composite(self, other: Value<'_>) -> bool {
        self.kind() == other.kind()
            && self.collection_len() == other.collection_len()
            && deep::compare(self, other, same_shallow) == Ordering::Equal
    }

    fn number_text_or_empty(&self) -> NumberText<'_> {
        self.number_text().unwrap_or(NumberText(Text::Borrowed("")))
    }

    /// Returns a hash of the content that agrees with equality.
    #[inline]
    #[must_use]
    pub fn hash(self) -> u64 {
        match self.cell.tag() {
            tag::STRING_REF => hash::hash_bytes(self.text_at().as_bytes()),
            tag::NUMBER_REF => number_hash(self),
            it if it & 0xf8 == tag::NUMBER => number_hash(self),
            tag::ARRAY | tag::OBJECT | tag::SET => {
                deep::hash(self, |it| it.collection_len().is_none().then(|| it.hash()))
            }
            _ => hash::hash_word(self.cell.0),
        }
    }
}

/// Tells whether two values are one member of a set; none if that takes a look into two collections.
fn same_shallow(a: Value<'_>, b: Value<'_>) -> Option<Ordering> {
    let same = if a.is_same(b) {
        true
    } else if a.cell.is_string() || b.cell.is_string() {
        a == b
    } else {
        match (a.collection_len(), b.collection_len()) {
            (Some(x), Some(y)) if x == y && a.kind() == b.kind() => return None,
            (None, None) => a.same_member(b),
            _ => false,
        }
    };
    Some(if same { Ordering::Equal } else { Ordering::Less })
}

/// Hashes a number that is no inline integer as the integer that it equals, or by its nearest float.
fn number_hash(value: Value<'_>) -> u64 {
    let text = value.text_at();
    let float = number::to_f64(text);
    if float.fract() == 0.0 && float.abs() < 36_028_797_018_963_968.0 {
        #[expect(clippy::cast_possible_truncation, reason = "integral and below 2^55")]
        let int = float as i64;
        return Cell::int(int).map_or(0, |it| hash::hash_word(it.0));
    }
    hash::hash_word(float.to_bits())
}

impl PartialEq<Value<'_>> for Value<'_> {
    #[inline]
    fn eq(&self, other: &Value<'_>) -> bool {
        if self.is_same(*other) {
            return true;
        }
        if self.cell.is_string() && other.cell.is_string() {
            return self.cell.is_reference()
                && other.cell.is_reference()
                && self.cell.0 & 0xffff == other.cell.0 & 0xffff
                && self.same_text(*other);
        }
        if self.cell.is_string() || other.cell.is_string() {
            return false;
        }
        equal_slow(*self, *other)
    }
}

fn equal_slow(a: Value<'_>, b: Value<'_>) -> bool {
    match equal_shallow(a, b) {
        Some(order) => order == Ordering::Equal,
        None => deep::compare(a, b, equal_shallow) == Ordering::Equal,
    }
}

/// Tells whether two values are equal; none if that takes a look into two collections.
fn equal_shallow(a: Value<'_>, b: Value<'_>) -> Option<Ordering> {
    if a.is_same(b) {
        return Some(Ordering::Equal);
    }
    let unequal = Some(Ordering::Less);
    if a.cell.is_string() || b.cell.is_string() {
        return if a == b { Some(Ordering::Equal) } else { unequal };
    }
    if a.cell.tag() == tag::INT && b.cell.tag() == tag::INT || a.kind() != b.kind() {
        return unequal;
    }
    match (a.collection_len(), b.collection_len()) {
        (Some(x), Some(y)) if x == y => None,
        (None, None) => compare_shallow(a, b, number::compare_text),
        _ => unequal,
    }
}

impl Eq for Value<'_> {}

impl PartialOrd<Value<'_>> for Value<'_> {
    fn partial_cmp(&self, other: &Value<'_>) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Value<'_> {
    /// Orders by exact values, which is what sorting needs: the comparison of policies, [`compare`], is not
    /// transitive for some fractions (see [`number::compare_text`]).
    fn cmp(&self, other: &Self) -> Ordering {
        compare_with(*self, *other, number::order_text)
    }
}

impl Hash for Value<'_> {
    fn hash<H: Hasher>(&self, state: &mut H) {
        state.write_u64(Value::hash(*self));
    }
}

/// How two number texts are ordered.
type OrderNumbers = fn(&str, &str) -> Ordering;

/// Compares by Rego's order, as the comparison operators do; to sort, use [`Ord`].
#[must_use]
#[inline]
pub fn compare(a: Value<'_>, b: Value<'_>) -> Ordering {
    if a.cell.tag() == tag::INT && b.cell.tag() == tag::INT {
        return a.cell.as_int().cmp(&b.cell.as_int());
    }
    compare_with(a, b, number::compare_text)
}

fn compare_with(a: Value<'_>, b: Value<'_>, numbers: OrderNumbers) -> Ordering {
    compare_shallow(a, b, numbers)
        .unwrap_or_else(|| deep::compare(a, b, |a, b| compare_shallow(a, b, numbers)))
}

/// Compares all but two different collections of one kind.
fn compare_shallow(a: Value<'_>, b: Value<'_>, numbers: OrderNumbers) -> Option<Ordering> {
    if a.cell.tag() == tag::INT && b.cell.tag() == tag::INT {
        return Some(a.cell.as_int().cmp(&b.cell.as_int()));
    }
    let (kind, other) = (a.kind(), b.kind());
    if kind != other {
        return Some(kind.cmp(&other));
    }
    match kind {
        Kind::Null => Some(Ordering::Equal),
        Kind::Boolean => Some(a.is_true().cmp(&b.is_true())),
        Kind::Number => Some(numbers(&a.number_text_or_empty(), &b.number_text_or_empty())),
        Kind::String => Some(a.text_at().cmp(b.text_at())),
        Kind::Array | Kind::Object | Kind::Set => a.is_same(b).then_some(Ordering::Equal),
    }
}

impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// The text of a number, on the stack for an integer.
#[derive(Clone, Copy, Debug)]
pub struct NumberText<'a>(Text<'a>);

#[derive(Clone, Copy, Debug)]
enum Text<'a> {
    Borrowed(&'a str),
    Digits { bytes: [u8; 20], start: usize },
}

impl NumberText<'_> {
    fn of_int(value: i64) -> Self {
        let mut bytes = [b'0'; 20];
        let mut start = bytes.len();
        let mut rest = value.unsigned_abs();
        loop {
            start -= 1;
            bytes[start] = b'0' + (rest % 10).to_le_bytes()[0];
            rest /= 10;
            if rest == 0 {
                break;
            }
        }
        if value < 0 {
            start -= 1;
            bytes[start] = b'-';
        }
        Self(Text::Digits { bytes, start })
    }
}

impl std::ops::Deref for NumberText<'_> {
    type Target = str;

    fn deref(&self) -> &str {
        match &self.0 {
            Text::Borrowed(text) => text,
            Text::Digits { bytes, start } => {
                bytes.get(*start..).and_then(|it| std::str::from_utf8(it).ok()).unwrap_or("0")
            }
        }
    }
}
