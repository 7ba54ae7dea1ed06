//! How much there is to simulate in a run, as far as the scenario says.

use crate::run::WarmUp;
use crate::scenario::Scenario;

impl Scenario {
    /// I/Os that are under way at a time, those that wait in drivers included.
    pub fn slots(&self) -> u64 {
        (0..self.workloads.len()).map(|number| self.slots_of(number)).sum()
    }

    fn slots_of(&self, number: usize) -> u64 {
        let groups = &self.routes[number].drives;
        let drives = groups.iter().map(|&group| u64::from(self.drives[group].count)).sum();
        self.workloads[number].slots(drives)
    }

    /// About how many frames a run sends, what is left out included: a measure of how long it takes, to compare runs by.
    /// None if a simulated time decides. With a precision it is what the run sends at least.
    pub fn frames(&self) -> Option<f64> {
        let (slots, measured) = (self.slots() as f64, self.run.measured_ios? as f64);
        let ios = match self.run.warm_up {
            WarmUp::IosPerSlot(count) => measured + 2.0 * count as f64 * slots,
            // Twice as many are run as are measured at least.
            WarmUp::Auto => 2.0 * measured + slots,
            WarmUp::Until(_) => return None,
        };
        let sent = |number: usize| {
            let (workload, route) = (&self.workloads[number], &self.routes[number]);
            let host = &self.hosts[route.host];
            let data = workload.size.div_ceil(host.adapter.max_payload) as f64;
            // Command and response; a write is asked for its data.
            2.0 + (1.0 - workload.read_fraction) + data
        };
        let numbers = 0..self.workloads.len();
        let weighted: f64 = numbers.map(|number| self.slots_of(number) as f64 * sent(number)).sum();
        Some(ios * weighted / slots.max(1.0))
    }
}
