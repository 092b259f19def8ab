"""
The reference for providers that take long to start: what many cases ask for at the same time becomes one run of the real CLI.

It has the interface of engine.Engine and the shapes of the reference engine, whose parts it uses, but a workspace holds the objects
of all cases that wait. A run happens when every member waits for an answer; those that want to apply wait until nobody wants
anything else, so that the members stay in step. A plan that is not applied must not be carried out with the others, so an apply
plans again, for the objects that want it.
"""
import importlib.util
import json
import os
import re
import tempfile
import threading
import traceback
import types
import zipfile

ORDER = ("resource.validate", "resource.import", "resource.refresh", "resource.plan", "resource.apply")
ORPHAN = "delete_because_no_resource_config"    # in a workspace of its own the object would be destroyed by -destroy


def load(path):
    """The reference engine as a module."""
    spec = importlib.util.spec_from_file_location("reference_engine", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Batch:
    name = "reference"

    def __init__(self, script, cli, work):
        self.tool = load(script)
        self.engine = self.tool.Engine(cli, None, work)
        self.work, self.changed = work, threading.Condition()
        self.members, self.waiting, self.opened, self.plans, self.count = 0, [], {}, {}, 0

    # ------------------------------------------------------------ members
    def join(self):
        with self.changed:
            self.members += 1

    def leave(self):
        with self.changed:
            self.members -= 1
            self.changed.notify_all()

    def call(self, method, params):
        if method not in ORDER:
            return self.direct(method, params)
        request = types.SimpleNamespace(method=method, params=params, answer=None)
        with self.changed:
            self.count += 1
            request.name = f"object_{self.count}"
            self.waiting.append(request)
            self.changed.notify_all()
            while request.answer is None:
                if len(self.waiting) >= self.members:
                    self.round()
                    self.changed.notify_all()
                else:
                    self.changed.wait()
        return request.answer

    def direct(self, method, params):
        """What need not be batched. Opening is slow, so it is done once for a configuration."""
        with self.changed:
            key = json.dumps(params, sort_keys=True)
            if method == "provider.close":
                return {"result": {}}
            if method == "provider.open" and key in self.opened:
                return self.opened[key]
            try:
                answer = {"result": self.tool.call(self.engine, method, params)}
            except self.tool.RpcError as e:
                answer = {"error": e.body}
            if method == "provider.open":
                self.opened[key] = answer
            return answer

    def close(self):
        return 0

    # ------------------------------------------------------------ a round
    def round(self):
        """Answers the waiting requests of one method."""
        method = next(m for m in ORDER if any(r.method == m for r in self.waiting))
        now = [r for r in self.waiting if r.method == method]
        self.waiting = [r for r in self.waiting if r.method != method]
        groups = {}
        for r in now:
            if method == "resource.apply":
                r.params = {**self.plans.get(r.params["plan"], {}), "provider": r.params["provider"]}
            groups.setdefault((r.params["provider"], r.params.get("refresh", True)), []).append(r)
        for (handle, refresh), requests in groups.items():
            try:
                self.answer(method.split(".")[1], self.engine.handle(handle), refresh, requests)
            except self.tool.RpcError as e:
                self.give_up(requests, e.body)
            except Exception as e:      # a mistake in here must not let the others wait
                self.give_up(requests, {"code": -32603, "message": "".join(traceback.format_exception(e))})

    @staticmethod
    def give_up(requests, error):
        for r in requests:
            r.answer = r.answer or {"error": error}

    def answer(self, verb, provider, refresh, requests):
        """One run; if it fails because of some objects, those are answered and the others get another one."""
        while requests:
            with Workspace(self.tool, provider, verb, requests, self.work) as w:
                found = getattr(w, verb)(refresh)
                guilty = [r for r in requests if self.tool.failed(found.get(r.name, []))]
                if not guilty and self.tool.failed(found.get(None, [])):
                    guilty = requests
                if verb in ("validate", "apply") or not guilty:
                    for r in requests:
                        r.answer = {"result": self.result(w, verb, r, w.told(found, r))}
                    return
                for r in guilty:
                    r.answer = {"result": self.refused(verb, r, w.told(found, r))}
                requests = [r for r in requests if r not in guilty]

    def refused(self, verb, r, diagnostics):
        more = {"import": {"imported": []}, "refresh": {"state": r.params.get("state")}}
        return {**more.get(verb, {}), "diagnostics": diagnostics}

    def result(self, w, verb, r, diagnostics):
        state = w.state(r)
        if verb == "validate":
            return {"diagnostics": diagnostics}
        if verb == "import":
            return {"imported": [{"type": r.params["type"], "state": state}] if state else [], "diagnostics": diagnostics}
        if verb == "refresh":
            return {"state": state, "diagnostics": diagnostics}
        if verb == "apply":
            before = r.params.get("planned", [])
            return {"state": state, "diagnostics": [d for d in diagnostics if d not in before]}
        self.plans[r.name] = {**r.params, "planned": diagnostics}
        change = w.changes.get((r.params["type"], r.name)) or {
            "change": {**dict.fromkeys(self.tool.CHANGE), "actions": ["no-op"]}}
        reason = change.get("action_reason")
        return {**{k: change["change"][k] for k in self.tool.CHANGE},
                "replace_paths": change["change"].get("replace_paths", []),
                **({"action_reason": reason} if reason and reason != ORPHAN else {}),
                "refreshed": state, "plan": r.name, "diagnostics": diagnostics}


class Workspace:
    """Many objects in one folder. Each method returns diagnostics by the name of the object; None: of nobody in particular."""

    def __init__(self, tool, provider, verb, requests, work):
        self.tool, self.package, self.requests = tool, provider.package, requests
        self.scratch = tempfile.TemporaryDirectory(prefix="batch-", dir=work)
        self.folder, self.changes, self.states = self.scratch.name, {}, {}
        document = {"terraform": {"required_providers": self.package.required},
                    "provider": {self.package.name: tool.escape(provider.config)}, **self.blocks(provider, verb)}
        self.lines = list(tool.line_paths(document))
        self.write("main.tf.json", document)
        stored = [{"mode": "managed", "type": r.params["type"], "name": r.name, "instances": [r.params["state"]],
                   "provider": 'provider["%s"]' % self.package.address} for r in requests if r.params.get("state")]
        if stored:
            self.write("terraform.tfstate", {"version": 4, "serial": 1, "lineage": "reference", "resources": stored})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.scratch.cleanup()

    def blocks(self, provider, verb):
        if verb == "import":
            return {"import": [{"to": f"{r.params['type']}.{r.name}", "provider": self.package.name,
                                "id": self.tool.escape(r.params["id"])} for r in self.requests]}
        resources = {}
        for r in self.requests:
            if verb != "refresh" and r.params.get("config") is not None:
                kind = r.params["type"]
                block = provider.blocks("resource", kind, r.params["config"], None, r.params.get("ignore_changes", ()))
                resources.setdefault(kind, {})[r.name] = block["resource"][kind][self.tool.NAME]
        return {"resource": resources} if resources else {}

    def write(self, name, document):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            json.dump(document, f, indent=1)

    def run(self, *args):
        done = self.package.run(self.folder, *args)
        if done.returncode and not done.stdout.startswith("{"):
            raise self.tool.RpcError(-32000, "%s ended with %d" % (args[0], done.returncode), done.stderr.splitlines()[-20:])
        return done.stdout

    # ------------------------------------------------------------ runs
    def validate(self, _):
        return self.sorted(json.loads(self.run("validate", "-json"))["diagnostics"])

    def plan(self, refresh, *flags):
        replace = ["-replace=%s.%s" % (r.params["type"], r.name) for r in self.requests if r.params.get("replace")]
        found = self.tool.diagnostics_of(self.run("plan", "-json", "-input=false", "-out=plan", "-parallelism=40",
                                                  *["-refresh=false"] * (not refresh), *replace, *flags))
        if os.path.exists(os.path.join(self.folder, "plan")):
            with zipfile.ZipFile(os.path.join(self.folder, "plan")) as archive:
                self.take(json.loads(archive.read("tfstate")))
        if not flags and not self.tool.failed(found):
            document = json.loads(self.run("show", "-json", "plan"))
            self.changes = {(c["type"], c["name"]): c for c in document.get("resource_changes", [])}
        return self.sorted(found)

    def refresh(self, _):
        return self.plan(True, "-refresh-only")

    def __getattr__(self, name):
        if name == "import":            # a word of the language
            return lambda _: self.plan(True, "-generate-config-out=" + self.tool.GENERATED)
        raise AttributeError(name)

    def apply(self, refresh):
        replace = ["-replace=%s.%s" % (r.params["type"], r.name) for r in self.requests if r.params.get("replace")]
        found = self.tool.diagnostics_of(self.run("apply", "-json", "-input=false", "-auto-approve", "-parallelism=40",
                                                  *["-refresh=false"] * (not refresh), *replace))
        path = os.path.join(self.folder, "terraform.tfstate")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                self.take(json.load(f))
        return self.sorted(found)

    # ------------------------------------------------------------ what came of them
    def take(self, tfstate):
        for resource in tfstate.get("resources") or []:
            for instance in resource["instances"]:
                if "deposed" not in instance:
                    self.states[resource["type"], resource["name"]] = {k: v for k, v in instance.items() if k in self.tool.STATE}

    def state(self, r):
        return self.states.get((r.params["type"], r.name))

    def sorted(self, diagnostics):
        out = {}
        for d in diagnostics:
            place = d.get("range") or {}
            if d["summary"] in self.tool.OURS or place.get("filename") == self.tool.GENERATED:
                continue
            item, path = self.tool.plain(d), ()
            if place.get("filename") == "main.tf.json":
                path = self.lines[place["start"]["line"] - 1]
                inner = path[2 if path[:1] == ("provider",) else 3:]
                item.update({"path": inner} if inner else {})
            owner = self.owner(d, path)
            if item not in out.setdefault(owner, []):
                out[owner].append(item)
        return out

    def owner(self, d, path):
        """The name of the object that a diagnostic is about: its place, its address, or what it says."""
        if path[:1] == ("resource",):
            named = path[2:3] or [r.name for r in self.requests if r.params["type"] == path[1]]
        else:
            named = re.findall(r"\bobject_\d+\b", " ".join([d.get("address", ""), d["summary"], d.get("detail", "")]))
        return named[0] if named else None

    def told(self, found, r):
        """The diagnostics of one object, in which it is called as in a workspace of its own."""
        mine = found.get(None, []) + found.get(r.name, [])
        return json.loads(re.sub(rf"\b{r.name}\b", self.tool.NAME, json.dumps(mine)))
