"""Calls S3, DynamoDB, STS and SQS of moto, which checks signatures, with the plugins aws_sigv4 and s3."""

import support

support.enter_venv()

import json
import logging

import boto3
import requests
from moto.server import ThreadedMotoServer

check = support.check
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
  local item = call(dynamodb, "DynamoDB_20120810.GetItem", "1.0", {
    TableName = "people", Key = { id = { S = "ada" } },
  })
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
            "iam",
            region_name="us-east-1",
            endpoint_url=base,
            aws_access_key_id="x",
            aws_secret_access_key="x",
        )
        iam.create_user(UserName="ada")
        key = iam.create_access_key(UserName="ada")["AccessKey"]
        iam.put_user_policy(
            UserName="ada",
            PolicyName="all",
            PolicyDocument=json.dumps(
                {"Version": "2012-10-17", "Statement": [{"Effect": "Allow", "Action": "*", "Resource": "*"}]}
            ),
        )

        def run(key_id, secret):
            text = MOTO.replace("BASE", base).replace("KEY", key_id).replace("SECRET", secret)
            output = support.run_script(text, file__bin="a file\n" * 1000)
            return dict(line.split("\t", 1) for line in output.splitlines() if "\t" in line)

        good = run(key["AccessKeyId"], key["SecretAccessKey"])
        wanted = {
            "s3 create": "200",
            "s3 put": "200",
            "s3 put file": "200",
            "s3 get": "hello",
            "s3 head": "200",
            "s3 missing": "404",
            "s3 delete": "204",
            "dynamodb create": "200",
            "dynamodb put": "200",
            "sts": "200",
            "sqs create": "200",
            "sqs send": "200",
        }
        for name, status in wanted.items():
            check(good.get(name, "").split("\t")[0] == status, f"{name} gave {good.get(name)}")
        check("Ada" in good["dynamodb get"], f"dynamodb get gave {good['dynamodb get']}")
        has_list = "can't read XML" not in good["s3 list"]
        check(not has_list or good["s3 list"] == "5", f"s3 list gave {good['s3 list']}")
        others = boto3.client(
            "s3",
            region_name="us-east-1",
            endpoint_url=base,
            aws_access_key_id=key["AccessKeyId"],
            aws_secret_access_key=key["SecretAccessKey"],
        )
        body = others.get_object(Bucket="photos", Key="ordner/a b+c$ä.txt")["Body"].read()
        check(body == b"hello", f"boto3 reads {body}")
        check(
            others.get_object(Bucket="photos", Key="file.bin")["Body"].read() == b"a file\n" * 1000,
            "the file",
        )
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


calls, lists = moto_accepts_and_refuses()
print(f"aws_moto: {calls} calls of S3, DynamoDB, STS and SQS are accepted, wrong keys refused ({lists})")
