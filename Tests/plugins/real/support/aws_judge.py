"""Judges signatures for AWS with botocore's own signer."""

import datetime
import hashlib
import re

import botocore.auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

KEYS = {
    "AKIDPLAIN": Credentials("AKIDPLAIN", "a/secret+with=signs", None),
    "ASIATEMPORARY": Credentials("ASIATEMPORARY", "another secret key", "the/session+token=="),
}


def expected_signature(scheme, method, target, headers, body):
    """The signature that botocore makes of the headers that are named as signed; raises for other faults."""
    found = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=(\w+)/(\d{8})/([\w-]+)/([\w-]+)/aws4_request, "
        r"SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})",
        headers["Authorization"] or "",
    )
    if not found:
        raise ValueError(f"no such Authorization: {headers['Authorization']}")
    key, _, region, service, names, signature = found.groups()
    credentials = KEYS[key]
    signed = {name: headers[name] for name in names.split(";") if name != "host"}
    for name in headers:
        if name.lower().startswith("x-amz-") and name.lower() not in signed:
            raise ValueError(f"{name} is not signed")
    if credentials.token != headers["X-Amz-Security-Token"]:
        raise ValueError("another session token")
    payload = headers["X-Amz-Content-Sha256"]
    if (service == "s3") != (payload is not None):
        raise ValueError(f"X-Amz-Content-Sha256 is {payload} for {service}")
    is_unsigned = payload == "UNSIGNED-PAYLOAD" and scheme == "https"
    if payload and not is_unsigned and payload != hashlib.sha256(body).hexdigest():
        raise ValueError("the digest is that of another body")
    date = datetime.datetime.strptime(headers["X-Amz-Date"], "%Y%m%dT%H%M%SZ")
    if abs((datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None) - date).total_seconds()) > 60:
        raise ValueError("another date")
    request = AWSRequest(
        method=method, url=f"{scheme}://{headers['Host']}{target}", headers=signed, data=body
    )
    request.context["timestamp"] = headers["X-Amz-Date"]
    signer = botocore.auth.S3SigV4Auth if service == "s3" else botocore.auth.SigV4Auth
    auth = signer(credentials, service, region)
    canonical = auth.canonical_request(request)
    return signature, auth.signature(auth.string_to_sign(request, canonical), request), canonical
