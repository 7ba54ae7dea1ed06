"""Colours of the report: the same for a component everywhere, and to be told apart by everyone, in both modes."""

from __future__ import annotations

import itertools
import re
import tomllib
from pathlib import Path
from typing import Any

import polars as pl
import pytest

import sansim
from colour_vision import DEFICIENCIES, contrast, difference, seen
from conftest import SMALL
from sansim import _core
from sansim.components import Graph
from sansim.html_report import read
from sansim.html_report.charts.hosts import colours_of
from sansim.html_report.contents import sections
from sansim.html_report.dark import INK, PAPER, for_dark, variables, with_variables
from sansim.html_report.files import render
from sansim.html_report.looks import Looks, looks_of, looks_of_graph
from sansim.html_report.style import SERIES, svg_file
from test_html_report_support import full_folder

SCENARIOS = Path(__file__).resolve().parents[2] / "scenarios"


def test_a_component_that_only_the_second_run_has_leaves_the_colours_of_the_others(tmp_path: Path) -> None:
    text = SMALL.read_text(encoding="utf-8")
    full_folder(tmp_path / "one")
    # The other system has its components in another order, and one more host.
    tables = tomllib.loads(text)
    other = {name: tables[name] for name in reversed(tables)}
    sansim.run(other).save(tmp_path / "two")
    both = looks_of(read([tmp_path / "one", tmp_path / "two"]))
    first = looks_of(read([tmp_path / "one"]))
    for name in first.components:
        assert both.of(name) == first.of(name)


def test_a_part_has_the_colour_of_its_component_and_dashes_of_its_own() -> None:
    looks = Looks({"left": ["left.switches.core", "left.switches.edge"], "right": []})
    whole, core, edge = (looks.of(name) for name in ("left", "left.switches.core[1]", "left.switches.edge"))
    assert whole.colour == core.colour == edge.colour != looks.of("right").colour
    assert len({str(look.dashes) for look in (whole, core, edge)}) == 3
    assert looks.of("left[4]") == whole


def test_forty_components_look_different_from_each_other() -> None:
    looks = Looks({f"part{number}": [] for number in range(40)})
    found = {(look.colour, str(look.dashes), look.marker) for look in map(looks.of, looks.components)}
    assert len(found) == 40
    # A marker that no line shows would tell nothing.
    assert all(looks.of(f"part{number}").line(150)["marker"] for number in range(8, 40))


@pytest.mark.parametrize("deficiency", DEFICIENCIES)
@pytest.mark.parametrize("dark", [False, True], ids=["light", "dark"])
def test_no_two_colours_of_components_look_alike_to_anyone(deficiency: str, dark: bool) -> None:
    colours = [for_dark(colour) if dark else colour for colour in SERIES]
    pairs = itertools.combinations([seen(colour, deficiency) for colour in colours], 2)
    # The greens and pinks of Okabe and Ito are 0.075 apart to people with deuteranopia.
    assert min(difference(one, other) for one, other in pairs) > 0.07


def test_colours_stand_out_from_dark_paper() -> None:
    paper = for_dark(PAPER)
    assert contrast(for_dark(INK), paper) > 12
    # WCAG 2.1, 1.4.11: graphics have a contrast of 3 at least.
    assert all(contrast(for_dark(colour), paper) > 3 for colour in SERIES)
    # The lines of a grid are seen, and less than what is drawn on them.
    assert 1.1 < contrast(for_dark("#e3e3e3"), paper) < 2


def test_every_colour_of_a_page_has_a_value_in_both_modes(tmp_path: Path) -> None:
    full_folder(tmp_path / "run")
    runs = read([tmp_path / "run"])
    page = render(runs, sections(runs))
    assert not re.search(r'(fill|stroke)(: |=")#', page)
    used = set(re.findall(r"var\((--c-[0-9a-f]{6})\)", page))
    assert len(used) > 10
    style = page[: page.index("</style>")]
    dark = style[style.index("@media screen and (prefers-color-scheme: dark)") :]
    for name in used:
        assert f"{name}:#{name[4:]};" in style
        assert f"{name}:{for_dark(f'#{name[4:]}')};" in dark


def test_a_chart_in_a_file_of_its_own_keeps_its_colours(tmp_path: Path) -> None:
    full_folder(tmp_path / "run")
    charts = [chart for section in sections(read([tmp_path / "run"])) for chart in section.charts]
    assert charts
    for chart in charts:
        assert b"var(" not in svg_file(chart)


def test_only_colours_become_variables() -> None:
    svg = '<path style="fill: #0072B2; stroke: none" clip-path="url(#abc123)"/><text fill="#222222">#123456</text>'
    assert with_variables(svg) == (
        '<path style="fill: var(--c-0072b2); stroke: none" clip-path="url(#abc123)"/>'
        '<text fill="var(--c-222222)">#123456</text>'
    )
    assert "--c-0072b2:#0072b2;" in variables(with_variables(svg))


@pytest.mark.parametrize("name", ["dual-fabric", "raid-5-cache", "nvme-tcp", "grid"])
def test_a_graph_has_the_colours_of_the_report_of_a_run(name: str) -> None:
    scenario = SCENARIOS / f"{name}.toml"
    short: dict[str, Any] = {"run.duration": "1 ms", "run.warm_up": "0 s"}
    if "measured_ios" in scenario.read_text(encoding="utf-8"):
        short = {"run.measured_ios": 20, "run.warm_up": 0}
    result = _summary(scenario, short)
    whole = Graph.of(_core.Scenario.load(scenario, []))
    drawn = looks_of_graph(whole)
    names = list(dict.fromkeys(part.partition(".")[0] for part in result))
    assert list(drawn.components) == names


def _summary(scenario: Path, overrides: dict[str, Any]) -> dict[str, object]:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        components: dict[str, object] = sansim.run(scenario, overrides).summary["components"]
    return components


def test_hosts_of_a_group_have_tones_of_its_colour_and_other_hosts_their_own() -> None:
    looks = Looks({"hosts": [], "archive": []})
    colours = colours_of(["hosts[0]", "hosts[1]", "hosts[2]", "archive"], looks)
    assert len(set(colours)) == 4
    assert colours[0] == looks.of("hosts").colour.lower() and colours[3] == looks.of("archive").colour.lower()


def test_the_bars_of_devices_have_the_colours_of_the_lines_over_time(tmp_path: Path) -> None:
    full_folder(tmp_path / "run")
    runs = read([tmp_path / "run"])
    colour = looks_of(runs).of("drives").colour.lower()
    found = {chart.name: chart for section in sections(runs) for chart in section.charts}
    for name in ("drives", "utilisation", "queues", "tenancies", "graph", "topology"):
        assert colour in svg_file(found[name]).decode().lower(), name


def test_samples_of_a_group_within_a_group_are_of_one_part(tmp_path: Path) -> None:
    full_folder(tmp_path / "run")
    (run,) = read([tmp_path / "run"])
    rows = pl.DataFrame(
        {
            "at_ns": [1e6, 1e6],
            "component": ["drives[0].adapters.left", "drives[2].adapters.left"],
            "quantity": ["credit", "credit"],
            "value": [1.0, 3.0],
        }
    )
    from dataclasses import replace

    from sansim.html_report.samples import bands

    run = replace(run, samples=rows.with_columns(at_ns=pl.lit(run.interval[0] + 1.0)))
    (band,) = bands(run, ["credit"])
    assert (band.component, band.low, band.high) == ("drives.adapters.left", [1.0], [3.0])
