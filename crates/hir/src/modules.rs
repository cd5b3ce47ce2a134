//! All modules through all stages.
//!
//! Modules share the index and are lowered one by one; the checks that need all of them come last.

use std::sync::Arc;

use lictor_syntax::{Diagnostic, ast, diagnostics::codes};

use crate::{
    Lowered, Modules, Options,
    annotations::AnnotationSet,
    check::{
        Types,
        overrides::Overrides,
        rules::{self, Given},
    },
    conflicts, dependencies,
    diagnostics::{Sink, Stage},
    draft,
    dynamic::Dynamic,
    finish::{self, Finish},
    functions::Functions,
    hoist,
    index::{self, Entry, Index},
    locals::{Found, Lowering},
    metadata, overrides,
    prints::Prints,
    recursion::{self, Graph},
    resolve::{self, Context, Globals},
    safety::{self, heads},
    show,
    templates::Templates,
    test_cases,
    tree::{FileId, Group, GroupId, Hir, Rule, RuleId},
    vars::{self, View},
    varset::VarSet,
    workers::map_parts,
};

/// Lowers and checks modules.
pub(crate) fn lower(modules: &Arc<Modules>, options: &Options<'_>) -> Lowered {
    let index = index::build(modules);
    let modules: Vec<&ast::Module> = modules.iter().collect();
    let mut sink = Sink::new(options.lenient);
    let (annotations, faults) = AnnotationSet::build(&modules);
    faults.into_iter().for_each(|it| sink.stop(Stage::Annotations, it));
    let part = |part| Part::lower(Context { index: &index, options }, &modules, &annotations, part);
    let parts = map_parts(options.workers, (modules.len(), PART_MODULES_MIN), &part);
    let Part { rules, graph, sink: found } = Part::together(parts);
    sink.append(found);
    conflicts::check(&index, &modules, &mut sink);
    let cycles = graph.cycles(&index);
    if !cycles.is_empty() {
        let ctx = Context { index: &index, options };
        let draft = |rule| redraft(ctx, &modules, rule);
        recursion::report::report(ctx, &modules, &cycles, &draft, &mut sink);
    }
    let has_cycles = !cycles.is_empty();
    let hir = Hir {
        sources: modules.iter().map(|it| Arc::clone(&it.source)).collect(),
        rules,
        groups: groups(&index),
        packages: packages(&modules),
        print: options.print,
    };
    sink.drop_deprecated_unless_needed();
    let mut types = input_types(options, &mut sink);
    if !has_cycles && !sink.ends_before(Stage::Types) {
        let overrides = Overrides::new(&modules, &annotations, options.schemas);
        let given = Given {
            hir: &hir,
            index: &index,
            graph: &graph,
            capabilities: options.capabilities,
            overrides: &overrides,
        };
        let (found, faults) = rules::check(&given, types);
        types = found;
        faults.into_iter().for_each(|it| sink.go_on(Stage::Types, it));
    }
    types.graph = graph;
    Lowered { hir, types, index, diagnostics: sink.finish(options.error_limit) }
}

/// Modules that are lowered together at least: fewer are not worth another thread.
const PART_MODULES_MIN: usize = 16;

/// What some modules were lowered to.
#[derive(Default)]
struct Part {
    rules: Vec<Rule>,
    graph: Graph,
    sink: Sink,
}

impl Part {
    /// Lowers the modules of a range.
    fn lower(
        ctx: Context<'_>,
        modules: &[&ast::Module],
        annotations: &AnnotationSet<'_>,
        range: std::ops::Range<usize>,
    ) -> Self {
        let first = |at: usize| ctx.index.first_rule.get(at).copied().unwrap_or(ctx.index.rule_count());
        let rules = Vec::with_capacity(first(range.end).saturating_sub(first(range.start)));
        let mut out = Self { rules, sink: Sink::new(ctx.options.lenient), ..Self::default() };
        for (at, module) in modules.iter().enumerate().take(range.end).skip(range.start) {
            let globals = Globals::of(ctx.index, &module.package, &module.imports);
            let mut one = Module {
                ctx,
                at,
                module,
                globals: &globals,
                annotations,
                sink: &mut out.sink,
                shared_rows: None,
                shown: (None, String::new()),
            };
            one.lower(&mut out.rules, &mut out.graph);
        }
        out
    }

    /// Puts parts together, which come in the order of their modules.
    fn together(parts: Vec<Self>) -> Self {
        let count: usize = parts.iter().map(|it| it.rules.len()).sum();
        let mut parts = parts.into_iter();
        let mut all = parts.next().unwrap_or_default();
        all.rules.reserve_exact(count - all.rules.len());
        for mut part in parts {
            all.rules.append(&mut part.rules);
            all.graph.append(part.graph);
            all.sink.append(part.sink);
        }
        all
    }
}

/// Starts with what the schema of the input says, if there is one.
fn input_types(options: &Options<'_>, sink: &mut Sink) -> Types {
    match options.schemas.and_then(|it| it.named(&[])) {
        Some(Ok(input)) => Types::with_input(input),
        Some(Err(message)) => {
            let fault = Diagnostic::unplaced(codes::TYPE, "schema", message);
            sink.stop(Stage::ResolveRefs, fault);
            Types::default()
        }
        None => Types::default(),
    }
}

fn groups(index: &Index) -> Vec<Group> {
    let group = |it: &index::GroupEntry| Group {
        path: index.path_texts(it.node),
        kind: it.kind,
        rules: it.rules.clone(),
        default: it.default,
    };
    index.groups.iter().map(group).collect()
}

fn packages(modules: &[&ast::Module]) -> Vec<Vec<Arc<str>>> {
    let path =
        |it: &&ast::Module| it.package.path.iter().filter_map(ast::Term::as_str).map(Arc::from).collect();
    let mut packages: Vec<Vec<Arc<str>>> = modules.iter().map(path).collect();
    packages.sort();
    packages.dedup();
    packages
}

/// Drafts a rule once more, for a report that needs more than the tree holds.
fn redraft(ctx: Context<'_>, modules: &[&ast::Module], rule: RuleId) -> Option<draft::Rule> {
    let entry = ctx.index.rule(rule)?;
    let at = entry.module as usize;
    let module = modules.get(at)?;
    let globals = Globals::of(ctx.index, &module.package, &module.imports);
    let mut sink = Sink::default();
    let mut lowering = Lowering::new(ctx, &module.source, &globals);
    let mut one = Module {
        ctx,
        at,
        module,
        globals: &globals,
        annotations: &AnnotationSet::default(),
        sink: &mut sink,
        shared_rows: None,
        shown: (None, String::new()),
    };
    Some(one.draft(&mut lowering, rule, &entry))
}

fn arguments(draft: &draft::Rule) -> VarSet {
    let mut args = VarSet::default();
    vars::in_terms(&draft.args, View::ALL, &mut args);
    args
}

/// One module on its way.
struct Module<'m, 'a> {
    ctx: Context<'a>,
    at: usize,
    module: &'a ast::Module,
    globals: &'m Globals<'a>,
    annotations: &'m AnnotationSet<'a>,
    sink: &'m mut Sink,
    /// Rows with rules of several names, once somebody asks.
    shared_rows: Option<Vec<u32>>,
    /// The group of the last rule and its path as it is shown.
    shown: (Option<GroupId>, String),
}

impl<'m, 'a: 'm> Module<'m, 'a> {
    fn lower(&mut self, out: &mut Vec<Rule>, graph: &mut Graph) {
        let index = self.ctx.index;
        let first = index.first_rule.get(self.at).copied().unwrap_or(0);
        let globals = self.globals;
        let mut lowering = Lowering::new(self.ctx, &self.module.source, globals);
        for offset in 0..self.module.rules.len() {
            let id = RuleId(u32::try_from(first + offset).unwrap_or(u32::MAX));
            let Some(entry) = index.rule(id) else { continue };
            let draft = self.draft(&mut lowering, id, &entry);
            graph.push(dependencies::of_rule(index, &draft));
            out.push(self.rule(draft, &entry));
        }
        let strict = self.ctx.options.strict;
        if strict {
            globals.check_unused(&self.module.source, &self.module.imports, self.sink);
        }
        if self.is_modern() {
            resolve::check_duplicate_imports(self.module, self.sink);
            overrides::check_module(self.module, self.sink);
        }
    }

    /// Lowers a rule up to where its calls are expressions.
    fn draft<'l>(&mut self, lowering: &mut Lowering<'l>, rule: RuleId, entry: &Entry<'l>) -> draft::Rule {
        let mut draft = lowering.rule(entry, self.sink);
        let Found { templates, prints, metadata, .. } = lowering.found;
        lowering.file_faults(self.sink);
        if self.ctx.options.test_cases {
            test_cases::tell(self.ctx, entry, &lowering.scopes.plain_vars(), &mut draft);
        }
        let args = arguments(&draft);
        if templates {
            self.templates(&mut draft, &args);
        }
        if prints {
            self.prints(&mut draft, &args);
        }
        hoist::rule(&mut draft);
        if metadata {
            let first = self.ctx.index.first_rule.get(self.at).copied().unwrap_or(0);
            let at = (rule.0 as usize).saturating_sub(first);
            metadata::replace(self.ctx, self.annotations, self.module, (at, entry), &mut draft);
        }
        draft
    }

    fn rule(&mut self, mut draft: draft::Rule, entry: &Entry<'a>) -> Rule {
        let args = arguments(&draft);
        let source = &self.module.source;
        let modern = self.is_modern();
        Functions { ctx: self.ctx, source, sink: self.sink, modern, types: None, closed: 0 }.rule(&draft);
        self.safety(&mut draft, entry, &args);
        if self.sink.ends_before(Stage::Types) {
            // Nobody will see it.
            return finish::unseen(self.finisher(), self.ctx.index.group_of_rule(entry), entry.rule);
        }
        let equal = self.ctx.options.capabilities.position("equal");
        let mut dynamic = Dynamic { vars: &mut draft.vars, equal, known: args };
        for branch in &mut draft.branches {
            dynamic.branch(branch);
        }
        self.finish(draft, entry)
    }

    /// Tells whether the module must do without what V1 dropped.
    fn is_modern(&self) -> bool {
        self.ctx.options.strict || self.module.version_max >= ast::RegoVersion::V1
    }

    fn templates(&mut self, draft: &mut draft::Rule, args: &VarSet) {
        let source = &self.module.source;
        let mut templates = Templates { ctx: self.ctx, source, vars: &mut draft.vars, faults: Vec::new() };
        for (at, branch) in draft.branches.iter_mut().enumerate() {
            let known = templates.body(&mut branch.body, args);
            templates.term(&mut branch.value, &known);
            if at == 0 {
                draft.args.iter_mut().for_each(|arg| templates.term(arg, &known));
            }
        }
        for fault in templates.faults {
            self.sink.stop(Stage::TemplateStrings, fault);
        }
    }

    fn prints(&mut self, draft: &mut draft::Rule, args: &VarSet) {
        let source = &self.module.source;
        let (vars, outside) = (&mut draft.vars, args.clone());
        let mut prints = Prints { ctx: self.ctx, source, vars, outside, faults: Vec::new() };
        for branch in &mut draft.branches {
            prints.whole(&mut branch.body);
            prints.value(&mut branch.value);
        }
        for fault in prints.faults {
            self.sink.stop(Stage::PrintCalls, fault);
        }
    }

    fn safety(&mut self, draft: &mut draft::Rule, entry: &Entry<'a>, args: &VarSet) {
        let source = &self.module.source;
        let draft::Rule { keys, branches, vars, .. } = draft;
        for (at, branch) in branches.iter_mut().enumerate() {
            let keys = if at == 0 { keys.as_slice() } else { &[] };
            let open = heads::unsafe_vars(branch, keys, args);
            let found = safety::order(self.ctx, &mut branch.body, args);
            if open.is_empty() && found.is_empty() {
                continue;
            }
            let scope = self.scope_text(entry, branch.span.start);
            for fault in heads::report(source, vars, &open, &scope) {
                self.sink.stop(Stage::HeadSafety, safety::report::with_near(fault, self.globals));
            }
            for fault in safety::report::report(source, vars, &found, &scope) {
                self.sink.stop(Stage::BodySafety, safety::report::with_near(fault, self.globals));
            }
        }
    }

    /// Names the rule if its row holds others.
    fn scope_text(&mut self, entry: &Entry<'_>, offset: u32) -> String {
        let module = self.module;
        let rows = self.shared_rows.get_or_insert_with(|| heads::shared_rows(module));
        let row = module.source.position(offset).row;
        if rows.contains(&row) { format!(" in rule {}", heads::rule_name(entry.rule)) } else { String::new() }
    }

    fn finisher(&self) -> Finish<'a> {
        Finish { ctx: self.ctx, file: FileId(u32::try_from(self.at).unwrap_or(u32::MAX)) }
    }

    fn finish(&mut self, draft: draft::Rule, entry: &Entry<'a>) -> Rule {
        let index = self.ctx.index;
        let rule = entry.rule;
        let finish = self.finisher();
        let group = index.group_of_rule(entry);
        if self.shown.0 != Some(group) {
            self.shown = (Some(group), index.group_text(group));
        }
        let mut shown = self.shown.1.clone();
        let behind = rule.head.reference.parts.get(entry.names..).unwrap_or_default();
        show::push_parts(behind, &mut shown);
        finish::rule(finish, draft, finish::Frame { group, shown: shown.into(), rule })
    }
}
