"""A host under attack: the release program with a script, the client beside it, and the measurements of both."""

import http.client
import json
import os
import re
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from upstream import Upstream

HERE = os.path.dirname(os.path.abspath(__file__))

PRELUDE = """local rest = require "resthost"
local api = rest.service { name = "api", base_url = "http://127.0.0.1:%(upstream)d/" }
api:configure("**", function(c)
  c.expiration_time = 3600
  c.max_body_bytes = 64 * 1024 * 1024
end)
-- This begins when the client is there, in a separate job and not in the transformer's time.
local function go(fn)
  api:configure_transformer("/go", function(content)
    rest.spawn(function() rest.sleep(0) fn() end)
    return content
  end)
end
"""

# A host that takes more memory is killed, to protect this machine.
MOST_BYTES = 3 << 30

# One run of a script's function may hold the loop for this long, and the client waits for that long.
LIMITS = ["load=1", "block=0.03", "predicate=0.03", "mutator=0.03", "decorator=0.03", "transformer=0.03", "hook=0.03",
          "job=0.03/5"]


class Host:
    """A host, used in a `with`. `attack` is a row of the table: see `Attack`."""

    def __init__(self, program, attack, niceness):
        self.program, self.attack, self.niceness = program, attack, niceness
        self.folder = tempfile.mkdtemp(prefix="resthost-attack-")
        self.upstream = Upstream()
        self.process = self.probe = None
        self.log = b""
        # The host took too much memory.
        self.was_stopped = False

    def __enter__(self):
        os.mkdir(self.path("script"))
        for name, text in self.attack.files.items():
            self.write(name, text)
        self.script = self.write("main.lua", self.attack.script)
        arguments = [
            self.program, "run", self.script, "--listen", "127.0.0.1:0", "--admin", self.path("admin.sock"), "--memory", "64M",
            "--transformer-threads", "2", *[word for limit in LIMITS for word in ("--limit", limit)]]
        if self.knows("--content-memory"):
            arguments += ["--content-memory", "128M"]
        self.process = subprocess.Popen(
            arguments + [flag.replace("@FOLDER@", self.folder) for flag in self.attack.flags], stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            preexec_fn=self.prepare)
        threading.Thread(target=self.collect, daemon=True).start()
        for line in self.process.stdout:
            found = re.search(rb"listening on http://127\.0\.0\.1:(\d+)", line)
            if found:
                self.port = int(found.group(1))
                break
        else:
            raise RuntimeError("the host ended without listening: " + self.said()[-400:])
        threading.Thread(target=self.process.stdout.read, daemon=True).start()
        threading.Thread(target=self.guard, daemon=True).start()
        return self

    def __exit__(self, *_):
        for process in (self.probe, self.process):
            if process and process.poll() is None:
                process.send_signal(signal.SIGTERM)
                try:
                    process.wait(10)
                except subprocess.TimeoutExpired:
                    process.kill()
                    process.wait()
        self.upstream.close()
        shutil.rmtree(self.folder, ignore_errors=True)

    def knows(self, option):
        said = subprocess.run([self.program, "run", "--help"], capture_output=True, text=True, check=False).stdout
        return option in said

    def prepare(self):
        if self.niceness:
            os.nice(self.niceness)
        if self.attack.descriptors:
            resource.setrlimit(resource.RLIMIT_NOFILE, self.attack.descriptors)

    def collect(self):
        for piece in iter(lambda: os.read(self.process.stderr.fileno(), 65536), b""):
            # Enough log to judge, and to report what happened.
            if len(self.log) < 16 << 20:
                self.log += piece

    def guard(self):
        while self.is_alive:
            try:
                if self.status_of_process()[0] > MOST_BYTES:
                    self.was_stopped = True
                    self.process.kill()
            except (OSError, KeyError):
                return
            time.sleep(0.05)

    def said(self):
        return self.log.decode("utf-8", "replace")

    def path(self, name):
        """A path beside the script's folder, for which the script has no grant."""
        return os.path.join(self.folder, name)

    def write(self, name, text):
        """Writes a file into the script's folder as editors do."""
        path = os.path.join(self.folder, "script", name)
        values = {"upstream": self.upstream.port, "folder": self.folder}
        with open(path + "~", "w", encoding="utf-8") as file:
            file.write(text.replace("@PRELUDE@", PRELUDE % values).replace("@FOLDER@", self.folder)
                       .replace("@UPSTREAM@", str(self.upstream.port)))
        os.rename(path + "~", path)
        return path

    # Requests.

    def go(self):
        """Starts the function that the script has prepared."""
        status, body = self.get("/api/go")
        if status != 200:
            raise RuntimeError(f"the script doesn't begin: {status} {body[:200]!r}")

    def get(self, path, method="GET", timeout=20, body=None, fields=None):
        """Status and body. Without an answer the status is 0 and the body is the reason."""
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=timeout)
        try:
            connection.request(method, path, body=body, headers=fields or {})
            answer = connection.getresponse()
            return answer.status, answer.read()
        except (OSError, http.client.HTTPException) as error:
            return 0, f"{type(error).__name__}: {error}".encode()
        finally:
            connection.close()

    def get_all(self, paths, timeout=20):
        """Does the same for many requests at once; results in order."""
        answers = [None] * len(paths)

        def one(number):
            answers[number] = self.get(paths[number], timeout=timeout)

        threads = [threading.Thread(target=one, args=(number,), daemon=True) for number in range(len(paths))]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        return answers

    def command(self, *words):
        """Sends a command to this host, such as `wipe api`; returns its output."""
        done = subprocess.run(
            [self.program, *words, "--admin", self.path("admin.sock")], capture_output=True, text=True, timeout=30, check=False)
        return done.stdout + done.stderr

    def other(self, command, socket, *words):
        """Does the same with another host."""
        done = subprocess.run(
            [self.program, command, "--admin", socket, *words], capture_output=True, text=True, timeout=30, check=False)
        return done.stdout + done.stderr

    # Measurements.

    def status_of_process(self):
        with open(f"/proc/{self.process.pid}/status", encoding="ascii") as file:
            fields = dict(line.split(":", 1) for line in file)
        threads = int(fields["Threads"]) - self.has_transfer_thread()
        return int(fields["VmRSS"].split()[0]) << 10, int(fields["VmHWM"].split()[0]) << 10, threads

    def has_transfer_thread(self):
        """Whether the thread exists that a full engine loop starts once and keeps."""
        tasks = f"/proc/{self.process.pid}/task"
        for task in os.listdir(tasks):
            try:
                with open(f"{tasks}/{task}/comm", encoding="utf-8") as file:
                    if file.read().strip() == "transfers":
                        return True
            except FileNotFoundError:
                continue
        return False

    def forget_peak(self):
        with open(f"/proc/{self.process.pid}/clear_refs", "w", encoding="ascii") as file:
            file.write("5")

    def processor_seconds(self):
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rsplit(")", 1)[1].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    @property
    def is_alive(self):
        return self.process.poll() is None

    def start_probe(self):
        self.probe = subprocess.Popen(
            [sys.executable, os.path.join(HERE, "probe.py"), str(self.port)], stdin=subprocess.PIPE,
            stdout=subprocess.PIPE, preexec_fn=lambda: os.nice(self.niceness))

    def end_probe(self):
        text = self.probe.communicate(timeout=60)[0]
        self.probe = None
        return json.loads(text)
