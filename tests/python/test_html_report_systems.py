"""The worked arrays and enclosures as pages: each has a picture of the system and of where time goes in it."""

from __future__ import annotations

import math
from pathlib import Path as File
from typing import Any
from xml.etree import ElementTree

import pytest

import sansim
from sansim import _core
from sansim.components import Graph
from sansim.html_report.charts.ledger import bars, visible
from sansim.html_report.contents import sections
from sansim.html_report.drawing import Path, Text
from sansim.html_report.folder import read
from sansim.html_report.graph import draw
from sansim.html_report.style import svg_file

# What is simulated here ends before some events of these scenarios.
pytestmark = [pytest.mark.slow, pytest.mark.filterwarnings("ignore:the event .* changes nothing")]

SCENARIOS = File(__file__).parents[2] / "scenarios"
SYSTEMS: dict[str, tuple[dict[str, Any], set[str]]] = {
    "raid-5-cache": (
        {
            "run.duration": "3 s",
            "run.warm_up": "100 ms",
            "run.functional_warm_up": "none",
            "cache.write.mode": "through",
            "second-load.read_fraction": 0.0,
        },
        {"disks.seek", "disks.rotation", "disks.drive_queue"},
    ),
    "mbod-30": ({"run.duration": "1 s", "run.warm_up": "100 ms"}, {"disks.access"}),
    "sbod-30": ({"run.duration": "1 s", "run.warm_up": "100 ms"}, {"disks.access"}),
    "grid": ({"run.duration": "1 s", "run.warm_up": "100 ms"}, {"array-1-1.drive_queue", "array-1-1.access"}),
    "flash-array": ({"run.duration": "300 ms", "run.warm_up": "50 ms"}, {"controller.resources.host_command"}),
}
"""Of each what is changed so that it is short, and some of the segments in which its time goes."""


@pytest.mark.parametrize("name", SYSTEMS)
def test_a_page_shows_the_system_and_where_its_time_goes(name: str, tmp_path: File) -> None:
    overrides, segments = SYSTEMS[name]
    scenario = SCENARIOS / f"{name}.toml"
    result = sansim.run(scenario, overrides)
    result.save(tmp_path / "run")
    runs = read([tmp_path / "run"])
    found = {section.name: section for section in sections(runs)}

    # The system: a box for each component, with its name, and a frame around each controller with its modules.
    charts = {chart.name: chart for chart in found["topology"].charts}
    whole = Graph.of(_core.Scenario.load(scenario, []))
    picture = draw(whole)
    told = " ".join(shape.text for shape in picture.shapes if isinstance(shape, Text))
    assert all(one.name in told for one in whole.components)
    boxes = [shape for shape in picture.shapes if isinstance(shape, Path) and shape.closed]
    frames = {one.within for one in whole.components if one.within}
    assert len(boxes) == len(whole.components) + len(frames)
    assert b"<svg" in svg_file(charts["graph"])

    # Where time goes: it adds up, and what it is to name is seen in the chart.
    rows = bars(runs)
    mean = result.summary["response_time_ns"]["mean"]
    assert math.isclose(sum(rows[0][1].values()), mean, rel_tol=1e-9)
    shown = visible(rows, list(runs[0].lines))
    assert segments <= set(shown), shown
    (ledger,) = found["ledger"].charts
    drawing = ElementTree.fromstring(svg_file(ledger))
    assert len(list(drawing.iter("{http://www.w3.org/2000/svg}path"))) > 2 * len(shown)
