//! The observations of a run, and the interface of observers.
//!
//! The system calls an [`Observer`] at everything that the observer [`Wants`]. An observer sees and changes nothing: the result of a run is the same
//! to the last bit with any observer or none. Unwanted observations cost nothing.

use crate::tenancy::Tenancy;
use sansim_component::ComponentId;
use sansim_kernel::Time;
use sansim_pdu::{PortSight, WireUnit};
use sansim_request::{LedgerLine, Request, RequestId, Requests};

/// The calls that an observer wants to get.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Wants {
    /// [`Observer::at_port`] and [`Observer::at_buffer`].
    pub ports: bool,
    /// [`Observer::at_repeater`].
    pub repeaters: bool,
    /// [`Observer::at_block`].
    pub blocks: bool,
    /// [`Observer::at_request`].
    pub requests: bool,
    /// [`Observer::at_gauge`].
    pub gauges: bool,
}

impl Wants {
    /// The calls that either of two observers wants.
    pub fn or(self, other: Self) -> Self {
        Self {
            ports: self.ports || other.ports,
            repeaters: self.repeaters || other.repeaters,
            blocks: self.blocks || other.blocks,
            requests: self.requests || other.requests,
            gauges: self.gauges || other.gauges,
        }
    }
}

/// Whether a request is an I/O: a workload waits for it, and it is no part of another.
pub fn is_io(request: &Request) -> bool {
    request.parent.is_none() && !request.origin.background
}

/// A step of a request. Steps within one reaction are reported when all are done: a request that completes may have its record no more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum RequestStep {
    /// The request is issued, by a workload or, as a child request, by a component. It is in this ledger line from now on.
    Issued(LedgerLine),
    /// The request enters another ledger line.
    Enters(LedgerLine),
    /// The request continues, because this child request of it is complete. Between the two it was where the child request was.
    Joined(RequestId),
    /// The component that asked has it back.
    Completed {
        /// Whether the request counts as a measured I/O: it is no child request, and not of the warm-up or of the end.
        measured: bool,
    },
}

/// An observer of a run. Calls come in order of time, but for frames received on the fast loop, which are announced when they are sent with the time
/// at which they will arrive.
///
/// Stations, components, lines and gauges are named by their places in the lists of [`crate::names::SystemNames`].
pub trait Observer {
    /// The calls that it wants. Asked once, before the run.
    fn wants(&self) -> Wants;
    /// Handles an observation at the port of a station that does more than repeat.
    fn at_port(&mut self, _now: Time, _station: usize, _what: PortSight, _requests: &Requests) {}
    /// A buffer of a port inside a network, by a number that no other of the network has meanwhile, holds a unit, or is empty again.
    fn at_buffer(
        &mut self,
        _now: Time,
        _station: usize,
        _buffer: u32,
        _unit: Option<WireUnit>,
        _requests: &Requests,
    ) {
    }
    /// A port repeats another fill word or an item. Complete only on the reference loop.
    fn at_repeater(&mut self, _now: Time, _station: usize, _what: PortSight, _requests: &Requests) {}
    /// A block of a component, by its number in the catalogue, works for this request until then.
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
    /// Handles an event of a request.
    fn at_request(&mut self, _now: Time, _request: RequestId, _what: RequestStep, _requests: &Requests) {}
    /// A gauge shows another value.
    fn at_gauge(&mut self, _now: Time, _gauge: usize, _value: u32) {}
    /// Handles the end of a window: open entries end now.
    fn pause(&mut self, _now: Time) {}
    /// The tenancies that it has noted, if it notes them; those that the caller takes out are forgotten.
    fn tenancies(&mut self) -> Option<&mut Vec<Tenancy>> {
        None
    }
    /// Whether the observer cannot go on (a full disk), so that the run has no use any more.
    fn failed(&self) -> bool {
        false
    }
}
