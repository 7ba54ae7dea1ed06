//! What a request needs of a network with TCP: its frames on the link of the node that sends them, and on that of the node that takes them.
//!
//! Every frame leaves a node that asks, or one that serves, so no more links carry at once than there are of either. What windows, acknowledgements, losses and
//! the software of nodes cost is not followed. At least, a request has its data, and one short frame the other way: a file protocol has no more.

use super::parameters::TcpParameters;
use sansim_component::demand::{Around, Class, Demand, Say, Server, Takes};
use sansim_component::network::Side;

/// See the module text.
pub(super) fn of(parameters: &TcpParameters, class: &Class, around: &Around<'_>) -> Demand {
    let frames = &around.frames;
    let header = parameters.message_header as f64;
    let bytes = class.bytes + frames.data_frames(class) * header;
    // As if all data of a request filled whole segments.
    let segments = (bytes / parameters.segment() as f64).max(1.0);
    let beside = (parameters.headers + parameters.frame_overhead) as f64;
    let ns = |bytes: f64| bytes / parameters.rate as f64 * 1e9;
    let data = ns(bytes + segments * beside);
    let message = |bytes: f64| match around.say {
        Say::Mean => ns(bytes + header + beside),
        _ => 0.0,
    };
    let short = parameters.frame_time(0).as_ns_f64();
    let (command, response) = (message(frames.command), message(frames.response));
    let [out, in_return] = if class.write {
        [command + data, response.max(short)]
    } else {
        [command.max(short), data + response]
    };
    let servers = at_once(around);
    let server = |name, ns| Server { name, servers, takes: Takes::fixed(ns) };
    Demand {
        servers: vec![server("out", out), server("back", in_return)],
        less_because: (around.say == Say::Mean).then_some(
            "what windows, acknowledgements, losses and the software of nodes cost with TCP is not followed",
        ),
        ..Demand::default()
    }
}

/// Links to nodes of the side that has fewer.
fn at_once(around: &Around<'_>) -> u32 {
    let of_side = |side: Side| around.standing.iter().filter(|node| node.side == side).count() as u32;
    of_side(Side::Initiator).min(of_side(Side::Target)).max(1)
}
