"""The cases: lives generated from the examples of our own providers, and the files under cases/ (README.md has their form)."""
import json
import os
import re

TOFU = re.compile(r"(legacy|modern5?)/.*_(identity|identity_mutable|server|subnet|blocks|sets|nested_\w+|sensitive|write_?only|upgrade|"
                  r"private|dynamic|raw_\w+|replace|partial|inconsistent|timeouts|planned)|unknown/.*|"
                  r"plans/.*")      # what is also compared with OpenTofu: what it does, not its words for what is wrong
HERE = os.path.dirname(os.path.abspath(__file__))
SLOW = {"aws"}      # to start: the reference answers many cases at once (batch.py), so each must be short
EXAMPLES = os.path.join(os.path.dirname(HERE), "peers", "examples")


class Case:
    """One provider configuration, a cloud, steps. `parts` are (title, numbers of the first and the last step)."""

    def __init__(self, group, name, provider, kind, settings, steps, parts=None):
        self.group, self.name, self.provider, self.type, self.settings = group, name, provider, kind, settings
        self.steps = steps
        self.parts = parts or [(name, 1, len(steps))]

    def identity(self):
        """All that its transcript depends on, besides the programs."""
        return [self.provider, self.type, self.settings, self.steps]

    def types(self):
        return {s.get("type", self.type) for s in self.steps if "call" in s}

    def configurations(self):
        return sum(1 for s in self.steps if s.get("config") is not None and not s.get("settled"))


def groups():
    """Names of groups: those of generated cases, and the folders under cases/."""
    own = sorted(n for n in os.listdir(os.path.join(HERE, "cases")) if os.path.isdir(os.path.join(HERE, "cases", n)))
    return ["legacy", "modern", "modern5", *own, "tofu"]


def load(group):
    if group == "tofu":
        return [c for g in groups()[:-1] for c in load(g) if c.provider not in SLOW and TOFU.fullmatch(f"{g}/{c.name}")]
    folder = os.path.join(HERE, "cases", group)
    if not os.path.isdir(folder):
        return examples(group)
    found = []
    for name in sorted(os.listdir(folder)):
        if name.endswith(".json"):
            with open(os.path.join(folder, name), encoding="utf-8") as f:
                found += from_file(group, name[:-5], json.load(f))
    return found


# ---------------------------------------------------------------- from files
def from_file(group, name, content):
    """A file's cases. Those of only a configuration or a call, which change nothing, share a provider and an empty cloud."""
    shared, cases = {}, []
    for item in content["cases"]:
        get = {**content, **item}.get
        title = f"{name}: {item['name']}"
        if "config" in item or "call" in item:
            key = json.dumps([get("provider"), get("settings"), title if get("provider") in SLOW else None])
            shared.setdefault(key, []).append((title, alone(item, get)))
        else:
            cases.append(Case(group, title, get("provider"), get("type"), get("settings") or {}, lived(item)))
    for key, items in shared.items():
        provider, settings, _ = json.loads(key)
        steps, parts = [], []
        for title, some in items:
            parts.append((title, len(steps) + 1, len(steps) + len(some)))
            steps += some
        cases.append(Case(group, name, provider, None, settings or {}, steps, parts))
    return cases


def alone(item, get):
    """The one call, or validate and plan with whatever else the case says about the plan; for a data source, a read."""
    rest = {k: v for k, v in item.items() if k not in ("name", "settings", "provider", "data")}
    rest["type"] = get("type")
    if "call" in item:
        return [rest]
    if get("data"):
        return [{"call": "data.read", **rest}]
    check = {k: v for k, v in rest.items() if k in ("type", "config", "config_unknown")}
    return [{"call": "validate", **check}, {"call": "plan", "if_valid": True, **rest}]


def lived(item):
    """`life` is a list of configurations, and of other steps between them; before it the objects it `needs`."""
    if "steps" in item:
        return item["steps"]
    steps, config = [], None
    for kind, objects in item.get("needs", {}).items():
        for name, needed in objects.items():
            steps += applied(needed, f"needs {name}", {"type": kind, "object": name})[:2]
    for part in item["life"]:
        if "config" in part:
            config = part["config"]
            steps += applied(config, part.get("note"), {k: v for k, v in part.items() if k not in ("config", "note")})
        else:
            steps.append(part)
    steps.append({"call": "refresh"})
    if "import" in item:
        steps += [{"call": "import", "id": item["import"], "keep": True},
                  {"call": "plan", "config": config, "note": "plan after import"}]
    return steps + destroyed()


def applied(config, note=None, more=None):
    about = {"note": note} if note else {}
    again = {k: v for k, v in (more or {}).items() if k in ("type", "object", "ignore_changes")}
    return [{"call": "plan", **about, "config": config, **(more or {})},
            {"call": "apply", **about, **{k: v for k, v in again.items() if k != "ignore_changes"}},
            {"call": "plan", "config": config, "settled": True, "note": f"plan after {note or 'apply'}", **again}]


def destroyed(**more):
    note = f"destroy {more.get('object', '')}".strip()
    return [{"call": "plan", "config": None, "note": f"plan {note}", **more}, {"call": "apply", "note": note, **more}]


# ---------------------------------------------------------------- from the examples of the peers
def examples(group):
    cases = []
    for name in sorted(os.listdir(EXAMPLES)):
        with open(os.path.join(EXAMPLES, name), encoding="utf-8") as f:
            text = f.read()
        example = json.loads(text)
        if group == "modern5" and example.get("also") == "modern5":
            example = {**json.loads(re.sub(r"\bmodern_", "modern5_", text)), "provider": "modern5"}
        if example["provider"] == group:
            cases.append(from_example(group, example))
    return cases


def from_example(group, example):
    """As tests/peers/check lives it, with every call of the contract that concerns it."""
    kind, steps, config = example["type"], [], None
    for other, objects in example.get("needs", {}).items():
        for name, needed in objects.items():
            steps += applied(needed, f"needs {name}", {"type": other, "object": name})[:2]
    for number, step in enumerate(example["configs"]):
        note = step["name"]
        if {"drift", "gone", "files"} & set(step):
            steps.append({k: step[k] for k in ("drift", "gone", "files") if k in step})
        wanted = step.get("config", config)
        if number == 0 or step["expect"] == "error":
            steps.append({"call": "validate", "note": f"validate {note}", "config": wanted})
        if step["expect"] == "error":
            steps.append({"call": "plan", "note": note, "config": wanted})
            continue
        config = wanted
        steps += applied(config, note)
    steps += [{"call": "refresh"}, {"call": "upgrade"}]
    if config is not None and "import" in example:
        steps += [{"call": "import", "id": example["import"]["id"], "keep": True},
                  {"call": "plan", "config": config, "note": "plan after import"}]
    return Case(group, kind, example["provider"], kind, example.get("settings", {}), steps + destroyed())
