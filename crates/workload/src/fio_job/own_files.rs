//! The files of clones that name none: each has one of its own, one behind another on all devices together.
//!
//! fio makes such a file, of the length that the job goes to, in a directory that all of them share. Where a job has no size in bytes fio would make
//! none, and asks for one: such a file leaves the name to the command line, and all devices together are what it names.

use super::clone::FilePlace;
use super::job::FioJob;
use super::units::FileAmount;
use sansim_request::BLOCK_BYTES;

/// The files, by their names, each with its first byte and its length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnFiles {
    files: Vec<(String, u64, u64)>,
}

/// How long the file of a clone is; none, if the job does not say it.
fn length(job: &FioJob, clone: u32) -> Option<u64> {
    let Some(FileAmount::Bytes(size)) = job.region.size else { return None };
    let bytes = |amount: FileAmount| if let FileAmount::Bytes(bytes) = amount { bytes } else { 0 };
    let shift = bytes(job.region.increment).saturating_mul(u64::from(clone));
    let end = bytes(job.region.offset).saturating_add(shift).saturating_add(size);
    Some(end.div_ceil(BLOCK_BYTES).saturating_mul(BLOCK_BYTES))
}

impl OwnFiles {
    /// Those of the jobs of a file. Clones whose files have the same name share one.
    pub fn of(jobs: &[FioJob]) -> Self {
        let mut files: Vec<(String, u64, u64)> = Vec::new();
        for job in jobs.iter().filter(|job| job.files.named.is_empty()) {
            for clone in 0..job.numjobs {
                let Some(bytes) = length(job, clone) else { continue };
                let name = job.files.own(clone);
                match files.iter_mut().find(|(known, ..)| *known == name) {
                    Some((.., known)) => *known = bytes.max(*known),
                    None => files.push((name, 0, bytes)),
                }
            }
        }
        let mut end: u64 = 0;
        for (_, begin, bytes) in &mut files {
            *begin = end;
            end = end.saturating_add(*bytes);
        }
        Self { files }
    }

    /// Where the file of a clone is.
    pub fn place(&self, job: &FioJob, clone: u32) -> FilePlace {
        if length(job, clone).is_none() {
            return FilePlace::Whole;
        }
        let name = job.files.own(clone);
        let found = self.files.iter().find(|(known, ..)| *known == name);
        found.map_or(FilePlace::Whole, |&(_, begin, bytes)| FilePlace::Part { begin, bytes })
    }
}
