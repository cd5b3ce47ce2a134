//! What a run found, in numbers, and the sum of many runs.
//!
//! A long run is made of parts, each from a seed of its own; the sum is kept in a file of counts, one a line, to which
//! each part adds. It knows no case.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

use super::compare::{Difference, Level, UNSETTLED};
use super::coverage::Coverage;

/// So many differences of one kind are shrunk.
const SHRUNK_MAX: usize = 4;

/// What runs found.
#[derive(Debug, Default)]
pub struct Tally {
    /// What was tried.
    pub coverage: Coverage,
    /// How often which kind of difference was found.
    pub kinds: BTreeMap<String, u64>,
    levels: BTreeMap<Level, u64>,
    shrunk: BTreeMap<String, usize>,
    /// How long they took.
    pub seconds: u64,
    runs: u64,
}

impl Tally {
    /// Counts the differences of a case and returns those to shrink.
    pub fn note(&mut self, found: Vec<Difference>) -> Vec<Difference> {
        let mut reported: Vec<Difference> = Vec::new();
        for difference in found {
            *self.levels.entry(difference.level).or_default() += 1;
            if !difference.is_open() {
                continue;
            }
            *self.kinds.entry(difference.kind.clone()).or_default() += 1;
            if reported.iter().any(|it| it.kind == difference.kind) {
                continue;
            }
            let seen = self.shrunk.entry(difference.kind.clone()).or_default();
            *seen += 1;
            if *seen <= SHRUNK_MAX {
                reported.push(difference);
            }
        }
        reported
    }

    /// Counts a case that an engine did not survive.
    pub fn broken(&mut self) {
        *self.levels.entry(Level::Decision).or_default() += 1;
    }

    /// Says whether no decision differed.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        self.count(Level::Decision) == 0
    }

    /// Returns what was compared and how it came out.
    #[must_use]
    pub fn line(&self) -> String {
        let decisions = self.coverage.decisions();
        let (differ, worded) = (self.count(Level::Decision), self.count(Level::Wording));
        let known: Vec<String> = (self.levels.iter())
            .filter_map(|(level, count)| match level {
                Level::Known(0) => Some(format!("several: {count}")),
                Level::Known(UNSETTLED) => Some(format!("answered otherwise each time: {count}")),
                Level::Known(row) => Some(format!("{row}: {count}")),
                Level::Decision | Level::Wording => None,
            })
            .collect();
        let known = if known.is_empty() { "none".to_owned() } else { known.join(", ") };
        let rate = decisions / self.seconds.max(1);
        format!(
            "{decisions} decisions, {differ} differ, {worded} are worded differently, known rows {known}, {rate} a second"
        )
    }

    /// Returns the same for all runs in the sum.
    #[must_use]
    pub fn total(&self) -> String {
        match self.runs {
            0 => format!("diff opa: {}", self.line()),
            runs => format!("diff opa: {runs} runs, {}", self.line()),
        }
    }

    fn count(&self, level: Level) -> u64 {
        self.levels.get(&level).copied().unwrap_or(0)
    }

    /// Adds this run to the sum that a file holds and returns the sum.
    ///
    /// # Errors
    /// When the file cannot be read or written.
    pub fn merged(&self, path: &Path) -> Result<Self, String> {
        let fault = |err: std::io::Error| format!("{}: {err}", path.display());
        let known = if path.exists() { fs::read_to_string(path).map_err(fault)? } else { String::new() };
        let mut total = Self { coverage: self.coverage.clone(), ..Self::default() };
        total.levels.clone_from(&self.levels);
        total.kinds.clone_from(&self.kinds);
        (total.seconds, total.runs) = (self.seconds, 1);
        for line in known.lines() {
            let (count, name) = line.split_once(' ').ok_or_else(|| format!("no count: `{line}`"))?;
            let count = count.parse().map_err(|_| format!("no count: `{line}`"))?;
            total.add(name, count);
        }
        fs::write(path, total.text()).map_err(fault)?;
        Ok(total)
    }

    fn add(&mut self, name: &str, count: u64) {
        match name.split_once(' ') {
            Some(("kind", kind)) => *self.kinds.entry(kind.to_owned()).or_default() += count,
            Some(("level", level)) => {
                if let Some(level) = level_of(level) {
                    *self.levels.entry(level).or_default() += count;
                }
            }
            None if name == "seconds" => self.seconds += count,
            None if name == "runs" => self.runs += count,
            _ => self.coverage.add(name, count),
        }
    }

    fn text(&self) -> String {
        let mut out = format!("{} seconds\n{} runs\n", self.seconds, self.runs);
        for (level, count) in &self.levels {
            out += &format!("{count} level {}\n", name(*level));
        }
        for (kind, count) in &self.kinds {
            out += &format!("{count} kind {kind}\n");
        }
        for (name, count) in self.coverage.counts() {
            out += &format!("{count} {name}\n");
        }
        out
    }
}

fn name(level: Level) -> String {
    match level {
        Level::Decision => "differ".to_owned(),
        Level::Wording => "wording".to_owned(),
        Level::Known(row) => format!("row {row}"),
    }
}

fn level_of(name: &str) -> Option<Level> {
    match name {
        "differ" => Some(Level::Decision),
        "wording" => Some(Level::Wording),
        _ => name.strip_prefix("row ")?.parse().ok().map(Level::Known),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_written_and_read() {
        let mut tally = Tally::default();
        for line in [
            "runs",
            "seconds",
            "level differ",
            "level row 4",
            "kind value not value",
            "production else",
            "defined",
        ] {
            tally.add(line, 2);
        }
        let mut again = Tally::default();
        for line in tally.text().lines() {
            let (count, name) = line.split_once(' ').unwrap();
            again.add(name, count.parse().unwrap());
        }
        assert_eq!(again.text(), tally.text());
        assert!(tally.text().contains("2 production else\n2") || tally.text().contains("2 defined"));
    }
}
