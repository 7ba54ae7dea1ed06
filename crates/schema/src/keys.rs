//! The keys of one table, for checks that compare them with each other.

use crate::fault::Diagnostic;
use crate::places::KeyPositions;
use crate::sink::ProblemSink;
use crate::source::SourceRange;

/// The keys of one table: their places, whether they could be read, and the sink for their problems. Keys are named as in the table.
pub struct Keys<'k, 's> {
    sink: &'k mut ProblemSink<'s>,
    places: KeyPositions<'k>,
    path: String,
}

impl<'k, 's> Keys<'k, 's> {
    /// The keys of the table with this dotted path.
    pub fn new(sink: &'k mut ProblemSink<'s>, places: KeyPositions<'k>, path: &str) -> Keys<'k, 's> {
        Keys { sink, places, path: path.to_owned() }
    }

    /// The keys of a table within this one.
    pub fn keys_of_inner_table(&mut self, name: &str) -> Keys<'_, 's> {
        let path = self.full_path(name);
        Keys { sink: &mut *self.sink, places: self.places, path }
    }

    /// The dotted path of the table; for a top-level table its name.
    pub fn path(&self) -> &str {
        &self.path
    }

    /// The dotted path of a key.
    pub fn full_path(&self, key: &str) -> String {
        format!("{}.{key}", self.path)
    }

    /// The place of a value, or of the name of the component if the key is left out.
    pub fn value_position(&self, key: &str) -> SourceRange {
        self.places.value_position(&self.full_path(key))
    }

    /// The place of a value, if it is written.
    pub fn written_position(&self, key: &str) -> Option<SourceRange> {
        self.places.written_position(&self.full_path(key))
    }

    /// The place of the name of the component.
    pub fn header_position(&self) -> SourceRange {
        self.places.header_position(&self.path)
    }

    /// Whether all these keys could be read, so that they can be compared with each other.
    pub fn all_readable(&self, keys: &[&str]) -> bool {
        keys.iter().all(|key| self.sink.all_readable(&[&self.full_path(key)]))
    }

    /// Reports a problem with a key of another table, named by its dotted path.
    pub fn report_elsewhere(&mut self, path: &str, fault: Diagnostic, related: Option<(SourceRange, &str)>) {
        self.sink.report_with(path, fault, related);
    }

    /// Reports a problem with a key.
    pub fn report(&mut self, key: &str, fault: Diagnostic) {
        self.report_with(key, fault, None);
    }

    /// Reports a problem with a key, with a second place that belongs to it.
    pub fn report_with(&mut self, key: &str, fault: Diagnostic, related: Option<(SourceRange, &str)>) {
        let path = self.full_path(key);
        self.sink.report_with(&path, fault, related);
    }
}
