"""SimPy under the loads of the benchmark, once: `simpy_peer.py LOAD EVENTS` prints events per wall second.

Hold: bare event callbacks, SimPy's fastest form. Tandem: processes and Resources, its documented form; a completed
service counts as two events, as for the other engines. The first tenth of EVENTS is not timed.
"""

import random
import sys
import time

import simpy

STATIONS = 8
CUSTOMERS = 64


def hold(n, events):
    """The hold model: events per wall second."""
    env = simpy.Environment()
    draw = random.Random(12345)
    counts = [0] * n

    def plan(target, delay):
        event = env.timeout(delay, target)
        event.callbacks.append(happens)

    def happens(event):
        counts[event.value] += 1
        plan(int(draw.random() * n), draw.expovariate(1.0))

    for entity in range(n):
        plan(entity, draw.expovariate(1.0))
    for _ in range(events // 10):
        env.step()
    start = time.perf_counter()
    for _ in range(events):
        env.step()
    return events / (time.perf_counter() - start)


def tandem(events):
    """The tandem queue: events per wall second."""
    env = simpy.Environment()
    draw = random.Random(12345)
    stations = [simpy.Resource(env, 1) for _ in range(STATIONS)]
    served = 0

    def customer(number):
        nonlocal served
        station = number % STATIONS
        while True:
            with stations[station].request() as request:
                yield request
                yield env.timeout(0.5 + draw.expovariate(2.0))
            served += 1
            station = (station + 1) % STATIONS
            yield env.timeout(0.1)

    for number in range(CUSTOMERS):
        env.process(customer(number))
    # A completed service takes several steps of SimPy; count services, not steps.
    target = served + max(1, events // 20)
    while served < target:
        env.step()
    begin, target = served, served + max(1, events // 2)
    start = time.perf_counter()
    while served < target:
        env.step()
    return 2 * (served - begin) / (time.perf_counter() - start)


def main():
    """The command line."""
    load, events = sys.argv[1], int(sys.argv[2])
    rate = tandem(events) if load == "tandem" else hold(int(load.removeprefix("hold-")), events)
    print(f"{rate:.0f}")


if __name__ == "__main__":
    main()
