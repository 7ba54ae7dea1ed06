//! The limits on the load of a switch's crossbar.

use super::Fabric;
use sansim_fc::link::LinkRules;
use sansim_kernel::TICKS_PER_NS;

/// The load of the crossbar of a switch.
#[derive(Clone, Copy, Debug, Default)]
pub struct CrossbarUse {
    /// The number of frames in the crossbar.
    frames: u64,
    /// The sum of the rates of the links by which these frames leave, in bytes per second.
    rate: u64,
    /// Whether a port has tried to send while the crossbar was full.
    turned_away: bool,
}

/// The rate of a link in words without gaps, in bytes per second.
fn rate(rules: &LinkRules) -> u64 {
    rules.word_bytes * TICKS_PER_NS * 1_000_000_000 / rules.word.ticks()
}

impl Fabric {
    /// Whether a frame may begin to pass a switch to a port. If not, the port tries again when a frame has
    /// passed.
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

    /// A frame begins to pass the crossbar to a port.
    #[inline]
    pub(super) fn passes(&mut self, switch: u16, port: u32) {
        let of = &mut self.switches[usize::from(switch)].crossbar;
        of.frames += 1;
        if self.parameters.cross_section.is_some() {
            of.rate += rate(&self.ports[port as usize].rules);
        }
    }

    /// A frame stops for a control message, which uses its share of the crossbar.
    pub(super) fn steps_aside(&mut self, switch: u16, port: u32) {
        let of = &mut self.switches[usize::from(switch)].crossbar;
        of.frames -= 1;
        if self.parameters.cross_section.is_some() {
            of.rate -= rate(&self.ports[port as usize].rules);
        }
    }

    /// The link by which a frame leaves has another rate.
    #[cold]
    pub(super) fn replace_crossbar_rate(&mut self, switch: u16, before: &LinkRules, after: &LinkRules) {
        if self.parameters.cross_section.is_some() {
            let of = &mut self.switches[usize::from(switch)].crossbar;
            of.rate = of.rate - rate(before) + rate(after);
        }
    }

    /// A frame has passed the crossbar to a port. Returns whether ports wait for room in the crossbar.
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
