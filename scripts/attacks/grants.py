"""Attacks by a script that has no grants."""

import os
import socket
import threading
import time

from attack import Attack

# A refusal may raise. Only reached targets count.
SCRIPT = """@PRELUDE@
local function try(fn) pcall(fn) end
%s
local outside = { "@FOLDER@/victim.txt", "@FOLDER@/new.db", "../climbed.db", "link/linked.db" }
for number, path in ipairs(outside) do
  try(function()
    local cache = rest.cache.sqlite { path = path }
    api:configure("/cached/" .. number, function(c) c.pipeline.parsing.cache = cache end)
  end)
end
try(function() io.open("@FOLDER@/written.txt", "w"):write("x") end)
for number, proxy in ipairs { "http://127.0.0.1:@PROXY@", "socks5://127.0.0.1:@PROXY@", "socks5h://127.0.0.1:@PROXY@" } do
  try(function()
    local s = rest.service { name = "proxied" .. number, base_url = "http://127.0.0.1:@UPSTREAM@/",
      transport = { proxy = proxy } }
    rest.spawn(function() s:resource("x"):get() end)
  end)
end
try(function()
  local s = rest.service { name = "socket", base_url = "http://localhost/", transport = { unix_socket = "@FOLDER@/secret.sock" } }
  rest.spawn(function() s:resource("x"):get() end)
end)
try(function()
  local s = rest.service { name = "authority", base_url = "https://localhost/", transport = { ca_file = "@FOLDER@/victim.txt" } }
  rest.spawn(function() s:resource("x"):get() end)
end)
rest.spawn(function() api:resource("upload"):request("POST", { file = "@FOLDER@/victim.txt" }):await() end)
rest.spawn(function()
  api:resource("upload"):request("POST", { multipart = { { name = "f", file = "@FOLDER@/victim.txt" } } }):await()
end)
rest.every(0.2, function()
  for number in ipairs(outside) do api:resource("cached/" .. number):load() end
end)
"""
VICTIM = "not a database, and none of the script's business\n"


def listener(address, family):
    """A server that must not be contacted, and the list of its contacts."""
    server = socket.socket(family)
    server.bind(address)
    server.listen()
    contacts = []

    def accept():
        while True:
            try:
                connection, _ = server.accept()
            except OSError:
                return
            contacts.append(connection)

    threading.Thread(target=accept, daemon=True).start()
    return server, contacts


def reach(host):
    """Runs the script once more with everything in place; returns what it reached."""
    with open(host.path("victim.txt"), "w", encoding="utf-8") as file:
        file.write(VICTIM)
    os.symlink(host.folder, os.path.join(host.folder, "script", "link"))
    proxy, contacts = listener(("127.0.0.1", 0), socket.AF_INET)
    secret, secret_contacts = listener(host.path("secret.sock"), socket.AF_UNIX)
    uploads = []
    host.upstream.routes["/upload"] = lambda connection, target, body: (
        uploads.append(body), connection.sendall(b"HTTP/1.1 204 No Content\r\nConnection: close\r\n\r\n"))
    known = set(os.listdir(host.folder))
    complaints = []
    for title, line in (("", ""), (" although it gave up writing", "rest.permissions { write = false }")):
        host.write("main.lua", (SCRIPT % line).replace("@PROXY@", str(proxy.getsockname()[1])))
        host.command("reload")
        time.sleep(2)
        for number in range(1, 5):
            host.get(f"/api/cached/{number}", timeout=5)
        time.sleep(1)
        new = set(os.listdir(host.folder)) - known
        known |= new
        if new:
            complaints.append(f"files were made outside the script's folder{title}: {', '.join(sorted(new))}")
        try:
            with open(host.path("victim.txt"), encoding="utf-8") as file:
                content = file.read()
        except (OSError, ValueError) as error:
            content = str(error)
        if content != VICTIM:
            complaints.append(f"a file that it may not write was changed{title}")
    if contacts:
        complaints.append("a proxy was contacted that nobody granted")
    if secret_contacts:
        complaints.append("a socket was contacted that nobody granted")
    if any(VICTIM.encode() in body for body in uploads):
        complaints.append("a file was sent that it may not read")
    proxy.close()
    secret.close()
    return complaints


ATTACKS = [Attack("grants", "caches, proxies, sockets and files without a grant", reach)]
