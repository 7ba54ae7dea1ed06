//! What a request needs of a SCSI bus: its connections, each of which has the bus to itself.
//!
//! At least, all of it goes in one connection, and no disconnection is paid for. In the mean a target that disconnects at once does so behind the
//! command, and of a write behind the data as well; one that keeps the bus for a time, or until its status has gone, has it for as long as what is behind
//! it takes, and that is not known here.

use super::parameters::ScsiBusParameters;
use super::phases::{COMMAND_BYTES, DISCONNECT_BYTES, OPENING_BYTES, STATUS_BYTES};
use sansim_component::demand::{Around, Class, Demand, Say, Server, Takes};
use sansim_kernel::Span;

/// See the module text.
pub(super) fn of(parameters: &ScsiBusParameters, class: &Class, around: &Around<'_>) -> Demand {
    let overhead = (parameters.arbitration + parameters.clean_up).as_ns_f64();
    let control = |bytes: u64| parameters.control_byte.as_ns_f64() * bytes as f64;
    let data = class.bytes / (parameters.rate as f64 * parameters.efficiency) * 1e9;
    let bus = |ns: f64| Server { name: "scsi_bus", servers: 1, takes: Takes::fixed(ns) };
    let one = overhead + control(OPENING_BYTES + COMMAND_BYTES + STATUS_BYTES) + data;
    if around.say != Say::Mean {
        return Demand { servers: vec![bus(one)], ..Demand::default() };
    }
    let opened = overhead + control(OPENING_BYTES);
    let mut servers = vec![bus(opened + control(COMMAND_BYTES + DISCONNECT_BYTES[0]))];
    if class.write {
        servers.push(bus(opened + data + control(DISCONNECT_BYTES[1])));
        servers.push(bus(opened + control(STATUS_BYTES)));
    } else {
        servers.push(bus(opened + data + control(STATUS_BYTES)));
    }
    Demand {
        servers,
        less_because: (parameters.disconnect_after != Some(Span::ZERO))
            .then_some("for how long a target keeps a SCSI bus while it has nothing to send is not followed"),
        ..Demand::default()
    }
}
