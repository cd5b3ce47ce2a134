//! Log lines as OPA writes them: JSON with sorted keys, the same indented, or text, to the standard error.
//!
//! A line is built in one buffer and written by one call, so that lines of several threads do not mix. There is
//! nothing behind it that keeps lines or drops them.

use std::io::Write as _;
use std::time::{SystemTime, UNIX_EPOCH};

use jiff::Timestamp;
use lictor_value::{json, write_string};

/// Says how much a line matters.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug, Default)]
pub enum Level {
    /// Whoever runs the server must look.
    Error,
    /// Something is not as it should be, and the server goes on.
    Warning,
    /// What the server does.
    #[default]
    Info,
    /// What requests and answers hold.
    Debug,
}

/// Says how lines look.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum LogFormat {
    /// One JSON object a line.
    #[default]
    Json,
    /// JSON objects over several lines.
    JsonPretty,
    /// Text for people.
    Text,
}

/// Writes log lines.
#[derive(Clone, Copy, Debug, Default)]
pub struct Log {
    /// Lines that matter less are left out.
    pub level: Level,
    /// How lines look.
    pub format: LogFormat,
    /// How times look, as a layout of Go's; empty is `2026-11-21T02:51:13Z`.
    pub layout: &'static str,
}

/// A value of a field.
#[derive(Clone, Copy, Debug)]
pub enum Field<'a> {
    /// Is quoted.
    Text(&'a str),
    /// Stands as it is: a number or other JSON.
    Raw(&'a str),
}

impl Log {
    /// Says whether lines of this level are written.
    #[must_use]
    pub fn takes(&self, level: Level) -> bool {
        level <= self.level
    }

    /// Writes a line, if its level is taken.
    pub fn write(&self, level: Level, message: &str, fields: &[(&str, Field<'_>)]) {
        if !self.takes(level) {
            return;
        }
        let line = match self.format {
            LogFormat::Text => text_line(level, message, fields),
            LogFormat::Json => {
                let mut line = json_line(level, message, fields, &self.time());
                line.push(b'\n');
                line
            }
            LogFormat::JsonPretty => json::indented(&json_line(level, message, fields, &self.time())),
        };
        write_line(&line);
    }

    /// Writes a line of `key=value` pairs, as OPA does before it knows how lines are to look.
    pub fn write_plain(&self, level: Level, message: &str, fields: &[(&str, Field<'_>)]) {
        if !self.takes(level) {
            return;
        }
        let mut line = format!("time=\"{}\" level={} msg=", self.time(), level_name(level)).into_bytes();
        write_string(message, &mut line, false);
        for (name, field) in fields {
            line.extend_from_slice(format!(" {name}=").as_bytes());
            push_field(*field, &mut line);
        }
        line.push(b'\n');
        write_line(&line);
    }

    fn time(&self) -> String {
        let now = SystemTime::now();
        if self.layout.is_empty() {
            return timestamp(now);
        }
        let nanoseconds = now.duration_since(UNIX_EPOCH).map_or(0, |it| it.as_nanos());
        lictor::time_text(i64::try_from(nanoseconds).unwrap_or(i64::MAX), self.layout)
    }
}

fn write_line(line: &[u8]) {
    // There is nowhere to tell that the log cannot be written.
    let _ = std::io::stderr().lock().write_all(line);
}

fn push_field(field: Field<'_>, line: &mut Vec<u8>) {
    match field {
        Field::Text(text) => write_string(text, line, false),
        Field::Raw(text) => line.extend_from_slice(text.as_bytes()),
    }
}

fn level_name(level: Level) -> &'static str {
    match level {
        Level::Error => "error",
        Level::Warning => "warning",
        Level::Info => "info",
        Level::Debug => "debug",
    }
}

fn json_line(level: Level, message: &str, fields: &[(&str, Field<'_>)], time: &str) -> Vec<u8> {
    let mut all: Vec<(&str, Field<'_>)> = fields.to_vec();
    all.extend([
        ("level", Field::Text(level_name(level))),
        ("msg", Field::Text(message)),
        ("time", Field::Text(time)),
    ]);
    all.sort_by_key(|it| it.0);
    let mut line = vec![b'{'];
    for (index, (name, field)) in all.iter().enumerate() {
        if index > 0 {
            line.push(b',');
        }
        write_string(name, &mut line, false);
        line.push(b':');
        push_field(*field, &mut line);
    }
    line.push(b'}');
    line
}

fn text_line(level: Level, message: &str, fields: &[(&str, Field<'_>)]) -> Vec<u8> {
    let mut line = format!("[{}] {message}\n", level_name(level).to_uppercase()).into_bytes();
    for (name, field) in fields {
        line.extend_from_slice(format!("  {name} = ").as_bytes());
        push_field(*field, &mut line);
        line.push(b'\n');
    }
    line.push(b'\n');
    line
}

/// Returns a time as `2026-11-21T02:51:13Z`.
fn timestamp(time: SystemTime) -> String {
    let seconds = time.duration_since(UNIX_EPOCH).map_or(0, |it| it.as_secs());
    let time = i64::try_from(seconds).ok().and_then(|it| Timestamp::from_second(it).ok());
    time.unwrap_or(Timestamp::MAX).to_string()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn times_are_written() {
        let at = |seconds: u64| timestamp(UNIX_EPOCH + Duration::from_secs(seconds));
        assert_eq!(at(0), "1970-01-01T00:00:00Z");
        assert_eq!(at(951_782_399), "2000-02-28T23:59:59Z");
        assert_eq!(at(951_782_400), "2000-02-29T00:00:00Z");
        assert_eq!(at(1_795_229_473), "2026-11-21T02:51:13Z");
    }

    #[test]
    fn fields_are_sorted() {
        let line = json_line(
            Level::Info,
            "Sent <it>.",
            &[("req_id", Field::Raw("1")), ("addr", Field::Text("x"))],
            "now",
        );
        let line = String::from_utf8(line).expect("UTF-8");
        assert!(
            line.starts_with(r#"{"addr":"x","level":"info","msg":"Sent <it>.","req_id":1,"time":""#),
            "{line}"
        );
    }
}
