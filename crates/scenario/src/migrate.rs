//! Rewriting a file of an earlier format in the present one, with its comments, order and layout.
//!
//! `raid.strip = "64 KiB"` becomes `raid.stripe_unit = "64 KiB"`, and the first line becomes `format = 1`. Only the names of keys are
//! replaced, in the bytes of the text. In a scenario the renamed keys are keys of tables. A study or a plan has keys of its own (an axis
//! may be called `strip`), so there only keys below `set` are considered, and texts that are paths of keys, as in `keys = ["raid.strip"]`.

use std::collections::BTreeMap;
use std::sync::LazyLock;

use crate::format::{FORMAT, KEY};
use sansim_registry::KINDS;
use sansim_schema::doc::{TableDoc, TablePlacement};
use sansim_schema::document::{Document, TableEntry, TextRange, TomlContent, TomlItem};
use sansim_schema::report::ProblemReport;

/// The words of values that had another name in format 0: their table and key, the old word and the new one.
const WORDS: [([&str; 2], &str, &str); 1] = [(["read_ahead", "policy"], "strip", "stripe-unit")];

/// Top-level keys that only a study or a plan has.
const OF_STUDIES_AND_PLANS: [&str; 4] = ["scenario", "axes", "metrics", "goal"];

/// The top-level table in which a study or a plan sets keys of a scenario.
const SET: &str = "set";

/// A file in the present format.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MigratedFile {
    /// The text of the migrated file.
    pub text: String,
    /// The changes, a line each, in the order of the file.
    pub changes: Vec<String>,
}

/// The keys that were renamed, by their old names and the tables that contain them, if these are tables within a component.
static RENAMES: LazyLock<Renames> = LazyLock::new(Renames::new);

/// The renamed keys; see [`RENAMES`].
struct Renames(BTreeMap<(&'static str, &'static str), &'static str>);

impl Renames {
    fn new() -> Self {
        let mut renames = Self(BTreeMap::new());
        for kind in KINDS {
            renames.add("", &(kind.describe)());
        }
        renames
    }

    fn add(&mut self, within: &'static str, table: &TableDoc) {
        for renamed in &table.renamed {
            self.0.insert((within, renamed.was), renamed.now);
        }
        for variant in &table.variants {
            self.add(within, &variant.table);
        }
        for inner in &table.tables {
            self.add(if inner.stands == TablePlacement::Once { inner.name } else { "" }, &inner.table);
        }
    }

    /// The new name of a key in a table.
    fn of(&self, within: &str, key: &str) -> Option<&'static str> {
        let find = |within| self.0.iter().find(|((table, was), _)| *table == within && *was == key);
        find(within).or_else(|| find("")).map(|(_, now)| *now)
    }
}

/// The changes of a text.
struct Changes<'a> {
    text: &'a str,
    /// The ranges of bytes that are replaced, with their replacements.
    edits: Vec<(TextRange, String)>,
    lines: Vec<String>,
}

/// Rewrites a scenario, a study or a plan in the present format.
///
/// # Errors
/// If the text is not TOML.
pub fn migrate_file(text: &str, name: &str) -> Result<MigratedFile, ProblemReport> {
    let document = Document::parse(text, name)?;
    let root = document.root();
    let mut changes = Changes { text, edits: Vec::new(), lines: Vec::new() };
    let is_scenario = !root.iter().any(|entry| OF_STUDIES_AND_PLANS.contains(&entry.key.as_str()));
    for entry in root {
        changes.entry(&mut Vec::new(), entry, is_scenario || entry.key == SET);
    }
    changes.say_format(root);
    Ok(changes.apply())
}

impl Changes<'_> {
    /// Migrates a key and its value. With `keys`, the keys here are those of a scenario.
    fn entry(&mut self, path: &mut Vec<String>, entry: &TableEntry, keys: bool) {
        let within = path.last().cloned().unwrap_or_default();
        let is_value = !matches!(entry.item.content, TomlContent::Table(_));
        if entry.key.contains('.') {
            self.path(entry.key_range, &entry.key);
        } else if keys
            && is_value
            && !path.is_empty()
            && let Some(now) = RENAMES.of(&within, &entry.key)
        {
            self.replace(entry.key_range, &entry.key, now);
        }
        let word = match &entry.item.content {
            TomlContent::Text(text) => {
                WORDS.iter().find(|(at, was, _)| *at == [&within, &entry.key] && was == text)
            }
            _ => None,
        };
        if let Some((_, was, now)) = word {
            self.replace(entry.item.range, was, now);
        }
        path.push(entry.key.clone());
        self.item(path, &entry.item, keys);
        path.pop();
    }

    fn item(&mut self, path: &mut Vec<String>, item: &TomlItem, keys: bool) {
        match &item.content {
            TomlContent::Text(text) => self.path(item.range, text),
            TomlContent::List(items) => items.iter().for_each(|item| self.item(path, item, keys)),
            TomlContent::Table(entries) => entries.iter().for_each(|entry| self.entry(path, entry, keys)),
            _ => {}
        }
    }

    /// Considers a text that may be the path of a key: `raid.strip`, `cache.write.stripe`.
    fn path(&mut self, range: TextRange, text: &str) {
        let is_piece = |piece: &str| {
            !piece.is_empty() && piece.chars().all(|sign| sign.is_alphanumeric() || "-_[]".contains(sign))
        };
        let pieces: Vec<&str> = text.split('.').collect();
        if let [.., within, key] = pieces[..]
            && pieces.iter().all(|piece| is_piece(piece))
            && let Some(now) = RENAMES.of(within, key)
        {
            let head = &text[..text.len() - key.len()];
            self.replace(range, text, &format!("{head}{now}"));
        }
    }

    /// Replaces a word in a range of the text, which may have quotes around it.
    fn replace(&mut self, (start, end): TextRange, was: &str, now: &str) {
        let Some(at) = self.text[start..end].find(was) else { return };
        let line = self.text[..start].matches('\n').count() + 1;
        self.lines.push(format!("line {line}: {was} -> {now}"));
        self.edits.push(((start + at, start + at + was.len()), now.to_owned()));
    }

    /// Writes the format of the file before its first key, after the comments at the top.
    fn say_format(&mut self, root: &[TableEntry]) {
        let now = FORMAT.to_string();
        if let Some(entry) = root.iter().find(|entry| entry.key == KEY) {
            let (start, end) = entry.item.range;
            let was = self.text[start..end].to_owned();
            if was != now {
                self.replace((start, end), &was, &now);
            }
            return;
        }
        let is_first = |line: &&str| !line.trim().is_empty() && !line.trim_start().starts_with('#');
        let mut at = 0;
        for line in self.text.split_inclusive('\n') {
            if is_first(&line) {
                break;
            }
            at += line.len();
        }
        self.lines.push(format!("{KEY} = {now}"));
        self.edits.push(((at, at), format!("{KEY} = {now}\n")));
    }

    fn apply(mut self) -> MigratedFile {
        self.edits.sort();
        let (mut text, mut from) = (String::with_capacity(self.text.len() + 16), 0);
        for ((start, end), now) in &self.edits {
            text.push_str(&self.text[from..*start]);
            text.push_str(now);
            from = *end;
        }
        text.push_str(&self.text[from..]);
        MigratedFile { text, changes: self.lines }
    }
}

#[cfg(test)]
mod tests {
    use super::migrate_file;

    fn migrated(text: &str) -> String {
        migrate_file(text, "test.toml").expect("it is TOML").text
    }

    #[test]
    fn keys_of_a_scenario_get_their_new_names_and_nothing_else_changes() {
        let old = "# An array.\n\n[raid]\nkind = \"raid\"   # of five\nstrip = \"64 KiB\"\nrebuild.chunk = \"1 MiB\"\n\
                   [raid.fronts.b]\nhalf = \"b\"\n[cache]\nwrite = { stripe = \"8 KiB\", mode = \"back\" }\n\
                   read_ahead = { policy = \"strip\", strip = \"4 KiB\" }\n";
        let new = "# An array.\n\nformat = 1\n[raid]\nkind = \"raid\"   # of five\nstripe_unit = \"64 KiB\"\n\
                   rebuild.step = \"1 MiB\"\n[raid.fronts.b]\nside = \"b\"\n[cache]\n\
                   write = { stripe_size = \"8 KiB\", mode = \"back\" }\n\
                   read_ahead = { policy = \"stripe-unit\", stripe_unit = \"4 KiB\" }\n";
        assert_eq!(migrated(old), new);
    }

    #[test]
    fn a_study_keeps_the_names_of_its_axes_and_gets_new_paths_of_keys() {
        let old = "scenario = \"a.toml\"\n[set]\nraid.strip = \"8 KiB\"\n\"cache.write.stripe\" = \"8 KiB\"\n\
                   [axes.strip]\nkeys = [\"raid.strip\", \"workload.size\"]\n[[expected]]\nat = { strip = \"8 KiB\" }\n";
        let new = "format = 1\nscenario = \"a.toml\"\n[set]\nraid.stripe_unit = \"8 KiB\"\n\
                   \"cache.write.stripe_size\" = \"8 KiB\"\n[axes.strip]\nkeys = [\"raid.stripe_unit\", \"workload.size\"]\n\
                   [[expected]]\nat = { strip = \"8 KiB\" }\n";
        assert_eq!(migrated(old), new);
    }

    #[test]
    fn a_file_in_the_present_format_stays_as_it_is() {
        let text = "format = 1\n[raid]\nkind = \"raid\"\nstripe_unit = \"64 KiB\"\n";
        let again = migrate_file(text, "test.toml").expect("it is TOML");
        assert_eq!((again.text.as_str(), again.changes.len()), (text, 0));
    }
}
