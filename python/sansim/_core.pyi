"""The native part of sansim (crates/python). Use the `sansim` package."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, Final, Self, TypeAlias, final

from typing_extensions import override

__all__ = [
    "DICTIONARY",
    "FORMAT",
    "HEAD_BYTES",
    "Block",
    "ClockError",
    "Code",
    "Column",
    "ComponentError",
    "ConservationError",
    "Document",
    "Figure",
    "FileError",
    "Kind",
    "Outcome",
    "Preset",
    "Problem",
    "Progress",
    "Quantity",
    "RuleError",
    "Scenario",
    "ScenarioError",
    "Segment",
    "Setting",
    "SpilledRows",
    "StudyKey",
    "Table",
    "TraceFileError",
    "View",
    "WrittenFile",
    "__version__",
    "analyse_designs",
    "cache_hits",
    "confine",
    "decisions_json",
    "figure",
    "figures",
    "fio_streams",
    "is_kind",
    "kinds",
    "migrate",
    "model_fingerprint",
    "nearest",
    "presets",
    "quantities",
    "read_text",
    "reference_text",
    "schema_json",
    "segments",
    "split_quantity",
    "study_reference_text",
    "study_schema_json",
    "study_tables",
    "time_ticks",
    "trace_convert",
    "trace_fit",
    "trace_formats",
    "trace_info",
    "unit_factors",
    "units_meant",
]

HEAD_BYTES: int
"""So many bytes of a file are enough to tell its kind."""

__version__: str
FORMAT: Final[int]
DICTIONARY: str

class ScenarioError(ValueError):
    """A scenario that cannot be run. Its text lists every problem; `problems` holds them one by one."""

    problems: list[Problem]

@final
class Problem:
    """One problem of a scenario."""

    @property
    def code(self) -> str:
        """Stable code of the kind of problem, as `E0201`."""
    @property
    def line(self) -> int | None:
        """Line in the file, from 1; None for a problem of the file as a whole, of an override or of a dictionary."""
    @property
    def column(self) -> int | None:
        """Column in the line, from 1; None where `line` is."""
    @property
    def width(self) -> int | None:
        """Number of characters of the place, at least 1; None where `line` is."""
    @property
    def key(self) -> str:
        """Path of the key, as `workload.size`; empty for the file as a whole."""
    @property
    def message(self) -> str:
        """The problem and its cause."""
    @property
    def label(self) -> str:
        """A few words that stand beside the place, as "needs a size"; may be empty."""
    @property
    def help(self) -> str | None:
        """A remedy, when that is known."""

class FileError(OSError):
    """A file of a run cannot be written. An earlier file of that name is as it was."""

class TraceFileError(ValueError):
    """A file that cannot be read as a trace, or not to its end, or a trace that cannot be written in this format."""

class ClockError(RuntimeError):
    """A run does not end within simulated time, or time does not advance. It has no result and leaves no file."""

class ComponentError(RuntimeError):
    """A component could not go on, as a workload whose trace has a broken line. There is no result and no file."""

class ConservationError(RuntimeError):
    """A run lost something, or did something twice: an error of sansim. It has no result and leaves no file."""

@final
class WrittenFile:
    """A file that was written while a run went on."""

    @property
    def kind(self) -> str:
        """Its kind: `trace`, `capture`, `timeline`, `playback`."""
    @property
    def path(self) -> Path:
        """Where it is. A run that was stopped early leaves a file of another name, ending in `.partial`."""
    @property
    def bytes(self) -> int:
        """Its length."""
    @property
    def limited(self) -> bool:
        """It ends before the run does, since it must not be longer."""
    @property
    def counts(self) -> dict[str, int]:
        """Counters of the writer, by name."""

@final
class Progress:
    """How far a run is."""

    @property
    def simulated_s(self) -> float:
        """Simulated time, seconds."""
    @property
    def wall_s(self) -> float:
        """Wall time since the run began, seconds."""
    @property
    def ios(self) -> int:
        """I/Os done, including the warm-up."""
    @property
    def total_ios(self) -> int:
        """I/Os the run will take, including the warm-up; by the pace so far where simulated times decide."""
    @property
    def open_end(self) -> bool:
        """Whether more may be needed until the precision that was asked for is reached."""
    @property
    def pass_number(self) -> int:
        """The number of this run, from 1: the slowest I/Os are found by a run of their own."""
    @property
    def passes(self) -> int:
        """How many runs are made."""
    @property
    def preparing(self) -> str | None:
        """The preparation before simulated time begins, while it lasts: filling of drives, functional warm-up."""
    @property
    def prepared(self) -> float:
        """The share of it that is done."""
    @property
    def preparing_s(self) -> float:
        """Wall time of that, seconds; of all of it when it is done."""

@final
class Table:
    """Columns that every library with the Arrow PyCapsule interface reads in place."""

    @property
    def columns(self) -> list[str]:
        """Names of the columns, in order."""
    def __len__(self) -> int: ...
    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object: ...

@final
class SpilledRows:
    """A file of rows that a run left, read one batch at a time."""

    def __new__(cls, file: str | PathLike[str]) -> SpilledRows:
        """Opens it; raises OSError if it cannot be read."""
    def __len__(self) -> int:
        """How many batches there are."""
    def batch(self, number: int) -> Table:
        """The rows of a batch; none beyond the last. Raises OSError if the file cannot be read."""

@final
class Outcome:
    """The outcome of a run."""

    @property
    def summary_json(self) -> str:
        """The deterministic part of the result, as JSON text."""
    @property
    def run_json(self) -> str:
        """Facts of this very run, as JSON text."""
    @property
    def ios(self) -> Table:
        """One row per measured I/O; empty if not collected."""
    @property
    def tenancies(self) -> Table:
        """One row per tenancy of the loop; empty if not collected."""
    @property
    def paths(self) -> Table:
        """One row per stay of a chosen I/O in a segment; empty if not collected."""
    @property
    def samples(self) -> Table:
        """One row per sample and quantity; empty if not collected."""
    @property
    def decisions(self) -> Table:
        """One row per candidate of each decision of a rule of the user; empty if not recorded."""
    @property
    def decisions_cut(self) -> bool:
        """Whether decisions are missing at the end, because there were too many."""
    @property
    def rows_lost(self) -> tuple[int | None, str] | None:
        """Why the files lack rows that were to go there: the number of the error, if it has one, and its words."""
    @property
    def files(self) -> list[WrittenFile]:
        """The files that were written while the run went on."""
    @property
    def interrupted(self) -> bool:
        """Ctrl-C ended the run before its time."""

@final
class Scenario:
    """A checked scenario with all its defaults filled in."""

    @staticmethod
    def load(path: str | PathLike[str], overrides: list[tuple[str, str]], given_by: str = ...) -> Scenario:
        """Reads a file; `given_by` is what messages call the place of the overrides; raises ScenarioError."""
    @staticmethod
    def parse(
        text: str,
        name: str,
        overrides: list[tuple[str, str]],
        given_by: str = ...,
        folder: str | PathLike[str] = ...,
    ) -> Scenario:
        """Reads a text; `name` is what messages call it, `folder` where its files are; raises ScenarioError."""
    def settings(self) -> list[Setting]:
        """Every key of the resolved scenario in its order, those that only follow another one included."""
    def seed(self) -> int:
        """The seed of all random streams."""
    def word_time_ns(self, network: str | None = None) -> float:
        """The time of a transmission word on a network, ns; of the only one if none is named, else ValueError."""
    def ports(self, network: str | None = None) -> list[str]:
        """The names of the ports in the order of the loops, or of one, as traces, captures and tables call them."""
    def figures(self) -> list[Figure]:
        """The figures that the summary of a run has; some may have no value, as an interval of too few I/Os."""
    def frames(self) -> float | None:
        """About how many frames a run sends, a measure of its work; None if a simulated time decides."""
    def to_toml(self) -> str:
        """The resolved scenario as TOML."""
    def references(self) -> list[tuple[str, int | None, str, str]]:
        """Where components name others: key, index in a list of names, name, relation."""
    def graph_json(self) -> str:
        """The components, ports and links of the scenario, as JSON text: components, links, networks, stations."""
    def analyse(self) -> str:
        """The results of the analytic model for the scenario, as JSON text."""
    def warnings(self) -> list[str]:
        """Warnings about permitted but suspicious values, a line each."""
    def run(self, wishes: Mapping[str, object], progress: Callable[[Progress], object] | None = None) -> Outcome:
        """Simulates; the interpreter lock is free meanwhile. `sansim.simulate.run_scenario` makes `wishes`."""

@final
class Setting:
    """A key of a resolved scenario."""

    @property
    def key(self) -> str:
        """The dotted path of the key, as `workload.size`."""
    @property
    def value(self) -> object:
        """The value that counts, as plain data. A quantity is a text with its unit, as `64 KiB`."""
    @property
    def follows(self) -> str | None:
        """The source that the value follows, in words; None if it follows none, written or by default."""
    @property
    def words(self) -> list[str]:
        """The words that may stand for the value; empty where it is no word."""

def model_fingerprint() -> str:
    """A fingerprint of the sources that results depend on: 16 hexadecimal digits, the same for the same sources."""

def reference_text() -> str:
    """The reference page of scenario files, in Markdown."""

def migrate(text: str, name: str) -> tuple[str, list[str]]:
    """The text of a scenario, a study or a plan in the present format, and the changes; raises ScenarioError."""

def schema_json() -> str:
    """The JSON Schema of a scenario file, as JSON text."""

_Item: TypeAlias = tuple[str, object, int, int]
"""A value of a document: kind, content, first byte, one past the last."""

_Member: TypeAlias = tuple[str, int, int, _Item]
"""A key of a table of a document: key, first byte, one past the last, value."""

@final
class Document:
    """A TOML file that remembers where everything was written."""

    @staticmethod
    def load(path: str | PathLike[str]) -> Document:
        """Reads a file; raises ScenarioError."""
    @staticmethod
    def parse(text: str, name: str) -> Document:
        """Reads a text; `name` is the name of the file in messages; raises ScenarioError."""
    def root(self) -> list[_Member]:
        """The keys of the top level."""
    def error(self, findings: list[tuple[str, tuple[int, int] | None, str, str, str, str | None]]) -> ScenarioError:
        """The exception that reports findings: code, range of bytes, key, message, label, help."""

@final
class Code:
    """The codes of all problems of scenarios and studies, by name, as `E0102`."""

    UNREADABLE: Final[str]
    DIRECTORY: Final[str]
    NOT_UTF8: Final[str]
    EMPTY: Final[str]
    TOO_LARGE: Final[str]
    SYNTAX: Final[str]
    UNKNOWN_KEY: Final[str]
    DUPLICATE_KEY: Final[str]
    MISSING_KEY: Final[str]
    UNKNOWN_KIND: Final[str]
    NOT_A_TABLE: Final[str]
    BAD_NAME: Final[str]
    REMOVED_KEY: Final[str]
    NEWER_FORMAT: Final[str]
    BAD_OVERRIDE: Final[str]
    MISSING_UNIT: Final[str]
    WRONG_UNIT: Final[str]
    UNKNOWN_UNIT: Final[str]
    OUT_OF_RANGE: Final[str]
    UNKNOWN_WORD: Final[str]
    BAD_VALUE: Final[str]
    WRONG_TYPE: Final[str]
    BAD_AL_PA: Final[str]
    DUPLICATE_AL_PA: Final[str]
    TOO_MANY_PORTS: Final[str]
    SPEED_NOT_ON_LOOP: Final[str]
    CONTRADICTION: Final[str]
    ON_NO_LOOP: Final[str]
    NAMED_TWICE: Final[str]
    UNKNOWN_NAME: Final[str]
    NOT_BUILT: Final[str]
    PORT_TWICE: Final[str]
    TWO_OWNERS: Final[str]
    ROUND_IN_A_RING: Final[str]
    TOO_MANY_PARTS: Final[str]
    NO_WAY: Final[str]
    NOT_POSSIBLE: Final[str]
    TEMPLATE_IN_ITSELF: Final[str]
    OTHER_FILE: Final[str]
    OUTSIDE_FOLDER: Final[str]
    INCOMPLETE: Final[str]
    UNKNOWN_AXIS: Final[str]
    EMPTY_AXIS: Final[str]
    NOT_MEASURED: Final[str]
    ZIP_LENGTHS: Final[str]
    BAD_POINT: Final[str]
    BAD_FORMULA: Final[str]
    BAD_CHECK: Final[str]
    NO_SUCH_FIGURE: Final[str]

@final
class StudyKey:
    """A key of a table of a study file."""

    @property
    def name(self) -> str:
        """Its name."""
    @property
    def required(self) -> str | None:
        """If it is required: an example of its value, as TOML. It is empty for tables with keys of their own."""
    @property
    def default(self) -> str | None:
        """Its default, as TOML, if that is always the same."""
    @property
    def words(self) -> list[str]:
        """The words that may stand there; none where it is no word."""
    @property
    def is_table(self) -> bool:
        """Whether it is a table, or has tables."""

def study_tables() -> dict[str, list[StudyKey]]:
    """The tables of a study file: the keys of each by its path, as `axes.NAME.cases`; that of the file is empty."""

def study_schema_json() -> str:
    """The JSON Schema of a study file, as JSON text."""

def study_reference_text() -> str:
    """The reference page of study files, in Markdown."""

def analyse_designs(
    bases: Sequence[tuple[str, str, str | PathLike[str]]],
    choices: Sequence[Sequence[Sequence[tuple[str, str]]]],
    designs: Sequence[tuple[int, Sequence[int]]],
    percentile: float | None = None,
) -> str:
    """Works out designs, as JSON text: scenarios (text, name, folder) with an option of each choice on top."""

def read_text(path: str | PathLike[str]) -> str:
    """The text of a file that may be a scenario or a study; raises ScenarioError."""

def is_kind(word: str, head: bytes) -> bool:
    """Whether a file that begins so is a `trace`, a `capture`, a `timeline` or a `playback` of sansim."""

class RuleError(ComponentError):
    """A rule of the user failed, and ended the run. There is no result and no file."""

@final
class Column:
    """A feature of all candidates of a decision: a sequence of whole numbers, which cannot be changed."""

    def __len__(self) -> int: ...
    def __getitem__(self, index: int, /) -> int: ...
    def __iter__(self) -> Iterator[int]: ...
    def index_of_least(self) -> int:
        """The index of the least value, of equal ones the first."""

@final
class Block:
    """The answer of a rule that names a block, whether or not it is among the candidates of the view."""

    def __new__(cls, number: int) -> Self: ...
    @property
    def number(self) -> int:
        """The number of the block."""

@final
class View:
    """What a rule sees of a decision.

    Features of the decision are whole numbers, features of the candidates are columns, and `len` is the number of
    candidates. A view is valid only during the decision.
    """

    def __len__(self) -> int: ...
    @override
    def __getattribute__(self, name: str, /) -> Any: ...

def decisions_json() -> str:
    """All decisions for which scenarios name rules, as JSON."""

def nearest(word: str, known: list[str]) -> str | None:
    """The known word nearest to a word, if one is near enough to be what was meant."""

def confine(folders: list[str | PathLike[str]]) -> None:
    """From now on this process reads only named files in these folders; raises OSError if one does not exist."""

def units_meant(unit: str) -> list[str] | None:
    """Our units of the same magnitude as another; None if there is no such unit, empty if we have none."""

def time_ticks(text: str) -> int:
    """A time as `2.5 ms` in ticks; raises ValueError, which says what is wrong and what could stand there."""

def fio_streams(text: str, engine: str) -> list[tuple[str, int, str, bool]]:
    """For each stream of a fio job file its name, its depth, its engine, and whether that waits for each I/O."""

def split_quantity(text: str) -> tuple[float, str] | None:
    """`64 KiB` as 64 and `KiB`, whatever the unit is; None if it is not a number with something behind it."""

def unit_factors() -> list[tuple[str, str, float]]:
    """Every unit: name, what it measures, how much of the base unit (ns, bytes, bytes/s, m, ns/m, one) it is."""

@final
class Figure:
    """A figure of the summary."""

    @property
    def path(self) -> str:
        """Its dotted path, as `response_time_ns.mean`."""
    @property
    def unit(self) -> str:
        """Its unit: `ns`, `s`, `B`, `B/s`, `IOPS`; or what it is: `share`, `count`, `number`, `word`, `flag`."""
    @property
    def label(self) -> str:
        """Its label for people."""
    @property
    def meaning(self) -> str:
        """Its meaning, in a line."""
    @property
    def several(self) -> bool:
        """Whether there are several of it, numbered from 0 behind the path."""

def figure(path: str) -> Figure | None:
    """The figure at a path of the summary, whatever the names in it are; None if no scenario has it."""

def figures() -> list[Figure]:
    """The figures of any scenario, with `*` for the names of components, places, workloads, hosts and devices."""

@final
class Preset:
    """A word for a published drive."""

    @property
    def kind(self) -> str:
        """The kind that has it, as `disks`."""
    @property
    def key(self) -> str:
        """The key that it is written as."""
    @property
    def word(self) -> str:
        """The word."""
    @property
    def meaning(self) -> str:
        """Its meaning."""
    @property
    def source(self) -> str:
        """Where that was published."""

def presets() -> list[Preset]:
    """All published drives, in the order of their kinds."""

@final
class Segment:
    """A segment of the time ledger, at whatever place."""

    @property
    def name(self) -> str:
        """Its name in results."""
    @property
    def label(self) -> str:
        """Its label for people."""
    @property
    def meaning(self) -> str:
        """The state of an I/O there, in a line."""
    @property
    def waits(self) -> bool:
        """Whether an I/O waits in it. If not, something works for it."""
    @property
    def colour(self) -> str | None:
        """Its colour in charts, as `#56B4E9`; None where any will do."""

@final
class Kind:
    """A kind of component."""

    @property
    def word(self) -> str:
        """The word for it, as `arbitrated-loop`."""
    @property
    def one(self) -> str:
        """The noun for one of it, or of its members."""
    @property
    def several(self) -> str:
        """The noun for several."""
    @property
    def is_host(self) -> bool:
        """Whether requests go through it."""
    @property
    def colour(self) -> str:
        """Its colour in charts, as `#332288`."""
    @property
    def shape(self) -> str:
        """Its mark in charts: `square`, `circle` or `diamond`."""
    @property
    def drawn(self) -> str | None:
        """How a network is drawn: `ring`, `places` or `box`; None of what is no network."""
    @property
    def second(self) -> str | None:
        """The noun for a second network like it, where one beside it is worth a try; None elsewhere."""

def kinds() -> list[Kind]:
    """Every kind of component, in the order of the registry."""

@final
class Quantity:
    """Something that is sampled."""

    @property
    def name(self) -> str:
        """Its name in the table of samples."""
    @property
    def unit(self) -> str:
        """`share` of the time since the sample before, or `count`."""
    @property
    def label(self) -> str:
        """Its label for people."""
    @property
    def meaning(self) -> str:
        """Its meaning, in a line."""

def segments() -> list[Segment]:
    """The segments of the time ledger, each name once."""

def quantities() -> list[Quantity]:
    """The sampled quantities of components, each name once: first counts, then shares of the time."""

def cache_hits(policy: str, capacity_blocks: int, addresses: Sequence[int]) -> int:
    """How often addresses hit a cache of so many blocks that holds nothing at first.

    Each address is one block; one that is not held comes in, and another one goes if there is no room. The policy is
    a word as in scenarios ("lru", "arc", ...), with its keys as they are by default; or a rule of your own, in braces
    as in a scenario; or "belady": the optimum, which knows the future.

    Raises:
        RuleError: A rule of your own fails.
    """

def trace_formats() -> list[tuple[str, str, bool]]:
    """The formats of traces: word, what it is, whether it can be written."""

def trace_info(
    file: Path, reading: Mapping[str, object], callback: Callable[[int, float | None], object] | None
) -> str:
    """Information about a trace, as JSON text."""

def trace_convert(
    file: Path,
    reading: Mapping[str, object],
    to: Path,
    name: str,
    word: str,
    gzip: bool,
    callback: Callable[[int, float | None], object] | None,
) -> tuple[int, int, list[str]]:
    """Appends a trace to a file in the format of a word; messages call the file `name`.

    Gives back how many requests were read, how many were written, and what was lost, a sentence for each.
    """

def trace_fit(
    file: Path,
    reading: Mapping[str, object],
    as_one: bool,
    callback: Callable[[int, float | None], object] | None,
) -> tuple[str, str]:
    """A synthetic workload like a trace, all volumes as one if so wanted.

    Gives back the scenario, and how far it is from the trace as JSON text.
    """
