//! Solutions of a query in the formats of `eval --format`.
//!
//! The values live in the evaluation's memory, so they become text at once; what stands around them (faults,
//! timers) is added by [`Report`].

use lictor::{QueryExpression, Value};

use crate::fault::{self, Fault};
use crate::output::{json, table};
use crate::timers::{Statistics, Timers};

/// Says how results are shown.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Format {
    Json,
    Values,
    Bindings,
    Pretty,
    Raw,
    Discard,
}

impl Format {
    /// Returns the format of this name, none for one that needs partial evaluation.
    pub(crate) fn named(name: &str) -> Option<Self> {
        Some(match name {
            "json" => Self::Json,
            "values" => Self::Values,
            "bindings" => Self::Bindings,
            "pretty" => Self::Pretty,
            "raw" => Self::Raw,
            "discard" => Self::Discard,
            _ => return None,
        })
    }
}

/// Is what an evaluation gave.
#[derive(Clone, Debug, Default)]
pub(crate) struct Report {
    /// The solutions: text in the format, or the JSON of `result`.
    pub(crate) solutions: Vec<u8>,
    /// How many there are.
    pub(crate) count: usize,
    /// What went wrong.
    pub(crate) faults: Vec<Fault>,
    /// How many of the faults ended nothing.
    pub(crate) passed_over: usize,
    /// The timers, if they are wanted.
    pub(crate) timers: Option<Timers>,
    /// The timers' samples over several runs, if there were several.
    pub(crate) samples: Vec<(String, Vec<u64>)>,
}

/// Renders solutions as the engine gives them: `{"bindings": {…}, "expressions": […]}`.
pub(crate) fn render(format: Format, solutions: &[Value<'_>], expressions: &[QueryExpression]) -> Vec<u8> {
    let mut out = Vec::new();
    match format {
        Format::Json | Format::Discard => {
            out.push(b'[');
            for solution in solutions {
                write_solution(*solution, expressions, &mut out);
            }
            out.push(b']');
        }
        Format::Values => {
            for solution in solutions {
                let value = solution.as_object().and_then(|it| it.get_str("expressions"));
                append_indented(value, &mut out);
            }
        }
        Format::Bindings => {
            for solution in solutions {
                let value = solution.as_object().and_then(|it| it.get_str("bindings"));
                append_indented(value, &mut out);
            }
        }
        Format::Raw => solutions.iter().for_each(|it| write_raw(*it, &mut out)),
        Format::Pretty => write_pretty(solutions, expressions, &mut out),
    }
    out
}

fn append_indented(value: Option<Value<'_>>, out: &mut Vec<u8>) {
    let mut compact = Vec::new();
    match value {
        Some(value) => value.write_json(&mut compact),
        None => compact.extend_from_slice(b"null"),
    }
    out.extend_from_slice(&json::indented(&compact));
}

fn write_solution(solution: Value<'_>, expressions: &[QueryExpression], out: &mut Vec<u8>) {
    json::item(out);
    out.push(b'{');
    json::key("expressions", out);
    out.push(b'[');
    for (value, expression) in values(solution).zip(expressions) {
        json::item(out);
        out.push(b'{');
        json::key("value", out);
        value.write_json(out);
        json::key("text", out);
        json::string(&expression.text, out);
        json::key("location", out);
        out.push(b'{');
        json::key("row", out);
        json::number(expression.row, out);
        json::key("col", out);
        json::number(expression.col, out);
        out.extend_from_slice(b"}}");
    }
    out.push(b']');
    if let Some(bindings) = bindings(solution) {
        json::key("bindings", out);
        bindings.write_json(out);
    }
    out.push(b'}');
}

/// Returns the object of bindings, if there are any.
fn bindings(solution: Value<'_>) -> Option<Value<'_>> {
    solution.as_object()?.get_str("bindings").filter(|it| it.collection_len() != Some(0))
}

fn values(solution: Value<'_>) -> impl Iterator<Item = Value<'_>> {
    let list = solution.as_object().and_then(|it| it.get_str("expressions")).and_then(Value::as_array);
    list.into_iter().flat_map(|it| it.iter())
}

fn write_raw(solution: Value<'_>, out: &mut Vec<u8>) {
    for (index, value) in values(solution).enumerate() {
        if index > 0 {
            out.push(b' ');
        }
        match value.as_str() {
            Some(text) => out.extend_from_slice(text.as_bytes()),
            None => value.write_json(out),
        }
    }
    out.push(b'\n');
}

fn write_pretty(solutions: &[Value<'_>], expressions: &[QueryExpression], out: &mut Vec<u8>) {
    let Some(first) = solutions.first() else {
        return;
    };
    if let [only] = solutions
        && bindings(*only).is_none()
    {
        let list: Vec<Value<'_>> = values(*only).collect();
        if list.len() == 1 || list.iter().all(|it| it.as_bool().is_some()) {
            return append_indented(list.first().copied(), out);
        }
    }
    let columns = columns(*first, expressions);
    let header: Vec<String> = columns.iter().map(|it| it.title.clone()).collect();
    let rows: Vec<Vec<String>> =
        solutions.iter().map(|solution| columns.iter().map(|it| it.cell(*solution)).collect()).collect();
    out.extend_from_slice(table::draw(&header, &rows).as_bytes());
}

/// Is a column of the table: an expression's value, or a variable.
struct Column {
    title: String,
    expression: Option<usize>,
}

impl Column {
    fn cell(&self, solution: Value<'_>) -> String {
        let value = match self.expression {
            Some(index) => values(solution).nth(index),
            None => bindings(solution).and_then(|it| it.as_object()?.get_str(&self.title)),
        };
        value.map_or_else(|| "null".to_owned(), |it| it.to_json())
    }
}

/// Returns the columns that OPA shows: expressions that say more than true or false, then variables.
fn columns(first: Value<'_>, expressions: &[QueryExpression]) -> Vec<Column> {
    let bound = bindings(first);
    let mut columns: Vec<Column> = values(first)
        .zip(expressions)
        .enumerate()
        .filter(|(_, (value, _))| value.as_bool().is_none() || bound.is_none())
        .map(|(index, (_, it))| Column { title: it.text.clone(), expression: Some(index) })
        .collect();
    for (name, _) in bound.and_then(Value::as_object).into_iter().flat_map(|it| it.iter()) {
        if let Some(name) = name.as_str() {
            columns.push(Column { title: name.to_owned(), expression: None });
        }
    }
    columns
}

/// Returns compact JSON with the keys of all objects sorted.
fn sorted(compact: &[u8]) -> Vec<u8> {
    lictor::json::read_document(compact)
        .map_or_else(|_| compact.to_vec(), |it| it.root().to_json().into_bytes())
}

impl Report {
    /// Returns what goes to the standard output and to the standard error.
    pub(crate) fn texts(&self, format: Format) -> (Vec<u8>, String) {
        match format {
            Format::Json => (json::indented(&self.json()), String::new()),
            Format::Discard => (json::indented(&sorted(&self.discarded())), String::new()),
            Format::Pretty => self.pretty(),
            Format::Values | Format::Bindings | Format::Raw if self.faults.is_empty() => {
                (self.solutions.clone(), String::new())
            }
            Format::Values | Format::Bindings | Format::Raw => (Vec::new(), self.fault_text()),
        }
    }

    fn fault_text(&self) -> String {
        format!("{}\n", fault::list_text(&self.faults, ""))
    }

    fn json(&self) -> Vec<u8> {
        let mut out = b"{".to_vec();
        if !self.faults.is_empty() {
            json::key("errors", &mut out);
            fault::write_list(&self.faults, &mut out);
        }
        if self.count > 0 {
            json::key("result", &mut out);
            out.extend_from_slice(&self.solutions);
        }
        if let Some(timers) = &self.timers {
            json::key("metrics", &mut out);
            timers.write_json(&mut out);
        }
        self.write_samples(&mut out);
        out.push(b'}');
        out
    }

    fn discarded(&self) -> Vec<u8> {
        let mut shown = self.clone();
        shown.solutions = br#""discarded""#.to_vec();
        shown.json()
    }

    fn write_samples(&self, out: &mut Vec<u8>) {
        if self.samples.is_empty() {
            return;
        }
        json::key("aggregated_metrics", out);
        out.push(b'{');
        for (name, sample) in &self.samples {
            json::key(name, out);
            out.push(b'{');
            for (figure, value) in Statistics::new(sample.clone()).figures() {
                json::key(figure, out);
                out.extend_from_slice(value.as_bytes());
            }
            out.push(b'}');
        }
        out.push(b'}');
    }

    fn pretty(&self) -> (Vec<u8>, String) {
        let mut out = Vec::new();
        let mut errors = String::new();
        if !self.faults.is_empty() {
            errors = self.fault_text();
        } else if self.count == 0 {
            out.extend_from_slice(b"undefined\n");
        } else {
            out.extend_from_slice(&self.solutions);
        }
        if let Some(timers) = &self.timers {
            let rows: Vec<Vec<String>> =
                timers.sorted().into_iter().map(|it| vec![it.0, it.1.to_string()]).collect();
            if !rows.is_empty() {
                out.extend_from_slice(
                    table::draw(&["Metric".to_owned(), "Value".to_owned()], &rows).as_bytes(),
                );
            }
        }
        if !self.samples.is_empty() {
            out.extend_from_slice(self.sample_table().as_bytes());
        }
        (out, errors)
    }

    fn sample_table(&self) -> String {
        const SHOWN: [(&str, &str); 5] =
            [("Min", "min"), ("Max", "max"), ("Mean", "mean"), ("90%", "90%"), ("99%", "99%")];
        let mut header = vec!["Metric".to_owned()];
        header.extend(SHOWN.iter().map(|it| it.0.to_owned()));
        let rows: Vec<Vec<String>> = self
            .samples
            .iter()
            .map(|(name, sample)| {
                let figures = Statistics::new(sample.clone()).figures();
                let find = |name: &str| figures.iter().find(|it| it.0 == name).map(|it| it.1.clone());
                let mut row = vec![name.clone()];
                row.extend(SHOWN.iter().map(|it| find(it.1).unwrap_or_default()));
                row
            })
            .collect();
        table::draw(&header, &rows)
    }
}
