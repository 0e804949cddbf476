"""Takes figures: in rounds, contestants in turn, so that a noisy moment hits all of them; the median counts."""

import json
import re
import statistics
import subprocess
import time

from world import Unavailable, Wrong, need


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


def requests_per_second(url, seconds, connections=64):
    """wrk with one thread; every answer must be a 200."""
    wrk = need("wrk")
    done = subprocess.run(
        [wrk, "-t1", f"-c{connections}", f"-d{seconds}s", url], capture_output=True, text=True, check=False,
        stdin=subprocess.DEVNULL)
    rate = re.search(r"Requests/sec:\s+([\d.]+)", done.stdout)
    if done.returncode != 0 or not rate:
        raise Wrong(f"wrk {url}: {(done.stderr or done.stdout).strip()}")
    trouble = re.search(r"(Non-2xx.*|Socket errors.*)", done.stdout)
    if trouble:
        raise Wrong(f"wrk {url}: {trouble.group(1)}")
    return float(rate.group(1))


def process_seconds(world, commands, runs):
    """The median time of whole processes, name → seconds; hyperfine if it is there, otherwise a loop."""
    try:
        hyperfine = need("hyperfine")
    except Unavailable:
        return {name: in_loop(words, runs) for name, words in commands.items()}, "own loop (apt-get install hyperfine)"
    report = world.path("hyperfine.json")
    # No shell in between: its start would be in both figures and pull their ratio towards 1.
    words = [" ".join(quote(word) for word in each) for each in commands.values()]
    world.output_of([hyperfine, "-N", "--warmup", "5", "--runs", str(runs), "--export-json", report, *words])
    with open(report, encoding="utf-8") as file:
        results = json.load(file)["results"]
    return {name: result["median"] for name, result in zip(commands, results)}, "hyperfine"


def quote(word):
    return "'" + word.replace("'", "'\\''") + "'"


def in_loop(words, runs):
    times = []
    for _ in range(runs):
        begin = time.perf_counter()
        subprocess.run(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, check=True)
        times.append(time.perf_counter() - begin)
    return median(times)
