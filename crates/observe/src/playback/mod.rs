//! The playback: moves, states, jobs and requests of a run, for the studio.
//!
//! The file has a header, which names stations, components and ledger lines; chunks of rows, each compressed; and an index, which names
//! the lanes and kinds of moves that occurred and says where the chunks are. `docs/playback.md` describes the format.
//!
//! * `tables` - rows in memory, columns in the file;
//! * `moves` - frames and signals that are on their way;
//! * `requests` - requests and their dwells;
//! * `header` - the header.
//!
//! Everything is followed all the time, so that a window begins with what is open; only what lies in a window is written. Memory is bounded
//! by a chunk, by the requests and frames in the system, and by the number of chunks.

mod header;
mod moves;
mod requests;
mod tables;
#[cfg(test)]
mod tests;

pub use header::{networks_of, station_of};

use crate::file::{FileError, FinishedFile, OutputFile};
use crate::kind::PLAYBACK_MARK as MARK;
use crate::names::SystemNames;
use crate::observer::{Observer, RequestStep, WantedCalls};
use flate2::Compression;
use flate2::write::ZlibEncoder;
use moves::{MovesUnderWay, kind_of};
use requests::OpenRequests;
use sansim_component::{ComponentId, Movement};
use sansim_fc::frame::Frame;
use sansim_fc::observation::Observation;
use sansim_kernel::{Span, Time};
use sansim_pdu::{PortSight, WireUnit};
use sansim_request::{RequestId, Requests};
use sansim_schema::catalogue::{Catalogue, MoveKind};
use sansim_schema::{Json, json};
use std::collections::HashMap;
use std::io::Write;
use std::path::Path;
use tables::{FORM, Job, Move, NONE, NONE_SHORT, Step, Tables, between, ns};

/// The format of the file.
const FORMAT: u32 = 1;

/// The number of rows of a chunk.
const ROWS: usize = 1 << 17;

/// The longest time of a chunk. Times in a chunk have 32 bits of nanoseconds, 4.29 s.
const LONGEST: Span = Span::from_s(2);

/// The time before a chunk at which rows of the chunk may begin, in nanoseconds.
const BEFORE_NS: u64 = 1_000_000_000;

/// The options of a playback.
#[derive(Clone, Debug, Default)]
pub struct PlaybackOptions {
    /// The length of the file at which recording ends.
    pub limit_bytes: Option<u64>,
    /// The graph of the scenario for viewers.
    pub graph: Json,
    /// The version of sansim.
    pub version: String,
}

/// A lane: a quantity with a value at each time, or a row of jobs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
enum Lane {
    /// The state of the port of a station.
    State(usize),
    /// A gauge.
    Gauge(usize),
    /// A block of a component.
    Block(ComponentId, usize),
    /// The buffers of a port of a switch.
    Buffers(usize),
}

/// A chunk in the index.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    offset: u64,
    length: u64,
    base_ns: u64,
    from_ns: u64,
    to_ns: u64,
    rows: [usize; 5],
}

/// The lanes and kinds of moves that have occurred.
#[derive(Debug, Default)]
struct Occurred {
    lanes: HashMap<Lane, u32>,
    /// The lanes by number, with the value of a state or gauge.
    list: Vec<(Lane, Option<u32>)>,
    kinds: HashMap<&'static str, u16>,
    kind_list: Vec<MoveKind>,
}

impl Occurred {
    fn lane(&mut self, lane: Lane) -> u32 {
        let next = self.list.len() as u32;
        *self.lanes.entry(lane).or_insert_with(|| {
            self.list.push((lane, None));
            next
        })
    }

    fn kind(&mut self, catalogue: &Catalogue, number: usize) -> u16 {
        let Some(kind) = catalogue.moves.get(number) else { return NONE_SHORT };
        let next = self.kind_list.len() as u16;
        *self.kinds.entry(kind.name).or_insert_with(|| {
            self.kind_list.push(*kind);
            next
        })
    }
}

/// An observer that writes a playback. The file is described in the module text.
#[derive(Debug)]
pub struct Playback {
    file: OutputFile,
    names: SystemNames,
    occurred: Occurred,
    requests: OpenRequests,
    moves: MovesUnderWay,
    /// The buffers that hold a frame, by station and number.
    buffers: HashMap<(usize, u32), Job>,
    /// Jobs and moves that ended or were announced outside a window and may last into the next one.
    before: (Vec<Job>, Vec<Move>),
    tables: Tables,
    chunks: Vec<Chunk>,
    windows: Vec<[u64; 2]>,
    /// The beginning of the present chunk, while a window is open.
    from: Option<Time>,
    now: Time,
    /// Whether the file has reached its greatest length.
    ended: bool,
}

impl Playback {
    /// Creates the file and writes the header.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    pub fn create(path: &Path, names: &SystemNames, options: &PlaybackOptions) -> Result<Self, FileError> {
        let mut file = OutputFile::create(path)?.with_size_limit(options.limit_bytes);
        let header = header::header(names, &options.graph, &options.version).to_string();
        file.write(MARK);
        file.write(&FORMAT.to_le_bytes());
        file.write(&(header.len() as u32).to_le_bytes());
        file.write(header.as_bytes());
        Ok(Self {
            file,
            occurred: Occurred::default(),
            requests: OpenRequests::new(names),
            moves: MovesUnderWay::new(names),
            buffers: HashMap::new(),
            before: (Vec::new(), Vec::new()),
            tables: Tables::default(),
            chunks: Vec::new(),
            windows: Vec::new(),
            from: None,
            now: Time::ZERO,
            ended: false,
            names: names.clone(),
        })
    }

    /// Ends the present chunk and the file. A complete file gets its name, see [`crate::file`].
    ///
    /// # Errors
    /// Fails with the first error of all writing.
    pub fn finish(self, complete: bool) -> Result<FinishedFile, FileError> {
        self.into_file().finish(complete)
    }

    /// Writes all remaining rows and the index, and returns the file.
    pub(crate) fn into_file(mut self) -> OutputFile {
        self.pause(self.now);
        let index = self.index().to_string();
        self.file.write(index.as_bytes());
        self.file.write(&(index.len() as u32).to_le_bytes());
        self.file.write(MARK);
        self.file
    }

    fn index(&self) -> Json {
        let names = &self.names;
        let lanes = self.occurred.list.iter().map(|&(lane, _)| self.lane_json(lane)).collect::<Vec<Json>>();
        let kinds = self.occurred.kind_list.iter().map(|kind| {
            json!({ "name": kind.name, "meaning": kind.meaning, "signal": kind.signal, "colour": kind.colour })
        });
        let events = names.events.iter().map(|event| json!({ "t_ns": ns(event.at), "text": event.text }));
        let chunks = self.chunks.iter().map(|chunk| {
            let Chunk { offset, length, base_ns, from_ns, to_ns, rows } = *chunk;
            let rows = FORM.iter().zip(rows).map(|((name, _), rows)| ((*name).to_owned(), json!(rows)));
            json!({
                "offset": offset, "length": length, "base_ns": base_ns, "from_ns": from_ns, "to_ns": to_ns,
                "rows": rows.collect::<sansim_schema::JsonMap<String, Json>>(),
            })
        });
        json!({
            "windows": self.windows,
            "limited": self.ended,
            "events": events.collect::<Vec<Json>>(),
            "lanes": lanes,
            "kinds": kinds.collect::<Vec<Json>>(),
            "chunks": chunks.collect::<Vec<Json>>(),
        })
    }

    fn lane_json(&self, lane: Lane) -> Json {
        let names = &self.names;
        match lane {
            Lane::State(station) => {
                let states = self.network(station).map_or(&[][..], |catalogue| catalogue.states);
                json!({
                    "what": "state", "name": "port", "label": "port", "meaning": "State of the port.",
                    "component": null, "station": station, "states": states,
                })
            }
            Lane::Gauge(gauge) => {
                let gauge = &names.gauges[gauge];
                let described = gauge.gauge;
                json!({
                    "what": "gauge", "name": described.name, "label": described.label, "meaning": described.meaning,
                    "component": gauge.component, "station": gauge.station,
                })
            }
            Lane::Block(component, block) => {
                let named = &names.components[component.index()];
                let block = &named.catalogue.blocks[block];
                json!({
                    "what": "block", "name": block.name, "label": block.label, "meaning": block.meaning,
                    "component": component.index(), "station": named.station,
                })
            }
            Lane::Buffers(station) => json!({
                "what": "buffers", "name": "buffers", "label": "buffers",
                "meaning": "Frames in the buffers of the port, from the arrival of the header until the last word has left.",
                "component": null, "station": station,
            }),
        }
    }

    /// The catalogue of the network of a station.
    fn network(&self, station: usize) -> Option<&'static Catalogue> {
        let (network, _) = self.names.stations[station].port?;
        Some(self.names.networks[network].catalogue)
    }

    /// A window opens.
    pub fn resume(&mut self, now: Time) {
        self.windows.push([ns(now), ns(now)]);
        let (jobs, moves) = std::mem::take(&mut self.before);
        let now_ns = ns(now);
        let ends = |at_ns: u64, spans: [u32; 2]| at_ns + spans.map(u64::from).iter().sum::<u64>();
        self.tables.jobs.extend(jobs.into_iter().filter(|job| ends(job.at_ns, [job.dt, 0]) > now_ns));
        let is_open = |row: &Move| row.arrives != NONE && ends(row.at_ns, [row.arrives, row.dt]) > now_ns;
        self.tables.moves.extend(moves.into_iter().filter(is_open));
        self.begin_chunk(now);
    }

    /// Begins a chunk with the values of all lanes.
    fn begin_chunk(&mut self, now: Time) {
        self.from = Some(now);
        let known = self.occurred.list.iter().enumerate();
        let known = known.filter_map(|(lane, &(_, value))| Some((lane as u32, value?)));
        let at_ns = ns(now);
        self.tables.steps.extend(known.map(|(lane, value)| Step { at_ns, value, lane }));
    }

    /// Ends the present chunk, with everything that is open at its end.
    fn end_chunk(&mut self, now: Time) {
        let Some(from) = self.from.take() else { return };
        self.requests.cut(now, &mut self.tables);
        for job in self.buffers.values() {
            self.tables.jobs.push(Job { dt: ended(job.at_ns, now), ..*job });
        }
        let rows = self.tables.rows();
        let mut bytes = Vec::with_capacity(rows.iter().sum::<usize>() * 20);
        let (from_ns, to_ns) = (ns(from), ns(now));
        let base_ns = self.tables.write(from_ns.saturating_sub(BEFORE_NS), &mut bytes);
        self.tables.clear();
        let mut encoder = ZlibEncoder::new(Vec::with_capacity(bytes.len() / 3), Compression::fast());
        // Writing to memory does not fail.
        let packed = encoder.write_all(&bytes).and_then(|()| encoder.finish()).unwrap_or_default();
        if !self.file.has_room(packed.len()) {
            self.ended = true;
            return;
        }
        let (offset, length) = (self.file.written(), packed.len() as u64);
        self.file.write(&packed);
        self.chunks.push(Chunk { offset, length, base_ns, from_ns, to_ns, rows });
        if let Some(window) = self.windows.last_mut() {
            window[1] = to_ns;
        }
    }

    /// Passes to the time of an observation; a chunk that is full ends before it.
    fn pass(&mut self, now: Time) {
        self.now = self.now.max(now);
        if let Some(from) = self.from
            && (self.tables.rows().iter().sum::<usize>() >= ROWS || now > from + LONGEST)
        {
            self.end_chunk(now);
            if !self.ended {
                self.begin_chunk(now);
            }
        }
    }

    /// The tables, while a window is open.
    fn open(&mut self) -> Option<&mut Tables> {
        (self.from.is_some() && !self.ended).then_some(&mut self.tables)
    }

    fn push_move(&mut self, row: Option<Move>) {
        let Some(row) = row else { return };
        match self.open() {
            Some(tables) => tables.moves.push(row),
            None => keep(&mut self.before.1, row, ns(self.now), |row| {
                row.at_ns + u64::from(row.arrives.saturating_add(row.dt))
            }),
        }
    }

    fn push_job(&mut self, job: Job) {
        match self.open() {
            Some(tables) => tables.jobs.push(job),
            None => {
                keep(&mut self.before.0, job, ns(self.now), |job| job.at_ns + u64::from(job.dt));
            }
        }
    }

    fn step(&mut self, now: Time, lane: Lane, value: u32) {
        let lane = self.occurred.lane(lane);
        self.occurred.list[lane as usize].1 = Some(value);
        if let Some(tables) = self.open() {
            tables.steps.push(Step { at_ns: ns(now), value, lane });
        }
    }
}

/// Keeps a row that may last into the next window, and no rows that have ended.
fn keep<R>(rows: &mut Vec<R>, row: R, now_ns: u64, end: impl Fn(&R) -> u64) {
    if rows.len() >= 64 && rows.len().is_power_of_two() {
        rows.retain(|row| end(row) > now_ns);
    }
    rows.push(row);
}

/// The nanoseconds from a time in nanoseconds until now.
fn ended(at_ns: u64, now: Time) -> u32 {
    u32::try_from(ns(now).saturating_sub(at_ns)).unwrap_or(NONE - 1)
}

impl Observer for Playback {
    fn wants(&self) -> WantedCalls {
        WantedCalls { ports: true, repeaters: false, blocks: true, requests: true, gauges: true }
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, _requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        match what {
            Observation::SentFill(_)
            | Observation::ReceivedFill(_)
            | Observation::SentInitialisation(_)
            | Observation::ReceivedInitialisation(_) => {}
            // An arrival may be announced ahead of its time.
            Observation::ReceivedItem(item) => {
                let row = self.moves.received(&self.names, now, station, &item);
                self.push_move(row);
            }
            Observation::State(state) => {
                self.pass(now);
                self.step(now, Lane::State(station), state.state_code().into());
            }
            Observation::SentItem(item) => {
                self.pass(now);
                let Some(catalogue) = self.network(station) else { return };
                let kind = self.occurred.kind(catalogue, kind_of(&item));
                let request = item.frame().map_or(NONE, |frame| self.requests.number(RequestId(frame.tag.0)));
                let lost = self.moves.sent(&self.names, now, station, &item, (request, kind));
                self.push_move(lost);
            }
        }
    }

    fn at_move(
        &mut self,
        now: Time,
        component: ComponentId,
        ends: [usize; 3],
        what: &Movement,
        _: &Requests,
    ) {
        self.pass(now);
        let catalogue = self.names.components[component.index()].catalogue;
        let kind = self.occurred.kind(catalogue, what.kind.into());
        let request = what.request.map_or(NONE, |request| self.requests.number(request));
        let [from, to, receiver] = ends.map(|station| station as u16);
        let row = Move {
            at_ns: ns(what.began),
            dt: between(what.began, what.began + what.lasts),
            arrives: what.arrives.map_or(NONE, |at| between(what.began, at)),
            bytes: what.bytes,
            request,
            frame: self.moves.number_on_link(component, what.hop, what.arrives.is_some() && to == receiver),
            from,
            to,
            receiver,
            kind,
        };
        self.push_move(Some(row));
    }

    fn at_buffer(&mut self, now: Time, station: usize, buffer: u32, unit: Option<WireUnit>, _: &Requests) {
        self.pass(now);
        match unit.map(Frame::from) {
            Some(frame) => {
                let lane = self.occurred.lane(Lane::Buffers(station));
                let (request, frame) =
                    (self.requests.number(RequestId(frame.tag.0)), self.moves.number(&frame));
                self.buffers.insert((station, buffer), Job { at_ns: ns(now), dt: 0, request, frame, lane });
            }
            None => {
                if let Some(job) = self.buffers.remove(&(station, buffer)) {
                    self.push_job(Job { dt: ended(job.at_ns, now), ..job });
                }
            }
        }
    }

    fn at_block(
        &mut self,
        now: Time,
        until: Time,
        component: ComponentId,
        block: usize,
        request: RequestId,
        _requests: &Requests,
    ) {
        self.pass(now);
        let dt = between(now, until);
        if dt > 0 {
            let lane = self.occurred.lane(Lane::Block(component, block));
            let request = self.requests.number(request);
            self.push_job(Job { at_ns: ns(now), dt, request, frame: NONE, lane });
        }
    }

    fn at_request(
        &mut self,
        now: Time,
        component: ComponentId,
        id: RequestId,
        what: RequestStep,
        requests: &Requests,
    ) {
        self.pass(now);
        let open = self.from.is_some() && !self.ended;
        let tables = open.then_some(&mut self.tables);
        match what {
            RequestStep::Issued(line) => {
                self.requests.issue(&self.names, now, component, (id, requests.request(id)), line);
            }
            RequestStep::Enters(line) => {
                self.requests.enter(&self.names, now, component, (id, requests.request(id)), line, tables);
            }
            RequestStep::Joined(child) => self.requests.join(now, id, child, tables),
            RequestStep::Completed { .. } => self.requests.complete(now, id, tables),
        }
    }

    fn at_gauge(&mut self, now: Time, gauge: usize, value: u32) {
        self.pass(now);
        self.step(now, Lane::Gauge(gauge), value);
    }

    fn pause(&mut self, now: Time) {
        if self.from.is_some() {
            let lost = self.moves.drain();
            self.tables.moves.extend(lost);
            self.end_chunk(now);
        }
    }

    fn failed(&self) -> bool {
        self.file.failed()
    }
}
