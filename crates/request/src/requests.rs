//! All requests that are in the system.
//!
//! A request is *closed* when its asker has it back. Its record lives on while protocol data units of it are in flight or one end of a
//! network still has it open ([`Requests::keep`]); only then its number may be reused.

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
    /// Whether it has not come back to the one who asked.
    open: bool,
    /// Number of holders of the record: the asker until it is closed, ends of networks.
    keepers: u16,
    /// Children that have to be done until it goes on.
    awaits: u16,
    /// Children that are open.
    children: u16,
    /// Why it gets no answer, if that is so.
    loss: Option<Loss>,
}

/// The state of the parent of a request that is closed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Joined {
    /// It has none, or one that does not wait for it any more.
    Nobody,
    /// It waits for others.
    NotYet(RequestId),
    /// This one was the last that it waited for. It continues in this line, if that was set meanwhile, else where it forked.
    Satisfied(RequestId, Option<LedgerLine>),
}

/// A request that has come back to the one who asked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Returned {
    /// The request.
    pub request: Request,
    /// How long it took.
    pub response: Span,
    /// When it was asked for.
    pub begun: Time,
    /// The state of its parent.
    pub joined: Joined,
}

/// See the text at the top of this file.
#[derive(Clone, Debug, Default)]
pub struct Requests {
    records: Vec<Record>,
    free: Vec<u32>,
    /// The contents of messages; nearly all requests have none.
    said: RequestMap<Words>,
}

impl Requests {
    /// Asks for something, and is in this line from now on. The one who asks keeps it until [`Requests::close`].
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

    /// From now on the children of a request have it, until so many of those that are asked for from now on are done. To be
    /// called before they are.
    pub fn fork(&mut self, parent: RequestId, awaits: u16) {
        let record = self.record_mut(parent);
        debug_assert!(awaits > 0 && record.awaits == 0, "forked twice");
        record.awaits = awaits;
        record.ledger.fork();
    }

    /// A request that its children have waits for so many more of them.
    pub fn await_more(&mut self, parent: RequestId, more: u16) {
        let record = self.record_mut(parent);
        debug_assert!(record.awaits > 0, "its children do not have it");
        record.awaits += more;
    }

    /// The data of a request say this from now on.
    pub fn say(&mut self, id: RequestId, words: Words) {
        self.said.insert(id, words);
    }

    /// The content of the data of a request.
    pub fn said(&self, id: RequestId) -> Option<Words> {
        self.said.get(&id).copied()
    }

    /// The same, and removes it.
    pub fn take_said(&mut self, id: RequestId) -> Option<Words> {
        self.said.remove(&id)
    }

    /// Asks for a part of a request.
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

    /// Asks for a part of a request behind another part of it, which is done just now and not closed yet: the stays of that one
    /// come before its own.
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

    /// A request comes back to the one who asked. Its stays are there until something else is asked for.
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
            // It went on, or came back, without this one.
            self.free_if_done(parent);
            return Joined::Nobody;
        }
        record.awaits -= 1;
        if record.awaits > 0 {
            return Joined::NotYet(parent);
        }
        // Taken out for as long as both are in hand; what room it has goes back with it.
        let ledger = std::mem::take(&mut self.record_mut(child).ledger);
        let went_on = self.record_mut(parent).ledger.join(now, &ledger);
        self.record_mut(child).ledger = ledger;
        Joined::Satisfied(parent, went_on)
    }

    /// A request waits, as one more beside its parent, for a child that is asked for just now.
    pub fn wait_for(&mut self, id: RequestId) {
        let record = self.record_mut(id);
        debug_assert!(record.awaits == 0, "forked twice");
        record.awaits = 1;
        record.ledger.fork();
    }

    /// The child for which it waited has just been closed. Returns the line in which it continues, if that was set meanwhile.
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

    /// Removes a holder.
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

    /// The request is in this line from now on, unless it has been closed. Returns whether it was in another.
    #[inline]
    pub fn enter(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = &mut self.records[id.0 as usize];
        record.open && record.ledger.enter(now, line)
    }

    /// The same, for a line that it does not leave for reports of data that are being prepared ([`Requests::prepare`]).
    pub fn hold(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = &mut self.records[id.0 as usize];
        record.open && record.ledger.hold(now, line)
    }

    /// In hindsight: of the time since it is in a line, so much at its beginning was spent in another one.
    pub fn was(&mut self, now: Time, id: RequestId, line: LedgerLine, other: LedgerLine, spent: Span) {
        let record = &mut self.records[id.0 as usize];
        if record.open {
            record.ledger.was(now, line, other, spent);
        }
    }

    /// Sets the line after the units of a request that are in flight; without any the request is in it now. Returns whether it is, and was
    /// in another.
    #[inline]
    pub fn tell(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = self.record_mut(id);
        (record.transit.behind, record.transit.prepared) = (line, false);
        record.transit.under_way == 0 && record.open && record.ledger.enter(now, line)
    }

    /// The same for data that are being prepared to be sent: it stays where it is held for them.
    #[inline]
    pub fn prepare(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = self.record_mut(id);
        (record.transit.behind, record.transit.prepared) = (line, true);
        let stays = record.transit.under_way > 0 || record.ledger.is_held();
        !stays && record.open && record.ledger.enter(now, line)
    }

    /// A protocol data unit of it is given to a port, whose queue is this line. Returns whether it is there now and was in another.
    #[inline]
    pub fn unit_queued(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        let record = self.record_mut(id);
        record.transit.under_way += 1;
        record.transit.under_way == 1 && record.open && record.ledger.enter(now, line)
    }

    /// Gives `count` more of its units to a port, while others are in flight.
    pub fn units_queued(&mut self, id: RequestId, count: u32) {
        let transit = &mut self.record_mut(id).transit;
        debug_assert!(transit.under_way > 0, "units are under way while a train goes on");
        transit.under_way += count;
    }

    /// The first word of a unit of it is on the wire.
    pub fn unit_leaves(&mut self, id: RequestId) {
        self.record_mut(id).transit.on_wire += 1;
    }

    /// Frames of it of which the first word is on the wire and the last is not in.
    pub fn on_wire(&self, id: RequestId) -> u32 {
        self.records[id.0 as usize].transit.on_wire
    }

    /// The last word of a unit of it is in at the other end. If it was in `wire` and more of its units wait for their turn,
    /// it is in `queue` with them; the port may have another request to tell about. Returns whether it is.
    #[inline]
    pub fn unit_arrives(&mut self, now: Time, id: RequestId, wire: LedgerLine, queue: LedgerLine) -> bool {
        let record = self.record_mut(id);
        record.transit.on_wire -= 1;
        let others_wait = record.transit.on_wire == 0 && record.transit.under_way > 1;
        others_wait && record.open && record.ledger.line() == wire && record.ledger.enter(now, queue)
    }

    /// Counts `left` units that left a port and `taken` that the other end received, in any order; some were in flight all the time.
    pub fn units_passed(&mut self, id: RequestId, left: u32, taken: u32) {
        let transit = &mut self.record_mut(id).transit;
        transit.under_way -= taken;
        transit.on_wire = transit.on_wire + left - taken;
        debug_assert!(transit.under_way > 0, "units are under way at the end of a train");
    }

    /// A protocol data unit of it has been taken by the other end.
    pub fn unit_taken(&mut self, id: RequestId) {
        let record = self.record_mut(id);
        record.transit.under_way -= 1;
        if record.keepers == 0 {
            self.free_if_done(id);
        }
    }

    /// The last unit in flight has been received: the request is in the line that was set for after its units. Returns whether it was
    /// elsewhere.
    #[inline]
    pub fn tell_again(&mut self, now: Time, id: RequestId) -> bool {
        let Transit { behind, prepared, .. } = self.record_mut(id).transit;
        if prepared { self.prepare(now, id, behind) } else { self.tell(now, id, behind) }
    }

    /// The line after the units in flight.
    pub fn behind(&self, id: RequestId) -> LedgerLine {
        self.records[id.0 as usize].transit.behind
    }

    /// The request with this number.
    pub fn get(&self, id: RequestId) -> &Request {
        &self.records[id.0 as usize].request
    }

    /// Where it is.
    pub fn line(&self, id: RequestId) -> LedgerLine {
        self.records[id.0 as usize].ledger.line()
    }

    /// When it was asked for, or has been wanted since.
    pub fn begun(&self, id: RequestId) -> Time {
        self.records[id.0 as usize].ledger.begun()
    }

    /// Whether it has not come back to the one who asked.
    pub fn is_open(&self, id: RequestId) -> bool {
        self.records[id.0 as usize].open
    }

    /// Where its time went, if it has been closed; until something else is asked for.
    pub fn stays(&self, id: RequestId) -> &[Dwell] {
        self.records[id.0 as usize].ledger.stays()
    }

    /// Whether the stays of a closed request add up to its response time.
    pub fn adds_up(&self, id: RequestId) -> bool {
        self.records[id.0 as usize].ledger.adds_up()
    }

    /// It is in this line whatever others tell of it, until [`Requests::let_go`]; while its children have it they tell where it is.
    /// Returns whether it was in another.
    pub fn keep_in(&mut self, now: Time, id: RequestId, line: LedgerLine) -> bool {
        self.record_mut(id).ledger.keep_in(now, line)
    }

    /// It is where others tell again, and gets an answer for all that is known.
    pub fn let_go(&mut self, id: RequestId) {
        let record = self.record_mut(id);
        record.ledger.let_go();
        record.loss = None;
    }

    /// It gets no answer, for this reason; if there are several the first counts.
    pub fn lose(&mut self, id: RequestId, loss: Loss) {
        self.record_mut(id).loss.get_or_insert(loss);
    }

    /// Where it is, and why it gets no answer if that is so: where a child of it is, while its children have it. To be asked seldom,
    /// for it looks at all requests.
    pub fn whereabouts(&self, id: RequestId) -> (LedgerLine, Option<Loss>) {
        let record = &self.records[id.0 as usize];
        if !record.ledger.is_forked() {
            return (record.ledger.line(), record.loss);
        }
        let all = self.children_of(id).map(|child| self.whereabouts(child));
        // Among several, the child that gets no answer.
        let child = all.reduce(|one, other| if one.1.is_none() && other.1.is_some() { other } else { one });
        let (line, loss) = child.unwrap_or((record.ledger.line(), None));
        (line, record.loss.or(loss))
    }

    /// The requests that are open and get no answer for this reason. Messages that say something are not among them: who sent one asks again.
    pub fn lost(&self, cause: Cause) -> impl Iterator<Item = Loss> {
        let open = (0..).zip(&self.records).filter(|(number, record)| {
            record.open && record.keepers > 0 && !self.said.contains_key(&RequestId(*number))
        });
        open.filter_map(|(_, record)| record.loss).filter(move |loss| loss.cause == cause)
    }

    /// The open children of a request, by number. To be asked seldom, for it looks at all requests.
    pub fn children_of(&self, parent: RequestId) -> impl Iterator<Item = RequestId> {
        self.open_ones().filter(move |(_, request)| request.parent == Some(parent)).map(|(id, _)| id)
    }

    /// Number of records that still have a holder.
    pub fn count(&self) -> usize {
        self.records.len() - self.free.len()
    }

    /// Those that have not come back to the one who asked.
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
