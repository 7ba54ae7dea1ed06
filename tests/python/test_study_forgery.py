"""Whatever is done to stored results and notes of failures: no table has anything of it, and a run makes all good."""

from __future__ import annotations

import json
import shutil
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from sansim.study import session
from sansim.study.jobs.execute import unfinished
from sansim.study.jobs.job import Job, run_job
from sansim.study.jobs.seal import seal_of, sealed
from sansim.study.jobs.store import Store
from sansim.study.model import Study
from sansim.study.products import write_tables
from sansim.study.read import read_study
from sansim.study.session import Outcome, look, run_studies
from shares import examples, tried
from study_jobs import contents, some_jobs
from study_support import STUDY, write

WATCHED = """
[metrics.won]
trace = { from = "controller => ARBITRATING", to = "controller OPN" }
unit = "ns"

[[expected]]
metric = "won"
rows = [{ id = "X-2", at = { size = "4 KiB", schedule = "NORM" }, value = 357 }]

[set]
"run.measured_ios" = 20
"""
"""Times off a trace, which are stored too; and runs that take milliseconds."""


class Ran:
    """A study that was run, with all that came of it."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.study: Study = read_study(write(folder, STUDY + WATCHED))
        self.store = Store(folder / "results")
        self.tables = tables(self.run(), folder)
        self.files = contents(self.store)
        self.keys = self.unlike([Path(name).stem for name in self.files])

    def unlike(self, keys: list[str]) -> list[str]:
        """The keys, the first two of results that differ in what was found: under two schedules it may be the same."""

        def found(key: str) -> object:
            return json.loads(self.store.place(key).read_bytes())["summary"]

        first, *others = keys
        second = next(key for key in others if found(key) != found(first))
        return [first, second, *(key for key in others if key != second)]

    def run(self) -> Outcome:
        """Runs what the store does not have."""
        (outcome,) = run_studies([self.study])
        return outcome

    def has(self, key: str) -> bool:
        """Whether a result is taken for one."""
        return self.store.has(key)

    def seen(self) -> dict[str, bytes]:
        """The tables of what the store has, without running anything."""
        return tables(look(self.study), self.folder)

    def without(self, key: str) -> dict[str, bytes]:
        """The tables when the store lacks a result."""
        self.store.place(key).unlink()
        return self.seen()

    def restored(self) -> bool:
        """Whether a run brings everything back as it was, byte for byte."""
        return tables(self.run(), self.folder) == self.tables and contents(self.store) == self.files


def tables(outcome: Outcome, folder: Path) -> dict[str, bytes]:
    """The files of tables, which say all there is to see of a study."""
    return {file.name: file.read_bytes() for file in write_tables(outcome, folder / "tables")}


@pytest.fixture(scope="module")
def ran(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Ran]:
    """The study, whose jobs are run in this process."""

    def execute(jobs: list[Job], store: Store, *_: object) -> dict[str, str]:
        for job in unfinished(jobs, store)[1]:
            store.write(job.key, run_job(job))
        return {}

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(session, "execute", execute)
        yield Ran(tmp_path_factory.mktemp("ran"))


@pytest.fixture(autouse=True)
def whole(ran: Ran) -> None:
    """Each test begins with the store as it was."""
    shutil.rmtree(ran.store.root)
    for name, content in ran.files.items():
        file = ran.store.root / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)


def test_the_study_of_these_tests_shows_what_is_stored(ran: Ran) -> None:
    assert len(ran.keys) == 6
    assert ran.seen() == ran.tables
    assert b"377.0" in ran.tables["results.csv"]
    gone = ran.without(ran.keys[0])
    assert {name for name in gone if gone[name] == ran.tables[name]} <= {"verdicts.csv"}
    assert ran.restored()


# ---------------------------------------------------------------- one file


def edited(content: bytes, change: Callable[[dict[str, object]], object]) -> bytes:
    """A file with its fields changed by hand, in the spelling of the store."""
    fields = json.loads(content)
    change(fields)
    return json.dumps(fields, sort_keys=True, separators=(",", ":")).encode() + b"\n"


def another(field: str) -> Callable[[bytes, bytes], bytes]:
    """A file that has one field of another's."""
    return lambda content, other: edited(content, lambda fields: fields.update({field: json.loads(other)[field]}))


def next_digit(content: bytes, behind: bytes) -> bytes:
    """The file with the first digit changed that stands behind some text."""
    place = next(n for n in range(content.index(behind) + len(behind), len(content)) if content[n : n + 1].isdigit())
    return content[:place] + str((int(content[place : place + 1]) + 1) % 10).encode() + content[place + 1 :]


DAMAGE: dict[str, Callable[[bytes, bytes], bytes]] = {
    "empty": lambda _content, _other: b"",
    "zeros": lambda content, _: b"\0" * len(content),
    "no text": lambda content, _: b"\xff\xfe" + content,
    "begins late": lambda content, _: b" " + content,
    "ends late": lambda content, _: content + b"\n",
    "twice": lambda content, _: content + content,
    "a digit of the checksum": lambda content, _: next_digit(content, b'"checksum":'),
    "a digit of the key": lambda content, _: next_digit(content, b'"key":'),
    "a digit of a figure": lambda content, _: next_digit(content, b'"bytes_per_second":'),
    "a digit of the last figure": lambda content, _: next_digit(content, content[-120:-90]),
    "a digit of a time": lambda content, _: next_digit(content, b'"won":'),
    "a digit of the version": lambda content, _: next_digit(content, b'"version":'),
    "the summary of another": another("summary"),
    "the times of another": lambda content, _: edited(content, lambda fields: fields.update(traces={"won": 1.0})),
    "the checksum of another": another("checksum"),
    "copied": lambda _, other: other,
    "copied, and the key mended": lambda content, other: another("key")(other, content),
    "no checksum": lambda content, _: edited(content, lambda fields: fields.pop("checksum")),
    "an empty checksum": lambda content, _: edited(content, lambda fields: fields.update(checksum="")),
    "no checksum is true": lambda content, _: edited(content, lambda fields: fields.update(checksum=True)),
    "a field more": lambda content, _: edited(content, lambda fields: fields.update(zeal=1)),
    "a field less": lambda content, _: edited(content, lambda fields: fields.pop("traces")),
    "other spaces": lambda content, _: json.dumps(json.loads(content), indent=1).encode(),
    "other order": lambda content, _: json.dumps(dict(reversed(json.loads(content).items()))).encode(),
    "a list": lambda *_: b"[]\n",
    "nothing": lambda *_: b"null\n",
    "a number": lambda *_: b"1\n",
    "an object": lambda *_: b"{}\n",
    "brackets": lambda *_: b"[" * 10**5,
    "the note of a failure": lambda content, _: sealed({"key": json.loads(content)["key"], "message": "too big"}),
}


@pytest.mark.parametrize("damage", DAMAGE.values(), ids=DAMAGE)
def test_a_damaged_result_is_missing_and_run_again(ran: Ran, damage: Callable[[bytes, bytes], bytes]) -> None:
    key, other = ran.keys[:2]
    place = ran.store.place(key)
    before = place.read_bytes()
    place.write_bytes(damage(before, ran.store.place(other).read_bytes()))
    assert place.read_bytes() != before
    assert not ran.has(key)
    with pytest.raises(KeyError):
        ran.store.read(key)
    seen = ran.seen()
    assert seen == ran.without(key)
    place.write_bytes(damage(before, ran.store.place(other).read_bytes()))
    assert ran.restored()


def test_a_result_that_was_cut_short_anywhere_is_missing(ran: Ran) -> None:
    key = ran.keys[0]
    place = ran.store.place(key)
    content = place.read_bytes()
    # Where a line or all of it seems to end lengths are always tried.
    ends = {0, 1, len(content) - 2, len(content) - 1}
    for length in sorted(ends | set(tried(range(len(content)), 500, "cut short"))):
        place.write_bytes(content[:length])
        assert not ran.has(key), f"{length} of {len(content)} bytes pass"
    assert ran.restored()


def test_a_result_with_any_byte_changed_is_missing(ran: Ran) -> None:
    key = ran.keys[0]
    place = ran.store.place(key)
    content = place.read_bytes()
    passed = []
    for at in tried(range(len(content)), 500, "changed"):
        # Another digit, the other case of a letter, another character of any kind.
        for bits in (0x01, 0x20, 0x80):
            place.write_bytes(content[:at] + bytes([content[at] ^ bits]) + content[at + 1 :])
            if ran.has(key):
                passed.append((at, bits))
    assert passed == []
    assert ran.restored()


@pytest.mark.parametrize("rest", [b"{", b"{]\n", b'{"key":' * 10**5, b'{"key":"\xff"}', b'{"key":NaN}\n', b"{}\n"])
def test_a_seal_alone_makes_no_result(ran: Ran, rest: bytes) -> None:
    key = ran.keys[0]
    ran.store.place(key).write_bytes(seal_of(rest) + rest[1:])
    assert not ran.has(key)
    ran.store.record(key, "too big")
    (ran.store.failed / f"{key}.json").write_bytes(seal_of(rest) + rest[1:])
    assert ran.store.failure(key) is None
    assert ran.restored()


def test_a_result_has_all_its_fields_and_no_others(ran: Ran) -> None:
    key = ran.keys[0]
    fields = ran.store.read(key)
    ran.store.write(key, sealed(fields))
    assert ran.has(key)
    for wrong in (fields | {"zeal": 1}, {name: fields[name] for name in ("key", "summary", "version")}):
        ran.store.write(key, sealed(wrong))
        assert not ran.has(key)
    assert ran.restored()


@given(st.data())
@settings(max_examples=examples(100), deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_a_byte_changed_anywhere_changes_no_table(ran: Ran, data: st.DataObject) -> None:
    key = data.draw(st.sampled_from(ran.keys))
    place = ran.store.place(key)
    content = place.read_bytes()
    at = data.draw(st.integers(0, len(content) - 1))
    byte = data.draw(st.integers(0, 255).filter(lambda value: value != content[at]))
    place.write_bytes(content[:at] + bytes([byte]) + content[at + 1 :])
    seen = ran.seen()
    assert seen != ran.tables
    assert seen == ran.without(key)
    assert ran.restored()


# ---------------------------------------------------------------- several files


@pytest.mark.parametrize("mended", [False, True])
def test_results_that_exchanged_their_names_are_run_again(ran: Ran, *, mended: bool) -> None:
    first, second = (ran.store.place(key) for key in ran.keys[:2])
    one, other = first.read_bytes(), second.read_bytes()
    assert one != other
    first.write_bytes(another("key")(other, one) if mended else other)
    second.write_bytes(another("key")(one, other) if mended else one)
    assert [ran.has(key) for key in ran.keys[:3]] == [False, False, True]
    assert ran.restored()


def test_results_that_were_moved_round_are_all_run_again(ran: Ran) -> None:
    before = [ran.store.place(key).read_bytes() for key in ran.keys]
    for key, content in zip(ran.keys, [*before[1:], before[0]], strict=True):
        ran.store.place(key).write_bytes(content)
    assert not any(map(ran.has, ran.keys))
    assert look(ran.study).missing == 6
    assert ran.restored()


def test_what_is_written_of_a_study_is_never_read(ran: Ran) -> None:
    for file in (ran.folder / "tables").iterdir():
        file.write_bytes(file.read_bytes().replace(b"5", b"6"))
    assert ran.seen() == ran.tables


# ---------------------------------------------------------------- notes of failures


def test_a_note_of_a_failure_that_was_damaged_claims_nothing(tmp_path: Path) -> None:
    store, (job, other) = Store(tmp_path), some_jobs(2)
    for each, message in ((job, "no room at 17"), (other, "too big")):
        store.record(each.key, message)
    note, strange = (store.failed / f"{each.key}.json" for each in (job, other))
    content = note.read_bytes()
    assert store.failure(job.key) == "no room at 17"
    for length in range(len(content)):
        note.write_bytes(content[:length])
        assert store.failure(job.key) is None
    for at in range(len(content)):
        note.write_bytes(content[:at] + bytes([content[at] ^ 1]) + content[at + 1 :])
        assert store.failure(job.key) is None
    for forged in (
        strange.read_bytes(),
        another("message")(content, strange.read_bytes()),
        another("key")(strange.read_bytes(), content),
        edited(content, lambda fields: fields.pop("checksum")),
        edited(content, lambda fields: fields.pop("message")),
        b"",
        b"{}",
        b"[]",
        run_job(job),
    ):
        note.write_bytes(forged)
        assert store.failure(job.key) is None
    assert store.failure(other.key) == "too big"
    note.write_bytes(content)
    assert store.failure(job.key) == "no room at 17"


def test_a_note_of_a_failure_hides_no_result_and_no_run(ran: Ran) -> None:
    key = ran.keys[0]
    ran.store.record(key, "too big")
    found = look(ran.study)
    assert (found.failures, found.missing) == ({}, 0)
    assert ran.seen() == ran.tables
    # A note that is what was written tells why a run is missing; it does not keep it from being tried again.
    ran.store.place(key).unlink()
    found = look(ran.study)
    assert (found.failures, found.missing) == ({key: "too big"}, 1)
    note = ran.store.failed / f"{key}.json"
    note.write_bytes(note.read_bytes().replace(b"too big", b"too dig"))
    found = look(ran.study)
    assert (found.failures, found.missing) == ({}, 1)
    assert ran.restored()
