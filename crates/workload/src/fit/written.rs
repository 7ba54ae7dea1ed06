//! The file of a fitted scenario.

use super::stream::FittedStream;
use sansim_trace::TraceInfo;
use std::fmt::Write;

/// The first line of the file of a fitted scenario.
const HEAD: &str = "# A scenario fitted by sansim to a trace.";
/// The run is as long as the trace, but no longer than this.
const LONGEST_RUN_S: f64 = 60.0;

/// A name in which control characters are replaced, so that it fits into a comment.
fn printable(name: &str) -> String {
    name.chars().map(|c| if c.is_control() { '?' } else { c }).collect()
}

/// The text of the whole file.
pub(super) fn scenario(
    trace: &TraceInfo,
    streams: &[FittedStream],
    capacity: u64,
    left_out: &[String],
) -> String {
    let mut text = format!(
        "{HEAD}\n# {}, {}: {} requests in {} s.\n",
        printable(&trace.file),
        trace.format,
        trace.requests,
        trace.span_s
    );
    for sentence in left_out {
        _ = writeln!(text, "# {}.", printable(sentence));
    }
    let run_us = (trace.span_s.clamp(0.001, LONGEST_RUN_S) * 1e6).ceil();
    _ = write!(
        text,
        "\n[run]\nduration = \"{run_us} us\"\n\n\
         # Host and device are made up: put your own in their place. The volumes lie one behind another on the devices.\n\
         [host]\nkind = \"host\"\nattached = [\"device\"]\n\n\
         [device]\nkind = \"drives\"\ncount = 1\naccess_time = \"100 us\"\ntransfer_rate = \"1 GB/s\"\n\
         concurrency = 32\ncapacity = \"{capacity} B\"\n\n\
         [fitted]\nkind = \"synthetic\"\nfrom = \"host\"\nto = [\"device\"]\n"
    );
    for stream in streams {
        text.push('\n');
        if !stream.volume_name.is_empty() {
            _ = writeln!(text, "# Volume {}.", printable(&stream.volume_name));
        }
        _ = write!(text, "[fitted.streams.{}]\n{}", stream.name, stream.toml);
    }
    text
}
