"""Recordings of real Upjet providers (tests/data/crossplane/live), and what is compared with them. Pure: nothing is run here.

An object is looked at as a number of tracks: each condition, each annotation, finalizers, spec, what was observed, whether it is there.
Of each track the sequence of its values counts, not when a write happened and what else was in it:

- **fewer, never other**: the values that we show are a subsequence of those recorded;
- **the same end**: where a recording waits for things to settle, every track ends with the same value;
- **the same order**: of two things that happened for the first time one after the other here, the second was not first there.

What is different on purpose is said in DIFFERENCES and nowhere else.
"""
import json
import lzma
import os
import re

from data import HERE

TIME = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z")
ABSENT = None
# Marks of a creation are written again by each one: what counts is that they are there.
GONE = {"exists": False}


def load():
    with lzma.open(os.path.join(HERE, "crossplane", "live", "recordings.json.xz")) as f:
        return json.load(f)


# ---- tracks ----

WORDS = []      # (regular expression, what stands for it): other words for the same, on either side


def message(text):
    """Messages of several diagnostics come in any order; upjet ends those without detail with a colon."""
    text = TIME.sub("TIME", text)
    for pattern, same in WORDS:
        text = re.sub(pattern, same, text, flags=re.S)
    what, said, why = text.rpartition("failed: ")
    return what + said + "\n".join(sorted(re.sub(r": ?$", "", line) for line in why.split("\n")))


def tracks(*, spec=None, status=None, annotations=None, finalizers=None, labels=None, deleting=False):
    """Of one version of an object: {track: value}."""
    found = {"exists": True, "deleting": deleting, "finalizers": tuple(finalizers or ()), "labels": json.dumps(labels or {}, sort_keys=True)}
    spec = {k: v for k, v in (spec or {}).items() if not (k == "initProvider" and not v)}
    found["spec"] = json.dumps(spec, sort_keys=True)
    status = status or {}
    found["observed"] = json.dumps(status.get("atProvider") or {}, sort_keys=True)
    for c in status.get("conditions", ()):
        found[c["type"]] = (c["status"], c["reason"], message(c.get("message", "")))
    for name, value in (annotations or {}).items():
        if (name, value) != ("crossplane.io/paused", "false"):      # as if it were not there
            found["@" + name] = TIME.sub("TIME", value)
    return found


def of_recording(version):
    """A deleted one as it was stored last; that it is gone is another version."""
    return tracks(**{k: version.get(k) for k in ("spec", "status", "annotations", "finalizers", "labels")}, deleting=bool(version.get("deleting")))


def of_object(change, obj):
    """The same of one of ours."""
    if change == "DELETED":
        return dict(GONE)
    metadata = obj["metadata"]
    return tracks(spec=obj.get("spec"), status=obj.get("status"), annotations=metadata.get("annotations"), finalizers=metadata.get("finalizers"),
                  labels=metadata.get("labels"), deleting="deletionTimestamp" in metadata)


class History:
    """The versions of one object as tracks: the sequence of each, and the order of firsts."""

    def __init__(self):
        self.values = {}        # track -> its values one after the other, none twice in a row
        self.firsts = {}        # (track, value) -> number of the version that had it first
        self.versions = []
        self.now = {}
        self.count = 0          # of versions that changed something

    def add(self, version):
        self.versions.append(version)
        if version == GONE:
            version = {**self.now, **GONE}
        elif not self.now.get("exists", True):      # another one of the same name
            self.now = {}
        changed = {t for t in set(version) | set(self.now) if version.get(t, ABSENT) != self.now.get(t, ABSENT)}
        self.count += bool(changed)
        for track in changed:
            value = version.get(track, ABSENT)
            self.values.setdefault(track, [ABSENT]).append(value)
            self.firsts.setdefault((track, value), self.count)
        self.now = version

    def without(self, drop):
        """Without the values of which `drop(track, value)` is true: what was before goes on."""
        other = History()
        for version in self.versions:
            dropped = {t for t, v in version.items() if drop(t, v)}
            before = {t: v for t, v in other.now.items() if t in dropped} if version != GONE else {}
            other.add({t: v for t, v in version.items() if t not in dropped} | before)
        other.count += self.count - len(self.versions) if self.count > len(self.versions) else 0     # writes that changed nothing
        return other


def _is_subsequence(ours, theirs):
    it = iter(theirs)
    return all(any(v == w for w in it) for v in ours)


def compare(name, ours, theirs, *, unordered=()):
    """Complaints about one object; both are histories, after what is different on purpose was taken out."""
    said, gone = [], not ours.now.get("exists") and not theirs.now.get("exists")
    for track in sorted(set(ours.values) | set(theirs.values)):
        mine, other = ours.values.get(track, [ABSENT]), theirs.values.get(track, [ABSENT])
        if not _is_subsequence(mine, other):
            said.append(f"{name} {track}: not in the recording\n  ours:     {_show(mine)}\n  recorded: {_show(other)}")
        elif mine[-1] != other[-1] and not (track != "exists" and gone):
            said.append(f"{name} {track}: another end\n  ours:     {mine[-1]}\n  recorded: {other[-1]}")
    both = [fact for fact in ours.firsts if fact in theirs.firsts and fact[1] is not ABSENT and fact[0] not in unordered]
    for a in both:
        for b in both:
            if ours.firsts[a] < ours.firsts[b] and theirs.firsts[b] < theirs.firsts[a]:
                said.append(f"{name}: another order\n  here {a}\n  before {b}")
    return said


def _show(values):
    return " -> ".join("-" if v is ABSENT else str(v) for v in values)


# ---- the database ----

def database(recorded):
    """What is in it, in a form that does not depend on how it is printed: {what: how}."""
    found = {}
    for line in recorded.get("databases", ()):
        name, charset, collation = line.split(" ")
        found[f"database {name}"] = f"{charset} {collation}"
    for user in recorded.get("users", ()):
        found[f"user {user['user']}@{user['host']}"] = user["password"]
    for role in recorded.get("roles", ()):
        found[f"role {role}"] = ""
    for lines in recorded.get("grants", {}).values():
        for line in lines:
            m = re.fullmatch(r"GRANT (.*) ON `(.*)`\.\* TO `(.*)`@`(.*)`", line)
            if m:
                found[f"grant {m[3]}@{m[4]} {m[2]}"] = ", ".join(sorted(m[1].split(", ")))
    return found


STATEMENTS = (
    (r"(CREATE|ALTER|DROP) DATABASE `([^`]*)`.*", "mysql_database", "{0}"),
    (r"(CREATE|ALTER|DROP) USER '([^']*)'@'([^']*)'.*", "mysql_user", "{0}@{1}"),
    (r"(CREATE|ALTER|DROP) ROLE '([^']*)'.*", "mysql_role", "{0}"),
    (r"(GRANT|REVOKE) .* ON `([^`]*)`\.\* (?:TO|FROM) '([^']*)'@'([^']*)'", "mysql_grant", "{1}@{2}:`{0}`:*"),
)
VERBS = {"CREATE": "create", "ALTER": "update", "DROP": "delete", "GRANT": "create", "REVOKE": "delete"}


def operations(statements):
    """What was asked of the database, as the fake cloud's journal has it: {(type, id): [operation, ...]}, none twice in a row."""
    found = {}
    for statement in statements:
        for pattern, type_name, form in STATEMENTS:
            m = re.fullmatch(pattern, statement)
            if m:
                done = found.setdefault((type_name, form.format(*m.groups()[1:])), [])
                verb = VERBS[m[1]]
                if statement.startswith("GRANT") and "delete" in done[-1:]:     # other privileges: both, one after the other
                    done[-1], verb = "update", None
                if verb and done[-1:] != [verb]:
                    done.append(verb)
    return found
