//! The differences of two texts, character by character, in the colors of a terminal.
//!
//! What is shown must be what OPA shows, which finds differences by halving: common ends go first, then a long common
//! piece splits the texts, else the middle of a shortest edit does. After that edits are merged and shifted. A search
//! that takes too long gives up and replaces all.

use std::time::{Duration, Instant};

/// How long the search may take.
const TIME_MAX: Duration = Duration::from_secs(1);

/// Says what happens to a piece of text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Op {
    Delete,
    Insert,
    Keep,
}

type Edit = (Op, Vec<char>);

/// Returns the second text with what it has new in green and what it lacks in red.
pub(crate) fn colored(old: &str, new: &str) -> String {
    let (old, new): (Vec<char>, Vec<char>) = (old.chars().collect(), new.chars().collect());
    let search = Search { deadline: Instant::now() + TIME_MAX };
    let mut out = String::new();
    for (op, text) in search.edits(&old, &new) {
        let text: String = text.into_iter().collect();
        let color = match op {
            Op::Keep => {
                out.push_str(&text);
                continue;
            }
            Op::Delete => "\u{1b}[31m",
            Op::Insert => "\u{1b}[32m",
        };
        for (index, line) in text.split('\n').enumerate() {
            if index > 0 {
                out.push('\n');
            }
            out.push_str(color);
            out.push_str(line);
            out.push_str("\u{1b}[0m");
        }
    }
    out
}

/// Is two texts that a common piece splits.
struct Halves<'t> {
    old: (&'t [char], &'t [char]),
    new: (&'t [char], &'t [char]),
    common: &'t [char],
}

struct Search {
    deadline: Instant,
}

impl Search {
    fn edits(&self, old: &[char], new: &[char]) -> Vec<Edit> {
        if old == new {
            return if old.is_empty() { Vec::new() } else { vec![(Op::Keep, old.to_vec())] };
        }
        let prefix = common_prefix(old, new);
        let (before, old) = old.split_at(prefix);
        let (_, new) = new.split_at(prefix);
        let suffix = common_suffix(old, new);
        let (old, after) = old.split_at(old.len() - suffix);
        let (new, _) = new.split_at(new.len() - suffix);
        let mut edits = Vec::new();
        if !before.is_empty() {
            edits.push((Op::Keep, before.to_vec()));
        }
        edits.extend(self.middle(old, new));
        if !after.is_empty() {
            edits.push((Op::Keep, after.to_vec()));
        }
        merged(edits)
    }

    /// Finds the edits of texts that neither begin nor end alike.
    fn middle(&self, old: &[char], new: &[char]) -> Vec<Edit> {
        if old.is_empty() {
            return vec![(Op::Insert, new.to_vec())];
        }
        if new.is_empty() {
            return vec![(Op::Delete, old.to_vec())];
        }
        let (op, long, short) =
            if old.len() > new.len() { (Op::Delete, old, new) } else { (Op::Insert, new, old) };
        if let Some(at) = find(long, short, 0) {
            let (before, rest) = long.split_at(at);
            let after = rest.get(short.len()..).unwrap_or_default();
            return vec![(op, before.to_vec()), (Op::Keep, short.to_vec()), (op, after.to_vec())];
        }
        if short.len() == 1 {
            return replaced(old, new);
        }
        match halves(old, new) {
            Some(split) => {
                let mut edits = self.edits(split.old.0, split.new.0);
                edits.push((Op::Keep, split.common.to_vec()));
                edits.extend(self.edits(split.old.1, split.new.1));
                edits
            }
            None => self.bisect(old, new),
        }
    }

    /// Splits where the shortest edits from both ends meet.
    fn bisect(&self, old: &[char], new: &[char]) -> Vec<Edit> {
        match Paths::new(old, new).meeting(self.deadline) {
            Some((x, y)) => {
                let (old, new) = (old.split_at(x.min(old.len())), new.split_at(y.min(new.len())));
                let mut edits = self.edits(old.0, new.0);
                edits.extend(self.edits(old.1, new.1));
                edits
            }
            None => replaced(old, new),
        }
    }
}

fn replaced(old: &[char], new: &[char]) -> Vec<Edit> {
    vec![(Op::Delete, old.to_vec()), (Op::Insert, new.to_vec())]
}

fn common_prefix(a: &[char], b: &[char]) -> usize {
    a.iter().zip(b).take_while(|(a, b)| a == b).count()
}

fn common_suffix(a: &[char], b: &[char]) -> usize {
    a.iter().rev().zip(b.iter().rev()).take_while(|(a, b)| a == b).count()
}

/// Returns where `piece` first stands in `text` from an index on.
fn find(text: &[char], piece: &[char], from: usize) -> Option<usize> {
    let rest = text.get(from..)?;
    if piece.is_empty() {
        return Some(from);
    }
    rest.windows(piece.len()).position(|it| it == piece).map(|at| from + at)
}

/// Finds a common piece of at least half the longer text.
fn halves<'t>(old: &'t [char], new: &'t [char]) -> Option<Halves<'t>> {
    let (long, short) = if old.len() > new.len() { (old, new) } else { (new, old) };
    if long.len() < 4 || short.len() * 2 < long.len() {
        return None;
    }
    let second = half_at(long, short, long.len().div_ceil(4));
    let third = half_at(long, short, long.len().div_ceil(2));
    let best = match (second, third) {
        (Some(second), Some(third)) if second.common.len() > third.common.len() => second,
        (second, None) => second?,
        (_, Some(third)) => third,
    };
    if old.len() > new.len() {
        return Some(best);
    }
    Some(Halves { old: best.new, new: best.old, common: best.common })
}

/// Finds the longest common piece round a quarter of the longer text that begins at `at`.
fn half_at<'t>(long: &'t [char], short: &'t [char], at: usize) -> Option<Halves<'t>> {
    let seed = long.get(at..at + long.len() / 4)?;
    let (long_before, long_after) = long.split_at(at);
    let mut best: Option<Halves<'t>> = None;
    let mut from = 0;
    while let Some(index) = find(short, seed, from) {
        let (short_before, short_after) = short.split_at(index);
        let prefix = common_prefix(long_after, short_after);
        let suffix = common_suffix(long_before, short_before);
        if best.as_ref().map_or(0, |it| it.common.len()) < prefix + suffix {
            let common = short.get(index - suffix..index + prefix).unwrap_or_default();
            best = Some(Halves {
                old: (
                    long.get(..at - suffix).unwrap_or_default(),
                    long.get(at + prefix..).unwrap_or_default(),
                ),
                new: (
                    short.get(..index - suffix).unwrap_or_default(),
                    short.get(index + prefix..).unwrap_or_default(),
                ),
                common,
            });
        }
        from = index + 1;
    }
    best.filter(|it| it.common.len() * 2 >= long.len())
}

/// Is the furthest points that edits reach on each diagonal, from one end.
struct Reach {
    points: Vec<i64>,
    start: i64,
    end: i64,
}

/// Searches the shortest edit from both ends at once.
struct Paths<'t> {
    old: &'t [char],
    new: &'t [char],
    lengths: (i64, i64),
    offset: i64,
    forward: Reach,
    backward: Reach,
}

fn signed(length: usize) -> i64 {
    i64::try_from(length).unwrap_or(i64::MAX)
}

fn at(points: &[i64], index: i64) -> i64 {
    usize::try_from(index).ok().and_then(|it| points.get(it)).copied().unwrap_or(-1)
}

impl<'t> Paths<'t> {
    fn new(old: &'t [char], new: &'t [char]) -> Self {
        let steps = (old.len() + new.len()).div_ceil(2);
        let reach = || {
            let mut points = vec![-1; 2 * steps];
            if let Some(first) = points.get_mut(steps + 1) {
                *first = 0;
            }
            Reach { points, start: 0, end: 0 }
        };
        Self {
            old,
            new,
            lengths: (signed(old.len()), signed(new.len())),
            offset: signed(steps),
            forward: reach(),
            backward: reach(),
        }
    }

    /// Returns the point where the paths from both ends meet; `None` if time is up or there is none.
    fn meeting(mut self, deadline: Instant) -> Option<(usize, usize)> {
        for step in 0..self.offset {
            if step % 16 == 0 && Instant::now() > deadline {
                return None;
            }
            let found = self.advance(step, true).or_else(|| self.advance(step, false));
            if let Some((x, y)) = found {
                return Some((usize::try_from(x).ok()?, usize::try_from(y).ok()?));
            }
        }
        None
    }

    /// Walks one step further on all diagonals, from the front or the back.
    fn advance(&mut self, step: i64, from_front: bool) -> Option<(i64, i64)> {
        let (old_length, new_length) = self.lengths;
        let delta = old_length - new_length;
        let meets_in_front = delta % 2 != 0;
        let offset = self.offset;
        let mut diagonal = -step + self.side(from_front).start;
        while diagonal <= step - self.side(from_front).end {
            let x = self.walk(step, diagonal, from_front);
            let y = x - diagonal;
            let reach = self.side_mut(from_front);
            if let Some(point) =
                usize::try_from(offset + diagonal).ok().and_then(|it| reach.points.get_mut(it))
            {
                *point = x;
            }
            if x > old_length {
                reach.end += 2;
            } else if y > new_length {
                reach.start += 2;
            } else if meets_in_front == from_front {
                let other = at(&self.side(!from_front).points, offset + delta - diagonal);
                if other != -1 && x >= old_length - other {
                    let other_y = other - (delta - diagonal);
                    return Some(if from_front { (x, y) } else { (other, other_y) });
                }
            }
            diagonal += 2;
        }
        None
    }

    /// Returns how far a diagonal reaches after one more edit and what is common behind it.
    fn walk(&self, step: i64, diagonal: i64, from_front: bool) -> i64 {
        let points = &self.side(from_front).points;
        let index = self.offset + diagonal;
        let (below, above) = (at(points, index - 1), at(points, index + 1));
        let mut x = if diagonal == -step || (diagonal != step && below < above) { above } else { below + 1 };
        let mut y = x - diagonal;
        while let (Some(a), Some(b)) = (pick(self.old, x, from_front), pick(self.new, y, from_front))
            && a == b
        {
            x += 1;
            y += 1;
        }
        x
    }

    fn side(&self, front: bool) -> &Reach {
        if front { &self.forward } else { &self.backward }
    }

    fn side_mut(&mut self, front: bool) -> &mut Reach {
        if front { &mut self.forward } else { &mut self.backward }
    }
}

/// Returns the character of an index, counted from the front or the back.
fn pick(text: &[char], index: i64, from_front: bool) -> Option<char> {
    let index = usize::try_from(index).ok()?;
    let index = if from_front { index } else { text.len().checked_sub(index + 1)? };
    text.get(index).copied()
}

/// Merges neighbours and shifts edits until nothing changes.
fn merged(edits: Vec<Edit>) -> Vec<Edit> {
    let mut edits = edits;
    loop {
        edits = joined(edits);
        if !shifted(&mut edits) {
            return edits;
        }
    }
}

/// Is the edits between two kept pieces.
#[derive(Default)]
struct Run {
    edits: Vec<Edit>,
    deleted: Option<Vec<char>>,
    inserted: Option<Vec<char>>,
}

/// Joins edits between kept pieces to one deletion and one insertion, without common ends.
fn joined(edits: Vec<Edit>) -> Vec<Edit> {
    let mut out: Vec<Edit> = Vec::new();
    let mut run = Run::default();
    let last = (Op::Keep, Vec::new());
    for (op, text) in edits.into_iter().chain([last]) {
        let all = match op {
            Op::Delete => run.deleted.get_or_insert_default(),
            Op::Insert => run.inserted.get_or_insert_default(),
            Op::Keep => {
                let kept = std::mem::take(&mut run).close(&mut out, text);
                match out.last_mut() {
                    Some((Op::Keep, before)) => before.extend(kept),
                    _ => out.push((Op::Keep, kept)),
                }
                continue;
            }
        };
        all.extend_from_slice(&text);
        run.edits.push((op, text));
    }
    if out.last().is_some_and(|it| it.1.is_empty()) {
        out.pop();
    }
    out
}

impl Run {
    /// Adds the run before a kept piece, which is returned with what the run ends in twice.
    fn close(mut self, out: &mut Vec<Edit>, kept: Vec<char>) -> Vec<char> {
        if self.edits.len() < 2 {
            out.append(&mut self.edits);
            return kept;
        }
        let mut kept = kept;
        if let (Some(deleted), Some(inserted)) = (&mut self.deleted, &mut self.inserted) {
            let prefix = common_prefix(inserted, deleted);
            if prefix > 0 {
                let common: Vec<char> = inserted.drain(..prefix).collect();
                deleted.drain(..prefix);
                match out.last_mut() {
                    Some((Op::Keep, before)) => before.extend(common),
                    _ => out.insert(0, (Op::Keep, common)),
                }
            }
            let suffix = common_suffix(inserted, deleted);
            deleted.truncate(deleted.len() - suffix);
            let common = inserted.split_off(inserted.len() - suffix);
            kept = [common, kept].concat();
        }
        out.extend(self.deleted.map(|text| (Op::Delete, text)));
        out.extend(self.inserted.map(|text| (Op::Insert, text)));
        kept
    }
}

/// Shifts single edits over a kept piece beside them, so that it goes away; tells whether any was.
fn shifted(edits: &mut Vec<Edit>) -> bool {
    let mut changed = false;
    let mut index = 1;
    while index + 1 < edits.len() {
        if let Some([(Op::Keep, before), (op, edit), (Op::Keep, after)]) = edits.get(index - 1..index + 2) {
            if edit.ends_with(before) {
                let moved = edit.get(..edit.len() - before.len()).unwrap_or_default();
                let edit = [before.as_slice(), moved].concat();
                let after = [before.as_slice(), after].concat();
                edits.splice(index - 1..index + 2, [(*op, edit), (Op::Keep, after)]);
                changed = true;
            } else if edit.starts_with(after) {
                let moved = edit.get(after.len()..).unwrap_or_default();
                let edit = [moved, after.as_slice()].concat();
                let before = [before.as_slice(), after].concat();
                edits.splice(index - 1..index + 2, [(Op::Keep, before), (*op, edit)]);
                changed = true;
            }
        }
        index += 1;
    }
    changed
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_are_colored() {
        let (red, green, off) = ("\u{1b}[31m", "\u{1b}[32m", "\u{1b}[0m");
        for (old, new, want) in [
            ("", "", String::new()),
            ("abc", "abc", "abc".to_owned()),
            ("abc", "abd", format!("ab{red}c{off}{green}d{off}")),
            ("ac", "abc", format!("a{green}b{off}c")),
            ("a\nc", "a\n\nc", format!("a\n{green}{off}\n{green}{off}c")),
        ] {
            assert_eq!(colored(old, new), want, "{old:?} {new:?}");
        }
    }
}
