//! The demand of a request on a network with TCP: its frames on the link of the node that sends them, and on the link of the node that
//! receives them.
//!
//! Every frame leaves an initiator or a target, so the number of links that carry at the same time is at most the number of either. The
//! costs of windows, acknowledgements, losses and the software of nodes are not followed, except for software that processors of a node
//! run. In the least demand, a request has its data, and one short frame in the other direction, because a file protocol has no more.

use sansim_component::demand::{
    Demand, DemandBound, DemandContext, DemandServer, RequestClass, ResourceJobDemand, TimeDemand,
};
use sansim_component::network::NetworkPortRole;
use sansim_component::{Module, NetworkNode};
use sansim_kernel::{Span, TICKS_PER_NS};
use sansim_schema::table::NamedValue;
use sansim_tcp::costs::{SoftwareCosts, SoftwareJob, TcpSegment};
use sansim_tcp::{FrameFormat, SoftwareCostKeys};

/// The keys from which the demands of a request follow.
pub struct EthernetDemandKeys<'a> {
    /// The bytes per second of the link of a node.
    pub rate: u64,
    /// The bytes of a frame.
    pub format: FrameFormat,
    /// Bytes that are added to each message.
    pub message_header: u64,
    /// The segments for which a receiver acknowledges.
    pub ack_every: u32,
    /// The costs of the software of nodes.
    pub stacks: &'a [NamedValue<SoftwareCostKeys>],
}

impl EthernetDemandKeys<'_> {
    /// The demand of a request.
    pub fn demand(&self, class: &RequestClass, around: &DemandContext<'_>) -> Demand {
        of(self, class, around)
    }

    fn software_of(&self, listed: &str) -> Option<&NamedValue<SoftwareCostKeys>> {
        self.stacks.iter().find(|stack| stack.described.members.iter().any(|member| member == listed))
    }
}

fn of(parameters: &EthernetDemandKeys<'_>, class: &RequestClass, around: &DemandContext<'_>) -> Demand {
    let frames = &around.frames;
    let header = parameters.message_header as f64;
    let bytes = class.bytes + frames.data_frame_count(class) * header;
    // The segments are counted as if all data of a request filled whole segments.
    let segments = (bytes / parameters.format.max_segment_bytes() as f64).max(1.0);
    let beside = (parameters.format.headers + parameters.format.frame_overhead) as f64;
    let ns = |bytes: f64| bytes / parameters.rate as f64 * 1e9;
    let data = ns(bytes + segments * beside);
    let message = |bytes: f64| match around.say {
        DemandBound::Mean => ns(bytes + header + beside),
        _ => 0.0,
    };
    let short = Span::to_move(parameters.format.frame_bytes(0), parameters.rate).as_ns_f64();
    let (command, response) = (message(frames.command), message(frames.response));
    let [out, in_return] = if class.write {
        [command + data, response.max(short)]
    } else {
        [command.max(short), data + response]
    };
    let servers = at_once(around);
    let server = |name, ns| DemandServer { name, servers, queues: 1, takes: TimeDemand::fixed_ns(ns) };
    Demand {
        servers: vec![server("out", out), server("back", in_return)],
        less_because: (around.say == DemandBound::Mean).then_some(not_followed(parameters, around)),
        at_nodes: at_nodes(parameters, class, around),
        ..Demand::default()
    }
}

/// The costs that the demand leaves out.
fn not_followed(parameters: &EthernetDemandKeys<'_>, around: &DemandContext<'_>) -> &'static str {
    let is_apart =
        |node: &NetworkNode| node.processors.is_none() && parameters.software_of(&node.listed).is_some();
    let is_followed = around.nodes.iter().any(|node| node.processors.is_some());
    if is_followed && !around.nodes.iter().any(is_apart) {
        "the model leaves out windows, acknowledgements and losses of TCP"
    } else {
        "the model leaves out windows, acknowledgements and losses of TCP, and the software of the nodes"
    }
}

/// The software costs at each node for a request that the node sends or serves, where processors of the node run the software.
fn at_nodes(
    parameters: &EthernetDemandKeys<'_>,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Vec<(usize, ResourceJobDemand)> {
    let of_node = |(number, node): (usize, &NetworkNode)| {
        let at = node.processors?;
        let costs = SoftwareCosts::new(&parameters.software_of(&node.listed)?.described);
        let is_asker = node.side == NetworkPortRole::Initiator;
        Some((number, software(parameters, &costs, class, around, (is_asker, at.poll))))
    };
    around.nodes.iter().enumerate().filter_map(of_node).collect()
}

/// The frames of a request at a node, and their costs at the node.
#[derive(Default)]
struct Counted {
    /// The number of jobs that take time.
    jobs: f64,
    ns: f64,
    /// The number of frames that arrive.
    taken: f64,
}

impl Counted {
    fn add(&mut self, costs: &SoftwareCosts, times: f64, job: SoftwareJob) {
        let takes = costs.job_time(job);
        if takes > Span::ZERO {
            // The time of a frame is rounded down by less than a tick.
            let tick_ns = 1.0 / TICKS_PER_NS as f64;
            self.jobs += times;
            self.ns += times * (takes.as_ns_f64() - tick_ns).max(0.0);
        }
        self.taken += if matches!(job, SoftwareJob::Take(_)) { times } else { 0.0 };
    }
}

/// The work of a request for the software of a node.
fn software(
    parameters: &EthernetDemandKeys<'_>,
    costs: &SoftwareCosts,
    class: &RequestClass,
    around: &DemandContext<'_>,
    (is_asker, polls): (bool, bool),
) -> ResourceJobDemand {
    let bytes = class.bytes + around.frames.data_frame_count(class) * parameters.message_header as f64;
    let segments = bytes / parameters.format.max_segment_bytes() as f64;
    let segments = if class.is_of_one_size { segments.ceil() } else { segments.max(1.0) };
    let each = bytes / segments;
    let frame = |bytes: f64| TcpSegment { end: bytes as u64, ..TcpSegment::empty(0, 0) };
    let (data, message, alone) = (frame(each), frame(1.0), frame(0.0));
    let sends_data = is_asker == class.write;
    let mut counted = Counted::default();
    // One message has data and one has none: a call and an answer, of which one has the data. In the mean demand there is one more message,
    // the command or the status of the data, and an acknowledgement for every `ack_every` segments.
    let (more, acks) = match around.say {
        DemandBound::Least => (0.0, 0.0),
        DemandBound::Mean => (1.0, (segments / f64::from(parameters.ack_every)).floor()),
    };
    if sends_data {
        counted.add(costs, segments, SoftwareJob::Send(data));
        counted.add(costs, more, SoftwareJob::Send(message));
        counted.add(costs, 1.0, SoftwareJob::Take(message));
        counted.add(costs, acks, SoftwareJob::Take(alone));
    } else {
        counted.add(costs, segments, SoftwareJob::Take(data));
        counted.add(costs, more, SoftwareJob::Take(message));
        counted.add(costs, 1.0, SoftwareJob::Send(message));
        counted.add(costs, acks, SoftwareJob::Send(alone));
    }
    // One interrupt brings at most `frames` frames.
    if !polls {
        let interrupts = counted.taken / f64::from(costs.frames);
        counted.add(costs, interrupts, SoftwareJob::Interrupt);
    }
    let time_ns = if counted.jobs > 0.0 { counted.ns / counted.jobs } else { 0.0 };
    ResourceJobDemand { module: Module::Network, times: counted.jobs, bytes: 0.0, time_ns }
}

/// The number of links to nodes of the side (initiators or targets) that has fewer.
fn at_once(around: &DemandContext<'_>) -> u32 {
    let of_side = |side: NetworkPortRole| around.nodes.iter().filter(|node| node.side == side).count() as u32;
    of_side(NetworkPortRole::Initiator).min(of_side(NetworkPortRole::Target)).max(1)
}
