//! `kind = "fio-job"`: a fio job file as a workload.
//!
//! Each clone of each job is a stream. The n-th name of a file is the n-th device. A clone whose job names no file has a file of its own,
//! of the length that its size gives, after those of other clones on all devices concatenated; without a size in bytes, with which fio
//! would not run it, all devices together are the file, as if their name came from the command line. A job with a rate is semi-open: its
//! I/Os arrive at that rate, at most as many are outstanding as its engine and `iodepth` permit, and response times count from the arrival.

use super::clone::{ClonePlan, FilePlace};
use super::engine::{self, Engine, EngineWaits};
use super::files::FileServiceType;
use super::job::FioJob;
use super::own_files::OwnFiles;
use super::priority::IoPriority;
use super::rates::rates;
use super::values::IoDirection;
use super::{JobFile, read};
use crate::aims::{FROM, TO};
use crate::devices::{DevicesByName, NamedDevices};
use crate::faults::{FileProblem, WrittenValueError, report_at, text_of_file};
use crate::streams::content::ContentPlan;
use crate::streams::kind::kind_of_streams;
use crate::streams::plan::{StreamPace, StreamPlan, StreamSlots, StreamsPlan};
use crate::streams::source::SourcePlan;
use sansim_component::groups::WorkloadGroup;
use sansim_component::limits::LimitParameters;
use sansim_kernel::{Distribution, Span};
use sansim_request::BLOCK_BYTES;
use sansim_schema::codes;
use sansim_schema::fault::Diagnostic;
use sansim_schema::idle::IdleKeys;
use sansim_schema::keys::Keys;
use sansim_schema::quantities::{Dimensioned, FileName, NamedFile, Size, Text};
use sansim_schema::table;
use std::collections::BTreeSet;

table! {
    /// The load of a fio job file. Each clone of a job is a stream; the devices, one after another, are the file that it works on. A remark
    /// lists the keys of fio that have no effect here; keys that cannot be simulated are refused.
    pub struct FioJobParameters {
        /// The host that the I/Os go through. From a group of hosts, or from several, there is a workload for each of them.
        from: Vec<String> = FROM, required r#""host""#, source "";
        /// The devices that the I/Os go to: groups, or chosen members: `"drives[3]"` is one of them, `"drives[4..8]"` are members 4 to 7.
        to: Vec<String> = TO, required r#"["drives"]"#, source "";
        /// The job file.
        file: NamedFile = FileName, required r#""job.fio""#, source "fio(1)";
        /// The I/O engine of jobs that leave it to the command line. A synchronous one, as `"psync"` is, has one I/O outstanding whatever
        /// `iodepth` says.
        engine: String = Text, default r#""psync""#, source "fio(1)";
        /// Maps names of files in the job file to devices of `to`: `{ "/dev/nvme0n1" = "disk[3]" }`; the name of a group means all its
        /// devices as one. Without an entry, the n-th name is the n-th device.
        devices: Vec<(String, String)> = DevicesByName, default "{}", source "none";
        /// Where devices together are one file: size of the stripe unit, a unit of each device in turn; one behind another without it.
        stripe_unit: Option<u64> = Size { range: (BLOCK_BYTES, 1 << 40), step: BLOCK_BYTES }.or("none"), default r#""none""#, source "none";
    }
    parts {
        /// The number of equal workloads.
        group: WorkloadGroup;
    }
    tables {
        /// How much of it the host lets begin in a time.
        limits: LimitParameters;
    }
    checks(check_file)
    idle(of_the_file)
    renamed("stripe" to "stripe_unit")
}

impl FioJobParameters {
    /// Checks that the file contains a job that can be run.
    fn check_file(&self, keys: &mut Keys<'_, '_>) {
        let does_none = |engine: Engine| match engine.waits {
            EngineWaits::DoesNone => Err(WrittenValueError::new(
                codes::BAD_VALUE,
                format!("the engine {} reads and writes no block device", engine.name),
                "write one that does, such as \"libaio\"",
            )),
            _ => Ok(()),
        };
        if keys.all_readable(&["engine"])
            && let Err(wrong) = engine::engine(&self.engine).and_then(does_none)
        {
            let fault = Diagnostic::new(wrong.code, keys.value_position("engine"), wrong.message)
                .with_help(wrong.help);
            keys.report("engine", fault);
        } else if keys.all_readable(&["file"])
            && let Err(faults) = self.read()
        {
            report_at(keys, "file", faults);
        }
    }

    /// Marks keys as unused that have no effect for this file.
    fn of_the_file(&self, idle: &mut IdleKeys) {
        let Ok(file) = self.read() else { return };
        let left = file.jobs.iter().any(|job| job.engine.is_none());
        idle.mark_idle_unless(left, &["engine"], "each job of the file names its engine");
        let streams = self.plan().streams;
        let several = streams.iter().any(|stream| stream.content.stripe_bytes().is_some());
        idle.mark_idle_unless(
            self.stripe_unit.is_none() || several,
            &["stripe_unit"],
            "no file lies on several devices: each name in the file is a device",
        );
    }

    /// The engine of jobs that name no engine.
    fn engine(&self) -> Engine {
        engine::engine(&self.engine).unwrap_or_default()
    }

    fn read(&self) -> Result<JobFile, Vec<FileProblem>> {
        let text = text_of_file(&self.file)?;
        let mut include = |_: &str| {
            Err("a scenario names one job file; write the lines of the other one into it".to_owned())
        };
        let file = read(&self.file.name(), text, &mut include).map_err(FileProblem::all)?;
        let refused: Vec<FileProblem> = file.jobs.iter().flat_map(refused).collect();
        if refused.is_empty() { Ok(file) } else { Err(refused) }
    }

    /// The devices that the file names.
    fn named(&self, jobs: &[FioJob]) -> NamedDevices {
        NamedDevices::new(jobs.iter().flat_map(|job| &job.files.named).map(String::as_str), &self.devices)
    }

    /// The plan from which the workload is built; empty if the file cannot be run.
    pub fn plan(&self) -> StreamsPlan {
        let jobs = self.read().map_or_else(|_| Vec::new(), |file| file.jobs);
        let (named, own, engine) = (self.named(&jobs), OwnFiles::files_of_all_jobs(&jobs), self.engine());
        let mut streams = Vec::new();
        for Cloned { job, clone, name, stage } in clones(&jobs) {
            let targets = job.files.named.iter().filter_map(|name| named.target(name).cloned());
            let place = match job.files.named.is_empty() {
                true => own.place(job, clone),
                false => FilePlace::Devices(targets.collect()),
            };
            let clone = ClonePlan { job: job.clone(), clone, place, stripe_bytes: self.stripe_unit };
            streams.push(stream(clone, name, stage, &engine));
        }
        if let [only] = &mut streams[..] {
            only.name.clear();
        }
        StreamsPlan { streams }
    }

    /// Reports names for which there are no devices.
    fn check_names(&self, devices: &[&str], keys: &mut Keys<'_, '_>) {
        if let Ok(file) = self.read() {
            self.named(&file.jobs).check("file", &self.devices, devices, keys);
        }
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
            let think = (job.think.time > Span::ZERO && rates(job).is_some())
                .then_some("thinktime is not used beside a rate, which says when I/Os come");
            let least = (job.rate.min_iops != Default::default()
                || job.rate.min_bytes_per_s != Default::default())
            .then_some("rate_min and rate_iops_min end nothing");
            let class = (!matches!(job.priority, IoPriority::BestEffort(_))).then_some(
                "of the priorities of its class there is one here: 0 of real time, 7 of idle; prio says nothing beside it",
            );
            let other = self.engine();
            let depth = (job.queue_depth(&other) < job.iodepth).then(|| {
                let hint = if job.engine.is_none() { "; the file names no engine, and `engine` can" } else { "" };
                format!(
                    "{} is a synchronous engine, so one I/O is outstanding and not {}, as in fio{hint}",
                    job.engine_or(&other).name,
                    job.iodepth
                )
            });
            let told = [ramp, think, least, class].into_iter().flatten().map(str::to_owned).chain(depth);
            told.map(move |what| format!("{name}, job {}: {what}", job.name, name = self.file.name()))
        });
        let devices = self.named(&file.jobs).remark(&name);
        ignored.chain(unused).chain(devices).collect()
    }
}

/// A clone of a job, which is a stream.
struct Cloned<'j> {
    job: &'j FioJob,
    clone: u32,
    name: String,
    stage: u32,
}

/// The clones of all jobs, in the order of their streams.
fn clones(jobs: &[FioJob]) -> Vec<Cloned<'_>> {
    let (mut clones, mut stage, mut names): (Vec<Cloned<'_>>, u32, BTreeSet<String>) =
        (Vec::new(), 0, BTreeSet::new());
    for job in jobs {
        stage += u32::from(job.stonewall && !clones.is_empty());
        for clone in 0..job.numjobs {
            let number = if job.numjobs > 1 { format!(".{clone}") } else { String::new() };
            let mut name = format!("{}{number}", job.name);
            while !names.insert(name.clone()) {
                name.push('+');
            }
            clones.push(Cloned { job, clone, name, stage });
        }
    }
    clones
}

/// The properties of a stream that fio's results contain and a summary does not.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct StreamOptions {
    /// The name of the stream; empty for the only stream.
    pub name: String,
    /// The most I/Os that the stream has outstanding.
    pub depth: u32,
    /// The engine of the stream.
    pub engine: String,
    /// Whether the engine waits for each I/O.
    pub is_synchronous: bool,
}

/// The options of the streams of a job file; none, if the file cannot be run. `engine` is the engine of jobs that name none.
pub fn options_of_streams(text: &str, engine: &str) -> Vec<StreamOptions> {
    let engine = engine::engine(engine).unwrap_or_default();
    let Ok(file) = read("", text, &mut |_| Err(String::new())) else { return Vec::new() };
    let cloned = clones(&file.jobs);
    let alone = cloned.len() == 1;
    let options = |of: Cloned<'_>| StreamOptions {
        name: if alone { String::new() } else { of.name },
        depth: of.job.queue_depth(&engine),
        engine: of.job.engine_or(&engine).name,
        is_synchronous: of.job.is_synchronous(&engine),
    };
    cloned.into_iter().map(options).collect()
}

/// The parts of a job that cannot be simulated.
fn refused(job: &FioJob) -> Vec<FileProblem> {
    let told =
        |what: &str| FileProblem::from_sentence(format!("job {}, line {}: {what}", job.name, job.line));
    let mut refused = Vec::new();
    let mut refuse = |is: bool, what: &str| {
        if is {
            refused.push(told(what));
        }
    };
    let has_rates =
        |way| job.rate.bytes_per_s.value_for(way).is_some() || job.rate.iops.value_for(way).is_some();
    refuse(
        job.rw.has_direction(IoDirection::Trim) && IoDirection::ALL.into_iter().any(has_rates),
        "trims have no rate in a simulation; leave rate and rate_iops out, or set thinktime",
    );
    refuse(job.replay.is_some(), "read_iolog is replayed by a workload of kind = \"trace\"");
    refuse(job.latency.is_some(), "latency_target is not searched for; a study finds the depth");
    refuse(job.think.iotime > Span::ZERO, "thinktime_iotime is not simulated; set thinktime_blocks");
    refuse(
        job.period.start_delay.0 != job.period.start_delay.1,
        "startdelay has to be one time, not a range",
    );
    let engine = job.engine_or(&Engine::default());
    refuse(
        job.files.named.len() > 1 && job.files.service == FileServiceType::Skewed,
        "its files are chosen by a distribution, which is not simulated; write file_service_type=random",
    );
    refuse(
        engine.waits == EngineWaits::DoesNone,
        "its engine reads and writes no block device; leave the job out",
    );
    refused
}

fn stream(clone: ClonePlan, name: String, stage: u32, engine: &Engine) -> StreamPlan {
    let job = &clone.job;
    let outstanding = job.queue_depth(engine);
    let pace = match rates(job) {
        Some(rates) => StreamPace::Rated { rates, outstanding },
        None => StreamPace::Closed {
            slots: StreamSlots::InAll(outstanding),
            think: Distribution::Fixed(Span::ZERO),
        },
    };
    let runtime = job.period.runtime;
    StreamPlan {
        name,
        pace,
        begin: job.period.start_delay.0,
        duration: Some(runtime).filter(|time| !time.is_zero()),
        ios: None,
        stage,
        priority: job.priority.in_one_class(),
        content: ContentPlan::FioJob(clone),
    }
}

kind_of_streams!(FioJobParameters, "file", remarks remarks, names check_names);

#[cfg(test)]
mod tests;
