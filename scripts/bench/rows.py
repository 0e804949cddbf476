"""The rows of the performance table, in order. Each takes (world, options) and returns report lines."""

import os

import servers
from lines import BEFORE, OURS, line, started
from machine import whole_machine
from measure import (
    in_turn, longest_wait, median, process_seconds, requests_per_second, secure_requests_per_second)
from world import HERE, Unavailable, fetch, large_text, need


def each_program(world, options, start, name=OURS):
    """Does the same with our program and, if there is one, with the program of before."""
    def before():
        with world.using(options.before):
            return start()

    return {name: start, **({BEFORE: before} if options.before else {})}


def load_each(urls, reasons, options):
    need("wrk")
    figures, more = in_turn(
        options.rounds,
        {name: lambda url=url: requests_per_second(url, options.seconds) for name, url in urls.items()})
    return figures, {**reasons, **more}


def hot(world, options):
    """A stored answer that is read over and over, without a fetch, decoding or a transformer."""
    def start_ours():
        url = servers.start_resthost(world, world.upstream, "hot", 3600, "true")
        body = servers.check_mapped(url)
        # nginx reads this file at its start, so both serve the same bytes.
        with open(world.path("hot.body"), "wb") as file:
            file.write(body)
        return url

    def start_nginx():
        url = servers.start_nginx_lua(world, world.upstream) + "/hot"
        servers.check_same(url, world.path("hot.body"))
        return url

    urls, reasons = started({**each_program(world, options, start_ours), "nginx+Lua shared dict": start_nginx})
    figures, reasons = load_each(urls, reasons, options)
    return [line("hot", "hot read through the gateway", "requests/s", "≥ 1.0", figures, reasons)]


def multiplexed(world, options):
    """The same over HTTP/2, with 50 streams at once on each connection, beside HTTP/1.1 over TLS."""
    urls, reasons = started(each_program(world, options, lambda: servers.start_resthost_secure(world, world.upstream)))
    contestants = {
        name: lambda url=url: secure_requests_per_second(url, options.seconds, 50) for name, url in urls.items()}
    if OURS in urls:
        contestants["HTTP/1.1 over TLS"] = lambda: secure_requests_per_second(urls[OURS], options.seconds, None)
    figures, more = in_turn(options.rounds, contestants)
    return [line("multiplexed", "hot read over HTTP/2", "requests/s", "≥ 0.6", figures, {**reasons, **more})]


def mapped_cold(world, options, transformer):
    """Every request fetches 10 kB, decodes, maps 30 records in Lua, encodes and answers."""
    def checked(url):
        servers.check_mapped(url)
        return url

    urls, reasons = started({
        **each_program(world, options, lambda: checked(
            servers.start_resthost(world, world.upstream, "cold", 0, "false", transformer))),
        "nginx+Lua": lambda: checked(servers.start_nginx_lua(world, world.upstream) + "/cold"),
        "HAProxy+Lua": lambda: checked(servers.start_haproxy(world, world.upstream) + "/cold"),
    })
    return load_each(urls, reasons, options)


def cold(world, options):
    """With a function of the script."""
    figures, reasons = mapped_cold(world, options, "map_records")
    return [line("cold", "fetch, decode, map, encode, answer", "requests/s", "≥ 2.0", figures, reasons)]


def module(world, options):
    """With a transformer module on its own thread."""
    figures, reasons = mapped_cold(world, options, '"map_records"')
    return [line("module", "the same as a module", "requests/s", "≥ 2.0", figures, reasons)]


def miss(world, options):
    """Every request fetches 10 kB without decoding them."""
    def start_ours():
        return servers.start_resthost_plain(world, world.upstream)

    def start_nginx():
        return servers.start_proxy(world, world.upstream) + "/records.json"

    urls, reasons = started({**each_program(world, options, start_ours), "nginx proxy": start_nginx})
    figures, reasons = load_each(urls, reasons, options)
    return [line("miss", "a miss of bytes through the gateway", "requests/s", "≥ 1.0", figures, reasons)]


def loads(world, options):
    """Engine loads at concurrency 32 beside a C loop that discards the bodies."""
    url, count = world.upstream + "/records.json", options.transfers
    ours = [word.format(url=url, count=count, bench="{bench}") for word in servers.LOADS]
    script = servers.resthost_script(world, world.upstream, "loads.lua", 0, "false")

    def rate(words):
        return float(world.json_of(words)["transfers_per_second"])

    def c_loop():
        return rate([world.curl_loop, url, str(count), "32"])

    reasons = {}
    try:
        world.curl_loop = servers.compile_curl_loop(world)
        partner = {"C on curl_multi": c_loop}
    except Unavailable as reason:
        partner, reasons = {}, {"C on curl_multi": str(reason)}

    # All three alternate, because the partner's figures are in both lines.
    def contestants(name, words):
        found = each_program(world, options, lambda: rate(servers.command(world, words)), name)
        return {name if key == name else f"{BEFORE} {name}": run for key, run in found.items()}

    figures, failed = in_turn(options.rounds, {
        **contestants("scripted", ours + ["--script", script]), **contestants("raw", ours), **partner})

    def against_c(what, ours, target):
        own = {OURS: figures[ours]} if ours in figures else {}
        if f"{BEFORE} {ours}" in figures:
            own[BEFORE] = figures[f"{BEFORE} {ours}"]
        why = {OURS: failed[ours]} if ours in failed else {}
        c = {name: figures[name] for name in partner if name in figures}
        lost = {**reasons, **{name: failed[name] for name in partner if name in failed}}
        return line("loads", what, "transfers/s", target, {**own, **c}, {**why, **lost})

    return [against_c("engine loads, JSON + Lua transformer", "scripted", "≥ 0.6"),
            against_c("engine loads, raw", "raw", "≥ 0.85")]


def beside_large(world, options):
    """A fresh hit, read all the time while the gateway loads a large body for another client."""
    large = large_text(30)
    world.write("files/large.json", large)
    # Lua may write a number shorter.
    least, asked = int(len(large) * 0.9), [0]
    size = ["-s", "-o", "/dev/null", "-w", "%{size_download}"]

    def start_ours():
        url = servers.start_resthost_large(world, world.upstream)
        fetch(url + "/records.json")
        return url

    def start_nginx():
        return servers.start_nginx_lua(world, world.upstream)

    def ours(url):
        # Another resource each time, so that it is loaded.
        asked[0] += 1
        return longest_wait(
            url + "/records.json", [need("curl"), *size, f"{url}/large.json?n={asked[0]}"], least)

    urls, reasons = started({OURS: start_ours, "nginx+Lua": start_nginx})
    contestants = {}
    if OURS in urls:
        contestants[OURS] = lambda: ours(urls[OURS])
    if "nginx+Lua" in urls:
        contestants["nginx+Lua"] = lambda: longest_wait(
            urls["nginx+Lua"] + "/hot", [need("curl"), *size, urls["nginx+Lua"] + "/large"], least)
    figures, more = in_turn(options.rounds, contestants)
    return [line("large", "a fresh hit beside a 30 MB body, longest wait", "ms", "≤ 0.1", figures, {**reasons, **more})]


def json_text(world, options):
    """JSON text → Lua table; its script brings both sides and their ratio."""
    script = os.path.join(HERE, "json", "run")
    what, target, reasons, ratio = "JSON text → Lua table", "≥ 2.0", {}, None
    try:
        if not options.ours:
            raise Unavailable("partners only")
        if not os.access(script, os.X_OK):
            raise Unavailable("scripts/bench/json/run isn't there")
        answer = world.json_of([script])
        ratio = float(answer["ratio"])
        notes = [f"{key}: {value}" for key, value in answer.items() if key != "ratio"]
    except (Unavailable, KeyError) as reason:
        reasons, notes = {OURS: str(reason)}, []
    return [line("json", what, "ratio to lua-cjson", target, {}, reasons, ratio, notes)]


def configuration(world, options):
    """One URL's configuration among 10,000 patterns and among 10."""
    def nanoseconds(patterns):
        words = servers.command(world, servers.CONFIGURATION, patterns=patterns)
        return float(world.json_of(words)["nanoseconds"])

    figures, reasons = in_turn(
        options.rounds, {OURS: lambda: nanoseconds(10000), "resthost, 10 patterns": lambda: nanoseconds(10)})
    return [line("configuration", "configuration among 10,000 patterns", "ns", "≤ 3", figures, reasons)]


def whole_process(world, options):
    """`resthost get` from start to exit beside curl."""
    url = world.upstream + "/records.json"
    script = world.template("get.lua", UPSTREAM=world.upstream)
    commands, reasons = {}, {}
    ours = each_program(world, options, lambda: servers.command(world, servers.GET, script=script))
    for name, words in (*ours.items(), ("curl", lambda: [need("curl"), "-s", url])):
        try:
            commands[name] = words()
            # Runs once before measuring, because a contestant that fails would seem very fast.
            servers.check_records(name, world.output_of(commands[name]))
        except Unavailable as reason:
            commands.pop(name, None)
            reasons[name] = str(reason)
    seconds, how = process_seconds(world, commands, options.runs) if commands else ({}, "")
    figures = {name: [value * 1000] for name, value in seconds.items()}
    return [line("get", "resthost get, whole process", "ms", "≤ 1.3", figures, reasons, notes=[how] if how else [])]


def memory(world, options):
    """The memory of an idle resource with 300 bytes of data."""
    figures, reasons = in_turn(
        1, {OURS: lambda: float(world.json_of(servers.command(world, servers.RESOURCES))["bytes_per_resource"])})
    ratio = median(figures[OURS]) / 2048 if OURS in figures else None
    return [line("memory", "one idle resource, of 2 kB", "bytes", "≤ 1", figures, reasons, ratio)]


ROWS = {"hot": hot, "multiplexed": multiplexed, "cold": cold, "module": module, "miss": miss, "large": beside_large,
        "machine-hot": whole_machine("machine-hot", "hot read", "/hot", 3600, "true", "map_records"),
        "machine-cold": whole_machine("machine-cold", "fetch, map, encode", "/cold", 0, "false", "map_records"),
        "machine-module": whole_machine("machine-module", "the same as a module", "/cold", 0, "false", '"map_records"'),
        "loads": loads, "json": json_text, "configuration": configuration,
        "get": whole_process, "memory": memory}
# Rows that need the separate bench program.
OF_BENCH_PROGRAM = {"loads", "configuration", "memory"}
