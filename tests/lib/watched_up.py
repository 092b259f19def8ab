"""`terrane up` under test: a folder of manifests, a store, a provider whose cloud is a folder.

    with Up(folder, provider=FAKE, config="provider.yaml", env={...}) as up:
        up.put({"apiVersion": ..., "kind": ..., ...})
        up.until(lambda: up.condition("Database", "a", "Ready") == "True", "a is Ready")

The objects are seen as a watch would show them: the store keeps every version, and is read beside the program that has it.
"""
import json
import os
import signal
import sqlite3
import subprocess
import time

from tap import BUILD, TERRANE

FAKE = os.path.join(BUILD, "tests", "fake", "terraform-provider-fake")
OWN_NAMESPACE = "terrane-system"    # what the program keeps for itself
DEADLINE = 120                      # seconds for what should take one: the machine may be busy
CHANGES = {1: "ADDED", 2: "MODIFIED", 3: "DELETED"}


class Version:
    """One version of an object: what it was, and what had happened to it."""

    def __init__(self, row):
        self.number, change, self.group, self.kind, self.namespace, self.name, body = row
        self.change = CHANGES[change]
        self.object = json.loads(body) if body and (self.group, self.kind) != ("", "Secret") else None    # those are sealed

    def __repr__(self):
        return f"<{self.number} {self.change} {self.kind}/{self.name}>"


def conditions(obj):
    """By type: (status, reason, message)."""
    found = (obj or {}).get("status", {}).get("conditions", ())
    return {c["type"]: (c["status"], c.get("reason", ""), c.get("message", "")) for c in found}


def merge(target, patch):
    """JSON merge patch."""
    for key, value in patch.items():
        if value is None:
            target.pop(key, None)
        elif isinstance(value, dict):
            merge(target.setdefault(key, {}), value)
        else:
            target[key] = value
    return target


class Up:
    is_sparing = False              # of writes

    def __init__(self, folder, *, name="fake", provider=FAKE, config=None, env=None, poll="2s", args=()):
        """`name` is the provider's; a configuration is for the provider that it names."""
        self.folder, self.poll = folder, poll
        self.manifests, self.data = os.path.join(folder, "manifests"), os.path.join(folder, "data")
        os.makedirs(self.manifests, exist_ok=True)
        self.env = {**os.environ, "XDG_STATE_HOME": os.path.join(folder, "xdg"), "TERRANE_CACHE": os.path.join(folder, "cache"),
                    **(env or {})}      # the cache knows a provider by its file, and the fake one has many schemas
        for key in [k for k in self.env if k == "TF_REATTACH_PROVIDERS" or k.startswith("AWS_") and k not in (env or {})]:
            del self.env[key]           # what this machine tells providers is nothing to the test
        binary = os.path.join(folder, f"terraform-provider-{name}")
        os.symlink(provider, binary)
        self.args = ["--provider", binary, *(["--config", config] if config else []), *args]
        self.log = os.path.join(folder, "log")
        self.process = None
        self.seen = 0               # the last version that was read
        self.versions = []          # all that were read
        self.objects = {}           # (kind, namespace, name) -> its object now

    # ---- the program ----

    def start(self):
        command = [TERRANE, "up", self.manifests, "--data", self.data, "--prune", "--poll", self.poll, *self.args]
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(command, env=self.env, stdin=subprocess.DEVNULL, stdout=log, stderr=log, cwd=self.folder)
        return self

    def kill(self):
        """As a machine that loses its power."""
        self.process.send_signal(signal.SIGKILL)
        self.process.wait()

    def stop(self):
        if self.process and self.process.poll() is None:
            self.process.send_signal(signal.SIGTERM)
            try:
                self.process.wait(DEADLINE)
            except subprocess.TimeoutExpired:
                self.kill()
                raise AssertionError("terrane up did not end at SIGTERM\n" + self.tail())

    def __enter__(self):
        return self.start()

    def __exit__(self, *what):
        if self.process and self.process.poll() is None:
            self.kill()

    def tail(self, lines=25):
        with open(self.log, encoding="utf-8", errors="replace") as f:
            return "".join(f.readlines()[-lines:])

    def run(self, *args, timeout=DEADLINE):
        return subprocess.run([TERRANE, *args, "--data", self.data], env=self.env, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.PIPE, text=True, timeout=timeout, cwd=self.folder)

    # ---- manifests: a file for each object ----

    @staticmethod
    def _file(obj):
        metadata = obj["metadata"]
        group = obj["apiVersion"].partition("/")[0]
        return "-".join(p for p in (obj["kind"], group, metadata.get("namespace"), metadata["name"]) if p).lower() + ".json"

    def put(self, *objects):
        for obj in objects:
            path = os.path.join(self.manifests, self._file(obj))
            with open(path + ".new~", "w", encoding="utf-8") as f:
                json.dump(obj, f, indent=1)
            os.rename(path + ".new~", path)

    def read(self, obj):
        with open(os.path.join(self.manifests, self._file(obj)), encoding="utf-8") as f:
            return json.load(f)

    def take_away(self, obj):
        os.unlink(os.path.join(self.manifests, self._file(obj)))

    def refused(self, *objects):
        """What an API server would not take does not come into the store, and the others are not hurt."""
        self.put(*objects)
        time.sleep(0.5)
        for obj in objects:
            self.take_away(obj)

    def patch(self, obj, change):
        """A merge patch; of one whose manifest is gone the end of a pause."""
        if os.path.exists(os.path.join(self.manifests, self._file(obj))):
            self.put(merge(self.read(obj), change))
            return
        group = obj["apiVersion"].partition("/")[0]
        done = self.run("resume", f"{obj['kind'].lower()}.{group}", obj["metadata"]["name"])
        assert done.returncode == 0, done.stderr

    # ---- the store, read beside the program ----

    def _ask(self, sql, *arguments):
        path = os.path.join(self.data, "store.db")
        if not os.path.exists(path):
            return []
        for attempt in range(20):
            try:
                connection = sqlite3.connect(f"file:{path}?mode=ro", uri=True, timeout=10)
                try:
                    return connection.execute(sql, arguments).fetchall()
                finally:
                    connection.close()
            except sqlite3.OperationalError as e:       # it is just being made, or opened by its next owner
                # Who was killed has left a log that only a process that may write can sort out: until there is one nothing is new.
                if "no such table" in str(e) or "readonly database" in str(e):
                    return []
                if attempt == 19:
                    raise
                time.sleep(0.1)

    def watch(self):
        """Takes in the versions since the last time, in order; the program's own objects are left out."""
        rows = self._ask("SELECT version, change, grp, kind, namespace, name, body FROM versions WHERE version > ? AND namespace != ?"
                         " ORDER BY version", self.seen, OWN_NAMESPACE)
        for v in map(Version, rows):
            self.versions.append(v)
            self.seen = v.number
            key = (v.kind, v.namespace, v.name)
            if v.change == "DELETED":
                self.objects.pop(key, None)
            else:
                self.objects[key] = v.object

    def get(self, kind, name, namespace=""):
        return self.objects.get((kind, namespace, name))

    def events(self):
        """(kind/name, type, reason, message) of all, in the order in which they came first."""
        rows = self._ask("SELECT kind, name, type, reason, message FROM events ORDER BY id")
        return [(f"{kind}/{name}", *rest) for kind, name, *rest in rows]

    def secret(self, namespace, name):
        """The Secret as the program shows it; None: there is none."""
        done = self.run("get", "secret", name, "-n", namespace, "-o", "json")
        return json.loads(done.stdout) if done.returncode == 0 else None

    def until(self, holds, what, seconds=DEADLINE):
        deadline = time.monotonic() + seconds
        while True:
            self.watch()
            if holds():
                return
            assert self.process.poll() is None, f"terrane up ended with {self.process.returncode}\n{self.tail()}"
            assert time.monotonic() < deadline, f"not within {seconds} s: {what}\n{self.tail()}"
            time.sleep(0.05)
