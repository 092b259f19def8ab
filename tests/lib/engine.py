"""A program that speaks the engine's contract: JSON-RPC 2.0, one message a line, on its stdin and stdout."""
import json
import os
import subprocess
import threading

TIMEOUT = 600


class Gone(Exception):
    """The program ended, or did not answer."""


class Engine:
    """Calls may come from many threads. A program that ended is started again by the next provider.open."""

    def __init__(self, name, command, env, log):
        self.name, self.command, self.env, self.log = name, command, env, log
        self.lock, self.process, self.last = threading.Lock(), None, 0

    def call(self, method, params, heard=None):
        """The answer: {"result": ...} or {"error": {"code": ..., "message": ...}}. Notifications before it are added to `heard`."""
        with self.lock:
            if self.process is None or (method == "provider.open" and self.process.poll() is not None):
                self._start()
            process, waiting = self.process, self.waiting
            self.last += 1
            ident, slot = self.last, {"done": threading.Event(), "heard": heard}
            waiting[ident] = slot
            try:
                process.stdin.write(json.dumps({"jsonrpc": "2.0", "id": ident, "method": method, "params": params}) + "\n")
                process.stdin.flush()
            except OSError:
                pass                    # the reader sees the end and says why
        if process.poll() is None or not slot["done"].is_set():
            slot["done"].wait(TIMEOUT)
        waiting.pop(ident, None)
        if "answer" not in slot:
            raise Gone(f"{self.name} {slot.get('end') or f'did not answer within {TIMEOUT} s'} ({method})")
        return {k: slot["answer"][k] for k in ("result", "error") if k in slot["answer"]}

    def _start(self):
        with open(self.log, "w", encoding="utf-8") as log:
            self.process = subprocess.Popen(self.command, env=self.env, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=log,
                                            text=True, encoding="utf-8")
        self.waiting = {}
        self.reader = threading.Thread(target=self._read, args=(self.process, self.waiting), daemon=True)
        self.reader.start()

    def _read(self, process, waiting):
        for line in process.stdout:
            answer = json.loads(line)
            slot = waiting.get(answer.get("id") or answer.get("params", {}).get("request"))
            if slot and "id" not in answer:
                if slot["heard"] is not None:
                    slot["heard"].append(answer["params"])
            elif slot:
                slot["answer"] = answer
                slot["done"].set()
        code = process.wait()
        with open(self.log, encoding="utf-8", errors="replace") as f:
            tail = "".join(f.readlines()[-30:])
        with self.lock:                 # nobody is being added any more
            for slot in list(waiting.values()):
                slot["end"] = f"ended with {code}: {tail}"
                slot["done"].set()

    def close(self):
        """End of input: the program finishes and stops its providers. Returns its exit code."""
        if self.process is None:
            return 0
        if self.process.poll() is None:
            self.process.stdin.close()
        try:
            code = self.process.wait(60)
            self.reader.join()
            return code
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            raise Gone(f"{self.name} did not end within 60 s after the end of its input") from None


def loud_lines(secret):
    """What a provider may write to stderr about a value that it was given: at every level, plain, as records, and as text in text."""
    stamp = "2026-11-15T07:38:06.570625Z"
    inner = json.dumps({"password": secret})
    lines = [f"plain {secret}", f"2026/11/15 07:38:06 {secret}", json.dumps({"value": secret})]
    for level in ("trace", "debug", "info", "warn", "error"):
        lines.append(f"[{level.upper()}] setting {secret} {json.dumps(inner)}")
        lines.append(json.dumps({"@level": level, "@message": f"setting {secret}", "@module": "provider", "@timestamp": stamp, "body": inner,
                                 "nested": {"v": [secret]}, secret: 1}))
    return "\n".join(lines) + "\n"


def clean_environment(**more):
    """The environment of both engines, and so of their providers: nothing of the user's own settings."""
    mine = ("TF_", "AWS_", "KUBE", "TERRANE_")
    env = {k: v for k, v in os.environ.items() if not k.startswith(mine)}
    return {**env, "AWS_EC2_METADATA_DISABLED": "true", **more}
