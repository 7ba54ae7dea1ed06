//! An error in one value, before the path of its key is known.

use crate::codes::{self, Code};
use crate::source::SourceRange;
use crate::tree::ValueNode;

/// The page that lists features that are not modelled, for messages that refuse such a feature.
pub const NOT_MODELLED: &str = "docs/model/not-modelled.md";

/// An error in one value.
#[derive(Debug)]
pub struct Diagnostic {
    /// The kind of problem.
    pub code: Code,
    /// The place of the error.
    pub place: SourceRange,
    /// The error, in one sentence without a full stop.
    pub message: String,
    /// A few words beside the caret; may be empty.
    pub label: String,
    /// The correction.
    pub help: Option<String>,
}

impl Diagnostic {
    /// A fault without label and help.
    pub fn new(code: Code, place: SourceRange, message: impl Into<String>) -> Diagnostic {
        Diagnostic { code, place, message: message.into(), label: String::new(), help: None }
    }

    /// Sets the words beside the caret of the fault.
    #[must_use]
    pub fn with_label(mut self, label: impl Into<String>) -> Diagnostic {
        self.label = label.into();
        self
    }

    /// Sets the advice for the fault.
    #[must_use]
    pub fn with_help(mut self, help: impl Into<String>) -> Diagnostic {
        self.help = Some(help.into());
        self
    }

    /// Sets the advice for the fault, if an advice is given.
    #[must_use]
    pub fn with_help_if_given(mut self, help: Option<String>) -> Diagnostic {
        self.help = help.or(self.help);
        self
    }

    /// The fault that the value is of a TOML type that is never accepted here.
    pub fn wrong_type(node: &ValueNode, needed: &str) -> Diagnostic {
        Diagnostic::new(codes::WRONG_TYPE, node.place, format!("{} does not fit here", node.noun_in_prose()))
            .with_label(format!("needs {needed}"))
    }
}
