#!/usr/bin/env python3
"""Runs recipes of examples/cookbook against nginx, which serves files, and takes them by WebDAV."""

import contextlib
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import time
import urllib.request

sys.dont_write_bytecode = True
import plugin_host as host
from recipe_host import FOLDER, LUA_PATH, recipe, status_of, until

CONFIGURATION = """
daemon off;
master_process off;
pid {folder}/pid;
events {{ worker_connections 100; }}
http {{
  access_log {folder}/access.log;
  client_body_temp_path {folder}/body;
  proxy_temp_path {folder}/proxy;
  fastcgi_temp_path {folder}/fastcgi;
  uwsgi_temp_path {folder}/uwsgi;
  scgi_temp_path {folder}/scgi;
  types {{ text/html html; }}
  default_type application/json;
  server {{
    listen {address};
    root {folder}/files;
    autoindex on;
    dav_methods PUT DELETE;
    create_full_put_path on;
    location = /reviews {{ try_files /reviews-$arg_product =404; }}
    location = /old.html {{ return 301 /good.html; }}
    location = /private.html {{ deny all; }}
    location = /no-head.html {{ if ($request_method = HEAD) {{ return 405; }} }}
    location = /failing.html {{ return 503; }}
  }}
}}
"""


@contextlib.contextmanager
def nginx(**files):
    """Runs nginx, and gives an object with its `url`, its `process`, `put`, and `requests`, the log."""
    with tempfile.TemporaryDirectory() as folder:
        address = f"127.0.0.1:{host.free_port()}"
        config = pathlib.Path(folder, "nginx.conf")
        config.write_text(CONFIGURATION.format(folder=folder, address=address))
        program = host.program("nginx", "nginx-light")

        class Server:
            url = f"http://{address}"

            def put(self, path, content):
                """Writes a file at once, so that nginx never serves a part of it."""
                target = pathlib.Path(folder, "files", path)
                target.parent.mkdir(parents=True, exist_ok=True)
                part = pathlib.Path(folder, "part")
                part.write_text(content if isinstance(content, str) else json.dumps(content))
                part.rename(target)

            def start(self):
                command = [program, "-e", f"{folder}/error.log", "-c", str(config)]
                self.process = subprocess.Popen(command)
                host.wait_for(self.url, self.process)

            def stop(self):
                self.process.send_signal(signal.SIGCONT)
                self.process.terminate()
                self.process.wait()

            def requests(self, part):
                lines = pathlib.Path(folder, "access.log").read_text().splitlines()
                fields = [line.split('"') for line in lines if part in line]
                return [one[1] + " " + one[2].split()[0] for one in fields]

        made = Server()
        for path, content in files.items():
            made.put(path, content)
        made.put("index.html", files.get("index.html", "<title>A server of files</title>"))
        made.start()
        try:
            yield made
        finally:
            made.stop()


def mirrors():
    with nginx() as first, nginx() as second:
        first.put("data/list.json", {"from": 1})
        for path in ("data/list.json", "data/other.json", "data/deep/a b.json", "data/late.json"):
            second.put(path, {"from": 2})
        away = f"http://127.0.0.1:{host.free_port()}"
        addresses = {"FIRST_MIRROR": away, "SECOND_MIRROR": first.url, "THIRD_MIRROR": second.url}
        with recipe("mirrors", **addresses) as read:
            host.check("the first mirror that works", read("/files/data/list.json"), {"from": 1})
            missing = status_of(read, "/files/data/other.json")
            host.check("a file that the mirror does not have", missing, 404)
            host.check("requests to the other mirror", second.requests("/data/"), [])
            first.stop()
            host.check("another mirror", read("/files/data/deep/a%20b.json"), {"from": 2})
            host.check("a file in the cache", read("/files/data/list.json"), {"from": 1})
            second.stop()
            host.check("no mirror", status_of(read, "/files/data/late.json") >= 500, True)


def link_checker():
    away = f"http://127.0.0.1:{host.free_port()}/"
    page = f"""<!doctype html><a href="good.html">a</a> <a href='/old.html#top'>b</a>
        <A HREF="gone.html">c</A> <a href="private.html">d</a> <a href="no-head.html">e</a>
        <a href="failing.html">f</a> <a href="list/">g</a> <a href="list/?C=M&amp;O=A">h</a> <a href="{away}">i</a> <a href="#top">j</a>
        <a href="http://localhost:1/">k</a>"""
    with nginx(**{"index.html": page}) as web:
        for path in ("good.html", "no-head.html", "private.html", "list/a.html"):
            web.put(path, "<title>A page</title>")

        def run(start):
            hosts = ",".join(url.split("/")[2] for url in (web.url, away))
            return subprocess.run(
                [host.PROGRAM, "run", "link_checker.lua", "--allow-net", hosts, *LUA_PATH],
                cwd=FOLDER, env={**os.environ, "PAGE_URL": start}, capture_output=True, text=True, timeout=60,
            )

        result = run(web.url + "/index.html")
        lines = result.stdout.splitlines()
        problems = [line for line in lines[:-1] if line.endswith(".html")]
        expected = [f"{status}  {web.url}/{name}.html"
                    for status, name in [(404, "gone"), (403, "private"), (503, "failing")]]
        host.check("broken links", problems, expected)
        host.check("a server that is away", len([line for line in lines if line.endswith("  " + away)]), 1)
        refused = [line for line in lines if line.endswith("  http://localhost:1/")]
        host.check_contains("a host that is not granted", refused, "not allowed")
        host.check("the last line", lines[-1], "10 links, 5 of them broken")
        host.check("the status of the program", result.returncode, 1)
        methods = [line.split()[0] for line in web.requests("/no-head")]
        host.check("a page without HEAD", methods, ["HEAD", "GET"])
        host.check("a page that moved", "HEAD /good.html HTTP/1.1 200" in web.requests("/good.html"), True)
        result = run(web.url + "/list/")
        host.check("a list of nginx", result.stdout.splitlines()[-1].endswith(" 0 of them broken"), True)
        host.check("the status of a page without broken links", result.returncode, 0)


def health_page():
    with nginx(health={"ok": True}) as shop, nginx(health={"ok": True}) as search:
        search.stop()
        with recipe("health_page", SHOP_URL=shop.url, SEARCH_URL=search.url) as read:
            for _ in range(50):
                checks = read("/health") if status_of(read, "/health") == 200 else []
                if checks and "reason" in checks[1]:
                    break
                time.sleep(0.2)
            states = [(one["name"], one["ok"]) for one in checks]
            host.check("checks", states, [("shop", True), ("search", False)])
            host.check("a reason", checks[1]["reason"] != "", True)
            page = read("/", as_json=False).decode()
            host.check_contains("a page", page, "<td>shop<td>works")
            host.check_contains("a page", page, "<td>search<td>fails")
            search.start()
            shop.stop()
            for _ in range(100):
                if status_of(read, "/health") == 503:
                    break
                time.sleep(0.2)
            host.check("the status while the shop is away", status_of(read, "/health"), 503)
            host.check_contains("the search works again", read("/", as_json=False), "<td>search<td>works")


def feature_flags():
    flags = {
        "dark_mode": {"enabled": True, "percent": 100},
        "checkout": {"enabled": True, "percent": 0, "users": ["ada"]},
        "old": {"enabled": False, "percent": 100},
    }
    with nginx(flags=flags) as source, tempfile.TemporaryDirectory() as folder:
        with recipe("feature_flags", folder, FLAGS_URL=source.url) as read:
            host.check("flags", read("/flags/ada"), {"dark_mode": True, "checkout": True, "old": False})
            host.check("flags of another", read("/flags/bob")["checkout"], False)
            for number in range(20):
                read(f"/flags/user{number}")
            host.check("requests", len(source.requests("/flags")), 1)
        source.stop()
        with recipe("feature_flags", folder, FLAGS_URL=source.url) as read:
            host.check("flags after a restart", read("/flags/ada")["checkout"], True)
        source.start()
        source.put("flags", {"dark_mode": {"enabled": False}})
        with recipe("feature_flags", FLAGS_URL=source.url) as read:
            host.check("new flags", read("/flags/ada"), {"dark_mode": False})


def product_page():
    with nginx() as catalog, nginx() as stock, nginx() as reviews:
        for number in (7, 8, 9):
            catalog.put(f"products/{number}", {"name": "Lamp", "price": 20})
            stock.put(f"items/{number}", {"count": 3})
            reviews.put(f"reviews-{number}", [{"stars": 5}, {"stars": 4}])
        addresses = {"CATALOG_URL": catalog.url, "STOCK_URL": stock.url, "REVIEWS_URL": reviews.url}
        with recipe("product_page", **addresses) as read:
            page = {"name": "Lamp", "price": 20, "in_stock": 3, "reviews": {"count": 2, "stars": 4.5}}
            host.check("a page", read("/shop/products/7"), {**page, "missing": []})
            # The kernel takes connections for a process that sleeps, so the reviews never answer.
            reviews.process.send_signal(signal.SIGSTOP)
            started = time.monotonic()
            late = read("/shop/products/8")
            host.check("a time below 2 s", time.monotonic() - started < 2, True)
            host.check("a page without reviews", (late["in_stock"], late["reviews"]), (3, False))
            host.check("what is missing", [part["part"] for part in late["missing"]], ["reviews"])
            reviews.process.send_signal(signal.SIGCONT)
            stock.stop()
            host.check("stock that is away", read("/shop/products/9")["in_stock"], False)
            host.check("no such product", status_of(read, "/shop/products/10"), 404)


def events_from_polling():
    with nginx(orders=[{"id": 1, "state": "new"}]) as shop:
        with recipe("events_from_polling", SHOP_URL=shop.url) as read:
            for _ in range(50):
                if shop.requests("/orders"):
                    break
                time.sleep(0.1)
            request = urllib.request.Request(read.url + "/orders/events", headers={"Last-Event-ID": "0"})
            with urllib.request.urlopen(request, timeout=30) as stream:

                def event():
                    fields = {}
                    for line in iter(stream.readline, b"\n"):
                        name, _, value = line.decode().rstrip("\n").partition(": ")
                        fields[name] = value
                    return fields["event"], json.loads(fields["data"])

                shop.put("orders", [{"id": 1, "state": "paid"}, {"id": 2, "state": "new"}])
                both = sorted((event(), event()), key=lambda one: one[0])
                host.check("events", [one[0] for one in both], ["added", "changed"])
                host.check("a state before", both[1][1]["before"], {"id": 1, "state": "new"})
                shop.put("orders", [{"id": 2, "state": "new"}])
                kind, data = event()
                host.check("an order that went", (kind, data["id"]), ("removed", "1"))


def csv_import():
    rows = "id,name,email\r\n" + "".join(f'{number},"Ada, {number}",ada{number}@example.com\r\n'
                                         for number in range(1, 301))
    with nginx() as crm:
        # A folder has the name of this customer's file, so nginx refuses it.
        crm.put("customers/302/x", "")
        with recipe("csv_import", CRM_URL=crm.url) as read:
            result = read("/import", (rows + "301,Bob,nobody\r\n302,Eve,eve@example.com\r\n").encode(),
                          headers={"Content-Type": "text/csv"})
        host.check("rows", (result["sent"], result["failed"]), (300, 2))
        host.check("problems", [one["row"] for one in result["problems"]], [302, 303])
        with urllib.request.urlopen(crm.url + "/customers/300") as answer:
            stored = json.load(answer)
        host.check("a row", stored, {"id": 300, "name": "Ada, 300", "email": "ada300@example.com"})
        made = [line for line in crm.requests("PUT /customers/") if line.endswith("201")]
        host.check("files", len(made), 300)


for run in (mirrors, link_checker, health_page, feature_flags, product_page, events_from_polling, csv_import):
    run()
print(
    "recipes_files: mirrors, link_checker, health_page, feature_flags, product_page, events_from_polling and "
    "csv_import with nginx"
)
