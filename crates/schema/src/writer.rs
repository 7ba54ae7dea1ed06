//! A writer of tables as TOML, and as data.

use std::collections::BTreeSet;
use std::fmt::Write as _;
use std::rc::Rc;

use crate::context::Facts;
use crate::quantity::quoted;
use crate::words::WordDoc;

/// A key that has been written, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The dotted path of the key.
    pub key: String,
    /// The value, as TOML.
    pub toml: String,
    /// The key that the value follows; none if it follows no other.
    pub follows: Option<String>,
    /// Whether the value is the one that counts when the key is left out.
    pub is_default: bool,
    /// The words that the value may be; none where it is no word.
    pub words: Vec<&'static str>,
}

/// Writes tables as TOML.
pub struct TomlWriter {
    /// The text so far.
    pub out: String,
    /// The written settings as data, for programs that would otherwise have to parse `out` with its comments.
    pub settings: Vec<Setting>,
    context: Rc<Facts>,
    path: String,
    left_out: BTreeSet<String>,
}

impl TomlWriter {
    /// A writer that has written nothing.
    pub fn new(context: Facts) -> TomlWriter {
        TomlWriter {
            out: String::new(),
            settings: Vec::new(),
            context: Rc::new(context),
            path: String::new(),
            left_out: BTreeSet::new(),
        }
    }

    /// The surroundings of the table that is being written.
    pub fn facts(&self) -> &Facts {
        &self.context
    }

    /// Writes a key with its value, or, if the value only `follows` another key, writes it as a comment: so that changing the other key
    /// later still has its effect.
    pub fn write_field(&mut self, key: &str, toml: &str, follows: Option<&str>, is_default: bool) {
        self.write_choice(key, toml, follows, is_default, &[]);
    }

    /// Writes a key whose value is one of these words, if there are any.
    pub fn write_choice(
        &mut self,
        key: &str,
        toml: &str,
        follows: Option<&str>,
        is_default: bool,
        words: &[WordDoc],
    ) {
        let path = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        if self.left_out.contains(&path) {
            return;
        }
        let _ = match follows {
            Some(followed) => writeln!(self.out, "# {key} = {toml}   (follows {followed})"),
            None => writeln!(self.out, "{key} = {toml}"),
        };
        let follows = follows.map(str::to_owned);
        let words = words.iter().map(|word| word.word).collect();
        self.settings.push(Setting { key: path, toml: toml.to_owned(), follows, is_default, words });
    }

    /// Leaves out the key or the table at a dotted path, because it has no effect here.
    pub fn leave_out(&mut self, path: String) {
        self.left_out.insert(path);
    }

    /// Writes a table within the present one, at a dotted path, whose keys `content` writes.
    pub fn write_table(&mut self, key: &str, kind: Option<&str>, content: impl FnOnce(&mut TomlWriter)) {
        let outer = self.path.clone();
        let path = if outer.is_empty() { key.to_owned() } else { format!("{outer}.{key}") };
        if self.left_out.contains(&path) {
            return;
        }
        let _ = writeln!(self.out, "\n[{path}]");
        let inner = self.context.shared(key);
        let surroundings = std::mem::replace(&mut self.context, inner);
        self.path = path;
        if let Some(kind) = kind {
            self.write_field("kind", &quoted(kind), None, false);
        }
        content(self);
        self.path = outer;
        self.context = surroundings;
    }

    /// Writes one more table of a list at the top level, whose keys `content` writes.
    pub fn write_listed_table(&mut self, key: &str, content: impl FnOnce(&mut TomlWriter)) {
        let _ = writeln!(self.out, "\n[[{key}]]");
        content(self);
    }
}
