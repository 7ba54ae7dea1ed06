//! The segments of a request on its path through a fabric: a ledger line for each switch and each kind of wait at it, separately for
//! control messages (commands, FCP_XFER_RDY, responses, link services) and for data.

use sansim_component::network;
use sansim_fc::frame::{Frame, PduKind};
use sansim_schema::catalogue::Segment;

pub const QUEUE: usize = network::segment::QUEUE;
pub const CREDIT: usize = 2;
pub const LOST: usize = 3;
pub const GATEWAY: usize = 4;
/// The number of the first segment on the path through the fabric.
const WAY: usize = 5;

/// The number of switches on a path that have ledger lines of their own. The lines of the last of these
/// switches also count the time at all switches that follow.
pub const HOPS: usize = 5;
/// The number of ledger lines of a switch.
const OF_HOP: usize = 3;
/// The number of ledger lines of a class of messages.
const OF_CLASS: usize = HOPS * OF_HOP + 2;
/// The number of segments.
pub const COUNT: usize = WAY + 2 * OF_CLASS;

/// The stage of a frame at a switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SwitchStage {
    /// The frame is in flight on the link to the switch.
    Link,
    /// The switch routes the frame, and passes it on.
    Routing,
    /// The frame waits for its output.
    Output,
}

fn class(frame: &Frame) -> usize {
    WAY + if frame.kind == PduKind::Data { OF_CLASS } else { 0 }
}

/// The stage of a frame at a switch, counted from 1 along its path.
#[inline]
pub fn at(frame: &Frame, hop: u8, what: SwitchStage) -> usize {
    class(frame) + usize::from(hop).clamp(1, HOPS).saturating_sub(1) * OF_HOP + what as usize
}

/// The segment of a frame that waits in a switch for credit of its output.
pub fn credit_wait_segment(frame: &Frame) -> usize {
    class(frame) + HOPS * OF_HOP
}

/// The segment of a frame on the last link, to its node.
pub fn last_link_segment(frame: &Frame) -> usize {
    class(frame) + HOPS * OF_HOP + 1
}

/// The ledger lines of a switch.
macro_rules! at_switch {
    ($class:literal, $what:literal, $number:literal, $switch:literal) => {
        [
            Segment::work(
                concat!($class, "_link_", $number),
                concat!($class, ": link ", $number),
                concat!($what, " is in flight on the link to ", $switch, ", until its header is received."),
                &[0],
            ),
            Segment::wait(
                concat!($class, "_routing_", $number),
                concat!($class, ": routing ", $number),
                concat!(
                    $what,
                    " is in ",
                    $switch,
                    ": it waits for the routing unit, is routed, is stored whole if necessary, and crosses to its output."
                ),
            ),
            Segment::wait(
                concat!($class, "_output_", $number),
                concat!($class, ": output ", $number),
                concat!($what, " waits in ", $switch, " for its output, which sends other frames."),
            ),
        ]
    };
}

/// The ledger lines of a class of messages.
macro_rules! of_class {
    ($class:literal, $what:literal) => {
        (
            [
                at_switch!($class, $what, "1", "the first switch"),
                at_switch!($class, $what, "2", "the second switch"),
                at_switch!($class, $what, "3", "the third switch"),
                at_switch!($class, $what, "4", "the fourth switch"),
                at_switch!($class, $what, "5", "the fifth or a later switch"),
            ],
            [
                Segment::wait(
                    concat!($class, "_switch_credit"),
                    concat!($class, ": credit in switches"),
                    concat!(
                        $what,
                        " is first in the queue of a switch output without credit: no buffer is free at the other end of the link, or R_RDY is in flight."
                    ),
                ),
                Segment::work(
                    concat!($class, "_last_link"),
                    concat!($class, ": last link"),
                    concat!($what, " is on the last link, from its first word there to its last at the node that receives it."),
                    &[0],
                ),
            ],
        )
    };
}

const CONTROL: ([[Segment; OF_HOP]; HOPS], [Segment; 2]) = of_class!("control", "A control message");
const DATA: ([[Segment; OF_HOP]; HOPS], [Segment; 2]) = of_class!("data", "A data frame");

/// All segments of a fabric.
pub const SEGMENTS: [Segment; COUNT] = {
    let mut all = [Segment::wait("", "", ""); COUNT];
    all[QUEUE] = Segment::wait(
        "port_queue",
        "port queue",
        "Queue of a node's port, behind other frames and the gap after them.",
    )
    .coloured("#E69F00");
    all[network::segment::WAITS] = Segment::wait("fabric", "fabric", "Waiting for the fabric.");
    all[CREDIT] = Segment::wait(
        "credit",
        "credit",
        "Waiting at the node's port for credit: no buffer is free at the other end of its link, or R_RDY is in flight.",
    ).coloured("#661100");
    all[LOST] = Segment::wait(
        "lost",
        "lost",
        "A frame was lost in the fabric: a link or switch failed, or there was no path.",
    );
    all[GATEWAY] = Segment::wait(
        "gateway",
        "gateway",
        "A frame is in a gateway that accelerates writes: its data wait until the target asks for them, or it waits for the gateway's port.",
    );
    let classes = [CONTROL, DATA];
    let mut number = 0;
    while number < 2 * OF_CLASS {
        let (at_switches, others) = &classes[number / OF_CLASS];
        let place = number % OF_CLASS;
        all[WAY + number] = if place < HOPS * OF_HOP {
            at_switches[place / OF_HOP][place % OF_HOP]
        } else {
            others[place - HOPS * OF_HOP]
        };
        number += 1;
    }
    all
};

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_fc::frame::Pdu;

    #[test]
    fn numbers_are_those_of_the_catalogue() {
        let data = Frame::example();
        let control = Frame::from(Pdu { kind: PduKind::Response, ..*data });
        let name = |number: usize| SEGMENTS[number].name;
        assert_eq!([QUEUE, CREDIT, LOST, GATEWAY].map(name), ["port_queue", "credit", "lost", "gateway"]);
        assert_eq!(name(at(&control, 1, SwitchStage::Link)), "control_link_1");
        assert_eq!(name(at(&data, 3, SwitchStage::Routing)), "data_routing_3");
        assert_eq!(name(at(&data, 5, SwitchStage::Output)), "data_output_5");
        assert_eq!(
            name(at(&data, 200, SwitchStage::Output)),
            "data_output_5",
            "one behind the last that has lines"
        );
        assert_eq!(name(credit_wait_segment(&control)), "control_switch_credit");
        assert_eq!(
            [last_link_segment(&control), last_link_segment(&data)].map(name),
            ["control_last_link", "data_last_link"]
        );
        assert_eq!(last_link_segment(&data), COUNT - 1);
    }

    #[test]
    fn every_segment_has_a_name_of_its_own() {
        for (number, segment) in SEGMENTS.iter().enumerate() {
            assert!(!segment.name.is_empty());
            assert!(SEGMENTS[..number].iter().all(|other| other.name != segment.name), "{}", segment.name);
        }
    }
}
