//! The demand of a command at a tape drive: the tape, while its data pass, and the way to its place if it does not follow the command before.
//!
//! Its least demand is zero: the buffer may take a write, and may have the data of a read. Places are uniform on a wrap, so the mean way is a third
//! of it. Back-hitches are left out: their number depends on the load.

use super::TapeDriveParameters;
use sansim_component::demand::{Demand, DemandContext, RequestClass, Say, Takes};

/// See the module text.
pub(super) fn of(
    parameters: &TapeDriveParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Demand {
    if around.say == Say::Least {
        return Demand::hidden("the buffer of a tape drive may serve the requests");
    }
    let locate_ns = if class.sequential {
        0.0
    } else {
        parameters.locate.as_ns_f64() + parameters.end_to_end.as_ns_f64() / 3.0
    };
    Demand::of("tape", 1, Takes::fixed(locate_ns + class.bytes / parameters.rate as f64 * 1e9))
}
