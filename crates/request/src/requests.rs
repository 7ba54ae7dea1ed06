//! All requests that are in the system.
//!
//! A request is *closed* when it has returned to the component that issued it. The record of a closed request is kept while protocol data
//! units of it are in flight or one end of a network still has it open ([`Requests::keep`]); only then its number may be reused.

use crate::data::Words;
use crate::ledger::{Dwell, Ledger, LedgerLine};
use crate::loss::{Cause, Loss};
use crate::map::RequestMap;
use crate::request::{Request, RequestId};
use crate::transit::Transit;
use sansim_kernel::{Span, Time};

/// The common record of a request.
#[derive(Clone, Debug)]
struct Record {
    request: Request,
    ledger: Ledger,
    transit: Transit,
    /// Whether the request is open, that is, has not yet returned to its issuer.
    open: bool,
    /// The number of holders of the record: the issuer until the request is closed, and ends of networks.
    keepers: u16,
    /// The number of children that have to complete before the request continues.
    awaits: u16,
    /// The number of children that are open.
    children: u16,
    /// The reason why the request gets no answer; none if it is going to get one.
    loss: Option<Loss>,
}

/// The state of the parent of a request that has been closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
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
pub struct Returned {
    /// The request.
    pub request: Request,
    /// The response time of the request.
    pub response: Span,
    /// The time at which the request was issued.
    pub begun: Time,
    /// The state of the parent of the request.
    pub joined: Joined,
}

/// See the text at the top of this file.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    records: Vec<Record>,
    free: Vec<u32>,
    /// The contents of messages, by request; nearly all requests have none.
    said: RequestMap<Words>,
}

impl Requests {
    /// Opens a request, which is in this ledger line from now on. The issuer keeps the record of a request until [`Requests::close`].
    pub fn open(&mut self, now: Time, request: Request, line: LedgerLine) -> RequestId {
        let transit = Transit { behind: line, ..Transit::default() };
        let id = match self.free.pop() {
            Some(number) => {
                let record = &mut self.records[number as usize];
                (record.request, record.transit) = (request, transit);
                (record.open, record.keepers, record.awaits, record.children) = (true, 1, 0, 0);
                record.loss = None;
                number
            }
            None => {
                self.records.push(Record {
                    request,
                    ledger: Ledger::with_room(),
                    transit,
                    open: true,
                    keepers: 1,
                    awaits: 0,
                    children: 0,
                    loss: None,
                });
                (self.records.len() - 1) as u32
            }
        };
        self.records[id as usize].ledger.begin(now, line);
        RequestId(id)
    }

    /// Forks a request: from now on its children determine its ledger line, until `awaits` of the children that are opened from now on have
    /// completed. A request must be forked before its children are opened.
    pub fn fork(&mut self, parent: RequestId, awaits: u16) {
        let record = self.record_mut(parent);
        debug_assert!(awaits > 0 && record.awaits == 0, "forked twice");
        record.awaits = awaits;
        record.ledger.fork();
    }

    /// A forked request waits for this number of further children.
    pub fn await_more(&mut self, parent: RequestId, more: u16) {
        let record = self.record_mut(parent);
        debug_assert!(record.awaits > 0, "its children do not have it");
        record.awaits += more;
    }

    /// Sets the content of the data of a request.
    pub fn say(&mut self, id: RequestId, words: Words) {
        self.said.insert(id, words);
    }

    /// The content of the data of a request.
    pub fn said(&self, id: RequestId) -> Option<Words> {
        self.said.get(&id).copied()
    }

    /// Returns the content of the data of a request and removes it.
    pub fn take_said(&mut self, id: RequestId) -> Option<Words> {
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
        self.open(now, Request { parent: Some(parent), ..request }, line)
    }

    /// Opens a child that follows another child, which completes at this moment and is not closed yet: the stays of the other child precede
    /// those of the new child.
    pub fn open_child_behind(
        &mut self,
        now: Time,
        parent: RequestId,
        request: Request,
        line: LedgerLine,
        other: RequestId,
    ) -> RequestId {
        let id = self.open_child(now, parent, request, line);
        let ledger = std::mem::take(&mut self.record_mut(other).ledger);
        self.record_mut(id).ledger.begin_behind(now, line, &ledger);
        self.record_mut(other).ledger = ledger;
        id
    }

    /// Closes a request, which returns to its issuer. The stays of a closed request can be read until another request is opened.
    pub fn close(&mut self, now: Time, id: RequestId) -> Returned {
        let record = self.record_mut(id);
        debug_assert!(record.open && record.awaits == 0, "closed twice, or while its children have it");
        record.open = false;
        let (request, begun, response) = (record.request, record.ledger.begun(), record.ledger.close(now));
        let joined = request.parent.map_or(Joined::Nobody, |parent| self.join(now, parent, id));
        self.release(id);
        Returned { request, response, begun, joined }
    }

    fn join(&mut self, now: Time, parent: RequestId, child: RequestId) -> Joined {
        let record = self.record_mut(parent);
        record.children -= 1;
        if record.awaits == 0 {
            // The parent continued, or was closed, without waiting for this child.
            self.free_if_done(parent);
            return Joined::Nobody;
        }
        record.awaits -= 1;
        if record.awaits > 0 {
            return Joined::NotYet(parent);
        }
        // The ledger of the child is moved out while the ledger of its parent is changed; its memory is moved back with it.
        let ledger = std::mem::take(&mut self.record_mut(child).ledger);
        let went_on = self.record_mut(parent).ledger.join(now, &ledger);
        self.record_mut(child).ledger = ledger;
        Joined::Satisfied(parent, went_on)
    }

    /// A request waits for one further child, which is being opened at this moment.
    pub fn wait_for(&mut self, id: RequestId) {
        let record = self.record_mut(id);
        debug_assert!(record.awaits == 0, "forked twice");
        record.awaits = 1;
        record.ledger.fork();
    }

    /// The child for which the request waited has just been closed. Returns the ledger line in which the request continues, if a line was
    /// set meanwhile.
    pub fn satisfied(&mut self, now: Time, id: RequestId, child: RequestId) -> Option<LedgerLine> {
        let ledger = std::mem::take(&mut self.record_mut(child).ledger);
        let record = self.record_mut(id);
        record.awaits = 0;
        let went_on = record.ledger.join(now, &ledger);
        self.record_mut(child).ledger = ledger;
        went_on
    }

    /// Adds a holder of the record of a request, until [`Requests::release`].
    pub fn keep(&mut self, id: RequestId) {
        self.record_mut(id).keepers += 1;
    }

    /// Removes a holder of the record of a request.
    pub fn release(&mut self, id: RequestId) {
        let record = self.record_mut(id);
        record.keepers -= 1;
        self.free_if_done(id);
    }

    fn free_if_done(&mut self, id: RequestId) {
        let record = self.record_mut(id);
        if record.keepers == 0 && record.transit.under_way == 0 && record.children == 0 {
            self.free.push(id.0);
        }
    }

    /// Moves the request to this ledger line, unless the request has been closed. Returns whether the request was in another ledger line.
    #[inline]
    pub fn enter(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = &mut self.records[id.0 as usize];
        record.open && record.ledger.enter(now, line)
    }

    /// Moves the request to this ledger line like [`Requests::enter`]; reports of data that are being prepared ([`Requests::prepare`]) do
    /// not move it from there.
    pub fn hold(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = &mut self.records[id.0 as usize];
        record.open && record.ledger.hold(now, line)
    }

    /// Corrects the ledger of a request afterwards: the given span at the beginning of its stay in a line was in fact spent in another
    /// line.
    pub fn was(&mut self, now: Time, id: RequestId, line: LedgerLine, other: LedgerLine, spent: Span) {
        let record = &mut self.records[id.0 as usize];
        if record.open {
            record.ledger.was(now, line, other, spent);
        }
    }

    /// Sets the ledger line that follows the units of a request in flight; if no units are in flight the request enters the line now.
    /// Returns whether the request is in the line now and was in another line before.
    #[inline]
    pub fn tell(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = self.record_mut(id);
        (record.transit.behind, record.transit.prepared) = (line, false);
        record.transit.under_way == 0 && record.open && record.ledger.enter(now, line)
    }

    /// Sets the following line, as [`Requests::tell`] does, for data that are being prepared to be sent: a request held in a line for these
    /// data stays there.
    #[inline]
    pub fn prepare(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = self.record_mut(id);
        (record.transit.behind, record.transit.prepared) = (line, true);
        let stays = record.transit.under_way > 0 || record.ledger.is_held();
        !stays && record.open && record.ledger.enter(now, line)
    }

    /// A protocol data unit of the request is given to a port, the queue of which is this line. Returns whether the request is in the line
    /// now and was in another line before.
    #[inline]
    pub fn unit_queued(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = self.record_mut(id);
        record.transit.under_way += 1;
        record.transit.under_way == 1 && record.open && record.ledger.enter(now, line)
    }

    /// Gives `count` more units of the request to a port, while other units of it are in flight.
    pub fn units_queued(&mut self, id: RequestId, count: u32) {
        let transit = &mut self.record_mut(id).transit;
        debug_assert!(transit.under_way > 0, "units are under way while a train goes on");
        transit.under_way += count;
    }

    /// The first word of a unit of the request is on the wire.
    pub fn unit_leaves(&mut self, id: RequestId) {
        self.record_mut(id).transit.on_wire += 1;
    }

    /// The number of frames of a request of which the first word is on the wire and the last has not arrived.
    pub fn on_wire(&self, id: RequestId) -> u32 {
        self.records[id.0 as usize].transit.on_wire
    }

    /// The last word of a unit of the request has arrived at the other end. If the request was in the line `wire` and more of its units
    /// wait to be sent, the request returns to the line `queue` with them; then the port may have to report the line of another request.
    /// Returns whether the request has returned to the line `queue`.
    #[inline]
    pub fn unit_arrives(&mut self, now: Time, id: RequestId, wire: LedgerLine, queue: LedgerLine) -> bool {
        let record = self.record_mut(id);
        record.transit.on_wire -= 1;
        let others_wait = record.transit.on_wire == 0 && record.transit.under_way > 1;
        others_wait && record.open && record.ledger.line() == wire && record.ledger.enter(now, queue)
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
    pub fn unit_taken(&mut self, id: RequestId) {
        let record = self.record_mut(id);
        record.transit.under_way -= 1;
        if record.keepers == 0 {
            self.free_if_done(id);
        }
    }

    /// The last unit in flight has been received, so the request moves to the line that was set to follow its units. Returns whether the
    /// request was in another line.
    #[inline]
    pub fn tell_again(&mut self, now: Time, id: RequestId) -> bool {
        let Transit { behind, prepared, .. } = self.record_mut(id).transit;
        if prepared { self.prepare(now, id, behind) } else { self.tell(now, id, behind) }
    }

    /// The ledger line that follows the units in flight.
    pub fn behind(&self, id: RequestId) -> LedgerLine {
        self.records[id.0 as usize].transit.behind
    }

    /// The request with this number.
    pub fn get(&self, id: RequestId) -> &Request {
        &self.records[id.0 as usize].request
    }

    /// The ledger line of a request.
    pub fn line(&self, id: RequestId) -> LedgerLine {
        self.records[id.0 as usize].ledger.line()
    }

    /// The time at which the request was issued, or since when it has been wanted again.
    pub fn begun(&self, id: RequestId) -> Time {
        self.records[id.0 as usize].ledger.begun()
    }

    /// Whether a request is open, that is, has not yet returned to its issuer.
    pub fn is_open(&self, id: RequestId) -> bool {
        self.records[id.0 as usize].open
    }

    /// The stays of a closed request, which are kept until another request is opened.
    pub fn stays(&self, id: RequestId) -> &[Dwell] {
        self.records[id.0 as usize].ledger.stays()
    }

    /// Whether the stays of a closed request add up to its response time.
    pub fn adds_up(&self, id: RequestId) -> bool {
        self.records[id.0 as usize].ledger.adds_up()
    }

    /// Fixes a request in this ledger line, whatever components report, until [`Requests::let_go`]; the line of a forked request is not
    /// fixed but remains that of its children. Returns whether the request was in another ledger line.
    pub fn keep_in(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        self.record_mut(id).ledger.keep_in(now, line)
    }

    /// The ledger line of the request follows the reports of components again, and no reason is known any more why it should get no answer.
    pub fn let_go(&mut self, id: RequestId) {
        let record = self.record_mut(id);
        record.ledger.let_go();
        record.loss = None;
    }

    /// Records the reason why a request gets no answer; of several reasons the first is kept.
    pub fn lose(&mut self, id: RequestId, loss: Loss) {
        self.record_mut(id).loss.get_or_insert(loss);
    }

    /// The ledger line of a request, and the reason why it gets no answer, if any; for a forked request the line and reason of one of its
    /// children. Whereabouts should be requested rarely, because the function searches all requests.
    pub fn whereabouts(&self, id: RequestId) -> (LedgerLine, Option<Loss>) {
        let record = &self.records[id.0 as usize];
        if !record.ledger.is_forked() {
            return (record.ledger.line(), record.loss);
        }
        let all = self.children_of(id).map(|child| self.whereabouts(child));
        // Among several children, one that gets no answer is preferred.
        let child = all.reduce(|one, other| if one.1.is_none() && other.1.is_some() { other } else { one });
        let (line, loss) = child.unwrap_or((record.ledger.line(), None));
        (line, record.loss.or(loss))
    }

    /// The losses of the open requests that get no answer for this reason. Messages with a content are left out, because their sender
    /// repeats them.
    pub fn lost(&self, cause: Cause) -> impl Iterator<Item = Loss> {
        let open = (0..).zip(&self.records).filter(|(number, record)| {
            record.open && record.keepers > 0 && !self.said.contains_key(&RequestId(*number))
        });
        open.filter_map(|(_, record)| record.loss).filter(move |loss| loss.cause == cause)
    }

    /// The open children of a request, in ascending order of their numbers. Children should be listed rarely, because the function searches
    /// all requests.
    pub fn children_of(&self, parent: RequestId) -> impl Iterator<Item = RequestId> {
        self.open_ones().filter(move |(_, request)| request.parent == Some(parent)).map(|(id, _)| id)
    }

    /// Number of records that still have a holder.
    pub fn count(&self) -> usize {
        self.records.len() - self.free.len()
    }

    /// All open requests, that is, those that have not yet returned to their issuer.
    pub fn open_ones(&self) -> impl Iterator<Item = (RequestId, &Request)> {
        let numbered = self.records.iter().enumerate();
        numbered.filter(|(_, r)| r.open && r.keepers > 0).map(|(n, r)| (RequestId(n as u32), &r.request))
    }

    fn record_mut(&mut self, id: RequestId) -> &mut Record {
        &mut self.records[id.0 as usize]
    }
}

#[cfg(test)]
mod tests;
