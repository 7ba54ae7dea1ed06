//! The work before simulated time begins: components prepare, the system is warmed up, and the first requests are issued.

use super::Simulation;
use crate::flow::{Flow, Preparing};
use sansim_assembly::plan::Plan;
use sansim_component::ComponentId;
use sansim_kernel::Time;

impl Simulation<'_> {
    /// Does what comes before simulated time, and issues the first requests. `look` is shown how far that is, every few milliseconds; if it wants to stop, nothing
    /// is issued.
    pub(crate) fn begin(&mut self, plan: &Plan, look: &mut dyn FnMut(Preparing) -> Flow) -> Flow {
        if self.prepare(look) == Flow::Stop || self.warm_up(plan, look) == Flow::Stop {
            return Flow::Stop;
        }
        for number in 0..self.components.len() {
            self.react(Time::ZERO, ComponentId(number as u32), |component, cx| component.start(cx));
        }
        self.schedule_actions(plan);
        Flow::Continue
    }

    /// Lets components do what they have to do before anything else, such as filling what they hold.
    fn prepare(&mut self, look: &mut dyn FnMut(Preparing) -> Flow) -> Flow {
        let all = self.components.len() as f64;
        for number in 0..self.components.len() {
            loop {
                let share = self.components[number].prepare();
                if share >= 1.0 {
                    break;
                }
                let share = (number as f64 + share) / all;
                if look(Preparing { what: "filling", share }) == Flow::Stop {
                    return Flow::Stop;
                }
            }
        }
        Flow::Continue
    }
}
