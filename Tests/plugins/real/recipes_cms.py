#!/usr/bin/env python3
"""Runs the recipe sitemap of examples/cookbook against Wagtail."""

import sys
import tempfile
import xml.etree.ElementTree as xml

sys.dont_write_bytecode = True
import plugin_host as host
from recipe_host import recipe, server, status_of

host.use_packages("wagtail")

NAMES = {"s": "http://www.sitemaps.org/schemas/sitemap/0.9"}


def sitemap():
    port = host.free_port()
    cms = f"http://127.0.0.1:{port}/api/v2"
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, str(host.HERE / "wagtail_server.py"), str(port), folder, "45"]
        with server(command, cms + "/pages/", seconds=120):
            with recipe("sitemap", CMS_URL=cms, SITE_URL="https://www.example.com") as read:
                index = xml.fromstring(read("/sitemap.xml", as_json=False))
                parts = [one.text for one in index.findall("s:sitemap/s:loc", NAMES)]
                host.check("parts", parts, ["https://www.example.com/sitemap/1.xml"])
                part = xml.fromstring(read("/sitemap/1.xml", as_json=False))
                host.check("no more parts", status_of(read, "/sitemap/2.xml"), 404)
    pages = {one.find("s:loc", NAMES).text: one.find("s:lastmod", NAMES) for one in part}
    articles = {f"https://www.example.com/article-{number}/" for number in range(1, 46)}
    host.check("addresses, without drafts", set(pages), {"https://www.example.com/", *articles})
    host.check("the times of articles", {pages[one] is not None for one in articles}, {True})
    host.check("a page without a time", pages["https://www.example.com/"], None)


sitemap()
print("recipes_cms: sitemap with Wagtail")
