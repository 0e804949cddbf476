#!/usr/bin/env python3
"""Runs the recipe kubernetes_restarts of examples/cookbook against the emulator of the package kmock. Alerts
go to a server of this file."""

import json
import sys
import time
import urllib.request

sys.dont_write_bytecode = True
import plugin_host as host
from recipe_host import receiver, recipe, server

host.use_packages("kmock")

PODS = "/api/v1/namespaces/web/pods"


def send(method, url, content=None):
    data = None if content is None else json.dumps(content).encode()
    kind = "application/merge-patch+json" if method == "PATCH" else "application/json"
    request = urllib.request.Request(url, data, {"Content-Type": kind}, method=method)
    urllib.request.urlopen(request, timeout=10).close()


def status_of_pod(restarts, reason):
    state = {"waiting": {"reason": reason, "message": "back-off 5m0s"}} if reason else {"running": {}}
    return {"containerStatuses": [{"name": "app", "restartCount": restarts, "state": state}]}


def create(base, name, restarts, reason):
    meta = {"name": name, "namespace": "web", "uid": f"uid-{name}-{time.time()}"}
    send("POST", base + PODS, {"metadata": meta, "status": status_of_pod(restarts, reason)})


def change(base, name, restarts, reason):
    send("PATCH", f"{base}{PODS}/{name}", {"status": status_of_pod(restarts, reason)})


def wait_for_alerts(alerts, expected):
    for _ in range(100):
        if len(alerts) >= len(expected):
            break
        time.sleep(0.1)
    host.check("alerts", alerts, expected)


def kubernetes_restarts():
    alerts, statuses = [], [200]

    def answer(method, path, headers, body):
        status = statuses.pop() if len(statuses) > 1 else statuses[0]
        if status == 200:
            alerts.append((path, json.loads(body)))
        return status, "application/json", b"{}"

    def alert(name, restarts):
        content = {"container": f"web/{name}/app", "restarts": restarts, "message": "back-off 5m0s"}
        return "/alerts", content

    port = host.free_port()
    base = f"http://127.0.0.1:{port}"
    command = [sys.executable, str(host.HERE / "kmock_server.py"), str(port)]
    with receiver(answer) as url, server(command, base):
        create(base, "a", 4, "CrashLoopBackOff")
        create(base, "b", 9, None)
        with recipe("kubernetes_restarts", KUBERNETES_URL=base, ALERT_URL=url):
            expected = [alert("a", 4)]
            wait_for_alerts(alerts, expected)

            # The webhook fails once.
            statuses[:] = [200, 503]
            create(base, "c", 3, "CrashLoopBackOff")
            expected.append(alert("c", 3))
            wait_for_alerts(alerts, expected)

            for restarts, reason in [(5, "CrashLoopBackOff"), (7, None), (7, "CrashLoopBackOff")]:
                change(base, "a", restarts, reason)
            expected.append(alert("a", 7))
            wait_for_alerts(alerts, expected)

            change(base, "b", 12, "ImagePullBackOff")
            send("DELETE", f"{base}{PODS}/a")
            create(base, "a", 3, "CrashLoopBackOff")
            expected.append(alert("a", 3))
            wait_for_alerts(alerts, expected)
            time.sleep(1)
            host.check("alerts in the end", alerts, expected)


kubernetes_restarts()
print("recipes_kubernetes: kubernetes_restarts with kmock")
