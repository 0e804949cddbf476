#!/usr/bin/env python3
"""Runs the recipe news_planet of examples/cookbook with feeds that feedgen makes."""

import sys

sys.dont_write_bytecode = True
import plugin_host as host
from recipe_host import receiver, recipe

host.use_packages("feedgen")

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


news_planet()
print("recipes_feeds: news_planet with RSS and Atom of feedgen")
