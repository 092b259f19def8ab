#!/usr/bin/python3
"""The engine's contract (docs/engine-rpc.md), answered by the real `terraform` or `tofu`: slow, but the truth.

usage: reference.py [--cli PROGRAM] [--jobs N] [--work DIR]

Every call gets a workspace of its own: the configuration as main.tf.json (template signs escaped, so that text stays
text), STATE as terraform.tfstate, then `plan -json -out`, `show -json`, `apply -json`. The result is read back from the
plan document, from the state inside the plan file and from the tfstate; diagnostics from the message stream.

Write sources as full addresses, for a short one means another registry to tofu than to terraform. A path of a provider binary
works too.

Answered: provider.open, .schema, .close; resource.validate, .plan, .apply, .refresh, .import, .upgrade; data.read;
engine.ping. Other methods get -32601; `$/cancel` is ignored. Where the real CLI is not quite the engine:
- `config_unknown`: such a value comes from a resource that the same plan creates. A block unknown as a whole cannot be
  written that way, and the plan cannot be applied, for the value would never become known: -32602 both.
- `resource.import` plans an import block and lets the CLI write the configuration; complaints about that one are left
  out. `identity` needs a CLI that knows it.
- Core's messages name the resource: TYPE.this. The path of a diagnostic is the place in main.tf.json it points to,
  the enclosing block when an argument is missing.
- A fraction of more than 17 digits loses the rest.
"""
import argparse
import concurrent.futures
import inspect
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import zipfile

VERSION = 1     # of the answers: one more when a change in here can change them, and recorded ones are of no use any more
NAME = "this"
UNKNOWN = {"terraform_data": {"unknown": {}}}
UNKNOWN_VALUE = "${%s(jsondecode(terraform_data.unknown.id))}"      # jsondecode: of any type, even null
CONVERT = {"string": "tostring", "number": "tonumber", "bool": "tobool"}
GENERATED = "generated.tf"
MAX_LINE = 64 << 20
META = {"count", "for_each", "depends_on", "lifecycle", "provider", "provisioner", "connection"}
STATE = {"schema_version", "attributes", "attributes_flat", "sensitive_attributes", "private", "identity",
         "identity_schema_version", "status"}
CHANGE = ("actions", "before", "after", "after_unknown", "before_sensitive", "after_sensitive")
# warnings about the way this program uses the CLI
OURS = {"Provider development overrides are in effect", "Config generation is experimental"}


class RpcError(Exception):
    def __init__(self, code, message, data=None):
        super().__init__(message)
        self.body = {"code": code, "message": message, **({"data": data} if data else {})}


# ---------------------------------------------------------------- configuration
def escape(value):
    """A plain value in Terraform's JSON syntax: no templates."""
    if isinstance(value, str):
        return value.replace("${", "$${").replace("%{", "%%{")
    if isinstance(value, list):
        return [escape(v) for v in value]
    return {escape(k): escape(v) for k, v in value.items()} if isinstance(value, dict) else value


def inside(node, step):
    """What a path step leads to in a schema: a block, a type like ["map", T], or {} where the schema ends."""
    if isinstance(node, list):
        if node[0] == "object":
            return node[1].get(step, {})
        return node[1][step] if node[0] == "tuple" else node[1]
    if not isinstance(node, dict):
        return {}
    attribute, block = node.get("attributes", {}).get(step), node.get("block_types", {}).get(step)
    if attribute and "type" in attribute:
        return attribute["type"]
    inner = attribute["nested_type"] if attribute else block["block"] if block else {}
    mode = (inner if attribute else block or {}).get("nesting_mode")
    return [mode, inner] if mode in ("list", "set", "map") else inner


def traversal(node, path):
    """A path as ignore_changes has it: names after dots, keys and indexes in brackets."""
    text = ""
    for step in path:
        text += f"[{json.dumps(step)}]" if isinstance(node, list) and node[0] != "object" else f".{step}"
        node = inside(node, step)
    return text[1:]


def with_unknown(node, value, unknown):
    """The configuration in JSON syntax, an unknown value wherever `unknown` says true."""
    if unknown is True:
        return UNKNOWN_VALUE % CONVERT.get(str(node), "")
    if isinstance(unknown, (dict, list)) and not isinstance(value, (type(unknown), type(None))):
        raise RpcError(-32602, "config_unknown: not of the same shape as config")
    if isinstance(unknown, dict):
        value = {**dict.fromkeys(unknown), **(value or {})}
        for key in value:
            if unknown.get(key) is True and isinstance(node, dict) and key in node.get("block_types", {}):
                raise RpcError(-32602, f"config_unknown: {key} is a block, it cannot be unknown as a whole here")
        return {escape(k): with_unknown(inside(node, k), v, unknown.get(k)) for k, v in value.items()}
    if isinstance(unknown, list):
        value = (value or []) + [None] * (len(unknown) - len(value or []))
        unknown = unknown + [False] * (len(value) - len(unknown))
        return [with_unknown(inside(node, i), *pair) for i, pair in enumerate(zip(value, unknown))]
    return escape(value)


def line_paths(value, path=()):
    """The path of every line of json.dumps(value, indent=1)."""
    yield path
    if value and isinstance(value, (dict, list)):
        for key, inner in value.items() if isinstance(value, dict) else enumerate(value):
            yield from line_paths(inner, path + (key,))
        yield path


# ---------------------------------------------------------------- the CLI
def diagnostics_of(stream):
    messages = [json.loads(line) for line in stream.splitlines() if line.startswith("{")]
    return [m["diagnostic"] for m in messages if "diagnostic" in m]


def plain(diagnostic):
    return {k: diagnostic.get(k, "") for k in ("severity", "summary", "detail")}


def failed(diagnostics):
    return any(d["severity"] == "error" for d in diagnostics)


def version_of(cli):
    # Nothing of the user's own settings: OpenTofu complains on stdout about a CLI configuration that is not there.
    env = {k: v for k, v in os.environ.items() if not k.startswith("TF_")}
    found = subprocess.check_output([cli, "version", "-json"], stderr=subprocess.DEVNULL, env=env)
    return json.loads(found)["terraform_version"]


class Package:
    """A provider that the CLI installed once; every workspace uses its data folder and lock file."""

    def __init__(self, cli, work, source, version):
        self.cli, self.folder = cli, tempfile.mkdtemp(prefix="package-", dir=work)
        self.env = {k: v for k, v in os.environ.items() if not k.startswith("TF_")}
        self.env.update(TF_CLI_CONFIG_FILE=self.path("cli.tfrc"), TF_DATA_DIR=self.path("data"), TF_IN_AUTOMATION="1",
                        TF_INPUT="0", CHECKPOINT_DISABLE="1")
        method = "direct {}"
        binary = source if os.path.isfile(source) else None
        if binary:
            found = re.match(r"terraform-provider-([a-z0-9-]+)", os.path.basename(binary))
            if not found:
                raise RpcError(-32602, "source: the name of the file must start with terraform-provider-NAME")
            source = "hashicorp/" + found.group(1)
            os.mkdir(self.path("bin"))
            os.symlink(os.path.abspath(binary), self.path("bin", found.group()))
            method = f"dev_overrides {{\n {json.dumps(source)} = {json.dumps(self.path('bin'))}\n }}\n direct {{}}"
        with open(self.path("cli.tfrc"), "w", encoding="utf-8") as f:
            f.write(f"provider_installation {{\n {method}\n}}\n")
        self.name = source.split("/")[-1]
        self.required = {self.name: {"source": source, **({"version": version} if version else {})}}
        with open(self.path("main.tf.json"), "w", encoding="utf-8") as f:
            json.dump({"terraform": {"required_providers": self.required}}, f)
        self.diagnostics = [] if binary else diagnostics_of(self.run(self.folder, "init", "-json").stdout)
        if not failed(self.diagnostics):
            self.look()

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def look(self):
        """Schema, full address, version; the protocol is told to the log only."""
        done = self.run(self.folder, "providers", "schema", "-json", TF_LOG="debug", TF_LOG_PATH=self.path("log"))
        if done.returncode:
            raise RpcError(-32000, "the provider gave no schema", (done.stdout + done.stderr).splitlines()[-20:])
        (self.address, self.schema), = json.loads(done.stdout)["provider_schemas"].items()
        with open(self.path("log"), encoding="utf-8", errors="replace") as f:
            self.protocol = int(re.search(r"using plugin: version=(\d+)", f.read()).group(1))
        os.unlink(self.path("log"))
        versions = json.loads(self.run(self.folder, "version", "-json").stdout)["provider_selections"]
        self.version = versions.get(self.address)

    def run(self, folder, *args, **env):
        return subprocess.run([self.cli, *args], cwd=folder, env={**self.env, **env}, stdin=subprocess.DEVNULL,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, encoding="utf-8", errors="replace")


class Provider:
    """A package with a configuration, and the plans made with it."""

    def __init__(self, package, config):
        self.package, self.config, self.plans = package, config, {}

    def blocks(self, kind, rtype, config, unknown=None, ignore=()):
        """The resource or data block of a call."""
        for name in META & set(config):
            raise RpcError(-32602, f"config: {name} is not an argument of a provider's object")
        node = self.package.schema.get("resource_schemas", {}).get(rtype, {}).get("block", {})
        body = {**with_unknown(node, config, unknown or {}), "provider": self.package.name}
        if ignore:
            body["lifecycle"] = {"ignore_changes": [traversal(node, path) for path in ignore]}
        return {kind: {rtype: {NAME: body}, **(UNKNOWN if unknown else {})}}


class Workspace:
    """A folder with one object in it, gone at the end of a `with`."""

    def __init__(self, provider, rtype, blocks, state=None):
        self.package, self.rtype = provider.package, rtype
        self.folder = tempfile.mkdtemp(prefix="call-", dir=self.package.folder)
        document = {"terraform": {"required_providers": self.package.required},
                    "provider": {self.package.name: escape(provider.config)}, **blocks}
        self.lines = list(line_paths(document))
        self.write("main.tf.json", document)
        if os.path.exists(self.package.path(".terraform.lock.hcl")):
            shutil.copy(self.package.path(".terraform.lock.hcl"), self.folder)
        if state is not None:
            self.write("terraform.tfstate", {"version": 4, "serial": 1, "lineage": "reference", "resources": [
                {"mode": "managed", "type": rtype, "name": NAME, "instances": [state],
                 "provider": f'provider["{self.package.address}"]'}]})

    def __enter__(self):
        return self

    def __exit__(self, *_):
        shutil.rmtree(self.folder, ignore_errors=True)

    def write(self, name, document):
        with open(os.path.join(self.folder, name), "w", encoding="utf-8") as f:
            json.dump(document, f, indent=1)

    def run(self, *args):
        """What the CLI printed; a protocol error when it failed without a word of JSON."""
        done = self.package.run(self.folder, *args)
        if done.returncode and not done.stdout.startswith("{"):
            raise RpcError(-32000, f"{args[0]} ended with {done.returncode}", done.stderr.splitlines()[-20:])
        return done.stdout

    def diagnostics(self, found):
        out = []
        for d in found:
            place = d.get("range") or {}
            if d["summary"] in OURS or place.get("filename") == GENERATED:
                continue
            item = plain(d)
            if place.get("filename") == "main.tf.json":
                path = self.lines[place["start"]["line"] - 1]
                path = path[2 if path[:1] == ("provider",) else 3:]
                item.update({"path": path} if path else {})
            if item not in out:         # a plan validates twice
                out.append(item)
        return out

    def validate(self):
        return self.diagnostics(json.loads(self.run("validate", "-json"))["diagnostics"])

    def plan(self, *flags):
        return self.diagnostics(diagnostics_of(self.run("plan", "-json", "-input=false", "-out=plan", *flags)))

    def change(self):
        """The object in the plan document; it is missing there when there is nothing to destroy."""
        for change in json.loads(self.run("show", "-json", "plan")).get("resource_changes", []):
            if change["type"] == self.rtype and change["name"] == NAME:
                return change
        return {"change": {**dict.fromkeys(CHANGE), "actions": ["no-op"]}}

    def refreshed(self):
        """The state after the refresh: a plan file is an archive that has it inside."""
        if not os.path.exists(os.path.join(self.folder, "plan")):
            return None
        with zipfile.ZipFile(os.path.join(self.folder, "plan")) as archive:
            return self.instance(json.loads(archive.read("tfstate")))

    def apply(self):
        try:
            found = diagnostics_of(self.run("apply", "-json", "-input=false", "plan"))
        except RpcError as e:           # whatever happened, what is stored now is the result
            found = [{"severity": "error", "summary": str(e), "detail": "\n".join(e.body.get("data", []))}]
        state, path = None, os.path.join(self.folder, "terraform.tfstate")
        if os.path.exists(path):
            with open(path, encoding="utf-8") as f:
                state = self.instance(json.load(f))
        return {"state": state, "diagnostics": self.diagnostics(found)}

    def instance(self, tfstate):
        found = [i for r in tfstate.get("resources") or [] if (r["type"], r["name"]) == (self.rtype, NAME)
                 for i in r["instances"] if "deposed" not in i]
        return {k: v for k, v in found[0].items() if k in STATE} if found else None


# ---------------------------------------------------------------- the methods, `a.b` as a_b
class Engine:
    def __init__(self, cli, work):
        self.cli, self.work = cli, work
        self.lock, self.packages, self.providers, self.opened = threading.Lock(), {}, {}, 0

    def handle(self, provider):
        if provider not in self.providers:
            raise RpcError(-32001, f"no such handle: {provider}")
        return self.providers[provider]

    def engine_ping(self):
        return {"version": version_of(self.cli)}

    def provider_open(self, source: str, version: str = None, config: dict = None):
        with self.lock:
            package = self.packages.get((source, version))
            if not package:
                package = Package(self.cli, self.work, source, version)
                if failed(package.diagnostics):
                    return {"provider": None, "source": source, "diagnostics": [plain(d) for d in package.diagnostics]}
                self.packages[source, version] = package
            self.opened += 1
            name = f"provider-{self.opened}"
        provider, found = Provider(package, config or {}), []
        for rtype, schema in package.schema.get("resource_schemas", {}).items():
            # core configures a provider only for an object's sake, so plan to destroy an imagined one
            with Workspace(provider, rtype, {}, {"schema_version": schema["version"], "attributes": {}}) as w:
                found = w.plan("-destroy", "-refresh=false")
            break
        if not failed(found):
            self.providers[name] = provider
        return {"provider": None if failed(found) else name, "source": package.address, "version": package.version,
                "protocol": package.protocol, "diagnostics": found}

    def provider_schema(self, provider: str):
        return self.handle(provider).package.schema

    def provider_close(self, provider: str):
        self.handle(provider)
        for workspace in self.providers.pop(provider).plans.values():
            workspace.__exit__()
        return {}

    def resource_validate(self, provider: str, type: str, config: dict, config_unknown: dict = None):
        provider = self.handle(provider)
        with Workspace(provider, type, provider.blocks("resource", type, config, config_unknown)) as w:
            return {"diagnostics": w.validate()}

    def resource_plan(self, provider: str, type: str, config: dict = None, config_unknown: dict = None,
                      state: dict = None, refresh: bool = True, ignore_changes: list = (), replace: bool = False):
        provider = self.handle(provider)
        blocks = {} if config is None else provider.blocks("resource", type, config, config_unknown, ignore_changes)
        w = Workspace(provider, type, blocks, state)
        found = w.plan(*["-destroy"] * (config is None), *["-refresh=false"] * (not refresh),
                       *[f"-replace={type}.{NAME}"] * replace)
        if failed(found):
            w.__exit__()
            return {"diagnostics": found}
        change, plan = w.change(), os.path.basename(w.folder)
        w.complete = not config_unknown
        provider.plans[plan] = w
        return {**{k: change["change"][k] for k in CHANGE}, "replace_paths": change["change"].get("replace_paths", []),
                **{k: v for k, v in change.items() if k == "action_reason"},
                "refreshed": w.refreshed(), "plan": plan, "diagnostics": found}

    def resource_apply(self, provider: str, plan: str):
        plans = self.handle(provider).plans
        if plan not in plans:
            raise RpcError(-32001, f"no such handle: {plan}")
        if not plans[plan].complete:
            raise RpcError(-32602, "plan: it was made with config_unknown")
        with plans.pop(plan) as w:
            return w.apply()

    def resource_refresh(self, provider: str, type: str, state: dict):
        with Workspace(self.handle(provider), type, {}, state) as w:
            found = w.plan("-refresh-only")
            return {"state": state if failed(found) else w.refreshed(), "diagnostics": found}

    def resource_upgrade(self, provider: str, type: str, state: dict):
        with Workspace(self.handle(provider), type, {}, state) as w:
            found = w.plan("-refresh=false")
            return {"state": None if failed(found) else w.refreshed(), "diagnostics": found}

    def resource_import(self, provider: str, type: str, id: str = None, identity: dict = None):
        provider = self.handle(provider)
        if (id is None) == (identity is None):
            raise RpcError(-32602, "id: either id or identity is required")
        block = {"to": f"{type}.{NAME}", "provider": provider.package.name,
                 **({"id": escape(id)} if identity is None else {"identity": escape(identity)})}
        with Workspace(provider, type, {"import": [block]}) as w:
            found = w.plan(f"-generate-config-out={GENERATED}")
            state = None if failed(found) else w.refreshed()
            return {"imported": [{"type": type, "state": state}] if state else [], "diagnostics": found}

    def data_read(self, provider: str, type: str, config: dict):
        provider = self.handle(provider)
        with Workspace(provider, type, provider.blocks("data", type, config)) as w:
            found = w.plan()
            state = None if failed(found) else w.refreshed()
            return {"value": state and state["attributes"], "diagnostics": found}


# ---------------------------------------------------------------- JSON-RPC
def call(engine, method, params):
    function = getattr(engine, method.replace(".", "_"), None) if re.fullmatch(r"[a-z]+\.[a-z]+", method) else None
    if not function:
        raise RpcError(-32601, f"no such method: {method}")
    if not isinstance(params, dict):
        raise RpcError(-32602, "params: an object is required")
    params = {k: v for k, v in params.items() if v is not None}
    try:
        for name, value in inspect.signature(function).bind(**params).arguments.items():
            wanted = function.__annotations__[name]
            if not isinstance(value, wanted):
                raise TypeError(f"{name}: not of type {wanted.__name__}")
    except TypeError as e:
        raise RpcError(-32602, str(e)) from None
    return function(**params)


def answer(engine, line):
    """The answer to one line, None for a notification."""
    ident = None
    try:
        if len(line) > MAX_LINE:
            raise RpcError(-32600, "the line is longer than 64 MiB")
        try:
            message = json.loads(line)
        except ValueError as e:
            raise RpcError(-32700, f"not JSON: {e}") from None
        if not isinstance(message, dict) or message.get("jsonrpc") != "2.0" or type(message.get("method")) is not str:
            raise RpcError(-32600, "not a request")
        if "id" not in message:
            return None
        ident = message["id"]
        outcome = {"result": call(engine, message["method"], message.get("params", {}))}
    except RpcError as e:
        outcome = {"error": e.body}
    except Exception as e:              # a mistake in here must not take other requests down
        outcome = {"error": {"code": -32603, "message": f"{type(e).__name__}: {e}"}}
    return {"jsonrpc": "2.0", "id": ident, **outcome}


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--cli", default="terraform", metavar="PROGRAM", help="terraform or tofu (default: %(default)s)")
    parser.add_argument("--jobs", type=int, default=2, metavar="N", help="requests at once (default: %(default)s)")
    parser.add_argument("--work", metavar="DIR", help="where the scratch folder goes (default: the system's place)")
    args = parser.parse_args()
    output = threading.Lock()

    def serve(line):
        reply = answer(engine, line)
        if reply:
            with output:
                print(json.dumps(reply), flush=True)

    with tempfile.TemporaryDirectory(prefix="reference-engine-", dir=args.work) as work:
        engine = Engine(args.cli, work)
        with concurrent.futures.ThreadPoolExecutor(args.jobs) as pool:
            for line in sys.stdin.buffer:
                if line.strip():
                    pool.submit(serve, line)


if __name__ == "__main__":
    main()
