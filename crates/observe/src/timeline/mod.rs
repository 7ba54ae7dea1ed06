//! The timeline: what happened when, as a Perfetto trace.
//!
//! Under a root named after the scenario stand the loop with its tenancies, the I/Os with the segments of their ledgers, and
//! a group per station: port states, frames and signals sent, blocks of the adapter, gauges, the drive. A flow per I/O links
//! everything that is done for it. `docs/timeline.md` tells the reader what each track means.
//!
//! * `perfetto` - the format, on `protobuf`;
//! * `lanes` - tracks on which nothing overlaps;
//! * `sheet` - what all tracks share;
//! * `tenancies`, `ios`, `stations` - the tracks.
//!
//! Everything is written as it comes; what is kept is bounded by the stations and the I/Os open at once. Of what began
//! before it could be seen nothing is drawn until it does the next thing.

mod ios;
mod lanes;
mod perfetto;
mod protobuf;
mod sheet;
mod stations;
mod tenancies;

use crate::file::{FileError, OutputFile, Written};
use crate::ledger::Segment;
use crate::observer::{Gauge, IoStep, Names, Observer, Wants};
use ios::Ios;
use sansim_fc::al_pa::AlPa;
use sansim_fc::arbitrated_loop::Observation;
use sansim_fc::frame::ExchangeId;
use sansim_fc::word::{Item, Signal};
use sansim_fcp::adapter::AdapterBlock;
use sansim_fcp::exchange::ExchangeTable;
use sansim_kernel::{Span, Time};
use sheet::Sheet;
use stations::StationTracks;
use std::path::Path;
use tenancies::Tenancies;

/// Rank of the first station under the root; the loop and the I/Os stand before.
const FIRST_STATION: u32 = 2;

/// What to draw besides states, frames, blocks and I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineOptions {
    /// A counter for each gauge.
    pub counters: bool,
    /// An instant for each OPN, R_RDY and CLS sent.
    pub signals: bool,
    /// When the file is so long, all that is open is ended, and nothing more is drawn.
    pub limit_bytes: Option<u64>,
}

impl Default for TimelineOptions {
    fn default() -> Self {
        Self { counters: true, signals: true, limit_bytes: None }
    }
}

/// A listener that writes the timeline. See the module text.
#[derive(Debug)]
pub struct Timeline {
    options: TimelineOptions,
    sheet: Sheet,
    tenancies: Tenancies,
    ios: Ios,
    stations: Vec<StationTracks>,
    by_address: [u8; 256],
    word: Span,
    /// The latest moment of which anything is known.
    now: Time,
    /// The file is as long as it may be.
    ended: bool,
}

impl Timeline {
    /// Creates the file.
    ///
    /// # Errors
    /// The file cannot be created.
    pub fn create(path: &Path, names: &Names, options: TimelineOptions) -> Result<Self, FileError> {
        let mut sheet = Sheet::create(path, &names.title, options.limit_bytes)?;
        let mut by_address = [0; 256];
        for (index, station) in names.stations.iter().enumerate() {
            by_address[usize::from(station.al_pa.value())] = index as u8;
        }
        let stations = names.stations.iter().enumerate();
        let stations = stations.map(|(index, s)| StationTracks::new(&s.name, FIRST_STATION + index as u32));
        let owners = names.stations.iter().map(|s| s.name.as_str());
        Ok(Self {
            options,
            tenancies: Tenancies::new(&mut sheet, &names.arbitrated_loop, owners),
            ios: Ios::new(&mut sheet),
            stations: stations.collect(),
            sheet,
            by_address,
            word: names.word,
            now: Time::ZERO,
            ended: false,
        })
    }

    /// Ends what is open and the file. A complete one takes its name, see [`crate::file`].
    ///
    /// # Errors
    /// The first error of all writing.
    pub fn finish(self, complete: bool) -> Result<Written, FileError> {
        self.into_file().finish(complete)
    }

    /// All is written; the file.
    pub(crate) fn into_file(mut self) -> OutputFile {
        self.pause(self.now);
        self.sheet.encoder.into_file()
    }

    /// Notes what happens at a port while no window is open, so that [`Timeline::resume`] knows its state.
    pub fn pass_over(&mut self, station: usize, what: Observation) {
        if let Observation::State(state) = what {
            self.tenancies.pass_over(station, state);
            self.stations[station].note_state(state);
        }
    }

    /// Notes what a gauge shows while no window is open.
    pub fn pass_over_gauge(&mut self, station: usize, gauge: Gauge, value: u32) {
        self.stations[station].note_gauge(gauge, value);
    }

    /// A window opens: port states, the tenancy and the gauges are drawn as they are. To be called only if everything since
    /// [`Observer::pause`] was passed over. I/Os appear with their next segment, jobs and frames with the next one.
    pub fn resume(&mut self, now: Time) {
        if self.ended {
            return;
        }
        self.tenancies.resume(&mut self.sheet, now);
        for station in &mut self.stations {
            station.resume(&mut self.sheet, now);
        }
        self.now = now;
    }

    /// Whether there is room for more. With the last of it everything that is open ends.
    fn goes_on(&mut self, now: Time) -> bool {
        if !self.ended && !self.sheet.encoder.has_room() {
            self.pause(now);
            self.ended = true;
        }
        !self.ended
    }

    fn station_of(&self, address: AlPa) -> usize {
        usize::from(self.by_address[usize::from(address.value())])
    }

    fn sent(&mut self, now: Time, station: usize, item: &Item, exchanges: &ExchangeTable) {
        match item {
            Item::Frame(frame) => {
                self.tenancies.frame(station, frame);
                let exchange = &exchanges[frame.exchange];
                let subject = self.ios.subject(&mut self.sheet, frame.exchange, exchange);
                let to = self.station_of(frame.destination);
                let to = self.stations[to].text(&mut self.sheet.encoder);
                let until = now + self.word * frame.words();
                self.stations[station].frame(&mut self.sheet, now, until, frame, subject, to);
            }
            Item::Signal(signal) => {
                if matches!(signal, Signal::Open { .. }) {
                    self.tenancies.opens(station);
                }
                if self.options.signals {
                    self.stations[station].signal(&mut self.sheet, now, *signal);
                }
            }
        }
    }

    /// Opens the slice of an I/O.
    fn open(&mut self, now: Time, id: ExchangeId, segment: Segment, exchanges: &ExchangeTable) {
        let exchange = &exchanges[id];
        let initiator = self.station_of(exchange.initiator);
        let initiator = self.stations[initiator].text(&mut self.sheet.encoder);
        let drive = self.station_of(exchange.target);
        let drive = (drive, self.stations[drive].name());
        self.ios.begin(&mut self.sheet, now, (id, exchange), drive, initiator, segment);
    }
}

impl Observer for Timeline {
    fn wants(&self) -> Wants {
        Wants { ports: true, repeaters: false, blocks: true, ios: true, gauges: self.options.counters }
    }

    fn at_port(&mut self, now: Time, station: usize, what: Observation, exchanges: &ExchangeTable) {
        match what {
            // What is received may be announced ahead of its time.
            Observation::SentFill(_) | Observation::ReceivedFill(_) | Observation::ReceivedItem(_) => return,
            _ if !self.goes_on(now) => return,
            Observation::State(state) => {
                self.tenancies.state(&mut self.sheet, now, station, state);
                self.stations[station].state(&mut self.sheet, now, state);
            }
            Observation::SentItem(item) => self.sent(now, station, &item, exchanges),
        }
        self.now = now;
    }

    fn at_block(
        &mut self,
        now: Time,
        until: Time,
        station: usize,
        block: AdapterBlock,
        exchange: ExchangeId,
        exchanges: &ExchangeTable,
    ) {
        if !self.goes_on(now) {
            return;
        }
        let subject = self.ios.subject(&mut self.sheet, exchange, &exchanges[exchange]);
        self.stations[station].block(&mut self.sheet, now, until, block, subject);
        self.now = now;
    }

    fn at_io(&mut self, now: Time, id: ExchangeId, what: IoStep, exchanges: &ExchangeTable) {
        if !self.goes_on(now) {
            return;
        }
        match what {
            IoStep::Issued { .. } => self.open(now, id, Segment::HostQueue, exchanges),
            IoStep::Enters(segment) => {
                if !self.ios.is_open(id, &exchanges[id]) {
                    self.open(now, id, segment, exchanges);
                }
                let drive = self.station_of(exchanges[id].target);
                self.ios.enter(&mut self.sheet, now, id, segment, &mut self.stations, drive);
            }
            IoStep::Completed { .. } => {
                if self.ios.is_open(id, &exchanges[id]) {
                    self.ios.end(&mut self.sheet, now, id, &mut self.stations, false);
                }
            }
        }
        self.now = now;
    }

    fn at_gauge(&mut self, now: Time, station: usize, gauge: Gauge, value: u32) {
        if self.goes_on(now) {
            self.stations[station].gauge(&mut self.sheet, now, gauge, value);
            self.now = now;
        }
    }

    fn pause(&mut self, now: Time) {
        if self.ended {
            return;
        }
        self.ios.pause(&mut self.sheet, now, &mut self.stations);
        self.tenancies.end(&mut self.sheet, now, true);
        for station in &mut self.stations {
            station.pause(&mut self.sheet, now);
        }
        self.now = now;
    }

    fn failed(&self) -> bool {
        self.sheet.encoder.failed()
    }
}

#[cfg(test)]
mod tests;
