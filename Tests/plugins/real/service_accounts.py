#!/usr/bin/env python3
"""Tests `github_app` and `google_service_account` against a server that verifies with PyJWT and google-auth.

Its clock is an hour ahead, and its tokens live for three seconds.
"""

import email.utils
import http.server
import json
import secrets
import sys
import threading
import time
import urllib.parse

sys.dont_write_bytecode = True
import plugin_host as host

host.use_packages("PyJWT", "cryptography", "google-auth")

import google.auth.jwt
import google.oauth2.service_account
import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import rsa

AHEAD, LIFETIME, SECONDS = 3600, 3, 5
KEY = rsa.generate_private_key(65537, 2048)
PRIVATE = KEY.private_bytes(
    serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL,
    serialization.NoEncryption()).decode()
PUBLIC = KEY.public_key().public_bytes(
    serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo)

SCRIPT = """
local github = rest.service { name = "github", base_url = "BASE/api/github" }
github:use("github_app", {
  app_id = 7, private_key = KEY.private_key, installation_id = 42, api_url = "BASE",
  permissions = { contents = "read" },
})
local google = rest.service { name = "google", base_url = "BASE/api/google" }
google:use("google_service_account", { key = KEY, scopes = { "a", "b" }, subject = "ada@example.com" })
local alone = rest.service { name = "alone", base_url = "BASE/api/alone" }
alone:use("google_service_account", { key = KEY, audience = "https://alone.example/" })

rest.spawn(function()
  local stop = rest.now() + SECONDS
  local workers = {}
  for number = 1, 200 do workers[number] = number end
  local failed, good = {}, 0
  rest.gather(workers, 200, function(number)
    local service = number % 2 == 0 and github or google
    while rest.now() < stop do
      local entity, err = service:resource(tostring(number)):load():await()
      if entity then good = good + 1 else failed[#failed + 1] = tostring(err) end
      rest.sleep(0.5)
    end
    return true
  end)
  emit("failed", failed[1] or "")
  emit("good", good)
  emit("alone", tostring((select(2, alone:resource("x"):load():await()))))
end)
"""


class Server(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    tokens, logins, refusals, lock = {}, {"github": 0, "google": 0}, [], threading.Lock()

    def now(self):
        return time.time() + AHEAD

    def login(self, kind):
        token = f"{kind}-{secrets.token_hex(20)}"
        with self.lock:
            self.tokens[token] = self.now() + LIFETIME
            self.logins[kind] += 1
        return token

    def github(self, body):
        text = self.headers["Authorization"].removeprefix("Bearer ")
        claims = jwt.decode(text, PUBLIC, ["RS256"], options={
            "require": ["iss", "iat", "exp"], "verify_exp": False, "verify_iat": False})
        if not self.now() - 600 < claims["iat"] <= self.now() < claims["exp"] <= self.now() + 600:
            self.refusals.append(claims)
            return 401, {"message": "'Expiration time' claim ('exp') is too far in the past"}
        host.check("app", claims["iss"], "7")
        host.check("permissions", json.loads(body), {"permissions": {"contents": "read"}})
        stop = time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime(self.now() + LIFETIME))
        return 201, {"token": self.login("github"), "expires_at": stop}

    def google(self, body):
        form = dict(urllib.parse.parse_qsl(body))
        host.check("grant", form["grant_type"], "urn:ietf:params:oauth:grant-type:jwt-bearer")
        claims = jwt.decode(form["assertion"], PUBLIC, ["RS256"], audience=BASE + "/token", options={
            "verify_exp": False, "verify_iat": False})
        if not self.now() - 300 < claims["iat"] < self.now() + 300:
            self.refusals.append(claims)
            return 400, {"error": "invalid_grant", "error_description": "Invalid JWT"}
        assertion = CREDENTIALS._make_authorization_grant_assertion()
        wanted = jwt.decode(assertion, options={"verify_signature": False})
        # google-auth has the address of Google here, whatever `token_uri` says.
        del claims["aud"], wanted["aud"]
        for name in ("iat", "exp"):
            host.check(f"whole seconds of {name}", type(claims.pop(name)), type(wanted.pop(name)))
        host.check("claims as those of google-auth", claims, wanted)
        return 200, {"access_token": self.login("google"), "expires_in": LIFETIME, "token_type": "Bearer"}

    def api(self):
        text = (self.headers["Authorization"] or "").removeprefix("Bearer ")
        if self.path.startswith("/api/alone/"):
            claims = google.auth.jwt.decode(text, PUBLIC, audience="https://alone.example/")
            is_whole = claims["iss"] == claims["sub"] == ACCOUNT["client_email"]
            return (200 if is_whole else 401), {}
        is_good = self.tokens.get(text, 0) > self.now() and self.path.split("/")[2] == text.split("-")[0]
        return (200 if is_good else 401), {}

    def answer(self):
        body = self.rfile.read(int(self.headers.get("Content-Length", 0))).decode()
        try:
            if self.path.startswith("/api/"):
                status, reply = self.api()
            elif self.path == "/app/installations/42/access_tokens":
                status, reply = self.github(body)
            else:
                status, reply = self.google(body)
        except (Exception, SystemExit) as problem:
            status, reply = 500, {"message": f"{type(problem).__name__}: {problem}"}
        data = json.dumps(reply).encode()
        self.send_response_only(status)
        self.send_header("Date", email.utils.formatdate(self.now(), usegmt=True))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)

    do_GET = do_POST = answer

    def log_message(self, *_):
        pass


class ManyConnections(http.server.ThreadingHTTPServer):
    request_queue_size = 512


server = ManyConnections(("127.0.0.1", 0), Server)
BASE = f"http://127.0.0.1:{server.server_port}"
ACCOUNT = {
    "type": "service_account", "client_email": "robot@project.example", "private_key": PRIVATE,
    "private_key_id": "k1", "token_uri": BASE + "/token",
}
CREDENTIALS = google.oauth2.service_account.Credentials.from_service_account_info(
    ACCOUNT, scopes=["a", "b"], subject="ada@example.com")


def main():
    threading.Thread(target=server.serve_forever, daemon=True).start()
    script = SCRIPT.replace("BASE", BASE).replace("SECONDS", str(SECONDS))
    values = host.run("local KEY = rest.json.decode [==[" + json.dumps(ACCOUNT) + "]==]\n" + script)
    host.check("failures", values["failed"], "")
    host.check("a token that the account signed", values["alone"], "nil")
    for kind, logins in Server.logins.items():
        if not SECONDS // LIFETIME <= logins <= SECONDS / (LIFETIME / 2) + 2:
            sys.exit(f"{logins} logins of {kind} for tokens of {LIFETIME} s within {SECONDS} s")
    host.check("refusals because of the clock, one of each server", len(Server.refusals), 2)
    print(f"github_app, google_service_account: {values['good']} requests, logins {Server.logins}")


if __name__ == "__main__":
    main()
