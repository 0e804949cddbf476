"""The gateway and nginx before one upstream that records what reaches it, for scripts/attack-table."""

import os
import re
import shutil
import socket
import subprocess
import threading
import time

SCRIPT = """
local rest = require "resthost"
local api = rest.service { name = "api", base_url = "http://127.0.0.1:%(upstream)d/base" }
api:configure("**", function(c) c.headers["X-Secret"] = "s3cr3t-of-the-script" end)
rest.gateway {
  listen = { "127.0.0.1:0", { address = "127.0.0.1:%(secure)d", tls = { certificate = "c.pem", key = "k.pem" } } },
  expose = { api = { paths = { "/public/**" }, methods = { "GET", "HEAD", "POST" } } },
  limits = { header_timeout = 1, idle_timeout = 2 },
}
"""

NGINX = """
daemon off; master_process off; pid %(folder)s/nginx.pid; error_log %(folder)s/error.log crit;
events { worker_connections 256; }
http {
  access_log off; client_header_timeout 1s; client_body_timeout 1s; keepalive_timeout 2s;
  client_body_temp_path %(folder)s/body; proxy_temp_path %(folder)s/proxy; fastcgi_temp_path %(folder)s/f;
  uwsgi_temp_path %(folder)s/u; scgi_temp_path %(folder)s/s;
  server {
    listen 127.0.0.1:%(port)d;
    listen 127.0.0.1:%(streams)d http2;
    location /api/public/ {
      proxy_pass http://127.0.0.1:%(upstream)d/base/public/;
      proxy_http_version 1.1; proxy_set_header Connection "";
    }
    location / { return 404; }
  }
}
"""


class Upstream:
    """Records the heads that reach it, and answers each with a word."""

    def __init__(self):
        self.seen = []
        self.listener = socket.create_server(("127.0.0.1", 0), backlog=128)
        self.port = self.listener.getsockname()[1]
        threading.Thread(target=self.accept, daemon=True).start()

    def accept(self):
        while True:
            connection, _ = self.listener.accept()
            threading.Thread(target=self.serve, args=(connection,), daemon=True).start()

    def serve(self, connection):
        with connection:
            data = b""
            connection.settimeout(10)
            try:
                while True:
                    while b"\r\n\r\n" not in data:
                        piece = connection.recv(65536)
                        if not piece:
                            return
                        data += piece
                    head, _, data = data.partition(b"\r\n\r\n")
                    self.seen.append(head)
                    length = re.search(rb"(?i)\r\ncontent-length: *(\d+)", head)
                    if re.search(rb"(?i)\r\ntransfer-encoding:", head):
                        while b"0\r\n\r\n" not in data:
                            data += connection.recv(65536)
                        data = b""
                    while length and len(data) < int(length[1]):
                        data += connection.recv(65536)
                    data = data[int(length[1]) if length else 0:]
                    connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Type: text/plain\r\nContent-Length: 5\r\n\r\nhello")
            except OSError:
                return


def free_port():
    with socket.create_server(("127.0.0.1", 0)) as listener:
        return listener.getsockname()[1]


def start_gateway(program, folder, upstream):
    """Returns the process and its ports: for HTTP/1.1, and for TLS with HTTP/2."""
    subprocess.run(
        ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "2", "-subj", "/CN=localhost",
         "-keyout", os.path.join(folder, "k.pem"), "-out", os.path.join(folder, "c.pem")], check=True, capture_output=True)
    path = os.path.join(folder, "main.lua")
    with open(path, "w", encoding="utf-8") as file:
        file.write(SCRIPT % {"upstream": upstream.port, "secure": free_port()})
    process = subprocess.Popen(
        [program, "run", path, "--admin", "off"], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL,
        stdin=subprocess.DEVNULL)
    ports = {}
    for line in process.stdout:
        found = re.search(rb"listening on (https?)://127\.0\.0\.1:(\d+)", line)
        if found:
            ports[found.group(1)] = int(found.group(2))
        if b"/-/health" in line:
            threading.Thread(target=process.stdout.read, daemon=True).start()
            return process, ports[b"http"], ports[b"https"]
    raise SystemExit("attack-table: the program ended without listening")


def start_nginx(folder, upstream):
    """Does the same for nginx, whose HTTP/2 begins without TLS."""
    if not shutil.which("nginx"):
        return None, None, None
    port, streams = free_port(), free_port()
    path = os.path.join(folder, "nginx.conf")
    with open(path, "w", encoding="utf-8") as file:
        file.write(NGINX % {"folder": folder, "port": port, "streams": streams, "upstream": upstream.port})
    process = subprocess.Popen(["nginx", "-e", os.path.join(folder, "error.log"), "-c", path], stdin=subprocess.DEVNULL)
    for _ in range(100):
        try:
            socket.create_connection(("127.0.0.1", port)).close()
            return process, port, streams
        except OSError:
            time.sleep(0.05)
    raise SystemExit("attack-table: nginx doesn't listen")
