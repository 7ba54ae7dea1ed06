//! Tests that every default has a source: a publication, or "ours" with the reason, or "none" if the default is the absence of a thing.

use sansim_fcp::adapter::UnitSizes;
use sansim_registry::KINDS;
use sansim_scenario::{RunSettings, ScenarioEvent};
use sansim_schema::doc::{DefaultDoc, FieldDoc, TableDoc};
use sansim_schema::table::Tabular;

/// Every key of a table and of the tables within it, each with its path.
fn fields(table: TableDoc, path: &str, found: &mut Vec<(String, FieldDoc)>) {
    found.extend(table.fields.into_iter().map(|field| (format!("{path}.{}", field.name), field)));
    for variant in table.variants {
        fields(variant.table, path, found);
    }
    for inner in table.tables {
        fields(inner.table, &format!("{path}.{}", inner.name), found);
    }
}

fn all() -> Vec<(String, FieldDoc)> {
    let mut found = Vec::new();
    for (name, table) in [
        ("run", RunSettings::describe()),
        ("fcp", UnitSizes::describe()),
        ("event", ScenarioEvent::describe()),
    ] {
        fields(table, name, &mut found);
    }
    for kind in KINDS {
        fields((kind.describe)(), kind.word, &mut found);
    }
    found
}

/// Defaults that mean the absence of a thing.
const NOTHING: &[&str] =
    &["\"none\"", "\"off\"", "\"never\"", "\"ever\"", "\"unlimited\"", "\"ideal\"", "[]", "{}", "\"\""];

#[test]
fn every_default_names_its_source() {
    let without: Vec<String> = all()
        .into_iter()
        .filter(|(_, field)| {
            let has_default = !matches!(field.default, DefaultDoc::Required(_) | DefaultDoc::Needed(_));
            has_default && field.source.trim().is_empty()
        })
        .map(|(path, _)| path)
        .collect();
    assert!(without.is_empty(), "{} defaults without a source: {without:#?}", without.len());
}

#[test]
fn what_is_ours_says_why_and_what_is_none_is_none() {
    for (path, field) in all() {
        if field.source.starts_with("ours") {
            let why = field.source.strip_prefix("ours: ").unwrap_or_default();
            assert!(why.len() >= 8, "{path}: {}", field.source);
        }
        if field.source == "none" {
            let is_nothing = match field.default {
                DefaultDoc::Is(toml) => NOTHING.contains(&toml),
                DefaultDoc::Word(word) => word == "none",
                _ => false,
            };
            assert!(is_nothing, "{path} has a default that is something");
        }
    }
}
