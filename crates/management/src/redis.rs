//! External documents that a Redis server keeps: `data.redis[key]` is what the server has under the key.
//!
//! Apart from other outgoing calls because the protocol is Redis's own. A text is a string (or, if values are JSON,
//! what it says), a hash an object of such values, a list an array, a set an array in order. Documents that are asked
//! for together take two turns, one for their types and one for what they hold. Only reading commands are sent.

mod connection;
mod reply;

use std::fmt;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

use lictor::{Arena, Document, Provider, ProviderError, Value, json};

use connection::{Connection, Fault, Patience};
use reply::Reply;

/// So many connections wait for the next question.
const IDLE_MAX: usize = 16;
/// How many keys the server looks at in one turn of a listing.
const SCAN_COUNT: &[u8] = b"1000";

/// Where a server is and what is read of it.
#[derive(Clone, PartialEq, Eq)]
pub struct RedisOptions {
    /// Host and port.
    pub address: String,
    /// Number of the database.
    pub database: u32,
    /// User, empty for the default one.
    pub username: String,
    /// Password, empty if none is asked for.
    pub password: String,
    /// What stands before each key on the server.
    pub prefix: String,
    /// Whether values are JSON texts.
    pub is_json: bool,
    /// How long a question may take.
    pub timeout: Duration,
    /// Bytes of one value.
    pub value_bytes_max: usize,
}

impl Default for RedisOptions {
    fn default() -> Self {
        Self {
            address: "localhost:6379".to_owned(),
            database: 0,
            username: String::new(),
            password: String::new(),
            prefix: String::new(),
            is_json: false,
            timeout: Duration::from_secs(1),
            value_bytes_max: 16 << 20,
        }
    }
}

impl fmt::Debug for RedisOptions {
    /// Shows no secret.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("RedisOptions")
            .field("address", &self.address)
            .field("database", &self.database)
            .field("prefix", &self.prefix)
            .finish_non_exhaustive()
    }
}

/// A Redis server that keeps documents, one a key.
#[derive(Debug)]
pub struct Redis {
    options: RedisOptions,
    idle: Mutex<Vec<Connection>>,
}

impl Redis {
    /// Returns a provider; nothing is connected before the first question.
    #[must_use]
    pub fn new(options: RedisOptions) -> Self {
        Self { options, idle: Mutex::default() }
    }

    /// Asks on a connection that is open, or on a new one; a server that has ended an old one is asked again.
    fn ask(&self, commands: &[Vec<&[u8]>], patience: &Patience<'_>) -> Result<Vec<Reply>, ProviderError> {
        let bytes_max = (self.options.value_bytes_max, self.options.value_bytes_max.saturating_mul(4));
        let idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner).pop();
        if let Some(mut connection) = idle {
            match connection.ask(commands, bytes_max, patience) {
                Ok(replies) => return Ok(self.keep(connection, replies)),
                Err(Fault::Closed(_)) => {}
                Err(fault) => return Err(told(&fault)),
            }
        }
        let mut connection = self.connect(patience)?;
        let replies = connection.ask(commands, bytes_max, patience).map_err(|it| told(&it))?;
        Ok(self.keep(connection, replies))
    }

    fn keep(&self, connection: Connection, replies: Vec<Reply>) -> Vec<Reply> {
        let mut idle = self.idle.lock().unwrap_or_else(PoisonError::into_inner);
        if idle.len() < IDLE_MAX {
            idle.push(connection);
        }
        replies
    }

    fn connect(&self, patience: &Patience<'_>) -> Result<Connection, ProviderError> {
        let RedisOptions { address, database, username, password, .. } = &self.options;
        let mut connection = Connection::open(address, patience).map_err(|it| told(&it))?;
        let database = database.to_string();
        let mut commands: Vec<Vec<&[u8]>> = Vec::new();
        if !password.is_empty() {
            let user = Some(username.as_bytes()).filter(|it| !it.is_empty());
            commands.push([&b"AUTH"[..]].into_iter().chain(user).chain([password.as_bytes()]).collect());
        }
        commands.push(vec![b"SELECT", database.as_bytes()]);
        let replies = connection.ask(&commands, (1 << 10, 1 << 16), patience).map_err(|it| told(&it))?;
        replies.iter().try_for_each(refuse_error)?;
        Ok(connection)
    }

    fn patience<'p>(&self, ended: &'p dyn Fn() -> bool) -> Patience<'p> {
        Patience { deadline: Instant::now() + self.options.timeout, ended }
    }

    /// Reads what a key holds.
    fn document(&self, kind: &str, reply: &Reply) -> Result<Option<Document>, ProviderError> {
        refuse_error(reply)?;
        let arena = Arena::new();
        let value = match (kind, reply) {
            (_, Reply::Nothing) => return Ok(None),
            ("string", Reply::Text(text)) => self.value(&arena, text)?,
            ("hash", Reply::List(items)) if items.is_empty() => return Ok(None),
            ("hash", Reply::List(items)) => self.object(&arena, items)?,
            ("list" | "set", Reply::List(items)) if items.is_empty() => return Ok(None),
            ("list" | "set", Reply::List(items)) => {
                let mut values = self.values(&arena, items)?;
                if kind == "set" {
                    values.sort();
                }
                arena.array(&values)
            }
            _ => return Err(ProviderError::new("redis answered something else than was asked")),
        };
        Ok(Some(Document::from_value(value)))
    }

    fn object<'e>(&self, arena: &'e Arena, items: &[Reply]) -> Result<Value<'e>, ProviderError> {
        let (rows, _) = items.as_chunks::<2>();
        let mut pairs = Vec::with_capacity(rows.len());
        for [key, value] in rows {
            pairs
                .push((arena.string(&String::from_utf8_lossy(text(key)?)), self.value(arena, text(value)?)?));
        }
        Ok(arena.object(&mut pairs))
    }

    fn values<'e>(&self, arena: &'e Arena, items: &[Reply]) -> Result<Vec<Value<'e>>, ProviderError> {
        items.iter().map(|it| self.value(arena, text(it)?)).collect()
    }

    fn value<'e>(&self, arena: &'e Arena, bytes: &[u8]) -> Result<Value<'e>, ProviderError> {
        if !self.options.is_json {
            let text = std::str::from_utf8(bytes).map_err(|_| ProviderError::new("value is no UTF-8"))?;
            return Ok(arena.string(text));
        }
        json::read(bytes, arena).map_err(|error| ProviderError::new(format!("value is no JSON: {error}")))
    }

    fn full_keys(&self, wanted: &[Vec<String>]) -> Vec<Vec<u8>> {
        let last = |keys: &Vec<String>| keys.last().map(String::as_str).unwrap_or_default().to_owned();
        wanted.iter().map(|it| format!("{}{}", self.options.prefix, last(it)).into_bytes()).collect()
    }
}

impl Provider for Redis {
    fn fetch(
        &self,
        wanted: &[Vec<String>],
        ended: &dyn Fn() -> bool,
    ) -> Result<Vec<Option<Document>>, ProviderError> {
        let patience = self.patience(ended);
        let keys = self.full_keys(wanted);
        let types: Vec<Vec<&[u8]>> = keys.iter().map(|it| vec![&b"TYPE"[..], it]).collect();
        let types = self.ask(&types, &patience)?;
        let kinds: Vec<&str> = types.iter().map(kind).collect::<Result<_, _>>()?;
        let there = || keys.iter().zip(&kinds).filter(|it| *it.1 != "none");
        let commands = there().map(|(key, kind)| reading(kind, key)).collect::<Result<Vec<_>, _>>()?;
        let replies = if commands.is_empty() { Vec::new() } else { self.ask(&commands, &patience)? };
        let mut replies = replies.iter();
        let one = |kind: &&str| match *kind {
            "none" => Ok(None),
            kind => replies.next().map_or(Ok(None), |it| self.document(kind, it)),
        };
        kinds.iter().map(one).collect()
    }

    fn list(
        &self,
        _above: &[String],
        keys_max: usize,
        ended: &dyn Fn() -> bool,
    ) -> Result<Vec<String>, ProviderError> {
        let patience = self.patience(ended);
        let pattern = format!("{}*", escaped(&self.options.prefix));
        let mut cursor = b"0".to_vec();
        let mut found: std::collections::BTreeSet<String> = std::collections::BTreeSet::new();
        loop {
            let command: Vec<&[u8]> =
                vec![b"SCAN", &cursor, b"MATCH", pattern.as_bytes(), b"COUNT", SCAN_COUNT];
            let mut replies = self.ask(&[command], &patience)?;
            let Some(Reply::List(parts)) = replies.pop() else { return Err(refusal(replies.first())) };
            let [Reply::Text(next), Reply::List(keys)] = parts.as_slice() else { return Err(refusal(None)) };
            for key in keys {
                let key =
                    std::str::from_utf8(text(key)?).map_err(|_| ProviderError::new("key is no UTF-8"))?;
                found.extend(key.strip_prefix(&*self.options.prefix).map(str::to_owned));
            }
            if next == b"0" || found.len() > keys_max {
                return Ok(found.into_iter().collect());
            }
            cursor.clone_from(next);
        }
    }
}

/// Returns the command that reads a key of a type.
fn reading<'k>(kind: &str, key: &'k [u8]) -> Result<Vec<&'k [u8]>, ProviderError> {
    Ok(match kind {
        "string" => vec![b"GET", key],
        "hash" => vec![b"HGETALL", key],
        "list" => vec![b"LRANGE", key, b"0", b"-1"],
        "set" => vec![b"SMEMBERS", key],
        other => return Err(ProviderError::new(format!("a redis value of type `{other}` is no document"))),
    })
}

fn kind(reply: &Reply) -> Result<&str, ProviderError> {
    match reply {
        Reply::Status(kind) => Ok(kind),
        other => Err(refusal(Some(other))),
    }
}

fn text(reply: &Reply) -> Result<&[u8], ProviderError> {
    match reply {
        Reply::Text(text) => Ok(text),
        other => Err(refusal(Some(other))),
    }
}

fn refuse_error(reply: &Reply) -> Result<(), ProviderError> {
    match reply {
        Reply::Error(_) => Err(refusal(Some(reply))),
        _ => Ok(()),
    }
}

/// Returns what may be told of an answer that is of no use: of an error its first word, as the rest may quote us.
fn refusal(reply: Option<&Reply>) -> ProviderError {
    match reply {
        Some(Reply::Error(line)) => {
            let word = line.split(' ').next().unwrap_or_default();
            ProviderError::new(format!("redis refuses: {word}"))
        }
        _ => ProviderError::new("redis answered something else than was asked"),
    }
}

fn told(fault: &Fault) -> ProviderError {
    ProviderError::new(match fault {
        Fault::Closed(why) => format!("redis cannot be reached: {why}"),
        Fault::Late => "redis did not answer in time".to_owned(),
        Fault::Garbled => "redis sent what is no answer, or too much".to_owned(),
    })
}

/// Returns a text that a pattern of Redis matches as it is.
fn escaped(text: &str) -> String {
    text.chars().fold(String::new(), |mut out, it| {
        if matches!(it, '*' | '?' | '[' | ']' | '\\' | '^') {
            out.push('\\');
        }
        out.push(it);
        out
    })
}
