//! The reference of a table, as Markdown: every key with its unit, range, default, meaning and source.

use std::fmt::Write as _;

use crate::codes::Code;
use crate::doc::{DefaultDoc, FieldDoc, TableDoc, TableNeed, TablePlacement};
use crate::units::Dimension;
use crate::words::WordDoc;

/// The most words that are listed in the row of their key.
const MOST_WORDS: usize = 5;

/// Adds the table of quantities: every dimension with its units and an example.
pub fn append_quantities(page: &mut String, dimensions: &[Dimension]) {
    page.push_str("| quantity | units | example |\n|---|---|---|\n");
    for &dimension in dimensions {
        let units: Vec<String> = dimension.units().map(|name| format!("`{name}`")).collect();
        let noun = dimension.noun_in_prose();
        let noun = noun.strip_prefix("a ").unwrap_or(noun);
        let _ = writeln!(page, "| {noun} | {} | `\"{}\"` |", units.join(" "), dimension.example());
    }
}

/// Adds the table of codes.
pub fn append_codes(page: &mut String, codes: &[Code]) {
    page.push_str("| code | meaning |\n|---|---|\n");
    for code in codes {
        let _ = writeln!(page, "| {code} | {} |", code.meaning());
    }
}

/// Adds the section of a table, which is at this path in a file, and of the tables within it.
pub fn append_table_section(
    page: &mut String,
    title: &str,
    path: &str,
    kind: Option<&str>,
    table: &TableDoc,
) {
    let _ = write!(page, "\n## {title}: `[{path}]`");
    if let Some(kind) = kind {
        let _ = write!(page, " with `kind = \"{kind}\"`");
    }
    page.push_str("\n\n");
    body(page, path, table, &mut Vec::new());
}

/// Adds a table and the tables within it. Keys that a table has in common with an earlier table are not repeated.
fn body<'t>(page: &mut String, path: &str, table: &'t TableDoc, told: &mut Vec<(String, &'t TableDoc)>) {
    let _ = writeln!(page, "{}\n", table.doc);
    let known = told.iter().find(|(_, other)| !table.fields.is_empty() && has_keys_of(other, table));
    let is_known = known.is_some();
    match known {
        Some((other, _)) => {
            let _ = writeln!(page, "Its keys are those of `[{other}]`.");
        }
        None => keys(page, table, true),
    }
    told.push((path.to_owned(), table));
    for variant in table.variants.iter().filter(|_| !is_known) {
        let _ = write!(page, "\n#### `[{path}]` with `{} = \"{}\"`\n\n", variant.key, variant.word);
        body(page, path, &variant.table, told);
    }
    for inner in &table.tables {
        let path = inner.path(path);
        let _ = write!(page, "\n### `[{path}]`\n\n");
        if !inner.doc.is_empty() {
            let _ = write!(page, "{} ", inner.doc);
        }
        body(page, &path, &inner.table, told);
    }
}

/// Adds the keys of the top level of a file, then a section for each table below it. Keys that a table has in common with an earlier table
/// are not repeated.
pub fn append_outline(page: &mut String, root: &TableDoc) {
    keys(page, root, false);
    let mut told: Vec<(String, &TableDoc)> = Vec::new();
    for (path, inner) in root.inner_tables("") {
        let header =
            if inner.stands == TablePlacement::Listed { format!("[[{path}]]") } else { format!("[{path}]") };
        let depth = path.split('.').filter(|&part| part != "NAME").count();
        let _ = write!(page, "\n{} `{header}`\n\n{}", "#".repeat(depth + 1), inner.table.doc);
        if inner.need == TableNeed::Required {
            page.push_str(" At least one is required.");
        }
        page.push('\n');
        match told.iter().find(|(_, other)| has_keys_of(other, &inner.table)) {
            Some((other, _)) => {
                let _ = writeln!(page, "\nIts keys are those of `{other}`.");
            }
            None => {
                page.push('\n');
                keys(page, &inner.table, false);
            }
        }
        told.push((header, &inner.table));
    }
}

/// Whether all keys of a table are keys of another table, with the same name, meaning and form; for the word that selects a variant the
/// form is the list of words.
fn has_keys_of(other: &TableDoc, table: &TableDoc) -> bool {
    table.fields.iter().all(|key| {
        let is_it =
            |field: &FieldDoc| (field.name, &field.doc, &field.written) == (key.name, &key.doc, &key.written);
        other.fields.iter().any(is_it)
    })
}

/// Adds the keys of a table. With sources each key has one row; without sources many words have a table of their own.
fn keys(page: &mut String, table: &TableDoc, with_source: bool) {
    if !table.fields.is_empty() {
        page.push_str("| key | value | default | meaning |");
        page.push_str(if with_source {
            " source |\n|---|---|---|---|---|\n"
        } else {
            "\n|---|---|---|---|\n"
        });
    }
    let apart = |field: &&FieldDoc| !with_source && field.words.len() > MOST_WORDS;
    for field in &table.fields {
        let default = match field.default {
            DefaultDoc::Required("") => "required".to_owned(),
            DefaultDoc::Required(example) => format!("required, such as `{example}`"),
            DefaultDoc::Is(toml) => format!("`{toml}`"),
            DefaultDoc::Word(word) => format!("`\"{word}\"`"),
            DefaultDoc::Follows(followed) => format!("follows {followed}"),
            DefaultDoc::Optional(words) => words.to_owned(),
            DefaultDoc::Needed(words) => format!("needed {words}"),
        };
        let written = if apart(&field) { "one of the words below" } else { &field.written };
        let meaning = field.full_doc();
        let mut cells = vec![written, &default, &meaning];
        cells.extend(with_source.then_some(field.source));
        let cells: Vec<String> = cells.iter().map(|cell| cell.replace('|', "\\|")).collect();
        let _ = writeln!(page, "| `{}` | {} |", field.name, cells.join(" | "));
    }
    for field in table.fields.iter().filter(apart) {
        let is_published = field.words.iter().any(|word| !word.source.is_empty());
        let (head, line) = if is_published { (" source |", "---|") } else { ("", "") };
        let _ = write!(page, "\n| `{}` | meaning |{head}\n|---|---|{line}\n", field.name);
        for WordDoc { word, meaning, source } in &field.words {
            let source = if is_published { format!(" {source} |") } else { String::new() };
            let _ = writeln!(page, "| `\"{word}\"` | {meaning} |{source}");
        }
    }
}
