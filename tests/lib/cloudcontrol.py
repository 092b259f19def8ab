"""The Cloud Control door for tests: a pack of schemas, the emulator, and what engine, terraform and tofu need to use both."""
import atexit
import fcntl
import functools
import hashlib
import hmac
import http.client
import json
import os
import select
import signal
import subprocess
import tempfile
import time

import data
from tap import ROOT, TERRANE, terrane

ARCHIVE = data.path("cloudcontrol", "schemas.tar.xz")
EXAMPLES = os.path.join(ROOT, "src", "cfn", "examples")
REGION, ACCOUNT, KEY, SECRET = "us-east-1", "123456789012", "test", "test"
PATIENCE = 60


def _cache():
    base = os.environ.get("TERRANE_CACHE") or os.path.join(
        os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "terrane")
    path = os.path.join(base, "tests")
    os.makedirs(path, exist_ok=True)
    return path


def _digest(*paths):
    h = hashlib.sha256()
    for path in paths:
        with open(path, "rb") as f:
            h.update(f.read())
    return h.hexdigest()


def make_pack(source, path):
    done = terrane("cloudcontrol", "pack", source, "-q", "-o", path, timeout=600)
    assert done.returncode == 0, done.stderr


def pack():
    """The path of a pack of all schemas. Made once for each state of the program and of the schemas."""
    name = os.path.basename(os.path.dirname(TERRANE))
    path, wanted = os.path.join(_cache(), f"cloudcontrol-{name}.pack"), _digest(ARCHIVE, TERRANE)
    with open(path + ".stamp", "a+", encoding="utf-8") as stamp:
        fcntl.flock(stamp, fcntl.LOCK_EX)
        stamp.seek(0)
        if stamp.read() == wanted and os.path.exists(path):
            return path
        with tempfile.TemporaryDirectory() as work:
            data.unpack(ARCHIVE, work)
            make_pack(os.path.join(work, "schemas"), path)
        stamp.truncate(0)
        stamp.write(wanted)
    return path


@functools.cache
def pack_of(*names):
    """The path of a pack of these resource types, for this process: terraform reads the schema of every type at every command, which takes
    seconds of each when there are 1,489."""
    folder = tempfile.TemporaryDirectory(prefix="pack-")
    atexit.register(folder.cleanup)
    wanted = {row["cf_type"].replace("::", "_") + ".json" for row in types(pack(), *names)}
    schemas, path = os.path.join(folder.name, "schemas"), os.path.join(folder.name, "some.pack")
    data.unpack(ARCHIVE, folder.name)
    for file in os.listdir(schemas):
        if file not in wanted:
            os.unlink(os.path.join(schemas, file))
    make_pack(schemas, path)
    return path


def types(from_pack, *names):
    """Rows of `table types`: dictionaries by the names of the columns."""
    done = terrane("cloudcontrol", "table", "types", *names, env={"TERRANE_CLOUDCONTROL_PACK": from_pack})
    assert done.returncode == 0, done.stderr
    lines = done.stdout.rstrip("\n").split("\n")
    columns = lines[0].lstrip("#").split("\t")
    return [dict(zip(columns, line.split("\t"))) for line in lines[1:]]


def examples(from_pack, *args):
    """Configurations by the name of the type: `cloudcontrol example --json`."""
    done = terrane("cloudcontrol", "example", "--json", *args, env={"TERRANE_CLOUDCONTROL_PACK": from_pack})
    assert done.returncode == 0, done.stderr
    return json.loads(done.stdout)


class Emulator:
    """A running emulator, in memory unless told otherwise.

        with Emulator(pack()) as aws:
            aws.url
    """

    def __init__(self, from_pack, *options, env=None):
        self.pack, self.options, self.env = from_pack, options, env or {}

    def __enter__(self):
        self.log = tempfile.TemporaryFile("w+")
        env = {**environment(self.pack), "AWS_ACCESS_KEY_ID": KEY, "AWS_SECRET_ACCESS_KEY": SECRET, **self.env}
        self.process = subprocess.Popen([TERRANE, "cloudcontrol", "emulate", "--listen", "127.0.0.1:0", "-q", *self.options], env=env,
                                        stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=self.log, text=True)
        ready = select.select([self.process.stdout], [], [], PATIENCE)[0]
        self.url = self.process.stdout.readline().strip() if ready else ""
        if not self.url:
            self.process.kill()
            self.process.wait()
            raise AssertionError(f"the emulator did not start: {self.said()}")
        self.port = int(self.url.rsplit(":", 1)[1])
        return self

    def said(self):
        self.log.seek(0)
        return self.log.read()

    def is_alive(self):
        return self.process.poll() is None

    def __exit__(self, kind, *_):
        alive = self.is_alive()
        if alive:
            self.process.send_signal(signal.SIGTERM)
        try:
            code = self.process.wait(PATIENCE)
        except subprocess.TimeoutExpired:
            self.process.kill()
            code = self.process.wait()
        self.process.stdout.close()
        said = self.said()
        self.log.close()
        if kind is None:
            assert alive, f"the emulator ended by itself with {code}: {said}"
            assert code == 130, f"the emulator ended with {code}: {said}"

    def provider_block(self, **more):
        return {"region": REGION, "access_key": KEY, "secret_key": SECRET,
                "endpoints": {"cloudcontrolapi": self.url, "sts": self.url}, **more}


def environment(from_pack, **more):
    """Nothing of the user's own settings, and the pack."""
    env = {k: v for k, v in os.environ.items() if not k.startswith(("TF_", "AWS_", "TERRANE_"))}
    for kept in ("TERRANE_CACHE", "TERRANE_BUILD"):
        if kept in os.environ:
            env[kept] = os.environ[kept]
    return {**env, "AWS_EC2_METADATA_DISABLED": "true", "AWS_CONFIG_FILE": os.devnull, "AWS_SHARED_CREDENTIALS_FILE": os.devnull,
            "TERRANE_CLOUDCONTROL_PACK": from_pack, **more}


def provider(folder):
    """The provider as a program of its own, in this folder: its path."""
    path = os.path.join(folder, "terraform-provider-awscc")
    if not os.path.lexists(path):
        os.symlink(TERRANE, path)
    return path


def cli_config(folder):
    """A configuration of terraform and tofu that takes the provider from this folder: the environment that names it."""
    provider(folder)
    path = os.path.join(folder, "terraform.rc")
    with open(path, "w", encoding="utf-8") as f:
        f.write("provider_installation {\n  dev_overrides {\n"
                f"    \"hashicorp/awscc\" = {json.dumps(folder)}\n"
                "  }\n  direct {}\n}\n")
    return {"TF_CLI_CONFIG_FILE": path, "CHECKPOINT_DISABLE": "1", "TF_IN_AUTOMATION": "1"}


class Refused(Exception):
    """The service answered with an error: its name, then its message."""

    def __init__(self, status, kind, message):
        super().__init__(f"{kind}: {message}")
        self.status, self.kind, self.message = status, kind, message


class Client:
    """Calls to the API as anybody could make them: signed here, by the rules of Signature Version 4."""

    def __init__(self, url, key=KEY, secret=SECRET, region=REGION, clock=time.time):
        self.host = url.split("//", 1)[1]
        self.key, self.secret, self.region, self.clock = key, secret, region, clock

    def headers(self, operation, body):
        now = time.strftime("%Y%m%dT%H%M%SZ", time.gmtime(self.clock()))
        scope = f"{now[:8]}/{self.region}/cloudcontrolapi/aws4_request"
        headers = {"content-type": "application/x-amz-json-1.0", "host": self.host, "x-amz-date": now,
                   "x-amz-target": f"CloudApiService.{operation}"}
        names = ";".join(sorted(headers))
        canonical = "\n".join(["POST", "/", "", *(f"{name}:{headers[name]}" for name in sorted(headers)), "", names,
                               hashlib.sha256(body).hexdigest()])
        text = "\n".join(["AWS4-HMAC-SHA256", now, scope, hashlib.sha256(canonical.encode()).hexdigest()])
        key = ("AWS4" + self.secret).encode()
        for part in scope.split("/"):
            key = hmac.new(key, part.encode(), hashlib.sha256).digest()
        signature = hmac.new(key, text.encode(), hashlib.sha256).hexdigest()
        return {**headers, "authorization": f"AWS4-HMAC-SHA256 Credential={self.key}/{scope}, SignedHeaders={names}, Signature={signature}"}

    def call(self, operation, **members):
        body = json.dumps(members).encode()
        connection = http.client.HTTPConnection(self.host, timeout=PATIENCE)
        try:
            connection.request("POST", "/", body, self.headers(operation, body))
            answer = connection.getresponse()
            content = json.loads(answer.read())
        finally:
            connection.close()
        if answer.status != 200:
            raise Refused(answer.status, content["__type"].split("#")[-1], content.get("Message", content.get("message", "")))
        return content

    def wait(self, event):
        """The last event of what this one began."""
        deadline = time.monotonic() + PATIENCE
        while event["OperationStatus"] in ("PENDING", "IN_PROGRESS", "CANCEL_IN_PROGRESS"):
            assert time.monotonic() < deadline, event
            event = self.call("GetResourceRequestStatus", RequestToken=event["RequestToken"])["ProgressEvent"]
        return event

    def done(self, operation, **members):
        event = self.wait(self.call(operation, **members)["ProgressEvent"])
        assert event["OperationStatus"] == "SUCCESS", event
        return event["Identifier"]

    def create(self, kind, **properties):
        return self.done("CreateResource", TypeName=kind, DesiredState=json.dumps(properties))

    def update(self, kind, ident, *operations):
        return self.done("UpdateResource", TypeName=kind, Identifier=ident, PatchDocument=json.dumps(operations))

    def delete(self, kind, ident):
        return self.done("DeleteResource", TypeName=kind, Identifier=ident)

    def get(self, kind, ident):
        found = self.call("GetResource", TypeName=kind, Identifier=ident)
        return json.loads(found["ResourceDescription"]["Properties"])

    def identifiers(self, kind, **model):
        found, token = [], {}
        if model:
            token["ResourceModel"] = json.dumps(model)
        while True:
            page = self.call("ListResources", TypeName=kind, **token)
            found += [d["Identifier"] for d in page["ResourceDescriptions"]]
            if "NextToken" not in page:
                return found
            token["NextToken"] = page["NextToken"]
