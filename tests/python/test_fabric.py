"""What is seen of a fabric: its drawing, captures inside it, lanes of its ports, samples of its links."""

from __future__ import annotations

import shutil
from collections import Counter
from pathlib import Path as File

import polars as pl
import pytest

import perfetto_reader
import sansim
from conftest import Cli
from sansim import _core
from sansim.components import Component, Graph
from sansim.html_report.contents import sections
from sansim.html_report.drawing import Dot, Drawing, Path, Text
from sansim.html_report.fabric import draw
from sansim.html_report.folder import read
from sansim.html_report.looks import Looks, looks_of_graph
from test_capture import COMMAND, DATA, PLAIN, RESPONSE, Frame, decode

SCENARIO = """
[run]
measured_ios = 40
warm_up = 0
[san]
kind = "fabric"
speed = "8GFC"
topology = "given"
stations = ["first", "second", "drives"]
switch.buffers = 4
switch.routing_delay = "200 ns"
switches.near.stations = ["first", "second"]
switches.far.stations = ["drives"]
links.between = { from = "near", to = "far", cable = "1 km" }
[first]
kind = "host"
[second]
kind = "host"
[drives]
kind = "drives"
count = 3
access_time = "100 us"
transfer_rate = "400 MB/s"
[reads]
kind = "closed"
from = "first"
to = ["drives"]
size = "16 KiB"
queue_depth = 2
[writes]
kind = "closed"
from = "second"
to = ["drives"]
size = "8 KiB"
read_fraction = 0.0
queue_depth = 1
"""


@pytest.fixture
def scenario(tmp_path: File) -> File:
    file = tmp_path / "fabric.toml"
    file.write_text(SCENARIO, encoding="utf-8")
    return file


def fabric_of(keys: str, hosts: int, drives: int) -> tuple[Component, dict[str, str], Looks]:
    """The fabric of a scenario with so many nodes, and the kinds and the looks of all components."""
    names = [f"h{number}" for number in range(hosts)]
    stations = ", ".join(f'"{name}"' for name in [*names, "drives"])
    text = f'[run]\nmeasured_ios = 10\n[san]\nkind = "fabric"\nspeed = "8GFC"\nstations = [{stations}]\n{keys}\n'
    text += f'[drives]\nkind = "drives"\ncount = {drives}\naccess_time = "1 ms"\ntransfer_rate = "100 MB/s"\n'
    for name in names:
        text += (
            f'[{name}]\nkind = "host"\n[w{name}]\nkind = "closed"\nfrom = "{name}"\nto = ["drives"]\nsize = "4 KiB"\n'
        )
    graph = Graph.of(_core.Scenario.parse(text, "fabric", []))
    network = next(one for one in graph.components if one.name == "san")
    return network, {one.name: one.kind for one in graph.components}, looks_of_graph(graph)


def key(frame: Frame) -> tuple[object, ...]:
    """What tells a frame from all others of a short run."""
    parts = ("s_id", "ox_id", "rx_id", "seq_id", "seq_cnt")
    return frame.kind, *(frame.values[f"fc.{part}"] for part in parts)


def texts(picture: Drawing) -> list[str]:
    return [shape.text for shape in picture.shapes if isinstance(shape, Text)]


TOPOLOGIES = {
    "single-switch": ("", 2, 8, (1, 0)),
    "floors+": ('topology = "floors+"', 20, 100, (30, 56)),
    "tree": ('topology = "tree"\nleaves = 10\nfan_out = 5', 10, 50, (13, 12)),
    "core-edge": ('topology = "core-edge"', 4, 8, (6, 8)),
    "fat-tree": ('topology = "fat-tree"', 4, 12, (20, 32)),
    "mesh": ('topology = "mesh"\nwidth = 4\nheight = 3\nrouting = "up-down"', 12, 24, (12, 17)),
}


@pytest.mark.parametrize("name", TOPOLOGIES)
def test_every_switch_link_and_node_is_drawn_once_and_nothing_covers_a_switch(name: str) -> None:
    keys, hosts, drives, (switches, links) = TOPOLOGIES[name]
    network, kinds, looks = fabric_of(keys, hosts, drives)
    inside = network.inside
    assert inside is not None
    assert (len(inside.places), len(inside.links), len(inside.nodes)) == (switches, links, hosts + drives)
    picture = draw(network, kinds, looks)
    boxes = [shape.points for shape in picture.shapes if isinstance(shape, Path) and shape.closed]
    marks = [shape for shape in picture.shapes if isinstance(shape, Dot) and shape.shape == "square" and shape.title]
    switch_marks = [mark for mark in marks if f"switches.{mark.title}" in inside.places]
    assert len(boxes) + len(switch_marks) == switches
    nodes = [shape.title for shape in picture.shapes if isinstance(shape, Dot) and shape.title]
    assert {node.name for node in inside.nodes} <= set(nodes)
    for shape in picture.shapes:
        if isinstance(shape, Path):
            assert all(0 <= x <= picture.width and 0 <= y <= picture.height for x, y in shape.points)
    middles = [(round(sum(x for x, _ in box) / 4), round(box[0][1])) for box in boxes]
    assert len(set(middles)) == len(middles), "no switch stands on another"
    many = "switches" if switches > 1 else "switch"
    assert f"{switches} {many}" in texts(picture)
    # Each component has an entry, or each kind if there are too many components.
    entries = {"h0", f"drives \N{MULTIPLICATION SIGN} {drives}"}
    assert entries <= set(texts(picture)) or f"{hosts} hosts" in texts(picture)


def test_links_side_by_side_are_one_line_with_their_number() -> None:
    keys = 'topology = "given"\nswitches.a.stations = ["h0"]\nswitches.b.stations = ["drives"]\n'
    keys += 'links.one = { from = "a", to = "b" }\nlinks.other = { from = "a", to = "b" }'
    picture = draw(*fabric_of(keys, 1, 2))
    assert "2 \N{MULTIPLICATION SIGN}" in texts(picture)


def test_the_graph_tells_and_draws_what_is_inside(cli: Cli, scenario: File, tmp_path: File) -> None:
    done = cli("graph", scenario)
    assert done.returncode == 0, done.stderr
    assert (
        "inside san\n  switches.near  to far; nodes first, second\n  switches.far   to near; nodes 3 of drives\n"
        in done.stdout
    )
    for options in ((), ("--inside", "san")):
        picture = tmp_path / f"graph{len(options)}.svg"
        done = cli("graph", scenario, "--plot", picture, *options)
        assert done.returncode == 0, done.stderr
        assert picture.read_text(encoding="utf-8").startswith("<svg")
    refused = cli("graph", scenario, "--plot", tmp_path / "none.svg", "--inside", "drives")
    assert refused.returncode == 2
    assert "there is no fabric `drives` with switches in this scenario; there is san" in refused.stderr


@pytest.mark.slow
@pytest.mark.referee(shutil.which("tshark") is not None, "tshark IS NOT INSTALLED: no capture is checked")
def test_a_link_between_switches_is_captured_as_tshark_reads_it(cli: Cli, scenario: File, tmp_path: File) -> None:
    files: dict[str, File] = {}
    for name in ("san.links.between", "san.switches.near[0]", "first", "san.switches.near"):
        files[name] = tmp_path / f"{len(files)}.pcapng"
        done = cli("run", scenario, "--capture", files[name], "--capture-port", name)
        assert done.returncode == 0, done.stderr
    assert files["san.links.between"].read_bytes() == files["san.switches.near[0]"].read_bytes()
    between = decode(files["san.links.between"], *PLAIN)
    kinds = Counter(frame.kind for frame in between)
    assert kinds[COMMAND] == kinds[RESPONSE] == 40
    # What goes between the first host and its drives goes over that link, too: once, later, and with the same numbers.
    host = decode(files["first"], *PLAIN)
    ends = {frame.source for frame in host if frame.kind == COMMAND}
    mine = [frame for frame in between if ends & {frame.source, frame.destination}]
    assert Counter(map(key, mine)) == Counter(map(key, host))
    first_command = next(frame for frame in host if frame.kind == COMMAND)
    over_there = next(frame for frame in mine if key(frame) == key(first_command))
    # Header of seven words at 8GFC, 200 ns of routing, and the slot of the output.
    assert 200 + 7 * 4.7 < over_there.at_ns - first_command.at_ns < 200 + 9 * 4.8
    # At all ports of a switch a frame is seen where it comes in and where it goes out.
    assert len(decode(files["san.switches.near"], *PLAIN)) == 2 * len(between)
    assert sum(frame.kind == DATA for frame in between) > 80


def test_a_port_that_is_not_there_is_told(cli: Cli, scenario: File, tmp_path: File) -> None:
    done = cli("run", scenario, "--capture", tmp_path / "x.pcapng", "--capture-port", "san.switches.middle")
    assert done.returncode == 2
    assert "there is no port `san.switches.middle`" in done.stderr


@pytest.mark.slow
def test_a_timeline_has_lanes_for_ports_and_buffers_of_switches(cli: Cli, scenario: File, tmp_path: File) -> None:
    path = tmp_path / "run.pftrace"
    done = cli("run", scenario, "--timeline", path)
    assert done.returncode == 0, done.stderr
    timeline = perfetto_reader.read(path)
    tracks = [track for track in timeline.tracks.values() if "san.switches.far[0]" in track.path]
    names = {track.name for track in tracks}
    assert {"frames out", "buffer 1", "credit", "buffers"} <= names
    # A frame has a buffer at least until its last word is out again.
    taken = [one for track in tracks if track.name.startswith("buffer ") for one in track.slices]
    assert {one.name for one in taken} >= {"FCP_CMND"}
    assert all(one.length > 200 for one in taken)
    buffers = next(track for track in tracks if track.name == "buffers" and track.is_counter)
    assert 1 <= max(value for _, value in buffers.values) <= 4


def test_samples_say_how_much_each_link_is_used_and_waits_for_credit(scenario: File, tmp_path: File) -> None:
    folder = tmp_path / "run"
    result = sansim.run(scenario, {"run.measured_ios": 400, "writes.queue_depth": 8, "san.switch.buffers": 2})
    result.save(folder)
    samples = result.samples.filter(pl.col("quantity").is_in(["sending", "without_credit"]))
    ports = set(samples["component"])
    assert {"first", "drives[2]", "san.switches.near[0]", "san.switches.far[3]"} <= ports
    assert samples["value"].is_between(0, 1).all()
    mean = samples.group_by("component", "quantity").agg(pl.col("value").mean())
    means = {(component, quantity): value for component, quantity, value in mean.iter_rows()}
    assert means["san.switches.near[0]", "sending"] > means["second", "sending"] * 0.9
    # A kilometre there and back and two buffers: who sends writes over it waits.
    assert means["san.switches.near[0]", "without_credit"] > 0.05
    charts = [chart.name for section in sections(read([folder])) for chart in section.charts]
    assert "fabric" in charts
