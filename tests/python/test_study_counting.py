"""An axis that sets nothing, and counts through a list of the summary."""

from __future__ import annotations

from pathlib import Path

import pytest

from sansim import ScenarioError
from sansim.study.read import read_study
from sansim.study.session import run_studies

STUDY = '''
scenario = """
[run]
measured_ios = 30
warm_up = 0
[loop]
kind = "arbitrated-loop"
speed = "1GFC"
stations = ["host", "disks"]
[host]
kind = "host"
[disks]
kind = "drives"
count = 3
access_time = "1 ms"
transfer_rate = "10 MB/s"
[load]
kind = "closed"
from = "host"
to = "disks"
size = "1 KiB"
ios_per_pass = 5
"""

[axes.drive]
keys = []
from = 0
to = 2
step = 1

[metrics.done]
value = "passes.load.finished_s.{drive}"

[metrics.spread]
of = "done"
along = "drive"
take = "span"
'''


def test_each_value_of_the_axis_gets_its_place_in_the_list(tmp_path: Path) -> None:
    file = tmp_path / "drives.toml"
    file.write_text(STUDY)
    outcome = run_studies([read_study(file)], out=tmp_path / "results")[0]
    frame = outcome.frame().filter(outcome.frame()["metric"] == "done")
    done = frame["value"].to_list()
    assert len(done) == 3
    assert len(set(done)) == 3, "each drive is done at a time of its own"
    assert all(0.005 < seconds < 0.02 for seconds in done), done
    assert len(list((tmp_path / "results" / "points").rglob("*.json"))) == 1, "it is one run"


def test_a_name_in_braces_that_is_no_axis_is_reported(tmp_path: Path) -> None:
    file = tmp_path / "drives.toml"
    file.write_text(STUDY.replace("{drive}", "{disk}"))
    with pytest.raises(ScenarioError, match="there is no axis `disk` that counts") as wrong:
        read_study(file)
    assert "`drive`" in str(wrong.value), "the axis that there is"
