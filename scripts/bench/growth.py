"""Measures how cost grows. Starts a host for each number of services, blocks, resources, observers, modules, idle
connections or running transfers, and measures start, memory, and CPU time of a request."""

import json
import os
import re
import signal
import socket
import subprocess

import servers
from measure import Asker, median
from world import Wrong, fetch, need

# The things that are counted, and the numbers to try.
AXES = {
    "services": (1, 10, 100, 1000, 3000),
    "blocks": (1, 10, 100, 1000, 10000),
    "resources": (1, 10, 100, 1000, 10000),
    "observers": (1, 10, 100, 1000, 10000),
    "modules": (1, 10, 100, 300),
    "connections": (1, 10, 100, 1000, 5000),
    "transfers": (1, 10, 100, 1000),
}
FIGURES = {
    "start": "processor time until it answers, ms",
    "memory": "resident memory, MB",
    "hot": "processor time of a hot read, µs",
    "cold": "processor time of a load, decoded and encoded, µs",
}
MODULE = "return function(value) return value end\n"


def script_of(axis, count, upstream, port, expiration, silent):
    """A script that has `count` of one thing, and one of every other thing."""
    lines = ['local rest = require "resthost"', f'local api = rest.service {{ name = "api", base_url = "{upstream}" }}']
    lines.append(f"api:configure(function(c) c.expiration_time = {expiration}; c.collapse = {str(expiration > 0).lower()} end)")
    if axis == "services":
        lines.append(f'for i = 2, {count} do rest.service {{ name = "s" .. i, base_url = "{upstream}/s" .. i }} end')
    if axis == "blocks":
        lines.append(f'for i = 2, {count} do api:configure("/p" .. i .. "/**", function(c) c.expiration_time = i end) end')
    if axis == "observers":
        lines.append('local small, told = api:resource("/small.json"), 0')
        lines.append(f"for i = 2, {count} do small:add_observer(function() told = told + 1 end) end")
    if axis == "modules":
        lines.append(f'for i = 2, {count} do api:configure_transformer("/m" .. i .. "/**", "m" .. i) end')
    if axis == "transfers":
        lines.append(f'rest.service {{ name = "silent", base_url = "{silent}" }}')
    lines.append(f'rest.gateway {{ listen = "127.0.0.1:{port}" }}')
    return "\n".join(lines) + "\n"


class Host:
    """A host of one size: starts it and sends its requests."""

    def __init__(self, world, axis, count, expiration):
        self.world, self.axis, self.count = world, axis, count
        self.port = world.port()
        # An API that takes requests and never answers.
        self.silent = socket.create_server(("127.0.0.1", 0), backlog=1024)
        silent = f"http://127.0.0.1:{self.silent.getsockname()[1]}"
        path = world.write(
            f"growth-{axis}-{count}.lua", script_of(axis, count, world.upstream, self.port, expiration, silent))
        self.process = world.start(servers.command(world, servers.RUN, script=path), self.port, f"{axis}-{count}")
        self.start = self.processor_seconds() * 1000
        self.url = f"http://127.0.0.1:{self.port}/api/small.json"
        self.open = []

    def fill(self):
        """Adds the things that only clients can add."""
        if self.axis == "resources":
            asker = Asker(self.url)
            for i in range(1, self.count):
                asker.ask(f"/api/small.json?i={i}")
            asker.close()
        if self.axis == "connections":
            self.open = [Asker(self.url) for _ in range(1, self.count)]
            # When the last one has an answer, it has been accepted.
            for asker in self.open[-1:]:
                asker.ask()
        if self.axis == "transfers":
            for i in range(1, self.count):
                asker = Asker(f"http://127.0.0.1:{self.port}/silent/{i}")
                asker.send()
                # A request has arrived when its connection has.
                self.open += [asker, self.silent.accept()[0]]

    def memory(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as status:
            return int(re.search(r"VmRSS:\s+(\d+)", status.read()).group(1)) / 1024

    def processor_seconds(self):
        total = 0
        for thread in os.listdir(f"/proc/{self.process.pid}/task"):
            with open(f"/proc/{self.process.pid}/task/{thread}/schedstat", encoding="ascii") as stat:
                total += int(stat.read().split()[0])
        return total / 1e9

    def cost(self, seconds):
        """Microseconds of CPU time for each request."""
        if fetch(self.url) != SMALL:
            raise Wrong(f"{self.url} answers something else than its file")
        before = self.processor_seconds()
        done = subprocess.run(
            [need("wrk"), "-t1", "-c4", f"-d{seconds}s", self.url], capture_output=True, text=True, check=False,
            stdin=subprocess.DEVNULL)
        spent = self.processor_seconds() - before
        requests = re.search(r"(\d+) requests in", done.stdout)
        if done.returncode != 0 or not requests or "Non-2xx" in done.stdout:
            raise Wrong(f"wrk {self.url}: {(done.stderr or done.stdout).strip()}")
        return spent / int(requests.group(1)) * 1e6

    def close(self):
        for client in self.open:
            client.close()
        self.silent.close()
        self.world.stop(self.process)


SMALL = json.dumps({"id": 1, "name": "x" * 260}, separators=(",", ":")).encode()


def point(world, axis, count, options):
    """The figures for one number of one thing: medians of several hosts."""
    found = {name: [] for name in FIGURES}
    for _ in range(options.rounds):
        for figure, expiration in (("hot", 3600), ("cold", 0)):
            host = Host(world, axis, count, expiration)
            try:
                host.fill()
                found[figure].append(host.cost(options.seconds))
                if figure == "hot":
                    found["start"].append(host.start)
                    found["memory"].append(host.memory())
            finally:
                host.close()
    return {name: median(values) for name, values in found.items()}


def slope(points, figure):
    """The growth of the figure for each further thing, between the first and the last number, where it shows best."""
    (few, least), (many, most) = points[0], points[-1]
    return (most[figure] - least[figure]) / (many - few)


def measure(world, options, axes):
    """Axis → list of (count, figures)."""
    signal.signal(signal.SIGPIPE, signal.SIG_IGN)
    world.write("files/small.json", SMALL.decode())
    for i in range(1, max(AXES["modules"]) + 1):
        world.write(f"m{i}.lua", MODULE)
    grown = {}
    for axis in axes:
        grown[axis] = []
        for count in AXES[axis]:
            figures = point(world, axis, count, options)
            grown[axis].append((count, figures))
            print(f"bench: {axis} {count}: " + ", ".join(f"{name} {value:.2f}" for name, value in figures.items()), flush=True)
    return grown


def table(grown):
    """The slopes, as a table for people."""
    lines = ["| one more of | start | memory | a hot read | a load |", "|---|---|---|---|---|"]
    for axis, points in grown.items():
        start, memory = slope(points, "start") * 1000, slope(points, "memory") * 1024
        hot, cold = slope(points, "hot") * 1000, slope(points, "cold") * 1000
        lines.append(
            f"| {axis}, 1 to {points[-1][0]:,} | {start:.1f} µs | {memory:.2f} kB | {hot:+.2f} ns | {cold:+.1f} ns |")
    return "\n".join(lines)


def plot(world, grown, folder):
    """An SVG for each figure, with a line for each thing."""
    os.makedirs(folder, exist_ok=True)
    gnuplot = need("gnuplot")
    for figure, title in FIGURES.items():
        for axis, points in grown.items():
            world.write(f"{figure}-{axis}.dat", "".join(f"{count} {values[figure]:.4f}\n" for count, values in points))
        lines = ", ".join(
            f'"{world.path(f"{figure}-{axis}.dat")}" with linespoints pointtype 7 pointsize 0.4 title "{axis}"'
            for axis in grown)
        target = os.path.join(folder, f"{figure}.svg")
        world.write(
            "plot.gp", 'set terminal svg size 640,360 dynamic font "sans-serif,11" background "white"\n'
            f'set output "{target}"\nset logscale x\nset key left top\nset grid\nset yrange [0:*]\n'
            + ("set logscale y\nset yrange [*:*]\n" if figure in ("start", "cold") else "")
            + f'set xlabel "how many"\nset ylabel "{title}"\nplot {lines}\n')
        world.output_of([gnuplot, world.path("plot.gp")])
        print(f"bench: wrote {os.path.relpath(target)}")
