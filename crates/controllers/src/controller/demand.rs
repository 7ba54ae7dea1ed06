//! The demand of a request at a controller: its own processor, the jobs of its modules, and the same request at the device behind.

use super::{ControllerParameters, ControllerRole};
use sansim_component::Module;
use sansim_component::demand::{Demand, DemandBound, RequestClass, TimeDemand};

/// The demand at a controller in this role.
pub(super) fn of(
    parameters: &ControllerParameters,
    stands: ControllerRole,
    class: &RequestClass,
    say: DemandBound,
) -> Demand {
    let [command, data, completion] = if stands == ControllerRole::BehindOthers {
        [Module::InternalCommand, Module::InternalData, Module::InternalCompletion]
    } else {
        [Module::Command, Module::Data, Module::Completion]
    };
    let demand = Demand::single_server_demand(
        "controller",
        1,
        TimeDemand::from_distribution(&parameters.processor_time),
    )
    .with_job(command, class.bytes)
    .with_job(data, class.bytes)
    .with_job(completion, class.bytes)
    .with_child_requests(*class, 1.0);
    let limits = [parameters.queue_limit, parameters.at_once, parameters.internal_limit];
    let less_because = (say == DemandBound::Mean && limits.iter().any(Option::is_some))
        .then_some("a controller limits the requests that it accepts or works on");
    let demand = Demand { less_because, ..demand };
    if stands == ControllerRole::InBand && class.write {
        demand.with_job(Module::SetUp, class.bytes).with_job(Module::SetUpSent, 0.0)
    } else {
        demand
    }
}
