//! Requests to the server of `outside`, look-ups of names, and annotations that policies ask for.
//!
//! What these built-ins answer depends on the world round an evaluation, so what is asked is chosen from what is the
//! same for both engines: no other server, no other name, no time of an answer.

use super::Generator;
use super::operands::raw;
use crate::differential::kinds::{Ty, WORD};
use crate::differential::outside;
use crate::differential::tree::{Node, Role};

const PATHS: &[&str] = &[
    "/json",
    "/json",
    "/yaml",
    "/text",
    "/broken",
    "/bare",
    "/echo",
    "/echo?q=1&r=%20x",
    "/echo",
    "/moved",
    "/error",
    "/none",
];

const METHODS: &[&str] = &["GET", "get", "POST", "PUT", "DELETE", "HEAD", "PATCH", "OPTIONS"];

/// Members of a request beside where it goes; some are refused.
const MEMBERS: &[&str] = &[
    "\"headers\": {\"x-mark\": \"m\"}",
    "\"headers\": {\"X-Mark\": \"\u{e9}\", \"Host\": \"h.test\"}",
    "\"headers\": {\"content-type\": \"text/plain\"}",
    "\"headers\": {\"x-mark\": 1}",
    "\"headers\": [1]",
    "\"raw_body\": \"x=1\"",
    "\"raw_body\": 1",
    "\"force_json_decode\": true",
    "\"force_yaml_decode\": true",
    "\"force_json_decode\": 1",
    "\"raise_error\": false",
    "\"raise_error\": false, \"force_json_decode\": true",
    "\"enable_redirect\": true",
    "\"enable_redirect\": false",
    "\"force_cache\": true, \"force_cache_duration_seconds\": 10",
    "\"force_cache\": true",
    "\"cache\": true",
    "\"cache\": true, \"caching_mode\": \"deserialized\"",
    "\"caching_mode\": \"none\"",
    "\"timeout\": \"2s\"",
    "\"timeout\": 2000000000",
    "\"timeout\": \"soon\"",
    "\"max_retry_attempts\": 0",
    "\"cache_ignored_headers\": [\"x-mark\"]",
    "\"cache_ignored_headers\": null",
    "\"tls_insecure_skip_verify\": true",
    "\"tls_use_system_certs\": false",
    "\"unknown\": 1",
];

const ANNOTATIONS: &[&str] = &[
    "# METADATA\n# title: t\n",
    "# METADATA\n# title: t\n# description: |\n#  two\n#  lines\n",
    "# METADATA\n# scope: document\n# custom:\n#  k: [1, {a: x}]\n",
    "# METADATA\n# authors:\n# - name: n <n@a.test>\n# - m <m@a.test>\n# related_resources:\n# - https://a.test/x\n",
    "# METADATA\n# scope: rule\n# organizations: [o, q]\n# custom:\n#  n: 1.50\n#  b: true\n",
    "# METADATA\n# entrypoint: true\n# custom: {}\n",
];

const PACKAGE_ANNOTATIONS: &[&str] = &[
    "# METADATA\n# title: whole\n# custom:\n#  k: v\n",
    "# METADATA\n# scope: subpackages\n# organizations:\n# - o\n",
    "# METADATA\n# scope: package\n# description: d\n",
];

/// The built-ins whose values the compiler puts in their place, by which no call of them is left to count.
pub(super) const ANNOTATED: &[&str] = &["rego.metadata.chain", "rego.metadata.rule"];

impl Generator {
    /// Returns the member of the data that policies with requests refer to.
    pub(super) fn server_of(source: &str) -> Option<Node> {
        let text = format!("\"{}\"", outside::PLACEHOLDER);
        let value = Node::new("", Role::Json).text(text);
        source.contains("data.keys.server").then(|| Node::plain("").text("\"server\": ").one(value))
    }

    /// Returns the operand of a request.
    pub(super) fn http_request(&mut self) -> Vec<Node> {
        let (method, path) = (self.random.choose(METHODS), self.random.choose(PATHS));
        let mut members = vec![
            raw(format!("\"method\": \"{method}\"")),
            raw(format!("\"url\": concat(\"\", [data.keys.server, \"{path}\"])")),
        ];
        if self.chance(40) {
            let body = Ty::object(WORD, Ty::Any);
            members.push(Node::plain("").text("\"body\": ").one(self.term(&body, 1)));
        }
        if self.chance(60) {
            members.push(raw(self.random.choose(MEMBERS)));
        }
        vec![Node::term("").text("{").many_least(", ", 1, members).text("}")]
    }

    /// Returns the operand of a look-up that needs no server of names.
    pub(super) fn looked_up(&mut self) -> Vec<Node> {
        vec![self.one_of(&[
            "127.0.0.1",
            "::1",
            "10.1.2.3",
            "2001:DB8::1",
            "::ffff:1.2.3.4",
            "fe80::1%lo",
            "",
        ])]
    }

    /// Puts an annotation before some rules.
    pub(super) fn annotate(&mut self, rules: &mut [Node]) {
        for rule in rules {
            if self.chance(10) {
                let text = self.random.choose(ANNOTATIONS);
                let bare = std::mem::replace(rule, Node::plain(""));
                *rule = Node::plain("").many("", vec![Node::plain("annotation").text(text)]).one(bare);
            }
        }
    }

    /// Returns the package's line, with an annotation before some.
    pub(super) fn package_line(&mut self) -> Node {
        let line = Node::plain("package").text(format!("package {}", self.package));
        if self.chance(90) {
            return line;
        }
        let text = self.random.choose(PACKAGE_ANNOTATIONS);
        Node::plain("").many("", vec![Node::plain("annotation of a package").text(text)]).one(line)
    }
}
