//! The demand of a request on a SCSI bus: its connections, each of which occupies the bus alone.
//!
//! In the least demand the whole request uses one connection, without the cost of a disconnection. In the mean demand a target that
//! disconnects at once does so once: in a read after the command, in a write after the data, if it asked for the data at once. This model
//! does not follow whether the target asked at once, nor for how long a target keeps the bus that waits for a time, or until its status has
//! been sent.

use sansim_component::demand::{Demand, DemandBound, DemandContext, DemandServer, RequestClass, TimeDemand};
use sansim_kernel::Span;
use sansim_scsi::ScsiBusParameters;
use sansim_scsi::phases::{COMMAND_BYTES, DISCONNECT_BYTES, OPENING_BYTES, STATUS_BYTES};

/// The demand of a request on a SCSI bus.
pub(super) fn of(parameters: &ScsiBusParameters, class: &RequestClass, around: &DemandContext<'_>) -> Demand {
    let overhead = (parameters.arbitration + parameters.clean_up).as_ns_f64();
    let control = |bytes: u64| parameters.control_byte.as_ns_f64() * bytes as f64;
    let data = class.bytes / (parameters.rate as f64 * parameters.efficiency) * 1e9;
    let bus =
        |ns: f64| DemandServer { name: "scsi_bus", servers: 1, queues: 1, takes: TimeDemand::fixed_ns(ns) };
    let one = overhead + control(OPENING_BYTES + COMMAND_BYTES + STATUS_BYTES) + data;
    if around.say != DemandBound::Mean {
        return Demand { servers: vec![bus(one)], ..Demand::default() };
    }
    let opened = overhead + control(OPENING_BYTES);
    let [first, second] = if class.write {
        [data + control(COMMAND_BYTES + DISCONNECT_BYTES[1]), control(STATUS_BYTES)]
    } else {
        [control(COMMAND_BYTES + DISCONNECT_BYTES[0]), data + control(STATUS_BYTES)]
    };
    let less_because = if parameters.disconnect_after != Some(Span::ZERO) {
        Some("the model leaves out how long a target holds a SCSI bus without data to send")
    } else if class.write {
        Some("a target on a SCSI bus may disconnect before the data of a write, which the model leaves out")
    } else {
        None
    };
    Demand { servers: vec![bus(opened + first), bus(opened + second)], less_because, ..Demand::default() }
}
