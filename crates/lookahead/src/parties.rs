//! The components that can affect a burst besides its two ends.

use sansim_registry::AnyComponent;

/// The access that a component with an input may have to the parts that lag with a burst: to the requests of its frames, and to its
/// ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Access {
    /// The input does not affect lagging parts until requests come back.
    Nothing,
    /// The input may report the stage of a request, which counts from that time on.
    Reads,
    /// The input reads the stage of any request of the system.
    ReadsAll,
    /// The input may change the schedule of a burst.
    Changes,
}

impl Access {
    pub(super) fn of(component: &AnyComponent) -> Self {
        match component {
            AnyComponent::Host(host) if host.has_time_outs() => Self::ReadsAll,
            AnyComponent::Host(_) => Self::Nothing,
            AnyComponent::Workload(_) | AnyComponent::Streams(_) | AnyComponent::ArbitratedLoop(_) => {
                Self::Nothing
            }
            _ => Self::Reads,
        }
    }
}
