//! Functional warm-up: before simulated time begins, the requests of workloads are run through the system without time.
//!
//! The workloads are run in turn. An access goes directly to its device, which returns the accesses of the devices behind it; hosts,
//! networks and buses have no part in it.

use super::Simulation;
use crate::flow::{PreparationProgress, RunFlow};
use sansim_assembly::plan::SystemPlan;
use sansim_component::{ComponentId, DeviceAccess, WarmAccessResult};
use sansim_scenario::FunctionalWarmUp;

/// The number of accesses between two checks of hit ratios.
const A_LOOK: u64 = 1_024;

impl Simulation<'_> {
    /// Warms the system up as the scenario requests.
    pub(super) fn warm_up(
        &mut self,
        plan: &SystemPlan,
        look: &mut dyn FnMut(PreparationProgress) -> RunFlow,
    ) -> RunFlow {
        let most = match plan.run.functional_warm_up {
            FunctionalWarmUp::None => return RunFlow::Continue,
            FunctionalWarmUp::Ios(count) => count,
            FunctionalWarmUp::Settled => self.patience(),
        };
        let until_settled = plan.run.functional_warm_up == FunctionalWarmUp::Settled;
        let mut sources: Vec<usize> = plan.graph.routes.iter().map(|route| route.workload).collect();
        let mut does_not_warm = vec![false; self.components.len()];
        let (mut ios, mut turn, mut under_way) = (0, 0, Vec::new());
        while ios < most && !sources.is_empty() {
            if until_settled && ios % A_LOOK == 0 && self.has_settled() {
                break;
            }
            if ios % A_LOOK == 0 {
                let share = ios as f64 / most as f64;
                if look(PreparationProgress { what: "functional warm-up", share }) == RunFlow::Stop {
                    return RunFlow::Stop;
                }
            }
            turn %= sources.len();
            let Some(access) = self.components[sources[turn]].next_warm_up_access() else {
                sources.remove(turn);
                continue;
            };
            under_way.push(access);
            self.run_without_time(plan, &mut under_way, &mut does_not_warm);
            turn += 1;
            ios += 1;
        }
        self.tell_of_warm_up(plan, (ios, most), sources.is_empty(), &does_not_warm);
        RunFlow::Continue
    }

    /// Applies accesses, and the accesses of devices behind that follow from them, in order.
    fn run_without_time(
        &mut self,
        plan: &SystemPlan,
        under_way: &mut Vec<DeviceAccess>,
        does_not_warm: &mut [bool],
    ) {
        let mut next = 0;
        while let Some(access) = under_way.get(next).cloned() {
            next += 1;
            let Some(device) = plan.graph.devices.get(access.device as usize) else { continue };
            let warmed = self.components[device.part].apply_warm_up_access(&access, under_way);
            does_not_warm[device.part] |= warmed == WarmAccessResult::Not;
        }
        under_way.clear();
    }

    fn has_settled(&self) -> bool {
        self.components
            .iter()
            .filter_map(|component| component.warm_up_progress())
            .all(|warmth| warmth.settled)
    }

    /// The number of accesses after which hit ratios should have settled if they settle at all; none if there
    /// are no hit ratios.
    fn patience(&self) -> u64 {
        let all = self.components.iter().filter_map(|component| component.warm_up_progress());
        all.fold(0, |sum: u64, warmth| sum.saturating_add(warmth.patience))
    }

    /// Adds the remarks on the functional warm-up for the reader of the result.
    fn tell_of_warm_up(
        &mut self,
        plan: &SystemPlan,
        (ios, most): (u64, u64),
        ended: bool,
        does_not_warm: &[bool],
    ) {
        let until_settled = plan.run.functional_warm_up == FunctionalWarmUp::Settled;
        let name = |number: usize| &plan.names.components[number].name;
        if until_settled && most == 0 {
            self.told_before.push(
                "no I/O was run before simulated time, as no component has a hit ratio that could settle"
                    .to_owned(),
            );
            return;
        }
        self.told_before.push(format!("{ios} I/Os were run before simulated time began, and took no time"));
        if ended {
            self.told_before.push(
                "the workloads had no further I/O for that: they ran once before simulated time and begin anew"
                    .to_owned(),
            );
        }
        for (number, component) in self.components.iter().enumerate().filter(|_| until_settled) {
            let Some(warmth) = component.warm_up_progress().filter(|warmth| !warmth.settled) else {
                continue;
            };
            let ratio =
                warmth.ratio.map_or("not known yet".to_owned(), |ratio| format!("{ratio:.3} at last"));
            self.told_before
                .push(format!("the hit ratio of `{}` had not settled by that: it was {ratio}", name(number)));
        }
        for number in (0..does_not_warm.len()).filter(|&number| does_not_warm[number]) {
            let id = ComponentId(number as u32);
            if plan.graph.reaches.iter().any(|reach| reach.asker == id.index()) {
                self.told_before.push(format!(
                    "`{}` takes no part in the functional warm-up: the devices behind it are cold",
                    name(number)
                ));
            }
        }
    }
}
