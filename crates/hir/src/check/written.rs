//! References as their author wrote them, for messages: what the compiler moved out stands in its place again.
//!
//! Apart because it is about showing only. A variable that the compiler made is looked up where it gets its value; that
//! is a search, which faults can afford.

use lictor_syntax::{ast, diagnostics::Detail, printer};

use crate::{
    check::{
        Checker,
        terms::{Closure, constant},
    },
    show,
    tree::{Call, Callee, Expr, ExprKind, Ref, RefHead, Term, TermKind, VarId, WithTarget},
    types::{Key, Type},
};

/// What was moved out is put back no deeper than this.
const DEPTH_MAX: u32 = 64;

/// A term as it was written.
#[derive(Clone, Debug)]
pub(crate) enum Written {
    Null,
    Bool(bool),
    Number(String),
    String(String),
    /// Its name, and its name as it is shown.
    Var(String, String),
    Ref(Vec<Written>),
    Call(Vec<Written>),
    Array(Vec<Written>),
    Set(Vec<Written>),
    Object(Vec<(Written, Written)>),
    /// A comprehension: kind and text.
    Closure(&'static str, String),
}

/// What a variable of the compiler's stands for.
enum Subject<'t> {
    Term(&'t Term),
    Call(&'t Call),
}

impl<'a> Checker<'a> {
    /// Returns a reference as it was written.
    pub(super) fn written_ref(&self, reference: &Ref) -> Written {
        self.write_ref(reference, At::default())
    }

    /// Returns the pattern that a part of a reference is, if one was moved out of its place.
    pub(super) fn pattern_of<'t>(&self, part: &'t Term) -> &'t Term
    where
        'a: 't,
    {
        match part.kind {
            TermKind::Var(var) if self.is_made(var) => match subject_in(self.whole, var) {
                Some(Subject::Term(term))
                    if matches!(term.kind, TermKind::Array(_) | TermKind::Object(_) | TermKind::Set(_)) =>
                {
                    term
                }
                _ => part,
            },
            _ => part,
        }
    }

    /// Tells whether a variable stands for a scalar that a reference starts with; OPA takes nothing for known of it.
    pub(super) fn is_scalar(&self, var: VarId) -> bool {
        let scalar = |it: &Term| {
            matches!(it.kind, TermKind::Null | TermKind::Bool(_) | TermKind::Number(_) | TermKind::String(_))
        };
        matches!(self.var(var), Type::Null | Type::Bool | Type::Number | Type::String)
            && self.is_made(var)
            && matches!(subject_in(self.whole, var), Some(Subject::Term(term)) if scalar(term))
    }

    fn is_made(&self, var: VarId) -> bool {
        self.names.get(var.0 as usize).is_some_and(|it| it.generated && !ast::is_wildcard(&it.name))
    }

    fn write_ref(&self, reference: &Ref, at: At) -> Written {
        let name = |text: &str| Written::Var(text.to_owned(), text.to_owned());
        let head = match reference.head {
            RefHead::Input => name("input"),
            RefHead::Data => name("data"),
            RefHead::Var(var) => self.write_var(var, at),
        };
        let parts = reference.parts.iter().map(|it| self.write(it, at));
        Written::Ref(std::iter::once(head).chain(parts).collect())
    }

    fn write_var(&self, var: VarId, at: At) -> Written {
        let name = self.names.get(var.0 as usize).map_or("", |it| &it.name);
        if self.is_made(var) && at.depth < DEPTH_MAX {
            match subject_in(self.whole, var) {
                Some(Subject::Term(term)) => return self.write(term, at.deeper()),
                Some(Subject::Call(call)) => return self.write_call(call, at.deeper()),
                None => {}
            }
        }
        if name.is_empty() {
            let name = format!("__local{}__", var.0);
            return Written::Var(name.clone(), name);
        }
        let shown = if ast::is_wildcard(name) { "_" } else { name };
        Written::Var(name.to_owned(), shown.to_owned())
    }

    fn write_call(&self, call: &Call, at: At) -> Written {
        let path = match &call.callee {
            Callee::Builtin(name) => name.split('.').map(str::to_owned).collect(),
            Callee::Function(group) => {
                let path = self.scene.dependents.path(*group);
                std::iter::once("data").chain(path).map(str::to_owned).collect::<Vec<_>>()
            }
        };
        let part = |(place, text): (usize, String)| match place {
            0 => Written::Var(text.clone(), text),
            _ => Written::String(text),
        };
        let callee = Written::Ref(path.into_iter().enumerate().map(part).collect());
        let args = call.args.iter().map(|it| self.write(it, At { is_operand: true, ..at }));
        Written::Call(std::iter::once(callee).chain(args).collect())
    }

    fn write(&self, term: &Term, at: At) -> Written {
        let all = |items: &[Term]| items.iter().map(|it| self.write(it, at)).collect::<Vec<_>>();
        match &term.kind {
            TermKind::Null => Written::Null,
            TermKind::Bool(value) => Written::Bool(*value),
            TermKind::Number(text) => Written::Number(text.to_string()),
            TermKind::String(text) => Written::String(text.to_string()),
            TermKind::Var(var) => self.write_var(*var, at),
            TermKind::Ref(reference) => self.write_ref(reference, at),
            TermKind::Array(items) => Written::Array(all(items)),
            TermKind::Set(items) => {
                let mut items: Vec<&Term> = items.iter().collect();
                items.sort_by_cached_key(|it| constant(it));
                items.dedup_by(|one, other| constant(one).is_some_and(|it| Some(it) == constant(other)));
                Written::Set(items.into_iter().map(|it| self.write(it, at)).collect())
            }
            TermKind::Object(entries) => {
                let mut entries: Vec<&(Term, Term)> = entries.iter().collect();
                entries.sort_by_cached_key(|it| constant(&it.0));
                let pair = |it: &(Term, Term)| (self.write(&it.0, at), self.write(&it.1, at));
                Written::Object(entries.into_iter().map(pair).collect())
            }
            TermKind::ArrayCompr(_) => Written::Closure("arraycomprehension", self.closure_text(term, at)),
            TermKind::SetCompr(_) => Written::Closure("setcomprehension", self.closure_text(term, at)),
            TermKind::ObjectCompr(_) => Written::Closure("objectcomprehension", self.closure_text(term, at)),
        }
    }

    fn closure_text(&self, term: &Term, at: At) -> String {
        let text = |it: &Term| self.write(it, at).text();
        let Some(closure) = Closure::of(term) else { return String::new() };
        let head = match closure {
            Closure::Array(it) => Some(&it.term),
            Closure::Set(it) => Some(&it.term),
            Closure::Object(_) => None,
        };
        let body = self.shown_body(closure.body(), head, at);
        match closure {
            Closure::Array(it) => format!("[{} | {body}]", text(&it.term)),
            Closure::Set(it) => format!("{{{} | {body}}}", text(&it.term)),
            Closure::Object(it) => format!("{{{}: {} | {body}}}", text(&it.key), text(&it.value)),
        }
    }

    fn body_text(&self, body: &[Expr], at: At) -> String {
        self.shown_body(body, None, at)
    }

    /// Returns the text of a body, of a closure over `head` if there is one.
    fn shown_body(&self, body: &[Expr], head: Option<&Term>, at: At) -> String {
        let is_head = |var: VarId| head.is_some_and(|it| matches!(it.kind, TermKind::Var(it) if it == var));
        // What we keep for later, OPA leaves where it stands. It shows twice what a reference starts with, but not in
        // the operands of a call, which it moves before.
        let is_shown =
            |var: VarId| is_head(var) || !at.is_operand && body.iter().any(|it| starts_ref(it, var));
        let is_kept = |it: &&Expr| match &it.kind {
            ExprKind::Unify(lhs, rhs) => match lhs.kind {
                TermKind::Var(var) if self.is_made(var) => {
                    matches!(rhs.kind, TermKind::Ref(_)) || is_composite(rhs) && !is_shown(var)
                }
                _ => false,
            },
            _ => false,
        };
        let shown = body.iter().filter(|it| !is_kept(it)).map(|it| self.expr_text(it, at));
        shown.collect::<Vec<_>>().join("; ")
    }

    fn expr_text(&self, expr: &Expr, at: At) -> String {
        let mut out = self.kind_text(expr, at);
        for with in &expr.with {
            let value = |it: &Term| self.write(it, at).text();
            let path = |root: &str, path: &[Box<str>]| {
                let mut out = root.to_owned();
                path.iter().for_each(|it| show::push_key(it, &mut out));
                out
            };
            let (target, value) = match &with.target {
                WithTarget::Input(keys, term) => (path("input", keys), value(term)),
                WithTarget::Data(keys, term) => (path("data", keys), value(term)),
                WithTarget::CalleeValue(callee, term) => (self.callee_name(callee), value(term)),
                WithTarget::Callee(callee, other) => (self.callee_name(callee), self.callee_name(other)),
            };
            out += &format!(" with {target} as {value}");
        }
        out
    }

    fn kind_text(&self, expr: &Expr, at: At) -> String {
        let text = |it: &Term| self.write(it, at).text();
        match &expr.kind {
            ExprKind::Term(term) => text(term),
            ExprKind::Unify(lhs, rhs) => match &lhs.kind {
                TermKind::Var(var) if self.is_made(*var) && !is_composite(rhs) => {
                    format!("__local{}__ = {}", var.0, text(rhs))
                }
                _ => format!("{} = {}", text(lhs), text(rhs)),
            },
            ExprKind::Call(call) => {
                let args: Vec<String> = call.args.iter().chain(&call.output).map(text).collect();
                format!("{}({})", self.callee_name(&call.callee), args.join(", "))
            }
            ExprKind::Every(every) => {
                let vars = every.key.iter().chain([&every.value]);
                let vars: Vec<String> = vars.map(|it| self.write_var(*it, at).text()).collect();
                let (vars, body) = (vars.join(", "), self.body_text(&every.body, at));
                format!("every {vars} in {} {{ {body} }}", text(&every.domain))
            }
            ExprKind::Not(body) => format!("not {}", self.body_text(body, at)),
            ExprKind::And(lhs, rhs) => {
                format!("{} and {}", self.body_text(lhs, at), self.body_text(rhs, at))
            }
            ExprKind::Or(lhs, rhs) => {
                format!("{} or {}", self.body_text(lhs, at), self.body_text(rhs, at))
            }
        }
    }
}

/// Where something is shown.
#[derive(Clone, Copy, Default)]
struct At {
    /// How many variables that were made stand around.
    depth: u32,
    /// Whether it is inside of the operands of a call.
    is_operand: bool,
}

impl At {
    fn deeper(self) -> Self {
        Self { depth: self.depth + 1, ..self }
    }
}

fn is_composite(term: &Term) -> bool {
    matches!(term.kind, TermKind::Array(_) | TermKind::Set(_) | TermKind::Object(_))
        || Closure::of(term).is_some()
}

/// Says whether a reference in the expression starts with the variable; what is inside of closures is not looked at.
fn starts_ref(expr: &Expr, var: VarId) -> bool {
    match &expr.kind {
        ExprKind::Term(term) => starts_ref_in(term, var),
        ExprKind::Unify(lhs, rhs) => starts_ref_in(lhs, var) || starts_ref_in(rhs, var),
        ExprKind::Call(call) => call.args.iter().chain(&call.output).any(|it| starts_ref_in(it, var)),
        ExprKind::Every(_) | ExprKind::Not(_) | ExprKind::And(..) | ExprKind::Or(..) => false,
    }
}

fn starts_ref_in(term: &Term, var: VarId) -> bool {
    match &term.kind {
        TermKind::Ref(reference) => {
            matches!(reference.head, RefHead::Var(it) if it == var)
                || reference.parts.iter().any(|it| starts_ref_in(it, var))
        }
        TermKind::Array(items) | TermKind::Set(items) => items.iter().any(|it| starts_ref_in(it, var)),
        TermKind::Object(entries) => {
            entries.iter().any(|(key, value)| starts_ref_in(key, var) || starts_ref_in(value, var))
        }
        _ => false,
    }
}

/// Finds where a variable that the compiler made gets its value.
fn subject_in(body: &[Expr], var: VarId) -> Option<Subject<'_>> {
    body.iter().find_map(|it| subject_of(it, var))
}

fn subject_of(expr: &Expr, var: VarId) -> Option<Subject<'_>> {
    let is_it = |term: &Term| matches!(term.kind, TermKind::Var(it) if it == var);
    let found = match &expr.kind {
        ExprKind::Unify(lhs, rhs) if is_it(lhs) => return Some(Subject::Term(rhs)),
        ExprKind::Unify(lhs, rhs) => subject_in_term(lhs, var).or_else(|| subject_in_term(rhs, var)),
        ExprKind::Call(call) if call.output.as_ref().is_some_and(is_it) => {
            return Some(Subject::Call(call));
        }
        ExprKind::Call(call) => call.args.iter().find_map(|it| subject_in_term(it, var)),
        ExprKind::Term(term) => subject_in_term(term, var),
        ExprKind::Every(every) => {
            subject_in_term(&every.domain, var).or_else(|| subject_in(&every.body, var))
        }
        ExprKind::Not(body) => subject_in(body, var),
        ExprKind::And(lhs, rhs) | ExprKind::Or(lhs, rhs) => {
            subject_in(lhs, var).or_else(|| subject_in(rhs, var))
        }
    };
    let in_with = || {
        expr.with.iter().find_map(|it| match &it.target {
            WithTarget::Input(_, value) | WithTarget::Data(_, value) | WithTarget::CalleeValue(_, value) => {
                subject_in_term(value, var)
            }
            WithTarget::Callee(..) => None,
        })
    };
    found.or_else(in_with)
}

fn subject_in_term(term: &Term, var: VarId) -> Option<Subject<'_>> {
    match &term.kind {
        TermKind::Array(items) | TermKind::Set(items) => items.iter().find_map(|it| subject_in_term(it, var)),
        TermKind::Object(entries) => entries
            .iter()
            .find_map(|(key, value)| subject_in_term(key, var).or_else(|| subject_in_term(value, var))),
        TermKind::Ref(reference) => reference.parts.iter().find_map(|it| subject_in_term(it, var)),
        _ => subject_in(Closure::of(term)?.body(), var),
    }
}

impl Written {
    /// Returns the text.
    pub(crate) fn text(&self) -> String {
        let mut out = String::new();
        self.push(&mut out);
        out
    }

    fn push(&self, out: &mut String) {
        match self {
            Self::Null => out.push_str("null"),
            Self::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
            Self::Number(text) | Self::Closure(_, text) | Self::Var(_, text) => out.push_str(text),
            Self::String(text) => printer::write_quoted(out, text),
            Self::Ref(parts) => push_ref(parts, out),
            Self::Call(parts) => {
                if let Some((callee, args)) = parts.split_first() {
                    callee.push(out);
                    push_list(args, ["(", ")"], out);
                }
            }
            Self::Array(items) => push_list(items, ["[", "]"], out),
            Self::Set(items) if items.is_empty() => out.push_str("set()"),
            Self::Set(items) => push_list(items, ["{", "}"], out),
            Self::Object(entries) => {
                out.push('{');
                for (idx, (key, value)) in entries.iter().enumerate() {
                    if idx > 0 {
                        out.push_str(", ");
                    }
                    key.push(out);
                    out.push_str(": ");
                    value.push(out);
                }
                out.push('}');
            }
        }
    }

    fn parts(&self) -> &[Self] {
        match self {
            Self::Ref(parts) => parts,
            other => std::slice::from_ref(other),
        }
    }

    /// Returns the text of a reference's first parts, the head counted.
    pub(crate) fn prefix(&self, count: usize) -> String {
        let mut out = String::new();
        push_ref(self.parts().get(..count).unwrap_or(self.parts()), &mut out);
        out
    }

    /// Returns the text of a part, the head being part 0.
    pub(crate) fn part_text(&self, at: usize) -> String {
        self.parts().get(at).map(Self::text).unwrap_or_default()
    }

    /// Returns the name of a function that a reference names: a part that only the compiler knows is left out.
    pub(crate) fn function_text(&self) -> String {
        let parts = self.parts();
        match parts.split_last() {
            Some((Self::Var(name, _), before)) if name.starts_with("__local") => {
                let mut out = String::new();
                push_ref(before, &mut out);
                out
            }
            _ => self.text(),
        }
    }

    /// Returns the parts of a reference as a field of an error's details.
    pub(crate) fn parts_detail(&self) -> Detail {
        Detail::List(self.parts().iter().map(Self::detail).collect())
    }

    fn detail(&self) -> Detail {
        let all = |items: &[Self]| Detail::List(items.iter().map(Self::detail).collect());
        let (name, value) = match self {
            Self::Null => ("null", Detail::Map(Vec::new())),
            Self::Bool(value) => ("boolean", Detail::Bool(*value)),
            Self::Number(text) => ("number", Detail::Number(text.clone())),
            Self::String(text) => ("string", Detail::Text(text.clone())),
            Self::Var(name, _) => ("var", Detail::Text(name.clone())),
            Self::Ref(parts) => ("ref", all(parts)),
            Self::Call(parts) => ("call", all(parts)),
            Self::Array(items) => ("array", all(items)),
            Self::Set(items) => ("set", all(items)),
            Self::Object(entries) => {
                let pair = |(key, value): &(Self, Self)| Detail::List(vec![key.detail(), value.detail()]);
                ("object", Detail::List(entries.iter().map(pair).collect()))
            }
            Self::Closure(name, text) => (*name, Detail::Text(text.clone())),
        };
        Detail::Map(vec![("type".to_owned(), Detail::Text(name.to_owned())), ("value".to_owned(), value)])
    }
}

fn push_ref(parts: &[Written], out: &mut String) {
    let Some((head, parts)) = parts.split_first() else { return };
    head.push(out);
    for part in parts {
        match part {
            Written::String(text) => show::push_key(text, out),
            _ => {
                out.push('[');
                part.push(out);
                out.push(']');
            }
        }
    }
}

fn push_list(items: &[Written], [open, close]: [&str; 2], out: &mut String) {
    out.push_str(open);
    for (idx, item) in items.iter().enumerate() {
        if idx > 0 {
            out.push_str(", ");
        }
        item.push(out);
    }
    out.push_str(close);
}

impl Key {
    /// Returns the text of the constant.
    pub(crate) fn to_rego(&self) -> String {
        let mut out = String::new();
        self.written().push(&mut out);
        out
    }

    fn written(&self) -> Written {
        match self {
            Self::Null => Written::Null,
            Self::Bool(value) => Written::Bool(*value),
            Self::Number(text) => Written::Number(text.to_string()),
            Self::String(text) => Written::String(text.to_string()),
            Self::Array(items) => Written::Array(items.iter().map(Self::written).collect()),
            Self::Object(entries) => {
                Written::Object(entries.iter().map(|(key, value)| (key.written(), value.written())).collect())
            }
        }
    }
}
