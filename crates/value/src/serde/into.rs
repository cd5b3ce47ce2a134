//! The serializer: a program's type into an arena.
//!
//! It keeps nothing between values but the arena; what a collection holds is gathered on the way and laid out at
//! its end.

use ::serde::ser::{self, Impossible, Serialize};

use crate::arena::Arena;
use crate::serde::{DEPTH_MAX, SerdeError};
use crate::value::Value;

type Made<'e> = Result<Value<'e>, SerdeError>;

/// Makes one value.
#[derive(Clone, Copy)]
pub(super) struct Maker<'e> {
    arena: &'e Arena,
    depth: usize,
}

impl<'e> Maker<'e> {
    pub(super) fn new(arena: &'e Arena) -> Self {
        Self { arena, depth: 0 }
    }

    fn deeper(self) -> Result<Self, SerdeError> {
        if self.depth >= DEPTH_MAX {
            return Err(SerdeError::too_deep());
        }
        Ok(Self { depth: self.depth + 1, ..self })
    }

    fn number(self, text: &str) -> Made<'e> {
        Ok(self.arena.number_text(text))
    }

    fn items(self, len: Option<usize>, variant: Option<&'static str>) -> Result<Items<'e>, SerdeError> {
        // A length is a hint, and not to be trusted with memory.
        let items = Vec::with_capacity(len.unwrap_or(0).min(1_024));
        Ok(Items { maker: self.deeper()?, items, variant })
    }

    fn entries(self, len: Option<usize>, variant: Option<&'static str>) -> Result<Entries<'e>, SerdeError> {
        let entries = Vec::with_capacity(len.unwrap_or(0).min(1_024));
        Ok(Entries { maker: self.deeper()?, entries, key: None, variant })
    }

    /// Returns the value, or the object that says which variant it is of.
    fn tagged(self, variant: Option<&str>, value: Value<'e>) -> Made<'e> {
        Ok(match variant {
            Some(name) => self.arena.object_sorted(&[(self.arena.string(name), value)]),
            None => value,
        })
    }
}

impl<'e> ser::Serializer for Maker<'e> {
    type Ok = Value<'e>;
    type Error = SerdeError;
    type SerializeSeq = Items<'e>;
    type SerializeTuple = Items<'e>;
    type SerializeTupleStruct = Items<'e>;
    type SerializeTupleVariant = Items<'e>;
    type SerializeMap = Entries<'e>;
    type SerializeStruct = Entries<'e>;
    type SerializeStructVariant = Entries<'e>;

    fn serialize_bool(self, value: bool) -> Made<'e> {
        Ok(Value::bool(value))
    }

    fn serialize_i8(self, value: i8) -> Made<'e> {
        self.serialize_i64(value.into())
    }

    fn serialize_i16(self, value: i16) -> Made<'e> {
        self.serialize_i64(value.into())
    }

    fn serialize_i32(self, value: i32) -> Made<'e> {
        self.serialize_i64(value.into())
    }

    fn serialize_i64(self, value: i64) -> Made<'e> {
        Ok(self.arena.int(value))
    }

    fn serialize_i128(self, value: i128) -> Made<'e> {
        self.number(&value.to_string())
    }

    fn serialize_u8(self, value: u8) -> Made<'e> {
        self.serialize_i64(value.into())
    }

    fn serialize_u16(self, value: u16) -> Made<'e> {
        self.serialize_i64(value.into())
    }

    fn serialize_u32(self, value: u32) -> Made<'e> {
        self.serialize_i64(value.into())
    }

    fn serialize_u64(self, value: u64) -> Made<'e> {
        match i64::try_from(value) {
            Ok(value) => self.serialize_i64(value),
            Err(_) => self.number(&value.to_string()),
        }
    }

    fn serialize_u128(self, value: u128) -> Made<'e> {
        self.number(&value.to_string())
    }

    fn serialize_f32(self, value: f32) -> Made<'e> {
        if value.is_finite() { self.number(&format!("{value:?}")) } else { Ok(Value::NULL) }
    }

    /// The shortest text that reads back as the same float; null if it is none.
    fn serialize_f64(self, value: f64) -> Made<'e> {
        if value.is_finite() { self.number(&format!("{value:?}")) } else { Ok(Value::NULL) }
    }

    fn serialize_char(self, value: char) -> Made<'e> {
        self.serialize_str(value.encode_utf8(&mut [0; 4]))
    }

    fn serialize_str(self, value: &str) -> Made<'e> {
        Ok(self.arena.string(value))
    }

    fn serialize_bytes(self, value: &[u8]) -> Made<'e> {
        let items: Vec<Value<'e>> = value.iter().map(|it| self.arena.int(i64::from(*it))).collect();
        Ok(self.arena.array(&items))
    }

    fn serialize_none(self) -> Made<'e> {
        Ok(Value::NULL)
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Made<'e> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Made<'e> {
        Ok(Value::NULL)
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Made<'e> {
        Ok(Value::NULL)
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Made<'e> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Made<'e> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        value: &T,
    ) -> Made<'e> {
        let value = value.serialize(self.deeper()?)?;
        self.tagged(Some(variant), value)
    }

    fn serialize_seq(self, len: Option<usize>) -> Result<Items<'e>, SerdeError> {
        self.items(len, None)
    }

    fn serialize_tuple(self, len: usize) -> Result<Items<'e>, SerdeError> {
        self.items(Some(len), None)
    }

    fn serialize_tuple_struct(self, _name: &'static str, len: usize) -> Result<Items<'e>, SerdeError> {
        self.items(Some(len), None)
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Items<'e>, SerdeError> {
        self.items(Some(len), Some(variant))
    }

    fn serialize_map(self, len: Option<usize>) -> Result<Entries<'e>, SerdeError> {
        self.entries(len, None)
    }

    fn serialize_struct(self, _name: &'static str, len: usize) -> Result<Entries<'e>, SerdeError> {
        self.entries(Some(len), None)
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        variant: &'static str,
        len: usize,
    ) -> Result<Entries<'e>, SerdeError> {
        self.entries(Some(len), Some(variant))
    }
}

/// Gathers an array.
pub(super) struct Items<'e> {
    maker: Maker<'e>,
    items: Vec<Value<'e>>,
    variant: Option<&'static str>,
}

impl<'e> Items<'e> {
    fn add<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
        self.items.push(value.serialize(self.maker)?);
        Ok(())
    }

    fn finish(self) -> Made<'e> {
        self.maker.tagged(self.variant, self.maker.arena.array(&self.items))
    }
}

/// Gathers an object.
pub(super) struct Entries<'e> {
    maker: Maker<'e>,
    entries: Vec<(Value<'e>, Value<'e>)>,
    key: Option<Value<'e>>,
    variant: Option<&'static str>,
}

impl<'e> Entries<'e> {
    fn add<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<(), SerdeError> {
        let value = value.serialize(self.maker)?;
        self.entries.push((self.maker.arena.string(key), value));
        Ok(())
    }

    fn finish(mut self) -> Made<'e> {
        self.maker.tagged(self.variant, self.maker.arena.object(&mut self.entries))
    }
}

impl<'e> ser::SerializeMap for Entries<'e> {
    type Ok = Value<'e>;
    type Error = SerdeError;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Result<(), SerdeError> {
        self.key = Some(key.serialize(KeyMaker { arena: self.maker.arena })?);
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Result<(), SerdeError> {
        let key = self.key.take().ok_or_else(|| SerdeError::new("value without a key"))?;
        self.entries.push((key, value.serialize(self.maker)?));
        Ok(())
    }

    fn end(self) -> Made<'e> {
        self.finish()
    }
}

/// One `impl` for each way of `serde` to hand over items or fields.
macro_rules! gather {
    ($($trait:ident for $type:ident: $method:ident($($key:ident: $key_type:ty)?);)*) => {
        $(impl<'e> ser::$trait for $type<'e> {
            type Ok = Value<'e>;
            type Error = SerdeError;

            fn $method<T: Serialize + ?Sized>(&mut self, $($key: $key_type,)? value: &T) -> Result<(), SerdeError> {
                self.add($($key,)? value)
            }

            fn end(self) -> Made<'e> {
                self.finish()
            }
        })*
    };
}

gather! {
    SerializeSeq for Items: serialize_element();
    SerializeTuple for Items: serialize_element();
    SerializeTupleStruct for Items: serialize_field();
    SerializeTupleVariant for Items: serialize_field();
    SerializeStruct for Entries: serialize_field(key: &'static str);
    SerializeStructVariant for Entries: serialize_field(key: &'static str);
}

/// Makes a key, which is a string in JSON.
struct KeyMaker<'e> {
    arena: &'e Arena,
}

impl<'e> KeyMaker<'e> {
    fn refuse<T>() -> Result<T, SerdeError> {
        Err(SerdeError::new("key must be a string"))
    }
}

/// Keys that are written as their plain text.
macro_rules! text_keys {
    ($($method:ident: $type:ty;)*) => {
        $(fn $method(self, value: $type) -> Made<'e> {
            Ok(self.arena.string(&value.to_string()))
        })*
    };
}

impl<'e> ser::Serializer for KeyMaker<'e> {
    type Ok = Value<'e>;
    type Error = SerdeError;
    type SerializeSeq = Impossible<Value<'e>, SerdeError>;
    type SerializeTuple = Impossible<Value<'e>, SerdeError>;
    type SerializeTupleStruct = Impossible<Value<'e>, SerdeError>;
    type SerializeTupleVariant = Impossible<Value<'e>, SerdeError>;
    type SerializeMap = Impossible<Value<'e>, SerdeError>;
    type SerializeStruct = Impossible<Value<'e>, SerdeError>;
    type SerializeStructVariant = Impossible<Value<'e>, SerdeError>;

    text_keys! {
        serialize_bool: bool;
        serialize_i8: i8;
        serialize_i16: i16;
        serialize_i32: i32;
        serialize_i64: i64;
        serialize_i128: i128;
        serialize_u8: u8;
        serialize_u16: u16;
        serialize_u32: u32;
        serialize_u64: u64;
        serialize_u128: u128;
        serialize_char: char;
    }

    fn serialize_f32(self, _value: f32) -> Made<'e> {
        Self::refuse()
    }

    fn serialize_f64(self, _value: f64) -> Made<'e> {
        Self::refuse()
    }

    fn serialize_str(self, value: &str) -> Made<'e> {
        Ok(self.arena.string(value))
    }

    fn serialize_bytes(self, _value: &[u8]) -> Made<'e> {
        Self::refuse()
    }

    fn serialize_none(self) -> Made<'e> {
        Self::refuse()
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Made<'e> {
        value.serialize(self)
    }

    fn serialize_unit(self) -> Made<'e> {
        Self::refuse()
    }

    fn serialize_unit_struct(self, _name: &'static str) -> Made<'e> {
        Self::refuse()
    }

    fn serialize_unit_variant(self, _name: &'static str, _index: u32, variant: &'static str) -> Made<'e> {
        self.serialize_str(variant)
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _name: &'static str, value: &T) -> Made<'e> {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _value: &T,
    ) -> Made<'e> {
        Self::refuse()
    }

    fn serialize_seq(self, _len: Option<usize>) -> Result<Self::SerializeSeq, SerdeError> {
        Self::refuse()
    }

    fn serialize_tuple(self, _len: usize) -> Result<Self::SerializeTuple, SerdeError> {
        Self::refuse()
    }

    fn serialize_tuple_struct(
        self,
        _name: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleStruct, SerdeError> {
        Self::refuse()
    }

    fn serialize_tuple_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeTupleVariant, SerdeError> {
        Self::refuse()
    }

    fn serialize_map(self, _len: Option<usize>) -> Result<Self::SerializeMap, SerdeError> {
        Self::refuse()
    }

    fn serialize_struct(self, _name: &'static str, _len: usize) -> Result<Self::SerializeStruct, SerdeError> {
        Self::refuse()
    }

    fn serialize_struct_variant(
        self,
        _name: &'static str,
        _index: u32,
        _variant: &'static str,
        _len: usize,
    ) -> Result<Self::SerializeStructVariant, SerdeError> {
        Self::refuse()
    }
}
