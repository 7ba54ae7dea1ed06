"""Instructions for an I/O: what the machine executes, however busy it is, beside what it executed before and the aim.

The difference of two runs of different lengths, so that building and summing up count for nothing. Needs valgrind. As a
program it is `instructions.py PROGRAM`, with the example `watching` of `crates/simulator` built; with `--tested` that
of a test build, whose checks cost more, in shorter runs, and with `--few` only those that every commit counts. One that
is more than 3 % above what is recorded here fails, and so does one that executes anything of rules of users: no run
counted here has such a rule, so each function of `sansim-rules` takes the same in a short and a long one.
"""

import re
import shutil
import sys
import tempfile
from dataclasses import dataclass, field
from pathlib import Path

from harness import ROOT, counted_by_function, table
from watching import build

BASE = ROOT / "scenarios" / "wang-2005-base.toml"
DIRECT = ROOT / "scenarios" / "direct.toml"
EVERYTHING = ROOT / "bench" / "host-with-everything.toml"
SWITCHES = ROOT / "scenarios" / "two-hosts-one-switch.toml"
ARRAYS = {"MBOD": ROOT / "bench" / "array-mbod-30.toml", "SBOD": ROOT / "bench" / "array-sbod-30.toml"}

TOLERANCE = 1.03
RUN_OF_RULES = "rules_of_run::RulesOfRun"
"""The functions by which a run asks for the rules of users that it has."""
SHARE_OF_RULES = 0.005
"""The part of an I/O that rules of users may take where there are none (issue 60)."""


@dataclass(frozen=True)
class Run:
    """What is run, and what an I/O of it took when that was recorded."""

    scenario: Path
    # In a release, and in a test build; none where that was never counted, which is not judged then.
    recorded: int | None
    tested: int | None
    # Keys of the scenario with the values that they have instead.
    changes: dict[str, str] = field(default_factory=dict)
    # What issue 15 asked for, and what it was before; none for what it did not ask for.
    aim: int | None = None
    before: int | None = None
    # Lengths in I/Os.
    lengths: tuple[int, int] = (500, 1_500)
    # Counted at every commit, and not only before a release.
    always: bool = False


def base(size, recorded, tested, aim, before, always=False, **changes):
    """A run of the base system."""
    return Run(BASE, recorded, tested, {"size": f'"{size}"', **changes}, aim, before, always=always)


COMMAND_FIRST = {"schedule": '"command-first"'}
WRITES = {"read_fraction": "0.0"}
# No drive takes as long as before, so hardly anything comes again as it was.
UNEQUAL = {"size": '"4 KiB"', "access_time": '{ distribution = "uniform", low = "1 ms", high = "3 ms" }'}
# Releases were counted in November 2026, after mechanisms of the loop were taken out that cost more lines than
# they brought (docs/speed.md). Test builds optimise little but what runs go through all the time, and check asserts.
RUNS = {
    "4 KiB reads, fair": base("4 KiB", 37_100, 54_100, 32_000, 80_132, always=True),
    "4 KiB reads, 126 drives": base("4 KiB", 40_900, 69_100, 34_000, 80_240, count="126"),
    "64 KiB reads, fair": base("64 KiB", 97_100, 143_600, 50_000, 338_654),
    "64 KiB reads, Command-First": base("64 KiB", 99_200, 144_200, 50_000, 342_805, **COMMAND_FIRST),
    "64 KiB writes, fair": base("64 KiB", None, 195_900, 75_000, 407_174, **WRITES),
    "64 KiB writes, Command-First": base(
        "64 KiB", None, 232_800, 75_000, 385_392, always=True, **WRITES, **COMMAND_FIRST
    ),
    "4 KiB reads, drives of 1 to 3 ms": Run(BASE, 54_200, 79_600, UNEQUAL),
    "4 KiB reads, 126 drives of 1 to 3 ms": Run(BASE, 99_500, 173_800, {**UNEQUAL, "count": "126"}),
    "1 MiB reads, fair": Run(BASE, 294_400, 480_000, {"size": '"1 MiB"'}),
    "a host with everything, 4 KiB reads": Run(EVERYTHING, 48_600, 72_300),
    "a host straight on a disk": Run(DIRECT, 4_870, 6_390, lengths=(5_000, 25_000)),
    # All that a fabric may do besides is off: control messages are not favoured, nobody is slow, nobody watches.
    "two hosts and eight drives on six switches": Run(
        SWITCHES, None, 295_100, {"topology": '"core-edge"'}, lengths=(1_000, 3_000), always=True
    ),
    "array of 30 disks in an MBOD, SPC-1-like": Run(ARRAYS["MBOD"], 276_300, 159_800, lengths=(1_000, 3_000)),
    "array of 30 disks in an SBOD, SPC-1-like": Run(
        ARRAYS["SBOD"], 293_500, 160_800, lengths=(1_000, 3_000), always=True
    ),
}


def instructions(bench):
    """Instructions for an I/O, beside what is recorded."""
    if shutil.which("valgrind") is None:
        bench.say("valgrind is missing: instructions for an I/O are not counted")
        return
    bench.say("building the runs whose instructions are counted ...")
    judge(build(bench), bench.say)


def judge(program, say, tested=False, few=False):
    """Counts, prints the table, and ends with an error if anything takes more than it may."""
    rows, exceeded = [], []
    with tempfile.TemporaryDirectory() as folder:
        for name, run in RUNS.items():
            recorded = run.tested if tested else run.recorded
            if recorded is None or (few and not run.always):
                continue
            say(f"counting instructions: {name} ...")
            file = changed(run, Path(folder))
            lengths = [ios // 5 for ios in run.lengths] if tested else run.lengths
            short, long = (counted_by_function([program, file, "off", ios]) for ios in lengths)
            found = (long[0] - short[0]) / (lengths[1] - lengths[0])
            exceeded += [f"{name}: {extra}" for extra in of_rules(short[1], long[1], lengths[1] - lengths[0], found)]
            others = [] if tested else [f"{number:,}" if number else "-" for number in (run.before, run.aim)]
            rows.append([name, f"{found:,.0f}", f"{recorded:,}", f"{found / recorded:.3f}", *others])
            if found > recorded * TOLERANCE:
                exceeded.append(f"{name}: {found:,.0f} instructions for an I/O; {recorded:,} are recorded")
    heads = ["run", "found", "recorded", "/ recorded", *([] if tested else ["before trains", "aim"])]
    table("Instructions for an I/O (valgrind)", heads, rows)
    if exceeded:
        sys.exit("\n".join([*exceeded, "what is meant to cost more is recorded anew in bench/instructions.py"]))


def of_rules(short, long, ios, for_an_io):
    """What a run without rules of users executes of them, in sentences, by the functions of a short and of a long run.

    Decisions, views and expressions take nothing. The run itself asks now and then whether a rule has failed, and
    whether one is in Python; that takes a part of an I/O that is too small to be seen.
    """
    grown = {name: long[name] - short.get(name, 0) for name in long if "sansim_rules::" in name}
    asks = sum(count for name, count in grown.items() if RUN_OF_RULES in name)
    found = [
        f"`{name}` takes {count / ios:,.1f} instructions for an I/O, and there are no rules of users"
        for name, count in grown.items()
        if count > 0 and RUN_OF_RULES not in name
    ]
    if asks > ios * for_an_io * SHARE_OF_RULES:
        found.append(
            f"the run asks for rules of users with {asks / ios:,.1f} instructions for an I/O, and there are none"
        )
    return found


def changed(run, folder):
    """The scenario with other values, as a file."""
    text = run.scenario.read_text(encoding="utf-8")
    for key, value in run.changes.items():
        text, places = re.subn(rf'(?m)^{key} = ("[^"\n]*"|\S+)', f"{key} = {value}", text)
        if places != 1:
            sys.exit(f"{run.scenario.relative_to(ROOT)} says {places} times what `{key}` is, not once")
    file = folder / run.scenario.name
    file.write_text(text, encoding="utf-8")
    return file


if __name__ == "__main__":
    programs = [word for word in sys.argv[1:] if not word.startswith("--")]
    if len(programs) != 1:
        sys.exit(__doc__)
    judge(
        Path(programs[0]).resolve(),
        lambda text: print(text, file=sys.stderr, flush=True),
        tested="--tested" in sys.argv,
        few="--few" in sys.argv,
    )
