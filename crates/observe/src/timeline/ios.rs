//! The tracks of the I/Os: one slice per I/O, in it the segments of its ledger, on as many lanes as I/Os are open at once.
//! Segments in which it waits are in a slice of their own, `waiting`.

use super::lanes::{Lane, Lanes, Lazy};
use super::perfetto::{Category, Event, Key, Name, TrackKind, Value};
use super::sheet::{Sheet, Subject, cut_end};
use super::stations::StationTracks;
use crate::ledger::{SEGMENTS, Segment};
use sansim_fc::frame::ExchangeId;
use sansim_fcp::exchange::Exchange;
use sansim_kernel::Time;
use std::collections::HashMap;

/// Place of the group under the root.
const RANK: u32 = 1;
/// Different titles of I/Os that are kept; with more sizes and drives than this the title is written with every I/O.
const TITLES: usize = 1 << 12;

/// What is kept of an exchange; its number is used again by later I/Os.
#[derive(Clone, Copy, Debug)]
struct Slot {
    subject: Subject,
    /// Its slice, if that is open.
    open: Option<Open>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    lane: Lane,
    /// The segment it is in. It is written when it is over, so that those without length can be left out.
    segment: Segment,
    since: Time,
    /// The slice of its waiting is open: that began with the segment, or with one before.
    waits: bool,
    /// The slice of the drive that works for it: station, lane.
    drive: Option<(usize, Lane)>,
}

/// See the module text.
#[derive(Debug)]
pub struct Ios {
    group: Lazy,
    lanes: Lanes,
    slots: Vec<Option<Slot>>,
    titles: HashMap<(bool, u64, usize), Name>,
    segments: [Name; SEGMENTS],
    waiting: Name,
    access: Name,
    media: Name,
}

impl Ios {
    /// None yet.
    pub fn new(sheet: &mut Sheet) -> Self {
        let encoder = &mut sheet.encoder;
        Self {
            group: Lazy::default(),
            lanes: Lanes::new("I/O lane", 0),
            slots: Vec::new(),
            titles: HashMap::new(),
            segments: Segment::ALL.map(|segment| encoder.name(segment.name())),
            waiting: encoder.name("waiting"),
            access: encoder.name("access"),
            media: encoder.name("media transfer"),
        }
    }

    /// The I/O of an exchange, which may have begun before anything of it was seen.
    pub fn subject(&mut self, sheet: &mut Sheet, id: ExchangeId, exchange: &Exchange) -> Subject {
        self.slot(sheet, id, exchange).subject
    }

    fn slot(&mut self, sheet: &mut Sheet, id: ExchangeId, exchange: &Exchange) -> &mut Slot {
        let place = id.0 as usize;
        if place >= self.slots.len() {
            self.slots.resize(place + 1, None);
        }
        let slot = &mut self.slots[place];
        if slot.is_none_or(|slot| slot.subject.io != exchange.io) {
            let kind = if exchange.write { "write" } else { "read" };
            let name = sheet.encoder.name(&format!("{kind} #{}", exchange.io));
            *slot = Some(Slot { subject: Subject { name, io: exchange.io }, open: None });
        }
        slot.as_mut().expect("filled just now")
    }

    /// Opens the slice of an I/O, and its ledger in this segment.
    pub fn begin(
        &mut self,
        sheet: &mut Sheet,
        now: Time,
        (id, exchange): (ExchangeId, &Exchange),
        drive: (usize, &str),
        initiator: Value,
        segment: Segment,
    ) {
        let subject = self.subject(sheet, id, exchange);
        let name = self.title(sheet, exchange, drive);
        let encoder = &mut sheet.encoder;
        let group = self.group.get(|| encoder.track(Some(sheet.root), RANK, "I/Os", TrackKind::Group));
        let lane = self.lanes.take(encoder, group);
        let arguments = [
            (Key::Io, Value::Number(exchange.io)),
            (Key::Lba, Value::Number(exchange.lba)),
            (Key::Bytes, Value::Number(exchange.bytes)),
            (Key::Initiator, initiator),
            (Key::CutBegin, Value::Yes),
        ];
        // An I/O enters the system in the host's queue; one that is elsewhere began before it was seen.
        let arguments = if segment == Segment::HostQueue { &arguments[..4] } else { &arguments };
        let event = Event { category: Category::Io, name, flow: subject.flow(), arguments };
        encoder.begin(now, self.lanes.track(lane), &event);
        self.slot(sheet, id, exchange).open =
            Some(Open { lane, segment, since: now, waits: false, drive: None });
    }

    /// `read 64 KiB from drives[3]`.
    fn title(&mut self, sheet: &mut Sheet, exchange: &Exchange, (drive, station): (usize, &str)) -> Name {
        let key = (exchange.write, exchange.bytes, drive);
        if let Some(&name) = self.titles.get(&key) {
            return name;
        }
        let verb = if exchange.write { ("write", "to") } else { ("read", "from") };
        let name = sheet.encoder.name(&format!("{} {} {} {station}", verb.0, size(exchange.bytes), verb.1));
        if self.titles.len() < TITLES {
            self.titles.insert(key, name);
        }
        name
    }

    /// Whether the slice of an I/O is open.
    pub fn is_open(&self, id: ExchangeId, exchange: &Exchange) -> bool {
        let slot = self.slots.get(id.0 as usize).copied().flatten();
        slot.is_some_and(|slot| slot.subject.io == exchange.io && slot.open.is_some())
    }

    /// An I/O whose slice is open enters another segment. Station `at` is its drive.
    pub fn enter(
        &mut self,
        sheet: &mut Sheet,
        now: Time,
        id: ExchangeId,
        segment: Segment,
        stations: &mut [StationTracks],
        at: usize,
    ) {
        self.close_segment(sheet, now, id, stations, false);
        let what = match segment {
            Segment::Access => Some(self.access),
            Segment::MediaTransfer => Some(self.media),
            _ => None,
        };
        let Some(Slot { subject, open: Some(open) }) = &mut self.slots[id.0 as usize] else { return };
        open.segment = segment;
        open.since = now;
        open.drive = what.map(|what| (at, stations[at].drive_begins(sheet, now, what, *subject)));
    }

    /// An I/O is complete, or the window closes.
    pub fn end(
        &mut self,
        sheet: &mut Sheet,
        now: Time,
        id: ExchangeId,
        stations: &mut [StationTracks],
        cut: bool,
    ) {
        self.close_segment(sheet, now, id, stations, cut);
        if let Some(Some(slot)) = self.slots.get_mut(id.0 as usize)
            && let Some(open) = slot.open.take()
        {
            if open.waits {
                sheet.encoder.end(now, self.lanes.track(open.lane), cut_end(cut));
            }
            sheet.encoder.end(now, self.lanes.track(open.lane), cut_end(cut));
            self.lanes.give_back(open.lane);
        }
    }

    fn close_segment(
        &mut self,
        sheet: &mut Sheet,
        now: Time,
        id: ExchangeId,
        stations: &mut [StationTracks],
        cut: bool,
    ) {
        let Some(Some(Slot { open: Some(open), .. })) = self.slots.get_mut(id.0 as usize) else { return };
        if open.since < now {
            let event = |category, name| Event { category, name, flow: None, arguments: &[] };
            let track = self.lanes.track(open.lane);
            let waits = open.segment.block().is_none();
            if waits && !open.waits {
                sheet.encoder.begin(open.since, track, &event(Category::Waiting, self.waiting));
            } else if open.waits && !waits {
                sheet.encoder.end(open.since, track, cut_end(false));
            }
            open.waits = waits;
            let segment = event(Category::Segment, self.segments[open.segment as usize]);
            sheet.encoder.begin(open.since, track, &segment);
            sheet.encoder.end(now, track, cut_end(cut));
        }
        if let Some((station, lane)) = open.drive.take() {
            stations[station].drive_ends(sheet, now, lane, cut);
        }
    }

    /// The window closes.
    pub fn pause(&mut self, sheet: &mut Sheet, now: Time, stations: &mut [StationTracks]) {
        for place in 0..self.slots.len() {
            self.end(sheet, now, ExchangeId(place as u32), stations, true);
        }
    }
}

/// `64 KiB`, or in bytes if that is not whole.
fn size(bytes: u64) -> String {
    match bytes {
        1.. if bytes.is_multiple_of(1 << 20) => format!("{} MiB", bytes >> 20),
        1.. if bytes.is_multiple_of(1 << 10) => format!("{} KiB", bytes >> 10),
        _ => format!("{bytes} B"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_told_in_the_largest_whole_unit() {
        let sizes = [0, 512, 1024, 1536, 65536, 3 << 20].map(size);
        assert_eq!(sizes, ["0 B", "512 B", "1 KiB", "1536 B", "64 KiB", "3 MiB"]);
    }
}
