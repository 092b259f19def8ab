"""Compares generated CRDs with those that Upjet made of the same provider, node by node.

    kinds, found = compare("tests/data/crossplane/gitea", "out/crds")

Compared is, for every kind of kinds.tsv, the version named there: each property of spec.forProvider, spec.initProvider and
status.atProvider (type, format, list and map types, default, enum), the required properties of every object, the rules of spec,
and all names. Not compared: descriptions, and the frame around those three trees, which depends on the release of the runtime library.
"""
import csv
import json
import os
import tarfile

import data

SIGNATURE = ("type", "format", "default", "enum", "x-kubernetes-list-type", "x-kubernetes-list-map-keys", "x-kubernetes-map-type",
             "x-kubernetes-preserve-unknown-fields", "x-kubernetes-int-or-string")
TREES = (("spec", "forProvider"), ("spec", "initProvider"), ("status", "atProvider"))


# ---------------------------------------------------------------- input
def read_generated(folder):
    """CRDs by (group, kind)."""
    found = {}
    for name in sorted(os.listdir(folder)):
        with open(os.path.join(folder, name), encoding="utf-8") as f:
            for crd in data.documents(f):
                key = crd["spec"]["group"], crd["spec"]["names"]["kind"]
                assert key not in found, f"{key} is written twice"
                found[key] = crd
    return found


def read_expected(folder):
    """CRDs by the name of their file, the rows of kinds.tsv, and the settings of the set."""
    with tarfile.open(os.path.join(folder, "crds.tar.xz")) as tar:
        crds = {m.name: json.load(tar.extractfile(m)) for m in tar}
    with open(os.path.join(folder, "kinds.tsv"), encoding="utf-8", newline="") as f:
        rows = list(csv.DictReader(f, delimiter="\t", quoting=csv.QUOTE_NONE))
    with open(os.path.join(folder, "config.json"), encoding="utf-8") as f:
        return crds, rows, json.load(f)["settings"]


# ---------------------------------------------------------------- one version of a CRD, as a flat table
def version_of(crd, name):
    versions = crd["spec"]["versions"]
    return next((v for v in versions if v["name"] == name), versions[-1])


def names(crd, version):
    spec, own = crd["spec"], crd["spec"]["names"]
    others = sorted(v["name"] for v in spec["versions"] if v is not version)
    return {"group": spec["group"], "scope": spec["scope"], "metadata.name": crd["metadata"]["name"], "version": version["name"],
            "other versions": others, "served": version["served"], "storage": version["storage"],
            "status subresource": "status" in version.get("subresources", {}),
            "printer columns": version.get("additionalPrinterColumns", []),
            **{key: own.get(key) for key in ("kind", "listKind", "plural", "singular")}, "categories": own.get("categories", [])}


def children(node):
    for name, below in node.get("properties", {}).items():
        yield "." + name, below
    for key, step in (("items", "[]"), ("additionalProperties", "{}")):
        if isinstance(node.get(key), dict):
            yield step, node[key]


def flatten(node, place, integers, out):
    """Adds a line for the required properties of the node, and one for the signature of every node below."""
    if node.get("required"):
        out[place + " required"] = sorted(node["required"])
    for step, below in children(node):
        signature = {key: below[key] for key in SIGNATURE if key in below}
        if integers and signature.get("type") == "integer":
            signature.pop("format", None)
            signature["type"] = "number"
        out[place + step] = signature
        flatten(below, place + step, integers, out)


def flat(crd, version_name, integers):
    """`integers`: those of the set come from Go code, so an integer counts as a number."""
    version = version_of(crd, version_name)
    parts = version["schema"]["openAPIV3Schema"]["properties"]
    out = dict(names(crd, version))
    for part, tree in TREES:
        flatten(parts.get(part, {}).get("properties", {}).get(tree, {}), f"{part}.{tree}", integers, out)
    for rule in parts.get("spec", {}).get("x-kubernetes-validations", []):
        out["rule " + " ".join(rule["rule"].split())] = rule.get("message", "")
    return out


# ---------------------------------------------------------------- the comparison
def differences(got, expected):
    for place in sorted(set(got) | set(expected)):
        mine, theirs = got.get(place, "nothing"), expected.get(place, "nothing")
        if mine != theirs:
            yield f"{place}: got {str(mine)[:160]}, expected {str(theirs)[:160]}"


def compare(folder, generated):
    """How many kinds were compared, and a line for every difference."""
    crds, rows, settings = read_expected(folder)
    mine, integers, found = read_generated(generated), settings.get("integers", False), []
    for row in rows:
        kind = f"{row['group']}/{row['kind']}"
        crd = mine.get((row["group"], row["kind"]))
        if crd is None:
            found.append(f"{kind} is missing")
            continue
        both = (flat(c, row["version"], integers) for c in (crd, crds[row["file"]]))
        found += [f"{kind} {line}" for line in differences(*both)]
    return len(rows), found
