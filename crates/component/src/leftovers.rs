//! The leftovers of a component at the end of a run. There must be none.

/// The findings, a line each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Leftovers {
    lines: Vec<String>,
    /// The component that is being checked.
    pub place: String,
}

impl Leftovers {
    /// Two counts that must be equal: of what, what happened to it, and what should have.
    pub fn equal(&mut self, what: &str, (did, one): (&str, u64), (should, other): (&str, u64)) {
        if one != other {
            self.lines.push(format!("{what}: {one} {did}, {other} {should}; {}", self.place));
        }
    }

    /// A count that must be zero.
    pub fn none(&mut self, what: &str, count: u64) {
        if count > 0 {
            self.lines.push(format!("{what}: {count}; {}", self.place));
        }
    }

    /// Everything that was found.
    pub fn into_lines(self) -> Vec<String> {
        self.lines
    }
}
