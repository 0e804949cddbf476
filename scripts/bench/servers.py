"""Starts the contestants: the upstream API, nginx with Lua, HAProxy with Lua, and resthost. Each returns a URL."""

import json
import os
import re
import subprocess

from world import HERE, Unavailable, Wrong, fetch, mapped, need, records

# resthost's command line, in one place.
RUN = ["{program}", "run", "{script}"]
# All processors of the machine.
RUN_WORKERS = [*RUN, "--workers", "auto"]
GET = ["{program}", "get", "{script}", "api", "/records.json"]
# The command line of the separate bench program, which measures parts of the engine.
LOADS = ["{bench}", "loads", "{url}", "--count", "{count}", "--concurrency", "32"]
CONFIGURATION = ["{bench}", "configuration", "--patterns", "{patterns}"]
RESOURCES = ["{bench}", "resources", "--count", "100000"]


def command(world, words, **values):
    """One of the commands above with its values; fails if there is no program to run."""
    if not world.program:
        raise Unavailable("partners only")
    bench = os.path.join(os.path.dirname(world.program), "resthost-bench")
    made = [word.format(program=world.program, bench=bench, **values) for word in words]
    if not os.access(made[0], os.X_OK):
        raise Unavailable(f"{made[0]} isn't there: make bench builds it")
    return made


def nginx_values():
    """The values for both nginx configurations: the module folder, the user, and folders that nginx may write to."""
    nginx = need("nginx")
    said = subprocess.run([nginx, "-V"], capture_output=True, text=True, check=False).stderr
    modules = re.search(r"--modules-path=(\S+)", said)
    temporary = "".join(
        f"{kind}_temp_path @DIR@/{kind}; " for kind in ("client_body", "proxy", "fastcgi", "uwsgi", "scgi"))
    return {
        "MODULES": modules.group(1) if modules else "/usr/lib/nginx/modules",
        # If nginx runs as root, its worker would be a user who can't read the folder.
        "USER": "user root;" if os.getuid() == 0 else "",
        "TEMPORARY": temporary,
    }


def start_nginx(world, template, name, values):
    port = world.port()
    values = {**nginx_values(), **values, "PORT": port}
    # The values contain paths that name the folder.
    values["TEMPORARY"] = values["TEMPORARY"].replace("@DIR@/", f"{world.folder}/{name}-")
    configuration = world.template(template, **values)
    world.start([need("nginx"), "-p", world.folder, "-c", configuration, "-e", world.path(f"{name}.log")], port, name)
    return port


def start_upstream(world):
    port = start_nginx(world, "upstream.conf", "upstream", {})
    url = f"http://127.0.0.1:{port}"
    if json.loads(fetch(url + "/records.json")) != records():
        raise Wrong("the upstream serves something else than its file")
    return url


def start_nginx_lua(world, upstream, workers=1):
    module = os.path.join(nginx_values()["MODULES"], "ngx_http_lua_module.so")
    if not os.path.exists(module):
        raise Unavailable("nginx has no Lua module: apt-get install libnginx-mod-http-lua lua-cjson")
    port = start_nginx(world, "nginx.conf", "nginx", {
        "UPSTREAM_PORT": upstream.rsplit(":", 1)[1], "WORKERS": workers})
    return f"http://127.0.0.1:{port}"


def start_haproxy(world, upstream):
    program = need("haproxy")
    port = world.port()
    world.template("haproxy.lua", UPSTREAM_PORT=upstream.rsplit(":", 1)[1])
    configuration = world.template("haproxy.cfg", PORT=port)
    world.start([program, "-db", "-f", configuration], port, "haproxy")
    return f"http://127.0.0.1:{port}"


def resthost_script(world, upstream, name, expiration, collapse, port=0, transformer="map_records"):
    return world.template(
        "resthost.lua", name, UPSTREAM=upstream, EXPIRATION=expiration, COLLAPSE=collapse, PORT=port,
        TRANSFORMER=transformer)


def start_resthost(world, upstream, name, expiration, collapse, transformer="map_records", words=None):
    port = world.port()
    script = resthost_script(world, upstream, f"{name}-{port}.lua", expiration, collapse, port, transformer)
    world.start(command(world, words or RUN, script=script), port, f"resthost-{name}")
    return f"http://127.0.0.1:{port}/api/records.json"


def start_resthost_secure(world, upstream):
    """A hot read over TLS."""
    key, certificate = world.path("secure.key"), world.path("secure.pem")
    world.output_of([
        need("openssl"), "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-days",
        "2", "-subj", "/CN=127.0.0.1", "-keyout", key, "-out", certificate])
    port = world.port()
    script = world.template("secure.lua", f"secure-{port}.lua", UPSTREAM=upstream, PORT=port)
    world.start(command(world, RUN, script=script), port, "resthost-secure")
    url = f"https://127.0.0.1:{port}/api/records.json"
    check_mapped(url)
    return url


def start_resthost_plain(world, upstream):
    """A service whose content stays the bytes that arrive."""
    port = world.port()
    script = world.template("plain.lua", f"plain-{port}.lua", UPSTREAM=upstream, PORT=port)
    world.start(command(world, RUN, script=script), port, "resthost-plain")
    return checked_records(f"http://127.0.0.1:{port}/api/records.json")


def start_proxy(world, upstream):
    port = start_nginx(world, "proxy.conf", "proxy", {"UPSTREAM_PORT": upstream.rsplit(":", 1)[1]})
    checked_records(f"http://127.0.0.1:{port}/records.json")
    return f"http://127.0.0.1:{port}"


def checked_records(url):
    check_records(url, fetch(url))
    return url


def start_resthost_large(world, upstream):
    """A service without transformers; returns its address on the gateway."""
    port = world.port()
    script = world.template("large.lua", UPSTREAM=upstream, PORT=port)
    world.start(command(world, RUN, script=script), port, "resthost-large")
    return f"http://127.0.0.1:{port}/api"


def check_mapped(url):
    """The bytes of the answer, if they are the mapped records."""
    body = fetch(url)
    try:
        right = json.loads(body) == mapped(records())
    except ValueError:
        right = False
    if not right:
        raise Wrong(f"{url} answers something else than the mapped records: {body[:80]!r}")
    return body


def compile_curl_loop(world):
    compiler = need("gcc")
    program = world.path("curl_multi")
    world.output_of([compiler, "-O2", "-Wall", "-o", program, os.path.join(HERE, "curl_multi.c"), "-lcurl"])
    return program


def check_records(name, text):
    try:
        right = json.loads(text) == records()
    except ValueError:
        right = False
    if not right:
        raise Wrong(f"{name} printed something else than the records: {text[:80]!r}")


def check_same(url, path):
    """Compares byte for byte."""
    with open(path, "rb") as file:
        if fetch(url) != file.read():
            raise Wrong(f"{url} answers other bytes than {os.path.basename(path)} has")
