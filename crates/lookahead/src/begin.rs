//! The beginning of frame bursts, at a port that sends data frames.

use super::{ActiveBurst, LookaheadRunner};
use sansim_burst::FrameBurst;
use sansim_burst::frame_burst::BurstRanks;
use sansim_component::{ComponentId, PortRef};
use sansim_fcp::adapter::BLOCK;
use sansim_registry::AnyComponent;
use sansim_request::RequestId;

impl LookaheadRunner<'_> {
    /// Checks whether bursts begin where the event that was just carried out allows them (`looks_for_bursts` of the surroundings).
    #[inline(never)]
    pub fn check_for_new_bursts(&mut self) {
        self.around.looks_for_bursts = false;
        if !self.around.may_fetch_ahead.is_empty() || !self.around.in_circuit.is_empty() {
            self.look_ahead();
        }
        if !self.around.may_be_trains.is_empty() {
            self.begin_bursts();
        }
        if !self.trains.look_again.is_empty() {
            self.around.may_be_trains.append(&mut self.trains.look_again);
            self.around.looks_for_bursts = true;
        }
    }

    /// Ends a burst because another event is next at this instant: its port is checked again after that event.
    pub(super) fn look_again(&mut self, end: PortRef) {
        self.trains.look_again.push(end);
        self.around.looks_for_bursts = true;
    }

    fn begin_bursts(&mut self) {
        while let Some(end) = self.around.may_be_trains.pop() {
            self.begin_burst(end);
        }
    }

    fn begin_burst(&mut self, end: PortRef) -> Option<()> {
        let PortRef { component: id, port } = end;
        if let Some(number) = self.burst_on(id) {
            self.goes_on(number);
            return None;
        }
        let now = self.now();
        let AnyComponent::ArbitratedLoop(arbitrated_loop) = &mut self.components[id.index()] else {
            return None;
        };
        let circuit = arbitrated_loop.burst_circuit(now, port)?;
        let site = self.around.sites[id.index()];
        let sender = self.around.peer_port(&site, port)?.component;
        let receiver = self.around.peer_port(&site, circuit.to as u16)?.component;
        let behind = |adapter: ComponentId| {
            let site = self.around.sites[adapter.index()];
            self.around.peer_port(&site, BLOCK).map_or(adapter, |end| end.component)
        };
        let behind = [behind(sender), behind(receiver)];
        let ranks = BurstRanks {
            first_port: site.rank,
            sender: self.around.sites[sender.index()].rank,
            receiver: self.around.sites[receiver.index()].rank,
            first_line: site.first_line,
        };
        let AnyComponent::ArbitratedLoop(arbitrated_loop) = &self.components[id.index()] else { return None };
        let ends = (&self.components[sender.index()], &self.components[receiver.index()]);
        let first = circuit.sending.first;
        let here = arbitrated_loop.loop_model().frames_of_request(circuit.from, circuit.to, first.tag);
        // Frames of an earlier attempt, which are still in a queue elsewhere, would move the request in the ledger during the burst.
        if self.around.requests.units_in_flight(RequestId(first.tag.0)) as usize > here {
            return None;
        }
        let (kept, on) = (&mut self.trains.kept, (&**arbitrated_loop, circuit));
        let mut train = match ends {
            (AnyComponent::Target(from), AnyComponent::Initiator(to)) => {
                FrameBurst::begin(kept, &ranks, on, from, to)
            }
            (AnyComponent::Initiator(from), AnyComponent::Target(to)) => {
                FrameBurst::begin(kept, &ranks, on, from, to)
            }
            _ => None,
        }?;
        let bound = self.bound(&train, sender);
        if bound.at <= self.now() {
            // Another event comes first, at the same instant.
            self.trains.kept.push(train);
            self.look_again(end);
            return None;
        }
        for id in [id, sender, receiver, behind[0], behind[1]] {
            self.trains.parties[id.index()] += 1;
        }
        let fetches_for_others = with_adapter!(&self.components[sender.index()], |sender| sender
            .fetches_for_other_requests(train.request()));
        self.trains.for_others += u16::from(fetches_for_others);
        with_adapter!(&mut self.components[sender.index()], |sender| train.begins_at_sender(sender));
        let bound = self.schedule_bound(id, sender, bound);
        self.trains.going.push(ActiveBurst {
            train,
            arbitrated_loop: id,
            sender,
            receiver,
            behind,
            fetches_for_others,
            bound,
            is_changed: false,
        });
        Some(())
    }
}
