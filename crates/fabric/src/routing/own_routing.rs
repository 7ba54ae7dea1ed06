//! Routing by a rule of the user, which chooses one of the ports on shortest paths for each frame.

use super::{OutputPorts, exchange_hash};
use sansim_fc::frame::Frame;
use sansim_kernel::{TICKS_PER_NS, Time};
use sansim_rules::{Decider, OwnRule};
use sansim_schema::decision;
use sansim_schema::decision::as_feature;

decision! {
    /// The choice of the port, of the allowed ones, by which a frame leaves a switch.
    pub static ROUTING = "routing";
    /// The frame, and the switch that routes it.
    common RoutedFrame {
        /// The time of the choice.
        now: "ns",
        /// Number of the switch in the fabric.
        switch: "",
        /// Number of allowed ports.
        outputs: "",
        /// Address of the source.
        source: "",
        /// Address of the destination.
        destination: "",
        /// Area of the destination, the middle byte of its address.
        area: "",
        /// Hash of the exchange, the same for all its frames in one direction.
        exchange: "",
        /// Payload of the frame.
        bytes: "bytes",
    }
    /// A port on a shortest path; ports are in the order of the links.
    each OutputFeatures {
        /// Place among the allowed ports, from 0.
        place: "",
        /// Number of the port in its switch.
        port: "",
        /// Frames that wait to leave by the port.
        waiting: "",
        /// Frames for which the port has credit on the channel of the frame.
        credit: "",
        /// 1 if the port sends no frame now, 0 otherwise.
        idle: "",
    }
}

/// The state of an output that a frame may take.
#[derive(Clone, Copy, Debug)]
pub struct OutputState {
    /// The number of the output among all ports of the fabric.
    pub output: u16,
    /// The number of the port in its switch.
    pub port: u16,
    /// The number of waiting frames.
    pub waiting: usize,
    /// The number of frames for which there is credit.
    pub credit: u32,
    /// Whether no frame is being sent.
    pub is_idle: bool,
}

/// Routing by a rule of the user.
#[derive(Clone, Debug)]
pub struct OwnRouting {
    decider: Decider,
    /// The outputs of the present decision, kept to reuse the memory.
    pub(crate) outputs: Vec<OutputState>,
}

impl From<OwnRule> for OwnRouting {
    fn from(rule: OwnRule) -> Self {
        Self { decider: Decider::from(rule), outputs: Vec::new() }
    }
}

impl OwnRouting {
    /// The output that the rule chooses for a frame, of those in the list.
    pub(crate) fn choose(&mut self, now: Time, switch: u32, frame: &Frame) -> OutputPorts {
        let now_ns = now.ticks() / TICKS_PER_NS;
        let destination = frame.destination.value();
        let routed = RoutedFrame {
            now: as_feature(now_ns),
            switch: switch.into(),
            outputs: as_feature(self.outputs.len()),
            source: frame.source.value().into(),
            destination: destination.into(),
            area: (destination >> 8 & 0xFF).into(),
            exchange: exchange_hash(frame).into(),
            bytes: frame.payload_bytes.into(),
        };
        let view = self.decider.view();
        view.begin(&routed.values());
        for (place, output) in self.outputs.iter().enumerate() {
            let features = OutputFeatures {
                place: as_feature(place),
                port: output.port.into(),
                waiting: as_feature(output.waiting),
                credit: output.credit.into(),
                idle: output.is_idle.into(),
            };
            view.add_candidate(&features.values());
        }
        OutputPorts::single_port(self.outputs[self.decider.choose(now_ns)].output)
    }
}
