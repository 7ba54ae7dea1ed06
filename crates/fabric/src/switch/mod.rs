//! A switch: buffers at its inputs, a routing unit, a crossbar, and an arbiter at each output.
//!
//! Source: Molero et al. 2001, section 2. A frame occupies a buffer of the port by which it arrives; the sender had credit for it. When
//! the header of a frame has arrived, the routing unit polls the ports in turn and serves one header at a time. When its header has been
//! served the frame waits for an output, and leaves through the crossbar while its last words may still arrive (virtual cut-through). A
//! frame that finds its output busy is stored completely. When the last word of a frame has left, its buffer is free and R_RDY is sent
//! back.

pub mod arbiter;
pub mod channel;
pub mod control;
pub mod parameters;
pub mod routing_unit;

pub use arbiter::{Arbiter, ArbiterName, Contender};
pub use channel::ChannelName;
pub use control::{ControlParameters, ControlPriority};
pub use parameters::{BufferReserve, Crossbar, InputQueueing, SwitchParameters, SwitchingMode};
pub use routing_unit::RoutingUnit;
