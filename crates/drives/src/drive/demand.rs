//! The demand of a command at a drive.

use crate::faults::FAILS;
use crate::medium::REFUSES;

use super::{DriveModel, DriveParameters};
use sansim_component::demand::{Demand, DemandBound, DemandContext, RequestClass, TimeDemand};

/// The demand of a command is an access and the transfer. A drive with a cache may have the requested data there, so it has no least
/// demand; in the mean a command that follows the command before has no access.
pub(super) fn of(parameters: &DriveParameters, class: &RequestClass, around: &DemandContext<'_>) -> Demand {
    if parameters.firmware.faults.fails_every.is_some() && around.say == DemandBound::Least {
        return Demand::wholly_uncertain(FAILS);
    }
    let cached = parameters.cache.is_some();
    if cached && around.say == DemandBound::Least {
        return Demand::wholly_uncertain("a cache of a drive may serve the requests");
    }
    let goes_on = cached && class.sequential;
    // A RAM disk has no access time unless the scenario gives one.
    let has_access = parameters.model == DriveModel::Disk || parameters.access_time.mean_ns() > 0.0;
    let drawn = (has_access && !goes_on).then(|| parameters.access_time.clone());
    let fixed_ns = class.bytes / parameters.transfer_rate as f64 * 1e9;
    let takes = TimeDemand { fixed_ns, drawn, common: 0.0 };
    let refuses = around.say == DemandBound::Mean && parameters.firmware.queue_limit.is_some();
    Demand {
        less_because: refuses.then_some(REFUSES),
        ..Demand::single_server_demand("drive", parameters.concurrency, takes)
    }
}
