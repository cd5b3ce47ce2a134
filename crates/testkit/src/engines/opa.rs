//! OPA's command line as an engine: the peer whose answers the cases record.
//!
//! It serves to try the judge: what OPA answers must be judged right. One process a case makes it slow,
//! so it is run on a sample. The program is `OPA` in the environment, else `opa` on the path.

use std::{
    fs,
    path::{Path, PathBuf},
    process::Command,
    sync::atomic::{AtomicU32, Ordering},
};

use crate::conformance::case::{CompileCase, EvalCase, Fault, ParseCase, Version};
use crate::conformance::{Engine, Outcome, Parsed};
use crate::json::{self, Json};

static FOLDERS: AtomicU32 = AtomicU32::new(0);

/// Runs `opa` for each case, with the files of the case in a folder of its own.
pub(super) struct Opa {
    program: String,
    folder: PathBuf,
}

impl Opa {
    pub(super) fn new() -> Opa {
        let number = FOLDERS.fetch_add(1, Ordering::Relaxed);
        let name = format!("lictor-opa-{}-{number}", std::process::id());
        let program = std::env::var("OPA").unwrap_or_else(|_| "opa".to_owned());
        Opa { program, folder: std::env::temp_dir().join(name) }
    }

    fn write_modules(&self, modules: &[String]) -> std::io::Result<Vec<String>> {
        if self.folder.exists() {
            fs::remove_dir_all(&self.folder)?;
        }
        fs::create_dir_all(&self.folder)?;
        let mut names = Vec::new();
        for (idx, module) in modules.iter().enumerate() {
            let name = format!("test-{idx}.rego");
            fs::write(self.folder.join(&name), module)?;
            names.push(name);
        }
        Ok(names)
    }

    fn run(&self, args: &[String]) -> Result<Json, String> {
        let out = Command::new(&self.program)
            .args(args)
            .current_dir(&self.folder)
            .output()
            .map_err(|err| format!("{}: {err}", self.program))?;
        let text = if out.stdout.is_empty() { out.stderr } else { out.stdout };
        let text = String::from_utf8_lossy(&text).into_owned();
        json::parse(&text).map_err(|err| format!("{err}: {text}"))
    }

    fn eval_args(&self, case: &EvalCase) -> std::io::Result<Vec<String>> {
        let mut args: Vec<String> = vec!["eval".to_owned(), "--format=json".to_owned()];
        for name in self.write_modules(&case.modules)? {
            args.push(format!("--data={name}"));
        }
        if let Some(data) = &case.data {
            fs::write(self.folder.join("data.json"), data.to_string())?;
            args.push("--data=data.json".to_owned());
        }
        if let Some(input) = &case.input {
            fs::write(self.folder.join("input.json"), input.to_string())?;
            args.push("--input=input.json".to_owned());
        }
        if case.strict_errors {
            args.push("--strict-builtin-errors".to_owned());
        }
        if case.version != Version::V1 {
            args.push("--v0-compatible".to_owned());
        }
        let query = match &case.input_term {
            Some(term) => format!("{} with input as {term}", case.query),
            None => case.query.clone(),
        };
        args.push("--".to_owned());
        args.push(query);
        Ok(args)
    }
}

impl Drop for Opa {
    fn drop(&mut self) {
        // A folder that stays behind in the temporary folder does no harm.
        drop(fs::remove_dir_all(&self.folder));
    }
}

impl Engine for Opa {
    fn eval(&mut self, case: &EvalCase) -> Outcome {
        let answer = self.eval_args(case).map_err(|err| err.to_string()).and_then(|it| self.run(&it));
        match answer {
            Ok(answer) => outcome(&answer),
            Err(err) => Outcome::Refused(err),
        }
    }

    fn compile(&mut self, case: &CompileCase) -> Vec<Fault> {
        let version = if case.version == Version::V0 { "--v0-compatible" } else { "--v1-compatible" };
        let mut args: Vec<String> =
            ["check", "--format=json", "--max-errors=0", version].map(str::to_owned).to_vec();
        if case.strict {
            args.push("--strict".to_owned());
        }
        let Ok(names) = self.write_modules(&case.modules) else {
            return Vec::new();
        };
        args.extend(names);
        self.run(&args).map(|it| faults(&it)).unwrap_or_default()
    }

    /// OPA's command line parses modules, not statements, so it says nothing here.
    fn parse(&mut self, _: &ParseCase, _: Version) -> Parsed {
        Parsed::default()
    }
}

fn outcome(answer: &Json) -> Outcome {
    if let Some(error) = faults(answer).into_iter().next() {
        let Fault { module, code, row, message, .. } = error;
        let text = format!("{module}:{row}: {code}: {message}");
        let is_refusal = code.starts_with("rego_");
        return if is_refusal { Outcome::Refused(text) } else { Outcome::Error { code, text } };
    }
    let results = answer.get("result").and_then(Json::as_array).unwrap_or_default();
    let empty = Json::Object(std::collections::BTreeMap::new());
    let bindings = results
        .iter()
        .filter(|it| !has_false_expression(it))
        .map(|it| it.get("bindings").unwrap_or(&empty).clone())
        .collect();
    Outcome::Results(bindings)
}

/// The command line reports an expression that is false as a result; as a query it has no solution.
fn has_false_expression(result: &Json) -> bool {
    let expressions = result.get("expressions").and_then(Json::as_array).unwrap_or_default();
    expressions.iter().any(|it| it.get("value") == Some(&Json::Bool(false)))
}

fn faults(answer: &Json) -> Vec<Fault> {
    let errors = answer.get("errors").and_then(Json::as_array).unwrap_or_default();
    let text = |it: &Json, key: &str| it.get(key).and_then(Json::as_str).unwrap_or("").to_owned();
    errors
        .iter()
        .map(|it| {
            let place = it.get("location").cloned().unwrap_or(Json::Null);
            let number = |key: &str| place.get(key).and_then(Json::as_i64).unwrap_or(0);
            let file = text(&place, "file");
            let module = Path::new(&file).file_name().unwrap_or_default().to_string_lossy();
            Fault {
                module: module.into_owned(),
                code: text(it, "code"),
                row: number("row"),
                col: number("col"),
                message: text(it, "message"),
            }
        })
        .collect()
}
