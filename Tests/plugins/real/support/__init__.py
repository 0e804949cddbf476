"""Runs the tests of plugins against real servers: a Python environment, servers, and the program.

RESTHOST names the program, RESTHOST_LUA_PATH a folder for its --lua-path, RESTHOST_VENV the environment.
"""

import http.server
import os
import pathlib
import ssl
import subprocess
import sys
import tempfile
import threading
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent.parent
ROOT = HERE.parent.parent.parent


def enter_venv():
    """Runs the file again with the packages of requirements.txt, which are installed once."""
    folder = pathlib.Path(os.environ.get("RESTHOST_VENV", ROOT / ".build/plugins-venv")).absolute()
    if pathlib.Path(sys.prefix).absolute() == folder:
        return
    python, stamp = folder / "bin/python", folder / "requirements.txt"
    wanted = (HERE / "requirements.txt").read_text()
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
    if not stamp.exists() or stamp.read_text() != wanted:
        subprocess.run([python, "-m", "pip", "install", "-q", "-r", HERE / "requirements.txt"], check=True)
        stamp.write_text(wanted)
    os.execv(python, [str(python), *sys.argv])


def program():
    return str(pathlib.Path(os.environ.get("RESTHOST", ROOT / ".build/debug/resthost")).absolute())


def arguments(script, options):
    folder = os.environ.get("RESTHOST_LUA_PATH")
    places = ["--lua-path", str(pathlib.Path(folder).absolute())] if folder else []
    return [program(), "run", str(script), *places, *options]


def write_script(text, **files):
    folder = pathlib.Path(tempfile.mkdtemp(prefix="resthost-plugins-"))
    for name, content in files.items():
        (folder / name.replace("__", ".")).write_text(content)
    (folder / "main.lua").write_text(text)
    return folder / "main.lua"


def run_script(text, *options, env=None, **files):
    """Runs a script without a gateway to its end, and gives its output."""
    script = write_script(text, **files)
    done = subprocess.run(
        arguments(script, options),
        cwd=script.parent,
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, **(env or {})},
    )
    if done.returncode != 0:
        raise SystemExit(f"the script failed:\n{done.stdout}\n{done.stderr}")
    return done.stdout


class Gateway:
    """A script with a gateway that is up while the block runs; `url` is its address."""

    def __init__(self, text, *options):
        self.script, self.options = write_script(text), options

    def __enter__(self):
        self.output = open(self.script.parent / "output", "w+")
        self.process = subprocess.Popen(
            arguments(self.script, self.options), stdout=self.output, stderr=subprocess.STDOUT
        )
        for _ in range(200):
            text = (self.script.parent / "output").read_text()
            if "listening on " in text:
                self.url = text.split("listening on ")[1].split()[0]
                return self
            if self.process.poll() is not None:
                raise SystemExit(f"the gateway did not start:\n{text}")
            time.sleep(0.05)
        raise SystemExit(f"the gateway did not start in time:\n{text}")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(20)
        self.output.close()

    def post(self, path, body, headers):
        request = urllib.request.Request(self.url + path, data=body, headers=headers, method="POST")
        try:
            with urllib.request.urlopen(request, timeout=30) as answer:
                return answer.status, answer.read()
        except urllib.error.HTTPError as error:
            return error.code, error.read()


class Server:
    """A server on a free port: `answer(method, target, headers, body)` gives status, headers and body."""

    def __init__(self, answer, certificate=None, key=None):
        class Handler(http.server.BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def handle_any(self):
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.headers.get("Transfer-Encoding", "").lower() == "chunked":
                    body = self.read_chunks()
                status, headers, content = answer(self.command, self.path, self.headers, body)
                self.send_response(status)
                for name, value in headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", str(len(content)))
                self.end_headers()
                if self.command != "HEAD":
                    self.wfile.write(content)

            def read_chunks(self):
                body = b""
                while size := int(self.rfile.readline().split(b";")[0], 16):
                    body += self.rfile.read(size)
                    self.rfile.readline()
                self.rfile.readline()
                return body

            do_GET = do_HEAD = do_POST = do_PUT = do_PATCH = do_DELETE = handle_any

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        if certificate:
            context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
            context.load_cert_chain(certificate, key)
            self.server.socket = context.wrap_socket(self.server.socket, server_side=True)
        self.port = self.server.server_address[1]
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def close(self):
        self.server.shutdown()


def make_certificate():
    """A certificate of 127.0.0.1 that signs itself, and its key."""
    folder = pathlib.Path(tempfile.mkdtemp(prefix="resthost-plugins-"))
    certificate, key = folder / "certificate.pem", folder / "key.pem"
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "rsa:2048", "-nodes", "-subj", "/CN=127.0.0.1", "-days", "2"]
        + ["-addext", "subjectAltName=IP:127.0.0.1", "-keyout", key, "-out", certificate],
        check=True,
        capture_output=True,
    )
    return certificate, key


def check(is_right, what):
    if not is_right:
        raise SystemExit(f"FAILED: {what}")
