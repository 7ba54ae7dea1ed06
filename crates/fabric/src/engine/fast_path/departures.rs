//! Buffers that become free without events.

use super::super::Fabric;
use sansim_kernel::Time;

impl Fabric {
    /// A frame leaves the buffers of a port, and its last word will have left at this time. Returns the first moment at which R_RDY can be at
    /// the other end, if that end waits for it.
    #[inline]
    pub(super) fn departs(&mut self, port: u32, at: Time) -> Option<Time> {
        let of = &mut self.ports[port as usize];
        let is_first = at < of.next_departure;
        of.next_departure = of.next_departure.min(at);
        let departures = &mut of.departures;
        if departures.back().is_none_or(|&last| last <= at) {
            departures.push_back(at);
        } else {
            let place = departures.partition_point(|&other| other <= at);
            departures.insert(place, at);
        }
        if is_first && self.ports[port as usize ^ 1].waits_for_credit { self.first_ready(port) } else { None }
    }

    /// The first moment at which R_RDY can be at the other end for a frame that is leaving the buffers of a port. R_RDY comes later if the
    /// port begins to send a frame before the buffer is free.
    pub(in super::super) fn first_ready(&self, port: u32) -> Option<Time> {
        let of = &self.ports[port as usize];
        let mut line = of.line;
        Some(line.ready_slot(&of.rules, *of.departures.front()?) + of.rules.latency)
    }

    /// Carries out the departures from the buffers of a port up to now.
    #[inline(always)]
    pub(in super::super) fn carry_out_departures(&mut self, now: Time, port: u32) {
        if self.ports[port as usize].next_departure <= now {
            self.carry_out_first_departures(now, port);
        }
    }

    fn carry_out_first_departures(&mut self, now: Time, port: u32) {
        let first = port as usize & !1;
        let [one, other] = &mut self.ports[first..first + 2] else { return };
        let (of, peer) = if first == port as usize { (one, other) } else { (other, one) };
        while let Some(&at) = of.departures.front()
            && at <= now
        {
            of.departures.pop_front();
            of.occupied -= 1;
            let arrives = of.line.ready_slot(&of.rules, at) + of.rules.latency;
            peer.credits.channel_credit(0).ready_will_arrive(arrives);
        }
        of.next_departure = of.departures.front().copied().unwrap_or(Time::NEVER);
    }

    /// The number of R_RDYs that have arrived by now and belong to departures that have not been carried out.
    pub(in super::super) fn readies_of_departures(&self, now: Time, port: u32) -> u32 {
        let of = &self.ports[port as usize];
        let mut line = of.line;
        let arrivals = of.departures.iter().map(|&at| line.ready_slot(&of.rules, at) + of.rules.latency);
        arrivals.filter(|&at| at <= now).count() as u32
    }
}
