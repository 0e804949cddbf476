"""Rows that use all processors of the machine."""

import servers
from lines import OURS, line, started
from measure import in_turn, median, requests_and_seconds
from world import need


def whole_machine(row, what, path, expiration, collapse, transformer):
    """A row that uses all processors: `--workers auto` beside nginx with a worker for each, in requests a second and
    in CPU time of all their processes. A host of one process shows how much the workers add."""
    def measure(world, options):
        need("wrk")
        sessions = {}

        def starting(name, start):
            def run():
                url = start()
                sessions[name] = world.running[-1].pid
                servers.check_mapped(url)
                return url
            return run

        def ours(words=None):
            return servers.start_resthost(
                world, world.upstream, row, expiration, collapse, transformer, words)

        one = "resthost, one process"
        urls, reasons = started({
            OURS: starting(OURS, lambda: ours(servers.RUN_WORKERS)), one: starting(one, ours),
            "nginx+Lua": starting(
                "nginx+Lua", lambda: servers.start_nginx_lua(world, world.upstream, "auto") + path)})
        figures, more = in_turn(
            options.rounds, {
                name: lambda url=url, session=sessions[name]: requests_and_seconds(url, session, options.seconds)
                for name, url in urls.items()})
        reasons = {**reasons, **more}

        def part(index, names=(OURS, "nginx+Lua")):
            return {name: [figure[index] for figure in figures[name]] for name in names if name in figures}

        alone = [f"{one}: {median(found):,.0f} {unit}" for index, unit in enumerate(("requests/s", "µs of CPU"))
                 for found in part(index, (one,)).values()]
        return [line(row, f"{what}, all processors", "requests/s", "≥ 1.3", part(0), reasons, notes=alone),
                line(row, f"{what}, all processors, CPU", "µs/request", "≤ 0.75", part(1), reasons)]

    return measure
