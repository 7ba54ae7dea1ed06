//! Summarises a trace: `cargo run --release -p sansim-trace --example info FILE [FORMAT]`.

use sansim_trace::{BadLineRule, Trace, TraceError, TraceInfo, TraceReadOptions};

fn main() -> Result<(), TraceError> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_default();
    let options = TraceReadOptions {
        format: arguments.next(),
        on_bad_line: BadLineRule::Count,
        ..TraceReadOptions::default()
    };
    let mut info = TraceInfo::summarise_trace(&mut Trace::open_file(file.as_ref(), &options)?);
    info.rate.bins.clear();
    println!("{info:#?}");
    Ok(())
}
