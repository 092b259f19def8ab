"""
State goes both ways for aws too: real terraform gets a state file with all objects that Terrane created and must see nothing to
change; Terrane gets each object of the state file that terraform wrote, and must see nothing to change.

The cloud cannot be copied, so each cloud has the objects of one side, and the other side looks at them. Of every case that creates
its object there is the first configuration, with the objects that it needs. All of them are in one workspace, for a run of
terraform with this provider costs much before it reaches the first object, and little for each.
"""
import concurrent.futures
import json
import os
import subprocess

import batch
import cases
import engine
import moto
import session
import tap

ADDRESS = "registry.terraform.io/hashicorp/aws"
LAST = cases.Case("aws", "the last object", "aws", "aws_ssm_parameter", {},
                  cases.applied({"name": "/d/last", "type": "SecureString", "value": "v"}))


class Life:
    """The beginning of a case. `key` makes the names of its objects unique in the workspace."""

    def __init__(self, case, key):
        self.case, self.key, self.wishes = case, key, beginning(case)

    def name(self, wish):
        return f"{self.key}_{wish.get('object', 'this')}"

    def kind(self, wish):
        return wish.get("type", self.case.type)

    def addresses(self):
        """Address in the workspace: name in the case."""
        return {f"{self.kind(w)}.{self.name(w)}": f"{self.kind(w)}.{w.get('object', 'this')}" for w in self.wishes}

    def session(self, side, source, cloud, steps):
        c = self.case
        return session.Session(side, cases.Case(c.group, c.name, c.provider, c.type, c.settings, steps), source, cloud)

    def creation(self):
        about = ("type", "object")
        return [step for w in self.wishes for step in (w, {"call": "apply", **{k: w[k] for k in about if k in w}})]

    def blocks(self):
        """(type, name, block) of each object, in which references are terraform's own."""
        return [(self.kind(w), self.name(w), {**self.written(w["config"]), "provider": "aws"}) for w in self.wishes]

    def written(self, value):
        if isinstance(value, dict):
            return {escaped(k): self.written(v) for k, v in value.items()}
        if isinstance(value, list):
            return [self.written(v) for v in value]
        if not isinstance(value, str):
            return value
        out, end = "", 0
        for m in session.REFERENCE.finditer(value):
            kind, name = m[1].split(".")
            out, end = out + escaped(value[end:m.start()]) + f"${{{kind}.{self.key}_{name}.{m[2]}}}", m.end()
        return out + escaped(value[end:])


def beginning(case):
    """The plans that lead to the first object of a case, each of which is applied; none if nothing is ever created."""
    wishes = []
    for step, following in zip(case.steps, case.steps[1:]):
        if step.get("call") == "plan" and following.get("call") == "apply":
            wishes.append(step)
            if step.get("object", "this") == "this":
                return wishes
    return []


def escaped(text):
    return text.replace("${", "$${").replace("%{", "%%{")


def first(table, life):
    """What a table by address has of a life."""
    return next((table[address] for address in life.addresses() if address in table), None)


def failure(transcript):
    """Why not all of it could be done, or None."""
    for entry in transcript:
        errors = [d["summary"] for d in entry.get("result", {}).get("diagnostics") or [] if d["severity"] == "error"]
        if errors or "result" not in entry:
            return errors[0] if errors else entry.get("skipped") or entry["error"]["message"]
    return None


class Terraform:
    """A workspace with all objects, and a cloud."""

    def __init__(self, cli, source, folder, cloud):
        self.cli, self.folder, self.cloud = cli, folder, cloud
        os.makedirs(self.path("bin"))
        os.symlink(source, self.path("bin", "terraform-provider-aws"))
        with open(self.path("cli.tfrc"), "w", encoding="utf-8") as f:
            f.write("provider_installation {\n  dev_overrides {\n    %s = %s\n  }\n  direct {}\n}\n"
                    % (json.dumps(ADDRESS), json.dumps(self.path("bin"))))
        self.env = engine.clean_environment(TF_CLI_CONFIG_FILE=self.path("cli.tfrc"), CHECKPOINT_DISABLE="1",
                                            TF_IN_AUTOMATION="1")

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def write(self, name, document):
        with open(self.path(name), "w", encoding="utf-8") as f:
            json.dump(document, f, indent=1)

    def configure(self, lives):
        resources = {}
        for kind, name, block in (b for life in lives for b in life.blocks()):
            resources.setdefault(kind, {})[name] = block
        self.write("main.tf.json", {"terraform": {"required_providers": {"aws": {"source": ADDRESS}}},
                                    "provider": {"aws": self.cloud.settings()}, "resource": resources})

    def run(self, *args):
        """(exit code, messages)"""
        done = subprocess.run([self.cli, *args, "-json", "-input=false", batch.AT_ONCE], cwd=self.folder, env=self.env,
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        assert done.stdout.startswith("{"), f"{args[0]} ended with {done.returncode}: {done.stderr}"
        return done.returncode, [json.loads(line) for line in done.stdout.splitlines() if line.startswith("{")]

    def apply(self):
        """Why objects could not be created, by address."""
        _, said = self.run("apply", "-auto-approve")
        found = [m["diagnostic"] for m in said if m.get("diagnostic", {}).get("severity") == "error"]
        stored = os.path.exists(self.path("terraform.tfstate"))
        assert stored and all(d.get("address") for d in found), f"it is not said of which objects: {found}"
        return {d["address"]: d["summary"] for d in found}

    def plan(self):
        """(exit code, actions by address)"""
        code, said = self.run("plan", "-detailed-exitcode")
        errors = [m["diagnostic"] for m in said if m.get("diagnostic", {}).get("severity") == "error"]
        assert code in (0, 2) and not errors, f"plan ended with {code}: {errors}"
        changes = [m["change"] for m in said if m["type"] == "planned_change"]
        return code, {c["resource"]["addr"]: c["action"] for c in changes}

    def states(self):
        """Instances by address."""
        with open(self.path("terraform.tfstate"), encoding="utf-8") as f:
            return {f"{r['type']}.{r['name']}": r["instances"][0] for r in json.load(f)["resources"]}


class Exchange:
    def __init__(self, side, cli, source, program, work):
        self.engine, self.source, self.work = side, source, work
        self.servers = [moto.Server(program, work) for _ in range(2)]
        self.mine, self.theirs = (Terraform(cli, source, os.path.join(work, f"exchange-{name}"), moto.Moto(server.port))
                                  for name, server in zip(("mine", "theirs"), self.servers))
        self.last = Life(LAST, "last")

    def close(self):
        for server in self.servers:
            server.close()

    def run(self, found):
        """What is wrong, as lines; and what there is to say about it."""
        lives = [life for number, case in enumerate(found, 1) if (life := Life(case, f"case_{number}")).wishes]
        self.theirs.configure([*lives, self.last])
        with concurrent.futures.ThreadPoolExecutor(len(lives) + 1) as pool:
            applied = pool.submit(self.theirs.apply)
            created = list(pool.map(self.create, lives))
            good, wrong, notes = self.sorted_out(lives, created, applied.result())
            planned = pool.submit(self.plan_mine, good)
            stored = self.theirs.states()
            exchanged = [*(life for life, _ in good), self.last]
            wrong += [line for lines in pool.map(lambda life: self.plan_theirs(life, stored), exchanged) for line in lines]
            wrong += planned.result()
        kinds = [life.kind(w) for life in exchanged for w in life.wishes]
        return wrong, [f"states exchanged: {len(kinds)} objects of {len(set(kinds))} types, of {len(good)} cases", *notes]

    def sorted_out(self, lives, created, refused):
        """
        (life, states of Terrane) of those that can be exchanged; what is wrong; what is left out. The cloud does not do all that
        the provider expects of it: some objects neither side can create, some terraform would change again with its own state. What
        Terrane says of both, the cases compare.
        """
        _, again = self.theirs.plan()
        good, wrong, notes = [], [], []
        for life, (states, mine) in zip(lives, created):
            theirs = first(refused, life)
            if (mine is None) != (theirs is None):
                wrong.append(f"{life.case.name}: Terrane says {mine!r} of its creation, terraform {theirs!r}")
            elif mine:
                notes.append(f"left out: {life.case.name}: neither can create it: {mine}")
            elif first(again, life):
                notes.append(f"left out: {life.case.name}: terraform plans with its own state: {first(again, life)}")
            else:
                good.append((life, states))
        return good, wrong, notes

    # ------------------------------------------------------------ Terrane's state to terraform
    def create(self, life):
        """(states by address, why not all could be created)"""
        one = life.session(self.engine, self.source, self.mine.cloud, life.creation())
        why = failure(one.run())
        return {address: one.states.get(name) for address, name in life.addresses().items()}, why

    def plan_mine(self, good):
        self.mine.configure([*(life for life, _ in good), self.last])
        self.store({address: state for _, states in good for address, state in states.items()})
        code, changes = self.mine.plan()
        return [f"terraform, with the state of Terrane: exit code {code}, {changes}"] if code or changes else []

    def store(self, states):
        """
        The state file as Terrane writes it. An engine leaves files to its client, which knows an object as the instance it stores;
        the command that adds one more object to the file then writes all of them.
        """
        resources = [{"mode": "managed", "type": kind, "name": name, "provider": f'provider["{ADDRESS}"]', "instances": [state]}
                     for (kind, name), state in sorted((a.split("."), s) for a, s in states.items())]
        self.mine.write("terraform.tfstate", {"version": 4, "serial": 1, "lineage": "exchange", "resources": resources})
        self.mine.write("provider.json", self.mine.cloud.settings())
        (kind, name, _), = self.last.blocks()
        self.mine.write("last.json", self.last.wishes[0]["config"])
        done = subprocess.run([tap.TERRANE, "resource", "apply", kind, name, "-c", "last.json", "--provider", self.source,
                               "--provider-config", "provider.json", "-y"], cwd=self.mine.folder, env=engine.clean_environment(),
                              stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        assert done.returncode == 0, done.stdout
        written = self.mine.states()
        assert written.pop(f"{kind}.{name}")["attributes"], "the last object"
        assert written == states, f"the file has not what was stored: {[a for a in states if written.get(a) != states[a]]}"

    # ------------------------------------------------------------ terraform's state to Terrane
    def plan_theirs(self, life, stored):
        one = life.session(self.engine, self.source, self.theirs.cloud, life.wishes)
        one.states = {name: stored[address] for address, name in life.addresses().items()}
        transcript = one.run()
        why = failure(transcript)
        plans = [e for e in transcript if e["method"] == "resource.plan"]
        changed = [f"{e['type']}: {e['result']['actions']}" for e in plans if not why and e["result"]["actions"] != ["no-op"]]
        return [f"Terrane, with the state of terraform: {life.case.name}: {text}" for text in ([why] if why else changed)]
