//! Arguments of types that only templates have: Go's `int`, `bool`, `nil`, lists, maps, and numbers kept as text.
//!
//! Apart from `verbs.rs` because these nest: a verb goes down to each element with the same flags. Bounded by the
//! depth of the data, which its reader limits.

use super::Arg;
use super::verbs::Style;

/// An argument beyond those that policies pass to `sprintf`.
#[derive(Clone, Debug, PartialEq)]
pub enum Native<'a> {
    /// `nil`.
    Nil,
    /// `bool`.
    Bool(bool),
    /// `int`.
    Int(i64),
    /// `uint8`.
    Byte(u8),
    /// `complex128`.
    Complex(f64, f64),
    /// `json.Number`, a text that prints as itself.
    Number(&'a str),
    /// `[]interface {}`.
    List(Vec<Arg<'a>>),
    /// `map[string]interface {}`, sorted by key.
    Map(Vec<(&'a str, Arg<'a>)>),
}

impl Native<'_> {
    /// Returns the name of the Go type.
    pub(super) fn type_name(&self) -> &'static str {
        match self {
            Self::Nil => "<nil>",
            Self::Bool(_) => "bool",
            Self::Int(_) => "int",
            Self::Byte(_) => "uint8",
            Self::Complex(..) => "complex128",
            Self::Number(_) => "json.Number",
            Self::List(_) => "[]interface {}",
            Self::Map(_) => "map[string]interface {}",
        }
    }

    /// Says whether Go puts no space beside it in `Sprint`.
    pub(super) fn is_text(&self) -> bool {
        matches!(self, Self::Number(_))
    }
}

/// Where an argument stands: itself in the list of arguments, or inside another.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Place {
    Top,
    Inside,
}

impl Style {
    pub(super) fn native(&self, arg: &Native<'_>, verb: char, place: Place, out: &mut String) {
        let whole = || Arg::Native(arg.clone());
        match (arg, verb) {
            (Native::Nil, _) => self.nil(verb, place, out),
            (Native::Bool(it), 'v' | 't') => self.pad(if *it { "true" } else { "false" }, out),
            (Native::Int(it), _) if self.takes_integer(verb) => self.int(*it, verb, out),
            (Native::Byte(it), 'v') if self.sharp_value => self.hex_of(i64::from(*it), out),
            (Native::Byte(it), _) if self.takes_integer(verb) => self.int(i64::from(*it), verb, out),
            (Native::Complex(real, imaginary), _) if is_float_verb(verb) => {
                out.push('(');
                self.float(*real, verb, out);
                Self { plus: true, ..*self }.float(*imaginary, verb, out);
                out.push_str("i)");
            }
            (Native::Number(it), 'v' | 's' | 'x' | 'X' | 'q') => self.text(it, verb, out),
            (Native::List(_) | Native::Map(_), 'p') => self.pad("0xc000000000", out),
            (Native::List(_) | Native::Map(_), 'w') | (Native::Bool(_) | Native::Number(_), _) => {
                self.bad_verb(&whole(), verb, out);
            }
            (Native::Int(_) | Native::Byte(_) | Native::Complex(..), _) => self.bad_verb(&whole(), verb, out),
            (Native::List(items), _) => self.list(items, verb, out),
            (Native::Map(pairs), _) => self.map(pairs, verb, out),
        }
    }

    fn takes_integer(&self, verb: char) -> bool {
        matches!(verb, 'v' | 'd' | 'b' | 'o' | 'O' | 'x' | 'X' | 'c' | 'q' | 'U')
    }

    fn hex_of(&self, it: i64, out: &mut String) {
        Self { sharp: true, ..*self }.int(it, 'x', out);
    }

    fn nil(&self, verb: char, place: Place, out: &mut String) {
        match (place, verb) {
            (Place::Top, 'v') => self.pad("<nil>", out),
            (Place::Top, _) => {
                out.push_str("%!");
                out.push(verb);
                out.push_str("(<nil>)");
            }
            (Place::Inside, _) if self.sharp_value => out.push_str("interface {}(nil)"),
            (Place::Inside, _) => out.push_str("<nil>"),
        }
    }

    fn list(&self, items: &[Arg<'_>], verb: char, out: &mut String) {
        out.push_str(if self.sharp_value { "[]interface {}{" } else { "[" });
        for (index, item) in items.iter().enumerate() {
            self.separate(index, out);
            self.print_at(item, verb, Place::Inside, out);
        }
        out.push(if self.sharp_value { '}' } else { ']' });
    }

    fn map(&self, pairs: &[(&str, Arg<'_>)], verb: char, out: &mut String) {
        out.push_str(if self.sharp_value { "map[string]interface {}{" } else { "map[" });
        for (index, (key, value)) in pairs.iter().enumerate() {
            self.separate(index, out);
            self.print_at(&Arg::Str(key), verb, Place::Inside, out);
            out.push(':');
            self.print_at(value, verb, Place::Inside, out);
        }
        out.push(if self.sharp_value { '}' } else { ']' });
    }

    fn separate(&self, index: usize, out: &mut String) {
        if index > 0 {
            out.push_str(if self.sharp_value { ", " } else { " " });
        }
    }
}

fn is_float_verb(verb: char) -> bool {
    matches!(verb, 'v' | 'b' | 'g' | 'G' | 'x' | 'X' | 'f' | 'F' | 'e' | 'E')
}
