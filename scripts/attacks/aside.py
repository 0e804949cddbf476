"""A second host beside the one under attack, for attacks that need arguments, limits or listeners of their own."""

import os
import re
import signal
import socket
import subprocess
import threading


class Aside:
    """Runs a script in its own folder, through a shell line in which `"$@"` is the program with its arguments."""

    def __init__(self, host, name, script, line='exec "$@"', arguments=(), files=None):
        self.folder = os.path.join(host.folder, name)
        os.mkdir(self.folder)
        values = {"upstream": host.upstream.port}
        for file, text in {"main.lua": script, **(files or {})}.items():
            with open(self.path(file), "w", encoding="utf-8") as opened:
                opened.write(text.replace("@UPSTREAM@", str(values["upstream"])))
        self.output, self.errors = b"", b""
        self.process = subprocess.Popen(
            ["/bin/sh", "-c", line, "sh", host.program, "run", "main.lua", "--admin", self.path("admin.sock"), *arguments],
            cwd=self.folder, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for name in ("output", "errors"):
            threading.Thread(target=self.collect, args=(name,), daemon=True).start()

    def __enter__(self):
        return self

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def path(self, name):
        return os.path.join(self.folder, name)

    def collect(self, name):
        stream = self.process.stdout if name == "output" else self.process.stderr
        for piece in iter(lambda: os.read(stream.fileno(), 65536), b""):
            setattr(self, name, getattr(self, name) + piece)

    def has_said(self, text, seconds=10):
        """Waits for a text in the output or in the errors."""
        ended = threading.Event()
        for _ in range(int(seconds * 20)):
            if text in self.output + self.errors:
                return True
            ended.wait(0.05)
        return False

    def ports(self):
        """The ports of the listeners by scheme, when it serves."""
        if not self.has_said(b"/-/health"):
            return {}
        return {scheme.decode(): int(port) for scheme, port in
                re.findall(rb"listening on (https?)://127\.0\.0\.1:(\d+)", self.output)}

    def end(self, seconds=20):
        """Sends SIGTERM; returns the exit code, or None if the program doesn't end."""
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
        try:
            return self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            return None


def ask(port, target, fields="", method="GET", wrap=None, seconds=10):
    """The whole answer of a request on a connection of its own."""
    with socket.create_connection(("127.0.0.1", port), timeout=seconds) as plain:
        connection = wrap(plain) if wrap else plain
        connection.sendall(f"{method} {target} HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n{fields}\r\n".encode())
        data = b""
        try:
            for piece in iter(lambda: connection.recv(65536), b""):
                data += piece
        except OSError:
            pass
        return data
