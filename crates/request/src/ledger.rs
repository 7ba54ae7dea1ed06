//! The time ledger: stays that add up, to the tick, to the response time of a request.
//!
//! At every moment a request that is in the system is in exactly one segment at one place: it waits for something at the place, or a block
//! of the place works for it. A place with one of its segments is a [`LedgerLine`]; lines are numbered when the system is built.
//!
//! While a request is *forked* its children are at work. The time in which a request is forked is copied from the ledger of the child that
//! satisfied the join: until that child was opened, the request was in the line where it forked; after that it was where the child was. So
//! the sum of stays remains exact, and the stays of a parent describe its critical path.
//!
//! A child that is opened because another child has completed (a write of parity after the read of the old parity) has the stays of the
//! completed child before its own ([`Ledger::begin_after_sibling`]), so the critical path contains the whole chain.

use sansim_kernel::{Span, Time};

/// The number of stays for which a ledger has memory from the beginning, so that no memory is allocated during the request. A request that
/// passes through one network is hardly ever in more lines than this.
pub const ROOM: usize = 32;

/// A segment at a place, by its number in the system.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct LedgerLine(pub u32);

/// The time that a request spent in a line, all its stays there together.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Dwell {
    /// The ledger line.
    pub line: LedgerLine,
    /// The time spent in the line.
    pub spent: Span,
}

/// The ledger of one request.
#[derive(Clone, Debug, Default)]
pub struct Ledger {
    begun: Time,
    /// The beginning of the stays: the time when the request was issued, or when the first of the completed children that it follows was
    /// issued.
    from: Time,
    since: Time,
    line: LedgerLine,
    /// Whether the request is held in its line, in a circuit that is held open for its next data; see [`Ledger::hold_in_line`].
    held: bool,
    /// The line in which it continues when the join is satisfied, if it is forked and that was set meanwhile.
    after: Option<LedgerLine>,
    whose: Whose,
    stays: Vec<Dwell>,
    places: Places,
}

/// The places of lines in the list of stays.
#[derive(Clone, Debug)]
struct Places {
    /// One bit for each line number modulo 64: a line without its bit has no stay yet.
    lines: u64,
    /// For each line number modulo 64, the place of the stay of the line that was entered last.
    places: [u8; u64::BITS as usize],
}

impl Default for Places {
    fn default() -> Self {
        Self { lines: 0, places: [0; u64::BITS as usize] }
    }
}

impl Places {
    fn number(line: LedgerLine) -> usize {
        (line.0 % u64::BITS) as usize
    }

    /// The place of the stay of a line in the list, if the line has a stay.
    #[inline]
    fn of(&self, line: LedgerLine, stays: &[Dwell]) -> Option<usize> {
        let number = Self::number(line);
        if self.lines >> number & 1 == 0 {
            return None;
        }
        let is_its = |place: &usize| stays.get(*place).is_some_and(|stay| stay.line == line);
        let place = Some(usize::from(self.places[number])).filter(is_its);
        place.or_else(|| stays.iter().rposition(|stay| stay.line == line))
    }

    /// Records the place of the stay of a line in the list.
    #[inline]
    fn put(&mut self, line: LedgerLine, place: usize) {
        let number = Self::number(line);
        self.lines |= 1 << number;
        // A stay at a place beyond 255 is searched for from there on.
        self.places[number] = place.min(u8::MAX.into()) as u8;
    }
}

/// The components that determine the ledger line of a request.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Whose {
    /// Every component that works for the request reports its line.
    #[default]
    All,
    /// The children of a forked request determine its line.
    Children,
    /// No component reports the line: the issuer has fixed it, until the issuer releases it.
    Nobody,
}

impl Ledger {
    /// A ledger that has not begun, with memory for [`ROOM`] stays.
    pub fn with_capacity() -> Self {
        Self { stays: Vec::with_capacity(ROOM), ..Self::default() }
    }

    /// Begins the ledger of a new request, in a line. The capacity of the list of stays is kept.
    pub fn begin_in_line(&mut self, now: Time, line: LedgerLine) {
        self.stays.clear();
        self.places.lines = 0;
        (self.begun, self.from, self.since, self.line) = (now, now, now, line);
        (self.held, self.whose, self.after) = (false, Whose::All, None);
    }

    /// Begins the ledger of a new request, in a line, after another request that completes at this moment: the stays of the completed
    /// request precede those of the new one.
    pub fn begin_after_sibling(&mut self, now: Time, line: LedgerLine, other: &Ledger) {
        self.begin_in_line(now, line);
        other.stays.iter().for_each(|stay| self.put(stay.line, stay.spent));
        self.put(other.line, now - other.since);
        self.from = other.from;
    }

    /// Moves the request to this line. Returns whether the request was in another line; a forked request moves to this line only when its
    /// join is satisfied.
    pub fn enter_line(&mut self, now: Time, line: LedgerLine) -> bool {
        if self.whose != Whose::All {
            if self.whose == Whose::Children {
                self.after = Some(line);
            }
            return false;
        }
        self.held = false;
        if line == self.line {
            return false;
        }
        self.put(self.line, now - self.since);
        (self.since, self.line) = (now, line);
        true
    }

    /// Moves the request to this line and holds it there: reports of data that are still to come do not move it, until the data come
    /// ([`Ledger::is_held_in_line`]).
    pub fn hold_in_line(&mut self, now: Time, line: LedgerLine) -> bool {
        let moved = self.enter_line(now, line);
        self.held = true;
        moved
    }

    /// Corrects the ledger afterwards: the given span at the beginning of the stay in a line was in fact spent in another line. The ledger
    /// remains unchanged if the request is in a different line by now.
    pub fn reattribute(&mut self, now: Time, line: LedgerLine, other: LedgerLine, spent: Span) {
        if self.whose == Whose::All && self.line == line {
            let spent = spent.min(now - self.since);
            self.put(other, spent);
            self.since += spent;
        }
    }

    /// Whether the request is held in its line.
    pub fn is_held_in_line(&self) -> bool {
        self.held
    }

    /// Forks the request: from now on its children determine its line.
    pub fn fork_request(&mut self) {
        self.whose = Whose::Children;
        self.after = None;
    }

    /// Fixes the request in this line, whatever components report, until the line is released; the line of a forked request is not fixed.
    /// Returns whether the request was in another line.
    pub fn pin_to_line(&mut self, now: Time, line: LedgerLine) -> bool {
        if self.whose == Whose::Children {
            return false;
        }
        self.whose = Whose::All;
        let moved = self.enter_line(now, line);
        self.whose = Whose::Nobody;
        moved
    }

    /// The reports of components determine the line of the request again.
    pub fn unpin_line(&mut self) {
        if self.whose == Whose::Nobody {
            self.whose = Whose::All;
        }
    }

    /// Whether the request is forked, so that its children determine its line.
    pub fn is_forked(&self) -> bool {
        self.whose == Whose::Children
    }

    /// The join is satisfied by a child that has just completed. Returns the new line of the request, if a line was set meanwhile.
    pub fn join_child(&mut self, now: Time, child: &Ledger) -> Option<LedgerLine> {
        debug_assert!(self.is_forked() && child.from >= self.since);
        self.put(self.line, child.from - self.since);
        child.stays.iter().for_each(|stay| self.put(stay.line, stay.spent));
        self.whose = Whose::All;
        self.since = now;
        if let Some(line) = self.after.take() {
            self.line = line;
            return Some(line);
        }
        None
    }

    /// Closes the ledger of a request that has completed. Returns the response time of the request; the stays add up to it.
    pub fn close_ledger(&mut self, now: Time) -> Span {
        self.put(self.line, now - self.since);
        self.since = now;
        now - self.begun
    }

    /// The stays of the request so far, without the present stay.
    pub fn past_dwells(&self) -> &[Dwell] {
        &self.stays
    }

    /// Whether the stays of a closed ledger add up to the response time, together with the stays of the completed requests that it follows.
    pub fn dwells_add_up(&self) -> bool {
        self.stays.iter().map(|stay| stay.spent).sum::<Span>() == self.since - self.from
    }

    /// The line of the request; for a forked request the line where it forked.
    pub fn ledger_line(&self) -> LedgerLine {
        self.line
    }

    /// The time at which the request entered the system.
    pub fn entry_time(&self) -> Time {
        self.begun
    }

    fn put(&mut self, line: LedgerLine, spent: Span) {
        if spent == Span::ZERO {
            return;
        }
        if let Some(place) = self.places.of(line, &self.stays) {
            self.stays[place].spent += spent;
            return;
        }
        self.places.put(line, self.stays.len());
        self.stays.push(Dwell { line, spent });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const QUEUE: LedgerLine = LedgerLine(0);
    const WORK: LedgerLine = LedgerLine(1);
    const DISK: LedgerLine = LedgerLine(2);
    const WIRE: LedgerLine = LedgerLine(3);

    fn begun(now: u64, line: LedgerLine) -> Ledger {
        let mut ledger = Ledger::default();
        ledger.begin_in_line(Time(now), line);
        ledger
    }

    fn spent(ledger: &Ledger, line: LedgerLine) -> u64 {
        ledger.past_dwells().iter().find(|stay| stay.line == line).map_or(0, |stay| stay.spent.ticks())
    }

    #[test]
    fn stays_add_up_to_the_response_time() {
        let mut ledger = begun(100, QUEUE);
        assert!(ledger.enter_line(Time(130), DISK));
        assert!(ledger.enter_line(Time(130), WORK));
        assert!(!ledger.enter_line(Time(150), WORK), "it is there already");
        ledger.enter_line(Time(190), WIRE);
        ledger.enter_line(Time(200), WORK);
        assert_eq!(ledger.close_ledger(Time(275)), Span(175));
        assert!(ledger.dwells_add_up());
        assert_eq!([QUEUE, WORK, DISK, WIRE].map(|line| spent(&ledger, line)), [30, 60 + 75, 0, 10]);
    }

    #[test]
    fn what_passes_while_it_is_forked_is_where_the_child_was_that_satisfied_the_join() {
        let mut parent = begun(0, QUEUE);
        parent.enter_line(Time(10), WORK);
        parent.fork_request();
        let mut child = begun(15, QUEUE);
        child.enter_line(Time(20), DISK);
        assert_eq!(child.close_ledger(Time(50)), Span(35));
        assert_eq!(parent.join_child(Time(50), &child), None);
        parent.enter_line(Time(50), WIRE);
        assert_eq!(parent.close_ledger(Time(57)), Span(57));
        assert!(parent.dwells_add_up());
        assert_eq!([QUEUE, WORK, DISK, WIRE].map(|line| spent(&parent, line)), [10 + 5, 5, 30, 7]);
    }

    #[test]
    fn a_chain_of_children_is_on_the_path_as_a_whole() {
        let mut parent = begun(0, QUEUE);
        parent.fork_request();
        let mut read = begun(5, QUEUE);
        read.enter_line(Time(10), DISK);
        let mut write = Ledger::default();
        write.begin_after_sibling(Time(40), WORK, &read);
        assert_eq!(read.close_ledger(Time(40)), Span(35));
        write.enter_line(Time(42), DISK);
        assert_eq!(write.close_ledger(Time(50)), Span(10), "what it took itself");
        assert!(write.dwells_add_up());
        assert_eq!(parent.join_child(Time(50), &write), None);
        assert_eq!(parent.close_ledger(Time(50)), Span(50));
        assert!(parent.dwells_add_up());
        assert_eq!([QUEUE, WORK, DISK].map(|line| spent(&parent, line)), [5 + 5, 2, 30 + 8]);
    }

    #[test]
    fn in_hindsight_a_stay_is_divided() {
        let mut ledger = begun(0, QUEUE);
        ledger.enter_line(Time(10), WORK);
        ledger.reattribute(Time(40), WORK, DISK, Span(12));
        ledger.reattribute(Time(40), WORK, WIRE, Span(100));
        ledger.reattribute(Time(40), QUEUE, DISK, Span(1));
        ledger.close_ledger(Time(45));
        assert!(ledger.dwells_add_up());
        assert_eq!([QUEUE, DISK, WIRE, WORK].map(|line| spent(&ledger, line)), [10, 12, 18, 5]);
    }

    #[test]
    fn what_is_told_of_a_forked_request_counts_from_the_join() {
        let mut parent = begun(0, WORK);
        parent.fork_request();
        let mut child = begun(0, DISK);
        assert!(!parent.enter_line(Time(20), WIRE));
        child.close_ledger(Time(30));
        assert_eq!(parent.join_child(Time(30), &child), Some(WIRE));
        parent.close_ledger(Time(40));
        assert_eq!([WORK, DISK, WIRE].map(|line| spent(&parent, line)), [0, 30, 10]);
        assert!(parent.dwells_add_up());
    }

    #[test]
    fn what_others_tell_of_a_request_that_is_kept_in_a_line_does_not_count() {
        let mut ledger = begun(0, QUEUE);
        assert!(ledger.pin_to_line(Time(10), WORK));
        assert!(!ledger.enter_line(Time(15), DISK));
        ledger.unpin_line();
        assert!(ledger.enter_line(Time(30), WIRE));
        assert_eq!(ledger.close_ledger(Time(31)), Span(31));
        assert_eq!([QUEUE, WORK, DISK, WIRE].map(|line| spent(&ledger, line)), [10, 20, 0, 1]);
        assert!(ledger.dwells_add_up());
    }

    #[test]
    fn lines_that_share_a_bit_have_stays_of_their_own() {
        let mut ledger = begun(0, LedgerLine(3));
        for (at, line) in [(10, 67), (30, 3), (31, 67), (38, 131)] {
            ledger.enter_line(Time(at), LedgerLine(line));
        }
        ledger.close_ledger(Time(50));
        assert_eq!([3, 67, 131].map(|line| spent(&ledger, LedgerLine(line))), [11, 27, 12]);
        assert_eq!(ledger.past_dwells().len(), 3);
        ledger.begin_in_line(Time(60), LedgerLine(67));
        ledger.close_ledger(Time(61));
        assert_eq!(ledger.past_dwells(), [Dwell { line: LedgerLine(67), spent: Span(1) }]);
    }

    #[test]
    fn more_lines_than_places_are_numbered_for_have_stays_of_their_own() {
        let lines = 0..300u32;
        let mut ledger = begun(0, LedgerLine(0));
        for at in 0..1_000u64 {
            ledger.enter_line(Time(at), LedgerLine(at as u32 % 300));
        }
        ledger.close_ledger(Time(1_000));
        let visits = |line: u32| (0..1_000).filter(|at| at % 300 == line).count() as u64;
        assert!(lines.clone().all(|line| spent(&ledger, LedgerLine(line)) == visits(line)));
        assert_eq!(ledger.past_dwells().len(), lines.len());
        assert!(ledger.dwells_add_up());
    }

    #[test]
    fn a_ledger_that_begins_anew_has_no_stays_and_keeps_its_room() {
        let mut ledger = begun(0, QUEUE);
        ledger.enter_line(Time(5), WORK);
        ledger.close_ledger(Time(9));
        let room = ledger.stays.capacity();
        ledger.begin_in_line(Time(20), DISK);
        assert!(ledger.past_dwells().is_empty() && ledger.stays.capacity() == room);
        assert_eq!(ledger.close_ledger(Time(21)), Span(1));
    }
}
