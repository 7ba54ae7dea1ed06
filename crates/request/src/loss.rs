//! The true cause for which a request gets no answer; no component acts on it. The component that detects the timeout includes the cause in
//! its report.

/// The cause for which a request gets no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum LossCause {
    /// The device has accepted the command and does nothing for it.
    NoAnswer,
    /// A frame of the request was damaged on the path and discarded by its receiver.
    FrameLost,
}

/// A request that gets no answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LostRequest {
    /// The component at which the request was lost, by its number in the system.
    pub component: u32,
    /// The cause of the loss.
    pub cause: LossCause,
}
