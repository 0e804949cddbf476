#!/usr/bin/env python3
"""Runs the recipe stripe_charges of examples/cookbook against localstripe, and reads payments with Stripe's
library. localstripe doesn't know `automatic_payment_methods`, so a server in front checks and removes it."""

import sys
import urllib.error
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
import plugin_host as host
from recipe_host import receiver, recipe, server, status_of

host.use_packages("localstripe", "stripe")

import stripe


def stripe_charges():
    port = host.free_port()
    base = f"http://127.0.0.1:{port}"
    keys, failures = [], []

    def forward(method, path, headers, body):
        keys.append(headers["Idempotency-Key"])
        if failures:
            return failures.pop(), "application/json", b'{"error": {"message": "Try again"}}'
        form = dict(urllib.parse.parse_qsl(body.decode(), strict_parsing=True))
        host.check("automatic payment methods", form.pop("automatic_payment_methods[enabled]"), "true")
        sent = {name: headers[name] for name in ("Authorization", "Content-Type", "Stripe-Version")}
        data = urllib.parse.urlencode(form).encode()
        try:
            answer = urllib.request.urlopen(urllib.request.Request(base + path, data, sent, method=method))
        except urllib.error.HTTPError as error:
            answer = error
        with answer:
            return answer.status, answer.headers["Content-Type"], answer.read()

    command = [sys.executable, "-m", "localstripe", "--port", str(port), "--from-scratch"]
    with server(command, base), receiver(forward) as url:
        client = stripe.StripeClient("sk_test_12345", base_addresses={"api": base})
        with recipe("stripe_charges", STRIPE_URL=url + "/v1", STRIPE_KEY="sk_test_12345") as read:

            def pay(**form):
                return read("/pay", urllib.parse.urlencode(form).encode())

            paid = pay(amount=1200, order="42 & more")
            intent = client.v1.payment_intents.retrieve(paid["id"])
            host.check("an amount", (intent.amount, intent.currency), (1200, "eur"))
            host.check("an order", intent.metadata["order"], "42 & more")
            host.check("a secret", paid["secret"], intent.client_secret)

            failures.append(503)
            host.check_contains("a payment after a failure", pay(amount=50, order="43")["id"], "pi_")
            host.check("keys", keys, ["order-42 & more", "order-43", "order-43"])
            host.check("a wrong amount", status_of(pay, amount="12.5", order="44"), 422)
            intents = client.v1.payment_intents.list().data
            host.check("payments", sorted(one.amount for one in intents), [50, 1200])
        with recipe("stripe_charges", STRIPE_URL=url + "/v1", STRIPE_KEY="pk_no_secret_key") as read:
            host.check("a wrong key", status_of(pay, amount=1200, order="45"), 401)


stripe_charges()
print("recipes_stripe: stripe_charges with localstripe")
