//! The analyzer trace: everything that the ports of one network send, word by word, as text.
//!
//! The source of the form is Wang 2005, figures 5.2 and 5.3. A line is a run of equal words, a signal, a frame, or on request a change of
//! state. A port receives the output of its upstream neighbour, later by the delay of the cable between them. The trace is complete on the
//! reference loop, in which every port handles every word.
//!
//! The lines are made and written by a separate thread while the simulation continues; between the two are a few batches of edges, never
//! more.

pub mod analyzer;
pub mod edge;
pub mod filter;
mod lines;
pub mod runs;
pub mod text;
pub mod trigger;

use crate::file::{FileError, FinishedFile, OutputFile};
use crate::names::SystemNames;
use crate::observer::{Observer, WantedCalls};
use analyzer::AnalyzerPoint;
use edge::{PortChange, PortEdge};
use filter::LineFilter;
use lines::Lines;
use sansim_fc::loop_port::PortState;
use sansim_fc::observation::Observation;
use sansim_fc::word::{FillWord, LinkItem};
use sansim_fcp::unit::frame_delimiters;
use sansim_kernel::{Span, Time};
use sansim_pdu::PortSight;
use sansim_request::{RequestId, Requests};
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, SyncSender, TryRecvError, sync_channel};
use std::thread::JoinHandle;
use trigger::Trigger;

/// The number of edges that are handed over at a time.
const BATCH: usize = 1 << 14;

/// The number of batches between the simulation and the writer.
const BATCHES: usize = 4;

/// The content of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TraceOptions {
    /// The network by its name; with `None`, the only network.
    pub network: Option<String>,
    /// The stations to which the trace is limited, as far as they are at the network; with `None`, all.
    pub stations: Option<Vec<usize>>,
    /// If given, both directions at this node are written side by side, and `stations` has no effect.
    pub analyzer: Option<AnalyzerPoint>,
    /// The lines that are written.
    pub filter: LineFilter,
    /// The line at which the trace begins; with `None`, the first.
    pub trigger: Option<Trigger>,
    /// Whether state transitions, and the state of the port on every line, are written.
    pub states: bool,
    /// If given, the file ends with the last line that fits into this number of bytes, and a remark about the
    /// end.
    pub limit_bytes: Option<u64>,
}

impl Default for TraceOptions {
    fn default() -> Self {
        Self {
            network: None,
            stations: None,
            analyzer: None,
            filter: LineFilter::ALL,
            trigger: None,
            states: false,
            limit_bytes: None,
        }
    }
}

/// The outcome of a trace.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WrittenTrace {
    /// The file that was written.
    pub file: FinishedFile,
    /// The number of edges observed at the ports that were watched.
    pub edges: u64,
    /// The number of lines that were written.
    pub lines: u64,
    /// Whether the trigger came; none without one.
    pub triggered: Option<bool>,
}

/// The simulation's record of a port, so that a trace can be resumed.
#[derive(Clone, Copy)]
struct Sending {
    watched: bool,
    fill: FillWord,
    busy_until: Time,
    state: PortState,
}

/// The observer that writes an analyzer trace. The file is described in the module text.
pub struct AnalyzerTrace {
    word: Span,
    states: bool,
    has_trigger: bool,
    /// The stations of the network, and the state of their ports.
    stations: Range<usize>,
    ports: Vec<Sending>,
    batch: Vec<PortEdge>,
    edges: u64,
    full: Option<SyncSender<Vec<PortEdge>>>,
    empty: Receiver<Vec<PortEdge>>,
    failed: Arc<AtomicBool>,
    /// Whether the file has reached its greatest length or has all lines behind its trigger, so that the writer needs no more edges.
    ended: Arc<AtomicBool>,
    writer: Option<JoinHandle<(OutputFile, u64, bool)>>,
}

impl AnalyzerTrace {
    /// Opens the file and starts the writer. Nothing is recorded before [`AnalyzerTrace::window_opened`].
    ///
    /// # Errors
    /// Fails if the file cannot be created, or if the network of the trace is not given.
    pub fn create(path: &Path, names: &SystemNames, options: TraceOptions) -> Result<Self, FileError> {
        let network = names.network(options.network.as_deref());
        let network = network.map_err(|told| FileError::cannot(path, told))?;
        let (word, stations) = (names.networks[network].word, names.stations_of(network));
        let mut file = OutputFile::create(path)?.with_size_limit(options.limit_bytes);
        let watched = |station| match options.analyzer {
            Some(point) => [point.node, point.upstream].contains(&station),
            None => options.stations.as_ref().is_none_or(|chosen| chosen.contains(&station)),
        };
        let sending = |station| Sending {
            watched: watched(station),
            fill: FillWord::Idle,
            busy_until: Time::ZERO,
            state: PortState::Monitoring,
        };
        let ports = stations.clone().map(sending).collect();
        let (full, batches) = sync_channel::<Vec<PortEdge>>(BATCHES);
        let (give_back, empty) = sync_channel(BATCHES + 1);
        let failed = Arc::new(AtomicBool::new(false));
        let ended = Arc::new(AtomicBool::new(false));
        let mut lines = Lines::new(names, word, stations.clone(), &options);
        file.write(lines.header(names, network).as_bytes());
        let (told, end) = (Arc::clone(&failed), Arc::clone(&ended));
        let writer = std::thread::spawn(move || {
            for mut batch in batches {
                lines.take(&batch);
                if !lines.flush(&mut file) {
                    end.store(true, Ordering::Relaxed);
                }
                if file.failed() {
                    told.store(true, Ordering::Relaxed);
                }
                batch.clear();
                // The simulation may have ended; then the batch is not needed.
                let _ = give_back.try_send(batch);
            }
            lines.finish(&mut file);
            (file, lines.count, lines.has_begun())
        });
        Ok(Self {
            word,
            states: options.states,
            has_trigger: options.trigger.is_some(),
            stations,
            ports,
            batch: Vec::with_capacity(BATCH),
            edges: 0,
            full: Some(full),
            empty,
            failed,
            ended,
            writer: Some(writer),
        })
    }

    /// From now on all edges are recorded.
    pub fn window_opened(&mut self, now: Time) {
        for port in 0..self.ports.len() {
            let Sending { watched, fill, busy_until, state } = self.ports[port];
            if watched {
                let what = PortChange::Resumes { fill, busy_until, state };
                self.push(PortEdge { at: now, station: port as u16, what });
            }
        }
    }

    /// Handles an event that is not recorded, but whose effect the trace needs when it is resumed.
    pub fn note_unrecorded(&mut self, now: Time, station: usize, what: PortSight) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        if let Some(port) = self.port(station) {
            self.note(now, port, what);
        }
    }

    /// The place of a station at the network.
    fn port(&self, station: usize) -> Option<usize> {
        self.stations.contains(&station).then(|| station - self.stations.start)
    }

    fn note(&mut self, now: Time, port: usize, what: Observation) {
        let port = &mut self.ports[port];
        match what {
            Observation::State(state) => port.state = state,
            Observation::SentFill(fill) => port.fill = fill,
            Observation::SentItem(item) => port.busy_until = now + self.word * item.length_in_words(),
            Observation::SentInitialisation(unit) => {
                port.busy_until = now + self.word * unit.frame.length_in_words();
            }
            _ => {}
        }
    }

    fn push(&mut self, edge: PortEdge) {
        if self.ended.load(Ordering::Relaxed) {
            return;
        }
        self.batch.push(edge);
        if self.batch.len() == BATCH {
            self.hand_over();
        }
    }

    fn hand_over(&mut self) {
        let next = match self.empty.try_recv() {
            Ok(batch) => batch,
            Err(TryRecvError::Empty | TryRecvError::Disconnected) => Vec::with_capacity(BATCH),
        };
        let batch = std::mem::replace(&mut self.batch, next);
        if let Some(full) = &self.full
            && full.send(batch).is_err()
        {
            self.failed.store(true, Ordering::Relaxed);
        }
    }

    /// Ends the trace. `complete` is false for a run that was stopped early.
    ///
    /// # Errors
    /// Fails with the first error of all writing.
    pub fn finish(self, complete: bool) -> Result<WrittenTrace, FileError> {
        let (file, edges, lines, triggered) = self.into_file();
        Ok(WrittenTrace { file: file.finish(complete)?, edges, lines, triggered })
    }

    /// Writes all remaining lines; returns the file, the number of edges, the number of lines, and whether a trigger came.
    pub(crate) fn into_file(mut self) -> (OutputFile, u64, u64, Option<bool>) {
        self.hand_over();
        self.full = None;
        let Some(Ok((mut file, lines, has_begun))) = self.writer.take().map(JoinHandle::join) else {
            panic!("the writer of the trace panicked");
        };
        file.flush();
        (file, self.edges, lines, self.has_trigger.then_some(has_begun))
    }

    fn see(&mut self, now: Time, station: usize, what: Observation, requests: &Requests) {
        let Some(port) = self.port(station) else { return };
        self.note(now, port, what);
        if !self.ports[port].watched {
            return;
        }
        let what = match what {
            Observation::SentFill(fill) => PortChange::Fill(fill),
            Observation::SentItem(LinkItem::Signal(signal)) => PortChange::Signal(signal),
            Observation::SentItem(LinkItem::Frame(frame)) => PortChange::Frame(
                frame,
                requests.request(RequestId(frame.tag.0)).number,
                frame_delimiters(&frame).0,
            ),
            Observation::SentInitialisation(unit) => PortChange::Initialisation(unit.frame),
            Observation::State(state) if self.states => PortChange::State(state),
            _ => return,
        };
        self.edges += 1;
        self.push(PortEdge { at: now, station: port as u16, what });
    }
}

impl Drop for AnalyzerTrace {
    /// A trace that is given up removes its file.
    fn drop(&mut self) {
        self.full = None;
        if let Some(writer) = self.writer.take() {
            drop(writer.join());
        }
    }
}

impl Observer for AnalyzerTrace {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, repeaters: true, ..WantedCalls::default() }
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        self.see(now, station, what, requests);
    }

    fn at_repeater(&mut self, now: Time, station: usize, what: PortSight, requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        self.see(now, station, what, requests);
    }

    fn pause(&mut self, now: Time) {
        self.push(PortEdge { at: now, station: 0, what: PortChange::Pauses });
    }

    fn failed(&self) -> bool {
        self.failed.load(Ordering::Relaxed)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::example::{sample_read, two_loop_system};
    use sansim_fc::frame::{Frame, Pdu, PduKind, RequestTag};
    use sansim_kernel::TICKS_PER_NS;
    use sansim_request::LedgerLine;

    fn place(name: &str) -> std::path::PathBuf {
        std::env::temp_dir().join(format!("sansim-trace-{}-{name}", std::process::id()))
    }

    #[test]
    fn a_trace_is_of_the_network_that_is_named() {
        let path = place("network");
        let options = TraceOptions { network: Some("back".to_owned()), ..TraceOptions::default() };
        let mut trace = AnalyzerTrace::create(&path, &two_loop_system(), options).expect("create");
        let mut requests = Requests::default();
        let id = requests.open_request(Time::ZERO, sample_read(7), LedgerLine(0));
        let frame = Frame::from(Pdu {
            tag: RequestTag(id.0),
            kind: PduKind::Command,
            payload_bytes: 32,
            ..Pdu::example()
        });
        trace.window_opened(Time::ZERO);
        for station in [0, 2] {
            let at = Time(1000 * TICKS_PER_NS);
            trace.at_port(at, station, Observation::SentItem(LinkItem::Frame(frame)).into(), &requests);
        }
        trace.pause(Time(1900 * TICKS_PER_NS));
        let written = trace.finish(true).expect("finish");
        let text = std::fs::read_to_string(&path).expect("read");
        std::fs::remove_file(&path).expect("clean up");
        assert_eq!((written.edges, written.lines), (1, 4));
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(
            lines[0],
            "# sansim trace of test, network back: what each port sends; a word takes 19.000 ns"
        );
        let ports: Vec<&str> =
            lines[2..].iter().map(|line| line.split_whitespace().nth(2).expect("port")).collect();
        assert_eq!(ports, ["other", "disks[1]", "other", "other"]);
        assert!(lines[4].ends_with("FCP_CMND 01->02 io 7"), "{}", lines[4]);
    }

    #[test]
    fn a_trace_of_one_of_several_networks_has_to_be_told_which() {
        let path = place("which");
        let Err(error) = AnalyzerTrace::create(&path, &two_loop_system(), TraceOptions::default()) else {
            panic!("no network was named");
        };
        assert!(error.to_string().ends_with("several networks, name one of them: front, back"), "{error}");
        assert!(!path.exists());
    }
}
