//! The deserializer: a value into a program's type, and the value as something that can be serialized.
//!
//! Strings of more than seven bytes are lent, shorter ones stand in the handle itself.

use ::serde::de::value::StrDeserializer;
use ::serde::de::{self, DeserializeSeed, IntoDeserializer, Visitor};
use ::serde::forward_to_deserialize_any;
use ::serde::ser::{self, SerializeMap, SerializeSeq};

use crate::deep::Cursor;
use crate::node::ObjectIter;
use crate::serde::{DEPTH_MAX, SerdeError};
use crate::value::{Kind, Value};

/// Reads one value.
#[derive(Clone, Copy)]
pub(super) struct Reader<'e> {
    value: Value<'e>,
    depth: usize,
}

impl<'e> Reader<'e> {
    pub(super) fn new(value: Value<'e>) -> Self {
        Self { value, depth: 0 }
    }

    fn inner(self, value: Value<'e>) -> Self {
        Self { value, depth: self.depth + 1 }
    }

    fn string<V: Visitor<'e>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        if self.value.cell.is_reference() {
            return visitor.visit_borrowed_str(self.value.segment.text(self.value.cell.offset()));
        }
        visitor.visit_str(self.value.text_at())
    }
}

/// Hands a number to a visitor in the smallest of three types that holds it.
fn number<'de, V: Visitor<'de>>(text: &str, visitor: V) -> Result<V::Value, SerdeError> {
    if let Ok(value) = text.parse::<u64>() {
        return visitor.visit_u64(value);
    }
    if let Ok(value) = text.parse::<i64>() {
        return visitor.visit_i64(value);
    }
    if let Ok(value) = text.parse::<i128>() {
        return visitor.visit_i128(value);
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => visitor.visit_f64(value),
        _ => Err(SerdeError::new(format!("number {text} is out of range"))),
    }
}

impl<'e> de::Deserializer<'e> for Reader<'e> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'e>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        let value = self.value;
        match value.kind() {
            Kind::Null => visitor.visit_unit(),
            Kind::Boolean => visitor.visit_bool(value.is_true()),
            Kind::Number => number(value.number_text().as_deref().unwrap_or("0"), visitor),
            Kind::String => self.string(visitor),
            _ if self.depth >= DEPTH_MAX => Err(SerdeError::too_deep()),
            Kind::Array | Kind::Set => visitor.visit_seq(Items { left: Cursor::new(value), reader: self }),
            Kind::Object => visitor.visit_map(Entries::new(self)),
        }
    }

    fn deserialize_option<V: Visitor<'e>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        if self.value.is_null() { visitor.visit_none() } else { visitor.visit_some(self) }
    }

    fn deserialize_newtype_struct<V: Visitor<'e>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'e>>(
        self,
        _name: &'static str,
        _variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        if let Some(name) = self.value.as_str() {
            return visitor.visit_enum(IntoDeserializer::<SerdeError>::into_deserializer(name));
        }
        match self.value.as_object().filter(|it| it.len() == 1).and_then(|it| it.nth(0)) {
            Some((name, content)) if self.depth < DEPTH_MAX => {
                visitor.visit_enum(Variant { name, content: self.inner(content) })
            }
            Some(_) => Err(SerdeError::too_deep()),
            None => Err(SerdeError::new("a variant is a string or an object of one key")),
        }
    }

    fn deserialize_ignored_any<V: Visitor<'e>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_unit()
    }

    forward_to_deserialize_any! {
        <V: Visitor<'e>>
        bool i8 i16 i32 i64 i128 u8 u16 u32 u64 u128 f32 f64 char str string bytes byte_buf unit unit_struct seq
        tuple tuple_struct map struct identifier
    }
}

/// The items of an array or set that are left.
struct Items<'e> {
    left: Cursor<'e>,
    reader: Reader<'e>,
}

impl<'e> de::SeqAccess<'e> for Items<'e> {
    type Error = SerdeError;

    fn next_element_seed<T: DeserializeSeed<'e>>(&mut self, seed: T) -> Result<Option<T::Value>, SerdeError> {
        self.left.next().map(|it| seed.deserialize(self.reader.inner(it))).transpose()
    }
}

/// The entries of an object that are left.
struct Entries<'e> {
    left: Option<ObjectIter<'e>>,
    reader: Reader<'e>,
    value: Option<Value<'e>>,
}

impl<'e> Entries<'e> {
    fn new(reader: Reader<'e>) -> Self {
        Self { left: reader.value.as_object().map(|it| it.iter()), reader, value: None }
    }
}

impl<'e> de::MapAccess<'e> for Entries<'e> {
    type Error = SerdeError;

    fn next_key_seed<K: DeserializeSeed<'e>>(&mut self, seed: K) -> Result<Option<K::Value>, SerdeError> {
        let Some((key, value)) = self.left.as_mut().and_then(Iterator::next) else { return Ok(None) };
        self.value = Some(value);
        seed.deserialize(KeyReader { reader: self.reader.inner(key) }).map(Some)
    }

    fn next_value_seed<T: DeserializeSeed<'e>>(&mut self, seed: T) -> Result<T::Value, SerdeError> {
        let value = self.value.take().ok_or_else(|| SerdeError::new("value without a key"))?;
        seed.deserialize(self.reader.inner(value))
    }
}

/// Reads a key: a string that may stand for a number or a boolean, as JSON has no other keys.
struct KeyReader<'e> {
    reader: Reader<'e>,
}

macro_rules! number_keys {
    ($($method:ident)*) => {
        $(fn $method<V: Visitor<'e>>(self, visitor: V) -> Result<V::Value, SerdeError> {
            match self.reader.value.as_str() {
                Some(text) => number(text, visitor),
                None => self.reader.$method(visitor),
            }
        })*
    };
}

impl<'e> de::Deserializer<'e> for KeyReader<'e> {
    type Error = SerdeError;

    fn deserialize_any<V: Visitor<'e>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        self.reader.deserialize_any(visitor)
    }

    number_keys! {
        deserialize_i8 deserialize_i16 deserialize_i32 deserialize_i64 deserialize_i128
        deserialize_u8 deserialize_u16 deserialize_u32 deserialize_u64 deserialize_u128
    }

    fn deserialize_bool<V: Visitor<'e>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        match self.reader.value.as_str() {
            Some("true") => visitor.visit_bool(true),
            Some("false") => visitor.visit_bool(false),
            _ => self.reader.deserialize_any(visitor),
        }
    }

    fn deserialize_option<V: Visitor<'e>>(self, visitor: V) -> Result<V::Value, SerdeError> {
        visitor.visit_some(self)
    }

    fn deserialize_newtype_struct<V: Visitor<'e>>(
        self,
        _name: &'static str,
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        visitor.visit_newtype_struct(self)
    }

    fn deserialize_enum<V: Visitor<'e>>(
        self,
        name: &'static str,
        variants: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        self.reader.deserialize_enum(name, variants, visitor)
    }

    forward_to_deserialize_any! {
        <V: Visitor<'e>>
        f32 f64 char str string bytes byte_buf unit unit_struct seq tuple tuple_struct map struct identifier
        ignored_any
    }
}

/// An enum's variant with content.
struct Variant<'e> {
    name: Value<'e>,
    content: Reader<'e>,
}

impl<'e> de::EnumAccess<'e> for Variant<'e> {
    type Error = SerdeError;
    type Variant = Reader<'e>;

    fn variant_seed<V: DeserializeSeed<'e>>(self, seed: V) -> Result<(V::Value, Reader<'e>), SerdeError> {
        let name = self.name.as_str().ok_or_else(|| SerdeError::new("a variant's name is a string"))?;
        let name: StrDeserializer<'_, SerdeError> = name.into_deserializer();
        Ok((seed.deserialize(name)?, self.content))
    }
}

impl<'e> de::VariantAccess<'e> for Reader<'e> {
    type Error = SerdeError;

    fn unit_variant(self) -> Result<(), SerdeError> {
        if self.value.is_null() { Ok(()) } else { Err(SerdeError::new("the variant has no content")) }
    }

    fn newtype_variant_seed<T: DeserializeSeed<'e>>(self, seed: T) -> Result<T::Value, SerdeError> {
        seed.deserialize(self)
    }

    fn tuple_variant<V: Visitor<'e>>(self, _len: usize, visitor: V) -> Result<V::Value, SerdeError> {
        de::Deserializer::deserialize_any(self, visitor)
    }

    fn struct_variant<V: Visitor<'e>>(
        self,
        _fields: &'static [&'static str],
        visitor: V,
    ) -> Result<V::Value, SerdeError> {
        de::Deserializer::deserialize_any(self, visitor)
    }
}

/// A value at a depth, so that what it is serialized into is not nested without end.
struct Nested<'e> {
    value: Value<'e>,
    depth: usize,
}

impl ser::Serialize for Nested<'_> {
    fn serialize<S: ser::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serialize(self.value, serializer, self.depth)
    }
}

pub(super) fn serialize<S: ser::Serializer>(
    value: Value<'_>,
    serializer: S,
    depth: usize,
) -> Result<S::Ok, S::Error> {
    match value.kind() {
        Kind::Null => serializer.serialize_unit(),
        Kind::Boolean => serializer.serialize_bool(value.is_true()),
        Kind::Number => serialize_number(value.number_text().as_deref().unwrap_or("0"), serializer),
        Kind::String => serializer.serialize_str(value.text_at()),
        _ if depth >= DEPTH_MAX => Err(ser::Error::custom(SerdeError::too_deep())),
        Kind::Array | Kind::Set => {
            let mut items = serializer.serialize_seq(value.collection_len())?;
            Cursor::new(value)
                .try_for_each(|it| items.serialize_element(&Nested { value: it, depth: depth + 1 }))?;
            items.end()
        }
        Kind::Object => {
            let mut entries = serializer.serialize_map(value.collection_len())?;
            for (key, item) in value.as_object().into_iter().flat_map(|it| it.iter()) {
                let item = Nested { value: item, depth: depth + 1 };
                match key.as_str() {
                    Some(text) => entries.serialize_entry(text, &item)?,
                    None => entries.serialize_entry(&key.to_json(), &item)?,
                }
            }
            entries.end()
        }
    }
}

fn serialize_number<S: ser::Serializer>(text: &str, serializer: S) -> Result<S::Ok, S::Error> {
    if let Ok(value) = text.parse::<u64>() {
        return serializer.serialize_u64(value);
    }
    if let Ok(value) = text.parse::<i64>() {
        return serializer.serialize_i64(value);
    }
    match text.parse::<f64>() {
        Ok(value) if value.is_finite() => serializer.serialize_f64(value),
        _ => Err(ser::Error::custom(format!("number {text} is out of range"))),
    }
}
