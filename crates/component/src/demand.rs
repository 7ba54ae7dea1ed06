//! The service demands of a component for the analytic model: its own demands per request, and its visits to others. They are computed from
//! the parameters alone, without a simulation, by `Component::demand`.
//!
//! The analytic model adds them up: the bounds use those at [least](Say::Least) (`crates/analytic/src/bounds.rs`).
//!
//! Source: Denning and Buzen, The Operational Analysis of Queueing Network Models, ACM Computing Surveys 10(3), 1978.

use crate::build_context::NetworkNode;
use crate::module::Module;
use sansim_kernel::distribution::Gamma;
use sansim_kernel::{Distribution, Span};

/// The number that is wanted: a lower bound or a mean.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Say {
    /// The least demand in the long run under all conditions. A component that cannot be certain returns zero, with a reason.
    Least,
    /// The mean demand without queueing, as far as the component can know it; sequential requests are contiguous, others are at random
    /// positions.
    Mean,
}

/// Requests that are alike in what they need.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RequestClass {
    /// Whether data go to the device.
    pub write: bool,
    /// Mean bytes of a request.
    pub bytes: f64,
    /// Whether all are of this size.
    pub is_of_one_size: bool,
    /// Whether the requests are sequential on their device.
    pub sequential: bool,
    /// Share of them that hits the cache; none if it is unknown.
    pub hit_ratio: Option<f64>,
}

/// The context of a component, as far as its demands depend on it.
#[derive(Clone, Copy, Debug)]
pub struct DemandContext<'a> {
    /// The numbers that are wanted.
    pub say: Say,
    /// Capacities of the devices that it asks, in bytes.
    pub behind_bytes: &'a [u64],
    /// Whether it is asked through an adapter on a network.
    pub on_network: bool,
    /// Whether it shares what works for it with others: the resources of a controller, the processors of a host.
    pub is_inside: bool,
    /// The nodes at the stations; only a network has them.
    pub nodes: &'a [NetworkNode],
    /// The pairs of stations between which requests go, all equally often; only a network has them. Empty if they are unknown.
    pub between: &'a [(usize, usize)],
    /// Payloads of the frames; for components that carry or make frames.
    pub frames: FrameBytes,
    /// The jobs of all modules for a request, and the number of controllers; only for the resources of a controller.
    pub jobs: &'a [JobOf],
    /// See [`DemandContext::jobs`].
    pub halves: u32,
}

impl DemandContext<'_> {
    /// The context of mean demands of a component by itself, without neighbours.
    pub const NOTHING: Self = Self {
        say: Say::Mean,
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
    /// Most data in a frame.
    pub data: f64,
    /// FCP_CMND.
    pub command: f64,
    /// FCP_XFER_RDY.
    pub transfer_ready: f64,
    /// FCP_RSP.
    pub response: f64,
}

impl FrameBytes {
    /// Frames of data of a request: at least so many in the mean, of which none is empty.
    pub fn data_frames(&self, class: &RequestClass) -> f64 {
        let frames = class.bytes / self.data.max(1.0);
        let whole = if class.is_of_one_size { frames.ceil() } else { frames };
        whole.max(1.0)
    }
}

/// Time of a server or of a delay.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Takes {
    /// The part that is always the same, in nanoseconds.
    pub fixed_ns: f64,
    /// The part that is drawn, for each visit by itself.
    pub drawn: Option<Distribution>,
}

impl Takes {
    /// Always so many nanoseconds.
    pub fn fixed(fixed_ns: f64) -> Self {
        Self { fixed_ns, drawn: None }
    }

    /// Drawn for each visit; always the same if the distribution is fixed.
    pub fn drawn(distribution: &Distribution) -> Self {
        match distribution {
            Distribution::Fixed(span) => Self::fixed(span.as_ns_f64()),
            drawn => Self { fixed_ns: 0.0, drawn: Some(drawn.clone()) },
        }
    }

    /// A mean and a variance, in ns and ns^2; a gamma distribution has both.
    pub fn of_moments(mean_ns: f64, variance_ns2: f64) -> Self {
        if mean_ns <= 0.0 || variance_ns2 <= 0.0 {
            return Self::fixed(mean_ns.max(0.0));
        }
        let drawn =
            Distribution::Gamma(Gamma::new(Span::from_ns_f64(mean_ns), variance_ns2.sqrt() / mean_ns));
        Self { fixed_ns: 0.0, drawn: Some(drawn) }
    }

    /// The mean of the service time.
    pub fn mean_ns(&self) -> f64 {
        self.fixed_ns + self.drawn.as_ref().map_or(0.0, Distribution::mean_ns)
    }

    /// A lower bound on the mean of the longest of `of` independent draws.
    pub fn slowest_ns(&self, of: u32) -> f64 {
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
    pub takes: Takes,
}

/// One of several servers of a network that are no choice for each other: which of them a request passes follows from where it goes.
#[derive(Clone, Debug, PartialEq)]
pub struct OneOf {
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
    /// Whether it leads to a node, and not from switch to switch.
    pub is_of_node: bool,
    /// Whether the link is that of the initiator.
    pub is_of_asker: bool,
    /// The number of frames for which there are buffers after the link: so many of a request leave, however long they wait afterwards.
    pub holds_frames: f64,
    /// Time of a request that passes it.
    pub server: DemandServer,
}

/// Jobs that a request makes for the resources of the controller.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JobOf {
    /// The module.
    pub module: Module,
    /// The mean number of jobs of a request.
    pub times: f64,
    /// Bytes of each.
    pub bytes: f64,
    /// Processor time of the job beyond that of the module.
    pub time_ns: f64,
}

/// The devices to which child requests go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum To {
    /// Each child request goes to one of the devices behind, to all with equal probability.
    One,
    /// The one on which the device that is asked lies: it was put there, and could be put on another.
    Placed,
    /// Each child request goes to a device of its own.
    Different,
}

/// Child requests that a request causes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChildVisit {
    /// The class of the child requests.
    pub class: RequestClass,
    /// The mean number of child requests.
    pub times: f64,
    /// Bytes of the largest of them, which is waited for the longest; where the least is said, at least.
    pub largest_bytes: f64,
    /// The devices of the child requests.
    pub to: To,
    /// How many of them are equal, for devices that get the same requests and have the same queues: copies of the data. 1 if none are.
    pub alike: u32,
    /// The step of the child requests: those of one step run in parallel, and all of them end before the next step begins.
    pub step: u8,
    /// The request does not wait for them.
    pub in_background: bool,
}

/// The demands of a request at a component and, through it, at others.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Demand {
    /// The servers in the component that it visits one after the other.
    pub servers: Vec<DemandServer>,
    /// Further servers that it visits there, chosen by its source and destination. Time that grows with its size overlaps across the
    /// stages.
    pub one_of: Vec<OneOf>,
    /// Work in the component for the request while it does not wait: it limits the throughput, and does not add to the response time.
    pub in_background: Vec<DemandServer>,
    /// Time in which no server works for it and it waits for none, in nanoseconds.
    pub delay_ns: f64,
    /// The jobs of a request at the resources of the controller.
    pub jobs: Vec<JobOf>,
    /// Its jobs for the processors of the nodes, by the number of the station, if it passes them; only for a network.
    pub at_nodes: Vec<(usize, JobOf)>,
    /// The child requests of a request.
    pub visits: Vec<ChildVisit>,
    /// The reason why the demand is less than the mean demand, if it is.
    pub less_because: Option<&'static str>,
    /// The reason why at least half of the service time is left out, if it is: a bound on the rest then has no use.
    pub mostly_left_out: Option<&'static str>,
}

impl Demand {
    /// The demand of a single server.
    pub fn of(name: &'static str, servers: u32, takes: Takes) -> Self {
        Self { servers: vec![DemandServer { name, servers, queues: 1, takes }], ..Self::default() }
    }

    /// A demand of which no part is certain.
    pub fn unknown(less_because: &'static str) -> Self {
        Self { less_because: Some(less_because), ..Self::default() }
    }

    /// A demand of which no part is certain, and the uncertain part is most of the time.
    pub fn hidden(why: &'static str) -> Self {
        Self { mostly_left_out: Some(why), ..Self::unknown(why) }
    }

    /// The same demand with one job more.
    #[must_use]
    pub fn with_job(mut self, module: Module, bytes: f64) -> Self {
        self.jobs.push(JobOf { module, times: 1.0, bytes, time_ns: 0.0 });
        self
    }

    /// The same demand with child requests of a class for one of the devices behind.
    #[must_use]
    pub fn asking(mut self, class: RequestClass, times: f64) -> Self {
        let largest_bytes = class.bytes;
        self.visits.push(ChildVisit {
            class,
            times,
            largest_bytes,
            to: To::One,
            alike: 1,
            step: 0,
            in_background: false,
        });
        self
    }

    /// The same demand, for data that could be placed on other devices behind.
    #[must_use]
    pub fn placed(mut self) -> Self {
        self.visits.iter_mut().for_each(|visit| visit.to = To::Placed);
        self
    }

    /// Time of a request without queueing, without its child requests and jobs.
    pub fn alone_ns(&self) -> f64 {
        self.delay_ns + self.servers.iter().map(|server| server.takes.mean_ns()).sum::<f64>()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_kernel::Span;

    #[test]
    fn the_slowest_of_several_takes_as_long_as_the_formulas_say() {
        let ms = |ms: u64| Span::from_us(1_000 * ms);
        let takes = |drawn| Takes { fixed_ns: 1e6, drawn: Some(drawn) };
        let exponential = takes(Distribution::Exponential { mean: ms(4) });
        // 4 ms times the harmonic number of 3.
        assert!((exponential.slowest_ns(3) - (1e6 + 4e6 * (1.0 + 0.5 + 1.0 / 3.0))).abs() < 1.0);
        let uniform = takes(Distribution::Uniform { low: ms(2), high: ms(6) });
        assert!((uniform.slowest_ns(3) - (1e6 + 2e6 + 4e6 * 0.75)).abs() < 1.0);
        assert_eq!((uniform.slowest_ns(1), uniform.mean_ns()), (5e6, 5e6));
        assert_eq!(takes(Distribution::Fixed(ms(3))).slowest_ns(9), 4e6);
    }
}
