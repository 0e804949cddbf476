"""Measures in rounds, alternating contestants, so that noise affects all of them. The median counts."""

import json
import os
import re
import socket
import statistics
import subprocess
import time
from urllib.parse import urlsplit

from world import Unavailable, Wrong, need


# The number of whole processes of one contestant before the next one runs.
EACH_TURN = 5


def in_turn(rounds, contestants):
    """`contestants` maps a name to a function that takes one figure. Returns name → figures.

    One that fails is dropped for good and its reason kept under the name.
    """
    figures, reasons = {name: [] for name in contestants}, {}
    for _ in range(rounds):
        for name, take in contestants.items():
            if name in reasons:
                continue
            try:
                figures[name].append(take())
            except Unavailable as reason:
                reasons[name] = str(reason)
    return {name: found for name, found in figures.items() if name not in reasons}, reasons


def median(figures):
    return statistics.median(figures)


def requests_per_second(url, seconds, connections=64, options=()):
    """Runs wrk with one thread and with further options; every answer must be a 200."""
    wrk = need("wrk")
    done = subprocess.run(
        [wrk, "-t1", f"-c{connections}", f"-d{seconds}s", *options, url], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    if done.returncode != 0 or not rate:
        raise Wrong(f"wrk {url}: {(done.stderr or done.stdout).strip()}")
    trouble = re.search(r"(Non-2xx.*|Socket errors.*)", done.stdout)
    if trouble:
        raise Wrong(f"wrk {url}: {trouble.group(1)}")
    return float(rate.group(1))


def session_seconds(session):
    """CPU seconds of all processes of a session so far, those that have ended included."""
    total = 0
    for name in os.listdir("/proc"):
        if not name.isdigit():
            continue
        try:
            with open(f"/proc/{name}/stat", encoding="utf-8", errors="replace") as file:
                fields = file.read().rsplit(")", 1)[1].split()
        except OSError:
            continue
        # proc(5): the session is field 6, the four times are fields 14 to 17.
        if int(fields[3]) == session:
            total += sum(int(ticks) for ticks in fields[11:15])
    return total / os.sysconf("SC_CLK_TCK")


def requests_and_seconds(url, session, seconds, connections=64):
    """Requests a second, and microseconds of CPU for each request of all processes of the session."""
    before = session_seconds(session)
    rate = requests_per_second(url, seconds, connections)
    return rate, (session_seconds(session) - before) * 1e6 / (rate * seconds)


def secure_requests_per_second(url, seconds, streams):
    """Runs h2load with one thread and 20 connections, each with this number of HTTP/2 streams at once; without a
    number it uses HTTP/1.1."""
    version = ["-m", str(streams)] if streams else ["--h1"]
    done = subprocess.run(
        [need("h2load"), "-t1", "-c20", f"-D{seconds}", "--warm-up-time=1", *version, url], capture_output=True,
        text=True, check=False, stdin=subprocess.DEVNULL)
    rate = re.search(r"finished in [\d.]+s, ([\d.]+) req/s", done.stdout)
    outcome = re.search(r"status codes: (\d+) 2xx, (\d+) 3xx, (\d+) 4xx, (\d+) 5xx", done.stdout)
    if done.returncode != 0 or not rate or not outcome:
        raise Wrong(f"h2load {url}: {(done.stderr or done.stdout).strip()}")
    if outcome.group(1) == "0" or any(count != "0" for count in outcome.groups()[1:]):
        raise Wrong(f"h2load {url}: {outcome.group(0)}")
    return float(rate.group(1))


def process_seconds(world, commands, runs):
    """The median time of whole processes, name → seconds, measured by hyperfine if it is installed, otherwise by a
    loop."""
    try:
        hyperfine = need("hyperfine")
    except Unavailable:
        return {name: in_loop(words, runs) for name, words in commands.items()}, "own loop (apt-get install hyperfine)"
    report = world.path("hyperfine.json")
    # No shell is used, because its start would be in both figures and pull their ratio towards 1.
    words = [" ".join(quote(word) for word in each) for each in commands.values()]
    times = {name: [] for name in commands}
    # The commands alternate in small groups. Otherwise a noisy moment would affect only one of them.
    for _ in range(max(1, runs // EACH_TURN)):
        world.output_of([
            hyperfine, "-N", "--warmup", "2", "--runs", str(EACH_TURN), "--export-json", report, *words])
        with open(report, encoding="utf-8") as file:
            for name, result in zip(commands, json.load(file)["results"]):
                times[name] += result["times"]
    return {name: median(found) for name, found in times.items()}, "hyperfine"


def quote(word):
    return "'" + word.replace("'", "'\\''") + "'"


def in_loop(words, runs):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - begin)
    return median(times)


class Asker:
    """Requests one URL on one connection and reads whole answers."""

    def __init__(self, url):
        parts = urlsplit(url)
        self.url = url
        self.client = socket.create_connection((parts.hostname, parts.port), timeout=60)
        self.client.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        self.stream = self.client.makefile("rb")
        self.host = parts.netloc

    def send(self, target=None):
        """Only sends the request; returns its target."""
        parts = urlsplit(self.url)
        target = target or parts.path + ("?" + parts.query if parts.query else "")
        self.client.sendall(f"GET {target} HTTP/1.1\r\nHost: {self.host}\r\n\r\n".encode())
        return target

    def ask(self, target=None):
        """Sends the request; returns the body of a 200 with a length."""
        target = self.send(target)
        status, length = self.stream.readline(), 0
        while field := self.stream.readline().strip():
            if field.lower().startswith(b"content-length:"):
                length = int(field.split(b":")[1])
        body = self.stream.read(length)
        if b" 200 " not in status or not body:
            raise Wrong(f"{target}: {status.decode(errors='replace').strip()}")
        return body

    def close(self):
        self.stream.close()
        self.client.close()


def longest_wait(url, words, length):
    """The milliseconds of the slowest answer of `url`, requested every millisecond while the command `words` runs.
    The command must print the number of bytes that it got: `length` or more."""
    asker = Asker(url)
    try:
        asker.ask()
        longest, process = 0, subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True)
        while process.poll() is None:
            begin = time.perf_counter()
            asker.ask()
            longest = max(longest, time.perf_counter() - begin)
            time.sleep(0.001)
        printed = process.communicate()[0].strip()
        if process.returncode != 0 or not printed.isdigit() or int(printed) < length:
            raise Wrong(f"{' '.join(words[-1:])}: {printed or 'nothing'} of {length} bytes, exit {process.returncode}")
        return longest * 1000
    finally:
        asker.close()
