//! The fast switch: for the items that the ends of a conversation send, the switch is a fixed delay.
//!
//! The switch separates two joined ports when CLS has passed in both directions. Every item that a station sends before its own CLS
//! therefore passes a joined port, and needs no event at the switch: it travels from station to station. The shortcut applies where each of
//! the two stations has a port to itself, no item is ahead on the path, and no item waits in the switch for the same port. The rules of the
//! reference model apply to all other items. As on the fast loop, inputs of which only the time matters are announced ahead to their port
//! (`loop_port/scheduled_arrivals.rs`).
//!
//! The port of the switch is set at once to the state that it has after the items have passed. No rule reads that state before: until the
//! CLS of the station, which is behind the items, only an input of the switch port could change its transmissions.
//!
//! Proved equal to the reference by the property tests of this crate and of the simulator.

use super::switch_port::Mode;
use super::{Answer, FillWord, LinkItem, LoopEvent, LoopHost, LoopSwitch, Observation, Time};
use crate::arbitrated_loop::LoopModel;
use crate::word::PrimitiveSignal;
use sansim_kernel::Span;

/// The delay of items through the switch.
struct Past {
    /// The switch port by which the item comes in, and the switch port by which it goes out.
    from: usize,
    out: usize,
    /// The station to which the item goes.
    to: usize,
    /// The time at which the item reaches the switch, and the delay from there on.
    at_switch: Time,
    onward: Span,
}

impl LoopSwitch {
    /// The delay through the switch of an item that a station sends now.
    #[inline]
    fn past(&self, now: Time, station: usize) -> Option<Past> {
        if self.model == LoopModel::Reference {
            return None;
        }
        let from = self.port_of[station];
        let this = &self.switch_ports[from];
        let Mode::Joined(out) = this.mode else { return None };
        let ([_], &[to]) = (&self.segments[from].stations[..], &self.segments[out].stations[..]) else {
            return None;
        };
        let other = &self.switch_ports[out];
        let at_switch = now + self.segments[from].geometry.slot_distance_time(1, 0);
        let onward = self.segments[out].geometry.slot_distance_time(0, 1);
        let node = self.node_of(from);
        let is_clear = !this.closing
            && self.coming[node] == 0
            && self.lines[node].is_empty()
            && self.coming[to] == 0
            && other.store.is_empty()
            && other.sent == this.received
            && at_switch >= other.earliest.max(other.free_at);
        is_clear.then_some(Past { from, out, to, at_switch, onward })
    }

    /// A station transmits another fill word.
    pub(super) fn station_sends_fill(
        &mut self,
        now: Time,
        station: usize,
        word: FillWord,
        around: &mut impl LoopHost,
    ) {
        match self.past(now, station) {
            Some(way) if way.at_switch >= self.switch_ports[way.out].fill_may_change_at() => {
                self.switch_ports[way.from].received = word;
                let out = &mut self.switch_ports[way.out];
                (out.sent, out.sent_since) = (word, way.at_switch);
                let at = way.at_switch + way.onward;
                self.lines[way.to].push_back((at, word));
                around.schedule(at, way.to, LoopEvent::Fill);
            }
            _ => self.carry_fill(now, station, word, around),
        }
    }

    /// A station transmits an item.
    pub(super) fn station_sends(
        &mut self,
        now: Time,
        station: usize,
        item: &LinkItem,
        around: &mut impl LoopHost,
    ) {
        if let LinkItem::Signal(PrimitiveSignal::Close | PrimitiveSignal::Open { .. }) = item {
            let port = self.port_of[station];
            self.switch_ports[port].closing = *item == LinkItem::Signal(PrimitiveSignal::Close);
            self.carry_item(now, station, item, around);
            return;
        }
        let Some(way) = self.past(now, station) else {
            self.carry_item(now, station, item, around);
            return;
        };
        self.switch_ports[way.out].item_goes(way.at_switch, item, false);
        let (to, arrives) = (way.to, way.at_switch + way.onward);
        match item {
            LinkItem::Frame(frame) if self.model == LoopModel::Fast => {
                around.observe(arrives, to, || Observation::ReceivedItem(*item));
                let end = arrives + self.word * item.length_in_words();
                self.ports[to].frame_comes(arrives, end);
                let id = self.items.put(LinkItem::Frame(*frame), to, end);
                around.schedule(end, to, LoopEvent::FrameEnd(id));
            }
            LinkItem::Signal(PrimitiveSignal::ReceiverReady) if self.model == LoopModel::Fast => {
                around.observe(arrives, to, || Observation::ReceivedItem(*item));
                self.ports[to].ready_comes(arrives, &mut Answer::new(now, to, around));
            }
            _ => self.put_item(arrives, to, item, around),
        }
    }
}
