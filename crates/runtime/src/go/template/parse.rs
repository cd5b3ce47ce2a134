//! From tokens to trees: one for the text itself, one for each `define` and `block` in it.
//!
//! Faults have Go's texts, with the line of the token read last. Nesting is bounded. What functions there are is
//! asked of `functions`; what they do is not known here.

use std::collections::BTreeMap;

use super::functions;
use super::lex::{Keyword, Kind, Lexer, Token};
use super::node::{Branch, BranchKind, Call, Command, Node, Operand, Pipe, Term, is_blank};
use super::number::Constant;
use crate::go::quote::{quote, unquote};

/// Blocks and brackets nest no deeper; far more than people write.
const NESTING_MAX: usize = 100;

/// The trees by the name of their template.
pub(super) type Trees = BTreeMap<String, Vec<Node>>;

/// Reads a text as the template of the name given and those it defines.
pub(super) fn parse(name: &str, text: &str) -> Result<Trees, String> {
    let mut parser = Parser {
        file: name,
        lexer: Lexer::new(text),
        pending: Vec::new(),
        line: 0,
        scope: Scope::new(),
        nesting: 0,
        trees: Trees::new(),
    };
    let root = parser.root()?;
    parser.add(name, root)?;
    Ok(parser.trees)
}

/// What holds within one tree.
struct Scope {
    variables: Vec<String>,
    /// The line of the action that is being read; 0 outside.
    action_line: usize,
    range_depth: usize,
}

impl Scope {
    fn new() -> Self {
        Self { variables: vec!["$".to_owned()], action_line: 0, range_depth: 0 }
    }
}

struct Parser<'t> {
    file: &'t str,
    lexer: Lexer<'t>,
    /// Tokens that were read and given back, the next one last.
    pending: Vec<Token>,
    /// The line of the token read last.
    line: usize,
    scope: Scope,
    nesting: usize,
    trees: Trees,
}

type Parsed<T> = Result<T, String>;

/// How a list of nodes ended.
enum Stop {
    End,
    Else,
}

impl Stop {
    fn shown(&self) -> &'static str {
        match self {
            Self::End => "{{end}}",
            Self::Else => "{{else}}",
        }
    }
}

/// A node, or what ends a list of nodes.
enum Item {
    Node(Node),
    Stop(Stop),
}

impl Parser<'_> {
    fn next(&mut self) -> Token {
        self.pending.pop().unwrap_or_else(|| {
            let token = self.lexer.next_token();
            self.line = token.line;
            token
        })
    }

    fn back(&mut self, token: Token) {
        self.pending.push(token);
    }

    fn peek(&mut self) -> Token {
        let token = self.next();
        self.back(token.clone());
        token
    }

    fn next_non_space(&mut self) -> Token {
        loop {
            let token = self.next();
            if token.kind != Kind::Space {
                return token;
            }
        }
    }

    fn peek_non_space(&mut self) -> Token {
        let token = self.next_non_space();
        self.back(token.clone());
        token
    }

    fn fault<T>(&self, message: impl AsRef<str>) -> Parsed<T> {
        Err(format!("template: {}:{}: {}", self.file, self.line, message.as_ref()))
    }

    fn unexpected<T>(&self, token: &Token, context: &str) -> Parsed<T> {
        if token.kind != Kind::Fault {
            return self.fault(format!("unexpected {} in {context}", token.shown()));
        }
        let started = self.scope.action_line;
        if started == 0 || started == token.line {
            return self.fault(&token.text);
        }
        let what = if token.text.ends_with(" action") { "" } else { " in action" };
        self.fault(format!("{}{what} started at {}:{started}", token.text, self.file))
    }

    fn expect(&mut self, kind: Kind, context: &str) -> Parsed<Token> {
        let token = self.next_non_space();
        if token.kind == kind { Ok(token) } else { self.unexpected(&token, context) }
    }

    fn add(&mut self, name: &str, tree: Vec<Node>) -> Parsed<()> {
        match self.trees.get(name) {
            Some(there) if !is_blank(there) => {
                if is_blank(&tree) {
                    return Ok(());
                }
                self.fault(format!("template: multiple definition of template {}", quote(name)))
            }
            _ => {
                self.trees.insert(name.to_owned(), tree);
                Ok(())
            }
        }
    }

    fn nested<T>(&mut self, read: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.nesting >= NESTING_MAX {
            return self.fault("max expression depth exceeded");
        }
        self.nesting += 1;
        let result = read(self);
        self.nesting -= 1;
        result
    }

    /// Reads to the end of the text; only here may `define` stand.
    fn root(&mut self) -> Parsed<Vec<Node>> {
        let mut nodes = Vec::new();
        loop {
            let token = self.next();
            match token.kind {
                Kind::End => return Ok(nodes),
                Kind::LeftDelim => {
                    let word = self.next_non_space();
                    if word.kind == Kind::Keyword(Keyword::Define) {
                        self.definition()?;
                        continue;
                    }
                    self.back(word);
                    self.back(token);
                }
                _ => self.back(token),
            }
            match self.text_or_action()? {
                Item::Node(node) => nodes.push(node),
                Item::Stop(stop) => return self.fault(format!("unexpected {}", stop.shown())),
            }
        }
    }

    /// Reads a tree of its own up to its end.
    fn inner_tree(&mut self, context: &str) -> Parsed<Vec<Node>> {
        let outer = std::mem::replace(&mut self.scope, Scope::new());
        let (nodes, stop) = self.list()?;
        if matches!(stop, Stop::Else) {
            return self.fault(format!("unexpected {} in {context}", stop.shown()));
        }
        self.scope = outer;
        Ok(nodes)
    }

    fn definition(&mut self) -> Parsed<()> {
        const CONTEXT: &str = "define clause";
        let outer = std::mem::replace(&mut self.scope, Scope::new());
        let token = self.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        self.expect(Kind::RightDelim, CONTEXT)?;
        let nodes = self.inner_tree(CONTEXT)?;
        self.scope = outer;
        self.add(&name, nodes)
    }

    fn list(&mut self) -> Parsed<(Vec<Node>, Stop)> {
        self.nested(|this| {
            let mut nodes = Vec::new();
            while this.peek_non_space().kind != Kind::End {
                match this.text_or_action()? {
                    Item::Node(node) => nodes.push(node),
                    Item::Stop(stop) => return Ok((nodes, stop)),
                }
            }
            this.fault("unexpected EOF")
        })
    }

    fn text_or_action(&mut self) -> Parsed<Item> {
        let token = self.next_non_space();
        match token.kind {
            Kind::Text => Ok(Item::Node(Node::Text(token.text))),
            Kind::LeftDelim => {
                self.scope.action_line = token.line;
                let item = self.action()?;
                self.scope.action_line = 0;
                Ok(item)
            }
            _ => self.unexpected(&token, "input"),
        }
    }

    fn action(&mut self) -> Parsed<Item> {
        let token = self.next_non_space();
        let Kind::Keyword(word) = token.kind else { return self.plain_action(token) };
        let node = match word {
            Keyword::Block => self.block()?,
            Keyword::Break => self.leave_range("break", Node::Break)?,
            Keyword::Continue => self.leave_range("continue", Node::Continue)?,
            Keyword::Else => return self.else_stop().map(Item::Stop),
            Keyword::End => {
                self.expect(Kind::RightDelim, "end")?;
                return Ok(Item::Stop(Stop::End));
            }
            Keyword::If => self.branch(BranchKind::If)?,
            Keyword::Range => self.branch(BranchKind::Range)?,
            Keyword::With => self.branch(BranchKind::With)?,
            Keyword::Template => self.template()?,
            Keyword::Define | Keyword::Dot | Keyword::Nil => return self.plain_action(token),
        };
        Ok(Item::Node(node))
    }

    fn plain_action(&mut self, first: Token) -> Parsed<Item> {
        self.back(first);
        Ok(Item::Node(Node::Action(self.pipeline("command", Kind::RightDelim)?)))
    }

    fn leave_range(&mut self, word: &str, node: Node) -> Parsed<Node> {
        let token = self.next_non_space();
        let shown = format!("{{{{{word}}}}}");
        if token.kind != Kind::RightDelim {
            return self.unexpected(&token, &shown);
        }
        if self.scope.range_depth == 0 {
            return self.fault(format!("{shown} outside {{{{range}}}}"));
        }
        Ok(node)
    }

    fn else_stop(&mut self) -> Parsed<Stop> {
        let token = self.peek_non_space();
        if matches!(token.kind, Kind::Keyword(Keyword::If | Keyword::With)) {
            return Ok(Stop::Else);
        }
        self.expect(Kind::RightDelim, "else").map(|_| Stop::Else)
    }

    fn branch(&mut self, kind: BranchKind) -> Parsed<Node> {
        let variables = self.scope.variables.len();
        let pipe = self.pipeline(kind.word(), Kind::RightDelim)?;
        let ranges = usize::from(kind == BranchKind::Range);
        self.scope.range_depth += ranges;
        let (body, stop) = self.list()?;
        self.scope.range_depth -= ranges;
        let otherwise = match stop {
            Stop::End => None,
            Stop::Else => Some(self.otherwise(kind)?),
        };
        self.scope.variables.truncate(variables);
        Ok(Node::Branch(Branch { kind, pipe, body, otherwise }))
    }

    /// Reads what follows `else`: a list, or at once the same kind of branch, which shares the end.
    fn otherwise(&mut self, kind: BranchKind) -> Parsed<Vec<Node>> {
        let again = matches!(
            (kind, self.peek().kind),
            (BranchKind::If, Kind::Keyword(Keyword::If)) | (BranchKind::With, Kind::Keyword(Keyword::With))
        );
        if again {
            self.next();
            return self.nested(|this| Ok(vec![this.branch(kind)?]));
        }
        match self.list()? {
            (nodes, Stop::End) => Ok(nodes),
            (_, stop) => self.fault(format!("expected end; found {}", stop.shown())),
        }
    }

    fn block(&mut self) -> Parsed<Node> {
        const CONTEXT: &str = "block clause";
        let token = self.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        let pipe = self.pipeline(CONTEXT, Kind::RightDelim)?;
        let nodes = self.inner_tree(CONTEXT)?;
        self.add(&name, nodes)?;
        Ok(Node::Template(Call { pos: token.pos, name, pipe: Some(pipe) }))
    }

    fn template(&mut self) -> Parsed<Node> {
        const CONTEXT: &str = "template clause";
        let token = self.next_non_space();
        let name = self.template_name(&token, CONTEXT)?;
        let after = self.next_non_space();
        let pipe = if after.kind == Kind::RightDelim {
            None
        } else {
            self.back(after);
            Some(self.pipeline(CONTEXT, Kind::RightDelim)?)
        };
        Ok(Node::Template(Call { pos: token.pos, name, pipe }))
    }

    fn template_name(&mut self, token: &Token, context: &str) -> Parsed<String> {
        match token.kind {
            Kind::Str | Kind::RawStr => self.unquoted(&token.text),
            _ => self.unexpected(token, context),
        }
    }

    fn unquoted(&self, literal: &str) -> Parsed<String> {
        match unquote(literal) {
            Some(text) => Ok(text),
            None => self.fault("invalid syntax"),
        }
    }

    fn pipeline(&mut self, context: &str, end: Kind) -> Parsed<Pipe> {
        let mut pipe = Pipe { pos: self.peek_non_space().pos, ..Pipe::default() };
        self.declarations(context, &mut pipe)?;
        loop {
            let token = self.next_non_space();
            match token.kind {
                kind if kind == end => {
                    self.check_pipeline(&pipe, context)?;
                    return Ok(pipe);
                }
                Kind::Bool
                | Kind::CharConstant
                | Kind::Complex
                | Kind::Number
                | Kind::Str
                | Kind::RawStr
                | Kind::Field
                | Kind::Variable
                | Kind::Identifier
                | Kind::LeftParen
                | Kind::Keyword(Keyword::Dot | Keyword::Nil) => {
                    self.back(token);
                    pipe.commands.push(self.command()?);
                }
                _ => return self.unexpected(&token, context),
            }
        }
    }

    /// Reads variables that are declared or assigned to, if the pipeline begins with them.
    fn declarations(&mut self, context: &str, pipe: &mut Pipe) -> Parsed<()> {
        loop {
            let variable = self.peek_non_space();
            if variable.kind != Kind::Variable {
                return Ok(());
            }
            self.next_non_space();
            let after = self.peek();
            let next = self.peek_non_space();
            match next.kind {
                Kind::Assign | Kind::Declare => {
                    pipe.assigns = next.kind == Kind::Assign;
                    self.next_non_space();
                    self.declare(&variable, pipe);
                    return Ok(());
                }
                Kind::Char if next.text == "," => {
                    self.next_non_space();
                    self.declare(&variable, pipe);
                    if context != "range" || pipe.variables.len() >= 2 {
                        return self.fault(format!("too many declarations in {context}"));
                    }
                    let follows = self.peek_non_space().kind;
                    if !matches!(follows, Kind::Variable | Kind::RightDelim | Kind::RightParen) {
                        return self.fault("range can only initialize variables");
                    }
                }
                _ => {
                    if after.kind == Kind::Space {
                        self.back(after);
                    }
                    self.back(variable);
                    return Ok(());
                }
            }
        }
    }

    fn declare(&mut self, variable: &Token, pipe: &mut Pipe) {
        self.scope.variables.push(variable.text.clone());
        pipe.variables.push(variable.text.clone());
    }

    fn check_pipeline(&self, pipe: &Pipe, context: &str) -> Parsed<()> {
        if pipe.commands.is_empty() {
            return self.fault(format!("missing value for {context}"));
        }
        for (index, command) in pipe.commands.iter().enumerate().skip(1) {
            if command.args.first().is_some_and(|it| it.term.is_constant()) {
                return self.fault(format!("non executable command in pipeline stage {}", index + 1));
            }
        }
        Ok(())
    }

    fn command(&mut self) -> Parsed<Command> {
        let mut command = Command { pos: self.peek_non_space().pos, args: Vec::new() };
        loop {
            self.peek_non_space();
            command.args.extend(self.operand()?);
            let token = self.next();
            match token.kind {
                Kind::Space => continue,
                Kind::RightDelim | Kind::RightParen => self.back(token),
                Kind::Pipe => {}
                _ => return self.unexpected(&token, "operand"),
            }
            break;
        }
        if command.args.is_empty() { self.fault("empty command") } else { Ok(command) }
    }

    /// Reads a term with the fields behind it; nothing if there is no term.
    fn operand(&mut self) -> Parsed<Option<Operand>> {
        let Some(operand) = self.term()? else { return Ok(None) };
        let pos = self.peek().pos;
        let mut names = Vec::new();
        while self.peek().kind == Kind::Field {
            names.extend(self.next().text.strip_prefix('.').map(str::to_owned));
        }
        if names.is_empty() {
            return Ok(Some(operand));
        }
        let term = match operand.term {
            Term::Field(mut all) => {
                all.append(&mut names);
                Term::Field(all)
            }
            Term::Variable(mut all) => {
                all.append(&mut names);
                Term::Variable(all)
            }
            ref term if term.is_constant() => {
                return self.fault(format!("unexpected . after term {}", quote(&operand.to_string())));
            }
            _ => Term::Chain(Box::new(operand), names),
        };
        Ok(Some(Operand { pos, term }))
    }

    fn term(&mut self) -> Parsed<Option<Operand>> {
        let token = self.next_non_space();
        let term = match token.kind {
            Kind::Identifier => {
                if !functions::exists(&token.text) {
                    return self.fault(format!("function {} not defined", quote(&token.text)));
                }
                Term::Function(token.text)
            }
            Kind::Keyword(Keyword::Dot) => Term::Dot,
            Kind::Keyword(Keyword::Nil) => Term::Nil,
            Kind::Variable => self.variable(&token.text)?,
            Kind::Field => Term::Field(token.text.strip_prefix('.').map(str::to_owned).into_iter().collect()),
            Kind::Bool => Term::Bool(token.text == "true"),
            Kind::CharConstant => self.constant(Constant::character(&token.text))?,
            Kind::Complex => self.constant(Constant::complex(&token.text))?,
            Kind::Number => self.constant(Constant::number(&token.text))?,
            Kind::LeftParen => {
                Term::Pipe(self.nested(|this| this.pipeline("parenthesized pipeline", Kind::RightParen))?)
            }
            Kind::Str | Kind::RawStr => {
                let text = self.unquoted(&token.text)?;
                Term::Str { quoted: token.text, text }
            }
            _ => {
                self.back(token);
                return Ok(None);
            }
        };
        // A bracketed pipeline stands where its content does.
        let pos = if let Term::Pipe(pipe) = &term { pipe.pos } else { token.pos };
        Ok(Some(Operand { pos, term }))
    }

    fn constant(&self, read: Result<Constant, String>) -> Parsed<Term> {
        read.map(Term::Number).or_else(|message| self.fault(message))
    }

    fn variable(&self, name: &str) -> Parsed<Term> {
        if self.scope.variables.iter().any(|it| it == name) {
            return Ok(Term::Variable(vec![name.to_owned()]));
        }
        self.fault(format!("undefined variable {}", quote(name)))
    }
}
