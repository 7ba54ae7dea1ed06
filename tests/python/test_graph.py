"""`sansim graph`: what a scenario is made of, as text, as JSON and as a drawing."""

from __future__ import annotations

import json
from pathlib import Path as File

import sansim
from conftest import SMALL, Cli
from sansim import _core
from sansim.components import Graph
from sansim.html_report.contents import sections
from sansim.html_report.drawing import Path, Text
from sansim.html_report.folder import read
from sansim.html_report.graph import draw

BRIDGE = """
[front]
kind = "arbitrated-loop"
speed = "2GFC"
stations = ["host", "bridge.front"]
[back]
kind = "arbitrated-loop"
speed = "1GFC"
stations = ["bridge.back", "disks"]
[host]
kind = "host"
[bridge]
kind = "controller"
to = ["disks"]
[disks]
kind = "drives"
count = 8
access_time = "2 ms"
transfer_rate = "50 MiB/s"
[workload]
kind = "closed"
from = "host"
to = ["bridge"]
size = "64 KiB"
queue_depth = 1
[run]
measured_ios = 100
"""


def bridge() -> Graph:
    return Graph.of(_core.Scenario.parse(BRIDGE, "bridge", []))


def test_components_ports_and_links_are_listed(cli: Cli) -> None:
    done = cli("graph", SMALL)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout == (
        "components\n"
        "  loop        arbitrated-loop\n"
        "  controller  host             port controller on loop (initiator)\n"
        "  drives x 2  drives           port drives on loop (target)\n"
        "  workload    closed\n"
        "links\n"
        "  controller -> loop, frames\n"
        "  drives     -> loop, frames\n"
        "  workload   -> controller, requests\n"
    )


def test_json_has_components_and_links_and_heeds_settings(cli: Cli) -> None:
    done = cli("graph", SMALL, "--set", "drives.count=5", "--json")
    value = json.loads(done.stdout)
    assert set(value) == {"components", "links", "networks", "stations"}
    assert {one["name"]: one["members"] for one in value["components"]}["drives"] == 5
    assert value == sansim.graph(SMALL, {"drives.count": 5})


def test_stations_have_their_order_address_role_peer_and_delay(cli: Cli) -> None:
    stations = json.loads(cli("graph", SMALL, "--json").stdout)["stations"]
    assert [one["name"] for one in stations] == ["controller", "drives[0]", "drives[1]"]
    assert [one["role"] for one in stations] == ["initiator", "target", "target"]
    # On a ring the next one is the peer.
    assert [one["peer"] for one in stations] == [1, 2, 0]
    assert all(one["delay_ns"] > 0 for one in stations)
    fabric = File(__file__).parents[2] / "scenarios" / "dual-fabric.toml"
    stations = json.loads(cli("graph", fabric, "--json").stdout)["stations"]
    joined = [one for one in stations if one["peer"] is not None]
    assert {one["role"] for one in joined} == {"initiator", "target", "inner"}
    for number, one in enumerate(stations):
        if one["peer"] is not None:
            other = stations[one["peer"]]
            assert (other["peer"], other["network"]) == (number, one["network"])
            assert "inner" in (one["role"], other["role"])
    assert len({one["address"] for one in joined if one["role"] != "inner"}) > 8


def test_a_scenario_that_is_wrong_has_no_graph(cli: Cli) -> None:
    done = cli("graph", SMALL, "--set", "drives.count=none")
    assert (done.returncode, done.stdout) == (2, "")


def test_commands_go_from_left_to_right_through_a_controller() -> None:
    layers = [[component.name for component in layer] for layer in bridge().layers()]
    assert layers == [["workload"], ["host"], ["front"], ["bridge"], ["back"], ["disks"]]
    assert set(bridge().ways()) >= {("host", "front", "frames"), ("front", "bridge", "frames")}


def test_a_ring_of_askers_has_a_drawing_too() -> None:
    whole = bridge()
    ring = Graph(whole.components, (*whole.links, type(whole.links[0])("disks", "workload", "requests")))
    assert sum(map(len, ring.layers())) == len(ring.components)


def test_the_drawing_has_a_box_for_each_component_and_a_group_is_one() -> None:
    picture = draw(bridge())
    texts = [shape.text for shape in picture.shapes if isinstance(shape, Text)]
    assert {"workload", "host", "front", "bridge", "back", "disks \N{MULTIPLICATION SIGN} 8"} <= set(texts)
    boxes = [shape for shape in picture.shapes if isinstance(shape, Path) and shape.closed]
    assert len(boxes) == 6
    for box in boxes:
        assert all(0 <= x <= picture.width and 0 <= y <= picture.height for x, y in box.points)


def test_modules_are_drawn_in_a_frame_with_their_controller_and_told_in_the_text() -> None:
    path = File(__file__).parents[2] / "scenarios" / "raid-5-cache.toml"
    whole = Graph.of(_core.Scenario.load(path, []))
    assert {one.name for one in whole.components if one.within == "controller"} == {"cache", "array", "back-end"}
    assert "  cache        cache            inside controller\n" in whole.text()
    boxes = [shape for shape in draw(whole).shapes if isinstance(shape, Path) and shape.closed]
    assert len(boxes) == len(whole.components) + 1
    frame = boxes[0].points
    within = [box for box in boxes[1:] if frame[0][0] < box.points[0][0] and box.points[2][0] < frame[2][0]]
    assert len(within) == 4


def test_names_fit_into_their_boxes() -> None:
    path = File(__file__).parents[2] / "scenarios" / "flash-array.toml"
    picture = draw(Graph.of(_core.Scenario.load(path, [])))
    boxes = [shape for shape in picture.shapes if isinstance(shape, Path) and shape.closed]
    wide = min(box.points[1][0] - box.points[0][0] for box in boxes)
    assert all(len(text.text) * text.size * 0.55 <= wide for text in picture.shapes if isinstance(text, Text))


def test_a_trace_of_several_loops_is_of_the_one_that_is_named(cli: Cli, tmp_path: File) -> None:
    file, trace = tmp_path / "bridge.toml", tmp_path / "trace.txt"
    file.write_text(BRIDGE, encoding="utf-8")
    refused = cli("run", file, "--trace", trace)
    assert refused.returncode == 2
    assert "several networks, name one of them: front, back" in refused.stderr
    done = cli("run", file, "--trace", trace, "--trace-loop", "back")
    assert done.returncode == 0, done.stderr
    text = trace.read_text(encoding="utf-8")
    assert "bridge.back" in text and "bridge.front" not in text


def test_a_page_about_two_loops_has_both(tmp_path: File) -> None:
    sansim.run(BRIDGE).save(tmp_path / "run")
    charts = [chart.name for section in sections(read([tmp_path / "run"])) for chart in section.charts]
    assert {"graph", "topology-front", "topology-back", "tenancies-front", "tenancies-back"} <= set(charts)
