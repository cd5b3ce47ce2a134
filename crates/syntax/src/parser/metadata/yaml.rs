//! The YAML of a metadata block as a tree.
//!
//! Scalars are resolved by YAML 1.2's core rules. Aliases are copied in place; how many nodes
//! come out is limited, as is depth, so that a block cannot grow out of bounds.

use std::collections::HashMap;

use saphyr_parser::{Event, Parser, ScalarStyle, Tag};

use crate::{
    ast::{Yaml, YamlKind},
    parser::metadata::{Block, BlockFault},
    source::Span,
};

/// Says how many nodes a block may have, those that aliases stand for included.
const NODES_MAX: usize = 100_000;

/// Says how deep a block may nest.
const DEPTH_MAX: usize = 100;

/// Parses the text of a block; only the first document counts.
pub(crate) fn parse(block: &Block<'_>, text: &str) -> Result<Yaml, BlockFault> {
    if text.contains('\t')
        && let Ok(root) = parse_text(block, text)
    {
        return Ok(root);
    }
    parse_text(block, &blank_tabs(text))
}

fn parse_text(block: &Block<'_>, text: &str) -> Result<Yaml, BlockFault> {
    let mut reader = Reader {
        block,
        parser: Parser::new_from_str(text),
        anchors: HashMap::new(),
        nodes: 0,
        tab_line: tab_line(text),
    };
    loop {
        let (event, span) = reader.next()?;
        match event {
            Event::StreamStart | Event::DocumentStart(_) | Event::Nothing => {}
            Event::StreamEnd | Event::DocumentEnd => {
                return Ok(Yaml { kind: YamlKind::Null, span });
            }
            event => {
                let root = reader.node(event, span, 0)?;
                // A root that is no collection may go on where it cannot.
                reader.next()?;
                return reader.tab_line.map_or(Ok(root), |line| Err(reader.tab(line, "")));
            }
        }
    }
}

struct Reader<'b, 't> {
    block: &'b Block<'b>,
    parser: Parser<'t, saphyr_parser::StrInput<'t>>,
    anchors: HashMap<usize, (Yaml, usize)>,
    nodes: usize,
    tab_line: Option<usize>,
}

impl<'t> Reader<'_, 't> {
    fn next(&mut self) -> Result<(Event<'t>, Span), BlockFault> {
        match self.parser.next() {
            Some(Ok((event, span))) => {
                let start = self.block.offset(span.start.line(), span.start.col());
                let end = self.block.offset(span.end.line(), span.end.col());
                Ok((event, Span::new(start, end)))
            }
            Some(Err(fault)) => {
                let (line, col) = (fault.marker().line(), fault.marker().col());
                if let Some(tab) =
                    self.tab_line.filter(|tab| *tab <= line || fault.info().contains("found a tab"))
                {
                    return Err(self.tab(tab, fault.info()));
                }
                if fault.info().contains("unknown anchor") {
                    return Err(self.unknown_anchor(self.block.offset(line, col)));
                }
                let (text, line) = as_go_says(fault.info(), line, self.block.lines.len());
                Err(self.fault_at(text, line))
            }
            None => Ok((Event::StreamEnd, Span::default())),
        }
    }

    /// Makes a fault of the YAML text; line 0 is not named.
    fn fault_at(&self, text: &str, line: usize) -> BlockFault {
        let named = (line > 0).then_some(line);
        let place = named.map_or(String::new(), |line| format!("line {line}: "));
        self.block.yaml_fault(format!("yaml: {place}{text}"), named)
    }

    /// Reports a line that a tab indents, which Go's reader refuses and ours not always.
    fn tab(&self, line: usize, info: &str) -> BlockFault {
        if info.contains("found a tab") {
            return self.fault_at("found a tab character that violates indentation", line);
        }
        let line = if line == 1 { 0 } else { line };
        self.fault_at("found character that cannot start any token", line)
    }

    fn unknown_anchor(&self, offset: u32) -> BlockFault {
        let text = self.block.source.text();
        let rest = text.get(offset as usize..).unwrap_or_default();
        let is_name = |point: char| point.is_alphanumeric() || matches!(point, '_' | '-');
        let name = rest.trim_start_matches('*').split(|point| !is_name(point));
        let name = name.into_iter().next().unwrap_or_default();
        self.limit(&format!("unknown anchor '{name}' referenced"))
    }

    fn limit(&self, what: &str) -> BlockFault {
        let message = format!("yaml: {what}");
        self.block.yaml_fault(message, None)
    }

    fn node(&mut self, event: Event<'t>, span: Span, depth: usize) -> Result<Yaml, BlockFault> {
        if depth > DEPTH_MAX {
            return Err(self.limit("document nests too deeply"));
        }
        self.nodes += 1;
        let before = self.nodes;
        let (kind, span, anchor) = match event {
            Event::Scalar(text, style, anchor, tag) => (scalar(&text, style, tag.as_deref()), span, anchor),
            Event::SequenceStart(anchor, _) => {
                let (items, end) = self.items(depth)?;
                (YamlKind::List(items), span.to(end), anchor)
            }
            Event::MappingStart(anchor, _) => {
                let (entries, end) = self.entries(depth)?;
                (YamlKind::Map(entries), span.to(end), anchor)
            }
            Event::Alias(anchor) => return self.alias(anchor),
            _ => (YamlKind::Null, span, 0),
        };
        if self.nodes > NODES_MAX {
            return Err(self.limit("document contains excessive aliasing"));
        }
        let node = Yaml { kind, span };
        if anchor > 0 {
            let size = self.nodes - before + 1;
            self.anchors.insert(anchor, (node.clone(), size));
        }
        Ok(node)
    }

    fn alias(&mut self, anchor: usize) -> Result<Yaml, BlockFault> {
        let Some((node, size)) = self.anchors.get(&anchor) else {
            return Err(self.limit("unknown anchor referenced"));
        };
        if self.nodes + size > NODES_MAX {
            return Err(self.limit("document contains excessive aliasing"));
        }
        self.nodes += size;
        Ok(node.clone())
    }

    fn items(&mut self, depth: usize) -> Result<(Vec<Yaml>, Span), BlockFault> {
        let mut items = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::SequenceEnd | Event::StreamEnd) {
                return Ok((items, span));
            }
            items.push(self.node(event, span, depth + 1)?);
        }
    }

    fn entries(&mut self, depth: usize) -> Result<(Vec<super::Entry>, Span), BlockFault> {
        let mut entries: Vec<super::Entry> = Vec::new();
        loop {
            let (event, span) = self.next()?;
            if matches!(event, Event::MappingEnd | Event::StreamEnd) {
                return Ok((entries, span));
            }
            let key = self.node(event, span, depth + 1)?;
            let (event, span) = self.next()?;
            let value = self.node(event, span, depth + 1)?;
            entries.push((key, value));
        }
    }
}

/// Makes blanks of tabs that separate a sign from what follows, which our reader refuses.
fn blank_tabs(text: &str) -> String {
    let mut separates = false;
    let blank = |point: char| {
        let tab = separates && point == '\t';
        separates = tab || matches!(point, ':' | ',' | '-' | '[' | '{' | '?');
        if tab { ' ' } else { point }
    };
    text.chars().map(blank).collect()
}

/// Returns the first line that starts with a tab and holds more than white space.
fn tab_line(text: &str) -> Option<usize> {
    let is_tab = |line: &str| line.starts_with('\t') && !line.trim().is_empty();
    text.lines().position(is_tab).map(|idx| idx + 1)
}

/// Returns a syntax fault in the words and with the line of Go's reader, as far as the two can be
/// matched: faults of its grammar count lines from 0, and it never names the first line.
fn as_go_says(text: &str, line: usize, lines: usize) -> (&str, usize) {
    let (context, problem) = text.split_once(", ").unwrap_or(("", text));
    let unclosed = problem == "found unexpected end of stream";
    if unclosed || problem == "invalid indentation in quoted scalar" {
        let line = if line <= 1 { lines + 1 } else { line };
        return ("found unexpected end of stream", line);
    }
    if context.starts_with("while parsing") {
        let problem = match problem {
            "expected ',' or ']'" => "did not find expected ',' or ']'",
            "expected ',' or '}'" => "did not find expected ',' or '}'",
            _ => problem,
        };
        return (problem, line.saturating_sub(1));
    }
    let (text, line) = match text {
        "simple key expect ':'" | "simple key expected ':'" | "simple key expected" => {
            ("could not find expected ':'", line.saturating_sub(1))
        }
        _ if text.starts_with("unexpected character") => {
            ("found character that cannot start any token", line)
        }
        _ => (text, line),
    };
    (text, if line == 1 { 0 } else { line })
}

fn scalar(text: &str, style: ScalarStyle, tag: Option<&Tag>) -> YamlKind {
    let core = tag.filter(|tag| tag.is_yaml_core_schema());
    let is_text = style != ScalarStyle::Plain || core.is_some_and(|tag| tag.suffix == "str");
    if is_text || (tag.is_some() && core.is_none()) {
        return YamlKind::String(text.into());
    }
    match text {
        "" | "~" | "null" | "Null" | "NULL" => YamlKind::Null,
        "true" | "True" | "TRUE" => YamlKind::Bool(true),
        "false" | "False" | "FALSE" => YamlKind::Bool(false),
        _ => number(text).map_or_else(|| YamlKind::String(text.into()), YamlKind::Number),
    }
}

/// Returns the JSON text of a YAML number.
fn number(text: &str) -> Option<Box<str>> {
    let first = text.bytes().next()?;
    if !(first.is_ascii_digit() || matches!(first, b'-' | b'+' | b'.')) {
        return None;
    }
    let plain = text.replace('_', "");
    let (sign, digits) = match plain.strip_prefix('-') {
        Some(digits) => ("-", digits),
        None => ("", plain.strip_prefix('+').unwrap_or(&plain)),
    };
    for (prefix, radix) in [("0x", 16), ("0o", 8), ("0b", 2)] {
        if let Some(digits) = digits.strip_prefix(prefix) {
            let value = u64::from_str_radix(digits, radix).ok()?;
            return Some(format!("{sign}{value}").into());
        }
    }
    if digits.bytes().all(|byte| byte.is_ascii_digit()) {
        let trimmed = digits.trim_start_matches('0');
        let trimmed = if trimmed.is_empty() { "0" } else { trimmed };
        return Some(format!("{sign}{trimmed}").into());
    }
    let digit_starts = digits.bytes().any(|byte| byte.is_ascii_digit());
    let shape = |byte: u8| byte.is_ascii_digit() || b".eE+-".contains(&byte);
    if !digit_starts || !digits.bytes().all(shape) {
        return None;
    }
    let value: f64 = digits.parse().ok()?;
    Some(format!("{sign}{value}").into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_scalars_resolve_by_the_core_rules() {
        for (text, want) in [
            ("0x10", YamlKind::Number("16".into())),
            ("+1_000", YamlKind::Number("1000".into())),
            ("007", YamlKind::Number("7".into())),
            ("-1.50", YamlKind::Number("-1.5".into())),
            ("1-2", YamlKind::String("1-2".into())),
            ("yes", YamlKind::String("yes".into())),
            ("~", YamlKind::Null),
            ("True", YamlKind::Bool(true)),
        ] {
            assert_eq!(scalar(text, ScalarStyle::Plain, None), want, "{text}");
        }
    }
}
