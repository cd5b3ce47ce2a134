//! The text form of a plan, which `text_parse` reads back: for people, tests of passes and bug reports.
//!
//! Constants stand where they are used, functions and built-ins are called by name, and places are written only where
//! they change. `docs/internals/plan.md` describes the form.

use std::fmt;

use lictor_value::write_string;

use crate::ir::{
    Answer, Block, Callee, Comparison, ConstId, Entrypoint, Facts, Function, Local, Location, Operand, Plan,
    RuleIdx, Stmt, StmtKind,
};

impl fmt::Display for Plan {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        for file in &self.files {
            writeln!(f, "file {}", Quoted(file))?;
        }
        for builtin in &self.builtins {
            writeln!(f, "builtin {} {}", Quoted(&builtin.name), Quoted(&builtin.declaration))?;
        }
        for rule in &self.rules {
            writeln!(f, "rule {} {}", Quoted(&rule.path), Place(rule.location))?;
        }
        for function in &self.functions {
            writeln!(f)?;
            Printer { plan: self, location: Location::default(), rule: RuleIdx::NONE, indent: 1 }
                .function(f, function)?;
        }
        if !self.entrypoints.is_empty() {
            writeln!(f)?;
        }
        self.entrypoints.iter().try_for_each(|it| self.write_entrypoint(f, it))
    }
}

impl Plan {
    fn write_entrypoint(&self, f: &mut fmt::Formatter<'_>, entrypoint: &Entrypoint) -> fmt::Result {
        let answer = match entrypoint.answer {
            Answer::Value => "value",
            Answer::Bindings => "bindings",
        };
        let function = self.functions.get(entrypoint.function.0 as usize).map_or("", |it| &it.name);
        writeln!(f, "entrypoint {} {answer} {}", Quoted(&entrypoint.name), Quoted(function))
    }
}

struct Quoted<'a>(&'a str);

impl fmt::Display for Quoted<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut out = Vec::new();
        write_string(self.0, &mut out, false);
        f.write_str(&String::from_utf8_lossy(&out))
    }
}

struct Place(Location);

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Location { file, row, col, end_row, end_col } = self.0;
        write!(f, "{file}:{row}:{col}-{end_row}:{end_col}")
    }
}

impl fmt::Display for Local {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "r{}", self.0)
    }
}

impl Comparison {
    /// Returns the word of the text form.
    pub(crate) fn word(self) -> &'static str {
        match self {
            Self::Less => "less",
            Self::LessOrEqual => "less_or_equal",
            Self::Greater => "greater",
            Self::GreaterOrEqual => "greater_or_equal",
            Self::StartsWith => "starts_with",
            Self::EndsWith => "ends_with",
            Self::Contains => "contains",
        }
    }
}

/// Writes one function.
struct Printer<'p> {
    plan: &'p Plan,
    /// What the last statement written came from.
    location: Location,
    rule: RuleIdx,
    indent: usize,
}

impl Printer<'_> {
    fn function(&mut self, f: &mut fmt::Formatter<'_>, function: &Function) -> fmt::Result {
        write!(f, "function {}", Quoted(&function.name))?;
        if !function.path.is_empty() {
            let path: Vec<String> = function.path.iter().map(|it| Quoted(it).to_string()).collect();
            write!(f, " [{}]", path.join(", "))?;
        }
        let params: Vec<String> = function.params.iter().map(Local::to_string).collect();
        write!(f, " ({}) -> {} locals {}", params.join(", "), function.result, function.locals)?;
        if let Some(facts) = &function.facts {
            write!(f, " facts ({})", facts_words(facts))?;
        }
        writeln!(f, " {{")?;
        self.blocks(f, &function.blocks)?;
        writeln!(f, "}}")
    }

    fn pad(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        (0..self.indent).try_for_each(|_| f.write_str("  "))
    }

    fn blocks(&mut self, f: &mut fmt::Formatter<'_>, blocks: &[Block]) -> fmt::Result {
        for block in blocks {
            self.pad(f)?;
            writeln!(f, "block {{")?;
            self.body(f, block)?;
            self.pad(f)?;
            writeln!(f, "}}")?;
        }
        Ok(())
    }

    fn body(&mut self, f: &mut fmt::Formatter<'_>, block: &Block) -> fmt::Result {
        self.indent += 1;
        block.stmts.iter().try_for_each(|it| self.stmt(f, it))?;
        self.indent -= 1;
        Ok(())
    }

    fn braced(&mut self, f: &mut fmt::Formatter<'_>, block: &Block) -> fmt::Result {
        writeln!(f, " {{")?;
        self.body(f, block)?;
        self.pad(f)?;
        f.write_str("}")
    }

    fn braced_blocks(&mut self, f: &mut fmt::Formatter<'_>, blocks: &[Block]) -> fmt::Result {
        writeln!(f, " {{")?;
        self.indent += 1;
        self.blocks(f, blocks)?;
        self.indent -= 1;
        self.pad(f)?;
        f.write_str("}")
    }

    fn stmt(&mut self, f: &mut fmt::Formatter<'_>, stmt: &Stmt) -> fmt::Result {
        if (stmt.location, stmt.rule) != (self.location, self.rule) {
            (self.location, self.rule) = (stmt.location, stmt.rule);
            self.pad(f)?;
            write!(f, "at {}", Place(stmt.location))?;
            if stmt.rule != RuleIdx::NONE {
                write!(f, " rule {}", stmt.rule.0)?;
            }
            writeln!(f)?;
        }
        self.pad(f)?;
        self.kind(f, &stmt.kind)?;
        writeln!(f)
    }

    fn op(&self, operand: Operand) -> String {
        match operand {
            Operand::Local(local) => local.to_string(),
            Operand::Const(id) => self.constant(id),
        }
    }

    fn constant(&self, id: ConstId) -> String {
        self.plan.constants.get(id.0 as usize).map_or_else(String::new, |it| it.root().to_string())
    }

    fn ops(&self, operands: &[Operand]) -> String {
        let texts: Vec<String> = operands.iter().map(|it| self.op(*it)).collect();
        texts.join(", ")
    }

    fn callee(&self, callee: Callee) -> String {
        match callee {
            Callee::Builtin(id) => {
                let name = self.plan.builtins.get(id.0 as usize).map_or("", |it| &it.name);
                format!("builtin {}", Quoted(name))
            }
            Callee::Function(id) => {
                let name = self.plan.functions.get(id.0 as usize).map_or("", |it| &it.name);
                format!("call {}", Quoted(name))
            }
        }
    }

    #[expect(clippy::too_many_lines, reason = "one arm per statement")]
    fn kind(&mut self, f: &mut fmt::Formatter<'_>, kind: &StmtKind) -> fmt::Result {
        match kind {
            StmtKind::ArrayAppend { array, value } => write!(f, "append {array} {}", self.op(*value)),
            StmtKind::Assign { source, target } => write!(f, "{target} = copy {}", self.op(*source)),
            StmtKind::AssignOnce { source, target } => write!(f, "{target} = once {}", self.op(*source)),
            StmtKind::Block { blocks } => {
                f.write_str("blocks")?;
                self.braced_blocks(f, blocks)
            }
            StmtKind::Break { depth } => write!(f, "break {depth}"),
            StmtKind::Call { callee, args, result } => {
                write!(f, "{result} = {} ({})", self.callee(*callee), self.ops(args))
            }
            StmtKind::CallDynamic { path, args, result } => {
                let args: Vec<String> = args.iter().map(Local::to_string).collect();
                write!(f, "{result} = dynamic [{}] ({})", self.ops(path), args.join(", "))
            }
            StmtKind::Dot { source, key, target } => {
                write!(f, "{target} = dot {} {}", self.op(*source), self.op(*key))
            }
            StmtKind::Equal { a, b } => write!(f, "equal {} {}", self.op(*a), self.op(*b)),
            StmtKind::NotEqual { a, b } => write!(f, "not_equal {} {}", self.op(*a), self.op(*b)),
            StmtKind::IsArray { source } => write!(f, "is_array {}", self.op(*source)),
            StmtKind::IsObject { source } => write!(f, "is_object {}", self.op(*source)),
            StmtKind::IsSet { source } => write!(f, "is_set {}", self.op(*source)),
            StmtKind::IsDefined { source } => write!(f, "is_defined {source}"),
            StmtKind::IsUndefined { source } => write!(f, "is_undefined {source}"),
            StmtKind::Len { source, target } => write!(f, "{target} = len {}", self.op(*source)),
            StmtKind::MakeArray { capacity, target } => write!(f, "{target} = array {capacity}"),
            StmtKind::MakeObject { target } => write!(f, "{target} = object"),
            StmtKind::MakeSet { target } => write!(f, "{target} = set"),
            StmtKind::MakeBag { target } => write!(f, "{target} = bag"),
            StmtKind::Nop => f.write_str("nop"),
            StmtKind::Not { block } => {
                f.write_str("not")?;
                self.braced(f, block)
            }
            StmtKind::ObjectInsert { object, key, value } => {
                write!(f, "insert {object} {} {}", self.op(*key), self.op(*value))
            }
            StmtKind::ObjectInsertOnce { object, key, value } => {
                write!(f, "insert_once {object} {} {}", self.op(*key), self.op(*value))
            }
            StmtKind::ObjectMerge { a, b, target } => write!(f, "{target} = merge {a} {b}"),
            StmtKind::Reset { target } => write!(f, "reset {target}"),
            StmtKind::ResultSetAdd { value } => write!(f, "result {value}"),
            StmtKind::Return { source } => write!(f, "return {source}"),
            StmtKind::Scan { source, key, value, block } => {
                write!(f, "scan {source} {key} {value}")?;
                self.braced(f, block)
            }
            StmtKind::SetAdd { set, value } => write!(f, "add {set} {}", self.op(*value)),
            StmtKind::With { document, path, value, block } => {
                let path: Vec<String> = path.iter().map(|it| self.constant(*it)).collect();
                write!(f, "with {document} [{}] {}", path.join(", "), self.op(*value))?;
                self.braced(f, block)
            }
            StmtKind::Switch { subject, cases, otherwise } => self.switch(f, *subject, cases, otherwise),
            StmtKind::Member { value, collection } => {
                write!(f, "member {} {}", self.op(*value), self.op(*collection))
            }
            StmtKind::Same { a, b } => write!(f, "same {} {}", self.op(*a), self.op(*b)),
            StmtKind::Entry { source, wanted, key, value } => {
                write!(f, "entry {source} {} {key} {value}", self.op(*wanted))
            }
            StmtKind::IsTrue { source } => write!(f, "is_true {}", self.op(*source)),
            StmtKind::Compare { op, a, b } => write!(f, "{} {} {}", op.word(), self.op(*a), self.op(*b)),
            StmtKind::EqualParts { source, parts } => {
                let parts: Vec<String> =
                    parts.iter().map(|it| format!("{}: {}", self.constant(it.0), self.op(it.1))).collect();
                write!(f, "equal_parts {} ({})", self.op(*source), parts.join(", "))
            }
        }
    }

    fn switch(
        &mut self,
        f: &mut fmt::Formatter<'_>,
        subject: Operand,
        cases: &[(ConstId, Vec<Block>)],
        otherwise: &[Block],
    ) -> fmt::Result {
        writeln!(f, "switch {} {{", self.op(subject))?;
        self.indent += 1;
        for (constant, blocks) in cases {
            self.pad(f)?;
            write!(f, "case {}", self.constant(*constant))?;
            self.braced_blocks(f, blocks)?;
            writeln!(f)?;
        }
        self.pad(f)?;
        f.write_str("else")?;
        self.braced_blocks(f, otherwise)?;
        writeln!(f)?;
        self.indent -= 1;
        self.pad(f)?;
        f.write_str("}")
    }
}

fn facts_words(facts: &Facts) -> String {
    let words = [("input", facts.reads_input), ("data", facts.reads_data), ("impure", facts.impure)];
    let words: Vec<&str> = words.iter().filter(|it| it.1).map(|it| it.0).collect();
    words.join(", ")
}
