//! Our event core: the kernel's calendar with flat dispatch. Every event is scheduled in the full order (time,
//! priority, rank, unit, sequence), timeouts with a key by which they can be cancelled; the probe is compiled in as `P`.

use crate::load::{Engine, Event};
use sansim_kernel::{Calendar, EventKey, NoProbe, Order, Probe, Span, TICKS_PER_NS, Time};

pub struct Ours<P: Probe<Event> = NoProbe>(Calendar<Event, P>);

/// A probe that looks at every event: counts by kind of hook, and a checksum of instants.
#[derive(Default)]
pub struct Counting {
    scheduled: u64,
    cancelled: u64,
    happened: u64,
    checksum: u64,
}

impl Probe<Event> for Counting {
    fn scheduled(&mut self, _now: Time, at: Time, order: Order, _event: &Event) {
        self.scheduled += 1;
        self.checksum = self.checksum.wrapping_add(at.ticks() ^ u64::from(order.unit));
    }
    fn cancelled(&mut self, now: Time, _event: &Event) {
        self.cancelled += 1;
        self.checksum = self.checksum.wrapping_add(now.ticks());
    }
    fn happens(&mut self, now: Time, order: Order, _event: &Event) {
        self.happened += 1;
        self.checksum = self.checksum.wrapping_add(now.ticks() ^ u64::from(order.unit));
    }
}

impl Ours {
    pub fn new() -> Self {
        Ours(Calendar::new())
    }
}

impl Ours<Counting> {
    pub fn probed() -> Self {
        Ours(Calendar::with_probe(Counting::default()))
    }
    /// Keeps the counting from being optimised away.
    pub fn seen(&self) -> u64 {
        let probe = self.0.probe();
        probe.scheduled ^ probe.cancelled ^ probe.happened ^ probe.checksum
    }
}

impl<P: Probe<Event>> Ours<P> {
    /// The instant `delay` nanoseconds from now.
    #[inline(always)]
    fn at(&self, delay: f64) -> Time {
        self.0.now() + Span((delay * TICKS_PER_NS as f64) as u64)
    }
}

impl<P: Probe<Event>> Engine for Ours<P> {
    type Key = EventKey;

    #[inline(always)]
    fn plan(&mut self, delay: f64, component: u32, event: Event) {
        self.0.schedule(self.at(delay), Order { priority: 0, rank: 0, unit: component }, event);
    }

    #[inline(always)]
    fn plan_cancellable(&mut self, delay: f64, component: u32, event: Event) -> EventKey {
        self.0.schedule_cancellable(self.at(delay), Order { priority: 0, rank: 0, unit: component }, event)
    }

    #[inline]
    fn cancel(&mut self, key: EventKey) -> bool {
        self.0.cancel(key)
    }

    #[inline]
    fn next(&mut self) -> Event {
        self.0.pop().expect("both loads are closed: something is always pending").1
    }
}
