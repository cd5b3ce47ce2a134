//! Metadata blocks as JSON: fields that hold nothing are left out, keys are sorted.
//!
//! Apart because a block is YAML that OPA reads into types of its own: authors are taken apart,
//! addresses written anew, references parsed. The parser has checked all of it.

use crate::{
    ast::{Annotation, Yaml, YamlKind},
    shape::{Builder, Locator, Term, Value},
    tree_json::{nodes::Writer, parse_small, text},
};

impl Writer<'_> {
    /// Writes a block.
    pub(crate) fn annotation(&mut self, annotation: &Annotation) {
        self.out.push('{');
        self.entries("authors", annotation, Self::author);
        if let Some(compile @ Yaml { kind: YamlKind::Map(_), .. }) = annotation.field("compile") {
            self.key("compile");
            self.compile(compile);
        }
        self.map("custom", annotation);
        self.words("description", annotation);
        if annotation.entrypoint {
            self.key("entrypoint");
            self.out.push_str("true");
        }
        self.map("labels", annotation);
        if self.options.locations {
            let span = annotation.span;
            self.key("location");
            let block = self.block_text(span);
            self.place(span.start, &block);
        }
        self.entries("organizations", annotation, |it, yaml| text::string(&mut it.out, &scalar_text(yaml)));
        self.entries("related_resources", annotation, Self::related);
        self.entries("schemas", annotation, Self::schema);
        self.key("scope");
        text::string(&mut self.out, &annotation.scope);
        self.words("title", annotation);
        self.out.push('}');
    }

    /// Writes a list if it holds anything.
    fn entries(&mut self, name: &str, annotation: &Annotation, item: impl FnMut(&mut Self, &Yaml)) {
        if let Some(Yaml { kind: YamlKind::List(items), .. }) = annotation.field(name)
            && !items.is_empty()
        {
            self.key(name);
            self.list(items, item);
        }
    }

    /// Writes a text if there is one.
    fn words(&mut self, name: &str, annotation: &Annotation) {
        let words = annotation.field(name).map(scalar_text).unwrap_or_default();
        if !words.is_empty() {
            self.key(name);
            text::string(&mut self.out, &words);
        }
    }

    /// Writes a map if it holds anything.
    fn map(&mut self, name: &str, annotation: &Annotation) {
        if let Some(yaml @ Yaml { kind: YamlKind::Map(entries), .. }) = annotation.field(name)
            && !entries.is_empty()
        {
            self.key(name);
            self.yaml(yaml);
        }
    }

    fn yaml(&mut self, yaml: &Yaml) {
        match &yaml.kind {
            YamlKind::Null => self.out.push_str("null"),
            YamlKind::Bool(value) => self.out.push_str(if *value { "true" } else { "false" }),
            YamlKind::Number(number) => text::yaml_number(&mut self.out, number),
            YamlKind::String(string) => text::string(&mut self.out, string),
            YamlKind::List(items) => self.list(items, Self::yaml),
            YamlKind::Map(entries) => {
                let mut sorted: Vec<_> =
                    entries.iter().map(|(key, value)| (scalar_text(key), value)).collect();
                sorted.sort_by(|a, b| a.0.cmp(&b.0));
                self.out.push('{');
                for (key, value) in sorted {
                    self.key(&key);
                    self.yaml(value);
                }
                self.out.push('}');
            }
        }
    }

    /// Writes an author: the last word of a text may be an address.
    fn author(&mut self, yaml: &Yaml) {
        let (name, email) = match yaml.as_str() {
            Some(author) => {
                let mut words: Vec<&str> = author.split_whitespace().collect();
                let last = words.last().and_then(|last| last.strip_prefix('<')?.strip_suffix('>'));
                if last.is_some() {
                    words.pop();
                }
                (words.join(" "), last.unwrap_or_default().to_owned())
            }
            None => (trimmed(yaml, "name"), trimmed(yaml, "email")),
        };
        self.out.push('{');
        self.key("name");
        text::string(&mut self.out, &name);
        if !email.is_empty() {
            self.key("email");
            text::string(&mut self.out, &email);
        }
        self.out.push('}');
    }

    fn related(&mut self, yaml: &Yaml) {
        let (description, address) = match yaml.as_str() {
            Some(address) => (String::new(), address.to_owned()),
            None => (trimmed(yaml, "description"), trimmed(yaml, "ref")),
        };
        self.out.push('{');
        if !description.is_empty() {
            self.key("description");
            text::string(&mut self.out, &description);
        }
        self.key("ref");
        text::string(&mut self.out, &address);
        self.out.push('}');
    }

    fn schema(&mut self, yaml: &Yaml) {
        let YamlKind::Map(entries) = &yaml.kind else {
            return self.out.push_str("{\"path\":null}");
        };
        let Some((path, schema)) = entries.first() else {
            return self.out.push_str("{\"path\":null}");
        };
        self.out.push('{');
        self.key("path");
        let locations = std::mem::replace(&mut self.options.locations, false);
        self.reference(&scalar_text(path));
        self.options.locations = locations;
        match schema.as_str() {
            Some("schema") => {
                // OPA has this one ready, without a place.
                self.key("schema");
                self.out.push_str("[{\"type\":\"var\",\"value\":\"schema\"}]");
            }
            Some(reference) => {
                self.key("schema");
                self.reference(reference);
            }
            None => {
                self.key("definition");
                self.yaml(schema);
            }
        }
        self.out.push('}');
    }

    fn compile(&mut self, yaml: &Yaml) {
        self.out.push('{');
        if let Some(Yaml { kind: YamlKind::List(unknowns), .. }) = yaml.get("unknowns")
            && !unknowns.is_empty()
        {
            self.key("unknowns");
            self.list(unknowns, |it, unknown| match unknown.as_str() {
                Some(reference) => it.reference(reference),
                None => it.out.push_str("null"),
            });
        }
        if let Some(mask) = yaml.get("mask_rule").and_then(Yaml::as_str) {
            self.key("mask_rule");
            self.reference(mask);
        }
        self.out.push('}');
    }

    /// Parses a reference and writes its terms; a lone name is one of a single part.
    fn reference(&mut self, reference: &str) {
        let Some((source, term)) = parse_small(reference) else {
            return self.out.push_str("null");
        };
        let builder = Builder { at: Locator { source: &source, comments: &[] }, fixed: None };
        let shaped = builder.term(&term);
        let mut inner = Writer::new(&source, self.options);
        match shaped {
            Term { value: Value::Ref(parts), .. } => inner.terms(&parts),
            other => inner.terms(&[other]),
        }
        self.out.push_str(&inner.out);
    }
}

/// Returns the text of a scalar.
fn scalar_text(yaml: &Yaml) -> String {
    match &yaml.kind {
        YamlKind::String(text) | YamlKind::Number(text) => text.to_string(),
        YamlKind::Bool(value) => value.to_string(),
        YamlKind::Null | YamlKind::List(_) | YamlKind::Map(_) => String::new(),
    }
}

fn trimmed(yaml: &Yaml, field: &str) -> String {
    yaml.get(field).and_then(Yaml::as_str).unwrap_or_default().trim().to_owned()
}
