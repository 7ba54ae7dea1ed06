//! The work before simulated time begins: components prepare, the system is warmed up, and the first requests are issued.

use super::Simulation;
use crate::flow::{PreparationProgress, RunFlow};
use sansim_assembly::plan::SystemPlan;
use sansim_component::ComponentId;
use sansim_kernel::Time;

impl Simulation<'_> {
    /// Does the work before simulated time, and issues the first requests. `look` is called with the progress every few milliseconds; if it
    /// returns that the run is to stop, no request is issued.
    pub(crate) fn begin(
        &mut self,
        plan: &SystemPlan,
        look: &mut dyn FnMut(PreparationProgress) -> RunFlow,
    ) -> RunFlow {
        if self.prepare(look) == RunFlow::Stop || self.warm_up(plan, look) == RunFlow::Stop {
            return RunFlow::Stop;
        }
        for number in 0..self.components.len() {
            self.react(Time::ZERO, ComponentId(number as u32), |component, cx| component.start_run(cx));
        }
        self.schedule_actions(plan);
        RunFlow::Continue
    }

    /// Lets components prepare themselves, such as by filling flash drives.
    fn prepare(&mut self, look: &mut dyn FnMut(PreparationProgress) -> RunFlow) -> RunFlow {
        let all = self.components.len() as f64;
        for number in 0..self.components.len() {
            loop {
                let share = self.components[number].prepare_before_run();
                if share >= 1.0 {
                    break;
                }
                let share = (number as f64 + share) / all;
                if look(PreparationProgress { what: "filling", share }) == RunFlow::Stop {
                    return RunFlow::Stop;
                }
            }
        }
        RunFlow::Continue
    }
}
