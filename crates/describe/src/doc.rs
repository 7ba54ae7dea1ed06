//! What is known about the keys of a table, for the schema and the reference.

use serde_json::Value as Json;

/// What a table means and which keys it has.
pub struct TableDoc {
    /// What it means.
    pub doc: String,
    /// The keys that hold values.
    pub fields: Vec<FieldDoc>,
    /// Name and content of the tables within.
    pub tables: Vec<(&'static str, TableDoc)>,
}

/// All that is known about one key.
pub struct FieldDoc {
    /// Its name.
    pub name: &'static str,
    /// What it means.
    pub doc: String,
    /// Where that comes from.
    pub source: &'static str,
    /// What is written, in words.
    pub written: String,
    /// The JSON Schema of what is written.
    pub schema: Json,
    /// What counts when it is left out.
    pub default: DefaultDoc,
}

/// What counts when a key is left out.
#[derive(Clone, Copy)]
pub enum DefaultDoc {
    /// Nothing: it must be written. The text is an example, as TOML.
    Required(&'static str),
    /// This value, as TOML.
    Is(&'static str),
    /// What another key says, in words.
    Follows(&'static str),
}

impl TableDoc {
    /// The dotted paths of all keys and tables below this one.
    pub fn paths(&self) -> Vec<String> {
        let mut paths: Vec<String> = self.fields.iter().map(|field| field.name.to_owned()).collect();
        for (name, table) in &self.tables {
            paths.push((*name).to_owned());
            paths.extend(table.paths().iter().map(|path| format!("{name}.{path}")));
        }
        paths
    }
}

/// Doc-comment lines as one text.
pub fn joined(lines: &[&str]) -> String {
    let lines: Vec<&str> = lines.iter().map(|line| line.trim()).collect();
    lines.join(" ").trim().to_owned()
}
