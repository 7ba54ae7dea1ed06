//! All requests that are in the system.
//!
//! A request is *closed* when it has returned to the component that issued it. The record of a closed request is kept while protocol data
//! units of it are in flight or one end of a network still has it open ([`Requests::keep_record`]); only then its number may be reused.

use crate::data::MessageWords;
use crate::ledger::{Dwell, Ledger, LedgerLine};
use crate::loss::{LossCause, LostRequest};
use crate::map::RequestMap;
use crate::request::{Request, RequestId};
use crate::transit::UnitsInTransit;
use sansim_kernel::{Span, Time};

/// The common record of a request.
#[derive(Clone, Debug)]
struct Record {
    request: Request,
    ledger: Ledger,
    transit: UnitsInTransit,
    /// Whether the request is open, that is, has not yet returned to its issuer.
    open: bool,
    /// The number of holders of the record: the issuer until the request is closed, and ends of networks.
    keepers: u16,
    /// The number of children that have to complete before the request continues.
    awaits: u16,
    /// The number of children that are open.
    children: u16,
    /// Whether the record is that of a link service ([`Requests::open_service`]).
    is_service: bool,
    /// The reason why the request gets no answer; none if it is going to get one.
    loss: Option<LostRequest>,
}

/// The state of the parent of a request that has been closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ParentState {
    /// The request has no parent, or its parent does not wait for it any more.
    Nobody,
    /// The parent still waits for other children.
    NotYet(RequestId),
    /// The closed request was the last child for which the parent waited. The parent continues in the ledger line given here if one was set
    /// meanwhile, otherwise in the line where it forked.
    Satisfied(RequestId, Option<LedgerLine>),
}

/// A request that has returned to its issuer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ReturnedRequest {
    /// The request.
    pub request: Request,
    /// The response time of the request.
    pub response: Span,
    /// The time at which the request was issued.
    pub begun: Time,
    /// The state of the parent of the request.
    pub joined: ParentState,
}

/// All requests that are in the system, with their ledgers.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    records: Vec<Record>,
    free: Vec<u32>,
    /// The contents of messages, by request; nearly all requests have none.
    said: RequestMap<MessageWords>,
}

impl Requests {
    /// Opens a request, which is in this ledger line from now on. The issuer keeps the record of a request until [`Requests::close_request`].
    pub fn open_request(&mut self, now: Time, request: Request, line: LedgerLine) -> RequestId {
        let transit = UnitsInTransit { behind: line, ..UnitsInTransit::default() };
        let id = match self.free.pop() {
            Some(number) => {
                let record = &mut self.records[number as usize];
                (record.request, record.transit) = (request, transit);
                (record.open, record.keepers, record.awaits, record.children) = (true, 1, 0, 0);
                (record.loss, record.is_service) = (None, false);
                number
            }
            None => {
                self.records.push(Record {
                    request,
                    ledger: Ledger::with_capacity(),
                    transit,
                    open: true,
                    keepers: 1,
                    awaits: 0,
                    children: 0,
                    is_service: false,
                    loss: None,
                });
                (self.records.len() - 1) as u32
            }
        };
        self.records[id as usize].ledger.begin_in_line(now, line);
        RequestId(id)
    }

    /// Forks a request: from now on its children determine its ledger line, until `awaits` of the children that are opened from now on have
    /// completed. A request must be forked before its children are opened.
    pub fn fork_request(&mut self, parent: RequestId, awaits: u16) {
        let record = self.record_mut(parent);
        debug_assert!(awaits > 0 && record.awaits == 0, "forked twice");
        record.awaits = awaits;
        record.ledger.fork_request();
    }

    /// A forked request waits for this number of further children.
    pub fn await_more_children(&mut self, parent: RequestId, more: u16) {
        let record = self.record_mut(parent);
        debug_assert!(record.awaits > 0, "its children do not have it");
        record.awaits += more;
    }

    /// Sets the content of the data of a request.
    pub fn set_message_words(&mut self, id: RequestId, words: MessageWords) {
        self.said.insert(id, words);
    }

    /// The content of the data of a request.
    pub fn message_words(&self, id: RequestId) -> Option<MessageWords> {
        self.said.get(&id).copied()
    }

    /// Returns the content of the data of a request and removes it.
    pub fn take_message_words(&mut self, id: RequestId) -> Option<MessageWords> {
        self.said.remove(&id)
    }

    /// Opens a child of a request.
    pub fn open_child(
        &mut self,
        now: Time,
        parent: RequestId,
        request: Request,
        line: LedgerLine,
    ) -> RequestId {
        self.record_mut(parent).children += 1;
        self.open_request(now, Request { parent: Some(parent), ..request }, line)
    }

    /// Opens a record for units of a link service about a request. Such units change no ledger: the record is closed from its beginning, and
    /// is kept as long as units of it are in flight or have a holder. Its number identifies the exchange of the link service; its request
    /// is a copy of the request that the service is about, with this as parent. The first unit must be queued next.
    pub fn open_service(&mut self, now: Time, about: RequestId) -> RequestId {
        let record = self.record_mut(about);
        record.children += 1;
        let request = Request { parent: Some(about), ..record.request };
        let id = self.open_request(now, request, LedgerLine(0));
        let record = self.record_mut(id);
        (record.open, record.keepers, record.is_service) = (false, 0, true);
        id
    }

    /// Opens a child that follows another child, which completes at this moment and is not closed yet: the stays of the other child precede
    /// those of the new child.
    pub fn open_child_after_sibling(
        &mut self,
        now: Time,
        parent: RequestId,
        request: Request,
        line: LedgerLine,
        other: RequestId,
    ) -> RequestId {
        let id = self.open_child(now, parent, request, line);
        let ledger = std::mem::take(&mut self.record_mut(other).ledger);
        self.record_mut(id).ledger.begin_after_sibling(now, line, &ledger);
        self.record_mut(other).ledger = ledger;
        id
    }

    /// Closes a request, which returns to its issuer. The stays of a closed request can be read until another request is opened.
    pub fn close_request(&mut self, now: Time, id: RequestId) -> ReturnedRequest {
        let record = self.record_mut(id);
        debug_assert!(record.open && record.awaits == 0, "closed twice, or while its children have it");
        record.open = false;
        let (request, begun, response) =
            (record.request, record.ledger.entry_time(), record.ledger.close_ledger(now));
        let joined = request.parent.map_or(ParentState::Nobody, |parent| self.join(now, parent, id));
        self.release_record(id);
        ReturnedRequest { request, response, begun, joined }
    }

    fn join(&mut self, now: Time, parent: RequestId, child: RequestId) -> ParentState {
        let record = self.record_mut(parent);
        record.children -= 1;
        if record.awaits == 0 {
            // The parent continued, or was closed, without waiting for this child.
            self.free_if_done(parent);
            return ParentState::Nobody;
        }
        record.awaits -= 1;
        if record.awaits > 0 {
            return ParentState::NotYet(parent);
        }
        // The ledger of the child is moved out while the ledger of its parent is changed; its memory is moved back with it.
        let ledger = std::mem::take(&mut self.record_mut(child).ledger);
        let went_on = self.record_mut(parent).ledger.join_child(now, &ledger);
        self.record_mut(child).ledger = ledger;
        ParentState::Satisfied(parent, went_on)
    }

    /// A request waits for one further child, which is being opened at this moment.
    pub fn await_one_child(&mut self, id: RequestId) {
        let record = self.record_mut(id);
        debug_assert!(record.awaits == 0, "forked twice");
        record.awaits = 1;
        record.ledger.fork_request();
    }

    /// The child for which the request waited has just been closed. Returns the ledger line in which the request continues, if a line was
    /// set meanwhile.
    pub fn child_wait_satisfied(&mut self, now: Time, id: RequestId, child: RequestId) -> Option<LedgerLine> {
        let ledger = std::mem::take(&mut self.record_mut(child).ledger);
        let record = self.record_mut(id);
        record.awaits = 0;
        let went_on = record.ledger.join_child(now, &ledger);
        self.record_mut(child).ledger = ledger;
        went_on
    }

    /// Adds a holder of the record of a request, until [`Requests::release_record`].
    pub fn keep_record(&mut self, id: RequestId) {
        self.record_mut(id).keepers += 1;
    }

    /// Whether the record of a request has more holders than its issuer and one other, or the request waits for its children.
    pub fn is_held_by_others(&self, id: RequestId) -> bool {
        let record = &self.records[id.0 as usize];
        record.keepers > 2 || record.awaits > 0
    }

    /// Removes a holder of the record of a request.
    pub fn release_record(&mut self, id: RequestId) {
        let record = self.record_mut(id);
        record.keepers -= 1;
        self.free_if_done(id);
    }

    fn free_if_done(&mut self, id: RequestId) {
        let record = self.record_mut(id);
        if record.keepers == 0 && record.transit.under_way == 0 && record.children == 0 {
            let about = if record.is_service { record.request.parent } else { None };
            self.free.push(id.0);
            if let Some(about) = about {
                self.record_mut(about).children -= 1;
                self.free_if_done(about);
            }
        }
    }

    /// Moves the request to this ledger line, unless the request has been closed. Returns whether the request was in another ledger line.
    #[inline]
    pub fn enter_line(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = &mut self.records[id.0 as usize];
        record.open && record.ledger.enter_line(now, line)
    }

    /// Moves the request to this ledger line like [`Requests::enter_line`]; reports of data that are being prepared
    /// ([`Requests::set_line_after_preparation`]) do not move it from there.
    pub fn hold_in_line(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = &mut self.records[id.0 as usize];
        record.open && record.ledger.hold_in_line(now, line)
    }

    /// Corrects the ledger of a request afterwards: the given span at the beginning of its stay in a line was in fact spent in another
    /// line.
    pub fn reattribute(
        &mut self,
        now: Time,
        id: RequestId,
        line: LedgerLine,
        other: LedgerLine,
        spent: Span,
    ) {
        let record = &mut self.records[id.0 as usize];
        if record.open {
            record.ledger.reattribute(now, line, other, spent);
        }
    }

    /// Sets the ledger line that follows the units of a request in flight; if no units are in flight the request enters the line now.
    /// Returns whether the request is in the line now and was in another line before.
    #[inline]
    pub fn set_following_line(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = self.record_mut(id);
        (record.transit.behind, record.transit.prepared) = (line, false);
        record.transit.under_way == 0 && record.open && record.ledger.enter_line(now, line)
    }

    /// Sets the following line, as [`Requests::set_following_line`] does, for data that are being prepared to be sent: a request held in a
    /// line for these data stays there.
    #[inline]
    pub fn set_line_after_preparation(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = self.record_mut(id);
        (record.transit.behind, record.transit.prepared) = (line, true);
        let stays = record.transit.under_way > 0 || record.ledger.is_held_in_line();
        !stays && record.open && record.ledger.enter_line(now, line)
    }

    /// A protocol data unit of the request is given to a port, the queue of which is this line. Returns whether the request is in the line
    /// now and was in another line before.
    #[inline]
    pub fn unit_queued(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = self.record_mut(id);
        record.transit.under_way += 1;
        record.transit.under_way == 1 && record.open && record.ledger.enter_line(now, line)
    }

    /// Gives `count` more units of the request to a port, while other units of it are in flight.
    pub fn units_queued(&mut self, id: RequestId, count: u32) {
        let transit = &mut self.record_mut(id).transit;
        debug_assert!(transit.under_way > 0, "units are under way while a train goes on");
        transit.under_way += count;
    }

    /// Takes back units of the request that were given to a port too early, while other units of it are in flight.
    pub fn units_withdrawn(&mut self, id: RequestId, count: u32) {
        let transit = &mut self.record_mut(id).transit;
        transit.under_way -= count;
        debug_assert!(transit.under_way > 0, "other units are under way");
    }

    /// The first word of a unit of the request is on the wire.
    pub fn unit_leaves(&mut self, id: RequestId) {
        self.record_mut(id).transit.on_wire += 1;
    }

    /// The number of frames of a request of which the first word is on the wire and the last has not arrived.
    pub fn frames_on_wire(&self, id: RequestId) -> u32 {
        self.records[id.0 as usize].transit.on_wire
    }

    /// The number of units of a request between the queue of one port and the buffer of the other.
    pub fn units_in_flight(&self, id: RequestId) -> u32 {
        self.records[id.0 as usize].transit.under_way
    }

    /// The last word of a unit of the request has arrived at the other end. If the request was in the line `wire` and more of its units
    /// wait to be sent, the request returns to the line `queue` with them; then the port may have to report the line of another request.
    /// Returns whether the request has returned to the line `queue`.
    #[inline]
    pub fn unit_arrives(&mut self, now: Time, id: RequestId, wire: LedgerLine, queue: LedgerLine) -> bool {
        let record = self.record_mut(id);
        record.transit.on_wire -= 1;
        let others_wait = record.transit.on_wire == 0 && record.transit.under_way > 1;
        others_wait
            && record.open
            && record.ledger.ledger_line() == wire
            && record.ledger.enter_line(now, queue)
    }

    /// Counts `left` units that left a port and `taken` units that the other end received, in any order; some units were in flight all the
    /// time.
    pub fn units_passed(&mut self, id: RequestId, left: u32, taken: u32) {
        let transit = &mut self.record_mut(id).transit;
        transit.under_way -= taken;
        transit.on_wire = transit.on_wire + left - taken;
        debug_assert!(transit.under_way > 0, "units are under way at the end of a train");
    }

    /// A protocol data unit of the request has been received by the other end.
    pub fn unit_received(&mut self, id: RequestId) {
        let record = self.record_mut(id);
        record.transit.under_way -= 1;
        if record.keepers == 0 {
            self.free_if_done(id);
        }
    }

    /// The last unit in flight has been received, so the request moves to the line that was set to follow its units. Returns whether the
    /// request was in another line.
    #[inline]
    pub fn enter_following_line(&mut self, now: Time, id: RequestId) -> bool {
        let UnitsInTransit { behind, prepared, .. } = self.record_mut(id).transit;
        if prepared {
            self.set_line_after_preparation(now, id, behind)
        } else {
            self.set_following_line(now, id, behind)
        }
    }

    /// The ledger line that follows the units in flight.
    pub fn following_line(&self, id: RequestId) -> LedgerLine {
        self.records[id.0 as usize].transit.behind
    }

    /// The request with this number.
    pub fn request(&self, id: RequestId) -> &Request {
        &self.records[id.0 as usize].request
    }

    /// The ledger line of a request.
    pub fn ledger_line(&self, id: RequestId) -> LedgerLine {
        self.records[id.0 as usize].ledger.ledger_line()
    }

    /// The time at which the request was issued, or since when it has been wanted again.
    pub fn issue_time(&self, id: RequestId) -> Time {
        self.records[id.0 as usize].ledger.entry_time()
    }

    /// Whether a request is open, that is, has not yet returned to its issuer.
    pub fn is_request_open(&self, id: RequestId) -> bool {
        self.records[id.0 as usize].open
    }

    /// The stays of a closed request, which are kept until another request is opened.
    pub fn past_dwells(&self, id: RequestId) -> &[Dwell] {
        self.records[id.0 as usize].ledger.past_dwells()
    }

    /// Whether the stays of a closed request add up to its response time.
    pub fn dwells_add_up(&self, id: RequestId) -> bool {
        self.records[id.0 as usize].ledger.dwells_add_up()
    }

    /// Fixes a request in this ledger line, whatever components report, until [`Requests::unpin_line`]; the line of a forked request is not
    /// fixed but remains that of its children. Returns whether the request was in another ledger line.
    pub fn pin_to_line(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        self.record_mut(id).ledger.pin_to_line(now, line)
    }

    /// The ledger line of the request follows the reports of components again, and no reason is known any more why it should get no answer.
    pub fn unpin_line(&mut self, id: RequestId) {
        let record = self.record_mut(id);
        record.ledger.unpin_line();
        record.loss = None;
    }

    /// The request gets an answer after all: what was lost is sent again.
    pub fn forget_loss(&mut self, id: RequestId) {
        self.record_mut(id).loss = None;
    }

    /// Records the reason why a request gets no answer; of several reasons the first is kept.
    pub fn record_loss(&mut self, id: RequestId, loss: LostRequest) {
        self.record_mut(id).loss.get_or_insert(loss);
    }

    /// The ledger line of a request, and the reason why it gets no answer, if any; for a forked request the line and reason of one of its
    /// children. Whereabouts should be requested rarely, because the function searches all requests.
    pub fn line_and_loss(&self, id: RequestId) -> (LedgerLine, Option<LostRequest>) {
        let record = &self.records[id.0 as usize];
        if !record.ledger.is_forked() {
            return (record.ledger.ledger_line(), record.loss);
        }
        let all = self.children_of(id).map(|child| self.line_and_loss(child));
        // Among several children, one that gets no answer is preferred.
        let child = all.reduce(|one, other| if one.1.is_none() && other.1.is_some() { other } else { one });
        let (line, loss) = child.unwrap_or((record.ledger.ledger_line(), None));
        (line, record.loss.or(loss))
    }

    /// The losses of the open requests that get no answer for this reason. Messages with a content are left out, because their sender
    /// repeats them.
    pub fn losses_with_cause(&self, cause: LossCause) -> impl Iterator<Item = LostRequest> {
        let open = (0..).zip(&self.records).filter(|(number, record)| {
            record.open && record.keepers > 0 && !self.said.contains_key(&RequestId(*number))
        });
        open.filter_map(|(_, record)| record.loss).filter(move |loss| loss.cause == cause)
    }

    /// The open children of a request, in ascending order of their numbers. Children should be listed rarely, because the function searches
    /// all requests.
    pub fn children_of(&self, parent: RequestId) -> impl Iterator<Item = RequestId> {
        self.open_requests().filter(move |(_, request)| request.parent == Some(parent)).map(|(id, _)| id)
    }

    /// Number of records that still have a holder.
    pub fn record_count(&self) -> usize {
        self.records.len() - self.free.len()
    }

    /// All open requests, that is, those that have not yet returned to their issuer.
    pub fn open_requests(&self) -> impl Iterator<Item = (RequestId, &Request)> {
        let numbered = self.records.iter().enumerate();
        numbered.filter(|(_, r)| r.open && r.keepers > 0).map(|(n, r)| (RequestId(n as u32), &r.request))
    }

    fn record_mut(&mut self, id: RequestId) -> &mut Record {
        &mut self.records[id.0 as usize]
    }
}

#[cfg(test)]
mod tests;
