//! The conversion of edges into runs: the number of equal words that a port sent, and their start.
//!
//! The length of a run is known when it ends, but a trace lists runs by their start, as an analyzer does. Runs therefore
//! wait until no port can produce a run that started earlier. When too many runs wait because a port has been sending the
//! same word for long, the words that it has sent so far become a run of their own, and the remaining words another: this
//! bounds the memory whatever the length of a trace.

use super::edge::{PortChange, PortEdge};
use sansim_fc::word::{FillWord, LinkItem};
use sansim_kernel::{Span, Time};

/// The number of runs that may wait before long runs are cut.
const MOST_WAITING: usize = 1 << 18;

/// A run of equal words, a frame, or a change of state.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LineRun {
    /// The start of the first word.
    pub start: Time,
    /// The port, by its place among the stations of the network.
    pub station: u16,
    /// The item that was sent.
    pub what: PortChange,
    /// The number of times that the word was sent.
    pub count: u64,
}

/// The output of a port.
#[derive(Clone, Copy, Debug)]
struct Port {
    fill: FillWord,
    /// The start of the present run of fill words; in the future while something else is being sent.
    since: Time,
    seen: bool,
}

/// Collects runs of words from edges. The method is described in the module text.
#[derive(Debug)]
pub struct RunCollector {
    word: Span,
    ports: Vec<Port>,
    waiting: Vec<LineRun>,
    /// The time of the last edge.
    now: Time,
    most_waiting: usize,
}

impl RunCollector {
    /// A collector before the first edge.
    pub fn new(word: Span, stations: usize) -> Self {
        let port = Port { fill: FillWord::Idle, since: Time::ZERO, seen: false };
        Self {
            word,
            ports: vec![port; stations],
            waiting: Vec::new(),
            now: Time::ZERO,
            most_waiting: MOST_WAITING,
        }
    }

    /// Adds the next edge in order of time.
    pub fn add(&mut self, edge: &PortEdge) {
        self.now = edge.at;
        let words = match edge.what {
            PortChange::State(_) => {
                self.push(edge, 1);
                return;
            }
            PortChange::Resumes { fill, busy_until, .. } => {
                // The run is passed on for the state of the port.
                self.waiting.push(LineRun {
                    start: edge.at,
                    station: edge.station,
                    what: edge.what,
                    count: 0,
                });
                let port = &mut self.ports[usize::from(edge.station)];
                *port = Port { fill, since: edge.at.max(busy_until), seen: true };
                return;
            }
            PortChange::Pauses => {
                for station in 0..self.ports.len() {
                    self.end_fill(station, edge.at);
                    self.ports[station].seen = false;
                }
                return;
            }
            PortChange::Fill(fill) => {
                self.end_fill(usize::from(edge.station), edge.at);
                let port = &mut self.ports[usize::from(edge.station)];
                *port = Port { fill, since: port.since.max(edge.at), seen: true };
                return;
            }
            PortChange::Signal(signal) => LinkItem::Signal(signal).length_in_words(),
            PortChange::Frame(frame, ..) => frame.length_in_words(),
            PortChange::Initialisation(frame) => frame.length_in_words(),
        };
        self.end_fill(usize::from(edge.station), edge.at);
        self.push(edge, 1);
        self.ports[usize::from(edge.station)].since = edge.at + self.word * words;
    }

    fn push(&mut self, edge: &PortEdge, count: u64) {
        self.waiting.push(LineRun { start: edge.at, station: edge.station, what: edge.what, count });
    }

    /// Ends the run of fill words that a port is sending, if there is one.
    fn end_fill(&mut self, station: usize, at: Time) {
        let port = &mut self.ports[station];
        if port.seen && at > port.since {
            let count = (at - port.since) / self.word;
            if count > 0 {
                let what = PortChange::Fill(port.fill);
                self.waiting.push(LineRun { start: port.since, station: station as u16, what, count });
                port.since += self.word * count;
            }
        }
    }

    /// Hands over the runs, in order of their start, that no later edge can precede.
    pub fn hand_over_finished_runs(&mut self, mut take: impl FnMut(&LineRun)) {
        let open = |ports: &[Port]| ports.iter().filter(|p| p.seen).map(|p| p.since).min();
        let mut settled = open(&self.ports).unwrap_or(Time::NEVER).min(self.now);
        // The runs are mostly sorted already, which a merge sort exploits.
        self.waiting.sort_by_key(|run| (run.start, run.station));
        let mut count = self.waiting.partition_point(|run| run.start < settled);
        if self.waiting.len() - count > self.most_waiting {
            for station in 0..self.ports.len() {
                self.end_fill(station, self.now);
            }
            self.waiting.sort_by_key(|run| (run.start, run.station));
            settled = open(&self.ports).unwrap_or(Time::NEVER).min(self.now);
            count = self.waiting.partition_point(|run| run.start < settled);
        }
        self.waiting.drain(..count).for_each(|run| take(&run));
    }

    /// Hands over all remaining runs.
    pub fn finish(&mut self, mut take: impl FnMut(&LineRun)) {
        self.waiting.sort_by_key(|run| (run.start, run.station));
        self.waiting.drain(..).for_each(|run| take(&run));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use sansim_fc::loop_port::PortState;
    use sansim_fc::word::PrimitiveSignal;

    const WORD: Span = Span(10);

    fn edge(at: u64, station: u16, what: PortChange) -> PortEdge {
        PortEdge { at: Time(at), station, what }
    }

    fn resumes(at: u64, station: u16) -> PortEdge {
        let (fill, state) = (FillWord::Idle, PortState::Monitoring);
        edge(at, station, PortChange::Resumes { fill, busy_until: Time::ZERO, state })
    }

    fn all(runs: &mut RunCollector) -> Vec<(u64, u16, u64)> {
        let mut seen = Vec::new();
        runs.hand_over_finished_runs(|run| seen.push((run.start.ticks(), run.station, run.count)));
        runs.finish(|run| seen.push((run.start.ticks(), run.station, run.count)));
        // At the moment at which the trace is resumed nothing is sent.
        seen.retain(|run| run.2 > 0);
        seen
    }

    #[test]
    fn fill_words_go_on_behind_a_signal() {
        let mut runs = RunCollector::new(WORD, 1);
        runs.add(&resumes(0, 0));
        runs.add(&edge(50, 0, PortChange::Signal(PrimitiveSignal::Close)));
        runs.add(&edge(90, 0, PortChange::Fill(FillWord::ArbF0)));
        runs.add(&edge(120, 0, PortChange::Pauses));
        // The port sends five IDLE, CLS, three IDLE and three ARB(F0).
        assert_eq!(all(&mut runs), [(0, 0, 5), (50, 0, 1), (60, 0, 3), (90, 0, 3)]);
    }

    #[test]
    fn runs_of_several_ports_come_in_order_of_their_start() {
        let mut runs = RunCollector::new(WORD, 2);
        runs.add(&resumes(0, 0));
        runs.add(&resumes(0, 1));
        runs.add(&edge(30, 1, PortChange::Signal(PrimitiveSignal::Close)));
        let mut seen = 0;
        runs.hand_over_finished_runs(|run| seen += run.count);
        assert_eq!(seen, 0, "port 0 is in a run that began before");
        runs.add(&edge(70, 0, PortChange::Signal(PrimitiveSignal::ReceiverReady)));
        runs.add(&edge(80, 0, PortChange::Pauses));
        assert_eq!(all(&mut runs), [(0, 0, 7), (0, 1, 3), (30, 1, 1), (40, 1, 4), (70, 0, 1)]);
    }

    #[test]
    fn a_long_run_is_cut_when_too_many_others_wait() {
        let mut runs = RunCollector { most_waiting: 10, ..RunCollector::new(WORD, 2) };
        runs.add(&resumes(0, 0));
        runs.add(&resumes(0, 1));
        let (mut signals, mut idles) = (0, 0);
        let mut take = |run: &LineRun| {
            if matches!(run.what, PortChange::Signal(_)) {
                signals += 1
            } else if run.station == 0 {
                idles += run.count
            }
        };
        for at in 1..=100 {
            runs.add(&edge(at * 20, 1, PortChange::Signal(PrimitiveSignal::ReceiverReady)));
            runs.hand_over_finished_runs(&mut take);
            assert!(runs.waiting.len() <= 14, "{}", runs.waiting.len());
        }
        runs.add(&edge(2100, 0, PortChange::Pauses));
        runs.finish(take);
        assert_eq!((signals, idles), (100, 210), "nothing is lost by the cuts");
    }

    #[test]
    fn a_run_begins_where_the_trace_is_resumed() {
        let mut runs = RunCollector::new(WORD, 1);
        runs.add(&resumes(0, 0));
        runs.add(&edge(100, 0, PortChange::Pauses));
        let (fill, state) = (FillWord::ArbF0, PortState::Open);
        runs.add(&edge(1000, 0, PortChange::Resumes { fill, busy_until: Time(1040), state }));
        runs.add(&edge(1060, 0, PortChange::Fill(FillWord::Idle)));
        runs.add(&edge(1070, 0, PortChange::Pauses));
        // The two ARB(F0) follow the item that was being sent when the trace was resumed.
        assert_eq!(all(&mut runs), [(0, 0, 10), (1040, 0, 2), (1060, 0, 1)]);
    }
}
