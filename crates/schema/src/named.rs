//! A component or table with a name of its own.

use std::ops::Deref;

/// A value with its name.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T> {
    /// The name.
    pub name: String,
    /// The value.
    pub described: T,
}

impl<T> Deref for Named<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.described
    }
}
