//! Package clauses and imports, and the keywords that imports switch on.
//!
//! The path of an import is read with all importable keywords off, since it may name them; the
//! token behind the path is then read anew. What is imported is not resolved here.

use crate::{
    ast::{Import, Keywords, Name, Package, Ref, RegoVersion, StringLit, StringStyle, Term, TermKind},
    parser::cursor::Parser,
    printer,
    tokens::{Kind, importable, is_v1_keyword, keyword},
};

/// Keywords that can be imported, in order.
const IMPORTABLE: [&str; 7] = ["and", "contains", "every", "if", "in", "not", "or"];

impl Parser<'_> {
    /// Tells whether the current token is a keyword that may stand in a reference.
    pub(crate) fn is_keyword_in_ref(&self) -> bool {
        self.language.keywords_in_refs && self.tok().is_keyword()
    }

    /// Parses a package clause.
    pub(crate) fn package(&mut self) -> Option<Package> {
        let start = self.span().start;
        self.bump();
        if !self.eat_path_start() {
            return None;
        }
        let term = self.term()?;
        let path = match term.kind {
            TermKind::Var(name) => vec![dot_string(name, term.span)],
            TermKind::Ref(path) => self.package_path(*path)?,
            _ => {
                self.unexpected("");
                return None;
            }
        };
        Some(Package { path, span: self.since(start), annotations: Vec::new() })
    }

    /// Takes a keyword at the start of a path for a name.
    fn eat_path_start(&mut self) -> bool {
        if self.is_keyword_in_ref() {
            self.as_ident();
        }
        let is_name = self.tok() == Kind::Ident;
        if !is_name {
            self.unexpected("");
        }
        is_name
    }

    fn package_path(&mut self, path: Ref) -> Option<Vec<Term>> {
        let head_span = path.head.span;
        let TermKind::Var(name) = path.head.kind else {
            let message = format!("unexpected {} token: expecting var", path.head.kind.name());
            self.error(head_span, "bad-package", message);
            return None;
        };
        if !self.only_strings(&path.parts, "bad-package") {
            return None;
        }
        let mut names = vec![dot_string(name, head_span)];
        names.extend(path.parts);
        Some(names)
    }

    fn only_strings(&mut self, parts: &[Term], name: &'static str) -> bool {
        let Some(other) = parts.iter().find(|part| part.as_str().is_none()) else {
            return true;
        };
        let message = format!("unexpected {} token: expecting string", other.kind.name());
        self.error(other.span, name, message);
        false
    }

    /// Parses an import.
    pub(crate) fn import(&mut self) -> Option<Import> {
        let start = self.span().start;
        self.bump();
        if !self.eat_path_start() {
            return None;
        }
        // The path may hold names that are keywords by now, and the token behind it is read
        // before the keywords are back.
        let term = self.without_imports(Self::term);
        let path = self.import_path(term)?;
        if !matches!(path.head.as_var(), Some("data" | "input" | "future" | "rego")) {
            self.hint("if this is unexpected, try updating OPA");
            let got = printer::term_text(&path.head);
            let message = format!(
                "unexpected import path, must begin with one of: {{data, future, input, rego}}, got: {got}"
            );
            self.error(path.span, "bad-import", message);
            return None;
        }
        let alias = if self.tok() == Kind::As {
            Some(self.alias()?)
        } else {
            self.check_path_end(&path);
            None
        };
        Some(Import { path, alias, span: self.since(start) })
    }

    fn import_path(&mut self, term: Option<Term>) -> Option<Ref> {
        let path = match term {
            Some(Term { kind: TermKind::Ref(path), .. }) => {
                if !self.only_strings(&path.parts, "bad-import") {
                    return None;
                }
                Some(*path)
            }
            Some(term) if term.as_var().is_some() => {
                Some(Ref { span: term.span, head: term, parts: Vec::new() })
            }
            _ => None,
        };
        if path.is_none() {
            self.error(self.span(), "bad-import", "expected path");
        }
        path
    }

    fn alias(&mut self) -> Option<Name> {
        self.bump();
        if self.tok() != Kind::Ident {
            self.unexpected("expected var");
            return None;
        }
        let alias = self.term();
        match alias.as_ref().map(|term| &term.kind) {
            Some(TermKind::Var(name)) => {
                let span = alias.as_ref().map(|term| term.span).unwrap_or_default();
                return Some(Name { text: name.clone(), span });
            }
            Some(TermKind::Ref(path)) if is_root(path) => {
                let name = path.head.as_var().unwrap_or_default();
                let message = format!("unexpected import alias, must not be a reserved name, got: {name}");
                self.error(path.span, "bad-import", message);
            }
            _ => self.unexpected("expected var"),
        }
        None
    }

    /// Refuses a path whose last name is a keyword; the import itself stays.
    fn check_path_end(&mut self, path: &Ref) {
        let head = path.head.as_var();
        if head == Some("future") && !path.parts.is_empty() {
            return;
        }
        let last = path.parts.last().unwrap_or(&path.head);
        let name = last.as_str().or(last.as_var()).unwrap_or_default();
        if is_keyword_in(name, self.version) {
            self.hint("import a different path or use an alias");
            let message = format!("unexpected import path, must not end with a keyword, got: {name}");
            self.error(last.span, "bad-import", message);
        }
    }

    /// Switches on what an import of `future` or `rego` brings.
    pub(crate) fn apply_import(&mut self, import: &Import) {
        match import.path.head.as_var() {
            Some("future") => self.import_future(import),
            Some("rego") => self.import_rego(import),
            _ => return,
        }
        self.reclassify();
    }

    fn import_future(&mut self, import: &Import) {
        let at = import.path.span;
        let names: Vec<&str> = import.path_names().skip(1).collect();
        let Some((&"keywords", rest)) = names.split_first() else {
            self.error(at, "bad-import", "invalid import, must be `future.keywords`");
            return;
        };
        if let Some(alias) = &import.alias {
            self.error(alias.span, "bad-import", "`future` imports cannot be aliased");
            return;
        }
        let allowed = self.language.importable;
        let brought = match rest {
            [name] => importable(name).filter(|it| allowed.has(*it)),
            _ => Some(allowed),
        };
        let Some(mut brought) = brought else {
            let names: Vec<&str> = IMPORTABLE
                .into_iter()
                .filter(|it| importable(it).is_some_and(|it| allowed.has(it)))
                .collect();
            let message = format!("unexpected keyword, must be one of [{}]", names.join(" "));
            self.error(at, "bad-import", message);
            return;
        };
        if brought.has(Keywords::EVERY) {
            brought = brought.with(Keywords::IN);
        }
        self.keywords = self.keywords.with(brought);
    }

    fn import_rego(&mut self, import: &Import) {
        let names: Vec<&str> = import.path_names().skip(1).collect();
        let refused = match names.as_slice() {
            ["v1"] => !self.language.v1_import,
            ["v2"] => !self.language.v2_import,
            _ => false,
        };
        if refused {
            let path = printer::ref_text(&import.path);
            let message = format!("invalid import, `{path}` is not supported by current capabilities");
            self.error(import.path.span, "bad-import", message);
            return;
        }
        let brought = match names.as_slice() {
            ["v1"] => Keywords::V1,
            ["v2"] => Keywords::ALL,
            _ => {
                let path = printer::ref_text(&import.path);
                let message = format!("invalid import `{path}`, must be one of: `rego.v1`, `rego.v2`");
                self.error(import.path.span, "bad-import", message);
                return;
            }
        };
        if let Some(alias) = &import.alias {
            self.error(alias.span, "bad-import", "`rego` imports cannot be aliased");
            return;
        }
        self.keywords = self.keywords.with(brought);
    }
}

fn is_root(path: &Ref) -> bool {
    path.parts.is_empty() && matches!(path.head.as_var(), Some("input" | "data"))
}

fn dot_string(name: Box<str>, span: crate::source::Span) -> Term {
    let lit = StringLit { value: name, style: StringStyle::Dot };
    Term::new(TermKind::String(lit), span)
}

fn is_keyword_in(name: &str, version: RegoVersion) -> bool {
    match version {
        RegoVersion::V0 => is_v1_keyword(name) && !matches!(name, "contains" | "every" | "if" | "in"),
        RegoVersion::V1 => is_v1_keyword(name),
        RegoVersion::V2 => keyword(name.as_bytes()).is_some(),
    }
}
