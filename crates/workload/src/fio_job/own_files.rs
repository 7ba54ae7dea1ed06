//! The files of clones whose jobs name no file: each clone has a file of its own, all of them concatenated on all devices.
//!
//! fio makes such a file, of the length that the job covers, in a directory that all clones share. Where a job has no size in bytes fio
//! would make no file, and requires a size: such a job file leaves the name to the command line, and all devices together are the named
//! file.

use super::clone::FilePlace;
use super::job::FioJob;
use super::units::FileAmount;
use sansim_request::BLOCK_BYTES;

/// The files, by their names, each with its first byte and its length.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct OwnFiles {
    files: Vec<(String, u64, u64)>,
}

/// The length of the file of a clone; none, if the job does not give it.
fn length(job: &FioJob, clone: u32) -> Option<u64> {
    let Some(FileAmount::Bytes(size)) = job.region.size else { return None };
    let bytes = |amount: FileAmount| if let FileAmount::Bytes(bytes) = amount { bytes } else { 0 };
    let shift = bytes(job.region.increment).saturating_mul(u64::from(clone));
    let end = bytes(job.region.offset).saturating_add(shift).saturating_add(size);
    Some(end.div_ceil(BLOCK_BYTES).saturating_mul(BLOCK_BYTES))
}

impl OwnFiles {
    /// The files of all jobs of a job file. Clones whose files have the same name share a file.
    pub fn files_of_all_jobs(jobs: &[FioJob]) -> Self {
        let mut files: Vec<(String, u64, u64)> = Vec::new();
        for job in jobs.iter().filter(|job| job.files.named.is_empty()) {
            for clone in 0..job.numjobs {
                let Some(bytes) = length(job, clone) else { continue };
                let name = job.files.own_file_name(clone);
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

    /// The position of the file of a clone.
    pub fn place(&self, job: &FioJob, clone: u32) -> FilePlace {
        if length(job, clone).is_none() {
            return FilePlace::Whole;
        }
        let name = job.files.own_file_name(clone);
        let found = self.files.iter().find(|(known, ..)| *known == name);
        found.map_or(FilePlace::Whole, |&(_, begin, bytes)| FilePlace::Part { begin, bytes })
    }
}
