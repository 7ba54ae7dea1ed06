"""floors+ of Molero et al. (2001) in SimPy: `simpy_fabric.py IOS EVERY_NS` prints messages per second of a processor.

The equivalent of `crates/fabric/examples/messages.rs` with a process for each message: buffers of the next port, the
link, the routing unit and the output of each switch are Resources. Virtual cut-through: a message goes on when its
header is in and routed, and gives back what it holds when its last word has left. Ways are the shortest; of several
the first whose link is free. Times are ns.
"""

import random
import sys
import time
from collections import defaultdict, deque

import simpy

FLOORS, CENTRES, ARMS, SERVERS, DRIVES = 5, 2, 4, 20, 100
BUFFERS, ROUTING, WORD, HEADER_WORDS = 8, 150.0, 25.0, 1
CONTROL, DATA = 16, 2048
NODE_CABLE, BACKBONE_CABLE = 15.0, 150.0
"""3 m and 30 m at 5 ns/m."""


class Link:
    """One way of a link: its transmitter, and the buffers at its far end."""

    def __init__(self, env, to, latency):
        self.wire = simpy.Resource(env, 1)
        self.buffers = simpy.Resource(env, BUFFERS)
        self.to = to
        self.latency = latency


def floors(env):
    """Links by their near end, and the routing unit of each switch."""
    links = defaultdict(dict)

    def join(one, other, latency):
        links[one][other] = Link(env, other, latency)
        links[other][one] = Link(env, one, latency)

    arms = [("arm", floor, arm) for floor in range(FLOORS) for arm in range(ARMS)]
    for _, floor, arm in arms:
        for centre in range(CENTRES):
            join(("arm", floor, arm), ("centre", floor, centre), BACKBONE_CABLE)
    for floor in range(FLOORS - 1):
        for one in range(CENTRES):
            for other in range(CENTRES):
                join(("centre", floor, one), ("centre", floor + 1, other), BACKBONE_CABLE)
    for number in range(SERVERS):
        join(("server", number), arms[number % len(arms)], NODE_CABLE)
    for number in range(DRIVES):
        join(("drive", number), arms[number % len(arms)], NODE_CABLE)
    units = {place: simpy.Resource(env, 1) for place in links if place[0] in ("arm", "centre")}
    return links, units


def ways(links):
    """From each place to each node: the next places on shortest ways."""
    found = {}
    for node in [place for place in links if place[0] in ("server", "drive")]:
        far = {node: 0}
        waiting = deque([node])
        while waiting:
            place = waiting.popleft()
            for other in links[place]:
                if other not in far:
                    far[other] = far[place] + 1
                    waiting.append(other)
        for place, beside in links.items():
            if place != node:
                found[place, node] = [other for other in beside if far[other] == far[place] - 1]
    return found


def run(ios, every):
    """Messages per second of a processor."""
    env = simpy.Environment()
    links, units = floors(env)
    routes = ways(links)
    draw = random.Random(12345)
    counts = {"messages": 0}

    def tail(link, request, held, left):
        # The last word leaves: the link is free, and so is the buffer that the message came from.
        yield env.timeout(left)
        link.wire.release(request)
        if held is not None:
            held[0].buffers.release(held[1])

    def message(source, target, size, then):
        place, held = source, None
        length = max(size // 4, 1) * WORD
        while True:
            nexts = [links[place][other] for other in routes[place, target]]
            link = next((one for one in nexts if not one.wire.count and one.buffers.count < BUFFERS), nexts[0])
            buffer = link.buffers.request()
            yield buffer
            request = link.wire.request()
            yield request
            env.process(tail(link, request, held, length))
            place, held = link.to, (link, buffer)
            if place == target:
                yield env.timeout(length + link.latency)
                link.buffers.release(buffer)
                break
            yield env.timeout(HEADER_WORDS * WORD + link.latency)
            with units[place].request() as unit:
                yield unit
                yield env.timeout(ROUTING)
        counts["messages"] += 1
        if then is not None:
            env.process(message(target, source, then, None))

    def server(number):
        for _ in range(ios // SERVERS):
            yield env.timeout(draw.expovariate(1.0 / every))
            read = draw.random() < 0.5
            size, answer = (CONTROL, DATA) if read else (DATA, CONTROL)
            env.process(message(("server", number), ("drive", draw.randrange(DRIVES)), size, answer))

    for number in range(SERVERS):
        env.process(server(number))
    start = time.process_time()
    env.run()
    return counts["messages"] / (time.process_time() - start)


if __name__ == "__main__":
    print(f"{run(int(sys.argv[1]), float(sys.argv[2])):.0f}")
