"""Signs requests and URLs with the plugin aws_sigv4, and has them judged by botocore's signer."""

import support

support.enter_venv()

import base64
import datetime
import json
import random
import urllib.parse

from support import aws_judge as judge
import botocore.auth
from botocore.awsrequest import AWSRequest

check = support.check


def random_text(chance, most):
    letters = "abcXYZ019-_.~ !\"$&'()*+,;:=@/?#%[]äß漢😀"
    return "".join(chance.choice(letters) for _ in range(chance.randint(1, most)))


def cases(count):
    chance = random.Random(4)
    for number in range(count):
        # The program sends no segment that might be read as one of dots.
        segments = [text for text in random_text(chance, 30).split("/") if text[:1] not in ("", ".")] or ["a"]
        yield {
            "service": chance.choice(["s3", "execute-api"]),
            "key": chance.choice(list(judge.KEYS)),
            "method": chance.choice(["GET", "PUT", "POST", "DELETE", "HEAD", "PATCH"]),
            "path": "/" + "/".join(segments),
            "query": [[random_text(chance, 6), random_text(chance, 12)] for _ in range(chance.randint(0, 6))],
            "headers": {
                "X-Amz-Meta-Note": " a   b " * chance.randint(1, 3),
                "If-Match": '"1"',
                "X-Amz-Grant": ["a", "b,  c"],
            },
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
    local has_body = case.method ~= "GET" and case.method ~= "HEAD" and case.body ~= rest.null
    local _, err = services[case.service .. case.key]:resource(case.path):request(case.method, {
      headers = case.headers, body = has_body and case.body or nil,
      mutate = function(draft)
        local parameters = {}
        for place, pair in ipairs(case.query) do
          local value = pair[2]:gsub("[^%w%-._~!$'()*,;:@/]", rest.url.encode)
          parameters[place] = rest.url.encode(pair[1]) .. "=" .. value
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
            given, wanted, canonical = judge.expected_signature("http", method, target, headers, body)
            verdicts.append(None if given == wanted else f"{method} {target}: botocore signs\n{canonical}")
        except Exception as error:
            verdicts.append(f"{method} {target}: {error!r}")
        return 200, {}, b""

    server = support.Server(answer)
    all_cases = list(cases(300))
    output = support.run_script(
        SIGNING.replace("BASE", f"http://127.0.0.1:{server.port}"),
        cases__json=json.dumps(all_cases),
        keys__json=json.dumps(
            {
                name: (
                    {"secret": key.secret_key, "token": key.token}
                    if key.token
                    else {"secret": key.secret_key}
                )
                for name, key in judge.KEYS.items()
            }
        ),
    )
    server.close()
    check("done\t300" in output, f"the script did not reach its end: {output}")
    wrong = [verdict for verdict in verdicts if verdict]
    check(
        not wrong,
        f"{len(wrong)} of {len(verdicts)} signatures differ, the first: {wrong[:1]}\n{output[:500]}",
    )
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
        {
            "url": f"https://bucket.example.com/{path}{query}",
            "service": service,
            "method": method,
            "headers": headers,
        }
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
        signer(judge.KEYS["ASIATEMPORARY"], case["service"], "eu-central-1", expires=60 + place).add_auth(
            request
        )
        wanted = dict(
            urllib.parse.parse_qsl(urllib.parse.urlsplit(request.url).query, keep_blank_values=True)
        )
        check(given == wanted, f"presign of {case}:\n{given}\n{wanted}")
    return len(lines)


UPLOADING = """
local rest = require "resthost"
local s3 = require "resthost.s3"
local service = rest.service {
  name = "photos", base_url = "https://127.0.0.1:PORT/photos", transport = { ca_file = "certificate.pem" },
}
local bucket = s3.open(service, {
  region = "eu-central-1", access_key_id = "AKIDPLAIN", secret_access_key = "a/secret+with=signs",
})
rest.spawn(function()
  for _, body in ipairs { "hello", { file = "file.bin" }, ("x"):rep(9 << 20), "" } do
    local entity, err = bucket:put("a b/ä", body)
    print(entity and entity.status or tostring(err))
  end
  local form = { multipart = { { name = "photo", file = "file.bin" } } }
  print(service:resource("/form"):request("POST", form):await().status)
end)
"""


def judge_uploads():
    """Over https: bodies in memory have their digest, files and long bodies have none."""
    seen = []

    def answer(method, target, headers, body):
        given, wanted, canonical = judge.expected_signature("https", method, target, headers, body)
        seen.append((given == wanted, headers["X-Amz-Content-Sha256"] == "UNSIGNED-PAYLOAD", len(body)))
        return 200, {}, b""

    certificate, key = support.make_certificate()
    server = support.Server(answer, certificate, key)
    output = support.run_script(
        UPLOADING.replace("PORT", str(server.port)),
        file__bin="a file\n" * 1000000,
        certificate__pem=certificate.read_text(),
    )
    server.close()
    check(output.split() == ["200"] * 5, f"uploads gave {output}")
    wanted = [(True, False, 5), (True, True, 7000000), (True, True, 9 << 20), (True, False, 0)]
    check(seen[:4] == wanted and seen[4][:2] == (True, True), f"uploads were {seen}")
    return len(seen)


signed, presigned, uploads = judge_many(), judge_presigned(), judge_uploads()
print(f"aws_sigv4: botocore agrees with {signed} signatures, {presigned} URLs and {uploads} uploads")
