//! The processors of a host, and the components that use them.

use crate::{KindMember, Part};
use sansim_component::component_kind::OwnProcessors;
use sansim_processors::stack::ApplianceProcessors;
use sansim_processors::{ProcessorParameters, Processors};

/// Adds processors to a member whose first part uses them, if there are any.
pub(crate) fn join_processors(member: &mut KindMember, processors: &ProcessorParameters) {
    if processors.has_processors() {
        let number = member.add_part::<Processors>("processors".to_owned(), *processors);
        member.shared.push((0, number));
        member.processors = Some(OwnProcessors {
            part: number,
            speed_mhz: None,
            poll: matches!(processors, ProcessorParameters::Polling(_)),
        });
    }
}

impl Part {
    /// Whether the part is processors that poll, and so are not interrupted.
    pub fn polls_for_work(&self) -> bool {
        match self {
            Part::Processors(processors) => matches!(processors, ProcessorParameters::Polling(_)),
            Part::StackProcessors(processors) => matches!(processors.model, ApplianceProcessors::Polling(_)),
            _ => false,
        }
    }
}
