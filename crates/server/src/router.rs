//! The table of endpoints, and what is said to requests that none of them takes.
//!
//! An endpoint is a plain function on the thread's own things and the request. A row more is an endpoint more.

use hyper::Method;

use crate::core::{Core, MayWait};
use crate::reply::Reply;
use crate::request::Request;
use crate::rest::{about, data, health, index, legacy, write};

/// Answers a request, or says that this must not be done on a serving thread.
pub(crate) type Endpoint = fn(&Core, &Request) -> Result<Reply, MayWait>;

/// Is a row of the table: a path, whether paths below it count too, and the methods it takes.
struct Route {
    path: &'static str,
    below: bool,
    methods: &'static [(Method, Endpoint)],
    /// What other methods are told: no text, or one with the methods that would do.
    refuse: fn() -> Reply,
}

const ROUTES: &[Route] = &[
    Route {
        path: "/v1/data",
        below: true,
        methods: &[
            (Method::GET, data::get),
            (Method::POST, data::post),
            (Method::PUT, write::put),
            (Method::PATCH, write::patch),
            (Method::DELETE, write::delete),
        ],
        refuse: silent,
    },
    Route { path: "/v0/data", below: true, methods: &[(Method::POST, legacy::post)], refuse: silent },
    Route { path: "/v1/config", below: false, methods: &[(Method::GET, about::config)], refuse: told },
    Route { path: "/v1/status", below: false, methods: &[(Method::GET, about::status)], refuse: told },
    Route {
        path: "/health",
        below: true,
        methods: &[(Method::GET, health::get), (Method::HEAD, health::get)],
        refuse: told,
    },
    Route {
        path: "/",
        below: false,
        methods: &[(Method::GET, index::get), (Method::HEAD, index::get), (Method::POST, index::post)],
        refuse: told,
    },
];

fn silent() -> Reply {
    Reply::empty(405)
}

fn told() -> Reply {
    Reply::text(405, "Method Not Allowed")
}

/// Finds the endpoint for a request, or the answer if there is none.
pub(crate) fn find(method: &Method, path: &str, query: &str) -> Result<Endpoint, Reply> {
    if let Some(elsewhere) = redirect(path, query) {
        return Err(elsewhere);
    }
    let route = ROUTES.iter().find(|it| {
        path == it.path || (it.below && path.strip_prefix(it.path).is_some_and(|rest| rest.starts_with('/')))
    });
    let Some(route) = route else {
        return Err(Reply::text(404, "404 page not found"));
    };
    match route.methods.iter().find(|it| it.0 == method) {
        Some((_, endpoint)) => Ok(*endpoint),
        None => Err((route.refuse)()),
    }
}

/// Sends a client to the path without slashes that name nothing.
fn redirect(path: &str, query: &str) -> Option<Reply> {
    let doubled = path.contains("//") || path.split('/').any(|it| matches!(it, "." | ".."));
    let (status, reason, target) = if doubled {
        (307, "Temporary Redirect", cleaned(path))
    } else if path.len() > 1 && path.ends_with('/') {
        (301, "Moved Permanently", path.trim_end_matches('/').to_owned())
    } else {
        return None;
    };
    let target = if query.is_empty() { target } else { format!("{target}?{query}") };
    let body = format!("<a href=\"{}\">{reason}</a>.\n\n", escaped(&target));
    let reply = Reply {
        status,
        content_type: Some("text/html; charset=utf-8"),
        headers: Vec::new(),
        body: body.into_bytes(),
    };
    Some(reply.with_header("location", target))
}

fn cleaned(path: &str) -> String {
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." => {
                parts.pop();
            }
            _ => parts.push(part),
        }
    }
    format!("/{}", parts.join("/"))
}

fn escaped(text: &str) -> String {
    text.replace('&', "&amp;").replace('<', "&lt;").replace('>', "&gt;").replace('"', "&#34;")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn status(method: &Method, path: &str) -> u16 {
        find(method, path, "").map_or_else(|reply| reply.status, |_| 200)
    }

    #[test]
    fn requests_find_their_endpoint() {
        let cases = [
            (Method::GET, "/v1/data", 200),
            (Method::POST, "/v1/data/a/b", 200),
            (Method::PUT, "/v1/data/a", 200),
            (Method::OPTIONS, "/v1/data/a", 405),
            (Method::HEAD, "/v1/data/a", 405),
            (Method::GET, "/v1/database", 404),
            (Method::GET, "/v1/data/a/", 301),
            (Method::GET, "/v1/data//a", 307),
            (Method::GET, "/v1/data/../../health", 307),
            (Method::HEAD, "/health", 200),
            (Method::POST, "/", 200),
            (Method::GET, "/v1/policies", 404),
        ];
        for (method, path, wanted) in cases {
            assert_eq!(status(&method, path), wanted, "{method} {path}");
        }
    }

    #[test]
    fn clients_are_sent_to_the_clean_path() {
        let reply = find(&Method::GET, "/v1/data//t/", "pretty").expect_err("elsewhere");
        assert_eq!(reply.headers, [("location", "/v1/data/t?pretty".to_owned())]);
    }
}
