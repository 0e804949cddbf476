#!/usr/bin/env python3
"""Imports OpenAPI documents and tries the scripts: `check --strict`, their tests, and a round trip.

    import_openapi.py [--program RESTHOST] [DOCUMENT …]

Without documents it takes those in Tests/plugins/documents. For each it imports twice, checks that the second
run keeps a change of the user's file, runs `check --strict` and the generated tests, serves the script, and
compares the operations of its /-/openapi.json with those of the document.
"""
import argparse
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import urllib.error
import urllib.request

FOLDER = os.path.dirname(os.path.abspath(__file__))
DOCUMENTS = os.path.join(FOLDER, "..", "documents")
METHODS = {"get", "put", "post", "delete", "options", "head", "patch"}


def shape(path):
    """A path without the names of its parameters, and without the query that some documents put into it."""
    return re.sub(r"\{[^}]*\}", "{}", path.split("#")[0].split("?")[0])


def operations(document):
    found = set()
    for path, item in (document.get("paths") or {}).items():
        if path.startswith("/") and isinstance(item, dict):
            found |= {(method, shape(path)) for method in item if method in METHODS}
    return found


def run(program, *arguments, folder):
    result = subprocess.run([program, *arguments], cwd=folder, capture_output=True, text=True, timeout=300)
    if result.returncode != 0:
        raise SystemExit(f"{' '.join(arguments)} failed:\n{result.stdout}{result.stderr}")
    return result.stdout


def fetched(url):
    """The JSON at a URL. A host that is busy says so, and is asked again."""
    for _ in range(20):
        try:
            with urllib.request.urlopen(url, timeout=30) as answer:
                return json.load(answer)
        except urllib.error.HTTPError as error:
            if error.code != 503:
                raise
            time.sleep(1)
    raise SystemExit(f"{url} stays busy")


def served(program, folder, name):
    """The operations in the document of the running script."""
    script = os.path.join(folder, f"{name}.lua")
    with open(script) as file:
        text = file.read().replace("127.0.0.1:8080", "127.0.0.1:0")
    with open(os.path.join(folder, "served.lua"), "w") as file:
        file.write(text)
    host = subprocess.Popen(
        [program, "run", "served.lua", "--admin", "off", "--no-watch"], cwd=folder, text=True,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT)
    try:
        for line in host.stdout:
            address = re.search(r"http://127\.0\.0\.1:\d+", line)
            if address:
                document = fetched(address.group(0) + "/-/openapi.json")
                break
        else:
            raise SystemExit(f"{name}: the script didn't serve")
    finally:
        host.terminate()
        host.wait()
    # The first segment is the service.
    return {(method, "/" + path.partition("/")[2]) for method, path in
            ((method, path[1:]) for method, path in operations(document))}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--program", default=os.environ.get("RESTHOST", ".build/debug/resthost"))
    parser.add_argument("documents", nargs="*")
    given = parser.parse_args()
    program = os.path.abspath(given.program)
    documents = given.documents or sorted(
        os.path.join(DOCUMENTS, name) for name in os.listdir(DOCUMENTS)
        if name in ("library.json", "garden_swagger.json"))
    if not documents:
        raise SystemExit("there are no documents")
    count = 0
    for path in map(os.path.abspath, documents):
        name = re.sub(r"\W+", "_", os.path.splitext(os.path.basename(path))[0])[-60:].strip("_")
        with tempfile.TemporaryDirectory() as folder:
            start = time.monotonic()
            run(program, "import", "openapi", path, "--output", name, folder=folder)
            seconds = time.monotonic() - start
            script = os.path.join(folder, f"{name}.lua")
            with open(script, "a") as file:
                file.write("-- A change of the user.\n")
            run(program, "import", "openapi", path, "--output", name, folder=folder)
            with open(script) as file:
                assert file.read().endswith("-- A change of the user.\n"), f"{name}: the user's file was replaced"
            run(program, "check", "--strict", f"{name}.lua", folder=folder)
            tests = run(program, "test", folder=folder)
            passed = int(re.search(r"(\d+) passed", tests).group(1))
            with open(path) as file:
                text = file.read()
            wanted = operations(json.loads(text)) if text.lstrip().startswith("{") else None
            lost = sorted(wanted - served(program, folder, name)) if wanted is not None else []
            if lost:
                raise SystemExit(f"{name}: the round trip lost {len(lost)} operations, such as {lost[:5]}")
            count += passed
            print(f"{name}: {passed} operations, {seconds:.2f} s")
    print(f"import: {len(documents)} documents with {count} operations pass check --strict, their tests, "
          "and a round trip through /-/openapi.json")


if __name__ == "__main__":
    sys.exit(main())
