"""The tables of a run folder: a line about the rows of each, and the meaning and unit of each column.

`sansim query RUN` lists these texts, and `sansim.table_reference` makes a page of them. The columns `PLACE.SEGMENT_ns`
of `ios` are not here: their meanings are those of the segments in the catalogue.
"""

from __future__ import annotations

ABOUT = {
    "ios": "one row per measured I/O",
    "tenancies": "one row per tenancy of a loop in the measured interval",
    "paths": "one row per dwell of an I/O in a segment, for the 20 slowest I/Os and about 100 others",
    "samples": "one row per sample and quantity, warm-up included",
    "summary": "one row per value of summary.json",
    "scenario": "one row per value of the resolved scenario",
}
"""A row of each table."""

RUN_MEANING = "name of the run folder"
"""The column `run`, which every table has if several folders are given."""

MEANING = {
    "ios": {
        "io": "number of the I/O in order of issue, from 0",
        "workload": "name of the workload, as in summary.workloads",
        "stream": "name of its stream, as in summary.workloads.NAME.streams; empty if the workload has one stream",
        "host": "name of the host that issued the I/O, as in summary.hosts",
        "slot": "position among the outstanding I/Os of a closed stream, from 0; always 0 in an open stream",
        "drive": "number of the device's station among all stations of the system, from 0",
        "station": "name of that station, as in the other tables: drives[3]",
        "device": "name of the addressed device, as in summary.devices",
        "operation": "read, write, flush or deallocate",
        "write": "true for a write, false for a read; null for a flush or a deallocation",
        "failed": "true if the I/O could not be carried out, for example because its device had failed",
        "lba": "first logical block on the device",
        "bytes": "bytes that were read, written or deallocated",
        "issued_ns": "simulated time at which the application issued the I/O; in an open stream, when it was due",
        "completed_ns": "simulated time at which the application received the completion",
        "response_time_ns": "time from issue to completion: the sum of the columns PLACE.SEGMENT_ns",
    },
    "tenancies": {
        "tenancy": "number of the tenancy, in order of time",
        "loop": "name of the loop",
        "station": "station that owned the loop, as controller or drives[3]",
        "arbitration_began_ns": "simulated time at which the station began to arbitrate",
        "won_ns": "simulated time at which the station won the arbitration",
        "ended_ns": "simulated time at which the station released the loop",
        "circuits": "circuits that the station opened (OPNs sent)",
        "peer": "first station that it opened; empty if it opened none",
        "frames_out": "frames that the owner sent",
        "frames_in": "frames that the owner received",
        "bytes_out": "payload of the data frames that the owner sent",
        "bytes_in": "payload of the data frames that the owner received",
    },
    "paths": {
        "io": "number of the I/O, as in ios",
        "place": "component, or part of one, where the I/O was; all members of a group are one place",
        "segment": "segment of the time ledger; PLACE.SEGMENT_ns is its column in ios",
        "entered_ns": "simulated time at which the I/O entered the segment",
        "left_ns": "simulated time at which the I/O left the segment",
    },
    "samples": {
        "at_ns": "simulated time of the sample",
        "component": "sampled component or station, as loop or drives[3]",
        "quantity": "sampled quantity; `sansim schema --tables` explains each",
        "value": "number at that time, or share of the time since the previous sample",
    },
    "summary": {
        "key": "path of the key, as components.drives.utilisation",
        "value": "the value as text",
        "number": "the value as a number; NULL if it is not a number",
    },
    "scenario": {
        "key": "path of the key, as workload.size or loop.stations[0]",
        "value": "the value as text, with its unit",
        "number": "the value as a number; NULL if it is not a number or has a unit",
    },
}
"""The meaning of each column, in one line."""

UNITS = {
    "lba": "blocks",
    "bytes": "B",
    "bytes_in": "B",
    "bytes_out": "B",
    "frames_in": "frames",
    "frames_out": "frames",
}
"""The units that do not follow from the name of the column."""


def unit_of(column: str) -> str:
    """The unit of a column; empty if it has none."""
    return "ns" if column.endswith("_ns") else UNITS.get(column, "")
