#!/usr/bin/env python3
"""All benchmarks: `python3 bench/run.py [--quick] [--only SECTION]`. Standard library only.

Builds and installs what it needs below the repository's ignored `target/` folder, measures, and prints tables. What
counts are ratios between programs measured side by side: each round runs every program once in a new random order, a
ratio is formed within the round, and the table shows the median over the rounds. Keep the machine otherwise idle.

A section is a function that takes the `Bench` and prints its tables; to add one, write it in a module of its own and
list it in `SECTIONS`.
"""

import argparse

from drives import drives
from ethernet import ethernet
from fabric import fabric
from harness import Bench
from instructions import instructions
from kernel import kernel
from plans import plans
from rules import rules
from studies import studies
from studio import studio
from system import system
from watching import watching
from wheel import wheel

SECTIONS = {
    "kernel": kernel,
    "system": system,
    "instructions": instructions,
    "watching": watching,
    "drives": drives,
    "fabric": fabric,
    "ethernet": ethernet,
    "rules": rules,
    "studies": studies,
    "plans": plans,
    "studio": studio,
    "wheel": wheel,
}


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds: a minute, with more noise")
    parser.add_argument("--only", choices=SECTIONS, action="append", help="only this section (may be repeated)")
    arguments = parser.parse_args()
    bench = Bench(arguments.quick)
    for name, section in SECTIONS.items():
        if not arguments.only or name in arguments.only:
            section(bench)


if __name__ == "__main__":
    main()
