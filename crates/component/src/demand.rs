//! The service demands of a component for the analytic model: its own demands per request, and its visits to other components. Demands are
//! computed from the parameters alone, without a simulation, by `Component::demand`.
//!
//! The analytic model adds the demands up: the bounds use those at [least](DemandBound::Least) (`crates/analytic/src/bounds.rs`).
//!
//! Source: Denning and Buzen, The Operational Analysis of Queueing Network Models, ACM Computing Surveys 10(3), 1978.

use crate::build_context::NetworkNode;
use crate::module::Module;
use sansim_kernel::distribution::Gamma;
use sansim_kernel::{Distribution, Span};

/// The kind of demand that is requested: a lower bound or a mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum DemandBound {
    /// The least demand in the long run under all conditions. A component that cannot be certain returns zero, with a reason.
    Least,
    /// The mean demand without queueing, as far as the component can know it; sequential requests are contiguous, others are at random
    /// positions.
    Mean,
}

/// A class of requests with the same demands.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequestClass {
    /// Whether data go to the device.
    pub write: bool,
    /// The mean bytes of a request.
    pub bytes: f64,
    /// Whether all requests are of this size.
    pub is_of_one_size: bool,
    /// Whether the requests are sequential on their device.
    pub sequential: bool,
    /// The share of the requests that hit the cache; none if it is unknown.
    pub hit_ratio: Option<f64>,
    /// The first byte of the device that the requests are for, and the byte behind the last; none if it is unknown.
    pub within: Option<[u64; 2]>,
}

/// The context of a component, as far as its demands depend on it.
#[derive(Clone, Copy, Debug)]
pub struct DemandContext<'a> {
    /// The kind of demand that is requested.
    pub say: DemandBound,
    /// The capacities of the devices behind the component, in bytes.
    pub behind_bytes: &'a [u64],
    /// Whether requests come to the component through an adapter on a network.
    pub on_network: bool,
    /// Whether the component shares the resources of a controller, or the processors of a host, with others.
    pub is_inside: bool,
    /// The nodes at the stations; only a network has them.
    pub nodes: &'a [NetworkNode],
    /// The pairs of stations between which requests go, all equally often; only a network has them. The list of pairs is empty if they are
    /// unknown.
    pub between: &'a [(usize, usize)],
    /// Payloads of the frames; for components that carry or make frames.
    pub frames: FrameBytes,
    /// The jobs of all modules for a request, and the number of controllers; only for the resources of a controller.
    pub jobs: &'a [ResourceJobDemand],
    /// The number of controllers; see [`DemandContext::jobs`].
    pub halves: u32,
}

impl DemandContext<'_> {
    /// The context of mean demands of a component by itself, without neighbours.
    pub const NOTHING: Self = Self {
        say: DemandBound::Mean,
        behind_bytes: &[],
        on_network: false,
        is_inside: false,
        nodes: &[],
        between: &[],
        frames: FrameBytes { data: 0.0, command: 0.0, transfer_ready: 0.0, response: 0.0 },
        jobs: &[],
        halves: 1,
    };
}

/// Payloads of the frames of a request, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct FrameBytes {
    /// The most data in a frame.
    pub data: f64,
    /// The bytes of FCP_CMND.
    pub command: f64,
    /// The bytes of FCP_XFER_RDY.
    pub transfer_ready: f64,
    /// The bytes of FCP_RSP.
    pub response: f64,
}

impl FrameBytes {
    /// The mean number of data frames of a request: the least, as no frame is empty.
    pub fn data_frame_count(&self, class: &RequestClass) -> f64 {
        let frames = class.bytes / self.data.max(1.0);
        let whole = if class.is_of_one_size { frames.ceil() } else { frames };
        whole.max(1.0)
    }
}

/// The time of a server or of a delay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TimeDemand {
    /// The fixed part of the time, in nanoseconds.
    pub fixed_ns: f64,
    /// The part of the time that is drawn, independently for each visit.
    pub drawn: Option<Distribution>,
    /// The share of the variance that is the same at devices which get the same requests.
    pub common: f64,
}

impl TimeDemand {
    /// A fixed time of this many nanoseconds.
    pub fn fixed_ns(fixed_ns: f64) -> Self {
        Self { fixed_ns, drawn: None, common: 0.0 }
    }

    /// Drawn for each visit; always the same if the distribution is fixed.
    pub fn from_distribution(distribution: &Distribution) -> Self {
        match distribution {
            Distribution::Fixed(span) => Self::fixed_ns(span.as_ns_f64()),
            drawn => Self { drawn: Some(drawn.clone()), ..Self::default() },
        }
    }

    /// A mean and a variance, in ns and ns^2; a gamma distribution has both.
    pub fn from_mean_and_variance(mean_ns: f64, variance_ns2: f64) -> Self {
        if mean_ns <= 0.0 || variance_ns2 <= 0.0 {
            return Self::fixed_ns(mean_ns.max(0.0));
        }
        let drawn =
            Distribution::Gamma(Gamma::new(Span::from_ns_f64(mean_ns), variance_ns2.sqrt() / mean_ns));
        Self { drawn: Some(drawn), ..Self::default() }
    }

    /// The mean of the service time.
    pub fn mean_time_ns(&self) -> f64 {
        self.fixed_ns + self.drawn.as_ref().map_or(0.0, Distribution::mean_ns)
    }

    /// A lower bound on the mean of the longest of `of` independent draws.
    pub fn mean_of_slowest_ns(&self, of: u32) -> f64 {
        self.fixed_ns + self.drawn.as_ref().map_or(0.0, |drawn| drawn.mean_of_slowest_ns(of))
    }
}

/// A block of a component that serves one request at a time, or several equal ones that do.
#[derive(Clone, Debug, PartialEq)]
pub struct DemandServer {
    /// The name of the server, as in the blocks of the catalogue.
    pub name: &'static str,
    /// The number of equal servers.
    pub servers: u32,
    /// How many equal queues share the servers; 1 if all of them have one queue.
    pub queues: u32,
    /// Time of a visit to one of them.
    pub takes: TimeDemand,
}

/// A link among several of a network: source and destination of a request determine which links it uses.
#[derive(Clone, Debug, PartialEq)]
pub struct LinkAmongSeveral {
    /// The name of the link.
    pub which: String,
    /// The number of equal links with equal load.
    pub alike: u32,
    /// The mean number of visits of a request to one of these links.
    pub times: f64,
    /// The stage of the link: a request passes one link of each stage, and the stages one after the other.
    pub stage: u8,
    /// Whether the link carries frames away from the initiator, and not back to it.
    pub is_away: bool,
    /// Whether the link leads to a node, and not from switch to switch.
    pub is_of_node: bool,
    /// Whether the link is that of the initiator.
    pub is_of_asker: bool,
    /// The number of frames for which there are buffers after the link: this many frames of a request leave, however long they wait
    /// afterwards.
    pub holds_frames: f64,
    /// The time of a request that passes the link.
    pub server: DemandServer,
}

/// Jobs that a request makes for the resources of the controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ResourceJobDemand {
    /// The module of the jobs.
    pub module: Module,
    /// The mean number of jobs of a request.
    pub times: f64,
    /// The bytes of each job.
    pub bytes: f64,
    /// Processor time of the job beyond that of the module.
    pub time_ns: f64,
}

/// The devices to which child requests go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChildDestination {
    /// Each child request goes to one of the devices behind, to all with equal probability.
    One,
    /// The child requests go to the device that contains the data: the data could have been placed on another device.
    Placed,
    /// Each child request goes to a device of its own.
    Different,
}

/// The treatment of requests that wait in a driver.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InDriver {
    /// The most requests in flight at all devices together.
    pub outstanding: Option<u64>,
    /// The most requests in flight at each device.
    pub per_device: Option<u64>,
    /// Whether requests overtake others.
    pub reorders: bool,
    /// Whether requests that follow each other become one.
    pub merges: bool,
}

/// Child requests that a request causes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChildVisit {
    /// The class of the child requests.
    pub class: RequestClass,
    /// The mean number of child requests.
    pub times: f64,
    /// The bytes of the largest child request, which is waited for the longest; for the least demand a lower bound.
    pub largest_bytes: f64,
    /// The devices of the child requests.
    pub to: ChildDestination,
    /// The number of equal child requests, for devices that get the same requests and have the same queues: copies of the data; 1 if none
    /// are equal.
    pub alike: u32,
    /// The step of the child requests: those of one step run in parallel, and all of them end before the next step begins.
    pub step: u8,
    /// Whether the request does not wait for the child requests.
    pub in_background: bool,
}

/// The demands of a request at a component and, through child requests, at other components.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Demand {
    /// The servers in the component that the request visits one after the other.
    pub servers: Vec<DemandServer>,
    /// Further servers that the request visits, chosen by its source and destination. Service time that grows with the size of a request
    /// overlaps across the stages.
    pub one_of: Vec<LinkAmongSeveral>,
    /// Work in the component for the request while it does not wait: it limits the throughput, and does not add to the response time.
    pub in_background: Vec<DemandServer>,
    /// The time in which no server works for the request and it waits for none, in nanoseconds.
    pub delay_ns: f64,
    /// The jobs of a request at the resources of the controller.
    pub jobs: Vec<ResourceJobDemand>,
    /// The request's jobs for the processors of the nodes, by the number of the station, if it passes them; only for a network.
    pub at_nodes: Vec<(usize, ResourceJobDemand)>,
    /// The child requests of a request.
    pub visits: Vec<ChildVisit>,
    /// The reason why the demand is less than the mean demand, if it is.
    pub less_because: Option<&'static str>,
    /// The reason why the demand is another one while several requests are there at a time, if it is.
    pub less_in_queue: Option<&'static str>,
    /// The reason why the demand is less than the mean demand of a closed load, if it is: work in the background makes the next request
    /// wait, and it comes when the request before is done.
    pub less_if_closed: Option<&'static str>,
    /// The treatment of requests that wait before they are passed on; only for a driver.
    pub in_driver: InDriver,
    /// The reason why at least half of the service time is left out, if it is: a bound from the remaining time would be useless.
    pub mostly_left_out: Option<&'static str>,
}

impl Demand {
    /// The demand of a single server.
    pub fn single_server_demand(name: &'static str, servers: u32, takes: TimeDemand) -> Self {
        Self { servers: vec![DemandServer { name, servers, queues: 1, takes }], ..Self::default() }
    }

    /// A demand of which no part is certain.
    pub fn wholly_uncertain(less_because: &'static str) -> Self {
        Self { less_because: Some(less_because), ..Self::default() }
    }

    /// A demand of which no part is certain, and the uncertain part is most of the time.
    pub fn mostly_uncertain(why: &'static str) -> Self {
        Self { mostly_left_out: Some(why), ..Self::wholly_uncertain(why) }
    }

    /// Adds a job to the demand.
    #[must_use]
    pub fn with_job(mut self, module: Module, bytes: f64) -> Self {
        self.jobs.push(ResourceJobDemand { module, times: 1.0, bytes, time_ns: 0.0 });
        self
    }

    /// Adds child requests of a class to the demand, for one of the devices that the component accesses.
    #[must_use]
    pub fn with_child_requests(mut self, class: RequestClass, times: f64) -> Self {
        let largest_bytes = class.bytes;
        self.visits.push(ChildVisit {
            class,
            times,
            largest_bytes,
            to: ChildDestination::One,
            alike: 1,
            step: 0,
            in_background: false,
        });
        self
    }

    /// Marks the data of the demand as data that could be placed on other devices.
    #[must_use]
    pub fn mark_movable(mut self) -> Self {
        self.visits.iter_mut().for_each(|visit| visit.to = ChildDestination::Placed);
        self
    }

    /// The time of a request without queueing, without its child requests and jobs.
    pub fn unloaded_time_ns(&self) -> f64 {
        self.delay_ns + self.servers.iter().map(|server| server.takes.mean_time_ns()).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_kernel::Span;

    #[test]
    fn the_slowest_of_several_takes_as_long_as_the_formulas_say() {
        let ms = |ms: u64| Span::from_us(1_000 * ms);
        let takes = |drawn| TimeDemand { fixed_ns: 1e6, drawn: Some(drawn), common: 0.0 };
        let exponential = takes(Distribution::Exponential { mean: ms(4) });
        // The expected value is 4 ms times the harmonic number of 3, added to 1 ms.
        assert!((exponential.mean_of_slowest_ns(3) - (1e6 + 4e6 * (1.0 + 0.5 + 1.0 / 3.0))).abs() < 1.0);
        let uniform = takes(Distribution::Uniform { low: ms(2), high: ms(6) });
        assert!((uniform.mean_of_slowest_ns(3) - (1e6 + 2e6 + 4e6 * 0.75)).abs() < 1.0);
        assert_eq!((uniform.mean_of_slowest_ns(1), uniform.mean_time_ns()), (5e6, 5e6));
        assert_eq!(takes(Distribution::Fixed(ms(3))).mean_of_slowest_ns(9), 4e6);
    }
}
