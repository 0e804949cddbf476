"""Controls headless Chromium over its debugging protocol."""

import base64
import json
import os
import select
import shutil
import subprocess
import sys
import time


class Browser:
    """Chromium at the other end of two pipes (--remote-debugging-pipe): messages end with a zero."""

    def __init__(self, folder):
        down, up = os.pipe(), os.pipe()
        keep = {3: down[0], 4: up[1]}

        def connect():
            copies = {number: os.dup(descriptor) for number, descriptor in keep.items()}
            for number, descriptor in copies.items():
                os.dup2(descriptor, number)

        program = shutil.which("chromium") or shutil.which("google-chrome")
        if not program:
            sys.exit("check-inspector: there is no chromium: apt-get install chromium")
        self.process = subprocess.Popen(
            [program, "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars",
             "--remote-debugging-pipe", f"--user-data-dir={folder}", "about:blank"],
            preexec_fn=connect, close_fds=False, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(down[0]), os.close(up[1])
        self.output, self.input, self.rest, self.number = down[1], up[0], b"", 0
        self.faults, self.session = [], None
        target = self.send("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.send("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log"):
            self.send(domain + ".enable")

    def send(self, method, **parameters):
        self.number += 1
        message = {"id": self.number, "method": method, "params": parameters}
        if self.session:
            message["sessionId"] = self.session
        os.write(self.output, json.dumps(message).encode() + b"\0")
        while True:
            answer = self.receive(60)
            if answer.get("id") == self.number:
                if "error" in answer:
                    raise RuntimeError(f"{method}: {answer['error']}")
                return answer["result"]

    def receive(self, seconds):
        while b"\0" not in self.rest:
            if not select.select([self.input], [], [], seconds)[0]:
                raise RuntimeError("the browser says nothing")
            data = os.read(self.input, 1 << 16)
            if not data:
                raise RuntimeError("the browser is gone")
            self.rest += data
        line, self.rest = self.rest.split(b"\0", 1)
        message = json.loads(line)
        if message.get("method") == "Runtime.exceptionThrown":
            self.faults.append(message["params"]["exceptionDetails"].get("exception", {}).get("description", "exception"))
        if message.get("method") == "Log.entryAdded" and message["params"]["entry"]["level"] == "error":
            entry = message["params"]["entry"]
            self.faults.append(entry["text"] + " " + entry.get("url", ""))
        return message

    def run(self, expression):
        result = self.send("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in result:
            raise RuntimeError(result["exceptionDetails"].get("exception", {}).get("description", expression))
        return result["result"].get("value")

    def wait(self, expression, what, seconds=20):
        end = time.monotonic() + seconds
        while not self.run(expression):
            if time.monotonic() > end:
                raise RuntimeError(f"in vain: {what}; errors: {self.faults}")
            time.sleep(0.05)

    def press(self, key, text=None):
        code = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "End": 35, "Home": 36, "Tab": 9}.get(key, ord(key[0].upper()))
        text = "\r" if key == "Enter" else text or (key if len(key) == 1 else None)
        common = {"key": key, "windowsVirtualKeyCode": code}
        self.send("Input.dispatchKeyEvent", type="keyDown", **common, **({"text": text} if text else {}))
        self.send("Input.dispatchKeyEvent", type="keyUp", **common)

    def click(self, selector):
        place = self.run(f"(() => {{ const r = document.querySelector({json.dumps(selector)}).getBoundingClientRect();"
                         " return [r.x + Math.min(r.width / 2, 60), r.y + r.height / 2]; })()")
        for kind in ("mousePressed", "mouseReleased"):
            self.send("Input.dispatchMouseEvent", type=kind, x=place[0], y=place[1], button="left", clickCount=1)

    def size(self, width, height=900):
        self.send("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=width < 500)

    def scheme(self, name):
        self.send("Emulation.setEmulatedMedia", features=[{"name": "prefers-color-scheme", "value": name}])

    def picture(self, path):
        with open(path, "wb") as file:
            file.write(base64.b64decode(self.send("Page.captureScreenshot", format="png")["data"]))

    def close(self):
        self.process.terminate()
        self.process.wait()
