#!/usr/bin/env python3
"""Mutants of the crates that everything rests on: small changes of the code that the tests of the crate should notice.

    bench/mutants.py --sample 10 --minutes 60 kernel request fc fcp drives

Places are drawn from the code without its tests, comments and texts: an operator becomes another, a truth value its
opposite, a condition is turned round, a call whose value nobody takes is left out. Of each crate as many are drawn as
is said. One after the other is put into a copy of the checkout, and the tests of that crate alone are run. A mutant is

* killed: a test fails, or the tests take many times as long as without it;
* not built: the compiler refuses it, so it says nothing;
* survived: all tests pass. Either a test is missing, or it changes nothing that anybody can see.

The checkout itself is not touched. What survived is printed as a line of the file before and after.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import re
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
CRATES = ("kernel", "request", "fc", "fcp", "drives", "arrays", "controllers", "metadata")
COPIED = ("Cargo.toml", "Cargo.lock", "crates", "scenarios", "fuzz", "bench")
SWAPS = (
    (" < ", " <= "),
    (" <= ", " < "),
    (" > ", " >= "),
    (" >= ", " > "),
    (" == ", " != "),
    (" != ", " == "),
    (" && ", " || "),
    (" || ", " && "),
    (" + ", " - "),
    (" - ", " + "),
    (" += ", " -= "),
    (" -= ", " += "),
    (" * ", " + "),
    (" / ", " * "),
    (".min(", ".max("),
    (".max(", ".min("),
    ("true", "false"),
    ("false", "true"),
)
"""What becomes what, as rustfmt writes it: with spaces around, so that `<` of generics is none."""
CALL = re.compile(r"^\s*(?:self|[a-z_]+)(?:\.[a-z_]+)*\.[a-z_]+\(.*\);$")
CONDITION = re.compile(r"^(\s*(?:\} else )?if )((?!let )[^{]+)( \{)$")
LEAST_SECONDS = 60
TIMES_LONGER = 5


@dataclass(frozen=True)
class Mutant:
    """A changed line."""

    crate: str
    file: str
    line: int
    before: str
    after: str


@dataclass(frozen=True)
class Outcome:
    """What became of it."""

    mutant: Mutant
    result: str
    seconds: float


def plain(line: str) -> str:
    """A line whose texts and comments are spaces, so that nothing in them is found."""
    line = re.sub(r'"(?:\\.|[^"\\])*"', lambda found: '"' + " " * (len(found.group()) - 2) + '"', line)
    return re.sub(r"//.*", lambda found: " " * len(found.group()), line)


def mutants_of(crate: str) -> Iterator[Mutant]:
    """All that there are of a crate."""
    source = ROOT / "crates" / crate / "src"
    for file in sorted(source.rglob("*.rs")):
        name = file.relative_to(ROOT).as_posix()
        if "tests" in file.relative_to(source).parts or file.stem in ("tests", "catalogue", "parameters", "bench"):
            continue
        skips = 0
        for number, line in enumerate(file.read_text(encoding="utf-8").splitlines(), 1):
            if re.match(r"#\[cfg\(test\)\]", line):
                break
            seen = plain(line)
            if skips or re.match(r"\s*(#\[|use |assert|debug_assert|const |pub const )", seen):
                # An assertion of several lines ends with its bracket.
                skips = max(skips + seen.count("(") - seen.count(")"), 0) if "assert" in seen or skips else 0
                continue
            yield from (Mutant(crate, name, number, line, after) for after in changes(line, seen))


def changes(line: str, seen: str) -> Iterator[str]:
    """What a line may become."""
    for old, new in SWAPS:
        for found in re.finditer(re.escape(old), seen):
            begin, end = found.span()
            if old.isalpha() and re.search(r"\w", seen[begin - 1 : begin] + seen[end : end + 1]):
                continue
            yield line[:begin] + new + line[end:]
    condition = CONDITION.match(seen)
    if condition is not None:
        begin, end = condition.span(2)
        yield f"{line[:begin]}!({line[begin:end]}){line[end:]}"
    if CALL.match(seen):
        yield re.sub(r"\S.*", "// left out", line)


def copy_changed(source: str, target: str) -> str:
    """Copies a file that is not there as it is. It is new then, so nothing that was built of a mutant there counts."""
    if not Path(target).is_file() or Path(source).read_bytes() != Path(target).read_bytes():
        shutil.copyfile(source, target)
    return target


def copy_to(folder: Path) -> None:
    """The checkout, without what was built."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in COPIED:
        if (ROOT / name).is_dir():
            ignored = shutil.ignore_patterns("target")
            shutil.copytree(
                ROOT / name,
                folder / name,
                symlinks=True,
                dirs_exist_ok=True,
                ignore=ignored,
                copy_function=copy_changed,
            )
        else:
            copy_changed(str(ROOT / name), str(folder / name))


def cargo(folder: Path, crate: str, arguments: list[str], limit: float | None) -> tuple[int | None, float]:
    """The exit code of the tests of a crate, None if they take too long, and how long it took."""
    begin = time.monotonic()
    env = {**os.environ, "CARGO_INCREMENTAL": "0"}
    command = ["cargo", "test", "--offline", "--quiet", "-p", f"sansim-{crate}", "--lib", "--tests", *arguments]
    process = subprocess.Popen(
        command, cwd=folder, env=env, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, start_new_session=True
    )
    try:
        code: int | None = process.wait(limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, 9)
        process.wait()
        code = None
    return code, time.monotonic() - begin


def tried(folder: Path, mutant: Mutant, limit: float) -> Outcome:
    """Builds a mutant and runs the tests of its crate."""
    place = folder / mutant.file
    whole = place.read_text(encoding="utf-8")
    lines = whole.splitlines(keepends=True)
    lines[mutant.line - 1] = mutant.after + "\n"
    begin = time.monotonic()
    try:
        place.write_text("".join(lines), encoding="utf-8")
        if cargo(folder, mutant.crate, ["--no-run"], None)[0]:
            result = "not built"
        else:
            code, _ = cargo(folder, mutant.crate, [], limit)
            result = "survived" if code == 0 else "killed"
    finally:
        place.write_text(whole, encoding="utf-8")
    return Outcome(mutant, result, time.monotonic() - begin)


def main() -> int:
    """Draws, tries and tells."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("crates", nargs="*", default=list(CRATES), help="crates of the checkout, without `sansim-`")
    parser.add_argument("--sample", type=int, default=10, help="mutants of each crate")
    parser.add_argument("--minutes", type=float, default=180, help="how long at most")
    parser.add_argument("--seed", type=int, default=1, help="which are drawn")
    parser.add_argument("--folder", type=Path, required=True, help="where the copy is, kept for the next time")
    parser.add_argument("--json", type=Path, help="a file for all outcomes")
    wishes = parser.parse_args()
    end = time.monotonic() + wishes.minutes * 60
    copy_to(wishes.folder)
    outcomes: list[Outcome] = []
    drawn = {}
    for crate in wishes.crates:
        there = list(mutants_of(crate))
        drawn[crate] = random.Random(wishes.seed).sample(there, min(wishes.sample, len(there)))
        print(f"{crate}: {len(there)} places, {len(drawn[crate])} drawn", flush=True)
    limits = {}
    # In turn, so that none is left out if time is short.
    rounds = [drawn[crate][turn] for turn in range(wishes.sample) for crate in drawn if turn < len(drawn[crate])]
    for mutant in rounds:
        if time.monotonic() > end:
            print("no more time", flush=True)
            break
        if mutant.crate not in limits:
            cargo(wishes.folder, mutant.crate, ["--no-run"], None)
            code, seconds = cargo(wishes.folder, mutant.crate, [], None)
            if code:
                print(f"{mutant.crate}: its tests fail as it is", file=sys.stderr)
                return 1
            limits[mutant.crate] = max(LEAST_SECONDS, TIMES_LONGER * seconds)
        outcome = tried(wishes.folder, mutant, limits[mutant.crate])
        outcomes.append(outcome)
        print(f"{outcome.result:9} {mutant.file}:{mutant.line} ({outcome.seconds:.0f} s)", flush=True)
        if outcome.result == "survived":
            print(f"    - {mutant.before.strip()}\n    + {mutant.after.strip()}", flush=True)
    for crate in wishes.crates:
        mine = [one.result for one in outcomes if one.mutant.crate == crate]
        counts = ", ".join(f"{mine.count(result)} {result}" for result in ("killed", "survived", "not built"))
        print(f"{crate}: {counts}")
    if wishes.json is not None:
        wishes.json.write_text(json.dumps([asdict(one) for one in outcomes], indent=2), encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
