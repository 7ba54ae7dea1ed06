"""Random systems of twelve kinds that people have, drawn without a look at what the analytic model can do.

Unlike those of `analytic_systems.py` these leave its domain often: streams in sequence, caches that read ahead or write
back, policies of mirrors and of paths, flash from fresh to full, several hosts, appliances.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping

from analytic_systems import access, on_a_loop

IOS = 3000
RUN = f"[run]\nmeasured_ios = {IOS}\nwarm_up = 200\n"
WARM = RUN + 'functional_warm_up = "settled"\n'
SIZES = (4, 8, 16, 64, 256)


def load(r: random.Random, name: str, to: str, rate_per_s: float, *, host: str = "host") -> str:
    """A workload: closed or open, at random or in sequence."""
    sequential = r.random() < 0.35
    head = (
        f'[{name}]\nkind = "synthetic"\nfrom = "{host}"\nto = "{to}"\nsize = "{r.choice(SIZES)} KiB"\n'
        f"read_fraction = {r.choice([0.0, 0.5, 0.7, 1.0])}\n"
        f'location.pattern = "{"sequential" if sequential else "uniform"}"\n'
    )
    if r.random() < 0.5:
        return head + f'arrivals = {{ process = "poisson", rate = "{rate_per_s * r.uniform(0.1, 0.7):.2f}/s" }}\n'
    return head + f'arrivals = {{ process = "closed", queue_depth = {r.choice([1, 2, 4, 8])} }}\n'


def disks(r: random.Random, least: int = 1, name: str = "disks") -> tuple[str, int]:
    """A group of mechanical disks."""
    count = r.randint(least, 8)
    order = r.choice(["", "", 'queue.order = "sptf"\n', 'queue.order = "c-look"\n'])
    preset = r.choice(["cheetah-15k5", "st39102lw", "atlas-10k"])
    return f'[{name}]\nkind = "disks"\ncount = {count}\npreset = "{preset}"\n{order}', count


def quick(r: random.Random, least: int = 1, name: str = "drives") -> tuple[str, int]:
    """A group of drives with a given access time."""
    count = r.randint(least, 8)
    text = f'[{name}]\nkind = "drives"\ncount = {count}\ncapacity = "256 MiB"\naccess_time = {access(r)}\n'
    return text + 'transfer_rate = "200 MB/s"\n', count


HOST = '[host]\nkind = "host"\n'


def disk_streams(r: random.Random) -> str:
    """One to three streams at mechanical disks."""
    group, count = disks(r)
    loads = [load(r, f"load-{number}", "disks", 60.0 * count) for number in range(r.randint(1, 3))]
    return RUN + HOST + 'attached = ["disks"]\n' + group + "".join(loads)


def array_streams(r: random.Random) -> str:
    """One or two streams at an array of mechanical disks."""
    group, count = disks(r, 4)
    level = r.choice(["0", "5", "6"])
    array = f'[array]\nkind = "raid"\nto = ["disks"]\nlayout.level = "{level}"\n'
    loads = [load(r, f"load-{number}", "array", 20.0 * count) for number in range(r.randint(1, 2))]
    return RUN + HOST + 'attached = ["array"]\n' + array + group + "".join(loads)


def reading_ahead(r: random.Random) -> str:
    """A cache that reads ahead."""
    group, count = quick(r)
    policy = r.choice(["fixed", "adaptive", "none"])
    cache = (
        f'[cache]\nkind = "cache"\nto = ["drives"]\ncapacity = "{r.choice([16, 64])} MiB"\nlook_up_time = "10 us"\n'
        f'memory_bandwidth = "2 GB/s"\nread_ahead = {{ policy = "{policy}" }}\nwrite.mode = "through"\n'
    )
    return WARM + HOST + 'attached = ["cache"]\n' + cache + group + load(r, "load", "cache", 200.0 * count)


def writing_back(r: random.Random) -> str:
    """A cache that writes back."""
    group, count = quick(r)
    cache = (
        f'[cache]\nkind = "cache"\nto = ["drives"]\ncapacity = "{r.choice([16, 64])} MiB"\nlook_up_time = "10 us"\n'
        'memory_bandwidth = "2 GB/s"\nwrite.mode = "back"\n'
    )
    return WARM + HOST + 'attached = ["cache"]\n' + cache + group + load(r, "load", "cache", 150.0 * count)


def mirrored(r: random.Random) -> str:
    """A mirror with each policy."""
    group, count = (disks if r.random() < 0.5 else quick)(r, 2)
    count = min(count, 4)
    name = "disks" if "[disks]" in group else "drives"
    policy = r.choice(["balanced", "first", "round-robin", "least-outstanding", "queue-length"])
    mirror = f'[mirror]\nkind = "mirror"\nto = ["{name}"]\nread_policy = "{policy}"\n'
    rate = 60.0 * count if name == "disks" else 200.0 * count
    return RUN + HOST + 'attached = ["mirror"]\n' + mirror + group + load(r, "load", "mirror", rate)


def two_paths(r: random.Random) -> str:
    """Two loops to the same drives, with each policy."""
    group, count = quick(r)
    kind = r.choice(["arbitrated-loop", "fabric"])
    policy = r.choice(["first", "round-robin", "least-outstanding", "queue-length", "numa", "balanced"])
    nets = "".join(
        f'[net-{port}]\nkind = "{kind}"\nspeed = "{r.choice(["1GFC", "2GFC"])}"\n'
        f'stations = ["host.adapters.{port}", "drives.adapters.{port}"]\n'
        for port in "ab"
    )
    host = HOST + f'path = "{policy}"\nschedule = "unfair"\nadapters = {{ a = {{}}, b = {{}} }}\n'
    return RUN + nets + host + group + "adapters = { a = {}, b = {} }\n" + load(r, "load", "drives", 250.0 * count)


def flash(r: random.Random) -> str:
    """Flash drives from fresh to full."""
    fill = r.choice([0.0, 0.0, 1.0, 2.0])
    small = 'blocks = 64\npages = 64\nover_provisioning = "20 %"\n'
    group = (
        f'[flash]\nkind = "flash-drives"\ncount = {r.randint(1, 4)}\n{small}fill = {fill}\n'
        f'precondition = "{r.choice([0, 50, 100])} %"\nbuffer = "{r.choice([4, 64])} MiB"\n'
    )
    return RUN + HOST + 'attached = ["flash"]\n' + group + load(r, "load", "flash", 5000.0)


def several_hosts(r: random.Random) -> str:
    """A group of hosts at drives on a loop or a fabric."""
    group, count = quick(r)
    hosts = r.randint(2, 6)
    kind = r.choice(["arbitrated-loop", "fabric"])
    net = f'[net]\nkind = "{kind}"\nspeed = "{r.choice(["1GFC", "4GFC"])}"\nstations = ["hosts", "drives"]\n'
    host = f'[hosts]\nkind = "host"\ncount = {hosts}\nschedule = "{r.choice(["fair", "unfair"])}"\n'
    each = r.choice(["all", "shares", "one"])
    text = load(r, "load", "drives", 250.0 * count / hosts, host="hosts") + f'devices_each = "{each}"\n'
    return RUN + net + host + group + text


def in_band(r: random.Random) -> str:
    """An appliance with an array."""
    group, count = quick(r, 4)
    model = r.choice(
        ['{ model = "interrupts" }', '{ model = "polling" }'],
    )
    level = r.choice(["0", "5", "1+0"])
    count -= count % 2
    return (
        RUN
        + '[net]\nkind = "fabric"\nspeed = "4GFC"\nstations = ["host", "sds.front"]\n'
        + HOST
        + f'[sds]\nkind = "appliance"\nto = ["array"]\nprocessors = {model}\n'
        + f'[array]\nkind = "raid"\nto = ["drives"]\ninside = ["sds"]\nlayout.level = "{level}"\n'
        + group.replace(f"count = {count + 1}\n", f"count = {count}\n")
        + load(r, "load", "sds", 60.0 * count)
    )


def limited(r: random.Random) -> str:
    """Drivers with limits, merging and an order of their own."""
    group, count = (disks if r.random() < 0.5 else quick)(r)
    name = "disks" if "[disks]" in group else "drives"
    keys = r.choice(
        [
            f"outstanding_limit = {r.choice([1, 2, 4])}",
            f"outstanding_per_device = {r.choice([1, 2])}",
            'queue.order = "c-look"\noutstanding_per_device = 1',
            'merge = "64 KiB"\noutstanding_per_device = 1',
            'arrival_time = "50 us"\ncompletion_time = "50 us"',
        ]
    )
    driver = "".join(f"driver.{line}\n" for line in keys.splitlines())
    rate = 60.0 * count if name == "disks" else 200.0 * count
    return RUN + HOST + f'attached = ["{name}"]\n' + driver + group + load(r, "load", name, rate)


def memory(r: random.Random) -> str:
    """RAM disks with an access time, on a loop or attached."""
    group = (
        f'[ram]\nkind = "ram-disks"\ncount = {r.randint(1, 4)}\nlatency = "{r.choice([10, 100, 1000])} us"\n'
        'bandwidth = "1 GB/s"\ncapacity = "256 MiB"\n'
    )
    if r.random() < 0.5:
        net = '[net]\nkind = "arbitrated-loop"\nspeed = "2GFC"\nstations = ["host", "ram"]\n'
        return RUN + net + HOST + 'schedule = "unfair"\n' + group + load(r, "load", "ram", 900.0)
    return RUN + HOST + 'attached = ["ram"]\n' + group + load(r, "load", "ram", 900.0)


KINDS: Mapping[str, Callable[[random.Random], str]] = {
    "disk streams": disk_streams,
    "array streams": array_streams,
    "read-ahead": reading_ahead,
    "write-back": writing_back,
    "mirror": mirrored,
    "two paths": two_paths,
    "flash": flash,
    "several hosts": several_hosts,
    "appliance": in_band,
    "driver": limited,
    "memory": memory,
    "loop": on_a_loop,
}
