"""Reads Perfetto traces with the protobuf runtime, as strictly as the tests need it.

The messages are put together here from Perfetto's documented field numbers: the reader shares nothing with the writer.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from google.protobuf import descriptor_pb2, descriptor_pool, message_factory

MESSAGES: dict[str, dict[str, tuple[int, str]]] = {
    "Trace": {"packet": (1, "*TracePacket")},
    "TracePacket": {
        "timestamp": (8, "uint64"),
        "trusted_packet_sequence_id": (10, "uint32"),
        "track_event": (11, "TrackEvent"),
        "interned_data": (12, "InternedData"),
        "sequence_flags": (13, "uint32"),
        "timestamp_clock_id": (58, "uint32"),
        "trace_packet_defaults": (59, "TracePacketDefaults"),
        "track_descriptor": (60, "TrackDescriptor"),
    },
    "TracePacketDefaults": {"timestamp_clock_id": (58, "uint32")},
    "TrackDescriptor": {
        "uuid": (1, "uint64"),
        "name": (2, "string"),
        "parent_uuid": (5, "uint64"),
        "counter": (8, "CounterDescriptor"),
        "child_ordering": (11, "int32"),
        "sibling_order_rank": (12, "int32"),
    },
    "CounterDescriptor": {"unit": (3, "int32")},
    "TrackEvent": {
        "category_iids": (3, "*uint64"),
        "debug_annotations": (4, "*DebugAnnotation"),
        "type": (9, "int32"),
        "name_iid": (10, "uint64"),
        "track_uuid": (11, "uint64"),
        "counter_value": (30, "int64"),
        "flow_ids": (47, "*fixed64"),
    },
    "DebugAnnotation": {
        "name_iid": (1, "uint64"),
        "bool_value": (2, "bool"),
        "uint_value": (3, "uint64"),
        "string_value_iid": (17, "uint64"),
    },
    "InternedData": {
        "event_categories": (1, "*Interned"),
        "event_names": (2, "*Interned"),
        "debug_annotation_names": (3, "*Interned"),
        "debug_annotation_string_values": (29, "*Interned"),
    },
    "Interned": {"iid": (1, "uint64"), "name": (2, "string")},
}
BEGIN, END, INSTANT, COUNTER = 1, 2, 3, 4
BOOTTIME = 6
EXPLICIT = 3
CLEARED, NEEDS_STATE = 1, 2


def trace_class() -> Any:
    """The class of the message `Trace`."""
    kinds = descriptor_pb2.FieldDescriptorProto
    file = descriptor_pb2.FileDescriptorProto(name="trace.proto", package="t", syntax="proto2")
    for message, fields in MESSAGES.items():
        described = file.message_type.add(name=message)
        for name, (number, kind) in fields.items():
            added = described.field.add(name=name, number=number)
            added.label = kinds.LABEL_REPEATED if kind.startswith("*") else kinds.LABEL_OPTIONAL
            kind = kind.removeprefix("*")
            if kind in MESSAGES:
                added.type, added.type_name = kinds.TYPE_MESSAGE, f".t.{kind}"
            else:
                added.type = kinds.Type.Value(f"TYPE_{kind.upper()}")
    pool = descriptor_pool.DescriptorPool()
    pool.Add(file)
    return message_factory.GetMessageClass(pool.FindMessageTypeByName("t.Trace"))


@dataclass
class Track:
    """A track and what is on it."""

    name: str
    parent: Track | None
    rank: int
    is_counter: bool
    is_group: bool
    slices: list[Slice] = field(default_factory=list)
    instants: list[tuple[int, str]] = field(default_factory=list)
    values: list[tuple[int, int]] = field(default_factory=list)
    open: list[Slice] = field(default_factory=list)
    last: int = 0

    @property
    def path(self) -> str:
        """Names from below the root to here."""
        return self.name if self.parent is None or self.parent.parent is None else f"{self.parent.path} > {self.name}"


@dataclass
class Slice:
    """A slice: times in nanoseconds."""

    track: Track
    name: str
    category: str
    begin: int
    depth: int
    parent: Slice | None
    flows: list[int]
    arguments: dict[str, int | str | bool]
    end: int = -1

    @property
    def length(self) -> int:
        """Its length in nanoseconds."""
        return self.end - self.begin


class Timeline:
    """A trace that was found to be valid: everything is described before it is used, and every slice ends."""

    def __init__(self, data: bytes) -> None:
        trace = trace_class().FromString(data)
        # Nothing is lost without the fields that are not in the list, so there are none.
        trace.DiscardUnknownFields()
        assert trace.ByteSize() == len(data)
        self.tracks: dict[int, Track] = {}
        self.texts: dict[str, dict[int, str]] = {name: {} for name in MESSAGES["InternedData"]}
        self.packets = len(trace.packet)
        for number, packet in enumerate(trace.packet):
            assert packet.trusted_packet_sequence_id == 1
            assert packet.sequence_flags == (NEEDS_STATE if number else CLEARED)
            assert packet.HasField("trace_packet_defaults") is (number == 0)
            assert not packet.HasField("timestamp_clock_id")
            self.intern(packet.interned_data)
            if packet.HasField("track_descriptor"):
                self.describe(packet.track_descriptor)
            if packet.HasField("track_event"):
                self.event(packet.timestamp, packet.track_event)
        assert trace.packet[0].trace_packet_defaults.timestamp_clock_id == BOOTTIME
        for track in self.tracks.values():
            assert track.open == [], f"{track.path}: slices that do not end"

    def intern(self, data: Any) -> None:
        """Takes up texts; a number is given once."""
        for name, texts in self.texts.items():
            for text in getattr(data, name):
                assert text.iid > 0
                assert text.iid not in texts
                texts[text.iid] = text.name

    def describe(self, track: Any) -> None:
        """Takes up a track; its parent is there, and no two siblings have a name or a rank."""
        assert track.uuid > 0
        assert track.uuid not in self.tracks
        parent = self.tracks[track.parent_uuid] if track.HasField("parent_uuid") else None
        assert (parent is None) is (not self.tracks), "there is one root"
        assert parent is None or parent.is_group
        for other in self.tracks.values():
            if other.parent is parent:
                assert (other.name, other.rank) != (track.name, track.sibling_order_rank)
                assert other.name != track.name
                assert other.rank != track.sibling_order_rank
        self.tracks[track.uuid] = Track(
            name=track.name,
            parent=parent,
            rank=track.sibling_order_rank,
            is_counter=track.HasField("counter"),
            is_group=track.child_ordering == EXPLICIT,
        )

    def event(self, at: int, event: Any) -> None:
        """Takes up an event; on a track time does not go back."""
        track = self.tracks[event.track_uuid]
        assert not track.is_group
        assert track.is_counter is (event.type == COUNTER)
        assert track.last <= at, f"{track.path}: {at} after {track.last}"
        track.last = at
        if event.type == COUNTER:
            track.values.append((at, event.counter_value))
        elif event.type == INSTANT:
            track.instants.append((at, self.texts["event_names"][event.name_iid]))
        elif event.type == BEGIN:
            (category,) = event.category_iids
            begun = Slice(
                track=track,
                name=self.texts["event_names"][event.name_iid],
                category=self.texts["event_categories"][category],
                begin=at,
                depth=len(track.open),
                parent=track.open[-1] if track.open else None,
                flows=list(event.flow_ids),
                arguments=self.arguments(event),
            )
            track.slices.append(begun)
            track.open.append(begun)
        else:
            assert event.type == END
            assert track.open, f"{track.path}: an end without a beginning at {at}"
            ended = track.open.pop()
            ended.end = at
            ended.arguments |= self.arguments(event)

    def arguments(self, event: Any) -> dict[str, int | str | bool]:
        """Arguments by name."""
        found: dict[str, int | str | bool] = {}
        for argument in event.debug_annotations:
            name = self.texts["debug_annotation_names"][argument.name_iid]
            assert name not in found
            if argument.HasField("bool_value"):
                found[name] = argument.bool_value
            elif argument.HasField("string_value_iid"):
                found[name] = self.texts["debug_annotation_string_values"][argument.string_value_iid]
            else:
                assert argument.HasField("uint_value")
                found[name] = argument.uint_value
        return found

    def slices(self, category: str) -> Iterator[Slice]:
        """All slices of a category."""
        return (s for track in self.tracks.values() for s in track.slices if s.category == category)

    def track(self, path: str) -> Track:
        """The track of a path such as `drives[0] > port`."""
        (found,) = (track for track in self.tracks.values() if track.path == path)
        return found


def read(path: Path) -> Timeline:
    """Reads a trace."""
    return Timeline(path.read_bytes())
