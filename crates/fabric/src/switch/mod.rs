//! A switch: buffers at its inputs, a routing unit, a crossbar, and an arbiter at each output.
//!
//! Source: Molero et al. 2001, section 2. A frame goes into a buffer of the port by which it comes; the sender had credit for it. When
//! its header is in, the routing unit polls the ports in turn and serves a header at a time. From then on the frame waits for an output,
//! and leaves through the crossbar while its last words may still come in (virtual cut-through). A frame that finds its output busy is
//! stored whole. When its last word has left, its buffer is free and R_RDY goes back.

pub mod arbiter;
pub mod channel;
pub mod control;
pub mod parameters;
pub mod routing_unit;

pub use arbiter::{Arbiter, ArbiterName, Contender};
pub use channel::ChannelName;
pub use control::{ControlParameters, Transmission};
pub use parameters::{Crossbar, InputQueueing, Reserve, SwitchParameters, Switching};
pub use routing_unit::RoutingUnit;
