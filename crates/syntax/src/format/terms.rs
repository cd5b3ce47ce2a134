//! Terms: scalars as they were written, operators between their operands, calls.
//!
//! Apart because a term is what stays as it was written when a comment in it has no line. Lists,
//! comprehensions and references are in files beside it.

use crate::{
    ast::InfixOp,
    diagnostics::{Details, Diagnostic, codes},
    format::{
        closing::PARENS,
        infix::{Infix, KEYED_MEMBER, MEMBER, infix},
        refs::{ref_name, var_text},
        writer::{Flow, Pending, Writer, losing},
    },
    printer::write_quoted,
    shape::{Place, Term, Value},
    source::Span,
};

impl<'t, 's> Writer<'t, 's> {
    /// Writes a term; if a comment in it has no line, the term stays as it was written and the
    /// failure is passed on.
    pub(crate) fn term(&mut self, term: &'s Term<'t>, pending: Pending) -> Flow {
        if pending >= self.none_left() {
            return self.term_in(term, false, pending);
        }
        let mark = self.mark(pending);
        match self.term_in(term, false, pending) {
            Err(stop) if stop.is_comment() => {
                let pending = losing(self.rewrite(&mark, term.place))?;
                Err(crate::format::writer::Stop { pending: Some(pending), ..stop })
            }
            flow => losing(flow),
        }
    }

    /// Writes a term, an operator's call in parentheses if asked to.
    pub(crate) fn term_in(&mut self, term: &'s Term<'t>, parens: bool, pending: Pending) -> Flow {
        let mut parens = parens;
        if super::writer::is_same(self.paren_term, term) {
            self.paren_term = None;
            parens = true;
        }
        let pending = losing(self.comments_to(pending, term.place.row))?;
        self.ensure_line();
        let pending = losing(self.value(term, parens, pending))?;
        self.ensure_line();
        Ok(pending)
    }

    fn value(&mut self, term: &'s Term<'t>, parens: bool, pending: Pending) -> Flow {
        match &term.value {
            Value::Null => self.write("null"),
            Value::Bool(true) => self.write("true"),
            Value::Bool(false) => self.write("false"),
            Value::Number(text) => self.write(text),
            Value::String(text) => self.string(text, term.place),
            Value::Var(name) => self.write(var_text(name)),
            Value::Ref(parts) => return self.reference(parts, pending),
            Value::Call(terms) => return self.call(terms, term.place, parens, pending),
            Value::Array(terms) => return self.array(terms, term.place, pending),
            Value::Object(pairs) => return self.object(pairs, term.place, pending),
            Value::Set(members) => return self.set(members, term.place, pending),
            Value::ArrayCompr(compr) => return self.array_compr(compr, term.place, pending),
            Value::SetCompr(compr) => return self.set_compr(compr, term.place, pending),
            Value::ObjectCompr(compr) => return self.object_compr(compr, term.place, pending),
            Value::Template { parts, raw } => return self.template(parts, *raw, pending),
        }
        Ok(pending)
    }

    /// Writes a string as it was written; one that stood behind a dot is quoted.
    fn string(&mut self, text: &str, place: Place) {
        let written = self.at.text(place.text);
        if written.starts_with('`') {
            return self.write(written);
        }
        // The text may begin with an `else` and what follows it.
        let quote = written.chars().next_back().filter(|last| matches!(last, '"' | '`'));
        match quote.and_then(|quote| written.find(quote)).and_then(|at| written.get(at..)) {
            Some(quoted) => self.write(quoted),
            None => {
                let mut quoted = String::new();
                write_quoted(&mut quoted, text);
                self.write(&quoted);
            }
        }
    }

    /// Writes a call inside a term.
    fn call(&mut self, terms: &'s [Term<'t>], place: Place, parens: bool, pending: Pending) -> Flow {
        let Some((function, args)) = terms.split_first() else {
            return Ok(pending);
        };
        let name = ref_name(function).unwrap_or_default();
        let Some(found) = infix(&name) else {
            return self.plain_call(function, args, pending);
        };
        if found.symbol == InfixOp::In.symbol() {
            return self.membership(&name, args, place, true, pending);
        }
        if parens {
            self.write("(");
        }
        let [lhs, rhs] = args else {
            self.wrong_arity(&name, args, place, &found);
            return Ok(pending);
        };
        let pending = losing(self.term_in(lhs, true, pending))?;
        self.operator(&found);
        let pending = losing(self.term_in(rhs, true, pending))?;
        if parens {
            self.write(")");
        }
        Ok(pending)
    }

    /// Writes an operator with blanks round it.
    pub(crate) fn operator(&mut self, found: &Infix) {
        self.write(" ");
        self.write(found.symbol);
        self.write(" ");
    }

    /// Writes a membership; one with a key stands in parentheses inside terms.
    pub(crate) fn membership(
        &mut self,
        name: &str,
        args: &'s [Term<'t>],
        place: Place,
        is_inner: bool,
        pending: Pending,
    ) -> Flow {
        match (name, args) {
            (MEMBER, [value, collection]) => self.members(None, value, collection, pending),
            (KEYED_MEMBER, [key, value, collection]) if is_inner => {
                self.write("(");
                let flow = self.members(Some(key), value, collection, pending);
                self.write(")");
                flow
            }
            (KEYED_MEMBER, [key, value, collection]) => self.members(Some(key), value, collection, pending),
            _ => {
                if let Some(found) = infix(name) {
                    self.wrong_arity(name, args, place, &found);
                }
                Ok(pending)
            }
        }
    }

    fn members(
        &mut self,
        key: Option<&'s Term<'t>>,
        value: &'s Term<'t>,
        collection: &'s Term<'t>,
        pending: Pending,
    ) -> Flow {
        let mut pending = pending;
        if let Some(key) = key {
            pending = losing(self.term_in(key, true, pending))?;
            self.write(", ");
        }
        pending = losing(self.term_in(value, true, pending))?;
        self.write(" in ");
        losing(self.term_in(collection, true, pending))
    }

    /// Writes a call with its arguments in parentheses.
    pub(crate) fn plain_call(
        &mut self,
        function: &'s Term<'t>,
        args: &'s [Term<'t>],
        pending: Pending,
    ) -> Flow {
        let mut pending = pending;
        if let Value::Ref(parts) = &function.value {
            // The comments inside a function's name are merged in again below.
            self.reference(parts, pending)?;
        }
        self.write("(");
        let close = self.closing_row(function.place, PARENS);
        let flow = self.list(&terms_of(args), function.place, close, pending);
        self.write(")");
        pending = losing(flow)?;
        Ok(pending)
    }

    /// Reports an operator that is called by name with the wrong number of arguments.
    pub(crate) fn wrong_arity(&mut self, name: &str, args: &[Term<'t>], place: Place, found: &Infix) {
        let have: Vec<_> = args.iter().map(|arg| arg.value.name()).collect();
        let lines = vec![format!("have: ({})", have.join(",")), format!("want: ({})", found.wants)];
        let details = Details { fields: Vec::new(), lines };
        let at = Span::new(place.at, place.at);
        let message = format!("{name}: arity mismatch");
        let fault = Diagnostic::new(codes::TYPE, "arity-mismatch", self.at.source, at, message);
        self.found.push(fault.with_details(details));
    }
}

/// Makes entries of a list's terms.
pub(crate) fn terms_of<'s, 't>(terms: &'s [Term<'t>]) -> Vec<super::lists::Entry<'s, 't>> {
    terms.iter().map(super::lists::Entry::Term).collect()
}
