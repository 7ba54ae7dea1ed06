//! Overrides: values that replace those in the file, such as `--set workload.size=64KiB`.

use sansim_schema::codes;
use sansim_schema::source::{SourceRange, SourceTexts};
use sansim_schema::tree::{DocumentEntry, Table, TreeFault, Value, ValueNode, parse_value};

use crate::reserved::reserved_table;
use sansim_registry::kind_with_word;

/// Applies one override to the tree, creating tables where needed.
///
/// `index` is the override's text in `sources`, such as `--set key=value`, where the key is `key_len` bytes long. The value is used as TOML
/// if it is valid TOML, else as plain text, so that `workload.size=64 KiB` needs no quotes. `settings` says whether the key is that of a
/// table of settings, which only another table can replace.
pub fn apply_override(
    root: &mut Table,
    sources: &SourceTexts,
    index: usize,
    key_len: usize,
    settings: bool,
) -> Result<(), Box<TreeFault>> {
    let text = sources.text(index);
    let key_start = sources.key_start();
    let key_end = key_start + key_len;
    let (path, typed) = (&text[key_start..key_end], text.get(key_end + 1..).unwrap_or(""));
    let fault = |start: usize, end: usize, message: String, help: Option<String>| {
        let place = SourceRange { text: index, start, end: end.max(start + 1) };
        let key = path.to_owned();
        Box::new(TreeFault { code: codes::BAD_OVERRIDE, place, key, message, help, related: None })
    };
    if path.trim().is_empty() || path.split('.').any(|part| part.trim().is_empty()) {
        let help = Some("write component.key=value, such as workload.size=64 KiB".to_owned());
        return Err(fault(key_start, key_end, "an override needs a key path and a value".to_owned(), help));
    }
    let value_start = key_end + 1 + (typed.len() - typed.trim_start().len());
    let typed = typed.trim();
    let whole = SourceRange { text: index, start: value_start, end: value_start + typed.len() };
    let plain = || ValueNode { value: Value::Text(typed.to_owned()), place: whole, typed: None };
    let mut node = parse_value(typed, index, value_start).unwrap_or_else(plain);
    if !matches!(node.value, Value::List(_) | Value::Table(_) | Value::Text(_)) {
        node.typed = Some(typed.to_owned());
    }
    if typed.is_empty() {
        // The value is missing, so the caret is below the key.
        node.place = SourceRange { text: index, start: key_start, end: key_end + 1 };
    }

    let mut table = root;
    let mut start = key_start;
    let parts: Vec<&str> = path.split('.').collect();
    for (depth, part) in parts.iter().enumerate() {
        let key_place = SourceRange { text: index, start, end: start + part.len() };
        start += part.len() + 1;
        let key = part.trim();
        let position = table.entries.iter().position(|entry| entry.key == key);
        if depth + 1 == parts.len() {
            let entry = DocumentEntry { key: key.to_owned(), key_place, node };
            match position {
                // The table is kept, so that nothing else looks missing.
                Some(_) if settings && !matches!(entry.node.value, Value::Table(_)) => {
                    let message =
                        format!("`{path}` is a table of settings, not {}", entry.node.noun_in_prose());
                    let mut fault = fault(entry.node.place.start, entry.node.place.end, message, None);
                    fault.code = codes::NOT_A_TABLE;
                    return Err(fault);
                }
                Some(position) => table.entries[position] = entry,
                None => table.entries.push(entry),
            }
            return Ok(());
        }
        let position = position.unwrap_or_else(|| {
            let node = ValueNode { value: Value::Table(Table::default()), place: key_place, typed: None };
            table.entries.push(DocumentEntry { key: key.to_owned(), key_place, node });
            table.entries.len() - 1
        });
        match &mut table.entries[position].node.value {
            Value::Table(next) => table = next,
            _ => {
                let message = format!("`{}` is a value, not a table", parts[..=depth].join("."));
                return Err(fault(key_place.start, key_place.end, message, None));
            }
        }
    }
    Ok(())
}

/// The keys of the table of settings at a path, in full; `None` if no table is there. An inline table that is a value, such as a
/// distribution, is no table of settings.
pub(crate) fn keys_of_settings(root: &Table, path: &str) -> Option<Vec<String>> {
    // The keys are derived from the whole description of the kind, so this is done only for a path that could be a table.
    if !is_table_at(root, path) {
        return None;
    }
    let (top, below) = path.split_once('.').map_or((path, None), |(top, below)| (top, Some(below)));
    let described = match reserved_table(top) {
        Some(described) => described,
        None => {
            let Value::Table(table) = &root.get(top)?.node.value else { return None };
            let word = table.get("kind").and_then(|kind| kind.node.text()).unwrap_or("");
            match kind_with_word(word) {
                Some(kind) => (kind.describe)(),
                None => return below.is_none().then(Vec::new),
            }
        }
    };
    let table = match below {
        None => described,
        Some(below) => described.tables.into_iter().find(|inner| inner.name == below)?.table,
    };
    Some(table.fields.iter().map(|field| format!("{path}.{}", field.name)).collect())
}

fn is_table_at(root: &Table, path: &str) -> bool {
    let mut table = root;
    for key in path.split('.') {
        match table.get(key.trim()).map(|entry| &entry.node.value) {
            Some(Value::Table(inner)) => table = inner,
            _ => return false,
        }
    }
    true
}
