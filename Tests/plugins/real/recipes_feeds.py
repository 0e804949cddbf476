#!/usr/bin/env python3
"""Runs recipes of examples/cookbook with feeds that feedgen makes, and against pypiserver."""

import pathlib
import sys
import tempfile
import time

sys.dont_write_bytecode = True
import plugin_host as host
from recipe_host import receiver, recipe, server

host.use_packages("feedgen", "pypiserver")

from feedgen.feed import FeedGenerator


def feed(items):
    made = FeedGenerator()
    made.id("urn:test")
    made.title("News & views")
    made.link(href="https://example.com/")
    made.description("All that is new")
    for number, (title, date) in enumerate(items):
        entry = made.add_entry()
        entry.id(f"urn:test:{number}")
        entry.title(title)
        entry.link(href=f"https://example.com/{number}?a=1&b=2")
        entry.content("<p>Text</p>", type="html")
        entry.published(date)
        entry.updated(date)
    return made


def news_planet():
    first = [("Iceland & Ä", "2026-03-02T09:30:00+05:30"), ("Old", "2025-12-31T23:30:00-02:00")]
    second = [("<Atom>", "2026-03-02T05:00:00+00:00"), ("Older", "2026-01-01T02:29:00+01:00")]
    accepted, statuses = {}, {"rss": 200}

    def answer(method, path, headers, body):
        accepted[path] = headers["Accept"]
        if path == "/headlines/rss":
            return statuses["rss"], "application/rss+xml", feed(first).rss_str(pretty=True)
        return 200, "application/atom+xml; charset=utf-8", feed(second).atom_str()

    with receiver(answer) as url:
        with recipe("news_planet", LWN_URL=url, DEBIAN_URL=url) as read:
            news = [(one["feed"], one["title"], one["url"], one["date"]) for one in read("/news")]
        link = "https://example.com/{}?a=1&b=2".format
        expected = [
            ("debian", "<Atom>", link(0), "2026-03-02T05:00Z"),
            ("lwn", "Iceland & Ä", link(0), "2026-03-02T04:00Z"),
            ("lwn", "Old", link(1), "2026-01-01T01:30Z"),
            ("debian", "Older", link(1), "2026-01-01T01:29Z"),
        ]
        host.check("news", sorted(news), sorted(expected))
        host.check("the order of news", [one[1] for one in news], [one[1] for one in expected])
        host.check_contains("accepted types", accepted["/headlines/rss"], "application/rss+xml")
        statuses["rss"] = 503
        with recipe("news_planet", LWN_URL=url, DEBIAN_URL=url) as read:
            host.check("news without a feed", [one["title"] for one in read("/news")], ["<Atom>", "Older"])


def package_releases():
    with tempfile.TemporaryDirectory() as packages, tempfile.TemporaryDirectory() as kept:

        def release(name, version):
            pathlib.Path(packages, f"{name}-{version}.tar.gz").write_bytes(b"a package")

        def wait_for_items(read, count):
            for _ in range(100):
                items = read("/feed.json?" + str(time.time()))["items"]
                if len(items) >= count:
                    break
                time.sleep(0.2)
            return [item["title"] for item in items]

        # The server has no numpy.
        for name, version in [("requests", "2.9"), ("flask", "3.0rc1")]:
            release(name, version)
        port = host.free_port()
        url = f"http://127.0.0.1:{port}"
        command = [sys.executable, "-m", "pypiserver", "run", "--disable-fallback", "-i", "127.0.0.1"]
        environment = {"PYPI_URL": url, "PYPI_INTERVAL": "1"}
        with server([*command, "-p", str(port), packages], url):
            with recipe("package_releases", kept, **environment) as read:
                time.sleep(2.5)
                host.check("news at first", wait_for_items(read, 0), [])
                release("requests", "2.10")
                host.check("a release", wait_for_items(read, 1), ["requests 2.10"])
                # An older version that comes later is no news.
                release("requests", "2.9.1")
                release("flask", "3.0")
                host.check("two releases", wait_for_items(read, 2), ["flask 3.0", "requests 2.10"])
            with recipe("package_releases", kept, **environment) as read:
                time.sleep(2.5)
                host.check("news after a restart", wait_for_items(read, 2), ["flask 3.0", "requests 2.10"])


news_planet()
package_releases()
print("recipes_feeds: news_planet with RSS and Atom of feedgen, package_releases with pypiserver")
