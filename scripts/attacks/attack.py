"""One attack, and what came of it."""

import time
from dataclasses import dataclass, field

SLOWEST = 0.1
SETTLING = 10
MIB = 1 << 20


@dataclass
class Attack:
    """A row of the table. `run` gets the host, and returns what the host did that it shouldn't have done."""

    name: str
    # A description.
    about: str
    run: object
    script: str = "@PRELUDE@"
    # More files of the script's folder.
    files: dict = field(default_factory=dict)
    # `@FOLDER@` is a folder beside that of the script.
    flags: list = field(default_factory=list)
    # MiB that the host may take in addition to its start: the script's 64, the content's 128, and work in
    # progress, unless the attack says less.
    roof: int = 320
    # Soft and hard limit of open files; None for those of this process.
    descriptors: tuple = None
    # Seconds that a fresh answer may take.
    slowest_fresh: float = SLOWEST
    slowest_health: float = SLOWEST
    # Content within its budget is no leak, so it is wiped before memory is compared.
    wipes: bool = True
    # The first run brings the allocator's and the script's arenas to their size. Only the growth in a second
    # run counts, because a leak grows each time.
    runs_twice: bool = False


def measure(host, attack):
    """Runs an attack beside the client. Returns a dictionary with the figures and with `complaints`."""
    warm(host)
    if attack.runs_twice:
        attack.run(host)
        host.command("wipe", "api")
        time.sleep(SETTLING)
    time.sleep(0.5)
    start, _, threads = host.status_of_process()
    host.forget_peak()
    host.start_probe()
    time.sleep(1)
    began = time.monotonic()
    complaints = list(attack.run(host) or [])
    seconds = time.monotonic() - began
    if not host.is_alive:
        return {"complaints": complaints + [obituary(host)], "seconds": seconds}
    if attack.wipes:
        host.command("wipe", "api")
    time.sleep(SETTLING - 2)
    used = host.processor_seconds()
    time.sleep(2)
    busy = (host.processor_seconds() - used) / 2
    if not host.is_alive:
        return {"complaints": complaints + [obituary(host)], "seconds": seconds}
    after, peak, threads_after = host.status_of_process()
    answers = host.end_probe()
    result = {
        "start": start, "peak": peak, "after": after, "threads": threads, "threads_after": threads_after, "busy": busy,
        "seconds": seconds, "stall": longest_stall(answers["health"]), **{name: slowest(lines) for name, lines in answers.items()},
    }
    result["complaints"] = complaints + judge(attack, result, answers)
    return result


def obituary(host):
    return "it took 3 GiB, and was ended" if host.was_stopped else f"the host ended with {host.process.returncode}"


def warm(host):
    """Makes the host do what every host does sooner or later, so that this memory isn't counted for the attack."""
    for path in ("/-/health", "/api/fresh", "/api/warm", "/api/fresh", "/-/health"):
        host.get(path)
    for number in range(20):
        host.get_all([f"/api/warm?n={number}-{i}" for i in range(10)])


def slowest(lines):
    return max((took for _, took, _ in lines), default=0)


def longest_stall(lines):
    """The longest time in seconds in which the engine didn't answer, as seen by readers of its health."""
    longest = began = 0
    for at, took, fault in lines:
        if fault != "busy":
            began = 0
            continue
        began = began or at
        longest = max(longest, at + took - began)
    return longest


def judge(attack, result, answers):
    complaints = []
    for name, most in (("health", attack.slowest_health), ("fresh", attack.slowest_fresh)):
        late = [took for _, took, _ in answers[name] if took > most]
        if late:
            complaints.append(f"{name} took more than {1000 * most:.0f} ms {len(late)} times of {len(answers[name])}")
        faults = [fault for _, _, fault in answers[name] if fault and fault != "busy"]
        if faults:
            complaints.append(f"{name} failed {len(faults)} times: {faults[0]}")
    if result["stall"] > 0.12:
        complaints.append(f"the engine didn't answer for {1000 * result['stall']:.0f} ms")
    if result["peak"] > result["start"] + attack.roof * MIB:
        complaints.append(f"memory rose by more than {attack.roof} MiB")
    if result["after"] > 1.2 * result["start"]:
        complaints.append(f"memory stays {100 * (result['after'] / result['start'] - 1):+.0f} %")
    if result["threads_after"] > result["threads"]:
        complaints.append(f"{result['threads_after'] - result['threads']} threads more")
    if result["busy"] > 0.2:
        complaints.append(f"{100 * result['busy']:.0f} % of a processor ten seconds later")
    return complaints
