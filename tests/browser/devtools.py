"""A headless Chromium driven over the Chrome DevTools Protocol (https://chromedevtools.github.io/devtools-protocol/), by two pipes.

Nothing but Python's standard library and the program `chromium` is needed.
"""

import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

PATIENCE_S = 60.0


class BrowserError(Exception):
    """What the browser or the page refused to do."""


class Browser:
    """One page of a browser of its own; a context manager that ends it."""

    def __init__(self, width=1280, height=900):
        self._profile = tempfile.mkdtemp(prefix="browser-")
        self._replies, self._events, self._buffer, self._next = {}, [], b"", 0
        theirs_in, self._out = os.pipe()
        self._in, theirs_out = os.pipe()

        def as_devtools_pipes():  # the browser reads file 3 and writes file 4
            ours = [os.dup(theirs_in), os.dup(theirs_out)]
            os.dup2(ours[0], 3)
            os.dup2(ours[1], 4)

        command = ["chromium", "--headless=new", "--remote-debugging-pipe", "--no-first-run", "--disable-gpu", "--disable-extensions",
                   "--disable-dev-shm-usage", "--hide-scrollbars", f"--user-data-dir={self._profile}", f"--window-size={width},{height}"]
        if os.geteuid() == 0:
            command.append("--no-sandbox")  # which root cannot have
        self._process = subprocess.Popen([*command, "about:blank"], close_fds=False, preexec_fn=as_devtools_pipes,
                                         stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        target = self._command("Target.createTarget", {"url": "about:blank"})["targetId"]
        self._session = self._command("Target.attachToTarget", {"targetId": target, "flatten": True})["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height, deviceScaleFactor=1, mobile=False)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._process.terminate()
        try:
            self._process.wait(10)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        os.close(self._in)
        os.close(self._out)
        shutil.rmtree(self._profile, ignore_errors=True)

    def _command(self, method, parameters, session=None):
        self._next += 1
        message = {"id": self._next, "method": method, "params": parameters}
        if session:
            message["sessionId"] = session
        os.write(self._out, json.dumps(message).encode() + b"\0")
        deadline = time.monotonic() + PATIENCE_S
        while self._next not in self._replies:
            self._read(deadline, method)
        reply = self._replies.pop(self._next)
        if "error" in reply:
            raise BrowserError(f"{method}: {reply['error']['message']}")
        return reply["result"]

    def _read(self, deadline, waiting_for):
        ready, _, _ = select.select([self._in], [], [], max(0.0, deadline - time.monotonic()))
        read = os.read(self._in, 1 << 16) if ready else b""
        if not read:
            raise BrowserError(f"{waiting_for}: the browser {'ended' if ready else 'does not answer'}")
        *messages, self._buffer = (self._buffer + read).split(b"\0")
        for text in messages:
            message = json.loads(text)
            if "id" in message:
                self._replies[message["id"]] = message
            else:
                self._events.append(message)

    def call(self, method, **parameters):
        """A command of the protocol, for the page."""
        return self._command(method, parameters, self._session)

    def open(self, url):
        """Loads the page; returns the seconds until it has loaded and painted once more."""
        self._events.clear()
        start = time.monotonic()
        self.call("Page.navigate", url=url)
        while not any(event["method"] == "Page.loadEventFired" for event in self._events):
            self._read(start + PATIENCE_S, "load")
        self.settle()
        return time.monotonic() - start

    def value(self, expression):
        """What a JavaScript expression gives, as Python has it; promises are awaited."""
        reply = self.call("Runtime.evaluate", expression=expression, returnByValue=True, awaitPromise=True)
        if "exceptionDetails" in reply:
            details = reply["exceptionDetails"]
            raise BrowserError(f"{expression}: {details.get('exception', {}).get('description', details['text'])}")
        return reply["result"].get("value")

    def settle(self):
        """Waits until what was asked for is drawn."""
        self.value("new Promise((done) => requestAnimationFrame(() => requestAnimationFrame(() => done(true))))")

    def place(self, selector):
        """The middle of the first such element, in the window, after scrolling to it."""
        place = self.value(f"""(() => {{ const element = document.querySelector({json.dumps(selector)});
            if (!element) return null;
            element.scrollIntoView({{block: 'center'}});
            const box = element.getBoundingClientRect();
            return [box.x + box.width / 2, box.y + box.height / 2, box.width, box.height]; }})()""")
        if place is None:
            raise BrowserError(f"no element {selector}")
        return place

    def _mouse(self, kind, x, y, **more):
        self.call("Input.dispatchMouseEvent", type=kind, x=x, y=y, **more)

    def click(self, selector):
        x, y = self.place(selector)[:2]
        self.move(x, y)
        for kind in ("mousePressed", "mouseReleased"):
            self._mouse(kind, x, y, button="left", clickCount=1)
        self.settle()

    def move(self, x, y):
        self._mouse("mouseMoved", x, y)
        self.settle()

    def drag(self, x, y, to_x, to_y):
        self._mouse("mousePressed", x, y, button="left", clickCount=1)
        self._mouse("mouseMoved", to_x, to_y, button="left", buttons=1)
        self._mouse("mouseReleased", to_x, to_y, button="left", clickCount=1)
        self.settle()

    def wheel(self, x, y, down):
        self._mouse("mouseWheel", x, y, deltaX=0, deltaY=down)
        self.settle()

    def key(self, key, code=None, text=None):
        """A key as `KeyboardEvent.key` names it; `text` is what it types."""
        codes = {"Enter": 13, "ArrowLeft": 37, "ArrowUp": 38, "ArrowRight": 39, "ArrowDown": 40, "Home": 36, "End": 35, "Tab": 9,
                 "Escape": 27}
        more = {"text": text} if text else {"text": "\r"} if key == "Enter" else {}
        number = codes.get(key, ord(key.upper()) if len(key) == 1 else 0)
        for kind in ("keyDown", "keyUp"):
            self.call("Input.dispatchKeyEvent", type=kind, key=key, code=code or key, windowsVirtualKeyCode=number,
                      **(more if kind == "keyDown" else {}))
        self.settle()

    def type(self, text):
        for letter in text:
            self.key(letter, text=letter)

    def media(self, kind="", **features):
        """Shows the page as on this medium: media("print"), media(prefers_color_scheme="dark")."""
        self.call("Emulation.setEmulatedMedia", media=kind,
                  features=[{"name": name.replace("_", "-"), "value": value} for name, value in features.items()])
        self.settle()

    def screenshot(self, path, whole=False):
        """Writes a PNG of the window, or of the whole page."""
        picture = self.call("Page.captureScreenshot", format="png", captureBeyondViewport=whole)
        with open(path, "wb") as file:
            file.write(base64.b64decode(picture["data"]))

    def complaints(self):
        """What the page logged as a warning or error, exceptions, and requests that left it."""
        said = []
        for event in self._events:
            parameters = event.get("params", {})
            if event["method"] == "Runtime.exceptionThrown":
                said.append(parameters["exceptionDetails"].get("exception", {}).get("description", "exception"))
            elif event["method"] == "Log.entryAdded" and parameters["entry"]["level"] in ("warning", "error"):
                if not parameters["entry"]["text"].startswith("Canvas2D:"):  # of tests that read pixels back
                    said.append(parameters["entry"]["text"])
            elif event["method"] == "Network.requestWillBeSent" and not parameters["request"]["url"].startswith(("file:", "data:")):
                said.append("request of " + parameters["request"]["url"])
        return said
