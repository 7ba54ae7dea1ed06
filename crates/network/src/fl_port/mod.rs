//! An FL_Port is a port of a switch that is also a port of a loop, so that the ports of the loop are ports of the
//! fabric.
//!
//! Source: FC-AL-2 and FC-FS. On the loop the FL_Port has AL_PA 00 and opens circuits as any port does; frames for nodes outside the loop
//! are sent to it (`crates/fc/src/loop_port/`, `towards`), and it passes frames from outside on to the loop. Addresses of the loop have the
//! domain and area of the FL_Port's switch port. On the fabric the FL_Port is a node.
//!
//! A frame is stored completely and keeps the buffer in which it arrived until its last word has left on the other network: so one network
//! gets no credit for frames that the other does not accept. Frames leave the FL_Port in the order in which they arrived. The FL_Port adds
//! no time of its own.
//!
//! Two loops whose ports communicate over two FL_Ports could wait for each other: each has a circuit to an FL_Port that is full because it
//! cannot pass on its frames for the other loop. An FL_Port that is opened, full, and has frames for the loop therefore closes first, and
//! arbitrates for these frames (`is_full_fl_port` in `crates/fc/src/loop_port/signalling.rs`).

mod catalogue;

use catalogue::{CATALOGUE, gauge, meter};
use sansim_component::context::UnitStep;
use sansim_component::{BuildContext, Component, Context, LeftoverFindings, Message, Timer};
use sansim_kernel::{Time, Total};
use sansim_request::RequestId;
use sansim_schema::catalogue::Catalogue;

/// The port of the component on the loop.
pub const ON_LOOP: u16 = 0;
/// The port of the component on the fabric.
pub const ON_FABRIC: u16 = 1;

/// An FL_Port as a component.
#[derive(Clone, Debug, Default)]
pub struct FlPortNetwork {
    /// The number of frames that arrived at each port and have not left by the other.
    held: [u32; 2],
    /// The number of frames that arrived at each port.
    came: [u64; 2],
}

impl FlPortNetwork {
    /// The port of the component on the other network.
    fn other(port: u16) -> u16 {
        ON_LOOP + ON_FABRIC - port
    }
}

impl Component for FlPortNetwork {
    type Parameters = ();
    type Role = ();

    const CATALOGUE: &'static Catalogue = &CATALOGUE;

    fn build((): &(), _: &BuildContext<'_, ()>) -> Self {
        Self::default()
    }

    fn due(&mut self, _: &mut Context<'_>, _: Timer) {}

    #[inline]
    fn receive(&mut self, cx: &mut Context<'_>, port: u16, message: Message) {
        let other = Self::other(port);
        match message {
            Message::Received(frame) => {
                self.held[usize::from(port)] += 1;
                self.came[usize::from(port)] += 1;
                cx.ledger().advance_unit(RequestId(frame.tag.0), UnitStep::Crosses(other));
                cx.send(other, Message::Send(frame));
            }
            // The last word of the frame has left by this port: the buffer in which it arrived is free.
            Message::Sent(_) => {
                self.held[usize::from(other)] -= 1;
                cx.send(other, Message::BufferFreed);
            }
            _ => {}
        }
    }

    fn gauge(&self, _: Time, gauge: usize, _: u16) -> u32 {
        match gauge {
            gauge::TO_FABRIC => self.held[usize::from(ON_LOOP)],
            _ => self.held[usize::from(ON_FABRIC)],
        }
    }

    fn meter(&self, _: Time, meter: usize) -> Total {
        match meter {
            meter::TO_FABRIC => Total(self.came[usize::from(ON_LOOP)].into()),
            _ => Total(self.came[usize::from(ON_FABRIC)].into()),
        }
    }

    fn leftovers(&self, leftovers: &mut LeftoverFindings) {
        leftovers
            .check_zero("frames left in an FL_Port", self.held.iter().map(|&held| u64::from(held)).sum());
    }
}
