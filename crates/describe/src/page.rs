//! The reference of a table, as Markdown: every key with its unit, range, default, meaning and source.

use std::fmt::Write as _;

use crate::codes::Code;
use crate::doc::{DefaultDoc, TableDoc};
use crate::units::Dimension;

/// Adds the table of quantities: every dimension with its units and an example.
pub fn quantities(page: &mut String, dimensions: &[Dimension]) {
    page.push_str("| quantity | units | example |\n|---|---|---|\n");
    for &dimension in dimensions {
        let units: Vec<String> = dimension.units().map(|name| format!("`{name}`")).collect();
        let noun = dimension.noun();
        let noun = noun.strip_prefix("a ").unwrap_or(noun);
        let _ = writeln!(page, "| {noun} | {} | `\"{}\"` |", units.join(" "), dimension.example());
    }
}

/// Adds the table of codes.
pub fn codes(page: &mut String, codes: &[Code]) {
    page.push_str("| code | meaning |\n|---|---|\n");
    for code in codes {
        let _ = writeln!(page, "| {code} | {} |", code.meaning());
    }
}

/// Adds the section of a table, which stands at this path in a file, and of the tables within.
pub fn section(page: &mut String, title: &str, path: &str, kind: Option<&str>, table: &TableDoc) {
    let _ = write!(page, "\n## {title}: `[{path}]`");
    if let Some(kind) = kind {
        let _ = write!(page, " with `kind = \"{kind}\"`");
    }
    page.push_str("\n\n");
    body(page, path, table);
}

fn body(page: &mut String, path: &str, table: &TableDoc) {
    let _ = writeln!(page, "{}\n", table.doc);
    if !table.fields.is_empty() {
        page.push_str("| key | value | default | meaning | source |\n|---|---|---|---|---|\n");
    }
    for field in &table.fields {
        let default = match field.default {
            DefaultDoc::Required(example) => format!("required, such as `{example}`"),
            DefaultDoc::Is(toml) => format!("`{toml}`"),
            DefaultDoc::Follows(followed) => format!("follows {followed}"),
        };
        let cells =
            [field.written.as_str(), &default, &field.doc, field.source].map(|cell| cell.replace('|', "\\|"));
        let _ = writeln!(page, "| `{}` | {} |", field.name, cells.join(" | "));
    }
    for (name, inner) in &table.tables {
        let _ = write!(page, "\n### `[{path}.{name}]`\n\n");
        body(page, &format!("{path}.{name}"), inner);
    }
}
