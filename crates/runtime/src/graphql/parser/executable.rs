//! The grammar of queries.
//!
//! Operations, fragments and selections (§2.2 to §2.8). One function a production; depth is counted by the parser
//! that they share, so that nested selections cannot take the stack.

use crate::graphql::fault::Origin;
use crate::graphql::parser::{Parsed, Parser, Variables};
use crate::graphql::token::TokenKind;
use crate::graphql::tree::{
    Comments, Field, Fragment, FragmentSpread, InlineFragment, Operation, QueryDocument, Selection,
    VariableDefinition,
};

/// Reads a query document.
///
/// # Errors
/// The first fault.
pub(crate) fn parse_query(source: &str) -> Parsed<QueryDocument> {
    let mut parser = Parser::new(source, Origin::Input);
    let mut document = QueryDocument::default();
    loop {
        let token = parser.peek();
        match (token.kind, token.text.as_ref()) {
            (TokenKind::End, _) => break,
            (TokenKind::BraceLeft, _) => document.operations.push(parser.anonymous_query()?),
            (TokenKind::Name, "query" | "mutation" | "subscription") => {
                document.operations.push(parser.operation()?);
            }
            (TokenKind::Name, "fragment") => document.fragments.push(parser.fragment()?),
            _ => return parser.unexpected(),
        }
    }
    document.numbers = parser.numbers;
    Ok(document)
}

const BRACES: (TokenKind, TokenKind) = (TokenKind::BraceLeft, TokenKind::BraceRight);

impl Parser<'_> {
    fn anonymous_query(&mut self) -> Parsed<Operation> {
        // Its comments are dropped.
        let position = Some(self.peek().position);
        let selections = self.selections()?;
        Ok(Operation { operation: "query".to_owned(), selections, position, ..Operation::default() })
    }

    fn operation(&mut self) -> Parsed<Operation> {
        let position = Some(self.peek().position);
        let comments = self.comments();
        let operation = self.name()?;
        let named = self.kind() == TokenKind::Name;
        let name = if named { self.name()? } else { String::new() };
        let variables = self.variable_definitions()?;
        let directives = self.directives(Variables::Allowed)?;
        let selections = self.selections()?;
        Ok(Operation { operation, name, variables, directives, selections, position, comments })
    }

    fn fragment(&mut self) -> Parsed<Fragment> {
        let position = Some(self.peek().position);
        let comments = self.comments();
        self.expect_keyword("fragment")?;
        let name = self.fragment_name()?;
        let variables = self.variable_definitions()?;
        self.expect_keyword("on")?;
        let type_condition = self.name()?;
        let directives = self.directives(Variables::Allowed)?;
        let selections = self.selections()?;
        Ok(Fragment { name, variables, type_condition, directives, selections, position, comments })
    }

    fn fragment_name(&mut self) -> Parsed<String> {
        if self.says("on") { self.unexpected() } else { self.name() }
    }

    fn variable_definitions(&mut self) -> Parsed<Vec<VariableDefinition>> {
        let (variables, _) = self.some((TokenKind::ParenLeft, TokenKind::ParenRight), |it| {
            let position = Some(it.peek().position);
            let comments = it.comments();
            let variable = it.variable()?;
            it.expect(TokenKind::Colon)?;
            let ty = it.type_reference()?;
            let has_default = it.skip(TokenKind::Equals)?;
            let default = if has_default { Some(it.value(Variables::Refused)?) } else { None };
            let directives = it.directives(Variables::Allowed)?;
            Ok(VariableDefinition { variable, ty, default, directives, position, comments, used: false })
        })?;
        Ok(variables)
    }

    /// Reads a selection set, which must be here.
    fn selections(&mut self) -> Parsed<Vec<Selection>> {
        if self.kind() != TokenKind::BraceLeft {
            self.expect(TokenKind::BraceLeft)?;
        }
        self.nested(|it| Ok(it.some(BRACES, Self::selection)?.0))
    }

    fn selection(&mut self) -> Parsed<Selection> {
        if self.kind() != TokenKind::Spread {
            return Ok(Selection::Field(self.field()?));
        }
        let comments = self.comments();
        self.next()?;
        let token = self.peek();
        if token.kind == TokenKind::Name && token.text != "on" {
            return Ok(Selection::Spread(self.spread(comments)?));
        }
        Ok(Selection::Inline(self.inline_fragment(comments)?))
    }

    fn field(&mut self) -> Parsed<Field> {
        let position = Some(self.peek().position);
        let comments = self.comments();
        let number = self.numbers.field();
        let alias = self.name()?;
        let name = if self.skip(TokenKind::Colon)? { self.name()? } else { alias.clone() };
        let arguments = self.arguments(Variables::Allowed)?;
        let directives = self.directives(Variables::Allowed)?;
        let composite = self.kind() == TokenKind::BraceLeft;
        let selections = if composite { self.selections()? } else { Vec::new() };
        Ok(Field { number, alias, name, arguments, directives, selections, position, comments })
    }

    fn spread(&mut self, comments: Comments) -> Parsed<FragmentSpread> {
        let position = Some(self.peek().position);
        let number = self.numbers.spread();
        let name = self.name()?;
        let directives = self.directives(Variables::Allowed)?;
        Ok(FragmentSpread { number, name, directives, position, comments })
    }

    fn inline_fragment(&mut self, comments: Comments) -> Parsed<InlineFragment> {
        let position = Some(self.peek().position);
        let type_condition = if self.says("on") {
            self.next()?;
            self.name()?
        } else {
            String::new()
        };
        let directives = self.directives(Variables::Allowed)?;
        let selections = self.selections()?;
        Ok(InlineFragment { type_condition, directives, selections, position, comments })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_places() {
        let cases = [
            ("{", "input:1:2: Expected Name, found <EOF>"),
            ("{}", "input:1:2: expected at least one definition, found }"),
            ("query", "input:1:6: Expected {, found <EOF>"),
            ("{a(b:)}", "input:1:6: Unexpected )"),
            ("fragment on on T{a}", "input:1:10: Unexpected Name \"on\""),
            ("query($a:Int=$b){a}", "input:1:14: Unexpected $"),
            ("%", "input:1:1: Unexpected <Invalid>"),
            ("{a ... %}", "input:1:8: Expected {, found <Invalid>"),
            ("query \"x\"{a}", "input:1:8: Expected {, found String"),
        ];
        for (source, fault) in cases {
            assert_eq!(parse_query(source).map(drop).map_err(|it| it.to_string()), Err(fault.to_owned()));
        }
    }

    #[test]
    fn nesting_is_bounded() {
        for (open, levels) in [("{a", 100_000), ("{a(b:", 1), ("query($a:[", 1)] {
            let deep = open.repeat(levels) + &"[".repeat(100_000);
            let fault = parse_query(&deep).map(drop).map_err(|it| it.to_string());
            assert!(fault.is_err_and(|it| it.contains("nested deeper than")), "{open}");
        }
    }
}
