//! Any text as a file of Iometer: no panic; every problem has a line; every transfer of what is read lies in its area.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sansim_kernel::RandomStream;
use sansim_workload::iometer::{access::IometerStream, icf};

const AREA_BYTES: u64 = 1 << 24;

fuzz_target!(|text: &str| match icf::read("fuzz.icf", text) {
    Ok(file) => {
        let mut random = RandomStream::new(1, "fuzz");
        for (specification, _) in &file.specifications {
            let Some(mut stream) = IometerStream::new(specification, AREA_BYTES) else { continue };
            for _ in 0..100 {
                let one = stream.next(&mut random);
                assert!(one.bytes > 0 && one.offset + one.bytes <= AREA_BYTES);
            }
        }
    }
    Err(report) => {
        assert!(!report.problems.is_empty() && report.problems.iter().all(|problem| problem.line() >= 1));
        let _ = report.to_string();
    }
});
