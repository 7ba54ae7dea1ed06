//! What is described under a name of its own.

use std::ops::Deref;

/// What is described, and the name it is described under.
#[derive(Clone, Debug, PartialEq)]
pub struct Named<T> {
    /// The name.
    pub name: String,
    /// What was described under that name.
    pub described: T,
}

impl<T> Deref for Named<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.described
    }
}
