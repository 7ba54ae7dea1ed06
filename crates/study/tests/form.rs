//! Tests of the form of study files: the reference in `docs` is up to date, and the descriptions of the keys are in order.

use std::path::Path;

use sansim_schema::doc::{DefaultDoc, TableDoc};
use sansim_schema::tree::parse_file;
use sansim_study::study_file_table;

#[test]
fn the_committed_reference_is_the_present_one() {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs/study-reference.md");
    let committed =
        std::fs::read_to_string(&path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    assert_eq!(
        committed,
        sansim_study::study_key_reference(),
        "run `cargo run -p sansim-study --example study-reference` and commit the result"
    );
}

/// Checks every table, with its path.
fn check_all(check: impl Fn(&str, &TableDoc)) {
    let root = study_file_table();
    check("", &root);
    let below = root.inner_tables("");
    assert!(below.len() > 12);
    below.iter().for_each(|(path, inner)| check(path, &inner.table));
}

#[test]
fn every_key_and_every_table_is_documented() {
    check_all(|path, table| {
        assert!(table.doc.ends_with('.'), "{path}: {}", table.doc);
        for field in &table.fields {
            assert!(field.doc.ends_with('.'), "{path}.{}: {}", field.name, field.doc);
            assert!(!field.written.is_empty());
        }
    });
}

#[test]
fn defaults_and_examples_are_toml_and_words_are_among_those_that_are_known() {
    check_all(|path, table| {
        for field in &table.fields {
            let (DefaultDoc::Is(toml) | DefaultDoc::Required(toml)) = field.default else { continue };
            let mut faults = Vec::new();
            let read = parse_file(&format!("value = {toml}"), &mut faults);
            assert!(faults.is_empty(), "{path}.{}: {toml}", field.name);
            let word = read.get("value").and_then(|entry| entry.node.text());
            let known = field.words.iter().any(|known| word == Some(known.word));
            assert!(known || field.words.is_empty(), "{path}.{}", field.name);
        }
    });
}

#[test]
fn no_table_has_a_key_twice() {
    check_all(|path, table| {
        let mut names: Vec<&str> = table.fields.iter().map(|field| field.name).collect();
        names.extend(table.tables.iter().map(|inner| inner.name));
        let count = names.len();
        names.sort_unstable();
        names.dedup();
        assert_eq!(names.len(), count, "{path}");
    });
}

#[test]
fn no_code_of_a_study_is_one_of_a_scenario() {
    let scenario = sansim_scenario::codes::all_codes();
    for code in sansim_study::codes::ALL {
        let same = |other: &&sansim_schema::codes::Code| {
            other.to_string() == code.to_string() || other.name() == code.name()
        };
        assert_eq!(scenario.iter().find(same), None);
    }
}
