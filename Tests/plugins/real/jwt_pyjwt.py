#!/usr/bin/env python3
"""Tests the plugin `jwt` against PyJWT: each algorithm in both directions, with keys in PEM and key sets."""

import http.server
import json
import secrets
import sys
import threading
import time

sys.dont_write_bytecode = True
import plugin_host as host

host.use_packages("PyJWT", "cryptography")

import jwt
from cryptography.hazmat.primitives import serialization
from cryptography.hazmat.primitives.asymmetric import ec, ed25519, rsa
from jwt.algorithms import get_default_algorithms

CLAIMS = {
    "sub": "ada", "aud": ["shop", "till"], "iss": "https://id.example", "text": "né \n\"",
    "list": [1, 2.5, None],
}
CURVES = {"ES256": ec.SECP256R1(), "ES384": ec.SECP384R1(), "ES512": ec.SECP521R1()}

SCRIPT = """
local jwt = require "resthost.jwt"
local cases = rest.json.decode [==[CASES]==]
rest.spawn(function()
  for _, case in ipairs(cases) do
    local name = case.algorithm
    case.claims.exp = rest.now() + 60.5
    emit("signed " .. name, jwt.sign(case.claims, {
      key = case.private, algorithm = name, header = { kid = name },
    }))
    local options = { issuer = "https://id.example", audience = "shop", algorithms = { name } }
    local function verify(kind, field, value, token)
      options.key, options.jwks = nil, nil
      options[field] = value
      local claims, err = jwt.verify(token or case.token, options)
      emit(kind .. " " .. name, claims or err)
    end
    verify("key", "key", case.public)
    verify("set", "jwks", { keys = { case.jwk } })
    verify("url", "jwks", "KEYS")
    verify("changed", "key", case.public, case.changed)
    verify("other", "key", case.other)
    verify("expired", "key", case.public, case.expired)
  end
end)
"""


def pem(key, is_public):
    if is_public:
        return key.public_key().public_bytes(
            serialization.Encoding.PEM, serialization.PublicFormat.SubjectPublicKeyInfo).decode()
    return key.private_bytes(
        serialization.Encoding.PEM, serialization.PrivateFormat.TraditionalOpenSSL
        if isinstance(key, rsa.RSAPrivateKey) else serialization.PrivateFormat.PKCS8,
        serialization.NoEncryption()).decode()


def keys_of(algorithm):
    """A fresh pair for an algorithm: private, public, and public as JWK."""
    if algorithm.startswith("HS"):
        key = secrets.token_hex(40)
        return key, key, get_default_algorithms()[algorithm].to_jwk(key.encode())
    if algorithm[:2] in ("RS", "PS"):
        key = rsa.generate_private_key(65537, 2048 if algorithm.endswith("256") else 3072)
    elif algorithm == "EdDSA":
        key = ed25519.Ed25519PrivateKey.generate()
    else:
        key = ec.generate_private_key(CURVES[algorithm])
    return pem(key, False), pem(key, True), get_default_algorithms()[algorithm].to_jwk(key.public_key())


def case_of(algorithm):
    private, public, jwk = keys_of(algorithm)
    _, other, _ = keys_of(algorithm)
    now = int(time.time())
    headers = {"kid": algorithm}
    token = jwt.encode({**CLAIMS, "exp": now + 60}, private, algorithm, headers=headers)
    head, body, tail = token.split(".")
    changed = jwt.encode({**CLAIMS, "sub": "eve"}, private, algorithm, headers=headers).split(".")[1]
    return {
        "algorithm": algorithm, "private": private, "public": public, "claims": CLAIMS, "token": token,
        "jwk": {**json.loads(jwk), "kid": algorithm, "alg": algorithm, "use": "sig", "key_ops": None},
        "changed": f"{head}.{changed}.{tail}",
        "other": other,
        "expired": jwt.encode({**CLAIMS, "exp": now - 60}, private, algorithm, headers=headers),
    }


class KeySet(http.server.BaseHTTPRequestHandler):
    body = b""
    requests = 0

    def do_GET(self):
        type(self).requests += 1
        self.send_response(200)
        self.send_header("Content-Type", "application/jwk-set+json")
        self.send_header("Content-Length", str(len(self.body)))
        self.end_headers()
        self.wfile.write(self.body)

    def log_message(self, *_):
        pass


def main():
    names = [name + size for name in ("HS", "RS", "PS", "ES") for size in ("256", "384", "512")] + ["EdDSA"]
    cases = [case_of(name) for name in names for _ in range(2)]
    for case in cases:
        del case["jwk"]["key_ops"]
    # The keys of the last case of each algorithm are those that the set has.
    latest = {case["algorithm"]: case for case in cases}
    KeySet.body = json.dumps({"keys": [case["jwk"] for case in latest.values()]}).encode()
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), KeySet)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    address = f"http://127.0.0.1:{server.server_port}/keys"
    for repeat in range(2):
        batch = [case for place, case in enumerate(cases) if place % 2 == repeat]
        values = host.run(SCRIPT.replace("CASES", json.dumps(batch)).replace("KEYS", address))
        for case in batch:
            name = case["algorithm"]
            expected = jwt.decode(case["token"], case["public"], [name], audience="shop")
            host.check(f"key {name}", values[f"key {name}"], expected)
            host.check(f"set {name}", values[f"set {name}"], expected)
            wanted = expected if case is latest[name] else "the token's signature is wrong"
            host.check(f"url {name}", values[f"url {name}"], wanted)
            for kind in ("changed", "other"):
                host.check(f"{kind} {name}", values[f"{kind} {name}"], "the token's signature is wrong")
            host.check(f"expired {name}", values[f"expired {name}"], "the token has expired (exp)")
            token = values[f"signed {name}"]
            claims = jwt.decode(token, case["public"], [name], audience="shop", issuer="https://id.example")
            host.check(f"exp {name}", type(claims.pop("exp")), int)
            host.check(f"claims {name}", claims, CLAIMS)
            host.check(f"kid {name}", jwt.get_unverified_header(token)["kid"], name)
    host.check("requests for keys", KeySet.requests, 2)
    print(f"jwt: {len(names)} algorithms with 2 keys each, signed here and verified by PyJWT and in reverse")


if __name__ == "__main__":
    main()
