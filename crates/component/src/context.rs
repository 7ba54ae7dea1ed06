//! The interface through which a component acts while it reacts.

mod background;
mod children;
mod errors;
mod ledger;
mod lookahead;
mod source;

pub use background::BackgroundHandle;
pub use children::DelayedChildRequests;
pub use errors::FailureReporter;
pub use ledger::{HoldMode, LedgerHandle, RequestPlace, UnitStep};
pub use lookahead::LookaheadHandle;
pub use source::SourceHandle;

use crate::message::Message;
use crate::runtime::{Runtime, WantedSights};
use crate::show::{ObservableKind, ObservedEvent};
use crate::site::{ComponentId, ComponentSite, EventTurn, Timer};
use sansim_kernel::{EventKey, Time};
use sansim_request::{LedgerLine, ParentState, Request, RequestId, Requests, ReturnedRequest, Status};

/// The time, and everything that a component can do.
///
/// Segments are given by their number in the catalogue of the component to which they belong.
pub struct Context<'a> {
    /// The present time.
    pub now: Time,
    me: ComponentId,
    site: ComponentSite,
    around: &'a mut Runtime,
}

impl<'a> Context<'a> {
    /// The context of a component that reacts at this time.
    #[inline]
    pub fn new(now: Time, me: ComponentId, around: &'a mut Runtime) -> Self {
        Self { now, me, site: around.sites[me.index()], around }
    }

    /// Sets a timer that cannot be cancelled.
    #[inline]
    pub fn set_timer(&mut self, at: Time, turn: EventTurn, timer: Timer) {
        let order = turn.order(self.site.rank, timer);
        self.around.calendar.schedule(at, order, (self.me, timer));
    }

    /// Sets a timer that can be cancelled by passing the returned key to [`Context::cancel_timer`].
    #[inline]
    pub fn set_cancellable_timer(&mut self, at: Time, turn: EventTurn, timer: Timer) -> EventKey {
        let order = turn.order(self.site.rank, timer);
        self.around.calendar.schedule_cancellable(at, order, (self.me, timer))
    }

    /// Sets a timer for work that does not keep the run going: the timer is dropped when all requests of workloads have come back.
    pub fn set_detached_timer(&mut self, at: Time, turn: EventTurn, timer: Timer) -> EventKey {
        let key = self.set_cancellable_timer(at, turn, timer);
        self.around.asides.push(key);
        key
    }

    /// Whether all requests of workloads have come back, so that nothing that happens now matters to any of them.
    pub fn all_requests_are_back(&self) -> bool {
        self.around.sources.is_over
    }

    /// Cancels a timer. Returns false if the timer was due already.
    pub fn cancel_timer(&mut self, event: EventKey) -> bool {
        self.around.calendar.cancel(event)
    }

    /// Sends a message by a port. The message arrives at this instant, after the messages that were sent before.
    #[inline]
    pub fn send(&mut self, port: u16, message: Message) {
        self.around.send(&self.site, port, message);
    }

    /// Whether a component is joined to a port.
    pub fn is_port_joined(&self, port: u16) -> bool {
        self.around.peer_port(&self.site, port).is_some()
    }

    // The functions for requests follow.

    /// The request with this number.
    #[inline]
    pub fn request(&self, id: RequestId) -> &Request {
        self.around.requests.request(id)
    }

    /// All requests.
    pub fn requests(&mut self) -> &mut Requests {
        &mut self.around.requests
    }

    /// Sends a request at a port. A sent request waits at the server, and has to be released when it is done.
    pub fn ask(&mut self, port: u16, request: Request) -> RequestId {
        let line = self.first_line_at(port);
        let id = self.around.requests.open_request(self.now, request, line);
        self.around.sources.background += u64::from(request.origin.background);
        self.show_issued(id, line);
        self.send(port, Message::Request(id, self.now));
        id
    }

    /// Hands a request to its children, which are sent next, until this many children are done.
    pub fn fork_request(&mut self, parent: RequestId, awaits: u16) {
        self.around.requests.fork_request(parent, awaits);
    }

    /// Sends a part of a request by a port.
    pub fn ask_child(&mut self, port: u16, parent: RequestId, request: Request) -> RequestId {
        let line = self.first_line_at(port);
        let id = self.around.requests.open_child(self.now, parent, request, line);
        self.show_issued(id, line);
        self.send(port, Message::Request(id, self.now));
        id
    }

    /// Sends a request of this component, which was in one of its segments, by a port.
    pub fn pass_request_on(&mut self, port: u16, id: RequestId) {
        let line = self.first_line_at(port);
        let moved = self.around.requests.set_following_line(self.now, id, line);
        self.note(moved, id);
        self.send(port, Message::Request(id, self.now));
    }

    /// Closes a request of this component that has been answered.
    pub fn close_request(&mut self, id: RequestId, status: Status) -> ReturnedRequest {
        let returned = self.around.requests.close_request(self.now, id);
        if returned.request.parent.is_none() {
            self.around.sources.background_done += u64::from(returned.request.origin.background);
            self.around.returned.push((id, returned, status));
        }
        if self.around.shows.requests {
            self.report_observation(self.now, ObservableKind::Completed(id));
            if let ParentState::Satisfied(parent, went_on) = returned.joined {
                self.report_observation(self.now, ObservableKind::Joined(parent, id));
                if let Some(line) = went_on {
                    self.report_observation(self.now, ObservableKind::Enters(parent, line));
                }
            }
        }
        returned
    }

    fn show_issued(&mut self, id: RequestId, line: LedgerLine) {
        if self.around.shows.requests {
            self.report_observation(self.now, ObservableKind::Issued(id, line));
        }
    }

    /// Opens a record for the units of a link service about a request, which change no ledger.
    pub fn open_service(&mut self, about: RequestId) -> RequestId {
        self.around.requests.open_service(self.now, about)
    }

    /// Keeps the record of a request: an exchange is open for it.
    #[inline]
    pub fn keep_record(&mut self, id: RequestId) {
        self.around.requests.keep_record(id);
    }

    /// Ends keeping the record of a request.
    #[inline]
    pub fn release_record(&mut self, id: RequestId) {
        self.around.requests.release_record(id);
    }

    /// Whether an exchange at another component is open for a request, or the request waits for its children. The caller has an exchange
    /// for the request.
    pub fn is_held_by_others(&self, id: RequestId) -> bool {
        self.around.requests.is_held_by_others(id)
    }

    /// Answers a request.
    pub fn answer(&mut self, port: u16, id: RequestId, status: Status) {
        self.send(port, Message::Done(id, status));
    }

    /// Answers a request whose data pass through the memory of this component. The data of a successful read are sent before the answer.
    pub fn answer_from_memory(&mut self, port: u16, id: RequestId, status: Status) {
        let request = self.request(id);
        if request.is_read() && status == Status::Good {
            let bytes = request.bytes;
            self.send(port, Message::ReadDataUpTo(id, bytes));
        }
        self.answer(port, id, status);
    }

    /// Handles a data message of a server with the memory of this component: the memory accepts read data at once, and provides write data
    /// for which the server has space.
    #[inline]
    pub fn move_through_memory(&mut self, port: u16, told: Message) {
        match told {
            Message::WriteCredit(request, upto) => self.send(port, Message::WriteDataUpTo(request, upto)),
            Message::ReadDataUpTo(request, upto) => self.send(port, Message::ReadConsumedUpTo(request, upto)),
            _ => {}
        }
    }

    /// Shows observers the ledger line of a request, if the request has entered it just now.
    #[inline]
    fn note(&mut self, moved: bool, id: RequestId) {
        if moved && self.around.shows.requests {
            self.show_line(id);
        }
    }

    /// The function is out of line, because hardly any run is observed.
    #[cold]
    fn show_line(&mut self, id: RequestId) {
        let line = self.around.requests.ledger_line(id);
        self.report_observation(self.now, ObservableKind::Enters(id, line));
    }

    #[inline]
    fn line(&self, segment: usize) -> LedgerLine {
        LedgerLine(self.site.first_line + segment as u32)
    }

    /// A segment of the component at the other end of a port.
    fn line_at(&self, port: u16, segment: usize) -> LedgerLine {
        let end = self.around.peer_port(&self.site, port);
        end.map_or(LedgerLine(0), |end| {
            LedgerLine(self.around.sites[end.component.index()].first_line + segment as u32)
        })
    }

    fn first_line_at(&self, port: u16) -> LedgerLine {
        self.line_at(port, 0)
    }

    // The functions for observers follow.

    /// The sights that observers want.
    #[inline]
    pub fn wanted_sights(&self) -> WantedSights {
        self.around.shows
    }

    /// Shows something to observers, at this time or a later one.
    pub fn report_observation(&mut self, at: Time, what: ObservableKind) {
        self.around.shown.push(ObservedEvent { at, component: self.me, what });
    }
}
