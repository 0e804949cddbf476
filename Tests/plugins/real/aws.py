"""Signs requests with the plugins aws_sigv4 and s3, and has them judged by botocore's signer and by moto."""

import plugin_support as support

support.enter_venv()

import base64
import datetime
import hashlib
import json
import logging
import random
import re
import urllib.parse

import boto3
import botocore.auth
import requests
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials
from moto.server import ThreadedMotoServer

check = support.check

# MARK: botocore as the judge

KEYS = {
    "AKIDPLAIN": Credentials("AKIDPLAIN", "a/secret+with=signs", None),
    "ASIATEMPORARY": Credentials("ASIATEMPORARY", "another secret key", "the/session+token=="),
}


def expected_signature(scheme, method, target, headers, body):
    """The signature that botocore makes of the headers that are named as signed; raises for other faults."""
    found = re.fullmatch(
        r"AWS4-HMAC-SHA256 Credential=(\w+)/(\d{8})/([\w-]+)/([\w-]+)/aws4_request, "
        r"SignedHeaders=([\w;-]+), Signature=([0-9a-f]{64})", headers["Authorization"] or "")
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
    if payload and payload != hashlib.sha256(body).hexdigest():
        raise ValueError("the digest is that of another body")
    date = datetime.datetime.strptime(headers["X-Amz-Date"], "%Y%m%dT%H%M%SZ")
    if abs((datetime.datetime.now(datetime.timezone.utc).replace(tzinfo=None) - date).total_seconds()) > 60:
        raise ValueError("another date")
    request = AWSRequest(
        method=method, url=f"{scheme}://{headers['Host']}{target}", headers=signed, data=body)
    request.context["timestamp"] = headers["X-Amz-Date"]
    signer = botocore.auth.S3SigV4Auth if service == "s3" else botocore.auth.SigV4Auth
    auth = signer(credentials, service, region)
    canonical = auth.canonical_request(request)
    return signature, auth.signature(auth.string_to_sign(request, canonical), request), canonical


def random_text(chance, most):
    letters = "abcXYZ019-_.~ !\"$&'()*+,;:=@/?#%[]äß漢😀"
    return "".join(chance.choice(letters) for _ in range(chance.randint(1, most)))


def cases(count):
    chance = random.Random(4)
    for number in range(count):
        # The program sends no segment that might be read as one of dots.
        segments = [text for text in random_text(chance, 30).split("/") if text[:1] not in ("", ".")] or ["a"]
        yield {
            "service": chance.choice(["s3", "execute-api"]), "key": chance.choice(list(KEYS)),
            "method": chance.choice(["GET", "PUT", "POST", "DELETE", "HEAD", "PATCH"]),
            "path": "/" + "/".join(segments),
            "query": [[random_text(chance, 6), random_text(chance, 12)] for _ in range(chance.randint(0, 6))],
            "headers": {"X-Amz-Meta-Note": " a   b " * chance.randint(1, 3), "If-Match": '"1"'},
            "body": random_text(chance, 200) if chance.random() < 0.6 else None,
        }


SIGNING = """
local rest = require "resthost"
local cases = rest.json.decode((rest.read_file "cases.json"))
local keys = rest.json.decode((rest.read_file "keys.json"))
local services = {}
for _, name in ipairs { "s3", "execute-api" } do
  for id, key in pairs(keys) do
    local service = rest.service { name = name .. id, base_url = "BASE/" .. name .. "-" .. id }
    service:use("resthost.aws_sigv4", {
      service = name, region = "eu-central-1", access_key_id = id, secret_access_key = key.secret,
      session_token = key.token,
    })
    services[name .. id] = service
  end
end
rest.spawn(function()
  rest.gather(cases, 4, function(case)
    local body = (case.method ~= "GET" and case.method ~= "HEAD" and case.body ~= rest.null) and case.body or nil
    local _, err = services[case.service .. case.key]:resource(case.path):request(case.method, {
      headers = case.headers, body = body,
      mutate = function(draft)
        local parameters = {}
        for place, pair in ipairs(case.query) do
          parameters[place] = rest.url.encode(pair[1]) .. "=" .. pair[2]:gsub("[^%w%-._~!$'()*,;:@/]", rest.url.encode)
        end
        if #parameters > 0 then draft.url = draft.url .. "?" .. table.concat(parameters, "&") end
      end,
    }):await()
    if err then print("refused", case.path, err) end
    return true
  end)
  print("done", #cases)
end)
"""


def judge_many():
    verdicts = []

    def answer(method, target, headers, body):
        try:
            given, wanted, canonical = expected_signature("http", method, target, headers, body)
            verdicts.append(None if given == wanted else f"{method} {target}: botocore signs\n{canonical}")
        except Exception as error:
            verdicts.append(f"{method} {target}: {error!r}")
        return 200, {}, b""

    server = support.Server(answer)
    all_cases = list(cases(300))
    output = support.run_script(
        SIGNING.replace("BASE", f"http://127.0.0.1:{server.port}"), cases__json=json.dumps(all_cases),
        keys__json=json.dumps({
            name: {"secret": key.secret_key, "token": key.token} if key.token else {"secret": key.secret_key}
            for name, key in KEYS.items()
        }))
    server.close()
    check("done\t300" in output, f"the script did not reach its end: {output}")
    wrong = [verdict for verdict in verdicts if verdict]
    check(not wrong, f"{len(wrong)} of {len(verdicts)} signatures differ, the first: {wrong[:1]}\n{output[:500]}")
    check(len(verdicts) == 300, f"{len(verdicts)} requests came: {output[:500]}")
    return len(verdicts)


PRESIGNING = """
local rest = require "resthost"
local aws = require "resthost.aws_sigv4"
for place, case in ipairs(rest.json.decode((rest.read_file "cases.json"))) do
  local url = aws.presign(case.url, {
    service = case.service, region = "eu-central-1", access_key_id = "ASIATEMPORARY",
    secret_access_key = "another secret key", session_token = "the/session+token==", expires = 60 + place,
    method = case.method, headers = case.headers,
  })
  print(rest.base64.encode(url)) -- else the token would be hidden
end
"""


def judge_presigned():
    urls = [
        {"url": f"https://bucket.example.com/{path}{query}", "service": service, "method": method, "headers": headers}
        for path in ("", "a.txt", "a%20b/%C3%A4/c", "x%2By=z")
        for query in ("", "?versionId=3&acl", "?b=2&a=%2F%20%C3%A4")
        for service in ("s3", "execute-api")
        for method, headers in (("GET", {}), ("PUT", {"Content-Type": "text/plain", "X-Amz-Acl": "private"}))
    ]
    output = support.run_script(PRESIGNING, cases__json=json.dumps(urls))
    lines = [base64.b64decode(line).decode() for line in output.split()]
    check(len(lines) == len(urls), f"{len(lines)} URLs in place of {len(urls)}")
    for place, (case, line) in enumerate(zip(urls, lines), 1):
        parts = urllib.parse.urlsplit(line)
        given = dict(urllib.parse.parse_qsl(parts.query, keep_blank_values=True))
        time = datetime.datetime.strptime(given["X-Amz-Date"], "%Y%m%dT%H%M%SZ")
        botocore.auth.get_current_datetime = lambda *_, **__: time
        signer = botocore.auth.S3SigV4QueryAuth if case["service"] == "s3" else botocore.auth.SigV4QueryAuth
        # For S3 the path is sent in one spelling, which botocore expects of its caller.
        url = urllib.parse.urlsplit(case["url"])._replace(path=parts.path).geturl()
        check(urllib.parse.unquote(url) == urllib.parse.unquote(case["url"]), f"another path: {line}")
        request = AWSRequest(method=case["method"], url=url, headers=case["headers"])
        signer(KEYS["ASIATEMPORARY"], case["service"], "eu-central-1", expires=60 + place).add_auth(request)
        wanted = dict(urllib.parse.parse_qsl(urllib.parse.urlsplit(request.url).query, keep_blank_values=True))
        check(given == wanted, f"presign of {case}:\n{given}\n{wanted}")
    return len(lines)


# MARK: moto

logging.getLogger("werkzeug").setLevel(logging.ERROR)

MOTO = """
local rest = require "resthost"
local s3 = require "resthost.s3"
local keys = { access_key_id = "KEY", secret_access_key = "SECRET", region = "us-east-1" }
local function with(changes)
  local all = {}
  for name, value in pairs(keys) do all[name] = value end
  for name, value in pairs(changes) do all[name] = value end
  return all
end
local function service(name)
  local made = rest.service { name = name, base_url = "BASE" }
  made:use("resthost.aws_sigv4", with { service = name })
  return made
end
local dynamodb, sqs, sts = service "dynamodb", service "sqs", service "sts"
local photos = rest.service { name = "photos", base_url = "BASE/photos" }
local bucket = s3.open(photos, keys)
local function call(api, target, version, body)
  return api:resource("/"):request("POST", {
    body = rest.json.encode(body), content_type = "application/x-amz-json-" .. version,
    headers = { ["X-Amz-Target"] = target },
  }):await()
end
local function show(name, entity, err)
  print(name, entity and entity.status or tostring(err), entity and tostring(entity.etag))
end
rest.spawn(function()
  show("s3 create", photos:resource("/"):request("PUT"):await())
  show("s3 put", bucket:put("ordner/a b+c$ä.txt", "hello", { content_type = "text/plain" }))
  show("s3 put file", bucket:put("file.bin", { file = "file.bin" }))
  local entity = bucket:get "ordner/a b+c$ä.txt"
  print("s3 get", entity and entity.content)
  show("s3 head", bucket:head "file.bin")
  local _, missing = bucket:get "nothing"
  print("s3 missing", missing and missing.http_status_code)
  for number = 1, 5 do bucket:put("list/" .. number, "x") end
  local list, err = bucket:list { prefix = "list/", page_size = 2 }
  print("s3 list", list and #list.objects or tostring(err))
  show("s3 delete", bucket:delete "list/1")
  print("s3 url", (bucket:presign("ordner/a b+c$ä.txt", { expires = 60 })))
  show("dynamodb create", call(dynamodb, "DynamoDB_20120810.CreateTable", "1.0", {
    TableName = "people", BillingMode = "PAY_PER_REQUEST",
    AttributeDefinitions = { { AttributeName = "id", AttributeType = "S" } },
    KeySchema = { { AttributeName = "id", KeyType = "HASH" } },
  }))
  show("dynamodb put", call(dynamodb, "DynamoDB_20120810.PutItem", "1.0", {
    TableName = "people", Item = { id = { S = "ada" }, name = { S = "Ada" } },
  }))
  local item = call(dynamodb, "DynamoDB_20120810.GetItem", "1.0", { TableName = "people", Key = { id = { S = "ada" } } })
  print("dynamodb get", item and item.content and rest.json.encode(item.content))
  show("sts", sts:resource("/"):request("POST", {
    form = { Action = "GetCallerIdentity", Version = "2011-06-15" },
  }):await())
  show("sqs create", call(sqs, "AmazonSQS.CreateQueue", "1.0", { QueueName = "jobs" }))
  show("sqs send", call(sqs, "AmazonSQS.SendMessage", "1.0", {
    QueueUrl = "BASE/123456789012/jobs", MessageBody = "ümlaut & more",
  }))
end)
"""


def moto_accepts_and_refuses():
    server = ThreadedMotoServer(ip_address="127.0.0.1", port=0, verbose=False)
    server.start()
    base = "http://%s:%d" % server.get_host_and_port()
    try:
        reset = lambda count: requests.post(f"{base}/moto-api/reset-auth", data=str(count).encode())
        reset(3)
        iam = boto3.client(
            "iam", region_name="us-east-1", endpoint_url=base, aws_access_key_id="x", aws_secret_access_key="x")
        iam.create_user(UserName="ada")
        key = iam.create_access_key(UserName="ada")["AccessKey"]
        iam.put_user_policy(UserName="ada", PolicyName="all", PolicyDocument=json.dumps({
            "Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}],
        }))

        def run(key_id, secret):
            text = MOTO.replace("BASE", base).replace("KEY", key_id).replace("SECRET", secret)
            output = support.run_script(text, file__bin="a file\n" * 1000)
            return dict(line.split("\t", 1) for line in output.splitlines() if "\t" in line)

        good = run(key["AccessKeyId"], key["SecretAccessKey"])
        wanted = {
            "s3 create": "200", "s3 put": "200", "s3 put file": "200", "s3 get": "hello", "s3 head": "200",
            "s3 missing": "404", "s3 delete": "204", "dynamodb create": "200", "dynamodb put": "200",
            "sts": "200", "sqs create": "200", "sqs send": "200",
        }
        for name, status in wanted.items():
            check(good.get(name, "").split("\t")[0] == status, f"{name} gave {good.get(name)}")
        check('Ada' in good["dynamodb get"], f"dynamodb get gave {good['dynamodb get']}")
        has_list = "can't read XML" not in good["s3 list"]
        check(not has_list or good["s3 list"] == "5", f"s3 list gave {good['s3 list']}")
        others = boto3.client(
            "s3", region_name="us-east-1", endpoint_url=base, aws_access_key_id=key["AccessKeyId"],
            aws_secret_access_key=key["SecretAccessKey"])
        body = others.get_object(Bucket="photos", Key="ordner/a b+c$ä.txt")["Body"].read()
        check(body == b"hello", f"boto3 reads {body}")
        check(others.get_object(Bucket="photos", Key="file.bin")["Body"].read() == b"a file\n" * 1000, "the file")
        for name, (key_id, secret, code) in {
            "a wrong secret": (key["AccessKeyId"], "wrong" + key["SecretAccessKey"][5:], "403"),
            "an unknown key": ("AKIAUNKNOWNUNKNOWN00", key["SecretAccessKey"], "403"),
        }.items():
            bad = run(key_id, secret)
            for call in ("s3 put", "s3 put file", "dynamodb put", "sts", "sqs send"):
                check(code in bad[call] and "200" != bad[call][:3], f"{call} with {name} gave {bad[call]}")
        # moto can't check the signature of a URL, which botocore has judged; it shows that the URL is right.
        reset(1000)
        read = requests.get(good["s3 url"])
        check(read.content == b"hello", f"the URL gives {read.status_code} {read.content}")
        return len(wanted), "with lists" if has_list else "lists are left out without rest.xml"
    finally:
        server.stop()


# MARK: credentials of a container and an instance

LOADING = """
local rest = require "resthost"
local api = rest.service { name = "api", base_url = "BASE" }
api:use("resthost.aws_sigv4", { service = "s3", region = "eu-central-1" })
rest.spawn(function()
  local numbers, ok = {}, 0
  for number = 1, 200 do numbers[number] = number end
  local _, err = rest.gather(numbers, 200, function(number)
    local entity, err = api:resource("/" .. number):request("GET"):await()
    if not entity then return nil, err end
    ok = ok + 1
    return true
  end)
  print(ok, err and tostring(err) or "")
end)
"""


def credentials_are_loaded_once():
    loads, verdicts = [], []
    document = json.dumps({
        "Code": "Success", "AccessKeyId": "ASIATEMPORARY", "SecretAccessKey": "another secret key",
        "Token": "the/session+token==", "Expiration": "2099-01-01T00:00:00Z",
    }).encode()

    def answer(method, target, headers, body):
        if target == "/container":
            loads.append(target)
            right = headers["Authorization"] == "Bearer of a container"
            return (200, {"Content-Type": "application/json"}, document) if right else (401, {}, b"")
        if target == "/latest/api/token":
            loads.append(target)
            right = method == "PUT" and headers["X-aws-ec2-metadata-token-ttl-seconds"]
            return (200, {}, b"metadata-token") if right else (400, {}, b"")
        if target.startswith("/latest/meta-data/iam/security-credentials/"):
            if headers["X-aws-ec2-metadata-token"] != "metadata-token":
                return 401, {}, b""
            return 200, {}, document if target.endswith("/role") else b"role"
        given, wanted, _ = expected_signature("http", method, target, headers, body)
        verdicts.append(given == wanted)
        return 200, {}, b""

    server = support.Server(answer)
    base = f"http://127.0.0.1:{server.port}"
    names = [
        "AWS_ACCESS_KEY_ID", "AWS_SECRET_ACCESS_KEY", "AWS_SESSION_TOKEN", "AWS_PROFILE", "HOME",
        "AWS_SHARED_CREDENTIALS_FILE", "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI", "AWS_CONTAINER_AUTHORIZATION_TOKEN",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE", "AWS_EC2_METADATA_DISABLED", "AWS_EC2_METADATA_SERVICE_ENDPOINT",
    ]
    grants = ["--allow-env", ",".join(names), "--allow-net", "127.0.0.1"]
    empty = {name: "" for name in names}

    def run(env, **files):
        loads.clear()
        verdicts.clear()
        text = LOADING.replace("BASE", base)
        output = support.run_script(text, *grants, env={**empty, **env}, **files).rstrip("\n").split("\t")
        check(verdicts.count(False) == 0, f"{env}: {verdicts.count(False)} wrong signatures")
        return int(output[0]), list(loads), output[1]

    temporary = {
        "AWS_ACCESS_KEY_ID": "ASIATEMPORARY", "AWS_SECRET_ACCESS_KEY": "another secret key",
        "AWS_SESSION_TOKEN": "the/session+token==",
    }
    profile = "[default]\naws_access_key_id = AKIDPLAIN\naws_secret_access_key = a/secret+with=signs\n"
    container = {
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": base + "/container",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN": "Bearer of a container",
    }
    instance = {"AWS_EC2_METADATA_SERVICE_ENDPOINT": base}
    for name, env, files, wanted in [
        ("the environment", temporary, {}, []),
        ("a profile", {"AWS_SHARED_CREDENTIALS_FILE": "profiles"}, {"profiles": profile}, []),
        ("a container", container, {}, ["/container"]),
        ("a container with a token in a file", {
            "AWS_CONTAINER_CREDENTIALS_FULL_URI": base + "/container",
            "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "token",
        }, {"token": "Bearer of a container\n"}, ["/container"]),
        ("an instance", instance, {}, ["/latest/api/token"]),
        ("the environment before a container", {**container, **temporary}, {}, []),
    ]:
        count, seen, problem = run(env, **files)
        check(count == 200 and seen == wanted, f"{name}: {count} requests, loads {seen}, {problem}")
    for name, env, message in [
        ("a far host", {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://192.0.2.1/"}, "needs https"),
        ("no source", {"AWS_EC2_METADATA_DISABLED": "true"}, "AWS_EC2_METADATA_DISABLED is true"),
        ("half of the environment", {"AWS_ACCESS_KEY_ID": "A"}, "AWS_SECRET_ACCESS_KEY is not"),
        ("a wrong token", {**container, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "x"}, "401"),
    ]:
        count, _, problem = run(env)
        check(count == 0 and message in problem, f"{name}: {count} requests, {problem}")
    server.close()
    return 10


signed = judge_many()
presigned = judge_presigned()
calls, lists = moto_accepts_and_refuses()
sources = credentials_are_loaded_once()
print(
    f"aws: botocore agrees with {signed} signatures and {presigned} URLs; moto accepts {calls} calls of S3, DynamoDB, "
    f"STS and SQS and refuses wrong keys ({lists}); {sources} cases of credentials, 200 requests each")
