"""Runs resthost scripts against real servers: for the tests beside this file.

RESTHOST names the program (default: .build/debug/resthost), RESTHOST_LUA_PATH a folder for --lua-path, and
RESTHOST_VENV the environment of Python packages (default: .build/plugins-venv), which is made if need be.
"""

import json
import os
import pathlib
import re
import shutil
import socket
import subprocess
import sys
import tempfile
import time
import urllib.request

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parents[2]
PROGRAM = os.environ.get("RESTHOST", str(ROOT / ".build/debug/resthost"))
VENV = pathlib.Path(os.environ.get("RESTHOST_VENV", str(ROOT / ".build/plugins-venv")))


def use_packages(*names):
    """Goes on in the environment of Python packages, with these packages of requirements.txt."""
    python = VENV / "bin/python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", str(VENV)], check=True)
    if pathlib.Path(sys.prefix).resolve() == VENV.resolve():
        return
    lines = (HERE / "requirements.txt").read_text().split()
    wanted = [line for line in lines if re.split(r"[\[=]", line)[0] in names]
    subprocess.run([str(python), "-m", "pip", "install", "--quiet", *wanted], check=True)
    os.execv(str(python), [str(python), *sys.argv])


def program(name, package):
    """The path of a server's program, or the end of the test."""
    path = shutil.which(name)
    if path is None:
        sys.exit(f"{name} is missing: install the Debian package {package}")
    return path


def free_port():
    with socket.socket() as listener:
        listener.bind(("127.0.0.1", 0))
        return listener.getsockname()[1]


def wait_for(url, process, seconds=30):
    """Waits until a server answers, and fails when it has ended."""
    for _ in range(seconds * 10):
        if process.poll() is not None:
            sys.exit(f"the server ended with {process.returncode} before it answered {url}")
        try:
            urllib.request.urlopen(url, timeout=2).close()
            return
        except urllib.error.HTTPError:
            return
        except OSError:
            time.sleep(0.1)
    sys.exit(f"{url} did not answer within {seconds} s")


def run(script, timeout=60, options=()):
    """Runs a script, and gives what it wrote with `emit(name, value)`, by name."""
    prelude = """
local rest = require "resthost"
local function emit(name, value) print("emit " .. rest.json.encode { name = name, value = value }) end
"""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "main.lua"
        path.write_text(prelude + script)
        command = [PROGRAM, "run", str(path), *options]
        if "RESTHOST_LUA_PATH" in os.environ:
            command += ["--lua-path", os.environ["RESTHOST_LUA_PATH"]]
        result = subprocess.run(command, capture_output=True, text=True, timeout=timeout)
    if result.returncode != 0:
        sys.exit(f"the script ended with {result.returncode}:\n{result.stdout}{result.stderr}")
    values = {}
    for line in result.stdout.splitlines():
        if line.startswith("emit "):
            item = json.loads(line[5:])
            values[item["name"]] = item.get("value")
    return values


def check(name, actual, expected):
    if actual != expected:
        sys.exit(f"{name}: expected {expected!r}, got {actual!r}")


def check_contains(name, actual, part):
    if part not in str(actual):
        sys.exit(f"{name}: expected a text with {part!r}, got {actual!r}")
