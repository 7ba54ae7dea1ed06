//! Values by name, as results have them.

use serde::ser::SerializeMap;
use serde::{Serialize, Serializer};

/// Values by name, in a given order.
#[derive(Clone, Debug, PartialEq)]
pub struct NamedValues<T>(pub Vec<(String, T)>);

impl<T> Default for NamedValues<T> {
    fn default() -> Self {
        Self(Vec::new())
    }
}

impl<T> NamedValues<T> {
    /// Whether there is no value.
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The value of a name.
    pub fn value_named(&self, name: &str) -> Option<&T> {
        self.0.iter().find(|(n, _)| n == name).map(|(_, value)| value)
    }
}

impl<T: Serialize> Serialize for NamedValues<T> {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut map = serializer.serialize_map(Some(self.0.len()))?;
        for (name, value) in &self.0 {
            map.serialize_entry(name, value)?;
        }
        map.end()
    }
}
