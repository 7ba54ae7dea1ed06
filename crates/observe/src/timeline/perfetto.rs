//! Perfetto's trace format, as far as the timeline needs it: TrackEvents on tracks of sansim's own.
//!
//! A trace is a series of `TracePacket`s, which are protobuf messages that are written one after the other. Source: the
//! field numbers of Perfetto's documented messages (`trace_packet.proto`, `track_descriptor.proto`, `track_event.proto`,
//! `interned_data.proto`, `debug_annotation.proto`), which are named beside each constant.
//!
//! * All packets are on one sequence. The first packet of the sequence clears the incremental state and names the clock,
//!   the categories and the arguments; every later text that is used often is written once and then referred to by number
//!   (interned).
//! * Times are whole nanoseconds, rounded down, which keeps the order and the nesting of entries.
//! * Packets need not be in order of time, but the packets of one track are: readers sort by time and keep the order of
//!   the file where times are equal.

use super::protobuf::{fixed64_field, message, number_field, text_field};
use crate::file::{FileError, OutputFile};
use sansim_kernel::{TICKS_PER_NS, Time};
use std::path::Path;

/// The field numbers of the format.
mod field {
    /// The field number of `Trace.packet`.
    pub const PACKET: u32 = 1;
    /// The field numbers of `TracePacket`.
    pub const TIMESTAMP: u32 = 8;
    pub const SEQUENCE_ID: u32 = 10;
    pub const TRACK_EVENT: u32 = 11;
    pub const INTERNED_DATA: u32 = 12;
    pub const SEQUENCE_FLAGS: u32 = 13;
    pub const PACKET_DEFAULTS: u32 = 59;
    pub const TRACK_DESCRIPTOR: u32 = 60;
    /// The field `TracePacketDefaults.timestamp_clock_id`.
    pub const CLOCK: u32 = 58;
    /// The fields of `TrackDescriptor`.
    pub const TRACK_UUID: u32 = 1;
    pub const TRACK_NAME: u32 = 2;
    pub const TRACK_PARENT: u32 = 5;
    pub const TRACK_COUNTER: u32 = 8;
    pub const CHILD_ORDERING: u32 = 11;
    pub const SIBLING_RANK: u32 = 12;
    /// The field `CounterDescriptor.unit`.
    pub const COUNTER_UNIT: u32 = 3;
    /// The fields of `TrackEvent`.
    pub const EVENT_CATEGORY: u32 = 3;
    pub const EVENT_ARGUMENT: u32 = 4;
    pub const EVENT_TYPE: u32 = 9;
    pub const EVENT_NAME: u32 = 10;
    pub const EVENT_TRACK: u32 = 11;
    pub const EVENT_VALUE: u32 = 30;
    pub const EVENT_FLOW: u32 = 47;
    /// The fields of `DebugAnnotation`.
    pub const ARGUMENT_NAME: u32 = 1;
    pub const ARGUMENT_FLAG: u32 = 2;
    pub const ARGUMENT_NUMBER: u32 = 3;
    pub const ARGUMENT_TEXT: u32 = 17;
    /// The fields of `InternedData`.
    pub const CATEGORIES: u32 = 1;
    pub const NAMES: u32 = 2;
    pub const ARGUMENT_NAMES: u32 = 3;
    pub const ARGUMENT_TEXTS: u32 = 29;
    /// The fields of `EventCategory`, `EventName`, `DebugAnnotationName` and `InternedString`.
    pub const INTERNED_ID: u32 = 1;
    pub const INTERNED_TEXT: u32 = 2;
}

/// The values of `TrackEvent.Type`.
const SLICE_BEGIN: u64 = 1;
const SLICE_END: u64 = 2;
const INSTANT: u64 = 3;
const COUNTER: u64 = 4;
/// The values of `TracePacket.SequenceFlags`.
const STATE_CLEARED: u64 = 1;
const NEEDS_STATE: u64 = 2;
/// The number of the only sequence.
const SEQUENCE: u64 = 1;
/// The value `BUILTIN_CLOCK_BOOTTIME`, the clock to which readers convert all times; naming it leaves the
/// times as they are.
const CLOCK: u64 = 6;
/// The value `ChildTracksOrdering.EXPLICIT`: child tracks are ordered by rank.
const BY_RANK: u64 = 3;
/// The value `CounterDescriptor.Unit.UNIT_COUNT`.
const UNIT_COUNT: u64 = 2;

/// A track that has been described.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Track(u64);

/// A text that has been written and is referred to by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct InternedText(u64);

/// The content of a track.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum TrackKind {
    /// The track contains other tracks, by rank.
    Group,
    /// The track contains slices or instants.
    Slices,
    /// The track contains values of a counter.
    Counter,
}

/// The category of a slice or instant, by which entries can be selected.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum TrackCategory {
    /// A port owns the loop.
    Tenancy,
    /// An I/O, or a child request of an I/O, from issue to completion.
    Io,
    /// A segment of the ledger of an I/O.
    Segment,
    /// The state of a port.
    Port,
    /// A frame that is sent.
    Frame,
    /// A primitive signal that is sent.
    Signal,
    /// A job of a block of an adapter, or of another component.
    Adapter,
    /// The work of a drive.
    Drive,
    /// Segments in which an I/O waits, in sequence.
    Waiting,
}

impl TrackCategory {
    const NAMES: [&str; 9] =
        ["tenancy", "io", "segment", "port", "frame", "signal", "adapter", "drive", "waiting"];
}

/// The meaning of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum ArgumentKey {
    /// The number of the I/O, as in the table of I/Os.
    Io,
    /// The first logical block.
    Lba,
    /// The bytes of data; for a frame, its payload.
    Bytes,
    /// The length of a frame in words.
    Words,
    /// The station to which a frame goes.
    To,
    /// The station that issued the I/O.
    Initiator,
    /// The number of circuits opened in a tenancy.
    Circuits,
    /// The number of frames that the owner sent in a tenancy.
    FramesOut,
    /// The number of frames that were sent to the owner.
    FramesIn,
    /// The data bytes that the owner sent.
    BytesOut,
    /// The data bytes that were sent to the owner.
    BytesIn,
    /// The entry began before the window opened.
    CutBegin,
    /// The entry had not ended when the window closed.
    CutEnd,
}

impl ArgumentKey {
    const NAMES: [&str; 13] = [
        "io",
        "lba",
        "bytes",
        "words",
        "to",
        "initiator",
        "circuits",
        "frames_out",
        "frames_in",
        "bytes_out",
        "bytes_in",
        "cut_begin",
        "cut_end",
    ];
}

/// The value of an argument.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ArgumentValue {
    /// The value is a number.
    Number(u64),
    /// The value is "yes".
    Yes,
    /// The value is a text that was written before with [`Encoder::argument_text`].
    Text(InternedText),
}

/// The arguments of a slice or instant.
pub type Arguments<'a> = &'a [(ArgumentKey, ArgumentValue)];

/// The description of a slice or instant.
#[derive(Clone, Copy, Debug)]
pub struct TrackEvent<'a> {
    /// The category of the event.
    pub category: TrackCategory,
    /// The name of the event, written before with [`Encoder::intern_name`].
    pub name: InternedText,
    /// The flow that passes through the event; not zero.
    pub flow: Option<u64>,
    /// The arguments of the event.
    pub arguments: Arguments<'a>,
}

/// Writes a trace, packet by packet.
#[derive(Debug)]
pub struct Encoder {
    file: OutputFile,
    packet: Vec<u8>,
    tracks: u64,
    names: u64,
    texts: u64,
}

/// The number of bytes kept for a packet; a longer packet only costs an allocation.
const PACKET_BYTES: usize = 512;

impl Encoder {
    /// Creates the file and writes the first packet.
    ///
    /// # Errors
    /// Fails if the file cannot be created.
    pub fn create(path: &Path, limit_bytes: Option<u64>) -> Result<Self, FileError> {
        let file = OutputFile::create(path)?.with_size_limit(limit_bytes);
        let mut encoder =
            Self { file, packet: Vec::with_capacity(PACKET_BYTES), tracks: 0, names: 0, texts: 0 };
        encoder.write(STATE_CLEARED, |out| {
            message(out, field::PACKET_DEFAULTS, |out| number_field(out, field::CLOCK, CLOCK));
            message(out, field::INTERNED_DATA, |out| {
                for (index, name) in TrackCategory::NAMES.iter().enumerate() {
                    interned(out, field::CATEGORIES, index as u64 + 1, name);
                }
                for (index, name) in ArgumentKey::NAMES.iter().enumerate() {
                    interned(out, field::ARGUMENT_NAMES, index as u64 + 1, name);
                }
            });
        });
        Ok(encoder)
    }

    /// Writes a packet.
    fn write(&mut self, flags: u64, fill: impl FnOnce(&mut Vec<u8>)) {
        self.packet.clear();
        message(&mut self.packet, field::PACKET, |out| {
            fill(out);
            number_field(out, field::SEQUENCE_ID, SEQUENCE);
            number_field(out, field::SEQUENCE_FLAGS, flags);
        });
        self.file.write(&self.packet);
    }

    /// Describes a track. Tracks with the same parent are in order of rank.
    pub fn track(&mut self, parent: Option<Track>, rank: u32, name: &str, kind: TrackKind) -> Track {
        self.tracks += 1;
        let uuid = self.tracks;
        self.write(NEEDS_STATE, |out| {
            message(out, field::TRACK_DESCRIPTOR, |out| {
                number_field(out, field::TRACK_UUID, uuid);
                text_field(out, field::TRACK_NAME, name);
                if let Some(parent) = parent {
                    number_field(out, field::TRACK_PARENT, parent.0);
                }
                match kind {
                    TrackKind::Group => number_field(out, field::CHILD_ORDERING, BY_RANK),
                    TrackKind::Slices => {}
                    TrackKind::Counter => message(out, field::TRACK_COUNTER, |out| {
                        number_field(out, field::COUNTER_UNIT, UNIT_COUNT);
                    }),
                }
                number_field(out, field::SIBLING_RANK, u64::from(rank));
            });
        });
        Track(uuid)
    }

    /// Writes a name for slices and instants. Writing a name again returns another number.
    pub fn intern_name(&mut self, name: &str) -> InternedText {
        self.names += 1;
        let id = self.names;
        self.intern(field::NAMES, id, name)
    }

    /// Writes a text for arguments.
    pub fn argument_text(&mut self, value: &str) -> InternedText {
        self.texts += 1;
        let id = self.texts;
        self.intern(field::ARGUMENT_TEXTS, id, value)
    }

    fn intern(&mut self, table: u32, id: u64, value: &str) -> InternedText {
        self.write(NEEDS_STATE, |out| {
            message(out, field::INTERNED_DATA, |out| interned(out, table, id, value));
        });
        InternedText(id)
    }

    /// A slice begins.
    pub fn begin(&mut self, at: Time, track: Track, event: &TrackEvent<'_>) {
        self.event(at, track, SLICE_BEGIN, |out| describe(out, event));
    }

    /// The innermost open slice of the track ends. The given arguments are added to the slice.
    pub fn end(&mut self, at: Time, track: Track, arguments: Arguments<'_>) {
        self.event(at, track, SLICE_END, |out| tell(out, arguments));
    }

    /// Writes an event without duration.
    pub fn write_instant(&mut self, at: Time, track: Track, event: &TrackEvent<'_>) {
        self.event(at, track, INSTANT, |out| describe(out, event));
    }

    /// A counter shows another value.
    pub fn write_counter(&mut self, at: Time, track: Track, value: u64) {
        self.event(at, track, COUNTER, |out| number_field(out, field::EVENT_VALUE, value));
    }

    fn event(&mut self, at: Time, track: Track, kind: u64, fill: impl FnOnce(&mut Vec<u8>)) {
        self.write(NEEDS_STATE, |out| {
            number_field(out, field::TIMESTAMP, at.ticks() / TICKS_PER_NS);
            message(out, field::TRACK_EVENT, |out| {
                number_field(out, field::EVENT_TYPE, kind);
                number_field(out, field::EVENT_TRACK, track.0);
                fill(out);
            });
        });
    }

    /// Whether the file is shorter than its greatest length.
    pub fn has_room(&mut self) -> bool {
        self.file.has_room(0)
    }

    /// Whether a write has failed.
    pub fn failed(&self) -> bool {
        self.file.failed()
    }

    /// Writes all remaining bytes, and returns the file.
    pub fn into_file(mut self) -> OutputFile {
        self.file.flush();
        self.file
    }
}

fn interned(out: &mut Vec<u8>, table: u32, id: u64, value: &str) {
    message(out, table, |out| {
        number_field(out, field::INTERNED_ID, id);
        text_field(out, field::INTERNED_TEXT, value);
    });
}

fn describe(out: &mut Vec<u8>, event: &TrackEvent<'_>) {
    number_field(out, field::EVENT_CATEGORY, event.category as u64 + 1);
    number_field(out, field::EVENT_NAME, event.name.0);
    if let Some(flow) = event.flow {
        fixed64_field(out, field::EVENT_FLOW, flow);
    }
    tell(out, event.arguments);
}

fn tell(out: &mut Vec<u8>, arguments: Arguments<'_>) {
    for &(key, value) in arguments {
        message(out, field::EVENT_ARGUMENT, |out| {
            number_field(out, field::ARGUMENT_NAME, key as u64 + 1);
            match value {
                ArgumentValue::Number(value) => number_field(out, field::ARGUMENT_NUMBER, value),
                ArgumentValue::Yes => number_field(out, field::ARGUMENT_FLAG, 1),
                ArgumentValue::Text(name) => number_field(out, field::ARGUMENT_TEXT, name.0),
            }
        });
    }
}

#[cfg(test)]
mod tests;
