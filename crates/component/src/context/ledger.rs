//! The ledger of each request: its place, which components report with six verbs.
//!
//! A component gives the place as a constant. The verbs are therefore always inlined into the component, and their distinctions cost
//! nothing at run time.

use super::Context;
use crate::bus::segment as bus_segment;
use crate::network::segment;
use sansim_kernel::Span;
use sansim_request::{LedgerLine, RequestId};

/// The place of a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestPlace {
    /// The request is in a segment of this component, by its number in the catalogue.
    Segment(usize),
    /// The request is in the queue of the network at a port.
    Queue(u16),
    /// The request waits for the network at a port.
    Network(u16),
    /// The request waits for the bus at a port.
    Bus(u16),
    /// The request waits for the server at a port to provide its next data.
    Server(u16),
    /// The request was held, and other components report its place again.
    Others,
}

impl From<usize> for RequestPlace {
    #[inline]
    fn from(segment: usize) -> Self {
        Self::Segment(segment)
    }
}

/// The way in which a segment holds a request.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum HoldMode {
    /// The segment holds the request until expected data arrive.
    ForData,
    /// The segment holds the request, unaffected by other components, until [`RequestPlace::Others`].
    Firmly,
}

/// A step of a unit of a request on networks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum UnitStep {
    /// The adapter hands the unit to the network at a port.
    Queued(u16),
    /// The unit arrived from another network and is handed to the network at a port.
    Crosses(u16),
    /// A network reports: the first word of the unit is on the wire.
    Leaves,
    /// A network reports: the last word of the unit has arrived. The fields are segments of the network.
    Arrives {
        /// The segment in which the unit was.
        wire: usize,
        /// The segment in which further units wait.
        queue: usize,
    },
    /// The adapter has accepted the unit from the network.
    Taken,
    /// The last unit has arrived: the request is in the place that was reported for the time after its units.
    AllIn,
}

/// The ledger, as a component writes it.
pub struct LedgerHandle<'c, 'a>(&'c mut Context<'a>);

impl<'a> Context<'a> {
    /// The ledger of requests.
    #[inline]
    pub fn ledger(&mut self) -> LedgerHandle<'_, 'a> {
        LedgerHandle(self)
    }
}

impl LedgerHandle<'_, '_> {
    /// The request is in this place.
    #[inline(always)]
    pub fn enter_segment(&mut self, id: RequestId, at: impl Into<RequestPlace>) {
        let line = self.line(at.into());
        let moved = self.0.around.requests.enter_line(self.0.now, id, line);
        self.0.note(moved, id);
    }

    /// The request is in this place; if units of it are in flight, it is there after they have arrived.
    #[inline(always)]
    pub fn locate_request(&mut self, id: RequestId, at: impl Into<RequestPlace>) {
        let at = at.into();
        if at == RequestPlace::Others {
            self.0.around.requests.unpin_line(id);
            return;
        }
        let line = self.line(at);
        let moved = self.0.around.requests.set_following_line(self.0.now, id, line);
        self.0.note(moved, id);
    }

    /// The request is in this place, which holds it.
    #[inline(always)]
    pub fn hold_in_segment(&mut self, id: RequestId, at: impl Into<RequestPlace>, how: HoldMode) {
        let line = self.line(at.into());
        let moved = match how {
            HoldMode::ForData => self.0.around.requests.hold_in_line(self.0.now, id, line),
            HoldMode::Firmly => self.0.around.requests.pin_to_line(self.0.now, id, line),
        };
        self.0.note(moved, id);
    }

    /// The data that go into units are in this place; the request stays where it is held for them.
    #[inline(always)]
    pub fn locate_next_data(&mut self, id: RequestId, at: impl Into<RequestPlace>) {
        let line = self.line(at.into());
        let moved = self.0.around.requests.set_line_after_preparation(self.0.now, id, line);
        self.0.note(moved, id);
    }

    /// In hindsight: the first `spent` of the time in `segment` was spent in `other`. Observers do not see reattributed time.
    pub fn reattribute_time(&mut self, id: RequestId, segment: usize, other: usize, spent: Span) {
        let (line, other) = (self.0.line(segment), self.0.line(other));
        self.0.around.requests.reattribute(self.0.now, id, line, other, spent);
    }

    /// A unit of a request advances by one step.
    #[inline(always)]
    pub fn advance_unit(&mut self, id: RequestId, step: UnitStep) {
        let now = self.0.now;
        let moved = match step {
            UnitStep::Queued(port) => {
                let line = self.line(RequestPlace::Queue(port));
                self.0.around.requests.unit_queued(now, id, line)
            }
            UnitStep::Crosses(port) => {
                let line = self.line(RequestPlace::Queue(port));
                self.0.around.requests.enter_line(now, id, line)
            }
            UnitStep::Leaves => {
                self.0.around.requests.unit_leaves(id);
                return;
            }
            UnitStep::Arrives { wire, queue } => {
                let (wire, queue) = (self.0.line(wire), self.0.line(queue));
                self.0.around.requests.unit_arrives(now, id, wire, queue)
            }
            UnitStep::Taken => {
                self.0.around.requests.unit_received(id);
                return;
            }
            UnitStep::AllIn => self.0.around.requests.enter_following_line(now, id),
        };
        self.0.note(moved, id);
    }

    #[inline(always)]
    fn line(&self, at: RequestPlace) -> LedgerLine {
        match at {
            RequestPlace::Segment(segment) => self.0.line(segment),
            RequestPlace::Queue(port) => self.0.line_at(port, segment::QUEUE),
            RequestPlace::Network(port) => self.0.line_at(port, segment::WAITS),
            RequestPlace::Bus(port) => self.0.line_at(port, bus_segment::QUEUE),
            RequestPlace::Server(port) => {
                let end = self.0.around.peer_port(&self.0.site, port);
                end.map_or(LedgerLine(0), |end| {
                    LedgerLine(self.0.around.sites[end.component.index()].provides)
                })
            }
            // The value occurs only after `HoldMode::Firmly`, which `locate` handles.
            RequestPlace::Others => LedgerLine(0),
        }
    }
}
