#!/usr/bin/env python3
"""Runs recipes of examples/cookbook that take webhooks: of Stripe, signed by Stripe's library or sent by
localstripe, and of GitHub, signed as its documentation says. The deployments and orders that they start go to
a server of this file."""

import hashlib
import hmac
import json
import sys
import tempfile
import threading
import time
import urllib.request
import uuid

sys.dont_write_bytecode = True
import plugin_host as host
from recipe_host import receiver, recipe, server, status_of, until

host.use_packages("localstripe", "stripe")

import stripe


def stripe_event(kind, order, secret, when=None):
    """An event of Stripe in the form of its documentation, with the headers of its delivery."""
    intent = {
        "id": f"pi_{order}", "object": "payment_intent", "amount": 1200, "amount_received": 1200,
        "currency": "eur", "metadata": {"order": order}, "status": "succeeded",
    }
    event = {
        "id": f"evt_{uuid.uuid4().hex}", "object": "event", "api_version": "2024-06-20",
        "type": kind, "data": {"object": intent}, "livemode": False, "pending_webhooks": 1,
    }
    body = json.dumps(event, indent=2)
    signature = stripe.WebhookSignature.generate_signature_header(body, secret, timestamp=when)
    return body.encode(), {"Content-Type": "application/json; charset=utf-8", "Stripe-Signature": signature}


def stripe_webhooks():
    orders, statuses = [], [200]

    def answer(method, path, headers, body):
        orders.append((method, path, json.loads(body), headers["Idempotency-Key"]))
        return statuses.pop() if len(statuses) > 1 else statuses[0], "application/json", b"{}"

    secret = "whsec_of_the_test"
    with receiver(answer) as url, tempfile.TemporaryDirectory() as folder:
        environment = {"ORDERS_URL": url, "STRIPE_WEBHOOK_SECRET": secret}
        with recipe("stripe_webhooks", folder, **environment) as read:

            def send(body, headers):
                return status_of(read, "/stripe", body, headers=headers)

            first = stripe_event("payment_intent.succeeded", "42", secret)
            host.check("a payment", send(*first), 200)
            paid = {"state": "paid", "amount": 1200, "payment": "pi_42"}
            host.check("an order", orders, [("PATCH", "/orders/42", paid, "pi_42")])
            host.check("a replay", send(*first), 409)
            host.check("another secret", send(*stripe_event("charge.refunded", "1", "whsec_other")), 401)
            old = stripe_event("payment_intent.succeeded", "43", secret, int(time.time()) - 600)
            host.check("an old event", send(*old), 400)
            body, headers = stripe_event("payment_intent.succeeded", "44", secret)
            host.check("a changed body", send(body.replace(b"1200", b"9900"), headers), 401)
            host.check("another event", send(*stripe_event("charge.refunded", "42", secret)), 200)
            host.check("orders in the end", len(orders), 1)

            # The recipe tries again when the orders fail, and Stripe gets an error when that does not help.
            statuses[:] = [200, 503]
            host.check("a failure", send(*stripe_event("payment_intent.succeeded", "45", secret)), 200)
            host.check("attempts", [path for _, path, _, _ in orders[1:]], ["/orders/45"] * 2)
            statuses[:] = [404]
            event = stripe_event("payment_intent.succeeded", "46", secret)
            host.check("an order that is missing", send(*event) >= 400, True)
            statuses[:] = [200]
            host.check("the same event again", send(*event), 200)
        count = len(orders)
        with recipe("stripe_webhooks", folder, **environment) as read:
            body, headers = stripe_event("payment_intent.succeeded", "42", secret)
            host.check("after a restart", status_of(read, "/stripe", body, headers=headers), 200)
        host.check("orders after a restart", len(orders), count)


def stripe_payment():
    """A payment that Stripe's library makes with localstripe, which sends its events to the recipe."""
    orders = []

    def answer(method, path, headers, body):
        orders.append((path, json.loads(body), headers["Idempotency-Key"]))
        return 200, "application/json", b"{}"

    port = host.free_port()
    base = f"http://127.0.0.1:{port}"
    command = [sys.executable, "-m", "localstripe", "--port", str(port), "--from-scratch"]
    secret = "whsec_of_localstripe"
    with receiver(answer) as url, server(command, base):
        with recipe("stripe_webhooks", ORDERS_URL=url, STRIPE_WEBHOOK_SECRET=secret) as read:
            hook = json.dumps({"url": read.url + "/stripe", "secret": secret}).encode()
            request = urllib.request.Request(
                base + "/_config/webhooks/recipe", hook, {"Content-Type": "application/json"}
            )
            urllib.request.urlopen(request).close()
            client = stripe.StripeClient("sk_test_12345", base_addresses={"api": base})
            card = {"number": "4242424242424242", "exp_month": 12, "exp_year": 2030, "cvc": "123"}
            method = client.v1.payment_methods.create({"type": "card", "card": card})
            for order in ("7", "8"):
                intent = client.v1.payment_intents.create({
                    "amount": 1200, "currency": "eur", "payment_method": method.id,
                    "metadata": {"order": order}, "payment_method_types": ["card"],
                })
                if order == "7":
                    paid = client.v1.payment_intents.confirm(intent.id)
            host.check("a payment", paid.status, "succeeded")
            for _ in range(100):
                if orders:
                    break
                time.sleep(0.1)
            time.sleep(1.5)
        # localstripe knows no amount_received.
        host.check("orders", orders, [("/orders/7", {"state": "paid", "payment": paid.id}, paid.id)])


def github_signature(secret, body):
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def github_push(secret, commit, ref="refs/heads/main", kind="push"):
    repository = {"id": 186853002, "full_name": "Codertocat/Hello-World", "private": False}
    push = {
        "ref": ref, "before": "0" * 40, "after": commit, "created": False, "deleted": False, "forced": False,
        "repository": repository, "pusher": {"name": "Codertocat"}, "commits": [],
    }
    body = json.dumps(push if kind == "push" else {"zen": "Design for failure.", "hook_id": 1}).encode()
    return body, {
        "Content-Type": "application/json", "User-Agent": "GitHub-Hookshot/044aadd",
        "X-GitHub-Event": kind, "X-GitHub-Delivery": str(uuid.uuid4()), "X-GitHub-Hook-ID": "1",
        "X-Hub-Signature-256": github_signature(secret, body),
    }


def github_deploys():
    # The example of "Validating webhook deliveries" in GitHub's documentation.
    example = github_signature("It's a Secret to Everybody", b"Hello, World!")
    host.check(
        "GitHub's example of a signature", example,
        "sha256=757107ea0eb2509fc211221cce984b8a37570b6d7586c22c46f4379c8b043e17",
    )
    deployed, may_end = [], threading.Semaphore(0)

    def answer(method, path, headers, body):
        deployed.append((path, json.loads(body)))
        may_end.acquire(timeout=20)
        commit = json.loads(body)["commit"]
        return 500 if commit.startswith("f") else 200, "application/json", b"{}"

    secret = "It's a Secret to Everybody"
    with receiver(answer) as url:
        environment = {"RUNNER_URL": url, "GITHUB_WEBHOOK_SECRET": secret, "DEPLOY_BRANCH": "main"}
        with recipe("github_deploys", **environment) as read:

            def send(body, headers):
                return read("/github", body, headers=headers)

            host.check("a ping", send(*github_push(secret, "", kind="ping")), {"zen": "Design for failure."})
            host.check("a branch", send(*github_push(secret, "a", "refs/heads/new")), {"ignored": "push"})
            body, headers = github_push("another secret", "a")
            host.check("another secret", status_of(read, "/github", body, headers=headers), 401)
            body, headers = github_push(secret, "a")
            host.check("a changed body", status_of(read, "/github", body + b" ", headers=headers), 401)
            host.check("no deployments", (deployed, read("/deployments")), ([], []))

            commits = ["a" * 40, "b" * 40, "c" * 40]
            for commit in commits:
                host.check("a push", send(*github_push(secret, commit)), {"commit": commit})
            may_end.release(2)
            both = (commits[2], commits[0])
            history = [{"commit": commit, "by": "Codertocat", "ok": True} for commit in both]
            until(read, "/deployments", history)
            expected = {"repository": "Codertocat/Hello-World", "commit": commits[0], "by": "Codertocat"}
            host.check("the first deployment", deployed[0], ("/deploy", expected))
            host.check("deployments", len(deployed), 2)

            send(*github_push(secret, "f" * 40))
            may_end.release()
            for _ in range(100):
                last = read("/deployments")[0]
                if not last["ok"]:
                    break
                time.sleep(0.1)
            host.check("a deployment that fails", (last["commit"], last["ok"]), ("f" * 40, False))
            host.check_contains("its reason", last["reason"], "500")


stripe_webhooks()
stripe_payment()
github_deploys()
print(
    "recipes_webhooks: stripe_webhooks with Stripe's library and localstripe, github_deploys with GitHub's "
    "documented signature"
)
