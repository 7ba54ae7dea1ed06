"""What the figures of a result are: unit, label, meaning. The native part declares them; nobody guesses from a name."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache

from sansim import _core

NO_NUMBERS = frozenset({"word", "flag"})
"""What a figure is measured in that is no number."""


@cache
def figure(path: str) -> _core.Figure | None:
    """The figure at a path of the summary, whatever the names in it are; None if no scenario has it."""
    return _core.figure(path)


def label_of(path: str) -> str:
    """What people call a figure; its path if nobody knows it."""
    found = figure(path)
    return path if found is None else found.label


@cache
def labels_of_kind(kind: str) -> Mapping[str, str]:
    """What the figures of a kind of component are called, by their names; nothing for a kind that is not known."""
    return {found.path.rpartition(".")[2]: found.label for found in _core.figures() if found.kind == kind}


# ---------------------------------------------------------------- segments


@dataclass(frozen=True)
class Segment:
    """A segment of the time ledger."""

    name: str
    label: str
    meaning: str
    waits: bool
    """Whether an I/O waits in it. If not, something works for it."""

    @property
    def column(self) -> str:
        """Its column in the table of I/Os."""
        return f"{self.name}_ns"


@cache
def segments() -> Mapping[str, Segment]:
    """The segments of the ledger by name, in the order in which a read meets them.

    The one place that says where they come from: names and whether an I/O waits from the native part, the words for
    people from `IN_WORDS`.
    """
    found = {}
    for name, waits in _core.segments():
        label, meaning = IN_WORDS.get(name, ("", ""))
        found[name] = Segment(name, label or name.replace("_", " "), meaning, waits)
    return found


def is_segment(path: str) -> bool:
    """Whether a figure of the summary is the time in a segment of the ledger."""
    return path.startswith("ledger_ns.") and figure(path) is not None


IN_WORDS = {
    "host_queue": ("", "in the driver's queue: outstanding limit reached, or an earlier request being set up"),
    "driver_arrival": ("", "arrival process of the driver"),
    "message_queue": ("bus message queue", "waiting behind other messages or interrupts"),
    "message": ("bus messages", "message over the bus to the adapter, or interrupt from it"),
    "command_limit": (
        "adapter's command limit",
        "waiting in the adapter, because as many commands are in execution as it takes",
    ),
    "processor_queue": ("", "waiting for the main processor of an adapter, whatever for"),
    "command_execution": ("", "main processor of an adapter: a command"),
    "outgoing_buffer": (
        "outgoing buffers full",
        "waiting for room among the outgoing frame buffers, so that the next data can be fetched",
    ),
    "dma_queue": ("DMA queue", "waiting for the DMA, behind other requests"),
    "dma": ("DMA", "DMA scheduler and transfer"),
    "port_queue": ("", "queue of a port: behind other frames, in the gap after one, or until enough have come"),
    "access_window": ("access window", "waiting for the access window of the fairness algorithm"),
    "loop": ("waiting for loop", "waiting for the loop: arbitration, or another circuit to end"),
    "credit": ("waiting for credit", "waiting for credit: OPN or R_RDY on its way, no buffer free"),
    "circuit_held": (
        "circuit held",
        "waiting for the next frame from memory, in a circuit that is held open for it",
    ),
    "wire": ("on the wire", "frame on the wire: from its first word at the sender to its last at the receiver"),
    "frame_process_queue": (
        "incoming frame queue",
        "waiting for the incoming frame process, behind other received frames",
    ),
    "frame_process": ("incoming frames", "incoming frame process"),
    "single_frame_queue": ("", "waiting for the single frame transfer"),
    "single_frame": ("single frames", "single frame transfer"),
    "drive_queue": ("", "waiting in the drive for other commands"),
    "media_queue": (
        "waiting for medium",
        "waiting for the medium of a drive with a cache to take data that were written before",
    ),
    "access": ("seek and rotation", "seek and rotation"),
    "media_transfer": ("", "transfer from or to the medium"),
    "transfer_ready": ("XFER_RDY handling", "handling of FCP_XFER_RDY by the initiator"),
    "response": ("response handling", "generation of FCP_RSP"),
    "completion_queue": ("", "waiting for the completion process of the driver"),
    "driver_completion": ("", "completion process of the driver"),
}
"""Label and meaning of each segment; without a label it is called by its name."""
