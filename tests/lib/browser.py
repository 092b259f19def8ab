"""Debian's Chromium, headless, driven by chromedriver (WebDriver) with nothing but the standard library.

    with Browser(folder) as b:
        b.open(url)
        b.until("return document.querySelectorAll('.row').length > 3", "rows")
        b.picture("list")                 # FOLDER/list.png
        assert b.complaints() == [] and b.hosts() == {"127.0.0.1:7400"}
"""
import base64
import json
import os
import shutil
import subprocess
import tempfile
import time
import urllib.error
import urllib.parse
import urllib.request

from tap import skip

FLAGS = ["--headless", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-background-networking", "--disable-component-update",
         "--disable-sync", "--disable-default-apps", "--disable-dev-shm-usage", "--hide-scrollbars"]
LONG = 120


class Browser:
    def __init__(self, pictures, size=(1440, 900), dark=False):
        self.pictures, self.size, self.dark = pictures, size, dark
        os.makedirs(pictures, exist_ok=True)

    def __enter__(self):
        driver = shutil.which("chromedriver")
        chromium = shutil.which("chromium")
        if not driver or not chromium:
            skip("tool:chromium", "Debian's packages chromium and chromium-driver are not there")
        self.profile = tempfile.TemporaryDirectory()
        self.process = subprocess.Popen([driver, "--port=0"], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, stdin=subprocess.DEVNULL,
                                        start_new_session=True)
        try:
            for line in self.process.stdout:
                if "started successfully on port" in line:
                    self.base = "http://127.0.0.1:" + line.rsplit("port", 1)[1].strip(" .\n")
                    break
            flags = FLAGS + [f"--user-data-dir={self.profile.name}", f"--window-size={self.size[0]},{self.size[1]}"]
            flags += ["--force-dark-mode"] if self.dark else []
            answer = self.call("POST", "/session", {"capabilities": {"alwaysMatch": {
                "browserName": "chrome", "timeouts": {"script": LONG * 1000}, "goog:chromeOptions": {"binary": chromium, "args": flags},
                "goog:loggingPrefs": {"browser": "ALL", "performance": "ALL"}}}})
            self.session = "/session/" + answer["sessionId"]
        except BaseException:
            self.__exit__()
            raise
        return self

    def __exit__(self, *_):
        if getattr(self, "session", None):
            try:
                self.call("DELETE", self.session)
            except OSError:
                pass
        self.process.terminate()
        try:
            self.process.wait(20)
        except subprocess.TimeoutExpired:
            self.process.kill()
        self.process.stdout.close()
        self.profile.cleanup()

    def call(self, method, path, body=None):
        data = json.dumps(body if body is not None else {}).encode() if method == "POST" else None
        request = urllib.request.Request(self.base + path, data, {"Content-Type": "application/json"}, method=method)
        try:
            with urllib.request.urlopen(request, timeout=LONG) as answer:
                return json.load(answer)["value"]
        except urllib.error.HTTPError as e:
            raise AssertionError(e.read().decode()[:2000]) from None

    def open(self, url):
        self.call("POST", self.session + "/url", {"url": url})

    def run(self, script, *args):
        return self.call("POST", self.session + "/execute/sync", {"script": script, "args": list(args)})

    def wait(self, script, *args):
        """A script whose last argument is to be called with the answer."""
        return self.call("POST", self.session + "/execute/async", {"script": script, "args": list(args)})

    def until(self, script, what):
        deadline = time.monotonic() + LONG
        while time.monotonic() < deadline:
            value = self.run(script)
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"{what} did not come: {script}")

    def press(self, *keys):
        """Keys by their names of WebDriver: "a", "\\ue007" (Enter)."""
        actions = [{"type": t, "value": k} for k in keys for t in ("keyDown", "keyUp")]
        self.call("POST", self.session + "/actions", {"actions": [{"type": "key", "id": "k", "actions": actions}]})

    def picture(self, name):
        with open(os.path.join(self.pictures, name + ".png"), "wb") as f:
            f.write(base64.b64decode(self.call("GET", self.session + "/screenshot")))

    def command(self, name, **params):
        return self.call("POST", self.session + "/goog/cdp/execute", {"cmd": name, "params": params})

    def log(self, kind):
        return self.call("POST", self.session + "/se/log", {"type": kind})

    def complaints(self):
        """Of the console: everything that is a warning or worse."""
        return [e["message"] for e in self.log("browser") if e["level"] in ("SEVERE", "WARNING")]

    def hosts(self):
        """That were asked for anything since the last call."""
        found = set()
        for entry in self.log("performance"):
            message = json.loads(entry["message"])["message"]
            if message["method"] == "Network.requestWillBeSent":
                url = urllib.parse.urlsplit(message["params"]["request"]["url"])
                if url.scheme not in ("data", "blob", "chrome", "about"):
                    found.add(url.netloc)
        return found
