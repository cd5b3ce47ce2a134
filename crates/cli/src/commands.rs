//! The table of commands, and what stands before and around them: help, flags, exit codes.
//!
//! A new command is a file below and a row here. The table is read as data: nothing in it runs before its command is
//! chosen.

mod bench;
mod build;
mod capabilities;
mod check;
mod deps;
mod eval;
mod exec;
mod fmt;
mod inspect;
mod parse;
mod run;
mod scenario;
mod sign;
mod test;
mod version;

use crate::flags::{self, Flag, Parsed, help, table};
use crate::output::{error_line, write_out};

/// Is a command of the binary.
struct Command {
    name: &'static str,
    usage: &'static str,
    short: &'static str,
    long: &'static str,
    flags: &'static [Flag],
    run: fn(&Parsed) -> Result<u8, Failure>,
}

/// Says why a command could not do its work, when it has not said so itself.
pub(crate) enum Failure {
    /// The command line makes no sense: the text and the usage are shown.
    Usage(String),
    /// The text is shown, and the exit code is this.
    Text(String, u8),
}

const COMMANDS: &[Command] = &[
    Command {
        name: "bench",
        usage: "bench <query> [flags]",
        short: "Benchmark a Rego query",
        long: "Benchmark a Rego query and print the results, or run scenario folders with --dir.",
        flags: table::BENCH,
        run: bench::run,
    },
    Command {
        name: "build",
        usage: "build <path> [<path> [...]] [flags]",
        short: "Build a bundle",
        long: build::LONG,
        flags: table::BUILD,
        run: build::run,
    },
    Command {
        name: "capabilities",
        usage: "capabilities [flags]",
        short: "Print the capabilities of lictor",
        long: "Show what policies may use: built-ins, keywords and features, by release or by file.",
        flags: table::CAPABILITIES_OF,
        run: capabilities::run,
    },
    Command {
        name: "check",
        usage: "check <path> [path [...]] [flags]",
        short: "Check Rego source files",
        long: "Check Rego source files for parse and compilation errors.",
        flags: table::CHECK,
        run: check::run,
    },
    Command {
        name: "deps",
        usage: "deps <query> [flags]",
        short: "Analyze Rego query dependencies",
        long: deps::LONG,
        flags: table::DEPS,
        run: deps::run,
    },
    Command {
        name: "eval",
        usage: "eval <query> [flags]",
        short: "Evaluate a Rego query",
        long: "Evaluate a Rego query and print the result.",
        flags: table::EVAL,
        run: eval::run,
    },
    Command {
        name: "exec",
        usage: "exec <path> [<path> [...]] [flags]",
        short: "Execute against input files",
        long: exec::LONG,
        flags: table::EXEC,
        run: exec::run,
    },
    Command {
        name: "fmt",
        usage: "fmt [path [...]] [flags]",
        short: "Format Rego source files",
        long: fmt::LONG,
        flags: table::FMT,
        run: fmt::run,
    },
    Command {
        name: "inspect",
        usage: "inspect <path> [<path> [...]] [flags]",
        short: "Inspect bundle(s)",
        long: inspect::LONG,
        flags: table::INSPECT,
        run: inspect::run,
    },
    Command {
        name: "parse",
        usage: "parse <path> [flags]",
        short: "Parse Rego source file",
        long: "Parse Rego source file and print AST.",
        flags: table::PARSE,
        run: parse::run,
    },
    Command {
        name: "run",
        usage: "run --server [flags] [files]",
        short: "Start lictor in server mode",
        long: "Start an instance of lictor that answers policy decisions over HTTP.",
        flags: table::RUN,
        run: run::run,
    },
    Command {
        name: "sign",
        usage: "sign <path> [<path> [...]] [flags]",
        short: "Generate a bundle signature",
        long: sign::LONG,
        flags: table::SIGN,
        run: sign::run,
    },
    Command {
        name: "test",
        usage: "test <path> [path [...]] [flags]",
        short: "Execute Rego test cases",
        long: test::LONG,
        flags: table::TEST,
        run: test::run,
    },
    Command {
        name: "version",
        usage: "version [flags]",
        short: "Print the version of lictor",
        long: "Show version and build information for lictor.",
        flags: table::VERSION,
        run: version::run,
    },
];

/// Commands of OPA's that are not there yet; they are refused by name.
const ABSENT: &[&str] = &["completion", "oracle", "refactor"];

/// Exit code for a command line that makes no sense.
const USAGE_EXIT: u8 = 1;

/// Runs the command that the arguments name and returns the exit code.
pub(crate) fn run(arguments: &[String]) -> u8 {
    let Some((first, rest)) = arguments.split_first() else {
        write_out(overview().as_bytes());
        return 0;
    };
    match first.as_str() {
        "-h" | "--help" => {
            write_out(overview().as_bytes());
            return 0;
        }
        "help" => return help_on(rest),
        "--version" => return run_command("version", &[]),
        _ => {}
    }
    run_command(first, rest)
}

fn run_command(name: &str, arguments: &[String]) -> u8 {
    let Some(command) = COMMANDS.iter().find(|it| it.name == name) else {
        return refuse(name);
    };
    let parsed = flags::parse(command.flags, arguments).and_then(|mut parsed| {
        parsed.take_variables(command.name, |name| std::env::var(name).ok())?;
        Ok(parsed)
    });
    let result = match parsed {
        Ok(parsed) if parsed.help => {
            write_out(
                format!("{}\n\n{}", command.long, help::usage(command.usage, command.flags)).as_bytes(),
            );
            Ok(0)
        }
        Ok(parsed) => (command.run)(&parsed),
        Err(message) => Err(Failure::Usage(message)),
    };
    match result {
        Ok(code) => code,
        Err(Failure::Usage(message)) => {
            error_line(&format!("Error: {message}\n{}", help::usage(command.usage, command.flags)));
            USAGE_EXIT
        }
        Err(Failure::Text(message, code)) => {
            error_line(&message);
            code
        }
    }
}

/// Lets go of something large at the end of the process: giving it back piece by piece would only take time.
pub(crate) fn leave<T>(it: T) {
    std::mem::forget(it);
}

fn refuse(name: &str) -> u8 {
    let mut message = if name.starts_with('-') {
        format!("Error: unknown flag: {name}\n")
    } else if ABSENT.contains(&name) {
        format!("Error: command {name:?} is not supported by this version of lictor\n")
    } else {
        format!("Error: unknown command {name:?} for \"lictor\"\n")
    };
    if let Some(near) = COMMANDS.iter().find(|it| distance(it.name, name) <= 2) {
        message.push_str(&format!("\nDid you mean this?\n\t{}\n\n", near.name));
    }
    message.push_str("Run 'lictor --help' for usage.");
    error_line(&message);
    USAGE_EXIT
}

fn help_on(arguments: &[String]) -> u8 {
    match arguments.first().and_then(|name| COMMANDS.iter().find(|it| it.name == name)) {
        Some(command) => run_command(command.name, &["--help".to_owned()]),
        None => {
            if let Some(name) = arguments.first() {
                error_line(&format!("Unknown help topic [`{name}`]"));
            }
            write_out(overview().as_bytes());
            0
        }
    }
}

fn overview() -> String {
    let mut out = "Decides who may do what, by policies written in Rego.\n\nUsage:\n  lictor [command]\n\nAvailable Commands:\n"
        .to_owned();
    for command in COMMANDS {
        out.push_str(&format!("  {:12} {}\n", command.name, command.short));
    }
    out.push_str("\nFlags:\n  -h, --help   help for lictor\n\nUse \"lictor [command] --help\" for more information about a command.\n");
    out
}

/// Counts the letters to change, add or drop between two words.
fn distance(a: &str, b: &str) -> usize {
    let b: Vec<char> = b.chars().take(32).collect();
    let mut row: Vec<usize> = (0..=b.len()).collect();
    for (index, left) in a.chars().enumerate() {
        let mut diagonal = index;
        if let Some(first) = row.first_mut() {
            *first = index + 1;
        }
        for (column, right) in b.iter().enumerate() {
            let before = row.get(column).copied().unwrap_or(0);
            let Some(cell) = row.get_mut(column + 1) else {
                continue;
            };
            let changed = diagonal + usize::from(left != *right);
            diagonal = *cell;
            *cell = changed.min(diagonal + 1).min(before + 1);
        }
    }
    row.last().copied().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn near_words() {
        assert_eq!(distance("eval", "evl"), 1);
        assert_eq!(distance("check", "eval"), 5);
        assert_eq!(distance("run", ""), 3);
    }
}
