//! `kind = "iometer"` and `kind = "access-pattern"`.

use super::access::AccessSpecification;
use super::area::AccessPlan;
use super::icf::{self, Icf, Worker};
use super::parameters::{AccessPatternParameters, IometerParameters};
use crate::faults::{Told, text_of};
use crate::streams::content::ContentPlan;
use crate::streams::kind::kind_of_streams;
use crate::streams::plan::{Pace, Slots, StreamPlan, StreamsPlan};
use sansim_kernel::{Distribution, Span};

/// What a worker does at each of its targets.
fn stream(specification: &AccessSpecification, outstanding: u32, area_sectors: (u64, u64)) -> StreamPlan {
    let pace = Pace::Closed { slots: Slots::PerDevice(outstanding), think: Distribution::Fixed(Span::ZERO) };
    let content = AccessPlan { specification: specification.clone(), area_sectors };
    StreamPlan::whole(pace, ContentPlan::Access(content))
}

impl AccessPatternParameters {
    /// What the workload is built from.
    pub fn plan(&self) -> StreamsPlan {
        StreamsPlan { streams: vec![stream(&self.pattern.specification(), self.queue_depth, (0, 0))] }
    }
}

impl IometerParameters {
    /// What the file says.
    ///
    /// # Errors
    /// What of it cannot be run, a line each.
    pub fn read(&self) -> Result<(StreamsPlan, Vec<String>), Vec<Told>> {
        let name = self.file.name();
        let icf = icf::read(&name, &text_of(&self.file)?).map_err(Told::all)?;
        let workers: Vec<&Worker> =
            icf.workers.iter().filter(|worker| worker.kind.eq_ignore_ascii_case("disk")).collect();
        let mut remarks: Vec<String> =
            icf.ignored.iter().map(|(line, what)| format!("{name}, line {line}: {what}")).collect();
        let networks = icf.workers.len() - workers.len();
        if networks > 0 {
            remarks.push(format!("{name}: {networks} network workers left out"));
        }
        if icf.setup.ramp_up > Span::ZERO {
            remarks.push(format!(
                "{name}: its ramp-up time of {} is not used; run.warm_up says what is left out",
                icf.setup.ramp_up
            ));
        }
        if icf.setup.cycling.iter().any(|cycling| cycling.end.is_some()) {
            remarks
                .push(format!("{name}: its cycling is not followed; an axis of a study does what it does"));
        }
        let mut streams = Vec::new();
        for (number, worker) in workers.iter().enumerate() {
            for (stage, specification) in self.specifications(&icf, worker)?.into_iter().enumerate() {
                let mut plan = stream(
                    specification,
                    worker.outstanding.max(1),
                    (worker.starting_sector, worker.maximum_sectors),
                );
                plan.name = format!("{}.{}", number_of(worker, number), specification.name);
                plan.duration = Some(icf.setup.run_time).filter(|time| !time.is_zero());
                plan.stage = stage as u32;
                streams.push(plan);
            }
        }
        if streams.is_empty() {
            return Err(vec![Told::of(format!("{name} has no disk worker with an access specification"))]);
        }
        if streams.len() == 1 {
            streams[0].name.clear();
        }
        Ok((StreamsPlan { streams }, remarks))
    }

    /// What a worker runs, one after the other.
    fn specifications<'i>(
        &self,
        icf: &'i Icf,
        worker: &Worker,
    ) -> Result<Vec<&'i AccessSpecification>, Vec<Told>> {
        let named =
            |name: &str| icf.specifications.iter().map(|(known, _)| known).find(|known| known.name == name);
        if self.specification.is_empty() {
            return Ok(worker.specifications.iter().filter_map(|name| named(name)).collect());
        }
        named(&self.specification).map(|found| vec![found]).ok_or_else(|| {
            let names: Vec<&str> = icf.specifications.iter().map(|(known, _)| known.name.as_str()).collect();
            vec![Told::of(format!(
                "there is no access specification `{}`; there are: {}",
                self.specification,
                names.join(", ")
            ))]
        })
    }

    /// What the workload is built from; nothing, if the file cannot be run.
    pub fn plan(&self) -> StreamsPlan {
        self.read().map_or(StreamsPlan { streams: Vec::new() }, |(plan, _)| plan)
    }

    fn remarks(&self) -> Vec<String> {
        self.read().map_or_else(|_| Vec::new(), |(_, remarks)| remarks)
    }
}

/// The name of a worker; its number, if it has none.
fn number_of(worker: &Worker, number: usize) -> String {
    if worker.name.is_empty() { format!("worker {}", number + 1) } else { worker.name.clone() }
}

kind_of_streams!(AccessPatternParameters, "pattern");
kind_of_streams!(IometerParameters, "file", remarks remarks);
