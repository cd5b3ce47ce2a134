//! The value of a pipeline: fields, variables, constants and calls, with Go's rules and texts.
//!
//! Apart from `exec`, which walks the actions and writes the result. Which value is boxed in an interface matters
//! to messages only; it is tracked for them.

use super::data::{Data, Val};
use super::exec::{At, Fault, State};
use super::functions::{self, Signature, Want};
use super::node::{Command, Operand, Pipe, Term, bare};
use super::number::Constant;
use crate::go::quote::quote;

type Evaluated = Result<Val, Fault>;

impl<'t> State<'t, '_> {
    /// Evaluates a pipeline and keeps its value in the variables that it declares.
    pub(super) fn pipeline(&mut self, dot: &Val, pipe: &'t Pipe) -> Evaluated {
        self.at = At::Pipe(pipe);
        let mut value = Val::Missing;
        for command in &pipe.commands {
            self.spend(1)?;
            value = self.command(dot, command, value)?.unboxed();
        }
        for variable in &pipe.variables {
            if pipe.assigns {
                self.assign(variable, value.clone())?;
            } else {
                self.variables.push((variable, value.clone()));
            }
        }
        Ok(value)
    }

    fn command(&mut self, dot: &Val, command: &'t Command, last: Val) -> Evaluated {
        let Some((first, args)) = command.args.split_first() else { return Ok(Val::Invalid) };
        let has_args = !args.is_empty() || !matches!(last, Val::Missing);
        match &first.term {
            Term::Field(names) => {
                self.at = At::Operand(first);
                self.fields(dot.clone(), names, has_args)
            }
            Term::Chain(inner, names) => self.chain(dot, first, (inner, names), has_args),
            Term::Function(name) => {
                self.at = At::Operand(first);
                self.function(dot, name, args, last, At::Command(command))
            }
            Term::Pipe(pipe) => {
                self.no_args(first, has_args)?;
                self.pipeline(dot, pipe)
            }
            Term::Variable(names) => {
                self.at = At::Operand(first);
                self.variable(first, names, has_args)
            }
            Term::Bool(_) | Term::Nil | Term::Dot | Term::Number(_) | Term::Str { .. } => {
                self.at = At::Operand(first);
                self.no_args(first, has_args)?;
                match &first.term {
                    Term::Dot => Ok(dot.clone()),
                    Term::Nil => self.fail("nil is not a command"),
                    other => self.constant(other),
                }
            }
        }
    }

    fn no_args(&self, first: &Operand, has_args: bool) -> Result<(), Fault> {
        if has_args {
            return self.fail(format!("can't give argument to non-function {}", bare(first)));
        }
        Ok(())
    }

    fn constant(&self, term: &Term) -> Evaluated {
        Ok(Val::Plain(match term {
            Term::Bool(it) => Data::Bool(*it),
            Term::Str { text, .. } => Data::Str(text.as_str().into()),
            Term::Number(constant) => return self.number(constant),
            _ => return Ok(Val::Invalid),
        }))
    }

    fn number(&self, constant: &Constant) -> Evaluated {
        let data = match (constant.complex, constant.float, constant.int) {
            (Some((real, imaginary)), _, _) => Data::Complex(real, imaginary),
            (None, Some(float), _) if constant.is_written_as_float() => Data::Float(float),
            (None, _, Some(int)) => Data::Int(int),
            _ if constant.is_uint => return self.fail(format!("{} overflows int", constant.text)),
            _ => return Ok(Val::Invalid),
        };
        Ok(Val::Plain(data))
    }

    fn variable(&mut self, operand: &'t Operand, names: &'t [String], has_args: bool) -> Evaluated {
        let Some((name, fields)) = names.split_first() else { return Ok(Val::Invalid) };
        let found = self.variables.iter().rev().find(|it| it.0 == name).map(|it| it.1.clone());
        let Some(value) = found else { return self.fail(format!("undefined variable: {name}")) };
        if fields.is_empty() {
            self.no_args(operand, has_args)?;
            return Ok(value);
        }
        self.fields(value, fields, has_args)
    }

    fn chain(
        &mut self,
        dot: &Val,
        operand: &'t Operand,
        (inner, names): (&'t Operand, &'t [String]),
        has_args: bool,
    ) -> Evaluated {
        self.at = At::Operand(operand);
        let receiver = self.operand(dot, inner)?;
        self.fields(receiver, names, has_args)
    }

    /// Follows fields; only the last may be followed by arguments, which none takes.
    fn fields(&self, mut receiver: Val, names: &[String], has_args: bool) -> Evaluated {
        for (index, name) in names.iter().enumerate() {
            let last = index + 1 == names.len();
            receiver = self.field(&receiver, name, last && has_args)?;
        }
        Ok(receiver)
    }

    fn field(&self, receiver: &Val, name: &str, has_args: bool) -> Evaluated {
        let data = match receiver {
            Val::Missing | Val::Invalid => return Ok(Val::Invalid),
            Val::Boxed(Data::Nil) => {
                return self.fail(format!("nil pointer evaluating {}.{name}", receiver.type_name()));
            }
            Val::Boxed(data) | Val::Plain(data) => data,
        };
        let Data::Map(map) = data else {
            return self.fail(format!("can't evaluate field {name} in type {}", receiver.type_name()));
        };
        if has_args {
            return self.fail(format!("{name} is not a method but has arguments"));
        }
        Ok(map.get(name).map_or(Val::Invalid, |it| Val::Boxed(it.clone())))
    }

    /// Evaluates what stands before the dot of a chain, or is an argument of no known type.
    fn operand(&mut self, dot: &Val, operand: &'t Operand) -> Evaluated {
        if let (At::Operand(chain), Term::Nil) = (&self.at, &operand.term) {
            let message = format!("indirection through explicit nil in {chain}");
            return self.fail(message);
        }
        self.at = At::Operand(operand);
        match &operand.term {
            Term::Dot => Ok(dot.clone()),
            Term::Nil => Ok(Val::Invalid),
            Term::Field(names) => self.fields(dot.clone(), names, false),
            Term::Variable(names) => self.variable(operand, names, false),
            Term::Pipe(pipe) => self.pipeline(dot, pipe),
            Term::Function(name) => self.function(dot, name, &[], Val::Missing, At::Operand(operand)),
            Term::Chain(inner, names) => self.chain(dot, operand, (inner, names), false),
            constant => self.constant(constant),
        }
    }

    /// Evaluates an argument for a parameter.
    fn argument(&mut self, dot: &Val, want: Want, operand: &'t Operand) -> Evaluated {
        self.at = At::Operand(operand);
        match (&operand.term, want) {
            (Term::Nil, Want::Text) => self.fail("cannot assign nil to string"),
            (Term::Nil, Want::Value) => Ok(Val::Invalid),
            (Term::Nil, Want::Any) => Ok(Val::Boxed(Data::Nil)),
            (Term::Bool(_) | Term::Number(_), Want::Text) => {
                self.fail(format!("expected string; found {operand}"))
            }
            _ => {
                let value = self.operand(dot, operand)?;
                self.fitted(value, want)
            }
        }
    }

    /// Makes a value fit a parameter.
    fn fitted(&self, value: Val, want: Want) -> Evaluated {
        match (want, value) {
            (Want::Value, value) => Ok(value),
            (Want::Any, Val::Invalid) => Ok(Val::Boxed(Data::Nil)),
            (Want::Any, value) => Ok(value),
            (Want::Text, Val::Boxed(text @ Data::Str(_)) | Val::Plain(text @ Data::Str(_))) => {
                Ok(Val::Plain(text))
            }
            (Want::Text, Val::Invalid | Val::Missing) => self.fail("invalid value; expected string"),
            (Want::Text, Val::Boxed(data) | Val::Plain(data)) => {
                self.fail(format!("wrong type for value; expected string; got {}", data.type_name()))
            }
        }
    }

    fn function(
        &mut self,
        dot: &Val,
        name: &str,
        args: &'t [Operand],
        last: Val,
        whole: At<'t>,
    ) -> Evaluated {
        let Some(signature) = functions::signature(name) else {
            return self.fail(format!("{} is not a defined function", quote(name)));
        };
        let has_last = !matches!(last, Val::Missing);
        self.check_count(name, &signature, args.len(), has_last)?;
        if matches!(name, "and" | "or") {
            return self.logic(dot, name == "or", args, last);
        }
        let mut values = Vec::with_capacity(args.len() + 1);
        for (index, arg) in args.iter().enumerate() {
            values.push(self.argument(dot, signature.want(index), arg)?);
        }
        let callee = match (args.first(), &last) {
            (Some(first), _) => bare(first),
            (None, Val::Plain(Data::Str(text) | Data::Number(text))) => text.to_string(),
            (None, other) => format!("<{} Value>", other.type_name()),
        };
        if has_last {
            values.push(self.fitted(last, signature.want(args.len()))?);
        }
        let result = functions::call(name, &values, &callee, self.bytes_left());
        match result {
            Ok(value) => {
                if let Val::Plain(Data::Str(text)) = &value {
                    self.spend(text.len() / 16)?;
                }
                Ok(value)
            }
            Err(message) => {
                self.at = whole;
                self.fail(format!("error calling {name}: {message}"))
            }
        }
    }

    fn check_count(
        &self,
        name: &str,
        signature: &Signature,
        args: usize,
        has_last: bool,
    ) -> Result<(), Fault> {
        let given = args + usize::from(has_last);
        let fixed = signature.fixed;
        if signature.variadic && given < fixed {
            return self.fail(format!("wrong number of args for {name}: want at least {fixed} got {args}"));
        }
        if !signature.variadic && given != fixed {
            return self.fail(format!("wrong number of args for {name}: want {fixed} got {given}"));
        }
        Ok(())
    }

    /// Evaluates arguments until one decides.
    fn logic(&mut self, dot: &Val, stop_at: bool, args: &'t [Operand], last: Val) -> Evaluated {
        let mut value = Val::Invalid;
        for arg in args {
            value = self.argument(dot, Want::Value, arg)?;
            if value.truth() == stop_at {
                return Ok(value);
            }
        }
        Ok(if matches!(last, Val::Missing) { value } else { last })
    }
}
