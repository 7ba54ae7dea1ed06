//! No transfer of a drive may be longer than what simulated time can be added up from ([`Span::LONGEST`]).

use super::Places;
use crate::codes::Code;
use crate::model::{DriveGroup, Workload};
use crate::quantity::Fault;
use crate::table::Sink;
use sansim_kernel::Span;

/// A time in days, for people.
fn days(seconds: f64) -> String {
    format!("{:.0} days", seconds / 86_400.0)
}

/// Whether a drive's medium moves so many bytes, which `key` says, in time. `what` they are is for the message.
fn check(sink: &mut Sink<'_>, places: &Places<'_>, drives: &DriveGroup, key: &str, bytes: u64, what: &str) {
    let rate_key = format!("{}.transfer_rate", drives.name);
    let rate = drives.transfer_rate;
    if !sink.are_sound(&[key, &rate_key]) || Span::to_move(bytes, rate) <= Span::LONGEST {
        return;
    }
    let takes = days(bytes as f64 / rate as f64);
    let fault = Fault::new(
        Code::OutOfRange,
        places.value(key),
        format!("{what} of {bytes} B keeps the medium of `{}` busy for {takes} at {rate} B/s", drives.name),
    )
    .label(format!("must take at most {}", days(Span::LONGEST.as_s_f64())))
    .help(format!("give a smaller {key}, or a larger {rate_key}"));
    let related = places.node(&rate_key).map(|node| (node.place, "the rate"));
    sink.report_with(key, fault, related);
}

/// An I/O of a workload, at one of its groups of drives.
pub(super) fn of_ios(sink: &mut Sink<'_>, places: &Places<'_>, workload: &Workload, drives: &DriveGroup) {
    check(sink, places, drives, &format!("{}.size", workload.name), workload.size, "an I/O");
}

/// A whole cache segment, which the medium fills by itself.
pub(super) fn of_cache(sink: &mut Sink<'_>, places: &Places<'_>, drives: &DriveGroup) {
    if let Some(segment) = drives.cache {
        check(sink, places, drives, &format!("{}.cache", drives.name), segment, "a cache segment");
    }
}
