//! What is wrong with one value, before it is known under which key it stands.

use crate::codes::{self, Code};
use crate::source::Place;
use crate::tree::Node;

/// The page that lists what is not modelled, for messages that refuse such a thing.
pub const NOT_MODELLED: &str = "docs/model/not-modelled.md";

/// What is wrong with one value.
#[derive(Debug)]
pub struct Fault {
    /// Which kind of problem it is.
    pub code: Code,
    /// Where.
    pub place: Place,
    /// What is wrong, in one sentence without a full stop.
    pub message: String,
    /// A few words beside the caret; may be empty.
    pub label: String,
    /// What to do about it.
    pub help: Option<String>,
}

impl Fault {
    /// A fault without label and help.
    pub fn new(code: Code, place: Place, message: impl Into<String>) -> Fault {
        Fault { code, place, message: message.into(), label: String::new(), help: None }
    }

    /// With these words beside the caret.
    #[must_use]
    pub fn label(mut self, label: impl Into<String>) -> Fault {
        self.label = label.into();
        self
    }

    /// With this advice.
    #[must_use]
    pub fn help(mut self, help: impl Into<String>) -> Fault {
        self.help = Some(help.into());
        self
    }

    /// With this advice, if there is any; otherwise it keeps what it has.
    #[must_use]
    pub fn maybe_help(mut self, help: Option<String>) -> Fault {
        self.help = help.or(self.help);
        self
    }

    /// The value is of a TOML type that never fits here.
    pub fn wrong_type(node: &Node, needed: &str) -> Fault {
        Fault::new(codes::WRONG_TYPE, node.place, format!("{} does not fit here", node.noun()))
            .label(format!("needs {needed}"))
    }
}
