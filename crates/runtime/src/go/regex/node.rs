//! The pieces that the regex parser puts together, with the figures its limits need.
//!
//! A node is an HIR fragment plus the height, size and repeat product that Go computes on
//! its own tree, so that the same patterns are refused. It must not know pattern text.

use regex_syntax::hir::{Capture, Class, ClassUnicode, Hir, HirKind, Repetition};

/// The greatest height of a parse tree, as in Go.
pub(super) const HEIGHT_MAX: u32 = 1000;
/// The greatest number of instructions Go allows.
pub(super) const SIZE_MAX: u64 = (128 << 20) / 40;
/// The greatest product of nested repeat counts, as in Go.
pub(super) const REPEAT_MAX: u32 = 1000;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shape {
    Concat,
    Alternate,
    Other,
}

/// A parsed fragment.
#[derive(Debug)]
pub(super) struct Node {
    pub(super) hir: Hir,
    pub(super) height: u32,
    pub(super) size: u64,
    /// The product of the counts of nested `{n,m}` along the worst path.
    pub(super) copies: u32,
    shape: Shape,
}

/// The bounds and the kind of a repetition.
#[derive(Clone, Copy, Debug)]
pub(super) struct Repeat {
    pub(super) min: u32,
    pub(super) max: Option<u32>,
    /// Whether it was written with braces; only these multiply.
    pub(super) counted: bool,
    pub(super) greedy: bool,
}

impl Node {
    pub(super) fn leaf(hir: Hir) -> Self {
        Self { hir, height: 1, size: 1, copies: 1, shape: Shape::Other }
    }

    pub(super) fn literal(text: &str) -> Self {
        let size = u64::try_from(text.chars().count()).unwrap_or(u64::MAX).max(1);
        Self { size, ..Self::leaf(Hir::literal(text.as_bytes())) }
    }

    pub(super) fn class(class: ClassUnicode) -> Self {
        Self::leaf(Hir::class(Class::Unicode(class)))
    }

    pub(super) fn repeat(self, repeat: Repeat) -> Self {
        let Repeat { min, max, counted, greedy } = repeat;
        let size = match (counted, max) {
            (false, Some(_)) => self.size + 1,
            (false, None) if min > 0 => self.size + 1,
            (true, None) if min > 0 => 1 + self.size.saturating_mul(min.into()),
            (_, None) => self.size + 2,
            (true, Some(max)) => self.size.saturating_mul(max.into()) + u64::from(max.saturating_sub(min)),
        };
        let copies = match max {
            Some(0) => 1,
            _ if !counted => self.copies,
            _ => self.copies.saturating_mul(max.unwrap_or(min).max(1)),
        };
        let sub = Box::new(self.hir);
        Self {
            hir: Hir::repetition(Repetition { min, max, greedy, sub }),
            height: self.height + 1,
            size: size.max(1),
            copies,
            shape: Shape::Other,
        }
    }

    pub(super) fn capture(self, slot: u32) -> Self {
        let sub = Box::new(self.hir);
        Self {
            hir: Hir::capture(Capture { index: slot, name: None, sub }),
            height: self.height + 1,
            size: self.size + 2,
            copies: self.copies,
            shape: Shape::Other,
        }
    }

    pub(super) fn concat(nodes: Vec<Self>) -> Self {
        Self::join(nodes, Shape::Concat, Hir::concat)
    }

    /// Joins branches; `spare_slot` is called if a branch must be shielded by a capture.
    pub(super) fn alternate(mut nodes: Vec<Self>, spare_slot: impl FnOnce() -> u32) -> Self {
        if shares_unsafe_prefix(&nodes) {
            let first = &mut nodes[0];
            let sub = Box::new(std::mem::replace(&mut first.hir, Hir::empty()));
            first.hir = Hir::capture(Capture { index: spare_slot(), name: None, sub });
        }
        let bars = u64::try_from(nodes.len()).unwrap_or(u64::MAX).saturating_sub(1);
        let mut node = Self::join(nodes, Shape::Alternate, Hir::alternation);
        node.size = node.size.saturating_add(bars);
        node
    }

    fn join(mut nodes: Vec<Self>, shape: Shape, make: fn(Vec<Hir>) -> Hir) -> Self {
        if nodes.len() == 1
            && let Some(only) = nodes.pop()
        {
            return only;
        }
        // Equal shapes melt into one node, so they add no level.
        let level = |node: &Self| node.height - u32::from(node.shape == shape);
        let height = 1 + nodes.iter().map(level).max().unwrap_or(0);
        let size = nodes.iter().fold(0, |sum: u64, node| sum.saturating_add(node.size));
        let copies = nodes.iter().map(|node| node.copies).max().unwrap_or(1);
        let hir = make(nodes.into_iter().map(|node| node.hir).collect());
        Self { hir, height, size: size.max(1), copies, shape }
    }
}

/// Says whether joining these branches would make the HIR library factor out a prefix that
/// can match in more than one way, which changes the order in which matches are tried.
fn shares_unsafe_prefix(nodes: &[Node]) -> bool {
    let Some((first, rest)) = nodes.split_first() else {
        return false;
    };
    let HirKind::Concat(prefix) = first.hir.kind() else {
        return false;
    };
    let mut common = prefix.len();
    for node in rest {
        let HirKind::Concat(parts) = node.hir.kind() else {
            return false;
        };
        let equal = prefix.iter().zip(parts).take_while(|(a, b)| a == b).count();
        common = common.min(equal);
    }
    let fixed = |hir: &Hir| matches!(hir.kind(), HirKind::Literal(_) | HirKind::Class(_) | HirKind::Look(_));
    common > 0 && !prefix.iter().take(common).all(fixed)
}
