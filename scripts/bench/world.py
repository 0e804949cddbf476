"""The surroundings of a row: a temporary folder, free ports, processes, and a complete cleanup."""

import contextlib
import json
import os
import shutil
import signal
import socket
import ssl
import subprocess
import tempfile
import time
import urllib.request

HERE = os.path.dirname(os.path.abspath(__file__))

# The Debian package of each program that a row may need.
PACKAGES = {
    "nginx": "nginx", "nginx-lua": "libnginx-mod-http-lua lua-cjson", "haproxy": "haproxy lua-cjson", "wrk": "wrk",
    "h2load": "nghttp2-client", "openssl": "openssl", "gcc": "gcc", "curl": "curl", "hyperfine": "hyperfine", "gnuplot": "gnuplot-nox", "lua5.4": "lua5.4 lua-cjson",
}


class Unavailable(Exception):
    """A contestant can't take part. The text says why, and how to help."""


class Wrong(Exception):
    """A contestant gives a wrong answer, so its speed means nothing."""


def need(program):
    """The path of a program, or a reason that names its package."""
    path = shutil.which(program) or shutil.which(program, path="/usr/sbin:/sbin")
    if not path:
        raise Unavailable(f"{program} isn't installed: apt-get install {PACKAGES[program]}")
    return path


def records():
    """About 10 kB of JSON: 30 users, the same ones at every run."""
    first = ["Ada", "Grace", "Edsger", "Barbara", "Donald", "Tony"]
    last = ["Lovelace", "Hopper", "Dijkstra", "Liskov", "Knuth", "Hoare"]
    cities = ["London", "New York", "Rotterdam", "Los Angeles", "Milwaukee", "Colombo"]
    users = []
    for i in range(30):
        name, family = first[i % 6], last[(i // 6 + i) % 6]
        users.append({
            "id": 1000 + i, "first_name": name, "last_name": family, "email": f"{name}.{family}.{i}@Example.org",
            "role": "admin" if i % 7 == 0 else "member", "active": i % 3 != 0, "score": i * 37,
            "address": {"street": f"{i + 1} Analytical Row", "city": cities[i % 6], "zip": f"{10000 + i * 311}"},
            "tags": [f"tag-{n}" for n in range(i % 5)], "created_at": f"2024-03-{i % 28 + 1:02d}T09:30:00Z",
            "bio": "Writes programs meant to be read, reads those that were not.",
        })
    return {"users": users}


def large_text(megabytes):
    """A JSON array that repeats the records, of about this number of megabytes."""
    one = json.dumps(records()["users"], separators=(",", ":"))[1:-1]
    return "[" + ",".join([one] * (megabytes * 1000 * 1000 // len(one))) + "]"


def mapped(content):
    """The result of map_records.lua, with which every contestant's answer is compared."""
    return [{
        "id": u["id"], "name": u["first_name"] + " " + u["last_name"], "email": u["email"].lower(),
        "city": u["address"]["city"], "is_admin": u["role"] == "admin", "tag_count": len(u["tags"]),
        "link": f"/users/{u['id']}",
    } for u in content["users"]]


def fetch(url):
    """The body of one answer. The certificate isn't checked, because rows that need one make their own."""
    # No proxy from the environment: everything here is on loopback.
    trust = urllib.request.HTTPSHandler(context=ssl._create_unverified_context())
    opener = urllib.request.build_opener(urllib.request.ProxyHandler({}), trust)
    with opener.open(url, timeout=10) as answer:
        return answer.read()


class World:
    """A temporary folder and the processes started in it. Use it in a `with`: leaving stops them all."""

    def __init__(self, program):
        self.program = program
        self.running = []
        self.folder = None
        self.claimed = set()

    def __enter__(self):
        self.folder = tempfile.mkdtemp(prefix="resthost-bench-")
        # nginx's worker may be another user than the one who runs this.
        os.chmod(self.folder, 0o755)
        os.mkdir(self.path("files"))
        shutil.copy(os.path.join(HERE, "peers", "map_records.lua"), self.path("map_records.lua"))
        self.write("files/records.json", json.dumps(records(), separators=(",", ":")))
        # nginx serves the expected answer until resthost has answered.
        self.write("hot.body", json.dumps(mapped(records()), separators=(",", ":")))
        return self

    def __exit__(self, *_):
        for process in reversed(self.running):
            self.stop(process)
        shutil.rmtree(self.folder, ignore_errors=True)

    @contextlib.contextmanager
    def using(self, program):
        """Uses this program of resthost inside of the `with`."""
        ours, self.program = self.program, program
        try:
            yield
        finally:
            self.program = ours

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, text):
        with open(self.path(name), "w", encoding="utf-8") as file:
            file.write(text)
        return self.path(name)

    def template(self, source, name=None, **values):
        """Copies a file of peers/ into the folder, with every @NAME@ replaced."""
        with open(os.path.join(HERE, "peers", source), encoding="utf-8") as file:
            text = file.read()
        for key, value in {"DIR": self.folder, **values}.items():
            text = text.replace(f"@{key}@", str(value))
        return self.write(name or source, text)

    def port(self):
        """A free port. If another process takes it meanwhile, the start fails and says so."""
        while True:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                port = probe.getsockname()[1]
            if port not in self.claimed:
                self.claimed.add(port)
                return port

    def start(self, command, port, name):
        """Starts a server and waits until its port answers."""
        log = self.path(f"{name}.out")
        with open(log, "w", encoding="utf-8") as output:
            process = subprocess.Popen(
                command, cwd=self.folder, stdin=subprocess.DEVNULL, stdout=output, stderr=output,
                start_new_session=True)
        self.running.append(process)
        deadline = time.monotonic() + 10
        while time.monotonic() < deadline and process.poll() is None:
            try:
                socket.create_connection(("127.0.0.1", port), timeout=1).close()
                return process
            except OSError:
                time.sleep(0.02)
        self.stop(process)
        with open(log, encoding="utf-8", errors="replace") as output:
            said = output.read().strip().splitlines()
        # Servers write other lines before and after the reason.
        said = [text for text in said if "alert" in text.lower() or "emerg" in text or "rror" in text] or said
        raise Unavailable(f"{name} didn't start: {said[0] if said else 'it said nothing'}")

    def stop(self, process):
        """Asks the process to end, waits, then kills it with its children; each process has its own session."""
        for ask, patience in ((signal.SIGTERM, 5), (signal.SIGKILL, 5)):
            try:
                os.killpg(process.pid, ask)
            except ProcessLookupError:
                break
            try:
                process.wait(patience)
                break
            except subprocess.TimeoutExpired:
                continue
        if process in self.running:
            self.running.remove(process)

    def output_of(self, command, timeout=120):
        """Runs a command to its end and returns its output. A failure gives a reason in the command's words."""
        try:
            done = subprocess.run(
                command, cwd=self.folder, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=timeout,
                check=False)
        except (OSError, subprocess.TimeoutExpired) as error:
            raise Unavailable(f"{os.path.basename(command[0])}: {error}") from error
        if done.returncode != 0:
            said = (done.stderr or done.stdout).strip().splitlines()
            reason = said[0] if said else f"exit {done.returncode}"
            raise Unavailable(f"{os.path.basename(command[0])} {' '.join(command[1:2])}: {reason}")
        return done.stdout

    def json_of(self, command, timeout=120):
        """The last line of a command's output, as JSON."""
        lines = self.output_of(command, timeout).strip().splitlines()
        try:
            return json.loads(lines[-1])
        except (IndexError, ValueError) as error:
            raise Unavailable(f"{os.path.basename(command[0])} printed no JSON line") from error
