//! The timers that `--metrics` reports, under OPA's names, and their statistics over several runs.
//!
//! Apart because names and arithmetic follow OPA's metrics package. It measures what it is told to and knows no
//! stages.

use std::time::Instant;

use crate::output::json;

/// Time spent in loading files given by `--data`.
pub(crate) const LOAD_FILES: &str = "rego_load_files";
/// Time spent in loading bundles.
pub(crate) const LOAD_BUNDLES: &str = "rego_load_bundles";
/// Time spent in reading data files.
pub(crate) const DATA_PARSE: &str = "rego_data_parse";
/// Time spent in parsing modules.
pub(crate) const MODULE_PARSE: &str = "rego_module_parse";
/// Time spent in compiling modules.
pub(crate) const MODULE_COMPILE: &str = "rego_module_compile";
/// Time spent in parsing the query.
pub(crate) const QUERY_PARSE: &str = "rego_query_parse";
/// Time spent in compiling the query.
pub(crate) const QUERY_COMPILE: &str = "rego_query_compile";
/// Time spent in evaluating.
pub(crate) const QUERY_EVAL: &str = "rego_query_eval";

/// Sums times by name.
#[derive(Clone, Debug, Default)]
pub(crate) struct Timers {
    sums: Vec<(&'static str, u64)>,
}

impl Timers {
    /// Does some work and adds its time.
    pub(crate) fn time<R>(&mut self, name: &'static str, work: impl FnOnce() -> R) -> R {
        let start = Instant::now();
        let result = work();
        self.add(name, start);
        result
    }

    /// Adds the time since a start.
    pub(crate) fn add(&mut self, name: &'static str, start: Instant) {
        self.add_ns(name, u64::try_from(start.elapsed().as_nanos()).unwrap_or(u64::MAX));
    }

    /// Adds a time.
    pub(crate) fn add_ns(&mut self, name: &'static str, ns: u64) {
        match self.sums.iter_mut().find(|it| it.0 == name) {
            Some(sum) => sum.1 = sum.1.saturating_add(ns),
            None => self.sums.push((name, ns)),
        }
    }

    /// Returns the names and nanoseconds, sorted by name.
    pub(crate) fn sorted(&self) -> Vec<(String, u64)> {
        let mut list: Vec<(String, u64)> =
            self.sums.iter().map(|it| (format!("timer_{}_ns", it.0), it.1)).collect();
        list.sort();
        list
    }

    /// Appends the object of `metrics`.
    pub(crate) fn write_json(&self, out: &mut Vec<u8>) {
        out.push(b'{');
        for (name, ns) in self.sorted() {
            json::key(&name, out);
            json::number(ns, out);
        }
        out.push(b'}');
    }
}

/// Returns the samples of each name over several runs.
pub(crate) fn samples(runs: &[Timers]) -> Vec<(String, Vec<u64>)> {
    let names = runs.first().map(Timers::sorted).unwrap_or_default();
    let sample = |name: &str| {
        runs.iter().filter_map(|it| it.sorted().into_iter().find(|it| it.0 == name)).map(|it| it.1).collect()
    };
    names.into_iter().map(|(name, _)| (name.clone(), sample(&name))).collect()
}

/// Is what OPA tells of a sample.
#[derive(Clone, Debug)]
pub(crate) struct Statistics(Vec<u64>);

const PERCENTILES: [(&str, f64); 6] =
    [("75%", 0.75), ("90%", 0.9), ("95%", 0.95), ("99%", 0.99), ("99.9%", 0.999), ("99.99%", 0.9999)];

#[expect(clippy::cast_precision_loss, reason = "statistics of nanoseconds need no more than 53 bits")]
impl Statistics {
    /// Makes statistics of a sample.
    pub(crate) fn new(mut sample: Vec<u64>) -> Self {
        sample.sort_unstable();
        Self(sample)
    }

    /// Returns the figures by name, in the order of their names.
    pub(crate) fn figures(&self) -> Vec<(&'static str, String)> {
        let mut list: Vec<(&'static str, String)> =
            PERCENTILES.iter().map(|it| (it.0, self.percentile(it.1).to_string())).collect();
        list.push(("count", self.0.len().to_string()));
        list.push(("max", self.0.last().copied().unwrap_or(0).to_string()));
        list.push(("mean", self.mean().to_string()));
        list.push(("median", self.percentile(0.5).to_string()));
        list.push(("min", self.0.first().copied().unwrap_or(0).to_string()));
        list.push(("stddev", self.deviation().to_string()));
        list
    }

    fn mean(&self) -> f64 {
        let sum: u128 = self.0.iter().map(|it| u128::from(*it)).sum();
        if self.0.is_empty() { 0.0 } else { sum as f64 / self.0.len() as f64 }
    }

    fn deviation(&self) -> f64 {
        let mean = self.mean();
        let squares: f64 = self.0.iter().map(|it| (*it as f64 - mean).powi(2)).sum();
        if self.0.is_empty() { 0.0 } else { (squares / self.0.len() as f64).sqrt() }
    }

    fn percentile(&self, share: f64) -> f64 {
        let at = |index: usize| self.0.get(index).copied().unwrap_or(0) as f64;
        let place = share * (self.0.len() as f64 + 1.0);
        if place < 1.0 {
            return at(0);
        }
        if place >= self.0.len() as f64 {
            return at(self.0.len().saturating_sub(1));
        }
        #[expect(
            clippy::cast_possible_truncation,
            clippy::cast_sign_loss,
            reason = "between 1 and the length"
        )]
        let whole = place as usize;
        at(whole - 1) + place.fract() * (at(whole) - at(whole - 1))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_are_those_of_opa() {
        let figures = Statistics::new(vec![288_380, 193_823]).figures();
        let find = |name: &str| figures.iter().find(|it| it.0 == name).map(|it| it.1.clone());
        assert_eq!(find("median").as_deref(), Some("241101.5"));
        assert_eq!(find("75%").as_deref(), Some("288380"));
        assert_eq!(find("stddev").as_deref(), Some("47278.5"));
    }
}
