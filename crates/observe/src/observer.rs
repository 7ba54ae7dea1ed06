//! The observations of a run, and the interface of observers.
//!
//! The system calls an [`Observer`] at everything that the observer [`WantedCalls`]. An observer changes nothing: the result of a run is
//! the same to the last bit with any observer or none. Observations that no observer wants cost nothing.

use crate::tenancy::Tenancy;
use sansim_component::{ComponentId, Movement};
use sansim_kernel::Time;
use sansim_pdu::{PortSight, WireUnit};
use sansim_request::{LedgerLine, Request, RequestId, Requests};

/// The calls that an observer wants to receive.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WantedCalls {
    /// Whether the observer wants [`Observer::at_port`], [`Observer::at_buffer`] and [`Observer::at_move`].
    pub ports: bool,
    /// Whether the observer wants [`Observer::at_repeater`].
    pub repeaters: bool,
    /// Whether the observer wants [`Observer::at_block`].
    pub blocks: bool,
    /// Whether the observer wants [`Observer::at_request`].
    pub requests: bool,
    /// Whether the observer wants [`Observer::at_gauge`].
    pub gauges: bool,
}

impl WantedCalls {
    /// The calls that either of two observers wants.
    pub fn union(self, other: Self) -> Self {
        Self {
            ports: self.ports || other.ports,
            repeaters: self.repeaters || other.repeaters,
            blocks: self.blocks || other.blocks,
            requests: self.requests || other.requests,
            gauges: self.gauges || other.gauges,
        }
    }
}

/// Whether a request is an I/O: a workload waits for it, and it is not a child request.
pub fn is_workload_io(request: &Request) -> bool {
    request.parent.is_none() && !request.origin.background
}

/// A step of a request. Steps within one reaction are reported when all of them are done: a request that completes may not have its
/// record any more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestStep {
    /// The request is issued, by a workload or, as a child request, by a component. The request is in this ledger line
    /// from now on.
    Issued(LedgerLine),
    /// The request enters another ledger line.
    Enters(LedgerLine),
    /// The request continues, because this child request of it is complete. Between its fork and this step the request was in
    /// the ledger lines of the child request.
    Joined(RequestId),
    /// The request is back at the component that issued it.
    Completed {
        /// Whether the request counts as a measured I/O: it is no child request, and does not belong to the warm-up or
        /// the end of the run.
        measured: bool,
    },
}

/// An observer of a run. Calls come in order of time, except for frames received on the fast loop, which are reported when they are sent,
/// with the time at which they will arrive.
///
/// Stations, components, lines and gauges are named by their places in the lists of [`crate::names::SystemNames`].
pub trait Observer {
    /// The calls that the observer wants. The function is called once, before the run.
    fn wants(&self) -> WantedCalls;
    /// Handles an observation at the port of a station that does more than repeat.
    fn at_port(&mut self, _now: Time, _station: usize, _what: PortSight, _requests: &Requests) {}
    /// A buffer of a port inside a network holds a unit, or is empty again; the buffer has a number that no other buffer of the
    /// network has meanwhile.
    fn at_buffer(
        &mut self,
        _now: Time,
        _station: usize,
        _buffer: u32,
        _unit: Option<WireUnit>,
        _requests: &Requests,
    ) {
    }
    /// A port repeats another fill word or an item. These reports are complete only on the reference loop.
    fn at_repeater(&mut self, _now: Time, _station: usize, _what: PortSight, _requests: &Requests) {}
    /// A block of a component, given by its number in the catalogue, works for this request until the given
    /// time.
    fn at_block(
        &mut self,
        _now: Time,
        _until: Time,
        _component: ComponentId,
        _block: usize,
        _request: RequestId,
        _requests: &Requests,
    ) {
    }
    /// Handles an event of a request, which this component shows.
    fn at_request(
        &mut self,
        _now: Time,
        _component: ComponentId,
        _request: RequestId,
        _what: RequestStep,
        _requests: &Requests,
    ) {
    }
    /// Something moves from one station to another in a network whose ports show no words, on its way to a third or to the same. The catalogue of the component has the
    /// kind of the move.
    fn at_move(
        &mut self,
        _now: Time,
        _component: ComponentId,
        _ends: [usize; 3],
        _what: &Movement,
        _requests: &Requests,
    ) {
    }
    /// A gauge shows another value.
    fn at_gauge(&mut self, _now: Time, _gauge: usize, _value: u32) {}
    /// Handles the end of a window: open entries end now.
    fn pause(&mut self, _now: Time) {}
    /// The tenancies that the observer has recorded, if it records them; the caller may remove tenancies from
    /// the list.
    fn tenancies(&mut self) -> Option<&mut Vec<Tenancy>> {
        None
    }
    /// Whether the observer cannot continue (for example because of a full disk), so that the run is of no
    /// more use.
    fn failed(&self) -> bool {
        false
    }
}
