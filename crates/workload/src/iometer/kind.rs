//! `kind = "iometer"` and `kind = "access-pattern"`.

use super::access::AccessSpecification;
use super::area::AccessPlan;
use super::icf::{self, IcfFile, Worker};
use super::parameters::{AccessPatternParameters, IometerParameters};
use crate::devices::{NamedDevices, NamedTarget};
use crate::faults::{FileProblem, text_of_file};
use crate::streams::content::ContentPlan;
use crate::streams::kind::kind_of_streams;
use crate::streams::plan::{StreamPace, StreamPlan, StreamSlots, StreamsPlan};
use sansim_kernel::{Distribution, Span};
use sansim_schema::keys::Keys;
use std::collections::BTreeSet;

/// The stream of a worker at each of its targets.
fn stream(
    specification: &AccessSpecification,
    outstanding: u32,
    area_sectors: (u64, u64),
    targets: Vec<NamedTarget>,
) -> StreamPlan {
    let slots = match targets.len() as u32 {
        0 => StreamSlots::PerDevice(outstanding),
        targets => StreamSlots::PerTarget { count: outstanding, targets },
    };
    let pace = StreamPace::Closed { slots, think: Distribution::Fixed(Span::ZERO) };
    let content = AccessPlan { specification: specification.clone(), area_sectors, targets };
    StreamPlan::only_stream(pace, ContentPlan::Access(content))
}

impl AccessPatternParameters {
    /// The plan from which the workload is built.
    pub fn plan(&self) -> StreamsPlan {
        StreamsPlan {
            streams: vec![stream(&self.pattern.access_specification(), self.queue_depth, (0, 0), Vec::new())],
        }
    }
}

impl IometerParameters {
    /// The plan of the file, with its remarks.
    ///
    /// # Errors
    ///
    /// If parts of the file cannot be run, a line for each.
    pub fn read(&self) -> Result<(StreamsPlan, Vec<String>), Vec<FileProblem>> {
        let name = self.file.name();
        let icf = icf::read(&name, text_of_file(&self.file)?).map_err(FileProblem::all)?;
        let workers = disk_workers(&icf);
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
        let named = self.named(&workers);
        remarks.extend(named.remark(&name));
        let managers = |target: &str| -> BTreeSet<&str> {
            let with = workers.iter().filter(|worker| worker.targets.iter().any(|known| known == target));
            with.map(|worker| worker.manager.as_str()).collect()
        };
        if let Some((shared, _)) = named.of.iter().find(|(target, _)| managers(target).len() > 1) {
            remarks
                .push(format!("{name}: several managers have a target {shared}, which is one device here"));
        }
        let without = workers.iter().filter(|worker| worker.targets.is_empty()).count();
        if without > 0 && !named.of.is_empty() {
            remarks.push(format!("{name}: {without} workers have no target and go to all devices of `to`"));
        }
        let mut streams = Vec::new();
        for (number, worker) in workers.iter().enumerate() {
            for (stage, specification) in self.specifications(&icf, worker)?.into_iter().enumerate() {
                let mut plan = stream(
                    specification,
                    worker.outstanding.max(1),
                    (worker.starting_sector, worker.maximum_sectors),
                    worker.targets.iter().filter_map(|target| named.target(target).cloned()).collect(),
                );
                plan.name = format!("{}.{}", number_of(worker, number), specification.name);
                plan.duration = Some(icf.setup.run_time).filter(|time| !time.is_zero());
                plan.stage = stage as u32;
                streams.push(plan);
            }
        }
        if streams.is_empty() {
            return Err(vec![FileProblem::from_sentence(format!(
                "{name} has no disk worker with an access specification"
            ))]);
        }
        if streams.len() == 1 {
            streams[0].name.clear();
        }
        Ok((StreamsPlan { streams }, remarks))
    }

    /// The devices that are meant by the targets of workers.
    fn named(&self, workers: &[&Worker]) -> NamedDevices {
        let targets = workers.iter().flat_map(|worker| &worker.targets);
        NamedDevices::new(targets.map(String::as_str), &self.devices)
    }

    /// Reports targets for which there are no devices.
    fn check_names(&self, devices: &[&str], keys: &mut Keys<'_, '_>) {
        let icf = text_of_file(&self.file).ok().and_then(|text| icf::read(&self.file.name(), text).ok());
        if let Some(icf) = icf {
            let workers: Vec<&Worker> = disk_workers(&icf);
            self.named(&workers).check("file", &self.devices, devices, keys);
        }
    }

    /// The specifications that a worker runs, one after the other.
    fn specifications<'i>(
        &self,
        icf: &'i IcfFile,
        worker: &Worker,
    ) -> Result<Vec<&'i AccessSpecification>, Vec<FileProblem>> {
        let named =
            |name: &str| icf.specifications.iter().map(|(known, _)| known).find(|known| known.name == name);
        if self.specification.is_empty() {
            return Ok(worker.specifications.iter().filter_map(|name| named(name)).collect());
        }
        named(&self.specification).map(|found| vec![found]).ok_or_else(|| {
            let names: Vec<&str> = icf.specifications.iter().map(|(known, _)| known.name.as_str()).collect();
            vec![FileProblem::from_sentence(format!(
                "there is no access specification `{}`; there are: {}",
                self.specification,
                names.join(", ")
            ))]
        })
    }

    /// The plan from which the workload is built; empty if the file cannot be run.
    pub fn plan(&self) -> StreamsPlan {
        self.read().map_or(StreamsPlan { streams: Vec::new() }, |(plan, _)| plan)
    }

    fn remarks(&self) -> Vec<String> {
        self.read().map_or_else(|_| Vec::new(), |(_, remarks)| remarks)
    }
}

/// The workers that read and write disks.
fn disk_workers(icf: &IcfFile) -> Vec<&Worker> {
    icf.workers.iter().filter(|worker| worker.kind.eq_ignore_ascii_case("disk")).collect()
}

/// The name of a worker; its number, if it has none.
fn number_of(worker: &Worker, number: usize) -> String {
    if worker.name.is_empty() { format!("worker {}", number + 1) } else { worker.name.clone() }
}

kind_of_streams!(AccessPatternParameters, "pattern");
kind_of_streams!(IometerParameters, "file", remarks remarks, names check_names);

#[cfg(test)]
mod tests {
    use super::*;
    use crate::aims::TargetDevices;
    use crate::iometer::area::AccessArea;
    use crate::streams::source::RequestSource;

    /// A file of Iometer with a worker for each list of targets.
    fn file(workers: &[&[&str]]) -> String {
        let mut text = "Version 2006.07.27\n'ACCESS SPECIFICATIONS\n'Access specification name,default assignment\n\tmix,NONE\n\
                        'size,% of size,% reads,% random,delay,burst,align,reply\n\t4096,100,100,0,0,1,0,0\n'END ACCESS SPECIFICATIONS\n\
                        'MANAGER LIST\n'Manager ID, manager name\n\t1,host\n"
            .to_owned();
        for (number, targets) in workers.iter().enumerate() {
            text.push_str(&format!("'Worker\n\tw{number}\n'Worker type\n\tDISK\n'Assigned access specs\n\tmix\n'End assigned access specs\n"));
            text.push_str("'Target assignments\n");
            targets.iter().for_each(|target| {
                text.push_str(&format!("'Target\n\t{target}\n'Target type\n\tDISK\n'End target\n"));
            });
            text.push_str("'End target assignments\n'End worker\n");
        }
        text.push_str("'End manager\n'END MANAGER LIST\nVersion 2006.07.27\n");
        text
    }

    /// The devices to which each stream goes, in the order of its slots.
    fn devices(name: &str, workers: &[&[&str]], keys: &str) -> Vec<Vec<u32>> {
        let path = std::env::temp_dir().join(format!("sansim-iometer-{}-{name}.icf", std::process::id()));
        std::fs::write(&path, file(workers)).expect("a place for temporary files");
        let file = path.display();
        let keys = format!("from = \"host\"\nto = [\"disk\"]\nfile = \"{file}\"\n{keys}\n");
        let plan = crate::testing::keys::<IometerParameters>(&keys).plan();
        let names = (0..4).map(|disk| format!("disk[{disk}]")).collect();
        let aims =
            TargetDevices { workload: 0, devices: vec![0, 1, 2, 3], capacity_blocks: vec![4096; 4], names };
        let of = |stream: &StreamPlan| {
            let (ContentPlan::Access(plan), StreamPace::Closed { slots, .. }) =
                (&stream.content, &stream.pace)
            else {
                panic!("another stream")
            };
            let mut access = AccessArea::new(plan, &aims, 1, "w");
            let targets = (0..slots.slot_count(4)).map(|slot| slots.device_of_slot(slot, 4));
            targets.filter_map(|target| access.next(target)).map(|wanted| wanted.device).collect()
        };
        plan.streams.iter().map(of).collect()
    }

    #[test]
    fn the_nth_target_is_the_nth_device_unless_the_table_says_otherwise() {
        let workers: [&[&str]; 3] = [&["PHYSICALDRIVE:1"], &["PHYSICALDRIVE:2", "PHYSICALDRIVE:1"], &[]];
        assert_eq!(devices("plain", &workers, ""), [vec![0], vec![1, 0], vec![0, 1, 2, 3]]);
        let table = "devices = { \"PHYSICALDRIVE:2\" = \"disk[3]\" }";
        assert_eq!(devices("table", &workers, table), [vec![0], vec![3, 0], vec![0, 1, 2, 3]]);
    }
}
