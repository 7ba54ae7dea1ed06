//! The true cause of a request that gets no answer; no component acts on it. The component that times out includes it in its report.

/// Why a request gets no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Cause {
    /// The device has taken the command and does nothing for it.
    NoAnswer,
    /// A frame of it was damaged on the way and thrown away by its receiver.
    FrameLost,
}

/// A request gets no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Loss {
    /// The component at which it happened, by its number in the system.
    pub component: u32,
    /// The cause.
    pub cause: Cause,
}
