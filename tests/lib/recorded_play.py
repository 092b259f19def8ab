"""Recordings of real Upjet providers (recorded.py), played on `terrane up` or on `terrane controller`, and compared step by step. DIFFERENCES
says what is different on purpose, and why.

    Player(scenario, recording, provider, stage).play()

A stage is what is played on: objects are put, patched and taken away there, and every version of every object is seen
(watched_up.Up, watched_controller.OnCluster).
"""
import base64
import collections
import hashlib
import json
import lzma
import os
import re
import time

import data
import recorded
from tap import ROOT

FAKE = os.path.join(ROOT, "tests", "fake")
SETTLE = 0.5        # seconds in which nothing more should happen
DEADLINE = 60       # seconds for what a recording needed less for
GATHERED = {"spec", "Synced", "LastAsyncOperation"}    # by a turn that is sparing of writes: what was so in between is not shown
EXTRA_VERSIONS = 2  # the external name and the provider's private data are written at once, and not with late initialisation

# ---- what is different on purpose ----
#
# Each has a line in docs/compatibility.md that begins with `doc`, and the places where it shows:
#   theirs   (scenario, object, track, regular expression of the value): recorded, and not here
#   ours     the same: here, and not recorded
#   instead  {(scenario, step): {object: {track: value}}}: after this step the object is this, also
#   order    tracks that come earlier or later
#   words    (regular expression, what stands for it): on either side
#   events   (scenario, object, reason, regular expression of the message): of either side only
# Scenarios, objects and tracks are regular expressions, too.

Difference = collections.namedtuple("Difference", "doc theirs ours instead events order words", defaults=((), (), {}, (), (), ()))


def failed(message):
    return ("False", "ReconcileError", message)


SETUP = "connect failed: cannot get terraform setup: "
DENIED = "observe failed: cannot run refresh: refresh failed: failed to connect to MySQL: could not create new connection: could not " \
         "connect to server: Error 1045 (28000): Access denied for user 'terra'@'localhost' (using password: YES)"
NO_KEY = 'cannot extract credentials: the Secret "s13-creds" in the namespace "crossplane-system" has no key "credentials"'
NO_MATCH = "cannot resolve references: mg.Spec.ForProvider.%s: no resources matched selector"
REFERENCES = {"database": "s05-db2", "databaseRef": {"name": "s05-db2"},
              "databaseSelector": {"matchLabels": {"s05": "d"}, "policy": {"resolution": "Required", "resolve": "Always"}}, "host": "example.com",
              "privileges": ["SELECT"], "table": "*", "tlsOption": "NONE", "user": "s05-user", "userRef": {"name": "s05-user"},
              "userSelector": {"matchLabels": {"s05": "u"}}}
REFERENCES_SPEC = json.dumps({"deletionPolicy": "Delete", "forProvider": REFERENCES, "managementPolicies": ["*"],
                              "providerConfigRef": {"name": "default"}}, sort_keys=True)

DIFFERENCES = {
    "no_async_condition": Difference(
        "a condition `AsyncOperation` beside",
        theirs=[(".*", ".*", "AsyncOperation", ".*")]),
    "conflicts": Difference(
        "two writers of one object",
        events=[(".*", ".*", "CannotUpdateManagedResource", "Operation cannot be fulfilled"),
                ("S03.*|S04.*", ".*", "CannotInitializeManagedResource", "cannot determine creation result")]),
    "grace": Difference(
        "for 30 s after a creation nobody",
        ours=[("S12.*", "Database/s12-never", "Ready", "Deleting"),
              ("S12.*", "Database/s12-never", "Synced", "cannot start async destroy")],
        events=[(".*", ".*", "PendingExternalResource", ".*"),
                ("S12.*", "Database/s12-never", "CannotDeleteExternalResource", "cannot start async destroy")]),
    "applied": Difference(
        "what was applied is kept by the API server",
        ours=[(".*", ".*", "@(kubectl.kubernetes.io/last-applied-configuration|terrane/applied-from)", ".*")]),
    "identity": Difference(
        "the external name and the provider's private data",
        ours=[("S08.*|X03.*", ".*", "@upjet.crossplane.io/provider-meta", "null")],
        order=["@crossplane.io/external-name", "@upjet.crossplane.io/provider-meta"]),
    "failed_mark": Difference(
        "a failed asynchronous creation leaves",
        ours=[(".*", ".*", "@crossplane.io/external-create-failed", ".*")]),
    "references": Difference(
        "a second resolution of references",
        theirs=[("S05.*", "Grant/.*", "spec", '^(?=.*s05-db2)(?!.*"userRef")')],
        instead={("S05-grant-selectors", 6): {"Grant/s05-grant": {"spec": REFERENCES_SPEC}}}),
    "watched": Difference(
        "corrections of Secrets, ProviderConfigs",
        ours=[("S04.*|S05.*", "Grant/.*", "Synced", "referenced field was empty")],
        instead={("S05-grant-selectors", 2): {"Grant/s05-grant": {"Synced": failed(NO_MATCH % "User")}},
                 ("S05-grant-selectors", 5): {"Grant/s05-grant": {"Synced": failed(NO_MATCH % "Database")}},
                 ("S13-config", 4): {"Database/s13-db": {"Synced": failed(SETUP + NO_KEY)}},
                 ("S13-config", 8): {"Database/s13-db": {"Synced": failed(DENIED)}}},
        events=[("S04.*|S05.*", "Grant/.*", "CannotResolveResourceReferences", "referenced field was empty"),
                ("S05.*", "Grant/.*", "CannotResolveResourceReferences", "User: no resources matched selector"),
                ("S13.*", "Database/.*", "CannotConnectToProvider", "has no key"),
                ("S13.*", "Database/.*", "CannotObserveExternalResource", "Access denied")]),
    "usage": Difference(
        "usages of a ProviderConfig",
        instead={("S13-config", 21): {"ProviderConfig/s13-config": recorded.GONE},
                 ("T02-namespaced-life", 16): {"NsProviderConfig/t02-config": recorded.GONE}}),
    "created": Difference(
        "an object of a provider on the plugin framework",
        theirs=[("T.*", ".*Resource/.*", "observed|LastAsyncOperation", ".*")],
        ours=[("T.*", ".*Resource/.*", "@(crossplane.io/external-.*|upjet.crossplane.io/provider-meta)|observed|LastAsyncOperation", ".*"),
              ("T.*", ".*Resource/.*", "Ready", "Creating")],
        events=[("T.*", "Resource/.*", "CreatedExternalResource", ".*")]),
    "unknown_fields": Difference("fields that a kind does not have"),
    "import_words": Difference(
        "an import that finds nothing",
        ours=[("S08.*", "Database/s08-missing", "Synced", "external resource does not exist")],
        events=[("S08.*", "Database/s08-missing", "CannotObserveExternalResource", "external resource does not exist")],
        words=[(r"cannot run import: \S+: Importing from ID .*│ Error: ([^\n]*)\n.*: import failed", r"cannot run import: \1"),
               (r"cannot run import: import failed: (.*)", r"cannot run import: \1")]),
    "replacement_words": Difference(
        "a change that would replace",
        words=[(r"Instance cannot be destroyed: Resource (\S+) has lifecycle.prevent_destroy set, .*", r"Replacement refused: \1"),
               (r"Replacement refused: (\S+) would have to be destroyed .*", r"Replacement refused: \1")]),
    "json_words": Difference(
        "credentials that are not JSON",
        words=[(r"(credentials as JSON): .*", r"\1")]),
    "time_words": Difference(
        "an object that is deleted while",
        words=[(r"(that started at TIME) \+0000 UTC m=\+[0-9.]+ ", r"\1 ")]),
}
recorded.WORDS += [w for d in DIFFERENCES.values() for w in d.words]
# What the recorder missed.
MISSED = [("S12.*|S16.*", "Database/.*", "DeletedExternalResource", ".*")]
# Steps that are not done: the field is taken, with a warning ("unknown_fields").
NOT_DONE = {("S19-validation", 4)}
# Recordings that show a fault from their beginning to their end: what is right instead is in up_better.
NOT_LIVED = {"S15-init": "initProvider is not used"}


def _fits(where, scenario, key, track, value):
    return any(re.fullmatch(a, scenario) and re.fullmatch(b, key) and re.fullmatch(c, track) and re.search(d, str(value))
               for a, b, c, d in where)


def not_here(scenario, key):
    return lambda track, value: any(_fits(d.theirs, scenario, key, track, value) for d in DIFFERENCES.values())


def only_here(scenario, key):
    return lambda track, value: any(_fits(d.ours, scenario, key, track, value) for d in DIFFERENCES.values())


def is_known_event(scenario, event):
    on, _, reason, message = event
    return _fits(MISSED, scenario, on, reason, message) or any(_fits(d.events, scenario, on, reason, message) for d in DIFFERENCES.values())


# ---- providers of the same shape as the recorded ones ----

class Mysql:
    """Databases, users, roles, grants: crossplane-contrib/provider-upjet-mysql."""
    name, group = "mysql", "mysql.crossplane.io"
    kinds = {"database": "Database", "user": "User", "role": "Role", "grant": "Grant", "providerconfig": "ProviderConfig"}

    def __init__(self, folder):
        self.config = os.path.join(FAKE, "mysql", "provider.yaml")
        self.env = {"TERRANE_FAKE_SCHEMA": os.path.join(FAKE, "mysql", "schema.json"),
                    "TERRANE_FAKE_SCRIPT": os.path.join(FAKE, "mysql", "script.yaml")}
        self.objects = [credentials({"endpoint": "127.0.0.1:3306", "username": "terra", "password": "terrapass"}),
                        provider_config("mysql.crossplane.io/v1beta1", "ProviderConfig")]


class Null:
    """A resource that is nothing, cluster-scoped and namespaced: crossplane/upjet-provider-template."""
    name, group = "null", "template.crossplane.io"
    kinds = {"resources": "Resource", "providerconfigs": "ProviderConfig"}

    def __init__(self, folder):
        self.config = os.path.join(ROOT, "share", "providers", "null.yaml")
        schema, script = os.path.join(folder, "schema.json"), os.path.join(folder, "script.json")
        with lzma.open(os.path.join(data.HERE, "crossplane", "null", "schema.json.xz")) as packed, open(schema, "wb") as plain:
            plain.write(packed.read())
        with open(script, "w", encoding="utf-8") as f:
            json.dump({"protocol": 5, "replace": {"null_resource": ["triggers"]}}, f)
        self.env = {"TERRANE_FAKE_SCHEMA": schema, "TERRANE_FAKE_SCRIPT": script}
        self.objects = [credentials({}), provider_config("template.crossplane.io/v1beta1", "ProviderConfig"),
                        provider_config("template.m.crossplane.io/v1beta1", "ClusterProviderConfig")]


def credentials(content):
    return {"apiVersion": "v1", "kind": "Secret", "metadata": {"name": "creds", "namespace": "crossplane-system"},
            "stringData": {"credentials": json.dumps(content)}}


def provider_config(version, kind):
    return {"apiVersion": version, "kind": kind, "metadata": {"name": "default"},
            "spec": {"credentials": {"source": "Secret",
                                     "secretRef": {"namespace": "crossplane-system", "name": "creds", "key": "credentials"}}}}


# ---- the database, behind everybody's back ----

class Database:
    def __init__(self, folder):
        self.folder = folder

    def _path(self, type_name, id):
        name = "".join(c if re.fullmatch(r"[A-Za-z0-9_-]", c) or (c == "." and i) else "".join(f"%{b:02X}" for b in c.encode())
                       for i, c in enumerate(id))
        return os.path.join(self.folder, type_name, name + ".json")

    def _all(self, type_name):
        folder = os.path.join(self.folder, type_name)
        for file in sorted(os.listdir(folder)) if os.path.isdir(folder) else ():
            if file.endswith(".json"):
                with open(os.path.join(folder, file), encoding="utf-8") as f:
                    yield json.load(f)

    def _write(self, type_name, id, obj):
        path = self._path(type_name, id)
        os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
        with open(path + "~", "w", encoding="utf-8") as f:
            json.dump(obj, f)
        os.rename(path + "~", path)

    def execute(self, sql):
        """The statements that recordings use. False: it fails."""
        m = re.fullmatch(r"(alter|create) database `([^`]*)`(?: character set (\w+))?(?: collate (\w+))?", sql)
        if m:
            path = self._path("mysql_database", m[2])
            if (m[1] == "alter") != os.path.exists(path):
                return False
            charset = m[3] or (m[4] or "latin1").partition("_")[0]
            self._write("mysql_database", m[2], {"id": m[2], "name": m[2], "default_character_set": charset,
                                                 "default_collation": m[4] or f"{charset}_swedish_ci"})
            return True
        m = re.fullmatch(r"drop (database|role|user) [`']([^`']*)[`'](?:@'([^']*)')?", sql)
        os.unlink(self._path(f"mysql_{m[1]}", m[2] + (f"@{m[3]}" if m[3] else "")))
        return True

    def hold(self, on):
        path = os.path.join(self.folder, ".hold")
        if on:
            os.makedirs(self.folder, mode=0o700, exist_ok=True)
            with open(path, "w", encoding="utf-8"):
                pass
        else:
            os.unlink(path)

    def journal(self):
        """As recorded.operations()."""
        found = {}
        path = os.path.join(self.folder, ".journal")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                for line in f:
                    operation, type_name, id = line.rstrip("\n").split(" ", 2)
                    done = found.setdefault((type_name, id), [])
                    if done[-1:] != [operation]:
                        done.append(operation)
        return found

    def content(self, passwords):
        """As recorded.database()."""
        sums = {hashlib.sha256(p.encode()).hexdigest(): label for p, label in passwords.items()}
        found = {f"database {o['name']}": f"{o['default_character_set']} {o['default_collation']}" for o in self._all("mysql_database")}
        for o in self._all("mysql_user"):
            secret = o["plaintext_password"]
            found[f"user {o['user']}@{o['host']}"] = sums.get(secret, "other") if secret else "none"
        found.update({f"role {o['name']}": "" for o in self._all("mysql_role")})
        for o in self._all("mysql_grant"):
            found[f"grant {o['user']}@{o['host']} {o['database']}"] = ", ".join(sorted(o["privileges"]))
        return found


# ---- playing a recording ----

def provider_of(recording, folder):
    """One of the same shape, whose cloud is in this folder."""
    provider = (Mysql if "mysql" in recording["provider"] else Null)(folder)
    provider.env["TERRANE_FAKE_CLOUD"] = os.path.join(folder, "cloud")
    return provider


class Player:
    def __init__(self, scenario, recording, provider, stage):
        self.scenario, self.steps, self.provider, self.up = scenario, recording["steps"], provider, stage
        self.database = Database(provider.env["TERRANE_FAKE_CLOUD"])
        self.theirs, self.ours = {}, {}         # kind/name -> History
        self.their_events, self.statements = [], []
        self.their_secrets = {}
        self.passwords = {}                     # value -> label
        self.complaints = []
        self.counts = {}                        # versions: ours, recorded
        self.read = 0                           # versions of ours

    def play(self):
        self.up.put(*self.provider.objects)
        with self.up:
            self.up.until(lambda: self.up.get("ProviderConfig", "default"), "the ProviderConfig is in the store")
            self.up.watch()
            for number, step in enumerate(self.steps):
                (verb, argument), = step["do"].items()
                self.take_in(number, step)
                if (self.scenario, number) in NOT_DONE:
                    continue
                if verb == "sleep":
                    self.settle(number, step)
                else:
                    getattr(self, verb)(argument, step)
            self.settle(len(self.steps) - 1, self.steps[-1], last=True)
            self.up.stop()
        assert not self.complaints, "\n".join(self.complaints) + "\n" + self.up.tail()

    # -- what is done --

    def apply(self, text, step):
        documents = [json.loads(d) for d in text.split("\n---\n")]
        for d in documents:
            for value in d.get("stringData", {}).values():
                self.passwords[value] = value.partition("-")[0]
        if step.get("rc"):
            self.up.refused(*documents)
        else:
            self.up.put(*documents)

    def _manifest(self, resource, name):
        kind, _, group = resource.partition(".")
        version = "v1beta1" if kind.startswith("providerconfig") else "v1alpha1"
        metadata = {"name": name, **({"namespace": "default"} if ".m." in group else {})}
        return {"apiVersion": f"{group or self.provider.group}/{version}", "kind": self.provider.kinds[kind], "metadata": metadata}

    def patch(self, argument, step):
        resource, name, change = argument
        which = self._manifest(resource, name)
        if step.get("rc"):      # it is of an object that is gone
            return
        self.up.patch(which, change)

    def delete(self, argument, step):
        resource, name, *rest = argument
        self.up.take_away(self._manifest(resource, name))

    def sql(self, text, step):
        self.database.execute(text)

    def hold(self, argument, step):
        self.database.hold(True)

    def release(self, argument, step):
        self.database.hold(False)

    def wait(self, argument, step):
        kind, name = argument["kind"], argument["name"]
        key = f"{kind}/{name}"

        def holds():
            self.watch()
            now = self.ours[key].now if key in self.ours else {}
            if "ready" in argument:
                return now.get("Ready", [""])[0] == "True"
            if "gone" in argument:
                return key in self.ours and not now["exists"]
            if "field" in argument:
                path, value = argument["field"]
                return json.loads(now.get("observed", "{}")).get(path.rpartition("|")[2]) == value
            for what, wanted in recorded.operations([argument["sql"] + " "]).items():
                return wanted[0] in self.database.journal().get(what, ())
            raise AssertionError(argument)

        if step.get("timeout"):
            return
        try:
            self.up.until(holds, f"{step['do']}", DEADLINE)
        except AssertionError as e:
            raise AssertionError(f"{e}\n{self.ours[key].values if key in self.ours else ''}") from None

    # -- what is seen --

    def take_in(self, number, step):
        """The recording goes on."""
        for v in step.get("objects", ()):
            history = self.theirs.setdefault(f"{v['kind']}/{v['name']}", recorded.History())
            if v.get("same"):
                history.count += 1
            else:
                history.add(recorded.of_recording(v))
            if v["change"] == "DELETED":
                history.add(recorded.GONE)
        if (self.scenario, number) == ("X01-hold-create", 20):      # the recorder did not see its end
            self.theirs["Database/x01-db"].add(recorded.GONE)
        for difference in DIFFERENCES.values():
            for key, values in difference.instead.get((self.scenario, number), {}).items():
                history = self.theirs.setdefault(key, recorded.History())
                history.add(recorded.GONE if values == recorded.GONE else {**history.now, **values})
        for v in step.get("secrets", ()):
            if not v.get("same"):
                self.their_secrets[v["name"]] = v
        self.their_events += [(e["on"], e["type"], e["reason"], e["message"]) for e in step.get("events", ())]
        self.statements += step.get("sql", ())

    def watch(self):
        self.up.watch()
        new, self.read = self.up.versions[self.read:], len(self.up.versions)
        for v in new:
            if v.kind in ("Secret", "ProviderConfigUsage") or v.name == "default":
                continue
            kind = "Ns" + v.kind if ".m." in v.group else v.kind
            self.ours.setdefault(f"{kind}/{v.name}", recorded.History()).add(recorded.of_object(v.change, v.object))

    def differences(self, step):
        said = []
        unordered = {track for d in DIFFERENCES.values() for track in d.order} | (GATHERED if self.up.is_sparing else set())
        for key in sorted(set(self.ours) | set(self.theirs)):
            ours, theirs = (h.get(key, recorded.History()) for h in (self.ours, self.theirs))
            ours, theirs = ours.without(only_here(self.scenario, key)), theirs.without(not_here(self.scenario, key))
            self.counts[key] = ours.count, theirs.count
            said += recorded.compare(key, ours, theirs, unordered=unordered)
        said += self.compare_events()
        if "database" not in step:
            return said
        wanted, found = recorded.database(step["database"]), self.database.content(self.passwords)
        if wanted != found:
            said.append(f"database\n  ours:     {found}\n  recorded: {wanted}")
        wanted, found = recorded.operations(self.statements), self.database.journal()
        if wanted != found:
            said.append(f"statements\n  ours:     {found}\n  recorded: {wanted}")
        return said

    def compare_events(self):
        def views(events):
            return {(on, type_name, reason, recorded.message(text)) for on, type_name, reason, text in events}
        ours, theirs = views(self.up.events()), views(self.their_events)
        return [f"event only {where}: {e}" for where, some in (("here", ours - theirs), ("recorded", theirs - ours))
                for e in sorted(some) if not is_known_event(self.scenario, e)]

    def compare_secrets(self):
        said = []
        for name, theirs in self.their_secrets.items():
            owners = theirs.get("owners", ())
            if any(not h.now["exists"] for o in owners for k, h in self.ours.items() if k.endswith(f"{o['kind']}/{o['name']}")):
                continue        # there was nobody to collect it
            secret = self.up.secret("crossplane-system" if name == "s13-creds" else "default", name)
            if not secret:
                said.append(f"Secret {name} is missing")
                continue
            data = {k: base64.b64decode(v).decode() for k, v in secret.get("data", {}).items()}
            labels = {k: f"equals {self.passwords[v]}" if "-Pass" in v and v in self.passwords else f"other, {len(v)} bytes" if v else "empty"
                      for k, v in data.items()}
            found = {"type": secret.get("type", "Opaque"), "data": labels,
                     "owners": [{k: o.get(k) for k in ("apiVersion", "kind", "name", "controller", "blockOwnerDeletion")}
                                for o in secret["metadata"].get("ownerReferences", ())]}
            wanted = {"type": theirs["type"], "data": theirs.get("data", {}), "owners": list(owners)}
            if wanted != found:
                said.append(f"Secret {name}\n  ours:     {found}\n  recorded: {wanted}")
        return said

    def settle(self, number, step, last=False):
        """Until it is as recorded, and then a moment longer; what is different then is."""
        said = []

        def same():
            nonlocal said
            self.watch()
            said = self.differences(step)
            return not said

        deadline = time.monotonic() + (5 if self.complaints else DEADLINE)
        while not same() and time.monotonic() < deadline:
            assert self.up.process.poll() is None, f"the program ended\n{self.up.tail()}"
            time.sleep(0.1)
        time.sleep(SETTLE)
        same()
        said += self.compare_secrets()
        if last or self.up.is_sparing:
            extra = 0 if self.up.is_sparing else EXTRA_VERSIONS
            said += [f"{key}: {ours} versions, recorded {theirs}" for key, (ours, theirs) in self.counts.items() if ours > theirs + extra]
        known = {c.partition(": ")[2] for c in self.complaints}
        verb, = step["do"]
        self.complaints += [f"step {number} {verb}: {s}" for s in said if s not in known]
