"""How servers handled a case, and whether that is safe in front of an upstream."""

import re
import socket
import time

import frames


def answers_in(data, is_head):
    """The status of each answer."""
    found = []
    while data.startswith(b"HTTP/1."):
        head, end, rest = data.partition(b"\r\n\r\n")
        if not end:
            break
        status = int(head[9:12])
        length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
        if 100 <= status < 200:
            data = rest
            continue
        found.append(status)
        if re.search(rb"(?i)\r\ntransfer-encoding: *chunked", head):
            rest = rest.partition(b"0\r\n\r\n")[2]
        elif length and not is_head and status != 304:
            rest = rest[int(length[1]):]
        data = rest
    return found


class Outcome:
    """A server's handling of an HTTP/1.1 case."""

    def __init__(self, port, case, upstream):
        del upstream.seen[:]
        data, self.has_ended = b"", False
        with socket.create_connection(("127.0.0.1", port)) as connection:
            # A server without an answer has to close: within its time for a head, and a margin.
            connection.settimeout(4)
            try:
                for part in case.parts:
                    connection.sendall(part)
                    if len(case.parts) > 1:
                        time.sleep(0.002)
                while True:
                    piece = connection.recv(65536)
                    if not piece:
                        self.has_ended = True
                        break
                    data += piece
                    # Another answer would be here by now.
                    connection.settimeout(0.15)
            except ConnectionError:
                self.has_ended = True
            except OSError:
                pass
        self.data = data
        self.statuses = answers_in(data, case.is_head)
        self.seen = list(upstream.seen)

    @property
    def text(self):
        words = ",".join(map(str, self.statuses)) or ("closed" if self.has_ended else "silent")
        return words + (f" →{len(self.seen)}" if self.seen else "")

    def faults(self, case):
        """The errors that a server before an upstream must not make."""
        found = []
        for head in self.seen:
            target = head.split(b"\r\n")[0].split(b" ")[1]
            if not is_within(target):
                found.append("reached " + target.decode("latin-1"))
            if b"smuggled" in head:
                found.append("a hidden request went through")
            if head.lower().count(b"\r\nhost:") != 1:
                found.append("not one Host")
        if len(self.statuses) > case.requests:
            found.append(f"{len(self.statuses)} answers to {case.requests}")
        if case.wants == "refused" and (self.seen or any(status < 400 for status in self.statuses)):
            found.append("was not refused")
        if case.wants == "passed" and self.statuses != [200] * case.requests:
            found.append("was refused")
        if not self.statuses and not self.has_ended:
            found.append("no answer, no end")
        if b"s3cr3t" in self.data:
            found.append("showed a secret")
        return found


class StreamOutcome(Outcome):
    """A server's handling of an HTTP/2 case."""

    def __init__(self, port, is_secure, case, upstream):
        del upstream.seen[:]
        heard = frames.exchange(port, is_secure, case.data, case.begins)
        self.data, self.statuses = heard.data, list(heard.statuses.values())
        self.has_ended = heard.is_over or bool(heard.resets)
        self.words = heard.text
        self.seen = list(upstream.seen)

    @property
    def text(self):
        words = self.words if len(self.statuses) < 4 else f"{len(self.statuses)} answers"
        return words + (f" →{len(self.seen)}" if self.seen else "")


def is_within(target):
    """Whether the path is below the exposed one, however often it is decoded."""
    path = target.split(b"?")[0]
    for _ in range(4):
        parts = []
        for part in re.split(rb"[/\\]", path):
            name = part.split(b";")[0]
            if name == b"..":
                if parts:
                    parts.pop()
            elif name not in (b".", b""):
                parts.append(name)
        if parts[:2] != [b"base", b"public"]:
            return False
        decoded = re.sub(rb"%([0-9a-fA-F]{2})", lambda found: bytes([int(found[1], 16)]), path)
        if decoded == path:
            break
        path = decoded
    return True
