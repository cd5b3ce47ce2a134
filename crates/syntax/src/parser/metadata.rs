//! Metadata blocks: found in the comments, parsed, and put on what they stand above.
//!
//! A block is a run of comments from column 1 that starts with `# METADATA`. A fault in one is a
//! fault of the module; its place is the line that OPA names, which is the one after the faulty.

mod fields;
mod yaml;

use std::collections::HashMap;

use crate::{
    ast::{Annotation, Comment, Module, Yaml},
    diagnostics::{Diagnostic, codes},
    parser::cursor::Parser,
    source::{Source, Span},
    visit::is_ground,
};

/// Is one block: its first line and the lines of YAML below it.
pub(crate) struct Block<'s> {
    source: &'s Source,
    head: Comment,
    lines: &'s [Comment],
}

/// Is a fault in a block.
pub(crate) struct BlockFault {
    message: String,
    span: Span,
}

/// Parses the metadata blocks among a text's comments; faulty ones are reported.
pub(crate) fn blocks(parser: &mut Parser<'_>) -> Vec<Annotation> {
    let comments = std::mem::take(&mut parser.comments);
    let mut annotations = Vec::new();
    for (idx, head) in comments.iter().enumerate() {
        if !is_head(parser.source, *head) {
            continue;
        }
        let below = comments.get(idx + 1..).unwrap_or_default();
        let block =
            Block { source: parser.source, head: *head, lines: lines_below(parser.source, *head, below) };
        match block.parse() {
            Ok(annotation) => annotations.push(annotation),
            Err(fault) => {
                let count = parser.fault_count();
                parser.error(fault.span, "bad-annotation", fault.message);
                // OPA has not seen the comments behind the place where it stops.
                if parser.stopped_at.is_some_and(|at| at < head.span.start) {
                    parser.mark_recovered(count);
                }
            }
        }
    }
    parser.comments = comments;
    annotations
}

fn is_head(source: &Source, comment: Comment) -> bool {
    let text = source.slice(comment.span);
    let text = text.strip_prefix('#').unwrap_or_default();
    text.trim().starts_with("METADATA") && starts_line(source, comment)
}

fn starts_line(source: &Source, comment: Comment) -> bool {
    source.position(comment.span.start).col == 1
}

/// Returns the comments that belong to a block: one a row, from column 1, no new block.
fn lines_below<'c>(source: &Source, head: Comment, below: &'c [Comment]) -> &'c [Comment] {
    let mut row = source.position(head.span.start).row;
    let mut count = 0;
    for comment in below {
        row += 1;
        let at = source.position(comment.span.start);
        if at.col != 1 || at.row != row || is_head(source, *comment) {
            break;
        }
        count += 1;
    }
    below.get(..count).unwrap_or_default()
}

impl Block<'_> {
    fn parse(&self) -> Result<Annotation, BlockFault> {
        let text = self.text();
        if text.trim().is_empty() {
            let message = "expected METADATA block, found whitespace".to_owned();
            return Err(self.fault(message, self.head.span));
        }
        let yaml = yaml::parse(self, &text)?;
        fields::check(self, &yaml)?;
        let scope = yaml.get("scope").map(fields::text_of).unwrap_or_default();
        let entrypoint = yaml.get("entrypoint").is_some_and(fields::is_true);
        let last = self.lines.last().unwrap_or(&self.head);
        let span = self.head.span.to(last.span);
        Ok(Annotation { scope: scope.into(), entrypoint, yaml, rule: None, span })
    }

    /// Returns the YAML text: the comments without `#` and one blank.
    fn text(&self) -> String {
        let mut text = String::new();
        for line in self.lines {
            text.push_str(self.line_text(*line));
            text.push('\n');
        }
        text
    }

    fn line_text(&self, line: Comment) -> &str {
        let text = self.source.slice(line.span);
        let text = text.strip_prefix('#').unwrap_or_default();
        text.strip_prefix(' ').unwrap_or(text)
    }

    /// Returns the offset of a character of the YAML text, by line (from 1) and column (from 0).
    fn offset(&self, line: usize, col: usize) -> u32 {
        let Some(comment) = line.checked_sub(1).and_then(|idx| self.lines.get(idx)) else {
            return self.lines.last().map_or(self.head.span.end, |l| l.span.end);
        };
        let text = self.line_text(*comment);
        let bytes: usize = text.chars().take(col).map(char::len_utf8).sum();
        let left = crate::source::offset_of(text.len() - bytes);
        comment.span.end - left
    }

    /// Makes a fault of the YAML reader: at the line that OPA names, with its hints.
    fn yaml_fault(&self, message: String, line: Option<usize>) -> BlockFault {
        let last = self.lines.len().saturating_sub(1);
        let idx = line.map_or(0, |line| line.min(last));
        let span = self.lines.get(idx).map_or(self.head.span, |line| line.span);
        let mut message = message;
        for line in self.lines {
            if let Some(hint) = self.separator_hint(*line) {
                message.push_str(&hint);
            }
        }
        self.fault(message, span)
    }

    /// Returns OPA's hint for a colon that no blank follows.
    fn separator_hint(&self, line: Comment) -> Option<String> {
        let text = self.source.slice(line.span);
        let mut parts = text.strip_prefix('#')?.split(':').skip(1).peekable();
        let mut signs = Vec::new();
        while let Some(part) = parts.next() {
            match part.chars().next() {
                None if parts.peek().is_none() => break,
                Some(' ' | '\t') => break,
                sign => signs.push(quoted_sign(sign)),
            }
        }
        if signs.is_empty() {
            return None;
        }
        let row = self.source.position(line.span.start).row;
        let signs = signs.join(" ");
        Some(format!(
            "\n  Hint: on line {row}, symbol(s) [{signs}] immediately following a key/value separator ':' is not a legal yaml space character"
        ))
    }

    fn fault(&self, message: String, span: Span) -> BlockFault {
        BlockFault { message, span }
    }
}

/// Returns a character in single quotes with all but ASCII escaped, as Go does.
fn quoted_sign(sign: Option<char>) -> String {
    let sign = sign.unwrap_or(char::REPLACEMENT_CHARACTER);
    let code = u32::from(sign);
    match sign {
        '\'' => "'\\''".to_owned(),
        '\\' => "'\\\\'".to_owned(),
        ' '..='~' => format!("'{sign}'"),
        '\u{0}'..='\u{7f}' => format!("'\\x{code:02x}'"),
        '\u{80}'..='\u{ffff}' => format!("'\\u{code:04x}'"),
        _ => format!("'\\U{code:08x}'"),
    }
}

/// Is what a block stands above.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Target {
    Package,
    Import,
    Rule(usize),
}

impl Target {
    fn name(self) -> &'static str {
        match self {
            Self::Package => "package",
            Self::Import => "import",
            Self::Rule(_) => "rule",
        }
    }
}

/// Puts blocks on the statements they stand above and checks their scopes.
pub(crate) fn attach(module: &mut Module, found: &mut Vec<Diagnostic>) {
    if module.annotations.is_empty() {
        return;
    }
    let mut annotations = std::mem::take(&mut module.annotations);
    let targets = targets(module, &annotations);
    for (annotation, target) in annotations.iter_mut().zip(&targets) {
        imply_scope(annotation, *target);
        annotation.rule = match target {
            Some(Target::Rule(rule)) => u32::try_from(*rule).ok(),
            _ => None,
        };
        check_scope(&module.source, annotation, *target, found);
    }
    if found.is_empty() {
        attach_to_package(module, &annotations);
        attach_to_rules(module, &annotations, &targets);
    }
    module.annotations = annotations;
}

fn row(source: &Source, span: Span) -> u32 {
    source.position(span.start).row
}

/// Returns for each block the first statement below it.
fn targets(module: &Module, annotations: &[Annotation]) -> Vec<Option<Target>> {
    let source = &module.source;
    let mut statements = vec![(row(source, module.package.span), Target::Package)];
    let imports = module.imports.iter();
    statements.extend(imports.map(|import| (row(source, import.span), Target::Import)));
    let rules = module.rules.iter().enumerate();
    statements.extend(rules.map(|(idx, rule)| (row(source, rule.span), Target::Rule(idx))));
    statements.sort_by_key(|(row, _)| *row);
    let below = |annotation: &Annotation| {
        let above = row(source, annotation.span);
        let idx = statements.partition_point(|(row, _)| *row <= above);
        statements.get(idx).map(|(_, target)| *target)
    };
    annotations.iter().map(below).collect()
}

fn imply_scope(annotation: &mut Annotation, target: Option<Target>) {
    if !annotation.scope.is_empty() {
        return;
    }
    annotation.scope = match target {
        Some(Target::Rule(_)) if annotation.entrypoint => "document",
        Some(target) => target.name(),
        None => "",
    }
    .into();
}

fn check_scope(
    source: &Source,
    annotation: &Annotation,
    target: Option<Target>,
    found: &mut Vec<Diagnostic>,
) {
    let scope = &annotation.scope;
    let mut report = |message: String| {
        let span = annotation.span;
        found.push(Diagnostic::new(codes::PARSE, "bad-annotation", source, span, message));
    };
    let wanted = match scope.as_ref() {
        "rule" | "document" => Some("rule"),
        "package" | "subpackages" => Some("package"),
        _ => None,
    };
    match wanted {
        None => report(format!(
            "invalid annotation scope '{scope}'. Use one of 'rule', 'document', 'package', or 'subpackages'"
        )),
        Some(wanted) if target.map(Target::name) != Some(wanted) => {
            let have = target.map_or(String::new(), |t| format!(" (have {})", t.name()));
            report(format!("annotation scope '{scope}' must be applied to {wanted}{have}"));
        }
        Some(_) => {}
    }
    if annotation.entrypoint && !matches!(scope.as_ref(), "document" | "package") {
        report(format!("annotation entrypoint applied to non-document or package scope '{scope}'"));
    }
}

fn attach_to_package(module: &mut Module, annotations: &[Annotation]) {
    let is_package =
        |annotation: &&Annotation| matches!(annotation.scope.as_ref(), "package" | "subpackages");
    module.package.annotations = (0_u32..)
        .zip(annotations)
        .filter(|(_, annotation)| is_package(annotation))
        .map(|(idx, _)| idx)
        .collect();
}

/// Is the blocks of one document: those on all its rules, and those on one rule each.
#[derive(Default)]
struct Group {
    document: Vec<u32>,
    /// With their rows, in order.
    single: Vec<(u32, u32)>,
    next: usize,
    /// Above the current rule and not yet taken by one.
    pending: Vec<u32>,
}

/// Gives each rule the blocks on its document and the ones above it that no rule before it
/// took; of several of those only the last is taken.
fn attach_to_rules(module: &mut Module, annotations: &[Annotation], targets: &[Option<Target>]) {
    let mut groups: HashMap<String, Group> = HashMap::new();
    for ((idx, annotation), target) in (0_u32..).zip(annotations).zip(targets) {
        let Some(Target::Rule(rule)) = target else {
            continue;
        };
        let Some(rule) = module.rules.get(*rule) else {
            continue;
        };
        let group = groups.entry(document_path(rule)).or_default();
        if annotation.scope.as_ref() == "document" {
            group.document.push(idx);
        } else {
            let row = row(&module.source, annotation.span);
            group.single.push((row, idx));
        }
    }
    for rule in &mut module.rules {
        let Some(group) = groups.get_mut(&document_path(rule)) else {
            continue;
        };
        let rule_row = row(&module.source, rule.span);
        while let Some((_, idx)) = group.single.get(group.next).filter(|(r, _)| *r < rule_row) {
            group.pending.push(*idx);
            group.next += 1;
        }
        let mut all = [group.document.as_slice(), group.pending.as_slice()].concat();
        all.sort_unstable();
        rule.annotations = all;
        group.pending.pop();
    }
}

/// Returns a rule's reference up to its first variable.
fn document_path(rule: &crate::ast::Rule) -> String {
    let reference = &rule.head.reference;
    let ground = reference.parts.iter().take_while(|part| is_ground(part));
    let mut path = crate::printer::term_text(&reference.head);
    for part in ground {
        path.push('\n');
        path.push_str(&crate::printer::term_text(part));
    }
    path
}

/// Is a map's entry.
type Entry = (Yaml, Yaml);
