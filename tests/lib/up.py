"""`terrane up` with the fake provider, from outside: a folder of manifests, a store, a cloud of files.

    with Up() as up:
        up.write("a.yaml", DATABASE)
        assert up.once().returncode == 0
        with up.running():
            up.write("b.yaml", ...)
            up.until(lambda: up.cloud("fake_database", "b"), "the database")
"""
import contextlib
import json
import os
import signal
import subprocess
import tempfile
import time

from tap import BUILD, TERRANE

FAKE = os.path.join(BUILD, "tests", "fake", "terraform-provider-fake")
LONG = 240
TEXT = {"type": "string", "optional": True}
ID = {"type": "string", "optional": True, "computed": True}
SCHEMA = {"format_version": "1.0", "provider_schemas": {"registry.terraform.io/terrane/fake": {
    "provider": {"version": 0, "block": {"attributes": {"region": TEXT, "token": {**TEXT, "sensitive": True}}}},
    "resource_schemas": {
        "fake_database": {"version": 0, "block": {"attributes": {
            "id": ID, "size": {"type": "number", "optional": True}, "zone": TEXT, "comment": {**TEXT, "computed": True}}}},
        "fake_user": {"version": 0, "block": {"attributes": {
            "id": ID, "login": {"type": "string", "required": True}, "password": {**TEXT, "sensitive": True},
            "api_key": {"type": "string", "computed": True, "sensitive": True}}}}}}}}
CONFIG = """provider: fake
root_group: {cluster: fake.example.org, namespaced: fake.m.example.org}
version: v1
resources:
  fake_database: {group: "", short_names: [fdb], external_name: {strategy: parameter, field: id}}
  fake_user: {group: ""}
"""
PROVIDER_CONFIG = """apiVersion: fake.example.org/v1beta1
kind: ProviderConfig
metadata: {name: default}
spec: {credentials: {source: None}}
"""


def database(name, size=1, labels=None, extra=""):
    return f"""apiVersion: fake.example.org/v1
kind: Database
metadata: {{name: {name}, labels: {json.dumps(labels or {})}}}
spec:
  forProvider: {{size: {size}, zone: a}}
{extra}"""


class Up:
    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.root = self.temporary.name
        self.manifests, self.data = self.path("manifests"), self.path("data")
        os.mkdir(self.manifests)
        with open(self.path("schema.json"), "w", encoding="utf-8") as f:
            json.dump(SCHEMA, f)
        with open(self.path("fake-config.yaml"), "w", encoding="utf-8") as f:
            f.write(CONFIG)
        self.env = {**os.environ, "TERRANE_FAKE_SCHEMA": self.path("schema.json"), "TERRANE_FAKE_CLOUD": self.path("cloud"),
                    "TERRANE_CACHE": self.path("cache")}
        for name in ("TF_REATTACH_PROVIDERS", "TERRANE_LOG", "TERRANE_STORE", "TERRANE_STORE_KEY"):
            self.env.pop(name, None)
        return self

    def __exit__(self, *_):
        self.temporary.cleanup()

    def path(self, *names):
        return os.path.join(self.root, *names)

    def write(self, name, *documents):
        """As editors do: another file takes the name."""
        path = os.path.join(self.manifests, name)
        with open(path + "~", "w", encoding="utf-8") as f:
            f.write("---\n".join(documents))
        os.rename(path + "~", path)

    def remove(self, name):
        os.unlink(os.path.join(self.manifests, name))

    def script(self, text):
        with open(self.path("script.yaml"), "w", encoding="utf-8") as f:
            f.write(text)
        self.env["TERRANE_FAKE_SCRIPT"] = self.path("script.yaml")

    def line(self, *args, provider=True):
        named = ["--provider", FAKE, "--config", self.path("fake-config.yaml")] if provider else []
        return [TERRANE, "up", self.manifests, "--data", self.data, *named, *args]

    def once(self, *args, provider=True):
        return subprocess.run(self.line("--once", "--timeout", f"{LONG}s", *args, provider=provider), env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=2 * LONG)

    @contextlib.contextmanager
    def running(self, *args):
        out = open(self.path("out"), "a", encoding="utf-8")
        process = subprocess.Popen(self.line(*args), env=self.env, stdin=subprocess.DEVNULL, stdout=out, stderr=subprocess.STDOUT)
        try:
            yield process
        finally:
            if process.poll() is None:
                process.send_signal(signal.SIGINT)
            try:
                process.wait(LONG)
            finally:
                process.kill()
                out.close()

    def said(self):
        with open(self.path("out"), encoding="utf-8") as f:
            return f.read()

    def run(self, *args, ok=True, stdin=None):
        done = subprocess.run([TERRANE, *args, "--data", self.data], env=self.env, input=stdin or "", stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=LONG)
        assert (done.returncode == 0) == ok, (args, done)
        return done

    def get(self, *args):
        """The object, or the items of the list; None when there is none."""
        done = subprocess.run([TERRANE, "get", *args, "-o", "json", "--data", self.data], env=self.env, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, timeout=LONG)
        return json.loads(done.stdout) if done.returncode == 0 else None

    def condition(self, kind, name, wanted):
        found = self.get(kind, name)
        conditions = (found or {}).get("status", {}).get("conditions", [])
        return next((c for c in conditions if c["type"] == wanted), None)

    def is_ready(self, kind, name):
        return all((self.condition(kind, name, c) or {}).get("status") == "True" for c in ("Ready", "Synced"))

    def cloud(self, kind, name):
        """The external object; None when there is none."""
        try:
            with open(self.path("cloud", kind, name + ".json"), encoding="utf-8") as f:
                return json.load(f)
        except (FileNotFoundError, json.JSONDecodeError):
            return None

    def until(self, condition, what):
        deadline = time.monotonic() + LONG
        while time.monotonic() < deadline:
            value = condition()
            if value:
                return value
            time.sleep(0.05)
        raise AssertionError(f"{what} did not come; {self.said() if os.path.exists(self.path('out')) else ''}")
