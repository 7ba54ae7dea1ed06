//! The descriptions of the keys of a table, for the schema and the reference.

use crate::decision::DecisionDoc;
use crate::tree::{Table, Value};
use crate::words::WordDoc;
use serde_json::Value as Json;

/// The description of a table and its keys.
pub struct TableDoc {
    /// The meaning of the table.
    pub doc: String,
    /// The keys that hold values.
    pub fields: Vec<FieldDoc>,
    /// The tables within it.
    pub tables: Vec<InnerDoc>,
    /// The variants of the table, if it has variants; the keys above are those that all variants have.
    pub variants: Vec<VariantDoc>,
    /// The JSON Schema of a value in place of the word that selects a variant, if there may be one; the table then has no other keys.
    pub in_place_of_word: Option<Json>,
    /// The keys that earlier versions had in this table.
    pub removed: Vec<RemovedDoc>,
    /// The keys that had another name in format 0.
    pub renamed: Vec<RenamedDoc>,
}

/// A key that had another name in format 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenamedDoc {
    /// The name of the key in format 0.
    pub was: &'static str,
    /// The present name of the key.
    pub now: &'static str,
}

/// A key that earlier versions had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovedDoc {
    /// The name of the key.
    pub name: &'static str,
    /// The first day on which the key did not exist any more, such as `2026-11-29`.
    pub since: &'static str,
    /// The reason for the removal, and what to write instead.
    pub instead: &'static str,
}

/// A variant of a table, selected by a word.
pub struct VariantDoc {
    /// The key that holds the word.
    pub key: &'static str,
    /// The word that selects the variant.
    pub word: &'static str,
    /// The meaning of the variant and its other keys.
    pub table: TableDoc,
}

/// A table within another one.
pub struct InnerDoc {
    /// The name of the inner table.
    pub name: &'static str,
    /// The form in which the inner table is written.
    pub stands: TablePlacement,
    /// Whether the inner table has to be there.
    pub need: TableNeed,
    /// The meaning of several inner tables together.
    pub doc: String,
    /// The meaning of the inner table and its keys.
    pub table: TableDoc,
}

/// The form of a table within another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TablePlacement {
    /// A single table: `[lamp.bulb]`.
    Once,
    /// Several tables, each with a name of its own: `[lamp.bulbs.NAME]`.
    Named,
    /// A list of tables: `[[lamp.bulbs]]`.
    Listed,
}

/// Whether a table within another one has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TableNeed {
    /// The table may be left out, and may be empty.
    Any,
    /// The table may be left out; if it is there, it has at least one entry.
    Some,
    /// The table has to be there with at least one entry.
    Required,
}

/// The documentation of one key.
pub struct FieldDoc {
    /// The name of the key.
    pub name: &'static str,
    /// The meaning of the key.
    pub doc: String,
    /// The source of the default.
    pub source: &'static str,
    /// The form of the key's value, in words.
    pub written: String,
    /// The JSON Schema of the key's value.
    pub schema: Json,
    /// The words that the value may be; none where it is no word.
    pub words: Vec<WordDoc>,
    /// The decision for which the value names a rule, if it does.
    pub decision: Option<DecisionDoc>,
    /// The value of the key if it is left out.
    pub default: DefaultDoc,
    /// Whether an event may change the value of the key during a run.
    pub changes: bool,
}

/// The value of a key that is left out.
#[derive(Clone, Copy)]
pub enum DefaultDoc {
    /// The key has no default: it must be written. The text is an example, as TOML.
    Required(&'static str),
    /// The default is this value, as TOML.
    Is(&'static str),
    /// The default is this word.
    Word(&'static str),
    /// The default is the value of another key, in words.
    Follows(&'static str),
    /// The key is optional; the words say what applies without it, and are empty where that is obvious.
    Optional(&'static str),
    /// The key must be written in the cases that these words give.
    Needed(&'static str),
}

impl TableDoc {
    /// The dotted paths of all keys and tables below this one.
    pub fn key_paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.fields.iter().map(|field| field.name.to_owned()).collect();
        for inner in &self.tables {
            paths.push(inner.name.to_owned());
            paths.extend(inner.table.key_paths().iter().map(|path| format!("{}.{path}", inner.name)));
        }
        paths.extend(self.variants.iter().flat_map(|variant| variant.table.key_paths()));
        paths
    }

    /// The dotted paths of all keys that an event may change, of a component whose table is `written`: tables with names of their own are
    /// those that are written, and of variants the one that is written counts.
    pub fn changing_keys(&self, written: Option<&Table>) -> Vec<String> {
        let mut keys: Vec<String> =
            self.fields.iter().filter(|field| field.changes).map(|field| field.name.to_owned()).collect();
        for inner in &self.tables {
            let below = written_table(written, inner.name);
            let mut add = |path: &str, below: Option<&Table>| {
                keys.extend(inner.table.changing_keys(below).into_iter().map(|key| format!("{path}.{key}")));
            };
            if inner.stands == TablePlacement::Named {
                for entry in below.iter().flat_map(|below| &below.entries) {
                    add(&format!("{}.{}", inner.name, entry.key), written_table(below, &entry.key));
                }
            } else {
                add(inner.name, below);
            }
        }
        keys.extend(self.variant_in(written).into_iter().flat_map(|variant| variant.changing_keys(written)));
        keys
    }

    /// The documentation of the key at a path, of a component whose table is `written`, by the rules of [`TableDoc::changing_keys`].
    pub fn field_at(&self, path: &[&str], written: Option<&Table>) -> Option<&FieldDoc> {
        let (&first, behind) = path.split_first()?;
        let own = || match behind {
            [] => self.fields.iter().find(|field| field.name == first),
            _ => {
                let inner = self.tables.iter().find(|inner| inner.name == first)?;
                let below = written_table(written, first);
                if inner.stands == TablePlacement::Named {
                    let (&name, behind) = behind.split_first()?;
                    inner.table.field_at(behind, Some(written_table(below, name)?))
                } else {
                    inner.table.field_at(behind, below)
                }
            }
        };
        own().or_else(|| self.variant_in(written)?.field_at(path, written))
    }

    /// The variant of the table that is written, or that applies if its word is left out.
    fn variant_in(&self, written: Option<&Table>) -> Option<&TableDoc> {
        let key = self.variants.first()?.key;
        let word = written.and_then(|table| table.get(key)?.node.text());
        let by_default = self.fields.iter().find_map(|field| match field.default {
            DefaultDoc::Word(word) if field.name == key => Some(word),
            _ => None,
        });
        let word = word.map(str::trim).or(by_default)?;
        self.variants.iter().find(|variant| variant.word == word).map(|variant| &variant.table)
    }

    /// The tables below this one, which is at a path: each with its own path, `NAME` for any name, the outer tables before the inner.
    pub fn inner_tables(&self, path: &str) -> Vec<(String, &InnerDoc)> {
        let mut found = Vec::new();
        for inner in &self.tables {
            let path = inner.path(path);
            found.push((path.clone(), inner));
            found.extend(inner.table.inner_tables(&path));
        }
        found
    }
}

impl InnerDoc {
    /// A table that occurs once in another one and may be left out.
    pub fn optional_table(name: &'static str, table: TableDoc) -> InnerDoc {
        InnerDoc { name, stands: TablePlacement::Once, need: TableNeed::Any, doc: String::new(), table }
    }

    /// The path of the keys of the inner table, in a table with this path.
    pub fn path(&self, outer: &str) -> String {
        let dot = if outer.is_empty() { "" } else { "." };
        let any = if self.stands == TablePlacement::Named { ".NAME" } else { "" };
        format!("{outer}{dot}{}{any}", self.name)
    }
}

/// The table with this name in another one, if it is written.
fn written_table<'t>(table: Option<&'t Table>, name: &str) -> Option<&'t Table> {
    match &table?.get(name)?.node.value {
        Value::Table(inner) => Some(inner),
        _ => None,
    }
}

/// The sentence behind the meaning of a key that may change during a run.
const MAY_CHANGE: &str = " An event may change it during a run.";

impl FieldDoc {
    /// The meaning of the key, with the remark that it may change, if it may.
    pub fn full_doc(&self) -> String {
        format!("{}{}", self.doc, if self.changes { MAY_CHANGE } else { "" })
    }

    /// Whether the value of the key is a table with the user's own keys.
    pub fn is_table(&self) -> bool {
        self.schema.get("type").is_some_and(|kind| kind == "object")
    }
}

/// The lines of a doc comment as one text.
pub fn join_doc_lines(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ").trim().to_owned()
}
