//! From tokens to a tree: the cursor and what both grammars share.
//!
//! Queries are in `parser::executable`, schemas in `parser::system`. The first fault ends the reading. A token that
//! the lexer refuses is only a token of the kind `Invalid` to the grammar, so that most texts name that kind.

use crate::graphql::fault::{Fault, Origin};
use crate::graphql::lexer::{Lexer, Read};
use crate::graphql::limits::NESTING_MAX;
use crate::graphql::token::{Token, TokenKind};
use crate::graphql::tree::{Argument, Child, Comments, Directive, Numbers, Type, Value, ValueKind};

mod executable;
mod system;

pub(crate) use executable::parse_query;
pub(crate) use system::parse_schema;

type Parsed<T> = Result<T, Fault>;

/// Whether values may hold variables.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Variables {
    Allowed,
    Refused,
}

/// The cursor.
#[derive(Debug)]
struct Parser<'s> {
    lexer: Lexer<'s>,
    ahead: Option<Read<'s>>,
    /// The token read last; a comment counts.
    last: Option<Token<'s>>,
    /// The comments before the token ahead.
    comments: Comments,
    depth: u32,
    numbers: Numbers,
}

impl<'s> Parser<'s> {
    fn new(source: &'s str, origin: Origin) -> Self {
        let lexer = Lexer::new(source, origin);
        Self {
            lexer,
            ahead: None,
            last: None,
            comments: Comments::new(),
            depth: 0,
            numbers: Numbers::default(),
        }
    }

    /// Returns the token ahead, which is never a comment.
    fn peek(&mut self) -> &Token<'s> {
        let (lexer, last, comments) = (&mut self.lexer, &mut self.last, &mut self.comments);
        let (token, _) = self.ahead.get_or_insert_with(|| {
            let mut read = lexer.read();
            if read.0.kind == TokenKind::Comment {
                comments.clear();
            }
            while read.0.kind == TokenKind::Comment {
                comments.push(read.0.text.as_ref().to_owned());
                *last = Some(read.0);
                read = lexer.read();
            }
            read
        });
        token
    }

    fn kind(&mut self) -> TokenKind {
        self.peek().kind
    }

    /// Says whether the token ahead says the text, whatever its kind.
    fn says(&mut self, text: &str) -> bool {
        self.peek().text == text
    }

    /// Returns the comments before the token ahead.
    fn comments(&mut self) -> Comments {
        self.peek();
        self.comments.clone()
    }

    fn next(&mut self) -> Parsed<Token<'s>> {
        self.peek();
        self.comments.clear();
        let (token, fault) = match self.ahead.take() {
            Some(read) => read,
            None => self.lexer.read(),
        };
        match fault {
            Some(fault) => Err(fault),
            None => {
                self.last = Some(token.clone());
                Ok(token)
            }
        }
    }

    fn skip(&mut self, kind: TokenKind) -> Parsed<bool> {
        let found = self.kind() == kind;
        if found {
            self.next()?;
        }
        Ok(found)
    }

    fn expect(&mut self, kind: TokenKind) -> Parsed<Token<'s>> {
        let token = self.peek();
        if token.kind == kind {
            return self.next();
        }
        let message = format!("Expected {}, found {}", kind.shown(), token.kind.shown());
        Err(Fault::new(Some(token.position), message))
    }

    fn expect_keyword(&mut self, word: &str) -> Parsed<()> {
        let token = self.peek();
        if token.kind == TokenKind::Name && token.text == word {
            return self.next().map(drop);
        }
        let message = format!("Expected \"{word}\", found {}", token.shown());
        Err(Fault::new(Some(token.position), message))
    }

    fn name(&mut self) -> Parsed<String> {
        Ok(self.expect(TokenKind::Name)?.text.into_owned())
    }

    fn unexpected<T>(&mut self) -> Parsed<T> {
        Err(unexpected_token(self.peek()))
    }

    /// Runs a part of the grammar that holds itself, one level down.
    fn nested<T>(&mut self, part: impl FnOnce(&mut Self) -> Parsed<T>) -> Parsed<T> {
        if self.depth >= NESTING_MAX {
            let message = format!("document is nested deeper than {NESTING_MAX} levels");
            return Err(Fault::new(Some(self.peek().position), message));
        }
        self.depth += 1;
        let parsed = part(self);
        self.depth -= 1;
        parsed
    }

    /// Reads a list in marks, if it begins here; it may be empty.
    fn many<T>(
        &mut self,
        (open, close): (TokenKind, TokenKind),
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<Vec<T>> {
        let mut items = Vec::new();
        if self.skip(open)? {
            while self.kind() != close {
                items.push(item(self)?);
            }
            self.next()?;
        }
        Ok(items)
    }

    /// Reads a list in marks that is not empty, if it begins here, and the comments at its end.
    fn some<T>(
        &mut self,
        (open, close): (TokenKind, TokenKind),
        mut item: impl FnMut(&mut Self) -> Parsed<T>,
    ) -> Parsed<(Vec<T>, Comments)> {
        let mut items = Vec::new();
        if !self.skip(open)? {
            return Ok((items, Comments::new()));
        }
        while self.kind() != close {
            items.push(item(self)?);
        }
        if items.is_empty() {
            let token = self.peek();
            let message = format!("expected at least one definition, found {}", token.kind.shown());
            return Err(Fault::new(Some(token.position), message));
        }
        let comments = self.comments();
        self.next()?;
        Ok((items, comments))
    }

    fn type_reference(&mut self) -> Parsed<Type> {
        let list = self.skip(TokenKind::BracketLeft)?;
        let position = Some(self.peek().position);
        let (named, element) = if list {
            let element = self.nested(Self::type_reference)?;
            self.expect(TokenKind::BracketRight)?;
            (String::new(), Some(Box::new(element)))
        } else {
            (self.name()?, None)
        };
        Ok(Type { named, element, non_null: self.skip(TokenKind::Bang)?, position })
    }

    fn variable(&mut self) -> Parsed<String> {
        self.expect(TokenKind::Dollar)?;
        self.name()
    }

    fn value(&mut self, variables: Variables) -> Parsed<Value> {
        let token = self.peek();
        let position = Some(token.position);
        let kind = match token.kind {
            TokenKind::BracketLeft | TokenKind::BraceLeft => {
                return self.nested(|it| it.composite(variables));
            }
            TokenKind::Dollar if variables == Variables::Allowed => {
                let raw = self.variable()?;
                let number = self.numbers.value();
                return Ok(Value { number, raw, position, ..Value::default() });
            }
            TokenKind::Int => ValueKind::Int,
            TokenKind::Float => ValueKind::Float,
            TokenKind::String => ValueKind::String,
            TokenKind::BlockString => ValueKind::Block,
            TokenKind::Name => match token.text.as_ref() {
                "true" | "false" => ValueKind::Boolean,
                "null" => ValueKind::Null,
                _ => ValueKind::Enum,
            },
            _ => return self.unexpected(),
        };
        // Comments before a value that is not composite are dropped.
        let raw = self.next()?.text.into_owned();
        Ok(Value { number: self.numbers.value(), raw, kind, position, ..Value::default() })
    }

    fn composite(&mut self, variables: Variables) -> Parsed<Value> {
        let position = Some(self.peek().position);
        let comments = self.comments();
        let (kind, children) = if self.kind() == TokenKind::BracketLeft {
            let marks = (TokenKind::BracketLeft, TokenKind::BracketRight);
            let items = self.many(marks, |it| {
                let value = it.value(variables)?;
                Ok(Child { value, ..Child::default() })
            })?;
            (ValueKind::List, items)
        } else {
            let marks = (TokenKind::BraceLeft, TokenKind::BraceRight);
            let fields = self.many(marks, |it| {
                let position = Some(it.peek().position);
                let comments = it.comments();
                let name = it.name()?;
                it.expect(TokenKind::Colon)?;
                Ok(Child { name, value: it.value(variables)?, position, comments })
            })?;
            (ValueKind::Object, fields)
        };
        let number = self.numbers.value();
        Ok(Value { number, children, kind, position, comments, ..Value::default() })
    }

    fn directives(&mut self, variables: Variables) -> Parsed<Vec<Directive>> {
        let mut directives = Vec::new();
        while self.skip(TokenKind::At)? {
            let position = Some(self.peek().position);
            let name = self.name()?;
            let arguments = self.arguments(variables)?;
            directives.push(Directive { name, arguments, position, location: String::new() });
        }
        Ok(directives)
    }

    fn arguments(&mut self, variables: Variables) -> Parsed<Vec<Argument>> {
        let marks = (TokenKind::ParenLeft, TokenKind::ParenRight);
        let (arguments, _) = self.some(marks, |it| {
            let position = Some(it.peek().position);
            let comments = it.comments();
            let name = it.name()?;
            it.expect(TokenKind::Colon)?;
            Ok(Argument { name, value: it.value(variables)?, position, comments })
        })?;
        Ok(arguments)
    }
}

fn unexpected_token(token: &Token<'_>) -> Fault {
    Fault::new(Some(token.position), format!("Unexpected {}", token.shown()))
}
