//! Reads the text form of a plan (see `text`).
//!
//! It takes any layout of white space and comments from `//` to the end of the line. What it accepts may still be no
//! valid plan: `verify` tells.

mod term;

use std::collections::HashMap;
use std::sync::Arc;

use lictor_value::{Document, Value};

use crate::ir::{
    Answer, Block, BuiltinDecl, BuiltinRef, Callee, Comparison, ConstId, Entrypoint, Facts, FuncId, Function,
    Local, Location, Operand, Plan, RuleIdx, RuleInfo, Stmt, StmtKind,
};
use term::Cursor;
pub(crate) use term::is_number;

/// Why a text is no plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("line {line}: {message}")]
pub struct TextError {
    line: usize,
    message: String,
}

type Outcome<T> = Result<T, TextError>;

/// Blocks inside each other, at most.
const DEPTH_MAX: u32 = 1_000;

/// Reads a plan.
///
/// # Errors
/// When the text is not of the form that `Display` of [`Plan`] writes.
pub fn parse(text: &str) -> Outcome<Plan> {
    let mut parser = Parser {
        cursor: Cursor::new(text),
        plan: Plan::default(),
        constants: HashMap::new(),
        functions: HashMap::new(),
        builtins: HashMap::new(),
        mentioned: Vec::new(),
        location: Location::default(),
        rule: RuleIdx::NONE,
        depth: 0,
    };
    while !parser.cursor.at_end() {
        parser.item()?;
    }
    parser.finish()
}

struct Parser<'t> {
    cursor: Cursor<'t>,
    plan: Plan,
    constants: HashMap<String, ConstId>,
    /// Functions by name, numbered in order of their first mention.
    functions: HashMap<String, FuncId>,
    /// Their names, and the numbers of their bodies once those are read.
    mentioned: Vec<(String, Option<FuncId>)>,
    builtins: HashMap<String, BuiltinRef>,
    location: Location,
    rule: RuleIdx,
    depth: u32,
}

impl Parser<'_> {
    fn item(&mut self) -> Outcome<()> {
        match self.cursor.word()?.as_str() {
            "file" => {
                let name = self.cursor.string()?;
                self.plan.files.push(name.into());
            }
            "builtin" => {
                let name = self.cursor.string()?;
                let declaration = self.cursor.string()?;
                let id = self.builtin_of(name);
                self.plan.builtins[id.0 as usize].declaration = declaration.into();
            }
            "rule" => {
                let path = self.cursor.string()?.into();
                let location = self.place()?;
                self.plan.rules.push(RuleInfo { path, location });
            }
            "function" => self.function()?,
            "entrypoint" => self.entrypoint()?,
            other => return self.cursor.fault(format!("unknown item `{other}`")),
        }
        Ok(())
    }

    /// Gives functions the numbers of their bodies' order in place of those of their first mention.
    fn finish(mut self) -> Outcome<Plan> {
        let mut numbers = Vec::with_capacity(self.mentioned.len());
        for (name, body) in &self.mentioned {
            match body {
                Some(number) => numbers.push(*number),
                None => return self.cursor.fault(format!("function `{name}` has no body")),
            }
        }
        for function in &mut self.plan.functions {
            function.blocks.iter_mut().for_each(|it| renumber(it, &numbers));
        }
        for entrypoint in &mut self.plan.entrypoints {
            entrypoint.function = numbers[entrypoint.function.0 as usize];
        }
        Ok(self.plan)
    }

    fn entrypoint(&mut self) -> Outcome<()> {
        let name = self.cursor.string()?.into();
        let answer = match self.cursor.word()?.as_str() {
            "value" => Answer::Value,
            "bindings" => Answer::Bindings,
            other => return self.cursor.fault(format!("unknown answer `{other}`")),
        };
        let function = self.cursor.string()?;
        let function = self.function_of(&function);
        self.plan.entrypoints.push(Entrypoint { name, function, answer });
        Ok(())
    }

    fn function_of(&mut self, name: &str) -> FuncId {
        if let Some(id) = self.functions.get(name) {
            return *id;
        }
        let id = FuncId(number(self.mentioned.len()));
        self.mentioned.push((name.to_owned(), None));
        self.functions.insert(name.to_owned(), id);
        id
    }

    fn builtin_of(&mut self, name: String) -> BuiltinRef {
        if let Some(id) = self.builtins.get(&name) {
            return *id;
        }
        let id = BuiltinRef(number(self.plan.builtins.len()));
        self.plan.builtins.push(BuiltinDecl { name: name.as_str().into(), declaration: "".into() });
        self.builtins.insert(name, id);
        id
    }

    fn function(&mut self) -> Outcome<()> {
        let name = self.cursor.string()?;
        let mut path = Vec::new();
        if self.cursor.try_take('[') {
            path = self.list(']', |it| Ok(it.cursor.string()?.into()))?;
        }
        self.cursor.take('(')?;
        let params = self.list(')', Self::local)?;
        self.cursor.take_text("->")?;
        let result = self.local()?;
        self.cursor.take_word("locals")?;
        let locals = self.cursor.number()?;
        let facts = if self.cursor.try_take_word("facts") { Some(Arc::new(self.facts()?)) } else { None };
        self.location = Location::default();
        self.rule = RuleIdx::NONE;
        let blocks = self.braced_blocks()?;
        let id = self.function_of(&name);
        let body = FuncId(number(self.plan.functions.len()));
        if self.mentioned[id.0 as usize].1.replace(body).is_some() {
            return self.cursor.fault(format!("function `{name}` comes twice"));
        }
        let name = name.into();
        self.plan.functions.push(Function { name, path, params, result, locals, blocks, facts });
        Ok(())
    }

    fn facts(&mut self) -> Outcome<Facts> {
        self.cursor.take('(')?;
        let words = self.list(')', |it| it.cursor.word())?;
        let mut facts = Facts::default();
        for word in words {
            match word.as_str() {
                "input" => facts.reads_input = true,
                "data" => facts.reads_data = true,
                "impure" => facts.impure = true,
                other => return self.cursor.fault(format!("unknown fact `{other}`")),
            }
        }
        Ok(facts)
    }

    /// Reads items separated by commas up to the closing character.
    fn list<T>(&mut self, end: char, mut item: impl FnMut(&mut Self) -> Outcome<T>) -> Outcome<Vec<T>> {
        let mut items = Vec::new();
        while !self.cursor.try_take(end) {
            if !items.is_empty() {
                self.cursor.take(',')?;
            }
            items.push(item(self)?);
        }
        Ok(items)
    }

    fn place(&mut self) -> Outcome<Location> {
        let file = self.cursor.number()?;
        self.cursor.take(':')?;
        let row = self.cursor.number()?;
        self.cursor.take(':')?;
        let col = self.cursor.number()?;
        self.cursor.take('-')?;
        let end_row = self.cursor.number()?;
        self.cursor.take(':')?;
        let end_col = self.cursor.number()?;
        Ok(Location { file, row, col, end_row, end_col })
    }

    fn braced_blocks(&mut self) -> Outcome<Vec<Block>> {
        self.cursor.take('{')?;
        let mut blocks = Vec::new();
        while !self.cursor.try_take('}') {
            self.cursor.take_word("block")?;
            blocks.push(self.block()?);
        }
        Ok(blocks)
    }

    fn block(&mut self) -> Outcome<Block> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return self.cursor.fault(format!("blocks are nested deeper than {DEPTH_MAX}"));
        }
        self.cursor.take('{')?;
        let mut stmts = Vec::new();
        while !self.cursor.try_take('}') {
            if self.cursor.try_take_word("at") {
                self.location = self.place()?;
                self.rule = RuleIdx::NONE;
                if self.cursor.try_take_word("rule") {
                    self.rule = RuleIdx(self.cursor.number()?);
                }
                continue;
            }
            let (location, rule) = (self.location, self.rule);
            let kind = match self.cursor.try_register()? {
                Some(target) => self.assignment(Local(target))?,
                None => self.statement()?,
            };
            stmts.push(Stmt { kind, location, rule });
        }
        self.depth -= 1;
        Ok(Block { stmts })
    }

    fn local(&mut self) -> Outcome<Local> {
        match self.cursor.try_register()? {
            Some(number) => Ok(Local(number)),
            None => self.cursor.fault("a register is expected"),
        }
    }

    fn operand(&mut self) -> Outcome<Operand> {
        match self.cursor.try_register()? {
            Some(number) => Ok(Operand::Local(Local(number))),
            None => Ok(Operand::Const(self.constant()?)),
        }
    }

    fn operands(&mut self, end: char) -> Outcome<Vec<Operand>> {
        self.list(end, Self::operand)
    }

    fn constant(&mut self) -> Outcome<ConstId> {
        let arena = lictor_value::Arena::new();
        let value: Value<'_> = self.cursor.value(&arena)?;
        let text = value.to_string();
        if let Some(id) = self.constants.get(&text) {
            return Ok(*id);
        }
        let id = ConstId(number(self.plan.constants.len()));
        self.plan.constants.push(Document::from_value(value));
        self.constants.insert(text, id);
        Ok(id)
    }

    /// Reads what follows `target`.
    fn assignment(&mut self, target: Local) -> Outcome<StmtKind> {
        self.cursor.take('=')?;
        Ok(match self.cursor.word()?.as_str() {
            "copy" => StmtKind::Assign { source: self.operand()?, target },
            "once" => StmtKind::AssignOnce { source: self.operand()?, target },
            "call" => {
                let name = self.cursor.string()?;
                self.cursor.take('(')?;
                let args = self.operands(')')?;
                StmtKind::Call { callee: Callee::Function(self.function_of(&name)), args, result: target }
            }
            "builtin" => {
                let name = self.cursor.string()?;
                self.cursor.take('(')?;
                let args = self.operands(')')?;
                StmtKind::Call { callee: Callee::Builtin(self.builtin_of(name)), args, result: target }
            }
            "dynamic" => {
                self.cursor.take('[')?;
                let path = self.operands(']')?;
                self.cursor.take('(')?;
                StmtKind::CallDynamic { path, args: self.list(')', Self::local)?, result: target }
            }
            "dot" => StmtKind::Dot { source: self.operand()?, key: self.operand()?, target },
            "len" => StmtKind::Len { source: self.operand()?, target },
            "array" => StmtKind::MakeArray { capacity: self.cursor.number()?, target },
            "object" => StmtKind::MakeObject { target },
            "set" => StmtKind::MakeSet { target },
            "bag" => StmtKind::MakeBag { target },
            "merge" => StmtKind::ObjectMerge { a: self.local()?, b: self.local()?, target },
            other => return self.cursor.fault(format!("unknown operation `{other}`")),
        })
    }

    fn statement(&mut self) -> Outcome<StmtKind> {
        Ok(match self.cursor.word()?.as_str() {
            "append" => StmtKind::ArrayAppend { array: self.local()?, value: self.operand()? },
            "blocks" => StmtKind::Block { blocks: self.braced_blocks()? },
            "break" => StmtKind::Break { depth: self.cursor.number()? },
            "equal" => StmtKind::Equal { a: self.operand()?, b: self.operand()? },
            "not_equal" => StmtKind::NotEqual { a: self.operand()?, b: self.operand()? },
            "is_array" => StmtKind::IsArray { source: self.operand()? },
            "is_object" => StmtKind::IsObject { source: self.operand()? },
            "is_set" => StmtKind::IsSet { source: self.operand()? },
            "is_defined" => StmtKind::IsDefined { source: self.local()? },
            "is_undefined" => StmtKind::IsUndefined { source: self.local()? },
            "is_true" => StmtKind::IsTrue { source: self.operand()? },
            "nop" => StmtKind::Nop,
            "not" => StmtKind::Not { block: self.block()? },
            "insert" => {
                StmtKind::ObjectInsert { object: self.local()?, key: self.operand()?, value: self.operand()? }
            }
            "insert_once" => StmtKind::ObjectInsertOnce {
                object: self.local()?,
                key: self.operand()?,
                value: self.operand()?,
            },
            "reset" => StmtKind::Reset { target: self.local()? },
            "result" => StmtKind::ResultSetAdd { value: self.local()? },
            "return" => StmtKind::Return { source: self.local()? },
            "scan" => StmtKind::Scan {
                source: self.local()?,
                key: self.local()?,
                value: self.local()?,
                block: self.block()?,
            },
            "add" => StmtKind::SetAdd { set: self.local()?, value: self.operand()? },
            "with" => self.with()?,
            "switch" => self.switch()?,
            "member" => StmtKind::Member { value: self.operand()?, collection: self.operand()? },
            "same" => StmtKind::Same { a: self.operand()?, b: self.operand()? },
            "entry" => StmtKind::Entry {
                source: self.local()?,
                wanted: self.operand()?,
                key: self.local()?,
                value: self.local()?,
            },
            "equal_parts" => self.equal_parts()?,
            other => match COMPARISONS.iter().find(|it| it.word() == other) {
                Some(op) => StmtKind::Compare { op: *op, a: self.operand()?, b: self.operand()? },
                None => return self.cursor.fault(format!("unknown statement `{other}`")),
            },
        })
    }

    fn with(&mut self) -> Outcome<StmtKind> {
        let document = self.local()?;
        self.cursor.take('[')?;
        let path = self.list(']', Self::constant)?;
        Ok(StmtKind::With { document, path, value: self.operand()?, block: self.block()? })
    }

    fn switch(&mut self) -> Outcome<StmtKind> {
        let subject = self.operand()?;
        self.cursor.take('{')?;
        let mut cases = Vec::new();
        while self.cursor.try_take_word("case") {
            let constant = self.constant()?;
            cases.push((constant, self.braced_blocks()?));
        }
        self.cursor.take_word("else")?;
        let otherwise = self.braced_blocks()?;
        self.cursor.take('}')?;
        Ok(StmtKind::Switch { subject, cases, otherwise })
    }

    fn equal_parts(&mut self) -> Outcome<StmtKind> {
        let source = self.operand()?;
        self.cursor.take('(')?;
        let parts = self.list(')', |it| {
            let key = it.constant()?;
            it.cursor.take(':')?;
            Ok((key, it.operand()?))
        })?;
        Ok(StmtKind::EqualParts { source, parts })
    }
}

fn renumber(block: &mut Block, numbers: &[FuncId]) {
    for stmt in &mut block.stmts {
        if let StmtKind::Call { callee: Callee::Function(id), .. } = &mut stmt.kind {
            *id = numbers[id.0 as usize];
        }
        stmt.kind.for_each_block_mut(|it| renumber(it, numbers));
    }
}

const COMPARISONS: [Comparison; 7] = [
    Comparison::Less,
    Comparison::LessOrEqual,
    Comparison::Greater,
    Comparison::GreaterOrEqual,
    Comparison::StartsWith,
    Comparison::EndsWith,
    Comparison::Contains,
];

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}
