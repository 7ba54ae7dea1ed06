"""sansim simulates storage networks, from the application's request to the drive and back.

>>> import sansim
>>> result = sansim.run("scenarios/wang-2005-base.toml", {"workload.size": "64 KiB"})
>>> print(result.report())
>>> result.summary["iops"]
>>> result.ledger  # where the time went, a polars table
>>> result.ios  # one row per I/O, a polars table
>>> outcome = sansim.run_study("studies/wang-2005/table-6.5.toml")
>>> outcome.frame()  # one row per point and metric, a polars table
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from sansim._core import (
        ClockError,
        ComponentError,
        ConservationError,
        FileError,
        Problem,
        Progress,
        RuleError,
        ScenarioError,
        TraceFileError,
        WrittenFile,
        __version__,
    )
    from sansim.adapter.fit import adapter_fit
    from sansim.api import (
        Overrides,
        OverrideValue,
        ScenarioWarning,
        calibrate,
        check,
        compare,
        explain,
        graph,
        plan,
        resolve,
        run,
        run_study,
        schema,
    )
    from sansim.arguments import ArgumentError
    from sansim.bundled import example
    from sansim.drive.fit import drive_fit
    from sansim.file_types import OtherKindError
    from sansim.io_trace import trace_convert, trace_fit, trace_info
    from sansim.result import Result
    from sansim.runs.recorders import Capture, Playback, Timeline, Trace, Trigger, Window
    from sansim.simulate import Interrupted
    from sansim.studio_page.player import play
    from sansim.tables import MissingPackageError, Table

__all__ = [
    "ArgumentError",
    "Capture",
    "ClockError",
    "ComponentError",
    "ConservationError",
    "FileError",
    "Interrupted",
    "MissingPackageError",
    "OtherKindError",
    "OverrideValue",
    "Overrides",
    "Playback",
    "Problem",
    "Progress",
    "Result",
    "RuleError",
    "ScenarioError",
    "ScenarioWarning",
    "Table",
    "Timeline",
    "Trace",
    "TraceFileError",
    "Trigger",
    "Window",
    "WrittenFile",
    "__version__",
    "adapter_fit",
    "calibrate",
    "check",
    "compare",
    "drive_fit",
    "example",
    "explain",
    "graph",
    "plan",
    "play",
    "resolve",
    "run",
    "run_study",
    "schema",
    "trace_convert",
    "trace_fit",
    "trace_info",
]

HOMES = {
    "sansim._core": (
        "ClockError",
        "ComponentError",
        "ConservationError",
        "FileError",
        "Problem",
        "Progress",
        "RuleError",
        "ScenarioError",
        "TraceFileError",
        "WrittenFile",
        "__version__",
    ),
    "sansim.api": (
        "Overrides",
        "OverrideValue",
        "ScenarioWarning",
        "calibrate",
        "check",
        "compare",
        "explain",
        "graph",
        "plan",
        "resolve",
        "run",
        "run_study",
        "schema",
    ),
    "sansim.adapter.fit": ("adapter_fit",),
    "sansim.drive.fit": ("drive_fit",),
    "sansim.io_trace": ("trace_convert", "trace_fit", "trace_info"),
    "sansim.file_types": ("OtherKindError",),
    "sansim.result": ("Result",),
    "sansim.arguments": ("ArgumentError",),
    "sansim.bundled": ("example",),
    "sansim.simulate": ("Interrupted",),
    "sansim.studio_page.player": ("play",),
    "sansim.tables": ("MissingPackageError", "Table"),
    "sansim.runs.recorders": ("Capture", "Playback", "Timeline", "Trace", "Trigger", "Window"),
}
"""The modules in which the public names are. Each is imported when one of its names is asked for."""


def __getattr__(name: str) -> Any:
    """A public name, from its module."""
    for module, names in HOMES.items():
        if name in names:
            value = getattr(import_module(module), name)
            globals()[name] = value
            return value
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    """The public names, imported or not."""
    return sorted({*globals(), *__all__})
