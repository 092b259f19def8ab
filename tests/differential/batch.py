"""
The reference for providers that take long to start: what many cases ask for at the same time becomes one run of the real CLI.

A run of terraform with hashicorp/aws costs ten seconds of CPU time before it reaches the first object, and little for each object.
So all sessions are lived in step. Each waits for the answer to one request; those whose request is of the first phase in ORDER are
answered together, from one workspace with an object for each, and proceed to what they want next. The objects of a workspace do
not refer to each other, so terraform treats each as if it were alone. Requests and answers have the shapes of the reference
engine, whose parts are used here.
"""
import json
import os
import re
import tempfile
import time
import zipfile

import reference

# Who is ahead waits, so that the late phases happen once for all. `look` is a plan that is not going to be applied; those that are
# need a plan file of their own.
ORDER = ("other", "validate", "look", "plan", "apply", "refresh", "import", "destroy")
AT_ONCE = "-parallelism=40"     # objects mostly wait for the cloud


class Member:
    """A session in the batch, and the request whose answer it waits for."""

    def __init__(self, session, name):
        self.session, self.name = session, name     # the name of its object in every workspace
        self.life, self.workspace, self.error = session.live(), None, None
        self.proceed(None)

    def proceed(self, answer):
        self.method, self.params = None, None
        try:
            self.method, self.params = self.life.send(answer)
        except StopIteration:
            pass
        except Exception as e:          # the others go on
            self.error = e

    def phase(self):
        if self.method == "resource.plan":
            return "destroy" if self.params.get("config") is None else "plan" if self.session.applies_next() else "look"
        verb = self.method.removeprefix("resource.")
        if verb == "refresh" and self.params.get("state") is None:
            return "other"              # a wrong request, and answered as such
        return verb if verb in ORDER else "other"


class Batch:
    name = "reference"

    def __init__(self, cli, work, progress):
        self.work, self.progress = work, progress
        self.engine, self.opened = reference.Engine(cli, work), {}

    def live(self, sessions):
        """Lives all sessions. Returns for each the exception that ended it, or None."""
        members = [Member(session, f"object_{i}") for i, session in enumerate(sessions, 1)]
        while waiting := [m for m in members if m.method]:
            phase = min((m.phase() for m in waiting), key=ORDER.index)
            for m, answer in self.answers(phase, [m for m in waiting if m.phase() == phase]):
                m.proceed(answer)
        return [m.error for m in members]

    def answers(self, phase, members):
        """Pairs of member and answer."""
        if phase == "other":
            return [(m, self.call(m.method, m.params)) for m in members]
        started, groups = time.monotonic(), {}
        for m in members:
            key = m.workspace if phase == "apply" else (m.params["provider"], m.params.get("refresh", True))
            groups.setdefault(key, []).append(m)
        found = [(m, {"result": result}) for group in groups.values()
                 for m, result in (self.applied(group) if phase == "apply" else self.run(phase, group))]
        self.progress(f"{phase}: {len(members)} objects, {time.monotonic() - started:.0f} s")
        return found

    def call(self, method, params):
        """What is no matter of a batch. Opening takes long, so it is done once for a configuration, and nothing is closed."""
        key = json.dumps(params, sort_keys=True)
        if method == "provider.close":
            return {"result": {}}
        if method == "provider.open" and key in self.opened:
            return self.opened[key]
        try:
            answer = {"result": reference.call(self.engine, method, params)}
        except reference.RpcError as e:
            answer = {"error": e.body}
        if method == "provider.open":
            self.opened[key] = answer
        return answer

    # ------------------------------------------------------------ runs
    def run(self, phase, members):
        """Pairs of member and result. With an error of one object there is no plan for the others: they get another run."""
        if not members:
            return []
        w = Workspace(self.engine.handle(members[0].params["provider"]), phase, members, self.work)
        found = w.validate() if phase == "validate" else w.plan(phase)
        if phase == "validate" or not reference.failed(sum(found.values(), [])):
            return [(m, self.result(phase, w, m, w.told(found, m))) for m in members]
        guilty = [m for m in members if reference.failed(found.get(m.name, []))]
        if not guilty and len(members) > 1:         # it is not said whose error it is
            return self.run(phase, members[::2]) + self.run(phase, members[1::2])
        guilty = guilty or members
        return [(m, self.refused(phase, m, w.told(found, m))) for m in guilty] + \
            self.run(phase, [m for m in members if m not in guilty])

    @staticmethod
    def result(phase, w, m, diagnostics):
        state = w.states.get(m.name)
        if phase == "validate":
            return {"diagnostics": diagnostics}
        if phase == "refresh":
            return {"state": state, "diagnostics": diagnostics}
        if phase == "import":
            return {"imported": [{"type": m.params["type"], "state": state}] if state else [], "diagnostics": diagnostics}
        m.workspace = w
        return {**w.change(m.name), "refreshed": state, "plan": m.name, "diagnostics": diagnostics}

    @staticmethod
    def refused(phase, m, diagnostics):
        more = {"import": {"imported": []}, "refresh": {"state": m.params.get("state")}}
        return {**more.get(phase, {}), "diagnostics": diagnostics}

    @staticmethod
    def applied(members):
        """The plan of a workspace, carried out. All its members must want it."""
        w = members[0].workspace
        assert {m.name for m in members} == set(w.types), "a plan that is not applied was planned with those that are"
        found = w.apply()
        return [(m, {"state": w.states.get(m.name), "diagnostics": w.told(found, m)}) for m in members]


class Workspace:
    """A folder with many objects. Runs return diagnostics by the name of the object; None: of nobody in particular."""

    def __init__(self, provider, phase, members, work):
        self.package = provider.package
        self.folder = tempfile.mkdtemp(prefix="batch-", dir=work)
        self.types = {m.name: m.params["type"] for m in members}
        self.changes, self.states = {}, {}          # by name, after a run
        self.flags = [f"-replace={m.params['type']}.{m.name}" for m in members if m.params.get("replace")]
        self.flags += ["-refresh=false"] * (not members[0].params.get("refresh", True))
        document = {"terraform": {"required_providers": self.package.required},
                    "provider": {self.package.name: reference.escape(provider.config)},
                    **(self.imports(members) if phase == "import" else self.resources(provider, phase, members))}
        self.lines = list(reference.line_paths(document))
        self.write("main.tf.json", document)
        stored = [{"mode": "managed", "type": m.params["type"], "name": m.name, "instances": [m.params["state"]],
                   "provider": 'provider["%s"]' % self.package.address} for m in members if m.params.get("state")]
        if stored:
            self.write("terraform.tfstate", {"version": 4, "serial": 1, "lineage": "reference", "resources": stored})

    def imports(self, members):
        return {"import": [{"to": f"{m.params['type']}.{m.name}", "provider": self.package.name,
                            "id": reference.escape(m.params["id"])} for m in members]}

    def resources(self, provider, phase, members):
        if phase not in ("validate", "look", "plan"):
            return {}
        out = {}
        for m in members:
            kind = m.params["type"]
            block = provider.blocks("resource", kind, m.params["config"], None, m.params.get("ignore_changes", ()))
            out.setdefault(kind, {})[m.name] = block["resource"][kind][reference.NAME]
        return {"resource": out}

    def path(self, name):
        return os.path.join(self.folder, name)

    def write(self, name, document):
        with open(self.path(name), "w", encoding="utf-8") as f:
            json.dump(document, f, indent=1)

    # ------------------------------------------------------------ runs
    def terraform(self, *args):
        done = self.package.run(self.folder, *args)
        if done.returncode and not done.stdout.startswith("{"):
            raise reference.RpcError(-32000, f"{args[0]} ended with {done.returncode}", done.stderr.splitlines()[-20:])
        return done.stdout

    def validate(self):
        return self.by_name(json.loads(self.terraform("validate", "-json"))["diagnostics"])

    def plan(self, phase):
        flags = {"refresh": ["-refresh-only"], "destroy": ["-destroy"], "import": ["-generate-config-out=" + reference.GENERATED]}
        found = reference.diagnostics_of(self.terraform("plan", "-json", "-input=false", "-out=plan", AT_ONCE, *self.flags,
                                                        *flags.get(phase, [])))
        if os.path.exists(self.path("plan")):
            with zipfile.ZipFile(self.path("plan")) as archive:
                self.take(json.loads(archive.read("tfstate")))
        if phase in ("look", "plan", "destroy") and not reference.failed(found):
            document = json.loads(self.terraform("show", "-json", "plan"))
            self.changes = {c["name"]: c for c in document.get("resource_changes", [])}
        return self.by_name(found)

    def apply(self):
        found = reference.diagnostics_of(self.terraform("apply", "-json", "-input=false", AT_ONCE, "plan"))
        with open(self.path("terraform.tfstate"), encoding="utf-8") as f:
            self.take(json.load(f))
        return self.by_name(found)

    # ------------------------------------------------------------ what came of them
    def take(self, tfstate):
        self.states = {r["name"]: {k: v for k, v in instance.items() if k in reference.STATE}
                       for r in tfstate.get("resources") or [] for instance in r["instances"] if "deposed" not in instance}

    def change(self, name):
        """What is planned for an object; it is missing in the plan when there is nothing to destroy."""
        found = self.changes.get(name) or {"change": {**dict.fromkeys(reference.CHANGE), "actions": ["no-op"]}}
        return {**{k: found["change"][k] for k in reference.CHANGE}, "replace_paths": found["change"].get("replace_paths", []),
                **{k: v for k, v in found.items() if k == "action_reason"}}

    def by_name(self, diagnostics):
        out = {}
        for d in diagnostics:
            place = d.get("range") or {}
            if d["summary"] in reference.OURS or place.get("filename") == reference.GENERATED:
                continue
            item, path = reference.plain(d), ()
            if place.get("filename") == "main.tf.json":
                path = self.lines[place["start"]["line"] - 1]
                inner = path[2 if path[:1] == ("provider",) else 3:]
                item.update({"path": inner} if inner else {})
            for name in self.owners(d, path):
                if item not in out.setdefault(name, []):    # a plan validates twice
                    out[name].append(item)
        return out

    def owners(self, d, path):
        """The names of the objects that a diagnostic is about: by its place, its address, or what it says."""
        if path[:1] == ("resource",):
            return path[2:3] or [name for name, kind in self.types.items() if kind == path[1]]
        return re.findall(r"\bobject_\d+\b", " ".join([d.get("address", ""), d["summary"], d.get("detail", "")]))[:1] or [None]

    def told(self, found, m):
        """The diagnostics of one object, in which it is called as in a workspace of its own."""
        mine = found.get(None, []) + found.get(m.name, [])
        return json.loads(re.sub(rf"\b{m.name}\b", reference.NAME, json.dumps(mine)))
