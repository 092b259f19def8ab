"""What real terraform says of drift, and what Terrane says, in one form: {address: {attribute path: (before, after)}}."""
import json

MISSING = "missing"
HIDDEN = "hidden"


def steps(value):
    return [json.dumps(s) for s in value]


def differences(before, after, sensitive, at=()):
    """Places where two values differ: objects member by member, lists of one length item by item, all else as a whole."""
    if before == after:
        return {}
    if sensitive is True:
        return {at: HIDDEN}
    found = {}
    if isinstance(before, dict) and isinstance(after, dict):
        for key in sorted({*before, *after}):
            inner = sensitive.get(key, {}) if isinstance(sensitive, dict) else {}
            found.update(differences(before.get(key), after.get(key), inner, (*at, key)))
        return found
    return {at: (before, after)}


def top_level(found):
    """Which attributes differ: below them sets and lists are told apart by the schema, which plan JSON does not have."""
    return sorted({str(path[0]) for path in found})


def by_terraform(cli, folder, env, run_cli, timeout):
    """resource_drift of `plan -refresh-only`, as `show -json` has it."""
    run_cli(cli, folder, env, "plan", "-refresh-only", "-out=drift.plan", "-input=false", "-no-color", "-lock=false", timeout=timeout)
    plan = json.loads(run_cli(cli, folder, env, "show", "-json", "drift.plan", timeout=timeout).stdout)
    found = {}
    for r in plan.get("resource_drift", []):
        change = r["change"]
        if change["actions"] == ["delete"]:
            found[r["address"]] = MISSING
        else:
            secret = {**(change.get("after_sensitive") or {}), **(change.get("before_sensitive") or {})}
            found[r["address"]] = top_level(differences(change["before"], change["after"], secret))
    return found


def by_terrane(report):
    found = {o["address"]: MISSING for o in report["missing"]}
    for o in report["changed"]:
        found[o["address"]] = sorted({str(a["path"][0]) for a in o["attributes"]})
    return found
