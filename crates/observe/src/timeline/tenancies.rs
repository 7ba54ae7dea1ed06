//! The track of a loop: its owner, from winning to giving up.

use super::perfetto::{
    ArgumentKey, ArgumentValue, Arguments, InternedText, Track, TrackCategory, TrackEvent, TrackKind,
};
use super::sheet::{CUT_BEGIN, TrackContext};
use crate::names::SystemNames;
use sansim_fc::frame::{Frame, PduKind};
use sansim_fc::loop_port::PortState;
use sansim_kernel::Time;

/// A tenancy in progress.
#[derive(Clone, Copy, Debug)]
struct Open {
    station: usize,
    circuits: u64,
    /// The frames and bytes sent by the owner, and sent to it.
    frames: [u64; 2],
    bytes: [u64; 2],
}

/// The tenancies of a loop.
#[derive(Debug)]
pub struct Tenancies {
    track: Track,
    /// The names of the owners, by station from the first station of the loop.
    owners: Vec<InternedText>,
    first_station: usize,
    /// The owner of the loop, whether drawn or passed over.
    owner: Option<usize>,
    open: Option<Open>,
}

impl Tenancies {
    /// The tenancies of a loop that has no owner yet. The track of the tenancies has this rank under the
    /// root.
    pub fn new(sheet: &mut TrackContext, rank: u32, names: &SystemNames, network: usize) -> Self {
        let encoder = &mut sheet.encoder;
        let stations = names.stations_of(network);
        let first_station = stations.start;
        let title = &names.networks[network].name;
        Self {
            track: encoder.track(Some(sheet.root), rank, title, TrackKind::Slices),
            owners: names.stations[stations]
                .iter()
                .map(|station| encoder.intern_name(&station.name))
                .collect(),
            first_station,
            owner: None,
            open: None,
        }
    }

    /// A port enters another state while no window is open.
    pub fn note_unrecorded(&mut self, station: usize, state: PortState) {
        if state == PortState::ArbitrationWon {
            self.owner = Some(station);
        } else if state.is_repeating() && self.owner == Some(station) {
            self.owner = None;
        }
    }

    /// A port enters another state.
    pub fn state(&mut self, sheet: &mut TrackContext, now: Time, station: usize, state: PortState) {
        let drawn = self.open.map(|open| open.station);
        if state == PortState::ArbitrationWon && drawn != Some(station) {
            self.end(sheet, now, false);
            self.begin(sheet, now, station, &[]);
        } else if state.is_repeating() && drawn == Some(station) {
            self.end(sheet, now, false);
        }
        self.note_unrecorded(station, state);
    }

    /// The window opens: a tenancy in progress is drawn.
    pub fn window_opened(&mut self, sheet: &mut TrackContext, now: Time) {
        if let (Some(station), None) = (self.owner, self.open) {
            self.begin(sheet, now, station, CUT_BEGIN);
        }
    }

    fn begin(&mut self, sheet: &mut TrackContext, now: Time, station: usize, arguments: Arguments<'_>) {
        let name = self.owners[station - self.first_station];
        let event = TrackEvent { category: TrackCategory::Tenancy, name, flow: None, arguments };
        sheet.encoder.begin(now, self.track, &event);
        self.open = Some(Open { station, circuits: 0, frames: [0; 2], bytes: [0; 2] });
    }

    /// A port opens a circuit.
    pub fn circuit_opened(&mut self, station: usize) {
        if let Some(open) = &mut self.open
            && open.station == station
        {
            open.circuits += 1;
        }
    }

    /// A port sends a frame.
    pub fn frame(&mut self, station: usize, frame: &Frame) {
        if let Some(open) = &mut self.open {
            let direction = usize::from(open.station != station);
            open.frames[direction] += 1;
            if frame.kind == PduKind::Data {
                open.bytes[direction] += u64::from(frame.payload_bytes);
            }
        }
    }

    /// The owner gives the loop up, or the window closes.
    pub fn end(&mut self, sheet: &mut TrackContext, now: Time, cut: bool) {
        if let Some(open) = self.open.take() {
            let arguments = [
                (ArgumentKey::Circuits, ArgumentValue::Number(open.circuits)),
                (ArgumentKey::FramesOut, ArgumentValue::Number(open.frames[0])),
                (ArgumentKey::FramesIn, ArgumentValue::Number(open.frames[1])),
                (ArgumentKey::BytesOut, ArgumentValue::Number(open.bytes[0])),
                (ArgumentKey::BytesIn, ArgumentValue::Number(open.bytes[1])),
                (ArgumentKey::CutEnd, ArgumentValue::Yes),
            ];
            let arguments: Arguments<'_> = if cut { &arguments } else { &arguments[..5] };
            sheet.encoder.end(now, self.track, arguments);
        }
    }
}
