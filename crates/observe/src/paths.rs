//! The paths of chosen I/Os through the system: the time at which an I/O entered each ledger line.
//!
//! While an I/O is forked its place is the place of the child request with which it continues, as in its ledger; so
//! its dwells add up to the response time.
//!
//! The slowest I/Os are chosen, and other I/Os evenly over the run, so that the number of paths is bounded however
//! long the run is.

use crate::observer::{Observer, RequestStep, WantedCalls, is_workload_io};
use sansim_component::ComponentId;
use sansim_kernel::{Span, Time};
use sansim_request::{LedgerLine, RequestId, Requests};
use std::cmp::Reverse;
use std::collections::{BTreeMap, BinaryHeap};

/// The number of slowest I/Os that are kept.
const SLOWEST: usize = 20;

/// The number of other I/Os at which every second of them is dropped.
const MOST: usize = 128;

/// The path of one I/O.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Path {
    /// The number of the I/O in order of issue.
    pub io: u64,
    /// The ledger lines with the time at which the I/O entered each, in order of time.
    pub steps: Vec<(Time, LedgerLine)>,
    /// The completion time of the I/O.
    pub completed: Time,
}

impl Path {
    /// The dwells of the I/O: each ledger line with the time of entering and the time of leaving. Dwells of
    /// no length are left out.
    pub fn dwells(&self) -> impl Iterator<Item = (LedgerLine, Time, Time)> {
        let ends = self.steps.iter().skip(1).map(|step| step.0).chain([self.completed]);
        self.steps.iter().zip(ends).map(|(&(from, line), to)| (line, from, to)).filter(|stay| stay.1 < stay.2)
    }
}

/// The path of a request until now. The path of a child request is kept until its number is reused.
#[derive(Clone, Debug, Default)]
struct Way {
    /// The number of the I/O.
    io: u64,
    /// Whether the request is an I/O and not a child request.
    whole: bool,
    steps: Vec<(Time, LedgerLine)>,
}

/// An observer that records the paths of chosen I/Os.
#[derive(Clone, Debug, Default)]
pub struct IoPaths {
    ways: Vec<Way>,
    slowest: BinaryHeap<Reverse<(Span, Reverse<u64>, Path)>>,
    others: Vec<Path>,
    stride: u64,
}

impl IoPaths {
    /// A recorder without paths.
    pub fn new() -> Self {
        Self { stride: 1, ..Self::default() }
    }

    /// The paths in order of the numbers of their I/Os.
    pub fn into_rows(self) -> Vec<Path> {
        let slowest = self.slowest.into_iter().map(|Reverse((_, _, path))| path);
        let rows: BTreeMap<u64, Path> = self.others.into_iter().chain(slowest).map(|p| (p.io, p)).collect();
        rows.into_values().collect()
    }

    fn complete(&mut self, now: Time, io: u64, steps: Vec<(Time, LedgerLine)>) {
        let Some(&(issued, _)) = steps.first() else { return };
        let rank = (now - issued, Reverse(io));
        let path = Path { io, steps, completed: now };
        if io.is_multiple_of(self.stride) {
            self.others.push(path.clone());
            if self.others.len() == MOST {
                self.stride *= 2;
                self.others.retain(|path| path.io.is_multiple_of(self.stride));
            }
        }
        let is_slow = |least: &Reverse<(Span, Reverse<u64>, Path)>| (least.0.0, least.0.1) < rank;
        if self.slowest.len() < SLOWEST {
            self.slowest.push(Reverse((rank.0, rank.1, path)));
        } else if self.slowest.peek().is_some_and(is_slow) {
            self.slowest.pop();
            self.slowest.push(Reverse((rank.0, rank.1, path)));
        }
    }

    /// Continues a request whose child request is complete: the request was where the child request was. Other requests may have been
    /// merged into the same child request.
    fn join(&mut self, now: Time, whole: usize, part: usize) {
        let taken = std::mem::take(&mut self.ways[part].steps);
        let steps = &mut self.ways[whole].steps;
        if let (Some(&(begun, _)), Some(&(_, goes_on))) = (taken.first(), steps.last()) {
            steps.truncate(steps.partition_point(|step| step.0 <= begun));
            steps.extend_from_slice(&taken);
            steps.push((now, goes_on));
        }
        self.ways[part].steps = taken;
    }
}

impl Observer for IoPaths {
    fn wants(&self) -> WantedCalls {
        WantedCalls { requests: true, ..WantedCalls::default() }
    }

    fn at_request(
        &mut self,
        now: Time,
        _: ComponentId,
        request: RequestId,
        what: RequestStep,
        requests: &Requests,
    ) {
        let index = request.0 as usize;
        if index >= self.ways.len() {
            self.ways.resize(index + 1, Way::default());
        }
        let way = &mut self.ways[index];
        match what {
            RequestStep::Issued(line) => {
                // The request may have waited until now before it was issued.
                let waited = requests
                    .past_dwells(request)
                    .first()
                    .map(|stay| (requests.issue_time(request), stay.line));
                let request = requests.request(request);
                (way.io, way.whole) = (request.number, is_workload_io(request));
                way.steps.clear();
                way.steps.extend(waited);
                way.steps.push((now, line));
            }
            RequestStep::Enters(line) => way.steps.push((now, line)),
            RequestStep::Joined(part) => self.join(now, index, part.0 as usize),
            RequestStep::Completed { measured } => {
                if measured && way.whole {
                    let (io, steps) = (way.io, std::mem::take(&mut way.steps));
                    self.complete(now, io, steps);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::example::sample_read;
    use sansim_request::{ParentState, Request, RequestOrigin};

    const QUEUE: LedgerLine = LedgerLine(0);
    const WIRE: LedgerLine = LedgerLine(1);
    const RAID: LedgerLine = LedgerLine(2);
    const DISK: LedgerLine = LedgerLine(3);

    #[test]
    fn the_slowest_and_some_others_are_kept_however_many_there_are() {
        let mut paths = IoPaths::new();
        for io in 0..10_000_u64 {
            let issued = Time(io * 10);
            // Twenty of the I/Os take long, with a duration that depends on their number.
            let takes = if io % 500 == 7 { 1000 + io } else { 5 };
            let steps = vec![(issued, QUEUE), (issued + Span(2), WIRE)];
            paths.complete(issued + Span(takes), io, steps);
        }
        let rows = paths.into_rows();
        assert!((64 + 20..MOST + 20).contains(&rows.len()), "{}", rows.len());
        assert!((0..20).all(|k| rows.iter().any(|path| path.io == 500 * k + 7)), "all of the slow ones");
        assert!(rows.windows(2).all(|pair| pair[0].io < pair[1].io));
        let stays: Vec<_> = rows[0].dwells().collect();
        assert_eq!(stays, [(QUEUE, Time(0), Time(2)), (WIRE, Time(2), Time(5))]);
    }

    /// A table of requests and a recorder, to which each step is reported.
    #[derive(Default)]
    struct Bench {
        requests: Requests,
        paths: IoPaths,
    }

    impl Bench {
        fn tell(&mut self, now: u64, request: RequestId, what: RequestStep) {
            self.paths.at_request(Time(now), ComponentId(0), request, what, &self.requests);
        }

        fn issue(&mut self, now: u64, request: Request) -> RequestId {
            let id = self.requests.open_request(Time(now), request, QUEUE);
            self.tell(now, id, RequestStep::Issued(QUEUE));
            id
        }

        fn part(&mut self, now: u64, parent: RequestId) -> RequestId {
            let id = self.requests.open_child(Time(now), parent, *self.requests.request(parent), QUEUE);
            self.tell(now, id, RequestStep::Issued(QUEUE));
            id
        }

        fn enter(&mut self, now: u64, id: RequestId, line: LedgerLine) {
            if self.requests.enter_line(Time(now), id, line) {
                self.tell(now, id, RequestStep::Enters(line));
            }
        }

        /// The step is reported as a component does when a request has come back.
        fn close(&mut self, now: u64, id: RequestId) {
            let returned = self.requests.close_request(Time(now), id);
            self.tell(now, id, RequestStep::Completed { measured: is_workload_io(&returned.request) });
            if let ParentState::Satisfied(parent, went_on) = returned.joined {
                self.tell(now, parent, RequestStep::Joined(id));
                if let Some(line) = went_on {
                    self.tell(now, parent, RequestStep::Enters(line));
                }
            }
        }
    }

    #[test]
    fn the_way_of_a_forked_io_leads_through_the_part_it_went_on_with_and_adds_up_as_its_ledger_does() {
        let mut bench = Bench { paths: IoPaths::new(), ..Bench::default() };
        let io = bench.issue(0, sample_read(0));
        bench.enter(4, io, RAID);
        bench.requests.fork_request(io, 2);
        let [early, late] = [6, 7].map(|now| bench.part(now, io));
        bench.enter(8, early, DISK);
        bench.close(30, early);
        // The later child request has a child request itself.
        bench.enter(10, late, RAID);
        bench.requests.fork_request(late, 1);
        let inner = bench.part(12, late);
        bench.enter(15, inner, DISK);
        // Steps that were reported meanwhile count from the join.
        bench.enter(20, late, WIRE);
        bench.close(50, inner);
        bench.close(60, late);
        bench.enter(70, io, WIRE);
        bench.close(75, io);
        assert!(bench.requests.dwells_add_up(io));
        let rows = bench.paths.into_rows();
        assert_eq!(rows.len(), 1, "parts have no rows");
        let stays: Vec<_> =
            rows[0].dwells().map(|(line, from, to)| (line, from.ticks(), to.ticks())).collect();
        assert_eq!(
            stays,
            [
                (QUEUE, 0, 4),
                (RAID, 4, 7),
                (QUEUE, 7, 10),
                (RAID, 10, 12),
                (QUEUE, 12, 15),
                (DISK, 15, 50),
                (WIRE, 50, 60),
                (RAID, 60, 70),
                (WIRE, 70, 75),
            ]
        );
        for stay in bench.requests.past_dwells(io) {
            let noted = stays.iter().filter(|noted| noted.0 == stay.line).map(|noted| noted.2 - noted.1);
            assert_eq!(noted.sum::<u64>(), stay.spent.ticks(), "{stay:?}");
        }
    }

    #[test]
    fn what_nobody_waits_for_has_no_row() {
        let mut bench = Bench { paths: IoPaths::new(), ..Bench::default() };
        let origin = RequestOrigin::BACKGROUND;
        let id = bench.issue(0, Request { origin, ..sample_read(0) });
        bench.requests.close_request(Time(9), id);
        bench.tell(9, id, RequestStep::Completed { measured: true });
        assert!(bench.paths.into_rows().is_empty());
    }

    #[test]
    fn an_io_keeps_its_number_though_the_next_has_its_record() {
        let mut bench = Bench { paths: IoPaths::new(), ..Bench::default() };
        let id = bench.issue(0, sample_read(0));
        bench.requests.close_request(Time(9), id);
        // All steps happen in one reaction, which is reported afterwards.
        assert_eq!(bench.requests.open_request(Time(9), sample_read(1), QUEUE), id);
        bench.tell(9, id, RequestStep::Completed { measured: true });
        bench.tell(9, id, RequestStep::Issued(QUEUE));
        bench.close(20, id);
        let rows = bench.paths.into_rows();
        assert_eq!(rows.iter().map(|path| path.io).collect::<Vec<_>>(), [0, 1]);
    }
}
