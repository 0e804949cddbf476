"""An OAuth 2.0 server made with Authlib, and an API that takes its tokens.

The clients' names say how long their tokens live (`me-1`: one second), and how they prove who they are. GET
/-/stats says how many tokens each client got, and how often the API took and refused one.
"""

import os
import sys
import threading
import time

os.environ["AUTHLIB_INSECURE_TRANSPORT"] = "1"

from authlib.integrations.flask_oauth2 import AuthorizationServer
from authlib.oauth2.rfc6749 import AuthorizationCodeMixin, ClientMixin, TokenMixin, grants
from authlib.oauth2.rfc6750 import BearerTokenGenerator
from authlib.oauth2.rfc7523 import JWTBearerClientAssertion
from authlib.oauth2.rfc7636 import CodeChallenge
from authlib.oauth2.rfc8628 import DeviceAuthorizationEndpoint, DeviceCodeGrant, DeviceCredentialDict
from authlib.common.security import generate_token
from joserfc.jwk import import_key
from flask import Flask, jsonify, redirect, request
from werkzeug.serving import WSGIRequestHandler, make_server

DEVICE_CODE = "urn:ietf:params:oauth:grant-type:device_code"
BASE = None
lock = threading.Lock()
stats = {"logins": {}, "taken": 0, "refused": 0, "reused": 0}
tokens, codes, devices, decisions, refreshes, used_ids, polls = {}, {}, {}, {}, {}, set(), {}
public_keys = {}


class Client(ClientMixin):
    def __init__(self, name):
        kind, _, lifetime = name.partition("-")
        self.name, self.kind, self.lifetime = name, kind, int(lifetime or 60)

    def get_client_id(self):
        return self.name

    def get_default_redirect_uri(self):
        return None

    def get_allowed_scope(self, scope):
        return scope or ""

    def check_redirect_uri(self, uri):
        return uri.startswith("http://127.0.0.1:")

    def check_client_secret(self, secret):
        return secret == "a secret +%"

    def check_endpoint_auth_method(self, method, endpoint):
        return method == {"public": "none", "slow": "none", "post": "client_secret_post"}.get(
            self.kind, "client_assertion_jwt" if self.kind in public_keys else "client_secret_basic")

    def check_response_type(self, kind):
        return kind == "code"

    def check_grant_type(self, grant):
        return True


class Token(TokenMixin):
    def __init__(self, client, data, user):
        self.client, self.data, self.user = client, data, user
        self.expires_at = time.time() + data["expires_in"]
        self.is_revoked = False

    def check_client(self, client):
        return client.name == self.client.name

    def get_scope(self):
        return self.data.get("scope", "")


class Code(AuthorizationCodeMixin, dict):
    __getattr__ = dict.get

    def get_redirect_uri(self):
        return self["redirect_uri"]

    def get_scope(self):
        return self["scope"]


def query_client(name):
    return Client(name) if name.partition("-")[0] in {"me", "post", "public", "slow", *public_keys} else None


def save_token(data, request):
    token = Token(request.client, data, request.user)
    with lock:
        tokens[data["access_token"]] = token
        if "refresh_token" in data:
            refreshes[data["refresh_token"]] = token
        stats["logins"][token.client.name] = stats["logins"].get(token.client.name, 0) + 1


class RefreshToken(grants.RefreshTokenGrant):
    INCLUDE_NEW_REFRESH_TOKEN = True
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "none"]

    def authenticate_refresh_token(self, text):
        if text == "the first refresh token of " + self.request.client.name and text not in refreshes:
            refreshes[text] = Token(self.request.client, {"expires_in": 1}, "ada")
        token = refreshes.get(text)
        if token and token.is_revoked:
            stats["reused"] += 1
            return None
        return token

    def authenticate_user(self, token):
        return token.user

    def revoke_old_credential(self, token):
        token.is_revoked = True


class AuthorizationCode(grants.AuthorizationCodeGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "none"]

    def save_authorization_code(self, code, request):
        form = request.payload.data
        codes[code] = Code(
            code=code, client=request.client.name, redirect_uri=request.payload.redirect_uri,
            scope=request.payload.scope or "", user="ada", code_challenge=form.get("code_challenge"),
            code_challenge_method=form.get("code_challenge_method"))

    def query_authorization_code(self, code, client):
        found = codes.get(code)
        return found if found and found["client"] == client.name else None

    def delete_authorization_code(self, code):
        codes.pop(code["code"], None)

    def authenticate_user(self, code):
        return code["user"]


class Device(DeviceAuthorizationEndpoint):
    EXPIRES_IN, INTERVAL = 60, 1

    def get_verification_uri(self):
        return BASE + "/go"

    def save_device_credential(self, client, scope, data):
        devices[data["device_code"]] = DeviceCredentialDict(
            client_id=client, scope=scope or "", expires_at=time.time() + data["expires_in"], **{
                name: data[name] for name in ("user_code", "device_code", "verification_uri", "interval")})


class DeviceGrant(DeviceCodeGrant):
    def query_device_credential(self, code):
        return devices.get(code)

    def query_user_grant(self, user_code):
        return decisions.get(user_code)

    def should_slow_down(self, credential):
        """Slows the second request down, and approves after that."""
        user_code = credential["user_code"]
        polls.setdefault(user_code, []).append(time.time())
        if len(polls[user_code]) == 2:
            decisions[user_code] = ("ada", True)
            return True
        return False


class ClientAssertion(JWTBearerClientAssertion):
    def get_audiences(self):
        return [BASE + "/token"]

    def validate_jti(self, claims, jti):
        is_new = jti not in used_ids
        used_ids.add(jti)
        return is_new

    def resolve_client_public_key(self, client):
        return public_keys[client.kind]


app = Flask(__name__)
server = AuthorizationServer(app, query_client=query_client, save_token=save_token)
server.register_token_generator("default", BearerTokenGenerator(
    lambda **_: generate_token(42), lambda **_: generate_token(48),
    lambda client, grant_type: client.lifetime))
server.register_client_auth_method("client_assertion_jwt", ClientAssertion())


class ClientCredentials(grants.ClientCredentialsGrant):
    TOKEN_ENDPOINT_AUTH_METHODS = ["client_secret_basic", "client_secret_post", "client_assertion_jwt"]


server.register_grant(ClientCredentials)
server.register_grant(RefreshToken)
server.register_grant(AuthorizationCode, [CodeChallenge(required=True)])
server.register_grant(DeviceGrant)
server.register_endpoint(Device)


@app.post("/token")
def token():
    if "slow-" in request.get_data(as_text=True):
        time.sleep(2)
    return server.create_token_response()


@app.get("/authorize")
def authorize():
    """The person, who is logged in and agrees at once."""
    grant = server.get_consent_grant(end_user="ada")
    return server.create_authorization_response(grant_user="ada", grant=grant)


@app.post("/device")
def device():
    return server.create_endpoint_response("device_authorization")


@app.get("/.well-known/oauth-authorization-server")
def metadata():
    return jsonify(
        issuer=BASE, token_endpoint=BASE + "/token", authorization_endpoint=BASE + "/authorize",
        device_authorization_endpoint=BASE + "/device", response_types_supported=["code"])


@app.post("/html")
def html():
    return "<html>Log in</html>", 200, {"Content-Type": "text/html"}


@app.get("/api/<name>")
def api(name):
    text = request.headers.get("Authorization", "").removeprefix("Bearer ")
    found = tokens.get(text)
    is_good = found is not None and not found.is_revoked and time.time() < found.expires_at
    with lock:
        stats["taken" if is_good else "refused"] += 1
    if not is_good:
        return jsonify(error="invalid_token"), 401
    return jsonify(name=name, client=found.client.name)


@app.post("/-/revoke")
def revoke():
    for found in tokens.values():
        found.is_revoked = True
    return jsonify(revoked=len(tokens))


@app.post("/-/reset")
def reset():
    with lock:
        stats.update(logins={}, taken=0, refused=0, reused=0)
    return jsonify(stats)


@app.get("/-/stats")
def show_stats():
    return jsonify(stats)


class Quiet(WSGIRequestHandler):
    protocol_version = "HTTP/1.1"

    def log_request(self, *_):
        pass


def serve(port, keys):
    """Serves until the process ends. `keys` has public keys in PEM by the names of their clients."""
    global BASE
    BASE = f"http://127.0.0.1:{port}"
    for name, pem in keys.items():
        public_keys[name] = import_key(pem, "RSA" if name == "rsa" else "EC")
    made = make_server("127.0.0.1", port, app, threaded=True, request_handler=Quiet)
    made.socket.listen(512)
    made.serve_forever()


if __name__ == "__main__":
    import json

    serve(int(sys.argv[1]), json.loads(sys.argv[2]))
