//! Tables as TOML, and the same as data.

use std::fmt::Write as _;

use crate::context::Context;
use crate::quantity::quoted;

/// A key that has been written, with its value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Setting {
    /// The dotted path of the key.
    pub key: String,
    /// The value, as TOML.
    pub toml: String,
    /// What the value follows; none if it stands for itself.
    pub follows: Option<String>,
}

/// Writes tables as TOML.
pub struct Writer {
    /// What has been written.
    pub out: String,
    /// The same as data, for those who would otherwise have to read `out` again, comments included.
    pub settings: Vec<Setting>,
    /// The surroundings of the table that is being written.
    pub context: Context,
    path: String,
}

impl Writer {
    /// One that has written nothing.
    pub fn new(context: Context) -> Writer {
        Writer { out: String::new(), settings: Vec::new(), context, path: String::new() }
    }

    /// A key with its value, or, if the value only `follows` another key, the same as a comment: so that changing
    /// the other key later still has its effect.
    pub fn field(&mut self, key: &str, toml: &str, follows: Option<&str>) {
        let _ = match follows {
            Some(followed) => writeln!(self.out, "# {key} = {toml}   (follows {followed})"),
            None => writeln!(self.out, "{key} = {toml}"),
        };
        let key = if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) };
        self.settings.push(Setting { key, toml: toml.to_owned(), follows: follows.map(str::to_owned) });
    }

    /// A table within the present one, of which `content` writes the keys.
    pub fn table(&mut self, key: &str, kind: Option<&str>, content: impl FnOnce(&mut Writer)) {
        let outer = self.path.clone();
        self.path = if outer.is_empty() { key.to_owned() } else { format!("{outer}.{key}") };
        let _ = writeln!(self.out, "\n[{}]", self.path);
        if let Some(kind) = kind {
            self.field("kind", &quoted(kind), None);
        }
        content(self);
        self.path = outer;
    }
}
