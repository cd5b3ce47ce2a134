//! Containers while they are being made: arrays appended to, sets added to, objects inserted into.
//!
//! A register holds a handle to one; aliases see each other's changes. Freezing turns it into a value of the arena.

use hashbrown::HashTable;
use lictor_value::{Arena, Value, recycle};

/// Beyond so many entries members are found by hash.
const SCAN_MAX: usize = 8;

/// All containers of an evaluation; positions are handles.
#[derive(Debug, Default)]
pub(crate) struct Builders<'e> {
    list: Vec<Builder<'e>>,
    /// Memory of earlier ones.
    spare: Vec<Spare>,
}

/// The memory of a container that is no longer used.
#[derive(Debug, Default)]
struct Spare {
    keys: Vec<Value<'static>>,
    values: Vec<Value<'static>>,
    index: HashTable<u32>,
}

/// Memory of so many containers is kept between evaluations.
const SPARE_MAX: usize = 256;

#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
enum Form {
    #[default]
    Array,
    Object,
    Set,
    /// A set that is given out as an array, unsorted.
    Bag,
}

#[derive(Debug, Default)]
struct Builder<'e> {
    form: Form,
    keys: Vec<Value<'e>>,
    /// Of an object, beside the keys.
    values: Vec<Value<'e>>,
    index: HashTable<u32>,
    frozen: Option<Value<'e>>,
}

/// What an insertion met.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Inserted {
    Done,
    /// The key holds another value.
    Conflict,
    /// The register holds no container that is being made.
    NoContainer,
}

impl<'e> Builder<'e> {
    fn find(&self, key: Value<'e>) -> Option<usize> {
        if self.keys.len() <= SCAN_MAX {
            return self.keys.iter().position(|it| it.same_member(key));
        }
        let same = |it: &u32| self.keys.get(*it as usize).is_some_and(|it| it.same_member(key));
        self.index.find(key.hash(), same).map(|it| *it as usize)
    }

    fn push_key(&mut self, key: Value<'e>) {
        self.keys.push(key);
        if self.keys.len() <= SCAN_MAX {
            return;
        }
        let start = if self.keys.len() == SCAN_MAX + 1 { 0 } else { self.keys.len() - 1 };
        for position in start..self.keys.len() {
            let Ok(number) = u32::try_from(position) else { return };
            let keys = &self.keys;
            let hash = |it: &u32| keys.get(*it as usize).map_or(0, |it| it.hash());
            self.index.insert_unique(hash(&number), number, hash);
        }
    }

    fn spare(self) -> Spare {
        let mut index = self.index;
        if !index.is_empty() {
            index.clear();
        }
        Spare { keys: recycle(self.keys), values: recycle(self.values), index }
    }
}

impl<'e> Builders<'e> {
    /// Gives the allocations back to where they are kept.
    #[inline]
    pub(crate) fn give_back(mut self, home: &mut Builders<'static>) {
        self.release(0);
        home.list = recycle(self.list);
        home.spare = self.spare;
    }

    /// The number of containers, to be given to [`Self::release`].
    pub(crate) fn mark(&self) -> u32 {
        u32::try_from(self.list.len()).unwrap_or(u32::MAX)
    }

    /// Forgets the containers made since a mark.
    #[inline]
    pub(crate) fn release(&mut self, mark: u32) {
        if self.list.len() > mark as usize {
            self.release_made(mark);
        }
    }

    fn release_made(&mut self, mark: u32) {
        let spare = &mut self.spare;
        for builder in self.list.drain(mark as usize..) {
            if spare.len() < SPARE_MAX {
                spare.push(builder.spare());
            }
        }
    }

    fn make(&mut self, form: Form) -> Value<'e> {
        let handle = self.mark();
        let spare = self.spare.pop().unwrap_or_default();
        self.list.push(Builder {
            form,
            keys: recycle(spare.keys),
            values: recycle(spare.values),
            index: spare.index,
            frozen: None,
        });
        Value::handle(handle)
    }

    pub(crate) fn array(&mut self) -> Value<'e> {
        self.make(Form::Array)
    }

    pub(crate) fn object(&mut self) -> Value<'e> {
        self.make(Form::Object)
    }

    pub(crate) fn bag(&mut self) -> Value<'e> {
        self.make(Form::Bag)
    }

    pub(crate) fn set(&mut self) -> Value<'e> {
        self.make(Form::Set)
    }

    fn form_of(&self, container: Option<Value<'e>>) -> Option<Form> {
        self.list.get(container?.as_handle()? as usize).map(|it| it.form)
    }

    fn open(&mut self, container: Option<Value<'e>>, form: Form) -> Option<&mut Builder<'e>> {
        let handle = container?.as_handle()? as usize;
        let builder = self.list.get_mut(handle)?;
        builder.frozen = None;
        (builder.form == form).then_some(builder)
    }

    pub(crate) fn append(&mut self, array: Option<Value<'e>>, item: Value<'e>) -> Inserted {
        let Some(builder) = self.open(array, Form::Array) else { return Inserted::NoContainer };
        builder.keys.push(item);
        Inserted::Done
    }

    pub(crate) fn add(&mut self, set: Option<Value<'e>>, member: Value<'e>) -> Inserted {
        let form = self.form_of(set).filter(|it| *it == Form::Bag).unwrap_or(Form::Set);
        let Some(builder) = self.open(set, form) else { return Inserted::NoContainer };
        if builder.find(member).is_none() {
            builder.push_key(member);
        }
        Inserted::Done
    }

    pub(crate) fn insert(&mut self, object: Option<Value<'e>>, key: Value<'e>, value: Value<'e>) -> Inserted {
        let Some(builder) = self.open(object, Form::Object) else { return Inserted::NoContainer };
        match builder.find(key).and_then(|it| builder.values.get_mut(it)) {
            Some(place) => *place = value,
            None => {
                builder.push_key(key);
                builder.values.push(value);
            }
        }
        Inserted::Done
    }

    pub(crate) fn insert_once(
        &mut self,
        arena: &'e Arena,
        object: Option<Value<'e>>,
        entry: (Value<'e>, Value<'e>),
    ) -> Inserted {
        let (key, value) = entry;
        let Some(builder) = self.open(object, Form::Object) else { return Inserted::NoContainer };
        match builder.find(key).and_then(|it| builder.values.get(it).copied()) {
            None => {
                builder.push_key(key);
                builder.values.push(value);
                Inserted::Done
            }
            Some(known) if self.freeze(arena, known) == self.freeze(arena, value) => Inserted::Done,
            Some(_) => Inserted::Conflict,
        }
    }

    /// Looks a key up in an object or array that is being made.
    pub(crate) fn dot(&self, container: Value<'e>, key: Value<'e>) -> Option<Value<'e>> {
        let Some(handle) = container.as_handle() else { return container.dot(key) };
        let builder = self.list.get(handle as usize)?;
        match builder.form {
            Form::Object => builder.values.get(builder.find(key)?).copied(),
            Form::Array => builder.keys.get(key.as_index()?).copied(),
            Form::Set | Form::Bag => builder.find(key).map(|_| key),
        }
    }

    /// Returns the value: of a container, and of those inside it, the frozen ones.
    pub(crate) fn freeze(&mut self, arena: &'e Arena, value: Value<'e>) -> Value<'e> {
        let Some(handle) = value.as_handle() else { return value };
        let Some(builder) = self.list.get_mut(handle as usize) else { return Value::NULL };
        if let Some(frozen) = builder.frozen {
            return frozen;
        }
        let mut taken = std::mem::take(builder);
        let frozen = match taken.form {
            Form::Array | Form::Bag => {
                self.freeze_all(arena, &mut taken.keys);
                arena.array(&taken.keys)
            }
            Form::Set => {
                self.freeze_all(arena, &mut taken.keys);
                arena.set(&mut taken.keys)
            }
            Form::Object => {
                self.freeze_all(arena, &mut taken.values);
                self.freeze_object(arena, &taken)
            }
        };
        taken.frozen = Some(frozen);
        if taken.form == Form::Set && !taken.index.is_empty() {
            // Sorting moved the members; a later addition must find them.
            taken.index.clear();
            let members = std::mem::take(&mut taken.keys);
            members.into_iter().for_each(|it| taken.push_key(it));
        }
        if let Some(place) = self.list.get_mut(handle as usize) {
            *place = taken;
        }
        frozen
    }

    fn freeze_all(&mut self, arena: &'e Arena, values: &mut [Value<'e>]) {
        for value in values {
            *value = self.freeze(arena, *value);
        }
    }

    fn freeze_object(&mut self, arena: &'e Arena, builder: &Builder<'e>) -> Value<'e> {
        arena.object_of(&builder.keys, &builder.values)
    }
}
