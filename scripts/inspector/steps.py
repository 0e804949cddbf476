"""What the inspector must do, view by view."""

import http.client
import json
import os
import re
import time

FOLDER = os.path.dirname(os.path.abspath(__file__))
CONTRAST, NAMES = (open(os.path.join(FOLDER, name)).read() for name in ("contrast.js", "names.js"))


def check(condition, what):
    print(("ok    " if condition else "WRONG ") + what, flush=True)
    if not condition:
        check.failed += 1


check.failed = 0


def get(port, paths):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    for path in paths:
        connection.request("GET", path)
        connection.getresponse().read()


def post(port, path, content):
    connection = http.client.HTTPConnection("127.0.0.1", port)
    connection.request("POST", path, json.dumps(content), {"Content-Type": "application/json"})
    connection.getresponse().read()


def detail(browser):
    return browser.run("document.querySelector('#detail').textContent")


def row_with(pattern):
    return f"[...document.querySelectorAll('.row')].find((row) => /{pattern}/.test(row.textContent))"


def look_for(browser, text):
    browser.run(f"document.querySelector('#filter').value = {json.dumps(text)}; document.querySelector('#filter').dispatchEvent(new Event('input'))")


def choose(browser, pattern, what):
    browser.wait(f"{row_with(pattern)} !== undefined", what)
    browser.run(f"document.querySelectorAll('#chosen').forEach((row) => row.removeAttribute('id')); {row_with(pattern)}.id = 'chosen'")
    browser.click("#chosen")


def past(browser):
    """Requests from before the page was opened."""
    browser.press("2")
    look_for(browser, "broken/1")
    browser.wait("document.querySelectorAll('.row').length > 0", "a request from before the page")
    check("broken/1" in browser.run("document.querySelector('.row').textContent"), "requests from before the page are there")
    look_for(browser, "")
    browser.press("3")
    browser.wait(f"{row_with('missing')} !== undefined", "an error from before the page")
    check(True, "errors from before the page are there")


def requests(browser):
    """Clients and APIs on one axis, sorting, headers and bodies, copies."""
    axis = "document.querySelector('#heads .marks i').textContent"
    check(re.match(r"\d\d:\d\d:\d\d", browser.run(axis)), "the axis begins with a time")
    sent = browser.run(f"(() => {{ const bar = {row_with('API.*slow.1')}.querySelector('.fall'); const other = {row_with('client.*slow.1.*fetched')}.querySelector('.fall');"
                       " return [bar, other].map((line) => line.querySelector('i').getBoundingClientRect().left); })()")
    check(abs(sent[0] - sent[1]) < 30, "a client and the request for it begin at one place of the axis")
    browser.run("document.querySelector('[data-head=Time]').click()")
    check(browser.run("document.querySelector('[aria-sort=ascending]').textContent").startswith("Time"), "a click on a column sorts by it")
    browser.run("document.querySelector('[data-head=Time]').click()")
    times = browser.run("[...document.querySelectorAll('.row')].sort((a, b) => a.dataset.at - b.dataset.at).slice(0, 2).map((row) => row.textContent)")
    check(all("slow" in text for text in times), f"the slowest are first {times}")
    browser.run("document.querySelector('[data-head=Time]').click()")
    choose(browser, "API.*POST.*orders", "a request with a body")
    browser.wait("[...document.querySelectorAll('#detail pre')].some((node) => /orders/.test(node.textContent))", "a preview of a body")
    text = detail(browser)
    check("canary" not in text and '"name": "Ada"' in text, "bodies are shown with secrets masked")
    check("Content-Type" in text and "application/json" in text, "headers are shown")
    check("Clients that waited" in text and "/shop/orders" in text, "and the client that waited for it")
    check(browser.run(CONTRAST) == "", f"contrast of a request's details {browser.run(CONTRAST)}")
    # A browser may refuse to copy: then the text is there to be copied by hand.
    for key, pattern, refuses in (("c", "^curl -X POST", False), ("d", '^shop:define\\("POST", "orders", ', True)):
        browser.run("window.copied = ''; navigator.clipboard.writeText = (text) => "
                    + ("Promise.reject(new Error('no'))" if refuses else "{ window.copied = text; return Promise.resolve(); }"))
        browser.press(key)
        text = "(document.querySelector('.copied')?.textContent ?? window.copied)"
        browser.wait(f"{text} !== ''", "a copy")
        copied = browser.run(text)
        check(re.search(pattern, copied) and "canary" not in copied, f"{key} copies {copied.splitlines()[0]}")
    browser.run("document.querySelector('#toast').hidden = true")
    browser.press("Escape")
    choose(browser, "client.*slow.1.*fetched", "a client's request")
    check("Requests to APIs meanwhile" in detail(browser), "a client's request has the requests for it")
    browser.press("Escape")


def errors(browser):
    """Each error has the script's lines, whatever is around them."""
    for pattern, line in (("broken", "content.missing.name"), ("raised", "an [odd] (message)"), ("the route failed", "the route failed")):
        choose(browser, pattern, f"an error of {pattern}")
        browser.wait("document.querySelector('#detail pre .at') !== null", f"the lines of the script at {pattern}")
        check(line in browser.run("document.querySelector('#detail pre .at').textContent"), f"the line at fault is shown: {pattern}")
    choose(browser, "broken", "an error")


def states(browser, port):
    """Fresh, stale and failed resources have marks of their own."""
    # After a reload the host knows how long data is fresh when somebody asks for it.
    get(port, ["/shop/short/1", "/shop/items/1"])
    for text, mark in (("short/1", "◐stale"), ("items/1", "●fresh"), ("missing/1", "✕failed")):
        look_for(browser, text)
        browser.wait(f"/{mark}/.test(document.querySelector('.row')?.textContent)", f"{text} as {mark}", 40)
        check(True, f"{mark} has a mark of its own")
    look_for(browser, "")


def pictures(browser, arguments, name):
    names = browser.run(NAMES)
    check(names == "", f"{name} has names for screen readers {names}")
    for width in (1400, 390):
        browser.size(width, 900 if width == 1400 else 844)
        time.sleep(0.3)
        wide = browser.run("document.documentElement.scrollWidth")
        check(wide <= width, f"{name} fits into {width} pixels ({wide})")
        for scheme in ("light", "dark"):
            browser.scheme(scheme)
            low = browser.run(CONTRAST)
            check(low == "", f"{name} has enough contrast, {scheme}, {width} {low}")
            if arguments.pictures:
                browser.picture(os.path.join(arguments.pictures, f"{name}-{width}-{scheme}.png"))
        if width == 390 and arguments.pictures and browser.run("document.querySelector('#detail').childElementCount"):
            browser.run("document.querySelector('#detail').hidden = true")
            browser.picture(os.path.join(arguments.pictures, f"{name}-{width}-list.png"))
            browser.run("document.querySelector('#detail').hidden = false")
    browser.size(1400)
    browser.scheme("light")
    time.sleep(0.3)
