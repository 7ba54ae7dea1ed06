//! Keys without effect beside the others of their table: a burst without a limit, a low mark of a cache that does not write back.
//!
//! A table names them with `idle(method, ...)`. The reader of a scenario warns of those with another value than the default.

/// The keys of a table, and of those within, that mean nothing.
#[derive(Clone, Debug, Default)]
pub struct Idle {
    path: String,
    found: Vec<IdleKey>,
}

/// A key, or a table with all its keys, that means nothing.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IdleKey {
    /// Its dotted path.
    pub key: String,
    /// When it would mean something, as the end of a sentence: `without a `rate``.
    pub why: String,
}

impl Idle {
    /// The idle keys of the table with this dotted path.
    pub fn of(path: &str) -> Self {
        Self { path: path.to_owned(), found: Vec::new() }
    }

    /// Keys of this table mean nothing, for this reason, unless something is so.
    pub fn unless(&mut self, is_so: bool, keys: &[&str], why: &str) {
        if is_so {
            return;
        }
        for key in keys {
            self.found.push(IdleKey { key: self.full(key), why: why.to_owned() });
        }
    }

    /// The keys of a table within.
    pub fn table(&mut self, name: &str, of_table: impl FnOnce(&mut Idle)) {
        let path = self.full(name);
        let outer = std::mem::replace(&mut self.path, path);
        of_table(self);
        self.path = outer;
    }

    /// All that were found, in the order of the tables.
    pub fn into_keys(self) -> Vec<IdleKey> {
        self.found
    }

    fn full(&self, key: &str) -> String {
        if self.path.is_empty() { key.to_owned() } else { format!("{}.{key}", self.path) }
    }
}
