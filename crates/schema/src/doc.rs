//! The descriptions of the keys of a table, for the schema and the reference.

use crate::words::WordDoc;
use serde_json::Value as Json;

/// The description of a table and its keys.
pub struct TableDoc {
    /// Its meaning.
    pub doc: String,
    /// The keys that hold values.
    pub fields: Vec<FieldDoc>,
    /// The tables within.
    pub tables: Vec<InnerDoc>,
    /// Those of which it is one, if it is one of several; the keys above are what they have in common.
    pub variants: Vec<VariantDoc>,
    /// The keys that earlier versions had here.
    pub removed: Vec<RemovedDoc>,
    /// The keys that had another name in format 0.
    pub renamed: Vec<RenamedDoc>,
}

/// A key that had another name in format 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RenamedDoc {
    /// Its name there.
    pub was: &'static str,
    /// Its name now.
    pub now: &'static str,
}

/// A key that earlier versions had.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RemovedDoc {
    /// Its name.
    pub name: &'static str,
    /// The first day on which it was not there any more, as `2026-11-29`.
    pub since: &'static str,
    /// Why, and what to write instead.
    pub instead: &'static str,
}

/// One of several tables, selected by a word.
pub struct VariantDoc {
    /// The key with the word.
    pub key: &'static str,
    /// The word.
    pub word: &'static str,
    /// Its meaning and its other keys.
    pub table: TableDoc,
}

/// A table within another one.
pub struct InnerDoc {
    /// Its name.
    pub name: &'static str,
    /// How it is written there.
    pub stands: TablePlacement,
    /// Whether there has to be one.
    pub need: Need,
    /// Where there may be several: what they are together.
    pub doc: String,
    /// Its meaning and its keys.
    pub table: TableDoc,
}

/// The position of a table within another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TablePlacement {
    /// One table: `[lamp.bulb]`.
    Once,
    /// Several, each with a name of its own: `[lamp.bulbs.NAME]`.
    Named,
    /// A list of them: `[[lamp.bulbs]]`.
    Listed,
}

/// Whether a table within another one has to be there.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Need {
    /// It may be left out, and it may be empty.
    Any,
    /// It may be left out; if it is there, it has at least one entry.
    Some,
    /// It has to be there with at least one.
    Required,
}

/// All that is known about one key.
pub struct FieldDoc {
    /// Its name.
    pub name: &'static str,
    /// Its meaning.
    pub doc: String,
    /// Where that comes from.
    pub source: &'static str,
    /// The form of its value, in words.
    pub written: String,
    /// The JSON Schema of what is written.
    pub schema: Json,
    /// The words that may be written; none where it is no word.
    pub words: Vec<WordDoc>,
    /// The value if it is left out.
    pub default: DefaultDoc,
}

/// The value of a key that is left out.
#[derive(Clone, Copy)]
pub enum DefaultDoc {
    /// Nothing: it must be written. The text is an example, as TOML.
    Required(&'static str),
    /// This value, as TOML.
    Is(&'static str),
    /// This word.
    Word(&'static str),
    /// The value of another key, in words.
    Follows(&'static str),
    /// Whatever these words say; no words where that goes without saying.
    Optional(&'static str),
    /// Nothing: it must be written where these words say.
    Needed(&'static str),
}

impl TableDoc {
    /// The dotted paths of all keys and tables below this one.
    pub fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.fields.iter().map(|field| field.name.to_owned()).collect();
        for inner in &self.tables {
            paths.push(inner.name.to_owned());
            paths.extend(inner.table.paths().iter().map(|path| format!("{}.{path}", inner.name)));
        }
        paths.extend(self.variants.iter().flat_map(|variant| variant.table.paths()));
        paths
    }

    /// The tables below this one, which is at a path: each with its own path, `NAME` for any name, the outer before the inner.
    pub fn below(&self, path: &str) -> Vec<(String, &InnerDoc)> {
        let mut found = Vec::new();
        for inner in &self.tables {
            let path = inner.path(path);
            found.push((path.clone(), inner));
            found.extend(inner.table.below(&path));
        }
        found
    }
}

impl InnerDoc {
    /// A table that occurs once in another one and may be left out.
    pub fn once(name: &'static str, table: TableDoc) -> InnerDoc {
        InnerDoc { name, stands: TablePlacement::Once, need: Need::Any, doc: String::new(), table }
    }

    /// The path of the keys in it, in a table with a path.
    pub fn path(&self, outer: &str) -> String {
        let dot = if outer.is_empty() { "" } else { "." };
        let any = if self.stands == TablePlacement::Named { ".NAME" } else { "" };
        format!("{outer}{dot}{}{any}", self.name)
    }
}

impl FieldDoc {
    /// Whether the value is a table with the user's own keys.
    pub fn is_table(&self) -> bool {
        self.schema.get("type").is_some_and(|kind| kind == "object")
    }
}

/// Doc-comment lines as one text.
pub fn joined(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ").trim().to_owned()
}
