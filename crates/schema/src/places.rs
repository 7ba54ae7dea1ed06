//! The places of the keys of a file, by their dotted paths.

use crate::source::SourceRange;
use crate::tree::{Table, Value, ValueNode};

/// Finds keys in the tree of a file.
#[derive(Clone, Copy)]
pub struct KeyPositions<'r> {
    root: &'r Table,
}

impl<'r> KeyPositions<'r> {
    /// The places of the keys in the file of this tree.
    pub fn new(root: &'r Table) -> KeyPositions<'r> {
        KeyPositions { root }
    }

    /// The value of a key, if the key is written. `event[2].at` is a key of the third table of a list.
    pub fn value_node(&self, path: &str) -> Option<&'r ValueNode> {
        let mut table = self.root;
        let mut parts = path.split('.').peekable();
        while let Some(part) = parts.next() {
            let node = step(table, part)?;
            match &node.value {
                _ if parts.peek().is_none() => return Some(node),
                Value::Table(inner) => table = inner,
                _ => return None,
            }
        }
        None
    }

    /// The place of the name of a table, or of the top-level table that contains it if it is not written.
    pub fn key_position(&self, path: &str) -> SourceRange {
        let (outer, name) = path.rsplit_once('.').unwrap_or(("", path));
        let table = match self.value_node(outer).map(|node| &node.value) {
            Some(Value::Table(table)) => table,
            _ => self.root,
        };
        table.get(name).map_or_else(|| self.header_position(path), |entry| entry.key_place)
    }

    /// The place of a value, if it is written.
    pub fn written_position(&self, path: &str) -> Option<SourceRange> {
        self.value_node(path).map(|node| node.place)
    }

    /// The place of the value, or of the top-level table that contains the key if the key is left out.
    pub fn value_position(&self, path: &str) -> SourceRange {
        self.written_position(path).unwrap_or_else(|| self.header_position(path))
    }

    /// The place of the name of the top-level table with which a path begins.
    pub fn header_position(&self, path: &str) -> SourceRange {
        let name = path.split('.').next().unwrap_or("");
        match self.root.get(name) {
            Some(entry) => entry.key_place,
            None => step(self.root, name).map_or(SourceRange::FILE, |node| node.place),
        }
    }

    /// The place of an item of a list; of the value itself if it is no list.
    pub fn item_position(&self, path: &str, index: usize) -> SourceRange {
        self.value_node(path).map_or_else(|| self.value_position(path), |node| node.item_position(index))
    }
}

/// The node for a part of a path: under a key, or an item of a list under a key.
fn step<'r>(table: &'r Table, part: &str) -> Option<&'r ValueNode> {
    if let Some(entry) = table.get(part) {
        return Some(&entry.node);
    }
    let (key, index) = part.strip_suffix(']')?.rsplit_once('[')?;
    match &table.get(key)?.node.value {
        Value::List(items) => items.get(index.parse::<usize>().ok()?),
        _ => None,
    }
}
