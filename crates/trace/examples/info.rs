//! Summarises a trace: `cargo run --release -p sansim-trace --example info FILE [FORMAT]`.

use sansim_trace::{Info, OnBadLine, Options, Trace, TraceError};

fn main() -> Result<(), TraceError> {
    let mut arguments = std::env::args().skip(1);
    let file = arguments.next().unwrap_or_default();
    let options = Options { format: arguments.next(), on_bad_line: OnBadLine::Count, ..Options::default() };
    let mut info = Info::of(&mut Trace::open(file.as_ref(), &options)?);
    info.rate.bins.clear();
    println!("{info:#?}");
    Ok(())
}
