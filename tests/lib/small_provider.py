"""A small provider with one of each construct that a CRD may have, for tests of what servers make of it."""
import json
import os


def attribute(kind, **more):
    return {"type": kind, **(more or {"optional": True})}


def block(nesting, attributes, **more):
    return {"nesting_mode": nesting, "block": {"attributes": attributes}, **more}


THING = {
    "attributes": {
        "id": attribute("string", computed=True),
        "name": attribute("string", required=True),
        "namespace": attribute("string", required=True),                    # a reserved word in CEL
        "manifest": attribute("dynamic", required=True),                    # CEL does not see these two
        "steps": attribute(["list", "dynamic"], required=True),
        "region": attribute("string", required=True),                       # an identifier: initProvider cannot give it
        "size": attribute("number"),
        "enabled": attribute("bool"),
        "zones": attribute(["set", "string"]),
        "hosts": attribute(["list", "string"]),
        "labels": attribute(["map", "string"]),
        "fixed": attribute("string"),
        "network_id": attribute("string"),
        "password": attribute("string", optional=True, sensitive=True),
        "keys": attribute(["map", "string"], optional=True, sensitive=True),
        "pairs": attribute(["list", ["object", {"a": "string", "b": "number"}]], optional=True, sensitive=True),
        "count_of_items": attribute("number"),
        "secret_out": attribute("string", computed=True, sensitive=True),
    },
    "block_types": {
        "rule": block("list", {"port": attribute("number", required=True), "note": attribute("string")}),
        "single": block("list", {"fixed_too": attribute("string"), "value": attribute("string")}, max_items=1),
        "member": block("list", {"text": attribute("string")}),
        "named": block("map", {"value": attribute("string")}),
    },
}
CONFIG = """
provider: x
resources:
  x_core_thing:
    short_names: [thng]
    other_versions: [v1]
    version: v2
    identifiers: [region, port]
    immutable: [fixed, single.fixed_too]
    references: {network_id: x_core_network}
    fields:
      count_of_items: {type: integer}
      member: {merge: {list_type: map, keys: [index], inject_key: index, inject_default: "0"}}
"""
NETWORK = {"attributes": {"cidr": attribute("string")}}


def write(folder):
    """Its schema and configuration as files in the folder: the paths of both."""
    schema, config = os.path.join(folder, "x.json"), os.path.join(folder, "x.yaml")
    schemas = {"x_core_thing": {"version": 0, "block": THING}, "x_core_network": {"version": 0, "block": NETWORK}}
    with open(schema, "w", encoding="utf-8") as f:
        json.dump({"format_version": "1.0", "provider_schemas": {"registry.terraform.io/test/x": {"resource_schemas": schemas}}}, f)
    with open(config, "w", encoding="utf-8") as f:
        f.write(CONFIG)
    return schema, config
