//! Flags on the command line: one table, one parser with the manners of OPA's.
//!
//! Long flags take `--name value` or `--name=value`, short ones `-n value`, `-nvalue` or `-n=value`, and short
//! switches can be joined. Positional arguments stand anywhere. What a command line does not say, the variable
//! `OPA_<COMMAND>_<FLAG>` may. Faults are texts, worded as OPA words them.

pub(crate) mod help;
pub(crate) mod table;
pub(crate) mod values;

use std::time::Duration;

/// Is one flag of a command.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Flag {
    /// Name behind two dashes.
    pub(crate) name: &'static str,
    /// Letter behind one dash.
    pub(crate) short: Option<char>,
    /// What it takes.
    pub(crate) kind: Kind,
    /// What `--help` says.
    pub(crate) help: &'static str,
}

/// Says what a flag takes.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Kind {
    /// Nothing, or `=true` and `=false`.
    Switch,
    /// The same, and on by default.
    On,
    /// One text; the last one counts. The default is shown in `--help`.
    Text(&'static str),
    /// Texts; each use adds one.
    List,
    /// Texts; each use adds those between commas.
    CommaList,
    /// A whole number with a default.
    Number(i64),
    /// A time like `1m30s`; none by default.
    Time,
    /// One of several words; the first is the default.
    Choice(&'static [&'static str]),
    /// One of several words, with a default.
    ChoiceOr(&'static str, &'static [&'static str]),
    /// A flag of OPA's that is not there yet: it is refused by name.
    Absent,
}

/// Is what a command line said.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    flags: &'static [Flag],
    values: Vec<(&'static str, String)>,
    /// Arguments that are no flags.
    pub(crate) arguments: Vec<String>,
    /// Help was asked for.
    pub(crate) help: bool,
}

/// Reads a command's arguments.
pub(crate) fn parse(flags: &'static [Flag], arguments: &[String]) -> Result<Parsed, String> {
    let mut parsed = Parsed { flags, ..Parsed::default() };
    let mut rest = arguments.iter();
    while let Some(argument) = rest.next() {
        if argument == "--" {
            parsed.arguments.extend(rest.by_ref().cloned());
        } else if let Some(long) = argument.strip_prefix("--") {
            parsed.take_long(argument, long, &mut rest)?;
        } else if let Some(short) = argument.strip_prefix('-').filter(|it| !it.is_empty()) {
            parsed.take_short(short, &mut rest)?;
        } else {
            parsed.arguments.push(argument.clone());
        }
        if parsed.help {
            break;
        }
    }
    Ok(parsed)
}

type Rest<'a> = std::slice::Iter<'a, String>;

impl Parsed {
    fn take_long(&mut self, argument: &str, long: &str, rest: &mut Rest<'_>) -> Result<(), String> {
        if long.starts_with(['-', '=']) {
            return Err(format!("bad flag syntax: {argument}"));
        }
        let (name, given) = match long.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (long, None),
        };
        let Some(flag) = self.flags.iter().find(|it| it.name == name) else {
            self.help = name == "help";
            return if self.help { Ok(()) } else { Err(format!("unknown flag: --{name}")) };
        };
        let value = match given {
            Some(value) => value.to_owned(),
            None if flag.is_alone() => "true".to_owned(),
            None => rest.next().cloned().ok_or_else(|| format!("flag needs an argument: --{name}"))?,
        };
        self.set(flag, value)
    }

    fn take_short(&mut self, letters: &str, rest: &mut Rest<'_>) -> Result<(), String> {
        let mut chars = letters.chars();
        while let Some(letter) = chars.next() {
            let Some(flag) = self.flags.iter().find(|it| it.short == Some(letter)) else {
                self.help = letter == 'h';
                return if self.help {
                    Ok(())
                } else {
                    Err(format!("unknown shorthand flag: '{letter}' in -{letters}"))
                };
            };
            let tail = chars.as_str();
            if let Some(value) = tail.strip_prefix('=') {
                return self.set(flag, value.to_owned());
            }
            if flag.is_alone() {
                self.set(flag, "true".to_owned())?;
            } else if !tail.is_empty() {
                return self.set(flag, tail.to_owned());
            } else {
                let value = rest.next().cloned();
                let value =
                    value.ok_or_else(|| format!("flag needs an argument: '{letter}' in -{letters}"))?;
                return self.set(flag, value);
            }
        }
        Ok(())
    }

    fn set(&mut self, flag: &'static Flag, value: String) -> Result<(), String> {
        if flag.kind == Kind::Absent {
            return Err(format!("flag {} is not supported by this version of lictor", flag.shown()));
        }
        values::check(flag.kind, &value)
            .map_err(|why| format!("invalid argument {value:?} for \"{}\" flag: {why}", flag.shown()))?;
        match flag.kind {
            Kind::CommaList => self.values.extend(value.split(',').map(|it| (flag.name, it.to_owned()))),
            _ => self.values.push((flag.name, value)),
        }
        Ok(())
    }

    /// Takes flags that the command line did not give from variables, looked up by `get`.
    pub(crate) fn take_variables(
        &mut self,
        command: &str,
        get: impl Fn(&str) -> Option<String>,
    ) -> Result<(), String> {
        let mut faults = Vec::new();
        let given: Vec<&str> = self.values.iter().map(|it| it.0).collect();
        for flag in self.flags.iter().filter(|it| !given.contains(&it.name)) {
            let name = format!("OPA_{command}_{}", flag.name).to_uppercase().replace('-', "_");
            if let Some(value) = get(&name).filter(|it| !it.is_empty())
                && let Err(fault) = self.set(flag, value)
            {
                faults.push(fault);
            }
        }
        if faults.is_empty() {
            return Ok(());
        }
        Err(format!("error mapping environment variables to command flags: {}", faults.join("; ")))
    }

    fn last(&self, name: &str) -> Option<&str> {
        self.values.iter().rev().find(|it| it.0 == name).map(|it| it.1.as_str())
    }

    /// Says whether a switch is on.
    pub(crate) fn is_on(&self, name: &str) -> bool {
        match self.last(name) {
            Some(value) => values::truth(value) == Some(true),
            None => self.kind(name) == Some(Kind::On),
        }
    }

    /// Returns a text or a choice: the given one or the default.
    pub(crate) fn text(&self, name: &str) -> &str {
        self.last(name).unwrap_or_else(|| match self.kind(name) {
            Some(Kind::Text(default)) => default,
            Some(Kind::Choice(words)) => words.first().copied().unwrap_or_default(),
            Some(Kind::ChoiceOr(default, _)) => default,
            _ => "",
        })
    }

    /// Returns the texts of a list.
    pub(crate) fn list(&self, name: &str) -> Vec<&str> {
        self.values.iter().filter(|it| it.0 == name).map(|it| it.1.as_str()).collect()
    }

    /// Returns a number: the given one or the default.
    pub(crate) fn number(&self, name: &str) -> i64 {
        let default = match self.kind(name) {
            Some(Kind::Number(default)) => default,
            _ => 0,
        };
        self.last(name).and_then(|it| values::number(it).ok()).unwrap_or(default)
    }

    /// Returns a time; `None` if it was not given or is zero.
    pub(crate) fn time(&self, name: &str) -> Option<Duration> {
        self.last(name).and_then(|it| values::time(it).ok()).filter(|it| !it.is_zero())
    }

    fn kind(&self, name: &str) -> Option<Kind> {
        self.flags.iter().find(|it| it.name == name).map(|it| it.kind)
    }
}

impl Flag {
    /// Says whether the flag stands without a value. A flag that is refused anyway needs none.
    fn is_alone(&self) -> bool {
        matches!(self.kind, Kind::Switch | Kind::On | Kind::Absent)
    }

    fn shown(&self) -> String {
        match self.short {
            Some(letter) => format!("-{letter}, --{}", self.name),
            None => format!("--{}", self.name),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn eval(line: &[&str]) -> Result<Parsed, String> {
        parse(table::EVAL, &line.iter().map(|it| (*it).to_owned()).collect::<Vec<String>>())
    }

    #[test]
    fn every_form_is_read() {
        let parsed = eval(&["-da", "-d=b", "-d", "c", "--data", "d", "--data=e", "q", "-SI", "--", "-x"])
            .expect("flags");
        assert_eq!(parsed.list("data"), ["a", "b", "c", "d", "e"]);
        assert_eq!(parsed.arguments, ["q", "-x"]);
        assert!(parsed.is_on("strict") && parsed.is_on("stdin-input") && !parsed.is_on("fail"));
        assert_eq!(parsed.text("format"), "json");
        let parsed =
            eval(&["--ignore=a,b", "--ignore", "c", "--fail=false", "--timeout", "1m0.5s"]).expect("flags");
        assert_eq!(parsed.list("ignore"), ["a", "b", "c"]);
        assert!(!parsed.is_on("fail"));
        assert_eq!(parsed.time("timeout"), Some(Duration::from_millis(60_500)));
        assert_eq!(parsed.number("count"), 1);
    }

    #[test]
    fn faults_are_worded_as_by_opa() {
        let cases: &[(&[&str], &str)] = &[
            (&["--nope"], "unknown flag: --nope"),
            (&["-Sq"], "unknown shorthand flag: 'q' in -Sq"),
            (&["--data"], "flag needs an argument: --data"),
            (&["-d"], "flag needs an argument: 'd' in -d"),
            (&["--=3"], "bad flag syntax: --=3"),
            (
                &["--count=x"],
                "invalid argument \"x\" for \"--count\" flag: strconv.ParseInt: parsing \"x\": invalid syntax",
            ),
            (
                &["--fail=maybe"],
                "invalid argument \"maybe\" for \"--fail\" flag: strconv.ParseBool: parsing \"maybe\": invalid syntax",
            ),
            (&["--coverage"], "flag --coverage is not supported by this version of lictor"),
            (&["-p"], "flag -p, --partial is not supported by this version of lictor"),
        ];
        for (line, wanted) in cases {
            assert_eq!(eval(line).map(|_| ()), Err((*wanted).to_owned()));
        }
    }

    #[test]
    fn variables_fill_what_is_not_given() {
        let mut parsed = eval(&["--count=2"]).expect("flags");
        let get = |name: &str| match name {
            "OPA_EVAL_STDIN_INPUT" => Some("true".to_owned()),
            "OPA_EVAL_COUNT" => Some("7".to_owned()),
            _ => None,
        };
        parsed.take_variables("eval", get).expect("values");
        assert!(parsed.is_on("stdin-input"));
        assert_eq!(parsed.number("count"), 2);
        let fault = parsed.take_variables("eval", |name| (name == "OPA_EVAL_FORMAT").then(|| "x".to_owned()));
        assert!(fault.expect_err("no such format").starts_with("error mapping environment variables"));
    }
}
