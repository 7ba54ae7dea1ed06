//! Links that change during a run: the length of the cable, and the speed.
//!
//! Words that are on the cable keep its old length. When a cable becomes shorter, they still come in for the time of what was cut off, so both
//! ends send nothing for so long after what they have sent; a frame that is being sent keeps the old length as a whole. So no word
//! overtakes another, and none is lost. When a cable becomes longer, nothing comes in for the time of what was added.
//!
//! A link of another speed loses synchronisation: it fails, with the frames on it, and its ends bring it up at once.
//!
//! Assumptions: a cable changes its length without an interruption, as a path over an optical network does that is switched over; the
//! negotiation of the new speed takes no time beside the primitive sequences, as no source says how long.

use super::buffered_frame::NONE;
use super::port::EarlierRules;
use super::{Fabric, FabricHost};
use crate::layout::{FabricLayout, LinkEndDevice};
use crate::switch::SwitchingMode;
use sansim_fc::link::LinkRules;
use sansim_kernel::Time;

impl Fabric {
    /// The links of the fabric are those of this layout from now on, which differs from the present one only in lengths and speeds. Call
    /// this function only for a fabric [`Fabric::with_failures`].
    ///
    /// # Panics
    /// Panics if frames take the fast path, on which no link may change.
    pub fn change_links(&mut self, now: Time, layout: &FabricLayout, around: &mut impl FabricHost) {
        assert!(!self.is_fast, "a link of a fabric changes that cannot change");
        for (link, plan) in layout.links.iter().enumerate() {
            let before = self.layout.links[link].rules;
            if before == plan.rules {
                continue;
            }
            if (before.word, before.word_bytes) == (plan.rules.word, plan.rules.word_bytes) {
                self.set_rules(now, link, plan.rules);
                continue;
            }
            let is_sound = self.sound[link];
            self.set_link_state(now, link, false, around);
            self.set_rules(now, link, plan.rules);
            self.set_link_state(now, link, is_sound, around);
        }
    }

    /// Both ends of a link have these rules from now on.
    fn set_rules(&mut self, now: Time, link: usize, rules: LinkRules) {
        for port in [2 * link as u32, 2 * link as u32 + 1] {
            self.crossbar_rate_changes(port, &rules);
            let of = &mut self.ports[port as usize];
            let cut_off = of.rules.latency.saturating_sub(rules.latency);
            if !cut_off.is_zero() {
                of.line.hold_back(&of.rules, now, cut_off);
            }
            of.usage.earlier = EarlierRules::until_now(&of.usage, &of.rules);
            of.rules = rules;
        }
        self.layout.links[link].rules = rules;
        self.stores_any =
            self.parameters.switching == SwitchingMode::StoreAndForward || self.layout.has_different_rates();
    }

    /// The share of the crossbar that a frame uses which is leaving by a port changes with the speed of the port.
    fn crossbar_rate_changes(&mut self, port: u32, rules: &LinkRules) {
        let of = &self.ports[port as usize];
        if let (LinkEndDevice::Switch(switch), true) = (of.at, of.sending != NONE) {
            let before = of.rules;
            self.replace_crossbar_rate(switch, &before, rules);
        }
    }
}
