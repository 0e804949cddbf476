#!/usr/bin/env python3
"""Runs recipes of examples/cookbook against Authlib, strawberry and InfluxDB."""

import json
import pathlib
import sys
import tempfile
import time
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
import plugin_host as host
from recipe_host import recipe, server, status_of

host.use_packages("Authlib", "Flask", "cryptography", "strawberry-graphql", "starlette", "uvicorn")


def get(url):
    with urllib.request.urlopen(url) as answer:
        return json.load(answer)


def oauth2_api():
    port = host.free_port()
    base = f"http://127.0.0.1:{port}"
    environment = {"API_URL": base + "/api", "OAUTH_URL": base + "/token"}
    environment["OAUTH_CLIENT_SECRET"] = "a secret +%"
    with server([sys.executable, str(host.HERE / "oauth2_server.py"), str(port), "{}"], base + "/-/stats"):
        with recipe("oauth2_api", OAUTH_CLIENT_ID="me-60", **environment) as read:
            for page in range(3):
                answer = read(f"/api/reports?page={page}")
                host.check("a report", answer, {"name": "reports", "client": "me-60"})
            stats = get(base + "/-/stats")
            host.check("logins for three reports", (stats["logins"], stats["taken"]), ({"me-60": 1}, 3))
            urllib.request.urlopen(base + "/-/revoke", b"").close()
            host.check("a report after a revocation", read("/api/reports?page=4")["client"], "me-60")
            stats = get(base + "/-/stats")
            host.check("logins after a revocation", (stats["logins"], stats["refused"]), ({"me-60": 2}, 1))
        with recipe("oauth2_api", OAUTH_CLIENT_ID="me-2", **environment) as read:
            read("/api/reports?page=1")
            time.sleep(2.5)
            read("/api/reports?page=2")
            stats = get(base + "/-/stats")
            host.check("logins with tokens of two seconds", stats["logins"]["me-2"], 2)
            host.check("refusals of tokens that have ended", stats["refused"], 1)
        wrong = {**environment, "OAUTH_CLIENT_SECRET": "another secret"}
        with recipe("oauth2_api", OAUTH_CLIENT_ID="me-60", **wrong) as read:
            host.check("a wrong secret", status_of(read, "/api/reports") >= 400, True)


def graphql_gateway():
    port = host.free_port()
    base = f"http://127.0.0.1:{port}"

    def path(operation, code):
        return f"/countries/graphql/{operation}?variables=" + urllib.parse.quote(json.dumps({"code": code}))

    with server([sys.executable, str(host.HERE / "countries_server.py"), str(port)], base + "/-/requests"):
        with recipe("graphql_gateway", COUNTRIES_URL=base) as read:
            for _ in range(2):
                host.check("a country", read(path("country", "FI"))["country"], {
                    "name": "Finland", "capital": "Helsinki", "currency": "EUR",
                    "languages": [{"name": "Finnish"}, {"name": "Swedish"}],
                })
            continent = read(path("continent", "AN"))["continent"]
            antarctica = {"code": "AQ", "name": "Antarctica"}
            host.check("a continent", continent, {"name": "Antarctica", "countries": [antarctica]})
            host.check("requests for two resources", get(base + "/-/requests"), ["POST"] * 2)
            pair = {"names": ["Ireland", "Finland"], "same_currency": True}
            host.check("a pair", read("/pair/ie/fi"), pair)
            host.check("requests with a pair", len(get(base + "/-/requests")), 3)
            host.check("a pair with an unknown country", status_of(read, "/pair/ie/xx"), 404)
            host.check("an error of the API", status_of(read, path("country", "??")) >= 400, True)
            query = json.dumps({"query": "{ country(code: \"IS\") { name } }"}).encode()
            host.check("a query of a client", status_of(read, "/countries/graphql", query), 405)


def influx_writes():
    """Debian's InfluxDB 1.6 has no /api/v2/write: the recipe writes to a database."""
    address, further = (f"127.0.0.1:{host.free_port()}" for _ in range(2))

    def query(text):
        query = urllib.parse.urlencode({"q": text, "db": "sensors"})
        series = get(f"http://{address}/query?{query}")["results"][0].get("series", [])
        return {one["tags"]["sensor"]: [row[1] for row in one["values"]] for one in series}

    with tempfile.TemporaryDirectory() as folder:
        config = pathlib.Path(folder, "influxdb.conf")
        config.write_text(
            f'bind-address = "{further}"\n[meta]\ndir = "{folder}/meta"\n'
            f'[data]\ndir = "{folder}/data"\nwal-dir = "{folder}/wal"\n[http]\nbind-address = "{address}"\n'
        )
        command = [host.program("influxd", "influxdb"), "run", "-config", str(config)]
        with server(command, f"http://{address}/ping"):
            environment = {"INFLUX_URL": f"http://{address}", "INFLUX_DATABASE": "sensors"}
            with recipe("influx_writes", **environment) as read:

                def measure(sensor, temperature):
                    body = json.dumps({"sensor": sensor, "temperature": temperature}).encode()
                    return read("/measurements", body, headers={"Content-Type": "application/json"})

                # The database is missing at first, so nothing is lost while writes fail.
                measure("cellar", 11.5)
                time.sleep(11)
                form = urllib.parse.urlencode({"q": "CREATE DATABASE sensors"}).encode()
                urllib.request.urlopen(f"http://{address}/query", form).close()
                measure("living room, left=a\nb", -3)
                measure("cellar", 0.25)
                host.check("measurements that wait", measure("C:\\a", 1e9), {"waiting": 4, "lost": 0})
                host.check("a wrong measurement", status_of(measure, "cellar", "warm"), 422)
                host.check("a name that the protocol can't write", status_of(measure, "attic\\", 20), 422)
            # The recipe has ended, and has written before.
            measurements = query("SELECT value FROM temperature GROUP BY sensor")
            host.check("measurements in the database", measurements, {
                "cellar": [11.5, 0.25], "living room, left=a\\nb": [-3], "C:\\a": [1e9],
            })


oauth2_api()
graphql_gateway()
influx_writes()
print("recipes_apis: oauth2_api with Authlib, graphql_gateway with strawberry, influx_writes with InfluxDB 1")
