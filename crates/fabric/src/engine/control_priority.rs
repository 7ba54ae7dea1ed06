//! Control messages go before other waiting frames: at outputs of switches, and at nodes, which may also have credit for control messages
//! but not for data, or the reverse.

use super::buffered_frame::NONE;
use super::next_frame::Next;
use super::{Fabric, FabricHost};
use crate::layout::LinkEndDevice;
use crate::switch::ControlPriority;
use crate::switch::control::is_control;
use sansim_kernel::Time;

impl Fabric {
    /// The next frame of a node: the first control message or the first other frame, as one of the two may wait for credit while the
    /// other does not.
    #[cold]
    pub(super) fn next_of_node<const STOPS: bool>(
        &mut self,
        now: Time,
        port: u32,
        around: &mut impl FabricHost,
    ) -> Next {
        let (mut control, mut other) = (NONE, NONE);
        let mut later = Time::NEVER;
        for &held in &self.ports[port as usize].queue {
            if self.paces.is_some()
                && let LinkEndDevice::Node(node) = self.ports[port as usize].at
                && let at = self.may_begin_at(now, node, held)
                && at > now
            {
                later = later.min(at);
                continue;
            }
            let first = if is_control(&self.held[held].frame) { &mut control } else { &mut other };
            if *first == NONE {
                *first = held;
            }
            if control != NONE && other != NONE {
                break;
            }
        }
        let in_turn = self.parameters.control.nodes == ControlPriority::InTurn;
        let queue = &self.ports[port as usize].queue;
        let is_behind =
            in_turn && queue.iter().find(|&&held| held == control || held == other) != Some(&control);
        let order = if is_behind { [other, control] } else { [control, other] };
        let mut without = Next::Nobody;
        for held in order.into_iter().filter(|&held| held != NONE && (!STOPS || held == control)) {
            let of = &mut self.ports[port as usize];
            let channel = if held == control { of.control_channel.unwrap_or(0) } else { 0 };
            if of.credits.channel_credit(channel).available_credit(now) > 0 {
                return Next::Goes(held, channel);
            }
            if of.credits.has_several_channels() {
                self.lacks_credit(now, port, channel, around);
            }
            if matches!(without, Next::Nobody) {
                without = Next::HasNoCredit(held);
            }
        }
        if later < Time::NEVER {
            self.plan(now, port, later, around);
        }
        without
    }

    /// A frame leaves the queue of a node, which sends frames in an order of its own.
    #[cold]
    pub(super) fn leaves_queue(&mut self, port: u32, held: u32) {
        let queue = &mut self.ports[port as usize].queue;
        if queue.front() == Some(&held) {
            queue.pop_front();
        } else if let Some(place) = queue.iter().position(|&other| other == held) {
            queue.remove(place);
        }
    }

    /// Whether a control message goes before other messages at an output for as long as it waits.
    pub(super) fn control_always_first(&self) -> bool {
        self.parameters.control.transmission != ControlPriority::InTurn
    }

    /// Restricts the frames that may leave by an output to control messages, if there are control messages
    /// that go first.
    #[cold]
    pub(super) fn prefer_control(&mut self, now: Time, port: u32) {
        let rules = self.ports[port as usize].rules;
        let always = self.control_always_first();
        // With priority in routing alone a control message goes first only in the first slot in which it could
        // leave.
        let goes_first = |since| always || rules.next_word_slot(since) == now;
        let contenders = &self.contenders;
        if !contenders.iter().any(|of| of.is_control && goes_first(of.since)) {
            return;
        }
        let mut place = 0;
        let Self { contenders, places, .. } = self;
        places.retain(|_| {
            let of = &contenders[place];
            place += 1;
            of.is_control && goes_first(of.since)
        });
        contenders.retain(|of| of.is_control && goes_first(of.since));
    }
}
