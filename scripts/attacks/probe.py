"""The client beside an attack. It reads the host's health and a fresh resource every 50 ms until its input ends.

    probe.py PORT

It is a separate process, so that the attack's Python code can't delay it. It prints one JSON object. `health` (a new
connection each time, as health checks do) and `fresh` (one open connection) list the answers in order:
[seconds since the start, duration in seconds, reason for a missing answer or null].
"""

import http.client
import json
import sys
import threading
import time

INTERVAL = 0.05
# An answer that takes longer counts as missing.
PATIENCE = 20
# Health waits 50 ms for the engine, and reports if the engine didn't answer by then.
BUSY = "busy"


class Line(threading.Thread):
    def __init__(self, port, path, reconnects, ended):
        super().__init__(daemon=True)
        self.port, self.path, self.reconnects, self.ended = port, path, reconnects, ended
        self.connection = None
        self.answers = []

    def run(self):
        began = due = time.monotonic()
        while not self.ended.is_set():
            start = time.monotonic()
            fault = self.ask()
            now = time.monotonic()
            self.answers.append((round(start - began, 4), round(now - start, 5), fault))
            # Late reads are skipped. Otherwise they would all be sent at once.
            due = max(due + INTERVAL, now)
            self.ended.wait(due - now)

    def ask(self):
        """The error in the answer, or None. A connection that was closed while idle is no error: its client asks
        again on another one (RFC 9112 9.3.1)."""
        was_kept = self.connection is not None
        try:
            fault = self.exchange()
        except (OSError, http.client.HTTPException) as error:
            fault = f"{type(error).__name__}: {error}"
            self.close()
            if was_kept and isinstance(error, ConnectionError):
                try:
                    fault = self.exchange()
                except (OSError, http.client.HTTPException) as second:
                    fault = f"{type(second).__name__}: {second}"
        if self.reconnects or fault:
            self.close()
        return fault

    def exchange(self):
        if self.connection is None:
            self.connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        self.connection.request("GET", self.path)
        answer = self.connection.getresponse()
        body = answer.read()
        if b"the engine is busy" in body:
            return BUSY
        # A health answer counts as an answer even if the host reports a problem.
        return None if answer.status == 200 or self.path == "/-/health" else f"status {answer.status}"

    def close(self):
        if self.connection is not None:
            self.connection.close()
        self.connection = None


def main():
    ended = threading.Event()
    port = int(sys.argv[1])
    lines = {"health": Line(port, "/-/health", True, ended), "fresh": Line(port, "/api/fresh", False, ended)}
    for line in lines.values():
        line.start()
    sys.stdin.read()
    ended.set()
    for line in lines.values():
        line.join(PATIENCE + 1)
    json.dump({name: line.answers for name, line in lines.items()}, sys.stdout)


if __name__ == "__main__":
    main()
