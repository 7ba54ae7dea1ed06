//! Warnings about settings that are allowed and probably not meant; each kind of warning is a module.

use sansim_kernel::Span;
use sansim_schema::quantities::write_time;

use crate::left_out;
use crate::reach;
use crate::scenario::Scenario;

impl Scenario {
    /// The settings that are allowed and probably not meant, a line each. The simulation is the same with or without warnings.
    pub fn setting_warnings(&self) -> Vec<String> {
        let remarks = self.components.iter().flat_map(|component| {
            let remarks = component.kind_behaviour().remarks().into_iter();
            remarks.map(|remark| format!("`{}`: {remark}", component.name))
        });
        let idle = self.idle_keys().into_iter();
        let idle = idle.map(|idle| format!("`{}` means nothing here: {}", idle.key, idle.why));
        let late = self.run.end_time().map(|end| self.events_after_end(end)).unwrap_or_default();
        left_out::warning(self)
            .into_iter()
            .chain(reach::warnings(self))
            .chain(remarks)
            .chain(idle)
            .chain(self.graph.vain_events.iter().cloned())
            .chain(late)
            .collect()
    }

    /// The events that come after the end of the measured interval, if it ends at this time, a line each.
    pub fn events_after_end(&self, end: Span) -> Vec<String> {
        let late = self.events.iter().filter(|event| event.at >= end);
        late.map(|event| {
            let (action, what, at) = (event.r#do, &event.what, write_time(event.at.ticks()));
            format!(
                "the event `{action}` of `{what}` at {at} changes nothing: the run is over at {}",
                write_time(end.ticks())
            )
        })
        .collect()
    }
}
