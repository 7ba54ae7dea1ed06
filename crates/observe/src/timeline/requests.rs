//! The tracks of the I/Os: one slice for each I/O, with the segments of its ledger in it, on as many lanes as I/Os are open at
//! once. Segments in which an I/O waits are in a slice of their own, `waiting`. A child request of an I/O has a slice of the same
//! kind. While an I/O is where its child request is, its own slice is empty.

use super::lanes::{LaneNumber, Lanes, LazyTrack};
use super::perfetto::{ArgumentKey, ArgumentValue, InternedText, TrackCategory, TrackEvent, TrackKind};
use super::sheet::{EntrySubject, TrackContext, end_arguments};
use super::stations::StationTracks;
use crate::names::SystemNames;
use sansim_kernel::Time;
use sansim_request::{LedgerLine, Operation, Request, RequestId};
use sansim_schema::catalogue::Segment;
use std::collections::HashMap;

/// The number of different titles of I/Os that are kept; with more sizes and devices than this number the title is
/// written with every I/O.
const TITLES: usize = 1 << 12;

/// The names of segments in the order in which a read from a drive on a loop passes them, and in which they are written
/// at the beginning of a file. The list determines only that order; names that are not in it follow, in the order of the
/// catalogues.
const ORDER: [&str; 28] = [
    "host_queue",
    "driver_arrival",
    "message_queue",
    "message",
    "command_limit",
    "processor_queue",
    "command_execution",
    "outgoing_buffer",
    "dma_queue",
    "dma",
    "port_queue",
    "access_window",
    "loop",
    "credit",
    "circuit_held",
    "wire",
    "frame_process_queue",
    "frame_process",
    "single_frame_queue",
    "single_frame",
    "drive_queue",
    "media_queue",
    "access",
    "media_transfer",
    "transfer_ready",
    "response",
    "completion_queue",
    "driver_completion",
];

/// The state of a request; its number is reused by later requests.
#[derive(Clone, Copy, Debug)]
struct Slot {
    subject: EntrySubject,
    operation: Operation,
    /// The beginning of the slice of the request.
    begun: Time,
    /// The slice of the request, if it is open.
    open: Option<Open>,
}

#[derive(Clone, Copy, Debug)]
struct Open {
    lane: LaneNumber,
    /// The ledger line in which the I/O is. The segment of the line is written when it is over, so that
    /// segments without length can be left out.
    line: LedgerLine,
    since: Time,
    /// Whether the slice of the I/O's waiting is open, which began with this segment or with an earlier one.
    waits: bool,
    /// The slice of the device that works for the I/O: station and lane.
    device: Option<(usize, LaneNumber)>,
}

/// The form in which a ledger line is drawn.
#[derive(Clone, Copy, Debug)]
struct Drawn {
    segment: InternedText,
    waits: bool,
    /// The name of the segment on the lanes of a device, if it is drawn there.
    on_lane: Option<InternedText>,
}

/// The begin of an I/O on its lane.
#[derive(Clone, Copy, Debug)]
pub struct IoBegin {
    /// The ledger line in which the I/O is.
    pub line: LedgerLine,
    /// Whether the I/O is issued now; otherwise it began before its first observation.
    pub issued: bool,
    /// The component that issued the I/O.
    pub initiator: Option<ArgumentValue>,
}

/// The tracks of the I/Os.
#[derive(Debug)]
pub struct RequestTracks {
    /// The place of the group under the root.
    rank: u32,
    group: LazyTrack,
    lanes: Lanes,
    slots: Vec<Option<Slot>>,
    /// The titles by operation, bytes and device.
    titles: HashMap<(Operation, u64, u32), InternedText>,
    /// The form of each ledger line.
    lines: Vec<Drawn>,
    waiting: InternedText,
}

impl RequestTracks {
    /// The tracks before the first I/O.
    pub fn new(sheet: &mut TrackContext, names: &SystemNames, rank: u32) -> Self {
        let catalogues = || names.places.iter().map(|place| place.catalogue);
        let segments = || catalogues().flat_map(|catalogue| catalogue.segments);
        let known = ORDER.into_iter().filter(|name| segments().any(|segment| segment.name == *name));
        let texts = known.chain(segments().map(|segment| segment.name));
        let named = write_once(sheet, texts.map(str::to_owned));
        let waiting = sheet.encoder.intern_name("waiting");
        let on_lanes = catalogues().flat_map(|catalogue| {
            catalogue.lanes.iter().map(|&segment| catalogue.segments[segment].label.to_lowercase())
        });
        let labelled = write_once(sheet, on_lanes);
        let lines = catalogues().flat_map(|catalogue| {
            let drawn = |(number, segment): (usize, &Segment)| Drawn {
                segment: named[segment.name],
                waits: segment.waits(),
                on_lane: catalogue.lanes.contains(&number).then(|| labelled[&segment.label.to_lowercase()]),
            };
            catalogue.segments.iter().enumerate().map(drawn).collect::<Vec<_>>()
        });
        Self {
            rank,
            group: LazyTrack::default(),
            lanes: Lanes::new("I/O lane", 0),
            slots: Vec::new(),
            titles: HashMap::new(),
            lines: lines.collect(),
            waiting,
        }
    }

    /// The I/O of a request, which may have begun before the first observation of it.
    pub fn io_of_request(
        &mut self,
        sheet: &mut TrackContext,
        id: RequestId,
        request: &Request,
    ) -> EntrySubject {
        self.slot(sheet, id, request).subject
    }

    fn slot(&mut self, sheet: &mut TrackContext, id: RequestId, request: &Request) -> &mut Slot {
        let place = id.0 as usize;
        if place >= self.slots.len() {
            self.slots.resize(place + 1, None);
        }
        let slot = &mut self.slots[place];
        let Request { number: io, operation, .. } = *request;
        // As long as its slice is open the slot belongs to the same I/O, even if its record has been reused
        // already.
        let is_it = |slot: Slot| slot.open.is_some() || (slot.subject.io, slot.operation) == (io, operation);
        if !slot.is_some_and(is_it) {
            let kind = operation.word();
            let name = sheet.encoder.intern_name(&format!("{kind} #{io}"));
            *slot =
                Some(Slot { subject: EntrySubject { name, io }, operation, begun: Time::ZERO, open: None });
        }
        slot.as_mut().expect("filled just now")
    }

    /// Opens the slice of an I/O.
    pub fn begin(
        &mut self,
        sheet: &mut TrackContext,
        now: Time,
        (id, request): (RequestId, &Request),
        device: &str,
        begins: IoBegin,
    ) {
        let IoBegin { line, issued, initiator } = begins;
        let subject = self.io_of_request(sheet, id, request);
        let name = self.title(sheet, request, device);
        let encoder = &mut sheet.encoder;
        let (root, rank) = (sheet.root, self.rank);
        let group = self.group.get(|| encoder.track(Some(root), rank, "I/Os", TrackKind::Group));
        let lane = self.lanes.occupy_lane(encoder, group);
        let cut = (ArgumentKey::CutBegin, ArgumentValue::Yes);
        let mut arguments = [
            (ArgumentKey::Io, ArgumentValue::Number(request.number)),
            (ArgumentKey::Lba, ArgumentValue::Number(request.lba)),
            (ArgumentKey::Bytes, ArgumentValue::Number(request.bytes)),
            cut,
            cut,
        ];
        let mut count = 3;
        if let Some(initiator) = initiator {
            arguments[count] = (ArgumentKey::Initiator, initiator);
            count += 1;
        }
        count += usize::from(!issued);
        let event = TrackEvent {
            category: TrackCategory::Io,
            name,
            flow: subject.flow(),
            arguments: &arguments[..count],
        };
        encoder.begin(now, self.lanes.track(lane), &event);
        let slot = self.slot(sheet, id, request);
        slot.begun = now;
        slot.open = Some(Open { lane, line, since: now, waits: false, device: None });
    }

    /// The title of an I/O, for example `read 64 KiB from drives[3]`.
    fn title(&mut self, sheet: &mut TrackContext, request: &Request, device: &str) -> InternedText {
        let key = (request.operation, request.bytes, request.device);
        if let Some(&name) = self.titles.get(&key) {
            return name;
        }
        let verb = (request.operation.word(), if request.is_read() { "from" } else { "to" });
        let name =
            sheet.encoder.intern_name(&format!("{} {} {} {device}", verb.0, size(request.bytes), verb.1));
        if self.titles.len() < TITLES {
            self.titles.insert(key, name);
        }
        name
    }

    /// Whether the slice of an I/O is open.
    pub fn is_open(&self, id: RequestId) -> bool {
        let slot = self.slots.get(id.0 as usize).copied().flatten();
        slot.is_some_and(|slot| slot.open.is_some())
    }

    /// Notes that an I/O with an open slice enters another ledger line. The I/O is drawn at the station of a device if the line belongs to
    /// the device.
    pub fn enter(
        &mut self,
        sheet: &mut TrackContext,
        now: Time,
        id: RequestId,
        line: LedgerLine,
        stations: &mut [StationTracks],
        device: Option<usize>,
    ) {
        self.close_segment(sheet, now, id, stations, false);
        let what = self.lines[line.0 as usize].on_lane;
        let Some(Slot { subject, open: Some(open), .. }) = &mut self.slots[id.0 as usize] else { return };
        open.line = line;
        open.since = now;
        open.device = what
            .zip(device)
            .map(|(what, station)| (station, stations[station].device_begins(sheet, now, what, *subject)));
    }

    /// Continues an I/O whose child request is complete: the I/O was where the child request was.
    pub fn join(
        &mut self,
        sheet: &mut TrackContext,
        now: Time,
        (id, part): (RequestId, RequestId),
        stations: &mut [StationTracks],
    ) {
        let Some(Some(Slot { begun, .. })) = self.slots.get(part.0 as usize).copied() else { return };
        self.close_segment(sheet, begun, id, stations, false);
        let Some(Some(Slot { open: Some(open), .. })) = self.slots.get_mut(id.0 as usize) else { return };
        if std::mem::take(&mut open.waits) {
            sheet.encoder.end(begun, self.lanes.track(open.lane), end_arguments(false));
        }
        open.since = now;
    }

    /// An I/O is complete, or the window closes.
    pub fn end(
        &mut self,
        sheet: &mut TrackContext,
        now: Time,
        id: RequestId,
        stations: &mut [StationTracks],
        cut: bool,
    ) {
        self.close_segment(sheet, now, id, stations, cut);
        if let Some(Some(slot)) = self.slots.get_mut(id.0 as usize)
            && let Some(open) = slot.open.take()
        {
            if open.waits {
                sheet.encoder.end(now, self.lanes.track(open.lane), end_arguments(cut));
            }
            sheet.encoder.end(now, self.lanes.track(open.lane), end_arguments(cut));
            self.lanes.free_lane(open.lane);
        }
    }

    fn close_segment(
        &mut self,
        sheet: &mut TrackContext,
        now: Time,
        id: RequestId,
        stations: &mut [StationTracks],
        cut: bool,
    ) {
        let Some(Some(Slot { open: Some(open), .. })) = self.slots.get_mut(id.0 as usize) else { return };
        if open.since < now {
            let event = |category, name| TrackEvent { category, name, flow: None, arguments: &[] };
            let track = self.lanes.track(open.lane);
            let Drawn { segment, waits, .. } = self.lines[open.line.0 as usize];
            if waits && !open.waits {
                sheet.encoder.begin(open.since, track, &event(TrackCategory::Waiting, self.waiting));
            } else if open.waits && !waits {
                sheet.encoder.end(open.since, track, end_arguments(false));
            }
            open.waits = waits;
            sheet.encoder.begin(open.since, track, &event(TrackCategory::Segment, segment));
            sheet.encoder.end(now, track, end_arguments(cut));
        }
        if let Some((station, lane)) = open.device.take() {
            stations[station].device_ends(sheet, now, lane, cut);
        }
    }

    /// The window closes, so all open slices of I/Os end.
    pub fn window_closed(&mut self, sheet: &mut TrackContext, now: Time, stations: &mut [StationTracks]) {
        for place in 0..self.slots.len() {
            self.end(sheet, now, RequestId(place as u32), stations, true);
        }
    }
}

/// Writes names, each of them once.
fn write_once(
    sheet: &mut TrackContext,
    texts: impl Iterator<Item = String>,
) -> HashMap<String, InternedText> {
    let mut written = HashMap::new();
    for text in texts {
        let name = |text: &String| sheet.encoder.intern_name(text);
        written.entry(text).or_insert_with_key(name);
    }
    written
}

/// A size as text, for example `64 KiB`, or in bytes if the size is not a whole number of KiB.
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
