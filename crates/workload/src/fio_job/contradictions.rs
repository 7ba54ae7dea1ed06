//! Contradictions between several parts of a job, and parts that are not simulated.

use super::job::{Checks, FioJob, used_directions};
use super::keys::Settings;
use super::units::FileAmount;
use super::values::IoDirection;
use crate::faults::{FilePosition, WrittenValueError};
use sansim_schema::codes;

/// Reports the contradictions.
pub(super) fn look(set: &Settings, job: &FioJob, checks: &mut Checks<'_>) {
    if set.time_based.value && set.runtime.value.is_zero() {
        let help = "add runtime, or leave out time_based";
        checks.contradiction(
            "time_based",
            set.time_based.at,
            "a job goes on by time and has no runtime",
            help,
            None,
        );
    }
    let (first, last) = set.startdelay.value;
    if first > last {
        let help = "write the shorter time first";
        checks.contradiction(
            "startdelay",
            set.startdelay.at,
            "the range of delays begins above its end",
            help,
            None,
        );
    }
    if let (Some(at), true) = (reads_back(set), job.rw.has_direction(IoDirection::Write)) {
        let message = "verification reads back what the job has written, which is not simulated";
        let help = "write verify=0 or do_verify=0, and add a job that reads";
        let wrong = WrittenValueError::new(codes::NOT_BUILT, message, help);
        checks.faults.report_with(at, &format!("{}.verify", checks.section), wrong, None);
    }
    // With file names the key `nrfiles` has no effect, as in fio.
    if set.nrfiles.value > 1 && job.files.named.is_empty() {
        let help = "name them with filename=, or write numjobs";
        let message = "a simulated job has one region, not several files";
        checks.contradiction("nrfiles", set.nrfiles.at, message, help, None);
    }
    let needs_random: [(&str, Option<FilePosition>); 4] = [
        ("random_distribution", set.random_distribution.at),
        ("norandommap", set.norandommap.at.filter(|_| set.norandommap.value)),
        ("percentage_random", set.percentage_random.at),
        ("blockalign", set.blockalign.at),
    ];
    if !job.rw.random && job.replay.is_none() {
        // Keys in [global], above the section, also apply to other jobs.
        let section = checks.spot;
        for (key, at) in needs_random.iter().filter(|(_, at)| at.is_some_and(|at| at > section)) {
            let message = format!("{key} is for random jobs, and this one goes on in a row");
            let with = set.rw.at.map(|at| (at, "in a row"));
            checks.contradiction(key, *at, &message, "write rw=randread or its like, or leave it out", with);
        }
    }
    if let Some(zones) = job.zones {
        let largest = used_directions(job).map(|way| job.sizes.value_for(way).largest()).max().unwrap_or(0);
        if largest > zones.range_bytes {
            let with = set.zonerange.at.or(set.zonesize.at).map(|at| (at, "the zone"));
            checks.contradiction(
                "zonerange",
                with.map(|(at, _)| at),
                "an I/O is larger than a zone",
                "make zones larger",
                None,
            );
        }
    }
    if let Some(FileAmount::Bytes(size)) = job.region.size {
        let largest =
            used_directions(job).map(|way| job.sizes.value_for(way).smallest_bytes()).max().unwrap_or(0);
        if size < largest {
            let help = "make size at least as large as an I/O";
            checks.contradiction("size", set.size.at, "the region is smaller than an I/O", help, None);
        }
    }
    if let Some(FileAmount::Percent(0)) = job.region.size {
        checks.contradiction("size", set.size.at, "the region is empty", "write at least 1%", None);
    }
    if job.replay.is_some() && job.numjobs > 1 {
        let with: Option<(FilePosition, &str)> = set.read_iolog.at.map(|at| (at, "the log"));
        let help = "leave out numjobs";
        checks.contradiction(
            "numjobs",
            set.numjobs.at,
            "a log is replayed by several clones at once",
            help,
            with,
        );
    }
}

/// The spot of the key by which the written data are read back; none, if they are not.
fn reads_back(set: &Settings) -> Option<FilePosition> {
    let (verify, pattern) = (&set.verify, &set.verify_pattern);
    let by_pattern = pattern.at.filter(|_| verify.at.is_none() || pattern.order > verify.order);
    let on = by_pattern.or(verify.at.filter(|_| verify.value));
    // With a backlog written data are read back in between, whatever comes at the end.
    on.filter(|_| set.do_verify.value || set.verify_backlog.value > 0)
}
