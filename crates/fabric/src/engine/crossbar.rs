//! How much passes a switch at a time.

use super::Fabric;
use sansim_fc::link::LinkRules;
use sansim_kernel::TICKS_PER_NS;

/// The load of the crossbar of a switch.
#[derive(Clone, Copy, Debug, Default)]
pub struct CrossbarUse {
    /// Frames.
    frames: u64,
    /// The sum of the rates of the links by which they leave, in bytes per second.
    rate: u64,
    /// A port has looked whether it may send, and it was full.
    turned_away: bool,
}

/// The rate of a link in words without gaps, in bytes per second.
fn rate(rules: &LinkRules) -> u64 {
    rules.word_bytes * TICKS_PER_NS * 1_000_000_000 / rules.word.ticks()
}

impl Fabric {
    /// Whether a frame may begin to pass a switch to a port. If not, the port looks again when one has passed.
    #[inline]
    pub(super) fn may_pass(&mut self, switch: u16, port: u32) -> bool {
        let of = &mut self.switches[usize::from(switch)].crossbar;
        let is_full = self.parameters.transactions.is_some_and(|most| of.frames >= most)
            || self
                .parameters
                .cross_section
                .is_some_and(|most| of.frames > 0 && of.rate + rate(&self.ports[port as usize].rules) > most);
        of.turned_away |= is_full;
        !is_full
    }

    /// A frame begins to pass to a port.
    #[inline]
    pub(super) fn passes(&mut self, switch: u16, port: u32) {
        let of = &mut self.switches[usize::from(switch)].crossbar;
        of.frames += 1;
        if self.parameters.cross_section.is_some() {
            of.rate += rate(&self.ports[port as usize].rules);
        }
    }

    /// It stops for a control message, which takes its place.
    pub(super) fn steps_aside(&mut self, switch: u16, port: u32) {
        let of = &mut self.switches[usize::from(switch)].crossbar;
        of.frames -= 1;
        if self.parameters.cross_section.is_some() {
            of.rate -= rate(&self.ports[port as usize].rules);
        }
    }

    /// It has. Whether ports wait for that.
    #[inline]
    pub(super) fn has_passed(&mut self, switch: u16, port: u32) -> bool {
        let of = &mut self.switches[usize::from(switch)].crossbar;
        of.frames -= 1;
        if self.parameters.cross_section.is_some() {
            of.rate -= rate(&self.ports[port as usize].rules);
        }
        std::mem::take(&mut of.turned_away)
    }
}
