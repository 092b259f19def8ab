"""`terrane controller` under test on a real API server, with every version of every object seen: what watched_up.py is for `terrane up`.

    with OnCluster(world, provider, kinds) as stage:
        stage.put({"apiVersion": ..., "kind": ..., ...})
        stage.until(lambda: stage.get("Database", "a"), "a is there")

One after the other on one cluster: each begins with no objects of its kinds, and leaves none.
"""
import collections
import http.client
import json
import os
import re
import threading
import time
import urllib.parse

from controlled import FAKE

DEADLINE = 120      # seconds for what should take one: the machine may be busy
SECRETS = "crossplane-system"

Version = collections.namedtuple("Version", "change group kind namespace name object")


class OnCluster:
    is_sparing = True               # of writes: never more than were recorded, and a new spec goes before what a turn says in the status

    def __init__(self, world, provider, poll="2s"):
        """`provider`: name, group, kinds ({plural or singular: kind}), config and env, as recorded_play has them."""
        self.world, self.provider, self.poll = world, provider, poll
        self.versions, self.objects, self.log = [], {}, ""
        self.lock, self.threads, self.ending = threading.Lock(), [], False
        self.arrived = []           # versions that the watches have brought
        self.connections = []

    # ---- the program ----

    def __enter__(self):
        binary = self.world.path(f"terraform-provider-{self.provider.name}")
        if not os.path.lexists(binary):
            os.symlink(FAKE, binary)
        # A cache of its own: schemas are remembered by the content of a binary, and all of these are the same one.
        self.controller = self.world.start("--provider", binary, "--config", self.provider.config, "--no-election", "--poll", self.poll,
                                           given=False, TERRANE_CACHE=self.world.path(f"cache-{self.provider.name}"), **self.provider.env)
        self.process = self.controller.process
        try:
            self.world.until(lambda: self.process.poll() is not None or "reconciling" in self.controller.said(), "the start")
            assert self.process.poll() is None, self.tail()
            self._follow()
            self.put(*self.waiting)
        except BaseException:
            self.__exit__()
            raise
        return self

    waiting = ()                    # objects that were put before the start

    def __exit__(self, *_):
        if self.process.poll() is None:
            self.controller.kill()
        self.ending = True
        for connection in self.connections:
            if connection.sock:
                connection.sock.shutdown(2)
        for thread in self.threads:
            thread.join()
        self._clear()

    def stop(self):
        assert self.controller.stop() == 130, self.tail()

    def tail(self, lines=25):
        return "\n".join(self.controller.said().split("\n")[-lines:])

    # ---- objects ----

    def put(self, *objects):
        if not hasattr(self, "process"):
            self.waiting += objects
        elif objects:
            self.world.apply(*(json.dumps(o) for o in objects))

    def refused(self, *objects):
        """One of them is not accepted."""
        done = self.world.kubectl("apply", "-f", "-", stdin="\n---\n".join(json.dumps(o) for o in objects), ok=False)
        assert done.returncode != 0, done.stdout

    def _path(self, obj):
        group, _, version = obj["apiVersion"].rpartition("/")
        namespace = obj["metadata"].get("namespace")
        plural = next(p for g, v, p, kind in self._kinds() if (g, kind) == (group, obj["kind"]))
        return f"/apis/{group}/{version}" + (f"/namespaces/{namespace}" if namespace else "") + f"/{plural}/{obj['metadata']['name']}"

    def _ask(self, method, path, *body):
        with self.world.cluster.client() as client:
            return client.request(method, path, *body)

    def patch(self, obj, change):
        status, answer = self._ask("PATCH", self._path(obj), change, "application/merge-patch+json")
        assert status == 200, answer

    def take_away(self, obj):
        status, answer = self._ask("DELETE", self._path(obj))
        assert status in (200, 202), answer

    def get(self, kind, name, namespace=""):
        return self.objects.get((kind, namespace, name))

    def events(self):
        """(kind/name, type, reason, message) of all, in the order in which they came first."""
        items = [e for ns in ("default", SECRETS) for e in self._ask("GET", f"/api/v1/namespaces/{ns}/events")[1]["items"]]
        items = [e for e in items if e["involvedObject"].get("apiVersion", "").partition("/")[0].endswith(self.provider.group.partition(".")[2])]
        return [(f"{e['involvedObject']['kind']}/{e['involvedObject']['name']}", e["type"], e["reason"], e["message"]) for e in items]

    def secret(self, namespace, name):
        status, answer = self._ask("GET", f"/api/v1/namespaces/{namespace}/secrets/{name}")
        return answer if status == 200 else None

    # ---- every version ----

    def _kinds(self):
        """(group, version, plural, kind) of what this provider's definitions are about."""
        if not hasattr(self, "known"):
            crds = self._ask("GET", "/apis/apiextensions.k8s.io/v1/customresourcedefinitions")[1]["items"]
            root, _, tail = self.provider.group.partition(".")
            ours = re.compile(rf"(.+\.)?{root}(\.m)?\.{re.escape(tail)}")
            self.known = [(s["group"], next(v["name"] for v in s["versions"] if v["storage"]), s["names"]["plural"], s["names"]["kind"])
                          for s in (c["spec"] for c in crds) if ours.fullmatch(s["group"])]
        return self.known

    def _follow(self):
        for group, version, plural, _ in self._kinds():
            path = f"/apis/{group}/{version}/{plural}"
            status, answer = self._ask("GET", path)
            assert status == 200 and not answer["items"], answer
            client = self.world.cluster.client()
            client.connection.timeout = None
            self.connections.append(client.connection)
            query = urllib.parse.urlencode({"watch": "true", "resourceVersion": answer["metadata"]["resourceVersion"]})
            client.connection.request("GET", f"{path}?{query}", headers=client.headers)
            thread = threading.Thread(target=self._read, args=(client.connection.getresponse(), group))
            thread.start()
            self.threads.append(thread)

    def _read(self, answer, group):
        try:
            for line in answer:
                event = json.loads(line)
                obj = event["object"]
                with self.lock:
                    self.arrived.append(Version(event["type"], group, obj["kind"], obj["metadata"].get("namespace", ""), obj["metadata"]["name"], obj))
        except (OSError, http.client.HTTPException, ValueError, AttributeError):
            assert self.ending, "a watch ended"

    def watch(self):
        with self.lock:
            new, self.arrived = self.arrived, []
        for v in new:
            self.versions.append(v)
            if v.change == "DELETED":
                self.objects.pop((v.kind, v.namespace, v.name), None)
            else:
                self.objects[v.kind, v.namespace, v.name] = v.object

    def until(self, holds, what, seconds=DEADLINE):
        deadline = time.monotonic() + seconds
        while True:
            self.watch()
            if holds():
                return
            assert self.process.poll() is None, f"terrane controller ended with {self.process.returncode}\n{self.tail()}"
            assert time.monotonic() < deadline, f"not within {seconds} s: {what}\n{self.tail()}"
            time.sleep(0.05)

    # ---- the end ----

    def _clear(self):
        """Whatever is left, finalizers or not."""
        for group, version, plural, _ in self._kinds():
            path = f"/apis/{group}/{version}/{plural}"
            for item in self._ask("GET", path)[1]["items"]:
                one = item["metadata"].get("namespace")
                one = f"/apis/{group}/{version}" + (f"/namespaces/{one}" if one else "") + f"/{plural}/{item['metadata']['name']}"
                self._ask("DELETE", one)
                self._ask("PATCH", one, {"metadata": {"finalizers": None}}, "application/merge-patch+json")
        for namespace in ("default", SECRETS):
            self._ask("DELETE", f"/api/v1/namespaces/{namespace}/events")
            self._ask("DELETE", f"/api/v1/namespaces/{namespace}/secrets")
