//! The demand of a request on a network: its frames, which go one after the other in either direction, and the shortest path for a command
//! and its answer. FC-FS: in addition to its payload a frame has SOF, six words of header, CRC and EOF.
//!
//! A loop has one wire, a loop switch and a fabric have several, of which a request uses one; each network gives the number of
//! its wires (`loop_switch/demand.rs`, `fabric/demand.rs`).
//!
//! In the least demand, arbitration uses no time of a server: commands, data and responses of several requests may share a tenancy. In the
//! mean demand each sequence on a loop has a circuit of its own, except the status of a read, which uses the circuit of its data; a circuit
//! occupies the loop from the win of arbitration until it is closed (docs/model/analytic.md has each step with its source).

use crate::stations::{fc_port_keys, loop_stations};
use sansim_component::demand::{
    Demand, DemandBound, DemandContext, DemandServer, FrameBytes, RequestClass, TimeDemand,
};
use sansim_component::network::NetworkPortRole;
use sansim_fc::arbitrated_loop::LoopParameters;
use sansim_fc::arbitrated_loop::geometry::LoopGeometry;
use sansim_fc::class_2::ServiceClass;

/// The number of words of a frame in addition to its payload.
pub(crate) const WORDS_BESIDE: f64 = 9.0;
/// The number of words between frames, and before CLS.
const GAP: f64 = 6.0;
/// The number of words of a circuit in addition to its frames: OPN, seven up to the first frame, the gap before CLS, one until its answer
/// and one until the owner leaves.
const WORDS_OF_CIRCUIT: f64 = 1.0 + 7.0 + GAP + 2.0;
/// The number of words by which the first frame is delayed if it waits for an R_RDY.
const WORDS_FOR_CREDIT: f64 = 3.0;
/// The number of bytes of a word.
const WORD_BYTES: f64 = 4.0;

/// The frames of a request on one of `wires` wires, each of which carries both directions: away from the initiator,
/// and back.
pub(crate) fn wires(
    wires: u32,
    word_ns: f64,
    words_beside: f64,
    class: &RequestClass,
    frames: &FrameBytes,
) -> Vec<DemandServer> {
    let words = |bytes: f64, frames: f64| bytes / WORD_BYTES + frames * words_beside;
    let data = words(class.bytes, frames.data_frame_count(class));
    let (command, response) = (words(frames.command, 1.0), words(frames.response, 1.0));
    let [out, back] = if class.write {
        [command + data, words(frames.transfer_ready, 1.0) + response]
    } else {
        [command, data + response]
    };
    let server = |name, words| DemandServer {
        name,
        servers: wires,
        queues: 1,
        takes: TimeDemand::fixed_ns(words * word_ns),
    };
    vec![server("out", out), server("back", back)]
}

/// The demand of a request on a loop.
pub(crate) fn of(parameters: &LoopParameters, class: &RequestClass, around: &DemandContext<'_>) -> Demand {
    if around.say == DemandBound::Mean {
        return in_the_mean(parameters, class, around);
    }
    let word_ns = parameters.word_time().as_ns_f64();
    // A word is received before it passes the port: the delay of one of the two end ports of a path does not
    // count.
    let stations = loop_stations(around.nodes, |_| 0);
    let delays = stations.iter().map(|station| station.port.delay.span.as_ns_f64());
    let round = LoopGeometry::from_stations(parameters, &stations).round_trip_time().as_ns_f64();
    let at_ends = 2.0 * delays.fold(0.0, f64::max);
    Demand {
        servers: wires(1, word_ns, WORDS_BESIDE, class, &around.frames),
        delay_ns: (round - at_ends - 2.0 * word_ns).max(0.0),
        ..Demand::default()
    }
}

/// The circuits of a request, one after the other: command, and data with the status; or command, FCP_XFER_RDY, data and status.
fn in_the_mean(parameters: &LoopParameters, class: &RequestClass, around: &DemandContext<'_>) -> Demand {
    let round_ns = LoopGeometry::from_stations(parameters, &loop_stations(around.nodes, |_| 0))
        .round_trip_time()
        .as_ns_f64();
    // The ARB(x) that the owner before this one has passed on goes round half the loop.
    let way = Way { word_ns: parameters.word_time().as_ns_f64(), round_ns, before_ns: 0.5 * round_ns };
    let servers = circuits("loop", &way, class, around);
    // On an idle loop an ARB(x) also goes round the other half.
    let delay_ns = servers.len() as f64 * 0.5 * round_ns;
    let less_because = (parameters.class == ServiceClass::Class2)
        .then_some("the model leaves out acknowledgements of class 2, and the circuits for them");
    Demand { servers, delay_ns, less_because, ..Demand::default() }
}

/// The wire over which the circuits of a request go.
pub(crate) struct Way {
    /// The time of a word.
    pub word_ns: f64,
    /// The time once round, from one end of the circuit and back to it.
    pub round_ns: f64,
    /// The time without a circuit before OPN: since the end of the circuit before, or on an idle loop.
    pub before_ns: f64,
}

/// The circuits of a request, one after the other, as visits to a server that carries one circuit at a time.
pub(crate) fn circuits(
    name: &'static str,
    way: &Way,
    class: &RequestClass,
    around: &DemandContext<'_>,
) -> Vec<DemandServer> {
    let &Way { word_ns, round_ns, before_ns } = way;
    let waits_for_credit = around.nodes.iter().any(|node| fc_port_keys(&node.port).port.login_credit == 0);
    let (credit_rounds, credit_words) = if waits_for_credit { (1.0, WORDS_FOR_CREDIT) } else { (0.0, 0.0) };
    // CLS goes to the other end and comes back.
    let rounds = 1.0 + credit_rounds;
    // At the receiver of data a frame is sent at least one round after the frame that had its buffer before.
    let receivers =
        around.nodes.iter().filter(|node| (node.side == NetworkPortRole::Initiator) != class.write);
    let buffers = receivers.map(|node| fc_port_keys(&node.port).port.incoming_buffers);
    let buffers = f64::from(buffers.min().unwrap_or(1));
    let circuit = |bytes: f64, frames: f64| {
        let frame = bytes / WORD_BYTES / frames + WORDS_BESIDE;
        let until_credit = (round_ns / word_ns + frame) / buffers;
        let words = frame + (frames - 1.0) * (frame + GAP).max(until_credit);
        let takes_ns = (words + WORDS_OF_CIRCUIT + credit_words) * word_ns + rounds * round_ns + before_ns;
        DemandServer { name, servers: 1, queues: 1, takes: TimeDemand::fixed_ns(takes_ns) }
    };
    let (frames, data) = (&around.frames, around.frames.data_frame_count(class));
    if class.write {
        let control = [frames.command, frames.transfer_ready].map(|bytes| circuit(bytes, 1.0));
        control.into_iter().chain([circuit(class.bytes, data), circuit(frames.response, 1.0)]).collect()
    } else {
        vec![circuit(frames.command, 1.0), circuit(class.bytes + frames.response, data + 1.0)]
    }
}
