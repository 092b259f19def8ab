"""Is a manifest one that the API server takes? The part of its checks that a CRD asks for by its schema.

Unknown fields, types, enums and required fields, as the API server has them with --validate=strict; and of the rules of spec the ones
that ask for a parameter.
"""
import re

REQUIRED = re.compile(r"^spec\.forProvider\.(\w+) is a required parameter$")
TYPES = {"string": str, "boolean": bool, "object": dict, "array": list}


def fits(kind, value):
    if kind in ("number", "integer"):
        return isinstance(value, (int, float) if kind == "number" else int) and not isinstance(value, bool)
    return isinstance(value, TYPES[kind])


def problems(schema, value, where):
    """What is wrong with the value, one text each."""
    if schema.get("x-kubernetes-preserve-unknown-fields") and "type" not in schema:
        return
    if not fits(schema["type"], value):
        yield f"{where}: {schema['type']} expected"
        return
    if "enum" in schema and value not in schema["enum"]:
        yield f"{where}: {value} is not one of {schema['enum']}"
    if isinstance(value, list):
        for i, item in enumerate(value):
            yield from problems(schema["items"], item, f"{where}[{i}]")
    if not isinstance(value, dict):
        return
    yield from (f"{where}.{name}: required" for name in schema.get("required", []) if name not in value)
    known, other = schema.get("properties", {}), schema.get("additionalProperties")
    for name, item in value.items():
        if name in known:
            yield from problems(known[name], item, f"{where}.{name}")
        elif other:
            yield from problems(other, item, f"{where}.{name}")
        elif (known or where != "metadata") and not schema.get("x-kubernetes-preserve-unknown-fields"):
            yield f"{where}.{name}: unknown field"


def rules(schema, spec):
    for rule in schema.get("x-kubernetes-validations", []):
        found = REQUIRED.match(rule["message"])
        if found and found[1] not in spec.get("forProvider", {}) and found[1] not in spec.get("initProvider", {}):
            yield rule["message"]


def check(crds, manifest):
    """`crds` by (group, kind)."""
    group, version = manifest["apiVersion"].split("/")
    crd = crds.get((group, manifest["kind"]))
    if not crd:
        return [f"no kind {group}/{manifest['kind']}"]
    served = [v for v in crd["spec"]["versions"] if v["name"] == version and v["served"]]
    if not served:
        return [f"{group}/{manifest['kind']} has no version {version}"]
    schema = served[0]["schema"]["openAPIV3Schema"]
    found = [p for key in manifest if key not in ("apiVersion", "kind", "metadata")
             for p in (problems(schema["properties"][key], manifest[key], key) if key in schema["properties"] else [f"{key}: unknown field"])]
    return found + list(rules(schema["properties"].get("spec", {}), manifest.get("spec", {})))
