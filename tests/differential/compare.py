"""
Two transcripts of one case, compared. A difference is a line of text: where, what the reference has, what the engine has.

Not compared: handles and plan strings. Compared without order: sets where the schema says set, replace_paths,
sensitive_attributes, diagnostics. Everything else must be equal, except for what rules.py forgives.
"""
import json
import os

MISSING = object()
PLAN_BEFORE = ("before", "before_sensitive")
PLAN_AFTER = ("after", "after_unknown", "after_sensitive")
UNORDERED = {"replace_paths", "sensitive_attributes"}
IGNORED = {"plan", "provider", "handle"}


# ---------------------------------------------------------------- schemas, as `providers schema -json` has them
def inside(node, step):
    """What a step leads to: a block, a type like ["map", T], or None where the schema says nothing."""
    if isinstance(node, list):
        if node[0] == "object":
            return node[1].get(step)
        if node[0] == "tuple":
            return node[1][step] if isinstance(step, int) and step < len(node[1]) else None
        return node[1]
    if not isinstance(node, dict):
        return None
    if step in node.get("attributes", {}):
        attribute = node["attributes"][step]
        return attribute["type"] if "type" in attribute else nested(attribute["nested_type"], attribute["nested_type"])
    block = node.get("block_types", {}).get(step)
    return nested(block, block["block"]) if block else None


def nested(holder, inner):
    mode = holder.get("nesting_mode")
    return [mode, inner] if mode in ("list", "set", "map") else inner


def is_set(node):
    return isinstance(node, list) and node[0] == "set"


# ---------------------------------------------------------------- sets in parallel trees
class Set(list):
    """Its elements are in no order. Each is a list: the value, and what the parallel trees say about it."""


def woven(node, trees):
    """
    The trees (a value, then its marks in the same shape) with each set of the value made a Set, into whose elements the marks
    of the other trees have moved: they belong to an element, whatever place it has.
    """
    value, *marks = trees
    if isinstance(value, list) and is_set(node):
        elements = Set(woven(inside(node, i), [v, *(at(m, i) for m in marks)]) for i, v in enumerate(value))
        return [elements, *("per element" if isinstance(m, list) else m for m in marks)]
    if not isinstance(value, (dict, list)):
        return trees
    out = [type(value)(value), *(type(m)(m) if isinstance(m, (dict, list)) else m for m in marks)]
    for step in value if isinstance(value, dict) else range(len(value)):
        parts = woven(inside(node, step), [at(t, step) for t in trees])
        for tree, part in zip(out, parts):
            if isinstance(tree, (dict, list)) and part is not MISSING:
                tree[step] = part
    return out


def at(tree, step):
    if isinstance(tree, dict):
        return tree.get(step, MISSING)
    if isinstance(tree, list) and isinstance(step, int):
        return tree[step] if step < len(tree) else MISSING
    return MISSING


# ---------------------------------------------------------------- the comparison
def text(value):
    if value is MISSING:
        return "nothing"
    out = json.dumps(value, ensure_ascii=False, default=str, sort_keys=True)
    return out if len(out) <= 300 else out[:300] + "..."


def near_difference(a, b):
    """Long texts cut down to where they part."""
    start = max(0, len(os.path.commonprefix([a, b])) - 40)
    return [("..." if start else "") + t[start:start + 200] for t in (a, b)]


class Comparison:
    """`schema` is one entry of provider_schemas; `rules` (rules.py) may translate both sides and know invented values."""

    def __init__(self, schema, rules):
        self.schema, self.rules, self.found = schema, rules, []
        self.place = None       # the member of a result or a state that is being compared: rules depend on it

    def transcripts(self, reference, engine):
        """A list of (step, differences), for the steps that have some."""
        out = []
        for a, b in zip(reference, engine):
            found = self.entry(a, b)
            if found:
                out.append((a["step"], found))
        if len(reference) != len(engine):
            out.append(("", [f"calls: reference {len(reference)}, engine {len(engine)}"]))
        return out

    def entry(self, a, b):
        self.found, self.place = [], None
        a, b = self.rules.entry(a, b)
        kinds = [next((k for k in ("result", "error", "skipped") if k in e), "nothing") for e in (a, b)]
        if kinds[0] != kinds[1]:
            self.differ("", *({k: e[k]} for k, e in zip(kinds, (a, b))))
        elif kinds[0] == "error":
            self.values("error.code", None, a["error"]["code"], b["error"]["code"])
        elif kinds[0] == "result":
            self.result(a, a["result"], b["result"])
        return self.found

    def result(self, entry, a, b):
        data = entry["method"] == "data.read"
        node = self.schema.get("data_source_schemas" if data else "resource_schemas", {}).get(entry.get("type"), {}).get("block")
        a, b = dict(a), dict(b)
        if entry["method"] == "provider.schema":
            return self.values("", None, a, b)
        for member in IGNORED & (set(a) | set(b)):
            self.values(member + " is there", None, a.pop(member, None) is not None, b.pop(member, None) is not None)
        if entry["method"] == "resource.plan":
            self.parallel(PLAN_BEFORE, node, a, b)
            self.parallel(PLAN_AFTER, node, a, b)
        for member in sorted(set(a) | set(b)):
            self.member(member, node, a.get(member, MISSING), b.get(member, MISSING))

    def parallel(self, members, node, a, b):
        a, b = (woven(node, [side.pop(m, MISSING) for m in members]) for side in (a, b))
        for member, x, y in zip(members, a, b):
            self.place = member
            self.values(member, node, x, y)

    def member(self, member, node, a, b):
        self.place = member
        if member == "diagnostics" and isinstance(a, list) and isinstance(b, list):
            # The reference tells each once, since a plan of the CLI validates twice. How often is compared by tests/scenario/resource.
            self.unordered(member, None, a, [d for i, d in enumerate(b) if d not in b[:i]])
        elif member in ("state", "refreshed"):
            self.state(member, node, a, b)
        elif member == "imported" and isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            for i, (x, y) in enumerate(zip(a, b)):
                self.values(f"imported[{i}].type", None, x["type"], y["type"])
                self.state(f"imported[{i}].state", node, x["state"], y["state"])
        elif member in UNORDERED and isinstance(a, list) and isinstance(b, list):
            self.unordered(member, None, a, b)
        else:
            self.values(member, node if member == "value" else None, a, b)

    def state(self, where, node, a, b):
        if not isinstance(a, dict) or not isinstance(b, dict):
            return self.values(where, None, a, b)
        for member in sorted(set(a) | set(b)):
            x, y = a.get(member, MISSING), b.get(member, MISSING)
            self.place = member
            if member in UNORDERED and isinstance(x, list) and isinstance(y, list):
                self.unordered(f"{where}.{member}", None, x, y)
            else:
                self.values(f"{where}.{member}", node if member == "attributes" else None, x, y)

    def values(self, where, node, a, b):
        if isinstance(a, dict) and isinstance(b, dict):
            for key in sorted(set(a) | set(b)):
                self.values(f"{where}.{key}", inside(node, key), a.get(key, MISSING), b.get(key, MISSING))
        elif isinstance(a, list) and isinstance(b, list) and (isinstance(a, Set) or is_set(node)):
            self.unordered(where, inside(node, 0), a, b)
        elif isinstance(a, list) and isinstance(b, list) and len(a) == len(b):
            for i, (x, y) in enumerate(zip(a, b)):
                self.values(f"{where}[{i}]", inside(node, i), x, y)
        elif not self.rules.same(a, b, self.place):
            self.differ(where, a, b)

    def unordered(self, where, node, a, b):
        """Each element of one side needs one of the other; what is left over differs."""
        left = list(b)
        alone = []
        for x in a:
            match = next((i for i, y in enumerate(left) if self.equal(node, x, y)), None)
            if match is None:
                alone.append(x)
            else:
                left.pop(match)
        if len(alone) == 1 and len(left) == 1 and isinstance(alone[0], (dict, list)):
            return self.values(f"{where}[*]", node, alone[0], left[0])
        for x in alone:
            self.differ(f"{where}[*]", x, MISSING)
        for y in left:
            self.differ(f"{where}[*]", MISSING, y)

    def equal(self, node, a, b):
        """An attempt: invented values that it pairs are kept only if it succeeds."""
        saved, self.found = self.found, []
        kept = self.rules.save()
        self.values("", node, a, b)
        good, self.found = not self.found, saved
        if not good:
            self.rules.restore(kept)
        return good

    def differ(self, where, a, b):
        if isinstance(a, str) and isinstance(b, str):
            a, b = near_difference(a, b)
        self.found.append(f"{where.lstrip('.') or 'answer'}: reference {text(a)}, engine {text(b)}")
