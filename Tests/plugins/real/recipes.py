#!/usr/bin/env python3
"""Runs recipes of examples/cookbook against the Docker registry, etcd, Prometheus, Radicale and moto."""

import base64
import json
import pathlib
import sys
import tempfile
import time
import urllib.request

sys.dont_write_bytecode = True
import plugin_host as host
import registry_server
from recipe_host import recipe, server, until

host.use_packages("Radicale", "moto")


def docker_tags():
    with registry_server.registry() as (url, tokens):
        registry_server.push(url, tokens, "team/app", ["1.0", "1.1", "latest"])
        logins = tokens.count
        environment = {
            "REGISTRY_URL": url,
            "REGISTRY_USER": "ada",
            "REGISTRY_PASSWORD": "wonderland",
            "REGISTRY_AUTH": tokens.url,
        }
        with recipe("docker_tags", **environment) as read:
            for _ in range(3):
                tags = read("/registry/tags/team/app")
        host.check("tags of an image", sorted(tags), ["1.0", "1.1", "latest"])
        host.check("logins", tokens.count - logins, 1)
        with recipe("docker_tags", **{**environment, "REGISTRY_PASSWORD": "wrong"}) as read:
            try:
                read("/registry/tags/team/app")
                sys.exit("a wrong password was taken")
            except urllib.error.HTTPError as error:
                host.check("a wrong password", error.code, 401)


def etcd_settings():
    with tempfile.TemporaryDirectory() as folder:
        url, peer = f"http://127.0.0.1:{host.free_port()}", f"http://127.0.0.1:{host.free_port()}"
        command = [host.program("etcd", "etcd-server"), "--data-dir", folder, "--log-level", "error"]
        command += ["--listen-client-urls", url, "--advertise-client-urls", url, "--listen-peer-urls", peer]
        put = 'rest.service { name = "etcd", base_url = "URL" }'.replace("URL", url)
        change = "local etcd = require 'resthost.etcd'\nlocal s = " + put + "\nrest.spawn(function() %s end)"
        with server(command, url + "/health"):
            host.run(change % "etcd.put(s, 'settings/color', 'red') etcd.put(s, 'settings/size', '5')")
            with recipe("etcd_settings", ETCD_URL=url) as read, recipe(
                "etcd_settings", ETCD_URL=url
            ) as other:
                until(read, "/settings", {"color": "red", "size": "5"})
                host.run(change % "etcd.put(s, 'settings/color', 'blue') etcd.delete(s, 'settings/size')")
                until(read, "/settings", {"color": "blue"})
                until(other, "/settings", {"color": "blue"})
                for _ in range(100):
                    leaders = [read("/runs")["leader"], other("/runs")["leader"]]
                    if any(leaders):
                        break
                    time.sleep(0.2)
                time.sleep(6)
                leaders = [read("/runs")["leader"], other("/runs")["leader"]]
                host.check("one leader of two hosts", sorted(leaders), [False, True])


def prometheus_report():
    with tempfile.TemporaryDirectory() as folder:
        address = f"127.0.0.1:{host.free_port()}"
        targets = f'[ {{ targets: [ "{address}", "127.0.0.1:1" ] }} ]'
        jobs = f"scrape_configs: [ {{ job_name: itself, scrape_interval: 1s, static_configs: {targets} }} ]"
        config = pathlib.Path(folder, "prometheus.yml")
        config.write_text(jobs)
        command = [host.program("prometheus", "prometheus"), f"--config.file={config}"]
        command += [f"--storage.tsdb.path={folder}/data", f"--web.listen-address={address}"]
        with server(command, f"http://{address}/-/ready"):
            for _ in range(100):
                with urllib.request.urlopen(f"http://{address}/api/v1/query?query=count(up)") as answer:
                    if b'"2"' in answer.read():
                        break
                time.sleep(0.2)
            with recipe("prometheus_report", PROMETHEUS_URL=f"http://{address}") as read:
                report = read("/report")
                history = read("/history?expression=" + urllib.parse.quote("vector(1) / 0"))
        host.check("scrapes that fail", report[0]["above"], [{"job": "itself", "value": 1}])
        host.check("goroutines", report[1]["above"], [])
        host.check("a history in minutes", len(history[0]["values"]), 61)
        host.check("a value that JSON doesn't have", history[0]["values"][0]["value"], None)


def calendar_agenda():
    with tempfile.TemporaryDirectory() as folder:
        address = f"127.0.0.1:{host.free_port()}"
        pathlib.Path(folder, "users").write_text("ada:wonderland\n")
        pathlib.Path(folder, "config").write_text(
            f"[server]\nhosts = {address}\n[storage]\nfilesystem_folder = {folder}/data\n"
            f"[auth]\ntype = htpasswd\nhtpasswd_filename = {folder}/users\nhtpasswd_encryption = plain\n"
        )
        command = [sys.executable, "-m", "radicale", "--config", f"{folder}/config"]
        url = f"http://{address}/ada/work/"
        with server(command, f"http://{address}/.web/"):
            token = base64.b64encode(b"ada:wonderland").decode()
            headers = {"Authorization": "Basic " + token}
            urllib.request.urlopen(urllib.request.Request(url, method="MKCALENDAR", headers=headers)).close()
            environment = {"CALDAV_URL": url, "CALDAV_USER": "ada", "CALDAV_PASSWORD": "wonderland"}
            with recipe("calendar_agenda", **environment) as read:
                host.check("an empty calendar", read("/agenda?empty"), [])
                for days, summary in [(3, "Tea, cake; talk"), (1, "Dentist"), (9, "Too late")]:
                    start = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(time.time() + days * 86400))
                    form = urllib.parse.urlencode({"start": start, "summary": summary}).encode()
                    read("/events", form)
                agenda = [event["summary"] for event in read("/agenda")]
        host.check("an agenda", agenda, ["Dentist", "Tea, cake; talk"])


def with_moto():
    port = host.free_port()
    url = f"http://127.0.0.1:{port}"
    keys = {
        "AWS_ACCESS_KEY_ID": "AKIDEXAMPLE",
        "AWS_SECRET_ACCESS_KEY": "a key of tests",
        "AWS_REGION": "us-east-1",
    }
    with server([sys.executable, "-m", "moto.server", "-p", str(port)], url + "/moto-api/"):
        urllib.request.urlopen(urllib.request.Request(url + "/photos", method="PUT")).close()
        with recipe("s3_photos", BUCKET_URL=url + "/photos", **keys) as read:
            photo = b"\xff\xd8\xff\xe0 a photo"
            read("/photos/lake.jpg", photo)
            host.check("a photo", read("/photos/lake.jpg", as_json=False), photo)

        table = {
            "TableName": "counters",
            "BillingMode": "PAY_PER_REQUEST",
            "KeySchema": [{"AttributeName": "name", "KeyType": "HASH"}],
            "AttributeDefinitions": [{"AttributeName": "name", "AttributeType": "S"}],
        }
        target = {
            "X-Amz-Target": "DynamoDB_20120810.CreateTable",
            "Content-Type": "application/x-amz-json-1.0",
        }
        target["Authorization"] = "AWS4-HMAC-SHA256 Credential=x/20260101/us-east-1/dynamodb/aws4_request"
        data = json.dumps(table).encode()
        urllib.request.urlopen(urllib.request.Request(url + "/", data, target, method="POST")).close()
        with recipe("dynamodb_counters", DYNAMODB_URL=url, **keys) as read:
            counts = [read("/counters/visits", b"")["count"] for _ in range(3)]
            host.check("counts", counts, [1, 2, 3])
            host.check("a count", read("/counters/visits"), {"count": 3})
            host.check("another count", read("/counters/others"), {"count": 0})


docker_tags()
etcd_settings()
prometheus_report()
calendar_agenda()
with_moto()
print(
    "recipes: docker_tags, etcd_settings, prometheus_report and calendar_agenda with their servers, s3_photos and "
    "dynamodb_counters with moto"
)
