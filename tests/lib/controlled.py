"""`terrane controller` on a real API server, with the fake provider: one cluster, any number of controllers, a cloud of files.

    with Controlled() as world:
        with world.controller():
            world.apply(PROVIDER_CONFIG, database("one"))
            world.wait("database/one")

A server takes seconds to start: the tests of a file can share one, whose objects go after each of them.

    with Controlled(on=shared_cluster()) as world:
"""
import atexit
import contextlib
import json
import os
import re
import signal
import subprocess
import tempfile
import time

from cluster import Cluster, kubectl
from tap import BUILD, TERRANE, shell
from up import CONFIG, PROVIDER_CONFIG, SCHEMA, database  # noqa: F401 (for those who import this)

FAKE = os.path.join(BUILD, "tests", "fake", "terraform-provider-fake")
LONG = 240


# Of a controller itself, not of its objects.
IGNORED = {"leases", "customresourcedefinitions", "namespaces", ""}


def counted(world):
    """Requests of everybody, by verb and resource, as the server counts them."""
    with world.cluster.client() as client:
        text = client.request("GET", "/metrics")[1]
    found = {}
    for labels, n in re.findall(r"^apiserver_request_total\{(.*)\} (\d+)", text, re.MULTILINE):
        of = dict(re.findall(r'(\w+)="([^"]*)"', labels))
        key = of["verb"], of["resource"] + ("/" + of["subresource"] if of["subresource"] else "")
        found[key] = found.get(key, 0) + int(n)
    return found


def requests(world):
    """Those about objects, without what is sent once."""
    return {(verb, what): n for (verb, what), n in counted(world).items()
            if what.partition("/")[0] not in IGNORED and verb not in ("WATCH", "LIST")}


def since(before, now):
    return {k: n - before.get(k, 0) for k, n in now.items() if n > before.get(k, 0)}


class Controller:
    """A process, and what it wrote."""

    def __init__(self, world, name, args, env, given, closed=(), into=""):
        self.path = world.path(f"{name}.log")
        self.out = open(self.path, "ab")
        provider = ["--provider", FAKE, "--config", world.path("fake-config.yaml")] if given else []
        line = [TERRANE, "controller", "--kubeconfig", world.kubeconfig, *provider, *args]
        if closed or into:
            line = shell(line, closed, into)
        self.process = subprocess.Popen(line, env={**world.env, **env}, stdin=subprocess.DEVNULL, stdout=self.out, stderr=self.out)

    def said(self):
        with open(self.path, encoding="utf-8", errors="replace") as f:
            return f.read()

    def kill(self):
        self.process.kill()
        self.process.wait()

    def stop(self, with_signal=signal.SIGTERM):
        """The exit code."""
        if self.process.poll() is None:
            self.process.send_signal(with_signal)
        try:
            return self.process.wait(LONG)
        finally:
            self.process.kill()
            self.out.close()


_shared = []


def shared_cluster(*users):
    """One for all tests of a file; with these users besides the administrator."""
    if not _shared:
        cluster = Cluster()
        for user in users:
            cluster.add_user(*user)
        _shared.append(cluster.__enter__())
        atexit.register(cluster.stop)
    return _shared[0]


class Controlled:
    def __init__(self, schema=None, config=CONFIG, on=None):
        """`on`: a cluster that runs, and goes on afterwards."""
        self.cluster, self.is_shared = on or Cluster(), on is not None
        self.schema, self.config = schema or SCHEMA, config
        self.n = 0

    def __enter__(self):
        self.temporary = tempfile.TemporaryDirectory()
        try:
            if not self.is_shared:
                self.cluster.__enter__()
        except BaseException:
            self.temporary.cleanup()
            raise
        self.kubeconfig = self.cluster.kubeconfig
        for name, text in (("schema.json", json.dumps(self.schema)), ("fake-config.yaml", self.config)):
            with open(self.path(name), "w", encoding="utf-8") as f:
                f.write(text)
        self.env = {**os.environ, "TERRANE_FAKE_SCHEMA": self.path("schema.json"), "TERRANE_FAKE_CLOUD": self.path("cloud"),
                    "TERRANE_CACHE": self.path("cache")}
        for name in ("TF_REATTACH_PROVIDERS", "TERRANE_LOG", "TERRANE_STORE", "KUBECONFIG", "TERRANE_FAKE_SCRIPT"):
            self.env.pop(name, None)
        return self

    def __exit__(self, *_):
        try:
            if self.is_shared:
                self._clear()
            else:
                self.cluster.stop()
        finally:
            self.temporary.cleanup()

    def _clear(self):
        """Objects, with finalizers or not, and what is kept beside them. Their kinds stay (a server takes a while to forget one, and mixes it up with
        the next one of its name), and so do namespaces, which nobody here would end."""
        crds = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"

        def items(path):        # a server that has just started may say "storage is (re)initializing"
            status, answer = client.request("GET", path)
            return answer["items"] if status == 200 else None

        def left(path):
            self.until(lambda: items(path) is not None, path)
            return items(path) or ()
        with self.cluster.client() as client:
            for spec in (c["spec"] for c in client.get(crds)["items"]):
                root = f"/apis/{spec['group']}/" + next(v["name"] for v in spec["versions"] if v["served"])
                plural = spec["names"]["plural"]
                for metadata in (i["metadata"] for i in left(f"{root}/{plural}")):
                    one = root + (f"/namespaces/{metadata['namespace']}" if "namespace" in metadata else "") + f"/{plural}/{metadata['name']}"
                    client.request("DELETE", one)
                    client.request("PATCH", one, {"metadata": {"finalizers": None}}, "application/merge-patch+json")
                self.until(lambda path=f"{root}/{plural}": items(path) == [], "the end of all objects")
            for what in ("/apis/coordination.k8s.io/v1/namespaces/terrane-system/leases", "/api/v1/namespaces/terrane-system/secrets",
                         "/api/v1/namespaces/default/secrets", "/api/v1/namespaces/default/configmaps"):
                client.request("DELETE", what)

    def path(self, *names):
        return os.path.join(self.temporary.name, *names)

    def start(self, *args, name=None, given=True, closed=(), into="", **env):
        self.n += 1
        return Controller(self, name or f"controller-{self.n}", args, env, given, closed, into)

    @contextlib.contextmanager
    def controller(self, *args, name=None, given=True, closed=(), into="", **env):
        """`given`: with the fake provider on its command line. `closed`: descriptors; `into`: a redirection."""
        c = self.start(*args, name=name, given=given, closed=closed, into=into, **env)
        try:
            yield c
        finally:
            c.stop()

    # --- as users do it ---

    def kubectl(self, *args, stdin=None, ok=True, timeout=LONG):
        done = kubectl(self.cluster, *args, stdin=stdin, timeout=timeout)
        if ok and done.returncode != 0:
            raise AssertionError(f"kubectl {' '.join(args)}: {done.stderr}{done.stdout}")
        return done

    def apply(self, *documents):
        """What kubectl does not know yet it will: the definitions may be on their way."""
        deadline = time.monotonic() + LONG
        while True:
            done = self.kubectl("apply", "-f", "-", stdin="\n---\n".join(documents), ok=False)
            if done.returncode == 0:
                return done.stdout
            passing = ("no matches for kind", "not found", "storage is (re)initializing", "the server is currently unable")
            if not any(p in done.stderr for p in passing) or time.monotonic() > deadline:
                raise AssertionError(done.stderr)
            time.sleep(0.2)

    def wait(self, *objects, condition="condition=Ready", namespace="default"):
        self.kubectl("wait", f"--for={condition}", "-n", namespace, f"--timeout={LONG}s", *objects, timeout=LONG + 60)

    def delete(self, *objects, namespace="default", wait=True):
        self.kubectl("delete", "-n", namespace, f"--wait={'true' if wait else 'false'}", f"--timeout={LONG}s", *objects, timeout=LONG + 60)

    def get(self, *what, namespace="default"):
        """As JSON; None: there is none."""
        done = self.kubectl("get", "-n", namespace, "-o", "json", *what, ok=False)
        if done.returncode != 0 and "NotFound" in done.stderr:
            return None
        assert done.returncode == 0, done.stderr
        return json.loads(done.stdout)

    def until(self, fine, what, seconds=LONG):
        deadline = time.monotonic() + seconds
        while True:
            found = fine()
            if found:
                return found
            assert time.monotonic() < deadline, f"{what}: not within {seconds} s"
            time.sleep(0.1)

    # --- the cloud ---

    def cloud(self, kind, name=None):
        """The object, or the names of all."""
        folder = self.path("cloud", kind)
        if name is None:
            return sorted(n[:-5] for n in os.listdir(folder) if n.endswith(".json")) if os.path.isdir(folder) else []
        try:
            with open(os.path.join(folder, name + ".json"), encoding="utf-8") as f:
                return json.load(f)
        except FileNotFoundError:
            return None
