//! The tracks of a station: its port, the blocks and gauges of its components, the lanes of a device.

use super::lanes::{JobTrack, LaneNumber, Lanes, LazyTrack};
use super::perfetto::{
    ArgumentKey, ArgumentValue, Arguments, Encoder, InternedText, Track, TrackCategory, TrackEvent, TrackKind,
};
use super::sheet::{CUT_BEGIN, EntrySubject, TrackContext, end_arguments};
use crate::names::SystemNames;
use sansim_component::ComponentId;
use sansim_fc::frame::Frame;
use sansim_fc::loop_port::PortState;
use sansim_fc::word::PrimitiveSignal;
use sansim_kernel::Time;
use sansim_schema::catalogue::{Block, Gauge};

/// The order of the tracks of a station.
mod rank {
    pub const PORT: u32 = 0;
    pub const FRAMES: u32 = 1;
    pub const SIGNALS: u32 = 2;
    /// The ranks for the component whose blocks are shown first, if it has not more blocks than fit.
    pub const BLOCKS: u32 = 3;
    pub const GAUGES: u32 = 10;
    /// The ranks for all other components.
    pub const MORE_BLOCKS: u32 = 50;
    /// The rank of the lanes of a device, which are last because their number is not limited.
    pub const DEVICE: u32 = 100;
}

/// The names of all gauges, in an order that keeps the gauges of every station in their own order.
pub fn gauge_names_in_order(names: &SystemNames) -> Vec<&'static str> {
    let mut order: Vec<&'static str> = Vec::new();
    for of_station in names.gauges.chunk_by(|one, next| one.station == next.station) {
        let mut before = order.len();
        for name in of_station.iter().rev().map(|gauge| gauge.gauge.name) {
            match order.iter().position(|known| *known == name) {
                Some(place) => before = place,
                None => order.insert(before, name),
            }
        }
    }
    order
}

/// The track of a gauge.
#[derive(Debug)]
struct GaugeTrack {
    gauge: &'static Gauge,
    rank: u32,
    track: LazyTrack,
    /// The value of the gauge, if it is known.
    value: Option<u32>,
}

/// The tracks of the blocks of a component.
#[derive(Debug)]
struct BlockTracks {
    component: ComponentId,
    rank: u32,
    jobs: Vec<JobTrack>,
}

/// The tracks of a station.
#[derive(Debug)]
pub struct StationTracks {
    name: String,
    /// The name of the station as an argument.
    text: Option<InternedText>,
    rank: u32,
    group: LazyTrack,
    port: LazyTrack,
    /// The state of the port, whether drawn or passed over.
    state: PortState,
    state_open: Option<Track>,
    frames: JobTrack,
    signals: LazyTrack,
    /// The tracks of the components that have shown blocks.
    blocks: Vec<BlockTracks>,
    gauges: Vec<GaugeTrack>,
    device: Lanes,
    /// At a port of a switch: the lanes of its buffers, and the occupied buffers with their lanes.
    buffers: Lanes,
    taken: Vec<(u32, LaneNumber)>,
}

impl StationTracks {
    /// A station before its first observation.
    pub fn new(name: &str, rank: u32) -> Self {
        Self {
            name: name.to_owned(),
            text: None,
            rank,
            group: LazyTrack::default(),
            port: LazyTrack::default(),
            state: PortState::Monitoring,
            state_open: None,
            frames: JobTrack::default(),
            signals: LazyTrack::default(),
            blocks: Vec::new(),
            gauges: Vec::new(),
            device: Lanes::new("drive", rank::DEVICE),
            buffers: Lanes::new("buffer", rank::DEVICE),
            taken: Vec::new(),
        }
    }

    /// Adds a gauge, which has this place among all gauges. Returns the number of the gauge at the station.
    pub fn add_gauge(&mut self, gauge: &'static Gauge, place: usize) -> usize {
        let rank = rank::GAUGES + place as u32;
        self.gauges.push(GaugeTrack { gauge, rank, track: LazyTrack::default(), value: None });
        self.gauges.len() - 1
    }

    /// The name of the station as an argument.
    pub fn text(&mut self, encoder: &mut Encoder) -> ArgumentValue {
        ArgumentValue::Text(*self.text.get_or_insert_with(|| encoder.argument_text(&self.name)))
    }

    fn group(&mut self, sheet: &mut TrackContext) -> Track {
        let Self { group, rank, name, .. } = self;
        group.get(|| sheet.encoder.track(Some(sheet.root), *rank, name, TrackKind::Group))
    }

    /// The port enters another state. A port that only repeats leaves a gap in the track.
    pub fn state(&mut self, sheet: &mut TrackContext, now: Time, state: PortState) {
        if let Some(track) = self.state_open.take() {
            sheet.encoder.end(now, track, &[]);
        }
        self.note_state(state);
        self.begin_state(sheet, now, &[]);
    }

    /// The port enters another state while no window is open.
    pub fn note_state(&mut self, state: PortState) {
        self.state = state;
    }

    /// Notes the value that a gauge shows.
    pub fn note_gauge(&mut self, gauge: usize, value: u32) {
        self.gauges[gauge].value = Some(value);
    }

    /// The window opens: the present state of the port is drawn.
    pub fn window_opened(&mut self, sheet: &mut TrackContext, now: Time) {
        if self.state_open.is_none() {
            self.begin_state(sheet, now, CUT_BEGIN);
        }
        for gauge in 0..self.gauges.len() {
            if let Some(value) = self.gauges[gauge].value {
                self.gauge(sheet, now, gauge, value);
            }
        }
    }

    fn begin_state(&mut self, sheet: &mut TrackContext, now: Time, arguments: Arguments<'_>) {
        if self.state == PortState::Monitoring {
            return;
        }
        let group = self.group(sheet);
        let encoder = &mut sheet.encoder;
        let track = self.port.get(|| encoder.track(Some(group), rank::PORT, "port", TrackKind::Slices));
        let name = sheet.state(self.state);
        sheet.encoder.begin(
            now,
            track,
            &TrackEvent { category: TrackCategory::Port, name, flow: None, arguments },
        );
        self.state_open = Some(track);
    }

    /// The port sends a frame to another station, if that station is known; the frame is on the wire until
    /// the given time.
    pub fn frame(
        &mut self,
        sheet: &mut TrackContext,
        now: Time,
        until: Time,
        frame: &Frame,
        subject: EntrySubject,
        to: Option<ArgumentValue>,
    ) {
        let group = self.group(sheet);
        let arguments = [
            (ArgumentKey::Io, ArgumentValue::Number(subject.io)),
            (ArgumentKey::Bytes, ArgumentValue::Number(u64::from(frame.payload_bytes))),
            (ArgumentKey::Words, ArgumentValue::Number(frame.length_in_words())),
            (ArgumentKey::To, to.unwrap_or(ArgumentValue::Yes)),
        ];
        let event = TrackEvent {
            category: TrackCategory::Frame,
            name: sheet.frame_name(frame),
            flow: subject.flow(),
            arguments: if to.is_some() { &arguments } else { &arguments[..3] },
        };
        self.frames.begin(&mut sheet.encoder, now, until, &event, |encoder| {
            encoder.track(Some(group), rank::FRAMES, "frames out", TrackKind::Slices)
        });
    }

    /// The port sends a primitive signal.
    pub fn signal(&mut self, sheet: &mut TrackContext, now: Time, signal: PrimitiveSignal) {
        let group = self.group(sheet);
        let encoder = &mut sheet.encoder;
        let track =
            self.signals.get(|| encoder.track(Some(group), rank::SIGNALS, "signals out", TrackKind::Slices));
        let event = TrackEvent {
            category: TrackCategory::Signal,
            name: sheet.signal_name(signal),
            flow: None,
            arguments: &[],
        };
        sheet.encoder.write_instant(now, track, &event);
    }

    /// A block of a component, which has the given blocks, begins a job for an I/O.
    pub fn block(
        &mut self,
        sheet: &mut TrackContext,
        (now, until): (Time, Time),
        (component, blocks): (ComponentId, &'static [Block]),
        block: usize,
        subject: EntrySubject,
    ) {
        let group = self.group(sheet);
        let event = TrackEvent {
            category: TrackCategory::Adapter,
            name: subject.name,
            flow: subject.flow(),
            arguments: &[(ArgumentKey::Io, ArgumentValue::Number(subject.io))],
        };
        let BlockTracks { rank, jobs, .. } = self.blocks_of(component, blocks.len());
        let rank = *rank + block as u32;
        jobs[block].begin(&mut sheet.encoder, now, until, &event, |encoder| {
            encoder.track(Some(group), rank, blocks[block].label, TrackKind::Slices)
        });
    }

    fn blocks_of(&mut self, component: ComponentId, count: usize) -> &mut BlockTracks {
        let known = self.blocks.iter().position(|blocks| blocks.component == component);
        let place = known.unwrap_or_else(|| {
            let others = self.blocks.iter().filter(|blocks| blocks.rank >= rank::MORE_BLOCKS);
            let next = others.map(|blocks| blocks.rank + blocks.jobs.len() as u32).max();
            let has_room = self.blocks.is_empty() && count <= (rank::GAUGES - rank::BLOCKS) as usize;
            let rank = if has_room { rank::BLOCKS } else { next.unwrap_or(rank::MORE_BLOCKS) };
            self.blocks.push(BlockTracks { component, rank, jobs: vec![JobTrack::default(); count] });
            self.blocks.len() - 1
        });
        &mut self.blocks[place]
    }

    /// A gauge shows another value.
    pub fn gauge(&mut self, sheet: &mut TrackContext, now: Time, gauge: usize, value: u32) {
        self.note_gauge(gauge, value);
        let group = self.group(sheet);
        let encoder = &mut sheet.encoder;
        let GaugeTrack { gauge, rank, track, .. } = &mut self.gauges[gauge];
        let track = track.get(|| encoder.track(Some(group), *rank, gauge.name, TrackKind::Counter));
        encoder.write_counter(now, track, u64::from(value));
    }

    /// The device begins to work for an I/O.
    pub fn device_begins(
        &mut self,
        sheet: &mut TrackContext,
        now: Time,
        what: InternedText,
        subject: EntrySubject,
    ) -> LaneNumber {
        let group = self.group(sheet);
        let lane = self.device.occupy_lane(&mut sheet.encoder, group);
        let event = TrackEvent {
            category: TrackCategory::Drive,
            name: what,
            flow: subject.flow(),
            arguments: &[(ArgumentKey::Io, ArgumentValue::Number(subject.io))],
        };
        sheet.encoder.begin(now, self.device.track(lane), &event);
        lane
    }

    /// Ends the entry of a device for an I/O: its work is done, or the window closes.
    pub fn device_ends(&mut self, sheet: &mut TrackContext, now: Time, lane: LaneNumber, cut: bool) {
        sheet.encoder.end(now, self.device.track(lane), end_arguments(cut));
        self.device.free_lane(lane);
    }

    /// A frame occupies a buffer.
    pub fn buffer_taken(
        &mut self,
        sheet: &mut TrackContext,
        now: Time,
        buffer: u32,
        frame: &Frame,
        subject: EntrySubject,
    ) {
        let group = self.group(sheet);
        let lane = self.buffers.occupy_lane(&mut sheet.encoder, group);
        let arguments = [
            (ArgumentKey::Io, ArgumentValue::Number(subject.io)),
            (ArgumentKey::Bytes, ArgumentValue::Number(u64::from(frame.payload_bytes))),
        ];
        let name = sheet.frame_name(frame);
        let event =
            TrackEvent { category: TrackCategory::Frame, name, flow: subject.flow(), arguments: &arguments };
        sheet.encoder.begin(now, self.buffers.track(lane), &event);
        self.taken.push((buffer, lane));
    }

    /// A buffer is empty again; a buffer that was occupied before the window opened is not drawn.
    pub fn buffer_empty(&mut self, sheet: &mut TrackContext, now: Time, buffer: u32) {
        if let Some(place) = self.taken.iter().position(|taken| taken.0 == buffer) {
            let (_, lane) = self.taken.swap_remove(place);
            sheet.encoder.end(now, self.buffers.track(lane), &[]);
            self.buffers.free_lane(lane);
        }
    }

    /// The window closes, so all open entries of the station end. The entries of a device end together with
    /// the entries of the I/Os.
    pub fn window_closed(&mut self, sheet: &mut TrackContext, now: Time) {
        if let Some(track) = self.state_open.take() {
            sheet.encoder.end(now, track, end_arguments(true));
        }
        self.frames.end(&mut sheet.encoder, now);
        for (_, lane) in std::mem::take(&mut self.taken) {
            sheet.encoder.end(now, self.buffers.track(lane), end_arguments(true));
            self.buffers.free_lane(lane);
        }
        for jobs in self.blocks.iter_mut().flat_map(|blocks| &mut blocks.jobs) {
            jobs.end(&mut sheet.encoder, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::names::GaugeName;

    #[test]
    fn gauges_of_all_stations_are_in_one_order_whichever_station_comes_first() {
        let gauge = |name| -> &'static Gauge { Box::leak(Box::new(Gauge::new(name, "", ""))) };
        let host = ["waiting", "processor", "credit"];
        let port = ["credit"];
        let drive = ["processor", "credit", "drive"];
        for stations in [[&host[..], &port, &drive], [&port, &drive, &host], [&drive, &port, &host]] {
            let gauges = stations.iter().enumerate().flat_map(|(station, names)| {
                names.iter().map(move |name| GaugeName { station, component: 0, gauge: gauge(name) })
            });
            let names = SystemNames { gauges: gauges.collect(), ..SystemNames::default() };
            assert_eq!(gauge_names_in_order(&names), ["waiting", "processor", "credit", "drive"]);
        }
    }

    #[test]
    fn blocks_of_several_components_at_a_station_have_ranks_of_their_own() {
        let mut station = StationTracks::new("station", 0);
        let ranks = [(5, 7), (2, 3), (5, 7), (9, 20), (1, 1)]
            .map(|(component, count)| station.blocks_of(ComponentId(component), count).rank);
        assert_eq!(ranks, [3, 50, 3, 53, 73]);
    }
}
