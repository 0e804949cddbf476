"""Loads credentials for AWS from the environment, a profile, a container and an instance."""

import support

support.enter_venv()

import json
import pathlib
import tempfile

from support import aws_judge as judge

check = support.check

LOADING = """
local rest = require "resthost"
local api = rest.service { name = "api", base_url = "BASE" }
api:use("resthost.aws_sigv4", { service = "s3", region = "eu-central-1" })
rest.spawn(function()
  local numbers, ok = {}, 0
  for number = 1, 200 do numbers[number] = number end
  local _, err = rest.gather(numbers, 200, function(number)
    local options = { to_file = number == 1 and "first" or nil }
    local entity, err = api:resource("/" .. number):request("GET", options):await()
    if not entity then return nil, err end
    ok = ok + 1
    return true
  end)
  print(ok, err and tostring(err) or rest.read_file "first")
end)
"""


def credentials_are_loaded_once():
    loads, verdicts = [], []
    document = json.dumps(
        {
            "Code": "Success",
            "AccessKeyId": "ASIATEMPORARY",
            "SecretAccessKey": "another secret key",
            "Token": "the/session+token==",
            "Expiration": "2099-01-01T00:00:00Z",
        }
    ).encode()

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
        given, wanted, _ = judge.expected_signature("http", method, target, headers, body)
        verdicts.append(given == wanted)
        return 200, {}, b"hello"

    server = support.Server(answer)
    base = f"http://127.0.0.1:{server.port}"
    names = [
        "AWS_ACCESS_KEY_ID",
        "AWS_SECRET_ACCESS_KEY",
        "AWS_SESSION_TOKEN",
        "AWS_PROFILE",
        "HOME",
        "AWS_SHARED_CREDENTIALS_FILE",
        "AWS_CONTAINER_CREDENTIALS_RELATIVE_URI",
        "AWS_CONTAINER_CREDENTIALS_FULL_URI",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE",
        "AWS_EC2_METADATA_DISABLED",
        "AWS_EC2_METADATA_SERVICE_ENDPOINT",
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
        "AWS_ACCESS_KEY_ID": "ASIATEMPORARY",
        "AWS_SECRET_ACCESS_KEY": "another secret key",
        "AWS_SESSION_TOKEN": "the/session+token==",
    }
    profile = "[default]\naws_access_key_id = AKIDPLAIN\naws_secret_access_key = a/secret+with=signs\n"
    container = {
        "AWS_CONTAINER_CREDENTIALS_FULL_URI": base + "/container",
        "AWS_CONTAINER_AUTHORIZATION_TOKEN": "Bearer of a container",
    }
    instance = {"AWS_EC2_METADATA_SERVICE_ENDPOINT": base}
    home = pathlib.Path(tempfile.mkdtemp(prefix="resthost-plugins-"))
    (home / ".aws").mkdir()
    (home / ".aws/credentials").write_text(profile)
    grants += ["--allow-read", ".", "--allow-read", str(home / ".aws")]
    for name, env, files, wanted in [
        ("the environment", temporary, {}, []),
        ("a profile", {"AWS_SHARED_CREDENTIALS_FILE": "profiles"}, {"profiles": profile}, []),
        ("a container", container, {}, ["/container"]),
        (
            "a container with a token in a file",
            {
                "AWS_CONTAINER_CREDENTIALS_FULL_URI": base + "/container",
                "AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE": "token",
            },
            {"token": "Bearer of a container\n"},
            ["/container"],
        ),
        ("the profile at home", {"HOME": str(home)}, {}, []),
        ("an instance", instance, {}, ["/latest/api/token"]),
        ("the environment before a container", {**container, **temporary}, {}, []),
    ]:
        count, seen, problem = run(env, **files)
        check(
            count == 200 and seen == wanted and problem == "hello",
            f"{name}: {count} requests, loads {seen}, {problem}",
        )
    for name, env, message in [
        ("a far host", {"AWS_CONTAINER_CREDENTIALS_FULL_URI": "http://192.0.2.1/"}, "needs https"),
        ("a path without a slash", {"AWS_CONTAINER_CREDENTIALS_RELATIVE_URI": "@192.0.2.1/"}, "no path"),
        ("no source", {"AWS_EC2_METADATA_DISABLED": "true"}, "AWS_EC2_METADATA_DISABLED is true"),
        ("half of the environment", {"AWS_ACCESS_KEY_ID": "A"}, "AWS_SECRET_ACCESS_KEY is not"),
        ("a wrong token", {**container, "AWS_CONTAINER_AUTHORIZATION_TOKEN": "x"}, "401"),
    ]:
        count, _, problem = run(env)
        check(count == 0 and message in problem, f"{name}: {count} requests, {problem}")
    del grants[-2:]
    count, _, problem = run({"HOME": str(home), "AWS_EC2_METADATA_DISABLED": "true"})
    check(count == 0 and "--allow-read" in problem, f"the home without a grant: {count} requests, {problem}")
    server.close()
    return 13


cases = credentials_are_loaded_once()
print(f"aws_credentials: {cases} cases of sources, each with 200 requests and at most one load")
