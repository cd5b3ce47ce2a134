//! A Redis server, from the package of the system.
//!
//! Apart because it is started with nothing on disk and a password, and because its tests are here: what the provider
//! of `lictor_management` does with a real server.

use std::io::{BufRead as _, BufReader, Read as _, Write as _};
use std::net::{TcpListener, TcpStream};
use std::process::{Child, Command, Stdio};

/// So many ports are tried: another program may take one that was free.
const TRIES: usize = 5;

/// A server that runs until it is dropped.
#[derive(Debug)]
pub struct RedisServer {
    child: Child,
    /// Host and port.
    pub address: String,
    /// What it asks clients for.
    pub password: String,
}

impl RedisServer {
    /// Starts a server; none if there is none on this machine.
    ///
    /// # Panics
    ///
    /// It is there and cannot be started.
    #[must_use]
    pub fn start() -> Option<Self> {
        for _ in 0..TRIES {
            match Self::start_once() {
                Ok(server) => return Some(server),
                Err(error) if error.kind() == std::io::ErrorKind::NotFound => return None,
                Err(_) => {}
            }
        }
        unreachable!("redis-server is there and does not start")
    }

    fn start_once() -> std::io::Result<Self> {
        let port = TcpListener::bind("127.0.0.1:0")?.local_addr()?.port();
        let password = "a secret of the tests".to_owned();
        let mut child = Command::new("redis-server")
            .args(["--port", &port.to_string(), "--bind", "127.0.0.1", "--save", "", "--appendonly", "no"])
            .args(["--requirepass", &password, "--loglevel", "notice", "--logfile", ""])
            .stdin(Stdio::null())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let out = child.stdout.take().expect("piped");
        let is_ready = BufReader::new(out)
            .lines()
            .map_while(Result::ok)
            .any(|it| it.contains("Ready to accept connections"));
        let server = Self { child, address: format!("127.0.0.1:{port}"), password };
        if is_ready { Ok(server) } else { Err(std::io::Error::other("the port was taken")) }
    }

    /// Runs commands, each a line as one would type it.
    ///
    /// # Panics
    ///
    /// The server refuses one.
    pub fn run(&self, commands: &[&str]) {
        let mut stream = TcpStream::connect(&self.address).expect("a server");
        let lines =
            commands.iter().fold(format!("AUTH \"{}\"\r\n", self.password), |all, it| all + it + "\r\n");
        stream.write_all((lines + "QUIT\r\n").as_bytes()).expect("written");
        let mut said = String::new();
        stream.read_to_string(&mut said).expect("read to the end");
        assert!(!said.lines().any(|it| it.starts_with('-')), "{said}");
    }
}

impl Drop for RedisServer {
    fn drop(&mut self) {
        // It keeps nothing that could be lost.
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;
    use std::time::Duration;

    use lictor::{Engine, ExternalLimits, Input, Options, Provider, Session};
    use lictor_management::{Redis, RedisOptions};

    use super::*;

    const ABSENT: &str = "data in Redis: no redis-server (Debian's package redis-server)";

    fn options(server: &RedisServer) -> RedisOptions {
        RedisOptions {
            address: server.address.clone(),
            password: server.password.clone(),
            timeout: Duration::from_secs(20),
            ..RedisOptions::default()
        }
    }

    fn fetched(redis: &Redis, keys: &[&str]) -> String {
        let wanted: Vec<Vec<String>> = keys.iter().map(|it| vec![(*it).to_owned()]).collect();
        match redis.fetch(&wanted, &|| false) {
            Err(error) => error.to_string(),
            Ok(found) => {
                let shown =
                    found.iter().map(|it| it.as_ref().map_or("-".to_owned(), |it| it.root().to_json()));
                shown.collect::<Vec<_>>().join(" ")
            }
        }
    }

    #[test]
    fn documents_are_what_the_server_keeps() {
        let Some(server) = RedisServer::start() else { return super::super::skip(ABSENT) };
        server.run(&[
            "SET user:ann '{\"name\": \"Ann\", \"n\": 1.50}'",
            "SET user:bob text",
            "HSET role:x read 1 write 0",
            "RPUSH role:list b a b",
            "SADD role:set b a c",
            "ZADD role:z 1 a",
            "SET other* 1",
        ]);
        let redis = Redis::new(options(&server));
        assert_eq!(
            fetched(&redis, &["user:bob", "none", "role:x", "role:list", "role:set"]),
            r#""text" - {"read":"1","write":"0"} ["b","a","b"] ["a","b","c"]"#
        );
        assert_eq!(fetched(&redis, &["role:z"]), "a redis value of type `zset` is no document");
        assert_eq!(fetched(&redis, &[]), "");
        let users =
            Redis::new(RedisOptions { prefix: "user:".to_owned(), is_json: true, ..options(&server) });
        assert_eq!(fetched(&users, &["ann", "eve"]), r#"{"n":1.50,"name":"Ann"} -"#);
        assert!(fetched(&users, &["bob"]).starts_with("value is no JSON: "));
        assert_eq!(users.list(&[], 10, &|| false).expect("a list"), ["ann", "bob"]);
        assert_eq!(redis.list(&[], 10, &|| false).expect("a list").len(), 7);
        let one = Redis::new(RedisOptions { prefix: "other*".to_owned(), ..options(&server) });
        assert_eq!(one.list(&[], 10, &|| false).expect("a list"), [""]);
        let other = Redis::new(RedisOptions { database: 1, ..options(&server) });
        assert_eq!(fetched(&other, &["user:bob"]), "-");
        // A connection that the server has ended since is made anew.
        server.run(&["CLIENT KILL TYPE normal SKIPME yes"]);
        assert_eq!(fetched(&redis, &["user:bob"]), r#""text""#);
    }

    #[test]
    fn policies_read_them_as_data() {
        let Some(server) = RedisServer::start() else { return super::super::skip(ABSENT) };
        server.run(&["HSET ann team red", "HSET bob team red", "SET broken x"]);
        let mut engine = Engine::new(Options::default());
        let redis = Arc::new(Redis::new(options(&server)));
        engine.mount(&["redis"], redis, ExternalLimits::default()).expect("mounted");
        let text = b"package p\nteams := {t | some id in input.ids; t := data.redis[id].team}";
        engine.add_module("p.rego", text, None);
        let query = engine.compile().expect("a policy").prepare("data.p.teams").expect("prepared");
        let decide = |input: &str| {
            let mut out = Vec::new();
            match query.decide_json(&mut Session::default(), Input::Json(input.as_bytes()), &mut out) {
                Ok(_) => String::from_utf8_lossy(&out).into_owned(),
                Err(error) => error.to_string(),
            }
        };
        assert_eq!(decide(r#"{"ids":["ann","bob","eve"]}"#), r#"["red"]"#);
        drop(server);
        let said = decide(r#"{"ids":["ann"]}"#);
        let wanted = "eval_internal_error: external document data.redis.ann: redis cannot be reached: ";
        assert!(said.contains(wanted), "{said}");
    }

    #[test]
    fn faults_are_told_without_secrets() {
        let Some(server) = RedisServer::start() else { return super::super::skip(ABSENT) };
        let wrong = Redis::new(RedisOptions { password: "hidden".to_owned(), ..options(&server) });
        assert_eq!(fetched(&wrong, &["x"]), "redis refuses: WRONGPASS");
        let none = Redis::new(RedisOptions { password: String::new(), ..options(&server) });
        assert_eq!(fetched(&none, &["x"]), "redis refuses: NOAUTH");
        assert!(!format!("{wrong:?}").contains("hidden"));
        server.run(&["SET big 0123456789"]);
        let small = Redis::new(RedisOptions { value_bytes_max: 5, ..options(&server) });
        assert_eq!(fetched(&small, &["big"]), "redis sent what is no answer, or too much");
        let redis = Redis::new(options(&server));
        let wanted = [vec!["big".to_owned()]];
        let error = redis.fetch(&wanted, &|| true).expect_err("the evaluation has ended");
        assert_eq!(error.to_string(), "redis did not answer in time");
        // One that takes connections and says nothing.
        let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
        let address = silent.local_addr().expect("bound").to_string();
        let timeout = Duration::from_millis(50);
        let hasty = Redis::new(RedisOptions { address, timeout, ..options(&server) });
        assert_eq!(fetched(&hasty, &["big"]), "redis did not answer in time");
    }
}
