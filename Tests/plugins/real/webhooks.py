"""Compares the plugin webhooks with the libraries of Stripe, Slack and Standard Webhooks, both ways."""

import support

support.enter_venv()

import base64
import concurrent.futures
import datetime
import hashlib
import hmac
import json
import random
import threading
import time
import uuid

import stripe
from slack_sdk.signature import SignatureVerifier
from standardwebhooks import Webhook, WebhookVerificationError

check = support.check

SECRET = "whsec_" + base64.b64encode(bytes(range(32))).decode()
ROUTES = """
local rest = require "resthost"
local webhooks = require "resthost.webhooks"
local gateway = rest.gateway { listen = "127.0.0.1:0", limits = { body = 1000000 } }
local older, secret = "whsec_" .. rest.base64.encode(("o"):rep(24)), "SECRET"
local failed = {}
for _, provider in ipairs { "github", "stripe", "slack", "standard" } do
  webhooks.route(gateway, "/" .. provider, { provider = provider, secret = { older, secret } },
    function(event)
      rest.store:incr(provider)
      if event.type == "fail" and not failed[provider .. event.id] then
        failed[provider .. event.id] = true
        error "the function fails once"
      end
      if event.type == "slow" then rest.sleep(1) end
      return { id = event.id, type = event.type }
    end)
end
gateway:route("GET", "/count/{provider}", function(request)
  return { count = rest.store:get(request.params.provider) or 0 }
end)
"""


def stripe_case(body, when, secret):
    header = stripe.WebhookSignature.generate_signature_header(body.decode(), secret, timestamp=when)
    return {"Stripe-Signature": header}


def stripe_takes(body, headers):
    try:
        stripe.WebhookSignature.verify_header(body.decode(), headers.get("Stripe-Signature"), SECRET, 300)
        return True
    except Exception:
        return False


def slack_case(body, when, secret):
    signature = SignatureVerifier(secret).generate_signature(timestamp=str(when), body=body)
    return {"X-Slack-Signature": signature, "X-Slack-Request-Timestamp": str(when)}


def slack_takes(body, headers):
    try:
        return SignatureVerifier(SECRET).is_valid_request(body, headers)
    except ValueError:
        return False


def standard_case(body, when, secret):
    identity = f"msg_{uuid.uuid4().hex}"
    key = Webhook(secret if secret.startswith("whsec_") else base64.b64encode(secret.encode()).decode())
    signature = key.sign(
        identity, datetime.datetime.fromtimestamp(when, datetime.timezone.utc), body.decode()
    )
    return {"webhook-id": identity, "webhook-timestamp": str(when), "webhook-signature": signature}


def standard_takes(body, headers):
    try:
        Webhook(SECRET).verify(body, headers, json_parse=False)
        return True
    except (WebhookVerificationError, ValueError):
        return False


def github_case(body, _, secret):
    signature = hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()
    return {
        "X-Hub-Signature-256": f"sha256={signature}",
        "X-GitHub-Delivery": str(uuid.uuid4()),
        "X-GitHub-Event": "push",
    }


PROVIDERS = {
    "stripe": (stripe_case, stripe_takes),
    "slack": (slack_case, slack_takes),
    "standard": (standard_case, standard_takes),
}


def compare(gateway):
    """Requests that are right, old, changed or signed otherwise: the library and the route agree on each."""
    chance = random.Random(8)
    compared = taken = 0
    for name, (sign, takes) in PROVIDERS.items():
        for number in range(60):
            body = json.dumps(
                {
                    "id": f"evt_{name}_{number}",
                    "event_id": f"Ev{number}",
                    "type": "note",
                    "text": "ä漢😀\n" * number,
                },
                ensure_ascii=chance.random() < 0.5,
            ).encode()
            now = int(time.time())
            when = now + chance.choice([0, 0, 0, -200, 200, -400, 400, -86400])
            secret = chance.choice([SECRET, SECRET, SECRET, "whsec_" + base64.b64encode(b"x" * 24).decode()])
            headers = sign(body, when, secret)
            fault = chance.choice(["none", "none", "body", "header", "missing", "timestamp"])
            if fault == "body":
                body = body.replace(b"note", b"Note", 1)
            elif fault == "header":
                victim = chance.choice(list(headers))
                text = headers[victim]
                place = chance.randrange(len(text))
                headers[victim] = text[:place] + chance.choice("0aZ,= ") + text[place + 1 :]
                headers[victim] = headers[victim].strip() or "x"
            elif fault == "missing":
                del headers[chance.choice(list(headers))]
            elif fault == "timestamp":
                headers = {key: value.replace(str(when), str(when + 1)) for key, value in headers.items()}
            # The library of Stripe takes any time to come; the route does not.
            wanted = takes(body, headers) and not (name == "stripe" and when > now + 300)
            status, answer = gateway.post(f"/{name}", body, {"Content-Type": "application/json", **headers})
            check(status in (200, 400, 401), f"{name} {fault}: {status} {answer}")
            check(
                wanted == (status == 200),
                f"{name} {fault} {headers}: the library says {wanted}, {status} {answer}",
            )
            compared += 1
            taken += wanted
    check(20 < taken < compared - 20, f"{taken} of {compared} are right")
    return compared


def answers(gateway):
    """The status for each fault, and what counts as a replay."""
    kind = {"Content-Type": "application/json"}
    for name, sign in [*((name, pair[0]) for name, pair in PROVIDERS.items()), ("github", github_case)]:

        def post(body, when=None, secret=SECRET, headers=None):
            sent = headers or sign(body, when or int(time.time()), secret)
            return gateway.post(f"/{name}", body, {**kind, **sent})[0], sent

        def event(type_of, number):
            return json.dumps(
                {"id": f"{type_of}{number}", "event_id": f"{type_of}{number}", "type": type_of}
            ).encode()

        body = event("note", 1000)
        status, headers = post(body)
        check(status == 200, f"{name}: {status}")
        check(post(body, headers=headers)[0] == 409, f"{name}: a replay is taken")
        check(
            post(body, secret="whsec_" + base64.b64encode(b"y" * 24).decode())[0] == 401,
            f"{name}: a wrong secret",
        )
        if name != "github":
            check(
                post(event("note", 1001), when=int(time.time()) - 400)[0] == 400,
                f"{name}: an old one is taken",
            )
            check(post(event("fail", 1))[0] == 500, f"{name}: a failure is no 500")
            status, headers = post(event("fail", 2))
            check(status == 500, f"{name}: {status}")
            check(
                post(event("fail", 2), headers=headers)[0] == 200,
                f"{name}: a retry after a failure is refused",
            )
            check(
                post(event("fail", 2), headers=headers)[0] == 409,
                f"{name}: a replay after a failure is taken",
            )
            # Of twenty at once that are the same, one runs.
            body = event("slow", 1)
            headers = sign(body, int(time.time()), SECRET)
            with concurrent.futures.ThreadPoolExecutor(20) as pool:
                seen = sorted(
                    status for status, _ in pool.map(lambda _: post(body, headers=headers), range(20))
                )
            check(seen == [200] + [409] * 19, f"{name}: twenty at once get {seen}")
        long = b'"' + b"x" * 1000001 + b'"'
        check(post(long)[0] == 413, f"{name}: a body beyond the limit")
    challenge = b'{"type":"url_verification","challenge":"abc"}'
    status, text = gateway.post(
        "/slack", challenge, {**kind, **slack_case(challenge, int(time.time()), SECRET)}
    )
    check((status, text) == (200, b"abc"), f"the challenge of Slack gets {status} {text}")


SENDING = """
local rest = require "resthost"
local webhooks = require "resthost.webhooks"
local receiver = rest.service { name = "receiver", base_url = "BASE" }
rest.spawn(function()
  for number = 1, 20 do
    local result, err = webhooks.send(receiver:define("POST", "hook" .. number),
      { type = "note", text = ("ä漢 "):rep(number) },
      { secret = "SECRET", id = "msg_" .. number, retry = { base = 1.1 } })
    print(result and result.attempts or tostring(err))
  end
end)
"""


def send():
    """The library of Standard Webhooks takes all that is sent, the attempts after failures too."""
    seen, lock = [], threading.Lock()

    def answer(method, target, headers, body):
        Webhook(SECRET).verify(body, dict(headers))
        with lock:
            seen.append((target, headers["webhook-id"], headers["webhook-timestamp"]))
            count = sum(1 for other, _, _ in seen if other == target)
        return (503 if target in ("/hook3", "/hook7") and count == 1 else 204), {}, b""

    server = support.Server(answer)
    text = SENDING.replace("BASE", f"http://127.0.0.1:{server.port}").replace("SECRET", SECRET)
    output = support.run_script(text).split()
    server.close()
    check(
        output == ["2" if number in (3, 7) else "1" for number in range(1, 21)], f"the attempts are {output}"
    )
    for target in ("/hook3", "/hook7"):
        (_, first, early), (_, second, late) = [entry for entry in seen if entry[0] == target]
        check(first == second and int(early) < int(late), f"{target}: {first} at {early}, {second} at {late}")
    return len(seen)


with support.Gateway(ROUTES.replace("SECRET", SECRET)) as gateway:
    compared = compare(gateway)
    answers(gateway)
sent = send()
print(
    f"webhooks: the libraries of Stripe, Slack and Standard Webhooks agree on {compared} deliveries and take "
    f"{sent} of ours; replays, failures and retries get their statuses"
)
