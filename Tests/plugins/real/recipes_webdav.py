#!/usr/bin/env python3
"""Runs the recipe webdav_folder of examples/cookbook against Apache (Debian: apache2) with mod_dav."""

import base64
import hashlib
import os
import pathlib
import shutil
import sys
import tempfile
import time
import urllib.parse
import urllib.request

sys.dont_write_bytecode = True
import plugin_host as host
from recipe_host import recipe, server, status_of

MODULES = "mpm_event authn_core authn_file authz_core authz_user auth_basic mime dav dav_fs"
CONFIGURATION = """
ServerName localhost
Listen {address}
PidFile {folder}/pid
ErrorLog {folder}/error.log
DefaultRuntimeDir {folder}
Mutex file:{folder}
DavLockDB {folder}/locks
DocumentRoot {folder}/files
TypesConfig /dev/null
<Directory {folder}/files>
  Dav On
  AuthType Basic
  AuthName files
  AuthUserFile {folder}/users
  Require valid-user
</Directory>
"""


def webdav_folder():
    with tempfile.TemporaryDirectory() as folder:
        address = f"127.0.0.1:{host.free_port()}"
        pathlib.Path(folder, "files/dav/old").mkdir(parents=True)
        digest = base64.b64encode(hashlib.sha1(b"wonderland").digest()).decode()
        pathlib.Path(folder, "users").write_text(f"ada:{{SHA}}{digest}\n")
        lines = [f"LoadModule {name}_module /usr/lib/apache2/modules/mod_{name}.so" for name in MODULES.split()]
        if os.geteuid() == 0:
            # Apache gives up the rights of root.
            lines += ["User www-data", "Group www-data"]
            for path in (folder, f"{folder}/files/dav", f"{folder}/files/dav/old"):
                shutil.chown(path, "www-data", "www-data")
        config = pathlib.Path(folder, "apache.conf")
        config.write_text("\n".join(lines) + CONFIGURATION.format(folder=folder, address=address))
        command = [host.program("apache2", "apache2"), "-D", "FOREGROUND", "-f", str(config)]
        environment = {"WEBDAV_URL": f"http://{address}/dav/", "WEBDAV_USER": "ada"}
        with server(command, f"http://{address}/"):
            with recipe("webdav_folder", WEBDAV_PASSWORD="wonderland", **environment) as read:

                def put(name, body, **headers):
                    headers = {key.replace("_", "-"): value for key, value in headers.items()}
                    url = f"{read.url}/files/{urllib.parse.quote(name)}"
                    try:
                        request = urllib.request.Request(url, body, headers, method="PUT")
                        with urllib.request.urlopen(request, timeout=20) as answer:
                            return answer.status
                    except urllib.error.HTTPError as error:
                        return error.code

                host.check("an empty folder", read("/files"), [])
                host.check("new files", [put("tea & cake.txt", b"tea"), put("plan.txt", b"one")], [201, 201])
                host.check("a file that is there", put("plan.txt", b"other"), 412)
                # Apache's tags are weak for a second after a change.
                time.sleep(2.5)
                files = read("/files")
                names = [(one["name"], one["bytes"]) for one in files]
                host.check("files", names, [("plan.txt", 3), ("tea & cake.txt", 3)])
                host.check("a known file", put("plan.txt", b"second", If_Match=files[0]["etag"]), 204)
                host.check("an old tag", put("plan.txt", b"third", If_Match=files[0]["etag"]), 412)
                content = pathlib.Path(folder, "files/dav/plan.txt").read_bytes()
                host.check("the file", content, b"second")
                host.check("a path out of the folder", put("../x", b"x") >= 400, True)
                host.check("files outside", sorted(os.listdir(f"{folder}/files")), ["dav"])
            with recipe("webdav_folder", WEBDAV_PASSWORD="another", **environment) as read:
                host.check("a wrong password", status_of(read, "/files"), 401)


webdav_folder()
print("recipes_webdav: webdav_folder with Apache")
