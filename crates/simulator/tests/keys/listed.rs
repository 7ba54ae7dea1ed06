//! Every key that a scenario can have, from the tables of the kinds.

use sansim_fcp::adapter::UnitSizes;
use sansim_registry::KINDS;
use sansim_scenario::RunSettings;
use sansim_schema::doc::{DefaultDoc, FieldDoc, TableDoc, TablePlacement};
use sansim_schema::table::Tabular;

/// A key of a kind.
#[derive(Clone, Debug)]
pub struct Key {
    /// The word for the kind of component; `run` and `fcp` are the kinds of the tables with these names.
    pub kind: &'static str,
    /// The dotted path of the key in the table of the component, with `NAME` in place of names.
    pub path: String,
    /// The form of the key's values, in words.
    pub written: String,
    /// The words that the key accepts.
    pub words: Vec<&'static str>,
    /// The default value, if there is one.
    pub default: Option<&'static str>,
    /// The settings under which the key exists: the variant of its table, and the settings that the variant
    /// needs.
    pub with: Vec<(String, String)>,
}

impl Key {
    /// The kind and the path, by which tables of these tests name the key.
    pub fn name(&self) -> String {
        format!("{}.{}", self.kind, self.path)
    }
}

/// All keys, in the order of the reference.
pub fn all() -> Vec<Key> {
    let mut keys = Vec::new();
    add(&mut keys, "run", "", &RunSettings::describe(), &[]);
    add(&mut keys, "fcp", "", &UnitSizes::describe(), &[]);
    for kind in KINDS {
        add(&mut keys, kind.word, "", &(kind.describe)(), &[]);
    }
    keys
}

fn add(keys: &mut Vec<Key>, kind: &'static str, path: &str, table: &TableDoc, with: &[(String, String)]) {
    let full = |name: &str| if path.is_empty() { name.to_owned() } else { format!("{path}.{name}") };
    for field in &table.fields {
        keys.push(key(kind, full(field.name), field, with));
    }
    for variant in &table.variants {
        let word = format!("\"{}\"", variant.word);
        let mut with = with.to_vec();
        with.push((full(variant.key), word));
        for field in &variant.table.fields {
            if let DefaultDoc::Required(example) = field.default {
                with.push((full(field.name), example.to_owned()));
            }
        }
        add(keys, kind, path, &variant.table, &with);
    }
    for inner in &table.tables {
        assert!(
            inner.stands != TablePlacement::Listed,
            "a scenario has no lists of tables within components"
        );
        add(keys, kind, &full_path(path, inner.name, inner.stands), &inner.table, with);
    }
}

fn full_path(path: &str, name: &str, stands: TablePlacement) -> String {
    let any = if stands == TablePlacement::Named { ".NAME" } else { "" };
    let dot = if path.is_empty() { "" } else { "." };
    format!("{path}{dot}{name}{any}")
}

fn key(kind: &'static str, path: String, field: &FieldDoc, with: &[(String, String)]) -> Key {
    let default = match field.default {
        DefaultDoc::Required(text) | DefaultDoc::Is(text) => Some(text),
        _ => None,
    };
    let words = field.words.iter().map(|word| word.word).collect();
    Key { kind, path, written: field.written.clone(), words, default, with: with.to_vec() }
}
