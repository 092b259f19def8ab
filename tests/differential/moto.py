"""moto, the local mock of AWS: found or installed, started, and changed behind the provider's back."""
import fcntl
import http.client
import os
import shutil
import socket
import subprocess
import sys
import tempfile
import time

import tap
from clouds import Nothing

PACKAGE = "moto[server]==5.2.1"     # with which the recorded answers were given
REGION = "us-east-1"
ENVIRONMENT = {"MOTO_ACM_VALIDATION_WAIT": "86400"}     # nothing must change because time passes
SERVICES = """acm apigateway apigatewayv2 appconfig applicationautoscaling appsync athena autoscaling backup batch cloudfront cloudtrail
    cloudwatch codebuild codecommit cognitoidentity cognitoidp configservice databasemigrationservice dynamodb ec2 ecr ecs efs eks
    elasticache elb elbv2 events firehose glacier glue guardduty iam iot kinesis kms lambda logs mediastore mq opensearch
    organizations pipes ram rds redshift resourcegroups route53 route53resolver s3 s3control scheduler secretsmanager
    servicecatalogappregistry servicediscovery ses sesv2 sfn sns sqs ssm ssoadmin sts swf synthetics transfer wafv2 xray""".split()


def program():
    """The path of moto_server; installed into the cache when the machine has none."""
    found = shutil.which("moto_server")
    if found:
        return found
    home = os.path.join(tap.cache_folder("moto"), PACKAGE.split("=")[-1])
    server = os.path.join(home, "bin", "moto_server")
    os.makedirs(home, exist_ok=True)
    with open(home + ".lock", "w", encoding="utf-8") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not os.path.exists(os.path.join(home, "complete")):
            install(home)
    return server


def install(home):
    for command in ([sys.executable, "-m", "venv", home], [os.path.join(home, "bin", "pip"), "install", "-q", PACKAGE]):
        done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if done.returncode:
            tap.skip("peer:moto", f"it could not be installed: {done.stdout.strip().splitlines()[-1:]}")
    with open(os.path.join(home, "complete"), "w", encoding="utf-8"):
        pass


class Server:
    def __init__(self, program, work):
        with socket.socket() as s:
            s.bind(("127.0.0.1", 0))
            self.port = s.getsockname()[1]
        with tempfile.NamedTemporaryFile("w", prefix="moto-", suffix=".log", dir=work, delete=False) as log:
            self.process = subprocess.Popen([program, "-p", str(self.port)], env={**os.environ, **ENVIRONMENT},
                                            stdin=subprocess.DEVNULL, stdout=log, stderr=log)
        deadline = time.monotonic() + 60
        while not self.answers():
            assert self.process.poll() is None and time.monotonic() < deadline, f"moto did not start, see {log.name}"
            time.sleep(0.1)

    def version(self):
        """Of the package, as the interpreter that runs it knows."""
        with open(f"/proc/{self.process.pid}/cmdline", encoding="utf-8") as f:
            interpreter = f.read().split("\0")[0]
        return subprocess.run([interpreter, "-c", "import importlib.metadata as m; print(m.version('moto'))"], check=True,
                              stdout=subprocess.PIPE, text=True).stdout.strip()

    def answers(self):
        with socket.socket() as s:
            return s.connect_ex(("127.0.0.1", self.port)) == 0

    def close(self):
        self.process.terminate()
        self.process.wait(30)


class Moto(Nothing):
    """A running server as the cloud of one engine; `place` is its address. Objects stay until they are destroyed."""

    def __init__(self, port):
        super().__init__(f"http://127.0.0.1:{port}")
        self.port = port

    def settings(self):
        # More than one attempt, for moto drops a connection now and then.
        return {"region": REGION, "access_key": "test", "secret_key": "test", "skip_credentials_validation": True,
                "skip_metadata_api_check": "true", "s3_use_path_style": True, "max_retries": 3,
                "endpoints": [{service: self.place for service in SERVICES}]}

    def neutral(self, text):
        return text.replace(f"127.0.0.1:{self.port}", "<cloud>")

    def snapshot(self):
        return None                     # it cannot be copied

    def request(self, wanted):
        """{"service", "method", "path", "headers", "body"}: an API call as anybody could make it. moto checks no signature."""
        scope = f"test/20200101/{REGION}/{wanted['service']}/aws4_request"
        headers = {"Authorization": f"AWS4-HMAC-SHA256 Credential={scope}, SignedHeaders=host, Signature=0",
                   **wanted.get("headers", {})}
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        connection.request(wanted.get("method", "POST"), wanted.get("path", "/"), wanted.get("body", ""), headers)
        answer = connection.getresponse()
        text = answer.read().decode(errors="replace")
        connection.close()
        assert answer.status < 300, f"{wanted}: {answer.status} {text}"
