//! Calls as messages show them: with names of the module resolved, and else as they were written.
//!
//! Apart from lowering, which leaves the written tree behind. Only rare faults need it.

use lictor_syntax::{Span, ast, printer};

use super::Lowering;

impl<'a> Lowering<'a> {
    /// Returns the text of a call. What is inside of comprehensions and templates is shown as it was written.
    pub(super) fn shown_call(&self, call: &ast::Call, span: Span) -> String {
        let mut term = ast::Term::new(ast::TermKind::Call(Box::new(call.clone())), span);
        self.resolve(&mut term);
        printer::term_text(&term)
    }

    fn resolve(&self, term: &mut ast::Term) {
        let span = term.span;
        match &mut term.kind {
            ast::TermKind::Var(name) => {
                if let Some((head, parts)) = self.shown_path(name, span) {
                    term.kind = ast::TermKind::Ref(Box::new(ast::Ref { head, parts, span }));
                }
            }
            ast::TermKind::Ref(reference) => self.resolve_ref(reference),
            ast::TermKind::Call(call) => {
                if let ast::Callee::Ref(name) = &mut call.callee {
                    self.resolve_ref(name);
                }
                call.args.iter_mut().for_each(|it| self.resolve(it));
            }
            ast::TermKind::Array(items) | ast::TermKind::Set(items) => {
                items.iter_mut().for_each(|it| self.resolve(it));
            }
            ast::TermKind::Object(entries) => entries.iter_mut().for_each(|(key, value)| {
                self.resolve(key);
                self.resolve(value);
            }),
            _ => {}
        }
    }

    fn resolve_ref(&self, reference: &mut ast::Ref) {
        reference.parts.iter_mut().for_each(|it| self.resolve(it));
        let Some(name) = reference.head.as_var() else { return self.resolve(&mut reference.head) };
        if let Some((head, parts)) = self.shown_path(name, reference.head.span) {
            reference.head = head;
            reference.parts.splice(0..0, parts);
        }
    }

    /// Returns root and path of a name of the module.
    fn shown_path(&self, name: &str, span: Span) -> Option<(ast::Term, Vec<ast::Term>)> {
        let is_hidden = !self.globals.has(name) || self.scopes.is_ignored(name);
        let (root, path) = self.globals.path_of(name, is_hidden)?;
        let key = |text: &str| {
            let is_plain = printer::is_plain_key(text);
            let style = if is_plain { ast::StringStyle::Dot } else { ast::StringStyle::Quoted };
            ast::Term::new(ast::TermKind::String(ast::StringLit { value: text.into(), style }), span)
        };
        let head = ast::Term::new(ast::TermKind::Var(root.into()), span);
        Some((head, path.into_iter().map(key).collect()))
    }
}
