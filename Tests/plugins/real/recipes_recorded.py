#!/usr/bin/env python3
"""Runs the recipe github_issues of examples/cookbook with answers of GitHub: recordings/github_issues.json
says where they come from."""

import json
import sys
import time

sys.dont_write_bytecode = True
import plugin_host as host
from recipe_host import receiver, recipe, status_of

REAL = "https://api.github.com"


def github_issues():
    recorded = json.loads((host.HERE / "recordings/github_issues.json").read_text())["answers"]
    first, second = recorded
    seen, limits = [], []

    def answer(method, path, headers, body):
        seen.append((path, headers["Authorization"], headers["X-GitHub-Api-Version"], time.time()))
        if limits:
            # As "Rate limits for the REST API" of GitHub's documentation says; there is no recording.
            reset = str(int(time.time()) + limits.pop())
            limit = {"X-RateLimit-Limit": "60", "X-RateLimit-Remaining": "0", "X-RateLimit-Reset": reset}
            content = b'{"message": "API rate limit exceeded for 127.0.0.1."}'
            return 403, {"Content-Type": "application/json; charset=utf-8", **limit}, content
        page = {"/repos/betamaxpy/betamax/issues?per_page=100": first, second["target"]: second}.get(path)
        if page is None:
            return 404, "application/json; charset=utf-8", b'{"message": "Not Found"}'
        local = {name: value.replace(REAL, url) for name, value in page["headers"].items()}
        return 200, local, json.dumps(page["body"]).encode()

    with receiver(answer) as url:
        environment = {"GITHUB_URL": url, "GITHUB_TOKEN": "a token of tests"}
        with recipe("github_issues", **environment) as read:
            for _ in range(2):
                issues = read("/github/all/betamaxpy/betamax/issues")
            host.check("issues, without pull requests", issues, [
                {"number": 148, "title": "Collaboration Guidelines", "author": "sigmavirus24"},
                {"number": 145, "title": "Use pytest-httpbin", "author": "sigmavirus24"},
                {"number": 46, "title": "Fix flake8-docstrings failures", "author": "sigmavirus24"},
                {"number": 30, "title": "Migrate Issues to GitLab", "author": "sigmavirus24"},
            ])
            targets = ["/repos/betamaxpy/betamax/issues?per_page=100", second["target"]]
            host.check("requests", [one[0] for one in seen], targets)
            host.check("headers", {one[1:3] for one in seen}, {("Bearer a token of tests", "2022-11-28")})
            missing = status_of(read, "/github/all/betamaxpy/none/issues")
            host.check("a repository that is missing", missing, 404)
        seen.clear()
        limits.append(3)
        with recipe("github_issues", **environment) as read:
            host.check("issues after a limit", len(read("/github/all/betamaxpy/betamax/issues")), 4)
            host.check("requests with a limit", [one[0] for one in seen], [targets[0], *targets])
            if not 1 <= seen[1][3] - seen[0][3] <= 5:
                sys.exit(f"the limit of 2 to 3 s was waited for {seen[1][3] - seen[0][3]:.1f} s")
        limits.append(3600)
        with recipe("github_issues", **environment) as read:
            refused = status_of(read, "/github/all/betamaxpy/betamax/issues")
            host.check("a limit that ends in an hour", refused, 403)


github_issues()
print("recipes_recorded: github_issues with recorded answers of GitHub")
