"""The program, an API whose answers fail, and a Prometheus, for scripts/check-alerts."""
import concurrent.futures
import http.client
import http.server
import json
import os
import re
import shutil
import signal
import ssl
import subprocess
import sys
import threading
import time
import urllib.parse

PATIENCE = 40


def fail(text):
    sys.exit("alerts: " + text)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


class API(http.server.ThreadingHTTPServer):
    """An API whose answers fail or wait as it is told."""
    daemon_threads = True
    request_queue_size = 256

    def __init__(self):
        super().__init__(("127.0.0.1", 0), Answer)
        self.status, self.seconds, self.size = 200, 0, 10
        self.url = f"http://127.0.0.1:{self.server_address[1]}"
        threading.Thread(target=self.serve_forever, daemon=True).start()


    def handle_error(self, *_):
        """Clients leave when their time is over."""


class Answer(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        time.sleep(self.server.seconds)
        body = json.dumps({"text": "x" * self.server.size}).encode()
        self.send_response(self.server.status)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_):
        pass


class Host:
    """The program with the script of the example, in a folder of its own."""

    def __init__(self, program, example, folder, *arguments):
        os.makedirs(folder)
        self.folder, self.api = folder, API()
        shutil.copy(os.path.join(example, "main.lua"), folder)
        shutil.copy(os.path.join(example, "resthost.toml"), folder)
        self.certify(365)
        self.output = open(os.path.join(folder, "log"), "w+")
        self.process = subprocess.Popen(
            [program, "run", "main.lua", "--listen", "127.0.0.1:0", "--operator", "127.0.0.1:0", "--admin", "off",
             "--allow-read", ".", *arguments],
            cwd=folder, stdout=self.output, stderr=subprocess.STDOUT, env={**os.environ, "SHOP_URL": self.api.url})
        self.clients = int(self.wait_for(r"listening on https://127\.0\.0\.1:(\d+)").group(1))
        self.instance = "127.0.0.1:" + self.wait_for(r"operators at http://127\.0\.0\.1:(\d+)").group(1)

    def log(self):
        return read(os.path.join(self.folder, "log"))

    def wait_for(self, pattern):
        for _ in range(100 * PATIENCE):
            found = re.search(pattern, self.log())
            if found:
                return found
            if self.process.poll() is not None:
                fail("the host ended:\n" + self.log())
            time.sleep(0.01)
        fail(f"the host did not print '{pattern}':\n{self.log()}")

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path + "~", "w", encoding="utf-8") as file:
            file.write(text)
        os.rename(path + "~", path)

    def certify(self, days):
        """Makes a certificate, and then puts it and its key in place."""
        subprocess.run(
            ["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes",
             "-subj", "/CN=localhost", "-days", str(days), "-keyout", "new.key", "-out", "new.pem"],
            cwd=self.folder, check=True, capture_output=True)
        for name in ("key", "pem"):
            os.rename(os.path.join(self.folder, "new." + name), os.path.join(self.folder, "server." + name))

    def get(self, first, last):
        """Asks for resources one after the other on one connection."""
        context = ssl.create_default_context()
        context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
        connection = http.client.HTTPSConnection("127.0.0.1", self.clients, context=context, timeout=PATIENCE)
        statuses = []
        for number in range(first, last):
            connection.request("GET", f"/shop/items/{number}")
            answer = connection.getresponse()
            answer.read()
            statuses.append(answer.status)
        connection.close()
        return statuses

    def crowd(self, first, count):
        """Asks for many resources at once."""
        with concurrent.futures.ThreadPoolExecutor(count) as pool:
            for future in [pool.submit(self.get, number, number + 1) for number in range(first, first + count)]:
                future.result()

    def end(self):
        if self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(10)
            except subprocess.TimeoutExpired:
                self.process.kill()
        self.output.close()


class Prometheus:
    def __init__(self, folder, hosts):
        os.makedirs(folder)
        targets = json.dumps([host.instance for host in hosts])
        with open(os.path.join(folder, "prometheus.yml"), "w", encoding="utf-8") as file:
            file.write(
                "global: { scrape_interval: 1s }\nscrape_configs:\n  - job_name: resthost\n"
                f"    metrics_path: /-/metrics\n    static_configs: [{{ targets: {targets} }}]\n")
        self.log = open(os.path.join(folder, "log"), "w+")
        self.process = subprocess.Popen(
            ["prometheus", "--config.file=prometheus.yml", "--storage.tsdb.path=data",
             "--web.listen-address=127.0.0.1:0"], cwd=folder, stdout=self.log, stderr=subprocess.STDOUT)
        for _ in range(100 * PATIENCE):
            found = re.search(r'msg="Listening on" address=127\.0\.0\.1:(\d+)', read(self.log.name))
            if found:
                break
            time.sleep(0.01)
        else:
            fail("Prometheus did not start:\n" + read(self.log.name))
        self.port = int(found.group(1))

    def query(self, expression):
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=PATIENCE)
        connection.request("GET", "/api/v1/query?" + urllib.parse.urlencode({"query": expression}))
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status == 503:
            return []  # it still starts
        answer = json.loads(text)
        if answer["status"] != "success":
            fail(f"'{expression}': {answer.get('error')}")
        return answer["data"]["result"]

    def fires(self, expression, host):
        return any(row["metric"].get("instance") == host.instance for row in self.query(expression))

    def wait(self, alert, expression, host, value=True):
        for _ in range(4 * PATIENCE):
            if self.fires(expression, host) == value:
                print(f"alerts: {alert} is {'true' if value else 'over'}")
                return
            time.sleep(0.25)
        state = "did not become true" if value else "did not end"
        fail(f"the expression of {alert} {state}\n{host.log()}")

    def end(self):
        self.process.terminate()
        self.process.wait(10)
        self.log.close()
