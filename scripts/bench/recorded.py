"""Compares ratios with the recorded ones, which belong to a class of machines and name it."""

import json
import os
import platform
import re

from world import HERE

PATH = os.path.join(HERE, "recorded.json")
# Medians of ratios differ by less between runs on one machine.
TOLERANCE = 0.1


def machine():
    """The machine on which ratios depend: number and kind of processors, and the system."""
    model = "unknown"
    try:
        with open("/proc/cpuinfo", encoding="utf-8") as file:
            found = re.search(r"model name\s*:\s*(.*)", file.read())
            model = found.group(1) if found else model
        with open("/etc/os-release", encoding="utf-8") as file:
            system = re.search(r'PRETTY_NAME="(.*)"', file.read()).group(1)
    except (OSError, AttributeError):
        system = platform.platform()
    return {"processors": os.cpu_count(), "model": model, "system": system}


def ratios(lines):
    """The ratio of each line, and whether larger or smaller is better."""
    return {
        line["what"]: {"ratio": round(line["ratio"], 3), "better": "less" if line["target"].startswith("≤") else "more"}
        for line in lines if line["ratio"] is not None}


def write(lines):
    """Writes the new ratios, and keeps the recorded ones of other rows."""
    known = read() or {"rows": {}}
    report = {"machine": machine(), "rows": {**known["rows"], **ratios(lines)}}
    with open(PATH, "w", encoding="utf-8") as file:
        json.dump(report, file, indent=2, ensure_ascii=False)
        file.write("\n")
    print(f"bench: wrote {os.path.relpath(PATH)}")


def read():
    try:
        with open(PATH, encoding="utf-8") as file:
            return json.load(file)
    except FileNotFoundError:
        return None


def worse(now, before, better):
    """The part of the recorded ratio by which the new one is worse; negative if it is better."""
    return now / before - 1 if better == "less" else 1 - now / before


def holds(lines):
    """False, after printing the reason, if a ratio is worse than recorded by more than the tolerance, or wasn't
    measured."""
    known = read()
    if known is None:
        print(f"bench: there is no {os.path.relpath(PATH)}: scripts/bench/run --record writes it")
        return False
    here = machine()
    if here != known["machine"]:
        print(f"bench: recorded on {known['machine']}, this is {here}: other machines have other ratios")
    found, held = {line["what"]: line for line in lines}, True
    for what, line in found.items():
        if what not in known["rows"]:
            print(f"bench: {what}: nothing is recorded")
            continue
        before = known["rows"][what]
        if line["ratio"] is None:
            print(f"bench: {what}: FAILED: no ratio; recorded is {before['ratio']:.2f}")
            held = False
            continue
        by = worse(line["ratio"], before["ratio"], before["better"])
        if by > TOLERANCE:
            print(f"bench: {what}: FAILED: {line['ratio']:.2f}, recorded is {before['ratio']:.2f}: {by:.0%} worse")
            held = False
        else:
            print(f"bench: {what}: {line['ratio']:.2f}, recorded is {before['ratio']:.2f}")
    return held
