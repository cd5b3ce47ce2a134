//! Stand-in until the numbers land.
use num_bigint::BigInt;
use std::cmp::Ordering;
/// x
#[derive(Clone, Debug, PartialEq)]
pub enum Number {
    /// x
    Int(i64),
    /// x
    Big(BigInt),
    /// x
    Float(f64),
}
impl Number {
    /// x
    pub fn parse(t: &str) -> Option<Self> {
        t.parse().ok().map(Self::Int).or_else(|| t.parse().ok().map(Self::Float))
    }
    /// x
    pub fn to_text(&self) -> String {
        match self {
            Self::Int(x) => x.to_string(),
            Self::Big(x) => x.to_string(),
            Self::Float(x) => x.to_string(),
        }
    }
    /// x
    pub fn to_i64(&self) -> Option<i64> {
        match self {
            Self::Int(x) => Some(*x),
            Self::Big(_) => None,
            Self::Float(x) => Some(*x as i64),
        }
    }
}
pub(crate) fn canonical_i64(t: &str) -> Option<i64> {
    t.parse::<i64>().ok().filter(|it| it.to_string() == t)
}
pub(crate) fn compare_text(a: &str, b: &str) -> Ordering {
    to_f64(a).total_cmp(&to_f64(b))
}
pub(crate) fn same_member(a: &str, b: &str) -> bool {
    a == b || (to_f64(a).is_finite() && to_f64(b).is_finite())
}
pub(crate) fn to_f64(t: &str) -> f64 {
    t.parse().unwrap_or(f64::INFINITY)
}
