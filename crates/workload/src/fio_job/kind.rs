//! `kind = "fio-job"`: a fio job file as a workload.
//!
//! Each clone of each job is a stream. The devices, one behind another, are the file that it works on. A job with a rate is semi-open: its I/Os come
//! at that rate, at most `iodepth` are outstanding, and response times count from when they came.

use super::clone::ClonePlan;
use super::job::{self, Job};
use super::keys::RateProcess;
use super::priority::Priority;
use super::values::Direction;
use super::{JobFile, read};
use crate::arrivals::deterministic::DeterministicParameters;
use crate::arrivals::poisson::PoissonParameters;
use crate::arrivals::{Process, Timetable};
use crate::faults::{Told, report_at, text_of};
use crate::streams::content::ContentPlan;
use crate::streams::kind::kind_of_streams;
use crate::streams::plan::{Pace, Slots, StreamPlan, StreamsPlan};
use sansim_component::limits::LimitParameters;
use sansim_describe::keys::Keys;
use sansim_describe::quantities::{FileName, Frequency, Measured, Name, NamedFile, Names, Size};
use sansim_describe::table;
use sansim_kernel::{Distribution, Span};
use sansim_request::BLOCK_BYTES;
use std::collections::BTreeSet;

/// Messages of all lists of names have the same example.
const TO: Names = Names { example: r#"["host", "drives"]"# };

table! {
    /// The load of a fio job file. Each clone of a job is a stream; the devices, one behind another, are the file that it works on. What a key of fio
    /// means nothing for here is said, and what cannot be simulated is refused.
    pub struct FioJobParameters {
        /// The host that the I/Os go through.
        from: String = Name, required r#""host""#, source "";
        /// The groups of devices that the I/Os go to.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
        /// The job file.
        file: NamedFile = FileName, required r#""job.fio""#, source "fio(1)";
        /// Size of the stripe unit in which the devices are one address space, a unit of each in turn; one behind another without it.
        stripe: Option<u64> = Size { range: (BLOCK_BYTES, 1 << 40), step: BLOCK_BYTES }.or("none"), default r#""none""#, source "none";
    }
    tables {
        /// How much of it the host lets begin in a time.
        limits: LimitParameters;
    }
    checks(check_file)
}

impl FioJobParameters {
    /// The file says something that can be run.
    fn check_file(&self, keys: &mut Keys<'_, '_>) {
        if keys.are_sound(&["file"])
            && let Err(faults) = self.read()
        {
            report_at(keys, "file", faults);
        }
    }

    fn read(&self) -> Result<JobFile, Vec<Told>> {
        let text = text_of(&self.file)?;
        let mut include = |_: &str| {
            Err("a scenario names one job file; write the lines of the other one into it".to_owned())
        };
        let file = read(&self.file.name(), &text, &mut include).map_err(Told::all)?;
        let refused: Vec<Told> = file.jobs.iter().flat_map(refused).collect();
        if refused.is_empty() { Ok(file) } else { Err(refused) }
    }

    /// What the workload is built from; nothing, if the file cannot be run.
    pub fn plan(&self) -> StreamsPlan {
        let jobs = self.read().map_or_else(|_| Vec::new(), |file| file.jobs);
        let (mut streams, mut stage, mut names): (Vec<StreamPlan>, u32, BTreeSet<String>) =
            (Vec::new(), 0, BTreeSet::new());
        for job in &jobs {
            stage += u32::from(job.stonewall && !streams.is_empty());
            for clone in 0..job.numjobs {
                let clones = if job.numjobs > 1 { format!(".{clone}") } else { String::new() };
                let mut name = format!("{}{clones}", job.name);
                while !names.insert(name.clone()) {
                    name.push('+');
                }
                streams.push(stream(job, clone, name, stage, self.stripe));
            }
        }
        if let [only] = &mut streams[..] {
            only.name.clear();
        }
        StreamsPlan { streams }
    }

    fn remarks(&self) -> Vec<String> {
        let Ok(file) = self.read() else { return Vec::new() };
        let name = self.file.name();
        let ignored = file
            .ignored
            .iter()
            .map(|key| format!("{name}, line {}: {} means nothing here: {}", key.line, key.key, key.because));
        let unused = file.jobs.iter().flat_map(|job| {
            let ramp = (job.period.ramp > Span::ZERO)
                .then_some("ramp_time is not used; run.warm_up says what is left out");
            let think = (job.think.time > Span::ZERO && timetable(job).is_some())
                .then_some("thinktime is not used beside a rate, which says when I/Os come");
            let least = (job.rate.min_iops != Default::default()
                || job.rate.min_bytes_per_s != Default::default())
            .then_some("rate_min and rate_iops_min end nothing");
            let class = (!matches!(job.priority, Priority::BestEffort(_))).then_some(
                "of the priorities of its class there is one here: 0 of real time, 7 of idle; prio says nothing beside it",
            );
            [ramp, think, least, class]
                .into_iter()
                .flatten()
                .map(move |what| format!("{name}, job {}: {what}", job.name, name = self.file.name()))
        });
        ignored.chain(unused).collect()
    }
}

/// What of a job cannot be simulated.
fn refused(job: &Job) -> Vec<Told> {
    let told = |what: &str| Told::of(format!("job {}, line {}: {what}", job.name, job.line));
    let mut refused = Vec::new();
    let mut refuse = |is: bool, what: &str| {
        if is {
            refused.push(told(what));
        }
    };
    refuse(job.rw.has(Direction::Trim), "devices have no trim; leave the trims out");
    refuse(job.replay.is_some(), "read_iolog is replayed by a workload of kind = \"trace\"");
    refuse(job.latency.is_some(), "latency_target is not searched for; a study finds the depth");
    refuse(job.think.iotime > Span::ZERO, "thinktime_iotime is not simulated; set thinktime_blocks");
    refuse(
        job.period.start_delay.0 != job.period.start_delay.1,
        "startdelay has to be one time, not a range",
    );
    let limits: Vec<bool> = job::used(job).map(|way| job.rate.iops.of(way).is_some()).collect();
    let some = limits.iter().any(|&limited| limited);
    let sizes_differ = job::used(job).any(|way| job.sizes.of(way).fixed().is_none());
    refuse(
        some && job.rate.process == RateProcess::Linear && sizes_differ,
        "of I/Os of several sizes a rate counts bytes, which is not simulated; give one size, or rate_process=poisson",
    );
    refuse(
        some && limits.iter().any(|&limited| !limited),
        "a rate has to be given for reads and for writes, or for neither",
    );
    refused
}

/// When the I/Os of a job come, if it has a rate: that of all its directions together.
fn timetable(job: &Job) -> Option<Timetable> {
    let per_s: u64 = job::used(job).filter_map(|way| *job.rate.iops.of(way)).sum();
    let rate = Frequency { micro_per_s: per_s.saturating_mul(1_000_000) };
    let process = match job.rate.process {
        RateProcess::Linear => Process::Deterministic(DeterministicParameters { rate }),
        RateProcess::Poisson => Process::Poisson(PoissonParameters { rate }),
    };
    (per_s > 0).then_some(Timetable::Process(process))
}

fn stream(job: &Job, clone: u32, name: String, stage: u32, stripe_bytes: Option<u64>) -> StreamPlan {
    let pace = match timetable(job) {
        Some(timetable) => Pace::Open { timetable, outstanding: job.iodepth },
        None => Pace::Closed { slots: Slots::InAll(job.iodepth), think: Distribution::Fixed(Span::ZERO) },
    };
    let runtime = job.period.runtime;
    StreamPlan {
        name,
        pace,
        content: ContentPlan::FioJob(ClonePlan { job: job.clone(), clone, stripe_bytes }),
        begin: job.period.start_delay.0,
        duration: Some(runtime).filter(|time| !time.is_zero()),
        ios: None,
        stage,
        priority: job.priority.in_one_class(),
    }
}

kind_of_streams!(FioJobParameters, "file", remarks remarks);

#[cfg(test)]
mod tests {
    use super::*;

    /// How much of the only job of a file cannot be simulated.
    fn refusals(keys: &str) -> usize {
        let file = crate::fio_job::read("job.fio", &format!("[a]\n{keys}\n"), &mut |_| Err(String::new()));
        refused(&file.unwrap_or_else(|report| panic!("{report}")).jobs[0]).len()
    }

    #[test]
    fn a_rate_of_several_sizes_is_refused_unless_it_is_one_of_ios_in_fio_too() {
        // fio 3.33 with rate=1m: 1023 KiB/s and 31 I/Os per second; with rate_process=poisson 7573 KiB/s and 239.
        for rate in ["rate=1m", "rate_iops=256"] {
            assert_eq!(refusals(&format!("bssplit=4k/50:64k/50\n{rate}")), 1);
            assert_eq!(refusals(&format!("bsrange=4k-64k\n{rate}")), 1);
            assert_eq!(refusals(&format!("bssplit=4k/50:64k/50\n{rate}\nrate_process=poisson")), 0);
            assert_eq!(refusals(&format!("bs=4k\n{rate}")), 0);
        }
        assert_eq!(refusals("bssplit=4k/50:64k/50"), 0);
    }
}
