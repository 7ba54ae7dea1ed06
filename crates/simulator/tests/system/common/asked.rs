//! The requests of each component to each device, as an observer sees them.

use sansim_component::ComponentId;
use sansim_kernel::{Span, Time};
use sansim_observe::observer::{Observer, RequestStep, WantedCalls};
use sansim_request::{Request, RequestId, Requests};
use std::collections::HashMap;

/// A request that is over.
#[derive(Clone, Copy)]
pub struct Over {
    pub request: Request,
    pub begun: Time,
    pub ended: Time,
}

impl Over {
    /// The time from the issue of the request to its completion.
    #[allow(dead_code)]
    pub fn took(&self) -> Span {
        self.ended - self.begun
    }
}

/// The requests with issuing component and device, and their completion times.
#[derive(Default)]
pub struct Asked {
    /// The requests in flight. Numbers are reused as soon as a request is over.
    pub open: HashMap<RequestId, (Request, Time)>,
    /// The completed child requests of the requests in flight.
    pub parts: HashMap<RequestId, Vec<Over>>,
    /// The child request whose completion a request waited for.
    pub joined: HashMap<RequestId, Over>,
    /// Each I/O with its child requests, and the child request for which it waited.
    pub ios: Vec<(Over, Vec<Over>, Option<Over>)>,
}

impl Observer for Asked {
    fn wants(&self) -> WantedCalls {
        WantedCalls { requests: true, ..WantedCalls::default() }
    }

    fn at_request(
        &mut self,
        now: Time,
        _: ComponentId,
        id: RequestId,
        what: RequestStep,
        requests: &Requests,
    ) {
        match what {
            RequestStep::Issued(_) => {
                self.open.insert(id, (*requests.request(id), now));
            }
            RequestStep::Enters(_) => {}
            RequestStep::Joined(_) => {
                let last = self.parts.get(&id).and_then(|parts| parts.last()).copied();
                self.joined.insert(id, last.expect("a part that is over"));
            }
            RequestStep::Completed { .. } => {
                let (request, begun) = self.open.remove(&id).expect("it was asked for");
                let over = Over { request, begun, ended: now };
                match request.parent {
                    Some(parent) => self.parts.entry(parent).or_default().push(over),
                    None => {
                        let parts = self.parts.remove(&id).unwrap_or_default();
                        self.ios.push((over, parts, self.joined.remove(&id)));
                    }
                }
            }
        }
    }
}
