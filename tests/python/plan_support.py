"""A system that is simulated in a fraction of a second, parts for it, and a plan."""

from __future__ import annotations

from pathlib import Path

SYSTEM = """
[run]
measured_ios = 1500
warm_up = 200
[host]
kind = "host"
attached = ["drives"]
[drives]
kind = "drives"
count = 2
capacity = "1 GiB"
access_time = { distribution = "exponential", mean = "4 ms" }
transfer_rate = "100 MB/s"
[load]
kind = "synthetic"
from = "host"
to = ["drives"]
size = "8 KiB"
arrivals = { process = "poisson", rate = "300/s" }
"""

PARTS = """
title = "Parts of a test"
currency = "EUR"
[parts.slow]
price = 100
power = "10 W"
set = { access_time = { distribution = "exponential", mean = "8 ms" } }
[parts.fast]
price = 170
power = "14 W"
set = { access_time = { distribution = "exponential", mean = "4 ms" } }
[parts.box]
price = 500
power = "50 W"
"""

PLAN = """
title = "A plan of a test"
scenario = "system.toml"
catalogue = "parts.toml"
[goal]
response = "12 ms"
[choices.drives]
component = "drives"
parts = ["slow", "fast"]
counts = ["1..6"]
set = { "drives.count" = "{count}" }
[fixed]
box = 1
"""


VOLUMES = """
[run]
measured_ios = 4000
[left]
kind = "arbitrated-loop"
speed = "1GFC"
stations = ["first.back", "a"]
[right]
kind = "arbitrated-loop"
speed = "1GFC"
stations = ["second.back", "b"]
[host]
kind = "host"
attached = ["pool"]
[pool]
kind = "volumes"
to = ["first", "second"]
[pool.volumes.mail]
size = "1 GB"
on = 0
[pool.volumes.web]
size = "1 GB"
on = 0
[pool.volumes.files]
size = "1 GB"
on = 0
[pool.volumes.old]
size = "1 GB"
on = 1
[first]
kind = "raid"
to = ["a"]
layout = { level = "5" }
[first.back]
schedule = "unfair"
[second]
kind = "raid"
to = ["b"]
layout = { level = "5" }
[second.back]
schedule = "unfair"
[a]
kind = "drives"
count = 5
capacity = "1 GB"
access_time = "1 ms"
transfer_rate = "100 MB/s"
[b]
kind = "drives"
count = 5
capacity = "1 GB"
access_time = "1 ms"
transfer_rate = "100 MB/s"
[load]
kind = "synthetic"
from = "host"
to = ["pool"]
size = "64 KiB"
read_fraction = 0.5
arrivals = { process = "poisson", rate = "400/s" }
"""
"""Four volumes that are asked for alike, three of them on one string."""


def write_plan(folder: Path, plan: str = PLAN, parts: str = PARTS, system: str = SYSTEM) -> Path:
    """Writes a plan with its scenario and its catalogue."""
    (folder / "system.toml").write_text(system)
    (folder / "parts.toml").write_text(parts)
    file = folder / "plan.toml"
    file.write_text(plan)
    return file
