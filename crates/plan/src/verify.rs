//! Tells what is wrong with a plan before an engine relies on it.
//!
//! Checked: every number leads somewhere (registers, constants, functions, built-ins, files, rules), calls give as
//! many arguments as are taken, breaks stay inside their function, `With` changes a document only, and no statement
//! reads a register that cannot have been written before it. A register that is written on some ways only may be
//! read: it is undefined on the others.

use std::collections::HashSet;

use crate::ir::{Block, Callee, ConstId, Function, Local, Operand, Plan, RuleIdx, Stmt, StmtKind};

/// What is wrong with a plan.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("function `{function}`: {message}")]
pub struct VerifyError {
    function: Box<str>,
    message: String,
}

/// Blocks inside each other, at most.
const DEPTH_MAX: u32 = 5_000;

/// Registers of a function, at most: more than any policy needs, so few that a call cannot exhaust memory.
pub(crate) const LOCALS_MAX: u32 = 1 << 20;

/// Checks a plan.
///
/// # Errors
/// The first fault of each faulty function, and those of the entrypoints.
pub fn verify(plan: &Plan) -> Result<(), Vec<VerifyError>> {
    let mut faults = Vec::new();
    let mut names = HashSet::new();
    for function in &plan.functions {
        if !names.insert(&*function.name) {
            faults.push(fault(function, "the name is not unique"));
        }
        if let Err(message) = (Checker { plan, function, written: HashSet::new(), depth: 0 }).function() {
            faults.push(fault(function, message));
        }
    }
    for entrypoint in &plan.entrypoints {
        let function = plan.functions.get(entrypoint.function.0 as usize);
        if !function.is_some_and(|it| it.params.is_empty()) {
            let message = "the entrypoint's function is absent or takes arguments".to_owned();
            faults.push(VerifyError { function: entrypoint.name.clone(), message });
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults) }
}

fn fault(function: &Function, message: impl Into<String>) -> VerifyError {
    VerifyError { function: function.name.clone(), message: message.into() }
}

type Outcome = Result<(), String>;

struct Checker<'p> {
    plan: &'p Plan,
    function: &'p Function,
    /// Registers that some way before here has written.
    written: HashSet<Local>,
    depth: u32,
}

impl Checker<'_> {
    fn function(mut self) -> Outcome {
        let function = self.function;
        if function.locals > LOCALS_MAX {
            return Err(format!("{} registers are asked for, limit is {LOCALS_MAX}", function.locals));
        }
        self.in_range(function.result)?;
        self.written.extend([Local::INPUT, Local::DATA]);
        for param in &function.params {
            self.in_range(*param)?;
            if !self.written.insert(*param) {
                return Err("an argument's register is a document's or another one's".into());
            }
        }
        self.written.insert(function.result);
        function.blocks.iter().try_for_each(|it| self.block(it))
    }

    fn block(&mut self, block: &Block) -> Outcome {
        self.depth += 1;
        if self.depth > DEPTH_MAX {
            return Err(format!("blocks are nested deeper than {DEPTH_MAX}"));
        }
        for stmt in &block.stmts {
            self.stmt(stmt).map_err(|it| at(stmt, &it))?;
        }
        self.depth -= 1;
        Ok(())
    }

    fn stmt(&mut self, stmt: &Stmt) -> Outcome {
        if stmt.location.row != 0 && stmt.location.file as usize >= self.plan.files.len() {
            return Err(format!("file {} does not exist", stmt.location.file));
        }
        if stmt.rule != RuleIdx::NONE && stmt.rule.0 as usize >= self.plan.rules.len() {
            return Err(format!("rule {} does not exist", stmt.rule.0));
        }
        let mut outcome = Ok(());
        stmt.kind.for_each_operand(|it| {
            if outcome.is_ok() {
                outcome = self.operand(&stmt.kind, it);
            }
        });
        outcome?;
        self.kind(&stmt.kind)?;
        let mut outcome = Ok(());
        stmt.kind.for_each_write(|it| {
            if outcome.is_ok() {
                outcome = self.write(it);
            }
        });
        outcome?;
        let mut outcome = Ok(());
        stmt.kind.for_each_block(|it| {
            if outcome.is_ok() {
                outcome = self.block(it);
            }
        });
        outcome
    }

    fn in_range(&self, local: Local) -> Outcome {
        if local.0 < self.function.locals {
            Ok(())
        } else {
            Err(format!("{local} is out of range, there are {}", self.function.locals))
        }
    }

    fn operand(&self, kind: &StmtKind, operand: Operand) -> Outcome {
        match operand {
            Operand::Const(id) => self.constant(id),
            Operand::Local(local) => {
                self.in_range(local)?;
                // These ask for, or start from, a register without a value.
                let may_be_new = matches!(
                    kind,
                    StmtKind::AssignOnce { .. } | StmtKind::IsDefined { .. } | StmtKind::IsUndefined { .. }
                );
                if may_be_new || self.written.contains(&local) {
                    Ok(())
                } else {
                    Err(format!("{local} is read before it is written"))
                }
            }
        }
    }

    fn write(&mut self, local: Local) -> Outcome {
        self.in_range(local)?;
        if local < Local::FIRST_FREE {
            return Err(format!("{local} is a document and cannot be written"));
        }
        self.written.insert(local);
        Ok(())
    }

    fn constant(&self, id: ConstId) -> Outcome {
        if (id.0 as usize) < self.plan.constants.len() {
            Ok(())
        } else {
            Err(format!("constant {} does not exist", id.0))
        }
    }

    fn kind(&self, kind: &StmtKind) -> Outcome {
        match kind {
            StmtKind::Break { depth } if *depth >= self.depth => {
                Err(format!("break {depth} leads out of the function"))
            }
            StmtKind::Call { callee, args, .. } => self.call(*callee, args.len()),
            StmtKind::With { document, path, .. } => {
                if *document >= Local::FIRST_FREE {
                    return Err(format!("{document} is no document"));
                }
                for id in path {
                    self.constant(*id)?;
                    let constant = self.plan.constants.get(id.0 as usize);
                    if !constant.is_some_and(|it| it.root().is_string()) {
                        return Err("a path holds what is no string".into());
                    }
                }
                Ok(())
            }
            StmtKind::Switch { cases, .. } => self.cases(cases),
            StmtKind::EqualParts { parts, .. } => parts.iter().try_for_each(|it| self.constant(it.0)),
            _ => Ok(()),
        }
    }

    fn cases(&self, cases: &[(ConstId, Vec<Block>)]) -> Outcome {
        let mut seen = HashSet::new();
        for (id, _) in cases {
            self.constant(*id)?;
            if !seen.insert(*id) {
                return Err("two cases of a switch are equal".into());
            }
        }
        Ok(())
    }

    fn call(&self, callee: Callee, args: usize) -> Outcome {
        match callee {
            Callee::Builtin(id) => {
                if (id.0 as usize) < self.plan.builtins.len() {
                    Ok(())
                } else {
                    Err(format!("built-in {} does not exist", id.0))
                }
            }
            Callee::Function(id) => {
                let Some(function) = self.plan.functions.get(id.0 as usize) else {
                    return Err(format!("function {} does not exist", id.0));
                };
                let wanted = function.params.len();
                if wanted == args {
                    Ok(())
                } else {
                    Err(format!("`{}` takes {wanted} arguments, is given {args}", function.name))
                }
            }
        }
    }
}

fn at(stmt: &Stmt, message: &str) -> String {
    if stmt.location.row == 0 || message.starts_with("row ") {
        return message.to_owned();
    }
    format!("row {}: {message}", stmt.location.row)
}
