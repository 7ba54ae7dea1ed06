//! The timeline: the events of a run by time, as a Perfetto trace.
//!
//! Under a root named after the scenario are the loops with their tenancies, the I/Os with the segments of their ledgers, and a group for
//! each station: port states, frames and signals sent, blocks and gauges of its components, the work of a drive. A flow for each I/O links
//! all entries that belong to the I/O. `docs/timeline.md` explains each track.
//!
//! * `perfetto` - the format, on `protobuf`;
//! * `lanes` - tracks on which no entries overlap;
//! * `sheet` - the parts that all tracks share;
//! * `tenancies`, `requests`, `stations` - the tracks.
//!
//! All entries are written as they come; memory is bounded by the number of stations and of open requests. An I/O or job that began before
//! the window is not drawn until its next step.

mod lanes;
mod perfetto;
mod protobuf;
mod requests;
mod sheet;
mod stations;
mod tenancies;

use crate::file::{FileError, FinishedFile, OutputFile};
use crate::names::{StationRole, SystemNames};
use crate::observer::{Observer, RequestStep, WantedCalls};
use requests::{IoBegin, RequestTracks};
use sansim_component::ComponentId;
use sansim_fc::frame::Frame;
use sansim_fc::observation::Observation;
use sansim_fc::word::{LinkItem, PrimitiveSignal};
use sansim_kernel::Time;
use sansim_pdu::Address;
use sansim_pdu::{PortSight, WireUnit};
use sansim_request::{LedgerLine, Request, RequestId, Requests};
use sheet::TrackContext;
use stations::{StationTracks, gauge_names_in_order};
use std::collections::HashMap;
use std::path::Path;
use tenancies::Tenancies;

/// The drawings in addition to states, frames, blocks and I/Os.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TimelineOptions {
    /// Whether a counter is drawn for each gauge.
    pub counters: bool,
    /// Whether an instant is drawn for each OPN, R_RDY and CLS that is sent.
    pub signals: bool,
    /// The length of the file at which all open entries end, and nothing more is drawn.
    pub limit_bytes: Option<u64>,
}

impl Default for TimelineOptions {
    fn default() -> Self {
        Self { counters: true, signals: true, limit_bytes: None }
    }
}

/// An observer that writes the timeline. The file is described in the module text.
#[derive(Debug)]
pub struct Timeline {
    options: TimelineOptions,
    sheet: TrackContext,
    names: SystemNames,
    /// The tenancies of each network.
    tenancies: Vec<Tenancies>,
    requests: RequestTracks,
    stations: Vec<StationTracks>,
    /// The stations by network and address.
    by_address: HashMap<(usize, Address), usize>,
    /// For each gauge, its station and its number at the station.
    gauges: Vec<(usize, usize)>,
    /// The time of the latest observation.
    now: Time,
    /// Whether the file has reached its greatest length.
    ended: bool,
}

impl Timeline {
    /// Creates the file.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    pub fn create(path: &Path, names: &SystemNames, options: TimelineOptions) -> Result<Self, FileError> {
        let mut sheet = TrackContext::create(path, &names.title, options.limit_bytes)?;
        // The networks and the I/Os come before the stations.
        let networks = names.networks.len();
        let rank = |station: usize| (networks + 1 + station) as u32;
        let all = || names.stations.iter().enumerate();
        let mut stations: Vec<_> = all().map(|(n, s)| StationTracks::new(&s.name, rank(n))).collect();
        let order = gauge_names_in_order(names);
        let place = |name: &str| order.iter().position(|known| *known == name).unwrap_or(order.len());
        let gauges = names.gauges.iter().map(|gauge| {
            (gauge.station, stations[gauge.station].add_gauge(gauge.gauge, place(gauge.gauge.name)))
        });
        Ok(Self {
            options,
            gauges: gauges.collect(),
            names: names.clone(),
            tenancies: (0..networks).map(|n| Tenancies::new(&mut sheet, n as u32, names, n)).collect(),
            requests: RequestTracks::new(&mut sheet, names, networks as u32),
            stations,
            by_address: all()
                .filter(|(_, station)| station.role != StationRole::Inner)
                .filter_map(|(number, station)| Some((station.port?, number)))
                .collect(),
            sheet,
            now: Time::ZERO,
            ended: false,
        })
    }

    /// Ends all open entries and the file. A complete file gets its name, see [`crate::file`].
    ///
    /// # Errors
    /// Fails with the first error of all writing.
    pub fn finish(self, complete: bool) -> Result<FinishedFile, FileError> {
        self.into_file().finish(complete)
    }

    /// Writes all remaining entries, and returns the file.
    pub(crate) fn into_file(mut self) -> OutputFile {
        self.pause(self.now);
        self.sheet.encoder.into_file()
    }

    /// Notes an observation at a port while no window is open, so that [`Timeline::window_opened`] has the port's
    /// state.
    pub fn note_unrecorded(&mut self, station: usize, what: PortSight) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        if let Observation::State(state) = what {
            let (network, _) = self.port(station);
            self.tenancies[network].note_unrecorded(station, state);
            self.stations[station].note_state(state);
        }
    }

    /// Notes the value of a gauge while no window is open.
    pub fn note_unrecorded_gauge(&mut self, gauge: usize, value: u32) {
        let (station, gauge) = self.gauges[gauge];
        self.stations[station].note_gauge(gauge, value);
    }

    /// A window opens: port states, tenancies and gauges are drawn with their present values. The function may be called only
    /// if all observations since [`Observer::pause`] were passed over. I/Os appear with their next segment, jobs and frames
    /// with the next that begins.
    pub fn window_opened(&mut self, now: Time) {
        if self.ended {
            return;
        }
        for tenancies in &mut self.tenancies {
            tenancies.window_opened(&mut self.sheet, now);
        }
        for station in &mut self.stations {
            station.window_opened(&mut self.sheet, now);
        }
        self.now = now;
    }

    /// Whether the file has room for more entries. When the file has no more room, all open entries end.
    fn goes_on(&mut self, now: Time) -> bool {
        if !self.ended && !self.sheet.encoder.has_room() {
            self.pause(now);
            self.ended = true;
        }
        !self.ended
    }

    /// The network of a station that has a port, and its address on the network.
    fn port(&self, station: usize) -> (usize, Address) {
        self.names.stations[station].port.expect("only what is at a network has a port to be seen")
    }

    fn sent(&mut self, now: Time, station: usize, item: &LinkItem, requests: &Requests) {
        let (network, _) = self.port(station);
        match item {
            LinkItem::Frame(frame) => {
                self.tenancies[network].frame(station, frame);
                let id = RequestId(frame.tag.0);
                let subject = self.requests.io_of_request(&mut self.sheet, id, requests.request(id));
                let to = self.by_address.get(&(network, frame.destination));
                let to = to.map(|&to| self.stations[to].text(&mut self.sheet.encoder));
                let until = now + self.names.frame_time(station, frame);
                self.stations[station].frame(&mut self.sheet, now, until, frame, subject, to);
            }
            LinkItem::Signal(signal) => {
                if matches!(signal, PrimitiveSignal::Open { .. }) {
                    self.tenancies[network].circuit_opened(station);
                }
                if self.options.signals {
                    self.stations[station].signal(&mut self.sheet, now, *signal);
                }
            }
        }
    }

    /// Opens the slice of a request.
    fn open(&mut self, now: Time, id: RequestId, line: LedgerLine, issued: bool, requests: &Requests) {
        let request = requests.request(id);
        let initiator = self.names.station_of_origin(request);
        let initiator = initiator.map(|station| self.stations[station].text(&mut self.sheet.encoder));
        let device = &self.names.component_of_device(request).name;
        let begins = IoBegin { line, issued, initiator };
        self.requests.begin(&mut self.sheet, now, (id, request), device, begins);
    }

    /// The station of the device of a request, if this ledger line belongs to the device.
    fn device_in(&self, line: LedgerLine, request: &Request) -> Option<usize> {
        let device = self.names.component_of_device(request);
        (self.names.place_and_segment(line).0 == device.place).then_some(device.station)
    }
}

impl Observer for Timeline {
    fn wants(&self) -> WantedCalls {
        WantedCalls {
            ports: true,
            repeaters: false,
            blocks: true,
            requests: true,
            gauges: self.options.counters,
        }
    }

    fn at_port(&mut self, now: Time, station: usize, what: PortSight, requests: &Requests) {
        let Some(what) = Observation::from_port_sight(what) else { return };
        match what {
            // An arrival may be announced ahead of its time.
            Observation::SentFill(_) | Observation::ReceivedFill(_) | Observation::ReceivedItem(_) => return,
            _ if !self.goes_on(now) => return,
            Observation::State(state) => {
                let (network, _) = self.port(station);
                self.tenancies[network].state(&mut self.sheet, now, station, state);
                self.stations[station].state(&mut self.sheet, now, state);
            }
            Observation::SentItem(item) => self.sent(now, station, &item, requests),
            // The state of the port says that the loop is initialised.
            Observation::SentInitialisation(_) | Observation::ReceivedInitialisation(_) => {}
        }
        self.now = now;
    }

    fn at_buffer(
        &mut self,
        now: Time,
        station: usize,
        buffer: u32,
        unit: Option<WireUnit>,
        requests: &Requests,
    ) {
        if !self.goes_on(now) {
            return;
        }
        let Some(frame) = unit.map(Frame::from) else {
            self.stations[station].buffer_empty(&mut self.sheet, now, buffer);
            return;
        };
        let id = RequestId(frame.tag.0);
        let subject = self.requests.io_of_request(&mut self.sheet, id, requests.request(id));
        self.stations[station].buffer_taken(&mut self.sheet, now, buffer, &frame, subject);
        self.now = now;
    }

    fn at_block(
        &mut self,
        now: Time,
        until: Time,
        component: ComponentId,
        block: usize,
        request: RequestId,
        requests: &Requests,
    ) {
        if !self.goes_on(now) {
            return;
        }
        let subject = self.requests.io_of_request(&mut self.sheet, request, requests.request(request));
        let named = &self.names.components[component.index()];
        let blocks = (component, named.catalogue.blocks);
        self.stations[named.station].block(&mut self.sheet, (now, until), blocks, block, subject);
        self.now = now;
    }

    fn at_request(
        &mut self,
        now: Time,
        _: ComponentId,
        id: RequestId,
        what: RequestStep,
        requests: &Requests,
    ) {
        if !self.goes_on(now) {
            return;
        }
        match what {
            RequestStep::Issued(line) => self.open(now, id, line, true, requests),
            RequestStep::Enters(line) => {
                if !self.requests.is_open(id) {
                    self.open(now, id, line, false, requests);
                }
                let device = self.device_in(line, requests.request(id));
                self.requests.enter(&mut self.sheet, now, id, line, &mut self.stations, device);
            }
            RequestStep::Joined(part) => {
                self.requests.join(&mut self.sheet, now, (id, part), &mut self.stations);
            }
            RequestStep::Completed { .. } => {
                self.requests.end(&mut self.sheet, now, id, &mut self.stations, false);
            }
        }
        self.now = now;
    }

    fn at_gauge(&mut self, now: Time, gauge: usize, value: u32) {
        if self.goes_on(now) {
            let (station, gauge) = self.gauges[gauge];
            self.stations[station].gauge(&mut self.sheet, now, gauge, value);
            self.now = now;
        }
    }

    fn pause(&mut self, now: Time) {
        if self.ended {
            return;
        }
        self.requests.window_closed(&mut self.sheet, now, &mut self.stations);
        for tenancies in &mut self.tenancies {
            tenancies.end(&mut self.sheet, now, true);
        }
        for station in &mut self.stations {
            station.window_closed(&mut self.sheet, now);
        }
        self.now = now;
    }

    fn failed(&self) -> bool {
        self.sheet.encoder.failed()
    }
}

#[cfg(test)]
mod tests;
