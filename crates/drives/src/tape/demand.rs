//! The demand of a command at a tape drive: the time for which its data pass the heads, and the distance to its position if it does not
//! follow the command before.
//!
//! The least demand at a tape drive is zero: the buffer may accept a write, and may have the data of a read. Positions are uniformly
//! distributed on a wrap, so the mean distance is a third of the wrap. Back-hitches are left out of the demand: their number depends on the
//! load.

use super::TapeDriveParameters;
use sansim_component::demand::{Demand, DemandBound, DemandContext, RequestClass, TimeDemand};

/// The demand of a command at a tape drive.
pub(super) fn of(
    parameters: &TapeDriveParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Demand {
    if around.say == DemandBound::Least {
        return Demand::mostly_uncertain("the buffer of a tape drive may serve the requests");
    }
    let locate_ns = if class.sequential {
        0.0
    } else {
        parameters.locate.as_ns_f64() + parameters.end_to_end.as_ns_f64() / 3.0
    };
    Demand::single_server_demand(
        "tape",
        1,
        TimeDemand::fixed_ns(locate_ns + class.bytes / parameters.rate as f64 * 1e9),
    )
}
