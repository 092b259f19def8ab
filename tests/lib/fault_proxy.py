"""A proxy before an API server that misbehaves as it is told.

    with FaultProxy(cluster, rule) as proxy:
        kubeconfig = proxy.kubeconfig(path, {"token": cluster.token})

`rule(request)` is called for every request, by many threads: a Fault, or None to let it pass. `request` has method, path, headers and n (its
number, from 1). Watches that are open end with proxy.cut().
"""
import dataclasses
import http.client
import http.server
import json
import socketserver
import ssl
import threading
import time


@dataclasses.dataclass
class Fault:
    status: int = 0             # answered without asking the server
    reason: str = ""            # of a Status
    retry_after: int = 0
    slow: float = 0             # seconds before anything else
    lose_answer: bool = False   # the server does it, and nobody hears of it
    cut: bool = False           # the connection ends, and the server is not asked


@dataclasses.dataclass
class Request:
    method: str
    path: str
    headers: dict
    n: int


class _Server(socketserver.ThreadingMixIn, http.server.HTTPServer):
    daemon_threads = True
    request_queue_size = 256

    def handle_error(self, *_):
        pass                    # who hangs up is no news here


class _Handler(http.server.BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    timeout = 600

    def log_message(self, *_):
        pass

    def setup(self):
        self.request.do_handshake()
        super().setup()

    def _any(self):
        proxy = self.server.proxy
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        fault = proxy.judge(self.command, self.path, dict(self.headers)) or Fault()
        if fault.slow:
            time.sleep(fault.slow)
        if fault.cut:
            self.close_connection = True
            return
        if fault.status:
            self._refuse(fault)
            return
        try:
            self._forward(proxy, body, fault)
        except (OSError, http.client.HTTPException):
            self.close_connection = True

    do_GET = do_PUT = do_POST = do_PATCH = do_DELETE = _any

    def _refuse(self, fault):
        text = json.dumps({"kind": "Status", "apiVersion": "v1", "metadata": {}, "status": "Failure", "message": "by the test",
                           "reason": fault.reason, "code": fault.status}).encode()
        self.send_response(fault.status)
        if fault.retry_after:
            self.send_header("Retry-After", str(fault.retry_after))
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def _forward(self, proxy, body, fault):
        headers = {k: v for k, v in self.headers.items() if k.lower() not in ("host", "connection", "content-length", "accept-encoding")}
        upstream = http.client.HTTPSConnection("127.0.0.1", proxy.cluster.port, timeout=600, context=proxy.trust)
        upstream.connect()
        try:
            upstream.request(self.command, self.path, body or None, headers)
            answer = upstream.getresponse()
            if fault.lose_answer:
                answer.read()
                self.close_connection = True
                return
            self.send_response(answer.status)
            for name in ("Content-Type", "Retry-After"):
                if answer.headers.get(name):
                    self.send_header(name, answer.headers[name])
            if "watch=" in self.path:
                self._stream(proxy, upstream, answer)
                return
            text = answer.read()
            self.send_header("Content-Length", str(len(text)))
            self.end_headers()
            self.wfile.write(text)
        finally:
            upstream.close()

    def _stream(self, proxy, upstream, answer):
        self.send_header("Transfer-Encoding", "chunked")
        self.end_headers()
        self.wfile.flush()
        with proxy.lock:
            proxy.open.add(upstream.sock)
        try:
            while True:
                piece = answer.read1(65536)
                if not piece:
                    break
                self.wfile.write(b"%x\r\n%s\r\n" % (len(piece), piece))
                self.wfile.flush()
        finally:
            with proxy.lock:
                proxy.open.discard(upstream.sock)
            self.close_connection = True


class FaultProxy:
    def __init__(self, cluster, rule=lambda request: None):
        self.cluster, self.rule = cluster, rule
        self.lock = threading.Lock()
        self.open, self.n, self.faults = set(), 0, 0

    def __enter__(self):
        self.trust = ssl.create_default_context(cafile=self.cluster.file("ca.crt"))
        own = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
        own.load_cert_chain(self.cluster.file("server.crt"), self.cluster.file("server.key"))
        self.server = _Server(("127.0.0.1", 0), _Handler)
        self.server.socket = own.wrap_socket(self.server.socket, server_side=True, do_handshake_on_connect=False)
        self.server.proxy = self
        self.port = self.server.server_address[1]
        self.thread = threading.Thread(target=self.server.serve_forever, daemon=True)
        self.thread.start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def judge(self, method, path, headers):
        with self.lock:
            self.n += 1
            request = Request(method, path, headers, self.n)
        fault = self.rule(request)
        if fault:
            with self.lock:
                self.faults += 1
        return fault

    def cut(self):
        """Ends the watches that are open, in the middle of whatever they say."""
        with self.lock:
            for sock in self.open:
                try:
                    sock.shutdown(2)
                except OSError:
                    pass

    def kubeconfig(self, path, user):
        with open(path, "w", encoding="utf-8") as f:
            json.dump({"apiVersion": "v1", "kind": "Config", "current-context": "test",
                       "clusters": [{"name": "test", "cluster": {"server": f"https://127.0.0.1:{self.port}",
                                                                 "certificate-authority": self.cluster.file("ca.crt")}}],
                       "users": [{"name": "user", "user": user}],
                       "contexts": [{"name": "test", "context": {"cluster": "test", "user": "user"}}]}, f)
        return path
