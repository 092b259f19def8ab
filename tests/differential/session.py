"""A case, lived through with one engine: its steps in order, and a transcript of what the engine answered."""
import copy
import json
import re

VERSION = 1     # of what a transcript is; a recorded one of another version is of no use
WITH_STATE = {"resource.plan", "resource.refresh", "resource.upgrade"}
OF_HARNESS = {"call", "note", "object", "settled", "keep", "state", "if_valid"}     # members of a step that are no params
REFERENCE = re.compile(r"\$\{(\w+\.\w+)\.(\w+)\}")


def merged(old, new):
    """`old` with the members of `new`; null takes one away."""
    if not isinstance(old, dict) or not isinstance(new, dict):
        return new
    return {k: merged(old.get(k), new[k]) if k in new else v for k, v in {**old, **new}.items() if new.get(k, True) is not None}


class Session:
    """
    Steps are described in README.md. What must be remembered between them: for each object its state as the engine gave it
    (it is handed back untouched), and the last plan.

    Whatever asks the engine is a generator: it yields a method with its params and is sent the answer. So one session can be lived
    alone, or many in step (batch.py).
    """

    def __init__(self, engine, case, source, cloud):
        self.engine, self.case, self.source, self.cloud = engine, case, source, cloud
        self.states, self.plans, self.transcript = {}, {}, []
        self.handle, self.ahead = None, case.steps

    def run(self):
        """The transcript: one entry per call, {"step", "method", "type"} and "result", "error" or "skipped"."""
        self.asked(self.live())
        return self.transcript

    def live(self):
        yield from self.open(self.case.settings, "open")
        for number, step in enumerate(self.case.steps, 1):
            self.ahead = self.case.steps[number:]
            yield from self.step(step, f"{number} {step.get('note') or step.get('call') or ''}".strip())

    def applies_next(self):
        """Is the plan that the present step makes applied by the next one?"""
        return self.ahead[:1] != [] and self.ahead[0].get("call") == "apply"

    def asked(self, requests):
        """Lets the engine answer all that a generator wants to know."""
        answer = None
        try:
            while True:
                answer = self.engine.call(*requests.send(answer))
        except StopIteration:
            pass

    def close(self):
        if self.handle:
            self.engine.call("provider.close", {"provider": self.handle})

    # ------------------------------------------------------------ calls
    def send(self, method, params, **about):
        answer = yield method, params
        neutral = json.loads(self.cloud.neutral(json.dumps(answer)))
        self.transcript.append({**about, "method": method, **neutral})
        return answer.get("result") or {}

    def open(self, settings, label):
        self.close()
        config = {k: v for k, v in {**self.cloud.settings(), **settings}.items() if v is not None}
        opened = yield from self.send("provider.open", {"source": self.source, "config": config}, step=label)
        self.handle = opened.get("provider")

    def step(self, step, label):
        if "open" in step:
            yield from self.open(step["open"], label)
        elif "call" in step:
            yield from self.call(step, label)
        else:
            self.disturb(step)

    def call(self, step, label):
        method = step["call"] if "." in step["call"] else "resource." + step["call"]
        kind, name = step.get("type", self.case.type), step.get("object", "this")
        key = f"{kind}.{name}"
        about = {"step": label, "type": kind}
        why = "not open" if not self.handle else "no plan" if method == "resource.apply" and key not in self.plans else \
            "refused already" if step.get("if_valid") and self.refused() else None
        if why:
            self.transcript.append({**about, "method": method, "skipped": why})
            return
        params = {"provider": self.handle, "type": kind, **{k: v for k, v in step.items() if k not in OF_HARNESS}}
        params = self.resolved(params)
        if method in WITH_STATE:
            params["state"] = step["state"] if "state" in step else self.states.get(key)
        if method == "resource.apply":
            params = {"provider": self.handle, "plan": self.plans.pop(key)}
        if step.get("settled") and self.cloud.snapshot() is not None:
            inputs = {k: v for k, v in params.items() if k != "provider"}
            about["inputs"] = json.loads(self.cloud.neutral(json.dumps({"params": inputs, "cloud": self.cloud.snapshot()})))
        result = yield from self.send(method, params, **about)
        self.remember(key, method, step, result)

    def refused(self):
        """Did the last call find an error?"""
        found = self.transcript[-1].get("result", {}).get("diagnostics") or []
        return any(d["severity"] == "error" for d in found)

    def remember(self, key, method, step, result):
        if method == "resource.plan":
            self.plans.pop(key, None)
            if result.get("plan"):
                self.plans[key] = result["plan"]
        elif method == "resource.apply" and "state" in result:
            self.states[key] = result["state"]
        elif method == "resource.import" and step.get("keep") and result.get("imported"):
            self.states[key] = result["imported"][0]["state"]
        elif method in WITH_STATE and step.get("keep"):
            self.states[key] = result.get("state")

    def resolved(self, value):
        """References to attributes of other objects of the case, put in."""
        if isinstance(value, dict):
            return {k: self.resolved(v) for k, v in value.items()}
        if isinstance(value, list):
            return [self.resolved(v) for v in value]
        if not isinstance(value, str):
            return value
        whole = REFERENCE.fullmatch(value)
        if whole and self.states.get(whole[1]):
            return self.states[whole[1]]["attributes"].get(whole[2])
        return REFERENCE.sub(lambda m: self.states[m[1]]["attributes"][m[2]] if self.states.get(m[1]) else m[0], value)

    # ------------------------------------------------------------ behind the provider's back
    def disturb(self, step):
        kind = step.get("type", self.case.type)
        key = f"{kind}.{step.get('object', 'this')}"
        if "drift" in step:
            self.cloud.drift(kind, self.resolved(step["drift"]))
        if step.get("gone"):
            self.cloud.gone(kind)
        if "files" in step:
            self.cloud.files(step["files"])
        if "request" in step:
            self.cloud.request(self.resolved(step["request"]))
        if "state" in step:
            old = copy.deepcopy(self.states.get(key))
            self.states[key] = merged(old, step["state"]) if step["state"] is not None else None

    # ------------------------------------------------------------ what another engine left
    def take_over(self, inputs, label):
        """The plan of another session's settled step, with its state and its cloud. Returns the entry."""
        self.cloud.restore(inputs["cloud"])
        params = json.loads(json.dumps(inputs["params"]).replace("<cloud>", self.cloud.place))
        if not self.handle:
            self.asked(self.open(self.case.settings, "open"))
        if self.handle:
            self.asked(self.send("resource.plan", {**params, "provider": self.handle}, step=label, type=params["type"]))
        return self.transcript[-1]
