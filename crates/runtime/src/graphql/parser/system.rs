//! The grammar of schemas.
//!
//! Definitions and extensions of types, directives and the schema (§3). One function a production; depth is counted
//! by the parser that they share.

use crate::graphql::fault::Origin;
use crate::graphql::parser::{Parsed, Parser, Variables, unexpected_token};
use crate::graphql::token::TokenKind;
use crate::graphql::tree::{
    Comments, DefinitionKind, DirectiveDefinition, EnumValue, FieldDefinition, RootType, SchemaDefinition,
    SchemaDocument, TypeDefinition,
};

const BRACES: (TokenKind, TokenKind) = (TokenKind::BraceLeft, TokenKind::BraceRight);

/// The places where directives may stand.
const LOCATIONS: [&str; 19] = [
    "QUERY",
    "MUTATION",
    "SUBSCRIPTION",
    "FIELD",
    "FRAGMENT_DEFINITION",
    "FRAGMENT_SPREAD",
    "INLINE_FRAGMENT",
    "VARIABLE_DEFINITION",
    "SCHEMA",
    "SCALAR",
    "OBJECT",
    "FIELD_DEFINITION",
    "ARGUMENT_DEFINITION",
    "INTERFACE",
    "UNION",
    "ENUM",
    "ENUM_VALUE",
    "INPUT_OBJECT",
    "INPUT_FIELD_DEFINITION",
];

/// Reads a schema document.
///
/// # Errors
/// The first fault.
pub(crate) fn parse_schema(source: &str, origin: Origin) -> Parsed<SchemaDocument> {
    let mut parser = Parser::new(source, origin);
    let mut document = SchemaDocument::default();
    while parser.kind() != TokenKind::End {
        parser.definition(&mut document)?;
    }
    document.comments = parser.comments();
    for it in document.definitions.iter_mut().chain(&mut document.extensions) {
        it.built_in = origin == Origin::Prelude;
    }
    Ok(document)
}

/// A description and the comments before it.
#[derive(Default)]
struct Description {
    text: String,
    comments: Comments,
}

/// Whether a type is new or extended.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    New,
    Extension,
}

impl Parser<'_> {
    fn definition(&mut self, document: &mut SchemaDocument) -> Parsed<()> {
        let description = self.description()?;
        if self.kind() != TokenKind::Name {
            return self.unexpected();
        }
        match self.peek().text.as_ref() {
            "schema" => {
                let schema = self.schema(description)?;
                document.schema.push(schema);
            }
            "directive" => {
                let directive = self.directive_definition(description)?;
                document.directives.push(directive);
            }
            "extend" => {
                // What is unexpected is the description, or a comment behind it.
                if let Some(last) = self.last.as_ref().filter(|_| !description.text.is_empty()) {
                    return Err(unexpected_token(last));
                }
                self.extension(document)?;
            }
            _ => {
                let Some(kind) = self.type_keyword() else { return self.unexpected() };
                let comments = self.comments();
                self.next()?;
                let mut definition = self.type_definition(kind, Mode::New)?;
                definition.description = description.text;
                definition.before_description = description.comments;
                definition.after_description = comments;
                document.definitions.push(definition);
            }
        }
        Ok(())
    }

    /// Returns the kind of type that the text ahead begins, whatever its token.
    fn type_keyword(&mut self) -> Option<DefinitionKind> {
        Some(match self.peek().text.as_ref() {
            "scalar" => DefinitionKind::Scalar,
            "type" => DefinitionKind::Object,
            "interface" => DefinitionKind::Interface,
            "union" => DefinitionKind::Union,
            "enum" => DefinitionKind::Enum,
            "input" => DefinitionKind::InputObject,
            _ => return None,
        })
    }

    fn description(&mut self) -> Parsed<Description> {
        if !matches!(self.kind(), TokenKind::String | TokenKind::BlockString) {
            return Ok(Description::default());
        }
        let comments = self.comments();
        Ok(Description { text: self.next()?.text.into_owned(), comments })
    }

    /// Reads the description of a part; an empty one counts as none, its comments with it.
    fn part_description(&mut self) -> Parsed<Description> {
        let description = self.description()?;
        Ok(if description.text.is_empty() { Description::default() } else { description })
    }

    fn schema(&mut self, description: Description) -> Parsed<SchemaDefinition> {
        let comments = self.comments();
        let mut schema = self.schema_body()?;
        schema.description = description.text;
        schema.before_description = description.comments;
        schema.after_description = comments;
        Ok(schema)
    }

    fn schema_body(&mut self) -> Parsed<SchemaDefinition> {
        self.expect_keyword("schema")?;
        let position = Some(self.peek().position);
        let directives = self.directives(Variables::Refused)?;
        let (roots, end) = self.some(BRACES, |it| {
            let position = Some(it.peek().position);
            let comments = it.comments();
            let token = it.next()?;
            if !matches!(token.text.as_ref(), "query" | "mutation" | "subscription") {
                return Err(unexpected_token(&token));
            }
            it.expect(TokenKind::Colon)?;
            Ok(RootType { operation: token.text.into_owned(), ty: it.name()?, position, comments })
        })?;
        Ok(SchemaDefinition { directives, roots, position, end, ..SchemaDefinition::default() })
    }

    fn extension(&mut self, document: &mut SchemaDocument) -> Parsed<()> {
        let comments = self.comments();
        self.expect_keyword("extend")?;
        if self.says("schema") {
            let mut schema = self.schema_body()?;
            schema.after_description = comments;
            if schema.directives.is_empty() && schema.roots.is_empty() {
                return self.unexpected();
            }
            document.schema_extensions.push(schema);
            return Ok(());
        }
        let Some(kind) = self.type_keyword() else { return self.unexpected() };
        let word = self.peek().text.as_ref().to_owned();
        self.expect_keyword(&word)?;
        let mut definition = self.type_definition(kind, Mode::Extension)?;
        definition.after_description = comments;
        let empty = definition.directives.is_empty()
            && definition.interfaces.is_empty()
            && definition.fields.is_empty()
            && definition.types.is_empty()
            && definition.values.is_empty();
        if empty {
            return self.unexpected();
        }
        document.extensions.push(definition);
        Ok(())
    }

    /// Reads a type behind its keyword.
    fn type_definition(&mut self, kind: DefinitionKind, mode: Mode) -> Parsed<TypeDefinition> {
        let mut definition = TypeDefinition { position: Some(self.peek().position), ..Default::default() };
        definition.name = self.name()?;
        let implements = match kind {
            DefinitionKind::Object => true,
            DefinitionKind::Interface => mode == Mode::New,
            _ => false,
        };
        if implements {
            definition.interfaces = self.interfaces()?;
        }
        let variables = match kind {
            DefinitionKind::InputObject if mode == Mode::Extension => Variables::Allowed,
            _ => Variables::Refused,
        };
        definition.directives = self.directives(variables)?;
        match kind {
            DefinitionKind::Object | DefinitionKind::Interface => {
                (definition.fields, definition.end) = self.some(BRACES, Self::field_definition)?;
            }
            DefinitionKind::InputObject => {
                (definition.fields, definition.end) = self.some(BRACES, Self::input_value)?;
            }
            DefinitionKind::Enum => {
                (definition.values, definition.end) = self.some(BRACES, Self::enum_value)?;
            }
            DefinitionKind::Union => self.members(&mut definition)?,
            DefinitionKind::Scalar | DefinitionKind::Other(_) => {}
        }
        definition.kind = kind;
        Ok(definition)
    }

    fn interfaces(&mut self) -> Parsed<Vec<String>> {
        if !self.says("implements") {
            return Ok(Vec::new());
        }
        self.next()?;
        self.skip(TokenKind::Amp)?;
        let mut names = vec![self.name()?];
        while self.skip(TokenKind::Amp)? {
            names.push(self.name()?);
        }
        Ok(names)
    }

    fn members(&mut self, definition: &mut TypeDefinition) -> Parsed<()> {
        if !self.skip(TokenKind::Equals)? {
            return Ok(());
        }
        self.skip(TokenKind::Pipe)?;
        loop {
            definition.type_positions.push(self.peek().position);
            definition.types.push(self.name()?);
            if !self.skip(TokenKind::Pipe)? {
                return Ok(());
            }
        }
    }

    fn field_definition(&mut self) -> Parsed<FieldDefinition> {
        let description = self.part_description()?;
        let after_description = self.comments();
        let position = Some(self.peek().position);
        let name = self.name()?;
        let arguments = self.argument_definitions()?;
        self.expect(TokenKind::Colon)?;
        let ty = self.type_reference()?;
        let directives = self.directives(Variables::Refused)?;
        Ok(FieldDefinition {
            description: description.text,
            name,
            arguments,
            default: None,
            ty,
            directives,
            position,
            before_description: description.comments,
            after_description,
        })
    }

    fn argument_definitions(&mut self) -> Parsed<Vec<FieldDefinition>> {
        Ok(self.some((TokenKind::ParenLeft, TokenKind::ParenRight), Self::input_value)?.0)
    }

    fn input_value(&mut self) -> Parsed<FieldDefinition> {
        let description = self.part_description()?;
        let after_description = self.comments();
        let position = Some(self.peek().position);
        let name = self.name()?;
        self.expect(TokenKind::Colon)?;
        let ty = self.type_reference()?;
        let has_default = self.skip(TokenKind::Equals)?;
        let default = if has_default { Some(self.value(Variables::Refused)?) } else { None };
        let directives = self.directives(Variables::Refused)?;
        Ok(FieldDefinition {
            description: description.text,
            name,
            arguments: Vec::new(),
            default,
            ty,
            directives,
            position,
            before_description: description.comments,
            after_description,
        })
    }

    fn enum_value(&mut self) -> Parsed<EnumValue> {
        let description = self.part_description()?;
        let after_description = self.comments();
        let position = Some(self.peek().position);
        let name = self.name()?;
        let directives = self.directives(Variables::Refused)?;
        Ok(EnumValue {
            description: description.text,
            name,
            directives,
            position,
            before_description: description.comments,
            after_description,
        })
    }

    fn directive_definition(&mut self, description: Description) -> Parsed<DirectiveDefinition> {
        let after_description = self.comments();
        self.expect_keyword("directive")?;
        self.expect(TokenKind::At)?;
        let position = Some(self.peek().position);
        let name = self.name()?;
        let arguments = self.argument_definitions()?;
        let repeatable = self.kind() == TokenKind::Name && self.says("repeatable");
        if repeatable {
            self.next()?;
        }
        self.expect_keyword("on")?;
        self.skip(TokenKind::Pipe)?;
        let mut locations = vec![self.location()?];
        while self.skip(TokenKind::Pipe)? {
            locations.push(self.location()?);
        }
        Ok(DirectiveDefinition {
            description: description.text,
            name,
            arguments,
            locations,
            repeatable,
            position,
            before_description: description.comments,
            after_description,
        })
    }

    fn location(&mut self) -> Parsed<String> {
        let token = self.expect(TokenKind::Name)?;
        if LOCATIONS.contains(&token.text.as_ref()) {
            return Ok(token.text.into_owned());
        }
        Err(unexpected_token(&token))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn faults_have_places() {
        let cases = [
            ("type", "input:1:5: Expected Name, found <EOF>"),
            ("type A {}", "input:1:9: expected at least one definition, found }"),
            ("extend type A", "input:1:14: Unexpected <EOF>"),
            ("\"d\" extend type A {a: B}", "input:1:2: Unexpected String \"d\""),
            ("\"d\"\n#c\nextend type A {a: B}", "input:2:1: Unexpected Comment \"#c\""),
            ("directive @d on X", "input:1:17: Unexpected Name \"X\""),
            ("union U = | | A", "input:1:13: Expected Name, found |"),
            ("schema { % }", "input:1:10: Cannot parse the unexpected character \"%\"."),
            ("\"\"\"a\n  b\"\"\" 5", "input:2:8: Unexpected Int \"5\""),
            ("extend \"type\" A {a: B}", "input:1:9: Expected \"type\", found String \"type\""),
        ];
        for (source, fault) in cases {
            let parsed = parse_schema(source, Origin::Input).map(drop);
            assert_eq!(parsed.map_err(|it| it.to_string()), Err(fault.to_owned()), "{source}");
        }
    }
}
