//! Idle keys: keys without effect beside the others of their table, such as a burst without a limit, or a low mark of a cache that does not
//! write back.
//!
//! A table finds its idle keys with `idle(method, ...)`. The reader of a scenario warns of idle keys that have another value than the
//! default.

/// The idle keys of a table, and of the tables within it.
#[derive(Clone, Debug, Default)]
pub struct IdleKeys {
    path: String,
    found: Vec<IdleKey>,
}

/// An idle key, or a table of which all keys are idle.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleKey {
    /// The dotted path of the key.
    pub key: String,
    /// The condition under which the key would have an effect, as the end of a sentence: `without a `rate``.
    pub why: String,
}

impl IdleKeys {
    /// The idle keys of the table with this dotted path.
    pub fn for_table(path: &str) -> Self {
        Self { path: path.to_owned(), found: Vec::new() }
    }

    /// Marks keys of this table as idle, for this reason, unless the condition is true.
    pub fn mark_idle_unless(&mut self, is_so: bool, keys: &[&str], why: &str) {
        if is_so {
            return;
        }
        for key in keys {
            self.found.push(IdleKey { key: self.full(key), why: why.to_owned() });
        }
    }

    /// Collects the idle keys of an inner table.
    pub fn collect_table(&mut self, name: &str, of_table: impl FnOnce(&mut IdleKeys)) {
        let path = self.full(name);
        let outer = std::mem::replace(&mut self.path, path);
        of_table(self);
        self.path = outer;
    }

    /// All idle keys that were found, in the order of the tables.
    pub fn into_keys(self) -> Vec<IdleKey> {
        self.found
    }

    fn full(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}
