"""A real Kubernetes API server with its etcd, for one test: no nodes, nothing that runs workloads.

    with Cluster() as cluster:
        kubectl(cluster, "get", "namespaces")
        with cluster.client() as client:
            status, answer = client.request("GET", "/api/v1/namespaces")

Everything lives in a private folder that is gone afterwards, as are both processes, however the test ends. Whoever can read
`cluster.kubeconfig` (0600) is administrator. Start it on the main thread: the processes die with the thread that started them.
"""
import ctypes
import http.client
import json
import os
import secrets
import signal
import socket
import ssl
import subprocess
import tempfile
import time

from tap import peer

READY = 180         # seconds; three are usual, but the machine may be busy
REQUEST = 300       # seconds a request may take: the machine may be busy, and CRDs large
ATTEMPTS = 3        # somebody else may take the port that was free
PR_SET_PDEATHSIG = 1
ETCD = "unix://client:1"


class Failed(Exception):
    """The API server or its etcd did not start; the message has the end of their logs."""


_prctl = ctypes.CDLL(None, use_errno=True).prctl


def _die_with_parent():
    _prctl(PR_SET_PDEATHSIG, signal.SIGKILL)


def _free_port():
    with socket.socket() as s:
        s.bind(("127.0.0.1", 0))
        return s.getsockname()[1]


def _tail(path, lines=15):
    with open(path, encoding="utf-8", errors="replace") as f:
        return "".join(f.readlines()[-lines:])


def _private(path, text):
    with open(os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600), "w", encoding="utf-8") as f:
        f.write(text)


def message(answer):
    """What an answer says, for people."""
    return answer.get("message", answer) if isinstance(answer, dict) else answer


class Client:
    """One connection that is kept. A client serves one thread."""

    def __init__(self, cluster):
        self.connection = http.client.HTTPSConnection("127.0.0.1", cluster.port, timeout=REQUEST,
                                                      context=ssl.create_default_context(cafile=cluster.file("ca.crt")))
        self.headers = {"Authorization": f"Bearer {cluster.token}", "Accept": "application/json"}

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.connection.close()

    def request(self, method, path, body=None, content_type="application/json"):
        """(status, answer): the answer as object where it is JSON, else as text. Objects as body are sent as JSON."""
        if body is not None and not isinstance(body, (str, bytes)):
            body = json.dumps(body, separators=(",", ":"))
        if isinstance(body, str):
            body = body.encode()
        headers = dict(self.headers, **({"Content-Type": content_type} if body is not None else {}))
        try:
            self.connection.request(method, path, body, headers)
            answer = self.connection.getresponse()
            text = answer.read().decode(errors="replace")
        except (http.client.HTTPException, OSError):
            self.connection.close()     # the next request opens another one
            raise
        return answer.status, json.loads(text) if "json" in (answer.headers.get("Content-Type") or "") else text

    def get(self, path):
        status, answer = self.request("GET", path)
        if status != 200:
            raise AssertionError(f"GET {path}: {status} {message(answer)}")
        return answer

    def apply(self, path, document, manager="tests", dry_run=False, strict=True):
        """Server-side apply; a text is YAML. (status, answer)."""
        query = f"?fieldManager={manager}&force=true" + ("&dryRun=All" if dry_run else "")
        query += "&fieldValidation=" + ("Strict" if strict else "Ignore")
        return self.request("PATCH", path + query, document, "application/apply-patch+yaml")


class Cluster:
    def __init__(self):
        self.programs = {name: peer(name) for name in ("etcd", "kube-apiserver")}
        self.processes = {}
        self.users = {}
        self.audited = False    # set it before `with`: every request is written down, see requests()

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory(prefix="terrane-cluster-")
        self.token = secrets.token_hex(16)
        try:
            self._certificates()
            _private(self.file("tokens"), f'{self.token},admin,admin,"system:masters"\n' + "".join(
                f'{token},{name},{name},"{",".join(groups)}"\n' for name, (token, groups) in self.users.items()))
            for attempt in range(ATTEMPTS):
                if self._start(last=attempt + 1 == ATTEMPTS):
                    break
            self._write_kubeconfig()
        except BaseException:
            self.stop()
            raise
        return self

    def __exit__(self, *_):
        self.stop()

    def file(self, name):
        return os.path.join(self.folder.name, name)

    @property
    def kubeconfig(self):
        return self.file("kubeconfig")

    def client(self):
        return Client(self)

    def add_user(self, name, groups=()):
        """A token for a user, from the next start of the server on: call it before `with`, or restart()."""
        self.users[name] = (secrets.token_hex(16), groups)
        return self.users[name][0]

    def certificate(self, name, user, groups=(), seconds=2 * 86400):
        """A client certificate of that user; the files NAME.crt and NAME.key. `seconds`: from now on, or until so long ago."""
        subject = "".join(f"/O={g}" for g in groups) + f"/CN={user}"
        self._openssl("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-keyout", f"{name}.key", "-out", f"{name}.csr",
                      "-subj", subject)
        _private(self.file(f"{name}.cnf"), "[ca]\ndefault_ca=d\n[d]\ndatabase=db\nnew_certs_dir=.\nserial=serial\nunique_subject=no\ndefault_md=sha256\npolicy=p\nx509_extensions=e\n"
                 "[p]\norganizationName=optional\ncommonName=supplied\n[e]\nextendedKeyUsage=clientAuth\n")
        with open(self.file("db"), "a", encoding="utf-8"):
            pass
        end = time.strftime("%Y%m%d%H%M%SZ", time.gmtime(time.time() + seconds))
        self._openssl("ca", "-batch", "-config", f"{name}.cnf", "-cert", "ca.crt", "-keyfile", "ca.key", "-in", f"{name}.csr", "-out", f"{name}.crt",
                      "-notext", "-rand_serial", "-startdate", "20200101000000Z", "-enddate", end, "-preserveDN")

    def stop_server(self):
        """The API server alone, as by a crash."""
        process = self.processes.pop("kube-apiserver")
        process.kill()
        process.wait()

    def start_server(self):
        """Again, at the same address and on the same data."""
        self._spawn_server(ETCD, self.port)
        why = self._wait_until_ready()
        if why:
            raise Failed(f"{why}\n{_tail(self.file('kube-apiserver.log'))}")

    def compact(self):
        """etcd forgets what was before now."""
        now = self._etcd("/v3/kv/range", {"key": "AA=="})["header"]["revision"]
        self._etcd("/v3/kv/compaction", {"revision": now, "physical": True})

    def stop(self):
        """Nothing in there is worth a clean end: the API server alone would take seconds."""
        self._kill()
        self.folder.cleanup()

    def memory(self):
        """The largest resident size of the API server so far, in bytes."""
        with open(f"/proc/{self.processes['kube-apiserver'].pid}/status", encoding="ascii") as f:
            return next(int(line.split()[1]) for line in f if line.startswith("VmHWM:")) * 1024

    # --- what it is made of ---

    def _openssl(self, *args, **options):
        done = subprocess.run(["openssl", *args], cwd=self.folder.name, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE,
                              stderr=subprocess.STDOUT, text=True, **options)
        if done.returncode != 0:
            raise Failed(f"openssl {' '.join(args)}:\n{done.stdout}")

    def _certificates(self):
        """An authority, the server's certificate, and the key that signs tokens of service accounts."""
        key = ["-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes"]
        self._openssl("req", "-x509", *key, "-keyout", "ca.key", "-out", "ca.crt", "-subj", "/CN=terrane test", "-days", "2",
                      "-addext", "keyUsage=critical,keyCertSign")
        self._openssl("req", *key, "-keyout", "server.key", "-out", "server.csr", "-subj", "/CN=kube-apiserver")
        _private(self.file("server.ext"), "subjectAltName=IP:127.0.0.1,DNS:localhost\nextendedKeyUsage=serverAuth\n")
        self._openssl("x509", "-req", "-in", "server.csr", "-CA", "ca.crt", "-CAkey", "ca.key", "-CAcreateserial", "-days", "2",
                      "-extfile", "server.ext", "-out", "server.crt")
        self._openssl("ecparam", "-name", "prime256v1", "-genkey", "-noout", "-out", "accounts.key")

    def _write_kubeconfig(self):
        _private(self.kubeconfig, json.dumps({
            "apiVersion": "v1", "kind": "Config", "current-context": "test",
            "clusters": [{"name": "test", "cluster": {"server": f"https://127.0.0.1:{self.port}",
                                                      "certificate-authority": self.file("ca.crt")}}],
            "users": [{"name": "admin", "user": {"token": self.token}}],
            "contexts": [{"name": "test", "context": {"cluster": "test", "user": "admin", "namespace": "default"}}]}))

    # --- processes ---

    def _spawn(self, name, *args):
        # In the group of the test: what ends the group ends them too.
        with open(self.file(name + ".log"), "wb") as log:
            self.processes[name] = subprocess.Popen([self.programs[name], *args], cwd=self.folder.name, stdin=subprocess.DEVNULL,
                                                    stdout=log, stderr=log, preexec_fn=_die_with_parent)

    def _spawn_etcd(self, data):
        # Sockets in the private folder, the working folder of both: no port to lose, and no way in for others. etcd wants them to
        # look like host and port.
        client, other = ETCD, "unix://peer:1"
        self._spawn("etcd", "--data-dir", data, "--listen-client-urls", client, "--advertise-client-urls", client, "--listen-peer-urls",
                    other, "--initial-advertise-peer-urls", other, "--initial-cluster", f"default={other}", "--unsafe-no-fsync", "--quota-backend-bytes",
                    str(8 << 30), "--log-level", "warn")
        return client

    def _etcd(self, path, body):
        """A request to etcd's gateway."""
        connection = http.client.HTTPConnection("localhost", timeout=60)
        connection.sock = socket.socket(socket.AF_UNIX)
        connection.sock.connect(self.file("client:1"))
        connection.request("POST", path, json.dumps(body), {"Content-Type": "application/json"})
        answer = connection.getresponse()
        text = answer.read()
        connection.close()
        if answer.status != 200:
            raise Failed(f"etcd: {path}: {answer.status} {text}")
        return json.loads(text)

    def _spawn_server(self, etcd, port=None):
        self.port = port or _free_port()
        self._spawn("kube-apiserver", "--etcd-servers", etcd, "--bind-address", "127.0.0.1", "--advertise-address", "127.0.0.1",
                    "--secure-port", str(self.port), "--cert-dir", self.file("certificates"), "--tls-cert-file", "server.crt",
                    "--tls-private-key-file", "server.key", "--token-auth-file", "tokens", "--client-ca-file", "ca.crt", "--authorization-mode", "RBAC",
                    "--service-account-issuer", "https://terrane.test", "--service-account-key-file", "accounts.key",
                    "--service-account-signing-key-file", "accounts.key", "--service-cluster-ip-range", "10.0.0.0/24",
                    # As OpenShift has it: who makes an object another's must be allowed to keep that one from going.
                    "--enable-admission-plugins", "OwnerReferencesPermissionEnforcement", "--disable-admission-plugins", "ServiceAccount",
                    "--enable-priority-and-fairness=false", "--endpoint-reconciler-type", "none",
                    "--request-timeout", f"{REQUEST}s", *self._audit())

    def _audit(self):
        if not self.audited:
            return ()
        policy = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "omitStages": ["RequestReceived"], "rules": [{"level": "Metadata"}]}
        with open(self.file("audit.yaml"), "w", encoding="utf-8") as f:
            json.dump(policy, f)
        return "--audit-policy-file", "audit.yaml", "--audit-log-path", "audit.log", "--audit-log-mode", "blocking"

    def requests(self, user):
        """What that user has asked so far: events of the audit log."""
        with open(self.file("audit.log"), encoding="utf-8") as f:
            events = [json.loads(line) for line in f if line.endswith("\n")]
        return [e for e in events if e["user"]["username"] == user]

    def account_kubeconfig(self, namespace, name):
        """The path of a kubeconfig with a token of that ServiceAccount."""
        with self.client() as client:
            status, answer = client.request("POST", f"/api/v1/namespaces/{namespace}/serviceaccounts/{name}/token",
                                            {"apiVersion": "authentication.k8s.io/v1", "kind": "TokenRequest", "spec": {}})
        if status != 201:
            raise Failed(f"token of {namespace}/{name}: {status} {message(answer)}")
        with open(self.kubeconfig, encoding="utf-8") as f:
            config = json.load(f)
        config["users"][0]["user"] = {"token": answer["status"]["token"]}
        path = self.file(f"kubeconfig-{namespace}-{name}")
        _private(path, json.dumps(config))
        return path

    def _start(self, last):
        etcd = self._spawn_etcd(tempfile.mkdtemp(prefix="data-", dir=self.folder.name))
        self._spawn_server(etcd)
        why = self._wait_until_ready()
        if why is None:
            return True
        logs = "".join(f"--- {name}:\n{_tail(self.file(name + '.log'))}" for name in self.processes)
        self._kill()
        if not last and "address already in use" in logs:
            return False
        raise Failed(f"{why}\n{logs}")

    def _wait_until_ready(self):
        """None, or why not."""
        deadline = time.monotonic() + READY
        answer = "it does not listen"
        while time.monotonic() < deadline:
            for name, process in self.processes.items():
                if process.poll() is not None:
                    return f"{name} ended with {process.returncode}"
            try:
                with self.client() as client:
                    status, answer = client.request("GET", "/readyz?verbose")
                if status == 200:
                    return None
            except (OSError, http.client.HTTPException):
                pass
            time.sleep(0.05)            # it tells nobody when it is ready
        return f"kube-apiserver was not ready within {READY} s: {answer}"

    def _kill(self):
        for process in reversed(list(self.processes.values())):
            process.kill()
            process.wait()
        self.processes = {}


def kubectl(cluster, *args, stdin=None, timeout=120):
    """The finished process, output as text. Its cache is in the cluster's folder."""
    env = {k: v for k, v in os.environ.items() if not k.startswith("KUBE")}
    env.update(KUBECONFIG=cluster.kubeconfig, HOME=cluster.folder.name)
    return subprocess.run([peer("kubectl-cli"), *args], env=env, input=stdin if stdin is not None else "", stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, text=True, timeout=timeout)
