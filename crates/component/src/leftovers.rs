//! The leftovers of a component at the end of a run: requests, frames or buffers that it still has. There must be no leftovers.

/// The findings, a line each.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftoverFindings {
    lines: Vec<String>,
    /// The component that is being checked.
    pub place: String,
}

impl LeftoverFindings {
    /// Checks that two counts are equal: `what` names the counted things, and both counts have a verb each.
    pub fn check_equal(&mut self, what: &str, (did, one): (&str, u64), (should, other): (&str, u64)) {
        if one != other {
            self.lines.push(format!("{what}: {one} {did}, {other} {should}; {}", self.place));
        }
    }

    /// Checks that a count is zero.
    pub fn check_zero(&mut self, what: &str, count: u64) {
        if count > 0 {
            self.lines.push(format!("{what}: {count}; {}", self.place));
        }
    }

    /// All findings.
    pub fn into_findings(self) -> Vec<String> {
        self.lines
    }
}
