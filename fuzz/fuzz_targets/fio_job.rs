//! Any text as a fio job file: no panic; every problem has a line; every I/O of a job that is read lies in its region. What
//! follows a zero byte is the text of any file that it includes.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sansim_workload::fio_job::{self, addresses::CloneAddresses};

fuzz_target!(|text: &str| {
    let (text, included) = text.split_once('\0').unwrap_or((text, ""));
    match fio_job::read("fuzz.fio", text, &mut |_| Ok(included.to_owned())) {
        Ok(file) => {
            for job in &file.jobs {
                let Ok(addresses) = CloneAddresses::new(job, 0, 1 << 24, 1, "fuzz") else { continue };
                let (begin, length) = addresses.region();
                for io in addresses.take(100) {
                    assert!(io.bytes > 0 && io.offset >= begin && io.offset + io.bytes <= begin + length);
                }
            }
        }
        Err(report) => {
            assert!(!report.problems.is_empty() && report.problems.iter().all(|problem| problem.line() >= 1));
            let _ = report.to_string();
        }
    }
});
