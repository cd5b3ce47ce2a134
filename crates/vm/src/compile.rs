//! Plan to program: registers assigned, blocks flattened into jumps, built-ins linked.
//!
//! A register that lives in one top-level block of its function (one rule) shares its number with those of the other
//! blocks, so that a function of a thousand rules does not clear thousands of registers at every call.

mod emit;
mod registers;

use std::collections::HashMap;

use lictor_plan::{Answer, Facts, Plan};
use lictor_runtime::Callee;
use lictor_value::Constants;

use crate::compile::emit::Emitter;
use crate::op::Target;
use crate::program::{LinkedBuiltin, Program};

/// Why a plan cannot be compiled.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[error("{message}")]
pub struct CompileError {
    message: String,
}

impl CompileError {
    pub(crate) fn new(message: impl Into<String>) -> Self {
        Self { message: message.into() }
    }
}

/// Compiles a plan; `link` finds the function of a built-in by its name.
///
/// # Errors
/// When the plan calls a built-in that `link` does not know, or is larger than the machine's number space.
pub fn compile<C: Into<Callee>>(
    plan: &Plan,
    link: impl Fn(&str) -> Option<C>,
) -> Result<Program, CompileError> {
    let mut builtins = Vec::with_capacity(plan.builtins.len());
    for declaration in &plan.builtins {
        let name = declaration.name.clone();
        let callee =
            link(&name).ok_or_else(|| CompileError::new(format!("built-in `{name}` is not available")))?;
        let speaks = matches!(&*name, "internal.print" | "trace");
        let placed = speaks || &*name == "http.send";
        builtins.push(LinkedBuiltin { name, callee: callee.into(), speaks, placed });
    }
    let mut program = Program {
        constants: Constants::new(plan.constants.iter().map(lictor_value::Document::root)),
        ops: Vec::new(),
        locations: Vec::new(),
        files: plan.files.clone(),
        functions: Vec::with_capacity(plan.functions.len()),
        args: Vec::new(),
        builtins,
        switches: Vec::new(),
        seeks: Vec::new(),
        entrypoints: plan.entrypoints.iter().map(|it| (it.name.clone(), it.function, it.answer)).collect(),
        dynamic: HashMap::new(),
    };
    for (index, function) in plan.functions.iter().enumerate() {
        let (before, first_switch) = (program.table_bytes(), program.switches.len());
        let mut code = Emitter::new(&mut program, function).emit()?;
        let cases = program.switches.iter().skip(first_switch).map(|it| it.cases.capacity());
        code.bytes = program.table_bytes() - before + cases.sum::<usize>() * size_of::<(u32, Target)>();
        code.stable = function.params.is_empty() && function.facts.as_deref().is_some_and(is_stable);
        program.functions.push(code);
        if !function.path.is_empty() {
            let index = u32::try_from(index).map_err(|_| CompileError::new("too many functions"))?;
            program.dynamic.insert(function.path.clone(), index);
        }
    }
    // Solutions are left beside the value of a function, so that its value is not all it does.
    for (_, function, answer) in &program.entrypoints {
        if let Some(code) = program.functions.get_mut(function.0 as usize)
            && *answer == Answer::Bindings
        {
            code.stable = false;
        }
    }
    Ok(program)
}

fn is_stable(facts: &Facts) -> bool {
    !facts.reads_input && !facts.impure
}
