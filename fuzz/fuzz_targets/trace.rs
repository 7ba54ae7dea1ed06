//! Any bytes as a trace: no panic; time goes on; every line is a request, bad, or no request for a reason. The first byte
//! chooses the format, or that it is found by looking; the second what is done about what is wrong.

#![no_main]

use libfuzzer_sys::fuzz_target;
use sansim_trace::{BackwardsRule, BadLineRule, FORMATS, Trace, TraceReadOptions};
use std::io::Cursor;

fuzz_target!(|bytes: &[u8]| {
    let [format, choice, bytes @ ..] = bytes else { return };
    let options = TraceReadOptions {
        format: FORMATS.get(usize::from(*format)).map(|format| format.word.to_owned()),
        on_bad_line: if choice & 1 == 0 { BadLineRule::Count } else { BadLineRule::Fail },
        on_backwards: if choice & 2 == 0 { BackwardsRule::Clamp } else { BackwardsRule::Fail },
        window: usize::from(choice >> 2),
        ..TraceReadOptions::default()
    };
    let Ok(mut trace) = Trace::read_source("fuzz", Cursor::new(bytes.to_vec()), &options) else { return };
    let mut latest = 0;
    let mut given = 0;
    loop {
        match trace.next_record() {
            Ok(Some(record)) => {
                assert!(record.at_ns >= latest && (record.volume as usize) < trace.volume_names_so_far().len());
                latest = record.at_ns;
                given += 1;
            }
            Ok(None) => break,
            Err(error) => return assert!(!error.to_string().is_empty()),
        }
    }
    let counts = trace.line_counts();
    let asides: u64 = counts.asides.iter().map(|(_, count)| count).sum();
    assert_eq!(given, counts.requests);
    assert_eq!(counts.lines, counts.requests + asides + counts.bad);
});
