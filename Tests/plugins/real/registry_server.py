"""Starts the Docker registry (Debian: docker-registry) with token authentication, and a server of tokens."""

import base64
import contextlib
import hashlib
import http.server
import json
import pathlib
import subprocess
import tempfile
import threading
import time
import urllib.parse
import urllib.request

import plugin_host as host

CONFIG = """
version: 0.1
log: { level: error }
storage: { filesystem: { rootdirectory: FOLDER/data } }
http: { addr: "127.0.0.1:PORT" }
auth:
  token:
    realm: REALM
    service: registry.test
    issuer: tests
    rootcertbundle: FOLDER/cert.pem
"""


def text64(raw):
    return base64.urlsafe_b64encode(raw).rstrip(b"=").decode()


class Tokens:
    """Signs tokens for `ada` with the password `wonderland`, and counts them."""

    def __init__(self, folder):
        self.folder, self.count = folder, 0
        subprocess.run(
            [
                "openssl",
                "req",
                "-x509",
                "-newkey",
                "rsa:2048",
                "-nodes",
                "-days",
                "2",
                "-subj",
                "/CN=tokens",
                "-keyout",
                f"{folder}/key.pem",
                "-out",
                f"{folder}/cert.pem",
            ],
            check=True,
            capture_output=True,
        )
        pem = pathlib.Path(folder, "cert.pem").read_text().splitlines()
        self.certificate = "".join(line for line in pem if not line.startswith("-----"))
        owner = self

        class Handler(http.server.BaseHTTPRequestHandler):
            def log_message(self, *arguments):
                pass

            def do_GET(self):
                query = urllib.parse.parse_qs(urllib.parse.urlsplit(self.path).query)
                expected = "Basic " + base64.b64encode(b"ada:wonderland").decode()
                is_known = self.headers.get("Authorization") == expected
                content = (
                    {"token": owner.sign(query.get("scope", []))} if is_known else {"details": "unknown user"}
                )
                body = json.dumps(content).encode()
                self.send_response(200 if is_known else 401)
                self.send_header("Content-Type", "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.url = f"http://127.0.0.1:{self.server.server_port}/token"
        threading.Thread(target=self.server.serve_forever, daemon=True).start()

    def sign(self, scopes):
        self.count += 1
        access = []
        for scope in " ".join(scopes).split():
            kind, rest = scope.split(":", 1)
            name, actions = rest.rsplit(":", 1)
            access.append({"type": kind, "name": name, "actions": actions.split(",")})
        now = int(time.time())
        claims = {
            "iss": "tests",
            "sub": "ada",
            "aud": "registry.test",
            "exp": now + 300,
            "nbf": now - 5,
            "iat": now,
            "jti": str(self.count),
            "access": access,
        }
        header = {"typ": "JWT", "alg": "RS256", "x5c": [self.certificate]}
        signed = text64(json.dumps(header).encode()) + "." + text64(json.dumps(claims).encode())
        signature = subprocess.run(
            ["openssl", "dgst", "-sha256", "-sign", f"{self.folder}/key.pem"],
            input=signed.encode(),
            capture_output=True,
            check=True,
        ).stdout
        return signed + "." + text64(signature)


def push(url, tokens, name, tags):
    """Puts an image without layers into the registry."""
    headers = {"Authorization": "Bearer " + tokens.sign([f"repository:{name}:pull,push"])}

    def send(method, address, data=None, **more):
        request = urllib.request.Request(address, data=data, method=method, headers={**headers, **more})
        return urllib.request.urlopen(request)

    config = json.dumps(
        {"architecture": "amd64", "os": "linux", "rootfs": {"type": "layers", "diff_ids": []}}
    ).encode()
    digest = "sha256:" + hashlib.sha256(config).hexdigest()
    place = send("POST", f"{url}/v2/{name}/blobs/uploads/", b"").headers["Location"]
    mark = "&" if "?" in place else "?"
    send("PUT", f"{place}{mark}digest={digest}", config, **{"Content-Type": "application/octet-stream"})
    media = "application/vnd.docker.distribution.manifest.v2+json"
    manifest = json.dumps(
        {
            "schemaVersion": 2,
            "mediaType": media,
            "layers": [],
            "config": {
                "mediaType": "application/vnd.docker.container.image.v1+json",
                "size": len(config),
                "digest": digest,
            },
        }
    ).encode()
    for tag in tags:
        send("PUT", f"{url}/v2/{name}/manifests/{tag}", manifest, **{"Content-Type": media})


@contextlib.contextmanager
def registry():
    """Gives the address of a registry and its tokens."""
    program = host.program("docker-registry", "docker-registry")
    with tempfile.TemporaryDirectory() as folder:
        tokens, port = Tokens(folder), str(host.free_port())
        config = pathlib.Path(folder, "config.yml")
        text = CONFIG.replace("FOLDER", folder).replace("PORT", port).replace("REALM", tokens.url)
        config.write_text(text)
        server = subprocess.Popen(
            [program, "serve", str(config)], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        try:
            url = f"http://127.0.0.1:{port}"
            host.wait_for(url + "/v2/", server)
            yield url, tokens
        finally:
            server.terminate()
            server.wait()
            tokens.server.shutdown()
