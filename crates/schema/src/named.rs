//! A component or table with a name of its own.

use std::ops::Deref;

/// A value with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedValue<T> {
    /// The name.
    pub name: String,
    /// The value.
    pub described: T,
}

impl<T> Deref for NamedValue<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.described
    }
}
