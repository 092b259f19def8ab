"""Objects, good and bad, for the judgement of an API server and of src/admission: the cases, both judges, and how answers compare.

A case is a name, an object, and perhaps the object that it replaces. An answer is what can be compared: was it accepted, what is
stored then (as a digest), and which fields are wrong otherwise.
"""
import copy
import glob
import hashlib
import itertools
import json
import os
import re
import subprocess
import time

import data
import small_provider
from tap import BUILD, terrane

DRIVE = os.path.join(BUILD, "src", "admission", "admission_drive")
CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions"
# Of each provider so many kinds: the largest that fits a request easily, and one for each construct.
KINDS = {"null": 2, "gitea": 4, "zitadel": 3, "digitalocean": 4, "github": 4, "cloudflare": 3, "azuread": 3}
LARGEST = 400 << 10     # bytes of YAML
FEATURES = [r"x-kubernetes-list-type: set", r"x-kubernetes-preserve-unknown-fields: true", r"SecretRef:", r"Selector:", r"self\.forProvider\.__",
            r"^ {18,}required:", r"type: number", r"additionalProperties:\n +(items|properties|additionalProperties):"]
WRONG = [None, True, 1, 1.5, "x", [], {}, ["x"], [None], [1], {"a": 1}, {"a": {"b": "c"}}]
NAMES = ["a", "a.b", "a-b", "A", "a_b", "-a", "a-", "a..b", ".a", "a.", "", "a b", "ü", "a" * 253, "a" * 254, 1, None, ["a"]]
LABELS = [{"a": "b"}, {"a/b": "c"}, {"example.org/a": ""}, {"A_b.c": "x"}, {"a/b/c": "d"}, {"/a": "b"}, {"a/": "b"}, {"": "b"}, {"a b": "c"},
          {"-a": "b"}, {"a": "b c"}, {"a": "-"}, {"a": "x" * 63}, {"a": "x" * 64}, {"a" * 64: "b"}, {"A.org/b": "c"}, {"a": 1}, {"a": True},
          {"a": ["b"]}, "a", ["a"], None, {}]
POLICIES = ["Observe", "Create", "Update", "Delete", "LateInitialize", "*"]


def get(o, path):
    for step in path:
        o = o[step]
    return o


def changed(o, path, value):
    o = copy.deepcopy(o)
    get(o, path[:-1])[path[-1]] = value
    return o


def without(o, path):
    o = copy.deepcopy(o)
    del get(o, path[:-1])[path[-1]]
    return o


def places(o, path=()):
    """Paths of everything inside of it."""
    for key, value in o.items() if isinstance(o, dict) else enumerate(o) if isinstance(o, list) else ():
        yield (*path, key)
        yield from places(value, (*path, key))


def text(path):
    return ".".join(map(str, path))


# --- kinds ---

class Kind:
    """A CRD and a good object of it."""

    def __init__(self, crd, example):
        self.crd, self.example = crd, example
        self.group, self.kind = crd["spec"]["group"], crd["spec"]["names"]["kind"]
        self.namespaced = crd["spec"]["scope"] == "Namespaced"
        self.version = [v for v in crd["spec"]["versions"] if v["served"]][0]
        self.schema = self.version["schema"]["openAPIV3Schema"]
        base = f"/apis/{self.group}/{self.version['name']}"
        self.path = base + ("/namespaces/default" if self.namespaced else "") + "/" + crd["spec"]["names"]["plural"]
        self.name = f"{crd['metadata']['name']}"


def sample(schema, depth=0):
    """A value that the schema takes, with all that it asks for and some of what it does not."""
    if "default" in schema:
        return schema["default"]
    if "enum" in schema:
        return schema["enum"][0]
    kind = schema.get("type")
    if kind == "object":
        if "additionalProperties" in schema:
            return {"k": sample(schema["additionalProperties"], depth + 1)}
        wanted = [k for i, k in enumerate(schema.get("properties", {})) if k in schema.get("required", ()) or (i < 4 and depth < 4)]
        return {k: sample(schema["properties"][k], depth + 1) for k in wanted}
    if kind == "array":
        return [sample(schema["items"], depth + 1)]
    return {"string": "text", "integer": 3, "number": 1.5, "boolean": True}.get(kind, {"any": ["thing", 1, None]})


def choose(files, n):
    files = [f for f in files if os.path.getsize(f) <= LARGEST]
    chosen = [max(files, key=lambda f: (os.path.getsize(f), f))] if files else []
    for feature in FEATURES:
        found = [f for f in files if f not in chosen and re.search(feature, open(f, encoding="utf-8").read(), re.M)]
        chosen += found[:1] if len(chosen) < n else []
    return sorted(chosen)


def generate(folder, name, *args):
    out = os.path.join(folder, "out-" + name)
    done = terrane("generate", *args, "-o", out, "-q", timeout=600)
    assert done.returncode == 0, done.stderr
    return out


def generated_kinds(folder):
    """Kinds of several providers, with the examples that were generated beside them."""
    sets = [("x", generate(folder, "x", "--schema", *small_provider.write(folder)[:1], "--config", os.path.join(folder, "x.yaml")), 4)]
    for name, n in KINDS.items():
        schema, config = data.provider_set(name, os.path.join(folder, name))
        sets.append((name, generate(folder, name, "--schema", schema, "--config", config), n))
    for name, out, n in sets:
        files = sorted(glob.glob(os.path.join(out, "crds", "*.yaml")))
        for file in files if name == "x" else choose(files, n):
            crd = data.documents(open(file, encoding="utf-8").read())[0]
            beside = os.path.join(out, "examples", os.path.basename(file))
            if os.path.exists(beside):
                found = [d for d in data.documents(open(beside, encoding="utf-8").read()) if d["kind"] == crd["spec"]["names"]["kind"]]
                yield Kind(crd, plain(found[0]))


def plain(example):
    """In a namespace that is there."""
    if "namespace" in example["metadata"]:
        example["metadata"]["namespace"] = "default"
    return example


def keyword_kind():
    """A kind with the keywords that generated ones lack."""
    part = {"type": "object", "properties": {
        "low": {"type": "integer", "minimum": 2, "maximum": 5}, "open": {"type": "number", "minimum": 0, "exclusiveMinimum": True, "maximum": 1,
                                                                        "exclusiveMaximum": True},
        "even": {"type": "integer", "multipleOf": 2}, "half": {"type": "number", "multipleOf": 0.5}, "odd": {"type": "number", "minimum": 1.5},
        "word": {"type": "string", "minLength": 2, "maxLength": 4, "pattern": "^[a-zü]+$"}, "few": {"type": "array", "minItems": 1, "maxItems": 2,
                                                                                              "items": {"type": "string"}},
        "members": {"type": "object", "minProperties": 1, "maxProperties": 2, "additionalProperties": {"type": "integer"}},
        "port": {"x-kubernetes-int-or-string": True}, "maybe": {"type": "string", "nullable": True},
        "filled": {"type": "string", "default": "d"}, "deep": {"type": "object", "default": {}, "properties": {
            "a": {"type": "string", "default": "b"}, "n": {"type": "integer", "nullable": True, "default": 7}}},
        "date": {"type": "string", "format": "date"}, "time": {"type": "string", "format": "date-time"}, "ip": {"type": "string", "format": "ipv4"},
        "ip6": {"type": "string", "format": "ipv6"}, "net": {"type": "string", "format": "cidr"}, "id": {"type": "string", "format": "uuid"},
        "id4": {"type": "string", "format": "uuid4"}, "bytes": {"type": "string", "format": "byte"}, "i32": {"type": "integer", "format": "int32"},
        "any": {"x-kubernetes-preserve-unknown-fields": True},
        "half_known": {"type": "object", "x-kubernetes-preserve-unknown-fields": True, "properties": {"known": {"type": "object", "properties": {
            "a": {"type": "string"}}}}},
        "choice": {"type": "object", "properties": {"a": {"type": "string"}, "b": {"type": "string"}, "c": {"type": "string"}},
                   "oneOf": [{"required": ["a"]}, {"required": ["b"]}], "not": {"required": ["c"]}},
        "some": {"type": "object", "properties": {"a": {"type": "integer"}, "b": {"type": "integer"}},
                 "anyOf": [{"required": ["a"], "properties": {"a": {"minimum": 3}}}, {"required": ["b"]}]},
        "set": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "number"}},
        "keyed": {"type": "array", "maxItems": 9, "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k", "l"],
                  "items": {"type": "object", "required": ["k"], "properties": {
                      "k": {"type": "string"}, "l": {"type": "integer", "default": 1}, "v": {"type": "string", "maxLength": 9, "x-kubernetes-validations": [
                          {"rule": "self == oldSelf", "message": "fixed"}]}}}},
        "objects": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "object", "x-kubernetes-map-type": "atomic", "properties": {
            "a": {"type": "integer"}, "b": {"type": "string"}}}},
        "nested": {"type": "array", "items": {"type": "array", "items": {"type": "object", "properties": {"x": {"type": "boolean"}}}}},
        "fixed": {"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "string", "maxLength": 9}, "maxItems": 9,
                  "x-kubernetes-validations": [{"rule": "self == oldSelf", "message": "fixed"}]},
        "cel": {"type": "object", "properties": {
            "n": {"type": "integer"}, "m": {"type": "integer"}, "s": {"type": "string", "maxLength": 20}, "namespace": {"type": "string"},
            "a-b": {"type": "string"}, "l": {"type": "array", "maxItems": 5, "items": {"type": "string", "maxLength": 9}}, "f": {"type": "number"},
            "t": {"type": "object", "maxProperties": 5, "additionalProperties": {"type": "string", "maxLength": 9}}},
            "x-kubernetes-validations": [
                {"rule": "!has(self.n) || !has(self.m) || self.n <= self.m", "message": "order"},
                {"rule": "!has(self.s) || self.s.startsWith('a') && self.s.size() < 5 || self.s.matches('^b+$')", "message": "text"},
                {"rule": "!has(self.l) || self.l.all(x, x.contains('a')) && (size(self.l) < 3 || self.l.exists_one(x, x == 'a'))", "message": "list"},
                {"rule": "!has(self.t) || self.t.all(k, k != 'bad' && self.t[k] != \"x\") && !('no' in self.t)", "message": "map"},
                {"rule": "!has(self.__namespace__) || self.__namespace__ in ['a', 'b']", "message": "reserved"},
                {"rule": "!has(self.a__dash__b) || self.a__dash__b.endsWith('z')", "message": "escaped"},
                {"rule": "!has(self.n) || !has(self.f) || self.n == 0 || 10 / self.n >= 1 || self.f * 2.0 > 3.0", "message": "sum"},
                {"rule": "!has(self.m) || self.m != 9 || self.l[0] == 'a'", "message": "index"},
                {"rule": "!has(self.m) || 100 % self.m >= 0", "message": "rest"},
                {"rule": "has(self.n) ? self.n < 100 : true", "message": "field", "fieldPath": ".n"},
                {"rule": "!has(self.n) || self.n >= oldSelf.n", "message": "grows"}]}}}
    return {"apiVersion": "apiextensions.k8s.io/v1", "kind": "CustomResourceDefinition", "metadata": {"name": "keywords.tests.example.org"},
            "spec": {"group": "tests.example.org", "scope": "Cluster", "names": {"kind": "Keyword", "plural": "keywords", "singular": "keyword"},
                     "versions": [{"name": "v1", "served": True, "storage": True, "schema": {"openAPIV3Schema": {
                         "type": "object", "properties": {"spec": part, "metadata": {"type": "object", "properties": {
                             "name": {"type": "string", "maxLength": 20}}}}}}}]}}


VALUES = {
    "low": [1, 2, 5, 6, 2.0, 2.5, 1e30, -1, 10 ** 18, 9223372036854775807, 9223372036854775808, 1.0000000001], "open": [0, 0.5, 1, 0.999, 5],
    "even": [1, 2, 0, -3], "half": [0.5, 0.25, 2, 1.0], "odd": [1, 1.4, 1.5, 2], "word": ["a", "ab", "abcd", "abcde", "AB", "üü", "üüüü", ""],
    "few": [[], ["a"], ["a", "b", "c"]], "members": [{}, {"a": 1}, {"a": 1, "b": 2, "c": 3}, {"a": "x"}, {"a": None}],
    "port": [80, "80", 1.5, True, None, [], 80.0], "maybe": [None, "x", 1], "filled": [None, "x", 1], "deep": [None, {}, {"n": None}, {"a": None}, []],
    "date": ["2020-02-29", "2021-02-29", "2020-13-01", "20200101", "x"], "ip": ["1.2.3.4", "1.2.3", "::1", "1.2.3.256"],
    "time": ["2020-01-01T00:00:00Z", "2020-01-01T00:00:00.123+01:00", "2020-01-01", "2020-01-01T25:00:00Z", "2020-01-01 00:00:00Z", "2020-01-01T00:00:00"],
    "ip6": ["::1", "1.2.3.4", "fe80::g"], "net": ["10.0.0.0/8", "10.0.0.0", "10.0.0.0/33", "::/0"],
    "id": ["123e4567-e89b-12d3-a456-426614174000", "123e4567e89b12d3a456426614174000", "123e4567", "123E4567-E89B-12D3-A456-426614174000"],
    "id4": ["123e4567-e89b-42d3-a456-426614174000", "123e4567-e89b-12d3-a456-426614174000"], "bytes": ["aGk=", "aGk", "%%", ""],
    "i32": [1, 2 ** 40], "any": [1, None, {"a": None}, [1, "x"]],
    "half_known": [{"x": {"y": None}}, {"known": {"a": "b", "c": 1}}, {"known": None, "x": None}, {"known": {"a": 1}}],
    "choice": [{}, {"a": "x"}, {"b": "x"}, {"a": "x", "b": "y"}, {"a": "x", "c": "y"}], "some": [{}, {"a": 1}, {"a": 3}, {"b": 1}, {"a": 1, "b": 1}],
    "set": [[1, 2], [1, 1], [1, 1.5, 1.5, 1.5], [1, "1"], [2, 1, 2, 1]],
    "keyed": [[{"k": "a"}, {"k": "b"}], [{"k": "a"}, {"k": "a"}], [{"k": "a", "l": 2}, {"k": "a"}], [{"k": "a", "l": 1}, {"k": "a"}], [{"l": 1}], ["a"],
              [None]],
    "objects": [[{"a": 1, "b": "x"}, {"b": "x", "a": 1}], [{"a": 1}, {"a": 2}, {}], [{}, {}], [{"a": 1}, {"a": None}, {"c": 1}]],
    "nested": [[[{"x": True}]], [[{"x": 1, "y": 2}], []], [{"x": True}], [[None]]],
    "cel": [{"n": 1, "m": 2}, {"n": 3, "m": 2}, {"s": "abc"}, {"s": "abcdef"}, {"s": "bbbbbb"}, {"s": "bc"}, {"l": ["a", "ba"]}, {"l": ["a", "b"]},
            {"l": ["a", "ba", "ca"]}, {"l": ["xa", "ba", "ca"]}, {"l": []}, {"t": {"k": "v"}}, {"t": {"bad": "v"}}, {"t": {"k": "x"}}, {"t": {"no": "v"}},
            {"namespace": "a"}, {"namespace": "c"}, {"a-b": "z"}, {"a-b": "y"}, {"n": 0, "f": 1.0}, {"n": 20, "f": 1.0}, {"n": 20, "f": 2.0}, {"m": 9},
            {"m": 9, "l": ["a"]}, {"m": 9, "l": ["ba"]}, {"m": 9, "l": []}, {"m": 0}, {"n": 100}, {"n": "1"}, {"l": [1]}, {"n": 5, "m": 1, "s": "x"}],
}


# --- cases ---

def envelope_cases(kind):
    """What every object has."""
    good = kind.example
    for i, name in enumerate(NAMES):
        yield f"name/{i}", changed(good, ("metadata", "name"), name)
    for i, labels in enumerate(LABELS):
        yield f"labels/{i}", changed(good, ("metadata", "labels"), labels)
        yield f"annotations/{i}", changed(good, ("metadata", "annotations"), labels)
    for i, finalizers in enumerate((["a"], ["example.org/a"], ["a b"], [""], ["orphan", "foregroundDeletion"], "a", [1], None)):
        yield f"finalizers/{i}", changed(good, ("metadata", "finalizers"), finalizers)
    owner = {"apiVersion": "v1", "kind": "Secret", "name": "a", "uid": "u"}
    owners = [[owner], [{}], [{**owner, "uid": ""}], [{**owner, "controller": True}, {**owner, "uid": "v", "controller": True}], [{**owner, "odd": 1}], [1], {}, [{**owner, "controller": "x"}]]
    for i, value in enumerate(owners):
        yield f"owners/{i}", changed(good, ("metadata", "ownerReferences"), value)
    for i, value in enumerate((None, "2020-01-01T00:00:00Z", "x", 1)):
        yield f"created/{i}", changed(good, ("metadata", "creationTimestamp"), value)
    for i, value in enumerate(("prefix-", "Prefix-", "a.", None, 1)):
        yield f"generated/{i}", changed(without(good, ("metadata", "name")), ("metadata", "generateName"), value)
    for key in ("metadata", "apiVersion", "kind", "spec"):
        yield f"missing/{key}", without(good, (key,))
        for i, value in enumerate((None, "x", 1, [], {})):
            yield f"wrong/{key}/{i}", changed(good, (key,), value)
    yield "unknown/metadata", changed(good, ("metadata", "odd"), 1)
    yield "unknown/top", changed(good, ("odd",), {"a": 1})
    yield "namespace/other", changed(good, ("metadata", "namespace"), "" if kind.namespaced else "default")
    yield "status", changed(good, ("status",), {"atProvider": 1, "odd": 2})


def value_cases(kind):
    """Every value of the example as another type, taken away, or with an unknown one beside it."""
    good = kind.example
    at = [p for p in places(good["spec"], ("spec",))]
    if len(at) > 40:
        at = at[:20] + at[20::max(1, len(at) // 20)]
    for path in at:
        for i, value in enumerate(WRONG):
            yield f"value/{text(path)}/{i}", changed(good, path, value)
        yield f"without/{text(path)}", without(good, path)
        value = get(good, path)
        if isinstance(value, dict):
            yield f"unknown/{text(path)}", changed(good, (*path, "unknownField"), "x")
        if isinstance(value, list) and value:
            yield f"twice/{text(path)}", changed(good, path, value + value[:1])


def field_cases(kind):
    """Fields that the example does not have: a value of the schema, and one of another type."""
    for tree in ("forProvider", "initProvider"):
        fields = kind.schema["properties"].get("spec", {}).get("properties", {}).get(tree, {}).get("properties", {})
        good = kind.example if tree in kind.example["spec"] else changed(kind.example, ("spec", tree), {})
        for i, (name, schema) in enumerate(sorted(fields.items())):
            if i >= 30:
                break
            value = sample(schema)
            with_it = changed(good, ("spec", tree, name), value)
            yield f"field/{tree}.{name}", with_it
            yield f"field/{tree}.{name}/wrong", changed(good, ("spec", tree, name), WRONG[i % len(WRONG)])
            for path in itertools.islice(places(value, ("spec", tree, name)), 6):
                yield f"field/{text(path)}/inner", changed(with_it, path, WRONG[(i + 3) % len(WRONG)])
                if isinstance(get(with_it, path), dict):
                    yield f"field/{text(path)}/unknown", changed(with_it, (*path, "odd"), 1)
            if isinstance(value, list):
                yield f"field/{tree}.{name}/twice", changed(good, ("spec", tree, name), value + value)


def policy_cases(kind):
    """Every set of policies, with what they ask for in the one tree, in the other, in both, and nowhere."""
    spec = kind.schema["properties"].get("spec", {})
    if "managementPolicies" not in spec.get("properties", {}):
        return
    good = kind.example
    rules = [re.search(r"has\(self\.forProvider\.(\w+)\)", r["rule"]) for r in spec.get("x-kubernetes-validations", [])]
    names = [re.sub(r"^__(\w+)__$", r"\1", m[1]) for m in rules if m][:2]
    for name in names:
        value = get(good, ("spec", "forProvider")).get(name, "v")
        for n in range(len(POLICIES) + 1):
            for policies in itertools.combinations(POLICIES, n):
                base = changed(good, ("spec", "managementPolicies"), list(policies))
                base["spec"]["forProvider"].pop(name, None)
                label = f"policies/{name}/{'+'.join(policies)}"
                yield f"{label}/nowhere", base
                if n < 2:
                    yield f"{label}/empty", changed(base, ("spec", "initProvider"), {})
                    yield f"{label}/init", changed(base, ("spec", "initProvider"), {name: value})
                    yield f"{label}/for", changed(base, ("spec", "forProvider", name), value)
                    yield f"{label}/null", changed(base, ("spec", "forProvider", name), None)
    for i, policies in enumerate((["Destroy"], ["*", "*"], "*", [None], None, [1], ["observe"], [[]])):
        yield f"policies/odd/{i}", changed(good, ("spec", "managementPolicies"), policies)


def keyword_cases(kind):
    for name, values in VALUES.items():
        for i, value in enumerate(values):
            yield f"{name}/{i}", changed(kind.example, ("spec", name), value)
        has_format = "format" in kind.schema["properties"]["spec"]["properties"][name]
        for i, value in enumerate(WRONG):
            if has_format and isinstance(value, list):
                continue        # the server takes a list for a text with a format
            yield f"{name}/wrong/{i}", changed(kind.example, ("spec", name), value)


def cases(kind):
    """(name, object) of what is to be created."""
    yield "good", kind.example
    if kind.kind == "Keyword":
        yield from keyword_cases(kind)
        return
    yield from envelope_cases(kind)
    yield from value_cases(kind)
    yield from field_cases(kind)
    yield from policy_cases(kind)


def updates(kind):
    """(name, object before, object after): both are good objects, but for what the change does."""
    good = kind.example
    if kind.kind == "Keyword":
        pairs = [("fixed", ["a", "b"], ["b", "a"]), ("fixed", ["a"], ["b"]), ("fixed", ["a"], ["a", "b"]), ("cel", {"n": 1}, {"n": 2}), ("cel", {"n": 2}, {"n": 1}),
                 ("cel", {"n": 2}, {}), ("cel", {}, {"n": 2}), ("keyed", [{"k": "a", "v": "x"}, {"k": "b", "v": "y"}], [{"k": "b", "v": "y"}, {"k": "a", "v": "x"}]),
                 ("keyed", [{"k": "a", "v": "x"}], [{"k": "a", "v": "y"}]), ("keyed", [{"k": "a", "v": "x"}], [{"k": "a"}, {"k": "c", "v": "z"}]),
                 ("keyed", [{"k": "a", "v": "x"}], [{"k": "a", "l": 2, "v": "y"}]), ("low", 2, 9), ("low", 2, 3)]
        for i, (name, before, after) in enumerate(pairs):
            yield f"update/{name}/{i}", changed(good, ("spec", name), before), changed(good, ("spec", name), after)
        return
    fields = kind.schema["properties"].get("spec", {}).get("properties", {}).get("forProvider", {}).get("properties", {})
    fixed = [n for n, s in sorted(fields.items()) if "x-kubernetes-validations" in s][:3]
    for name in fixed:
        before = changed(good, ("spec", "forProvider", name), sample(fields[name]))
        yield f"update/{name}/same", before, before
        yield f"update/{name}/changed", before, changed(before, ("spec", "forProvider", name), "another" if fields[name].get("type") == "string" else None)
        yield f"update/{name}/gone", before, without(before, ("spec", "forProvider", name))
        yield f"update/{name}/new", good, before
    yield "update/nothing", good, good
    yield "update/label", good, changed(good, ("metadata", "labels"), {"a b": "c"})
    yield "update/policies", good, changed(good, ("spec", "managementPolicies"), ["Nothing"])
    yield "update/status", good, changed(good, ("status",), {"odd": 1})


def core_object(kind, name, **more):
    metadata = {"name": name} if kind == "Namespace" else {"name": name, "namespace": "default"}
    return {"apiVersion": "v1", "kind": kind, "metadata": metadata, **more}


def core_cases():
    """(name, object before or None, object): Secrets, ConfigMaps, Namespaces."""
    for kind, member, good in (("Secret", "data", "aGk="), ("Secret", "stringData", "hi"), ("ConfigMap", "data", "hi"), ("ConfigMap", "binaryData", "aGk=")):
        base = core_object(kind, "o", **{member: {"k": good}})
        yield f"{kind}/{member}/good", None, base
        for i, key in enumerate(("a", "A_b.c-d", ".a", "..a", "..", ".", "", "a/b", "a b", "x" * 253, "x" * 254, "ü")):
            yield f"{kind}/{member}/key/{i}", None, changed(base, (member,), {key: good})
        for i, value in enumerate(("", "%", "aGk", "a\nGk=", 1, True, {}, "aGVsbG8=")):
            yield f"{kind}/{member}/value/{i}", None, changed(base, (member, "k"), value)
        for i, value in enumerate(("x", [], 1, None, {})):
            yield f"{kind}/{member}/wrong/{i}", None, changed(base, (member,), value)
        yield f"{kind}/{member}/unknown", None, {**base, "odd": 1}
        yield f"{kind}/{member}/immutable", None, {**base, "immutable": True}
        yield f"{kind}/{member}/immutable/wrong", None, {**base, "immutable": "yes"}
        yield f"{kind}/{member}/large", None, changed(base, (member, "k"), "eHh4" * (370 << 10))
        for i, (before, after) in enumerate((({}, {member: {"k": ""}}), ({"immutable": True}, {"immutable": True, member: {"k": ""}}),
                                             ({"immutable": True}, {"immutable": False}), ({"immutable": True}, {"immutable": True}),
                                             ({"immutable": True}, {}), ({}, {"immutable": True}))):
            yield f"{kind}/{member}/update/{i}", {**base, **before}, {**base, **after}
    yield "Secret/both", None, core_object("Secret", "o", data={"a": "eA==", "b": "eQ=="}, stringData={"b": "z", "c": "w"})
    yield "ConfigMap/both", None, core_object("ConfigMap", "o", data={"a": "x"}, binaryData={"a": "eA=="})
    keys = {"kubernetes.io/dockercfg": [".dockercfg"], "kubernetes.io/dockerconfigjson": [".dockerconfigjson"], "kubernetes.io/ssh-auth": ["ssh-privatekey"],
            "kubernetes.io/basic-auth": ["username", "password"], "kubernetes.io/tls": ["tls.crt", "tls.key"], "example.org/own": ["x"], "Opaque": [],
            "kubernetes.io/service-account-token": []}
    for kind, names in keys.items():
        yield f"Secret/type/{kind}/without", None, core_object("Secret", "o", type=kind)
        for content in ("{}", "text", "[]"):
            yield f"Secret/type/{kind}/{content}", None, core_object("Secret", "o", type=kind, stringData={n: content for n in names})
        yield f"Secret/type/{kind}/one", None, core_object("Secret", "o", type=kind, stringData={n: "{}" for n in names[:1]})
    yield "Secret/type/update", core_object("Secret", "o", type="a/b"), core_object("Secret", "o", type="a/c")
    yield "Secret/type/wrong", None, core_object("Secret", "o", type=1)
    for kind in ("Secret", "ConfigMap", "Namespace"):
        for i, name in enumerate(NAMES):
            yield f"{kind}/name/{i}", None, changed(core_object(kind, "o"), ("metadata", "name"), name)
        for i, labels in enumerate(LABELS):
            yield f"{kind}/labels/{i}", None, changed(core_object(kind, "o"), ("metadata", "labels"), labels)
    yield "Namespace/namespace", None, changed(core_object("Namespace", "o"), ("metadata", "namespace"), "default")
    yield "Namespace/spec", None, core_object("Namespace", "o", spec={"odd": 1})
    yield "Namespace/dots", None, core_object("Namespace", "a.b")


# --- answers ---

def canonical(o):
    """Whole numbers are the same with and without a fraction."""
    if isinstance(o, dict):
        return {k: canonical(v) for k, v in sorted(o.items())}
    if isinstance(o, list):
        return [canonical(v) for v in o]
    return int(o) if isinstance(o, float) and o.is_integer() else o


def stored(o):
    """An object without what only a store knows."""
    o = copy.deepcopy(o)
    for key in ("uid", "resourceVersion", "generation", "creationTimestamp", "managedFields", "selfLink", "deletionTimestamp"):
        o["metadata"].pop(key, None)
    if "generateName" in o["metadata"]:
        o["metadata"].pop("name", None)
    if o["kind"] == "Namespace":
        o.pop("spec", None), o.pop("status", None)      # the controller of namespaces lives by these
        if "generateName" in o["metadata"]:
            o["metadata"].pop("labels", None)
    return canonical(o)


def digest(o):
    return hashlib.sha256(json.dumps(o, sort_keys=True, separators=(",", ":")).encode()).hexdigest()[:16]


SHORT = re.compile(r"^(metadata\.(labels|annotations|finalizers|ownerReferences)).*$")


def field(path):
    """As both name it: the server puts keys into brackets or not, and has one field for all labels."""
    return SHORT.sub(r"\1", re.sub(r"\[([^\]]*)\]", r".\1", path))


class Ours:
    def __init__(self):
        self.process = subprocess.Popen([DRIVE], stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)

    def ask(self, **request):
        self.process.stdin.write(json.dumps(request, separators=(",", ":")) + "\n")
        self.process.stdin.flush()
        return json.loads(self.process.stdout.readline())

    def install(self, kind):
        answer = self.ask(crd=kind.crd)
        assert answer["ok"], answer["said"]

    def judge(self, kind, old, o, strict):
        """The answer, and what it said."""
        answer = self.ask(object=o, old=old, strict=strict, namespace="default", group=kind.group if kind else "", kind=kind.kind if kind else "")
        if answer["ok"]:
            return {"ok": digest(stored(answer["object"]))}, answer
        paths = {field(".".join(map(str, s["path"]))) for s in answer["said"] if s["error"]}
        return {"wrong": sorted(paths)}, answer

    def close(self):
        self.process.stdin.close()
        assert self.process.wait(60) == 0


class Theirs:
    def __init__(self, client):
        self.client = client

    def install(self, kind):
        status, answer = self.client.request("POST", CRDS, kind.crd)
        assert status == 201, answer
        until = time.monotonic() + 120
        while self.client.request("GET", kind.path)[0] != 200:
            assert time.monotonic() < until, f"{kind.name} is not served"
            time.sleep(0.1)

    def path(self, kind, o):
        if kind:
            return kind.path
        plural = {"Secret": "secrets", "ConfigMap": "configmaps", "Namespace": "namespaces"}[o["kind"]]
        return f"/api/v1/{plural}" if o["kind"] == "Namespace" else f"/api/v1/namespaces/default/{plural}"

    def before(self, kind, o):
        """Stores it: the object as it is then. Its name is free afterwards (see after)."""
        status, answer = self.client.request("POST", self.path(kind, o), o)
        assert status == 201, answer
        return answer

    def after(self, kind, o):
        status, answer = self.client.request("DELETE", f"{self.path(kind, o)}/{o['metadata']['name']}")
        assert status == 200, answer

    def judge(self, kind, old, o, strict):
        query = "?dryRun=All&fieldValidation=" + ("Strict" if strict else "Ignore")
        if old:
            o = copy.deepcopy(o)
            o["metadata"]["resourceVersion"] = old["metadata"]["resourceVersion"]
            status, answer = self.client.request("PUT", f"{self.path(kind, o)}/{o['metadata']['name']}{query}", o)
        else:
            status, answer = self.client.request("POST", self.path(kind, o) + query, o)
        if status in (200, 201):
            return {"ok": digest(stored(answer))}, answer
        assert status in (400, 422, 500), (status, answer)
        causes = answer.get("details", {}).get("causes", []) if status == 422 else []
        # What is said of no field is said of the whole, beside what is wrong with a part.
        paths = {field(c.get("field") or "") for c in causes} - {"", ".", "<nil>"}
        # Made by the server of what was wrong already.
        if "metadata.generateName" in paths:
            paths.discard("metadata.name")
        if o.get("kind") == "Namespace" and "metadata.name" in paths:
            paths.discard("metadata.labels")
        return ({"wrong": sorted(paths)} if paths else {"wrong": None}), answer


def differ(ours, theirs):
    """Where the server names no field, it is enough that both refuse."""
    if "ok" in ours or "ok" in theirs:
        return ours != theirs
    return theirs["wrong"] is not None and ours != theirs


def key(name, kind, old, o, strict):
    """Of a recorded answer: another schema or object is another question."""
    schema = json.dumps(kind.schema if kind else None, sort_keys=True)
    schema = re.sub(r'"description": "(?:[^"\\]|\\.)*",? ?', "", schema)
    return f"{kind.name if kind else 'core'}/{name}{'/strict' if strict else ''}#{digest([schema, old, o])[:8]}"
