//! Reading of one table: its keys, the defaults of missing keys, and unknown keys.

use crate::codes;
use crate::context::Facts;
use crate::doc::TableDoc;
use crate::fault::Diagnostic;
use crate::named::NamedValue;
use crate::quantity::Quantity;
use crate::sink::ProblemSink;
use crate::source::SourceRange;
use crate::suggest::{did_you_mean, shortened_for_print, words_in_prose};
use crate::tree::{Table, Value, ValueNode, parse_file};

/// Reads one table.
pub struct Reader<'r, 's> {
    /// The sink to which problems are reported.
    pub sink: &'r mut ProblemSink<'s>,
    /// The facts about the surroundings of the table.
    pub context: &'r Facts,
    /// The dotted path of the table.
    pub path: &'r str,
    /// The table, or `None` if it is not written at all, which is equivalent to an empty table.
    pub table: Option<&'r Table>,
    /// The place to point at if a key is missing.
    pub header: SourceRange,
    /// Keys that are read elsewhere and are known all the same: `kind`.
    pub also_known: &'static [&'static str],
}

impl Reader<'_, '_> {
    fn key_path(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }

    fn node(&self, key: &str) -> Option<&ValueNode> {
        self.table.and_then(|table| table.get(key)).map(|entry| &entry.node)
    }

    fn read<Q: Quantity>(&mut self, key: &str, quantity: &Q) -> Option<Q::Value> {
        let read = quantity.read(self.node(key)?, self.context);
        Some(read.unwrap_or_else(|faults| {
            let path = self.key_path(key);
            for fault in faults {
                self.sink.report(&path, fault);
            }
            quantity.placeholder()
        }))
    }

    /// Reads a table in place of the word under a key; `None` if anything else, or nothing, is written there.
    pub fn read_in_place_of_word<Q: Quantity>(&mut self, key: &str, quantity: &Q) -> Option<Q::Value> {
        let is_table = matches!(self.node(key)?.value, Value::Table(_));
        if is_table { self.read(key, quantity) } else { None }
    }

    /// Reads a required key. `example` is an example of the value, as TOML.
    pub fn read_required<Q: Quantity>(&mut self, key: &str, quantity: &Q, example: &str) -> Q::Value {
        self.read(key, quantity).unwrap_or_else(|| {
            self.report_missing_key(key, example);
            quantity.placeholder()
        })
    }

    /// Reports a missing key.
    pub fn report_missing_key(&mut self, key: &str, example: &str) {
        let message = match self.path {
            "" => format!("the key `{key}` is missing"),
            path => format!("`{path}` lacks the key `{key}`"),
        };
        let fault = Diagnostic::new(codes::MISSING_KEY, self.header, message)
            .with_label(format!("`{key}` must be given"))
            .with_help(format!("add {key} = {example}"));
        let path = self.key_path(key);
        self.sink.report(&path, fault);
    }

    /// Reads a key with a default, which is TOML as in a file.
    pub fn read_or_default<Q: Quantity>(&mut self, key: &str, quantity: &Q, default: &str) -> Q::Value {
        if let Some(value) = self.read(key, quantity) {
            return value;
        }
        // A test parses every default, so the placeholder is never used here.
        read_default(quantity, default, self.context).unwrap_or_else(|| quantity.placeholder())
    }

    /// Reads a key that has the value of another key unless it is written.
    pub fn read_or_follow<Q: Quantity>(&mut self, key: &str, quantity: &Q, followed: Q::Value) -> Q::Value {
        self.read(key, quantity).unwrap_or(followed)
    }

    /// Reads a table within this one, whose keys `read` reads.
    pub fn read_table<T>(&mut self, key: &str, read: impl FnOnce(&mut Reader<'_, '_>) -> T) -> T {
        let path = self.key_path(key);
        let entry = self.table.and_then(|table| table.get(key));
        let (table, header) = match entry.map(|entry| (&entry.node.value, entry)) {
            Some((Value::Table(table), entry)) => (Some(table), entry.key_place),
            Some((_, entry)) => {
                let message = format!("`{path}` is a table of settings, not {}", entry.node.noun_in_prose());
                let fault = Diagnostic::new(codes::NOT_A_TABLE, entry.node.place, message)
                    .with_label(format!("the settings stand below [{path}]"));
                self.sink.report(&path, fault);
                (None, entry.key_place)
            }
            None => (None, self.header),
        };
        let context = self.context.facts_of_table(key);
        read(&mut Reader { sink: self.sink, context, path: &path, table, header, also_known: &[] })
    }

    /// Reads tables within this one under a common key, each with a name of its own; in the order of the file.
    pub fn read_named_tables<T>(
        &mut self,
        key: &str,
        read: impl Fn(&mut Reader<'_, '_>) -> T,
    ) -> Vec<NamedValue<T>> {
        self.read_table(key, |reader| {
            let entries = reader.table.map_or(&[][..], |table| &table.entries);
            let mut all = Vec::with_capacity(entries.len());
            for entry in entries {
                if !is_valid_name(&entry.key) {
                    let path = reader.key_path(&shortened_for_print(&entry.key));
                    let fault = Diagnostic::new(
                        codes::BAD_NAME,
                        entry.key_place,
                        format!("`{}` cannot be a name", shortened_for_print(&entry.key)),
                    )
                    .with_label("use letters, digits, `-` and `_`");
                    reader.sink.report(&path, fault);
                    continue;
                }
                all.push(NamedValue {
                    name: entry.key.clone(),
                    described: reader.read_table(&entry.key, &read),
                });
            }
            all
        })
    }

    /// Reports unknown keys: the known ones are `keys`, which `describe` documents. `finish` has to be called last.
    pub fn report_unknown_keys(&mut self, keys: &[&'static str], describe: fn() -> TableDoc) {
        for entry in self.table.iter().flat_map(|table| &table.entries) {
            let key = entry.key.as_str();
            if keys.contains(&key) || self.also_known.contains(&key) {
                continue;
            }
            let path = self.key_path(&shortened_for_print(key));
            let table = describe();
            if let Some(removed) = table.removed.iter().find(|removed| removed.name == key) {
                let fault = Diagnostic::new(
                    codes::REMOVED_KEY,
                    entry.key_place,
                    format!("`{path}` is not there any more, since {}", removed.since),
                )
                .with_label("removed")
                .with_help(removed.instead);
                self.sink.report(&path, fault);
                continue;
            }
            if let Some(renamed) = table.renamed.iter().find(|renamed| renamed.was == key) {
                let now = self.key_path(renamed.now);
                let message = format!("`{path}` is called `{now}` since format 1");
                let fault = Diagnostic::new(codes::REMOVED_KEY, entry.key_place, message)
                    .with_label(format!("write {}", renamed.now))
                    .with_help("`sansim migrate FILE` rewrites the whole file, comments kept");
                self.sink.report(&path, fault);
                continue;
            }
            let known: Vec<String> = table.key_paths();
            let here = keys.iter().chain(self.also_known).copied();
            let deeper = known.iter().find(|path| path.rsplit('.').next() == Some(key) && path.contains('.'));
            let help = did_you_mean(key, here.clone())
                .or_else(|| deeper.map(|path| format!("did you mean `{}`?", self.key_path(path))))
                .or_else(|| {
                    did_you_mean(key, known.iter().map(|path| path.rsplit('.').next().unwrap_or(path)))
                })
                .unwrap_or_else(|| format!("known here: {}", words_in_prose(here)));
            let owner = if self.path.is_empty() { "this table" } else { self.path };
            let fault = Diagnostic::new(
                codes::UNKNOWN_KEY,
                entry.key_place,
                format!("`{owner}` has no key `{}`", shortened_for_print(key)),
            )
            .with_label("unknown key")
            .with_help(help);
            self.sink.report(&path, fault);
        }
    }
}

/// Whether a text can be a name: letters, digits, `-` and `_`.
pub fn is_valid_name(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-' || byte == b'_')
}

/// Reads a default, which is TOML text.
pub fn read_default<Q: Quantity>(quantity: &Q, default: &str, context: &Facts) -> Option<Q::Value> {
    let mut ignored = Vec::new();
    let table = parse_file(&format!("value = {default}"), &mut ignored);
    quantity.read(&table.get("value")?.node, context).ok()
}
