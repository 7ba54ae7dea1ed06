//! The tracks of a station: its port, its adapter, its drive, its gauges.

use super::lanes::{Jobs, Lane, Lanes, Lazy};
use super::perfetto::{Arguments, Category, Encoder, Event, Key, Name, Track, TrackKind, Value};
use super::sheet::{CUT_BEGIN, Sheet, Subject, cut_end};
use crate::observer::{GAUGES, Gauge};
use sansim_fc::frame::Frame;
use sansim_fc::loop_port::PortState;
use sansim_fc::word::Signal;
use sansim_fcp::adapter::AdapterBlock;
use sansim_kernel::Time;

/// Order of the tracks of a station.
mod rank {
    pub const PORT: u32 = 0;
    pub const FRAMES: u32 = 1;
    pub const SIGNALS: u32 = 2;
    pub const BLOCKS: u32 = 3;
    pub const GAUGES: u32 = 10;
    /// Last, for they are as many as are needed.
    pub const DRIVE: u32 = 100;
}

const BLOCKS: usize = 7;

fn block_name(block: AdapterBlock) -> &'static str {
    match block {
        AdapterBlock::MessageIn => "messages in",
        AdapterBlock::MessageOut => "messages out",
        AdapterBlock::Processor => "processor",
        AdapterBlock::Dma => "dma",
        AdapterBlock::DmaIn => "dma in",
        AdapterBlock::Incoming => "incoming",
        AdapterBlock::SingleFrame => "single frame",
    }
}

/// The tracks of a station.
#[derive(Debug)]
pub struct StationTracks {
    name: String,
    /// Name of the station as an argument.
    text: Option<Name>,
    rank: u32,
    group: Lazy,
    port: Lazy,
    /// State of the port, seen or passed over.
    state: PortState,
    state_open: Option<Track>,
    frames: Jobs,
    signals: Lazy,
    blocks: [Jobs; BLOCKS],
    gauges: [Lazy; GAUGES],
    /// What the gauges show, as far as it is known.
    values: [Option<u32>; GAUGES],
    drive: Lanes,
}

impl StationTracks {
    /// A station of which nothing has been seen.
    pub fn new(name: &str, rank: u32) -> Self {
        Self {
            name: name.to_owned(),
            text: None,
            rank,
            group: Lazy::default(),
            port: Lazy::default(),
            state: PortState::Monitoring,
            state_open: None,
            frames: Jobs::default(),
            signals: Lazy::default(),
            blocks: [Jobs::default(); BLOCKS],
            gauges: [Lazy::default(); GAUGES],
            values: [None; GAUGES],
            drive: Lanes::new("drive", rank::DRIVE),
        }
    }

    /// Name in the scenario.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The name as an argument.
    pub fn text(&mut self, encoder: &mut Encoder) -> Value {
        Value::Text(*self.text.get_or_insert_with(|| encoder.argument_text(&self.name)))
    }

    fn group(&mut self, sheet: &mut Sheet) -> Track {
        let Self { group, rank, name, .. } = self;
        group.get(|| sheet.encoder.track(Some(sheet.root), *rank, name, TrackKind::Group))
    }

    /// The port enters another state. A port that only repeats leaves a gap.
    pub fn state(&mut self, sheet: &mut Sheet, now: Time, state: PortState) {
        if let Some(track) = self.state_open.take() {
            sheet.encoder.end(now, track, &[]);
        }
        self.note_state(state);
        self.begin_state(sheet, now, &[]);
    }

    /// The port enters another state, unseen.
    pub fn note_state(&mut self, state: PortState) {
        self.state = state;
    }

    /// Notes what a gauge shows.
    pub fn note_gauge(&mut self, gauge: Gauge, value: u32) {
        self.values[gauge as usize] = Some(value);
    }

    /// The window opens.
    pub fn resume(&mut self, sheet: &mut Sheet, now: Time) {
        if self.state_open.is_none() {
            self.begin_state(sheet, now, CUT_BEGIN);
        }
        for gauge in Gauge::ALL {
            if let Some(value) = self.values[gauge as usize] {
                self.gauge(sheet, now, gauge, value);
            }
        }
    }

    fn begin_state(&mut self, sheet: &mut Sheet, now: Time, arguments: Arguments<'_>) {
        if self.state == PortState::Monitoring {
            return;
        }
        let group = self.group(sheet);
        let encoder = &mut sheet.encoder;
        let track = self.port.get(|| encoder.track(Some(group), rank::PORT, "port", TrackKind::Slices));
        let name = sheet.state(self.state);
        sheet.encoder.begin(now, track, &Event { category: Category::Port, name, flow: None, arguments });
        self.state_open = Some(track);
    }

    /// The port sends a frame to another station; it is on the wire until then.
    pub fn frame(
        &mut self,
        sheet: &mut Sheet,
        now: Time,
        until: Time,
        frame: &Frame,
        subject: Subject,
        to: Value,
    ) {
        let group = self.group(sheet);
        let event = Event {
            category: Category::Frame,
            name: sheet.frame(frame.kind),
            flow: subject.flow(),
            arguments: &[
                (Key::Io, Value::Number(subject.io)),
                (Key::Bytes, Value::Number(u64::from(frame.payload_bytes))),
                (Key::Words, Value::Number(frame.words())),
                (Key::To, to),
            ],
        };
        self.frames.begin(&mut sheet.encoder, now, until, &event, |encoder| {
            encoder.track(Some(group), rank::FRAMES, "frames out", TrackKind::Slices)
        });
    }

    /// The port sends a primitive signal.
    pub fn signal(&mut self, sheet: &mut Sheet, now: Time, signal: Signal) {
        let group = self.group(sheet);
        let encoder = &mut sheet.encoder;
        let track =
            self.signals.get(|| encoder.track(Some(group), rank::SIGNALS, "signals out", TrackKind::Slices));
        let event =
            Event { category: Category::Signal, name: sheet.signal(signal), flow: None, arguments: &[] };
        sheet.encoder.instant(now, track, &event);
    }

    /// A block of the adapter begins a job for an I/O.
    pub fn block(
        &mut self,
        sheet: &mut Sheet,
        now: Time,
        until: Time,
        block: AdapterBlock,
        subject: Subject,
    ) {
        let group = self.group(sheet);
        let place = block as usize;
        let event = Event {
            category: Category::Adapter,
            name: subject.name,
            flow: subject.flow(),
            arguments: &[(Key::Io, Value::Number(subject.io))],
        };
        self.blocks[place].begin(&mut sheet.encoder, now, until, &event, |encoder| {
            encoder.track(Some(group), rank::BLOCKS + place as u32, block_name(block), TrackKind::Slices)
        });
    }

    /// A gauge shows another value.
    pub fn gauge(&mut self, sheet: &mut Sheet, now: Time, gauge: Gauge, value: u32) {
        self.note_gauge(gauge, value);
        let group = self.group(sheet);
        let place = gauge as usize;
        let encoder = &mut sheet.encoder;
        let track = self.gauges[place].get(|| {
            encoder.track(Some(group), rank::GAUGES + place as u32, gauge.name(), TrackKind::Counter)
        });
        encoder.counter(now, track, u64::from(value));
    }

    /// The drive begins to work for an I/O.
    pub fn drive_begins(&mut self, sheet: &mut Sheet, now: Time, what: Name, subject: Subject) -> Lane {
        let group = self.group(sheet);
        let lane = self.drive.take(&mut sheet.encoder, group);
        let event = Event {
            category: Category::Drive,
            name: what,
            flow: subject.flow(),
            arguments: &[(Key::Io, Value::Number(subject.io))],
        };
        sheet.encoder.begin(now, self.drive.track(lane), &event);
        lane
    }

    /// The drive has ended what it did for an I/O, or the window closes.
    pub fn drive_ends(&mut self, sheet: &mut Sheet, now: Time, lane: Lane, cut: bool) {
        sheet.encoder.end(now, self.drive.track(lane), cut_end(cut));
        self.drive.give_back(lane);
    }

    /// The window closes. The work of the drive is ended with that of the I/Os.
    pub fn pause(&mut self, sheet: &mut Sheet, now: Time) {
        if let Some(track) = self.state_open.take() {
            sheet.encoder.end(now, track, cut_end(true));
        }
        self.frames.end(&mut sheet.encoder, now);
        for block in &mut self.blocks {
            block.end(&mut sheet.encoder, now);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_unit_has_a_place() {
        let blocks = [
            AdapterBlock::MessageIn,
            AdapterBlock::MessageOut,
            AdapterBlock::Processor,
            AdapterBlock::Dma,
            AdapterBlock::DmaIn,
            AdapterBlock::Incoming,
            AdapterBlock::SingleFrame,
        ];
        assert_eq!(blocks.len(), BLOCKS);
        assert!(blocks.iter().enumerate().all(|(place, &block)| block as usize == place));
    }
}
