//! Reads OPA's plan JSON (`opa build -t plan`) into a [`Plan`].
//!
//! Everything is checked here: statement kinds, indexes, arities. The format is described in `docs/internals/opa-plan.md`.

use std::collections::HashMap;

use lictor_value::{Arena, Document, Value};
use serde_json::{Map, Value as Json};

use crate::ir::{
    Answer, Block, BuiltinDecl, BuiltinRef, Callee, ConstId, Entrypoint, FuncId, Function, Local, Location,
    Operand, Plan, RuleIdx, Stmt, StmtKind,
};
use crate::verify::LOCALS_MAX;

/// Why a text is no plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct ImportError {
    message: String,
}

type Outcome<T> = Result<T, ImportError>;

fn fault<T>(message: impl Into<String>) -> Outcome<T> {
    Err(ImportError { message: message.into() })
}

/// Reads a plan.
///
/// # Errors
/// When the text is no JSON, or is JSON that is no plan of OPA 1.22 or earlier.
pub fn import(text: &str) -> Outcome<Plan> {
    let json: Json = match serde_json::from_str(text) {
        Ok(json) => json,
        Err(error) => return fault(format!("plan is not JSON: {error}")),
    };
    Importer::default().plan(&json)
}

#[derive(Default)]
struct Importer {
    plan: Plan,
    strings: Vec<Box<str>>,
    /// String constants by index.
    string_constants: HashMap<u32, ConstId>,
    constants: HashMap<String, ConstId>,
    functions: HashMap<Box<str>, (FuncId, usize)>,
    builtins: HashMap<Box<str>, BuiltinRef>,
    locals: u32,
    depth: u32,
}

/// Blocks inside each other, at most.
const DEPTH_MAX: u32 = 5_000;

impl Importer {
    fn plan(mut self, json: &Json) -> Outcome<Plan> {
        let root = object(json, "plan")?;
        let statics = root.get("static").and_then(Json::as_object);
        self.strings = values(statics.and_then(|it| it.get("strings")))?;
        self.plan.files = values(statics.and_then(|it| it.get("files")))?;
        for builtin in list(statics.and_then(|it| it.get("builtin_funcs")))? {
            let name = text(object(builtin, "built-in")?, "name")?;
            self.add_builtin(name, builtin.get("decl").map(Json::to_string).unwrap_or_default());
        }
        let functions = list(root.get("funcs").and_then(|it| it.get("funcs")))?;
        for (index, function) in functions.iter().enumerate() {
            let function = object(function, "function")?;
            let arity = list(function.get("params"))?.len();
            let name: Box<str> = text(function, "name")?.into();
            self.functions.insert(name, (FuncId(number(index)), arity));
        }
        for function in functions {
            let function = self.function(object(function, "function")?)?;
            self.plan.functions.push(function);
        }
        for plan in list(root.get("plans").and_then(|it| it.get("plans")))? {
            self.entrypoint(object(plan, "plan")?)?;
        }
        Ok(self.plan)
    }

    fn add_builtin(&mut self, name: &str, declaration: String) -> BuiltinRef {
        if let Some(known) = self.builtins.get(name) {
            return *known;
        }
        let id = BuiltinRef(number(self.plan.builtins.len()));
        self.plan.builtins.push(BuiltinDecl { name: name.into(), declaration: declaration.into() });
        self.builtins.insert(name.into(), id);
        id
    }

    fn function(&mut self, json: &Map<String, Json>) -> Outcome<Function> {
        self.locals = 2;
        let params: Vec<Local> =
            list(json.get("params"))?.iter().map(|it| self.local_of(it)).collect::<Outcome<_>>()?;
        let Some((documents, params)) = params.split_at_checked(2) else {
            return fault("a function has less than two parameters");
        };
        if documents != [Local::INPUT, Local::DATA] {
            return fault("the first parameters of a function are not `input` and `data`");
        }
        let result = self.local(json, "return")?;
        let path = list(json.get("path"))?.iter().filter_map(|it| it.as_str().map(Box::from)).collect();
        Ok(Function {
            name: text(json, "name")?.into(),
            path,
            params: params.to_vec(),
            result,
            blocks: self.blocks(json.get("blocks"))?,
            locals: self.locals,
            facts: None,
        })
    }

    fn entrypoint(&mut self, json: &Map<String, Json>) -> Outcome<()> {
        self.locals = 3;
        let name = text(json, "name")?;
        let blocks = self.blocks(json.get("blocks"))?;
        let function = FuncId(number(self.plan.functions.len()));
        let result = Local(self.locals);
        self.plan.functions.push(Function {
            name: format!("plan.{name}").into(),
            path: Vec::new(),
            params: Vec::new(),
            result,
            locals: self.locals + 1,
            blocks,
            facts: None,
        });
        self.plan.entrypoints.push(Entrypoint { name: name.into(), function, answer: Answer::Bindings });
        Ok(())
    }

    fn blocks(&mut self, json: Option<&Json>) -> Outcome<Vec<Block>> {
        list(json)?.iter().map(|it| self.block(it)).collect()
    }

    fn block(&mut self, json: &Json) -> Outcome<Block> {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return fault(format!("blocks are nested deeper than {DEPTH_MAX}"));
        }
        let stmts = list(object(json, "block")?.get("stmts"))?;
        let block = Block { stmts: stmts.iter().map(|it| self.stmt(it)).collect::<Outcome<_>>()? };
        self.depth -= 1;
        Ok(block)
    }

    fn stmt(&mut self, json: &Json) -> Outcome<Stmt> {
        let outer = object(json, "statement")?;
        let kind = text(outer, "type")?;
        let Some(body) = outer.get("stmt").and_then(Json::as_object) else {
            return fault(format!("`{kind}` has no `stmt`"));
        };
        let place =
            |name: &str| body.get(name).and_then(Json::as_u64).map_or(0, |it| u32::try_from(it).unwrap_or(0));
        let location = Location {
            file: place("file"),
            row: place("row"),
            col: place("col"),
            end_row: place("end_row"),
            end_col: place("end_col"),
        };
        Ok(Stmt { kind: self.kind(kind, body)?, location, rule: RuleIdx::NONE })
    }

    #[expect(clippy::too_many_lines, reason = "one arm per statement")]
    fn kind(&mut self, kind: &str, body: &Map<String, Json>) -> Outcome<StmtKind> {
        Ok(match kind {
            "ArrayAppendStmt" => StmtKind::ArrayAppend {
                array: self.local(body, "array")?,
                value: self.operand(body, "value")?,
            },
            "AssignIntStmt" => {
                StmtKind::Assign { source: self.int(body, "value")?, target: self.local(body, "target")? }
            }
            "AssignVarStmt" => StmtKind::Assign {
                source: self.operand(body, "source")?,
                target: self.local(body, "target")?,
            },
            "AssignVarOnceStmt" => StmtKind::AssignOnce {
                source: self.operand(body, "source")?,
                target: self.local(body, "target")?,
            },
            "BlockStmt" => StmtKind::Block { blocks: self.blocks(body.get("blocks"))? },
            "BreakStmt" => StmtKind::Break { depth: integer(body, "index")? },
            "CallStmt" => self.call(body)?,
            "CallDynamicStmt" => self.call_dynamic(body)?,
            "DotStmt" => StmtKind::Dot {
                source: self.operand(body, "source")?,
                key: self.operand(body, "key")?,
                target: self.local(body, "target")?,
            },
            "EqualStmt" => StmtKind::Equal { a: self.operand(body, "a")?, b: self.operand(body, "b")? },
            "NotEqualStmt" => StmtKind::NotEqual { a: self.operand(body, "a")?, b: self.operand(body, "b")? },
            "IsArrayStmt" => StmtKind::IsArray { source: self.operand(body, "source")? },
            "IsObjectStmt" => StmtKind::IsObject { source: self.operand(body, "source")? },
            "IsSetStmt" => StmtKind::IsSet { source: self.operand(body, "source")? },
            "IsDefinedStmt" => StmtKind::IsDefined { source: self.local(body, "source")? },
            "IsUndefinedStmt" => StmtKind::IsUndefined { source: self.local(body, "source")? },
            "LenStmt" => {
                StmtKind::Len { source: self.operand(body, "source")?, target: self.local(body, "target")? }
            }
            "MakeArrayStmt" => StmtKind::MakeArray {
                capacity: body
                    .get("capacity")
                    .and_then(Json::as_u64)
                    .and_then(|it| u32::try_from(it).ok())
                    .unwrap_or(0),
                target: self.local(body, "target")?,
            },
            "MakeNullStmt" => StmtKind::Assign {
                source: self.constant("null", Value::NULL),
                target: self.local(body, "target")?,
            },
            "MakeNumberIntStmt" => {
                StmtKind::Assign { source: self.int(body, "value")?, target: self.local(body, "target")? }
            }
            "MakeNumberRefStmt" => {
                StmtKind::Assign { source: self.number_ref(body)?, target: self.local(body, "target")? }
            }
            "MakeObjectStmt" => StmtKind::MakeObject { target: self.local(body, "target")? },
            "MakeSetStmt" => StmtKind::MakeSet { target: self.local(body, "target")? },
            "NopStmt" => StmtKind::Nop,
            "NotStmt" => StmtKind::Not { block: self.inner_block(body)? },
            "ObjectInsertStmt" => StmtKind::ObjectInsert {
                object: self.local(body, "object")?,
                key: self.operand(body, "key")?,
                value: self.operand(body, "value")?,
            },
            "ObjectInsertOnceStmt" => StmtKind::ObjectInsertOnce {
                object: self.local(body, "object")?,
                key: self.operand(body, "key")?,
                value: self.operand(body, "value")?,
            },
            "ObjectMergeStmt" => StmtKind::ObjectMerge {
                a: self.local(body, "a")?,
                b: self.local(body, "b")?,
                target: self.local(body, "target")?,
            },
            "ResetLocalStmt" => StmtKind::Reset { target: self.local(body, "target")? },
            "ResultSetAddStmt" => StmtKind::ResultSetAdd { value: self.local(body, "value")? },
            "ReturnLocalStmt" => StmtKind::Return { source: self.local(body, "source")? },
            "ScanStmt" => StmtKind::Scan {
                source: self.local(body, "source")?,
                key: self.local(body, "key")?,
                value: self.local(body, "value")?,
                block: self.inner_block(body)?,
            },
            "SetAddStmt" => {
                StmtKind::SetAdd { set: self.local(body, "set")?, value: self.operand(body, "value")? }
            }
            "WithStmt" => self.with(body)?,
            other => return fault(format!("unknown statement `{other}`")),
        })
    }

    fn inner_block(&mut self, body: &Map<String, Json>) -> Outcome<Block> {
        match body.get("block") {
            Some(block) => self.block(block),
            None => fault("a statement has no `block`"),
        }
    }

    fn call(&mut self, body: &Map<String, Json>) -> Outcome<StmtKind> {
        let name = text(body, "func")?;
        let mut args: Vec<Operand> =
            list(body.get("args"))?.iter().map(|it| self.operand_of(it)).collect::<Outcome<_>>()?;
        let result = self.local(body, "result")?;
        let Some((function, arity)) = self.functions.get(name).copied() else {
            let builtin = self.add_builtin(name, String::new());
            return Ok(StmtKind::Call { callee: Callee::Builtin(builtin), args, result });
        };
        if args.len() != arity {
            return fault(format!("`{name}` takes {arity} arguments, is given {}", args.len()));
        }
        if args.get(..2) != Some(&[Operand::Local(Local::INPUT), Operand::Local(Local::DATA)]) {
            return fault(format!("a call of `{name}` does not pass `input` and `data` on"));
        }
        args.drain(..2);
        Ok(StmtKind::Call { callee: Callee::Function(function), args, result })
    }

    fn call_dynamic(&mut self, body: &Map<String, Json>) -> Outcome<StmtKind> {
        let path = list(body.get("path"))?.iter().map(|it| self.operand_of(it)).collect::<Outcome<_>>()?;
        let args: Vec<Local> =
            list(body.get("args"))?.iter().map(|it| self.local_of(it)).collect::<Outcome<_>>()?;
        let Some((documents, args)) = args.split_at_checked(2) else {
            return fault("a dynamic call has less than two arguments");
        };
        if documents != [Local::INPUT, Local::DATA] {
            return fault("a dynamic call does not pass `input` and `data` on");
        }
        Ok(StmtKind::CallDynamic { path, args: args.to_vec(), result: self.local(body, "result")? })
    }

    fn with(&mut self, body: &Map<String, Json>) -> Outcome<StmtKind> {
        let document = self.local(body, "local")?;
        if document != Local::INPUT && document != Local::DATA {
            return fault("a `WithStmt` changes neither `input` nor `data`");
        }
        let path = list(body.get("path"))?
            .iter()
            .map(|it| self.string(u32::try_from(it.as_u64().unwrap_or(u64::MAX)).unwrap_or(u32::MAX)))
            .collect::<Outcome<_>>()?;
        Ok(StmtKind::With {
            document,
            path,
            value: self.operand(body, "value")?,
            block: self.inner_block(body)?,
        })
    }

    fn local(&mut self, body: &Map<String, Json>, name: &str) -> Outcome<Local> {
        match body.get(name) {
            Some(json) => self.local_of(json),
            None => fault(format!("`{name}` is absent")),
        }
    }

    fn local_of(&mut self, json: &Json) -> Outcome<Local> {
        /// Exports need a few of their own beside those of a valid plan.
        const MAX: u32 = 16 * LOCALS_MAX;
        match json.as_u64().map(u32::try_from) {
            Some(Ok(local)) if local < MAX => {
                self.locals = self.locals.max(local + 1);
                Ok(Local(local))
            }
            _ => fault("a local is not a number in range"),
        }
    }

    fn operand(&mut self, body: &Map<String, Json>, name: &str) -> Outcome<Operand> {
        match body.get(name) {
            Some(json) => self.operand_of(json),
            None => fault(format!("`{name}` is absent")),
        }
    }

    fn operand_of(&mut self, json: &Json) -> Outcome<Operand> {
        let body = object(json, "operand")?;
        match text(body, "type")? {
            "local" => Ok(Operand::Local(self.local(body, "value")?)),
            "string_index" => Ok(Operand::Const(self.string(integer(body, "value")?)?)),
            "bool" => match body.get("value").and_then(Json::as_bool) {
                Some(value) => Ok(self.constant(if value { "true" } else { "false" }, Value::bool(value))),
                None => fault("a boolean operand has no boolean"),
            },
            other => fault(format!("unknown operand `{other}`")),
        }
    }

    fn string(&mut self, index: u32) -> Outcome<ConstId> {
        if let Some(known) = self.string_constants.get(&index) {
            return Ok(*known);
        }
        let Some(string) = self.strings.get(index as usize) else {
            return fault(format!("string {index} is out of range"));
        };
        let arena = Arena::new();
        let id = self.push(Document::from_value(arena.string(string)));
        self.string_constants.insert(index, id);
        Ok(id)
    }

    fn int(&mut self, body: &Map<String, Json>, name: &str) -> Outcome<Operand> {
        match body.get(name).and_then(Json::as_i64) {
            Some(value) => Ok(self.constant(&value.to_string(), Arena::new().int(value))),
            None => fault(format!("`{name}` is not an integer")),
        }
    }

    fn number_ref(&mut self, body: &Map<String, Json>) -> Outcome<Operand> {
        let index = body.get("index").or_else(|| body.get("Index")).and_then(Json::as_u64);
        let index = index.and_then(|it| usize::try_from(it).ok());
        let Some(text) = index.and_then(|it| self.strings.get(it)).cloned() else {
            return fault("a number's string is out of range");
        };
        // Numbers whose exponent no arithmetic takes are still values.
        if !crate::text_parse::is_number(&text) {
            return fault(format!("`{text}` is not a number"));
        }
        Ok(self.constant(&text, Arena::new().number_text(&text)))
    }

    /// Returns the constant of a text that no other value has.
    fn constant(&mut self, key: &str, value: Value<'_>) -> Operand {
        if let Some(known) = self.constants.get(key) {
            return Operand::Const(*known);
        }
        let id = self.push(Document::from_value(value));
        self.constants.insert(key.to_owned(), id);
        Operand::Const(id)
    }

    fn push(&mut self, document: Document) -> ConstId {
        self.plan.constants.push(document);
        ConstId(number(self.plan.constants.len() - 1))
    }
}

fn number(value: usize) -> u32 {
    u32::try_from(value).unwrap_or(u32::MAX)
}

fn object<'j>(json: &'j Json, what: &str) -> Outcome<&'j Map<String, Json>> {
    json.as_object().map_or_else(|| fault(format!("{what} is not an object")), Ok)
}

fn text<'j>(json: &'j Map<String, Json>, name: &str) -> Outcome<&'j str> {
    json.get(name).and_then(Json::as_str).map_or_else(|| fault(format!("`{name}` is not a string")), Ok)
}

fn integer(json: &Map<String, Json>, name: &str) -> Outcome<u32> {
    let value = json.get(name).and_then(Json::as_u64).and_then(|it| u32::try_from(it).ok());
    value.map_or_else(|| fault(format!("`{name}` is not a number in range")), Ok)
}

/// Returns the items; none of what is absent or null.
fn list(json: Option<&Json>) -> Outcome<&[Json]> {
    match json {
        None | Some(Json::Null) => Ok(&[]),
        Some(Json::Array(items)) => Ok(items),
        Some(_) => fault("a list is not an array"),
    }
}

fn values(json: Option<&Json>) -> Outcome<Vec<Box<str>>> {
    list(json)?.iter().map(|it| Ok(text(object(it, "string")?, "value")?.into())).collect()
}
