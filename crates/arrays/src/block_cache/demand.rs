//! The demand of a request at a cache. The content of a cache depends on the history, so for the least demand reads and cached writes need
//! no access to a device; in the mean, reads need the share that misses according to `hit_ratio` of the class, and every write is destaged
//! in the end.

use super::BlockCacheParameters;
use sansim_cache::parameters::WriteMode;
use sansim_cache::read_ahead::ReadAheadPolicy;
use sansim_component::Module;
use sansim_component::demand::{
    ChildDestination, ChildVisit, Demand, DemandBound, DemandContext, RequestClass, TimeDemand,
};

/// The demand of a request at the cache; none if the hit ratio is unknown.
pub(super) fn of(
    parameters: &BlockCacheParameters,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Option<Demand> {
    let moves_ns = parameters.memory_bandwidth.map_or(0.0, |rate| class.bytes / rate as f64 * 1e9);
    let mut demand = Demand::single_server_demand("cache_memory", 1, TimeDemand::fixed_ns(moves_ns))
        .with_job(Module::LookUp, class.bytes);
    demand.delay_ns = parameters.look_up_time.as_ns_f64();
    let write = &parameters.cache.write;
    let goes_through = class.write && write.mode == WriteMode::Through;
    if goes_through {
        return Some(demand.with_child_requests(*class, 1.0));
    }
    if around.say == DemandBound::Least {
        return Some(Demand { less_because: Some("a cache may serve the requests"), ..demand });
    }
    let reads_ahead = match parameters.cache.read_ahead {
        ReadAheadPolicy::None(_) => false,
        // The adaptive policy needs sequences.
        ReadAheadPolicy::Adaptive(_) => class.sequential,
        _ => true,
    };
    if !class.write && reads_ahead {
        demand.less_because = Some("a cache reads ahead, and when these data arrive is not modelled");
    }
    if class.write && write.mirrored {
        demand = demand.with_job(Module::Link, class.bytes);
        demand.delay_ns += parameters.partner_time.as_ns_f64();
    }
    let times = if class.write { 1.0 } else { 1.0 - class.hit_ratio? };
    demand.visits.push(ChildVisit {
        class: *class,
        times,
        largest_bytes: class.bytes,
        to: ChildDestination::One,
        alike: 1,
        step: 0,
        in_background: class.write,
    });
    Some(demand)
}
