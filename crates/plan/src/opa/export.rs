//! Writes a lowered [`Plan`] as OPA's plan JSON.
//!
//! OPA's plan knows strings and booleans as operands only: every other constant is made anew before its use. A plan
//! that passes have changed cannot be written. The format is described in `docs/internals/opa-plan.md`.

use std::collections::HashMap;
use std::fmt::Write as _;

use lictor_value::{Kind, Value, write_string};

use crate::ir::{
    Answer, Block, Callee, ConstId, Entrypoint, FuncId, Function, Local, Location, Operand, Plan, Stmt,
    StmtKind,
};

/// Why a plan cannot be written.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ExportError {
    message: String,
}

/// Returns the plan as JSON.
///
/// # Errors
/// When a statement was made by a pass, or a number leads nowhere ([`crate::verify`] would tell).
pub fn export(plan: &Plan) -> Result<String, ExportError> {
    let mut exporter =
        Exporter { plan, strings: Vec::new(), indexes: HashMap::new(), next: 0, location: None };
    let mut plans = Vec::new();
    for entrypoint in &plan.entrypoints {
        plans.push(exporter.entrypoint(entrypoint)?);
    }
    let mut functions = Vec::new();
    for (function, index) in plan.functions.iter().zip(0..) {
        let is_query = |it: &Entrypoint| it.function == FuncId(index) && it.answer == Answer::Bindings;
        if !plan.entrypoints.iter().any(is_query) {
            functions.push(exporter.function(function)?);
        }
    }
    Ok(exporter.document(&plans, &functions))
}

struct Exporter<'p> {
    plan: &'p Plan,
    strings: Vec<String>,
    indexes: HashMap<String, usize>,
    /// The next free register of the function.
    next: u32,
    location: Option<Location>,
}

type Outcome<T> = Result<T, ExportError>;

fn fault<T>(message: impl Into<String>) -> Outcome<T> {
    Err(ExportError { message: message.into() })
}

impl<'p> Exporter<'p> {
    fn document(&self, plans: &[String], functions: &[String]) -> String {
        let strings: Vec<String> = self.strings.iter().map(|it| value_object(it)).collect();
        let files = self.plan.files.iter().map(|it| value_object(if it.is_empty() { "<query>" } else { it }));
        let files: Vec<String> = files.collect();
        let mut builtins: Vec<_> = self.plan.builtins.iter().collect();
        builtins.sort_by(|a, b| a.name.cmp(&b.name));
        let builtins: Vec<String> = builtins
            .iter()
            .map(|it| {
                // A plan's text may declare anything; only JSON can stand in JSON.
                let is_json = serde_json::from_str::<serde_json::Value>(&it.declaration).is_ok();
                let decl = if is_json { &it.declaration } else { "null" };
                format!(r#"{{"name":{},"decl":{decl}}}"#, quoted(&it.name))
            })
            .collect();
        format!(
            r#"{{"static":{{"strings":[{}],"builtin_funcs":[{}],"files":[{}]}},"plans":{{"plans":[{}]}},"funcs":{{"funcs":[{}]}}}}"#,
            strings.join(","),
            builtins.join(","),
            files.join(","),
            plans.join(","),
            functions.join(","),
        )
    }

    fn entrypoint(&mut self, entrypoint: &Entrypoint) -> Outcome<String> {
        let function = self.callee(entrypoint.function)?;
        let blocks = match entrypoint.answer {
            Answer::Bindings => {
                self.next = function.locals;
                self.blocks(&function.blocks)?
            }
            Answer::Value => {
                let [result, object] = [Local::FIRST_FREE, Local(Local::FIRST_FREE.0 + 1)];
                self.next = object.0 + 1;
                self.location = None;
                let key = self.string("result");
                let mut out = Items::default();
                out.push(self.stmt("Call", &call_fields(&function.name, &[], result)));
                out.push(self.stmt("MakeObject", &format!(r#""target":{}"#, object.0)));
                let entry = format!(r#""key":{key},"value":{},"object":{}"#, local(result), object.0);
                out.push(self.stmt("ObjectInsert", &entry));
                out.push(self.stmt("ResultSetAdd", &format!(r#""value":{}"#, object.0)));
                format!(r#"[{{"stmts":[{}]}}]"#, out.0)
            }
        };
        Ok(format!(r#"{{"name":{},"blocks":{blocks}}}"#, quoted(&entrypoint.name)))
    }

    fn callee(&self, id: FuncId) -> Outcome<&'p Function> {
        let function = self.plan.functions.get(id.0 as usize);
        function.map_or_else(|| fault(format!("function {} does not exist", id.0)), Ok)
    }

    fn function(&mut self, function: &Function) -> Outcome<String> {
        self.next = function.locals;
        let blocks = self.blocks(&function.blocks)?;
        let params: Vec<String> =
            [Local::INPUT, Local::DATA].iter().chain(&function.params).map(|it| it.0.to_string()).collect();
        let mut out = format!(
            r#"{{"name":{},"params":[{}],"return":{},"blocks":{blocks}"#,
            quoted(&function.name),
            params.join(","),
            function.result.0
        );
        if !function.path.is_empty() {
            let path: Vec<String> = function.path.iter().map(|it| quoted(it)).collect();
            let _ = write!(out, r#","path":[{}]"#, path.join(","));
        }
        out.push('}');
        Ok(out)
    }

    fn blocks(&mut self, blocks: &[Block]) -> Outcome<String> {
        let mut out = Items::default();
        for block in blocks {
            out.push(self.block(block)?);
        }
        Ok(format!("[{}]", out.0))
    }

    fn block(&mut self, block: &Block) -> Outcome<String> {
        let mut out = Items::default();
        for stmt in &block.stmts {
            self.location = Some(stmt.location);
            self.statement(stmt, &mut out)?;
        }
        Ok(format!(r#"{{"stmts":[{}]}}"#, out.0))
    }

    fn stmt(&self, kind: &str, fields: &str) -> String {
        let Location { file, row, col, end_row, end_col } = self.location.unwrap_or_default();
        let comma = if fields.is_empty() { "" } else { "," };
        format!(
            r#"{{"type":"{kind}Stmt","stmt":{{{fields}{comma}"file":{file},"col":{col},"row":{row},"end_col":{end_col},"end_row":{end_row}}}}}"#
        )
    }

    fn string_index(&mut self, text: &str) -> usize {
        if let Some(index) = self.indexes.get(text) {
            return *index;
        }
        let index = self.strings.len();
        self.strings.push(text.to_owned());
        self.indexes.insert(text.to_owned(), index);
        index
    }

    fn string(&mut self, text: &str) -> String {
        format!(r#"{{"type":"string_index","value":{}}}"#, self.string_index(text))
    }

    fn fresh(&mut self) -> Local {
        self.next += 1;
        Local(self.next - 1)
    }

    fn constant(&self, id: ConstId) -> Outcome<Value<'p>> {
        match self.plan.constants.get(id.0 as usize) {
            Some(document) => Ok(document.root()),
            None => fault(format!("constant {} does not exist", id.0)),
        }
    }

    /// Returns the operand, after making the constant that it is if OPA has no operand for it.
    fn operand(&mut self, operand: Operand, out: &mut Items) -> Outcome<String> {
        match operand {
            Operand::Local(it) => Ok(local(it)),
            Operand::Const(id) => {
                let value = self.constant(id)?;
                Ok(self.value(value, out))
            }
        }
    }

    fn value(&mut self, value: Value<'_>, out: &mut Items) -> String {
        match value.kind() {
            Kind::String => self.string(value.as_str().unwrap_or_default()),
            Kind::Boolean => format!(r#"{{"type":"bool","value":{}}}"#, value.is_true()),
            Kind::Null => self.made(out, "MakeNull", ""),
            Kind::Number => {
                let index = self.string_index(value.number_text().as_deref().unwrap_or("0"));
                self.made(out, "MakeNumberRef", &format!(r#""index":{index},"Index":{index},"#))
            }
            Kind::Array => {
                let items: Vec<Value<'_>> = value.as_array().iter().flat_map(|it| it.iter()).collect();
                let target = self.fresh();
                let fields = format!(r#""capacity":{},"target":{}"#, items.len(), target.0);
                out.push(self.stmt("MakeArray", &fields));
                for item in items {
                    let item = self.value(item, out);
                    out.push(self.stmt("ArrayAppend", &format!(r#""value":{item},"array":{}"#, target.0)));
                }
                local(target)
            }
            Kind::Object => {
                let pairs: Vec<_> = value.as_object().iter().flat_map(|it| it.iter()).collect();
                let target = self.fresh();
                out.push(self.stmt("MakeObject", &format!(r#""target":{}"#, target.0)));
                for (key, item) in pairs {
                    let (key, item) = (self.value(key, out), self.value(item, out));
                    let fields = format!(r#""key":{key},"value":{item},"object":{}"#, target.0);
                    out.push(self.stmt("ObjectInsert", &fields));
                }
                local(target)
            }
            Kind::Set => {
                let members: Vec<Value<'_>> = value.as_set().iter().flat_map(|it| it.iter()).collect();
                let target = self.fresh();
                out.push(self.stmt("MakeSet", &format!(r#""target":{}"#, target.0)));
                for member in members {
                    let member = self.value(member, out);
                    out.push(self.stmt("SetAdd", &format!(r#""value":{member},"set":{}"#, target.0)));
                }
                local(target)
            }
        }
    }

    fn made(&mut self, out: &mut Items, kind: &str, fields: &str) -> String {
        let target = self.fresh();
        out.push(self.stmt(kind, &format!(r#"{fields}"target":{}"#, target.0)));
        local(target)
    }

    fn one(&mut self, kind: &str, source: Operand, out: &mut Items) -> Outcome<()> {
        let source = self.operand(source, out)?;
        out.push(self.stmt(kind, &format!(r#""source":{source}"#)));
        Ok(())
    }

    fn two(&mut self, kind: &str, a: Operand, b: Operand, out: &mut Items) -> Outcome<()> {
        let (a, b) = (self.operand(a, out)?, self.operand(b, out)?);
        out.push(self.stmt(kind, &format!(r#""a":{a},"b":{b}"#)));
        Ok(())
    }

    /// A statement with one operand and one register.
    fn moves(
        &mut self,
        kind: &str,
        (name, operand): (&str, Operand),
        (to, target): (&str, Local),
        out: &mut Items,
    ) -> Outcome<()> {
        let operand = self.operand(operand, out)?;
        out.push(self.stmt(kind, &format!(r#""{name}":{operand},"{to}":{}"#, target.0)));
        Ok(())
    }

    fn insert(
        &mut self,
        kind: &str,
        object: Local,
        (key, value): (Operand, Operand),
        out: &mut Items,
    ) -> Outcome<()> {
        let (key, value) = (self.operand(key, out)?, self.operand(value, out)?);
        out.push(self.stmt(kind, &format!(r#""key":{key},"value":{value},"object":{}"#, object.0)));
        Ok(())
    }

    #[expect(clippy::too_many_lines, reason = "one arm per statement")]
    fn statement(&mut self, stmt: &Stmt, out: &mut Items) -> Outcome<()> {
        match &stmt.kind {
            StmtKind::ArrayAppend { array, value } => {
                self.moves("ArrayAppend", ("value", *value), ("array", *array), out)?;
            }
            StmtKind::Assign { source, target } => {
                self.moves("AssignVar", ("source", *source), ("target", *target), out)?;
            }
            StmtKind::AssignOnce { source, target } => {
                if let Operand::Local(it) = source {
                    out.push(self.stmt("IsDefined", &format!(r#""source":{}"#, it.0)));
                }
                self.moves("AssignVarOnce", ("source", *source), ("target", *target), out)?;
            }
            StmtKind::Block { blocks } => {
                let blocks = self.blocks(blocks)?;
                self.location = Some(stmt.location);
                out.push(self.stmt("Block", &format!(r#""blocks":{blocks}"#)));
            }
            StmtKind::Break { depth } => out.push(self.stmt("Break", &format!(r#""index":{depth}"#))),
            StmtKind::Call { callee, args, result } => self.call(*callee, args, *result, out)?,
            StmtKind::CallDynamic { path, args, result } => self.call_dynamic(path, args, *result, out)?,
            StmtKind::Dot { source, key, target } => {
                let (source, key) = (self.operand(*source, out)?, self.operand(*key, out)?);
                let fields = format!(r#""source":{source},"key":{key},"target":{}"#, target.0);
                out.push(self.stmt("Dot", &fields));
            }
            StmtKind::Equal { a, b } => self.two("Equal", *a, *b, out)?,
            StmtKind::NotEqual { a, b } => self.two("NotEqual", *a, *b, out)?,
            StmtKind::IsArray { source } => self.one("IsArray", *source, out)?,
            StmtKind::IsObject { source } => self.one("IsObject", *source, out)?,
            StmtKind::IsSet { source } => self.one("IsSet", *source, out)?,
            StmtKind::IsDefined { source } => {
                out.push(self.stmt("IsDefined", &format!(r#""source":{}"#, source.0)));
            }
            StmtKind::IsUndefined { source } => {
                out.push(self.stmt("IsUndefined", &format!(r#""source":{}"#, source.0)));
            }
            StmtKind::Len { source, target } => {
                self.moves("Len", ("source", *source), ("target", *target), out)?;
            }
            StmtKind::MakeArray { capacity, target } => {
                let fields = format!(r#""capacity":{capacity},"target":{}"#, target.0);
                out.push(self.stmt("MakeArray", &fields));
            }
            StmtKind::MakeObject { target } => {
                out.push(self.stmt("MakeObject", &format!(r#""target":{}"#, target.0)));
            }
            StmtKind::MakeSet { target } => {
                out.push(self.stmt("MakeSet", &format!(r#""target":{}"#, target.0)));
            }
            StmtKind::Nop => out.push(self.stmt("Nop", "")),
            StmtKind::Not { block } => {
                let block = self.block(block)?;
                self.location = Some(stmt.location);
                out.push(self.stmt("Not", &format!(r#""block":{block}"#)));
            }
            StmtKind::ObjectInsert { object, key, value } => {
                self.insert("ObjectInsert", *object, (*key, *value), out)?;
            }
            StmtKind::ObjectInsertOnce { object, key, value } => {
                self.insert("ObjectInsertOnce", *object, (*key, *value), out)?;
            }
            StmtKind::ObjectMerge { a, b, target } => {
                let fields = format!(r#""a":{},"b":{},"target":{}"#, a.0, b.0, target.0);
                out.push(self.stmt("ObjectMerge", &fields));
            }
            StmtKind::Reset { target } => {
                out.push(self.stmt("ResetLocal", &format!(r#""target":{}"#, target.0)));
            }
            StmtKind::ResultSetAdd { value } => {
                out.push(self.stmt("ResultSetAdd", &format!(r#""value":{}"#, value.0)));
            }
            StmtKind::Return { source } => {
                out.push(self.stmt("ReturnLocal", &format!(r#""source":{}"#, source.0)));
            }
            StmtKind::Scan { source, key, value, block } => {
                let block = self.block(block)?;
                self.location = Some(stmt.location);
                let fields =
                    format!(r#""source":{},"key":{},"value":{},"block":{block}"#, source.0, key.0, value.0);
                out.push(self.stmt("Scan", &fields));
            }
            StmtKind::SetAdd { set, value } => self.moves("SetAdd", ("value", *value), ("set", *set), out)?,
            StmtKind::With { document, path, value, block } => {
                let value = self.operand(*value, out)?;
                let path = self.path(path)?;
                let block = self.block(block)?;
                self.location = Some(stmt.location);
                let fields =
                    format!(r#""local":{},"path":{path},"value":{value},"block":{block}"#, document.0);
                out.push(self.stmt("With", &fields));
            }
            StmtKind::Switch { .. }
            | StmtKind::Member { .. }
            | StmtKind::MakeBag { .. }
            | StmtKind::Same { .. }
            | StmtKind::Entry { .. }
            | StmtKind::IsTrue { .. }
            | StmtKind::Compare { .. }
            | StmtKind::EqualParts { .. } => {
                return fault("the plan was changed by passes; only a lowered plan can be exported");
            }
        }
        Ok(())
    }

    fn path(&mut self, path: &[ConstId]) -> Outcome<String> {
        if path.is_empty() {
            return Ok("null".to_owned());
        }
        let mut out = Items::default();
        for id in path {
            let text = self.constant(*id)?.as_str().unwrap_or_default().to_owned();
            out.push(self.string_index(&text).to_string());
        }
        Ok(format!("[{}]", out.0))
    }

    fn call(&mut self, callee: Callee, args: &[Operand], result: Local, out: &mut Items) -> Outcome<()> {
        let mut texts = Vec::with_capacity(args.len());
        for arg in args {
            texts.push(self.operand(*arg, out)?);
        }
        let fields = match callee {
            Callee::Function(id) => call_fields(&self.callee(id)?.name, &texts, result),
            Callee::Builtin(id) => match self.plan.builtins.get(id.0 as usize) {
                Some(builtin) => format!(
                    r#""func":{},"args":[{}],"result":{}"#,
                    quoted(&builtin.name),
                    texts.join(","),
                    result.0
                ),
                None => return fault(format!("built-in {} does not exist", id.0)),
            },
        };
        out.push(self.stmt("Call", &fields));
        Ok(())
    }

    fn call_dynamic(
        &mut self,
        path: &[Operand],
        args: &[Local],
        result: Local,
        out: &mut Items,
    ) -> Outcome<()> {
        let mut texts = Vec::with_capacity(path.len());
        for part in path {
            texts.push(self.operand(*part, out)?);
        }
        let args: Vec<String> =
            [Local::INPUT, Local::DATA].iter().chain(args).map(|it| it.0.to_string()).collect();
        let fields =
            format!(r#""args":[{}],"result":{},"path":[{}]"#, args.join(","), result.0, texts.join(","));
        out.push(self.stmt("CallDynamic", &fields));
        Ok(())
    }
}

/// JSON texts with commas between them.
#[derive(Default)]
struct Items(String);

impl Items {
    fn push(&mut self, item: impl AsRef<str>) {
        if !self.0.is_empty() {
            self.0.push(',');
        }
        self.0.push_str(item.as_ref());
    }
}

fn quoted(text: &str) -> String {
    let mut out = Vec::new();
    write_string(text, &mut out, true);
    String::from_utf8_lossy(&out).into_owned()
}

fn value_object(text: &str) -> String {
    format!(r#"{{"value":{}}}"#, quoted(text))
}

fn local(local: Local) -> String {
    format!(r#"{{"type":"local","value":{}}}"#, local.0)
}

/// The fields of a call of a function of the plan, which is given the documents first.
fn call_fields(name: &str, args: &[String], result: Local) -> String {
    let mut all = vec![local(Local::INPUT), local(Local::DATA)];
    all.extend_from_slice(args);
    format!(r#""func":{},"args":[{}],"result":{}"#, quoted(name), all.join(","), result.0)
}
