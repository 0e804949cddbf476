"""The rows of the performance table, in its order. Each takes (world, options) and returns lines of the report."""

import os

import servers
from measure import in_turn, median, process_seconds, requests_per_second
from world import HERE, Unavailable, need

OURS = "resthost"


def line(row, what, unit, target, figures, reasons=None, ratio=None, notes=()):
    """One line of the report. `figures` is name → list; the ratio is ours to the best partner's unless it is given."""
    medians = {name: median(found) for name, found in figures.items() if found}
    partners = {name: value for name, value in medians.items() if name != OURS}
    best = None
    if partners:
        best = (min if target.startswith("≤") else max)(partners, key=partners.get)
    if ratio is None and OURS in medians and best:
        ratio = medians[OURS] / partners[best]
    notes = list(notes) + [f"{name}: {reason}" for name, reason in (reasons or {}).items()]
    return {"row": row, "what": what, "unit": unit, "target": target, "figures": figures, "medians": medians,
            "best_partner": best, "ratio": ratio, "notes": notes}


def started(contestants):
    """Runs every start function; those that can't start give their reason."""
    urls, reasons = {}, {}
    for name, start in contestants.items():
        try:
            urls[name] = start()
        except Unavailable as reason:
            reasons[name] = str(reason)
    return urls, reasons


def load_each(urls, reasons, options):
    need("wrk")
    figures, more = in_turn(
        options.rounds,
        {name: lambda url=url: requests_per_second(url, options.seconds) for name, url in urls.items()})
    return figures, {**reasons, **more}


def hot(world, options):
    """A stored answer, read over and over: nobody fetches, decodes or runs a transformer."""
    def start_ours():
        url = servers.start_resthost(world, world.upstream, "hot", 3600, "true")
        body = servers.check_mapped(url)
        # nginx reads this file at its start: both serve the very same bytes.
        with open(world.path("hot.body"), "wb") as file:
            file.write(body)
        return url

    def start_nginx():
        url = servers.start_nginx_lua(world, world.upstream) + "/hot"
        servers.check_same(url, world.path("hot.body"))
        return url

    urls, reasons = started({OURS: start_ours, "nginx+Lua shared dict": start_nginx})
    figures, reasons = load_each(urls, reasons, options)
    return [line("hot", "hot read through the gateway", "requests/s", "≥ 1.0", figures, reasons)]


def cold(world, options):
    """Every request fetches 10 kB, decodes, maps 30 records in Lua, encodes and answers."""
    def checked(url):
        servers.check_mapped(url)
        return url

    urls, reasons = started({
        OURS: lambda: checked(servers.start_resthost(world, world.upstream, "cold", 0, "false")),
        "nginx+Lua": lambda: checked(servers.start_nginx_lua(world, world.upstream) + "/cold"),
        "HAProxy+Lua": lambda: checked(servers.start_haproxy(world, world.upstream) + "/cold"),
    })
    figures, reasons = load_each(urls, reasons, options)
    return [line("cold", "fetch, decode, map, encode, answer", "requests/s", "≥ 2.0", figures, reasons)]


def loads(world, options):
    """Engine loads at concurrency 32 beside a C loop that discards the bodies."""
    url, count = world.upstream + "/records.json", options.transfers
    ours = [word.format(url=url, count=count, program="{program}") for word in servers.LOADS]
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

    # All three in turn: the partner's figures serve both lines.
    figures, failed = in_turn(options.rounds, {
        "scripted": lambda: rate(servers.command(world, ours + ["--script", script])),
        "raw": lambda: rate(servers.command(world, ours)), **partner})

    def against_c(what, ours, target):
        own = {OURS: figures[ours]} if ours in figures else {}
        why = {OURS: failed[ours]} if ours in failed else {}
        c = {name: figures[name] for name in partner if name in figures}
        lost = {**reasons, **{name: failed[name] for name in partner if name in failed}}
        return line("loads", what, "transfers/s", target, {**own, **c}, {**why, **lost})

    return [against_c("engine loads, JSON + Lua transformer", "scripted", "≥ 0.6"),
            against_c("engine loads, raw", "raw", "≥ 0.85")]


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
    for name, words in ((OURS, lambda: servers.command(world, servers.GET, script=script)),
                        ("curl", lambda: [need("curl"), "-s", url])):
        try:
            commands[name] = words()
            # Once beforehand: a contestant that fails would be very fast.
            servers.check_records(name, world.output_of(commands[name]))
        except Unavailable as reason:
            commands.pop(name, None)
            reasons[name] = str(reason)
    seconds, how = process_seconds(world, commands, options.runs) if commands else ({}, "")
    figures = {name: [value * 1000] for name, value in seconds.items()}
    return [line("get", "resthost get, whole process", "ms", "≤ 1.3", figures, reasons, notes=[how] if how else [])]


def memory(world, options):
    """What an idle resource with 300 bytes of data costs."""
    figures, reasons = in_turn(
        1, {OURS: lambda: float(world.json_of(servers.command(world, servers.RESOURCES))["bytes_per_resource"])})
    ratio = median(figures[OURS]) / 2048 if OURS in figures else None
    return [line("memory", "one idle resource, of 2 kB", "bytes", "≤ 1", figures, reasons, ratio)]


ROWS = {"hot": hot, "cold": cold, "loads": loads, "json": json_text, "configuration": configuration,
        "get": whole_process, "memory": memory}
