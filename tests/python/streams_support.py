"""A workload of two streams, one open and one closed."""

from __future__ import annotations


def streams(rate: str) -> str:
    """Reads that come by themselves, and a log written in sequence, on two drives of 200 I/Os a second each."""
    return f"""
[run]
duration = "5 s"
warm_up = "500 ms"
[drives]
kind = "drives"
count = 2
access_time = "5 ms"
transfer_rate = "1 GB/s"
[host]
kind = "host"
attached = ["drives"]
[oltp]
kind = "synthetic"
from = "host"
to = ["drives"]
[oltp.streams.reads]
size = {{ "4 KiB" = 60, "8 KiB" = 40 }}
arrivals = {{ process = "poisson", rate = "{rate}" }}
outstanding = 2000
[oltp.streams.log]
size = "64 KiB"
read_fraction = 0
arrivals = {{ process = "closed", queue_depth = 2, think_time = "10 ms" }}
location = {{ pattern = "sequential" }}
"""
