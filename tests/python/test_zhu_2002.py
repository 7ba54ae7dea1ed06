"""The tier model against the simulation over the operating range of a system of six tiers."""

from __future__ import annotations

from pathlib import Path

import pytest

from zhu_2002 import beside, table, written

RESPONSE, THROUGHPUT, POINTS = 0.15, 0.05, 5.0
"""Issue of the analytic model: by which shares, and by how many points of utilisation, it may be off."""


@pytest.mark.long
def test_the_table_of_the_study_is_what_comes_out(tmp_path: Path) -> None:
    assert table(tmp_path) == written()


@pytest.mark.long
def test_inside_its_domain_the_model_is_near_over_the_whole_range(tmp_path: Path) -> None:
    inside = [one for one in beside(tmp_path) if not one.analysis["outside"]]
    assert len(inside) >= 8
    near = [one for one in inside if abs(one.response) <= RESPONSE and abs(one.throughput) <= THROUGHPUT]
    assert len(near) >= 0.9 * len(inside)
    for one in inside:
        for place in ("disks", "loop"):
            assert one.use(place) == pytest.approx(one.simulated[place], abs=POINTS)


def test_the_table_has_every_point() -> None:
    assert written().count("\n") == 2 + 5 * 2
