#!/usr/bin/env python3
"""Runs recipes of examples/cookbook against Alertmanager, the Pushgateway, Datasette and httpbin."""

import json
import pathlib
import re
import sqlite3
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.dont_write_bytecode = True
import plugin_host as host
from recipe_host import recipe, server, status_of

host.use_packages("datasette", "httpbin")


def get(url, as_json=True):
    with urllib.request.urlopen(url, timeout=20) as answer:
        content = answer.read().decode()
        return json.loads(content) if as_json else content


def as_json(value):
    return json.dumps(value).encode()


def alert_silences():
    with tempfile.TemporaryDirectory() as folder:
        address = f"127.0.0.1:{host.free_port()}"
        config = pathlib.Path(folder, "alertmanager.yml")
        config.write_text("route: { receiver: nobody }\nreceivers: [ { name: nobody } ]\n")
        command = [host.program("prometheus-alertmanager", "prometheus-alertmanager")]
        command += [f"--config.file={config}", f"--storage.path={folder}/data"]
        command += [f"--web.listen-address={address}", "--cluster.listen-address="]
        url = f"http://{address}"
        with server(command, url + "/-/ready"), recipe("alert_silences", ALERTMANAGER_URL=url) as read:
            labels = [{"alertname": "Disk", "instance": name} for name in ("db1", "db2")]
            body = as_json([{"labels": one} for one in labels])
            kind = {"Content-Type": "application/json"}
            urllib.request.urlopen(urllib.request.Request(url + "/api/v2/alerts", body, kind)).close()

            def instances():
                return sorted(one["instance"] for one in read("/alerts"))

            host.check("alerts", instances(), ["db1", "db2"])
            everything = read("/maintenance", as_json({"instance": "db.*", "minutes": 5, "by": "ada"}))
            host.check("a name is no pattern", instances(), ["db1", "db2"])
            made = read("/maintenance", as_json({"instance": "db1", "minutes": 30, "by": "ada"}))
            host.check("alerts during the work", instances(), ["db2"])
            silence = get(f"{url}/api/v2/silence/{made['id']}")
            host.check("a person", silence["createdBy"], "ada")
            host.check("an end", silence["endsAt"].replace(".000Z", "Z"), made["finish"])
            request = urllib.request.Request(f"{read.url}/maintenance/{made['id']}", method="DELETE")
            urllib.request.urlopen(request).close()
            host.check("alerts after the work", instances(), ["db1", "db2"])
            states = {one["id"]: one["status"]["state"] for one in get(url + "/api/v2/silences")}
            host.check("silences", states, {made["id"]: "expired", everything["id"]: "active"})
            host.check("no minutes", status_of(read, "/maintenance", as_json({"instance": "db1"})), 422)


def job_metrics():
    url = f"http://127.0.0.1:{host.free_port()}"
    command = [host.program("prometheus-pushgateway", "prometheus-pushgateway"), "--persistence.file="]
    command += ["--web.listen-address=" + url.removeprefix("http://")]
    with server(command, url + "/-/ready"), recipe("job_metrics", PUSHGATEWAY_URL=url) as read:
        host.check("no jobs", read("/overdue"), [])
        read("/jobs/backup", as_json({"seconds": 99, "old": 1}))
        read("/jobs/backup", as_json({"seconds": 12.5, "rows": 1e21}))
        read("/jobs/mail%20of%20night", as_json({"sent": -3}))
        lines = get(url + "/metrics", as_json=False).splitlines()
        values = [line for line in lines if line.startswith("job_")]
        host.check("values", sorted(values), [
            'job_rows{instance="",job="backup"} 1e+21', 'job_seconds{instance="",job="backup"} 12.5',
            'job_sent{instance="",job="mail of night"} -3',
        ])
        host.check("jobs of the last day", read("/overdue"), [])
        time.sleep(1.5)
        read("/jobs/backup", as_json({"seconds": 11}))
        overdue = [one["job"] for one in read(f"/overdue?hours={1 / 3600}")]
        host.check("a job that is overdue", overdue, ["mail of night"])
        host.check("a wrong name", status_of(read, "/jobs/backup", as_json({"a b": 1})), 422)


def datasette_tables():
    with tempfile.TemporaryDirectory() as folder:
        file, port = f"{folder}/shop.db", host.free_port()
        with sqlite3.connect(file) as database:
            database.execute("create table products (id integer primary key, name, price, country)")
            rows = [(number, f"p{number}", number * 1.5, "IS" if number % 2 else "DE")
                    for number in range(1, 551)]
            database.executemany("insert into products values (?, ?, ?, ?)", rows)
        database.close()
        url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "datasette", file, "--port", str(port)]
        with server(command, url + "/-/versions.json"), recipe("datasette_tables", DATASETTE_URL=url) as read:
            products = read("/datasette/all/products")
            host.check("all rows", [one["id"] for one in products], list(range(1, 551)))
            host.check("a row", products[2], {"id": 3, "name": "p3", "price": 4.5, "country": "IS"})
            some = read("/datasette/all/products?country=DE&price__gt=600")
            host.check("a filter", [one["id"] for one in some], list(range(402, 551, 2)))
            all_of_them = read("/datasette/all/products?_where=1%3D0&_size=1")
            host.check("no SQL of clients", len(all_of_them), 550)
            host.check("no such table", status_of(read, "/datasette/all/others"), 404)
            prices = read("/datasette/prices/IS")
            host.check("a query", prices, {"count": 275, "lowest": 1.5, "highest": 823.5})
            host.check("a quote", status_of(read, "/datasette/prices/'%20or%20'1'='1"), 404)


def outbox():
    port = host.free_port()
    url = f"http://127.0.0.1:{port}"
    with tempfile.TemporaryDirectory() as folder:
        log = pathlib.Path(folder, "log")

        def requests(path):
            plain = re.sub("\x1b\\[[0-9;]*m", "", log.read_text())
            return re.findall(f'"POST {path} [^"]*" (\\d+)', plain)

        def wait_for(count, path):
            for _ in range(100):
                if len(requests(path)) >= count:
                    return
                time.sleep(0.2)
            sys.exit(f"httpbin got {requests(path)} for {path}, not {count} messages")

        with recipe("outbox", folder, API_URL=url + "/anything") as read:
            waiting = [read("/messages", as_json({"text": text}))["waiting"] for text in "ab"]
            host.check("messages while httpbin is away", waiting, [1, 2])
        with open(log, "w") as output:
            process = subprocess.Popen(
                [sys.executable, "-m", "httpbin.core", "--port", str(port)], stdout=output, stderr=output
            )
            try:
                host.wait_for(url + "/get", process)
                with recipe("outbox", folder, API_URL=url + "/anything") as read:
                    wait_for(2, "/anything/messages")
                    read("/messages", as_json({"text": "c"}))
                    wait_for(3, "/anything/messages")
                    time.sleep(1)
                    delivered = requests("/anything/messages")
                    host.check("deliveries after a restart", delivered, ["200"] * 3)
                    host.check("refusals", read("/refused"), [])
                # httpbin has no such path, so it refuses the message for good.
                with recipe("outbox", folder, API_URL=url + "/links") as read:
                    read("/messages", as_json({"text": "d"}))
                    wait_for(1, "/links/messages")
                    host.check("the status of a refusal", requests("/links/messages"), ["404"])
                    for _ in range(50):
                        refused = read("/refused")
                        if refused:
                            break
                        time.sleep(0.1)
                    host.check("a refusal", [one["message"]["body"] for one in refused], [{"text": "d"}])
            finally:
                process.terminate()
                process.wait()


alert_silences()
job_metrics()
datasette_tables()
outbox()
print(
    "recipes_operations: alert_silences with Alertmanager, job_metrics with the Pushgateway, datasette_tables "
    "with Datasette, outbox with httpbin"
)
